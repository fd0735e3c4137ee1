"""A soak: releases through two gateways and a proxy, while one of the gateways is ended again and again.

``make soak``, 15 minutes and 3,000 releases; ``make soak MINUTES=2`` is a shorter one, with as many in proportion. Four
analysts ask at a steady pace, each request under a key of its own, again until it is answered, and now and then for an
answer of before. Once a minute the second gateway is ended, by SIGTERM and by SIGKILL in turn, and started anew on its
port; the first lives as long as the soak. Before it, for a tenth of the time, one gateway is asked alone.

At the end: no key has two answers or two debits, every debit has its answer or is a loss that its asker was told of,
the sums are those of the ledger, the first gateway's memory and descriptors are flat, and p95 is at most 1.5 x of one
gateway's. All on loopback, bounded in count and time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from edgedp import Graph, Store, open_store
from gateway_server import Served, serve

ANALYSTS = ("ann", "bob", "eve", "zoe")
EPSILON = 0.001
BODY = {"metric": "degree", "k": 1, "epsilon": str(EPSILON)}
PLACE = "/v1/graphs/star/top-k"
PATIENCE = 120.0
"""Seconds for which one request is asked for again; a lease of a drawer that was killed lasts thirty."""

MOST_SLOWER, MOST_MEMORY, MOST_DESCRIPTORS = 1.5, 1.15, 8


@dataclass
class Told:
    """What analysts were told, by key."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    answers: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    lost: set[tuple[str, str]] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def ask(client: httpx.Client, who: str, key: str, told: Told) -> None:
    """Ask for a release until it is answered or known to be lost."""
    over = time.monotonic() + PATIENCE
    while time.monotonic() < over:
        try:
            answer = client.post(PLACE, json=BODY, headers={"Idempotency-Key": key})
        except httpx.HTTPError as error:
            with told.lock:
                told.statuses[type(error).__name__] += 1
            time.sleep(0.1)
            continue
        with told.lock:
            told.statuses[str(answer.status_code)] += 1
            if answer.status_code in (200, 201):
                nodes = answer.json()["nodes"]
                if told.answers.setdefault((who, key), nodes) != nodes or (who, key) in told.lost:
                    told.wrong.append(f"{who}'s {key} was answered twice differently")
                return
            if answer.status_code == 410:
                if (who, key) in told.answers:
                    told.wrong.append(f"{who}'s {key} was answered and is lost")
                told.lost.add((who, key))
                return
        if answer.status_code not in (409, 429, 500, 502, 503, 504):
            raise AssertionError(f"{answer.status_code}: {answer.text}")
        time.sleep(min(float(answer.headers.get("retry-after", "0.1")), 1.0))
    with told.lock:
        told.wrong.append(f"{who}'s {key} was not answered within {PATIENCE:g} s")


def asking(address: str, who: str, token: str, stage: str, count: int, pace: float, told: Told) -> None:
    """Ask for releases at a pace, and now and then for one of before."""
    chance = random.Random(f"{stage} {who}")
    keys: list[str] = []
    began = time.monotonic()
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=90) as client:
        for number in range(count):
            time.sleep(max(began + number * pace - time.monotonic(), 0))
            keys.append(f"{stage}-{number}")
            at = time.monotonic()
            ask(client, who, keys[-1], told)
            with told.lock:
                told.seconds.append(time.monotonic() - at)
            if chance.random() < 0.1:
                ask(client, who, chance.choice(keys), told)


