"""Columns made of what sources hold: of values with a type of their own, of texts and of JSON value by value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.arrows import series_of
from edgedp.graph.columns import BY_VALUE, VALUE_TYPES, Column, ColumnRows, ValueType
from edgedp.graph.dated import wraps
from edgedp.graph.ids import number_of
from edgedp.words.containers import is_list
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import kind_of, shortened

if TYPE_CHECKING:
    import polars as pl

_WHOLE = r"^[+-]?[0-9]{1,19}$"
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_NO_NUMBER = {"NaN": math.nan, "nan": math.nan} | {
    sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in ("inf", "Infinity")
}
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$"
)
_ZONED = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_A_MICROSECOND = {"ns": (1, 1000), "us": (1, 1), "ms": (1000, 1)}


def typed(column: pl.Series, name: str, source: str) -> Column:
    """Return a column that has a type of its own.

    Integers of 64 bits without a sign that are too large, and decimals with a fraction, are the floats that are next
    to them; decimals of scale 0 are integers.

    Raises
    ------
    GraphFormatError
        It is of a type that nothing is compared with.
    """
    import polars as pl

    kind = column.dtype
    if kind in (pl.Categorical, pl.Enum):
        column, kind = column.cast(pl.String), pl.String()
    if kind == pl.Null:
        return Column("TEXT", {"TEXT": column.cast(pl.String)})
    if kind == pl.Boolean:
        return Column("BOOLEAN", {"BOOLEAN": column})
    if kind == pl.String:
        return Column("TEXT", {"TEXT": column})
    if kind.is_float():
        return Column("FLOAT", {"FLOAT": column.cast(pl.Float64)})
    if isinstance(kind, pl.Decimal | pl.UInt64 | pl.Int128):
        if isinstance(kind, pl.Decimal) and kind.scale:
            return Column("FLOAT", {"FLOAT": column.cast(pl.Float64)})
        whole = column.cast(pl.Int64, strict=False)
        larger = column.cast(pl.Float64).set(whole.is_not_null(), None)
        return Column("INTEGER", _there("FLOAT", larger) | {"INTEGER": whole})
    if kind.is_integer():
        return Column("INTEGER", {"INTEGER": column.cast(pl.Int64)})
    if kind == pl.Date:
        return Column(
            "MOMENT", {"MOMENT": _microseconds(column.to_physical().cast(pl.Int64), 86_400_000_000)}
        )
    if isinstance(kind, pl.Datetime):
        times, over = _A_MICROSECOND[kind.time_unit]
        return Column("MOMENT", {"MOMENT": _microseconds(column.to_physical().cast(pl.Int64) // over, times)})
    raise GraphFormatError(
        f"column {shortened(name, 30)!r} of {source!r} is of type {shortened(str(kind), 30)}, must hold numbers, "
        "texts, truth values, dates or times to be kept; convert it"
    )


def columns_given(columns: Mapping[str, Any], ends: NDArray[np.int32]) -> ColumnRows:
    """Return columns that were given as values beside pairs of ids.

    Raises
    ------
    GraphFormatError
        One has not one value for each pair, or values of several types, or of none that is compared.

    Examples
    --------
    >>> columns_given({"amount": [1, None]}, np.zeros((2, 2), dtype=np.int32)).types
    {'amount': 'INTEGER'}
    """
    import polars as pl

    if not isinstance(columns, Mapping):
        raise GraphFormatError(
            f"columns is {kind_of(columns)}, must hold one value for each pair by name; give a mapping"
        )
    found: dict[str, Column] = {}
    for name, values in columns.items():
        if not isinstance(values, Column):
            try:
                series = _series(values, str(name))
            except GraphFormatError:
                raise
            except (TypeError, ValueError, OverflowError, RuntimeError, pl.exceptions.PolarsError):
                raise GraphFormatError(
                    f"column {shortened(str(name), 30)!r} is {kind_of(values)}, must hold values of one type; "
                    "convert it"
                ) from None
            values = typed(series, str(name), "columns")
        counts = {len(part) for part in values.parts.values()}
        if counts != {len(ends)} or not isinstance(name, str) or not name:
            raise GraphFormatError(
                f"column {shortened(str(name), 30)!r} must have a name, and one value for each of {len(ends)} edges"
            )
        found[name] = values
    return ColumnRows(ends, found)


def _series(values: Any, name: str) -> pl.Series:
    """Return values as a series; polars makes 1 of a truth value among numbers, and wraps far times of others round."""
    import polars as pl
    import pyarrow as pa

    if not is_list(values):
        raise TypeError
    if isinstance(values, (list, tuple)):
        kinds = set(map(type, values)) - {type(None)}
        if kinds & {bool, np.bool_} and kinds - {bool, np.bool_}:
            raise TypeError
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        moments = np.where(np.ma.getmaskarray(values), np.datetime64("NaT"), np.ma.getdata(values))
        if wraps(moments):
            raise GraphFormatError(f"column {shortened(name, 30)!r} holds a time too far away; correct it")
        coarse = np.datetime_data(moments.dtype)[0] in "YMWDhm"
        values = pa.array(moments.astype("datetime64[s]") if coarse else moments)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return series_of(values, name, "columns")
    return pl.Series(values=values)


def _microseconds(column: pl.Series, times: int) -> pl.Series:
    """Return moments in microseconds; one that 64 bits do not hold is as far away as they reach."""
    most = (2**63 - 1) // times
    return column.clip(-most, most) * times


def by_value(column: pl.Series, *, numbers: bool = True) -> Column:
    """Return a column of texts, or integers, whose every value is taken by itself, as it is written.

    Parameters
    ----------
    column : polars.Series
        String, or integers that were written as integers; null or empty is missing.
    numbers : bool
        Whether a text that is written as a number, or as true or false, is one; in JSON it is a text.

    Examples
    --------
    >>> import polars as pl
    >>> sorted(by_value(pl.Series(["7", "7.5", "2024-01-01", "x", ""])).parts)
    ['FLOAT', 'INTEGER', 'MOMENT', 'TEXT']
    """
    import polars as pl

    if column.dtype.is_integer():
        return Column(BY_VALUE, {"INTEGER": column.cast(pl.Int64)})
    parts: dict[ValueType, pl.Series] = {}
    rest = column
    if numbers:
        rest = rest.set((rest == "").fill_null(value=False), None)
        whole = rest.set(~rest.str.contains(_WHOLE).fill_null(value=False), None)
        integers = whole.str.strip_prefix("+").cast(pl.Int64, strict=False)
        parts |= _there("INTEGER", integers)
        rest = rest.set(integers.is_not_null(), None)
        words = rest.is_in(list(_NO_NUMBER)).fill_null(value=False)
        written = rest.set(~rest.str.contains(_NUMBER).fill_null(value=False), None)
        floats = written.str.strip_prefix("+").cast(pl.Float64, strict=False)
        if words.any():
            named = rest.set(~words, None).replace_strict(_NO_NUMBER, default=None, return_dtype=pl.Float64)
            floats = floats.zip_with(~words, named)
        parts |= _there("FLOAT", floats)
        rest = rest.set(floats.is_not_null(), None)
        truth = rest.replace_strict(
            {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False},
            default=None, return_dtype=pl.Boolean,
        )  # fmt: skip
        parts |= _there("BOOLEAN", truth)
        rest = rest.set(truth.is_not_null(), None)
    moments = _moments(rest)
    parts |= _there("MOMENT", moments)
    parts |= _there("TEXT", rest.set(moments.is_not_null(), None))
    return Column(BY_VALUE, parts or {"TEXT": rest})


def each_by_value(column: pl.Series) -> Column:
    """Return values of JSON that all have one type; a text that is written as a date is a moment."""
    import polars as pl

    if column.dtype == pl.String:
        return by_value(column, numbers=False)
    kind: ValueType = (
        "BOOLEAN" if column.dtype == pl.Boolean else "FLOAT" if column.dtype.is_float() else "INTEGER"
    )
    return Column(BY_VALUE, {kind: column})


def of_objects(found: list[Any]) -> Column:
    """Return values of JSON of any types; what is neither a number, a text nor a truth value is missing.

    Examples
    --------
    >>> sorted(of_objects([1, 2.5, "a", True, None, {}]).parts)
    ['BOOLEAN', 'FLOAT', 'INTEGER', 'TEXT']
    """
    import polars as pl

    def those(kind: Any, dtype: Any) -> pl.Series:
        return pl.Series(values=[kind(each) for each in found], dtype=dtype, strict=False)

    def whole(each: Any) -> int | None:
        return each if type(each) is int and -(2**63) <= each < 2**63 else None

    def decimal(each: Any) -> float | None:
        if type(each) is int and whole(each) is None:
            return number_of(each)
        return each if type(each) is float else None

    parts = _there("INTEGER", those(whole, pl.Int64)) | _there("FLOAT", those(decimal, pl.Float64))
    parts |= _there("BOOLEAN", those(lambda each: each if type(each) is bool else None, pl.Boolean))
    texts = by_value(those(lambda each: each if type(each) is str else None, pl.String), numbers=False)
    return Column(BY_VALUE, parts | {kind: part for kind, part in texts.parts.items() if kind not in parts})


def _moments(texts: pl.Series) -> pl.Series:
    """Return the microseconds of texts that are dates or times as ISO 8601 writes them; null of every other."""
    import polars as pl

    days = texts.str.contains(_DAY).fill_null(value=False)
    times = texts.str.contains(_TIME).fill_null(value=False)
    if not (days.any() or times.any()):
        return pl.Series(values=[None], dtype=pl.Int64).new_from_index(0, len(texts))
    zoned = texts.str.contains(_ZONED).fill_null(value=False) & times
    short = r"^(.{10}) "
    whole = pl.select(
        pl.when(days).then(texts + "T00:00:00Z")
        .when(zoned).then(texts.str.replace(short, "${1}T"))
        .when(times).then(texts.str.replace(short, "${1}T") + "Z")
    ).to_series()  # fmt: skip
    whole = whole.str.replace(r"T([0-9]{2}:[0-9]{2})(Z|[+-])", "T${1}:00${2}")
    whole = whole.str.replace(r"(\.[0-9]{6})[0-9]+", "${1}")
    moments = whole.str.to_datetime(time_unit="us", time_zone="UTC", strict=False)
    return moments.dt.replace_time_zone(None).to_physical().cast(pl.Int64)


def _there(kind: ValueType, part: pl.Series) -> dict[ValueType, pl.Series]:
    """Return a part where any value is of its type."""
    return {} if part.null_count() == len(part) else {kind: part}


def joined(columns: Iterable[Column]) -> Column:
    """Return pieces of one column as one."""
    import polars as pl

    pieces = list(columns)
    if len(pieces) == 1:
        return pieces[0]
    kinds = [kind for kind in VALUE_TYPES if any(kind in piece.parts for piece in pieces)]
    parts = {}
    for kind in kinds:
        dtype = next(piece.parts[kind].dtype for piece in pieces if kind in piece.parts)
        lengths = [max(len(part) for part in piece.parts.values()) for piece in pieces]
        parts[kind] = pl.concat(
            piece.parts[kind]
            if kind in piece.parts
            else pl.Series(values=[None], dtype=dtype).new_from_index(0, length)
            for piece, length in zip(pieces, lengths, strict=True)
        )
    return Column(pieces[0].type, parts)
