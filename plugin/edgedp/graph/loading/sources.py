"""A name, a path or an address in; a graph and a report out."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from edgedp.graph.columns import with_rows
from edgedp.graph.graph import Graph
from edgedp.graph.loading.building import build, check_beside, check_directed, graph_in_memory
from edgedp.graph.loading.located import read_located
from edgedp.graph.loading.origins import origin_of
from edgedp.graph.loading.properties import (
    checked_properties,
    read_tabular_properties,
    read_text_properties,
    with_properties,
)
from edgedp.graph.loading.reporting import LoadReport, report_of
from edgedp.graph.reading.beside import weights_apart
from edgedp.graph.reading.options import OPTIONS, Column, Ids, ReadingOptions, checked_options
from edgedp.graph.reading.sources.content import opened_content
from edgedp.graph.reading.sources.databases import inside
from edgedp.graph.reading.sources.locating import Location, locate, obtain
from edgedp.graph.reading.sources.recognition import recognise
from edgedp.graph.reading.text.result import Read
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.progress import Progress, Silent
from edgedp.words.shown import shown
from edgedp.words.spoken import option
from edgedp.words.vocabulary import is_word

if TYPE_CHECKING:
    import polars as pl

_log = logging.getLogger("edgedp.graph.reading")

Nodes = str | os.PathLike[str] | ArrayLike | Iterable[int | str] | None


def read_graph(
    file: str | os.PathLike[str],
    /,
    nodes: Nodes = None,
    *,
    source: Column | None = None,
    target: Column | None = None,
    header: bool | None = None,
    separator: str | None = None,
    ids: Ids | None = None,
    comments: str | None = None,
    bipartite: bool | None = None,
    one_kind: bool | None = None,
    labels: bool | None = None,
    table: str | None = None,
    query: str | None = None,
    date: Column | None = None,
    date_unit: Literal["s", "ms"] | None = None,
    columns: Sequence[Column] | None = None,
    weight: Mapping[str, Any] | None = None,
    directed: bool = False,
    nodes_header: bool | None = None,
    properties: Sequence[str] | None = None,
    refresh: bool = False,
) -> Graph:
    """Read a graph: a dataset of the catalogue, a file, an address, or standard input.

    What is left out is detected from the content: text with one edge a line (SNAP, KONECT, CSV, TSV), JSON lines,
    Parquet, Arrow, GraphML, GEXF, GML, Pajek, Matrix Market and, by its name ``.metis`` or ``.graph``, METIS; each
    plain or packed by gzip, Zstandard, bzip2, xz, lzma or zip. Without a word load two columns of integers, and
    columns whose names are a known pair of ends; everything else is refused, and the message shows the first rows and
    the options that load it (`preview` shows the same and stores nothing). Ids are integers where every one of them
    is written as an integer of 64 bits usually is, or as one with ``.0``, and texts otherwise (``007`` stays
    ``007``). Other columns are ignored, directions and parallels merge, self-loops drop.

    Parameters
    ----------
    file : str or path
        A name (see `edgedp.datasets`), a path, an ``http``, ``https``, ``file`` or database address, or ``-``. A name
        goes before a file of the same name, which is ``./name``.
    nodes : str, path or array-like, optional
        All node ids, or a file whose first column they are; adds nodes without edges.
    source, target : str or int, optional
        The columns of the two ends, by name or by number from 1; both or none.
    header : bool, optional
        Whether the first line names the columns.
    separator : str, optional
        One character, or ``tab``, ``comma``, ``semicolon``, ``space`` (any run of blanks).
    ids : {"integer", "text"}, optional
        How to take ids: as numbers (``007`` is 7, ``+49`` is 49), or as they are written.
    comments : str, optional
        The signs that begin a line of comment, such as ``"#"``, or ``"none"``.
    bipartite, one_kind : bool, optional
        The two sides are of different kinds, such as users and films, and an id of one side is another node than the
        same id of the other side: ids become texts, ``user:1`` and ``film:1``. Or they are of one kind. In doubt it is
        asked.
    labels : bool, optional
        Whether nodes of GML, GEXF, GraphML and Pajek go by their labels or their ids. Where each has a label
        of its own that is not its id it is asked; nodes of Pajek go by their labels.
    table, query : str, optional
        What is read of a database, of which `file` is the address (``postgresql://``, ``mysql://``, ``sqlite:///``...):
        a table, perhaps with its schema and a dot before it, or what a query selects.
    date : str or int, optional
        The column of the date of each row, by name or by number from 1, of text, JSON lines, Parquet, Arrow and tables
        of databases: for a graph that is stored with a calendar (`Store.load`). Of three columns the other two are the
        ends.
    date_unit : {"s", "ms"}, optional
        What the numbers in it count since 1970 began in UTC. Without it, dates as ISO 8601 writes them; a time without
        a zone is UTC. A row without a date is kept, and is in no window.
    columns : sequence of str or int, optional
        Columns that a store keeps of every row, by name or by number from 1, of the same sources: what conditions of a
        graph `of` this one compare (`Store.register`). Their names and types are public, their values as private as
        the edges. Of Parquet, Arrow and tables a value has the type of its column, of a text and of JSON that in which
        it is written (docs/projections.md). Of more columns the two that are left are the ends.
    weight : mapping, optional
        What is declared of the rows' weights, for `strength`: ``property``, the column that holds them, the ``cap`` of
        one row, and optional ``step`` (1), ``pair_cap`` (cap), ``aggregation`` ("SUM", or "COUNT", "MAX", "MIN") and
        ``signed`` (False). What is no number weighs nothing.
    directed : bool
        Keep directions, each an arc from the source to the target: for in- and out-degrees. Everything else reads the
        graph undirected. A file that says that its edges have no direction is refused.
    nodes_header : bool, optional
        Whether the first line of the file of nodes names its columns.
    properties : sequence of str, optional
        Columns of the file of nodes that are properties of the nodes (`Graph.properties`). Every value is read by
        itself: as a number where it is written as one, as missing where it is empty, else as a text.
    refresh : bool
        Fetch an address anew, whatever the cache holds.

    Returns
    -------
    Graph

    Raises
    ------
    UnknownNameError
        There is no such dataset or file, or an edge has an end that `nodes` lacks.
    GraphFormatError
        The source cannot be read, or could be read in two ways; a broken line is named by its number and text.

    Notes
    -----
    Privacy: the curator's act. The graph holds the private edges; its nodes are public, supplied by `nodes`
    or by a format that lists them, or else declared public as the edges name them, and every release says which.

    Examples
    --------
    >>> read_graph("email-Enron")
    <Graph: 36,692 nodes, read from the edges>
    """
    asked = locals()
    options = checked_options(**{name: asked[name] for name in OPTIONS})
    return read_source(file, nodes, options, properties=properties)[0]


def read_source(
    file: str | os.PathLike[str],
    nodes: Nodes = None,
    options: ReadingOptions | None = None,
    *,
    properties: Sequence[str] | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> tuple[Graph, LoadReport]:
    """Read a graph as `read_graph` does, and say what was found.

    Parameters
    ----------
    file, nodes, properties
        As in `read_graph`.
    options : ReadingOptions, optional
        What is not to be detected.
    title : str, optional
        A column of the file of nodes that is to be their title: a property whose values are texts as they are written.
    progress : Progress, optional
        Called as ``progress(stage, done, total)`` in bytes, again and again.

    Returns
    -------
    graph : Graph
    report : LoadReport
        Privacy: computed from the edges, for the curator only.
    """
    return loaded(file, nodes, options, properties=properties, title=title, progress=progress)[:2]


def loaded(
    file: str | os.PathLike[str],
    nodes: Nodes = None,
    options: ReadingOptions | None = None,
    *,
    properties: Sequence[str] | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> tuple[Graph, LoadReport, Read]:
    """Read a graph as `read_source` does, and keep the columns of its ends."""
    progress = progress or Silent()
    options = options or ReadingOptions()
    if is_word(file, "-") and is_word(nodes, "-"):
        raise ParameterError("source and nodes are both standard input; name a file for one of them")
    named = checked_properties(properties)
    if title is not None:
        if title in named:
            raise ParameterError(f"{title!r} is a private property and a public title; choose one of them")
        named = (*named, *checked_properties(title))
    if named and (not isinstance(nodes, str | os.PathLike) or nodes == "-"):
        raise ParameterError(
            "properties and titles are columns of a file of nodes, which is missing; give it as nodes"
        )
    where = locate(file, progress, refresh=options.refresh)
    listed, nodes_read = _nodes(nodes, where, options, progress)
    columns = _properties(nodes, nodes_read, named, title, options, progress)
    read = read_located(where, 2, _known(where, options), progress)
    check_beside(options, read)
    read = weights_apart(read, options)
    if options.directed:
        check_directed(where, read)
    progress("building", 0, None)
    graph = build(read, listed, _known(where, options), where.name)
    if options.date is None and "dated" in graph.kept:  # nobody asked, the catalogue says so
        graph.kept["dated"] = graph.kept["dated"]._replace(asked=False)
    if columns and listed is not None:
        graph = with_rows(with_properties(graph, listed, columns, str(nodes)), graph)
    graph.kept["origin"] = origin_of(where, file, nodes, options, named, title, len(read.columns[0]))
    _log.info("read %s as %s", shown(where.name), ", ".join(read.format))
    return graph, report_of(graph, where, read, nodes_read), read


def graph_of(value: Any, *, directed: bool = False) -> Graph:
    """Return a graph of whatever holds one: a Graph, a source, a networkx or igraph graph, a sparse matrix, a frame.

    A `Graph` says itself whether it is directed; of anything else `directed` says whether directions are kept.

    Raises
    ------
    ParameterError
        It is nothing of the kind; the message names its type and never shows it.

    Examples
    --------
    >>> graph_of(Graph.from_edges([(1, 2)])).node_count
    2
    """
    if isinstance(value, str | os.PathLike):
        return read_source(value, options=checked_options(directed=directed))[0]
    return graph_in_memory(value, directed=directed)


# -- what it holds ----------------------------------------------------------------------------------


def _nodes(
    nodes: Nodes, edges: Location, options: ReadingOptions, progress: Progress
) -> tuple[pl.Series | None, Read | None]:
    """Return all node ids that were given, from a file, from values or by the dataset; and how a file was read."""
    where = None
    if isinstance(nodes, str | os.PathLike):
        with inside(only=False):  # a list of nodes is public: it has no ledger wherever it is
            where = locate(nodes, progress, "nodes", refresh=options.refresh)
    elif nodes is None and edges.entry is not None and edges.entry.node_list is not None:
        where = obtain(
            edges.entry.node_list, f"{edges.entry.name} (nodes)", progress, refresh=options.refresh
        )
    if where is None:
        options.check_no_nodes()
        return (None if nodes is None else _series_of(nodes)), None
    read = read_located(where, 1, options.of_nodes(), progress)
    return read.columns[0], read


def _properties(
    nodes: Nodes,
    read: Read | None,
    named: tuple[str, ...],
    title: str | None,
    options: ReadingOptions,
    progress: Progress,
) -> dict[str, list[Any]]:
    """Read further columns of the file of nodes, whose ids were read and whose first line names its columns."""
    if not named or read is None or not isinstance(nodes, str | os.PathLike):
        return {}
    if not read.header:
        raise GraphFormatError(
            f"properties are {', '.join(named)}, and no line of {str(nodes)!r} names its columns; add one, or say that "
            f"the first line does ({option('nodes_header', True)})"
        )
    where = locate(nodes, progress, "nodes", refresh=False)
    with opened_content(where.path, where.name, progress, where.bucket) as content:
        kind = recognise(content.head, where.suffixes, where.name)
        if kind in ("parquet", "arrow"):
            return read_tabular_properties(content, kind, where.name, named)
        if kind == "json lines":
            raise GraphFormatError(
                f"{where.name!r} is {kind}, and properties are columns of CSV, Parquet or Arrow; convert it"
            )
        return read_text_properties(content, where.name, named, options.of_nodes(), title)


def _series_of(nodes: Any) -> pl.Series:
    """Return ids that were given as values; `Graph` holds the one definition of what an id may be."""
    import polars as pl

    values = list(nodes) if isinstance(nodes, Iterable) and not hasattr(nodes, "__array__") else nodes
    ids = Graph.from_edges(np.zeros((0, 2), dtype=np.int64), nodes=values).node_ids
    return pl.Series(values=ids.tolist(), dtype=pl.String if ids.dtype.kind == "U" else pl.Int64)


def _known(where: Location, options: ReadingOptions) -> ReadingOptions:
    """Return the options of a source; the catalogue has lists of one kind, whose ends come first."""
    if where.entry is None:
        return options
    if options.date is None and where.entry.date is not None:
        options = replace(options, date=where.entry.date, date_unit=where.entry.date_unit)
    if options.given("source", "bipartite") is not None:
        return options
    return replace(options, source=1, target=2, one_kind=True)
