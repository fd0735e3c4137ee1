"""Counts of all labelled graphs from their definitions, and the profiles that the package gives them.

The definitions share no code with the package. A profile is computed for every labelled graph, so that a check
over neighbours compares what two real releases would rest on.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

import small_graphs as small
from edgedp.graph.engines.figures import GraphFigures
from edgedp.mechanisms.counts import Bounds, Count, Profile, count_class
from edgedp.mechanisms.counts.base import profile_of
from edgedp.mechanisms.projection import GraphProjection

CASES: dict[str, dict[str, Any]] = {
    "edges": {},
    "triangles": {},
    "two_triangles": {},
    "wedges": {},
    "stars 2": {"star_size": 2},
    "stars 3": {"star_size": 3},
    "stars 4": {"star_size": 4},
    "common_neighbors": {"pair": (0, 1)},
    "degree": {"node": 0},
    "density": {"node": 0},
    "ebc": {"node": 0},
    "betweenness2": {"node": 0},
}
"""Every count that is drawn itself, with its options."""

SYMMETRIC = ("edges", "triangles", "two_triangles", "wedges", "stars 3")
"""Counts that do not name nodes."""


def count_of(case: str) -> Count:
    return count_class(case.split()[0])(**CASES[case])


def fits(case: str, n: int, bound: int) -> bool:
    """Say whether a release of this kind is possible on n nodes."""
    return n >= 2 and CASES[case].get("star_size", 2 if case == "wedges" else 0) <= max(bound, 2)


@cache
def triangles_on(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n, n)``: the triangles on each edge, 0 where there is none."""
    return small.common_neighbors(n) * small.adjacency(n)


def values(case: str, n: int) -> NDArray[Any]:
    """Return ``(graphs,)``: the real number by its definition."""
    degrees = small.degrees(n)
    match case.split()[0]:
        case "edges":
            return degrees.sum(axis=1) // 2
        case "triangles":
            return small.inner_edges(n).sum(axis=1) // 3
        case "two_triangles":
            on_edge = triangles_on(n)
            return (on_edge * (on_edge - 1)).sum(axis=(1, 2)) // 4
        case "wedges":
            return (degrees * (degrees - 1)).sum(axis=1) // 2
        case "stars":
            table = np.array([comb(d, CASES[case]["star_size"]) for d in range(n)])
            return table[degrees].sum(axis=1)
        case "common_neighbors":
            return small.common_neighbors(n)[:, 0, 1]
        case "degree":
            return degrees[:, 0]
        case "density":
            return small.density(n)[:, 0]
        case "ebc":
            return small.ebc(n)[:, 0]
        case "betweenness2":
            return small.betweenness2(n)[:, 0]
    raise AssertionError(case)


class Kept(GraphProjection):
    """A projection that computes what profiles ask for once."""

    def __init__(self, graph: Any) -> None:
        super().__init__(graph, "igraph")
        self._kept: dict[Any, Any] = {}
        for name in ("values", "max_common_neighbors", "betweenness2_shares"):
            setattr(self, name, self._keeping(getattr(super(), name)))

    def _keeping(self, compute: Any) -> Any:
        def kept(*arguments: Any) -> Any:
            key = (compute.__name__, *(a.tobytes() if isinstance(a, np.ndarray) else a for a in arguments))
            if key not in self._kept:
                self._kept[key] = compute(*arguments)
            return self._kept[key]

        return kept


class KeptFigures(GraphFigures):
    """Figures of which the triangles come from the table: igraph's setup would cost more than they do."""

    def __init__(self, graph: Any, triangles: int) -> None:
        super().__init__(graph, "igraph")
        self._triangles = triangles

    def triangles(self) -> int:
        return self._triangles


@cache
def projections(n: int) -> list[Kept]:
    triangles = values("triangles", n).tolist()
    found = []
    for graph, count in zip(small.all_graphs(n), triangles, strict=True):
        projection = Kept(graph)
        projection._figures = KeptFigures(graph, count)
        found.append(projection)
    return found


def profiles(case: str, n: int, bound: int) -> list[Profile]:
    """Return the profile of every labelled graph under a degree bound, whether it keeps it or not."""
    count, bounds = count_of(case), Bounds(n, bound)
    return [profile_of(count, projection, bounds) for projection in projections(n)]


def lawful(n: int, bound: int) -> NDArray[np.bool_]:
    """Return which graphs keep a degree bound."""
    return np.asarray(small.degrees(n).max(axis=1) <= bound)


def neighbor_profiles(case: str, n: int, bound: int) -> set[tuple[Profile, Profile]]:
    """Return the different pairs of profiles of neighbours that both keep the bound."""
    found, keeps = profiles(case, n, bound), lawful(n, bound)
    pairs = set()
    for mask in np.flatnonzero(keeps).tolist():
        for other in small.neighbors(mask, n):
            if keeps[other]:
                pairs.add((found[mask], found[other]))
    return pairs
