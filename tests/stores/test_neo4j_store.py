"""What only a server can do: foreign graphs, Cypher beside the data, clients that compete."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import edgedp
import neo4j_children
from edgedp import (
    BudgetError,
    EdgeDPError,
    EngineError,
    Graph,
    ParameterError,
    Store,
    StoreError,
    StoreUnavailableError,
    open_store,
)
from edgedp.spark import session, sources
from edgedp.spark.edges import Figures
from edgedp.stores.addresses import addressed
from edgedp.stores.neo4j.backend import Neo4jBackend
from edgedp.stores.neo4j.session import Neo4jSession
from edgedp.words.refusals import BOUND_BROKEN
from neo4jserver import Server
from neo4jserver.fixtures import KEYED, OF_TESTS

pytestmark = pytest.mark.neo4j

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


@pytest.fixture
def store(empty_neo4j: Server) -> Iterator[Store]:
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        yield store


def run(server: Server, statement: str, **parameters: object) -> list[dict[str, object]]:
    with server.driver() as driver, driver.session() as session:
        return session.run(statement, parameters).data()  # type: ignore[arg-type]


def child(server: Server, *arguments: object) -> subprocess.Popen[str]:
    environment = os.environ | {"NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    command = [sys.executable, neo4j_children.__file__, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


FRIENDS = """
UNWIND [1, 2, 3, 4, 5, 9] AS ssn CREATE (:Person {ssn: ssn})
WITH count(*) AS made
UNWIND [[1, 2], [2, 1], [2, 3], [3, 1], [3, 1], [3, 4], [4, 5], [5, 5]] AS pair
MATCH (a:Person {ssn: pair[0]}), (b:Person {ssn: pair[1]}) CREATE (a)-[:KNOWS]->(b)
"""
OTHERS = """
MATCH (p:Person {ssn: 1}) CREATE (p)-[:KNOWS]->(:Robot {ssn: 1}), (p)-[:LIKES]->(p)
WITH p MATCH (q:Person {ssn: 9}) CREATE (p)-[:LIKES]->(q)
"""


@pytest.fixture
def people(empty_neo4j: Server) -> Server:
    """Directions both ways, parallels, a loop, an isolated node, other labels and types."""
    for statement in (KEYED, FRIENDS, OTHERS):
        run(empty_neo4j, statement)
    return empty_neo4j


def register(store: Store, **changes: object) -> dict[str, object]:
    options = {
        "name": "friends", "node_label": "Person", "relationship_type": "KNOWS", "id_property": "ssn",
        "epsilon_budget": 1, "degree_bound": 4,
    } | changes  # fmt: skip
    return store.register(**options)  # type: ignore[arg-type]


def test_a_graph_that_is_there_is_read_as_one_simple_graph(people: Server, store: Store) -> None:
    assert register(store) == {
        "name": "friends", "node_count": 6, "degree_bound": 4, "epsilon_budget": 1.0, "epsilon_spent": 0.0,
        "exact": {"edge_count": 5, "max_degree": 3},
    }  # fmt: skip
    expected = Graph.from_edges(KITE.node_ids[KITE.edges()], nodes=[1, 2, 3, 4, 5, 9])
    assert store.graph("friends") == expected
    for engine in ("native", "cypher"):
        for metric in ("degree", "density", "ebc", "betweenness2"):
            assert np.allclose(
                store.exact("friends", metric, engine=engine), edgedp.exact.values(expected, metric)
            )
    assert len(store.priv_top_k("friends", metric="ebc", k=2, epsilon=0.1).nodes) == 2


def test_sensitivities_in_cypher_are_those_of_the_other_engines(people: Server, store: Store) -> None:
    register(store)
    graph = store.graph("friends")
    for metric, forms in (
        ("degree", [None]),
        ("density", [None]),
        ("betweenness2", [None]),
        ("ebc", [None, "common_neighbors"]),
    ):
        for form in forms:
            for t in (0, 1, 5):
                found = store.exact_sensitivity("friends", metric, t, form=form, engine="cypher")
                assert np.allclose(found, edgedp.exact.sensitivity(graph, metric, t, form=form)), (
                    metric,
                    form,
                    t,
                )


def test_a_public_property_is_the_title_of_registered_nodes_and_is_kept_with_a_release(
    people: Server, store: Store
) -> None:
    """Read when the list has been drawn; neither what is no text nor what is too long is a title."""
    run(people, "MATCH (p:Person) SET p.name = ['Ada', 7, true, '', 'x'][toInteger(p.ssn) % 5]")
    run(people, "MATCH (p:Person {ssn: 4}) SET p.name = $name", name="y" * 201)
    named = {
        row["id"]: row["name"] for row in run(people, "MATCH (p:Person) RETURN p.ssn AS id, p.name AS name")
    }
    assert register(store, title_property="name")["titles"] is True
    plain = {node: str(name) if name in ("Ada", 7, "x") else None for node, name in named.items()}
    release = store.priv_top_k("friends", metric="degree", k=6, epsilon="0.2", request_id="a")
    assert release.titles == tuple(plain[node] for node in release.nodes)
    assert {"Ada", "7", None} <= set(release.titles)
    (registered,) = (row for row in store.log("friends") if row["event"] == "register")
    assert registered["details"]["titleProperty"] == "name"
    run(people, "MATCH (p:Person) SET p.name = 'other'")
    assert (
        store.priv_top_k("friends", metric="degree", k=6, epsilon="0.2", request_id="a").titles
        == release.titles
    )
    assert set(store.priv_top_k("friends", metric="degree", k=6, epsilon="0.2").titles or ()) == {"other"}
    with pytest.raises(ParameterError, match="the public title of the nodes"):
        store.attribute("friends", "name", 0, 9)
    assert store.check("friends") == []
    run(people, "MATCH (g:EdgeDPStoredGraph {name: 'friends'}) SET g.titleProperty = 'ssn'")
    spent = store.budget("friends")["epsilon_spent"]
    with pytest.raises(StoreError):
        store.priv_top_k("friends", metric="degree", k=1, epsilon="0.1")
    assert store.budget("friends")["epsilon_spent"] == spent


def test_a_private_property_is_no_title(people: Server, store: Store) -> None:
    register(store)
    store.attribute("friends", "age", 0, 9)
    store.drop("friends")
    with pytest.raises(
        ParameterError, match="title_property is 'age', which is declared as a private property"
    ):
        register(store, title_property="age")


def test_a_loaded_graph_keeps_its_titles_as_a_property(store: Store) -> None:
    graph = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4)], nodes=range(1, 7), properties={
        "name": ["Ada", None, "Bob", 4, "", "Eve"], "age": list(range(6)),
    })  # fmt: skip
    store.load(graph, "named", epsilon_budget=1, title="name")
    release = store.priv_top_k("named", "degree", 6, "0.5")
    assert dict(zip(release.nodes, release.titles or (), strict=True)) == {
        1: "Ada", 2: None, 3: "Bob", 4: "4", 5: None, 6: "Eve",
    }  # fmt: skip
    with pytest.raises(ParameterError, match="the public title of the nodes"):
        store.attribute("named", "name", 0, 9)
    store.load(graph, "named", replace=True, epsilon_budget=1)
    assert store.priv_top_k("named", "degree", 1, "0.1").titles is None


def test_dropping_and_registering_again_keeps_what_was_spent(people: Server, store: Store) -> None:
    register(store)
    store.priv_top_k("friends", metric="degree", k=1, epsilon=0.75)
    store.drop("friends")
    assert run(people, "MATCH (p:Person) RETURN count(p) AS n") == [{"n": 6}]
    register(store)
    assert store.budget("friends")["epsilon_remaining"] == 0.25
    store.drop("friends")
    store.register("pals", "Person", "KNOWS", "ssn")
    with pytest.raises(
        BudgetError, match=r"at most what is left of the budget of the account 'friends', 0\.25"
    ):
        store.priv_top_k("pals", metric="degree", k=1, epsilon=0.75)


def test_a_second_name_for_the_same_relationships_has_their_account_whatever_the_label(
    people: Server, store: Store
) -> None:
    run(people, "MATCH (p:Person) SET p:Human")
    register(store)
    for label in ("Person", "Human"):
        with pytest.raises(BudgetError, match="has an account already"):
            store.register(f"pals {label}", label, "KNOWS", "ssn", epsilon_budget=7)
        store.register(f"pals {label}", label, "KNOWS", "ssn")
        store.priv_top_k(f"pals {label}", metric="degree", k=1, epsilon="0.25")
    assert store.budget("friends")["epsilon_spent"] == 0.5
    with pytest.raises(StoreError, match="is stored already"):
        register(store)


def test_a_loaded_graph_has_one_ledger_too(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1, node_label="Loaded", relationship_type="STRING")
    with store._backend.session() as session:
        assert session.run("node_count", {"candidate_label": "Loaded"}) == [{"nodes": 5}]
    with pytest.raises(StoreError, match="must not be that of a loaded graph"):
        store.register("again", "Loaded", "STRING", "id", epsilon_budget=1)


@pytest.mark.parametrize(
    ("prepare", "changes", "says"),
    [
        ("RETURN 1", {"node_label": "Persn"}, "no node has the label"),
        ("MATCH (p:Person {ssn: 9}) REMOVE p.ssn", {}, "which 1 of 6 nodes lack"),
        ("MATCH (p:Person {ssn: 9}) SET p.ssn = 'nine'", {}, "integers or texts"),
        ("MATCH (p:Person) SET p.code = 3", {"id_property": "code"}, "two nodes share a value"),
        ("MATCH (p:Person) SET p.code = p.ssn", {"id_property": "code"}, "CREATE CONSTRAINT FOR (n:`Person`)"),
        ("RETURN 1", {"relationship_type": "KNOWZ"}, "joins two nodes labelled"),
        ("RETURN 1", {"allow_empty": 1}, "must be true or false"),
        ("RETURN 1", {"degree_bound": 2}, "at least the graph's largest degree, 3"),
        ("RETURN 1", {"node_label": ""}, "non-empty text"),
        ("RETURN 1", {"relationship_type": "A\nB"}, "printable"),
        ("RETURN 1", {"epsilon_budget": -1}, "greater than 0"),
        ("RETURN 1", {"degree_bound": -1}, "0 or more"),
    ],
)  # fmt: skip
def test_what_cannot_be_registered_is_refused(
    people: Server, store: Store, prepare: str, changes: dict[str, object], says: str
) -> None:
    run(people, prepare)
    with pytest.raises(EdgeDPError) as refused:
        register(store, **changes)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)
    assert store.graphs() == []


def test_odd_names_are_quoted_and_never_injected(empty_neo4j: Server, store: Store) -> None:
    label, kind, key = "Odd `label` \\u0060 ☃ {{x}}", "TY`PE) DETACH DELETE n //", "the `id` $nodes"
    tick = lambda text: "`" + text.replace("\\u0060", "`").replace("`", "``") + "`"  # noqa: E731
    assert f"FOR (n:{tick(label)}) REQUIRE n.{tick(key)} IS UNIQUE" in OF_TESTS["odd_of_tests"]
    run(
        empty_neo4j,
        f"CREATE (a:{tick(label)} {{{tick(key)}: 1}})-[:{tick(kind)}]->(b:{tick(label)} {{{tick(key)}: 2}})",
    )
    label = label.replace("\\u0060", "`")
    store.register("odd", label, kind, key, epsilon_budget=1)
    assert store.graph("odd") == Graph.from_edges([(1, 2)])
    assert store.exact("odd", "degree", engine="cypher").tolist() == [1, 1]
    assert run(empty_neo4j, "MATCH (n) RETURN count(n) > 1 AS whole") == [{"whole": True}]


def test_edges_at_an_address_have_one_ledger_in_neo4j_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark, which would read them, is not asked."""
    monkeypatch.setattr(session, "check_installed", lambda: None)
    monkeypatch.setattr(sources, "detected", lambda place: place)
    monkeypatch.setattr(sources, "surveyed", lambda *_: Figures(5, 4, 3, 0))
    row = store.register_edges("lake", "s3a://lake/e", epsilon_budget=3, degree_bound=4, engine="spark")
    assert (row["node_count"], row["exact"]) == (5, {"edge_count": 4, "max_degree": 3})
    assert [each["name"] for each in store.graphs()] == ["lake"]
    for other in ("s3://LAKE/e/month=1", "s3a://lake"):
        with pytest.raises(StoreError, match="under the name 'lake'"):
            store.register_edges("pond", other, epsilon_budget=1, engine="spark")
    store.register_edges("gulf", "gs://gulf/e", epsilon_budget=1, engine="spark")
    with monkeypatch.context() as quicker:  # somebody else was quicker than the first look
        quicker.setattr(addressed, "_ledgers", lambda *_: [])
        for other in ("gcs://GULF/e/a", "s3n://lake"):
            with pytest.raises(StoreError, match=r"under the name '(gulf|lake)'"):
                store.register_edges("pond", other, epsilon_budget=1, engine="spark")
        quicker.setattr(Neo4jSession, "_apart", lambda *_: ["s3a://lake/e"])
        with pytest.raises(StoreError, match="at the same time; register again"):
            store.register_edges("pond", "s3a://pond/e", epsilon_budget=1, engine="spark")
    store.register_edges("pond", "s3a://pond/e", epsilon_budget=1, engine="spark")
    store.drop("pond")
    store.drop("lake")
    with pytest.raises(StoreError, match="under the name 'lake'"):
        store.register_edges("again", "s3://lake/e", epsilon_budget=1, engine="spark")
    assert store.check() == []


