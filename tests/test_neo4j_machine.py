"""The machine of `interleaving` on a real Neo4j: several stores on one database, and processes that are killed."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from edgedp import Store, open_store
from edgedp.stores.killpoints import Point
from embedded_children import child
from interleaving import Interleaving, Place
from neo4jserver import Server
from neo4jserver.fixtures import empty

pytestmark = pytest.mark.neo4j


class Database(Place):
    """An empty database of a running server."""

    paths = 3
    load_points: tuple[Point, ...] = ("begun", "written")

    def __init__(self, server: Server) -> None:
        self._server = server
        empty(server)

    def store(self, path: int) -> Store:
        return open_store(self._server.uri, auth=self._server.auth)

    def child(self, path: int, *arguments: object, kill_at: Point | None) -> subprocess.Popen[str]:
        command, *rest = arguments
        return child(command, self._server.uri, *rest, kill_at=kill_at)

    def close(self) -> None:
        return


def run(server: Server, monkeypatch: pytest.MonkeyPatch, **chosen: Any) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", server.user)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)

    class Machine(Interleaving):
        @classmethod
        def new_place(cls) -> Place:
            return Database(server)

    options = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None, **chosen)
    run_state_machine_as_test(Machine, settings=options)


def test_a_few_histories_forget_nothing(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    run(neo4j_server, monkeypatch, max_examples=2, stateful_step_count=7, derandomize=True)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_many_histories_forget_nothing(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    run(neo4j_server, monkeypatch, max_examples=40, stateful_step_count=30)
