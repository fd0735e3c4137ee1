"""Strengths: what a pair and a source move them by, over all small weighted graphs, and the laws of their releases."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any, get_args

import numpy as np
import pytest

import strength_definitions as definition
from edgedp import EdgeDPError, Graph, priv_top_k
from edgedp.exact.audit.strengths import StrengthCase, audit_strengths, strength_cases
from edgedp.exact.laws import first_pick_probabilities
from edgedp.graph.weights import weighting_of
from edgedp.ledger.pairs import projection_of
from edgedp.mechanisms.adaptive import arcs
from edgedp.mechanisms.adaptive.arcs import arc_moves, arc_scores
from edgedp.mechanisms.adaptive.choice import Degrees
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.mechanisms.units import edge_moves, moves_one_way, moves_through_cuts, pair_through_cuts
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.planning.noise import noise_of
from edgedp.stores.statements.projecting import arcs_of, weighed
from edgedp.words.vocabulary import AGGREGATIONS, STRENGTHS, StrengthName, TalliedName, Unit
from looped import as_one

# What may lie between two nodes: nothing, 0, 1 and 2 steps, more than the cap, and several of these.
SLOTS: list[tuple[float, ...]] = [(), (0.4,), (1.0,), (2.9,), (9.0, 1.0), (1.0, 1.0)]
SIGNED_SLOTS: list[tuple[float, ...]] = [(), (1.0,), (9.0, 1.0), (-1.0,), (-9.0, -0.5), (9.0, -3.0)]


def facts_of(declared: dict[str, Any], name: str, n: int, **more: Any) -> PublicFacts:
    return PublicFacts(
        n, nodes_supplied=True, directed=name != "strength", weighting=weighting_of(declared), **more
    )


def moved(name: StrengthName, declared: dict[str, Any], *, replaced: bool) -> tuple[int, int]:
    """Return the most that one pair moves the vector by in L1, and one entry, by the definition alone."""
    slots = SIGNED_SLOTS if declared.get("signed") else SLOTS
    states = list(product(slots, repeat=1 if name == "strength" else 2))  # nothing at all comes first
    vectors = []
    for state in states:
        rows = [(side, 1 - side, value) for side, slot in enumerate(state) for value in slot]
        vectors.append(np.array(definition.strengths(3, rows, declared, name)))
    most = largest = 0
    for before in vectors:
        for after in vectors if replaced else vectors[:1]:
            change = np.abs(before - after)
            most, largest = max(most, int(change.sum())), max(largest, int(change.max()))
    return most, largest


@as_one
@pytest.mark.parametrize(
    ("name", "most", "one_way"),
    [
        ("degree", (1, 1, 1), (True, True, True)),
        ("in_degree", (1, 1, 1), (True, True, True)),
        ("out_degree", (1, 1, 1), (True, True, True)),
        ("strength", (None, 8, 8), (True, True, True)),
        ("in_strength", (None, 8, 8), (False, True, False)),
        ("out_strength", (None, 8, 8), (False, True, False)),
    ],
)
def test_what_one_arc_moves_a_score_by_is_what_is_declared(
    name: TalliedName, most: tuple[int | None, ...], one_way: tuple[bool, ...]
) -> None:
    """Without weights, with weights, and with signs. Both ends of a pair have the same strength, so it has one way."""
    weightings = (
        None,
        weighting_of({"cap": 4, "step": 0.5}),
        weighting_of({"cap": 4, "step": 0.5, "signed": True}),
    )
    for weighting, moves, way in zip(weightings, most, one_way, strict=True):
        assert moves_one_way(name, weighting) is way
        if moves is not None:
            assert edge_moves(name, weighting) == moves


def test_a_pair_moves_four_entries_through_cuts_and_two_of_candidates() -> None:
    assert (pair_through_cuts(None), pair_through_cuts("Page")) == (4, 2)
    for cap in (1, 2, 3, 4, 5, 9):
        assert [moves_through_cuts(cap, unit, 4) for unit in get_args(Unit)] == [max(cap, 4), cap, cap]
        assert moves_through_cuts(cap, "pair", 2) == max(cap, 2)


WEIGHT = {"cap": 4, "step": 0.5, "pair_cap": 6}
SIGNED = WEIGHT | {"signed": True}
ARCS: list[tuple[str, int, dict[str, Any] | None, bool, int, int]] = [
    # metric, k, what is declared of weights, candidates, what the vector that is ranked moves by, what all entries do
    ("in_degree", 3, None, False, 2, 2),
    ("in_degree", 1, None, False, 1, 2),
    ("out_degree", 2, None, False, 2, 2),
    ("out_degree", 1, None, False, 1, 2),
    ("degree", 2, None, True, 1, 1),
    ("in_degree", 1, None, True, 1, 1),
    ("strength", 2, WEIGHT, False, 24, 24),
    ("strength", 1, SIGNED, False, 12, 24),
    ("in_strength", 1, WEIGHT, False, 12, 24),
    ("in_strength", 1, SIGNED, False, 24, 24),
    ("out_strength", 1, SIGNED, False, 24, 24),
    ("in_strength", 2, SIGNED, True, 12, 12),
]


def facts_of_arcs(metric: str, declared: dict[str, Any] | None, *, candidates: bool) -> PublicFacts:
    return PublicFacts(
        9, nodes_supplied=True, directed="in_" in metric or "out_" in metric or candidates,
        projection={"candidates": "C"} if candidates else None,
        weighting=None if declared is None else weighting_of(declared),
    )  # fmt: skip


@as_one
@pytest.mark.parametrize(("metric", "k", "declared", "candidates", "shown", "all_of_it"), ARCS, ids=str)
def test_noise_on_counts_of_arcs_is_for_all_that_is_shown(
    metric: str, k: int, declared: dict[str, Any] | None, candidates: bool, shown: int, all_of_it: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The vector as it is ranked, the vector that is seen at every look, and a step of a pick."""
    facts = facts_of_arcs(metric, declared, candidates=candidates)
    options = {"metric": metric, "k": k, "epsilon": 5}
    planned: Any = plan("priv_top_k", options, facts)
    assert arc_moves(planned) == shown
    assert arcs._whole(planned) == all_of_it
    if declared != SIGNED or metric == "strength":
        picked: Any = plan("priv_top_k", options | {"mechanism": "em"}, facts)
        monkeypatch.setattr(arcs, "arc_counts", lambda plan, projection: np.zeros(9, dtype=np.int64))
        of_one = all_of_it if candidates else all_of_it // 2
        assert arc_scores(picked, picked.mechanism, None).unit == Fraction(5, k) / of_one  # type: ignore[arg-type]


