from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx

from small_graphs import degrees as table

__all__ = ["REACHED", "of_node", "sensitivity", "table"]

REACHED = True


def of_node(graph: nx.Graph, v: Any) -> float:
    return len(graph[v])


def sensitivity(form: str, d: int, m: int, t: int) -> Fraction:
    return Fraction(1)
