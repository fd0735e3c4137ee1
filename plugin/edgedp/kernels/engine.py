"""From a graph to kernel arguments: layouts, batches of work, threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgedp.kernels.common_neighbors import HUB_ROW_DENSITY, hand_out_shares, most_common_neighbors
from edgedp.kernels.ego_networks import BYTE_ROW_ALIGNMENT, edges_inside, ego_betweenness
from edgedp.kernels.layout import by_degree_class, by_strongest_neighbors

if TYPE_CHECKING:
    from edgedp.graph import Graph

__all__ = ["betweenness2", "betweenness2_shares", "ebc", "max_common_neighbors", "triangles"]

Positions = NDArray[np.int64] | None
Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]
Number = TypeVar("Number", np.int64, np.float64)
Result = TypeVar("Result")

RELABEL_FROM = 8
"""Relabel when the rows asked for make up an eighth of all: measured on Enron and GitHub."""
PARALLEL_FROM = 20_000
"""Edges below which one thread is faster."""
CHUNKS_PER_THREAD = 16
HUB_ROWS_MEMORY = 32 << 20
"""Bytes for the rows of hubs."""


def triangles(graph: Graph, positions: Positions, threads: int | None) -> NDArray[np.int64]:
    """Return the edges among each node's neighbours."""

    def work(rows: Rows, nodes: NDArray[np.int64], result: NDArray[np.int64]) -> None:
        edges_inside(*rows, nodes, result)

    return _by_ego(graph, positions, threads, work, np.int64)


def ebc(graph: Graph, positions: Positions, threads: int | None) -> NDArray[np.float64]:
    """Return the ego-betweenness."""

    def work(rows: Rows, nodes: NDArray[np.int64], result: NDArray[np.float64]) -> None:
        largest = int(np.diff(rows[0])[nodes].max()) if len(nodes) else 0
        counter = np.uint16 if largest <= np.iinfo(np.uint16).max else np.uint32
        ego_betweenness(*rows, nodes, np.zeros(largest + 2 * BYTE_ROW_ALIGNMENT, counter), result)

    return _by_ego(graph, positions, threads, work, np.float64)


