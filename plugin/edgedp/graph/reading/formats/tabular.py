"""Columns with types: Parquet, Arrow and data frames."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from edgedp.graph.columns import Column
from edgedp.graph.reading.beside import beside_of, named_ends
from edgedp.graph.reading.dates import dates_of
from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.text.deciding import ROWS, choose_named
from edgedp.graph.reading.text.judging import Seen, judge_ids
from edgedp.graph.reading.text.result import Read, ids_told
from edgedp.graph.reading.text.table import integers_of
from edgedp.graph.reading.weighing import weights_apart
from edgedp.graph.typed import typed as typed_column
from edgedp.words.containers import is_list
from edgedp.words.errors import EdgeDPError, GraphFormatError, ParameterError
from edgedp.words.shown import kind_of, shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

_EXACT = 2**53  # beyond, a float is not the one integer that it was

__all__ = ["arrow_of", "columns_of", "ids_of", "is_frame", "one_type", "read_frame", "read_tabular"]


def read_tabular(
    content: Content, kind: Literal["parquet", "arrow"], source: str, width: int, options: ReadingOptions
) -> Read:
    """Read the columns of the ends (or the first one, of nodes) of a Parquet or Arrow file; the others stay unread."""
    import pyarrow as pa

    name = "Parquet" if kind == "parquet" else "Arrow"
    refused = options.given("header", "separator", "comments")
    if refused:
        raise ParameterError(f"{refused} is not an option of a {name} file; read it without this option")
    try:
        names, load, head = columns_of(content, kind)
        rows = _rows(head())
        picked = choose_named(names, width, named_ends(options, names, width, source), source, lambda: rows)
        columns = load(picked)
        dates, kept = _beside(names, load, picked, options, source)
    except EdgeDPError:
        raise
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        if content.anywhere is not None and type(error) is OSError and "AWS Error" in str(error):
            raise GraphFormatError(
                f"{source!r} cannot be reached, or broke off; check the network and load it again"
            ) from None
        raise GraphFormatError(
            f"{source!r} is a broken {name} file, or one of an unknown kind; write it again"
        ) from None
    words = (name, *((content.compression,) if content.compression else ()))
    read = _read(columns, names, picked, words, source, options)
    read = replace(read, rows=tuple(map(tuple, rows)), dates=dates, kept=kept)
    judge_ids(read.columns, Seen(source, picked, read.header, read.rows), options)
    return read


def _beside(
    names: list[str], load: Any, picked: tuple[int, ...], options: ReadingOptions, source: str
) -> tuple[pl.Series | None, dict[str, Column] | None]:
    """Return the dates of all rows, and the columns that are kept of them."""
    import polars as pl

    beside = beside_of(options, names, picked, len(names), source)
    if not beside.positions:
        return None, {} if options.beside is not None else None
    there = beside.positions
    found = {
        at: pl.Series(values=pl.from_arrow(column)) for at, column in zip(there, load(there), strict=True)
    }
    dates = None
    if beside.date is not None:
        dates = dates_of(found[beside.date], options.date_unit, names[beside.date], source)
    if options.beside is None:
        return dates, None
    return dates, {names[at]: typed_column(found[at], names[at], source) for at in beside.kept}


def columns_of(content: Content, kind: Literal["parquet", "arrow"]) -> tuple[list[str], Any, Any]:
    """Return the names of all columns, what loads some of them by position, and what loads the first rows of all."""
    return (_parquet if kind == "parquet" else _arrow)(content)


def _parquet(content: Content) -> tuple[list[str], Any, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    where = str(content.plain) if content.plain is not None else content.anywhere
    where = pa.BufferReader(content.whole()) if where is None else where
    file = pq.ParquetFile(where)
    names = file.schema_arrow.names

    def load(picked: tuple[int, ...]) -> list[Any]:
        if len(set(names)) < len(names):
            raise GraphFormatError("two columns have the same name; rename one")
        table = file.read(columns=[names[i] for i in picked])
        return [table.column(names[i]) for i in picked]

    def head() -> list[Any]:
        batch = next(file.iter_batches(batch_size=ROWS), None)
        return [] if batch is None else batch.columns

    return names, load, head


def _arrow(content: Content) -> tuple[list[str], Any, Any]:
    import pyarrow as pa

    stream = not content.head.startswith(b"ARROW1")
    if content.plain is not None and not stream:
        file: Any = pa.ipc.open_file(pa.memory_map(str(content.plain)))
    else:
        buffer = pa.BufferReader(content.whole())
        file = pa.ipc.open_stream(buffer) if stream else pa.ipc.open_file(buffer)
    table = file.read_all()
    return table.schema.names, lambda picked: [table.column(i) for i in picked], lambda: table.columns


# -- frames -----------------------------------------------------------------------------------------


def is_frame(value: object) -> bool:
    """Whether a value is a data frame of any library, or an Arrow table."""
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__dataframe__")


def arrow_of(frame: Any, what: str = "frame") -> Any:
    """Return a data frame as a pyarrow table, by the Arrow C stream or the interchange protocol."""
    import pyarrow as pa

    try:
        names = [name for name in getattr(frame, "columns", ()) if isinstance(name, (str, int))]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise GraphFormatError(
                f"{what} has two columns named {shortened(twice)!r}, must have one; rename one"
            )
        if hasattr(frame, "__arrow_c_stream__"):
            table = pa.table(frame)
        elif hasattr(frame, "__dataframe__"):
            from pyarrow.interchange import from_dataframe

            table = from_dataframe(frame)
        elif isinstance(frame, dict):
            for column in frame.values():
                if not is_list(column):
                    raise GraphFormatError(
                        f"a column of {what} is {kind_of(column)}, must be a list or an array with one id in each row; "
                        "from pandas give the frame itself, or frame.to_dict('list')"
                    )
            table = pa.table(frame)
        else:
            raise ParameterError(
                f"{what} is {kind_of(frame)}, must be a data frame (pandas, polars, pyarrow) or a dict of columns; "
                "convert it"
            )
    except EdgeDPError:
        raise
    except Exception as error:  # whatever a foreign frame raises, its text may hold its rows
        raise GraphFormatError(
            f"{what} is {kind_of(frame)} that does not give its columns ({type(error).__name__}); "
            "convert each to all integers or all texts"
        ) from None
    if not isinstance(table, pa.Table):
        raise GraphFormatError(f"{what} is {kind_of(frame)}, must have columns; give a data frame of edges")
    return table


def read_frame(
    frame: Any,
    source: Any = None,
    target: Any = None,
    date: Any = None,
    date_unit: Any = None,
    columns: Any = None,
    weight: Any = None,
) -> Read:
    """Read the two columns of a data frame, those of dates and weights where named, and those that are kept."""
    options = checked_options(
        source=source, target=target, date=date, date_unit=date_unit, columns=columns, weight=weight
    )
    table = arrow_of(frame)
    names = table.schema.names

    def load(places: tuple[int, ...]) -> list[Any]:
        return [table.column(i) for i in places]

    asked = named_ends(options, names, 2, "frame")
    picked = choose_named(names, 2, asked, "frame", lambda: _rows(table.columns), two=True)
    dates, kept = _beside(names, load, picked, options, "frame")
    read = replace(_read(load(picked), names, picked, ("frame",), "frame", options), dates=dates, kept=kept)
    return weights_apart(read, options)


def _read(
    columns: list[Any],
    names: list[str],
    picked: tuple[int, ...],
    words: tuple[str, ...],
    source: str,
    options: ReadingOptions,
) -> Read:
    import pyarrow as pa

    ids = [ids_of(column, names[i], source) for column, i in zip(columns, picked, strict=True)]
    ids = one_type(ids, options.ids, source)
    floats = any(pa.types.is_floating(column.type) for column in columns)
    if not len(ids[0]):
        raise GraphFormatError(f"{source!r} holds no row; check the file")
    kind = "integer ids" if ids[0].dtype.is_integer() else "text ids"
    return Read(
        columns=ids,
        format=(*words, kind),
        extra_columns=len(names)
        - len(picked)
        - len(beside_of(options, names, picked, len(names), source).positions),
        header=tuple(names),
        ids=ids_told(ids, options.ids) + (", written as floats such as 1.0" if floats else ""),
        picked=picked,
        types=tuple(str(column.type) for column in columns),
    )


def _rows(columns: list[Any]) -> list[list[str]]:
    """Return the first rows of a table as texts."""
    shown = [[str(value) for value in column[:ROWS].to_pylist()] for column in columns]
    return [list(row) for row in zip(*shown, strict=True)]


def ids_of(column: Any, name: str, source: str) -> pl.Series:
    """Return a column of Arrow as Int64 or String; another type, a missing or an empty id is refused."""
    import polars as pl
    import pyarrow as pa

    told = f"column {shortened(name, 30)!r} of {source!r}"
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if column.null_count:
        raise GraphFormatError(f"{told} holds {column.null_count} missing values; drop those rows")
    if pa.types.is_integer(kind):
        series = pl.Series(values=pl.from_arrow(column))
        if kind == pa.uint64() and len(series) and int(series.cast(pl.UInt64).max()) >= 2**63:  # type: ignore[arg-type]
            raise GraphFormatError(
                f"{told} holds an id beyond 64 bits, must fit int64; give such ids as texts"
            )
        return series.cast(pl.Int64)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        series = pl.Series(values=pl.from_arrow(column)).cast(pl.String)
        if series.null_count():
            raise GraphFormatError(f"{told} holds missing values; drop those rows")
        if (series == "").any() or series.str.contains("\0", literal=True).any():
            raise GraphFormatError(f"{told} holds an empty id or one with a NUL; drop those rows")
        return series
    if pa.types.is_floating(kind):
        floats = pl.Series(values=pl.from_arrow(column)).cast(pl.Float64)
        if (floats.is_finite() & (floats.abs() < _EXACT) & (floats.round() == floats)).all():
            return floats.cast(pl.Int64)
    raise GraphFormatError(
        f"{told} is of type {shortened(kind, 30)}, must be all integers or all texts; convert the column"
    )


def one_type(columns: list[pl.Series], asked: str | None, source: str) -> list[pl.Series]:
    """Hold both columns to one type; nothing is turned into the other but what was asked for."""
    import polars as pl

    if asked == "text":
        return [column.cast(pl.String) for column in columns]
    texts = [column for column in columns if column.dtype == pl.String]
    if asked == "integer" and texts:
        integers = integers_of([column.cast(pl.String) for column in columns], anyhow=True)
        if integers is None:
            raise GraphFormatError(
                f"{source!r} holds an id that is not an integer of 64 bits; "
                f"read the ids as texts ({option('ids', 'text')})"
            )
        return integers
    if texts and len(texts) < len(columns):
        raise GraphFormatError(
            f"{source!r} has a column of integers and one of texts, must have ends of one type; "
            f"say which ({option('ids', 'text')}), or convert a column"
        )
    return columns
