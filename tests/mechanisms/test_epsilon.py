from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgedp.words.amounts.epsilon import (
    MAX_EPSILON,
    NANO,
    budget_nano,
    epsilon_nano,
    format_nano,
    to_fraction,
)
from edgedp.words.amounts.rho import delta_atto
from edgedp.words.errors import ParameterError
from looped import as_one


@pytest.mark.parametrize(
    ("written", "nano"),
    [
        ("1", NANO),
        (1, NANO),
        (0.1, 10**8),
        (Decimal("0.3"), 3 * 10**8),
        ("0.0000000015", 2),
        ("1e-9", 1),
        (0.1 + 0.2, 300_000_001),
        (1 / 3, 333_333_334),
    ],
)
def test_epsilon_is_the_decimal_as_written_rounded_up(written: object, nano: int) -> None:
    assert epsilon_nano(written) == nano


def test_budgets_round_down() -> None:
    assert budget_nano("0.0000000019") == 1
    assert budget_nano(1 / 3) == 333_333_333


def test_a_hundredth_fits_fifty_times_into_a_half() -> None:
    assert 50 * epsilon_nano(0.01) == budget_nano(0.5)


@as_one
@pytest.mark.parametrize(
    "bad", [0, -1, "0", "-0.5", float("nan"), float("inf"), "-inf", "1e-10", "1e10", None, True, "x", [1]]
)
def test_what_is_no_epsilon_is_refused_in_one_line(bad: object) -> None:
    for parse, name in ((epsilon_nano, "epsilon"), (budget_nano, "epsilon_budget")):
        with pytest.raises(ParameterError) as refused:
            parse(bad)
        assert "\n" not in str(refused.value)
        assert str(refused.value).startswith(f"{name} is ")
        assert "must be" in str(refused.value)
        with pytest.raises(ParameterError, match=r"^most is "):
            parse(bad, "most")


def test_the_least_and_the_largest_amount_are_allowed_and_nothing_beyond_them() -> None:
    for parse in (epsilon_nano, budget_nano):
        assert parse("1e-9") == 1
        assert parse("1e9") == 10**18
        for beyond in ("0.9999999999e-9", "1000000000.0000000001"):
            with pytest.raises(ParameterError, match=r"must be at (least|most)"):
                parse(beyond)
    assert delta_atto("1e-18") == 1
    assert delta_atto("0.9999999999999999999") == 10**18 - 1


def test_a_budget_of_zero_is_allowed_where_it_says_so() -> None:
    assert budget_nano(0, zero=True) == budget_nano("0.0", zero=True) == 0
    assert budget_nano(1, zero=True) == NANO
    assert budget_nano("0.25", zero=True) == NANO // 4
    with pytest.raises(ParameterError):
        budget_nano(False, zero=True)
    with pytest.raises(ParameterError):
        budget_nano(0)


@as_one
@pytest.mark.parametrize("delta", [0, "1", 1.5, 2, "9.9e-19", "nan"])
def test_a_delta_is_below_1_and_no_less_than_is_counted(delta: Any) -> None:
    with pytest.raises(ParameterError):
        delta_atto(delta)


@given(st.decimals(min_value=Decimal("1e-9"), max_value=MAX_EPSILON, allow_nan=False, places=15))
def test_rounding_never_favours_the_asker(written: Decimal) -> None:
    if written < Decimal("1e-9"):
        return
    cost, budget = epsilon_nano(written), budget_nano(written)
    assert Fraction(budget, NANO) <= Fraction(written) <= Fraction(cost, NANO)
    assert cost - budget <= 1


@pytest.mark.parametrize("digits", [3, 28])
def test_no_context_of_decimals_rounds_an_amount_the_other_way(digits: int) -> None:
    below, above = (
        "0.49999999999999999999999999999999999999999",
        "0.10000000000000000000000000000000000000001",
    )
    with localcontext(Context(prec=digits)):
        assert budget_nano(below) == 499_999_999
        assert epsilon_nano(above) == 100_000_001
        assert epsilon_nano("0.1234") == budget_nano("0.1234") == 123_400_000
        assert delta_atto("0.00000099999999999999999999999999999999999") == 10**12 - 1


@given(st.integers(min_value=0, max_value=10**18))
def test_format_is_exact(nano: int) -> None:
    assert Decimal(format_nano(nano)) * NANO == nano
    assert to_fraction(nano) == Fraction(nano, NANO)
