from __future__ import annotations

from itertools import combinations, islice
from itertools import count as count_up
from math import comb
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgedp
import number_cases as cases
import small_graphs as small
from edgedp import Graph
from edgedp.graph.engines import figures
from edgedp.graph.engines.native import engine, layout, library, shared
from edgedp.mechanisms.counts import Bounds, count_class, count_names
from edgedp.mechanisms.counts.base import Count, Profile, profile_of
from edgedp.mechanisms.counts.ebc import Ebc
from edgedp.mechanisms.counts.stars import check_star_size
from edgedp.mechanisms.projection import GraphProjection
from edgedp.words.errors import ParameterError
from looped import as_one

SMALL = [(n, bound) for n in (2, 3, 4) for bound in range(n)] + [(5, 2), (5, 3), (5, 4)]
LARGER = [(6, 3), (6, 5)]


def check_admissible(case: str, n: int, bound: int) -> None:
    """Hold (1) and (2) of every profile, over all neighbours that keep the bound."""
    real = cases.values(case, n)
    found, keeps = cases.profiles(case, n, bound), cases.lawful(n, bound)
    longest = max(len(profile.steps) for profile in found) + 1
    table = np.array([[profile.at(t) for t in range(longest + 1)] for profile in found])
    units = 1 << found[0].bits
    number = np.array([profile.value for profile in found])
    if found[0].ceiling:
        # Each pair's share of betweenness2 is rounded down, another value once as a whole.
        off = comb(n, 2) if case == "betweenness2" else 1
        assert np.all(np.abs(number - real * units)[keeps] < off)
        assert np.all(number[keeps] <= found[0].maximum)
    else:
        assert np.ptp(real[keeps]) == 0
    for other in small.neighbor_table(n).T:
        pair = keeps & keeps[other]
        moved = np.abs(number - number[other])[pair]
        assert np.all(moved <= table[pair, 0])
        assert np.all(table[pair, 1:] >= table[other[pair], :-1])
    assert np.all(np.diff(table, axis=1) >= 0)
    assert len({(profile.ceiling, profile.maximum, profile.bits) for profile in found}) == 1


