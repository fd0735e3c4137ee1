from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx

from small_graphs import density as table

__all__ = ["REACHED", "of_node", "sensitivity", "table"]

REACHED = True


def of_node(graph: nx.Graph, v: Any) -> float:
    d = len(graph[v])
    return 0.0 if d < 2 else graph.subgraph(graph[v]).number_of_edges() / (d * (d - 1) / 2)


def sensitivity(form: str, d: int, m: int, t: int) -> Fraction:
    return Fraction(1) if d - t <= 2 else Fraction(2, d - t)
