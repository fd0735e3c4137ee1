"""How the plugin reads a graph: the nodes before the debit, the relationships in pieces that go to a worker."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neo4j
from edgedp.stores.statements.queries import query
from neo4jserver.server import DEFAULT_VERSION, NEWEST_VERSION
from plugin_fixtures import (
    Planted,
    PluginServer,
    eventually,
    interpreter,
    plugin_server,
    sentence,
)

DEGREES = "CALL edgedp.exact.stream($name, {metric: 'degree'}) YIELD id, value RETURN id, value"
EDGES = "CALL edgedp.count.stream($name, {of: 'edges', epsilon: 1})"
MANY = 450


@pytest.fixture
def complete(plugin_of_the_run: PluginServer) -> Iterator[Planted]:
    """A graph of more relationships than are on their way to a worker at once: three pieces and some.

    It is made for the first test, and again where another has emptied the server meanwhile; what a test adds, it
    takes away.
    """
    planted = Planted(plugin_of_the_run, "complete", list(range(MANY)), [])
    ends = f"(a:`{planted.label}`), (b:`{planted.label}`) WHERE a.id < b.id"
    (there,) = plugin_of_the_run.ask(f"MATCH (n:`{planted.label}`) RETURN count(n) AS n")
    if there["n"] != MANY:
        plugin_of_the_run.begin_anew()
        plugin_of_the_run.plant([], planted.nodes, planted.name, allowEmpty=True)
        plugin_of_the_run.ask(f"MATCH {ends} CREATE (a)-[:`{planted.kind}`]->(b)")
    yield planted
    plugin_of_the_run.ask(f"MATCH (n:`{planted.label}`) WHERE n.id >= {MANY} DETACH DELETE n")
    plugin_of_the_run.configure()


class Asked:
    """A call beside the test."""

    def __init__(self, on: PluginServer, statement: str, name: str) -> None:
        self.rows: list[dict[str, Any]] = []
        self.refused: neo4j.exceptions.Neo4jError | None = None
        self._thread = threading.Thread(target=self._ask, args=(on, statement, name))
        self._thread.start()

    def _ask(self, on: PluginServer, statement: str, name: str) -> None:
        try:
            self.rows = on.ask(statement, name=name)
        except neo4j.exceptions.Neo4jError as error:
            self.refused = error

    def end(self) -> None:
        self._thread.join(240)
        assert not self._thread.is_alive()


HELD = """
    whole = worker.read_frame
    def read_frame(stream, *, limit):
        frame = whole(stream, limit=limit)
        if frame is not None and frame.header.get("verb") == "pairs":
            open({started!r}, "w").close()
            while not os.path.exists({go!r}):
                time.sleep(0.01)
        return frame
    worker.read_frame = read_frame
