"""What a load found, for the curator who runs it."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, dataclass
from typing import Any

from edgedp.graph.graph import Graph
from edgedp.graph.reading.sources.catalogue import Dataset
from edgedp.graph.reading.sources.locating import Location
from edgedp.graph.reading.text.result import Read
from edgedp.words.shown import shortened, shown


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadReport:
    """What was read, merged and dropped on the way to a graph.

    Parameters
    ----------
    source : str
        What the caller named: a dataset, a path or an address without user, password and query.
    format : str
        The format told from the content, in words.
    line_count, row_count : int
        Lines in all (comments and blank ones too; 0 where the format has none), and rows that are an edge.
    self_loops, duplicates : int
        Edges dropped because both ends are one node; edges merged into an earlier one, in either direction.
    extra_columns : int
        Columns that are ignored.
    header : tuple of str
        The names of the columns, where there are any.
    node_count, edge_count, max_degree : int
        Figures of the graph: undirected, without parallels and self-loops.
    nodes_supplied : bool
        Whether a list of all nodes was given, or the file lists them.
    first_edge : (id, id) or None
        The first edge as it was read, private as all are.
    first_number : int
        Its line, 0 where the format has none.
    columns : tuple of int
        The columns of its ends, from 1; empty where the format has none.
    first_line, comments, ids : str
        How the first line, the comments and the ids were taken, in words.
    notes : tuple of str
        Further sentences, such as where a download is kept.

    Notes
    -----
    Privacy: computed from the edges; for the curator, never part of a release.
    """

    source: str
    format: str
    line_count: int
    row_count: int
    self_loops: int
    duplicates: int
    extra_columns: int
    header: tuple[str, ...]
    node_count: int
    edge_count: int
    max_degree: int
    nodes_supplied: bool
    first_edge: tuple[int | str, int | str] | None = None
    first_number: int = 0
    columns: tuple[int, ...] = ()
    first_line: str = ""
    comments: str = ""
    ids: str = ""
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        r"""Return the report for a person, one sentence a line.

        Examples
        --------
        >>> report = LoadReport(source="a.txt", format="tabs, integer ids", line_count=5, row_count=4,
        ...     self_loops=1, duplicates=1, extra_columns=0, header=(), node_count=3, edge_count=2,
        ...     max_degree=2, nodes_supplied=False, first_edge=(1, 2), first_number=2, columns=(1, 2),
        ...     first_line="an edge", comments="1 line that begins with # or %", ids="integers")
        >>> print(*report.lines(), sep="\n")
        a.txt: 3 nodes, 2 edges, largest degree 2
        read as tabs, integer ids: 5 lines, 4 of them edges
        first edge as read: 1 - 2 (line 2)
        first line: an edge; comments: 1 line that begins with # or %; ids: integers
        1 self-loop dropped, 1 duplicate merged
        nodes read from the edges
        """
        rows = (
            f"{_counted(self.line_count, 'line')}, {self.row_count:,} of them edges"
            if self.line_count
            else f"{_counted(self.row_count, 'row')}"
        )
        lines = [
            f"{shown(self.source)}: {_counted(self.node_count, 'node')}, {_counted(self.edge_count, 'edge')}, "
            f"largest degree {self.max_degree:,}",
            f"read as {self.format}: {rows}",
        ]
        if self.first_edge is not None:
            lines.append(self._first_edge())
        first_line = (
            f"{self.first_line} ({self._names()})" if self.header and self.first_line else self.first_line
        )
        taken = (("first line", first_line), ("comments", self.comments), ("ids", self.ids))
        lines.append("; ".join(f"{what}: {how}" for what, how in taken if how))
        lines.append(
            f"{_counted(self.self_loops, 'self-loop')} dropped, "
            f"{_counted(self.duplicates, 'duplicate')} merged"
        )
        if self.extra_columns:
            lines.append(f"{_counted(self.extra_columns, 'other column')} ignored")
        lines.append("nodes supplied" if self.nodes_supplied else "nodes read from the edges")
        return [line for line in lines if line] + list(self.notes)

    def exact(self) -> dict[str, Any]:
        """Return what was read and counted, JSON-able; private as the edges are."""
        return asdict(self)

    def _first_edge(self) -> str:
        """Show the first edge, and where it stood."""
        assert self.first_edge is not None  # noqa: S101 -- asked for only where there is one
        one, two = (shortened(end, 40) for end in self.first_edge)
        where = [f"line {self.first_number}"] if self.first_number else []
        if self.header and self.columns:
            where.append(f"columns {' and '.join(shortened(self.header[i - 1], 30) for i in self.columns)}")
        elif self.extra_columns and self.columns:
            where.append(f"columns {' and '.join(map(str, self.columns))}")
        return f"first edge as read: {one} - {two}" + (f" ({', '.join(where)})" if where else "")

    def _names(self) -> str:
        return shortened(", ".join(self.header), 80)


def report_of(graph: Graph, where: Location, read: Read, nodes: Read | None) -> LoadReport:
    """Return the report of a load: what was read, merged and left out, with the nodes' own file where one was given."""
    one, two = read.columns
    rows = len(one)
    loops = int((one == two).sum())
    return LoadReport(
        source=where.name,
        format=", ".join(read.format),
        line_count=read.line_count,
        row_count=rows,
        self_loops=loops,
        duplicates=rows - loops - (graph.arc_count if graph.directed else graph.edge_count),
        extra_columns=read.extra_columns,
        header=read.header,
        node_count=graph.node_count,
        edge_count=graph.edge_count,
        max_degree=graph.max_degree,
        nodes_supplied=graph.nodes_supplied,
        first_edge=(one[0], two[0]) if rows else None,
        first_number=read.first_number,
        columns=tuple(column + 1 for column in read.picked),
        first_line=read.first_line,
        comments=read.comments,
        ids=read.ids,
        notes=read.notes
        + ((f"{graph.arc_count:,} arcs, from the source to the target",) if graph.directed else ())
        + _of_nodes(nodes)
        + _invisible(graph)
        + where.notes
        + _differences(graph, where.entry),
    )


