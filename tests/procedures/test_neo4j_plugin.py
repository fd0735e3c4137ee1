"""The procedures of the Neo4j plugin, on a real server over Bolt."""

from __future__ import annotations

import random
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import edgedp
import neo4j
from edgedp import Graph
from edgedp.stores.neo4j.packed import graph_of_pieces
from edgedp.stores.statements.queries import query
from plugin_fixtures import TOP, PluginServer, eventually, sentence

MANY = "UNWIND range(1, 400) AS run"
FIRST = "YIELD rank, id WITH rank, id WHERE rank = 1 RETURN id, count(*) AS times"
METRICS = ("degree", "density", "ebc", "betweenness2")
# The same simple graph, stored with both directions, a parallel and a loop.
STORED = [(0, 1), (1, 0), (0, 2), (3, 0), (1, 2), (1, 2), (4, 3), (4, 4), (2, 3)]


def test_streams_ranks_element_ids_and_ids(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    rows = planted.top(k=4, epsilon=0.25)
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert len({row["id"] for row in rows}) == 4
    element_ids = neo4j_with_plugin.ask(
        f"MATCH (n:`{planted.label}`) RETURN n.id AS id, elementId(n) AS nodeId"
    )
    assert {(row["id"], row["nodeId"]) for row in rows} <= {(row["id"], row["nodeId"]) for row in element_ids}
    budget = neo4j_with_plugin.ask("CALL edgedp.budget($name)", name=planted.name)
    assert budget == [
        {
            "epsilonBudget": 100.0,
            "epsilonSpent": 0.25,
            "epsilonRemaining": 99.75,
            "releases": 1,
            "delta": None,
            "attributes": None,
            "accounts": None,
        }
    ]


def test_the_log_of_neo4j_has_one_line_for_every_release(neo4j_with_plugin: PluginServer) -> None:
    """Who, of which graph, what kind, what it cost, and its number; nothing of what is refused or shown again."""
    planted = neo4j_with_plugin.plant(name="graph of the log", epsilonBudget=1.0)
    log = neo4j_with_plugin.server.home / "logs" / "neo4j.log"

    def lines() -> list[str]:
        found = log.read_text(encoding="utf-8").splitlines()
        return [line for line in found if "edgedp release" in line and planted.name in line]

    config = {"metric": "degree", "k": 2, "epsilon": 0.25, "requestId": "once"}
    for _ in range(2):
        neo4j_with_plugin.ask(TOP, name=planted.name, config=config)
    neo4j_with_plugin.refusal(TOP, name=planted.name, config=config | {"epsilon": 0.9, "requestId": "other"})
    [release] = neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)
    assert eventually(lambda: bool(lines()), 60)
    [line] = lines()
    assert line.endswith(
        f'edgedp release {release["releaseId"]}: priv_top_k of "{planted.name}" for "neo4j", epsilon 0.25'
    )


def test_a_large_epsilon_finds_the_true_order(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1e6)
    assert [row["id"] for row in planted.top(k=1, epsilon=1e5)] == [0]
    config = {"metrics": ["degree", "density"], "k": 1, "epsilon": 1e5, "approach": "aggregate"}
    (picked,) = neo4j_with_plugin.ask(
        "CALL edgedp.motkin.stream($name, $config)", name=planted.name, config=config
    )
    assert picked["id"] == 0


@pytest.mark.parametrize("metric", METRICS)
def test_exact_values_and_sensitivities_are_those_of_python(
    neo4j_with_plugin: PluginServer, metric: str
) -> None:
    planted = neo4j_with_plugin.plant(STORED)
    for call, expected in (
        ("CALL edgedp.exact.stream($name, {metric: $metric})", edgedp.exact.values(planted.graph, metric)),
        (
            "CALL edgedp.exact.sensitivity($name, {metric: $metric, t: 2})",
            edgedp.exact.sensitivity(planted.graph, metric, 2),
        ),
    ):
        rows = neo4j_with_plugin.ask(call, name=planted.name, metric=metric)
        assert {row["id"]: row["value"] for row in rows} == dict(enumerate(expected.tolist()))


def test_every_exact_read_is_a_row_whatever_row_it_names(neo4j_with_plugin: PluginServer) -> None:
    ask, planted = neo4j_with_plugin.ask, neo4j_with_plugin.plant([(1, 2), (2, 3)])
    count = "MATCH (e:EdgeDPEntry {name: $name, kind: 'exact'}) RETURN count(e) AS n, max(e.seq) AS last"
    ask("CALL edgedp.exact.stream($name, {metric: 'degree'})", name=planted.name)
    for reads in (2, 3, 4):
        last = ask(count, name=planted.name)[0]["last"]
        ask("CALL edgedp.exact.adjacency($name, $entry)", name=planted.name, entry=last)
        assert ask(count, name=planted.name)[0]["n"] == reads
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        store.graph(planted.name)
    last = ask(count, name=planted.name)[0]
    assert last["n"] == 5, "a read that the Python store has noted is one row"
    ask("CALL edgedp.exact.adjacency($name, $entry)", name=planted.name, entry=last["last"])
    assert ask(count, name=planted.name)[0]["n"] == 6
    ask("CALL edgedp.exact.adjacency($name, null)", name=planted.name)
    assert ask(count, name=planted.name)[0]["n"] == 7


@pytest.mark.parametrize(
    "nodes", [[30, -1, 7, 2**62, 5], ["ä", "b", "𝄞", " ", "zebra"]], ids=["integers", "texts"]
)
def test_the_packed_adjacency_is_the_graph(neo4j_with_plugin: PluginServer, nodes: list[Any]) -> None:
    planted = neo4j_with_plugin.plant(
        [(nodes[0], nodes[2]), (nodes[2], nodes[0]), (nodes[1], nodes[2])], nodes
    )
    rows = neo4j_with_plugin.ask("CALL edgedp.exact.adjacency($name)", name=planted.name)
    assert graph_of_pieces(rows, nodes_supplied=True) == planted.graph


def chi_square_holds(times: dict[int, int], law: NDArray[np.float64]) -> bool:
    """Compare counts with a law; a right one is refused once in a million runs."""
    runs = sum(times.values())
    counted = np.array([times.get(node, 0) for node in range(len(law))])
    statistic = float(((counted - runs * law) ** 2 / (runs * law)).sum())
    return statistic < stats.chi2.isf(1e-6, len(law) - 1)


