"""The machine of `interleaving` on a real Neo4j: several stores on one database, and processes that are killed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from edgedp import BudgetError, EdgeDPError, Store, open_store
from embedded_children import child
from forks import Process
from interleaving import Interleaving, Place, costs_of
from killing import Point
from neo4jserver import Server
from neo4jserver.fixtures import KEYED, empty

pytestmark = pytest.mark.neo4j


NODES = "MATCH (node:EdgeDPAccount|EdgeDPEntry) RETURN labels(node)[0] AS label, node{.*} AS row"
ACCOUNT = "MATCH (node:EdgeDPAccount {name: $name})"
GRAPH = "MATCH (node:EdgeDPStoredGraph {name: $name})"
LAST = "MATCH (node:EdgeDPEntry {name: $name}) WITH node ORDER BY node.seq DESC LIMIT 1"
MIDDLE = (
    "MATCH (node:EdgeDPEntry {name: $name, seq: 2}) WHERE EXISTS { MATCH (:EdgeDPEntry {name: $name, seq: 3}) } "
    "WITH node"
)

OTHERS = (
    "SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS asked "
    "WHERE NOT asked STARTS WITH 'SHOW TRANSACTIONS' RETURN id"
)

REFUSED = (
    (ACCOUNT, "SET node.spent = 0"),
    (ACCOUNT, "SET node.spent = toString(node.spent)"),
    (ACCOUNT, "SET node.entries = node.entries - 1"),
    (ACCOUNT, "SET node.budget = 10 * node.budget, node.declared = 10 * node.declared"),
    (ACCOUNT, "SET node.maxPerRelease = 10000000000"),
    (ACCOUNT, "SET node.delta = 1"),
    (ACCOUNT, "SET node.terms = ''"),
    (ACCOUNT, "REMOVE node.terms"),
    (ACCOUNT, "DELETE node"),
    (GRAPH, "SET node.relationshipType = 'OTHER'"),
    (GRAPH, "SET node.nodeLabel = 'Other'"),
    (GRAPH, "SET node.degreeBound = 1"),
    (GRAPH, "DELETE node"),
    (LAST, "SET node.total = node.total - 1"),
    (LAST, "SET node.seq = -node.seq"),
    (LAST, "SET node.budget = 7, node.declared = 7"),
    (LAST, "DELETE node"),
    ("MATCH (node:EdgeDPSchema)", "SET node.version = 99"),
)
"""What a debit must notice, of nodes: how one is found, and what becomes of it."""

COST = costs_of("priv_top_k", "0.000000001")

OVERLOOKED = (
    (MIDDLE, "SET node.charge = 1"),
    (MIDDLE, "SET node.body = '{'"),
    (MIDDLE, "DELETE node"),
    (
        "MATCH (node:EdgeDPEntry {name: $name, kind: 'answer'}) WITH node ORDER BY node.seq LIMIT 1",
        "SET node.at = ''",
    ),
)
"""What is for `check` to find, or changes nothing that anybody rests on."""


class Database(Place):
    """An empty database of a running server."""

    paths = 3
    load_points: tuple[Point, ...] = ("begun", "written")

    def __init__(self, server: Server) -> None:
        self._server = server
        empty(server)

    def store(self, path: int) -> Store:
        return open_store(self._server.uri, auth=self._server.auth)

    def child(self, path: int, *arguments: object, kill_at: Point | None) -> Process:
        command, *rest = arguments
        return child(command, self._server.uri, *rest, kill_at=kill_at)

    def impatient(self) -> Store:
        return open_store(self._server.uri, auth=self._server.auth, lock_timeout=0.5)

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        with self._session() as session, session.begin_transaction() as tx:
            tx.run("MATCH (account:EdgeDPAccount {name: $name}) SET account.held = true", name=name).consume()
            yield
            tx.rollback()

    @contextmanager
    def spoiled(self, name: str, which: int) -> Iterator[bool | None]:
        """Edit or delete a node, or drop a constraint; what was a node is made again as it was."""
        places = [*((True, *each) for each in REFUSED), *((False, *each) for each in OVERLOOKED)]
        refuses, found, change = places[which % len(places)]
        with self._session() as session:
            rows = session.run(
                f"{found} RETURN elementId(node) AS id, labels(node)[0] AS label, node{{.*}} AS row",
                name=name,
            ).data()
            if not rows:
                yield None
                return
            (was,) = rows
            session.run(f"MATCH (node) WHERE elementId(node) = $id {change}", id=was["id"]).consume()
            left = session.run(
                "MATCH (node) WHERE elementId(node) = $id RETURN node{.*} AS row", id=was["id"]
            ).data()
            yield None if left and left[0]["row"] == was["row"] else refuses
            session.run("MATCH (node) WHERE elementId(node) = $id DELETE node", id=was["id"]).consume()
            session.run(f"CREATE (node:{was['label']}) SET node = $row", row=was["row"]).consume()

    def drop_constraint(self, which: int) -> str:
        """Drop a constraint of edgedp's; return its name."""
        with self._session() as session:
            names = session.run(
                "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'edgedp_' RETURN name"
            ).value()
            name = str(sorted(names)[which % len(names)])
            session.run(f"DROP CONSTRAINT {name}").consume()
        return name

    def constraints(self) -> list[str]:
        """Return the names of all constraints."""
        with self._session() as session:
            return list(session.run("SHOW CONSTRAINTS YIELD name RETURN name").value())

    def people(self) -> None:
        """Make a few nodes that somebody may register."""
        with self._session() as session:
            session.run(KEYED).consume()
            session.run(
                "MERGE (a:Person {ssn: 1}) MERGE (b:Person {ssn: 2}) MERGE (a)-[:LINKED_TO]->(b)"
            ).consume()

    def delete_account(self, name: str) -> None:
        """Delete an account's node."""
        with self._session() as session:
            session.run("MATCH (account:EdgeDPAccount {name: $name}) DELETE account", name=name).consume()

    def older(self) -> Callable[[], AbstractContextManager[None]]:
        """Copy accounts and logs, as a dump has them."""
        with self._session() as session:
            copy = session.run(NODES).data()

        @contextmanager
        def put() -> Iterator[None]:
            with self._session() as session:
                now = session.run(NODES).data()
                self._put(session, copy)
                yield
                self._put(session, now)

        return put

    @staticmethod
    def _put(session: Any, rows: list[dict[str, Any]]) -> None:
        session.run("MATCH (node:EdgeDPAccount|EdgeDPEntry) DELETE node").consume()
        for label in ("EdgeDPAccount", "EdgeDPEntry"):
            session.run(
                f"UNWIND $rows AS row CREATE (node:{label}) SET node = row",
                rows=[row["row"] for row in rows if row["label"] == label],
            ).consume()

    @contextmanager
    def _session(self) -> Iterator[Any]:
        with self._server.driver(notifications_min_severity="OFF") as driver, driver.session() as session:
            yield session

    @contextmanager
    def ending(self, later: int) -> Iterator[None]:
        """End one transaction of those that begin meanwhile, as an administrator does: some after the first seen."""
        over = threading.Event()

        def end() -> None:
            seen: set[str] = set()
            with self._session() as session:
                while not over.is_set():
                    running = session.run(OTHERS).value()
                    seen.update(running)
                    if running and len(seen) > later:
                        session.run("TERMINATE TRANSACTIONS $ids", ids=running).consume()
                        return

        thread = threading.Thread(target=end)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def close(self) -> None:
        return


