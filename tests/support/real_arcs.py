"""A real directed network that needs no download: which module of Python's standard library imports which."""

from __future__ import annotations

import os
import re
import sysconfig
from functools import cache
from pathlib import Path

import networkx as nx

__all__ = ["directed_network"]


@cache
def directed_network() -> tuple[str, nx.DiGraph]:
    """Return a name and a network: SNAP's wiki-Vote where ``EDGEDP_DATA`` holds its file, else imports of modules.

    Read by networkx and by nothing of ours, without loops; ids are texts.
    """
    votes = Path(os.environ.get("EDGEDP_DATA", ""), "wiki-Vote.txt.gz")
    if votes.is_file():
        graph = nx.read_edgelist(votes, create_using=nx.DiGraph)
        name = "votes"
    else:
        graph, name = _imports(), "imports"
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return name, graph


_IMPORT = re.compile(r"^ *(?:from|import) ([A-Za-z_][\w.]*)", re.MULTILINE)
_LEFT_OUT = {"test", "tests", "site-packages", "lib2to3", "idlelib"}


def _imports() -> nx.DiGraph:
    """Return who imports whom: an arc from a module to the first that a line of it names; tests are left out."""
    library = Path(sysconfig.get_paths()["stdlib"])
    graph = nx.DiGraph()
    for folder, folders, names in os.walk(library):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        for file in sorted(Path(folder, name) for name in names if name.endswith(".py")):
            steps = file.relative_to(library).with_suffix("").parts
            module = ".".join(step for step in steps if step != "__init__")
            graph.add_edges_from(
                (module, named) for named in _IMPORT.findall(file.read_text("utf-8", "replace"))
            )
    return graph
