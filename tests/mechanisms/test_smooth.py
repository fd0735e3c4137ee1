"""Smooth noisy max: the counterexample family, what was published, and the correction."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from edgedp.mechanisms.scores import smooth
from edgedp.mechanisms.scores.picks import pick_scores
from edgedp.mechanisms.scores.smooth import smooth_beta, smooth_bound, smooth_noise, smooth_scores
from edgedp.words.errors import EdgeDPError
from looped import as_one

DELTA = 1e-6


def hockey_stick(first: np.ndarray, second: np.ndarray, epsilon: float) -> float:
    """Return the smaller delta for which the pair is (epsilon, delta)-close, both ways."""
    factor = math.exp(epsilon)
    return max(
        float(np.maximum(first - factor * second, 0).sum()),
        float(np.maximum(second - factor * first, 0).sum()),
    )


def snm_law(utilities: np.ndarray, smooth: float, epsilon: float, delta: float = DELTA) -> np.ndarray:
    return pick_scores("snm", utilities, Fraction(str(epsilon)), smooth=smooth, delta=delta).law()


def family_delta(n: int, epsilon: float) -> float:
    """Return the largest actual delta of the family: one leader, n - 1 equals, S falls by exp(beta)."""
    beta = smooth_beta(epsilon, DELTA, n)
    worst = 0.0
    lower = math.exp(-beta)
    unit = 2 / (epsilon / 2)
    for lead in np.linspace(0.2, 2.2, 41) * math.log(n / DELTA):
        here = np.zeros(n)
        here[0] = lead * unit
        there = here.copy()
        there[0] += 2 * lower
        worst = max(worst, hockey_stick(snm_law(here, 1.0, epsilon), snm_law(there, lower, epsilon), epsilon))
    return worst


@pytest.mark.parametrize(("n", "epsilon"), [(2, 1.0), (1000, 1.0), (36_692, 1.0), (36_692, 4.0)])
def test_the_corrected_noise_passes_the_counterexamples(n: int, epsilon: float) -> None:
    assert family_delta(n, epsilon) <= DELTA


# -- as published, by quadrature of the definition -------------------------------------------------------


def laplace_loses(n: int, leads: np.ndarray) -> np.ndarray:
    """Return ``1 - E[F(Z + t)^(n - 1)]`` for Laplace noise."""
    points, weights = np.polynomial.legendre.leggauss(200)
    edges = np.concatenate([np.linspace(-40, 0, 41), np.linspace(0, 60, 61)[1:]])
    z = np.concatenate([(a + b) / 2 + (b - a) / 2 * points for a, b in pairwise(edges)])
    w = np.tile(weights, len(edges) - 1) * np.repeat(np.diff(edges) / 2, len(points))
    density = np.exp(-np.abs(z)) / 2
    shifted = z[None, :] + leads[:, None]
    log_cdf = np.where(shifted >= 0, np.log1p(-np.exp(-np.abs(shifted)) / 2), -np.abs(shifted) - math.log(2))
    return -np.expm1((n - 1) * log_cdf) @ (w * density)


def laplace_delta(n: int, epsilon: float, beta: float) -> float:
    leads = np.linspace(0, 45, 226)
    here, there = laplace_loses(n, leads), laplace_loses(n, leads * math.exp(beta) + epsilon / 2)
    return float(np.maximum(here - math.exp(epsilon) * there, 0).max())


@pytest.mark.parametrize(
    ("n", "delta"), [(2, 7.7e-9), (100, 3.5e-7), (1000, 2.2e-6), (36_692, 3.0e-5), (10**6, 2.3e-4)]
)
def test_the_published_calibration_breaks_its_claim_where_candidates_are_many(n: int, delta: float) -> None:
    published = 1 / (2 * math.log(2 / DELTA))
    assert published == pytest.approx(0.0345, abs=5e-5)
    assert laplace_delta(n, 1.0, published) == pytest.approx(delta, rel=0.05)


@pytest.mark.parametrize(("n", "beta"), [(2, 0.0507), (100, 0.0372), (36_692, 0.0274), (10**6, 0.0239)])
def test_the_largest_safe_beta_of_the_family_falls_with_the_candidates(n: int, beta: float) -> None:
    assert laplace_delta(n, 1.0, beta - 3e-4) <= DELTA < laplace_delta(n, 1.0, beta + 3e-4)


def test_two_laplace_candidates_as_the_paper_has_it() -> None:
    """Golden: two Laplace, lead 3, loses with probability exp(-3) 5/4."""
    assert laplace_loses(2, np.array([3.0]))[0] == pytest.approx(math.exp(-3) * 5 / 4, rel=1e-9)


def student_t_log_cdf(z: np.ndarray) -> np.ndarray:
    """Return ln F of Student's t with three degrees of freedom; far to the left by its leading term."""
    x = z / math.sqrt(3)
    usual = 0.5 + (np.arctan(x) + x / (1 + x * x)) / math.pi
    left = 2 / (3 * math.pi * np.maximum(np.abs(x), 1) ** 3)
    return np.log(np.where(x < -300, left, np.maximum(usual, 1e-9)))


