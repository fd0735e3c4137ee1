"""What the first lines of a text say about the rest: the separator, the columns, and which of them are ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from edgedp.graph.reading.beside import NONE, Beside, beside_of, named_ends
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.text.deciding import decide
from edgedp.graph.reading.text.lines import COMMENTS, decoded, fields_of, first_lines, split_line
from edgedp.graph.reading.text.words import hold_a_number
from edgedp.words.errors import GraphFormatError
from edgedp.words.spoken import option

EDGE_SEPARATORS = "\t,; "
NODE_SEPARATORS = "\t,;"  # in a list of nodes a space belongs to the id
SEPARATOR_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", " ": "spaces", "|": "bars"}
OTHER_SEPARATORS = ("->", "--", "=>", "::", "|", ":", "/", "-", "_", "=", "~")
SAMPLE_LINES, SAMPLE_BYTES = 1000, 1 << 18

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_KONECT = re.compile(rb"%\s*(?:sym|asym|bip)\s+(\w+)")
_BIPARTITE = re.compile(rb"%\s*bip\b|[^\n]*\b(?:bipartite|two-mode|2-mode|bimodal)\b", re.IGNORECASE)
_PROSE = {
    "a",
    "the",
    "of",
    "graph",
    "data",
    "edge",
    "edges",
    "list",
    "network",
    "directed",
    "undirected",
    "comment",
}
_NUMERIC = re.compile(r"[+-]?[0-9.]+")


@dataclass(frozen=True)
class Layout:
    """How a text is laid out.

    Parameters
    ----------
    separator : str
        One character; a space stands for any run of spaces and tabs.
    columns : int
        Number of fields of the first line of data, which every other line must have too.
    picked : tuple of int
        The columns that are read: those of the two ends, or that of the nodes.
    first : tuple of str
        The fields of the first line of data.
    start, number, second_number : int
        Offset of the first row, behind the names of the columns, and the numbers of the first two lines of data
        (from 1, comments counted; the second is 0 where there is none).
    comments : tuple of bytes
        What a line of comment starts with.
    judge_comments : bool
        Whether those are the usual signs, and not what the caller said: then a comment that could be a row is refused.
    header : bool
        Whether the first line of data names the columns.
    names : tuple of str or None
        Of the columns, by the first line or by the last comment.
    rows : tuple of tuples of str
        The first rows, for whoever is shown them.
    beside : Beside
        The column of dates and those that are kept, which may be empty.
    """

    separator: str
    columns: int
    picked: tuple[int, ...]
    first: tuple[str, ...]
    start: int
    number: int
    second_number: int = 0
    comments: tuple[bytes, ...] = COMMENTS
    judge_comments: bool = True
    header: bool = False
    names: tuple[str, ...] | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    beside: Beside = NONE

    @cached_property
    def taken(self) -> tuple[int, ...]:
        """The columns that are read: the ids, and behind them those that are read beside."""
        return (*self.picked, *self.beside.positions)

    @property
    def separator_name(self) -> str:
        """The separator in words."""
        if self.columns == 1:
            return "one column"
        return SEPARATOR_NAMES.get(self.separator, f"columns separated by {self.separator}")

    @property
    def words(self) -> tuple[str, ...]:
        """The fields of the first line in the columns that are read."""
        return tuple(self.first[column] for column in self.picked)


def detect_layout(block: bytes, source: str, width: int, options: ReadingOptions) -> Layout:
    """Tell the layout from the first lines of data; a text without any is refused.

    Parameters
    ----------
    block : bytes
        Whole lines, from the first of the text.
    width : int
        2 for edges, 1 for nodes.
    """
    comments = COMMENTS if options.comments is None else options.comments
    lines = first_lines(block, comments, 1)
    if not lines:
        what = "holds nothing but comments and blank lines" if block.strip() else "is empty"
        advice = "check the file"
        if block.strip() and options.comments is None:
            advice = (
                f"if its ids begin with # or %, say that there are no comments ({option('comments', 'none')})"
            )
        raise GraphFormatError(f"{source!r} {what}, must hold at least one line of data; {advice}")
    number, start, raw = lines[0]
    whole = block.rfind(b"\n", start, start + SAMPLE_BYTES) + 1 or block.find(b"\n", start) + 1
    lines = first_lines(block[:whole], comments, SAMPLE_LINES, start, number)
    separator = options.separator or _excel(raw)
    if separator is not None and options.separator is None:
        lines = lines[1:]
        if not lines:
            raise GraphFormatError(
                f"{source!r} holds nothing but {decoded(raw, 1, source)!r}; check the file"
            )
        number, start, raw = lines[0]
    end = block.find(b"\n", start) + 1
    text = decoded(raw, number, source)
    candidates = EDGE_SEPARATORS if width == 2 else NODE_SEPARATORS
    separator = separator or _separator(text, lines, source, candidates)
    first = split_line(raw, number, separator, source)
    sample = fields_of(lines[1:], separator, source)
    if sample is not None and any(len(fields) != len(first) for fields in sample):
        sample = None
    if len(first) < width:
        raise GraphFormatError(f"{source!r} has one column, must have two ids in each line; {_other(text)}")
    before = [line for line in block[:start].split(b"\n") if comments and line.startswith(comments)]
    named = _names_in_comment(before, separator, first, source) if width == 2 else None
    kind = _KONECT.match(before[0]) if before else None
    if kind and kind[1] == b"dynamic":
        raise GraphFormatError(
            f"{source!r} says 'dynamic', so its rows add edges and take them away; write the edges that are left, or "
            "take that line out to read all that ever were"
        )
    called = named or (first if options.header is not False else None)
    options = named_ends(options, called, len(first), width, source)
    decision = decide(
        first, sample, width, options, source, named,
        konect=kind is not None, bipartite=any(map(_BIPARTITE.match, before)),
    )  # fmt: skip
    rows = [*([] if decision.header else [first]), *(sample or [])]
    return Layout(
        separator,
        len(first),
        decision.picked,
        tuple(first),
        end if decision.header else start,
        number,
        lines[1][0] if len(lines) > 1 else 0,
        comments,
        options.comments is None,
        decision.header,
        decision.names,
        tuple(tuple(row) for row in rows[:3]),
        beside_of(options, decision.names, decision.picked, len(first), source),
    )


def _excel(raw: bytes) -> str | None:
    """Return the separator of a first line such as ``sep=;``, which Excel writes and takes."""
    match = re.fullmatch(rb' *"?sep=([;,|\t])"? *', raw, re.IGNORECASE)
    return match[1].decode() if match else None


def _names_in_comment(
    comments: list[bytes], separator: str, first: list[str], source: str
) -> list[str] | None:
    """Return the fields of the last comment where there are as many as in a row, none is a number or of prose."""
    if not comments or _KONECT.match(comments[-1]) or first == [""]:
        return None
    body = comments[-1].lstrip(b"#% \t")
    for mark in dict.fromkeys((separator, ",", "\t", " ")):
        try:
            names = split_line(body, 0, mark, source)
        except GraphFormatError:
            return None
        if len(names) == len(first) and all(names) and not hold_a_number(names):
            return None if any(name.lower() in _PROSE for name in names) else names
    return None


def _separator(text: str, lines: list[tuple[int, int, bytes]], source: str, candidates: str) -> str:
    """Choose the separator of the first line; one of two that both fit every line is refused."""
    bare = _QUOTED.sub('""', text).strip()
    there = [mark for mark in candidates if mark in bare]
    if not there:
        return "\t"
    chosen, *others = there
    if chosen == "\t":
        return chosen
    widths = {mark: _width(lines, mark, source) for mark in there}
    if chosen == "," and ";" in others:
        if widths[","] and widths[";"]:
            raise GraphFormatError(
                f"{source!r} holds commas and semicolons in every line, must have one separator; "
                f"give it ({option('separator', ';')} or {option('separator', ',')})"
            )
        if widths[";"]:
            return ";"
    if chosen in ",;" and " " in others and widths[chosen] and widths[" "]:
        words = [word for field in bare.split(chosen) if " " in field.strip() for word in field.split()]
        if words and all(_NUMERIC.fullmatch(word) for word in words):
            raise GraphFormatError(
                f"{source!r} separates numbers by blanks and by {SEPARATOR_NAMES[chosen]}, must have one "
                f"separator; give it ({option('separator', 'space')} or {option('separator', chosen)})"
            )
    return chosen


def _width(lines: list[tuple[int, int, bytes]], separator: str, source: str) -> int:
    """Return the number of columns where all lines have as many, two at least; else 0."""
    widths = {len(fields) for fields in fields_of(lines, separator, source) or ()}
    width = widths.pop() if len(widths) == 1 else 0
    return width if width > 1 else 0


def _other(text: str) -> str:
    """Say what to do about a line without a usual separator."""
    bare = _QUOTED.sub("", text).strip()
    mark = next((sign for sign in OTHER_SEPARATORS if 0 < bare.find(sign) < len(bare) - len(sign)), None)
    if mark is None:
        return "give a list of nodes as `nodes`"
    if len(mark) > 1:
        return f"write a comma in place of {mark!r}, or give a list of nodes as `nodes`"
    return f"give the separator ({option('separator', mark)}?), or a list of nodes as `nodes`"
