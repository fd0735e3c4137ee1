"""Percentiles: the law over all small inputs against its claim under replacement, and what a value is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import edgedp
from edgedp.graph.ids import numbers_of
from edgedp.mechanisms import ranks
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.mechanisms.scores.dampening import locally_dampened
from edgedp.mechanisms.selection.domains import Domain, codes, declare, declared_grid
from edgedp.mechanisms.selection.percentiles import (
    Percentile,
    draw_percentile,
    percentile_law,
    percentile_scores,
    share_bits,
)
from edgedp.mechanisms.selection.questions import PERCENTILE_MECHANISMS, PercentileQuestion, ask_percentile
from edgedp.mechanisms.values import Em, Sld
from edgedp.words.errors import EdgeDPError
from edgedp.words.vocabulary import SAMPLERS
from looped import as_one

Record = float | None
QS = (Fraction(1, 2), Fraction(1, 4), Fraction(9, 10))
FULL = declare(0, 3, points=4)
COARSE = declare(0, 3, [0.5, 2])


def inputs(n: int, values: Sequence[Record] = (0, 1, 2, 3, None)) -> Iterator[tuple[Record, ...]]:
    return product(values, repeat=n)


def replaced(
    records: tuple[Record, ...], values: Sequence[Record] = (0, 1, 2, 3, None)
) -> Iterator[tuple[Record, ...]]:
    """Yield every neighbour that follows it, so that each pair comes once."""
    for place, value in product(range(len(records)), values):
        other = (*records[:place], value, *records[place + 1 :])
        if str(other) > str(records):
            yield other


def question(domain: Domain, n: int, q: Any, epsilon: Any, mechanism: str, **more: Any) -> PercentileQuestion:
    return ask_percentile(domain, n, q=q, epsilon=epsilon, mechanism=mechanism, **more)


def largest_loss(asked: PercentileQuestion) -> float:
    laws = {records: np.log(percentile_law(list(records), asked)) for records in inputs(asked.records)}
    return max(
        float(np.abs(law - laws[other]).max()) for records, law in laws.items() for other in replaced(records)
    )


@pytest.mark.parametrize("mechanism", PERCENTILE_MECHANISMS)
def test_the_law_keeps_its_claim_over_all_inputs(mechanism: str) -> None:
    """All of {0..3, missing}^n for n up to 3, every neighbour by replacement, full and coarse grid."""
    for n, q, domain, epsilon in product((1, 2, 3), QS, (FULL, COARSE), (0.5, 2)):
        assert largest_loss(question(domain, n, q, epsilon, mechanism)) <= epsilon * (1 + 1e-9)


@as_one
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("mechanism", ["em", "distance", "ld", "sld"])
def test_either_sampler_keeps_the_claim(mechanism: str, sampler: str) -> None:
    assert largest_loss(question(FULL, 3, "1/2", 2, mechanism, sampler=sampler)) <= 2 * (1 + 1e-9)


@pytest.mark.parametrize("mechanism", ["em", "pf"])
def test_the_factor_two_is_needed(mechanism: str) -> None:
    """One record moves the middle from a short gap between values to a long one: nothing is given away."""
    asked = question(declare(0, 40_000, points=40_001), 40, "1/2", 2, mechanism)
    low, high = [0.0] * 20 + [2.0] + [40_000.0] * 19, [0.0] * 19 + [2.0] + [40_000.0] * 20
    loss = np.abs(np.log(percentile_law(low, asked)) - np.log(percentile_law(high, asked))).max()
    assert 1.999 < loss <= 2


@pytest.mark.parametrize("score", ["rank", "distance"])
def test_a_replaced_record_moves_a_score_by_its_sensitivity_and_no_more(score: str) -> None:
    grid = np.array([-1.0, 0, 0.5, 1, 2, 3, 4])

    def scores(records: tuple[Record, ...], q: Fraction) -> np.ndarray:
        counts = ranks.count_values(ranks.clipped(numbers_of(records), -9, 9), grid)
        return ranks.rank_scores(counts, q) if score == "rank" else ranks.distance_scores(counts, q)

    for q in QS:
        most, largest = q.denominator if score == "rank" else 1, 0
        for n in (1, 2, 3, 4):
            seen = {records: scores(records, q) for records in inputs(n, (0, 1, 3, None))}
            for records in seen:
                for other in replaced(records, (0, 1, 3, None)):
                    largest = max(largest, int(np.abs(seen[records] - seen[other]).max()))
        assert largest == most


def test_the_best_points_are_the_percentiles_and_no_other() -> None:
    """By the definition: v with at most qn values below it and at least qn up to it; for `distance` the k-th."""
    grid = np.array([0.0, 0.5, 1, 2, 3])
    for n, q in product((1, 2, 3, 4), QS):
        for records in inputs(n):
            values = numbers_of(records)
            counts = ranks.count_values(ranks.clipped(values, 0, 3), grid)
            there = np.sort(values[~np.isnan(values)])
            share = q * len(there)
            right = [(there < v).sum() <= share <= (there <= v).sum() for v in grid]
            assert ((ranks.rank_scores(counts, q) >= 0) == right).all()
            if len(there):
                kth = there[ranks.target_rank(len(there), q) - 1]
                assert ((ranks.distance_scores(counts, q) >= 0) == (grid == kth)).all()


def test_a_score_below_0_counts_the_records_to_replace() -> None:
    """And one of 0 or more those before it ceases to be the answer, less one: by trying all of them."""
    grid, values, q = np.array([0.0, 1, 2, 3]), (0.0, 1.0, 2.0, 3.0), Fraction(1, 2)
    for records in inputs(3, values):
        scores = ranks.distance_scores(ranks.count_values(numbers_of(records), grid), q)
        for point, score in zip(grid, scores.tolist(), strict=True):
            changes = [
                sum(a != b for a, b in zip(records, other, strict=True))
                for other in inputs(3, values)
                if bool(np.sort(numbers_of(other))[1] == point) == (score < 0)
            ]
            assert min(changes) == (-score if score < 0 else score + 1)


def test_added_or_removed_it_would_move_by_less() -> None:
    """Under add/remove the rank score moves by max(q, 1 - q): the claim here is for replacement."""
    grid = np.arange(-1.0, 5)
    for n, q in product((1, 2, 3), QS):
        for records in inputs(n, (0, 1, 2, 3)):
            values = numbers_of(records)
            one, less = (ranks.rank_scores(ranks.count_values(v, grid), q) for v in (values, values[1:]))
            assert np.abs(one - less).max() <= q.denominator * max(q, 1 - q)


@given(st.lists(st.integers(0, 40), max_size=12).map(sorted), st.data())
def test_the_shared_sensitivity_is_that_of_the_definition(values: list[int], data: st.DataObject) -> None:
    """``x_(k+t+1) - x_(k-t-1)``, with 0 and the span beyond the ends, until it is the span."""
    k = data.draw(st.integers(1, max(1, len(values))))
    found = ranks.spacing_sensitivity(np.asarray(values, dtype=np.int64), k, 40).tolist()
    ranked = [0] * 30 + values + [40] * 30  # x_(1) stands at 30
    assert found == [ranked[29 + k + t + 1] - ranked[29 + k - t - 1] for t in range(len(found))]
    assert found[-1] == 40


def test_scores_of_as_many_records_as_are_let_through_fit_64_bits() -> None:
    """A sum of shares, and a rank times the denominator of q."""
    for records in (0, 1, 2, 3, 1000, 2**21, 2**22 - 1, 2**22, 10**9):
        most = max(records, 1)
        assert share_bits(records) == max(bits for bits in range(41) if most << bits < 2**62)
    domain = declare(0, 9)
    for records in (0, 1, 8):
        fits = 2**61 // max(records, 1) - 1
        assert ask_percentile(domain, records, q=f"1/{fits}", epsilon=1).q == Fraction(1, fits)
        with pytest.raises(edgedp.ParameterError, match="small numbers"):
            ask_percentile(domain, records, q=f"1/{fits + 1}", epsilon=1)


@pytest.mark.parametrize("low", [0, -5, 7])
def test_distances_and_sensitivities_are_in_steps_of_which_the_whole_range_has_as_many_as_is_paid_for(
    low: int,
) -> None:
    """A value goes from one end of the range to the other, and no score moves by more than its unit covers."""
    domain = declared_grid(range(low, low + 9))
    question = ask_percentile(domain, 3, q="0.5", epsilon=2, mechanism="sld")
    ends = [percentile_scores(np.full(3, float(end)), question) for end in (low, low + 8)]
    steps = np.abs(ends[0].upper - ends[1].upper).max()
    assert steps == 2 ** share_bits(3)
    for scores, best in zip(ends, (0, 8), strict=True):
        assert scores.unit == Fraction(2) / (2 * int(steps))
        expected = [-(abs(point - best) * steps // 8) for point in range(9)]
        assert (scores.upper - scores.upper.max()).tolist() == expected


def test_the_shared_sensitivity_is_admissible() -> None:
    """delta(0) bounds what the k-th value moves by, delta(t + 1) that of every neighbour at t."""
    values = (0, 1, 4, 6, None)
    for n, q in product((1, 2, 3, 4), QS):
        seen = {}
        for records in inputs(n, values):
            ordered = np.sort(numbers_of([v for v in records if v is not None])).astype(np.int64)
            k = ranks.target_rank(len(ordered), q)
            seen[records] = (
                int(ordered[k - 1]) if len(ordered) else 6,
                ranks.spacing_sensitivity(ordered, k, 6).tolist() + [6] * n,
            )
        for records, (middle, delta) in seen.items():
            assert all(a <= b for a, b in pairwise(delta))
            for other in replaced(records, values):
                far, others = seen[other]
                assert abs(middle - far) <= min(delta[0], others[0])
                assert all(a >= b for a, b in zip(delta[1 : n + 1], others[:n], strict=True))
                assert all(b >= a for a, b in zip(delta[:n], others[1 : n + 1], strict=True))


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=30),
    st.lists(st.integers(0, 50), min_size=1, max_size=9),
)
def test_dampened_steps_are_those_of_the_definition(distances: list[int], widths: list[int]) -> None:
    delta = np.maximum.accumulate([*widths, max(*widths, 1)])
    found = ranks.dampened_steps(np.asarray(distances), delta, 12)
    last = len(delta) - 1
    real = locally_dampened(
        -np.asarray(distances, dtype=np.float64),
        lambda t, rows: np.full(len(rows), float(delta[min(t, last)])),
        last,
    )
    zeros = int(np.count_nonzero(delta == 0))
    real = np.where(np.asarray(distances) == 0, zeros, real)
    assert np.abs(found - real * 2**12).max() <= 0.5 + 1e-6


@pytest.mark.parametrize("mechanism", PERCENTILE_MECHANISMS)
def test_the_draw_has_the_law(mechanism: str) -> None:
    """Chi-square of 3,000 draws over four points: above 32 with probability 5e-7."""
    asked, runs = question(FULL, 5, "1/2", 1.5, mechanism), 3000
    records = numbers_of([1, 1, 3, None, 2])
    words = GeneratorWords(np.random.default_rng(7))
    counted = np.bincount([int(draw_percentile(records, asked, words)) for _ in range(runs)], minlength=4)
    expected = percentile_law(records, asked) * runs
    assert ((counted - expected) ** 2 / expected).sum() < 32


def test_the_score_of_the_worked_example() -> None:
    """Golden: x = 1, 2, 2, 3, 9 on 0..10, median, epsilon 2, value 2."""
    domain, values = declare(0, 10, points=11), [1, 2, 2, 3, 9]
    for sampler, expected in (("exponential", 0.414), ("permute_and_flip", 0.517)):
        asked = question(domain, 5, 0.5, 2, "distance", sampler=sampler)
        assert percentile_scores(numbers_of(values), asked).upper.tolist() == [-3, -2, 0, -1] + [-2] * 6 + [
            -3
        ]
        assert percentile_law(values, asked)[2] == pytest.approx(expected, abs=5e-4)
    rank = percentile_scores(numbers_of(values), question(domain, 5, 0.5, 2, "pf"))
    assert rank.upper.tolist() == [-5, -3, 1, -1, -3, -3, -3, -3, -3, -3, -5]


def test_where_values_tie_the_percentile_is_best() -> None:
    """Six at 0 and four at 7: the median is 0. The difference of both sides is largest at 1..6 instead."""
    asked = question(declare(0, 10, points=11), 10, 0.5, 40, "pf")
    assert percentile_law([0] * 6 + [7] * 4, asked)[0] > 0.999


def test_the_median_of_even_ages_is_near_what_any_mechanism_can_do() -> None:
    """At epsilon 1: no 1-DP mechanism is below .0265 on average over samples (bench/selection.py: floor)."""
    n, domain, steps = 1000, declare(0, 100, points=101), np.arange(1, 500)
    lowest = 0.0
    for v in range(100):
        sides = [binom.pmf(n // 2 + steps * side, n, (v + 1) / 101) for side in (1, -1)]
        lowest += float((2 * np.minimum(*sides) / (1 + np.exp(2.0 * np.minimum(steps, 300)))).sum())
    errors = []
    for seed in range(100):
        ages = np.random.default_rng(seed).integers(0, 101, n)
        low, high = np.sort(ages)[n // 2 - 1 : n // 2 + 1]
        law = percentile_law(ages, question(domain, n, 0.5, 1, "pf"))
        errors.append(float(law @ np.maximum(0, np.maximum(low - domain.grid, domain.grid - high))))
    assert 0.0265 < lowest < 0.0266
    assert lowest < np.mean(errors) < 3 * lowest
    assert np.median(errors) < 0.035


def test_values_are_clipped_before_anything_else() -> None:
    domain = declare(0, 100, points=101)
    for inside, outside in (
        ([0, 0, 100, 100, 100, 3], [-5, -math.inf, 101, 10**400, 1e300, 3]),
        ([100.0] * 4 + [7], [200, 101, math.inf, 1e9, 7]),
        ([0, 0, 0, 0, 7], [-200, -1, -math.inf, -1e9, 7]),
    ):
        for mechanism in PERCENTILE_MECHANISMS:
            asked = question(domain, len(inside), 0.5, 1, mechanism)
            assert np.array_equal(percentile_law(inside, asked), percentile_law(outside, asked))


@as_one
@pytest.mark.parametrize("mechanism", PERCENTILE_MECHANISMS)
def test_no_values_at_all_is_an_answer_too(mechanism: str) -> None:
    for values in ([], [None, "x"]):
        law = percentile_law(values, question(FULL, len(values), 0.5, 1, mechanism))
        assert law.sum() == pytest.approx(1)
    assert edgedp.percentile([], q=0.5, grid=[1, 2], epsilon=1, mechanism=mechanism).value in (1.0, 2.0)


def test_every_value_is_read_by_itself() -> None:
    """One text makes no text of the others; numpy's own reading would."""
    odd = ["7", None, float("nan"), [1, 2], {"a": 1}, True, np.bool_(True), 3 + 4j, b"5", Decimal("NaN")]
    for value in odd:
        read = numbers_of([1, 2.5, value, Decimal("0.5"), Fraction(1, 4), np.float32(8)])
        assert read[[0, 1, 3, 4, 5]].tolist() == [1, 2.5, 0.5, 0.25, 8]
        assert math.isnan(read[2])
    masked = numbers_of(np.ma.array([1, 2], mask=[False, True]))
    assert masked[0] == 1
    assert math.isnan(masked[1])
    assert numbers_of(np.array([1, 10**400, -(10**400)], dtype=object)).tolist() == [1, math.inf, -math.inf]


