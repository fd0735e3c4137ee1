"""The nodes of the largest exact values, found by bound and prune: most nodes are never computed.

Privacy: exact values and who has them; not a release.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def top_positions(bounds: Floats, evaluate: Callable[[Ints], Floats], k: int) -> tuple[Ints, Floats]:
    """Return the `k` positions of the largest values, and the values; ties by position.

    Nodes are evaluated by falling bound, in growing batches, until the next bound is below the `k`-th value found.

    Parameters
    ----------
    bounds : (n,) float64
        No value is above its bound.
    evaluate : callable
        Exact values of some positions.
    k : int
        At least 1; all nodes if there are fewer.

    Examples
    --------
    >>> values = np.array([1.0, 5.0, 5.0, 0.0])
    >>> asked = []
    >>> def evaluate(positions):
    ...     asked.extend(positions.tolist())
    ...     return values[positions]
    >>> top_positions(np.array([3.0, 6.0, 5.0, 0.5]), evaluate, 2)
    (array([1, 2]), array([5., 5.]))
    >>> asked
    [1, 2]
    """
    n = len(bounds)
    k = min(k, n)
    found, values = np.zeros(0, dtype=np.int64), np.zeros(0)
    waiting = _by_falling_bound(bounds, np.arange(n, dtype=np.int64), max(64, 2 * k))
    while len(found) < n:
        least = -np.inf if len(found) < k else float(np.partition(values, len(values) - k)[len(values) - k])
        if not len(waiting):
            rest = np.ones(n, dtype=bool)
            rest[found] = False
            waiting = _by_falling_bound(bounds, np.flatnonzero(rest & (bounds >= least)), 4 * len(found))
        able = int(np.searchsorted(-bounds[waiting], -least, side="right"))
        if able == 0:
            break
        batch = waiting[: min(able, max(k - len(found), len(found) // 4, 1))]
        waiting = waiting[len(batch) :]
        found, values = np.concatenate([found, batch]), np.concatenate([values, evaluate(batch)])
    order = np.lexsort((found, -values))[:k]
    return found[order], values[order]


def _by_falling_bound(bounds: Floats, positions: Ints, most: int) -> Ints:
    """Return those of the largest bounds, in order; no more than asked for, unless bounds are equal."""
    if len(positions) > most:
        least = np.partition(bounds[positions], len(positions) - most)[len(positions) - most]
        positions = positions[bounds[positions] >= least]
    return positions[np.argsort(-bounds[positions], kind="stable")]
