"""Triangles: three nodes that are all adjacent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import Bounds, Count

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class Triangles(Count):
    """The number of triangles, with ``I_t = min(c + t, m)``, ``c`` the most neighbours that any two nodes share.

    An edge is in as many triangles as its ends share neighbours; one edge moves ``c`` by at most 1.

    References
    ----------
    Nissim, Raskhodnikova and Smith (2007), Smooth sensitivity and sampling in private data analysis: the exact
    local sensitivity at distance t, which this bounds and for large graphs nearly is.
    """

    name = "triangles"
    bounds_to_buy = 1

    def maximum(self, bounds: Bounds) -> int:
        pairs = bounds.degree_bound * (bounds.degree_bound - 1) // 2
        return bounds.node_count * pairs // 3

    def global_sensitivity(self, bounds: Bounds) -> int:
        # One below the degree bound: each end of the edge has the other one as a neighbour besides.
        return bounds.most_common

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        return projection.figures().triangles()

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        # It never stops: whoever reads it cuts it at the global sensitivity, which only the bounds tell.
        return count(projection.figures().most_common_neighbors())

    def leading(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        return projection.figures().most_common_neighbors()

    def sensitivities_from(self, leading: int, bounds: Bounds) -> Iterable[int]:
        return count(leading)


COUNT = Triangles
