"""The joint release by both proxies in version 1, to compare with: its noise follows the declared bound.

Degrees can be bought at little noise, length-2 betweenness ``B`` ranks like EBC itself. A release buys

1. all noisy degrees for ``e1`` (L1 sensitivity 2, scale ``2 / e1``);
2. for ``e2 = epsilon - e1`` all noisy ``B`` (L1 sensitivity ``2 (D - 1)``), or, where the noisy degrees
   say that the noise on ``B`` would drown it, all degrees once more.

What is bought second follows from what was released first and from public facts, so the whole is an
adaptive composition and costs ``e1 + e2 = epsilon``. Everything after that
is post-processing: `rank` sees noisy values only, neither a graph nor a projection.

*Fit.* A node of noisy degree ``x`` has about ``C = x (x - 1) / 2`` pairs of neighbours and ``B = rho C`` with
``0 <= rho <= 1``. The prior of ``ln rho`` is normal, cut at 0, with parameters fitted by EM to the nodes of the
largest noisy degrees; a twentieth of it is flat, for nodes of another kind than the bulk. The score is
the posterior mean of ``B``, which slides from a ranking by degree, where the noise is large, to one by the
noisy ``B``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.joint import noisy, share_bits
from edgedp.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.projection import Projection
    from edgedp.sampling.words import Words

__all__ = ["draw_version1"]

_LOWEST = -10.0
"""The smallest ``ln rho`` considered; one pair of neighbours in 22,000."""
_FLAT = 0.05
"""Share of the prior that is flat in ``ln rho``."""
_LEAST_SPREAD = 0.05
"""The fitted spread of ``ln rho`` stays above this, so that no node is ruled out by the others' likeness."""


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


def affords_betweenness2(
    noisy_degrees: NDArray[np.int64], e1: Fraction, e2: Fraction, degree_bound: int, k: int
) -> bool:
    """Return whether ``e2`` tells more about the k-th node as noisy length-2 betweenness than as degrees.

    Compared is the precision of ``ln B`` at the degree ``d`` that the k-th largest node seems to have: from the
    noisy ``B`` and degrees of ``e1``, or from degrees of ``e1`` and ``e2`` alone. The degree knows ``ln B`` no
    better than ``rho`` varies. Assumed are typical values, ``rho = 0.5`` and a spread of 0.3 in ``ln rho``; measured
    spreads are 0.07 to 2 (bench/results/joint.md).

    Parameters
    ----------
    noisy_degrees : (n,) int64 array
        With two-sided geometric noise of scale ``2 / e1``.
    e1, e2 : Fraction
        The two parts of the budget.
    degree_bound : int
        ``D``; public.
    k : int
        How many nodes are wanted.

    Notes
    -----
    Privacy: post-processing of noisy values and public facts.

    Examples
    --------
    >>> hubs = np.array([300, 280, 270, 3, 2, 2, 1, 1])
    >>> e1, e2 = Fraction(1, 5), Fraction(4, 5)
    >>> affords_betweenness2(hubs, e1, e2, 300, 2), affords_betweenness2(hubs, e1, e2, 100_000, 2)
    (True, False)
    """
    first, second = float(e1), float(e2)
    degree = min(_kth_degree(noisy_degrees.astype(np.float64), 2 / first, k), float(degree_bound))
    if degree < 2:
        return False
    pairs = degree * (degree - 1) / 2
    by_ratio = 0.3**2

    def by_degree(epsilon: float) -> float:
        return 2 * (2 * (2 / epsilon) / degree) ** 2

    by_betweenness = 2 * (2 * (degree_bound - 1) / second / (0.5 * pairs)) ** 2
    with_betweenness = 1 / (by_degree(first) + by_ratio) + 1 / by_betweenness
    return with_betweenness > 1 / (by_degree(float(np.hypot(first, second))) + by_ratio)


def combine_degrees(
    first: NDArray[np.int64], second: NDArray[np.int64], e1: Fraction, e2: Fraction
) -> NDArray[np.float64]:
    """Return the mean of two noisy degree vectors, each weighted by the inverse of its noise's variance.

    Notes
    -----
    Privacy: post-processing.

    Examples
    --------
    >>> combine_degrees(np.array([0]), np.array([10]), Fraction(1), Fraction(3)).tolist()
    [9.0]
    """
    share = float(e1**2 / (e1**2 + e2**2))
    return share * first.astype(np.float64) + (1 - share) * second.astype(np.float64)


def rank(
    noisy_degrees: NDArray[np.int64], noisy_betweenness: NDArray[np.float64], scale: float, k: int
) -> NDArray[np.float64]:
    """Return a score for each node: the posterior mean of its length-2 betweenness given both noisy values.

    Parameters
    ----------
    noisy_degrees : (n,) int64 array
    noisy_betweenness : (n,) float64 array
        In pairs of neighbours, not in shares.
    scale : float
        Scale of the noise in it, positive.
    k : int
        How many of the best are wanted, from 1 to n.

    Returns
    -------
    (n,) float64 array
        Positive; ``-inf`` for nodes that are certainly not among the k best, because their posterior mean cannot
        exceed ``C`` and was not computed.

    Notes
    -----
    Privacy: post-processing of noisy values.

    Where ``scale`` is far above ``C`` the score is ``C`` times a constant, so it falls with the noisy degree, also
    below 2, where ``C`` goes on as ``1 / (3 - x)``.

    Examples
    --------
    >>> degrees, betweenness = np.array([40, 39, 38, 2]), np.array([90.0, 600.0, 110.0, 0.0])
    >>> np.argsort(-rank(degrees, betweenness, 10.0, 4)).tolist()
    [1, 2, 0, 3]
    >>> np.argsort(-rank(degrees, betweenness, 1e6, 4)).tolist()
    [0, 1, 2, 3]
    """
    pairs = _pairs(noisy_degrees.astype(np.float64))
    order = np.argsort(-pairs, kind="stable")
    fitted = order[: min(max(200, 5 * k), 2_000)]
    centre, spread = _fit(pairs[fitted], noisy_betweenness[fitted], scale)
    scores = np.full(len(pairs), -np.inf)
    done, block = 0, max(256, 2 * k)
    while done < len(order):
        candidates = order[done : done + min(block, 8_192)]
        scores[candidates] = _posterior_mean(
            pairs[candidates], noisy_betweenness[candidates], scale, centre, spread
        )
        done += len(candidates)
        if done >= k and done < len(order):
            reached = np.partition(scores, len(scores) - k)[len(scores) - k]
            if reached > pairs[order[done]]:
                break
    return scores


