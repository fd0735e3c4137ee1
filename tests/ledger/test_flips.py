"""One flipped bit in the ledger's file: refused, or the same answer; never a new release or another count."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgedp import Graph, open_store
from edgedp.stores.embedded.sqlite import opened
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.errors import EdgeDPError, LostReleaseError, RequestConflictError

NAMES = [f"r{number:03d}" for number in range(40)]
QUESTION: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": "0.01"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with forty requests in its log, all answered."""
    path = tmp_path_factory.mktemp("whole") / "store"
    with open_store(path) as store:
        store.load(Graph.from_edges([(1, 2), (2, 3), (3, 4), (2, 4)]), "kite", epsilon_budget=100)
        for name in NAMES:
            store.priv_top_k("kite", **QUESTION, request_id=name)
    return path


def flipped(content: bytes, bit: int) -> bytes:
    return content[: bit // 8] + bytes([content[bit // 8] ^ 1 << bit % 8]) + content[bit // 8 + 1 :]


def wrong(ledger: Path) -> list[str]:
    """Return what a damaged ledger says that is not so; a refusal says nothing."""
    found = []
    try:
        with opened(ledger, ledger, 5.0) as tables:
            try:
                if tables.run("release_count", name="kite")[0]["releases"] != len(NAMES):
                    found.append("another count")
            except EdgeDPError:
                pass
            for name in NAMES:
                try:
                    rows = tables.run("request_find", name="kite", analyst="", requestId=name)
                except EdgeDPError:
                    continue
                if not rows:
                    found.append(f"{name} is new")
                elif rows[0]["answer"] is None:
                    found.append(f"{name} is lost")
            try:
                if tables.run("request_find", name="kite", analyst="", requestId="new"):
                    found.append("a new one is old")
            except EdgeDPError:
                pass
    except EdgeDPError:
        pass
    return found


def pages_of(path: Path, table: str) -> list[int]:
    """Return the offsets of the pages of a table or an index."""
    with closing(sqlite3.connect(path)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        try:
            rows = connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (table,)).fetchall()
        except sqlite3.OperationalError:
            pytest.skip("SQLite here does not say which page is whose")
    return [(number - 1) * size for (number,) in rows]


@pytest.mark.parametrize("where", ["log_request", "log_request_again", "log_release", "log_analyst", "log"])
def test_no_flipped_bit_makes_a_request_new_or_an_answer_lost(
    whole: Path, tmp_path: Path, where: str
) -> None:
    copy = tmp_path / "ledger.sqlite"
    shutil.copy(whole / "ledger.sqlite", copy)
    content, pages = copy.read_bytes(), pages_of(copy, where)
    chance = random.Random(f"flips of {where}")
    for _ in range(40):
        bit = 8 * (chance.choice(pages) + chance.randrange(4096)) + chance.randrange(8)
        copy.write_bytes(flipped(content, bit))
        assert wrong(copy) == [], f"bit {bit} of {where}"


@pytest.mark.parametrize("index", ["log_request", "log_request_again"])
def test_an_index_that_lost_its_rows_hides_no_request(whole: Path, tmp_path: Path, index: str) -> None:
    path = tmp_path / "store"
    shutil.copytree(whole, path)
    ledger = path / "ledger.sqlite"
    content = bytearray(ledger.read_bytes())
    with closing(sqlite3.connect(ledger)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (index,)).fetchone()
    page = (root - 1) * 4096
    content[page : page + 12] = bytes([10, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0])  # an empty leaf
    ledger.write_bytes(content)
    with open_store(path) as store:
        before = store.budget("kite")["epsilon_spent"]
        with suppress(EdgeDPError):
            store.priv_top_k("kite", **QUESTION, request_id="r007")
        assert store.budget("kite")["epsilon_spent"] == before


def test_one_identifier_asked_of_both_accounts_at_one_moment_is_one_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = Graph.from_edges([(1, 2), (2, 3)]).with_properties({"age": np.array([1, 2, 3])})
    with open_store(tmp_path / "store") as store:
        store.load(graph, "kite", epsilon_budget=9, attribute_epsilon_budget=9)
        store.attribute("kite", "age", 0, 9, points=10)
        store.count("kite", "edges", "0.5", request_id="monday")
        # The other asker looked before this release was debited.
        monkeypatch.setattr("edgedp.stores.releases.releasing.asked_before", lambda *_: None)
        with pytest.raises(RequestConflictError):
            store.percentile("kite", "age", "0.5", "0.5", request_id="monday")
        store.percentile("kite", "age", "0.5", "0.5", request_id="tuesday")
        with pytest.raises(RequestConflictError):
            store.count("kite", "edges", "0.5", request_id="tuesday")
        balance = store.budget("kite")
    assert (balance["epsilon_spent"], balance["attributes"]["epsilon_spent"]) == (0.5, 0.5)


def test_a_renewal_makes_a_swept_lease_anew_until_there_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.ledger import ledger
    from edgedp.ledger.script import run

    with open_store(tmp_path / "store") as store:
        store.load(Graph.from_edges([(1, 2), (2, 3)]), "kite", epsilon_budget=9)
        seen = []

        def swept(self: OpenedStore, session: Any, *arguments: Any) -> Any:
            (row,) = session.run("request_find", name="kite", analyst="", requestId="q")
            session.run("lease_end", name="kite", releaseId=row["releaseId"])
            with pytest.raises(LostReleaseError):
                ledger.kept_of(session.run("request_find", name="kite", analyst="", requestId="q")[0], "q")
            run(session, ledger.lease_renewal_script("kite", row["releaseId"]))
            seen.append(session.run("request_find", name="kite", analyst="", requestId="q")[0]["leaseAlive"])
            return draw(self, session, *arguments)

        draw = type(store)._draw
        monkeypatch.setattr(type(store), "_draw", swept)
        shown = store.priv_top_k("kite", **QUESTION, request_id="q")
        with store._backend.session() as session:
            run(session, ledger.lease_renewal_script("kite", shown.to_dict()["release_id"]))
            assert session._rows("SELECT * FROM leases", {}) == []  # type: ignore[attr-defined]
    assert seen == [1]


def test_a_failed_draw_leaves_no_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from edgedp.ledger import ledger

    monkeypatch.setattr(ledger, "LEASE_RENEWAL", 0.001)
    with open_store(tmp_path / "store") as store:
        store.load(Graph.from_edges([(1, 2), (2, 3)]), "kite", epsilon_budget=9)
        monkeypatch.setattr(type(store), "_draw", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.priv_top_k("kite", **QUESTION, request_id="q")
        with store._backend.session() as session:
            assert not session.run("request_find", name="kite", analyst="", requestId="q")[0]["leaseAlive"]


def test_a_sweep_asks_again_before_it_removes(tmp_path: Path) -> None:
    """A load names its version between the sweep's first look and its lock."""
    from edgedp.stores.embedded import files
    from edgedp.stores.embedded.folder import Folder

    with open_store(tmp_path / "store") as store:
        store.load(Graph.from_edges([(1, 2), (2, 3)]), "kite")
    folder = Folder(tmp_path / "store")
    there = {version for version, _ in folder.versions()}
    answers = iter([set[int]()])
    files.sweep(folder, lambda: next(answers, there))
    assert {version for version, _ in folder.versions()} == there


def test_a_version_that_was_written_otherwise_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.stores.embedded import database

    fill = database.fill
    other = Graph.from_edges([(1, 2), (1, 3)])
    monkeypatch.setattr(database, "fill", lambda path, graph, kept: fill(path, other, kept))
    with open_store(tmp_path / "store") as store:
        with pytest.raises(EdgeDPError, match="not the one that was written"):
            store.load(Graph.from_edges([(1, 2), (2, 3)]), "kite")
        assert store.graphs() == []
