"""What pairs of nodes share, by compiled kernels: the most of each node, and the figures over all pairs.

The figures are those that `edgedp.graph.engines.figures` computes by numpy.
A core in which nearly all are adjacent shares nearly everything with everybody: no bound ends the search early there,
and bits make it short (best_pair.c).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.figures import falling, move_bounds, ranges, top_sums
from edgedp.graph.engines.native.engine import Positions, _checked, _rows, _scratch, _share_out, _thread_count
from edgedp.graph.engines.native.layout import by_strongest_neighbors, oriented
from edgedp.graph.engines.native.library import Address, Given, Rows, Scratch, Taken, call

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

Ints = NDArray[np.int64]

COUNTED_PART, COUNTED_LEAST, COUNTED_MOST, COUNTED_PAIRS = 5, 2_000, 1 << 13, 32
"""Common neighbours are counted between the nodes whose rows make up this part of all, or so many arcs; between no
more nodes, and over no more than so many pairs of their rows for each arc."""
COLUMN_LEAST, COLUMN_PART = 64, 16
"""A common neighbour of more than so many, and of more than this part, of the nodes compared is a column of bits."""
TRIED = 16
"""Nodes of the largest bounds that are compared first: what they find leaves fewer to prepare."""


def max_common_neighbors(graph: Graph, positions: Positions = None, *, threads: int | None = None) -> Ints:
    """Return ``m(v) = max over u != v of |N(u) & N(v)|``; parameters as for `triangles`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> max_common_neighbors(Graph.from_edges([(0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])).tolist()
    [2, 2, 2, 2, 1]
    """
    positions = _checked(graph, positions)
    n = graph.node_count
    result = np.zeros(n, dtype=np.int64)

    def raise_most(rows: Rows, sources: Ints, once: bool, most: Ints, memory: Scratch) -> None:
        asked = Given(sources, np.int64, len(sources), "positions", within=n)
        written = Taken(most, np.int64, n, "result")
        call("most_common_neighbors", memory, rows, len(sources), asked, int(once), written)

    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        if positions is not None:
            raise_most(rows, np.unique(positions), False, result, memory)
            return result[positions]
        layout = by_strongest_neighbors(rows, memory)
    sources = np.arange(n, dtype=np.int64)

    def work(chunks: Iterator[slice]) -> Ints:
        most = np.zeros(n, dtype=np.int64)
        with _scratch(graph) as memory:
            for chunk in chunks:
                raise_most(layout.rows, sources[chunk], True, most, memory)
        return most

    mosts = _share_out(work, np.diff(layout.rows.indptr), _thread_count(graph, threads))
    result[layout.positions] = np.maximum.reduce(mosts)
    return result


def common_neighbors_between(graph: Graph) -> tuple[Ints, Ints]:
    """Return bounds of `max_common_neighbors` of all nodes that cost about a scan of the graph.

    The nodes of the largest degrees are counted against each other. What one of them shares with any other node is no
    more than that node's degree; so where the count reaches the largest degree left out, both bounds are the value.

    Returns
    -------
    low, high : (n,) int64

    Examples
    --------
    >>> from edgedp import Graph
    >>> graph = Graph.from_edges([(0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])
    >>> [bounds.tolist() for bounds in common_neighbors_between(graph)]
    [[2, 2, 2, 2, 1], [2, 2, 2, 2, 1]]
    """
    kept: tuple[Ints, Ints] | None = graph.kept.get("common_neighbors_between")
    if kept is None:
        kept = graph.kept["common_neighbors_between"] = _bound_common_neighbors(graph)
        for bounds in kept:
            bounds.flags.writeable = False
    return kept


def _bound_common_neighbors(graph: Graph) -> tuple[Ints, Ints]:
    degrees = graph.degrees
    low, high = np.zeros_like(degrees), degrees.copy()
    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        chosen, starts = _worth_counting(rows, degrees)
        most = np.empty(len(chosen), dtype=np.int64)
        lists = np.empty(int(starts[-1]), dtype=np.int32)
        call(
            "most_common_among",
            memory,
            rows,
            len(chosen),
            Given(chosen, np.int64, len(chosen), "chosen", within=rows.n),
            Given(starts, np.int64, rows.n + 1, "starts"),
            Taken(lists, np.int32, lists.size, "lists"),
            Taken(most, np.int64, len(chosen), "most"),
        )
    others = degrees.copy()
    others[chosen] = 0
    low[chosen] = most
    # A node shares with one that was not chosen no more neighbours than that one has.
    high[chosen] = np.minimum(degrees[chosen], np.maximum(most, others.max(initial=0)))
    return low, high


def _worth_counting(rows: Rows, degrees: Ints) -> tuple[Ints, Ints]:
    """Return nodes of the largest degrees whose pairs are few beside the edges, and rows for their transpose."""
    order = np.argsort(-degrees, kind="stable")
    room = max(len(rows.indices) // COUNTED_PART, COUNTED_LEAST)
    count = min(int(np.searchsorted(np.cumsum(degrees[order]), room, side="right")), COUNTED_MOST)
    while True:
        chosen = order[:count]
        met = [rows.indices[rows.indptr[v] : rows.indptr[v + 1]] for v in chosen.tolist()]
        lengths = np.bincount(np.concatenate([*met, np.zeros(0, dtype=np.int32)]), minlength=rows.n)
        if int((lengths * (lengths - 1)).sum()) <= COUNTED_PAIRS * len(rows.indices) + COUNTED_LEAST**2:
            return chosen, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
        count //= 2


def most_common_of(graph: Graph) -> int:
    """Return the most neighbours that any two nodes share."""
    low, _ = common_neighbors_between(graph)
    return _best_pair(graph, graph.degrees, int(low.max(initial=0)), None, None)


def two_triangles_move(graph: Graph, on_edge: Ints, most: int) -> int:
    """Return by how much the two-triangles move at most; parameters as of `edgedp.graph.engines.figures`."""
    if len(on_edge) == 0:
        return 0
    bounds = move_bounds(graph, on_edge, most)
    tops = top_sums(graph.indptr, on_edge)
    first = np.zeros_like(bounds)
    tried = falling(bounds)[:TRIED]
    first[tried] = bounds[tried]
    return _best_pair(graph, bounds, _best_pair(graph, first, 0, on_edge, tops), on_edge, tops)


def _best_pair(graph: Graph, bounds: Ints, best: int, on_edge: Ints | None, tops: Ints | None) -> int:
    n = graph.node_count
    order = falling(bounds)
    chosen = order[: int(np.count_nonzero(bounds > best))]
    met = np.bincount(graph.indices[ranges(graph.indptr[chosen], graph.degrees[chosen])], minlength=n)
    column, columns = np.full(n, -1, dtype=np.int32), met > max(COLUMN_LEAST, len(chosen) // COLUMN_PART)
    column[columns] = np.arange(np.count_nonzero(columns), dtype=np.int32)
    met[columns] = 0
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(met, dtype=np.int64)])
    lists = np.empty(int(starts[-1]), dtype=np.int32)
    words = -(-int(np.count_nonzero(columns)) // 64)
    bits = np.zeros((len(chosen), words), dtype=np.uint64)
    found = np.array([best], dtype=np.int64)
    arcs = len(graph.indices)
    with _scratch(graph) as memory:
        call(
            "best_pair",
            memory,
            _rows(graph, memory),
            len(chosen),
            Given(chosen, np.int64, len(chosen), "chosen", within=n),
            Given(np.ascontiguousarray(bounds[chosen]), np.int64, len(chosen), "bounds"),
            Given(starts, np.int64, n + 1, "starts"),
            Taken(lists, np.int32, lists.size, "lists"),
            Given(column, np.int32, n, "column"),
            words,
            Taken(bits, np.uint64, bits.size, "bits"),
            Address() if on_edge is None else Given(on_edge, np.int64, arcs, "on_edge"),
            Address() if tops is None else Given(tops, np.int64, arcs, "tops"),
            0 if on_edge is None else int(on_edge.max(initial=0)),
            Taken(found, np.int64, 1, "best"),
        )
    return int(found[0])


def edge_triangles(graph: Graph) -> Ints:
    """Return, for each of the (2m,) arcs in the order of ``graph.indices``, the triangles that the edge is in."""
    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        forward = oriented(rows, memory)
        on_edge = np.zeros(forward.indices.size, dtype=np.int64)
        on_arc = np.empty(rows.indices.size, dtype=np.int64)
        counted = Taken(on_edge, np.int64, on_edge.size, "on_edge")
        call("list_edge_triangles", memory, rows.n, forward, 0, rows.n, counted)
        both = Taken(on_arc, np.int64, on_arc.size, "on_arc")
        call("to_both_arcs", memory, rows, forward, counted, both)
    return on_arc
