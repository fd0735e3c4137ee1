"""Two-sided geometric noise (the discrete Laplace law), exact for every rational scale.

For standard exponential ``E`` and a rational scale ``b``, ``floor(b * E)`` is geometric:
``Pr[floor(b * E) >= g] = exp(-g / b)``. The difference of two independent ones is two-sided geometric,
``Pr[z] ~ exp(-|z| / b)``.

A large scale would ask for more digits of ``E`` than a float has, so it is split: with ``M`` a power of two,
``g = M * high + low`` makes ``high`` geometric of scale ``b / M`` and ``low``, independent of it,
proportional to ``exp(-low / b)`` on ``0 .. M - 1``; ``low`` is drawn uniformly and accepted if another
exponential reaches ``low / b`` (Canonne, Kamath & Steinke 2020 split in the same way). ``M`` is chosen
so that ``b / M`` is about a thousand: floors are then nearly always certain in float64, and nearly every
``low`` is accepted. Whatever is not certain is settled in rational arithmetic with more words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.sampling.noise import EXPONENTIAL, LazyReal
from edgedp.mechanisms.sampling.refine import certain_floor, certainly_reaches
from edgedp.mechanisms.sampling.words import Words
from edgedp.words.errors import ParameterError

__all__ = ["Refinable", "two_sided_geometric"]

_HIGH_BITS = 10
_INT64_BITS = 62
_SLACK = 2.0**-48
"""Relative: 32 units in the last place; at most five operations lie between a bound and its comparison."""


def two_sided_geometric(count: int, scale: Fraction, words: Words) -> NDArray[Any]:
    """Draw independent integers ``z`` with ``Pr[z]`` exactly proportional to ``exp(-|z| / scale)``.

    Parameters
    ----------
    count : int
        How many.
    scale : Fraction
        Positive; L1 sensitivity of the integers that the noise is added to, over epsilon.
    words : Words
        Source of randomness.

    Returns
    -------
    (count,) int64 array, or object array of Python integers
        int64 when the scale is below ``2**54`` and every value below ``2**62``, as is nearly certain then.
        Sums with integers below ``2**62`` do not overflow.

    Raises
    ------
    ParameterError
        The scale is not positive, or absurdly large.

    Notes
    -----
    Privacy: integers with L1 sensitivity ``scale * epsilon`` (one edge) plus this noise are
    ``epsilon``-edge-differentially private, and so is whatever is computed from them.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> two_sided_geometric(3, Fraction(1, 1000), SecureWords()).tolist()
    [0, 0, 0]

    References
    ----------
    Ghosh, Roughgarden & Sundararajan, *Universally utility-maximizing privacy mechanisms*, STOC 2009.
    """
    return Refinable.drawn(count, scale, words).noise


@dataclass(frozen=True)
class Refinable:
    """Two-sided geometric noise as the difference of its two halves, which can be made smaller by more epsilon.

    A half of scale ``L / e`` counts trials until the first failure. The smaller one of it and of a fresh half of scale
    ``L / d`` is a half of scale ``L / (e + d)``, and what was lost in between is independent of what is left: so a
    value that was released with the larger noise and again with the smaller one costs ``e + d`` in all, whatever `d`
    followed from (docs/privacy.md, "Until sure").

    Attributes
    ----------
    plus, minus : (count,) int64 array, or object array of Python integers
        The halves, 0 or more. They stay in the process that draws: who has them has the exact values.
    scale : Fraction
        ``L / e``, of the noise as it is now.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> wide = Refinable.drawn(4, Fraction(10), SecureWords())
    >>> narrow = wide.refined(Fraction(10), SecureWords())
    >>> narrow.scale, bool((narrow.plus <= wide.plus).all())
    (Fraction(5, 1), True)

    References
    ----------
    Koufogiannis, Han & Pappas, *Gradual release of sensitive data under differential privacy*, 2017 (Laplace noise).
    """

    plus: NDArray[Any] = field(repr=False)
    minus: NDArray[Any] = field(repr=False)
    scale: Fraction

    @classmethod
    def drawn(cls, count: int, scale: Fraction, words: Words) -> Refinable:
        """Draw noise; parameters as for `two_sided_geometric`."""
        if not 0 < scale < 2**1000:
            raise ParameterError(
                f"scale is {scale}, must be above 0 and below 2**1000; add no noise if nothing can differ"
            )
        magnitudes = _geometric(2 * count, scale, words)
        return cls(magnitudes[:count], magnitudes[count:], scale)

    @property
    def noise(self) -> NDArray[Any]:
        """(count,) what is added to the values."""
        noise: NDArray[Any] = self.plus - self.minus
        return noise

    def refined(self, scale: Fraction, words: Words) -> Refinable:
        """Return the noise made smaller by fresh halves of a scale: ``L`` over the epsilon that is added."""
        fresh = Refinable.drawn(len(self.plus), scale, words)
        return Refinable(
            # The halves and not the noise: the smaller of two halves is a half again, with a known law.
            np.minimum(self.plus, fresh.plus),
            np.minimum(self.minus, fresh.minus),
            1 / (1 / self.scale + 1 / scale),
        )


def _geometric(count: int, scale: Fraction, words: Words) -> NDArray[Any]:
    low_bits = max(0, int(scale).bit_length() - 1 - _HIGH_BITS)
    high: NDArray[Any] = _floors(count, scale / 2**low_bits, words)
    if low_bits == 0:
        return high
    low = _truncated(count, low_bits, scale, words)
    if int(high.max(initial=0)).bit_length() + low_bits > _INT64_BITS:
        high, low = high.astype(object), low.astype(object)
    joined: NDArray[Any] = high * 2**low_bits + low
    return joined


def _floors(count: int, factor: Fraction, words: Words) -> NDArray[np.int64]:
    """Return floors of exponential noise times a factor below ``2**11``."""
    first = words.take(count)
    low, high = EXPONENTIAL.enclose(first)
    least = np.floor(np.maximum(low, 0) * (float(factor) * (1 - _SLACK)))
    open_cases = np.flatnonzero(least != np.floor(high * (float(factor) * (1 + _SLACK))))
    floors = least.astype(np.int64)
    for case in open_cases.tolist():
        floors[case] = certain_floor(LazyReal(EXPONENTIAL, int(first[case])), factor, words)
    return floors


def _truncated(count: int, bits: int, scale: Fraction, words: Words) -> NDArray[Any]:
    """Return integers below ``2**bits`` with probabilities proportional to ``exp(-value / scale)``."""
    values = _uniform_bits(count, bits, words)
    pending = np.flatnonzero(~_survive(values, scale, words))
    while pending.size:
        # Value and exponential are both drawn anew: one of them kept would be another law, given that it was refused.
        values[pending] = _uniform_bits(pending.size, bits, words)
        pending = pending[~_survive(values[pending], scale, words)]
    return values


def _uniform_bits(count: int, bits: int, words: Words) -> NDArray[Any]:
    """Return uniform integers below ``2**bits``."""
    if bits <= _INT64_BITS:
        return (words.take(count) >> np.uint64(64 - bits)).astype(np.int64)
    upper = _uniform_bits(count, bits - _INT64_BITS, words).astype(object)
    joined: NDArray[Any] = upper * 2**_INT64_BITS + _uniform_bits(count, _INT64_BITS, words)
    return joined


def _survive(values: NDArray[Any], scale: Fraction, words: Words) -> NDArray[np.bool_]:
    """Accept each value with probability ``exp(-value / scale)``: if exponential noise reaches it."""
    first = words.take(len(values))
    low, high = EXPONENTIAL.enclose(first)
    quotient = values.astype(np.float64) / float(scale)
    accepted = low >= quotient * (1 + _SLACK)
    for case in np.flatnonzero(~accepted & (high >= quotient * (1 - _SLACK))).tolist():
        noise = LazyReal(EXPONENTIAL, int(first[case]))
        accepted[case] = certainly_reaches(noise, int(values[case]) / scale, words)
    return accepted
