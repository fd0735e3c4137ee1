"""Dominance counts over many steps that drop whatever can no longer change the answer.

Both keep only indices, never values, so their answers equal those of `count_dominating` over all
points, entry by entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.engines.native.dominance import count_dominating

__all__ = ["FadingCount", "GrowingCount"]


class GrowingCount:
    """Counts while points never fall, thresholds never rise and none is added: what is counted stays counted.

    A coordinate in which a point is above every threshold no longer decides about it. Without such a
    coordinate left it is part of a constant; with one left, it stands on that coordinate's ladder, sorted.

    Parameters
    ----------
    points, coordinates : int
        Their numbers.
    """

    def __init__(self, points: int, coordinates: int) -> None:
        self._settled = 0
        self._ladders = [np.empty(0, dtype=np.int64) for _ in range(coordinates)]
        self._open = np.arange(points, dtype=np.int64)
        self._undecided = np.full(points, (1 << coordinates) - 1, dtype=np.int64)  # one bit a coordinate

    def count(self, points: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return `count_dominating` of (p, m) points and (p, q) thresholds, ``q >= 1``."""
        highest = thresholds.max(axis=1)
        joining = self._settle(points, highest)
        counts = np.zeros(thresholds.shape[1], dtype=np.int64)
        for i, ladder in enumerate(self._ladders):
            ladder, values = _climb(ladder, joining[i], points[i])
            passed = int(np.searchsorted(values, highest[i], side="right"))
            self._settled += len(values) - passed
            self._ladders[i], values = ladder[:passed], values[:passed]
            counts += passed - np.searchsorted(values, thresholds[i], side="right")
        for undecided in np.unique(self._undecided):
            deciding = np.flatnonzero([undecided >> i & 1 for i in range(len(thresholds))])
            group = self._open[self._undecided == undecided]
            counts += count_dominating(points[np.ix_(deciding, group)], thresholds[deciding])
        return counts + self._settled

    def reads(self, coordinate: int) -> bool:
        """Return whether any later count looks at this coordinate."""
        return self._ladders[coordinate].size > 0 or bool(np.any(self._undecided >> coordinate & 1))

    def _settle(self, points: NDArray[np.float64], highest: NDArray[np.float64]) -> list[NDArray[np.int64]]:
        """Update which coordinates decide; return the points that join each ladder."""
        undecided = self._undecided
        for i in range(len(highest)):
            undecided &= ~((points[i, self._open] > highest[i]).astype(np.int64) << i)
        self._settled += int(np.count_nonzero(undecided == 0))
        joining = [self._open[undecided == 1 << i] for i in range(len(highest))]
        several = (undecided & (undecided - 1)) != 0
        self._open, self._undecided = self._open[several], undecided[several]
        return joining


class FadingCount:
    """Counts while points never rise, thresholds never fall and none is added: what is not counted never is.

    Parameters
    ----------
    points : int
        Their number.
    """

    def __init__(self, points: int) -> None:
        self._left = np.arange(points, dtype=np.int64)

    def count(self, points: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return `count_dominating` of (p, m) points and (p, q) thresholds, ``q >= 1``."""
        lowest = thresholds.min(axis=1)
        for i in range(len(thresholds)):
            self._left = self._left[points[i, self._left] > lowest[i]]
        return count_dominating(points[:, self._left], thresholds)

    def reads(self, coordinate: int) -> bool:
        """Return whether any later count looks at this coordinate."""
        return self._left.size > 0


def _climb(
    ladder: NDArray[np.int64], joining: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the ladder with those who join it, and its values, ascending; an order that holds is kept."""
    if joining.size:
        ladder = np.concatenate([ladder, joining])
    standing = values[ladder]
    if np.any(standing[1:] < standing[:-1]):
        order = np.argsort(standing, kind="stable")
        ladder, standing = ladder[order], standing[order]
    return ladder, standing
