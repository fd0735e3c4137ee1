"""The black-box audit: its statistics against scipy, its targets against the exhaustive audit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from audit_cases import target_named
from edgedp.exact.audit import TARGETS, Target, black_box_audit, largest_loss, strengths
from edgedp.exact.audit.arcs import ArcCase, _changes, audit_arcs
from edgedp.exact.audit.blackbox import clopper_pearson, epsilon_lower_bound, telling_event
from edgedp.exact.audit.strengths import StrengthCase
from edgedp.exact.audit.targets import NumbersCase


@pytest.mark.parametrize("target", TARGETS, ids=target_named)
def test_targets_are_pairs_that_the_exhaustive_audit_visits(target: Target) -> None:
    found = black_box_audit(target, trials=2)
    if isinstance(target.case, ArcCase):
        assert list(target.masks) in _changes(target.case.unit, target.node_count, replaced=False).tolist()
        [of_all] = audit_arcs(
            [target.case], node_count=target.node_count, picks=[target.k], epsilons=[target.epsilon]
        )
        assert 0.3 * found.claimed < found.exact <= of_all.loss * (1 + 1e-9)
        return
    if isinstance(target.case, StrengthCase):
        directed = target.case.directed
        between = strengths._changes(target.case.unit, target.node_count, directed=directed, replaced=False)
        assert list(target.masks) in between.tolist()
        assert 0.3 * found.claimed < found.exact <= found.claimed * (1 + 1e-9)
        return
    assert (target.masks[0] ^ target.masks[1]).bit_count() == 1
    assert found.confidence == 0.9999
    if isinstance(target.case, NumbersCase):
        assert math.isnan(found.exact) or 0.3 * found.claimed < found.exact <= found.claimed * (1 + 1e-9)
        return
    case = replace(target.case, vectors=math.isnan(found.exact) or "cap" in target.case.options)
    worst = largest_loss(case, target.node_count, target.degree_bound, target.k, target.epsilon)
    assert math.isnan(found.exact) or 0.3 * found.claimed < found.exact <= worst.loss * (1 + 1e-9)


@given(trials=st.integers(1, 3000), share=st.floats(0, 1), risk=st.floats(1e-7, 0.4))
def test_clopper_pearson_is_that_of_the_beta_quantiles(trials: int, share: float, risk: float) -> None:
    hits = round(share * trials)
    low, high = clopper_pearson(hits, trials, 1 - risk)
    assert low == pytest.approx(0 if hits == 0 else stats.beta.ppf(risk, hits, trials - hits + 1), rel=1e-6)
    assert high == pytest.approx(
        1 if hits == trials else stats.beta.isf(risk, hits + 1, trials - hits), rel=1e-6
    )


def test_the_bound_exceeds_the_truth_as_rarely_as_it_says() -> None:
    """400 audits of randomised response at epsilon 1 and confidence 0.9: at most 10 % too high, by five sigma."""
    random = np.random.default_rng(8)
    p, q = math.e / (1 + math.e), 1 / (1 + math.e)
    hits = random.binomial(400, [p, q], size=(400, 2)).tolist()
    pairs = {(first, second) for first, second in hits}
    bounds = {pair: epsilon_lower_bound(pair[0], pair[1], 400, 0.9) for pair in pairs}
    too_high = sum(bounds[tuple(row)] > 1 for row in hits)
    assert too_high <= 40 + 5 * math.sqrt(400 * 0.1 * 0.9)
    assert np.mean([bounds[tuple(row)] for row in hits]) > 0.6


def test_no_hit_says_nothing() -> None:
    assert epsilon_lower_bound(0, 0, 100, 0.99) == -math.inf
    assert 3 < epsilon_lower_bound(100, 0, 100, 0.9) < 4


def test_the_event_is_the_one_that_tells_most() -> None:
    """Rare answers have the largest ratio; few releases never see them."""
    first, second = np.array([0.0001, 0.3, 0.6999]), np.array([0.01, 0.6, 0.39])
    assert telling_event(first, second, 300, 0.99) == (1, [0, 1])
    assert telling_event(first, second, 20_000, 0.99) == (1, [0])
