"""The exact vectors that noise is added to, from their definitions; shares no code with the package.

A draw asks its projection for vectors by the methods of `edgedp.mechanisms.projection.Projection`. `VECTORS` has a
definition for each of these methods, under its name and with its arguments; `DERIVED` has what a release computes
from one of them before any noise. A new vector is a function here. `NOT_VECTORS` are the methods whose answers get no
noise of their own: metric values that a score is made of, facts of the engine, records of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cut_definitions import key
from edgedp import Graph
from edgedp.mechanisms.projection import GraphProjection

Ints = NDArray[np.int64]
Edge = tuple[int, int]

NOT_VECTORS = frozenset({"values", "max_common_neighbors", "records", "fingerprint", "figures"})

OF_ROWS = frozenset({"arc_votes", "strengths"})
"""Vectors of directed graphs and of weights, which `row_definitions` defines."""


class Defined:
    """A simple graph on the integers ``0 .. n - 1``, as sets of neighbours."""

    def __init__(self, n: int, edges: Iterable[Edge]) -> None:
        self.n = n
        self.neighbors: list[set[int]] = [set() for _ in range(n)]
        for a, b in edges:
            self.neighbors[a].add(b)
            self.neighbors[b].add(a)

    @property
    def edges(self) -> list[Edge]:
        return [(a, b) for a in range(self.n) for b in self.neighbors[a] if a < b]

    @property
    def graph(self) -> Graph:
        return Graph.from_edges(self.edges, nodes=range(self.n))

    def projection(self, engine: str) -> GraphProjection:
        return GraphProjection(self.graph, engine)

    def flipped(self, a: int, b: int) -> Defined:
        """Return the neighbour: with the edge where it is missing, without it where it is there."""
        return Defined(self.n, set(self.edges) ^ {(min(a, b), max(a, b))})

    def vectors(self, name: str, arguments: dict[str, Any], count: int) -> Iterator[tuple[str, Ints]]:
        """Yield the vectors of `count` entries that an answer of a method may have been made into, by name."""
        return vectors_of(name, self, arguments, count)

    @cached_property
    def degrees(self) -> Ints:
        return np.array([len(each) for each in self.neighbors], dtype=np.int64)

    def cut(self, x: int, cap: int, ranks: Ints | None) -> list[int]:
        """Return the first `cap` eligible neighbours of x in its public order, ascending."""
        eligible = [y for y in self.neighbors[x] if ranks is None or ranks[y] > ranks[x]]
        return sorted(sorted(eligible, key=lambda y: (ordered_by(x, y), y))[:cap])

    def connected(self, caps: Ints, ranks: Ints | None, *, adjacent: bool) -> tuple[Ints, Ints, int]:
        """Return, for every pair in every cut, its connector and the pair's number; and how many pairs there are."""
        connectors, codes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for x in range(self.n):
            cut = np.array(self.cut(x, int(caps[x]), ranks), dtype=np.int64)
            if len(cut) < 2:
                continue
            low, high = np.triu_indices(len(cut), 1)
            codes.append(cut[low] * self.n + cut[high])
            connectors.append(np.full(len(low), x))
        every = np.concatenate(codes)
        edges = np.array([a * self.n + b for a, b in self.edges], dtype=np.int64)
        chosen = np.isin(every, edges) == adjacent
        pairs, numbers = np.unique(every[chosen], return_inverse=True)
        return np.concatenate(connectors)[chosen], numbers, len(pairs)


@cache
def ordered_by(x: int, y: int) -> int:
    return key(x, y)


def degrees(graph: Defined) -> Ints:
    return graph.degrees


def ordered_degrees(graph: Defined, ranks: Ints) -> Ints:
    """An edge counts at the end of the smaller rank."""
    ends = [min(edge, key=lambda end: int(ranks[end])) for edge in graph.edges]
    return np.bincount(np.array(ends, dtype=np.int64), minlength=graph.n).astype(np.int64)


def cut_shares(graph: Defined, caps: Ints, ranks: Ints | None, bits: int, positions: object = None) -> Ints:
    """A pair that is not adjacent hands ``floor(2**bits / c)`` to each of its c connectors."""
    connectors, numbers, pairs = graph.connected(caps, ranks, adjacent=False)
    count = np.bincount(numbers, minlength=pairs)
    return summed(graph.n, connectors, (1 << bits) // count[numbers])


def cut_closed_shares(
    graph: Defined, caps: Ints, ranks: Ints | None, weights: Ints, level: int, bits: int
) -> Ints:
    """An adjacent pair hands ``floor(2**bits W level / (level + S))``, S being its connectors' weights together."""
    connectors, numbers, pairs = graph.connected(caps, ranks, adjacent=True)
    own = weights[connectors]
    return summed(
        graph.n, connectors, (own * level << bits) // (level + summed(pairs, numbers, own)[numbers])
    )


def betweenness2_shares(graph: Defined, bits: int) -> Ints:
    """As through cuts that leave nothing out."""
    return cut_shares(graph, np.full(graph.n, graph.n), None, bits)


def summed(count: int, places: Ints, values: Ints) -> Ints:
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, places, values)
    return total


def at_least(exact: Ints, count: int) -> Ints:
    """Return the numbers of entries of ``k`` or more, ``k = 1 .. count``."""
    return np.array([(exact >= k).sum() for k in range(1, count + 1)], dtype=np.int64)


def largest(exact: Ints, count: int) -> Ints:
    return np.full(count, exact.max(initial=0), dtype=np.int64)


VECTORS: dict[str, Callable[..., Ints]] = {
    "degrees": degrees,
    "ordered_degrees": ordered_degrees,
    "cut_shares": cut_shares,
    "cut_closed_shares": cut_closed_shares,
    "betweenness2_shares": betweenness2_shares,
}

DERIVED: dict[str, dict[str, Callable[[Ints, int], Ints]]] = {
    "degrees": {"at_least": at_least, "largest": largest},
}


def vectors_of(
    name: str, graph: Defined, arguments: dict[str, object], count: int
) -> Iterator[tuple[str, Ints]]:
    """Yield the vectors of `count` entries that an answer of a method may have been made into, by name."""
    if name in NOT_VECTORS:
        return
    exact = VECTORS[name](graph, **arguments)
    if len(exact) == count:
        yield name, exact
    for derived, make in DERIVED.get(name, {}).items():
        yield derived, make(exact, count)