@pytest.mark.wide
def test_the_law_of_a_release_is_the_exact_one(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1e6)
    config = {"metric": "degree", "k": 1, "epsilon": 2.0, "mechanism": "em"}
    rows = neo4j_with_plugin.ask(
        f"{MANY} CALL edgedp.privTopk.stream($name, $config) {FIRST}", name=planted.name, config=config
    )
    law = edgedp.exact.first_pick_probabilities(planted.graph, **config)
    assert chi_square_holds({row["id"]: row["times"] for row in rows}, law)
    assert planted.spent == 800.0


@pytest.mark.wide
def test_the_law_of_a_motkin_release_is_the_exact_one(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1e6)
    config = {"metrics": ["degree", "density"], "k": 2, "epsilon": 8.0}
    rows = neo4j_with_plugin.ask(
        f"{MANY} CALL edgedp.motkin.stream($name, $config) {FIRST}", name=planted.name, config=config
    )
    law = edgedp.exact.motkin_first_pick_probabilities(planted.graph, **config)
    assert chi_square_holds({row["id"]: row["times"] for row in rows}, law)


def test_a_rollback_takes_no_debit_back(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction() as tx:
        assert (
            len(tx.run(TOP, name=planted.name, config={"metric": "degree", "k": 2, "epsilon": 1}).data()) == 2
        )
        tx.rollback()
    assert planted.spent == 1.0
    (kept,) = neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)
    assert len(kept["ids"]) == 2


def test_a_debit_in_the_callers_transaction_would_vanish(neo4j_with_plugin: PluginServer) -> None:
    """The hole that the inner transaction closes."""
    planted = neo4j_with_plugin.plant()
    row: dict[str, Any] = {"name": planted.name, "cost": 10**9, "price": 1, "whole": 10**9}
    row |= {"within": None, "firstWindow": None, "lastWindow": None}
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction() as tx:
        assert tx.run(query("neo4j", "account_debit"), row).data()[0]["spent"] == 10**9
        tx.rollback()
    assert planted.spent == 0.0


def test_uncommitted_edits_of_the_caller_change_nothing(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1e6)
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction() as tx:
        tx.run(f"MATCH (:`{planted.label}` {{id: 0}})-[r]-() DELETE r").consume()
        tx.run(
            f"MATCH (a:`{planted.label}` {{id: 5}}), (b:`{planted.label}`) WHERE b <> a "
            f"CREATE (a)-[:`{planted.kind}`]->(b)"
        ).consume()
        tx.run(f"CREATE (:`{planted.label}` {{id: 99}})").consume()
        config = {"metric": "degree", "k": 1, "epsilon": 1e5}
        assert [row["id"] for row in tx.run(TOP, name=planted.name, config=config).data()] == [0]
        tx.rollback()


def test_register_budget_and_release_in_one_transaction(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask("CALL edgedp.graph.drop($name)", name=planted.name)
    declared = {
        "nodeLabel": planted.label,
        "relationshipType": planted.kind,
        "idProperty": "id",
        "epsilonBudget": 2,
    }
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction(timeout=60) as tx:
        tx.run("CALL edgedp.graph.register($name, $declared)", name=planted.name, declared=declared).consume()
        assert tx.run("CALL edgedp.budget($name)", name=planted.name).data()[0]["epsilonBudget"] == 2
        config = {"metric": "degree", "k": 1, "epsilon": 2}
        assert len(tx.run(TOP, name=planted.name, config=config).data()) == 1
        tx.commit()
    assert planted.spent == 2.0


def test_a_ledger_that_the_caller_locks_is_not_waited_for_for_ever(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.configure(ledger_lock_timeout="2s")
    try:
        with neo4j_with_plugin.driver.session() as session:
            tx = session.begin_transaction()
            tx.run(
                "MATCH (account:EdgeDPAccount {name: $name}) SET account.held = true", name=planted.name
            ).consume()
            with pytest.raises(neo4j.exceptions.ClientError) as caught:
                tx.run(TOP, name=planted.name, config={"metric": "degree", "k": 1, "epsilon": 1}).consume()
            tx.close()
    finally:
        neo4j_with_plugin.configure()
    assert "the ledger was not free within 2 s" in sentence(caught.value)
    assert planted.spent == 0.0


@pytest.mark.parametrize("epsilon", [-1, float("nan"), float("inf"), 1e-12, 0, None, "much", True, [1]])
def test_a_bad_epsilon_debits_and_credits_nothing(neo4j_with_plugin: PluginServer, epsilon: Any) -> None:
    planted = neo4j_with_plugin.plant()
    said = neo4j_with_plugin.refusal(
        TOP, name=planted.name, config={"metric": "degree", "k": 1, "epsilon": epsilon}
    )
    assert said.startswith("epsilon is ")
    assert planted.spent == 0.0


def test_refusals_are_in_pythons_words(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    for options in (
        {"metric": "ebcc"},
        {"k": 7},
        {"mechanism": "pf", "sampler": "exponential"},
        {"shift": "left"},
    ):
        asked: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 1} | options
        with pytest.raises(edgedp.EdgeDPError) as caught:
            edgedp.priv_top_k(planted.graph, **asked)
        said = str(caught.value).replace("of priv_top_k with", "of edgedp.privTopk with")
        assert neo4j_with_plugin.refusal(TOP, name=planted.name, config=asked) == said
    assert "at org.edgedp" not in neo4j_with_plugin.logs()  # no stack trace


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("epsilom", "epsilon"), ("sensitivity_form", "sensitivityForm"), ("requestID", "requestId")],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(
    neo4j_with_plugin: PluginServer, key: str, nearest: str
) -> None:
    planted = neo4j_with_plugin.plant()
    config = {"metric": "degree", "k": 1, "epsilon": 1, key: 1}
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=config)
    assert repr(key) in said
    assert f"did you mean {nearest!r}?" in said
    assert planted.spent == 0.0


