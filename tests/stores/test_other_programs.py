"""Other programs at a store's folder: a ledger in another mode, moved, replaced, locked, or closed to its reader."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from edgedp import Graph, Store, StoreError, open_store
from edgedp.ledger import script
from edgedp.stores.embedded.folder import Folder
from edgedp.stores.embedded.locks import queue
from edgedp.stores.releases import releasing
from edgedp.words.errors import StoreUnavailableError
from forks import Forked
from made_once import copied

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


def made(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    copied(made, tmp_path / "graphs.edgedp")
    return tmp_path / "graphs.edgedp"


def ask(path: Path) -> Any:
    return open_store(path, lock_timeout=0.2).priv_top_k("kite", "degree", 1, "0.1")


def spent(path: Path) -> float:
    found: float = open_store(path).budget("kite")["epsilon_spent"]
    return found


MOVES: dict[str, Callable[[Path], object]] = {
    "moved": lambda path: path.rename(path.with_name("moved")),
    "another ledger in its place": lambda path: os.replace(
        shutil.copy(path / "ledger.sqlite", path.parent / "copy"), path / "ledger.sqlite"
    ),
}
BEFORE, AFTER = "before the debit", "before the answer"


def before_run(monkeypatch: pytest.MonkeyPatch, when: str, act: Callable[[], object]) -> None:
    """Do something once, right before a release's debit or before its answer is written."""
    whole, ends = script.run, {BEFORE: "log_debit", AFTER: "log_answer"}

    def run(session: Any, running: script.Script, **more: Any) -> script.Outcome:
        if any(step.statement == ends[when] for step in running.steps):
            act()
        return whole(session, running, **more)

    monkeypatch.setattr(releasing, "run", run)


@contextmanager
def another(code: str, *arguments: object) -> Iterator[None]:
    """Let another program run until the end, from when it has said a line."""
    code += "\nprint(1, flush=True); import time; time.sleep(600)"
    with Forked("import sys\n" + code, *map(str, arguments)) as process:
        try:
            assert process.stdout.readline() == "1\n"
            yield
        finally:
            process.kill()


@pytest.mark.parametrize(("when", "paid"), [(BEFORE, 0.0), (AFTER, 0.1)])
def test_a_release_whose_ledger_gets_a_write_ahead_log_meanwhile_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, when: str, paid: float
) -> None:
    """Somebody who then moves the log away takes a debit away whose answer was shown."""
    held = sqlite3.connect(path / "ledger.sqlite", isolation_level=None)
    with closing(held):
        before_run(monkeypatch, when, lambda: held.execute("PRAGMA journal_mode = WAL").fetchone())
        with pytest.raises(StoreError, match=r"to the journal mode wal; .* set it back: sqlite3"):
            ask(path)
    with closing(sqlite3.connect(path / "ledger.sqlite")) as other:
        other.execute("PRAGMA journal_mode = DELETE").fetchone()
    assert spent(path) == paid


