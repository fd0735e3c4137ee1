"""One test that goes through many cases: what many small cases of pytest would cost is saved."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pytest

_Case = TypeVar("_Case")
FAILED = (Exception, pytest.fail.Exception)


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
                except FAILED as error:
                    failures.append(f"{name(case)}: {type(error).__name__}: {error}")
            if failures:
                raise AssertionError(
                    f"{len(failures)} of {len(listed)} cases failed:\n" + "\n".join(failures)
                )

        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return run

    return decorate


def over(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Take what ``pytest.mark.parametrize`` takes, in one test by ``each``, whose cases share their fixtures.

    >>> @over(("number", "square"), [(2, 4), (3, 10)], ids=["two", "three"])
    ... def test_squares(number, square):
    ...     assert number**2 == square, "it is another"
    >>> test_squares()
    Traceback (most recent call last):
    ...
    AssertionError: 1 of 2 cases failed:
    three: AssertionError: it is another
    """
    named = [names] if isinstance(names, str) else list(names)
    rows = [(case,) if isinstance(names, str) else tuple(case) for case in cases]
    if ids is None or callable(ids):
        shown = ["-".join(str(ids(value) if ids else value) for value in row) for row in rows]
    else:
        shown = [str(name) for name in ids]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def run(**fixtures: Any) -> None:
            @each(zip(shown, rows, strict=True), lambda case: case[0])
            def one(case: tuple[str, tuple[Any, ...]]) -> None:
                test(**dict(zip(named, case[1], strict=True)), **fixtures)

            one()

        asked = inspect.signature(test)
        left = [parameter for name, parameter in asked.parameters.items() if name not in named]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.__signature__ = asked.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate
