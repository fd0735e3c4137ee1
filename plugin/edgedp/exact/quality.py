"""How good a released answer is, beside the exact one: recall, the C-metric, the relative error.

For experiments, by whoever holds the graph: every function here takes exact values, and **none of its
results is private**.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.graph.ids import as_ids, positions_of
from edgedp.mechanisms.checks import check_choice, check_whole
from edgedp.mechanisms.limits import limit
from edgedp.words.containers import is_list
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of

__all__ = ["c_metric", "coverage", "dominated_chance", "limit", "recall", "relative_error", "true_top"]

Ties = Literal["random", "front"]


def recall(values: ArrayLike, returned: ArrayLike, node_ids: ArrayLike | None = None) -> float:
    """Return the share of the returned nodes that belong to the exact top-k, ``k = len(returned)``.

    A returned node whose value equals the k-th largest belongs to it, so a tie for the last place counts.
    As many nodes are returned as belong, so this is accuracy, precision and recall at k at once.

    Parameters
    ----------
    values : (n,) float64 or int64
        The exact utility: a metric, a weighted sum, or the Pareto score.
    returned : (k,) int
        Positions; or node ids, where `node_ids` is given.
    node_ids : (n,) int64 or str, optional
        The ids of the positions, ascending: ``graph.node_ids``.

    Raises
    ------
    EdgeDPError
        `returned` is empty, or holds an unknown id or position.

    Notes
    -----
    Privacy: the result is computed from exact values and is not private.

    Examples
    --------
    >>> recall([9, 5, 5, 1], [0, 2])
    1.0
    >>> from edgedp import Graph, exact, priv_top_k
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> release = priv_top_k(star, metric="degree", k=1, epsilon=40)
    >>> recall(exact.degree(star), release.nodes, node_ids=star.node_ids)
    1.0
    """
    exact = _numbers(values, "values", 1)
    chosen = _positions(returned, len(exact), node_ids)
    return float(np.mean(true_top(exact, len(chosen))[chosen]))


def true_top(values: ArrayLike, k: int) -> NDArray[np.bool_]:
    """Return which positions belong to the exact top k: all whose value is at least the k-th largest.

    The mean of these over a list of k positions is its `recall`.

    Parameters
    ----------
    values : (n,) float64 or int64
    k : int
        From 1 to n.

    Returns
    -------
    (n,) bool
        True at k positions, and at more where the last place is tied.

    Raises
    ------
    EdgeDPError
        `k` is not from 1 to n.

    Notes
    -----
    Privacy: not private.

    Examples
    --------
    >>> true_top([9, 5, 5, 1], 2).tolist()
    [True, True, True, False]
    """
    exact = _numbers(values, "values", 1)
    belongs: NDArray[np.bool_] = exact >= _kth_largest(exact, k)
    return belongs


def coverage(utilities: ArrayLike, judges: ArrayLike, returned: ArrayLike) -> float:
    """Return Zitzler's ``C(A, B)``: the share of B that some member of A strictly dominates.

    Parameters
    ----------
    utilities : (n, p) float64
        One row a node, one column an objective; larger is better.
    judges, returned : (a,) and (b,) int
        Positions of A and of B.

    Raises
    ------
    EdgeDPError
        A list is empty, or holds a position twice or one out of range.

    Notes
    -----
    Privacy: not private.

    References
    ----------
    Zitzler and Thiele (1998), Multiobjective optimization using evolutionary algorithms.

    Examples
    --------
    >>> coverage([[3.0, 3.0], [2.0, 2.0], [3.0, 1.0]], judges=[0], returned=[1, 2])
    0.5
    """
    table = _numbers(utilities, "utilities", 2).astype(np.float64)
    chosen = _positions(returned, len(table), None)
    return float(np.mean(_dominators(table, _positions(judges, len(table), None), chosen) > 0))


def c_metric(
    utilities: ArrayLike,
    scores: ArrayLike,
    returned: ArrayLike,
    ties: Ties = "random",
    node_ids: ArrayLike | None = None,
) -> float:
    """Return the C-metric of a released list: ``C(A, returned)``, A being the exact top-k; lower is better.

    Thousands of nodes may share the k-th Pareto score, so A needs a rule for ties.

    Parameters
    ----------
    utilities : (n, p) float64
        One row a node, one column an objective; larger is better.
    scores : (n,) int64
        Exact Pareto scores (minus the number of nodes that dominate each).
    returned : (k,) int
        Positions; or node ids, where `node_ids` is given.
    ties : {"random", "front"}
        ``random``: the exact top-k with ties drawn uniformly at random; the expectation, computed without a
        draw. ``front``: every node whose score is at least the k-th largest.
    node_ids : (n,) int64 or str, optional
        As for `recall`.

    Raises
    ------
    EdgeDPError
        As for `recall`, or `ties` is neither of its words.

    Notes
    -----
    Privacy: not private.

    Examples
    --------
    Two nodes tie for one place, and one of them dominates the node that was returned.

    >>> utilities = [[3.0, 3.0], [9.0, 1.0], [2.0, 2.0]]
    >>> c_metric(utilities, [0, 0, -1], [2]), c_metric(utilities, [0, 0, -1], [2], ties="front")
    (0.5, 1.0)
    """
    table, score = _scored(utilities, scores)
    chosen = _positions(returned, len(table), node_ids)
    match check_choice(ties, "ties", get_args(Ties)):
        case "random":
            return float(np.mean(dominated_chance(table, score, len(chosen), chosen)))
        case "front":
            kth = _kth_largest(score, len(chosen))
            return float(np.mean(_dominators(table, np.flatnonzero(score >= kth), chosen) > 0))
        case _:
            raise AssertionError


def dominated_chance(
    utilities: ArrayLike, scores: ArrayLike, k: int, nodes: ArrayLike
) -> NDArray[np.float64]:
    """Return the probability that an exact top-k with ties drawn at random dominates each of `nodes`.

    The nodes at the k-th score, ``tied`` in number, fill the ``open`` places at random. A node that m of them
    dominate escapes with probability ``C(tied - m, open) / C(tied, open)``, if none above them dominates it.

    Parameters
    ----------
    utilities, scores
        As for `c_metric`.
    k : int
        Size of the exact list.
    nodes : (q,) int
        Positions.

    Returns
    -------
    (q,) float64

    Notes
    -----
    Privacy: not private.

    Examples
    --------
    >>> dominated_chance([[3.0, 3.0], [9.0, 1.0], [2.0, 2.0]], [0, 0, -1], 1, [0, 2]).tolist()
    [0.0, 0.5]
    """
    table, score = _scored(utilities, scores)
    asked = _positions(nodes, len(table), None)
    kth = _kth_largest(score, k)
    above, tied = np.flatnonzero(score > kth), np.flatnonzero(score == kth)
    dominators = _dominators(table, tied, asked)
    escapes = np.ones(len(asked))
    for place in range(k - len(above)):
        escapes *= np.maximum(len(tied) - dominators - place, 0) / (len(tied) - place)
    return np.where(_dominators(table, above, asked) > 0, 1.0, 1.0 - escapes)


def relative_error(value: ArrayLike, exact: ArrayLike) -> float:
    """Return ``|value - exact| / |exact|``; of arrays, the L1 norm of the difference over that of the exact one.

    0 where both are 0, infinity where only the exact one is.

    Parameters
    ----------
    value, exact : number or array-like of numbers
        Of one shape.

    Raises
    ------
    ParameterError
        The shapes differ.

    Notes
    -----
    Privacy: not private.

    Examples
    --------
    >>> relative_error(110, 100), relative_error([1, 2, 3], [1, 2, 5])
    (0.1, 0.25)
    """
    released, truth = _numbers(value, "value", 0, 1, 2), _numbers(exact, "exact", 0, 1, 2)
    if released.shape != truth.shape:
        raise ParameterError(
            f"value is of shape {released.shape}, must be of the shape of exact, {truth.shape}; give both alike"
        )
    wrong, size = float(np.abs(released - truth).sum()), float(np.abs(truth).sum())
    if size == 0:
        return 0.0 if wrong == 0 else float("inf")
    return wrong / size


def _scored(utilities: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the rows of utilities and the score of each."""
    table, score = _numbers(utilities, "utilities", 2).astype(np.float64), _numbers(scores, "scores", 1)
    if len(score) != len(table):
        raise ParameterError(
            f"scores has length {len(score)}, must be {len(table)}; give one for each row of utilities"
        )
    return table, score


