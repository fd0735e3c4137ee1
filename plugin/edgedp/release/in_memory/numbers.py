"""Numbers of a graph in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from edgedp.mechanisms.checks import check_no_option
from edgedp.release.in_memory.releasing import check_keeps_bound, drawn_in_memory, facts_of, release_in_memory
from edgedp.release.numbers.counting import count_in
from edgedp.release.option import spelled_out
from edgedp.release.options import CountOptions, CountWords
from edgedp.release.plan import CountPlan
from edgedp.release.plan.arc_numbers import ARCS
from edgedp.release.plan.base import check_all_kept
from edgedp.release.plan.numbers import plan_count
from edgedp.words.vocabulary import CountedName, CountName, DistributionForm, NumberMechanismName, is_word

if TYPE_CHECKING:
    import numpy as np

    from edgedp.graph.graph import Graph
    from edgedp.release.release import Release


@spelled_out(CountOptions, CountWords)
def count(
    graph: Graph,
    of: CountName,
    epsilon: Any,
    mechanism: NumberMechanismName | None = None,
    *,
    delta: Any = None,
    degree_bound: int | None = None,
    rng: np.random.Generator | None = None,
    **options: Unpack[CountWords],
) -> Release:
    """Release one number of a graph, epsilon-edge-differentially private.

    Parameters
    ----------
    graph : Graph
    of : str
        ``edges``, ``triangles``, ``two_triangles`` (pairs of triangles that share an edge), ``wedges`` (paths
        of length two), ``stars`` (a node with `star_size` of its neighbours), ``clustering`` (three times triangles
        over wedges), ``arcs`` (of a directed graph), ``common_neighbors`` of `pair`, or ``degree``, ``density``,
        ``ebc``, ``betweenness2`` of `node`.
    epsilon : number or decimal text
        Privacy loss, at least 1e-9.
    mechanism : str, optional
        ``geometric`` (default for edges, common_neighbors and degree), ``calibrated`` (default otherwise),
        ``staircase``, ``ladder``, ``smooth``; with `delta` also ``nls`` and ``lls``.
    star_size : int, optional
        Of stars: from 2 to the degree bound; default 3.
    pair : two node ids, optional
    node : node id, optional
    degree_bound : int, optional
        A **public** bound on the degree; default ``n - 1``.
    delta : number or decimal text, optional
        For ``nls`` and ``lls``, and for ``smooth`` with Laplace noise: the release is then
        ``(epsilon, delta)``-private.
    error_bar : bool
        Spend a tenth of epsilon on a bound of the noise, and show the interval that follows from it
        (``calibrated`` only).
    rng : numpy.random.Generator, optional
        For simulations: the release is then marked as not private.
    cap : int, optional
        Of arcs, **public**: only the first so many of each node count, and all that one node does is protected, too.

    Returns
    -------
    Release
        With ``value``: an int (a float for clustering and for metrics of a node but the degree) from 0 to the largest
        that is possible.

    Raises
    ------
    EdgeDPError
        A parameter is out of its domain or contradicts another one, or the graph breaks the bound.

    Notes
    -----
    Privacy: neighbours differ by one edge; the node set, `degree_bound`, `pair` and `node` are public. The
    noise of ``geometric`` and ``staircase`` follows public facts; that of any other follows the graph, and its size
    is not shown.

    Examples
    --------
    >>> from edgedp import Graph
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> count(star, of="edges", epsilon=60).value
    29

    References
    ----------
    docs/privacy-numbers.md; Zhang et al. (2015), Private release of graph statistics using ladder functions.
    """
    asked = {"of": of, "epsilon": epsilon, "mechanism": mechanism, **options}
    if is_word(of, ARCS):
        check_no_option("delta", delta, repr(ARCS))
        return release_in_memory("count", graph, degree_bound, asked, rng)
    return drawn_in_memory(graph, count_in_memory(graph, degree_bound, asked, delta), rng)


def distribution(
    graph: Graph,
    of: CountedName = "degree",
    *,
    epsilon: Any,
    form: DistributionForm = "ccdf",
    cap: int | None = None,
    degree_bound: int | None = None,
    rng: np.random.Generator | None = None,
) -> Release:
    """Release how the degrees are spread, epsilon-edge-differentially private.

    Parameters
    ----------
    graph : Graph
    of : {"degree", "in_degree", "out_degree"}
        The last two of a directed graph; what is above the degree bound counts as the bound.
    epsilon : number or decimal text
    form : {"ccdf", "histogram"}
        The numbers of nodes of degree ``k`` or more, ``k = 1 .. D``, or of exactly ``k``, ``k = 0 .. D``.
    cap : int, optional
        Of in- and out-degrees, **public**: only the first so many arcs of each other end count, and all arcs of one
        such node are protected, too.
    degree_bound, rng
        As in `count`.

    Returns
    -------
    Release
        With ``values``, int64: (D,) for ``ccdf``, which never rise and lie between 0 and n; (D + 1,) for
        ``histogram``, which sum to n.

    Raises
    ------
    EdgeDPError
        As for `count`.

    Notes
    -----
    Privacy: an edge moves two of the cumulative numbers by one each; noise of scale ``2 / epsilon`` on all of them.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> distribution(path, epsilon=100).values.tolist()
    [3, 1]
    >>> distribution(path, epsilon=100, form="histogram").values.tolist()
    [0, 2, 1]

    References
    ----------
    Hay et al. (2009), Accurate estimation of the degree distribution of private networks.
    """
    asked = {"of": of, "epsilon": epsilon, "form": form, "cap": cap}
    return release_in_memory("distribution", graph, degree_bound, asked, rng)


def summary(
    graph: Graph, epsilon: Any, degree_bound: int | None = None, rng: np.random.Generator | None = None
) -> Release:
    """Release what an owner publishes about a graph, several numbers for one epsilon.

    A tenth of epsilon buys the edges, three tenths the triangles, two the wedges, three the distribution of
    the degrees and one a bound above the largest degree; mean degree, density, clustering and quantiles are computed
    from these.

    Parameters
    ----------
    graph : Graph
    epsilon : number or decimal text
        Of all of it.
    degree_bound, rng
        As in `count`.

    Returns
    -------
    Release
        With ``values``, every number by its name, and ``to_text()``.

    Raises
    ------
    EdgeDPError
        As for `count`.

    Notes
    -----
    Privacy: ``epsilon``-edge-DP as a whole.

    Examples
    --------
    >>> from edgedp import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> page = summary(path, epsilon=2000).values
    >>> page["edges"], page["wedges"], page["degree_ccdf"], page["degree_at_most"]
    (2, 1, [3, 1], 2)
    """
    return release_in_memory("summary", graph, degree_bound, {"epsilon": epsilon}, rng)


def count_in_memory(graph: Graph, degree_bound: Any, asked: dict[str, Any], delta: Any = None) -> CountPlan:
    """Plan a release of a graph that the caller holds."""
    options = CountOptions.given(asked)
    planned = plan_count(options, facts_of(graph, degree_bound), delta=delta, stored=False)
    check_all_kept(options, planned)
    count_in(planned, graph.node_ids)  # a node that the graph lacks is refused before any degree is looked at
    check_keeps_bound(graph.max_degree, planned)
    return planned
