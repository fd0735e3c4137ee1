"""A ledger does not come apart: whatever one edit of it is, nothing is released, and the check says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edgedp import Graph, Store, StoreError, open_store
from edgedp.ledger import chain
from edgedp.ledger.log import history
from edgedp.stores.embedded.sqlite import opened
from edgedp.stores.neo4j import schema as neo4j_schema
from made_once import copied

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])

EDITS = {
    "budget": "budget = 10 * budget, declared = 10 * declared",
    "budget alone": "budget = 10 * budget",
    "declared alone": "declared = declared - 1",
    "limit": "maxPerRelease = NULL",
    "delta": "delta = 1000000000000",
    "type": "relationshipType = NULL",
    "other type": "relationshipType = 'OTHER'",
    "terms": "terms = ''",
    "no terms": "terms = NULL",
    "spent": "spent = spent - 1",
    "entries": "entries = entries - 1",
}
"""Edits of an account, in SQL's words."""

REGISTRY = {
    "type": "relationshipType = 'OTHER'",
    "label": "nodeLabel = 'OTHER'",
    "id": "idProperty = 'other'",
    "bound": "degreeBound = 2",
    "nodes": "nodesSupplied = NOT nodesSupplied",
    "version": "version = version + 1",
}
"""Edits of a graph's row."""


def asked(store: Store) -> Any:
    return store.priv_top_k("kite", "degree", 1, 0.25)


# -- the embedded store: an edit that seals the row anew ------------------------------------------------------


def edit(path: Path, table: str, change: str, name: str = "kite") -> None:
    """Change a row of a ledger as somebody who knows how its rows are sealed."""
    with opened(path / "ledger.sqlite", path, 10.0) as ledger, ledger.transaction():
        changed = ledger.connection.execute(f"UPDATE {table} SET {change} WHERE name = ?", [name])  # noqa: S608
        assert changed.rowcount == 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


def made(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=2, max_epsilon_per_release=1)
    asked(store)


@pytest.fixture
def store(path: Path) -> Store:
    return copied(made, path)


@pytest.mark.parametrize("change", [EDITS[name] for name in EDITS if name != "type"])
def test_an_edited_account_releases_nothing_and_is_named(store: Store, path: Path, change: str) -> None:
    edit(path, "accounts", change)
    with pytest.raises(StoreError, match="does not add up; run 'edgedp ledger check kite'"):
        asked(store)
    problems = [row["problem"] for row in store.check()]
    assert problems
    assert any("the account" in problem for problem in problems)


@pytest.mark.parametrize("change", [REGISTRY[name] for name in REGISTRY if name != "version"])
def test_an_edited_row_of_the_registry_releases_nothing(store: Store, path: Path, change: str) -> None:
    edit(path, "graphs", change)
    with pytest.raises(StoreError):
        asked(store)
    assert any("the registry names other edges" in row["problem"] for row in store.check("kite"))


def test_a_row_of_the_registry_that_points_at_another_graphs_file_is_refused(
    store: Store, path: Path
) -> None:
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
    columns = "version, nodeCount, digest"
    edit(path, "graphs", f"({columns}) = (SELECT {columns} FROM graphs WHERE name = 'path')")  # noqa: S608
    with pytest.raises(StoreError, match="does not add up"):
        asked(store)


ALIKE = {
    "limit": ("maxPerRelease = 1500000000", "entry 3 changes the limit of one release and declares no other"),
    "budget": (
        "budget = 10 * budget, declared = 10 * declared",
        "entry 3 changes the budget and declares no other",
    ),
    "terms": ("terms = replace(terms, '7', '8')", "entry 3 changes the graph that it is for"),
}


@pytest.mark.parametrize("what", ALIKE)
def test_an_account_and_its_last_row_that_are_edited_alike_are_found_by_the_check(
    tmp_path: Path, path: Path, what: str
) -> None:
    """The last row loads the graph, and so may change nothing but which graph the account is for."""
    with open_store(path) as store:
        store.load(KITE, "kite", epsilon_budget=2, max_epsilon_per_release=1)
        assert [row["event"] for row in store.log("kite")] == ["budget", "limit", "load"]
    change, said = ALIKE[what]
    forge(path, change, 3)
    with open_store(path) as store:
        problems = " ".join(row["problem"] for row in store.check("kite"))
    assert said in problems if what != "terms" else "the registry names other edges" in problems


@pytest.mark.parametrize(
    ("change", "seq"),
    [("budget = 10 * budget, declared = 10 * declared", 1), ("maxPerRelease = 1500000000", 2)],
)
def test_a_row_that_leaves_another_account_than_it_declares_is_found(
    path: Path, change: str, seq: int
) -> None:
    with open_store(path) as store:
        store.load(KITE, "kite", epsilon_budget=2, max_epsilon_per_release=1)
    for each in range(seq, 4):
        forge(path, change, each)
    with open_store(path) as store:
        problems = [row["problem"] for row in store.check("kite")]
    assert f"entry {seq} declares something else than the account was after it" in problems


def forge(path: Path, change: str, seq: int) -> None:
    """Change a row of the log, and the account with it, as somebody who knows how rows are chained and sealed."""
    with opened(path / "ledger.sqlite", path, 10.0) as ledger, ledger.transaction():
        for trigger in ("log_change", "log_delete"):
            ledger.connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        if seq == 3:
            ledger.connection.execute(f"UPDATE accounts SET {change} WHERE name = 'kite'")  # noqa: S608
        ledger.connection.execute(f"UPDATE log SET {change} WHERE name = 'kite' AND seq = ?", [seq])  # noqa: S608
        found = ledger.connection.execute("SELECT * FROM log WHERE name = 'kite' ORDER BY seq")
        columns = [each[0] for each in found.description]
        rows = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
        before = chain.genesis("kite")
        for row in rows:
            hashed = chain.link(before, row)
            ledger.connection.execute(
                "UPDATE log SET prev = ?, hash = ? WHERE name = 'kite' AND seq = ?",
                [before, hashed, row["seq"]],
            )
            before = hashed


