"""The sensitivity profile: admissible on all small graphs, and the same with pruning as without."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import small_graphs
from edgedp.graph.engines.native.dominance import count_dominating
from edgedp.mechanisms.metrics import metric
from edgedp.mechanisms.pareto.profile import ParetoProfile, pareto_profile
from edgedp.mechanisms.pareto.score import pareto_score
from edgedp.words.errors import ParameterError
from looped import as_one

LISTS = [("degree", "density"), ("degree", "density", "ebc")]
FORMS = ["interval", "interval+edge"]
VALUES = {"degree": small_graphs.degrees, "density": small_graphs.density, "ebc": small_graphs.ebc}


def sensitivities(names, degrees, degree_bound):
    def of(found):
        return lambda t: found.sensitivity("degree", t, degrees, None, degree_bound)

    return [of(metric(name)) for name in names]


def utilities_of(names, n, mask):
    return np.column_stack([VALUES[name](n)[mask] for name in names]).astype(np.float64)


def profile_of(names, n, mask, form, candidates, degree_bound=None):
    return _profile_of(names, n, mask, form, tuple(candidates.tolist()), degree_bound)


@cache
def _profile_of(names, n, mask, form, kept, degree_bound):
    """Profiles are values: what a test has looked at another one need not compute again."""
    bound, candidates = n - 1 if degree_bound is None else degree_bound, np.array(kept, dtype=np.int64)
    return pareto_profile(
        utilities_of(names, n, mask)[candidates],
        sensitivities(names, small_graphs.degrees(n)[mask][candidates], bound),
        integral=[metric(name).is_degree for name in names],
        limit=bound + 3,
        common_neighbors=int(small_graphs.common_neighbors(n)[mask].max())
        if form == "interval+edge"
        else None,
    )


@cache
def scores_and_deltas(names, n, form, left_out):
    """(graphs, |R|) scores and (graphs, steps, |R|) sensitivities of every labelled graph."""
    candidates = np.flatnonzero(np.arange(n) != left_out) if left_out is not None else np.arange(n)
    scores, deltas = [], []
    for mask in small_graphs.masks(n):
        scores.append(pareto_score(utilities_of(names, n, mask)[candidates]))
        profile = profile_of(names, n, mask, form, candidates)
        deltas.append([profile.at(t) for t in range(n + 2)])
    return np.array(scores), np.array(deltas)


def check_admissible(names, n, form, left_out):
    scores, deltas = scores_and_deltas(names, n, form, left_out)
    for neighbors in small_graphs.neighbor_table(n).T:
        assert np.all(deltas[:, 0] >= np.abs(scores - scores[neighbors]))
        assert np.all(deltas[:, 1:] >= deltas[neighbors, :-1])
    assert np.all(deltas[:, 1:] >= deltas[:, :-1])
    if n > 2:  # under a degree bound of 1 the density is constant: its boxes never grow
        assert np.all(deltas[:, n + 1] == scores.shape[1] - 1)  # the limit D + 3 cuts nothing off


# Relabelling a graph relabels its profile, so leaving out node 0 stands for leaving out any one.
@pytest.mark.parametrize("left_out", [None, 0])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", LISTS)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_admissible_on_all_graphs(n, names, form, left_out):
    check_admissible(names, n, form, left_out)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("left_out", [None, 0])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", LISTS)
def test_admissible_on_all_graphs_of_six_nodes(names, form, left_out):
    check_admissible(names, 6, form, left_out)


def test_a_smaller_sensitivity_is_caught():
    # What the checks above are worth: 1 less and the first condition fails somewhere.
    scores, deltas = scores_and_deltas(("degree", "density"), 4, "interval", None)
    changes = [np.abs(scores - scores[neighbors]) for neighbors in small_graphs.neighbor_table(4).T]
    assert np.any(deltas[:, 0] - 1 < np.max(changes, axis=0))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", LISTS)
def test_dampened_scores_move_by_at_most_one(names, form):
    n = 5
    dampened = np.array(
        [
            profile_of(names, n, mask, form, np.arange(n))
            .dampen(pareto_score(utilities_of(names, n, mask)), n - 1)
            .to_float()
            for mask in small_graphs.masks(n)
        ]
    )
    moved = [np.abs(dampened - dampened[neighbors]).max() for neighbors in small_graphs.neighbor_table(n).T]
    assert max(moved) <= 1 + 1e-12
    assert max(moved) > 0.5


@pytest.mark.parametrize("shift", [+1, -1])
@pytest.mark.parametrize("names", LISTS)
def test_shifted_scores_move_by_at_most_one(names, shift):
    n, cap = 5, 3  # round 2: one candidate gone, round 1's profile kept under the smaller cap
    found = []
    for mask in small_graphs.masks(n):
        sums = profile_of(names, n, mask, "interval", np.arange(n)).shifted_sum(cap)[1:]
        found.append(pareto_score(utilities_of(names, n, mask)[1:]) + shift * sums)
    totals = np.array(found)
    for neighbors in small_graphs.neighbor_table(n).T:
        assert np.abs(totals - totals[neighbors]).max() <= cap


def exact_deltas(names, n, mask, form, degree_bound):
    """The definition in rational numbers, one pair at a time."""
    degrees = small_graphs.degrees(n)[mask].tolist()
    inner = small_graphs.inner_edges(n)[mask].tolist()

    def value(name, v):
        d = degrees[v]
        if name == "degree":
            return Fraction(d)
        if name == "density":
            return Fraction(2 * inner[v], d * (d - 1)) if d >= 2 else Fraction(0)
        return Fraction(small_graphs.ebc(n)[mask, v]).limit_denominator(1000)

    def width(name, t, v):
        d = degrees[v]
        if name == "degree":
            return Fraction(1)
        if name == "density":
            return Fraction(2, max(d - t, 2))
        ceiling = max(Fraction(degree_bound * (degree_bound - 1), 4), degree_bound)
        return min(max(Fraction((d + t) * (d + t - 1), 4), Fraction(d + t)), ceiling)

    utility = [[value(name, v) for name in names] for v in range(n)]
    box = [[Fraction(0)] * len(names) for _ in range(n)]
    common = int(small_graphs.common_neighbors(n)[mask].max())

    def above(a, b):
        return all(x > y for x, y in zip(a, b, strict=True))

    for t in range(n + 2):
        for v in range(n):
            box[v] = [b + width(name, t, v) for b, name in zip(box[v], names, strict=True)]
        low = [[u - b for u, b in zip(utility[v], box[v], strict=True)] for v in range(n)]
        high = [[u + b for u, b in zip(utility[v], box[v], strict=True)] for v in range(n)]
        deltas = []
        for r in range(n):
            delta = sum(above(high[v], low[r]) for v in range(n)) - sum(
                above(low[v], high[r]) for v in range(n)
            )
            if form == "interval+edge":
                alone = sum(above(utility[v], low[r]) - above(utility[v], high[r]) for v in range(n))
                delta = min(delta, alone + sum(2 + common + j for j in range(t + 1)))
            deltas.append(min(delta, n - 1))
        yield deltas


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", LISTS)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_equals_the_definition_in_rational_numbers(n, names, form):
    for mask in small_graphs.class_representatives(n):
        profile = profile_of(names, n, mask, form, np.arange(n))
        for t, deltas in enumerate(exact_deltas(names, n, mask, form, n - 1)):
            assert profile.at(t).tolist() == deltas, (mask, t)


def plain_profile(utilities, widths, steps, common_neighbors=None, wanted=lambda t: True):
    """Every step over all points: what the pruned pass must reproduce; (t, delta) of the steps wanted."""
    points = utilities.T.copy()
    lower, upper = points.copy(), points.copy()
    followers = 0
    for t in range(steps):
        for i, width in enumerate(widths):
            lower[i] -= width(t)
            upper[i] += width(t)
        followers += 2 + (common_neighbors or 0) + t
        if not wanted(t):
            continue
        delta = count_dominating(upper, lower) - count_dominating(lower, upper)
        if common_neighbors is not None:
            alone = count_dominating(points, lower) - count_dominating(points, upper)
            delta = np.minimum(delta, alone + followers)
        yield t, np.minimum(delta, len(utilities) - 1)


@st.composite
def tied_profiles(draw):
    n, p = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    utilities = rng.integers(0, draw(st.sampled_from([2, 6, 30])), (n, p)).astype(np.float64)
    growth = rng.integers(0, 3, (p, 12, n)) * (rng.random((p, 1, n)) < draw(st.sampled_from([0.3, 0.7, 1.0])))
    widths = np.cumsum(growth, axis=1) / 4  # quarters: sums are exact, so boxes tie often
    common_neighbors = draw(st.one_of(st.none(), st.integers(0, 5)))
    return utilities, widths, common_neighbors


@given(tied_profiles())
@settings(max_examples=120)
def test_pruned_equals_plain_with_many_ties(case):
    utilities, table, common_neighbors = case
    widths = [lambda t, rows=rows: rows[t] for rows in table]
    steps = table.shape[1]
    profile = pareto_profile(
        utilities, widths, integral=[True] * len(widths), limit=steps, common_neighbors=common_neighbors
    )
    for t, delta in plain_profile(utilities, widths, steps, common_neighbors):
        assert profile.at(t).tolist() == delta.tolist()
    assert np.all(profile.at(steps) == len(utilities) - 1)  # beyond the limit


@given(tied_profiles(), st.data())
@settings(max_examples=60)
def test_a_number_stands_for_the_same_of_all_candidates(case, data):
    """Boxes of one width are not moved, thresholds are: the same integers are compared."""
    utilities, table, common_neighbors = case
    numbers = data.draw(
        st.lists(st.sampled_from([None, 0.0, 1.0, 0.25]), min_size=len(table), max_size=len(table))
    )
    plain = [
        (lambda t, rows=rows: rows[t])
        if number is None
        else (lambda t, number=number: np.full(len(utilities), number))
        for rows, number in zip(table, numbers, strict=True)
    ]
    given_ = [each if number is None else number for each, number in zip(plain, numbers, strict=True)]
    options = {"integral": [True] * len(table), "limit": table.shape[1], "common_neighbors": common_neighbors}
    one, other = (pareto_profile(utilities, widths, **options) for widths in (plain, given_))
    assert np.array_equal(one.offsets, other.offsets)
    assert np.array_equal(one.deltas, other.deltas)


def table_of(profile, cap):
    return np.array([np.minimum(profile.at(t), cap) for t in range(int(profile.lengths.max(initial=0)))])


@given(tied_profiles(), st.data())
def test_sums_and_dampening_equal_their_definitions(case, data):
    utilities, table, _ = case
    n = len(utilities)
    profile = pareto_profile(
        utilities,
        [rows.__getitem__ for rows in table],
        integral=[True] * len(table),
        limit=table.shape[1],
    )
    if n == 1:
        with pytest.raises(ParameterError, match="cap is 0"):
            profile.shifted_sum(0)
        return
    cap = data.draw(st.integers(1, n - 1))
    capped = table_of(profile, cap).reshape(-1, n)
    profile.shifted_sum(n - 1)  # what is kept of it serves every cap
    assert profile.shifted_sum(cap).tolist() == (cap - capped).sum(axis=0, initial=0).tolist()

    scores = -np.asarray(data.draw(st.lists(st.integers(0, 3 * n), min_size=n, max_size=n)), dtype=np.int64)
    dampened = profile.dampen(scores, cap)
    for r in range(n):
        # walk |u| through the widths; zero widths are empty intervals
        i, left = 0, -int(scores[r])
        while True:
            width = int(capped[i, r]) if i < len(capped) else cap
            if left < width:
                break
            i, left = i + 1, left - width
        expected = (1 if scores[r] == 0 else -1) * (i + Fraction(left, width))
        found = int(dampened.whole[r]) + Fraction(int(dampened.numerator[r]), int(dampened.denominator[r]))
        assert found == expected
        assert dampened.to_float()[r] == pytest.approx(float(expected), rel=2**-52, abs=0)


@pytest.mark.parametrize("common", [0, 3])
def test_of_whom_an_edge_moves_there_are_two_ends_and_as_many_as_they_may_have_in_common_by_then(common):
    """Everybody else may move as far as one likes, and one candidate not at all: ``sum over s <= t of 2 + c + s``."""
    n = 80
    widths = np.full(n, 1e6)
    widths[0] = 0.0
    profile = pareto_profile(
        np.arange(n, dtype=float)[:, None],
        [lambda t: widths],
        integral=[False],
        limit=12,
        common_neighbors=common,
    )
    expected = [min(sum(2 + common + s for s in range(t + 1)), n - 1) for t in range(12)]
    assert [int(profile.at(t)[0]) for t in range(12)] == expected
    assert [int(profile.at(t)[1:].min()) for t in range(3)] == [n - 1] * 3


def test_worked_dampening():
    profile = ParetoProfile(9, np.array([0, 3, 5]), np.array([0, 0, 2, 3, 5], dtype=np.int32))
    assert profile.dampen(np.array([0, 0]), 9).to_float().tolist() == [
        2,
        0,
    ]  # two leading zeros: D = 2 at u = 0
    # b = 0, 0, 0, 2, 11 for the first, 0, 3, 8, 17 for the second
    assert profile.dampen(np.array([-1, -3]), 9).to_float().tolist() == [-2.5, -1]
    assert profile.dampen(np.array([-2, -9]), 9).to_float().tolist() == [-3, -2 - 1 / 9]
    assert profile.shifted_sum(9).tolist() == [9 + 9 + 7, 6 + 4]
    assert profile.shifted_sum(4).tolist() == [4 + 4 + 2, 1]
    assert profile.at(1).tolist() == [0, 5]
    assert profile.at(2).tolist() == [2, 9]


@pytest.mark.parametrize("candidates", [0, 1])
def test_no_choice_has_no_profile(candidates):
    profile = pareto_profile(
        np.ones((candidates, 2)), [lambda t: np.ones(candidates)] * 2, integral=[True, False], limit=5
    )
    assert profile.deltas.size == 0
    assert profile.at(0).tolist() == [0] * candidates


@as_one
@pytest.mark.parametrize(
    ("exceeds", "counted"), [(0.0, 2), (2.0**-25, 2), (1.5 * 2.0**-25, 2), (2.0**-23, 1)]
)
def test_boxes_of_floats_are_wider_by_what_rounding_costs_and_hardly_more(exceeds, counted):
    """Two floats differ by at most `1 + 2**-25` sensitivities between neighbours, and a box must not miss the other."""
    utilities = np.array([[0.0], [2 * (1 + exceeds)], [100.0]])
    found = pareto_profile(utilities, [lambda t: np.ones(3)], integral=[False], limit=3)
    assert found.at(0)[0] == counted
    assert pareto_profile(utilities, [1.0], integral=[True], limit=3).at(0)[0] == (2 if exceeds == 0 else 1)


def test_boxes_that_never_grow_end_at_the_limit():
    profile = pareto_profile(
        np.zeros((3, 2)), [lambda t: np.zeros(3), lambda t: np.ones(3)], integral=[True, True], limit=4
    )
    assert profile.lengths.tolist() == [4, 4, 4]
    assert profile.at(3).tolist() == [0, 0, 0]
    assert profile.at(4).tolist() == [2, 2, 2]


@pytest.mark.parametrize("names", LISTS)
@pytest.mark.parametrize("form", FORMS)
def test_pruned_equals_plain_on_random_graphs(names, form):
    import networkx as nx

    from edgedp.graph.graph import Graph

    for seed in range(3):
        graph = Graph.from_networkx(nx.powerlaw_cluster_graph(120, 3, 0.6, seed=seed))
        ego = [nx.ego_graph(graph.to_networkx(), v, center=False) for v in range(graph.node_count)]
        degrees = graph.degrees
        inside = np.array([network.number_of_edges() for network in ego])
        values = {
            "degree": degrees.astype(np.float64),
            "density": metric_density(degrees, inside),
            "ebc": np.array([plain_ebc(network) for network in ego]),
        }
        utilities = np.column_stack([values[name] for name in names])
        widths = sensitivities(names, degrees, graph.max_degree)
        enlarged = [enlarge(name, width) for name, width in zip(names, widths, strict=True)]
        common = 7 if form == "interval+edge" else None
        profile = pareto_profile(
            utilities,
            widths,
            integral=[metric(name).is_degree for name in names],
            limit=graph.max_degree + 3,
            common_neighbors=common,
        )
        steps = graph.max_degree + 3
        for t, delta in plain_profile(utilities, enlarged, steps, common):
            assert profile.at(t).tolist() == delta.tolist()
        assert profile.lengths.max() < steps


def enlarge(name, width):
    return width if metric(name).is_degree else lambda t: width(t) * (1 + 2.0**-24)


def metric_density(degrees, inside):
    possible = degrees * (degrees - 1) // 2
    return np.divide(inside, possible, out=np.zeros(len(degrees)), where=possible > 0)


def plain_ebc(network):
    total = 0.0
    nodes = sorted(network)
    for i, u in enumerate(nodes):
        for w in nodes[i + 1 :]:
            if not network.has_edge(u, w):
                total += 1 / (1 + len(set(network[u]) & set(network[w])))
    return total


def check_pruned_on_enron(form, wanted):
    import edgedp

    graph = edgedp.read_graph("email-Enron")
    names = ("degree", "density")
    utilities = np.column_stack([getattr(edgedp.exact, name)(graph) for name in names])
    widths = sensitivities(names, graph.degrees, graph.max_degree)
    common = 300 if form == "interval+edge" else None
    limit = graph.max_degree + 3
    profile = pareto_profile(utilities, widths, integral=[True, False], limit=limit, common_neighbors=common)
    assert profile.lengths.max() < 692  # the spec's figure: none is left after 692 steps
    enlarged = [enlarge(name, width) for name, width in zip(names, widths, strict=True)]
    for t, delta in plain_profile(utilities, enlarged, 692, common, wanted):
        assert np.array_equal(profile.at(t), delta), t


@pytest.mark.parametrize("form", FORMS)
def test_pruned_equals_plain_on_enron(form):
    check_pruned_on_enron(form, lambda t: t < 12 or t % 60 == 0 or t >= 690)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_pruned_equals_plain_on_enron_at_every_step(form):
    check_pruned_on_enron(form, lambda t: True)


@pytest.mark.parametrize("integral", [False, True])
def test_one_sensitivity_for_all_is_that_of_each(integral: bool) -> None:
    """Whether its utility is of integers, whose boxes are told apart by thresholds, or not."""
    utilities = np.array([[9.0, 0.5], [1.0, 2.0], [5.0, 1.0], [0.0, 0.0], [7.0, 2.0]])
    for common in (None, 2):
        shared, each = (
            pareto_profile(
                utilities, [width] * 2, integral=[integral, False], limit=6, common_neighbors=common
            )
            for width in (0.5, lambda t: np.full(5, 0.5))
        )
        found = [shared.at(t).tolist() for t in range(6)]
        assert found == [each.at(t).tolist() for t in range(6)]
        assert len(set(map(tuple, found))) > 1
