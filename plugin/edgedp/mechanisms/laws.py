"""Exact laws of one pick and of whole ordered answers, for integer scores and rational noise.

Everything is computed in float64 from the same integers and the same rational unit that the draw uses.
Noise with an exponential tail leads to one integral: the chance of being the largest is a weight times

    ``integral_0^1 product_{i != r} (1 - p_i t) dt``,    ``0 <= p_i <= 1``.

For permute-and-flip that is the whole law, with ``p_i`` the acceptance probabilities; for two-sided geometric
noise it is the law above the largest value, and that within each step below it. Equal scores are one group,
so the time is nodes x distinct scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.quadrature import NEGLIGIBLE, leave_one_out_integrals, sum_rule
from edgedp.words.errors import ParameterError

Law = NDArray[np.float64]

_NEAR = 110.0
"""From this many scales below the largest value on, a candidate wins with a probability below ``exp(-100)``."""


def exponential_law(scores: NDArray[np.int64], unit: Fraction) -> Law:
    """Return ``Pr[r]`` proportional to ``exp(unit * scores[r])``: the exponential mechanism.

    Parameters
    ----------
    scores : (n,) int64 array
        At least one.
    unit : Fraction
        Worth of one score step; positive.

    Returns
    -------
    (n,) float64 array
        Probabilities, to about 1e-13.

    Notes
    -----
    Privacy: computed from the scores without noise; not a release.

    Examples
    --------
    >>> exponential_law(np.array([3, 2, 2]), Fraction(1)).round(3).tolist()
    [0.576, 0.212, 0.212]
    """
    weights = _relative_weights(scores, unit)
    # The best score has weight 1 and all others less, so nothing overflows, whatever the scores are.
    law: Law = weights / weights.sum()
    return law


def permute_and_flip_law(scores: NDArray[np.int64], unit: Fraction) -> Law:
    """Return the law of permute-and-flip: ``p_r`` times the integral of ``product_{i != r} (1 - p_i t)``.

    ``p_i = exp(unit * (scores[i] - max))`` is the probability that candidate ``i`` is accepted at its turn.
    Turns come in random order, as if at independent uniform times ``t``; all earlier ones were refused.

    Parameters
    ----------
    scores, unit
        As in `exponential_law`.

    Returns
    -------
    (n,) float64 array
        Probabilities, to about 1e-13.

    Notes
    -----
    Privacy: as in `exponential_law`.

    Examples
    --------
    Of two candidates, the worse one is picked if its turn comes first and it is accepted:

    >>> float(permute_and_flip_law(np.array([1, 0]), Fraction(1))[1]), float(np.exp(-1) / 2)
    (0.18393972058572117, 0.18393972058572117)

    References
    ----------
    McKenna & Sheldon, *Permute-and-Flip*, NeurIPS 2020.
    """
    distinct, group, counts = np.unique(scores, return_inverse=True, return_counts=True)
    accepted = _relative_weights(distinct, unit)
    # Equal scores have equal chances: one integral for each distinct score serves all nodes that have it.
    law: Law = (accepted * leave_one_out_integrals(accepted, counts))[group]
    return law


def joint_first_law(values: NDArray[np.int64], scale: Fraction) -> Law:
    """Return the law of the argmax of ``values + noise``, ties broken uniformly at random.

    The noise is two-sided geometric, ``Pr[z] ~ exp(-|z| / scale)``, independent for each value.

    Parameters
    ----------
    values : (n,) int64 array
        At least one.
    scale : Fraction
        Positive.

    Returns
    -------
    (n,) float64 array
        Probabilities, to about 1e-12, also relatively; 0 stands for less than ``exp(-100)``.

    Notes
    -----
    Add a uniform mark in [0, 1) to each noisy value: ties have probability 0 and are broken uniformly.
    The distribution function of candidate ``i`` is then linear between integers. From the largest value
    ``m`` on it is ``1 - c_i q**(x - m)`` at integers ``x``, ``q = exp(-1 / scale)``: all the functions are
    linear in one variable, and one integral covers that range. Below, each step between integers has an
    integral of the same kind; the sum over steps is smooth between values and is taken by `sum_rule`.

    Privacy: computed from the values without noise; not a release.

    Examples
    --------
    >>> joint_first_law(np.array([1, 1]), Fraction(1)).round(12).tolist()
    [0.5, 0.5]
    """
    distinct, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = _steps_below_largest(distinct)
    width = _width(scale)
    # What is so far below wins practically never, and left out it costs no integral for each of many nodes.
    near = below <= _NEAR * width
    law = np.zeros(len(distinct))
    law[near] = _joint_first_law_of_near(below[near], counts[near], width)
    return law[group]


def joint_ordered_law(values: NDArray[np.int64], scale: Fraction, k: int) -> dict[tuple[int, ...], float]:
    """Return the law of the `k` largest of ``values + noise``, in order; for a few values.

    Noise and ties are those of `joint_first_law`.

    Parameters
    ----------
    values : (n,) int64 array
        At least `k`; time and memory grow with ``n**3``.
    scale : Fraction
        As in `joint_first_law`.
    k : int
        1 or 2.

    Returns
    -------
    dict
        Probability, to about 1e-12, of every ordered answer.

    Raises
    ------
    ParameterError
        `k` is neither 1 nor 2, or above n.

    Notes
    -----
    ``Pr[first r, second s]`` is the integral of ``h_s (1 - H_r) product_{i != r, s} H_i``, with the
    distribution functions ``H`` and densities ``h`` of the marked noisy values: a polynomial in each step.

    Privacy: computed from the values without noise; not a release.

    Examples
    --------
    >>> law = joint_ordered_law(np.array([1, 1, 1]), Fraction(1), 2)
    >>> sorted(law)[0], round(law[0, 1], 12), round(sum(law.values()), 12)
    ((0, 1), 0.166666666667, 1.0)
    """
    count = len(values)
    if k not in (1, 2) or k > count:
        raise ParameterError(
            f"k is {k}, must be 1 or 2 and at most {count}, the number of values; choose another k"
        )
    if k == 1:
        return {(r,): float(p) for r, p in enumerate(joint_first_law(values, scale))}
    below = _steps_below_largest(values)
    width = _width(scale)
    nodes, weights = np.polynomial.legendre.leggauss(count // 2 + 1)
    pairs = np.zeros((count, count))
    own = np.eye(count, dtype=np.bool_)
    in_pair = own[:, None, :] | own[None, :, :]
    reach = int(NEGLIGIBLE * width) + 1
    for depth, weight in _weighted_integers(-reach, int(below.max()) + reach, below.tolist(), width):
        above, reached, rise = _geometric_step(below - depth, width)
        distribution = reached - np.outer((1 - nodes) / 2, rise)
        survival = above + np.outer((1 - nodes) / 2, rise)
        others = np.where(in_pair, 1, distribution[:, None, None, :]).prod(axis=3)
        pairs += np.einsum("t,tr,s,trs->rs", weight * weights / 2, survival, rise, others)
    return {(r, s): float(pairs[r, s]) for r in range(count) for s in range(count) if r != s}


def ordered_law(
    pick_law: Callable[[NDArray[np.int64]], Law], count: int, k: int
) -> dict[tuple[int, ...], float]:
    """Return the law of the ordered answer of `k` picks without replacement; for a few candidates.

    Parameters
    ----------
    pick_law : callable
        Law of one pick among some positions, given as an ascending array; one probability for each.
    count : int
        Number of candidates.
    k : int
        From 1 to `count`; there are ``count! / (count - k)!`` answers.

    Returns
    -------
    dict
        Probability of every ordered answer.

    Examples
    --------
    >>> ordered_law(lambda left: np.full(len(left), 1 / len(left)), 2, 2)
    {(0, 1): 0.5, (1, 0): 0.5}
    """
    answers: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(k):
        longer = {}
        for picked, probability in answers.items():
            left = np.setdiff1d(np.arange(count), np.asarray(picked, dtype=np.int64))
            for position, share in zip(left.tolist(), pick_law(left).tolist(), strict=True):
                longer[(*picked, position)] = probability * share
        answers = longer
    return answers


def _joint_first_law_of_near(below: Law, counts: NDArray[np.int64], width: float) -> Law:
    """Return the law for a member of each group, given how far it is below the largest value."""
    top = np.exp(-below / width) / (1 + np.exp(-1 / width))
    law: Law = top * leave_one_out_integrals(top, counts)
    least = -NEGLIGIBLE - float(below.max()) / width  # the rarest candidate is to be right as well
    for depth, weight in _weighted_integers(1, int(-least * width), below.tolist(), width):
        _, reached, rise = _geometric_step(below - depth, width)
        logarithm = float(counts @ np.log(reached))
        if logarithm < least:
            break
        shares = rise / reached
        law += weight * np.exp(logarithm) * shares * leave_one_out_integrals(shares, counts)
    return law


def _steps_below_largest(scores: NDArray[np.int64]) -> Law:
    """Return ``max - scores``, exact in unsigned arithmetic before it becomes a float."""
    steps: NDArray[np.uint64] = scores.max().astype(np.uint64) - scores.astype(np.uint64)
    return steps.astype(np.float64)


def _relative_weights(scores: NDArray[np.int64], unit: Fraction) -> Law:
    """Return ``exp(unit * (scores - max))``; a unit beyond the floats leaves the largest alone."""
    weights: Law = np.exp(-_steps_below_largest(scores) * float(min(unit, Fraction(2**900))))
    return weights


def _width(scale: Fraction) -> float:
    """Return the scale as a float; at a thousandth of a step all noise is 0 in float64 already."""
    return max(float(scale), 2.0**-10)


def _geometric_step(offset: Law, width: float) -> tuple[Law, Law, Law]:
    """Return ``Pr[noise > offset]``, ``<=`` and ``=``, smoothly continued between integers."""
    decay = np.exp(-1 / width)
    tail = np.exp(-np.abs(offset) / width) / (1 + decay)
    above = np.where(offset >= 0, tail * decay, 1 - tail)
    reached = np.where(offset >= 0, 1 - tail * decay, tail)
    return above, reached, tail * -np.expm1(-1 / width)


def _weighted_integers(
    first: int, last: int, kinks: list[float], width: float
) -> Iterator[tuple[float, float]]:
    """Yield ascending nodes and weights for the sum over ``first .. last`` of a function of the integers.

    It is smooth between kinks, a kink belonging to the run before it, and varies on the given width.
    """
    inner = sorted({int(kink) for kink in kinks if first <= kink < last})
    longest = max(1, int(width))
    for before, end in pairwise([first - 1, *inner, last]):
        for start in range(before + 1, end + 1, longest):
            nodes, weights = sum_rule(min(longest, end + 1 - start))
            yield from zip((start + nodes).tolist(), weights.tolist(), strict=True)
