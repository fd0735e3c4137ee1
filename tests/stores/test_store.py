"""One suite for every kind of store: the embedded file and a real Neo4j."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import edgedp
from behind import declare_bound
from edgedp import (
    BudgetError,
    EdgeDPError,
    EngineError,
    Graph,
    ParameterError,
    Store,
    StoreError,
    UnknownNameError,
)
from edgedp.words import refusals

OpenStore = Callable[[], Store]

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)], nodes=[1, 2, 3, 4, 5, 9])
TEXTS = Graph.from_edges([("x", "y"), ("y", "zé `")])


@pytest.fixture
def store(open_any: OpenStore) -> Store:
    return open_any()


@pytest.mark.parametrize(
    "graph", [KITE, TEXTS, Graph.from_edges([], nodes=[7, 8]), Graph.from_edges([], nodes=["a"])]
)
def test_a_loaded_graph_comes_back_whole(store: Store, graph: Graph) -> None:
    store.load(graph, "g")
    back = store.graph("g")
    assert back == graph
    assert back.nodes_supplied == graph.nodes_supplied


def test_public_facts_are_all_that_graphs_shows(store: Store) -> None:
    loaded = [store.load(KITE, "kite", epsilon_budget=0.5, degree_bound=4), store.load(TEXTS, "texts")]
    assert loaded == store.graphs()
    assert loaded == [
        {"name": "kite", "node_count": 6, "degree_bound": 4, "epsilon_budget": 0.5, "epsilon_spent": 0.0},
        {"name": "texts", "node_count": 3, "degree_bound": 2, "epsilon_budget": None, "epsilon_spent": 0.0},
    ]


def test_a_release_spends_first_and_is_kept(open_any: OpenStore) -> None:
    store = open_any()
    store.load(KITE, "kite", epsilon_budget=1, degree_bound=3)
    release = store.priv_top_k("kite", metric="degree", k=3, epsilon=0.25, mechanism="em")
    shown = json.loads(json.dumps(release.to_dict()))
    assert len(set(shown["nodes"])) == 3
    assert set(shown["nodes"]) <= set(KITE.node_ids.tolist())
    assert shown["private"] is True
    assert (shown["epsilon_budget"], shown["epsilon_spent"], shown["epsilon_remaining"]) == (1.0, 0.25, 0.75)
    assert shown["public"] == {
        "node_count": 6,
        "nodes": "supplied",
        "degree_bound": 3,
        "degree_bound_source": "declared by the curator",
        "protects": "everything between two nodes",
        "facts": "as they were loaded",
    }
    other = open_any()
    assert other.budget("kite") == {
        "epsilon_budget": 1.0,
        "epsilon_spent": 0.25,
        "epsilon_remaining": 0.75,
        "releases": 1,
    }
    (kept,) = other.releases("kite")
    assert kept["release_id"] == shown["release_id"]
    assert kept["nodes"] == shown["nodes"]
    assert kept["parameters"] == shown["parameters"]


def test_nothing_shown_is_a_score_or_a_degree(store: Store) -> None:
    """The keys are a closed list: a new one must be thought about here."""
    store.load(KITE, "kite", epsilon_budget=10)
    for release in (
        store.priv_top_k("kite", metric="ebc", k=2, epsilon=1, mechanism="sld"),
        store.priv_top_k("kite", metric="ebc", k=2, epsilon=1, estimates=True),
        store.motkin("kite", metrics=["degree", "density"], k=2, epsilon=1, approach="aggregate"),
    ):
        shown = release.to_dict()
        joint = shown["parameters"]["mechanism"] == "joint"
        assert set(shown) == {*(("ranks_by", "estimates") if joint else ()),
            "selector", "parameters", "nodes", "public", "private",
            "graph", "release_id", "epsilon_budget", "epsilon_spent", "epsilon_remaining", "account",
        }  # fmt: skip
        rests_on = {"rests_on"} if joint else set()
        assert (
            set(shown["public"])
            == {"node_count", "nodes", "degree_bound", "degree_bound_source", "facts", "protects"} | rests_on
        )


def test_a_hundredth_is_spent_exactly_fifty_times(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=0.5)
    for _ in range(50):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.01)
    with pytest.raises(BudgetError, match=r"0 of 0\.5"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.01)
    assert store.budget("kite")["releases"] == 50


def test_what_does_not_fit_is_refused_with_what_is_left_and_costs_nothing(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1, max_epsilon_per_release=0.6)
    store.priv_top_k("kite", metric="degree", k=1, epsilon=0.5)
    with pytest.raises(BudgetError, match=r"must be at most what is left .* 0\.5 of 1"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon="0.500000001")
    with pytest.raises(BudgetError, match=r"at most 0\.6 for one release"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.61)
    assert store.budget("kite")["epsilon_spent"] == 0.5
    store.priv_top_k("kite", metric="degree", k=1, epsilon=0.5)


def test_without_a_budget_there_is_no_release(store: Store) -> None:
    store.load(KITE, "kite")
    with pytest.raises(BudgetError, match="not declared"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=1)
    assert store.releases("kite") == []


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilon": 0}, {"epsilon": -1}, {"epsilon": float("nan")}, {"epsilon": "1e-10"}, {"k": 0}, {"k": 7},
        {"metric": "ebcc"}, {"mechanism": "x"}, {"engine": "fast"}, {"sampler": "x"}, {"shift": "x"},
    ],
)  # fmt: skip
def test_a_refused_question_costs_nothing(store: Store, bad: dict[str, object]) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    with pytest.raises(EdgeDPError):
        store.priv_top_k("kite", **({"metric": "degree", "k": 1, "epsilon": 0.5} | bad))  # type: ignore[arg-type]
    assert store.budget("kite") == {
        "epsilon_budget": 1.0, "epsilon_spent": 0.0, "epsilon_remaining": 1.0, "releases": 0
    }  # fmt: skip


def test_all_nodes_can_be_asked_for(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=5)
    for mechanism in ("em", "pf", "ld", "sld", "joint"):
        release = store.priv_top_k("kite", metric="ebc", k=6, epsilon=1, mechanism=mechanism)
        assert sorted(release.nodes) == KITE.node_ids.tolist()


def test_the_ledger_outlives_the_graph(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    store.priv_top_k("kite", metric="degree", k=1, epsilon=0.75)
    store.load(TEXTS, "kite", replace=True)
    assert store.budget("kite")["epsilon_remaining"] == 0.25
    store.drop("kite")
    assert store.graphs() == []
    assert store.budget("kite")["epsilon_spent"] == 0.75
    with pytest.raises(UnknownNameError):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.1)
    with pytest.raises(BudgetError, match=r"must be at least what was spent, 0\.75"):
        store.load(KITE, "kite", epsilon_budget=0.5)
    assert store.graphs() == []
    store.load(KITE, "kite", epsilon_budget=0.8)
    with pytest.raises(BudgetError, match=r"0\.05 of 0\.8"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.1)
    assert [row["epsilon"] for row in store.releases("kite")] == [0.75]


def test_a_budget_never_goes_below_what_was_spent(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    store.priv_top_k("kite", metric="degree", k=1, epsilon=0.5)
    with pytest.raises(BudgetError, match=r"at least what was spent, 0\.5"):
        store.set_budget("kite", 0.4)
    assert store.set_budget("kite", 0.5)["epsilon_remaining"] == 0.0
    assert store.set_budget("kite", "7.5")["epsilon_budget"] == 7.5
    with pytest.raises(UnknownNameError):
        store.set_budget("kyte", 1)


def test_a_stored_name_needs_replace_and_the_old_graph_stays_until_then(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1, degree_bound=5)
    with pytest.raises(StoreError, match="is stored already"):
        store.load(TEXTS, "kite")
    with pytest.raises(ParameterError, match="at least the graph's largest degree, 2"):
        store.load(TEXTS, "kite", degree_bound=1, replace=True)
    assert store.graph("kite") == KITE
    store.load(TEXTS, "kite", replace=True)
    assert store.graph("kite") == TEXTS
    assert store.graphs()[0]["degree_bound"] == 2


def test_two_graphs_in_one_store_never_mix(store: Store) -> None:
    store.load(KITE, "one")
    store.load(Graph.from_edges([(1, 5), (2, 9)], nodes=KITE.node_ids), "two")
    assert store.graph("one") == KITE
    assert store.graph("two").edge_count == 2
    store.drop("two")
    assert store.graph("one") == KITE


def test_a_request_that_is_asked_again_is_answered_again_for_free(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    question = {"metric": "degree", "k": 3, "epsilon": 0.5}
    first = store.priv_top_k("kite", **question, request_id="r-1")  # type: ignore[arg-type]
    again = store.priv_top_k("kite", **question, request_id="r-1")  # type: ignore[arg-type]
    assert again.to_dict() == first.to_dict()
    assert store.budget("kite")["releases"] == 1
    with pytest.raises(ParameterError, match="must be new for another request"):
        store.priv_top_k("kite", metric="degree", k=2, epsilon=0.5, request_id="r-1")
    store.priv_top_k("kite", **question, request_id="r-2")  # type: ignore[arg-type]
    assert store.budget("kite")["releases"] == 2


def test_what_nobody_foresaw_after_the_debit_is_said_in_the_constant_sentence(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own words could hold values; the release stays debited, and the answer is nobody's."""

    def broken(*_: object) -> object:
        raise ValueError("node 7 has degree 12")

    store.load(KITE, "kite", epsilon_budget=1)
    monkeypatch.setattr(
        "edgedp.stores.releases.releasing.try_engine", lambda *_: None
    )  # it would not get as far
    monkeypatch.setattr("edgedp.release.draw.draw", broken)
    with pytest.raises((EngineError, ValueError)) as refused:
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.5)
    assert (refused.type, str(refused.value)) == (EngineError, refusals.ENGINE_FAILED)
    assert refused.value.__suppress_context__
    assert store.budget("kite")["epsilon_spent"] == 0.5
    assert store.releases("kite")[0]["nodes"] is None


