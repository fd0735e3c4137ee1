"""Nodes of a graph in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, Unpack

from edgedp.mechanisms.values import Mechanism
from edgedp.release.in_memory.releasing import release_in_memory
from edgedp.release.option import spelled_out
from edgedp.release.options import MotkinOptions, MotkinWords, TopKOptions, TopKWords
from edgedp.release.release import Release
from edgedp.words.vocabulary import Approach, MechanismName, MetricName, Sensitivity, TopKMetricName

if TYPE_CHECKING:
    import numpy as np

    from edgedp.graph.graph import Graph


@spelled_out(TopKOptions, TopKWords)
def priv_top_k(
    graph: Graph,
    metric: TopKMetricName,
    k: SupportsIndex,
    epsilon: Any,
    mechanism: MechanismName | Mechanism | None = None,
    *,
    degree_bound: int | None = None,
    rng: np.random.Generator | None = None,
    **options: Unpack[TopKWords],
) -> Release:
    """Release the k nodes of highest metric, epsilon-edge-differentially private.

    ``joint`` puts noise on whole vectors once and ranks all nodes by them; PrivTopk (the other mechanisms) runs
    k rounds at ``epsilon / k``, the chosen node leaving the candidates.

    Parameters
    ----------
    graph : Graph
    metric : {"degree", "density", "ebc", "betweenness2"}
    k : int
        From 1 to the number of nodes.
    epsilon : number or decimal text
        Privacy loss of the whole release, at least 1e-9.
    mechanism : {"em", "pf", "ld", "sld", "joint"}, optional
        Exponential mechanism, permute-and-flip, local dampening, shifted local dampening, or joint
        release (degree, ebc and betweenness2 only, and their default; ``sld`` is that of density).
    sampler : {"exponential", "permute_and_flip"}, optional
        Of em, ld and sld.
    sensitivity_form : {"degree", "common_neighbors"}, optional
        Of ld and sld with ebc.
    shift : {"up", "down"}, optional
        Of sld; the default follows from the metric alone.
    proxy : {"both", "degree", "betweenness2", "lists", "ordered"}, optional
        What ``joint`` ranks by for ebc and betweenness2: noisy degrees and, as these advise, length-2 betweenness
        through cuts (``both``, the default; ``ordered`` by that form alone); the degree; length-2 betweenness with
        noise of the degree bound; or through lists of a public `cap`.
    cap : int, optional
        Public: the most neighbours that a node connects. Required for ``lists``; ``ordered`` may have one.
    estimates : bool
        Also return estimates of the numbers of edges and wedges, from the noisy degrees of a joint release.
    target_recall : number or decimal text, optional
        Spend step by step until this part of the list is expected to be right, above 0 and below 1; `epsilon` is then
        the most that is spent, and ``release.epsilon_spent`` what was. Of joint releases by degree, in- or out-degree
        or a strength, or with the proxy ``both`` or ``degree``, of graphs of 50 nodes or more.
    degree_bound : int, optional
        A **public** bound on the degree; default ``n - 1``. The proxies ``both``, ``lists`` and
        ``ordered`` and joint degree do not rest on it.
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
    asked = {"metric": metric, "k": k, "epsilon": epsilon, "mechanism": mechanism, **options}
    return release_in_memory("priv_top_k", graph, degree_bound, asked, rng)


@spelled_out(MotkinOptions, MotkinWords)
def motkin(
    graph: Graph,
    metrics: Sequence[MetricName] = ("degree", "density"),
    k: SupportsIndex = 10,
    epsilon: Any = 1.0,
    approach: Approach = "pareto",
    sensitivity: Sensitivity | None = None,
    mechanism: MechanismName | Mechanism | None = None,
    *,
    degree_bound: int | None = None,
    rng: np.random.Generator | None = None,
    **options: Unpack[MotkinWords],
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
    sensitivity : {"local", "global"}, optional
        Local (default): ``sld`` (default) or ``ld``. Global: ``em`` (default) or ``pf``. Not of ``joint``.
    mechanism : {"em", "pf", "ld", "sld", "joint"}, optional
        ``joint`` ranks by noisy vectors, rests on no degree bound and needs no rounds.
    sensitivity_form : str, optional
        Pareto: ``interval`` (default) or ``interval+edge`` (not with betweenness2). Aggregate with ebc:
        ``degree`` (default) or ``common_neighbors``.
    shift : {"up", "down"}, optional
        Of sld; the default follows from metrics and weights alone.
    weights : sequence of float, optional
        Of the aggregate, one a metric, default all 1; negative ones are allowed.
    estimates : bool
        Of ``joint``: as in `priv_top_k`.

    Returns
    -------
    Release

    Raises
    ------
    EdgeDPError
        As for `priv_top_k`.

    Notes
    -----
    Privacy: ``epsilon``-edge-DP as a whole; each of the k rounds runs at ``epsilon / k``, ``joint`` has none.

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
    asked = {"metrics": metrics, "k": k, "epsilon": epsilon, "approach": approach, "sensitivity": sensitivity}
    asked |= {"mechanism": mechanism, **options}
    return release_in_memory("motkin", graph, degree_bound, asked, rng)
