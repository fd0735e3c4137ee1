"""Before and around a release in Cypher: estimates, budgets, help, what debits, and in which words it is refused."""

from __future__ import annotations

from typing import Any

import pytest

import edgedp
import neo4j
from edgedp.words.vocabulary import METRIC_FORMS, SAMPLERS
from plugin_fixtures import TOP, PluginServer

ESTIMATE = "CALL edgedp.privTopk.estimate($name, $config)"
DEGREE = {"metric": "degree", "k": 1, "epsilon": 1}
ALLOWED = ("stream", "write", "estimate")


def test_outside_the_two_families_of_the_curator_there_is_only_what_an_analyst_may_have(
    neo4j_with_plugin: PluginServer,
) -> None:
    named = [row["name"] for row in neo4j_with_plugin.ask("CALL edgedp.help()")]
    listed = neo4j_with_plugin.ask("SHOW PROCEDURES YIELD name WHERE name STARTS WITH 'edgedp.' RETURN name")
    assert named == sorted(row["name"] for row in listed)
    for name in named:
        if name.startswith(("edgedp.exact.", "edgedp.graph.")):
            continue
        releases = name.count(".") == 2 and name.rpartition(".")[2] in ALLOWED
        public = {"edgedp.budget", "edgedp.releases", "edgedp.version", "edgedp.help"}
        refuses_by_itself = {"edgedp.account.declare"}  # all who may not call edgedp.graph.setBudget
        assert releases or name in public | refuses_by_itself, name
    for name in named:
        if name.endswith(".stream") and not name.startswith("edgedp.exact."):
            assert name.replace(".stream", ".estimate") in named


def test_an_estimate_is_the_release_before_it_is_spent(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=2.5)
    (told,) = neo4j_with_plugin.ask(ESTIMATE, name=planted.name, config=DEGREE)
    assert (told["epsilon"], told["epsilonRemainingAfter"], told["releasesLeft"]) == (1.0, 1.5, 2)
    assert told["refused"] is None
    assert told["noise"] == [{"on": "degree", "law": "two-sided geometric", "scale": 1.0}]
    assert planted.spent == 0
    planted.top(requestId="r", **DEGREE)
    (told,) = neo4j_with_plugin.ask(ESTIMATE, name=planted.name, config=DEGREE | {"requestId": "r"})
    assert (told["epsilon"], told["epsilonRemainingAfter"]) == (0.0, 1.5)
    for config in (
        DEGREE | {"epsilon": 2},
        DEGREE | {"k": 99},
        DEGREE | {"metric": "x"},
        DEGREE | {"epsilon": 0},
    ):
        (told,) = neo4j_with_plugin.ask(ESTIMATE, name=planted.name, config=config)
        assert told["refused"] == neo4j_with_plugin.refusal(TOP, name=planted.name, config=config)
    motkin: dict[str, Any] = {"metrics": ["degree", "density"], "k": 1, "epsilon": 1}
    (told,) = neo4j_with_plugin.ask(
        "CALL edgedp.motkin.estimate($name, $config)", name=planted.name, config=motkin
    )
    assert told["noise"] == [{"on": "the Pareto score", "scale": "follows the graph; private"}]
    assert planted.spent == 1


def test_an_estimate_never_tells_whether_the_bound_is_broken(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(degreeBound=3)
    config = DEGREE | {"mechanism": "em"}
    before = neo4j_with_plugin.ask(ESTIMATE, name=planted.name, config=config)
    planted.connect([(0, 4), (0, 5)])
    assert neo4j_with_plugin.ask(ESTIMATE, name=planted.name, config=config) == before
    assert before[0]["refused"] is None
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=config)
    assert "is debited" in said


