"""The native engine: exact quantities of all nodes or of some, by compiled kernels (C).

Every function takes a `Graph` and either the positions that it shall compute, in their order, or None for
all nodes. All nodes are relabelled first (`edgedp.graph.engines.native.layout`), which pays for itself; a few are
computed on the graph as it is. Sums are integers, or floats of integers in a fixed order: a result does not
depend on the number of threads, on the order of the work, or on the labels.

The shared library is opened when a function is first called (`library`, the one module that calls C). Where it is
missing, `EngineError` says so; `edgedp.graph.engines.igraph` has the same functions without it, and
`edgedp.graph.engines.serving` chooses.

Privacy: everything here is computed from private edges and is not a release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

__all__ = [
    "betweenness2",
    "betweenness2_shares",
    "common_neighbors_between",
    "cut_closed_shares",
    "cut_shares",
    "ebc",
    "max_common_neighbors",
    "ordered_degrees",
    "triangles",
]


def triangles(
    graph: Graph, positions: NDArray[np.int64] | None = None, *, threads: int | None = None
) -> NDArray[np.int64]:
    """Return ``e(N(v))``, the edges among a node's neighbours: the triangles that it is in.

    Parameters
    ----------
    graph : Graph
    positions : (k,) int64, optional
        Nodes to compute, in their order; all nodes if None.
    threads : int, optional
        Threads for all nodes; by default one a processor that this process may use.

    Returns
    -------
    (k,) or (n,) int64

    Raises
    ------
    EngineError
        The compiled kernels are missing.

    Examples
    --------
    >>> from edgedp import Graph
    >>> triangles(Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])).tolist()
    [1, 1, 1, 0]
    """
    from edgedp.graph.engines.native import engine

    return engine.triangles(graph, positions, threads)


def ebc(
    graph: Graph, positions: NDArray[np.int64] | None = None, *, threads: int | None = None
) -> NDArray[np.float64]:
    """Return the ego-betweenness; parameters as for `triangles`.

    ``sum over non-adjacent pairs {u, w} in N(v) of 1 / (1 + c)``, ``c`` = common neighbours inside ``N(v)``.
    The pairs are counted by ``c`` in integers, and the histogram is summed in ascending order.

    Examples
    --------
    >>> from edgedp import Graph
    >>> ebc(Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)])).tolist()
    [0.5, 0.0, 0.5, 0.0]

    References
    ----------
    Everett and Borgatti (2005), Ego network betweenness, Social Networks 27(1).
    """
    from edgedp.graph.engines.native import engine

    return engine.ebc(graph, positions, threads)


def betweenness2(
    graph: Graph, positions: NDArray[np.int64] | None = None, *, threads: int | None = None
) -> NDArray[np.float64]:
    """Return betweenness over shortest paths of length two; parameters as for `triangles`.

    ``sum over non-adjacent pairs {u, w} in N(v) of 1 / c``, ``c`` = their common neighbours in the whole
    graph. Summed in fixed point with at least ``61 - log2(D)`` bits after the point, ``D`` the largest degree
    of the graph: the relative error is at most ``D**2 / 2**62``, that is 1e-9 up to degrees of 65,000.

    Examples
    --------
    >>> from edgedp import Graph
    >>> betweenness2(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    from edgedp.graph.engines.native import engine

    return engine.betweenness2(graph, positions, threads)


def betweenness2_shares(graph: Graph, bits: int, *, threads: int | None = None) -> NDArray[np.int64]:
    """Return length-2 betweenness in integer shares: the sum of ``floor(2**bits / c)``; all nodes.

    Parameters
    ----------
    bits : int
        ``C(D, 2) 2**bits`` must be below ``2**63``, ``D`` the largest degree.

    Returns
    -------
    (n,) int64

    Examples
    --------
    >>> from edgedp import Graph
    >>> betweenness2_shares(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), bits=20).tolist()
    [524288, 524288, 524288, 524288]
    """
    from edgedp.graph.engines.native import engine

    return engine.betweenness2_shares(graph, bits, threads)


def ordered_degrees(graph: Graph, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many neighbours of each node have a larger rank than its own.

    Parameters
    ----------
    graph : Graph
    ranks : (n,) int64
        All different.

    Returns
    -------
    (n,) int64
        Their sum is the number of edges.

    Raises
    ------
    EngineError
        The compiled kernels are missing.

    Examples
    --------
    >>> from edgedp import Graph
    >>> ordered_degrees(Graph.from_edges([(0, 1), (0, 2), (0, 3)]), np.array([2, 0, 1, 3])).tolist()
    [1, 1, 1, 0]
    """
    from edgedp.graph.engines.native import cuts

    return cuts.ordered_degrees(graph, ranks)


def cut_shares(
    graph: Graph,
    caps: NDArray[np.int64],
    ranks: NDArray[np.int64] | None,
    bits: int,
    positions: NDArray[np.int64] | None = None,
    *,
    threads: int | None = None,
) -> NDArray[np.int64]:
    """Return the sums of ``floor(2**bits / c)`` over the non-adjacent pairs in each node's cut.

    ``c`` is in how many cuts both ends of the pair stand (`edgedp.graph.engines.cuts`).

    Parameters
    ----------
    caps : (n,) int64
        The most members of each cut.
    ranks : (n,) int64 or None
        A public ranking: a node's neighbours of higher rank alone are eligible.
    bits : int
        ``C(cap, 2) 2**bits`` must be below ``2**62``, ``cap`` the largest cut.
    positions : (p,) int64, optional
        The nodes whose sums are wanted; a few cost half as much as all.

    Returns
    -------
    (n,) or (p,) int64

    Examples
    --------
    >>> from edgedp import Graph
    >>> cut_shares(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), np.full(4, 2), None, bits=20).tolist()
    [524288, 524288, 524288, 524288]
    """
    from edgedp.graph.engines.native import cuts

    return cuts.cut_shares(graph, caps, ranks, bits, positions, threads)


def cut_closed_shares(
    graph: Graph,
    caps: NDArray[np.int64],
    ranks: NDArray[np.int64] | None,
    weights: NDArray[np.int64],
    level: int,
    bits: int,
    *,
    threads: int | None = None,
) -> NDArray[np.int64]:
    """Return the sums of ``floor(2**bits W level / (level + S))`` over the adjacent pairs in each node's cut.

    ``S`` is the sum of ``W`` over all nodes in whose cut both ends of the pair stand.

    Parameters
    ----------
    caps, ranks
        As in `cut_shares`.
    weights : (n,) int64
        ``W``, at least 1; public.
    level : int
        At least 1.
    bits : int
        ``2**bits W level`` and every sum must be below ``2**63``.

    Examples
    --------
    >>> from edgedp import Graph
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> cut_closed_shares(triangle, np.full(3, 2), None, np.ones(3, dtype=np.int64), level=3, bits=2).tolist()
    [3, 3, 3]
    """
    from edgedp.graph.engines.native import cuts

    return cuts.cut_closed_shares(graph, caps, ranks, weights, level, bits, threads)


def max_common_neighbors(
    graph: Graph, positions: NDArray[np.int64] | None = None, *, threads: int | None = None
) -> NDArray[np.int64]:
    """Return ``m(v) = max over u != v of |N(u) & N(v)|``; parameters as for `triangles`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> max_common_neighbors(Graph.from_edges([(0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])).tolist()
    [2, 2, 2, 2, 1]
    """
    from edgedp.graph.engines.native import engine

    return engine.max_common_neighbors(graph, positions, threads)


def common_neighbors_between(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return bounds of `max_common_neighbors` of all nodes that cost about a scan of the graph.

    The nodes of the largest degrees are counted against each other. What one of them shares with any other node is no
    more than that node's degree; so where the count reaches the largest degree left out, both bounds are the value.

    Returns
    -------
    low, high : (n,) int64

    Examples
    --------
    >>> from edgedp import Graph
    >>> graph = Graph.from_edges([(0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])
    >>> [bounds.tolist() for bounds in common_neighbors_between(graph)]
    [[2, 2, 2, 2, 1], [2, 2, 2, 2, 1]]
    """
    from edgedp.graph.engines.native import engine

    return engine.common_neighbors_between(graph)
