"""All pairs of neighbouring graphs on a few nodes, one of each kind up to relabelling.

A mechanism that treats all labels alike has, on a relabelled graph, the relabelled law: renaming the
nodes of both neighbours renames the answers and changes no probability. So the largest loss over all
labelled neighbours is the largest over one representative of every class of pairs, and the law is
needed on one graph of every class of graphs only (6 nodes: 156 instead of 32,768). That the
mechanisms do treat all labels alike is tested apart (tests/mechanisms/test_audit.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph


@dataclass(frozen=True)
class NeighborPairs:
    """The pairs ``(G, G + one edge)`` on `node_count` nodes, up to relabelling.

    Attributes
    ----------
    node_count : int
    masks : (g,) tuple of int
        A representative of every class of graphs; bit ``b`` stands for pair ``b`` of
        ``combinations(range(node_count), 2)``.
    less, more : (p,) int64
        Indices into `masks`: the graph without the edge and the one with it.
    bits : (p,) int64
        The edge, as the bit that adding it sets in ``masks[less[p]]``.
    names : (p, node_count) int64
        Node ``v`` of ``G + edge`` is node ``names[p, v]`` of the representative ``more[p]``.
    """

    node_count: int
    masks: tuple[int, ...]
    less: NDArray[np.int64]
    more: NDArray[np.int64]
    bits: NDArray[np.int64]
    names: NDArray[np.int64]


@cache
def neighbor_pairs(node_count: int) -> NeighborPairs:
    """Return all pairs of neighbouring graphs up to relabelling.

    Every graph is reached from the empty one by adding edges, so the search starts there.

    Examples
    --------
    >>> pairs = neighbor_pairs(5)
    >>> len(pairs.masks), len(pairs.less)
    (34, 170)
    """
    index = {0: 0}
    masks = [0]
    pairs: list[tuple[int, int, int, tuple[int, ...]]] = []
    for less, mask in enumerate(masks):
        for bit in range(node_count * (node_count - 1) // 2):
            if mask >> bit & 1:
                continue
            smallest, names = _canonical(mask | 1 << bit, node_count)
            if smallest not in index:
                index[smallest] = len(masks)
                masks.append(smallest)
            pairs.append((less, index[smallest], bit, names))
    less_ends, more_ends, bits, names_of_all = zip(*pairs, strict=True) if pairs else ((), (), (), ())
    return NeighborPairs(
        node_count,
        tuple(masks),
        np.array(less_ends, dtype=np.int64),
        np.array(more_ends, dtype=np.int64),
        np.array(bits, dtype=np.int64),
        np.array(names_of_all, dtype=np.int64).reshape(-1, node_count),
    )


def graph_of_mask(mask: int, node_count: int) -> Graph:
    """Return the graph of a bitmask; its node ids are ``0 .. node_count - 1``."""
    edges = [pair for bit, pair in enumerate(combinations(range(node_count), 2)) if mask >> bit & 1]
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_positions(np.arange(node_count, dtype=np.int64), ends, nodes_supplied=True)


def _canonical(mask: int, node_count: int) -> tuple[int, tuple[int, ...]]:
    """Return the smallest mask of a graph's class and the relabelling that leads there."""
    orders, images = _relabellings(node_count)
    bits = [bit for bit in range(images.shape[1]) if mask >> bit & 1]
    relabelled = (np.int64(1) << images[:, bits]).sum(axis=1)
    best = int(relabelled.argmin())
    return int(relabelled[best]), tuple(orders[best].tolist())


@cache
def _relabellings(node_count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every permutation of the nodes, and where it sends every bit."""
    orders = np.array(list(permutations(range(node_count))), dtype=np.int64)
    ends = np.array(list(combinations(range(node_count), 2)), dtype=np.int64).reshape(-1, 2)
    bit = np.zeros((node_count, node_count), dtype=np.int64)
    bit[ends[:, 0], ends[:, 1]] = bit[ends[:, 1], ends[:, 0]] = np.arange(len(ends))
    return orders, bit[orders[:, ends[:, 0]], orders[:, ends[:, 1]]]
