"""How long releases take in Neo4j by the size of the graph, in turn with Open GDS in the same server.

    python bench/neo4j_size.py [MILLIONS ...] [--jar JAR]      # of relationships; 0.3 and 2 where none is given

A server of its own holds one power-law graph, made by itself. Every row is run in turn with the others, once to warm
and then `TIMES` times; the least wall time and the least processor time (server and workers) are printed. `--jar`
puts another build of the plugin in, to compare two.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.harness.measure import tree_processor
from bench.rows.neo4j_server import DROP, NAME, PROJECT, Running, S, server

TIMES, NODES_A_MILLION = 2, 100_000
GRAPH = {"nodeLabel": "Person", "relationshipType": "KNOWS", "idProperty": "id"}
PROJECTED = PROJECT.replace("'Node'", "'Person'").replace("LINKED_TO", "KNOWS")
NODES = "UNWIND range(1, $nodes) AS id CALL (id) { CREATE (:Person {id: id}) } IN TRANSACTIONS OF 50000 ROWS"
EDGES = (
    "UNWIND range(1, $edges) AS i CALL (i) { "
    "WITH 1 + toInteger($nodes * rand() ^ 2) AS source, 1 + toInteger($nodes * rand() ^ 2) AS target "
    "MATCH (a:Person {id: source}), (b:Person {id: target}) CREATE (a)-[:KNOWS]->(b) "
    "} IN TRANSACTIONS OF 50000 ROWS"
)


def ours(procedure: str, asked: str) -> tuple[str, ...]:
    return (f"CALL edgedp.{procedure}.stream('big', {{{asked}}})",)


def theirs(procedure: str, shown: str) -> tuple[str, ...]:
    return DROP, PROJECTED, f"CALL gds.{procedure}.stats('bench') YIELD {shown} RETURN {shown}", DROP


ROWS: dict[str, tuple[str, ...]] = {
    "GDS: project": (DROP, PROJECTED, DROP),
    "degree, joint": ours("privTopk", "metric: 'degree', k: 10, epsilon: 1"),
    "GDS: project, degree": theirs("degree", "computeMillis"),
    "number of edges": ours("count", "of: 'edges', epsilon: 1"),
    "density, sld": ours("privTopk", "metric: 'density', k: 10, epsilon: 1"),
    "GDS: project, local clustering": theirs("localClusteringCoefficient", "nodeCount"),
    "triangles": ours("count", "of: 'triangles', epsilon: 1"),
    "GDS: project, triangles": theirs("triangleCount", "globalTriangleCount"),
    "summary": ours("summary", "epsilon: 1"),
    "EBC, joint": ours("privTopk", "metric: 'ebc', k: 10, epsilon: 1"),
}


def fill(running: Running, millions: float) -> float:
    """Put one graph in the place of what is there and register it; return how long the registration took."""
    running.session.run(f"CALL edgedp.graph.drop('{NAME}')").consume()
    running.session.run("CREATE CONSTRAINT FOR (node:Person) REQUIRE node.id IS UNIQUE").consume()
    running.session.run("MATCH (n:Node) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 20000 ROWS").consume()
    nodes, edges = int(NODES_A_MILLION * millions), int(1_000_000 * millions)
    running.session.run(NODES, nodes=nodes).consume()
    running.session.run(EDGES, nodes=nodes, edges=edges).consume()
    began = time.perf_counter()
    declared = GRAPH | {"epsilonBudget": 1000.0, "degreeBound": 20_000}
    running.session.run("CALL edgedp.graph.register('big', $declared)", declared=declared).consume()
    return time.perf_counter() - began


def measured(running: Running, statements: tuple[str, ...]) -> tuple[float, float]:
    processor, began = tree_processor(running.pid), time.perf_counter()
    before = processor()
    for statement in statements:
        running.ask(statement)
    return time.perf_counter() - began, processor() - before


def size(millions: float) -> None:
    with server() as running:
        registered = fill(running, millions)
        rows = {
            name: statements
            for name, statements in ROWS.items()
            if not (running.without_gds and name.startswith("GDS"))
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
        for _ in range(1 + TIMES):
            for name, statements in rows.items():
                found[name].append(measured(running, statements))
        print(f"\n{S}, {millions} million relationships; the registration took {registered:.2f} s\n")
        print("| work | wall, s | processor, s |\n|---|---|---|")
        for name, times in found.items():
            wall, processor = (min(each) for each in zip(*times[1:], strict=True))
            print(f"| {name} | {wall:.2f} | {processor:.2f} |", flush=True)


def main(asked: list[str]) -> None:
    if "--jar" in asked:
        where = asked.index("--jar")
        other(Path(asked[where + 1]))
        asked = asked[:where] + asked[where + 2 :]
    for millions in asked or ("0.3", "2"):
        size(float(millions))


def other(jar: Path) -> None:
    """Let servers have another build of the plugin."""
    from edgedp.stores.neo4j import plugin as server_plugin

    install = server_plugin.install

    def replaced(home: Path) -> Any:
        done = install(home)
        (there,) = (home / "plugins").glob("edgedp-*.jar")
        shutil.copyfile(jar, there)
        return done

    server_plugin.install = replaced  # type: ignore[assignment]


if __name__ == "__main__":
    main(sys.argv[1:])
