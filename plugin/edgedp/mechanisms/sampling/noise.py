"""Standard noise as real numbers that are given lazily, by more and more random words.

A noise value is a decreasing function of a uniform real ``W = 0.w1 w2 w3 ...`` in base ``2**64``:

=============  ====================  ===========================
law            value                 large when
=============  ====================  ===========================
`GUMBEL`       ``-ln(-ln(1 - W))``   ``W`` is near 0
`EXPONENTIAL`  ``-ln W``             ``W`` is near 0
=============  ====================  ===========================

Large noise decides a selection, and there ``W`` has the full relative resolution of its words. No
value is ever rounded to a sample: it is known to lie between two bounds, and further words narrow them.

*First bounds* (`Noise.enclose`). After one word ``w``, ``W`` lies in ``[w, w + 1] / 2**64``. The value
is computed once, at ``w``, in float64, and widened by `MARGIN` = ``2**-30``. For ``w >= 2**32`` the
relative distance of ``W`` from the float used is at most ``2**-32 + 2**-53``, which moves ``-ln W`` by
as much and ``ln(-ln(1 - W))`` by at most twice as much (for ``W <= 1/2``; above, up to
``1 - 2**-16``, the conversion error ``2**-53 + 2**-64`` is multiplied by at most ``2**16 / ln 2``).
*Assumption*: numpy's ``log`` and ``log1p`` have a relative error below ``2**-40`` (8,192 units in the
last place, where a few are usual). As no logarithm here is above 23 in size, that adds at most
``2**-35 + 2**-40``. The sum is below ``2**-30``. Words outside the range where this argument holds get
an infinite end on the open side: ``w < 2**32`` (probability ``2**-32``) has no upper bound, and for
Gumbel noise ``w > 2**64 - 2**48`` (probability ``2**-16``, noise below -2.4) has no lower one.

*Later bounds* (`Noise.enclose_exactly`). ``decimal`` divides with directed rounding, and its ``ln`` is
correctly rounded; the neighbour on the outer side is therefore a bound. No floating point, no assumption.
It carries a few digits more than were drawn, so rounding never stands in the way of the next word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.sampling.late import FIRST_CLOSED
from edgedp.mechanisms.sampling.words import Words

MARGIN = 2.0**-30
"""What the first bounds of a noise value are widened by on either side."""

Bound = Fraction | float
"""An exact rational, or an infinity."""


@dataclass(frozen=True)
class Noise:
    """A standard noise law: a decreasing function of a uniform real.

    Parameters
    ----------
    value : callable
        The function in float64, on arrays.
    bounds : callable
        ``bounds(numerator, denominator)``: a lower bound of the value at
        ``(numerator + 1) / denominator`` and an upper bound of the value at ``numerator / denominator``.
    least, most : int
        Range of first words for which `value` is within `MARGIN`.

    Examples
    --------
    >>> low, high = EXPONENTIAL.enclose(np.array([2**63], dtype=np.uint64))
    >>> bool(low[0] < np.log(2) < high[0])
    True
    """

    value: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    bounds: Callable[[int, int], tuple[Bound, Bound]]
    least: np.uint64
    most: np.uint64

    def enclose(self, first: NDArray[np.uint64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bounds of the values whose first words are given.

        Parameters
        ----------
        first : (n,) uint64 array
            First word of every value.

        Returns
        -------
        low, high : (n,) float64 arrays
            ``low <= value <= high`` whatever the later words are.
        """
        uniform = np.clip(first, self.least, self.most).astype(np.float64) * 2.0**-64
        middle = self.value(uniform)
        low, high = middle - MARGIN, middle + MARGIN
        high[first < self.least] = inf
        low[first > self.most] = -inf
        return low, high

    @property
    def most_of_others(self) -> float:
        """An upper bound of every value whose first word does not begin with a byte of zeros.

        Examples
        --------
        >>> round(EXPONENTIAL.most_of_others, 6), round(float(np.log(256)), 6)
        (5.545177, 5.545177)
        """
        return float(self.enclose(np.array([FIRST_CLOSED]))[1][0])

    def enclose_exactly(self, digits: int, count: int) -> tuple[Bound, Bound]:
        """Return exact rational bounds of the value whose first `count` words read `digits` in base 2**64."""
        return self.bounds(digits, 2 ** (64 * count))


