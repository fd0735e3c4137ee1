"""A gateway in this process: what its code promises, and what catches it where it does not."""

from __future__ import annotations

import asyncio
import html
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from edgedp import Graph, ParameterError, open_store
from edgedp.faces.gateway.api.schema import document
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.desks import local
from edgedp.faces.gateway.door.observing import Log, Metrics
from edgedp.faces.gateway.door.problems import UNFORESEEN, Problem
from edgedp.faces.gateway.door.settings import Settings
from edgedp.faces.gateway.flights import Flight, Flights
from edgedp.faces.gateway.kinds import ReleaseKind, release_kinds
from edgedp.faces.gateway.work import Pool, hold
from edgedp.ledger import ledger, registry
from edgedp.release.plan import plan
from edgedp.stores.people.asker import Asker
from edgedp.words.errors import BeingDrawnError, RequestConflictError
from gateway_server import Inside

TOP = {"metric": "degree", "k": 1, "epsilon": "0.001"}
PLACE = "/v1/graphs/star/top-k"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    store = open_store(tmp_path_factory.mktemp("inside") / "g.edgedp")
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 20)]), "star", epsilon_budget=1000)
    tokens = {"ann": store.add_analyst("ann")["token"], "cora": store.add_curator("cora")["token"]}
    store.grant("star", "ann", epsilon_budget=500)
    return SimpleNamespace(store=store, tokens=tokens)


Opened = Callable[..., Inside]


@pytest.fixture
def opened(stored: SimpleNamespace) -> Iterator[Opened]:
    """Open gateways of this process; their logs are in ``client.said``."""
    clients: list[Inside] = []

    def opener(who: str | None = "ann", **chosen_settings: Any) -> Inside:
        said = io.StringIO()
        chosen = Settings(**{"response_step": 0.001, "requests_per_minute": 10**6} | chosen_settings)
        client = Inside(Gateway(stored.store, chosen, Log(said), Metrics()), said)
        clients.append(client)
        if who is not None:
            client.headers["Authorization"] = f"Bearer {stored.tokens[who]}"
        return client

    yield opener
    for client in clients:
        client.close()


def test_an_answer_leaves_at_a_step_and_not_before(opened: Opened) -> None:
    client = opened(response_step=0.3)
    for body, status in ((TOP, 201), (TOP | {"epsilon": 900}, 403)):
        began = time.monotonic()
        assert client.post(PLACE, json=body).status_code == status
        assert time.monotonic() - began >= 0.3


def test_steps_are_counted_from_the_draw_and_not_from_the_first_byte(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sends a body slowly must not choose where in a step the draw begins."""
    seen: list[float] = []

    async def held(started: float, step: float) -> int:
        seen.append(started)
        return 1

    monkeypatch.setattr("edgedp.faces.gateway.context.hold", held)
    arrived: list[float] = []

    async def slowly() -> Any:
        yield b'{"metric": "degree", "k": 1,'
        await asyncio.sleep(0.2)
        arrived.append(time.monotonic())
        yield b' "epsilon": "0.001"}'

    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    assert opened().post(PLACE, content=slowly(), headers=headers).status_code == 201
    assert seen[0] >= arrived[0]


def test_a_debit_that_follows_a_draw_waits_for_a_step(
    opened: Opened, stored: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A budget is read while a release spends step by step: its debits would say when each draw ended."""
    stored.store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 60)]), "large", epsilon_budget=9)
    stored.store.grant("large", "ann", epsilon_budget=9)
    seen: list[Any] = []
    real = Asker._debit_step

    def stepped(self: Asker, *given: Any) -> Any:
        before = stored.store.budget("large")["epsilon_spent"]
        monkeypatch.setattr(
            "edgedp.faces.gateway.context.wait_for_step",
            lambda _, step: seen.append((step, stored.store.budget("large")["epsilon_spent"] == before)),
        )
        found = real(self, *given)
        seen.append("debited")
        return found

    monkeypatch.setattr(Asker, "_debit_step", stepped)
    asked = {"metric": "degree", "k": 2, "epsilon": 2, "target_recall": "0.999"}
    told = opened(response_step=0.02).post("/v1/graphs/large/top-k", json=asked)
    assert told.status_code == 201
    assert told.json()["steps"] > 2
    assert seen == [(0.02, True), "debited"] * (told.json()["steps"] - 1)


