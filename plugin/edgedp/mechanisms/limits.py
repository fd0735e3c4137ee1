"""How good any private list could be on a graph: what no mechanism that is as good beside the graph can exceed.

Let ``r_1 >= ... >= r_k`` be chances such that a mechanism lists the node of rank j at least with ``r_j``, on this graph
and on the graphs below. `R` is their mean.

1. Lift an outsider v above the node of rank j by ``D(v, j)`` new edges at v. In that graph v has rank j or better, and
   is listed at least with ``r_j``. So on this graph, by privacy, at least with ``exp(-epsilon D) r_j``.
2. All outsiders together are listed ``k (1 - R)`` times at most. So ``r_j <= k (1 - R) / S_j`` with ``S_j`` the sum of
   ``exp(-epsilon D(v, j))`` over them, and R is at most the largest solution of
   ``R = mean_j min(1, k (1 - R) / S_j)``.

The edges of step 1 have to be there to be added, and to lift v only. An outsider for whom that is not sure adds nothing
to ``S_j``: that raises the limit, which holds all the same (`_room`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.checks import check_choice, check_graph, check_k
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.words.amounts.epsilon import epsilon_nano, to_fraction

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

Floats = NDArray[np.float64]

LIMITED = ("degree", "ebc")
"""Metrics of which it is known which edges lift one node and leave the others where they are."""
_BLOCK = 1 << 20
_PLAIN = 8
"""So many neighbours at most has a node that becomes a new neighbour, for EBC."""
_ROUNDED = 1e-9
"""Relative: by more than this a value computed in floats is not off, and a tie would be no lift."""


def limit(graph: Graph, metric: str, k: int, epsilon: Any) -> float:
    """Return the largest expected recall that a private list can have that is as good on the graphs beside this one.

    Parameters
    ----------
    graph : Graph
    metric : {"degree", "ebc"}
    k : int
        From 1 to the number of nodes.
    epsilon : number or decimal text
        Of the whole release.

    Returns
    -------
    float
        From 0 to 1. A mechanism that is good on this graph only, and bad beside it, may be above it; and so may one
        whose guarantee holds below a bound on degrees that the graphs beside this one exceed. 1 where there is no
        room for the edges that the argument adds, as in a dense graph.

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
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)], nodes=range(100))
    >>> limit(star, "degree", k=1, epsilon=1) > 0.99, round(limit(star, "degree", k=1, epsilon="0.001"), 2)
    (True, 0.01)
    """
    return limits(graph, metric, k, [float(to_fraction(epsilon_nano(epsilon)))])[0]


def limits(graph: Graph, metric: str, k: int, epsilons: Sequence[float]) -> list[float]:
    """Return the limits of several epsilon; parameters as for `limit`."""
    check_graph(graph)
    name = check_choice(metric, "metric", LIMITED)
    k = check_k(k, graph.node_count)
    values = metric_by_name(name).native(graph, None).astype(np.float64)
    of = limit_by_epsilon(graph, values, k, by_degree=name == "degree")
    return [of(epsilon) for epsilon in epsilons]


def limit_by_epsilon(graph: Graph, values: Floats, k: int, *, by_degree: bool) -> Callable[[float], float]:
    """Return the limit as a function of epsilon, from exact values that are known already."""
    degrees = graph.degrees.astype(np.float64)
    room = _room(graph, float(np.sort(values)[-k]), by_degree=by_degree)
    return lambda epsilon: limit_of(values, degrees, room, k, epsilon, by_degree=by_degree)


def limit_of(
    values: Floats, degrees: Floats, room: Floats, k: int, epsilon: float, *, by_degree: bool
) -> float:
    """Return the limit from exact values.

    Parameters
    ----------
    values, degrees : (n,) float64
    room : (n,) float64
        How many edges can be added at a node so that they lift that node only.
    k : int
    epsilon : float
    by_degree : bool
        Whether a new edge adds one to the value, or, as to betweenness, at most one for each neighbour there is.

    Examples
    --------
    >>> values = np.array([9.0, 5.0, 5.0, 1.0])
    >>> [round(limit_of(values, values, values * 9, 2, epsilon, by_degree=True), 3) for epsilon in (1e-9, 1.0, 100.0)]
    [0.5, 0.864, 1.0]
    """
    order = np.argsort(-values, kind="stable")
    listed, outside = values[order[:k]], order[k:]
    most = _edges(listed[0] - values[outside], degrees[outside], listed[0], by_degree=by_degree)
    enough = np.minimum(room[outside], most)
    pairs, counts = _grouped(np.column_stack([values[outside], degrees[outside], enough]))
    chances = _chances(listed, pairs, counts, epsilon, by_degree=by_degree)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = np.minimum(1.0, k * (1 - middle) / np.maximum(chances, 1e-300)).mean()
        low, high = (middle, high) if reached >= middle else (low, middle)
    return high


def _grouped(rows: Floats) -> tuple[Floats, Floats]:
    """Return the different rows in order and how often each is there, as `numpy.unique` does, in less time.

    Examples
    --------
    >>> _grouped(np.array([[2.0, 1.0], [1.0, 3.0], [2.0, 1.0]]))
    (array([[1., 3.],
           [2., 1.]]), array([1., 2.]))
    """
    if len(rows) == 0:
        return rows, np.zeros(0)
    ordered = rows[np.lexsort(rows.T[::-1])]
    first = np.flatnonzero(np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)]))
    return ordered[first], np.diff(np.append(first, len(rows))).astype(np.float64)


def _chances(listed: Floats, pairs: Floats, counts: Floats, epsilon: float, *, by_degree: bool) -> Floats:
    """Return ``S_j`` for each listed node: equal outsiders, given once with their number, are computed once."""
    found = np.zeros(len(listed))
    for start in range(0, len(pairs), _BLOCK):
        of, degree, room = pairs[start : start + _BLOCK].T
        many = counts[start : start + _BLOCK]
        for place, value in enumerate(listed):
            edges = _edges(value - of, degree, value, by_degree=by_degree)
            found[place] += float(many @ np.where(edges <= room, np.exp(-epsilon * edges), 0.0))
    return found


def _edges(gap: Floats, degree: Floats, value: float, *, by_degree: bool) -> Floats:
    """Return how many new edges lift nodes by more than a gap to `value`."""
    if by_degree:
        return np.floor(gap) + 1
    return _least_edges(gap + _ROUNDED * (1 + value), degree)


def _room(graph: Graph, kth: float, *, by_degree: bool) -> Floats:
    """Return how many edges at each node are sure to lift it alone; fewer than there are, where that is hard to say.

    Degree: to nodes of degree below the k-th, which reach it at most.

    EBC: to far nodes, with no neighbour among v's neighbours and no two of them adjacent. Then every pair with a new
    neighbour counts one at v, and no other ego network changes but theirs: one of degree m reaches ``m (m + 1) / 2`` at
    most. Of s far nodes of degree m or less at least ``s / (m + 1)`` are apart.
    """
    degrees = graph.degrees.astype(np.float64)
    if by_degree:
        return np.maximum(float((degrees < kth).sum()) - 1 - degrees, 0.0)
    room = np.zeros(graph.node_count)
    for most in range(_PLAIN + 1):
        if most * (most + 1) / 2 > kth:
            break
        plain = degrees <= most
        beside = _sums(graph, plain)
        near = plain + beside + _sums(graph, beside.astype(np.int32))
        room = np.maximum(room, np.floor(np.maximum(plain.sum() - near, 0) / (most + 1)))
    return room


def _sums(graph: Graph, values: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sum over the neighbours of each node; of narrow values it is faster, since they are read at random."""
    sums = np.zeros(len(graph.indices) + 1, dtype=np.int64)
    np.cumsum(values[graph.indices], out=sums[1:])
    added: NDArray[np.int64] = np.diff(sums[graph.indptr])
    return added


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
