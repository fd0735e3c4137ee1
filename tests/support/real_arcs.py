"""A real directed network that needs no download: which module of Python's standard library imports which."""

from __future__ import annotations

import ast
import os
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


def _imports() -> nx.DiGraph:
    """Return who imports whom: an arc from a module to each that one of its lines names; tests are left out."""
    library = Path(sysconfig.get_paths()["stdlib"])
    graph = nx.DiGraph()
    for file in sorted(library.rglob("*.py")):
        steps = file.relative_to(library).with_suffix("").parts
        if {"test", "tests", "site-packages", "lib2to3", "idlelib"} & set(steps) or steps[-1] == "__main__":
            continue
        module = ".".join(step for step in steps if step != "__init__")
        for line in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(line, ast.Import):
                graph.add_edges_from((module, each.name) for each in line.names)
            elif isinstance(line, ast.ImportFrom) and line.module is not None and line.level == 0:
                graph.add_edge(module, line.module)
    return graph
