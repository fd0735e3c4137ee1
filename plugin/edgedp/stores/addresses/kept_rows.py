"""Rows of addresses that were read, kept in the owner's cache as a loaded graph's are: mapped, and not read again.

A file's name holds under which names, sizes, marks and options it was read, and the SHA-256 of what was written. One
that is anybody else's, may be read by others, or is not what was written is not used.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph
from edgedp.graph.loading.addresses import ids_digest
from edgedp.graph.reading.sources.downloads import cache_folder
from edgedp.stores.embedded.mapped import mapped_graph, write_rows
from edgedp.stores.embedded.seals import digest_of, remember
from edgedp.stores.embedded.windowed import mapped_window, write_windows
from edgedp.words.errors import EdgeDPError, StoreError

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.words.dates.calendar import Calendar, Span

_DAY = 86_400


def number_of(key: str) -> int:
    """Return the number of a version under which rows of a key are kept."""
    return int(key[:15], 16)


def any_kept(place: str) -> bool:
    """Return whether rows of an address are kept, as it is now or was before."""
    folder = _folder()
    return folder is not None and any(folder.glob(f"{place}.*.rows"))


def kept_graph(
    place: str, key: str, *, nodes_supplied: bool, weighting: Weighting | None = None
) -> Graph | None:
    """Return the graph of a key, mapped; None where none is kept that can be trusted.

    Parameters
    ----------
    weighting : Weighting, optional
        What is declared of the weights of its rows.
    """
    return _trusted(
        f"{place}.{key}.*.rows",
        lambda handle: mapped_graph(
            handle, number_of(key), nodes_supplied=nodes_supplied, weighting=weighting
        ),
    )


def kept_window(place: str, key: str, span: Span, *, nodes_supplied: bool) -> Graph | None:
    """Return the graph of some windows of a key; None where none are kept that can be trusted."""
    whole = kept_graph(place, key, nodes_supplied=nodes_supplied)
    if whole is None:
        return None
    return _trusted(
        f"{place}.{key}.*.{_of_calendar(span.calendar)}.windows",
        lambda handle: mapped_window(handle, number_of(key), whole.node_ids, span, supplied=nodes_supplied),
    )


def _trusted(pattern: str, read: Callable[[int], Graph]) -> Graph | None:
    """Return what is read of the first file of a pattern that is its owner's and what was written."""
    folder = _folder()
    for path in () if folder is None else folder.glob(pattern):
        handle = _own(path)
        if handle is None:
            continue
        try:
            with suppress(EdgeDPError, OSError):
                if digest_of(path, handle) == path.name.split(".")[2]:
                    return read(handle)
        finally:
            os.close(handle)
    return None


def keep(place: str, key: str, graph: Graph, calendar: Calendar | None = None) -> None:
    """Keep the rows of a key in the place of those that were read at the address before; no room is no failure.

    With a calendar their windows are kept, too.
    """
    folder = _folder(make=True)
    if folder is None:
        return
    begins = f"{place}.{key}"
    written = [_put(folder, begins, "rows", lambda building: write_rows(building, number_of(key), graph))]
    if calendar is not None:
        dated = graph.kept["dated"]
        written += [
            _put(
                folder, begins, f"{_of_calendar(calendar)}.windows",
                lambda building: write_windows(building, number_of(key), graph, dated, calendar),
            )
        ]  # fmt: skip
    elif written[0] is not None:  # windows of the same rows stay
        written += folder.glob(f"{begins}.*.windows")
    if written[0] is not None:
        forget(place, besides=written)


def _put(folder: Path, begins: str, ends: str, write: Callable[[Path], tuple[str, int]]) -> Path | None:
    """Write a file and put it among those that are kept, under the SHA-256 of what was written; None: no room."""
    building = folder / f"building-{secrets.token_hex(8)}"
    try:
        digest, _ = write(building)
        path = folder / f"{begins}.{digest}.{ends}"
        os.rename(building, path)
        handle = _own(path)
        if handle is not None:
            try:
                remember(path, handle, digest)
            finally:
                os.close(handle)
    except (StoreError, OSError):
        with suppress(OSError):
            building.unlink()
        return None
    return path


def _of_calendar(calendar: Calendar) -> str:
    """Return the part of a name that says of which windows a file is."""
    return hashlib.sha256(f"{calendar.start} {calendar.period}".encode()).hexdigest()[:16]


def forget(place: str, besides: Collection[Path | None] = ()) -> None:
    """Remove what is kept of an address, but some, and what a process that was killed left half written."""
    folder = _folder()
    if folder is None:
        return
    for path in (*folder.glob(f"{place}.*"), *folder.glob("building-*")):
        with suppress(OSError):
            half = path.name.startswith("building-")
            if path not in besides and not (half and time.time() - path.stat().st_mtime < _DAY):
                path.unlink()


def keep_nodes(ids: NDArray[Any]) -> None:
    """Keep the ids of all nodes, which are public, so that no edge is read to tell whether a node is there."""
    folder = _folder(make=True)
    if folder is None:
        return
    building = folder / f"building-{secrets.token_hex(8)}"
    try:
        with open(os.open(building, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            np.save(stream, ids, allow_pickle=False)
        os.rename(building, folder / f"{ids_digest(ids)}.nodes")
    except OSError:
        with suppress(OSError):
            building.unlink()


def kept_nodes(digest: str) -> NDArray[Any] | None:
    """Return the ids of all nodes by their digest; None where they are not kept."""
    folder = _folder()
    path = None if folder is None else folder / f"{digest}.nodes"
    handle = None if path is None else _own(path)
    if handle is None:
        return None
    with suppress(OSError, ValueError), open(handle, "rb") as stream:
        ids: NDArray[Any] = np.load(stream, allow_pickle=False)
        if ids.ndim == 1 and ids_digest(ids) == digest:
            return ids
    return None


def _folder(*, make: bool = False) -> Path | None:
    """Return the folder of the kept rows; None where it is not there, or not its owner's alone."""
    folder = cache_folder() / "addresses"
    with suppress(OSError):
        if make:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        if _private(os.lstat(folder), stat.S_ISDIR):
            return folder
    return None


def _own(path: Path) -> int | None:
    """Open a file that is its owner's alone; a link is not followed."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0))
        if _private(os.fstat(handle), stat.S_ISREG):
            return handle
        os.close(handle)
    return None


def _private(found: os.stat_result, kind: Any) -> bool:
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return bool(kind(found.st_mode)) and mine and not stat.S_IMODE(found.st_mode) & 0o077
