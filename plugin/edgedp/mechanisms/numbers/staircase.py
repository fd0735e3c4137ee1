"""The staircase mechanism: the noise of least expectation for a global sensitivity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.mechanisms.numbers.rungs import first_rung
from edgedp.mechanisms.numbers.stairs import Stairs

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile


class Staircase(NumberMechanism):
    """Density ``exp(-epsilon k)`` on ``(k - 1 + g) GS < |y - f| <= (k + g) GS``, rounded to an integer.

    ``g = 1 / (1 + exp(epsilon / 2))`` makes the mean distance least,
    ``GS exp(epsilon / 2) / (exp(epsilon) - 1)``; any ``g`` is private.

    References
    ----------
    Geng and Viswanath (2016), The optimal noise-adding mechanism in differential privacy.
    """

    name = "staircase"
    needs_delta = False
    public_scale = True

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        # `g` is rounded to a multiple of `2**-bits`: any `g` is private, so this costs accuracy only.
        share, bits = first_rung(amounts.epsilon)
        rung = profile.ceiling << bits
        # Rungs as wide as the global sensitivity: one edge crosses at most one boundary, and loses epsilon.
        return Stairs(profile.value, (share * profile.ceiling,), rung, amounts.epsilon, bits)


MECHANISM = Staircase()
