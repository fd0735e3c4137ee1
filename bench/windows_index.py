"""One window of 24 read from Neo4j, with and without an index on the date, beside the whole adjacency.

``python bench/windows_index.py [--rows 240000] [--rounds 7]`` starts a server of the tests' kind. Processor time of the
server and of this process together, in turn; the least of the rounds. Results: `results/windows.md`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from edgedp import open_store
from edgedp.ledger import registry
from edgedp.ledger.account import Account

MONTHS = 24
TICK = os.sysconf("SC_CLK_TCK")


def spent(pid: int) -> float:
    """Return the processor seconds of the server and of this process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK + time.process_time()


def least(works: dict[str, Callable[[], object]], pid: int, rounds: int) -> dict[str, float]:
    """Return the least processor time of each, made in turn, after a first round that warms the server."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for round in range(rounds + 2):
        for name, work in works.items():
            before = spent(pid)
            for _ in range(3):
                work()
            if round > 1:
                found[name].append((spent(pid) - before) / 3)
    return {name: min(took) for name, took in found.items()}


def main() -> None:
    from neo4jserver import start

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=240_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    noise = np.random.default_rng(1)
    rows = np.column_stack(
        [noise.integers(0, 20_000, (asked.rows, 2)), noise.integers(0, MONTHS, asked.rows)]
    )
    server: Any = start()
    try:
        driver = server.driver()
        run = driver.execute_query
        run("CREATE CONSTRAINT FOR (n:P) REQUIRE n.id IS UNIQUE")
        run("UNWIND range(0, 19999) AS id CREATE (:P {id: id})")
        for start_at in range(0, len(rows), 20_000):
            run(
                "UNWIND $rows AS row MATCH (a:P {id: row[0]}), (b:P {id: row[1]}) CREATE (a)-[:R {at: "
                "date({year: 2022 + row[2] / 12, month: 1 + row[2] % 12, day: 1 + (row[0] + row[1]) % 28})}]->(b)",
                rows=rows[start_at : start_at + 20_000].tolist(),
            )
        with open_store(server.uri, auth=server.auth) as store:
            dates = {"property": "at", "type": "DATE", "from": "2022-01-01", "period": "P1M", "are": "final"}
            store.register("g", "P", "R", "id", epsilon_budget=1, dates=dates, within=12)
            with store._session() as session:
                row = registry.known(session, "g")
                calendar = Account.of(session.run("account_find", name=row.ledgers[0])[0]).calendar
                assert calendar is not None
                span = calendar.span("2023-06")
                works: dict[str, Callable[[], object]] = {
                    "everything": lambda: session.graph(row, None),
                    "a window": lambda: session.graph(row, span),
                }
                without = least(works, server.pid, asked.rounds)
                run("CREATE INDEX at FOR ()-[r:R]-() ON (r.at)")
                run("CALL db.awaitIndexes(300)")
                indexed = least(works, server.pid, asked.rounds)
        print(f"| {asked.rows:,} relationships, {MONTHS} windows | everything | a window | ratio |")
        print("|---|---|---|---|")
        for name, found in (("without an index", without), ("with an index", indexed)):
            whole, window = found["everything"], found["a window"]
            print(f"| {name} | {whole:.2f} s | {window:.2f} s | {window / whole:.2f} |")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
