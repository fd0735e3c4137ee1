"""Noisy local sensitivity: a noisy bound of the local sensitivity is bought first, and the noise follows that.

For triangles ``a = max(1, c + Z + shift)`` with two-sided geometric ``Z`` of scale ``1 / e1``, where ``a < c`` has
probability at most delta, then ``f`` plus two-sided geometric noise of scale ``a / e2``. For two-triangles, whose
local sensitivity moves by at most ``4 a``, a second bound ``L`` is bought with noise of scale ``4 a / e2``, and the
number with ``L / e3``.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.numbers.base import Amounts, NumberLaw, NumberMechanism, SymmetricLaw
from edgedp.mechanisms.numbers.geometric import GeometricLaw
from edgedp.mechanisms.numbers.laplace import log_above
from edgedp.mechanisms.sampling.geometric import two_sided_geometric
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile
    from edgedp.mechanisms.sampling.words import Words

SHARE = Fraction(3, 20)
"""Of epsilon for each bound; the rest is for the number."""
NEGLIGIBLE = 45
"""Bounds whose noise is this many times its scale are left out of a law: together below 1e-19."""


def shift_for(scale: Fraction, delta: Fraction) -> int:
    """Return the least shift with ``Pr[Z < -shift] <= delta``, ``Z`` two-sided geometric of `scale`.

    ``Pr[Z < -s] = r**(s + 1) / (1 + r)`` with ``r = exp(-1 / scale)``.

    Examples
    --------
    >>> shift_for(Fraction(1), Fraction(1, 2000))
    7
    """
    context = Context(50)
    ratio = Fraction(context.exp(context.divide(Decimal(-scale.denominator), Decimal(scale.numerator))))
    needed = 1 / (delta * (1 + ratio))
    return max(ceil(log_above(needed) * scale) - 1, 0) if needed > 1 else 0


class NoisyBound:
    """A noisy upper bound of a figure, between 1 and a public most: ``min(max(1, figure + Z + shift), most)``."""

    def __init__(self, figure: int, scale: Fraction, delta: Fraction, most: int) -> None:
        self.figure, self.scale, self.most = figure, scale, most
        self.shift = shift_for(scale, delta)

    def draw(self, words: Words) -> int:
        """Draw the bound."""
        noise = int(two_sided_geometric(1, self.scale, words)[0])
        return min(max(1, self.figure + noise + self.shift), self.most)

    def law(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the bounds that are not negligible, and their probabilities."""
        reach = ceil(NEGLIGIBLE * self.scale)
        noise = np.arange(-reach, reach + 1)
        masses = GeometricLaw(0, self.scale).mass(noise)
        bounds = np.minimum(np.maximum(1, self.figure + noise + self.shift), self.most)
        values, inverse = np.unique(bounds, return_inverse=True)
        return values.astype(np.int64), np.bincount(inverse, masses).astype(np.float64)


class NoisyLocalSensitivityLaw(SymmetricLaw):
    """The law of ``f`` plus two-sided geometric noise whose scale was itself drawn."""

    def __init__(self, profile: Profile, amounts: Amounts) -> None:
        super().__init__(profile.value)
        if profile.leading is None or amounts.delta is None:
            raise AssertionError("nls needs a leading figure and delta")
        self._profile, bought = profile, profile.bounds_to_buy
        self._each = SHARE * amounts.epsilon
        self._rest = amounts.epsilon - bought * self._each
        self._delta = amounts.delta / bought
        # Of triangles the bound is the sensitivity itself; of two-triangles the sensitivity's sensitivity is
        # four times it.
        most = profile.ceiling if bought == 1 else max(profile.maximum, 1)
        self._first = NoisyBound(profile.leading, 1 / self._each, self._delta, most)

    def _second(self, a: int) -> NoisyBound:
        scale = Fraction(4 * a) / self._each
        return NoisyBound(self._profile.at(0), scale, self._delta, self._profile.ceiling)

    def draw(self, words: Words) -> int:
        """Draw from exactly this law."""
        bound = self._first.draw(words)
        if self._profile.bounds_to_buy == 2:
            bound = self._second(bound).draw(words)
        return GeometricLaw(self.center, bound / self._rest).draw(words)

    def _bounds(self) -> list[tuple[int, float]]:
        """Return the last bound's values and their probabilities."""
        values, masses = self._first.law()
        if self._profile.bounds_to_buy == 1:
            return list(zip(values.tolist(), masses.tolist(), strict=True))
        total: dict[int, float] = {}
        for a, mass in zip(values.tolist(), masses.tolist(), strict=True):
            for bound, share in zip(*(part.tolist() for part in self._second(a).law()), strict=True):
                total[bound] = total.get(bound, 0.0) + mass * share
        return sorted(total.items())

    def noise_mass(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of noise of exactly ``+d``, for each distance ``d >= 0``."""
        mass = np.zeros(len(distances))
        for bound, share in self._bounds():
            mass += share * GeometricLaw(0, bound / self._rest).noise_mass(distances)
        return mass

    def noise_tail(self, distance: int) -> float:
        """Return the probability of noise of ``+d`` or more, ``d >= 1``."""
        return sum(
            share * GeometricLaw(0, bound / self._rest).noise_tail(distance)
            for bound, share in self._bounds()
        )

    def mean_distance(self) -> float:
        """Return the mean distance."""
        # Two-sided geometric noise of scale b is at the mean distance 1 / sinh(1 / b).
        return float(sum(share / np.sinh(float(self._rest / bound)) for bound, share in self._bounds()))


class NoisyLocalSensitivity(NumberMechanism):
    """``(epsilon, delta)``; triangles and two-triangles only.

    References
    ----------
    Karwa, Raskhodnikova, Smith and Yaroslavtsev (2011), Private analysis of graph structure; Canard, Olivier
    and Quertier (2017).
    """

    name = "nls"
    takes_delta = True

    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number."""
        if profile.bounds_to_buy == 0:
            raise ParameterError(
                "mechanism is 'nls', must be another one for this number; nls is for triangles and two_triangles"
            )
        return NoisyLocalSensitivityLaw(profile, amounts)


MECHANISM = NoisyLocalSensitivity()
