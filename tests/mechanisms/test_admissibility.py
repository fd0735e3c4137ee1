"""Every claim about how far one edge moves something, over all labelled graphs and on larger random ones.

The values on small graphs are those of `small_graphs`, written from the definitions; on random graphs
they are those of the engine that releases use. What is tested is the claim: admissibility of every
sensitivity, the global ones, the dampened scores and the scores on the grid that noise is added to.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from operator import mul
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import small_graphs
from definitions import definition, values
from edgedp.exact.audit import Case, all_cases
from edgedp.exact.audit.tables import TableProjection
from edgedp.graph.engines.native import shared as native_shared
from edgedp.graph.graph import Graph
from edgedp.mechanisms.grid import grid_bits
from edgedp.mechanisms.joint import joint_values
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.mechanisms.metrics.betweenness2 import SHARE_BITS
from edgedp.mechanisms.pareto.profile import pareto_profile
from edgedp.mechanisms.pareto.rounds import ParetoRounds
from edgedp.mechanisms.pareto.score import pareto_score, release_pick
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import words_from
from edgedp.mechanisms.scores import sums
from edgedp.release.plan import Plan
from edgedp.words.vocabulary import SAMPLERS, VECTORS, UndampenedName
from looped import as_one

FORMS = [(name, form) for name in metric_names() for form in metric(name).forms]
SLIGHTLY = 1e-9

sizes = pytest.mark.parametrize("n", [2, 3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])


# -- all labelled graphs, as one long table -----------------------------------------------------------


@cache
def most_common(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n)``: the most neighbours that a node shares with another one."""
    return small_graphs.common_neighbors(n).max(axis=2)


@cache
def shares(n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n)``: length-2 betweenness in integer shares, by its definition."""
    edges, common = small_graphs.adjacency(n), small_graphs.common_neighbors(n)
    total = np.zeros(edges.shape[:2], dtype=np.int64)
    for u, w in small_graphs.pairs(n):
        share = np.where(edges[:, u, w], 0, (1 << SHARE_BITS) // np.maximum(common[:, u, w], 1))
        total += (edges[:, u] & edges[:, w]) * share[:, None]
    return total


@cache
def neighbors_within(n: int, bound: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return both ends of all pairs of neighbouring graphs that keep a degree bound."""
    keeps = small_graphs.degrees(n).max(axis=1) <= bound
    first = np.repeat(np.arange(len(keeps)), len(small_graphs.pairs(n)))
    second = small_graphs.neighbor_table(n).ravel()
    kept = keeps[first] & keeps[second]
    return first[kept], second[kept]


def scores_of_all(plan: Plan, n: int) -> NDArray[np.int64]:
    """Return ``(graphs, n)`` grid scores: a score depends on its own node alone, so all fit in one table."""
    keeps = small_graphs.degrees(n).max(axis=1) <= plan.degree_bound
    table = TableProjection(
        small_graphs.degrees(n)[keeps].ravel(),
        {name: values(name, n)[keeps].ravel() for name in metric_names()},
        most_common(n)[keeps].ravel(),
        shares(n)[keeps].ravel(),
    )
    scores = np.zeros((len(keeps), n), dtype=np.int64)
    scores[keeps] = sums.top_k_scores(plan, table).exact().reshape(-1, n)
    return scores


def sensitivity_of_all(name: str, form: str, t: int, n: int, bound: int | None) -> NDArray[np.float64]:
    """Return ``(graphs, n)``: a sensitivity, capped where a bound is given."""
    at = form, t, small_graphs.degrees(n).ravel(), most_common(n).ravel()
    found = metric(name)
    delta = found.uncapped_sensitivity(*at) if bound is None else found.sensitivity(*at, bound)
    return delta.reshape(-1, n)


# -- sensitivities ---------------------------------------------------------------------------------------


@as_one
@sizes
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_no_edge_moves_a_value_further_than_its_sensitivity(name: str, form: str, n: int) -> None:
    """Condition (1): delta(G, 0, v) is at least the local sensitivity."""
    for bound in range(1, n):
        first, second = neighbors_within(n, bound)
        delta = sensitivity_of_all(name, form, 0, n, bound)
        moved = np.abs(values(name, n)[first] - values(name, n)[second])
        assert (moved <= delta[first] + SLIGHTLY).all()