def test_a_stream_yields_the_node_and_which_release_it_is(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    asked = {"name": planted.name, "config": DEGREE | {"k": 2, "requestId": "r"}}
    statement = (
        f"{TOP} YIELD id, nodeId, node, releaseId, epsilon "
        "RETURN id, node.id AS own, nodeId = elementId(node) AS same, releaseId, epsilon"
    )
    first, again = neo4j_with_plugin.ask(statement, **asked), neo4j_with_plugin.ask(statement, **asked)
    assert first == again
    assert all(row["id"] == row["own"] and row["same"] and row["epsilon"] == 1.0 for row in first)
    (kept,) = neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)
    assert {row["releaseId"] for row in first} == {kept["releaseId"]}
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}` {{id: $id}}) DETACH DELETE n", id=first[0]["id"])
    rows = neo4j_with_plugin.ask(TOP, **asked)
    assert [row["node"] is None for row in rows] == [True, False]


def test_every_row_profile_and_limit_0_debit_and_explain_does_not(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    for statement, debits in (
        (f"EXPLAIN {TOP} YIELD rank RETURN rank", 0),
        (f"PROFILE {TOP} YIELD rank RETURN rank", 1),
        (f"{TOP} YIELD rank RETURN rank LIMIT 0", 1),
        (f"UNWIND [1, 2, 3] AS i {TOP} YIELD rank RETURN count(*) AS rows", 3),
    ):
        before = planted.spent
        neo4j_with_plugin.ask(statement, name=planted.name, config=DEGREE)
        assert planted.spent - before == debits, statement


def test_a_read_transaction_is_refused_before_the_debit_and_a_retry_debits_twice(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    with neo4j_with_plugin.driver.session() as session:
        with pytest.raises(neo4j.exceptions.ClientError, match="read access mode"):
            session.execute_read(lambda tx: tx.run(TOP, name=planted.name, config=DEGREE).data())
        assert planted.spent == 0
        tries: list[Any] = []

        def work(tx: Any, config: dict[str, Any]) -> Any:
            rows = tx.run(TOP, name=planted.name, config=config).data()
            tries.append(rows)
            if len(tries) % 2:
                raise neo4j.exceptions.SessionExpired("the connection is lost after the answer")
            return rows

        for config, spent in ((DEGREE, 2), (DEGREE | {"requestId": "r"}, 3)):
            # A driver that retries, as the fixture's does not.
            with pytest.raises(neo4j.exceptions.SessionExpired):
                session.execute_write(work, config)
            session.execute_write(work, config)
            assert planted.spent == spent


def test_a_type_without_a_relationship_is_refused_unless_it_may_be_empty(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    place = {"nodeLabel": planted.label, "relationshipType": "MISSPELT", "idProperty": "id"}
    register = "CALL edgedp.graph.register($name, $declared)"
    said = neo4j_with_plugin.refusal(register, name="empty", declared=place)
    assert "'MISSPELT'" in said
    assert "add allowEmpty" in said
    (row,) = neo4j_with_plugin.ask(register, name="empty", declared=place | {"allowEmpty": True})
    assert row["exact"] == {"edgeCount": 0, "maxDegree": 0}
    neo4j_with_plugin.ask("CALL edgedp.graph.drop('empty')")


def test_registering_tells_exact_counts_by_that_name_and_that_an_index_is_missing(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    place = {"nodeLabel": planted.label, "relationshipType": planted.kind, "idProperty": "id"}
    drop, register = "CALL edgedp.graph.drop($name)", "CALL edgedp.graph.register($name, $declared)"
    neo4j_with_plugin.ask(drop, name=planted.name)
    (row,) = neo4j_with_plugin.ask(register, name=planted.name, declared=place)
    assert row["exact"] == {"edgeCount": 5, "maxDegree": 3}
    assert "has no index" in row["warnings"][0]
    assert "idProperty" in row["warnings"][0]
    neo4j_with_plugin.ask(row["warnings"][0].partition("run: ")[2])
    neo4j_with_plugin.ask("CALL db.awaitIndexes()")
    neo4j_with_plugin.ask(drop, name=planted.name)
    (row,) = neo4j_with_plugin.ask(register, name=planted.name, declared=place)
    assert row["warnings"] == []


def test_a_listed_node_count_is_that_of_now(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask(f"CREATE (:`{planted.label}` {{id: 99}})")
    listed = neo4j_with_plugin.ask("CALL edgedp.graph.list() YIELD name, nodeCount RETURN name, nodeCount")
    assert {"name": planted.name, "nodeCount": 7} in listed
    server = neo4j_with_plugin.server
    with edgedp.open_store(server.uri, auth=server.auth) as store:
        assert next(row for row in store.graphs() if row["name"] == planted.name)["node_count"] == 7


def test_a_budget_is_declared_in_cypher(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    planted.top()
    declare = "CALL edgedp.graph.setBudget($name, $budget)"
    (row,) = neo4j_with_plugin.ask(declare, name=planted.name, budget="2.5")
    assert (row["epsilonBudget"], row["epsilonRemaining"]) == (2.5, 1.5)
    for budget, says in (
        (0.5, "at least what was spent"),
        (None, "epsilonBudget is null"),
        ("x", "epsilonBudget"),
    ):
        assert says in neo4j_with_plugin.refusal(declare, name=planted.name, budget=budget)
    assert "paid in pure epsilon" in neo4j_with_plugin.refusal(
        "CALL edgedp.graph.setBudget($name, 3, '1e-6')", name=planted.name
    )
    entries = neo4j_with_plugin.ask("CALL edgedp.graph.log($name) YIELD event", name=planted.name)
    assert entries[-1]["event"] == "budget"


def test_settings_are_those_that_hold(neo4j_with_plugin: PluginServer) -> None:
    neo4j_with_plugin.configure(worker_count="3")
    try:
        rows = neo4j_with_plugin.ask("CALL edgedp.graph.settings()")
    finally:
        neo4j_with_plugin.configure()
    settings = {row["key"]: (row["value"], row["defaultValue"]) for row in rows}
    assert settings["worker.count"] == ("3", "2")
    assert settings["ledger.lock.timeout"] == ("30s", "30s")
    assert neo4j_with_plugin.ask("CALL edgedp.version()") == [{"version": edgedp.__version__}]


@pytest.mark.parametrize(
    "config",
    [
        {"metric": 5},
        {"metric": "zzz"},
        {"mechanism": "sld", "sensitivityForm": "x"},
        {"sensitivityForm": METRIC_FORMS[0]},
        {"mechanism": "sld", "sampler": "x"},
        {"mechanism": "pf", "sampler": SAMPLERS[0]},
        {"epsilon": True},
        {"k": 1.5},
        {"epsilon": 1000},
        {"requestId": ""},
    ],
)
def test_refusals_speak_cypher(neo4j_with_plugin: PluginServer, config: dict[str, Any]) -> None:
    planted = neo4j_with_plugin.plant()
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=DEGREE | config)
    for word in (
        "None",
        "True",
        "priv_top_k",
        "edgedp budget",
        "edgedp graphs",
        "sensitivity_",
        "request_",
        "--",
    ):
        assert word not in said, said
    listed = said.partition("must be one of ")[2].partition(";")[0]
    assert not listed or said.count(listed) == 1, "a list stands there once"
    assert planted.spent == 0
