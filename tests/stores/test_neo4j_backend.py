"""The Neo4j backend without a server: what it runs, in which order, and what it makes of rows and errors."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import neo4j
from edgedp import EdgeDPError, Graph, ParameterError, Store, StoreError, StoreUnavailableError
from edgedp.ledger.rows import AT_ADDRESS, GraphRow
from edgedp.stores.neo4j import places
from edgedp.stores.neo4j import schema as neo4j_schema
from edgedp.stores.neo4j import session as neo4j_session
from edgedp.stores.neo4j.backend import Neo4jBackend
from edgedp.stores.statements.queries import statement_text
from edgedp.words.refusals import IDS_BROKEN
from fake_neo4j import FakeDriver

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
CURRENT = {"schema_version": [{"version": neo4j_schema.SCHEMA_VERSION}], "schema_old": [{"old": False}]}
ROW = {
    "name": "people", "version": 11, "nodeLabel": "Person", "relationshipType": "KNOWS", "idProperty": "ssn",
    "nodeCount": 3, "degreeBound": 4, "nodesSupplied": True, "loaded": False, "digest": None,
}  # fmt: skip
SURVEY = {
    "nodes": 3,
    "identified": 3,
    "distinctIds": 3,
    "empty": 0,
    "types": ["INTEGER NOT NULL"],
    "ours": 0,
    "candidates": 3,
}
ACCOUNT = {
    "name": "people", "delta": None, "declared": 10**9, "budget": 10**9, "spent": 0, "maxPerRelease": None,
    "relationshipType": "KNOWS", "entries": 2,
}  # fmt: skip
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 0.5}


def backend(driver: FakeDriver) -> Neo4jBackend:
    return Neo4jBackend(driver, "neo4j://fake", None, 60.0)


def stored(**answers: Any) -> tuple[Store, FakeDriver]:
    """Return a store that holds the registered graph ``people``."""
    adjacency = [{"id": 1, "neighbors": [2, 3]}, {"id": 2, "neighbors": []}, {"id": 3, "neighbors": [2]}]
    driver = FakeDriver(
        CURRENT
        | {
            "graph_find": [ROW],
            "graph_current": [{"name": "people"}],
            "node_count": [{"nodes": 3}],
            "survey": [SURVEY],
            "account_find": [ACCOUNT],
            "account_lock": [{"name": "people"}],
            "account_adds_up": [ACCOUNT],
            "account_next": [{"entries": 3}],
            "account_debit": [ACCOUNT | {"spent": 5 * 10**8, "charge": 5 * 10**8}],
            "log_debit": [{"seq": 3}],
            "log_answer": [{"seq": 4}],
            "log_append": [{"seq": 3}],
            "adjacency": adjacency,
            "database_access": [{"access": "read-write"}],
            "secret_find": [{"secret": "00"}],
        }
        | answers
    )
    return Store(backend(driver)), driver


def test_a_release_debits_commits_reads_once_records_and_is_shown() -> None:
    store, driver = stored()
    release = store.priv_top_k("people", **ASKED)
    assert release.nodes[0] in (1, 2, 3)
    ran = driver.statements
    assert ran.index("survey") < ran.index("account_lock")
    first = ran.index("commit")
    assert {"account_adds_up", "account_debit", "log_debit", "lease_put"} <= set(ran[:first])
    assert "adjacency" not in ran[:first], "no edge is read before the debit is committed"
    assert ran.count("adjacency") == 1, "what a draw needs comes from one reading"
    assert ran.index("adjacency") < ran.index("log_answer") < len(ran) - 1 - ran[::-1].index("commit")
    assert not set(ran) & {"degree", "ebc", "density"}
    (body,) = (parameters["body"] for stem, parameters in driver.ran if stem == "log_answer")
    assert body == f'{{"nodes": [{release.nodes[0]}]}}'


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"survey": [SURVEY | {"identified": 2}]}, "has no id, shares its id"),
        ({"survey": [SURVEY | {"distinctIds": 2}]}, "has no id, shares its id"),
        ({"survey": [SURVEY | {"types": ["INTEGER NOT NULL", "STRING NOT NULL"]}]}, "has one of another type"),
        ({"survey": [SURVEY | {"ours": 1}]}, "carries a label of edgedp's own"),
        ({"survey": [SURVEY | {"nodes": 4, "candidates": 4}]}, "are not those that were loaded"),
        ({"graph_find": [ROW | {"nodeLabel": "EdgeDPAccount"}]}, "somebody edited it"),
        ({"graph_find": [ROW | {"relationshipType": "EdgeDP_x"}]}, "somebody edited it"),
        ({"graph_find": [ROW | {"loaded": True}]}, "somebody edited it"),
        ({"account_adds_up": []}, "does not add up"),
        ({"graph_current": []}, "changed since the release was planned"),
        ({"account_debit": []}, "what is left of the budget"),
    ],
)  # fmt: skip
def test_what_public_facts_refuse_commits_nothing_and_reads_no_edge(
    broken: dict[str, Any], says: str
) -> None:
    store, driver = stored(**broken)
    with pytest.raises(EdgeDPError, match=says):
        store.priv_top_k("people", **(ASKED | {"epsilon": 0.75}))
    assert not {"commit", "adjacency", "lease_put"} & set(driver.statements)


def test_cypher_is_refused_for_a_release_before_anything_is_asked() -> None:
    store, driver = stored()
    with pytest.raises(EdgeDPError, match="native or igraph for a release"):
        store.priv_top_k("people", **ASKED, engine="cypher")
    assert driver.statements == []


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": 1, "neighbors": [2]}, {"id": None, "neighbors": []}, {"id": 2, "neighbors": []}],
        [{"id": 1, "neighbors": [2]}, {"id": 1, "neighbors": []}, {"id": 2, "neighbors": []}],
        [{"id": 1, "neighbors": [2]}, {"id": "1", "neighbors": []}, {"id": 2, "neighbors": []}],
        [{"id": True, "neighbors": []}, {"id": False, "neighbors": []}, {"id": True, "neighbors": []}],
    ],
)  # fmt: skip
def test_ids_that_break_after_the_debit_are_refused_in_constant_words(rows: list[dict[str, Any]]) -> None:
    store, driver = stored(adjacency=rows)
    with pytest.raises(StoreError) as refused:
        store.priv_top_k("people", **ASKED)
    assert str(refused.value).partition(" (release ")[0] == IDS_BROKEN
    assert "lease_end" in driver.statements, "whoever asks again is not told to wait"


def test_nodes_that_come_in_between_are_refused_in_constant_words() -> None:
    grown = [{"id": i, "neighbors": []} for i in range(1, 6)]
    store, _ = stored(adjacency=grown)
    said = set()
    for rows in (grown, grown[:2]):
        store, _ = stored(adjacency=rows)
        with pytest.raises(StoreError, match="nodes changed since the release was planned") as refused:
            store.priv_top_k("people", **ASKED)
        said.add(str(refused.value).partition(" (release ")[0])
    assert len(said) == 1


def test_edges_to_nodes_that_were_not_caught_are_left_out() -> None:
    rows = [{"id": 5, "neighbors": [7, 7, 99, None, "x"]}, {"id": 7, "neighbors": [5, 7]}]
    _, driver = stored(adjacency=rows)
    with backend(driver).session() as session:
        graph = session.graph(_row())
    assert graph == Graph.from_edges([(5, 7)])


def test_texts_are_read_as_texts_of_any_length() -> None:
    rows = [{"id": "a", "neighbors": ["bbbbbb", "bbbbbbbb"]}, {"id": "bbbbbb", "neighbors": []}]
    _, driver = stored(adjacency=rows)
    with backend(driver).session() as session:
        assert session.graph(_row()) == Graph.from_edges([("a", "bbbbbb")])


def test_the_plugin_reads_under_the_row_that_notes_it() -> None:
    piece = {
        "idType": "int64", "nodeCount": 3, "ids": np.array([1, 2, 3]).tobytes(),
        "sources": np.array([0], "<i4").tobytes(), "targets": np.array([1], "<i4").tobytes(),
    }  # fmt: skip
    call = "CALL edgedp.exact.adjacency($name, $entry)"
    store, driver = stored(procedures=[{"name": "edgedp.exact.adjacency"}], **{call: [piece]})
    store.priv_top_k("people", **ASKED)
    assert dict(driver.ran)[call] == {"name": "people", "entry": 3}
    with backend(driver).session() as session:
        session.graph(_row())
    read = [parameters for statement, parameters in driver.ran if statement == call]
    assert read == [{"name": "people", "entry": 3}, {"name": "people", "entry": 0}]
    _, driver = stored(
        procedures=[{"name": "edgedp.exact.adjacency"}],
        graph_current=[],  # the name means another graph since
        adjacency=[{"id": 5, "neighbors": [7]}, {"id": 7, "neighbors": []}],
        **{call: [piece]},
    )
    with backend(driver).session() as session:
        assert session.graph(_row()) == Graph.from_edges([(5, 7)])


def test_an_exact_read_is_noted_before_it_is_made_and_of_a_read_only_copy_not() -> None:
    store, driver = stored()
    store.exact("people", "degree")
    ran = driver.statements
    assert ran.index("log_append") < ran.index("commit") < ran.index("adjacency")
    store, driver = stored(database_access=[{"access": "read-only"}])
    store.exact("people", "degree")
    assert "log_append" not in driver.statements


def _row(**changes: Any) -> GraphRow:
    row = GraphRow("people", 11, "Person", "KNOWS", "ssn", 3, 4, nodes_supplied=True, loaded=False)
    return dataclasses.replace(row, **changes)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"nodes": 0}, "no node has the label"),
        ({"ours": 2}, "nodes of a graph that edgedp wrote carry too"),
        ({"identified": 2}, "which 1 of 3 nodes lack"),
        ({"distinctIds": 2}, "two nodes share a value"),
        ({"empty": 1}, "an empty text for a node, which cannot be an id"),
        ({"types": ["FLOAT NOT NULL"]}, "integers or texts"),
    ],
)
def test_a_survey_that_no_release_can_rest_on_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(StoreError, match=says):
        places.check_survey(_row(), SURVEY | changed)


@pytest.mark.parametrize("name", ["EdgeDP", "EdgeDPAccount", "edgedp_x", "EDGEDPLedger", "EdgeDP_kite_b"])
@pytest.mark.parametrize("which", ["node_label", "relationship_type"])
def test_names_of_edgedps_own_are_refused_before_the_server_is_asked(name: str, which: str) -> None:
    store, driver = stored(graph_find=[])
    place = {"node_label": "Person", "relationship_type": "KNOWS", "id_property": "ssn"} | {which: name}
    with pytest.raises(ParameterError, match="must not begin with EdgeDP"):
        store.register("people", **place)  # type: ignore[arg-type]
    assert "survey" not in driver.statements
    with pytest.raises(ParameterError, match="must not begin with EdgeDP"):
        store.load(KITE, "kite", **{which: name})  # type: ignore[arg-type]
    assert "load_begin" not in driver.statements


CONFLICTS = {
    "account": "got the account 'others' meanwhile",
    "escaped_account": "an earlier version took with an escape",
    "own_account": "accounts for the relationship type 'others'",
    "type": "must not be that of a loaded graph",
    "unfinished_type": "run 'edgedp drop others'",
    "label": "the nodes of the loaded graph 'others' carry too",
    "registered_label": "that of the registered graph 'others'",
}


def test_every_conflict_of_the_statement_has_its_words() -> None:
    stems = ("type_conflicts", "place_conflicts", "load_conflicts")
    text = "".join(statement_text("neo4j", stem) for stem in stems)
    assert all(f"'{conflict}'" in text for conflict in CONFLICTS)
    rows: dict[str, list[dict[str, Any]]]
    for stem in stems:
        rows = {each: [] for each in stems} | {stem: [{"conflict": "label", "other": "others"}]}
        assert CONFLICTS["label"] in str(places.guard_refusal("place", _row(), rows))
    rows = {"type_conflicts": [], "address_conflicts": [{"name": "others", "relationshipType": "s3://a"}]}
    assert "meanwhile" not in str(places.guard_refusal("place", _row(), rows))
    assert "register again" in str(places.guard_refusal("place", _row(), rows)), "it is another place"
    at = dataclasses.replace(_row(), relationship_type="s3a://a/e")
    assert "'others'" in str(places.guard_refusal("place", at, rows))
    for conflict, says in CONFLICTS.items():
        rows = {"place_conflicts": [{"conflict": conflict, "other": "others"}]}
        assert says in str(places.guard_refusal("place", _row(), rows))
    rows = {"place_conflicts": [{"conflict": "account", "other": "others"}]}
    assert "that of a registered graph" in str(places.guard_refusal("place", _row(loaded=True), rows))
    assert places.guard_refusal("other", _row(), {}) is None


def test_a_conflict_at_its_beginning_stops_a_load_before_its_first_node() -> None:
    conflict = {"conflict": "registered_label", "other": "people"}
    store, driver = stored(graph_find=[], place_lock=[{"version": 2}], load_conflicts=[conflict])
    with pytest.raises(StoreError, match="must not be that of the registered graph 'people'"):
        store.load(KITE, "kite")
    assert not {"load_begin", "load_nodes", "commit"} & set(
        driver.statements[driver.statements.index("place_lock") :]
    )


def test_a_registration_asks_for_every_conflict_and_a_load_for_those_that_it_can_have() -> None:
    def asked(row: GraphRow, steps: Any) -> list[Any]:
        found = [step for step in steps(row) if step.statement.endswith("_conflicts")]
        assert all(step.on_row == "place" for step in found)
        return [(step.statement, step.parameters) for step in found]

    theirs = {"name": "people", "relationshipType": "KNOWS"}
    types = ("type_conflicts", {"names": ["people", "people"], "relationshipType": "KNOWS"})
    assert asked(_row(), places.register_guards) == [
        types,
        ("place_conflicts", theirs | {"nodeLabel": "Person"}),
    ]
    in_a_vocabulary = dataclasses.replace(_row(), relationship_type="http://schema.org/knows")
    at = dataclasses.replace(_row(), relationship_type="s3a://lake/e", node_label=AT_ADDRESS)
    for row, between in ((in_a_vocabulary, []), (at, ["address_conflicts"])):
        found = [stem for stem, _ in asked(row, places.register_guards)]
        assert found == ["type_conflicts", *between, "place_conflicts"]
    own, chosen = (places.loaded_place("kite", 1, "Person", kind) for kind in (None, "KNOWS"))
    label = ("load_conflicts", {"nodeLabel": "Person"})
    for steps in (places.load_begin, places.load_guards):
        assert asked(own, steps) == [label]
        assert asked(chosen, steps) == [
            ("type_conflicts", {"names": [], "relationshipType": "KNOWS"}),
            label,
        ]


def loading(**answers: Any) -> FakeDriver:
    """Write a graph with properties as a load does; the server numbers nodes in an order of its own."""

    def made(parameters: Any) -> list[dict[str, Any]]:
        ids = parameters["rows"][::-1]
        return [{"ids": ids, "nodes": [100 + each for each in ids]}]

    driver = FakeDriver(
        CURRENT
        | {
            "load_nodes": made,
            "load_property": lambda asked: [{"written": len(asked["nodes"])}],
            "load_edges": lambda asked: [{"written": sum(len(after) for _, after in asked["adjacent"])}],
        }
        | answers
    )
    edges = KITE.node_ids[KITE.edges()]
    graph = Graph.from_edges(edges, nodes=[1, 2, 3, 4, 5], properties={"age": [10, 20, 30, 40, 50]})
    with backend(driver).session(create=True) as session:
        session._write(places.loaded_place("kite", 1, None, None), graph, None)  # type: ignore[attr-defined]
    return driver


@pytest.mark.parametrize(("batch", "batches"), [(2, 3), (10_000, 1)])
def test_a_load_writes_to_the_nodes_that_have_the_ids(
    batch: int, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_session, "_EDGE_BATCH", batch)
    driver = loading()
    assert dict(driver.ran)["load_property"] == {
        "nodes": [101, 102, 103, 104, 105],
        "values": [10, 20, 30, 40, 50],
    }
    sent = [asked for stem, asked in driver.ran if stem == "load_edges"]
    assert len(sent) == batches
    pairs = [
        frozenset((asked["nodes"][i] - 100, asked["nodes"][j] - 100))
        for asked in sent
        for i, after in asked["adjacent"]
        for j in after
    ]
    assert len(pairs) == KITE.edge_count
    assert set(pairs) == {frozenset(pair) for pair in KITE.node_ids[KITE.edges()].tolist()}


@pytest.mark.parametrize("statement", ["load_property", "load_edges"])
def test_a_load_whose_nodes_are_gone_stops(statement: str) -> None:
    with pytest.raises(StoreError, match="somebody else loads 'kite'"):
        loading(**{statement: [{"written": 0}]})


def test_the_placeholders_of_a_version_are_its_own() -> None:
    row = places.loaded_place("kite", 0xBEE, None, None)
    assert row.node_label == row.relationship_type == "EdgeDP_kite_bee"
    places.check_place(row)
    for edited in ("EdgeDP_kite_bef", "EdgeDPAccount", "Person"):
        with pytest.raises(StoreError, match="somebody edited it"):
            places.check_place(dataclasses.replace(row, node_label=edited))
    # A type that was asked for, or that 0.1.0 wrote, is one that others may have too.
    places.check_place(dataclasses.replace(row, relationship_type="LINKED_TO"))


OLD: dict[str, list[dict[str, Any]]] = {
    "schema_version": [],
    "old_graphs": [ROW | {"name": "kite", "loaded": True, "nodeLabel": "EdgeDP_kite_b"}],
    "old_ledgers": [
        {"name": "kite", "budget": 10**9, "spent": 7, "maxPerRelease": 5, "delta": None, "declared": None,
         "budgetRho": None, "spentRho": None, "relationshipType": None},
        {"name": "rho", "budget": None, "spent": 0, "maxPerRelease": None, "delta": 10**12, "declared": 10**9,
         "budgetRho": 10**10, "spentRho": 1_250_000_000, "relationshipType": "KNOWS"},
    ],
    "old_releases": [
        {"releaseId": "a", "graph": "kite", "at": "2", "requestId": "r", "cost": 7, "selector": "priv_top_k",
         "parameters": '{"metric": "degree", "k": 1, "epsilon": "0.000000007", "mechanism": "em"}',
         "public": '{"node_count": 5, "degree_bound": 4}', "nodes": "[3]"},
        {"releaseId": "b", "graph": "rho", "at": "3", "requestId": None, "cost": 10**8, "selector": "priv_top_k",
         "parameters": '{"metric": "degree", "k": 1, "epsilon": "0.1", "mechanism": "em", "sampler": "exponential"}',
         "public": '{"node_count": 5, "degree_bound": 4}', "nodes": None},
        {"releaseId": "c", "graph": "orphan", "at": "4", "requestId": None, "cost": 11, "selector": "priv_top_k",
         "parameters": "{}", "public": "{}", "nodes": "[1]"},
    ],
    "old_changes": [{"changeId": "x", "graph": "kite", "at": "1", "budget": 10**9, "delta": None}],
}  # fmt: skip


def test_a_migration_keeps_what_was_spent_and_writes_the_log_anew() -> None:
    script = neo4j_schema.migration_script(OLD)
    steps = {step.statement: step.parameters for step in script.steps}
    assert steps["old_lock"] == {
        "graphs": 1, "ledgers": 2, "releases": 3, "drawn": 2, "changes": 1, "spent": 1_250_000_007
    }  # fmt: skip
    written = steps["migration_0002"]
    accounts = {row["name"]: row for row in written["accounts"]}
    assert (accounts["kite"]["spent"], accounts["kite"]["budget"], accounts["kite"]["entries"]) == (
        7,
        10**9,
        3,
    )
    assert (accounts["rho"]["spent"], accounts["rho"]["declared"]) == (1_250_000_000, 10**9)
    assert accounts["orphan"]["spent"] == 11, "a ledger that somebody deleted is not forgotten"
    kinds = [(row["name"], row["seq"], row["kind"], row["total"]) for row in written["entries"]]
    assert kinds == [
        ("kite", 1, "budget", 0), ("kite", 2, "debit", 7), ("kite", 3, "answer", 7),
        ("orphan", 1, "debit", 11), ("orphan", 2, "answer", 11), ("rho", 1, "debit", 1_250_000_000),
    ]  # fmt: skip
    assert written["versions"][0]["constraintName"] == "edgedp_b"


@pytest.mark.parametrize("new", [True, False])
def test_a_new_database_is_of_this_version_at_once_and_one_that_only_seems_new_is_read(new: bool) -> None:
    state: dict[str, Any] = {"version": []}

    def done(_: Any) -> Any:
        state["version"] = CURRENT["schema_version"]
        return state["version"]

    driver = FakeDriver(
        {
            "schema_version": lambda _: state["version"],
            "schema_old": [{"old": False}],
            "schema_begin": [{"version": 1}],
            "schema_new": done if new else [],
            "old_lock": [{"ledgers": 0}],
            **{f"migration_000{at}": [{"version": at}] for at in range(2, 6)},
            "migration_0006": done,
        }
    )
    with backend(driver).session(create=True):
        pass
    assert driver.statements.count("schema_new") == 1
    assert ("old_graphs" in driver.statements) == ("migration_0002" in driver.statements) == (not new)
    assert driver.statements.count("rollback") == (0 if new else 1)


def test_the_version_of_a_new_database_is_the_present_one() -> None:
    assert f"schema.version = {neo4j_schema.SCHEMA_VERSION}\n" in statement_text("neo4j", "schema_new")


def test_a_database_that_changes_while_it_is_migrated_is_read_again() -> None:
    locks = iter([[], [], [{"ledgers": 2}]])
    state: dict[str, Any] = {"version": []}
    driver = FakeDriver(
        dict(OLD)
        | {
            "schema_version": lambda _: state["version"],
            "schema_old": lambda _: [{"old": not state["version"]}],
            "schema_begin": [{"version": 1}],
            "old_lock": lambda _: next(locks),
            "migration_0002": [{"version": 2}],
            "migration_0003": [{"version": 3}],
            "migration_0004": lambda _: [{"version": 4}],
            "migration_0005": [{"version": 5}],
            "migration_0006": lambda _: state.update(version=[{"version": 6}]) or [{"version": 6}],
        }
    )
    with backend(driver).session():
        pass
    assert driver.statements.count("old_lock") == 3
    assert driver.statements.count("rollback") == 2
    ends = [
        driver.statements[at + 1 :] for at, stem in enumerate(driver.statements) if stem == "migration_0006"
    ]
    assert [end[0] for end in ends] == ["commit"], "it is written once, and committed"
    assert driver.statements.index("old_ledger_constraint") < driver.statements.index("schema_begin")


def test_the_number_of_the_version_stands_in_every_statement_that_locks_or_debits() -> None:
    for stem in ("account_lock", "account_debit", "account_open", "place_lock"):
        assert f"EdgeDPSchema {{version: {neo4j_schema.SCHEMA_VERSION}}}" in statement_text("neo4j", stem), (
            stem
        )


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"schema_version": [{"version": neo4j_schema.SCHEMA_VERSION + 1}]}, "a newer edgedp wrote"),
        ({"schema_old": [{"old": True}]}, "rows of edgedp 0.1.0 beside"),
    ],
)
def test_a_database_of_another_version_is_refused(rows: dict[str, Any], says: str) -> None:
    driver = FakeDriver(CURRENT | rows)
    with pytest.raises(StoreError, match=says), backend(driver).session():
        pass


def server_error(code: str, message: str = "said the server") -> Exception:
    return neo4j.exceptions.Neo4jError._hydrate_neo4j(code=code, message=message)


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (neo4j.exceptions.ServiceUnavailable("x"), StoreUnavailableError, "does not answer"),
        (neo4j.exceptions.SessionExpired("x"), StoreUnavailableError, "does not answer"),
        (neo4j.exceptions.IncompleteCommit("x"), StoreUnavailableError, "budget may have been spent"),
        (neo4j.exceptions.ConfigurationError("x"), StoreError, "the driver refuses"),
        (server_error("Neo.ClientError.Security.Unauthorized"), StoreError, "refuses the user or the password"),
        (server_error("Neo.ClientError.Security.Forbidden"), StoreError, "the user may not do this"),
        (server_error("Neo.ClientError.Database.DatabaseNotFound"), StoreError, "must exist"),
        (server_error("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase"), StoreError, "read-only"),
        (server_error("Neo.ClientError.Schema.ConstraintValidationFailed"), StoreError, "taken by somebody else"),
        (server_error("Neo.TransientError.Transaction.DeadlockDetected"), StoreUnavailableError, "holds the ledger"),
        (server_error("Neo.ClientError.Transaction.TransactionTimedOut"), StoreUnavailableError, "lock timeout"),
        (server_error("Neo.ClientError.Statement.SyntaxError", "odd\nwords"), StoreError, "it says: odd words"),
    ],
)  # fmt: skip
def test_every_error_of_the_driver_is_one_line(error: Exception, kind: type[Exception], says: str) -> None:
    driver = FakeDriver(CURRENT | {"graph_list": error})
    with pytest.raises(kind, match=says) as told:
        Store(backend(driver)).graphs()
    assert "\n" not in str(told.value)


def test_closing_a_store_closes_its_driver() -> None:
    store, driver = stored()
    with store:
        pass
    assert driver.closed
