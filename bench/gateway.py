"""The gateway on loopback: public facts and releases a second, beside the plain Python call of the same run.

    python bench/gateway.py [--seconds 5] [--clients 8]

Both ask an embedded store with the bundled e-mail graph. A release's response time is rounded up to a step of 0.25 s
by design, so several clients ask at once; what is timed is how many releases all get a second, and how long a worker
takes for a warm EBC top 10. Load of the machine stands beside the figures.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

import edgedp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from gateway_server import serve

NAME = "email-Enron"
DEGREE: dict[str, Any] = {"metric": "degree", "k": 10, "epsilon": "0.001"}
EBC: dict[str, Any] = {"metric": "ebc", "k": 10, "epsilon": "0.001"}


def a_second(clients: int, seconds: float, ask: Callable[[int], None]) -> float:
    """Return how many calls a second all clients together get answered."""
    over = time.perf_counter() + seconds
    done = [0] * clients

    def client(number: int) -> None:
        while time.perf_counter() < over:
            ask(number)
            done[number] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "graphs.edgedp"
        store = edgedp.open_store(place)
        store.load(NAME, NAME, epsilon_budget=10_000, degree_bound=2000)
        token = store.add_analyst("ann")["token"]
        store.grant(NAME, "ann", epsilon_budget=10_000)
        here = store.asking_as("ann")
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {given.clients} clients")
        here.priv_top_k(NAME, **EBC)
        for title, asked in (("degree", DEGREE), ("ebc", EBC)):
            began = time.perf_counter()
            times = 0
            while time.perf_counter() < began + given.seconds:
                here.priv_top_k(NAME, **asked)
                times += 1
            took = (time.perf_counter() - began) / times
            print(f"python  {title:12} {1 / took:8.1f} a second, {took * 1000:6.1f} ms each, one caller")
        with serve(place, Path(folder), step="0.25") as served:
            clients = [served.client(token) for _ in range(given.clients)]

            def facts(number: int) -> None:
                clients[number].get("/v1/graphs").raise_for_status()

            def release(asked: dict[str, Any]) -> Callable[[int], None]:
                def ask(number: int) -> None:
                    clients[number].post(f"/v1/graphs/{NAME}/top-k", json=asked).raise_for_status()

                return ask

            for title, ask in (("public facts", facts), ("degree", release(DEGREE)), ("ebc", release(EBC))):
                print(f"gateway {title:12} {a_second(given.clients, given.seconds, ask):8.1f} a second")
            for client in clients:
                client.close()
        print(f"load {os.getloadavg()[0]:.1f}, httpx {httpx.__version__}")


if __name__ == "__main__":
    main()
