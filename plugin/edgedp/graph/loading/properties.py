"""Further columns of a file of nodes: the properties of the nodes, every value read by itself.

What stands in the other rows never decides how a value is read: if it did, replacing one record would change many.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from edgedp.graph.graph import Graph
from edgedp.graph.reading.beside import Beside
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.text.deciding import position_of
from edgedp.graph.reading.text.layout import detect_layout
from edgedp.graph.reading.text.lines import COMMENTS, Blocks
from edgedp.graph.reading.text.table import read_columns
from edgedp.words.containers import is_list
from edgedp.words.errors import GraphFormatError, ParameterError

if TYPE_CHECKING:
    import polars as pl

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def checked_properties(names: Any) -> tuple[str, ...]:
    """Return the names of the columns, or refuse them.

    Examples
    --------
    >>> checked_properties(["age", "zip"])
    ('age', 'zip')
    """
    if names is None:
        return ()
    listed = list(names) if is_list(names) else [names]
    if not all(isinstance(name, str) and name for name in listed):
        raise ParameterError("properties must be names of columns; give texts that are not empty")
    if len(set(listed)) < len(listed):
        raise ParameterError("properties holds a name twice; leave one out")
    return tuple(listed)


def value_of(text: str) -> Any:
    """Return a field as a number where it is written as one, None where it is empty, else the text.

    Examples
    --------
    >>> [value_of(text) for text in ("31", "2.50", "1e3", "", "n/a", "0x1F")]
    [31, 2.5, 1000.0, None, 'n/a', '0x1F']
    """
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        return text
    try:
        whole = int(text)
    except ValueError:
        return float(text)
    return whole if -(2**63) <= whole < 2**63 else float(text)


def read_text_properties(
    content: Content, source: str, names: Sequence[str], options: ReadingOptions, title: str | None = None
) -> dict[str, list[Any]]:
    """Read columns of a text whose first line names them, in the order of its rows.

    Parameters
    ----------
    title : str, optional
        The one of `names` that is read as it is written.

    Raises
    ------
    GraphFormatError, ParameterError
        A line is broken, or no column has one of the names.
    """
    import polars as pl

    blocks = Blocks(content.chunks, source)
    block = blocks.first(COMMENTS if options.comments is None else options.comments)
    layout = detect_layout(block, source, 1, options)
    blocks.push_back(block[layout.start :])
    at = [position_of(name, "a property", layout.first, layout.columns, source) for name in names]
    beside = Beside(kept=tuple(at))
    read = read_columns(blocks, replace(layout, beside=beside), source, "text").beside
    texts = {
        position: column.cast(pl.String) for position, column in zip(beside.positions, read, strict=True)
    }
    return {
        name: [text if name == title else value_of(text) for text in texts[position]]
        for name, position in zip(names, at, strict=True)
    }


def read_tabular_properties(
    content: Content, kind: Literal["parquet", "arrow"], source: str, names: Sequence[str]
) -> dict[str, list[Any]]:
    """Read columns of a Parquet or Arrow file; the file was read before, so it is whole."""
    from edgedp.graph.reading.formats.tabular import columns_of

    there, load, _ = columns_of(content, kind)
    picked = tuple(position_of(name, "a property", there, len(there), source) for name in names)
    columns = load(picked)
    try:
        return {name: column.to_pylist() for name, column in zip(names, columns, strict=True)}
    except (OverflowError, ValueError, KeyError):
        raise GraphFormatError(
            f"{source!r} holds a property that is a text without UTF-8, a time too far away or one of a zone that "
            "Python does not know; correct it"
        ) from None


def with_properties(graph: Graph, ids: pl.Series, properties: dict[str, list[Any]], source: str) -> Graph:
    """Return a graph with properties that stand in the order of the ids of a file.

    Raises
    ------
    GraphFormatError
        An id stands there twice: which of its values would hold?
    """
    import polars as pl

    if graph.node_ids.dtype.kind == "U":
        ids = ids.cast(pl.String)
    if len(ids) != graph.node_count or ids.n_unique() != graph.node_count:
        raise GraphFormatError(
            f"{source!r} holds an id twice, and properties are read; keep one row for each id"
        )
    order = np.searchsorted(graph.node_ids, ids.to_numpy().astype(graph.node_ids.dtype))
    ordered = {}
    for name, values in properties.items():
        column = np.empty(len(values), dtype=object)
        column[order] = np.fromiter(values, dtype=object, count=len(values))
        ordered[name] = _typed(column)
    return graph.with_properties(ordered)


def _typed(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return numbers of one type as an array of it; a value stays what it is."""
    kinds = {type(value) for value in column}
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in column):
        return column.astype(np.int64)
    return column.astype(np.float64) if kinds == {float} else column
