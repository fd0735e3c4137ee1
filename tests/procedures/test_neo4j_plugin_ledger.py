"""A ledger in Neo4j, where any user may edit a row: whatever one edit is, nothing is released by any way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import neo4j
from edgedp import EdgeDPError, ParameterError, Store, StoreError, open_store
from edgedp.faces.worker.wording import in_cypher
from edgedp.stores.neo4j.schema import constraints
from edgedp.stores.statements.queries import query, quote_identifier
from neo4jserver import Server
from neo4jserver.fixtures import KEYED, empty
from plugin_fixtures import PluginServer


def asked(store: Store) -> Any:
    return store.priv_top_k("kite", "degree", 1, 0.25)


CYPHER = {
    "budget": "a.budget = 10 * a.budget, a.declared = 10 * a.declared",
    "budget alone": "a.budget = 10 * a.budget",
    "limit": "a.maxPerRelease = null",
    "delta": "a.delta = 1000000000000",
    "type": "a.relationshipType = null",
    "other type": "a.relationshipType = 'OTHER'",
    "terms": "a.terms = ''",
    "no terms": "a.terms = null",
    "spent as text": "a.spent = '0'",
    "nothing spent": "a.spent = null",
    "entries": "a.entries = a.entries - 1",
    "spent": "a.spent = a.spent - 1",
}
"""Edits of an account by name: each first one for every run, each second one for a version."""
MADE = """
UNWIND [[1, 2], [2, 3], [3, 1], [3, 4], [4, 5]] AS ends
MERGE (a:Person {ssn: ends[0]}) MERGE (b:Person {ssn: ends[1]}) CREATE (a)-[:KNOWS]->(b) CREATE (a)-[:CALLS]->(b)
"""


@pytest.fixture
def people(neo4j_with_plugin: PluginServer) -> Server:
    server = neo4j_with_plugin.server
    empty(server)
    for statement in (KEYED, MADE):
        cypher(server, statement)
    return server


@pytest.fixture
def shared(people: Server) -> Iterator[Store]:
    with open_store(people.uri, auth=people.auth) as store:
        register(store, "kite")
        asked(store)
        yield store


def cypher(server: Server, statement: str, **parameters: Any) -> list[dict[str, Any]]:
    with server.driver(notifications_min_severity="OFF") as driver, driver.session() as session:
        return session.run(statement, parameters).data()  # type: ignore[arg-type]


def register(store: Store, name: str, kind: str = "KNOWS") -> Any:
    return store.register(name, "Person", kind, "ssn", epsilon_budget=2, max_epsilon_per_release=1)


def by_procedure(server: Server) -> list[dict[str, Any]]:
    return cypher(server, "CALL edgedp.privTopk.stream('kite', {metric: 'degree', k: 1, epsilon: 0.25})")


@pytest.mark.parametrize("part", [0, 1], ids=["one", "other"])
def test_an_edited_account_in_neo4j_releases_nothing_by_any_way_and_a_drop_heals_it(
    people: Server, shared: Store, part: int
) -> None:
    spent = 0.25
    (before,) = cypher(people, "MATCH (a:EdgeDPAccount {name: 'kite'}) RETURN properties(a) AS kept")
    for at, (name, change) in enumerate(list(CYPHER.items())[part::2]):
        cypher(people, f"MATCH (a:EdgeDPAccount {{name: 'kite'}}) SET {change}")
        with pytest.raises(StoreError, match="does not add up; run 'edgedp ledger check kite'"):
            asked(shared)
        with pytest.raises(neo4j.exceptions.ClientError, match="does not add up"):
            by_procedure(people)
        problems = [row["problem"] for row in shared.check()]
        assert any("the account" in problem for problem in problems), name
        assert "run 'edgedp drop kite'" in problems[-1]
        (checked,) = cypher(people, "CALL edgedp.graph.check('kite')")
        assert checked["problems"] == [in_cypher(problem) for problem in problems]
        if at % 3:  # taken back; else healed
            cypher(people, "MATCH (a:EdgeDPAccount {name: 'kite'}) SET a = $kept", **before)
            continue
        shared.drop("kite")
        assert shared.check() == [], name
        register(shared, "kite")
        assert shared.budget("kite")["epsilon_spent"] == spent, name
        (before,) = cypher(people, "MATCH (a:EdgeDPAccount {name: 'kite'}) RETURN properties(a) AS kept")


def test_an_edited_row_of_the_registry_in_neo4j_releases_nothing(people: Server, shared: Store) -> None:
    for change in ("g.relationshipType = 'CALLS'", "g.degreeBound = 3", "g.nodesSupplied = false"):
        cypher(people, f"MATCH (g:EdgeDPStoredGraph {{name: 'kite'}}) SET {change}")
        with pytest.raises(StoreError, match="does not add up"):
            asked(shared)
        with pytest.raises(neo4j.exceptions.ClientError, match="does not add up"):
            by_procedure(people)
        assert any("the registry names other edges" in row["problem"] for row in shared.check("kite"))
        shared.drop("kite")
        register(shared, "kite")
    asked(shared)


LOST = {
    "account": "MATCH (n:EdgeDPAccount {name: 'kite'}) DETACH DELETE n",
    "type of the account": "MATCH (n:EdgeDPAccount {name: 'kite'}) REMOVE n.relationshipType",
    "name of the account": "MATCH (n:EdgeDPAccount {name: 'kite'}) SET n.name = 'x'",
    "account and registry": "MATCH (n:EdgeDPAccount|EdgeDPStoredGraph {name: 'kite'}) DETACH DELETE n",
    "account and log": "MATCH (n:EdgeDPAccount|EdgeDPEntry {name: 'kite'}) DETACH DELETE n",
}


@pytest.mark.parametrize("lost", LOST)
def test_relationships_never_get_a_second_empty_budget(people: Server, shared: Store, lost: str) -> None:
    cypher(people, LOST[lost])
    with pytest.raises(
        StoreError, match=r"the budget of the relationship type 'KNOWS' is kept under the name"
    ) as said:
        register(shared, "second")
    with pytest.raises(neo4j.exceptions.ClientError, match="is kept under the name"):
        cypher(
            people,
            "CALL edgedp.graph.register('second', {nodeLabel: 'Person', relationshipType: 'KNOWS', idProperty: 'ssn',"
            " epsilonBudget: 2})",
        )
    with pytest.raises(EdgeDPError):
        asked(shared)
    assert shared.check()
    if "account" in lost:
        assert "edgedp drop kite" in str(said.value) or lost == "name of the account"
    if lost in ("account", "type of the account", "account and registry"):
        if lost != "account and registry":
            shared.drop("kite")
        register(shared, "kite")
        assert shared.budget("kite")["epsilon_spent"] == 0.25
        asked(shared)
        assert shared.check() == []


REGISTERED = (
    "CALL edgedp.graph.register('second', "
    "{nodeLabel: $label, relationshipType: $type, idProperty: 'ssn', epsilonBudget: 2})"
)


@pytest.mark.parametrize(("label", "kind"), [("Person", r"KNOW\u0053"), (r"Pers\u006fn", r"\u0043ALLS")])
def test_one_type_has_no_second_spelling(people: Server, shared: Store, label: str, kind: str) -> None:
    with pytest.raises(ParameterError, match=r"holds \\u.*, which a statement reads as the character '."):
        shared.register("second", label, kind, "ssn", epsilon_budget=2)
    with pytest.raises(neo4j.exceptions.ClientError, match="which a statement reads as the character"):
        cypher(people, REGISTERED, label=label, type=kind)
    assert [row["name"] for row in shared.graphs()] == ["kite"]


def test_what_was_registered_under_a_second_spelling_keeps_its_relationships(
    people: Server, shared: Store
) -> None:
    cypher(
        people,
        "MATCH (n:EdgeDPAccount|EdgeDPStoredGraph|EdgeDPEntry {name: 'kite'}) SET n.relationshipType = $type",
        type=r"\u004bNOWS",
    )
    with pytest.raises(StoreError, match="the account 'kite' is for a relationship type"):
        register(shared, "second")
    with pytest.raises(neo4j.exceptions.ClientError, match="the account 'kite' is for a relationship type"):
        cypher(people, REGISTERED, label="Person", type="KNOWS")


def test_the_server_reads_every_name_as_it_is(people: Server) -> None:
    parts = ("\\", "u", r"\u0060", r"\u005c", "`", "0053", "'", '"', r"\n", "|", " ")
    names = ["".join(each) for each in itertools.product(parts, repeat=3)]
    quoted = ", ".join(f"{quote_identifier(each)}: 0" for each in names)
    assert set(cypher(people, f"RETURN {{{quoted}}} AS read")[0]["read"]) == set(names)


def test_a_lost_account_is_named_by_the_check_of_the_whole_store(people: Server, shared: Store) -> None:
    cypher(people, LOST["account"])
    (found,) = shared.check()
    assert found["graph"] == "kite"
    assert found["problem"].startswith("the account of 'kite' is gone; run 'edgedp drop kite'")
    with pytest.raises(StoreError, match="the account of 'kite' is gone"):
        asked(shared)
    with pytest.raises(neo4j.exceptions.ClientError, match=r"is gone; run CALL edgedp.graph.drop\('kite'\)"):
        by_procedure(people)
    cypher(people, "MATCH (n:EdgeDPStoredGraph) DELETE n")
    assert [row["graph"] for row in shared.check()] == ["kite"], "its log is there"


def test_a_broken_account_is_shown_as_broken_and_hides_and_hinders_no_other(
    people: Server, shared: Store
) -> None:
    cypher(people, "MATCH (a:EdgeDPAccount {name: 'kite'}) SET a.spent = '0'")
    register(shared, "calls", "CALLS")
    rows = {row["name"]: row for row in shared.graphs()}
    assert rows["calls"]["epsilon_budget"] == 2
    assert rows["kite"]["epsilon_spent"] is None
    assert "does not add up" in rows["kite"]["problem"]
    listed = {row["name"]: row for row in cypher(people, "CALL edgedp.graph.list()")}
    assert listed["calls"]["problem"] is None
    assert "edgedp.graph.check" in listed["kite"]["problem"]
    assert asked_of(shared, "calls")
    shared.drop("calls")
    cypher(people, "CALL edgedp.graph.drop('kite')")
    assert shared.check() == []


@pytest.mark.parametrize(
    "edit",
    [
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) SET g.nodeLabel = 7",
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) SET g.nodeLabel = ['Person']",
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) SET g.nodeCount = 'many'",
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) SET g.degreeBound = 'few'",
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) SET g.projection = 7",
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) SET g.projection = '{'",
        "MATCH (g:EdgeDPStoredGraph {name: 'kite'}) REMOVE g.nodeLabel",
        "MATCH (a:EdgeDPAccount {name: 'kite'}) SET a.relationshipType = 7",
        "MATCH (a:EdgeDPAccount {name: 'kite'}) SET a.relationshipType = ['KNOWS']",
    ],
)
def test_a_row_of_other_types_hides_and_hinders_no_other(people: Server, shared: Store, edit: str) -> None:
    cypher(people, edit)
    register(shared, "calls", "CALLS")
    rows = {row["name"]: row for row in shared.graphs()}
    assert rows["calls"]["epsilon_budget"] == 2
    assert "problem" not in rows["calls"]
    if "StoredGraph" in edit:
        assert "somebody edited it" in rows["kite"]["problem"]
    assert {"calls", "kite"} <= {row["name"] for row in cypher(people, "CALL edgedp.graph.list()")}
    assert asked_of(shared, "calls")
    with pytest.raises(EdgeDPError):
        asked_of(shared, "kite")
    (spent,) = cypher(people, "MATCH (a:EdgeDPAccount {name: 'kite'}) RETURN a.spent AS nano")
    assert spent["nano"] == charged(people)
    shared.drop("calls")


def charged(people: Server) -> int:
    """Return what the log says that was spent."""
    (row,) = cypher(people, "MATCH (e:EdgeDPEntry {name: 'kite'}) RETURN sum(coalesce(e.charge, 0)) AS nano")
    return int(row["nano"])


def asked_of(store: Store, name: str) -> list[Any]:
    return list(store.priv_top_k(name, "degree", 1, 0.25).nodes)


def test_a_debit_reads_as_much_of_a_long_log_as_of_a_short_one(people: Server, shared: Store) -> None:
    def hits(statement: str) -> int:
        text = "PROFILE " + query("neo4j", statement)
        with people.driver(notifications_min_severity="OFF") as driver, driver.session() as session:
            result = session.run(text, name="kite", analyst="ann", account="edges", terms="")  # type: ignore[arg-type]
            return _hits(result.consume().profile)

    shared.add_analyst("ann")
    shared.grant("kite", "ann", epsilon_budget=1)
    ann = shared.asking_as("ann")
    read = {}
    for releases in (1, 3):
        while len(ann.releases("kite")) < releases:
            ann.priv_top_k("kite", "degree", 1, 0.1)
        read[releases] = [  # at the first of them a plan may be made anew, which looks at more
            min(hits(each) for _ in range(3))
            for each in ("account_adds_up", "share_adds_up", "account_terms")
        ]
    assert read[1] == read[3]


def _hits(plan: Any) -> int:
    return int(plan.get("dbHits", 0)) + sum(map(_hits, plan.get("children", [])))


def test_constraints_that_somebody_dropped_are_made_again_or_nothing_is_released(
    people: Server, shared: Store
) -> None:
    names = [
        row["name"] for row in cypher(people, "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'edgedp_'")
    ]
    assert set(names) >= set(constraints())

    def drop(dropped: list[str]) -> None:
        for name in dropped:
            cypher(people, f"DROP CONSTRAINT {name}")

    def there() -> set[str]:
        return {row["name"] for row in cypher(people, "SHOW CONSTRAINTS YIELD name")}

    drop(names)
    with pytest.raises(neo4j.exceptions.ClientError, match="constraints of edgedp's ledgers are missing"):
        by_procedure(people)
    cypher(people, "CALL edgedp.graph.migrate()")
    assert there() >= set(names)
    by_procedure(people)
    drop(names[:1])
    with open_store(people.uri, auth=people.auth) as another:
        another.graphs()
    assert there() >= set(names)
    drop(names[1:2])
    asked(shared)
    assert there() >= set(names), "a store that was open before makes them again"
    drop([name for name in names if "account" in name])
    cypher(people, "MATCH (a:EdgeDPAccount {name: 'kite'}) CREATE (b:EdgeDPAccount) SET b = properties(a)")
    with pytest.raises(StoreError):
        asked(shared)
