"""Conditions on rows that Spark reads: executors compare values by the function that every other reader has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from edgedp.graph.typed import by_value, typed
from edgedp.release.conditions import check_answerable
from edgedp.spark.edges import arrow_map
from edgedp.spark.executors import Batches, guarded
from edgedp.spark.frames import column_named
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from edgedp.graph.columns import Column
    from edgedp.release.conditions import Condition

NEEDS_NODES = (
    "conditions on rows that Spark reads need the list of all nodes (nodes): which of them have such an edge is "
    "private"
)


@dataclass(frozen=True)
class Holding:
    """Keep the ends, the first two columns, of the rows that hold every condition.

    Attributes
    ----------
    where : tuple of Condition
    columns : tuple of str
        The names of the columns that follow the ends.
    text : bool
        Whether each value is taken by itself, as it is written.
    """

    where: tuple[Condition, ...]
    columns: tuple[str, ...]
    text: bool

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of rows."""
        return guarded(self._held, batches)

    def _held(self, batches: Batches) -> Batches:
        import pyarrow as pa

        for batch in batches:
            held = np.ones(batch.num_rows, dtype=np.bool_)
            read = {
                name: _column(batch.column(2 + at), name, self.text) for at, name in enumerate(self.columns)
            }
            for each in self.where:
                held &= read[each.property].holds(each.comparison, each.value)
            yield batch.select([0, 1]).filter(pa.array(held))


def column_types(frame: DataFrame, named: Sequence[str], *, text: bool) -> dict[str, str]:
    """Return the types of columns that conditions compare, of those that the rows have: public, as columns are.

    Raises
    ------
    GraphFormatError
        One is of a type that nothing is compared with.
    """
    found = [name for name in named if frame.columns.count(name) == 1]
    return {name: _column(_no_values(frame, name), name, text).type for name in found}


def holding(
    frame: DataFrame, ends: tuple[str, str], where: tuple[Condition, ...], *, text: bool
) -> DataFrame:
    """Return the ends of the rows that hold every condition.

    Raises
    ------
    ParameterError
        A column is missing, or of another type than the constant that it is compared with; no row is read.
    """
    named = tuple(dict.fromkeys(each.property for each in where))
    check_answerable(where, column_types(frame, named, text=text))
    first = frame.select(*map(column_named, ends))
    others = (
        column_named(name).alias(f"where {at}") for at, name in enumerate(named)
    )  # an end may be one, too
    rows = frame.select(*map(column_named, ends), *others)
    return arrow_map(rows, Holding(where, named, text), first.schema)


def _no_values(frame: DataFrame, name: str) -> pa.ChunkedArray:
    """Return a column of the frame's type as executors get it, without a value: no row is read."""
    try:
        return frame.select(column_named(name)).limit(0).toArrow().column(0)
    except Exception:  # of Spark and of Arrow, for types that they do not hand over
        raise GraphFormatError(
            f"column {shortened(name, 30)!r} of 'the rows' is of a type that nothing is compared with; convert it"
        ) from None


def _column(values: pa.Array | pa.ChunkedArray, name: str, text: bool) -> Column:
    """Return values as every reader has them; of texts, what the names of folders give has a type of its own."""
    import polars as pl
    import pyarrow as pa

    if pa.types.is_timestamp(values.type) and values.type.tz is not None:
        # The session's zone says only how a moment is shown, and may be one that polars does not know.
        values = values.cast(pa.timestamp(values.type.unit, "UTC"))
    series = pl.Series(pl.from_arrow(values))
    if text and series.dtype == pl.String:
        return by_value(series.str.strip_chars(" \t"))
    return typed(series, name, "the rows")
