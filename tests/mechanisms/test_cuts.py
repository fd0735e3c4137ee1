"""Cuts and the vectors that follow from them: golden hashes, and every engine beside the definitions."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import cut_definitions as define
import small_graphs
from edgedp import Graph, ParameterError, UnknownNameError, exact
from edgedp.graph.engines import igraph, native
from edgedp.graph.engines.cuts import cut_rows, node_words, order_keys, row_words
from edgedp.graph.engines.native import cuts as native_cuts
from looped import as_one
from test_betweenness2 import graph_of, plain, random_adjacency

ENGINES = [native, igraph]

GOLDEN = {
    (1, 2): 0x081A5C1377856B73,
    (2, 1): 0xF2826F98653E9E57,
    (0, -1): 0x9E0160293A33AAF7,
    (5038, 273): 0x7CE6163F101D5CD9,
    ("ada", "bob"): 0xA8FEF253F7909CC9,
    ("bob", "ada"): 0x6C3F768A90AEE28F,
    ("Zoë", "名"): 0xBA7F2C623770980A,
}
"""As docs/privacy.md has them: a change would change who is cut, in every release."""


def test_golden_words():
    assert [hex(word) for word in node_words(np.array([7, -1])).tolist()] == ["0x7", "0xffffffffffffffff"]
    assert hex(node_words(np.array(["ada"]))[0]) == "0x2705162143dab015"


@as_one
@pytest.mark.parametrize(("of", "member"), GOLDEN)
def test_golden_keys(of, member):
    assert define.key(of, member) == GOLDEN[of, member]
    found = order_keys(row_words(node_words(np.array([of]))), node_words(np.array([member])))
    assert found.dtype == np.uint64
    assert int(found[0]) == GOLDEN[of, member]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=20, unique=True))
@settings(max_examples=50)
def test_keys_of_integers_are_those_of_the_definition_and_never_tie(ids):
    words = node_words(np.array(ids, dtype=np.int64))
    for of, row in zip(ids, row_words(words), strict=True):
        keys = order_keys(np.full(len(ids), row), words).tolist()
        assert keys == [define.key(of, member) for member in ids]
        assert len(set(keys)) == len(ids)


def test_the_order_is_not_symmetric_and_fair():
    """Whom a hub keeps says nothing of who keeps the hub, and every leaf is kept about as often."""
    n = 400
    words = node_words(np.arange(n))
    keys = order_keys(np.repeat(row_words(words), n), np.tile(words, n)).reshape(n, n)
    upper = np.triu_indices(n, 1)
    assert abs(np.corrcoef(keys[upper].astype(float), keys.T[upper].astype(float))[0, 1]) < 0.02
    first_half = keys < np.median(keys, axis=1, keepdims=True)
    assert abs(first_half.mean(axis=0) - 0.5).max() < 5 * 0.5 / n**0.5


@st.composite
def cut_cases(
    draw: st.DrawFn,
) -> tuple[Graph, NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64] | None, list]:
    edges = draw(random_adjacency(largest=40))
    n = len(edges)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ids: list[Any] = (
        sorted({f"{rng.integers(10**6)}" for _ in range(2 * n)})[:n]
        if draw(st.booleans())
        else list(np.sort(rng.choice(10**6, n, replace=False)).tolist())
    )
    if len(ids) < n:
        ids = list(range(n))
    graph = Graph.from_edges(np.array(ids)[np.argwhere(np.triu(edges)).reshape(-1, 2)], nodes=np.array(ids))
    caps = rng.integers(0, n + 2, n) if draw(st.booleans()) else np.full(n, rng.integers(1, n + 1))
    return graph, edges, caps, rng.permutation(n) if draw(st.booleans()) else None, ids


@given(cut_cases(), st.integers(0, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_engines_equal_the_definitions(case, bits, seed):
    graph, edges, caps, ranks, ids = case
    n = len(edges)
    cut = define.cuts(edges, caps, define.public_order(ids), ranks)
    for rows in (cut_rows(graph, caps, ranks), native_cuts.cut_rows(graph, caps, ranks)):
        listed = np.zeros((n, n), dtype=bool)
        listed[np.repeat(np.arange(n), np.diff(rows.indptr)), rows.indices] = True
        assert len(rows.indices) == cut.sum()
        np.testing.assert_array_equal(listed, cut)
    weights = np.random.default_rng(seed).integers(1, 2**10, n)
    for engine in ENGINES:
        found = engine.cut_shares(graph, caps, ranks, bits)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, define.betweenness(edges, cut, 1 << bits))
        some = np.random.default_rng(seed).integers(0, n, n // 2)
        np.testing.assert_array_equal(engine.cut_shares(graph, caps, ranks, bits, some), found[some])
        found = engine.cut_closed_shares(graph, caps, ranks, weights, 777, 12)
        np.testing.assert_array_equal(found, define.closed(edges, cut, weights, 777, 1 << 12))


@pytest.mark.parametrize("engine", ENGINES, ids=["native", "igraph"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_engines_equal_the_definitions_on_all_small_graphs(n, engine: ModuleType):
    adjacency, order, weights = small_graphs.adjacency(n), define.public_order(range(n)), np.arange(1, n + 1)
    for ranks in (None, np.random.default_rng(n).permutation(n)):
        for cap in range(1, max(n, 2)):
            cut = define.cuts(adjacency, cap, order, ranks)
            caps = np.full(n, cap)
            wanted = define.betweenness(adjacency, cut, 60)
            closed = define.closed(adjacency, cut, weights, 5, 8)
            for mask, graph in enumerate(small_graphs.all_graphs(n)):
                shares = engine.cut_shares(graph, caps, ranks, 20)
                np.testing.assert_array_equal(np.rint(shares * 60 / 2**20), wanted[mask])
                found = engine.cut_closed_shares(graph, caps, ranks, weights, 5, 3)
                np.testing.assert_array_equal(found, closed[mask])


def larger_graph(seed: int = 3) -> Graph:
    """Return 3,000 nodes with hubs that the kernel keeps as bytes, and enough edges for several threads."""
    rng = np.random.default_rng(seed)
    weight = np.arange(1, 3_001) ** -0.8
    ends = rng.choice(3_000, (60_000, 2), p=weight / weight.sum())
    return Graph.from_positions(np.arange(3_000), ends, nodes_supplied=True)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("cap", [5, 200, 3_000])
def test_a_larger_graph_gives_the_same_by_both_engines_and_any_number_of_threads(cap, ordered):
    graph = larger_graph()
    n = graph.node_count
    ranks = np.random.default_rng(4).permutation(n) if ordered else None
    caps, weights = np.full(n, cap), np.random.default_rng(5).integers(1, 2**14, n)
    wanted = igraph.cut_shares(graph, caps, ranks, 30)
    closed = igraph.cut_closed_shares(graph, caps, ranks, weights, 50 << 14, 22)
    for threads in (1, 2, 5):
        np.testing.assert_array_equal(native.cut_shares(graph, caps, ranks, 30, threads=threads), wanted)
        few = np.argsort(-graph.degrees)[:40]
        found = native.cut_shares(graph, caps, ranks, 30, few, threads=threads)
        np.testing.assert_array_equal(found, wanted[few])
        found = native.cut_closed_shares(graph, caps, ranks, weights, 50 << 14, 22, threads=threads)
        np.testing.assert_array_equal(found, closed)
    if cap == 3_000 and not ordered:
        np.testing.assert_array_equal(wanted, native.betweenness2_shares(graph, 30))


@given(random_adjacency(largest=25), st.integers(1, 25), st.data())
@settings(max_examples=40)
def test_exact_cut_betweenness_is_the_rational_sum(edges, cap, data):
    graph, n = graph_of(edges), len(edges)
    order = data.draw(st.one_of(st.none(), st.permutations(range(n))))
    ranks = None if order is None else np.argsort(order)
    cut = define.cuts(edges, cap, define.public_order(range(n)), ranks)
    wanted = define.exact_betweenness(edges, cut)
    for engine in ("native", "igraph"):
        found = exact.cut_betweenness(graph, cap, order, engine=engine)
        assert found.dtype == np.float64
        for value, right in zip(found.tolist(), wanted, strict=True):
            assert abs(Fraction(value) - right) <= Fraction(1, 2**40)


@given(random_adjacency())
@settings(max_examples=40)
def test_without_a_cut_it_is_length_two_betweenness(edges):
    np.testing.assert_allclose(exact.cut_betweenness(graph_of(edges), len(edges)), plain(edges), rtol=1e-9)


def test_cuts_do_not_depend_on_the_order_in_which_edges_were_given():
    graph = larger_graph()
    edges = graph.edges()
    shuffled = np.random.default_rng(6).permutation(edges)[:, ::-1]
    again = Graph.from_edges(shuffled, nodes=np.random.default_rng(7).permutation(3_000))
    for one, other in zip(
        cut_rows(graph, np.full(3_000, 20), None), cut_rows(again, np.full(3_000, 20), None), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@as_one
@pytest.mark.parametrize(("cap", "order", "message"), [
    (0, None, "cap is 0, must be 1 or more"),
    (1.5, None, "cap is 1.5, must be a whole number"),
    (2, [0, 1], "order is not a ranking of the nodes"),
    (2, [0, 1, 1], "order is not a ranking of the nodes"),
])  # fmt: skip
def test_what_is_refused(cap, order, message):
    with pytest.raises(ParameterError, match=message):
        exact.cut_betweenness(Graph.from_edges([(0, 1), (1, 2)]), cap, order)


def test_an_unknown_node_in_the_order_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="nodes is 9"):
        exact.cut_betweenness(Graph.from_edges([(0, 1), (1, 2)]), 2, [0, 1, 9])


def test_graphs_without_nodes_or_edges_have_nothing():
    assert exact.cut_betweenness(Graph.from_edges([]), 3).tolist() == []
    assert exact.cut_betweenness(Graph.from_edges([], nodes=[1, 2]), 3).tolist() == [0.0, 0.0]
