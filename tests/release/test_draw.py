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
from edgedp.release.draw import draw, draw_positions
from edgedp.release.plan import Kind, Plan, PublicFacts, of_nodes, plan
from edgedp.release.release import Nodes
from edgedp.stores.neo4j.errors import one_line_errors
from edgedp.words import refusals
from edgedp.words.errors import EdgeDPError, EngineError, ParameterError, StoreError

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
        self.ids = np.array(ids)

    @property
    def node_ids(self) -> Any:
        return self.ids


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


@pytest.mark.parametrize(("kind", "options"), ASKED)
@pytest.mark.parametrize("nodes", [4, 6])
def test_a_graph_of_other_nodes_than_planned_is_refused(
    kind: Any, options: dict[str, Any], nodes: int
) -> None:
    """Also where no bound is broken: noise planned for fewer nodes is too small."""
    with pytest.raises(StoreError) as refused:
        draw(planned(kind, options, nodes=nodes), GraphProjection(GRAPH), SecureWords())
    assert str(refused.value) == refusals.NODES_CHANGED


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
