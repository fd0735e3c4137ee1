"""Draws that are watched: what they ask their projection for, every call of noise, and what noise is added to.

`watched` wraps the samplers of `edgedp.mechanisms.sampling`, the laws of numbers and the noisy vectors, wherever the
package holds them, for one draw. See `coupling` for what is made of it.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from edgedp.mechanisms import joint
from edgedp.mechanisms.adaptive import vectors
from edgedp.mechanisms.numbers.base import NumberLaw
from edgedp.mechanisms.projection import GraphProjection, NumberProjection, Projection
from watched_runs import Call, Ints, Noise, Number, NumberedWords, Purchase, Read, Run, told

SAMPLERS = {
    "two_sided_geometric": "noise",
    "top_k_with_random_ties": "selection",
    "top_k_gumbel": "selection",
    "top_k_permute_and_flip": "selection",
    "one_pick": "selection",
    "first_places": "selection",
    "uniform_below": "words",
    "random_order": "words",
    "certain_floor": "words",
    "certainly_reaches": "words",
    "certain_order": "words",
}
"""The functions of `mechanisms.sampling` that take words: noise for arrays, what selects, what words become."""


for _folder in ("mechanisms", "release.numbers"):
    # Whatever a draw would import while it is watched would keep what watches it.
    _package = import_module(f"edgedp.{_folder}")
    for _found in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        import_module(_found.name)


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
    claims: list[int] = []

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
            purchase = Purchase(count, scale, values, run, claims[-1] if claims else None)
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

    def claimed(real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def noise_of(count: int, sensitivity: int, *given: Any) -> Any:
            claims.append(sensitivity)
            try:
                return real(count, sensitivity, *given)
            finally:
                claims.pop()

        return noise_of

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
        wrapped |= {joint.noisy: release(joint.noisy), joint.noise_of: claimed(joint.noise_of)}
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
    """Return the functions of `edgedp.mechanisms.sampling` that take words."""
    return [
        value
        for name, place in sorted(sys.modules.items())
        if name.startswith("edgedp.mechanisms.sampling.")
        for value in vars(place).values()
        if inspect.isfunction(value)
        and value.__module__ == name
        and not value.__name__.startswith("_")
        and "__mutmut_" not in value.__name__
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
