"""A window of relationships in Neo4j: with an index on the date and without, beside a release of everything.

``python bench/windows_neo4j.py [--rows 1000000] [--months 24] [--rounds 5]``. A server of its own holds one graph whose
relationships are dated by lot; a top 10 by degree is asked of one month and of everything, in turn. Processor time of
the server and its workers, of the rounds the median and the least.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.harness.measure import tree_processor
from bench.rows.neo4j_server import Running, server

GRAPH = "{nodeLabel: 'Person', relationshipType: 'CALLED', idProperty: 'id', epsilonBudget: 1000.0, within: 'P1Y', "
DATES = "dates: {property: 'at', type: 'DATE', from: '2020-01-01', period: 'P1M', are: 'final'}}"
NODES = "UNWIND range(1, $nodes) AS id CALL (id) { CREATE (:Person {id: id}) } IN TRANSACTIONS OF 50000 ROWS"
EDGES = (
    "UNWIND range(1, $edges) AS i CALL (i) { "
    "WITH 1 + toInteger($nodes * rand() ^ 2) AS source, 1 + toInteger($nodes * rand() ^ 2) AS target "
    "MATCH (a:Person {id: source}), (b:Person {id: target}) "
    "CREATE (a)-[:CALLED {at: date('2020-01-01') + duration({days: toInteger(30 * $months * rand())})}]->(b) "
    "} IN TRANSACTIONS OF 50000 ROWS"
)
INDEX = "CREATE INDEX called_at IF NOT EXISTS FOR ()-[edge:CALLED]-() ON (edge.at)"
WAITED = "CALL db.awaitIndexes(600)"
ASKED = "CALL edgedp.privTopk.stream('calls', {metric: 'degree', k: 10, epsilon: '0.001'%s})"
MONTH = ASKED % ", window: '2020-07'"


def fill(running: Running, rows: int, months: int) -> None:
    """Make the graph and register it, with a calendar."""
    run = running.session.run
    run("CREATE CONSTRAINT FOR (node:Person) REQUIRE node.id IS UNIQUE").consume()
    run(NODES, nodes=rows // 10).consume()
    run(EDGES, nodes=rows // 10, edges=rows, months=months).consume()
    run(f"CALL edgedp.graph.register('calls', {GRAPH}{DATES})").consume()


def in_turn(running: Running, works: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the processor seconds of each; a first round is not counted."""
    found: dict[str, list[float]] = {name: [] for name in works}
    clock = tree_processor(running.pid)
    for number in range(rounds + 1):
        for name, work in works.items():
            began = clock()
            work()
            if number:
                found[name].append(clock() - began)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--months", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with server() as running:
        fill(running, asked.rows, asked.months)
        works: dict[str, Callable[[], object]] = {
            "everything": lambda: running.ask(ASKED % ""),
            "a month, no index": lambda: running.ask(MONTH),
        }
        found = in_turn(running, works, asked.rounds)
        running.session.run(INDEX).consume()
        running.session.run(WAITED).consume()
        again = in_turn(
            running,
            {"everything, again": works["everything"], "a month, by the index": works["a month, no index"]},
            asked.rounds,
        )
    whole = statistics.median(found["everything"])
    print("| | median, ms | least, ms | of everything |\n|---|---|---|---|")
    for name, seconds in (found | again).items():
        median = statistics.median(seconds)
        print(f"| {name} | {1000 * median:.0f} | {1000 * min(seconds):.0f} | {median / whole:.2f} |")


if __name__ == "__main__":
    main()