def test_one_text_does_not_change_how_the_others_are_read() -> None:
    asked = question(FULL, 5, 0.5, 200, "pf")
    assert percentile_law([2, 2, 2, 2, "many"], asked)[2] > 0.99


def test_categories_are_declared_and_the_rest_are_two() -> None:
    values = ["b", "a", "zebra", None, float("nan"), ["a"], 7]
    assert codes(values, ["a", "b"]).tolist() == [1, 0, 2, 3, 3, 2, 2]
    assert codes(np.array([1, 0, 5]), (0, 1)).tolist() == [1, 0, 2]
    with pytest.raises(EdgeDPError, match="one twice"):
        codes([1], [1, 1.0])


def test_grids_are_public_and_strictly_increasing() -> None:
    assert declare(0, 1).grid.tolist() == np.linspace(0, 1, 1001).tolist()
    assert np.allclose(np.diff(np.log(declare(1, 1e6, "geometric").grid)), math.log(1e6) / 1000)
    assert declared_grid([1, 2, 5]).to_dict() == {
        "low": 1.0,
        "high": 5.0,
        "grid": "explicit",
        "points": 3,
        "depends_on": "independent",
    }
    given = np.array([1.0, 2.0])
    domain = declared_grid(given)
    given[0] = -1
    assert domain.low == domain.grid[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        domain.grid[0] = 0


@as_one
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((5, 5), "high is 5, must be above low"),
        ((0, float("inf")), "high is inf"),
        (("a", 5), "low is 'a'"),
        ((0, 5, "geometric"), "low is 0, must be above 0 for a geometric grid"),
        ((0, 5, "log"), "grid is 'log'"),
        ((0, 5, "linear", 1), "points is 1"),
        ((0, 5, [1, 2], 7), "points is not an option"),
        ((0, 5, [1, 6]), "outside low and high"),
        ((0, 5, [2, 1]), "strictly increasing"),
        ((0, 5, [1]), "at least two points"),
        ((0, 5, [1, float("nan")]), "finite"),
        ((1, 1 + 1e-15, "linear", 1001), "strictly increasing"),
        ((0, 5, "linear", None, "edges"), "cannot be released as a property"),
        ((0, 5, "linear", None, "nodes"), "depends_on is 'nodes'"),
    ],
)
def test_a_domain_that_is_none_is_refused(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(EdgeDPError, match=says):
        declare(*arguments)


@as_one
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"q": 0}, "q is 0, must be above 0 and below 1"),
        ({"q": 1}, "q is 1"),
        ({"q": "half"}, "q is 'half'"),
        ({"q": True}, "q is True"),
        ({"q": float("nan")}, "q is nan"),
        ({"q": "0." + "3" * 30}, "fraction of small numbers"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"mechanism": "joint"}, "mechanism is 'joint'"),
        ({"mechanism": "pf", "sampler": "exponential"}, "use mechanism 'em'"),
        ({"mechanism": "distance", "sampler": "gumbel"}, "sampler is 'gumbel'"),
        ({"values": "12345"}, "values is not a list"),
        ({"values": 7}, "values is not a list"),
        ({"values": np.zeros((2, 2))}, "2 dimensions"),
        ({"rng": 1}, "rng is 1"),
    ],
)
def test_a_question_that_is_none_is_refused(options: dict[str, Any], says: str) -> None:
    asked = {"values": [1, 2], "q": 0.5, "grid": [0, 9], "epsilon": 1, **options}
    with pytest.raises(EdgeDPError, match=says):
        edgedp.percentile(asked.pop("values"), **asked)


