"""The metrics by their definitions: one module each, beside `edgedp.mechanisms.metrics`, and sharing no code with it.

This is the test of a metric. Every test over all metrics reads it: admissibility, audits, engines, statements.
A module has

- ``of_node(graph, v)``: the value of a node of a networkx graph;
- ``sensitivity(form, d, m, t)``: the admissible sensitivity before the cap, a fraction;
- ``REACHED``: whether one edge moves some value by the global sensitivity already on a few nodes;
- optionally ``table(n)``: the values of all labelled graphs on n nodes at once (`small_graphs`).
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import small_graphs

__all__ = ["definition", "definition_names", "values"]


def definition_names() -> set[str]:
    return {found.name for found in pkgutil.iter_modules(__path__)}


def definition(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


@cache
def values(name: str, n: int) -> NDArray[np.float64]:
    """Return ``(graphs, n)``: a metric of all labelled graphs."""
    module = definition(name)
    if hasattr(module, "table"):
        return np.asarray(module.table(n), dtype=np.float64)
    rows = [
        [module.of_node(graph, v) for v in range(n)] for graph in map(_as_networkx, small_graphs.adjacency(n))
    ]
    return np.asarray(rows, dtype=np.float64)


def _as_networkx(adjacent: NDArray[np.bool_]) -> nx.Graph:
    graph = nx.empty_graph(len(adjacent))
    graph.add_edges_from(np.argwhere(np.triu(adjacent)).tolist())
    return graph
