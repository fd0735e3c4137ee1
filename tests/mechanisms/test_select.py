"""`edgedp.select`: the law is that of `probabilities`, the promise holds for any size of utilities."""

from __future__ import annotations

import copy
import json
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import edgedp
from edgedp.mechanisms import probabilities
from edgedp.mechanisms.grid import GridScores
from edgedp.mechanisms.scores import picks
from edgedp.mechanisms.scores.picks import _global, pick_scores
from edgedp.mechanisms.selection import picking
from edgedp.mechanisms.selection.picking import Selection
from edgedp.mechanisms.values import Ld, Sld
from edgedp.words.errors import EdgeDPError
from looped import as_one

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
    "sld shared": {"mechanism": "sld", "sensitivity": [1.0, 2.0], "global_sensitivity": 2},
    "sld down": {"mechanism": "sld", "sensitivity": TABLE, "global_sensitivity": 2, "shift": "down"},
    "snm": {"sensitivity": TABLE, "delta": 0.01},
    "snm smooth": {"mechanism": "snm", "smooth": 0.25, "delta": "1e-3", "monotone": True},
}


def loss(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(np.log(first) - np.log(second)).max())


@pytest.mark.parametrize("case", CASES)
def test_the_draw_has_the_law_that_is_computed(case: str) -> None:
    """Chi-square of 750 draws over four candidates: above 30 with probability 1.4e-6."""
    options = {"mechanism": case, **CASES[case]}
    law = probabilities(
        options["mechanism"], UTILITIES, 2, **{k: v for k, v in options.items() if k != "mechanism"}
    )
    rng, runs = np.random.default_rng(5), 750
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


def dampened_exactly(utility: float, row: list[float]) -> Fraction:
    """Interpolate through ``(b(i), i)`` in rationals; the last width holds for ever, and may not be 0."""
    left, at = abs(Fraction(utility)), 0
    while at < len(row) - 1 and left >= Fraction(row[at]):
        left, at = left - Fraction(row[at]), at + 1
    return (at + left / Fraction(row[at])) * (-1 if utility < 0 else 1)


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=5),
    st.lists(st.floats(0.001, 5), min_size=1, max_size=4).map(sorted),
)
@example([5e6, 4e6 + 0.3, -5e6, 0.5, 7.0], [0.5, 2.0, 3.0])
@example([-3e8, -3e8 + 0.3, -2.9e8], [0.1, 0.7, 3.0])
@example([0.7, 0.5, 1.5, -0.5], [1e-7, 2e-7])
@example([1e17, 3e17, 2e17], [0.5, 700.0])
def test_dampened_scores_of_any_size_are_rounded_from_within_an_eighth_of_a_step(
    utilities: list[float], row: list[float]
) -> None:
    """Whether floats suffice or rationals are needed for a far candidate: then nothing is lost but half a step."""
    assert 8 * 2.0**-53 * picks._FLOAT_RANGE * 2**picks._DAMPENED_BITS <= 1 / 8
    scores = pick_scores("ld", utilities, Fraction(1), sensitivity=row).upper
    assert scores.dtype == np.int64
    exact = [dampened_exactly(u, row) * 2**28 for u in utilities]
    for score, real in zip(scores.tolist(), exact, strict=True):
        gap = real - max(exact)
        error = sum(Fraction(1, 2) if abs(each) >= 2**47 else Fraction(5, 8) for each in (real, max(exact)))
        assert abs(score - gap) <= error if gap > -(2**59) else score <= -(2**59)


@as_one
@pytest.mark.parametrize(
    ("mechanism", "monotone", "places", "factor"),
    [("em", False, 35, 2), ("pf", False, 35, 2), ("em", True, 35, 1), ("pf", True, 35, 1), ("ld", False, 28, 2),
     ("sld", False, 28, 2)],
)  # fmt: skip
def test_a_step_of_a_score_is_worth_what_the_grid_is_paid_for(
    mechanism: str, monotone: bool, places: int, factor: int
) -> None:
    """``2**places + 2`` steps are a unit of sensitivity, and a monotone utility needs no factor 2."""
    options = {"sensitivity": [[1.0, 9.0]] * 3} if mechanism in ("ld", "sld") else {}
    ceiling = 9 if mechanism == "sld" else 2
    found = pick_scores(
        mechanism, [3.0, 1.0, 2.0], Fraction(1), k=2, monotone=monotone, global_sensitivity=ceiling, **options
    )
    assert found.unit == Fraction(1, 2) / (factor * (2**places + 2))
    if mechanism == "ld":
        capped = pick_scores("ld", [3.0, 1.0, 2.0], Fraction(1), k=2, sensitivity=[[1.0, 2.0]] * 3)
        assert found.upper.tolist() == capped.upper.tolist()


