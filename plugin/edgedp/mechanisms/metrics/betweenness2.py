"""Length-2 betweenness: betweenness over shortest paths of length two.

``B(v) = sum over non-adjacent pairs {u, w} in N(v) of 1 / c(u, w)`` with ``c(u, w) = |N(u) & N(w)|`` in the whole
graph. Every pair at distance two hands out a mass of exactly 1, in equal shares to its common neighbours;
that is what bounds the change.

*Theorem.* Let ``d_a, d_b`` be the degrees in a graph without the edge ``{a, b}``, and ``B'`` belong to the graph with
it. Then ``||B' - B||_1 <= d_a + d_b <= 2 (D - 1)``.

*Proof.* A pair counts if it is not adjacent, and weighs by its common neighbours. The edge therefore
concerns only ``{a, b}`` itself, the pairs ``{b, y}`` with ``y`` in ``N(a)`` but neither ``b`` nor in ``N(b)``, for
which ``a`` becomes a common neighbour, and likewise the pairs ``{a, y}`` with ``y`` in ``N(b)`` only. Take a
pair ``{b, y}`` that had ``c`` common neighbours. If ``c = 0``, the whole mass of 1 is new and goes to ``a``. If
``c >= 1``, ``a`` gains ``1 / (c + 1)`` and the ``c`` others lose as much together: ``2 / (c + 1) <= 1``. So each ``y``
accounts for at most 1. The pair ``{a, b}`` is lost if ``a`` and ``b`` have ``m >= 1`` common neighbours, which
costs 1; but these ``m`` are missing from both sets of ``y``. The sum is at most ``(d_a - m) + (d_b - m) + [m >= 1]``,
which ``d_a + d_b`` is never below. Two stars whose centres become adjacent reach it. []

*Corollary.* ``delta(G, t, v) = d(v) + t`` is admissible and ``GS = D - 1``. If ``v`` gets a neighbour ``y``, only pairs
of ``y`` with the ``d`` old neighbours appear, at most 1 each, where ``d <= D - 1``; no other pair of ``N(v)`` changes.
If an edge joins two neighbours ``a, b`` of ``v``, the pair ``{a, b}`` is lost, at most 1, and for each other
neighbour ``y`` at most one of ``{a, y}`` and ``{b, y}`` goes from ``c`` to ``c + 1``, at most 1/2: in sum at most
``1 + (d - 2) / 2 <= d - 1``. If one end is a neighbour of ``v``, only such pairs change: at most ``(d - 1) / 2``; if
none is, nothing does. So one edge moves ``B(v)`` by at most ``d(v)``, and ``d(v)`` by at most 1. []
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.metrics.base import Metric

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

SHARE_BITS = 20
"""A non-adjacent pair at distance two hands out ``floor(2**20 / c)`` to each of its c connectors."""


def share_bits(degree_bound: int) -> int:
    """Return ``q``: `SHARE_BITS`, or fewer under a bound so large that a node's shares might not fit 62 bits.

    Examples
    --------
    >>> share_bits(10_000), share_bits(2**31)
    (20, 1)
    """
    most_pairs = degree_bound * (degree_bound - 1) // 2
    return min(SHARE_BITS, 62 - most_pairs.bit_length())


class Betweenness2(Metric):
    """``sum over non-adjacent pairs {u, w} in N(v) of 1 / c(u, w)``, ``c`` = common neighbours in the whole graph.

    ``delta(t) = d + t`` is admissible and ``GS = D - 1``; all nodes together move by at most
    ``2 (D - 1)`` in L1 (docs/privacy.md, "Length-2 betweenness").
    """

    name = "betweenness2"
    summary = "betweenness over shortest paths of length two"
    proxies = ("both", "degree", "betweenness2", "lists", "ordered")
    dominance = 3
    utility_trend = +1
    sensitivity_trend = +1
    counts_pairs_apart = True

    def native(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.graph.engines.native import betweenness2

        return betweenness2(graph, positions)

    def igraph(self, graph: Graph, positions: NDArray[np.int64] | None) -> NDArray[np.float64]:
        from edgedp.graph.engines.igraph import betweenness2

        return betweenness2(graph, positions)

    def global_sensitivity(self, degree_bound: int) -> Fraction:
        return Fraction(max(degree_bound - 1, 0))

    def upper_bound(self, degrees: NDArray[np.int64]) -> NDArray[np.float64]:
        return degrees * (degrees - 1) / 2.0

    def uncapped_sensitivity(
        self, form: str, t: int, degrees: NDArray[np.int64], common: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        # Each of t edges may be one neighbour more, and an edge moves the value by at most one for each neighbour.
        return (degrees + t).astype(np.float64)

    def shifted_sum(self, form: str, degree_bound: int, degree: int, common: int) -> float:
        # sum over x = d..D-2 of (1 - x / (D - 1))
        ceiling = degree_bound - 1
        steps = ceiling - degree
        if steps <= 0:
            return 0.0
        linear = (ceiling * (ceiling - 1) - degree * (degree - 1)) // 2
        return (steps * ceiling - linear) / ceiling


METRIC = Betweenness2()
