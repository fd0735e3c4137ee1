"""Dominance counts over many steps that drop whatever can no longer change the answer.

Both keep only indices, never values, so their answers equal those of `count_dominating` over all
points, entry by entry.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.dominance import count_dominating

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class GrowingCount:
    """Counts while points never fall, thresholds never rise and none is added: what is counted stays counted.

    A coordinate in which a point is above every threshold no longer decides about it. Without such a
    coordinate left it is part of a constant; with one left, it stands on that coordinate's ladder, sorted.

    Parameters
    ----------
    points : int
        Their number.
    fixed : sequence of bool
        For each coordinate whether no point moves in it. What stands on its ladder then has an order that holds.
    """

    def __init__(self, points: int, fixed: Sequence[bool]) -> None:
        self._settled = 0
        self._ladders = [_FixedLadder() if stays else _Ladder() for stays in fixed]
        self._open = np.arange(points, dtype=np.int64)
        self._undecided = np.full(points, (1 << len(fixed)) - 1, dtype=np.int64)  # one bit a coordinate

    def count(self, points: Floats, thresholds: Floats) -> Ints:
        """Return `count_dominating` of (p, m) points and (p, q) thresholds, ``q >= 1``."""
        highest = thresholds.max(axis=1)
        joining = self._settle(points, highest)
        counts = np.zeros(thresholds.shape[1], dtype=np.int64)
        for i, ladder in enumerate(self._ladders):
            ladder.join(joining[i], points[i])
            self._settled += ladder.leave(float(highest[i]))
            counts += ladder.above(thresholds[i])
        for undecided in np.unique(self._undecided):
            deciding = np.flatnonzero([undecided >> i & 1 for i in range(len(thresholds))])
            group = self._open[self._undecided == undecided]
            counts += count_dominating(points[np.ix_(deciding, group)], thresholds[deciding])
        return counts + self._settled

    def reads(self, coordinate: int) -> bool:
        """Return whether any later count looks at this coordinate."""
        return self._ladders[coordinate].stands() or bool(np.any(self._undecided >> coordinate & 1))

    def _settle(self, points: Floats, highest: Floats) -> list[Ints]:
        """Update which coordinates decide; return the points that join each ladder."""
        undecided = self._undecided
        for i in range(len(highest)):
            undecided &= ~((points[i, self._open] > highest[i]).astype(np.int64) << i)
        self._settled += int(np.count_nonzero(undecided == 0))
        joining = [self._open[undecided == 1 << i] for i in range(len(highest))]
        # Of those that one coordinate decides, only the order in it matters from now on.
        several = (undecided & (undecided - 1)) != 0
        self._open, self._undecided = self._open[several], undecided[several]
        return joining


class _Ladder:
    """Points of which one coordinate decides, in its order; they may move in it."""

    def __init__(self) -> None:
        self._members = np.empty(0, dtype=np.int64)
        self._values = np.empty(0)

    def stands(self) -> bool:
        """Return whether anybody stands on it."""
        return self._members.size > 0

    def join(self, members: Ints, values: Floats) -> None:
        """Let more points stand on it, and take all their values anew; an order that holds is kept."""
        if members.size:
            self._members = np.concatenate([self._members, members])
        self._values = values[self._members]
        # Looking is cheaper than sorting, and boxes that widen rarely pass each other.
        if np.any(self._values[1:] < self._values[:-1]):
            order = np.argsort(self._values, kind="stable")
            self._members, self._values = self._members[order], self._values[order]

    def leave(self, highest: float) -> int:
        """Take off who is above the highest threshold, and return how many that are."""
        passed = int(np.searchsorted(self._values, highest, side="right"))
        left = len(self._values) - passed
        self._members, self._values = self._members[:passed], self._values[:passed]
        return left

    def above(self, thresholds: Floats) -> Ints:
        """Return how many are above each threshold."""
        not_above: Ints = np.searchsorted(self._values, thresholds, side="right")
        return len(self._values) - not_above


class _FixedLadder:
    """The same where no point moves: how many stand at each value is all that counts."""

    def __init__(self) -> None:
        self._values = np.empty(0)
        self._upto = np.zeros(1, dtype=np.int64)  # how many stand at the first i values

    def stands(self) -> bool:
        return len(self._values) > 0

    def join(self, members: Ints, values: Floats) -> None:
        if not members.size:
            return
        joining, numbers = np.unique(values[members], return_counts=True)
        merged, place = np.unique(np.concatenate([self._values, joining]), return_inverse=True)
        standing = np.zeros(len(merged), dtype=np.int64)
        np.add.at(standing, place, np.concatenate([np.diff(self._upto), numbers]))
        self._values, self._upto = merged, np.concatenate([[0], np.cumsum(standing)])

    def leave(self, highest: float) -> int:
        passed = int(np.searchsorted(self._values, highest, side="right"))
        left = int(self._upto[-1] - self._upto[passed])
        self._values, self._upto = self._values[:passed], self._upto[: passed + 1]
        return left

    def above(self, thresholds: Floats) -> Ints:
        counts: Ints = self._upto[-1] - self._upto[np.searchsorted(self._values, thresholds, side="right")]
        return counts


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
