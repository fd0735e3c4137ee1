"""Dominance counts by numpy, where the compiled kernels are missing; see `edgedp.graph.engines.native.dominance`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 1 << 24
"""Comparisons at a time."""


def count_dominating(points: Floats, thresholds: Floats) -> Ints:
    """Count, for each column of `thresholds`, the columns of `points` strictly above it in every coordinate.

    Two coordinates: ``O((m + q) log(m)**2)``; more: ``O(p q m)`` comparisons.

    Examples
    --------
    >>> points = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> count_dominating(points, np.array([[0.0, 1.0], [0.0, 1.0]])).tolist()
    [3, 1]
    """
    if len(thresholds) == 2:
        return _in_two_coordinates(points, thresholds)
    counts = np.zeros(thresholds.shape[1], dtype=np.int64)
    size = max(1, BLOCK // max(points.shape[1], 1))
    for start in range(0, len(counts), size):
        above = np.ones((min(size, len(counts) - start), points.shape[1]), dtype=bool)
        for point, threshold in zip(points, thresholds[:, start : start + size], strict=True):
            above &= point > threshold[:, None]
        counts[start : start + size] = np.count_nonzero(above, axis=1)
    return counts


def _in_two_coordinates(points: Floats, thresholds: Floats) -> Ints:
    """Sort by the first; cut what is above a threshold into blocks of powers of two, each sorted by the second."""
    by_first = np.argsort(points[0], kind="stable")
    size = len(by_first)
    full = 1 << max(size - 1, 0).bit_length()
    second = np.sort(points[1])
    rank = np.zeros(full, dtype=np.int64)  # 0 is above nothing: it fills the last block up
    rank[:size] = 1 + np.searchsorted(second, points[1, by_first], side="left")
    least = 1 + np.searchsorted(second, thresholds[1], side="right")
    at = np.searchsorted(points[0, by_first], thresholds[0], side="right")
    counts = np.zeros(thresholds.shape[1], dtype=np.int64)
    for level in range(full.bit_length()):
        keys = np.sort((np.arange(full) >> level << 32) | rank)
        here = np.flatnonzero((at >> level & 1 == 1) & (at < full))
        block = at[here] >> level
        counts[here] += ((block + 1) << level) - np.searchsorted(keys, (block << 32) | least[here])
        at[here] += 1 << level
    whole = at == 0
    counts[whole] += size + 1 - least[whole]
    return counts