def all_ask(address: str, tokens: dict[str, str], stage: str, releases: int, seconds: float) -> Told:
    told, count = Told(), max(releases // len(ANALYSTS), 1)
    threads = [
        threading.Thread(target=asking, args=(address, who, tokens[who], stage, count, seconds / count, told))
        for who in ANALYSTS
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as made:
        return int(made.getsockname()[1])


@contextlib.contextmanager
def proxy(ports: list[int], folder: Path) -> Iterator[str]:
    """Start haproxy before the gateways, which takes each in turn; return its address."""
    if shutil.which("haproxy") is None:
        sys.exit("no haproxy; apt-get install haproxy")
    port = free()
    servers = "".join(
        f"    server g{number} 127.0.0.1:{each} check inter 500ms fall 1 rise 1\n"
        for number, each in enumerate(ports)
    )
    (folder / "haproxy").write_text(
        "defaults\n    mode http\n    timeout connect 5s\n    timeout client 95s\n    timeout server 95s\n"
        "    option redispatch\n    retries 3\n    retry-on conn-failure\n    option forwardfor\n"
        f"frontend f\n    bind 127.0.0.1:{port}\n    default_backend b\n"
        f"backend b\n    balance roundrobin\n    option httpchk GET /healthz\n"
        f"    http-check send hdr Host localhost\n{servers}"
    )
    process = subprocess.Popen(
        ["haproxy", "-db", "-q", "-f", str(folder / "haproxy")], stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


class Gateways:
    """Two gateways on one store: the first lives, the second is ended and started anew."""

    def __init__(self, store: Path, folder: Path) -> None:
        self._place, self._folder = store, folder
        self.ports = [free(), free()]
        self.running = [self._start(port) for port in self.ports]
        self.restarts = 0
        self._over = threading.Event()
        self.held: list[tuple[float, int]] = []
        self._threads: list[threading.Thread] = []

    def _start(self, port: int) -> Served:
        return serve(self._place, self._folder, "--port", str(port), "--behind-proxy", step="0.05")

    def keep_restarting(self, every: float) -> None:
        """End the second one every so many seconds, and look at the first one meanwhile, until `end`."""

        def restart() -> None:
            while not self._over.wait(every):
                self.running[1].end((signal.SIGTERM, signal.SIGKILL)[self.restarts % 2])
                self.running[1].__exit__()
                self.running[1] = self._start(self.ports[1])
                self.restarts += 1

        def look() -> None:
            while not self._over.wait(min(every / 6, 5)):
                self.held.append(held_by(self.running[0].process.pid))

        self._threads = [threading.Thread(target=each) for each in (restart, look)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        for each in self.running:
            if each.process.poll() is None:
                each.end()
            each.__exit__()


def held_by(pid: int) -> tuple[float, int]:
    """Return the MiB that a process keeps in memory, and how many descriptors it has."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    kib = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return int(kib) / 1024, sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.95 * (len(seconds) - 1))]


def compared(store: Store, told: list[Told]) -> list[str]:
    """Return where the ledger and what analysts were told differ."""
    wrong = [text for each in told for text in each.wrong]
    answers = {key: nodes for each in told for key, nodes in each.answers.items()}
    lost = {key for each in told for key in each.lost}
    debits: Counter[tuple[str, str]] = Counter()
    for who in ANALYSTS:
        for row in store.asking_as(who).releases("star"):
            key = who, str(row["request_id"])
            debits[key] += 1
            nodes = row["nodes"]
            if nodes is None and key not in lost:
                wrong.append(f"{key} was debited, has no answer, and nobody was told of a loss")
            if nodes is not None and answers.get(key) != nodes:
                wrong.append(f"{key} has another answer in the ledger than its asker was told")
    wrong += [f"{key} was debited {count} times" for key, count in debits.items() if count != 1]
    wrong += [f"{key} was told of and not debited" for key in sorted((answers.keys() | lost) - debits.keys())]
    spent = store.budget("star")["epsilon_spent"]
    if abs(spent - len(debits) * EPSILON) > 1e-9:
        wrong.append(f"{spent} was spent by {len(debits)} releases of {EPSILON}")
    return wrong + [row["problem"] for row in store.check()]


def soak(releases: int, seconds: float, every: float, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Return figures of a soak, and what was wrong with it."""
    place = folder / "store"
    with open_store(place) as store:
        store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 200)]), "star", epsilon_budget=1000)
        tokens = {who: store.add_analyst(who)["token"] for who in ANALYSTS}
        for who in ANALYSTS:
            store.grant("star", who, 250)
        with serve(place, folder, step="0.05") as one:
            warmed = [all_ask(one.address, tokens, "warm", 2 * len(ANALYSTS), 1.0)]
            told = [all_ask(one.address, tokens, "alone", max(releases // 10, 20), seconds / 10)]
        gateways = Gateways(place, folder)
        try:
            with proxy(gateways.ports, folder) as address:
                warmed.append(all_ask(address, tokens, "warmer", 2 * len(ANALYSTS), 1.0))
                gateways.keep_restarting(every)
                told.append(all_ask(address, tokens, "soak", releases, seconds))
        finally:
            gateways.end()
        wrong = compared(store, warmed + told)
    alone, whole = p95(told[0].seconds), p95(told[1].seconds)
    settled = gateways.held[len(gateways.held) // 4 :] or gateways.held
    figures = {
        "releases": len(told[1].answers),
        "lost, and told so": len(told[1].lost),
        "restarts": gateways.restarts,
        "p95 of one gateway, s": round(alone, 3),
        "p95 of two, s": round(whole, 3),
        "longest, s": round(max(told[1].seconds), 3),
        "memory, MiB, after a quarter and at the end": [round(settled[0][0], 1), round(settled[-1][0], 1)],
        "descriptors, least and most": [min(n for _, n in settled), max(n for _, n in settled)],
        "answers by status": dict(told[1].statuses),
    }
    if whole > MOST_SLOWER * alone:
        wrong.append(f"p95 is {whole:.3f} s, {whole / alone:.2f} x of one gateway's")
    if settled[-1][0] > MOST_MEMORY * settled[0][0]:
        wrong.append(f"the first gateway's memory grew from {settled[0][0]:.1f} to {settled[-1][0]:.1f} MiB")
    half = len(settled) // 2
    if min(n for _, n in settled[half:]) > min(n for _, n in settled[: half or 1]) + MOST_DESCRIPTORS:
        wrong.append("the first gateway keeps ever more descriptors")
    return figures, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--releases", type=int, help="default: 200 a minute")
    parser.add_argument(
        "--every", type=float, help="seconds between two restarts; default 60, or a quarter of all"
    )
    asked = parser.parse_args()
    minutes = min(asked.minutes, 60.0)
    releases = min(asked.releases or round(200 * minutes), 20_000)
    every = asked.every or min(60.0, 15 * minutes)
    with tempfile.TemporaryDirectory(prefix="edgedp-soak-") as folder:
        figures, wrong = soak(releases, 60 * minutes, every, Path(folder))
    print(json.dumps(figures, indent=2))
    for text in wrong[:20]:
        print(f"wrong: {text}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
