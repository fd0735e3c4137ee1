"""A name, a path or an address in; a graph and a report out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import url2pathname

import numpy as np
from numpy.typing import ArrayLike

from edgedp.catalogue import Dataset, Resource, dataset, dataset_names, suggestion
from edgedp.downloads import Download, cache_folder, fetch, file_sha256
from edgedp.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.graph import Graph
from edgedp.reading.content import Content, read_content
from edgedp.reading.layout import EDGE_SEPARATORS, NODE_SEPARATORS, Layout, detect_layout
from edgedp.reading.numbering import number_nodes
from edgedp.reading.progress import Progress, Silent
from edgedp.reading.report import LoadReport
from edgedp.reading.table import Table, read_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_graph", "read_source"]

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def read_graph(
    source: str | os.PathLike[str],
    nodes: str | os.PathLike[str] | ArrayLike | Iterable[int | str] | None = None,
) -> Graph:
    """Read a graph: a dataset of the catalogue, a file, or an address.

    The format is told from the content: SNAP (``#`` comments, tabs or spaces), CSV and TSV with or
    without a header, semicolons; plain, gzip or Zstandard; LF or CRLF. Ids are integers where every
    one of them is an integer of 64 bits (``007`` is 7), and texts otherwise. Columns after the second
    are ignored, directions and parallels merge, self-loops drop.

    Parameters
    ----------
    source : str or path
        A name (see `edgedp.catalogue`), a path, or an ``http``, ``https`` or ``file`` address. A name
        goes before a file of the same name, which is ``./name``.
    nodes : str, path or array-like, optional
        All node ids, or a file whose first column they are; adds nodes without edges.

    Returns
    -------
    Graph

    Raises
    ------
    UnknownNameError
        There is no such dataset or file, or an edge has an end that `nodes` lacks.
    GraphFormatError
        The source cannot be read as an edge list; a broken line is named by its number and text.

    Notes
    -----
    Privacy: the curator's act. The graph holds the private edges; its nodes are public, supplied by `nodes`
    or else declared public as the edges name them, and every release says which.

    Examples
    --------
    >>> read_graph("email-Enron")
    <Graph: 36,692 nodes, 183,831 edges>
    """
    return read_source(source, nodes)[0]


def read_source(
    source: str | os.PathLike[str],
    nodes: str | os.PathLike[str] | ArrayLike | Iterable[int | str] | None = None,
    *,
    progress: Progress | None = None,
) -> tuple[Graph, LoadReport]:
    """Read a graph as `read_graph` does, and say what was found.

    Parameters
    ----------
    source, nodes
        As in `read_graph`.
    progress : Progress, optional
        Called as ``progress(stage, done, total)`` in bytes, again and again.

    Returns
    -------
    graph : Graph
    report : LoadReport
        Privacy: computed from the edges, for the curator only.
    """
    progress = progress or Silent()
    edges = _locate(source, progress)
    listed = _as_source(nodes)
    if listed is None and nodes is None and edges.entry is not None and edges.entry.node_list is not None:
        where = _obtain(edges.entry.node_list, f"{edges.entry.name} (nodes)", progress)
        node_table: Table | None = _read_columns(where, 1, NODE_SEPARATORS, progress).table
    elif listed is not None:
        node_table = _read_columns(_locate(listed, progress, "nodes"), 1, NODE_SEPARATORS, progress).table
    else:
        node_table = None if nodes is None else _table_of(nodes)
    read = _read_columns(
        edges, 2, EDGE_SEPARATORS, progress, as_texts=node_table is not None and node_table.of_texts
    )
    progress("building", 0, None)
    graph = _build(read.table, node_table)
    return graph, _report(graph, edges, read)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Location:
    """A file to read, the name it goes by in messages, and how it came here."""

    path: Path
    name: str
    entry: Dataset | None = None
    download: Download | None = None
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class _Reading:
    content: Content
    layout: Layout
    table: Table


# -- where it is ------------------------------------------------------------------------------------


def _as_source(nodes: Any) -> str | os.PathLike[str] | None:
    """Return `nodes` where it names a file, None where it holds ids."""
    return nodes if isinstance(nodes, str | os.PathLike) else None


def _locate(source: str | os.PathLike[str], progress: Progress, what: str = "source") -> _Location:
    """Find the file behind a dataset's name, an address or a path."""
    if isinstance(source, os.PathLike):
        return _Location(path=Path(source), name=str(source))
    if not isinstance(source, str) or not source.strip():
        raise ParameterError(f"{what} is {source!r}, must be a dataset, a path or an address; name one")
    names = dataset_names() if what == "source" else []
    if source in names:
        entry = dataset(source)
        return replace(_obtain(entry.edge_list, source, progress), entry=entry)
    scheme = _SCHEME.match(source)
    if scheme is None:
        path = Path(source)
        if not path.exists() and path.name == source:
            raise UnknownNameError(
                f"{what} is {source!r}, must be a file that exists"
                + (f", an address or a dataset; {suggestion(source, names)}" if names else "; check the path")
            )
        return _Location(path=path, name=source)
    if scheme[1].lower() == "file":
        host, slash, rest = source[scheme.end() :].partition("/")
        if host not in ("", "localhost") or not slash:
            raise ParameterError(f"{what} is {source!r}, must be file:///PATH of this machine; correct it")
        return _Location(path=Path(url2pathname(slash + rest)), name=source)
    if scheme[1].lower() not in ("http", "https"):
        raise ParameterError(f"{what} is {source!r}, must be an http, https or file address; fetch it first")
    return _fetched(source, None, source, progress)


def _obtain(resource: Resource, name: str, progress: Progress) -> _Location:
    """Return the bundled copy of a dataset's file, or fetch it."""
    if resource.bundled is not None:
        if resource.sha256 is not None and file_sha256(resource.bundled) != resource.sha256:
            raise GraphFormatError(
                f"the sha256 of {str(resource.bundled)!r} is another, must be {resource.sha256}; "
                "install the package again"
            )
        return _Location(path=resource.bundled, name=name)
    assert resource.address is not None  # noqa: S101 -- the manifest was checked
    return _fetched(resource.address, resource.sha256, name, progress)


def _fetched(address: str, sha256: str | None, name: str, progress: Progress) -> _Location:
    download = fetch(address, sha256=sha256, cache=cache_folder(), progress=progress)
    trust = "as declared" if download.declared else "recorded at the first download"
    notes = (f"kept at {download.path} (sha256 {download.sha256}, {trust}); delete it to fetch it anew",)
    return _Location(path=download.path, name=name, download=download, notes=notes)


# -- what it holds ----------------------------------------------------------------------------------


def _read_columns(
    where: _Location, width: int, separators: str, progress: Progress, *, as_texts: bool = False
) -> _Reading:
    """Read the first columns of a file; a download that holds no table does not stay in the cache."""
    try:
        content = read_content(where.path, where.name, progress)
        layout = detect_layout(content.data, where.name, separators)
        if layout.columns < width:
            raise GraphFormatError(
                f"{where.name!r} has one column, must have two ids a line; give a list of nodes as `nodes`"
            )
        table = read_table(
            content.data, layout, width, source=where.name, progress=progress, as_texts=as_texts
        )
        if len(table.columns[0]) == 0:
            raise GraphFormatError(
                f"{where.name!r} holds a header only, must hold data below it; check the file"
            )
    except GraphFormatError:
        if where.download is not None and where.download.fresh and not where.download.declared:
            where.download.discard()
        raise
    return _Reading(content, layout, table)


def _table_of(nodes: Any) -> Table:
    """Return ids that were given as values; `Graph` holds the one definition of what an id may be."""
    import polars as pl

    values = list(nodes) if isinstance(nodes, Iterable) and not hasattr(nodes, "__array__") else nodes
    ids = Graph.from_edges(np.zeros((0, 2), dtype=np.int64), nodes=values).node_ids
    return Table([pl.Series(values=ids.tolist(), dtype=pl.String if ids.dtype.kind == "U" else pl.Int64)], ())


def _build(edges: Table, nodes: Table | None) -> Graph:
    """Build the graph of edges between the nodes listed, or between those that the edges name."""
    import polars as pl

    listed: pl.Series | None = None
    if nodes is not None:
        listed = nodes.columns[0]
        if (
            edges.of_texts and not nodes.of_texts
        ):  # then some end of an edge is no integer, and is named below
            listed = listed.cast(pl.String)
    node_ids, positions = number_nodes(edges.columns, listed)
    return Graph.from_positions(node_ids, positions, nodes_supplied=nodes is not None)


def _report(graph: Graph, where: _Location, read: _Reading) -> LoadReport:
    rows = len(read.table.columns[0])
    loops = int((read.table.columns[0] == read.table.columns[1]).sum())
    words = [read.layout.separator_name, "text ids" if read.table.of_texts else "integer ids"]
    words += [read.content.compression] if read.content.compression else []
    words += [read.content.line_ends] if read.content.line_ends != "LF" else []
    return LoadReport(
        source=where.name,
        format=", ".join(words),
        line_count=read.content.data.count(b"\n"),
        row_count=rows,
        self_loops=loops,
        duplicates=rows - loops - graph.edge_count,
        extra_columns=read.layout.columns - 2,
        header=read.table.header,
        node_count=graph.node_count,
        edge_count=graph.edge_count,
        max_degree=graph.max_degree,
        nodes_supplied=graph.nodes_supplied,
        notes=where.notes + _differences(graph, where.entry),
    )


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
        f"the catalogue declares {declared:,} {what}, the file holds {found:,}"
        for what, declared, found in figures
        if declared is not None and declared != found
    )
