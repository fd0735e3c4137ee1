"""How far one edge can move a metric of a node, within a distance of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.mechanisms import checks
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.projection import GraphProjection, Projection
from edgedp.release.plan import PublicFacts
from edgedp.words.vocabulary import GraphEngine, MetricForm, MetricName

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph


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

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain, or an id is not a node of the graph.

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
    metric = checks.check_metric(metric)
    this = metric_by_name(metric)
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
