"""Figures of a whole graph over its pairs of nodes: triangles, common neighbours, largest pairs of degrees.

What the counts (`edgedp.mechanisms.counts`) ask of a graph beside its degrees. A pair matters only while it can still
beat the best one found, and what it can reach is known from cheap bounds: the most common neighbours of any pair are
found by walking from the few nodes whose degree is larger than that, not over all paths of length two. Each walk takes
memory for one source.

Privacy: everything here is computed from private edges and is not a release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

Ints = NDArray[np.int64]

BLOCK = 1 << 21
"""Paths of length two that are listed at once."""


class Figures(Protocol):
    """What a count may ask of the private graph beside its degrees."""

    def triangles(self) -> int:
        """Return the number of triangles."""

    def most_common_neighbors(self) -> int:
        """Return the most neighbours that any two nodes share, adjacent or not."""

    def two_triangles(self) -> int:
        """Return the number of pairs of triangles that share an edge."""

    def two_triangles_move(self) -> int:
        """Return by how much the two-triangles move if the worst pair's edge is added or removed."""

    def maximal_pairs(self) -> Ints:
        """Return the (p, 2) degrees ``x >= y`` of pairs that no other pair exceeds, their own edge left out."""

    def common_neighbors(self, pair: tuple[int, int]) -> int:
        """Return the neighbours that the two positions share."""


class GraphFigures:
    """The figures of a graph in memory.

    Parameters
    ----------
    graph : Graph
    engine : {"native", "igraph"}

    Examples
    --------
    >>> from edgedp import Graph
    >>> figures = GraphFigures(Graph.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]), "igraph")
    >>> figures.triangles(), figures.most_common_neighbors(), figures.two_triangles()
    (2, 2, 1)
    >>> figures.maximal_pairs().tolist()
    [[2, 2]]
    """

    def __init__(self, graph: Graph, engine: str = "native") -> None:
        self._graph, self._engine = graph, engine

    def triangles(self) -> int:
        """Return the number of triangles."""
        module = import_module(f"edgedp.graph.engines.{self._engine}")
        return int(module.triangles(self._graph).sum()) // 3

    def most_common_neighbors(self) -> int:
        """Return the most neighbours that any two nodes share, adjacent or not."""
        return self._most_common_neighbors

    def two_triangles(self) -> int:
        """Return the number of pairs of triangles that share an edge."""
        on_edge = self._edge_triangles
        return int((on_edge * (on_edge - 1)).sum()) // 4

    def two_triangles_move(self) -> int:
        """Return by how much the two-triangles move if the worst pair's edge is added or removed."""
        move: int = self._module.two_triangles_move(
            self._graph, self._edge_triangles, self._most_common_neighbors
        )
        return move

    def maximal_pairs(self) -> Ints:
        """Return the (p, 2) degrees ``x >= y`` of pairs that no other pair exceeds, their own edge left out."""
        degrees = self._graph.degrees
        return maximal_pairs(degrees, (_row(self._graph, v) for v in falling(degrees)))

    def common_neighbors(self, pair: tuple[int, int]) -> int:
        """Return the neighbours that the two positions share."""
        a, b = (_row(self._graph, v) for v in pair)
        return len(np.intersect1d(a, b, assume_unique=True))

    @cached_property
    def _most_common_neighbors(self) -> int:
        return int(self._module.most_common_of(self._graph))

    @cached_property
    def _edge_triangles(self) -> Ints:
        found: Ints = self._module.edge_triangles(self._graph)
        return found

    @property
    def _module(self) -> Any:
        return import_module(
            "edgedp.graph.engines.native.shared"
            if self._engine == "native"
            else "edgedp.graph.engines.figures"
        )


def falling(degrees: Ints) -> Ints:
    """Return the (n,) positions in falling order of the degree, ties by position."""
    return np.argsort(-degrees, kind="stable")