def test_a_recorded_answer_is_seen_nowhere_before_its_step(opened: Opened, stored: SimpleNamespace) -> None:
    """Whoever polled would read off the end of the draw, more finely than a step."""
    client = _signed_in(opened(response_step=60.0), opened, "ann")
    here, key = stored.store.asking_as("ann"), {"Idempotency-Key": "polled"}

    async def polled() -> None:
        asked = asyncio.create_task(client.send("POST", PLACE, json=TOP, headers=key))
        while (
            not (own := [row for row in here.releases() if row["request_id"] == "polled"])
            or not own[0]["nodes"]
        ):
            await asyncio.sleep(0.01)
        place = f"releases/{own[0]['release_id']}"
        told = [(await client.send("GET", f"/{each}")).json() for each in (f"v1/{place}", f"{place}/json")]
        for listed in ("/v1/releases", "/v1/graphs/star/releases"):
            rows = (await client.send("GET", listed)).json()["releases"]
            told += [row for row in rows if row["request_id"] == "polled"]
        assert [row["nodes"] for row in told] == [None] * 4
        assert "not drawn yet" in (await client.send("GET", f"/{place}")).text
        assert (await client.send("GET", f"/{place}/csv")).text == ""
        assert not asked.done()
        asked.cancel()  # who goes away sees it no sooner
        assert (await client.send("GET", f"/v1/{place}")).json()["nodes"] is None

    client.run(polled())


def test_a_release_on_its_way_is_being_drawn_to_whoever_asks_again(stored: SimpleNamespace) -> None:
    """Whether it was drawn or lost is seen no sooner than its answer."""
    asked: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": "0.001", "request_id": "again"}
    flights = Flights()
    flight = Flight(flights, time.monotonic(), 60.0)
    drawing = Asker(stored.store, "ann", flights.hides, flight.debited)
    first = drawing.priv_top_k("star", **asked)
    other = Asker(stored.store, "ann", flights.hides)
    for _ in range(2):
        with pytest.raises(BeingDrawnError):
            other.priv_top_k("star", **asked)
        with pytest.raises(RequestConflictError):
            other.priv_top_k("star", **asked | {"k": 2})
        with stored.store._session() as session:
            row = registry.known(session, "star")
            planned = plan("priv_top_k", TOP, ledger.find(session, "star").told(row.facts))
            with pytest.raises(BeingDrawnError):  # as where both were planned before either was debited
                other._debit(session, row, planned, "again")
        flight.end()
    flights = Flights()
    with pytest.raises(BeingDrawnError):  # at another gateway, too, until the answer leaves
        Asker(stored.store, "ann", flights.hides).priv_top_k("star", **asked)
    drawing.land("star", first.receipt["release_id"])
    shown = Asker(stored.store, "ann", flights.hides).priv_top_k("star", **asked)
    assert (shown.kept, shown.receipt["release_id"]) == (True, first.receipt["release_id"])


def test_what_was_recorded_is_hidden_until_its_step_whatever_becomes_of_its_lease() -> None:
    """A step may be longer than a lease stands."""
    flights = Flights()
    flight = Flight(flights, time.monotonic(), 3600.0)
    flight.debited("recorded")
    flight.end()
    assert flight.landed == "recorded"
    assert flights.hides("recorded")


def test_a_curator_who_was_revoked_meanwhile_changes_nothing(stored: SimpleNamespace) -> None:
    gateway = Gateway(stored.store, Settings(), Log(io.StringIO()), Metrics())
    whose = gateway.bearer_of(stored.store.add_curator("dora")["token"])
    assert whose is not None
    dora: Any = whose()
    request: Any = SimpleNamespace(scope={"edgedp.asked_as": whose}, client=None)
    changed: list[Any] = []
    try:
        asyncio.run(gateway.act(request, dora, changed.append))
        assert len(changed) == 1
        stored.store.revoke_analyst("dora")
        with pytest.raises(Problem) as refused:
            asyncio.run(gateway.act(request, dora, changed.append))
        assert (refused.value.status, len(changed)) == (401, 1)
    finally:
        gateway.close()


