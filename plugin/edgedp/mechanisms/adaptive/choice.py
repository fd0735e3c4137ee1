"""What the noisy degrees say is worth buying next. Pure functions of released values and public facts.

The constants were chosen on two graphs (dense clusters, e-mail) and measured on five (bench/results/joint.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Degrees",
    "Lists",
    "Ordered",
    "Second",
    "choose_second",
    "cut_cap",
    "kth_degree",
    "ranking",
    "split_epsilon",
]

Ints = NDArray[np.int64]

_ORDERED_BELOW = 400
"""Of ``dk e2``: below it noise decides, and the form that costs half; above it the likeness to EBC does."""
_GAIN = 1.25
"""How much more the second vector must tell than further degrees."""


@dataclass(frozen=True)
class Degrees:
    """The degrees once more."""


@dataclass(frozen=True)
class Lists:
    """Length-2 betweenness through cuts of all neighbours, `cap` at most."""

    cap: int


@dataclass(frozen=True)
class Ordered:
    """Length-2 betweenness through cuts of the neighbours behind in the ranking by noisy degree."""

    cap: int


Second = Degrees | Lists | Ordered


def split_epsilon(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Split a budget into what buys the noisy degrees and what buys the second vector.

    ``e1 = min(0.7 epsilon, max(0.2 epsilon, 0.06))``, in exact rationals.

    Parameters
    ----------
    epsilon : Fraction
        Positive.

    Returns
    -------
    e1, e2 : Fraction
        Positive, with ``e1 + e2 == epsilon``.

    Examples
    --------
    >>> split_epsilon(Fraction(1))
    (Fraction(1, 5), Fraction(4, 5))
    """
    first = min(epsilon * Fraction(7, 10), max(epsilon / 5, Fraction(6, 100)))
    return first, epsilon - first


def ranking(noisy_degrees: Ints) -> Ints:
    """Return each node's place by falling noisy degree, 0 for the highest; ties by position, which is public.

    Examples
    --------
    >>> ranking(np.array([3, 9, 3])).tolist()
    [1, 0, 2]
    """
    places = np.empty(len(noisy_degrees), dtype=np.int64)
    places[np.argsort(-noisy_degrees, kind="stable")] = np.arange(len(noisy_degrees))
    return places


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
    falling = np.sort(noisy_degrees.astype(np.float64))[::-1]
    by_noise = len(falling) / 2 * np.exp(-np.maximum(falling, 0) / scale)
    seen = np.flatnonzero(np.arange(1, len(falling) + 1) - by_noise - 2 * np.sqrt(by_noise) >= k)
    return float(falling[seen[0]]) if len(seen) else 0.0


def cut_cap(noisy_degrees: Ints, e1: Fraction, e2: Fraction, most: int, k: int) -> int:
    """Return the cap of all cuts: the degree that the k-th node seems to have, more where noise is small.

    Parameters
    ----------
    noisy_degrees : (n,) int64
        With two-sided geometric noise of scale ``2 / e1``.
    e1, e2 : Fraction
    most : int
        ``n - 1``, or a smaller declared bound, which is public and nothing rests on.
    k : int

    Returns
    -------
    int
        Below 2 where no degree is seen, or none can be.
    """
    seen = kth_degree(noisy_degrees, 2 / float(e1), k)
    wanted = seen * max(1.0, seen * float(e2) / 200)
    return int(min(wanted, float(noisy_degrees.max(initial=0)), float(most)))


def choose_second(noisy_degrees: Ints, e1: Fraction, e2: Fraction, most: int, k: int) -> Second:
    """Return what `e2` buys: length-2 betweenness through cuts, or the degrees again where its noise would drown it.

    Compared is the precision of ``ln B`` at the degree ``dk`` that the k-th largest node seems to have: from the
    noisy ``B`` and degrees of `e1`, or from degrees of `e1` and `e2` alone. The degree knows ``ln B`` no better than
    ``rho`` varies. Assumed are typical values, ``rho = 0.45`` and a spread of 0.3 in ``ln rho``.

    Parameters
    ----------
    noisy_degrees, e1, e2, most, k
        As in `cut_cap`.

    Notes
    -----
    Privacy: post-processing of noisy values and public facts.

    Examples
    --------
    >>> hubs = np.array([300, 280, 270, 3, 2, 2, 1, 1])
    >>> choose_second(hubs, Fraction(1, 5), Fraction(4, 5), 10**6, 2)
    Ordered(cap=291)
    >>> choose_second(hubs, Fraction(1), Fraction(4), 10**6, 2)
    Lists(cap=300)
    >>> choose_second(hubs, Fraction(1, 50), Fraction(1, 100), 10**6, 2)
    Degrees()
    """
    first, second = float(e1), float(e2)
    seen = kth_degree(noisy_degrees, 2 / first, k)
    cap = cut_cap(noisy_degrees, e1, e2, most, k)
    if seen < 2 or cap < 2:
        return Degrees()
    ordered = seen * second < _ORDERED_BELOW
    moves = cap if ordered else 2 * cap - 1
    connected = min(seen, float(cap))

    def by_degree(epsilon: float) -> float:
        return 2 * (4 / (epsilon * seen)) ** 2 + 0.09

    by_betweenness = 2 * (moves / (0.45 * second * connected * (connected - 1) / 2)) ** 2
    if 1 / by_degree(first) + 1 / by_betweenness < _GAIN / by_degree(float(np.hypot(first, second))):
        return Degrees()
    return Ordered(cap) if ordered else Lists(cap)