class LazyReal:
    """One noise value of which some words are known, and more can be asked for.

    Parameters
    ----------
    noise : Noise
        Its law.
    first : int
        Its first word.

    Examples
    --------
    >>> value = LazyReal(EXPONENTIAL, 2**63)
    >>> wide = value.high - value.low
    >>> value.extend(0)
    >>> value.high - value.low < wide
    True
    """

    __slots__ = ("_count", "_digits", "_noise", "high", "low")

    def __init__(self, noise: Noise, first: int) -> None:
        self._noise, self._digits, self._count = noise, first, 1
        self.low, self.high = noise.enclose_exactly(first, 1)

    def extend(self, word: int) -> None:
        """Narrow the bounds by one more word."""
        self._digits = self._digits << 64 | word
        self._count += 1
        self.low, self.high = self._noise.enclose_exactly(self._digits, self._count)

    def extend_from(self, words: Words) -> None:
        """Narrow the bounds by the next word of a source."""
        self.extend(int(words.take(1)[0]))


def _context(denominator: int, rounding: str) -> Context:
    # Five decimal digits more than the denominator has: rounding is far below the step between numerators.
    digits = denominator.bit_length() * 5 // 16 + 5
    return Context(digits, rounding, -999999, 999999, 1, 0, [], [InvalidOperation, DivisionByZero, Overflow])


def _minus_log_between(numerator: int, denominator: int) -> tuple[Decimal, Decimal]:
    """Return decimals below and above ``-ln(numerator / denominator)``, a proper fraction."""
    down, up = _context(denominator, ROUND_FLOOR), _context(denominator, ROUND_CEILING)
    top, bottom = Decimal(numerator), Decimal(denominator)
    return _minus_log_below(up.divide(top, bottom), down), _minus_log_above(down.divide(top, bottom), up)


def _minus_log_below(value: Decimal, context: Context) -> Decimal:
    return context.next_minus(context.ln(value).copy_negate())


def _minus_log_above(value: Decimal, context: Context) -> Decimal:
    return context.next_plus(context.ln(value).copy_negate())


def _exponential_bounds(numerator: int, denominator: int) -> tuple[Bound, Bound]:
    least: Bound = Fraction(0)
    if numerator + 1 < denominator:
        least = Fraction(_minus_log_between(numerator + 1, denominator)[0])
    most: Bound = inf
    if numerator > 0:
        most = Fraction(_minus_log_between(numerator, denominator)[1])
    return least, most


def _gumbel_bounds(numerator: int, denominator: int) -> tuple[Bound, Bound]:
    least: Bound = -inf
    if numerator + 1 < denominator:
        exponential = _minus_log_between(denominator - numerator - 1, denominator)[1]
        least = Fraction(_minus_log_below(exponential, _context(denominator, ROUND_FLOOR)))
    most: Bound = inf
    if numerator > 0:
        exponential = _minus_log_between(denominator - numerator, denominator)[0]
        most = Fraction(_minus_log_above(exponential, _context(denominator, ROUND_CEILING)))
    return least, most


GUMBEL = Noise(
    lambda uniform: -np.log(-np.log1p(-uniform)),
    _gumbel_bounds,
    least=np.uint64(2**32),
    most=np.uint64(2**64 - 2**48),
)
"""Standard Gumbel noise: its argmax over ``score + noise`` is the exponential mechanism."""

EXPONENTIAL = Noise(
    lambda uniform: -np.log(uniform),
    _exponential_bounds,
    least=np.uint64(2**32),
    most=np.uint64(2**64 - 1),
)
"""Standard exponential noise: its argmax over ``score + noise`` is permute-and-flip."""
