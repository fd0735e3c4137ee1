"""Chunks of bytes to blocks of whole lines, and lines to fields."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NoReturn

import numpy as np

from edgedp.graph.reading.sources.recognition import BYTE_ORDER_MARK
from edgedp.words.errors import GraphFormatError

BLOCK = 1 << 23
NEWLINE = ord("\n")
COMMENTS = (b"#", b"%")
"""What a line of comment starts with: SNAP's sign, and KONECT's."""


class Blocks:
    r"""A text in blocks of whole lines with ``\n`` line ends, to be read once.

    Parameters
    ----------
    chunks : iterator of bytes
        The text, in pieces of any length. Its encoding is checked where texts are read from it, line by line.
    source : str
        What errors call it.

    Attributes
    ----------
    line_count : int
        Lines in the blocks that were handed out.
    crlf : bool
        Whether a line end of another kind was met.
    """

    def __init__(self, chunks: Iterator[bytes], source: str) -> None:
        self.line_count = 0
        self.crlf = False
        self._source = source
        self._blocks = self._cut(chunks)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        block = next(self._blocks)
        self.line_count += _lines_in(block)
        return block

    def first(self, comments: tuple[bytes, ...]) -> bytes:
        """Return the text as far as the end of the first block with a line of data."""
        text = b""
        for block in self:
            text += block
            if next(data_lines(block, comments), None) is not None:
                break
        return text

    def push_back(self, block: bytes) -> None:
        """Hand a block, or the rest of it, out again."""
        self.line_count -= _lines_in(block)
        self._blocks = chain([block], self._blocks)

    def _cut(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        parts: list[bytes] = []
        size = 0
        for chunk in self._plain(chunks):
            parts.append(chunk)
            size += len(chunk)
            if size >= BLOCK:
                block = b"".join(parts)
                end = block.rfind(b"\n") + 1
                if end:
                    yield block[:end]
                parts = [block[end:]]
                size = len(parts[0])
        block = b"".join(parts)
        if block:
            yield block if block.endswith(b"\n") else block + b"\n"

    def _plain(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Take off the byte order mark, make line ends plain, and refuse what is not text."""
        held = b""  # a mark not whole yet, or a carriage return whose newline may follow
        start = True
        for chunk in chunks:
            data = held + chunk
            if start and len(data) < len(BYTE_ORDER_MARK):
                held = data
                continue
            if start:
                data = data.removeprefix(BYTE_ORDER_MARK)
            start = False
            held = b"\r" if data.endswith(b"\r") else b""
            yield self._with_plain_ends(data[: len(data) - len(held)])
        yield self._with_plain_ends(held)

    def _with_plain_ends(self, data: bytes) -> bytes:
        if b"\0" in data:
            raise GraphFormatError(
                f"{self._source!r} is a binary file, must be text in UTF-8; "
                "export the edges as CSV, Parquet or GraphML"
            )
        if b"\r" not in data:
            return data
        self.crlf = True
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _lines_in(block: bytes) -> int:
    """Return how many lines end in a block, as ``count`` does at a fifth of its time."""
    return int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == NEWLINE))


def data_lines(
    data: bytes, comments: tuple[bytes, ...], start: int = 0, number: int = 1
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line number, offset, line) of every line that is neither blank nor a comment."""
    while start < len(data):
        end = data.find(b"\n", start)
        line = data[start:end]
        if line.strip(b" \t") and not (comments and line.startswith(comments)):
            yield number, start, line
        start = end + 1
        number += 1


def first_lines(
    data: bytes, comments: tuple[bytes, ...], most: int, start: int = 0, number: int = 1
) -> list[tuple[int, int, bytes]]:
    """Return so many lines of `data_lines` at most."""
    return list(islice(data_lines(data, comments, start, number), most))


def fields_of(lines: Iterable[tuple[int, int, bytes]], separator: str, source: str) -> list[list[str]] | None:
    """Return the fields of some lines; None where one is broken, which the reader refuses by its number."""
    try:
        return [split_line(raw, number, separator, source) for number, _, raw in lines]
    except GraphFormatError:
        return None


def split_line(raw: bytes, number: int, separator: str, source: str) -> list[str]:
    """Split a line into its fields, quotes and blanks around them taken off.

    This is the definition of a field; the columnar reader must agree with it.
    """
    line = decoded(raw, number, source)
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


def decoded(raw: bytes, number: int, source: str) -> str:
    """Decode a line; only UTF-8 is text here."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        refuse_line(raw, number, source, "must be text in UTF-8", "save the file as UTF-8")


def refuse_line(
    raw: bytes, number: int, source: str, condition: str, advice: str = "correct or remove the line"
) -> NoReturn:
    """Refuse a line by its number and its text, shortened."""
    text = raw.decode(errors="backslashreplace")
    text = text if len(text) <= 60 else text[:57] + "..."
    raise GraphFormatError(f"line {number} of {source!r} is {text!r}, {condition}; {advice}")
