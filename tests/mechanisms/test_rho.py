"""Accounting by bounded range: against its definition, optimal composition and dp-accounting."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from edgedp.exact.audit import Case, log_ratios
from edgedp.release.plan import Kind, Plan, PublicFacts, plan
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import NANO, format_nano
from edgedp.words.amounts.rho import (
    ATTO,
    MAX_COST,
    PICO,
    affordable_epsilon,
    budget,
    cost,
    delta_atto,
    spent_epsilon,
)
from edgedp.words.errors import ParameterError
from looped import as_one

FACTS = PublicFacts(1000)
MILLIONTH = delta_atto("1e-6")


def planned(epsilon: object, k: int = 1, **options: object) -> Plan:
    return plan(
        "priv_top_k", {"metric": "degree", "k": k, "epsilon": epsilon, "mechanism": "em", **options}, FACTS
    )


def canonical_pair(eta: float, shift: float) -> tuple[dict[str, float], dict[str, float]]:
    """The two laws with losses ``shift`` and ``shift - eta``: the extreme ones of bounded range eta."""
    chance = (math.exp(-shift) - math.exp(-eta)) / (1 - math.exp(-eta))
    under_h = {"high": chance, "low": 1 - chance}
    return {"high": chance * math.exp(shift), "low": (1 - chance) * math.exp(shift - eta)}, under_h


def epsilon_of_copies(eta: float, shift: float, copies: int, delta: float) -> float:
    """Smallest epsilon at which `copies` independent canonical pairs are (epsilon, delta)-DP, by summing them all."""
    on_g, _ = canonical_pair(eta, shift)
    highs = np.arange(copies + 1)
    losses = highs * shift + (copies - highs) * (shift - eta)
    weights = stats.binom.pmf(highs, copies, on_g["high"])

    def excess(epsilon: float) -> float:
        return float(weights @ np.maximum(0, -np.expm1(epsilon - losses))) - delta

    return 0.0 if excess(0) <= 0 else float(optimize.brentq(excess, 0, copies * eta))


# -- costs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({}, 8),
        ({"mechanism": "sld"}, 8),
        ({"mechanism": "pf"}, 2),
        ({"mechanism": "ld", "sampler": "permute_and_flip"}, 2),
    ],
)
@given(nano=st.integers(1, 10**18), k=st.integers(1, 1000))
def test_rounds_add_their_costs_rounded_up(
    options: dict[str, object], shares: int, nano: int, k: int
) -> None:
    exact = k * (Fraction(nano, NANO) / k) ** 2 / shares
    assert cost(planned(format_nano(nano), k, **options)) == min(math.ceil(exact * PICO), MAX_COST)


def test_a_round_of_permute_and_flip_costs_that_of_pure_epsilon() -> None:
    assert cost(planned("0.2", 1, mechanism="pf")) == PICO // 50
    assert cost(planned("0.2", 2, mechanism="pf")) == 2 * (PICO // 200)


def test_a_joint_release_costs_that_of_pure_epsilon_for_any_k() -> None:
    for k in (1, 7):
        assert cost(planned("0.2", k, mechanism="joint")) == PICO // 50


@given(left=st.integers(0, 10**18), k=st.integers(1, 100), pf=st.booleans())
def test_what_is_affordable_fits_and_a_nano_more_does_not(left: int, k: int, pf: bool) -> None:
    like = planned(1, k, mechanism="pf" if pf else "em")
    nano = affordable_epsilon(left, like)

    assert nano == 0 or cost(replace(like, cost=nano)) <= left
    assert cost(replace(like, cost=nano + 1)) > left


def test_nothing_overflows_the_databases_integers() -> None:
    assert cost(planned(10**9)) <= MAX_COST < 2**63
    assert budget(10**18, ATTO - 1) < cost(planned(10**9))
    assert budget(10**18, ATTO - 1) + cost(planned(10**9)) < 2**63


# -- what is proved in the module's text -----------------------------------------------------------------


@as_one
@pytest.mark.parametrize(
    "options",
    [
        {"metric": "degree", "mechanism": "em"},
        {"metric": "ebc", "mechanism": "em"},
        {"metric": "ebc", "mechanism": "sld"},
        {"metric": "density", "mechanism": "ld"},
        {"metric": "betweenness2", "mechanism": "sld", "shift": "down"},
    ],
    ids=lambda options: "-".join(options.values()),
)
def test_the_exponential_sampler_is_bounded_range(options: dict[str, str]) -> None:
    """The losses of all answers lie within epsilon: also of the monotone score, which has no factor 2."""
    case = Case("priv_top_k", options)
    assert np.ptp(log_ratios(case.plan(4, 3, 1, 2)), axis=1).max() <= 2 * (1 + 1e-9)
    assert_second_round_within(1, log_ratios(case.plan(4, 3, 2, 2)))


def assert_second_round_within(eta: float, ratios: NDArray[np.float64]) -> None:
    """Given the first pick, which is the same for three answers in a row of four nodes', compare the second."""
    assert np.ptp(ratios.reshape(-1, 4, 3), axis=2).max() <= eta * (1 + 1e-9)


