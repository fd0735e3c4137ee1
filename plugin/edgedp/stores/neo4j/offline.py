"""A graph as files that ``neo4j-admin database import`` takes: for a new database of ten million edges and more.

The import writes a store that no server runs on, and takes a fraction of the processor time of a load by transactions.
What is written holds the private edges: only its owner may read it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgedp.stores.neo4j.places import check_unreserved
from edgedp.words.errors import ParameterError, StoreError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from edgedp.graph.graph import Graph
    from edgedp.words.progress import Progress

FILES = ("nodes-header.csv", "nodes.csv", "relationships-header.csv", "relationships.csv", "import.sh")
_ROWS = 1_000_000
_LABEL, _TYPE = "Node", "LINKED_TO"


def write_offline(
    graph: Graph,
    folder: str | os.PathLike[str],
    *,
    node_label: str | None = None,
    relationship_type: str | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Write a graph as files for ``neo4j-admin database import full``.

    Parameters
    ----------
    graph : Graph
        Its ids are the nodes' property ``id``. Of a directed graph each arc is a relationship, else each edge, once.
    folder : path
        Must not be there yet; it is made, for its owner only, once all files are whole.
    node_label, relationship_type : str, optional
        Default: ``Node`` and ``LINKED_TO``.
    progress : callable, optional

    Returns
    -------
    list of str
        What to run, in this order: the import, by the user that Neo4j runs as while the server is stopped, and, once it
        runs, the registration.

    Raises
    ------
    ParameterError
        A label or type is edgedp's own.
    StoreError
        The folder is there, or cannot be written.

    Examples
    --------
    >>> from edgedp import Graph
    >>> with tempfile.TemporaryDirectory() as place:
    ...     commands = write_offline(Graph.from_edges([(1, 2), (2, 3)]), Path(place) / "kite")
    ...     print((Path(place) / "kite" / "relationships.csv").read_text().split())
    ['1,2', '2,3']
    """
    label = _LABEL if node_label is None else check_unreserved(node_label, "node_label")
    kind = _TYPE if relationship_type is None else check_unreserved(relationship_type, "relationship_type")
    for name, value in (("node_label", label), ("relationship_type", kind)):
        if any(character in value for character in ":=,;|\n"):
            raise ParameterError(
                f"{name} is {value!r}, must hold none of : = , ; | for neo4j-admin; choose another"
            )
    target = Path(folder).absolute()
    if target.exists():
        raise StoreError(f"{target} is there already, must be a new folder; choose another")
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))  # for its owner only
    except OSError as error:
        raise StoreError(
            f"{target.parent} cannot be written: {error.strerror}; choose another folder"
        ) from None
    try:
        _write(graph, made, progress)
        (made / "import.sh").write_text(_command(graph, label, kind), encoding="utf-8")
        made.rename(target)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}; nothing is left of it") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return [f"sh {shlex.quote(str(target / 'import.sh'))}", _registration(graph, target.name, label, kind)]


def _write(graph: Graph, folder: Path, progress: Progress | None) -> None:
    ids = graph.node_ids
    edges = graph.arcs() if graph.directed else graph.edges()
    total = len(ids) + len(edges)
    numbers = ids.dtype.kind in "iu"
    # The import of Neo4j 2026 refuses ids below 0 or from 2**56 on where it takes them as numbers, and none as texts.
    header = ":ID,id:long" if numbers else "id:ID{id-type: string}"
    (folder / FILES[0]).write_text(header + "\n", encoding="utf-8")
    (folder / FILES[2]).write_text(":START_ID,:END_ID\n", encoding="utf-8")
    for name, rows, before in ((FILES[1], len(ids), 0), (FILES[3], len(edges), len(ids))):
        with (folder / name).open("wb") as file:
            for start in range(0, rows, _ROWS):
                part = slice(start, start + _ROWS)
                _rows(file, [ids[part]] * (1 + numbers) if name == FILES[1] else list(ids[edges[part]].T))
                if progress is not None:
                    progress("writing", before + min(start + _ROWS, rows), total)


def _rows(file: Any, columns: Sequence[NDArray[np.generic]]) -> None:
    """Write rows of ids; texts in quotation marks, so that an empty one, a comma or a line's end in one is kept."""
    import polars as pl

    frame = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    frame.write_csv(file, include_header=False, quote_style="non_numeric")


def _command(graph: Graph, label: str, kind: str) -> str:
    texts = graph.node_ids.dtype.kind not in "iu"
    words = [
        # The name of the database comes first: an option of files takes every word up to the next option.
        *("neo4j-admin", "database", "import", "full", "neo4j"),
        f"--nodes={label}=./{FILES[0]},./{FILES[1]}",
        f"--relationships={kind}=./{FILES[2]},./{FILES[3]}",
        *(
            ["--multiline-fields=true"]
            if texts and any("\n" in each or "\r" in each for each in graph.node_ids.tolist())
            else []
        ),
    ]
    return (
        "#!/bin/sh\n# Run by the user that Neo4j runs as, while the server is stopped. Where neo4j-admin is not\n"
        "# on the path, NEO4J_HOME says where it is; --overwrite-destination replaces a database that is there.\n"
        'cd "$(dirname "$0")" && exec "${NEO4J_HOME:+$NEO4J_HOME/bin/}"' + shlex.join(words) + ' "$@"\n'
    )


def _registration(graph: Graph, name: str, label: str, kind: str) -> str:
    words = ["edgedp", "--store", "neo4j://localhost:7687", "register", name]
    words += ["--node-label", label, "--relationship-type", kind, "--id-property", "id"]
    words += ["--orientation", "natural"] if graph.directed else []
    return shlex.join([*words, "--epsilon-budget", "E"])
