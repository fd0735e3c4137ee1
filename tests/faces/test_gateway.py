"""The API of a gateway, as a process of its own answers it."""

from __future__ import annotations

import inspect
import io
import json
import re
import shlex
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx
import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
from behind import declare_bound
from edgedp import EdgeDPError, Graph, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.gateway.api.schema import document
from edgedp.faces.gateway.door.settings import Settings
from edgedp.faces.gateway.kinds import release_kinds
from edgedp.release.plan.named import TypedId
from edgedp.stores.people.asker import Asker
from edgedp.stores.remote import RemoteStore
from edgedp.words.refusals import BOUND_BROKEN
from gateway_server import Served, serve
from neo4jserver import Server
from neo4jserver.fixtures import KEYED

ODD = "a/../b 'c\" ∑}) RETURN 1 //"
"""A name of a graph that a careless server would take for something else."""

DEGREES = (1231, 1487, 1753, 2273)
"""Of the planted hubs: numbers that nothing public has."""


def planted() -> Graph:
    """Return hubs with leaves of their own: each degree, and each EBC, is a number that is found again."""
    edges, leaf = [], 0
    for hub, degree in enumerate(DEGREES):
        for _ in range(degree):
            edges.append((f"hub{hub}", f"leaf{leaf:05}"))
            leaf += 1
    edges += [(f"hub{one}", f"hub{one + 1}") for one in range(len(DEGREES) - 1)]
    return Graph.from_edges(np.array(edges))


def private_numbers(graph: Graph) -> set[str]:
    """Return every degree and EBC of the planted graph that is no small number."""
    degrees, ebc = edgedp.exact.degree(graph), edgedp.exact.ebc(graph)
    found = {f"{value:.12g}" for value in [*degrees, *ebc, float(graph.edge_count)] if value > 1000}
    assert len(found) >= 8
    return found


NOISY = ("value", "values", "summary", "degree_intervals")
"""Fields of an answer that hold noisy numbers, or intervals around them."""


def but_released_numbers(text: str) -> str:
    """Return an answer without the numbers that a mechanism released: one of them may be the exact one by chance."""

    def without(kept: dict[str, Any]) -> dict[str, Any]:
        return {name: kept[name] for name in kept if name not in NOISY}

    try:
        return json.dumps(json.loads(text, object_hook=without))
    except ValueError:
        return text


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A store with a planted graph and an odd one, two analysts, a curator, and its gateway."""
    folder = tmp_path_factory.mktemp("gateway")
    place = folder / "graphs.edgedp"
    store = open_store(place)
    graph = planted()
    store.load(graph, "planted", epsilon_budget=500, degree_bound=6000)
    with pytest.MonkeyPatch.context() as before:  # earlier versions took such a name
        before.setattr("edgedp.mechanisms.checks.check_new_graph_name", lambda name: None)
        store.load(Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4)]), ODD, epsilon_budget=50)
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann", "bob", "eve")}
    tokens["cora"] = store.add_curator("cora")["token"]
    store.grant("planted", "ann", epsilon_budget=200)
    store.set_budget("planted", 50, attributes=True)
    store.attribute("planted", "age", 0, 120, points=121)
    store.grant("planted", "ann", epsilon_budget=20, account="attributes")
    store.grant(ODD, "ann", epsilon_budget=20)
    store.grant("planted", "bob", epsilon_budget=1, max_epsilon_per_release=0.5)
    with serve(place, folder, "--body-bytes", "4096", "--request-seconds", "20") as served:
        yield SimpleNamespace(
            store=store, place=place, folder=folder, graph=graph, tokens=tokens, served=served, left=[]
        )


@pytest.fixture
def ann(room: SimpleNamespace) -> Iterator[httpx.Client]:
    def keep(answer: httpx.Response) -> None:
        answer.read()
        headers = [each for each in answer.headers.items() if each[0] != "content-length"]
        room.left.append(str(headers) + but_released_numbers(answer.text))

    with room.served.client(room.tokens["ann"], event_hooks={"response": [keep]}) as client:
        yield client


def refused(answer: httpx.Response, status: int, *, retry: bool = False) -> dict[str, Any]:
    """Check a problem by its schema and return it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert ("retry-after" in answer.headers) == retry
    told: dict[str, Any] = answer.json()
    jsonschema.validate(told, document()["components"]["schemas"]["Problem"])  # type: ignore[index]
    assert told["status"] == status
    assert "\n" not in told["detail"]
    return told


TOP = {"metric": "degree", "k": 2, "epsilon": "0.01"}
PLACE = "/v1/graphs/planted/top-k"


def test_an_estimate_spends_nothing_and_knows_the_share(ann: httpx.Client, room: SimpleNamespace) -> None:
    before = ann.get("/v1/graphs/planted").json()
    told = ann.post(f"{PLACE}/estimate", json=TOP).json()
    assert (told["refused"], told["epsilon"], told["share"]["account"]) == (None, 0.01, "edges")
    assert ann.get("/v1/graphs/planted").json() == before
    with room.served.client(room.tokens["bob"]) as bob:
        assert (
            "must be at most"
            in bob.post(f"{PLACE}/estimate", json=TOP | {"epsilon": "0.7"}).json()["refused"]
        )
    with room.served.client(room.tokens["eve"]) as eve:
        refused(eve.post(f"{PLACE}/estimate", json=TOP), 404)
    refused(ann.post(f"{PLACE}/estimate", json=TOP | {"kind": "count"}), 422)
    refused(ann.post("/v1/graphs/nowhere/top-k/estimate", json=TOP), 404)
    with open_store(room.served.address, token=room.tokens["ann"]) as remote:
        assert remote.estimate("planted", metric="degree", k=2, epsilon="0.01") == told


