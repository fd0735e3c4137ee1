"""What was located is read by the reader of its format: a file, all of a folder, or rows of a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never
from urllib.parse import unquote

from edgedp.graph.reading import series
from edgedp.graph.reading.dates import dates_of
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.sources.content import Content, opened_content
from edgedp.graph.reading.sources.folders import Part, marks_of
from edgedp.graph.reading.sources.locating import Location
from edgedp.graph.reading.sources.recognition import Format, recognise
from edgedp.graph.reading.text.result import Read
from edgedp.graph.typed import joined
from edgedp.words.errors import GraphFormatError, ParameterError, UndecidedError
from edgedp.words.progress import Progress
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What the folder of rows without a value is called by those who write such folders."""


def read_located(where: Location, width: int, options: ReadingOptions, progress: Progress) -> Read:
    """Read a file, or all of a folder; a download that cannot be read does not stay in the cache."""
    if where.database is not None:
        from edgedp.graph.reading.formats.queries import read_query

        return read_query(where.database, options, progress)
    if of_database := options.given("table", "query"):
        raise ParameterError(
            f"{of_database} has no effect for a file; read it without this option, or give a database's address"
        )
    if where.many:
        return read_parts(where, options, lambda part, inside: read_located(part, width, inside, progress))
    try:
        with opened_content(where.path, where.name, progress, where.bucket) as content:
            read = _read_content(content, where, width, options)
            if where.download is not None and options.separator is None:
                _refuse_sentence(read, where)
            return read
    except GraphFormatError as error:
        if where.download is not None and isinstance(error, UndecidedError) and len(error.question.rows) == 1:
            error = _sentence(where)
        if where.download is not None and where.download.fresh and not where.download.declared:
            where.download.discard()
        raise error from None


def _refuse_sentence(read: Read, where: Location) -> None:
    """Refuse the one line of text, such as ``Not Found``, with which a server says that it has no graph."""
    if len(read.columns[0]) == 1 and read.of_texts and read.format[0] in ("spaces", "one column"):
        raise _sentence(where)


def _sentence(where: Location) -> GraphFormatError:
    return GraphFormatError(
        f"{where.name!r} answered with one line of words and no list; check the address, or give "
        f"{option('separator', 'space')}"
    )


def _read_content(content: Content, where: Location, width: int, options: ReadingOptions) -> Read:
    kind: Format = "text"
    if not (options.separator is not None and b"\0" not in content.head):
        kind = recognise(content.head, where.suffixes, where.name)
    if options.labels is not None and kind not in ("gml", "gexf", "graphml", "pajek"):
        raise ParameterError(
            f"labels has no effect for {kind}, whose nodes have none; read it without this option"
        )
    if kind == "text":
        from edgedp.graph.reading.text.text import read_text

        return read_text(content, where.name, width, options)
    if kind in ("parquet", "arrow"):
        from edgedp.graph.reading.formats.tabular import read_tabular

        return read_tabular(content, kind, where.name, width, options)
    if kind == "json lines":
        from edgedp.graph.reading.formats.jsonlines import read_json_lines

        return read_json_lines(content, where.name, width, options)
    if width == 1:
        raise GraphFormatError(
            f"{where.name!r} is {kind}, must be a list of nodes; give a text, a Parquet or an Arrow file"
        )
    without_effect = options.given("source", "header", "separator", "comments", "bipartite", "one_kind")
    if without_effect is not None:
        raise ParameterError(
            f"{without_effect} has no effect for {kind}, which has no columns to choose; read it without this option"
        )
    return _read_network(content, kind, where.name, options)


def _read_network(content: Content, kind: Format, name: str, options: ReadingOptions) -> Read:
    from edgedp.graph.reading.formats import markup, matrices, networks

    match kind:
        case "graphml" | "gexf":
            return markup.read_markup(content.chunks, kind, name, options.ids, options.labels)
        case "gml" | "pajek":
            return networks.read_network(content, kind, name, options.ids, options.labels)
        case "matrix market":
            return matrices.read_matrix_market(content, name, options.ids)
        case "metis":
            return matrices.read_metis(content, name, options.ids)
        case "text" | "parquet" | "arrow" | "json lines":
            raise AssertionError(kind)
        case _:
            assert_never(kind)


