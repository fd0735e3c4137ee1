"""How good lists are that protect all that one person does, and what arcs cost beside edges.

    python bench/persons.py recall [GRAPH ...]     # in-degree by em, pf, cuts and joint; each edge read as two arcs
    python bench/persons.py cost [GRAPH ...]       # time of a release, memory and time of reading, as ratios

`results/persons.md` has one run of each. All noise is that of the product.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from at_hand import among

import edgedp
from edgedp.exact.quality import true_top
from edgedp.words.vocabulary import TopKMetricName

GRAPHS = {"Enron": "email-Enron", "GitHub": "musae-github"}
RUNS = 24
WAYS: dict[str, dict[str, object]] = {
    "em": {"mechanism": "em"},
    "pf": {"mechanism": "pf"},
    "cuts of 10": {"mechanism": "joint", "cap": 10},
    "cuts of 20": {"mechanism": "joint", "cap": 20},
    "joint (a pair)": {"mechanism": "joint"},
}


def graphs(asked: list[str]) -> Iterator[tuple[str, edgedp.Graph, edgedp.Graph]]:
    """Yield the graphs by name, undirected and with each edge as two arcs."""
    here = among(*GRAPHS.values())
    for name, dataset in GRAPHS.items():
        if dataset in here and (not asked or name in asked):
            graph = edgedp.read_graph(dataset)
            edges = graph.node_ids[graph.edges()]
            both = np.concatenate([edges, edges[:, ::-1]])
            yield name, graph, edgedp.Graph.from_edges(both, nodes=graph.node_ids, directed=True)


def recall(asked: list[str]) -> None:
    """Print the recall of the largest in-degrees, and in turn that of degrees in the undirected graph."""
    print("| graph | k | epsilon |", " | ".join(WAYS), "| joint of the undirected degree |")
    print("|---|---|---|" + "---|" * (len(WAYS) + 1))
    for name, graph, arcs in graphs(asked):
        for k in (10, 20, 50):
            top = set(arcs.node_ids[true_top(arcs.in_degrees, k)].tolist())
            undirected = set(graph.node_ids[true_top(graph.degrees, k)].tolist())
            for epsilon in (1, 0.3):
                found = [right(arcs, "in_degree", k, epsilon, way, top) for way in WAYS.values()]
                found.append(right(graph, "degree", k, epsilon, WAYS["joint (a pair)"], undirected))
                print(f"| {name} | {k} | {epsilon} |", " | ".join(f"{each:.2f}" for each in found), "|")


def right(
    graph: edgedp.Graph,
    metric: TopKMetricName,
    k: int,
    epsilon: float,
    way: dict[str, object],
    top: set[object],
) -> float:
    """Return the mean recall of a way to release."""
    drawn = [edgedp.priv_top_k(graph, metric, k, epsilon, **way) for _ in range(RUNS)]  # type: ignore[arg-type]
    return float(np.mean([len(top & set(each.nodes)) / k for each in drawn]))


def cost(asked: list[str]) -> None:
    """Print the time of a release beside degree's, and what reading takes beside an undirected graph."""
    print("| graph | release | reading: time | memory | the store's rows |")
    print("|---|---|---|---|---|")
    for name, graph, arcs in graphs(asked):
        fast = in_turn(
            {
                of: partial(edgedp.priv_top_k, read, of, 10, 1, mechanism="joint")
                for of, read in (("degree", graph), ("in_degree", arcs))
            }
        )
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "arcs.txt")
            # The same lines for both, so that the ratio is that of keeping directions.
            np.savetxt(file, arcs.node_ids[arcs.arcs()], fmt="%d")
            took = readings(file, ("undirected", "directed"))
        (t0, m0, s0), (t1, m1, s1) = took["undirected"], took["directed"]
        print(
            f"| {name} | {fast['in_degree'] / fast['degree']:.2f} | {t1 / t0:.2f} | {m1 / m0:.2f} | {s1 / s0:.2f} |"
        )


def in_turn(runs: dict[str, Callable[[], object]], times: int = 25) -> dict[str, float]:
    """Return the least processor time of each of some runs, which are made in turn."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            start = time.process_time()
            run()
            found[name].append(time.process_time() - start)
    return {name: min(took) for name, took in found.items()}


def readings(file: Path, ways: tuple[str, ...], times: int = 5) -> dict[str, tuple[float, float, float]]:
    """Return processor time, memory above an idle process, and bytes of rows, of loading a file, each in a process."""
    found: dict[str, list[list[float]]] = {way: [] for way in ways}
    for _ in range(times):
        for way in ways:
            words = [sys.executable, __file__, "child", str(file), way]
            shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            found[way].append([float(word) for word in shown.split()])
    return {way: tuple(map(min, zip(*rows, strict=True))) for way, rows in found.items()}


def child(asked: list[str]) -> None:
    """Load a file and print processor time, the rise of the peak, and the bytes of the file of rows."""
    file, way = asked
    edgedp.Graph.from_edges([(1, 2)])
    before, start = peak(), time.process_time()
    with tempfile.TemporaryDirectory() as folder, edgedp.open_store(Path(folder, "store")) as store:
        store.load(edgedp.read_graph(file, directed=way == "directed"), "g", epsilon_budget=1)
        took = time.process_time() - start
        rows = sum(each.stat().st_size for each in Path(folder, "store").rglob("*.rows"))
    print(took, peak() - before, rows)


def peak() -> float:
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    {"recall": recall, "cost": cost, "child": child}[sys.argv[1]](sys.argv[2:])