def test_a_live_graph_that_breaks_its_bound_is_refused_after_the_debit(people: Server, store: Store) -> None:
    register(store, degree_bound=3)
    run(people, "MATCH (a:Person {ssn: 3}), (b:Person {ssn: 9}) CREATE (a)-[:KNOWS]->(b)")
    for engine in ("native", "igraph"):
        with pytest.raises(ParameterError) as refused:
            store.priv_top_k("friends", metric="ebc", k=1, epsilon=0.25, mechanism="sld", engine=engine)
        assert str(refused.value) == BOUND_BROKEN
    assert store.budget("friends")["epsilon_spent"] == 0.5


def test_a_live_graph_may_grow_nodes(people: Server, store: Store) -> None:
    register(store)
    run(people, "UNWIND range(100, 120) AS ssn CREATE (:Person {ssn: ssn})")
    release = store.priv_top_k("friends", metric="degree", k=27, epsilon=0.5)
    assert len(set(release.nodes)) == 27
    assert release.public["node_count"] == 27


def test_eight_clients_get_exactly_twenty_releases(empty_neo4j: Server, store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=0.2)
    children = [child(empty_neo4j, "compete", empty_neo4j.uri, 4, 4, "0.01") for _ in range(2)]
    assert sum(int(process.communicate(timeout=590)[0]) for process in children) == 20
    assert store.budget("kite") == {
        "epsilon_budget": 0.2, "epsilon_spent": 0.2, "epsilon_remaining": 0.0, "releases": 20
    }  # fmt: skip


