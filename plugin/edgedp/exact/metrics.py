"""Exact metrics of the nodes, the largest of them, and length-2 betweenness through public cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.mechanisms import checks
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.projection import GraphProjection, Projection
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import ARC_METRICS, STRENGTHS, GraphEngine, TopKMetricName

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.mechanisms.metrics.base import Metric

_MUCH = 1 / 8
"""Of all arcs: beyond it a metric that looks two steps far is computed for all nodes at once; measured."""


def degree(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the degree, the number of neighbours.

    Parameters
    ----------
    graph : Graph
    nodes : array-like of node ids, optional
        Compute these only, in their order.
    engine : {"native", "igraph"}

    Returns
    -------
    (n,) or (len(nodes),) float64

    Raises
    ------
    EdgeDPError
        It is not a `Graph`, or an id is not a node of it.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> degree(Graph.from_edges([("a", "b"), ("b", "c")]), nodes=["b"]).tolist()
    [2.0]
    """
    return values(graph, "degree", nodes, engine)


def in_degree(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the in-degree of a directed graph, the distinct nodes with an arc to each; parameters as for `degree`.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> in_degree(Graph.from_edges([(1, 3), (2, 3), (3, 1)], directed=True)).tolist()
    [1.0, 0.0, 2.0]
    """
    return values(graph, "in_degree", nodes, engine)


def out_degree(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the out-degree of a directed graph, the distinct nodes that each has an arc to; as for `degree`.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> out_degree(Graph.from_edges([(1, 3), (2, 3), (3, 1)], directed=True)).tolist()
    [1.0, 1.0, 1.0]
    """
    return values(graph, "out_degree", nodes, engine)


def strength(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the strength, the sum of the weights of a node's pairs in whole steps; parameters as for `degree`.

    ``sum over neighbours u of clip(aggregate of floor(min(w, cap) / step), 0, C)``, ``C = floor(pair_cap / step)``. Of
    a graph with weights and without directions.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> strength(Graph.from_edges([(1, 2), (2, 3)], weights=[2.9, 70], weight={"cap": 60})).tolist()
    [2.0, 62.0, 60.0]
    """
    return values(graph, "strength", nodes, engine)


def in_strength(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the sum of the weights of the arcs to each node of a directed graph; otherwise as `strength`.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> paid = Graph.from_edges([(1, 2), (2, 1)], weights=[5, 7], weight={"cap": 9}, directed=True)
    >>> in_strength(paid).tolist()
    [7.0, 5.0]
    """
    return values(graph, "in_strength", nodes, engine)


def out_strength(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the sum of the weights of the arcs from each node of a directed graph; otherwise as `strength`.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> paid = Graph.from_edges([(1, 2), (2, 1)], weights=[5, 7], weight={"cap": 9}, directed=True)
    >>> out_strength(paid).tolist()
    [5.0, 7.0]
    """
    return values(graph, "out_strength", nodes, engine)


def density(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the egocentric density ``e(N(v)) / C(d, 2)``, 0 for ``d < 2``; parameters as for `degree`.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> density(Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])).round(3).tolist()
    [1.0, 1.0, 0.333, 0.0]
    """
    return values(graph, "density", nodes, engine)


def ebc(graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native") -> NDArray[np.float64]:
    """Return the ego-betweenness (EBC), unnormalised, each pair once; parameters as for `degree`.

    ``sum over non-adjacent pairs {u, w} in N(v) of 1 / (1 + c)``, ``c`` = common neighbours of ``u`` and
    ``w`` inside ``N(v)``. Range 0 to ``C(d, 2)``.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> ebc(Graph.from_edges([(0, leaf) for leaf in range(1, 6)]), nodes=[0]).tolist()
    [10.0]

    References
    ----------
    Everett and Borgatti (2005), Ego network betweenness, Social Networks 27(1).
    """
    return values(graph, "ebc", nodes, engine)


def betweenness2(
    graph: Graph, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return betweenness over shortest paths of length two; parameters as for `degree`.

    ``sum over non-adjacent pairs {u, w} in N(v) of 1 / c``, ``c`` = their common neighbours in the whole
    graph.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> betweenness2(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])).tolist()
    [0.5, 0.5, 0.5, 0.5]

    References
    ----------
    Borgatti and Everett (2006), A graph-theoretic perspective on centrality; Brandes (2008), On variants
    of shortest-path betweenness centrality (bounded distance, bound 2).
    """
    return values(graph, "betweenness2", nodes, engine)


def cut_betweenness(
    graph: Graph, cap: int, order: ArrayLike | None = None, engine: str = "native"
) -> NDArray[np.float64]:
    """Return length-2 betweenness through public cuts of the neighbours: the vector that `joint` puts noise on.

    ``B_h(x) = sum over non-adjacent pairs {u, w} in cut(x) of 1 / c(u, w)``, ``c(u, w)`` = in how many cuts both stand.
    ``cut(x)`` holds the first `cap` eligible neighbours of ``x`` in an order that a fixed hash of the ids gives
    (`edgedp.graph.engines.cuts`). Where no cut is smaller than its node's neighbourhood, this is `betweenness2`.

    Parameters
    ----------
    graph : Graph
    cap : int
        The most members of a cut, 1 or more.
    order : (n,) array-like of node ids, optional
        A ranking of all nodes: a node's neighbours behind it are eligible (*ordered*). By default all neighbours
        are (*lists*).
    engine : {"native", "igraph"}

    Returns
    -------
    (n,) float64
        In the order of ``graph.node_ids``; each share is rounded down to a multiple of ``2**-b``,
        ``b = 61 - bitlength(C(cap, 2))``, at most 52.

    Raises
    ------
    ParameterError
        `cap` is no positive integer, or `order` does not name every node once.

    Notes
    -----
    Privacy: exact; not a release. For any two graphs that differ by one edge the vectors differ in L1 by at most
    ``2 (cap - 1) + 1``, and by `cap` with an `order` that does not depend on the edges.

    Examples
    --------
    >>> from edgedp import Graph
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 6)])
    >>> cut_betweenness(star, cap=3).tolist()
    [3.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    >>> cut_betweenness(star, cap=5, order=[3, 0, 1, 2, 4, 5]).tolist()
    [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    checks.check_graph(graph)
    most = max(graph.node_count - 1, 1)
    limit = min(checks.check_cap(cap), most)
    bits = min(52, 61 - (limit * (limit - 1) // 2).bit_length())
    caps = np.full(graph.node_count, limit, dtype=np.int64)
    shares = GraphProjection(graph, engine).cut_shares(caps, _ranks(graph, order), bits)
    return np.ldexp(shares.astype(np.float64), -bits)


def _ranks(graph: Graph, order: ArrayLike | None) -> NDArray[np.int64] | None:
    """Return each node's place in a ranking of all nodes by id."""
    positions = graph.positions(order)
    if positions is None:
        return None
    if len(positions) != graph.node_count or len(np.unique(positions)) != len(positions):
        raise ParameterError("order is not a ranking of the nodes, must name every node once; complete it")
    ranks = np.empty(graph.node_count, dtype=np.int64)
    ranks[positions] = np.arange(graph.node_count)
    return ranks


def values(
    graph: Graph, metric: TopKMetricName, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the exact values of a metric by its name; parameters as for `degree`.

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> values(Graph.from_edges([("a", "b"), ("b", "c")]), "degree").tolist()
    [1.0, 2.0, 1.0]
    """
    checks.check_graph(graph)
    name = checks.check_ranked(metric, directed=graph.directed, weighted=graph.weighting is not None)
    return GraphProjection(graph, engine).values(name, graph.positions(nodes))


def top(
    graph: Graph, metric: str, k: int = 10, engine: str = "native"
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the k nodes of the largest exact values, and the values: the largest first, ties by position.

    The degree bounds ego-betweenness and length-2 betweenness by ``C(d, 2)``, and by ``C(d, 2) - e(N(v))`` once the
    triangles of the graph were listed; nodes are computed while their bound reaches the k-th value. The result is that
    of sorting `values`.

    Parameters
    ----------
    graph : Graph
    metric : str
    k : int
        At least 1; all nodes if there are fewer.
    engine : {"native", "igraph"}

    Returns
    -------
    ids : (k,) int64 or str
    values : (k,) float64

    Notes
    -----
    Privacy: exact; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> ids, largest = top(Graph.from_edges([("a", "b"), ("b", "c"), ("b", "d"), ("d", "e")]), "ebc", k=2)
    >>> ids.tolist(), largest.tolist()
    (['b', 'd'], [3.0, 1.0])
    """
    checks.check_graph(graph)
    checks.check_ranked(metric, directed=graph.directed, weighted=graph.weighting is not None)
    positions, largest = top_of(GraphProjection(graph, engine), metric, k)
    return graph.node_ids[positions], largest


def top_of(projection: Projection, metric: str, k: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the k positions of a projection with the largest exact values, and the values."""
    from edgedp.graph.engines.top import top_positions

    k = checks.check_whole(k, "k")
    if k < 1:
        raise ParameterError(f"k is {k}, must be 1 or more; give the number of nodes to show")
    if metric in ARC_METRICS or metric in STRENGTHS:
        counted = projection.values(metric)
        return top_positions(counted, lambda some: counted[some], k)
    found = metric_by_name(checks.check_metric(metric))
    if isinstance(projection, GraphProjection) and _few_will_do(projection, found, k):
        bounds = found.upper_bound(projection.degrees())
        inside = projection.kept_triangles()
        if inside is not None:
            bounds = bounds - inside
        return top_positions(bounds, lambda some: projection.values(found.name, some), k)
    values = projection.values(found.name)
    return top_positions(values, lambda some: values[some], k)


def _few_will_do(projection: GraphProjection, found: Metric, k: int) -> bool:
    """Say whether bounds spare work: not where the paths from the k largest degrees already cover much of the graph."""
    if not found.counts_pairs_apart or found.moves_near_the_edge:
        return found.counts_pairs_apart
    return projection.reach(np.argsort(-projection.degrees(), kind="stable")[:k]) < _MUCH
