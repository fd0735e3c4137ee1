"""A consistent copy of an embedded store, made while it is in use."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from edgedp.ledger.chain import Head, genesis
from edgedp.ledger.ledger import broken
from edgedp.ledger.log import heads, history
from edgedp.ledger.rows import AT_ADDRESS, OF_GRAPH
from edgedp.stores.embedded.folder import Folder, building_folder, private_file, sync, too_long
from edgedp.stores.embedded.locks import queue
from edgedp.stores.embedded.seals import Seals, hold, sha256
from edgedp.stores.embedded.sqlite import Ledger, opened
from edgedp.words.errors import ParameterError, StoreError, StoreUnavailableError

if TYPE_CHECKING:
    from edgedp.ledger.backend import Runner

_TRIES = 20


def copy(folder: Folder, destination: Path, timeout: float) -> dict[str, str]:
    """Copy a store to a new folder, and write its heads beside both.

    Raises
    ------
    StoreError
        The destination is there already or cannot be written, or a version is damaged.
    """
    place = Path(os.path.realpath(destination))
    if os.path.lexists(place) or os.path.lexists(destination):
        raise StoreError(f"the destination is {destination}, which exists; choose a new path")
    Folder(place).check_name()
    if not os.path.isdir(place.parent):
        raise StoreError(f"the destination is {destination}, whose folder does not exist; create it first")
    if folder.path in place.parents:
        raise StoreError(f"the destination is {destination}, which is inside the store; choose another path")
    try:
        with building_folder(place) as building:
            found = _fill(folder, Folder(building), timeout, destination)
            _write(Folder(building).heads_inside, heads.lines(found))
            _keep_heads(folder, found, timeout)  # what may fail comes first: nothing is left then
            _write(Folder(place).heads, heads.lines(found))
            try:
                os.rename(building, place)
            except BaseException:
                _give_back_heads(Folder(place))
                raise
        sync(place.parent)
    except StoreError:  # one of them is an error of the system, too
        raise
    except OSError as error:
        raise StoreError(
            f"the destination is {destination}, which cannot be written ({error.strerror}); make room or choose another"
        ) from None
    return {name: str(head) for name, head in sorted(found.items())}


def _give_back_heads(target: Folder) -> None:
    """Leave no heads beside a copy that is not there; those of one that somebody else made meanwhile are its own."""
    try:
        _write(target.heads, target.heads_inside.read_text(encoding="utf-8"))
    except OSError:
        target.heads.unlink(missing_ok=True)


def _fill(folder: Folder, target: Folder, timeout: float, shown: Path) -> dict[str, Head]:
    """Copy the ledger, then the versions that the copy names; they are held, so that no sweep takes one away."""
    for _ in range(_TRIES):
        with ExitStack() as held:
            with opened(folder.ledger, folder.given, timeout) as ledger:
                rows = [ledger.run("graph_find", name=row["name"])[0] for row in ledger.run("graph_places")]
                try:
                    kept = [row for row in rows if row["nodeLabel"] not in (AT_ADDRESS, OF_GRAPH)]
                    for row in kept:
                        held.enter_context(hold(folder, row["version"], row["digest"]))
                except StoreError:
                    if _versions(ledger) != {row["version"] for row in rows}:
                        continue  # replaced in between
                    raise
                _copy_ledger(ledger, target, shown)
            with opened(target.ledger, folder.given, timeout) as copied:
                if _versions(copied) != {row["version"] for row in rows}:
                    target.ledger.unlink()
                    continue
                found = _heads(copied)
            for row in kept:
                for kind, (digest, _) in Seals.of(row["digest"]).files.items():
                    _copy_file(folder.file(row["version"], kind), target.path, digest)
                if (origin := folder.file(row["version"], "source")).is_file():
                    _copy_file(origin, target.path, sha256(origin))
        sync(target.ledger)
        sync(target.path)
        return found
    raise StoreError("the store's graphs are replaced faster than they can be copied; back it up later")


def _copy_file(path: Path, destination: Path, digest: str | None) -> None:
    copied = destination / path.name
    shutil.copyfile(path, copied)
    copied.chmod(0o400)
    sync(copied)
    if sha256(copied) != digest:
        raise StoreError("the copy is not what was copied; check the disk of the destination")


def _versions(ledger: Ledger) -> set[int]:
    return {row["version"] for row in ledger.run("graph_places")}


def _copy_ledger(ledger: Ledger, target: Folder, shown: Path) -> None:
    private_file(target.ledger)
    try:
        with closing(sqlite3.connect(target.ledger, isolation_level=None)) as connection:
            ledger.connection.backup(connection)
    except sqlite3.Error as error:
        long = too_long(target.ledger)
        if long is not None:
            raise StoreError(f"the destination is {shown}, {long}") from None
        raise StoreError(f"the ledger cannot be copied ({error}); make room or check the disk") from None


def _heads(ledger: Ledger) -> dict[str, Head]:
    """Return the heads of a copy, after every row of it was read: a damaged ledger is no backup."""
    found = {}
    for account in ledger.run("account_list"):
        name = account["name"]
        rows = history.rows(cast("Runner", ledger), name)
        if not ledger.run("account_adds_up", name=name):
            raise broken(name)
        found[name] = Head(rows[-1]["seq"], rows[-1]["hash"]) if rows else Head(0, genesis(name))
    wrong = ledger.problems()
    if wrong:
        raise StoreError(f"the ledger is damaged ({wrong[0]}); nothing was copied, restore an earlier backup")
    return found


def _keep_heads(folder: Folder, found: Mapping[str, Head], timeout: float) -> None:
    """Write the heads into the store that was copied and beside it; one that a later backup has left there stays.

    They belong to the store's owner, also where root has made the backup. Where the store or its folder may not be
    written, as where one of them is mounted to be read, those beside the copy are all.

    Raises
    ------
    StoreError
        They may be written there, and cannot be.
    """
    try:
        with queue(folder.path, timeout) as free:
            if not free:
                raise StoreUnavailableError(
                    f"store is {folder.given}, which another process has kept busy for {timeout:g} s; nothing was "
                    "copied, wait for it and back up again"
                )
            before: list[tuple[str, Head]] = []
            for path in (folder.heads, folder.heads_inside):
                with suppress(FileNotFoundError, ValueError, ParameterError):
                    before += heads.parse(path.read_text(encoding="utf-8"))
            # The store was opened under these heads, so that all of them are of its history.
            kept = heads.furthest([*found.items(), *((name, head) for name, head in before if name in found)])
            owner = os.stat(folder.path)
            for path in (folder.heads_inside, folder.heads):
                with _where_it_may_be_written():
                    _write(path, heads.lines(kept), owner)
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"store is {folder.given}, whose heads cannot be kept in it and beside it ({error.strerror}); nothing was "
            "copied, make room or see to its owner and back up again"
        ) from None


@contextmanager
def _where_it_may_be_written() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise


def _write(path: Path, text: str, owner: os.stat_result | None = None) -> None:
    """Write a private file whole or not at all, for its owner where root writes it."""
    building = path.with_name(f"{path.name}.new-{secrets.token_hex(8)}")
    handle = os.open(building, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            if owner is not None and hasattr(os, "geteuid") and os.geteuid() == 0:
                os.fchown(handle, owner.st_uid, owner.st_gid)
            stream.flush()
            os.fsync(handle)
        os.replace(building, path)
    except BaseException:
        building.unlink(missing_ok=True)
        raise
    sync(path.parent)