def test_an_unregistered_graph_is_refused_by_name(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    said = neo4j_with_plugin.refusal(
        TOP, name=planted.name[:-1], config={"metric": "degree", "k": 1, "epsilon": 1}
    )
    assert repr(planted.name[:-1]) in said
    assert planted.name in said
    for call in ("edgedp.budget($name)", "edgedp.releases($name)", "edgedp.exact.adjacency($name)"):
        assert "must " in neo4j_with_plugin.refusal(f"CALL {call}", name="nowhere")


def test_a_spent_budget_is_refused_in_the_words_of_the_store(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1.5, maxEpsilonPerRelease=1)
    asked = {"metric": "degree", "k": 1, "epsilon": 1}
    planted.top()
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        for epsilon in (1, 1.25):
            with pytest.raises(edgedp.BudgetError) as caught:
                store.priv_top_k(planted.name, **(asked | {"epsilon": epsilon}))
            assert str(caught.value) == neo4j_with_plugin.refusal(
                TOP, name=planted.name, config=asked | {"epsilon": epsilon}
            )
    assert planted.spent == 1.0


def test_a_budget_with_a_delta_is_the_one_that_python_keeps(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1, delta="1e-6")
    asked = {"metric": "degree", "k": 1, "epsilon": "0.1"}
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        store.priv_top_k(planted.name, **asked)
        planted.top(**asked)
        kept = store.budget(planted.name)
        (told,) = neo4j_with_plugin.ask("CALL edgedp.budget($name)", name=planted.name)
        assert told == {
            "epsilonBudget": kept["epsilon_budget"],
            "epsilonSpent": kept["epsilon_spent"],
            "epsilonRemaining": kept["epsilon_remaining"],
            "releases": 2,
            "delta": 1e-6,
            "attributes": None,
            "accounts": None,
        }
        (listed,) = (
            row for row in neo4j_with_plugin.ask("CALL edgedp.graph.list()") if row["name"] == planted.name
        )
        assert (listed["epsilonSpent"], listed["delta"]) == (kept["epsilon_spent"], 1e-6)
        with pytest.raises(edgedp.BudgetError) as caught:
            store.priv_top_k(planted.name, **(asked | {"epsilon": 2}))
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=asked | {"epsilon": 2})
    assert said == str(caught.value)


