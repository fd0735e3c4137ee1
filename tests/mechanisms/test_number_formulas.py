"""What each step of a release pays and misses, as formulas: coverage and chi-squares are too loose to tell."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import edgedp
from edgedp import Graph
from edgedp.mechanisms.counts.base import Profile
from edgedp.mechanisms.numbers import Amounts, heights
from edgedp.mechanisms.numbers.nls import NoisyBound, NoisyLocalSensitivityLaw, shift_for
from edgedp.mechanisms.numbers.rungs import pace_on
from edgedp.mechanisms.selection import picking
from edgedp.release.numbers import counting, distributing, error_bars
from edgedp.release.options import CountOptions
from edgedp.release.plan import CountPlan, PublicFacts
from edgedp.release.plan.numbers import plan_count

KITE = Graph.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)])


def planned(**options: Any) -> CountPlan:
    return plan_count(CountOptions.given(options), PublicFacts(5, 4))


def test_every_round_of_a_cut_top_k_runs_at_a_kth_of_epsilon_and_delta(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where gaps were cut the rounds are drawn one by one: each at ``epsilon / k``, and together all of it."""
    rounds: list[tuple[Fraction, int]] = []
    units: list[Any] = []
    real = picking.pick_scores

    def scores(*, k: int, epsilon: Fraction, **rest: Any) -> Any:
        rounds.append((epsilon, k))
        made = real(k=k, epsilon=epsilon, **rest)
        units.append(made.unit)
        return made

    monkeypatch.setattr(picking, "pick_scores", scores)
    utilities = [1e18, 0.0, 3000.0]
    for mechanism in ("pf", "em"):
        for k in (2, 3):
            rounds.clear()
            units.clear()
            options: dict[str, Any] = {"mechanism": mechanism, "epsilon": 4, "global_sensitivity": 1}
            found = edgedp.select_top_k(utilities, k=k, **options)
            assert len(found.values) == k
            assert rounds == [(Fraction(4), k)] * (1 + k)
            once = real(
                utilities=np.array([1.0, 0.0]),
                epsilon=Fraction(4, k),
                mechanism=mechanism,
                global_sensitivity=1,
            )
            assert units[1:] == [once.unit] * k


@pytest.mark.parametrize("bought", [1, 2])
def test_each_noisy_bound_of_nls_fails_with_its_part_of_delta(bought: int) -> None:
    amounts = Amounts(Fraction(2), Fraction(1, 1000))
    law = NoisyLocalSensitivityLaw(Profile(9, (3, 4), 12, 60, leading=2, bounds_to_buy=bought), amounts)
    each = Fraction(3, 10)
    assert law._first.shift == shift_for(1 / each, Fraction(1, 1000 * bought))
    assert law._first.scale == 1 / each
    if bought == 2:
        assert law._second(5).shift == shift_for(Fraction(20) / each, Fraction(1, 2000))
        assert law._second(5).scale == Fraction(20) / each
        assert law._second(5).most == 12
    assert law._rest == 2 - bought * each
    assert NoisyBound(2, Fraction(1), Fraction(1, 10), 3).shift == shift_for(Fraction(1), Fraction(1, 10))


@pytest.mark.parametrize("of", ["triangles", "two_triangles", "wedges", "ebc", "betweenness2"])
def test_an_error_bar_is_of_what_is_left_of_epsilon_and_of_what_is_left_of_five_hundredths(
    of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth bought the bound, which fails once in 100: the height is of nine tenths, and misses 4 in 100."""
    asked: list[tuple[Fraction, Fraction, float]] = []
    real = heights.height_quantile

    def quantile(epsilon: Fraction, pace: Any, missed: float) -> float:
        asked.append((epsilon, Fraction(pace.growth), missed))
        return real(epsilon, pace, missed)

    monkeypatch.setattr(heights, "height_quantile", quantile)
    options = {"node": 0} if of in ("ebc", "betweenness2") else {}
    asked_for = CountOptions.given({"of": of, "epsilon": "0.7", "error_bar": True} | options)
    plan = plan_count(asked_for, PublicFacts(2001, 2000))
    count = counting.count_in(plan, np.arange(5))
    asked.clear()  # of the plan, which refuses a bar that would say nothing
    error_bars.BoughtBound(2, error_bars.BAR_SHARE, plan).around(1)
    ((epsilon, growth, missed),) = asked
    assert epsilon == Fraction(63, 100)
    assert growth == Fraction(pace_on(count.curve(plan.bounds), Fraction(63, 100)).growth)
    assert missed == pytest.approx(0.04, abs=1e-12)


@pytest.mark.parametrize("of", ["triangles", "two_triangles", "wedges", "ebc", "betweenness2"])
def test_an_error_bar_misses_as_often_as_its_law_says(of: str) -> None:
    """Where all rungs grow as fast as they may, noise of nine tenths exceeds the height in exactly 4 of 100 draws."""
    from edgedp.mechanisms.numbers.calibrated import MECHANISM
    from edgedp.mechanisms.numbers.rungs import envelope

    options = {"node": 0} if of in ("ebc", "betweenness2") else {}
    plan = plan_count(
        CountOptions.given({"of": of, "epsilon": 2, "error_bar": True} | options), PublicFacts(60, 59)
    )
    count = counting.count_in(plan, np.arange(60))
    ceiling, rest = count.global_sensitivity(plan.bounds), Fraction(18, 10)
    steady = pace_on(count.curve(plan.bounds), rest)
    profile = Profile(0, (1,) * 200, ceiling << 60, 1, curve=count.curve(plan.bounds))
    law = MECHANISM.law_at(profile, rest, steady)
    height = heights.height_quantile(rest, steady, 0.04)
    rungs = envelope(profile.steps, profile.ceiling, steady)
    reach = sum(rungs[: int(height)]) + Fraction(height - int(height)) * rungs[int(height)]
    cell = int(reach * (1 << (law.bits - steady.unit_bits)))
    assert 2 * law._beyond_cell(cell) == pytest.approx(0.04, rel=2e-3)


def test_the_bound_of_an_error_bar_has_the_shift_of_its_hundredth(monkeypatch: pytest.MonkeyPatch) -> None:
    from edgedp.mechanisms.projection import GraphProjection

    drawn: list[Fraction] = []

    def no_noise(count: int, scale: Fraction, words: Any) -> np.ndarray:
        drawn.append(scale)
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(error_bars, "two_sided_geometric", no_noise)
    plan = planned(of="triangles", epsilon="0.7", error_bar=True)
    projection: Any = GraphProjection(KITE)
    words: Any = None
    bought = error_bars.buy_bound(plan, counting.count_in(plan, projection.node_ids), projection, words)
    assert drawn == [Fraction(100, 7)]
    assert bought.bound == 2 + shift_for(Fraction(100, 7), Fraction(1, 100))
    assert bought.share == Fraction(1, 10)


def test_a_distribution_is_cut_to_the_nodes_and_its_means_round_to_the_nearest() -> None:
    assert distributing.consistent(np.array([9, 9, -4]), 5).tolist() == [5, 5, 0]
    assert distributing.consistent(np.array([1, 2]), 9).tolist() == [2, 2]  # the mean of 1 and 2 rounds up
    assert distributing.consistent(np.array([0, 1, 0]), 9).tolist() == [1, 1, 0]
    assert distributing.histogram_of(np.array([3, 1]), 3).tolist() == [0, 2, 1]
