"""The measures of an answer: the tie rule, and the exact mean over ties against the mean of many draws."""

from __future__ import annotations

import numpy as np
import pytest

from edgedp import EdgeDPError, quality
from looped import as_one


def test_all_that_tie_with_the_kth_count_as_retrieved() -> None:
    values = np.array([7.0, 5.0, 5.0, 5.0, 1.0])
    assert quality.recall(values, [2, 3]) == 1.0
    assert quality.recall(values, [0, 4]) == 0.5
    assert quality.recall(values, [4]) == 0.0


def test_integers_beyond_doubles_are_compared_as_integers() -> None:
    assert quality.recall(np.array([2**53 + 1, 2**53]), [1]) == 0.0


def test_recall_takes_ids_in_any_order() -> None:
    assert quality.recall([1, 9, 8], ["c", "b"], node_ids=np.array(["a", "b", "c"])) == 1.0


@as_one
@pytest.mark.parametrize("returned", [[], [5], [-1], [0, 0], [0.0], [[0]]])
def test_a_list_that_is_none_is_refused(returned: list[int]) -> None:
    with pytest.raises(EdgeDPError):
        quality.recall([3, 2, 1], returned)


def test_an_unknown_id_and_a_wrong_rule_are_refused() -> None:
    with pytest.raises(EdgeDPError, match="must be a node of the graph"):
        quality.recall([3, 2], [7], node_ids=np.array([5, 6]))
    with pytest.raises(EdgeDPError, match="ties is 'all'"):
        quality.c_metric([[1.0, 1.0]], [0], [0], ties="all")  # type: ignore[arg-type]
    with pytest.raises(EdgeDPError, match="of shape"):
        quality.relative_error([1, 2], [1, 2, 3])


def test_coverage_counts_strict_dominance_in_every_coordinate() -> None:
    utilities = np.array([[2.0, 2.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    assert quality.coverage(utilities, [0], [1, 2, 3]) == 1 / 3


def test_relative_errors_of_nothing() -> None:
    assert quality.relative_error(0, 0) == 0
    assert quality.relative_error([1.0, 0.0], [0.0, 0.0]) == float("inf")
    assert quality.relative_error(-5, -10) == 0.5


def test_the_exact_mean_is_what_draws_of_the_ties_average_to() -> None:
    """4,000 draws of five places in ten: a standard error below 0.008, so 0.05 is six of them."""
    generator = np.random.default_rng(2)
    utilities = generator.integers(0, 6, (60, 2)).astype(np.float64)
    above = np.all(utilities[:, None] < utilities[None], axis=2)
    scores = -above.sum(axis=1)
    returned = generator.choice(60, 12, replace=False)
    kth = np.sort(scores)[-12]
    sure, tied = np.flatnonzero(scores > kth), np.flatnonzero(scores == kth)
    assert 0 < 12 - len(sure) < len(tied)  # else no tie is open
    drawn = [
        above[returned][:, np.concatenate([sure, generator.choice(tied, 12 - len(sure), replace=False)])]
        .any(axis=1)
        .mean()
        for _ in range(4000)
    ]
    assert abs(quality.c_metric(utilities, scores, returned) - np.mean(drawn)) < 0.05
    everybody = np.flatnonzero(scores >= kth)
    assert quality.c_metric(utilities, scores, returned, ties="front") == (
        above[returned][:, everybody].any(axis=1).mean()
    )
