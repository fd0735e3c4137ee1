"""Laplace noise of a rational scale, rounded to an integer."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import exp, expm1, floor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.numbers.base import SymmetricLaw
from edgedp.mechanisms.sampling.noise import EXPONENTIAL, LazyReal

if TYPE_CHECKING:
    from edgedp.mechanisms.sampling.words import Words


class RoundedLaplace(SymmetricLaw):
    """``center + sign round(scale E)`` with ``E`` standard exponential.

    Examples
    --------
    >>> law = RoundedLaplace(0, Fraction(1))
    >>> law.mass(np.array([-1, 0, 1])).round(4).tolist()
    [0.1917, 0.3935, 0.1917]
    """

    def __init__(self, center: int, scale: Fraction) -> None:
        super().__init__(center)
        self.scale = scale

    def draw(self, words: Words) -> int:
        """Draw from exactly this law."""
        negative = bool(int(words.take(1)[0]) & 1)
        noise = LazyReal(EXPONENTIAL, int(words.take(1)[0]))
        half = Fraction(1, 2)
        # Words are drawn until both ends of what is known of the noise round alike: no float decides about the answer.
        while True:
            low, high = noise.low, noise.high
            if isinstance(low, Fraction) and isinstance(high, Fraction):
                distance = floor(low * self.scale + half)
                if distance == floor(high * self.scale + half):
                    return self.center - distance if negative else self.center + distance
            noise.extend_from(words)

    def noise_mass(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of noise of exactly ``+d``, for each distance ``d >= 0``."""
        d, scale = distances.astype(np.float64), float(self.scale)
        apart = -0.5 * np.exp(-(d - 0.5) / scale) * expm1(-1 / scale)
        return np.where(d > 0, apart, -expm1(-0.5 / scale))

    def noise_tail(self, distance: int) -> float:
        """Return the probability of noise of ``+d`` or more, ``d >= 1``."""
        return exp(-(distance - 0.5) / float(self.scale)) / 2

    def mean_distance(self) -> float:
        """Return the mean distance before rounding."""
        return float(self.scale)


def log_above(x: Fraction) -> Fraction:
    """Return a rational just above ``ln x``, ``x > 1``.

    Examples
    --------
    >>> float(log_above(Fraction(10)))
    2.302585092994046
    """
    context = Context(50)
    quotient = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    # Fifty digits are right to within less than this, so the sum is never below the logarithm.
    return Fraction(context.ln(quotient)) + Fraction(1, 10**45)
