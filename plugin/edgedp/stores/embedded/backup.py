"""A consistent copy of an embedded store, made while it is in use."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from edgedp.errors import StoreError
from edgedp.stores import heads
from edgedp.stores.backend import AT_ADDRESS
from edgedp.stores.chain import Head, genesis
from edgedp.stores.embedded import files
from edgedp.stores.embedded.folder import Folder, building_folder, private_file, sync
from edgedp.stores.embedded.sqlite import Ledger, opened
from edgedp.stores.ledger import broken

__all__ = ["copy"]

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
    if not place.parent.is_dir():
        raise StoreError(f"the destination is {destination}, whose folder does not exist; create it first")
    if folder.path in place.parents:
        raise StoreError(f"the destination is {destination}, which is inside the store; choose another path")
    try:
        with building_folder(place) as building:
            found = _fill(folder, Folder(building), timeout)
            os.rename(building, place)
        sync(place.parent)
        text = heads.lines(found)
        for beside in (Folder(place).heads, folder.heads):
            _write(beside, text)
    except OSError as error:
        raise StoreError(
            f"the destination is {destination}, which cannot be written ({error.strerror}); make room or choose another"
        ) from None
    return {name: str(head) for name, head in sorted(found.items())}


def _fill(folder: Folder, target: Folder, timeout: float) -> dict[str, Head]:
    """Copy the ledger, then the versions that the copy names; they are held, so that no sweep takes one away."""
    for _ in range(_TRIES):
        with ExitStack() as held:
            with opened(folder.ledger, folder.given, timeout) as ledger:
                rows = [ledger.run("graph_find", name=row["name"])[0] for row in ledger.run("graph_places")]
                try:
                    paths = [
                        held.enter_context(files.hold(folder, row["version"], row["digest"]))
                        for row in rows
                        if row["nodeLabel"] != AT_ADDRESS
                    ]
                except StoreError:
                    if _versions(ledger) != {row["version"] for row in rows}:
                        continue  # replaced in between
                    raise
                _copy_ledger(ledger, target)
            with opened(target.ledger, folder.given, timeout) as copied:
                if _versions(copied) != {row["version"] for row in rows}:
                    target.ledger.unlink()
                    continue
                found = _heads(copied)
            for path in paths:
                shutil.copyfile(path, target.path / path.name)
                (target.path / path.name).chmod(0o400)
                sync(target.path / path.name)
            if any(files.sha256(target.path / path.name) != files.sha256(path) for path in paths):
                raise StoreError("the copy is not what was copied; check the disk of the destination")
        sync(target.ledger)
        sync(target.path)
        return found
    raise StoreError("the store's graphs are replaced faster than they can be copied; back it up later")


def _versions(ledger: Ledger) -> set[int]:
    return {row["version"] for row in ledger.run("graph_places")}


def _copy_ledger(ledger: Ledger, target: Folder) -> None:
    private_file(target.ledger)
    try:
        with closing(sqlite3.connect(target.ledger, isolation_level=None)) as connection:
            ledger.connection.backup(connection)
    except sqlite3.Error as error:
        raise StoreError(f"the ledger cannot be copied ({error}); make room or check the disk") from None


def _heads(ledger: Ledger) -> dict[str, Head]:
    found = {}
    for account in ledger.run("account_list"):
        name = account["name"]
        if not ledger.run("account_adds_up", name=name):
            raise broken(name)
        last = ledger.run("log_last", name=name)
        found[name] = Head(last[0]["seq"], last[0]["hash"]) if last else Head(0, genesis(name))
    return found


def _write(path: Path, text: str) -> None:
    """Write a private file whole or not at all."""
    building = path.with_name(path.name + ".new")
    building.unlink(missing_ok=True)
    handle = os.open(building, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(handle)
    os.replace(building, path)
    sync(path.parent)
