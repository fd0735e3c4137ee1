"""Vectors of rows with directions, weights or candidates, from their definitions; shares no code with the package.

`RowGraph` is to rows what `vector_definitions.Defined` is to edges: a graph, its neighbours without one unit, and the
definitions of the exact vectors that noise goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cut_definitions
import strength_definitions
from edgedp import Graph
from edgedp.graph.weights import weighting_of
from edgedp.mechanisms.projection import CandidateProjection, GraphProjection
from edgedp.release.plan import PublicFacts
from edgedp.words.vocabulary import Unit
from vector_definitions import at_least

Ints = NDArray[np.int64]
Row = tuple[int, int, float]


class RowGraph:
    """Rows between the integers ``0 .. nodes - 1``.

    Parameters
    ----------
    nodes : int
    rows : list of (source, target, weight)
    directed : bool
    weight : mapping, optional
        What is declared of the weights.
    ranked : tuple of int, optional
        The candidates, ascending; none: all nodes are.
    """

    def __init__(
        self,
        nodes: int,
        rows: list[Row],
        *,
        directed: bool,
        weight: Mapping[str, Any] | None = None,
        ranked: tuple[int, ...] = (),
    ) -> None:
        self.nodes, self.rows, self.directed = nodes, rows, directed
        self.weight, self.ranked = None if weight is None else dict(weight), ranked
        self.n = len(ranked) or nodes

    def facts(self, protect: Unit) -> PublicFacts:
        return PublicFacts(
            self.n,
            nodes_supplied=True,
            directed=self.directed,
            weighting=None if self.weight is None else weighting_of(self.weight),
            projection={"candidates": "C"} if self.ranked else None,
            protect=protect,
        )

    def projection(self, engine: str) -> GraphProjection:
        given = (
            {} if self.weight is None else {"weights": [row[2] for row in self.rows], "weight": self.weight}
        )
        ends = np.array([row[:2] for row in self.rows], dtype=np.int64).reshape(-1, 2)
        graph = Graph.from_edges(ends, nodes=range(self.nodes), directed=self.directed, **given)
        if self.ranked:
            return CandidateProjection(graph, np.array(self.ranked), engine)
        return GraphProjection(graph, engine)

    def without(self, unit: Unit) -> Iterator[RowGraph]:
        """Yield the neighbours without all that is one unit's."""
        nodes = range(self.nodes)
        units: Iterable[set[int]]
        ends: tuple[int, ...]
        match unit:
            case "pair":
                units, ends = map(set, combinations(nodes, 2)), (0, 1)
            case "source":
                units, ends = ({node} for node in nodes), (0,)
            case "target":
                units, ends = ({node} for node in nodes), (1,)
        for gone in units:
            rows = [row for row in self.rows if {row[end] for end in ends} != gone]
            yield RowGraph(self.nodes, rows, directed=self.directed, weight=self.weight, ranked=self.ranked)

    # -- what noise goes on -------------------------------------------------------------------------------------

    @cached_property
    def counted(self) -> list[Row]:
        """The rows that count: no loops, and of candidates those that have one end among them."""
        rows = [row for row in self.rows if row[0] != row[1]]
        inside = set(self.ranked)
        return [row for row in rows if not inside or (row[0] in inside) != (row[1] in inside)]

    def shown(self, of_all: list[int] | Ints) -> Ints:
        values = np.array(of_all, dtype=np.int64)
        return values[list(self.ranked)] if self.ranked else values

    def values(self, name: str) -> Ints:
        """Return degrees, in-degrees or out-degrees."""
        arcs = {(a, b) for a, b, _ in self.counted}
        if name == "degree":
            arcs |= {(b, a) for a, b in arcs}
        at = 1 if name == "in_degree" else 0
        return self.shown(np.bincount([arc[at] for arc in arcs], minlength=self.nodes))

    def votes(self, name: str, cap: int) -> Ints:
        """Return in- or out-degrees of which each node at the other end gives its first `cap`."""
        there = np.zeros((self.nodes, self.nodes), dtype=bool)
        for a, b, _ in self.counted:
            if not self.ranked or (b if name == "in_degree" else a) in self.ranked:
                there[a, b] = True
        order = cut_definitions.public_order(range(self.nodes))
        cut = cut_definitions.cuts(there if name == "in_degree" else there.T, cap, order)
        return self.shown(cut.sum(axis=0))

    def strengths(self, name: str) -> Ints:
        assert self.weight is not None
        return self.shown(strength_definitions.strengths(self.nodes, self.counted, self.weight, name))

    def vectors(self, name: str, arguments: Mapping[str, Any], count: int) -> Iterator[tuple[str, Ints]]:
        """Yield the vectors of `count` entries that an answer of a method may have been made into, by name."""
        match name:
            case "values":
                exact = self.values(arguments["name"])
            case "degrees":
                exact = self.values("degree")
            case "arc_votes":
                exact = self.votes(**arguments)
            case "strengths":
                exact = self.strengths(arguments["name"])
            case _:
                return
        if len(exact) == count:
            yield name, exact
        if count == 1:
            yield f"sum of {name}", exact.sum(keepdims=True)
        yield f"at least, of {name}", at_least(exact, count)