def most_common_neighbors(degrees: Ints, most_shared: Iterable[int]) -> int:
    """Return ``max over u != w of |N(u) & N(w)|``.

    Two nodes share no more neighbours than either has, so nodes are asked in falling order of the degree, until none
    left has more neighbours than the best pair shares.

    Parameters
    ----------
    degrees : (n,) int64
    most_shared : iterable of int
        For each node in the order of `falling`, the most neighbours that it shares with another one; read no further
        than is needed.

    Examples
    --------
    >>> most_common_neighbors(np.array([1, 3, 2, 2]), iter([2]))
    2
    """
    best, shared = 0, iter(most_shared)
    for degree in np.sort(degrees)[::-1].tolist():
        if degree <= best:
            break
        best = max(best, next(shared))
    return best


def most_common_of(graph: Graph) -> int:
    """Return the most neighbours that any two nodes of a graph share."""
    return most_common_neighbors(graph.degrees, _most_shared(graph))


def _most_shared(graph: Graph) -> Iterator[int]:
    """Yield the most neighbours that each node shares with another one, in the order of `falling`."""
    for u in falling(graph.degrees).tolist():
        shared = np.bincount(_ends(graph, _row(graph, u)), minlength=u + 1)
        shared[u] = 0
        yield int(shared.max())


def edge_triangles(graph: Graph) -> Ints:
    """Return, for each of the (2m,) arcs in the order of ``graph.indices``, the triangles that the edge is in.

    Every triangle is found once, from its node of lowest rank in the order of the degrees: the sum of the
    squares of the higher neighbours is what has to be looked at.
    """
    n, degrees = graph.node_count, graph.degrees
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(degrees, kind="stable")] = np.arange(n)
    tails = np.repeat(np.arange(n), degrees)
    low, high = rank[tails], rank[graph.indices]
    up = np.flatnonzero(low < high)
    up = up[np.argsort(low[up] * n + high[up])]
    low, high = low[up], high[up]
    key = low * n + high
    starts = np.searchsorted(low, np.arange(n + 1))
    on_edge = np.zeros(len(up), dtype=np.int64)
    # Pairs (p, q) of arcs out of one node, p before q: a triangle if the heads are adjacent.
    following = starts[low + 1] - np.arange(len(up)) - 1
    reached = np.cumsum(following)
    start = 0
    while start < len(up):
        before = int(reached[start - 1]) if start else 0
        stop = max(int(np.searchsorted(reached, before + BLOCK, side="right")), start + 1)
        p = np.repeat(np.arange(start, stop), following[start:stop])
        first = reached[start:stop] - following[start:stop] - before
        q = p + 1 + np.arange(len(p)) - np.repeat(first, following[start:stop])
        wanted = high[p] * n + high[q]
        r = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        found = key[r] == wanted
        for arcs in (p[found], q[found], r[found]):
            on_edge += np.bincount(arcs, minlength=len(up))
        start = stop
    result = np.empty(len(graph.indices), dtype=np.int64)
    result[up] = on_edge
    down = np.flatnonzero(rank[tails] > rank[graph.indices])
    back = rank[graph.indices[down]] * n + rank[tails[down]]
    result[down] = on_edge[np.searchsorted(key, back)]
    return result


def top_sums(indptr: Ints, values: Ints) -> Ints:
    """Return the (2m,) sums of the largest values of each row: of one, of two, ..., in the row's places.

    Examples
    --------
    >>> top_sums(np.array([0, 3, 4]), np.array([5, 9, 1, 7])).tolist()
    [9, 14, 15, 7]
    """
    span = int(values.max(initial=0)) + 1
    starts = np.repeat(indptr[:-1], np.diff(indptr))
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) * span
    keys = row + (span - 1 - values)
    keys.sort()
    sums = np.concatenate([[0], np.cumsum(span - 1 - (keys - row))])
    found: Ints = sums[1:] - sums[starts]
    return found


