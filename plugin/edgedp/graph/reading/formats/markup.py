"""GraphML and GEXF, read in blocks by the standard library's expat; an XML entity is never expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal
from xml.parsers import expat

from edgedp.graph.reading.formats.labels import names_of_nodes, read_of_nodes
from edgedp.graph.reading.options import Ids
from edgedp.graph.reading.text.result import Read
from edgedp.words.errors import GraphFormatError

_LABELS = {"name", "label"}
_NAMES = {"graphml": "GraphML", "gexf": "GEXF"}


class _Graph:
    """What the elements of one document say."""

    def __init__(self, kind: str, source: str) -> None:
        self.kind = kind
        self.source = source
        self.nodes: dict[str, str] = {}
        self.keys: set[str] = set()
        self.node = ""
        self.within = False
        self.sources: list[str] = []
        self.targets: list[str] = []
        self.graphs = 0
        self.undirected = ""

    def start(self, element: str, attributes: dict[str, str]) -> None:
        match element.rpartition(":")[2]:
            case "graph":
                self.graphs += 1
                if self.graphs > 1:
                    self.refuse("holds a second graph; write each to a file of its own")
                usual = "edgedefault" if self.kind == "graphml" else "defaultedgetype"
                if attributes.get(usual) != "directed":
                    self.undirected = f"does not say {usual}='directed'"
            case "node":
                node = self.attribute(attributes, "node", "id")
                if node in self.nodes:
                    self.refuse(f"lists the node {node[:40]!r} twice; correct the file")
                self.nodes[node] = attributes.get("label", "") if self.kind == "gexf" else ""
                self.node = node
            case "key":
                if attributes.get("for") == "node" and attributes.get("attr.name", "").lower() in _LABELS:
                    self.keys.add(attributes.get("id", ""))
            case "data":
                self.within = bool(self.node) and attributes.get("key") in self.keys
            case "NodeLabel":
                self.within = bool(self.node)
            case "edge":
                self.sources.append(self.attribute(attributes, "edge", "source"))
                self.targets.append(self.attribute(attributes, "edge", "target"))
                if attributes.get("directed") == "false" or attributes.get("type") in (
                    "undirected",
                    "mutual",
                ):
                    self.undirected = "holds an edge without a direction"
            case "hyperedge":
                self.refuse("holds a hyperedge, must hold edges between two nodes; convert it")

    def end(self, element: str) -> None:
        match element.rpartition(":")[2]:
            case "node":
                self.node = ""
            case "data" | "NodeLabel":
                self.within = False

    def text(self, text: str) -> None:
        if self.within:
            self.nodes[self.node] += text.strip()

    def attribute(self, attributes: dict[str, str], element: str, name: str) -> str:
        """Return an attribute that must be there."""
        value = attributes.get(name, "")
        if value == "":
            self.refuse(f"holds an element {element} without {name}; correct the file")
        return value

    def refuse(self, condition: str) -> None:
        raise GraphFormatError(f"{self.source!r} {condition}")

    def doctype(self, *_: object) -> None:
        self.refuse("holds a DOCTYPE, and entities are not expanded here; remove it")


def read_markup(
    chunks: Iterator[bytes],
    kind: Literal["graphml", "gexf"],
    source: str,
    ids: Ids | None,
    labels: bool | None,
) -> Read:
    """Read nodes and edges, by the nodes' ids or labels; what else a document says of them is ignored."""
    graph = _Graph(kind, source)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = graph.start, graph.end
    parser.CharacterDataHandler = graph.text
    parser.StartDoctypeDeclHandler = graph.doctype
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, GraphFormatError):
            raise
        where = f"line {error.lineno}" if isinstance(error, expat.ExpatError) else "the beginning"
        raise GraphFormatError(
            f"{source!r} is {_NAMES[kind]} that breaks at {where}; write it again"
        ) from None
    named, notes = names_of_nodes(list(graph.nodes), list(graph.nodes.values()), labels, source)
    names = dict(zip(graph.nodes, named, strict=True))
    ends = [[names.get(end, end) for end in side] for side in (graph.sources, graph.targets)]
    if labels and (strangers := {*graph.sources, *graph.targets} - names.keys()):
        graph.refuse(
            f"has an edge of the node {min(strangers)[:40]!r}, which it does not list; correct the file"
        )
    return read_of_nodes(ends, named, (_NAMES[kind],), ids, source, undirected=graph.undirected, notes=notes)
