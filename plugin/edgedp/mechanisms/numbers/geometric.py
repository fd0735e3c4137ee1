"""Two-sided geometric noise of scale ``GS / epsilon``: the discrete Laplace law."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism
from edgedp.mechanisms.numbers.stairs import Stairs
from edgedp.mechanisms.sampling.geometric import two_sided_geometric

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile
    from edgedp.mechanisms.sampling.words import Words


class GeometricLaw(Stairs):
    """An integer plus noise with ``Pr[z] ~ exp(-|z| / scale)``: rung ``k`` is the integers at distance ``k``."""

    def __init__(self, center: int, scale: Fraction) -> None:
        super().__init__(center, (1,), 2, 1 / scale, 1)

    def draw(self, words: Words) -> int:
        """Draw from exactly this law."""
        # The sampler of whole vectors, which is exact for every rational scale: one proof and one test serve both.
        return self.center + int(two_sided_geometric(1, 1 / self.rate, words)[0])


class Geometric(NumberMechanism):
    """``Pr[r] ~ exp(-epsilon |r - f| / GS)``.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan (2009), Universally utility-maximizing privacy mechanisms.
    """

    name = "geometric"
    needs_delta = False
    public_scale = True

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        # The global sensitivity, not the first step of the profile: a scale that follows the graph tells of it.
        return GeometricLaw(profile.value, Fraction(profile.ceiling) / amounts.epsilon)


MECHANISM = Geometric()
