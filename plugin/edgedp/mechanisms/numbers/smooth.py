"""Smooth sensitivity: noise in proportion to a bound of the local sensitivity that changes slowly from graph to graph.

The bound is ``J_0`` of the calibrated ladder's envelope: ``J_0(H) <= (1 + 1/B) J_0(G)``, so it is smooth with
``beta = 1/B``, and a rational, which ``max_t exp(-beta t) I_t`` is not. Without delta the noise is Student's t with
four degrees of freedom, and the promise pure; with delta it is Laplace noise.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.mechanisms.numbers.laplace import RoundedLaplace, log_above
from edgedp.mechanisms.numbers.rungs import Pace, envelope, pace, rounded_up
from edgedp.mechanisms.numbers.stairs import exp_minus_bounds
from edgedp.mechanisms.numbers.student import RoundedStudent

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile

GROWTH_BITS = 128


def smooth_bound(profile: Profile, pace: Pace) -> Fraction:
    """Return ``J_0``, at least the local sensitivity, and at most ``1 + 1/B`` times as large for a neighbour."""
    last = profile.ceiling << pace.unit_bits
    first = [*envelope(profile.steps, profile.ceiling, pace), last][0]
    return Fraction(first, 1 << pace.unit_bits)


def student_shrink(epsilon: Fraction, pace: Pace) -> Fraction:
    """Return ``s``: ``f + J_0 T_4 / s`` loses at most epsilon.

    ``s = 2 sqrt((2 (epsilon - 1.5 beta) / 5)**2 - beta**2)``, rounded down (docs/privacy-numbers.md, "Student t").
    """
    beta = Fraction(1, pace.growth)
    square = 4 * ((2 * (epsilon - Fraction(3, 2) * beta) / 5) ** 2 - beta**2)
    shift = 64 + max(0, square.denominator.bit_length() - square.numerator.bit_length())
    # Rounded down: less is more noise. A float here could be a little too large, and the loss with it.
    return Fraction(isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)


def laplace_pace(amounts: Amounts) -> Pace:
    """Return the pace of smooth Laplace noise: ``ln(1 + 1/B) <= epsilon / (2 ln(2 / delta))``, nearly equal."""
    if amounts.delta is None:
        raise AssertionError("this noise needs delta")
    beta = amounts.epsilon / (2 * log_above(2 / amounts.delta))
    _, high = exp_minus_bounds(beta, GROWTH_BITS)
    # B = exp(-beta) / (1 - exp(-beta)), rounded up.
    return Pace(rounded_up(Fraction(high, (1 << GROWTH_BITS) - high)))


class Smooth(NumberMechanism):
    """``f + round(J_0 T_4 / s)``, pure; with delta ``f + round(2 J_0 / epsilon L)``, ``L`` a Laplace variable.

    References
    ----------
    Nissim, Raskhodnikova and Smith (2007), Smooth sensitivity and sampling in private data analysis; Bun and Steinke
    (2019), Average-case averages (Student t).
    """

    name = "smooth"
    needs_delta = False
    takes_delta = True
    most_epsilon = 8

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        if amounts.delta is None:
            return self.law_at(profile, amounts.epsilon, pace(amounts.epsilon))
        # Twice: half of epsilon is for the number that moves, half for the scale that moves with the graph.
        scale = 2 * smooth_bound(profile, laplace_pace(amounts)) / amounts.epsilon
        return RoundedLaplace(profile.value, scale)

    def law_at(self, profile: Profile, epsilon: Fraction, pace: Pace) -> RoundedStudent:
        """Return the pure law at a given pace; any with ``4/B < epsilon`` is private."""
        return RoundedStudent(profile.value, smooth_bound(profile, pace) / student_shrink(epsilon, pace))


MECHANISM = Smooth()
