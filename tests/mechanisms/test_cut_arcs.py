"""In- and out-degrees through cuts: whom noise on a whole vector, a distribution and a number of arcs protects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import cut_definitions as definitions
import edgedp
from edgedp import EdgeDPError, Graph, ParameterError, count, distribution, priv_top_k
from edgedp.exact.audit.arcs import digraph_of_mask
from edgedp.exact.laws import first_pick_law
from edgedp.mechanisms.adaptive.arcs import arc_counts, arc_moves
from edgedp.mechanisms.projection import CandidateProjection, GraphProjection
from edgedp.mechanisms.sampling.words import GeneratorWords, SecureWords
from edgedp.release.draw import draw
from edgedp.release.numbers.arcs import arcs_in, at_least_in, draw_arc_count
from edgedp.release.numbers.distributing import at_least_counts
from edgedp.release.plan import ArcCountPlan, ArcDistributionPlan, ArcsPlan, PublicFacts, plan
from edgedp.release.planning.noise import noise_of
from edgedp.words.vocabulary import ARC_METRICS, ArcMetricName, Unit
from looped import as_one

N = 4
ARCS = list(permutations(range(N), 2))
MASKS = np.arange(1 << len(ARCS))


def random_digraphs() -> Iterator[Graph]:
    rng = np.random.default_rng(5)
    for n in (5, 9):
        for ids in (np.arange(n), np.array([f"n{each}" for each in range(n)])):
            arcs = rng.integers(0, n, size=(4 * n, 2))
            yield Graph.from_edges(ids[arcs], nodes=ids, directed=True)


def matrix_of(graph: Graph) -> np.ndarray:
    arcs = np.zeros((graph.node_count, graph.node_count), dtype=bool)
    arcs[tuple(graph.arcs().T)] = True
    return arcs


@as_one
@pytest.mark.parametrize("cap", [1, 2, 3, 20])
def test_votes_follow_their_definition(cap: int) -> None:
    for graph in random_digraphs():
        order, arcs = definitions.public_order(graph.node_ids.tolist()), matrix_of(graph)
        projection = GraphProjection(graph)
        for name, of in (("in_degree", arcs), ("out_degree", arcs.T)):
            expected = definitions.cuts(of, cap, order).sum(axis=0)
            assert projection.arc_votes(name, cap).tolist() == expected.tolist()  # type: ignore[arg-type]
        some = np.array([0, 2, 3])
        across = arcs.copy()
        across[some] = False
        across[:, [v for v in range(graph.node_count) if v not in some]] = False
        voted = definitions.cuts(across, cap, order).sum(axis=0)[some]
        assert CandidateProjection(graph, some).arc_votes("in_degree", cap).tolist() == voted.tolist()


def planned(kind: str, facts: PublicFacts, **options: Any) -> Any:
    return plan(kind, {"epsilon": 1, **options}, facts)  # type: ignore[arg-type]


def facts_of(unit: Unit) -> PublicFacts:
    return PublicFacts(N, nodes_supplied=True, directed=True, protect=unit)


@cache
def projections() -> list[GraphProjection]:
    return [GraphProjection(digraph_of_mask(mask, N)) for mask in MASKS.tolist()]


@cache
def counts(name: ArcMetricName, cap: int | None) -> np.ndarray:
    """Return the counts of every digraph."""
    every = projections()
    return np.array([each.values(name) if cap is None else each.arc_votes(name, cap) for each in every])


def vectors(asked: Any) -> np.ndarray:
    """Return what noise goes on for each digraph, from the counts that the draws read."""
    match asked:
        case ArcsPlan():
            return counts(asked.metric, asked.cap)  # type: ignore[arg-type]
        case ArcCountPlan():
            return counts(asked.counted, asked.cap).sum(axis=1, keepdims=True)
        case ArcDistributionPlan():
            return np.array(
                [at_least_counts(each.astype(int), N - 1) for each in counts(asked.of, asked.cap)]
            )
    raise AssertionError(asked)


@pytest.mark.parametrize("mask", [0, 77, 1234, 4095])
def test_draws_read_what_is_looked_at(mask: int) -> None:
    projection = projections()[mask]
    for kind, asked, unit in QUESTIONS:
        for cap in (None, 2):
            made = planned(kind, facts_of("pair" if cap is None else unit), **asked, cap=cap)
            match made:
                case ArcsPlan():
                    read = arc_counts(made, projection)
                case ArcCountPlan():
                    read = np.array([arcs_in(made, projection)])
                case _:
                    read = at_least_in(made, projection)
            assert read.tolist() == vectors(made)[mask].tolist()


def changes(unit: Unit) -> np.ndarray:
    """Return (c, 2) masks: a digraph, and it without the arcs of one unit."""
    keys = {"pair": frozenset, "source": lambda arc: arc[0], "target": lambda arc: arc[1]}[unit]
    units = {keys(arc) for arc in ARCS}
    owns = [sum(1 << bit for bit, arc in enumerate(ARCS) if keys(arc) == each) for each in units]
    return np.concatenate([np.column_stack([MASKS, MASKS & ~own]) for own in owns])


def moves_of(asked: Any) -> int:
    return arc_moves(asked) if isinstance(asked, ArcsPlan) else asked.moves


QUESTIONS: list[tuple[str, dict[str, Any], Unit]] = [
    ("priv_top_k", {"metric": "in_degree", "k": 2, "mechanism": "joint"}, "source"),
    ("priv_top_k", {"metric": "out_degree", "k": 2, "mechanism": "joint"}, "target"),
    ("count", {"of": "arcs"}, "source"),
    ("count", {"of": "arcs"}, "target"),
    ("distribution", {"of": "in_degree"}, "source"),
    ("distribution", {"of": "out_degree"}, "target"),
]


@pytest.mark.parametrize(("kind", "asked", "unit"), QUESTIONS, ids=str)
def test_noise_covers_what_each_unit_moves(kind: str, asked: dict[str, Any], unit: Unit) -> None:
    """Exhaustive, all digraphs of 4 nodes and all units: the plan's moves are reached and never exceeded."""
    for cap in (None, 1, 2, 3):
        for account in ("pair", unit):
            if cap is None and account != "pair":
                with pytest.raises(ParameterError, match=f"protect is '{unit}'"):
                    planned(kind, facts_of(account), **asked)
                continue
            made = planned(kind, facts_of(account), **asked, cap=cap)  # type: ignore[arg-type]
            of_all, claimed, largest = vectors(made), moves_of(made), 0
            for each in made.units:
                one, other = changes(each).T
                moved = np.abs(of_all[one] - of_all[other]).sum(axis=1).max()
                assert moved <= claimed, (cap, account, each)
                largest = max(largest, int(moved))
            # Three cut nobody of four nodes, and what does not exceed a pair's noise need not reach it.
            assert largest == claimed or cap == 3, "noise for what no unit moves"
            assert (made.units == {"pair"}) == (cap is None)
            assert account in made.units


