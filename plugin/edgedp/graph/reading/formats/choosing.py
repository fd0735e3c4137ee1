"""Sources whose columns have names: which of them are read, and what is handed over when they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from edgedp.graph.reading.beside import Beside, beside_of, named_ends
from edgedp.graph.reading.dates import dates_of
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.series import ids_told, one_type
from edgedp.graph.reading.text.deciding import choose_named
from edgedp.graph.reading.text.judging import judge_ids
from edgedp.graph.reading.text.question import Rows, Seen
from edgedp.graph.reading.text.result import Read
from edgedp.graph.typed import typed
from edgedp.words.errors import GraphFormatError, ParameterError

if TYPE_CHECKING:
    import polars as pl

    from edgedp.graph.columns import Column


class Chosen(NamedTuple):
    """The columns of one source that are read: those of the ends, or that of the nodes, and those beside them.

    Attributes
    ----------
    names : tuple of str
        Of all columns.
    picked : tuple of int
        Those of the ids, from 0.
    beside : Beside
    """

    source: str
    options: ReadingOptions
    names: tuple[str, ...]
    picked: tuple[int, ...]
    beside: Beside

    @property
    def taken(self) -> tuple[int, ...]:
        """Those of the ids, and behind them those that are read beside."""
        return (*self.picked, *self.beside.positions)

    def of_types(self, found: Mapping[int, pl.Series]) -> tuple[pl.Series | None, dict[str, Column] | None]:
        """Return the dates of all rows, and the columns that are kept of them, of columns with types of their own."""
        at, options = self.beside.date, self.options
        dates = None if at is None else dates_of(found[at], options.date_unit, self.names[at], self.source)
        if options.beside is None:
            return dates, None
        return dates, {
            self.names[at]: typed(found[at], self.names[at], self.source) for at in self.beside.kept
        }

    def read(self, ids: list[pl.Series], words: Sequence[str], *, floats: bool = False, **found: Any) -> Read:
        """Hold ids to one type and to what ids may be, and hand everything over.

        Parameters
        ----------
        ids : list of polars.Series
            All integers or all texts, each.
        words : sequence of str
            The format, and how it was packed.
        floats : bool
            Whether integers were written as floats.
        **found
            What else a `Read` has; without rows, as of a frame, ids are not judged.
        """
        ids = one_type(ids, self.options.ids, self.source)
        if not ids or not len(ids[0]):
            raise GraphFormatError(f"{self.source!r} holds no row; check what it was made from")
        if "rows" in found:
            judge_ids(ids, Seen(self.source, self.options, self.names, found["rows"], picked=self.picked))
        name, *packed = words
        return Read(
            **{"extra_columns": len(self.names) - len(self.taken)} | found,
            columns=ids,
            format=(name, "integer ids" if ids[0].dtype.is_integer() else "text ids", *packed),
            header=self.names,
            ids=ids_told(ids, self.options.ids) + (", written as floats such as 1.0" if floats else ""),
            picked=self.picked,
        )


def chosen(
    names: Sequence[str],
    width: int,
    options: ReadingOptions,
    source: str,
    rows: Callable[[], Rows],
    *,
    two: bool = False,
) -> Chosen:
    """Choose the columns of a source, or ask: as of `choose_named`."""
    asked = named_ends(options, names, len(names), width, source)
    picked = choose_named(names, width, asked, source, rows, two=two)
    return Chosen(
        source, options, tuple(names), picked, beside_of(options, names, picked, len(names), source)
    )


def refuse_given(options: ReadingOptions, what: str, *more: str, width: int = 2) -> None:
    """Refuse options that hold for texts only; of a list of nodes not those that may be meant for the edges."""
    names = ("header", "separator", "comments", *more) if width == 2 else ("header",)
    if refused := options.given(*names):
        said = refused if width == 2 else f"nodes_{refused}"
        raise ParameterError(f"{said} is not an option of {what}; read it without this option")