def test_what_is_shown_is_public() -> None:
    found = edgedp.percentile([3, None, 5], q="1/3", grid=declare(0, 9, points=10), epsilon="0.1")
    assert isinstance(found, Percentile)
    shown = json.loads(json.dumps(found.to_dict()))
    assert shown == {
        "selector": "percentile",
        "parameters": {"q": "1/3", "epsilon": 0.1, "mechanism": "pf", "sampler": "permute_and_flip"},
        "value": found.value,
        "public": {
            "records": 3,
            "domain": {"low": 0, "high": 9, "grid": "linear", "points": 10, "depends_on": "independent"},
            "neighbors": "one record replaced",
        },
        "private": True,
    }
    simulated = edgedp.percentile([3], q=0.5, grid=[0, 9], epsilon=1, rng=np.random.default_rng(1))
    assert simulated.to_dict()["private"] is False


def test_properties_of_a_graph_follow_its_nodes() -> None:
    ages = [61, 18, None, 40]
    graph = edgedp.Graph.from_edges([("d", "a")], nodes=["d", "a", "c", "b"], properties={"age": ages})
    assert graph.node_ids.tolist() == ["a", "b", "c", "d"]
    assert graph.properties["age"].tolist() == [18, 40, None, 61]
    assert list(graph.properties) == ["age"]
    assert edgedp.percentile(graph.properties["age"], q=0.5, grid=range(100), epsilon=99).value == 40
    with pytest.raises(TypeError):
        graph.properties["age"] = [1]  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        graph.properties["age"][0] = 1
    ages[0] = 5
    assert graph.properties["age"][3] == 61
    assert edgedp.Graph.from_edges([(1, 2)]).properties == {}
    mixed = edgedp.Graph.from_edges([(1, 2)], nodes=[1, 2], properties={"p": [[1, 2], [3, 4]], "q": [1, 2.5]})
    assert mixed.properties["p"].tolist() == [[1, 2], [3, 4]]
    assert numbers_of(mixed.properties["q"]).tolist() == [1, 2.5]


