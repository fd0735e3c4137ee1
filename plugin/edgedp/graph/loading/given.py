"""Graphs that somebody holds in memory, whatever library made them; nothing that is absent is imported."""

from __future__ import annotations

from typing import Any

from edgedp.graph.conversions import keeps_directions
from edgedp.graph.graph import Graph
from edgedp.words.errors import ParameterError
from edgedp.words.shown import kind_of

__all__ = ["graph_in_memory"]


def graph_in_memory(value: Any, *, directed: bool = False) -> Graph:
    """Return the graph of a value that says by its type how it is meant; refuse every other by its type."""
    from edgedp.graph.reading.formats.tabular import is_frame

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
