"""The kernels beside networkit, igraph and networkx: exact values of all nodes, rows from edges, tops, one release.

python bench/ebc_kernel.py > bench/results/ebc_kernel.md
python bench/ebc_kernel.py --large              # a power law of 10 million edges: minutes, 2 GB

networkit is for this comparison alone: ``pip install networkit``; without it its column is empty.
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from at_hand import among

import edgedp
from edgedp import Graph, exact, read_graph
from edgedp.engines import igraph as igraph_engine
from edgedp.engines import kernels, native
from edgedp.engines.native.build import LEVELS
from edgedp.engines.native.library import instruction_level, level_name
from edgedp.experiments.generators import affiliation, overlapping_clusters, power_law

INTRODUCTION = f"""\
# Kernels

`python bench/ebc_kernel.py`: seconds of processor time of all threads, interleaved, the least of several runs; read
the ratios. Python {platform.python_version()}, numpy {np.__version__}, {kernels()}. Preparing a graph is included in
ours (relabelling, orientation) and left out of the others' (their own graph is built before).
"""


def without_what_is_kept(work: Callable[[Graph], object], graph: Graph) -> object:
    """Run as on a graph that was just built: nothing is kept but the rows that its kernel made."""
    rows = graph.kept.get("rows")
    graph.kept.clear()
    if rows is not None:
        graph.kept["rows"] = rows
    return work(graph)


def interleaved(repetitions: int, works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least processor time of each work over runs that take turns."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repetitions):
        for name, work in works.items():
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


def table(columns: list[str], rows: list[list[str]]) -> str:
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def shown(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.4f}" if seconds < 0.1 else f"{seconds:.2f}"


def networkit_triangles(graph: Graph) -> dict[str, Callable[[], object]]:
    """Return networkit's ways to the density of all nodes; every one is timed, the fastest is shown."""
    if find_spec("networkit") is None:
        return {}
    nk: Any = import_module("networkit")
    nk.setNumberOfThreads(1)
    low, high = (np.ascontiguousarray(end, dtype=np.uint64) for end in graph.edges().T)
    other = nk.Graph(graph.node_count)
    other.addEdges((low, high))
    other.indexEdges()
    other.sortEdges()
    return {
        "networkit": lambda: nk.centrality.LocalClusteringCoefficient(other, turbo=True).run().scores(),
        "networkit, plain": lambda: (
            nk.centrality.LocalClusteringCoefficient(other, turbo=False).run().scores()
        ),
        "networkit, edges": lambda: nk.sparsification.TriangleEdgeScore(other).run().scores(),
    }


def density_row(name: str, graph: Graph, repetitions: int, *, slow: bool) -> list[str]:
    as_igraph = graph.to_igraph()
    works: dict[str, Callable[[], object]] = {
        "ours": partial(without_what_is_kept, exact.density, graph),
        "igraph": lambda: as_igraph.transitivity_local_undirected(mode="zero"),
        **networkit_triangles(graph),
    }
    best = interleaved(repetitions, works)
    if slow:
        as_networkx = graph.to_networkx()
        best |= interleaved(1, {"networkx": lambda: import_module("networkx").triangles(as_networkx)})
    networkit = min((value for key, value in best.items() if key.startswith("networkit")), default=None)
    rival = min(value for key, value in best.items() if key not in ("ours", "networkx"))
    return [
        name,
        *[shown(found) for found in (best["ours"], networkit, best["igraph"], best.get("networkx"))],
        f"{best['ours'] / rival:.2f}",
    ]


def ebc_row(name: str, graph: Graph, repetitions: int, *, slow: bool) -> list[str]:
    works: dict[str, Callable[[], object]] = {}
    for level in LEVELS[: LEVELS.index(level_name()) + 1]:

        def at(level: str = level) -> object:
            with instruction_level(level):
                return native.ebc(graph, threads=1)

        works[level] = at
    works["betweenness2"] = lambda: native.betweenness2(graph, threads=1)
    best = interleaved(repetitions, works)
    if slow:
        best |= interleaved(1, {"igraph": lambda: igraph_engine.ebc(graph)})
    size = [f"{graph.node_count:,}", f"{graph.edge_count:,}", f"{graph.max_degree:,}"]
    return [name, *size, *[shown(best.get(key)) for key in (*LEVELS, "betweenness2", "igraph")]]


def rest_row(name: str, graph: Graph, repetitions: int) -> list[str]:
    ids = graph.node_ids[graph.edges()]
    options: dict[str, Any] = {
        **{"metric": "ebc", "k": 10, "epsilon": 1, "mechanism": "sld"},
        "degree_bound": 2 * graph.max_degree,
    }
    best = interleaved(
        repetitions,
        {
            "rows": lambda: Graph.from_edges(ids),
            "top": partial(without_what_is_kept, lambda graph: exact.top(graph, "ebc", 10), graph),
            "release": partial(
                without_what_is_kept, lambda graph: edgedp.priv_top_k(graph, **options), graph
            ),
        },
    )
    return [name, *[shown(best[key]) for key in ("rows", "top", "release")]]


def large_power_law(nodes: int = 1_000_000, edges: int = 10_000_000, seed: int = 1) -> Graph:
    """Return a Chung-Lu graph like the one of the specification: density exponent 2.3, expected degrees up to 9,400."""
    rng = np.random.default_rng(seed)
    weights = np.minimum((1 - rng.random(nodes)) ** (-1 / 1.3), 2_000.0)
    ends = rng.choice(nodes, (edges, 2), p=weights / weights.sum())
    return Graph.from_positions(np.arange(nodes), ends, nodes_supplied=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", action="store_true", help="only a power law of 10 million edges")
    parser.add_argument("--repetitions", type=int, default=9)
    options = parser.parse_args()
    repetitions = 2 if options.large else options.repetitions
    graphs = (
        {"power law, 10 million edges": large_power_law()}
        if options.large
        else {
            **{name: read_graph(name) for name in among("email-Enron", "musae-github")},
            "power law": power_law(),
            "affiliation": affiliation(),
            "overlapping clusters": overlapping_clusters(),
        }
    )
    slow = not options.large
    print(INTRODUCTION)
    print(
        "## EBC of all nodes, at each instruction level; length-2 betweenness; EBC by the igraph engine, once\n"
    )
    columns = ["graph", "nodes", "edges", "largest degree", *LEVELS, "betweenness2", "igraph engine"]
    print(
        table(columns, [ebc_row(name, g, repetitions, slow=slow) for name, g in graphs.items()]), flush=True
    )
    print("## Density of all nodes: triangles are listed anew; networkit by its fastest way; networkx once\n")
    columns = ["graph", "ours", "networkit", "igraph", "networkx", "ours to the best other"]
    print(
        table(columns, [density_row(name, g, repetitions, slow=slow) for name, g in graphs.items()]),
        flush=True,
    )
    print(
        "## Rows from an array of edges; exact top 10 of EBC; `priv_top_k` of EBC, k = 10, epsilon 1, sld\n"
    )
    print(
        table(
            ["graph", "rows", "top", "release"],
            [rest_row(name, g, repetitions) for name, g in graphs.items()],
        )
    )
    print(
        f"Peak memory of the whole run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB."
    )


if __name__ == "__main__":
    main()
