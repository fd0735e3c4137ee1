"""Mechanisms over a finite space that is given explicitly: every point with its value, every step between points.

For research, and for spaces so small that they can be listed. The distance of an answer, not its size, decides
how likely it is, so nothing is paid for how large a step of the value is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.mechanisms.checks import check_whole
from edgedp.words.amounts.epsilon import epsilon_nano, to_fraction
from edgedp.words.errors import ParameterError

UNREACHED = -1


def metric_ball_law(
    values: ArrayLike,
    neighbors: ArrayLike,
    epsilon: Any,
    tolerance: ArrayLike,
    public: ArrayLike | None,
    penalty: int,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the answers and the (n, r) law; `edgedp.exact.metric_ball` says more."""
    f = np.asarray(values)
    if f.ndim != 1 or len(f) == 0 or f.dtype.kind not in "iuf":
        raise ParameterError("values is not a list of numbers; give f at every point")
    steps = _steps(neighbors, len(f))
    try:
        reach = np.broadcast_to(np.asarray(tolerance, dtype=np.float64), f.shape)
    except ValueError:
        raise ParameterError(
            "tolerance has another length than values; give one number, or one for each point"
        ) from None
    if not (reach >= 0).all():
        raise ParameterError(
            "tolerance is below 0 or not a number, must be 0 or more; give how far off an answer may be"
        )
    added = check_whole(penalty, "penalty")
    if added < 0:
        raise ParameterError(f"penalty is {added}, must be 0 or more; give a number of steps")
    answers = np.unique(f)
    allowed = np.abs(answers[None, :] - f[:, None]) <= reach[:, None]
    stairs = stairs_of(allowed, distances(len(f), steps))
    if public is not None:
        stairs = np.where(np.isin(answers, np.asarray(public)) | (stairs < 0), stairs, stairs + added)
    return answers, law_of_stairs(stairs, float(to_fraction(epsilon_nano(epsilon))))


def distances(count: int, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the (n, n) least numbers of steps, `UNREACHED` where no path joins two points.

    Examples
    --------
    >>> distances(3, np.array([[0, 1]])).tolist()
    [[0, 1, -1], [1, 0, -1], [-1, -1, 0]]
    """
    joined = np.zeros((count, count), dtype=np.float32)
    joined[steps[:, 0], steps[:, 1]] = joined[steps[:, 1], steps[:, 0]] = 1
    found = np.full((count, count), UNREACHED, dtype=np.int64)
    front, step = np.eye(count, dtype=bool), 0
    while front.any():
        found[front] = step
        step += 1
        front = (front.astype(np.float32) @ joined > 0) & (found == UNREACHED)
    return found


def stairs_of(allowed: NDArray[np.bool_], distance: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``q``: the (n, r) least distance to a point that allows an answer, `UNREACHED` where there is none."""
    far = np.iinfo(np.int64).max
    reached = np.where(distance == UNREACHED, far, distance)
    columns: Sequence[NDArray[np.int64]] = [
        reached[:, allowed[:, r]].min(axis=1) for r in range(allowed.shape[1])
    ]
    stairs = np.stack(columns, axis=1)
    return np.where(stairs == far, UNREACHED, stairs)


def law_of_stairs(stairs: NDArray[np.int64], epsilon: float) -> NDArray[np.float64]:
    """Return the (n, r) law ``exp(-epsilon q)`` over its sum."""
    weights = np.where(stairs == UNREACHED, 0.0, np.exp(-epsilon * np.maximum(stairs, 0)))
    law: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return law


def _steps(neighbors: ArrayLike, count: int) -> NDArray[np.int64]:
    steps = np.asarray(neighbors)
    if steps.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if steps.ndim != 2 or steps.shape[1] != 2 or steps.dtype.kind not in "iu":
        raise ParameterError(
            "neighbors is not an integer array of shape (m, 2); give two positions for each step"
        )
    if steps.min() < 0 or steps.max() >= count:
        raise ParameterError(
            f"neighbors names a point that does not exist; give positions from 0 to {count - 1}"
        )
    return steps.astype(np.int64)
