"""What a gateway says of its store, shows once, and lets curators do; and two gateways on one store."""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
import json
import re
import select
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from edgedp import Graph, StoreError, open_store
from edgedp.faces.gateway.api.schema import document
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.door.observing import Log, Metrics
from edgedp.faces.gateway.door.problems import STORE_AWAY, STORE_BROKEN, of_error
from edgedp.faces.gateway.door.settings import Settings
from edgedp.words.errors import (
    BeingDrawnError,
    GraphChangedError,
    LostReleaseError,
    RequestConflictError,
    StoreUnavailableError,
)
from gateway_server import Inside, serve

TOP = {"metric": "degree", "k": 1, "epsilon": "0.001"}
PLACE = "/v1/graphs/star/top-k"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[SimpleNamespace]:
    place = tmp_path / "a secret place" / "g.edgedp"
    place.parent.mkdir()
    store = open_store(place)
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 20)]), "star", epsilon_budget=1000)
    tokens = {"ann": store.add_analyst("ann")["token"]}
    tokens |= {name: store.add_curator(name)["token"] for name in ("cora", "carl")}
    store.grant("star", "ann", epsilon_budget=500)
    opened: list[Inside] = []

    def gateway(who: str | None = None, **chosen: Any) -> Inside:
        said = io.StringIO()
        settings = Settings(**{"response_step": 0.001, "requests_per_minute": 10**6} | chosen)
        made = Inside(Gateway(open_store(place), settings, Log(said), Metrics()), said)
        opened.append(made)
        if who is not None:
            made.headers["Authorization"] = f"Bearer {tokens[who]}"
        return made

    def signed_in(who: str, **chosen: Any) -> Inside:
        client = gateway(**chosen)
        assert client.post("/sign-in", data={"token": tokens[who]}).status_code == 303
        return client

    yield SimpleNamespace(store=store, place=place, tokens=tokens, gateway=gateway, signed_in=signed_in)
    for each in opened:
        each.close()


def csrf(page: str) -> str:
    return page.partition('name="csrf" value="')[2].partition('"')[0]


def form(client: Inside, place: str, **fields: str) -> httpx.Response:
    return client.post(place, data=fields | {"csrf": csrf(client.get("/curator/people").text)})


# -- what is said of a store ----------------------------------------------------------------------


def asked_of_all(client: Inside) -> Iterator[httpx.Response]:
    """Ask everything, with a token and without."""
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        yield client.get("/v1/me", headers=headers)
        yield client.get("/v1/graphs", headers=headers)
        yield client.get("/v1/graphs/star/budget", headers=headers)
        yield client.post(PLACE, json=TOP, headers=headers)
        yield client.post(f"{PLACE}/estimate", json=TOP, headers=headers)
        yield client.get("/v1/releases", headers=headers)
    for page in ("/", "/graphs", "/releases", "/curator", "/curator/people", "/curator/people/log"):
        yield client.get(page, headers={"Cookie": "__Host-edgedp=x; edgedp-session=x"})
    yield client.post("/sign-in", data={"token": "x"})


def test_a_store_that_is_away_is_a_constant_sentence_to_everybody(town: SimpleNamespace) -> None:
    client = town.gateway("ann")
    ledger = town.place / "ledger.sqlite"
    ledger.rename(town.place.parent / "elsewhere")
    told = 0
    for answer in asked_of_all(client):
        assert "secret" not in answer.text, answer.text
        if answer.status_code == 500:
            assert STORE_BROKEN in answer.text
            told += 1
    assert told >= 12, "with a wrong token, too"
    assert str(town.place) in client.said.getvalue(), "the operator's log says why"


