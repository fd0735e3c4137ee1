from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx

from small_graphs import betweenness2 as table

__all__ = ["REACHED", "of_node", "sensitivity", "table"]

REACHED = True


def of_node(graph: nx.Graph, v: Any) -> float:
    apart = [(a, b) for a, b in combinations(graph[v], 2) if not graph.has_edge(a, b)]
    return sum(1 / len(set(graph[a]) & set(graph[b])) for a, b in apart)


def sensitivity(form: str, d: int, m: int, t: int) -> Fraction:
    return Fraction(d + t)
