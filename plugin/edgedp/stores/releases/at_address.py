"""Graphs whose edges are at an address, read by this process: after the debit, and kept as rows if the curator likes.

Before the debit nothing of the rows is read: only whether anything is at the address, and of a table whether its
server answers. What is found out while they are read follows the edges, so a release says it in constant sentences.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from edgedp.graph.columns import KeptRows
from edgedp.graph.dated import DatedRows
from edgedp.graph.graph import Graph
from edgedp.graph.loading.addresses import Address, Marks, ids_digest, settled
from edgedp.graph.loading.expecting import DATE_OF_ROW, INTEGER_ROW, TEXT_ROW
from edgedp.ledger.rows import SPARK
from edgedp.stores.addresses import kept_rows
from edgedp.stores.embedded.windowed import windows_of
from edgedp.stores.releases.resident import load_reading
from edgedp.stores.statements.projecting import graph_of_kept
from edgedp.words.errors import EdgeDPError, EngineError, StoreError
from edgedp.words.refusals import ADDRESS_FAILED, ADDRESS_TOO_LARGE, AFTER_THE_DEBIT, NODES_CHANGED

if TYPE_CHECKING:
    from edgedp.ledger.rows import GraphRow
    from edgedp.stores.releases.memory import GraphMemory
    from edgedp.words.dates.calendar import Span

_SHARE = 0.75
"""Of the machine's memory, where the curator says nothing."""


def check_there(row: GraphRow) -> None:
    """Refuse, before a debit, an address at which nothing is, or whose server does not answer; no row is read.

    Raises
    ------
    EdgeDPError
    """
    address = _address(row)
    if not (address.cache and kept_rows.any_kept(place_key(row.relationship_type))):
        load_reading()
    try:
        address.check_there()
    except EdgeDPError as error:
        raise StoreError(f"{error}; nothing was spent") from None


def read(row: GraphRow, memory: GraphMemory | None = None, span: Span | None = None) -> Graph:
    """Return the graph at an address as it is now: from memory or kept rows where no file changed, else read anew.

    Parameters
    ----------
    span : Span, optional
        The windows whose rows make the graph; all nodes are there. Where the rows have the dates of its calendar.

    Raises
    ------
    StoreError
        The nodes are not those that were registered, or the rows need more memory than is allowed: constant sentences.
    EdgeDPError
        The rows cannot be read; tells why, so it is for the curator (`refusals`).
    """
    address = _address(row)
    began = time.time_ns()
    marks = address.marks()
    if marks is None:
        return _read(row, address, span)
    key, place = address.key(marks, row.made_of), place_key(row.relationship_type)
    if span is not None:
        return _read_windows(row, address, (marks, key), began, span)
    version = replace(row, version=kept_rows.number_of(key))
    graph = None if memory is None else memory.get(version)
    if graph is None and address.cache:
        graph = kept_rows.kept_graph(place, key, nodes_supplied=row.nodes_supplied, weighting=row.weighting)
    if graph is None:
        graph = _read(row, address)
        if address.cache and settled(marks, began) and address.marks() == marks:
            kept_rows.keep(place, key, graph)
        graph.kept.pop("dated", None)
    _checked(row, graph, directed=row.directed)
    if memory is not None and settled(marks, began):
        memory.put(version, graph)
    return graph


def _read_windows(
    row: GraphRow, address: Address, read_as: tuple[Marks, str], began: int, span: Span
) -> Graph:
    """Return the graph of some windows; the windows of all rows are kept as the rows are, those of a filter are not."""
    if row.projection is not None:
        return _read(row, address, span)
    (marks, key), place = read_as, place_key(row.relationship_type)
    if address.cache:
        graph = kept_rows.kept_window(place, key, span, nodes_supplied=row.nodes_supplied)
        if graph is not None:
            return _checked(row, graph, directed=row.directed)
    whole = _read(row, address)
    if address.cache and settled(marks, began) and address.marks() == marks:
        kept_rows.keep(place, key, whole, span.calendar)
    return _of_span(whole, span)


