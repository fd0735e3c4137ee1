"""Utilities as grid steps below the best one: rounded exactly, whatever their size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgedp.mechanisms.scores.steps import (
    FARTHEST,
    cut_below_best,
    nearest_steps,
    step_bits,
    steps_below_best,
)
from looped import as_one

any_float = st.floats(-1e280, 1e280, allow_subnormal=False)
usual = st.floats(-1e6, 1e6, allow_subnormal=False)
ceilings = st.floats(1e-6, 1e6) | st.sampled_from([1.0, 3.0, 0.1, 2.0**-40, 1e280])


def by_rationals(utilities: list[float], ceiling: float, bits: int) -> list[int]:
    best = max(map(Fraction, utilities))
    exact = [(Fraction(u) - best) / Fraction(ceiling) * 2**bits for u in utilities]
    return [max(math.floor(steps + Fraction(1, 2)), -FARTHEST) for steps in exact]


@given(st.lists(usual | any_float, min_size=1, max_size=6), ceilings, st.integers(1, 35))
def test_the_gap_is_rounded_exactly(utilities: list[float], ceiling: float, bits: int) -> None:
    found = steps_below_best(np.asarray(utilities), ceiling, bits).tolist()
    assert found == by_rationals(utilities, ceiling, bits)


@as_one
@pytest.mark.parametrize("ceiling", [3.0, 7.0, 0.1, 1 / 3])
def test_gaps_next_to_half_a_step_are_rounded_exactly(ceiling: float) -> None:
    halves = [float(ceiling * (2 * i + 1) / 2**9) for i in range(-40, 40)]
    utilities = [v for half in halves for v in (half, math.nextafter(half, 9e9), math.nextafter(half, -9e9))]
    found = steps_below_best(np.asarray(utilities), ceiling, 8).tolist()
    assert found == by_rationals(utilities, ceiling, 8)


def test_two_floats_stand_for_their_exact_sum() -> None:
    found = nearest_steps(np.array([0.5, 0.5]), np.array([0.0, -(2.0**-60)]), 1.0, 0)
    assert found.tolist() == [1, 0]


@as_one
@pytest.mark.parametrize("ceiling", [3.0, 7.0, 0.1, 1 / 3])
@pytest.mark.parametrize("size", [10, 2**10, 2**50, 2**58])
def test_sums_next_to_half_a_step_are_rounded_exactly(ceiling: float, size: int) -> None:
    """Closer to it than any float is: what two floats say of half a step, and their neighbours on either side."""
    bits, cases = 35, []
    for place in range(size, size + 40):
        half = Fraction(2 * place + 1, 2 ** (bits + 1)) * Fraction(ceiling)
        value = float(half)
        rest = float(half - Fraction(value))
        cases += [(value, near) for near in (rest, rest + value * 2.0**-108, rest - value * 2.0**-108)]
    values, rests = (np.array(column) for column in zip(*cases, strict=True))
    exact = [(Fraction(v) + Fraction(r)) / Fraction(ceiling) * 2**bits for v, r in cases]
    found = nearest_steps(values, rests, ceiling, bits)
    assert found.tolist() == [math.floor(steps + Fraction(1, 2)) for steps in exact]


@given(st.floats(1e-15, 1e9))
def test_the_cut_is_worth_a_thousand_units_of_noise(epsilon: float) -> None:
    budget = Fraction(epsilon)
    bits = step_bits(budget)
    assert bits >= 8 or budget < Fraction(1, 10**11)
    assert float(budget) / 2 * math.ldexp(FARTHEST // 2, -bits) >= 1000 or bits == 1


def test_no_place_is_given_away_before_the_cut_is_near() -> None:
    """The smallest unit has twice the scale: the cut is worth 1,024 of it, and one place more would halve that."""
    for power in range(60):
        assert step_bits(Fraction(1, 2**power)) == max(1, min(35, 61 - 1 - 11 - power))


def test_a_float_next_to_half_a_step_is_below_it() -> None:
    """Where nothing is left over the sum with a half would be rounded to a whole."""
    almost = math.nextafter(0.5, 0)
    for bits in (1, 8):
        found = nearest_steps(np.array([almost, 0.5, -almost, -0.5]) / 2**bits, np.zeros(4), 1.0, bits)
        assert found.tolist() == [0, 1, 0, 0]


def test_what_a_caller_has_told_numpy_changes_nothing() -> None:
    cases = [(np.array([1e300, -1e300, 1e-300, 5.0, 0.0]), 3e-200, 35), (np.array([1e-308, 2.0]), 1e290, 8)]
    for utilities, ceiling, bits in cases:
        expected = steps_below_best(utilities, ceiling, bits).tolist()
        with np.errstate(all="raise"):
            assert steps_below_best(utilities, ceiling, bits).tolist() == expected


def test_scores_below_the_best_do_not_overflow() -> None:
    wide = np.array([FARTHEST, -FARTHEST, 0])
    assert cut_below_best(wide).tolist() == [0, -(FARTHEST // 2), -(FARTHEST // 2)]
