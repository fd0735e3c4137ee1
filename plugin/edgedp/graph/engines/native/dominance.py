"""Dominance counts: for each threshold vector, how many points lie strictly above it in every coordinate.

Counts are exact integers for any input: comparisons only, no arithmetic on the values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.library import Given, Scratch, Taken, call, missing

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK_WORDS = 64
_BLOCK_BYTES = 64 << 20


def count_dominating(points: Floats, thresholds: Floats) -> Ints:
    """Count, for each threshold vector, the points strictly above it in every coordinate.

    One coordinate: sort and search. Two: a sweep over the first with a Fenwick tree over the second,
    ``O((m + q) log q)``. Three or more: one bit a point for each threshold, in blocks of points,
    ``O(p q m / 64)`` time and at most 64 MB beside the arguments up to a million thresholds. Without the compiled
    kernels `edgedp.graph.engines.dominance` counts, more slowly.

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
        above: Ints = points.shape[1] - not_above
        return above
    if missing():
        from edgedp.graph.engines.dominance import count_dominating as counted_by_numpy

        return counted_by_numpy(points, thresholds)
    order = np.argsort(thresholds, axis=1)
    ascending = np.take_along_axis(thresholds, order, axis=1)
    points = np.ascontiguousarray(points)
    return (_by_sweep if coordinates == 2 else _by_bits)(points, ascending, order)


def _by_sweep(points: Floats, ascending: Floats, order: Ints) -> Ints:
    size, queries = points.shape[1], order.shape[1]
    rank = np.empty(queries, dtype=np.int64)
    rank[order[1]] = np.arange(queries, dtype=np.int64)
    counts = np.empty(queries, dtype=np.int64)
    call(
        "count_by_sweep",
        Scratch(),
        size,
        Given(points[0], np.float64, size, "points"),
        Given(points[1], np.float64, size, "points"),
        queries,
        Given(ascending[0], np.float64, queries, "thresholds"),
        Given(ascending[1], np.float64, queries, "thresholds"),
        Given(order[0], np.int64, queries, "order", within=queries),
        Given(rank, np.int64, queries, "rank", within=queries),
        Taken(counts, np.int64, queries, "counts"),
    )
    return counts


def _by_bits(points: Floats, ascending: Floats, order: Ints) -> Ints:
    coordinates, queries = order.shape
    counts = np.empty(queries, dtype=np.int64)
    call(
        "count_by_bits",
        Scratch(),
        coordinates,
        points.shape[1],
        Given(points, np.float64, points.size, "points"),
        queries,
        Given(ascending, np.float64, ascending.size, "thresholds"),
        Given(order, np.int64, order.size, "order", within=queries),
        max(1, min(_BLOCK_WORDS, _BLOCK_BYTES // (8 * queries))),
        Taken(counts, np.int64, queries, "counts"),
    )
    return counts


class Boxes:
    """Boxes around points that widen step by step; in floating point, each step rounded in the same way.

    Parameters
    ----------
    values : (p, n) float64
        One column a point.

    Examples
    --------
    >>> import numpy as np
    >>> boxes = Boxes(np.array([[1.0, 2.0]]))
    >>> boxes.widen(0, np.array([0.5, 1.0]), 1.0)
    >>> boxes.lower.tolist(), boxes.upper.tolist()
    ([[0.5, 1.0]], [[1.5, 3.0]])
    """

    def __init__(self, values: Floats) -> None:
        self.lower, self.upper = values.copy(order="C"), values.copy(order="C")
        self._memory = None if missing() else Scratch()

    def widen(self, coordinate: int, by: Floats, factor: float) -> None:
        """Move both ends of every box by ``factor * by``, a product that is rounded first."""
        lower, upper = self.lower[coordinate], self.upper[coordinate]
        if self._memory is None:
            width = by * factor
            lower -= width
            upper += width
            return
        size = len(lower)
        by = np.ascontiguousarray(by, dtype=np.float64)
        call(
            "widen",
            self._memory,
            size,
            Given(by, np.float64, size, "by"),
            float(factor),
            Taken(lower, np.float64, size, "lower"),
            Taken(upper, np.float64, size, "upper"),
        )

    def of(self, chosen: Ints) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of some boxes, (p, k) each."""
        if self._memory is None:
            return self.lower[:, chosen], self.upper[:, chosen]
        coordinates, size = self.lower.shape
        low, high = np.empty((2, coordinates, len(chosen)))
        call(
            "gather_boxes",
            self._memory,
            coordinates,
            size,
            Given(self.lower, np.float64, self.lower.size, "lower"),
            Given(self.upper, np.float64, self.upper.size, "upper"),
            len(chosen),
            Given(chosen, np.int64, len(chosen), "chosen", within=size),
            Taken(low, np.float64, low.size, "low"),
            Taken(high, np.float64, high.size, "high"),
        )
        return low, high
