"""Ego-betweenness and triangles, one ego network after the other.

For a node ``c`` the edges among its neighbours are found by marking ``N(c)`` and scanning the forward
row of each neighbour. Then the non-adjacent pairs of neighbours are counted by how many neighbours they
share inside ``N(c)``, in one of two ways:

*bits*, for a small dense ego network: a row of up to 256 bits a vertex, AND and popcount for every pair;

*rows*: for a vertex ``i`` the rows of its neighbours are added up, ``counts[k] = |N(i) & N(k)|``. A row that
is dense is added as bytes, many at a time; a sparse one entry by entry.

A vertex with one neighbour inside shares exactly that one with each of its other neighbours' vertices; such
leaves are counted by a formula and left out.

The counts go into an integer histogram, so a node's value does not depend on the order of the work.

References
----------
Everett and Borgatti (2005), Ego network betweenness, Social Networks 27(1): the measure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.kernels.compilation import compiled, popcount

__all__ = ["edges_inside", "ego_betweenness"]

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]
Words = NDArray[np.uint64]

BIT_ROW_WORDS = 4
BIT_ROW_VERTICES = 64 * BIT_ROW_WORDS
BYTE_ROW_ALIGNMENT = 64
BYTE_ROW_MEMORY = 1 << 20
"""Bytes for the dense rows of one ego network: they stay in the second-level cache."""
BYTE_ROW_DENSITY = 1 / 96
"""From this density on a row is added as bytes; measured, flat between 1/50 and 1/100."""
HISTOGRAMS = 4
"""Copies of the histogram: consecutive pairs often have equal counts, and one counter would wait for itself."""


@compiled
def ego_betweenness(
    indptr: Ints,
    indices: Labels,
    forward_indptr: Ints,
    forward_indices: Labels,
    nodes: Ints,
    counts: NDArray[np.uint16],
    result: NDArray[np.float64],
) -> None:
    """Write the ego-betweenness of ``nodes[i]`` to ``result[i]``.

    Parameters
    ----------
    indptr, indices
        Rows of all neighbours, ascending.
    forward_indptr, forward_indices
        Rows of the neighbours with higher labels. The full rows serve as well: what is lower is passed over.
    nodes : (k,) int64
    counts : (largest degree + 2 * BYTE_ROW_ALIGNMENT,) unsigned integers, zeros
        Scratch; its type must hold the largest degree.
    result : (k,) float64
        Output.
    """
    largest = 0
    for c in nodes:
        largest = max(largest, indptr[c + 1] - indptr[c])
    inside = np.zeros(len(indptr) - 1, np.int32)
    ends = np.empty(1024, np.int32)
    row_ends = np.zeros(largest + 1, np.int64)
    inner_degrees = np.zeros(largest, np.int64)
    names = np.empty(largest, np.int32)
    leaves = np.zeros(largest, np.int64)
    cells = np.empty(2048, np.int32)
    bounds = np.empty((3, largest), np.int64)
    byte_row = np.empty(largest, np.int64)
    touched = np.empty(largest, np.int32)
    bit_rows = np.zeros((BIT_ROW_VERTICES, BIT_ROW_WORDS), np.uint64)
    byte_rows = np.zeros(BYTE_ROW_MEMORY, np.uint8)
    histograms = np.zeros((HISTOGRAMS, largest + 1), np.int64)

    for position in range(len(nodes)):
        c = nodes[position]
        neighbors = indices[indptr[c] : indptr[c + 1]]
        degree = len(neighbors)
        ends, edges = _edges_among(neighbors, forward_indptr, forward_indices, inside, ends, row_ends)
        apart = degree * (degree - 1) // 2 - edges
        if edges == 0 or apart == 0:
            result[position] = apart
            continue

        for i in range(degree):
            inner_degrees[i] += row_ends[i + 1] - row_ends[i]
            for p in range(row_ends[i], row_ends[i + 1]):
                inner_degrees[ends[p]] += 1
        # Name the vertices that are not isolated and no leaves.
        size = 0
        wedges = 0
        for i in range(degree):
            inner = inner_degrees[i]
            names[i] = -1
            if inner > 1:
                names[i] = size
                leaves[size] = 0
                size += 1
                wedges += inner * (inner - 1) // 2

        if wedges > 0:
            words = 1 if size <= 64 else 2 if size <= 128 else 4
            if size <= BIT_ROW_VERTICES and 8 * wedges > size * (size - 1) * (2 + words):
                _fill_bit_rows(degree, row_ends, ends, names, bit_rows, leaves)
                _count_by_bits(size, words, bit_rows, histograms)
                bit_rows[:size] = 0
            else:
                if len(cells) < 2 * edges:
                    cells = np.empty(4 * edges, np.int32)
                used = _place_rows(degree, size, inner_degrees, names, bounds, byte_row)
                _fill_rows(degree, row_ends, ends, names, bounds, cells, byte_row, byte_rows, leaves)
                _count_by_rows(size, bounds, cells, byte_row, byte_rows, counts, touched, histograms)
                byte_rows[:used] = 0
            for i in range(degree):
                if names[i] >= 0:
                    lone = leaves[names[i]]
                    histograms[0, 1] += lone * (inner_degrees[i] - lone) + lone * (lone - 1) // 2
        inner_degrees[:degree] = 0
        result[position] = _settle(apart, size, histograms)


@compiled
def edges_inside(
    indptr: Ints,
    indices: Labels,
    forward_indptr: Ints,
    forward_indices: Labels,
    nodes: Ints,
    result: Ints,
) -> None:
    """Write the number of edges among the neighbours of ``nodes[i]`` to ``result[i]``; parameters as above."""
    marked = np.zeros(len(indptr) - 1, np.uint8)
    for position in range(len(nodes)):
        c = nodes[position]
        neighbors = indices[indptr[c] : indptr[c + 1]]
        for u in neighbors:
            marked[u] = 1
        found = 0
        for u in neighbors:
            for p in range(forward_indptr[u], forward_indptr[u + 1]):
                w = forward_indices[p]
                found += marked[w] & (w > u)
        for u in neighbors:
            marked[u] = 0
        result[position] = found


@compiled
def _edges_among(
    neighbors: Labels,
    forward_indptr: Ints,
    forward_indices: Labels,
    inside: Labels,
    ends: Labels,
    row_ends: Ints,
) -> tuple[Labels, int]:
    """List the edges ``i < j`` among the neighbours, by ``i``: their ``j`` go to `ends`, which may grow."""
    degree = len(neighbors)
    for i in range(degree):
        inside[neighbors[i]] = i
    edges = 0
    for i in range(degree):
        u = neighbors[i]
        first = forward_indptr[u]
        last = forward_indptr[u + 1]
        if edges + last - first >= len(ends):
            larger = np.empty(2 * (edges + last - first) + 1, np.int32)
            larger[:edges] = ends[:edges]
            ends = larger
        for p in range(first, last):
            j = inside[forward_indices[p]]
            ends[edges] = j  # kept only if it counts: no branch to mispredict
            edges += j > i
        row_ends[i + 1] = edges
    for u in neighbors:
        inside[u] = 0
    return ends, edges


@compiled
def _fill_bit_rows(
    degree: int, row_ends: Ints, ends: Labels, names: Labels, bit_rows: Words, leaves: Ints
) -> None:
    """Set both bits of every edge; an edge to a leaf is only counted."""
    one = np.uint64(1)
    for i in range(degree):
        a = names[i]
        for p in range(row_ends[i], row_ends[i + 1]):
            b = names[ends[p]]
            if (a | b) < 0:
                if a >= 0:
                    leaves[a] += 1
                elif b >= 0:
                    leaves[b] += 1
            else:
                bit_rows[np.uint64(a), np.uint64(b) >> np.uint64(6)] |= one << (np.uint64(b) & np.uint64(63))
                bit_rows[np.uint64(b), np.uint64(a) >> np.uint64(6)] |= one << (np.uint64(a) & np.uint64(63))


@compiled
def _count_by_bits(size: int, words: int, bit_rows: Words, histograms: Ints) -> None:
    """Count the pairs by how many neighbours they share; an adjacent pair goes to the unused count 0."""
    one = np.uint64(1)
    for i in range(size):
        first = bit_rows[i, 0]
        second = bit_rows[i, 1]
        third = bit_rows[i, 2]
        fourth = bit_rows[i, 3]
        for j in range(i + 1, size):
            shared = popcount(first & bit_rows[j, 0])
            if words > 1:
                shared += popcount(second & bit_rows[j, 1])
            if words > 2:
                shared += popcount(third & bit_rows[j, 2]) + popcount(fourth & bit_rows[j, 3])
            adjacent = (bit_rows[i, np.uint64(j) >> np.uint64(6)] >> (np.uint64(j) & np.uint64(63))) & one
            histograms[j & 1, np.uint64(shared) & (adjacent - one)] += 1


@compiled
def _place_rows(
    degree: int, size: int, inner_degrees: Ints, names: Labels, bounds: Ints, byte_row: Ints
) -> int:
    """Give every vertex room for its row, and the densest a row of bytes as well; return the bytes used.

    ``bounds`` holds, by name: where the row begins, where its part above the current vertex begins, where
    it ends so far. ``byte_row`` holds where the row of bytes begins, or -1.
    """
    stride = (size + BYTE_ROW_ALIGNMENT - 1) & -BYTE_ROW_ALIGNMENT
    least = int(size * BYTE_ROW_DENSITY) + 1
    while True:
        dense = 0
        for i in range(degree):
            dense += inner_degrees[i] >= least and names[i] >= 0
        if dense * stride <= BYTE_ROW_MEMORY:
            break
        least *= 2
    start = 0
    used = 0
    for i in range(degree):
        name = names[i]
        if name >= 0:
            bounds[:, name] = start
            start += inner_degrees[i]
            byte_row[name] = -1
            if inner_degrees[i] >= least:
                byte_row[name] = used
                used += stride
    return used


@compiled
def _fill_rows(
    degree: int,
    row_ends: Ints,
    ends: Labels,
    names: Labels,
    bounds: Ints,
    cells: Labels,
    byte_row: Ints,
    byte_rows: NDArray[np.uint8],
    leaves: Ints,
) -> None:
    """Write every edge into both of its rows, ascending; an edge to a leaf is only counted."""
    for i in range(degree):
        a = names[i]
        for p in range(row_ends[i], row_ends[i + 1]):
            b = names[ends[p]]
            if (a | b) < 0:
                if a >= 0:
                    leaves[a] += 1
                elif b >= 0:
                    leaves[b] += 1
            else:
                cells[bounds[2, a]] = b
                bounds[2, a] += 1
                cells[bounds[2, b]] = a
                bounds[2, b] += 1
                if byte_row[a] >= 0:
                    byte_rows[byte_row[a] + b] = 1
                if byte_row[b] >= 0:
                    byte_rows[byte_row[b] + a] = 1


@compiled
def _count_by_rows(
    size: int,
    bounds: Ints,
    cells: Labels,
    byte_row: Ints,
    byte_rows: NDArray[np.uint8],
    counts: NDArray[np.uint16],
    touched: Labels,
    histograms: Ints,
) -> None:
    """Count the pairs ``i < k``: add up the rows of the neighbours of ``i``, from ``i`` on."""
    begin, above, end = bounds[0], bounds[1], bounds[2]
    high = (size + BYTE_ROW_ALIGNMENT - 1) & -BYTE_ROW_ALIGNMENT
    for i in range(size):
        reach = 0
        for p in range(begin[i], end[i]):
            j = cells[p]
            above[j] += 1  # past i, which the row of j holds
            reach += end[j] - above[j]
        if 8 * reach < size - i:
            _count_few(i, begin, above, end, cells, counts, touched, histograms)
            continue
        low = (i + 1) & -BYTE_ROW_ALIGNMENT  # whole blocks, so that the addition has no remainder
        window = counts[low:high]
        for p in range(begin[i], end[i]):
            j = cells[p]
            if byte_row[j] >= 0:
                row = byte_rows[byte_row[j] + low : byte_row[j] + high]
                for k in range(len(window)):
                    window[k] += row[k]
            else:
                for q in range(above[j], end[j]):
                    counts[cells[q]] += 1
        for p in range(above[i], end[i]):
            counts[cells[p]] = 0
        first, second, third, fourth = histograms[0], histograms[1], histograms[2], histograms[3]
        k = i + 1 - low
        stop = size - low
        while k + 3 < stop:
            first[np.uint64(window[k])] += 1
            second[np.uint64(window[k + 1])] += 1
            third[np.uint64(window[k + 2])] += 1
            fourth[np.uint64(window[k + 3])] += 1
            k += 4
        while k < stop:
            first[np.uint64(window[k])] += 1
            k += 1
        window[:] = 0


@compiled
def _count_few(
    i: int,
    begin: Ints,
    above: Ints,
    end: Ints,
    cells: Labels,
    counts: NDArray[np.uint16],
    touched: Labels,
    histograms: Ints,
) -> None:
    """Count the pairs of a vertex that reaches few others: visit only those."""
    met = 0
    for p in range(begin[i], end[i]):
        j = cells[p]
        for q in range(above[j], end[j]):
            k = cells[q]
            touched[met] = k
            met += counts[k] == 0
            counts[k] += 1
    for p in range(above[i], end[i]):
        counts[cells[p]] = 0
    for t in range(met):
        k = touched[t]
        histograms[0, np.uint64(counts[k])] += 1
        counts[k] = 0


@compiled
def _settle(apart: int, size: int, histograms: Ints) -> float:
    """Return the sum of ``1 / (1 + c)`` over the pairs apart, and clear the histogram; count 0 is not kept."""
    alone = apart
    shared = 0.0
    first, second, third, fourth = histograms[0], histograms[1], histograms[2], histograms[3]
    for c in range(1, size + 1):
        pairs = first[c] + second[c] + third[c] + fourth[c]
        if pairs:
            shared += pairs / (c + 1)
            alone -= pairs
            first[c] = second[c] = third[c] = fourth[c] = 0
    first[0] = second[0] = third[0] = fourth[0] = 0
    return alone + shared
