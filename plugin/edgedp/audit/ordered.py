"""The law of a whole ordered answer, for every kind of release, from the code that draws it."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from edgedp import joint, scoring
from edgedp.mechanisms.laws import joint_ordered_law
from edgedp.pareto.rounds import ParetoRounds
from edgedp.pareto.score import release_pick
from edgedp.plan import Plan
from edgedp.projection import Projection
from edgedp.scores import GridScores

__all__ = ["answers", "ordered_answer_law"]

Law = dict[tuple[int, ...], float]


def answers(node_count: int, k: int) -> list[tuple[int, ...]]:
    """Return every ordered answer of k positions."""
    return list(permutations(range(node_count), k))


def ordered_answer_law(plan: Plan, projection: Projection) -> NDArray[np.float64]:
    """Return the exact law of the whole ordered answer of a plan (small n, k of 1 or 2).

    Parameters
    ----------
    plan : Plan
        Any but ``joint`` with proxy ``both``, whose noisy vectors are audited instead.
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


def _law(plan: Plan, projection: Projection) -> Law:
    if plan.mechanism == "joint":
        return _joint_law(plan, projection)
    if plan.approach == "pareto":
        return _pareto_law(plan, projection)
    return scoring.top_k_scores(plan, projection).ordered_law(plan.k)


def _joint_law(plan: Plan, projection: Projection) -> Law:
    values, moves = joint.joint_values(plan, projection, plan.proxy or plan.metrics[0], plan.k)
    if moves == 0:
        count = math.perm(len(values), plan.k)
        return dict.fromkeys(answers(len(values), plan.k), 1 / count)
    return joint_ordered_law(values, moves / plan.epsilon, plan.k)


def _pareto_law(plan: Plan, projection: Projection) -> Law:
    """Return the law of the rounds that `edgedp.pareto.rounds.draw_pareto` draws."""
    rounds = ParetoRounds.of(plan, projection)
    law: Law = {}

    def descend(
        picked: tuple[int, ...], left: NDArray[np.int64], scores: NDArray[np.int64], so_far: float
    ) -> None:
        current = rounds.scores(scores, len(left))
        among = GridScores(current.upper[left], current.unit, current.sampler)
        for chosen, share in zip(left.tolist(), among.law().tolist(), strict=True):
            longer = (*picked, chosen)
            if len(longer) == plan.k:
                law[longer] = so_far * share
            else:
                after = release_pick(scores, rounds.utilities, chosen)
                descend(longer, left[left != chosen], after, so_far * share)

    everybody = np.arange(plan.facts.node_count, dtype=np.int64)
    descend((), everybody, rounds.pareto_scores, 1.0)
    return law