def move_bounds(graph: Graph, on_edge: Ints, most: int) -> Ints:
    """Return, for each node, what the two-triangles move at most by one of its pairs (`two_triangles_move`)."""
    n, indptr = graph.node_count, graph.indptr
    tails = np.repeat(np.arange(n), graph.degrees)
    largest = np.zeros(n, dtype=np.int64)
    np.maximum.at(largest, tails, on_edge)
    sums = np.concatenate([[0], top_sums(indptr, on_edge + largest[graph.indices])])
    able = np.minimum(graph.degrees, most)
    bounds: Ints = able * (able - 1) // 2 + np.where(able > 0, sums[indptr[:-1] + able], 0)
    return bounds


def two_triangles_move(graph: Graph, on_edge: Ints, most: int) -> int:
    """Return ``max over pairs of C(c, 2) + sum over common neighbours k of (a_ik + a_jk) - 2 c [adjacent]``.

    With ``a_ik`` the triangles on the edge ``{i, k}``. A pair of ``i`` shares at most ``min(most, d_i)`` neighbours,
    so it reaches no more than the largest ``a_ik + max_j a_kj`` allow: sources are walked from in falling
    order of that.
    """
    indptr, indices = graph.indptr, graph.indices
    if len(indices) == 0:
        return 0
    bounds = move_bounds(graph, on_edge, most)
    best = 0
    for u in np.argsort(-bounds, kind="stable").tolist():
        if bounds[u] <= best:
            break
        row = _row(graph, u)
        lengths = graph.degrees[row]
        arcs = ranges(indptr[row], lengths)
        ends = indices[arcs]
        size = int(ends.max()) + 1
        shared = np.bincount(ends, minlength=size)
        # Floats of integers far below 2**53: exact.
        moved = np.bincount(
            ends, on_edge[arcs] + np.repeat(on_edge[indptr[u] : indptr[u + 1]], lengths), minlength=size
        ).astype(np.int64)
        moved += shared * (shared - 1) // 2
        adjacent = row[row < size]
        moved[adjacent] -= 2 * shared[adjacent]
        if u < size:
            moved[u] = 0
        best = max(best, int(moved.max()))
    return best


def maximal_pairs(degrees: Ints, rows: Iterable[NDArray[Any]]) -> Ints:
    """Return the degrees ``x >= y`` of the pairs that no other pair reaches in both, their own edge left out.

    For each node, in falling order of the degree, only its first adjacent and its first non-adjacent partner
    among those after it can matter; no later pair can once one is found that has both coordinates as large.

    Parameters
    ----------
    degrees : (n,) int64
    rows : iterable of integer arrays
        The positions of the neighbours of each node in the order of `falling`; read no further than is needed.

    Examples
    --------
    >>> maximal_pairs(np.array([3, 1, 1, 1]), map(np.array, [[1, 2, 3], [0], [0], [0]])).tolist()
    [[2, 0], [1, 1]]
    """
    order, given = falling(degrees), iter(rows)
    sorted_degrees = degrees[order].tolist()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    pairs: set[tuple[int, int]] = set()
    beaten = -1  # the largest smaller coordinate of a pair
    for i, degree in enumerate(sorted_degrees):
        if degree <= beaten:
            break
        row = np.sort(place[next(given)])
        after = row[np.searchsorted(row, i) :]
        if len(after):
            pairs.add((degree - 1, sorted_degrees[int(after[0])] - 1))
        # The first place after i that is missing from the row.
        gaps = np.flatnonzero(after != np.arange(i + 1, i + 1 + len(after)))
        partner = i + 1 + (int(gaps[0]) if len(gaps) else len(after))
        if partner < len(sorted_degrees):
            pairs.add((degree, sorted_degrees[partner]))
        beaten = max([beaten, *(y for _, y in pairs)])
    kept: list[tuple[int, int]] = []
    for x, y in sorted(pairs, reverse=True):
        if not kept or y > kept[-1][1]:
            kept.append((x, y))
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def _row(graph: Graph, v: Any) -> NDArray[np.int32]:
    return graph.indices[graph.indptr[v] : graph.indptr[v + 1]]


def _ends(graph: Graph, nodes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the neighbours of the nodes, row after row."""
    return graph.indices[ranges(graph.indptr[nodes], graph.degrees[nodes])]


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the integers from each start on, as many as its length says, one range after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())
