"""A column of dates beside the ends of edges: what its values are in seconds.

Dates are private, as the edges are: no message shows one but to the curator who loads the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.dated import UNDATED
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

_A_SECOND = {"ns": 1_000_000_000, "us": 1_000_000, "ms": 1000}
_MOST = 2.0**62
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_DECIMAL = r"^[+-]?[0-9]{1,15}\.[0-9]*$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_BEGINS = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"  # 01-02-2024 would be read as a time of the zone -20:24
_ZONED = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"


def dates_of(column: pl.Series, unit: str | None, name: str, source: str) -> pl.Series:
    """Return dates in whole seconds, rounded down, as Int64; null where a row has none.

    Parameters
    ----------
    column : polars.Series
        Integers, decimals, texts, or dates and times with a type.
    unit : {"s", "ms"} or None
        What numbers count; None reads dates as ISO 8601 writes them, and times without a zone as UTC.

    Raises
    ------
    GraphFormatError
        A value is no such date.
    """
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    kind = column.dtype
    if kind == pl.Null:
        return column.cast(pl.Int64)
    if kind == pl.Date or isinstance(kind, pl.Datetime):
        if unit is not None:
            raise ParameterError(
                f"date_unit is {unit!r}, and the column {name!r} holds dates; read it without this option"
            )
        # Of a type with a zone the number counts in UTC, too. No cast: of a moment too far away it ends the process.
        counted = column.to_physical().cast(pl.Int64)
        return counted // _A_SECOND[kind.time_unit] if isinstance(kind, pl.Datetime) else counted * 86_400
    if kind == pl.String:
        return _of_texts(column, unit, name, source)
    if unit is None:
        raise _without_unit(name, source)
    if kind.is_float() or kind.is_integer():
        column = column.fill_nan(None) if kind.is_float() else column
        if (column.cast(pl.Float64).abs() > _MOST).any():
            _refuse("a number too large for a date", unit, name, source)
        if kind.is_float():
            return (column / (1000.0 if unit == "ms" else 1.0)).floor().cast(pl.Int64)
        return column.cast(pl.Int64) // (1000 if unit == "ms" else 1)
    raise GraphFormatError(f"column {name!r} of {source!r} is of type {kind}, must hold dates; convert it")


def _of_texts(column: pl.Series, unit: str | None, name: str, source: str) -> pl.Series:
    import polars as pl

    texts = column.str.strip_chars(" \t")
    there = texts.is_not_null() & (texts != "")
    if unit is None:
        return _of_iso(texts, there, name, source)
    if (texts.filter(there).str.contains(_WHOLE)).all():
        numbers = texts.set(~there, None).str.strip_prefix("+").cast(pl.Int64)
        return numbers // (1000 if unit == "ms" else 1)
    odd = texts.filter(there & ~texts.str.contains(_WHOLE) & ~texts.str.contains(_DECIMAL))
    if len(odd):
        _refuse(repr(shortened(odd[0], 30)), unit, name, source)
    decimals = texts.set(~there, None).str.strip_prefix("+").cast(pl.Float64)
    return (decimals / (1000.0 if unit == "ms" else 1.0)).floor().cast(pl.Int64)


def _of_iso(texts: pl.Series, there: pl.Series, name: str, source: str) -> pl.Series:
    import polars as pl

    if texts.filter(there).str.contains(_WHOLE).any() or texts.filter(there).str.contains(_DECIMAL).any():
        raise _without_unit(name, source)
    dated = texts.set(~there | ~texts.str.contains(_BEGINS), None)
    days = dated.str.contains(_DAY)
    whole = pl.select(
        pl.when(days.fill_null(value=False))
        .then(dated + "T00:00:00Z")
        .when(dated.str.contains(_ZONED).fill_null(value=False))
        .then(dated.str.replace(" ", "T"))
        .otherwise(dated.str.replace(" ", "T") + "Z")
    ).to_series()
    moments = whole.str.to_datetime(time_unit="us", time_zone="UTC", strict=False)
    odd = texts.filter(there & moments.is_null())
    if len(odd):
        _refuse(repr(shortened(odd[0], 30)), None, name, source)
    return moments.dt.replace_time_zone(None).to_physical() // 1_000_000


def seconds_of(column: pl.Series) -> NDArray[np.int64]:
    """Return seconds as an array, `UNDATED` for what is missing."""
    found: NDArray[np.int64] = column.fill_null(UNDATED).to_numpy().astype(np.int64)
    return found


def _without_unit(name: str, source: str) -> ParameterError:
    return ParameterError(
        f"the dates of {source!r}, in column {name!r}, are numbers; say what they count since 1970, seconds "
        f"({option('date_unit', 's')}) or milliseconds ({option('date_unit', 'ms')})"
    )


def _refuse(value: str, unit: str | None, name: str, source: str) -> NoReturn:
    what: Any = {
        "s": "numbers of seconds",
        "ms": "numbers of milliseconds",
        None: "dates such as 2024-06-30",
    }[unit]
    raise GraphFormatError(
        f"column {name!r} of {source!r} holds {value}, must hold {what}; a text is not a date: correct the file, or "
        "name another column"
    )
