"""How long releases take in Neo4j by the size of the graph, in turn with Open GDS in the same server.

    python bench/neo4j_size.py [MILLIONS ...] [--times N] [--jar JAR] [--kept FOLDER]   # 0.3 and 2 by default

A server of its own holds one power-law graph, which `neo4j-admin database import` has written in an order by chance.
Every row is run in turn with the others, once to warm and then N times (2); the least wall time and the least processor
time, of the server and of its workers, are printed. `--jar` puts another build of the plugin in, to compare two;
`--kept` keeps the databases for the next time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.harness.measure import tree_processor
from bench.rows.neo4j_server import DROP, PROJECT, Running, S, server

NODES_A_MILLION = 100_000
SETTINGS = ("-Xmx3g", "server.memory.pagecache.size=1g")
DECLARED = {
    "nodeLabel": "Person",
    "relationshipType": "KNOWS",
    "idProperty": "id",
    "epsilonBudget": 1000.0,
    "degreeBound": 20_000,
}
PROJECTED = PROJECT.replace("'Node'", "'Person'").replace("LINKED_TO", "KNOWS")


def ours(procedure: str, asked: str) -> tuple[str, ...]:
    return (f"CALL edgedp.{procedure}.stream('big', {{{asked}}})",)


def theirs(procedure: str, shown: str) -> tuple[str, ...]:
    return DROP, PROJECTED, f"CALL gds.{procedure}.stats('bench') YIELD {shown} RETURN {shown}", DROP


ROWS: dict[str, tuple[str, ...]] = {
    "GDS: project": (DROP, PROJECTED, DROP),
    "number of edges: a reading and next to nothing": ours("count", "of: 'edges', epsilon: 1"),
    "GDS: project, degree": theirs("degree", "computeMillis"),
    "degree, joint": ours("privTopk", "metric: 'degree', k: 10, epsilon: 1"),
    "GDS: project, triangles": theirs("triangleCount", "globalTriangleCount"),
    "triangles": ours("count", "of: 'triangles', epsilon: 1"),
    "GDS: project, local clustering": theirs("localClusteringCoefficient", "nodeCount"),
    "density, sld": ours("privTopk", "metric: 'density', k: 10, epsilon: 1"),
    "summary": ours("summary", "epsilon: 1"),
    "EBC, joint": ours("privTopk", "metric: 'ebc', k: 10, epsilon: 1"),
}
PEERS = {
    "number of edges: a reading and next to nothing": "GDS: project",
    "degree, joint": "GDS: project, degree",
    "triangles": "GDS: project, triangles",
    "density, sld": "GDS: project, local clustering",
}


def imported(millions: float, kept: Path | None) -> Callable[[Path], None]:
    """Return what writes a database of so many relationships into a home, or copies the one that was kept."""

    def fill(home: Path) -> None:
        before = None if kept is None else kept / f"{millions:g}"
        if before is None or not before.exists():
            made(home)
        if before is not None and before.exists():
            shutil.copytree(before, home / "data")
        elif before is not None:
            shutil.copytree(home / "data", before)

    def made(home: Path) -> None:
        from neo4jserver.assembly import library
        from neo4jserver.server import DEFAULT_VERSION
        from neo4jserver.toolchain import java_for

        random = np.random.default_rng(7)
        nodes = int(NODES_A_MILLION * millions)
        ids = np.arange(1, nodes + 1)
        ends = (1 + nodes * random.random((2, int(1_000_000 * millions))) ** 2).astype(np.int64)
        files = home / "files"
        files.mkdir()
        written = {"n": {"id": ids, "kept": ids}, "r": {"source": ends[0], "target": ends[1]}}
        for name, columns in written.items():
            pl.DataFrame(columns).write_csv(files / f"{name}.csv", include_header=False)
        (files / "n-header.csv").write_text(":ID,id:long\n")
        (files / "r-header.csv").write_text(":START_ID,:END_ID\n")
        jars = os.pathsep.join(map(str, sorted(library(DEFAULT_VERSION).glob("*.jar"))))
        words = [str(java_for(DEFAULT_VERSION).executable), "-cp", jars]
        words += ["org.neo4j.server.startup.Neo4jAdminCommand", "database", "import", "full", "neo4j"]
        words += [f"--nodes=Person={files}/n-header.csv,{files}/n.csv"]
        words += [f"--relationships=KNOWS={files}/r-header.csv,{files}/r.csv"]
        (home / "lib").symlink_to(library(DEFAULT_VERSION))
        told = {"NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}
        subprocess.run(words, check=True, cwd=files, env=os.environ | told, stdout=subprocess.DEVNULL)
        shutil.rmtree(files)

    return fill


def measured(running: Running, statements: tuple[str, ...]) -> tuple[float, float]:
    processor, began = tree_processor(running.pid), time.perf_counter()
    before = processor()
    for statement in statements:
        running.ask(statement)
    return time.perf_counter() - began, processor() - before


def size(millions: float, times: int, kept: Path | None) -> None:
    with server(imported(millions, kept), *SETTINGS) as running:
        running.session.run("CREATE CONSTRAINT FOR (node:Person) REQUIRE node.id IS UNIQUE").consume()
        running.session.run("CALL db.awaitIndexes(3600)").consume()
        register = ("CALL edgedp.graph.register('big', $declared)",)
        processor, began = tree_processor(running.pid), time.perf_counter()
        before = processor()
        running.session.run(register[0], declared=DECLARED).consume()
        registered = time.perf_counter() - began, processor() - before
        rows = {
            name: statements
            for name, statements in ROWS.items()
            if not (running.without_gds and name.startswith("GDS"))
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
        for _ in range(1 + times):
            for name, statements in rows.items():
                found[name].append(measured(running, statements))
        print(f"\n{S}, {millions:g} million relationships; load of the machine {os.getloadavg()[0]:.0f}\n")
        print("| work | wall, s | processor, s | beside GDS, wall | beside GDS, processor |")
        print("|---|---:|---:|---:|---:|")
        print(f"| first registration of the server | {registered[0]:.2f} | {registered[1]:.2f} | | |")
        least = {name: [min(each) for each in zip(*taken[1:], strict=True)] for name, taken in found.items()}
        for name, (wall, processor_time) in least.items():
            peer = least.get(PEERS.get(name, ""))
            beside = (
                ["", ""] if peer is None else [f"{wall / peer[0]:.2f}", f"{processor_time / peer[1]:.2f}"]
            )
            print(f"| {name} | {wall:.2f} | {processor_time:.2f} | {' | '.join(beside)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("millions", nargs="*", type=float, default=[0.3, 2])
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--jar", type=Path)
    parser.add_argument("--kept", type=Path)
    asked = parser.parse_args()
    if asked.jar is not None:
        other(asked.jar)
    for millions in asked.millions:
        size(millions, asked.times, asked.kept)


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
    main()
