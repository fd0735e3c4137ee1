"""What each step of a release pays and misses, as formulas: coverage and chi-squares are too loose to tell."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, exp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import edgedp
from edgedp import Graph
from edgedp.mechanisms.counts.base import Profile
from edgedp.mechanisms.numbers import MECHANISMS, Amounts, heights, nls, number_mechanism
from edgedp.mechanisms.numbers.laplace import RoundedLaplace, log_above
from edgedp.mechanisms.numbers.nls import NoisyBound, NoisyLocalSensitivityLaw, shift_for
from edgedp.mechanisms.numbers.rungs import Pace, first_rung, pace, pace_on
from edgedp.mechanisms.numbers.smooth import MECHANISM as SMOOTH
from edgedp.mechanisms.numbers.smooth import laplace_pace, smooth_bound, student_shrink
from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.mechanisms.selection import picking
from edgedp.release.numbers import counting, distributing, error_bars
from edgedp.release.options import CountOptions
from edgedp.release.plan import CountPlan, PublicFacts
from edgedp.release.plan.numbers import plan_count
from looped import as_one
from sampling_doubles import ScriptedWords

KITE = Graph.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)])
PROFILE = Profile(9, (3, 4, 4, 7), 12, 60)


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
    assert law._first.most == (12 if bought == 1 else 60)
    assert law._rest == 2 - bought * each
    assert NoisyBound(2, Fraction(1), Fraction(1, 10), 3).shift == shift_for(Fraction(1), Fraction(1, 10))


def test_a_bound_of_what_is_at_most_one_is_one() -> None:
    law = NoisyLocalSensitivityLaw(
        Profile(0, (1,), 1, 1, leading=0, bounds_to_buy=2), Amounts(Fraction(1), Fraction(1, 10))
    )
    assert (law._first.most, law._second(1).most) == (1, 1)


@as_one
@pytest.mark.parametrize("most", [1, 2, 9, 10**9])
def test_a_noisy_bound_is_its_figure_and_noise_and_shift_between_one_and_the_most(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn and as a law, which leaves out noise of more than 45 times its scale."""
    scale, delta = Fraction(3, 2), Fraction(1, 10)
    shift, reach = shift_for(scale, delta), 68
    noise = np.arange(-reach, reach + 1)
    r = exp(-1 / float(scale))
    for figure in (0, 2, 300):
        bound = NoisyBound(figure, scale, delta, most)
        expected: dict[int, float] = {}
        for z in noise.tolist():
            made = min(max(1, figure + z + shift), most)
            expected[made] = expected.get(made, 0) + (1 - r) / (1 + r) * r ** abs(z)
            monkeypatch.setattr(nls, "two_sided_geometric", lambda *_, z=z: np.array([z]))
            assert bound.draw(ScriptedWords()) == made
        values, masses = bound.law()
        assert values.dtype == np.int64
        assert values.tolist() == sorted(expected)
        assert masses.tolist() == pytest.approx([expected[value] for value in values.tolist()], rel=1e-9)


@pytest.mark.parametrize("bought", [1, 2])
def test_the_law_of_nls_is_the_mixture_over_its_last_bound(bought: int) -> None:
    profile = Profile(900, (3, 4), 7, 30, leading=2, bounds_to_buy=bought)
    law = NoisyLocalSensitivityLaw(profile, Amounts(Fraction(20), Fraction(1, 100)))
    last: dict[int, float] = {}
    for a, mass in zip(*law._first.law(), strict=True):
        after = zip(*law._second(int(a)).law(), strict=True) if bought == 2 else [(a, 1.0)]
        for bound, share in after:
            last[int(bound)] = last.get(int(bound), 0.0) + float(mass * share)
    assert sum(last.values()) == pytest.approx(1)
    d = np.arange(400)
    masses, tail = np.zeros(len(d)), 0.0
    for bound, share in last.items():
        r = exp(-(20 - bought * 3) / bound)
        masses += share * (1 - r) / (1 + r) * r**d
        tail += share * r**5 / (1 + r)
    assert law.noise_mass(d) == pytest.approx(masses, rel=1e-9)
    assert law.noise_tail(5) == pytest.approx(tail, rel=1e-9)
    assert law.mean_distance() == pytest.approx(2 * float((d * masses).sum()), rel=1e-9)


def test_a_shift_is_the_least_to_forty_digits() -> None:
    """Next to where it changes: a delta a little above ``r**(s + 1) / (1 + r)``, and a little below."""
    with localcontext() as context:
        context.prec = 90
        for scale, s in ((7, 20), (3, 5), (11, 40), (Fraction(1, 3), 2)):
            r = (-1 / (Decimal(Fraction(scale).numerator) / Fraction(scale).denominator)).exp()
            fails = Fraction(r ** (s + 1) / (1 + r))
            assert shift_for(Fraction(scale), fails * (1 + Fraction(1, 10**40))) == s
            assert shift_for(Fraction(scale), fails * (1 - Fraction(1, 10**40))) == s + 1


