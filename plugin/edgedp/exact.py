"""Exact values, computed from private edges without a mechanism. Nothing here may be published.

Everything of that kind is under this name, in Python, on the command line and in Cypher, so that a
reader sees at once which rows may leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp import checks
from edgedp.errors import ParameterError
from edgedp.metrics import metric as metric_by_name
from edgedp.plan import MOTKIN_OPTIONS, PRIV_TOP_K_OPTIONS, PublicFacts, chosen
from edgedp.projection import GraphProjection, Projection

if TYPE_CHECKING:
    from edgedp.graph import Graph

__all__ = [
    "betweenness2",
    "degree",
    "density",
    "ebc",
    "first_pick_probabilities",
    "motkin_first_pick_probabilities",
    "sensitivity",
    "values",
]


def degree(graph: Graph, nodes: ArrayLike | None = None, engine: str = "native") -> NDArray[np.float64]:
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


def density(graph: Graph, nodes: ArrayLike | None = None, engine: str = "native") -> NDArray[np.float64]:
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


def ebc(graph: Graph, nodes: ArrayLike | None = None, engine: str = "native") -> NDArray[np.float64]:
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


def betweenness2(graph: Graph, nodes: ArrayLike | None = None, engine: str = "native") -> NDArray[np.float64]:
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


def values(
    graph: Graph, metric: str, nodes: ArrayLike | None = None, engine: str = "native"
) -> NDArray[np.float64]:
    """Return the exact values of a metric by its name; parameters as for `degree`."""
    name = checks.check_metric(metric)
    return GraphProjection(graph, engine).values(name, graph.positions(nodes))


def sensitivity(
    graph: Graph,
    metric: str,
    t: int,
    form: str | None = None,
    nodes: ArrayLike | None = None,
    engine: str = "native",
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
    found = metric_by_name(checks.check_metric(metric))
    form = checks.check_form(form, metric)
    distance = checks.check_distance(t)
    degrees = projection.degrees()
    if positions is not None:
        degrees = degrees[positions]
    common = projection.max_common_neighbors(positions) if form == "common_neighbors" else None
    if degree_bound is None:
        return found.uncapped_sensitivity(form, distance, degrees, common)
    return found.sensitivity(form, distance, degrees, common, degree_bound)


def check_bound_of(degree_bound: Any, graph: Graph) -> int | None:
    """Return the effective bound where one is declared."""
    bound = checks.check_degree_bound(degree_bound)
    return None if bound is None else PublicFacts(graph.node_count, bound).effective_degree_bound


def first_pick_probabilities(
    graph: Graph,
    metric: str,
    k: int,
    epsilon: Any,
    mechanism: str = "sld",
    sampler: str | None = None,
    sensitivity_form: str | None = None,
    shift: str | None = None,
    proxy: str | None = None,
    degree_bound: int | None = None,
) -> NDArray[np.float64]:
    """Return the exact law of the first node of ``priv_top_k`` with the same arguments.

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
    from edgedp.selectors import plan_in_memory

    options = chosen(PRIV_TOP_K_OPTIONS, locals())
    return _first_pick(plan_in_memory("priv_top_k", graph, options, degree_bound), GraphProjection(graph))


def motkin_first_pick_probabilities(
    graph: Graph,
    metrics: Sequence[str] = ("degree", "density"),
    k: int = 10,
    epsilon: Any = 1.0,
    approach: str = "pareto",
    sensitivity: str = "local",
    mechanism: str | None = None,
    sampler: str | None = None,
    sensitivity_form: str | None = None,
    shift: str | None = None,
    weights: Sequence[float] | None = None,
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
    from edgedp.selectors import plan_in_memory

    options = chosen(MOTKIN_OPTIONS, locals())
    return _first_pick(plan_in_memory("motkin", graph, options, degree_bound), GraphProjection(graph))


def _first_pick(planned: Any, projection: Projection) -> NDArray[np.float64]:
    """Return the first-pick law of a plan."""
    if planned.mechanism == "joint":
        from edgedp.joint import joint_values
        from edgedp.mechanisms.laws import joint_first_law

        name = planned.proxy or planned.metrics[0]
        if name == "both":
            raise ParameterError(
                "proxy is 'both', must be 'degree' or 'betweenness2' for first_pick_probabilities; "
                "the audited law is that of the noisy vectors"
            )
        exact_values, moves = joint_values(planned, projection, name, planned.k)
        if moves == 0:
            return np.full(len(exact_values), 1 / len(exact_values))
        return joint_first_law(exact_values, moves / planned.epsilon)
    if planned.approach == "pareto":
        from edgedp.pareto.rounds import first_round

        return first_round(planned, projection).law()
    from edgedp.scoring import top_k_scores

    return top_k_scores(planned, projection).law()