@pytest.mark.parametrize("statement", ["load_begin", "load_constraint", "load_nodes", "load_edges"])
def test_a_kill_in_a_load_leaves_the_old_graph_and_is_cleared_by_the_next(
    empty_neo4j: Server, store: Store, statement: str
) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    process = child(empty_neo4j, "die_in_load", empty_neo4j.uri, statement)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    assert store.graph("kite") == KITE
    store.load(Graph.from_edges([(30, 40)]), "kite", replace=True)
    assert store.graph("kite").node_ids.tolist() == [30, 40]
    assert run(empty_neo4j, "MATCH (n:Node) RETURN count(n) AS n") == [{"n": 2}]
    assert run(empty_neo4j, "MATCH (v:EdgeDPVersion) RETURN v.current AS current") == [{"current": True}]
    assert constraints(empty_neo4j) == 0, "that of the dead load is gone"


def constraints(server: Server) -> int:
    """Count the constraints of loaded graphs."""
    named = (
        "SHOW CONSTRAINTS YIELD name, properties WHERE properties = ['id'] AND name <> 'edgedp_session' "
        "AND NOT name ENDS WITH '_of_tests' RETURN count(name) AS n"
    )
    found: int = run(server, named)[0]["n"]  # type: ignore[assignment]
    return found


