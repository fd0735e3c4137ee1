"""Fixtures that several modules share: the bundled graphs, the stores, the real servers."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import schedule
import tiers
from edgedp import Graph, Store, open_store, read_graph
from edgedp.graph.reading.sources.catalogue import dataset
from edgedp.graph.reading.sources.locating import local_copy
from neo4jserver.fixtures import any_neo4j_server, bare_neo4j, empty_neo4j, neo4j_server, neo4j_servers
from plugin_fixtures import neo4j_with_plugin, plugin_of_the_run
from spark_sessions import shared_session

__all__ = [
    "any_neo4j_server",
    "bare_neo4j",
    "empty_neo4j",
    "neo4j_server",
    "neo4j_servers",
    "neo4j_with_plugin",
    "plugin_of_the_run",
]

OpenStore = Callable[[], Store]

_SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
if _SHARED_DATA.is_dir():
    os.environ.setdefault("EDGEDP_DATA", str(_SHARED_DATA))

NEEDS_GITHUB = pytest.mark.skipif(
    local_copy(dataset("musae-github").edge_list) is None,
    reason="needs GitHub's graph: set EDGEDP_DATA to a folder that holds musae_git_edges.csv.gz",
)

# A busy machine is not a defect: no test fails by the clock.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what talks to a real server, by its fixtures, and the second tier, by its list; begin with the longest."""
    config.stash[tiers.COLLECTED] = [(item.path.name, item.name) for item in items]
    for item in items:
        if any("neo4j" in name for name in getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.neo4j)
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
        if tiers.is_wide(item.path.name, item.name):
            item.add_marker(pytest.mark.wide)
    schedule.put_in_order(items)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Begin each process elsewhere; look for no garbage among thousands of tests, now or later."""
    config = session.config
    if process := getattr(config, "workerinput", None):
        config.args = schedule.in_turn(config.args, process)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole modules, those of one server together, where whole modules are asked for."""
    return schedule.by_group(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def enron() -> Graph:
    return read_graph("email-Enron")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on this machine; without a JDK or pyspark what needs one is skipped and says so."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs a JDK 17 or newer: install one, or run 'make test-python'")
    pytest.importorskip("pyspark", reason="needs pyspark: pip install -e '.[dev]'")
    with shared_session() as session:
        yield session


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser, one for all tests of a process: what imports selenium is read when a test asks for it."""
    from browser import started

    with started() as driver:
        yield driver


@pytest.fixture(scope="session")
def github() -> Graph:
    if NEEDS_GITHUB.args[0]:
        pytest.skip(NEEDS_GITHUB.kwargs["reason"])
    return read_graph("musae-github")


@pytest.fixture
def open_embedded(tmp_path: Path) -> OpenStore:
    """Open the same new embedded file, again and again."""
    return lambda: open_store(tmp_path / "graphs.edgedp")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real disk of 32 MB, where that is allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)], capture_output=True
    ).returncode
    if mounted != 0:
        pytest.skip("no right to mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.fixture(params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def open_any(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Open the same empty store, again and again: one suite for every kind of store."""
    opened: list[Store] = []
    if request.param == "embedded":

        def opener() -> Store:
            return open_store(tmp_path / "graphs.edgedp")
    else:
        server = request.getfixturevalue("empty_neo4j")

        def opener() -> Store:
            opened.append(open_store(server.uri, auth=server.auth))
            return opened[-1]

    yield opener
    for store in opened:
        store.close()