def test_exact_values_by_every_engine(store: Store) -> None:
    store.load(KITE, "kite")
    for engine in ("native", "igraph"):
        for metric in ("degree", "density", "ebc", "betweenness2"):
            expected = edgedp.exact.values(KITE, metric)
            assert np.allclose(store.exact("kite", metric, engine=engine), expected, atol=1e-9)
            assert np.allclose(
                store.exact("kite", metric, nodes=[9, 3], engine=engine), expected[[5, 2]], atol=1e-9
            )
    assert store.exact("kite", "degree", engine="cypher").tolist() == KITE.degrees.tolist()
    with pytest.raises(UnknownNameError, match="nodes is 77"):
        store.exact("kite", "degree", nodes=[77])
    assert store.exact_sensitivity("kite", "ebc", 2, form="common_neighbors").tolist() == (
        edgedp.exact.sensitivity(KITE, "ebc", 2, form="common_neighbors").tolist()
    )


def test_names_are_checked(store: Store) -> None:
    for bad in ("", " ", "a\nb", " a", "x" * 201, 3, None):
        with pytest.raises(ParameterError):
            store.load(KITE, bad)  # type: ignore[arg-type]
    store.load(KITE, "a `quoted` 'name' {{x}} $y ☃", epsilon_budget=1)
    assert len(store.priv_top_k("a `quoted` 'name' {{x}} $y ☃", metric="degree", k=1, epsilon=1).nodes) == 1
    with pytest.raises(UnknownNameError):
        store.graph("a")
    with pytest.raises(ParameterError, match="has no node"):
        store.load(Graph.from_edges([], nodes=[]), "void")


