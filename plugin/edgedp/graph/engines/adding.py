"""Strengths: the sums of the weights of each node, by both engines."""

from __future__ import annotations

from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.graph import Graph
from edgedp.words.vocabulary import StrengthName

_EXACT = 2**53
"""Below it igraph, which adds up floats, is exact."""


def strengths_by_igraph(graph: Graph, name: StrengthName) -> NDArray[np.int64]:
    """Return the (n,) sums of the weights of each node; what floats may not hold is added up in integers."""
    made = graph.weighting
    if made is None or made.most * graph.node_count >= _EXACT or not graph.edge_count:
        return strengths(graph, name)
    mode: Literal["all", "in", "out"]
    match name:
        case "strength":
            mode = "all"
        case "in_strength":
            mode = "in"
        case "out_strength":
            mode = "out"
        case _:
            assert_never(name)
    added: list[float] = graph.to_igraph().strength(mode=mode, weights="weight")
    sums: NDArray[np.int64] = np.rint(np.array(added)).astype(np.int64)
    return sums


def strengths(graph: Graph, name: StrengthName) -> NDArray[np.int64]:
    """Return the (n,) sums of the weights of each node, in whole steps. Privacy: exact; not a release.

    ``strength`` adds up the pairs of an undirected graph, ``in_strength`` and ``out_strength`` the arcs of a directed
    one. That the graph has weights, and directions for the latter, was checked.

    Examples
    --------
    >>> made = Graph.from_edges([(1, 2), (2, 1), (3, 2)], weights=[2, 2, 9], weight={"cap": 5}, directed=True)
    >>> strengths(made, "in_strength").tolist(), strengths(made, "out_strength").tolist()
    ([2, 7, 0], [2, 2, 5])
    """
    weights = graph.weights
    if weights is None:
        raise AssertionError("that the graph has weights was checked")
    match name:
        case "strength" | "out_strength":
            added = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
            sums: NDArray[np.int64] = np.diff(added[graph.indptr])
            return sums
        case "in_strength":
            sums = np.zeros(graph.node_count, dtype=np.int64)
            np.add.at(sums, graph.indices, weights)
            return sums
        case _:
            assert_never(name)
