"""People, shares and requests over HTTP in any order: what was spent is the sum of what was debited, and never more.

The curator acts by the pages and the analysts by the API, both in this process; a small model says which status each
request must get. Beside them stand callers who flood, who are rotated while they wait, who never read, and who never
shake hands: whatever they do, the next request of an honest one gets the model's status.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shutil
import socket
import ssl
import tempfile
import threading
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from edgedp import Graph, open_store
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.door.observing import Log, Metrics
from edgedp.faces.gateway.door.settings import Settings
from edgedp.stores.releases.analyst import AnalystStore
from gateway_server import Inside, Served, serve
from test_gateway_tls import certified

BUDGET = 10
WORKERS = 3
NAMES = ("ann", "bob & <co>", "Zoë")
people = st.sampled_from(NAMES)
amounts = st.integers(1, 6)


class Door(RuleBasedStateMachine):
    """A gateway and what is known of it. Amounts are whole epsilons."""

    @initialize()
    def opened(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = open_store(Path(self.folder.name) / "g.edgedp")
        self.store.load(Graph.from_edges([(0, 1), (0, 2), (0, 3)]), "star", epsilon_budget=BUDGET)
        self.store.load(Graph.from_edges([(0, 1), (0, 2)]), "crowd", epsilon_budget=10**6)
        self.served: Served | None = None
        said = io.StringIO()
        chosen = Settings(response_step=0.0001, requests_per_minute=10**6, workers=WORKERS, queue=16)
        self.web = Inside(Gateway(self.store, chosen, Log(said), Metrics()), said)
        cora = self.store.add_curator("cora")["token"]
        assert self.web.post("/sign-in", data={"token": cora}).status_code == 303
        self.csrf = re.findall('name="csrf" value="([^"]+)"', self.web.get("/curator").text)[0]
        self.tokens: dict[str, str] = {}
        self.gone: dict[str, set[str]] = {name: set() for name in NAMES}
        self.revoked: set[str] = set()
        self.share: dict[str, tuple[int, int | None]] = {}
        self.spent = dict.fromkeys(NAMES, 0)
        self.kept: dict[tuple[str, str], dict[str, Any]] = {}

    def teardown(self) -> None:
        if self.served is not None:
            assert self.served.end() == 0
            self.served.__exit__()
        self.web.close()
        assert self.store.check("star") == []
        self.store.close()
        self.folder.cleanup()

    def _post(self, place: str, **form: Any) -> Any:
        return self.web.post(place, data={"csrf": self.csrf} | form)

    def _person(self, what: str, name: str) -> str | None:
        """Ask the curator's page for a change; return the token that it shows."""
        answer = self._post("/curator/people", what=what, name=name, confirmed=name)
        if answer.status_code == 303:
            answer = self.web.get(answer.headers["location"])
        found = re.findall(r'id="token"[^>]*>(edgedp_a_[\w-]+)<', answer.text)
        return found[0] if found else None

    @rule(name=people)
    def add(self, name: str) -> None:
        token = self._person("add-analyst", name)
        assert (token is None) == (name in self.tokens)
        if token is not None:
            self.tokens[name] = token

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), share=st.integers(0, 8), limit=st.one_of(st.none(), amounts))
    def grant(self, data: Any, share: int, limit: int | None) -> None:
        name = data.draw(st.sampled_from(sorted(self.tokens)))
        answer = self._post(
            "/curator/graphs/star",
            analyst=name,
            epsilon_budget=str(share),
            max_epsilon_per_release="" if limit is None else str(limit),
        )
        keeps = limit if limit is not None else self.share.get(name, (0, None))[1]
        # A limit that was given before may stay above a share that is made smaller: the share alone refuses then.
        allowed = name not in self.revoked and share >= self.spent[name] and (limit is None or limit <= share)
        assert (answer.status_code == 303) == allowed, answer.text
        if allowed:
            self.share[name] = (share, keeps)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), revoke=st.integers(0, 3))
    def change_token(self, data: Any, revoke: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.tokens)))
        token = self._person("revoke" if revoke == 0 else "rotate", name)
        assert (token is None) == (revoke == 0 or name in self.revoked)
        if name not in self.revoked:
            self.gone[name].add(self.tokens[name])
            if revoke == 0:
                self.revoked.add(name)
        if token is not None:
            self.tokens[name] = token

    @precondition(lambda self: self.tokens)
    @rule(
        data=st.data(),
        key=st.sampled_from("abc"),
        k=st.integers(1, 2),
        epsilon=amounts,
        times=st.integers(1, 2),
    )
    def ask(self, data: Any, key: str, k: int, epsilon: int, times: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.tokens)))
        asked = {"metric": "degree", "k": k, "epsilon": epsilon}
        headers = {"Authorization": f"Bearer {self.tokens[name]}", "Idempotency-Key": key}
        for _ in range(times):
            expected = self._expected(name, key, asked)
            answer = self.web.post("/v1/graphs/star/top-k", json=asked, headers=headers)
            assert answer.status_code == expected, answer.text
            if expected == 201:
                self.spent[name] += epsilon
                self.kept[name, key] = {"asked": asked, "shown": answer.json()}
            if expected in (200, 201):
                for part in ("release_id", "nodes", "parameters"):
                    assert answer.json()[part] == self.kept[name, key]["shown"][part]
                assert answer.json()["share"]["epsilon_spent"] == self.spent[name]

    def _expected(self, name: str, key: str, asked: dict[str, Any]) -> int:
        if name in self.revoked:
            return 401
        if name not in self.share:
            return 404  # who has no share does not learn that the graph is there
        if (name, key) in self.kept:
            return 200 if self.kept[name, key]["asked"] == asked else 409
        share, limit = self.share[name]
        fits = asked["epsilon"] <= min(share - self.spent[name], BUDGET - sum(self.spent.values()))
        return 201 if fits and (limit is None or asked["epsilon"] <= limit) else 403

    def _active(self) -> list[str]:
        return sorted(self.tokens.keys() - self.revoked)

    @precondition(lambda self: len(self._active()) >= 2)
    @rule(data=st.data(), rotate=st.booleans())
    def flood_and_rotate_in_mid_queue(self, data: Any, rotate: bool) -> None:
        """One floods while no draw of theirs ends; another one is served, and a token that went pays for nothing."""
        one, other = data.draw(st.permutations(self._active()))[:2]
        for name in (one, other):
            self.store.grant("crowd", name, epsilon_budget=1000)
        spent = {name: self._spent_of_crowd(name) for name in (one, other)}
        gate, drawing, real = threading.Event(), threading.Event(), AnalystStore._draw

        def waits(store: Any, *given: Any) -> Any:
            if store._analyst == one:
                drawing.set()
                gate.wait(60)
            return real(store, *given)

        async def asked(name: str) -> int:
            headers = {"Authorization": f"Bearer {self.tokens[name]}"}
            body = {"metric": "degree", "k": 1, "epsilon": 1}
            answer = await self.web.send("POST", "/v1/graphs/crowd/top-k", json=body, headers=headers)
            return int(answer.status_code)

        async def all_at_once() -> tuple[list[int], int]:
            asking = [asyncio.create_task(asked(one)) for _ in range(30)]
            try:
                assert await asyncio.to_thread(drawing.wait, 60)
                honest = await asked(other)
                if rotate:
                    self.gone[one].add(self.tokens[one])
                    self.tokens[one] = self.store.rotate_analyst(one)["token"]
            finally:
                gate.set()
            return [await each for each in asking], honest

        AnalystStore._draw = waits  # type: ignore[method-assign,assignment]
        try:
            statuses, honest = self.web.run(all_at_once())
        finally:
            AnalystStore._draw = real  # type: ignore[method-assign]
        assert honest == 201, "nobody shuts out another"
        assert self._spent_of_crowd(other) == spent[other] + 1
        assert 503 in statuses
        assert set(statuses) <= ({401, 503} if rotate else {201, 503})
        debited = self._spent_of_crowd(one) - spent[one]
        assert debited == (WORKERS - 1 if rotate else statuses.count(201))

    def _spent_of_crowd(self, name: str) -> float:
        return float(self.store.share("crowd", name)["epsilon_spent"])

    @precondition(lambda self: bool(self._active()) and shutil.which("openssl") is not None)
    @rule(data=st.data(), shaken=st.booleans())
    def stand_in_the_door(self, data: Any, shaken: bool) -> None:
        """Many who never shake hands, or never read: whoever has a token is served by the real socket."""
        name = data.draw(st.sampled_from(self._active()))
        if self.served is None:
            certificate, key = certified(Path(self.folder.name), "own")
            self.trusted = ssl.create_default_context(cafile=certificate)
            tls = ("--tls-certificate", str(certificate), "--tls-key", str(key), "--connections", "12")
            self.served = serve(Path(self.folder.name) / "g.edgedp", Path(self.folder.name), *tls)
        peers: list[socket.socket] = []
        for _ in range(20):
            peer = socket.create_connection(("127.0.0.1", self.served.port), timeout=60)
            with contextlib.suppress(OSError):
                if shaken:
                    peer = self.trusted.wrap_socket(peer, server_hostname="127.0.0.1")
                    peer.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
            peers.append(peer)
        with self.served.client(self.tokens[name], verify=self.trusted) as client:
            assert client.get("/v1/graphs").status_code == 200
        for peer in peers:
            peer.close()

    @precondition(lambda self: any(self.gone.values()))
    @rule(data=st.data())
    def ask_with_a_token_of_before(self, data: Any) -> None:
        token = data.draw(st.sampled_from(sorted(set.union(*self.gone.values()))))
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "a"}
        asked = {"metric": "degree", "k": 1, "epsilon": 1}
        assert self.web.post("/v1/graphs/star/top-k", json=asked, headers=headers).status_code == 401
        assert self.web.get("/v1/releases", headers=headers).status_code == 401

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def read_again(self, data: Any) -> None:
        """Whoever asked reads it again; for anybody else it is not there."""
        (owner, _), kept = data.draw(st.sampled_from(sorted(self.kept.items(), key=str)))
        for name, token in self.tokens.items():
            headers = {"Authorization": f"Bearer {token}"}
            answer = self.web.get(f"/v1/releases/{kept['shown']['release_id']}", headers=headers)
            assert answer.status_code == (401 if name in self.revoked else 200 if name == owner else 404)

    @invariant()
    def the_books_are_those_of_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        spent = self.store.budget("star")["epsilon_spent"]
        assert spent == sum(self.spent.values()) <= BUDGET
        for row in self.store.grants("star"):
            assert row["epsilon_spent"] == self.spent[row["analyst"]] <= row["epsilon_budget"]
            assert (row["epsilon_budget"], row["max_epsilon_per_release"]) == self.share[row["analyst"]]
        debited = [row["epsilon"] for row in self.store.log("star") if row["event"] == "debit"]
        assert sum(debited) == spent
        assert len(debited) == len(self.kept)


TestDoor = Door.TestCase
BOUNDED = settings(
    max_examples=2,
    stateful_step_count=22,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
TestDoor.settings = BOUNDED


@pytest.mark.wide
def test_many_histories_of_analysts_exceed_nothing() -> None:
    run_state_machine_as_test(Door, settings=settings(BOUNDED, max_examples=12))  # type: ignore[no-untyped-call]
