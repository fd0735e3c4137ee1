"""What only a folder can do: compete for it, kill its writer, fill its disk, link to it, break it."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import edgedp
from edgedp import (
    BudgetError,
    EngineError,
    Graph,
    ParameterError,
    Store,
    StoreError,
    StoreUnavailableError,
    open_store,
)
from edgedp.stores.embedded import backup, files, folder, seals, sqlite
from edgedp.stores.embedded.folder import Folder
from edgedp.stores.releases import trial
from embedded_children import PAIR, child, status
from forks import Forked
from killing import Point
from made_once import copied

TRIO = Graph.from_edges([(1, 2), (1, 3), (1, 4)])
KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


def made(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    copied(made, tmp_path / "graphs.edgedp")
    return tmp_path / "graphs.edgedp"


def ask(path: Path, epsilon: str = "0.01", **more: object) -> dict[str, object]:
    release = open_store(path).priv_top_k("kite", metric="degree", k=1, epsilon=epsilon, **more)  # type: ignore[arg-type]
    return release.to_dict()


def versions(path: Path, kind: str = "graph") -> list[Path]:
    return sorted(path.glob(f"*.{kind}"))


# -- many at once -----------------------------------------------------------------------------------------


def test_four_processes_get_exactly_fifty_releases(path: Path) -> None:
    children = [child("compete", path, 16, "0.01") for _ in range(4)]
    try:
        granted = [int(process.communicate(timeout=590)[0]) for process in children]
    finally:
        for process in children:
            process.kill()
            process.wait()
    assert sum(granted) == 50
    assert open_store(path).budget("kite") == {
        "epsilon_budget": 0.5, "epsilon_spent": 0.5, "epsilon_remaining": 0.0, "releases": 50
    }  # fmt: skip
    assert all(row["nodes"] is not None for row in open_store(path).releases("kite"))


def test_threads_of_one_store_spend_one_budget(path: Path) -> None:
    store = open_store(path)
    threads = [
        threading.Thread(target=lambda: [store.priv_top_k("kite", "degree", 1, "0.01") for _ in range(5)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.budget("kite")["epsilon_spent"] == 0.2


def test_a_writer_that_does_not_let_go_is_waited_for_with_a_limit(path: Path) -> None:
    holder = child("hold", path, 300)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreUnavailableError, match=r"kept busy for 0\.3 s"):
            open_store(path, lock_timeout=0.3).set_budget("kite", 1)
        assert open_store(path, lock_timeout=5).budget("kite")["epsilon_spent"] == 0.0, (
            "a reader needs no lock"
        )
    finally:
        holder.kill()
        holder.communicate()
    open_store(path, lock_timeout=60).set_budget("kite", 1)


def test_whoever_gives_up_waiting_does_not_keep_the_others_waiting(path: Path) -> None:
    holder = child("hold", path, 300)
    store = open_store(path, lock_timeout=0.2)
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        for _ in range(3):
            with pytest.raises(StoreUnavailableError):
                store.set_budget("kite", 1)
    finally:
        holder.kill()
        holder.communicate()
    for _ in range(3):
        open_store(path, lock_timeout=60).set_budget("kite", 1)


def test_nothing_is_locked_while_a_release_is_read_and_drawn(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import edgedp.release.draw

    store, draw, others = open_store(path), edgedp.release.draw.draw, []
    store.priv_top_k("kite", "degree", 1, "0.01")

    def drawing(*arguments: object) -> object:
        others.append(status(child("compete", path, 1, "0.01")))
        return draw(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(edgedp.release.draw, "draw", drawing)
    store.priv_top_k("kite", "degree", 1, "0.01")
    assert others == [0]
    assert store.budget("kite")["releases"] == 3


def test_an_open_store_neither_blocks_another_process_nor_sees_a_stale_budget(path: Path) -> None:
    store = open_store(path)
    assert store.budget("kite")["epsilon_spent"] == 0.0
    process = child("compete", path, 3, "0.1")
    assert process.communicate(timeout=300)[0] == "3\n"
    assert store.budget("kite")["epsilon_spent"] == 0.3


# -- kills ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("point", "answered"), [("debited", False), ("read", False), ("drawn", False), ("recorded", True)]
)
def test_a_kill_in_a_release_costs_budget_and_nothing_else(path: Path, point: str, answered: bool) -> None:
    process = child("release", path, "kite", "0.25", "r-1", kill_at=point)
    shown = process.communicate(timeout=300)[0]
    assert process.returncode == -signal.SIGKILL
    assert shown == ""
    store = open_store(path)
    assert store.budget("kite")["epsilon_spent"] == 0.25
    assert (store.releases("kite")[0]["nodes"] is not None) == answered
    assert store.check() == []
    if answered:
        kept = store.priv_top_k("kite", "degree", 1, "0.25", request_id="r-1")
        assert kept.nodes == store.releases("kite")[0]["nodes"]
    else:
        with pytest.raises(StoreError, match="is being drawn; ask again"):
            store.priv_top_k("kite", "degree", 1, "0.25", request_id="r-1")
        end_leases(path)
        with pytest.raises(StoreError, match="was debited and lost"):
            store.priv_top_k("kite", "degree", 1, "0.25", request_id="r-1")
    assert store.budget("kite")["epsilon_spent"] == 0.25


def end_leases(path: Path) -> None:
    """Let the leases be over, as thirty seconds would."""
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        connection.execute("UPDATE leases SET ticks = 0, until = 0")
    connection.close()


def test_a_draw_that_fails_ends_its_lease_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import edgedp.release.draw

    store = open_store(path)
    store.priv_top_k("kite", "degree", 1, "0.01")

    def broken(*_: object) -> None:
        raise StoreError("the machine stopped here")

    monkeypatch.setattr(edgedp.release.draw, "draw", broken)
    with pytest.raises(StoreError, match="is debited"):
        store.priv_top_k("kite", "degree", 1, "0.01", request_id="r")
    monkeypatch.undo()
    with pytest.raises(StoreError, match="was debited and lost"):
        store.priv_top_k("kite", "degree", 1, "0.01", request_id="r")


@pytest.mark.parametrize("point", ["begun", "written", "placing", "placed", "checked"])
def test_a_kill_in_a_load_leaves_the_old_graph_whole(path: Path, point: str) -> None:
    assert status(child("load", path, kill_at=point)) == -signal.SIGKILL
    store = open_store(path)
    assert store.graph("kite") == KITE
    assert store.budget("kite")["epsilon_budget"] == 0.5
    assert store.check() == []
    store.load(PAIR, "kite", replace=True)
    assert store.graph("kite") == PAIR
    assert len(list(path.iterdir())) == 3, "what the dead load left is swept"


def test_a_kill_after_a_load_is_current_leaves_the_new_graph_whole(path: Path) -> None:
    assert status(child("load", path, kill_at="current")) == -signal.SIGKILL
    store = open_store(path)
    assert store.graph("kite") == PAIR
    assert store.budget("kite")["epsilon_budget"] == 3.0
    store.load(TRIO, "other")
    assert len(versions(path)) == 2


def test_a_kill_in_the_first_load_leaves_a_store_that_opens(tmp_path: Path) -> None:
    path = tmp_path / "new.edgedp"
    assert status(child("load", path, kill_at="written")) == -signal.SIGKILL
    assert open_store(path).graphs() == []
    open_store(path).load(KITE, "kite")
    assert open_store(path).graph("kite") == KITE


KILLED = """
import os, signal, sys
from edgedp import Graph, open_store
from edgedp.stores.embedded import backup, making

