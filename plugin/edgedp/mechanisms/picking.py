"""How nodes are picked one after the other: which score, and which sampler turns it into picks.

One frozen class for each way to make a score of a utility. It scores what it is given, and its parameters are those
that a release shows. A further one says all that `Scoring` asks, so that nothing that privacy rests on is inherited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.scores.dampening import SensitivityAt, locally_dampened, shifted
from edgedp.words.vocabulary import SamplerName, Sensitivity, Shift, UndampenedName

if TYPE_CHECKING:
    from edgedp.mechanisms.pareto.profile import ParetoProfile

Form = TypeVar("Form", bound=str)
"""What the sensitivities are computed from: a form of metrics, or one of Pareto scores."""

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class Local(Protocol):
    """The sensitivities of some utilities, both as shares of the global sensitivity."""

    @property
    def last(self) -> int:
        """The distance from which `delta` no longer changes."""

    @property
    def delta(self) -> SensitivityAt:
        """Returns ``delta(t) / GS`` of some rows."""

    def shifted_sums(self) -> _Floats:
        """Return ``sum over t of (1 - delta(t) / GS)`` of every row."""


class Scoring(ABC):
    """What each way to score says of itself."""

    keeps_monotone: ClassVar[bool] = False
    """Whether the score of a monotone utility is monotone, so that its noise needs no factor 2."""

    @property
    @abstractmethod
    def scaled_to(self) -> Sensitivity:
        """Which sensitivity the noise is scaled to, in the word of `edgedp.motkin`."""

    @abstractmethod
    def of_shares(self, values: _Floats, local: Local) -> _Floats:
        """Return the scores of utilities that are given as shares of the global sensitivity."""

    @abstractmethod
    def of_ranks(self, scores: _Ints, cap: int, profile: Callable[[], ParetoProfile]) -> _Ints | None:
        """Return the scores of Pareto scores in units of ``1 / cap``; None where they are no whole numbers."""

    @abstractmethod
    def best_common(self, best: _Floats, low: _Ints, high: _Ints) -> _Ints:
        """Return the most common neighbours, within bounds, that give the highest score; delta rises with them."""


@dataclass(frozen=True)
class Undampened(Scoring):
    """The utility over its global sensitivity; ``pf`` is ``em`` with permute-and-flip."""

    form: ClassVar[None] = None
    # Dividing by one constant for all keeps the order of the utilities, and with it that no edge lowers any.
    keeps_monotone = True
    scaled_to: ClassVar[Sensitivity] = "global"

    name: UndampenedName
    sampler: SamplerName

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release shows of it."""
        return {"mechanism": self.name, "sampler": self.sampler}

    def of_shares(self, values: _Floats, local: Local) -> _Floats:
        """Return them as they are."""
        return values

    def of_ranks(self, scores: _Ints, cap: int, profile: Callable[[], ParetoProfile]) -> _Ints:
        """Return them as they are."""
        return scores

    def best_common(self, best: _Floats, low: _Ints, high: _Ints) -> _Ints:
        """Return any: the score does not depend on it."""
        return low


@dataclass(frozen=True)
class Dampened(Scoring, Generic[Form]):
    """Local dampening."""

    name: ClassVar[Literal["ld"]] = "ld"
    # `keeps_monotone` is not claimed: an edge moves delta as well, so the quotient may fall where the utility rises.
    scaled_to: ClassVar[Sensitivity] = "local"

    sampler: SamplerName
    form: Form

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release shows of it."""
        return {"mechanism": self.name, "sampler": self.sampler, "sensitivity_form": self.form}

    def of_shares(self, values: _Floats, local: Local) -> _Floats:
        """Return the dampened utilities."""
        return locally_dampened(values, local.delta, local.last)

    def of_ranks(self, scores: _Ints, cap: int, profile: Callable[[], ParetoProfile]) -> None:
        """Return None: dampened scores are quotients."""

    def best_common(self, best: _Floats, low: _Ints, high: _Ints) -> _Ints:
        """Return the fewest where the utility is not negative: a larger delta brings a score nearer to 0."""
        return np.where(best >= 0, low, high)


@dataclass(frozen=True)
class ShiftDampened(Scoring, Generic[Form]):
    """Local dampening in its shifted limit."""

    name: ClassVar[Literal["sld"]] = "sld"
    scaled_to: ClassVar[Sensitivity] = "local"

    sampler: SamplerName
    form: Form
    shift: Shift

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release shows of it."""
        shown = {"mechanism": self.name, "sampler": self.sampler, "sensitivity_form": self.form}
        return shown | {"shift": self.shift}

    def of_shares(self, values: _Floats, local: Local) -> _Floats:
        """Return the shifted limit of the dampened utilities."""
        return shifted(values, local.shifted_sums(), 1.0, self.shift)

    def of_ranks(self, scores: _Ints, cap: int, profile: Callable[[], ParetoProfile]) -> _Ints:
        """Return the shifted limit, in whole multiples of the cap's inverse."""
        sums = profile().shifted_sum(cap)
        match self.shift:
            case "up":
                return scores - sums
            case "down":
                return scores + sums
            case _:
                assert_never(self.shift)

    def best_common(self, best: _Floats, low: _Ints, high: _Ints) -> _Ints:
        """Return the most for ``up``, where the score rises with delta, and the fewest for ``down``."""
        match self.shift:
            case "up":
                return high
            case "down":
                return low
            case _:
                assert_never(self.shift)


Picking = Undampened | Dampened[Form] | ShiftDampened[Form]
