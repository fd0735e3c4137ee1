"""SQLite under the ledger: durable commits, rows that are checked when they are read, errors in one sentence.

``journal_mode=DELETE`` and ``synchronous=EXTRA``: a commit is on the disk, and so is the end of its journal.
Never WAL: one flipped bit in a ``-wal`` file loses commits without a word.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from threading import local
from typing import Any, Self, TypeVar, assert_never
from urllib.parse import quote

from edgedp.ledger import chain
from edgedp.ledger.backend import Row, Transaction, half_a_character
from edgedp.ledger.calendars import runs
from edgedp.stores.embedded import clock
from edgedp.stores.embedded.folder import other_mode, too_long
from edgedp.stores.embedded.locks import queue, scarce
from edgedp.stores.statements.queries import completeness, statement_text, statements_in
from edgedp.words.errors import StoreError, StoreUnavailableError
from edgedp.words.places import asset

APPLICATION_ID = 0x45444450
"""The letters EDDP: how a ledger is told from any other SQLite database."""

_OLDEST = (3, 37, 0)
_LEASES_BY_BOOT = 4
"""The version from which on a lease names its boot."""

_NOT_WRITTEN = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


@cache
def migrations() -> tuple[Path, ...]:
    """Return the numbered files that make the tables, in order; their number is a store's version."""
    return tuple(sorted(asset("queries", "sqlite").glob("migration_[0-9]*.sql")))


