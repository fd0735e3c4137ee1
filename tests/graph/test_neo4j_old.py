"""edgedp 0.1.0 and its jar against a database of this version, and the way from one to the other."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neo4j
import old_client
from edgedp import EdgeDPError, Store, StoreError, open_store
from neo4jserver import Server
from neo4jserver.server import start
from plugin_fixtures import CONF, TOP, built_jar, eventually

pytestmark = pytest.mark.neo4j

WHEEL = Path(__file__).parents[1] / "fixtures" / "edgedp-0.1.0-py3-none-any.whl"
PEOPLE = """
UNWIND [1, 2, 3, 4, 5] AS ssn CREATE (:Person {ssn: ssn})
WITH count(*) AS made
UNWIND [[1, 2], [2, 3], [3, 1], [3, 4], [4, 5]] AS pair
MATCH (a:Person {ssn: pair[0]}), (b:Person {ssn: pair[1]}) CREATE (a)-[:KNOWS]->(b), (a)-[:OTHER]->(b)
"""


@pytest.fixture(scope="session")
def old_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack edgedp 0.1.0, whose wheel lacks its datasets; its jar is in it."""
    folder = tmp_path_factory.mktemp("old") / "edgedp-0.1.0"
    with zipfile.ZipFile(WHEEL) as wheel:
        wheel.extractall(folder)
    return folder


class OldClient:
    """Runs ``old_client`` with edgedp 0.1.0."""

    def __init__(self, server: Server, package: Path) -> None:
        self._command = [sys.executable, "-P", old_client.__file__]
        self._uri = server.uri
        self._environment = os.environ | {
            "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password, "PYTHONPATH": str(package),
        }  # fmt: skip

    def begin(self, command: str, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self._command, command, self._uri, *map(str, arguments)],
            stdout=subprocess.PIPE, text=True, env=self._environment,
        )  # fmt: skip

    def run(self, command: str, *arguments: object) -> Any:
        return end(self.begin(command, *arguments))


def end(process: subprocess.Popen[str]) -> Any:
    said = process.communicate(timeout=300)[0]
    assert process.returncode == 0
    return json.loads(said)


def ask(server: Server, statement: str, **parameters: Any) -> list[dict[str, Any]]:
    with server.driver() as driver, driver.session() as session:
        return session.run(statement, parameters).data()


def people(server: Server) -> None:
    for key in ("ssn", "key"):
        ask(server, f"CREATE CONSTRAINT FOR (p:Person) REQUIRE p.{key} IS UNIQUE")
    ask(server, PEOPLE)


@pytest.fixture
def client(bare_neo4j: Server, old_package: Path) -> OldClient:
    people(bare_neo4j)
    return OldClient(bare_neo4j, old_package)


@pytest.fixture
def store(bare_neo4j: Server) -> Iterator[Store]:
    with open_store(bare_neo4j.uri, auth=bare_neo4j.auth) as store:
        yield store


def accounts(server: Server) -> dict[str, tuple[Any, ...]]:
    rows = ask(
        server, "MATCH (a:EdgeDPAccount) RETURN a.name AS n, a.spent AS s, a.entries AS e, a.budget AS b"
    )
    return {row["n"]: (row["s"], row["e"], row["b"]) for row in rows}


def assert_shut_out(server: Server, client: OldClient) -> None:
    """Nothing that 0.1.0 can do debits, or opens a ledger beside the one that edges have."""
    before = accounts(server)
    said = client.run("attack")
    assert all(words.startswith("refused: ") for words in said.values()), said
    assert accounts(server) == before
    assert ask(server, "MATCH (l:EdgeDPLedger) RETURN l.name AS n, l.held AS h ORDER BY h") == [
        {"n": None, "h": False}, {"n": None, "h": True},
    ]  # fmt: skip
    assert ask(server, "MATCH (n) WHERE n:EdgeDPGraph OR n:EdgeDPRelease OR n:EdgeDPLeftover RETURN n") == []


def assert_migrated(store: Store, told: dict[str, Any]) -> None:
    assert {name: store.budget(name) for name in told["budgets"]} == told["budgets"]
    assert store.check() == []
    asked = {"metric": "degree", "k": 2, "epsilon": 0.5}
    assert store.priv_top_k("kite", **asked, request_id="monday").nodes == told["monday"]
    with pytest.raises(StoreError, match="debited and lost"):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=1, request_id="tuesday")
    kept = store.releases("kite")
    assert [row["epsilon"] for row in kept] == [0.5, 0.25, 1.0]
    assert [row["nodes"] is None for row in kept] == [False, False, True]
    assert [row["event"] for row in store.log("gone")] == ["budget", "debit", "answer"]
    assert {row["by"] for row in store.log("kite")} == {"unknown (edgedp 0.1.0)"}


