"""`edgedp.select`: the law is that of `probabilities`, the promise holds for any size of utilities."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgedp
from edgedp.mechanisms import probabilities
from edgedp.mechanisms.scores.dampening import locally_dampened
from edgedp.mechanisms.scores.picks import _global, pick_scores
from edgedp.mechanisms.selection.picking import Selection
from edgedp.words.errors import EdgeDPError

UTILITIES = [3.0, 2.5, 0.0, -1.0]
TABLE = [[1.0, 2.0], [0.0, 2.0], [0.5, 2.0], [1.0, 2.0]]
CASES: dict[str, dict[str, Any]] = {
    "pf": {"global_sensitivity": 2},
    "em": {"global_sensitivity": Fraction(5, 3)},
    "em by pf": {"mechanism": "em", "sampler": "permute_and_flip", "global_sensitivity": 2},
    "pf monotone": {"mechanism": "pf", "global_sensitivity": 2, "monotone": True},
    "ld": {"sensitivity": TABLE},
    "ld shared": {"mechanism": "ld", "sensitivity": [1.0, 2.0]},
    "sld": {"sensitivity": TABLE, "global_sensitivity": 2},
    "sld down": {"mechanism": "sld", "sensitivity": TABLE, "global_sensitivity": 2, "shift": "down"},
    "snm": {"sensitivity": TABLE, "delta": 0.01},
    "snm smooth": {"mechanism": "snm", "smooth": 0.25, "delta": "1e-3", "monotone": True},
}


def loss(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(np.log(first) - np.log(second)).max())


@pytest.mark.parametrize("case", CASES)
def test_the_draw_has_the_law_that_is_computed(case: str) -> None:
    """Chi-square of 4,000 draws over four candidates: above 30 with probability 1.4e-6."""
    options = {"mechanism": case, **CASES[case]}
    law = probabilities(
        options["mechanism"], UTILITIES, 2, **{k: v for k, v in options.items() if k != "mechanism"}
    )
    rng, runs = np.random.default_rng(5), 4000
    drawn = [edgedp.select(UTILITIES, epsilon=2, rng=rng, **options).value for _ in range(runs)]
    expected = law * runs
    counted = np.bincount(drawn, minlength=4)
    assert ((counted - expected) ** 2 / np.maximum(expected, 1)).sum() < 30
    scores = pick_scores(options.pop("mechanism"), UTILITIES, Fraction(2), **options)
    assert np.array_equal(scores.law(), law)


SIZES = st.sampled_from([1e-6, 1.0, 1e3, 1e9, 1e15])
MOVES = st.lists(st.floats(-1, 1), min_size=5, max_size=5)


@settings(max_examples=80)
@given(st.lists(st.floats(-1, 1), min_size=5, max_size=5), SIZES, MOVES, st.floats(0.001, 8), st.booleans())
def test_utilities_of_any_size_keep_the_claim(
    base: list[float], size: float, moves: list[float], epsilon: float, monotone: bool
) -> None:
    """Rounding, the gap to the best and the cut included."""
    first = np.asarray(base) * size
    ceiling = 0.7
    second = first + (np.abs(moves) if monotone else np.asarray(moves)) * ceiling
    ceiling = max(ceiling, float(np.abs(second - first).max()))  # what the addition really moved
    for mechanism in ("em", "pf"):
        laws = [
            probabilities(mechanism, u, epsilon, global_sensitivity=ceiling, monotone=monotone)
            for u in (first, second)
        ]
        near = (laws[0] > 1e-200) & (laws[1] > 1e-200)
        assert loss(laws[0][near], laws[1][near]) <= float(f"{epsilon}") * (1 + 1e-9) + 1e-8


def test_a_gap_beyond_the_grid_is_still_a_gap() -> None:
    assert probabilities("em", [1e300, -1e300, 0], 1, global_sensitivity=1).tolist() == [1, 0, 0]
    assert probabilities("pf", [1e17, 1e17 + 16], 1, global_sensitivity=1)[1] > 0.99


def test_integers_lose_nothing_to_the_grid() -> None:
    scores = pick_scores("em", [7, 3, 10**12], Fraction(1), global_sensitivity=1)
    assert scores.upper.tolist()[1] - scores.upper.tolist()[0] == -4 * 2**35 or scores.upper[0] == -(2**61)
    small = pick_scores("pf", [7, 3], Fraction(1), global_sensitivity=1)
    assert small.upper.tolist() == [0, -4 << 35]


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=5),
    st.lists(st.floats(0.001, 5), min_size=1, max_size=4),
)
def test_dampening_beyond_the_floats_is_exact(utilities: list[float], widths: list[float]) -> None:
    """The same scores, whether floats suffice or rationals are needed for a far candidate."""
    row = np.maximum.accumulate(widths)
    scores = pick_scores("ld", utilities, Fraction(1), sensitivity=row).upper
    last = len(row) - 1
    real = locally_dampened(
        np.asarray(utilities), lambda t, rows: np.full(len(rows), row[min(t, last)]), last
    )
    expected = (real - real.max()) * 2.0**28
    near = expected > -(2.0**59)
    assert np.allclose(scores[near], expected[near], rtol=1e-12, atol=2 + np.abs(real).max() * 2.0**-20)


def test_delta_may_be_a_fraction_in_words() -> None:
    found = edgedp.select(UTILITIES, epsilon=1, mechanism="snm", smooth=1, delta="1/1000")
    assert found.parameters["delta"] == 0.001


def test_a_zero_sensitivity_names_the_best_and_draws_among_equal_ones() -> None:
    for options in (
        {"mechanism": "em"},
        {"mechanism": "pf"},
        {"mechanism": "sld", "sensitivity": [[0.0]] * 3},
    ):
        asked: dict[str, Any] = {"epsilon": 1e-6, "global_sensitivity": 0, **options}
        assert probabilities(utilities=[3, 1, 3], **asked).tolist() == [0.5, 0, 0.5]
        rng = np.random.default_rng(1)
        drawn = {edgedp.select([3, 1, 3], rng=rng, **asked).value for _ in range(40)}
        assert drawn == {0, 2}
        ordered = {tuple(edgedp.select_top_k([3, 1, 3], k=3, rng=rng, **asked).values) for _ in range(40)}
        assert ordered == {(0, 2, 1), (2, 0, 1)}
    with pytest.raises(EdgeDPError):
        edgedp.select([3, 1], epsilon=1, global_sensitivity=-1)


def test_a_percentile_is_its_copy() -> None:
    one = edgedp.percentile([1, 2, 3], q=0.5, grid=[1, 2, 3], epsilon=1)
    assert one == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))  # noqa: S301
    assert hash(one.question.domain) == hash(copy.deepcopy(one.question.domain))
    other = edgedp.percentile([1, 2, 3], q=0.5, grid=[1, 2, 3.5], epsilon=1)
    assert one.question != other.question


@given(numerator=st.integers(1, 10**30), denominator=st.integers(1, 10**30))
def test_a_global_sensitivity_that_is_no_float_is_never_rounded_down(
    numerator: int, denominator: int
) -> None:
    assert Fraction(_global(Fraction(numerator, denominator), "pf")) >= Fraction(numerator, denominator)


def test_sld_wants_the_whole_way_to_the_global_sensitivity_of_every_candidate() -> None:
    """One row that arrives is not enough: the sums of the others would be cut short."""
    table = [[1.0, 2.0], [0.5, 1.5], [1.0, 2.0], [1.0, 2.0]]
    with pytest.raises(EdgeDPError, match="last column of sensitivity is below global_sensitivity"):
        edgedp.select(UTILITIES, epsilon=1, mechanism="sld", sensitivity=table, global_sensitivity=2)


def test_candidates_are_of_any_type_and_what_is_shown_is_what_was_asked() -> None:
    candidates = [("a", 1), None, {"label": 3}]
    found = edgedp.select([0, 900, 0], epsilon="0.5", global_sensitivity=1, candidates=candidates)
    assert isinstance(found, Selection)
    assert found.value is None
    assert found.private
    assert found.to_dict() == {
        "selector": "select",
        "parameters": {
            "mechanism": "pf",
            "epsilon": 0.5,
            "sampler": "permute_and_flip",
            "global_sensitivity": 1.0,
        },
        "value": None,
        "private": True,
    }
    simulated = edgedp.select([0, 900], epsilon=1, global_sensitivity=1, rng=np.random.default_rng(1))
    assert json.loads(json.dumps(simulated.to_dict()))["private"] is False


def test_top_k_are_different_in_the_order_picked() -> None:
    found = edgedp.select_top_k([5, 1, 9, 7], k=4, epsilon=4000, global_sensitivity=1)
    assert found.values == list(found) == [2, 3, 0, 1]
    assert len(found) == 4
    assert found.to_dict()["parameters"]["k"] == 4


@pytest.mark.parametrize("mechanism", ["pf", "em", "ld", "sld", "snm"])
def test_who_is_far_below_the_best_is_still_ranked_once_it_is_gone(mechanism: str) -> None:
    options: dict[str, Any] = {"delta": 0.1} if mechanism == "snm" else {"global_sensitivity": 1}
    if mechanism not in ("pf", "em"):
        options["sensitivity"] = np.ones((5, 2)) if mechanism == "sld" else [1.0, 1.0]
    utilities = [3000.0, 1e17, 0.0, 2e15, 6000.0]
    found = edgedp.select_top_k(utilities, k=4, epsilon=4, mechanism=mechanism, **options)
    assert found.values == [1, 3, 4, 0]


def test_candidates_may_be_any_iterable() -> None:
    votes = {"a": 1, "b": 900}
    for candidates in (votes, votes.keys(), iter(votes), np.array(["a", "b"])):
        assert edgedp.select([1, 900], epsilon=9, global_sensitivity=1, candidates=candidates).value == "b"


@pytest.mark.parametrize("mechanism", ["pf", "em", "ld", "sld", "snm"])
def test_a_round_of_k_runs_at_a_kth(mechanism: str) -> None:
    options: dict[str, Any] = {"global_sensitivity": 2} if mechanism != "snm" else {"delta": 0.02}
    if mechanism not in ("pf", "em"):
        options["sensitivity"] = TABLE
    twice = pick_scores(mechanism, UTILITIES, Fraction(2), k=2, **options)
    if mechanism == "snm":
        options["delta"] = 0.01
    once = pick_scores(mechanism, UTILITIES, Fraction(1), **options)
    assert twice.unit == once.unit
    assert np.array_equal(twice.upper, once.upper)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "global_sensitivity is missing, which pf needs"),
        ({"mechanism": "em"}, "global_sensitivity is missing"),
        ({"mechanism": "lsd"}, "did you mean"),
        ({"mechanism": "ld", "sensitivity": TABLE, "monotone": True}, "monotone is True"),
        ({"mechanism": "sld", "sensitivity": TABLE}, "global_sensitivity is missing, which sld needs"),
        ({"mechanism": "ld"}, "sensitivity is not of shape"),
        ({"mechanism": "ld", "sensitivity": TABLE[:2]}, "sensitivity is not of shape"),
        ({"global_sensitivity": float("nan")}, "finite"),
        ({"global_sensitivity": "two"}, "finite"),
        ({"global_sensitivity": "2"}, "finite"),
        ({"mechanism": "ld", "sensitivity": [[1, 2], [1], [1], [1]]}, "sensitivity is not an array"),
        ({"mechanism": "ld", "sensitivity": [[]] * 4}, "sensitivity is not of shape"),
        ({"global_sensitivity": 1, "delta": 0.1}, "delta is not an option of mechanism 'pf'"),
        ({"global_sensitivity": 1, "smooth": 1}, "smooth is not an option of mechanism 'pf'"),
        ({"global_sensitivity": 1, "noise": "gumbel"}, "noise is not an option of pf"),
        ({"global_sensitivity": 1, "sampler": "exponential"}, "use mechanism 'em'"),
        ({"global_sensitivity": 1, "candidates": "ab"}, "candidates has length 2, must be 4"),
        ({"global_sensitivity": 1, "epsilon": 0}, "epsilon is 0"),
        ({"global_sensitivity": 1, "rng": 7}, "rng is 7"),
        ({"mechanism": "snm", "sensitivity": TABLE}, "delta is None, must be above 0 and below 1"),
        ({"mechanism": "snm", "sensitivity": TABLE, "delta": 1}, "delta is 1"),
        ({"mechanism": "snm", "delta": 0.1}, "give one of them"),
        ({"mechanism": "snm", "delta": 0.1, "smooth": 1, "sensitivity": TABLE}, "give one of them"),
        ({"mechanism": "snm", "delta": 0.1, "smooth": "large"}, "smooth is not a finite number"),
        ({"mechanism": "snm", "delta": 0.1, "smooth": 1, "noise": "student_t"}, "only searched"),
        ({"mechanism": "snm", "delta": 0.1, "smooth": 1, "noise": "log_normal"}, "concentrated"),
        ({"mechanism": "snm", "delta": 0.1, "smooth": 1, "noise": "cauchy"}, "no other noise"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options: dict[str, Any], says: str) -> None:
    with pytest.raises(EdgeDPError, match=says) as refusal:
        edgedp.select(UTILITIES, **{"epsilon": 1, **options})
    assert "\n" not in str(refusal.value)
    assert "3.0" not in str(refusal.value)


@pytest.mark.parametrize(
    ("utilities", "k"), [([], 1), ([1, 2], 3), ([1, 2], 0), ([1, 2], 1.5), ([1, float("inf")], 1)]
)
def test_candidates_and_k_are_checked(utilities: list[float], k: Any) -> None:
    with pytest.raises(EdgeDPError):
        edgedp.select_top_k(utilities, k=k, epsilon=1, global_sensitivity=1)
