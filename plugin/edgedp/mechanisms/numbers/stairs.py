"""Symmetric noise whose density falls in steps: the law of the geometric, staircase, ladder and calibrated mechanisms.

The real line beside the exact integer is divided into *rungs*, rung 0 next to it. Rung ``k`` is ``w_k``
*cells* wide on each side, a cell is ``2**-bits`` wide, and each cell of rung ``k`` has the weight ``exp(-h k)``. From
some rung on all widths are the same. The answer is the nearest integer, and as ``bits >= 1`` every cell is nearest to
one: the law of the answer is a sum of cells, and a draw is a rung, then a cell of it.

The rung is drawn by its cumulative weight, whose bounds are integers in fixed point: rounded down and rounded up.
A uniform real, of which ever more words are known, decides: as soon as its bounds leave one rung only, that is the
rung. So the draw has exactly the law of the integers ``w_k`` and the rational ``h``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, exp, floor, fsum, inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.numbers.base import SymmetricLaw
from edgedp.mechanisms.sampling.noise import EXPONENTIAL, LazyReal
from edgedp.mechanisms.sampling.refine import certain_floor
from edgedp.mechanisms.sampling.words import uniform_below

if TYPE_CHECKING:
    from edgedp.mechanisms.sampling.words import Words

INT64_BITS = 62
VANISHED = 760.0
"""``exp`` of minus this is 0 in float64."""


class Stairs(SymmetricLaw):
    """An integer plus noise whose density falls in steps.

    Parameters
    ----------
    center : int
        The exact integer.
    widths : sequence of int
        Cells of rungs 0, 1, ... on each side; rung 0 has at least one.
    tail : int
        Cells of every later rung on each side; positive.
    rate : Fraction
        ``h``, positive: a cell of rung ``k`` weighs ``exp(-h k)``.
    bits : int
        A cell is ``2**-bits`` wide; at least 1.

    Examples
    --------
    Two-sided geometric noise: rung ``k`` is the integers at distance ``k``.

    >>> law = Stairs(5, [1], 2, Fraction(1), 1)
    >>> law.mass(np.array([4, 5, 6])).round(4).tolist()
    [0.17, 0.4621, 0.17]
    """

    def __init__(self, center: int, widths: Sequence[int], tail: int, rate: Fraction, bits: int) -> None:
        super().__init__(center)
        self.widths, self.tail, self.rate, self.bits = tuple(widths), tail, rate, bits

    # -- the draw ------------------------------------------------------------------------------------

    def draw(self, words: Words) -> int:
        """Draw from exactly this law."""
        rung = self._draw_rung(words)
        explicit = min(rung, len(self.widths))
        inner = self._ends[explicit] + (rung - explicit) * self.tail
        cells = self.widths[rung] if rung < len(self.widths) else self.tail
        cell, negative = divmod(uniform_below(2 * cells, words), 2)
        noise = self._nearest(inner + cell)
        return self.center - noise if negative else self.center + noise

    def _nearest(self, cell: int) -> int:
        """Return the integer distance that a cell is nearest to."""
        return (cell + (1 << (self.bits - 1))) >> self.bits

    def _draw_rung(self, words: Words) -> int:
        digits, count = int(words.take(1)[0]), 1
        while True:
            table = self._first_table if count == 1 else _Cumulative.of(self, count)
            rung = table.rung(digits, 64 * count)
            if rung is not None and rung < len(self.widths):
                return rung
            if rung is not None:
                # Behind the last explicit rung the weights are those of a geometric law.
                noise = LazyReal(EXPONENTIAL, int(words.take(1)[0]))
                return rung + certain_floor(noise, 1 / self.rate, words)
            digits = digits << 64 | int(words.take(1)[0])
            count += 1

    @cached_property
    def _first_table(self) -> _Cumulative:
        return _Cumulative.of(self, 1)

    @cached_property
    def _ends(self) -> list[int]:
        """The cells before each explicit rung, and before the tail."""
        return list(accumulate(self.widths, initial=0))

    # -- the law -------------------------------------------------------------------------------------

    def noise_mass(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of noise of exactly ``+d``, for each distance ``d >= 0``."""
        if len(distances) == 0:
            return np.zeros(0)
        largest = max(int(distances.max()), len(self.widths))
        # Rungs, half-integers and the ends up to here must fit, or the arrays hold Python integers.
        small = (2 * largest + 1).bit_length() + self.bits < INT64_BITS
        d = distances.astype(np.int64 if small else object)
        half = 1 << (self.bits - 1)
        low, high = np.maximum((2 * d - 1) * half, 0), (2 * d + 1) * half
        ends = self._ends_to(int(high.max()), small=small)
        first, last = self._rungs(low, ends), self._rungs(high - 1, ends)
        cell = self._cell_mass(first)
        mass = np.asarray((high - low) * cell, dtype=np.float64)
        for i in np.flatnonzero(first != last).tolist():
            mass[i] = self._mass_between(int(low[i]), int(high[i]), int(first[i]), int(last[i]))
        doubled: NDArray[np.float64] = np.where(d == 0, 2 * mass, mass)
        return doubled

    def noise_tail(self, distance: int) -> float:
        """Return the probability of noise of ``+d`` or more, ``d >= 1``."""
        return self._beyond_cell((2 * distance - 1) << (self.bits - 1))

    def mean_distance(self, below: float = inf) -> float:
        """Return the mean distance before rounding, where what lies more than `below` below counts as that far."""
        return self._mean_of_side(inf) + self._mean_of_side(below)

    def _mean_of_side(self, limit: float) -> float:
        """Return what one side adds to the mean of the smaller of the distance and a limit."""
        unit = float(1 << self.bits)
        parts = []
        for rung, weight in enumerate(self._explicit.tolist()):
            inner, outer = self._ends[rung] / unit, self._ends[rung + 1] / unit
            parts.append(weight * _mean_below(inner, outer, limit))
        # The tail is geometric: rungs of equal width, each exp(-h) times as likely as the one before.
        start, width, rate = self._ends[-1] / unit, self.tail / unit, float(self.rate)
        first = self.tail * exp(-min(rate * len(self.widths), VANISHED))
        fall, apart = exp(-rate), _one_minus_exp(self.rate)
        if limit == inf:
            parts.append(first * ((start + width / 2) / apart + width * fall / apart**2))
        else:
            whole = max(floor((limit - start) / width), 0)
            left = exp(-min(rate * whole, VANISHED))
            steps = fall / apart**2 * (1 - left) - whole * left / apart
            parts.append(first * ((start + width / 2) * (1 - left) / apart + width * steps))
            at = start + whole * width
            parts.append(first * left * _mean_below(at, at + width, limit))
            parts.append(first * left * fall / apart * limit)
        return fsum(parts) / (2 * self._normalizer)

    def _end(self, rung: int) -> int:
        explicit = min(rung, len(self.widths))
        return self._ends[explicit] + (rung - explicit) * self.tail

    def _width(self, rung: int) -> int:
        return self.widths[rung] if rung < len(self.widths) else self.tail

    def _ends_to(self, most: int, *, small: bool) -> NDArray[Any]:
        """Return the inner ends of the explicit rungs, and of the tail, that are at most `most`."""
        count = bisect_left(self._ends, most + 1)
        return np.array(self._ends[:count], dtype=np.int64 if small else object)

    def _rungs(self, cells: NDArray[Any], ends: NDArray[Any]) -> NDArray[np.int64]:
        """Return the rung of each cell."""
        rung = np.searchsorted(ends, cells, side="right") - 1
        beyond = rung == len(self.widths)
        if beyond.any():
            rung[beyond] += ((cells[beyond] - self._ends[-1]) // self.tail).astype(np.int64)
        return rung

    def _cell_mass(self, rungs: Any) -> Any:
        """Return the probability of one cell, on one side, of each rung."""
        return np.exp(-float(self.rate) * rungs) / (2 * self._normalizer)

    def _mass_between(self, low: int, high: int, first: int, last: int) -> float:
        """Return the probability of the cells ``low .. high - 1`` of one side, of several rungs."""
        parts = [(self._end(first + 1) - low) * float(self._cell_mass(first))]
        parts += [(high - self._end(last)) * float(self._cell_mass(last))]
        if last - first > 1:
            inner = np.arange(first + 1, last)
            widths = [float(self._width(rung)) for rung in inner.tolist()]
            parts.append(float(np.dot(self._cell_mass(inner), np.array(widths))))
        return fsum(parts)

    def _beyond_cell(self, cell: int) -> float:
        """Return the probability of the cells of one side from one on."""
        rung = bisect_left(self._ends, cell + 1) - 1
        if rung == len(self.widths):
            rung += (cell - self._ends[-1]) // self.tail
        parts = [(self._end(rung + 1) - cell) * float(self._cell_mass(rung))]
        explicit = len(self._explicit)
        if rung + 1 < explicit:
            parts += (self._explicit[rung + 1 :] / (2 * self._normalizer)).tolist()
        after = max(rung + 1, len(self.widths))
        parts.append(self.tail * float(self._cell_mass(after)) / _one_minus_exp(self.rate))
        return fsum(parts)

    @cached_property
    def _explicit(self) -> NDArray[np.float64]:
        """The weights of the explicit rungs, of one side, as far as they are above 0."""
        count = min(len(self.widths), floor(VANISHED / self.rate) + 1)
        weights = np.array([float(width) for width in self.widths[:count]])
        explicit: NDArray[np.float64] = weights * np.exp(-float(self.rate) * np.arange(count))
        return explicit

    @cached_property
    def _normalizer(self) -> float:
        """The weight of one side."""
        tail = (
            self.tail * exp(-min(float(self.rate) * len(self.widths), VANISHED)) / _one_minus_exp(self.rate)
        )
        return fsum([*self._explicit.tolist(), tail])


class _Cumulative(NamedTuple):
    """Bounds of the cumulative weights of the rungs, integers in fixed point."""

    low: list[int]
    high: list[int]
    total_low: int
    total_high: int
    whole: bool
    """Whether all explicit rungs are there; else what is behind the last one is not told apart."""

    @classmethod
    def of(cls, stairs: Stairs, words: int) -> _Cumulative:
        """Return bounds that are finer than `words` words."""
        widest = max(*stairs.widths, stairs.tail)
        bits = 64 * words + 64 + widest.bit_length() + 2 * len(stairs.widths).bit_length()
        one = 1 << bits
        ratio_low, ratio_high = exp_minus_bounds(stairs.rate, bits)
        low, high = [], []
        least = most = 0
        falling, rising = one, one
        for width in stairs.widths:
            least += width * falling
            most += width * rising
            low.append(least)
            high.append(most)
            falling = falling * ratio_low >> bits
            rising = -(-rising * ratio_high >> bits)
            if falling == 0:
                break
        whole = len(low) == len(stairs.widths)
        if whole:
            least += stairs.tail * falling * one // (one - ratio_low)
        most += -(-(stairs.tail if whole else widest) * rising * one // (one - ratio_high))
        return cls(low, high, least, most, whole)

    def rung(self, digits: int, bits: int) -> int | None:
        """Return the rung of the uniform reals in ``[digits, digits + 1] / 2**bits``, None where they leave it open.

        All behind the explicit rungs are one, the number of these.
        """
        least, most = digits * self.total_low, (digits + 1) * self.total_high
        rung = bisect_left(self.low, -(-most >> bits))
        if rung == len(self.low) and not self.whole:
            return None
        if rung > 0 and self.high[rung - 1] << bits > least:
            return None
        return rung


def exp_minus_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Return integers ``low <= exp(-x) 2**bits <= high``, next to it; ``x`` is positive.

    Examples
    --------
    >>> exp_minus_bounds(Fraction(1), 20)
    (385749, 385750)
    """
    if x > bits:
        return 0, 1
    digits = bits * 5 // 16 + 15
    bounds = []
    for rounding, step in ((ROUND_CEILING, "next_minus"), (ROUND_FLOOR, "next_plus")):
        context = Context(digits, rounding, MIN_EMIN, MAX_EMAX, 1, 0, [], [])
        quotient = context.divide(Decimal(x.numerator), Decimal(x.denominator))
        # decimal's exp is correctly rounded to nearest: its neighbour on the outer side is a bound.
        bounds.append(Fraction(getattr(context, step)(context.exp(quotient.copy_negate()))))
    return floor(bounds[0] * 2**bits), ceil(bounds[1] * 2**bits)


def _mean_below(inner: float, outer: float, limit: float) -> float:
    """Return the mean of the smaller of a limit and a uniform number between two ends."""
    if limit >= outer or outer == inner:
        return min((inner + outer) / 2, limit)
    if limit <= inner:
        return limit
    return ((inner + limit) / 2 * (limit - inner) + limit * (outer - limit)) / (outer - inner)


def _one_minus_exp(rate: Fraction) -> float:
    return -float(np.expm1(-float(rate)))
