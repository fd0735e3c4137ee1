"""The properties of a version's nodes in its file: one table, whose rows are pieces of packed columns.

A column is int64 or float64, little-endian, or a JSON array of plain values, in the order of the node ids. Packed, a
property costs a row for each 64 KiB; a table of its own would cost 2 MB.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.stores.statements.queries import query
from edgedp.stores.statements.values import Column

__all__ = ["Packed", "packed", "read", "write"]

_TABLE = "Records"
_PIECE = 1 << 16

Packed = Mapping[str, tuple[str, bytes]]
"""Encoding and content of every property, by name."""


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