@pytest.mark.parametrize(
    "name", ["../x y", "a/b", "a\\b", "/", "-q", "..", ".", "gra\u200bph", "\u202egraph"]
)
def test_a_name_that_a_face_cannot_carry_is_refused_but_goes_on_working_where_it_is(
    store: Store, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ParameterError, match=r"name is .*; choose another name"):
        store.load(KITE, name, epsilon_budget=1)
    assert store.graphs() == []
    with monkeypatch.context() as before:  # a version that let it pass
        before.setattr("edgedp.mechanisms.checks.check_new_graph_name", lambda name: None)
        store.load(KITE, name, epsilon_budget=1)
    assert len(store.priv_top_k(name, metric="degree", k=1, epsilon="0.5").nodes) == 1
    store.load(KITE, name, epsilon_budget=1, replace=True)
    store.drop(name)
    store.load(KITE, name, epsilon_budget=1)
    assert store.budget(name)["epsilon_spent"] == 0.5


def test_a_misspelt_graph_is_refused_with_the_nearest_name(store: Store) -> None:
    store.load(KITE, "email-Enron")
    for ask in (store.graph, store.drop):
        with pytest.raises(UnknownNameError, match="did you mean 'email-Enron'"):
            ask("email-enron2")
    with pytest.raises(UnknownNameError):
        store.releases("nothing")


