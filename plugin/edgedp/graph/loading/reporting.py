"""What a reader found, for the report."""

from __future__ import annotations

import unicodedata

from edgedp.graph.graph import Graph
from edgedp.graph.reading.report import LoadReport
from edgedp.graph.reading.sources.catalogue import Dataset
from edgedp.graph.reading.sources.locating import Location
from edgedp.graph.reading.text.result import Read
from edgedp.words.shown import shown

__all__ = ["report_of"]


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
    from edgedp.words.shown import shortened

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
