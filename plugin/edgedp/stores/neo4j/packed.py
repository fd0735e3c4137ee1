"""From the plugin's projection, rows of nodes and relationships, to a graph.

The plugin reads every node and every relationship once, in the database's order; here directions and
parallels merge, loops drop, and nodes are put in the order of their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph
from edgedp.ledger.pairs import PairProjection
from edgedp.stores.neo4j.frames import decode_texts
from edgedp.stores.statements.projecting import arcs_of, weighed
from edgedp.words.errors import StoreError
from edgedp.words.refusals import IDS_BROKEN


def graph_of_rows(
    ids: NDArray[Any],
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    *,
    nodes_supplied: bool = True,
    projection: PairProjection | None = None,
    weights: NDArray[np.float64] | None = None,
) -> tuple[Graph, NDArray[np.int64]]:
    """Build a graph from rows of nodes and relationships.

    Parameters
    ----------
    ids : (n,) int64 or str
        Node ids in any order.
    sources, targets : (m,) int32
        Rows of `ids`, one pair a relationship.
    nodes_supplied : bool
        As of `edgedp.Graph`.
    projection : PairProjection, optional
        What of these relationships makes an edge; default: each, whatever its direction. Its conditions hold already.
    weights : (m,) float64, optional
        What each relationship weighs, NaN for nothing; of a projection that declares weights.

    Returns
    -------
    graph : Graph
    order : (n,) int64
        The row of each of the graph's positions.

    Raises
    ------
    StoreError
        Two nodes have the same id; `edgedp.words.refusals.IDS_BROKEN`.

    Examples
    --------
    >>> graph, order = graph_of_rows(np.array([7, 5]), np.array([0, 1], "i4"), np.array([1, 0], "i4"))
    >>> graph.node_ids.tolist(), graph.edge_count, order.tolist()
    ([5, 7], 1, [1, 0])
    """
    if (
        ids[1:] > ids[:-1]
    ).all():  # as a load wrote them, and most databases hold them: each row is its position
        order, ascending = np.arange(len(ids), dtype=np.int64), ids.copy()  # not the whole frame
    else:
        order = np.argsort(ids, kind="stable")
        ascending = ids[order]
        if (ascending[1:] == ascending[:-1]).any():
            raise StoreError(IDS_BROKEN)
        position = np.empty(len(ids), dtype=np.int32)
        position[order] = np.arange(len(ids), dtype=np.int32)
        sources, targets = position[sources], position[targets]
    pairs = arcs_of(sources, targets, len(ids), projection)
    directed = projection is not None and projection.directed
    graph = Graph.from_positions(ascending, pairs, nodes_supplied=nodes_supplied, directed=directed)
    return weighed(graph, sources, targets, weights, projection), order


def graph_of_adjacency(
    ids: Sequence[Any],
    neighbors: Sequence[Sequence[Any]],
    *,
    nodes_supplied: bool,
    projection: PairProjection | None = None,
    weights: Sequence[Sequence[float | None]] | None = None,
) -> Graph:
    """Build a graph from the rows of ``adjacency``: a node's id, and the ids that its relationships point to.

    Relationships to nodes that have no row of their own, which came while the rows were read, are left out:
    the graph is what was caught, and nothing else is asked of the database afterwards.

    Raises
    ------
    StoreError
        An id is missing, of two nodes or of another type than the rest; `edgedp.words.refusals.IDS_BROKEN`.

    Examples
    --------
    >>> graph_of_adjacency([7, 5], [[5, 5, 9, None], []], nodes_supplied=True).edge_count
    1
    """
    if {type(node) for node in ids} not in ({int}, {str}, set()):
        raise StoreError(IDS_BROKEN)
    unsorted = np.asarray(ids) if ids else np.zeros(0, dtype=np.int64)
    ascending = np.sort(unsorted)
    kind = type(ids[0]) if ids else int
    flat = [target for adjacent in neighbors for target in adjacent if type(target) is kind]
    lengths = [sum(type(target) is kind for target in adjacent) for adjacent in neighbors]
    sources = np.repeat(np.arange(len(ids), dtype=np.int32), lengths)
    named = np.asarray(flat, dtype=unsorted.dtype) if flat and kind is int else np.asarray(flat)
    order = np.argsort(unsorted, kind="stable")
    places = np.searchsorted(ascending, named) if flat else np.zeros(0, dtype=np.int64)
    caught = places < len(ids)
    if flat:
        caught[caught] = ascending[places[caught]] == named[caught]
    targets = order[places[caught]].astype(np.int32)
    found = sources[caught], targets
    weighed = None
    if weights is not None:
        there = [
            np.nan if weight is None else weight
            for adjacent, beside in zip(neighbors, weights, strict=True)
            for target, weight in zip(adjacent, beside, strict=True)
            if type(target) is kind
        ]
        weighed = np.array(there, dtype=np.float64)[caught]
    return graph_of_rows(
        unsorted, *found, nodes_supplied=nodes_supplied, projection=projection, weights=weighed
    )[0]


def graph_of_arrays(
    arrays: Mapping[str, NDArray[Any]], projection: PairProjection | None = None
) -> tuple[Graph, NDArray[np.int64]]:
    """Build a graph from the arrays of a frame; as `graph_of_rows`.

    The plugin sends no ``ids`` where they are missing or of mixed types.
    """
    if "ids" not in arrays:
        raise StoreError(IDS_BROKEN)
    rows = arrays["ids"], arrays["sources"], arrays["targets"]
    return graph_of_rows(*rows, projection=projection, weights=arrays.get("weights"))


def graph_of_pieces(
    pieces: Iterable[Mapping[str, Any]], *, nodes_supplied: bool, projection: PairProjection | None = None
) -> Graph:
    """Build a graph from the rows of ``CALL edgedp.exact.adjacency(name)``.

    Parameters
    ----------
    pieces : iterable of mapping
        Rows with idType, nodeCount, ids, sources and targets, as the driver hands them over.
    nodes_supplied : bool
        As of `edgedp.Graph`.

    Examples
    --------
    >>> row = {"idType": "int64", "nodeCount": 2, "ids": np.array([7, 5]).tobytes(),
    ...        "sources": np.array([0], "i4").tobytes(), "targets": np.array([1], "i4").tobytes()}
    >>> graph_of_pieces([row], nodes_supplied=True).edge_count
    1
    """
    rows = list(pieces)
    packed = np.frombuffer(rows[0]["ids"], dtype=np.uint8)
    ids = decode_texts(packed, rows[0]["nodeCount"]) if rows[0]["idType"] == "text" else packed.view("<i8")
    ends = [np.frombuffer(b"".join(row[key] for row in rows), dtype="<i4") for key in ("sources", "targets")]
    return graph_of_rows(ids, ends[0], ends[1], nodes_supplied=nodes_supplied, projection=projection)[0]
