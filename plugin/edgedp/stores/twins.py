"""Lists of edges that were loaded before under another name: found by a keyed hash, and said to the curator."""

from __future__ import annotations

import hashlib
import hmac
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.ledger.backend import Runner


@dataclass(frozen=True)
class Twins:
    """A list of edges, and its other names.

    Attributes
    ----------
    key : str
        Of `keyed`.
    same : list of str
        Of the same list, ids included.
    likely : list of str
        Of a graph of the same shape, loaded by a version before 0.2.0, which kept no ids to compare.
    """

    key: str
    same: list[str]
    likely: list[str]


def keyed(graph: Graph, secret: str) -> str:
    """Return the HMAC-SHA-256 (hex) of the list of edges by the ids of their ends; isolated nodes do not count.

    Parameters
    ----------
    graph : Graph
    secret : str
        Hex: the store's. Without it nobody can try an edge with what is kept.
    """
    there = graph.degrees > 0
    ids = graph.node_ids[there]
    digest = hmac.new(
        bytes.fromhex(secret), f"list of edges, {ids.dtype.kind}, {len(ids)}:".encode(), hashlib.sha256
    )
    if ids.dtype.kind == "i":
        digest.update(np.ascontiguousarray(ids, dtype=np.int64).data)
    else:
        digest.update("\0".join(ids.tolist()).encode() + b"\0")
    digest.update(np.ascontiguousarray(graph.degrees[there]).data)
    rank = np.cumsum(there, dtype=np.int32) - np.int32(1)
    rows = graph.indices if len(ids) == graph.node_count else rank[graph.indices]
    digest.update(np.ascontiguousarray(rows, dtype=np.int32).data)
    return digest.hexdigest()


def find(runner: Runner, graph: Graph, name: str, secret: str) -> Twins:
    """Return the other names under which the list of edges was loaded."""
    key = keyed(graph, secret)
    same, shape = (
        {row["name"] for row in runner.run("fingerprint_find", fingerprint=kept)} - {name}
        for kept in (key, graph.keyed_fingerprint(secret))
    )
    return Twins(key, sorted(same), sorted(shape - same))


def warn(twins: Twins) -> None:
    """Warn the curator of edges that another ledger accounts for already."""
    if twins.same:
        names = f"name{'s' * (len(twins.same) > 1)} {', '.join(map(repr, twins.same))}"
        warnings.warn(
            f"the same list of edges was loaded before under the {names}: "
            "what is learned about them is the sum of all their ledgers",
            stacklevel=4,
        )
    if twins.likely:
        warnings.warn(
            f"an earlier version of edgedp loaded {', '.join(map(repr, twins.likely))}, a graph of the same shape, "
            "and kept no ids to compare: if the edges are the same, what is learned about them is the sum of their "
            "ledgers",
            stacklevel=4,
        )
