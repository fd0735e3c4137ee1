"""Mistakes in the release of numbers, each with the test that catches it; as `sabotage` for what selects nodes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from edgedp.release.numbers.answers import Interval
from sabotage import Sabotage
from test_sabotage import run, sabotaged

ADMISSIBLE = "test_counts.py::test_profiles_are_admissible_on_all_small_graphs"
LOSS = "test_number_laws.py::test_pure_mechanisms_keep_their_claim"
PACES = "test_number_laws.py::test_the_calibrated_ladder_keeps_its_claim_at_every_pace"
STORED = "test_numbers_stored.py::test"
DRAWS = "test_number_laws.py::test_secure_draws_have_the_law_that_is_audited"


def unpaid(real: Any) -> Any:
    return lambda epsilon, pace: epsilon


def ladder_unpaid(real: Any) -> Any:
    def law(self: Any, profile: Any, amounts: Any) -> Any:
        return real(self, profile, replace(amounts, epsilon=2 * amounts.epsilon))

    return law


def ceiling_of_its_own(real: Any) -> Any:
    return lambda steps, ceiling, pace: real(steps, steps[-1] if steps else ceiling, pace)


def profile_without_cap(real: Any) -> Any:
    def profile_of(count: Any, projection: Any, bounds: Any) -> Any:
        found = real(count, projection, bounds)
        return replace(found, ceiling=found.steps[-1]) if found.steps else found

    return profile_of


def over_edges_only(real: Any) -> Any:
    from edgedp.graph.engines.figures import edge_triangles

    return lambda self: int(edge_triangles(self._graph).max(initial=0))


def two_largest_degrees(real: Any) -> Any:
    return lambda degrees, rows: np.sort(degrees)[::-1][:2].reshape(1, -1)


def own_edge_forgotten(real: Any) -> Any:
    return lambda self: real(self) // 2


def half(real: Any) -> Any:
    return lambda self, profile, amounts: real(self, profile, replace(amounts, epsilon=2 * amounts.epsilon))


def larger_shrink(real: Any) -> Any:
    return lambda epsilon, pace: 2 * real(epsilon, pace)


def one_step_late(real: Any) -> Any:
    def below(ceiling: int, sensitivities: Any) -> Any:
        found = real(ceiling, sensitivities)
        return found[:1] + found

    return below


def always_even(real: Any) -> Any:
    return lambda bound, words: real(bound, words) & ~1


def other_rate(real: Any) -> Any:
    return lambda x, bits: real(x * Fraction(9, 10), bits)


def pays_with_delta(real: Any) -> Any:
    return lambda value, mechanism, *, stored: real(value, mechanism, stored=False)


def debits_nothing(real: Any) -> Any:
    def debit(self: Any, session: Any, row: Any, planned: Any, request_id: Any) -> Any:
        from edgedp.ledger import ledger

        return ledger.Debit(ledger.new_release_id(), ledger.find(session, row.name))

    return debit


def any_node(real: Any) -> Any:
    return lambda self, found: self


def a_bar_for_all(real: Any) -> Any:
    return lambda plan, value: Interval(value - 1, value + 1, 1.0)


def bound_unchecked(real: Any) -> Any:
    return lambda plan, projection: None


def shift_forgotten(real: Any) -> Any:
    return lambda scale, delta: 0


def moves_one(real: Any) -> Any:
    return 1


def cut_to_what_the_graph_allows(real: Any) -> Any:
    def law_of(plan: Any, projection: Any, *share: Any) -> Any:
        law, profile = real(plan, projection, *share)
        pairs = int((projection.degrees() * (projection.degrees() - 1)).sum()) // 2
        return law, replace(profile, maximum=min(profile.maximum, pairs))

    return law_of


def all_of_epsilon_for_each(real: Any) -> Any:
    return lambda plan, projection, share=1: real(plan, projection)


def one_hub_too_few(real: Any) -> Any:
    """Stop where the next node could still share one more neighbour than the best pair."""
    return lambda degrees, shared: real(np.maximum(degrees - 1, 0), shared)


def all_of_epsilon_each_round(real: Any) -> Any:
    def one_by_one(values: Any, k: int, words: Any, *, epsilon: Any, **asked: Any) -> Any:
        return real(values, k, words, epsilon=k * epsilon, **asked)

    return one_by_one


def all_of_delta_for_each(real: Any) -> Any:
    def built(self: Any, profile: Any, amounts: Any) -> None:
        real(self, profile, replace(amounts, delta=amounts.delta * profile.bounds_to_buy))

    return built


def height_of_all_of_epsilon(real: Any) -> Any:
    return lambda epsilon, pace, missed: real(epsilon * Fraction(10, 9), pace, missed)


def all_that_may_miss(real: Any) -> Any:
    return lambda epsilon, pace, missed: real(epsilon, pace, missed + 0.01)


def turns_back(real: Any) -> Any:
    def pace_on(curve: Any, epsilon: Any) -> Any:
        from edgedp.mechanisms.numbers.rungs import pace

        return pace(epsilon)

    return pace_on


FORMULAS = "test_number_formulas.py::test"

SABOTAGES = [
    Sabotage(
        "all of epsilon for each round where a gap was cut",
        {"edgedp.mechanisms.selection.picking:_one_by_one": all_of_epsilon_each_round},
        f"{FORMULAS}_every_round_of_a_cut_top_k_runs_at_a_kth_of_epsilon_and_delta",
    ),
    Sabotage(
        "all of delta for each of two noisy bounds",
        {"edgedp.mechanisms.numbers.nls:NoisyLocalSensitivityLaw.__init__": all_of_delta_for_each},
        f"{FORMULAS}_each_noisy_bound_of_nls_fails_with_its_part_of_delta[2]",
    ),
    Sabotage(
        "an error bar of all of epsilon",
        {"edgedp.mechanisms.numbers.heights:height_quantile": height_of_all_of_epsilon},
        f"{FORMULAS}_an_error_bar_misses_as_often_as_its_law_says[triangles]",
    ),
    Sabotage(
        "an error bar that forgets what its bound may miss",
        {"edgedp.mechanisms.numbers.heights:height_quantile": all_that_may_miss},
        f"{FORMULAS}_an_error_bar_misses_as_often_as_its_law_says[triangles]",
    ),
    Sabotage(
        "one pace for all numbers",
        {"edgedp.mechanisms.numbers.calibrated:pace_on": turns_back},
        "test_pace.py::test_more_epsilon_is_never_worse_where_a_pace_once_changed",
    ),
    Sabotage(
        "rungs of the calibrated ladder that are not paid for",
        {"edgedp.mechanisms.numbers.calibrated:rate_of": unpaid},
        f"{PACES}[epsilon1]",
    ),
    Sabotage(
        "a ladder at twice its rate",
        {"edgedp.mechanisms.numbers.ladder:Ladder.noisy": ladder_unpaid},
        f"{LOSS}[ladder]",
    ),
    Sabotage(
        "an envelope from a ceiling of the graph's own",
        {"edgedp.mechanisms.numbers.calibrated:envelope": ceiling_of_its_own},
        f"{PACES}[epsilon1]",
    ),
    Sabotage(
        "a profile whose ceiling is the graph's own",
        {"number_cases:profile_of": profile_without_cap},
        f"{ADMISSIBLE}[triangles]",
    ),
    Sabotage(
        "the most common neighbours of edges only",
        {"edgedp.graph.engines.figures:GraphFigures.most_common_neighbors": over_edges_only},
        f"{ADMISSIBLE}[triangles]",
    ),
    Sabotage(
        "stars by the two largest degrees",
        {"edgedp.graph.engines.figures:maximal_pairs": two_largest_degrees},
        "test_counts.py::test_profiles_of_stars_are_the_local_sensitivity_within_every_distance[5-wedges]",
    ),
    Sabotage(
        "half the local sensitivity of two-triangles",
        {"edgedp.graph.engines.figures:GraphFigures.two_triangles_move": own_edge_forgotten},
        f"{ADMISSIBLE}[two_triangles]",
    ),
    Sabotage(
        "geometric noise of half the scale",
        {"edgedp.mechanisms.numbers.geometric:Geometric.noisy": half},
        f"{LOSS}[geometric]",
    ),
    Sabotage(
        "a staircase of half the width",
        {"edgedp.mechanisms.numbers.staircase:Staircase.noisy": half},
        f"{LOSS}[staircase]",
    ),
    Sabotage(
        "Student noise of half the scale",
        {"edgedp.mechanisms.numbers.smooth:student_shrink": larger_shrink},
        f"{LOSS}[smooth]",
    ),
    Sabotage(
        "a profile one step late",
        {"edgedp.mechanisms.counts.base:below": one_step_late},
        f"{ADMISSIBLE}[wedges]",
    ),
    Sabotage(
        "noise on one side only",
        {"edgedp.mechanisms.numbers.stairs:uniform_below": always_even},
        f"{DRAWS}[calibrated 2]",
    ),
    Sabotage(
        "rungs drawn at another rate than the law's",
        {"edgedp.mechanisms.numbers.stairs:exp_minus_bounds": other_rate},
        "test_number_laws.py::test_a_rung_is_decided_by_all_words_of_a_uniform_real_and_the_tail_by_an_exponential",
    ),
    Sabotage(
        "delta on a pure ledger",
        {"edgedp.release.plan.numbers:delta_of": pays_with_delta},
        "test_numbers.py::test_a_stored_graph_refuses_every_delta",
    ),
    Sabotage(
        "delta let through on a ledger",
        {
            "edgedp.release.plan.numbers:delta_of": lambda real: (
                lambda value, mechanism, *, stored: Fraction(1, 10**6)
            )
        },
        f"{STORED}_what_is_refused_costs_nothing_also_where_a_delta_is_declared[embedded]",
    ),
    Sabotage(
        "a number that is drawn without its debit",
        {"edgedp.stores.releases.analyst:AnalystStore._debit": debits_nothing},
        f"{STORED}_a_distribution_and_a_summary_are_paid_once_and_say_what_they_are_made_of[embedded]",
    ),
    Sabotage(
        "a node that is not looked up before the debit",
        {"edgedp.release.plan.numbers:CountPlan.naming": any_node},
        f"{STORED}_what_is_refused_costs_nothing_also_where_a_delta_is_declared[embedded]",
    ),
    Sabotage(
        "an error bar around private noise",
        {"edgedp.release.numbers.counting:public_bar": a_bar_for_all},
        "test_numbers.py::test_a_private_scale_is_never_shown",
    ),
    Sabotage(
        "numbers of a graph that breaks its bound",
        {"edgedp.release.draw:check_projection": bound_unchecked},
        f"{STORED}_a_graph_that_breaks_its_bound_or_loses_a_node_is_refused_in_a_constant_sentence",
    ),
    Sabotage(
        "a noisy bound without its shift",
        {"edgedp.mechanisms.numbers.nls:shift_for": shift_forgotten},
        "test_number_laws.py::test_mechanisms_with_delta_keep_their_claim[delta1-nls]",
    ),
    Sabotage(
        "one step for the two that an edge moves in a distribution",
        {"edgedp.release.numbers.distributing:MOVES": moves_one},
        "test_reached.py::test_every_vector_moves_by_two_thirds_of_what_is_claimed_and_by_no_more",
    ),
    Sabotage(
        "a number cut to what the graph allows",
        {"edgedp.release.numbers.counting:law_of": cut_to_what_the_graph_allows},
        "test_numbers.py::test_graphs_whose_noisy_numbers_coincide_are_answered_alike[True-triangles]",
    ),
    Sabotage(
        "all of epsilon for each part of a summary",
        {"edgedp.release.numbers.summarizing:law_of": all_of_epsilon_for_each},
        "test_numbers.py::test_the_shares_of_a_summary_are_all_of_epsilon_and_what_is_spent",
    ),
    Sabotage(
        "a hub left out of the search for common neighbours",
        {"edgedp.graph.engines.figures:most_common_neighbors": one_hub_too_few},
        "test_counts.py::test_figures_by_their_definitions[igraph]",
    ),
]


@pytest.mark.wide
@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage.name)
def test_every_sabotage_of_a_number_is_caught(sabotage: Sabotage) -> None:
    with sabotaged(sabotage):
        outcomes = run(sabotage.caught_by)
    assert outcomes.caught, f"nothing catches {sabotage.name!r}: {sabotage.caught_by}; {outcomes.failures}"


@pytest.mark.slow
def test_what_catches_them_passes_without_them() -> None:
    wanted = sorted({sabotage.caught_by for sabotage in SABOTAGES})
    outcomes = run(*wanted)
    assert not outcomes.failures
    assert outcomes.passed >= len(wanted), "a test that is named without its case has several"
