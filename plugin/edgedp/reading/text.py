"""A text of one edge, or one node, a line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from edgedp.errors import GraphFormatError
from edgedp.reading.content import Content
from edgedp.reading.heading import is_header, with_first_line
from edgedp.reading.layout import Layout, detect_layout
from edgedp.reading.lines import COMMENTS, Blocks, data_lines
from edgedp.reading.options import ReadingOptions
from edgedp.reading.result import Read, ids_told
from edgedp.reading.table import could_be_a_row, read_columns, refuse_comment
from edgedp.reading.words import is_integer

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_text"]

_MISSING = ["NULL", "null", "NaN", "nan", "None", "N/A", "n/a", "#N/A", "<NA>", "NA"]
_CUT = r"^[+-]?[0-9][.,]?[0-9]*[eE]\+[0-9]+$"
_COMMENT_BEHIND = r"^[+-]?[0-9]+[ \t]+[#%]"


def read_text(content: Content, source: str, width: int, options: ReadingOptions) -> Read:
    """Read the columns of the two ends (`width` 2) or of the nodes (1) of a text.

    Raises
    ------
    GraphFormatError
        A line is broken, or nobody can be sure how the text is meant; the message names the option to give.
    """
    blocks = Blocks(content.chunks, source)
    signs = COMMENTS if options.comments is None else options.comments
    block, head = _first_block(blocks, signs)
    layout = detect_layout(block, source, width, options)
    head_comments = _comments_before(head + block[: layout.start], layout, source)
    lines_before = blocks.line_count - block.count(b"\n") - head.count(b"\n")
    layout = _renumbered(layout, lines_before + head.count(b"\n"))
    blocks.push_back(block[layout.start :])
    read = read_columns(blocks, layout, source, options.ids)
    columns = read.columns
    if width == 2:
        _refuse_matrix(layout, len(columns[0]) + is_integer(layout.first[0]), source)
    header = is_header(layout, columns, source, "header" if width == 2 else "nodes-header")
    if not header:
        columns = _joined(layout, columns, options, source)
    if len(columns[0]) == 0:
        raise GraphFormatError(f"{source!r} holds a header only; check the file")
    if width == 2:
        _refuse_metis(layout, columns, source)
    _refuse_odd_ids(columns, options, source)
    words = [layout.separator_name, "integer ids" if columns[0].dtype.is_integer() else "text ids"]
    words += [content.compression] if content.compression else []
    words += ["CRLF"] if blocks.crlf else []
    return Read(
        columns=columns,
        format=tuple(words),
        line_count=blocks.line_count,
        extra_columns=layout.columns - width,
        header=layout.first if header else (),
        first_line="names of columns" if header else ("an edge" if width == 2 else "a node"),
        comments=_comments_told(head_comments + read.comment_count, options),
        ids=ids_told(columns, options.ids),
        picked=layout.picked,
        first_number=layout.second_number if header else layout.number,
    )


def _first_block(blocks: Blocks, signs: tuple[bytes, ...]) -> tuple[bytes, bytes]:
    """Return the first block with a line of data, and what stood in those before it."""
    head = b""
    for block in blocks:
        if next(data_lines(block, signs), None) is not None:
            return block, head
        head += block
    return head, b""


def _renumbered(layout: Layout, before: int) -> Layout:
    return replace(
        layout,
        number=layout.number + before,
        second_number=layout.second_number and layout.second_number + before,
    )


def _comments_before(text: bytes, layout: Layout, source: str) -> int:
    """Count the comments before the first line of data; refuse one that could be a row."""
    count = 0
    for number, line in enumerate(text.split(b"\n"), start=1):
        if layout.comments and line.startswith(layout.comments):
            count += 1
            if layout.judge_comments and could_be_a_row(line, layout):
                refuse_comment(line, number, source)
    return count


def _joined(layout: Layout, rest: list[pl.Series], options: ReadingOptions, source: str) -> list[pl.Series]:
    """Put the first line of data before the others; it is held to what holds for them."""
    for word in layout.words:
        if word == "":
            raise GraphFormatError(
                f"line {layout.number} of {source!r} is {','.join(layout.first)!r}, must hold no empty id; "
                "correct or remove the line"
            )
    if options.ids == "integer" and not all(
        is_integer(word) and -(2**63) <= int(word) < 2**63 for word in layout.words
    ):
        raise GraphFormatError(
            f"line {layout.number} of {source!r} holds {layout.words[0]!r}, must hold integers of 64 bits; "
            "say that it names the columns (--header), or read the ids as texts (--ids text)"
        )
    return with_first_line(layout.words, rest, options.ids)


def _refuse_matrix(layout: Layout, rows: int, source: str) -> None:
    """Refuse an adjacency matrix: as many columns as rows, or more than an edge list of zeros and ones has."""
    square = layout.matrix and rows == layout.columns
    if layout.matrix == "labelled":  # with or without a line of names
        square = layout.columns - 1 in (rows, rows + 1)
    if square or (layout.matrix == "binary" and layout.columns > 3 and rows > 1):
        raise GraphFormatError(
            f"{source!r} looks like an adjacency matrix ({rows} rows, {layout.columns} columns), must list one edge a "
            "line; read it by Graph.from_scipy, or give --source and --target if it is a list"
        )


def _refuse_metis(layout: Layout, columns: list[pl.Series], source: str) -> None:
    """Refuse what is METIS to the letter, unless the caller said what separates the columns."""
    if layout.columns != 2 or columns[0].dtype.is_integer() is False or len(columns[0]) < 4:
        return
    n, m = columns[0][0], columns[1][0]
    if n != m or n != len(columns[0]) - 1:
        return
    ends = [column.slice(1) for column in columns]
    if all(int(end.min()) >= 1 and int(end.max()) <= n for end in ends):  # type: ignore[arg-type]
        arcs = set()
        for v, (a, b) in enumerate(zip(ends[0].to_list(), ends[1].to_list(), strict=True), start=1):
            arcs |= {(v, a), (v, b)}
        if all((b, a) in arcs for a, b in arcs):
            raise GraphFormatError(
                f"{source!r} could be METIS as well as an edge list; name it .metis, or write the "
                "edges with commas"
            )


def _refuse_odd_ids(columns: list[pl.Series], options: ReadingOptions, source: str) -> None:
    """Refuse ids that are hardly any: missing values, numbers that a spreadsheet has cut, comments behind a row."""
    import polars as pl

    if options.ids == "text" or columns[0].dtype != pl.String:
        return
    for column in columns:
        missing = column.filter(column.is_in(_MISSING))
        if len(missing):
            raise GraphFormatError(
                f"{source!r} holds {missing[0]!r} as an id in {len(missing):,} rows, must hold no missing values; drop "
                "those rows, or say that it is an id (--ids text)"
            )
        cut = column.filter(column.str.contains(_CUT))
        if len(cut):
            raise GraphFormatError(
                f"{source!r} holds the id {cut[0][:40]!r}, a number that has lost digits, must hold whole ids; export "
                "them as texts, or say that it is an id (--ids text)"
            )
        behind = column.filter(column.str.contains(_COMMENT_BEHIND))
        if len(behind) and options.comments != ():
            raise GraphFormatError(
                f"{source!r} holds the id {behind[0][:40]!r}, must have comments on lines of their own; "
                "move the comment, or say that it is an id (--ids text)"
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
