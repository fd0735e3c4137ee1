"""The distribution of the degrees: its draw.

``N_{>=k}``, the number of nodes of degree ``k`` or more, ``k = 1 .. D``: an edge moves two degrees by one
each, so it moves two of these by one each, whatever ``D``. Two-sided geometric noise of scale ``2 / epsilon`` goes on
all of them; then the nearest vector that never rises is taken (isotonic regression), cut to ``0 .. n``. The histogram
is its differences: noise on the histogram itself would be twice as large, and its sums would drift.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.joint import noisy
from edgedp.release.numbers.answers import Distribution

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.mechanisms.sampling.words import Words
    from edgedp.release.plan import DistributionPlan, PublicFacts
    from edgedp.words.vocabulary import DistributionForm

MOVES = 2
"""L1 sensitivity of all ``N_{>=k}`` together."""


def draw_distribution(plan: DistributionPlan, projection: NumberProjection, words: Words) -> Distribution:
    """Draw the distribution: D values for ccdf, D + 1 for histogram.

    Notes
    -----
    Privacy: ``epsilon``-edge-DP; whoever calls has checked the bound.
    """
    ccdf = noisy_ccdf(plan.facts, plan.epsilon, projection, words)
    return in_form(ccdf, plan.form, plan.facts.node_count)


def in_form(ccdf: NDArray[np.int64], form: DistributionForm, node_count: int) -> Distribution:
    """Return released numbers of nodes of degree ``k`` or more in the form that was asked for; post-processing."""
    match form:
        case "ccdf":
            return Distribution(tuple(ccdf.tolist()), 1)
        case "histogram":
            return Distribution(tuple(histogram_of(ccdf, node_count).tolist()), 0)
        case _:
            assert_never(form)


def noisy_ccdf(
    facts: PublicFacts, epsilon: Fraction, projection: NumberProjection, words: Words
) -> NDArray[np.int64]:
    """Draw the (D,) consistent ``N_{>=k}``, ``k = 1 .. D``."""
    exact = at_least_counts(projection.degrees(), facts.effective_degree_bound)
    if len(exact) == 0:
        return exact
    return consistent(noisy(exact, MOVES, epsilon, words), facts.node_count)


def at_least_counts(degrees: NDArray[np.int64], degree_bound: int) -> NDArray[np.int64]:
    """Return the (D,) numbers of nodes of degree ``k`` or more, ``k = 1 .. D``.

    Examples
    --------
    >>> at_least_counts(np.array([2, 1, 1, 0]), 3).tolist()
    [3, 1, 0]
    """
    counts = np.bincount(degrees, minlength=degree_bound + 1)[: degree_bound + 1]
    at_least: NDArray[np.int64] = np.cumsum(counts[::-1])[::-1][1:].astype(np.int64)
    return at_least


def consistent(noisy: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Return the nearest vector that never rises, rounded and cut to ``0 .. most``.

    Isotonic regression by pooling: sums of integers, so nothing depends on the order.

    Examples
    --------
    >>> consistent(np.array([5, 2, 4, -1]), 4).tolist()
    [4, 3, 3, 0]

    References
    ----------
    Hay, Rastogi, Miklau and Suciu (2010), Boosting the accuracy of differentially private histograms through
    consistency.
    """
    sums: list[int] = []
    sizes: list[int] = []
    for value in noisy.tolist():
        total, size = value, 1
        # Pool while the block before has the smaller mean.
        while sums and sums[-1] * size < total * sizes[-1]:
            total += sums.pop()
            size += sizes.pop()
        sums.append(total)
        sizes.append(size)
    means = [(2 * total + size) // (2 * size) for total, size in zip(sums, sizes, strict=True)]
    levels = np.array([min(max(mean, 0), most) for mean in means], dtype=np.int64)
    return np.repeat(levels, sizes)


def histogram_of(ccdf: NDArray[np.int64], node_count: int) -> NDArray[np.int64]:
    """Return the (D + 1,) numbers of nodes of degree exactly ``k``, ``k = 0 .. D``; they sum to the number of nodes.

    Examples
    --------
    >>> histogram_of(np.array([3, 1, 0]), 4).tolist()
    [1, 2, 1, 0]
    """
    edges = np.concatenate([[node_count], ccdf, [0]])
    return -np.diff(edges)
