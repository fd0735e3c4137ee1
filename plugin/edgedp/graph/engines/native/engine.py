"""From a graph to kernel arguments: layouts, batches of work, threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.layout import by_degree_class, by_strongest_neighbors, oriented
from edgedp.graph.engines.native.library import Address, Forward, Given, Rows, Scratch, Taken, call

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

Ints = NDArray[np.int64]
Positions = Ints | None
"""What is computed, in that order; None for all nodes."""
Result = TypeVar("Result")

WHOLE_FROM = 8
"""Prepare the whole graph when the rows asked for make up an eighth of all: measured on Enron and GitHub."""
PARALLEL_FROM = 20_000
"""Edges below which one thread is faster."""
CHUNKS_PER_THREAD = 16
HUB_ROWS_MEMORY = 32 << 20
"""Bytes for the rows of hubs."""
HUB_ROW_DENSITY = 1 / 64
"""From this density on a node's row is kept as bytes; what a source does with it, common_neighbors.c says."""


def triangles(graph: Graph, positions: Positions = None, *, threads: int | None = None) -> Ints:
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
    positions = _checked(graph, positions)
    kept: Ints | None = graph.kept.get("triangles")
    if kept is None and positions is not None and not _is_much(graph, positions):
        return _edges_inside(graph, positions)
    if kept is None:
        kept = _list_triangles(graph, _thread_count(graph, threads))
        kept.flags.writeable = False
        graph.kept["triangles"] = kept
    return kept.copy() if positions is None else kept[positions]


def _edges_inside(graph: Graph, positions: Ints) -> Ints:
    found = np.empty(len(positions), dtype=np.int64)
    with _scratch(graph) as memory:
        call(
            "edges_inside",
            memory,
            _rows(graph, memory),
            len(positions),
            Given(positions, np.int64, len(positions), "positions", within=graph.node_count),
            Taken(found, np.int64, len(positions), "triangles"),
        )
    return found


def _list_triangles(graph: Graph, threads: int) -> Ints:
    with _scratch(graph) as memory:
        forward = oriented(_rows(graph, memory), memory)
    n = graph.node_count
    lengths = forward.spans[:, 1].astype(np.int64)

    def work(chunks: Iterator[slice]) -> Ints:
        found = np.zeros(n, dtype=np.int64)
        with _scratch(graph) as memory:
            for chunk in chunks:
                call(
                    "list_triangles",
                    memory,
                    n,
                    forward,
                    chunk.start,
                    chunk.stop,
                    Taken(found, np.int64, n, "triangles"),
                )
        return found

    found = _share_out(work, lengths * (lengths + 8), threads)
    return found[0] if len(found) == 1 else np.add.reduce(found)


def ebc(graph: Graph, positions: Positions = None, *, threads: int | None = None) -> NDArray[np.float64]:
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
    positions = _checked(graph, positions)
    n = graph.node_count
    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        if positions is not None and not _is_much(graph, positions):
            return _ebc_of(rows, None, positions, memory)
        layout = by_degree_class(rows, memory)
    nodes = np.arange(n, dtype=np.int64)[::-1]
    if positions is not None:
        asked_for = np.zeros(n, dtype=bool)
        asked_for[positions] = True
        nodes = nodes[asked_for[layout.positions[nodes]]]
    nodes = np.ascontiguousarray(nodes)
    values = np.zeros(n, dtype=np.float64)

    def work(chunks: Iterator[slice]) -> None:
        with _scratch(graph) as memory:
            for chunk in chunks:
                values[layout.positions[nodes[chunk]]] = _ebc_of(
                    layout.rows, layout.forward, nodes[chunk], memory
                )

    degrees = np.diff(layout.rows.indptr)[nodes]
    _share_out(work, degrees * (degrees + 64), _thread_count(graph, threads))
    return values if positions is None else values[positions]


def _ebc_of(rows: Rows, forward: Forward | None, nodes: Ints, memory: Scratch) -> NDArray[np.float64]:
    values = np.empty(len(nodes), dtype=np.float64)
    asked = Given(nodes, np.int64, len(nodes), "positions", within=rows.n).checked()
    largest = int((rows.indptr[nodes + 1] - rows.indptr[nodes]).max(initial=0))
    call(
        "ebc",
        memory,
        rows,
        *((Address(), Address()) if forward is None else (forward,)),
        largest,
        len(nodes),
        asked,
        Taken(values, np.float64, len(nodes), "values"),
    )
    return values


