"""Strengths: what a pair and a source move them by, over all small weighted graphs, and the laws of their releases."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

import strength_definitions as definition
from edgedp import EdgeDPError, Graph, priv_top_k
from edgedp.exact.audit.strengths import StrengthCase, audit_strengths, strength_cases
from edgedp.exact.laws import first_pick_law, first_pick_probabilities
from edgedp.mechanisms.adaptive.arcs import arc_moves
from edgedp.mechanisms.projection import CandidateProjection, GraphProjection
from edgedp.mechanisms.samplers import sampler
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.planning.noise import noise_of
from edgedp.words.vocabulary import AGGREGATIONS, STRENGTHS, StrengthName, Unit

# What may lie between two nodes: nothing, 0, 1 and 2 steps, more than the cap, and several of these.
SLOTS: list[tuple[float, ...]] = [(), (0.4,), (1.0,), (2.9,), (9.0, 1.0), (1.0, 1.0)]
SIGNED_SLOTS: list[tuple[float, ...]] = [(), (1.0,), (9.0, 1.0), (-1.0,), (-9.0, -0.5), (9.0, -3.0)]


def facts_of(declared: dict[str, Any], name: str, n: int, **more: Any) -> PublicFacts:
    from edgedp.graph.weights import weighting_of

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
    assert finding.ratio > 0.6


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


@pytest.mark.parametrize("metric", STRENGTHS)
@pytest.mark.parametrize("signed", [False, True])
def test_candidates_move_by_one_pair_at_one_end(metric: StrengthName, signed: bool) -> None:
    declared = {"property": "w", "cap": 2, "signed": signed}
    directed = metric != "strength"
    rows = [(0, 1, 2.0), (1, 0, 1.0), (2, 3, 9.0), (0, 3, 1.0), (1, 2, -2.0)]
    graph = Graph.from_edges(
        [row[:2] for row in rows],
        nodes=range(4),
        weights=[row[2] for row in rows],
        weight=declared,
        directed=directed,
    )
    across = [row for row in rows if (row[0] in (0, 2)) != (row[1] in (0, 2))]
    expected = np.array(definition.strengths(4, across, declared, metric))[[0, 2]]
    projection = CandidateProjection(graph, np.array([0, 2]))
    assert projection.strengths(metric).tolist() == expected.tolist()
    facts = facts_of(declared, metric, 2, projection={"candidates": "A", "weight": {}})
    planned = plan("priv_top_k", {"metric": metric, "k": 2, "epsilon": 1, "mechanism": "joint"}, facts)
    assert arc_moves(planned) == 2  # type: ignore[arg-type]
    assert first_pick_law(planned, projection).sum() == pytest.approx(1)  # type: ignore[arg-type]


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


@pytest.mark.parametrize(("asked", "said"), REFUSED, ids=str)
def test_what_is_not_proved_is_refused_before_a_draw(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(EdgeDPError, match=said):
        plan(
            "priv_top_k",
            {"metric": "strength", "k": 1, "epsilon": 1} | asked,
            facts_of({"cap": 2}, "strength", 9),
        )


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
