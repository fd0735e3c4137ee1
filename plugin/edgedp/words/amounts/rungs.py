"""The totals of a release that spends step by step: public, from the most that it may spend."""

from __future__ import annotations

from math import isqrt

_HALVINGS = 6
"""The first total is the most halved so often; each is the square root of two above the one before."""


def rungs(most: int) -> list[int]:
    """Return the totals of the steps, nano-epsilon: ``most / 64`` times powers of the square root of two.

    Examples
    --------
    >>> rungs(64_000)[:4], rungs(64_000)[-1], len(rungs(64_000))
    ([1000, 1414, 2000, 2828], 64000, 13)
    >>> rungs(3)
    [1, 2, 3]
    """
    totals = (isqrt(most * most << power) >> _HALVINGS for power in range(2 * _HALVINGS + 1))
    return sorted({total for total in totals if total > 0})
