"""Who comes in: tokens that expire, by their names; who sees which graph; who asks for more; sign-ins by a provider."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import numpy as np
import pytest
from click.testing import CliRunner
from joserfc.jwk import OctKey, RSAKey
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from browser import PATIENCE
from edgedp import AccessError, Graph, ParameterError, StoreStateError, UnknownNameError, open_store
from edgedp.faces.cli import edgedp as main
from edgedp.faces.gateway.door.settings import Settings
from edgedp.stores.people.identities import sign_in_key
from edgedp.stores.people.people import Person
from gateway_server import serve
from identity_provider import CLIENT, SECRET, IdentityProvider

STAR = Graph.from_edges([(0, leaf) for leaf in range(1, 20)])
TOP = {"metric": "degree", "k": 1, "epsilon": "0.1"}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A gateway in a process of its own, on a store of two graphs, with a provider of sign-ins."""
    folder = tmp_path_factory.mktemp("door")
    place = folder / "g.edgedp"
    store = open_store(place)
    store.load(STAR, "star", epsilon_budget=100)
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 30)]), "hidden", epsilon_budget=100)
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann", "bob")}
    tokens["cora"] = store.add_curator("cora")["token"]
    store.grant("star", "ann", epsilon_budget=2)
    store.grant("hidden", "bob", epsilon_budget=2)
    with IdentityProvider() as provider:
        asked = ("--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT)
        secret = {"EDGEDP_OIDC_CLIENT_SECRET": SECRET}
        with serve(place, folder, *asked, environment=secret) as gateway:
            provider.redirect = f"{gateway.address}/sign-in/back"
            yield SimpleNamespace(
                store=store, place=place, tokens=tokens, gateway=gateway, provider=provider, folder=folder
            )


def run(door: SimpleNamespace, *words: str, token: str | None = None) -> Any:
    """Run a command on the store, or with a token through the gateway."""
    place = str(door.place) if token is None else door.gateway.address
    environment = {} if token is None else {"EDGEDP_TOKEN": token}
    return CliRunner().invoke(main, ["--store", place, *words], env=environment)


def as_json(door: SimpleNamespace, *words: str, token: str | None = None) -> Any:
    shown = run(door, *words, "--format", "json", token=token)
    assert shown.exit_code == 0, shown.output
    return json.loads(shown.stdout)


def csrf(page: str) -> str:
    return page.partition('name="csrf" value="')[2].partition('"')[0]


@pytest.mark.parametrize(
    "token", [None, "", 7, b"edgedp_a_x", "edgedp a", "edgedp_a_x\n", "edgedp_a_\x7f", "é"]
)
def test_a_token_that_no_header_carries_is_refused_before_anything_is_sent(
    token: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDGEDP_TOKEN", raising=False)
    with pytest.raises(AccessError, match="the token is missing or malformed"):
        open_store("https://graphs.example.org", token=token)


# -- tokens ---------------------------------------------------------------------------------------


def test_a_token_is_good_until_it_expires_and_then_says_what_to_do(door: SimpleNamespace) -> None:
    until = (datetime.now(UTC) + timedelta(seconds=8)).isoformat(timespec="seconds")
    made = as_json(door, "analyst", "add", "eve", "--expires", until)
    assert made["expires"] == until
    with door.gateway.client(made["token"]) as eve:
        page = eve.post("/sign-in", data={"token": made["token"]})
        assert page.status_code == 303 or datetime.now(UTC).isoformat() > until
        while (answer := eve.get("/v1/me")).status_code == 200:
            time.sleep(0.5)
        assert answer.status_code == 401
        told = answer.json()["detail"]
        assert f"expired at {until}" in told
        assert "ask the curator for another" in told
        assert "invalid_token" in answer.headers["www-authenticate"]
        assert eve.get("/graphs").status_code == 303, "its browsers are signed out"
        assert f"expired at {until}" in eve.post("/sign-in", data={"token": made["token"]}).text
        for place in ("/v1/graphs", "/v1/releases", "/v1/more"):
            assert eve.get(place).status_code == 401
        assert eve.post("/v1/graphs/star/top-k", json=TOP).status_code == 401
    with (
        open_store(door.gateway.address, token=made["token"]) as remote,
        pytest.raises(AccessError, match="ask the curator for another"),
    ):
        remote.graphs()
    refused = run(door, "analyst", "rotate", "eve")
    assert refused.exit_code == 1
    assert "--expires" in refused.stderr
    again = as_json(door, "analyst", "rotate", "eve", "--expires", "90d")
    assert door.store.identify(again["token"]) == Person("eve", "analyst")
    assert made["token"] not in "".join(door.gateway.said)


def test_somebody_has_several_tokens_and_one_ends_by_its_name(door: SimpleNamespace) -> None:
    first = as_json(door, "analyst", "add", "fay")["token"]
    laptop = as_json(door, "analyst", "token", "add", "fay", "laptop", "--expires", "P3M")["token"]
    with door.gateway.client(door.tokens["cora"]) as cora:
        made = cora.post("/v1/people/fay/tokens", json={"token": "night job", "expires": "90d"})
        assert made.status_code == 201, made.text
        night = made.json()["token"]
        listed = cora.get("/v1/people/fay/tokens").json()["tokens"]
        assert [(row["token"], row["state"]) for row in listed] == [
            ("first", "valid"), ("laptop", "valid"), ("night job", "valid"),
        ]  # fmt: skip
        assert listed == as_json(door, "analyst", "token", "list", "fay")
        assert not any(secret in json.dumps(listed) for secret in (first, laptop, night))
        for token in (first, laptop, night):
            assert httpx.get(f"{door.gateway.address}/v1/me", headers=bearer(token)).json()["name"] == "fay"
        assert cora.post("/v1/people/fay/tokens", json={"token": "laptop"}).status_code == 409
        assert cora.post("/v1/people/nobody/tokens", json={"token": "x"}).status_code == 422
        ended = run(door, "analyst", "token", "revoke", "fay", "laptop")
        assert ended.exit_code == 0, ended.output
        assert [me(door, token) for token in (first, laptop, night)] == [200, 401, 200]
        assert cora.post("/v1/people/fay/tokens/night%20job/revoke").json() == {
            "name": "fay",
            "revoked": True,
        }
        assert [me(door, token) for token in (first, laptop, night)] == [200, 401, 401]
        assert cora.post("/v1/people/fay/tokens/night%20job/revoke").status_code == 422, "it ended"
        phone = door.store.add_token("fay", "phone")["token"]
        rotated = cora.post("/v1/people/fay/rotate").json()["token"]
        assert [me(door, token) for token in (first, phone, rotated)] == [401, 401, 200], "all of before end"
        assert cora.post("/v1/people/fay/revoke").status_code == 200
        assert me(door, rotated) == 401
    assert door.store.check() == []


def me(door: SimpleNamespace, token: str) -> int:
    return httpx.get(f"{door.gateway.address}/v1/me", headers=bearer(token)).status_code


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_tokens_are_made_and_ended_on_the_pages(door: SimpleNamespace) -> None:
    door.store.add_analyst("gus")
    with door.gateway.client(follow_redirects=True) as cora:
        cora.post("/sign-in", data={"token": door.tokens["cora"]})
        page = cora.get("/curator/people/tokens?name=gus").text
        given = {"csrf": csrf(page), "name": "gus"}
        shown = cora.post(
            "/curator/people/tokens", data=given | {"what": "add-token", "token": "lab", "expires": "30d"}
        ).text
        token = shown.partition('id="token" tabindex="0">')[2].partition("<")[0]
        assert door.store.identify(token) == Person("gus", "analyst")
        assert token not in cora.get("/curator/people/token").text
        refused = cora.post(
            "/curator/people/tokens",
            data=given | {"what": "add-token", "token": "x", "expires": "2001-01-01"},
        )
        assert refused.status_code == 422
        assert "must be after now" in refused.text
        cora.post("/curator/people/tokens", data=given | {"what": "revoke-token", "token": "lab"})
        assert door.store.identify(token) is None
        refused = cora.post("/curator/people/tokens", data={**given, "csrf": "x", "what": "revoke-token"})
        assert refused.status_code == 403


@pytest.mark.parametrize("when", ["yesterday", "2001-01-01", "P", "1y", "90", "", "2026-13-01", "-90d", 7])
def test_an_expiry_that_is_none_is_refused_and_nobody_is_added(door: SimpleNamespace, when: Any) -> None:
    with pytest.raises(ParameterError, match="expires is"):
        door.store.add_analyst("nobody", expires=when)
    with door.gateway.client(door.tokens["cora"]) as cora:
        assert cora.post("/v1/people", json={"name": "nobody", "expires": when}).status_code == 422
    assert "nobody" not in {row["name"] for row in door.store.analysts()}


# -- who sees which graph -------------------------------------------------------------------------


def asked_of(name: str) -> list[tuple[str, str, Any]]:
    """Return everything that can be asked of a graph by its name."""
    plan = {"releases": [TOP | {"kind": "topk"}]}
    return [
        ("GET", f"/v1/graphs/{name}", None),
        ("GET", f"/v1/graphs/{name}/budget", None),
        ("GET", f"/v1/graphs/{name}/attributes", None),
        ("GET", f"/v1/graphs/{name}/releases", None),
        ("POST", f"/v1/graphs/{name}/top-k", TOP),
        ("POST", f"/v1/graphs/{name}/top-k", TOP | {"metric": "no metric"}),
        ("POST", f"/v1/graphs/{name}/top-k/estimate", TOP),
        ("POST", f"/v1/graphs/{name}/percentile", {"property": "age", "q": 0.5, "epsilon": "0.1"}),
        ("POST", f"/v1/graphs/{name}/plan", plan),
        ("POST", f"/v1/graphs/{name}/more", {"epsilon": "1", "reason": "to see more"}),
        ("GET", f"/v1/graphs/{name}/log", None),
        ("GET", f"/v1/graphs/{name}/export", None),
        ("GET", f"/graphs/{name}", None),
        ("GET", f"/graphs/{name}/over-time", None),
    ]


def test_a_graph_without_a_share_is_answered_like_one_that_there_is_not(door: SimpleNamespace) -> None:
    with door.gateway.client(door.tokens["ann"]) as ann:
        ann.post("/sign-in", data={"token": door.tokens["ann"]})
        assert [row["name"] for row in ann.get("/v1/graphs").json()["graphs"]] == ["star"]
        for there, missing in zip(asked_of("hidden"), asked_of("hiddem"), strict=True):
            told = [
                ann.request(method, place, **({} if body is None else {"json": body}))
                for method, place, body in (there, missing)
            ]
            assert told[0].status_code == told[1].status_code, there
            assert told[0].status_code in (403, 404), there
            texts = [answer.text.replace("hiddem", "hidden") for answer in told]
            assert texts[0] == texts[1], there
            assert [sorted(answer.headers) for answer in told[:1]] == [sorted(told[1].headers)]
        assert ">hidden<" not in ann.get("/graphs").text
        assert ">star<" in ann.get("/graphs").text
    with (
        open_store(door.gateway.address, token=door.tokens["ann"]) as remote,
        pytest.raises(UnknownNameError),
    ):
        remote.budget("hidden")


def test_what_is_read_for_a_graph_without_a_share_is_what_is_read_for_none(
    door: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.stores.embedded.sqlite import Ledger

    real, said = Ledger.run, list[tuple[str, tuple[str, ...]]]()

    def noted(self: Ledger, statement: str, identifiers: Any = None, **given: Any) -> Any:
        said.append((statement, tuple(sorted(given))))
        return real(self, statement, identifiers, **given)

    store = open_store(door.place)
    ann = store.asking_as("ann")
    asked = {
        "budget": lambda name: ann.budget(name),
        "attributes": lambda name: ann.attributes(name),
        "domains": lambda name: ann.domains(name),
        "releases": lambda name: ann.releases(name),
        "estimate": lambda name: ann.estimate(name, **TOP),
        "plan": lambda name: ann.plan_batch([TOP | {"graph": name, "kind": "topk"}]),
        "release": lambda name: ann.priv_top_k(name, **TOP),
        "more": lambda name: ann.ask_more(name, 1, "why not"),
    }
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "run", noted)
        for what, ask in asked.items():
            seen = []
            for name in ("hidden", "hiddem"):
                said.clear()
                with pytest.raises(UnknownNameError):
                    ask(name)
                seen.append(list(said))
            assert seen[0] == seen[1], what
            assert seen[0], what


def test_a_share_of_nothing_is_the_right_to_see_and_no_more(door: SimpleNamespace) -> None:
    door.store.add_analyst("hal")
    hal = door.store.asking_as("hal")
    assert hal.graphs() == []
    door.store.grant("hidden", "hal", epsilon_budget=0)
    assert [row["name"] for row in hal.graphs()] == ["hidden"]
    assert "notice" not in hal.budget("hidden")
    with pytest.raises(Exception, match="left of the share"):
        hal.priv_top_k("hidden", **TOP)


def test_a_graph_that_was_dropped_is_no_way_to_the_names_of_others(tmp_path: Path) -> None:
    store = open_store(tmp_path / "g")
    for name, nodes in (("hidden", 3), ("hiddem", 4), ("other", 5)):
        store.load(Graph.from_edges([(0, leaf) for leaf in range(1, nodes)]), name, epsilon_budget=1)
    store.add_analyst("ann")
    ann = store.asking_as("ann")
    store.grant("hiddem", "ann", epsilon_budget=1, filters=True)
    store.drop("hiddem")
    asks: tuple[Callable[[], Any], ...] = (
        lambda: ann.priv_top_k("hiddem", **TOP),
        lambda: ann.estimate("hiddem", **TOP),
        lambda: ann.plan_batch([TOP | {"graph": "hiddem", "kind": "topk"}]),
        lambda: ann.attributes("hiddem"),
        lambda: ann.register("ann.own", of="hiddem"),
    )
    for suggested in ("", "other"):
        if suggested:
            store.grant(suggested, "ann", epsilon_budget=1)
        for ask in asks:
            with pytest.raises(UnknownNameError) as refused:
                ask()
            assert "hidden" not in str(refused.value)
            assert suggested in str(refused.value)


def test_a_curator_takes_a_share_away_over_http_and_on_the_page(door: SimpleNamespace) -> None:
    door.store.add_analyst("joy")
    joy = door.store.asking_as("joy")
    with door.gateway.client(door.tokens["cora"]) as cora, door.gateway.client(door.tokens["ann"]) as ann:
        door.store.grant("hidden", "joy", epsilon_budget=1)
        body = {"graph": "hidden", "analyst": "joy"}
        assert ann.post("/v1/grants/revoke", json=body).status_code == 403
        assert [row["name"] for row in joy.graphs()] == ["hidden"]
        assert cora.post("/v1/grants/revoke", json=body).json() == body | {"revoked": True}
        assert joy.graphs() == []
        assert cora.post("/v1/grants/revoke", json=body).status_code == 422, "there is none any more"

        door.store.grant("hidden", "joy", epsilon_budget=1)
        cora.post("/sign-in", data={"token": door.tokens["cora"]})
        form = {"analyst": "joy", "what": "revoke"}
        assert cora.post("/curator/graphs/hidden", data=form).status_code == 403, (
            "the form is not of the page"
        )
        assert [row["name"] for row in joy.graphs()] == ["hidden"]
        form["csrf"] = csrf(cora.get("/curator/graphs/hidden").text)
        assert cora.post("/curator/graphs/hidden", data=form).status_code == 303
    assert joy.graphs() == []
    last = door.store.log("hidden")[-1]
    assert (last["event"], last["by"].partition(" for ")[2]) == ("revoke", "curator cora")


# -- asking for more ------------------------------------------------------------------------------


def test_an_analyst_asks_for_more_and_the_curator_grants_it(door: SimpleNamespace) -> None:
    token = door.store.add_analyst("ida")["token"]
    door.store.grant("star", "ida", epsilon_budget=1)
    words = ("more", "ask", "star", "--epsilon", "0.5", "--reason", "the list <b>of June</b>")
    asked = as_json(door, *words, token=token)[0]
    assert (asked["state"], asked["epsilon"], asked["analyst"]) == ("open", 0.5, "ida")
    with (
        open_store(door.gateway.address, token=token) as remote,
        pytest.raises(StoreStateError, match="not answered yet"),
    ):
        remote.ask_more("star", 1, "again")
    with door.gateway.client(door.tokens["cora"]) as cora, door.gateway.client(door.tokens["bob"]) as bob:
        assert asked["id"] in [row["id"] for row in cora.get("/v1/more").json()["asked"]]
        assert asked["id"] not in bob.get("/v1/more").text, "it is ida's own"
        assert bob.post(f"/v1/more/{asked['id']}/grant").status_code == 403
        granted = cora.post(f"/v1/more/{asked['id']}/grant", json={"answer": "until March"})
        assert granted.status_code == 200, granted.text
        assert cora.post(f"/v1/more/{asked['id']}/grant").status_code == 409, "once"
        assert cora.post("/v1/more/none/decline", json={"answer": "no"}).status_code == 422
    assert door.store.share("star", "ida")["epsilon_budget"] == 1.5
    row = as_json(door, "more", "list", token=token)[0]
    assert (row["state"], row["answer"], row["reason"]) == (
        "granted",
        "until March",
        "the list <b>of June</b>",
    )
    assert [each["event"] for each in door.store.people_log()][-2:] == ["ask", "grant"]
    assert door.store.check() == []


def test_more_is_asked_for_and_declined_on_the_pages(door: SimpleNamespace) -> None:
    token = door.store.add_analyst("jan")["token"]
    door.store.grant("star", "jan", epsilon_budget=1)
    with (
        door.gateway.client(follow_redirects=True) as jan,
        door.gateway.client(follow_redirects=True) as cora,
    ):
        jan.post("/sign-in", data={"token": token})
        cora.post("/sign-in", data={"token": door.tokens["cora"]})
        form = {
            "csrf": csrf(jan.get("/graphs/star").text),
            "epsilon": "2",
            "reason": "<script>alert(1)</script>",
        }
        page = jan.post("/graphs/star/more", data=form)
        assert "open" in page.text
        assert "<script>alert" not in page.text
        seen = cora.get("/curator/more").text
        assert "jan: 2 more of star" in seen
        assert "<script>alert" not in seen
        (asked,) = door.store.asking_as("jan").asked_more()
        answer = {"csrf": csrf(seen), "id": asked["id"], "what": "decline"}
        assert cora.post("/curator/more", data=answer).status_code == 422, "why is missing"
        cora.post("/curator/more", data=answer | {"answer": "the rest is for the audit"})
        assert "the rest is for the audit" in jan.get("/more").text
    assert door.store.share("star", "jan")["epsilon_budget"] == 1


def test_a_graph_that_debits_the_account_of_another_is_asked_from_elsewhere(door: SimpleNamespace) -> None:
    graph = Graph.from_edges([(1, 2), (2, 3)], columns={"amount": [5, 50]})
    door.store.load(graph, "paid", epsilon_budget=2)
    token = door.store.add_analyst("lea")["token"]
    door.store.grant("paid", "lea", epsilon_budget=2, filters=True)
    with open_store(door.gateway.address, token=token) as remote:
        remote.register("lea.large", of="paid", where={"amount": {"gte": 10}})
        released = remote.priv_top_k("lea.large", "degree", 1, 1)
        assert len(released.nodes) == 1
        assert released.to_dict()["accounts"][0]["epsilon_spent"] == 1


def test_options_are_read_alike_by_a_release_an_estimate_and_a_batch(door: SimpleNamespace) -> None:
    """Each form that an option has in Python, over the door as at the store itself."""
    graph = Graph.from_edges([(1, 2), (2, 4)], columns={"amount": [5, 50]})
    door.store.load(graph, "forms", epsilon_budget=100)
    token = door.store.add_analyst("una")["token"]
    door.store.grant("forms", "una", epsilon_budget=100, filters=True)
    forms: tuple[dict[str, Any], ...] = (
        {}, {"where": None}, {"where": {}}, {"where": ["amount>=10"]}, {"where": {"amount": {"gte": 10}}},
        {"where": {"amount": {"in": [5, np.int64(50)]}}}, {"where": {"amount": {"gte": np.float32(7)}}},
        {"mechanism": None},
        {"epsilon": Decimal("0.5")}, {"k": np.int64(2)}, {"epsilon": np.float64(0.5)},
    )  # fmt: skip
    with open_store(door.gateway.address, token=token) as remote, door.store.asking_as("una") as una:
        for form in forms:
            asked = TOP | form
            told = remote.plan_batch([asked | {"graph": "forms", "kind": "topk"}])
            assert told == una.plan_batch([asked | {"graph": "forms", "kind": "topk"}]), form
            assert told["releases"][0]["refused"] is None, form
            said = remote.estimate("forms", **asked)
            assert told["releases"][0]["epsilon"] == said["epsilon"], form
            released = remote.priv_top_k("forms", **asked)
            for name, value in said["parameters"].items():
                assert released.to_dict()["parameters"][name] == value, (form, name)


def test_a_share_that_runs_low_says_so(door: SimpleNamespace) -> None:
    token = door.store.add_analyst("kim")["token"]
    door.store.grant("star", "kim", epsilon_budget=1)
    with open_store(door.gateway.address, token=token) as remote:
        remote.priv_top_k("star", "degree", 1, "0.8")
        assert "notice" not in remote.budget("star")
        remote.priv_top_k("star", "degree", 1, "0.1")
        assert remote.budget("star")["notice"].startswith("0.1 is left of your share of 'star', 1;")
        assert remote.graphs()[0]["notice"] == remote.budget("star")["notice"]
    shown = run(door, "budget", "star", token=token)
    assert "edgedp more ask star" in shown.stderr
    assert [" ".join(line.split()[:-1]) for line in shown.stdout.splitlines()[2:]] == [
        "your share of edges 1 0.9"
    ]
    with door.gateway.client(follow_redirects=True) as kim:
        kim.post("/sign-in", data={"token": token})
        assert "tenth or less" in kim.get("/graphs").text
        assert "tenth or less" in kim.get("/graphs/star").text


def test_what_is_answered_at_once_by_two_is_granted_once(door: SimpleNamespace) -> None:
    door.store.add_analyst("noor")
    door.store.grant("star", "noor", epsilon_budget=1)
    asked = door.store.asking_as("noor").ask_more("star", 1, "more")
    one, two = open_store(door.place), open_store(door.place)
    real = one._people
    tried: list[Any] = []

    def behind(session: Any) -> Any:
        found = real(session)
        if not tried:
            tried.append(two.answer_more(asked["id"], grant=True))
        return found

    one._people = behind  # type: ignore[method-assign]
    with pytest.raises(StoreStateError, match="granted already"):
        one.answer_more(asked["id"], grant=True)
    assert door.store.share("star", "noor")["epsilon_budget"] == 2


def test_a_curator_exports_a_log_that_verifies(door: SimpleNamespace) -> None:
    with door.gateway.client(door.tokens["cora"]) as cora:
        lines = cora.get("/v1/graphs/star/export").json()["lines"]
        assert cora.get("/v1/graphs/star/export", params={"account": "x"}).status_code == 422
        assert cora.get("/v1/graphs/none/export").status_code == 404
    (door.folder / "log.jsonl").write_text("\n".join(lines) + "\n")
    shown = CliRunner().invoke(main, ["ledger", "verify", str(door.folder / "log.jsonl")])
    assert shown.exit_code == 0, shown.output


# -- sign-ins by a provider -----------------------------------------------------------------------


def go(door: SimpleNamespace, browser: httpx.Client) -> str:
    """Let a browser go to the provider; return where it is sent back to."""
    begun = browser.get("/sign-in/go")
    assert begun.status_code == 303, begun.text
    return httpx.get(begun.headers["location"]).headers["location"]


@pytest.fixture
def browser(door: SimpleNamespace) -> Iterator[httpx.Client]:
    door.provider.lies, door.provider.signed_by = {}, None
    door.provider.user = "248289761001"
    with door.gateway.client() as made:
        yield made
    door.provider.lies, door.provider.signed_by = {}, None


def declared(door: SimpleNamespace, name: str, subject: str) -> None:
    if name not in {row["name"] for row in door.store.analysts()}:
        door.store.add_analyst(name)
        door.store.grant("star", name, epsilon_budget=1)
    if not any(row["subject"] == subject for row in door.store.identities()):
        shown = run(door, "analyst", "identity", "add", name, subject, "--issuer", door.provider.issuer)
        assert shown.exit_code == 0, shown.output


def test_the_person_whom_the_curator_declared_signs_in(door: SimpleNamespace, browser: httpx.Client) -> None:
    declared(door, "mia", "248289761001")
    back = go(door, browser)
    asked = door.provider.asked[-1]
    assert (asked["response_type"], asked["code_challenge_method"], asked["scope"]) == (
        "code",
        "S256",
        "openid",
    )
    page = browser.get(back)
    assert "Signed in as mia" in page.text
    cookies = page.headers.get_list("set-cookie")
    assert any(
        "edgedp-session" in each and "SameSite=strict" in each and "HttpOnly" in each for each in cookies
    )
    assert browser.get("/graphs").status_code == 200
    form = {
        "csrf": csrf(browser.get("/graphs/star").text),
        "epsilon": "1",
        "reason": "signed in by a provider",
    }
    assert browser.post("/graphs/star/more", data=form).status_code == 303
    log = "".join(door.gateway.said)
    query = parse_qs(urlsplit(back).query)
    assert not any(each in log for each in (SECRET, *query["code"], *query["state"], asked["nonce"]))
    run(door, "analyst", "identity", "remove", "248289761001", "--issuer", door.provider.issuer)
    assert browser.get("/graphs").status_code == 303, "browsers that are signed in by it are signed out"


def test_nobody_is_made_by_signing_in(door: SimpleNamespace, browser: httpx.Client) -> None:
    door.provider.user = "a stranger"
    people = door.store.analysts()
    page = browser.get(go(door, browser))
    assert page.status_code == 403
    assert "nobody here is" in page.text
    assert "a stranger" in page.text
    assert "edgedp-session" not in str(page.headers)
    assert door.store.analysts() == people
    assert browser.get("/graphs").status_code == 303


LIES: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://elsewhere.example.org"},
    "another audience": {"aud": "another client"},
    "another audience that says it is for us": {"aud": "another client", "azp": CLIENT},
    "several audiences, and for another": {"aud": [CLIENT, "another"], "azp": "another"},
    "several audiences, for nobody": {"aud": [CLIENT, "another"]},
    "over": {"exp": 1, "iat": 1},
    "no expiry": {"exp": None},
    "another nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "a subject that is no text": {"sub": 248289761001},
    "made in the future": {"iat": 2**33},
    "of another access token": {"at_hash": "x"},
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    door: SimpleNamespace, browser: httpx.Client, lie: str
) -> None:
    declared(door, "ned", "248289761002")
    door.provider.user, door.provider.lies = "248289761002", LIES[lie]
    page = browser.get(go(door, browser))
    assert page.status_code == 403
    assert "the sign-in failed" in page.text
    assert browser.get("/graphs").status_code == 303


@pytest.mark.parametrize("key", ["another key", "the client's secret"])
def test_a_token_that_the_provider_did_not_sign_is_refused(
    door: SimpleNamespace, browser: httpx.Client, key: str
) -> None:
    declared(door, "ned", "248289761002")
    door.provider.user = "248289761002"
    door.provider.signed_by = (
        RSAKey.generate_key(2048) if key == "another key" else OctKey.import_key(SECRET.encode())
    )
    page = browser.get(go(door, browser))
    assert page.status_code == 403
    assert browser.get("/graphs").status_code == 303


def test_a_sign_in_is_ended_only_by_the_browser_that_began_it_and_once(
    door: SimpleNamespace, browser: httpx.Client
) -> None:
    declared(door, "ned", "248289761002")
    door.provider.user = "248289761002"
    back = go(door, browser)
    with door.gateway.client() as other:
        assert other.get(back).status_code == 403, "no cookie"
        go(door, other)
        assert other.get(back).status_code == 403, "another sign-in's state"
        assert other.get("/graphs").status_code == 303
    without = back.partition("state=")[0] + "state=" + "0" * 64
    assert browser.get(without).status_code == 403
    assert browser.get(back.replace("code=", "code=x")).status_code == 403
    assert browser.get(back + "&code=again").status_code == 403, "a code that stands twice is none"
    assert browser.get(back + "&iss=https%3A%2F%2Felsewhere.example.org").status_code == 403
    assert browser.get(back).status_code == 200
    assert browser.get(back).status_code == 403, "its cookie is gone"


def test_another_gateway_on_the_store_ends_a_sign_in(door: SimpleNamespace, browser: httpx.Client) -> None:
    declared(door, "ned", "248289761002")
    door.provider.user = "248289761002"
    back = urlsplit(go(door, browser))
    asked = ("--oidc-issuer", door.provider.issuer, "--oidc-client-id", CLIENT)
    secret = door.folder / "client-secret"
    secret.write_text(SECRET + "\n")
    with serve(door.place, door.folder, *asked, "--oidc-secret-file", str(secret)) as second:
        provider, before = door.provider, door.provider.redirect
        try:
            with second.client(cookies=dict(browser.cookies)) as moved:
                # Behind a proxy both have one address; here the second has its own, which the code is not for.
                assert moved.get(f"{back.path}?{back.query}").status_code == 403
                provider.redirect = f"{second.address}/sign-in/back"
                assert moved.get(go(door, moved)).status_code == 200
                assert moved.get("/graphs").status_code == 200
                with door.gateway.client(cookies=dict(moved.cookies)) as first:
                    assert first.get("/graphs").status_code == 200, "and is signed in at both"
        finally:
            provider.redirect = before


def test_a_revoked_person_is_signed_out_and_signs_in_no_more(
    door: SimpleNamespace, browser: httpx.Client
) -> None:
    declared(door, "oda", "248289761003")
    door.provider.user = "248289761003"
    assert browser.get(go(door, browser)).status_code == 200
    door.store.revoke_analyst("oda")
    assert browser.get("/graphs").status_code == 303
    assert browser.get(go(door, browser)).status_code == 403


def test_what_a_session_keeps_of_a_sign_in_is_no_token(door: SimpleNamespace) -> None:
    declared(door, "ned", "248289761002")
    key = sign_in_key(door.provider.issuer, "248289761002")
    assert door.store._holder(key) == Person("ned", "analyst")
    for token in (key, key.removeprefix("oidc:"), json.dumps([door.provider.issuer, "248289761002"])):
        assert door.store.identify(token) is None
        assert me(door, token) == 401


def test_a_sign_in_ends_however_it_is_used(door: SimpleNamespace) -> None:
    from edgedp.stores.people.sessions import Sessions

    declared(door, "ned", "248289761002")
    now = [time.time_ns() // 1000]
    sessions = Sessions(open_store(door.place), 3600, lambda: now[0])
    cookie = sessions.open_signed_in(door.provider.issuer, "248289761002")
    for _ in range(3):
        assert sessions.find(cookie) is not None
        now[0] += 1_100_000_000
    now[0] += 400_000_000
    assert sessions.find(cookie) is None


def test_a_browser_that_comes_back_from_another_site_is_signed_in(
    chromium: WebDriver, tmp_path: Path
) -> None:
    """The provider is at another name of this machine: a redirect from there does not carry a Strict cookie."""
    store = open_store(tmp_path / "g.edgedp")
    store.load(STAR, "star", epsilon_budget=1)
    store.add_analyst("ann")
    store.grant("star", "ann", epsilon_budget=1)
    with IdentityProvider("localhost") as provider:
        store.add_identity("ann", provider.issuer, provider.user)
        asked = ("--oidc-issuer", provider.issuer, "--oidc-client-id", CLIENT)
        with serve(
            tmp_path / "g.edgedp", tmp_path, *asked, environment={"EDGEDP_OIDC_CLIENT_SECRET": SECRET}
        ) as gateway:
            provider.redirect = f"{gateway.address}/sign-in/back"
            chromium.get(f"{gateway.address}/sign-in")
            chromium.find_element(By.PARTIAL_LINK_TEXT, "Sign in at localhost").click()
            WebDriverWait(chromium, PATIENCE).until(lambda driver: driver.current_url.endswith("/graphs"))
            assert "1 of 1 left" in chromium.find_element(By.TAG_NAME, "body").text
            chromium.get("about:blank")


def test_a_provider_that_is_not_who_it_says_is_none(tmp_path: Path) -> None:
    from edgedp.faces.gateway.door.problems import Problem
    from edgedp.faces.gateway.door.provider import Flow, Provider

    with IdentityProvider() as liar:
        settings = Settings(oidc_issuer=liar.issuer, oidc_client_id=CLIENT).checked()
        for told in (
            {"issuer": liar.issuer + "/"},
            {"token_endpoint": "ftp://127.0.0.1/"},
            {"jwks_uri": None},
            {"authorization_endpoint": "https://[id"},
        ):
            liar.told = told
            with pytest.raises(Problem) as caught:
                Provider(settings).begin(Flow.begin("secret"), "http://127.0.0.1/sign-in/back")
            assert caught.value.status == 503
    with pytest.raises(Problem) as caught:
        Provider(settings).begin(Flow.begin("secret"), "http://127.0.0.1/sign-in/back")
    assert caught.value.status == 503, "and one that is away neither"


def test_a_code_and_a_secret_go_in_the_clear_to_this_machine_only() -> None:
    from edgedp.faces.gateway.door.problems import Problem
    from edgedp.faces.gateway.door.provider import _check_safe

    for issuer in ("https://id.example.org", "http://127.0.0.1:1"):
        _check_safe("https://id.example.org/token", issuer)
    _check_safe("http://127.0.0.1:1/token", "http://127.0.0.1:1")
    with pytest.raises(Problem):
        _check_safe("http://id.example.org/token", "https://id.example.org")


def test_a_sign_in_ends_the_session_that_the_browser_had(
    door: SimpleNamespace, browser: httpx.Client
) -> None:
    declared(door, "ned", "248289761002")
    door.provider.user = "248289761002"
    browser.get(go(door, browser))
    (name,) = (each for each in browser.cookies if "session" in each)
    before = browser.cookies[name]
    browser.get(go(door, browser))
    assert browser.cookies[name] != before
    assert browser.get("/graphs").status_code == 200
    with door.gateway.client(cookies={name: before}) as left:
        assert left.get("/graphs").status_code == 303


def test_all_of_a_sign_in_follows_from_the_secret_of_the_store() -> None:
    from edgedp.faces.gateway.door.provider import Flow

    cookie = Flow.begin("secret").cookie
    said = [
        getattr(Flow(*held), what)
        for held in ((cookie, "secret"), (cookie, "another"), (cookie + "0", "secret"))
        for what in ("state", "nonce", "verifier")
    ]
    assert len(set(said)) == 9


def test_a_sign_in_ends_in_time_whatever_the_clock_said_when_it_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from edgedp.faces.gateway.door.provider import Flow

    flow, now = Flow.begin("secret"), time.time()
    for shift, fits in ((-60, True), (0, True), (590, True), (601, False), (-120, False), (-(10**6), False)):
        monkeypatch.setattr(time, "time", lambda shift=shift: now + shift)
        assert flow.fits(flow.state) is fits, shift
    assert not Flow("", "secret").fits(Flow("", "secret").state)


def test_a_provider_may_change_its_keys_and_have_some_that_nobody_here_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from edgedp.faces.gateway.door import provider as of_providers
    from edgedp.faces.gateway.door.problems import Problem

    monkeypatch.setattr(of_providers, "_SELDOM", 0.0)
    unread = [{"kty": "EC", "crv": "of its own", "kid": "x", "x": "AA", "y": "AA"}, {"kty": "RSA"}, None, "x"]
    place = "http://127.0.0.1/sign-in/back"
    with IdentityProvider() as there:
        there.redirect, there.beside = place, unread
        here = of_providers.Provider(
            Settings(oidc_issuer=there.issuer, oidc_client_id=CLIENT, oidc_client_secret=SECRET).checked()
        )

        def signed_in() -> str:
            flow = of_providers.Flow.begin("secret")
            back = urlsplit(httpx.get(here.begin(flow, place)).headers["location"]).query
            return here.end(flow, place, {key: values[0] for key, values in parse_qs(back).items()})

        assert signed_in() == there.user
        before = there.key
        for kid in ("two", "two"):
            there.key = RSAKey.generate_key(2048, {"kid": kid})
            assert signed_in() == there.user
        there.signed_by = before
        with pytest.raises(Problem) as caught:
            signed_in()
        assert caught.value.status == 403, "a key that is not published any more signs nobody in"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"oidc_issuer": "http://id.example.org", "oidc_client_id": "x"}, "must be an https:// address"),
        ({"oidc_issuer": "https://id.example.org?x=1", "oidc_client_id": "x"}, "must be an https:// address"),
        ({"oidc_issuer": "https://id.example.org"}, "oidc_client_id is missing"),
        ({"oidc_client_id": "x"}, "oidc_issuer is missing"),
        (
            {"oidc_issuer": "https://id.example.org", "oidc_client_id": "x", "behind_proxy": True},
            "allowed_host is missing",
        ),
    ],
)
def test_a_provider_that_is_named_in_part_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        Settings(**given).checked()
    assert SECRET not in repr(Settings(oidc_client_secret=SECRET))
