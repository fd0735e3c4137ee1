"""All labelled graphs of up to six nodes with their exact metrics, for exhaustive checks.

A graph on ``n`` nodes is a bitmask: bit ``b`` says whether the pair ``pairs(n)[b]`` is an edge, so
neighbouring graphs differ in one bit. Every table has one row a graph, in the order of the masks.
Everything here is written from the definitions and shares no code with the package but `Graph`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph


@cache
def pairs(n: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of nodes in the order of the bits."""
    return tuple(combinations(range(n), 2))


def masks(n: int) -> range:
    """Return the bitmasks of all labelled graphs on n nodes."""
    return range(1 << len(pairs(n)))


def neighbors(mask: int, n: int) -> Iterator[int]:
    """Yield the graphs that differ from `mask` by one edge."""
    for bit in range(len(pairs(n))):
        yield mask ^ (1 << bit)


@cache
def neighbor_table(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, pairs)``: row G lists the neighbours of G."""
    bits = np.int64(1) << np.arange(len(pairs(n)), dtype=np.int64)
    return np.arange(len(masks(n)), dtype=np.int64)[:, None] ^ bits


@cache
def class_representatives(n: int) -> tuple[int, ...]:
    """Return the smallest mask of every isomorphism class (n = 6: 156 of 32,768).

    A check that does not depend on the labels needs only these as G, with all of their neighbours.
    """
    index = {pair: bit for bit, pair in enumerate(pairs(n))}
    every = np.arange(len(masks(n)), dtype=np.int64)
    swapped = []  # two neighbouring labels; every other relabelling is made of these
    for label in range(n - 1):
        order = [*range(label), label + 1, label, *range(label + 2, n)]
        image = np.zeros_like(every)
        for bit, (a, b) in enumerate(pairs(n)):
            moved = index[min(order[a], order[b]), max(order[a], order[b])]
            image |= ((every >> bit) & 1) << moved
        swapped.append(image)
    smallest, before = every, every[:0]
    while not np.array_equal(smallest, before):
        before = smallest
        for image in swapped:
            smallest = np.minimum(smallest, smallest[image])
    return tuple(np.unique(smallest).tolist())


@cache
def all_graphs(n: int) -> list[Graph]:
    """Return every labelled graph on n nodes, indexed by its bitmask."""
    ends = np.array(pairs(n), dtype=np.int64).reshape(-1, 2)
    bits = np.arange(len(ends))
    node_ids = np.arange(n, dtype=np.int64)
    return [
        Graph.from_positions(node_ids, ends[(mask >> bits) & 1 == 1], nodes_supplied=True)
        for mask in masks(n)
    ]


@cache
def adjacency(n: int) -> NDArray[np.bool_]:
    """Return ``(graphs, n, n)``: the adjacency matrices."""
    matrices = np.zeros((len(masks(n)), n, n), dtype=bool)
    for bit, (a, b) in enumerate(pairs(n)):
        matrices[:, a, b] = matrices[:, b, a] = (np.arange(len(masks(n))) >> bit) & 1
    return matrices


@cache
def degrees(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n)``: the degrees."""
    return adjacency(n).sum(axis=2)


@cache
def inner_edges(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n)``: the edges among a node's neighbours."""
    edges = adjacency(n)
    inside = np.zeros((len(masks(n)), n), dtype=np.int64)
    for u, w in pairs(n):
        inside += edges[:, u, :] & edges[:, w, :] & edges[:, u, w, None]
    return inside


@cache
def density(n: int) -> NDArray[np.float64]:
    """Return ``(graphs, n)``: the egocentric densities."""
    possible = degrees(n) * (degrees(n) - 1) // 2
    return np.divide(inner_edges(n), possible, out=np.zeros(possible.shape), where=possible > 0)


@cache
def common_neighbors(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n, n)``: how many neighbours two nodes share; 0 on the diagonal."""
    counts = np.einsum("gux,gwx->guw", adjacency(n).astype(np.int64), adjacency(n).astype(np.int64))
    counts[:, range(n), range(n)] = 0
    return counts


@cache
def ebc(n: int) -> NDArray[np.float64]:
    """Return ``(graphs, n)``: ego-betweenness, by its definition."""
    edges = adjacency(n)
    total = np.zeros((len(masks(n)), n))
    for v in range(n):
        for u, w in pairs(n):
            both = edges[:, v, u] & edges[:, v, w] & ~edges[:, u, w]
            inside = (edges[:, v, :] & edges[:, u, :] & edges[:, w, :]).sum(axis=1)
            total[:, v] += np.where(both, 1 / (1 + inside), 0.0)
    return total


@cache
def betweenness2(n: int) -> NDArray[np.float64]:
    """Return ``(graphs, n)``: betweenness over shortest paths of length two."""
    edges, common = adjacency(n), common_neighbors(n)
    total = np.zeros((len(masks(n)), n))
    for v in range(n):
        for u, w in pairs(n):
            both = edges[:, v, u] & edges[:, v, w] & ~edges[:, u, w]
            total[:, v] += np.where(both, 1 / np.maximum(common[:, u, w], 1), 0.0)
    return total
