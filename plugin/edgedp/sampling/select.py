"""Selection by noisy score: the exponential mechanism and permute-and-flip, exact and lazy.

The noisy score of candidate ``r`` is ``unit * score[r] + noise[r]``: an integer score, a rational unit,
and standard noise that is a real number (`edgedp.sampling.noise`).

*Laws.* With Gumbel noise drawn once, the ``k`` largest noisy scores in order have exactly the law of
``k`` rounds of the exponential mechanism ``Pr[r] ~ exp(unit * score[r])`` without replacement: the
largest of independent Gumbels has that law and is independent of which of them it is, so given the
first, the rest compete as if they were alone (Gumbel-max, or Plackett-Luce order). With exponential
noise the largest noisy score has the law of permute-and-flip (Ding, Kifer, Sayed & Zhang 2021); it
lacks that independence, so each of the ``k`` rounds draws its noise anew.

*Exactness.* One word for each candidate gives float bounds of its noisy score. Who is certainly below the
``k``-th leaves; who meets nobody has its place; the others are settled by `certain_order` in rational
arithmetic. Every answer is thus the one for the real noise and the rational scores, and since that noise has
exactly its law, so has the answer.

*Laziness.* `upper` bounds every score from above and `evaluate` computes some exactly. The noise is drawn
first, for everybody. A candidate is evaluated while its bounded noisy score can reach the ``k``-th largest
of those evaluated; all others are certainly below the first ``k`` by their bounds alone. The words spent
afterwards do not depend on who was left out (see `certain_order`), so for the same words the answer equals
that of the full computation, word for word, and therefore has the same law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from edgedp.errors import EngineError, ParameterError
from edgedp.sampling.geometric import two_sided_geometric
from edgedp.sampling.noise import EXPONENTIAL, GUMBEL, LazyReal, Noise
from edgedp.sampling.refine import certain_order
from edgedp.sampling.words import Words, random_order

__all__ = [
    "Evaluate",
    "one_pick",
    "top_k_gumbel",
    "top_k_permute_and_flip",
    "top_k_with_random_ties",
    "two_sided_geometric",
]

Evaluate = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""Exact scores, never above their upper bounds, of some positions."""


def top_k_gumbel(
    upper: NDArray[np.int64],
    k: int,
    unit: Fraction,
    words: Words,
    evaluate: Evaluate | None = None,
) -> NDArray[np.int64]:
    """Draw `k` positions by the exponential mechanism, without replacement, in the order picked.

    Parameters
    ----------
    upper : (n,) int64 array
        Upper bounds of the scores; the scores themselves if `evaluate` is None.
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
    >>> from edgedp.sampling.words import SecureWords
    >>> top_k_gumbel(np.array([0, 2, 1]), 2, Fraction(1000), SecureWords()).tolist()
    [1, 2]
    """
    _check_k(k, len(upper))
    _check_unit(unit)
    scores = _LazyScores(upper, evaluate)
    return _first(np.arange(len(upper)), scores, k, unit, GUMBEL, words)


