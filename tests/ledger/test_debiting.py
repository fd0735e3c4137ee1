"""The comparison in the debit: each statement against its definition at every border, and every change of it noticed.

The statements are SQL and Cypher, which no tester of mutants reads. So they are changed here: every comparison, sign,
number and parameter, and every condition left out. A change that no case of the table tells from the right statement
is a border that the table lacks.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import product

import pytest

from edgedp.ledger.calendars import runs
from edgedp.stores.neo4j.schema import SCHEMA_VERSION
from edgedp.stores.statements.queries import statement_text
from neo4jserver import Server

Statement = str
Charged = dict[str, int | str | None] | None
"""What was spent, the number of the row and the runs of windows, or None where nothing was debited."""


@dataclass(frozen=True)
class Account:
    """An account, or a share of one with the delta that it was declared under."""

    delta: int | None
    budget: int | None
    spent: int
    limit: int | None
    declared_under: int | None = None
    least: int | None = None
    """The last two are of a share."""
    paid: tuple[tuple[int, int, int], ...] | None = None
    """Of an account with a calendar, every release of windows: the first, the last, and its charge."""

    @property
    def runs(self) -> str | None:
        return None if self.paid is None else text_of(self.paid)


@dataclass(frozen=True)
class Cost:
    cost: int
    price: int
    whole: int
    within: int | None = None
    firstWindow: int | None = None  # noqa: N815 -- a parameter of the statements
    lastWindow: int | None = None  # noqa: N815


EVER = 99
"""A window after all that are tried: a release from 0 to it is one of everything."""


ACCOUNTS = [
    Account(delta, budget, spent, limit)
    for delta, (budget, spent), limit in product(
        (None, 7), ((None, 0), (0, 0), (5, 0), (5, 2), (5, 3), (5, 5)), (None, 2, 4)
    )
]
COSTS = [
    *(Cost(2, 3, 2), Cost(3, 2, 3), Cost(2, 2, 4), Cost(2, 2, 5), Cost(1, 1, 1), Cost(5, 5, 5)),
    *(Cost(0, 1, 1), Cost(1, 0, 1), Cost(-1, 2, 2), Cost(2, -1, 2)),
]
ENTRIES, WITHIN = 11, 2
DATED = [
    Account(delta, budget, sum(each[2] for each in paid), limit, paid=paid)
    for delta, budget, limit, paid in product(
        (None, 7), (3, 5), (None, 2), ((), ((2, 2, 3),), ((2, 2, 2), (5, 6, 1)), ((0, EVER, 2), (3, 3, 1)))
    )
]
DATED_COSTS = [
    Cost(cost, price, cost, WITHIN, *span)
    for (cost, price), span in product(
        ((2, 3), (3, 2), (1, 1)), ((2, 2), (3, 3), (3, 4), (4, 4), (0, 0), (8, 9), (None, None))
    )
]
DATED_COSTS += [
    Cost(1, 1, 2, WITHIN, 3, 3),  # a further part of a release
    *(Cost(5, 5, 5, WITHIN, *span) for span in ((2, 2), (None, None))),  # all that there is
]


@cache
def spent_of_runs(paid: tuple[tuple[int, int, int], ...]) -> list[int]:
    """What was spent of the run that begins at each window."""
    return [sum(cost for a, b, cost in paid if a <= at + WITHIN - 1 and at <= b) for at in range(EVER)]


@cache
def text_of(paid: tuple[tuple[int, int, int], ...]) -> str:
    """The text that an account keeps: the dearest run, what everything cost, and where the sum changes by how much."""
    everything = sum(cost for _, last, cost in paid if last == EVER)
    spent = spent_of_runs(paid)
    changes = [(at, spent[at] - (spent[at - 1] if at else everything)) for at in range(EVER)]
    numbers = [max(spent), everything, *(each for change in changes if change[1] for each in change)]
    return f"[{','.join(map(str, numbers))}]"


def charged(account: Account, asked: Cost) -> Charged:
    """The definition of both statements; a share that was declared under another delta pays nothing."""
    charge = asked.cost if account.delta is None else asked.price
    if asked.cost <= 0 or asked.price <= 0 or account.budget is None:
        return None
    if account.limit is not None and asked.whole > account.limit:
        return None
    if account.least is not None and asked.whole < account.least:
        return None
    if (account.paid is None) != (asked.within is None):
        return None
    held, runs = account.spent, None
    if account.paid is not None:
        first, last = asked.firstWindow, asked.lastWindow
        if first is None or last is None:
            first, last = 0, EVER
        held = max(spent_of_runs(account.paid)[max(first - WITHIN + 1, 0) : last + 1])
        runs = text_of((*account.paid, (first, last, charge)))
    if held + charge > account.budget:
        return None
    return {"spent": account.spent + charge, "entries": ENTRIES + 1, "runs": runs}


def share_charged(share: Account, asked: Cost) -> Charged:
    if share.declared_under != share.delta:
        return None
    if share.paid is None and share.spent == 0 and asked.within is not None:
        share = replace(share, paid=())  # it was declared before the calendar, and paid nothing
    return charged(share, asked)


def shares() -> list[Account]:
    """The same as accounts; a share always has a budget."""
    return [
        Account(each.delta, each.budget, each.spent, each.limit, under, least, each.paid)
        for each in ACCOUNTS
        if each.budget is not None
        for under, least in ((None, None), (7, None), (8, None), (each.delta, 2), (each.delta, 3))
    ] + [replace(each, declared_under=each.delta) for each in DATED]


# -- SQLite ----------------------------------------------------------------------------------------------------------

TABLES = """
CREATE TABLE accounts (name, delta, declared, budget, spent, maxPerRelease, relationshipType, entries, terms, runs);
CREATE TABLE shares (name, analyst, account, delta, declared, budget, spent, maxPerRelease, entry, minPerRelease,
  runs);
