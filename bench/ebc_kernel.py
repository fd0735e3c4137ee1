"""Exact EBC of all nodes: the kernel of the package beside a plain one, on one thread, interleaved.

python bench/ebc_kernel.py > bench/results/ebc_kernel.md
python bench/ebc_kernel.py --synthetic          # a power law of 10 million edges: minutes, 1.5 GB
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from collections.abc import Callable
from importlib.metadata import version

import numba
import numpy as np
from generators import affiliation, overlapping_clusters, power_law
from numpy.typing import NDArray

from edgedp import Graph, igraph_engine, kernels, read_graph

INTRODUCTION = f"""\
# Exact EBC and length-2 betweenness of all nodes

`python bench/ebc_kernel.py`: seconds of processor time, one thread each, interleaved, the least of several runs
(best on a quiet machine). Relabelling is included. Python {platform.python_version()}, numpy {np.__version__}, numba
{version("numba")}.

*reference*: the plain kernel in `bench/ebc_kernel.py`: a local graph for every ego network, wedges walked one by
one, the same histogram. *ours*: `edgedp.kernels.ebc`. *betweenness2*: its ratio is to our EBC in runs beside it.
*igraph*: EBC by the engine without numba, once.
"""


@numba.njit(nogil=True)
def reference(indptr: NDArray[np.int64], indices: NDArray[np.int32], result: NDArray[np.float64]) -> None:
    """Compute EBC plainly: local CSR by looking rows up in a position array, wedges, a histogram of pairs."""
    n = len(indptr) - 1
    largest = 0
    for c in range(n):
        largest = max(largest, indptr[c + 1] - indptr[c])
    inside = np.full(n, -1, np.int32)
    starts = np.zeros(largest + 1, np.int64)
    local = np.empty(1024, np.int32)
    counts = np.zeros(largest, np.int64)
    touched = np.empty(largest, np.int64)
    histogram = np.zeros(largest + 1, np.int64)
    for c in range(n):
        neighbors = indices[indptr[c] : indptr[c + 1]]
        degree = len(neighbors)
        for i in range(degree):
            inside[neighbors[i]] = i
        arcs = 0
        for i in range(degree):
            u = neighbors[i]
            room = arcs + indptr[u + 1] - indptr[u]
            if room > len(local):
                larger = np.empty(2 * room, np.int32)
                larger[:arcs] = local[:arcs]
                local = larger
            for p in range(indptr[u], indptr[u + 1]):
                j = inside[indices[p]]
                if j >= 0:
                    local[arcs] = j
                    arcs += 1
            starts[i + 1] = arcs
        for i in range(degree):
            met = 0
            for p in range(starts[i], starts[i + 1]):
                j = local[p]
                for q in range(starts[j], starts[j + 1]):
                    k = local[q]
                    if k > i:
                        if counts[k] == 0:
                            touched[met] = k
                            met += 1
                        counts[k] += 1
            for p in range(starts[i], starts[i + 1]):
                counts[local[p]] = 0
            for t in range(met):
                histogram[counts[touched[t]]] += 1
                counts[touched[t]] = 0
        total = degree * (degree - 1) / 2 - arcs / 2
        for shared in range(1, degree):
            if histogram[shared]:
                total -= histogram[shared] * shared / (shared + 1)
                histogram[shared] = 0
        histogram[0] = 0
        for i in range(degree):
            inside[neighbors[i]] = -1
        result[c] = total


def reference_ebc(graph: Graph) -> NDArray[np.float64]:
    result = np.empty(graph.node_count)
    reference(graph.indptr, graph.indices, result)
    return result


def large_power_law(nodes: int = 1_000_000, edges: int = 10_000_000, seed: int = 1) -> Graph:
    """Return a Chung-Lu graph like the one of the specification: density exponent 2.3, expected degrees up to 9,400."""
    rng = np.random.default_rng(seed)
    weights = np.minimum((1 - rng.random(nodes)) ** (-1 / 1.3), 2_000.0)
    ends = rng.choice(nodes, (edges, 2), p=weights / weights.sum())
    return Graph.from_positions(np.arange(nodes), ends, nodes_supplied=True)


def interleaved(repetitions: int, works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the least processor time of each work over runs that take turns."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repetitions):
        for name, work in works.items():
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


def row(name: str, graph: Graph, repetitions: int, *, with_igraph: bool) -> str:
    """Time all of it on one graph."""
    values = kernels.ebc(graph, threads=1)
    np.testing.assert_allclose(values, reference_ebc(graph), rtol=1e-9, atol=1e-6)
    kernels.betweenness2(graph, threads=1)
    best = interleaved(
        repetitions,
        {"reference": lambda: reference_ebc(graph), "ours": lambda: kernels.ebc(graph, threads=1)},
    )
    pairs = interleaved(
        repetitions,
        {
            "ours": lambda: kernels.ebc(graph, threads=1),
            "betweenness2": lambda: kernels.betweenness2(graph, threads=1),
        },
    )
    igraph = interleaved(1, {"ebc": lambda: igraph_engine.ebc(graph)})["ebc"] if with_igraph else None
    return (
        f"| {name} | {graph.node_count:,} | {graph.edge_count:,} | {graph.max_degree:,} "
        f"| {best['reference']:.3f} | {best['ours']:.3f} | {best['ours'] / best['reference']:.3f} "
        f"| {pairs['betweenness2']:.3f} | {pairs['betweenness2'] / pairs['ours']:.2f} "
        f"| {'' if igraph is None else f'{igraph:.1f}'} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--synthetic", action="store_true", help="only a power law of 10 million edges")
    parser.add_argument("--repetitions", type=int, default=15)
    options = parser.parse_args()
    print(INTRODUCTION)
    print(
        "| graph | nodes | edges | largest degree | reference | ours | ratio | betweenness2 | to ours | igraph |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    if options.synthetic:
        print(row("power law, exponent 2.3", large_power_law(), 1, with_igraph=False))
    else:
        for name in ("email-Enron", "musae-github"):
            print(row(name, read_graph(name), options.repetitions, with_igraph=True), flush=True)
        synthetic = {
            "power law": power_law(),
            "affiliation": affiliation(),
            "overlapping clusters": overlapping_clusters(),
        }
        for name, graph in synthetic.items():
            print(row(name, graph, options.repetitions, with_igraph=True), flush=True)
    print(
        f"\nPeak memory of the whole run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB."
    )


if __name__ == "__main__":
    main()
