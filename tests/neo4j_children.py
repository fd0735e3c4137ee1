"""Clients that tests run in processes of their own; the password comes by the environment."""

from __future__ import annotations

import os
import signal
import sys

from edgedp import BudgetError, Graph, open_store


def compete(uri: str, times: str, epsilon: str) -> None:
    """Ask again and again; print how many releases were granted."""
    granted = 0
    with open_store(uri) as store:
        for _ in range(int(times)):
            try:
                store.priv_top_k("kite", metric="degree", k=1, epsilon=epsilon)
                granted += 1
            except BudgetError:
                pass
    print(granted)


def die_in_load(uri: str, statement: str) -> None:
    """Be killed right after one statement of a load that replaces a graph."""
    from edgedp.stores.neo4j import Neo4jSession

    send = Neo4jSession.send

    def killing(self: Neo4jSession, running: str, /, *rest: object, **parameters: object) -> object:
        result = send(self, running, *rest, **parameters)  # type: ignore[arg-type]
        if running == statement:
            result.consume()
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    Neo4jSession.send = killing  # type: ignore[assignment, method-assign]
    with open_store(uri) as store:
        store.load(Graph.from_edges([(10, 20)]), "kite", replace=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
