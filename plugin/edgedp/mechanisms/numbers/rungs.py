"""How far rung 0 reaches, how slowly rungs grow: public numbers that follow from epsilon alone."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Curve

LEAST_BITS = 16
LEAST_SHARE_BITS = 8
FINEST = 1000
"""Beyond this epsilon rung 0 is not made smaller: nothing could be told apart any more."""


def first_rung(rate: Fraction) -> tuple[int, int]:
    """Return ``(a, p)``: ``g = a / 2**p`` next to ``1 / (1 + exp(rate / 2))``, ``a`` of at least eight binary places.

    Examples
    --------
    >>> first_rung(Fraction(1))
    (24743, 16)
    """
    half = min(rate, Fraction(FINEST)) / 2
    # Sixty decimal digits, and not the machine's `exp`, whose last bits differ from machine to machine.
    context = Context(60)
    weight = context.exp(context.divide(Decimal(half.numerator), Decimal(half.denominator)))
    g = 1 / (1 + Fraction(weight))
    bits = max(LEAST_BITS, (int(1 / g)).bit_length() + LEAST_SHARE_BITS)
    return round(g * (1 << bits)), bits


class Pace:
    """How slowly the rungs of an envelope grow, and in what units it is counted.

    Attributes
    ----------
    growth : int or Fraction
        ``B``: a rung is at most ``1 + 1/B`` times as wide as the one before it.
    unit_bits : int
        Units of ``2**-s``: the envelope does not fall below about ``B`` units, so ``2**s >= 16 (B + 1)``.
    """

    def __init__(self, growth: int | Fraction, unit_bits: int | None = None) -> None:
        self.growth = growth
        self.unit_bits = (ceil(16 * (growth + 1)) - 1).bit_length() if unit_bits is None else unit_bits


def rounded_up(growth: Fraction) -> Fraction:
    """Return a growth that is no faster, a multiple of ``2**-20``: a larger ``B`` is always private."""
    return Fraction(ceil(growth * (1 << 20)), 1 << 20)


def pace(epsilon: Fraction) -> Pace:
    """Return the pace of `smooth`: ``B = ceil(20 / epsilon)``, below 0.1 half of it.

    Examples
    --------
    >>> pace(Fraction(1)).growth, pace(Fraction(1)).unit_bits, pace(Fraction(1, 100)).growth
    (20, 9, 1000)
    """
    return Pace(ceil((20 if 10 * epsilon >= 1 else 10) / epsilon))


FINE_BITS, FINER_BITS, FINEST_BITS = 24, 48, 80
"""Units of the envelope: so fine, and so seldom others, that an error is never seen to rise where they change."""


def pace_on(curve: Curve, epsilon: Fraction) -> Pace:
    """Return the pace of the calibrated ladder: ``1/B`` on the line through the knots of a curve.

    Below the first knot ``1/B`` is in proportion to epsilon, beyond the last it stays. Nowhere does it fall as epsilon
    rises, and nowhere does it rise faster: so a rung never grows slower, and what is left for it never falls
    (docs/decisions/0020-pace.md).

    Examples
    --------
    >>> from edgedp.mechanisms.counts.base import FLAT
    >>> [float(pace_on(FLAT, Fraction(epsilon)).growth) for epsilon in ("0.01", "0.1", "1", "100")]
    [1000.0, 200.0, 20.0, 5.0]
    """
    knots = [(Fraction(0), Fraction(0))]
    knots += [(Fraction(at), Fraction(at) / Fraction(times)) for at, times in curve]
    paid = knots[-1][1]
    for (start, low), (end, high) in pairwise(knots):
        if epsilon <= end:
            paid = low + (high - low) * (epsilon - start) / (end - start)
            break
    growth = rounded_up(1 / paid)
    bits = next(bits for bits in (FINE_BITS, FINER_BITS, FINEST_BITS) if growth < 1 << (bits - 14))
    return Pace(growth, bits)


def envelope(steps: Iterable[int], ceiling: int, pace: Pace) -> list[int]:
    """Return ``J_t = max(I_t, ceil(J_{t+1} B / (B + 1)))``, backward from the common ceiling, in units of ``2**-s``.

    The least sequence above the profile that grows by at most ``1 + 1/B`` a step and is admissible if the profile is
    (docs/privacy-numbers.md, "Calibrated ladder").

    Parameters
    ----------
    steps : iterable of int
        ``I_0, I_1, ...`` below the ceiling.
    ceiling : int
        ``C``, the same for all graphs within the bounds.

    Returns
    -------
    list of int
        ``J_0, J_1, ...`` as long as `steps`; ``C 2**s`` from there on.

    Examples
    --------
    >>> envelope([1, 2, 3], 8, Pace(1, 4))
    [16, 32, 64]
    """
    part, whole = pace.growth.numerator, pace.growth.numerator + pace.growth.denominator
    reached = ceiling << pace.unit_bits
    backward = []
    for step in reversed(list(steps)):
        # Rounded up: a rung may be wider than needed, never narrower than its successor allows.
        reached = max(step << pace.unit_bits, -(-reached * part // whole))
        backward.append(reached)
    return backward[::-1]