def test_a_full_disk_is_told_with_when_to_ask_again(
    town: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.stores.embedded import sqlite

    client = town.gateway("ann")
    opened = sqlite._connected

    def full(*given: Any) -> Any:
        import contextlib

        @contextlib.contextmanager
        def connected() -> Iterator[Any]:
            with opened(*given) as ledger:
                (pages,) = ledger.connection.execute("PRAGMA page_count").fetchone()
                ledger.connection.execute(f"PRAGMA max_page_count = {pages}")
                yield ledger

        return connected()

    monkeypatch.setattr(sqlite, "_connected", full)
    fill = "INSERT INTO sessions (id, tokenHash, used, held) VALUES (hex(randomblob(8)), 'x', 1, hex(randomblob(200)))"
    with closing(sqlite3.connect(town.place / "ledger.sqlite")) as connection, connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        while connection.execute("PRAGMA page_count").fetchone()[0] == pages:
            connection.execute(fill)
    connection.close()
    for _ in range(200):
        answer = client.post(PLACE, json=TOP)
        if answer.status_code != 201:
            break
    assert answer.status_code == 503, answer.text
    assert answer.json()["detail"] == STORE_AWAY
    assert answer.headers["retry-after"]
    assert "disk is full" in client.said.getvalue()


def test_a_database_that_is_away_is_named_to_nobody(town: SimpleNamespace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as made:
        address = f"127.0.0.1:{made.getsockname()[1]}"
    said = io.StringIO()
    away = Gateway(open_store(f"bolt://{address}", auth=("someone", "x")), Settings(), Log(said), Metrics())
    client = Inside(away, said)
    try:
        for answer in (
            client.get("/v1/me", headers={"Authorization": "Bearer x"}),
            client.post("/sign-in", data={"token": "x"}),
        ):
            assert answer.status_code == 503
            assert answer.headers["retry-after"]
            assert STORE_AWAY in answer.text
            assert address not in answer.text
        assert address in said.getvalue()
    finally:
        client.close()
        away.store.close()


def test_only_sentences_about_the_asker_are_said_of_a_store() -> None:
    said = "store is /srv/secret at neo4j://10.0.0.1, whose disk"
    for leaf in _leaves(StoreError):
        problem = of_error(leaf(said))
        if (
            leaf in (BeingDrawnError, GraphChangedError, LostReleaseError)
            or leaf.__name__ == "StoreStateError"
        ):
            assert problem.cause is None  # made of names that the asker gave
            continue
        assert "secret" not in problem.detail
        assert "10.0.0.1" not in problem.detail
        assert problem.cause == said
        assert problem.status == (503 if issubclass(leaf, StoreUnavailableError) else 500)
    assert of_error(RequestConflictError("x")).status == 409


def _leaves(kind: type[StoreError]) -> list[type[StoreError]]:
    return [kind, *itertools.chain.from_iterable(_leaves(each) for each in kind.__subclasses__())]


def test_a_name_that_is_taken_is_said_to_the_curator(town: SimpleNamespace) -> None:
    cora = town.signed_in("cora")
    answer = form(cora, "/curator/people", what="add-analyst", name="ann")
    assert answer.status_code == 409
    assert "is taken" in answer.text


# -- a new token is shown once --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "name"), [("add-analyst", "new"), ("add-curator", "new"), ("rotate", "ann"), ("rotate", "cora")]
)
def test_a_new_token_is_shown_once_by_a_page_that_may_be_loaded_again(
    what: str, name: str, town: SimpleNamespace
) -> None:
    cora = town.signed_in("cora")
    answer = form(cora, "/curator/people", what=what, name=name)
    assert answer.status_code == 303
    assert "edgedp_" not in answer.text + str(answer.headers)
    place = answer.headers["location"]
    before = town.store.people_log()
    assert "edgedp_" not in (town.place / "ledger.sqlite").read_bytes().decode("latin-1")
    shown = cora.get(place)
    assert shown.status_code == 200, "also where it is the curator's own token that was rotated"
    token = re.search(r"edgedp_[ac]_[\w-]{43}", shown.text)[0]  # type: ignore[index]
    assert town.store.identify(token).name == name
    again = cora.get(place)
    assert again.status_code == 303
    assert town.store.identify(token).name == name, "loading it again changed nothing"
    assert town.store.people_log() == before


def test_a_token_is_shown_to_the_browser_that_asked_for_it(town: SimpleNamespace) -> None:
    cora, carl = town.signed_in("cora"), town.signed_in("carl")
    place = form(cora, "/curator/people", what="rotate", name="ann").headers["location"]
    assert carl.get(place).status_code == 303
    assert "edgedp_a_" in cora.get(place).text


# -- downloads ------------------------------------------------------------------------------------


def test_ids_that_a_spreadsheet_would_run_are_texts_in_a_download(town: SimpleNamespace) -> None:
    ids = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "plain", "'quoted"]
    hub = [("=1+1", other) for other in ids[1:]]
    town.store.load(Graph.from_edges(hub), "odd", epsilon_budget=1000)
    town.store.grant("odd", "ann", 500)
    asked = {"metric": "degree", "k": len(ids), "epsilon": "1"}
    api = town.gateway("ann")
    answer = api.post("/v1/graphs/odd/top-k", json=asked).json()
    assert sorted(answer["nodes"]) == sorted(ids)
    ann = town.signed_in("ann")
    place = f"/releases/{answer['release_id']}"
    rows = list(csv.reader(io.StringIO(ann.get(f"{place}/csv").text, newline="")))
    for row, node in zip(rows[1:], answer["nodes"], strict=True):
        assert row[1] == (node if node in ("plain", "'quoted") else f"'{node}")
        assert row[0].isdigit(), "numbers stay numbers"
    assert ann.get(f"{place}/json").json()["nodes"] == answer["nodes"]
    assert "spreadsheet" in ann.get(place).text


