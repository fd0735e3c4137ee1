"""From rows that were read, or a graph of another library, to a graph; sides that are kept apart or asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.conversions import keeps_directions
from edgedp.graph.graph import Graph
from edgedp.graph.reading.dates import seconds_of
from edgedp.graph.reading.formats.tabular import is_frame
from edgedp.graph.reading.numbering import number_nodes
from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.sources.locating import Location
from edgedp.graph.reading.text.question import HARDLY, Seen, overlap
from edgedp.graph.reading.text.result import Read
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import kind_of
from edgedp.words.spoken import option

if TYPE_CHECKING:
    import polars as pl

_ENOUGH = 1 << 16


def check_beside(options: ReadingOptions, read: Read) -> None:
    """Refuse dates and columns of a source that has no columns beside its ends."""
    weighed = None if options.weight is None else options.weight.of_property
    for asked, found, word in (
        (options.date, read.dates, "date"),
        (options.columns, read.kept, "columns"),
        (weighed, read.kept, "weight"),
    ):
        if asked is not None and found is None:
            raise ParameterError(
                f"{word} has no effect for {read.format[0]}, of which no further columns are read; write a text, a "
                "Parquet or an Arrow file, or JSON lines"
            )


def check_directed(where: Location, read: Read) -> None:
    """Refuse directions of a source that says that it has none."""
    undirected = read.undirected
    if where.entry is not None and not where.entry.directed:
        undirected = "is undirected by its manifest"
    if undirected:
        raise GraphFormatError(
            f"{where.name!r} {undirected}, and is asked for with its directions; leave out {option('directed', True)}"
        )


def build(read: Read, listed: pl.Series | None, options: ReadingOptions, source: str) -> Graph:
    """Build the graph of edges between the nodes listed, or between those that the file or its edges name."""
    import polars as pl

    columns, own = read.columns, read.nodes
    for column in (*columns, own):
        if column is not None and column.dtype == pl.String and (column == "").any():
            raise GraphFormatError(f"{source!r} holds an empty id; name the node, or drop what it is in")
    if options.bipartite:
        columns = _apart(read)
    if listed is not None:
        of_texts = columns[0].dtype == pl.String or (own is not None and own.dtype == pl.String)
        if listed.dtype == pl.String and not of_texts:
            columns = [column.cast(pl.String) for column in columns]
            own = None if own is None else own.cast(pl.String)
        elif of_texts and listed.dtype != pl.String:  # some end of an edge is no integer, and is named below
            listed = listed.cast(pl.String)
        if own is not None:
            number_nodes([own], listed)  # a node of the file that the list lacks is refused, not dropped
    node_ids, positions = number_nodes(columns, own if listed is None else listed)
    if own is None and listed is None and not (options.bipartite or options.one_kind):
        _ask_of_sides(read, positions, len(node_ids), options, source)
    supplied = listed is not None or own is not None
    graph = Graph.from_positions(node_ids, positions, nodes_supplied=supplied, directed=options.directed)
    seconds = None if read.dates is None else seconds_of(read.dates)
    return graph.beside(
        positions, weights=read.weights, weight=options.weight, seconds=seconds, columns=read.kept
    )


def graph_in_memory(value: Any, *, directed: bool = False) -> Graph:
    """Return the graph of a value that says by its type how it is meant; refuse every other by its type."""
    library = type(value).__module__.partition(".")[0]
    if isinstance(value, Graph):
        if keeps_directions(directed) and not value.directed:
            raise ParameterError(
                "graph was made without its directions, which directed asks for; make it with directed=True"
            )
        return value
    if any(kind.__module__.partition(".")[0] == "networkx" for kind in type(value).__mro__):
        return Graph.from_networkx(value, directed=directed)
    if hasattr(value, "get_edgelist") and hasattr(value, "vs"):
        return Graph.from_igraph(value, directed=directed)
    if hasattr(value, "tocoo"):
        return Graph.from_scipy(value, directed=directed)
    if is_frame(value) and library != "numpy":
        return Graph.from_frame(value, directed=directed)
    raise ParameterError(
        f"graph is {kind_of(value)}, must be an edgedp.Graph, a source to read, a networkx or igraph graph, "
        "a sparse matrix or a data frame; for pairs of ids give Graph.from_edges(pairs)"
    )


def _apart(read: Read) -> list[pl.Series]:
    """Return ids with the name of their side before them, so that one on both sides is two nodes."""
    import polars as pl

    sides = [read.header[i] for i in read.picked] if read.header else ["source", "target"]
    if sides[0] == sides[1]:
        sides = ["source", "target"]
    return [
        pl.Series(values=side + ":" + column.cast(pl.String))
        for side, column in zip(sides, read.columns, strict=True)
    ]


def _ask_of_sides(
    read: Read, positions: NDArray[np.int32], count: int, options: ReadingOptions, source: str
) -> None:
    """Ask whether both ends are of one kind where their sets of ids hardly overlap; the first rows mostly tell."""
    for most in (_ENOUGH, len(positions)):
        seen = np.zeros((2, count), dtype=np.bool_)
        for side in (0, 1):
            seen[side][positions[:most, side]] = True
        one, two = map(int, seen.sum(axis=1))
        if overlap(one, two, int((seen[0] & seen[1]).sum())) >= HARDLY:
            return
    header = read.first_line == "names of columns" if read.first_line else None
    asked = Seen(
        source, options, read.header or None, read.rows, header, read.picked, told=not read.first_line
    )
    asked.ask("has ends that share hardly an id, so they may be of different kinds", sides=True)