def test_the_answer_is_not_shown_before_it_is_debited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draw that fails leaves the debit: budget may be lost, privacy never."""
    import edgedp.release.draw

    store.load(KITE, "kite", epsilon_budget=1)

    def broken(*_: object) -> None:
        raise RuntimeError("the machine stopped here")

    monkeypatch.setattr(edgedp.release.draw, "draw", broken)
    with pytest.raises(RuntimeError):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.25)
    assert store.budget("kite")["epsilon_spent"] == 0.25
    assert store.releases("kite")[0]["nodes"] is None


def test_a_graph_that_breaks_its_bound_is_refused_after_the_debit_in_a_constant_sentence(
    store: Store,
) -> None:
    """Only a graph that changed behind the store's back can; here the registry is edited."""
    from edgedp.words.refusals import BOUND_BROKEN

    store.load(KITE, "kite", epsilon_budget=1, degree_bound=3)
    declare_bound(store, "kite", 2)
    with pytest.raises(ParameterError) as refused:
        store.priv_top_k("kite", metric="degree", mechanism="em", k=1, epsilon=0.25)
    assert str(refused.value) == BOUND_BROKEN
    assert not any(figure in BOUND_BROKEN for figure in "0123456789")
    assert store.budget("kite")["epsilon_spent"] == 0.25


def test_a_budget_of_epsilon_and_delta_allows_many_more_small_releases(open_any: OpenStore) -> None:
    """Bounded-range composition: k rounds at epsilon / k cost epsilon^2 / (8 k) of rho each."""
    store = open_any()
    row = store.load(KITE, "kite", epsilon_budget=1, delta="1e-6", max_epsilon_per_release=0.5)
    assert row == {
        "name": "kite", "node_count": 6, "degree_bound": 5, "epsilon_budget": 1.0, "epsilon_spent": 0.0, "delta": 1e-6
    }  # fmt: skip
    for _ in range(20):
        release = store.priv_top_k("kite", metric="degree", k=5, epsilon=0.1)
    shown = release.to_dict()
    assert 0.1 < shown["epsilon_spent"] < 0.5 * 20 * 0.1
    assert shown["delta"] == 1e-6
    assert open_any().budget("kite")["epsilon_spent"] == shown["epsilon_spent"]
    with pytest.raises(BudgetError, match=r"at most 0\.5 for one release"):
        store.priv_top_k("kite", metric="degree", k=5, epsilon=0.51)
    with pytest.raises(BudgetError, match="must be at least what was spent"):
        store.set_budget("kite", 0.05)
    store.set_budget("kite", 0.6)
    while store.budget("kite")["epsilon_spent"] < 0.55:
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.05, sampler="permute_and_flip")
    with pytest.raises(BudgetError, match=r"must be at most what is left .* of 0\.6") as refused:
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.3, sampler="permute_and_flip")
    left = str(refused.value).split("'kite', ")[1].split(" of ")[0]
    assert 0 <= float(left) < 0.3
    assert store.budget("kite")["epsilon_spent"] <= 0.6


def test_a_delta_is_declared_before_the_first_release_and_kept(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    store.priv_top_k("kite", metric="degree", k=1, epsilon=0.1)
    with pytest.raises(BudgetError, match="before the first release"):
        store.set_budget("kite", 1, delta=1e-6)
    with pytest.raises(ParameterError, match="delta is given without an epsilon_budget"):
        store.load(TEXTS, "texts", delta=1e-6)
    for bad in (0, 1, -1, "x", float("nan"), True):
        with pytest.raises(ParameterError, match="delta is"):
            store.load(TEXTS, "texts", epsilon_budget=1, delta=bad)
    store.load(TEXTS, "texts", epsilon_budget=1, delta=1e-6)
    store.priv_top_k("texts", metric="degree", k=1, epsilon=0.1)
    store.load(TEXTS, "texts", replace=True, epsilon_budget=2)
    assert store.budget("texts")["delta"] == 1e-6
    assert store.budget("texts")["epsilon_spent"] > 0.01
