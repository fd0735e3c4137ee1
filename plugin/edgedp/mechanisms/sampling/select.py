"""Selection by noisy score: the exponential mechanism and permute-and-flip, exact and lazy.

The noisy score of candidate ``r`` is ``unit * score[r] + noise[r]``: an integer score, a rational unit,
and standard noise that is a real number (`edgedp.mechanisms.sampling.noise`).

*Laws.* With Gumbel noise drawn once, the ``k`` largest noisy scores in order have exactly the law of
``k`` rounds of the exponential mechanism ``Pr[r] ~ exp(unit * score[r])`` without replacement. *Proof.*
The largest is ``r`` with that probability (Gumbel-max). Who leads a set of such candidates is independent
of the leader's noisy score; so, given the first, that all others are below it says nothing about who leads
them, and the second has the law of a round on what is left; and so on. With exponential noise the largest
noisy score has the law of permute-and-flip (Ding, Kifer, Sayed & Zhang 2021), but leader and level are
not independent, so each of the ``k`` rounds draws its noise anew.

`edgedp.mechanisms.sampling.ranking` says why the answer is exact and why lazy evaluation does not change it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.mechanisms.sampling.noise import EXPONENTIAL, GUMBEL, Noise
from edgedp.mechanisms.sampling.ranking import Evaluate, LazyScores, first_places
from edgedp.mechanisms.sampling.words import Words, random_order
from edgedp.words.errors import ParameterError

__all__ = [
    "Evaluate",
    "one_pick",
    "top_k_gumbel",
    "top_k_permute_and_flip",
    "top_k_with_random_ties",
    "two_sided_geometric",
]


def top_k_gumbel(
    upper: NDArray[np.int64] | LazyScores,
    k: int,
    unit: Fraction,
    words: Words,
    evaluate: Evaluate | None = None,
) -> NDArray[np.int64]:
    """Draw `k` positions by the exponential mechanism, without replacement, in the order picked.

    Parameters
    ----------
    upper : (n,) int64 array
        Upper bounds of the scores; the scores themselves if `evaluate` is None. Or `LazyScores`, for many draws
        from the same.
    k : int
        From 1 to n.
    unit : Fraction
        Worth of one score step in standard noise, for one pick; positive.
    words : Words
        Source of randomness.
    evaluate : callable, optional
        Computes exact scores of positions; called for as few as can matter, in small batches.

    Returns
    -------
    (k,) int64 array
        Distinct positions.

    Raises
    ------
    ParameterError
        `k` or `unit` is out of its domain.
    EngineError
        A score turns out to be above its bound.

    Notes
    -----
    Privacy: if one edge moves every score by at most ``s`` steps, a pick costs ``2 * s * unit`` and the
    answer ``k`` times as much (half, for scores that an edge moves in one direction only).

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> top_k_gumbel(np.array([0, 2, 1]), 2, Fraction(1000), SecureWords()).tolist()
    [1, 2]
    """
    _check_k(k, len(upper))
    _check_unit(unit)
    scores = LazyScores.of(upper, evaluate)
    return first_places(np.arange(len(upper)), scores, k, unit, GUMBEL, words)


def top_k_permute_and_flip(
    upper: NDArray[np.int64] | LazyScores,
    k: int,
    unit: Fraction,
    words: Words,
    evaluate: Evaluate | None = None,
) -> NDArray[np.int64]:
    """Draw `k` positions by rounds of permute-and-flip, in the order picked.

    Each round draws exponential noise anew for everybody left. Scores that were evaluated are kept.

    Parameters
    ----------
    upper, k, unit, words, evaluate
        As in `top_k_gumbel`.

    Returns
    -------
    (k,) int64 array
        Distinct positions.

    Raises
    ------
    ParameterError, EngineError
        As in `top_k_gumbel`.

    Notes
    -----
    Privacy: as in `top_k_gumbel`.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> top_k_permute_and_flip(np.array([0, 2, 1]), 2, Fraction(1000), SecureWords()).tolist()
    [1, 2]
    """
    _check_k(k, len(upper))
    _check_unit(unit)
    scores = LazyScores.of(upper, evaluate)
    left = np.arange(len(upper))
    picked = np.empty(k, dtype=np.int64)
    for place in range(k):
        picked[place] = first_places(left, scores, 1, unit, EXPONENTIAL, words)[0]
        # In place: a copy of what is left for every pick would cost k times the nodes.
        gone = np.searchsorted(left, picked[place])
        left[gone:-1] = left[gone + 1 :]
        left = left[:-1]
    return picked


def one_pick(
    scores: NDArray[np.int64],
    candidates: NDArray[np.int64],
    unit: Fraction,
    words: Words,
    noise: Noise,
) -> int:
    """Draw one of some candidates, for rounds whose scores change in between.

    Parameters
    ----------
    scores : (n,) int64 array
        Exact scores of all positions.
    candidates : (m,) int64 array
        Positions that take part, ascending, at least one.
    unit : Fraction
        Worth of one score step in standard noise; positive.
    words : Words
        Source of randomness.
    noise : Noise
        `GUMBEL` for the exponential mechanism, `EXPONENTIAL` for permute-and-flip.

    Returns
    -------
    int
        A position of `candidates`.

    Raises
    ------
    ParameterError
        There is no candidate, or `unit` is not positive.

    Notes
    -----
    Privacy: if one edge moves every score by at most ``s`` steps, the pick costs ``2 * s * unit``.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> one_pick(np.array([9, 2, 1]), np.array([1, 2]), Fraction(1000), SecureWords(), EXPONENTIAL)
    1
    """
    _check_k(1, len(candidates))
    _check_unit(unit)
    return int(first_places(candidates, LazyScores(scores), 1, unit, noise, words)[0])


def top_k_with_random_ties(values: NDArray[np.int64], k: int, words: Words) -> NDArray[np.int64]:
    """Return the positions of the `k` largest values, in order; equal ones are in uniformly random order.

    All that reach the ``k``-th largest value are shuffled and then sorted stably, so that ties are broken
    uniformly both in the order and at the end of it.

    Parameters
    ----------
    values : (n,) int64 array, or object array of Python integers
        What is ranked.
    k : int
        From 1 to n.
    words : Words
        Source of randomness.

    Returns
    -------
    (k,) int64 array
        Distinct positions.

    Raises
    ------
    ParameterError
        `k` is out of its domain.

    Notes
    -----
    Privacy: post-processing of the values and of words that are independent of them.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> top_k_with_random_ties(np.array([5, 7, 9]), 2, SecureWords()).tolist()
    [2, 1]
    """
    _check_k(k, len(values))
    least = np.partition(values, len(values) - k)[len(values) - k]
    able = np.flatnonzero(values >= least)
    shuffled = able[random_order(len(able), words)]
    rising = np.argsort(values[shuffled], kind="stable")
    return shuffled[rising[::-1][:k]].astype(np.int64, copy=False)


def _check_k(k: int, count: int) -> None:
    if not 1 <= k <= count:
        raise ParameterError(
            f"k is {k}, must be from 1 to {count}, the number of candidates; choose another k"
        )


def _check_unit(unit: Fraction) -> None:
    if unit <= 0:
        raise ParameterError(f"unit is {unit}, must be positive; draw uniformly if no score can differ")
