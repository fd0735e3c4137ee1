"""Degree: the number of neighbours."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.conversions import igraph_graph
from edgedp.mechanisms.metrics.base import Metric

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph


class Degree(Metric):
    """``d(v)``. One edge moves exactly two degrees by one each; ``delta(t) = 1`` is admissible."""

    name = "degree"
    summary = "the number of neighbours"
    proxies = ("degree",)
    dominance = 2
    utility_trend = +1
    sensitivity_trend = 0
    uniform = True
    monotone = True
    is_degree = True
    moves_near_the_edge = True

    def native(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        degrees = graph.degrees if positions is None else graph.degrees[positions]
        return degrees.astype(np.float64)

    def igraph(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        vertices = None if positions is None else positions.tolist()
        undirected = igraph_graph(graph.node_ids, graph.edges())
        return np.asarray(undirected.degree(vertices), dtype=np.float64)

    def global_sensitivity(self, degree_bound: int) -> Fraction:
        # Under a bound of 0 there is no edge to add or to take away.
        return Fraction(min(degree_bound, 1))

    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        return degrees.astype(np.float64)

    def uncapped_sensitivity(
        self, form: str, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        return np.ones(len(degrees))

    def shifted_sum(self, form: str, degree_bound: int, degree: int, common: int) -> float:
        return 0.0


METRIC = Degree()
