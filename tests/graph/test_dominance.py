from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from edgedp.graph.engines.native.dominance import count_dominating
from edgedp.mechanisms.pareto.score import pareto_score, release_pick


def plain_counts(points, thresholds):
    return np.all(points[:, None, :] > thresholds[:, :, None], axis=0).sum(axis=1)


@st.composite
def points_and_thresholds(draw, most=70):
    coordinates = draw(st.integers(1, 5))
    values = st.sampled_from([-1.5, -0.0, 0.0, 1 / 3, 1.0, 2.0, 3.0, np.inf])  # few values: many ties
    sizes = st.integers(1, most)
    return (
        draw(arrays(np.float64, (coordinates, draw(sizes)), elements=values)),
        draw(arrays(np.float64, (coordinates, draw(sizes)), elements=values)),
    )


@given(points_and_thresholds())
def test_counts_equal_the_definition_with_many_ties(case):
    points, thresholds = case
    counts = count_dominating(points, thresholds)
    assert counts.dtype == np.int64
    assert counts.tolist() == plain_counts(points, thresholds).tolist()


@pytest.mark.parametrize("coordinates", [1, 2, 3, 4])
def test_counts_equal_the_definition_across_blocks_of_points(coordinates):
    # 64 words of 64 points make a block: 9,001 points fill two and a part of a third.
    rng = np.random.default_rng(coordinates)
    points = rng.integers(0, 50, (coordinates, 9_001)).astype(np.float64)
    thresholds = rng.integers(-1, 51, (coordinates, 33)).astype(np.float64)
    assert count_dominating(points, thresholds).tolist() == plain_counts(points, thresholds).tolist()


@pytest.mark.parametrize("coordinates", [1, 2, 3])
def test_nothing_to_count(coordinates):
    some = np.ones((coordinates, 3))
    none = np.ones((coordinates, 0))
    assert count_dominating(none, some).tolist() == [0, 0, 0]
    assert count_dominating(some, none).tolist() == []


@given(st.integers(1, 40), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_scores_follow_every_pick(candidates, coordinates, seed):
    utilities = np.random.default_rng(seed).integers(0, 5, (candidates, coordinates)).astype(np.float64)
    scores = pareto_score(utilities)
    left = list(range(len(utilities)))
    while left:
        dominators = np.all(utilities[left][None] > utilities[left][:, None], axis=2).sum(axis=1)
        assert scores[left].tolist() == (-dominators).tolist()
        chosen = left.pop(len(left) // 2)
        scores = release_pick(scores, utilities, chosen)


def test_without_a_metric_left_all_candidates_are_equal():
    none = np.zeros((4, 0))
    assert pareto_score(none).tolist() == [0, 0, 0, 0]
    assert release_pick(pareto_score(none), none, 2).tolist() == [0, 0, 0, 0]


def test_the_same_rational_number_is_the_same_float():
    # One correctly rounded division depends on the quotient alone, so equal densities tie.
    numerators, scale = np.arange(1, 2_000, dtype=np.int64), np.int64(40_009)
    assert np.array_equal(numerators / 2_003, (numerators * scale) / (2_003 * scale))
