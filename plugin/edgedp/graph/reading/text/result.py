"""What a reader of one format hands over: columns of ids, and how they were taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edgedp.graph.reading.text.words import is_integer
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from edgedp.graph.columns import Column

__all__ = ["Read", "ids_told", "of_one_type"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """Ids as they were read.

    Parameters
    ----------
    columns : list of polars.Series
        Those of the two ends, or that of the nodes: all Int64 or all String, of equal length.
    nodes : polars.Series or None
        The nodes that the file itself lists, of the same type.
    format : tuple of str
        The format in words.
    line_count : int
        Lines of a text; 0 for another format.
    extra_columns : int
        Columns that are ignored.
    header : tuple of str
        The names of all columns, where there are any.
    first_line : str
        How the first line was taken, as a sentence; empty where there are no lines.
    comments : str
        How comments were taken, likewise.
    ids : str
        How the ids were taken, likewise.
    picked : tuple of int
        The columns that were read, from 0.
    first_number : int
        The line of the first row; 0 for another format than text.
    undirected : str
        What says that the edges have no direction, as the end of a sentence; empty where nothing does.
    types : tuple of str
        The types of the columns that were read, as the file declares them; empty for texts.
    notes : tuple of str
        Further sentences.
    rows : tuple of tuples of str
        The first rows, all columns of them.
    dates : polars.Series or None
        When each row was, in seconds since 1970, null where it does not say; None where no column was named.
    kept : mapping of str to Column, or None
        The columns that are kept, by their names, or by their numbers where they have none; None where none was named.
    weights : (m,) float64, or None
        The numbers of the column of weights, NaN where a row has none; None where no column was named.
    """

    columns: list[pl.Series]
    format: tuple[str, ...]
    nodes: pl.Series | None = None
    line_count: int = 0
    extra_columns: int = 0
    header: tuple[str, ...] = ()
    first_line: str = ""
    comments: str = ""
    ids: str = ""
    picked: tuple[int, ...] = ()
    first_number: int = 0
    undirected: str = ""
    types: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    dates: pl.Series | None = None
    kept: Mapping[str, Column] | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def of_texts(self) -> bool:
        """Whether the ids are texts."""
        import polars as pl

        return self.columns[0].dtype == pl.String


def ids_told(columns: list[pl.Series], asked: str | None) -> str:
    """Say how ids were taken, and of texts why they are no integers, by an example.

    Examples
    --------
    >>> import polars as pl
    >>> print(ids_told([pl.Series(["7", "007"])], None))
    texts, as they are written: '007' would change as a number; ids='integer' reads numbers
    """
    import polars as pl

    if columns[0].dtype != pl.String:
        return "integers, as asked" if asked == "integer" else "integers"
    if asked == "text":
        return "texts, as asked"
    from edgedp.graph.reading.text.table import CANONICAL

    for column in columns:
        odd = column.filter(~column.str.contains(r"^[+-]?[0-9]+$"))
        if len(odd):
            return f"texts; {shortened(odd[0], 30)!r} is not an integer"
    for column in columns:
        odd = column.filter(~column.str.contains(CANONICAL))
        if len(odd) and is_integer(odd[0]) and -(2**63) <= int(odd[0]) < 2**63:
            told = shortened(odd[0], 30)
            return (
                f"texts, as they are written: {told!r} would change as a number; "
                f"{option('ids', 'integer')} reads numbers"
            )
    return "texts; not all are integers of 64 bits"


def of_one_type(
    ends: list[list[str]], nodes: list[str] | None, asked: str | None, source: str
) -> tuple[list[pl.Series], pl.Series | None]:
    """Turn texts into series: integers where all of them are, the nodes included, else texts."""
    import polars as pl

    from edgedp.graph.reading.text.table import integers_of

    columns = [
        pl.Series(values=each, dtype=pl.String) for each in [*ends, *([] if nodes is None else [nodes])]
    ]
    integers = None if asked == "text" else integers_of(columns, anyhow=asked == "integer")
    if integers is None and asked == "integer":
        raise GraphFormatError(
            f"{source!r} holds an id that is not an integer of 64 bits; read the ids as texts ({option('ids', 'text')})"
        )
    columns = integers or columns
    return columns[: len(ends)], None if nodes is None else columns[-1]
