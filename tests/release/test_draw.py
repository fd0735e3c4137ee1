"""The only exit: what a draw refuses, and in which words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from neo4j.exceptions import Neo4jError

from edgedp import Graph
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import SecureWords, words_from
from edgedp.mechanisms.selection.domains import declare
from edgedp.release import draw as drawing
from edgedp.release.answers import Point
from edgedp.release.draw import draw, draw_positions
from edgedp.release.numbers.answers import Distribution, Number, Summary
from edgedp.release.plan import Kind, Plan, PublicFacts, of_nodes, plan
from edgedp.release.release import Nodes
from edgedp.stores.neo4j.errors import one_line_errors
from edgedp.words import refusals
from edgedp.words.amounts.epsilon import epsilon_nano
from edgedp.words.errors import EdgeDPError, EngineError, ParameterError, StoreError
from looped import as_one

GRAPH = Graph.from_edges([(10, 20), (20, 30), (30, 10), (30, 40), (40, 50)])
ASKED = [
    ("priv_top_k", {"metric": "degree", "mechanism": "em"}),
    ("priv_top_k", {"metric": "ebc", "mechanism": "sld"}),
    ("priv_top_k", {"metric": "density", "mechanism": "pf"}),
    ("priv_top_k", {"metric": "degree", "mechanism": "joint"}),
    ("priv_top_k", {"metric": "ebc", "mechanism": "joint"}),
    ("priv_top_k", {"metric": "ebc", "mechanism": "joint", "proxy": "betweenness2"}),
    ("priv_top_k", {"metric": "ebc", "proxy": "lists", "cap": 2}),
    ("motkin", {"metrics": ["degree", "density"], "mechanism": "joint"}),
    ("motkin", {"metrics": ["degree", "density"]}),
    ("motkin", {"metrics": ["degree", "ebc"], "approach": "aggregate"}),
]


def planned(kind: Any, options: dict[str, Any], bound: int | None = None, nodes: int = 5) -> Plan:
    return plan(kind, {"k": 3, "epsilon": 1, **options}, PublicFacts(nodes, bound, nodes_supplied=True))


class Odd(GraphProjection):
    """A graph whose ids are what a database may hand over."""

    def __init__(self, ids: list[Any]) -> None:
        super().__init__(GRAPH)
        self.node_ids = np.array(ids)


@as_one
@pytest.mark.parametrize(("kind", "options"), ASKED)
def test_every_kind_of_release_answers_with_ids_in_the_order_of_its_positions(
    kind: Any, options: dict[str, Any]
) -> None:
    asked, projection = planned(kind, options), GraphProjection(GRAPH)
    positions = draw_positions(asked, projection, words_from(np.random.default_rng(3)))
    answer = draw(asked, projection, words_from(np.random.default_rng(3)))
    assert isinstance(answer, Nodes)
    assert answer.ids == tuple(GRAPH.node_ids[positions].tolist())
    assert len(set(answer.ids)) == 3
    assert all(type(node) is int for node in answer.ids)


@as_one
@pytest.mark.parametrize(("kind", "options"), ASKED)
@pytest.mark.parametrize("nodes", [4, 6])
def test_a_graph_of_other_nodes_than_planned_is_refused(
    kind: Any, options: dict[str, Any], nodes: int
) -> None:
    """Also where no bound is broken: noise planned for fewer nodes is too small."""
    with pytest.raises(StoreError) as refused:
        draw(planned(kind, options, nodes=nodes), GraphProjection(GRAPH), SecureWords())
    assert str(refused.value) == refusals.NODES_CHANGED


@as_one
@pytest.mark.parametrize(("kind", "options"), ASKED)
def test_a_graph_above_its_bound_is_refused_by_every_kind_that_rests_on_it(
    kind: Any, options: dict[str, Any]
) -> None:
    joint = options.get("mechanism") == "joint" or options.get("proxy") == "lists"
    assert planned(kind, options).rests_on_bound == (not joint or options.get("proxy") == "betweenness2")
    if not planned(kind, options).rests_on_bound:
        assert draw(planned(kind, options, bound=2), GraphProjection(GRAPH), SecureWords())
        return
    with pytest.raises(ParameterError) as refused:
        draw(planned(kind, options, bound=2), GraphProjection(GRAPH), SecureWords())
    assert str(refused.value) == refusals.BOUND_BROKEN
    assert draw(planned(kind, options, bound=3), GraphProjection(GRAPH), SecureWords())


@pytest.mark.parametrize(
    "ids", [[1, 2, 2, 3, 4], [1, 2, 3, 4, None], [1.0, 2.0, 3.0, 4.0, float("nan")]], ids=repr
)  # fmt: skip
def test_nodes_without_an_id_of_their_own_are_refused(ids: list[Any]) -> None:
    with pytest.raises(StoreError) as refused:
        draw(planned("priv_top_k", {"metric": "degree"}), Odd(ids), SecureWords())
    assert str(refused.value) == refusals.IDS_BROKEN


def test_the_nodes_are_looked_at_before_the_private_degrees() -> None:
    """A sentence about the public node set must not depend on whether the private bound is broken."""
    with pytest.raises(StoreError, match="nodes changed"):
        draw(
            planned("priv_top_k", {"metric": "degree"}, bound=1, nodes=4),
            GraphProjection(GRAPH),
            SecureWords(),
        )


def test_refusals_are_listed_once_and_hold_no_figure() -> None:
    named = [value for name, value in vars(refusals).items() if re.fullmatch("[A-Z_]+", name)]
    listed = refusals.AFTER_THE_DEBIT
    assert sorted(value for value in named if isinstance(value, str)) == sorted(listed)
    for sentence in listed:
        assert not re.search(r"[0-9{%\n]", sentence)
        assert "stays spent" in sentence


@pytest.mark.parametrize(
    ("kind", "options"),
    [("priv_top_k", {"metric": "ebc", "k": 1}), ("count", {"of": "edges"}),
     ("motkin", {"metrics": ["degree", "density"], "k": 1, "mechanism": "joint"})],
)  # fmt: skip
def test_what_numpy_would_warn_of_is_nobodys(kind: Kind, options: dict[str, Any]) -> None:
    """It follows private values, and where a caller lets numpy raise, a debited release would be lost by them."""
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 300)])
    asked = plan(kind, options | {"epsilon": 1e6}, PublicFacts(star.node_count))
    with np.errstate(all="raise"):
        assert draw(asked, GraphProjection(star), SecureWords()) is not None
        if kind != "count":
            assert len(draw_positions(of_nodes(asked), GraphProjection(star), SecureWords())) == 1


@as_one
@pytest.mark.parametrize(
    "error", [ValueError("node 7"), ParameterError("degree 12"), EngineError("score 3"), KeyError(7)], ids=repr
)  # fmt: skip
def test_whatever_nobody_foresaw_is_said_in_the_constant_sentence(error: Exception) -> None:
    with pytest.raises(EngineError) as refused, refusals.constant_refusals():
        raise error
    assert str(refused.value) == refusals.ENGINE_FAILED
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_a_panic_of_a_library_in_rust_is_as_constant_as_an_exception() -> None:
    """Its class is no Exception, and its words hold the value at hand."""
    far = pl.Series([2**62]).cast(pl.Datetime("ms"))
    with pytest.raises(EngineError) as refused, refusals.constant_refusals():
        far.cast(pl.Datetime("us"))
    assert str(refused.value) == refusals.ENGINE_FAILED
    assert refused.value.__cause__ is None
    with pytest.raises(KeyboardInterrupt), refusals.constant_refusals():
        raise KeyboardInterrupt


def test_what_a_database_says_in_its_own_words_is_not_said_after_a_debit() -> None:
    """How much memory a reading took, say: it follows the number of edges."""
    server = Neo4jError._hydrate_neo4j(
        code="Neo.TransientError.General.MemoryPoolOutOfMemoryError",
        message="2097152 bytes more than 17825792",
    )
    with (
        pytest.raises(StoreError) as refused,
        refusals.constant_refusals(),
        one_line_errors("bolt://here", None),
    ):
        raise server
    assert str(refused.value) == refusals.STORE_FAILED
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    "error",
    [ParameterError(refusals.BOUND_BROKEN), StoreError("the server is gone"), StoreError(refusals.NODES_CHANGED)],
    ids=repr,
)  # fmt: skip
def test_listed_refusals_and_what_a_store_says_of_itself_pass(error: EdgeDPError) -> None:
    with pytest.raises(type(error)) as refused, refusals.constant_refusals():
        raise error
    assert refused.value is error


def test_a_plan_that_does_not_rest_on_the_bound_draws_whatever_the_degrees() -> None:
    class WithoutBound(type(planned(*ASKED[0]))):  # type: ignore[misc]
        rests_on_bound = False

    asked = planned(*ASKED[0], bound=2)
    loose = WithoutBound(**vars(replace(asked)))
    assert len(draw(loose, GraphProjection(GRAPH), SecureWords()).items) == 3


def test_a_node_that_is_named_must_be_there_and_ids_may_be_texts() -> None:
    graph = Graph.from_edges([("a", "b"), ("b", "c"), ("b", "d")])
    facts = PublicFacts(4, nodes_supplied=True)
    asked = {"of": "degree", "node": "b", "epsilon": 100_000}
    assert draw(plan("count", asked, facts), GraphProjection(graph), SecureWords()).value == 3  # type: ignore[union-attr]
    assert draw(
        plan("priv_top_k", {"metric": "degree", "k": 1, "epsilon": 99}, facts),
        GraphProjection(graph),
        SecureWords(),
    )
    gone = Graph.from_edges([("a", "bb"), ("bb", "c"), ("bb", "d")])
    with pytest.raises(StoreError) as refused:
        draw(plan("count", asked, facts), GraphProjection(gone), SecureWords())
    assert str(refused.value) == refusals.NODES_CHANGED


@as_one
@pytest.mark.parametrize("estimates", [False, True])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("priv_top_k", {"metric": "ebc", "mechanism": "joint"}),
        ("priv_top_k", {"metric": "degree", "mechanism": "joint"}),
        ("priv_top_k", {"metric": "in_degree", "mechanism": "joint"}),
        ("priv_top_k", {"metric": "strength", "mechanism": "joint"}),
        ("motkin", {"metrics": ["degree", "density"], "mechanism": "joint"}),
    ],
)
def test_what_stands_beside_a_list_follows_from_its_own_released_vectors(
    kind: Any, options: dict[str, Any], estimates: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vectors that it has paid for, in the order of its own positions; estimates only where they were asked for."""
    directed, weighted = (options.get("metric") == name for name in ("in_degree", "strength"))
    if estimates and (directed or weighted):
        return
    edges = [(100 + i, 100 + (i * i + 1) % 60) for i in range(60) if i != (i * i + 1) % 60]
    graph = Graph.from_edges(edges, directed=directed, weights=[2.0] * len(edges), weight={"cap": 5})
    judged: list[Any] = []

    def judge(*given: Any) -> Any:
        judged.append(given)
        return real_judge(*given)

    shown: list[Any] = []

    def estimate(bought: Any) -> Any:
        shown.append(bought)
        return real_estimates(bought)

    real_judge, real_estimates = drawing.how_sure, drawing.estimates
    monkeypatch.setattr(drawing, "how_sure", judge)
    monkeypatch.setattr(drawing, "estimates", estimate)
    facts = PublicFacts(
        len(graph.node_ids), nodes_supplied=True, directed=directed, weighting=graph.weighting
    )
    asked: Any = plan(
        kind, {"k": 3, "epsilon": 1, **options, **({"estimates": True} if estimates else {})}, facts
    )
    answer = draw(asked, GraphProjection(graph), SecureWords())
    assert isinstance(answer, Nodes)
    assert len(set(answer.ids)) == 3
    assert (answer.estimates is not None) == estimates
    assert len(shown) == estimates
    vectors = shown + [bought for _, _, bought, *_ in judged]
    assert all(sum(each.purchase.epsilon for each in bought) == 1 for bought in vectors)
    if kind == "motkin":
        assert not judged
        assert answer.sure is None
    else:
        ((metric, positions, _, nodes, most),) = judged
        largest = (len(graph.node_ids) - 1) * (5 if weighted else 1)
        assert (metric, nodes, most) == (options["metric"], len(graph.node_ids), largest)
        assert answer.ids == tuple(graph.node_ids[positions].tolist())
        assert answer.sure is not None
        assert (answer.sure.strength_intervals is not None) == weighted
        assert (answer.sure.degree_intervals is None) == weighted
        assert {node for node, _ in answer.sure.near} <= set(graph.node_ids.tolist()) - set(answer.ids)