# -- what is answered --------------------------------------------------------------------------


def test_a_release_is_debited_drawn_kept_and_shown(ann: httpx.Client, room: SimpleNamespace) -> None:
    before = ann.get("/v1/graphs/planted").json()
    answer = ann.post(PLACE, json=TOP, headers={"Idempotency-Key": "first"})
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    shown = answer.json()
    assert len(shown["nodes"]) == 2
    assert shown["share"]["epsilon_spent"] == pytest.approx(before["share"]["epsilon_spent"] + 0.01)
    again = ann.post(PLACE, json=TOP, headers={"Idempotency-Key": "first"})
    assert again.status_code == 200
    assert again.json()["release_id"] == shown["release_id"]
    assert again.json()["nodes"] == shown["nodes"]
    kept = ann.get(answer.headers["location"]).json()
    assert (kept["nodes"], kept["request_id"]) == (shown["nodes"], "first")
    assert kept in ann.get("/v1/releases").json()["releases"]
    assert kept in ann.get("/v1/graphs/planted/releases").json()["releases"]
    assert ann.get("/v1/graphs/planted/budget").json()["share"] == again.json()["share"]
    told = refused(ann.post(PLACE, json=TOP | {"k": 1}, headers={"Idempotency-Key": "first"}), 409)
    assert "must be new" in told["detail"]
    logged = [json.loads(line) for line in room.served.said]
    (line,) = [line for line in logged if line.get("release_id") == shown["release_id"] and not line["kept"]]
    assert line["who"] == "ann"
    assert line["asked"] == TOP
    assert line["epsilon"] == 0.01


def test_the_api_is_what_its_description_says(ann: httpx.Client) -> None:
    from openapi_spec_validator import validate

    described = ann.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    validate(described)
    for kind in release_kinds():
        place = described["paths"][f"/v1/graphs/{{name}}/{kind.path}"]["post"]
        body = place["requestBody"]["content"]["application/json"]
        jsonschema.validate(body["example"], body["schema"])
        answer = ann.post(f"/v1/graphs/planted/{kind.path}", json=body["example"])
        assert answer.status_code == 201, answer.text
        _valid(described, "Release", answer.json())
    for place, schema in [
        ("/v1/graphs", "Graphs"), ("/v1/graphs/planted", "Graph"), ("/v1/graphs/planted/budget", "Budget"),
        ("/v1/releases", "Releases"), ("/v1/me", "Me"), ("/v1/graphs/planted/attributes", "Attributes"),
    ]:  # fmt: skip
        _valid(described, schema, ann.get(place).json())


def _valid(described: dict[str, Any], schema: str, value: Any) -> None:
    root = {"$ref": f"#/components/schemas/{schema}", "components": described["components"]}
    jsonschema.Draft202012Validator(root).validate(value)


def test_every_endpoint_is_described_and_stands_on_the_page(tmp_path: Path) -> None:
    from edgedp.faces.gateway.api.routes import routes
    from edgedp.faces.gateway.context import Gateway
    from edgedp.faces.gateway.door.observing import Log, Metrics

    gateway = Gateway(open_store(tmp_path / "graphs.edgedp"), Settings(), Log(io.StringIO()), Metrics())
    try:
        paths = {route.path for route in routes(gateway)}
    finally:
        gateway.close()
    described: Any = document()["paths"]
    assert paths == set(described)
    page = (Path(__file__).parents[2] / "docs" / "gateway.md").read_text(encoding="utf-8")
    kinds = {f"/v1/graphs/{{name}}/{kind.path}" for kind in release_kinds()}  # "one for each kind of release"
    lacking = [path for path in paths if path not in page and path.removesuffix("/estimate") not in kinds]
    assert lacking == []


def test_every_kind_of_release_has_an_endpoint() -> None:
    from edgedp.words.vocabulary import KINDS

    paths = document()["paths"]
    assert [kind.kind for kind in release_kinds()] == list(KINDS)
    for kind in release_kinds():
        assert f"/v1/graphs/{{name}}/{kind.path}" in paths  # type: ignore[operator]
        assert callable(getattr(Asker, kind.kind))


def test_nothing_exact_is_there(ann: httpx.Client) -> None:
    told = json.dumps({key: value for key, value in document().items() if key == "paths"})
    assert re.search(r"exact(?!ly)", told) is None
    for place in ("/v1/exact", "/v1/graphs/planted/exact", "/v1/graphs/planted/edges", "/exact"):
        assert ann.get(place).status_code == 404
        assert ann.post(place, json={"metric": "degree"}).status_code == 404