def test_a_drop_makes_the_account_again_what_its_log_says_and_what_was_spent_stays(
    store: Store, path: Path
) -> None:
    edit(path, "accounts", "budget = 10 * budget, spent = spent - 1")
    store.drop("kite")
    assert store.check() == []
    store.load(KITE, "kite")
    assert (store.budget("kite")["epsilon_budget"], store.budget("kite")["epsilon_spent"]) == (2, 0.25)
    asked(store)


def test_an_account_with_a_delta_is_made_again_in_its_currency(path: Path) -> None:
    with open_store(path) as store:
        store.load(KITE, "kite", epsilon_budget=2, delta="1e-6")
        asked(store)
        before = store.budget("kite")
        edit(path, "accounts", "spent = spent - 1")
        store.drop("kite")
        assert store.check() == []
        store.load(KITE, "kite")
        assert store.budget("kite") == before


def test_more_spent_than_the_log_says_is_never_forgotten(store: Store, path: Path) -> None:
    edit(path, "accounts", "spent = spent + 1")
    told = store.estimate("kite", metric="degree", k=1, epsilon=0.25)["refused"]
    assert "does not add up" in str(told), "as the release is"
    store.drop("kite")
    assert any("says that" in row["problem"] for row in store.check("kite"))
    store.load(KITE, "kite")
    assert store.budget("kite")["epsilon_spent"] == 0.250000001


def test_a_share_that_was_edited_is_refused_at_its_debit_and_found(store: Store, path: Path) -> None:
    store.add_analyst("ann")
    store.grant("kite", "ann", epsilon_budget=1)
    ann = store.asking_as("ann")
    asked(ann)  # type: ignore[arg-type]
    before = store.grants("kite")
    with store._backend.session() as session:
        last = session.run("log_list", name="kite")[-2]["seq"]
    for change in ("spent = spent - 1", "entry = 1", "entry = NULL, spent = 0"):
        edit(path, "shares", change)
        with pytest.raises(StoreError, match="does not add up"):
            asked(ann)  # type: ignore[arg-type]
        edit(path, "shares", f"spent = 250000000, entry = {last}")
        assert store.grants("kite") == before
    asked(ann)  # type: ignore[arg-type]
    edit(path, "shares", "budget = 10 * budget, declared = 10 * declared")
    assert any("was granted" in row["problem"] for row in store.check("kite"))


def test_a_share_that_names_the_row_of_another_analyst_is_refused_at_its_debit(
    store: Store, path: Path
) -> None:
    for name in ("ann", "bob"):
        store.add_analyst(name)
        store.grant("kite", name, epsilon_budget=1)
    ann = store.asking_as("ann")
    for each in (ann, ann, store.asking_as("bob")):
        asked(each)  # type: ignore[arg-type]
    store.revoke_share("kite", "bob")
    with store._backend.session() as session:
        (of_bob,) = (row["seq"] for row in session.run("log_list", name="kite") if row["analyst"] == "bob")
    edit(path, "shares", f"spent = 250000000, entry = {of_bob}")
    with pytest.raises(StoreError, match="does not add up"):
        asked(ann)  # type: ignore[arg-type]


def test_every_row_says_what_the_account_was(store: Store) -> None:
    store.set_budget("kite", 3)
    asked(store)
    rows = [json.loads(line) for line in store.export("kite")][:-1]
    assert all(row["terms"] is not None for row in rows)
    debits = [row for row in rows if row["kind"] == "debit"]
    assert [row["budget"] for row in debits] == [2 * 10**9, 3 * 10**9]
    assert {row["maxPerRelease"] for row in debits} == {10**9}
    assert json.loads(debits[0]["terms"])["loaded"] is True


def test_an_old_row_never_follows_a_new_one(store: Store) -> None:
    with store._backend.session() as session:
        rows = session.run("log_list", name="kite")
    for at in range(1, len(rows)):
        older = [*rows[:at], rows[at] | dict.fromkeys(chain.STATE), *rows[at + 1 :]]
        plain = [row | {"prev": None, "hash": None} for row in older]
        with pytest.raises(StoreError, match=f"does not add up at entry {at + 1}"):
            chain.chained("kite", plain)
    assert history.verify(store.export("kite"))["rows"] == len(rows)


@pytest.mark.parametrize(
    ("column", "value"),
    [("body", "{"), ("body", "[]"), ("body", 7), ("charge", "5"), ("cost", 0.5), ("total", None), ("total", True),
     ("kind", None), ("at", 3), ("seq", "2"), ("name", None)],
)  # fmt: skip
def test_a_row_of_other_types_is_a_sentence(store: Store, column: str, value: Any) -> None:
    """In Neo4j a property holds whatever somebody writes there."""
    with store._backend.session() as session:
        rows = [row | {"prev": None, "hash": None} for row in session.run("log_list", name="kite")]
    rows[3] = rows[3] | {column: value}
    assert str(chain.fault("kite", rows)).startswith("entry 4 of the log ")
    with pytest.raises(StoreError, match="does not add up at entry 4"):
        chain.chained("kite", rows)
    if column == "body":
        with pytest.raises(StoreError, match="does not add up"):
            chain.body_of(rows[3])


def test_a_version_that_is_no_number_is_a_sentence() -> None:
    for version in ("4", 4.0, True, [4]):
        with pytest.raises(StoreError, match="is not a whole number, so somebody edited it"):
            neo4j_schema.check_version(version, old=False)  # type: ignore[arg-type]
