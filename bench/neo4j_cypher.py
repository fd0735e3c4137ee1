"""Neo4j over Bolt on Enron: forms of the load, the read and the metrics, each beside its rivals, in one run.

    PYTHONPATH=tests/support python bench/neo4j_cypher.py load # ways to write 183,831 relationships, LOAD CSV, too
    PYTHONPATH=tests/support python bench/neo4j_cypher.py read # ways to get the whole graph into Python
    PYTHONPATH=tests/support python bench/neo4j_cypher.py metrics # the statements of queries/neo4j, hubs and all nodes
    PYTHONPATH=tests/support python bench/neo4j_cypher.py ebc # forms of EBC for one hub
    PYTHONPATH=tests/support python bench/neo4j_cypher.py topk # a private EBC top-10 within the database
    PYTHONPATH=tests/support python bench/neo4j_cypher.py counts # exact numbers and their sensitivity profiles

Every part starts a server of its own (tests/support/neo4jserver), takes turns over its rivals and prints a table in
Markdown: wall time of the first round (the first rivals warm the server up for the others), least wall time, and
least processor time of the server (which a busy machine falsifies less).
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
from edgedp.stores.statements.queries import query
from neo4jserver import Server, start

ROUNDS = 3
NAMES = {"node_label": "Node", "relationship_type": "LINKED_TO", "id_property": "id"}
CREATE_NODES = "UNWIND $rows AS id CREATE (:Node {id: id})"
CONSTRAINT = "CREATE CONSTRAINT node_id IF NOT EXISTS FOR (node:Node) REQUIRE node.id IS UNIQUE"
BY_SOURCE = (
    "UNWIND $rows AS row MATCH (a:Node {id: row[0]}) UNWIND row[1] AS id "
    "MATCH (b:Node {id: id}) CREATE (a)-[:LINKED_TO]->(b)"
)
ONCE_A_BATCH = (
    "UNWIND range(0, size($ids) - 1) AS i MATCH (node:Node {id: $ids[i]}) WITH node, i ORDER BY i "
    "WITH collect(node) AS nodes UNWIND $pairs AS pair WITH nodes[pair[0]] AS a, nodes[pair[1]] AS b "
    "CREATE (a)-[:LINKED_TO]->(b)"
)
HUBS = 10
BUSY_HUB = 195  # degree 1,143, 1.17 million wedges among its neighbours

Rows = list[Any]
Rival = Callable[[neo4j.Session], Any]


def main() -> None:
    graph = edgedp.read_graph("email-Enron")
    parts = {"load": load, "read": read, "metrics": metrics, "ebc": ebc, "topk": topk, "counts": counts}
    for name in sys.argv[1:] or parts:
        with start(jvm=()) as server, server.driver(notifications_min_severity="OFF") as driver:
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

    def csv(session: neo4j.Session) -> None:
        for file, work in (
            ("nodes", "CREATE (:Node {id: toInteger(row[0])})"),
            ("edges", ends.format("toInteger(row[0])", "toInteger(row[1])")),
        ):
            loading = f"LOAD CSV FROM 'file:///{file}.csv' AS row CALL (row) {{ {work} }}"
            session.run(loading + " IN TRANSACTIONS OF 10000 ROWS").consume()

    def batches(statement: str, size: int, parameters: Callable[[np.ndarray], dict[str, Rows]]) -> Rival:
        def fill(session: neo4j.Session) -> None:
            for first in range(0, graph.node_count, 20_000):
                session.run(CREATE_NODES, rows=graph.node_ids[first : first + 20_000].tolist()).consume()
            for first in range(0, len(edges), size):
                session.run(statement, parameters(edges[first : first + size])).consume()

        return fill

    def by_store(session: neo4j.Session) -> None:
        with edgedp.open_store(server.uri, auth=server.auth) as store:
            store.load(graph, name="email-Enron", epsilon_budget=1, degree_bound=graph.max_degree)

    rivals = {
        "`LOAD CSV`, transactions of 10,000 rows": csv,
        "pairs, 10,000 a batch": batches(by_row, 10_000, pairs),
        "pairs, 20,000": batches(by_row, 20_000, pairs),
        "pairs, 50,000": batches(by_row, 50_000, pairs),
        "maps, 20,000": batches(by_map, 20_000, maps),
        "two lists and an index, 20,000": batches(by_index, 20_000, lambda batch: {"rows": batch.T.tolist()}),
        "a source and its targets, 20,000": batches(BY_SOURCE, 20_000, grouped),
        "a source and its targets, 50,000": batches(BY_SOURCE, 50_000, grouped),
        "a node once a batch, pairs of positions, 20,000": batches(ONCE_A_BATCH, 20_000, numbered),
        "`store.load`": by_store,
    }

    def empty(session: neo4j.Session) -> None:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 20000 ROWS").consume()
        session.run(CONSTRAINT).consume()

    compare("load", server, driver, rivals, before=empty)


def pairs(batch: np.ndarray) -> dict[str, Rows]:
    return {"rows": batch.tolist()}


def maps(batch: np.ndarray) -> dict[str, Rows]:
    return {"rows": [{"a": a, "b": b} for a, b in batch.tolist()]}


def grouped(batch: np.ndarray) -> dict[str, Rows]:
    """Return ``[source, targets]`` of edges sorted by source."""
    sources, first = np.unique(batch[:, 0], return_index=True)
    targets = np.split(batch[:, 1], first[1:])
    return {"rows": [[a, each.tolist()] for a, each in zip(sources.tolist(), targets, strict=True)]}


def numbered(batch: np.ndarray) -> dict[str, Rows]:
    """Return the batch's nodes and its edges as positions in them."""
    ids, positions = np.unique(batch, return_inverse=True)
    return {"ids": ids.tolist(), "pairs": positions.reshape(-1, 2).tolist()}


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
        "a row an edge": fetch(whole + "RETURN a.id, b.id"),
        "a row a node, neighbours either way": fetch(f"MATCH (a:Node) RETURN a.id, {both}"),
        "`adjacency.cypher`": fetch(query("neo4j", "adjacency", **NAMES)),
        "a row a thousand nodes, two lists": fetch(blocks),
        "one row, two lists": fetch(whole + "RETURN collect(a.id), collect(b.id)"),
    }
    compare("read", server, driver, rivals)


