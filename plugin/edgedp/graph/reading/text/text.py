"""A text of one edge, or one node, a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from edgedp.graph.columns import Column
from edgedp.graph.reading.dates import dates_of
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.series import ids_told, integers_of, joined
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.text.judging import judge_ids
from edgedp.graph.reading.text.layout import Layout, detect_layout
from edgedp.graph.reading.text.lines import COMMENTS, Blocks
from edgedp.graph.reading.text.question import Seen
from edgedp.graph.reading.text.result import Read
from edgedp.graph.reading.text.table import could_be_a_row, read_columns, refuse_comment
from edgedp.graph.typed import by_value
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

_WHOLE = r"^-?[0-9]+\.0+$"


def read_text(content: Content, source: str, width: int, options: ReadingOptions) -> Read:
    """Read the columns of the two ends (`width` 2) or of the nodes (1) of a text.

    Raises
    ------
    GraphFormatError
        A line is broken, or nobody can be sure how the text is meant; the message names the option to give.
    """
    blocks = Blocks(content.chunks, source)
    block = blocks.first(COMMENTS if options.comments is None else options.comments)
    layout = detect_layout(block, source, width, options)
    comments = _comments_before(block[: layout.start], layout, source)
    blocks.push_back(block[layout.start :])
    read = read_columns(blocks, layout, source, options.ids)
    columns = read.columns
    if layout.header:
        _refuse_again(layout, columns, source)
    if len(columns[0]) == 0:
        raise GraphFormatError(f"{source!r} holds a header only; check the file")
    columns, whole = _whole_floats(columns, options)
    if width == 2:
        _refuse_sizes(layout, columns, options, source)
    dates, kept = _beside(read.beside, layout, options, source)
    judge_ids(columns, Seen(source, options, layout.names, layout.rows, layout.header, layout.picked))
    words = [layout.separator_name, "integer ids" if columns[0].dtype.is_integer() else "text ids"]
    return Read(
        columns=columns,
        format=(*words, *content.packed, *(["CRLF"] if blocks.crlf else [])),
        line_count=blocks.line_count,
        extra_columns=layout.columns - width - len(layout.beside.positions),
        header=layout.names or (),
        first_line="names of columns" if layout.header else ("an edge" if width == 2 else "a node"),
        comments=_comments_told(comments + read.comment_count, options),
        ids=ids_told(columns, options.ids) + whole,
        picked=layout.picked,
        first_number=layout.second_number if layout.header else layout.number,
        undirected=_undirected(content.head, layout),
        rows=layout.rows,
        dates=dates,
        kept=kept,
    )


def _beside(
    rest: list[pl.Series], layout: Layout, options: ReadingOptions, source: str
) -> tuple[pl.Series | None, dict[str, Column] | None]:
    """Return the dates of all rows, and the columns that are kept of them."""
    beside = layout.beside
    found = dict(zip(beside.positions, rest, strict=True))
    names = [str(at + 1) for at in range(layout.columns)] if layout.names is None else layout.names
    dates = None
    if beside.date is not None:
        dates = dates_of(found[beside.date], options.date_unit, names[beside.date], source)
    if options.beside is None or not layout.picked[1:]:
        return dates, None
    return dates, {names[at]: by_value(found[at]) for at in beside.kept}


_SAYS_UNDIRECTED = re.compile(
    rb"^(?:[#%][^\n]*\bundirected\b|%[ \t]*sym\b)[^\n]*", re.MULTILINE | re.IGNORECASE
)
"""Comments of SNAP and of KONECT."""


def _undirected(head: bytes, layout: Layout) -> str:
    """Say what in a file says that its edges have no direction: a comment, or Gephi's column ``Type``."""
    for name, *values in zip(layout.names or (), *layout.rows, strict=False):
        if name.lower() == "type" and "undirected" in map(str.lower, values):
            return f"says 'Undirected' in its column {name!r}"
    found = _SAYS_UNDIRECTED.search(head)
    return (
        "" if found is None else f"says {shortened(found[0].decode('ascii', errors='replace').strip(), 40)!r}"
    )


def _comments_before(text: bytes, layout: Layout, source: str) -> int:
    """Count the comments before the first line of data; refuse one that could be a row."""
    count = 0
    for number, line in enumerate(text.split(b"\n"), start=1):
        if layout.comments and line.startswith(layout.comments):
            count += 1
            named = layout.names is not None and not layout.header
            if layout.judge_comments and not named and could_be_a_row(line, layout):
                refuse_comment(line, number, source)
    return count


def _refuse_again(layout: Layout, rest: list[pl.Series], source: str) -> None:
    """Refuse a header that stands again further down, as in files that were put together."""
    import polars as pl

    if rest[0].dtype != pl.String:
        return
    for word, column in zip(layout.words, rest, strict=True):
        if not (column == word).any():
            return
    raise GraphFormatError(
        f"line {layout.number} of {source!r}, {shortened(', '.join(layout.words))!r}, stands again further down, "
        "must stand once if it names the columns; remove the other one"
    )


def _whole_floats(columns: list[pl.Series], options: ReadingOptions) -> tuple[list[pl.Series], str]:
    """Return ids such as ``1.0``, which frames write of integers with a gap, as the integers that they are."""
    import polars as pl

    if options.ids is not None or columns[0].dtype != pl.String:
        return columns, ""
    if not any(
        column.head(1).str.contains(_WHOLE).any() or column.str.contains(_WHOLE).any() for column in columns
    ):
        return columns, ""
    integers = integers_of([column.str.replace(r"\.0+$", "") for column in columns])
    return (columns, "") if integers is None else (integers, ", written as floats such as 1.0")


def _refuse_sizes(layout: Layout, columns: list[pl.Series], options: ReadingOptions, source: str) -> None:
    """Ask about a first line that could hold the numbers of nodes and edges, or be the first line of METIS."""
    count = len(columns[0]) - 1
    if layout.header or layout.columns != 2 or options.header is not None or count < 3:
        return
    if not columns[0].dtype.is_integer():
        return
    n, m = int(columns[0][0]), int(columns[1][0])
    if not {n, m, 2 * m, m / 2} & {count}:
        return
    ends = [column.slice(1) for column in columns]
    ids = joined(ends)
    sizes = (
        count in (m, 2 * m, m / 2) and ids.n_unique() <= n
    )  # edges may be listed, or counted, in both directions
    metis = n == m == count and int(ids.min()) >= 1 and int(ids.max()) <= n  # type: ignore[arg-type]
    if sizes or metis:
        raise GraphFormatError(
            f"line {layout.number} of {source!r} is '{n} {m}', which may be the numbers of nodes and edges, or "
            f"METIS; remove it, name the file .metis, or say that it is an edge ({option('header', False)})"
        )


def _comments_told(count: int, options: ReadingOptions) -> str:
    if options.comments == ():
        return "none, as asked"
    signs = b"".join(options.comments or COMMENTS).decode()
    listed = " or ".join(signs)
    return (
        f"{count:,} line{'s' if count > 1 else ''} that begin{'s' if count == 1 else ''} with {listed}"
        if count
        else "none"
    )