def betweenness2(
    graph: Graph, positions: Positions = None, *, threads: int | None = None
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
    bits = 62 - graph.max_degree.bit_length()
    common = np.maximum(np.arange(graph.max_degree + 1), 1)
    shares = ((1 << bits) + common // 2) // common
    high, low = _sums_of_shares(graph, shares, positions, threads)
    values: NDArray[np.float64] = np.ldexp(high * 2.0**32 + low, -bits)
    return values


def betweenness2_shares(graph: Graph, bits: int, *, threads: int | None = None) -> Ints:
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
    shares = (1 << bits) // np.maximum(np.arange(graph.max_degree + 1), 1)
    high, low = _sums_of_shares(graph, shares, None, threads)
    return (high << 32) + low


def _sums_of_shares(
    graph: Graph, shares: Ints, positions: Positions, threads: int | None
) -> tuple[Ints, Ints]:
    """Return each node's sum of shares in two words, ``high * 2**32 + low``."""
    positions = _checked(graph, positions)
    shares[0] = 0
    n = graph.node_count
    with _scratch(graph) as memory:
        rows = _rows(graph, memory)
        layout = by_strongest_neighbors(rows, memory) if positions is None else None
    if layout is not None:
        rows = layout.rows
        sources = np.arange(n, dtype=np.int64)
        wanted = np.ones(n, dtype=np.uint8)
        hub_row, hub_rows = _hub_rows(rows)
    else:
        wanted = np.zeros(n, dtype=np.uint8)
        wanted[positions] = 1
        listed = [rows.indices[rows.indptr[v] : rows.indptr[v + 1]] for v in np.flatnonzero(wanted)]
        sources = np.unique(np.concatenate([*listed, np.zeros(0, dtype=np.int32)])).astype(np.int64)
        hub_row, hub_rows = np.full(n, -1, dtype=np.int32), np.zeros((0, n), dtype=np.uint8)

    def work(chunks: Iterator[slice]) -> Ints:
        words = np.zeros((2, n), dtype=np.int64)
        with _scratch(graph) as memory:
            for chunk in chunks:
                call(
                    "hand_out_shares",
                    memory,
                    rows,
                    chunk.stop - chunk.start,
                    Given(sources[chunk], np.int64, chunk.stop - chunk.start, "sources", within=n),
                    Given(wanted, np.uint8, n, "wanted"),
                    graph.max_degree,
                    Given(shares, np.int64, graph.max_degree + 1, "shares"),
                    Given(hub_row, np.int32, n, "hub_row"),
                    Given(hub_rows, np.uint8, hub_rows.size, "hub_rows"),
                    Taken(words[0], np.int64, n, "high"),
                    Taken(words[1], np.int64, n, "low"),
                )
        return words

    sums = np.add.reduce(_share_out(work, np.diff(rows.indptr)[sources], _thread_count(graph, threads)))
    if layout is None:
        return sums[0, positions], sums[1, positions]
    words = np.empty_like(sums)
    words[:, layout.positions] = sums
    return words[0], words[1]


def _hub_rows(rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return where each node's row of bytes is, or -1, and the (h, n) rows of the nodes of the largest degrees."""
    n, indptr = rows.n, rows.indptr
    degrees = np.diff(indptr)
    hubs = np.flatnonzero(degrees > HUB_ROW_DENSITY * n)
    hubs = hubs[np.argsort(-degrees[hubs], kind="stable")][: HUB_ROWS_MEMORY // max(n, 1)]
    hub_row = np.full(n, -1, dtype=np.int32)
    hub_row[hubs] = np.arange(len(hubs), dtype=np.int32)
    hub_rows = np.zeros((len(hubs), n), dtype=np.uint8)
    for row, hub in zip(hub_rows, hubs, strict=True):
        row[rows.indices[indptr[hub] : indptr[hub + 1]]] = 1
    return hub_row, hub_rows


# -- what is kept with a graph, and threads ----------------------------------------------------------


def _checked(graph: Graph, positions: Positions) -> Positions:
    """Return positions as the kernels take them, or refuse them."""
    if positions is None:
        return None
    if isinstance(positions, np.ndarray) and positions.dtype.kind in "iu":
        positions = np.ascontiguousarray(positions, dtype=np.int64)
    Given(positions, np.int64, len(positions), "positions", within=graph.node_count).checked()
    return positions


def _rows(graph: Graph, memory: Scratch) -> Rows:
    """Return the rows of a graph, checked once."""
    rows: Rows | None = graph.kept.get("rows")
    if rows is None:
        rows = graph.kept["rows"] = Rows.checked(graph.indptr, graph.indices, memory)
    return rows


@contextmanager
def _scratch(graph: Graph) -> Iterator[Scratch]:
    """Lend scratch that is kept with the graph; after an error it is let go, for it may not be clean."""
    pool: list[Scratch] = graph.kept.setdefault("scratch", [])
    try:
        memory = pool.pop()
    except IndexError:
        memory = Scratch()
    yield memory
    pool.append(memory)


def _is_much(graph: Graph, positions: Ints) -> bool:
    """Whether the rows of the positions are so large a part of all that the whole graph is prepared."""
    return int(graph.degrees[positions].sum()) * WHOLE_FROM >= len(graph.indices)


def _thread_count(graph: Graph, threads: int | None) -> int:
    if threads is not None:
        return threads
    if graph.edge_count < PARALLEL_FROM:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _share_out(work: Callable[[Iterator[slice]], Result], weights: Ints, threads: int) -> list[Result]:
    """Run one worker a thread over slices of about equal weight, taken in order by whoever is free."""
    if threads == 1 or len(weights) == 0:
        return [work(iter([slice(0, len(weights))]))]
    reached = np.cumsum(weights)
    marks = np.arange(1, CHUNKS_PER_THREAD * threads) * (int(reached[-1]) / (CHUNKS_PER_THREAD * threads))
    ends = np.unique(np.append(np.searchsorted(reached, marks) + 1, len(weights))).tolist()
    chunks: SimpleQueue[slice] = SimpleQueue()
    for start, stop in zip([0, *ends], ends, strict=False):
        chunks.put(slice(start, min(stop, len(weights))))

    def taken_in_order() -> Iterator[slice]:
        while True:
            try:
                yield chunks.get_nowait()
            except Empty:
                return

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, [taken_in_order() for _ in range(threads)]))