"""
SEEN = "SELECT * FROM accounts", "SELECT * FROM shares"
KEY = {"name": "kite", "analyst": "ann", "account": "edges"}


@cache
def database() -> sqlite3.Connection:
    """Return the tables without a row: what is run on them is rolled back."""
    file = sqlite3.connect(":memory:")
    file.create_function("touched", 4, runs.touched)
    file.create_function("charged", 5, runs.charged)
    file.executescript(TABLES)
    return file


def of_sqlite(statement: Statement, found: Account, asked: Cost, *, share: bool) -> Charged:
    """Run a statement on one account, beside which another one stands, and return what it did."""
    file = database()
    try:
        put = "INSERT INTO accounts VALUES (?, ?, 100, ?, ?, ?, NULL, ?, NULL, ?)"
        for name in ("another", "kite"):
            here = name == "kite"
            under = found.declared_under if share and here else found.delta
            entries = ENTRIES if here else 2 * ENTRIES
            file.execute(put, (name, under, found.budget, found.spent, found.limit, entries, found.runs))
            for analyst, account in product(("ann", "bob"), ("edges", "attributes")):
                row = (name, analyst, account, found.delta, found.budget, found.spent, found.limit)
                put_share = "INSERT INTO shares VALUES (?, ?, ?, ?, 100, ?, ?, ?, ?, ?, ?)"
                file.execute(put_share, (*row, ENTRIES, found.least, found.runs))
        before = [set(file.execute(table)) for table in SEEN]
        told = file.execute(statement, KEY | asdict(asked)).fetchall()
        after = [list(file.execute(table)) for table in SEEN]
    finally:
        file.rollback()
    moved = [row for rows, known in zip(after, before, strict=True) for row in rows if row not in known]
    assert len(moved) <= 1, "one account or share is debited"
    assert len(told) == len(moved), "what is debited is told, and nothing else"
    if not moved:
        return None
    (row,) = moved
    assert row[: 3 if share else 1] == tuple(KEY.values())[: 3 if share else 1]
    spent, entries = (row[6], row[8]) if share else (row[4], row[7])
    return {"spent": spent, "entries": entries, "runs": row[-1]}


def cases(*, share: bool) -> Iterator[tuple[Account, Cost]]:
    """Yield what is debited from what: with a calendar and without, and a few of one with the cost of the other."""
    for found in shares() if share else (*ACCOUNTS, *DATED):
        dated = found.paid is not None
        yield from ((found, asked) for asked in (DATED_COSTS if dated else COSTS))
        yield from ((found, asked) for asked in (COSTS[:3] if dated else DATED_COSTS[-10:]))


def matches(statement: Statement, *, share: bool) -> bool:
    define = share_charged if share else charged
    try:
        return all(
            of_sqlite(statement, found, asked, share=share) == define(found, asked)
            for found, asked in cases(share=share)
        )
    except (AssertionError, sqlite3.Error):
        return False


STATEMENTS = {"account_debit": False, "share_debit": True}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_debit_compares_as_it_is_defined(name: str) -> None:
    share = STATEMENTS[name]
    text = statement_text("sqlite", name)
    for found, asked in cases(share=share):
        expected = (share_charged if share else charged)(found, asked)
        assert of_sqlite(text, found, asked, share=share) == expected, (found, asked)


CHANGES = {
    r"<=": ("<", ">=", "<>"),
    r">=": (">", "<=", "<>"),
    r"(?<![<>])> ": (">= ", "< "),
    r"IS NOT NULL": ("IS NULL",),
    r"IS NULL": ("IS NOT NULL",),
    r"\bAND\b": ("OR",),
    r"\bOR\b": ("AND",),
    r" \+ ": (" - ",),
    r"\b1\b": ("2", "0"),
    r"\b0\b": ("1",),
    r"\$cost": ("$price", "$whole"),
    r"\$price": ("$cost", "$whole"),
    r"\$whole": ("$cost", "$price"),
    r"\bbudget\b": ("maxPerRelease",),
    r"\bIS shares": ("IS NOT shares",),
    r"\b(name|analyst|account) = \$\w+ AND": ("",),
    r"accounts\.name = \$name": ("1",),
}


def mutants(text: Statement) -> Iterator[Statement]:
    """Yield the statement with one thing changed: in what is set and in the conditions, not in what is told."""
    body, _, told = text.partition("RETURNING")
    for pattern, instead in CHANGES.items():
        for met in re.finditer(pattern, body):
            for words in instead:
                yield f"{body[: met.start()]}{words}{body[met.end() :]}RETURNING{told}"


EQUIVALENT = {
    "account_debit": ("$whole > 0 AND $price > 0", "$cost > 0 AND $whole > 0"),
    "share_debit": (
        "$whole > 0 AND $price > 0",
        "$cost > 0 AND $whole > 0",
        "SELECT 0 FROM",
        "SELECT 2 FROM",
    ),
}
"""No release has a whole that is 0 or less and a cost that is above. What EXISTS selects is free."""


@pytest.mark.wide
@pytest.mark.parametrize("name", STATEMENTS)
def test_every_change_of_a_debit_is_noticed(name: str) -> None:
    text = statement_text("sqlite", name)
    every = [each for each in mutants(text) if not any(words in each for words in EQUIVALENT[name])]
    assert len(every) > 30
    missed = [each for each in every if matches(each, share=STATEMENTS[name])]
    assert missed == []


# -- Neo4j -----------------------------------------------------------------------------------------------------------

CLEAR = "MATCH (row) WHERE row:EdgeDPAccount OR row:EdgeDPShare DELETE row"
PUT = """
UNWIND [{name: $name, entries: $entries, delta: $under}, {name: 'another', entries: 2 * $entries, delta: $delta}] AS row
CREATE (account:EdgeDPAccount {name: row.name, spent: $spent, entries: row.entries})
SET account.delta = row.delta, account.budget = $budget, account.maxPerRelease = $limit, account.runs = $runs
WITH row UNWIND [[$analyst, $account], ['bob', $account], [$analyst, 'attributes']] AS key
CREATE (share:EdgeDPShare {name: row.name, analyst: key[0], account: key[1], spent: $spent, entry: $entries})
SET share.delta = $delta, share.budget = $budget, share.maxPerRelease = $limit, share.minPerRelease = $least,
  share.runs = $runs
