"""Columns of the rows of a graph, kept before the rows were merged into one simple graph: what a filter compares.

A value has one of five types: `INTEGER` (64 bits), `FLOAT`, `TEXT`, `BOOLEAN` and `MOMENT` (a date or a time, in whole
microseconds of UTC). A column with a type of its own, of Parquet, of Arrow or of a table, holds values of that type
alone. Of a text and of JSON every value is taken by itself, as it is written. So a column is a few arrays beside each
other, one for each type that occurs, and a row has a value in one of them at most; in none, its value is missing.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from edgedp.words.dates.moments import Moment
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

ValueType = Literal["INTEGER", "FLOAT", "TEXT", "BOOLEAN", "MOMENT"]
"""What a value may be."""

VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

BY_VALUE = "BY VALUE"
"""The type of a column whose every value is taken by itself."""


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
        >>> from edgedp.graph.typed import by_value
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
        >>> from edgedp.graph.typed import by_value
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
    weights : (m,) float64, or None
        Of a graph that was loaded with weights: what each row weighs, NaN for nothing.
    """

    rows: ColumnRows
    windows: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None = None


class _Keeping(Protocol):
    """A graph, which is built of these: it keeps what is read beside its edges."""

    @property
    def kept(self) -> dict[str, Any]: ...


_Graph = TypeVar("_Graph", bound=_Keeping)


def with_rows(graph: _Graph, before: _Keeping) -> _Graph:
    """Return a graph with the rows, their dates and their columns, of one that it was made from with its edges."""
    graph.kept.update(
        {key: before.kept[key] for key in ("dated", "columns", "weighed") if key in before.kept}
    )
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


_COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt,
}  # fmt: skip


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
            # By their characters, whose order is that of their UTF-8.
            found = _COMPARED[comparison](part, value).fill_null(value=False).to_numpy()
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


# -- reading ----------------------------------------------------------------------------------------------