def killed(*given):
    os.kill(os.getpid(), signal.SIGKILL)

making.fill = backup._fill = killed
place, new = sys.argv[1:]
store = open_store(place)
store.backup(new) if new else store.load(Graph.from_edges([(1, 2)]), "kite")
"""


@pytest.mark.parametrize("copied", [False, True], ids=["made", "backed up"])
def test_what_a_kill_left_beside_a_store_that_was_made_goes_with_the_next(
    path: Path, tmp_path: Path, copied: bool
) -> None:
    new = tmp_path / "new"
    for _ in range(2):
        killed = Forked(KILLED, *([str(path), str(new)] if copied else [str(new), ""]))
        assert status(killed) == -signal.SIGKILL
    assert [each.name.startswith("new.new-") for each in tmp_path.iterdir() if each != path] == [True]
    if copied:
        open_store(path).backup(new)
    else:
        open_store(new).load(KITE, "kite")
    assert not list(tmp_path.glob("new.new-*"))
    assert open_store(new).graph("kite") == KITE


def test_what_somebody_holds_or_did_not_make_stays_beside_a_store(tmp_path: Path) -> None:
    """A maker that lives, a link, a file, another's folder, and folders of other stores."""
    new, other = tmp_path / "new", tmp_path / "other"
    stay = [other / "kept", *(tmp_path / f"{name}.new-{'0' * 16}" for name in ("newer", "a.new"))]
    stay += [tmp_path / "new.new-0", tmp_path / "new.new-backup"]
    for each in stay:
        each.mkdir(parents=True)
    link, file = tmp_path / f"new.new-{'1' * 16}", tmp_path / f"new.new-{'2' * 16}"
    link.symlink_to(other)
    file.write_text("somebody's")
    with folder.building_folder(new) as building:
        open_store(new).load(KITE, "kite")
        assert building.is_dir()
        around = building.parent
    assert not around.exists()
    assert all(each.is_dir() for each in stay)
    assert link.is_symlink()
    assert file.read_text() == "somebody's"