"""


@contextlib.contextmanager
def in_the_middle(planted: Planted, statement: str, folder: Path) -> Iterator[Asked]:
    """Make a call and hold it where its first relationships are read and its last ones are not.

    The worker takes one piece; the next fills the pipe, and the one after waits for it.
    """
    started, go = folder / "started", folder / "go"
    held = interpreter(folder, HELD.format(started=str(started), go=str(go)))
    planted.on.configure(worker_python=str(held))
    asked = Asked(planted.on, statement, planted.name)
    try:
        assert eventually(started.exists, 240)
        yield asked
    finally:
        go.touch()
        asked.end()


def test_what_commits_while_a_graph_is_read_may_be_met_in_part(complete: Planted, tmp_path: Path) -> None:
    """One transaction deletes two relationships; one of them was read before. A snapshot would have both or neither."""
    of_kind = f"MATCH (a)-[r:`{complete.kind}`]->(b) "
    (early,) = complete.on.ask(
        of_kind + "RETURN a.id AS a, b.id AS b, elementId(r) AS link ORDER BY id(r) LIMIT 1"
    )
    (late,) = complete.on.ask(
        of_kind
        + "WHERE NOT a.id IN $ends AND NOT b.id IN $ends "
        + "RETURN a.id AS a, b.id AS b, elementId(r) AS link ORDER BY id(r) DESC LIMIT 1",
        ends=[early["a"], early["b"]],
    )
    with in_the_middle(complete, DEGREES, tmp_path) as asked:
        complete.on.ask(of_kind + "WHERE elementId(r) IN $both DELETE r", both=[early["link"], late["link"]])
    degrees = {row["id"]: row["value"] for row in asked.rows}
    assert {degrees[early["a"]], degrees[early["b"]]} == {MANY - 1}, "read before it was deleted"
    assert {degrees[late["a"]], degrees[late["b"]]} == {MANY - 2}, "deleted before it was read"


def test_a_call_that_is_ended_while_it_reads_ends(complete: Planted, tmp_path: Path) -> None:
    before = complete.spent
    with in_the_middle(complete, EDGES, tmp_path) as asked:
        (row,) = complete.on.ask(
            "SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS asked WHERE asked = $asked RETURN id",
            asked=EDGES,
        )
        complete.on.ask("TERMINATE TRANSACTION $id", id=row["id"])
        asked.end()  # while the worker is held still
    assert asked.refused is not None
    assert "Terminated" in str(asked.refused.code)
    assert re.search(r"\(release [0-9a-f]{32} is debited; ", str(asked.refused))
    assert complete.spent == before + 1.0
    complete.on.configure()
    assert len(complete.top()) == 1, "another worker has none of its pairs"


def test_a_node_that_comes_or_goes_after_the_plan_refuses_nothing(complete: Planted, tmp_path: Path) -> None:
    """The nodes of a release are those that were read before its debit; an edge of a later one is none of it."""
    complete.on.ask(f"CREATE (:`{complete.label}` {{id: 1000}})")
    everybody = f"CALL edgedp.privTopk.stream($name, {{metric: 'degree', k: {MANY + 1}, epsilon: 1}})"
    with in_the_middle(complete, everybody, tmp_path) as asked:
        complete.on.ask(
            f"MATCH (a:`{complete.label}` {{id: 0}}), (gone:`{complete.label}` {{id: 1000}}) DELETE gone "
            f"CREATE (a)-[:`{complete.kind}`]->(:`{complete.label}` {{id: 2000}})"
        )
    assert asked.refused is None
    assert {row["id"] for row in asked.rows} == {*range(MANY), 1000}
    assert next(row["nodeId"] for row in asked.rows if row["id"] == 1000) is None


NODES = {
    "numbers": [1, 2, 3],
    "texts": ["a", "b", ""],
    "one twice": [1, 2, 2],
    "a text twice": ["a", "a"],
    "one without": [1, None],
    "mixed": [1, "1"],
    "a fraction": [1.5, 2],
    "none": [],
}


@pytest.mark.parametrize("name", NODES)
def test_both_surveys_of_nodes_say_the_same(neo4j_with_plugin: PluginServer, name: str) -> None:
    """The plugin counts the nodes that it reads; a store over Bolt, and an estimate, ask a statement."""
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}`) DETACH DELETE n")
    neo4j_with_plugin.ask(f"UNWIND $ids AS id CREATE (n:`{planted.label}`) SET n.id = id", ids=NODES[name])
    ask = "{of: 'edges', epsilon: 1}"
    (told,) = neo4j_with_plugin.ask(f"CALL edgedp.count.estimate($name, {ask})", name=planted.name)
    before = planted.spent
    try:
        neo4j_with_plugin.ask(f"CALL edgedp.count.stream($name, {ask})", name=planted.name)
        refused = None
    except neo4j.exceptions.ClientError as error:
        refused = sentence(error)
    assert refused == told["refused"]
    assert planted.spent == before + (refused is None)


def test_labels_of_edgedps_own_are_counted_by_both(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}` {{id: 0}}) SET n:EdgeDPNode")
    found = neo4j_with_plugin.ask(
        query("neo4j", "survey", node_label=planted.label, id_property="id", candidate_label=planted.label),
        nodeLabel=planted.label,
    )
    assert found[0]["ours"] == 1
    said = neo4j_with_plugin.refusal(EDGES, name=planted.name)
    assert "carries a label of edgedp's own" in said
    assert planted.spent == 0.0


def test_how_far_an_exact_read_is_stands_in_the_transactions_metadata(
    neo4j_with_plugin: PluginServer,
) -> None:
    """It is said every million relationships; a caller's own metadata stays."""
    text = query("neo4j", "progress")
    with neo4j_with_plugin.driver.session() as session, session.begin_transaction(metadata={"own": 7}) as tx:
        tx.run(text, told="reading people: 5 relationships, 3 a second").consume()
        (row,) = neo4j_with_plugin.ask(
            "SHOW TRANSACTIONS YIELD metaData AS told WHERE told.own IS NOT NULL RETURN told"
        )
        tx.rollback()
    assert row["told"] == {"own": 7, "edgedp": "reading people: 5 relationships, 3 a second"}


