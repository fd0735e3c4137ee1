"""Stored versions: one database file each, written once, then read-only for as many as like.

The database library ends its process on some damaged files, so a file is opened only when its SHA-256 is
the one that the registry keeps: computed once for each version and process.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.errors import ForeignWordsError, StoreError
from edgedp.graph import Graph
from edgedp.stores.backend import Row
from edgedp.stores.embedded import records
from edgedp.stores.embedded.folder import Folder, sync
from edgedp.stores.embedded.locks import Held, try_hold
from edgedp.stores.killpoints import reach
from edgedp.stores.queries import query
from edgedp.stores.values import Column, columns_of

__all__ = [
    "PLACE",
    "check_room",
    "columns",
    "hold",
    "properties",
    "read",
    "run",
    "sha256",
    "sweep",
    "write",
]

PLACE = {"node_label": "Node", "relationship_type": "Edge", "id_property": "id"}
"""The tables of every file."""

_BUFFER_POOL = 1 << 30
_LEAST = 4 << 20
_NODE_BYTES, _EDGE_BYTES = 40, 30
_verified: dict[tuple[Any, ...], str] = {}


def check_room(folder: Folder, graph: Graph, kept: records.Packed) -> None:
    """Refuse a load that the disk has no room for: the database library ends its process there."""
    text = graph.node_ids.dtype.itemsize if graph.node_ids.dtype.kind == "U" else 0
    needed = _LEAST + (_NODE_BYTES + text) * graph.node_count + _EDGE_BYTES * graph.edge_count
    needed += sum(_LEAST + 2 * len(content) for _, content in kept.values())
    free = shutil.disk_usage(folder.path).free
    if free < needed:
        raise StoreError(
            f"store is {folder.given}, whose disk has {free >> 20} MB left and the graph needs about "
            f"{needed >> 20} MB; make room"
        )


@contextmanager
def write(folder: Folder, version: int, graph: Graph) -> Iterator[str]:
    """Write a version whole, put its file into the store, read it again, and hand out its SHA-256.

    Until the context ends nobody sweeps the file; by then the registry must name it.
    """
    columns = columns_of(graph.properties)
    kept = records.packed(columns)
    check_room(folder, graph, kept)
    loading = folder.loading(version)
    with _begun(loading):
        reach("begun")
        try:
            written = loading / folder.version(version).name
            _fill(written, graph, kept)
            reach("written")
            written.chmod(0o400)
            digest = sha256(written)
            sync(written)
            place = folder.version(version)
            with _held(written):
                os.rename(written, place)
                loading.rmdir()
                sync(folder.path)
                reach("placed")
                remember(place, digest)
                _verify_content(place, graph, columns)
                reach("checked")
                yield digest
        except BaseException:
            shutil.rmtree(loading, ignore_errors=True)
            raise


def _begun(loading: Path) -> Held:
    """Make the folder of a load and hold it; a sweep that was quicker is no reason to fail."""
    for _ in range(100):
        loading.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            held = try_hold(loading, shared=True)
            if held is not None:
                loading.chmod(0o700)
                return held
        with suppress(OSError):
            loading.rmdir()
    raise StoreError("the new version is being swept by another process; load again")


def _held(path: Path) -> Held:
    held = try_hold(path, shared=True)
    if held is None:
        raise StoreError("the new version is being swept by another process; load again")
    return held


def _fill(path: Path, graph: Graph, kept: records.Packed) -> None:
    import ladybug
    import pyarrow

    ids, ends = graph.node_ids, graph.edges()
    texts = ids.dtype.kind == "U"
    values = pyarrow.array(ids.tolist() if texts else ids)
    try:
        with (
            closing(ladybug.Database(str(path), buffer_pool_size=_BUFFER_POOL)) as database,
            closing(ladybug.Connection(database)) as connection,
        ):
            _run(connection, "create_text_nodes" if texts else "create_nodes")
            _run(connection, "create_edges")
            _run(connection, "copy_nodes", rows=pyarrow.table({"id": values}))
            if len(ends):
                columns = {
                    end: values.take(pyarrow.array(ends[:, i])) for i, end in enumerate(("from", "to"))
                }
                _run(connection, "copy_edges", rows=pyarrow.table(columns))
            records.write(connection, kept)
    except (RuntimeError, OSError) as error:
        raise StoreError(
            "the graph could not be written; check its folder's room and permissions "
            f"(the database says: {_first_line(error)})"
        ) from None
    left = [other for other in path.parent.iterdir() if other != path]
    if left:
        raise StoreError("the graph's file was not finished by the database; make room and load again")


def _verify_content(path: Path, graph: Graph, kept: Mapping[str, Column]) -> None:
    """Compare what a finished file holds with what was to be written: nodes, values, and edges by a salted sum."""
    ids, ends = _columns(path)
    salt = np.uint64(secrets.randbits(64))
    same = (
        np.array_equal(ids, graph.node_ids)
        and len(ends) == graph.edge_count
        and _salted_sum(ends, len(ids), salt) == _salted_sum(graph.edges(), len(ids), salt)
    )
    if kept:
        found = properties(path)
        same = same and found.keys() == kept.keys()
        same = same and all(kept[name].same(values) for name, values in found.items())
    if not same:
        raise StoreError("the graph that was read again is not the one that was written; load again")


def _salted_sum(ends: NDArray[Any], n: int, salt: np.uint64) -> int:
    """Return a sum over edges, in any order, of a salted 64-bit mix of each."""
    low = ends.min(axis=1, initial=n).astype(np.uint64) if len(ends) else np.zeros(0, np.uint64)
    high = ends.max(axis=1, initial=0).astype(np.uint64) if len(ends) else np.zeros(0, np.uint64)
    keys = (low * np.uint64(n) + high) ^ salt
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return int((keys ^ (keys >> np.uint64(31))).sum(dtype=np.uint64))


@contextmanager
def hold(folder: Folder, version: int, digest: str | None) -> Iterator[Path]:
    """Hand out the file of a version, checked, which nobody sweeps meanwhile.

    Raises
    ------
    StoreError
        The file is gone, damaged or a link.
    """
    path = folder.version(version)
    try:
        folder.check_plain(path, os.lstat(path))
        held = try_hold(path, shared=True)
    except FileNotFoundError:
        raise StoreError(
            "the graph was replaced or dropped meanwhile, or its file is missing; ask again"
        ) from None
    if held is None:
        raise StoreError("the graph was replaced or dropped meanwhile; ask again")
    with held:
        if digest is None or _digest_of(path) != digest:
            raise StoreError(
                "the graph's file is not what was written, so nothing is released; load it again or restore a backup"
            )
        yield path


def read(path: Path, *, nodes_supplied: bool) -> Graph:
    """Read a whole graph from a checked file."""
    ids, ends = _columns(path)
    return Graph.from_positions(ids, ends, nodes_supplied=nodes_supplied)


def node_ids(path: Path) -> NDArray[Any]:
    """Return the ids of a checked file's nodes, ascending; no edge is read."""
    with _reading(path) as connection, closing(_execute(connection, "nodes", {})) as nodes:
        return _ids(nodes.get_as_arrow().column("id"))


