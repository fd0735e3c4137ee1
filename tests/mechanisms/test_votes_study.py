"""The study of votes (bench/votes.py): what it counts is what it says, and one edge moves it by its bound at most."""

from __future__ import annotations

import importlib
from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import edgedp
from cut_definitions import key

BENCH = Path(__file__).parents[2] / "bench"
Edge = tuple[int, int]


@pytest.fixture
def methods(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("votes_methods")


def graph_of(edges: set[Edge], n: int) -> edgedp.Graph:
    return edgedp.Graph.from_edges(sorted(edges), nodes=range(n))


def listed(edges: set[Edge], n: int, x: int, most: int, among: set[int]) -> set[int]:
    """Return the first neighbours of x in its own public order, by the definition."""
    near = [y for y in range(n) if y in among and (min(x, y), max(x, y)) in edges]
    return set(sorted(near, key=lambda y: key(x, y))[:most])


def random_graphs(count: int) -> list[tuple[set[Edge], int, set[int]]]:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(count):
        n = int(rng.integers(3, 13))
        share = rng.choice([0.3, 0.7, 0.95])
        edges = {pair for pair in combinations(range(n), 2) if rng.random() < share}
        found.append((edges, n, set(rng.permutation(n)[: rng.integers(0, n + 1)].tolist())))
    return found


def test_lists_and_sums_are_those_of_the_definition(methods: ModuleType) -> None:
    look = methods.Look()
    for edges, n, hubs in random_graphs(60):
        case, order = methods.Case(graph_of(edges, n)), np.array(sorted(hubs), dtype=np.int64)
        shared, joined = case.together(order, 3)
        outside = set(range(n)) - hubs
        lists = {x: listed(edges, n, x, 3, hubs) for x in outside}
        for (i, v), (j, w) in combinations(enumerate(order.tolist()), 2):
            assert shared[i, j] == shared[j, i] == sum({v, w} <= lists[x] for x in outside)
            assert joined[i, j] == joined[j, i] == ((v, w) in edges)
        met: dict[frozenset[int], int] = {}
        for x in outside:
            beside = listed(edges, n, x, 3, set(range(n)))
            for pair in {frozenset((v, w)) for v in lists[x] for w in beside if v != w}:
                met[pair] = met.get(pair, 0) + 1
        counted = {pair: min(count - 1, look.cap) for pair, count in met.items()}
        adjacent = sum(value for pair, value in counted.items() if tuple(sorted(pair)) in edges)
        assert look.sums(case, order).tolist() == [adjacent, sum(counted.values())]


def test_one_edge_moves_lists_or_pairs_of_hubs_and_never_both(methods: ModuleType) -> None:
    look, reached = methods.Look(), 0.0
    for edges, n, hubs in random_graphs(150):
        edge = (0, n - 1)
        one, other = (methods.Case(graph_of(each, n)) for each in (edges, edges ^ {edge}))
        order = np.array(sorted(hubs), dtype=np.int64)
        before, after = one.together(order, 3), other.together(order, 3)
        lists, joined = (float(np.abs(a - b).sum()) / 2 for a, b in zip(before, after, strict=True))
        assert lists <= 4
        assert joined <= 1
        assert min(lists, joined) == 0
        assert np.abs(look.sums(one, order) - look.sums(other, order)).sum() <= look.moves
        reached = max(reached, lists)
    assert reached == 4, "the bound of the lists is not reached here; take other graphs"
