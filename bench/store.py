"""The embedded store: releases a second, fairness among processes, and loading; processor and wall time.

``python bench/store.py [--edges 10000000] [--seconds 60] [--processes 8] [--folder DIR]``; with ``--only-load`` it runs
on the store of 0.1.0 as well (``PYTHONPATH`` of a checkout of it), so that one run compares both.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from edgedp import Graph, open_store


def random_graph(nodes: int, edges: int) -> Graph:
    pairs = np.random.default_rng(1).integers(0, nodes, (edges, 2))
    return Graph.from_edges(pairs, nodes=np.arange(nodes))


def processor() -> float:
    return time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def one_caller(path: Path, count: int) -> None:
    store = open_store(path)
    store.priv_top_k("small", "degree", 1, 0.01)
    wall, spent = time.perf_counter(), time.process_time()
    for _ in range(count):
        store.priv_top_k("small", "degree", 1, 0.01)
    wall, spent = time.perf_counter() - wall, time.process_time() - spent
    print(
        f"one caller: {count / wall:.0f} releases a second of wall time, {count / spent:.0f} of processor time"
    )


def stream(path: Path, until: float, out: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    store, done = open_store(path, lock_timeout=600), 0
    store.priv_top_k("small", "degree", 1, 0.01)
    while time.time() < until:
        store.priv_top_k("small", "degree", 1, 0.01)
        done += 1
    out.put(done)


def many_callers(path: Path, processes: int, seconds: int) -> None:
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    until = time.time() + seconds + 5
    callers = [context.Process(target=stream, args=(path, until, out)) for _ in range(processes)]
    for caller in callers:
        caller.start()
    done = sorted(out.get() for _ in callers)
    for caller in callers:
        caller.join()
    print(
        f"{processes} processes, {seconds} s: {done[0]} to {done[-1]} releases each, ratio {done[-1] / done[0]:.2f}"
    )


def load(folder: Path, edges: int) -> None:
    graph = random_graph(max(edges // 10, 10), edges)
    _ = graph.fingerprint
    wall, spent = time.perf_counter(), processor()
    open_store(folder / "large.edgedp").load(graph, "large")
    wall, spent = time.perf_counter() - wall, processor() - spent
    print(f"load of {graph.edge_count:,} edges: {wall:.1f} s wall, {spent:.1f} s processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only-load", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as place:
        folder = Path(place)
        if not asked.only_load:
            open_store(folder / "s").load(random_graph(1000, 5000), "small", epsilon_budget=10**6)
            one_caller(folder / "s", 300)
            many_callers(folder / "s", asked.processes, asked.seconds)
        load(folder, asked.edges)


if __name__ == "__main__":
    main()
