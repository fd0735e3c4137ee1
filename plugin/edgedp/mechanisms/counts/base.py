"""What every count provides, and the sensitivity profile that the mechanisms read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import NumberProjection

Curve = tuple[tuple[str, str], ...]
"""Knots ``(epsilon, B epsilon)`` in rising order, as decimal texts: how much slower rungs grow than epsilon would let
them. Public, like what is counted and the declared bound that it follows."""

FLAT: Curve = (("0.05", "10"), ("0.1", "20"), ("3", "20"), ("6", "30"))
"""For profiles that hardly grow within ``1 / epsilon`` edges."""
BENT: Curve = (("0.1", "10"), ("0.3", "12"), ("1", "14"), ("2", "16"), ("3", "20"), ("6", "32"))
"""For profiles that grow in proportion to a figure that may be small."""
STEEP: Curve = (
    ("0.03", "8"),
    ("0.1", "10"),
    ("0.3", "12"),
    ("2", "12"),
    ("3.5", "9.4"),
    ("4", "10.2"),
)
"""For profiles that grow with the square of a figure of many nodes."""
STEEPER: Curve = (("0.1", "5"), ("0.3", "8"), ("1", "10"), ("2", "12"), ("3", "14"), ("6", "26"))
"""For profiles that grow with the square of a figure of one node."""
STEEPEST: Curve = (
    ("0.075", "2.5"),
    ("0.1", "3"),
    ("0.3", "3"),
    ("0.5", "5"),
    ("1", "8"),
    ("2", "13"),
    ("6", "39"),
)
"""For profiles that grow without end towards their ceiling."""


@dataclass(frozen=True)
class Bounds:
    """The public facts that sensitivities rest on.

    Parameters
    ----------
    node_count : int
    degree_bound : int
        The effective one, at most ``node_count - 1``.
    """

    node_count: int
    degree_bound: int

    @property
    def most_common(self) -> int:
        """``m``: the most neighbours that two nodes can share while the edge between them may be added."""
        return max(self.degree_bound - 1, 0)


@dataclass(frozen=True)
class Profile:
    """A number and how far one edge can move it, here and within distance ``t``: what every mechanism reads.

    Attributes
    ----------
    value : int
        ``f(G)`` in units of ``2**-bits``.
    steps : tuple of int
        ``I_0, I_1, ...`` while they are below the ceiling, nondecreasing.
    ceiling : int
        ``C``, public: ``I_t`` from there on.
    maximum : int
        The largest value that any graph within the bounds has; public.
    bits : int
        The unit is ``2**-bits``; public.
    leading : int or None
        The figure that the profile follows (`Count.leading`); one edge moves it by at most 1.
    bounds_to_buy : int
        What `nls` has to make noisy before the number (`Count.bounds_to_buy`).
    curve : tuple
        How slowly the rungs of `calibrated` grow (`edgedp.mechanisms.numbers.rungs`); public.

    Notes
    -----
    Admissible: (1) ``I_0(G) >= |f(G) - f(H)|`` and (2) ``I_{t+1}(G) >= I_t(H)`` for all neighbours ``H`` of ``G``.

    Privacy: `value`, `steps` and `leading` are computed from private edges.
    """

    value: int
    steps: tuple[int, ...]
    ceiling: int
    maximum: int
    bits: int = 0
    leading: int | None = None
    bounds_to_buy: int = 0
    curve: Curve = FLAT

    def at(self, t: int) -> int:
        """Return ``I_t``."""
        return self.steps[t] if t < len(self.steps) else self.ceiling


class Count(ABC):
    """A number of a graph with its sensitivities under edge-DP; its fields are the options it takes.

    Notes
    -----
    Neighbouring graphs differ by one edge and both keep the public degree bound. All figures are integers in
    units of ``2**-bits``.
    """

    name: ClassVar[str]
    """The name in every interface; also the name of the module."""
    default_mechanism: ClassVar[str] = "calibrated"
    """What is drawn from where nothing else is asked for; public."""
    parts: ClassVar[tuple[tuple[str, Fraction], ...]] = ()
    """For a number that is computed from other noisy ones: their names and shares of epsilon."""

    bounds_to_buy: ClassVar[int] = 0
    """For `nls`: 1 where the local sensitivity is the leading figure, 2 where it moves by at most four times that."""

    bar_may_say_nothing: ClassVar[bool] = False
    """Whether noise grows with the square of the figure that a bar buys, so that a bar can be as wide as the range:
    it is then refused."""

    def bits(self, bounds: Bounds) -> int:
        """Return the binary places of the unit."""
        return 0

    @abstractmethod
    def maximum(self, bounds: Bounds) -> int:
        """Return the largest value that a graph can have, in units."""

    @abstractmethod
    def global_sensitivity(self, bounds: Bounds) -> int:
        """Return ``C``: by how much one edge can move the number in any graph, in units."""

    @abstractmethod
    def value(self, projection: NumberProjection, bounds: Bounds) -> int:
        """Return the exact number, in units."""

    @abstractmethod
    def sensitivities(self, projection: NumberProjection, bounds: Bounds) -> Iterable[int]:
        """Yield ``I_0, I_1, ...``, nondecreasing, until one reaches `global_sensitivity` or for ever."""

    def real_within(self, low: int, high: int, bounds: Bounds) -> tuple[int, int]:
        """Return ends, in units, of where the real number lies whose integer lies between `low` and `high`.

        They are the same where the number is an integer; a number of one node is rounded to its grid.
        """
        return low, high

    def curve(self, bounds: Bounds) -> Curve:
        """Return how slowly the rungs of `calibrated` grow: from public facts, by the shape that its profiles have."""
        return FLAT

    def leading(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        """Return the figure ``z`` of which the profile is a nondecreasing function of ``z + t``.

        One edge moves it by at most 1, so a noisy bound of it bounds the noise (an error bar). None where
        there is none.
        """
        return None

    @classmethod
    def follows_one_figure(cls) -> bool:
        """Say whether an error bar can be bought: whether the count bounds its profile by one figure."""
        return cls.sensitivities_from is not Count.sensitivities_from

    def bar_figure(self, projection: NumberProjection, bounds: Bounds) -> int | None:
        """Return the figure that an error bar buys; one edge moves it by at most 1."""
        return self.leading(projection, bounds)

    def bar_steps(self, figure: int, bounds: Bounds) -> Iterable[int]:
        """Yield what ``I_0, I_1, ...`` are at most where `bar_figure` is at most this."""
        return self.sensitivities_from(figure, bounds)

    def sensitivities_from(self, leading: int, bounds: Bounds) -> Iterable[int]:
        """Yield what ``I_0, I_1, ...`` are at most where `leading` is at most this."""
        raise NotImplementedError


def profile_of(count: Count, projection: NumberProjection, bounds: Bounds) -> Profile:
    """Return a count's profile in a projection, cut off where it reaches its ceiling."""
    ceiling = count.global_sensitivity(bounds)
    maximum, bits = count.maximum(bounds), count.bits(bounds)
    if ceiling == 0:
        return Profile(0, (), 0, 0, bits)
    # From a public distance on all may count as the ceiling, which stays admissible. No count takes so long: one that
    # never arrives would fill the memory.
    steps = below(ceiling, islice(count.sensitivities(projection, bounds), 2 * bounds.degree_bound + 2))
    return Profile(
        count.value(projection, bounds),
        steps,
        ceiling,
        maximum,
        bits,
        count.leading(projection, bounds),
        count.bounds_to_buy,
        count.curve(bounds),
    )


def sensitivity_at(count: Count, projection: NumberProjection, bounds: Bounds, t: int) -> int:
    """Return ``I_t`` as `profile_of` has it, without the number itself, which may take much longer."""
    ceiling = count.global_sensitivity(bounds)
    if ceiling == 0:
        return 0
    for place, step in enumerate(count.sensitivities(projection, bounds)):
        if step >= ceiling or place == t:
            return min(step, ceiling)
    return ceiling


def below(ceiling: int, sensitivities: Iterable[int]) -> tuple[int, ...]:
    """Return the sensitivities before the first that reaches the ceiling: from there on all count as the ceiling."""
    return tuple(takewhile(lambda step: step < ceiling, sensitivities))
