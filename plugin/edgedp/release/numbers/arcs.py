"""Numbers of a directed graph: their draws.

The number of arcs is the sum of in-degrees: an arc more moves it by one, and all arcs of one node, of which cuts count
`cap`, by `cap`. Of a cumulative distribution ``N_{>=k}`` an arc moves one number by one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.joint import noisy
from edgedp.mechanisms.numbers.geometric import GeometricLaw
from edgedp.release.numbers.answers import Distribution, Interval, Number
from edgedp.release.numbers.distributing import at_least_counts, consistent, in_form
from edgedp.release.numbers.error_bars import radius_within

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.mechanisms.sampling.words import Words
    from edgedp.release.plan.arc_numbers import ArcCountPlan, ArcDistributionPlan
    from edgedp.words.vocabulary import ArcMetricName


def arcs_in(plan: ArcCountPlan, projection: NumberProjection) -> int:
    """Return the exact number of arcs, through cuts where there is a cap. Privacy: private; not a release."""
    return int(_counts(plan.counted, plan.cap, projection).sum())


def at_least_in(plan: ArcDistributionPlan, projection: NumberProjection) -> NDArray[np.int64]:
    """Return the (D,) exact numbers of nodes with `k` arcs or more, ``k = 1 .. D``. Privacy: private; not a release."""
    bound = plan.degree_bound
    return at_least_counts(np.minimum(_counts(plan.of, plan.cap, projection), bound), bound)


def draw_arc_count(plan: ArcCountPlan, projection: NumberProjection, words: Words) -> Number:
    """Draw the number of arcs, with an interval that holds the exact one (through cuts, the one that counts).

    Notes
    -----
    Privacy: ``plan.epsilon``-DP for each of ``plan.units``, taken away; it rests on no degree bound.
    """
    exact = np.array([arcs_in(plan, projection)], dtype=np.int64)
    value = min(max(int(noisy(exact, plan.moves, plan.epsilon, words)[0]), 0), plan.maximum)
    if plan.moves == 0:
        return Number(value, Interval(value, value))
    scale = Fraction(plan.moves) / plan.epsilon
    radius = radius_within(GeometricLaw(0, scale))
    return Number(value, Interval(max(value - radius, 0), min(value + radius, plan.maximum), float(scale)))


def draw_arc_distribution(
    plan: ArcDistributionPlan, projection: NumberProjection, words: Words
) -> Distribution:
    """Draw how in- or out-degrees are spread: D values for ccdf, D + 1 for histogram.

    Notes
    -----
    Privacy: ``plan.epsilon``-DP for each of ``plan.units``, taken away; it rests on no degree bound.
    """
    exact = at_least_in(plan, projection)
    seen = noisy(exact, plan.moves, plan.epsilon, words) if len(exact) else exact
    ccdf = consistent(seen, plan.facts.node_count) if len(exact) else exact
    return in_form(ccdf, plan.form, plan.facts.node_count)


def _counts(name: ArcMetricName, cap: int | None, projection: NumberProjection) -> NDArray[np.int64]:
    if cap is not None:
        return projection.arc_votes(name, cap)
    return projection.values(name).astype(np.int64)
