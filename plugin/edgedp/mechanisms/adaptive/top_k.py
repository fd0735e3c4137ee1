"""The adaptive release of the top k: which vectors it buys, and the ranking that follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import (
    Degrees,
    Lists,
    Ordered,
    Second,
    choose_second,
    cut_cap,
    ranking,
    split_epsilon,
)
from edgedp.mechanisms.adaptive.fit import combine_degrees, rank
from edgedp.mechanisms.adaptive.vectors import (
    CutVector,
    NoisyCutVector,
    NoisyVector,
    Vector,
    cut_vector,
    degree_vector,
)
from edgedp.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.projection import Projection
    from edgedp.sampling.words import Words

__all__ = [
    "Asked",
    "Bought",
    "buy",
    "draw_lists",
    "draw_top_k",
    "lists_vector",
    "scores",
    "second_choice",
    "second_vector",
]


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
        Buy *ordered* second wherever a cut of two can be had, instead of choosing.
    cap : int or None
        A public cap instead of the one that the noisy degrees suggest.
    """

    node_count: int
    most: int
    k: int
    epsilon: Fraction
    ordered: bool = False
    cap: int | None = None


@dataclass(frozen=True)
class Bought:
    """The released vectors: all that an answer is computed from.

    Attributes
    ----------
    degrees : NoisyVector
        For the first part of epsilon.
    choice : Second
    second : NoisyVector or NoisyCutVector
        Degrees once more, or length-2 betweenness through cuts: computed where the ranking looks.
    """

    degrees: NoisyVector
    choice: Second
    second: NoisyVector | NoisyCutVector


def second_choice(asked: Asked, noisy_degrees: NDArray[np.int64]) -> Second:
    """Return what is bought second: a function of released values and public facts."""
    e1, e2 = split_epsilon(asked.epsilon)
    if not asked.ordered:
        return choose_second(noisy_degrees, e1, e2, asked.most, asked.k)
    suggested = cut_cap(noisy_degrees, e1, e2, asked.most, asked.k) if asked.cap is None else asked.cap
    cap = min(suggested, asked.most)
    return Ordered(cap) if cap >= 2 else Degrees()


def second_vector(
    asked: Asked, choice: Second, noisy_degrees: NDArray[np.int64], projection: Projection
) -> Vector | CutVector:
    """Return the exact second vector with what one edge moves it by, for one outcome of the first.

    Notes
    -----
    Privacy: `choice` and the ranking come from `noisy_degrees`, so both graphs of a neighbouring pair have them alike.
    """
    match choice:
        case Degrees():
            return degree_vector(projection, asked.node_count)
        case Lists(cap):
            return cut_vector(projection, asked.node_count, cap, None)
        case Ordered(cap):
            return cut_vector(projection, asked.node_count, cap, ranking(noisy_degrees))
        case _:
            assert_never(choice)


def buy(asked: Asked, projection: Projection, words: Words) -> Bought:
    """Buy all noisy degrees, and for the rest of epsilon what they say is worth it.

    Notes
    -----
    Privacy: ``e1``-edge-DP for the noisy degrees and, given these, ``e2``-edge-DP for the second vector, whichever
    it is, for any two graphs that differ by one edge.
    """
    e1, e2 = split_epsilon(asked.epsilon)
    first = degree_vector(projection, asked.node_count).with_noise(e1, words)
    choice = second_choice(asked, first.integers)
    second = second_vector(asked, choice, first.integers, projection).with_noise(e2, words)
    return Bought(first, choice, second)


def scores(asked: Asked, bought: Bought) -> NDArray[np.float64]:
    """Return the (n,) scores that the release ranks by: post-processing of what was bought."""
    match bought.choice:
        case Degrees():
            return combine_degrees(
                bought.degrees.integers, bought.second.whole.integers, *split_epsilon(asked.epsilon)
            )
        case Lists(cap) | Ordered(cap):
            second = bought.second
            return rank(bought.degrees.integers, second, second.scale, asked.k, cap)
        case _:
            assert_never(bought.choice)


def draw_top_k(asked: Asked, projection: Projection, words: Words) -> tuple[NDArray[np.int64], Bought]:
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
    Bought
        The noisy vectors, for estimates from the same.

    Notes
    -----
    Privacy: ``asked.epsilon``-edge-DP, positions and vectors together; it rests on no degree bound.
    """
    bought = buy(asked, projection, words)
    ranked = np.unique(scores(asked, bought), return_inverse=True)[1]
    return top_k_with_random_ties(ranked, asked.k, words), bought


def lists_vector(asked: Asked, projection: Projection) -> CutVector:
    """Return the exact vector of lists of a public cap, with what one edge moves it by."""
    if asked.cap is None:
        raise ValueError("cap is None, must be given; plan the release")
    return cut_vector(projection, asked.node_count, max(min(asked.cap, asked.most), 1), None)


def draw_lists(asked: Asked, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw a release by length-2 betweenness through lists of a public cap alone; parameters as for `draw_top_k`.

    Returns
    -------
    (k,) int64
    """
    vector = lists_vector(asked, projection)
    seen = vector.with_noise(asked.epsilon, words).whole
    return top_k_with_random_ties(seen.integers, asked.k, words)