@pytest.mark.parametrize("bought", [1, 2])
def test_noisy_bounds_are_drawn_one_after_the_other_and_the_number_by_the_last(bought: int) -> None:
    """Each with words of its own: the first is of the leading figure, the second of the sensitivity."""
    profile = Profile(900, (30, 40), 12_000, 60_000, leading=2, bounds_to_buy=bought)
    law = NoisyLocalSensitivityLaw(profile, Amounts(Fraction(2), Fraction(1, 1000)))
    each, rest = Fraction(3, 10), 2 - bought * Fraction(3, 10)
    for seed in range(40):
        words, again = ScriptedWords(seed=seed), ScriptedWords(seed=seed)
        most = 12_000 if bought == 1 else 60_000
        shift = shift_for(1 / each, Fraction(1, 1000 * bought))
        bound = min(max(1, 2 + int(two_sided_geometric(1, 1 / each, again)[0]) + shift), most)
        if bought == 2:
            scale = Fraction(4 * bound) / each
            noise = int(two_sided_geometric(1, scale, again)[0])
            bound = min(max(1, 30 + noise + shift_for(scale, Fraction(1, 2000))), 12_000)
        expected = 900 + int(two_sided_geometric(1, bound / rest, again)[0])
        assert law.draw(words) == expected
        assert words.taken == again.taken


def logarithm(x: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 90
        return (Decimal(x.numerator) / Decimal(x.denominator)).ln()


GRID = [
    (Fraction(e), Fraction(d)) for e in ("0.01", "0.3", "1", "7") for d in ("1e-12", "1e-6", "0.1", "0.9")
]


@as_one
@pytest.mark.parametrize("x", [Fraction(1001, 1000), Fraction(2), Fraction(10, 3), Fraction(10**40, 7)])
def test_a_logarithm_that_noise_is_scaled_to_is_above_and_next_to_it(x: Fraction) -> None:
    found = log_above(x)
    with localcontext() as context:
        context.prec = 90
        above = Decimal(found.numerator) / Decimal(found.denominator) - logarithm(x)
    assert 0 < above < Decimal("1.1e-45")


@as_one
@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_smooth_laplace_noise_is_scaled_by_its_theorem(epsilon: Fraction, delta: Fraction) -> None:
    """``beta = ln(1 + 1/B)`` is at most ``epsilon / (2 ln(2 / delta))``, and a scale of ``2 J_0 / epsilon``."""
    amounts = Amounts(epsilon, delta)
    steady = laplace_pace(amounts)
    beta = logarithm(1 + 1 / Fraction(steady.growth))
    allowed = Decimal(epsilon.numerator) / epsilon.denominator / (2 * logarithm(2 / delta))
    assert allowed * Decimal("0.999") < beta <= allowed
    assert Fraction(steady.growth).denominator <= 2**20
    law = number_mechanism("smooth").law(PROFILE, amounts)
    assert isinstance(law, RoundedLaplace)
    assert law.scale == 2 * smooth_bound(PROFILE, steady) / epsilon


@as_one
@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_levels_are_scaled_by_their_theorem(epsilon: Fraction, delta: Fraction) -> None:
    """Half of epsilon is for the number; the scale falls by ``1 + (epsilon / 2) / ln(1 / delta)`` a level at most."""
    law = number_mechanism("lls").law(PROFILE, Amounts(epsilon, delta))
    assert isinstance(law, RoundedLaplace)
    needed = logarithm(1 / delta) / (Decimal(epsilon.numerator) / epsilon.denominator / 2)
    growth = Fraction(int(needed * 2**20) + 1, 2**20)  # rounded up to what is kept of it
    assert law.scale == smooth_bound(PROFILE, Pace(growth)) / (epsilon / 2)


@as_one
@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "8"])
def test_student_noise_is_shrunk_by_its_theorem_and_no_further(epsilon: str) -> None:
    """``s = 2 sqrt((2 (epsilon - 1.5 beta) / 5)**2 - beta**2)``, rounded down by less than 2**-60 of it."""
    e = Fraction(epsilon)
    for steady in (pace(e), Pace(ceil(5 / e)), Pace(10**6)):
        beta = 1 / Fraction(steady.growth)
        square = 4 * ((2 * (e - 3 * beta / 2) / 5) ** 2 - beta**2)
        shrink = student_shrink(e, steady)
        assert shrink**2 <= square < (shrink * (1 + Fraction(1, 2**60))) ** 2
        law = SMOOTH.law_at(PROFILE, e, steady)
        assert law.scale == smooth_bound(PROFILE, steady) / shrink