def test_a_share_and_its_limit_hold(room: SimpleNamespace) -> None:
    token = room.store.add_analyst("fay")["token"]
    room.store.grant("planted", "fay", epsilon_budget=1, max_epsilon_per_release=0.5)
    with room.served.client(token) as fay:
        told = refused(fay.post(PLACE, json=TOP | {"epsilon": "0.6"}), 403)
        assert "0.5" in told["detail"]
        for _ in range(2):
            assert fay.post(PLACE, json=TOP | {"epsilon": "0.5"}).status_code == 201
        refused(fay.post(PLACE, json=TOP), 403)
        assert fay.get("/v1/graphs/planted").json()["share"]["epsilon_remaining"] == 0
    with room.served.client(room.tokens["eve"]) as eve:
        told = refused(eve.post(PLACE, json=TOP), 404)
        assert "must be one that you have a share of" in told["detail"]


def test_a_revoked_token_is_worth_nothing_at_once(room: SimpleNamespace) -> None:
    token = room.store.add_analyst("gone")["token"]
    with room.served.client(token) as client:
        assert client.get("/v1/graphs").status_code == 200
        room.store.revoke_analyst("gone")
        refused(client.get("/v1/graphs"), 401)


def test_a_release_of_somebody_else_is_not_there(ann: httpx.Client, room: SimpleNamespace) -> None:
    release_id = ann.post(PLACE, json=TOP, headers={"Idempotency-Key": "theirs"}).json()["release_id"]
    with room.served.client(room.tokens["bob"]) as bob:
        other = refused(bob.get(f"/v1/releases/{release_id}"), 404)
        none = refused(bob.get(f"/v1/releases/{'0' * 32}"), 404)
        assert other["detail"].replace(release_id, "") == none["detail"].replace("0" * 32, "")
        assert (
            bob.post(PLACE, json=TOP, headers={"Idempotency-Key": "theirs"}).json().get("release_id")
            != release_id
        )


# -- what must be refused ----------------------------------------------------------------------


def test_no_token_a_wrong_one_and_another_role(room: SimpleNamespace) -> None:
    with room.served.client() as nobody:
        for given in (
            {}, {"Authorization": "Bearer"}, {"Authorization": "Bearer nonsense"},
            {"Authorization": f"Basic {room.tokens['ann']}"}, {"Authorization": f"Bearer {room.tokens['ann'][:-1]}"},
            {"Authorization": f"Bearer {'x' * 4000}"}, {"X-Forwarded-User": "ann"},
        ):  # fmt: skip
            answer = nobody.get("/v1/graphs", headers=given)
            refused(answer, 401)
            assert answer.headers["www-authenticate"].startswith("Bearer")
        twice = [("Authorization", f"Bearer {room.tokens['ann']}")] * 2
        refused(nobody.get("/v1/graphs", headers=twice), 401)
        assert nobody.get("/healthz").json() == {"status": "ok"}
    with room.served.client(room.tokens["cora"]) as curator:
        refused(curator.get("/v1/graphs"), 403)
        refused(curator.post(PLACE, json=TOP), 403)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b'{"k": 1, "k": 2}', 400), (b'{"epsilon": NaN}', 400), (b"\xff\xfe", 400),
        (b"[" * 3000, 400), (b"[]", 422), (b"3", 422), (b"{}", 422),
        (b'{"metric": "degree", "k": 2, "epsilon": 1, "rng": 7}', 422),
        (b'{"metric": "degree", "k": 2, "epsilon": 1, "degree_bound": 7}', 422),
        (b'{"metric": "degree", "k": 2, "epsilon": 1, "engine": "cypher"}', 422),
        (b'{"metric": ["degree"], "k": 2, "epsilon": 1}', 422), (b'{"metric": "degree", "k": "2", "epsilon": 1}', 422),
        (b'{"metric": "degree", "k": 2, "epsilon": -1}', 422),
        (b'{"metric": "degree", "k": 2, "epsilon": "1e999"}', 422),
        (b'{"metric": "degree", "k": 2, "epsilon": {"a": 1}}', 422),
        (b'{"metric": "degree", "k": 1.5, "epsilon": 1}', 422),
        (b'{"metric": "degree", "k": true, "epsilon": 1}', 422),
    ],
)  # fmt: skip
def test_bad_bodies(ann: httpx.Client, body: bytes, status: int) -> None:
    spent = ann.get("/v1/graphs/planted").json()["epsilon_spent"]
    refused(ann.post(PLACE, content=body, headers={"Content-Type": "application/json"}), status)
    assert ann.get("/v1/graphs/planted").json()["epsilon_spent"] == spent


def test_other_types_methods_and_origins(ann: httpx.Client) -> None:
    refused(ann.post(PLACE, content=b"metric=degree", headers={"Content-Type": "text/plain"}), 415)
    refused(ann.put(PLACE, json=TOP), 405)
    refused(ann.get(PLACE), 405)
    preflight = ann.request(
        "OPTIONS",
        PLACE,
        headers={"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"},
    )
    refused(preflight, 405)
    answer = ann.get("/v1/graphs", headers={"Origin": "https://elsewhere.example"})
    for told in (preflight, answer):
        assert not [name for name in told.headers if name.startswith("access-control")]
    assert answer.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    refused(ann.get("/v1/graphs", headers={"Host": "elsewhere.example"}), 421)
    refused(ann.get("/v1/graphs", headers={"Host": "127.0.0.1.elsewhere.example:80"}), 421)