def test_several_gateways_on_a_store_divide_the_limit_of_requests(opened: Opened) -> None:
    client = opened(requests_per_minute=4, gateways=4)
    assert [client.get("/v1/me").status_code for _ in range(2)] == [200, 429]
    strangers = opened(None, requests_per_minute=4, gateways=4)
    wrong = {"Authorization": "Bearer nobody"}
    assert [strangers.get("/v1/me", headers=wrong).status_code for _ in range(2)] == [401, 429]


@pytest.mark.parametrize("kind", release_kinds(), ids=lambda kind: kind.path)
def test_what_the_description_refuses_is_refused_before_the_debit(
    opened: Opened, stored: SimpleNamespace, kind: ReleaseKind
) -> None:
    """An engine that the gateway does not have, too: Spark would be a JVM inside it."""
    client, schema = opened(), kind.schema()
    before = stored.store.budget("star")
    others: tuple[Any, ...] = (None, 0, "", [], {}, True, "other", [None], -1)
    crooked = [(name, value) for name in schema["properties"] for value in others]
    crooked += [
        (name, value) for name in ("engine", "delta", "request_id") for value in (None, "spark", "cypher")
    ]
    for name, value in crooked:
        body = kind.example() | {name: value}
        if not jsonschema.Draft202012Validator(schema).is_valid(body):
            answer = client.post(f"/v1/graphs/star/{kind.path}", json=body)
            assert answer.status_code == 422, (body, answer.text)
            told = client.post(f"/v1/graphs/star/{kind.path}/estimate", json=body).json()
            assert told == answer.json() or told["refused"] == answer.json()["detail"]
            if name == "engine" and kind.options.COMPUTES:
                assert answer.json()["detail"].startswith(
                    f"engine is {value!r}, must be one of native, igraph;"
                )
    assert stored.store.budget("star") == before


def test_an_analyst_sees_the_time_of_a_debit_and_of_no_answer(
    opened: Opened, stored: SimpleNamespace
) -> None:
    """From one to the other is as long as the draw took."""
    client = _signed_in(opened(), opened, "ann")
    answer = client.post(PLACE, json=TOP)
    release_id = answer.json()["release_id"]
    debited, recorded = [row["at"] for row in stored.store.log("star") if row["release_id"] == release_id]
    places = (
        "/v1/releases",
        f"/v1/releases/{release_id}",
        f"/releases/{release_id}",
        "/releases",
        "/v1/graphs",
    )
    seen = [answer.text, *(client.get(place).text for place in places)]
    assert any(debited in text for text in seen)
    assert not any(recorded[:26] in text for text in seen)


def test_only_a_release_is_asked_for_again_with_its_key(stored: SimpleNamespace) -> None:
    chosen, over = Settings(request_seconds=0.001), threading.Event()
    gateway = Gateway(stored.store, chosen, Log(io.StringIO()), Metrics())

    async def late(pool: Pool) -> Problem:
        with pytest.raises(Problem) as caught:
            await pool.run(over.wait)
        return caught.value

    async def both() -> list[Problem]:
        return [await late(gateway.asks), await late(gateway.draws)]

    try:
        told = asyncio.run(both())
    finally:
        over.set()
        gateway.close()
    assert [problem.status for problem in told] == [503, 503]
    assert [problem.headers for problem in told] == [{"Retry-After": "5"}] * 2
    assert [problem.detail.partition("; ")[2] for problem in told] == [
        "ask again", "ask again with the same Idempotency-Key, if it had one",
    ]  # fmt: skip


