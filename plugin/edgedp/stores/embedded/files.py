"""Stored versions: a database file and a file of rows each, written once, then read-only for as many as like.

The database library ends its process on some damaged files, so a file is opened only when its SHA-256 is
the one that the registry keeps: computed once for each version and process. Edges are read from the file of rows;
a version of an earlier program has none, and its edges are read from the database file.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.columns import ColumnRows
from edgedp.graph.graph import Graph
from edgedp.graph.loading.origins import Origin, origin_kept
from edgedp.graph.titles import Titles
from edgedp.stores.embedded import database, mapped, windowed
from edgedp.stores.embedded.folder import Folder, plain_text, private_file, sync
from edgedp.stores.embedded.locks import Held, try_hold
from edgedp.stores.embedded.parts import columned
from edgedp.stores.embedded.seals import Seals, Version, remember, sha256
from edgedp.stores.statements.values import columns_of
from edgedp.words.errors import StoreError

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.words.dates.calendar import Calendar, Span

_LEAST = 4 << 20
_NODE_BYTES, _EDGE_BYTES = 40, 30


def check_room(folder: Folder, graph: Graph, kept: database.Packed, titles: Titles | None = None) -> None:
    """Refuse a load that the disk has no room for: the database library ends its process there."""
    text = graph.node_ids.dtype.itemsize if graph.node_ids.dtype.kind == "U" else 0
    needed = _LEAST + (_NODE_BYTES + text) * graph.node_count + _EDGE_BYTES * graph.edge_count
    needed += mapped.file_size(graph, titles)
    needed += sum(_LEAST + 2 * len(content) for _, content in kept.values())
    needed += columned.file_size(graph.kept["columns"]) if "columns" in graph.kept else 0
    dated = graph.kept.get("dated")
    needed += 24 * len(dated.ends) if dated is not None and graph.weighting is not None else 0
    free = shutil.disk_usage(folder.path).free
    if free < needed:
        raise StoreError(
            f"store is {folder.given}, whose disk has {free >> 20} MB left, while the graph needs about "
            f"{needed >> 20} MB; make room"
        )


@contextmanager
def write(
    folder: Folder, version: int, graph: Graph, titles: Titles | None = None, calendar: Calendar | None = None
) -> Iterator[str]:
    """Write a version whole, put its files into the store, read them again, and hand out its seals.

    Until the context ends nobody sweeps the files; by then the registry must name them.
    """
    columns = columns_of(graph.properties)
    kept = database.packed(columns)
    check_room(folder, graph, kept, titles)
    loading = folder.loading(version)
    with _begun(folder, loading), ExitStack() as held:
        sys.audit("edgedp.reached", "begun")
        try:
            graph_file = folder.file(version, "graph")
            database.fill(loading / graph_file.name, graph, kept)
            rows_file = loading / folder.file(version, "rows").name
            rows, length = mapped.write_rows(rows_file, version, graph, titles)
            sys.audit("edgedp.reached", "written")
            seals = Seals(sha256(loading / graph_file.name), rows, length, graph.directed, titles is not None)
            if graph.weighting is not None:
                seals = seals._replace(weighted=graph.weighting.written)
            _as_written(rows_file, rows)
            seals = _write_beside(loading, folder, version, graph, calendar, seals)
            for kind, (digest, _) in seals.files.items():
                place = folder.file(version, kind)
                remember(place, _placed(loading, place, held), digest or "")
                sys.audit("edgedp.reached", "placing")
            if (origin := origin_kept(graph)) is not None:
                place = folder.file(version, "source")
                private_file(loading / place.name)
                (loading / place.name).write_text(origin.written(), encoding="utf-8")
                _placed(loading, place, held)
            loading.rmdir()
            sync(folder.path)
            sys.audit("edgedp.reached", "placed")
            database.verify_content(graph_file, graph, columns)
            sys.audit("edgedp.reached", "checked")
            yield seals.text
        except BaseException:
            shutil.rmtree(loading, ignore_errors=True)
            raise


def _write_beside(
    loading: Path, folder: Folder, version: int, graph: Graph, calendar: Calendar | None, seals: Seals
) -> Seals:
    """Write the windows of a graph with a calendar, and the columns that are kept; return the seals with theirs."""
    if calendar is not None:
        path = loading / folder.file(version, "windows").name
        digest, length = windowed.write_windows(path, version, graph, graph.kept["dated"], calendar)
        seals = seals._replace(windows=_as_written(path, digest), windows_length=length)
    rows, of_rows = graph.kept.get("columns"), None
    weights = None if graph.weighting is None else graph.kept.get("weighed")
    if calendar is not None:
        dated = graph.kept["dated"]
        of_rows = windowed.windows_of(dated.seconds, calendar)
        if weights is not None and rows is None:  # a window adds up the weights of its rows
            rows = ColumnRows(dated.ends, {})
    if rows is not None:
        path = loading / folder.file(version, "columns").name
        digest, length = columned.write_columns(path, version, graph.node_count, rows, of_rows, weights)
        seals = seals._replace(columns=_as_written(path, digest), columns_length=length)
    return seals


def _as_written(path: Path, digest: str) -> str:
    if sha256(path) != digest:
        raise database.other_graph()
    return digest


def _begun(folder: Folder, loading: Path) -> Held:
    """Make the folder of a load and hold it; a sweep that was quicker is no reason to fail."""
    for _ in range(100):
        try:
            loading.mkdir(mode=0o700)
        except OSError as error:
            raise StoreError(
                f"store is {folder.given}, in which nothing can be written ({error.strerror}); check its owner, "
                "permissions and room"
            ) from None
        with suppress(FileNotFoundError):
            held = try_hold(loading, shared=True)
            if held is not None:
                loading.chmod(0o700)
                return held
        with suppress(OSError):
            loading.rmdir()
    raise StoreError("the new version is being swept by another process; load again")


def _placed(loading: Path, place: Path, until: ExitStack) -> int:
    """Put a file that is written whole into the store, and return the descriptor by which it is held."""
    written = loading / place.name
    written.chmod(0o400)
    sync(written)
    held = try_hold(written, shared=True)
    if held is None:
        raise StoreError("the new version is being swept by another process; load again")
    until.callback(held.release)
    os.rename(written, place)
    return held.handle


def read(
    version: Version,
    *,
    nodes_supplied: bool,
    span: Span | None = None,
    weighting: Weighting | None = None,
) -> Graph:
    """Return the whole graph of a version: mapped where it has rows, else read from the database file.

    Parameters
    ----------
    span : Span, optional
        The windows that are read instead of everything.
    weighting : Weighting, optional
        What the registry says of the version's weights.

    Raises
    ------
    StoreError
        The version has no windows.
    """
    if span is not None:
        if version.rows is None or version.windows is None:
            raise StoreError(
                "the graph's files have no windows; load it again with its dates, or restore a backup"
            )
        nodes = mapped.mapped_ids(version.rows, version.number)
        graph = windowed.mapped_window(version.windows, version.number, nodes, span, supplied=nodes_supplied)
        return graph if weighting is None else _weighed_window(version, graph, span, weighting)
    if version.rows is not None:
        return mapped.mapped_graph(
            version.rows, version.number, nodes_supplied=nodes_supplied, weighting=weighting
        )
    ids, ends = database.whole(version.path)
    return Graph.from_positions(ids, ends, nodes_supplied=nodes_supplied)


def _weighed_window(version: Version, graph: Graph, span: Span, weighting: Weighting) -> Graph:
    """Return the graph of some windows with the weights of their rows."""
    kept = (
        None
        if version.columns is None
        else columned.mapped_columns(version.columns, version.number, graph.node_count)
    )
    if kept is None or kept.windows is None or kept.weights is None:
        raise StoreError(
            "the graph's files have no weights of its windows; load it again, or restore a backup"
        )
    held = (kept.windows >= span.first) & (kept.windows <= span.last)
    return graph.with_weights(kept.rows.ends[held], kept.weights[held], weighting)


def origin(folder: Folder, number: int) -> Origin | None:
    """Return where a version was read from; None where nothing is remembered."""
    try:
        return Origin.of(plain_text(folder.file(number, "source")))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise StoreError(
            "what is remembered of the source cannot be read; load it again with --replace"
        ) from None


def node_ids(version: Version) -> NDArray[Any]:
    """Return the ids of a version's nodes, ascending; no edge is read."""
    if version.rows is not None:
        return mapped.mapped_ids(version.rows, version.number)
    return database.node_ids(version.path)


def titles(version: Version, ids: list[Any]) -> list[str | None]:
    """Return the titles of some nodes, by their ids; None for a node without one.

    Raises
    ------
    StoreError
        The version has no titles.
    """
    if version.rows is None:
        raise StoreError(
            "the graph's file has no titles, and the registry says that it has; restore a backup"
        )
    there = mapped.mapped_ids(version.rows, version.number)
    positions = np.searchsorted(there, np.asarray(ids, dtype=there.dtype))
    return mapped.mapped_titles(version.rows, version.number).at(positions.tolist())


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
    for version, path in folder.versions():
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
