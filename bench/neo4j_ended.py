"""How long after TERMINATE TRANSACTION the caller of a release in Neo4j has its error, at moments spread over it.

    python bench/neo4j_ended.py [MILLIONS] [--moments N] [--kept FOLDER]   # 2 and 16 by default

By the clock, on the graph of `neo4j_size.py`, of each release: seconds from the statement being sent to the caller's
error, in the order of the moments, and how many of the calls that were ended cost something.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from pathlib import Path

import neo4j.exceptions

sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.neo4j_size import DECLARED, ROWS, SETTINGS, imported
from bench.rows.neo4j_server import Running, server

ENDED = ("summary", "triangles", "degree, joint", "EBC, joint")
OF_CALL = "SHOW TRANSACTIONS YIELD transactionId AS id, currentQuery AS asked WHERE asked STARTS WITH 'CALL edgedp' "
SPENT = "MATCH (account:EdgeDPAccount {name: 'big'}) RETURN account.spent AS spent"


def ended(running: Running, statement: str, moment: float) -> float | None:
    """Return how long the caller waited for its error; None for a call that was over before."""
    caught: dict[str, float] = {}

    def call() -> None:
        try:
            with running.driver.session() as session:
                session.run(statement).consume()
        except neo4j.exceptions.Neo4jError:
            caught["at"] = time.perf_counter()

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(moment)
    sent = time.perf_counter()
    for (found,) in running.ask(OF_CALL + "RETURN id"):
        running.session.run("TERMINATE TRANSACTION $id", id=found).consume()
    thread.join()
    return caught["at"] - sent if caught else None


def measured(running: Running, moments: int) -> None:
    for name in ENDED:
        (statement,) = ROWS[name]
        times = []
        for _ in range(3):
            began = time.perf_counter()
            running.ask(statement)
            times.append(time.perf_counter() - began)
        ended(running, statement, 0)  # its statements are planned
        waits, paid = [], 0
        for turn in range(moments):
            running.ask(statement)  # there is a worker again: the one of a call that was ended is killed
            before = running.ask(SPENT)
            waits.append(ended(running, statement, min(times) * (turn + 0.5) / moments))
            paid += waits[-1] is not None and running.ask(SPENT) != before
        shown = ", ".join("over" if each is None else f"{each:.2f}" for each in waits)
        print(f"| {name} | {min(times):.2f} | {shown} | {paid} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("millions", nargs="?", type=float, default=2)
    parser.add_argument("--moments", type=int, default=16)
    parser.add_argument("--kept", type=Path)
    asked = parser.parse_args()
    with server(imported(asked.millions, asked.kept), *SETTINGS) as running:
        running.session.run("CREATE CONSTRAINT FOR (node:Person) REQUIRE node.id IS UNIQUE").consume()
        running.session.run("CALL db.awaitIndexes(3600)").consume()
        running.session.run("CALL edgedp.graph.register('big', $declared)", declared=DECLARED).consume()
        print(
            f"load of the machine {os.getloadavg()[0]:.0f}\n\n| release | whole, s | ended after, s | paid |"
        )
        print("|---|---:|---|---:|")
        measured(running, asked.moments)


if __name__ == "__main__":
    main()
