"""Breadth-first samples of a graph: small graphs on which the papers compare with systems that do not scale."""

from __future__ import annotations

import numpy as np

from edgedp.graph.graph import Graph
from edgedp.words.errors import ParameterError

SAMPLE_NODES = 50
"""As in the papers."""


def breadth_first_sample(graph: Graph, nodes: int, seed: tuple[int, ...]) -> Graph:
    """Return the graph among the first nodes that a breadth-first walk meets, from a node with an edge.

    The start is uniform; neighbours are met in a random order. A walk that ends early goes on from another start.

    Parameters
    ----------
    graph : Graph
    nodes : int
        From 2 to the number of nodes with an edge.
    seed : tuple of int

    Examples
    --------
    >>> ring = Graph.from_edges([(i, (i + 1) % 90) for i in range(90)])
    >>> sample = breadth_first_sample(ring, 10, (1,))
    >>> sample.node_count, sample.edge_count
    (10, 9)
    """
    able = np.flatnonzero(graph.degrees)
    if not 2 <= nodes <= len(able):
        raise ParameterError(
            f"the number of nodes of a sample is {nodes}, must be from 2 to the graph's nodes with an edge; "
            "give a smaller number"
        )
    rng = np.random.default_rng(seed)
    met: dict[int, None] = {}
    queue: list[int] = []
    starts = iter(rng.permutation(able).tolist())
    while len(met) < nodes:
        if not queue:
            start = next(each for each in starts if each not in met)
            met[start] = None
            queue.append(start)
            continue
        node = queue.pop(0)
        row = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
        for neighbor in rng.permutation(row).tolist():
            if neighbor not in met and len(met) < nodes:
                met[neighbor] = None
                queue.append(neighbor)
    chosen = np.sort(np.fromiter(met, dtype=np.int64))
    place = np.full(graph.node_count, -1, dtype=np.int64)
    place[chosen] = np.arange(nodes)
    ends = place[graph.edges()]
    return Graph.from_positions(np.arange(nodes), ends[(ends >= 0).all(axis=1)], nodes_supplied=True)
