"""Egocentric density: the share of a node's neighbour pairs that are adjacent."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.metrics.base import Metric

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

_EULER_GAMMA = 0.5772156649015328606


class Density(Metric):
    """``e(N(v)) / C(d, 2)``, 0 for ``d < 2``; ``delta(t) = 1`` if ``d - t <= 2``, else ``2 / (d - t)``."""

    name = "density"
    summary = "the edges among a node's neighbours, of those that could be"
    dominance = 1
    utility_trend = -1
    sensitivity_trend = -1
    moves_near_the_edge = True

    def native(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.graph.engines.native import triangles

        return _density(graph, positions, triangles(graph, positions))

    def igraph(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.graph.engines.igraph import triangles

        return _density(graph, positions, triangles(graph, positions))

    def global_sensitivity(self, degree_bound: int) -> Fraction:
        # With a bound of 1 no node has two neighbours: the metric is constant.
        return Fraction(1 if degree_bound >= 2 else 0)

    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        return (degrees >= 2).astype(np.float64)

    def uncapped_sensitivity(
        self, form: str, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        return 2.0 / np.maximum(degrees - t, 2)

    def shifted_sum(self, form: str, degree_bound: int, degree: int, common: int) -> float:
        # sum over x = 3..d of (1 - 2/x) = d + 1 - 2 H(d)
        if degree < 3:
            return 0.0
        if degree <= 64:
            return float(sum(1 - Fraction(2, x) for x in range(3, degree + 1)))
        return degree + 1 - 2 * _harmonic(degree)


def density_of(degrees: NDArray[np.int64], inside: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the density from degrees and the edges among the neighbours, correctly rounded."""
    pairs = degrees * (degrees - 1) // 2
    shares: NDArray[np.float64] = inside / np.maximum(pairs, 1)
    return shares


def _density(
    graph: Graph, positions: NDArray[np.int64] | None, inside: NDArray[np.int64]
) -> NDArray[np.float64]:
    return density_of(graph.degrees if positions is None else graph.degrees[positions], inside)


def _harmonic(n: int) -> float:
    """Return the harmonic number of ``n > 64``; the series' next term is below 1e-17."""
    square = float(n) * n
    tail = 1 / (2 * n) - 1 / (12 * square) + 1 / (120 * square**2) - 1 / (252 * square**3)
    return math.log(n) + _EULER_GAMMA + tail


METRIC = Density()
