"""What a source is, from its first bytes: read, or known by name and not read, or text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Literal, TypeVar

from edgedp.words.errors import GraphFormatError

Format = Literal[
    "text", "parquet", "arrow", "json lines", "matrix market", "graphml", "gexf", "gml", "pajek", "metis"
]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_READ: dict[bytes, Format] = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
_NAMED_BINARIES = {
    b"\x1f\x8b": "a gzip file inside another archive",
    b"PK\x03\x04": "a zip archive inside another archive",
    b"BZh": "a bzip2 file inside another archive",
    b"\xfd7zXZ": "an xz file inside another archive",
    b"\x28\xb5\x2f\xfd": "a zstandard file inside another archive",
    b"PK\x05\x06": "an empty zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x1f\x9d": "a compress (.Z) file",
    b"\x04\x22\x4d\x18": "an lz4 file",
    b"\xff\x06\x00\x00sNaPpY": "a snappy file",
    b"LZIP": "an lzip file",
    b"FEA1": "a Feather file of version 1",
    b"ORC": "an ORC file",
    b"Obj\x01": "an Avro file",
    b"\x89HDF": "an HDF5 file",
    b"CDF\x01": "a NetCDF file",
    b"CDF\x02": "a NetCDF file",
    b"CDF\x05": "a NetCDF file",
    b"MATLAB 5.0": "a MATLAB file",
    b"\x93NUMPY": "a numpy array (.npy)",
    b"SQLite format 3\0": "an SQLite database, whose tables have addresses (sqlite:///PATH)",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"{\\rtf": "an RTF document",
    b"RDX": "an R data file",
    b"\x80\x02": "a pickle",
    b"\x80\x03": "a pickle",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
}
_WORDS = {b"PAR1", b"ARROW1", b"BZh", b"LZIP", b"FEA1", b"ORC", b"MATLAB 5.0", b"RDX"}
"""Magic numbers that a text may begin with too: they count where what follows is none."""
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BZIP2_BLOCK = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_NAMED_TEXTS: tuple[tuple[str, str], ...] = (
    (r"<!doctype html|<html|<head|<body", "an HTML page, perhaps an error of the server"),
    (r"<\S+>\s+<\S+>\s+[<\"_]", "RDF (N-Triples)"),
    (r"@prefix\b|@base\b|prefix\s+\w*:\s*<", "RDF (Turtle)"),
    (r"<", "XML of another kind than GraphML and GEXF"),
    (r"(strict\s+)?(di)?graph\b[^\[\n]*\{", "DOT (Graphviz)"),
    (r"[\[{]", "JSON of another kind than one object in each line"),
    (
        r"(create\s+(table|database|schema|view)|insert\s+into|drop\s+table|begin\s*;|begin\s+transaction"
        r"|set\s+\w+\s*=|pragma\s)",
        "SQL",
    ),
    (r"(create|merge|match|unwind|load csv)\s*\(", "Cypher"),
    (r"nodedef\s*>", "GDF (GUESS)"),
    (r"dl\s+n\s*=|dl\s*\n", "UCINET DL"),
    (r"[pc]\s[^\n]*\n(c[^\n]*\n)*p\s+\w+\s+\d+|p\s+(edge|col|sp|max|min|tw|td|aux)\s+\d+", "DIMACS"),
    (r">>(graph6|sparse6|digraph6)<<", "graph6 or sparse6"),
    (r"---\s*\n|\w+:\s*\n\s+-\s", "YAML"),
    (r"#!|import\s+\w+\s*\n|from\s+\w+\s+import\s", "a script"),
    (r"from nbformat|\\documentclass", "a document"),
)
_COMMENT_LINES = re.compile(r"(?:[ \t]*(?:[#%][^\n]*)?\n)*")
_GML = re.compile(
    r"(?:\s*(?:creator|version|comment|directed|label|id)\b[^\n]*\n)*\s*graph\s*\[", re.IGNORECASE
)
_DOT_COMMENTS = re.compile(r"(?:\s*(?://[^\n]*\n|/\*.*?\*/|#[^\n]*\n))*\s*", re.DOTALL)


_Told = TypeVar("_Told", bound=str)


def told_by(head: bytes, magics: Mapping[bytes, _Told]) -> _Told | None:
    """Return what first bytes are by their magic number; None of any other, and of a text that begins with its letters.

    Examples
    --------
    >>> told_by(b"ORC" + bytes(3), {b"ORC": "an ORC file"}), told_by(b"ORC1,ORC2", {b"ORC": "an ORC file"})
    ('an ORC file', None)
    """
    for magic, told in magics.items():
        if head.startswith(magic) and (
            magic not in _WORDS or _NO_TEXT.search(head) or _BZIP2_BLOCK.match(head)
        ):
            return told
    return None


def recognise(head: bytes, name: str, source: str) -> Format:
    """Tell the format from the first bytes; of METIS, which looks like numbers, from the name.

    Raises
    ------
    GraphFormatError
        A format that is known by name and not read, or a binary file.
    """
    if head[:14].lower() == b"%%matrixmarket":
        return "matrix market"
    if (known := told_by(head, _READ)) is not None:
        return known
    if (what := told_by(head, _NAMED_BINARIES)) is not None:
        _refuse(source, what)
    if head[257:262] == b"ustar":
        _refuse(source, "a tar archive", "unpack it and name the edge list")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        _refuse(source, "a text in UTF-16", "save it in UTF-8")
    if b"\0" in head:
        _refuse(source, "a binary file")
    text = head.removeprefix(BYTE_ORDER_MARK).decode("utf-8", errors="replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _of_text(text, name, source)


def _are_json_lines(text: str) -> bool:
    """Whether the first line is an object by itself, and not a whole document on one line.

    Examples
    --------
    >>> [_are_json_lines(text) for text in ('{"source": 1, "target": 2}', '{"nodes": [{"id": 1}]}', "[1]")]
    [True, False, False]
    """
    lines = text.strip().split("\n", 1)
    try:
        first = json.loads(lines[0])
    except ValueError:
        return False
    if not isinstance(first, dict) or not first:
        return False
    return len(lines) > 1 or not any(isinstance(value, (list, dict)) for value in first.values())


def _of_text(text: str, name: str, source: str) -> Format:
    start = text.lstrip()
    if start.startswith("{") and _are_json_lines(start):
        return "json lines"
    if start.startswith("<"):
        if re.search(r"<(\w+:)?graphml[\s>]", text):
            return "graphml"
        if re.search(r"<(\w+:)?gexf[\s>]", text):
            return "gexf"
    body = text[_COMMENT_LINES.match(text).end() :]  # type: ignore[union-attr]  # it matches nothing too
    if re.match(r"\s*\*(vertices|network|arcs|edges|partition)\b", body, re.IGNORECASE):
        return "pajek"
    if _GML.match(body):
        return "gml"
    for candidate in (start, body.lstrip(), text[_DOT_COMMENTS.match(text).end() :]):  # type: ignore[union-attr]
        for pattern, what in _NAMED_TEXTS:
            if re.match(pattern, candidate, re.IGNORECASE):
                _refuse(source, what)
    if re.search(r"\.(metis|graph)(\.(gz|zst|bz2|xz|zip))?$", name, re.IGNORECASE):
        return "metis"
    return "text"


def _refuse(source: str, what: str, advice: str = "export the edges as CSV, Parquet or GraphML") -> None:
    raise GraphFormatError(f"{source!r} is {what}, which is not read; {advice}")
