"""Who is the median? The node label of the published percentile, with a sensitivity that is admissible.

The utility of node i is ``-|x_m - x_i|`` for values from 0 to `top`, ``x_m`` the m-th smallest of them. A replaced
record moves ``x_m`` to a value next to it, and its own utility anywhere: so the sensitivity of every label soon is
half of the range and more, whatever the algorithm. `edgedp.percentile`, which picks a point of a public grid, has
no such candidate, and names no node. (The published Algorithm 2 is below the sensitivity at distance 1.)

Privacy. The label is epsilon-private under replacement of one record. Its *value* is not: looking it up would
read the data again.

    python median_node.py VALUE VALUE VALUE ... TOP
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

import edgedp


def utilities(values: np.ndarray, m: int) -> np.ndarray:
    """Return minus the distance of every node's value from the m-th smallest."""
    return -np.abs(np.sort(values)[m - 1] - values)


def sensitivity(values: np.ndarray, m: int, top: float) -> np.ndarray:
    """Return an admissible ``delta(t)`` of every node, (n, T), exact at t = 0 for three nodes and more.

    For t > 0 it is ``max(delta(t - 1), x_(m+t+1), top - x_(m-t-1))``, one step for all nodes together. (The largest
    gap ``x_(m+a) - x_(m+a-t-1)``, a from 0 to t + 1, is at most ``x_(m+t+1)`` and need not be looked at.)
    """
    n = len(values)
    ordered = np.sort(values)
    padded = np.concatenate([[0.0], ordered, np.full(n + 2, top)])

    def at(place: int) -> float:
        return float(padded[min(max(place, 0), len(padded) - 1)])

    below, middle, above = at(m - 1), at(m), at(m + 1)
    distance = np.abs(middle - values)
    by_others = np.maximum(
        np.abs(np.abs(below - values) - distance), np.abs(np.abs(above - values) - distance)
    )
    place = np.argsort(np.argsort(values, kind="stable"), kind="stable") + 1
    left = np.where(place < m, middle, below)  # what the m-th smallest is when the node's own value is lowest
    right = np.where(place > m, middle, above)
    by_itself = np.maximum(np.abs(np.maximum(left, top - right) - distance), distance)
    columns = [np.minimum(np.maximum(by_others, by_itself), top)]
    t = 0
    while columns[-1].min() < top:
        t += 1
        columns.append(np.minimum(np.maximum(columns[-1], max(at(m + t + 1), top - at(m - t - 1))), top))
    return np.column_stack(columns)


def median_node(
    values: Sequence[float],
    epsilon: float,
    top: float,
    mechanism: str = "ld",
    rng: np.random.Generator | None = None,
) -> int:
    """Pick the position of a node whose value is near the median."""
    clipped = np.clip(np.asarray(values, dtype=np.float64), 0, top)
    m = (len(clipped) + 1) // 2
    options: dict[str, Any] = {"global_sensitivity": top}
    if mechanism in ("ld", "sld"):
        options["sensitivity"] = sensitivity(clipped, m, top)
    scores = utilities(clipped, m)
    return int(edgedp.select(scores, mechanism=mechanism, epsilon=epsilon, rng=rng, **options).value)


if __name__ == "__main__":
    *given, top = map(float, sys.argv[1:])
    print(median_node(given, 1.0, top))
