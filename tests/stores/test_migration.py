"""A store of 0.1.0 becomes a folder: nothing that was spent is lost, at whatever moment it is interrupted."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard

from edgedp import Graph, StoreError, StoreUnavailableError, open_store
from edgedp.stores.embedded import earlier
from edgedp.stores.neo4j import schema as neo4j_schema
from embedded_children import child, status

FIXTURES = Path(__file__).parents[1] / "fixtures"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "store-0.1.0.json").read_text(encoding="utf-8"))
NAMES = ("kite", "texts", "plain", "gone")


def unpack(name: str, place: Path) -> None:
    packed = (FIXTURES / name).read_bytes()
    place.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())


@pytest.fixture
def old(tmp_path: Path) -> Path:
    place = tmp_path / "graphs.edgedp"
    unpack("store-0.1.0.edgedp.zst", place)
    return place


@pytest.fixture
def killed(old: Path) -> Path:
    """With the log that a kill right after a debit left behind."""
    unpack("store-0.1.0.edgedp.wal.zst", old.with_name(old.name + ".wal"))
    return old


def check_migrated(place: Path) -> None:
    store = open_store(place)
    assert store.graphs() == EXPECTED["graphs"]
    for name in NAMES:
        # Which account was debited is told since there are two.
        assert store.releases(name) == [row | {"account": "edges"} for row in EXPECTED["releases"][name]]
        assert store.budget(name) == EXPECTED["budget"][name]
    assert store.check() == []
    assert store.graph("kite") == Graph.from_edges(
        [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)], nodes=[1, 2, 3, 4, 5, 9]
    )
    assert store.graph("texts").node_ids.tolist() == ["x", "y", "zé `"]
    names = {path.name for path in place.parent.iterdir()}
    assert names == {"graphs.edgedp", "graphs.edgedp.0.1.0-migrated"}


def test_a_store_of_the_old_kind_says_the_same_afterwards(old: Path) -> None:
    check_migrated(old)
    assert [row["event"] for row in open_store(old).log("kite")] == [
        "budget", "debit", "answer", "debit", "answer", "budget", "debit", "answer", "debit", "limit", "load", "exact",
    ]  # fmt: skip


def test_who_did_it_is_said_as_a_migrated_neo4j_database_says_it(old: Path) -> None:
    store = open_store(old)
    rows = [row for name in NAMES for row in store.log(name) if row["event"] != "load"]
    assert {row["by"] for row in rows} == {neo4j_schema._OLD_BY}
    assert store.check() == []


def test_what_it_holds_goes_on(old: Path) -> None:
    store = open_store(old)
    asked: dict[str, Any] = {"metric": "degree", "k": 2, "epsilon": 0.5, "request_id": "first"}
    assert store.priv_top_k("kite", **asked).nodes == EXPECTED["releases"]["kite"][0]["nodes"]
    with pytest.raises(StoreError, match="was debited and lost"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.05, mechanism="sld", request_id="lost")
    assert store.budget("kite") == EXPECTED["budget"]["kite"]
    with pytest.raises(Exception, match=r"at most 0\.6 for one release"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.61)
    store.priv_top_k("kite", metric="degree", k=1, epsilon=0.6)
    assert store.budget("kite")["epsilon_remaining"] == 0.0
    store.priv_top_k("texts", metric="degree", k=1, epsilon=0.01)
    store.load(Graph.from_edges([(1, 2), (3, 4)]), "gone", epsilon_budget=1)
    assert store.budget("gone")["epsilon_spent"] == 0.5


def test_its_graphs_have_attributes_too(old: Path) -> None:
    """The second account is opened as any other; a graph of 0.1.0 has no properties, so every value is missing."""
    store = open_store(old)
    assert "attributes" not in store.budget("kite")
    store.attribute("kite", "age", 0, 9, points=10)
    store.set_budget("kite", 1, attributes=True)
    assert store.percentile("kite", property="age", q=0.5, epsilon=0.5).value in range(10)
    assert store.budget("kite") == EXPECTED["budget"]["kite"] | {
        "attributes": {"epsilon_budget": 1, "epsilon_spent": 0.5, "epsilon_remaining": 0.5, "releases": 1}
    }
    assert store.check() == []


def test_the_log_of_a_kill_is_replayed(killed: Path) -> None:
    store = open_store(killed)
    last = store.releases("kite")[-1]
    assert (last["epsilon"], last["nodes"]) == (0.125, None)
    assert store.budget("kite")["epsilon_spent"] == pytest.approx(0.9 + 0.125)
    assert not killed.with_name(killed.name + ".wal").exists()


@pytest.mark.parametrize("point", ["built", "aside", "moved"])
def test_a_migration_that_is_killed_is_finished_by_whoever_comes_next(old: Path, point: str) -> None:
    assert status(child("release", old, "kite", "0.01", kill_at=point)) == -signal.SIGKILL
    old.with_name(old.name + ".lock").unlink(missing_ok=True)
    check_migrated(old)


def test_a_load_finishes_a_migration_and_makes_no_empty_store(old: Path) -> None:
    assert status(child("release", old, "kite", "0.01", kill_at="aside")) == -signal.SIGKILL
    assert not old.exists()
    open_store(old).load(Graph.from_edges([(1, 2)]), "new")
    assert open_store(old).budget("kite") == EXPECTED["budget"]["kite"]


def test_a_finished_migration_is_never_repeated(old: Path, tmp_path: Path) -> None:
    store = open_store(old)
    store.priv_top_k("kite", "degree", 1, 0.01)
    before = sorted(each.name for each in tmp_path.iterdir())
    old.rename(tmp_path / "away")
    for ask in (
        lambda: store.budget("kite"), lambda: store.priv_top_k("kite", "degree", 1, 0.01),
        lambda: open_store(old).graphs(), lambda: open_store(old).load(Graph.from_edges([(1, 2)]), "new"),
    ):  # fmt: skip
        with pytest.raises(
            StoreError, match=r"is gone, and beside it is what was migrated .* restore a backup"
        ):
            ask()
    assert not old.exists()
    (tmp_path / "away").rename(old)
    assert sorted(each.name for each in tmp_path.iterdir()) == before
    assert store.priv_top_k("kite", "degree", 1, 0.01).nodes


def test_processes_that_migrate_at_the_same_time_migrate_once(old: Path) -> None:
    children = [child("release", old, "kite", "0.1") for _ in range(3)]
    shown = [json.loads(process.communicate(timeout=300)[0]) for process in children]
    assert all("nodes" in each for each in shown), shown
    assert open_store(old).budget("kite")["epsilon_spent"] == pytest.approx(1.2)


def test_a_second_hard_link_is_refused_and_nothing_written(old: Path, tmp_path: Path) -> None:
    (tmp_path / "second").hardlink_to(old)
    before = old.read_bytes()
    for place in (old, tmp_path / "second"):
        with pytest.raises(StoreError, match="more than one hard link"):
            open_store(place).graphs()
    assert old.read_bytes() == before
    (tmp_path / "second").unlink()
    check_migrated(old)


def test_a_log_whose_store_has_another_name_is_refused(killed: Path) -> None:
    """Renamed after a kill: the debit in the log would be lost."""
    moved = killed.with_name("moved.edgedp")
    killed.rename(moved)
    with pytest.raises(StoreError, match=r"beside the log graphs\.edgedp\.wal, whose store is not there"):
        open_store(moved).budget("kite")
    moved.rename(killed)
    assert open_store(killed).budget("kite")["epsilon_spent"] == pytest.approx(1.025)


def test_a_log_that_was_written_through_a_link_is_refused(killed: Path, tmp_path: Path) -> None:
    """0.1.0 named the log after the path as given."""
    link = tmp_path / "link.edgedp"
    link.symlink_to(killed.name)
    log = killed.with_name(killed.name + ".wal")
    log.rename(tmp_path / "link.edgedp.wal")
    for place in (killed, link):
        with pytest.raises(StoreError, match=r"beside the log link\.edgedp\.wal"):
            open_store(place).budget("kite")


@pytest.mark.parametrize("end", [".wal.checkpoint", ".shadow"])
def test_what_a_kill_within_a_checkpoint_left_of_another_name_is_refused(old: Path, end: str) -> None:
    """0.1.0 moves its log aside before it takes it in: these two hold debits as the log does."""
    left = old.with_name("before.edgedp" + end)
    left.touch()
    with pytest.raises(StoreError, match=rf"beside the log before\.edgedp{end}, whose store is not there"):
        open_store(old).budget("kite")
    left.unlink()
    check_migrated(old)


def test_a_kill_at_the_end_of_a_checkpoint_is_no_damage(killed: Path) -> None:
    """The pending checkpoint is finished by an opening for writing, which a read-only one would refuse."""
    killed.with_name(killed.name + ".wal").rename(killed.with_name(killed.name + ".wal.checkpoint"))
    store = open_store(killed)
    assert store.budget("kite")["epsilon_spent"] == pytest.approx(0.9 + 0.125)
    assert {path.name for path in killed.parent.iterdir()} == {
        "graphs.edgedp",
        "graphs.edgedp.0.1.0-migrated",
    }


def test_a_damaged_log_is_refused_and_not_half_replayed(killed: Path) -> None:
    log = killed.with_name(killed.name + ".wal")
    content = log.read_bytes()
    for wrong in (content[: len(content) // 2], content[:200] + bytes([content[200] ^ 1]) + content[201:]):
        log.write_bytes(wrong)
        with pytest.raises(StoreError, match="damaged or whose log is torn"):
            open_store(killed).budget("kite")
        assert killed.is_file()
        assert log.read_bytes() == wrong


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a tmpfs")
def test_a_full_disk_asks_for_room_and_never_for_a_backup(killed: Path, small_disk: Path) -> None:
    """An older file in the place of a whole one would not know what was spent since."""
    place = small_disk / "graphs.edgedp"
    filler, most = small_disk / "filler", 400
    for each in (killed, killed.with_name(killed.name + ".wal")):
        shutil.copyfile(each, small_disk / each.name)
    disk = os.statvfs(small_disk)
    taken = disk.f_bavail * disk.f_frsize - 2**10 * most
    for room in range(0, most, 50):
        with filler.open("wb") as stream:
            stream.truncate(0)
            os.posix_fallocate(stream.fileno(), 0, taken + 2**10 * (most - room))
        with pytest.raises(StoreError, match="room") as caught:
            open_store(place).budget("kite")
        assert "restore" not in str(caught.value)
        assert place.is_file()
        filler.unlink()
    assert open_store(place).budget("kite")["epsilon_spent"] == pytest.approx(0.9 + 0.125)


@pytest.mark.parametrize("why", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EMFILE])
def test_what_the_machine_refuses_is_no_damage(old: Path, monkeypatch: pytest.MonkeyPatch, why: int) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"IO exception: Cannot open file {old}: {os.strerror(why)}")

    monkeypatch.setattr(earlier, "_opened", refused)
    with pytest.raises(StoreError, match="could not be migrated") as caught:
        open_store(old).budget("kite")
    assert os.strerror(why) in str(caught.value)
    assert "restore" not in str(caught.value)


def test_a_file_that_may_not_be_read_is_not_called_another_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "graphs.edgedp").write_text("?")
    for may, said in ((False, "may not be read"), (True, "a file and not a store")):
        monkeypatch.setattr(os, "access", lambda *_, may=may: may)
        with pytest.raises(StoreError, match=said):
            open_store(tmp_path / "graphs.edgedp").graphs()


NOT_OURS = "what was spent under 'kite' is not what its releases cost"
EDITS = {
    "MATCH (row:EdgeDPLedger {name: 'kite'}) SET row.spent = 1": NOT_OURS,
    "MATCH (row:EdgeDPLedger {name: 'kite'}) SET row.budget = -5": NOT_OURS,
    "MATCH (row:EdgeDPLedger {name: 'kite'}) DELETE row": NOT_OURS,
    "MATCH (row:EdgeDPLedger) WHERE row.name <> 'plain' DELETE row": "what was spent under 'gone'",
    "MATCH (row:EdgeDPRelease {graph: 'kite'}) DELETE row": NOT_OURS,
    "MATCH (row:EdgeDPRelease {graph: 'kite'}) SET row.cost = -row.cost": NOT_OURS,
    "MATCH (row:EdgeDPRelease {graph: 'kite'}) SET row.parameters = '[1]'": "damaged",
    "MATCH (row:EdgeDPGraph {name: 'kite'}) SET row.version = -1": "damaged",
    "MATCH (row:EdgeDPGraph {name: 'kite'}) SET row.nodeLabel = NULL": "damaged",
    "MATCH (row:EdgeDPGraph {name: 'kite'}) SET row.nodeCount = 3": "is not as it was loaded",
    "MATCH (row:EdgeDPGraph {name: 'kite'}) SET row.degreeBound = 2": "is not as it was loaded",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_file_is_not_taken_over(old: Path, edit: str) -> None:
    import ladybug

    with ladybug.Database(str(old)) as database, ladybug.Connection(database) as connection:
        connection.execute(edit)
    with pytest.raises(StoreError, match=EDITS[edit]):
        open_store(old).budget("kite")
    assert old.is_file()


def test_an_old_client_that_has_the_store_open_is_waited_for(old: Path) -> None:
    import filelock

    with (
        filelock.FileLock(f"{old}.lock"),
        pytest.raises(StoreUnavailableError, match=r"kept open for 0\.2 s"),
    ):
        open_store(old, lock_timeout=0.2).graphs()
    assert old.is_file()


def test_an_old_client_that_came_by_a_link_is_waited_for(old: Path, tmp_path: Path) -> None:
    """0.1.0 locked the path that it was given, and a debit of it between two steps of a migration would be lost."""
    import filelock

    link = tmp_path / "link.edgedp"
    link.symlink_to(old.name)
    with (
        filelock.FileLock(f"{link}.lock"),
        pytest.raises(StoreUnavailableError, match=r"kept open for 0\.2 s"),
    ):
        open_store(link, lock_timeout=0.2).graphs()
    assert open_store(link).budget("kite") == EXPECTED["budget"]["kite"]
    assert {path.name for path in tmp_path.iterdir()} == {old.name, old.name + ".0.1.0-migrated", link.name}


def test_a_file_that_is_in_use_is_not_called_damaged(old: Path) -> None:
    with child("hold_old", old) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(StoreUnavailableError, match=r"that another process has open; wait for it"):
                open_store(old).graphs()
        finally:
            holder.kill()
    check_migrated(old)


def test_what_was_migrated_is_not_written_by_0_1_0(old: Path) -> None:
    open_store(old).graphs()
    assert old.with_name(old.name + ".0.1.0-migrated").stat().st_mode & 0o777 == 0o400


def test_what_a_migration_left_is_never_a_store(old: Path) -> None:
    open_store(old).graphs()
    left = old.with_name(old.name + ".0.1.0-migrated")
    for ask in (lambda s: s.graphs(), lambda s: s.load(Graph.from_edges([(1, 2)]), "x")):
        with pytest.raises(StoreError, match="never a store"):
            ask(open_store(left))
    old.rename(old.with_name("elsewhere.edgedp"))
    unpack("store-0.1.0.edgedp.zst", old)
    with pytest.raises(StoreError, match="which was migrated before; move this file away"):
        open_store(old).graphs()
    old.unlink()
    old.with_name("elsewhere.edgedp").rename(old)
    check_migrated(old)


def test_another_file_in_the_place_of_an_interrupted_migration_has_to_go(old: Path) -> None:
    """What is half migrated holds what was spent: moved away, its ledger would be lost."""
    old.rename(old.with_name(old.name + ".0.1.0-migrating"))
    unpack("store-0.1.0.edgedp.zst", old)
    with pytest.raises(StoreError, match="was interrupted; move this file away, and ask again"):
        open_store(old).graphs()
    old.unlink()
    check_migrated(old)


def test_threads_migrate_once(old: Path) -> None:
    threads = [threading.Thread(target=lambda: open_store(old).graphs()) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_migrated(old)
