"""A real Neo4j whose JVM is killed again and again while releases are asked for: what was shown is paid and kept."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import pytest

from edgedp import EdgeDPError, Graph, Store, open_store
from neo4jserver import Server, start

pytestmark = pytest.mark.neo4j

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
ASKED: dict[str, Any] = {"metric": "degree", "k": 2, "epsilon": "0.001"}
CLIENTS = 3


class Client(threading.Thread):
    """Asks for one release after another until it is stopped; keeps what it was shown, by request."""

    def __init__(self, server: Server, number: str) -> None:
        super().__init__(daemon=True)
        self.shown: dict[str, list[Any]] = {}
        self.unforeseen: list[BaseException] = []
        self.over = threading.Event()
        self._server, self._number = server, number

    def run(self) -> None:
        with open_store(self._server.uri, auth=self._server.auth, lock_timeout=20) as store:
            asked = 0
            while not self.over.is_set():
                request, asked = f"{self._number}-{asked}", asked + 1
                try:
                    self.shown[request] = store.priv_top_k("kite", **ASKED, request_id=request).nodes
                except EdgeDPError:
                    time.sleep(0.05)  # the server is away
                except BaseException as error:
                    self.unforeseen.append(error)
                    return


def campaign(kills: int) -> None:
    random_moment = random.Random(11)
    shown: dict[str, list[Any]] = {}
    with start() as server:
        with open_store(server.uri, auth=server.auth) as store:
            store.load(KITE, "kite", epsilon_budget=1000)
        for kill in range(kills):
            clients = [Client(server, f"{kill}-{number}") for number in range(CLIENTS)]
            for client in clients:
                client.start()
            begun = len(shown)
            while sum(len(client.shown) for client in clients) == 0:
                assert all(client.is_alive() for client in clients)
                time.sleep(0.01)
            time.sleep(random_moment.uniform(0, 1))
            server.kill()
            for client in clients:
                client.over.set()
            for client in clients:
                client.join(120)
                assert not client.is_alive()
                assert client.unforeseen == []
                shown |= client.shown
            assert len(shown) > begun, "every kill had shown something"
            server.restart()
            with open_store(server.uri, auth=server.auth) as store:
                assert_kept(store, shown)


def assert_kept(store: Store, shown: dict[str, list[Any]]) -> None:
    """Nothing shown is unpaid or forgotten, and the ledger adds up, also by its chain."""
    assert store.check() == []
    log = store.log("kite")
    debits = [row for row in log if row["event"] == "debit"]
    kept = {row["release_id"]: row["details"]["nodes"] for row in log if row["event"] == "answer"}
    answers = {row["request_id"]: kept.get(row["release_id"]) for row in debits}
    assert {request: answers[request] for request in shown} == shown
    assert store.budget("kite")["epsilon_spent"] == pytest.approx(0.001 * len(debits), abs=1e-12)
    request = next(reversed(shown))
    assert store.priv_top_k("kite", **ASKED, request_id=request).nodes == shown[request]


def test_two_kills_of_the_jvm_forget_nothing_that_was_shown() -> None:
    campaign(2)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_fifty_kills_of_the_jvm_forget_nothing_that_was_shown() -> None:
    campaign(50)