def test_a_load_that_somebody_else_clears_stops_in_one_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Neo4jSession._write

    def overtaken(self: Neo4jSession, row: object, graph: Graph, progress: object) -> None:
        write(self, row, graph, progress)  # type: ignore[arg-type]
        with store._backend.session() as other:
            other.sweep("kite")

    monkeypatch.setattr(Neo4jSession, "_write", overtaken)
    with pytest.raises(StoreError, match="somebody else loads"):
        store.load(KITE, "kite")
    assert store.graphs() == []


def test_no_server_a_wrong_password_a_wrong_database(empty_neo4j: Server, store: Store) -> None:
    store.load(KITE, "kite")
    cases = [
        (
            open_store("neo4j://127.0.0.1:1", auth=("neo4j", "s3cret")),
            StoreUnavailableError,
            "does not answer",
        ),
        (
            open_store(empty_neo4j.uri, auth=("neo4j", "s3cret")),
            StoreError,
            "refuses the user or the password",
        ),
        (
            open_store(empty_neo4j.uri, auth=empty_neo4j.auth, database="nope"),
            StoreError,
            "database is 'nope'",
        ),
    ]
    for broken, kind, says in cases:
        with broken, pytest.raises(kind, match=says) as refused:
            broken.graphs()
        assert "s3cret" not in str(refused.value)
        assert empty_neo4j.password not in str(refused.value)
    with pytest.raises(ParameterError, match="holds a user or password") as told:
        open_store("neo4j://me:s3cret@localhost:7687", auth=("a", "b"))
    assert "s3cret" not in str(told.value)


