"""Draws that are watched: what they ask their projection for, every call of noise, and what noise is added to.

`watched` wraps the samplers of `edgedp.sampling`, the laws of numbers and the noisy vectors, wherever the package holds
them, for one draw. See `coupling` for what is made of it.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edgedp.mechanisms import joint
from edgedp.mechanisms.adaptive import vectors
from edgedp.mechanisms.numbers.base import NumberLaw
from edgedp.projection import GraphProjection, NumberProjection, Projection
from edgedp.sampling.late import LateWords

Ints = NDArray[Any]

SAMPLERS = {
    "two_sided_geometric": "noise",
    "top_k_with_random_ties": "selection",
    "top_k_gumbel": "selection",
    "top_k_permute_and_flip": "selection",
    "one_pick": "selection",
    "first_places": "selection",
    "integers_below": "words",
    "random_order": "words",
    "certain_floor": "words",
    "certainly_reaches": "words",
    "certain_order": "words",
}
"""The functions of `edgedp.sampling` that take words: noise for arrays, what selects, what words are turned into."""


for _folder in ("mechanisms", "numbers", "sampling", "counts"):
    # Whatever a draw would import while it is watched would keep what watches it.
    _package = import_module(f"edgedp.{_folder}")
    for _found in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        import_module(_found.name)


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


class Watched:
    """A projection that notes what it is asked for, and has nothing but the methods of a projection."""

    def __init__(self, real: GraphProjection, run: Run) -> None:
        self.node_ids, self.engine = real.node_ids, real.engine
        for name in projected():
            setattr(self, name, self._watching(name, getattr(real, name), run))

    @staticmethod
    def _watching(name: str, method: Callable[..., Any], run: Run) -> Callable[..., Any]:
        signature = inspect.signature(method)

        def watched(*args: Any, **named: Any) -> Any:
            bound = signature.bind(*args, **named)
            bound.apply_defaults()
            kept = {
                each: np.array(value) if isinstance(value, np.ndarray) else value
                for each, value in bound.arguments.items()
            }
            run.reads.append(Read(name, kept))
            return method(*args, **named)

        return watched


def projected() -> list[str]:
    """Return the methods of a projection by name."""
    return sorted({
        name
        for protocol in (Projection, NumberProjection)
        for name, member in vars(protocol).items()
        if inspect.isfunction(member) and not name.startswith("_")
    })  # fmt: skip


# -- one draw, watched --------------------------------------------------------------------------------------


@contextmanager
def watched(run: Run, source: NumberedWords, first: Run | None, second: list[Ints]) -> Iterator[None]:
    """Watch every sampler, law and noisy vector of the package; in a second run noise is that of `second`."""
    patch = pytest.MonkeyPatch()
    inside: list[str] = []

    def begin(name: str, words: Any, arguments: tuple[Any, ...]) -> Call | None:
        if words is not source:
            raise AssertionError(
                f"{name} takes its words from {type(words).__name__}, must take them from the one source"
            )
        call = None if inside else Call(name, arguments, source.at, source.at)
        inside.append(name)
        return call

    def end(call: Call | None, least: int) -> None:
        inside.pop()
        if call is None:
            return
        call.stop = source.at
        if call.stop - call.start < least:
            raise AssertionError(
                f"{call.name} took {call.stop - call.start} words, must take {least} or more"
            )
        run.calls.append(call)

    def noise(real: Callable[..., Ints]) -> Callable[..., Ints]:
        @wraps(real)
        def drawn(count: int, scale: Fraction, words: Any) -> Ints:
            call = begin("noise", words, (count, scale))
            number = len(run.purchases)
            if call is None:
                values: Ints = real(count, scale, words)
                end(call, 0)
                return values
            values = np.asarray(real(count, scale, words)) if first is None else replayed(number, call)
            end(call, 2 * count)
            purchase = Purchase(count, scale, values, run)
            run.bought.append(purchase)
            return Noise.of(purchase, values.copy(), np.arange(count))

        return drawn

    def replayed(number: int, call: Call) -> Ints:
        assert first is not None
        assert number < len(second), "(d) noise is asked for more often on the second graph"
        source.at = forwarded(call)
        return second[number]

    def forwarded(call: Call) -> int:
        """Return where the first run's words went on after the same call."""
        assert first is not None
        before = first.calls[len(run.calls)] if len(run.calls) < len(first.calls) else None
        assert before is not None, f"(d) {call.name} is called on the second graph alone"
        assert (before.name, before.start) == (call.name, call.start), "(d) the order of calls differs"
        return before.stop

    def law(real: Callable[..., int]) -> Callable[..., int]:
        @wraps(real)
        def drawn(self: NumberLaw, words: Any) -> int:
            call = begin(f"law {type(self).__name__}", words, ())
            if call is None:
                value = real(self, words)
                end(None, 0)
                return value
            if first is None:
                value = real(self, words)
            else:
                source.at = forwarded(call)
                before = first.bought[len(run.bought)]
                assert isinstance(before, Number), "(d) a number is drawn on the second graph alone"
                value = before.value
            end(call, 0)
            run.bought.append(Number(self, value))
            return value

        return drawn

    def other(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(real)

        @wraps(real)
        def called(*args: Any, **named: Any) -> Any:
            bound = signature.bind(*args, **named).arguments
            call = begin(
                name, bound["words"], tuple(told(value) for each, value in bound.items() if each != "words")
            )
            try:
                return real(*args, **named)
            finally:
                end(call, bound.get("k", 0) if isinstance(bound.get("k", 0), int) else 0)

        return called

    def release(real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def made(*args: Any, **named: Any) -> Any:
            result = real(*args, **named)
            kept = result if isinstance(result, np.ndarray) else getattr(args[0], "integers", None)
            if isinstance(kept, np.ndarray):
                run.released.append(np.array(kept))
            return result

        return made

    try:
        wrapped = {
            function: noise(function)
            if SAMPLERS[function.__name__] == "noise"
            else other(function.__name__, function)
            for function in samplers()
        }
        wrapped[joint.noisy] = release(joint.noisy)
        for place, name in using(*wrapped):
            found = vars(place)[name]  # what a sabotage put there is not watched
            patch.setattr(place, name, wrapped.get(found, found))
        for each in every_law():
            if "draw" in vars(each):
                patch.setattr(each, "draw", law(vars(each)["draw"]))
        patch.setattr(vectors.NoisyVector, "__init__", release(vectors.NoisyVector.__init__))
        yield
    finally:
        patch.undo()


@cache
def samplers() -> list[Callable[..., Any]]:
    """Return the functions of `edgedp.sampling` that take words."""
    return [
        value
        for name, place in sorted(sys.modules.items())
        if name.startswith("edgedp.sampling.")
        for value in vars(place).values()
        if inspect.isfunction(value)
        and value.__module__ == name
        and not value.__name__.startswith("_")
        and "words" in inspect.signature(value).parameters
    ]


@cache
def using(*functions: Callable[..., Any]) -> list[tuple[ModuleType, str]]:
    """Return where the package holds these functions: modules, and the names there."""
    return [
        (place, name)
        for place in list(sys.modules.values())
        if getattr(place, "__name__", "").startswith("edgedp")
        for name, value in vars(place).items()
        if inspect.isfunction(value) and value in functions
    ]


def every_law() -> Iterator[type[NumberLaw]]:
    """Yield all classes of laws of numbers that were imported."""
    waiting: list[type[NumberLaw]] = NumberLaw.__subclasses__()
    while waiting:
        waiting += (found := waiting.pop()).__subclasses__()
        yield found
