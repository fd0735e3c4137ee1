"""What it costs as graphs grow: seconds of exact values and of releases, on generated graphs of several sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from edgedp.exact.experiments import generators
from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.rows import frame_of
from edgedp.release.in_memory.nodes import priv_top_k
from edgedp.words.progress import Progress, Silent

if TYPE_CHECKING:
    import polars as pl

    from edgedp.graph.graph import Graph

GENERATORS: dict[str, Callable[[int, int], Graph]] = {
    "clusters": lambda nodes, seed: generators.overlapping_clusters(
        nodes, clusters=max(nodes // 40, 2), largest=min(400, max(nodes // 10, 2)), seed=seed
    ),
    "co-authorship": lambda nodes, seed: generators.affiliation(nodes, nodes, seed=seed),
    "power-law": lambda nodes, seed: generators.power_law(nodes, seed=seed),
}
"""Synthetic graphs by name: of so many nodes, from a seed (`edgedp.exact.experiments.generators`)."""


def generated(name: str, nodes: int, seed: int = 1) -> Graph:
    """Return a synthetic graph.

    Examples
    --------
    >>> generated("power-law", 200).node_count
    200
    """
    from edgedp.mechanisms.checks import check_choice
    from edgedp.words.errors import ParameterError

    chosen = check_choice(name, "generator", tuple(GENERATORS))
    if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 100:
        raise ParameterError(f"nodes is {nodes!r}, must be an integer of at least 100; give a larger graph")
    return GENERATORS[chosen](nodes, seed)


def measure_growth(
    generator: str, sizes: Sequence[int], metric: str, runs: int, seed: int, progress: Progress | None = None
) -> pl.DataFrame:
    """Return the seconds, by the clock, of each step on each size; one row a run.

    Parameters
    ----------
    generator : str
        Of `GENERATORS`.
    sizes : sequence of int
        Numbers of nodes.
    metric : str
    runs : int
    seed : int
    """
    import polars as pl

    told = Silent() if progress is None else progress
    frames = []
    for done, nodes in enumerate(sizes):
        told("measuring sizes", done, len(sizes))
        graph = generated(generator, nodes, seed)
        frames.append(_measured(Facts(generator, graph), metric, runs))
    return pl.concat(frames)


def _measured(facts: Facts, metric: str, runs: int) -> pl.DataFrame:
    graph = facts.graph
    asked: dict[str, Any] = {"metric": metric, "k": min(10, graph.node_count), "epsilon": 1}
    steps: dict[str, Callable[[Graph], object]] = {
        "exact values": lambda fresh: _exact(fresh, metric),
        "release, sld": lambda fresh: priv_top_k(fresh, mechanism="sld", **asked),
    }
    if metric != "density":
        steps["release, joint"] = lambda fresh: priv_top_k(fresh, mechanism="joint", **asked)
    rows = []
    for step, work in steps.items():
        for run in range(runs):
            fresh = _without_what_is_kept(graph)
            begin = time.perf_counter()
            work(fresh)
            rows.append({"run": run, "step": step, "seconds": time.perf_counter() - begin})
    shared = {
        "experiment": "growth",
        "graph": facts.name,
        "nodes": graph.node_count,
        "edges": graph.edge_count,
        "metric": metric,
        "k": asked["k"],
        "epsilon": 1.0,
    }
    return frame_of(shared, rows)


def _exact(graph: Graph, metric: str) -> object:
    from edgedp.mechanisms.projection import GraphProjection

    return GraphProjection(graph).values(metric)


def _without_what_is_kept(graph: Graph) -> Graph:
    """Return the graph as one that nothing was computed of."""
    from edgedp.graph.graph import Graph

    return Graph(graph.node_ids, graph.indptr, graph.indices, nodes_supplied=True)
