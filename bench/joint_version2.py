"""The joint release by both proxies in version 2, to compare with: its parts of epsilon are fixed beforehand.

A release bought all noisy degrees for ``e1``; for the rest length-2 betweenness through cuts, or the degrees once
more where the comparison below says that noise would drown it. The fit and the cuts are those of today.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import Degrees, Lists, Ordered, kth_degree
from edgedp.mechanisms.adaptive.fit import rank
from edgedp.mechanisms.adaptive.purchases import Purchase, exact_vector
from edgedp.mechanisms.adaptive.top_k import Asked
from edgedp.mechanisms.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words

__all__ = ["choose_second", "draw_version2", "split_epsilon"]

Ints = NDArray[np.int64]

_ORDERED_BELOW, _GAIN = 400, 1.25


def split_epsilon(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return what buys the degrees and what buys the second vector."""
    first = min(epsilon * Fraction(7, 10), max(epsilon / 5, Fraction(6, 100)))
    return first, epsilon - first


def choose_second(
    noisy_degrees: Ints, e1: Fraction, e2: Fraction, most: int, k: int
) -> Degrees | Lists | Ordered:
    """Return what `e2` buys, by the precision of ``ln B`` at the degree that the k-th largest node seems to have."""
    first, second = float(e1), float(e2)
    seen = kth_degree(noisy_degrees, 2 / first, k)
    cap = int(min(seen * max(1.0, seen * second / 200), float(noisy_degrees.max(initial=0)), float(most)))
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


def draw_version2(asked: Asked, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw a release of version 2; parameters as for `edgedp.mechanisms.adaptive.top_k.draw_top_k`."""
    e1, e2 = split_epsilon(asked.epsilon)
    degrees = exact_vector(asked, Purchase(Degrees(), e1), projection).with_noise(e1, words).whole
    choice = choose_second(degrees.integers, e1, e2, asked.most, asked.k)
    second = exact_vector(asked, Purchase(choice, e2, degrees.integers), projection).with_noise(e2, words)
    match choice:
        case Degrees():
            share = float(e1**2 / (e1**2 + e2**2))
            scores = share * degrees.values + (1 - share) * second.whole.values
        case Lists(cap) | Ordered(cap):
            scores = rank(degrees.integers, second, second.scale, asked.k, cap)
    return top_k_with_random_ties(np.unique(scores, return_inverse=True)[1], asked.k, words)
