"""The calibrated ladder: rungs that grow slowly, so that nearly all of epsilon buys the rung.

The ladder pays half of epsilon for the rung and half for the sum of all weights. That sum moves little if rungs
grow little: here they are made to, by an envelope ``J`` of the profile, and only what is left is paid for:
``h = epsilon - 1/B`` for the rung, ``1/B`` for the sum (docs/privacy-numbers.md, "Calibrated ladder").
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.mechanisms.numbers.rungs import Pace, envelope, first_rung, pace_on
from edgedp.mechanisms.numbers.stairs import Stairs

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile


def rate_of(epsilon: Fraction, pace: Pace) -> Fraction:
    """Return ``h``, what is left of epsilon for the rung: ``1/B`` pays for the sum of all weights."""
    return epsilon - Fraction(1, pace.growth)


class Calibrated(NumberMechanism):
    """Density ``exp(-h k)`` on ``k - 1 + g < T(y) <= k + g``, rounded to an integer.

    ``T(y)`` is the place of ``|y - f|`` on the line through the points ``(J_0 + ... + J_{k-1}, k)``.
    """

    name = "calibrated"
    needs_delta = False

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        # The pace follows from public facts: one that followed the profile would differ between neighbours.
        return self.law_at(profile, amounts.epsilon, pace_on(profile.curve, amounts.epsilon))

    def law_at(self, profile: Profile, epsilon: Fraction, pace: Pace) -> Stairs:
        """Return the law at a given pace; any with ``1/B < epsilon`` is private."""
        rate = rate_of(epsilon, pace)
        share, bits = first_rung(rate)
        # From the ceiling on the rungs of all graphs are equal, so the sums of their weights compare.
        last = profile.ceiling << pace.unit_bits
        rungs = [*envelope(profile.steps, profile.ceiling, pace), last]
        widths = [share * rungs[0]]
        widths += [((1 << bits) - share) * inner + share * outer for inner, outer in pairwise(rungs)]
        return Stairs(profile.value, widths, last << bits, rate, pace.unit_bits + bits)


MECHANISM = Calibrated()
