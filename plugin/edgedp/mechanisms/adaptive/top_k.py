"""The adaptive release of the top k: which vectors it buys, and the ranking that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import (
    AGAIN,
    CUTS_FROM,
    FIRST,
    SHARP_FROM,
    Closed,
    Degrees,
    Lists,
    Ordered,
    OrderedDegrees,
    cut_cap,
    cut_form,
)
from edgedp.mechanisms.adaptive.fit import rank
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase, buy, seen_degrees
from edgedp.mechanisms.adaptive.vectors import CutVector, cut_vector
from edgedp.mechanisms.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words


@dataclass(frozen=True)
class Asked:
    """What an adaptive release is asked for; all of it public.

    Attributes
    ----------
    node_count : int
    most : int
        ``n - 1``, or a smaller declared bound: it caps the cuts, and nothing rests on it.
    k : int
    epsilon : Fraction
    ordered : bool
        Buy *ordered* cuts wherever a cut of two can be had, instead of choosing.
    cap : int or None
        A public cap instead of the one that the noisy degrees suggest.
    cuts : bool
        Whether cuts are bought; where none are, ordered degrees get all the rest.
    """

    node_count: int
    most: int
    k: int
    epsilon: Fraction
    ordered: bool = False
    cap: int | None = None
    cuts: bool = True

    def next_purchase(self, bought: Sequence[Bought]) -> Purchase | None:
        """Return what is bought next: a quarter buys the degrees, and these say what the rest buys.

        Examples
        --------
        >>> from edgedp.mechanisms.adaptive.vectors import NoisyVector
        >>> def after(*noisy):
        ...     asked = Asked(1_000, 999, 2, Fraction(1))
        ...     first = asked.next_purchase([])
        ...     return asked.next_purchase([Bought(first, NoisyVector(np.array(noisy), Fraction(8)))])
        >>> few = after(40, 30, 20, *[0] * 997)
        >>> few.choice, few.epsilon
        (OrderedDegrees(), Fraction(3, 4))
        >>> some = after(140, 130, 120, *[0] * 997)
        >>> some.choice, some.epsilon
        (OrderedDegrees(), Fraction(1, 5))
        >>> many = after(900, 800, 700, *[0] * 997)
        >>> many.choice, many.epsilon
        (Lists(cap=900), Fraction(3, 4))
        """
        if not bought:
            return Purchase(Degrees(), FIRST * self.epsilon)
        left = self.epsilon - sum(each.purchase.epsilon for each in bought)
        if left == 0:
            return None
        degrees = seen_degrees(bought)
        # Everything below follows from released values: both graphs of a neighbouring pair buy the same.
        seen = degrees.kth(self.k)
        coarse = len(bought) > 1
        if not coarse:
            told = float(self.epsilon) * seen
            if not self.cuts or (not self.ordered and (told < CUTS_FROM or seen < 2)):
                return Purchase(OrderedDegrees(), left, degrees.integers)
            if told < SHARP_FROM:
                return Purchase(OrderedDegrees(), AGAIN * self.epsilon, degrees.integers)
        suggested = cut_cap(degrees.integers, seen, left, self.most) if self.cap is None else self.cap
        cap = min(suggested, self.most)
        # A cut of one holds no pair, and would tell nothing for its part of epsilon.
        if cap < 2:
            return Purchase(OrderedDegrees(), left, degrees.integers)
        form = Ordered(cap) if self.ordered else cut_form(cap, seen, left, coarse=coarse)
        return Purchase(form, left, degrees.integers)


def scores(asked: Asked, bought: Sequence[Bought]) -> NDArray[np.float64] | NDArray[np.int64]:
    """Return the (n,) scores that the release ranks by: post-processing of what was bought."""
    *_, last = bought
    match last.purchase.choice:
        case Degrees() | OrderedDegrees():
            return seen_degrees(bought).sums
        case Lists(cap) | Ordered(cap):
            return rank(last.purchase.seen, last.vector, last.vector.scale, asked.k, cap)
        case Closed():
            raise AssertionError("closed pairs are bought for several metrics only")
        case _:
            assert_never(last.purchase.choice)


def draw_top_k(
    asked: Asked, projection: Projection, words: Words
) -> tuple[NDArray[np.int64], tuple[Bought, ...]]:
    """Draw an adaptive release.

    Parameters
    ----------
    asked : Asked
    projection : Projection
        The private data.
    words : Words

    Returns
    -------
    (k,) int64
        Distinct positions in order of the scores, ties uniformly at random.
    tuple of Bought
        The noisy vectors, for estimates from the same.

    Notes
    -----
    Privacy: ``asked.epsilon``-edge-DP, positions and vectors together; it rests on no degree bound.
    """
    bought = buy(asked, projection, words)
    # Whole ranks in place of floats: what is equal stays equal, and fresh words decide among it.
    ranked = np.unique(scores(asked, bought), return_inverse=True)[1]
    return top_k_with_random_ties(ranked, asked.k, words), bought


def lists_vector(asked: Asked, projection: Projection) -> CutVector:
    """Return the exact vector of lists of a public cap, with what one edge moves it by."""
    if asked.cap is None:
        raise ValueError("cap is None, must be given; plan the release")
    return cut_vector(projection, asked.node_count, max(min(asked.cap, asked.most), 1), None)


def draw_lists(
    asked: Asked, projection: Projection, words: Words
) -> tuple[NDArray[np.int64], tuple[Bought, ...]]:
    """Draw a release by length-2 betweenness through lists of a public cap alone; parameters as for `draw_top_k`.

    Returns
    -------
    (k,) int64
    tuple of Bought
        The one noisy vector.
    """
    vector = lists_vector(asked, projection)
    seen = vector.with_noise(asked.epsilon, words).whole
    bought = Bought(Purchase(Lists(max(min(asked.cap or 1, asked.most), 1)), asked.epsilon), seen)
    return top_k_with_random_ties(seen.integers, asked.k, words), (bought,)
