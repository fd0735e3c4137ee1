"""SHA-256 of what the kernels return, to the last bit: the values that every later version must meet.

``tests/conformance/kernels.json`` was written by this file from version 0.1.0, whose kernels were other ones (cuts and
bounds of common neighbours, new in 0.2.0, from the first kernels that had them; figures over pairs from the first
kernels that returned what numpy does).
To add a case or a quantity: ``python tests/support/kernel_digests.py``, and read the difference before it is committed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp import Graph, read_graph
from edgedp.graph.engines import native
from edgedp.graph.engines.native import shared
from edgedp.graph.engines.native.dominance import count_dominating
from metric_definitions import skewed, union_of_small_graphs, with_hubs

RECORDED = Path(__file__).parents[1] / "conformance" / "kernels.json"

Arrays = list[NDArray[Any]]

GRAPHS: dict[str, Callable[[], Graph]] = {
    **{f"all labelled graphs of {n} nodes": partial(union_of_small_graphs, n) for n in range(1, 7)},
    **{
        f"a hub over {members} nodes of density {density}": partial(with_hubs, members, density, seed=members)
        for members, density in [
            (60, 0.3),
            (64, 0.5),
            (128, 0.6),
            (200, 0.1),
            (257, 0.9),
            (600, 0.01),
            (600, 0.2),
        ]
    },
    **{f"a skewed graph of {n} nodes": partial(skewed, n, seed=n) for n in (80, 500, 1500)},
    "email-Enron": lambda: read_graph("email-Enron"),
    "musae-github": lambda: read_graph("musae-github"),
}

QUANTITIES: dict[str, Callable[..., Arrays]] = {
    "rows": lambda graph, threads: [graph.indptr, graph.indices],
    "triangles": lambda graph, threads: [native.triangles(graph, threads=threads)],
    "ebc": lambda graph, threads: [native.ebc(graph, threads=threads)],
    "betweenness2": lambda graph, threads: [native.betweenness2(graph, threads=threads)],
    "betweenness2_shares": lambda graph, threads: [
        native.betweenness2_shares(graph, bits, threads=threads) for bits in (1, 20, 40)
    ],
    "cut_shares": lambda graph, threads: [
        native.cut_shares(graph, np.full(graph.node_count, 50), ranks, 20, threads=threads)
        for ranks in (None, np.argsort(np.argsort(-graph.degrees, kind="stable")))
    ],
    "max_common_neighbors": lambda graph, threads: [native.max_common_neighbors(graph, threads=threads)],
    "common_neighbors_between": lambda graph, threads: [*native.common_neighbors_between(graph)],
    "figures": lambda graph, threads: figures(graph),
    "some": lambda graph, threads: [
        getattr(native, name)(graph, some(graph), threads=threads)
        for name in ("triangles", "ebc", "betweenness2", "max_common_neighbors")
    ],
    "dominance": lambda graph, threads: dominance_counts(graph),
}


@cache
def graph(name: str) -> Graph:
    """Return a graph by its name here."""
    return GRAPHS[name]()


def digest(name: str, quantity: str, threads: int | None = None) -> str:
    """Return SHA-256 (hex) of types, shapes and bytes."""
    found = hashlib.sha256()
    for array in QUANTITIES[quantity](graph(name), threads):
        found.update(f"{array.dtype.str} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def recorded() -> dict[str, dict[str, str]]:
    """Return the digests of version 0.1.0, by graph and quantity."""
    values: dict[str, dict[str, str]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return values


def check(names: list[str]) -> None:
    """Compare some graphs at every level, in a process that may have the package from elsewhere."""
    from edgedp.graph.engines.native.build import LEVELS
    from edgedp.graph.engines.native.library import instruction_level, level_name

    for level in LEVELS[: LEVELS.index(level_name()) + 1]:
        with instruction_level(level):
            for name in names:
                graph(name).kept.clear()
                assert {quantity: digest(name, quantity) for quantity in QUANTITIES} == recorded()[name]


def some(graph: Graph) -> NDArray[np.int64]:
    """Return some positions, not in order, one of them twice."""
    chosen = np.random.default_rng(5).permutation(graph.node_count)[: max(1, graph.node_count // 200)]
    return np.concatenate([chosen, chosen[:1]])


def figures(graph: Graph) -> Arrays:
    """Return the triangles on every arc, the most common neighbours, and how far the two-triangles move."""
    on_edge, most = shared.edge_triangles(graph), shared.most_common_of(graph)
    return [on_edge, np.array([most, shared.two_triangles_move(graph, on_edge, most)])]


def dominance_counts(graph: Graph) -> Arrays:
    """Count by degree, triangles a neighbour and EBC, in one to three coordinates; many points tie."""
    degrees = graph.degrees.astype(np.float64)
    inside = native.triangles(graph) / np.maximum(degrees, 1)
    points = np.stack([degrees, inside, native.ebc(graph)])
    thresholds = np.minimum(points, 7.0)[:, :: max(1, graph.node_count // 5000)]
    return [count_dominating(points[:p], thresholds[:p]) for p in (1, 2, 3)]


if __name__ == "__main__":
    values = {name: {quantity: digest(name, quantity) for quantity in QUANTITIES} for name in GRAPHS}
    RECORDED.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
