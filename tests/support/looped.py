"""One test that goes through many cases: what many small cases of pytest would cost is saved."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import product
from typing import Any, TypeVar

import pytest

_Case = TypeVar("_Case")
_Param = type(pytest.param())
_FAILED = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""What ends a case: an error, an error that ``pytest.raises`` did not see, and a skip, which tests nothing."""


def each(
    cases: Iterable[_Case], name: Callable[[_Case], str] = str
) -> Callable[[Callable[[_Case], None]], Callable[[], None]]:
    """Run a test of one case on all of them, and fail with every case that failed.

    For hundreds of cases of microseconds: pytest spends a millisecond on each, in every process that collects it.

    >>> @each([2, 3, 4])
    ... def test_evens_only(number):
    ...     assert number % 2 == 0, "it is odd"
    >>> test_evens_only()
    Traceback (most recent call last):
    ...
    AssertionError: 1 of 3 cases failed:
    3: AssertionError: it is odd
    """
    listed = list(cases)
    assert listed, "no case, nothing tested"

    def decorate(test: Callable[[_Case], None]) -> Callable[[], None]:
        def run() -> None:
            failures = []
            for case in listed:
                try:
                    test(case)
                except _FAILED as error:
                    failures.append(f"{name(case)}: {type(error).__name__}: {error}")
            if failures:
                raise AssertionError(
                    f"{len(failures)} of {len(listed)} cases failed:\n" + "\n".join(failures)
                )

        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return run

    return decorate


def as_one(test: Callable[..., None]) -> Callable[..., None]:
    """Make one test of all parametrised cases of a test; it fails with every case that failed.

    It stands above the marks of pytest, which read as they did. Fixtures are shared by the cases, but for
    `monkeypatch`, which is undone after each. A mark that has a case with a mark of its own stays pytest's.

    >>> @as_one
    ... @pytest.mark.parametrize(("base", "power"), [(2, 2), (3, 1)])
    ... def test_powers_are_even(base, power):
    ...     assert base**power % 2 == 0, "it is odd"
    >>> test_powers_are_even()
    Traceback (most recent call last):
    ...
    AssertionError: 1 of 2 cases failed:
    base=3, power=1: AssertionError: it is odd
    """
    marks = getattr(test, "pytestmark", [])
    looped = [mark for mark in marks if mark.name == "parametrize" and not any(map(_marked, mark.args[1]))]
    asked = [list(_cases(mark)) for mark in looped]
    cases = [{name: value for part in parts for name, value in part.items()} for parts in product(*asked)]
    assert asked, "no case, nothing tested"
    assert cases, "no case, nothing tested"

    def run(**fixtures: Any) -> None:
        monkeypatch = fixtures.get("monkeypatch")

        @each(cases, _told)
        def one(case: dict[str, Any]) -> None:
            with monkeypatch.context() if monkeypatch else nullcontext() as patched:
                test(**case | fixtures | ({"monkeypatch": patched} if monkeypatch else {}))

        one()

    signature = inspect.signature(test)
    fixtures = [each for name, each in signature.parameters.items() if name not in cases[0]]
    keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in fixtures]
    run.__signature__ = signature.replace(parameters=keyword)  # type: ignore[attr-defined]
    run.pytestmark = [mark for mark in marks if mark not in looped]  # type: ignore[attr-defined]
    run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
    return run


def _cases(mark: pytest.Mark) -> Iterator[dict[str, Any]]:
    asked, values = mark.args
    names = [name.strip() for name in asked.split(",")] if isinstance(asked, str) else asked
    for value in values:
        if isinstance(value, _Param):
            yield dict(zip(names, value.values, strict=True))
        else:
            yield dict(zip(names, [value] if len(names) == 1 else value, strict=True))


def _marked(value: object) -> bool:
    """Return whether a case is for another tier: its parameter stays one of pytest's."""
    return isinstance(value, _Param) and bool(value.marks)


def _told(case: dict[str, Any]) -> str:
    return ", ".join(f"{name}={str(value)[:200]}" for name, value in case.items())
