"""The properties of a version's nodes in its file: one table a property, and one that lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.stores.queries import query
from edgedp.stores.values import Column

__all__ = ["listed", "property_bytes", "read", "write"]

_LIST = "Properties"
_CREATE = {
    "integer": "create_integer_values",
    "real": "create_real_values",
    "text": "create_text_values",
}


def property_bytes(columns: Mapping[str, Column]) -> int:
    """Return about how much room the values take."""
    return sum(
        sum(len(str(value)) + 16 for value in column.values)
        if column.encoding == "text"
        else 24 * len(column.values)
        for column in columns.values()
    )


def write(connection: Any, columns: Mapping[str, Column]) -> None:
    """Write the properties of a new version."""
    import pyarrow

    if not columns:
        return
    _run(connection, "create_property_list", _LIST)
    names, encodings = list(columns), [column.encoding for column in columns.values()]
    places = list(range(len(names)))
    _copy(connection, _LIST, pyarrow.table({"place": places, "name": names, "encoding": encodings}))
    for place, column in zip(places, columns.values(), strict=True):
        _run(connection, _CREATE[column.encoding], _table(place))
        values = column.values
        kept = (
            pyarrow.array(
                [None if value is None else json.dumps(value) for value in values], pyarrow.string()
            )
            if column.encoding == "text"
            else pyarrow.array(values)
        )
        rows = pyarrow.table({"position": np.arange(len(values), dtype=np.int64), "value": kept})
        if len(values):
            _copy(connection, _table(place), rows)


def listed(connection: Any) -> dict[str, tuple[int, str]]:
    """Return the number of the table and the encoding of every property, by name."""
    with closing(connection.execute("CALL show_tables() RETURN name")) as tables:
        if _LIST not in {row[0] for row in tables.get_all()}:
            return {}
    with closing(connection.execute(query("embedded", "property_list", node_label=_LIST))) as result:
        return {name: (place, encoding) for place, name, encoding in result.get_all()}


def read(connection: Any, place: int, encoding: str) -> NDArray[Any]:
    """Return the values of a property in the order of the node ids."""
    with closing(
        connection.execute(query("embedded", "property_values", node_label=_table(place)))
    ) as result:
        kept = result.get_as_arrow().column("value")
    match encoding:
        case "integer":
            whole: NDArray[Any] = kept.to_numpy().astype(np.int64, copy=False)
            return whole
        case "real":
            real: NDArray[Any] = kept.to_numpy().astype(np.float64, copy=False)
            return real
        case _:
            values = np.empty(len(kept), dtype=object)
            values[:] = [None if value is None else json.loads(value) for value in kept.to_pylist()]
            return values


def _table(place: int) -> str:
    return f"Values{place}"


def _run(connection: Any, statement: str, table: str) -> None:
    connection.execute(query("embedded", statement, node_label=table)).close()


def _copy(connection: Any, table: str, rows: Any) -> None:
    connection.execute(query("embedded", "copy_nodes", node_label=table), {"rows": rows}).close()