def test_names_are_names(ann: httpx.Client) -> None:
    place = f"/v1/graphs/{quote(ODD, safe='')}"
    assert ann.get(place).json()["name"] == ODD
    assert ann.post(f"{place}/top-k", json=TOP, headers={"Idempotency-Key": "first"}).status_code == 201
    for name in (
        "..", "../planted", "planted/..", "%", "planted'", 'planted" OR 1=1', "планета", "planted\x00", "\u202eplanted",
        "{name}", "planted\r\nSet-Cookie: a=b", "x" * 5000, "planted'}) MATCH (n) RETURN n //",
    ):  # fmt: skip
        told = refused(ann.post(f"/v1/graphs/{quote(name, safe='')}/top-k", json=TOP), 404)
        assert len(told["detail"]) < 12_000
        refused(ann.get(f"/v1/graphs/{quote(name, safe='')}"), 404)
        refused(ann.get(f"/v1/releases/{quote(name, safe='')}"), 404)
    refused(ann.get("/v1/graphs/%ff"), 404)
    told = refused(ann.post(PLACE, json=TOP, headers={b"Idempotency-Key": b"\xff"}), 422)  # type: ignore[dict-item]
    refused(ann.post(PLACE, json=TOP, headers={"Idempotency-Key": "x" * 300}), 422)
    assert "Set-Cookie" not in told["detail"]