def _numbers(values: ArrayLike, name: str, *dimensions: int) -> NDArray[Any]:
    """Return numbers as an array of so many dimensions."""
    try:
        made = np.asarray(values)
    except (TypeError, ValueError):  # rows of several lengths, and what makes itself no array
        made = np.zeros(0, dtype=object)
    if made.dtype.kind not in "iufb" or made.ndim not in dimensions:
        shape = {0: "a number or a list of numbers", 1: "a list of numbers", 2: "rows of numbers"}[
            dimensions[0]
        ]
        raise ParameterError(f"{name} is {kind_of(values)}, must be {shape}; give it as an array or a list")
    return made


def _positions(returned: ArrayLike, n: int, node_ids: ArrayLike | None) -> NDArray[np.int64]:
    """Return checked positions; an empty list has no quality."""
    chosen = as_ids(returned, "the list of nodes") if is_list(returned) else np.zeros(0)
    if len(chosen) == 0:
        raise ParameterError("the list of nodes is empty; give what was returned")
    if len(np.unique(chosen)) < len(chosen):
        raise ParameterError("the list of nodes holds one twice; give what was returned")
    if node_ids is not None:
        return positions_of(as_ids(node_ids, "node_ids"), chosen, what="returned")
    if chosen.dtype.kind not in "iu" or int(chosen.min()) < 0 or int(chosen.max()) >= n:
        raise ParameterError(
            f"the list of nodes holds something other than a position from 0 to {n - 1}; pass node_ids for ids"
        )
    return chosen.astype(np.int64)


def _dominators(
    utilities: NDArray[np.float64], judges: NDArray[np.int64], returned: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return by how many judges each returned node is dominated."""
    from edgedp.graph.engines.native.dominance import count_dominating

    return count_dominating(
        np.ascontiguousarray(utilities[judges].T), np.ascontiguousarray(utilities[returned].T)
    )


def _kth_largest(values: NDArray[np.float64] | NDArray[np.int64], k: int) -> np.float64 | np.int64:
    """Return the k-th largest value, in its own type."""
    k = check_whole(k, "k")
    if not 1 <= k <= len(values):
        raise ParameterError(f"k is {k}, must be from 1 to the number of nodes, {len(values)}; return fewer")
    kth: np.float64 | np.int64 = np.partition(values, len(values) - k)[len(values) - k]
    return kth
