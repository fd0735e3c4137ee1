"""A script: ordered statements that one transaction runs under a ledger's lock, and what their rows mean.

Python runs scripts over SQLite and over Bolt, and the plugin runs them in Java: whoever does stops at the
first step whose outcome fires, commits if the outcome is the script's `done`, else rolls back, and
asks what an outcome means only when no lock is held (`edgedp.ledger.ledger.judge`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

Row = dict[str, Any]


class Runner(ABC):
    """What runs statements; rows hold integers, texts, booleans (0 and 1 in SQLite) and None."""

    @abstractmethod
    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        """Run a statement of ``queries/`` by its name and return its rows."""


class Transaction(Runner):
    """An open transaction; it commits when its context ends and rolls back on an error."""


class Transacting(Runner):
    """An open connection; `run` on it is a transaction of its own."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """Begin a writing transaction."""


@dataclass(frozen=True)
class Step:
    """One statement of ``queries/`` and the outcomes that end the script.

    Attributes
    ----------
    statement : str
        Stem of the file.
    parameters : dict
        JSON-able.
    on_row, on_none : str or None
        The outcome if the statement returns a row, or none; None goes on.
    """

    statement: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    on_row: str | None = None
    on_none: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the step as JSON carries it."""
        return {
            "statement": self.statement,
            "parameters": dict(self.parameters),
            "on_row": self.on_row,
            "on_none": self.on_none,
        }


@dataclass(frozen=True)
class Script:
    """Steps and the outcome that stands when none of theirs fired: the only one that is committed.

    Attributes
    ----------
    ledgers : sequence of str
        Those that a debit locks, by the names of their accounts; who runs it compares them with what it has seen.
    """

    steps: Sequence[Step]
    done: str = "done"
    ledgers: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the script as JSON carries it."""
        return {"steps": [step.to_dict() for step in self.steps], "done": self.done}


@dataclass(frozen=True)
class Outcome:
    """How a script ended, and the rows of its statements by stem (of a stem that ran twice, the last).

    Attributes
    ----------
    last : object
        What was returned by what the transaction did last, after a script that is done.
    """

    name: str
    rows: Mapping[str, list[Row]]
    last: Any = None


class _RollBack(Exception):  # noqa: N818 - it is no error, it unwinds a transaction
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def run(
    session: Transacting,
    script: Script,
    *,
    last: Callable[[Transaction], object] | None = None,
) -> Outcome:
    """Run a script in a transaction of its own, which is committed only if the script is done.

    Parameters
    ----------
    last : callable, optional
        What the same transaction does after a script that is done; an error in it undoes the script.
    """
    try:
        with session.transaction() as tx:
            outcome = run_in(tx, script)
            if outcome.name != script.done:
                raise _RollBack(outcome)
            return outcome if last is None else replace(outcome, last=last(tx))
    except _RollBack as unwound:
        return unwound.outcome


def run_in(tx: Transaction, script: Script) -> Outcome:
    """Run a script's steps in a transaction that the caller ends: roll it back unless the outcome is `done`."""
    rows: dict[str, list[Row]] = {}
    for step in script.steps:
        found = rows[step.statement] = tx.run(step.statement, **step.parameters)
        fired = step.on_row if found else step.on_none
        if fired is not None:
            return Outcome(fired, rows)
    return Outcome(script.done, rows)