def properties(path: Path, name: str | None = None) -> dict[str, NDArray[Any]]:
    """Read the properties of a checked file, or the one of a name if it is there; in the order of the ids."""
    with _reading(path) as connection:
        return records.read(connection, name)


def run(path: Path, statement: str, **parameters: Any) -> list[Row]:
    """Run a statement of ``queries/embedded`` on a checked file."""
    with _reading(path) as connection, closing(_execute(connection, statement, parameters)) as result:
        names = result.get_column_names()
        return [dict(zip(names, row, strict=True)) for row in result.get_all()]


def _columns(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    with _reading(path) as connection:
        return columns(connection, PLACE)


def columns(connection: Any, place: dict[str, str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return node ids, ascending, and edges as positions, in the order of the file."""
    with closing(connection.execute(query("embedded", "nodes", **place))) as nodes:
        ids = _ids(nodes.get_as_arrow().column("id"))
    with closing(connection.execute(query("embedded", "edges", **place))) as pairs:
        edges = pairs.get_as_arrow()
    ends = [_positions(ids, _ids(edges.column(name))) for name in ("source", "target")]
    return ids, np.column_stack(ends).reshape(-1, 2)


def _positions(ids: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
    if len(ids) and ids.dtype.kind == "i" and int(ids[-1]) - int(ids[0]) == len(ids) - 1:
        shifted: NDArray[Any] = wanted - ids[0]
        return shifted
    found: NDArray[Any] = np.searchsorted(ids, wanted)
    return found


@contextmanager
def _reading(path: Path) -> Iterator[Any]:
    import ladybug

    try:
        with (
            closing(ladybug.Database(str(path), read_only=True, buffer_pool_size=_BUFFER_POOL)) as database,
            closing(ladybug.Connection(database)) as connection,
        ):
            yield connection
    except RuntimeError as error:
        raise ForeignWordsError(
            f"the graph's file cannot be read; the database says: {_first_line(error)}"
        ) from None


def _run(connection: Any, statement: str, **parameters: Any) -> None:
    _execute(connection, statement, parameters).close()


def _execute(connection: Any, statement: str, parameters: dict[str, Any]) -> Any:
    text = query("embedded", statement, **PLACE)
    # The database refuses a parameter that the statement does not name.
    return connection.execute(text, {name: value for name, value in parameters.items() if f"${name}" in text})


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _digest_of(path: Path) -> str:
    """Return the SHA-256 of a version's file, computed once for each file and process."""
    key = _identity(path)
    if key not in _verified:
        remember(path, sha256(path))
    return _verified.get(key, "")


def remember(path: Path, digest: str) -> None:
    """Note the SHA-256 of a file."""
    if len(_verified) > 10_000:
        _verified.clear()
    _verified[_identity(path)] = digest


def _identity(path: Path) -> tuple[Any, ...]:
    found = os.stat(path)
    return str(path), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def sweep(folder: Folder, named: Callable[[], set[int]]) -> None:
    """Remove what nobody names and nobody holds: replaced versions, and what dead loads left.

    Parameters
    ----------
    named : callable
        Returns the versions that the registry names *now*: it is asked again after a file is held, for its
        writer lets go of a file only once the registry names it.
    """
    for path in folder.path.glob("loading-*"):
        _remove(path, lambda: True)
    current = named()
    for version, path in folder.versions().items():
        if version not in current:
            _remove(path, partial(_unnamed, version, named))


def _unnamed(version: int, named: Callable[[], set[int]]) -> bool:
    return version not in named()


def _remove(path: Path, unnamed: Callable[[], bool]) -> None:
    try:
        held = try_hold(path, shared=False)
    except OSError:
        return
    if held is None:
        return
    with held:
        if not unnamed():
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]


def _ids(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.to_numpy()
    return values.astype(np.str_) if values.dtype.kind == "O" else values.astype(np.int64, copy=False)
