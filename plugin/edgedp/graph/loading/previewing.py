"""What a load would do, shown and not done."""

from __future__ import annotations

import html
import os
from dataclasses import asdict, dataclass
from typing import Any

from edgedp.graph.loading.sources import Nodes, loaded
from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.words.errors import UndecidedError
from edgedp.words.progress import Progress
from edgedp.words.shown import shortened


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """The first rows of a source, and what a load of it would say.

    Parameters
    ----------
    source : str
    columns : tuple of str
        The names of the columns, or their numbers from 1; empty for formats without columns.
    rows : tuple of tuples of str
        The first rows, at most three.
    ends : tuple of str or None
        The two columns that would be read; None where a load would ask.
    node_count, edge_count, self_loops, duplicates : int or None
        None where a load would ask.
    overlap : float or None
        Part of the ids of the side with fewer that stand on the other side too.
    says : tuple of str
        The lines that a load would print, or the question that it would ask.

    Notes
    -----
    Privacy: computed from the private edges; for the curator, never part of a release.
    """

    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ends: tuple[str, ...] | None
    node_count: int | None = None
    edge_count: int | None = None
    self_loops: int | None = None
    duplicates: int | None = None
    overlap: float | None = None
    says: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return the preview for a terminal, one line each."""
        table = [self.columns, *self.rows] if self.rows else []
        widths = (
            [max(len(shortened(row[i], 20)) for row in table) for i in range(len(self.columns))]
            if table
            else []
        )
        lines = [
            "  ".join(shortened(f, 20).ljust(w) for f, w in zip(row, widths, strict=False)) for row in table
        ]
        if self.ends:
            lines.append(f"ends: {' and '.join(self.ends)}")
        if self.overlap is not None:
            lines.append(f"{self.overlap:.0%} of the ids of the smaller side are on the other side, too")
        return [line.rstrip() for line in lines] + list(self.says)

    def exact(self) -> dict[str, Any]:
        """Return everything, JSON-able; private as the edges are."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """Return the preview for a notebook."""
        head = "".join(f"<th>{html.escape(shortened(name, 40))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(shortened(field, 40))}</td>" for field in row) + "</tr>"
            for row in self.rows
        )
        rest = "".join(
            f"<p>{html.escape(line)}</p>" for line in self.lines()[len(self.rows) + bool(self.rows) :]
        )
        return f"<table><tr>{head}</tr>{body}</table>{rest}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def preview(file: str | os.PathLike[str], /, nodes: Nodes = None, **reading: Any) -> Preview:
    """Show what `read_graph` would read from a source, or what it would ask; nothing is stored.

    Parameters
    ----------
    file, nodes, **reading
        As of `read_graph`.

    Returns
    -------
    Preview
        Its text and its HTML show rows, columns, ends and counts.

    Raises
    ------
    EdgeDPError
        The source cannot be read at all.

    Notes
    -----
    Privacy: as `read_graph`; for the curator.

    Examples
    --------
    >>> preview("email-Enron").edge_count
    183831
    """
    return previewed(file, nodes, checked_options(**reading))


def previewed(
    source: str | os.PathLike[str], nodes: Nodes, options: ReadingOptions, progress: Progress | None = None
) -> Preview:
    """Show a source as `preview` does, with options that were checked."""
    try:
        graph, report, read = loaded(source, nodes, options, progress=progress)
    except UndecidedError as error:
        asked = error.question
        return Preview(
            source=asked.source, columns=asked.heading(), rows=asked.rows, ends=None, says=(str(error),)
        )  # fmt: skip
    one, two = (column.unique() for column in read.columns)
    both = int(one.is_in(two.implode()).sum())
    width = len(read.rows[0]) if read.rows else 0
    columns = read.header or tuple(str(i + 1) for i in range(width))
    return Preview(
        source=report.source, columns=columns, rows=read.rows,
        ends=tuple(columns[i] for i in read.picked) if columns else None,
        node_count=graph.node_count, edge_count=graph.edge_count, self_loops=report.self_loops,
        duplicates=report.duplicates, overlap=both / max(1, min(len(one), len(two))), says=tuple(report.lines()),
    )  # fmt: skip
