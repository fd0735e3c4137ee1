"""Stars: a node with k of its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from edgedp.mechanisms.counts.base import BENT, FLAT, Bounds, Count, Curve
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection

NEAR = 256
"""A degree bound up to which the ceiling of wedges and 3-stars is near."""
_FOUR: Curve = (
    ("0.1", "10"),
    ("0.3", "9.5"),
    ("1.2", "9.3"),
    ("1.6", "9"),
    ("2.4", "8.9"),
    ("2.9", "8.5"),
    ("3.5", "8"),
    ("4", "8"),
    ("6", "12"),
    ("10", "20"),
)
CLIMBS: dict[int, Curve] = {
    2: BENT,
    3: (("0.1", "10"), ("0.3", "12"), ("1.5", "12"), ("3", "18"), ("6", "30"), ("10", "45")),
    4: _FOUR,
    5: _FOUR,
    6: (("0.1", "10"), ("0.3", "8"), ("1", "6"), ("2", "6"), ("3", "5"), ("6", "10"), ("10", "16")),
}
"""Paces of stars, which climb to their ceiling the more steeply the larger they are; 6 stands for more."""
MOST_BITS = 256
"""The counts of one release fit this many bits: larger stars are refused by public facts."""


@dataclass(frozen=True)
class Stars(Count):
    """``sum over nodes of C(d, k)``, ``k`` the star size.

    An edge between nodes of degrees ``x`` and ``y``, itself not counted, is in ``C(x, k-1) + C(y, k-1)`` stars. Within
    ``t`` edges the worst is that all of them go to the larger of the two, up to ``m``, and the rest to the other.
    """

    star_size: int = 3

    name = "stars"

    def maximum(self, bounds: Bounds) -> int:
        return bounds.node_count * comb(bounds.degree_bound, self.star_size)

    def global_sensitivity(self, bounds: Bounds) -> int:
        return 2 * comb(bounds.most_common, self.star_size - 1)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        degrees, counts = np.unique(projection.degrees(), return_counts=True)
        stars = (comb(d, self.star_size) * c for d, c in zip(degrees.tolist(), counts.tolist(), strict=True))
        return sum(stars)

    def curve(self, bounds: Bounds) -> Curve:
        if self.star_size <= 3 and bounds.degree_bound > NEAR:
            return FLAT
        return CLIMBS[min(self.star_size, max(CLIMBS))]

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterator[int]:
        m = bounds.most_common
        pairs = [(min(x, m), min(y, m)) for x, y in projection.figures().maximal_pairs().tolist()]
        for t in count():
            yield max((self._moved(x, y, t, m) for x, y in pairs), default=0)

    def leading(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        m = bounds.most_common
        sums = np.minimum(projection.figures().maximal_pairs(), m).sum(axis=1)
        return int(sums.max(initial=0))

    def sensitivities_from(self, leading: int, bounds: Bounds) -> Iterable[int]:
        m = bounds.most_common
        return (self._moved(min(leading, m), max(leading - m, 0), t, m) for t in count())

    def _moved(self, x: int, y: int, t: int, m: int) -> int:
        """Return the stars of an edge between ``x >= y`` after ``t`` edges at their ends."""
        # Binomials are convex, so edges at the larger end add more stars than edges at the smaller one.
        larger = min(x + t, m)
        smaller = min(y + t - (larger - x), m)
        return comb(larger, self.star_size - 1) + comb(smaller, self.star_size - 1)


def check_star_size(star_size: int, bounds: Bounds) -> int:
    """Return the star size: from 2 to the degree bound, and small enough for numbers of `MOST_BITS`."""
    if not 2 <= star_size <= bounds.degree_bound:
        raise ParameterError(
            f"star_size is {star_size}, must be from 2 to the degree bound, {bounds.degree_bound}; "
            "ask for another size"
        )
    if Stars(star_size).maximum(bounds).bit_length() > MOST_BITS:
        raise ParameterError(
            f"star_size is {star_size}, must be so small that the complete graph's count is below 2**{MOST_BITS}; "
            "ask for a smaller size"
        )
    return star_size


COUNT = Stars
