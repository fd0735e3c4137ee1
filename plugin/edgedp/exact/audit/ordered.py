"""The law of a whole ordered answer, for every kind of release, from the code that draws it."""

from __future__ import annotations

import math
from itertools import permutations
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms import joint
from edgedp.mechanisms.adaptive import arcs
from edgedp.mechanisms.adaptive.planned import asked_of
from edgedp.mechanisms.adaptive.top_k import lists_vector
from edgedp.mechanisms.grid import GridScores
from edgedp.mechanisms.laws import joint_ordered_law
from edgedp.mechanisms.pareto.rounds import ParetoRounds
from edgedp.mechanisms.pareto.score import release_pick
from edgedp.mechanisms.projection import Projection
from edgedp.mechanisms.scores import sums
from edgedp.release.plan import (
    AggregatePlan,
    ArcsPlan,
    JointMotkinPlan,
    JointPlan,
    NodesPlan,
    ParetoPlan,
    TopKPlan,
)
from edgedp.words.errors import ParameterError

Law = dict[tuple[int, ...], float]


def answers(node_count: int, k: int) -> list[tuple[int, ...]]:
    """Return every ordered answer of k positions."""
    return list(permutations(range(node_count), k))


def ordered_answer_law(plan: NodesPlan, projection: Projection) -> NDArray[np.float64]:
    """Return the exact law of the whole ordered answer of a plan (small n, k of 1 or 2).

    Parameters
    ----------
    plan : NodesPlan
        Any but ``joint`` with proxy ``both`` or ``ordered``, or over several metrics: their noisy vectors are audited
        instead.
    projection : Projection
        The private data.

    Returns
    -------
    (n! / (n - k)!,) float64
        Probabilities in the order of `answers`.

    Notes
    -----
    Privacy: computed from private edges; not a release.
    """
    law = _law(plan, projection)
    return np.array([law[answer] for answer in answers(plan.facts.node_count, plan.k)])


def _law(plan: NodesPlan, projection: Projection) -> Law:
    match plan:
        case TopKPlan() | AggregatePlan():
            return sums.top_k_scores(plan, projection).ordered_law(plan.k)
        case ArcsPlan():
            return _arcs_law(plan, projection)
        case JointPlan():
            return _joint_law(plan, projection)
        case ParetoPlan():
            return _pareto_law(plan, projection)
        case JointMotkinPlan():
            raise ParameterError("mechanism 'joint' is audited by its noisy vectors; take another mechanism")
        case _:
            assert_never(plan)


def _joint_law(plan: JointPlan, projection: Projection) -> Law:
    match plan.ranked_by:
        case "both" | "ordered":
            raise ParameterError(
                f"proxy {plan.ranked_by!r} is audited by its noisy vectors; take another proxy"
            )
        case "lists":
            listed = lists_vector(asked_of(plan), projection).whole
            values, sensitivity = listed.values, listed.moves
        case "degree" | "betweenness2" as vector:
            values, sensitivity = joint.joint_values(plan, projection, vector, plan.k)
        case _:
            assert_never(plan.ranked_by)
    return _law_of_a_vector(values, sensitivity, plan)


def _arcs_law(plan: ArcsPlan, projection: Projection) -> Law:
    if plan.mechanism is not None:
        return arcs.arc_scores(plan, plan.mechanism, projection).ordered_law(plan.k)
    return _law_of_a_vector(arcs.arc_counts(plan, projection), arcs.arc_moves(plan), plan)


def _law_of_a_vector(values: NDArray[np.int64], sensitivity: int, plan: JointPlan | ArcsPlan) -> Law:
    if sensitivity == 0:
        count = math.perm(len(values), plan.k)
        return dict.fromkeys(answers(len(values), plan.k), 1 / count)
    return joint_ordered_law(values, sensitivity / plan.epsilon, plan.k)


def _pareto_law(plan: ParetoPlan, projection: Projection) -> Law:
    """Return the law of the rounds that `edgedp.mechanisms.pareto.rounds.draw_pareto` draws."""
    rounds = ParetoRounds.of(plan, projection)
    law: Law = {}

    def descend(
        picked: tuple[int, ...], left: NDArray[np.int64], scores: NDArray[np.int64], so_far: float
    ) -> None:
        current = rounds.scores(scores, len(left))
        among = GridScores(current.upper[left], current.unit, current.sampler)
        for pick, share in zip(left.tolist(), among.law().tolist(), strict=True):
            longer = (*picked, pick)
            if len(longer) == plan.k:
                law[longer] = so_far * share
            else:
                after = release_pick(scores, rounds.utilities, pick)
                descend(longer, left[left != pick], after, so_far * share)

    everybody = np.arange(plan.facts.node_count, dtype=np.int64)
    descend((), everybody, rounds.pareto_scores, 1.0)
    return law