def read_parts(
    where: Location, options: ReadingOptions, one: Callable[[Location, ReadingOptions], Read]
) -> Read:
    """Read every file of a folder or a pattern by `one`, and join them.

    The column of dates may be one that the names of the folders give (``at=2024-06-30/``).

    Raises
    ------
    GraphFormatError
        A file differs from the first in its format, its columns or their types, or files changed meanwhile.
    """
    import polars as pl

    parts, hidden = where.parts()
    _refuse_partitions(parts, options)
    of_folders = options.date in [name for name, _ in parts[0].partition]
    inside = replace(options, date=None, date_unit=None) if of_folders else options
    marks = marks_of(parts)
    reads: list[Read] = []
    for part in parts:
        name = part.name
        try:
            path = Path(part.path) if part.bucket is None else None
            read = one(Location(path=path, name=name, suffixes=part.path.name, bucket=part.bucket), inside)
            if of_folders:
                read = replace(read, dates=_dates_of(part, options, len(read.columns[0])))
        except UndecidedError:
            raise
        except (GraphFormatError, ParameterError) as error:
            if name in str(error) or (isinstance(error, ParameterError) and not reads):
                raise
            raise GraphFormatError(f"{name!r}: {error}") from None
        if read.nodes is not None or read.undirected:
            raise GraphFormatError(
                f"{name!r} is {read.format[0]}, must be a table (Parquet, Arrow or text); load it by itself"
            )
        if reads:
            _refuse_other(reads[0], read, parts[0], part)
        reads.append(read)
    if (parts, hidden) != where.parts() or marks != marks_of(parts):
        raise GraphFormatError(f"{where.name!r} changed while it was read; load it when nothing writes to it")
    first = reads[0]
    given = parts[0].partition if first.header else ()
    left_out = f"{hidden} hidden files or folders (names that begin with . or _) were left out"
    return replace(
        first,
        columns=[series.joined(list(side)) for side in zip(*(read.columns for read in reads), strict=True)],
        format=(f"{len(parts)} files", *first.format),
        dates=pl.concat([read.dates for read in reads if read.dates is not None])
        if first.dates is not None
        else None,
        kept=None
        if first.kept is None
        else {name: joined((read.kept or {})[name] for read in reads) for name in first.kept},
        line_count=sum(read.line_count for read in reads),
        extra_columns=first.extra_columns + len(given),
        header=(*first.header, *(name for name, _ in given)),
        rows=tuple((*row, *(value for _, value in given)) for row in first.rows),
        notes=(
            *dict.fromkeys(note for read in reads for note in read.notes),
            *([left_out] if hidden else []),
        ),
    )


def _dates_of(part: Part, options: ReadingOptions, rows: int) -> pl.Series:
    """Return the date of a part, which its folder names, once for each of its rows."""
    import polars as pl

    value = unquote(dict(part.partition)[str(options.date)])
    written = pl.Series([None if value == _NO_VALUE else value], dtype=pl.String)
    return dates_of(written, options.date_unit, str(options.date), part.name).new_from_index(0, rows)


def _refuse_partitions(parts: tuple[Part, ...], options: ReadingOptions) -> None:
    """Refuse folders that are not partitioned in one way, and an end that only their names give."""
    first = [name for name, _ in parts[0].partition]
    for part in parts:
        if [name for name, _ in part.partition] != first:
            raise GraphFormatError(
                f"{part.name!r} is partitioned in another way than {parts[0].name!r}; load a pattern of one"
            )
    for end in (options.source, options.target):
        if end in first:
            raise ParameterError(
                f"{end!r} is a partition of the folder, must be a column of its files; choose another"
            )


def _refuse_other(first: Read, read: Read, one: Part, other: Part) -> None:
    kind = (first.of_texts, first.types) != (read.of_texts, read.types)
    if (first.header, first.picked) != (read.header, read.picked):
        what, remedy = "other columns", "make them one"
    elif first.of_texts != read.of_texts and not first.types:
        what, remedy = "ids of another type", f"read all as texts ({option('ids', 'text')})"
    elif kind or _kept_types(first) != _kept_types(read):
        what, remedy = "columns of other types", "write them alike"
    elif (first.format, first.extra_columns) != (read.format, read.extra_columns):
        what, remedy = "another format", "make them one"
    else:
        return
    raise GraphFormatError(
        f"{other.name!r} has {what} than {one.name!r}; {remedy}, or name the files by a pattern"
    )


def _kept_types(read: Read) -> dict[str, str]:
    return {name: column.type for name, column in (read.kept or {}).items()}