def test_eight_sessions_spend_exactly_the_budget(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget="0.5")
    answered: list[int] = []
    refused: list[str] = []

    def analyst() -> None:
        with neo4j_with_plugin.driver.session() as session:
            for _ in range(10):
                try:
                    rows = session.run(
                        TOP, name=planted.name, config={"metric": "degree", "k": 1, "epsilon": 0.01}
                    )
                    answered.append(len(rows.data()))
                except neo4j.exceptions.ClientError as error:
                    refused.append(sentence(error))

    threads = [threading.Thread(target=analyst) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answered == [1] * 50
    assert len(refused) == 30
    assert all("what is left of the budget" in said for said in refused)
    assert planted.spent == 0.5


def test_both_ways_to_the_relationships_read_the_same(neo4j_with_plugin: PluginServer) -> None:
    """A type that is most of the store is read by a scan of all relationships, another by its own."""
    (row,) = neo4j_with_plugin.ask("MATCH ()-[r]->() RETURN count(r) AS there")
    draw, n = random.Random(1), 300
    pairs = [(draw.randrange(n), draw.randrange(n)) for _ in range(row["there"] + 2_000)]
    planted = neo4j_with_plugin.plant(pairs, range(n))  # with loops, parallels, and both directions of a pair
    others = (
        f"UNWIND range(1, $times) AS i MATCH (a:`{planted.label}` {{id: 1}}), (b:`{planted.label}` {{id: 250}}) "
        "CREATE (a)-[:OTHER]->(b)"
    )
    neo4j_with_plugin.ask(others, times=5)
    neo4j_with_plugin.ask(
        f"MATCH (a:`{planted.label}` {{id: 1}}) CREATE (a)-[:`{planted.kind}`]->(:Outside)-[:`{planted.kind}`]->(a)"
    )
    share = "MATCH ()-[r]->() RETURN 2 * count(CASE WHEN type(r) = $type THEN 1 END) >= count(r) AS most"

    def read() -> Graph:
        assert neo4j_with_plugin.ask(share, type=planted.kind) == [{"most": most}]
        rows = neo4j_with_plugin.ask("CALL edgedp.exact.adjacency($name)", name=planted.name)
        return graph_of_pieces(rows, nodes_supplied=True)

    most = True
    assert read() == planted.graph
    neo4j_with_plugin.ask(others, times=2 * len(pairs))
    most = False
    assert read() == planted.graph


def test_a_request_id_is_debited_once(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    first = planted.top(k=3, requestId="r-1")
    assert planted.top(k=3, requestId="r-1") == first
    assert (
        planted.top(k=3, requestId="r-1", epsilon="1.0", mechanism="joint") == first
    )  # the same, written otherwise
    assert planted.spent == 1.0
    asked = {"metric": "degree", "k": 2, "epsilon": 1, "requestId": "r-1"}
    assert "must be new" in neo4j_with_plugin.refusal(TOP, name=planted.name, config=asked)
    assert planted.spent == 1.0
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}` {{id: $id}}) DETACH DELETE n", id=first[0]["id"])
    assert planted.on.ask(
        TOP, name=planted.name, config={"metric": "degree", "k": 3, "epsilon": 1, "requestId": "r-1"}
    ) == [first[0] | {"nodeId": None, "node": None}, *first[1:]]


def test_writes_ranks_in_place_of_the_old_ones(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    call = "CALL edgedp.privTopk.write($name, $config)"
    marks = f"MATCH (n:`{planted.label}`) WHERE n.top IS NOT NULL RETURN n.top AS rank ORDER BY rank"
    for k, left in ((4, 99.0), (2, 98.0)):
        config = {"metric": "degree", "k": k, "epsilon": 1, "writeProperty": "top"}
        (row,) = neo4j_with_plugin.ask(call, name=planted.name, config=config)
        assert row == {"nodePropertiesWritten": k, "epsilonRemaining": left}
        assert [mark["rank"] for mark in neo4j_with_plugin.ask(marks)] == list(range(1, k + 1))
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction() as tx:
        tx.run(call, name=planted.name, config=config | {"k": 6}).consume()
        tx.rollback()
    assert len(neo4j_with_plugin.ask(marks)) == 2  # the marks are the caller's to take back, the debit is not
    assert planted.spent == 3.0
    for name in ("id", "_top", "", None):
        said = neo4j_with_plugin.refusal(call, name=planted.name, config=config | {"writeProperty": name})
        assert said.startswith("writeProperty is ")
    assert "writeProperty" in neo4j_with_plugin.refusal(TOP, name=planted.name, config=config)
    assert planted.spent == 3.0
    config = {"metrics": ["degree", "density"], "k": 1, "epsilon": 1, "writeProperty": "top"}
    (row,) = neo4j_with_plugin.ask(
        "CALL edgedp.motkin.write($name, $config)", name=planted.name, config=config
    )
    assert row == {"nodePropertiesWritten": 1, "epsilonRemaining": 96.0}


def test_a_property_of_somebody_else_is_written_over_only_where_that_is_asked_for(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    ask, call = neo4j_with_plugin.ask, "CALL edgedp.privTopk.write($name, $config)"
    ask(f"MATCH (n:`{planted.label}`) WHERE n.id < 3 SET n.email = 'x'")
    config = {"metric": "degree", "k": 1, "epsilon": 1, "writeProperty": "email"}
    said = neo4j_with_plugin.refusal(call, name=planted.name, config=config)
    assert "which some node has and no release of" in said
    emails = f"MATCH (n:`{planted.label}`) RETURN count(n.email) AS n"
    assert ask(emails) == [{"n": 3}]
    assert planted.spent == 0.0, "nodes are public: it is refused before the debit"
    ask(call, name=planted.name, config=config | {"overwrite": True})
    assert ask(emails) == [{"n": 1}]
    ask(call, name=planted.name, config=config)  # ours by now
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction() as tx:
        for _ in range(2):
            tx.run(call, name=planted.name, config=config | {"writeProperty": "fresh"}).consume()
        tx.rollback()
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction() as tx:
        tx.run(f"MATCH (n:`{planted.label}`) SET n.own = 'of this transaction'").consume()
        with pytest.raises(neo4j.exceptions.ClientError, match="which some node has and no release of"):
            tx.run(call, name=planted.name, config=config | {"writeProperty": "own"}).consume()
        tx.close()
    ask(f"MATCH (n:`{planted.label}`) SET n.fresh = 1")
    said = neo4j_with_plugin.refusal(call, name=planted.name, config=config | {"writeProperty": "fresh"})
    assert "which some node has" in said, "a mark that was rolled back makes the property nobody's"
    assert planted.spent == 4.0


def test_a_kept_release_and_another_graph_of_the_name_write_over_nothing_of_somebody_else(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    ask, call = neo4j_with_plugin.ask, "CALL edgedp.privTopk.write($name, $config)"
    config = {"metric": "degree", "k": 1, "epsilon": 1, "requestId": "r", "writeProperty": "top"}
    ask(call, name=planted.name, config=config)
    ask(f"MATCH (n:`{planted.label}`) SET n.email = 'x'")
    said = neo4j_with_plugin.refusal(call, name=planted.name, config=config | {"writeProperty": "email"})
    assert "which some node has and no release of" in said
    ask(call, name=planted.name, config=config)
    other = f"Other {planted.name}"
    ask(f"UNWIND range(0, 5) AS id CREATE (:`{other}` {{id: id, top: 'x'}})")
    ask(f"MATCH (a:`{other}` {{id: 0}}), (b:`{other}` {{id: 1}}) CREATE (a)-[:`{planted.kind}`]->(b)")
    ask("CALL edgedp.graph.drop($name)", name=planted.name)
    declared = {"nodeLabel": other, "relationshipType": planted.kind, "idProperty": "id"}
    ask("CALL edgedp.graph.register($name, $declared)", name=planted.name, declared=declared)
    said = neo4j_with_plugin.refusal(call, name=planted.name, config=config | {"requestId": "s"})
    assert "which some node has and no release of" in said
    marks = f"MATCH (n:`{planted.label}`|`{other}`) RETURN count(n.email) AS emails, count(n.top) AS tops"
    assert ask(marks) == [{"emails": 6, "tops": 7}]
    assert planted.spent == 1.0


def test_labels_of_edgedps_own_are_neither_registered_nor_released_nor_written(
    neo4j_with_plugin: PluginServer,
) -> None:
    ask, refusal = neo4j_with_plugin.ask, neo4j_with_plugin.refusal
    planted = neo4j_with_plugin.plant()
    planted.top()
    register = "CALL edgedp.graph.register('mine', $declared)"
    declared = {
        "nodeLabel": "EdgeDPAccount",
        "relationshipType": "R",
        "idProperty": "name",
        "epsilonBudget": 9,
    }
    for change in ({}, {"nodeLabel": planted.label, "relationshipType": "EdgeDP_x", "idProperty": "id"}):
        assert "must not begin with EdgeDP" in refusal(register, declared=declared | change)
    edit = "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.nodeLabel = $label, g.idProperty = $key"
    ask(edit, name=planted.name, label="EdgeDPAccount", key="name")
    config = {"metric": "degree", "k": 1, "epsilon": 1, "writeProperty": "spent", "overwrite": True}
    call = "CALL edgedp.privTopk.write($name, $config)"
    assert "somebody edited it" in refusal(call, name=planted.name, config=config)
    assert planted.spent == 1.0
    ask(edit, name=planted.name, label=planted.label, key="id")
    ask(f"MATCH (a:EdgeDPAccount {{name: $name}}) SET a:`{planted.label}`, a.id = 99", name=planted.name)
    assert "carries a label of edgedp's own" in refusal(call, name=planted.name, config=config)
    ask(f"MATCH (a:EdgeDPAccount {{name: $name}}) REMOVE a:`{planted.label}`", name=planted.name)
    assert planted.spent == 1.0
    assert len(ask("CALL edgedp.graph.list()")) > 0


@pytest.mark.parametrize(
    "change", ["CREATE (:`{label}`)", "CREATE (:`{label}` {{id: 3}})", "CREATE (:`{label}` {{id: 'x'}})"]
)
def test_nodes_without_an_id_of_their_own_cost_nothing_at_every_retry(
    neo4j_with_plugin: PluginServer, change: str
) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask(change.format(label=planted.label))
    for _ in range(3):
        config = {"metric": "degree", "k": 1, "epsilon": 1, "requestId": "r"}
        assert "has no id" in neo4j_with_plugin.refusal(TOP, name=planted.name, config=config)
    assert planted.spent == 0.0


@pytest.mark.parametrize("value", ["-5000000000", "1.5", "'0'", "null", "0"])
def test_a_ledger_that_was_edited_is_refused_and_kills_no_worker(
    neo4j_with_plugin: PluginServer, value: str
) -> None:
    ask, refusal = neo4j_with_plugin.ask, neo4j_with_plugin.refusal
    planted = neo4j_with_plugin.plant()
    planted.top()
    workers = neo4j_with_plugin.workers()
    ask(f"MATCH (a:EdgeDPAccount {{name: $name}}) SET a.spent = {value}", name=planted.name)
    config = {"metric": "degree", "k": 1, "epsilon": 1}
    assert "does not add up" in refusal(TOP, name=planted.name, config=config)
    (checked,) = ask("CALL edgedp.graph.check($name)", name=planted.name)
    assert not checked["ok"]
    assert checked["problems"]
    ask("MATCH (a:EdgeDPAccount {name: $name}) SET a.spent = 1000000000", name=planted.name)
    assert ask("CALL edgedp.graph.check($name)", name=planted.name) == [
        {"name": planted.name, "ok": True, "problems": []}
    ]
    assert neo4j_with_plugin.workers() >= workers


def test_a_null_argument_is_refused_in_a_sentence_and_kills_no_worker(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    planted.top()
    workers = neo4j_with_plugin.workers()
    for call in (
        TOP,
        "CALL edgedp.motkin.write($name, $config)",
        "CALL edgedp.exact.stream($name, $config)",
        "CALL edgedp.exact.sensitivity($name, $config)",
        "CALL edgedp.graph.register('other', $config)",
    ):
        assert "the configuration is null" in neo4j_with_plugin.refusal(call, name=planted.name, config=None)
    for call in (
        TOP,
        "CALL edgedp.budget($name)",
        "CALL edgedp.graph.log($name)",
        "CALL edgedp.graph.drop($name)",
    ):
        assert "name is " in neo4j_with_plugin.refusal(call, name=None, config={})
    assert neo4j_with_plugin.workers() >= workers


def test_a_request_id_has_an_end(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    asked = {"metric": "degree", "k": 1, "epsilon": 1}
    said = neo4j_with_plugin.refusal(TOP, name=planted.name, config=asked | {"requestId": "x" * 201})
    assert said.startswith("requestId ")
    assert "at most 200" not in said or planted.spent == 0.0
    assert len(planted.top(requestId="x" * 200)) == 1
    assert planted.spent == 1.0


def test_a_kept_release_is_shown_though_the_graph_changed_since(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    first = planted.top(k=5, requestId="r")
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}`) WHERE n.id > 1 DETACH DELETE n")
    again = planted.top(k=5, requestId="r")  # by now k is above the number of nodes
    assert [row["id"] for row in again] == [row["id"] for row in first]
    assert planted.spent == 1.0