def draw_version1(
    projection: Projection, node_count: int, degree_bound: int, k: int, epsilon: Fraction, words: Words
) -> NDArray[np.int64]:
    """Draw a release of version 1: private for graphs that keep `degree_bound` alone."""
    degrees = projection.degrees()
    if degree_bound < 2:
        return top_k_with_random_ties(np.zeros(node_count, dtype=np.int64), k, words)
    e1, e2 = split_epsilon(epsilon)
    noisy_degrees = noisy(degrees, 2, e1, words)
    if affords_betweenness2(noisy_degrees, e1, e2, degree_bound, k):
        bits = share_bits(degree_bound)
        moves = 2 * (degree_bound - 1) << bits
        shares = noisy(projection.betweenness2_shares(bits), moves, e2, words)
        scores = rank(noisy_degrees, shares.astype(np.float64) / 2**bits, float(moves / e2 / 2**bits), k)
    else:
        scores = combine_degrees(noisy_degrees, noisy(degrees, 2, e2, words), e1, e2)
    return top_k_with_random_ties(np.unique(scores, return_inverse=True)[1], k, words)


def _pairs(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``x (x - 1) / 2``, continued below 2 so that it rises with ``x`` and stays positive."""
    return np.where(degrees >= 2, degrees * (degrees - 1) / 2, 1 / (3 - np.minimum(degrees, 2)))


def _kth_degree(noisy_degrees: NDArray[np.float64], scale: float, k: int) -> float:
    """Return the largest ``x`` that k more nodes reach than n nodes of degree 0 would, by two standard deviations.

    Noise on many small nodes looks like hubs; taken at its word, it would promise degrees that are not there.
    """
    falling = np.sort(noisy_degrees)[::-1]
    by_noise = len(falling) / 2 * np.exp(-np.maximum(falling, 0) / scale)
    seen = np.flatnonzero(np.arange(1, len(falling) + 1) - by_noise - 2 * np.sqrt(by_noise) >= k)
    return float(falling[seen[0]]) if len(seen) else 0.0


def _fit(pairs: NDArray[np.float64], betweenness: NDArray[np.float64], scale: float) -> tuple[float, float]:
    """Return centre and spread of ``ln rho``, by EM on a grid; what the flat part of the prior explains stays out."""
    grid = np.linspace(_LOWEST, 0, 201)
    likelihood = _weights(-np.abs(betweenness[:, None] - pairs[:, None] * np.exp(grid)) / scale)
    centre, spread = -1.0, 1.0
    for _ in range(60):
        normal = _weights(-(((grid - centre) / spread) ** 2) / 2)
        normal *= (1 - _FLAT) / normal.sum()
        mass = normal * (likelihood.T @ (1 / (likelihood @ (normal + _FLAT / len(grid)))))
        mass /= mass.sum()
        centre = float(mass @ grid)
        spread = max(float(mass @ (grid - centre) ** 2) ** 0.5, _LEAST_SPREAD)
    return centre, spread


def _posterior_mean(
    pairs: NDArray[np.float64], betweenness: NDArray[np.float64], scale: float, centre: float, spread: float
) -> NDArray[np.float64]:
    """Return the posterior means of ``rho C``, by trapezoids between points dense where prior or likelihood is."""
    by_prior = np.concatenate(
        [np.linspace(_LOWEST, 0, 31), np.minimum(centre + spread * np.linspace(-4, 4, 17), 0)]
    )
    by_likelihood = (betweenness[:, None] + scale * np.linspace(-12, 12, 33)) / pairs[:, None]
    ratio = np.concatenate(
        [np.broadcast_to(np.exp(by_prior), (len(pairs), len(by_prior))), by_likelihood], axis=1
    )
    ratio = np.sort(np.clip(ratio, np.exp(_LOWEST), 1.0), axis=1)
    logarithm = np.log(ratio)
    normal = np.exp(-(((logarithm - centre) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    prior = ((1 - _FLAT) * normal + _FLAT / -_LOWEST) / ratio
    density = prior * _weights(-np.abs(betweenness[:, None] - pairs[:, None] * ratio) / scale)
    width = np.diff(ratio, axis=1)
    mass = ((density[:, 1:] + density[:, :-1]) * width).sum(axis=1)
    moment = ((density[:, 1:] * ratio[:, 1:] + density[:, :-1] * ratio[:, :-1]) * width).sum(axis=1)
    means: NDArray[np.float64] = pairs * moment / mass
    return means


def _weights(logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exponentials up to a factor for each row, so that the largest is 1."""
    weights: NDArray[np.float64] = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return weights