def test_whatever_nobody_foresaw_is_said_in_a_constant_sentence(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: Any, **named: Any) -> Any:
        raise ValueError("a secret of node seven")

    monkeypatch.setattr(Asker, "graphs", broken)
    monkeypatch.setattr(Asker, "priv_top_k", broken)
    client = opened()
    for answer in (client.get("/v1/graphs"), client.post(PLACE, json=TOP)):
        assert answer.status_code == 500
        assert answer.json()["detail"] == UNFORESEEN
    assert "secret" not in client.said.getvalue()


def test_a_curators_token_asks_for_nothing_and_an_analysts_grants_nothing(opened: Opened) -> None:
    curator = opened("cora")
    assert curator.get("/v1/graphs").status_code == 403
    assert curator.post(PLACE, json=TOP).status_code == 403
    analyst = opened(None)
    assert _signed_in(analyst, opened, "ann").get("/curator/people").status_code == 403


def test_a_form_without_the_sessions_secret_does_nothing(opened: Opened, stored: SimpleNamespace) -> None:
    client = _signed_in(opened(None), opened, "cora")
    answer = client.post("/curator/people", data={"what": "add-analyst", "name": "intruder", "csrf": "guess"})
    assert answer.status_code == 403
    assert "intruder" not in [row["name"] for row in stored.store.analysts()]


