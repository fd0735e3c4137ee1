"""The folder of an embedded store: what lies where, and who may read it.

::

    graphs.edgedp/                    0700
        ledger.sqlite                 0600  registry, accounts and log
        ledger.head                   0600  the heads of its last backup, as graphs.edgedp.head beside it
        <version>.graph               0400  one stored version, never written again
        <version>.rows                0400  its rows as they are mapped; versions of earlier programs have none
        <version>.windows             0400  its windows, where the graph has a calendar
        <version>.columns             0400  its rows as they were read, with the columns that are kept of them
        <version>.source              0400  where it was read from and when, without secrets; not of graphs in memory
        loading-<version>/            0700  a version that is being written; swept if its writer is dead

A folder has no hard links and each of its files has one name, so that whatever path led there, everybody
has the same ledger, the same journal and the same locks. Symbolic links to the folder are followed; links
inside it, which could lead to another ledger, are refused. Modes are given where a file is made: the
process's umask is never touched.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import stat
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import quote

from edgedp.stores.embedded.locks import Held, scarce, try_hold
from edgedp.words.errors import StoreError
from edgedp.words.places import is_utf8

_LONGEST = 500
"""Bytes of a path that SQLite opens with its journal beside it."""
LEDGER = "ledger.sqlite"
_JOURNAL = f"{LEDGER}-journal"
_FOREIGN = (
    ", which is not of this ledger, as a copy may bring it or leave it; move the file away before any program opens "
    "the ledger, which would forget debits"
)
HEADS = "ledger.head"
Kind = Literal["graph", "rows", "windows", "columns", "source"]
"""The files of a version, by the ends of their names."""
_VERSION = re.compile(rf"([0-9a-f]{{1,16}})\.({'|'.join(get_args(Kind))})")
_OWN = re.compile(
    rf"{re.escape(LEDGER)}(-journal)?|{re.escape(HEADS)}|{_VERSION.pattern}|loading-[0-9a-f]{{1,16}}"
)
_BEGINS = bytes.fromhex("d9d505f920a163d7")
"""How a journal begins that is to be put back."""
_LEFT, _BUILDING = re.compile(r"\.new-[0-9a-f]{16}\Z"), "store"
"""How the name of a folder ends in which a store is made, and what it is called there."""
MIGRATED, MIGRATING = ".0.1.0-migrated", ".0.1.0-migrating"
"""What the file of a store of 0.1.0 is renamed to, at the end and before; never a store by itself."""


class Folder:
    """A store's folder, by its real path.

    Attributes
    ----------
    ledger : Path
        The file of the ledger.
    heads, heads_inside : Path
        The file beside the folder that names the heads of its last backup, and the same inside the folder, for where
        only the folder is mounted and what lies beside it is hidden.
    """

    def __init__(self, path: Path) -> None:
        self.given = path
        self.path = Path(os.path.realpath(path))
        self.ledger = self.path / LEDGER
        self.heads = self.path.with_name(self.path.name + ".head")
        self.heads_inside = self.path / HEADS
        self._utf8 = is_utf8(str(self.path))

    @property
    def may_be_older(self) -> bool:
        """Whether a file lies where the folder should be, or beside it one whose migration was interrupted."""
        return is_file(self.path) or is_file(self.path.with_name(self.path.name + MIGRATING))

    def file(self, version: int, kind: Kind) -> Path:
        """Return one of the files of a version."""
        return self.path / f"{version:x}.{kind}"

    def loading(self, version: int) -> Path:
        """Return the folder in which a version is written."""
        return self.path / f"loading-{version:x}"

    def versions(self) -> list[tuple[int, Path]]:
        """Return the files of all versions that are there, named by the registry or not."""
        found = ((_VERSION.fullmatch(path.name), path) for path in self.path.iterdir())
        return [(int(match[1], 16), path) for match, path in found if match]

    def check(self) -> None:
        """Refuse what is no store, in one sentence; nothing is written.

        Raises
        ------
        StoreError
            There is nothing, or something else, or a link where a file of the store should be.
        """
        self.check_name()
        path = self.given
        try:
            mode = os.lstat(self.path).st_mode
        except FileNotFoundError:
            if not os.path.isdir(self.path.parent):
                raise StoreError(f"store is {path}, whose folder does not exist; create it first") from None
            self.check_never_was()
            raise StoreError(
                f"store is {path}, must be an existing store; load a graph into it first, or check --store"
            ) from None
        except PermissionError:
            raise self._denied() from None
        except OSError as error:  # too long a name, a circle of links, a file where a folder should be
            raise StoreError(
                f"store is {path}, which cannot be opened ({error.strerror}); choose another path"
            ) from None
        if not stat.S_ISDIR(mode):
            if not os.access(self.path, os.R_OK):
                raise self._denied()  # and nobody knows what it is
            raise StoreError(f"store is {path}, which is a file and not a store; choose another path")
        try:
            ledger = os.lstat(self.ledger)
        except FileNotFoundError:
            raise StoreError(
                f"store is {path}, which is a folder without a ledger and not a store; choose another path"
            ) from None
        except PermissionError:
            raise self._denied() from None
        self.check_plain(LEDGER, ledger)
        if ledger.st_size == 0:
            raise StoreError(f"store is {path}, whose ledger is empty; restore a backup")
        self._check_links()

    def check_never_was(self) -> None:
        """Refuse to begin anew where a store was migrated to, and is gone: what was spent since would be forgotten."""
        if os.path.lexists(self.path.with_name(self.path.name + MIGRATED)):
            raise StoreError(
                f"store is {self.given}, which is gone, and beside it is what was migrated to it from 0.1.0; restore a "
                f"backup of the folder, or move {self.path.name}{MIGRATED} away to begin anew"
            )

    def check_name(self) -> None:
        """Refuse a path that the databases cannot open, and what a migration left."""
        if not self._utf8:
            raise StoreError(f"store is {self.given}, whose path is not UTF-8; choose another path")
        if self.path.name == _BUILDING and _LEFT.search(self.path.parent.name):
            raise StoreError(
                f"store is {self.given}, which a making that was killed has left and the next one removes; move it to "
                "another path to open it"
            )
        for left in (MIGRATED, MIGRATING):
            if self.path.name.endswith(left):
                raise StoreError(
                    f"store is {self.given}, which is what a migration left of a store of 0.1.0 and never a store; "
                    f"open {str(self.given).removesuffix(left)}"
                )

    def _check_links(self) -> None:
        """Refuse links inside the folder."""
        try:
            entries = os.scandir(self.path)
        except OSError:  # a folder that may be written and not read, or that was moved meanwhile
            raise self._denied() from None
        with entries:
            for entry in entries:
                if entry.name in (f"{LEDGER}-wal", f"{LEDGER}-shm"):
                    raise self._logged(entry.name)
                if _OWN.fullmatch(entry.name):
                    with suppress(FileNotFoundError):  # a journal comes and goes
                        self.check_plain(entry.name, entry.stat(follow_symlinks=False))
                if entry.name == _JOURNAL and _is_of_another_time(self.ledger):
                    raise StoreError(f"store is {self.given}, in which {_JOURNAL} lies{_FOREIGN}")

    def _logged(self, name: str) -> StoreError:
        """Say what to do with a write-ahead log; SQLite puts any that lies there into any ledger that it opens."""
        never = f"store is {self.given}, in which {name} lies, which edgedp never writes"
        if _is_set_back(self.ledger):
            return StoreError(f"{never} and{_FOREIGN[1:]}")
        return StoreError(
            f"{never}: another program has opened the ledger; close it, set it back (sqlite3 ledger.sqlite 'PRAGMA "
            "journal_mode=DELETE'), and move the file away only if it stays then"
        )

    def check_plain(self, name: str, found: os.stat_result) -> None:
        """Refuse a file of the store that has a second name; one that is being removed has none left.

        SQLite would wait without end for a pipe in the place of the journal, as Python for one in that of the heads.
        """
        if stat.S_ISLNK(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
            raise StoreError(f"store is {self.given}, in which {name} is a link; put the file itself there")
        if name.startswith("ledger.") and not stat.S_ISREG(found.st_mode):
            raise StoreError(
                f"store is {self.given}, in which {name} is a folder, a pipe or a device, must be a file; move it "
                "away and put the file itself there"
            )

    def hold(self, version: int, kind: Kind) -> Held:
        """Hold one of the files of a version, which nobody sweeps meanwhile.

        Raises
        ------
        StoreError
            The file is gone, or a link.
        """
        path = self.file(version, kind)
        try:
            self.check_plain(path.name, os.lstat(path))
            held = try_hold(path, shared=True)
        except FileNotFoundError:
            raise StoreError(
                "the graph was replaced or dropped meanwhile, or its file is missing; ask again"
            ) from None
        except OSError:
            raise scarce(self.given) or StoreError(
                f"store is {self.given}, in which {path.name} cannot be opened; check its owner and permissions"
            ) from None
        if held is None:
            raise StoreError(
                "the graph was replaced or dropped meanwhile, or another program has locked its file; ask again"
            )
        try:
            self.check_plain(path.name, os.fstat(held.handle))
        except BaseException:
            held.release()
            raise
        return held

    def _denied(self) -> StoreError:
        return scarce(self.given) or StoreError(
            f"store is {self.given}, which may not be read; check its owner and permissions"
        )


def _is_set_back(ledger: Path) -> bool:
    """Return whether a ledger says itself, in two bytes of its first page, that it has no write-ahead log."""
    return _told(ledger, 18, 20) == b"\1\1"


def other_mode(ledger: Path, shown: Path, mode: str) -> StoreError:
    """Say what to do with a ledger in another journal mode, which is no damage: a backup would forget debits."""
    if mode == "wal" and _is_set_back(ledger):
        return StoreError(f"store is {shown}, in which {LEDGER}-wal lies{_FOREIGN}")
    return StoreError(
        f"store is {shown}, whose ledger another program has set to the journal mode {mode}; nothing is released, end "
        "that program and set it back: sqlite3 ledger.sqlite 'PRAGMA journal_mode=DELETE'"
    )


def _told(ledger: Path, start: int, stop: int) -> bytes:
    """Return some bytes of a ledger's first page; none where it cannot be read, or by a SQLite that hands none out.

    Read by SQLite, without the log: whoever closes a file takes the locks away that other threads have on it.
    """
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(ledger))}?mode=ro&immutable=1", uri=True)
        ) as connection:
            return connection.serialize()[start:stop]
    except (sqlite3.Error, AttributeError):
        return b""


def _is_of_another_time(ledger: Path) -> bool:
    """Return whether the journal beside a ledger is not that of a change which the ledger is in, or was left in.

    SQLite puts its pages into any ledger. One that is gone or another one a moment later is of somebody who writes, and
    so is that of whoever holds the folder: for each, the whole ledger would be read.
    """
    journal = ledger.with_name(_JOURNAL)
    try:
        content = journal.read_bytes()
        if content[:8] != _BEGINS or (held := try_hold(ledger.parent, shared=True)) is None:
            return False  # nothing that SQLite puts back
        with held:
            return _is_apart(content, ledger) and journal.read_bytes() == content
    except OSError:
        return False


def _is_apart(journal: bytes, ledger: Path) -> bool:
    """Compare the first page that a journal holds with the ledger's: it counts changes."""
    pages, _, _, begins, long = struct.unpack(">5I", journal[8:28].ljust(20, b"\0"))
    for start in range(begins, len(journal) - long - 7, long + 8)[:pages]:
        if journal[start : start + 4] == b"\0\0\0\1":
            told = _told(ledger, 24, 28)
            counted = int.from_bytes(told) - int.from_bytes(journal[start + 28 : start + 32])
            return bool(told) and counted not in (0, 1)
    return False


