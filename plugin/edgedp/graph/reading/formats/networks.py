"""GML and Pajek, read by igraph; what its readers would take silently is refused first."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections import Counter
from typing import Literal

from edgedp.graph.reading.formats.labels import names_of_nodes, read_of_nodes
from edgedp.graph.reading.options import Ids
from edgedp.graph.reading.sources.content import Content
from edgedp.graph.reading.sources.recognition import BYTE_ORDER_MARK
from edgedp.graph.reading.text.result import Read
from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened

_NAMES = {"gml": "GML", "pajek": "Pajek"}
_EDGES = re.compile(rb"^[ \t]*\*edges", re.MULTILINE | re.IGNORECASE)
"""What Pajek lists edges without a direction under; igraph makes arcs of them beside arcs."""
_SECTION = re.compile(rb"^[ \t]*\*(\w+)", re.MULTILINE)
_SECTIONS = {"network", "vertices", "arcs", "edges", "arcslist", "edgeslist", "matrix", "partition", "vector"}
_GAP = re.compile(rb"^[ \t]*(?:%.*)?\n", re.MULTILINE)
"""A blank line or a comment of Pajek: at a blank one igraph ends, and passes over the rows behind it."""
_LISTS = re.compile(
    rb'"[^"]*"|^[ \t]*#.*$|(?:\b(?P<word>graph|node|edge)(?:\s|^#.*$)*)?(?P<sign>\[|\])',
    re.MULTILINE | re.IGNORECASE,
)
"""Where lists of GML begin and end, and those that are a graph, a node or an edge; texts and comments are neither."""
_EXACT = 2**53  # igraph keeps GML's numbers as floats


def read_network(
    content: Content, kind: Literal["gml", "pajek"], source: str, ids: Ids | None, labels: bool | None
) -> Read:
    """Read GML or Pajek; nodes of Pajek go by their labels where all have one, unless `labels` says otherwise."""
    import igraph

    name = _NAMES[kind]
    text = content.whole().removeprefix(BYTE_ORDER_MARK)
    if b"\0" in text:
        raise GraphFormatError(f"{source!r} is a binary file, must be {name}; write it again")
    try:
        text.decode()
    except UnicodeDecodeError:
        raise GraphFormatError(f"{source!r} is not UTF-8; save it as UTF-8") from None
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text if text.endswith(b"\n") else text + b"\n"
    lists = Counter[bytes]()
    if kind == "pajek":
        text = _GAP.sub(b"", text)
        _refuse_time_and_several(text, source)
    else:
        lists = _lists_of_one_graph(text, source)
    try:
        # igraph reads files; this one has no name and is gone when closed
        with warnings.catch_warnings(), tempfile.TemporaryFile() as file:
            warnings.simplefilter("ignore")  # about attributes, which are not read
            file.write(text)
            file.seek(0)
            graph = igraph.Graph.Read_GML(file) if kind == "gml" else igraph.Graph.Read_Pajek(file)
    except (igraph.InternalError, ValueError, OSError, MemoryError):
        raise GraphFormatError(f"{source!r} is {name} that is broken or cut short; write it again") from None
    names, notes = (_gml_names if kind == "gml" else _pajek_names)(graph, labels, source)
    pairs = graph.get_edgelist()
    if kind == "pajek":
        _refuse_other_rows(text, len(pairs), source)
    else:
        _refuse_other_words(lists, {b"node": len(names), b"edge": len(pairs)}, source)
    directed = graph.is_directed() and not _EDGES.search(text)
    return read_of_nodes(
        [[names[pair[side]] for pair in pairs] for side in (0, 1)],
        names,
        (name, *content.packed),
        ids,
        source,
        undirected="" if directed else "lists edges without a direction",
        notes=notes,
    )


def _gml_names(graph: object, labels: bool | None, source: str) -> tuple[list[str], tuple[str, ...]]:
    vertices = graph.vs  # type: ignore[attr-defined]
    if "id" not in vertices.attributes():
        raise GraphFormatError(f"{source!r} is GML whose nodes have no id; write it again")
    ids = vertices["id"]
    if not all(isinstance(value, str) for value in ids):
        if not all(isinstance(value, (int, float)) and float(value).is_integer() for value in ids):
            raise GraphFormatError(f"{source!r} is GML with an id that is not an integer; renumber it")
        if any(abs(value) >= _EXACT for value in ids):
            raise GraphFormatError(
                f"{source!r} is GML with an id of 2^53 or more, which its reader would round; "
                "write CSV or GraphML"
            )
        ids = [str(int(value)) for value in ids]
    _refuse_twice(ids, source)
    there = next((name for name in ("label", "name") if name in vertices.attributes()), None)
    return names_of_nodes(
        ids, [_written(label) for label in vertices[there]] if there else [], labels, source
    )


def _written(label: object) -> str:
    """Return a label of GML as it is written: igraph makes a float of every number."""
    if isinstance(label, float):
        return str(int(label)) if label.is_integer() else ("" if label != label else str(label))
    return str(label or "")


def _pajek_names(graph: object, labels: bool | None, source: str) -> tuple[list[str], tuple[str, ...]]:
    vertices = graph.vs  # type: ignore[attr-defined]
    numbers = [str(i) for i in range(1, len(vertices) + 1)]
    names = vertices["name"] if "name" in vertices.attributes() else []
    if labels is None and all(names):
        _refuse_twice(names, source)
        labels = bool(names)
    named, notes = names_of_nodes(numbers, names, bool(labels), source)
    return named, notes or ("nodes go by their numbers",)


def _refuse_twice(ids: list[str], source: str) -> None:
    if len(set(ids)) < len(ids):
        raise GraphFormatError(f"{source!r} gives two nodes the same id or label; rename one")


def _lists_of_one_graph(text: bytes, source: str) -> Counter[bytes]:
    """Count the lists of GML; refuse those that igraph passes over: of a second graph, of one within it, of none."""
    depth, lists = 0, Counter[bytes]()
    for found in _LISTS.finditer(text):
        word = (found["word"] or b"").lower()
        lists[word] += 1
        if lists[b"graph"] > 1 or (word and depth != (word != b"graph")):
            raise GraphFormatError(
                f"{source!r} holds more than one graph, or nodes or edges outside of it; write each graph to a file of "
                "its own"
            )
        depth += {b"[": 1, b"]": -1}.get(found["sign"], 0)
    return lists


def _refuse_other_words(lists: Counter[bytes], read: dict[bytes, int], source: str) -> None:
    """Refuse GML with ``EDGE`` or ``Node``, which igraph passes over."""
    if any(lists[word] > count for word, count in read.items()):
        raise GraphFormatError(
            f"{source!r} writes node or edge with large letters; write them with small ones"
        )


def _refuse_time_and_several(text: bytes, source: str) -> None:
    """Refuse Pajek projects, of which igraph reads the first network, and sections that it passes over."""
    for section in _SECTION.findall(text):
        if section.decode().lower() not in _SECTIONS:
            raise GraphFormatError(
                f"{source!r} has a section *{section.decode()[:20]}, which is not read; write vertices, arcs and edges"
            )
    if len(re.findall(rb"^[ \t]*\*vertices\b", text, re.MULTILINE | re.IGNORECASE)) != 1:
        raise GraphFormatError(f"{source!r} holds more than one network; write each to a file of its own")


def _refuse_other_rows(text: bytes, edges: int, source: str) -> None:
    """Refuse rows of Pajek that igraph passes over, such as ``1,2``, or takes for others, such as ``-1 2``."""
    section, rows, every = b"", 0, True
    for line in text.splitlines():
        if found := _SECTION.match(line):
            section = found[1].lower()
            every = every and section != b"matrix"
        elif section in (b"arcs", b"edges", b"arcslist", b"edgeslist"):
            listed = section.endswith(b"list")  # of a node and its neighbours, of which there may be none
            words = line.split() if listed else line.split()[:2]
            if len(words) < 2 - listed or not all(map(bytes.isdigit, words)):
                raise GraphFormatError(
                    f"{source!r} has a row {shortened(line.decode(), 40)!r}, must begin with the numbers of its ends; "
                    "correct it"
                )
            rows += len(words) - 1
    if every and rows != edges:
        raise GraphFormatError(f"{source!r} holds {rows} rows, of which igraph reads {edges}; write CSV")
