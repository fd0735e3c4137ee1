"""How good any private list could be on a graph: what no mechanism that is as good beside the graph can exceed.

Lift an outsider v to the value of the node of rank j by adding ``D(v, j)`` edges at v: in that graph v has rank j. A
mechanism that is as good there, rank by rank, lists v with the chance ``r_j`` that it lists the node of rank j here,
and so, by privacy, v here with at least ``exp(-epsilon D) r_j``. All outsiders together are listed ``k (1 - R)``
times, R being the expected recall. So ``r_j <= k (1 - R) / S_j`` with ``S_j`` the sum of ``exp(-epsilon D(v, j))`` over
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.amounts.epsilon import epsilon_nano, to_fraction
from edgedp.checks import check_choice, check_graph, check_k
from edgedp.metrics import metric as metric_by_name

if TYPE_CHECKING:
    from edgedp.graph import Graph

__all__ = ["LIMITED", "limit", "limit_of", "limits"]

Floats = NDArray[np.float64]

LIMITED = ("degree", "ebc", "betweenness2")
"""Metrics of which it is known how many edges lift a node."""
_BLOCK = 1 << 20


def limit(graph: Graph, metric: str, k: int, epsilon: Any) -> float:
    """Return the largest expected recall that a private list can have that is as good on the graphs beside this one.

    Parameters
    ----------
    graph : Graph
    metric : {"degree", "ebc", "betweenness2"}
    k : int
        From 1 to the number of nodes.
    epsilon : number or decimal text
        Of the whole release.

    Returns
    -------
    float
        From 0 to 1. A mechanism that is good on this graph only, and bad beside it, may be above it.

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain.

    Notes
    -----
    Privacy: computed from exact values, so it is **not private**: for whoever holds the graph.

    Examples
    --------
    >>> from edgedp import Graph
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> limit(star, "degree", k=1, epsilon=1) > 0.99, round(limit(star, "degree", k=1, epsilon="0.001"), 2)
    (True, 0.03)
    """
    return limits(graph, metric, k, [float(to_fraction(epsilon_nano(epsilon)))])[0]


def limits(graph: Graph, metric: str, k: int, epsilons: Sequence[float]) -> list[float]:
    """Return the limits of several epsilon; parameters as for `limit`."""
    check_graph(graph)
    name = check_choice(metric, "metric", LIMITED)
    k = check_k(k, graph.node_count)
    values = metric_by_name(name).native(graph, None).astype(np.float64)
    degrees = graph.degrees.astype(np.float64)
    return [limit_of(values, degrees, k, epsilon, by_degree=name == "degree") for epsilon in epsilons]


def limit_of(values: Floats, degrees: Floats, k: int, epsilon: float, *, by_degree: bool) -> float:
    """Return the limit from exact values.

    Parameters
    ----------
    values, degrees : (n,) float64
    k : int
    epsilon : float
    by_degree : bool
        Whether a new edge adds one to the value, or, as to betweenness, at most one for each neighbour there is.

    Examples
    --------
    >>> values = np.array([9.0, 5.0, 5.0, 1.0])
    >>> [round(limit_of(values, values, 2, epsilon, by_degree=True), 3) for epsilon in (1e-9, 1.0, 100.0)]
    [0.5, 0.864, 1.0]
    """
    order = np.argsort(-values, kind="stable")
    listed, outside = values[order[:k]], order[k:]
    pairs, counts = np.unique(
        np.column_stack([values[outside], degrees[outside]]), axis=0, return_counts=True
    )
    chances = _chances(listed, pairs, counts.astype(np.float64), epsilon, by_degree=by_degree)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = np.minimum(1.0, k * (1 - middle) / np.maximum(chances, 1e-300)).mean()
        low, high = (middle, high) if reached >= middle else (low, middle)
    return low


def _chances(listed: Floats, pairs: Floats, counts: Floats, epsilon: float, *, by_degree: bool) -> Floats:
    """Return ``S_j`` for each listed node: equal outsiders, given once with their number, are computed once."""
    found = np.zeros(len(listed))
    for start in range(0, len(pairs), _BLOCK):
        of, degree = pairs[start : start + _BLOCK].T
        many = counts[start : start + _BLOCK]
        for place, value in enumerate(listed):
            gap = np.maximum(value - of, 0.0)
            edges = np.floor(gap) + 1 if by_degree else _least_edges(gap, degree)
            found[place] += float(many @ np.exp(-epsilon * edges))
    return found


def _least_edges(gap: Floats, degree: Floats) -> Floats:
    """Return the least whole ``a`` with ``a d + a (a - 1) / 2 > gap``.

    Examples
    --------
    >>> _least_edges(np.array([0.0, 0.0, 10.0, 10.0]), np.array([0.0, 3.0, 0.0, 4.0])).tolist()
    [2.0, 1.0, 6.0, 3.0]
    """
    half = degree - 0.5
    least = np.maximum(np.floor(np.sqrt(half * half + 2 * gap) - half), 1.0)
    # The root is off by at most one step, whatever the square root was rounded to.
    for _ in range(2):
        least += (least * degree + least * (least - 1) / 2 <= gap).astype(np.float64)
    return least