def test_titles_stand_beside_ids_on_a_page_in_json_and_in_a_download(town: SimpleNamespace) -> None:
    titles = ["<script>alert(1)</script>", "=1+1", "Zo\u00eb \u202eevil", None]
    nodes = [1, 2, 3, 4]
    graph = Graph.from_edges([(1, 2), (1, 3)], nodes=nodes, properties={"name": titles})
    town.store.load(graph, "named", epsilon_budget=100, title="name")
    town.store.grant("named", "ann", 50)
    answer = (
        town.gateway("ann")
        .post("/v1/graphs/named/top-k", json={"metric": "degree", "k": 4, "epsilon": "1"})
        .json()
    )
    shown = [titles[nodes.index(node)] for node in answer["nodes"]]
    assert answer["titles"] == shown
    ann = town.signed_in("ann")
    place = f"/releases/{answer['release_id']}"
    page = ann.get(place).text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    rows = list(csv.reader(io.StringIO(ann.get(f"{place}/csv").text, newline="")))
    assert rows[0] == ["rank", "id", "title"]
    assert [row[2] for row in rows[1:]] == [{None: "", "=1+1": "'=1+1"}.get(each, each) for each in shown]
    assert town.gateway("ann").get("/v1/releases").json()["releases"][-1]["titles"] == shown


def test_numbers_below_zero_stay_numbers_in_a_download(town: SimpleNamespace) -> None:
    town.store.load(Graph.from_edges([(-5, -6), (-5, -7)]), "cold", epsilon_budget=10)
    town.store.grant("cold", "ann", 5)
    released = town.gateway("ann").post("/v1/graphs/cold/top-k", json=TOP).json()
    text = town.signed_in("ann").get(f"/releases/{released['release_id']}/csv").text
    assert text == f"rank,id\n1,{released['nodes'][0]}\n"


# -- curators -------------------------------------------------------------------------------------


