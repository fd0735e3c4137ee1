"""Smooth noisy max (SNM), corrected: noise that follows the data, and what it takes for that to be private.

The pick is the argmax of ``u(r) + N Z_r`` with standard exponential ``Z_r``, ``N = 2 S / e1``, where ``S`` bounds
the local sensitivity of every candidate and changes by a factor of at most ``exp(beta)`` between neighbours.

As published (Chaves 2024, Theorem 4.2) ``beta`` does not depend on the number of candidates, and the pick is not
(epsilon, delta)-private: the noise of *all* n candidates dilates at once. Here

    epsilon = e1 + e2,    beta = ln(1 + e2 / T),    (1 + exp(e2)) q(T) = delta,    q(T) = (n - 1) exp(-T) / 2,

``q`` bounding the chance that anyone ``T`` units of noise behind the leader wins. The proof is in
docs/privacy-selection.md, "Smooth noisy max". Half of epsilon goes to either part.

References
----------
Chaves (2024), Smooth noisy max; Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.checks import check_whole, part_of_one
from edgedp.mechanisms.grid import GridScores, unit_of
from edgedp.mechanisms.samplers import PERMUTE_AND_FLIP
from edgedp.mechanisms.scores.steps import FARTHEST, steps_below_best
from edgedp.words.amounts.epsilon import epsilon_nano, to_fraction
from edgedp.words.errors import ParameterError

_MOST_BITS = 20
_SLACK = 2.0**-41
"""More than twice the relative error of a computed smooth bound; beta is lowered by as much."""
_LEAST = 2.0**-900
"""A smooth bound is raised to this public constant, below which floats end."""


@dataclass(frozen=True)
class SmoothNoise:
    """What epsilon, delta and the number of candidates fix; nothing here follows the data.

    Attributes
    ----------
    slide, dilate : Fraction
        ``e1`` and ``e2``.
    reach : float
        ``T``, in units of noise.
    beta : float
        How fast ``S`` may fall with the distance.
    """

    slide: Fraction
    dilate: Fraction
    reach: float
    beta: float


def smooth_noise(epsilon: Fraction, delta: Fraction, candidates: int) -> SmoothNoise:
    """Calibrate one pick among `candidates` of them; ``T`` is rounded up and beta down.

    Examples
    --------
    >>> noise = smooth_noise(Fraction(1), Fraction(1, 10**6), 36_692)
    >>> round(noise.reach, 2), round(noise.beta, 4)
    (24.61, 0.0201)
    """
    half = epsilon / 2
    e2 = float(half)
    doubled = e2 + math.log1p(math.exp(-e2))  # ln(1 + exp(e2)), also for a large e2
    reach = math.log(max(candidates - 1, 1)) + doubled - math.log(2) - math.log(delta)
    # Rounded up: a longer reach costs noise, a shorter one would cost delta.
    reach = reach * (1 + 2.0**-20) + 2.0**-20
    # Rounded down: the bound may then only fall more slowly than the proof allows.
    beta = math.log1p(e2 / reach) * (1 - 2.0**-40) - _SLACK
    if beta <= _SLACK:
        raise ParameterError(
            "epsilon is too small for snm with this delta and number of candidates; ask for a larger one, or use pf"
        )
    return SmoothNoise(half, half, reach, beta)


def smooth_beta(epsilon: Any, delta: Any, candidates: int, k: int = 1) -> float:
    """Return the beta that ``S`` has to be smooth for, in a call of `edgedp.select` with these figures.

    Parameters
    ----------
    epsilon, delta : number or decimal text
        Of all k picks together.
    candidates : int
        Number of candidates.
    k : int
        Number of picks; each runs at ``epsilon / k`` and ``delta / k``.

    Returns
    -------
    float
        ``S(x) <= exp(beta) S(y)`` must hold for all neighbours x, y.

    Raises
    ------
    ParameterError
        A figure is out of its domain, or `epsilon` too small for the others.

    Examples
    --------
    >>> round(smooth_beta(1, 1e-6, 36_692), 4)
    0.0201
    """
    number, rounds = check_whole(candidates, "candidates"), check_whole(k, "k")
    if number < 1:
        raise ParameterError(f"candidates is {number}, must be 1 or more; give how many there are")
    if not 1 <= rounds <= number:
        raise ParameterError(
            f"k is {rounds}, must be from 1 to {number}, the number of candidates; choose another k"
        )
    return smooth_noise(to_fraction(epsilon_nano(epsilon)) / rounds, check_delta(delta) / rounds, number).beta


def smooth_bound(largest: NDArray[np.float64], beta: float) -> float:
    """Return ``S = max over t of exp(-beta t) L(t)``, raised so that no rounding puts it below the real one.

    Parameters
    ----------
    largest : (T,) float64
        ``L(t)``: the largest admissible sensitivity at distance ``t``; the last holds for all larger ``t``.
    beta : float
        Positive.

    Examples
    --------
    >>> round(smooth_bound(np.array([1.0, 8.0]), math.log(2)), 9)
    4.0
    """
    distances = np.arange(len(largest), dtype=np.float64)
    with np.errstate(under="ignore"):
        # Below exp(-700) floats end. A factor that is too large only raises the bound.
        found = float((np.exp(np.maximum(-beta * distances, -700.0)) * largest).max())
    return max(found * (1 + 2.0**-42), _LEAST)


def smooth_scores(
    values: NDArray[np.float64],
    table: NDArray[np.float64] | None,
    smooth: float | Callable[[float], float] | None,
    epsilon: Fraction,
    delta: Any,
    k: int,
    *,
    monotone: bool,
) -> GridScores:
    """Return the scores ``u / S`` below the best one, and a unit of noise that is public.

    Parameters
    ----------
    values : (n,) float64
    table : (n, T) float64, optional
        Admissible sensitivities; the largest of each column makes ``S``.
    smooth : float or callable, optional
        ``S`` itself, or a function of beta; exactly one of the two is given.
    epsilon : Fraction
        Of one pick.
    delta : number or text
        Of all `k` picks.
    k : int
    monotone : bool

    Notes
    -----
    Utilities are rounded to ``S * 2**-bits``, a step that follows the data as the noise does. Between
    neighbours a score then moves by ``2**bits`` steps, half a step here and ``exp(beta) / 2`` of one there, and
    the noise is scaled to more. A gap beyond `FARTHEST` steps, which is cut, is so many units of noise that
    the chance to win from there is within the rounding of ``T``.
    """
    budget = check_delta(delta)
    noise = smooth_noise(epsilon, budget / k, len(values))
    if (table is None) == (smooth is None):
        raise ParameterError("snm takes either sensitivity or smooth; give one of them")
    bound = (
        smooth_bound(table.max(axis=0), noise.beta) if table is not None else _promised(smooth, noise.beta)
    )
    needed = noise.reach + 2 * float(epsilon) + 64 + math.log(len(values))
    farthest = math.log2(FARTHEST) - math.log2(2 * needed / float(noise.slide))
    bits = min(_MOST_BITS, math.floor(farthest) - 1)
    if bits < 8:
        raise ParameterError("epsilon is too small for snm; ask for a larger one, or use pf")
    scores = steps_below_best(values, bound, bits)
    moved = (1 << bits) + 2 + math.ceil(float(noise.dilate) / noise.reach)
    return GridScores(scores, unit_of(noise.slide, moved, monotone=monotone), PERMUTE_AND_FLIP)


def check_delta(value: Any) -> Fraction:
    """Return delta as the decimal that was written: above 0 and below 1.

    Examples
    --------
    >>> check_delta("1e-6")
    Fraction(1, 1000000)
    """
    delta = part_of_one(value)
    if delta is None:
        raise ParameterError(
            f"delta is {value}, must be above 0 and below 1 for snm, which is not pure; give one such as 1e-6"
        )
    return delta


def _promised(smooth: Any, beta: float) -> float:
    """Return the caller's ``S``: a number, or a function of beta."""
    try:
        bound = float(smooth(beta) if callable(smooth) else smooth)
    except (TypeError, ValueError, OverflowError):
        bound = math.nan
    if not (math.isfinite(bound) and 0 <= bound <= 1e290):
        raise ParameterError("smooth is not a finite number of 0 or more; give S or a function of beta")
    return max(bound * (1 + 2.0**-42), _LEAST)