def _of_nodes(read: Read | None) -> tuple[str, ...]:
    """Say how the file of nodes was taken."""
    if read is None:
        return ()
    first = shortened(read.columns[0][0], 30)
    how = f"; its first line is {read.first_line}" if read.first_line else ""
    return (f"the file of nodes begins with {first!r}{how}",)


def _invisible(graph: Graph) -> tuple[str, ...]:
    """Say where two ids may look like one: by characters that nobody sees, or by two forms of one letter."""
    if graph.node_ids.dtype.kind != "U":
        return ()
    nodes = graph.node_ids.tolist()
    odd = [node for node in nodes if not node.isascii() or not node.isprintable() or node != node.strip()]
    unseen = [node for node in odd if shown(node) != node or node != node.strip()]
    forms = len(odd) - len({unicodedata.normalize("NFC", node) for node in odd})
    notes = []
    if unseen:
        notes.append(
            f"{len(unseen):,} ids hold characters that nobody sees, such as {shown(unseen[0])[:40]!r}; clean the file"
        )
    if forms:
        notes.append(
            f"{forms:,} ids look like another one and are written otherwise in Unicode; normalize the file"
        )
    return tuple(notes)


def _differences(graph: Graph, entry: Dataset | None) -> tuple[str, ...]:
    """Say where a dataset is not what its manifest declares."""
    if entry is None:
        return ()
    figures = [
        ("nodes", entry.nodes, graph.node_count),
        ("edges", entry.edges, graph.edge_count),
        ("largest degree", entry.max_degree, graph.max_degree),
    ]
    return tuple(
        f"the catalogue declares {declared:,} {what}, the file holds {counted:,}"
        for what, declared, counted in figures
        if declared is not None and declared != counted
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
