"""Stored versions: a database file and a file of rows each, written once, then read-only for as many as like.

The database library ends its process on some damaged files, so a file is opened only when its SHA-256 is
the one that the registry keeps: computed once for each version and process. Edges are read from the file of rows;
a version of an earlier program has none, and its edges are read from the database file.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph
from edgedp.graph.loading.origins import Origin, origin_kept
from edgedp.graph.titles import Titles
from edgedp.ledger.backend import Row
from edgedp.ledger.debits.killpoints import reach
from edgedp.stores.embedded import mapped, records, windowed
from edgedp.stores.embedded.folder import Folder, private_file, sync
from edgedp.stores.embedded.locks import Held, try_hold
from edgedp.stores.embedded.parts import columned
from edgedp.stores.embedded.seals import Seals, checked, remember, sha256
from edgedp.stores.statements.queries import query
from edgedp.stores.statements.values import Column, columns_of
from edgedp.words.errors import EngineError, ForeignWordsError, StoreError
from edgedp.words.vocabulary import ARC_METRICS

if TYPE_CHECKING:
    from edgedp.graph.weights import Weighting
    from edgedp.words.dates.calendar import Calendar, Span

__all__ = [
    "PLACE",
    "Version",
    "check_room",
    "columns",
    "hold",
    "node_ids",
    "origin",
    "properties",
    "read",
    "run",
    "sweep",
    "titles",
    "write",
]

PLACE = {"node_label": "Node", "relationship_type": "Edge", "id_property": "id"}
"""The tables of every file."""

_BUFFER_POOL = 1 << 30
_EDGE_FILE_BYTES = 20
_POOL_EDGE_BYTES = 64
"""Of the buffer pool, where the database keeps what it writes or reads; 100 million edges did not fit 10 each."""
_LEAST = 4 << 20
_NODE_BYTES, _EDGE_BYTES = 40, 30


class Version(NamedTuple):
    """The files of a version, checked and held."""

    number: int
    path: Path
    """The database file."""
    rows: int | None
    """The descriptor of the file of rows."""
    windows: int | None = None
    """That of the file of windows, where the graph has a calendar."""
    columns: int | None = None
    """That of the file of columns, where any are kept."""


def check_room(folder: Folder, graph: Graph, kept: records.Packed, titles: Titles | None = None) -> None:
    """Refuse a load that the disk has no room for: the database library ends its process there."""
    text = graph.node_ids.dtype.itemsize if graph.node_ids.dtype.kind == "U" else 0
    needed = _LEAST + (_NODE_BYTES + text) * graph.node_count + _EDGE_BYTES * graph.edge_count
    needed += mapped.file_size(graph, titles)
    needed += sum(_LEAST + 2 * len(content) for _, content in kept.values())
    needed += columned.file_size(graph.kept["columns"]) if "columns" in graph.kept else 0
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
    kept = records.packed(columns)
    check_room(folder, graph, kept, titles)
    loading = folder.loading(version)
    with _begun(loading), ExitStack() as held:
        reach("begun")
        try:
            graph_file, rows_file = folder.version(version), folder.rows(version)
            _fill(loading / graph_file.name, graph, kept)
            rows, length = mapped.write_rows(loading / rows_file.name, version, graph, titles)
            reach("written")
            seals = Seals(sha256(loading / graph_file.name), rows, length, graph.directed, titles is not None)
            if graph.weighting is not None:
                seals = seals._replace(weighted=graph.weighting.written)
            _as_written(loading / rows_file.name, rows)
            sealed = [(graph_file, seals.graph), (rows_file, rows)]
            seals = _write_beside(loading, folder, version, graph, calendar, seals)
            sealed += [(folder.windows(version), seals.windows)] if seals.windows is not None else []
            sealed += [(folder.columns(version), seals.columns)] if seals.columns is not None else []
            for place, digest in sealed:
                written = loading / place.name
                written.chmod(0o400)
                sync(written)
                handle = held.enter_context(_held(written)).handle
                os.rename(written, place)
                remember(place, handle, digest or "")
                reach("placing")
            if (origin := origin_kept(graph)) is not None:
                place = folder.origin(version)
                written = loading / place.name
                private_file(written)
                written.write_text(origin.written(), encoding="utf-8")
                written.chmod(0o400)
                sync(written)
                held.enter_context(_held(written))
                os.rename(written, place)
            loading.rmdir()
            sync(folder.path)
            reach("placed")
            _verify_content(graph_file, graph, columns)
            reach("checked")
            yield seals.text
        except BaseException:
            shutil.rmtree(loading, ignore_errors=True)
            raise


def _write_beside(
    loading: Path, folder: Folder, version: int, graph: Graph, calendar: Calendar | None, seals: Seals
) -> Seals:
    """Write the windows of a graph with a calendar, and the columns that are kept; return the seals with theirs."""
    if calendar is not None:
        path = loading / folder.windows(version).name
        digest, length = windowed.write_windows(path, version, graph, graph.kept["dated"], calendar)
        seals = seals._replace(windows=_as_written(path, digest), windows_length=length)
    if (rows := graph.kept.get("columns")) is not None:
        path = loading / folder.columns(version).name
        of_rows = None if calendar is None else windowed.windows_of(graph.kept["dated"].seconds, calendar)
        digest, length = columned.write_columns(path, version, graph.node_count, rows, of_rows)
        seals = seals._replace(columns=_as_written(path, digest), columns_length=length)
    return seals


def _as_written(path: Path, digest: str) -> str:
    if sha256(path) != digest:
        raise _other_graph()
    return digest


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

    ids = graph.node_ids
    texts = ids.dtype.kind == "U"
    values = pyarrow.array(ids.tolist() if texts else ids)
    try:
        with (
            closing(ladybug.Database(str(path), buffer_pool_size=_pool(graph.edge_count))) as database,
            closing(ladybug.Connection(database)) as connection,
        ):
            _run(connection, "create_text_nodes" if texts else "create_nodes")
            _run(connection, "create_arcs" if graph.directed else "create_edges")
            _run(connection, "copy_nodes", rows=pyarrow.table({"id": values}))
            if graph.edge_count:
                pieces = [
                    [values.take(pyarrow.array(ends[:, 0])), values.take(pyarrow.array(ends[:, 1]))]
                    + ([] if ways is None else [pyarrow.array(ways)])
                    for ends, ways in records.edge_pieces(graph)
                ]
                columns = (pyarrow.chunked_array(list(column)) for column in zip(*pieces, strict=True))
                # What an undirected graph's edges have no column for is left out.
                table = dict(zip(("from", "to", "ways"), columns, strict=False))
                _run(connection, "copy_edges", rows=pyarrow.table(table))
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
    salt = np.uint64(secrets.randbits(64))
    with _reading(path) as connection:
        ids, edges = _tables(connection, PLACE, "arcs" if graph.directed else "edges")
    same = np.array_equal(ids, graph.node_ids) and edges.num_rows == graph.edge_count
    if same:
        found = (
            (
                np.column_stack([_positions(ids, _ids(column)) for column in piece.columns[:2]]),
                piece.columns[2].to_numpy() if graph.directed else None,
            )
            for piece in edges.to_batches(max_chunksize=records.EDGES_AT_ONCE)
        )
        written = records.salted_sum(records.edge_pieces(graph), len(ids), salt)
        same = records.salted_sum(found, len(ids), salt) == written
    if kept:
        values = properties(path)
        same = same and values.keys() == kept.keys()
        same = same and all(kept[name].same(column) for name, column in values.items())
    if not same:
        raise _other_graph()


def _other_graph() -> StoreError:
    return StoreError("the graph that was read again is not the one that was written; load again")


@contextmanager
def hold(folder: Folder, number: int, digest: str | None) -> Iterator[Version]:
    """Hand out the files of a version, checked, which nobody sweeps meanwhile.

    Parameters
    ----------
    digest : str or None
        What the registry keeps of the files: the text of `Seals`.

    Raises
    ------
    StoreError
        A file is gone, damaged or a link.
    """
    seals = Seals.of(digest)
    path = folder.version(number)
    with checked(folder, path, seals.graph):
        if seals.rows is None:
            yield Version(number, path, None)
            return
        with checked(folder, folder.rows(number), seals.rows, seals.length) as rows, ExitStack() as more:
            windows = columns = None
            if seals.windows is not None:
                of_windows = checked(folder, folder.windows(number), seals.windows, seals.windows_length)
                windows = more.enter_context(of_windows)
            if seals.columns is not None:
                of_columns = checked(folder, folder.columns(number), seals.columns, seals.columns_length)
                columns = more.enter_context(of_columns)
            try:
                yield Version(number, path, rows, windows, columns)
            finally:
                for handle in (rows, windows, columns):
                    if handle is not None:
                        mapped.let_go(handle)


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
        return windowed.mapped_window(version.windows, version.number, nodes, span, supplied=nodes_supplied)
    if version.rows is not None:
        return mapped.mapped_graph(
            version.rows, version.number, nodes_supplied=nodes_supplied, weighting=weighting
        )
    ids, ends = _columns(version.path)
    return Graph.from_positions(ids, ends, nodes_supplied=nodes_supplied)


def origin(folder: Folder, number: int) -> Origin | None:
    """Return where a version was read from; None where nothing is remembered."""
    try:
        return Origin.of(folder.origin(number).read_text(encoding="utf-8"))
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
    with _reading(version.path) as connection, closing(_execute(connection, "nodes", {})) as nodes:
        return _ids(nodes.get_as_arrow().column("id"))


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


def properties(path: Path, name: str | None = None) -> dict[str, NDArray[Any]]:
    """Read the properties of a checked file, or the one of a name if it is there; in the order of the ids."""
    with _reading(path) as connection:
        return records.read(connection, name)


def run(path: Path, statement: str, **parameters: Any) -> list[Row]:
    """Run a statement of ``queries/embedded`` on a checked file.

    Raises
    ------
    EngineError
        It counts arcs, and the file was written before these were kept in it.
    """
    with _reading(path) as connection:
        if statement not in ARC_METRICS or _holds_ways(connection):
            return _rows(connection, statement, parameters)
    raise EngineError(
        f"engine is 'cypher', must be 'native' or 'igraph' for {statement} of this version, which was loaded "
        "before the database file had directions; choose another, or load it again"
    )


def _holds_ways(connection: Any) -> bool:
    with closing(
        connection.execute(f"CALL table_info('{PLACE['relationship_type']}') RETURN name")
    ) as result:
        return "ways" in {row[0] for row in result.get_all()}


def _rows(connection: Any, statement: str, parameters: dict[str, Any]) -> list[Row]:
    with closing(_execute(connection, statement, parameters)) as result:
        names = result.get_column_names()
        return [dict(zip(names, row, strict=True)) for row in result.get_all()]


def _columns(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    with _reading(path) as connection:
        return columns(connection, PLACE)


def columns(connection: Any, place: dict[str, str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return node ids, ascending, and edges as positions, in the order of the file."""
    ids, edges = _tables(connection, place)
    ends = [_positions(ids, _ids(edges.column(name))) for name in ("source", "target")]
    return ids, np.column_stack(ends).reshape(-1, 2)