def test_the_law_is_that_of_what_is_asked_for_by_words_or_by_a_value() -> None:
    asked: dict[str, Any] = {"epsilon": 2, "delta": 0.1, "smooth": 1.5}
    scores = pick_scores("snm", UTILITIES, Fraction(2), delta=0.1, smooth=1.5)
    assert np.array_equal(probabilities("snm", UTILITIES, **asked), scores.law())
    by_value = Sld(shift="down", sampler="permute_and_flip")
    given: dict[str, Any] = {"epsilon": 2, "sensitivity": TABLE, "global_sensitivity": 2}
    by_words = probabilities("sld", UTILITIES, shift="down", sampler="permute_and_flip", **given)
    assert np.array_equal(probabilities(by_value, UTILITIES, **given), by_words)
    with pytest.raises(edgedp.ParameterError, match=r"sensitivity_form of .* has no meaning here"):
        probabilities(Ld(sensitivity_form="common_neighbors"), UTILITIES, epsilon=2, sensitivity=TABLE)


def test_a_mechanism_by_a_value_holds_what_candidates_have_and_what_is_shown_says_it() -> None:
    """Its sampler and its shift; the form of a metric's sensitivity is none of theirs."""
    options: dict[str, Any] = {"epsilon": 1, "sensitivity": TABLE, "global_sensitivity": 2}
    for value, word in (
        (Sld(), {"mechanism": "sld"}),
        (Sld(shift="down"), {"mechanism": "sld", "shift": "down"}),
        (Sld(sampler="permute_and_flip"), {"mechanism": "sld", "sampler": "permute_and_flip"}),
    ):
        shown = edgedp.select(UTILITIES, mechanism=value, **options).to_dict()["parameters"]
        assert shown == edgedp.select(UTILITIES, **word, **options).to_dict()["parameters"]
        assert shown["shift"] == word.get("shift", "up")
        assert shown["sampler"] == word.get("sampler", "exponential")
        assert "monotone" not in shown
    with pytest.raises(EdgeDPError, match=r"sensitivity_form of .* has no meaning here"):
        edgedp.select(UTILITIES, mechanism=Sld(sensitivity_form="degree"), **options)
    shown = edgedp.select(UTILITIES, epsilon=1, global_sensitivity=2, monotone=True).to_dict()["parameters"]
    assert shown["monotone"] is True
    assert "shift" not in shown


def test_as_many_columns_as_are_summed_to_the_step_are_taken() -> None:
    row = np.linspace(0.5, 1, 2**18)
    assert (
        pick_scores("sld", [1.0, 2.0, 0.5], Fraction(1), sensitivity=row, global_sensitivity=1).upper[1] == 0
    )
    with pytest.raises(edgedp.ParameterError, match="262145 columns"):
        pick_scores("sld", [1.0], Fraction(1), sensitivity=np.ones(2**18 + 1), global_sensitivity=1)


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


@as_one
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


@as_one
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


