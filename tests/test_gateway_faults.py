"""Many clients with retries, a gateway that is killed again and again, and books that add up afterwards."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from edgedp import Graph, Store, open_store
from gateway_server import Served, serve
from neo4jserver import Server

COST = 10**6  # nano-epsilon of a release


class Town:
    """A gateway that is started again after every kill, and clients that ask until they are answered."""

    def __init__(self, uri: str, folder: Path, tokens: list[str], environment: dict[str, str]) -> None:
        self._start = lambda: serve(uri, folder, "--workers", "4", environment=environment)
        self.served: Served = self._start()
        self._tokens = tokens
        self._guard = threading.Lock()
        self.answers: dict[tuple[int, str], list[dict[str, Any]]] = {}
        self.lost: set[tuple[int, str]] = set()

    def kill(self) -> None:
        """Kill the gateway in the middle of things and start another."""
        with self._guard:
            self.served.__exit__()
            self.served = self._start()

    def address(self) -> str:
        with self._guard:
            return self.served.address

    def ask(self, who: int, key: str) -> None:
        """Ask under a key until there is an answer for good; then once more."""
        again = random.Random(f"{who} {key}").random() < 0.5
        for _ in range(1 + again):
            found = self._asked(who, key)
            with self._guard:
                if found is None:
                    self.lost.add((who, key))
                else:
                    self.answers.setdefault((who, key), []).append(found)

    def _asked(self, who: int, key: str) -> dict[str, Any] | None:
        until = time.monotonic() + 300
        asked = {"metric": "degree", "k": 2, "epsilon": "0.001"}
        headers = {"Authorization": f"Bearer {self._tokens[who]}", "Idempotency-Key": key}
        while time.monotonic() < until:
            try:
                answer = httpx.post(
                    f"{self.address()}/v1/graphs/star/top-k", json=asked, headers=headers, timeout=60
                )
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            if answer.status_code in (200, 201):
                return dict(answer.json())
            if answer.status_code == 410:
                return None
            assert answer.status_code in (409, 503), answer.text
            time.sleep(min(float(answer.headers.get("retry-after", 1)), 1))
        raise AssertionError("no answer for five minutes")


def _resident(pid: int) -> int:
    """Return the resident memory of a process, bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    return 0


def _ready(store: Store, analysts: int) -> list[str]:
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 20)]), "star", epsilon_budget=100)
    tokens = []
    for number in range(analysts):
        tokens.append(store.add_analyst(f"analyst {number}")["token"])
        store.grant("star", f"analyst {number}", epsilon_budget=50)
    return tokens


def campaign(store: Store, town: Town, *, clients: int, keys: int, kills: int, middle: Any = None) -> None:
    """Run clients while the gateway is killed, then compare what they saw with the books."""
    over = threading.Event()

    def killer() -> None:
        for number in range(kills):
            if over.wait(0.4):
                return
            if middle is not None and number == kills // 2:
                middle()
            town.kill()

    def client(who: int) -> None:
        for key in range(keys):
            town.ask(who, f"key {key}")

    with ThreadPoolExecutor(clients + 1) as threads:
        killing = threads.submit(killer)
        asking = [threads.submit(client, who) for who in range(clients)]
        for each in asking:
            each.result()
        over.set()
        killing.result()
    assert town.served.end(signal.SIGTERM) == 0
    town.served.__exit__()

    spent = 0
    for who in range(clients):
        kept = store.asking_as(f"analyst {who}").releases("star")
        spent += len(kept)
        assert max(Counter(row["request_id"] for row in kept).values()) == 1, "a key is debited once at most"
        assert {row["request_id"] for row in kept} == {f"key {key}" for key in range(keys)}
        by_key = {row["request_id"]: row for row in kept}
        for key in range(keys):
            row = by_key[f"key {key}"]
            for answer in town.answers.get((who, f"key {key}"), []):
                assert answer["nodes"] == row["nodes"]
                assert answer["release_id"] == row["release_id"]
            assert (row["nodes"] is None) == ((who, f"key {key}") in town.lost)
        share = store.share("star", f"analyst {who}")
        assert round(share["epsilon_spent"] * 10**9) == len(kept) * COST
    assert round(store.budget("star")["epsilon_spent"] * 10**9) == spent * COST
    assert store.check("star") == []


def test_a_gateway_killed_in_between_debits_every_key_once(tmp_path: Path) -> None:
    """The short form of the campaign below."""
    store = open_store(tmp_path / "g.edgedp")
    town = Town(str(tmp_path / "g.edgedp"), tmp_path, _ready(store, 3), {})
    campaign(store, town, clients=3, keys=12, kills=2)


@pytest.mark.slow
def test_ten_thousand_requests_and_twenty_kills(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    town = Town(str(tmp_path / "g.edgedp"), tmp_path, _ready(store, 8), {})
    campaign(store, town, clients=8, keys=850, kills=20)


@pytest.mark.slow
def test_memory_stays_flat_over_many_requests(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    town = Town(str(tmp_path / "g.edgedp"), tmp_path, _ready(store, 4), {})

    def ask(part: int) -> int:
        with ThreadPoolExecutor(4) as threads:
            for who in range(4):
                for key in range(200):
                    threads.submit(town.ask, who, f"part {part} key {key}")
        return _resident(town.served.process.pid)

    ask(0)
    early = ask(1)
    late = [ask(part) for part in range(2, 5)][-1]
    town.served.__exit__()
    assert late < 1.15 * early + 8 * 2**20


@pytest.mark.slow
def test_on_neo4j_which_is_restarted_in_between(empty_neo4j: Server, tmp_path: Path) -> None:
    store = open_store(empty_neo4j.uri, auth=empty_neo4j.auth)
    environment = {"NEO4J_USERNAME": empty_neo4j.user, "NEO4J_PASSWORD": empty_neo4j.password}
    town = Town(empty_neo4j.uri, tmp_path, _ready(store, 4), environment)
    campaign(store, town, clients=4, keys=60, kills=4, middle=empty_neo4j.restart)
    store.close()
