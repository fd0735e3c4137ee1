"""The quantities of the engines written from their definitions, on adjacency matrices, and graphs to try them on."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import small_graphs
from edgedp import Graph

QUANTITIES = ("triangles", "ebc", "betweenness2", "max_common_neighbors")


def by_definition(graph: Graph, quantity: str) -> NDArray[np.float64]:
    """Return a quantity of all nodes: O(n) matrix products, nothing clever."""
    adjacent = adjacency(graph)
    common = adjacent @ adjacent
    np.fill_diagonal(common, 0)
    if quantity == "max_common_neighbors":
        return common.max(axis=1, initial=0)
    values = np.zeros(graph.node_count)
    for v in range(graph.node_count):
        ego = np.flatnonzero(adjacent[v])
        inside = adjacent[np.ix_(ego, ego)]
        pairs = np.triu(inside == 0, 1)
        if quantity == "triangles":
            values[v] = inside.sum() / 2
        elif quantity == "ebc":
            values[v] = (1 / (1 + (inside @ inside)[pairs])).sum()
        elif quantity == "betweenness2":
            values[v] = (1 / common[np.ix_(ego, ego)][pairs]).sum()
    return values


def shares_by_definition(graph: Graph, bits: int) -> NDArray[np.int64]:
    """Return the sums of ``floor(2**bits / c)`` over the non-adjacent pairs of neighbours."""
    adjacent = adjacency(graph).astype(np.int64)
    common = adjacent @ adjacent
    sums = np.zeros(graph.node_count, dtype=np.int64)
    for v in range(graph.node_count):
        ego = np.flatnonzero(adjacent[v])
        pairs = np.triu(adjacent[np.ix_(ego, ego)] == 0, 1)
        sums[v] = ((1 << bits) // common[np.ix_(ego, ego)][pairs]).sum()
    return sums


def adjacency(graph: Graph) -> NDArray[np.float64]:
    matrix = np.zeros((graph.node_count, graph.node_count))
    matrix[np.repeat(np.arange(graph.node_count), graph.degrees), graph.indices] = 1
    return matrix


def from_adjacency(matrix: NDArray[np.bool_]) -> Graph:
    """Return the graph of the upper triangle."""
    return Graph.from_positions(np.arange(len(matrix)), np.argwhere(np.triu(matrix, 1)), nodes_supplied=True)


def relabelled(graph: Graph, label: NDArray[np.int64]) -> Graph:
    """Return the graph in which node ``v`` is called ``label[v]``."""
    return Graph.from_positions(graph.node_ids, label[graph.edges()], nodes_supplied=True)


def union_of_small_graphs(n: int) -> Graph:
    """Return all labelled graphs on n nodes side by side: graph ``G`` has the nodes ``G n .. G n + n - 1``."""
    ends = np.array(small_graphs.pairs(n), dtype=np.int64).reshape(-1, 2)
    masks = np.array(small_graphs.masks(n))
    mask, bit = np.nonzero(masks[:, None] >> np.arange(len(ends)) & 1)
    return Graph.from_positions(np.arange(n * len(masks)), ends[bit] + n * mask[:, None], nodes_supplied=True)


@st.composite
def random_graphs(draw: st.DrawFn, most_nodes: int = 60) -> Graph:
    """Draw graphs from empty to complete, some with a hub, some with pendants."""
    n = draw(st.integers(1, most_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = rng.random((n, n)) < draw(st.sampled_from([0.0, 0.03, 0.1, 0.3, 0.6, 0.9, 1.0]))
    if draw(st.booleans()):
        matrix[0, 1:] = True
    if draw(st.booleans()):
        matrix[:, n - n // 3 :] &= rng.random(n // 3 or 1)[: n // 3] < 0.1
    return from_adjacency(matrix)


def with_hubs(members: int, density: float, seed: int, hubs: int = 1) -> Graph:
    """Return a random graph whose first nodes are adjacent to all: ego networks of any size and density."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((members + hubs, members + hubs)) < density
    matrix[:hubs] = True
    return from_adjacency(matrix)


def skewed(nodes: int, seed: int) -> Graph:
    """Return a random graph in which few nodes have many neighbours: dense and sparse rows in one ego network."""
    rng = np.random.default_rng(seed)
    weights = np.minimum(1.0, 3.0 / (1 + np.arange(nodes)) ** 0.6)
    return from_adjacency(rng.random((nodes, nodes)) < np.outer(weights, weights))


# Graphs with what every engine must say of them.


def star(leaves: int) -> tuple[Graph, dict[str, list[float]]]:
    graph = Graph.from_edges([(0, leaf) for leaf in range(1, leaves + 1)])
    all_pairs = leaves * (leaves - 1) / 2
    rest = [0.0] * leaves
    return graph, {
        "triangles": [0.0, *rest],
        "ebc": [all_pairs, *rest],
        "betweenness2": [all_pairs, *rest],
        "max_common_neighbors": [0.0, *([1.0 if leaves > 1 else 0.0] * leaves)],
    }


def clique(n: int) -> tuple[Graph, dict[str, list[float]]]:
    graph = from_adjacency(np.ones((n, n), dtype=bool))
    return graph, {
        "triangles": [(n - 1) * (n - 2) / 2] * n,
        "ebc": [0.0] * n,
        "betweenness2": [0.0] * n,
        "max_common_neighbors": [max(n - 2.0, 0.0)] * n,
    }


def path(n: int) -> tuple[Graph, dict[str, list[float]]]:
    graph = Graph.from_edges([(v, v + 1) for v in range(n - 1)])
    inner = [0.0] + [1.0] * (n - 2) + [0.0]
    return graph, {
        "triangles": [0.0] * n,
        "ebc": inner,
        "betweenness2": inner,
        "max_common_neighbors": [1.0] * n,
    }


def book(pages: int, *, spine: bool = True) -> tuple[Graph, dict[str, list[float]]]:
    """Two nodes and `pages` nodes adjacent to both; the spine joins the two (spec, worked example 1)."""
    edges = [(end, 2 + page) for end in (0, 1) for page in range(pages)]
    graph = Graph.from_edges([*edges, (0, 1)] if spine else edges)
    apart = pages * (pages - 1) / 2
    return graph, {
        "triangles": [pages if spine else 0.0] * 2 + [1.0 if spine else 0.0] * pages,
        "ebc": [apart / 2 if spine else apart] * 2 + [0.0 if spine else 1.0] * pages,
        "betweenness2": [apart / 2] * 2 + [0.0 if spine else 1 / pages] * pages,
        "max_common_neighbors": [float(pages)] * 2 + [2.0] * pages,
    }


CLOSED_FORMS = [
    *[star(leaves) for leaves in (1, 2, 7, 300, 3000)],
    *[clique(n) for n in (2, 3, 8, 65)],
    *[path(n) for n in (4, 50)],
    *[book(pages) for pages in (2, 6, 64, 65, 257, 700)],
    *[book(pages, spine=False) for pages in (2, 6, 300)],
]
