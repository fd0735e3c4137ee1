"""Joint release: one edge moves the whole vector of scores little, so noise goes on all of them once.

If the integer vectors of neighbouring graphs differ by at most ``L`` in L1, then two-sided geometric
noise of scale ``L / epsilon`` on every entry is epsilon-edge-DP, and so is anything computed from the
noisy vector: the k largest, in order, for any k. No float enters the sensitivity.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.sampling.select import top_k_with_random_ties, two_sided_geometric

if TYPE_CHECKING:
    from edgedp.plan import Plan
    from edgedp.projection import Projection
    from edgedp.sampling.words import Words

__all__ = ["SHARE_BITS", "draw_joint", "joint_values"]

SHARE_BITS = 20
"""A non-adjacent pair at distance two hands out ``floor(2**20 / c)`` to each of its c connectors."""


def joint_values(plan: Plan, projection: Projection, name: str, k: int) -> tuple[NDArray[np.int64], int]:
    """Return the integer vector of a joint release and its L1 sensitivity ``L``.

    Parameters
    ----------
    name : {"degree", "betweenness2"}
        What the vector holds: degrees (``L = 2``), or length-2 betweenness in integer shares
        (``L = 2 (D - 1) 2**20``).
    k : int
        How many of the largest are shown. One alone is the argmax of a monotone score: ``L = 1`` for
        degrees.
    """
    if name == "degree":
        return projection.degrees(), min(k, 2) if plan.degree_bound > 0 else 0
    ceiling = max(plan.degree_bound - 1, 0)
    return projection.betweenness2_shares(SHARE_BITS), 2 * ceiling << SHARE_BITS


def noisy(values: NDArray[np.int64], moves: int, epsilon: Fraction, words: Words) -> NDArray[np.int64]:
    """Return the values with two-sided geometric noise of scale ``moves / epsilon``; all 0 where nothing moves."""
    if moves == 0:
        return np.zeros_like(values)
    shaken: NDArray[np.int64] = values + two_sided_geometric(len(values), Fraction(moves) / epsilon, words)
    return shaken


def draw_joint(plan: Plan, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw a joint release: positions in order of the noisy values, ties uniformly at random."""
    if plan.proxy == "both":
        from edgedp.joint_both import draw_both

        return draw_both(plan, projection, words)
    name = plan.proxy or plan.metrics[0]
    values, moves = joint_values(plan, projection, name, plan.k)
    return top_k_with_random_ties(noisy(values, moves, plan.epsilon, words), plan.k, words)