def _tables(connection: Any, place: dict[str, str], statement: str = "edges") -> tuple[NDArray[Any], Any]:
    """Return node ids, ascending, and an Arrow table of edges by ids: source, target; of arcs their ways, too."""
    with closing(connection.execute(query("embedded", "nodes", **place))) as nodes:
        ids = _ids(nodes.get_as_arrow().column("id"))
    with closing(connection.execute(query("embedded", statement, **place))) as pairs:
        edges = pairs.get_as_arrow()
    return ids, edges


def _positions(ids: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
    if len(ids) and ids.dtype.kind == "i" and int(ids[-1]) - int(ids[0]) == len(ids) - 1:
        shifted: NDArray[Any] = wanted - ids[0]
        return shifted
    found: NDArray[Any] = np.searchsorted(ids, wanted)
    return found


@contextmanager
def _reading(path: Path) -> Iterator[Any]:
    import ladybug

    pool = _pool(path.stat().st_size // _EDGE_FILE_BYTES)
    try:
        with (
            closing(ladybug.Database(str(path), read_only=True, buffer_pool_size=pool)) as database,
            closing(ladybug.Connection(database)) as connection,
        ):
            yield connection
    except RuntimeError as error:
        raise ForeignWordsError(
            f"the graph's file cannot be read; the database says: {_first_line(error)}"
        ) from None


def _pool(edges: int) -> int:
    return max(_BUFFER_POOL, _POOL_EDGE_BYTES * edges)


def _run(connection: Any, statement: str, **parameters: Any) -> None:
    _execute(connection, statement, parameters).close()


def _execute(connection: Any, statement: str, parameters: dict[str, Any]) -> Any:
    text = query("embedded", statement, **PLACE)
    # The database refuses a parameter that the statement does not name.
    return connection.execute(text, {name: value for name, value in parameters.items() if f"${name}" in text})


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


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]


def _ids(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values.astype(np.str_) if values.dtype.kind == "O" else values.astype(np.int64, copy=False)
