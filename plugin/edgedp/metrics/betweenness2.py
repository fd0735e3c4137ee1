"""Length-2 betweenness: betweenness over shortest paths of length two."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.metrics.base import Metric

if TYPE_CHECKING:
    from edgedp.graph import Graph

__all__ = ["METRIC", "Betweenness2"]


class Betweenness2(Metric):
    """``sum over non-adjacent pairs {u, w} in N(v) of 1 / c(u, w)``, ``c`` = common neighbours in the whole graph.

    ``delta(t) = d + t`` is admissible and ``GS = D - 1``; all nodes together move by at most
    ``2 (D - 1)`` in L1 (docs/privacy.md, "Length-2 betweenness").
    """

    name = "betweenness2"
    dominance = 3
    utility_trend = +1
    sensitivity_trend = +1

    def native(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.kernels import betweenness2

        return betweenness2(graph, positions)

    def igraph(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.igraph_engine import betweenness2

        return betweenness2(graph, positions)

    def global_sensitivity(self, degree_bound: int) -> Fraction:
        return Fraction(max(degree_bound - 1, 0))

    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        return degrees * (degrees - 1) / 2.0

    def uncapped_sensitivity(
        self, form: str, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        return (degrees + t).astype(np.float64)

    def shifted_sum(self, form: str, degree_bound: int, degree: int, common: int) -> float:
        # sum over x = d..D-2 of (1 - x / (D - 1))
        ceiling = degree_bound - 1
        steps = ceiling - degree
        if steps <= 0:
            return 0.0
        linear = (ceiling * (ceiling - 1) - degree * (degree - 1)) // 2
        return (steps * ceiling - linear) / ceiling


METRIC = Betweenness2()
