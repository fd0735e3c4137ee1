"""``edgedp load --offline``: the files of an import, read by the real ``neo4j-admin``."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from edgedp import Graph, ParameterError, StoreError, open_store
from edgedp.stores.neo4j.offline import FILES, write_offline
from neo4jserver import start
from neo4jserver.assembly import library
from neo4jserver.home import prepare
from neo4jserver.server import DEFAULT_VERSION, NEWEST_VERSION, OPENED_MODULES, SHORT_LIVED
from neo4jserver.toolchain import java_for

NUMBERS = Graph.from_edges([(1, 2), (2, 3), (1, 3), (2**56 - 1, 0)], nodes=[1, 2, 3, 7, 0, 2**56 - 1])
ODD = ("a,b", 'say "x"', "two\nlines", "007", "ü|;:", " x ", "\\n", "one\rline")
TEXTS = Graph.from_edges([(ODD[0], ODD[1]), (ODD[1], ODD[2]), (ODD[3], ODD[4]), (ODD[0], ODD[5])], nodes=ODD)
ARCS = Graph.from_edges([(1, 2), (2, 1), (3, 1)], directed=True)
FAR = Graph.from_edges([(1, -5), (2**62, 1)], nodes=[-5, 1, 2**62])
GRAPHS = {"numbers": NUMBERS, "far": FAR, "texts": TEXTS, "arcs": ARCS}


def test_what_is_written_is_the_graph_and_its_owners_alone(tmp_path: Path) -> None:
    first, second = write_offline(NUMBERS, tmp_path / "kite", node_label="Person")
    assert sorted(path.name for path in (tmp_path / "kite").iterdir()) == sorted(FILES)
    assert (tmp_path / "kite").stat().st_mode & 0o077 == 0
    assert os.listdir(tmp_path) == ["kite"]
    nodes = (tmp_path / "kite" / "nodes.csv").read_text().split()
    assert nodes == [f"{each},{each}" for each in NUMBERS.node_ids.tolist()]
    rows = (tmp_path / "kite" / "relationships.csv").read_text().split()
    assert rows == [f"{a},{b}" for a, b in NUMBERS.node_ids[NUMBERS.edges()].tolist()]
    command = (tmp_path / "kite" / "import.sh").read_text()
    assert "--nodes=Person=./nodes-header.csv,./nodes.csv" in command
    assert " full neo4j --nodes=" in command, "after a list of files it would be one more file"
    assert first == f"sh {tmp_path}/kite/import.sh"
    assert "register kite --node-label Person --relationship-type LINKED_TO --id-property id" in second


def test_ids_of_several_lines_are_said_to_the_import(tmp_path: Path) -> None:
    for end, said in (("\n", True), ("\r", True), (" ", False)):
        folder = tmp_path / f"at{ord(end)}"
        write_offline(Graph.from_edges([("a", f"b{end}c")]), folder)
        assert ("--multiline-fields=true" in (folder / "import.sh").read_text()) is said


def test_nothing_is_written_over_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "kite").mkdir()
    with pytest.raises(StoreError, match="is there already, must be a new folder"):
        write_offline(NUMBERS, tmp_path / "kite")
    with pytest.raises(ParameterError, match="must not begin with EdgeDP"):
        write_offline(NUMBERS, tmp_path / "other", node_label="EdgeDPx")
    with pytest.raises(ParameterError, match="must hold none of"):
        write_offline(NUMBERS, tmp_path / "other", relationship_type="A|B")

    def stop(stage: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_offline(NUMBERS, tmp_path / "other", progress=stop)
    assert os.listdir(tmp_path) == ["kite"]


def edgedp(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "edgedp", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_stores_nothing_and_says_what_to_run(tmp_path: Path) -> None:
    source, store = tmp_path / "edges.csv", tmp_path / "store.edgedp"
    source.write_text("1,2\n2,3\n")
    done = edgedp("--store", store, "load", source, "--offline", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert f"sh {tmp_path}/out/import.sh" in done.stdout
    assert "--id-property id --epsilon-budget E" in done.stdout
    assert not store.exists()
    refused = edgedp("load", source, "--offline", tmp_path / "b", "--epsilon-budget", 1)
    assert refused.returncode == 1
    assert "--epsilon-budget is of no use with --offline" in refused.stderr
    assert not (tmp_path / "b").exists()


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("version", "names"),
    [
        (DEFAULT_VERSION, tuple(GRAPHS)),
        (NEWEST_VERSION, ("texts",)),
        pytest.param(NEWEST_VERSION, tuple(GRAPHS), marks=pytest.mark.slow),
    ],
    ids=[DEFAULT_VERSION, NEWEST_VERSION, f"{NEWEST_VERSION}, all"],
)
def test_the_real_import_takes_it_and_it_can_be_registered(
    tmp_path: Path, version: str, names: tuple[str, ...]
) -> None:
    """Every graph in a database of its own home, read back over Bolt; Community has one database a server.

    The first is imported by the script as it stands, as the documents type it.
    """
    for name in names:
        graph = GRAPHS[name]
        home = tmp_path / name
        prepare(home, ())
        opened = [f"--add-opens=java.base/{module}=ALL-UNNAMED" for module in OPENED_MODULES]
        conf = "".join(
            f"server.jvm.additional={each}\n" for each in (*SHORT_LIVED, *opened)
        )  # of the JVM that the command starts
        (home / "conf" / "neo4j.conf").write_text(conf)
        admin = home / "bin" / "neo4j-admin"
        admin.parent.mkdir()
        jars = os.pathsep.join(map(str, sorted(library(version).glob("*.jar"))))
        words = [str(java_for(version).executable), "-Xmx512m", *SHORT_LIVED, *opened, "-cp", jars]
        admin.write_text(
            f'#!/bin/sh\nexec {shlex.join([*words, "org.neo4j.server.startup.Neo4jAdminCommand"])} "$@"\n'
        )
        admin.chmod(0o755)
        write_offline(graph, tmp_path / f"{name}-files", node_label="Person")
        told = {"NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}
        more = [] if name == names[0] else ["--overwrite-destination"]
        done = subprocess.run(
            ["sh", str(tmp_path / f"{name}-files" / "import.sh"), *more],
            env=os.environ | told,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        with start(version, home=home) as server, open_store(server.uri, auth=server.auth) as store:
            with server.driver() as driver, driver.session() as session:
                session.run("CREATE CONSTRAINT FOR (n:Person) REQUIRE n.id IS UNIQUE").consume()
            orientation = "natural" if graph.directed else "undirected"
            told_of = store.register(
                name, "Person", "LINKED_TO", "id", epsilon_budget=1, orientation=orientation
            )
            assert told_of["exact"]["edge_count"] == graph.edge_count
            read = store.graph(name)
            assert read.node_ids.tolist() == graph.node_ids.tolist()
            assert read.edges().tolist() == graph.edges().tolist()
            assert store.priv_top_k(name, "in_degree" if graph.directed else "degree", 1, 0.5).nodes
