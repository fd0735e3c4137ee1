"""Scores of a percentile on a public grid: integers throughout, from the values of one property.

`present` counts the values that are there; missing ones are NaN and belong to nobody's side. Neighbours
replace one value by any other, missing included.

=========  =========================================================================  ============
name       score of a point v                                                         moves by
=========  =========================================================================  ============
rank       ``w min(#{x <= v} - q present, q present - #{x < v})``, ``q = a / w``      w
distance   ``min(#{x <= v} - k, k - 1 - #{x < v})``, ``k = max(1, ceil(q present))``  1
ld         ``-|x_(k) - v|`` dampened by ``delta(t) = x_(k+t+1) - x_(k-t-1)``          1
sld        ``-|x_(k) - v|``                                                           ``high - low``
=========  =========================================================================  ============

The first two are 0 or more at the percentile and below 0 elsewhere: minus the records to replace before v is the
percentile, plus those before it no longer is. Cut at 0, as is usual, they would move as far and tell less.

Proofs: docs/privacy-selection.md, "Percentiles".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counts:
    """How many values lie below, and at or below, every point of a grid.

    Attributes
    ----------
    below, upto : (G,) int64
    present : int
        Number of values that are not missing.
    """

    below: _Ints
    upto: _Ints
    present: int


def clipped(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return the values that are there, cut to the declared range."""
    # Missing values are left out, not filled: a record may be replaced by one without a value, and a rank moves alike.
    there: NDArray[np.float64] = np.clip(values[~np.isnan(values)], low, high)
    return there


def count_values(values: NDArray[np.float64], grid: NDArray[np.float64]) -> Counts:
    """Count values (none of them NaN) along an increasing grid.

    Examples
    --------
    >>> counts = count_values(np.array([1.0, 2, 2, 9]), np.array([0.0, 2, 9]))
    >>> counts.below.tolist(), counts.upto.tolist()
    ([0, 1, 3], [0, 3, 4])
    """
    ordered = np.sort(values)
    below = np.searchsorted(ordered, grid, "left")
    upto = np.searchsorted(ordered, grid, "right")
    return Counts(below.astype(np.int64), upto.astype(np.int64), len(values))


def rank_scores(counts: Counts, q: Fraction) -> _Ints:
    """Return the rank score times the denominator of `q`.

    Examples
    --------
    Where values tie, the percentile itself is best: six at 0, four at 7, the median on a grid of 0, 3, 7.

    >>> rank_scores(count_values(np.repeat([0.0, 7.0], [6, 4]), np.array([0.0, 3, 7])), Fraction(1, 2)).tolist()
    [2, -2, -2]
    """
    # Times the denominator of q, so that scores are whole and nothing is rounded.
    share, whole = q.numerator * counts.present, q.denominator
    scores: _Ints = np.minimum(whole * counts.upto - share, share - whole * counts.below)
    return scores


def target_rank(present: int, q: Fraction) -> int:
    """Return ``k = max(1, ceil(q present))``: the percentile is the k-th smallest value.

    Examples
    --------
    >>> target_rank(5, Fraction(1, 2)), target_rank(0, Fraction(1, 2))
    (3, 1)
    """
    return max(1, -(-q.numerator * present // q.denominator))


def distance_scores(counts: Counts, q: Fraction) -> _Ints:
    """Return minus the number of records to replace before a point is the k-th smallest value.

    Where it is that value, the number of replacements that leave it so.

    Examples
    --------
    >>> values, grid = np.array([1.0, 2, 2, 3, 9]), np.arange(11.0)
    >>> distance_scores(count_values(values, grid), Fraction(1, 2)).tolist()
    [-3, -2, 0, -1, -2, -2, -2, -2, -2, -2, -3]
    """
    k = target_rank(counts.present, q)
    scores: _Ints = np.minimum(counts.upto - k, k - 1 - counts.below)
    return scores


def spacing_sensitivity(ordered: _Ints, k: int, span: int) -> _Ints:
    """Return ``delta(t) = x_(k+t+1) - x_(k-t-1)`` up to where it is the whole span, in one step each.

    Parameters
    ----------
    ordered : (m,) int64
        Values from 0 to `span`, ascending; beyond the ends they count as 0 and `span`.
    k : int
        From 1 to m, or 1 for no values.
    span : int

    Examples
    --------
    >>> spacing_sensitivity(np.array([1, 2, 2, 3, 9]), 3, 10).tolist()
    [1, 8, 10]
    """
    steps = max(k, len(ordered) - k + 1)
    above = np.full(steps, span, dtype=np.int64)
    below = np.zeros(steps, dtype=np.int64)
    right, left = ordered[k:][:steps], ordered[: k - 1][::-1][:steps]
    above[: len(right)], below[: len(left)] = right, left
    return above - below


def dampened_steps(distances: _Ints, delta: _Ints, bits: int) -> _Ints:
    """Return the local dampening of ``-|x_(k) - v|`` in steps of ``2**-bits``, rounded exactly.

    With z leading zeros of delta it is ``z`` at a distance of 0, and below ``-z`` elsewhere.

    Parameters
    ----------
    distances : (G,) int64
        Not negative.
    delta : (T,) int64
        Shared by all points, not falling, the last one positive and holding for all larger t.
    bits : int
        ``2**(bits + 1)`` times the last delta fits int64.

    Examples
    --------
    >>> dampened_steps(np.array([0, 4, 9]), np.array([1, 8, 10]), 3).tolist()
    [0, -11, -16]
    """
    sums = np.concatenate([[0], np.cumsum(delta)])
    whole = np.searchsorted(sums, distances, side="right") - 1
    last = len(delta) - 1
    beyond = distances - sums[np.minimum(whole, last)]
    width = delta[np.minimum(whole, last)]
    extra, rest = np.divmod(beyond, width)
    whole = np.minimum(whole, last) + extra
    # Rounded in integers, halves up: the same on every machine, for law and draw alike.
    steps = (whole << bits) + ((rest << (bits + 1)) + width) // (2 * width)
    return np.where(distances == 0, steps, -steps)
