"""What a load found, for the curator who runs it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LoadReport"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadReport:
    """What was read, merged and dropped on the way to a graph.

    Parameters
    ----------
    source : str
        What the caller named: a dataset, a path or an address.
    format : str
        The format told from the content, in words.
    line_count, row_count : int
        Lines in all (comments and blank ones too), and lines that are an edge.
    self_loops, duplicates : int
        Edges dropped because both ends are one node; edges merged into an earlier one, in either direction.
    extra_columns : int
        Columns after the second, which are ignored.
    header : tuple of str
        The first line where it names the columns, else empty.
    node_count, edge_count, max_degree : int
        Figures of the graph: undirected, without parallels and self-loops.
    nodes_supplied : bool
        Whether a list of all nodes was given.
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
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        r"""Return the report for a person, one sentence a line.

        Examples
        --------
        >>> report = LoadReport(source="a.txt", format="tabs, integer ids", line_count=5, row_count=4,
        ...     self_loops=1, duplicates=1, extra_columns=0, header=(), node_count=3, edge_count=2,
        ...     max_degree=2, nodes_supplied=False)
        >>> print(*report.lines(), sep="\n")
        a.txt: 3 nodes, 2 edges, largest degree 2
        read as tabs, integer ids: 5 lines, 4 of them edges
        1 self-loop dropped, 1 duplicate merged
        nodes read from the edges
        """
        told = [
            f"{self.source}: {_counted(self.node_count, 'node')}, {_counted(self.edge_count, 'edge')}, "
            f"largest degree {self.max_degree:,}",
            f"read as {self.format}: {_counted(self.line_count, 'line')}, {self.row_count:,} of them edges",
        ]
        if self.header:
            told.append(f"the first line names the columns: {', '.join(self.header)}")
        told.append(
            f"{_counted(self.self_loops, 'self-loop')} dropped, "
            f"{_counted(self.duplicates, 'duplicate')} merged"
        )
        if self.extra_columns:
            told.append(f"{_counted(self.extra_columns, 'column')} after the second ignored")
        told.append("nodes supplied" if self.nodes_supplied else "nodes read from the edges")
        return told + list(self.notes)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
