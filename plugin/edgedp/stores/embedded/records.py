"""What a version's database file holds, in pieces: every edge once, and the properties of the nodes.

Of a directed graph each edge has its *ways* beside it: from the first end to the second, back, or both
(`edgedp.graph.ids`). Properties are one table, whose rows are pieces of packed columns. A column is int64 or float64,
little-endian, or a JSON array of plain values, in the order of the node ids. Packed, a property costs a row for each
64 KiB; a table of its own would cost 2 MB.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.stores.statements.queries import query
from edgedp.stores.statements.values import Column

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph

__all__ = ["EDGES_AT_ONCE", "Packed", "edge_pieces", "packed", "read", "salted_sum", "write"]

_TABLE = "Records"
_PIECE = 1 << 16
EDGES_AT_ONCE = 1 << 22

Packed = Mapping[str, tuple[str, bytes]]
"""Encoding and content of every property, by name."""


Edges = tuple[NDArray[Any], NDArray[np.uint8] | None]
"""Some edges as positions, the lower one first, and the ways of each where the graph has directions."""


def edge_pieces(graph: Graph) -> Iterator[Edges]:
    """Return every edge once, as `Graph.edges`, in pieces."""
    indptr, n = graph.indptr, graph.node_count
    start = 0
    while start < n:
        stop = max(int(np.searchsorted(indptr, indptr[start] + EDGES_AT_ONCE, "right")) - 1, start + 1)
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


def write(connection: Any, columns: Packed) -> None:
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


def read(connection: Any, name: str | None = None) -> dict[str, NDArray[Any]]:
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