def test_the_number_through_cuts_is_of_no_pair_where_its_noise_is_less() -> None:
    made = planned("priv_top_k", facts_of("source"), metric="in_degree", k=2, cap=2)
    assert made.units == {"source"}
    assert made.public["protects"] == "all arcs that leave one node, taken away; replaced costs twice"
    wider = planned("priv_top_k", facts_of("source"), metric="in_degree", k=2, cap=4)
    assert wider.units == {"source", "pair"}
    assert "and all between two nodes" in wider.public["protects"]


def test_plans_name_the_cap_and_say_that_no_bound_is_rested_on() -> None:
    for kind, asked, unit in QUESTIONS:
        made = planned(kind, facts_of(unit), **asked, cap=2)
        assert made.parameters["cap"] == 2
        assert plan(kind, made.parameters, facts_of(unit)) == made  # type: ignore[arg-type]
        assert made.public["orientation"] == "directed"
        assert made.public["rests_on"] == "no degree bound"
        [noise] = noise_of(made)
        assert noise.scale == 2


@pytest.mark.parametrize("name", ARC_METRICS)
def test_the_first_pick_has_the_law_that_is_told(name: ArcMetricName) -> None:
    graph = Graph.from_edges([(1, 2), (1, 3), (1, 4), (3, 2), (4, 2), (2, 3)], directed=True)
    made = plan("priv_top_k", {"metric": name, "k": 1, "epsilon": 3, "cap": 2}, PublicFacts(4, directed=True))
    law = first_pick_law(made, GraphProjection(graph))  # type: ignore[arg-type]
    drawn = np.zeros(4)
    for _ in range(3000):
        [node] = priv_top_k(graph, name, 1, 3, cap=2).nodes
        drawn[node - 1] += 1
    assert (np.abs(drawn - 3000 * law) < 5 * np.sqrt(3000 * law * (1 - law)) + 1).all()


