"""The ladder mechanism: rungs as wide as the sensitivity profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.mechanisms.numbers.stairs import Stairs

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile


class Ladder(NumberMechanism):
    """``Pr[r] ~ exp(-epsilon k / 2)`` on rung ``k``.

    Rung 0 is ``f``, rung ``k`` the next ``I_{k-1}`` integers on either side.

    One edge moves the rung of an integer by at most 1, and the sum of all weights by at most ``exp(epsilon / 2)``.

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2015), Private release of graph statistics using ladder functions.
    """

    name = "ladder"
    needs_delta = False

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        # In half integers: rung 0 is one on each side.
        widths = (1, *(2 * step for step in profile.steps))
        # Half of epsilon: an edge moves the rung of an answer by one, and the sum of all weights by as much again.
        return Stairs(profile.value, widths, 2 * profile.ceiling, amounts.epsilon / 2, 1)


MECHANISM = Ladder()