@sizes
@pytest.mark.parametrize(("name", "form"), FORMS)
def test_sensitivities_grow_at_least_as_fast_as_their_neighbours(name: str, form: str, n: int) -> None:
    """Condition (2): delta(G, t + 1, v) >= delta(H, t, v), with and without the cap; delta never falls with t."""
    for bound in (None, *range(1, n)):
        first, second = neighbors_within(n, n - 1 if bound is None else bound)
        here = sensitivity_of_all(name, form, 0, n, bound)
        for t in range(2 * n):
            after = sensitivity_of_all(name, form, t + 1, n, bound)
            assert (after[first] >= here[second]).all()
            assert (after >= here).all()
            here = after


@as_one
@sizes
@pytest.mark.parametrize("name", metric_names())
def test_no_edge_moves_a_value_further_than_the_global_sensitivity(name: str, n: int) -> None:
    for bound in range(1, n):
        first, second = neighbors_within(n, bound)
        largest = np.abs(values(name, n)[first] - values(name, n)[second]).max()
        ceiling = float(metric(name).global_sensitivity(bound))
        assert largest <= ceiling + SLIGHTLY
        if definition(name).REACHED and bound < n - 1:
            assert largest >= ceiling - SLIGHTLY, "the bound is tight"


@sizes
def test_adding_an_edge_never_lowers_a_monotone_metric(n: int) -> None:
    falls = {}
    without, there = np.arange(len(small_graphs.masks(n)))[:, None], small_graphs.neighbor_table(n)
    added = there > without
    for name in metric_names():
        change = (
            values(name, n)[there] - values(name, n)[without[:, :, None].repeat(there.shape[1], 1)[..., 0]]
        )
        falls[name] = bool((change[added] < 0).any())
    assert metric("degree").monotone
    for name in metric_names():
        assert not (metric(name).monotone and falls[name]), name
        assert metric(name).monotone or falls[name] or n < 4, f"{name} could be declared monotone"


@sizes
def test_one_edge_moves_a_common_neighbour_count_by_one(n: int) -> None:
    """What the forms that read ``m`` and ``c`` rest on."""
    first, second = neighbors_within(n, n - 1)
    assert np.abs(most_common(n)[first] - most_common(n)[second]).max() <= 1


@as_one
@sizes
@pytest.mark.parametrize("name", VECTORS)
def test_one_edge_moves_a_joint_vector_by_at_most_L(name: str, n: int) -> None:
    tables = {"degree": small_graphs.degrees(n), "betweenness2": shares(n)}
    for bound in range(1, n):
        first, second = neighbors_within(n, bound)
        plan = Case("priv_top_k", {"metric": name, "mechanism": "joint"}).plan(n, bound, min(n, 2), 1)
        moves = joint_values(plan, _Vectors(tables), name, plan.k)[1]
        moved = np.abs(tables[name][first] - tables[name][second]).sum(axis=1)
        assert moved.max() <= moves


@sizes
def test_length_two_betweenness_moves_by_the_degrees_of_the_edge_at_most(n: int) -> None:
    """The theorem behind L: d_a + d_b, the degrees without the edge."""
    for bit, (a, b) in enumerate(small_graphs.pairs(n)):
        without = np.flatnonzero((np.arange(len(small_graphs.masks(n))) >> bit) & 1 == 0)
        moved = np.abs(shares(n)[without] - shares(n)[without | 1 << bit]).sum(axis=1)
        ends = small_graphs.degrees(n)[without][:, [a, b]].sum(axis=1)
        assert (moved <= ends << SHARE_BITS).all()


class _Vectors(TableProjection):
    """The vectors alone."""

    def __init__(self, tables: dict[str, NDArray[np.int64]]) -> None:
        super().__init__(tables["degree"], {}, tables["degree"], tables["betweenness2"])


# -- scores on the grid -----------------------------------------------------------------------------------

SUMS = [
    case
    for case in all_cases()
    if case.release in ("priv_top_k", "aggregate") and "joint" not in case.mechanism
]
DISTINCT = [case for case in SUMS if case.options["sampler"] == SAMPLERS[0]]
"""One case of each score: scores do not depend on the sampler."""


