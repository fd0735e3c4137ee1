"""An older ledger: reading leaves it to the program that wrote it, and the first write migrates it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from edgedp import Graph, Store, StoreError, StoreUnavailableError, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.stores.embedded import clock, sqlite

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
ALL = sqlite.migrations()
COMPUTED = {"seal", "prev", "hash", "settings", "tallies", "sessions"}
"""Columns and tables that triggers and migrations fill."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


@pytest.fixture
def store(path: Path) -> Store:
    store = open_store(path)
    store.load(KITE, "kite", epsilon_budget=2, max_epsilon_per_release=1)
    store.priv_top_k("kite", "degree", 1, 0.25, request_id="r")
    return store


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def older(path: Path, monkeypatch: pytest.MonkeyPatch, version: int = 4) -> None:
    """Write a ledger anew as an earlier version had it, with its tables, its triggers and its hashes."""
    ledger, before = path / "ledger.sqlite", path.with_name("before.sqlite")
    ledger.rename(before)
    ledger.touch(0o600)
    with closing(sqlite3.connect(before)) as kept, monkeypatch.context() as patched:
        (secret,) = kept.execute("SELECT value FROM settings WHERE key = 'secret'").fetchone()
        patched.setattr(sqlite, "migrations", lambda: ALL[:version])
        with sqlite.create(ledger, path, secret) as made:
            tables = made.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            for (table,) in sorted(set(tables) - {(each,) for each in COMPUTED}):
                described = made.connection.execute(f"PRAGMA table_info({table})").fetchall()
                columns = ", ".join(f'"{each[1]}"' for each in described if each[1] not in COMPUTED)
                marks = ", ".join("?" for _ in columns.split(","))
                for row in kept.execute(f"SELECT {columns} FROM {table}"):  # noqa: S608
                    made.connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", row)  # noqa: S608
    before.unlink()


def test_new_ledgers_are_what_the_migrations_make_also_of_several_threads(tmp_path: Path) -> None:
    """They are copies of one that a process makes in memory, each with a secret of its own."""
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(lambda number: open_store(tmp_path / f"{number}"), range(8)))
        list(threads.map(lambda store: store.load(Graph.from_edges([(1, 2)]), "pair"), stores))
    schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        sqlite._add_functions(made)
        sqlite._migrate(made, ALL)
        expected = made.execute(schema).fetchall()
    secrets = set()
    for number in range(8):
        assert version_of(tmp_path / f"{number}") == len(ALL)
        with closing(sqlite3.connect(tmp_path / f"{number}" / "ledger.sqlite")) as found:
            assert found.execute(schema).fetchall() == expected
            assert found.execute("PRAGMA application_id").fetchone() == (sqlite.APPLICATION_ID,)
            assert found.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            secrets |= set(found.execute("SELECT value FROM settings WHERE key = 'secret'").fetchall())
    assert len(secrets) == 8


def test_reading_never_migrates_and_the_first_write_does(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.priv_top_k("kite", "degree", 1, 0.25, request_id="r").nodes
    older(path, monkeypatch)
    before = (path / "ledger.sqlite").read_bytes()
    reader = open_store(path)
    assert reader.budget("kite")["epsilon_spent"] == 0.25
    assert [row["epsilon"] for row in reader.releases("kite")] == [0.25]
    assert reader.graphs()[0]["name"] == "kite"
    assert len(reader.log("kite")) == 5
    assert reader.check() == []
    head = reader.head("kite")
    assert reader.priv_top_k("kite", "degree", 1, 0.25, request_id="r").nodes == kept, "a kept answer is read"
    assert (path / "ledger.sqlite").read_bytes() == before
    assert version_of(path) == 4
    reader.priv_top_k("kite", "degree", 1, 0.25)
    assert version_of(path) == len(ALL)
    assert reader.budget("kite")["epsilon_spent"] == 0.5
    assert reader.check() == []
    assert open_store(path, head=f"{head} kite").graphs(), "the history is the same one"
    lines = reader.export("kite")
    assert ['"terms"' in line for line in lines] == [False] * 5 + [True] * 2 + [False]


def test_nothing_is_migrated_while_an_older_program_draws(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path, monkeypatch)
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
        lease = ("x", "kite", clock.boot(), os.getpid(), clock.ticks() + 20, clock.wall() + 20)
        connection.execute("INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?)", lease)
        connection.commit()
    with pytest.raises(StoreUnavailableError, match="from which an older edgedp draws a release now"):
        open_store(path).priv_top_k("kite", "degree", 1, 0.25)
    assert version_of(path) == 4
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
        connection.execute("DELETE FROM leases")
        connection.commit()
    open_store(path).priv_top_k("kite", "degree", 1, 0.25)


def test_a_write_that_was_refused_once_is_refused_again(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path, monkeypatch)
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
        lease = ("x", "kite", clock.boot(), os.getpid(), clock.ticks() + 20, clock.wall() + 20)
        connection.execute("INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?)", lease)
        connection.commit()
    reader = open_store(path)
    with reader.together():
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match="from which an older edgedp draws a release now"):
                reader.priv_top_k("kite", "degree", 1, 0.25)
            assert reader.budget("kite")["epsilon_spent"] == 0.25, "and what was read goes on being read"
    assert version_of(path) == 4


