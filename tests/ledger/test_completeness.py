"""Which statements of a ledger need every row, and that each of them is refused where one is missing."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import looped
from edgedp import Graph, open_store
from edgedp.ledger.account import account_of
from edgedp.stores.embedded.sqlite import opened
from edgedp.stores.statements.queries import completeness, statement_text
from edgedp.words.errors import StoreError
from edgedp.words.places import asset
from edgedp.words.vocabulary import AccountName

STATEMENTS = sorted(
    path.stem for path in asset("queries", "sqlite").glob("*.sql") if not path.stem.startswith("migration_")
)
COUNTED = {"graph": "graphs", "account": "accounts", "person": "people", "share": "shares"}
"""The views of the tables whose rows a ledger counts, by what they are called in statements."""
WRITES = ("INSERT", "UPDATE", "DELETE")
VALUES: dict[str, Any] = {
    "name": "nobody's", "analyst": "nobody", "account": "edges", "role": "analyst", "version": "none",
    "relationshipType": "file:///nowhere", "head": "{", "body": "{}", "delta": None, "declared": 1, "budget": 1,
    "maxPerRelease": None, "minPerRelease": None, "filters": None, "seq": None,
}  # fmt: skip
"""A name that there is not: what is found out about it rests on rows that are not there."""


def header(statement: str) -> str:
    text = asset("queries", "sqlite", f"{statement}.sql").read_text(encoding="utf-8")
    [line] = re.findall(r"^-- complete: (.+)$", text, re.MULTILINE)
    return str(line)


@looped.as_one
@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_says_when_it_needs_every_row(statement: str) -> None:
    """A look-up that needs them never gives its reason, a list of counted rows needs them always."""
    said, text = header(statement), statement_text("sqlite", statement)
    assert re.fullmatch(r"always|when empty|its log|never \((a write|.+)\)", said)
    assert completeness(statement) == said.partition(" (")[0]
    assert (said == "never (a write)") <= text.startswith(WRITES)
    [view] = re.findall(r"\bFROM (\w+)", text)[:1] or [""]
    looked_up = re.search(r"WHERE .*\b(name|key|fingerprint) = \$", text, re.DOTALL)
    if text.startswith("SELECT") and view in COUNTED and not looked_up and "complete" not in statement:
        assert said == ("when empty" if statement == "address_conflicts" else "always"), (
            "a list hides what is missing"
        )


def test_a_statement_that_says_nothing_needs_every_row() -> None:
    assert completeness("of no such name") == "always"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with two rows of everything that is counted, and logs."""
    path = tmp_path_factory.mktemp("whole") / "store"
    with open_store(path) as store:
        for name in ("kite", "other"):
            graph = Graph.from_edges([(1, 2), (2, 3)] if name == "kite" else [(1, 2), (1, 3)])
            graph = graph.with_properties({"age": np.array([1, 2, 3])})
            store.load(graph, name, epsilon_budget=9, attribute_epsilon_budget=9)
            store.attribute(name, "age", 0, 9, points=10)
            store.add_analyst(f"ann of {name}")
            store.grant(name, f"ann of {name}", 1)
            store.priv_top_k(name, "degree", 1, 1)
            store.asking_as(f"ann of {name}").priv_top_k(name, "degree", 1, 1, request_id="r")
    return path


def needing(*words: str) -> list[str]:
    return [statement for statement in STATEMENTS if completeness(statement) in words]


def run(ledger: Path, statement: str, **values: Any) -> list[dict[str, Any]]:
    used = set(re.findall(r"\$(\w+)", statement_text("sqlite", statement)))
    with opened(ledger, ledger, 5.0) as tables:
        tables.connection.execute("BEGIN")  # never committed: what one statement writes, no other one finds
        return tables.run(statement, **{name: (VALUES | values)[name] for name in used})