def test_pareto_rounds_are_bounded_range() -> None:
    for mechanism, sensitivity in (("em", "global"), ("sld", "local"), ("ld", "local")):
        options = {"metrics": ("degree", "density"), "mechanism": mechanism, "sensitivity": sensitivity}
        case = Case("motkin", options)
        assert np.ptp(log_ratios(case.plan(4, 3, 1, 2)), axis=1).max() <= 2 * (1 + 1e-9)
        assert_second_round_within(1, log_ratios(case.plan(4, 3, 2, 2)))


def test_permute_and_flip_is_not_and_is_priced_as_pure() -> None:
    pf = Case("priv_top_k", {"metric": "degree", "mechanism": "pf"}).plan(4, 3, 1, 2)
    assert np.ptp(log_ratios(pf), axis=1).max() > 2.05


@given(eta=st.floats(0.01, 6), part=st.floats(0.01, 0.99), order=st.floats(1.001, 300))
def test_bounded_range_costs_an_eighth_of_its_square(eta: float, part: float, order: float) -> None:
    on_g, on_h = canonical_pair(eta, part * eta)
    for p, q in ((on_g, on_h), (on_h, on_g)):
        logs = [order * math.log(p[y]) + (1 - order) * math.log(q[y]) for y in p]
        divergence = float(np.logaddexp.reduce(logs)) / (order - 1)
        assert divergence <= order * eta**2 / 8 + 1e-9


# -- from rho to epsilon and back -----------------------------------------------------------------------


