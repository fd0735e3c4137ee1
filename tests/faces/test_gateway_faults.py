"""Many clients with retries, a gateway that is killed again and again, and books that add up afterwards."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from edgedp import Graph, Store, open_store
from gateway_server import Served, serve
from neo4jserver import Server

COST = 10**6  # nano-epsilon of a release
ASKED = {"metric": "degree", "k": 2, "epsilon": "0.001"}
LEASE = "from edgedp.ledger import ledger; ledger.LEASE_SECONDS, ledger.LEASE_RENEWAL = {}, 1"
"""A release whose drawer was killed counts as lost after so long; who asks for it again waits no longer."""


class Town:
    """A gateway that is started again after every kill, and clients that ask until they are answered.

    Attributes
    ----------
    answers : dict
        Of a client and a key: every answer that came.
    lost : set
        Clients and keys whose release was told to be lost.
    done : int
        Keys that are settled.
    statuses : Counter
        Every status that came; ``cut`` where the connection broke.
    """

    def __init__(
        self, uri: str, folder: Path, tokens: list[str], environment: dict[str, str], lease: int = 5
    ) -> None:
        self._start = lambda: serve(
            uri, folder, "--workers", "4", environment=environment, first=LEASE.format(lease)
        )
        self.served: Served = self._start()
        self._tokens = tokens
        self._guard = threading.Lock()
        self._settled = threading.Condition()
        self.answers: dict[tuple[int, str], list[dict[str, Any]]] = {}
        self.lost: set[tuple[int, str]] = set()
        self.done = 0
        self.statuses: Counter[str] = Counter()

    def kill(self) -> None:
        """Kill the gateway in the middle of things and start another."""
        with self._guard:
            self.served.__exit__()
            self.served = self._start()

    def address(self) -> str:
        with self._guard:
            return self.served.address

    def wait_for(self, done: int, over: threading.Event) -> bool:
        """Wait until so many keys are settled; tell whether they are."""
        with self._settled:
            self._settled.wait_for(lambda: self.done >= done or over.is_set())
            return self.done >= done

    def wake(self) -> None:
        with self._settled:
            self._settled.notify_all()

    def client(self, who: int, keys: int) -> None:
        """Ask under every key until there is an answer for good; sometimes once more, or for something else."""
        headers = {"Authorization": f"Bearer {self._tokens[who]}"}
        with httpx.Client(headers=headers, timeout=60) as client:
            for number in range(keys):
                key, chance = f"key {number}", random.Random(f"{who} {number}").random()
                for _ in range(1 + (chance < 0.5)):
                    found = self._asked(client, key)
                    if found is None:
                        self.lost.add((who, key))
                    else:
                        self.answers.setdefault((who, key), []).append(found)
                if chance < 0.05:
                    assert self._status(client, key, ASKED | {"k": 1})[0] in (409, None)
                with self._settled:
                    self.done += 1
                    self._settled.notify_all()

    def _asked(self, client: httpx.Client, key: str) -> dict[str, Any] | None:
        until = time.monotonic() + 600
        while time.monotonic() < until:
            status, answer = self._status(client, key, ASKED)
            if answer is None:
                time.sleep(0.05)
                continue
            if status in (200, 201):
                return dict(answer.json())
            if status == 410:
                return None
            assert status in (409, 503), answer.text
            time.sleep(min(float(answer.headers.get("retry-after", 1)), 1))
        raise AssertionError("no answer for ten minutes")

    def _status(
        self, client: httpx.Client, key: str, asked: dict[str, Any]
    ) -> tuple[int | None, httpx.Response | None]:
        try:
            answer = client.post(
                f"{self.address()}/v1/graphs/star/top-k", json=asked, headers={"Idempotency-Key": key}
            )
        except httpx.HTTPError:
            self.statuses["cut"] += 1
            return None, None
        self.statuses[str(answer.status_code)] += 1
        return answer.status_code, answer


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


@dataclass
class Size:
    """How large a campaign is."""

    clients: int
    keys: int
    kills: int


WHOLE = Size(clients=8, keys=1250, kills=20)


def campaign(
    store: Store, town: Town, size: Size, middle: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """Run clients while the gateway is killed, then compare what they saw with the books.

    The kills are spread over the first two thirds of the keys; the last gateway answers the rest, and its memory is
    read soon after it began and at the end.

    Returns
    -------
    dict
        What happened: figures for people. Whatever is wrong is asserted.
    """
    over, began = threading.Event(), time.monotonic()
    total = size.clients * size.keys
    resident: list[int] = []

    def killer() -> None:
        for number in range(size.kills):
            if not town.wait_for((number + 1) * total * 2 // (3 * (size.kills + 1)), over):
                return
            if number == size.kills // 2:
                middle()
            town.kill()
        for done in (total * 3 // 4, total):
            if town.wait_for(done, over):
                resident.append(_resident(town.served.process.pid))

    with ThreadPoolExecutor(size.clients + 1) as threads:
        killing = threads.submit(killer)
        asking = [threads.submit(town.client, who, size.keys) for who in range(size.clients)]
        try:
            for each in asking:
                each.result()
        finally:
            over.set()
            town.wake()
        killing.result()
    assert town.served.end(signal.SIGTERM) == 0
    town.served.__exit__()
    took = time.monotonic() - began

    spent = 0
    for who in range(size.clients):
        kept = store.asking_as(f"analyst {who}").releases("star")
        spent += len(kept)
        by_key = {row["request_id"]: row for row in kept}
        assert len(by_key) == len(kept), "a key is debited once at most"
        assert set(by_key) == {f"key {key}" for key in range(size.keys)}
        for key in range(size.keys):
            row = by_key[f"key {key}"]
            for answer in town.answers.get((who, f"key {key}"), []):
                assert answer["nodes"] == row["nodes"]
                assert answer["release_id"] == row["release_id"]
            if row["nodes"] is None:
                assert (who, f"key {key}") in town.lost
        share = store.share("star", f"analyst {who}")
        assert round(share["epsilon_spent"] * 10**9) == len(kept) * COST
    assert round(store.budget("star")["epsilon_spent"] * 10**9) == spent * COST
    assert store.check("star") == []
    return {
        "keys": total, "debited": spent, "requests": sum(town.statuses.values()), "statuses": dict(town.statuses),
        "lost": len(town.lost), "kills": size.kills, "resident": resident, "seconds": round(took),
        "load": os.getloadavg()[0],
    }  # fmt: skip


def whole(store: Store, town: Town, middle: Callable[[], object] = lambda: None) -> None:
    """Run the whole campaign, print its figures, and look at the memory too."""
    found = campaign(store, town, WHOLE, middle)
    print(json.dumps(found))
    early, late = found["resident"]
    assert late < 1.1 * early + 8 * 2**20


def test_a_gateway_killed_in_between_debits_every_key_once(tmp_path: Path) -> None:
    """The short form of the campaign below."""
    store = open_store(tmp_path / "g.edgedp")
    town = Town(str(tmp_path / "g.edgedp"), tmp_path, _ready(store, 3), {}, lease=2)
    campaign(store, town, Size(clients=3, keys=6, kills=1))


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_ten_thousand_requests_and_twenty_kills(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g.edgedp")
    whole(store, Town(str(tmp_path / "g.edgedp"), tmp_path, _ready(store, WHOLE.clients), {}))


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_ten_thousand_requests_on_neo4j_which_is_restarted_in_between(
    empty_neo4j: Server, tmp_path: Path
) -> None:
    store = open_store(empty_neo4j.uri, auth=empty_neo4j.auth)
    environment = {"NEO4J_USERNAME": empty_neo4j.user, "NEO4J_PASSWORD": empty_neo4j.password}
    town = Town(empty_neo4j.uri, tmp_path, _ready(store, WHOLE.clients), environment)
    whole(store, town, empty_neo4j.restart)
    store.close()
