"""Pytest fixtures: one server a run and version, shared by all tests that do not break it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import neo4j
from edgedp.stores import curator
from edgedp.stores.neo4j.schema import SCHEMA_VERSION
from neo4jserver.server import DEFAULT_VERSION, NEWEST_VERSION, SHARED_CONF, Server, start
from neo4jserver.toolchain import MissingToolError, java_for

QUERIES = Path(__file__).parents[3] / "queries" / "neo4j"
OF_STORES = frozenset(
    name
    for file in QUERIES.glob("*.cypher")
    for name in re.findall(r"CREATE (?:CONSTRAINT|INDEX) (edgedp_\w+)", file.read_text(encoding="utf-8"))
)
"""Constraints and indexes of every store, by name; those of a graph's version have other names."""

KEYED = "CREATE CONSTRAINT people_of_tests IF NOT EXISTS FOR (p:Person) REQUIRE p.ssn IS UNIQUE"
"""The constraint of the nodes that many tests register; it stays from test to test."""

OF_TESTS = {
    "people_of_tests": KEYED,
    "humans_of_tests": "CREATE CONSTRAINT humans_of_tests FOR (n:Human) REQUIRE n.ssn IS UNIQUE",
    "nodes_of_tests": "CREATE CONSTRAINT nodes_of_tests FOR (n:Node) REQUIRE n.ssn IS UNIQUE",
    "active_of_tests": "CREATE CONSTRAINT active_of_tests FOR (n:Active) REQUIRE n.ssn IS UNIQUE",
    "loaded_of_tests": "CREATE CONSTRAINT loaded_of_tests FOR (n:Loaded) REQUIRE n.id IS UNIQUE",
    "odd_of_tests": (
        "CREATE CONSTRAINT odd_of_tests FOR (n:`Odd ``label`` `` ☃ {{x}}`) REQUIRE n.`the ``id`` $nodes` IS UNIQUE"
    ),
    "badges_of_tests": "CREATE INDEX badges_of_tests FOR (n:Person) ON (n.badge)",
    "odd_arcs_of_tests": "CREATE INDEX odd_arcs_of_tests FOR (n:`Odd ``label`) ON (n.`the key`)",
}
"""What tests need of a schema, by name. All is made at once: after a change the server plans every statement anew."""

_STORE = "n:EdgeDPSchema OR (n:EdgeDPLedger AND n.name IS NULL)"
"""The nodes of a store that holds no graph: its version, and what shuts edgedp 0.1.0 out."""

_SOUND = """
OPTIONAL MATCH (schema:EdgeDPSchema)
WITH collect(schema.version) = [$version] AS one
RETURN one AND COUNT { MATCH (ledger:EdgeDPLedger) WHERE ledger.name IS NULL } = 2
       AND COUNT { MATCH (:EdgeDPLedger {held: true}) } = 1 AND COUNT { MATCH (:EdgeDPLedger {held: false}) } = 1
"""
_AS_NEW = "MATCH (schema:EdgeDPSchema) SET schema = {only: true, version: $version, held: true}"

_running: dict[str, Server] = {}


@pytest.fixture(scope="session")
def neo4j_servers() -> Iterator[None]:
    """Stop what was started, when the run is over."""
    yield
    while _running:
        _running.popitem()[1].stop()


@pytest.fixture(scope="session")
def neo4j_server(neo4j_servers: None) -> Server:
    """Share one Neo4j 5; a test that kills or configures a server starts its own."""
    return _shared(DEFAULT_VERSION)


@pytest.fixture(
    scope="session", params=[DEFAULT_VERSION, pytest.param(NEWEST_VERSION, marks=pytest.mark.wide)]
)
def any_neo4j_server(request: pytest.FixtureRequest, neo4j_servers: None) -> Server:
    """Run the test once for each Neo4j that is supported.

    The newest one needs a newer Java than the project does; without it the run reports a skip that says so.
    """
    version: str = request.param
    if version == NEWEST_VERSION:
        try:
            java_for(version)
        except MissingToolError as error:
            pytest.skip(str(error))
    return _shared(version)


@pytest.fixture
def empty_neo4j(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Give the shared server with nothing in it but, where an earlier test left it sound, an empty store."""
    empty(neo4j_server)
    label_as_before(monkeypatch)
    return neo4j_server


def label_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Label what this process loads as in the test before: the server has statements with those labels planned."""
    monkeypatch.setattr(curator, "secrets", SimpleNamespace(randbits=random.Random("versions").getrandbits))


@pytest.fixture
def bare_neo4j(neo4j_server: Server) -> Server:
    """Give the shared server with nothing in it, as it was installed."""
    _revive(neo4j_server)
    neo4j_server.wipe()
    return neo4j_server


def empty(server: Server) -> set[str]:
    """Delete all but what is called ``_of_tests`` and an empty store; that, too, unless it is as edgedp made it.

    Return the constraints and indexes that stay.
    """
    _revive(server)
    with server.session() as session:
        names = set(session.run("SHOW INDEXES YIELD name RETURN name").value())
        sound = session.run(_SOUND, version=SCHEMA_VERSION).single(strict=True).value() and names >= OF_STORES
        _keep_schema(session, names)
        of_tests = {name for name in names if name.endswith("_of_tests")}
        server.wipe(keep=OF_STORES | of_tests | OF_TESTS.keys(), spare=_STORE if sound else "false")
        session.run(_AS_NEW, version=SCHEMA_VERSION).consume()
    return of_tests


def empty_of_nodes(server: Server) -> None:
    """Delete every node and leave the schema of whatever test was before: what the server has planned stays good."""
    _revive(server)
    with server.session() as session:
        session.run("MATCH (n) DETACH DELETE n").consume()


def _keep_schema(session: neo4j.Session, there: set[str]) -> None:
    for name in OF_TESTS.keys() - there:
        session.run(OF_TESTS[name]).consume()


def _revive(server: Server) -> None:
    """Start a server that a test has killed, perhaps a read-only one."""
    if not server.running:
        server.restart(server__databases__read_only="")


def _shared(version: str) -> Server:
    """Start a version once, also where several modules import these fixtures."""
    if version not in _running:
        try:
            _running[version] = start(version, extra_conf=SHARED_CONF)
            with _running[version].session() as session:
                _keep_schema(session, set())
        except MissingToolError as error:
            pytest.fail(str(error), pytrace=False)
    return _running[version]