@as_one
@pytest.mark.parametrize(("metric", "k", "declared", "candidates", "shown", "all_of_it"), ARCS, ids=str)
def test_a_vector_of_arcs_is_handed_on_only_where_its_noise_covers_every_entry(
    metric: str, k: int, declared: dict[str, Any] | None, candidates: bool, shown: int, all_of_it: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The noise on one largest entry protects no other; sums with signs, and counts through cuts, say nothing."""
    facts = facts_of_arcs(metric, declared, candidates=candidates)
    exact = np.arange(9, dtype=np.int64) * 10**9
    monkeypatch.setattr(arcs, "arc_counts", lambda plan, projection: exact)
    planned: Any = plan("priv_top_k", {"metric": metric, "k": k, "epsilon": "0.01"}, facts)
    positions, bought = arcs.draw_arcs(planned, None, SecureWords())  # type: ignore[arg-type]
    assert positions.tolist() == list(range(8, 8 - k, -1))
    if shown < all_of_it or declared == SIGNED:
        assert bought == ()
    else:
        ((purchase, vector),) = [(each.purchase, each.vector) for each in bought]
        assert (purchase.choice, purchase.epsilon) == (Degrees(), Fraction(1, 100))
        assert vector.whole.noise == 100 * shown
        assert 0 < np.abs(vector.whole.integers - exact).max() < 100 * 100 * shown
    cut: Any = replace(planned, cap=3) if metric == "in_degree" else None
    assert cut is None or arcs.draw_arcs(cut, None, SecureWords())[1] == ()  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["degree", "in_degree", "out_degree"])
def test_arcs_are_counted_of_every_metric_that_counts_them(metric: str) -> None:
    graph = Graph.from_edges([(0, 1), (0, 2), (2, 1)], directed=True)
    facts = PublicFacts(3, nodes_supplied=True, directed=True, projection={"candidates": "C"})
    planned: Any = plan("priv_top_k", {"metric": metric, "k": 2, "epsilon": 5}, facts)
    expected = {"degree": [2, 2, 2], "in_degree": [0, 2, 1], "out_degree": [2, 0, 1]}[metric]
    found = arcs.arc_counts(planned, GraphProjection(graph))
    assert (found.dtype, found.tolist()) == (np.int64, expected)


def test_one_node_has_no_arc_that_could_move_anything() -> None:
    for n, moves in ((1, 0), (2, 2), (3, 2)):
        facts = PublicFacts(n, nodes_supplied=True, directed=True)
        planned: Any = replace(plan("priv_top_k", {"metric": "in_degree", "k": 1, "epsilon": 5}, facts), k=2)
        assert arc_moves(planned) == moves


def test_every_look_at_counts_of_arcs_has_noise_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where one node is shown: the whole vector is judged."""
    facts = PublicFacts(60, nodes_supplied=True, directed=True)
    planned: Any = plan(
        "priv_top_k", {"metric": "in_degree", "k": 1, "epsilon": 5, "target_recall": 0.5}, facts
    )
    seen: list[Any] = []
    monkeypatch.setattr(arcs, "draw_until_sure", lambda *given: seen.append(given))
    monkeypatch.setattr(arcs, "arc_counts", lambda plan, projection: np.arange(60))
    given = [object() for _ in range(5)]
    arcs.draw_arcs_until_sure(planned, *given)  # type: ignore[arg-type]
    ((sought, *handed, counted),) = seen
    assert handed == given
    assert (counted.moves, counted.unit, counted.values.tolist()) == (2, 1, list(range(60)))
    assert (sought.k, sought.cost, sought.cuts, sought.node_count) == (1, planned.cost, False, 60)


@pytest.mark.parametrize(("candidates", "pair"), [(False, 4), (True, 2)])
def test_noise_through_cuts_is_for_whom_the_account_protects(candidates: bool, pair: int) -> None:
    for cap in (1, 3, 9):
        for protect, moves in (("pair", max(cap, pair)), ("source", cap)):
            facts = PublicFacts(
                9, nodes_supplied=True, directed=True, protect=protect,  # type: ignore[arg-type]
                projection={"candidates": "C"} if candidates else None,
            )  # fmt: skip
            planned: Any = plan(
                "priv_top_k", {"metric": "in_degree", "k": 2, "epsilon": 5, "cap": cap}, facts
            )
            assert arc_moves(planned) == moves


@as_one
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("name", STRENGTHS)
def test_every_claim_is_reached_and_exceeded_by_no_pair(
    name: StrengthName, aggregation: str, signed: bool
) -> None:
    if signed and aggregation == "COUNT":
        return
    declared: dict[str, Any] = {"cap": 2, "pair_cap": 2, "aggregation": aggregation, "signed": signed}
    facts = facts_of(declared, name, 3)
    for k in (1, 2):
        planned = plan("priv_top_k", {"metric": name, "k": k, "epsilon": 1, "mechanism": "joint"}, facts)
        claim = arc_moves(planned)  # type: ignore[arg-type]
        most, largest = moved(name, declared, replaced=False)
        one_way = k == 1 and not (signed and name != "strength")
        assert (largest if one_way else most) == claim
        again, _ = moved(name, declared, replaced=True)
        twice = "replaced costs twice" in planned.public["protects"]
        if k == 2:
            assert again <= claim * (2 if twice else 1)
            assert not signed or again > claim


@as_one
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@pytest.mark.parametrize("orientation", ["NATURAL", "REVERSE", "UNDIRECTED", "MUTUAL"])
def test_what_is_not_often_enough_weighs_nothing_whatever_lies_the_other_way(
    orientation: str, aggregation: str
) -> None:
    """Else one who sends, whom an account protects, would move what another has sent: by the readers' own code."""
    declared = {"property": "amount", "cap": 3, "pair_cap": 5, "aggregation": aggregation}
    made = projection_of("N", "R", orientation, at_least=2, weight=declared)
    for there, back in product(range(4), repeat=2):
        rows = [(0, 1, 2.0)] * there + [(1, 0, 3.0)] * back
        ends = np.array([row[:2] for row in rows], dtype=np.int32).reshape(-1, 2)
        graph = Graph.from_positions(
            np.arange(3),
            arcs_of(ends[:, 0], ends[:, 1], 3, made),
            nodes_supplied=True,
            directed=made.directed,
        )
        graph = weighed(graph, ends[:, 0], ends[:, 1], np.array([row[2] for row in rows]), made)
        joined = there + back >= 2 and (orientation == "UNDIRECTED" or bool(there and back))
        kept = [row for row in rows if (joined if not made.directed else rows.count(row) >= 2)]
        turned = [(b, a, value) for a, b, value in kept] if orientation == "REVERSE" else kept
        names: tuple[StrengthName, ...] = ("in_strength", "out_strength") if made.directed else ("strength",)
        for name in names:
            found = GraphProjection(graph).strengths(name).tolist()
            assert found == definition.strengths(3, turned, declared, name), (there, back, name)


def test_a_sum_that_is_capped_a_relationship_only_has_no_bound_for_a_pair() -> None:
    """The specification's counterexample: 8 where 2 C is 4."""
    rows = [(0, 1, 2.0), (0, 1, 2.0)]
    graph = Graph.from_edges([(0, 1), (0, 1)], weights=[2, 2], weight={"cap": 2})
    assert definition.strengths(2, rows, {"cap": 2}, "strength") == [2, 2]
    assert GraphProjection(graph).strengths("strength").tolist() == [2, 2]


@pytest.mark.parametrize(
    "case", list(strength_cases()), ids=lambda case: f"{case.metric} {case.mechanism} {case.details}"
)
def test_every_unit_of_every_small_weighted_graph_costs_what_is_claimed(case: StrengthCase) -> None:
    [finding] = audit_strengths([case], node_count=3, epsilons=["1"])
    assert finding.met
    assert finding.ratio > 2 / 3


@pytest.mark.parametrize("name", ["strength"])
def test_all_weighted_graphs_of_four_nodes_keep_their_claim(name: StrengthName) -> None:
    cases = [StrengthCase(name, "pair", mechanism, weight={"cap": 2}) for mechanism in ("pf", "joint")]
    assert all(finding.met for finding in audit_strengths(cases, node_count=4, picks=(2,), epsilons=["1"]))


@pytest.mark.parametrize(
    "case",
    [
        StrengthCase("out_strength", "source", "pf"),
        StrengthCase("in_strength", "target", "em"),
    ],
    ids=str,
)
def test_what_is_not_promised_would_break_its_claim(case: StrengthCase) -> None:
    [finding] = audit_strengths([case], node_count=3, epsilons=["1"])
    assert not finding.met


def test_the_audit_adds_up_what_the_definition_does() -> None:
    from edgedp.exact.audit.strengths import _PLAIN, _SIGNED, weighted_graph

    rng = np.random.default_rng(1)
    for name in STRENGTHS:
        places = list(combinations(range(3), 2) if name == "strength" else permutations(range(3), 2))
        for declared in ({"cap": 2}, {"cap": 3, "pair_cap": 2, "signed": True}):
            facts = facts_of(declared, name, 3)
            states = _SIGNED if declared.get("signed") else _PLAIN
            for number in rng.integers(0, 3 ** len(places), size=40).tolist():
                rows = [
                    (a, b, value)
                    for place, (a, b) in enumerate(places)
                    for value in states[number // 3**place % 3]
                ]
                graph = weighted_graph(number, 3, facts.weighting, directed=name != "strength")  # type: ignore[arg-type]
                assert GraphProjection(graph).strengths(name).tolist() == definition.strengths(
                    3, rows, declared, name
                )


def test_the_noise_follows_what_is_declared_and_no_weight() -> None:
    heavy = Graph.from_edges([(1, 2), (2, 3)], weights=[70, 90], weight={"cap": 100, "step": 2})
    light = Graph.from_edges([(1, 2), (2, 3)], weights=[1, 1], weight={"cap": 100, "step": 2})
    assert heavy.weighting == light.weighting
    for mechanism, scale in (("joint", 100.0), ("em", 100.0), ("pf", 100.0)):
        facts = facts_of({"cap": 100, "step": 2}, "strength", 3)
        planned = plan(
            "priv_top_k", {"metric": "strength", "k": 2, "epsilon": 1, "mechanism": mechanism}, facts
        )
        [noise] = noise_of(planned)
        assert noise.scale == scale


def test_the_law_is_that_of_the_exponential_mechanism_written_out() -> None:
    graph = Graph.from_edges(
        [(0, 1), (1, 2)], nodes=range(4), weights=[3, 8], weight={"cap": 5, "pair_cap": 5}
    )
    scores = np.array([3, 8, 5, 0])
    expected = np.exp(scores * 2 / (2 * 5))  # epsilon 2, two picks, C = 5
    found = first_pick_probabilities(graph, metric="strength", k=2, epsilon=2, mechanism="em")
    assert found == pytest.approx(expected / expected.sum())


@pytest.mark.parametrize("mechanism", ["joint", "em", "pf"])
def test_the_largest_sums_that_are_let_through_are_drawn(mechanism: str) -> None:
    cap = 10**15 - 1
    graph = Graph.from_edges([(0, node) for node in range(1, 40)], weights=[cap] * 39, weight={"cap": cap})
    assert priv_top_k(graph, "strength", k=1, epsilon=20, mechanism=mechanism).nodes == [0]  # type: ignore[arg-type]
    assert len(priv_top_k(graph, "strength", k=5, epsilon="1e-6", mechanism=mechanism).nodes) == 5  # type: ignore[arg-type]
    with pytest.raises(EdgeDPError, match="2\\^62"):
        plan(
            "priv_top_k",
            {"metric": "strength", "k": 1, "epsilon": 1},
            facts_of({"cap": cap}, "strength", 5000),
        )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"mechanism": "sld"}, "em, pf, joint"),
    ({"mechanism": "ld"}, "em, pf, joint"),
    ({"cap": 3}, "cap"),
    ({"target_recall": 0.9}, "target_recall"),
    ({"shift": "up"}, "shift"),
    ({"proxy": "degree"}, "proxy"),
    ({"estimates": True}, "estimates"),
]


