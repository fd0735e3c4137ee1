"""Edges of a table or of a query: the columns of the ends, in batches of one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from edgedp.graph.arrows import series_of
from edgedp.graph.reading.formats.choosing import chosen, refuse_given
from edgedp.graph.reading.formats.tabular import ids_of
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.series import integers_of, joined, narrowed
from edgedp.graph.reading.sources.databases import Database, Session
from edgedp.graph.reading.sources.dialects import as_id, as_kept, first_rows, is_numeric, rows_of
from edgedp.graph.reading.text.question import ROWS
from edgedp.graph.reading.text.result import Read
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.progress import Progress
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl


def read_query(database: Database, options: ReadingOptions, progress: Progress) -> Read:
    """Read the two ends of all rows of a table or a query, in one transaction that only reads.

    Raises
    ------
    GraphFormatError, ParameterError, UnknownNameError
        As of `Database.session`; or the columns cannot be told, or hold no ids of one type.
    """
    name = database.name
    refuse_given(options, "a table", "labels")
    if (options.table is None) == (options.query is None):
        raise ParameterError(
            f"{name!r} is a database, must be given with a table or a query, and not with both; "
            f"give {option('table', 'payments')} or {option('query', 'SELECT ...')}"
        )
    there = rows_of(database.kind, options.table, options.query)
    with database.session() as session:
        names, kinds, rows = session.schema(first_rows(database.kind, there, ROWS))
        told = tuple(tuple("" if value is None else str(value) for value in row) for row in rows)
        of = chosen(names, 2, options, name, lambda: told)
        if twice := next((names[i] for i in of.taken if names.count(names[i]) > 1), None):
            raise GraphFormatError(
                f"{name!r} has two columns {shortened(twice, 30)!r}; rename one in a query"
            )
        selected = ", ".join(
            [as_id(database.kind, names[i], kinds[i]) for i in of.picked]
            + [as_kept(database.kind, names[i], kinds[i]) for i in of.beside.positions]
        )
        statement = f"SELECT {selected} FROM {there}"  # noqa: S608
        numeric = tuple(is_numeric(kinds[i]) for i in of.picked)
        columns, rest = _columns(session, statement, [names[i] for i in of.taken], numeric, name, progress)
    dates, kept = of.of_types(dict(zip(of.beside.positions, rest, strict=True))) if columns else (None, None)
    return of.read(
        columns,
        (database.product,),
        types=tuple(kinds[i] for i in of.picked),
        rows=told,
        dates=dates,
        kept=kept,
    )


def _columns(
    session: Session,
    statement: str,
    names: list[str],
    numeric: tuple[bool, ...],
    source: str,
    progress: Progress,
) -> tuple[list[pl.Series], list[pl.Series]]:
    """Return the ends, and the columns that are read beside them; nothing where there is no row."""
    parts: list[list[pl.Series]] = []
    beside: list[list[pl.Series]] = [[] for _ in names[2:]]
    count = 0
    progress("reading rows", 0, None)
    for table in session.batches(statement):
        columns = [
            _integers(ids_of(column, end, source), end, source) if exact else ids_of(column, end, source)
            for column, end, exact in zip(table.columns[:2], names[:2], numeric, strict=True)
        ]
        for pieces, column, name in zip(beside, table.columns[2:], names[2:], strict=True):
            pieces.append(series_of(column, name, source))
        if parts and any(
            a.dtype.is_integer() != b.dtype.is_integer() for a, b in zip(parts[0], columns, strict=True)
        ):
            raise GraphFormatError(
                f"{source!r} holds integers and texts in one column, must hold ends of one type; cast them in a query"
            )
        parts.append([narrowed(column) for column in columns])
        count += len(columns[0])
        progress("reading rows", count, None)
    if not parts:
        return [], []
    ends = [joined([part[side] for part in parts]) for side in (0, 1)]
    return ends, [_of_one_type(pieces, name, source) for pieces, name in zip(beside, names[2:], strict=True)]


def _of_one_type(pieces: list[pl.Series], name: str, source: str) -> pl.Series:
    """Join pieces of a column; of SQLite each has the type of its own values, or none where all are missing."""
    import polars as pl

    kinds = {piece.dtype for piece in pieces} - {pl.Null()}
    if len(kinds) > 1 and not all(kind.is_numeric() for kind in kinds):
        raise GraphFormatError(
            f"column {shortened(name, 30)!r} of {source!r} holds values of several types; cast them in a query"
        )
    kind = pl.Float64() if len(kinds) > 1 else next(iter(kinds), pl.Null())
    return pl.concat([piece.cast(kind) for piece in pieces])


def _integers(column: pl.Series, name: str, source: str) -> pl.Series:
    """Return numbers of any precision as the integers that they are."""
    integers = integers_of([column.str.replace(r"\.0+$", "")], anyhow=True)
    if integers is None:
        raise GraphFormatError(
            f"column {shortened(name, 30)!r} of {source!r} holds a number that is not an integer of 64 bits; "
            "cast it to text in a query"
        )
    return integers[0]
