"""Two-triangles: pairs of triangles that share an edge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, chain, count
from math import isqrt
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import STEEP, Bounds, Count, Curve

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class TwoTriangles(Count):
    """``sum over edges of C(a_e, 2)``, ``a_e`` the triangles on an edge.

    ``I_t = min(LS + 4 sum_{s<t} M_s, (5 M_t**2 - M_t) / 2)`` with ``M_t = min(c + t, m)`` of `triangles` and the exact
    local sensitivity ``LS`` (docs/privacy-numbers.md, "Two-triangles").

    References
    ----------
    Karwa, Raskhodnikova, Smith and Yaroslavtsev (2011), Private analysis of graph structure.
    """

    name = "two_triangles"
    bar_may_say_nothing = True
    bounds_to_buy = 2

    def maximum(self, bounds: Bounds) -> int:
        edges = bounds.node_count * bounds.degree_bound // 2
        return edges * (bounds.most_common * (bounds.most_common - 1) // 2)

    def global_sensitivity(self, bounds: Bounds) -> int:
        m = bounds.most_common
        return m * (m - 1) // 2 + 2 * m * (m - 1)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return projection.figures().two_triangles()

    def curve(self, bounds: Bounds) -> Curve:
        return STEEP

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        most = projection.figures().most_common_neighbors()
        start = projection.figures().two_triangles_move()
        grown = accumulate((4 * min(most + s, bounds.most_common) for s in count()), initial=start)
        return map(min, grown, self.sensitivities_from(most, bounds))

    def leading(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        return projection.figures().most_common_neighbors()

    def sensitivities_from(self, leading: int, bounds: Bounds) -> Iterable[int]:
        m = bounds.most_common
        reached = chain(range(min(leading, m), m), iter(lambda: m, None))
        return ((5 * most * most - most) // 2 for most in reached)

    def bar_figure(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        # The least z with ``4 z**2 >= LS`` and ``2 z + 1 >= c``: an edge moves LS by at most ``4 c <= 8 z + 4``.
        most, move = projection.figures().most_common_neighbors(), projection.figures().two_triangles_move()
        root = isqrt(move // 4)
        return max(most // 2, root + (4 * root * root < move))

    def bar_steps(self, figure: int, bounds: Bounds) -> Iterable[int]:
        most = 2 * figure + 1
        grown = accumulate(
            (4 * min(most + s, bounds.most_common) for s in count()), initial=4 * figure * figure
        )
        return map(min, grown, self.sensitivities_from(most, bounds))


COUNT = TwoTriangles
