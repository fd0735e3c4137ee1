"""Numbers of stored graphs: debited first, kept, answered again; what is refused costs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import edgedp
from behind import declare_bound
from edgedp import (
    EdgeDPError,
    EngineError,
    Graph,
    ParameterError,
    Release,
    Store,
    StoreError,
    UnknownNameError,
)
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.release.numbers.answers import NOISE_IS_PRIVATE
from edgedp.release.plan.named import TypedId
from edgedp.stores.statements.cypher import CypherProjection
from edgedp.words import refusals
from neo4jserver import Server
from neo4jserver.fixtures import KEYED
from sampling_doubles import assert_has_law

OpenStore = Callable[[], Store]

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)], nodes=[1, 2, 3, 4, 5, 9])
TEXTS = Graph.from_edges([("7", "y"), ("y", "zé `"), ("7", "zé `")])
COUNTS: list[dict[str, Any]] = [
    {"of": "edges"},
    {"of": "triangles"},
    {"of": "triangles", "mechanism": "staircase"},
    {"of": "triangles", "mechanism": "smooth"},
    {"of": "two_triangles", "mechanism": "ladder"},
    {"of": "wedges", "error_bar": True},
    {"of": "stars", "star_size": 4},
    {"of": "clustering"},
    {"of": "common_neighbors", "pair": (1, 3)},
    {"of": "degree", "node": 3},
    {"of": "density", "node": 3},
    {"of": "betweenness2", "node": 3, "error_bar": True},
    {"of": "ebc", "node": 3},
    {"of": "betweenness2", "node": 9},
]
RECEIPT = {"account", "graph", "release_id", "epsilon_budget", "epsilon_spent", "epsilon_remaining"}
SHOWN = {"selector", "parameters", "public", "private"} | RECEIPT
PRIVATE_NOISE, PUBLIC_NOISE = {"value", "noise"}, {"value", "scale", "interval", "confidence"}


def kite(open_store: OpenStore, **declared: Any) -> Store:
    store = open_store()
    store.load(KITE, "kite", **({"epsilon_budget": 100, "degree_bound": 4} | declared))
    return store


def spent(store: Store) -> float:
    return float(store.budget("kite")["epsilon_spent"])


def test_every_number_is_paid_kept_and_shown_without_its_private_noise(
    open_any: OpenStore, request: pytest.FixtureRequest
) -> None:
    """The keys are a closed list: a new one must be thought about here."""
    store = kite(open_any)
    asked_here = COUNTS[::4] if "neo4j" in request.node.callspec.id else COUNTS  # a database takes its time
    for number, asked in enumerate(asked_here, start=1):
        shown = json.loads(json.dumps(store.count("kite", epsilon=0.5, **asked).to_dict()))
        assert shown["epsilon_spent"] == number / 2, asked
        told = set(shown) - SHOWN
        if asked.get("error_bar"):
            assert told == PUBLIC_NOISE - {"scale"}
        elif shown["parameters"]["mechanism"] in ("geometric", "staircase"):
            assert told == PUBLIC_NOISE
        else:
            assert told == PRIVATE_NOISE
            assert shown.get("noise") == NOISE_IS_PRIVATE
        kept: Mapping[str, Any] = open_any().releases("kite")[-1]
        assert {name: kept[name] for name in ("release_id", "parameters", *told)} == {
            name: shown[name] for name in ("release_id", "parameters", *told)
        }


def test_a_distribution_and_a_summary_are_paid_once_and_say_what_they_are_made_of(
    open_any: OpenStore,
) -> None:
    store = kite(open_any)
    ccdf = store.distribution("kite", epsilon=1)
    assert len(ccdf.values) == 4
    assert (np.diff(ccdf.values) <= 0).all()
    histogram = store.distribution("kite", epsilon=1, form="histogram")
    assert histogram.values.sum() == 6
    assert set(histogram.to_dict()) == {"values", "first_degree"} | SHOWN
    page = store.summary("kite", 2)
    assert set(page.to_dict()) == {"summary", "shares"} | SHOWN
    assert sum(page.to_dict()["shares"].values()) == pytest.approx(1)
    assert page.values["nodes"] == 6
    assert "triangles" in page.to_text()
    assert spent(store) == 4
    assert [row["selector"] for row in store.releases("kite")] == ["distribution", "distribution", "summary"]


ASKED: dict[str, Callable[[Any, str | None], Release]] = {
    "count": lambda store, request: store.count("kite", "triangles", 1, request_id=request),
    "ebc": lambda store, request: store.count("kite", "ebc", 1, node=3, request_id=request),
    "distribution": lambda store, request: store.distribution("kite", epsilon=1, request_id=request),
    "summary": lambda store, request: store.summary("kite", 1, request_id=request),
}


def test_a_number_that_is_asked_again_is_answered_again_whatever_became_of_the_graph(
    open_any: OpenStore,
) -> None:
    store = kite(open_any)
    first = {name: ask(store, f"r-{name}") for name, ask in ASKED.items()}
    paid = spent(store)
    with pytest.raises(ParameterError, match="must be new for another request"):
        ASKED["summary"](store, "r-distribution")
    with pytest.raises(ParameterError, match="must be new for another request"):
        store.count("kite", "ebc", 1, node=4, request_id="r-ebc")
    store.drop("kite")
    for name, ask in ASKED.items():
        again = ask(store, f"r-{name}")
        assert again.to_dict() | {"epsilon_spent": 0, "epsilon_remaining": 0} == (
            first[name].to_dict() | {"epsilon_spent": 0, "epsilon_remaining": 0}
        )
    typed = store.count("kite", "ebc", 1, node=TypedId("3"), request_id="r-ebc")
    assert typed.value == first["ebc"].value
    assert spent(store) == paid == len(ASKED)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"of": "triangle"}, "did you mean 'triangles'"),
    ({"of": "edges", "mechanism": "geometrik"}, "did you mean 'geometric'"),
    ({"of": "edges", "epsilon": "1e-12"}, "must be at least 1e-9"),
    ({"of": "stars", "star_size": 1}, "star_size is 1, must be from 2 to the degree bound, 4"),
    ({"of": "stars", "star_size": 5}, "star_size is 5, must be from 2 to the degree bound, 4"),
    ({"of": "common_neighbors", "pair": (3, 3)}, "pair is 3 twice"),
    ({"of": "common_neighbors", "pair": (3, 77)}, "pair is 77, must be a node of the graph"),
    ({"of": "degree", "node": 77}, "node is 77, must be a node of the graph"),
    ({"of": "degree", "node": "3"}, "node is '3', must be a node of the graph"),
    ({"of": "degree", "node": 2**70}, "must be a node of the graph"),
    ({"of": "degree", "node": TypedId("03")}, "node is '03', must be a node of the graph"),
    ({"of": "ebc"}, "node is missing"),
    ({"of": "triangles", "mechanism": "nls"}, "must be a pure one for a stored graph"),
    ({"of": "triangles", "mechanism": "lls"}, "must be a pure one for a stored graph"),
    ({"of": "triangles", "error_bar": True, "epsilon": "0.00001"}, "must be at least 0.0001 with error_bar"),
    ({"of": "edges", "error_bar": True}, "its interval is public and shown anyway"),
    ({"of": "edges", "mechanism": "calibrated", "error_bar": True}, "only for mechanism 'calibrated'"),
    ({"of": "edges", "engine": "cypher"}, "must be native or igraph for a release"),
    ({"of": "edges", "epsilon": 101}, "what is left of the budget"),
]


def test_what_is_refused_costs_nothing_also_where_a_delta_is_declared(open_any: OpenStore) -> None:
    store = kite(open_any)
    other = Graph.from_edges([(1, 2), (2, 3), (3, 4), (1, 3)], nodes=KITE.node_ids)
    store.load(other, "with delta", epsilon_budget=100, delta="1e-6", degree_bound=4)
    for asked, says in REFUSED:
        for name in ("kite", "with delta"):
            with pytest.raises(EdgeDPError) as refused:
                store.count(name, **({"epsilon": 1} | asked))
            assert says in str(refused.value)
            assert "\n" not in str(refused.value)
    assert [store.budget(name)["releases"] for name in ("kite", "with delta")] == [0, 0]
    store.count("with delta", "triangles", 0.1)
    assert 0 < store.budget("with delta")["epsilon_spent"] < 1


def test_ids_that_are_typed_name_the_node_that_is_written_so(open_any: OpenStore) -> None:
    store = kite(open_any)
    store.load(TEXTS, "texts", epsilon_budget=9)
    assert store.count("kite", "degree", 1, node=TypedId("3")).parameters["node"] == 3
    pair = store.count("kite", "common_neighbors", 1, pair=(TypedId("1"), 3)).parameters["pair"]
    assert pair == [1, 3]
    named = store.count("texts", "degree", 1, node=TypedId("7")).parameters["node"]
    assert (named, type(named)) == ("7", str)
    with pytest.raises(UnknownNameError, match="node is 7, must be a node"):
        store.count("texts", "degree", 1, node=7)
    with pytest.raises(ParameterError, match="twice"):
        store.count("kite", "common_neighbors", 1, pair=(TypedId("3"), 3))


def test_a_graph_that_breaks_its_bound_or_loses_a_node_is_refused_in_a_constant_sentence(
    open_embedded: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the debit nothing is said that varies with the edges."""
    store = kite(open_embedded)
    declare_bound(store, "kite", 2)
    for number, ask in enumerate(ASKED.values(), start=1):
        with pytest.raises(ParameterError, match="exceeds its declared degree bound") as refused:
            ask(store, None)
        assert refusals.BOUND_BROKEN in str(refused.value)
        assert spent(store) == number
    declare_bound(store, "kite", 4)
    other = Graph.from_edges([(1, 2), (4, 5)], nodes=[1, 2, 4, 5, 9, 10])
    monkeypatch.setattr(type(store), "_read", lambda *_: other)
    with pytest.raises(EdgeDPError) as gone:
        store.count("kite", "degree", 1, node=3)
    assert refusals.NODES_CHANGED in str(gone.value)


