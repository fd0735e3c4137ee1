"""What the noisy degrees say is worth buying next. Pure functions of released values and public facts.

The borders of ``t = epsilon dk``, with ``dk`` the degree that the k-th node seems to have, were set on six graphs and
checked on four others and on generated ones (bench/results/joint.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

FIRST = Fraction(1, 4)
"""The part of epsilon that buys the degrees of all nodes, before anything is known."""
AGAIN = Fraction(1, 5)
"""The part that sharpens them where the cuts follow from them and they are coarse."""
CUTS_FROM = 45
"""Of ``t``: below it the noise on length-2 betweenness would drown it, and degrees get all the rest."""
SHARP_FROM = 150
"""Of ``t``: from here on the first degrees are sharp enough for the cuts."""
_FEW = 10_000
"""How many of the largest are looked at first."""
_LISTS_FROM = 375
"""Of ``dk`` times what buys the cuts: below it noise decides, and the form that costs half; above it the likeness to
EBC does."""


@dataclass(frozen=True)
class Degrees:
    """The degrees of all nodes."""


@dataclass(frozen=True)
class OrderedDegrees:
    """How many neighbours of each node stand behind it in the ranking by noisy degree."""


@dataclass(frozen=True)
class Lists:
    """Length-2 betweenness through cuts of all neighbours, `cap` at most."""

    cap: int


@dataclass(frozen=True)
class Ordered:
    """Length-2 betweenness through cuts of the neighbours behind in the ranking by noisy degree."""

    cap: int


@dataclass(frozen=True)
class Closed:
    """The closed pairs in cuts; by the ranking by noisy degree, or of all neighbours."""

    cap: int
    ordered: bool


Choice = Degrees | OrderedDegrees | Lists | Ordered | Closed


def ranking(noisy_degrees: Ints) -> Ints:
    """Return each node's place by falling noisy degree, 0 for the highest; ties by position, which is public.

    Examples
    --------
    >>> ranking(np.array([3, 9, 3])).tolist()
    [1, 0, 2]
    """
    places = np.empty(len(noisy_degrees), dtype=np.int64)
    places[falling_order(noisy_degrees)] = np.arange(len(noisy_degrees))
    return places


def falling_order(noisy_degrees: Ints) -> Ints:
    """Return the positions by falling noisy degree, ties by position.

    Examples
    --------
    >>> falling_order(np.array([3, 9, 3])).tolist(), falling_order(np.array([3, 2**40, 3])).tolist()
    ([1, 0, 2], [1, 0, 2])
    """
    least, most = noisy_degrees.min(initial=0), noisy_degrees.max(initial=0)
    # Short integers are sorted by their digits, in a fifth of the time.
    short = max(-least, most) < 2**15
    order: Ints = np.argsort(-(noisy_degrees.astype(np.int16) if short else noisy_degrees), kind="stable")
    return order


def kth_degree(noisy_degrees: Ints, scale: float, k: int) -> float:
    """Return the largest ``x`` that k more nodes reach than n nodes of degree 0 would, by two standard deviations.

    Noise on many small nodes looks like hubs; taken at its word, it would promise degrees that are not there.

    Parameters
    ----------
    noisy_degrees : (n,) int64
    scale : float
        Of their noise.
    k : int
    """
    values = noisy_degrees.astype(np.float64)
    few = max(4 * k, _FEW)
    if few < len(values) / 2:  # the first place that will do is nearly always among these
        values = np.partition(values, len(values) - few)[len(values) - few :]
    found = _first_reached(np.sort(values)[::-1], len(noisy_degrees), scale, k)
    if found is None and len(values) < len(noisy_degrees):
        found = _first_reached(np.sort(noisy_degrees.astype(np.float64))[::-1], len(noisy_degrees), scale, k)
    return 0.0 if found is None else found


def _first_reached(falling: NDArray[np.float64], count: int, scale: float, k: int) -> float | None:
    """Return the first of the largest values that k more nodes reach than `count` nodes of degree 0 would."""
    by_noise = count / 2 * np.exp(-np.maximum(falling, 0) / scale)
    seen = np.flatnonzero(np.arange(1, len(falling) + 1) - by_noise - 2 * np.sqrt(by_noise) >= k)
    return float(falling[seen[0]]) if len(seen) else None


def cut_cap(noisy_degrees: Ints, seen: float, part: Fraction, most: int) -> int:
    """Return the cap of all cuts: the degree that the k-th node seems to have, more where noise is small.

    Parameters
    ----------
    noisy_degrees : (n,) int64
    seen : float
        Of `kth_degree`.
    part : Fraction
        What buys the cuts.
    most : int
        ``n - 1``, or a smaller declared bound, which is public and nothing rests on.

    Returns
    -------
    int
        Below 2 where no degree is seen, or none can be.
    """
    wanted = seen * max(1.0, seen * float(part) / 200)
    return int(min(wanted, float(noisy_degrees.max(initial=0)), float(most)))


def cut_form(cap: int, seen: float, part: Fraction, *, coarse: bool) -> Lists | Ordered:
    """Return which cuts are bought: ordered where the degrees were coarse or noise decides, else lists.

    Examples
    --------
    >>> cut_form(300, 270.0, Fraction(3, 4), coarse=False), cut_form(300, 270.0, Fraction(3), coarse=False)
    (Ordered(cap=300), Lists(cap=300))
    """
    return Ordered(cap) if coarse or seen * float(part) < _LISTS_FROM else Lists(cap)
