"""From a plan to what the joint releases are asked for: the one place that reads both."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import Degrees, Lists
from edgedp.mechanisms.adaptive.purchases import Bought, Purchase
from edgedp.mechanisms.adaptive.several import Several, draw_several
from edgedp.mechanisms.adaptive.top_k import Asked, draw_lists, draw_top_k
from edgedp.mechanisms.adaptive.until_sure import (
    Ending,
    Judge,
    Look,
    Looked,
    Pay,
    Sought,
    draw_until_sure,
)
from edgedp.mechanisms.adaptive.vectors import NoisyVector
from edgedp.mechanisms.joint import draw_joint, joint_moves
from edgedp.mechanisms.metrics.betweenness2 import share_bits

if TYPE_CHECKING:
    from edgedp.mechanisms.asked import JointAsked, SeveralAsked
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words

Drawn = tuple[NDArray[np.int64], tuple[Bought, ...]]
"""Positions, and the released vectors that they follow from; none where only the largest entry is released."""


def asked_of(plan: JointAsked) -> Asked:
    """Return what a plan asks of the adaptive release."""
    return Asked(
        plan.facts.node_count,
        plan.degree_bound,
        plan.k,
        plan.epsilon,
        ordered=plan.ranked_by == "ordered",
        cap=plan.cap,
    )


def several_of(plan: SeveralAsked) -> Several:
    """Return what a plan asks of the release of several metrics."""
    return Several(plan.facts.node_count, plan.degree_bound, plan.k, plan.epsilon, plan.metrics, plan.weights)


def draw_joint_top_k(plan: JointAsked, projection: Projection, words: Words) -> Drawn:
    """Draw a planned joint release of the top k at once."""
    if plan.target_recall is not None:
        raise AssertionError("a release with a target is drawn step by step")
    match plan.ranked_by:
        case "both" | "ordered":
            return draw_top_k(asked_of(plan), projection, words)
        case "lists":
            return draw_lists(asked_of(plan), projection, words)
        case "degree":
            positions, seen = draw_joint(plan, "degree", projection, words)
            moves = joint_moves(plan, "degree", plan.k)
            if moves < joint_moves(plan, "degree", 2):
                return (
                    positions,
                    (),
                )  # noise for the largest entry protects no other: the vector is not released
            return positions, (
                Bought(Purchase(Degrees(), plan.epsilon), NoisyVector(seen, moves / plan.epsilon)),
            )
        case "betweenness2":
            positions, seen = draw_joint(plan, "betweenness2", projection, words)
            noise = joint_moves(plan, "betweenness2", plan.k) / plan.epsilon
            vector = NoisyVector(seen, noise, 1 << share_bits(plan.degree_bound))
            # Within the bound a cut leaves nobody out.
            return positions, (Bought(Purchase(Lists(plan.degree_bound), plan.epsilon), vector),)
        case _:
            assert_never(plan.ranked_by)


def sought_of(plan: JointAsked) -> Sought:
    """Return what a plan with a target asks of the release that spends step by step."""
    match plan.ranked_by:
        case "both":
            cuts = True
        case "degree":
            cuts = False
        case "betweenness2" | "lists" | "ordered":
            raise AssertionError("the plan refuses a target with this proxy")
        case _:
            assert_never(plan.ranked_by)
    if plan.target_recall is None:
        raise AssertionError("the plan has no target")
    facts = plan.facts
    return Sought(facts.node_count, plan.degree_bound, plan.k, plan.cost, plan.target_recall, cuts)


def draw_joint_until_sure(
    plan: JointAsked,
    projection: Projection,
    words: Words,
    pay: Pay,
    judge: Judge,
    looked: Looked | None = None,
) -> tuple[Look, Ending]:
    """Draw a planned release that spends until its list is sure enough; parameters as of `draw_until_sure`."""
    return draw_until_sure(sought_of(plan), projection, words, pay, judge, looked)


def draw_joint_motkin(plan: SeveralAsked, projection: Projection, words: Words) -> Drawn:
    """Draw a planned joint release of several metrics."""
    return draw_several(several_of(plan), projection, words)