def test_what_a_mechanism_says_of_delta_is_what_is_proved_of_it() -> None:
    """With delta smooth noise and levels are proved up to epsilon 8 (docs/privacy-numbers.md)."""
    said = {
        name: (each.needs_delta, each.takes_delta, each.most_epsilon, each.public_scale)
        for name, each in ((name, number_mechanism(name)) for name in MECHANISMS)
    }
    assert said == {
        "calibrated": (False, False, None, False),
        "geometric": (False, False, None, True),
        "ladder": (False, False, None, False),
        "lls": (True, True, 8, False),
        "nls": (True, True, None, False),
        "smooth": (False, True, 8, False),
        "staircase": (False, False, None, True),
    }


def test_the_pace_of_smooth_is_what_its_page_says() -> None:
    """20 over epsilon, below 0.1 half of it, rounded up."""
    epsilons = ("0.01", "0.0999", "0.1", "0.3", "1", "7", "30")
    assert [pace(Fraction(epsilon)).growth for epsilon in epsilons] == [1000, 101, 200, 67, 20, 3, 1]


def test_the_first_rung_is_next_to_its_share_and_its_bits_follow_from_epsilon() -> None:
    for rate in ("1e-9", "0.1", "1", "8", "20", "100", "999", "1000", "2000"):
        a, bits = first_rung(Fraction(rate))
        with localcontext() as context:
            context.prec = 500
            g = 1 / (1 + (Decimal(min(float(rate), 1000.0)) / 2).exp())
            assert abs(a - g * 2**bits) <= Decimal("0.5000001")
        assert bits == max(16, int(1 / g).bit_length() + 8)


def test_the_units_of_an_envelope_are_fine_enough_for_how_slowly_it_grows() -> None:
    for growth in (1, Fraction(17, 16), 2, 3, 7, 15, Fraction(31, 2), 63, 1000, 10**6):
        assert Pace(growth).unit_bits == min(s for s in range(64) if 2**s >= 16 * (growth + 1))
    curve = ((Fraction(1, 10), 10), (Fraction(1), 20), (Fraction(2), 40))
    for epsilon, paid in (
        ("1e-3", "1e-4"), ("0.1", "0.01"), ("0.55", "0.03"), ("1", "0.05"), ("1.5", "0.05"), ("9", "0.05"),
    ):  # fmt: skip
        steady = pace_on(curve, Fraction(epsilon))
        assert 0 <= steady.growth - 1 / Fraction(paid) < Fraction(1, 2**20)
        assert steady.unit_bits == (24 if steady.growth < 1024 else 48)
    for power, bits in ((9, 24), (10, 48), (33, 48), (34, 80)):
        assert pace_on(((Fraction(1), 1),), Fraction(1, 2**power)).unit_bits == bits


@as_one
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


def test_a_bar_reaches_as_far_as_rungs_of_its_height_and_rounds_to_the_nearest() -> None:
    """Also beyond the steps of the bound, where all rungs are as wide as the global sensitivity."""
    from edgedp.mechanisms.counts import Bounds, count_class
    from edgedp.mechanisms.counts.base import below
    from edgedp.mechanisms.numbers.rungs import envelope

    bounds = Bounds(60, 20)
    for of in ("triangles", "two_triangles", "wedges"):
        count = count_class(of)()
        ceiling = count.global_sensitivity(bounds)
        for bound, rest in itertools.product((1, 4, 9), (Fraction(1, 5), Fraction(9, 10), Fraction(3))):
            steady = pace_on(count.curve(bounds), rest)
            rungs = envelope(below(ceiling, count.bar_steps(bound, bounds)), ceiling, steady)
            widths = [*rungs, *[ceiling << steady.unit_bits] * 400]
            reach = np.interp(
                heights.height_quantile(rest, steady, 0.04), np.arange(401), np.cumsum([0, *widths[:400]])
            )
            expected = reach / 2**steady.unit_bits
            assert abs(heights.radius_of(count, bounds, bound, rest) - expected) <= 0.500001
        for epsilon in (Fraction(1, 2), Fraction(2)):
            least = heights.least_radius(count, bounds, epsilon)
            bound = shift_for(10 / epsilon, Fraction(1, 100))
            assert least == heights.radius_of(count, bounds, bound, epsilon * Fraction(9, 10))
    assert Fraction(5, 100) == heights.BOUND_FAILS + heights.NOISE_EXCEEDS


def test_a_bar_says_nothing_where_it_reaches_over_half_of_what_is_possible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = {(5, 10): True, (5, 11): False, (4, 10): False, (1, 1): True, (0, 1): False, (0, 0): False}
    for (radius, most), says in table.items():
        monkeypatch.setattr(heights, "least_radius", lambda *_, radius=radius: radius)
        count: Any = SimpleNamespace(maximum=lambda bounds, most=most: most)
        bounds: Any = None
        assert heights.says_nothing(count, bounds, Fraction(1)) is says


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