def test_a_database_of_0_1_0_migrates_with_what_was_spent_and_shuts_0_1_0_out(
    bare_neo4j: Server, client: OldClient, store: Store
) -> None:
    told = client.run("write")
    assert_migrated(store, told)
    assert_shut_out(bare_neo4j, client)
    # Its graphs, whose relationship types are shared, go on working.
    assert store.graph("kite").edge_count == 5
    store.priv_top_k("rho", metric="degree", k=3, epsilon="0.1")
    assert 0 < told["budgets"]["rho"]["epsilon_spent"] < store.budget("rho")["epsilon_spent"]
    store.load(old_client.KITE, "kite", replace=True)
    assert store.budget("kite")["epsilon_spent"] == 1.75
    # What its interrupted load left is nobody's: not to be registered, and cleared by name.
    ask(bare_neo4j, "MATCH (p:Person) SET p.key = p.ssn")
    with pytest.raises(StoreError, match="a load or drop of 'half' that did not end"):
        store.register("mine", "Person", "HALF", "key", epsilon_budget=1, allow_empty=True)
    store.drop("half")
    assert ask(bare_neo4j, "MATCH ()-[r:HALF]->() RETURN count(r) AS n") == [{"n": 0}]
    store.register("mine", "Person", "HALF", "key", epsilon_budget=1, allow_empty=True)
    store.drop("friends")
    store.register("friends", "Person", "KNOWS", "ssn", epsilon_budget=1)
    assert store.budget("friends")["epsilon_remaining"] == 0.25


def test_a_fresh_database_shuts_0_1_0_out_as_well(
    bare_neo4j: Server, client: OldClient, store: Store
) -> None:
    store.load(old_client.KITE, "kite", epsilon_budget=10)
    store.register("friends", "Person", "KNOWS", "ssn", epsilon_budget=1)
    assert_shut_out(bare_neo4j, client)


@pytest.mark.wide
def test_a_release_that_0_1_0_planned_before_the_migration_is_not_debited(
    bare_neo4j: Server, client: OldClient, store: Store, tmp_path: Path
) -> None:
    told = client.run("write")
    processes = {}
    for step in ("release", "register"):
        (tmp_path / step).mkdir()
        processes[step] = client.begin("overtaken", step, tmp_path / step)
    for step in processes:
        assert eventually((tmp_path / step / "planned").exists, 240)
    assert store.budget("kite") == told["budgets"]["kite"]
    before = accounts(bare_neo4j)
    for step, process in processes.items():
        (tmp_path / step / "go").touch()
        assert end(process).startswith("refused: "), step
    assert accounts(bare_neo4j) == before
    assert store.check() == []


def test_a_database_of_a_newer_version_is_refused_in_one_sentence(bare_neo4j: Server, store: Store) -> None:
    store.load(old_client.KITE, "kite", epsilon_budget=1)
    ask(bare_neo4j, "MATCH (s:EdgeDPSchema) SET s.version = s.version + 1")
    # A client that is open since before debits nothing ...
    with pytest.raises(EdgeDPError):
        store.priv_top_k("kite", metric="degree", k=1, epsilon=0.5)
    assert accounts(bare_neo4j)["kite"][0] == 0
    # ... and a new one says why.
    with open_store(bare_neo4j.uri, auth=bare_neo4j.auth) as again:
        for refused in (again.graphs, lambda: again.load(old_client.KITE, "kite", replace=True)):
            with pytest.raises(StoreError, match="which a newer edgedp wrote"):
                refused()


@pytest.mark.wide
def test_the_jar_of_0_1_0_debits_nothing_in_a_migrated_database(old_package: Path, tmp_path: Path) -> None:
    """One server, three lives: with the old jar, with this one, and with the old one again."""
    home = tmp_path / "home"
    jars = {"old": next((old_package / "edgedp" / "assets" / "jar").glob("*.jar")), "new": built_jar()}
    pythons = {"old": tmp_path / "python", "new": Path(sys.executable)}
    pythons["old"].write_text(f'#!/bin/sh\nPYTHONPATH="{old_package}" exec "{sys.executable}" "$@"\n')
    pythons["old"].chmod(0o755)

    def install(which: str) -> None:
        for name in ("plugins", "conf"):
            (home / name).mkdir(parents=True, exist_ok=True)
        for jar in (home / "plugins").glob("*.jar"):
            jar.unlink()
        shutil.copy2(jars[which], home / "plugins" / f"edgedp-neo4j-{which}.jar")
        conf = {
            "worker.python": str(pythons[which]),
            "worker.cache": CONF["worker.cache"],
        }  # 0.1.0 has no other
        (home / "conf" / "edgedp.conf").write_text("".join(f"{key}={value}\n" for key, value in conf.items()))

    place = {"nodeLabel": "Person", "relationshipType": "KNOWS", "idProperty": "ssn"}
    register = "CALL edgedp.graph.register($name, $place)"
    config = {"metric": "degree", "k": 1, "epsilon": 0.25}
    install("old")
    with start(home=home) as server:
        people(server)
        ask(server, register, name="friends", place=place | {"epsilonBudget": 1})
        ask(server, TOP, name="friends", config=config | {"requestId": "monday"})
        server.stop()
        install("new")
        server.restart()
        said = refusal(server, TOP, name="friends", config=config)
        assert "call edgedp.graph.migrate()" in said
        (row,) = ask(server, "CALL edgedp.graph.migrate()")
        assert (row["name"], row["epsilonSpent"]) == ("friends", 0.25)
        assert len(ask(server, TOP, name="friends", config=config | {"requestId": "monday"})) == 1
        ask(server, TOP, name="friends", config=config)
        server.stop()
        install("old")
        server.restart()
        before = accounts(server)
        assert before["friends"][0] == 500_000_000
        refusal(server, TOP, name="friends", config=config)
        for name in ("friends", "pals"):
            refusal(server, register, name=name, place=place | {"epsilonBudget": 50})
        assert accounts(server) == before


def refusal(server: Server, statement: str, **parameters: Any) -> str:
    with pytest.raises(neo4j.exceptions.ClientError) as caught:
        ask(server, statement, **parameters)
    return str(caught.value.message)
