"""Lines of text to columns of ids: a columnar reader, and the slow one that it must agree with.

The fast way looks at the bytes of a block at once, accepts it only when every line provably has the
same number of fields, and lets polars parse it. Whatever it does not accept goes to the slow way,
line by line, which either reads it or names the line that is broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.reading.layout import COMMENTS, Layout, data_lines, is_integer, refuse_line, split_line

if TYPE_CHECKING:
    import polars as pl

    from edgedp.reading.progress import Progress

__all__ = ["Table", "read_table"]

BLOCK = 1 << 25
NEWLINE, SPACE, QUOTE = b'\n "'

# First lines that name columns, where the ids are texts (words over integers tell by themselves).
HEADERS = {
    ("source", "target"), ("src", "dst"), ("src", "dest"), ("source", "destination"), ("from", "to"),
    ("fromnodeid", "tonodeid"), ("from_node", "to_node"), ("from_id", "to_id"), ("source_id", "target_id"),
    ("node1", "node2"), ("node_1", "node_2"), ("id1", "id2"), ("id_1", "id_2"), ("user1", "user2"),
    ("user_1", "user_2"), ("numeric_id_1", "numeric_id_2"), ("head", "tail"), ("start", "end"), ("u", "v"),
    ("id",), ("node",), ("nodes",), ("node_id",), ("nodeid",), ("name",), ("user",), ("user_id",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """The leading columns of a text.

    Parameters
    ----------
    columns : list of polars.Series
        Ids, all Int64 or all String, of equal length.
    header : tuple of str
        The first line, where it names the columns; otherwise empty.
    """

    columns: list[pl.Series]
    header: tuple[str, ...]

    @property
    def of_texts(self) -> bool:
        """Whether the ids are texts."""
        import polars as pl

        return self.columns[0].dtype == pl.String


def read_table(
    data: bytes, layout: Layout, width: int, *, source: str, progress: Progress, as_texts: bool = False
) -> Table:
    r"""Read the first `width` columns: integers if all their fields are 64-bit integers, else texts.

    Parameters
    ----------
    data : bytes
        Text with ``\n`` line ends and a final newline.
    as_texts : bool
        Keep integers as the texts that they were (for edges whose list of nodes holds texts).

    Raises
    ------
    GraphFormatError
        A line has another number of fields than the first one, an empty id, an open quote, or is not UTF-8.
    """
    named = _names_columns(layout, width)
    if not as_texts and (named or all(map(is_integer, layout.first[:width]))):
        start = data.index(b"\n", layout.start) + 1 if named else layout.start
        integers = _read_blocks(data, start, layout, width, "Int64", progress)
        if integers is not None:
            return Table(integers, layout.first if named else ())
    texts = _read_blocks(data, layout.start, layout, width, "String", progress)
    if texts is None:
        texts = _read_lines(data, layout, width, source)
    return _typed(texts, layout, width, as_texts=as_texts)


def _names_columns(layout: Layout, width: int) -> bool:
    """Whether the first line holds words over a second one of integers."""
    return (
        len(layout.second) == layout.columns
        and not any(map(is_integer, layout.first[:width]))
        and all(map(is_integer, layout.second[:width]))
    )


def _typed(texts: list[pl.Series], layout: Layout, width: int, *, as_texts: bool) -> Table:
    """Take the header off, and turn columns that hold integers only into integers."""
    import polars as pl

    rest = [column.slice(1) for column in texts]
    words = layout.first[:width]
    integers_below = len(rest[0]) > 0 and all(_all_integers(column) for column in rest)
    if not any(map(is_integer, words)) and integers_below:
        named = True
    else:
        known = tuple(word.lower() for word in words) in HEADERS
        named = known and not any(column.is_in(list(words)).any() for column in rest)
    columns = rest if named else texts
    if not as_texts and all(_all_integers(column) for column in columns):
        integers = [column.str.strip_prefix("+").cast(pl.Int64, strict=False) for column in columns]
        if not any(column.null_count() for column in integers):
            columns = integers
    return Table(columns, layout.first if named else ())


def _all_integers(column: pl.Series) -> bool:
    """Whether all fields are integers; the first one mostly tells."""
    if len(column) and not is_integer(column[0]):
        return False
    return bool(column.str.contains(r"^[+-]?[0-9]+$").all())


# -- the fast way -----------------------------------------------------------------------------------


def _read_blocks(
    data: bytes, start: int, layout: Layout, width: int, dtype: str, progress: Progress
) -> list[pl.Series] | None:
    """Parse block by block; None as soon as one is not regular or not of this type."""
    import polars as pl

    parts: list[list[pl.Series]] = []
    done = start
    for block in _blocks(data, start):
        columns = _read_block(block, layout, width, dtype)
        if columns is None:
            return None
        parts.append(columns)
        done += len(block)
        progress("parsing", done, len(data))
    if not parts:
        return [pl.Series(dtype=getattr(pl, dtype)) for _ in range(width)]
    return [pl.concat([part[column] for part in parts]) for column in range(width)]


def _blocks(data: bytes, start: int) -> Iterator[bytes]:
    """Cut the text after a newline, into pieces that keep the memory for masks small."""
    while start < len(data):
        end = data.rfind(b"\n", start, start + BLOCK) + 1 or data.index(b"\n", start) + 1
        yield data[start:end]
        start = end


def _read_block(block: bytes, layout: Layout, width: int, dtype: str) -> list[pl.Series] | None:
    import polars as pl

    if block.startswith(COMMENTS) or any(b"\n" + sign in block for sign in COMMENTS):
        return None
    rows = _regular_rows(block, layout)
    if rows is None and layout.separator == " " and b'"' not in block:
        block = _squeezed(block)
        rows = _regular_rows(block, layout)
    if rows is None:
        return None
    wanted = getattr(pl, dtype)
    names = [str(column) for column in range(layout.columns)]
    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            separator=layout.separator,
            quote_char='"' if b'"' in block else None,
            schema={name: wanted if column < width else pl.String for column, name in enumerate(names)},
            columns=list(range(width)),
        )
    except pl.exceptions.PolarsError:
        return None
    columns = frame.get_columns()
    whole = frame.height == rows and not any(column.null_count() for column in columns)
    if whole and dtype == "String":
        if b" " in block or b"\t" in block:
            columns = [column.str.strip_chars(" \t") for column in columns]
        whole = not any((column == "").any() for column in columns)
    return columns if whole else None


def _regular_rows(block: bytes, layout: Layout) -> int | None:
    """Count the lines of a block if each has exactly the fields of the layout, else None.

    With the separators and newlines alone, in order, a regular block is the same pattern in every
    line: columns - 1 separators, one newline. Quotes are followed by their parity.
    """
    codes = np.frombuffer(block, dtype=np.uint8)
    newlines = codes == NEWLINE
    marks = (codes == ord(layout.separator)) | newlines
    if b'"' in block:
        quotes = codes == QUOTE
        inside = np.logical_xor.accumulate(quotes)
        if (inside & newlines).any():
            return None
        marks &= ~inside
        beside = marks | quotes
        before, after = np.append(True, beside[:-1]), np.append(beside[1:], True)
        if (quotes & inside & ~before).any() or (quotes & ~inside & ~after).any():
            return None
    spaces = layout.separator == " "
    if (spaces or layout.columns == 1) and (marks[1:] & marks[:-1]).any():
        return None  # a run of spaces is one separator, a blank line is none
    if spaces and b"\t" in block:
        return None
    return _pattern_rows(codes[marks], ord(layout.separator), layout.columns)


def _pattern_rows(marks: NDArray[np.uint8], separator: int, columns: int) -> int | None:
    if marks.size % columns:
        return None
    lines = marks.reshape(-1, columns)
    regular = (lines[:, -1] == NEWLINE).all() and (lines[:, :-1] == separator).all()
    return len(lines) if regular else None


def _squeezed(block: bytes) -> bytes:
    """Make every run of spaces and tabs one space, and drop those at the ends of lines and blank lines."""
    codes = np.frombuffer(block.replace(b"\t", b" "), dtype=np.uint8)
    blank, gap = codes == SPACE, (codes == SPACE) | (codes == NEWLINE)
    codes = codes[~(blank & np.append(gap[1:], True))]
    gap = (codes == SPACE) | (codes == NEWLINE)
    follows_newline = np.append(True, codes[:-1] == NEWLINE)
    return bytes(codes[~(gap & follows_newline)])


# -- the slow way -----------------------------------------------------------------------------------


def _read_lines(data: bytes, layout: Layout, width: int, source: str) -> list[pl.Series]:
    """Read line by line; refuse the first broken line by its number and text."""
    import polars as pl

    columns: list[list[str]] = [[] for _ in range(width)]
    for number, _, raw in data_lines(data, layout.start, layout.number):
        fields = split_line(raw, number, layout.separator, source)
        if len(fields) != layout.columns:
            expected = f"{layout.columns} field{'s' if layout.columns > 1 else ''}"
            refuse_line(
                raw, number, source, f"must hold {expected} as line {layout.number} does, not {len(fields)}"
            )
        if "" in fields[:width]:
            refuse_line(raw, number, source, "must hold no empty id")
        for column, field in zip(columns, fields, strict=False):
            column.append(field)
    return [pl.Series(values=column, dtype=pl.String) for column in columns]
