"""What every mechanism and every law of a number provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from edgedp.mechanisms.counts.base import Profile
    from edgedp.mechanisms.sampling.words import Words


@dataclass(frozen=True)
class Amounts:
    """What a release may cost.

    Parameters
    ----------
    epsilon : Fraction
        Positive.
    delta : Fraction, optional
        Only for mechanisms that are not pure.
    """

    epsilon: Fraction
    delta: Fraction | None = None


class NumberLaw(ABC):
    """The law of a noisy integer."""

    @abstractmethod
    def draw(self, words: Words) -> int:
        """Draw from exactly this law."""

    @abstractmethod
    def mass(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of each of the integers."""

    @abstractmethod
    def at_most(self, value: int) -> float:
        """Return the probability of everything up to an integer."""

    @abstractmethod
    def at_least(self, value: int) -> float:
        """Return the probability of everything from an integer on."""

    def cut(self, values: NDArray[Any], most: int) -> NDArray[np.float64]:
        """Return the probabilities of integers after the answer was cut to ``0 .. most``."""
        if most == 0:
            return np.asarray(values == 0, dtype=np.float64)
        probabilities = np.zeros(len(values))
        inside = np.asarray((values > 0) & (values < most), dtype=bool)
        if inside.any():
            probabilities[inside] = self.mass(values[inside])
        for end, share in ((0, self.at_most), (most, self.at_least)):
            here = np.asarray(values == end, dtype=bool)
            if here.any():
                probabilities[here] = share(end)
        return probabilities


class SymmetricLaw(NumberLaw):
    """An integer plus noise that is as likely on either side.

    Parameters
    ----------
    center : int
        The exact integer.
    """

    def __init__(self, center: int) -> None:
        self.center = center

    @abstractmethod
    def noise_mass(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of noise of exactly ``+d``, for each distance ``d >= 0``."""

    @abstractmethod
    def noise_tail(self, distance: int) -> float:
        """Return the probability of noise of ``+d`` or more, ``d >= 1``."""

    def mass(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probability of each of the integers."""
        return self.noise_mass(np.abs(values - self.center))

    def at_most(self, value: int) -> float:
        """Return the probability of everything up to an integer."""
        return self._beyond(self.center - value)

    def at_least(self, value: int) -> float:
        """Return the probability of everything from an integer on."""
        return self._beyond(value - self.center)

    def _beyond(self, distance: int) -> float:
        """Return the probability of noise of at least `distance`, of either sign."""
        return self.noise_tail(distance) if distance > 0 else 1.0 - self.noise_tail(1 - distance)


class Known(SymmetricLaw):
    """No noise: the law of a number that no edge can move."""

    def draw(self, words: Words) -> int:
        """Return the number."""
        return self.center

    def noise_mass(self, distances: NDArray[Any]) -> NDArray[np.float64]:
        """Return 1 where there is no noise."""
        return np.asarray(distances == 0, dtype=np.float64)

    def noise_tail(self, distance: int) -> float:
        """Return 0: there is no noise."""
        return 0.0


class NumberMechanism(ABC):
    """A mechanism for one number."""

    name: ClassVar[str]
    needs_delta: ClassVar[bool] = True
    """False where the promise is a pure epsilon; any other release has no place on a ledger."""
    takes_delta: ClassVar[bool] = False
    """True where delta may be given."""
    public_scale: ClassVar[bool] = False
    """True where the noise does not follow the graph: its scale may then be shown."""
    most_epsilon: ClassVar[int | None] = None
    """With delta: the largest epsilon for which the promise is proved."""

    def law(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the number that is released, in the profile's units."""
        # Where no edge can move the number within the public bounds, noise would protect nothing.
        return Known(profile.value) if profile.ceiling == 0 else self.noisy(profile, amounts)

    @abstractmethod
    def noisy(self, profile: Profile, amounts: Amounts) -> NumberLaw:
        """Return the law of the noisy number; some edge can move it."""