def test_the_log_tells_what_happened_and_who_the_database_had_authenticated(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask(
        "CREATE USER eve IF NOT EXISTS SET PASSWORD 'eves own password' CHANGE NOT REQUIRED"
    )
    uri = neo4j_with_plugin.server.uri
    with (
        neo4j.GraphDatabase.driver(uri, auth=("eve", "eves own password")) as driver,
        driver.session() as session,
    ):
        session.run(TOP, name=planted.name, config={"metric": "degree", "k": 1, "epsilon": 1}).consume()
        session.run("CALL edgedp.exact.stream($name, {metric: 'ebc'})", name=planted.name).consume()
        session.run("CALL edgedp.exact.adjacency($name)", name=planted.name).consume()
    with edgedp.open_store(uri, auth=neo4j_with_plugin.server.auth) as store:
        store.priv_top_k(
            planted.name, metric="degree", k=1, epsilon=1
        )  # read through the plugin: noted by its debit
        store.graph(planted.name)  # noted once
        kept = store.log(planted.name)
    rows = neo4j_with_plugin.ask("CALL edgedp.graph.log($name)", name=planted.name)
    assert [(row["event"], row["by"]) for row in rows] == [
        ("budget", "neo4j"), ("register", "neo4j"), ("debit", "eve"), ("answer", "eve"), ("exact", "eve"),
        ("exact", "eve"), ("debit", "neo4j"), ("answer", "neo4j"), ("exact", "neo4j"),
    ]  # fmt: skip
    assert [row["details"] for row in rows if row["event"] == "exact"] == [
        {"read": "exact", "metric": "ebc"}, {"read": "graph"}, {"read": "graph"},
    ]  # fmt: skip
    assert [(row["seq"], row["at"], row["epsilonSpent"]) for row in rows] == [
        (row["seq"], row["at"], row["epsilon_spent"]) for row in kept
    ]


def test_releases_and_the_log_are_read_by_pages(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    for _ in range(5):
        planted.top(k=1, epsilon=0.1)

    def releases(**page: Any) -> list[str]:
        rows = neo4j_with_plugin.ask("CALL edgedp.releases($name, $page)", name=planted.name, page=page)
        return [row["releaseId"] for row in rows]

    def log(**page: Any) -> list[int]:
        rows = neo4j_with_plugin.ask("CALL edgedp.graph.log($name, $page)", name=planted.name, page=page)
        return [row["seq"] for row in rows]

    whole = releases()
    assert len(set(whole)) == 5
    assert releases(limit=2) == whole[:2]
    assert releases(limit=2, since=whole[1]) == whole[2:4]
    assert releases(since=whole[-1]) == []
    assert log(limit=3, since=2) == [3, 4, 5]
    assert log(since=4) == log()[4:]
    for ask, page, told in (
        (releases, {"limit": 0}, "limit is 0"), (releases, {"since": "nothing"}, "must be the releaseId"),
        (releases, {"since": 3}, "since"), (releases, {"limits": 3}, "limits"),
        (log, {"limit": 1.5}, "limit"), (log, {"since": -1}, "since is -1"),
    ):  # fmt: skip
        with pytest.raises(neo4j.exceptions.ClientError, match=told):
            ask(**page)


def test_releases_tell_what_was_asked_and_what_came(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    picked = [row["id"] for row in planted.top(k=2, epsilon=0.1)]
    (kept,) = neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)
    assert kept["ids"] == picked
    assert kept["parameters"]["epsilon"] == "0.1"
    assert kept["parameters"]["selector"] == "priv_top_k"
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        (same,) = store.releases(planted.name)
    assert (same["release_id"], same["at"], same["nodes"]) == (kept["releaseId"], kept["at"], kept["ids"])
    assert {"selector": same["selector"]} | same["parameters"] == kept["parameters"]


def test_a_live_graph_that_breaks_its_bound_is_refused_in_constant_words(
    neo4j_with_plugin: PluginServer,
) -> None:
    planted = neo4j_with_plugin.plant(degreeBound=3)
    assert neo4j_with_plugin.ask("CALL edgedp.graph.list()") != []
    said = set()
    for pairs in ([(0, 4)], [(0, 5), (1, 3), (1, 4), (1, 5)]):
        planted.connect(pairs)
        said.add(
            neo4j_with_plugin.refusal(
                TOP,
                name=planted.name,
                config={"metric": "degree", "k": 1, "epsilon": 1, "mechanism": "em"},
            ).partition(" (release ")[0]
        )
    assert len(said) == 1
    assert planted.spent == 2.0


def test_the_ledger_outlives_the_graph(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    planted.top(epsilon=5)
    (dropped,) = neo4j_with_plugin.ask("CALL edgedp.graph.drop($name)", name=planted.name)
    assert dropped["name"] == planted.name
    assert planted.name not in [row["name"] for row in neo4j_with_plugin.ask("CALL edgedp.graph.list()")]
    register = "CALL edgedp.graph.register($name, $declared)"
    declared = {"nodeLabel": planted.label, "relationshipType": planted.kind, "idProperty": "id"}
    other = f"other {planted.name}"
    said = neo4j_with_plugin.refusal(register, name=other, declared=declared | {"epsilonBudget": 6})
    assert "has an account already" in said
    (row,) = neo4j_with_plugin.ask(register, name=other, declared=declared)
    assert row["epsilonSpent"] == 5.0
    said = neo4j_with_plugin.refusal(register, name=planted.name, declared=declared | {"epsilonBudget": 4})
    assert "at least what was spent" in said
    (again,) = neo4j_with_plugin.ask(register, name=planted.name, declared=declared | {"epsilonBudget": 6})
    assert again == {
        "name": planted.name, "nodeCount": 6, "degreeBound": 5, "epsilonBudget": 6.0, "epsilonSpent": 5.0,
        "delta": None, "exact": {"edgeCount": 5, "maxDegree": 3}, "warnings": again["warnings"],
    }  # fmt: skip
    assert "is stored already" in neo4j_with_plugin.refusal(register, name=planted.name, declared=declared)


def test_registration_refuses_what_is_no_graph(neo4j_with_plugin: PluginServer) -> None:
    ask, refusal = neo4j_with_plugin.ask, neo4j_with_plugin.refusal
    register = "CALL edgedp.graph.register('broken', $declared)"
    declared: dict[str, Any] = {"nodeLabel": "Bröken `x`", "relationshipType": "R`", "idProperty": "i`d"}
    ask("CREATE (:`Bröken ``x```), (:`Bröken ``x``` {`i``d`: 1})")
    assert "which 1 of 2 nodes lack" in refusal(register, declared=declared)
    ask("MATCH (n:`Bröken ``x```) SET n.`i``d` = 1")
    assert "two nodes share a value" in refusal(register, declared=declared)
    ask("MATCH (n:`Bröken ``x```) SET n.`i``d` = 1.5 * id(n)")
    assert "must hold integers or texts" in refusal(register, declared=declared)
    for key, value in (("nodeLabel", None), ("epsilonBudget", -1), ("maxEpsilonPerRelease", "x")):
        assert refusal(register, declared=declared | {key: value}).startswith(f"{key} is ")
    assert refusal(register, declared=declared | {"degreeBound": -1}).startswith("degreeBound is -1")
    assert "did you mean 'nodeLabel'?" in refusal(register, declared=declared | {"nodelabel": "x"})
    assert "must be" in refusal("CALL edgedp.graph.register('', $declared)", declared=declared)
    assert "broken" not in [row["name"] for row in ask("CALL edgedp.graph.list()")]


@pytest.mark.parametrize("node_count", [4, 501], ids=["no constraint", "a constraint"])
def test_a_graph_that_python_loaded_is_served_and_dropped(
    neo4j_with_plugin: PluginServer, node_count: int
) -> None:
    graph = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, node_count)], nodes=range(1, node_count + 1))
    ask, name = neo4j_with_plugin.ask, f"loaded{node_count}"
    neo4j_with_plugin.plant()  # so that edgedp's own nodes are there
    constraints = (
        "SHOW CONSTRAINTS YIELD name, properties WHERE properties = ['id'] AND name <> 'edgedp_session' "
        "AND NOT name ENDS WITH '_of_tests' RETURN count(*) AS n"
    )
    before = ask("MATCH (n) WHERE NOT n:EdgeDPFingerprint RETURN count(n) AS n")[0]["n"]
    entries_before = ask("MATCH (n:EdgeDPEntry) RETURN count(n) AS n")[0]["n"]
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        store.load(graph, name=name, epsilon_budget=1e6)
        assert ask(constraints) == [{"n": int(node_count > 500)}]
        assert store.graph(name) == graph  # read through edgedp.exact.adjacency
        config = {"metric": "degree", "k": 1, "epsilon": 1e5}
        assert [row["id"] for row in ask(TOP, name=name, config=config)] == [3]
        ask("CALL edgedp.graph.drop($name)", name=name)
        assert ask(constraints) == [{"n": 0}]
        assert [row["name"] for row in store.graphs() if row["name"] == name] == []
        assert store.budget(name)["epsilon_spent"] == 1e5
    left = ask("MATCH (n) WHERE NOT n:EdgeDPEntry AND NOT n:EdgeDPFingerprint RETURN count(n) AS n")[0]["n"]
    entries = ask("MATCH (n:EdgeDPEntry) RETURN count(n) AS n")[0]["n"]
    assert left + entries_before == before + 1  # the account
    assert entries == entries_before + 6  # budget, load, exact, debit, answer, drop


