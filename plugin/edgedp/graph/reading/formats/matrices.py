"""Matrix Market and METIS: nodes are numbered from 1, and the file says how many there are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

import numpy as np

from edgedp.graph.reading.options import Ids
from edgedp.graph.reading.series import ids_told
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.text.layout import Layout
from edgedp.graph.reading.text.lines import Blocks
from edgedp.graph.reading.text.result import Read
from edgedp.graph.reading.text.table import read_columns
from edgedp.words.amounts.written import whole_of
from edgedp.words.errors import GraphFormatError

_BANNER = re.compile(
    r"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+(pattern|real|integer|complex)\s+"
    r"(general|symmetric|skew-symmetric|hermitian)\s*",
    re.IGNORECASE,
)
_VALUES = {"pattern": 0, "integer": 1, "real": 1, "complex": 2}


def read_matrix_market(content: Content, source: str, ids: Ids | None) -> Read:
    """Read the entries of a square sparse matrix as edges; an entry that is 0 is none."""
    blocks = Blocks(content.chunks, source)
    text, start = b"", 0
    size: list[str] = []
    for block in blocks:
        text += block
        head = re.match(rb"(?:%[^\n]*\n|[ \t]*\n)*([^%\n]*\n)", text)
        if head:
            size, start = head[1].decode("ascii", errors="replace").split(), head.end()
            break
    banner = _BANNER.fullmatch(text.partition(b"\n")[0].decode("ascii", errors="replace"))
    if banner is None:
        _refuse(source, "has a first line of another kind, must begin with %%MatrixMarket matrix")
    arrangement, field, symmetry = (word.lower() for word in banner.groups())
    if arrangement == "array":
        _refuse(source, "is dense, must be of the form coordinate")
    if len(size) != 3 or not all(word.isdecimal() for word in size):
        _refuse(source, "has no line of sizes, must have rows, columns and entries below its comments")
    n, columns, entries = map(int, size)
    if n != columns:
        _refuse(source, f"has {n} rows and {columns} columns, must be square to be a graph")
    if n >= 2**31:
        _refuse(source, "has 2^31 rows or more, must have fewer")
    blocks.push_back(text[start:])
    values = _VALUES[field]
    layout = Layout(
        " ", 2 + values, tuple(range(2)), (), 0, blocks.line_count, comments=(b"%",), judge_comments=False, header=False
    )  # fmt: skip
    wanted = replace(layout, picked=tuple(range(2 + values)))
    read = read_columns(blocks, wanted if values else layout, source, None if values else "integer").columns
    ends, zeros = _nonzero(read, source) if values else (read, 0)
    if len(read[0]) != entries:
        _refuse(source, f"holds {len(read[0])} entries, must hold {entries} as its line of sizes says")
    _check_range([end.to_numpy() for end in ends], n, source)
    notes = (f"{zeros} entries that are 0 are no edges",) if zeros else ()
    undirected = "" if symmetry == "general" else f"is {symmetry}"
    made = _numbered("Matrix Market", content, ends, n, blocks.line_count, ids)
    return replace(made, notes=notes, undirected=undirected)


def _nonzero(read: list, source: str) -> tuple[list, int]:  # type: ignore[type-arg]
    """Take out the entries whose value is 0."""
    import polars as pl

    ends = [column.cast(pl.Int64, strict=False) for column in read[:2]]
    values = [column.cast(pl.Float64, strict=False) for column in read[2:]]
    if any(column.null_count() for column in ends + values) or any(value.is_nan().any() for value in values):
        _refuse(source, "holds an entry that is not a number, must hold rows, columns and values")
    nonzero = pl.Series(values=np.logical_or.reduce([value.to_numpy() != 0 for value in values]))
    return [end.filter(nonzero) for end in ends], int((~nonzero).sum())


def read_metis(content: Content, source: str, ids: Ids | None) -> Read:
    """Read METIS: nodes and edges in the first line, then the neighbours of each node, from 1."""
    import polars as pl

    lines = [line for block in Blocks(content.chunks, source) for line in block.split(b"\n")[:-1]]
    rows = [line.split() for line in lines if not line.lstrip().startswith(b"%")]
    while rows and not rows[0]:
        rows.pop(0)
    head = rows[0] if rows else []
    if not 2 <= len(head) <= 4 or not all(word.isdigit() for word in head):
        _refuse(
            source,
            "has no line of sizes as METIS has, must begin with nodes and edges",
            "name an edge list .txt, or give --separator",
        )
    n, m = int(head[0]), int(head[1])
    kind = head[2].decode().zfill(3) if len(head) > 2 else "000"
    if kind.strip("01") or len(kind) != 3:
        _refuse(source, f"has the kind {kind}, must be of three digits 0 or 1")
    weights = (int(head[3]) if len(head) > 3 else 1) if kind[1] == "1" else 0
    rows = rows[1:]
    while len(rows) > n and not rows[-1]:
        rows.pop()
    if len(rows) != n:
        _refuse(
            source,
            f"has {len(rows)} lines of neighbours, must have {n}, one for each node",
            "correct it; name an edge list .txt, or give --separator",
        )
    skipped = (1 if kind[0] == "1" else 0) + weights
    step = 2 if kind[2] == "1" else 1
    neighbours = [row[skipped::step] for row in rows]
    if any(len(row) < skipped or (len(row) - skipped) % step for row in rows):
        _refuse(source, "has a line without its weights, must have them as its first line says")
    try:
        written = [whole_of(word.decode("ascii", errors="replace")) for row in neighbours for word in row]
        if None in written:
            raise ValueError
        targets = np.array(written, dtype=np.int64)
    except (ValueError, OverflowError):
        _refuse(source, "holds a neighbour that is not an integer, must hold numbers of nodes")
    sources = np.repeat(np.arange(1, n + 1, dtype=np.int64), [len(row) for row in neighbours])
    _check_range([targets], n, source)
    both = np.sort(sources * (n + 1) + targets)
    if len(targets) != 2 * m or not np.array_equal(both, np.sort(targets * (n + 1) + sources)):
        _refuse(source, f"lists {len(targets)} neighbours, must list each of {m} edges at both of its ends")
    columns = [pl.Series(values=sources), pl.Series(values=targets)]
    made = _numbered("METIS", content, columns, n, len(lines), ids)
    return replace(made, undirected="is METIS, which lists each edge at both of its ends")


def _numbered(name: str, content: Content, ends: list, n: int, line_count: int, ids: Ids | None) -> Read:  # type: ignore[type-arg]
    """Return what was read of a format that numbers its nodes from 1 to `n`."""
    import polars as pl

    nodes = pl.Series(values=np.arange(1, n + 1, dtype=np.int64))
    if ids == "text":
        ends, nodes = [end.cast(pl.String) for end in ends], nodes.cast(pl.String)
    read_as = "text ids" if ids == "text" else "integer ids"
    return Read(
        columns=ends,
        nodes=nodes,
        format=(name, read_as, *content.packed),
        line_count=line_count,
        ids=ids_told(ends, ids),
    )


def _check_range(ends: list, n: int, source: str) -> None:  # type: ignore[type-arg]
    if any(len(end) and (int(end.min()) < 1 or int(end.max()) > n) for end in ends):
        _refuse(source, f"names a node that is not from 1 to {n}")


def _refuse(source: str, condition: str, advice: str = "correct the file") -> NoReturn:
    raise GraphFormatError(f"{source!r} {condition}; {advice}")
