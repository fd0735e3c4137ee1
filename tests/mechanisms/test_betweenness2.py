"""Length-2 betweenness: its L1 sensitivity over all small graphs, its integer shares, and other people's code."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import small_graphs
from edgedp import Graph, exact
from edgedp.graph.engines.native import betweenness2, betweenness2_shares
from edgedp.mechanisms.metrics import metric
from edgedp.mechanisms.metrics.betweenness2 import SHARE_BITS, share_bits
from looped import as_one

EXHAUSTIVE = [
    2, 3, 4, 5, 6, pytest.param(7, marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
]  # fmt: skip
METRIC = metric("betweenness2")


def plain(edges: NDArray[np.bool_], one: int | float = 1.0) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return the definition on ``(..., n, n)`` adjacency matrices; an integer `one` is shared rounding down."""
    integer = edges.astype(np.int64)
    common = integer @ integer
    share = one // np.maximum(common, 1) if isinstance(one, int) else one / np.maximum(common, 1)
    apart = ~edges & ~np.eye(edges.shape[-1], dtype=bool)
    handed = np.where(apart & (common > 0), share, 0)
    # v is a common neighbour of {u, w} iff edges[u, v] and edges[v, w]; each pair stands twice.
    doubled = ((integer @ handed) * integer).sum(axis=-1)
    return doubled // 2 if isinstance(one, int) else doubled / 2


