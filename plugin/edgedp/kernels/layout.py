"""The order in which the kernels like their nodes, and the compact rows that follow from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph import Graph
from edgedp.kernels.compilation import compiled

__all__ = ["Layout", "by_degree_class", "by_strongest_neighbors"]


RANK_BITS = 19
"""Of a rank in a sorting key, so that a class and three ranks fit 63 bits; beyond, neighbouring ranks count as one."""


class Layout(NamedTuple):
    """A graph under new labels, so that label order means something to a kernel.

    All arrays are read-only, as those of a `Graph` are: a kernel compiled for one serves the other.
    """

    positions: NDArray[np.int32]
    """(n,) position of each label."""
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    """Rows of all neighbours, as labels, ascending."""
    forward_indptr: NDArray[np.int64]
    forward_indices: NDArray[np.int32]
    """Rows of the neighbours with a higher label."""


def by_degree_class(graph: Graph) -> Layout:
    """Relabel by ascending degree class (half a log2), in order of position within a class.

    A forward row then holds the neighbours of about the same or a higher degree: it is short even for a
    hub, and the sum of ``d(u) |forward(u)|`` is the sum over edges of the smaller degree, nearly.
    """
    classes = np.round(2 * np.log2(np.maximum(graph.degrees, 1))).astype(np.int8)
    return _relabel(graph, np.argsort(classes, kind="stable").astype(np.int32))


def by_strongest_neighbors(graph: Graph) -> Layout:
    """Relabel by descending degree class; within a class, nodes with the same three largest neighbours together.

    A walk of two steps then meets the popular nodes in few cache lines, and nodes that are reached together
    stand together.
    """
    by_degree = np.argsort(-graph.degrees, kind="stable")
    rank = np.empty(graph.node_count, dtype=np.int32)
    rank[by_degree] = np.arange(graph.node_count, dtype=np.int32)
    strongest = _three_smallest(graph.indptr, graph.indices, rank)
    key = 31 - np.round(np.log2(np.maximum(graph.degrees, 1))).astype(np.int64)
    dropped = max(graph.node_count.bit_length() - RANK_BITS, 0)
    for ranks in strongest.T:
        key = (key << RANK_BITS) | (ranks >> dropped)
    return _relabel(graph, np.argsort(key).astype(np.int32))


def _relabel(graph: Graph, positions: NDArray[np.int32]) -> Layout:
    arrays = _rows(graph.indptr, graph.indices, positions)
    for array in arrays:
        array.flags.writeable = False
    return Layout(positions, *arrays)


@compiled
def _rows(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], positions: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Return the rows under the new labels; visiting the labels in order writes every row in order."""
    n = len(positions)
    labels = np.empty(n, np.int32)
    for label in range(n):
        labels[positions[label]] = label
    new_indptr = np.zeros(n + 1, np.int64)
    for label in range(n):
        v = positions[label]
        new_indptr[label + 1] = new_indptr[label] + indptr[v + 1] - indptr[v]
    end = new_indptr[:-1].copy()
    new_indices = np.empty(len(indices), np.int32)
    forward_indptr = np.zeros(n + 1, np.int64)
    for label in range(n):
        v = positions[label]
        for p in range(indptr[v], indptr[v + 1]):
            other = labels[indices[p]]
            new_indices[end[other]] = label
            end[other] += 1
            forward_indptr[label + 1] += other > label
    for label in range(n):
        forward_indptr[label + 1] += forward_indptr[label]
    forward_indices = np.empty(len(indices) // 2, np.int32)
    for label in range(n):
        stop = new_indptr[label + 1]
        first = forward_indptr[label]
        count = forward_indptr[label + 1] - first
        forward_indices[first : first + count] = new_indices[stop - count : stop]
    return new_indptr, new_indices, forward_indptr, forward_indices


@compiled
def _three_smallest(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], rank: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the three smallest ranks among each node's neighbours, ascending, n where there are fewer."""
    n = len(rank)
    smallest = np.full((n, 3), n, np.int32)
    for v in range(n):
        for p in range(indptr[v], indptr[v + 1]):
            r = rank[indices[p]]
            if r < smallest[v, 2]:
                smallest[v, 2] = r
                if r < smallest[v, 1]:
                    smallest[v, 2] = smallest[v, 1]
                    smallest[v, 1] = r
                    if r < smallest[v, 0]:
                        smallest[v, 1] = smallest[v, 0]
                        smallest[v, 0] = r
    return smallest
