"""What a watched draw leaves behind: numbered words, what was asked for, and noise that knows where it goes.

`watching` watches a draw, `coupling` judges two of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.numbers.base import NumberLaw
from edgedp.mechanisms.sampling.late import LateWords

Ints = NDArray[Any]

# -- words ----------------------------------------------------------------------------------------------


class Tape:
    """The words of one coupling, the same in both runs: word number i is the i-th of a seeded generator."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._words = np.zeros(0, dtype=np.uint64)

    def __getitem__(self, span: slice) -> NDArray[np.uint64]:
        while len(self._words) < span.stop:
            more = self._random.integers(0, 2**64 - 1, size=1 << 14, dtype=np.uint64, endpoint=True)
            self._words = np.concatenate([self._words, more])
        return self._words[span].copy()


class NumberedWords:
    """A source that numbers its words and hands out each once."""

    private = True

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.at = 0

    def take(self, count: int) -> NDArray[np.uint64]:
        start, self.at = self.at, self.at + count
        return self._tape[start : self.at]

    def take_lazily(self, count: int) -> LateWords:
        return LateWords(count, self.take)

    def __copy__(self) -> Any:
        raise AssertionError("the source of words is copied: two readers would be handed the same words")

    __deepcopy__ = __reduce_ex__ = __copy__  # type: ignore[assignment]


# -- what a run leaves behind ---------------------------------------------------------------------------


@dataclass
class Read:
    """What the projection was asked for."""

    name: str
    arguments: dict[str, Any]

    @property
    def asked(self) -> tuple[Any, ...]:
        return (self.name, *((name, told(value)) for name, value in self.arguments.items()))

    @property
    def vector(self) -> dict[str, Any]:
        """The arguments but for the positions that were looked at."""
        return {name: value for name, value in self.arguments.items() if name != "positions"}


@dataclass
class Meeting:
    """Noise added to something: which entries of the noise, to what, and what came out."""

    entries: Ints
    exact: Ints
    noisy: Ints
    reads: int
    """How often the projection had been asked for something by then."""


@dataclass
class Purchase:
    """One call of noise, with all that was added to it; `vector` is found by its definition."""

    count: int
    scale: Fraction
    noise: Ints
    run: Run
    claim: int | None = None
    """By how much one edge may move the vector in L1, as the code says."""
    meetings: list[Meeting] = field(default_factory=list)
    vector: tuple[str, Read] | None = None


@dataclass
class Number:
    """One number drawn from a law of its own."""

    law: NumberLaw
    value: int


@dataclass
class Call:
    """A call of a sampler: what it was asked for, and which words it took."""

    name: str
    arguments: tuple[Any, ...]
    start: int
    stop: int


@dataclass
class Run:
    """Everything that one draw did."""

    reads: list[Read] = field(default_factory=list)
    bought: list[Purchase | Number] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    released: list[Ints] = field(default_factory=list)
    answer: Any = None

    @property
    def purchases(self) -> list[Purchase]:
        return [each for each in self.bought if isinstance(each, Purchase)]

    @property
    def noise_calls(self) -> list[Call]:
        return [call for call in self.calls if call.name == "noise" or call.name.startswith("law ")]


def told(value: Any) -> Any:
    """Return what is compared of an argument."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind, value.shape, tuple(value.ravel().tolist())
    if value is None or isinstance(value, (int, float, str, Fraction, tuple)):
        return value
    return type(value).__name__


# -- noise that knows where it goes -----------------------------------------------------------------------


class Noise(np.ndarray):
    """Noise of one purchase: it may be indexed, and added to something once."""

    purchase: Purchase
    entries: Ints

    @classmethod
    def of(cls, purchase: Purchase, values: Ints, entries: Ints) -> Noise:
        made = values.view(cls)
        made.purchase, made.entries = purchase, entries
        return made

    def __getitem__(self, where: Any) -> Any:
        found = self.view(np.ndarray)[where]
        if not isinstance(found, np.ndarray):
            raise AssertionError("a single entry of noise was taken out; add noise to a vector of one entry")
        return Noise.of(self.purchase, found.copy(), self.entries[where])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        both = [each for each in inputs if isinstance(each, Noise)]
        if ufunc is not np.add or method != "__call__" or named or len(both) != 1:
            raise AssertionError(f"noise went into {ufunc.__name__}, must only be added to an exact vector")
        (exact,) = (np.asarray(each) for each in inputs if not isinstance(each, Noise))
        if exact.shape != self.shape:
            raise AssertionError(f"noise of {self.shape} entries was added to {exact.shape}")
        noisy = exact + self.view(np.ndarray)
        self.purchase.meetings.append(
            Meeting(self.entries.copy(), exact.copy(), noisy.copy(), len(self.purchase.run.reads))
        )
        return noisy

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise AssertionError(f"noise went into {function.__name__}, must only be added to an exact vector")