def test_an_older_program_that_debits_while_a_newer_one_waits_to_write_is_seen(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path, monkeypatch)
    arrived = sqlite.queue

    @contextmanager
    def slow(folder: Path, seconds: float) -> Iterator[bool]:
        with arrived(folder, seconds) as free:
            if not debited:  # what an older program writes in one transaction with its debit
                debited.append(True)
                with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
                    lease = ("x", "kite", clock.boot(), os.getpid(), clock.ticks() + 20, clock.wall() + 20)
                    connection.execute("INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?)", lease)
                    connection.commit()
            yield free

    reader = open_store(path)
    debited: list[bool] = []
    with sqlite.opened(path / "ledger.sqlite", path, 10.0) as ledger:
        monkeypatch.setattr(sqlite, "queue", slow)
        with (
            pytest.raises(StoreUnavailableError, match="from which an older edgedp draws a release now"),
            ledger.transaction(),
        ):
            pass
    monkeypatch.undo()
    assert version_of(path) == 4
    assert reader.budget("kite")["epsilon_spent"] == 0.25


def test_nothing_is_written_to_a_ledger_that_a_newer_program_has_migrated_since_it_was_opened(
    store: Store, path: Path
) -> None:
    with sqlite.opened(path / "ledger.sqlite", path, 10.0) as ledger:
        with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
            connection.execute(f"PRAGMA user_version = {len(ALL) + 1}")
        with pytest.raises(StoreError, match="written by a newer edgedp"), ledger.transaction():
            pytest.fail("a transaction was begun")


def test_an_edited_account_of_an_older_store_is_not_believed_after_the_first_debit(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path, monkeypatch)
    moved: Any = open_store(path)
    moved.priv_top_k("kite", "degree", 1, 0.25)
    with sqlite.opened(path / "ledger.sqlite", path, 10.0) as ledger, ledger.transaction():
        ledger.connection.execute("UPDATE accounts SET budget = 10 * budget, declared = 10 * declared")
    with pytest.raises(StoreError, match="does not add up"):
        moved.priv_top_k("kite", "degree", 1, 0.25)


def test_heads_lie_inside_the_folder_too_and_belong_to_its_owner(
    store: Store, path: Path, tmp_path: Path
) -> None:
    shutil.copytree(path, tmp_path / "plain")
    store.priv_top_k("kite", "degree", 1, 0.25)
    if os.geteuid() == 0:
        for each in (path, *path.iterdir()):
            os.chown(each, 1234, 1234)
    store.backup(tmp_path / "copy")
    beside = path.with_name("graphs.edgedp.head")
    for file in (path / "ledger.head", beside, tmp_path / "copy" / "ledger.head", tmp_path / "copy.head"):
        assert file.read_text() == f"{store.head('kite')} kite\n"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    if os.geteuid() == 0:
        assert (path / "ledger.head").stat().st_uid == beside.stat().st_uid == 1234
    beside.unlink()  # as where the folder alone is mounted
    shutil.copyfile(tmp_path / "plain" / "ledger.sqlite", path / "ledger.sqlite")
    with pytest.raises(StoreError, match="older copy"):
        open_store(path).graphs()


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")
def test_a_store_that_may_not_be_written_is_backed_up(store: Store, path: Path, tmp_path: Path) -> None:
    outside = Path(tempfile.mkdtemp())  # whose parents another user may enter
    try:
        store.backup(tmp_path / "before")  # what it imports, another user may not read
        shutil.copytree(tmp_path / "before", outside / "graphs.edgedp")
        (outside / "graphs.edgedp" / "ledger.head").unlink()
        path = outside / "graphs.edgedp"
        (outside / "copies").mkdir()
        outside.chmod(0o755)
        for each in (path, *path.iterdir(), outside / "copies"):
            os.chown(each, 1234, 1234)
        path.chmod(0o500)
        os.setegid(1234)
        os.seteuid(1234)
        try:
            open_store(path).backup(outside / "copies" / "one")
        finally:
            os.seteuid(0)
            os.setegid(0)
        assert open_store(outside / "copies" / "one").check() == []
        assert (outside / "copies" / "one.head").is_file()
        assert not (path / "ledger.head").exists()
    finally:
        shutil.rmtree(outside)