def test_profile_shows_no_counts_from_inside(neo4j_with_plugin: PluginServer) -> None:
    def profile(edges: list[tuple[int, int]]) -> list[tuple[str, Any, Any]]:
        planted = neo4j_with_plugin.plant(edges, range(20), allowEmpty=True)
        with neo4j_with_plugin.driver.session() as session:
            result = session.run(
                f"PROFILE {TOP}", name=planted.name, config={"metric": "degree", "k": 2, "epsilon": 1}
            )
            plan = result.consume().profile
        operators, rest = [], [plan]
        while rest:
            step = rest.pop()
            assert step is not None
            operators.append((step["operatorType"], step.get("rows"), step.get("dbHits")))
            rest += step.get("children", [])
        return operators

    assert profile([]) == profile([(a, b) for a in range(20) for b in range(a)])


def test_a_percentile_of_a_registered_graphs_property(neo4j_with_plugin: PluginServer) -> None:
    """Through Java and the worker: the same accounts and refusals; missing, text and lists count as missing."""
    on = neo4j_with_plugin
    planted = on.plant()
    on.ask(
        f"UNWIND $rows AS row MATCH (node:`{planted.label}` {{id: row[0]}}) "
        "SET node.age = row[1], node.degree = row[2]",
        rows=[[0, 31, 3], [1, None, 2], [2, 2.5, 2], [3, "x", 2], [4, 400, 1], [5, True, 0]],
    )
    on.ask(f"MATCH (node:`{planted.label}` {{id: 1}}) SET node.age = [1, 2]")
    ask, declare = (
        "CALL edgedp.percentile.stream($name, $config)",
        "CALL edgedp.graph.attribute($name, $config)",
    )
    age = {"property": "age", "low": 0, "high": 100, "points": 101}
    (declared,) = on.ask(declare, name=planted.name, config=age | {"epsilonBudget": 300})
    assert declared == {
        "property": "age", "low": 0, "high": 100, "grid": "linear", "points": 101, "dependsOn": "independent",
    }  # fmt: skip
    config = {"property": "age", "q": 0.5, "epsilon": 200, "requestId": "once"}
    (row,) = on.ask(ask, name=planted.name, config=config)
    assert row == {"value": 31.0}, "the median of 2.5, 31 and 100, which 400 is clipped to"
    assert on.ask(ask, name=planted.name, config=config) == [row]
    assert planted.spent == 0
    degree = {"property": "degree", "low": 0, "high": 9, "points": 10, "dependsOn": "degree"}
    on.ask(declare, name=planted.name, config=degree)
    (row,) = on.ask(ask, name=planted.name, config={"property": "degree", "q": "1/2", "epsilon": 45})
    assert row["value"] in range(10)
    assert planted.spent == 90
    said = on.refusal(ask, name=planted.name, config={"property": "degree", "q": 0.5, "epsilon": 10})
    assert "which costs 20 of the edges" in said
    assert "declared, and releases were paid since" in on.refusal(declare, name=planted.name, config=age)
    said = on.refusal(ask, name=planted.name, config={"property": "agee", "q": 0.5, "epsilon": 1})
    assert "did you mean 'age'" in said
    said = on.refusal(
        TOP, name=planted.name, config={"metric": "degree", "k": 1, "epsilon": 1, "requestId": "once"}
    )
    assert "must be new for another request" in said
    (budget,) = on.ask("CALL edgedp.budget($name)", name=planted.name)
    assert (budget["epsilonSpent"], budget["releases"]) == (90, 0)
    assert budget["attributes"] == {
        "epsilonBudget": 300, "epsilonSpent": 245, "epsilonRemaining": 55, "releases": 2,
    }  # fmt: skip
    kept = on.ask("CALL edgedp.releases($name)", name=planted.name)
    assert [row["answer"]["value"] for row in kept] == [31.0, row["value"]]
    on.ask(f"MATCH (node:`{planted.label}`) REMOVE node.degree")
    (row,) = on.ask(ask, name=planted.name, config={"property": "degree", "q": 0.5, "epsilon": 1})
    assert row["value"] in range(10), "a property that is gone is all missing values"
    again = on.ask(ask, name=planted.name, config=config)
    assert again == [{"value": 31.0}], "what is kept is shown though the budget affords it no more"
    on.ask("MATCH (a:EdgeDPAccount {name: $second}) SET a.spent = 0", second=f"{planted.name}\tattributes")
    (checked,) = on.ask("CALL edgedp.graph.check($name)", name=planted.name)
    assert not checked["ok"], "the second account is looked at, too"