@given(
    epsilon=st.integers(1, 10**14),
    exponent=st.integers(2, 18),
)
@settings(max_examples=100)
def test_a_spent_budget_is_never_shown_above_what_was_declared(epsilon: int, exponent: int) -> None:
    delta = delta_atto(f"1e-{exponent}")
    whole = budget(epsilon, delta)
    assert spent_epsilon(whole, delta) <= epsilon
    if whole > 10**6:
        assert spent_epsilon(whole + whole // 1000, delta) > epsilon, "budgets are not given away"


@given(spent=st.integers(0, 10**17), more=st.integers(0, 10**17), exponent=st.integers(1, 18))
def test_spending_more_never_shows_less(spent: int, more: int, exponent: int) -> None:
    delta = delta_atto(f"1e-{exponent}")
    assert spent_epsilon(spent, delta) <= spent_epsilon(spent + more, delta) + 1
    assert spent_epsilon(0, delta) == 0


def test_what_decimals_may_be_wrong_by_is_on_the_side_of_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """No amount is near enough to an integer to show it, so the margin is made large."""
    delta = delta_atto("1e-6")
    allowed, shown = budget(NANO, delta), spent_epsilon(PICO, delta)
    monkeypatch.setattr("edgedp.words.amounts.rho._MARGIN", Decimal("0.001"))
    assert allowed - budget(NANO, delta) == pytest.approx(PICO / 1000, abs=2)
    assert spent_epsilon(PICO, delta) - shown == pytest.approx(NANO / 1000, abs=1)


@pytest.mark.parametrize("digits", [6, 28])
def test_no_context_of_decimals_changes_a_price(digits: int) -> None:
    delta = delta_atto("1e-6")
    right = [(budget(nano, delta), spent_epsilon(nano, delta)) for nano in (NANO, 7 * NANO + 3)]
    with localcontext(Context(prec=digits)):
        assert [(budget(nano, delta), spent_epsilon(nano, delta)) for nano in (NANO, 7 * NANO + 3)] == right


def test_next_to_nothing_at_a_large_delta_is_said_to_be_nothing() -> None:
    assert spent_epsilon(1, delta_atto("0.5")) == 0


@as_one
@pytest.mark.parametrize("rho", [1e-4, 1e-2, 0.5, 20.0])
@pytest.mark.parametrize("delta", [1e-4, 1e-9])
def test_the_conversion_bounds_gaussian_noise_from_above(rho: float, delta: float) -> None:
    """Gaussian noise of sensitivity 1 is exactly rho-zCDP with rho = 1 / (2 sigma^2), and its delta is known."""
    slope = math.sqrt(2 * rho)

    def excess(epsilon: float) -> float:
        high = stats.norm.cdf(slope / 2 - epsilon / slope)
        low = stats.norm.logcdf(-slope / 2 - epsilon / slope)
        return float(high - math.exp(epsilon + low) - delta)

    exact = optimize.brentq(excess, 0, 1000)
    shown = spent_epsilon(round(rho * PICO), delta_atto(delta)) / NANO
    assert exact <= shown <= 1.25 * exact


@as_one
@pytest.mark.parametrize("rho", [1e-5, 1e-3, 0.1, 3.0])
@pytest.mark.parametrize("delta", [1e-5, 1e-10])
def test_agrees_with_the_accountant_of_dp_accounting(rho: float, delta: float) -> None:
    orders = 1 + np.exp(np.linspace(-4, 12, 4000))
    accountant = dp_accounting.rdp.RdpAccountant(orders)
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    theirs = accountant.get_epsilon(delta)
    ours = spent_epsilon(round(rho * PICO), delta_atto(delta)) / NANO
    assert ours == pytest.approx(theirs, rel=1e-4, abs=2e-9)


# -- against optimal composition ---------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "k", "releases"), [("0.1", 10, 100), ("0.5", 1, 30), ("0.02", 2, 2000)])
def test_bounds_optimal_composition_and_beats_the_sum(epsilon: str, k: int, releases: int) -> None:
    """Dong, Durfee and Rogers: the worst of independent picks is k copies of one canonical pair."""
    one = planned(epsilon, k)
    eta, copies = float(one.epsilon) / k, k * releases
    shown = spent_epsilon(releases * cost(one), MILLIONTH) / NANO
    optimal = max(epsilon_of_copies(eta, part * eta, copies, 1e-6) for part in np.linspace(0.02, 0.98, 49))
    assert optimal <= shown <= 1.2 * optimal
    assert shown < 0.5 * float(one.epsilon) * releases


@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
def test_bounds_what_dp_accounting_finds_for_canonical_pairs(part: float) -> None:
    eta, copies, delta = 0.1, 300, 1e-6
    laws = [{y: math.log(p) for y, p in law.items()} for law in canonical_pair(eta, part * eta)]
    distribution = privacy_loss_distribution.from_two_probability_mass_functions(
        laws[1], laws[0], value_discretization_interval=1e-4, symmetric=False
    )
    pessimistic = distribution.self_compose(copies).get_epsilon_for_delta(delta)
    shown = spent_epsilon(copies * cost(planned("0.1")), MILLIONTH) / NANO
    by_sum = max(epsilon_of_copies(eta, share * eta, copies, delta) for share in (part, 1 - part))
    assert pessimistic == pytest.approx(by_sum, rel=0.02)
    assert pessimistic <= shown


def test_a_thousand_small_releases_fit_where_fifty_did() -> None:
    one = planned("0.02", 10, mechanism="sld")
    assert 1000 < budget(NANO, MILLIONTH) // cost(one) < 10_000
    assert NANO // one.cost == 50


# -- delta ---------------------------------------------------------------------------------------------


def test_delta_is_the_decimal_that_was_written_rounded_down() -> None:
    assert delta_atto("1e-6") == delta_atto(1e-6) == 10**12
    assert delta_atto("1.9e-18") == 1


@as_one
@pytest.mark.parametrize("value", [0, 1, -1e-6, "1e-19", "nan", "inf", "x", True, None, 2])
def test_a_delta_out_of_its_domain_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match=r"^delta is .*, must be .*; "):
        delta_atto(value)


@pytest.mark.parametrize(
    ("kind", "options"),
    [("count", {"of": "edges"}), ("count", {"of": "clustering"}), ("distribution", {}), ("summary", {})],
)
def test_numbers_are_priced_as_any_pure_release(kind: Kind, options: dict[str, Any]) -> None:
    """Their laws are no exponential mechanism of a bounded range."""
    assert cost(plan(kind, options | {"epsilon": "0.1"}, PublicFacts(50))) == 10**12 // 200


@as_one
@pytest.mark.parametrize("spent", [1_000_000, 125_000_000, 12_500_000_000, 10**12, 3 * 10**13])
def test_what_was_spent_is_never_said_to_be_less(spent: int) -> None:
    """The least of ``a rho + offset(a)`` in forty digits, by thirds of an interval that holds it, lies below it."""
    delta = rho.delta_atto("1e-6")
    with localcontext() as exact:
        exact.prec = 40
        share, log = Decimal(spent) / rho.PICO, (Decimal(rho.ATTO) / delta).ln()

        def epsilon(x: Decimal) -> Decimal:
            a = 1 + x.exp()
            return a * share + (1 - 1 / a).ln() + (log - a.ln()) / (a - 1)

        low, high = Decimal(-11), Decimal(24)
        for _ in range(120):
            third = (high - low) / 3
            left, right = low + third, high - third
            low, high = (low, right) if epsilon(left) <= epsilon(right) else (left, high)
        least = epsilon(low) * 10**9
        assert least <= rho.spent_epsilon(spent, delta) < least + 2
