"""The test server itself: it starts, keeps its data, dies when told, and never outlives its starter."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import neo4j.exceptions
import pytest

import neo4j
from edgedp import Graph, open_store
from edgedp.stores.neo4j.schema import constraints
from neo4jserver import MissingToolError, Server, assembly, start, toolchain
from neo4jserver.fixtures import OF_TESTS, empty

TESTS = Path(__file__).parents[1]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        if os.name == "posix"
        else True
    )


def wait_until(condition: object, seconds: float) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.1)


@pytest.mark.neo4j
def test_every_supported_version_answers_with_auth_on(any_neo4j_server: Server) -> None:
    with any_neo4j_server.driver() as driver:
        component = driver.execute_query("CALL dbms.components() YIELD versions, edition").records[0]
    assert component["versions"] == [any_neo4j_server.version]
    assert component["edition"] == "community"

    with (
        neo4j.GraphDatabase.driver(any_neo4j_server.uri, auth=("neo4j", "wrong")) as stranger,
        pytest.raises(neo4j.exceptions.AuthError),
    ):
        stranger.verify_connectivity()


@pytest.mark.neo4j
def test_a_store_is_emptied_without_a_change_of_schema(empty_neo4j: Server) -> None:
    """After one the server compiles every statement again: four seconds of every small test that follows."""

    def indexes() -> set[tuple[int, str]]:
        with empty_neo4j.driver() as driver:
            rows = driver.execute_query(
                "SHOW INDEXES YIELD id, name, type WHERE type <> 'LOOKUP' RETURN id, name"
            )
            return {(row["id"], row["name"]) for row in rows.records}

    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        store.load(Graph.from_edges([(1, 2)]), "pair", epsilon_budget=1)
        made = indexes()
        assert {name for _, name in made} >= {*constraints(), *OF_TESTS}
    empty(empty_neo4j)
    assert indexes() == made
    with empty_neo4j.driver() as driver:
        left = driver.execute_query(
            "MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label ORDER BY label"
        ).records
    assert [row["label"] for row in left] == ["EdgeDPLedger", "EdgeDPSchema"]


@pytest.mark.neo4j
def test_wipe_leaves_nothing(neo4j_server: Server) -> None:
    with neo4j_server.driver() as driver:
        driver.execute_query("CREATE CONSTRAINT odd FOR (n:`a b`) REQUIRE n.id IS UNIQUE")
        driver.execute_query("CREATE INDEX FOR (n:M) ON (n.x)")
        driver.execute_query("UNWIND range(1, 50) AS i CREATE (:`a b` {id: i})-[:R]->(:M {x: i})")
        neo4j_server.wipe()
        assert driver.execute_query("MATCH (n) RETURN count(n) AS n").records[0]["n"] == 0
        assert driver.execute_query("SHOW CONSTRAINTS").records == []
        assert {r["type"] for r in driver.execute_query("SHOW INDEXES").records} == {"LOOKUP"}


@pytest.mark.wide
@pytest.mark.neo4j
def test_committed_data_survives_sigkill_and_restart_and_the_home_is_kept_only_on_request(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with start(home=home, extra_conf={"db.lock.acquisition.timeout": "7s"}) as server:
        uri, first = server.uri, server.pid
        with server.driver() as driver:
            driver.execute_query("CREATE (:N {id: 1})")
            setting = driver.execute_query("SHOW SETTINGS 'db.lock.acquisition.timeout' YIELD value").records[
                0
            ]["value"]
        assert setting == "7s"
        server.kill()
        assert not alive(first)
        assert not server.running

        server.restart()
        assert (server.uri, server.pid != first) == (uri, True)
        with server.driver() as driver:
            assert driver.execute_query("MATCH (n:N) RETURN n.id AS id").records[0]["id"] == 1
        last = server.pid
    assert not alive(last)
    assert (home / "data" / "databases" / "neo4j").is_dir()
    assert (home / "conf" / "password").stat().st_mode & 0o077 == 0


@pytest.mark.wide
@pytest.mark.neo4j
def test_the_server_dies_with_a_starter_that_is_killed(neo4j_server: Server) -> None:
    """``run`` is killed outright, so that no clean-up of its own can have done it."""
    starter = subprocess.Popen(
        [sys.executable, TESTS / "support" / "neo4jserver", "run"], stdout=subprocess.PIPE, text=True
    )
    assert starter.stdout is not None
    lines = [starter.stdout.readline() for _ in range(4)]
    assert [line.partition("=")[0] for line in lines[:3]] == [
        "export NEO4J_URI",
        "export NEO4J_USERNAME",
        "export NEO4J_PASSWORD",
    ]
    children = Path(f"/proc/{starter.pid}/task/{starter.pid}/children")
    if not children.exists():
        starter.terminate()
        starter.wait()
        pytest.skip("process ids of children are read from /proc, which this system has not")
    watchdog = int(children.read_text().split()[0])
    server = int(Path(f"/proc/{watchdog}/task/{watchdog}/children").read_text().split()[0])
    assert alive(server)
    starter.kill()
    starter.wait()
    starter.stdout.close()
    wait_until(lambda: not alive(server) and not alive(watchdog), seconds=30)


def test_a_missing_java_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_java_homes", lambda: iter([Path("/nonexistent")]))
    toolchain.java_for.cache_clear()
    with pytest.raises(
        MissingToolError, match=r"^Java is not installed, must be 17 or newer .* install a JDK 17 .*JAVA_HOME"
    ):
        toolchain.java_for("5.26.30")


def test_an_old_java_is_named_with_the_version_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_java_homes", lambda: iter([Path("/old")]))
    monkeypatch.setattr(toolchain, "_describe", lambda home: toolchain.Java(home, "17.0.9", 17))
    toolchain.java_for.cache_clear()
    with pytest.raises(
        MissingToolError, match=r"^Java is 17\.0\.9, must be 21 or newer for Neo4j 2026\.08\.1; "
    ):
        toolchain.java_for("2026.08.1")
    toolchain.java_for.cache_clear()


def test_a_missing_maven_is_one_line_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"^Maven is not installed, .* install it "):
        toolchain.maven()


def test_concurrent_assemblies_run_maven_once_and_a_killed_one_leaves_nothing_usable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDGEDP_NEO4J_CACHE", str(tmp_path))
    abandoned = tmp_path / "9.9" / "partial-abandoned"
    abandoned.mkdir(parents=True)
    runs = []

    def slow_maven(version: str, target: Path) -> None:
        runs.append(version)
        (target / "first.jar").touch()
        assert not (target.parent / "lib").exists()  # nothing under the final name while it is being filled
        time.sleep(0.2)
        (target / "last.jar").touch()

    monkeypatch.setattr(assembly, "_copy_jars", slow_maven)
    seen: list[set[str]] = []
    workers = [
        threading.Thread(target=lambda: seen.append({jar.name for jar in assembly.library("9.9").iterdir()}))
        for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert runs == ["9.9"]
    assert seen == [{"first.jar", "last.jar"}] * 3
    assert not abandoned.exists()


def test_an_assembly_that_fails_leaves_no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDGEDP_NEO4J_CACHE", str(tmp_path))

    def interrupted(version: str, target: Path) -> None:
        (target / "first.jar").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(assembly, "_copy_jars", interrupted)
    with pytest.raises(KeyboardInterrupt):
        assembly.library("9.9")
    assert not (tmp_path / "9.9" / "lib").exists()


def test_a_jar_keeps_all_but_its_signatures(tmp_path: Path) -> None:
    jar = tmp_path / "signed.jar"
    kept = {"META-INF/MANIFEST.MF": "Name: a", "a.class": "code", "rest/META-INF/X.SF": "no signature"}
    with zipfile.ZipFile(jar, "w") as made:
        for name, text in (kept | {"META-INF/X.SF": "digest", "META-INF/X.RSA": "key"}).items():
            made.writestr(name, text)
    assembly.unsigned(jar)
    with zipfile.ZipFile(jar) as made:
        assert {name: made.read(name).decode() for name in made.namelist()} == kept
    assert list(tmp_path.iterdir()) == [jar]
