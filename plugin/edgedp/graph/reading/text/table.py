"""Blocks of text to columns of ids: a columnar reader, and the slow one that it must agree with.

The fast way looks at the bytes of a block at once, accepts it only when every line provably has the
same number of fields, and lets polars parse it. Whatever it does not accept goes to the slow way,
line by line, which either reads it or names the line that is broken. A text is read once, block by block:
what was read as integers so far turns into the very same texts where a later block needs texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.reading.series import integers_of, joined, narrowed
from edgedp.graph.reading.text.layout import Layout
from edgedp.graph.reading.text.lines import Blocks, data_lines, refuse_line, split_line
from edgedp.graph.reading.text.words import are_integers, could_name_a_column, is_integer
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

    from edgedp.graph.reading.options import Ids


@dataclass(slots=True)
class TextColumns:
    """The columns that were read.

    Parameters
    ----------
    columns : list of polars.Series
        Ids, all integers (Int32 or Int64) or all String, of equal length, in pieces.
    comment_count : int
        Lines of comment.
    beside : list of polars.Series
        The columns of `Layout.beside`, as they were written, or integers; empty where a row has none.
    """

    columns: list[pl.Series]
    comment_count: int
    beside: list[pl.Series] = field(default_factory=list)


@dataclass(slots=True)
class _Parts:
    """What was read so far: one list of series for each column, all of one type."""

    width: int
    texts: bool
    parts: list[list[pl.Series]] = field(default_factory=list)

    def add(self, columns: list[pl.Series]) -> None:
        import polars as pl

        if columns[0].dtype == pl.String and not self.texts:
            self.texts = True
            self.parts = [[column.cast(pl.String) for column in part] for part in self.parts]
        elif self.texts:
            columns = [column.cast(pl.String) for column in columns]
        else:
            columns = [narrowed(column) for column in columns]
        self.parts.append(columns)

    def whole(self) -> list[pl.Series]:
        import polars as pl

        if not self.parts:
            return [pl.Series(dtype=pl.String if self.texts else pl.Int64) for _ in range(self.width)]
        return [joined([part[column] for part in self.parts]) for column in range(self.width)]


def read_columns(blocks: Blocks, layout: Layout, source: str, ids: Ids | None) -> TextColumns:
    """Read the picked columns of all lines that the blocks still hold.

    Parameters
    ----------
    blocks : Blocks
        The text from the first row on.
    ids : {"integer", "text"} or None
        None reads integers where every field is the usual writing of an integer of 64 bits, so that no id
        changes, and texts otherwise.

    Raises
    ------
    GraphFormatError
        A line has another number of fields than the first one, an empty id, an open quote, is not UTF-8, or no integer
        where they were asked for; or a comment could be a row.
    """
    parts = _Parts(len(layout.picked), texts=ids == "text")
    beside = [_Parts(1, texts=False) for _ in layout.beside.positions]
    comments = 0
    number = blocks.line_count + 1
    for block in blocks:
        data, left_out = _without_comments(block, layout, number, source)
        comments += left_out
        columns = _read_block(data, layout, ids, texts=parts.texts)
        if columns is None:
            columns = _typed(_read_lines(block, number, layout, source), layout, ids, texts=parts.texts)
            if columns is None:
                _refuse_no_integer(block, number, layout, source)
        parts.add(columns[: len(layout.picked)])
        for of, column in zip(beside, columns[len(layout.picked) :], strict=True):
            of.add([column])
        number = blocks.line_count + 1
    return TextColumns(parts.whole(), comments, [each.whole()[0] for each in beside])


# -- comments ---------------------------------------------------------------------------------------


def _without_comments(block: bytes, layout: Layout, number: int, source: str) -> tuple[bytes, int]:
    """Take the comments out of a block, and say how many there were."""
    signs = tuple(sign for sign in layout.comments if sign in block)
    if not signs or not (block.startswith(signs) or any(b"\n" + sign in block for sign in signs)):
        return block, 0
    pattern = re.compile(b"^(?:" + b"|".join(map(re.escape, signs)) + rb")[^\n]*\n", re.MULTILINE)
    if layout.judge_comments:
        for match in pattern.finditer(block):
            line = match[0][:-1]
            words = line[1:].decode(errors="replace").split()
            vertex = bool(words) and are_integers(words)  # LGL writes a vertex behind the sign
            if could_be_a_row(line, layout, between=True) or vertex or line == b"#":
                where = number + block.count(b"\n", 0, match.start())
                refuse_comment(line, where, source)
    return pattern.subn(b"", block)


def could_be_a_row(line: bytes, layout: Layout, *, between: bool = False) -> bool:
    """Whether a line of comment has as many fields as a row, right behind its sign, and of such a kind.

    Before the rows words such as ``#from,to`` name the columns; `between` rows they are ids, unless they are the very
    names of the columns, as where files were put together.
    """
    body = line[1:]
    if not body or body[:1] in b" \t#%!":
        return False
    try:
        fields = split_line(body, 0, layout.separator, "")
    except ValueError:
        return False
    if len(fields) != layout.columns or any(fields[column] == "" for column in layout.picked):
        return False
    words = [fields[column] for column in layout.picked]
    if any(map(is_integer, layout.words)) and not any(map(is_integer, words)):
        return False
    if between:
        return tuple(fields) != tuple(layout.names or ())
    return not all(map(could_name_a_column, words))


def refuse_comment(line: bytes, number: int, source: str) -> None:
    """Refuse a line that may be a comment or a row."""
    if line == b"#":
        refuse_line(
            line, number, source,
            "must not stand by itself between rows (as it does in Trivial Graph Format, which is not read)",
            f"say that it begins comments ({option('comments', '#')})",
        )  # fmt: skip
    sign = line[:1].decode()
    refuse_line(
        line,
        number,
        source,
        "which may be a comment or a row",
        f"say which ({option('comments', sign)} or {option('comments', 'none')})",
    )


# -- the fast way -----------------------------------------------------------------------------------


def _read_block(block: bytes, layout: Layout, ids: Ids | None, *, texts: bool) -> list[pl.Series] | None:
    """Read a block without comments; None where it is not regular, or not of the type asked for."""
    import polars as pl

    if not block:
        dtype = pl.String if texts else pl.Int64
        return [pl.Series(dtype=dtype) for _ in layout.taken]
    regular = regular_rows(block, layout)
    if regular is None and b'"' not in block:
        block = squeezed(block, blanks=layout.separator == " ")
        regular = regular_rows(block, layout) if block else None
    if regular is None:
        return None
    rows, plain = regular
    if plain and not texts:
        columns = _parsed(block, layout, rows, "Int64")
        if columns is not None:
            return columns
    columns = _parsed(block, layout, rows, "String")
    return None if columns is None else _typed(columns, layout, ids, texts=texts)


def _parsed(block: bytes, layout: Layout, rows: int, dtype: str) -> list[pl.Series] | None:
    """Let polars parse a regular block; None where a field is empty or not of the type."""
    import polars as pl

    wanted = getattr(pl, dtype)
    names = [str(column) for column in range(layout.columns)]
    try:
        frame = pl.read_csv(
            block,
            has_header=False,
            separator=layout.separator,
            quote_char='"' if b'"' in block else None,
            schema={name: wanted if int(name) in layout.taken else pl.String for name in names},
            columns=sorted(set(layout.taken)),
        )
    except pl.exceptions.PolarsError:
        return None
    columns = [frame.get_column(names[column]) for column in layout.taken]
    if dtype == "String":
        ends = len(layout.picked)
        columns = [*columns[:ends], *(column.fill_null("") for column in columns[ends:])]
    whole = frame.height == rows and not any(column.null_count() for column in columns)
    if whole and dtype == "String":
        if b" " in block or b"\t" in block:
            columns = [column.str.strip_chars(" \t") for column in columns]
        whole = not any((column == "").any() for column in columns[: len(layout.picked)])
    return columns if whole else None


def _typed(
    columns: list[pl.Series], layout: Layout, ids: Ids | None, *, texts: bool
) -> list[pl.Series] | None:
    """Turn texts into integers where all ids are; None where some are not and must be. Others stay as they are."""
    if texts:
        return columns
    ends, beside = columns[: len(layout.picked)], columns[len(layout.picked) :]
    integers = integers_of(ends, anyhow=ids == "integer")
    if integers is None and ids == "integer":
        return None
    return columns if integers is None else [*integers, *beside]


# -- the slow way -----------------------------------------------------------------------------------


def _read_lines(block: bytes, number: int, layout: Layout, source: str) -> list[pl.Series]:
    """Read line by line; refuse the first broken line by its number and text."""
    import polars as pl

    columns: list[list[str]] = [[] for _ in layout.taken]
    for at, _, raw in data_lines(block, layout.comments, 0, number):
        fields = split_line(raw, at, layout.separator, source)
        check_fields(fields, raw, at, layout, source)
        for column, position in zip(columns, layout.taken, strict=True):
            column.append(fields[position])
    return [pl.Series(values=column, dtype=pl.String) for column in columns]


def check_fields(fields: list[str], raw: bytes, number: int, layout: Layout, source: str) -> None:
    """Refuse a line of another number of fields, or with an empty id."""
    if len(fields) != layout.columns:
        expected = f"{layout.columns} field{'s' if layout.columns > 1 else ''}"
        refuse_line(
            raw, number, source, f"must hold {expected} as line {layout.number} does, not {len(fields)}"
        )
    if any(fields[position] == "" for position in layout.picked):
        refuse_line(raw, number, source, "must hold no empty id")


def _refuse_no_integer(block: bytes, number: int, layout: Layout, source: str) -> NoReturn:
    """Name the line whose id is no integer of 64 bits, where integers were asked for."""
    for at, _, raw in data_lines(block, layout.comments, 0, number):
        fields = split_line(raw, at, layout.separator, source)
        for position in layout.picked:
            if not is_integer(fields[position]) or not -(2**63) <= int(fields[position]) < 2**63:
                first = f"say that it names the columns ({option('header', True)}), or "
                refuse_line(
                    raw,
                    at,
                    source,
                    "must hold integers of 64 bits",
                    f"{first if at == layout.number else ''}read the ids as texts ({option('ids', 'text')})",
                )
    raise AssertionError("a block without integers has a line without them")


NEWLINE, SPACE, QUOTE, TAB = b'\n "\t'
ZERO, NINE, PLUS, MINUS = b"09+-"
_PIECE = 1 << 17


def regular_rows(block: bytes, layout: Layout) -> tuple[int, bool] | None:
    """Count the lines of a block if each has exactly the fields of the layout, else None.

    With the separators and newlines alone, in order, a regular block is the same pattern in every
    line: columns - 1 separators, one newline. Quotes are followed by their parity. The second value
    says that no field is written as a number in an unusual way: with a plus or a leading zero.
    """
    quoted = b'"' in block
    if layout.separator == " " and b"\t" in block:
        return None
    signs = bytes(sign for sign in (SPACE, TAB, PLUS, ZERO, MINUS) if sign in block)
    rows, plain, start = 0, not quoted, 0
    while start < len(block):
        # In pieces of whole lines that stay in the processor's cache; a quote may hold what ends a line.
        end = len(block) if quoted else block.find(b"\n", min(start + _PIECE, len(block) - 1)) + 1
        codes = np.frombuffer(block, np.uint8, end - start, start)
        marks = _marks(codes, layout, quoted=quoted)
        found = None if marks is None else _pattern_rows(codes[marks], ord(layout.separator), layout.columns)
        if marks is None or found is None:
            return None
        plain = plain and _plain_numbers(codes, marks, signs)
        rows += found
        start = end
    return rows, plain


def _marks(codes: NDArray[np.uint8], layout: Layout, *, quoted: bool) -> NDArray[np.bool_] | None:
    """Return which bytes are separators and ends of lines, or None where quotes, blanks or blank lines forbid it."""
    newlines = codes == NEWLINE
    marks: NDArray[np.bool_] = codes == ord(layout.separator)
    marks |= newlines
    if quoted:
        quotes = codes == QUOTE
        inside = np.logical_xor.accumulate(quotes)
        if (inside & newlines).any():
            return None
        marks &= ~inside
        beside = marks | quotes
        before, after = np.append(True, beside[:-1]), np.append(beside[1:], True)
        if (quotes & inside & ~before).any() or (quotes & ~inside & ~after).any():
            return None
    if (layout.separator == " " or layout.columns == 1) and (marks[0] or (marks[1:] & marks[:-1]).any()):
        return None  # a run of spaces is one separator, a blank line is none
    return marks


def _plain_numbers(codes: NDArray[np.uint8], marks: NDArray[np.bool_], signs: bytes) -> bool:
    """Whether no field begins with a blank, a plus, or a zero before another digit; only `signs` are looked for."""
    for sign, follower in (
        (SPACE, None),
        (TAB, None),
        (PLUS, None),
        (ZERO, (ZERO, NINE)),
        (MINUS, (ZERO, ZERO)),
    ):
        if sign not in signs:
            continue
        begins = codes[1:] == sign
        begins &= marks[:-1]
        if follower is None:  # behind a blank polars reads whatever number there is
            if codes[0] == sign or begins.any():
                return False
            continue
        at = np.append(np.flatnonzero(begins) + 1, 0 if codes[0] == sign else [])
        then = codes[np.minimum(at.astype(np.int64) + 1, len(codes) - 1)]
        if ((then >= follower[0]) & (then <= follower[1])).any():
            return False
    return True


def _pattern_rows(marks: NDArray[np.uint8], separator: int, columns: int) -> int | None:
    if marks.size % columns:
        return None
    lines = marks.reshape(-1, columns)
    regular = (lines[:, -1] == NEWLINE).all() and (lines[:, :-1] == separator).all()
    return len(lines) if regular else None


def squeezed(block: bytes, *, blanks: bool) -> bytes:
    """Drop blank lines and, with `blanks`, make every run of spaces and tabs one, and none at the ends of lines."""
    codes = np.frombuffer(block.replace(b"\t", b" ") if blanks else block, dtype=np.uint8)
    if blanks:
        blank, gap = codes == SPACE, (codes == SPACE) | (codes == NEWLINE)
        codes = codes[~(blank & np.append(gap[1:], True))]
    gap = (codes == SPACE) | (codes == NEWLINE) if blanks else codes == NEWLINE
    follows_newline = np.append(True, codes[:-1] == NEWLINE)
    return bytes(codes[~(gap & follows_newline)])
