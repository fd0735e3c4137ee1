"""Mistakes that would break a promise, each with the test that catches it. Add yours.

A sabotage patches the real code at a named point. `test_sabotage` runs the named test on the patched
code and fails if it passes: a mistake that nothing catches is a hole in the suite. A patch reaches this
process only; what a test starts as a process of its own runs unpatched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

__all__ = ["SABOTAGES", "Sabotage"]


Wrong = Callable[[Any], Any]
"""Makes the wrong thing of the right one."""


@dataclass(frozen=True)
class Sabotage:
    """A mistake.

    Attributes
    ----------
    name : str
        What goes wrong.
    patches : dict
        Points of the code, ``module:attribute`` or ``module:Class.attribute`` as the code that uses them reads
        them, and what makes the wrong thing of each.
    caught_by : str
        Node id, below ``tests/``, of a test that must fail on the patched code.
    """

    name: str
    patches: Mapping[str, Wrong]
    caught_by: str

    def apply(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Patch the code until `monkeypatch` is undone."""
        for target, wrong in self.patches.items():
            module, _, path = target.partition(":")
            owner: Any = import_module(module)
            *owners, last = path.split(".")
            for name in owners:
                owner = getattr(owner, name)
            monkeypatch.setattr(owner, last, wrong(getattr(owner, last)))


# -- the wrong things -------------------------------------------------------------------------------------


def half_the_noise(real: Any) -> Any:
    def first_places(candidates: Any, scores: Any, k: int, unit: Any, noise: Any, words: Any) -> Any:
        return real(candidates, scores, k, 2 * unit, noise, words)

    return first_places


def without_factor_two(real: Any) -> Any:
    return lambda epsilon, bits, *, monotone: real(epsilon, bits, monotone=True)


def one_step_late(real: Any) -> Any:
    def sensitivity(self: Any, form: str, t: int, *at: Any) -> Any:
        return real(self, form, max(t - 1, 0), *at)

    return sensitivity


def bound_from_the_data(real: Any) -> Any:
    def top_k_scores(plan: Any, projection: Any) -> Any:
        seen = max(int(projection.degrees().max()), 1)
        return real(replace(plan, facts=replace(plan.facts, degree_bound=seen)), projection)

    return top_k_scores


def whole_epsilon_every_round(real: Any) -> Any:
    return lambda plan, projection: real(replace(plan, cost=plan.cost * plan.k), projection)


def chosen_stays(real: Any) -> Any:
    def one_pick(scores: Any, candidates: Any, *rest: Any) -> Any:
        return real(scores, np.arange(len(scores)), *rest)

    return one_pick


def same_noise_every_round(real: Any) -> Any:
    """Take the largest k of one draw of exponential noise, as one may of Gumbel noise."""

    def top_k_permute_and_flip(upper: Any, k: int, unit: Any, words: Any, evaluate: Any = None) -> Any:
        from edgedp.sampling.noise import EXPONENTIAL
        from edgedp.sampling.ranking import LazyScores, first_places

        return first_places(np.arange(len(upper)), LazyScores(upper, evaluate), k, unit, EXPONENTIAL, words)

    return top_k_permute_and_flip


def ties_by_true_degree(real: Any) -> Any:
    def draw_joint(plan: Any, projection: Any, words: Any) -> Any:
        from edgedp.joint import joint_values, noisy

        values, moves = joint_values(plan, projection, plan.metrics[0], plan.k)
        seen = noisy(values, moves, plan.epsilon, words)
        return np.lexsort((projection.degrees(), seen))[::-1][: plan.k]

    return draw_joint


def half_of_l(real: Any) -> Any:
    def joint_values(*given: Any, **named: Any) -> Any:
        values, moves = real(*given, **named)
        return values, moves / 2

    return joint_values


def half_of_the_pareto_sensitivity(real: Any) -> Any:
    def scores(self: Any, scores: Any, left: int) -> Any:
        right = real(self, scores, left)
        return replace(right, unit=2 * right.unit)

    return scores


def pareto_boxes_one_step_late(real: Any) -> Any:
    def pareto_profile(utilities: Any, sensitivities: Any, **named: Any) -> Any:
        late = [lambda t, delta=delta: delta(t - 1) if t else 0 * delta(0) for delta in sensitivities]
        return real(utilities, late, **named)

    return pareto_profile


def debit_on_record() -> dict[str, Wrong]:
    """Remember what is due, and debit it when the answer is recorded."""
    due: list[Any] = []

    def remember(real: Any) -> Any:
        def debit(tx: Any, row: Any, planned: Any, request_id: Any) -> Any:
            due.append(lambda later: real(later, row, planned, request_id))
            return SimpleNamespace(release_id="", receipt=lambda name: {})

        return debit

    def settle(real: Any) -> Any:
        return lambda tx, release_id, nodes: real(tx, due.pop()(tx).release_id, nodes)

    return {"edgedp.stores.ledger:debit": remember, "edgedp.stores.ledger:record": settle}


def a_fixed_seed(real: Any) -> Any:
    return lambda self, count: np.random.default_rng(7).integers(0, 2**64 - 1, count, dtype=np.uint64)


def with_the_degree(real: Any) -> Any:
    def check_bound(plan: Any, projection: Any) -> None:
        from edgedp.errors import ParameterError

        largest = int(projection.degrees().max(initial=0))
        if largest > plan.degree_bound:
            raise ParameterError(
                f"the graph's largest degree is {largest}, must be at most {plan.degree_bound}"
            )

    return check_bound


