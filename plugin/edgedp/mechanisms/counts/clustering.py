"""Global clustering: how often two neighbours of a node are adjacent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import Bounds, Count
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection


@dataclass(frozen=True)
class Clustering(Count):
    """``3 T / W``, triangles over wedges, 0 where there is no wedge; computed from the two noisy numbers.

    Triangles are bought for four fifths of epsilon and wedges for the rest; what is computed from both is free.
    """

    name = "clustering"
    parts = (("triangles", Fraction(4, 5)), ("wedges", Fraction(1, 5)))

    def maximum(self, bounds: Bounds) -> int:
        return 1 if bounds.degree_bound >= 2 else 0

    def global_sensitivity(self, bounds: Bounds) -> int:
        return self.maximum(bounds)

    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        raise _no_profile()

    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        raise _no_profile()


def clustering_of(triangles: int, wedges: int) -> Fraction:
    """Return ``3 T / W`` cut to 0..1, 0 where ``W <= 0``.

    Examples
    --------
    >>> clustering_of(1, 5), clustering_of(4, 0), clustering_of(5, 6)
    (Fraction(3, 5), Fraction(0, 1), Fraction(1, 1))
    """
    # The noisy number of wedges, which may be negative; the exact one is never read here.
    if wedges <= 0:
        return Fraction(0)
    return min(max(Fraction(3 * triangles, wedges), Fraction(0)), Fraction(1))


def _no_profile() -> ParameterError:
    return ParameterError(
        "of is 'clustering', must be a number with one sensitivity; ask for triangles and for wedges"
    )


COUNT = Clustering
