"""Ego-betweenness of a node that is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from edgedp.mechanisms.counts.base import STEEPER, Bounds, Count, Curve

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection

FINEST = 20
LEAST_FIGURE = 3
EXACT = 46
"""A value is below this power of two in steps, so that 16 roundings of float64 keep it within an eighth of one."""


@dataclass(frozen=True)
class Ebc(Count):
    """The EBC of the node at position `node`, on a grid of ``2**-20`` or, under a large bound, a coarser one.

    ``I_t = 2**q delta(t) + 1``, ``delta`` the smaller of the two admissible forms of `edgedp.mechanisms.metrics.ebc`:
    ``max(d + t, (m + t)(m + t - 1) / 4)`` with ``m <= d`` the most neighbours that the node shares with another one.
    The 1 is for the rounding: the float that is put on the grid is within an eighth of a step.
    """

    node: int

    name = "ebc"
    bar_may_say_nothing = True

    def bits(self, bounds: Bounds) -> int:
        return max(0, min(FINEST, EXACT - max(1, _pairs(bounds.degree_bound)).bit_length()))

    def maximum(self, bounds: Bounds) -> int:
        return _pairs(bounds.degree_bound) << self.bits(bounds)

    def global_sensitivity(self, bounds: Bounds) -> int:
        if bounds.degree_bound < 2:
            return 0
        return self._moved(bounds.degree_bound, bounds.degree_bound, bounds)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        value = float(projection.values("ebc", np.array([self.node]))[0])
        return round(value * (1 << self.bits(bounds)))

    def real_within(self, low: int, high: int, bounds: Bounds) -> tuple[int, int]:
        # Rounded to the nearest step, and the float before that within an eighth of one.
        return low - 1, high + 1

    def curve(self, bounds: Bounds) -> Curve:
        return STEEPER

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterator[int]:
        degree = int(projection.degrees()[self.node])
        shared = int(projection.max_common_neighbors(np.array([self.node]))[0])
        return (self._moved(degree + t, shared + t, bounds) for t in count())

    def leading(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        degree = int(projection.degrees()[self.node])
        shared = int(projection.max_common_neighbors(np.array([self.node]))[0])
        return max(shared, figure_of(degree))

    def sensitivities_from(self, leading: int, bounds: Bounds) -> Iterable[int]:
        # ``d + t <= z (z - 1) / 4 + t <= (z + t)(z + t - 1) / 4`` for z >= 2, and ``m + t <= z + t``.
        return (self._moved(0, max(leading, LEAST_FIGURE) + t, bounds) for t in count())

    def _moved(self, degree: int, shared: int, bounds: Bounds) -> int:
        quarters = max(4 * degree, shared * (shared - 1))
        return -(-(quarters << self.bits(bounds)) // 4) + 1


def figure_of(degree: int) -> int:
    """Return the least ``k >= 3`` with ``k (k - 1) / 4 >= d``; one neighbour more moves it by at most 1.

    ``(k + 1) k / 4 = k (k - 1) / 4 + k / 2 >= d + 1`` for ``k >= 2``; without the 3 it would go from 0 to 3 at once.

    Examples
    --------
    >>> [figure_of(d) for d in (0, 1, 2, 3, 4, 1383)]
    [3, 3, 4, 4, 5, 75]
    """
    k = max(isqrt(4 * degree), LEAST_FIGURE)
    while k * (k - 1) < 4 * degree:
        k += 1
    return k


def _pairs(degree: int) -> int:
    return degree * (degree - 1) // 2


COUNT = Ebc