def test_a_backup_that_cannot_leave_its_heads_leaves_nothing(
    store: Store, path: Path, tmp_path: Path
) -> None:
    path.with_name("graphs.edgedp.head").mkdir()  # nothing can be renamed to it
    (tmp_path / "copies").mkdir()
    with pytest.raises(StoreError):
        store._backend.backup(tmp_path / "copies" / "one")
    assert list((tmp_path / "copies").iterdir()) == []


def test_an_export_changes_the_mode_of_a_file_and_of_nothing_else(store: Store, path: Path) -> None:
    written, pipe = path.with_name("log.jsonl"), path.with_name("pipe")
    written.touch(0o644)
    os.mkfifo(pipe)
    pipe.chmod(0o644)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for output in (written, pipe):
        done = CliRunner().invoke(
            command_line, ["--store", str(path), "ledger", "export", "kite", "-o", str(output)]
        )
        assert done.exit_code == 0, done.output
    os.close(reader)
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o644, "/dev/null would be shut to all others"


def test_a_file_of_another_program_beside_the_ledger_and_a_path_that_is_too_long(
    store: Store, path: Path
) -> None:
    for name in ("ledger.sqlite-wal", "ledger.sqlite-shm"):
        (path / name).touch()
        with pytest.raises(StoreError, match=f"in which {name} lies, which edgedp never writes"):
            store.graphs()
        (path / name).unlink()
    assert store.graphs()
    deep = path.parent
    while len(os.fsencode(deep)) < 500:
        deep = deep / ("d" * 60)
    deep.mkdir(parents=True)
    with pytest.raises(StoreError, match="must have at most 500; choose a shorter one"):
        open_store(deep / "s").load(KITE, "kite")
    with pytest.raises(StoreError, match="must have at most 500; choose a shorter one"):
        store.backup(deep / "s")
    assert not any(deep.iterdir())


def test_the_people_of_a_store_of_version_10_go_on_with_their_tokens_and_shares(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann", "bob")}
    store.grant("kite", "ann", epsilon_budget=1)
    store.revoke_analyst("bob")
    store.asking_as("ann").priv_top_k("kite", "degree", 1, 0.5, request_id="ann's")
    log, head = store.people_log(), store.people_head()
    older(path, monkeypatch, 10)
    assert version_of(path) == 10
    reader = open_store(path)
    assert reader.identify(tokens["ann"]) is not None
    assert reader.identify(tokens["bob"]) is None
    assert [(row["name"], row["token"], row["state"]) for row in reader.tokens()] == [
        ("ann", "first", "valid"), ("bob", "first", "revoked"),
    ]  # fmt: skip
    assert (reader.people_log(), reader.people_head()) == (log, head)
    assert reader.asked_more() == []
    assert version_of(path) == 10, "what is only read stays"
    second = reader.add_token("ann", "laptop", expires="90d")["token"]
    assert version_of(path) == len(ALL)
    assert reader.identify(second) == reader.identify(tokens["ann"])
    assert reader.asking_as("ann").budget("kite")["share"]["epsilon_remaining"] == 0.5
    assert open_store(path).check() == []
    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "migrations", lambda: ALL[:10])
        with pytest.raises(StoreError, match="written by a newer edgedp"):
            open_store(path).identify(tokens["ann"])
