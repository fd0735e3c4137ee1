"""How good a released top-k is: accuracy, and the C-metric with two rules for ties.

Pure functions of exact values, for experiments: none of their results is private.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.pareto.dominance import count_dominating

__all__ = ["accuracy", "c_metric", "c_metric_random_ties", "c_metric_whole_front", "dominated_chance"]


def accuracy(values: NDArray[np.float64], returned: NDArray[np.int64]) -> float:
    """Return the share of the returned nodes that belong to the true top-k; also the recall.

    A returned node whose value equals the k-th largest belongs to it.

    Parameters
    ----------
    values : (n,) float64 or int64
        The exact utility: a metric, a weighted sum, or the Pareto score.
    returned : (k,) int64
        Positions.

    Examples
    --------
    >>> accuracy(np.array([9, 5, 5, 1]), np.array([0, 2]))
    1.0
    """
    return float(np.mean(values[returned] >= _kth_largest(values, len(returned))))


def c_metric(utilities: NDArray[np.float64], judges: NDArray[np.int64], returned: NDArray[np.int64]) -> float:
    """Return Zitzler's ``C(A, B)``: the share of B that some member of A strictly dominates.

    Parameters
    ----------
    utilities : (n, p) float64
    judges, returned : int64
        Positions of A and of B.

    Examples
    --------
    >>> utilities = np.array([[3.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    >>> c_metric(utilities, judges=np.array([0]), returned=np.array([1, 2]))
    0.5
    """
    return float(np.mean(_dominators(utilities, judges, returned) > 0))


def c_metric_whole_front(
    utilities: NDArray[np.float64], scores: NDArray[np.int64], returned: NDArray[np.int64]
) -> float:
    """Return ``C(A, returned)``, A being every node whose Pareto score is at least the k-th largest."""
    kth = _kth_largest(scores, len(returned))
    return c_metric(utilities, np.flatnonzero(scores >= kth), returned)


def c_metric_random_ties(
    utilities: NDArray[np.float64], scores: NDArray[np.int64], returned: NDArray[np.int64]
) -> float:
    """Return the expected ``C(A, returned)``, A being the true top-k with ties drawn uniformly at random.

    Exact, no draw is made: the mean of `dominated_chance`.

    Examples
    --------
    Two nodes tie for one place, and one of them dominates the node that was returned.

    >>> utilities = np.array([[3.0, 3.0], [9.0, 1.0], [2.0, 2.0]])
    >>> c_metric_random_ties(utilities, np.array([0, 0, -1]), np.array([2]))
    0.5
    """
    return float(np.mean(dominated_chance(utilities, scores, len(returned), returned)))


def dominated_chance(
    utilities: NDArray[np.float64], scores: NDArray[np.int64], k: int, nodes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability that a true top-k with ties drawn at random dominates each of `nodes`.

    Of the nodes at the k-th score, ``tied`` in number, ``open`` places are filled at random. A node that m
    of them dominate escapes with probability ``C(tied - m, open) / C(tied, open)``, if nobody above does.
    """
    kth = _kth_largest(scores, k)
    above, tied = np.flatnonzero(scores > kth), np.flatnonzero(scores == kth)
    places = k - len(above)
    dominators = _dominators(utilities, tied, nodes)
    escapes = np.ones(len(nodes))
    for place in range(places):
        escapes *= np.maximum(len(tied) - dominators - place, 0) / (len(tied) - place)
    return np.where(_dominators(utilities, above, nodes) > 0, 1.0, 1.0 - escapes)


def _dominators(
    utilities: NDArray[np.float64], judges: NDArray[np.int64], returned: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return by how many judges each returned node is dominated."""
    return count_dominating(
        np.ascontiguousarray(utilities[judges].T), np.ascontiguousarray(utilities[returned].T)
    )


def _kth_largest(values: NDArray[np.float64] | NDArray[np.int64], k: int) -> float:
    """Return the k-th largest value."""
    return np.partition(values, len(values) - k)[len(values) - k]
