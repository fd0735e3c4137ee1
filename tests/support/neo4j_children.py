"""Clients that tests run in processes of their own; the password comes by the environment."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

from edgedp import Graph, open_store
from embedded_children import granted
from killing import kill_at


def compete(uri: str, clients: str, times: str, epsilon: str) -> None:
    """Print how many releases were granted to so many clients, each with a driver of its own."""

    def ask(_number: int) -> int:
        with open_store(uri) as store:
            return granted(store, int(times), epsilon)

    with ThreadPoolExecutor(int(clients)) as threads:
        print(sum(threads.map(ask, range(int(clients)))))


def die_in_load(uri: str, statement: str) -> None:
    """Be killed right after one statement of a load that replaces a graph."""
    from edgedp.stores.neo4j.session import Neo4jSession

    if statement == "load_begin":  # committed with its checks
        kill_at("begun")
    send = Neo4jSession.send

    def killing(self: Neo4jSession, running: str, /, *rest: object, **parameters: object) -> object:
        result = send(self, running, *rest, **parameters)  # type: ignore[arg-type]
        if running == statement:
            result.consume()
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    Neo4jSession.send = killing  # type: ignore[assignment, method-assign]
    with open_store(uri) as store:
        store.load(Graph.from_edges([(i, i + 1) for i in range(1000)]), "kite", replace=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
