"""A script stops at the first step that fires, and one transaction commits what is done and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from edgedp.ledger.script import Outcome, Row, Script, Step, Transacting, Transaction, run, run_in

ROWS = {"full": [{"n": 1}], "empty": []}


class Recorded(Transaction):
    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        self.ran.append((statement, parameters))
        return ROWS[statement]


class Database(Transacting):
    """Notes how its transactions end."""

    def __init__(self) -> None:
        self.transactions: list[Recorded] = []
        self.ended: list[str] = []

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        raise AssertionError("every statement of a script is of its transaction")

    @contextmanager
    def transaction(self) -> Iterator[Recorded]:
        self.transactions.append(Recorded())
        try:
            yield self.transactions[-1]
        except BaseException:
            self.ended.append("rolled back")
            raise
        self.ended.append("committed")


FULL, EMPTY = Step("full", {"a": 1}), Step("empty", {"b": 2})


@pytest.mark.parametrize(
    ("steps", "name", "ran"),
    [
        ([], "debited", 0),
        ([FULL, EMPTY], "debited", 2),
        ([Step("full", on_row="kept"), EMPTY], "kept", 1),
        ([Step("full", on_none="gone"), EMPTY], "debited", 2),
        ([Step("empty", on_row="kept"), EMPTY], "debited", 2),
        ([Step("empty", on_none="gone"), FULL], "gone", 1),
        ([FULL, Step("empty", on_row="kept", on_none="gone"), FULL], "gone", 2),
    ],
)
def test_the_first_step_that_fires_is_the_outcome(steps: list[Step], name: str, ran: int) -> None:
    script, tx, database = Script(steps, done="debited"), Recorded(), Database()
    rows = {step.statement: ROWS[step.statement] for step in steps[:ran]}
    assert run_in(tx, script) == Outcome(name, rows)
    assert tx.ran == [(step.statement, dict(step.parameters)) for step in steps[:ran]]
    assert run(database, script) == Outcome(name, rows)
    assert [each.ran for each in database.transactions] == [tx.ran]
    assert database.ended == ["committed" if name == "debited" else "rolled back"]


def test_what_comes_last_is_of_the_same_transaction_and_only_of_a_script_that_is_done() -> None:
    database, given = Database(), list[Any]()
    assert run(database, Script([FULL]), last=given.append).name == "done"
    assert given == database.transactions
    assert run(database, Script([Step("empty", on_none="gone")]), last=given.append).name == "gone"
    assert len(given) == 1

    def breaks(_: Transaction) -> None:
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - it is the one that was raised
        run(database, Script([FULL]), last=breaks)
    assert database.ended == ["committed", "rolled back", "rolled back"]


def test_a_script_is_the_json_that_the_plugin_reads() -> None:
    step = Step("full", {"a": 1}, on_row="kept", on_none="gone")
    told = {"statement": "full", "parameters": {"a": 1}, "on_row": "kept", "on_none": "gone"}
    assert step.to_dict() == told
    assert Script([step, EMPTY], done="debited").to_dict() == {
        "steps": [told, {"statement": "empty", "parameters": {"b": 2}, "on_row": None, "on_none": None}],
        "done": "debited",
    }