def test_sensitivities_and_maxima_are_those_of_the_formulas() -> None:
    """Under public bounds alone, written out here: what every profile ends at, and where an answer is cut."""
    for n, bound in ((2, 1), (5, 0), (5, 1), (5, 2), (5, 3), (9, 4), (9, 8), (100, 10), (40, 25)):
        bounds, m, pairs = Bounds(n, bound), max(bound - 1, 0), bound * (bound - 1) // 2
        some = bound >= 2
        fine = min(20, 46 - max(1, pairs).bit_length())
        expected = {
            "edges": (min(bound, 1), n * bound // 2),
            "triangles": (m, n * bound * m // 6),
            "two_triangles": (m * (m - 1) // 2 + 2 * m * (m - 1), n * bound // 2 * (m * (m - 1) // 2)),
            "wedges": (2 * m, n * pairs),
            "degree": (min(bound, 1), bound),
            "common_neighbors": (int(some), min(bound, n - 2) if some else 0),
            "density": (2**20 + 1 if some else 0, 2**20 if some else 0),
            "ebc": (-(-max(4 * bound, bound * m) * 2**fine // 4) + 1 if some else 0, pairs << fine),
        }
        for case, (moves, most) in expected.items():
            count = cases.count_of(case)
            assert count.maximum(bounds) == most, case
            assert count.global_sensitivity(bounds) == moves, case
        clustering = count_class("clustering")()
        assert clustering.maximum(bounds) == clustering.global_sensitivity(bounds) == int(some)
    assert {case: cases.count_of(case).bounds_to_buy for case in cases.CASES} == {
        case: {"triangles": 1, "two_triangles": 2}.get(case, 0) for case in cases.CASES
    }


def test_sensitivities_at_a_distance_are_those_of_the_formulas() -> None:
    """Of node 1 of a graph by hand: 6 neighbours, of which it shares 3 with node 2; a step is 2**-20."""
    graph = Graph.from_edges([(0, i) for i in range(1, 7)] + [(1, i) for i in (2, 3, 4)] + [(6, 5)])
    projection, bounds = GraphProjection(graph), Bounds(7, 6)
    d, m = 6, 3
    expected = {
        "edges": [1] * 5,
        "degree": [1] * 5,
        "common_neighbors": [1] * 5,
        "density": [-(-(2**21) // max(d - t, 2)) + 1 for t in range(5)],
        "ebc": [-(-max(4 * (d + t), (m + t) * (m + t - 1)) * 2**20 // 4) + 1 for t in range(5)],
    }
    for case, steps in expected.items():
        count = cases.count_of(case)
        assert list(islice(count.sensitivities(projection, bounds), 5)) == steps, case


def test_what_follows_from_a_figure_is_the_formula_of_it() -> None:
    """Of stars the worst that two degrees of a sum can be, of two-triangles the bound by ``M``, of EBC the figure."""
    bounds = Bounds(30, 7)
    m, distances = 6, range(12)
    for size in (2, 3, 4):
        stars = cases.count_of(f"stars {size}")
        for z in range(2 * m + 1):
            worst = [
                max(
                    comb(x, size - 1) + comb(y, size - 1)
                    for x in range(m + 1)
                    for y in range(m + 1)
                    if x + y <= z + t
                )
                for t in distances
            ]
            assert list(islice(stars.sensitivities_from(z, bounds), 12)) == worst
        assert stars.leading(GraphProjection(Graph.from_edges([], nodes=range(3))), Bounds(3, 2)) == 0
    graph = Graph.from_edges([(0, 1), *combinations(range(1, 13), 2), (3, 13), (13, 14)])
    projection, wide = GraphProjection(graph), Bounds(30, 20)
    for node, common in enumerate(projection.max_common_neighbors().tolist()):
        ebc, degree = Ebc(node), int(graph.degrees[node])
        figure = next(k for k in count_up(3) if k * (k - 1) >= 4 * degree)
        assert ebc.leading(projection, wide) == max(common, figure)
        quarters = [max(4 * (degree + t), (common + t) * (common + t - 1)) for t in distances]
        assert list(islice(ebc.sensitivities(projection, wide), 12)) == [
            each * 2**18 + 1 for each in quarters
        ]


def test_two_triangles_move_by_the_least_of_both_bounds() -> None:
    """``LS + 4 sum_{s<t} M_s`` and ``(5 M_t**2 - M_t) / 2``, ``M_t = min(c + t, m)``; and the figure of their bar."""
    two, bounds = count_class("two_triangles")(), Bounds(99, 21)

    def least(most: int, start: int) -> list[int]:
        caps = [min(most + t, 20) for t in range(30)]
        return [min(start + 4 * sum(caps[:t]), (5 * cap * cap - cap) // 2) for t, cap in enumerate(caps)]

    for most in (0, 1, 2, 5, 6, 19, 20):
        assert list(islice(two.sensitivities_from(most, bounds), 30)) == least(most, 10**6)
        for move in (0, 1, 3, 4, 5, 15, 16, 17, 99, 100, 101):
            known = SimpleNamespace(
                most_common_neighbors=lambda most=most: most, two_triangles_move=lambda move=move: move
            )
            projection: Any = SimpleNamespace(figures=lambda known=known: known)
            assert list(islice(two.sensitivities(projection, bounds), 30)) == least(most, move)
            figure = next(z for z in count_up() if 4 * z * z >= move and 2 * z + 1 >= most)
            assert two.bar_figure(projection, bounds) == figure
            bar = least(2 * figure + 1, 4 * figure * figure)
            assert list(islice(two.bar_steps(figure, bounds), 30)) == bar


def test_stars_have_from_two_arms_to_as_many_as_the_bound_and_a_count_of_256_bits_at_most() -> None:
    for bound in (2, 5):
        for size in range(2, bound + 1):
            assert check_star_size(size, Bounds(9, bound)) == size
        for size in (1, bound + 1):
            with pytest.raises(ParameterError, match="must be from 2 to the degree bound"):
                check_star_size(size, Bounds(9, bound))
    assert check_star_size(2, Bounds(2**256 - 1, 2)) == 2
    with pytest.raises(ParameterError, match="must be so small"):
        check_star_size(2, Bounds(2**256, 2))


@as_one
@pytest.mark.parametrize("case", ["triangles", "two_triangles", "ebc", "wedges"])
def test_a_profile_holds_what_its_count_says_and_nothing_where_nothing_moves(case: str) -> None:
    graph = Graph.from_edges([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], nodes=range(6))
    projection, bounds, count = GraphProjection(graph), Bounds(6, 3), cases.count_of(case)
    found = profile_of(count, projection, bounds)
    assert (found.value, found.leading) == (
        count.value(projection, bounds),
        count.leading(projection, bounds),
    )
    assert (found.bounds_to_buy, found.curve) == (count.bounds_to_buy, count.curve(bounds))
    assert (found.ceiling, found.maximum) == (count.global_sensitivity(bounds), count.maximum(bounds))
    assert found.bits == count.bits(bounds)
    if case != "wedges":
        alone, at_most_one = GraphProjection(Graph.from_edges([], nodes=range(6))), Bounds(6, 1)
        nothing = profile_of(count, alone, at_most_one)
        assert nothing == Profile(0, (), 0, 0, count.bits(at_most_one))


def test_a_value_of_ebc_is_on_a_grid_that_floats_are_right_to_an_eighth_of() -> None:
    """Sixteen roundings of a float; no place is given away before the largest value needs it."""
    for bound in (2, 3, 1000, 2**13, 2**14, 10**5, 10**6, 5 * 10**6, 2**24):
        bits, pairs = cases.count_of("ebc").bits(Bounds(bound + 1, bound)), bound * (bound - 1) // 2
        assert bits == max((q for q in range(21) if pairs << q < 2**46), default=0)


@pytest.mark.parametrize("case", cases.CASES)
def test_profiles_are_admissible_on_all_small_graphs(case: str) -> None:
    for n, bound in SMALL:
        if cases.fits(case, n, bound):
            check_admissible(case, n, bound)


@pytest.mark.slow
@pytest.mark.parametrize("case", cases.CASES)
@pytest.mark.parametrize(("n", "bound"), LARGER)
def test_profiles_are_admissible_on_all_graphs_of_six_nodes(case: str, n: int, bound: int) -> None:
    check_admissible(case, n, bound)


def local_sensitivities(case: str, n: int) -> np.ndarray:
    """Return (distances, graphs): the largest move by one edge within each distance."""
    real = cases.values(case, n)
    moves = np.abs(real[small.neighbor_table(n)] - real[:, None]).max(axis=1)
    within = [moves]
    for _ in range(comb(n, 2)):
        within.append(np.maximum(within[-1], within[-1][small.neighbor_table(n)].max(axis=1)))
    return np.array(within)


@pytest.mark.parametrize("case", ["edges", "wedges", "stars 2", "stars 3", "stars 4"])
@pytest.mark.parametrize("n", [4, 5])
def test_profiles_of_stars_are_the_local_sensitivity_within_every_distance(case: str, n: int) -> None:
    if not cases.fits(case, n, n - 1):
        return
    found = cases.profiles(case, n, n - 1)
    for t, exact in enumerate(local_sensitivities(case, n)):
        assert np.array_equal([profile.at(t) for profile in found], exact), t


def test_the_local_sensitivity_of_two_triangles_is_exact() -> None:
    for n in (3, 4, 5):
        found = cases.profiles("two_triangles", n, n - 1)
        exact = local_sensitivities("two_triangles", n)[0].tolist()
        assert [profile.at(0) for profile in found] == exact


def test_nissim_raskhodnikova_and_smith_give_the_exact_sensitivity_of_triangles() -> None:
    """Ours, ``c + t``, is never below it, and the same where the pair has no half-joined nodes left to use."""
    n = 5
    common, edges, degrees = small.common_neighbors(n), small.adjacency(n), small.degrees(n)
    exact = local_sensitivities("triangles", n)
    for t in range(4):
        best = np.zeros(len(common), dtype=int)
        for i, j in combinations(range(n), 2):
            c = common[:, i, j]
            half = degrees[:, i] + degrees[:, j] - 2 * c - 2 * edges[:, i, j]
            best = np.maximum(best, np.minimum(c + (t + np.minimum(t, half)) // 2, n - 2))
        assert np.array_equal(best, exact[t])
        ours = np.array([profile.at(t) for profile in cases.profiles("triangles", n, n - 1)])
        assert np.all(ours >= best)


def test_two_triangles_move_by_the_common_neighbours_of_all_pairs_and_not_of_edges_alone() -> None:
    """``|LS(G) - LS(H)| <= 4 c`` with ``c`` over all pairs; over edges only it fails."""
    n = 5
    moves = local_sensitivities("two_triangles", n)[0]
    over_pairs = small.common_neighbors(n).max(axis=(1, 2))
    apart = np.abs(moves[small.neighbor_table(n)] - moves[:, None]).max(axis=1)
    assert np.all(apart <= 4 * over_pairs)
    over_edges = cases.triangles_on(n).max(axis=(1, 2))
    assert np.any(apart > 4 * over_edges)


@as_one
@pytest.mark.parametrize("case", cases.CASES)
def test_the_global_sensitivity_holds_under_every_bound_and_the_maximum_is_that_of_the_complete_graph(
    case: str,
) -> None:
    for n in (3, 4, 5):
        for bound in range(n):
            if not cases.fits(case, n, bound):
                continue
            keeps = cases.lawful(n, bound)
            real = cases.values(case, n)
            count, bounds = cases.count_of(case), Bounds(n, bound)
            units = 1 << count.bits(bounds)
            for other in small.neighbor_table(n).T:
                pair = keeps & keeps[other]
                moved = np.abs(real - real[other])[pair]
                assert moved.max(initial=0) * units <= count.global_sensitivity(bounds) + 1e-6
            assert real[keeps].max() * units <= count.maximum(bounds) + 1e-6
        if case.split()[0] in ("edges", "triangles", "two_triangles", "wedges", "stars") and cases.fits(
            case, n, n - 1
        ):
            assert cases.count_of(case).maximum(Bounds(n, n - 1)) == cases.values(case, n)[-1]


# -- figures ------------------------------------------------------------------------------------------------


def random_graph(draw: st.DrawFn, least: int = 8, most: int = 60) -> Graph:
    n = draw(st.integers(least, most))
    seed = draw(st.integers(0, 2**32 - 1))
    density = draw(st.sampled_from([0.03, 0.1, 0.3, 0.7, 0.97]))
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2)))
    hub = draw(st.booleans())
    kept = rng.random(len(pairs)) < density
    if hub:
        kept |= pairs[:, 0] == 0
    return Graph.from_positions(np.arange(n), pairs[kept], nodes_supplied=True)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    return random_graph(draw)


def matrix(graph: Graph) -> np.ndarray:
    edges = np.zeros((graph.node_count, graph.node_count), dtype=np.int64)
    a, b = graph.edges().T
    edges[a, b] = edges[b, a] = 1
    return edges


@pytest.mark.parametrize("engine", ["igraph", "native"])
@given(graph=graphs())
@settings(max_examples=60)
def test_figures_by_their_definitions(engine: str, graph: Graph) -> None:
    edges = matrix(graph)
    common = edges @ edges
    np.fill_diagonal(common, 0)
    on_edge = common * edges
    found = figures.GraphFigures(graph, engine)
    assert found.triangles() == on_edge.sum() // 6
    assert found.most_common_neighbors() == common.max()
    assert found.two_triangles() == (on_edge * (on_edge - 1)).sum() // 4
    around = edges @ on_edge
    moved = common * (common - 1) // 2 + around + around.T - 2 * on_edge
    np.fill_diagonal(moved, 0)
    assert found.two_triangles_move() == moved.max()
    d = graph.degrees
    i, j = np.triu_indices(graph.node_count, 1)
    x, y = d[i] - edges[i, j], d[j] - edges[i, j]
    pairs = {(max(a, b), min(a, b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)}
    maximal = {p for p in pairs if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in pairs)}
    assert {tuple(pair) for pair in found.maximal_pairs().tolist()} == maximal
    assert found.common_neighbors((0, 1)) == common[0, 1]


@given(graph=graphs(), data=st.data())
@settings(max_examples=60)
def test_profiles_are_admissible_on_random_graphs(graph: Graph, data: st.DataObject) -> None:
    n = graph.node_count
    a, b = data.draw(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1]))
    edges = {tuple(edge) for edge in graph.edges().tolist()}
    other = Graph.from_positions(
        np.arange(n), np.array(sorted(edges ^ {(a, b)})).reshape(-1, 2), nodes_supplied=True
    )
    largest = max(graph.max_degree, other.max_degree)
    bound = data.draw(st.sampled_from([largest, min(largest + 3, n - 1), n - 1]))
    bounds = Bounds(n, bound)
    first, second = GraphProjection(graph, "igraph"), GraphProjection(other, "igraph")
    for case in cases.CASES:
        if (
            not cases.fits(case, n, bound)
            or (case == "stars 4" and bound < 4)
            or (case == "stars 3" and bound < 3)
        ):
            continue
        count = cases.count_of(case)
        p, q = profile_of(count, first, bounds), profile_of(count, second, bounds)
        assert abs(p.value - q.value) <= min(p.at(0), q.at(0)), case
        for t in range(max(len(p.steps), len(q.steps)) + 1):
            assert p.at(t + 1) >= q.at(t), (case, t)
            assert q.at(t + 1) >= p.at(t), (case, t)


def test_figures_of_the_bundled_graphs(enron: Graph, github: Graph) -> None:
    for graph, expected in (
        (enron, (727_044, 36_528_276, 420, 128_643, 2_750)),
        (github, (523_810, 39_876_863, 2_411, 3_060_998, 16_541)),
    ):
        found = figures.GraphFigures(graph)
        sums = int(found.maximal_pairs().sum(axis=1).max())
        seen = (
            found.triangles(), found.two_triangles(), found.most_common_neighbors(), found.two_triangles_move(), sums,
        )  # fmt: skip
        assert seen == expected
    assert edgedp.exact.count(enron, "wedges") == 25_566_893
    assert edgedp.exact.count(github, "wedges") == 127_167_276
    assert edgedp.exact.count_sensitivity(enron, "stars", 0) == pytest.approx(1.889e6, rel=1e-3)
    assert edgedp.exact.count_sensitivity(github, "stars", 0) == pytest.approx(6.980e7, rel=1e-3)


@pytest.mark.parametrize("n", [65, 700])
def test_the_figures_of_a_clique_are_found_without_a_walk_over_its_paths(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No bound ends the search in a dense core: it is made of bits, not of ``n**3`` paths (figures in numbers.md)."""

    def walked(*arguments: object) -> None:
        raise AssertionError("a walk over the paths of length two")

    for name in ("_most_shared", "_ends", "two_triangles_move", "edge_triangles"):
        monkeypatch.setattr(figures, name, walked)
    i, j = np.triu_indices(n, 1)
    core = Graph.from_positions(np.arange(n + 9), np.column_stack([i, j]), nodes_supplied=True)
    found, c = figures.GraphFigures(core), n - 2
    assert found.most_common_neighbors() == c
    assert found.two_triangles() == comb(n, 2) * comb(c, 2)
    assert found.two_triangles_move() == comb(c, 2) + 2 * c * c - 2 * c
    assert edgedp.exact.count_sensitivity(core, "triangles", 0) == c


def test_a_summary_walks_the_graph_once_for_each_figure_and_by_kernels_only(
    enron: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []

    def noted(name: str, *arguments: object) -> None:
        called.append(name)
        kernel(name, *arguments)

    def walked(*arguments: object) -> None:
        raise AssertionError("a walk over the paths of length two")

    kernel = library.call
    for module in (engine, layout, shared):
        monkeypatch.setattr(module, "call", noted)
    for name in ("_most_shared", "_ends", "edge_triangles"):
        monkeypatch.setattr(figures, name, walked)
    monkeypatch.setattr(engine, "_thread_count", lambda *_: 1)
    monkeypatch.setattr(engine, "CHUNKS_PER_THREAD", 1)
    fresh = Graph(enron.node_ids, enron.indptr, enron.indices, nodes_supplied=True)
    edgedp.summary(fresh, epsilon=1, degree_bound=2_000)
    assert "list_triangles" in called
    assert "best_pair" in called
    assert len(called) == len(set(called)), called


def test_engines_agree(enron: Graph) -> None:
    for of in ("edges", "triangles", "two_triangles", "wedges", "stars", "clustering"):
        native, igraph = (edgedp.exact.count(enron, of, engine=engine) for engine in ("native", "igraph"))
        assert native == igraph


@as_one
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_the_smallest_graphs(n: int) -> None:
    empty = Graph.from_edges([], nodes=list(range(n)))
    for of in ("edges", "triangles", "two_triangles", "wedges", "clustering"):
        assert edgedp.exact.count(empty, of) == 0
        drawn = edgedp.count(empty, of, epsilon=1)
        assert 0 <= drawn.value <= n
    assert edgedp.exact.count_sensitivity(empty, "edges", 0) == min(max(n - 1, 0), 1)


def test_a_bound_of_0_and_of_1_leaves_constants() -> None:
    empty = Graph.from_edges([], nodes=[0, 1, 2, 3])
    matching = Graph.from_edges([(0, 1), (2, 3)])
    assert edgedp.count(empty, "edges", epsilon=1, degree_bound=0).value == 0
    for of in ("triangles", "two_triangles", "wedges", "clustering"):
        for _ in range(5):
            assert edgedp.count(matching, of, epsilon=0.01, degree_bound=1).value == 0
    for of in ("density", "ebc", "betweenness2"):
        assert edgedp.count(matching, of, node=0, epsilon=0.01, degree_bound=1).value == 0
    assert edgedp.count(matching, "common_neighbors", pair=(0, 1), epsilon=0.01, degree_bound=1).value == 0


def test_every_count_is_in_its_module_and_says_what_it_takes() -> None:
    assert {case.split()[0] for case in cases.CASES} | {"clustering"} == set(count_names())
    for name in count_names():
        found = count_class(name)
        assert issubclass(found, Count)
        assert found.name == name
        assert found.__doc__


def test_large_stars_are_integers_of_any_size_up_to_a_public_limit() -> None:
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 3000)])
    assert edgedp.exact.count(star, "stars", star_size=20) == comb(2999, 20)
    assert edgedp.count(star, "stars", star_size=20, epsilon=1).value >= 0
    law = edgedp.exact.count_probabilities(star, "stars", epsilon=1, star_size=20, values=[comb(2999, 20)])
    assert 0 < law[0] < 1
    with pytest.raises(ParameterError, match="ask for a smaller size"):
        edgedp.count(star, "stars", star_size=40, epsilon=1)
