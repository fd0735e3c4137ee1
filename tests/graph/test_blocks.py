"""Sums over pairs of blocks of members: together those of the graph, to the last unit, however members are dealt."""

from __future__ import annotations

import numpy as np
import pytest

from edgedp import Graph
from edgedp.graph.engines.native import blocks
from edgedp.graph.engines.native.blocks import Closed, Members, Open, sums_of_blocks
from edgedp.graph.engines.native.cuts import cut_closed_shares, cut_rows, cut_shares


def dealt(
    graph: Graph, caps: np.ndarray, ranks: np.ndarray | None, counted: Open | Closed, count: int, most: int
) -> np.ndarray:
    """Return the sums of all pairs of so many blocks: member ``y`` is in block ``y mod count``."""
    cuts, edges, n = cut_rows(graph, caps, ranks), graph.edges().astype(np.int32), graph.node_count
    connectors = np.repeat(np.arange(n, dtype=np.int32), np.diff(cuts.indptr))
    width, block = -(-n // count), cuts.indices % count
    members = [
        Members(connectors[block == b], cuts.indices[block == b] // np.int32(count), width)
        for b in range(count)
    ]
    sums = np.zeros(n, dtype=np.int64)
    for upper in range(count):
        for lower in range(upper + 1):
            both = [edges, edges[:, ::-1]] if lower < upper else [np.sort(edges, axis=1)]
            there = np.concatenate(both)
            there = there[(there % count == [lower, upper]).all(axis=1)] // np.int32(count)
            second = None if lower == upper else members[upper]
            found = sums_of_blocks(counted, n, members[lower], second, np.ascontiguousarray(there), most)
            np.add.at(sums, found.positions, found.sums)
    return sums


def graphs() -> list[Graph]:
    rng = np.random.default_rng(1)
    found = []
    for n, m, power in ((3, 2, 1), (9, 30, 1), (40, 160, 2), (40, 400, 1), (57, 300, 3)):
        ends = (n * rng.random((m, 2)) ** power).astype(np.int64)
        found.append(Graph.from_edges(ends[ends[:, 0] != ends[:, 1]], nodes=np.arange(n)))
    return found


@pytest.mark.parametrize("ordered", [False, True], ids=["lists", "ordered"])
@pytest.mark.parametrize(("count", "most"), [(1, 1 << 24), (3, 1 << 24), (2, 6)])
def test_all_pairs_of_blocks_sum_up_to_the_graph(ordered: bool, count: int, most: int) -> None:
    """Also where blocks are halved until nearly nothing is left of them."""
    rng = np.random.default_rng(2)
    for graph in graphs():
        n = graph.node_count
        ranks = rng.permutation(n) if ordered else None
        for cap in (2, 7, n):
            caps = np.full(n, cap)
            expected = cut_shares(graph, caps, ranks, 20)
            assert np.array_equal(dealt(graph, caps, ranks, Open(20), count, most), expected)
        caps, weights = rng.integers(1, 9, n), rng.integers(1, 9, n)
        expected = cut_closed_shares(graph, caps, ranks, weights, 50, 20)
        assert np.array_equal(dealt(graph, caps, ranks, Closed(weights, 50, 20), count, most), expected)


def test_only_the_sums_that_are_wanted_are_computed() -> None:
    graph = graphs()[-1]
    n = graph.node_count
    wanted = np.zeros(n, dtype=np.bool_)
    wanted[:4] = True
    found = dealt(graph, np.full(n, n), None, Open(20, wanted), 2, 1 << 24)
    expected = cut_shares(graph, np.full(n, n), None, 20)
    assert np.array_equal(found[:4], expected[:4])
    assert expected[4:].any()
    assert not found[4:].any()


def test_blocks_that_are_too_large_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is summed at once has no more entries than may be, unless two members are left."""
    seen = []
    summed = blocks._summed

    def watched(counted, node_count, lower, upper, edges, memory):  # type: ignore[no-untyped-def]
        seen.append((len(lower.labels) + (0 if upper is None else len(upper.labels)), lower.width))
        return summed(counted, node_count, lower, upper, edges, memory)

    monkeypatch.setattr(blocks, "_summed", watched)
    graph = graphs()[-1]
    dealt(graph, np.full(graph.node_count, graph.node_count), None, Open(20), 1, 50)
    assert len(seen) > 10
    assert all(entries <= 50 or width < 2 for entries, width in seen)
