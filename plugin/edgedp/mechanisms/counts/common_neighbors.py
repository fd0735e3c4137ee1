"""Common neighbours of a pair that is named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import Bounds, Count

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class CommonNeighbors(Count):
    """The neighbours that the two positions of `pair` share. One edge moves it by at most 1.

    A new edge gives the pair a common neighbour only if it joins one of the two to a neighbour of the other, and
    then that one alone. With a bound of 1 nobody is a common neighbour.
    """

    pair: tuple[int, int]

    name = "common_neighbors"
    default_mechanism = "geometric"

    def maximum(self, bounds: Bounds) -> int:
        return min(bounds.degree_bound, bounds.node_count - 2) if bounds.degree_bound >= 2 else 0

    def global_sensitivity(self, bounds: Bounds) -> int:
        return 1 if bounds.degree_bound >= 2 else 0

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return projection.figures().common_neighbors(self.pair)

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        # The same on every graph, so that the scale of the noise is public and may be shown.
        return repeat(1)


COUNT = CommonNeighbors
