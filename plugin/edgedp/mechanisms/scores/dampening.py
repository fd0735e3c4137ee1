"""Local dampening (LD) and its shifted limit (SLD): utilities divided by how far they can move.

Pure functions of arrays, used by the exact laws and by the draw alike. A dampened score moves by at
most 1 between neighbouring graphs when the sensitivity is admissible, so one noise scale serves all.

References
----------
Farias et al. (2021), Local dampening: differential privacy for non-numeric queries via local
sensitivity, PVLDB 14(4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.words.vocabulary import Shift

SensitivityAt = Callable[[int, NDArray[np.int64]], NDArray[np.float64]]
"""``delta(t, rows)``: the sensitivity at distance ``t`` of some rows, nondecreasing in ``t``."""


def locally_dampened(utilities: NDArray[np.float64], delta: SensitivityAt, last: int) -> NDArray[np.float64]:
    """Return ``D(r)``: the linear interpolation of ``u`` through the points ``(b(i), i)``.

    ``b(i)`` is the sum of ``delta(j)`` for ``j < i`` and ``b(-i) = -b(i)``. Leading zeros of delta are
    empty intervals: with ``z`` of them ``D = z`` at ``u = 0``.

    Parameters
    ----------
    utilities : (n,) float64
    delta : callable
        Sensitivity at distance ``t`` of the given rows.
    last : int
        Distance from which delta no longer changes; the rest of the way is one division.

    Returns
    -------
    (n,) float64
        Relative error a few ``2**-53``: the partial sums carry their rounding along.

    Examples
    --------
    Worked example 2 of the thesis: scores 6.5 and 0, sensitivities 3, 5, ... and 2, ...

    >>> table = np.array([[3.0, 5.0], [2.0, 5.0]])
    >>> locally_dampened(np.array([6.5, 0.0]), lambda t, rows: table[rows, min(t, 1)], 1)
    array([1.7, 0. ])
    """
    size = np.abs(utilities)
    dampened = np.zeros(len(utilities))
    rows = np.arange(len(utilities), dtype=np.int64)
    left, lost = size.copy(), np.zeros(len(utilities))  # what of |u| lies beyond b(i), and its rounding
    step = 0
    while rows.size:
        width = delta(step, rows)
        beyond = left[rows] - lost[rows]
        # From here on all intervals are as wide, so that one division stands for any number of them.
        if step >= last:
            grows = width > 0
            dampened[rows[grows]] = step + beyond[grows] / width[grows]
            dampened[rows[~grows]] = step
            break
        # Strictly below: at a boundary the next interval begins, so that an empty one is passed and not divided by.
        inside = beyond < width
        dampened[rows[inside]] = step + beyond[inside] / width[inside]
        rows, width = rows[~inside], width[~inside]
        # What rounding takes is carried along (Kahan): over thousands of steps it would reach the grid.
        owed = width + lost[rows]
        rest = left[rows] - owed
        lost[rows] = (rest - left[rows]) + owed
        left[rows] = rest
        step += 1
    return np.where(utilities < 0, -dampened, dampened)


def shifted(
    utilities: NDArray[np.float64], sums: NDArray[np.float64], global_sensitivity: float, shift: Shift
) -> NDArray[np.float64]:
    """Return the limit of LD on ``u - s`` as ``s`` goes to infinity (``up``) or minus infinity (``down``).

    Up to a constant that all candidates share it is ``u / GS - S`` for ``up`` and ``u / GS + S`` for
    ``down``, where ``S = sum over j of (1 - min(delta(j), GS) / GS)``.

    Parameters
    ----------
    utilities, sums : (n,) float64
        Utilities and ``S``.
    global_sensitivity : float
        ``GS > 0``, reached by every delta.

    Examples
    --------
    >>> shifted(np.array([4.0]), np.array([0.5]), 4.0, "up").tolist()
    [0.5]
    """
    share = utilities / global_sensitivity
    match shift:
        case "up":
            return share - sums
        case "down":
            return share + sums
        case _:
            assert_never(shift)