def with_and_without_first_edge(n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return all graphs without the edge {0, 1}, and the same graphs with it; any edge can be renamed so."""
    later = small_graphs.pairs(n)[1:]
    without = np.zeros((1 << len(later), n, n), dtype=bool)
    for bit, (a, b) in enumerate(later):
        without[:, a, b] = without[:, b, a] = (np.arange(1 << len(later)) >> bit) & 1
    joined = without.copy()
    joined[:, 0, 1] = joined[:, 1, 0] = True
    return without, joined


def in_parts(n: int) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return the pairs of neighbouring graphs in parts that fit memory."""
    without, joined = with_and_without_first_edge(n)
    parts = max(1, len(without) >> 16)
    return list(zip(np.array_split(without, parts), np.array_split(joined, parts), strict=True))


@pytest.mark.parametrize("n", EXHAUSTIVE)
def test_an_edge_moves_the_vector_by_at_most_the_degrees_of_its_ends(n):
    widest = 0.0
    for without, joined in in_parts(n):
        moved = np.abs(plain(joined) - plain(without)).sum(axis=1)
        degrees = without.sum(axis=2)
        allowed = degrees[:, 0] + degrees[:, 1]
        assert np.all(moved <= allowed + 1e-9)
        assert np.all(allowed <= 2 * (joined.sum(axis=2).max(axis=1) - 1))
        widest = max(widest, float((moved - allowed).max()))
    assert widest == pytest.approx(0)  # the bound is reached


@pytest.mark.parametrize("n", EXHAUSTIVE)
def test_an_edge_moves_the_integer_shares_by_at_most_2_D_minus_1_units(n):
    for bits in (0, 3, SHARE_BITS):
        for without, joined in in_parts(n):
            moved = np.abs(plain(joined, 1 << bits) - plain(without, 1 << bits)).sum(axis=1)
            bound = joined.sum(axis=2).max(axis=1)
            assert np.all(moved <= 2 * (bound - 1) << bits)


@as_one
@pytest.mark.parametrize("bits", [0, 1, 7, SHARE_BITS])
def test_a_pair_moves_at_most_one_unit_whatever_its_common_neighbours(bits):
    c = np.arange(1, 200_000, dtype=np.int64)
    share, next_share = (1 << bits) // c, (1 << bits) // (c + 1)
    assert np.all(next_share + c * (share - next_share) <= 1 << bits)
    assert np.all(c * share <= 1 << bits)


@pytest.mark.parametrize("n", EXHAUSTIVE)
def test_degree_plus_t_is_admissible(n):
    for without, joined in in_parts(n):
        moved = np.abs(plain(joined) - plain(without))
        for side in (without, joined):
            degrees = side.sum(axis=2)
            assert np.all(moved <= METRIC.uncapped_sensitivity("", 0, degrees, None) + 1e-9)
        for t in range(3):
            fewer, more = (
                METRIC.uncapped_sensitivity("", s, d, None)
                for s, d in ((t, joined.sum(axis=2)), (t + 1, without.sum(axis=2)))
            )
            assert np.all(more >= fewer)
            fewer, more = (
                METRIC.uncapped_sensitivity("", s, d, None)
                for s, d in ((t, without.sum(axis=2)), (t + 1, joined.sum(axis=2)))
            )
            assert np.all(more >= fewer)


@pytest.mark.parametrize("n", [4, 5, 6])
def test_the_global_sensitivity_holds_under_every_bound_and_is_reached(n):
    without, joined = with_and_without_first_edge(n)
    moved = np.abs(plain(joined) - plain(without)).max(axis=1)
    largest = joined.sum(axis=2).max(axis=1)
    for bound in range(1, n):
        assert moved[largest <= bound].max() == pytest.approx(float(METRIC.global_sensitivity(bound)))


@st.composite
def random_adjacency(draw: st.DrawFn, largest: int = 60) -> NDArray[np.bool_]:
    n = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    propensity = rng.random(n) ** draw(st.sampled_from([0.0, 1.0, 3.0]))
    upper = np.triu(
        rng.random((n, n)) < draw(st.floats(0.02, 0.98)) * np.sqrt(np.outer(propensity, propensity)), 1
    )
    return upper | upper.T


def graph_of(edges: NDArray[np.bool_]) -> Graph:
    return Graph.from_edges(np.argwhere(np.triu(edges)), nodes=np.arange(len(edges)))


@given(random_adjacency(), st.data())
@settings(max_examples=200)
def test_the_theorem_on_random_graphs(edges, data):
    a, b = sorted(data.draw(st.lists(st.integers(0, len(edges) - 1), min_size=2, max_size=2, unique=True)))
    without, joined = edges.copy(), edges.copy()
    without[a, b] = without[b, a] = False
    joined[a, b] = joined[b, a] = True
    degrees = without.sum(axis=1)
    moved = np.abs(plain(joined) - plain(without))
    assert moved.sum() <= degrees[a] + degrees[b] + 1e-9
    assert np.all(moved <= degrees + 1e-9)
    before, after = (betweenness2_shares(graph_of(side), SHARE_BITS) for side in (without, joined))
    assert np.abs(after - before).sum() <= 2 * (int(joined.sum(axis=1).max()) - 1) << SHARE_BITS


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_kernel_equals_the_definition_on_all_small_graphs(n):
    for graph, wanted in zip(small_graphs.all_graphs(n), small_graphs.betweenness2(n), strict=True):
        np.testing.assert_allclose(betweenness2(graph, None), wanted, rtol=0, atol=1e-12)


@given(random_adjacency(), st.integers(0, SHARE_BITS), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_the_kernel_equals_the_definition_on_random_graphs(edges, bits, random):
    graph = graph_of(edges)
    wanted = plain(edges)
    np.testing.assert_allclose(betweenness2(graph, None), wanted, rtol=1e-12)
    some = np.array(random.sample(range(len(edges)), len(edges) // 2), dtype=np.int64)
    np.testing.assert_allclose(betweenness2(graph, some), wanted[some], rtol=1e-12)
    shares = betweenness2_shares(graph, bits)
    assert shares.dtype == np.int64
    np.testing.assert_array_equal(shares, plain(edges, 1 << bits))


@given(random_adjacency())
@settings(max_examples=60)
def test_shares_lose_less_than_one_unit_for_each_pair_of_neighbours(edges):
    degrees = edges.sum(axis=1)
    lost = plain(edges) - betweenness2_shares(graph_of(edges), SHARE_BITS) / 2**SHARE_BITS
    assert np.all(lost >= -1e-9)
    assert np.all(lost <= degrees * (degrees - 1) / 2 / 2**SHARE_BITS + 1e-9)


@given(random_adjacency())
@settings(max_examples=100)
def test_igraph_agrees_when_told_to_stop_at_length_two(edges):
    graph = graph_of(edges)
    bounded = graph.to_igraph().betweenness(directed=False, cutoff=2)
    np.testing.assert_allclose(betweenness2(graph, None), bounded, rtol=1e-9, atol=1e-9)


@given(random_adjacency(largest=30))
@settings(max_examples=60)
def test_networkx_agrees_where_no_shortest_path_is_longer_than_two(edges):
    edges[0, 1:] = edges[1:, 0] = True  # a hub next to everybody
    graph = graph_of(edges)
    unbounded = nx.betweenness_centrality(graph.to_networkx(), normalized=False)
    np.testing.assert_allclose(
        betweenness2(graph, None), [unbounded[v] for v in range(len(edges))], atol=1e-9
    )


def test_networkx_differs_by_exactly_the_pairs_further_apart():
    """On a path of five, unbounded betweenness also credits the pairs at distance three and four."""
    path = nx.path_graph(5)
    unbounded = nx.betweenness_centrality(path, normalized=False)
    assert [unbounded[v] for v in range(5)] == [0, 3, 4, 3, 0]
    assert betweenness2(Graph.from_networkx(path), None).tolist() == [0, 1, 1, 1, 0]
    credited = np.zeros(5)
    for a, b in combinations(range(5), 2):
        if b - a > 2:
            credited[a + 1 : b] += 1
    assert (betweenness2(Graph.from_networkx(path), None) + credited).tolist() == [0, 3, 4, 3, 0]


def test_ego_betweenness_sees_only_common_neighbours_inside_the_ego_network():
    """Two hubs that share their leaves: EBC leaves each the whole of every pair, length-2 betweenness a half."""
    leaves = range(2, 8)
    graph = Graph.from_edges([(hub, leaf) for hub in (0, 1) for leaf in leaves])
    assert exact.ebc(graph, nodes=[0]).tolist() == [15.0]
    assert exact.betweenness2(graph, nodes=[0]).tolist() == [7.5]


@given(st.integers(0, 2**31))
def test_shares_of_any_node_fit_62_bits(degree_bound):
    most_pairs = degree_bound * (degree_bound - 1) // 2
    assert 0 <= share_bits(degree_bound) <= SHARE_BITS
    assert most_pairs << share_bits(degree_bound) < 2**62