"""
SEE = {
    "account_debit": "MATCH (row:EdgeDPAccount) RETURN row.spent AS spent, row.entries AS entries, "
    "row.runs AS runs, row.name = $name AS own",
    "share_debit": "MATCH (row:EdgeDPShare) RETURN row.spent AS spent, row.entry AS entries, "
    "row.runs AS runs, row.name = $name AND row.analyst = $analyst AND row.account = $account AS own",
}


@pytest.mark.wide
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_debit_on_neo4j_compares_as_it_is_defined(empty_neo4j: Server, name: str) -> None:
    share = STATEMENTS[name]
    text = statement_text("neo4j", name)
    with empty_neo4j.driver() as driver, driver.session() as session, session.begin_transaction() as tx:
        tx.run(
            "MERGE (schema:EdgeDPSchema {only: true}) SET schema.version = $version", version=SCHEMA_VERSION
        ).consume()
        for found, asked in cases(share=share):
            tx.run(CLEAR).consume()
            under = found.declared_under if share else found.delta
            given = KEY | asdict(found) | {"under": under, "entries": ENTRIES, "runs": found.runs}
            tx.run(PUT, given).consume()
            told = tx.run(text, KEY | asdict(asked)).data()
            rows = tx.run(SEE[name], KEY).data()
            (own,) = (row for row in rows if row["own"])
            expected = (share_charged if share else charged)(found, asked)
            assert len(told) == (expected is not None)
            untouched = {"spent": found.spent, "entries": ENTRIES, "runs": found.runs}
            assert {key: own[key] for key in untouched} == (expected or untouched), (found, asked)
            assert {row["spent"] for row in rows if not row["own"]} == {found.spent}
        tx.rollback()
