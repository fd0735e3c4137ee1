"""What a caller can hold up: every inner transaction ends with its caller, and no argument costs a worker."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

import neo4j
from plugin_fixtures import (
    PROJECT,
    TOP,
    Planted,
    PluginServer,
    eventually,
)

SOURCES = sorted((PROJECT / "src" / "main" / "java").rglob("*.java"))
ENDS = ("terminated", "timed out", "vanished")
RUNNING = (
    "SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS asked, metaData AS told "
    "WHERE NOT asked STARTS WITH 'SHOW TRANSACTIONS' AND told.holds IS NULL RETURN id, asked"
)
CHILD = """
import sys, neo4j
uri, user, password, statement, name = sys.argv[1:]
with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver, driver.session() as session:
    session.run(statement, name=name).consume()
"""


@pytest.fixture(autouse=True)
def as_installed(neo4j_with_plugin: PluginServer) -> Iterator[None]:
    """Let only the caller end a call: no limit of the plugin's own is met. Put it right afterwards."""
    neo4j_with_plugin.configure(ledger_lock_timeout="600s", worker_job_timeout="600s")
    yield
    neo4j_with_plugin.configure()


class Caller:
    """A call that is made beside the test, by a client of its own."""

    def __init__(self, on: PluginServer, statement: str, name: str, end: str) -> None:
        self._on = on
        self.end_by = end
        self.outcome: BaseException | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        if end == "vanished":
            server = on.server
            given = [server.uri, server.user, server.password, statement, name]
            self._child = subprocess.Popen([sys.executable, "-c", CHILD, *given], stderr=subprocess.DEVNULL)
        else:
            timeout = 5.0 if end == "timed out" else None
            self._thread = threading.Thread(target=self._ask, args=(statement, name, timeout))
            self._thread.start()

    def _ask(self, statement: str, name: str, timeout: float | None) -> None:
        try:
            with self._on.driver.session() as session:
                session.run(neo4j.Query(statement, timeout=timeout), name=name).consume()
        except neo4j.exceptions.Neo4jError as error:
            self.outcome = error

    def end(self) -> None:
        """End the caller, and wait until nothing of its call is left on the server."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        elif self.end_by == "terminated":
            assert eventually(self._terminated, 240), "the call goes on, and the server shows none"
        if self._thread is not None:
            self._thread.join(120)
            assert not self._thread.is_alive(), "the call goes on though its caller has ended"
        assert eventually(lambda: not self._on.ask(RUNNING), 240), self._on.ask(RUNNING)

    def _terminated(self) -> bool:
        """End the call unless it has ended; the server may show none between two statements of its own."""
        if self._thread is None or not self._thread.is_alive():
            return True
        calls = [row["id"] for row in self._on.ask(RUNNING) if row["asked"].startswith("CALL edgedp")]
        for each in calls:
            self._on.ask("TERMINATE TRANSACTION $id", id=each)
        return bool(calls)


def check_said(caller: Caller) -> None:
    """A call that was ended says so by its status; a client that vanished is told nothing."""
    if caller.end_by != "vanished":
        assert isinstance(caller.outcome, neo4j.exceptions.Neo4jError)
        assert re.search(r"Terminated|TimedOut", str(caller.outcome.code)), caller.outcome


@contextmanager
def held(on: PluginServer, statement: str, **parameters: Any) -> Iterator[None]:
    """Keep the locks of a statement in a transaction that does not end."""
    with on.driver.session() as session, session.begin_transaction(metadata={"holds": True}) as tx:
        tx.run(statement, parameters).consume()
        yield
        tx.rollback()


def indexed(on: PluginServer) -> Planted:
    """Plant a graph whose ids have an index, which every test finds as it was."""
    return on.plant(name="held")


def held_schema(on: PluginServer) -> AbstractContextManager[None]:
    """Make whoever reads by the index of `indexed` wait, for as long as the index may be dropped; it is not."""
    return held(on, "DROP CONSTRAINT held_of_tests")


def waits(on: PluginServer, in_statement: str) -> Callable[[], bool]:
    """Whether an inner transaction of the plugin is running a statement."""
    return lambda: any(in_statement in row["asked"] for row in on.ask(RUNNING))


def test_one_class_opens_every_inner_transaction_with_a_limit_and_a_watch() -> None:
    opening = re.compile(r"\b(beginTx|executeTransactionally)\s*\(")
    found = {
        (path.name, line.strip())
        for path in SOURCES
        if path.name != "WarmUp.java"  # it plans statements for nobody, and runs none
        for line in path.read_text(encoding="utf-8").splitlines()
        if opening.search(line)
    }
    (where, line) = found.pop()
    assert not found
    assert where == "InnerTransactions.java"
    assert "beginTx(whole.toMillis(), MILLISECONDS)" in line
    text = next(path for path in SOURCES if path.name == where).read_text(encoding="utf-8")
    assert text.count("new Watch(transaction, caller, lockLimit)") == 1


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("procedure", ["count.estimate", "count.stream"])
def test_a_read_ends_with_its_caller(neo4j_with_plugin: PluginServer, procedure: str, end: str) -> None:
    planted = indexed(neo4j_with_plugin)
    call = f"CALL edgedp.{procedure}($name, {{of: 'degree', epsilon: 1, node: 1}})"
    with held_schema(neo4j_with_plugin):
        caller = Caller(neo4j_with_plugin, call, planted.name, end)
        assert eventually(waits(neo4j_with_plugin, "IN $ids"), 240)
        caller.end()
        check_said(caller)
    assert planted.spent == 0.0


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize(
    "call",
    [
        "CALL edgedp.count.stream($name, {of: 'edges', epsilon: 1})",
        "CALL edgedp.exact.stream($name, {metric: 'degree'})",
        "CALL edgedp.graph.setBudget($name, 200.0)",
        "CALL edgedp.graph.drop($name)",
    ],
)
def test_a_wait_for_the_ledger_ends_with_its_caller(
    neo4j_with_plugin: PluginServer, call: str, end: str
) -> None:
    planted = neo4j_with_plugin.plant()
    lock = "MATCH (account:EdgeDPAccount {name: $name}) SET account.held = true"
    with held(neo4j_with_plugin, lock, name=planted.name):
        caller = Caller(neo4j_with_plugin, call, planted.name, end)
        assert eventually(waits(neo4j_with_plugin, "account.held"), 240)
        caller.end()
        check_said(caller)
    assert planted.spent == 0.0
    assert len(planted.top()) == 1


def test_a_call_that_was_ended_before_its_debit_costs_nothing(neo4j_with_plugin: PluginServer) -> None:
    """The ledger is free again at once after the end, between two looks of the watch; of many calls some would pay."""
    planted = neo4j_with_plugin.plant()
    for _ in range(3):
        planted.top()  # a warm debit takes less than the watch's interval
    before = planted.spent
    lock = "MATCH (account:EdgeDPAccount {name: $name}) SET account.held = true"
    call = "CALL edgedp.count.stream($name, {of: 'edges', epsilon: 1})"
    for _ in range(12):
        with held(neo4j_with_plugin, lock, name=planted.name):
            caller = Caller(neo4j_with_plugin, call, planted.name, "terminated")
            assert eventually(waits(neo4j_with_plugin, "account.held"), 240)
            (asked,) = [row["id"] for row in neo4j_with_plugin.ask(RUNNING) if row["asked"] == call]
            neo4j_with_plugin.ask("TERMINATE TRANSACTION $id", id=asked)
        caller.end()
        check_said(caller)
        assert planted.spent == before


def test_a_read_has_a_limit_of_its_own(neo4j_with_plugin: PluginServer) -> None:
    planted = indexed(neo4j_with_plugin)
    neo4j_with_plugin.configure(ledger_lock_timeout="1s", ledger_transaction_timeout="1s")
    with held_schema(neo4j_with_plugin):
        said = neo4j_with_plugin.refusal(
            "CALL edgedp.count.estimate($name, {of: 'degree', epsilon: 1, node: 1})", name=planted.name
        )
    assert said.startswith("the database was not read within 2 s; ")


def test_ids_that_are_no_pair_are_not_looked_up(neo4j_with_plugin: PluginServer) -> None:
    planted = indexed(neo4j_with_plugin)
    asked = {"of": "common_neighbors", "epsilon": 1, "pair": list(range(3000))}
    with held_schema(neo4j_with_plugin):
        said = neo4j_with_plugin.refusal(
            "CALL edgedp.count.stream($name, $asked)", name=planted.name, asked=asked
        )
    assert said == "pair has 3000 ids, must be two node ids; name both nodes"


@pytest.mark.parametrize("given", [{}, {"requestId": "r"}])
@pytest.mark.parametrize("end", ["terminated", "timed out"])
def test_a_caller_that_ends_after_the_debit_is_told_of_it(
    neo4j_with_plugin: PluginServer, end: str, given: dict[str, str]
) -> None:
    """The marks of a ``.write`` wait for a node that somebody holds; by then the answer is kept."""
    planted = neo4j_with_plugin.plant(edges=[(0, 1), (0, 2)], nodes=[0, 1, 2])
    named = ", requestId: 'r'" if given else ""
    call = (
        "CALL edgedp.privTopk.write($name, "
        f"{{metric: 'degree', k: 3, epsilon: 1, writeProperty: 'rank'{named}}})"
    )
    with held(neo4j_with_plugin, f"MATCH (n:`{planted.label}`) SET n.seen = true"):
        caller = Caller(neo4j_with_plugin, call, planted.name, end)
        assert eventually(lambda: planted.spent == 1.0, 240)
        assert eventually(lambda: bool(kept(planted)), 240)
        caller.end()
        check_said(caller)
    said = str(caller.outcome)
    assert re.search(
        r"the call was ended before its answer was shown \(release [0-9a-f]{32} is debited; ", said
    )
    if given:
        assert "asking again with the same requestId gives the kept answer, or says that it was lost" in said
        asked = {"metric": "degree", "k": 3, "epsilon": 1, "requestId": "r"}
        assert [row["id"] for row in planted.on.ask(TOP, name=planted.name, config=asked)] == kept(planted)
    else:
        assert "edgedp.releases gives its answer" in said
    assert planted.spent == 1.0


def kept(planted: Planted) -> Any:
    """Return the ids of the one release of a graph; None where it has no answer."""
    rows = planted.on.ask("CALL edgedp.releases($name) YIELD ids", name=planted.name)
    return rows[0]["ids"] if rows else None


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"node": nested(9)}, "the configuration is nested more than 8 deep, "),
        ({"node": nested(900)}, "the configuration is nested more than 8 deep, "),
        ({"pair": list(range(100_001))}, "the configuration holds more than 100000 values, "),
        ({"node": "x" * 10_001}, "the configuration.node has 10001 characters, must have at most 10000; "),
        ({"x" * 10_001: 1}, "a key of the configuration has 10001 characters, "),
        ({"node": b"ab"}, "the configuration.node is of the type byte[], "),
        ({"epsilon": neo4j.time.Date(2024, 1, 1)}, "the configuration.epsilon is of the type LocalDate, "),
        (
            {"epsilon": neo4j.time.Duration(days=1)},
            "the configuration.epsilon is of the type DurationValue, ",
        ),
        (
            {"node": neo4j.spatial.CartesianPoint((1, 2))},
            "the configuration.node is of the type PointValue, ",
        ),
        ({"node": float("nan")}, "node is nan, "),
        ({"node": {"a": 1}}, "node is {'a': 1}, "),
    ],
)
def test_what_a_worker_cannot_be_asked_is_refused_in_a_sentence_and_ends_no_worker(
    neo4j_with_plugin: PluginServer,
    given: dict[str, Any],
    says: str,
) -> None:
    planted = neo4j_with_plugin.plant()
    limit = sys.getrecursionlimit()
    before = neo4j_with_plugin.workers()
    sys.setrecursionlimit(20_000)  # the driver's, not ours
    try:
        said = neo4j_with_plugin.refusal(
            "CALL edgedp.count.stream($name, $asked)",
            name=planted.name,
            asked={"of": "degree", "epsilon": 1} | given,
        )
    finally:
        sys.setrecursionlimit(limit)
    assert said.startswith(says)
    assert neo4j_with_plugin.workers() == before
    assert planted.spent == 0.0


@pytest.mark.parametrize(
    "call",
    [
        "CALL edgedp.graph.register('another', $given)",
        "CALL edgedp.graph.attribute($name, $given)",
        "CALL edgedp.exact.stream($name, $given)",
        "CALL edgedp.graph.setBudget($name, $given)",
        "CALL edgedp.motkin.estimate($name, $given)",
    ],
)
def test_every_procedure_refuses_it(neo4j_with_plugin: PluginServer, call: str) -> None:
    planted = neo4j_with_plugin.plant()
    before = neo4j_with_plugin.workers()
    said = neo4j_with_plugin.refusal(call, name=planted.name, given={"low": nested(9)})
    assert " is nested more than 8 deep, " in said
    said = neo4j_with_plugin.refusal("CALL edgedp.budget($name)", name="x" * 10_001)
    assert said.startswith("name has 10001 characters, ")
    assert neo4j_with_plugin.workers() == before


def test_a_list_that_a_property_holds_is_a_list(neo4j_with_plugin: PluginServer) -> None:
    planted = neo4j_with_plugin.plant()
    neo4j_with_plugin.ask(f"MATCH (n:`{planted.label}` {{id: 0}}) SET n.pair = [0, 3]")
    (row,) = neo4j_with_plugin.ask(
        f"MATCH (n:`{planted.label}` {{id: 0}}) "
        "CALL edgedp.count.estimate($name, {of: 'common_neighbors', epsilon: 1, pair: n.pair}) "
        "YIELD refused, parameters RETURN refused, parameters",
        name=planted.name,
    )
    assert row["refused"] is None
    assert row["parameters"]["pair"] == [0, 3]
