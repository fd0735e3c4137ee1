"""The native engine against the definitions, its own invariances, and its refusals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernel_digests
import kernel_reference
import looped
import small_graphs
from edgedp import Graph
from edgedp.graph.engines import native
from edgedp.graph.engines.native import engine as native_engine
from edgedp.graph.engines.native import shared as native_shared
from edgedp.graph.engines.native.build import LEVELS
from edgedp.graph.engines.native.library import instruction_level, level_name
from edgedp.mechanisms.grid import grid_bits
from metric_definitions import (
    CLOSED_FORMS,
    QUANTITIES,
    book,
    by_definition,
    random_graphs,
    relabelled,
    shares_by_definition,
    skewed,
    union_of_small_graphs,
    with_hubs,
)

SMALL: dict[str, Callable[[int], np.ndarray]] = {
    "triangles": small_graphs.inner_edges,
    "ebc": small_graphs.ebc,
    "betweenness2": small_graphs.betweenness2,
    "max_common_neighbors": lambda n: small_graphs.common_neighbors(n).max(axis=2),
}


@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_all_labelled_graphs(quantity: str, n: int) -> None:
    values = getattr(native, quantity)(union_of_small_graphs(n))
    np.testing.assert_allclose(values.reshape(-1, n), SMALL[quantity](n), rtol=1e-12, atol=0)


@given(random_graphs())
@settings(max_examples=60)
def test_random_graphs_by_definition(graph: Graph) -> None:
    for quantity in QUANTITIES:
        values = getattr(native, quantity)(graph)
        np.testing.assert_allclose(values, by_definition(graph, quantity), rtol=1e-12, atol=0)
    np.testing.assert_array_equal(native.betweenness2_shares(graph, 20), shares_by_definition(graph, 20))


# Ego networks of every kind that the kernel tells apart: rows of one, two, four words; dense and sparse
# rows; rows of bytes beyond the memory for them (the last two); few paths from each vertex.
@looped.as_one
@pytest.mark.parametrize(
    ("members", "density"),
    [
        *[(60, 0.3), (64, 0.5), (100, 0.2), (128, 0.6), (200, 0.1), (256, 0.9), (257, 0.9), (300, 0.05)],
        *[(600, 0.002), (600, 0.01), (600, 0.2), (1200, 0.3), (1100, 0.99)],
    ],
)
def test_ego_networks_of_every_size_and_density(members: int, density: float) -> None:
    graph = with_hubs(members, density, seed=members)
    hub = np.zeros(1, dtype=np.int64)
    ego = Graph.from_positions(
        np.arange(members), graph.edges()[graph.edges()[:, 0] > 0] - 1, nodes_supplied=True
    )
    inside = np.zeros((members, members))
    inside[tuple(ego.edges().T)] = 1
    inside += inside.T
    expected = (1 / (1 + (inside @ inside)[np.triu(inside == 0, 1)])).sum()
    assert native.ebc(graph, hub)[0] == pytest.approx(expected, rel=1e-12)
    if members <= 300:
        assert native.ebc(graph)[0] == native.ebc(graph, hub)[0]
    assert native.triangles(graph, hub)[0] == ego.edge_count


@looped.as_one
@pytest.mark.parametrize("seed", range(3))
def test_dense_and_sparse_rows_in_one_ego_network(seed: int) -> None:
    graph = skewed(500, seed)
    for quantity in QUANTITIES:
        values = getattr(native, quantity)(graph)
        np.testing.assert_allclose(values, by_definition(graph, quantity), rtol=1e-12, atol=0)


@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("case", range(len(CLOSED_FORMS)))
def test_closed_forms(case: int, quantity: str) -> None:
    graph, expected = CLOSED_FORMS[case]
    assert getattr(native, quantity)(graph) == pytest.approx(expected[quantity], rel=1e-14)


def test_the_worked_example() -> None:
    assert native.ebc(book(6)[0])[:2].tolist() == [7.5, 7.5]
    assert native.ebc(book(6, spine=False)[0])[:2].tolist() == [15.0, 15.0]


def test_networkx_counts_the_same_triangles_and_ego_betweenness() -> None:
    graph = skewed(80, seed=9)
    other = graph.to_networkx()
    assert native.triangles(graph).tolist() == list(nx.triangles(other).values())
    for v in range(graph.node_count):
        inside = nx.betweenness_centrality(nx.ego_graph(other, v), normalized=False)[v]
        assert native.ebc(graph)[v] == pytest.approx(inside, rel=1e-9, abs=1e-12)


@given(random_graphs(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_labels_do_not_matter_to_the_last_bit(graph: Graph, shuffle: object) -> None:
    label = np.arange(graph.node_count)
    shuffle.shuffle(label)  # type: ignore[attr-defined]
    other = relabelled(graph, label)
    for quantity in QUANTITIES:
        function = getattr(native, quantity)
        np.testing.assert_array_equal(function(other)[label], function(graph))


@given(random_graphs(), st.data())
@settings(max_examples=30)
def test_chosen_positions_are_those_of_all_nodes_in_their_order(graph: Graph, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, graph.node_count - 1), max_size=8))
    positions = np.array(chosen, dtype=np.int64)
    for quantity in QUANTITIES:
        function = getattr(native, quantity)
        np.testing.assert_array_equal(function(graph, positions), function(graph)[positions])


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_threads_do_not_matter_to_the_last_bit(enron: Graph, quantity: str) -> None:
    function = getattr(native, quantity)
    one = function(enron, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(function(enron, threads=threads), one)
    some = np.random.default_rng(5).permutation(enron.node_count)[:500]
    np.testing.assert_array_equal(function(enron, some), one[some])


def test_enron(enron: Graph) -> None:
    assert native.triangles(enron).sum() == 3 * 727_044
    assert native.ebc(enron).sum() == pytest.approx(15_845_357.97, abs=0.005)


def test_shares_are_counted_exactly_and_approach_betweenness2(enron: Graph) -> None:
    values = native.betweenness2(enron)
    coarse = native.betweenness2_shares(enron, 20)
    fine = native.betweenness2_shares(enron, 40)
    assert coarse.dtype == fine.dtype == np.int64
    np.testing.assert_allclose(np.ldexp(fine.astype(float), -40), values, rtol=1e-9)
    # A pair is at most one unit below its value for each connector.
    pairs = enron.degrees * (enron.degrees - 1) // 2 - native.triangles(enron)
    short = np.ldexp(values, 20) - coarse
    assert (short >= -1e-3).all()
    assert (short <= pairs + 1e-3).all()


@pytest.mark.parametrize("name", ["enron", "github"])
def test_rows_of_hubs_change_the_time_alone(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = request.getfixturevalue(name)
    by_rows = native.betweenness2_shares(graph, 20)
    monkeypatch.setattr("edgedp.graph.engines.native.engine.HUB_ROWS_MEMORY", 0)
    np.testing.assert_array_equal(native.betweenness2_shares(graph, 20), by_rows)


def test_a_star_beyond_sixteen_bits() -> None:
    leaves = 70_000
    graph = Graph.from_edges(np.column_stack([np.zeros(leaves, dtype=np.int64), np.arange(1, leaves + 1)]))
    for quantity in ("ebc", "betweenness2"):
        assert getattr(native, quantity)(graph, np.zeros(1, dtype=np.int64))[0] == leaves * (leaves - 1) / 2


@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_no_edges(quantity: str, n: int) -> None:
    graph = Graph.from_edges([], nodes=np.arange(n))
    assert getattr(native, quantity)(graph).tolist() == [0] * n
    assert len(getattr(native, quantity)(graph, np.zeros(0, dtype=np.int64))) == 0


# -- the same to the last bit ------------------------------------------------------------------------


def levels() -> tuple[str, ...]:
    return LEVELS[: LEVELS.index(level_name()) + 1]


# The first graphs with one thread and two; the bundled ones once a level.
@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize("name", kernel_digests.GRAPHS)
def test_what_version_0_1_0_returned_to_the_last_bit(
    name: str, level: str, request: pytest.FixtureRequest
) -> None:
    if name == "musae-github":
        request.getfixturevalue("github")  # skips where it is absent
    graph = kernel_digests.graph(name)
    expected = kernel_digests.recorded()[name]
    for threads in (1, 2) if graph.node_count < 20_000 or level == levels()[-1] else (2,):
        graph.kept.clear()
        with instruction_level(level):
            assert {
                quantity: kernel_digests.digest(name, quantity, threads) for quantity in expected
            } == expected


@pytest.mark.parametrize("level", levels())
@given(graph=random_graphs())
@settings(max_examples=60)
def test_random_graphs_as_plain_integers_to_the_last_bit(level: str, graph: Graph) -> None:
    some = np.arange(graph.node_count)[::3]
    with instruction_level(level):
        for name in ("triangles", "ebc", "max_common_neighbors"):
            expected = getattr(kernel_reference, name)(graph)
            assert getattr(native, name)(graph).tolist() == expected
            graph.kept.clear()
            assert getattr(native, name)(graph, some).tolist() == [expected[v] for v in some]
        assert native.betweenness2_shares(graph, 20).tolist() == kernel_reference.betweenness2_shares(
            graph, 20
        )


@pytest.mark.parametrize("level", levels())
@given(pairs=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60))
@settings(max_examples=60)
def test_rows_of_any_pairs_as_plain_integers(level: str, pairs: list[tuple[int, int]]) -> None:
    indptr, indices = kernel_reference.rows_of_pairs(13, pairs)
    with instruction_level(level):
        graph = Graph.from_positions(np.arange(13), np.array(pairs).reshape(-1, 2), nodes_supplied=True)
    assert graph.indptr.tolist() == indptr
    assert graph.indices.tolist() == indices


# Ego networks of hubs: beyond 1,024 vertices dense rows are added as bits, in three, five or eight planes.
@pytest.mark.parametrize("level", levels())
@pytest.mark.parametrize(("members", "density"), [(1024, 0.1), (1025, 0.1), (1100, 0.05), (1300, 0.18)])
def test_rows_of_bits_to_the_last_bit(level: str, members: int, density: float) -> None:
    graph = with_hubs(members, density, seed=members, hubs=3)
    inside = np.zeros((members + 3, members + 3), dtype=np.float32)
    inside[tuple(graph.edges().T)] = 1
    inside = (inside + inside.T)[1:, 1:]
    pairs = np.bincount((inside @ inside)[np.triu(inside == 0, 1)].astype(np.int64))
    expected = float(pairs[0])
    shared = 0.0
    for common in np.flatnonzero(pairs[1:]) + 1:
        shared += int(pairs[common]) / int(common + 1)
    with instruction_level(level):
        assert native.ebc(graph, np.zeros(1, dtype=np.int64))[0] == expected + shared


# Vertices of an ego network with more neighbours than a byte counts, and networks larger than 16 bits count.
@pytest.mark.parametrize("level", levels())
def test_counts_beyond_a_byte(level: str) -> None:
    # Hub 0 over a complete bipartite network: 300 + 5 vertices share 5 or 300.
    few, many = np.arange(1, 6), np.arange(6, 306)
    bipartite = np.stack(np.meshgrid(few, many), -1).reshape(-1, 2)
    hub = np.column_stack([np.zeros(305, dtype=np.int64), np.arange(1, 306)])
    graph = Graph.from_positions(np.arange(306), np.concatenate([bipartite, hub]), nodes_supplied=True)
    with instruction_level(level):
        assert (
            native.ebc(graph)[0] == 10 / 301 + 300 * 299 / 2 / 6
            or native.ebc(graph)[0] == 300 * 299 / 2 / 6 + 10 / 301
        )


@pytest.mark.parametrize("level", levels())
def test_an_ego_network_beyond_sixteen_bits(level: str) -> None:
    # A hub over a cycle of 70,000 and over a second centre that half of the cycle knows.
    size = 70_000
    cycle = np.column_stack([np.arange(size), np.roll(np.arange(size), -1)])
    spokes = np.column_stack([np.full(size // 2, size), np.arange(0, size, 2)])
    hub = np.column_stack([np.full(size + 1, size + 1), np.arange(size + 1)])
    graph = Graph.from_positions(
        np.arange(size + 2), np.concatenate([cycle, spokes, hub]), nodes_supplied=True
    )
    # Inside: even nodes share the centre, neighbours at distance two also the odd node between them; two odd nodes
    # share the even node between them; the centre shares two even nodes with each odd one.
    even = size // 2
    pairs = (size + 1) * size // 2 - graph.edge_count + size + 1
    counts = {1: even * (even - 1) // 2 - even + even, 2: even + even}
    expected = float(pairs - sum(counts.values())) + (counts[1] / 2 + counts[2] / 3)
    with instruction_level(level):
        assert native.ebc(graph, np.array([size + 1]))[0] == pytest.approx(expected, rel=1e-14)
        assert native.ebc(graph)[size + 1] == pytest.approx(expected, rel=1e-14)


@given(random_graphs(), st.integers(0, 40))
@settings(max_examples=60)
def test_common_neighbors_lie_between_their_bounds_and_meet_them_where_counts_say_so(
    graph: Graph, room: int
) -> None:
    """Few nodes are counted, or all of them: what was left out is bounded by its degree."""
    real = kernel_reference.max_common_neighbors(graph)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(native_shared, "COUNTED_LEAST", room)
        graph.kept.pop("common_neighbors_between", None)
        low, high = native.common_neighbors_between(graph)
        with native_engine._scratch(graph) as memory:
            chosen, _ = native_shared._worth_counting(native_engine._rows(graph, memory), graph.degrees)
    assert np.all(low <= real)
    assert np.all(real <= high)
    assert np.array_equal(low[chosen], kernel_reference.most_common_among(graph, chosen.tolist()))
    left = np.delete(graph.degrees, chosen).max(initial=0)
    assert np.array_equal(low[chosen] >= np.minimum(left, graph.degrees[chosen]), low[chosen] == high[chosen])


def test_bounds_of_common_neighbors_are_given_up_where_the_hubs_share_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = Graph.from_edges([(a, b) for a in range(30) for b in range(a)])
    monkeypatch.setattr(native_shared, "COUNTED_LEAST", 20)
    monkeypatch.setattr(native_shared, "COUNTED_PAIRS", 0)
    with native_engine._scratch(graph) as memory:
        chosen, starts = native_shared._worth_counting(native_engine._rows(graph, memory), graph.degrees)
    assert len(chosen) < 174 // 29
    assert int(starts[-1]) == 29 * len(chosen)
    low, high = native.common_neighbors_between(graph)
    assert np.all(low <= 28)
    assert np.all(high >= 28)


# -- how far a value may be from the real one ---------------------------------------------------------------

EGO_FLOATS_UP_TO = 1 << 15
"""`FLOATS_UP_TO` of ebc.c."""


def error_in_steps(degree: int, counts: int, *, exactly: bool) -> float:
    """Return the most that a score by EBC is off by, in steps of the grid, where so many counts are different.

    A value is off by (counts + 2) half units of what is shared and 2 of all pairs, or, where whole parts are integers,
    by as many of rests below 1. A score follows with the slope 1 / delta where it stands. No count exceeds the most
    common neighbours, so that these are at least as many; a bound above the degree makes steps larger.
    """
    pairs = degree * (degree - 1) / 2
    t = np.arange(int(2 * degree ** (2 / 3)) + 10, dtype=float)
    delta = np.maximum(degree + t, (counts + t) * (counts + t - 1) / 4)
    stands = np.searchsorted(np.cumsum(delta), pairs if exactly else pairs / 2)
    added = counts * (counts + 1) if exactly else (counts + 2) * pairs / 2
    return float((added + 2 * pairs) * 2.0**-53 / delta[max(stands - 1, 0)] * 2.0 ** grid_bits(degree + 2))


def test_a_score_by_ebc_stays_within_an_eighth_of_a_step_at_every_degree() -> None:
    for degree in [10, 1_000, EGO_FLOATS_UP_TO, EGO_FLOATS_UP_TO + 1, 10**6, 10**8]:
        exactly = degree > EGO_FLOATS_UP_TO
        different = np.unique(np.geomspace(1, degree, 40).astype(int)).tolist()
        assert max(error_in_steps(degree, counts, exactly=exactly) for counts in different) < 1 / 8
    assert error_in_steps(10**6, 14_000, exactly=False) > 1 / 8


def test_a_hub_beyond_what_floats_may_add_up_has_its_exact_value() -> None:
    """One neighbour of the hub is adjacent to all others, so every pair is shared; a half graph has many counts."""
    half, members = 400, EGO_FLOATS_UP_TO + 40
    stairs = [(2 + a, 2 + half + b) for a in range(half) for b in range(a, half)]
    edges = [(0, v) for v in range(1, members + 1)] + [(1, v) for v in range(2, members + 1)] + stairs
    inside = np.zeros((2 * half, 2 * half), dtype=np.int64)
    for a, b in stairs:
        inside[a - 2, b - 2] = inside[b - 2, a - 2] = 1
    apart = np.triu(1 - inside, 1) == 1
    different, pairs = np.unique((inside @ inside + 1)[apart], return_counts=True)
    rest = members - 1 - 2 * half  # all their pairs share the one
    exact = Fraction(rest * (rest - 1) // 2 + rest * 2 * half, 2)
    exact += sum(Fraction(int(count), int(c) + 1) for c, count in zip(different, pairs, strict=True))
    assert len(different) > 300
    (value,) = native.ebc(Graph.from_edges(edges), np.array([0])).tolist()
    assert abs(Fraction(value) - exact) <= Fraction(float(np.spacing(value))) * Fraction(51, 100)
