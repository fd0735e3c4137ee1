"""How far a released number may be from the exact one: only from public facts, or from what epsilon bought.

The noise of `geometric` and `staircase` follows public facts alone. That of `calibrated` follows the graph, so
its size is private; a tenth of epsilon buys a noisy upper bound of the one figure that it follows, and the interval is
computed from that bound (docs/privacy-numbers.md, "Error bars").
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts import Count, Profile
from edgedp.mechanisms.numbers import Amounts
from edgedp.mechanisms.numbers.base import Known, SymmetricLaw
from edgedp.mechanisms.numbers.heights import BAR_SHARE, BOUND_FAILS, height_quantile, radius_of
from edgedp.mechanisms.numbers.nls import shift_for
from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.release.numbers.answers import CONFIDENCE, Interval

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.mechanisms.sampling.words import Words
    from edgedp.release.plan import CountPlan

__all__ = [
    "BAR_SHARE",
    "BoughtBound",
    "buy_bound",
    "height_quantile",
    "public_bar",
    "radius_of",
    "radius_within",
    "scale_of",
]

EXACT_FLOATS = 2**53
"""From here on a released float may not be the integer that was drawn."""


def public_bar(plan: CountPlan, value: int | float) -> Interval | None:
    """Return the error bar of a mechanism whose noise follows public facts; None for any other."""
    if not plan.rule.public_scale:
        return None
    found = plan.shape
    ceiling = found.global_sensitivity(plan.bounds)
    maximum, bits = found.maximum(plan.bounds), found.bits(plan.bounds)
    law = plan.rule.law(Profile(0, (), ceiling, maximum, bits), Amounts(plan.epsilon))
    scale = float(scale_of(plan))
    if not isinstance(law, SymmetricLaw):
        raise AssertionError("noise of a public scale is symmetric")
    return _interval(plan, found, value, radius_within(law), scale)


def scale_of(plan: CountPlan) -> Fraction:
    """Return the scale of noise that follows public facts: the global sensitivity over epsilon."""
    found = plan.shape
    return Fraction(found.global_sensitivity(plan.bounds), 1 << found.bits(plan.bounds)) / plan.epsilon


@dataclass(frozen=True)
class BoughtBound:
    """A noisy upper bound of the figure that a count's noise follows.

    Attributes
    ----------
    bound : int
        At least the figure, except in 1 % of draws.
    share : Fraction
        Of epsilon that it cost.
    """

    bound: int
    share: Fraction
    plan: CountPlan

    def around(self, value: int | float) -> Interval:
        """Return the interval around a number drawn for the rest of epsilon: from the bound, not from the graph."""
        plan, found = self.plan, self.plan.shape
        ceiling = found.global_sensitivity(plan.bounds)
        if ceiling == 0:
            return Interval(value, value)
        radius = radius_of(found, plan.bounds, self.bound, plan.epsilon * (1 - self.share))
        return _interval(plan, found, value, radius, None)


def buy_bound(plan: CountPlan, count: Count, projection: NumberProjection, words: Words) -> BoughtBound:
    """Draw the bound, for `BAR_SHARE` of epsilon, of a figure that an edge moves by at most 1."""
    figure = count.bar_figure(projection, plan.bounds)
    scale = 1 / (BAR_SHARE * plan.epsilon)
    noise = int(two_sided_geometric(1, scale, words)[0])
    return BoughtBound(max((figure or 0) + noise + shift_for(scale, BOUND_FAILS), 0), BAR_SHARE, plan)


def radius_within(law: SymmetricLaw) -> int:
    """Return the least distance that noise stays within with probability 95 %."""
    if isinstance(law, Known):
        return 0
    high = 1
    while 2 * law.noise_tail(high + 1) > 1 - CONFIDENCE:
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 2 * law.noise_tail(middle + 1) <= 1 - CONFIDENCE else (middle, high)
    return high


def _interval(
    plan: CountPlan, found: Count, value: int | float, radius: int, scale: float | None
) -> Interval:
    """Return the interval of the real number whose noisy integer is within a radius, in units, of a released one."""
    maximum, bits = found.maximum(plan.bounds), found.bits(plan.bounds)
    unit = 1 << bits
    middle = value if isinstance(value, int) else round(value * unit)
    low, high = found.real_within(max(middle - radius, 0), min(middle + radius, maximum), plan.bounds)
    low, high = max(low, 0), min(high, maximum)
    if bits == 0:
        return Interval(low, high, scale)
    ends = low / unit, high / unit
    if high >= EXACT_FLOATS:
        ends = nextafter(ends[0], 0.0), nextafter(ends[1], inf)
    return Interval(*ends, scale)
