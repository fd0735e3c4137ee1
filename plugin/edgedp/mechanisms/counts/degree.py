"""Degree of a node that is named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import Bounds, Count

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class Degree(Count):
    """The number of neighbours of the node at position `node`. One edge moves it by at most 1."""

    node: int

    name = "degree"
    default_mechanism = "geometric"

    def maximum(self, bounds: Bounds) -> int:
        return bounds.degree_bound

    def global_sensitivity(self, bounds: Bounds) -> int:
        return min(bounds.degree_bound, 1)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return int(projection.degrees()[self.node])

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        return repeat(1)


COUNT = Degree
