"""The joint release by both proxies in version 1, to compare with: its noise follows the declared bound.

The split of epsilon, the fit and the mean of two degree vectors are those of today.

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

from edgedp.mechanisms.adaptive.choice import kth_degree, split_epsilon
from edgedp.mechanisms.adaptive.fit import combine_degrees, fit_ratio, pairs_of, posterior_ratio
from edgedp.mechanisms.joint import noisy
from edgedp.metrics.betweenness2 import share_bits
from edgedp.sampling.select import top_k_with_random_ties

if TYPE_CHECKING:
    from edgedp.projection import Projection
    from edgedp.sampling.words import Words

__all__ = ["draw_version1"]


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
    degree = min(kth_degree(noisy_degrees, 2 / first, k), float(degree_bound))
    if degree < 2:
        return False
    pairs = degree * (degree - 1) / 2
    by_ratio = 0.3**2

    def by_degree(epsilon: float) -> float:
        return 2 * (2 * (2 / epsilon) / degree) ** 2

    by_betweenness = 2 * (2 * (degree_bound - 1) / second / (0.5 * pairs)) ** 2
    with_betweenness = 1 / (by_degree(first) + by_ratio) + 1 / by_betweenness
    return with_betweenness > 1 / (by_degree(float(np.hypot(first, second))) + by_ratio)


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
    pairs = pairs_of(noisy_degrees.astype(np.float64))
    order = np.argsort(-pairs, kind="stable")
    fitted = order[: min(max(200, 5 * k), 2_000)]
    centre, spread = fit_ratio(pairs[fitted], noisy_betweenness[fitted], scale)
    scores = np.full(len(pairs), -np.inf)
    done, block = 0, max(256, 2 * k)
    while done < len(order):
        candidates = order[done : done + min(block, 8_192)]
        ratio = posterior_ratio(pairs[candidates], noisy_betweenness[candidates], scale, centre, spread)
        scores[candidates] = ratio * pairs[candidates]
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