@pytest.mark.parametrize("n", [3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", metric_names())
def test_one_edge_moves_a_score_by_at_most_one(name: str, n: int) -> None:
    """EM, LD and SLD in both shifts, sums with weights of both signs: 2^bits + 2 steps where noise is put on."""
    for case in DISTINCT:
        if case.metrics.split("+")[0] != name:
            continue
        for bound in range(1, n):
            plan = case.plan(n, bound, 1, 1)
            first, second = neighbors_within(n, bound)
            scores = scores_of_all(plan, n)
            moved = np.abs(scores[first] - scores[second])
            assert moved.max() <= 2 ** grid_bits(bound + 2) + 2, (case, bound)


def test_a_score_depends_on_its_own_node_and_on_public_facts() -> None:
    """Which is why one long table of all nodes of all graphs gives their scores."""
    masks = np.random.default_rng(3).choice(len(small_graphs.masks(5)), 20, replace=False)
    for case in DISTINCT:
        plan = case.plan(5, 4, 1, 1)
        together = scores_of_all(plan, 5)
        for mask in masks.tolist():
            alone = sums.top_k_scores(plan, _table(5, mask))
            assert alone.exact().tolist() == together[mask].tolist(), case
            assert alone.unit == sums.top_k_scores(plan, _table(5, 0)).unit


def test_bounds_for_the_lazy_draw_hold_on_small_graphs() -> None:
    """A score above its bound would leave a candidate unevaluated that could win."""
    for case in DISTINCT:
        table = TableProjection(
            small_graphs.degrees(5).ravel(),
            {name: values(name, 5).ravel() for name in metric_names()},
            most_common(5).ravel(),
            shares(5).ravel(),
        )
        scores = sums.top_k_scores(case.plan(5, 4, 1, 1), table)
        assert (scores.exact() <= scores.upper).all(), case


PARETO = [
    case for case in all_cases() if case.release == "pareto" and case.options.get("sampler") == SAMPLERS[0]
]


def pareto_steps(rounds: ParetoRounds, gone: tuple[int, ...]) -> tuple[NDArray[np.int64], int]:
    """Return the scores of those left after some picks, and how far the noise lets one edge move them."""
    n = len(rounds.utilities)
    scores = pareto_score(rounds.utilities)
    for chosen in gone:
        scores = release_pick(scores, rounds.utilities, chosen)
    current = rounds.scores(scores, n - len(gone))
    left = np.delete(np.arange(n), gone)
    return current.upper[left], int(rounds.plan.epsilon / rounds.plan.k / (2 * current.unit))


PARETO_SIZES = [
    pytest.param(
        metrics, n, marks=pytest.mark.slow if n == 6 or (n == 5 and metrics != "degree+density") else ()
    )
    for metrics in sorted({case.metrics for case in PARETO})
    for n in (3, 4, 5, 6)
]


@pytest.mark.parametrize(("metrics", "n"), PARETO_SIZES)
def test_one_edge_moves_a_pareto_score_by_at_most_one_in_every_round(metrics: str, n: int) -> None:
    """Scores over what is left, for every set of picked nodes of up to two; round 1's profile is kept."""
    first, second = neighbors_within(n, n - 1)
    wanted = set(small_graphs.class_representatives(n))
    pairs = [pair for pair in zip(first.tolist(), second.tolist(), strict=True) if pair[0] in wanted]
    for case in PARETO:
        if case.metrics != metrics:
            continue
        plan = case.plan(n, n - 1, 1, 1)
        of = cache(lambda mask, plan=plan: ParetoRounds.of(plan, _table(n, mask)))
        for gone in ((), (0,), (0, 1)) if n > 2 else ((),):
            steps = cache(lambda mask, of=of, gone=gone: pareto_steps(of(mask), gone))
            for here, there in pairs:
                assert np.abs(steps(here)[0] - steps(there)[0]).max() <= steps(here)[1], (
                    case,
                    here,
                    there,
                    gone,
                )


def _table(n: int, mask: int) -> TableProjection:
    return TableProjection(
        small_graphs.degrees(n)[mask],
        {name: values(name, n)[mask] for name in metric_names()},
        most_common(n)[mask],
        shares(n)[mask],
    )


def test_the_edge_form_does_not_hold_for_length_two_betweenness() -> None:
    """Why ``interval+edge`` leaves ``betweenness2`` out: one edge moves 40 nodes that are no common neighbours.

    ``b`` has 40 neighbours v; each v closes 16 pairs {b, y} alone, the y being adjacent to ``a``. The edge
    {a, b} makes ``a`` share these pairs, so every v falls from 16 to 8, past an untouched star of 10.
    """
    edges, count = [], 2
    a, b = 0, 1
    for _ in range(40):
        v, ys = count, range(count + 1, count + 17)
        count += 17
        edges += [
            (b, v),
            *((v, y) for y in ys),
            *((a, y) for y in ys),
            *((y, z) for y in ys for z in ys if y < z),
        ]
    star = count
    edges += [(star, star + leaf) for leaf in range(1, 6)]
    less, more = (
        GraphProjection(Graph.from_edges([*edges, *extra], nodes=range(star + 6))) for extra in ([], [(a, b)])
    )
    columns = [np.column_stack([side.values("degree"), side.values("betweenness2")]) for side in (less, more)]
    moved = abs(int(pareto_score(columns[0])[star]) - int(pareto_score(columns[1])[star]))

    def delta_at_0(common: int | None) -> int:
        degrees = less.degrees()
        found = [metric(name) for name in ("degree", "betweenness2")]
        forms = [lambda t, one=one: one.sensitivity("degree", t, degrees, None, 650) for one in found]
        profile = pareto_profile(
            columns[0], forms, integral=[True, False], limit=650, common_neighbors=common
        )
        return int(profile.at(0)[star])

    assert moved == 40
    assert delta_at_0(None) >= moved
    assert delta_at_0(int(less.max_common_neighbors().max())) < moved


# -- random graphs ------------------------------------------------------------------------------------------


@st.composite
def flipped_graphs(draw: st.DrawFn) -> tuple[Graph, Graph]:
    """Two neighbouring graphs of 8 to 60 nodes: sparse, dense, or a few hubs that share their leaves."""
    n = draw(st.integers(8, 60))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = generator.random((n, n)) < draw(st.sampled_from([0.03, 0.1, 0.3, 0.6, 0.95]))
    hubs = draw(st.integers(0, 4))
    matrix[:hubs, hubs:] |= generator.random((hubs, n - hubs)) < 0.9
    a = draw(st.integers(0, n - 2))
    b = draw(st.integers(a + 1, n - 1))
    graphs = []
    for present in (False, True):
        matrix[a, b] = present
        graphs.append(Graph.from_edges(np.argwhere(np.triu(matrix, 1)), nodes=range(n)))
    return graphs[0], graphs[1]


@given(graphs=flipped_graphs())
@settings(max_examples=40)
def test_admissibility_on_random_graphs(graphs: tuple[Graph, Graph]) -> None:
    bound = max(graph.max_degree for graph in graphs)
    tables = [TableProjection.of(GraphProjection(graph)) for graph in graphs]
    for name, form in FORMS:
        found = metric(name)

        def delta(
            t: int, table: TableProjection, found: Any = found, form: str = form
        ) -> NDArray[np.float64]:
            return found.sensitivity(form, t, table.degrees(), table.max_common_neighbors(), bound)

        moved = np.abs(tables[0].values(name) - tables[1].values(name))
        for here, there in (tables, tables[::-1]):
            assert (moved <= delta(0, here) + SLIGHTLY).all()
            for t in (0, 1, 2, 5, 20):
                assert (delta(t + 1, here) >= delta(t, there)).all()
    for name in VECTORS:
        plan = Case("priv_top_k", {"metric": name, "mechanism": "joint"}).plan(len(moved), bound, 2, 1)
        (less, moves), (more, _) = (joint_values(plan, table, name, 2) for table in tables)
        assert np.abs(less - more).sum() <= moves


@given(graphs=flipped_graphs(), slack=st.integers(0, 30), data=st.data())
@settings(max_examples=40)
def test_scores_on_random_graphs_move_by_at_most_one(
    graphs: tuple[Graph, Graph], slack: int, data: Any
) -> None:
    n = graphs[0].node_count
    bound = min(max(graph.max_degree for graph in graphs) + slack, n - 1)
    tables = [TableProjection.of(GraphProjection(graph)) for graph in graphs]
    for case in data.draw(st.lists(st.sampled_from(DISTINCT), min_size=6, max_size=6)):
        less, more = (sums.top_k_scores(case.plan(n, bound, 1, 1), table).exact() for table in tables)
        assert np.abs(less - more).max() <= 2 ** grid_bits(bound + 2) + 2, case
    for case in data.draw(st.lists(st.sampled_from(PARETO), min_size=2, max_size=2)):
        gone = tuple(range(data.draw(st.integers(0, 3))))
        rounds = [ParetoRounds.of(case.plan(n, bound, 1, 1), table) for table in tables]
        (less, allowed), (more, _) = (pareto_steps(of, gone) for of in rounds)
        assert np.abs(less - more).max() <= allowed, case


@given(graphs=flipped_graphs())
@settings(max_examples=10)
def test_bounds_for_the_lazy_draw_hold_on_random_graphs(graphs: tuple[Graph, Graph]) -> None:
    table = TableProjection.of(GraphProjection(graphs[1]))
    for case in DISTINCT:
        scores = sums.top_k_scores(case.plan(graphs[1].node_count, graphs[1].max_degree, 1, 1), table)
        assert (scores.exact() <= scores.upper).all(), case


@given(graphs=flipped_graphs(), room=st.sampled_from([0, 12, 2_000]), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_cheap_bounds_of_common_neighbors_change_no_score_and_no_answer(
    graphs: tuple[Graph, Graph], room: int, seed: int
) -> None:
    """The scores, the noise and, for the same words, the answer are those of the eager way."""
    graph = graphs[1]
    table, nodes = TableProjection.of(GraphProjection(graph)), np.arange(graph.node_count)
    bounded = [case for case in DISTINCT if case.options.get("sensitivity_form") == "common_neighbors"]
    for case in bounded[seed % 4 :: 4]:  # each is tried by a quarter of the examples
        plan = case.plan(graph.node_count, graph.max_degree, 1, 4)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(native_shared, "COUNTED_LEAST", room)
            graph.kept.pop("common_neighbors_between", None)
            scores = sums.top_k_scores(plan, GraphProjection(graph))
        eager = sums.top_k_scores(plan, table)
        assert np.array_equal(scores.exact(), eager.exact()), case
        assert scores.unit == eager.unit
        if scores.evaluate is None:
            continue
        assert np.array_equal(scores.evaluate(nodes), eager.exact()), case
        assert (scores.exact() <= scores.upper).all(), case
        known = replace(eager, upper=eager.exact(), evaluate=None)
        k = min(2, graph.node_count)
        drawn = [some.draw(k, words_from(np.random.default_rng(seed))) for some in (scores, eager, known)]
        assert np.array_equal(drawn[0], drawn[1])
        assert np.array_equal(drawn[0], drawn[2])


# -- floating point -----------------------------------------------------------------------------------------


def exact_score(case: Case, bound: int, d: int, m: int, utilities: dict[str, float]) -> Fraction:
    """A score in rational arithmetic, from the definitions; SLD up to a constant that all candidates share."""
    names = case.options.get("metrics") or [case.options["metric"]]
    weights = [Fraction(weight) for weight in case.options.get("weights") or [1]]
    ceilings = [Fraction(metric(name).global_sensitivity(bound)) for name in names]
    whole = sum(map(mul, map(abs, weights), ceilings), Fraction(0))
    u = sum(map(mul, weights, (Fraction(utilities[name]) for name in names)), Fraction(0))
    if case.options["mechanism"] in get_args(UndampenedName):
        return u / whole

    def delta(t: int) -> Fraction:
        parts = zip(weights, names, ceilings, strict=True)
        form = case.options["sensitivity_form"]
        return sum(
            (
                abs(w) * min(Fraction(definition(name).sensitivity(form, d, m, t)), ceiling)
                for w, name, ceiling in parts
            ),
            Fraction(0),
        )

    if case.options["mechanism"] == "sld":
        missing, t = Fraction(0), 0
        while t <= bound or delta(t) < whole:
            missing += 1 - delta(t) / whole
            t += 1
        return u / whole + (missing if case.options["shift"] == "down" else -missing)
    left, t = abs(u), 0
    while t <= bound and left >= delta(t):
        left -= delta(t)
        t += 1
    dampened = t + (left / delta(t) if delta(t) else Fraction(0))
    return -dampened if u < 0 else dampened


@pytest.mark.parametrize("bound", [2, 3, 9, 60, pytest.param(700, marks=pytest.mark.slow)])
def test_a_score_is_rounded_from_within_an_eighth_of_a_step(bound: int) -> None:
    """So one edge, which moves the real score by at most 1, moves the grid's by at most 2^bits + 2 steps."""
    random = np.random.default_rng(bound)
    rows = 12
    degrees = np.concatenate([[0, 1, bound], random.integers(0, bound + 1, rows - 3)])
    common = random.integers(0, degrees + 1)
    columns = {
        name: metric(name).upper_bound(degrees) * (1 if metric(name).is_degree else random.random(rows))
        for name in metric_names()
    }
    table = TableProjection(degrees, columns, common, degrees)
    bits = grid_bits(bound + 2)
    for case in DISTINCT:
        found = sums.top_k_scores(case.plan(bound + 1, bound, 1, 1), table).exact()
        if not found.any():
            continue
        for row in range(rows):
            utilities = {name: float(column[row]) for name, column in columns.items()}
            exact = exact_score(case, bound, int(degrees[row]), int(common[row]), utilities) * 2**bits
            assert abs(int(found[row]) - exact) <= Fraction(5, 8), (case, row)
