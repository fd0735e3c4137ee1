"""Neo4j over Bolt on Enron: forms of the load, the read and the metrics, each beside its rivals, in one run.

    PYTHONPATH=tests python bench/neo4j_cypher.py load       # ways to write 183,831 relationships, LOAD CSV among them
    PYTHONPATH=tests python bench/neo4j_cypher.py read       # ways to get the whole graph into Python
    PYTHONPATH=tests python bench/neo4j_cypher.py metrics    # the statements of queries/neo4j, hubs and all nodes
    PYTHONPATH=tests python bench/neo4j_cypher.py ebc        # forms of EBC for one hub
    PYTHONPATH=tests python bench/neo4j_cypher.py topk       # a private EBC top-10 within the database

Every part starts a server of its own (tests/neo4jserver), takes turns over its rivals and prints a table in
Markdown: least wall time, and least processor time of the server (which a busy machine falsifies less).
`bench/results/neo4j.md` holds one run of each.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import edgedp
import neo4j
from edgedp.queries import query
from neo4jserver import Server, start

ROUNDS = 3
NAMES = {"node_label": "Node", "relationship_type": "LINKED_TO", "id_property": "id"}
CREATE_NODES = "UNWIND $rows AS id CREATE (:Node {id: id})"
CONSTRAINT = "CREATE CONSTRAINT node_id IF NOT EXISTS FOR (node:Node) REQUIRE node.id IS UNIQUE"
HUBS = 10
BUSY_HUB = 195  # degree 1,143, 1.17 million wedges among its neighbours

Rows = list[list[Any]]


def main() -> None:
    """Run the parts named on the command line."""
    graph = edgedp.read_graph("email-Enron")
    parts = {"load": load, "read": read, "metrics": metrics, "ebc": ebc, "topk": topk}
    for name in sys.argv[1:] or parts:
        with start() as server, server.driver(notifications_min_severity="OFF") as driver:
            parts[name](server, driver, graph)


def load(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Write the graph, again and again, in every way; the constraint comes first in all of them."""
    edges = graph.node_ids[graph.edges()]
    np.savetxt(server.home / "import" / "nodes.csv", graph.node_ids, fmt="%d")
    np.savetxt(server.home / "import" / "edges.csv", edges, fmt="%d", delimiter=",")
    ends = "MATCH (a:Node {{id: {}}}) MATCH (b:Node {{id: {}}}) CREATE (a)-[:LINKED_TO]->(b)"
    by_row = "UNWIND $rows AS row " + ends.format("row[0]", "row[1]")
    by_map = "UNWIND $rows AS row " + ends.format("row.a", "row.b")
    by_index = "UNWIND range(0, size($rows[0]) - 1) AS i " + ends.format("$rows[0][i]", "$rows[1][i]")
    by_source = (
        "UNWIND $rows AS row MATCH (a:Node {id: row[0]}) UNWIND row[1] AS id "
        "MATCH (b:Node {id: id}) CREATE (a)-[:LINKED_TO]->(b)"
    )

    def csv(session: neo4j.Session) -> None:
        for file, work in (
            ("nodes", "CREATE (:Node {id: toInteger(row[0])})"),
            ("edges", ends.format("toInteger(row[0])", "toInteger(row[1])")),
        ):
            loading = f"LOAD CSV FROM 'file:///{file}.csv' AS row CALL (row) {{ {work} }}"
            session.run(loading + " IN TRANSACTIONS OF 10000 ROWS").consume()

    def batches(
        statement: str, size: int, rows: Callable[[np.ndarray], Rows]
    ) -> Callable[[neo4j.Session], None]:
        def write(session: neo4j.Session) -> None:
            for first in range(0, graph.node_count, 20_000):
                session.run(CREATE_NODES, rows=graph.node_ids[first : first + 20_000].tolist()).consume()
            for first in range(0, len(edges), size):
                session.run(statement, rows=rows(edges[first : first + size])).consume()

        return write

    rivals = {
        "`LOAD CSV`, transactions of 10,000 rows": csv,
        "pairs, 10,000 a batch": batches(by_row, 10_000, np.ndarray.tolist),
        "pairs, 20,000": batches(by_row, 20_000, np.ndarray.tolist),
        "pairs, 50,000": batches(by_row, 50_000, np.ndarray.tolist),
        "maps, 20,000": batches(by_map, 20_000, lambda batch: [{"a": a, "b": b} for a, b in batch.tolist()]),
        "two lists and an index, 20,000": batches(by_index, 20_000, lambda batch: batch.T.tolist()),
        "a source and its targets, 10,000": batches(by_source, 10_000, grouped),
        "a source and its targets, 20,000": batches(by_source, 20_000, grouped),
        "a source and its targets, 50,000": batches(by_source, 50_000, grouped),
    }

    def empty(session: neo4j.Session) -> None:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 20000 ROWS").consume()
        session.run(CONSTRAINT).consume()

    compare("load", server, driver, rivals, before=empty)


