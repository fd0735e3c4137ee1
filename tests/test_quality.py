"""The measures of the benchmarks: the tie rule, and the exact mean over ties against the mean of many draws."""

from __future__ import annotations

import doctest
import importlib.util
from pathlib import Path

import numpy as np

_SOURCE = Path(__file__).resolve().parents[1] / "bench" / "quality.py"
_SPEC = importlib.util.spec_from_file_location("quality", _SOURCE)
assert _SPEC is not None
assert _SPEC.loader is not None
quality = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(quality)


def test_its_examples_run() -> None:
    assert doctest.testmod(quality).failed == 0


def test_all_that_tie_with_the_kth_count_as_retrieved() -> None:
    values = np.array([7.0, 5.0, 5.0, 5.0, 1.0])
    assert quality.accuracy(values, np.array([2, 3])) == 1.0
    assert quality.accuracy(values, np.array([0, 4])) == 0.5
    assert quality.accuracy(values, np.array([4, 4])) == 0.0


def test_the_c_metric_counts_strict_dominance_in_every_coordinate() -> None:
    utilities = np.array([[2.0, 2.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    assert quality.c_metric(utilities, np.array([0]), np.array([1, 2, 3])) == 1 / 3


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
    assert abs(quality.c_metric_random_ties(utilities, scores, returned) - np.mean(drawn)) < 0.05
    everybody = np.flatnonzero(scores >= kth)
    assert quality.c_metric_whole_front(utilities, scores, returned) == (
        above[returned][:, everybody].any(axis=1).mean()
    )
