"""Exact values of all nodes, tops, and rows from edges, beside igraph, networkx and networkit."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.harness.row import Builder, MissingRivalError, Row, Target, Work, rival
from bench.rows.graphs import GRAPHS, NODES, anew, large_edges, made
from edgedp import Graph, exact
from edgedp.graph.engines import native
from edgedp.graph.engines.native.build import LEVELS
from edgedp.graph.engines.native.library import instruction_level, level_name

S = "Kernels"
OF_THE_CPP = (
    "at most 1.0 x portable C++ of the same algorithm is wanted as well. That study lies outside this repository, "
    "so it is not raced here; [decision 12](../docs/decisions/0012-kernels-in-c.md) has the figures."
)


def at_level(level: str) -> Builder:
    """Return EBC by the code of one instruction level; a machine without it says so."""

    def build(graph: Graph) -> Work:
        if LEVELS.index(level) > LEVELS.index(level_name()):
            raise MissingRivalError(f"this machine has no {level}")

        def run(graph: Graph) -> object:
            with instruction_level(level):
                return native.ebc(graph, threads=1)

        return anew(run)(graph)

    return build


def igraph_ebc(graph: Graph) -> Work:
    return lambda: exact.ebc(graph, engine="igraph")


def networkx_ebc(graph: Graph) -> Work:
    nx, other = rival("networkx"), graph.to_networkx()

    def run() -> object:
        return [
            nx.betweenness_centrality(nx.ego_graph(other, node), normalized=False)[node] for node in other
        ]

    return run


def networkx_triangles(graph: Graph) -> Work:
    nx, other = rival("networkx"), graph.to_networkx()
    return lambda: nx.clustering(other)


def igraph_density(graph: Graph) -> Work:
    other = graph.to_igraph()
    return lambda: other.transitivity_local_undirected(mode="zero")


def igraph_triangles(graph: Graph) -> Work:
    other = graph.to_igraph()
    if hasattr(other, "count_triangles"):
        return lambda: other.count_triangles()
    return lambda: other.transitivity_local_undirected(mode="zero")


def in_networkit(graph: Graph) -> tuple[Any, Any]:
    """Return networkit and the graph there, indexed and sorted."""
    nk = rival("networkit")
    nk.setNumberOfThreads(1)
    low, high = (np.ascontiguousarray(end, dtype=np.uint64) for end in graph.edges().T)
    other = nk.Graph(graph.node_count)
    other.addEdges((low, high))
    other.indexEdges()
    other.sortEdges()
    return nk, other


def networkit_turbo(graph: Graph) -> Work:
    nk, other = in_networkit(graph)
    return lambda: nk.centrality.LocalClusteringCoefficient(other, turbo=True).run().scores()


def networkit_edges(graph: Graph) -> Work:
    nk, other = in_networkit(graph)
    return lambda: nk.sparsification.TriangleEdgeScore(other).run().scores()


def top(graph: Graph) -> object:
    return exact.top(graph, "ebc", 10)


def rows_of(ends: Any) -> Work:
    return lambda: Graph.from_positions(np.arange(NODES), ends, nodes_supplied=True)


def rows_of_ids(ends: Any) -> Work:
    return lambda: Graph.from_edges(ends)


def scipy_rows(ends: Any) -> Work:
    sparse = rival("scipy.sparse")

    def run() -> object:
        ones = np.ones(2 * len(ends), dtype=np.int8)
        both = (np.concatenate([ends[:, 0], ends[:, 1]]), np.concatenate([ends[:, 1], ends[:, 0]]))
        matrix = sparse.coo_array((ones, both), shape=(NODES, NODES)).tocsr()
        matrix.sort_indices()
        return matrix

    return run


def networkit_rows(ends: Any) -> Work:
    nk = rival("networkit")
    low, high = (np.ascontiguousarray(end, dtype=np.uint64) for end in ends.T)

    def run() -> object:
        other = nk.Graph(NODES)
        other.addEdges((low, high))
        other.removeMultiEdges()
        other.removeSelfLoops()
        other.sortEdges()
        return other

    return run


DENSITY = {
    "networkit, turbo": networkit_turbo,
    "networkit, edges": networkit_edges,
    "igraph": igraph_density,
}


def ebc_row(name: str, *, rounds: int = 9, large: bool = False) -> Row:
    return Row(
        name=f"ebc-{name}",
        section=S,
        title=f"EBC of all nodes, {GRAPHS[name][0]}",
        prepare=made(name),
        ours=anew(native.ebc, threads=1),
        also={} if large else {level: at_level(level) for level in LEVELS},
        rivals={} if large else {"igraph": igraph_ebc},
        wanted=(Target(4.0), Target(250e6, "memory")) if large else (),
        note=OF_THE_CPP if name == "enron" else "",
        rounds=rounds,
        large=large,
    )


def density_row(name: str) -> Row:
    return Row(
        name=f"density-{name}",
        section=S,
        title=f"density of all nodes, {GRAPHS[name][0]}",
        prepare=made(name),
        ours=anew(exact.density),
        rivals={**DENSITY, "networkx": networkx_triangles} if name == "enron" else DENSITY,
        wanted=(Target(0.7, "ratio"),),
    )


ROWS = (
    *(ebc_row(name) for name in ("enron", "github", "coauthors")),
    Row(
        name="ebc-small",
        section=S,
        title="EBC of all nodes, the 400 first of email-Enron",
        prepare=lambda: first_nodes(400),
        ours=anew(native.ebc, threads=1),
        rivals={"igraph": igraph_ebc, "networkx": networkx_ebc},
        rounds=3,
    ),
    ebc_row("10m", rounds=4, large=True),
    Row(
        name="ebc-two-threads-10m",
        section=S,
        title="EBC of all nodes by two threads, power law, 10 million edges (by the clock)",
        prepare=made("10m"),
        ours=anew(native.ebc, threads=2),
        also={"one thread": anew(native.ebc, threads=1)},
        wanted=(Target(1 / 1.8, "ratio", "one thread"),),
        reason=(
            "relabelling and orienting are one thread's work; and it takes two processors that nobody else uses"
        ),
        clock="wall",
        rounds=2,
        large=True,
    ),
    Row(
        name="betweenness2-enron",
        section=S,
        title="length-2 betweenness of all nodes, email-Enron",
        prepare=made("enron"),
        ours=anew(native.betweenness2, threads=1),
    ),
    *(density_row(name) for name in ("enron", "github", "dblp", "clusters")),
    Row(
        name="triangles-10m",
        section=S,
        title="triangles of all nodes, power law, 10 million edges",
        prepare=made("10m"),
        ours=anew(native.triangles, threads=1),
        rivals={"networkit, edges": networkit_edges, "igraph": igraph_triangles},
        wanted=(Target(2.5), Target(0.7, "ratio")),
        rounds=3,
        large=True,
    ),
    Row(
        name="rows-10m",
        section=S,
        title="rows (CSR) from an array of 10 million edges between positions",
        prepare=large_edges,
        ours=rows_of,
        also={"from ids": rows_of_ids},
        rivals={"scipy": scipy_rows, "networkit": networkit_rows},
        wanted=(Target(0.9),),
        rounds=3,
        large=True,
    ),
    Row(
        name="top-enron",
        section=S,
        title="`exact --top 10` of EBC, email-Enron",
        prepare=made("enron"),
        ours=anew(top),
        also={"all nodes": anew(native.ebc, threads=1)},
        wanted=(Target(0.015),),
    ),
    Row(
        name="top-github",
        section=S,
        title="`exact --top 10` of EBC, musae-github",
        prepare=made("github"),
        ours=anew(top),
        also={"all nodes": anew(native.ebc, threads=1)},
    ),
    Row(
        name="top-10m",
        section=S,
        title="`exact --top 10` of EBC, power law, 10 million edges",
        prepare=made("10m"),
        ours=anew(top),
        wanted=(Target(0.4),),
        reason=(
            "its 40 largest degrees are nearly equal: 44 nodes of at least 8,790 neighbours have to be computed, and "
            "no cheap bound tells nodes apart whose values differ by 1 %"
        ),
        rounds=3,
        large=True,
    ),
)


def first_nodes(count: int) -> Graph:
    """Return the subgraph of Enron's first nodes: small enough for networkx."""
    edges = made("enron")().edges()
    return Graph.from_positions(np.arange(count), edges[(edges < count).all(axis=1)], nodes_supplied=True)