@pytest.mark.parametrize(("n", "ratio"), [(1000, 0.97), (4096, 1.23), (36_692, 1.75), (10**6, 2.78)])
def test_student_t_claimed_pure_loses_more_than_epsilon(n: int, ratio: float) -> None:
    """nu = 3, the noise of the published code, whose claim is a loss of epsilon without any delta."""
    epsilon, nu = 1.0, 3
    beta, alpha = epsilon / (2 * (nu + 1)), epsilon * math.sqrt(nu) / (nu + 1)
    s = np.linspace(-14, 14, 6001)  # z = sinh(s): heavy tails become short
    z = np.sinh(s)
    density = 2 / (math.pi * math.sqrt(3) * (1 + z * z / 3) ** 2) * np.cosh(s) * (s[1] - s[0])

    def wins(leads: np.ndarray) -> np.ndarray:
        return np.asarray([np.exp((n - 1) * student_t_log_cdf(z + t)) @ density for t in leads])

    leads = np.linspace(0, 2 * n ** (1 / 3), 60)
    found = np.abs(np.log(wins(leads) / wins(leads * math.exp(beta) + alpha))).max() / epsilon
    assert found == pytest.approx(ratio, rel=0.03)


# -- the correction --------------------------------------------------------------------------------------


def test_the_calibration_is_that_of_the_theorem() -> None:
    assert smooth_beta(1, DELTA, 36_692) == pytest.approx(0.0201, abs=5e-5)
    for epsilon, delta, n in [
        (0.1, 1e-6, 10), (1.0, 1e-6, 36_692), (10.0, 0.01, 2), (200.0, 1e-9, 10**6), (0.001, 0.9999, 2),
    ]:  # fmt: skip
        noise = smooth_noise(Fraction(epsilon), Fraction(delta), n)
        assert noise.slide + noise.dilate == Fraction(epsilon)
        e2 = float(noise.dilate)
        far = math.log1p(math.exp(-e2)) + e2 + math.log((n - 1) / 2) - noise.reach
        assert math.log(delta) - 1e-3 < far < math.log(delta)
        assert 0 < math.log1p(e2 / noise.reach) - noise.beta < 1e-9
    assert smooth_beta(4, 4e-6, 50, k=4) == smooth_beta(1, DELTA, 50)
    assert smooth_beta(1, DELTA, 1) > smooth_beta(1, DELTA, 50)
    assert smooth_beta(2, DELTA, 2, k=2) == smooth_beta(1, DELTA / 2, 2)


@as_one
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(
    ("epsilon", "delta", "n", "k"),
    [
        (Fraction(1), "1e-6", 4, 1),
        (Fraction(1, 4), "0.3", 7, 3),
        (Fraction(400), "0.9", 2, 2),
        (Fraction(1, 10**10), "1e-6", 4, 2),
        (Fraction(3, 10**11), "0.1", 3, 1),
        (Fraction(8, 10**14), "0.99", 2, 1),
    ],
)
def test_the_noise_is_what_its_proof_asks_for(
    epsilon: Fraction, delta: str, n: int, k: int, monotone: bool
) -> None:
    """Delta is shared by the picks, rounding to a step is paid for, and who is cut off is as far as is promised."""
    asked: list[float] = []

    def bound(beta: float) -> float:
        asked.append(beta)
        return 1.0

    found = smooth_scores(np.arange(n, dtype=np.float64), None, bound, epsilon, delta, k, monotone=monotone)
    noise = smooth_noise(epsilon, Fraction(delta) / k, n)
    assert asked == [noise.beta]
    step = -int(found.upper[-2])  # what one bound is, in steps
    bits = step.bit_length() - 1
    assert step == 2**bits
    moved = 2**bits + 2 + math.ceil(float(noise.dilate) / noise.reach)
    assert found.unit == noise.slide / ((1 if monotone else 2) * moved)
    needed = noise.reach + 2 * float(epsilon) + 64 + math.log(n)
    worth = float(noise.slide) * 2.0**61 / 2 ** (bits + 1) / needed
    assert worth >= 2
    assert worth < 4 or bits == 20


def test_a_gap_that_cannot_be_cut_so_far_is_refused() -> None:
    with pytest.raises(EdgeDPError, match="epsilon is too small for snm; ask for a larger one"):
        smooth_scores(np.zeros(2), None, 1.0, Fraction(3, 10**14), "0.99", 1, monotone=False)


def test_a_bound_is_raised_by_what_its_rounding_may_take() -> None:
    raised = 1 + 2.0**-42
    assert smooth_bound(np.array([1.0, 1.0]), 0.1) == smooth._promised(1.0, 0.1) == raised
    assert smooth_bound(np.array([0.0]), 0.1) == smooth._promised(0, 0.1) == 2.0**-900


