"""The cut vectors by the native engine: arrays in, the kernels of `cuts.c`, arrays out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.cuts import CutRows, node_words, row_words
from edgedp.graph.engines.native.engine import _checked, _hub_rows, _rows, _scratch, _share_out, _thread_count
from edgedp.graph.engines.native.layout import by_strongest_neighbors
from edgedp.graph.engines.native.library import Address, Argument, Given, Rows, Scratch, Taken, call
from edgedp.words.errors import EngineError

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

Ints = NDArray[np.int64]


def cut_rows(graph: Graph, caps: Ints, ranks: Ints | None) -> CutRows:
    """Return the cuts of all nodes."""
    n = graph.node_count
    words = node_words(graph.node_ids)
    places = Address() if ranks is None else Given(ranks, np.int64, n, "ranks")
    indptr = np.zeros(n + 1, dtype=np.int64)
    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        np.cumsum(_cut_sizes(rows, caps, places, memory), out=indptr[1:])
        indices = np.empty(int(indptr[-1]), dtype=np.int32)
        call(
            "cut_rows",
            memory,
            rows,
            places,
            Given(row_words(words), np.uint64, n, "row_words"),
            Given(words, np.uint64, n, "words"),
            Given(indptr, np.int64, n + 1, "cut_indptr"),
            Taken(indices, np.int32, indices.size, "cut_indices"),
        )
    return CutRows(indptr, indices)


def _cut_sizes(rows: Rows, caps: Ints, places: Argument, memory: Scratch) -> Ints:
    """Return how many members the cut of each node has."""
    sizes = np.empty(rows.n, dtype=np.int64)
    limits = Given(caps, np.int64, rows.n, "caps").checked()
    if int(caps.min(initial=0)) < 0:
        raise EngineError(
            "caps holds a negative number, must be 0 or more; give the most members of each cut"
        )
    call("cut_sizes", memory, rows, limits, places, Taken(sizes, np.int64, rows.n, "sizes"))
    return sizes


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
    n = graph.node_count
    with _scratch(graph) as memory:
        places = Given(ranks, np.int64, n, "ranks")
        return _cut_sizes(_rows(graph, memory), np.full(n, n, dtype=np.int64), places, memory)


def cut_shares(
    graph: Graph,
    caps: Ints,
    ranks: Ints | None,
    bits: int,
    positions: Ints | None = None,
    *,
    threads: int | None = None,
) -> Ints:
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
    positions = _checked(graph, positions)
    cuts = cut_rows(graph, caps, ranks)
    labelled = _Labelled(graph, cuts, None if positions is None else _met_in(cuts, positions))
    n, most = graph.node_count, labelled.most
    wanted = np.ones(n, dtype=np.uint8)
    if positions is not None:
        wanted[:] = 0
        wanted[positions] = 1
        wanted = wanted[labelled.positions]
    shares = (1 << bits) // np.maximum(np.arange(most + 1, dtype=np.int64), 1)
    shares[0] = 0
    hub_row, hub_rows = _hub_rows(labelled.out)
    arguments = (
        Given(wanted, np.uint8, n, "wanted"),
        most,
        Given(shares, np.int64, most + 1, "shares"),
        Given(hub_row, np.int32, n, "hub_row"),
        Given(hub_rows, np.uint8, hub_rows.size, "hub_rows"),
    )
    sums = labelled.summed("cut_shares", arguments, _thread_count(graph, threads))
    return sums if positions is None else sums[positions]


def _met_in(cuts: CutRows, positions: Ints) -> NDArray[np.uint8]:
    """Return (n,) marks of those that stand in a cut of some nodes: these nodes have pairs of no others."""
    wanted = np.zeros(len(cuts.indptr) - 1, dtype=np.bool_)
    wanted[positions] = True
    met = np.zeros(len(wanted), dtype=np.uint8)
    met[cuts.indices[np.repeat(wanted, np.diff(cuts.indptr))]] = 1
    return met


def cut_closed_shares(
    graph: Graph,
    caps: Ints,
    ranks: Ints | None,
    weights: Ints,
    level: int,
    bits: int,
    *,
    threads: int | None = None,
) -> Ints:
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
    labelled = _Labelled(graph, cut_rows(graph, caps, ranks))
    n = graph.node_count
    Given(weights, np.int64, n, "weights").checked()
    by_label = weights[labelled.positions]
    arguments = (labelled.most, bits, Given(by_label, np.int64, n, "weights"), level)
    return labelled.summed("cut_closed_shares", arguments, _thread_count(graph, threads))


class _Labelled:
    """A graph and its cuts under the labels that the kernels like; the members that are marked, or all."""

    def __init__(self, graph: Graph, cuts: CutRows, met: NDArray[np.uint8] | None = None) -> None:
        n, size = graph.node_count, cuts.indices.size
        self.graph = graph
        self.into = Rows(n, np.empty(n + 1, dtype=np.int64), np.empty(size, dtype=np.int32))
        self.out = Rows(n, np.empty(n + 1, dtype=np.int64), np.empty(size, dtype=np.int32))
        self.before = Taken(np.empty(size, dtype=np.int32), np.int32, size, "before")
        with _scratch(graph) as memory:
            layout = by_strongest_neighbors(_rows(graph, memory), memory)
            call(
                "relabel_cuts",
                memory,
                n,
                Given(cuts.indptr, np.int64, n + 1, "cut_indptr"),
                Given(cuts.indices, np.int32, size, "cut_indices", within=n),
                Given(layout.positions, np.int32, n, "positions"),
                Given(np.ones(n, dtype=np.uint8) if met is None else met, np.uint8, n, "met"),
                *self.into.addresses[1:],
                *self.out.addresses[1:],
                self.before,
            )
        self.positions = layout.positions
        self.rows = layout.rows
        self.most = int(np.diff(self.into.indptr).max(initial=0))

    def summed(self, kernel: str, arguments: tuple[Argument, ...], threads: int) -> Ints:
        """Return the sums of all workers, by position."""
        n = self.graph.node_count
        rows = (self.rows, *self.into.addresses[1:], *self.out.addresses[1:], self.before)

        def work(chunks: Iterator[slice]) -> Ints:
            found = np.zeros(n, dtype=np.int64)
            written = Taken(found, np.int64, n, "sums")
            with _scratch(self.graph) as memory:
                for chunk in chunks:
                    call(kernel, memory, *rows, chunk.start, chunk.stop, *arguments, written)
            return found

        sums = np.empty(n, dtype=np.int64)
        sums[self.positions] = np.add.reduce(_share_out(work, np.diff(self.into.indptr), threads))
        return sums