def test_a_form_of_another_site_does_nothing(opened: Opened) -> None:
    client = opened(None)
    for foreign in (
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        assert client.post("/sign-in", data={"token": "x"}, headers=foreign).status_code == 403
    assert (
        client.post("/sign-in", data={"token": "x"}, headers={"Origin": "https://localhost"}).status_code
        == 401
    )


def test_a_token_never_crosses_a_network_in_the_clear() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7", "", "graphs.example.org", "127.0.0.1.example.org"):  # noqa: S104
        with pytest.raises(ParameterError, match="must be a loopback address"):
            Settings(host=host).checked()
        assert Settings(host=host, behind_proxy=True).checked().secure


def test_a_large_body_is_refused_before_it_is_kept(opened: Opened) -> None:
    client = opened(body_bytes=1000)
    assert (
        client.post(PLACE, content=b"x" * 1001, headers={"Content-Type": "application/json"}).status_code
        == 413
    )


def test_a_release_that_is_shown_again_is_counted_once(opened: Opened) -> None:
    client = opened()
    told = client._gateway.metrics.registry
    for status in (201, 200):
        answer = client.post(PLACE, json=TOP, headers={"Idempotency-Key": "counted once"})
        assert answer.status_code == status, answer.text
        assert told.get_sample_value("edgedp_releases_total", {"kind": "priv_top_k"}) == 1
        assert told.get_sample_value("edgedp_epsilon_total", {"graph": "star"}) == 0.001


def test_two_keys_are_none(opened: Opened, stored: SimpleNamespace) -> None:
    client = opened()
    token = client.headers["Authorization"]
    keys = [("Authorization", token), ("Idempotency-Key", "this"), ("Idempotency-Key", "that")]
    answer = client.run(client._client.post(PLACE, json=TOP, headers=keys))
    assert answer.status_code == 422, answer.text
    assert "must be one text" in answer.json()["detail"]


def test_a_curators_token_reads_nothing_as_an_analyst(opened: Opened) -> None:
    answer = opened("cora").get("/v1/graphs")
    assert answer.status_code == 403
    assert "must be of role 'analyst'" in answer.json()["detail"]


def test_what_an_agent_reads_is_asked_for_again_and_an_error_has_no_words(stored: SimpleNamespace) -> None:
    gateway = Gateway(stored.store, Settings(), Log(io.StringIO()), Metrics())

    async def asked() -> None:
        desk = await local(gateway, "ann")
        assert (await desk.read(lambda asking: {"graphs": asking.graphs()}))["graphs"]
        desk._request.scope["edgedp.asked_as"] = lambda: None  # the token was rotated
        with pytest.raises(Problem) as refused:
            await desk.read(lambda asking: {"graphs": asking.graphs()})
        assert refused.value.status == 401
        assert desk.problem(KeyError("degree 12")).detail == UNFORESEEN

    try:
        asyncio.run(asked())
    finally:
        gateway.close()


def test_the_log_and_the_metrics_know_steps_and_nothing_finer(opened: Opened) -> None:
    client = opened(response_step=0.2)
    assert client.post(PLACE, json=TOP).status_code == 201
    (line,) = [json.loads(line) for line in client.said.getvalue().splitlines()]
    assert set(line) == {
        "at", "event", "method", "address", "route", "who", "role", "graph", "kind", "asked", "epsilon", "release_id",
        "kept", "status", "seconds_at_most",
    }  # fmt: skip
    steps = line["seconds_at_most"] / 0.2
    assert steps == pytest.approx(round(steps), abs=1e-6)
    assert line["at"].endswith(":00+00:00") or "." not in line["at"]
    counted = client._gateway.metrics.registry.get_sample_value("edgedp_release_steps_sum")
    assert counted == round(steps)


def test_public_facts_open_the_store_once(
    opened: Opened, stored: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, real, openings = opened(), stored.store._backend.session, []

    def counted(**given: Any) -> Any:
        openings.append(1)
        return real(**given)

    monkeypatch.setattr(stored.store._backend, "session", counted)
    for place in ("/v1/graphs", "/v1/graphs/star", "/v1/graphs/star/budget", "/v1/releases", "/v1/me"):
        openings.clear()
        assert client.get(place).status_code == 200
        assert len(openings) == 1, place
    openings.clear()
    assert opened(None).get("/v1/graphs").status_code == 401
    assert not openings, "nobody's request reads nothing"


def test_whatever_is_asked_the_log_is_json_and_short(opened: Opened) -> None:
    def refused(constant: str) -> None:
        raise AssertionError(constant)

    client = opened()
    for crooked in (
        b"1e999",
        b"-1e999",
        b"9" * 4000,
        b'"' + b"x" * 4000 + b'"',
        b'"\\ud800"',
        b'["\\ud800"]',
    ):
        for name in (b"metric", b"k", b"epsilon", b"mechanism", b"\\ud800"):
            asked = {b"metric": b'"degree"', b"k": b"1", b"epsilon": b"1", name: crooked}
            body = b"{" + b", ".join(b'"%s": %s' % each for each in asked.items()) + b"}"
            answer = client.post(PLACE, content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (422, 403), answer.text
    for place in ("count", "percentile"):
        for text in (
            '{"of": "degree", "node": "\\ud800", "epsilon": 1}',
            '{"property": "\\ud800", "q": 0.5, "epsilon": 1}',
        ):
            answer = client.post(
                f"/v1/graphs/star/{place}", content=text, headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == 422, answer.text
    for line in client.said.getvalue().splitlines():
        json.loads(line, parse_constant=refused)
        assert len(line) < 2000


def test_what_is_no_release_is_not_timed(opened: Opened) -> None:
    client = opened(response_step=0.2)
    client.get("/v1/graphs")
    client.post(f"{PLACE}/estimate", json=TOP)
    for line in client.said.getvalue().splitlines():
        assert "seconds_at_most" not in json.loads(line)


def test_the_sessions_of_one_push_out_nobody_elses(tmp_path: Path) -> None:
    from edgedp.stores.people.sessions import Sessions

    store = open_store(tmp_path / "g.edgedp")
    store.load(Graph.from_edges([(0, 1)]), "pair")
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann", "bob")}
    sessions = Sessions(store, 60)
    bob = sessions.open(tokens["bob"])
    anns = [sessions.open(tokens["ann"]) for _ in range(25)]
    assert sessions.find(bob) is not None
    assert sessions.find(anns[4]) is None
    assert sessions.find(anns[5]) is not None
    assert sessions.find(anns[-1]) is not None


def test_cookies_are_secure_where_tls_is(opened: Opened, stored: SimpleNamespace) -> None:
    client = opened(None, behind_proxy=True)
    answer = client.post("/sign-in", data={"token": stored.tokens["ann"]})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-edgedp=")
    for part in ("Secure", "HttpOnly", "SameSite=strict"):
        assert part in cookie
    assert "strict-transport-security" in answer.headers


def _signed_in(client: Inside, opened: Opened, who: str) -> Inside:
    token = str(opened(who).headers["Authorization"]).partition(" ")[2]
    assert client.post("/sign-in", data={"token": token}).status_code == 303
    return client


def test_a_node_is_named_on_a_page_as_on_a_command_line(opened: Opened, stored: SimpleNamespace) -> None:
    stored.store.load(Graph.from_edges([("1", "2"), ("ann lee", "1")]), "texts", epsilon_budget=9)
    stored.store.grant("texts", "ann", 9)
    client = _signed_in(opened(None), opened, "ann")
    for graph, node, meant in (("star", "3", "3"), ("texts", "1", "'1'"), ("texts", "ann lee", "'ann lee'")):
        csrf = _hidden(client.get(f"/graphs/{graph}").text, "csrf")
        asked = {"kind": "count", "of": "degree", "node": node, "epsilon": "0.01", "csrf": csrf}
        page = html.unescape(client.post(f"/graphs/{graph}", data=asked).text)
        assert "Spend 0.01 and release" in page
        assert f"node={meant}" in page, "what is copied names the node that was meant"
        taken = client.post(f"/graphs/{graph}", data=asked | {"step": "release", "request_id": f"of {node}"})
        assert taken.status_code == 303, taken.text
        page = html.unescape(client.post(f"/graphs/{graph}", data=asked | {"node": "0" + node}).text)
        assert "must be a node of the graph" in page, "known before anything is asked"
        assert "and release</button>" not in page


def test_a_page_offers_what_the_store_allows_and_an_agent_spends_by_the_plan_that_it_shows(
    opened: Opened, stored: SimpleNamespace
) -> None:
    path = Graph.from_edges([(1, 2), (2, 3)])
    stored.store.load(path, "path", epsilon_budget=9, max_epsilon_per_release=2)
    stored.store.grant("path", "ann", 9, 5, agent=True, min_epsilon_per_release="0.1")
    client = _signed_in(opened(None, min_epsilon="0.01"), opened, "ann")
    token = _hidden(client.get("/graphs/path").text, "csrf")
    asked = {"kind": "top-k", "metric": "degree", "k": "1", "csrf": token}
    for place, epsilon, told in (
        ("path", "0.05", "must be at least 0.1 for one release of 'ann'"),
        ("path", "3", "must be at most 2 for one release"),
        ("star", "0.001", "must be at least 0.01 at this gateway"),
    ):
        page = html.unescape(client.post(f"/graphs/{place}", data=asked | {"epsilon": epsilon}).text)
        assert told in page
        assert "and release</button>" not in page
    page = client.post("/graphs/path", data=asked | {"epsilon": "1"}).text
    spends = asked | {"epsilon": "1", "step": "release", "request_id": _hidden(page, "request_id")}
    said = client.post("/graphs/path", data=spends)
    assert said.status_code == 422, "nothing was told of it"
    assert "see again what it costs" in said.text, "and not an agent's words"
    spends["plan_id"] = _hidden(page, "plan_id")
    assert client.post("/graphs/path", data=spends | {"epsilon": "2"}).status_code == 422
    assert client.post("/graphs/path", data=spends).status_code == 303
    assert stored.store.share("path", "ann")["epsilon_spent"] == 1


def test_a_person_is_given_what_the_page_showed_or_is_shown_it_again(
    opened: Opened, stored: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The graph may be replaced while somebody reads: what is typed names another node then."""
    stored.store.load(Graph.from_edges([(1, 3), (2, 3)]), "changing", epsilon_budget=9)
    stored.store.grant("changing", "ann", 9)
    client = _signed_in(opened(None), opened, "ann")
    token = _hidden(client.get("/graphs/changing").text, "csrf")
    asked = {"kind": "count", "of": "degree", "node": "3", "epsilon": "0.5", "csrf": token}

    def reviewed() -> dict[str, str]:
        page = client.post("/graphs/changing", data=asked).text
        return asked | {"step": "release"} | {name: _hidden(page, name) for name in ("request_id", "plan_id")}

    spends = reviewed()
    stored.store.load(Graph.from_edges([("3", "4"), ("3", "1")]), "changing", replace=True)
    said = client.post("/graphs/changing", data=spends)
    assert (said.status_code, stored.store.share("changing", "ann")["epsilon_spent"]) == (422, 0)
    assert "what was shown has changed since" in said.text
    assert 'value="0.5"' in said.text, "the form is as it was"
    spends = reviewed()
    with monkeypatch.context() as later:
        later.setattr("edgedp.stores.people.plan_ids.SECONDS", 0)
        assert "more than 15 minutes ago" in client.post("/graphs/changing", data=reviewed()).text
    for _ in range(2):
        assert client.post("/graphs/changing", data=spends).status_code == 303
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Flights, "hides", lambda *_: True)
        said = client.post("/graphs/changing", data=spends)
        assert (said.status_code, "look for it among your releases" in said.text) == (409, True)
    assert stored.store.share("changing", "ann")["epsilon_spent"] == 0.5


def test_an_unknown_word_in_a_body_is_no_missing_graph(opened: Opened) -> None:
    more = {"epsilon": 1, "reason": "more", "account": "nodes"}
    for path, body in (("more", more), ("more", {"x": 1}), ("filters", {"x": 1})):
        for graph, status in (("star", 422), ("stra", 404)):
            said = opened().post(f"/v1/graphs/{graph}/{path}", json=body)
            assert said.status_code == said.json()["status"] == status, said.text


def _hidden(page: str, name: str) -> str:
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


@pytest.mark.filterwarnings("ignore")
def test_no_request_that_can_be_made_of_the_description_breaks_it(opened: Opened) -> None:
    """Bounded: a few requests of every endpoint, each answer as it is described."""
    import schemathesis  # heavy: only this test pays for it

    client, ran = opened(), 0
    for found in schemathesis.openapi.from_dict(document()).get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]
        check = _checked(client, operation.definition.raw["responses"])
        bounded = settings(
            max_examples=1 if operation.path.endswith("/estimate") else 2,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        )
        bounded(given(operation.as_strategy())(check))()
        ran += 1
    assert ran >= 10


def _checked(client: Inside, answers: dict[str, Any]) -> Callable[[Any], None]:
    def asked(case: Any) -> None:
        kept = case.as_transport_kwargs(base_url="http://localhost")
        headers = {name: str(kept["headers"][name]) for name in kept["headers"] or {} if name != "User-Agent"}
        body = {name: kept[name] for name in ("json", "content") if kept.get(name) is not None}
        answer = client.request(
            kept["method"], kept["url"], headers=headers, params=kept.get("params"), **body
        )
        assert answer.status_code < 500, answer.text
        assert str(answer.status_code) in answers, (case.path, answer.status_code, answer.text)
        assert answer.headers["content-type"] in answers[str(answer.status_code)]["content"]

    return asked


def test_an_answer_whose_step_is_over_waits_for_the_next_one() -> None:
    """The event loop comes late where it is kept busy; how late would tell when the draw ended."""
    started = time.monotonic() - 0.26
    steps = asyncio.run(hold(started, 0.25))
    assert steps >= 2
    assert time.monotonic() - started >= steps * 0.25


def test_no_step_of_several_gateways_is_longer_than_a_lease_stands() -> None:
    """Else another gateway would show what was recorded before the step of the one that drew it."""
    from edgedp.ledger.ledger import LEASE_RENEWAL, LEASE_SECONDS

    assert Settings(response_step=60.0).checked().response_step == 60
    assert Settings(response_step=20.0, gateways=2).checked().gateways == 2
    assert LEASE_SECONDS - LEASE_RENEWAL >= 20
    with pytest.raises(ParameterError, match="at most 20 seconds with several gateways"):
        Settings(response_step=20.5, gateways=2).checked()
