"""Egocentric density of a node that is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from edgedp.mechanisms.counts.base import STEEPEST, Bounds, Count, Curve

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection

BITS = 20


@dataclass(frozen=True)
class Density(Count):
    """The density among the neighbours of the node at position `node`, on a grid of ``2**-20``.

    ``I_t = ceil(2**20 * delta(t)) + 1`` with the admissible ``delta(t) = 2 / max(d - t, 2)`` of
    `edgedp.mechanisms.metrics.density`; the 1 is for the float that is put on the grid.
    """

    node: int

    name = "density"

    def bits(self, bounds: Bounds) -> int:
        return BITS

    def maximum(self, bounds: Bounds) -> int:
        return 1 << BITS if bounds.degree_bound >= 2 else 0

    def global_sensitivity(self, bounds: Bounds) -> int:
        return (1 << BITS) + 1 if bounds.degree_bound >= 2 else 0

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return round(float(projection.values("density", np.array([self.node]))[0]) * (1 << BITS))

    def real_within(self, low: int, high: int, bounds: Bounds) -> tuple[int, int]:
        # Rounded to the nearest step, and the float before that within an eighth of one.
        return low - 1, high + 1

    def curve(self, bounds: Bounds) -> Curve:
        return STEEPEST

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterator[int]:
        degree = int(projection.degrees()[self.node])
        for t in count():
            yield -(-(2 << BITS) // max(degree - t, 2)) + 1


COUNT = Density