def bound_below_the_score(real: Any) -> Any:
    return lambda self, degrees: 0.5 * real(self, degrees)


# -- the list ---------------------------------------------------------------------------------------------

SABOTAGES = [
    Sabotage(
        "noise of half the scale",
        {"edgedp.sampling.select:first_places": half_the_noise},
        "test_blackbox.py::test_the_bound_is_between_the_loss_and_the_claim[priv_top_k degree pf k=1]",
    ),
    Sabotage(
        "geometric noise of half the scale",
        {
            "edgedp.joint:two_sided_geometric": lambda real: (
                lambda count, scale, words: real(count, scale / 2, words)
            )
        },
        "test_blackbox.py::test_the_bound_is_between_the_loss_and_the_claim[priv_top_k degree joint k=1]",
    ),
    Sabotage(
        "the factor 2 left out of a score that is not monotone",
        {"edgedp.scoring:noise_unit": without_factor_two},
        "test_audit.py::test_priv_top_k_keeps_its_claim[betweenness2 sld (pf)]",
    ),
    Sabotage(
        "a metric taken for monotone that is not",
        {"edgedp.metrics.ebc:EgoBetweenness.monotone": lambda real: True},
        "test_admissibility.py::test_adding_an_edge_never_lowers_a_monotone_metric[4]",
    ),
    Sabotage(
        "delta one step late",
        {"edgedp.metrics.base:Metric.sensitivity": one_step_late},
        "test_admissibility.py::test_sensitivities_grow_at_least_as_fast_as_their_neighbours[ebc-degree-4]",
    ),
    Sabotage(
        "the boxes of the Pareto sensitivity one step late",
        {"edgedp.pareto.rounds:pareto_profile": pareto_boxes_one_step_late},
        "test_admissibility.py::test_one_edge_moves_a_pareto_score_by_at_most_one_in_every_round[degree+density-4]",
    ),
    Sabotage(
        "half of the Pareto sensitivity",
        {"edgedp.pareto.rounds:ParetoRounds.scores": half_of_the_pareto_sensitivity},
        "test_audit.py::test_pareto_keeps_its_claim[degree+density sld (pf)]",
    ),
    Sabotage(
        "GS from the data instead of the declared bound",
        {"edgedp.scoring:top_k_scores": bound_from_the_data},
        "test_admissibility.py::test_a_score_depends_on_its_own_node_and_on_public_facts",
    ),
    Sabotage(
        "epsilon not divided by k",
        {"edgedp.scoring:top_k_scores": whole_epsilon_every_round},
        "test_audit.py::test_priv_top_k_keeps_its_claim[degree em]",
    ),
    Sabotage(
        "a chosen node left in",
        {"edgedp.pareto.rounds:one_pick": chosen_stays},
        "test_audit.py::test_draws_have_the_law_that_is_audited[pareto degree+density sld k=2]",
    ),
    Sabotage(
        "exponential noise kept for the next round",
        {"edgedp.sampling.select:top_k_permute_and_flip": same_noise_every_round},
        "test_audit.py::test_draws_have_the_law_that_is_audited[priv_top_k density pf k=2]",
    ),
    Sabotage(
        "ties broken by true degree",
        {"edgedp.joint:draw_joint": ties_by_true_degree},
        "test_audit.py::test_draws_have_the_law_that_is_audited[priv_top_k degree joint k=2]",
    ),
    Sabotage(
        "half of the joint vector's L",
        {"edgedp.joint:joint_values": half_of_l},
        "test_audit.py::test_priv_top_k_keeps_its_claim[betweenness2 joint (vectors)]",
    ),
    Sabotage(
        "a candidate skipped that could win",
        {"edgedp.metrics.ebc:EgoBetweenness.upper_bound": bound_below_the_score},
        "test_admissibility.py::test_bounds_for_the_lazy_draw_hold_on_small_graphs",
    ),
    Sabotage(
        "a cost rounded down",
        {"edgedp.epsilon:ROUND_CEILING": lambda real: ROUND_FLOOR},
        "test_epsilon.py::test_epsilon_is_the_decimal_as_written_rounded_up[0.0000000015-2]",
    ),
    Sabotage(
        "permute-and-flip priced as bounded-range",
        {"edgedp.accounting:_shares": lambda real: lambda plan: 8 * plan.k},
        "test_accounting.py::test_a_round_of_permute_and_flip_costs_that_of_pure_epsilon",
    ),
    Sabotage(
        "debit after the release",
        debit_on_record(),
        "test_store.py::test_the_answer_is_not_shown_before_it_is_debited[embedded]",
    ),
    Sabotage(
        "a lock removed",
        {"edgedp.stores.embedded:EmbeddedBackend._alone": lambda real: lambda self: nullcontext()},
        "test_embedded.py::test_a_writer_that_does_not_let_go_is_waited_for_with_a_limit",
    ),
    Sabotage(
        "a seed reused",
        {"edgedp.sampling.words:SecureWords.take": a_fixed_seed},
        "test_sampling_words.py::test_secure_words_are_the_systems_bytes_and_nothing_else",
    ),
    Sabotage(
        "a value in an error",
        {"edgedp.draw:check_bound": with_the_degree},
        "test_store.py::test_a_graph_that_breaks_its_bound_is_refused_after_the_debit_in_a_constant_sentence[embedded]",
    ),
    Sabotage(
        "a broken degree bound not refused",
        {"edgedp.draw:check_bound": lambda real: lambda plan, projection: None},
        "test_store.py::test_a_graph_that_breaks_its_bound_is_refused_after_the_debit_in_a_constant_sentence[embedded]",
    ),
]