def test_every_procedure_says_what_it_does(neo4j_with_plugin: PluginServer) -> None:
    """What stands outside the two families that are denied: test_neo4j_plugin_before.py."""
    rows = neo4j_with_plugin.ask(
        "SHOW PROCEDURES YIELD name, description WHERE name STARTS WITH 'edgedp.' RETURN name, description"
    )
    assert all(row["description"] for row in rows)


COUNT = "CALL edgedp.count.stream($name, $config)"


def test_numbers_are_streamed_paid_and_kept(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1e6, degreeBound=4)
    ask = neo4j_with_plugin.ask
    (exactly,) = ask(COUNT, name=planted.name, config={"of": "triangles", "epsilon": 1000})
    assert exactly == {"value": 1, "low": None, "high": None, "scale": None}
    asked = {"of": "common_neighbors", "pair": [0, 4], "epsilon": 1000, "requestId": "q"}
    (pair,) = ask(COUNT, name=planted.name, config=asked)
    assert pair == {"value": 1, "low": 1, "high": 1, "scale": 0.001}
    assert ask(COUNT, name=planted.name, config=asked) == [pair]
    (node,) = ask(COUNT, name=planted.name, config={"of": "density", "node": 0, "epsilon": 1000})
    assert node["value"] == pytest.approx(1 / 3, abs=0.01)
    (barred,) = ask(COUNT, name=planted.name, config={"of": "wedges", "errorBar": True, "epsilon": 1000})
    assert barred["low"] <= 6 <= barred["high"]
    call = "CALL edgedp.distribution.stream($name, $config)"
    rows = ask(call, name=planted.name, config={"epsilon": 1000, "form": "histogram"})
    assert rows == [{"degree": k, "nodes": n} for k, n in enumerate([1, 1, 3, 1, 0])]
    rows = ask("CALL edgedp.summary.stream($name, {epsilon: 20000})", name=planted.name)
    page = {row["number"]: row["value"] for row in rows}
    assert (page["edges"], page["triangles"], page["degree_ccdf"]) == (5, 1, [5, 4, 1])
    assert page["degree_quantiles"]["0.5"] == 2
    assert planted.spent == 25000.0
    kept = ask("CALL edgedp.releases($name)", name=planted.name)
    assert [row["parameters"]["selector"] for row in kept] == ["count"] * 4 + ["distribution", "summary"]
    assert (kept[0]["ids"], kept[0]["answer"]["value"]) == (None, 1)
    assert kept[5]["answer"]["summary"]["edges"] == 5
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        again = store.count(planted.name, "common_neighbors", 1000, pair=(0, 4), request_id="q")
    assert (again.value, planted.spent) == (1, 25000.0)