def test_a_number_of_arcs_lies_in_its_interval_and_is_cut_to_what_is_possible() -> None:
    graph = Graph.from_edges([(1, 2), (2, 1), (3, 1)], directed=True)
    made = plan("count", {"of": "arcs", "epsilon": "0.5"}, PublicFacts(3, directed=True))
    words, inside = GeneratorWords(np.random.default_rng(7)), 0
    for _ in range(400):
        drawn = draw_arc_count(made, GraphProjection(graph), words)  # type: ignore[arg-type]
        assert 0 <= drawn.value <= 6
        assert drawn.interval is not None
        assert drawn.interval.scale == 4
        inside += drawn.interval.low <= 3 <= drawn.interval.high
    assert inside >= 360
    assert count(graph, "arcs", 200).value == edgedp.exact.count(graph, "arcs") == 3
    assert count(graph, "arcs", 200, cap=1).value == 3
    assert count(Graph.from_edges([(1, 2), (1, 3)], directed=True), "arcs", 200, cap=1).value == 1


def test_a_number_of_arcs_with_noise_beyond_what_floats_tell_apart_has_its_interval_at_once() -> None:
    graph = Graph.from_edges([(1, 2), (2, 1), (3, 1)], directed=True)
    for cap, epsilon in ((10**9, "1e-9"), (2**62, "1e-9"), (10**9, "0.001")):
        assert count(graph, "arcs", epsilon, cap=cap).answer.to_json()["interval"] == [0, 6]
    for asked in ({"metric": "in_degree", "k": 1}, {"metric": "ebc", "k": 1, "proxy": "lists"}):
        with pytest.raises(ParameterError, match=r"cap is above 2\^62"):
            plan("priv_top_k", {**asked, "epsilon": 1, "cap": 10**400}, PublicFacts(9, directed=True))


def test_how_in_degrees_are_spread() -> None:
    graph = Graph.from_edges([(1, 2), (3, 2), (4, 2), (2, 3)], directed=True)
    assert distribution(graph, "in_degree", epsilon=300).values.tolist() == [2, 1, 1]
    assert distribution(graph, "out_degree", epsilon=300, form="histogram").values.tolist() == [0, 4, 0, 0]
    # A count above the bound counts as the bound, and no graph is refused for it.
    assert distribution(graph, "in_degree", epsilon=300, degree_bound=1).values.tolist() == [2]
    assert distribution(graph, "in_degree", epsilon=300, cap=1).values.tolist() == [2, 1, 1]


@as_one
@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda g: count(g, "edges", 1, cap=2), "cap is not an option of"),
        (lambda g: distribution(g, epsilon=1, cap=2), "cap is not an option of"),
        (lambda g: count(g, "arcs", 1, cap=0), "cap is 0, must be 1 or more"),
        (lambda g: count(g, "arcs", 1, mechanism="ladder"), "must be 'geometric'"),
        (lambda g: count(g, "arcs", 1, star_size=3), "star_size is not an option of count with of 'arcs'"),
        (lambda g: count(g, "arcs", 1, delta=1e-6), "delta is not an option of 'arcs'"),
        (lambda g: count(g, "arcs", 1, error_bar=True), "error_bar is not an option of count with of 'arcs'"),
        (
            lambda g: priv_top_k(g, "in_degree", 1, 1, "em", cap=2),
            "cap is not an option of .* mechanism 'em'",
        ),
        (lambda g: count(Graph.from_edges([(1, 2)]), "arcs", 1), "needs a graph whose directions were kept"),
        (lambda g: distribution(Graph.from_edges([(1, 2)]), "in_degree", epsilon=1), "needs a graph whose"),
        (lambda g: edgedp.exact.count(Graph.from_edges([(1, 2)]), "arcs"), "needs a graph whose directions"),
    ],
)
def test_what_has_no_effect_or_no_proof_is_refused(ask: Any, told: str) -> None:
    with pytest.raises(EdgeDPError, match=told):
        ask(Graph.from_edges([(1, 2), (2, 3)], directed=True))


def test_a_black_box_of_one_source_through_cuts() -> None:
    """All that one node does, taken away: the list of in-degrees tells it apart by e^epsilon at most."""
    with_it = Graph.from_edges([(1, 3), (1, 4), (2, 4), (4, 2)], nodes=range(1, 6), directed=True)
    without = Graph.from_edges([(2, 4), (4, 2)], nodes=range(1, 6), directed=True)
    asked = {"metric": "in_degree", "k": 1, "epsilon": 1, "cap": 2}
    made: Any = plan("priv_top_k", asked, PublicFacts(5, directed=True, protect="source"))
    trials, seen = 6_000, []
    for graph in (with_it, without):
        words = SecureWords()
        seen.append(sum(draw(made, GraphProjection(graph), words).items[0] == 3 for _ in range(trials)))
    least, most = (
        (hits + side * 5 * (hits + 1) ** 0.5) / trials for hits, side in zip(seen, (-1, 1), strict=True)
    )
    assert np.log(least / most) <= 1
