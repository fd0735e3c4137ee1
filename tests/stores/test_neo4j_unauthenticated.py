"""A Neo4j that authenticates nobody (``dbms.security.auth_enabled=false``): everything works, under a fixed name."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from edgedp import Graph, StoreError, open_store
from edgedp.stores.statements.queries import for_nobody, statement_names, statement_text
from neo4jserver import Server
from neo4jserver.server import DEFAULT_VERSION
from plugin_fixtures import plugin_server

pytestmark = pytest.mark.neo4j

BY = "unauthenticated"
ASKED = {"metric": "degree", "k": 1, "epsilon": 1}


def test_every_statement_that_asks_for_the_user_can_do_without() -> None:
    """What the servers below show, without one: there, the procedure that names the user does not exist."""
    asking = {name for name in statement_names("neo4j") if "showCurrentUser" in statement_text("neo4j", name)}
    assert {"log_append", "log_debit", "log_answer", "exact_noted", "current_user"} <= asking
    for name in asking:
        assert f"'{BY}' AS username" in for_nobody(statement_text("neo4j", name))
        assert "CALL dbms." not in for_nobody(statement_text("neo4j", name))


def test_a_server_that_wants_a_password_says_so_where_none_is_given(
    empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_AUTH_FILE"):
        monkeypatch.delenv(name, raising=False)
    with (
        open_store(empty_neo4j.uri) as store,
        pytest.raises(StoreError, match="or that there is none; pass auth"),
    ):
        store.graphs()


@pytest.mark.wide
def test_plugin_and_driver_work_where_nobody_is_authenticated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_AUTH_FILE"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    with plugin_server(DEFAULT_VERSION, home, extra_conf={"dbms.security.auth_enabled": "false"}) as running:
        planted = running.plant()
        assert len(planted.top()) == 1
        assert len(running.ask("CALL edgedp.exact.stream($name, {metric: 'degree'})", name=planted.name)) == 6
        running.ask("CALL edgedp.graph.setBudget($name, 200.0)", name=planted.name)
        log = running.ask("CALL edgedp.graph.log($name)", name=planted.name)
        assert {row["event"] for row in log} >= {"register", "debit", "answer", "exact", "budget"}
        assert {row["by"] for row in log} == {BY}
        for plugin in (True, False):
            if not plugin:
                for jar in (home / "plugins").glob("*.jar"):
                    jar.unlink()
                running.server.restart()
            with open_store(running.server.uri) as store, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                name = f"kite-{plugin}"
                store.load(Graph.from_edges([(1, 2), (2, 3), (3, 1)]), name, epsilon_budget=5)
                assert len(store.priv_top_k(name, **ASKED).nodes) == 1
                assert len(store.exact(name, "degree")) == 3
                assert len(store.priv_top_k(planted.name, **ASKED).nodes) == 1
                rows = store.log(name)
                assert {row["event"] for row in rows} >= {"load", "debit", "answer", "exact"}
                assert {row["by"] for row in rows} == {BY}
                assert not store.check(name)
                (node,) = store.priv_top_k(planted.name, **ASKED, request_id="r").nodes
                assert store.priv_top_k(planted.name, **ASKED, request_id="r").nodes == [node]
