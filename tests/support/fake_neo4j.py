"""A driver without a server: it answers statements of ``queries/neo4j`` with rows that a test gives it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from edgedp.stores.statements.queries import statement_text
from edgedp.words.places import asset

Row = dict[str, Any]
Answer = list[Row] | Exception | Callable[[Mapping[str, Any]], list[Row]]

_FILES = sorted((asset("queries") / "neo4j").glob("*.cypher"))


def _pattern(stem: str) -> re.Pattern[str]:
    """Match a statement whatever its placeholders were filled with."""
    parts = re.split(r"\{\{\w+\}\}", statement_text("neo4j", stem))
    return re.compile("`(?:[^`]|``)*`".join(map(re.escape, parts)))


_ALWAYS: dict[str, Answer] = {
    "account_terms": [{"name": "g"}],
    "constraints": lambda parameters: [{"name": name} for name in parameters["names"]],
}
"""What a database that nobody has tampered with answers."""


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Return the patterns of all statements: not on import, which every process that collects pays for."""
    return {path.stem: _pattern(path.stem) for path in _FILES}


def stem_of(text: str) -> str:
    """Return the name of the file that a statement is from."""
    return next((stem for stem, pattern in _patterns().items() if pattern.fullmatch(text)), text)


class FakeResult:
    """The rows of a statement."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = rows

    def data(self) -> list[Row]:
        return self._rows

    def single(self) -> Row:
        (row,) = self._rows
        return row

    def consume(self) -> None:
        return

    def __iter__(self) -> Iterator[Any]:
        # As the driver's records: by name, or taken apart in their order.
        return iter([_Record(row) for row in self._rows])


class _Record(dict[str, Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter(self.values())


class FakeTransaction:
    """Runs statements; remembers whether it was committed."""

    def __init__(self, session: FakeSession) -> None:
        self._session = session
        self._ended = False

    def run(self, text: str, parameters: Mapping[str, Any]) -> FakeResult:
        return self._session.run(text, parameters)

    def commit(self) -> None:
        self._ended = True
        self._session.driver.ran.append(("commit", {}))

    def __enter__(self) -> FakeTransaction:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._ended:
            self._session.driver.ran.append(("rollback", {}))


class FakeSession:
    """An open session."""

    def __init__(self, driver: FakeDriver) -> None:
        self.driver = driver

    def run(self, text: Any, parameters: Mapping[str, Any] | None = None) -> FakeResult:
        stem = stem_of(getattr(text, "text", text))  # a query that says of itself what it is has a text
        self.driver.ran.append((stem, dict(parameters or {})))
        answer = self.driver.answers.get(stem, _ALWAYS.get(stem, []))
        if isinstance(answer, Exception):
            raise answer
        return FakeResult(answer(parameters or {}) if callable(answer) else answer)

    def begin_transaction(self, timeout: float | None = None) -> FakeTransaction:
        assert timeout, "a transaction on the ledger waits for ever without a limit"
        return FakeTransaction(self)

    def __enter__(self) -> FakeSession:
        return self

    def __exit__(self, *exception: object) -> None:
        return


class FakeDriver:
    """A driver.

    Attributes
    ----------
    answers : dict
        Rows, an error, or a function of the parameters, by statement; of a sound database for any other.
    ran : list of (str, dict)
        What was run, with parameters, and how transactions ended.
    """

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        self.answers = dict(answers or {})
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.closed = False

    @property
    def statements(self) -> list[str]:
        return [stem for stem, _ in self.ran]

    def session(self, database: str | None = None) -> FakeSession:
        return FakeSession(self)

    def close(self) -> None:
        self.closed = True
