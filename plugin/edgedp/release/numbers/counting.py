"""One number: its profile, its law and its draw."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.ids import positions_of
from edgedp.mechanisms.counts import Count, Profile
from edgedp.mechanisms.counts.base import profile_of
from edgedp.mechanisms.counts.clustering import clustering_of
from edgedp.mechanisms.numbers import Amounts, NumberLaw
from edgedp.release.numbers.answers import Number
from edgedp.release.numbers.error_bars import buy_bound, public_bar

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.mechanisms.sampling.words import Words
    from edgedp.release.plan import CountPlan


def count_in(plan: CountPlan, node_ids: NDArray[Any]) -> Count:
    """Return what is counted, the nodes that are named as positions among the ids of a graph."""
    what = "node" if plan.pair is None else "pair"
    return plan.count(tuple(_position(node_ids, node, what) for node in plan.named))


def profile_in(plan: CountPlan, projection: NumberProjection) -> Profile:
    """Return the number and its sensitivity profile: computed from private edges."""
    return profile_of(count_in(plan, projection.node_ids), projection, plan.bounds)


def law_of(
    plan: CountPlan, projection: NumberProjection, share: Fraction = Fraction(1)
) -> tuple[NumberLaw, Profile]:
    """Return the law of the noisy number before it is cut, at a share of epsilon, and the profile."""
    profile = profile_in(plan, projection)
    return plan.rule.law(profile, Amounts(plan.epsilon * share, plan.delta)), profile


def draw_count(plan: CountPlan, projection: NumberProjection, words: Words) -> Number:
    """Draw the number.

    Notes
    -----
    Privacy: ``epsilon``-edge-DP for graphs that keep the degree bound, or ``(epsilon, delta)``; whoever calls has
    checked the bound.
    """
    parts = [int(_drawn(part, projection, share, words).value) for part, share in plan.parts()]
    if parts:
        triangles, wedges = parts
        return Number(float(clustering_of(triangles, wedges)))
    if not plan.error_bar:
        return _drawn(plan, projection, Fraction(1), words)
    bought = buy_bound(plan, count_in(plan, projection.node_ids), projection, words)
    drawn = _drawn(plan, projection, 1 - bought.share, words)
    return Number(drawn.value, bought.around(drawn.value))


def _drawn(plan: CountPlan, projection: NumberProjection, share: Fraction, words: Words) -> Number:
    law, profile = law_of(plan, projection, share)
    cut = min(max(law.draw(words), 0), profile.maximum)
    value = cut if profile.bits == 0 else cut / (1 << profile.bits)
    return Number(value, public_bar(plan, value))


def _position(node_ids: NDArray[Any], node: Any, what: str) -> int:
    wanted = np.array([node]) if isinstance(node, str) or -(2**63) <= node < 2**63 else np.array([str(node)])
    return int(positions_of(node_ids, wanted, what=what)[0])
