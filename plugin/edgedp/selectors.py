"""The selectors on a graph in memory: the caller holds the edges, nothing is debited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from edgedp.checks import check_degree_bound
from edgedp.errors import ParameterError
from edgedp.plan import MOTKIN_OPTIONS, PRIV_TOP_K_OPTIONS, Plan, PublicFacts, chosen, plan
from edgedp.release import Release

if TYPE_CHECKING:
    import numpy as np

    from edgedp.graph import Graph

__all__ = ["motkin", "plan_in_memory", "priv_top_k"]


def priv_top_k(
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
    rng: np.random.Generator | None = None,
) -> Release:
    """Release the k nodes of highest metric, epsilon-edge-differentially private.

    PrivTopk runs k rounds of a mechanism at ``epsilon / k``, the chosen node leaving the candidates;
    ``joint`` puts noise on the whole vector once.

    Parameters
    ----------
    graph : Graph
    metric : {"degree", "density", "ebc", "betweenness2"}
    k : int
        From 1 to the number of nodes.
    epsilon : number or decimal text
        Privacy loss of the whole release, at least 1e-9.
    mechanism : {"em", "pf", "ld", "sld", "joint"}
        Exponential mechanism, permute-and-flip, local dampening, shifted local dampening, or joint
        release (degree, ebc and betweenness2 only).
    sampler : {"exponential", "permute_and_flip"}, optional
        Of em, ld and sld.
    sensitivity_form : {"degree", "common_neighbors"}, optional
        Of ld and sld with ebc.
    shift : {"up", "down"}, optional
        Of sld; the default follows from the metric alone.
    proxy : {"both", "degree", "betweenness2"}, optional
        What ``joint`` ranks by for ebc.
    degree_bound : int, optional
        A **public** bound on the degree; default ``n - 1``.
    rng : numpy.random.Generator, optional
        For simulations: the release is then marked as not private.

    Returns
    -------
    Release

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain or contradicts another one, or the graph breaks the bound.

    Notes
    -----
    Privacy: neighbours differ by one edge; the node set and `degree_bound` are public.

    Examples
    --------
    >>> from edgedp import Graph
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> priv_top_k(star, metric="degree", k=1, epsilon=40, mechanism="em").nodes
    [0]

    References
    ----------
    Farias et al. (2021), Local dampening, PVLDB 14(4).
    """
    options = chosen(PRIV_TOP_K_OPTIONS, locals())
    return _release(graph, plan_in_memory("priv_top_k", graph, options, degree_bound), rng)


def motkin(
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
    rng: np.random.Generator | None = None,
) -> Release:
    """Release k nodes that are good in several metrics at once, epsilon-edge-differentially private.

    Parameters
    ----------
    graph : Graph
    metrics : sequence of str
        Two or more different metrics.
    k, epsilon, sampler, degree_bound, rng
        As in `priv_top_k`.
    approach : {"pareto", "aggregate"}
        Minus the number of nodes that are better in every metric, or a weighted sum.
    sensitivity : {"local", "global"}
        Local: ``sld`` (default) or ``ld``. Global: ``em`` (default) or ``pf``.
    mechanism : str, optional
    sensitivity_form : str, optional
        Pareto: ``interval`` (default) or ``interval+edge`` (not with betweenness2). Aggregate with ebc:
        ``degree`` (default) or ``common_neighbors``.
    shift : {"up", "down"}, optional
        Of sld; the default follows from metrics and weights alone.
    weights : sequence of float, optional
        Of the aggregate, one a metric, default all 1; negative ones are allowed.

    Returns
    -------
    Release

    Notes
    -----
    Privacy: ``epsilon``-edge-DP as a whole; each of the k rounds runs at ``epsilon / k``.

    Examples
    --------
    >>> from edgedp import Graph
    >>> graph = Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])
    >>> len(motkin(graph, ("degree", "density"), k=2, epsilon=1).nodes)
    2

    References
    ----------
    Farias et al., Differentially Private Multi-Objective Selection: Pareto and Aggregation Approaches.
    """
    options = chosen(MOTKIN_OPTIONS, locals())
    return _release(graph, plan_in_memory("motkin", graph, options, degree_bound), rng)


def plan_in_memory(selector: Any, graph: Graph, options: dict[str, Any], degree_bound: Any) -> Plan:
    """Plan a release of a graph that the caller holds; a bound that the graph breaks is refused."""
    bound = check_degree_bound(degree_bound)
    facts = PublicFacts(graph.node_count, bound, graph.nodes_supplied)
    planned = plan(selector, options, facts)
    if graph.max_degree > facts.effective_degree_bound:
        raise ParameterError(
            f"degree_bound is {bound}, must be at least the graph's largest degree; declare a larger bound"
        )
    return planned


def _release(graph: Graph, planned: Plan, rng: np.random.Generator | None) -> Release:
    from edgedp.draw import draw
    from edgedp.projection import GraphProjection
    from edgedp.sampling.words import words_from

    words = words_from(rng)
    positions = draw(planned, GraphProjection(graph), words)
    return Release(graph.node_ids[positions].tolist(), planned, private=words.private)
