"""The figures over all pairs of nodes by compiled kernels: what `edgedp.graph.engines.figures` does by numpy.

A core in which nearly all are adjacent shares nearly everything with everybody: no bound ends the search early there,
and bits make it short (best_pair.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.figures import falling, move_bounds, ranges, top_sums
from edgedp.graph.engines.native.engine import _rows, _scratch, common_neighbors_between
from edgedp.graph.engines.native.layout import oriented
from edgedp.graph.engines.native.library import Address, call, given, taken

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

__all__ = ["edge_triangles", "most_common_of", "two_triangles_move"]

Ints = NDArray[np.int64]

COLUMN_LEAST, COLUMN_PART = 64, 16
"""A common neighbour of more than so many, and of more than this part, of the nodes compared is a column of bits."""
TRIED = 16
"""Nodes of the largest bounds that are compared first: what they find leaves fewer to prepare."""


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
            *_rows(graph, memory).addresses,
            len(chosen),
            given(chosen, np.int64, len(chosen), "chosen", within=n),
            given(np.ascontiguousarray(bounds[chosen]), np.int64, len(chosen), "bounds"),
            given(starts, np.int64, n + 1, "starts"),
            taken(lists, np.int32, lists.size, "lists"),
            given(column, np.int32, n, "column"),
            words,
            taken(bits, np.uint64, bits.size, "bits"),
            Address() if on_edge is None else given(on_edge, np.int64, arcs, "on_edge"),
            Address() if tops is None else given(tops, np.int64, arcs, "tops"),
            0 if on_edge is None else int(on_edge.max(initial=0)),
            taken(found, np.int64, 1, "best"),
        )
    return int(found[0])


def edge_triangles(graph: Graph) -> Ints:
    """Return, for each of the (2m,) arcs in the order of ``graph.indices``, the triangles that the edge is in."""
    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        forward = oriented(rows, memory)
        on_edge = np.zeros(forward.indices.size, dtype=np.int64)
        on_arc = np.empty(rows.indices.size, dtype=np.int64)
        counted = taken(on_edge, np.int64, on_edge.size, "on_edge")
        call("list_edge_triangles", memory, rows.n, *forward.addresses, 0, rows.n, counted)
        both = taken(on_arc, np.int64, on_arc.size, "on_arc")
        call("to_both_arcs", memory, *rows.addresses, *forward.addresses, counted, both)
    return on_arc
