"""What a reader of one format hands over: columns of ids, and how they were taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from edgedp.graph.columns import Column


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
