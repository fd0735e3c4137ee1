"""The rounds of Pareto selection: scores over what is left, drawn one pick at a time.

Pareto scores are integers and move by at most ``|R'| - 1`` among the candidates R' left, so global and
shifted local scores need no grid: they are whole multiples of ``1 / (|R'| - 1)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.metrics import metric
from edgedp.pareto.cache import cached_profile, profile_folder, profile_key
from edgedp.pareto.profile import ParetoProfile, Sensitivity, pareto_profile
from edgedp.pareto.score import pareto_score, release_pick
from edgedp.sampling.select import one_pick
from edgedp.scores import GridScores, Sampler, grid_bits, noise_unit, to_grid

if TYPE_CHECKING:
    from edgedp.plan import Plan
    from edgedp.projection import Projection
    from edgedp.sampling.words import Words

__all__ = ["ParetoRounds", "draw_pareto", "first_round"]


@dataclass(frozen=True)
class ParetoRounds:
    """What the rounds of one plan share: the utilities and round 1's sensitivity profile."""

    plan: Plan
    utilities: NDArray[np.float64]
    profile: ParetoProfile | None

    @classmethod
    def of(cls, plan: Plan, projection: Projection) -> ParetoRounds:
        """Read utilities and, for local sensitivity, the profile."""
        names = _movable(plan)
        columns = [projection.values(name) for name in names]
        utilities = np.column_stack(columns) if columns else np.zeros((plan.facts.node_count, 0))
        local = plan.sensitivity == "local"
        return cls(plan, utilities, _profile(plan, projection, names, utilities) if local else None)

    @cached_property
    def pareto_scores(self) -> NDArray[np.int64]:
        """(n,) Pareto scores of round 1, among all candidates."""
        return pareto_score(self.utilities)

    def draw(self, words: Words) -> NDArray[np.int64]:
        """Draw k rounds: the chosen node leaves, and the score of what it dominated rises by one.

        Round 1's profile, capped at ``|R'| - 1``, is kept: it counts the same boxes over a superset of the
        candidates, so it is admissible for what is left (`ParetoProfile`, Notes). Every call draws anew.
        """
        scores = self.pareto_scores
        left = np.arange(self.plan.facts.node_count, dtype=np.int64)
        picked = np.empty(self.plan.k, dtype=np.int64)
        for place in range(self.plan.k):
            current = self.scores(scores, len(left))
            chosen = one_pick(current.upper, left, current.unit, words, current.sampler)
            picked[place] = chosen
            left = left[left != chosen]
            scores = release_pick(scores, self.utilities, chosen)
        return picked

    def scores(self, scores: NDArray[np.int64], left: int) -> GridScores:
        """Return the selection scores of a round with `left` candidates, from their Pareto scores."""
        plan = self.plan
        cap = left - 1
        epsilon = plan.epsilon / plan.k
        sampler = cast(Sampler, plan.sampler)
        if cap == 0 or not self.utilities.shape[1]:
            return GridScores(np.zeros_like(scores), epsilon / 2, sampler)
        if plan.mechanism == "ld" and self.profile is not None:
            bits = grid_bits(plan.facts.node_count + plan.degree_bound + 4)
            dampened = self.profile.dampen(scores, cap).to_float()
            return GridScores(to_grid(dampened, bits), noise_unit(epsilon, bits, monotone=False), sampler)
        if self.profile is not None:
            sums = self.profile.shifted_sum(cap)
            scores = scores + sums if plan.shift == "down" else scores - sums
        return GridScores(scores, epsilon / (2 * cap), sampler)


def first_round(plan: Plan, projection: Projection) -> GridScores:
    """Return the selection scores of round 1."""
    rounds = ParetoRounds.of(plan, projection)
    return rounds.scores(rounds.pareto_scores, plan.facts.node_count)


def draw_pareto(plan: Plan, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw the k rounds of a plan."""
    return ParetoRounds.of(plan, projection).draw(words)


def _movable(plan: Plan) -> list[str]:
    """Return the metrics that one edge can move under the declared bound; a constant one leaves the list."""
    return [name for name in plan.metrics if metric(name).global_sensitivity(plan.degree_bound) > 0]


def _profile(
    plan: Plan, projection: Projection, names: list[str], utilities: NDArray[np.float64]
) -> ParetoProfile:
    """Return the profile, from the cache where it was computed for the same graph and parameters before."""
    fingerprint = projection.fingerprint()

    def compute() -> ParetoProfile:
        return _computed_profile(plan, projection, names, utilities)

    if fingerprint is None:
        return compute()
    key = profile_key(
        fingerprint,
        metrics=names,
        degree_bound=plan.degree_bound,
        form=plan.sensitivity_form,
        utilities=utilities,  # engines may differ in the last bit, and a profile holds for its own floats
    )
    return cached_profile(profile_folder(), key, compute)


def _computed_profile(
    plan: Plan, projection: Projection, names: list[str], utilities: NDArray[np.float64]
) -> ParetoProfile:
    degrees = projection.degrees()
    common = None
    if plan.sensitivity_form == "interval+edge":
        common = int(projection.max_common_neighbors().max(initial=0))

    def sensitivity(name: str) -> Sensitivity:
        found = metric(name)
        return lambda t: found.sensitivity(found.forms[0], t, degrees, None, plan.degree_bound)

    return pareto_profile(
        utilities,
        [sensitivity(name) for name in names],
        integral=[metric(name).is_degree for name in names],
        limit=plan.degree_bound + 3,
        common_neighbors=common,
    )