def test_credentials_come_from_the_environment(empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", empty_neo4j.user)
    monkeypatch.setenv("NEO4J_PASSWORD", empty_neo4j.password)
    monkeypatch.setenv("NEO4J_DATABASE", "neo4j")
    with open_store(empty_neo4j.uri) as store:
        assert store.graphs() == []
    monkeypatch.setenv("NEO4J_DATABASE", "other")
    with open_store(empty_neo4j.uri) as store, pytest.raises(StoreError, match="database is 'other'"):
        store.graphs()


def test_no_retry_of_the_driver_debits_twice(empty_neo4j: Server, store: Store) -> None:
    """The ledger uses explicit transactions, which the driver never repeats; a lost commit is said to be one."""
    from neo4j.exceptions import IncompleteCommit

    from edgedp.stores.neo4j.errors import one_line_errors

    with (
        pytest.raises(StoreUnavailableError, match="budget may have been spent"),
        one_line_errors("neo4j://x", None),
    ):
        raise IncompleteCommit("connection lost")
    store.load(KITE, "kite", epsilon_budget=1)
    for _ in range(2):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.25, request_id="same")
    assert store.budget("kite")["releases"] == 1


def test_the_newest_neo4j_serves_as_well(any_neo4j_server: Server) -> None:
    any_neo4j_server.wipe()
    with open_store(any_neo4j_server.uri, auth=any_neo4j_server.auth) as store:
        store.load(KITE, "kite", epsilon_budget=1)
        assert store.graph("kite") == KITE
        assert np.allclose(store.exact("kite", "ebc", engine="cypher"), edgedp.exact.ebc(KITE))
        assert len(store.priv_top_k("kite", metric="ebc", k=2, epsilon=1).nodes) == 2
        with pytest.raises(BudgetError):
            store.priv_top_k("kite", metric="ebc", k=2, epsilon=1)


