"""Procedures of ours and of Open GDS in one Neo4j server, started from the tests' toolchain."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import edgedp
from bench.harness.measure import ROOT, tree_processor
from bench.harness.row import Builder, MissingRivalError, Row, Work

S = "Neo4j"
GDS_VERSION = "2.13.9"
GDS = ROOT / "build" / "bench" / f"gds-{GDS_VERSION}"
NAME = "email-Enron"


@dataclass
class Running:
    """The server, a session on it, the driver for others, and why Open GDS is not in it."""

    pid: int
    session: Any
    driver: Any
    without_gds: str

    def ask(self, statement: str) -> list[list[Any]]:
        """Run a statement and take its rows."""
        found: list[list[Any]] = self.session.run(statement, name=NAME).values()
        return found


@contextmanager
def server(fill: Callable[[Path], None] | None = None, *settings: str) -> Iterator[Running]:
    """Start a server with both, and load Enron.

    Parameters
    ----------
    fill : callable, optional
        Puts a database into the server's home before it starts, in place of Enron.
    settings : str
        Options of the JVM, and lines of the server's configuration.
    """
    sys.path.append(str(ROOT / "tests" / "support"))
    from edgedp.stores.neo4j.plugin import install
    from neo4jserver import start
    from neo4jserver.assembly import library
    from neo4jserver.server import DEFAULT_VERSION
    from plugin_fixtures import built_jar

    built_jar()
    theirs, without_gds = gds_jars({jar.name for jar in library(DEFAULT_VERSION).glob("*.jar")})
    with tempfile.TemporaryDirectory(prefix="edgedp-bench-") as folder:
        home = Path(folder)
        (home / "conf").mkdir()
        (home / "conf" / "neo4j.conf").touch()
        install(home)
        conf = {"dbms.security.procedures.unrestricted": "gds.*"}
        conf |= dict(each.split("=", 1) for each in settings if not each.startswith("-"))
        jvm = [each for each in settings if each.startswith("-")]
        if fill is not None:
            fill(home)
        with (
            start(plugins=theirs, extra_conf=conf, home=home, jvm=jvm) as running,
            running.driver(notifications_min_severity="OFF") as driver,
            driver.session() as session,
        ):
            if fill is None:
                load(session)
            yield Running(running.pid, session, driver, without_gds)


def load(session: Any) -> None:
    graph = edgedp.read_graph(NAME)
    session.run("CREATE CONSTRAINT FOR (node:Node) REQUIRE node.id IS UNIQUE").consume()
    session.run("UNWIND $ids AS id CREATE (:Node {id: id})", ids=graph.node_ids.tolist()).consume()
    edges = graph.node_ids[graph.edges()]
    for first in range(0, len(edges), 20_000):
        session.run(
            "UNWIND $rows AS row MATCH (a:Node {id: row[0]}), (b:Node {id: row[1]}) CREATE (a)-[:LINKED_TO]->(b)",
            rows=edges[first : first + 20_000].tolist(),
        ).consume()
    declared = {"nodeLabel": "Node", "relationshipType": "LINKED_TO", "idProperty": "id"}
    session.run(
        "CALL edgedp.graph.register($name, $declared)",
        name=NAME,
        declared={**declared, "epsilonBudget": 100_000.0, "degreeBound": 2_000},
    ).consume()


def gds_jars(there: set[str]) -> tuple[list[Path], str]:
    """Return the jars of Open GDS that the server does not have, by Maven, or why they cannot be had."""
    if not GDS.is_dir():
        from neo4jserver.toolchain import maven

        GDS.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=GDS.parent) as folder:
            target = Path(folder, "jars")
            words = [maven(), "--batch-mode", "--quiet", "--file", str(ROOT / "bench" / "gds" / "pom.xml")]
            words += [f"-Dgds.version={GDS_VERSION}", "dependency:copy-dependencies"]
            words += ["-DincludeScope=runtime", f"-DoutputDirectory={target}"]
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ))
            if done.returncode:
                return [], f"Maven could not deliver Open GDS {GDS_VERSION}"
            target.rename(GDS)
    return [jar for jar in sorted(GDS.glob("*.jar")) if jar.name not in there], ""


PROJECT = (
    "CALL gds.graph.project('bench', 'Node', {LINKED_TO: {orientation: 'UNDIRECTED'}}) "
    "YIELD relationshipCount RETURN relationshipCount"
)
DROP = "CALL gds.graph.drop('bench', false) YIELD graphName RETURN graphName"


def asking(*statements: str) -> Builder:
    def build(running: Running) -> Work:
        def run() -> None:
            for statement in statements:
                running.ask(statement)

        return run

    return build


def of_gds(*statements: str, projected: bool = False) -> Builder:
    """Return statements of Open GDS; `projected`: on a projection that was made before."""

    def build(running: Running) -> Work:
        if running.without_gds:
            raise MissingRivalError(running.without_gds)
        if not projected:
            return asking(DROP, PROJECT, *statements, DROP)(running)
        kept = [statement.replace("'bench'", "'kept'") for statement in (DROP, PROJECT)]
        for statement in kept:
            running.ask(statement)
        return asking(*(statement.replace("'bench'", "'kept'") for statement in statements))(running)

    return build


def exact(metric: str) -> Builder:
    return asking(
        f"CALL edgedp.exact.stream($name, {{metric: '{metric}'}}) YIELD value RETURN count(*), sum(value)"
    )


def meter(running: Running) -> Callable[[], float]:
    return tree_processor(running.pid)


def row(name: str, title: str, ours: Builder, gds: tuple[str, ...] = (), **more: Any) -> Row:
    rivals = {} if "rivals" in more or not gds else {"GDS, projection included": of_gds(*gds)}
    also = {"GDS, projected before": of_gds(*gds, projected=True)} if gds else {}
    return Row(
        name=f"neo4j-{name}",
        section=S,
        title=title,
        prepare=server,
        ours=ours,
        meter=meter,
        group="neo4j",
        rounds=7,
        **{"rivals": rivals, "also": also, **more},
    )


DEGREE = "CALL gds.degree.stream('bench') YIELD score RETURN count(*), sum(score)"
CLUSTERING = (
    "CALL gds.localClusteringCoefficient.stream('bench') YIELD localClusteringCoefficient AS value "
    "RETURN count(*), sum(value)"
)
TOP_10 = "CALL edgedp.privTopk.stream($name, {metric: 'ebc', k: 10, epsilon: 0.001}) YIELD id RETURN id"

ROWS = (
    row(
        "projection",
        "projection: the graph out of the database",
        asking("CALL edgedp.exact.adjacency($name) YIELD nodeCount RETURN sum(nodeCount)"),
        rivals={"GDS": of_gds()},
    ),
    row("degree", "degree of all nodes", exact("degree"), (DEGREE,)),
    row("density", "density (local clustering) of all nodes", exact("density"), (CLUSTERING,)),
    row(
        "topk", "`edgedp.privTopk.stream` of EBC, k = 10: a private release, with its ledger", asking(TOP_10)
    ),
)
