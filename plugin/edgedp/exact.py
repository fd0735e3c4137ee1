"""Exact values, computed from private edges without a mechanism. Nothing here may be published.

Everything of that kind is under this name, in Python, on the command line and in Cypher, so that a
reader sees at once which rows may leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp import checks
from edgedp.errors import ParameterError
from edgedp.metrics import metric as metric_by_name
from edgedp.options import MotkinOptions, TopKOptions
from edgedp.plan import (
    AggregatePlan,
    JointMotkinPlan,
    JointPlan,
    NodesPlan,
    ParetoPlan,
    PublicFacts,
    TopKPlan,
    of_nodes,
)
from edgedp.projection import GraphProjection, Projection
from edgedp.vocabulary import (
    Approach,
    GraphEngine,
    MechanismName,
    MetricForm,
    MetricName,
    ParetoForm,
    Proxy,
    SamplerName,
    Sensitivity,
    Shift,
)

if TYPE_CHECKING:
    from edgedp.graph import Graph
    from edgedp.metrics.base import Metric

__all__ = [
    "betweenness2",
    "count",
    "count_probabilities",
    "count_sensitivity",
    "cut_betweenness",
    "degree",
    "density",
    "ebc",
    "first_pick_probabilities",
    "metric_ball",
    "motkin_first_pick_probabilities",
    "sensitivity",
    "top",
    "values",
]

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
    (`edgedp.engines.cuts`). Where no cut is smaller than its node's neighbourhood, this is `betweenness2`.

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
    graph: Graph, metric: MetricName, nodes: ArrayLike | None = None, engine: GraphEngine = "native"
) -> NDArray[np.float64]:
    """Return the exact values of a metric by its name; parameters as for `degree`."""
    checks.check_graph(graph)
    name = checks.check_metric(metric)
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
    positions, largest = top_of(GraphProjection(graph, engine), metric, k)
    return graph.node_ids[positions], largest


def top_of(projection: Projection, metric: str, k: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the k positions of a projection with the largest exact values, and the values."""
    from edgedp.engines.top import top_positions

    found = metric_by_name(checks.check_metric(metric))
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ParameterError(
            f"k is {k!r}, must be an integer of at least 1; give the number of nodes to show"
        )
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


def sensitivity(
    graph: Graph,
    metric: MetricName,
    t: int,
    form: MetricForm | None = None,
    nodes: ArrayLike | None = None,
    engine: GraphEngine = "native",
    degree_bound: int | None = None,
) -> NDArray[np.float64]:
    """Return the admissible ``delta(G, t, v)``: how far one edge can move ``v``'s metric within distance t.

    Parameters
    ----------
    graph : Graph
    metric : str
    t : int
        Distance in edges, 0 or more.
    form : {"degree", "common_neighbors"}, optional
        ``common_neighbors`` is a form of ebc.
    nodes, engine
        As for `degree`.
    degree_bound : int, optional
        Caps the sensitivity at the metric's global sensitivity under this bound; default: no cap.

    Returns
    -------
    (n,) or (len(nodes),) float64

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> sensitivity(Graph.from_edges([(0, leaf) for leaf in range(1, 8)]), "ebc", t=1, nodes=[0, 1]).tolist()
    [14.0, 2.0]
    """
    checks.check_graph(graph)
    return sensitivity_of(
        GraphProjection(graph, engine),
        metric,
        t,
        form,
        graph.positions(nodes),
        check_bound_of(degree_bound, graph),
    )


def sensitivity_of(
    projection: Projection, metric: str, t: int, form: str | None, positions: Any, degree_bound: int | None
) -> NDArray[np.float64]:
    """Return the admissible sensitivity of some positions of a projection."""
    this = metric_by_name(checks.check_metric(metric))
    form = checks.check_form(form, metric)
    distance = checks.check_distance(t)
    degrees = projection.degrees()
    if positions is not None:
        degrees = degrees[positions]
    common = projection.max_common_neighbors(positions) if form == "common_neighbors" else None
    if degree_bound is None:
        return this.uncapped_sensitivity(form, distance, degrees, common)
    return this.sensitivity(form, distance, degrees, common, degree_bound)


