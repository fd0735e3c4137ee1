"""How high noise of the calibrated ladder reaches on any graph, and what an error bar makes of it: public."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor
from typing import TYPE_CHECKING

from edgedp.mechanisms.counts.base import below
from edgedp.mechanisms.numbers.calibrated import rate_of
from edgedp.mechanisms.numbers.nls import shift_for
from edgedp.mechanisms.numbers.rungs import Pace, envelope, first_rung, pace_on

if TYPE_CHECKING:
    from edgedp.mechanisms.counts import Bounds, Count

BAR_SHARE = Fraction(1, 10)
"""Of epsilon, for a bound that an error bar rests on."""
BOUND_FAILS = Fraction(1, 100)
"""Of the 5 % of intervals that may miss, those that the bound may cause; the rest is for the noise."""
NOISE_EXCEEDS = Fraction(4, 100)


def radius_of(count: Count, bounds: Bounds, bound: int, rest: Fraction) -> int:
    """Return how far noise bought for the rest of epsilon reaches where the figure is at most a bound, in units."""
    ceiling = count.global_sensitivity(bounds)
    steady = pace_on(count.curve(bounds), rest)
    # Of a released bound and not of the graph: the width of the bar tells nothing that the bound did not.
    rungs = envelope(below(ceiling, count.bar_steps(bound, bounds)), ceiling, steady)
    height = height_quantile(rest, steady, float(NOISE_EXCEEDS))
    whole = floor(height)
    widths = (rungs + [ceiling << steady.unit_bits] * max(whole + 1 - len(rungs), 0))[: whole + 1]
    reached = sum(widths[:whole]) + Fraction(height - whole) * widths[whole]
    return floor(reached / (1 << steady.unit_bits) + Fraction(1, 2))


def least_radius(count: Count, bounds: Bounds, epsilon: Fraction) -> int:
    """Return the radius of the narrowest bar there is: of a figure of 0 whose bound has no noise but its shift."""
    return radius_of(
        count, bounds, shift_for(1 / (BAR_SHARE * epsilon), BOUND_FAILS), epsilon * (1 - BAR_SHARE)
    )


def says_nothing(count: Count, bounds: Bounds, epsilon: Fraction) -> bool:
    """Say whether even the narrowest bar reaches over half of what is possible, on either side."""
    return 2 * least_radius(count, bounds, epsilon) >= count.maximum(bounds) > 0


def height_quantile(epsilon: Fraction, pace: Pace, missed: float) -> float:
    """Return a height ``T`` that calibrated noise exceeds with probability at most `missed`, on any graph.

    The rungs of no graph grow faster than ``1 + 1/B``, so the height is largest, in the stochastic order, where all
    grow as fast: there the weights of heights ``j + v``, ``0 < v <= 1``, fall by ``r = exp(-h) (1 + 1/B)``
    from one ``j`` to the next.

    Examples
    --------
    >>> from edgedp.mechanisms.numbers.rungs import pace
    >>> round(height_quantile(Fraction(1), pace(Fraction(1)), 0.04), 1)
    3.5
    """
    rate = rate_of(epsilon, pace)
    share, bits = first_rung(rate)
    g, fall = share / (1 << bits), exp(-min(float(rate), 700.0))
    ratio = fall * (1 + 1 / pace.growth)
    j, left = 0, 1.0
    while left * ratio > missed:
        left *= ratio
        j += 1
    # Pr[T > j + v] = left (1 - (1 - ratio) part), where part is the share of a unit up to v.
    part = (1 - missed / left) / (1 - ratio)
    unit = g + (1 - g) * fall
    mass = min(max(part, 0.0), 1.0) * unit
    return j + (mass if mass <= g else g + (mass - g) / fall)
