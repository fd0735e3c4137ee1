"""A version's database file, which the database library reads and writes: edges, and properties of the nodes.

Of a directed graph each edge has its *ways* beside it: from the first end to the second, back, or both
(`edgedp.graph.ids`). Properties are one table, whose rows are pieces of packed columns. A column is int64 or float64,
little-endian, or a JSON array of plain values, in the order of the node ids. Packed, a property costs a row for each
64 KiB; a table of its own would cost 2 MB.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.ledger.backend import Row
from edgedp.stores.statements.queries import query
from edgedp.stores.statements.values import Column
from edgedp.words.errors import EngineError, ForeignWordsError, StoreError
from edgedp.words.vocabulary import ARC_METRICS

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

PLACE = {"node_label": "Node", "relationship_type": "Edge", "id_property": "id"}
"""The tables of every file."""


_BUFFER_POOL = 1 << 30
_EDGE_FILE_BYTES = 20
_POOL_EDGE_BYTES = 64
"""Of the buffer pool, where the database keeps what it writes or reads; 100 million edges did not fit 10 each."""
_TABLE = "Records"
_PIECE = 1 << 16
_EDGES_AT_ONCE = 1 << 22

Packed = Mapping[str, tuple[str, bytes]]
"""Encoding and content of every property, by name."""


Edges = tuple[NDArray[Any], NDArray[np.uint8] | None]
"""Some edges as positions, the lower one first, and the ways of each where the graph has directions."""


def edge_pieces(graph: Graph) -> Iterator[Edges]:
    """Return every edge once, as `Graph.edges`, in pieces."""
    indptr, n = graph.indptr, graph.node_count
    start = 0
    while start < n:
        stop = max(int(np.searchsorted(indptr, indptr[start] + _EDGES_AT_ONCE, "right")) - 1, start + 1)
        entries = slice(indptr[start], indptr[stop])
        neighbors = graph.indices[entries]
        rows = np.repeat(np.arange(start, stop, dtype=np.int32), np.diff(indptr[start : stop + 1]))
        once = rows < neighbors
        ways = None if graph.ways is None else graph.ways[entries][once]
        yield np.column_stack([rows[once], neighbors[once]]), ways
        start = stop


def salted_sum(pieces: Iterable[Edges], n: int, salt: np.uint64) -> int:
    """Return a sum over edges, in any order, of a salted 64-bit mix of each with its ways."""
    total = 0
    for ends, ways in pieces:
        low, high = (ends.min(axis=1).astype(np.uint64), ends.max(axis=1).astype(np.uint64))
        keys = low * np.uint64(n) + high
        if ways is not None:
            keys = keys * np.uint64(4) + ways.astype(np.uint64)
        keys ^= salt
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
        total += int((keys ^ (keys >> np.uint64(31))).sum(dtype=np.uint64))
    return total % 2**64


def packed(columns: Mapping[str, Column]) -> Packed:
    """Return columns as bytes.

    Examples
    --------
    >>> from edgedp.stores.statements.values import column_of
    >>> packed({"city": column_of(np.array(["b", None], dtype=object))})
    {'city': ('text', b'["b", null]')}
    """
    return {name: (column.encoding, _packed(column)) for name, column in columns.items()}


def _packed(column: Column) -> bytes:
    match column.encoding:
        case "integer":
            return column.values.astype("<i8").tobytes()
        case "real":
            return column.values.astype("<f8").tobytes()
        case "text":
            return json.dumps(column.values.tolist()).encode("ascii")


def _write_records(connection: Any, columns: Packed) -> None:
    """Write the properties of a new version."""
    import pyarrow

    if not columns:
        return
    connection.execute(query("embedded", "create_records", node_label=_TABLE)).close()
    pieces = [
        (name, encoding, content[start : start + _PIECE])
        for name, (encoding, content) in columns.items()
        for start in range(0, len(content), _PIECE)
    ]
    names, encodings, contents = (list(column) for column in zip(*pieces, strict=True))
    rows = pyarrow.table(
        {
            "key": list(range(len(pieces))),
            "name": names,
            "encoding": encodings,
            "content": pyarrow.array(contents, pyarrow.binary()),
        }
    )
    connection.execute(query("embedded", "copy_nodes", node_label=_TABLE), {"rows": rows}).close()


def _read_records(connection: Any, name: str | None = None) -> dict[str, NDArray[Any]]:
    """Read all properties, or the one of a name if it is there; in the order of the node ids."""
    with closing(connection.execute("CALL show_tables() RETURN name")) as tables:
        if _TABLE not in {row[0] for row in tables.get_all()}:
            return {}
    text = query("embedded", "records", node_label=_TABLE)
    encodings: dict[str, str] = {}
    contents: dict[str, list[bytes]] = {}
    with closing(connection.execute(text, {"name": name or "", "every": name is None})) as result:
        rows = result.get_as_arrow()
    for each, encoding, content in zip(*(column.to_pylist() for column in rows.columns), strict=True):
        encodings[each] = encoding
        contents.setdefault(each, []).append(content)
    return {each: _unpacked(encodings[each], b"".join(parts)) for each, parts in contents.items()}


def _unpacked(encoding: str, content: bytes) -> NDArray[Any]:
    match encoding:
        case "integer":
            return np.frombuffer(content, dtype="<i8").astype(np.int64)
        case "real":
            return np.frombuffer(content, dtype="<f8").astype(np.float64)
        case _:
            listed = json.loads(content)
            values = np.empty(len(listed), dtype=object)
            values[:] = listed
            return values


def fill(path: Path, graph: Graph, kept: Packed) -> None:
    """Write a graph and the properties of its nodes into a new file."""
    import pyarrow

    from edgedp.stores.embedded.parts.loaded import ladybug

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
                    for ends, ways in edge_pieces(graph)
                ]
                columns = (pyarrow.chunked_array(list(column)) for column in zip(*pieces, strict=True))
                # What an undirected graph's edges have no column for is left out.
                table = dict(zip(("from", "to", "ways"), columns, strict=False))
                _run(connection, "copy_edges", rows=pyarrow.table(table))
            _write_records(connection, kept)
    except (RuntimeError, OSError) as error:
        raise StoreError(
            "the graph could not be written; check its folder's room and permissions "
            f"(the database says: {_first_line(error)})"
        ) from None
    left = [other for other in path.parent.iterdir() if other != path]
    if left:
        raise StoreError("the graph's file was not finished by the database; make room and load again")


def verify_content(path: Path, graph: Graph, kept: Mapping[str, Column]) -> None:
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
            for piece in edges.to_batches(max_chunksize=_EDGES_AT_ONCE)
        )
        written = salted_sum(edge_pieces(graph), len(ids), salt)
        same = salted_sum(found, len(ids), salt) == written
    if kept:
        values = properties(path)
        same = same and values.keys() == kept.keys()
        same = same and all(kept[name].same(column) for name, column in values.items())
    if not same:
        raise other_graph()


def other_graph() -> StoreError:
    """Return the refusal of a version that was not read again as it was written."""
    return StoreError("the graph that was read again is not the one that was written; load again")


def properties(path: Path, name: str | None = None) -> dict[str, NDArray[Any]]:
    """Read the properties of a checked file, or the one of a name if it is there; in the order of the ids."""
    with _reading(path) as connection:
        return _read_records(connection, name)


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


def node_ids(path: Path) -> NDArray[Any]:
    """Return the ids of the nodes of a checked file, ascending; no edge is read."""
    with _reading(path) as connection, closing(_execute(connection, "nodes", {})) as nodes:
        return _ids(nodes.get_as_arrow().column("id"))


def whole(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what `columns` does, of a checked file of this program."""
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
    from edgedp.stores.embedded.parts.loaded import ladybug

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


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]


def _ids(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return values.astype(np.str_) if values.dtype.kind == "O" else values.astype(np.int64, copy=False)
