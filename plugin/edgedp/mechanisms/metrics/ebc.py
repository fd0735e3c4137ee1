"""Ego-betweenness (EBC): a node's betweenness inside its own ego network."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.metrics.base import Metric
from edgedp.words.errors import EngineError

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph


class EgoBetweenness(Metric):
    """``sum over non-adjacent pairs {u, w} in N(v) of 1 / (1 + c)``, ``c`` = their common neighbours inside ``N(v)``.

    ``GS = max(D (D - 1) / 4, D)``, as published. Two admissible sensitivities: ``degree``,
    ``max((d + t)(d + t - 1) / 4, d + t)``, and ``common_neighbors``,
    ``max(d + t, (m + t)(m + t - 1) / 4)`` with ``m`` the most neighbours shared with another node.

    References
    ----------
    Everett and Borgatti (2005), Ego network betweenness. Farias et al. (2021), Local dampening.
    """

    name = "ebc"
    summary = "betweenness inside the ego network"
    proxies = ("both", "degree", "betweenness2", "lists", "ordered")
    forms = ("degree", "common_neighbors")
    dominance = 3
    utility_trend = +1
    sensitivity_trend = +1
    counts_pairs_apart = True
    moves_near_the_edge = True

    def native(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.graph.engines.native import ebc

        return ebc(graph, positions)

    def igraph(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.graph.engines.igraph import ebc

        return ebc(graph, positions)

    def global_sensitivity(self, degree_bound: int) -> Fraction:
        return Fraction(_quarters(degree_bound), 4)

    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        # Every pair of neighbours, none of them adjacent, and none with another connector.
        return degrees * (degrees - 1) / 2.0

    def uncapped_sensitivity(
        self, form: str, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        # An edge at the node brings at most one for each neighbour; one between neighbours moves half of the pairs.
        reach = (degrees + t).astype(np.float64)
        width = (_width(form, degrees, common) + t).astype(np.float64)
        return np.maximum(width * (width - 1) / 4, reach)

    def shifted_sum(self, form: str, degree_bound: int, degree: int, common: int) -> float:
        ceiling = _quarters(degree_bound)
        width = _width(form, degree, common)
        # delta is linear before the crossing, quadratic after it, and at its ceiling from `end` on.
        end = max(0, min(-(-ceiling // 4) - degree, _first_reaching(ceiling) - width))
        crossing = min(_crossing(degree, width), end)
        linear = 2 * ((degree + crossing) * (degree + crossing - 1) - degree * (degree - 1))
        quadratic = (_cubic(width + end) - _cubic(width + crossing)) // 3
        return (end * ceiling - linear - quadratic) / ceiling


_Count = TypeVar("_Count", int, NDArray[np.int64])


def _width(form: str, degree: _Count, common: _Count | None) -> _Count:
    """Return what the quadratic part of a form grows with."""
    match form:
        case "degree":
            return degree
        case "common_neighbors" if common is not None:
            return common
        case _:
            raise EngineError(
                f"ebc has no sensitivity of the form {form!r} from what is given; report this defect"
            )


def _quarters(x: int) -> int:
    """Return ``4 max(x (x - 1) / 4, x)``, an integer."""
    return max(x * (x - 1), 4 * x)


def _first_reaching(ceiling: int) -> int:
    """Return the smallest ``y >= 1`` with ``y (y - 1) >= ceiling``."""
    # Where it is reached, rounded down.
    y = (1 + isqrt(1 + 4 * ceiling)) // 2
    return y if y * (y - 1) >= ceiling else y + 1


def _crossing(degree: int, width: int) -> int:
    """Return the first ``t`` from which ``(width + t)(width + t - 1) >= 4 (degree + t)`` holds for good.

    With ``y = width + t`` it reads ``y (y - 5) >= 4 (degree - width)``: once true for ``y >= 5``, always true;
    for ``width <= degree`` it is false for ``0 < y < 5``.
    """
    gap = 4 * max(degree - width, 0)
    # Where it begins to hold, rounded down.
    y = (5 + isqrt(25 + 4 * gap)) // 2
    return max(0, (y if y * (y - 5) >= gap else y + 1) - width)


def _cubic(y: int) -> int:
    """Return ``3`` times the sum of ``x (x - 1)`` over ``0 <= x < y``."""
    return y * (y - 1) * (y - 2)


METRIC = EgoBetweenness()