def run(server: Server, monkeypatch: pytest.MonkeyPatch, **chosen: Any) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", server.user)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)

    class Machine(Interleaving):
        ended = 0

        @classmethod
        def new_place(cls) -> Place:
            return Database(server)

        @precondition(lambda self: self.sizes)
        @rule(name=Interleaving.names, path=Interleaving.paths, which=st.integers(0, 99))
        def release_without_a_constraint(self, name: str, path: int, which: int) -> None:
            """It is made again, or nothing is debited; whoever opens the store next makes it again."""
            if name not in self.sizes:
                return
            assert isinstance(self.place, Database)
            dropped = self.place.drop_constraint(which)
            release = None
            with contextlib.suppress(EdgeDPError):
                release = self.by(path).priv_top_k(name, "degree", 1, "0.000000001")
            if release is not None:
                self.remember(name, release, "priv_top_k", "0.000000001")
            with self.place.store(0) as store:
                store.graphs()
            assert dropped in self.place.constraints()

        @precondition(lambda self: self.sizes)
        @rule(name=Interleaving.names, path=Interleaving.paths, later=st.integers(0, 8))
        def release_whose_transaction_is_ended(self, name: str, path: int, later: int) -> None:
            """Wherever it is ended: it is paid once or not at all, and asking again pays no second time."""
            if name not in self.sizes or not self.accounts[name].fits(COST):
                return
            assert isinstance(self.place, Database)
            account, store, request = self.accounts[name], self.by(path), f"ended {self.ended}"
            self.ended += 1
            before = store.budget(name)["releases"]
            shown = None
            with self.place.ending(later), contextlib.suppress(EdgeDPError):
                shown = store.priv_top_k(name, "degree", 1, "0.000000001", request_id=request)
            debited = store.budget(name)["releases"] - before
            assert debited in ((1,) if shown is not None else (0, 1))
            try:
                release = store.priv_top_k(name, "degree", 1, "0.000000001", request_id=request)
            except EdgeDPError:
                assert debited, "what was not paid is drawn now"
                assert shown is None, "an answer that was shown is kept"
                account.debit(COST)
                account.asked[request] = "priv_top_k", "0.000000001", None
                return
            assert shown is None or shown.answer.to_json() == release.answer.to_json()
            assert store.budget(name)["releases"] == before + 1
            self.remember(name, release, "priv_top_k", "0.000000001")
            account.asked[request] = "priv_top_k", "0.000000001", release.receipt["release_id"]

        @rule(one=st.sampled_from("pq"), deleted=st.booleans(), path=Interleaving.paths)
        def register_one_place_under_two_names(self, one: str, deleted: bool, path: int) -> None:
            """The name that came first keeps the budget, also where its account was deleted."""
            assert isinstance(self.place, Database)
            self.place.people()
            first = getattr(self, "first", one)
            store = self.by(path)
            if deleted:
                self.place.delete_account(first)
            with contextlib.suppress(EdgeDPError):
                store.drop(one)
            if one == first:
                store.register(one, "Person", "LINKED_TO", "ssn", epsilon_budget=1)
                self.first = first
                with contextlib.suppress(BudgetError):
                    store.priv_top_k(one, "degree", 1, "0.6")
                    self.paid = getattr(self, "paid", 0) + 1
            else:
                with pytest.raises(EdgeDPError):
                    store.register(one, "Person", "LINKED_TO", "ssn", epsilon_budget=1)
            with contextlib.suppress(EdgeDPError):
                store.drop(one)
            assert getattr(self, "paid", 0) <= 1, "one budget for one place"

    options = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None, **chosen)
    run_state_machine_as_test(Machine, settings=options)


def test_a_few_histories_forget_nothing(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    run(neo4j_server, monkeypatch, max_examples=2, stateful_step_count=7, derandomize=True)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_many_histories_forget_nothing(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    run(neo4j_server, monkeypatch, max_examples=40, stateful_step_count=30)