class Ledger(Transaction):
    """An open ledger; every statement is of ``queries/sqlite``, and of its transaction while one is open."""

    def __init__(self, path: Path, shown: Path, connection: sqlite3.Connection, timeout: float) -> None:
        self._path = path
        self._shown = shown
        self.connection = connection
        self._timeout = timeout
        self._behind: sqlite3.Connection | None = None

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        """Run a statement and return its rows; one that is not sound is refused, never handed out.

        What depends on rows that are not there is believed only when every row is; the header says where that is.
        """
        with self._one_sentence():
            needed = completeness(statement)
            match needed:
                case "always":
                    self._check_complete()
                case "its log":
                    self._check_complete("log_complete", name=parameters["name"])
                case "when empty" | "never":
                    pass
                case _:
                    assert_never(needed)
            rows = self._rows(statement_text("sqlite", statement), parameters)
            if needed == "when empty" and not rows:
                self._check_complete()
            return rows

    def _rows(self, text: str, parameters: dict[str, Any]) -> list[Row]:
        with closing(self.connection.execute(text, parameters)) as cursor:
            names = [column[0] for column in cursor.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in rows:
            if row.pop("sound", 1) != 1:
                raise self._damaged("a row is not what was written")
        return rows

    def _check_complete(self, statement: str = "complete", **parameters: Any) -> None:
        (found,) = self._rows(statement_text("sqlite", statement), parameters)
        if not found["complete"]:
            raise self._damaged("a row is missing or not what was written")

    @contextmanager
    def transaction(self, folder: Path | None = None) -> Iterator[Self]:
        """Begin a writing transaction, in the order of arrival; it commits at the end, and is undone on an error.

        An older ledger is migrated before, and one that a newer program has migrated since it was opened is refused.
        """
        if self._behind is not None:
            self._catch_up(self._behind)
        with self._writing(folder):
            self._check_not_newer(self._version())
            yield self

    @contextmanager
    def _writing(self, folder: Path | None = None) -> Iterator[None]:
        with self._standing_in_line(folder or self._path.parent):
            with self._one_sentence():
                self.connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_mode()  # under the lock: another program may have changed it since the ledger was opened
                yield
                with self._one_sentence():
                    self.connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _standing_in_line(self, folder: Path) -> Iterator[None]:
        with ExitStack() as line:
            try:
                free = line.enter_context(queue(folder, self._timeout))
            except OSError:
                raise self._moved() from None
            if not free:
                raise self._busy()
            yield

    def _check_mode(self) -> None:
        """Refuse a write-ahead log, which whoever moves it away takes commits away with."""
        with self._one_sentence():
            (mode,) = self.connection.execute("PRAGMA journal_mode").fetchone()
        if mode not in ("delete", "memory"):  # the copy of an older ledger is in memory
            raise other_mode(self._path, self._shown, mode)

    def check_version(self) -> None:
        """Refuse another program's database and a newer store; read an older one as its migrations would make it."""
        with self._one_sentence():
            (application,) = self.connection.execute("PRAGMA application_id").fetchone()
        version = self._version()
        if application != APPLICATION_ID:
            raise StoreError(
                f"store is {self._shown}, whose ledger is a database of another program; choose another path"
            )
        self._check_not_newer(version)
        if version < 1:
            raise self._damaged("it has no version")
        if version < len(migrations()):
            self._read_migrated()

    def _version(self) -> int:
        with self._one_sentence():
            return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def _check_not_newer(self, version: int) -> None:
        newest = len(migrations())
        if version > newest:
            raise StoreError(
                f"store is {self._shown}, which was written by a newer edgedp (its version is {version}, this one "
                f"knows {newest}); update edgedp"
            )

    def _read_migrated(self) -> None:
        """Read an older ledger through a copy in memory, which is migrated; the file is, when it is first written to.

        A program of the older version that runs beside this one goes on until then.
        """
        behind, self.connection = (
            self.connection,
            sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False),
        )
        _add_functions(self.connection)
        with self._one_sentence():
            behind.backup(self.connection)
        self.migrate()
        self._behind = behind

    def _catch_up(self, behind: sqlite3.Connection) -> None:
        """Migrate the file itself before the first write, and go on from it; where that is refused, from the copy."""
        Ledger(self._path, self._shown, behind, self._timeout).migrate(unless_drawn_from=True)
        with closing(self.connection):
            self.connection, self._behind = behind, None

    def migrate(self, *, unless_drawn_from: bool = False) -> None:
        """Run the migrations that the ledger lacks, in one transaction.

        An older program writes a lease with its debit, so that under the lock it is seen whether one is drawing.
        """
        with self._writing():
            version = self._version()
            self._check_not_newer(version)
            if unless_drawn_from and version < len(migrations()) and self._is_drawn_from(version):
                raise StoreUnavailableError(
                    f"store is {self._shown}, from which an older edgedp draws a release now; wait for it, stop that "
                    "program, and ask again"
                )
            with self._one_sentence():
                _migrate(self.connection, migrations()[version:])

    def _is_drawn_from(self, version: int) -> bool:
        alive = "leased(boot, ticks, until)" if version >= _LEASES_BY_BOOT else "until > wall()"
        with self._one_sentence():
            found = self.connection.execute(f"SELECT count(*) FROM leases WHERE {alive}")  # noqa: S608
            return bool(found.fetchone()[0])

    def problems(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file."""
        try:
            found = [row[0] for row in self.connection.execute("PRAGMA integrity_check(20)").fetchall()]
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return [f"SQLite says: {_first_line(error)}"]
        return [f"SQLite says: {text}" for text in found if text != "ok"]

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        """Turn every error of SQLite into one sentence."""
        try:
            yield
        except sqlite3.OperationalError as error:
            code = (whole := getattr(error, "sqlite_errorcode", 0)) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise self._busy() from None
            if code == sqlite3.SQLITE_FULL:
                raise StoreUnavailableError(
                    f"store is {self._shown}, whose disk is full; make room and ask again"
                ) from None
            if whole == sqlite3.SQLITE_READONLY_DBMOVED or not os.path.lexists(self._path):
                raise self._moved() from None
            # A journal that a killed process has left cannot be removed from a folder that is for reading.
            if code in _NOT_WRITTEN or whole == sqlite3.SQLITE_IOERR_DELETE:
                raise scarce(self._shown) or StoreError(
                    f"store is {self._shown}, which may not be written; check its owner and permissions"
                ) from None
            if code == sqlite3.SQLITE_IOERR:
                raise StoreError(
                    f"store is {self._shown}, whose disk does not read or write ({_first_line(error)}); repair the disk"
                ) from None
            raise self._damaged(_first_line(error)) from None
        except UnicodeEncodeError:
            raise half_a_character() from None
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise self._damaged(_first_line(error)) from None

    def _busy(self) -> StoreUnavailableError:
        return StoreUnavailableError(
            f"store is {self._shown}, which another process has kept busy for {self._timeout:g} s; "
            "wait for it and ask again"
        )

    def _moved(self) -> StoreError:
        why = "which was moved or replaced meanwhile, or may not be read; ask where it is now"
        return scarce(self._shown) or StoreError(f"store is {self._shown}, {why}")

    def _damaged(self, why: str) -> StoreError:
        return StoreError(
            f"store is {self._shown}, whose ledger is damaged ({why}); nothing is released from it, restore a backup"
        )


_L = TypeVar("_L", bound=Ledger)


def opened(path: Path, shown: Path, timeout: float) -> AbstractContextManager[Ledger]:
    """Open a ledger that is there."""
    return opened_as(Ledger, path, shown, timeout)


@contextmanager
def opened_as(kind: type[_L], path: Path, shown: Path, timeout: float) -> Iterator[_L]:
    """Open a ledger that is there, as one of a kind that adds nothing to the arguments of `Ledger`."""
    with _connected(path, shown, timeout, kind) as ledger:
        ledger.check_version()
        yield ledger


_OWN = local()


class _Empty:
    """An empty ledger in memory; closed with its thread, but not in a fork, where a statement of it may never end."""

    def __init__(self, files: tuple[Path, ...]) -> None:
        self.files, self.process = files, os.getpid()
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        _add_functions(self.connection)
        self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        _migrate(self.connection, files)

    def __del__(self) -> None:
        if self.process == os.getpid():
            self.connection.close()


def _empty(files: tuple[Path, ...]) -> sqlite3.Connection:
    """Return an empty ledger in memory, of which every new one is a copy; a thread has its own, as a fork requires."""
    kept: _Empty | None = getattr(_OWN, "ledger", None)
    if kept is None or kept.files != files:
        kept = _OWN.ledger = _Empty(files)
    return kept.connection


def _migrate(connection: sqlite3.Connection, files: tuple[Path, ...]) -> None:
    """Run some migrations: none where somebody else was faster."""
    for path in files:
        for text in statements_in(path.read_text(encoding="utf-8")):
            connection.execute(text)
    connection.execute(f"PRAGMA user_version = {len(migrations())}")


@contextmanager
def create(path: Path, shown: Path, secret: str) -> Iterator[Ledger]:
    """Make a ledger in an empty private file, in a folder that nobody else knows yet."""
    with _connected(path, shown, 10.0, Ledger) as ledger:
        with ledger._one_sentence():
            _empty(migrations()).backup(ledger.connection)
        with ledger.transaction():
            ledger.run("secret_open", secret=secret)
        yield ledger


@contextmanager
def _connected(path: Path, shown: Path, timeout: float, kind: type[_L]) -> Iterator[_L]:
    if sqlite3.sqlite_version_info < _OLDEST:
        raise StoreError(
            f"SQLite is {sqlite3.sqlite_version}, must be {'.'.join(map(str, _OLDEST))} or newer; update Python"
        )
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode=rw",
            uri=True,
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error:
        raise scarce(shown) or StoreError(
            f"store is {shown}, {too_long(path) or 'whose ledger cannot be opened; check its owner and permissions'}"
        ) from None
    if sys.version_info >= (3, 12):  # what appears beside a ledger that is open is not put into it at the end
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
    with closing(connection):
        ledger = kind(path, shown, connection, timeout)
        _add_functions(connection)
        with ledger._one_sentence():
            for setting in (
                "synchronous = EXTRA",
                "foreign_keys = ON",
                "cell_size_check = ON",
                "temp_store = MEMORY",
            ):
                connection.execute(f"PRAGMA {setting}")
        ledger._check_mode()
        try:
            yield ledger
        finally:
            ledger.connection.close()  # of an older ledger, the copy in memory


def _add_functions(connection: sqlite3.Connection) -> None:
    """Let a connection call what the statements and triggers use."""
    connection.create_function("sealed", -1, _sealed, deterministic=True)
    connection.create_function("genuine", -1, _genuine, deterministic=True)
    connection.create_function("link", 1, chain.genesis, deterministic=True)
    connection.create_function("overlap", 2, _overlap, deterministic=True)
    connection.create_function("dearest", 1, runs.dearest, deterministic=True)
    connection.create_function("touched", 4, runs.touched, deterministic=True)
    connection.create_function("charged", 5, runs.charged, deterministic=True)
    connection.create_function("boot", 0, clock.boot)
    connection.create_function("process", 0, os.getpid)
    connection.create_function("ticks", 0, clock.ticks)
    connection.create_function("wall", 0, clock.wall)
    connection.create_function("leased", 3, clock.leased)


def _overlap(one: str, other: str) -> int:
    from edgedp.graph.reading.sources.places import overlap

    return int(overlap(one, other))


_known = lru_cache(maxsize=4096, typed=True)(chain.digest)
_latest = lru_cache(maxsize=16, typed=True)(chain.digest)


def _sealed(kind: str, *values: Any) -> str:
    """Return the hash of a row.

    A row of the registry or of an account is read again by nearly every statement, and the last ones of a log by each
    debit. The values are compared whole, so a row that was changed is hashed anew. Further rows of a log are long and
    read once.
    """
    return _latest(kind, *values) if kind == "log" else _known(kind, *values)


def _genuine(kind: str, seal: str, *values: Any) -> int:
    return int(_sealed(kind, *values) == seal)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