def _of_span(graph: Graph, span: Span | None) -> Graph:
    """Return the graph of the rows of some windows among all its nodes; None: the graph itself."""
    if span is None:
        return graph
    dated = graph.kept.get("dated")
    if not isinstance(dated, DatedRows):
        raise StoreError(ADDRESS_FAILED)
    window = windows_of(dated.seconds, span.calendar)
    chosen = dated.ends[(window >= span.first) & (window <= span.last)]
    return Graph.from_positions(
        graph.node_ids, chosen, nodes_supplied=graph.nodes_supplied, directed=graph.directed
    )


@contextmanager
def refusals() -> Iterator[None]:
    """Let nothing out of the reading of an address, after a debit, but sentences that never vary."""
    try:
        yield
    except EdgeDPError as error:
        if str(error) in AFTER_THE_DEBIT:
            raise
        raise StoreError(ADDRESS_FAILED) from None


def nodes_named(row: GraphRow, ids: list[Any]) -> list[Any]:
    """Return those of some ids that are nodes, which are public; no edge is read.

    Where the ids of all nodes are not kept, each id of their type is taken for one: whether it is there is found out
    after the debit.
    """
    address = _address(row)
    kind = int if address.integers else str
    asked = [each for each in ids if isinstance(each, kind)]
    there = kept_rows.kept_nodes(str(row.digest).partition(" ")[0])
    if there is None or not asked:
        return asked
    some = np.array(asked, dtype=np.int64 if kind is int else None)
    return list(some[np.isin(some, there)].tolist())


def forget(row: GraphRow) -> None:
    """Remove what is kept of the rows at an address."""
    kept_rows.forget(place_key(row.relationship_type))


def allowed_memory(asked: int | None) -> int:
    """Return how many bytes a release may take: what the curator allows, or three quarters of the machine's.

    Where the process runs in a container, it is three quarters of what that has.
    """
    if asked is not None:
        return asked
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        machine = min(machine, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return int(_SHARE * machine)


def too_large(rows: int, address: Address) -> tuple[int, int] | None:
    """Return how many bytes some rows need and how many are allowed, where they need more; None where they do not."""
    each = INTEGER_ROW if address.integers else TEXT_ROW
    needed = rows * (each + (DATE_OF_ROW if "date" in address.options else 0))
    allowed = allowed_memory(address.memory)
    return (needed, allowed) if needed > allowed else None


def place_key(place: str) -> str:
    """Return the beginning of the names under which rows of an address are kept."""
    return hashlib.sha256(place.encode()).hexdigest()[:16]


def _address(row: GraphRow) -> Address:
    if row.engine == SPARK:
        raise EngineError(
            f"the edges of the graph {row.name!r} are at an address that was registered only for Spark; ask with "
            "engine 'spark', or drop it and register it again without that engine: its ledger stays"
        )
    return Address.kept(row.relationship_type, row.id_property)


def _read(row: GraphRow, address: Address, span: Span | None = None) -> Graph:
    if too_large(address.rows_expected(), address) is not None:
        raise StoreError(ADDRESS_TOO_LARGE)
    whole, made = address.read(lambda *_: sys.audit("edgedp.reached", "reading"))[0], row.projection
    _checked(row, whole, directed=bool(address.options.get("directed")))
    if made is None:
        return _of_span(whole, span)
    dated = whole.kept.get("dated")
    windows = None if span is None or dated is None else windows_of(dated.seconds, span.calendar)
    return graph_of_kept(whole, KeptRows(whole.kept["columns"], windows), made, span)


def _checked(row: GraphRow, graph: Graph, *, directed: bool) -> Graph:
    """Refuse other nodes than were registered, which are public, and other directions."""
    digest = str(row.digest).partition(" ")[0]
    known = graph.kept.get("nodes digest")
    if known is None:
        known = graph.kept["nodes digest"] = ids_digest(graph.node_ids)
    if known != digest or graph.directed != directed:
        raise StoreError(NODES_CHANGED)
    return graph
