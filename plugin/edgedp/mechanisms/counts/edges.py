"""Edges: how many there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import Bounds, Count

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class Edges(Count):
    """The number of edges. One edge moves it by 1."""

    name = "edges"
    default_mechanism = "geometric"

    def maximum(self, bounds: Bounds) -> int:
        return bounds.node_count * bounds.degree_bound // 2

    def global_sensitivity(self, bounds: Bounds) -> int:
        return min(bounds.degree_bound, 1)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return int(projection.degrees().sum()) // 2

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        return repeat(1)


COUNT = Edges
