"""What the first lines of a text say about the rest: the separator and the number of columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from edgedp.errors import GraphFormatError

__all__ = [
    "COMMENTS",
    "EDGE_SEPARATORS",
    "NODE_SEPARATORS",
    "Layout",
    "data_lines",
    "detect_layout",
    "is_integer",
    "refuse_line",
    "split_line",
]

EDGE_SEPARATORS = "\t,; "
NODE_SEPARATORS = "\t,;"  # in a list of nodes a space belongs to the id
COMMENTS = (b"#", b"%")
"""What a line of comment starts with: SNAP's sign, and KONECT's."""
SEPARATOR_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", " ": "spaces"}

_INTEGER = re.compile(r"[+-]?[0-9]+")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is laid out.

    Parameters
    ----------
    separator : str
        One character; a space stands for any run of spaces and tabs.
    columns : int
        Number of fields of the first line of data, which every other line must have too.
    first, second : tuple of str
        The fields of the first two lines of data; `second` is empty when there is one only.
    start, number : int
        Offset in bytes and line number (from 1, comments counted) of the first line of data.
    """

    separator: str
    columns: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    start: int
    number: int

    @property
    def separator_name(self) -> str:
        """The separator in words."""
        return SEPARATOR_NAMES[self.separator] if self.columns > 1 else "one column"


def detect_layout(data: bytes, source: str, separators: str) -> Layout:
    """Tell the layout from the first two lines of data; a text without any is refused."""
    lines = data_lines(data)
    first = next(lines, None)
    if first is None:
        what = "holds nothing but comments and blank lines" if data else "is empty"
        raise GraphFormatError(f"{source!r} {what}, must hold at least one line of data; check the file")
    number, start, raw = first
    text = _decoded(raw, number, source)
    bare = _QUOTED.sub("", text).strip()
    separator = next((mark for mark in separators if mark in bare), "\t")
    fields = split_line(raw, number, separator, source)
    second = next(lines, None)
    second_fields = split_line(second[2], second[0], separator, source) if second else []
    return Layout(separator, len(fields), tuple(fields), tuple(second_fields), start, number)


def data_lines(data: bytes, start: int = 0, number: int = 1) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line number, offset, line) of every line that is neither blank nor a comment."""
    while start < len(data):
        end = data.find(b"\n", start)
        line = data[start:end]
        if line.strip(b" \t") and not line.startswith(COMMENTS):
            yield number, start, line
        start = end + 1
        number += 1


def split_line(raw: bytes, number: int, separator: str, source: str) -> list[str]:
    """Split a line into its fields, quotes and blanks around them taken off.

    This is the definition of a field; the columnar reader must agree with it.
    """
    line = _decoded(raw, number, source)
    if separator == " ":
        line = line.replace("\t", " ").strip(" ")
    if '"' not in line:
        fields = [field for field in line.split(" ") if field] if separator == " " else line.split(separator)
    else:
        try:
            [fields] = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError):
            refuse_line(raw, number, source, "must hold quoted fields that close on their line")
    return [field.strip(" \t") for field in fields]


def _decoded(raw: bytes, number: int, source: str) -> str:
    """Decode a line; only UTF-8 is text here."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        refuse_line(raw, number, source, "must be text in UTF-8")


def refuse_line(raw: bytes, number: int, source: str, condition: str) -> NoReturn:
    """Refuse a line by its number and its text, shortened."""
    shown = raw.decode(errors="backslashreplace")
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    raise GraphFormatError(
        f"line {number} of {source!r} is {shown!r}, {condition}; correct or remove the line"
    )


def is_integer(field: str) -> bool:
    """Whether a field is an optional sign and decimal digits, of any length."""
    return _INTEGER.fullmatch(field) is not None