@as_one
@pytest.mark.parametrize(
    ("candidates", "k", "says"),
    [
        (9, 0, "k is 0, must be from 1 to 9"),
        (9, 10, "k is 10, must be from 1 to 9"),
        (9, "2", "k is '2', must be a whole number"),
        (0, 1, "candidates is 0, must be 1 or more"),
        (2.5, 1, "candidates is 2.5, must be a whole number"),
    ],
)
def test_a_beta_of_what_cannot_be_asked_is_refused(candidates: Any, k: Any, says: str) -> None:
    with pytest.raises(EdgeDPError, match=says):
        smooth_beta(1, DELTA, candidates, k=k)


def test_an_epsilon_whose_beta_the_floats_cannot_tell_from_0_is_refused() -> None:
    with pytest.raises(EdgeDPError, match="too small for snm"):
        smooth_noise(Fraction(1, 10**11), Fraction(1, 10**6), 100)


def test_random_neighbours_keep_the_promise() -> None:
    """Any utilities, any pair of smooth bounds the theorem allows: the actual delta is a share of the promise."""
    rng = np.random.default_rng(11)
    worst = 0.0
    for _ in range(400):
        n, epsilon, delta = (
            int(rng.integers(2, 7)),
            float(rng.choice([0.3, 1, 3, 8])),
            float(10.0 ** -rng.integers(1, 7)),
        )
        beta = smooth_beta(epsilon, delta, n)
        other = math.exp(-beta * rng.choice([1, 1, rng.random()]))
        spread = 4 / epsilon * math.log(n / delta) * rng.choice([0.3, 1, 1.5])
        here = -rng.random(n) * spread
        here[rng.integers(n)] = 0
        moves = rng.choice([-1, 1, 1, 0], n) * other
        there = here + moves
        laws = snm_law(here, 1.0, epsilon, delta), snm_law(there, other, epsilon, delta)
        worst = max(worst, hockey_stick(*laws, epsilon) / delta)
    assert 0 < worst <= 1


def test_a_smooth_bound_is_above_the_table_and_falls_no_faster_than_beta() -> None:
    rng = np.random.default_rng(3)
    for beta in (1e-4, 0.02, 0.7, 9.0):
        table = np.maximum.accumulate(rng.exponential(size=40)) * (np.arange(40) > 7)
        later = table[1:]
        assert smooth_bound(table, beta) >= table[0]
        assert smooth_bound(later, beta) <= math.exp(beta) * smooth_bound(table, beta) * (1 + 1e-12)
        assert smooth_bound(table, beta) == pytest.approx(
            (np.exp(-beta * np.arange(40)) * table).max(), rel=1e-9
        )
    far = np.zeros(10**5)
    far[-1] = 1.0
    assert smooth_bound(far, 0.5) > 0  # beyond the floats, but not 0


def test_a_sensitivity_table_and_its_smooth_bound_are_the_same_pick() -> None:
    table = np.array([[0.0, 1, 2], [0, 0, 2]])
    options = {"delta": 1e-3}
    by_table = pick_scores("snm", [4, 1], Fraction(2), sensitivity=table, **options)
    by_bound = pick_scores(
        "snm", [4, 1], Fraction(2), smooth=lambda beta: smooth_bound(table.max(0), beta), **options
    )
    assert np.allclose(by_table.upper, by_bound.upper, rtol=1e-9)
    assert by_table.unit == by_bound.unit


def test_a_monotone_utility_needs_half_of_the_noise() -> None:
    whole, half = (
        pick_scores("snm", [4, 1], Fraction(1), smooth=1, delta=0.1, monotone=m) for m in (False, True)
    )
    assert half.unit == 2 * whole.unit


def test_one_candidate_is_sure_and_far_ones_do_not_overflow() -> None:
    assert snm_law(np.array([3.0]), 1.0, 1.0).tolist() == [1.0]
    assert snm_law(np.array([1e200, 0.0]), 1e-200, 1.0).tolist() == [1.0, 0.0]
    assert snm_law(np.array([1.0, 0.0]), 0.0, 1.0).tolist() == [1.0, 0.0]


def test_the_unit_of_snm_pays_for_the_slide_of_a_score_and_what_its_grid_adds() -> None:
    """``e1 / (2 moved)``: a unit of the grid, two roundings, and ``e2 / T`` of the farthest, rounded up."""
    for epsilon, delta, k in ((1, "1e-6", 1), (4, "0.01", 3), (Fraction(1, 10), "1e-9", 2)):
        noise = smooth_noise(Fraction(epsilon), Fraction(delta) / k, 2)
        scores = pick_scores("snm", [1.0, 0.0], Fraction(epsilon) * k, smooth=1.0, delta=delta, k=k)
        steps = int(scores.exact()[0] - scores.exact()[1])
        bits = round(math.log2(steps))
        moved = 2**bits + 2 + math.ceil(float(noise.dilate) / noise.reach)
        assert scores.unit == noise.slide / (2 * moved)
