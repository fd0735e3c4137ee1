"""Columns of Arrow as series of polars, which hold what the columns held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    import polars as pl


def series_of(column: Any, name: str, source: str) -> pl.Series:
    """Return a column of Arrow as a series: of a zone the moments, of a dictionary of numbers or dates the values.

    Raises
    ------
    GraphFormatError
        It holds what polars would take for something else, or is of a type that polars does not know.
    """
    import polars as pl
    import pyarrow as pa

    told = f"column {shortened(name, 30)!r} of {source!r}"
    try:
        return pl.Series(values=pl.from_arrow(_sound(column)))
    except pa.ArrowInvalid:
        raise GraphFormatError(
            f"{told} holds a text that is not UTF-8, a time too far away or a number of more than 38 digits; correct it"
        ) from None
    except (pl.exceptions.PolarsError, pa.ArrowNotImplementedError):
        raise GraphFormatError(
            f"{told} is of type {shortened(column.type, 30)}, which is not read; convert the column"
        ) from None


def _sound(column: Any) -> Any:
    """Return a column whose values polars takes for what they are; it checks no text, and wraps times round."""
    import pyarrow as pa

    kind = column.type
    if is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
        column.validate(full=True)
    elif pa.types.is_dictionary(kind):
        return _sound(column.cast(kind.value_type))
    elif pa.types.is_timestamp(kind):
        zone = None if kind.tz is None else "UTC"  # polars knows none such as +02:00
        return column.cast(pa.timestamp("ms" if kind.unit == "s" else kind.unit, zone))
    elif pa.types.is_decimal256(kind):
        return column.cast(pa.decimal128(38, kind.scale))
    return column


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is one of texts."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def shown_values(column: Any) -> list[Any]:
    """Return the few values of a column for people; dots where Python cannot say a time or a zone."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError, KeyError):  # it is compared as every other
        return ["..."] * len(column)
