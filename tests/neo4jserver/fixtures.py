"""Pytest fixtures: one server a run and version, shared by all tests that do not break it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from neo4jserver.server import DEFAULT_VERSION, NEWEST_VERSION, SHARED, SHORT_LIVED, Server, start
from neo4jserver.toolchain import MissingToolError, java_for

QUERIES = Path(__file__).parents[2] / "queries" / "neo4j"
OF_STORES = frozenset(
    name
    for file in QUERIES.glob("*.cypher")
    for name in re.findall(r"CREATE (?:CONSTRAINT|INDEX) (edgedp_\w+)", file.read_text(encoding="utf-8"))
)
"""Constraints and indexes of every store, by name; those of a graph's version have other names."""

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


@pytest.fixture(scope="session", params=[DEFAULT_VERSION, NEWEST_VERSION])
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
def empty_neo4j(neo4j_server: Server) -> Server:
    """Give the shared server with nothing in it but, where an earlier test opened a store, the store's constraints."""
    neo4j_server.wipe(keep=OF_STORES)
    return neo4j_server


@pytest.fixture
def bare_neo4j(neo4j_server: Server) -> Server:
    """Give the shared server with nothing in it, as it was installed."""
    neo4j_server.wipe()
    return neo4j_server


def _shared(version: str) -> Server:
    """Start a version once, also where several modules import these fixtures."""
    if version not in _running:
        try:
            _running[version] = start(version, jvm=SHARED if version == DEFAULT_VERSION else SHORT_LIVED)
        except MissingToolError as error:
            pytest.fail(str(error), pytrace=False)
    return _running[version]
