"""What loading into Neo4j takes beside the best UNWIND of the driver, in turn in the same server.

    python bench/neo4j_load.py [MILLIONS ...] [--times N]   # 0.3 and 2 by default

A power-law graph of 100,000 nodes a million edges. Ours is `Store.load` over Bolt; theirs is a constraint, and then
nodes and edges by UNWIND, 10,000 rows a transaction. The first of each is to warm; of the others each is printed:
processor time of the server and of this process, and wall time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import edgedp

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "tests" / "support")]
ROWS = 10_000


def unwound(driver: Any, label: str, ids: list[int], pairs: list[list[int]]) -> None:
    """Load as a user of the driver does who knows its manual."""
    edges = f"MATCH (a:{label} {{id: row[0]}}) MATCH (b:{label} {{id: row[1]}}) CREATE (a)-[:LINKED_TO]->(b)"
    with driver.session() as session:
        session.run(f"CREATE CONSTRAINT of_{label} FOR (n:{label}) REQUIRE n.id IS UNIQUE").consume()
        session.run("CALL db.awaitIndexes(300)").consume()
        for what, rows in ((f"CREATE (:{label} {{id: row}})", ids), (edges, pairs)):
            for first in range(0, len(rows), ROWS):
                session.run(f"UNWIND $rows AS row {what}", rows=rows[first : first + ROWS]).consume()


def size(millions: float, times: int) -> None:
    from bench.harness.measure import tree_processor
    from neo4jserver import start

    count = int(1_000_000 * millions)
    ends = (1 + count // 10 * np.random.default_rng(7).random((count, 2)) ** 2).astype(np.int64)
    graph = edgedp.Graph.from_edges(ends)
    ids, pairs = graph.node_ids.tolist(), graph.node_ids[graph.edges()].tolist()
    print(
        f"\n| {len(pairs):,} edges | server, processor s | client, processor s | wall, s |\n|---|---:|---:|---:|"
    )
    with (
        tempfile.TemporaryDirectory(prefix="edgedp-bench-") as folder,
        start(
            home=Path(folder), jvm=["-Xmx2g"], extra_conf={"server.memory.pagecache.size": "2g"}
        ) as running,
        running.driver(notifications_min_severity="OFF") as driver,
        edgedp.open_store(running.uri, auth=(running.user, running.password)) as store,
    ):
        ways: dict[str, Callable[[int], Any]] = {
            "edgedp load": lambda turn: store.load(graph, f"g{turn}", epsilon_budget=1),
            "UNWIND": lambda turn: unwound(driver, f"Loaded{turn}", ids, pairs),
        }
        processor = tree_processor(running.pid)
        for turn in range(times + 1):
            for name, load in ways.items():
                before = processor(), time.process_time(), time.perf_counter()
                load(turn)
                after = processor(), time.process_time(), time.perf_counter()
                took = " | ".join(f"{end - begin:.2f}" for begin, end in zip(before, after, strict=True))
                print(f"| {name}{'' if turn else ', the first'} | {took} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("millions", nargs="*", type=float, default=[0.3, 2])
    parser.add_argument("--times", type=int, default=2)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # the same edges are loaded again and again
    for millions in asked.millions:
        size(millions, asked.times)


if __name__ == "__main__":
    main()
