"""How many rows an address holds, before they are read: what they would need of memory is told from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.sources.content import Content, opened_content
from edgedp.graph.reading.sources.databases import Database
from edgedp.graph.reading.sources.dialects import rows_of
from edgedp.graph.reading.sources.folders import Part, marks_of

INTEGER_ROW, TEXT_ROW = 128, 192
"""Bytes of memory a row: reading, and the release that takes most (bench/addresses.py)."""
DATE_OF_ROW = 48
"""What a row with a date needs besides."""
_SAMPLES = 3


def rows_of_parts(parts: Sequence[Part]) -> int:
    """Return about how many rows some files hold: by their footers, or by the first 64 KiB of some of them.

    Raises
    ------
    EdgeDPError
        One cannot be opened.
    """
    sizes = [mark[2] for mark in marks_of(parts)]
    exact, sampled, of_samples, rest = 0, 0.0, 0, 0
    for part, size in zip(parts, sizes, strict=True):
        if of_samples and rest > _SAMPLES:
            sampled += size * (sampled / of_samples)
            of_samples += size
            continue
        seen = _Seen()
        path = Path(part.path) if part.bucket is None else None
        with opened_content(path, part.name, seen, part.bucket) as content:
            footer = _of_footer(content)
            if footer is not None:
                exact += footer
                continue
            sampled += content.head.count(b"\n") * size / max(seen.done, 1)
            of_samples, rest = of_samples + size, rest + 1
    return exact + round(sampled)


def rows_of_table(database: Database, options: ReadingOptions) -> int:
    """Count the rows of a table or a query.

    Raises
    ------
    EdgeDPError
        As of `Database.session`.
    """
    with database.session() as session:
        there = rows_of(database.kind, options.table, options.query)
        statement = f"SELECT count(*) AS rows_there FROM {there}"  # noqa: S608 -- a name that is quoted
        return int(session.schema(statement)[2][0][0])


class _Seen:
    """How many bytes of a file were read, packed as they are."""

    done = 0

    def __call__(self, _stage: str, done: int, _total: int | None) -> None:
        self.done = done


def _of_footer(content: Content) -> int | None:
    if not content.head.startswith(b"PAR1") or (content.plain is None and content.anywhere is None):
        return None
    from pyarrow import ArrowException, parquet

    try:
        return int(parquet.read_metadata(content.plain or content.anywhere).num_rows)
    except (ArrowException, OSError):
        return None  # its reading says what is wrong with it