@as_one
@pytest.mark.parametrize(("asked", "said"), REFUSED, ids=str)
def test_what_is_not_proved_is_refused_before_a_draw(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(EdgeDPError, match=said):
        plan(
            "priv_top_k",
            {"metric": "strength", "k": 1, "epsilon": 1} | asked,
            facts_of({"cap": 2}, "strength", 9),
        )


@as_one
@pytest.mark.parametrize(
    ("metric", "directed", "weighted", "said"),
    [
        ("strength", True, True, "adds up pairs"),
        ("in_strength", False, True, "directions"),
        ("strength", False, False, "needs a graph with weights"),
        ("out_strength", True, False, "needs a graph with weights"),
    ],
)
def test_a_graph_without_what_is_added_up_is_refused(
    metric: str, directed: bool, weighted: bool, said: str
) -> None:
    weight: dict[str, Any] = {"weights": [1], "weight": {"cap": 1}} if weighted else {}
    graph = Graph.from_edges([(1, 2)], directed=directed, **weight)
    with pytest.raises(EdgeDPError, match=said):
        priv_top_k(graph, metric, k=1, epsilon=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("protect", ["pair", "source"])
@pytest.mark.parametrize("mechanism", ["em", "pf", "joint"])
def test_picks_of_arcs_protect_a_source_unless_weights_have_signs(mechanism: str, protect: Unit) -> None:
    for signed in (False, True):
        facts = facts_of({"cap": 2, "signed": signed}, "in_strength", 9, protect=protect)
        asked = {"metric": "in_strength", "k": 2, "epsilon": 1, "mechanism": mechanism}
        allowed = (mechanism == "joint" and protect == "pair") or (mechanism != "joint" and not signed)
        if allowed:
            assert protect in plan("priv_top_k", asked, facts).units
        else:
            with pytest.raises(EdgeDPError):
                plan("priv_top_k", asked, facts)


def test_every_sampler_is_in_the_audit() -> None:
    assert {case.mechanism for case in strength_cases()} == {"em", "pf", "joint"}
    assert sampler("exponential") != sampler("permute_and_flip")
