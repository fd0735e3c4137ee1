"""Dominance counts: for each threshold vector, how many points lie strictly above it in every coordinate.

Counts are exact integers for any input: comparisons only, no arithmetic on the values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_dominating"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_BLOCK_WORDS = 64
_BLOCK_BYTES = 64 << 20


def count_dominating(points: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count, for each threshold vector, the points strictly above it in every coordinate.

    One coordinate: sort and search. Two: a sweep over the first with a Fenwick tree over the second,
    ``O((m + q) log q)``. Three or more: one bit a point for each threshold, in blocks of points,
    ``O(p q m / 64)`` time and at most 64 MB beside the arguments up to a million thresholds.

    Parameters
    ----------
    points : (p, m) float64
        One column a point, ``p >= 1``; no NaN.
    thresholds : (p, q) float64
        One column a threshold vector.

    Returns
    -------
    (q,) int64

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> count_dominating(points, np.array([[0.0, 1.0], [0.0, 1.0]])).tolist()
    [3, 1]
    """
    coordinates, queries = thresholds.shape
    if points.shape[1] == 0 or queries == 0:
        return np.zeros(queries, dtype=np.int64)
    if coordinates == 1:
        not_above = np.searchsorted(np.sort(points[0]), thresholds[0], side="right")
        above: NDArray[np.int64] = points.shape[1] - not_above
        return above
    order = np.argsort(thresholds, axis=1)
    ascending = np.take_along_axis(thresholds, order, axis=1)
    if coordinates == 2:
        rank = np.empty(queries, dtype=np.int64)
        rank[order[1]] = np.arange(queries, dtype=np.int64)
        return _sweep(points[0], points[1], ascending[0], ascending[1], order[0], rank)
    words = max(1, min(_BLOCK_WORDS, _BLOCK_BYTES // (8 * queries)))
    return _count_by_bits(np.ascontiguousarray(points), ascending, order, words)


def _compiled(function: _Function) -> _Function:
    """Compile without the interpreter lock and keep the signature for the type checker."""
    return cast(_Function, njit(cache=True, nogil=True)(function))


@_compiled
def _below(ascending: NDArray[np.float64], value: float) -> int:
    """Return how many entries are strictly smaller than value."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@_compiled
def _sweep(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    first_ascending: NDArray[np.float64],
    second_ascending: NDArray[np.float64],
    first_order: NDArray[np.int64],
    second_rank: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count in two coordinates: thresholds by the first from the top, points above them into a Fenwick tree.

    A point stands for the number of thresholds below it in each coordinate, its levels; it is above the
    threshold of rank ``a`` exactly if its level exceeds ``a``, also among equal thresholds.
    """
    queries = len(first_order)
    points = len(first)
    levels = np.empty((2, points), dtype=np.int32)
    start = np.zeros(queries + 2, dtype=np.int64)
    kept = 0
    for i in range(points):
        if first[i] > first_ascending[0] and second[i] > second_ascending[0]:
            level = _below(first_ascending, first[i])
            levels[0, kept] = level
            levels[1, kept] = _below(second_ascending, second[i])
            start[level + 1] += 1
            kept += 1
    for level in range(1, queries + 2):
        start[level] += start[level - 1]
    grouped = np.empty(kept, dtype=np.int32)
    place = start.copy()
    for i in range(kept):
        grouped[place[levels[0, i]]] = levels[1, i]
        place[levels[0, i]] += 1

    tree = np.zeros(queries + 1, dtype=np.int64)
    counts = np.empty(queries, dtype=np.int64)
    for rank in range(queries - 1, -1, -1):
        for i in range(start[rank + 1], start[rank + 2]):
            node = np.int64(grouped[i])
            while node <= queries:
                tree[node] += 1
                node += node & -node
        not_above = 0
        node = second_rank[first_order[rank]]
        while node > 0:
            not_above += tree[node]
            node -= node & -node
        counts[first_order[rank]] = kept - start[rank + 1] - not_above
    return counts


@_compiled
def _ones(word: np.uint64) -> np.uint64:
    """Return the number of set bits."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@_compiled
def _count_by_bits(
    points: NDArray[np.float64], ascending: NDArray[np.float64], order: NDArray[np.int64], words: int
) -> NDArray[np.int64]:
    """Count in any number of coordinates: per threshold and block, the AND of one bit set a coordinate."""
    coordinates, queries = order.shape
    counts = np.zeros(queries, dtype=np.int64)
    above = np.empty((queries, words), dtype=np.uint64)
    for begin in range(0, points.shape[1], 64 * words):
        block = points[:, begin : begin + 64 * words]
        above[:] = ~np.uint64(0)
        for coordinate in range(coordinates):
            values = block[coordinate]
            by_value = np.argsort(values)
            left = len(values)
            current = np.zeros(words, dtype=np.uint64)
            for rank in range(queries - 1, -1, -1):
                while left > 0 and values[by_value[left - 1]] > ascending[coordinate, rank]:
                    left -= 1
                    current[by_value[left] >> 6] |= np.uint64(1) << np.uint64(by_value[left] & 63)
                row = above[order[coordinate, rank]]
                for word in range(words):
                    row[word] &= current[word]
        for query in range(queries):
            total = np.uint64(0)
            for word in range(words):
                total += _ones(above[query, word])
            counts[query] += np.int64(total)
    return counts
