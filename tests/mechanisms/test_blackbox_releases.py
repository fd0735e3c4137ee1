"""The black-box audit of the real release path: a bound below its claim, and near the exact loss.

Every audit here bounds epsilon with confidence 0.9999 (Clopper-Pearson, half of the risk on each graph),
with words of the operating system. A correct release exceeds its claim less than once in 10,000 runs
even where the claim is reached. It falls below 0.8 of the exact loss less than once in a million, and below 0.7 with
half of the releases (of every target of the first tier, by the binomial laws of its two counts): so a loss of 1.43
claims is seen by every run, and one of 1.25 before a version.
"""

from __future__ import annotations

import math

import pytest

from audit_cases import target_named
from edgedp.exact.audit import TARGETS, Target, black_box_audit

_LONG = {1, 4, 6, 7, 8, 9, 12, 13, *range(14, 24)}
"""The positions of those that draw several times, or in thousands, and take longest."""


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(target, marks=pytest.mark.wide if number in _LONG else ())
        for number, target in enumerate(TARGETS)
    ],
    ids=target_named,
)
def test_the_bound_is_between_the_loss_and_the_claim(target: Target) -> None:
    judge(target, target.trials // 2, 0.7)


@pytest.mark.wide
@pytest.mark.parametrize("target", TARGETS, ids=target_named)
def test_the_bound_is_near_the_loss_with_all_releases(target: Target) -> None:
    judge(target, target.trials, 0.8)


def judge(target: Target, trials: int, share: float) -> None:
    """Hold that the bound is at most the claim, and at least a share of the exact loss."""
    found = black_box_audit(target, trials)
    assert found.met, found.to_row()
    if math.isnan(found.exact):  # the adaptive release: no law to compare with, but the audit sees the edge
        assert found.lower_bound > 0, found.to_row()
    else:
        assert found.lower_bound >= share * found.exact, found.to_row()