def test_a_log_of_another_time_is_never_put_into_the_ledger(path: Path) -> None:
    """As a copy of the folder leaves it: any SQLite that opens the ledger then sets it back to before its debits."""
    with closing(sqlite3.connect(path / "ledger.sqlite", isolation_level=None)) as other:
        for each in ("PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "VACUUM"):
            other.execute(each).fetchone()
        log = (path / "ledger.sqlite-wal").read_bytes()
        with pytest.raises(StoreError, match=r"close it, set it back \(sqlite3"):
            ask(path)
        other.execute("PRAGMA journal_mode = DELETE").fetchone()
    ask(path)
    (path / "ledger.sqlite-wal").write_bytes(log)
    with pytest.raises(StoreError, match="move the file away before any program opens the ledger"):
        ask(path)
    (path / "ledger.sqlite-wal").unlink()
    assert spent(path) == 0.1


def test_a_journal_of_another_time_is_never_put_into_the_ledger(path: Path) -> None:
    """As a mirror keeps it from which nothing is removed: the next opening would set the ledger back."""
    journal = path / "ledger.sqlite-journal"
    with closing(sqlite3.connect(path / "ledger.sqlite", isolation_level=None)) as other:
        for each in ("PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE more AS SELECT zeroblob(99999)"):
            other.execute(each).fetchone()
        content = journal.read_bytes()
        assert content[0] == 0xD9, "its pages are on the disk"
        Folder(path).check()  # that of a change that is under way
        other.execute("ROLLBACK")
    for _ in range(2):
        ask(path)
    journal.write_bytes(content)
    with queue(path, 1) as free:
        assert free
        Folder(path).check()  # that of whoever writes, for which the ledger is not read
    with pytest.raises(
        StoreError, match=r"is not of this ledger.* move the file away before any program opens"
    ):
        spent(path)
    journal.unlink()
    assert spent(path) == 0.2


@pytest.mark.parametrize(("when", "paid"), [(BEFORE, 0.1), (AFTER, 0.2)])
def test_a_log_of_another_time_that_appears_in_a_release_is_not_to_be_set_back(
    path: Path, monkeypatch: pytest.MonkeyPatch, when: str, paid: float
) -> None:
    log = path / "ledger.sqlite-wal"
    with closing(sqlite3.connect(path / "ledger.sqlite", isolation_level=None)) as other:
        for each in ("PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "VACUUM"):
            other.execute(each).fetchone()
        content = log.read_bytes()
        other.execute("PRAGMA journal_mode = DELETE").fetchone()
    ask(path)
    before_run(monkeypatch, when, lambda: log.write_bytes(content))
    with pytest.raises(StoreError, match="move the file away before any program opens the ledger"):
        ask(path)
    if sys.version_info >= (3, 12):  # before, SQLite puts it into the ledger when that is closed
        log.unlink()
        (path / "ledger.sqlite-shm").unlink(missing_ok=True)
        assert spent(path) == paid


@pytest.mark.parametrize("name", ["ledger.sqlite", "ledger.sqlite-journal", "ledger.head"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(path: Path, name: str) -> None:
    (path / name).unlink(missing_ok=True)
    os.mkfifo(path / name)
    with pytest.raises(StoreError, match=rf"{name} is a folder, a pipe or a device, must be a file; move it"):
        ask(path)


def test_a_pipe_in_the_place_of_the_heads_is_not_waited_for(path: Path) -> None:
    os.mkfifo(path.with_name(f"{path.name}.head"))
    with pytest.raises(StoreError, match=r"whose heads in graphs\.edgedp\.head cannot be read"):
        ask(path)


def test_a_pipe_in_the_place_of_what_is_remembered_of_a_source_is_not_waited_for(path: Path) -> None:
    (row,) = open_store(path).graphs()
    (version,) = path.glob("*.graph")
    version.with_suffix(".source").unlink(missing_ok=True)
    os.mkfifo(version.with_suffix(".source"))
    with pytest.raises(StoreError, match="what is remembered of the source cannot be read"):
        open_store(path).refresh(row["name"])


@pytest.mark.parametrize("when", [BEFORE, AFTER])
@pytest.mark.parametrize("how", MOVES)
def test_a_store_that_is_moved_or_replaced_in_a_release_is_said_to_be(
    path: Path, monkeypatch: pytest.MonkeyPatch, when: str, how: str
) -> None:
    before_run(monkeypatch, when, lambda: MOVES[how](path))
    with pytest.raises(StoreError, match="which was moved or replaced meanwhile"):
        ask(path)
    monkeypatch.undo()
    there = path.with_name("moved") if how == "moved" else path
    assert spent(there) == (0.1 if when == AFTER else 0)


def test_a_folder_that_may_not_be_listed_is_refused_in_a_line(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("edgedp.stores.embedded.folder.os.scandir", denied)
    with pytest.raises(StoreError, match="which may not be read; check its owner"):
        ask(path)


@pytest.mark.parametrize("free", range(6))
def test_a_process_that_may_open_no_more_files_blames_no_store(path: Path, free: int) -> None:
    """The refusals said that the store had moved, had another owner, or that its heads were to be restored."""
    code = f"""
import os, resource, edgedp
store = edgedp.open_store({str(path)!r}, lock_timeout=0.2)
store.priv_top_k("kite", "degree", 1, "0.1")
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
taken = []
try:
    while True:
        taken.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    for each in taken[:{free}]:
        os.close(each)
try:
    store.priv_top_k("kite", "degree", 1, "0.2")
except edgedp.StoreError as error:
    os.write(1, str(error).encode())
"""
    told, _ = (process := Forked(code)).communicate()
    assert process.returncode == 0
    assert ("no more files may be opened" in told) or (free == 5 and not told), told


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_a_journal_in_a_folder_that_is_for_reading_is_no_broken_disk(path: Path) -> None:
    dying = "import os, sqlite3, sys\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    dying += "c.execute('PRAGMA cache_size=1')\nc.execute('BEGIN')\nc.execute('CREATE TABLE t (x)')\n"
    dying += "for _ in range(99): c.execute('INSERT INTO t VALUES (zeroblob(4000))')\nos.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", dying, path / "ledger.sqlite"], check=False)
    assert (path / "ledger.sqlite-journal").is_file()
    with tempfile.TemporaryDirectory() as reached:  # by everybody, unlike pytest's folders
        there = Path(shutil.copytree(path, Path(reached, "graphs.edgedp")))
        for each in (Path(reached), there, *there.iterdir()):
            os.chown(each, 65534, 65534)
        there.chmod(0o500)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            try:
                open_store(there).budget("kite")
            except StoreError as error:
                os._exit(1 if "which may not be written; check its owner" in str(error) else 3)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def test_a_backup_says_that_another_program_keeps_the_store_busy(path: Path, tmp_path: Path) -> None:
    lock = "import fcntl, os\nfcntl.flock(os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]))"
    with another(lock, path, fcntl.LOCK_EX):
        with pytest.raises(StoreUnavailableError, match=r"kept busy for 0\.2 s; nothing was copied"):
            open_store(path, lock_timeout=0.2).backup(tmp_path / "copy")
        assert not (tmp_path / "copy").exists()
        assert not list(tmp_path.glob("copy*"))


def test_a_backup_waits_for_a_ledger_that_is_locked_meanwhile_and_says_so(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, held = open_store(path, lock_timeout=0.2), sqlite3.connect(path / "ledger.sqlite")
    from edgedp.stores.embedded import backup

    fill = backup._fill

    def late(*given: Any) -> Any:
        held.execute("BEGIN EXCLUSIVE")
        return fill(*given)

    monkeypatch.setattr(backup, "_fill", late)
    with closing(held), pytest.raises(StoreUnavailableError, match=r"kept busy for 0\.2 s"):
        store.backup(tmp_path / "copy")


def test_a_version_that_another_program_has_locked_is_said_to_be(path: Path) -> None:
    lock = "import fcntl, os\nfcntl.flock(os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[2]))"
    with (
        another(lock, next(path.glob("*.rows")), fcntl.LOCK_EX),
        pytest.raises(StoreError, match="another program has locked its file"),
    ):
        ask(path)
    assert spent(path) == 0


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE", "BEGIN; SELECT count(*) FROM log"])
def test_no_lock_of_another_program_is_waited_for_without_end(path: Path, lock: str) -> None:
    code = "import sqlite3\nc = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    code += "for each in sys.argv[2].split(';'): c.execute(each).fetchone()"
    with another(code, path / "ledger.sqlite", lock), pytest.raises(StoreUnavailableError, match="kept busy"):
        ask(path)
    assert spent(path) == 0
    assert len(ask(path).nodes) == 1
