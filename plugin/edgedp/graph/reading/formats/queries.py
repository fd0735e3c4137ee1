"""Edges of a table or of a query: the columns of the ends, in batches of one statement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from edgedp.graph.reading.beside import beside_of, named_ends
from edgedp.graph.reading.dates import dates_of
from edgedp.graph.reading.formats.tabular import ids_of, one_type
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.sources.databases import Database, Session, quoted
from edgedp.graph.reading.text.deciding import ROWS, choose_named
from edgedp.graph.reading.text.judging import Seen, judge_ids
from edgedp.graph.reading.text.result import Read, ids_told
from edgedp.graph.reading.text.table import integers_of, joined, narrowed
from edgedp.graph.typed import typed
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.progress import Progress
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_query", "rows_of"]

_AS_TEXTS = {"uuid", "bpchar", "citext", "inet", "cidr", "macaddr", "UUID", "numeric"}
"""Types whose texts are the ids: fixed texts are without the blanks that fill them."""


def read_query(database: Database, options: ReadingOptions, progress: Progress) -> Read:
    """Read the two ends of all rows of a table or a query, in one transaction that only reads.

    Raises
    ------
    GraphFormatError, ParameterError, UnknownNameError
        As of `Database.session`; or the columns cannot be told, or hold no ids of one type.
    """
    name = database.name
    refused = options.given("header", "separator", "comments", "labels")
    if refused:
        raise ParameterError(f"{refused} has no effect for a table; read it without this option")
    if (options.table is None) == (options.query is None):
        raise ParameterError(
            f"{name!r} is a database, must be given with a table or a query, and not with both; "
            f"give {option('table', 'payments')} or {option('query', 'SELECT ...')}"
        )
    there = rows_of(options)
    with database.session() as session:
        names, kinds, rows = session.schema(f"SELECT * FROM {there} LIMIT {ROWS}")  # noqa: S608
        told = tuple(tuple("" if value is None else str(value) for value in row) for row in rows)
        picked = choose_named(names, 2, named_ends(options, names, 2, name), name, lambda: told)
        beside = beside_of(options, names, picked, len(names), name)
        wanted = (*picked, *beside.positions)
        if twice := next((names[i] for i in wanted if names.count(names[i]) > 1), None):
            raise GraphFormatError(
                f"{name!r} has two columns {shortened(twice, 30)!r}; rename one in a query"
            )
        selected = ", ".join(
            [_read_as(names[i], kinds[i]) for i in picked] + [quoted(names[i]) for i in beside.positions]
        )
        statement = f"SELECT {selected} FROM {there}"  # noqa: S608
        numeric = tuple(kinds[i] == "numeric" for i in picked)
        columns, rest, count = _columns(
            session, statement, [names[i] for i in wanted], numeric, name, progress
        )
    if not count:
        raise GraphFormatError(f"{name!r} holds no row; check the table")
    columns = one_type(columns, options.ids, name)
    found = dict(zip(beside.positions, rest, strict=True))
    judge_ids(columns, Seen(name, picked, tuple(names), told), options)
    return Read(
        columns=columns,
        format=(database.product, "integer ids" if columns[0].dtype.is_integer() else "text ids"),
        extra_columns=len(names) - len(wanted),
        header=tuple(names),
        ids=ids_told(columns, options.ids),
        picked=picked,
        types=tuple(kinds[i] for i in picked),
        rows=told,
        dates=None
        if beside.date is None
        else dates_of(found[beside.date], options.date_unit, names[beside.date], name),
        kept={names[i]: typed(found[i], names[i], name) for i in beside.kept}
        if options.beside is not None
        else None,
    )


def rows_of(options: ReadingOptions) -> str:
    """Return what stands after FROM: a table by its quoted name, or a query in parentheses."""
    if options.table is not None:
        return ".".join(map(quoted, options.table.split(".")))
    query = re.sub(r"[;\s]+\Z", "", options.query or "")
    return f"(\n{query}\n) AS edges"


def _read_as(name: str, kind: str) -> str:
    if kind in _AS_TEXTS:
        return f"CAST({quoted(name)} AS text)"
    return f"CAST({quoted(name)} AS bigint)" if kind == "oid" else quoted(name)


def _columns(
    session: Session,
    statement: str,
    names: list[str],
    numeric: tuple[bool, ...],
    source: str,
    progress: Progress,
) -> tuple[list[pl.Series], list[pl.Series], int]:
    """Return the ends, the columns that are read beside them, and how many rows there are."""
    import polars as pl

    parts: list[list[pl.Series]] = []
    beside: list[list[pl.Series]] = [[] for _ in names[2:]]
    count = 0
    progress("reading rows", 0, None)
    for table in session.batches(statement):
        columns = [
            _integers(ids_of(column, end, source), end, source) if exact else ids_of(column, end, source)
            for column, end, exact in zip(table.columns[:2], names[:2], numeric, strict=True)
        ]
        for pieces, column in zip(beside, table.columns[2:], strict=True):
            pieces.append(pl.Series(values=pl.from_arrow(column)))
        if parts and any(
            a.dtype.is_integer() != b.dtype.is_integer() for a, b in zip(parts[0], columns, strict=True)
        ):
            raise GraphFormatError(
                f"{source!r} holds integers and texts in one column, must hold ends of one type; cast them in a query"
            )
        parts.append([narrowed(column) if column.dtype.is_integer() else column for column in columns])
        count += len(columns[0])
        progress("reading rows", count, None)
    if not parts:
        return [], [], 0
    ends = [joined([part[side] for part in parts]) for side in (0, 1)]
    return ends, [pl.concat(pieces) for pieces in beside], count


def _integers(column: pl.Series, name: str, source: str) -> pl.Series:
    """Return numbers of any precision as the integers that they are."""
    integers = integers_of([column.str.replace(r"\.0+$", "")], anyhow=True)
    if integers is None:
        raise GraphFormatError(
            f"column {shortened(name, 30)!r} of {source!r} holds a number that is not an integer of 64 bits; "
            "cast it to text in a query"
        )
    return integers[0]
