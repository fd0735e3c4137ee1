"""The rounds of Pareto selection: scores over what is left, drawn one pick at a time.

Pareto scores are integers and move by at most ``|R'| - 1`` among the candidates R' left, so global and
shifted local scores need no grid: they are whole multiples of ``1 / (|R'| - 1)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.grid import GridScores, grid_bits, noise_unit, to_grid, unit_of
from edgedp.mechanisms.metrics import metric as metric_by_name
from edgedp.mechanisms.pareto.cache import Measured, kept_or_measured, profile_folder, profile_key
from edgedp.mechanisms.pareto.profile import ParetoProfile, Sensitivity, pareto_profile
from edgedp.mechanisms.pareto.score import pareto_score, release_pick
from edgedp.mechanisms.samplers import sampler
from edgedp.words.errors import EngineError
from edgedp.words.vocabulary import ParetoForm

if TYPE_CHECKING:
    from edgedp.mechanisms.asked import ParetoAsked
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words


@dataclass(frozen=True)
class ParetoRounds:
    """What the rounds of one plan share: the utilities and round 1's sensitivity profile."""

    plan: ParetoAsked
    utilities: NDArray[np.float64]
    profile: ParetoProfile | None

    @classmethod
    def of(cls, plan: ParetoAsked, projection: Projection) -> ParetoRounds:
        """Read utilities and, for local sensitivity, scores and profile: what is kept of the graph, if anything is."""
        form = plan.mechanism.form
        if form is None:
            return cls(plan, _utilities(plan, projection), None)
        measured = _measured(plan, form, projection)
        rounds = cls(plan, measured.utilities, measured.profile)
        rounds.__dict__["pareto_scores"] = measured.scores
        return rounds

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
        for i in range(self.plan.k):
            current = self.scores(scores, len(left))
            pick = current.sampler.pick(current.upper, left, current.unit, words)
            picked[i] = pick
            left = left[left != pick]
            scores = release_pick(scores, self.utilities, pick)
        return picked

    def scores(self, scores: NDArray[np.int64], left: int) -> GridScores:
        """Return the selection scores of a round with `left` candidates, from their Pareto scores."""
        plan = self.plan
        cap = left - 1
        epsilon = plan.epsilon / plan.k
        drawn_by = sampler(plan.mechanism.sampler)
        if cap == 0 or not self.utilities.shape[1]:
            return GridScores(np.zeros_like(scores), unit_of(epsilon, 1, monotone=False), drawn_by)
        whole = plan.mechanism.of_ranks(scores, cap, self._local)
        if whole is not None:
            # The factor 2 stays: an edge lifts a node, and lowers the score of each that it now dominates.
            return GridScores(whole, unit_of(epsilon, cap, monotone=False), drawn_by)
        bits = grid_bits(plan.facts.node_count + plan.degree_bound + 4)
        dampened = to_grid(self._local().dampen(scores, cap).to_float(), bits)
        return GridScores(dampened, noise_unit(epsilon, bits, monotone=False), drawn_by)

    def _local(self) -> ParetoProfile:
        if self.profile is None:
            raise EngineError(
                "the rounds have no sensitivity profile, which dampening needs; report this defect"
            )
        return self.profile


def first_round(plan: ParetoAsked, projection: Projection) -> GridScores:
    """Return the selection scores of round 1."""
    rounds = ParetoRounds.of(plan, projection)
    return rounds.scores(rounds.pareto_scores, plan.facts.node_count)


def draw_pareto(plan: ParetoAsked, projection: Projection, words: Words) -> NDArray[np.int64]:
    """Draw the k rounds of a plan."""
    return ParetoRounds.of(plan, projection).draw(words)


def _movable(plan: ParetoAsked) -> list[str]:
    """Return the metrics that one edge can move under the declared bound; a constant one leaves the list."""
    return [name for name in plan.metrics if metric_by_name(name).global_sensitivity(plan.degree_bound) > 0]


def _utilities(plan: ParetoAsked, projection: Projection) -> NDArray[np.float64]:
    """Return the (n, p) values of the metrics that can move."""
    columns = [projection.values(name) for name in _movable(plan)]
    return np.column_stack(columns) if columns else np.zeros((plan.facts.node_count, 0))


def _measured(plan: ParetoAsked, form: ParetoForm, projection: Projection) -> Measured:
    """Return utilities, scores and profile, kept where they were measured for the same graph and parameters before."""
    fingerprint = projection.fingerprint()

    def measure() -> Measured:
        utilities = _utilities(plan, projection)
        return Measured(utilities, pareto_score(utilities), _profile(plan, form, projection, utilities))

    if fingerprint is None:
        return measure()
    key = profile_key(
        fingerprint,
        metrics=_movable(plan),
        degree_bound=plan.degree_bound,
        form=form,
        engine=projection.engine,
    )
    return kept_or_measured(profile_folder(), key, measure)


def _profile(
    plan: ParetoAsked, form: ParetoForm, projection: Projection, utilities: NDArray[np.float64]
) -> ParetoProfile:
    names = _movable(plan)
    degrees = projection.degrees()
    match form:
        case "interval":
            common = None
        case "interval+edge":
            common = int(projection.max_common_neighbors().max(initial=0))
        case _:
            assert_never(form)

    def sensitivity(name: str) -> Sensitivity | float:
        metric = metric_by_name(name)
        if metric.uniform:
            anyone = np.zeros(1, dtype=np.int64)
            return float(metric.sensitivity(metric.forms[0], 0, anyone, None, plan.degree_bound)[0])
        return lambda t: metric.sensitivity(metric.forms[0], t, degrees, None, plan.degree_bound)

    return pareto_profile(
        utilities,
        [sensitivity(name) for name in names],
        integral=[metric_by_name(name).is_degree for name in names],
        limit=plan.degree_bound + 3,
        common_neighbors=common,
    )
