"""Levels of local sensitivity, corrected: Laplace noise whose scale changes slowly from level to level.

``lambda_k = min_l (a epsilon / LS_l) (1 + (1 - a) epsilon / ln(1 / delta))**distance(k, l)`` over **all**
levels: as published, the minimum leaves out levels that an edge can skip and compares neighbouring levels alone, which
is neither private nor small (docs/papers.md). With one ``a`` for all this is a smooth bound of the profile, and is
computed as one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.mechanisms.numbers.laplace import RoundedLaplace, log_above
from edgedp.mechanisms.numbers.rungs import Pace, rounded_up
from edgedp.mechanisms.numbers.smooth import smooth_bound

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile

SHARE = Fraction(1, 2)
"""``a``, the share of epsilon for the number; the rest is for the scale."""


def amplitude(profile: Profile, amounts: Amounts) -> Fraction:
    """Return ``1 / lambda`` of the graph's level: the scale of the noise."""
    if amounts.delta is None:
        raise AssertionError("this noise needs delta")
    # A logarithm that is too large makes the scale change more slowly, which is private; one too small would not be.
    growth = log_above(1 / amounts.delta) / ((1 - SHARE) * amounts.epsilon)
    return smooth_bound(profile, Pace(rounded_up(growth))) / (SHARE * amounts.epsilon)


class Levels(NumberMechanism):
    """``f`` plus Laplace noise of scale ``1 / lambda``, rounded.

    References
    ----------
    Canard, Olivier and Quertier (2017), instance-based noise for numeric graph queries; corrected.
    """

    name = "lls"
    takes_delta = True
    most_epsilon = 8

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        return RoundedLaplace(profile.value, amplitude(profile, amounts))


MECHANISM = Levels()