def check_bound_of(degree_bound: Any, graph: Graph) -> int | None:
    """Return the effective bound where one is declared."""
    bound = checks.check_degree_bound(degree_bound)
    return None if bound is None else PublicFacts(graph.node_count, bound).effective_degree_bound


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
    from edgedp.numbers.exactly import exact_count

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
    from edgedp.numbers.exactly import exact_sensitivity

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
    from edgedp.numbers.exactly import exact_probabilities

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


def first_pick_probabilities(
    graph: Graph,
    metric: MetricName,
    k: int,
    epsilon: Any,
    mechanism: MechanismName | None = None,
    sampler: SamplerName | None = None,
    sensitivity_form: MetricForm | None = None,
    shift: Shift | None = None,
    proxy: Proxy | None = None,
    cap: int | None = None,
    estimates: bool = False,
    degree_bound: int | None = None,
) -> NDArray[np.float64]:
    """Return the exact law of the first node of ``priv_top_k`` with the same arguments.

    Without a mechanism it is that of ``sld``: a joint release by several vectors has no law in closed form.

    Returns
    -------
    (n,) float64
        Probabilities in the order of ``graph.node_ids``.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> first_pick_probabilities(path, metric="degree", k=1, epsilon=1, mechanism="em").round(3).tolist()
    [0.212, 0.576, 0.212]
    """
    from edgedp.in_memory import plan_in_memory

    arguments = locals() | {"mechanism": "sld" if mechanism is None else mechanism}
    return first_pick_law(of_nodes(plan_in_memory(TopKOptions, graph, arguments)), GraphProjection(graph))


def motkin_first_pick_probabilities(
    graph: Graph,
    metrics: Sequence[MetricName] = ("degree", "density"),
    k: int = 10,
    epsilon: Any = 1.0,
    approach: Approach = "pareto",
    sensitivity: Sensitivity | None = None,
    mechanism: MechanismName | None = None,
    sampler: SamplerName | None = None,
    sensitivity_form: MetricForm | ParetoForm | None = None,
    shift: Shift | None = None,
    weights: Sequence[float] | None = None,
    estimates: bool = False,
    degree_bound: int | None = None,
) -> NDArray[np.float64]:
    """Return the exact law of the first node of ``motkin`` with the same arguments.

    `epsilon` is the total: round 1 runs at ``epsilon / k``.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> law = motkin_first_pick_probabilities(path, k=1, epsilon=1, sensitivity="global")
    >>> float(law.sum().round(9))
    1.0
    """
    from edgedp.in_memory import plan_in_memory

    return first_pick_law(of_nodes(plan_in_memory(MotkinOptions, graph, locals())), GraphProjection(graph))


def first_pick_law(planned: NodesPlan, projection: Projection) -> NDArray[np.float64]:
    """Return the (n,) law of the first pick of a plan. Privacy: computed from private edges; not a release."""
    from edgedp.mechanisms.pareto.rounds import first_round
    from edgedp.mechanisms.sums import top_k_scores

    match planned:
        case TopKPlan() | AggregatePlan():
            return top_k_scores(planned, projection).law()
        case JointPlan():
            return _joint_first_pick(planned, projection)
        case JointMotkinPlan():
            raise ParameterError(
                "mechanism is 'joint', must be another for motkin_first_pick_probabilities; "
                "the audited law is that of the noisy vectors"
            )
        case ParetoPlan():
            return first_round(planned, projection).law()
        case _:
            assert_never(planned)


def _joint_first_pick(planned: JointPlan, projection: Projection) -> NDArray[np.float64]:
    from edgedp.mechanisms.adaptive.planned import asked_of
    from edgedp.mechanisms.adaptive.top_k import lists_vector
    from edgedp.mechanisms.joint import joint_values
    from edgedp.mechanisms.laws import joint_first_law

    match planned.ranked_by:
        case "both" | "ordered":
            raise ParameterError(
                f"proxy is {planned.ranked_by!r}, must be 'degree', 'betweenness2' or 'lists' for "
                "first_pick_probabilities; the audited law is that of the noisy vectors"
            )
        case "lists":
            listed = lists_vector(asked_of(planned), projection)
            exact_values, l1 = listed.values, listed.moves
        case "degree" | "betweenness2" as vector:
            exact_values, l1 = joint_values(planned, projection, vector, planned.k)
        case _:
            assert_never(planned.ranked_by)
    if l1 == 0:
        return np.full(len(exact_values), 1 / len(exact_values))
    return joint_first_law(exact_values, l1 / planned.epsilon)
