"""Student's t with four degrees of freedom, scaled by a rational and rounded to an integer: exact, without a logarithm.

With ``u = x / sqrt(4 + x**2)`` the distribution function is ``2 F(x) - 1 = (3 u - u**3) / 2``. Whether a
uniform real is below it at a rational ``x`` is a comparison of squares, which are rational: it is decided in integers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.numbers.base import SymmetricLaw

if TYPE_CHECKING:
    from edgedp.mechanisms.sampling.words import Words


class RoundedStudent(SymmetricLaw):
    """``center + round(scale T_4)``.

    Parameters
    ----------
    center : int
    scale : Fraction
        Positive.

    Examples
    --------
    >>> law = RoundedStudent(0, Fraction(1))
    >>> law.mass(np.array([-1, 0, 1])).round(4).tolist()
    [0.2177, 0.3567, 0.2177]
    """

    def __init__(self, center: int, scale: Fraction) -> None:
        super().__init__(center)
        self.scale = scale

    def draw(self, words: Words) -> int:
        """Draw from exactly this law."""
        negative = bool(int(words.take(1)[0]) & 1)
        digits, count = int(words.take(1)[0]), 1
        while True:
            bits = 64 * count
            # The topmost interval reaches to infinity, where no distance ends it: more digits take the draw out of it.
            if digits + 1 < 1 << bits:
                least, most = self._distance(digits, bits), self._distance(digits + 1, bits)
                if least == most:
                    return self.center - least if negative else self.center + least
            digits = digits << 64 | int(words.take(1)[0])
            count += 1

    def _distance(self, digits: int, bits: int) -> int:
        """Return the least ``z`` with ``Pr[|noise| <= z] >= digits / 2**bits``, a proper fraction."""
        high = 1
        while not self._holds(high, digits, bits):
            high *= 2
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            if self._holds(middle, digits, bits):
                high = middle
            else:
                low = middle
        return high

    def _holds(self, z: int, digits: int, bits: int) -> bool:
        x = (2 * z + 1) / (2 * self.scale)
        top, bottom = x.numerator**2, x.denominator**2
        whole = 4 * bottom + top  # u**2 = top / whole
        # Both sides squared, so that a root of a rational is compared without computing it.
        return digits**2 * 4 * whole**3 <= top * (3 * whole - top) ** 2 << 2 * bits

    def noise_mass(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of noise of exactly ``+d``, for each distance ``d >= 0``."""
        d = distances.astype(np.float64)
        scale = float(self.scale)
        inner, outer = np.maximum(d - 0.5, 0) / scale, (d + 0.5) / scale
        a, b = _u(inner), _u(outer)
        # With v = 1 - u the tail is v**2 (3 - v) / 2: differences of it are taken factor by factor.
        width = np.where(d > 0, 1.0, 0.5) / scale
        gap = 4 * width * (inner + outer) / ((4 + inner**2) * (4 + outer**2) * (a + b))
        va, vb = _one_minus_u(inner), _one_minus_u(outer)
        between = gap * (3 * (va + vb) - (va * va + va * vb + vb * vb)) / 4
        return np.where(d > 0, between, 2 * between)

    def noise_tail(self, distance: int) -> float:
        """Return the probability of noise of ``+d`` or more, ``d >= 1``."""
        v = _one_minus_u(np.array([(distance - 0.5) / float(self.scale)]))[0]
        return float(v * v * (3 - v) / 4)

    def mean_distance(self) -> float:
        """Return the mean distance before rounding: ``E|T_4|`` is 1."""
        return float(self.scale)


def _u(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x / np.sqrt(4 + x * x)


def _one_minus_u(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 4 / ((4 + x * x) * (1 + _u(x)))
