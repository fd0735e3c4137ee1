"""Graphs of stored versions that a `Store` keeps in memory: a version never changes, so neither does its graph."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.ledger.rows import GraphRow
    from edgedp.words.dates.calendar import Span

DEFAULT_BYTES = 1 << 30
_MAPPED = 4 << 20
"""So that no more than 256 files are open by default."""


class GraphMemory:
    """The graphs used last, up to a number of bytes; one for each name and span of windows."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._graphs: OrderedDict[_Key, tuple[int, Graph]] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, row: GraphRow, span: Span | None = None) -> Graph | None:
        """Return the graph of a row's version, or of windows of it, if it is kept."""
        key = _key(row.name, span)
        with self._guard:
            version, graph = self._graphs.get(key, (None, None))
            if version != row.version:
                return None
            self._graphs.move_to_end(key)
            return graph

    def put(self, row: GraphRow, graph: Graph, span: Span | None = None) -> None:
        """Keep a graph in place of the version before, and give up what was not used for longest."""
        with self._guard:
            key = _key(row.name, span)
            self._graphs.pop(key, None)
            if _size(graph) > self._most:
                return
            self._graphs[key] = row.version, graph
            while sum(_size(each) for _, each in self._graphs.values()) > self._most:
                self._graphs.popitem(last=False)

    def forget(self, name: str) -> None:
        """Give up the graph of a name."""
        with self._guard:
            for key in [each for each in self._graphs if each[0] == name]:
                del self._graphs[key]


_Key = tuple[str, int | None, int | None]


def _key(name: str, span: Span | None) -> _Key:
    return (name, None, None) if span is None else (name, span.first, span.last)


def _size(graph: Graph) -> int:
    """Return about how much memory a graph takes; a mapped one what engines keep of its nodes, and its descriptor."""
    if graph.kept.get("mapped"):
        return _MAPPED + 24 * graph.node_count
    ways = 0 if graph.ways is None else graph.ways.nbytes
    return int(graph.node_ids.nbytes + graph.indptr.nbytes + graph.indices.nbytes + ways)
