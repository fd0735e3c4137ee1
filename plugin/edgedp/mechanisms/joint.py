"""Joint release: one edge moves the whole vector of scores little, so noise goes on all of them once.

If the integer vectors of neighbouring graphs differ by at most ``L`` in L1, then two-sided geometric
noise of scale ``L / epsilon`` on every entry is epsilon-edge-DP, and so is anything computed from the
noisy vector: the k largest, in order, for any k. No float enters the sensitivity.

*Degrees*, ``L = 2``: one edge moves two degrees by one each.

*Length-2 betweenness*, ``L = 2 (D - 1) 2**q``, in integer shares: a non-adjacent pair with ``c`` common
neighbours hands ``f(c) = floor(2**q / c)`` to each. The mass ``c f(c)`` is at most ``2**q``, so a pair that
appears or is lost moves the vector by no more. If a pair with ``c >= 1`` gets a further common neighbour, that
one gains ``f(c + 1)`` and the others lose ``c (f(c) - f(c + 1))``, together ``c f(c) - (c - 1) f(c + 1)``,
again at most ``2**q``. And an edge ``{a, b}`` changes at most ``d_a + d_b <= 2 (D - 1)`` pairs: the theorem
in `edgedp.mechanisms.metrics.betweenness2`, with ``2**q`` for the mass 1. Rounding down adds nothing to ``L``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.metrics.betweenness2 import share_bits
from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.mechanisms.sampling.select import top_k_with_random_ties
from edgedp.words.vocabulary import Vector

if TYPE_CHECKING:
    from edgedp.mechanisms.asked import JointAsked
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words


def joint_moves(plan: JointAsked, name: Vector, k: int) -> int:
    """Return the L1 sensitivity ``L`` of `joint_values`: from the plan alone."""
    match name:
        case "degree":
            # One node is the argmax of a monotone score, which half the noise protects. Estimates are computed from all
            # degrees, so they need the noise of all, also where k is 1.
            moves = 2 if plan.estimates else min(k, 2)
            return moves if plan.facts.node_count >= 2 else 0
        case "betweenness2":
            return 2 * max(plan.degree_bound - 1, 0) << share_bits(plan.degree_bound)
        case _:
            assert_never(name)


def joint_values(
    plan: JointAsked, projection: Projection, name: Vector, k: int
) -> tuple[NDArray[np.int64], int]:
    """Return the integer vector of a joint release and its L1 sensitivity ``L``.

    Parameters
    ----------
    name : {"degree", "betweenness2"}
        What the vector holds: degrees (``L = 2``), or length-2 betweenness in integer shares
        (``L = 2 (D - 1) 2**q``, ``q`` from `share_bits`).
    k : int
        How many of the largest are shown. One alone is the argmax of a monotone score: ``L = 1`` for
        degrees, where nothing else is computed from them: with estimates it is 2.
    """
    match name:
        case "degree":
            return projection.degrees(), joint_moves(plan, name, k)
        case "betweenness2":
            bits = share_bits(plan.degree_bound)
            return projection.betweenness2_shares(bits), joint_moves(plan, name, k)
        case _:
            assert_never(name)


def noisy(values: NDArray[np.int64], sensitivity: int, epsilon: Fraction, words: Words) -> NDArray[np.int64]:
    """Return the values with two-sided geometric noise of scale ``sensitivity / epsilon``, or 0 where nothing moves."""
    # No edge can move an entry, so the entries may say nothing: they are 0 whatever the graph is.
    if sensitivity == 0:
        return np.zeros_like(values)
    shaken: NDArray[np.int64] = values + noise_of(len(values), sensitivity, epsilon, words)
    return shaken


def noise_of(count: int, sensitivity: int, epsilon: Fraction, words: Words) -> NDArray[np.int64]:
    """Return two-sided geometric noise of scale ``sensitivity / epsilon``, positive, for so many entries."""
    return two_sided_geometric(count, Fraction(sensitivity) / epsilon, words)


def draw_joint(
    plan: JointAsked, vector: Vector, projection: Projection, words: Words
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw a joint release by one vector.

    Returns
    -------
    (k,) int64
        Positions in order of the noisy values, ties uniformly at random.
    (n,) int64
        The noisy values.
    """
    values, sensitivity = joint_values(plan, projection, vector, plan.k)
    seen = noisy(values, sensitivity, plan.epsilon, words)
    # From here on nothing reads the graph: ranking and cutting are post-processing of the noisy vector.
    return top_k_with_random_ties(seen, plan.k, words), seen
