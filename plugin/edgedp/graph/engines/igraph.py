"""The igraph engine: the quantities of `edgedp.graph.engines.native` by igraph and numpy alone.

It works where the compiled kernels are missing, and is written independently of the kernels: triangles are igraph's,
pairs are counted by listing paths of length two in blocks of bounded size. Same functions, same names.

Privacy: everything here is computed from private edges and is not a release.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.cuts import cut_rows
from edgedp.graph.engines.paths import Rows, blocks, ranges
from edgedp.graph.graph import Graph

Ints = NDArray[np.int64]

LOW_WORD_BITS = 31


def triangles(graph: Graph, positions: Ints | None = None) -> Ints:
    """Return ``e(N(v))``, the edges among a node's neighbours, from igraph's local transitivity.

    Parameters
    ----------
    graph : Graph
    positions : (k,) int64, optional
        Nodes to compute, in their order; all nodes if None.

    Returns
    -------
    (k,) or (n,) int64

    Examples
    --------
    >>> from edgedp import Graph
    >>> triangles(Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])).tolist()
    [1, 1, 1, 0]
    """
    import igraph

    wanted = np.arange(graph.node_count) if positions is None else positions
    if not len(wanted):
        return np.zeros(0, dtype=np.int64)
    transitivity = igraph.Graph(n=graph.node_count, edges=graph.edges()).transitivity_local_undirected(
        vertices=wanted.tolist(), mode="zero"
    )
    return np.rint(np.asarray(transitivity) * _pairs(graph.degrees[wanted])).astype(np.int64)


def ebc(graph: Graph, positions: Ints | None = None) -> NDArray[np.float64]:
    """Return the ego-betweenness; parameters as for `triangles`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> ebc(Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)])).tolist()
    [0.5, 0.0, 0.5, 0.0]
    """
    if positions is None:
        # Labels in order of the degree make the rows behind a node short, also those of hubs.
        order = np.argsort(graph.degrees, kind="stable")
        label = np.argsort(order)
        relabelled = Graph.from_positions(
            np.arange(graph.node_count), label[graph.edges()], nodes_supplied=True
        )
        return ebc(relabelled, np.arange(graph.node_count))[label]
    rows = Rows.of(graph.indptr, graph.indices)
    result = np.empty(len(positions))
    for chosen in blocks(rows.sums_over_neighbors(rows.indptr[1:] - rows.behind)[positions]):
        result[chosen] = _ebc_of(rows, positions[chosen])
    return result


def betweenness2(graph: Graph, positions: Ints | None = None) -> NDArray[np.float64]:
    """Return betweenness over shortest paths of length two; parameters as for `triangles`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> betweenness2(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    result = np.zeros(graph.node_count)
    rows = Rows.of(graph.indptr, graph.indices)
    sources = (
        np.arange(graph.node_count) if positions is None else np.unique(rows.heads[rows.arcs(positions)])
    )
    for paths in rows.paths(sources, apart=True):
        result += np.bincount(paths.centres, 1 / paths.shared, minlength=graph.node_count)
    return result if positions is None else result[positions]


def betweenness2_shares(graph: Graph, bits: int) -> Ints:
    """Return length-2 betweenness in integer shares: the sum of ``floor(2**bits / c)``; all nodes.

    Examples
    --------
    >>> from edgedp import Graph
    >>> betweenness2_shares(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), bits=20).tolist()
    [524288, 524288, 524288, 524288]
    """
    result = np.zeros(graph.node_count, dtype=np.int64)
    rows = Rows.of(graph.indptr, graph.indices)
    for paths in rows.paths(np.arange(graph.node_count), apart=True):
        _add_up(result, paths.centres, (1 << bits) // paths.shared)
    return result


def cut_shares(
    graph: Graph, caps: Ints, ranks: Ints | None, bits: int, positions: Ints | None = None
) -> Ints:
    """Return the sums of ``floor(2**bits / c)`` over the non-adjacent pairs in each node's cut.

    ``c`` is in how many cuts both ends of the pair stand (`edgedp.graph.engines.cuts`).

    Parameters are those of `edgedp.graph.engines.native.cut_shares`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> cut_shares(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), np.full(4, 2), None, bits=20).tolist()
    [524288, 524288, 524288, 524288]
    """
    result = np.zeros(graph.node_count, dtype=np.int64)
    for centres, cells, adjacent in _cut_paths(graph, caps, ranks):
        _, pair, shared = np.unique(cells, return_inverse=True, return_counts=True)
        _add_up(result, centres[~adjacent], (1 << bits) // shared[pair[~adjacent]])
    return result if positions is None else result[positions]


def ordered_degrees(graph: Graph, ranks: Ints) -> Ints:
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

    Examples
    --------
    >>> from edgedp import Graph
    >>> ordered_degrees(Graph.from_edges([(0, 1), (0, 2), (0, 3)]), np.array([2, 0, 1, 3])).tolist()
    [1, 1, 1, 0]
    """
    tails = np.repeat(np.arange(graph.node_count), graph.degrees)
    behind = ranks[graph.indices] > ranks[tails]
    counts: Ints = np.bincount(tails[behind], minlength=graph.node_count).astype(np.int64)
    return counts


def cut_closed_shares(
    graph: Graph, caps: Ints, ranks: Ints | None, weights: Ints, level: int, bits: int
) -> Ints:
    """Return the sums of ``floor(2**bits W level / (level + S))`` over the adjacent pairs in each node's cut.

    ``S`` is the sum of ``W`` over all nodes in whose cut both ends of the pair stand.

    Parameters are those of `edgedp.graph.engines.native.cut_closed_shares`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> cut_closed_shares(triangle, np.full(3, 2), None, np.ones(3, dtype=np.int64), level=3, bits=2).tolist()
    [3, 3, 3]
    """
    result = np.zeros(graph.node_count, dtype=np.int64)
    for centres, cells, adjacent in _cut_paths(graph, caps, ranks):
        centres, cells = centres[adjacent], cells[adjacent]
        _, pair = np.unique(cells, return_inverse=True)
        totals = np.zeros(int(pair.max(initial=-1)) + 1, dtype=np.int64)
        _add_up(totals, pair, weights[centres])
        _add_up(result, centres, (weights[centres] << bits) * level // (level + totals[pair]))
    return result


def max_common_neighbors(graph: Graph, positions: Ints | None = None) -> Ints:
    """Return ``m(v) = max over u != v of |N(u) & N(v)|``; parameters as for `triangles`.

    Examples
    --------
    >>> from edgedp import Graph
    >>> max_common_neighbors(Graph.from_edges([(0, 2), (1, 2), (0, 3), (1, 3), (3, 4)])).tolist()
    [2, 2, 2, 2, 1]
    """
    result = np.zeros(graph.node_count, dtype=np.int64)
    rows = Rows.of(graph.indptr, graph.indices)
    sources = np.arange(graph.node_count) if positions is None else np.unique(positions)
    for paths in rows.paths(sources, behind=positions is None):
        np.maximum.at(result, paths.sources, paths.shared)
        if positions is None:
            np.maximum.at(result, paths.targets, paths.shared)
    return result if positions is None else result[positions]


def _cut_paths(
    graph: Graph, caps: Ints, ranks: Ints | None
) -> Iterator[tuple[Ints, Ints, NDArray[np.bool_]]]:
    """Yield, in blocks with the pairs of a source whole, each path ``u - x - w``, ``u < w`` both in the cut of x.

    A path is its centre ``x``, a number of the pair, and whether the pair is adjacent.
    """
    n = graph.node_count
    indptr, heads = cut_rows(graph, caps, ranks)
    members = heads.astype(np.int64)
    # The arcs into u, by u: whose cut holds u, and what stands behind u in that cut.
    into = np.argsort(members, kind="stable")
    centres = np.repeat(np.arange(n), np.diff(indptr))[into]
    lengths = indptr[centres + 1] - into - 1
    counts = np.bincount(members, minlength=n)
    stops = np.cumsum(counts)
    reached = np.concatenate([[0], np.cumsum(lengths)])
    arcs = np.repeat(np.arange(n), graph.degrees) * n + graph.indices
    for chosen in blocks(reached[stops] - reached[stops - counts]):
        of = slice(int(stops[chosen.start] - counts[chosen.start]), int(stops[chosen.stop - 1]))
        source = np.repeat(members[into[of]], lengths[of])
        target = members[ranges(into[of] + 1, into[of] + 1 + lengths[of])]
        cells = source * n + target
        found = np.minimum(np.searchsorted(arcs, cells), max(len(arcs) - 1, 0))
        yield np.repeat(centres[of], lengths[of]), cells, arcs[found] == cells


def _add_up(sums: Ints, places: Ints, terms: Ints) -> None:
    """Add integers below ``2**62`` up by place, exactly; bincount adds floats, so in words of 31 bits."""
    for word, shift in ((terms & ((1 << LOW_WORD_BITS) - 1), 0), (terms >> LOW_WORD_BITS, LOW_WORD_BITS)):
        sums += np.bincount(places, word, minlength=len(sums)).astype(np.int64) << shift


def _ebc_of(rows: Rows, nodes: Ints) -> NDArray[np.float64]:
    """Return the ego-betweenness of some nodes, from one graph that holds all of their ego networks apart."""
    n = len(rows.indptr) - 1
    arcs = rows.arcs(nodes)
    degrees = rows.indptr[nodes + 1] - rows.indptr[nodes]
    ego = np.repeat(np.arange(len(nodes)), degrees)
    member = rows.heads[arcs]
    key = ego * n + member  # ascending
    lengths = rows.indptr[member + 1] - rows.behind[member]
    a = np.repeat(np.arange(len(arcs)), lengths)
    wanted = ego[a] * n + rows.heads[ranges(rows.behind[member], rows.indptr[member + 1])]
    b = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
    inside = key[b] == wanted
    a, b = a[inside], b[inside]
    apart = _pairs(degrees) - np.bincount(ego[a], minlength=len(nodes))

    size = len(arcs)
    both = np.sort(np.concatenate([a * size + b, b * size + a]))
    indptr = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(both // max(size, 1), minlength=size), out=indptr[1:])
    joined = Rows.of(indptr, both % max(size, 1))
    joint_pairs, betweenness = np.zeros((2, len(nodes)))
    for paths in joined.paths(np.arange(size), np.cumsum(degrees)[ego], apart=True):
        of = ego[paths.sources]
        joint_pairs += np.bincount(of, 1 / paths.shared, minlength=len(nodes))
        betweenness += np.bincount(of, 1 / (paths.shared * (paths.shared + 1)), minlength=len(nodes))
    return apart - np.rint(joint_pairs) + betweenness


def _pairs(degrees: Ints) -> Ints:
    """Return ``C(d, 2)``."""
    return degrees * (degrees - 1) // 2