@pytest.fixture(scope="module")
def damaged(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes copies of the ledger in which a row is gone, or another, without a trace of its own."""

    @cache
    def copy_after(change: str) -> Path:
        copy = tmp_path_factory.mktemp("damaged") / "ledger.sqlite"
        shutil.copy(whole / "ledger.sqlite", copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            triggers = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            connection.execute("BEGIN")
            for (trigger,) in triggers:
                connection.execute(f"DROP TRIGGER {trigger}")
            assert connection.execute(change).rowcount == 1
            connection.execute("COMMIT")
        return copy

    return copy_after


@looped.as_one
@pytest.mark.parametrize("statement", needing("always", "when empty"))
@pytest.mark.parametrize("table", COUNTED.values())
def test_a_missing_row_is_noticed(
    whole: Path, damaged: Callable[[str], Path], statement: str, table: str
) -> None:
    run(whole / "ledger.sqlite", statement)
    missing = damaged(f"DELETE FROM {table} WHERE name = (SELECT min(name) FROM {table})")  # noqa: S608
    with pytest.raises(StoreError, match="a row is missing or not what was written"):
        run(missing, statement)


@looped.as_one
@pytest.mark.parametrize("statement", needing("its log"))
@pytest.mark.parametrize("account", get_args(AccountName))
def test_a_missing_row_of_a_log_is_noticed(
    whole: Path, damaged: Callable[[str], Path], statement: str, account: AccountName
) -> None:
    name = account_of("kite", account)
    run(whole / "ledger.sqlite", statement, name=name)
    last = f"SELECT name, max(seq) FROM log WHERE name = '{name}'"  # noqa: S608
    missing = damaged(f"DELETE FROM log WHERE (name, seq) = ({last})")  # noqa: S608
    with pytest.raises(StoreError, match="a row is missing or not what was written"):
        run(missing, statement, name=name)


@looped.as_one
@pytest.mark.parametrize("statement", needing("its log"))
@pytest.mark.parametrize("account", get_args(AccountName))
@pytest.mark.parametrize("edit", ["kind = 'exact'", "charge = 0", "analyst = 'bob'"])
def test_a_row_of_a_log_that_hides_by_what_somebody_wrote_into_it_is_noticed(
    damaged: Callable[[str], Path], statement: str, account: AccountName, edit: str
) -> None:
    name = account_of("kite", account)
    row = f"SELECT name, min(seq) FROM log WHERE name = '{name}' AND kind IN ('debit', 'attribute')"  # noqa: S608
    edited = damaged(f"UPDATE log SET {edit} WHERE (name, seq) = ({row})")  # noqa: S608
    with pytest.raises(StoreError, match="a row is missing or not what was written"):
        run(edited, statement, name=name)


KINDS = {
    "account": "accounts", "entry": "log", "tally": "tallies", "graph": "graphs", "share": "shares",
    "person": "people", "fingerprint": "fingerprints", "setting": "settings",
}  # fmt: skip
"""Of each view whose rows have a seal the kind that is sealed."""
READ_BY = {
    statement: set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", statement_text("sqlite", statement))) & KINDS.keys()
    for statement in STATEMENTS
    if statement_text("sqlite", statement).startswith(("SELECT", "WITH")) and "complete" not in statement
}
UNSEALED = {"lease_list", "session_find", "log_names"}
"""Of leases and sessions, which have no seals, and numbers of rows, which a check compares with the accounts."""


def first(tables: sqlite3.Connection, query: str) -> Any:
    return tables.execute(f"SELECT {query} LIMIT 1").fetchone()[0]


@looped.as_one
@pytest.mark.parametrize(
    ("statement", "view"), [(name, view) for name, views in READ_BY.items() for view in sorted(views)]
)
def test_what_is_read_is_sound_only_where_every_row_that_it_rests_on_is(
    whole: Path, statement: str, view: str
) -> None:
    text = statement_text("sqlite", statement)
    with opened(whole / "ledger.sqlite", whole, 5.0) as ledger:
        tables = ledger.connection
        tables.execute("BEGIN")
        tables.execute("UPDATE accounts SET relationshipType = 'Edge' WHERE name = 'other'")
        names = {"attribute": account_of("kite", "attributes"), "person": "ann of kite"}
        values: dict[str, Any] = {
            "name": names.get(statement.partition("_")[0], "kite"), "analyst": "ann of kite", "account": "edges",
            "role": "analyst", "requestId": "r",
            "since": 0, "before": 10**9, "limit": 9, "seq": 1, "unit": "", "there": True,
            "relationshipType": "Edge",
            "version": first(tables, "version FROM graphs WHERE name = 'kite'"),
            "entries": first(tables, "entries FROM accounts WHERE name = 'kite'"),
            "fingerprint": first(tables, "fingerprint FROM fingerprints"),
            "releaseId": first(tables, "releaseId FROM log WHERE kind = 'debit'"),
            "body": first(tables, "body FROM log WHERE kind = 'attribute'"),
        }  # fmt: skip
        values["head"] = values["body"][:9]
        for sound in (1, 0):
            tables.create_function("genuine", -1, lambda kind, *_: int(sound or kind != KINDS[view]))  # noqa: B023
            rows = tables.execute(text, {each: values[each] for each in re.findall(r"\$(\w+)", text)})
            column = [name for name, *_ in rows.description].index("sound")
            assert {row[column] for row in rows.fetchall()} == {sound}


def test_what_has_no_seal_is_listed() -> None:
    assert {statement for statement, views in READ_BY.items() if not views} == UNSEALED