def test_a_stored_graph_draws_what_a_graph_in_memory_does_from_the_same_randomness(
    open_embedded: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law of every kind is that of memory, which is audited: the same epsilon, bound and profile go in."""
    import edgedp.mechanisms.sampling.words as words

    store = kite(open_embedded)
    calls: list[tuple[Callable[..., Release], Callable[..., Release], dict[str, Any]]] = [
        (store.count, edgedp.count, {"epsilon": "0.3", **asked}) for asked in COUNTS
    ]
    calls += [
        (store.distribution, edgedp.distribution, {"epsilon": "0.7"}),
        (store.summary, edgedp.summary, {"epsilon": "0.7"}),
    ]
    for stored, held, asked in calls:
        for seed in (1, 2):
            monkeypatch.setattr(
                words, "SecureWords", lambda seed=seed: GeneratorWords(np.random.default_rng(seed))
            )
            drawn = stored("kite", **asked)
            expected = held(KITE, **asked, degree_bound=4, rng=np.random.default_rng(seed))
            assert drawn.answer == expected.answer, asked
            assert drawn.parameters == expected.parameters


def test_the_secure_path_of_a_store_has_the_exact_law(open_embedded: OpenStore) -> None:
    store = kite(open_embedded, degree_bound=3)
    drawn = np.array([store.count("kite", "triangles", 2).value for _ in range(40)])
    law = edgedp.exact.count_probabilities(KITE, "triangles", epsilon=2, values=range(7), degree_bound=3)
    assert law.sum() == pytest.approx(1)
    assert_has_law(drawn, dict(enumerate(law.tolist())))


def test_exact_numbers_of_every_engine_are_logged_without_their_value(
    open_any: OpenStore, request: pytest.FixtureRequest
) -> None:
    store = kite(open_any)
    in_neo4j = "neo4j" in request.node.callspec.id
    asked = [each for each in COUNTS if "mechanism" not in each]
    for each in asked:
        given = {name: value for name, value in each.items() if name != "error_bar"}
        expected = edgedp.exact.count(KITE, **given)
        for engine in ["cypher"] if in_neo4j else ["native", "igraph"]:
            assert store.exact_count("kite", engine=engine, **given) == pytest.approx(expected), (
                given,
                engine,
            )
            (*_, noted) = store.log("kite")
            assert (noted["event"], noted["details"]["of"]) == ("exact", given["of"])
            assert set(noted["details"]) <= {"read", "of", "star_size", "pair", "node"}
    with pytest.raises(EngineError, match="in this store"):
        store.exact_count("kite", "two_triangles", engine="cypher")
    with pytest.raises(UnknownNameError, match="node is 77"):
        store.exact_count("kite", "degree", node=77)
    assert spent(store) == 0


def test_arcs_that_are_counted_exactly_are_logged(open_embedded: OpenStore) -> None:
    store = open_embedded()
    store.load(Graph.from_edges([(1, 2), (2, 1), (2, 3)], directed=True), "ways", epsilon_budget=1)
    assert store.exact_count("ways", "arcs") == 3
    (*_, noted) = store.log("ways")
    assert (noted["event"], noted["details"]) == ("exact", {"read": "count", "of": "arcs"})


def test_a_profile_is_logged_and_what_it_cannot_be_asked_for_is_told(
    open_any: OpenStore, request: pytest.FixtureRequest
) -> None:
    store = kite(open_any)
    engine: Any = "cypher" if "neo4j" in request.node.callspec.id else "igraph"
    found = store.exact_count_sensitivity("kite", "stars", 1, star_size=4, degree_bound=4, engine=engine)
    assert found == edgedp.exact.count_sensitivity(KITE, "stars", 1, star_size=4, degree_bound=4)
    (*_, noted) = store.log("kite")
    assert noted["event"] == "exact"
    assert noted["details"] == {
        "read": "sensitivity",
        "of": "stars",
        "star_size": 4,
        "t": 1,
        "degree_bound": 4,
    }
    assert store.exact_count_sensitivity("kite", "wedges", 10**30, engine=engine) == 2 * (6 - 2)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"of": "clustering"}, "ask for triangles and for wedges"),
        (
            {"of": "two_triangles", "engine": "cypher"},
            "must be 'native' or 'igraph' for two_triangles in this store",
        ),
        ({"of": "triangles", "t": -1}, "t is -1"),
        (
            {"of": "triangles", "degree_bound": 2},
            "degree_bound is 2, must be at least the graph's largest degree",
        ),
        ({"of": "degree", "node": 77}, "node is 77, must be a node of the graph"),
    ]
    logged = len(store.log("kite"))
    for given, sentence in refused:
        with pytest.raises(EdgeDPError, match=sentence):
            store.exact_count_sensitivity("kite", **({"t": 0} | given))
    assert len(store.log("kite")) == logged + 1  # the bound is broken by what was read
    assert spent(store) == 0


class Vanishing(CypherProjection):
    """A database that lost a node after its degrees were read."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def _run(self, statement: str, nodes: list[Any] | None, **parameters: Any) -> list[dict[str, Any]]:
        if nodes is None:
            return [{"id": node, "value": 2} for node in (1, 2, 3)]
        self.asked += nodes
        return [{"id": node, "value": [] if statement == "neighbors" else 1} for node in nodes if node != 3]


def test_a_graph_that_changes_while_its_hubs_are_asked_is_told_in_one_line() -> None:
    changing = Vanishing()
    with pytest.raises(StoreError, match="changed while it was read; ask again"):
        changing.figures().most_common_neighbors()
    assert changing.asked == [1, 2, 3]


MULTIGRAPH = [(1, 2), (2, 1), (2, 3), (2, 3), (3, 1), (3, 4), (4, 1), (3, 3), (5, 5)]
EVERY_PAIR = [(a, b) for a in range(1, 13) for b in range(1, a)]
RELATED: dict[str, list[tuple[int, int]]] = {
    "twice and to themselves": MULTIGRAPH,
    "none": [],
    "a clique": [pair for pair in EVERY_PAIR if max(pair) <= 6],
    "two hubs": [(1, leaf) for leaf in range(3, 9)] + [(2, leaf) for leaf in range(5, 12)] + [(1, 2)],
    "drawn": [pair for number, pair in enumerate(EVERY_PAIR) if 7 * number % 31 < 13],
}
"""Relationships among twelve nodes of which the hubs are alone, alike, all adjacent, or adjacent to nobody alike."""
PROFILES: list[dict[str, Any]] = [
    {"of": "triangles"}, {"of": "wedges"}, {"of": "stars", "star_size": 3}, {"of": "ebc", "node": "2"},
    {"of": "edges"}, {"of": "common_neighbors", "pair": ("1", "2")}, {"of": "degree", "node": "2"},
    {"of": "density", "node": "2"}, {"of": "betweenness2", "node": "2"},
]  # fmt: skip


@pytest.mark.neo4j
def test_the_database_counts_and_profiles_a_multigraph_as_the_other_engines_a_simple_one(
    empty_neo4j: Server,
) -> None:
    """One registered graph whose relationships change below it: its statements are compiled once."""
    with empty_neo4j.driver() as driver, edgedp.open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        driver.execute_query("UNWIND range(1, 12) AS id CREATE (:Person {ssn: toString(id)})-[:R]->(:Q)")
        driver.execute_query(KEYED)
        store.register("p", "Person", "R", "ssn", epsilon_budget=1e6, allow_empty=True)
        for name, pairs in RELATED.items():
            driver.execute_query(
                "MATCH (:Person)-[r:R]-(:Person) DELETE r WITH count(*) AS gone UNWIND $pairs AS pair "
                "MATCH (a:Person {ssn: toString(pair[0])}), (b:Person {ssn: toString(pair[1])}) CREATE (a)-[:R]->(b)",
                pairs=pairs,
            )
            graph = store.graph("p")
            for given in PROFILES if name == "drawn" else PROFILES[:2]:
                for t, bound in ((0, None), (2, max(graph.max_degree, 2))):
                    expected = edgedp.exact.count_sensitivity(graph, t=t, degree_bound=bound, **given)
                    found = store.exact_count_sensitivity(
                        "p", t=t, degree_bound=bound, engine="cypher", **given
                    )
                    assert (type(found), found) == (type(expected), expected), (name, given, t, bound)
            if pairs is MULTIGRAPH:
                assert store.exact_count("p", "triangles", engine="cypher") == 2
                assert store.exact_count("p", "common_neighbors", pair=("1", "3"), engine="cypher") == 2
                assert store.exact_count("p", "common_neighbors", pair=("1", "5"), engine="cypher") == 0
                assert store.exact_count("p", "edges", engine="cypher") == 5
                assert store.count("p", "triangles", 1000).value == 2
