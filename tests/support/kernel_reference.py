"""The quantities of the kernels in plain Python integers, from their definitions; floats only where a result is one."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from edgedp import Graph


def neighbors(graph: Graph) -> list[set[int]]:
    rows = [set(graph.indices[a:b].tolist()) for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    assert all(v not in row and all(v in rows[w] for w in row) for v, row in enumerate(rows))
    return rows


def triangles(graph: Graph) -> list[int]:
    rows = neighbors(graph)
    return [sum(w in rows[u] for u, w in combinations(sorted(row), 2)) for row in rows]


def ebc(graph: Graph) -> list[float]:
    """Count pairs by common neighbours, then add up ascending, as the kernels promise: equal to the last bit."""
    rows = neighbors(graph)
    values = []
    for row in rows:
        apart = [(u, w) for u, w in combinations(sorted(row), 2) if w not in rows[u]]
        pairs = Counter(len(rows[u] & rows[w] & row) for u, w in apart)
        shared = 0.0
        for common in sorted(set(pairs) - {0}):
            shared += pairs[common] / (common + 1)
        values.append(float(pairs[0]) + shared)
    return values


def betweenness2_shares(graph: Graph, bits: int) -> list[int]:
    rows = neighbors(graph)
    return [
        sum(
            (1 << bits) // len(rows[u] & rows[w]) for u, w in combinations(sorted(row), 2) if w not in rows[u]
        )
        for row in rows
    ]


def max_common_neighbors(graph: Graph) -> list[int]:
    rows = neighbors(graph)
    return [
        max((len(row & other) for w, other in enumerate(rows) if w != v), default=0)
        for v, row in enumerate(rows)
    ]


def most_common_among(graph: Graph, chosen: list[int]) -> list[int]:
    """Return the most neighbours that each of some nodes shares with another of them."""
    rows = neighbors(graph)
    return [max((len(rows[v] & rows[w]) for w in chosen if w != v), default=0) for v in chosen]


def edge_triangles(graph: Graph) -> list[int]:
    """Return the triangles on the edge of every arc, in the order of the rows."""
    rows = neighbors(graph)
    return [len(row & rows[w]) for row in rows for w in sorted(row)]


def most_common_of(graph: Graph) -> int:
    return max(max_common_neighbors(graph), default=0)


def two_triangles_move(graph: Graph) -> int:
    rows = neighbors(graph)

    def moved(u: int, w: int) -> int:
        common = rows[u] & rows[w]
        around = sum(len(rows[x] & rows[k]) for x in (u, w) for k in common)
        return len(common) * (len(common) - 1) // 2 + around - 2 * len(common) * (w in rows[u])

    return max((moved(u, w) for u, w in combinations(range(len(rows)), 2)), default=0)


def rows_of_pairs(n: int, pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return the indptr and indices of the simple graph of some pairs."""
    rows: list[set[int]] = [set() for _ in range(n)]
    for a, b in pairs:
        if a != b:
            rows[a].add(b)
            rows[b].add(a)
    indptr = [0]
    for row in rows:
        indptr.append(indptr[-1] + len(row))
    return indptr, [w for row in rows for w in sorted(row)]
