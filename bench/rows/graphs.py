"""The graphs of the rows: what is in the catalogue, and generated ones, kept under build/bench/ once made."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import edgedp
from bench.at_hand import here
from bench.harness.measure import ROOT
from bench.harness.row import Builder, MissingRivalError, Work
from edgedp import Graph
from edgedp.exact.experiments.generators import affiliation, overlapping_clusters
from edgedp.graph.reading.sources.catalogue import dataset_names

__all__ = ["GRAPHS", "anew", "graph", "large_edges", "made"]

KEPT = ROOT / "build" / "bench" / "graphs"
NODES, EDGES = 1_000_000, 10_000_000


def large_edges() -> NDArray[np.int64]:
    """Return (10,000,000, 2) ends of a Chung-Lu graph: density exponent 2.3, degrees up to about 9,500."""
    return _kept(KEPT / "power-law.npy", _large_edges)


def _large_edges() -> NDArray[np.int64]:
    rng = np.random.default_rng(1)
    weights = np.minimum((1 - rng.random(NODES)) ** (-1 / 1.3), 2_000.0)
    return rng.choice(NODES, (EDGES, 2), p=weights / weights.sum())


def _kept(path: Path, make: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return an array out of a file; make it where it is not there, whole or not at all."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial_path = path.with_suffix(f".{time.time_ns()}.npy")
        np.save(partial_path, make())
        partial_path.replace(path)
    array: NDArray[np.int64] = np.load(path)
    return array


def power_law_10m() -> Graph:
    return Graph.from_positions(np.arange(NODES), large_edges(), nodes_supplied=True)


def coauthors(nodes: int = 120_000, papers: int = 150_000) -> Graph:
    """Return overlapping small cliques, productive authors more often."""
    rng = np.random.default_rng(3)
    edges = []
    for _ in range(papers):
        size = min(2 + rng.geometric(0.5), 9)
        authors = np.unique((nodes * rng.random(size) ** 2.2).astype(int))
        edges += [(authors[i], authors[j]) for i in range(len(authors)) for j in range(i)]
    return Graph.from_edges(np.array(edges))


GRAPHS: dict[str, tuple[str, Callable[[], Graph]]] = {
    "enron": ("email-Enron", partial(edgedp.read_graph, "email-Enron")),
    "github": ("musae-github", partial(edgedp.read_graph, "musae-github")),
    "coauthors": ("co-authors (120,000)", coauthors),
    "dblp": ("affiliation (300,000)", partial(affiliation, 300_000, 300_000)),
    "clusters": ("overlapping clusters (4,000)", overlapping_clusters),
    "10m": ("power law, 10 million edges", power_law_10m),
}
"""By the end of a row's name: how the page calls it, and what makes it."""


@cache
def graph(name: str) -> Graph:
    """Return a graph of `GRAPHS`; one of the catalogue is never fetched for a benchmark."""
    called, make = GRAPHS[name]
    if called in dataset_names() and not here(called):
        raise MissingRivalError(f"{called} is not here; EDGEDP_DATA may name a folder with a copy")
    return make()


def made(name: str) -> Callable[[], Graph]:
    """Return what prepares a graph."""
    return partial(graph, name)


def anew(work: Callable[..., object], *arguments: Any, **options: Any) -> Builder:
    """Return the builder of ``work(graph, ...)`` as on a graph that was just made: nothing is kept but its rows."""

    def build(graph: Graph) -> Work:
        def run() -> object:
            rows = graph.kept.get("rows")
            graph.kept.clear()
            if rows is not None:
                graph.kept["rows"] = rows
            return work(graph, *arguments, **options)

        return run

    return build
