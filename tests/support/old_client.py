"""A client of edgedp 0.1.0, run by tests in a process of its own with the package of ``fixtures/`` on its path.

Everything here is written for that package. The password comes by the environment; what it says is JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import edgedp
from edgedp import Graph, open_store

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


def write(uri: str) -> None:
    """Leave everything that 0.1.0 leaves: ledgers of both currencies, releases, a lost one, a graph's beginnings."""
    with open_store(uri) as store:
        store.load(KITE, "kite", epsilon_budget=10, degree_bound=4, max_epsilon_per_release=2)
        store.set_budget("kite", 8)
        first = store.priv_top_k("kite", metric="degree", k=2, epsilon=0.5, request_id="monday")
        store.motkin(
            "kite", metrics=["degree", "density"], k=1, epsilon=0.25, approach="aggregate", engine="igraph"
        )
        lose(store, "kite")
        store.load(KITE, "rho", epsilon_budget=1, delta="1e-6")
        for _ in range(3):
            store.priv_top_k("rho", metric="degree", k=3, epsilon="0.1")
        store.load(KITE, "gone", epsilon_budget=1)
        store.priv_top_k("gone", metric="degree", k=1, epsilon=1)
        store.drop("gone")
        store.register("friends", "Person", "KNOWS", "ssn", epsilon_budget=1, degree_bound=4)
        store.priv_top_k("friends", metric="degree", k=1, epsilon=0.75)
        leave_a_load(store)
        told = {name: store.budget(name) for name in ("kite", "rho", "gone", "friends")}
    print(json.dumps({"budgets": told, "monday": first.nodes}))


def lose(store: edgedp.Store, name: str) -> None:
    """Debit a release and draw nothing."""
    import edgedp.draw

    drawn = edgedp.draw.draw

    def broken(*_: object) -> None:
        raise RuntimeError("the machine stopped here")

    edgedp.draw.draw = broken  # type: ignore[assignment]
    try:
        store.priv_top_k(name, metric="degree", k=1, epsilon=1, request_id="tuesday")
    except RuntimeError:
        pass
    finally:
        edgedp.draw.draw = drawn


def leave_a_load(store: edgedp.Store) -> None:
    """Write a version's nodes and edges and stop there."""
    with store._backend.session(create=True) as session:
        row = store._backend.place("half", 7, "Node", "HALF")
        session.run("load_begin", name="half", nodeLabel=row.node_label, constraintName="edgedp_7")
        session._write(row, KITE, None)  # type: ignore[attr-defined]  # the client of 0.1.0 has it


def attack(uri: str) -> None:
    """Try everything that spends or declares; say what was refused and what was not."""
    asked = {"metric": "degree", "k": 1, "epsilon": "0.125"}
    said = {}
    with open_store(uri) as store:
        for what, call in {
            "release": lambda: store.priv_top_k("kite", **asked),
            "release of a registered graph": lambda: store.priv_top_k("friends", **asked),
            "register": lambda: store.register("friends", "Person", "KNOWS", "ssn", epsilon_budget=50),
            "register by another name": lambda: store.register(
                "pals", "Person", "KNOWS", "ssn", epsilon_budget=50
            ),
            "load": lambda: store.load(KITE, "kite", epsilon_budget=50),
            "load by another name": lambda: store.load(
                KITE, "fresh", epsilon_budget=50, relationship_type="KNOWS"
            ),
            "replace": lambda: store.load(KITE, "kite", epsilon_budget=50, replace=True),
            "set the budget": lambda: store.set_budget("kite", 50),
            "drop": lambda: store.drop("kite"),
        }.items():
            try:
                call()
                said[what] = "done"
            except edgedp.EdgeDPError as error:
                said[what] = f"refused: {error}"
    print(json.dumps(said))


def overtaken(uri: str, step: str, folder: str) -> None:
    """Plan a release, or begin a registration, wait until the test lets go, and go on."""
    from edgedp.stores.neo4j import Neo4jSession  # type: ignore[attr-defined]

    wait, begin = Path(folder), Neo4jSession.transaction

    def waiting(self: Neo4jSession) -> object:
        (wait / "planned").touch()
        while not (wait / "go").exists():
            time.sleep(0.05)
        return begin(self)

    Neo4jSession.transaction = waiting  # type: ignore[assignment, method-assign]
    with open_store(uri) as store:
        try:
            if step == "release":
                store.priv_top_k("kite", metric="degree", k=1, epsilon="0.125")
            else:
                store.register("pals", "Person", "OTHER", "ssn", epsilon_budget=50)
            print(json.dumps("done"))
        except edgedp.EdgeDPError as error:
            print(json.dumps(f"refused: {error}"))


if __name__ == "__main__":
    assert edgedp.__version__ == "0.1.0"
    assert Path(edgedp.__file__).parts[-3] == "edgedp-0.1.0", edgedp.__file__
    globals()[sys.argv[1]](*sys.argv[2:])