def too_long(path: Path) -> str | None:
    """Say of the path of a ledger that SQLite does not take it for its length; None where it does."""
    length = len(os.fsencode(path))
    if length <= _LONGEST:
        return None
    return f"whose ledger's path has {length} bytes, must have at most {_LONGEST}; choose a shorter one"


def is_file(path: Path) -> bool:
    """Return whether a path is that of a regular file, and of no link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


@contextmanager
def building_folder(place: Path) -> Iterator[Path]:
    """Hand out a new private folder near `place`, to be moved there; what a dead process left of another one goes.

    It lies in a folder that is locked while its maker lives. A lock on itself would be in the way of its ledger's.
    """
    import shutil

    _sweep_left(place)
    around, held = _claimed(place)
    try:
        building = around / _BUILDING
        building.mkdir(mode=0o700)
        building.chmod(0o700)
        yield building
    finally:
        shutil.rmtree(around, ignore_errors=True)
        held.release()


def _claimed(place: Path) -> tuple[Path, Held]:
    """Make a folder beside `place` and lock it; one that was swept before it was locked is made again."""
    while True:
        around = _new_beside(place)
        around.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            around.chmod(0o700)
            if (held := try_hold(around, shared=True)) is not None:
                return around, held


def _new_beside(place: Path) -> Path:
    return place.with_name(f"{place.name}.new-{secrets.token_hex(8)}")


def _sweep_left(place: Path) -> None:
    """Remove the folders beside `place` that were made for it and that nobody holds; links and others' stay.

    So does a store that somebody named like one: its ledger lies in the folder itself.

    Each gets another name first. So a maker whose lock is not seen here, of another machine, moves a whole store into
    place or none: its folder is no longer where it was.
    """
    import shutil

    left = re.compile(re.escape(place.name) + _LEFT.pattern)
    names: list[str] = []
    with suppress(OSError):  # a folder that may be written and not read
        names = os.listdir(place.parent)
    for name in names:
        if left.fullmatch(name) is None:
            continue
        path = place.with_name(name)
        with suppress(OSError):  # a link, or somebody else removed it
            found = os.lstat(path)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
                continue
            if (held := try_hold(path, shared=False)) is not None:
                with held:
                    if not {_BUILDING}.issuperset(os.listdir(path)):
                        continue
                    os.rename(path, gone := _new_beside(place))
                    shutil.rmtree(gone, ignore_errors=True)


def plain_text(path: Path) -> str:
    """Read a text; a pipe in the place of its file, which would be waited for without end, is an `OSError`."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError
    return path.read_text(encoding="utf-8")


def private_file(path: Path) -> None:
    """Make an empty file that its owner alone may read; one that is there is refused."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
