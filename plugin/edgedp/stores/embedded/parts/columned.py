"""The columns that are kept of the rows of a graph, in a file of their own: a stream of Arrow, which is mapped.

Its first two columns are the ends, ``source`` and ``target``, as positions among all nodes, of every row in the order
of the source. Behind them stands, for each column and each type that its values have, one column of Arrow, null where
the value of a row is of another type or missing. Names and types stand in the metadata of the schema. A graph with
dates has the window of each row before them, and one with weights, too, what the row weighs.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.columns import BY_VALUE, VALUE_TYPES, Column, ColumnRows, KeptRows
from edgedp.stores.embedded.mapped import write_pieces
from edgedp.words.errors import StoreError

_SIGNATURE = "EDGEDPC1"
_END = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_ROWS = 1 << 20
_KEY = b"edgedp"


def file_size(rows: ColumnRows) -> int:
    """Return about how many bytes a file of columns takes."""
    parts = [part for column in rows.columns.values() for part in column.parts.values()]
    return 8 * len(rows.ends) + sum(int(part.estimated_size() * 1.1) for part in parts)


def write_columns(
    path: Path,
    version: int,
    nodes: int,
    rows: ColumnRows,
    windows: NDArray[np.int64] | None,
    weights: NDArray[np.float64] | None = None,
) -> tuple[str, int]:
    """Write a new file, and return the SHA-256 of what was to be written, and its length.

    Parameters
    ----------
    windows : (m,) int64, optional
        Of a graph with a calendar: the number of the window of each row, -1 where it is in none.
    weights : (m,) float64, optional
        Of one with weights, too: what each row weighs, NaN for nothing.

    Raises
    ------
    StoreError
        There is no room, or the file may not be written.
    """
    return write_pieces(path, _pieces(version, nodes, KeptRows(rows, windows, weights)))


def _pieces(version: int, nodes: int, kept: KeptRows) -> Iterator[memoryview]:
    import pyarrow as pa

    rows, windows, weights = kept
    arrays: list[Any] = [pa.array(np.ascontiguousarray(rows.ends[:, side])) for side in (0, 1)]
    names = ["source", "target"]
    parts = []
    if windows is not None:
        arrays.append(pa.array(windows))
        names.append("window")
    if weights is not None:
        arrays.append(pa.array(weights))
        names.append("weight")
    for name, column in rows.columns.items():
        for kind in VALUE_TYPES:
            if kind in column.parts:
                arrays.append(column.parts[kind].to_arrow(compat_level=_level()))
                names.append(str(len(names)))
                parts.append([name, kind])
    said = {
        "signature": _SIGNATURE, "version": version, "nodes": nodes, "types": rows.types, "parts": parts,
        "windows": windows is not None,
    } | ({} if weights is None else {"weights": True})  # fmt: skip
    schema = pa.schema(
        [pa.field(name, array.type) for name, array in zip(names, arrays, strict=True)],
        metadata={_KEY: json.dumps(said).encode()},
    )
    yield memoryview(schema.serialize())
    for batch in pa.Table.from_arrays(arrays, schema=schema).to_batches(max_chunksize=_ROWS):
        yield memoryview(batch.serialize())
    yield memoryview(_END)


def _level() -> Any:
    """Return the oldest layout of texts, so that what is written does not follow the version of a library."""
    from polars import CompatLevel

    return CompatLevel.oldest()


def mapped_columns(handle: int, version: int, nodes: int) -> KeptRows:
    """Return the rows and columns of a checked file that is held; they stay when the file is let go.

    Parameters
    ----------
    nodes : int
        How many nodes the graph has.
    """
    import polars as pl
    import pyarrow as pa

    try:
        whole = pa.py_buffer(mmap.mmap(handle, 0, prot=mmap.PROT_READ))
        table = pa.ipc.open_stream(whole).read_all()
        said = json.loads(table.schema.metadata[_KEY])
        found = [said[key] for key in ("signature", "version", "nodes")] == [_SIGNATURE, version, nodes]
        weighed = bool(said.get("weights"))
        first = 2 + bool(said["windows"]) + weighed
        if not found or len(said["parts"]) != table.num_columns - first:
            raise _foreign()
        windows = table.column(2).to_numpy() if said["windows"] else None
        weights = table.column(first - 1).to_numpy() if weighed else None
        columns: dict[str, dict[Any, Any]] = {name: {} for name in said["types"]}
        for (name, kind), part in zip(said["parts"], table.columns[first:], strict=True):
            columns[name][VALUE_TYPES[VALUE_TYPES.index(kind)]] = pl.Series(values=pl.from_arrow(part))
        ends = np.column_stack([table.column(side).to_numpy() for side in (0, 1)]).astype(
            np.int32, copy=False
        )
        if not {*said["types"].values()} <= {*VALUE_TYPES, BY_VALUE}:
            raise _foreign()
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
        raise _foreign() from None
    if ends.size and not 0 <= ends.min() <= ends.max() < nodes:
        raise _foreign()
    found_columns = {name: Column(kind, columns[name]) for name, kind in said["types"].items()}
    return KeptRows(ColumnRows(ends, found_columns), windows, weights)


def _foreign() -> StoreError:
    return StoreError("the graph's file of columns is not of this version; load it again or restore a backup")