def test_what_another_user_left_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left, other = tmp_path / f"new.new-{'0' * 16}", os.geteuid() + 1
    left.mkdir()
    with monkeypatch.context() as as_other:
        as_other.setattr(os, "geteuid", lambda: other)
        with folder.building_folder(tmp_path / "new"):
            assert left.is_dir()
    with folder.building_folder(tmp_path / "new"):
        assert not left.exists()


def test_a_store_that_is_named_like_what_a_kill_leaves_is_never_removed(tmp_path: Path) -> None:
    """Else whoever makes a store or a copy beside it forgets what was spent in it."""
    real = tmp_path / f"new.new-{'0' * 16}"
    open_store(real).load(KITE, "kite", epsilon_budget=1)
    open_store(real).count("kite", of="edges", epsilon=1)
    open_store(tmp_path / "new").load(KITE, "kite")
    assert open_store(real).budget("kite")["epsilon_remaining"] == 0.0


def test_a_store_is_opened_where_it_stays_and_not_where_it_was_made(tmp_path: Path) -> None:
    """Who goes on with a copy whose making was killed would lose it, and its ledger, to the next making."""
    left = tmp_path / f"new.new-{'0' * 16}"
    left.mkdir()
    open_store(tmp_path / "made").load(KITE, "kite", epsilon_budget=1)
    (tmp_path / "made").rename(left / "store")
    for ask in (
        lambda store: store.count("kite", of="edges", epsilon=1),
        lambda store: store.load(KITE, "k"),
    ):
        with pytest.raises(StoreError, match="move it to another path to open it"):
            ask(open_store(left / "store"))
    (left / "store").rename(tmp_path / "moved")
    assert open_store(tmp_path / "moved").budget("kite")["epsilon_remaining"] == 1.0


def before(monkeypatch: pytest.MonkeyPatch, step: str, happens: Callable[[], object]) -> None:
    """Let something happen once, right before a step of a backup."""
    real = getattr(backup, step)

    def later(*given: Any) -> Any:
        monkeypatch.setattr(backup, step, real)
        happens()
        return real(*given)

    monkeypatch.setattr(backup, step, later)