def test_the_engine_is_checked_before_the_debit(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    with pytest.raises(EngineError, match="must be native or igraph for a release"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.5, engine="cypher")
    assert store.budget("kite")["releases"] == 0


def test_a_metric_that_cypher_cannot_say_is_refused_by_that_engine_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its statement is optional; an exact read that is refused is not in the log."""
    monkeypatch.setattr(Neo4jBackend, "cypher", Neo4jBackend.cypher - {"density", "sensitivity_density"})
    store.load(KITE, "kite", epsilon_budget=9)
    rows = len(store.log("kite"))
    for refused in (
        lambda: store.exact("kite", "density", engine="cypher"),
        lambda: store.exact("kite", "density", nodes=[1], engine="cypher"),
    ):
        with pytest.raises(EngineError, match="must be 'native' or 'igraph' for density in this store"):
            refused()
    assert len(store.log("kite")) == rows
    assert np.allclose(store.exact("kite", "density"), edgedp.exact.density(KITE))
    found = store.exact_sensitivity("kite", "density", 1, engine="cypher")
    assert np.allclose(found, edgedp.exact.sensitivity(KITE, "density", 1))
    assert len(store.priv_top_k("kite", "density", 1, 1).nodes) == 1
    assert store.count("kite", "density", 1, node=1).value is not None


def test_every_row_of_the_registry_is_a_graph_row(store: Store) -> None:
    from edgedp.ledger import registry
    from edgedp.ledger.rows import GraphRow

    store.load(KITE, "kite", degree_bound=7)
    with store._backend.session() as session:
        row = registry.known(session, "kite")
    assert {field.name for field in dataclasses.fields(GraphRow)} <= set(vars(row))
    assert row.degree_bound == 7


def test_two_registrations_of_one_type_at_the_same_time_cannot_both_be_written(
    people: Server, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both looked before either wrote: the transaction looks again, and a constraint stands behind it."""
    from edgedp.ledger import sources

    register(store)
    monkeypatch.setattr(
        sources, "resolved", lambda name, kinds, *_: sources.Sources(name, {}, {"KNOWS": name})
    )
    with pytest.raises(StoreError, match="got the account 'friends' meanwhile"):
        register(store, name="pals")
    monkeypatch.setattr(Neo4jSession, "guards", lambda *_: [])
    with pytest.raises(StoreError, match="taken by somebody else meanwhile"):
        register(store, name="pals")
    assert [row["name"] for row in store.graphs()] == ["friends"]


def test_a_loaded_graph_keeps_its_directions(store: Store) -> None:
    """Arcs are written as they go, one relationship each, and read back with them; accounts may protect sources."""
    graph = Graph.from_edges([(1, 2), (2, 1), (3, 1), (3, 2), (4, 1), (5, 1)], directed=True)
    row = store.load(graph, "arcs", epsilon_budget=200, protect="source")
    assert row["directed"] is True
    assert "projection" not in row
    assert store.graph("arcs") == graph
    release = store.priv_top_k("arcs", "in_degree", 1, 50, mechanism="joint", cap=1)
    assert release.public["orientation"] == "directed"
    assert "projection" not in release.public
    assert store.priv_top_k("arcs", "in_degree", 1, 90).nodes == [1]
    with pytest.raises(ParameterError, match="protect is 'source'"):
        store.priv_top_k("arcs", "degree", 1, 1)
    assert store.budget("arcs")["epsilon_spent"] == 140
    store.load(graph, "arcs", replace=True)
    assert store.budget("arcs")["protect"] == "source"
    assert store.check("arcs") == []
    with pytest.raises(ParameterError, match="graph with directions"):
        store.load(KITE, "arcs", replace=True)
    store.load(KITE, "kite", epsilon_budget=1)
    with pytest.raises(ParameterError, match="whose directions were kept"):
        store.priv_top_k("kite", "in_degree", 1, 1)


# What changes a schema comes last: the server plans every statement anew after it.
def test_a_graph_of_few_nodes_changes_no_schema_and_a_larger_one_has_unique_ids(
    empty_neo4j: Server, store: Store
) -> None:
    """A change of schema throws away the plans of every program that asks this server."""
    for loads, (nodes, found) in enumerate([(500, 0), (501, 1), (2, 0)]):
        path = Graph.from_edges([(i, i + 1) for i in range(nodes - 1)])
        store.load(path, "path", epsilon_budget=1, replace=loads > 0)
        assert store.graph("path") == path
        assert constraints(empty_neo4j) == found
    store.drop("path")
    assert constraints(empty_neo4j) == 0


def test_a_constraint_that_an_earlier_version_made_goes_with_its_graph(
    empty_neo4j: Server, store: Store
) -> None:
    """Every graph had one before, and its version says so."""
    store.load(KITE, "kite", epsilon_budget=1)
    label = run(empty_neo4j, "MATCH (v:EdgeDPVersion) RETURN v.nodeLabel AS label")[0]["label"]
    run(empty_neo4j, f"CREATE CONSTRAINT edgedp_7 FOR (n:`{label}`) REQUIRE n.id IS UNIQUE")
    run(empty_neo4j, "MATCH (v:EdgeDPVersion) SET v.constraintName = 'edgedp_7'")
    store.load(Graph.from_edges([(30, 40)]), "kite", replace=True)
    assert constraints(empty_neo4j) == 0
