"""Every kernel over the exhaustive small graphs and random ones: what a sanitizer watches, in a process of its own.

Each graph is one of its own, so that its arrays end where they end. The results are compared between the levels,
and to plain Python where that is cheap.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import kernel_reference
import small_graphs
from edgedp import Graph
from edgedp.graph.engines import native
from edgedp.graph.engines.native import shared
from edgedp.graph.engines.native.build import LEVELS
from edgedp.graph.engines.native.dominance import Boxes, count_dominating
from edgedp.graph.engines.native.library import instruction_level, level_name
from metric_definitions import from_adjacency, skewed, with_hubs

QUANTITIES = ("triangles", "ebc", "betweenness2", "max_common_neighbors")


def graphs(largest: int) -> Iterator[Graph]:
    for n in range(1, largest + 1):
        yield from small_graphs.all_graphs(n)
    rng = np.random.default_rng(11)
    for n in (*range(6, 60, 5), 63, 64, 65, 66, 130):
        for density in (0.05, 0.3, 0.9):
            yield from_adjacency(rng.random((n, n)) < density)
    for members in (63, 64, 65, 127, 129):
        yield with_hubs(members, float(rng.choice([0.02, 0.2, 0.8])), seed=members, hubs=2)
    for members, density in ((255, 0.2), (256, 0.2), (257, 0.8), (300, 0.02)):  # beside what a byte counts
        yield with_hubs(members, density, seed=members, hubs=2)
    yield skewed(400, seed=2)
    yield with_hubs(1500, 0.003, seed=3)
    yield Graph.from_edges([], nodes=np.arange(3))
    yield Graph.from_edges([], nodes=np.zeros(0, dtype=np.int64))


def results(graph: Graph, threads: int = 1) -> list[np.ndarray]:
    graph.kept.clear()  # the rows are checked again, scratch is new
    some = np.arange(graph.node_count)[:: max(1, graph.node_count // 3)]
    found = [getattr(native, name)(graph, some) for name in QUANTITIES]
    found += [getattr(native, name)(graph, threads=threads) for name in QUANTITIES]
    found += native.common_neighbors_between(graph)
    return [*found, native.betweenness2_shares(graph, 20), *cut_results(graph, threads), *figures_of(graph)]


def figures_of(graph: Graph) -> list[np.ndarray]:
    """Return the figures over all pairs, and both largest pairs where every common neighbour is a column."""
    most, on_edge = shared.most_common_of(graph), shared.edge_triangles(graph)
    found = [most, shared.two_triangles_move(graph, on_edge, most)]
    part, shared.COLUMN_LEAST, shared.COLUMN_PART = (shared.COLUMN_LEAST, shared.COLUMN_PART), 0, 1 << 30
    try:
        found += [shared.most_common_of(graph), shared.two_triangles_move(graph, on_edge, most)]
    finally:
        shared.COLUMN_LEAST, shared.COLUMN_PART = part
    assert found[:2] == found[2:]
    return [on_edge, np.array(found)]


def cut_results(graph: Graph, threads: int) -> list[np.ndarray]:
    """Return the sums through cuts: some rows cut, some empty and none, in a ranking with ties and without one."""
    n = graph.node_count
    if n == 5 and graph.edge_count % 4:  # a quarter of these many is enough beside all smaller ones
        return []
    ranks, weights = graph.degrees, 1 + np.arange(n) % 3
    some, all_in = np.arange(n) % 4, np.full(n, n)
    return [
        native.cut_shares(graph, some, ranks, 20, threads=threads),
        native.cut_shares(graph, some, None, 20),
        native.cut_shares(graph, all_in, None, 20, np.arange(n)[::-2]),
        native.cut_shares(graph, all_in, -np.arange(n), 20),
        native.cut_closed_shares(graph, some, None, weights, 3, 20),
        native.cut_closed_shares(graph, all_in, ranks, weights, 3, 20),
    ]


def same(some: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(some, other, strict=True))


def exercise_graphs(levels: tuple[str, ...], largest: int) -> None:
    for number, graph in enumerate(graphs(largest)):
        # One thread at a level that goes round, two at the others: a thread under the sanitizer costs more than its
        # work. The smallest graphs take one level alone: all of them at every level would be most of the time.
        first = levels[(number + number // 3) % len(levels)]  # three densities in turn, so not number alone
        with instruction_level(first):
            expected = results(graph)
        if graph.node_count <= 30 and number % 7 == 0:
            assert expected[4].tolist() == kernel_reference.triangles(graph) or graph.node_count == 0
            assert expected[-2].tolist() == kernel_reference.edge_triangles(graph)
            assert expected[-1][0] == kernel_reference.most_common_of(graph)
            assert expected[-1][1] == kernel_reference.two_triangles_move(graph)
            assert expected[7].tolist() == kernel_reference.max_common_neighbors(graph)
            shares = kernel_reference.betweenness2_shares(graph, 20)
            assert native.betweenness2_shares(graph, 20).tolist() == shares
            assert (
                native.cut_shares(graph, np.full(graph.node_count, graph.node_count), None, 20).tolist()
                == shares
            )
        others = [each for each in levels if each != first] or levels
        for level in others if graph.node_count > 5 else ():
            with instruction_level(level):
                assert same(results(graph, threads=2), expected), (number, level)


def exercise_hubs(levels: tuple[str, ...]) -> None:
    """Ego networks whose dense rows are bits: few rows and many, more neighbours than a byte counts."""
    for members, density in ((1025, 0.06), (1050, 0.2)):
        graph, found = with_hubs(members, density, seed=members, hubs=2), set()
        for level in levels:
            with instruction_level(level):
                found.add(float(native.ebc(graph, np.zeros(1, dtype=np.int64))[0]))
        assert len(found) == 1


def exercise_rows() -> None:
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 7, 64, 200):
        for count in (0, 1, 2, 9, 500):
            pairs = rng.integers(0, n, (count, 2))
            graph = Graph.from_positions(np.arange(n), pairs, nodes_supplied=True)
            indptr, indices = kernel_reference.rows_of_pairs(n, pairs.tolist())
            assert graph.indptr.tolist() == indptr
            assert graph.indices.tolist() == indices


def exercise_dominance() -> None:
    rng = np.random.default_rng(6)
    for p in (1, 2, 3, 4):
        for m, q in ((1, 1), (5, 64), (63, 3), (64, 64), (65, 1), (4097, 9), (30, 300)):
            points, thresholds = rng.integers(0, 9, (p, m)) / 4, rng.integers(-1, 10, (p, q)) / 4
            counts = np.all(points[:, None, :] > thresholds[:, :, None], axis=0).sum(axis=1)
            assert count_dominating(points, thresholds).tolist() == counts.tolist()
        boxes = Boxes(points)
        boxes.widen(p - 1, rng.random(points.shape[1]), 1 + 2.0**-24)
        low, high = boxes.of(np.array([0, points.shape[1] - 1]))
        assert (low <= high).all()


def main(largest: int) -> None:
    """Exercise every kernel, on all labelled graphs of up to so many nodes among others."""
    levels = LEVELS[: LEVELS.index(level_name()) + 1]
    exercise_graphs(levels, largest)
    exercise_hubs(levels)
    for level in levels:
        with instruction_level(level):
            exercise_rows()
            exercise_dominance()
    print("done")