def betweenness2(graph: Graph, positions: Positions, threads: int | None) -> NDArray[np.float64]:
    """Return betweenness over shortest paths of length two."""
    bits = 62 - graph.max_degree.bit_length()
    common = np.maximum(np.arange(graph.max_degree + 1), 1)
    shares = ((1 << bits) + common // 2) // common
    high, low = _sums_of_shares(graph, shares, positions, threads)
    values: NDArray[np.float64] = np.ldexp(high * 2.0**32 + low, -bits)
    return values


def betweenness2_shares(graph: Graph, bits: int, threads: int | None) -> NDArray[np.int64]:
    """Return length-2 betweenness in integer shares."""
    shares = (1 << bits) // np.maximum(np.arange(graph.max_degree + 1), 1)
    high, low = _sums_of_shares(graph, shares, None, threads)
    return (high << 32) + low


def max_common_neighbors(graph: Graph, positions: Positions, threads: int | None) -> NDArray[np.int64]:
    """Return the most neighbours that each node shares with another."""
    result = np.zeros(graph.node_count, dtype=np.int64)
    if positions is not None:
        most_common_neighbors(graph.indptr, graph.indices, np.unique(positions), False, result)
        return result[positions]
    layout = by_strongest_neighbors(graph)

    def work(chunks: Iterator[NDArray[np.int64]]) -> NDArray[np.int64]:
        most = np.zeros(graph.node_count, dtype=np.int64)
        for sources in chunks:
            most_common_neighbors(layout.indptr, layout.indices, sources, True, most)
        return most

    sources = np.arange(graph.node_count)
    mosts = _share_out(work, sources, np.diff(layout.indptr), _thread_count(graph, threads))
    result[layout.positions] = np.maximum.reduce(mosts)
    return result


def _by_ego(
    graph: Graph,
    positions: Positions,
    threads: int | None,
    kernel: Callable[[Rows, NDArray[np.int64], NDArray[Number]], None],
    dtype: type[Number],
) -> NDArray[Number]:
    """Run a kernel that treats each node by itself: on the graph as it is for a few, else hubs first."""
    if positions is not None:
        asked = int(graph.degrees[positions].sum())
        if asked * RELABEL_FROM < len(graph.indices):
            few = np.empty(len(positions), dtype=dtype)
            kernel((graph.indptr, graph.indices, graph.indptr, graph.indices), positions, few)
            return few
    layout = by_degree_class(graph)
    rows = (layout.indptr, layout.indices, layout.forward_indptr, layout.forward_indices)
    result = np.zeros(graph.node_count, dtype=dtype)

    def work(chunks: Iterator[NDArray[np.int64]]) -> None:
        for nodes in chunks:
            part = np.empty(len(nodes), dtype=dtype)
            kernel(rows, nodes, part)
            result[layout.positions[nodes]] = part

    nodes = np.arange(graph.node_count)[::-1]
    if positions is not None:
        asked_for = np.zeros(graph.node_count, dtype=bool)
        asked_for[positions] = True
        nodes = nodes[asked_for[layout.positions[nodes]]]
    degrees = np.diff(layout.indptr)[nodes]
    _share_out(work, np.ascontiguousarray(nodes), degrees * (degrees + 64), _thread_count(graph, threads))
    return result if positions is None else result[positions]


def _sums_of_shares(
    graph: Graph, shares: NDArray[np.int64], positions: Positions, threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each node's sum of shares in two words, ``high * 2**32 + low``."""
    shares[0] = 0
    n = graph.node_count
    if positions is None:
        layout = by_strongest_neighbors(graph)
        indptr, indices = layout.indptr, layout.indices
        sources = np.arange(n)
        wanted = np.ones(n, dtype=np.uint8)
        hub_row, hub_rows = _hub_rows(indptr, indices)
    else:
        indptr, indices = graph.indptr, graph.indices
        wanted = np.zeros(n, dtype=np.uint8)
        wanted[positions] = 1
        rows = [indices[indptr[v] : indptr[v + 1]] for v in np.flatnonzero(wanted)]
        sources = np.unique(np.concatenate([*rows, np.zeros(0, dtype=np.int32)])).astype(np.int64)
        hub_row, hub_rows = np.full(n, -1, dtype=np.int32), np.zeros((0, n), dtype=np.uint8)

    def work(chunks: Iterator[NDArray[np.int64]]) -> NDArray[np.int64]:
        words = np.zeros((2, n), dtype=np.int64)
        for part in chunks:
            hand_out_shares(indptr, indices, part, wanted, shares, hub_row, hub_rows, words[0], words[1])
        return words

    parts = _share_out(work, sources, np.diff(indptr)[sources], _thread_count(graph, threads))
    sums = np.add.reduce(parts)
    if positions is not None:
        return sums[0, positions], sums[1, positions]
    words = np.empty_like(sums)
    words[:, layout.positions] = sums
    return words[0], words[1]


def _hub_rows(
    indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return where each node's row of bytes is, or -1, and the (h, n) rows of the nodes of the largest degrees."""
    n = len(indptr) - 1
    degrees = np.diff(indptr)
    hubs = np.flatnonzero(degrees > HUB_ROW_DENSITY * n)
    hubs = hubs[np.argsort(-degrees[hubs], kind="stable")][: HUB_ROWS_MEMORY // max(n, 1)]
    hub_row = np.full(n, -1, dtype=np.int32)
    hub_row[hubs] = np.arange(len(hubs), dtype=np.int32)
    hub_rows = np.zeros((len(hubs), n), dtype=np.uint8)
    for row, hub in zip(hub_rows, hubs, strict=True):
        row[indices[indptr[hub] : indptr[hub + 1]]] = 1
    return hub_row, hub_rows


def _thread_count(graph: Graph, threads: int | None) -> int:
    if threads is not None:
        return threads
    if graph.edge_count < PARALLEL_FROM:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _share_out(
    work: Callable[[Iterator[NDArray[np.int64]]], Result],
    nodes: NDArray[np.int64],
    weights: NDArray[np.int64],
    threads: int,
) -> list[Result]:
    """Run one worker a thread over chunks of about equal weight, taken in order by whoever is free."""
    if threads == 1:
        return [work(iter([nodes]))]
    reached = np.cumsum(weights)
    marks = np.arange(1, CHUNKS_PER_THREAD * threads) * (int(reached[-1]) / (CHUNKS_PER_THREAD * threads))
    chunks: SimpleQueue[NDArray[np.int64]] = SimpleQueue()
    for chunk in np.split(nodes, np.unique(np.searchsorted(reached, marks) + 1)):
        chunks.put(chunk)

    def taken() -> Iterator[NDArray[np.int64]]:
        while True:
            try:
                yield chunks.get_nowait()
            except Empty:
                return

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, [taken() for _ in range(threads)]))