def test_a_graph_without_edges_keeps_a_bound_of_none() -> None:
    graph = Graph.from_edges([], nodes=range(5))
    asked = planned("priv_top_k", {"metric": "ebc", "mechanism": "sld"}, bound=0)
    assert asked.rests_on_bound
    assert draw(asked, GraphProjection(graph), SecureWords())


@pytest.mark.parametrize("metric", ["ebc", "in_degree"])
def test_a_list_that_is_drawn_until_it_is_sure_is_paid_for_step_by_step_and_judged_by_its_own_vectors(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directed = metric == "in_degree"
    edges = [(i, j) for j in range(6) for i in range(6, 6 + 50 - 8 * j)]
    graph = Graph.from_edges(edges, nodes=range(60), directed=directed)
    facts = PublicFacts(60, nodes_supplied=True, directed=directed)
    made: Any = plan("priv_top_k", {"metric": metric, "k": 3, "epsilon": 5, "target_recall": 0.7}, facts)
    paid, seen, judged = [made.first[0].cost], list[Any](), list[Any]()

    def judge(*given: Any) -> Any:
        judged.append(given)
        return real(*given)

    def pay(cost: int) -> bool:
        paid.append(cost)
        return True

    real = drawing.how_sure
    monkeypatch.setattr(drawing, "how_sure", judge)
    answer = draw(
        made, GraphProjection(graph), SecureWords(), pay,
        lambda spent, recall: seen.append((spent, recall)),
    )  # fmt: skip
    assert isinstance(answer, Nodes)
    told = answer.to_json()
    assert epsilon_nano(told["spent"]) == sum(paid) <= 5 * 10**9
    assert [spent for spent, _ in seen] == [sum(paid[: step + 1]) for step in range(len(paid))]
    assert told["steps"] == len(paid) == len(judged)
    assert {(name, nodes, most) for name, _, _, nodes, most in judged} == {(metric, 60, 59)}
    assert answer.ids == tuple(judged[-1][1].tolist())
    assert sum(each.purchase.epsilon for each in judged[-1][2]) * 10**9 <= sum(paid)
    with pytest.raises(AssertionError, match="a way to pay"):
        draw(made, GraphProjection(graph), SecureWords())


EVERY: list[tuple[Kind, dict[str, Any], type[Any]]] = [
    ("priv_top_k", {"metric": "ebc", "k": 2, "mechanism": "em"}, Nodes),
    ("priv_top_k", {"metric": "ebc", "k": 2, "mechanism": "joint"}, Nodes),
    ("priv_top_k", {"metric": "in_degree", "k": 2, "mechanism": "em"}, Nodes),
    ("priv_top_k", {"metric": "in_degree", "k": 2, "mechanism": "joint"}, Nodes),
    ("motkin", {"metrics": ["degree", "density"], "k": 2}, Nodes),
    ("motkin", {"metrics": ["degree", "density"], "k": 2, "approach": "aggregate"}, Nodes),
    ("motkin", {"metrics": ["degree", "density"], "k": 2, "mechanism": "joint"}, Nodes),
    ("count", {"of": "triangles"}, Number),
    ("count", {"of": "arcs", "cap": 2}, Number),
    ("distribution", {}, Distribution),
    ("distribution", {"of": "in_degree", "cap": 2}, Distribution),
    ("summary", {}, Summary),
    ("percentile", {"property": "age", "q": 0.5}, Point),
]


@as_one
@pytest.mark.parametrize(("kind", "options", "answered"), EVERY, ids=str)
def test_every_question_is_drawn_on_the_data_that_it_asks_for_by_the_words_that_are_given(
    kind: Kind, options: dict[str, Any], answered: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At an epsilon that leaves no noise the answer is that of this graph; without words there is none."""
    graph = Graph.from_edges(
        [(1, 2), (3, 2), (4, 2), (5, 2), (2, 1), (4, 5)], nodes=range(1, 7), directed=True
    )
    ages = np.array([30.0, 31, 32, 40, 41, np.nan])
    facts = PublicFacts(6, nodes_supplied=True, directed=True, domains={"age": declare(0, 99, points=100)})
    projection = GraphProjection(graph)
    monkeypatch.setattr(projection, "records", {"age": ages}.__getitem__)
    made = plan(kind, options | {"epsilon": 100_000}, facts)
    answer = draw(made, projection, SecureWords())
    assert type(answer) is answered
    if isinstance(answer, Nodes):
        assert answer.ids[0] == 2
        assert draw_positions(made, projection, SecureWords())[0] == 1  # type: ignore[arg-type]
    if isinstance(answer, Point):
        assert answer.value == 32
    with pytest.raises((AttributeError, TypeError)):
        draw(made, projection, None)  # type: ignore[arg-type]
