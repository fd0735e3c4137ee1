"""Utilities of any size as whole grid steps below the best one, rounded exactly.

The grid of a pick from plain arrays must follow from public facts, or its rounding would tell of the utilities.
So the step is a share of the global sensitivity that epsilon alone fixes (`step_bits`). What is rounded is the
gap to the best utility: a common shift changes no law, and a gap that is worth a thousand units of noise or
more is cut there. Neither asks for a bound of the utilities, and none is refused.

*Why that is private.* Let ``s_r`` be the utility in units of the global sensitivity and ``M`` the largest of
them. ``max(s_r, M - C)`` moves by at most 1 where each ``s_r`` does, and in one direction only where the ``s_r``
do. Rounding the gap errs by at most half a step on either input, and shifting by ``M`` is common to all; so
*differences* of scores move as if every score moved by at most ``2**bits + 1`` steps, and those of a monotone
utility within ``2**bits + 2`` steps. `edgedp.mechanisms.grid.noise_unit` scales the noise to ``2**bits + 2``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

FARTHEST = 1 << 61
"""Gaps are cut at this many steps, so that every score fits 62 bits."""

_NEAR_A_TIE = 2.0**-20
"""Closer to half a step than this, exact rationals round."""

_Floats = NDArray[np.float64]


def step_bits(epsilon: Fraction, most: int = 35) -> int:
    """Return how many binary places a unit of sensitivity gets at `epsilon` a pick: from epsilon alone.

    The cut at `FARTHEST` steps is then worth at least 1,024 units of noise, also where noise has twice the scale.

    Examples
    --------
    >>> step_bits(Fraction(1)), step_bits(Fraction(1, 10**9))
    (35, 19)
    """
    smallness = max(0, math.ceil(math.log2(4096 / epsilon)))
    return max(1, min(most, 61 - smallness))


def nearest_steps(values: _Floats, rest: _Floats, ceiling: float, bits: int) -> NDArray[np.int64]:
    """Return ``floor((values + rest) / ceiling * 2**bits + 1/2)`` exactly, cut at `FARTHEST` on either side.

    Parameters
    ----------
    values, rest : (n,) float64
        Numbers given as sums of two floats, the second at most half a unit in the last place of the first.
    ceiling : float
        Positive and finite.
    bits : int

    Notes
    -----
    The quotient is the sum of a float and a correction, ``remainder / ceiling``, with the remainder from an
    exact product (Dekker). Where that leaves open to which side of half a step it lies, rationals decide.

    Examples
    --------
    >>> nearest_steps(np.array([1.0, -0.5, 1e300]), np.zeros(3), 1.0, 1).tolist()
    [2, -1, 2305843009213693952]
    """
    mantissa, exponent = math.frexp(ceiling)
    with np.errstate(over="ignore", under="ignore"):
        scaled, scaled_rest = np.ldexp(values, -exponent), np.ldexp(rest, -exponent)
        quotient = scaled / mantissa
        # What is out of reach of any noise is cut first: in int64 it would overflow.
        steps = np.where(quotient > 0, FARTHEST, -FARTHEST)
        inside = np.flatnonzero(np.abs(quotient) < math.ldexp(FARTHEST, -bits))
        quotient = quotient[inside]
        product, error = _exact_product(quotient, mantissa)
        remainder = ((scaled[inside] - product) - error) + scaled_rest[inside]
        high = np.ldexp(quotient, bits)
        whole = np.rint(high)
        part, correction = high - whole, np.ldexp(remainder / mantissa, bits)
        offset = part + correction
    up = np.where(remainder == 0, np.floor(part) + (part - np.floor(part) >= 0.5), np.floor(offset + 0.5))
    found = whole.astype(np.int64) + up.astype(np.int64)
    fraction = offset - np.floor(offset)
    # In floats a quotient so close to half a step may fall on either side: the noise pays for rounding, not for errors.
    for case in np.flatnonzero((remainder != 0) & (np.abs(fraction - 0.5) < _NEAR_A_TIE)).tolist():
        number = Fraction(float(values[inside[case]])) + Fraction(float(rest[inside[case]]))
        found[case] = math.floor(number / Fraction(ceiling) * 2**bits + Fraction(1, 2))
    steps[inside] = np.clip(found, -FARTHEST, FARTHEST)
    return steps


def steps_below_best(utilities: _Floats, ceiling: float, bits: int) -> NDArray[np.int64]:
    """Return every utility less the best one in steps of ``ceiling * 2**-bits``: 0 or less, cut at `FARTHEST`.

    Parameters
    ----------
    utilities : (n,) float64
        Finite, at least one; differences of any size.
    ceiling : float
        Positive and finite.
    bits : int

    Examples
    --------
    >>> steps_below_best(np.array([7.0, 10.0]), 3.0, 4).tolist()
    [-16, 0]
    """
    half = utilities / 2  # a difference of two floats may be beyond the floats, that of their halves is not
    best = half.max()
    gap = half - best
    return nearest_steps(gap, _lost(half, -best, gap), ceiling / 2, bits)


def cut_below_best(scores: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return scores less the best one, cut at half of `FARTHEST`; for scores of at most `FARTHEST` in size."""
    gaps: NDArray[np.int64] = np.maximum(scores - scores.max(), -(FARTHEST // 2))
    return gaps


def reaches_cut(scores: NDArray[np.int64]) -> bool:
    """Return whether a score may have been cut: then the order of those far below the best is lost.

    Examples
    --------
    >>> reaches_cut(np.array([0, -5])), reaches_cut(np.array([0, -FARTHEST]))
    (False, True)
    """
    return bool(scores.min() <= -(FARTHEST // 2))


def _lost(first: _Floats, second: float, total: _Floats) -> _Floats:
    """Return what rounding took from ``total = first + second``, exactly (Knuth)."""
    part = total - first
    return (first - (total - part)) + (second - part)


def _exact_product(factors: _Floats, other: float) -> tuple[_Floats, _Floats]:
    """Return products of floats and what rounding took from them, exactly (Dekker)."""
    product = factors * other
    high, low = _halves(factors)
    other_high, other_low = _halves(np.full(1, other))
    error = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return product, error


def _halves(value: _Floats) -> tuple[_Floats, _Floats]:
    # Half of the bits each, so that the products of halves are exact.
    spread = value * 134217729.0  # 2**27 + 1
    high = spread - (spread - value)
    return high, value - high