@as_one
@pytest.mark.parametrize(
    ("utilities", "options"),
    [
        ([3.0, 1.0, 2.0], {"global_sensitivity": 1}),
        ([3.0, 1e17, 0.0], {"global_sensitivity": 1}),
        ([3.0, 1e17, 0.0], {"mechanism": "ld", "sensitivity": [[1.0], [2.0], [3.0]]}),
        ([3.0, 1.0, 3.0], {"global_sensitivity": 0}),
        ([3.0, 1.0, 3.0], {"mechanism": "sld", "global_sensitivity": 0, "sensitivity": [[0.0]] * 3}),
        ([3.0, 1.0, 3.0], {"mechanism": "snm", "smooth": 1, "delta": 0.1}),
    ],
    ids=str,
)
def test_whatever_way_k_are_drawn_every_draw_runs_at_a_kth(
    utilities: list[float], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, in rounds where gaps were cut, or among the best: scores are made for k picks at epsilon in all."""
    asked: list[dict[str, Any]] = []
    drawn: list[int] = []

    def scores(*given: Any, **named: Any) -> Any:
        asked.append(named)
        return pick_scores(*given, **named)

    def noted(self: Any, k: int, words: Any) -> Any:
        drawn.append(k)
        return real(self, k, words)

    real = GridScores.draw
    monkeypatch.setattr(picking, "pick_scores", scores)
    monkeypatch.setattr(GridScores, "draw", noted)
    found = edgedp.select_top_k(utilities, k=2, epsilon=3, **options)
    assert {(each["k"], each["epsilon"], each.get("delta")) for each in asked} == {
        (2, 3, options.get("delta"))
    }
    cut, best = max(utilities) > 1e9, options.get("global_sensitivity") == 0
    assert drawn == ([1, 1] if cut or best else [2])
    pools = [2, 1] if best else [3, 2] if cut else []
    assert [len(each["utilities"]) for each in asked] == [3, *pools]
    assert len(set(found.values)) == 2
    assert found.private
    shown = found.to_dict()
    assert set(shown) == {"selector", "parameters", "values", "private"}
    assert (shown["selector"], shown["values"], shown["private"]) == ("select_top_k", found.values, True)
    assert not edgedp.select_top_k(utilities, k=2, epsilon=3, rng=np.random.default_rng(1), **options).private


REFUSED: list[tuple[dict[str, Any], str]] = [
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
    (
        {"mechanism": "sld", "sensitivity": TABLE, "global_sensitivity": 2, "monotone": True},
        "monotone is True",
    ),
    ({"mechanism": "ld", "sensitivity": [["1", "2"]] * 4}, "sensitivity is not an array"),
    ({"mechanism": "ld", "sensitivity": [[True]] * 4}, "sensitivity is not an array"),
    ({"mechanism": "ld", "sensitivity": [[Fraction(1), None]] * 4}, "sensitivity is not an array"),
]
REFUSED += [
    ({"global_sensitivity": value}, "must be finite and 0 or more")
    for value in (True, [], object(), 10**400, -1, float("inf"), 1e-300, 2e290)
]
REFUSED += [
    ({"mechanism": "snm", "delta": 0.1, "smooth": value}, "smooth is not a finite number")
    for value in (-1, float("inf"), 2e290, lambda beta: "large")
]


def test_what_cannot_be_is_refused_in_one_line() -> None:
    for options, says in REFUSED:
        with pytest.raises(EdgeDPError, match=says) as refusal:
            edgedp.select(UTILITIES, **{"epsilon": 1, **options})
        assert "\n" not in str(refusal.value)
        assert "3.0" not in str(refusal.value)


def test_numbers_of_any_type_are_their_floats() -> None:
    """A text or a truth value is none, and rows of different lengths are no table."""
    table = [[Fraction(1), 2], [0, Decimal(2)], [0.5, 2], [np.float32(1), 2]]
    exact = [3, Fraction(5, 2), Decimal(0), -1.0]
    found = pick_scores("ld", exact, Fraction(1), sensitivity=table).law()
    assert found.tolist() == pick_scores("ld", UTILITIES, Fraction(1), sensitivity=TABLE).law().tolist()
    for refused in (["1", "2"], [True, False], [[1], [1, 2]], [[1.0, 2.0]], [1, None]):
        with pytest.raises(EdgeDPError, match="utilities is not an array"):
            pick_scores("em", refused, Fraction(1), global_sensitivity=1)


def test_ld_with_a_global_sensitivity_is_ld_of_what_is_cut_to_it() -> None:
    table = [[1.0, 4.0, 9.0]] * 2 + [[2.0, 3.0, 3.0]] * 2
    found = pick_scores("ld", [7, 5, 4, 0], Fraction(2), sensitivity=table, global_sensitivity=3)
    cut = pick_scores("ld", [7, 5, 4, 0], Fraction(2), sensitivity=np.minimum(table, 3).tolist())
    assert found.law().tolist() == cut.law().tolist()
    uncut = pick_scores("ld", [7, 5, 4, 0], Fraction(2), sensitivity=table)
    assert found.law().tolist() != uncut.law().tolist()


@as_one
@pytest.mark.parametrize(
    ("utilities", "k"), [([], 1), ([1, 2], 3), ([1, 2], 0), ([1, 2], 1.5), ([1, float("inf")], 1)]
)
def test_candidates_and_k_are_checked(utilities: list[float], k: Any) -> None:
    with pytest.raises(EdgeDPError):
        edgedp.select_top_k(utilities, k=k, epsilon=1, global_sensitivity=1)


def test_of_one_candidate_there_is_one_to_be_picked() -> None:
    with pytest.raises(EdgeDPError, match="k is 2, must be from 1 to 1, the number of candidates"):
        edgedp.select_top_k([1], k=2, epsilon=1, global_sensitivity=1)
