"""Columns of the rows of a graph, kept before the rows were merged into one simple graph: what a filter compares.

A value has one of five types: `INTEGER` (64 bits), `FLOAT`, `TEXT`, `BOOLEAN` and `MOMENT` (a date or a time, in whole
microseconds of UTC). A column with a type of its own, of Parquet, of Arrow or of a table, holds values of that type
alone. Of a text and of JSON every value is taken by itself, as it is written. So a column is a few arrays beside each
other, one for each type that occurs, and a row has a value in one of them at most; in none, its value is missing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from edgedp.words.dates.moments import Moment
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import kind_of, shortened

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "BY_VALUE",
    "VALUE_TYPES",
    "Column",
    "ColumnRows",
    "KeptRows",
    "ValueType",
    "by_value",
    "columns_given",
    "columns_of",
    "each_by_value",
    "joined",
    "of_objects",
    "of_types",
    "typed",
    "with_rows",
]

ValueType = Literal["INTEGER", "FLOAT", "TEXT", "BOOLEAN", "MOMENT"]
"""What a value may be."""

VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

BY_VALUE = "BY VALUE"
"""The type of a column whose every value is taken by itself."""

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
_TOO_LARGE = 2**1023


@dataclass(frozen=True, eq=False)
class Column:
    """A column of all rows of a source.

    Attributes
    ----------
    type : str
        One of `VALUE_TYPES`, or `BY_VALUE`: public, for it follows from no value.
    parts : mapping of str to polars.Series
        Of each type that occurs: (m,) Int64, Float64, String, Boolean, or Int64 of microseconds since 1970 began in
        UTC; null where the value of the row is of another type, or missing. Private: which types occur follows from
        the rows.
    """

    type: str
    parts: Mapping[ValueType, pl.Series]

    def holds(self, comparison: str, value: Any) -> NDArray[np.bool_]:
        """Return which rows hold a comparison; a value of another type, or none, does not.

        Parameters
        ----------
        comparison : {"eq", "in", "gte", "gt", "lte", "lt"}
        value : int, float, str, bool, Moment, or a list of them
            Of ``in`` a list. Numbers are compared exactly, whichever of the two types they have.

        Returns
        -------
        (m,) bool

        Examples
        --------
        >>> import polars as pl
        >>> column = by_value(pl.Series(["5", "5.5", "five", None, "true"]))
        >>> column.holds("gte", 5).tolist(), column.holds("in", ["five", True]).tolist()
        ([True, True, False, False, False], [False, False, True, False, True])
        """
        if comparison == "in":
            found: NDArray[np.bool_] = np.logical_or.reduce([self.holds("eq", each) for each in value])
            return found
        count = max((len(part) for part in self.parts.values()), default=0)
        held = np.zeros(count, dtype=np.bool_)
        for kind in of_types(value):
            if kind in self.parts:
                held |= _compared(self.parts[kind], kind, comparison, value)
        return held

    def numbers(self, count: int) -> NDArray[np.float64]:
        """Return the numbers of all rows, (count,); NaN where a row has none, or a value of another type.

        Examples
        --------
        >>> import polars as pl
        >>> by_value(pl.Series(["5", "5.5", "five", None])).numbers(4).tolist()
        [5.0, 5.5, nan, nan]
        """
        found = np.full(count, math.nan)
        for kind in ("INTEGER", "FLOAT"):
            if kind in self.parts:
                there = self.parts[kind].is_not_null().to_numpy()
                found[there] = self.parts[kind].fill_null(0).to_numpy().astype(np.float64)[there]
        return found


class ColumnRows(NamedTuple):
    """The rows of a source with the columns that are kept of them, in the order of the source.

    Attributes
    ----------
    ends : (m, 2) int32
        Positions of source and target, loops and parallels among them.
    columns : mapping of str to Column
        By their names, as the source or the caller calls them.
    """

    ends: NDArray[np.int32]
    columns: Mapping[str, Column]

    @property
    def types(self) -> dict[str, str]:
        """The type of each column: public."""
        return {name: column.type for name, column in self.columns.items()}


class KeptRows(NamedTuple):
    """The rows of a stored version, with their columns.

    Attributes
    ----------
    rows : ColumnRows
    windows : (m,) int64, or None
        Of a graph with a calendar: the number of the window of each row, -1 where it is in none.
    """

    rows: ColumnRows
    windows: NDArray[np.int64] | None


class _Keeping(Protocol):
    """A graph, which is built of these: it keeps what is read beside its edges."""

    @property
    def kept(self) -> dict[str, Any]: ...


_Graph = TypeVar("_Graph", bound=_Keeping)


def with_rows(graph: _Graph, before: _Keeping) -> _Graph:
    """Return a graph with the rows, their dates and their columns, of one that it was made from with its edges."""
    graph.kept.update({key: before.kept[key] for key in ("dated", "columns") if key in before.kept})
    return graph


def columns_of(graph: _Keeping, *, keeps: bool) -> str | None:
    """Return the types of the columns that a graph brings, as a store's row keeps them; None where it brings none.

    Parameters
    ----------
    keeps : bool
        Whether the store keeps columns.

    Raises
    ------
    ParameterError
        It does not.
    """
    rows: ColumnRows | None = graph.kept.get("columns")
    if rows is None:
        return None
    if not keeps:
        raise ParameterError(
            "this store keeps no columns of a loaded graph; load it into an embedded store, or write its relationships "
            "with properties and register them"
        )
    return json.dumps(rows.types, ensure_ascii=False)


def of_types(value: Any) -> tuple[ValueType, ...]:
    """Return of which types a value must be to be compared with a constant.

    Examples
    --------
    >>> of_types(5), of_types(True), of_types("a")
    (('INTEGER', 'FLOAT'), ('BOOLEAN',), ('TEXT',))
    """
    match value:
        case bool():
            return ("BOOLEAN",)
        case int() | float():
            return ("INTEGER", "FLOAT")
        case str():
            return ("TEXT",)
        case Moment():
            return ("MOMENT",)
        case _:
            raise AssertionError(type(value))


# -- comparing --------------------------------------------------------------------------------------------


def _compared(part: pl.Series, kind: ValueType, comparison: str, value: Any) -> NDArray[np.bool_]:
    there = part.is_not_null().to_numpy()
    match kind:
        case "INTEGER":
            found = _integers(part, comparison, value)
        case "MOMENT":
            found = _integers(part, comparison, value.microseconds)
        case "FLOAT":
            found = _floats(part.fill_null(math.nan).to_numpy(), comparison, value)
        case "BOOLEAN":
            found = (part == value).fill_null(value=False).to_numpy() & (comparison == "eq")
        case "TEXT":
            found = _texts(part, comparison, value).fill_null(value=False).to_numpy()
    return np.asarray(found & there, dtype=np.bool_)


def _integers(part: pl.Series, comparison: str, value: float) -> NDArray[np.bool_]:
    """Compare 64-bit integers with a number, exactly: a decimal between two of them is turned into one of them."""
    values = part.fill_null(0).to_numpy()
    low, high = math.floor(value), math.ceil(value)
    match comparison:
        case "eq":
            return (
                _all_or(values == _int64(low), low) if low == high else np.zeros(len(values), dtype=np.bool_)
            )
        case "gte":
            return _clipped(values, high, np.greater_equal)
        case "gt":
            return _clipped(values, low, np.greater)
        case "lte":
            return _clipped(values, low, np.less_equal)
        case "lt":
            return _clipped(values, high, np.less)
        case _:
            raise AssertionError(comparison)


def _int64(value: int) -> np.int64:
    return np.int64(min(max(value, -(2**63)), 2**63 - 1))


def _all_or(found: NDArray[np.bool_], bound: int) -> NDArray[np.bool_]:
    return found if -(2**63) <= bound < 2**63 else np.zeros_like(found)


def _clipped(values: NDArray[Any], bound: int, compare: Any) -> NDArray[np.bool_]:
    """Compare with a bound of any size: beyond 64 bits every value is on one side of it."""
    if -(2**63) <= bound < 2**63:
        return np.asarray(compare(values, np.int64(bound)))
    return np.full(len(values), bool(compare(0, 1 if bound > 0 else -1)))


def _floats(values: NDArray[np.float64], comparison: str, value: Any) -> NDArray[np.bool_]:
    """Compare floats with a number, exactly: an integer that is no float lies between two of them."""
    near = float(value)
    beside = 0 if isinstance(value, float) or int(near) == value else 1 if int(near) > value else -1
    match comparison:
        case "eq":
            return np.asarray((values == near) & (beside == 0))
        case "gte":
            return np.asarray(values > near if beside < 0 else values >= near)
        case "gt":
            return np.asarray(values >= near if beside > 0 else values > near)
        case "lte":
            return np.asarray(values < near if beside > 0 else values <= near)
        case "lt":
            return np.asarray(values <= near if beside < 0 else values < near)
        case _:
            raise AssertionError(comparison)


def _texts(part: pl.Series, comparison: str, value: str) -> pl.Series:
    """Compare texts by their characters, whose order is that of their UTF-8."""
    match comparison:
        case "eq":
            return part == value
        case "gte":
            return part >= value
        case "gt":
            return part > value
        case "lte":
            return part <= value
        case "lt":
            return part < value
        case _:
            raise AssertionError(comparison)


# -- reading ----------------------------------------------------------------------------------------------


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

    found: dict[str, Column] = {}
    for name, values in columns.items():
        if not isinstance(values, Column):
            try:
                series = pl.Series(values=values)
            except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
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
            return math.copysign(math.inf, each) if abs(each) >= _TOO_LARGE else float(each)
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
