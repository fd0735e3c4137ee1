"""Length-2 betweenness of a node that is named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import BENT, Bounds, Count, Curve
from edgedp.mechanisms.metrics.betweenness2 import share_bits

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class LengthTwoBetweenness(Count):
    """The length-2 betweenness of the node at position `node`, in integer shares of ``2**-q``.

    ``I_t = 2**q (d + t)``: the proof for the real number (`edgedp.mechanisms.metrics.betweenness2`) holds for the
    shares ``floor(2**q / c)`` with ``2**q`` in the place of 1, so nothing is added for rounding.
    """

    node: int

    name = "betweenness2"

    def bits(self, bounds: Bounds) -> int:
        return share_bits(bounds.degree_bound)

    def maximum(self, bounds: Bounds) -> int:
        return bounds.degree_bound * bounds.most_common // 2 << self.bits(bounds)

    def global_sensitivity(self, bounds: Bounds) -> int:
        return bounds.most_common << self.bits(bounds)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return int(projection.betweenness2_shares(self.bits(bounds))[self.node])

    def real_within(self, low: int, high: int, bounds: Bounds) -> tuple[int, int]:
        # Each pair loses less than one share, and of its ``2**q / c >= 2**q / D`` at most a part of ``D / 2**q``.
        lost = bounds.degree_bound * bounds.most_common // 2
        least = (1 << self.bits(bounds)) // max(bounds.degree_bound, 1)
        return low, high + (min(lost, -(-high // (least - 1))) if least > 1 else lost)

    def curve(self, bounds: Bounds) -> Curve:
        return BENT

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        return self.sensitivities_from(int(projection.degrees()[self.node]), bounds)

    def leading(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        return int(projection.degrees()[self.node])

    def sensitivities_from(self, leading: int, bounds: Bounds) -> Iterable[int]:
        return (degree << self.bits(bounds) for degree in count(leading))


COUNT = LengthTwoBetweenness
