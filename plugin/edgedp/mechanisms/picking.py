"""How nodes are picked one after the other: which score, and which sampler turns it into picks.

One frozen class for each way to make a score of a utility. Its parameters are those that a release shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from edgedp.words.vocabulary import SamplerName, Shift, UndampenedName

__all__ = ["Dampened", "Picking", "ShiftDampened", "Undampened"]

Form = TypeVar("Form", bound=str)
"""What the sensitivities are computed from: a form of metrics, or one of Pareto scores."""


@dataclass(frozen=True)
class Undampened:
    """The utility over its global sensitivity; ``pf`` is ``em`` with permute-and-flip."""

    name: UndampenedName
    sampler: SamplerName

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release shows of it."""
        return {"mechanism": self.name, "sampler": self.sampler}


@dataclass(frozen=True)
class Dampened(Generic[Form]):
    """Local dampening."""

    name: ClassVar[Literal["ld"]] = "ld"
    sampler: SamplerName
    form: Form

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release shows of it."""
        return {"mechanism": self.name, "sampler": self.sampler, "sensitivity_form": self.form}


@dataclass(frozen=True)
class ShiftDampened(Generic[Form]):
    """Local dampening in its shifted limit."""

    name: ClassVar[Literal["sld"]] = "sld"
    sampler: SamplerName
    form: Form
    shift: Shift

    @property
    def parameters(self) -> dict[str, Any]:
        """What a release shows of it."""
        shown = {"mechanism": self.name, "sampler": self.sampler, "sensitivity_form": self.form}
        return shown | {"shift": self.shift}


Picking = Undampened | Dampened[Form] | ShiftDampened[Form]
