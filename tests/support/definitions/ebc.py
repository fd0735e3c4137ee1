from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx

from small_graphs import ebc as table

__all__ = ["REACHED", "of_node", "sensitivity", "table"]

REACHED = False


def of_node(graph: nx.Graph, v: Any) -> float:
    inside = graph.subgraph(graph[v])
    apart = [(a, b) for a, b in combinations(inside, 2) if not inside.has_edge(a, b)]
    return sum(1 / (1 + len(set(inside[a]) & set(inside[b]))) for a, b in apart)


def sensitivity(form: str, d: int, m: int, t: int) -> Fraction:
    x = (m if form == "common_neighbors" else d) + t
    return max(Fraction(x * (x - 1), 4), Fraction(d + t))