def top_k_permute_and_flip(
    upper: NDArray[np.int64],
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
    >>> from edgedp.sampling.words import SecureWords
    >>> top_k_permute_and_flip(np.array([0, 2, 1]), 2, Fraction(1000), SecureWords()).tolist()
    [1, 2]
    """
    _check_k(k, len(upper))
    _check_unit(unit)
    scores = _LazyScores(upper, evaluate)
    left = np.arange(len(upper))
    picked = np.empty(k, dtype=np.int64)
    for place in range(k):
        picked[place] = _first(left, scores, 1, unit, EXPONENTIAL, words)[0]
        left = left[left != picked[place]]
    return picked


def one_pick(
    scores: NDArray[np.int64],
    candidates: NDArray[np.int64],
    unit: Fraction,
    words: Words,
    sampler: Literal["exponential", "permute_and_flip"],
) -> int:
    """Draw one of some candidates, for rounds whose scores change in between.

    Parameters
    ----------
    scores : (n,) int64 array
        Exact scores of all positions.
    candidates : (m,) int64 array
        Positions that take part, at least one.
    unit : Fraction
        Worth of one score step in standard noise; positive.
    words : Words
        Source of randomness.
    sampler : {"exponential", "permute_and_flip"}
        Which of the two mechanisms.

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
    >>> from edgedp.sampling.words import SecureWords
    >>> one_pick(np.array([9, 2, 1]), np.array([1, 2]), Fraction(1000), SecureWords(), "permute_and_flip")
    1
    """
    _check_k(1, len(candidates))
    _check_unit(unit)
    noise = GUMBEL if sampler == "exponential" else EXPONENTIAL
    return int(_first(candidates, _LazyScores(scores, None), 1, unit, noise, words)[0])


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
    >>> from edgedp.sampling.words import SecureWords
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


class _LazyScores:
    """What is known of the scores: exact where evaluated, else an upper bound."""

    def __init__(self, upper: NDArray[np.int64], evaluate: Evaluate | None) -> None:
        self._evaluate = evaluate
        self.bounds = upper if evaluate is None else upper.copy()
        self.known = np.full(len(upper), evaluate is None)

    def evaluate(self, positions: NDArray[np.int64]) -> None:
        assert self._evaluate is not None  # noqa: S101  every score is known without it
        exact = self._evaluate(positions)
        if np.any(exact > self.bounds[positions]):
            raise EngineError(
                "a score is above the bound given for it, must be at or below it; report this defect"
            )
        self.bounds[positions] = exact
        self.known[positions] = True


def _first(
    candidates: NDArray[np.int64],
    scores: _LazyScores,
    k: int,
    unit: Fraction,
    noise: Noise,
    words: Words,
) -> NDArray[np.int64]:
    """Return the `k` candidates of the largest noisy scores, in order; one word each, more where needed."""
    drawn = words.take(len(candidates))
    noise_low, noise_high = noise.enclose(drawn)
    reference = scores.bounds[candidates].max()

    def enclose(members: NDArray[np.int64] | slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        below = _below_reference(scores.bounds[candidates[members]], reference, unit)
        return noise_low[members] - below[1], noise_high[members] - below[0]

    low, high = enclose(slice(None))
    low[~scores.known[candidates]] = -inf
    for batch in _worth_evaluating(candidates, scores, low, high, k):
        scores.evaluate(candidates[batch])
        low[batch], high[batch] = enclose(batch)

    able = np.flatnonzero(scores.known[candidates] & (high >= np.partition(low, len(low) - k)[len(low) - k]))
    ranked = able[np.argsort(-low[able], kind="stable")]
    open_places = np.flatnonzero(_meets_another(low[ranked], high[ranked]))
    wanted = int(np.count_nonzero(open_places < k))
    if wanted:
        contenders = np.sort(ranked[open_places])
        exact_scores = [unit * score for score in scores.bounds[candidates[contenders]].tolist()]
        noises = [LazyReal(noise, word) for word in drawn[contenders].tolist()]
        ranked[open_places] = contenders[certain_order(exact_scores, noises, wanted, words)]
    return candidates[ranked[:k]]


def _below_reference(
    scores: NDArray[np.int64], reference: np.int64, unit: Fraction
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return float bounds of ``unit * (reference - score)``, for scores up to the reference.

    The difference is exact in unsigned arithmetic. Its conversion, that of the unit, their product and the
    caller's addition err by less than ``2**-50`` of it in sum; a unit below the normal floats, by less than
    any margin. A unit beyond the floats is lowered, which leaves only the lower bound valid.
    """
    steps = (reference.astype(np.uint64) - scores.astype(np.uint64)).astype(np.float64)
    huge = unit > 2**900
    middle = steps * (2.0**900 if huge else float(unit))
    most = np.where(steps > 0, inf, 0.0) if huge else middle * (1 + 2.0**-48)
    return middle * (1 - 2.0**-48), most


def _worth_evaluating(
    candidates: NDArray[np.int64],
    scores: _LazyScores,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    k: int,
) -> Iterator[NDArray[np.int64]]:
    """Yield batches of members to evaluate, best bound first, until nobody left can be among the first `k`.

    The caller updates `low` and `high` between batches. The first batch is what is missing to `k`; later
    ones grow with what was evaluated, so at most about an eighth is evaluated in vain.
    """
    unknown = np.flatnonzero(~scores.known[candidates])
    if not unknown.size:
        return
    known_low = low[scores.known[candidates]]
    queue = _falling(unknown, high[unknown])
    upcoming = next(queue, None)
    while upcoming is not None:
        threshold = (
            np.partition(known_low, len(known_low) - k)[len(known_low) - k] if len(known_low) >= k else -inf
        )
        room = max(k - len(known_low), 1 + len(known_low) // 8)
        batch: list[int] = []
        while upcoming is not None and high[upcoming] >= threshold and len(batch) < room:
            batch.append(upcoming)
            upcoming = next(queue, None)
        if not batch:
            return
        members = np.array(batch)
        yield members
        known_low = np.concatenate([known_low, low[members]])


def _falling(members: NDArray[np.int64], values: NDArray[np.float64]) -> Iterator[int]:
    """Yield the members by falling value, sorting no more of them than are asked for."""
    size = 64
    rest = np.arange(len(members))
    while rest.size:
        size = min(size, rest.size)
        split = np.argpartition(-values[rest], size - 1)
        top, rest = rest[split[:size]], rest[split[size:]]
        yield from members[top[np.argsort(-values[top], kind="stable")]].tolist()
        size *= 4


def _meets_another(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which intervals, sorted by falling `low`, have a point in common with another one."""
    meets = np.zeros(len(low), dtype=np.bool_)
    meets[1:] |= high[1:] >= low[:-1]
    highest_from = np.maximum.accumulate(high[::-1])[::-1]
    meets[:-1] |= highest_from[1:] >= low[:-1]
    return meets
