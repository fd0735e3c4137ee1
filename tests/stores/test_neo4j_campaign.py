"""A real Neo4j that dies, at named points and at random ones, again and again: what was shown is paid and kept."""

from __future__ import annotations

import json
import random
import threading
import time
import warnings
from collections import Counter
from typing import Any

import pytest

from edgedp import EdgeDPError, Graph, Release, Store, StoreError, StoreUnavailableError, open_store
from edgedp.stores.neo4j.session import Neo4jSession
from neo4jserver import Server
from neo4jserver.fixtures import empty_of_nodes

pytestmark = pytest.mark.neo4j

EDGES = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)]
VALUES = {"age": [31, 64, 7, 90, 25], "degree": [2, 2, 3, 2, 1]}
KITE = Graph.from_edges(EDGES, nodes=[1, 2, 3, 4, 5], properties=VALUES)
SIZES = (3, 40)
NANO = 1_000_000
"""What each release asks for, in nano-epsilon: 0.001."""

ASKED: tuple[tuple[str, dict[str, Any], dict[str, int]], ...] = (
    ("priv_top_k", {"metric": "degree", "k": 2}, {"edges": NANO}),
    ("percentile", {"property": "age", "q": 0.5}, {"attributes": NANO}),
    ("percentile", {"property": "degree", "q": 0.5}, {"attributes": NANO, "edges": 2 * NANO}),
)
"""What the clients ask for in turn, and what it costs of which account."""

CLIENTS = 3


def ask(store: Store, request: str) -> Release:
    kind, options, _ = ASKED[int(request.rsplit("-")[-1]) % len(ASKED)]
    release: Release = getattr(store, kind)("kite", **options, epsilon="0.001", request_id=request)
    return release


class Client(threading.Thread):
    """Does something again and again until it is stopped; a server that is away is no surprise."""

    def __init__(self, server: Server, number: str) -> None:
        super().__init__(daemon=True)
        self.shown: dict[str, Any] = {}
        self.unforeseen: list[BaseException] = []
        self.over = threading.Event()
        self._server, self._number = server, number

    def run(self) -> None:
        with open_store(self._server.uri, auth=self._server.auth, lock_timeout=20) as store:
            done = 0
            while not self.over.is_set():
                try:
                    self.once(store, done)
                except EdgeDPError:
                    time.sleep(0.05)
                except BaseException as error:
                    self.unforeseen.append(error)
                    return
                done += 1

    def once(self, store: Store, number: int) -> None:
        request = f"{self._number}-{number}"
        self.shown[request] = ask(store, request).answer.to_json()


class Loader(Client):
    """Replaces a graph by one of another size, again and again."""

    def once(self, store: Store, number: int) -> None:
        store.load(path(SIZES[number % 2]), "moving", replace=True)


def path(size: int) -> Graph:
    return Graph.from_edges([(i, i + 1) for i in range(size)])