def test_what_a_curator_does_here_names_the_curator(town: SimpleNamespace) -> None:
    cora = town.signed_in("cora")
    form(cora, "/curator/people", what="add-analyst", name="new")
    form(cora, "/curator/people", what="rotate", name="ann")
    form(cora, "/curator/people", what="revoke", name="new", confirmed="new")
    form(cora, "/curator/graphs/star", analyst="ann", epsilon_budget="5", max_epsilon_per_release="0.25")
    done = [(row["event"], row["person"]) for row in town.store.people_log() if "curator cora" in row["by"]]
    assert done == [("add", "new"), ("rotate", "ann"), ("revoke", "new")]
    grant = [row for row in town.store.log("star") if row["event"] == "grant"][-1]
    assert "curator cora" in grant["by"]
    assert grant["details"]["max_epsilon_per_release"] == "0.25"
    page = cora.get("/curator/people/log").text
    assert page.count("curator cora") == 3
    assert town.signed_in("carl").get("/curator/people/log").status_code == 200


def test_a_limit_is_removed_on_the_page(town: SimpleNamespace) -> None:
    cora = town.signed_in("cora")
    for more, left in (
        ({"max_epsilon_per_release": "0.25"}, 0.25), ({}, 0.25), ({"no_limit": "1"}, None),
    ):  # fmt: skip
        assert (
            form(cora, "/curator/graphs/star", analyst="ann", epsilon_budget="5", **more).status_code == 303
        )
        assert town.store.share("star", "ann")["max_epsilon_per_release"] == left


def test_a_revocation_asks_first_and_says_whose_it_is(town: SimpleNamespace) -> None:
    cora = town.signed_in("cora")
    for name, says in (("ann", "Revoke ann?"), ("cora", "your own token")):
        asked = form(cora, "/curator/people", what="revoke", name=name)
        assert asked.status_code == 303
        page = cora.get(asked.headers["location"])
        assert page.status_code == 200
        assert says in page.text
        assert form(cora, "/curator/people", what="revoke", name=name, confirmed="x").status_code == 303
        assert not any(row["revoked"] for row in town.store.analysts()), "nothing is done yet"
    assert "Nobody else has" not in cora.get("/curator/people/revoke?name=cora").text
    form(cora, "/curator/people", what="revoke", name="carl", confirmed="carl")
    assert "Nobody else has" in cora.get("/curator/people/revoke?name=cora").text
    assert cora.get("/curator/people/revoke?name=nobody").status_code == 404
    form(cora, "/curator/people", what="revoke", name="cora", confirmed="cora")
    assert cora.get("/curator").headers["location"] == "/sign-in"


def test_a_curator_asks_whose_token_it_is(town: SimpleNamespace) -> None:
    assert town.gateway("cora").get("/v1/me").json() == {"name": "cora", "role": "curator"}
    assert town.gateway("ann").get("/v1/me").json() == {"name": "ann", "role": "analyst"}
    for place in ("/v1/graphs", "/v1/releases", "/v1/graphs/star/budget"):
        assert town.gateway("cora").get(place).status_code == 403


# -- two gateways on one store --------------------------------------------------------------------


def test_a_session_is_known_to_every_gateway_on_the_store(town: SimpleNamespace) -> None:
    one, other = town.signed_in("cora"), town.gateway()
    other._client.cookies = one._client.cookies
    assert other.get("/curator").status_code == 200
    place = form(one, "/curator/people", what="rotate", name="ann").headers["location"]
    assert "edgedp_a_" in other.get(place).text, "what one keeps the other shows"
    assert one.get(place).status_code == 303, "and only once"
    form(other, "/sign-out")
    one._client.cookies.set("__Host-edgedp", "x")  # a copy of the cookie is worth nothing either
    assert one.get("/curator").headers["location"] == "/sign-in"


def test_signing_out_at_one_ends_the_session_at_the_other(town: SimpleNamespace) -> None:
    one, other = town.signed_in("ann"), town.gateway()
    cookie = dict(one._client.cookies)
    place = "/sign-out"
    one.post(place, data={"csrf": csrf(one.get("/graphs").text)})
    other._client.cookies.update(cookie)
    assert other.get("/graphs").headers["location"] == "/sign-in"