@as_one
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"properties": {"age": [1, 2]}}, "need nodes that name each id once"),
        ({"nodes": [1, 2, 2], "properties": {"age": [1, 2, 3]}}, "name each id once"),
        ({"nodes": [1, 2], "properties": {"age": [1]}}, "'age' has length 1, must be 2"),
        (
            {"nodes": [1, 2], "properties": {"age": np.zeros((2, 2))}},
            "'age' has 2 dimensions, must be a list of 2",
        ),
        (
            {"nodes": [1, 2], "properties": {"age": np.array(3.0)}},
            "'age' is a numpy ndarray, must be a list of 2",
        ),
        (
            {"nodes": [1, 2], "properties": {"age": np.float64(3)}},
            "'age' is a numpy float64, must be a list of 2",
        ),
        ({"nodes": [1, 2], "properties": {"age": 3.0}}, "'age' is a float, must be a list of 2"),
        ({"nodes": [1, 2], "properties": {"age": None}}, "'age' is None, must be a list of 2"),
        ({"nodes": [1, 2], "properties": {7: [1, 2]}}, "name is 7"),
    ],
)
def test_properties_that_fit_no_nodes_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(EdgeDPError, match=says):
        edgedp.Graph.from_edges([(1, 2)], **options)


def test_a_percentile_by_a_value_takes_its_sampler() -> None:
    options: dict[str, Any] = {"q": "0.5", "grid": [0, 1, 2, 3], "epsilon": 1}
    for sampler in ("exponential", "permute_and_flip"):
        found = edgedp.percentile([1, 2, 2], mechanism=Em(sampler=sampler), **options)
        assert found.to_dict()["parameters"]["sampler"] == sampler
    with pytest.raises(EdgeDPError, match=r"shift of .* has no meaning here"):
        edgedp.percentile([1, 2, 2], mechanism=Sld(shift="up"), **options)
