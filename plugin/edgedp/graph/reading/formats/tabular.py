"""Columns with types: Parquet, Arrow and data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from edgedp.graph.arrows import is_text, series_of, shown_values
from edgedp.graph.reading.beside import weights_apart
from edgedp.graph.reading.formats.choosing import Chosen, chosen, refuse_given
from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.sources.buckets import is_of_service
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.text.question import ROWS
from edgedp.graph.reading.text.result import Read
from edgedp.words.containers import is_list
from edgedp.words.errors import EdgeDPError, GraphFormatError, ParameterError
from edgedp.words.shown import kind_of, shortened

if TYPE_CHECKING:
    import polars as pl

_EXACT = {16: 2**11, 32: 2**24, 64: 2**53}
"""By its bits: beyond, a float is not the one integer that it was."""


def read_tabular(
    content: Content, kind: Literal["parquet", "arrow"], source: str, width: int, options: ReadingOptions
) -> Read:
    """Read the columns of the ends (or the first one, of nodes) of a Parquet or Arrow file; the others stay unread."""
    import pyarrow as pa

    name = "Parquet" if kind == "parquet" else "Arrow"
    refuse_given(options, "a Parquet file" if kind == "parquet" else "an Arrow file", width=width)
    try:
        names, load, head = columns_of(content, kind)
        rows = _rows(head())
        of = chosen(names, width, options, source, lambda: rows)
        return _read(of, load(of.taken), (name, *content.packed), rows=tuple(map(tuple, rows)))
    except EdgeDPError:
        raise
    except (pa.ArrowException, OSError, ValueError, NotImplementedError) as error:
        if is_of_service(error):
            raise  # whoever opened the object says it in one sentence
        raise GraphFormatError(
            f"{source!r} is a broken {name} file, or one of an unknown kind; write it again"
        ) from None


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
            table = _without_index(pa.table(frame), names)
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
                "convert it, one of Spark by toPandas()"
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


def _without_index(table: Any, names: list[Any]) -> Any:
    """Return a table without the numbers of rows that pandas sends along where rows were left out or sorted."""
    numbers = [each for each in table.schema.names if each.startswith("__index_level_") and each not in names]
    return table.drop_columns(numbers) if numbers and names else table


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
    of = chosen(table.schema.names, 2, options, "frame", lambda: _rows(table.columns), two=True)
    return weights_apart(_read(of, [table.column(i) for i in of.taken], ("frame",)), options)


def _read(of: Chosen, columns: list[Any], words: Sequence[str], **found: Any) -> Read:
    """Return what was read of the columns that were chosen, in their order."""
    import pyarrow as pa

    ends, beside = columns[: len(of.picked)], columns[len(of.picked) :]
    dates, kept = of.of_types(
        {
            at: series_of(column, of.names[at], of.source)
            for at, column in zip(of.beside.positions, beside, strict=True)
        }
    )
    ids = [ids_of(column, of.names[i], of.source) for column, i in zip(ends, of.picked, strict=True)]
    return of.read(
        ids,
        words,
        floats=any(pa.types.is_floating(column.type) for column in ends),
        types=tuple(str(column.type) for column in ends),
        dates=dates,
        kept=kept,
        **found,
    )


def _rows(columns: list[Any]) -> list[list[str]]:
    """Return the first rows of a table as texts."""
    shown = (map(str, shown_values(column[:ROWS])) for column in columns)
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
        series = series_of(column, name, source)
        if series.null_count():
            raise GraphFormatError(f"{told} holds missing values; drop those rows")
        if kind == pa.uint64() and len(series) and int(series.cast(pl.UInt64).max()) >= 2**63:  # type: ignore[arg-type]
            raise GraphFormatError(
                f"{told} holds an id beyond 64 bits, must fit int64; give such ids as texts"
            )
        return series.cast(pl.Int64)
    if is_text(kind):
        series = series_of(column, name, source).cast(pl.String)
        if series.null_count():
            raise GraphFormatError(f"{told} holds missing values; drop those rows")
        if (series == "").any() or series.str.contains("\0", literal=True).any():
            raise GraphFormatError(f"{told} holds an empty id or one with a NUL; drop those rows")
        return series
    if pa.types.is_floating(kind):
        floats = series_of(column, name, source).cast(pl.Float64)
        if floats.null_count():
            raise GraphFormatError(f"{told} holds missing values; drop those rows")
        exact = _EXACT[kind.bit_width]
        if (floats.is_finite() & (floats.abs() < exact) & (floats.round() == floats)).all():
            return floats.cast(pl.Int64)
    raise GraphFormatError(
        f"{told} is of type {shortened(kind, 30)}, must be all integers or all texts; convert the column"
    )