def test_a_backup_of_what_is_replaced_meanwhile_is_of_one_version(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "new"
    before(monkeypatch, "_copy_ledger", lambda: open_store(path).load(PAIR, "kite", replace=True))
    open_store(path).backup(new)
    assert open_store(new).graph("kite") == PAIR


def test_a_copy_on_a_disk_that_writes_something_else_is_no_backup(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(origin: Path, place: Path) -> None:
        place.write_bytes(origin.read_bytes()[:-1] + b"?")

    monkeypatch.setattr(backup.shutil, "copyfile", spoilt)
    with pytest.raises(StoreError, match="check the disk of the destination"):
        open_store(path).backup(tmp_path / "new")
    assert not list(tmp_path.glob("new*"))


def test_a_copy_that_somebody_else_made_meanwhile_keeps_its_own_heads(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = tmp_path / "new"

    def by_somebody_else() -> None:
        open_store(path).backup(new)
        open_store(path).set_budget("kite", 2)

    before(monkeypatch, "_fill", by_somebody_else)
    with pytest.raises(StoreError, match="cannot be written"):
        open_store(path).backup(new)
    heads = (tmp_path / "new.head").read_text(encoding="utf-8")
    assert heads == (new / "ledger.head").read_text(encoding="utf-8")
    assert open_store(new).check() == []
    assert not list(tmp_path.glob("new.new-*"))


@pytest.mark.parametrize("step", ["chmod", "hold"])
def test_a_folder_that_is_swept_before_its_maker_holds_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    owner, name = (Path, "chmod") if step == "chmod" else (folder, "try_hold")
    before = getattr(owner, name)
    swept: list[Path] = []

    def late(path: Path, *given: Any, **named: Any) -> Any:
        if not swept and path.parent == tmp_path:
            swept.append(path)
            path.rmdir()
        return before(path, *given, **named)

    monkeypatch.setattr(owner, name, late)
    with folder.building_folder(tmp_path / "new") as building:
        assert building.parent not in swept
        assert building.is_dir()
    assert not list(tmp_path.iterdir())


def test_a_store_is_made_without_waiting_for_a_thread_that_makes_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forked process has only the thread that forked: what it waited for would never come."""
    empty, made, begun, go = sqlite._empty, [], threading.Event(), threading.Event()

    def slowly(migrations: tuple[Path, ...]) -> sqlite3.Connection:
        own = empty(migrations)
        made.append(own)
        if len(made) == 1:
            begun.set()
            assert go.wait(10)
        return own

    monkeypatch.setattr(sqlite, "_empty", slowly)
    both = [
        threading.Thread(target=lambda name=name: open_store(tmp_path / name).load(KITE, "kite"))
        for name in ("one.edgedp", "two.edgedp")
    ]
    both[0].start()
    assert begun.wait(10)
    both[1].start()
    both[1].join(5)
    waited = both[1].is_alive()
    go.set()
    for each in both:
        each.join()
    assert not waited
    assert made[0] is not made[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_waits_for_no_thread_that_copies_an_empty_ledger() -> None:
    """The thread is none of the fork's; its ledger is let go of there, in the midst of a statement."""
    begun, go = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go.wait(60)

    def copy() -> None:
        empty = sqlite._empty(sqlite.migrations())
        empty.create_function("wait", 0, wait)
        empty.execute("SELECT wait()")

    thread = threading.Thread(target=copy)
    thread.start()
    assert begun.wait(60)
    child = os.fork()
    if not child:
        os._exit(0)
    ended, over = 0, time.monotonic() + 20
    while not ended and time.monotonic() < over:
        ended, _ = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    go.set()
    thread.join()
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended


def test_a_load_that_runs_is_not_swept_by_another(path: Path) -> None:
    """A writer holds what it writes; only what a dead one left goes."""
    store = open_store(path)
    backend = store._backend
    with backend.session() as session:
        row = backend.place("slow", 77, None, None)
        with session.ingest(row, PAIR, None):
            open_store(path).load(TRIO, "quick")
            assert {file.name for file in path.glob("4d.*")} == {"4d.graph", "4d.rows"}
    open_store(path).load(TRIO, "quick", replace=True)
    assert not list(path.glob("4d.*"))


def test_a_version_that_is_being_read_outlives_its_replacement(path: Path) -> None:
    store = open_store(path, graph_memory=0)
    with store._backend.session() as session:
        from edgedp.ledger import registry

        row = registry.known(session, "kite")
        session.prepare(row)
        open_store(path).load(PAIR, "kite", replace=True)
        graph = session.graph(row)
        assert graph == KITE
    open_store(path).load(TRIO, "other")
    assert not list(path.glob(f"{row.version:x}.*")), "what is mapped alone is not in use"
    assert graph == KITE


def test_a_release_of_a_graph_that_was_replaced_meanwhile_is_refused_before_the_debit(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.ledger import ledger
    from edgedp.stores.releases import releasing

    store, planned = open_store(path), releasing.try_engine

    def replacing(*arguments: object) -> None:
        planned(*arguments)  # type: ignore[arg-type]
        monkeypatch.undo()
        open_store(path).load(PAIR, "kite", replace=True)

    monkeypatch.setattr(releasing, "try_engine", replacing)
    with pytest.raises(StoreError, match=r"ask again|changed since the release was planned"):
        store.priv_top_k("kite", "degree", 1, "0.25")
    assert store.budget("kite")["releases"] == 0
    assert ledger.LEASE_SECONDS > 2 * ledger.LEASE_RENEWAL


# -- room -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 100, 500, 5_000, 20_000, 300_000])
def test_a_full_disk_costs_budget_at_most_and_the_store_opens(path: Path, most: int) -> None:
    store = open_store(path)
    store.priv_top_k("kite", metric="degree", k=1, epsilon="0.01")
    process = child("fill_up", path, most)
    shown = process.communicate(timeout=300)[0]
    assert process.returncode == 0
    drawn = [row["nodes"] for row in store.releases("kite")]
    assert len(drawn) in (1, 2)
    assert store.budget("kite")["epsilon_spent"] == len(drawn) / 100
    if shown.startswith("["):
        assert shown.strip() == str(drawn[1]), "nothing is shown that was not debited and kept"
    assert store.graph("kite") == KITE
    store.priv_top_k("kite", metric="degree", k=1, epsilon="0.01")
    assert store.check() == []


@pytest.mark.parametrize("most", [0, 5_000, 40_000])
def test_a_load_on_a_full_disk_leaves_the_old_graph_whole(path: Path, most: int) -> None:
    """The database library may end its process where a file cannot grow."""
    assert "loaded" not in child("fill_up", path, most, "load").communicate(timeout=300)[0]
    assert open_store(path).graph("kite") == KITE
    open_store(path).load(PAIR, "kite", replace=True)
    assert len(list(path.iterdir())) == 3


def test_a_load_into_a_store_that_is_for_reading_is_refused_in_a_line(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(folder: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.raises(StoreError, match=r"nothing can be written \(Permission denied\); check its owner"):
        open_store(path).load(TRIO, "trio")
    assert [row["name"] for row in open_store(path).graphs()] == ["kite"]


def test_a_load_that_the_disk_has_no_room_for_is_refused_and_a_release_needs_none(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(path)
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(StoreError, match="needs about 4 MB; make room"):
        open_store(path).load(PAIR, "pair")
    assert open_store(path).budget("kite")["releases"] == 0
    assert ask(path)["nodes"]


# -- paths and files ----------------------------------------------------------------------------------------


def test_every_path_leads_to_one_ledger_also_after_a_kill(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second path to the file plus a kill used to reset the ledger."""
    link = tmp_path / "link.edgedp"
    link.symlink_to(path.name)
    monkeypatch.chdir(tmp_path)
    places = [path, link, Path("graphs.edgedp"), Path("./link.edgedp"), path / ".." / "graphs.edgedp"]
    for shown, place in enumerate(places, start=1):
        assert status(child("release", place, "kite", "0.09", kill_at="recorded", cwd=tmp_path)) < 0
        assert open_store(link).budget("kite")["epsilon_spent"] == pytest.approx(0.09 * shown)
    for place in places:
        with pytest.raises(BudgetError, match=r"0\.05 of 0\.5"):
            ask(place, "0.09")
    assert all(row["nodes"] for row in open_store(path).releases("kite"))


def test_a_renamed_store_keeps_its_history(path: Path, tmp_path: Path) -> None:
    assert status(child("release", path, "kite", "0.25", kill_at="debited")) < 0
    moved = tmp_path / "elsewhere.edgedp"
    path.rename(moved)
    assert open_store(moved).budget("kite")["epsilon_spent"] == 0.25


@pytest.mark.parametrize("name", ["ledger.sqlite", "version", "rows", "journal"])
@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_links_inside_the_folder_are_refused(path: Path, tmp_path: Path, name: str, kind: str) -> None:
    target = tmp_path / "elsewhere"
    inside = {
        "ledger.sqlite": path / name, "version": versions(path)[0], "rows": versions(path, "rows")[0],
        "journal": path / "ledger.sqlite-journal",
    }[name]  # fmt: skip
    if name == "journal":
        target.write_bytes(b"x")
    else:
        inside.rename(target)
    (inside.symlink_to if kind == "symbolic" else inside.hardlink_to)(target)
    for question in (lambda: open_store(path).budget("kite"), lambda: ask(path)):
        with pytest.raises(StoreError, match="is a link; put the file itself there"):
            question()


def test_a_file_that_goes_while_it_is_looked_at_is_no_link(path: Path) -> None:
    """Another process removes its journal at every commit: what was found of it a moment before has no name left."""
    journal = path / "ledger.sqlite-journal"
    with journal.open("wb") as held:
        journal.unlink()
        found = os.fstat(held.fileno())
    assert found.st_nlink == 0
    Folder(path).check_plain(journal.name, found)


def test_a_missing_store_is_made_by_load_alone(tmp_path: Path) -> None:
    path = tmp_path / "missing.edgedp"
    store = open_store(path)
    told = (store.graphs, store.check, store.tokens, store.people_log)
    of_kite = (store.budget, store.drop, store.check, store.log, store.export, store.graph, store.backup)
    for question in (*told, *(partial(each, "kite") for each in of_kite)):
        with pytest.raises(StoreError, match="must be an existing store"):
            question()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_store_is_refused_in_one_sentence_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database\n" * 100)
    empty = tmp_path / "empty"
    empty.touch()
    folder = tmp_path / "folder"
    (folder / "inside").mkdir(parents=True)
    hollow = tmp_path / "hollow"
    hollow.mkdir()
    (hollow / "ledger.sqlite").touch()
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    connection = sqlite3.connect(foreign / "ledger.sqlite")
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    garbage = tmp_path / "garbage"
    garbage.mkdir()
    (garbage / "ledger.sqlite").write_bytes(b"garbage" * 1000)
    before = snapshot(tmp_path)
    for place, sentence in (
        (text, "which is a file and not a store"), (empty, "which is a file and not a store"),
        (folder, "a folder without a ledger and not a store"), (hollow, "whose ledger is empty"),
        (foreign, "a database of another program"), (garbage, "whose ledger is damaged"),
        (tmp_path / "x.0.1.0-migrated", "never a store"),
    ):  # fmt: skip
        for question in (lambda s: s.graphs(), lambda s: s.load(KITE, "kite")):
            with pytest.raises(StoreError, match=sentence) as refused:
                question(open_store(place))
            assert "\n" not in str(refused.value)
    assert snapshot(tmp_path) == before
    with pytest.raises(StoreError, match="folder does not exist"):
        open_store(tmp_path / "no" / "such.edgedp").load(KITE, "kite")
    with pytest.raises(ParameterError, match="neo4j://"):
        open_store("ftp://example")


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    import ladybug

    path = tmp_path / "other.db"
    database = ladybug.Database(str(path))
    ladybug.Connection(database).execute("CREATE NODE TABLE Other(id INT64 PRIMARY KEY)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_store(path).load(KITE, "kite")
    assert path.read_bytes() == before


def test_a_newer_store_is_refused_and_not_written(path: Path) -> None:
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = snapshot(path)
    for question in (lambda: ask(path), lambda: open_store(path).load(KITE, "x")):
        with pytest.raises(
            StoreError, match=r"written by a newer edgedp \(its version is 99, this one knows [0-9]+\)"
        ):
            question()
    assert snapshot(path) == before


@pytest.mark.parametrize("kind", ["graph", "rows"])
def test_a_damaged_version_is_refused_before_the_debit_and_never_opened(path: Path, kind: str) -> None:
    (file,) = versions(path, kind)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.chmod(0o600)
    file.write_bytes(content)
    with pytest.raises(StoreError, match="is not what was written"):
        ask(path)
    assert open_store(path).budget("kite")["releases"] == 0
    assert [row["problem"] for row in open_store(path).check()] == [
        f"the file {file.name} of the graph 'kite' is not what was written"
    ]
    file.unlink()
    with pytest.raises(StoreError, match="missing"):
        ask(path)


def test_the_folder_and_its_files_are_for_their_owner_alone_and_the_umask_is_left_alone(
    tmp_path: Path,
) -> None:
    """The umask is the process's: changing it once left another thread's store open to all."""
    before = os.umask(0o000)
    try:
        paths = [tmp_path / f"{i}.edgedp" for i in range(4)]
        threads = [
            threading.Thread(target=lambda p=p: open_store(p).load(KITE, "kite", epsilon_budget=1))
            for p in paths
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with (
            suppress(KeyError),
            open_store(paths[0])._backend.session() as session,
            session.transaction() as tx,
        ):
            tx.run("account_next", name="kite")
            modes = [stat.S_IMODE(file.stat().st_mode) for path in paths for file in (path, *path.iterdir())]
            assert (paths[0] / "ledger.sqlite-journal").exists()
            raise KeyError
        open_store(paths[0]).backup(tmp_path / "copy")
        modes += [stat.S_IMODE(file.stat().st_mode) for file in tmp_path.rglob("*")]
        assert not any(mode & 0o077 for mode in modes)
        assert os.umask(0o000) == 0o000
    finally:
        os.umask(before)


def test_the_ledger_never_keeps_a_write_ahead_log(path: Path) -> None:
    """One flipped bit in it loses commits without a word; and the folder is synced after a journal is gone."""
    with open_store(path)._backend.session() as session:
        ledger: Any = session
        assert ledger.connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert ledger.connection.execute("PRAGMA synchronous").fetchone() == (3,)
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(StoreError, match=r"to the journal mode wal; .* set it back: sqlite3"):
        ask(path)


def test_another_program_does_not_write_the_ledger_by_accident(path: Path) -> None:
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        for statement in (
            "UPDATE accounts SET budget = 5", "UPDATE accounts SET spent = 0", "DELETE FROM log",
            "UPDATE log SET total = 0", "INSERT INTO accounts (name, spent, entries) VALUES ('x', 0, 0)",
        ):  # fmt: skip
            with pytest.raises(sqlite3.Error, match=r"no such function|append-only"):
                connection.execute(statement)
    connection.close()


# -- memory and engines -------------------------------------------------------------------------------------


def test_a_graph_is_read_once_a_version_and_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    read = files.read

    def counted(version: seals.Version, **asked: Any) -> Graph:
        reads.append(version.path)
        return read(version, **asked)

    monkeypatch.setattr(files, "read", counted)
    store = open_store(path)
    for _ in range(3):
        store.priv_top_k("kite", "degree", 1, "0.01")
    assert len(reads) == 1
    open_store(path).load(PAIR, "kite", replace=True)
    assert set(store.priv_top_k("kite", "degree", 2, "0.01").nodes) == {10, 20}
    assert len(reads) == 2
    without = open_store(path, graph_memory=0)
    for _ in range(2):
        without.priv_top_k("kite", "degree", 1, "0.01")
    assert len(reads) == 4


def test_what_is_done_to_a_graph_that_was_handed_out_does_not_matter_to_releases(path: Path) -> None:
    """A graph that a store keeps in memory is handed out as another one: a release would fail after its debit."""
    store = open_store(path)
    for _ in range(2):
        graph = store.graph("kite")
        for name in ("rows", "mapped", "triangles", "common_neighbors_between", *graph.kept):
            graph.kept[name] = object()
        graph.__dict__["degrees"] = np.zeros(1)
        with pytest.raises(ValueError, match="WRITEABLE"):
            graph.indices.flags.writeable = True
        for ids in (store.exact_rows("kite", "degree")[0], store.exact_rows("kite", "ebc", top=2)[1]):
            with suppress(ValueError):
                ids[:] = ids[0]
        for metric in ("degree", "density", "ebc", "betweenness2"):
            assert store.priv_top_k("kite", metric, 1, "0.01").nodes
        assert store.exact_rows("kite", "degree")[0].tolist() == KITE.node_ids.tolist()
    assert store.graph("kite") == KITE


def test_memory_for_graphs_is_bounded() -> None:
    from edgedp.ledger.rows import GraphRow
    from edgedp.stores.releases.memory import GraphMemory

    def row(name: str) -> GraphRow:
        return GraphRow(name, 1, "Node", "Edge", "id", 5, None, nodes_supplied=False, loaded=True)

    size = KITE.node_ids.nbytes + KITE.indptr.nbytes + KITE.indices.nbytes
    memory = GraphMemory(2 * size)
    for name in ("a", "b", "c"):
        memory.put(row(name), KITE)
        memory.get(row("a"))
    assert [memory.get(row(name)) is not None for name in ("a", "b", "c")] == [True, False, True]
    small = GraphMemory(size - 1)
    small.put(row("a"), KITE)
    assert small.get(row("a")) is None


def test_the_cypher_engine_is_for_exact_values_alone(path: Path) -> None:
    store = open_store(path)
    for metric in ("degree", "ebc"):
        with pytest.raises(EngineError, match="must be native or igraph for a release"):
            store.priv_top_k("kite", metric=metric, k=1, epsilon=0.1, engine="cypher")
    assert store.budget("kite")["releases"] == 0
    assert store.exact("kite", "degree", engine="cypher").tolist() == KITE.degrees.tolist()
    with pytest.raises(EngineError, match="must be 'native' or 'igraph' for ebc"):
        store.exact("kite", "ebc", engine="cypher")


def test_a_missing_engine_is_found_before_the_debit(path: Path) -> None:
    """Neither the kernels nor igraph can be loaded: nothing may be spent."""
    code = """
import sys, warnings, edgedp
from edgedp.graph.engines.native import library
warnings.simplefilter("ignore")
library.missing = lambda: "it was taken away"
sys.modules["igraph"] = None
store = edgedp.open_store(sys.argv[1])
for ask in (
    lambda: store.priv_top_k("kite", "density", 1, 0.1),
    lambda: store.motkin("kite", ["degree", "density"], 1, 0.1),
    lambda: store.priv_top_k("kite", "density", 1, 0.1, engine="igraph"),
):
    try:
        ask()
        print("released")
    except edgedp.EngineError as error:
        print(error)
print(store.budget("kite")["releases"])
"""
    said, _ = Forked(code, str(path)).communicate(timeout=300)
    *lines, releases = said.splitlines()
    assert releases == "0", said
    assert len(lines) == 3
    assert all("nothing was debited" in line for line in lines), said


def test_an_engine_is_tried_whatever_another_one_drew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_tried", set())
    store, asked = open_store(path), {"metric": "density", "k": 1, "epsilon": "0.1"}
    store.priv_top_k("kite", **asked)
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(EngineError, match="nothing was debited"):
        store.priv_top_k("kite", **asked, engine="igraph")
    assert store.budget("kite")["releases"] == 1


def test_register_is_for_neo4j(path: Path) -> None:
    with pytest.raises(StoreError, match="already in Neo4j"):
        open_store(path).register("x", "A", "B", "id")
    with pytest.raises(ParameterError, match="options of a Neo4j store"):
        open_store(path).load(KITE, "y", node_label="Person")


def test_an_audit_event_says_a_point_at_which_a_child_may_die_and_nothing_else() -> None:
    said = [path.read_text(encoding="utf-8") for path in Path(edgedp.__file__).parent.rglob("*.py")]
    reached = re.findall(r'sys\.audit\("edgedp\.reached", "(\w+)"\)', "".join(said))
    assert set(reached) == set(get_args(Point))
    assert len(reached) == "".join(said).count(".audit(")


FIRST_AT_ONCE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from edgedp import Graph, open_store
stores = [open_store(sys.argv[1] + name) for name in "abcd"]
with ThreadPoolExecutor(4) as threads:
    list(threads.map(lambda store: store.load(Graph.from_edges([(1, 2)]), "pair", epsilon_budget=1), stores))
"""


def test_threads_that_use_the_graph_database_first_at_once_all_have_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_AT_ONCE, f"{tmp_path}/"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
