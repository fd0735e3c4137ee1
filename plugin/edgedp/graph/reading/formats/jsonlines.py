"""JSON lines: an object a line, its keys the names of columns; read block by block by pyarrow, which mixes no types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from edgedp.graph import typed as values
from edgedp.graph.reading.dates import dates_of
from edgedp.graph.reading.formats.choosing import chosen, refuse_given
from edgedp.graph.reading.formats.tabular import ids_of
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.series import joined, narrowed
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.text.lines import Blocks, data_lines, first_lines, refuse_line
from edgedp.graph.reading.text.question import ROWS
from edgedp.graph.reading.text.result import Read
from edgedp.words.amounts.written import distinct_keys
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    import polars as pl

    from edgedp.graph.columns import Column

SAMPLE = 1000
_EXACT = 2**53  # beyond, an integer among decimals is not the float that it is read as
_TYPES = {int: "an integer", str: "a text", float: "a number"}


def read_json_lines(content: Content, source: str, width: int, options: ReadingOptions) -> Read:
    """Read the columns of the ends (or the first one, of nodes); keys may come in any order.

    Raises
    ------
    GraphFormatError
        A line is no object, lacks a key, or holds a value of another type than the first line; its number is named.
    """
    import polars as pl

    refuse_given(options, "JSON lines", width=width)
    blocks = Blocks(content.chunks, source)
    first = next(blocks, b"")
    sample = [_object(raw, number, source) for number, _, raw in first_lines(first, (), SAMPLE)]
    keys = list(dict.fromkeys(name for row in sample for name in row))
    nested = {name for row in sample for name, value in row.items() if isinstance(value, (dict, list))}
    names = [name for name in keys if name not in nested]
    rows = tuple(tuple(_written(row.get(name)) for name in names) for row in sample[:ROWS])
    of = chosen(names, width, options, source, lambda: rows)
    ends = [names[i] for i in of.picked]
    kinds = [_kind_of([row.get(end) for row in sample], end, source) for end in ends]
    blocks.push_back(first)
    wanted = dict(zip(ends, kinds, strict=True))
    date = None if of.beside.date is None else names[of.beside.date]
    kept: dict[str, list[Column]] = {names[at]: [] for at in of.beside.kept}
    if date is not None:
        dated = [row[date] for row in sample if row.get(date) is not None]
        wanted |= {date: _kind_of(dated or [""], date, source)}
    parts: list[list[pl.Series]] = []
    dates: list[pl.Series] = []
    number = 1
    for block in blocks:
        columns = _columns(block, wanted, number, source, date)
        if date is not None:
            moments = pl.Series(values=pl.from_arrow(columns.pop()))
            dates.append(dates_of(moments, options.date_unit, date, source))
        ids = [ids_of(column, end, source) for column, end in zip(columns, ends, strict=True)]
        parts.append([narrowed(column) for column in ids])
        for name, pieces in kept.items():
            pieces.append(_kept(block, name, sample, number, source))
        number = blocks.line_count + 1
    return of.read(
        [joined([part[side] for part in parts]) for side in range(width)],
        ("JSON lines", *content.packed),
        floats=float in kinds,
        line_count=blocks.line_count,
        extra_columns=len(keys) - len(of.taken),
        first_number=1,
        types=tuple(_TYPES[kind] for kind in kinds),
        rows=rows,
        dates=pl.concat(dates) if dates else None,
        kept=None
        if options.beside is None
        else {name: values.joined(pieces) for name, pieces in kept.items()},
    )


def _kept(block: bytes, name: str, sample: list[dict[str, Any]], number: int, source: str) -> Column:
    """Return a column that is kept of a block of whole lines, each value as it is; texts of dates are moments."""
    import polars as pl

    kinds = {type(row[name]) for row in sample if row.get(name) is not None}
    kind = float if kinds == {int, float} else next(iter(kinds)) if len(kinds) == 1 else None
    if kind in (int, str, float, bool) and (table := _parsed(block, {name: kind})) is not None:
        read = pl.Series(values=pl.from_arrow(table.column(name)))
        exact = kind is not float or not (read.abs() >= _EXACT).any()
        if exact and len(read) == block.count(b"\n"):
            return values.each_by_value(read)
    return values.of_objects(
        [_object(raw, at, source).get(name) for at, _, raw in data_lines(block, (), 0, number)]
    )


def _columns(block: bytes, wanted: dict[str, type], number: int, source: str, date: str | None) -> list[Any]:
    """Return columns of Arrow of whole lines; a value of another type is never turned into the one that is wanted.

    The dates may lack, and no other column.
    """
    table = _parsed(block, wanted)
    columns = [] if table is None else [table.column(name) for name in wanted]
    ends = [column for column, name in zip(columns, wanted, strict=False) if name != date]
    if not ends or any(column.null_count for column in ends) or table.num_rows != block.count(b"\n"):
        _refuse_a_line(block, wanted, number, source, date, broken=table is None)
    return columns


def _parsed(block: bytes, wanted: dict[str, type]) -> Any:
    """Let pyarrow parse whole lines; None where a value is of another type."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    types = {int: pa.int64(), str: pa.string(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, kind in wanted.items()])
    try:
        table = arrow_json.read_json(
            pa.BufferReader(block),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
        table.validate(full=True)  # texts that are not UTF-8
    except (pa.ArrowException, ValueError):
        return None
    return table


def _refuse_a_line(
    block: bytes, wanted: dict[str, type], number: int, source: str, date: str | None, *, broken: bool
) -> None:
    """Name the line that is broken, also where only pyarrow says that one is; blank lines are none."""
    for at, _, raw in data_lines(block, (), 0, number):
        row = _object(raw, at, source)
        for name, kind in wanted.items():
            value = row.get(name)
            if name == date and value is None:
                continue
            if type(value) is not kind and not (kind is float and type(value) is int):
                refuse_line(
                    raw, at, source, f"must hold {_TYPES[kind]} as {shortened(name, 30)!r}, as line 1 does"
                )
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                refuse_line(raw, at, source, "must hold integers of 64 bits", "write such ids as texts")
        if broken and _parsed(raw + b"\n", wanted) is None:
            refuse_line(raw, at, source, "must hold only whole characters, and numbers below 10^308")


def _object(raw: bytes, number: int, source: str) -> dict[str, Any]:
    try:
        row = json.loads(raw, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError):
        refuse_line(raw, number, source, "must be one object of JSON whose keys all differ")
    if not isinstance(row, dict):
        refuse_line(raw, number, source, "must be one object of JSON whose keys all differ")
    return row


def _kind_of(values: list[Any], name: str, source: str) -> type:
    kind = type(values[0])
    if kind is int and any(type(value) is float for value in values):
        kind = float
    if kind not in _TYPES:
        _refuse_kind(name, kind, source)
    return kind


def _refuse_kind(name: str, kind: type, source: str) -> NoReturn:
    what = "missing" if kind is type(None) else "a truth value"
    raise GraphFormatError(
        f"{shortened(name, 30)!r} of {source!r} is {what} in line 1, must be an integer or a text; "
        "choose another column"
    )


def _written(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