def test_an_estimate_says_how_much_memory_the_nodes_take(neo4j_with_plugin: PluginServer) -> None:
    """The number of relationships has no part in it, for it is private."""
    few, many = (neo4j_with_plugin.plant(edges=edges) for edges in ([(0, 1)], [(0, 1), (1, 2), (3, 4)]))
    estimate = EDGES.replace(".stream", ".estimate") + " YIELD memory RETURN memory"
    (told,), (same,) = (neo4j_with_plugin.ask(estimate, name=each.name) for each in (few, many))
    assert told == same
    neo4j_with_plugin.ask(f"UNWIND range(100, 299) AS id CREATE (:`{few.label}` {{id: id}})")
    (more,) = neo4j_with_plugin.ask(estimate, name=few.name)
    assert more["memory"]["heap"] - told["memory"]["heap"] == 200 * 64
    assert more["memory"]["worker"] > told["memory"]["worker"]
    assert more["memory"]["workerPerRelationship"] == told["memory"]["workerPerRelationship"]


def test_releases_one_after_the_other_have_the_whole_heap_each(neo4j_with_plugin: PluginServer) -> None:
    """Each takes 16 MiB of the 700 that all calls have together, and gives them back."""
    planted = neo4j_with_plugin.plant()
    rows = neo4j_with_plugin.ask(
        f"UNWIND range(1, 60) AS each {EDGES} YIELD value RETURN value", name=planted.name
    )
    assert len(rows) == planted.spent == 60


@pytest.mark.parametrize("version", [DEFAULT_VERSION, pytest.param(NEWEST_VERSION, marks=pytest.mark.slow)])
def test_a_release_that_the_heap_has_no_room_for_is_refused_before_its_debit(
    tmp_path: Path, version: str
) -> None:
    """The nodes alone decide, which are public: the same words whatever the relationships.

    What calls take is given back, by those that are refused, too.
    """
    estimate = EDGES.replace(".stream", ".estimate") + " YIELD refused, memory RETURN refused, memory"
    with plugin_server(version, tmp_path) as on:
        few, many = on.plant(edges=[(0, 1)]), on.plant()
        (free,) = on.ask(estimate, name=few.name)
        assert free["refused"] is None
        assert free["memory"]["worker"] > free["memory"]["workerPerRelationship"] > 0
        on.server.restart(db__memory__transaction__max="8m")
        said = {on.refusal(EDGES, name=each.name) for each in (few, many)}
        (told,) = on.ask(estimate, name=many.name)
        assert said == {told["refused"]}
        assert "MiB of the server's heap for the graph's nodes, which are not free" in said.pop()
        assert told["memory"] == free["memory"]
        assert few.spent == many.spent == 0.0
        on.server.restart(
            db__memory__transaction__max="0",
            dbms__memory__transaction__total__max=str(3 * free["memory"]["heap"]),
        )
        for _ in range(5):
            assert on.ask(EDGES, name=many.name)
            assert on.ask(DEGREES + " LIMIT 1", name=many.name)
            on.refusal("CALL edgedp.count.stream($name, {of: 'x', epsilon: 1})", name=many.name)
        assert many.spent == 5.0
