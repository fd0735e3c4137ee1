"""Windows of rows that Spark reads: a condition on the column of dates, by which it leaves out whole partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from edgedp.words.errors import GraphFormatError, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from edgedp.graph.reading.options import Column as Named
    from edgedp.words.dates.calendar import Span

NEEDS_NODES = (
    "windows of an address that Spark reads need the list of all nodes (nodes): which of them have an edge in a window "
    "is private"
)
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_MOMENTS = ("date", "timestamp", "timestamp_ntz")


def date_column(columns: Sequence[str], date: Named) -> str:
    """Return the name of the column of dates, which was given so or by its number from 1.

    Raises
    ------
    GraphFormatError

    Examples
    --------
    >>> date_column(["payer", "payee", "at"], 3)
    'at'
    """
    if isinstance(date, int) and date <= len(columns):
        return columns[date - 1]
    if list(columns).count(str(date)) == 1:
        return str(date)
    raise GraphFormatError(
        f"date is {date!r}, must be one of the columns {', '.join(columns)} or its number; name it"
    )


def check_dated(frame: DataFrame, date: Named, unit: str | None, *, listed: bool) -> None:
    """Refuse a column that holds no dates that Spark can compare, and rows without a list of all nodes.

    Parameters
    ----------
    listed : bool
        Whether all nodes are given.

    Raises
    ------
    EdgeDPError
        By the type of the column; no row is read.
    """
    if not listed:
        raise ParameterError(NEEDS_NODES)
    _bounds(frame, date_column(frame.columns, date), unit, 0, 0)


def within(frame: DataFrame, date: Named | None, unit: str | None, span: Span) -> DataFrame:
    """Return the rows whose date is in some windows; one without a date is in none.

    Raises
    ------
    EdgeDPError
        As of `check_dated`.
    """
    if date is None:
        raise GraphFormatError("the rows have no dates; register the address with their column (date)")
    name = date_column(frame.columns, date)
    first, last = (
        int(moment.timestamp())
        for moment in (span.calendar.begins(span.first), span.calendar.ends(span.last))
    )
    column, begins, ends = _bounds(frame, name, unit, first, last)
    return frame.where((column >= begins) & (column < ends))


def _bounds(frame: DataFrame, name: str, unit: str | None, first: int, last: int) -> tuple[Column, Any, Any]:
    """Return the column, and two moments, in seconds since 1970 in UTC, as it compares with them.

    A column of its own type is compared as it is: a condition on what is computed from it would read every partition.
    """
    from pyspark.sql import functions as sf

    column = sf.col("`" + name.replace("`", "``") + "`")
    kind = dict(frame.dtypes)[name]
    if kind == "string" and unit is not None:
        column, kind = column.try_cast("double"), "double"
    if kind in _MOMENTS:
        # Whole days of a window begin at midnight in UTC, whatever the session's time zone is.
        moments = (sf.timestamp_seconds(sf.lit(each)) for each in (first, last))
        match kind:
            case "timestamp":
                begins, ends = moments
            case "timestamp_ntz":
                begins, ends = (_written(each, "timestamp_ntz") for each in (first, last))
            case _:
                begins, ends = (_written(each, "date") for each in (first, last))
        return column, begins, ends
    if unit is not None and (kind in _NUMBERS or kind.startswith("decimal")):
        scale = 1000 if unit == "ms" else 1
        return column, first * scale, last * scale
    what = "numbers of a unit (date_unit)" if unit is None else "numbers"
    raise GraphFormatError(
        f"date is {name!r}, a column of type {kind}, must be DATE, TIMESTAMP or {what} where Spark reads; write the "
        "dates so, or leave the engine out"
    )


def _written(seconds: int, kind: str) -> Column:
    """Return a moment in UTC as a literal of a type that has no zone."""
    from datetime import UTC, datetime

    from pyspark.sql import functions as sf

    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return sf.lit(text[:10] if kind == "date" else text).cast(kind)
