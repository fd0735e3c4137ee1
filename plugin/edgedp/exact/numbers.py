"""Exact numbers of a graph, their sensitivities, and the exact laws of their noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.mechanisms import checks

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph


def count(
    graph: Graph,
    of: str,
    star_size: int | None = None,
    pair: Any = None,
    node: Any = None,
    engine: str = "native",
) -> int | float:
    """Return a number of the graph exactly: what `edgedp.count` adds noise to.

    Parameters
    ----------
    graph : Graph
    of : str
        As of `edgedp.count`.
    star_size, pair, node
        As of `edgedp.count`.
    engine : {"native", "igraph"}

    Returns
    -------
    int or float
        A float for clustering, and for density, ebc and betweenness2 of a node.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> graph = Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])
    >>> count(graph, "triangles"), count(graph, "wedges"), count(graph, "clustering")
    (1, 5, 0.6)
    """
    from edgedp.exact.counting import exact_count

    return exact_count(graph, of, {"star_size": star_size, "pair": pair, "node": node}, engine)


def count_sensitivity(
    graph: Graph,
    of: str,
    t: int,
    star_size: int | None = None,
    pair: Any = None,
    node: Any = None,
    degree_bound: int | None = None,
    engine: str = "native",
) -> int | float:
    """Return the admissible ``I_t``: how far one edge can move a number within distance ``t`` of the graph.

    Parameters
    ----------
    graph : Graph
    of : str
        As of `edgedp.count`, but for clustering, which is computed from two numbers.
    t : int
        Distance in edges, 0 or more.
    star_size, pair, node
        As of `edgedp.count`.
    degree_bound : int, optional
        Caps it at the global sensitivity under this bound; default ``n - 1``.
    engine : {"native", "igraph"}

    Returns
    -------
    int or float
        For density and ebc a little more than the real number's: it is rounded to a grid.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> graph = Graph.from_edges([(0, leaf) for leaf in range(1, 6)])
    >>> [count_sensitivity(graph, "triangles", t) for t in (0, 1, 9)]
    [1, 2, 4]
    """
    from edgedp.exact.counting import exact_sensitivity

    given = {"star_size": star_size, "pair": pair, "node": node}
    return exact_sensitivity(graph, of, checks.check_distance(t), given, degree_bound, engine)


def count_probabilities(
    graph: Graph,
    of: str,
    epsilon: Any,
    values: ArrayLike,
    mechanism: str | None = None,
    star_size: int | None = None,
    pair: Any = None,
    node: Any = None,
    degree_bound: int | None = None,
    delta: Any = None,
) -> NDArray[np.float64]:
    """Return the exact law of ``edgedp.count`` with the same arguments: the probabilities of some values.

    Parameters
    ----------
    graph : Graph
    of, epsilon, mechanism, star_size, pair, node, degree_bound, delta
        As of `edgedp.count`; not clustering.
    values : (k,) array-like of numbers
        0 and the largest possible value hold what is cut off there.

    Returns
    -------
    (k,) float64
        0 for what cannot be released.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> count_probabilities(path, "edges", epsilon=1, values=[0, 1, 2, 3]).round(3).tolist()
    [0.099, 0.17, 0.462, 0.269]
    """
    from edgedp.exact.counting import exact_probabilities

    given = {"mechanism": mechanism, "star_size": star_size, "pair": pair, "node": node, "delta": delta}
    return exact_probabilities(graph, {"of": of, "epsilon": epsilon} | given, values, degree_bound)


def metric_ball(
    values: ArrayLike,
    neighbors: ArrayLike,
    epsilon: Any,
    tolerance: ArrayLike = 0,
    public: ArrayLike | None = None,
    penalty: int = 0,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the law of the metric-ball mechanism on every point of a finite explicit space.

    ``Pr_v[r] ~ exp(-epsilon q_v(r))`` with ``q_v(r)`` the least distance from ``v`` to a point ``w`` whose answers
    ``T_0(w) = {r : |r - f(w)| <= tolerance(w)}`` hold ``r``. With a tolerance utility comes first; privacy
    comes first where answers outside a public set are made rare by a penalty.

    Parameters
    ----------
    values : (n,) numbers
        ``f`` at every point.
    neighbors : (m, 2) integers
        Positions of neighbouring points; distance is the number of steps.
    epsilon : number or decimal text
    tolerance : number or (n,) numbers
    public : (r,) numbers, optional
        Answers that cost no penalty; default all.
    penalty : int
        Added to ``q`` outside `public`.

    Returns
    -------
    answers : (r,) numbers
        The distinct values, ascending.
    probabilities : (n, r) float64

    Raises
    ------
    ParameterError
        An array is of the wrong shape or type, or names a point that does not exist; or a number is out of its domain.

    Notes
    -----
    Privacy: a step moves ``q`` by at most 1, so the mechanism is **2 epsilon**-private; the space is public,
    the point private.
    Points that no path joins are not neighbours at any distance: what lies there has probability 0.

    Examples
    --------
    >>> answers, law = metric_ball([0, 1, 5], [(0, 1), (1, 2)], epsilon=1)
    >>> answers.tolist(), law.round(3).tolist()[0]
    ([0, 1, 5], [0.665, 0.245, 0.09])

    References
    ----------
    Wu, Xia and He: utility-first and privacy-first release of graph statistics, theorems 2 to 6.
    """
    from edgedp.mechanisms.numbers.spaces import metric_ball_law

    return metric_ball_law(values, neighbors, epsilon, tolerance, public, penalty)
