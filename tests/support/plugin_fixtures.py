"""A Neo4j with the plugin in it: built, installed as a user would, started once a run."""

from __future__ import annotations

import contextlib
import itertools
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import neo4j
from edgedp import Graph
from edgedp.graph.reading.sources.downloads import cache_folder
from edgedp.stores.neo4j.plugin import install, plugin_jar
from neo4jserver.fixtures import empty, label_as_before
from neo4jserver.server import DEFAULT_VERSION, SHARED_CONF, SHORT_LIVED, Server, start

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "plugin" / "neo4j"
CONF = {"worker.cache": str(cache_folder()), "worker.warm": "false"}
"""Compiled kernels are those of the other tests; a warm start costs a server of one test more than it gives."""

Row = dict[str, Any]


KEYED = {
    "accounts": "Node of accounts",
    "arcs": "N arcs",
    "held": "Node held",
    "protect": "Node of protect",
    "weights": "Node of weights",
    "weights_shown": "Node of weights shown",
    "windows": "N of windows",
} | {
    f"pairs_{label}": f"{label} of pairs"
    for label in ("Person", "Firm", "Product", "Buyer", "Item", "N", "A", "B")
}
"""Labels whose ids are unique, by the names of their constraints. All are made at once and stay: after a change of
schema the server plans every statement anew."""

DATED = "CREATE INDEX dates_of_tests FOR ()-[r:`CALLED_indexed`]-() ON (r.at)"
"""The index of the one type of relationships that has one on its dates; it stays, too."""

SABOTAGED = """\
#!{python} -P
import os, sys, time
import numpy as np
import edgedp.faces.worker.jobs as jobs
import edgedp.faces.worker.__main__ as worker
{body}
worker.main(sys.argv[4:])
"""