def raw(served: Served, *parts: bytes, wait: float = 30) -> bytes:
    """Send bytes as they are and return what comes back until the end."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=wait) as peer:
        for part in parts:
            try:
                peer.sendall(part)
            except OSError:
                break
        found = b""
        while chunk := _received(peer):
            found += chunk
        return found


def _received(peer: socket.socket) -> bytes:
    try:
        return peer.recv(65536)
    except ConnectionResetError:
        return b""


def test_large_and_crooked_bodies_are_not_read(room: SimpleNamespace) -> None:
    head = b"POST /v1/graphs/planted/top-k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    huge = raw(room.served, head + b"Content-Length: 1073741824\r\n\r\n")
    assert huge.startswith(b"HTTP/1.1 413"), huge[:80]
    chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    endless = raw(room.served, head + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 64)
    assert endless.startswith((b"HTTP/1.1 413", b"")), endless[:80]
    both = raw(room.served, head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    assert both.startswith(b"HTTP/1.1 400")
    for crooked in (b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
        assert not raw(room.served, crooked + b"").startswith(b"HTTP/1.1 2")


def test_a_slow_client_loses_its_connection_and_holds_up_nobody(
    tmp_path: Path, room: SimpleNamespace
) -> None:
    """Heads that never end, bodies without a token, and bodies of one analyst: another one is served all the while."""
    crowd = ("--request-seconds", "2", "--connections", "16", "--connections-per-address", "14")
    with serve(room.place, tmp_path, *crowd) as served:
        head = b"POST /v1/graphs/a/top-k HTTP/1.1\r\nHost: localhost\r\n"
        token = f"Authorization: Bearer {room.tokens['ann']}\r\n".encode()
        asked = (
            b"GET /healthz HTTP/1.1\r\nHost: loc",
            head + b"Content-Length: 50\r\n\r\n{",
            head + token + b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
        )
        peers = [socket.create_connection(("127.0.0.1", served.port), timeout=60) for _ in range(12)]
        try:
            for number, peer in enumerate(peers):
                peer.sendall(asked[number // 4])
            for _ in range(4):
                with served.client(room.tokens["bob"]) as client:
                    assert client.get("/v1/graphs").status_code == 200
            assert [_received(peer) for peer in peers[:4]] == [b""] * 4
            assert all(_received(peer).startswith(b"HTTP/1.1 401") for peer in peers[4:8])
            assert all(_received(peer).startswith((b"HTTP/1.1 408", b"")) for peer in peers[8:])
        finally:
            for peer in peers:
                peer.close()
        assert served.end() == 0


def test_too_many_requests_are_told_when_to_ask_again(tmp_path: Path, room: SimpleNamespace) -> None:
    with serve(room.place, tmp_path, "--requests-per-minute", "3") as served:
        with served.client(room.tokens["ann"]) as client:
            answers = [client.get("/v1/graphs") for _ in range(8)]
            told = refused(answers[-1], 429, retry=True)
            assert "ask again" in told["detail"]
            assert answers[0].status_code == 200
        with served.client("wrong") as stranger:
            assert {stranger.get("/v1/graphs").status_code for _ in range(8)} == {401, 429}
        with served.client(room.tokens["bob"]) as other:
            assert other.get("/v1/graphs").status_code == 200, "who guesses slows nobody else"


# -- the same in Python and on the command line ------------------------------------------------


@pytest.fixture
def remote(room: SimpleNamespace) -> Iterator[edgedp.Store]:
    with open_store(room.served.address, token=room.tokens["ann"]) as store:
        yield store


def test_a_gateway_is_a_store(remote: edgedp.Store, room: SimpleNamespace) -> None:
    release = remote.priv_top_k("planted", metric="degree", k=3, epsilon="0.01", request_id="Zoë")
    assert remote.priv_top_k("planted", metric="degree", k=3, epsilon="0.01", request_id="Zoë").kept
    here = room.store.asking_as("ann")
    assert (
        here.priv_top_k("planted", metric="degree", k=3, epsilon="0.01", request_id="Zoë").nodes
        == release.nodes
    )
    assert release.to_frame().height == 3
    assert remote.graphs() == here.graphs()
    assert remote.budget("planted") == here.budget("planted")
    assert remote.releases("planted") == here.releases("planted")
    assert remote.attributes("planted") == here.attributes("planted") == room.store.attributes("planted")
    assert [row["property"] for row in remote.attributes("planted")] == ["age"]
    assert remote.releases(ODD) == here.releases(ODD)


def test_a_node_is_named_on_a_command_line_whichever_store_it_asks(
    remote: edgedp.Store, room: SimpleNamespace
) -> None:
    environment = {"EDGEDP_TOKEN": room.tokens["ann"]}
    place = ["--store", room.served.address, "count"]
    for name, pair, more in ((ODD, [1, 3], []), ("planted", ["hub0", "hub1"], ["--dry-run"])):
        asks = [
            "--of",
            "common_neighbors",
            "--pair",
            *map(str, pair),
            "--epsilon",
            "0.01",
            "--format",
            "json",
        ]
        told = CliRunner().invoke(command_line, [*place, name, *asks, *more], env=environment)
        assert json.loads(told.stdout)["parameters"]["pair"] == pair, told.output
    asked = {"graph": ODD, "kind": "count", "of": "degree", "epsilon": 0.01}
    batch = [asked | {"node": TypedId("3")}, asked | {"node": TypedId("x")}, asked | {"node": 3, "kind": "x"}]
    said = remote.plan_batch(batch[:2])["releases"]
    assert said[0]["parameters"]["node"] == 3
    assert "node is 'x', must be a node of the graph" in said[1]["refused"]
    with pytest.raises(EdgeDPError, match=r"^release 3 of .*: the kind of release is 'x'"):
        remote.plan_batch(batch)


def test_a_typed_node_of_a_request_that_was_asked_before_is_the_one_of_then(
    remote: edgedp.Store, room: SimpleNamespace
) -> None:
    room.store.load(Graph.from_edges([(1, 2), (2, 3)]), "moving", epsilon_budget=9)
    room.store.grant("moving", "ann", epsilon_budget=9)
    asked: dict[str, Any] = {"of": "degree", "node": TypedId("1"), "epsilon": 1, "request_id": "a"}
    first = remote.count("moving", **asked)
    room.store.load(Graph.from_edges([("1", "2"), ("2", "3")]), "moving", replace=True)
    again = remote.count("moving", **asked)
    assert (again.kept, again.value, again.parameters["node"]) == (True, first.value, 1)
    assert remote.estimate("moving", **asked)["kept"]
    assert remote.plan_batch([{"graph": "moving", **asked}])["releases"][0]["kept"]


@pytest.mark.parametrize("where", [["amount"], {"amount": {"foo": 1}}, {"amount": {"in": []}}, "amount>1"])
def test_conditions_that_are_none_are_refused_by_an_estimate_as_by_a_store(
    remote: edgedp.Store, room: SimpleNamespace, where: Any
) -> None:
    asked = {"metric": "degree", "k": 1, "epsilon": "0.01", "where": where}
    told = remote.estimate("planted", **asked)
    assert told["refused"].startswith("where")
    assert told == room.store.asking_as("ann").estimate("planted", **asked)
    with pytest.raises(EdgeDPError, match=re.escape(told["refused"])):
        remote.priv_top_k("planted", **asked)


def test_what_a_store_takes_or_refuses_in_python_is_taken_or_refused_there(
    remote: edgedp.Store, room: SimpleNamespace
) -> None:
    here = room.store.asking_as("ann")
    motkin: dict[str, Any] = {"metrics": ("degree", "density"), "k": 1, "approach": "aggregate", "epsilon": 1}
    top: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 1}
    for asked in (
        top | {"epsilon": Fraction(1, 3)}, motkin | {"weights": [Decimal("0.5"), Fraction(1, 3)]},
        top | {"metric": "\ud800"}, top | {"where": {"\ud800": 1}},
    ):  # fmt: skip
        assert remote.estimate("planted", **asked) == here.estimate("planted", **asked)
    for odd in (float("inf"), float("nan"), 10**4000):
        for asked in (top | {"epsilon": odd}, top | {"target_recall": odd}, motkin | {"weights": [odd, 1]}):
            with pytest.raises(EdgeDPError, match=r"must be finite|thousands of digits"):
                remote.estimate("planted", **asked)


def test_what_is_no_id_names_no_node_and_dots_are_no_other_place(
    remote: edgedp.Store, room: SimpleNamespace
) -> None:
    texts = Graph.from_edges([("None", "1"), ("1", "0.1"), ("0.1", "b'1'")])
    room.store.load(texts, "texts", epsilon_budget=9)
    room.store.grant("texts", "ann", epsilon_budget=9)
    here = room.store.asking_as("ann")
    for asked in (
        {"of": "degree", "node": Decimal("0.1")}, {"of": "degree", "node": b"1"},
        {"of": "common_neighbors", "pair": (None, "1")}, {"of": "common_neighbors", "pair": (Decimal(1), "0.1")},
    ):  # fmt: skip
        told = []
        for store in (remote, here):
            with pytest.raises(EdgeDPError) as caught:
                store.count("texts", **asked, epsilon="0.01")
            told.append(str(caught.value))
        assert told[0] == told[1]
        assert "must be a node id" in told[0]
    assert here.budget("texts")["epsilon_spent"] == 0
    weights: list[Any] = [Fraction(10**400), 1]
    with pytest.raises(EdgeDPError, match="weights holds a number beyond the floats"):
        remote.motkin("texts", ["degree", "density"], 1, 1, approach="aggregate", weights=weights)
    assert isinstance(remote, RemoteStore)
    for dots in (".", ".."):
        for asked_of in (remote.budget, remote.attributes, remote.releases, remote.release):
            with pytest.raises(EdgeDPError, match=re.escape(f"is '{dots}', must be one")):
                asked_of(dots)


def test_its_signatures_are_those_of_a_store() -> None:
    for name, method in inspect.getmembers(Asker, inspect.isfunction):
        if not name.startswith("_") and name not in ("warm", "domains", "newest", "land", "register"):
            assert inspect.signature(getattr(RemoteStore, name)) == inspect.signature(method), name
    # What the curator alone may give is taken to be refused in a sentence.
    assert set(inspect.signature(Asker.register).parameters) < set(
        inspect.signature(RemoteStore.register).parameters
    )


def test_its_errors_are_those_of_a_store(remote: edgedp.Store, room: SimpleNamespace) -> None:
    here = room.store.asking_as("ann")
    asked: dict[str, Any] = {"metric": "degree", "k": 2, "epsilon": 0.01}
    here.priv_top_k("planted", **asked, request_id="taken")
    for wrong in (
        {"metric": "degre"}, {"k": 0}, {"k": 10**9}, {"epsilon": 0}, {"epsilon": 900}, {"mechanism": "magic"},
        {"sampler": "exponential"}, {"engine": "cypher"}, {"engine": "x"}, {"request_id": ""},
        {"request_id": "x" * 300},
        {"k": 1, "request_id": "taken"},
    ):  # fmt: skip
        told = [_told(store, "planted", asked | wrong) for store in (remote, here)]
        assert told[0] == told[1], wrong
    assert _told(remote, "nowhere", asked) == _told(here, "nowhere", asked)


def _told(store: Any, name: str, asked: dict[str, Any]) -> tuple[type, str]:
    with pytest.raises(EdgeDPError) as caught:
        store.priv_top_k(name, **asked)
    known = next(kind for kind in type(caught.value).__mro__ if kind.__name__ in edgedp.__all__)
    return known, str(caught.value)


def test_a_curators_method_is_refused_there(remote: edgedp.Store) -> None:
    for call in (
        lambda: remote.graph("planted"), lambda: remote.exact("planted", "degree"), lambda: remote.log("planted"),
        lambda: remote.load("no/such/file", "x"), lambda: remote.drop("planted"), lambda: remote.check(),
        lambda: remote.set_budget("planted", 5), lambda: remote.analysts(), lambda: remote.plugin(),
        lambda: remote.asking_as("bob"), lambda: remote.add_analyst("x"), lambda: remote.backup("/tmp/x"),  # noqa: S108
        lambda: remote.exact_sensitivity("planted", "degree", 1), lambda: remote.warm(),
        lambda: remote.export("planted"),
    ):  # fmt: skip
        with pytest.raises(edgedp.AccessError, match="for the curator"):
            call()


def test_a_notebook_shows_it_and_several_questions_stand_together(
    remote: edgedp.Store, room: SimpleNamespace
) -> None:
    assert repr(remote) == f"<Store: {room.served.address}>"
    page = remote._repr_html_()
    assert room.served.address in page
    assert "planted" in page
    with remote.together():
        assert remote.budget("planted") == room.store.asking_as("ann").budget("planted")
    with open_store("http://127.0.0.1:9", token=room.tokens["ann"]) as away:
        assert "cannot be reached" in away._repr_html_()


def test_the_commands_of_an_analyst_run_there(room: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGEDP_TOKEN", room.tokens["ann"])
    call = ["--store", room.served.address]
    asked = ["topk", "planted", "--metric", "degree", "-k", "2", "--epsilon", "0.01", "--format", "json"]
    shown = json.loads(CliRunner().invoke(command_line, [*call, *asked]).stdout)
    assert shown["graph"] == "planted"
    for words in (["graphs"], ["budget", "planted"], ["releases", "planted"], ["attribute", "planted"]):
        done = CliRunner().invoke(command_line, [*call, *words, "--format", "json"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)
    for words in (
        ["log", "planted"], ["drop", "planted"], ["exact", "planted", "--metric", "degree"], ["ledger", "check"],
        ["budget", "planted", "--set", "9"], ["load", "email-Enron"],
    ):  # fmt: skip
        done = CliRunner().invoke(command_line, [*call, *words])
        assert done.exit_code == 1
        assert done.output.count("\n") == 1
        assert "for the curator" in done.output


@pytest.mark.parametrize(
    ("address", "token", "why"),
    [
        ("http://gateway.example.org", "t", "must be https"), ("https://ann:pw@gateway.example.org", "t", "apart"),
        ("https://gateway.example.org/?token=x", "t", "apart"), ("https://gateway.example.org", None, "EDGEDP_TOKEN"),
        ("https://[", "t", "not the address"), ("https://gateway.example.org", "a\r\nb", "EDGEDP_TOKEN"),
        ("http://127.0.0.1:9", "t", "cannot be reached"), ("graphs.edgedp", "t", "goes with"),
    ],
)  # fmt: skip
def test_an_address_that_would_give_the_token_away_is_refused(
    address: str, token: str | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDGEDP_TOKEN", raising=False)
    with pytest.raises(EdgeDPError, match=why):
        open_store(address, token=token).graphs()


# -- how it is run -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--host", "0.0.0.0"], "must be a loopback address"),  # noqa: S104
        (["--host", "192.0.2.1"], "must be a loopback address"),
        (["--tls-key", "key.pem"], "tls_certificate is missing"),
        (["--tls-key", "key.pem", "--tls-certificate", "none.pem"], "not a file"),
        (["--response-step", "0"], "above 0"),
        (["--workers", "1", "--connections", "0"], "above 0"),
    ],
)
def test_what_cannot_be_run_safely_is_refused_in_a_line(
    options: list[str], why: str, room: SimpleNamespace
) -> None:
    done = CliRunner().invoke(command_line, ["--store", str(room.place), "serve", *options])
    assert done.exit_code == 1
    assert why in done.output
    assert done.output.count("\n") == 1


def test_without_the_extra_a_line_says_how_to_install_it(
    room: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for name in [name for name in sys.modules if name.startswith(("edgedp.faces.gateway.server", "uvicorn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(command_line, ["--store", str(room.place), "serve"])
    assert done.exit_code == 1
    assert done.output == ("Error: serve needs uvicorn, which is not installed; install edgedp[serve]\n")


def test_a_taken_port_is_one_line(room: SimpleNamespace) -> None:
    done = CliRunner().invoke(
        command_line, ["--store", str(room.place), "serve", "--port", str(room.served.port)]
    )
    assert done.exit_code == 1
    assert "cannot listen at" in done.output


def test_hosts_that_may_be_asked_for() -> None:
    assert Settings().hosts() == {"localhost", "127.0.0.1", "[::1]"}
    assert Settings(behind_proxy=True).hosts() is None
    assert "gateway.example.org" in (Settings(allowed_hosts=("Gateway.example.org",)).hosts() or ())


def test_sigterm_lets_what_is_drawn_end_and_be_recorded(tmp_path: Path, room: SimpleNamespace) -> None:
    with serve(room.place, tmp_path, "--workers", "2", step="1") as served:
        asked = TOP | {"metric": "ebc"}

        def ask(number: int) -> int:
            with served.client(room.tokens["ann"]) as client:
                headers = {"Idempotency-Key": f"drained {number}"}
                return client.post(PLACE, json=asked, headers=headers).status_code

        with ThreadPoolExecutor(4) as threads:
            answers = [threads.submit(ask, number) for number in range(4)]
            until = time.monotonic() + 240
            here = room.store.asking_as("ann")
            while time.monotonic() < until and len(_drained(here)) < 4:
                time.sleep(0.02)
            ended = threads.submit(served.end, signal.SIGTERM)
            assert [answer.result() for answer in answers] == [201] * 4
            assert ended.result() == 0
        assert all(row["nodes"] for row in _drained(here))
        assert "Traceback" not in served.errors()


def _drained(here: Any) -> list[dict[str, Any]]:
    return [row for row in here.releases("planted") if str(row["request_id"]).startswith("drained")]


# -- what leaves -------------------------------------------------------------------------------


def test_nothing_private_leaves_the_process(ann: httpx.Client, room: SimpleNamespace) -> None:
    served: Served = room.served
    for metric in ("degree", "ebc", "density", "betweenness2"):
        for extra in ({}, {"mechanism": "sld"}, {"mechanism": "em"}):
            ann.post(PLACE, json={"metric": metric, "k": 3, "epsilon": "0.05"} | extra)
    ann.post("/v1/graphs/planted/motkin", json={"metrics": ["degree", "ebc"], "k": 2, "epsilon": "0.05"})
    for place in ("/v1/graphs", "/v1/releases", "/v1/graphs/planted/budget", "/openapi.json", "/api"):
        ann.get(place)
    left = "\n".join([*room.left, *served.said, served.errors(), served.metrics()])
    assert "hub3" in left, "the releases are there"
    for number in private_numbers(room.graph):
        assert not re.search(rf"(?<![0-9A-Za-z.]){re.escape(number)}(?![0-9A-Za-z])", left), number
    assert "process_cpu" not in left
    assert "Traceback" not in left


def test_a_broken_bound_is_said_in_the_constant_sentence_at_a_step(tmp_path: Path) -> None:
    place = tmp_path / "g.edgedp"
    store = open_store(place)
    store.load(
        Graph.from_edges([(0, leaf) for leaf in range(1, 30)]), "star", epsilon_budget=5, degree_bound=29
    )
    token = store.add_analyst("ann")["token"]
    store.grant("star", "ann", epsilon_budget=5)
    declare_bound(store, "star", 2)
    with serve(place, tmp_path, step="0.4") as served, served.client(token) as client:
        began = time.monotonic()
        asked = {"metric": "degree", "k": 1, "epsilon": 1, "mechanism": "sld"}
        answer = client.post("/v1/graphs/star/top-k", json=asked, headers={"Idempotency-Key": "a"})
        assert time.monotonic() - began >= 0.4
        assert refused(answer, 409)["detail"] == BOUND_BROKEN
        refused(client.post("/v1/graphs/star/top-k", json=asked, headers={"Idempotency-Key": "a"}), 410)
        assert client.get("/v1/graphs/star").json()["share"]["epsilon_spent"] == 1


def test_many_at_once_are_told_to_ask_again_and_none_is_lost(tmp_path: Path, room: SimpleNamespace) -> None:
    before = room.store.share("planted", "ann")["epsilon_spent"]
    with serve(room.place, tmp_path, "--workers", "1", "--queue", "2", step="0.05") as served:
        found: list[int] = []
        guard = threading.Lock()

        def ask(_number: int) -> None:
            with served.client(room.tokens["ann"]) as client:
                status = client.post(PLACE, json=TOP | {"metric": "ebc"}).status_code
            with guard:
                found.append(status)

        with ThreadPoolExecutor(12) as threads:
            list(threads.map(ask, range(24)))
    assert set(found) <= {201, 503}
    spent = room.store.share("planted", "ann")["epsilon_spent"] - before
    assert spent == pytest.approx(0.01 * found.count(201), abs=1e-6)


@pytest.mark.wide
def test_it_stands_before_neo4j_as_before_a_folder(empty_neo4j: Server, tmp_path: Path) -> None:
    environment = {"NEO4J_USERNAME": empty_neo4j.user, "NEO4J_PASSWORD": empty_neo4j.password}
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 30)]), "star", epsilon_budget=60)
        token = store.add_analyst("ann")["token"]
        store.grant("star", "ann", epsilon_budget=50)
        with (
            serve(empty_neo4j.uri, tmp_path, environment=environment) as served,
            open_store(served.address, token=token) as remote,
        ):
            release = remote.priv_top_k("star", metric="degree", k=1, epsilon=40, request_id="a")
            assert release.nodes == [0]
            assert remote.priv_top_k("star", metric="degree", k=1, epsilon=40, request_id="a").kept
            with pytest.raises(edgedp.BudgetError, match="10 of 50"):
                remote.priv_top_k("star", metric="degree", k=1, epsilon=40)
            assert remote.budget("star") == store.asking_as("ann").budget("star")
            _a_live_graph_is_projected_anew(empty_neo4j, store, remote)
            store.revoke_analyst("ann")
            with pytest.raises(edgedp.AccessError):
                remote.graphs()
            assert served.end() == 0


def _a_live_graph_is_projected_anew(server: Server, store: edgedp.Store, remote: edgedp.Store) -> None:
    with server.driver() as driver, driver.session() as session:
        session.run(KEYED).consume()
        session.run("UNWIND range(0, 39) AS ssn CREATE (:Person {ssn: ssn})").consume()
        star = "MATCH (a:Person {ssn: $hub}), (b:Person) WHERE b.ssn > 1 CREATE (a)-[:KNOWS]->(b)"
        session.run(star, hub=0).consume()
        store.register("live", "Person", "KNOWS", "ssn", epsilon_budget=100, degree_bound=39)
        store.grant("live", "ann", epsilon_budget=100)
        assert remote.priv_top_k("live", metric="degree", k=1, epsilon=40).nodes == [0]
        session.run("MATCH ()-[r:KNOWS]->() DELETE r").consume()
        session.run(star, hub=1).consume()
        assert remote.priv_top_k("live", metric="degree", k=1, epsilon=40).nodes == [1]


def test_the_quick_start_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with an analyst who holds a private top 10, and has no way to an edge."""
    page = (Path(__file__).parents[2] / "docs" / "gateway.md").read_text(encoding="utf-8")
    quick = page.partition("## Quick start")[2].partition("\n## ")[0]
    typed = re.findall(r"^\$ (.*)$", quick, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    for name in ("EDGEDP_STORE", "EDGEDP_TOKEN", "NEO4J_URI"):
        monkeypatch.delenv(name, raising=False)
    token, printed, served = "", "", None
    try:
        for line in typed:
            if line.startswith("pip "):
                assert line == "pip install '.[serve]'"
            elif line == "edgedp serve":
                served = serve(tmp_path / "graphs.edgedp", tmp_path, fresh=True)
            elif line.startswith("export "):
                assert line == "export EDGEDP_TOKEN=edgedp_a_..."
                monkeypatch.setenv("EDGEDP_TOKEN", token)
            else:
                assert line.startswith("edgedp "), line
                address = "" if served is None else served.address
                words = shlex.split(line.replace("http://127.0.0.1:8750", address))[1:]
                done = CliRunner().invoke(command_line, words)
                refusal = "exact" in words
                assert done.exit_code == int(refusal), done.output
                if refusal:
                    assert done.output.strip() in quick
                elif words[:2] == ["analyst", "add"]:
                    (token,) = re.findall(r"edgedp_a_[\w-]+", done.output)
                else:
                    printed = done.output
    finally:
        if served is not None:
            served.__exit__()
    assert len(re.findall(r"^ +\d+ +\d+  +[01]", printed, re.MULTILINE)) == 10