def campaign(server: Server, kills: int, *, judge_every: int = 1) -> dict[str, int]:
    """Kill the server at random moments; nothing that was shown is unpaid or forgotten, and no graph is half."""
    random_moment = random.Random(11)
    debited: dict[str, int] = {}
    shown: dict[str, Any] = {}
    with open_store(server.uri, auth=server.auth) as store:
        store.load(KITE, "kite", epsilon_budget=1000, attribute_epsilon_budget=1000)
        store.attribute("kite", "age", 0, 100, points=11)
        store.attribute("kite", "degree", 0, 10, points=11, depends_on="degree")
        store.load(path(SIZES[0]), "moving", epsilon_budget=1)
        store.priv_top_k("moving", metric="degree", k=1, epsilon=0.25)
    for kill in range(kills):
        clients = [Client(server, f"{kill}-{number}") for number in range(CLIENTS)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            everybody = [*clients, Loader(server, f"{kill}")]
            for client in everybody:
                client.start()
            while sum(len(client.shown) for client in clients) < len(ASKED):
                assert all(client.is_alive() for client in everybody)
                time.sleep(0.01)
            time.sleep(random_moment.uniform(0, 1))
            server.kill()
            for client in everybody:
                client.over.set()
            for client in everybody:
                client.join(300)
                assert not client.is_alive()
                assert client.unforeseen == []
                shown |= client.shown
        server.restart()
        if (
            kill + 1
        ) % judge_every == 0:  # the log only grows: what one kill lost is missing after the next ones, too
            with open_store(server.uri, auth=server.auth) as store:
                debited = judged(store, shown)
    return {"kills": kills, "had_shown": kills, "shown": len(shown)} | debited


def judged(store: Store, shown: dict[str, Any]) -> dict[str, int]:
    """Find nothing that was shown and is unpaid or forgotten in either account, and no half graph."""
    assert store.check() == []
    logs: dict[str, Any] = {account: store.log("kite", account) for account in ("edges", "attributes")}  # type: ignore[arg-type]
    rows = [row for log in logs.values() for row in log]
    kept = {row["release_id"]: row["details"] for row in rows if row["event"] == "answer"}
    asked = {row["request_id"]: row["release_id"] for row in rows if row["request_id"] is not None}
    assert {request: kept.get(asked.get(request)) for request in shown} == shown
    spent = dict.fromkeys(logs, 0)
    costs: Counter[str] = Counter()
    for account, log in logs.items():
        debits = [row for row in log if row["event"] == "debit"]
        spent[account] = sum(round(row["epsilon"] * 10**9) for row in debits)
        for row in debits:
            costs[f"{account} {row['details'].get('part_of', row['release_id'])}"] += round(
                row["epsilon"] * 10**9
            )
    said = store.budget("kite")
    assert round(said["epsilon_spent"] * 10**9) == spent["edges"]
    assert round(said["attributes"]["epsilon_spent"] * 10**9) == spent["attributes"]
    # All of what a release costs was debited, or nothing of it, shown or lost.
    for request, release in asked.items():
        _, _, cost = ASKED[int(request.rsplit("-")[-1]) % len(ASKED)]
        for account in logs:
            assert costs.pop(f"{account} {release}", 0) == cost.get(account, 0)
    assert not costs, "no debit without its release"
    request = next(reversed(shown))
    assert ask(store, request).answer.to_json() == shown[request]
    assert store.graph("moving").edge_count in SIZES
    assert store.budget("moving")["epsilon_spent"] == 0.25
    return {"debited": len(asked), "half_graphs": 0}


@pytest.fixture
def server(neo4j_server: Server) -> Server:
    """Give the shared server with nothing in it; these tests, which kill it, are its last."""
    empty_of_nodes(neo4j_server)
    return neo4j_server


def test_a_server_that_dies_costs_budget_only(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the debit and the answer."""
    with open_store(server.uri, auth=server.auth) as store:
        store.load(KITE, "kite", epsilon_budget=1)
        with monkeypatch.context() as patch:
            graph = Neo4jSession.graph

            def gone(self: Neo4jSession, row: object, *span: object) -> Graph:
                server.kill()
                return graph(self, row, *span)  # type: ignore[arg-type]

            patch.setattr(Neo4jSession, "graph", gone)
            with pytest.raises(StoreUnavailableError, match=r"\(release [0-9a-f]{32} is debited\)$"):
                store.priv_top_k("kite", metric="degree", k=1, epsilon=0.25)
    server.restart()
    with open_store(server.uri, auth=server.auth) as last:
        assert last.budget("kite")["epsilon_spent"] == 0.25
        assert last.releases("kite")[0]["nodes"] is None
        assert last.graph("kite") == KITE


def test_a_server_that_dies_in_a_load_keeps_the_old_graph(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(server.uri, auth=server.auth) as store:
        store.load(KITE, "kite", epsilon_budget=1)
        with monkeypatch.context() as patch:
            write = Neo4jSession._write

            def dying(self: Neo4jSession, *arguments: object) -> None:
                write(self, *arguments)  # type: ignore[arg-type]
                server.kill()

            patch.setattr(Neo4jSession, "_write", dying)
            with pytest.raises(StoreUnavailableError, match=r"does not answer|went away"):
                store.load(Graph.from_edges([(7, 8)]), "kite", replace=True)
    server.restart()
    with open_store(server.uri, auth=server.auth) as last:
        assert last.graph("kite") == KITE
        last.load(Graph.from_edges([(7, 8)]), "kite", replace=True)
        with server.driver() as driver, driver.session() as session:
            assert session.run("MATCH (n:Node) RETURN count(n) AS n").value() == [2]


@pytest.mark.wide
def test_a_kill_of_the_jvm_forgets_nothing_that_was_shown(server: Server) -> None:
    campaign(server, 1)


def test_a_read_only_database_says_so_and_still_reads(server: Server) -> None:
    with open_store(server.uri, auth=server.auth) as store:
        store.load(KITE, "kite", epsilon_budget=1)
    server.restart(server__databases__read_only="neo4j")
    with open_store(server.uri, auth=server.auth) as store:
        for refused in (
            lambda: store.priv_top_k("kite", metric="degree", k=1, epsilon=0.25),
            lambda: store.load(KITE, "second"),
            lambda: store.load(KITE, "kite", replace=True),
            lambda: store.drop("kite"),
        ):
            with pytest.raises(StoreError, match="is read-only, and a release is written"):
                refused()
        assert store.budget("kite")["epsilon_spent"] == 0
        assert store.graph("kite") == KITE
    server.kill()


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_fifty_kills_of_the_jvm_forget_nothing_that_was_shown(server: Server) -> None:
    print(json.dumps(campaign(server, 50, judge_every=5)))