@dataclass
class PluginServer:
    """A server with the plugin, one driver, and the means to look at its workers."""

    server: Server
    driver: neo4j.Driver = field(init=False)
    before_a_call: set[int] = field(init=False, default_factory=set)
    after_a_call: set[int] = field(init=False, default_factory=set)
    _names: Iterator[int] = field(init=False, default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.driver = self.server.driver(max_transaction_retry_time=0)

    def ask(self, statement: str, **parameters: Any) -> list[Row]:
        with self.driver.session() as session:
            return session.run(statement, parameters).data()

    def refusal(self, statement: str, **parameters: Any) -> str:
        """Return the sentence of a call that must be refused, and check its form."""
        with pytest.raises(neo4j.exceptions.ClientError) as caught:
            self.ask(statement, **parameters)
        return sentence(caught.value)

    def configure(self, **conf: str) -> None:
        """Rewrite ``conf/edgedp.conf``; a keyword's underscores are dots."""
        install(self.server.home)
        path = self.server.home / "conf" / "edgedp.conf"
        python = next(line for line in path.read_text().splitlines() if line.startswith("worker.python="))
        wanted = {"worker.python": python.partition("=")[2]} | CONF
        wanted |= {key.replace("_", "."): value for key, value in conf.items()}
        path.write_text("".join(f"{key}={value}\n" for key, value in wanted.items()))

    def workers(self) -> set[int]:
        """Return the process ids of the server's workers."""
        return {
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and _is_worker_of(int(entry.name), self.server.pid)
        }

    def begin_anew(self) -> None:
        """Leave an empty store; names of graphs begin again, for the server has their statements planned."""
        there = empty(self.server)
        for name, label in KEYED.items():
            if f"{name}_of_tests" not in there:
                self.ask(f"CREATE CONSTRAINT {name}_of_tests FOR (n:`{label}`) REQUIRE n.id IS UNIQUE")
        if "dates_of_tests" not in there:
            self.ask(DATED)
        self._names = itertools.count(1)

    def next_name(self) -> str:
        """Name a graph as no other of this test, and as one of the test before."""
        return f"graph-{next(self._names)}"

    def logs(self) -> str:
        logs = self.server.home / "logs"
        return "".join((logs / name).read_text() for name in ("neo4j.log", "debug.log", "console.log"))

    def plant(
        self,
        edges: Iterable[tuple[Any, Any]] = ((0, 1), (0, 2), (0, 3), (1, 2), (3, 4)),
        nodes: Sequence[Any] = tuple(range(6)),
        name: str = "",
        **declared: Any,
    ) -> Planted:
        """Write a graph of a label and a type of its own, of this name or of a new one, and register it."""
        planted = Planted(self, name or self.next_name(), list(nodes), list(edges))
        self.ask(f"UNWIND $ids AS id CREATE (:`{planted.label}` {{id: id}})", ids=planted.nodes)
        planted.connect(planted.edges)
        self.ask(
            "CALL edgedp.graph.register($name, $declared)",
            name=planted.name,
            declared={
                "nodeLabel": planted.label,
                "relationshipType": planted.kind,
                "idProperty": "id",
                "epsilonBudget": 100.0,
                **declared,
            },
        )
        return planted


@dataclass
class Planted:
    """A registered graph."""

    on: PluginServer
    name: str
    nodes: list[Any]
    edges: list[tuple[Any, Any]]

    @property
    def label(self) -> str:
        return f"Node {self.name}"

    @property
    def kind(self) -> str:
        return f"LINK {self.name}"

    @property
    def graph(self) -> Graph:
        return Graph.from_edges(self.edges, nodes=self.nodes)

    def connect(self, pairs: Sequence[tuple[Any, Any]]) -> None:
        self.on.ask(
            f"UNWIND $pairs AS pair MATCH (a:`{self.label}` {{id: pair[0]}}), (b:`{self.label}` {{id: pair[1]}}) "
            f"CREATE (a)-[:`{self.kind}`]->(b)",
            pairs=[list(pair) for pair in pairs],
        )

    def top(self, **config: Any) -> list[Row]:
        asked = {"metric": "degree", "k": 1, "epsilon": 1} | config
        return self.on.ask(TOP, name=self.name, config=asked)

    @property
    def spent(self) -> float:
        """What the ledger says, by Cypher: no procedure and no worker has a part in it."""
        (row,) = self.on.ask("MATCH (a:EdgeDPAccount {name: $name}) RETURN a.spent AS nano", name=self.name)
        return float(row["nano"]) / 1e9


TOP = "CALL edgedp.privTopk.stream($name, $config)"


def sentence(error: neo4j.exceptions.Neo4jError) -> str:
    """Return what a refusal says, after checking that it is one sentence and no more."""
    assert error.code == "Neo.ClientError.Procedure.ProcedureCallFailed"
    assert error.message is not None
    said = error.message.partition("Caused by: ")[2]
    assert said
    assert "\n" not in said
    assert "Exception" not in said
    assert "\tat " not in said
    return said


def built_jar() -> Path:
    """Build the jar where a source is newer, as ``make jar`` does."""
    sources = [PROJECT / "pom.xml", *(PROJECT / "src").rglob("*"), *(ROOT / "queries").rglob("*.cypher")]
    newest = max(path.stat().st_mtime for path in sources)
    try:
        jar = plugin_jar()
        if jar.stat().st_mtime >= newest:
            return jar
    except RuntimeError:  # StoreError: not built yet
        pass
    command = ["mvn", "-q", "-B", "-f", str(PROJECT / "pom.xml"), "package"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    return plugin_jar()


@contextlib.contextmanager
def plugin_server(
    version: str,
    home: Path,
    jvm: Sequence[str] = SHORT_LIVED,
    extra_conf: Mapping[str, str] | None = None,
    *,
    warm: bool = False,
) -> Iterator[PluginServer]:
    """Start a server with the plugin, put there by ``install``; a warm one begins with one worker."""
    built_jar()
    (home / "conf").mkdir(parents=True)
    (home / "conf" / "neo4j.conf").touch()
    install(home)
    with (home / "conf" / "edgedp.conf").open("a") as conf:
        conf.write(f"worker.warm={str(warm).lower()}\n" + "worker.count=1\n" * warm)
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("NEO4J_OF_TESTS", "as an image holds a password")
            server = stack.enter_context(start(version, home=home, jvm=jvm, extra_conf=extra_conf))
        running = PluginServer(server)
        if warm:
            eventually(lambda: len(running.workers()) == 1, 240)
            running.before_a_call = running.workers()
            running.ask("CALL edgedp.graph.plugin()")
            running.after_a_call = running.workers()
        running.configure()
        try:
            yield running
        finally:
            running.driver.close()


@pytest.fixture(scope="session")
def plugin_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PluginServer]:
    """Share one Neo4j 5 with the plugin, which has its statements planned and a worker before anybody calls."""
    home = tmp_path_factory.mktemp("neo4j")
    with plugin_server(DEFAULT_VERSION, home, extra_conf=SHARED_CONF, warm=True) as running:
        yield running


@pytest.fixture
def neo4j_with_plugin(plugin_of_the_run: PluginServer, monkeypatch: pytest.MonkeyPatch) -> PluginServer:
    """Give the shared server with the plugin, and nothing in it but an empty store."""
    plugin_of_the_run.begin_anew()
    label_as_before(monkeypatch)
    return plugin_of_the_run


def interpreter(folder: Path, body: str) -> Path:
    """Write a program that is started as a Python and runs the worker after `body`."""
    script = folder / "python"
    script.write_text(SABOTAGED.format(python=sys.executable, body=textwrap.dedent(body)))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def eventually(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until a condition holds, at most so long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def is_running(pid: int) -> bool:
    """Whether a process is there and not a corpse."""
    return _status(pid)[:1] not in ([], ["Z"])


def _status(pid: int) -> list[str]:
    """Return state and parent of a process, nothing if it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    return []


def _is_worker_of(pid: int, parent: int) -> bool:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"edgedp.worker" in command and is_running(pid) and _status(pid)[1:] == [str(parent)]
    return False