def metrics(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Time the statements as they are, for the largest degrees and for all nodes."""
    write(driver, graph)
    hubs = graph.node_ids[np.argsort(-graph.degrees, kind="stable")[:HUBS]].tolist()
    names = ("degree", "density", "ebc", "betweenness2", "common_neighbors", "sensitivity_ebc_degree")
    for title, nodes, rounds in ((f"{HUBS} hubs", hubs, ROUNDS), ("all nodes", None, 1)):
        parameters = {"nodes": nodes, "t": 1, "global_sensitivity": 1e9}
        rivals = {f"`{name}.cypher`": fetch(query("neo4j", name, **NAMES), **parameters) for name in names}
        compare(title, server, driver, rivals, rounds=rounds)


def ebc(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Time the forms that were tried for one busy hub, and parts of them."""
    write(driver, graph)
    paths = "MATCH (u:Node {id: $u})-[:LINKED_TO]-(x:Node)-[:LINKED_TO]-(a:Node)"
    ego = paths + "-[:LINKED_TO]-(u) USING JOIN ON x WITH DISTINCT x, a "
    wedges = (
        "WITH x, a.id AS id ORDER BY id WITH x, collect(id) AS ends UNWIND range(0, size(ends) - 2) AS p "
        "WITH ends[p] AS i, ends[p + 1..] AS after UNWIND after AS j "
    )
    apart = "MATCH (a:Node {id: i}), (b:Node {id: j}) WITH a, b, c WHERE NOT EXISTS { (a)-[:LINKED_TO]-(b) } "
    total = "RETURN sum(c / (1.0 + c)) AS lost"
    looked_up = " WITH u, x, a SKIP 0 MATCH (a)-[:LINKED_TO]-(u) WITH DISTINCT x, a "
    statements = {
        "`ebc.cypher`": query("neo4j", "ebc", **NAMES).replace("$nodes", "[$u]"),
        "one table of all pairs, adjacency looked up": ego
        + wedges
        + "WITH i, j, count(*) AS c "
        + apart
        + total,
        "the wedges alone, not counted by pair": ego + wedges + "RETURN count(*) AS wedges",
        "the ego network's edges alone, by a hash join": ego + "RETURN count(*) AS ends",
        "the same, each path's end looked up": paths + looked_up + "RETURN count(*) AS ends",
    }
    rivals = {name: fetch(statement, u=BUSY_HUB) for name, statement in statements.items()}
    compare("EBC of one hub", server, driver, rivals)


def topk(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Read by the store, and release from within the database."""
    with edgedp.open_store(server.uri, auth=server.auth) as store:
        store.load(graph, name="email-Enron", epsilon_budget=1000, degree_bound=graph.max_degree)

        def release(session: neo4j.Session) -> None:
            store.priv_top_k("email-Enron", metric="ebc", k=10, epsilon=1, engine="cypher")

        rivals: dict[str, Rival] = {
            "`store.graph`": lambda session: store.graph("email-Enron"),
            '`store.priv_top_k(metric="ebc", k=10, engine="cypher")`': release,
        }
        compare("the store", server, driver, rivals)


def counts(server: Server, driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Count in the database, and make sensitivity profiles of what it tells of the hubs, beside reading the graph."""
    with edgedp.open_store(server.uri, auth=server.auth) as store:
        store.load(graph, name="email-Enron", epsilon_budget=1, degree_bound=graph.max_degree)
        pair = graph.node_ids[np.argsort(-graph.degrees, kind="stable")[:2]].tolist()

        def number(of: str, **given: Any) -> Rival:
            return lambda session: store.exact_count("email-Enron", of, engine="cypher", **given)

        def profile(of: str, engine: str = "cypher", **given: Any) -> Rival:
            return lambda session: store.exact_count_sensitivity("email-Enron", of, 0, engine=engine, **given)

        rivals = {
            "`edges`, from the degrees": number("edges"),
            "`triangles`, `count_triangles.cypher`": number("triangles"),
            "`common_neighbors` of two hubs, `pair_common_neighbors.cypher`": number(
                "common_neighbors", pair=pair
            ),
            "profile of `triangles`, `common_neighbors.cypher` of hubs": profile("triangles"),
            "profile of `wedges`, `neighbors.cypher` of hubs": profile("wedges"),
            "profile of `stars` of 3, the same": profile("stars", star_size=3),
            "profile of `ebc` of the largest hub": profile("ebc", node=pair[0]),
            "the same profile of `triangles` by `native`, the graph read": profile("triangles", "native"),
        }
        compare("numbers", server, driver, rivals)


def write(driver: neo4j.Driver, graph: edgedp.Graph) -> None:
    """Write the graph under `NAMES`."""
    driver.execute_query(CONSTRAINT)
    driver.execute_query(CREATE_NODES, rows=graph.node_ids.tolist())
    driver.execute_query(BY_SOURCE, grouped(graph.node_ids[graph.edges()]))


def fetch(statement: str, **parameters: Any) -> Rival:
    """Return what runs a statement and takes its rows."""
    return lambda session: session.run(statement, parameters).values()


def compare(
    title: str,
    server: Server,
    driver: neo4j.Driver,
    rivals: dict[str, Rival],
    *,
    before: Rival | None = None,
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
    print(f"\n| {title}, {rounds} rounds | first wall, s | least wall, s | least server's processor, s |")
    print("|---|---:|---:|---:|")
    for name in rivals:
        cells = f"{wall[name][0]:.2f} | {min(wall[name]):.2f} | {min(processor[name]):.2f}"
        print(f"| {name} | {cells} |", flush=True)


def processor_seconds(server: Server) -> float:
    """Return the processor time that the server has used (Linux)."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    main()