def test_limits_are_divided(town: SimpleNamespace) -> None:
    gateways = [town.gateway("ann", requests_per_minute=20, gateways=2) for _ in range(2)]
    taken = [each.get("/v1/graphs").status_code for each in gateways for _ in range(25)]
    assert taken.count(429) >= 50 - 20 - 3
    assert taken.count(200) >= 20


def test_no_gateway_shows_an_answer_before_the_one_that_draws_it(
    town: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polling at another gateway told when a draw ended."""
    from edgedp.faces.gateway import context

    over = threading.Event()

    async def held(started: float, step: float) -> int:
        await asyncio.to_thread(over.wait, 100)
        return 1

    monkeypatch.setattr(context, "hold", held)
    one, other = town.gateway("ann"), town.gateway("ann")
    answers: list[httpx.Response] = []
    asking = threading.Thread(
        target=lambda: answers.append(one.post(PLACE, json=TOP, headers={"Idempotency-Key": "key"}))
    )
    asking.start()
    try:
        waiting = threading.Event()
        while not any(row["nodes"] for row in town.store.releases("star")):
            waiting.wait(0.01)
        (row,) = other.get("/v1/releases").json()["releases"]
        assert row["nodes"] is None
        assert other.get(f"/v1/releases/{row['release_id']}").json()["nodes"] is None
        assert other.get("/v1/graphs/star/releases").json()["releases"][0]["nodes"] is None
        ann = town.store.asking_as("ann")
        assert ann.release(row["release_id"])["nodes"], "whoever opened the store is told"
    finally:
        over.set()
        asking.join()
    assert answers[0].status_code == 201
    assert other.get(f"/v1/releases/{row['release_id']}").json()["nodes"] == answers[0].json()["nodes"]
    kept = other.post(PLACE, json=TOP, headers={"Idempotency-Key": "key"})
    assert kept.status_code == 200
    assert kept.json()["nodes"] == answers[0].json()["nodes"]


def test_a_key_is_being_drawn_at_every_gateway_until_its_answer_leaves(
    town: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = town.store.asking_as("ann")
    drawn = town.gateway("ann")._gateway.asking(SimpleNamespace(name="ann"))
    release = drawn.priv_top_k("star", metric="degree", k=1, epsilon="0.001", request_id="key")
    other = town.gateway("ann")
    answer = other.post(PLACE, json=TOP, headers={"Idempotency-Key": "key"})
    assert answer.status_code == 409
    assert answer.headers["retry-after"]
    drawn.land("star", release.receipt["release_id"])
    assert other.post(PLACE, json=TOP, headers={"Idempotency-Key": "key"}).status_code == 200
    assert ann.budget("star")["releases"] == 1


class Turns:
    """A proxy that gives every connection to the next of its gateways."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = itertools.cycle(ports)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._passing: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            peer, _ = self._listening.accept()
            if self._over:
                peer.close()
                return
            thread = threading.Thread(target=self._pass, args=(peer, next(self._ports)))
            self._passing.append(thread)
            thread.start()

    _over = False

    @staticmethod
    def _pass(peer: socket.socket, port: int) -> None:
        with peer, socket.create_connection(("127.0.0.1", port)) as there:
            other = {peer: there, there: peer}
            while True:
                for ready in select.select([peer, there], [], [])[0]:
                    if not (part := ready.recv(65536)):
                        return  # callers here close after their answer
                    other[ready].sendall(part)

    def close(self) -> None:
        self._over = True
        socket.create_connection(("127.0.0.1", self.port)).close()
        for each in (self._thread, *self._passing):
            each.join()
        self._listening.close()


def test_two_gateways_behind_a_proxy_that_takes_turns(town: SimpleNamespace, tmp_path: Path) -> None:
    """Signed in at one and served by both; thirty keys asked of both at once are thirty debits."""
    with serve(town.place, tmp_path) as one, serve(town.place, tmp_path) as other:
        proxy = Turns([one.port, other.port])
        try:
            address = f"http://127.0.0.1:{proxy.port}"
            closing = {"Connection": "close"}
            with httpx.Client(base_url=address, headers=closing, timeout=120, verify=False) as browser:  # noqa: S501
                assert browser.post("/sign-in", data={"token": town.tokens["cora"]}).status_code == 303
                for _ in range(6):
                    assert browser.get("/curator").status_code == 200
                own = csrf(browser.get("/curator/people").text)
                made = browser.post("/curator/people", data={"csrf": own, "what": "rotate", "name": "ann"})
                token = re.search(r"edgedp_a_[\w-]{43}", browser.get(made.headers["location"]).text)[0]  # type: ignore[index]
            answers: dict[str, set[str]] = {}
            asked = closing | {"Authorization": f"Bearer {token}"}

            def ask(key: str) -> None:
                with httpx.Client(base_url=address, headers=asked, timeout=120, verify=False) as client:  # noqa: S501
                    for _ in range(200):
                        answer = client.post(PLACE, json=TOP, headers={"Idempotency-Key": key})
                        if answer.status_code in (200, 201):
                            answers.setdefault(key, set()).add(json.dumps(answer.json()["nodes"]))
                            return
                        assert answer.status_code in (409, 503), answer.text
                        threading.Event().wait(0.05)

            threads = [threading.Thread(target=ask, args=(f"key {at % 15}",)) for at in range(30)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            assert len(answers) == 15
            assert all(len(each) == 1 for each in answers.values())
            assert town.store.budget("star")["releases"] == 15
            seen = [sum('"route": "/curator"' in line for line in served.said) for served in (one, other)]
            assert all(seen), "both served the pages"
        finally:
            proxy.close()


# -- the curator's endpoints ----------------------------------------------------------------------


def test_a_curator_manages_people_and_shares_by_the_api_and_the_ledger_names_the_curator(
    town: SimpleNamespace,
) -> None:
    cora = town.gateway("cora")
    made = cora.post("/v1/people", json={"name": "new"})
    assert (made.status_code, made.json()["role"]) == (201, "analyst")
    assert town.store.identify(made.json()["token"]).name == "new"
    assert made.headers["cache-control"] == "no-store"
    share = {"graph": "star", "analyst": "new", "epsilon_budget": "2", "max_epsilon_per_release": "0.5"}
    granted = cora.post("/v1/grants", json=share)
    assert granted.status_code == 201
    assert granted.json()["epsilon_remaining"] == 2.0
    assert {row["analyst"] for row in cora.get("/v1/grants").json()["grants"]} == {"ann", "new"}
    assert cora.get("/v1/grants?graph=star").json() == cora.get("/v1/grants").json()
    rotated = cora.post("/v1/people/new/rotate").json()
    assert town.store.identify(made.json()["token"]) is None
    assert town.store.identify(rotated["token"]).name == "new"
    assert cora.post("/v1/people/new/revoke").json() == {"name": "new", "revoked": True}
    assert town.store.identify(rotated["token"]) is None
    second = cora.post("/v1/people", json={"name": "second", "role": "curator"}).json()
    assert town.store.identify(second["token"]).role == "curator"
    events = cora.get("/v1/people/log").json()["events"]
    assert [row["event"] for row in events[-4:]] == ["add", "rotate", "revoke", "add"]
    assert all("curator cora" in row["by"] for row in events[-4:])
    log = cora.get("/v1/graphs/star/log").json()["events"]
    assert log == json.loads(json.dumps(town.store.log("star")))
    assert "curator cora" in log[-1]["by"]
    assert "token" not in json.dumps([events, log]).replace("token_sha256", "")


def test_events_are_read_page_by_page(town: SimpleNamespace) -> None:
    cora = town.gateway("cora")
    for place, whole in (
        ("/v1/graphs/star/log", town.store.log("star")),
        ("/v1/people/log", town.store.people_log()),
    ):
        seen: list[Any] = []
        page: dict[str, Any] = {"next": 0}
        while page["next"] is not None:
            page = cora.get(f"{place}?limit=1&since={page['next']}").json()
            seen += page["events"]
        assert [row["seq"] for row in seen] == [row["seq"] for row in whole]
    for query in (
        "since=x",
        "since=-1",
        "limit=0",
        "limit=1&limit=2",
        "limit=000000001x",
        "since=0000000000000000001x",
        "account=other",
        "account=edges&account=attributes",
    ):
        assert cora.get(f"/v1/graphs/star/log?{query}").status_code == 422, query
    assert cora.get("/v1/graphs/nothing/log").status_code == 404
    assert cora.get("/v1/grants?graph=nothing").status_code == 404


def test_a_query_that_nobody_reads_is_refused_at_every_address(town: SimpleNamespace) -> None:
    cora, before = town.gateway("cora"), (town.store.people_log(), town.store.log("star"))
    for path, methods in document()["paths"].items():  # type: ignore[attr-defined]
        for method in methods.keys() & {"get", "post"}:
            place = path.replace("{name}", "star")
            for query in ("limt=1", "acount=attributes&epsilon=1"):
                said = cora.request(method, f"{place}?{query}")
                assert said.status_code == 422, (method, path)
                assert "leave out the rest, and give options in the body" in said.json()["detail"]
    assert "only limit, since, account" in cora.get("/v1/graphs/star/log?acount=edges").json()["detail"]
    assert "takes no query" in cora.post("/v1/people/ann/revoke?token=laptop").json()["detail"]
    assert (town.store.people_log(), town.store.log("star")) == before


def test_a_body_that_nobody_reads_is_refused(town: SimpleNamespace) -> None:
    """It may name one token, and would end all of them for good."""
    cora, before = town.gateway("cora"), town.store.people_log()
    for place in ("/v1/people/ann/revoke", "/v1/people/ann/tokens/first/revoke"):
        assert cora.post(place, json={"token": "laptop"}).status_code == 422
        assert cora.post(place, content=b"laptop").status_code == 415
    assert town.store.people_log() == before
    assert cora.post("/v1/people/ann/revoke", json={}).status_code == 200


CURATORS = [
    ("GET", "/v1/people", None),
    ("GET", "/v1/people/log", None),
    ("GET", "/v1/grants", None),
    ("GET", "/v1/graphs/star/log", None),
    ("POST", "/v1/people", {"name": "mallory", "role": "curator"}),
    ("POST", "/v1/people/cora/rotate", None),
    ("POST", "/v1/people/cora/revoke", None),
    ("POST", "/v1/grants", {"graph": "star", "analyst": "ann", "epsilon_budget": "900"}),
]


@pytest.mark.parametrize("who", ["ann", None])
def test_nobody_but_a_curator_gets_anything_of_these(town: SimpleNamespace, who: str | None) -> None:
    before = town.store.people_log(), town.store.log("star")
    client = town.gateway(who)
    for method, place, body in CURATORS:
        answer = client.get(place) if method == "GET" else client.post(place, json=body)
        assert answer.status_code == (401 if who is None else 403), place
        assert "cora" not in answer.text, place
        assert (town.store.people_log(), town.store.log("star")) == before, place


IN_VAIN: list[tuple[str, dict[str, Any] | None, int]] = [
    ("/v1/people", {}, 422),
    ("/v1/people", {"name": "ann"}, 409),
    ("/v1/people", {"name": "a\nb"}, 422),
    ("/v1/people", {"name": "x", "role": "king"}, 422),
    ("/v1/people", {"name": "x", "token": "mine"}, 422),
    ("/v1/people", {"name": ["x"]}, 422),
    ("/v1/people/nobody/rotate", None, 422),
    ("/v1/people/nobody/revoke", None, 422),
    ("/v1/grants", {"graph": "star", "analyst": "ann"}, 422),
    ("/v1/grants", {"graph": "star", "analyst": "nobody", "epsilon_budget": 1}, 422),
    ("/v1/grants", {"graph": "nothing", "analyst": "ann", "epsilon_budget": 1}, 422),
    ("/v1/grants", {"graph": ["star"], "analyst": "ann", "epsilon_budget": 1}, 422),
    ("/v1/grants", {"graph": "star", "analyst": {"x": 1}, "epsilon_budget": 1}, 422),
    ("/v1/grants", {"graph": "star", "analyst": "ann", "epsilon_budget": "1_0"}, 422),
    ("/v1/grants", {"graph": "star", "analyst": "ann", "epsilon_budget": True}, 422),
    ("/v1/grants", {"graph": "star", "analyst": "ann", "epsilon_budget": 1, "account": "all"}, 422),
]


def test_what_a_curator_asks_for_in_vain_changes_nothing(town: SimpleNamespace) -> None:
    before = town.store.people_log(), town.store.log("star"), town.store.grants("star")
    client = town.gateway("cora")
    for place, body, status in IN_VAIN:
        answer = client.post(place, json=body)
        assert answer.status_code == status, (place, body, answer.text)
        assert answer.json()["detail"], (place, body)
        assert (town.store.people_log(), town.store.log("star"), town.store.grants("star")) == before, body


def test_ready_means_that_the_store_answers(town: SimpleNamespace) -> None:
    client = town.gateway()
    assert client.get("/readyz").json() == {"status": "ready"}
    (town.place / "ledger.sqlite").rename(town.place / "gone")
    slow = town.gateway(requests_per_minute=2)
    assert 429 in {slow.get("/readyz").status_code for _ in range(4)}, (
        "nobody keeps the store busy without a token"
    )
    away = client.get("/readyz")
    assert away.status_code in (500, 503)
    assert str(town.place) not in away.text
    assert client.get("/healthz").status_code == 200


def test_a_batch_is_planned_over_the_door_and_counts_the_share(town: SimpleNamespace) -> None:
    ann = town.gateway("ann")
    town.store.grant("star", "ann", epsilon_budget="0.5")
    asked = {"kind": "topk", "metric": "degree", "k": 1, "epsilon": "0.3"}
    before = town.store.log("star")
    told = ann.post("/v1/graphs/star/plan", json={"releases": [asked, asked | {"request_id": "q"}]})
    assert told.status_code == 200, told.text
    assert [each["refused"] is None for each in told.json()["releases"]] == [True, False]
    assert told.json()["accounts"][0]["epsilon"] == 0.3
    assert town.store.log("star") == before
    for body, status in (
        ({}, 422), ({"releases": []}, 422), ({"releases": [3]}, 422), ({"releases": [asked], "x": 1}, 422),
        ({"releases": [asked | {"graph": "other"}]}, 422), ({"releases": [asked | {"engine": "spark"}]}, 422),
        ({"releases": [asked] * 101}, 422), ({"releases": [asked | {"kind": "exact"}]}, 422),
    ):  # fmt: skip
        assert ann.post("/v1/graphs/star/plan", json=body).status_code == status, body
    assert ann.post("/v1/graphs/nothing/plan", json={"releases": [asked]}).status_code == 404
    assert town.gateway().post("/v1/graphs/star/plan", json={"releases": [asked]}).status_code == 401
    assert town.gateway("cora").post("/v1/graphs/star/plan", json={"releases": [asked]}).status_code == 403


def test_a_curator_sees_the_card_of_a_graph_and_an_analyst_does_not(town: SimpleNamespace) -> None:
    town.store.asking_as("ann").count("star", "degree", "0.5", node=7)
    curator = town.signed_in("cora")
    page = curator.get("/curator/graphs/star/card")
    assert page.status_code == 200
    for words in ("What is promised", "Hazards", "yours to handle", "everything between two nodes"):
        assert words in page.text
    assert "/curator/graphs/star/card" in curator.get("/curator/graphs/star").text
    assert town.signed_in("ann").get("/curator/graphs/star/card").status_code in (303, 403)
    assert curator.get("/curator/graphs/nobody/card").status_code == 404