def test_the_law_of_a_count_is_the_exact_one(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(epsilonBudget=1e6, degreeBound=3)
    config = {"of": "triangles", "epsilon": 1.0}
    counted = "YIELD value RETURN value, count(*) AS times"
    rows = neo4j_with_plugin.ask(f"{MANY} {COUNT} {counted}", name=planted.name, config=config)
    law = edgedp.exact.count_probabilities(
        planted.graph, "triangles", epsilon=1, values=range(7), degree_bound=3
    )
    assert chi_square_holds({row["value"]: row["times"] for row in rows}, law)
    assert planted.spent == 400.0


def test_a_number_beyond_64_bits_is_a_float_in_cypher(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant(nodes=range(80), epsilonBudget=1)
    config = {"of": "stars", "starSize": 39, "epsilon": 1e-9, "mechanism": "geometric"}
    (row,) = neo4j_with_plugin.ask(COUNT, name=planted.name, config=config)
    assert row["scale"] > 2.0**64
    assert isinstance(row["high"], float)
    (kept,) = neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)
    assert kept["answer"]["interval"][1] == row["high"]


def test_refusals_of_numbers_cost_nothing_and_are_those_of_python(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    auth = neo4j_with_plugin.server.auth
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=auth) as store:
        for options in (
            {"of": "triangle"},
            {"of": "triangles", "mechanism": "nls"},
            {"of": "degree", "node": 77},
            {"of": "degree", "node": "0"},
            {"of": "common_neighbors", "pair": [0, 77]},
            {"of": "common_neighbors", "pair": [0, 0]},
            {"of": "common_neighbors", "pair": 0},
            {"of": "degree"},
        ):
            asked: dict[str, Any] = {"epsilon": 1} | options
            with pytest.raises(edgedp.EdgeDPError) as caught:
                store.count(planted.name, **asked)
            assert neo4j_with_plugin.refusal(COUNT, name=planted.name, config=asked) == str(caught.value)
    config = {"of": "triangles", "epsilon": 1, "mechanism": "nls", "delta": 1e-6}
    assert "'delta'" in neo4j_with_plugin.refusal(COUNT, name=planted.name, config=config)
    assert "null" in neo4j_with_plugin.refusal(COUNT, name=planted.name, config=None)
    assert planted.spent == 0.0


def test_a_procedure_spends_until_the_list_is_sure_each_step_debited_before_its_draw(
    neo4j_with_plugin: PluginServer,
) -> None:
    random = np.random.default_rng(3)
    edges = {
        (hub, int(leaf))
        for hub in range(12)
        for leaf in random.choice(np.arange(12, 300), 120 - 8 * hub, replace=False)
    }
    planted = neo4j_with_plugin.plant(sorted(edges), [*range(300)], epsilonBudget=20)
    config = {"metric": "ebc", "k": 5, "epsilon": 6, "targetRecall": 0.8, "requestId": "sure"}
    call = "CALL edgedp.privTopk.stream($name, $config)"
    rows = neo4j_with_plugin.ask(call, name=planted.name, config=config)
    assert len(rows) == 5
    spent = rows[0]["epsilon"]
    assert 0 < spent < 6
    assert planted.spent == pytest.approx(spent)
    log = "MATCH (e:EdgeDPEntry {name: $name}) WHERE e.kind IN $of RETURN e.kind AS kind, e.cost AS cost "
    entries = neo4j_with_plugin.ask(log + "ORDER BY e.seq", name=planted.name, of=["debit", "answer"])
    assert entries[-1]["kind"] == "answer"
    assert sum(each["cost"] for each in entries[:-1]) == round(spent * 10**9)
    again = neo4j_with_plugin.ask(call, name=planted.name, config=config)
    assert [(row["id"], row["epsilon"]) for row in again] == [(row["id"], spent) for row in rows]
    (listed,) = neo4j_with_plugin.ask("CALL edgedp.releases($name)", name=planted.name)
    assert listed["ids"] == [row["id"] for row in rows]
    neo4j_with_plugin.ask(
        "CALL edgedp.graph.setBudget($name, $epsilon)", name=planted.name, epsilon=spent + 0.2
    )
    short = {"metric": "degree", "k": 5, "epsilon": 6, "targetRecall": "0.999"}
    (first, *_) = neo4j_with_plugin.ask(call, name=planted.name, config=short)
    assert 0 < first["epsilon"] <= 0.2 + 1e-9
    with edgedp.open_store(neo4j_with_plugin.server.uri, auth=neo4j_with_plugin.server.auth) as store:
        assert store.check(planted.name) == []
        assert [row["ended"] for row in store.releases(planted.name)] == ["reached", "refused"]


def test_procedures_show_titles_beside_the_nodes_and_keep_them(neo4j_with_plugin: PluginServer) -> None:
    ids = [*range(60)]
    edges = [(0, other) for other in ids[1:40]] + [(1, other) for other in ids[2:30]]
    planted = neo4j_with_plugin.plant(edges, ids, epsilonBudget=20, titleProperty="name")
    name = f"MATCH (n:`{planted.label}`) SET n.name = "
    neo4j_with_plugin.ask(name + "CASE WHEN n.id % 2 = 0 THEN 'node ' + n.id ELSE null END")
    call = "CALL edgedp.privTopk.stream($name, $config) YIELD id, title"
    config = {"metric": "degree", "k": 20, "epsilon": 2, "requestId": "titled"}
    rows = neo4j_with_plugin.ask(call, name=planted.name, config=config)
    assert [row["title"] for row in rows] == [None if row["id"] % 2 else f"node {row['id']}" for row in rows]
    neo4j_with_plugin.ask(name + "'other'")
    assert neo4j_with_plugin.ask(call, name=planted.name, config=config) == rows
    sure = {"metric": "degree", "k": 5, "epsilon": 4, "targetRecall": 0.5}
    assert {row["title"] for row in neo4j_with_plugin.ask(call, name=planted.name, config=sure)} == {"other"}
    kept = neo4j_with_plugin.ask("CALL edgedp.releases($name) YIELD answer", name=planted.name)
    assert kept[0]["answer"]["titles"] == [row["title"] for row in rows]
    assert len(kept[0]["answer"]["near_titles"]) == len(kept[0]["answer"]["near"])
    declared = {"property": "name", "low": 0, "high": 9}
    with pytest.raises(neo4j.exceptions.Neo4jError) as refused:
        neo4j_with_plugin.ask(
            "CALL edgedp.graph.attribute($name, $config)", name=planted.name, config=declared
        )
    assert "the public title of the nodes" in sentence(refused.value)