def grouped(batch: np.ndarray) -> Rows:
    """Return ``[source, targets]`` of edges sorted by source."""
    sources, first = np.unique(batch[:, 0], return_index=True)
    targets = np.split(batch[:, 1], first[1:])
    return [[source, each.tolist()] for source, each in zip(sources.tolist(), targets, strict=True)]


def read(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Fetch every edge, in rows of several shapes."""
    write(driver, graph)
    whole = "MATCH (a:Node)-[:LINKED_TO]->(b:Node) "
    both = "COLLECT { MATCH (a)-[:LINKED_TO]-(b:Node) WHERE b <> a RETURN DISTINCT b.id }"
    blocks = (
        "MATCH (a:Node) WITH collect(a) AS every UNWIND range(0, size(every) - 1, 1000) AS first "
        "CALL (every, first) { UNWIND every[first..first + 1000] AS a MATCH (a)-[:LINKED_TO]->(b:Node) "
        "RETURN collect(a.id) AS sources, collect(b.id) AS targets } RETURN sources, targets"
    )
    rivals = {
        "a row an edge": whole + "RETURN a.id, b.id",
        "a row a node, neighbours either way": f"MATCH (a:Node) RETURN a.id, {both}",
        "a row a node, outgoing: `adjacency.cypher`": query("neo4j", "adjacency", **NAMES),
        "a row a thousand nodes": blocks,
        "one row": whole + "RETURN collect(a.id), collect(b.id)",
    }
    fetch = {
        name: (lambda session, s=statement: session.run(s).values()) for name, statement in rivals.items()
    }
    compare("read", server, driver, fetch)


def metrics(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Time the statements as they are, for the largest degrees and for all nodes."""
    write(driver, graph)
    hubs = hubs_of(graph)
    names = ("degree", "density", "ebc", "betweenness2", "common_neighbors", "sensitivity_ebc_degree")
    limits = {"t": 1, "global_sensitivity": 1e9}

    def rival(name: str, nodes: list[int] | None) -> Callable[[neo4j.Session], Rows]:
        statement = query("neo4j", name, **NAMES)
        return lambda session: session.run(statement, nodes=nodes, **limits).values()

    compare(f"{HUBS} hubs", server, driver, {name: rival(name, hubs) for name in names})
    compare("all nodes", server, driver, {name: rival(name, None) for name in names}, rounds=1)


def ebc(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Time the forms that were tried for one busy hub; all give the same value."""
    write(driver, graph)
    triangles = "MATCH (u:Node {id: $u})-[:LINKED_TO]-(x:Node)-[:LINKED_TO]-(a:Node)-[:LINKED_TO]-(u) "
    ends = "WITH DISTINCT x, a WITH x, a.id AS id ORDER BY id WITH x, collect(id) AS ends "
    pairs = (
        "UNWIND range(0, size(ends) - 2) AS p WITH ends[p] AS i, ends[p + 1..] AS after UNWIND after AS j "
    )
    total = "RETURN sum(c / (1.0 + c)) AS lost"
    apart = "MATCH (a:Node {id: i}), (b:Node {id: j}) WITH c WHERE NOT EXISTS { (a)-[:LINKED_TO]-(b) } "
    into = triangles.replace("-[:LINKED_TO]-(u) ", " ") + "WITH u, x, a SKIP 0 MATCH (a)-[:LINKED_TO]-(u) "
    statements = {
        "`ebc.cypher`": query("neo4j", "ebc", **NAMES).replace("$nodes", "[$u]"),
        "one table of all pairs, adjacency looked up": triangles
        + ends
        + pairs
        + "WITH i, j, count(*) AS c "
        + apart
        + total,
        "one table of all pairs, adjacent ones left in (too much)": triangles
        + ends
        + pairs
        + "WITH i, j, count(*) AS c "
        + total,
        "the wedges alone, uncounted": triangles + ends + pairs + "RETURN count(*) AS wedges",
        "the edges of the ego network alone": triangles
        + "USING JOIN ON x WITH DISTINCT x, a RETURN count(*) AS ends",
        "these edges, without the join hint's plan": into + "WITH DISTINCT x, a RETURN count(*) AS ends",
    }
    rivals = {
        name: (lambda session, s=statement: session.run(s, u=BUSY_HUB).values())
        for name, statement in statements.items()
    }
    compare("EBC of one hub", server, driver, rivals)


def topk(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Load by the store, read by the store, and release from within the database."""
    with edgedp.open_store(server.uri, auth=server.auth) as store:
        largest = graph.max_degree

        def release(session: neo4j.Session) -> None:
            store.priv_top_k("email-Enron", metric="ebc", k=10, epsilon=1, engine="cypher")

        def load_it(session: neo4j.Session) -> None:
            store.load(graph, name="email-Enron", epsilon_budget=1000, degree_bound=largest, replace=True)

        rivals = {
            "`store.load`": load_it,
            "`store.graph`": lambda session: store.graph("email-Enron"),
            '`priv_top_k(metric="ebc", k=10, engine="cypher")`': release,
        }
        compare("the store", server, driver, rivals)


def write(driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Write the graph under `NAMES`."""
    edges = graph.node_ids[graph.edges()]
    driver.execute_query(CONSTRAINT)
    driver.execute_query(CREATE_NODES, rows=graph.node_ids.tolist())
    driver.execute_query(
        "UNWIND $rows AS row MATCH (a:Node {id: row[0]}) UNWIND row[1] AS id MATCH (b:Node {id: id}) "
        "CREATE (a)-[:LINKED_TO]->(b)",
        rows=grouped(edges),
    )


def hubs_of(graph: edgedp.Graph) -> list[int]:
    """Return the ids of the largest degrees."""
    ids: list[int] = graph.node_ids[np.argsort(-graph.degrees, kind="stable")[:HUBS]].tolist()
    return ids


def compare(
    title: str,
    server: Server,
    driver: neo4j.Driver,
    rivals: dict[str, Callable[[neo4j.Session], Any]],
    *,
    before: Callable[[neo4j.Session], None] | None = None,
    rounds: int = ROUNDS,
) -> None:
    """Take turns over the rivals and print the least of each."""
    wall: dict[str, list[float]] = {name: [] for name in rivals}
    processor: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, rival in rivals.items():
            with driver.session(fetch_size=-1) as session:
                if before is not None:
                    before(session)
                began, used = time.perf_counter(), processor_seconds(server)
                rival(session)
                wall[name].append(time.perf_counter() - began)
                processor[name].append(processor_seconds(server) - used)
    load_average = Path("/proc/loadavg").read_text().split()[0]
    print(
        f"\n| {title} ({rounds} rounds, load {load_average}) | wall, s | server's processor, s |\n|---|---|---|"
    )
    for name in rivals:
        print(f"| {name} | {min(wall[name]):.2f} | {min(processor[name]):.2f} |", flush=True)


def processor_seconds(server: Server) -> float:
    """Return the processor time that the server has used (Linux)."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    main()
