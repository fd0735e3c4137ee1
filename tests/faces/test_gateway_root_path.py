"""A gateway below a path of a host that it shares with others."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import httpx
import pytest

from agents import at_gateway, by_command
from edgedp import Graph, open_store
from edgedp.faces.gateway import pages
from edgedp.faces.gateway.api import routes as api
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.door import settings
from edgedp.faces.gateway.door.observing import Log, Metrics
from edgedp.faces.gateway.door.settings import Settings
from edgedp.words.errors import EdgeDPError
from gateway_server import serve

if TYPE_CHECKING:
    from mcp import Client

LINK = re.compile(r'(?:href|src)="([^"#?][^"]*)"')
SENT_TO = re.compile(r'action="([^"#?][^"]*)"')


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    folder = tmp_path_factory.mktemp("below")
    place = folder / "graphs.edgedp"
    store = open_store(place)
    store.load(Graph.from_edges([(0, leaf) for leaf in range(1, 9)]), "star", epsilon_budget=3)
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann",)}
    tokens["cora"] = store.add_curator("cora")["token"]
    store.grant("star", "ann", epsilon_budget=1)
    with serve(place, folder, "--root-path", "/data/edgedp") as served:
        yield SimpleNamespace(tokens=tokens, address=served.address)


def followed(client: httpx.Client, start: str) -> dict[str, str]:
    """Return every page that links lead to, by its address."""
    pages: dict[str, str] = {}
    waiting = [start]
    while waiting:
        address = waiting.pop()
        answer = client.get(address, follow_redirects=True)
        assert answer.status_code == 200, address
        pages[address] = answer.text
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        for form in SENT_TO.findall(answer.text):
            assert form.startswith("/data/edgedp/"), f"{address} sends out of the path: {form}"
        for link in LINK.findall(answer.text):
            assert link.startswith("/data/edgedp/"), f"{address} leads out of the path: {link}"
            if link not in pages and link not in waiting and not link.endswith(("sign-out", "sign-in")):
                waiting.append(link)
    return pages


@pytest.mark.parametrize("who", ["ann", "cora"])
def test_every_link_of_every_page_stays_below_the_path(room: SimpleNamespace, who: str) -> None:
    with httpx.Client(base_url=room.address) as client:
        sent = client.get("/data/edgedp/")
        assert (sent.status_code, sent.headers["location"]) == (303, "/data/edgedp/sign-in")
        signed = client.post("/data/edgedp/sign-in", data={"token": room.tokens[who]})
        assert (signed.status_code, signed.headers["location"]) == (303, "/data/edgedp/")
        assert (
            "edgedp-session-data-edgedp" in signed.headers["set-cookie"]
        )  # another gateway of the host has its own
        pages = followed(client, "/data/edgedp/graphs" if who == "ann" else "/data/edgedp/curator")
        assert len(pages) >= 6
        if who == "ann":
            assert f"curl {room.address}/data/edgedp/v1/graphs" in pages["/data/edgedp/api"]


def test_a_proxy_may_pass_the_path_on_or_take_it_away(room: SimpleNamespace) -> None:
    head = {"Authorization": f"Bearer {room.tokens['ann']}"}
    asked = {"metric": "degree", "k": 1, "epsilon": "0.1"}
    with httpx.Client(base_url=room.address, headers=head) as client:
        for prefix in ("", "/data/edgedp"):
            assert client.get(f"{prefix}/healthz").status_code == 200
            assert client.get(f"{prefix}/openapi.json").json()["servers"] == [{"url": "/data/edgedp"}]
            drawn = client.post(f"{prefix}/v1/graphs/star/top-k", json=asked)
            assert drawn.status_code == 201
            assert drawn.headers["location"].startswith("/data/edgedp/v1/releases/")
            assert client.get(drawn.headers["location"]).json()["release_id"] == drawn.json()["release_id"]
        assert client.get("/data/edgedp2/healthz").status_code == 404
        assert client.get("/data/edgedp/data/edgedp/healthz").status_code == 404


def test_the_client_takes_an_address_with_a_path(room: SimpleNamespace) -> None:
    with open_store(f"{room.address}/data/edgedp/", token=room.tokens["ann"]) as store:
        assert [row["name"] for row in store.graphs()] == ["star"]
    for odd in ("/a?b=1", "/a/../b c", "/a#b"):
        with pytest.raises(EdgeDPError, match="more than a host"):
            open_store(f"{room.address}{odd}", token=room.tokens["ann"])


async def drawn_by(client: Client, key: str) -> None:
    """Plan a release as an agent, draw it, and find it among its own."""
    rows = (await client.call_tool("graphs", {})).structured_content["graphs"]
    assert [row["name"] for row in rows] == ["star"]
    asked = {"metric": "degree", "k": 1, "epsilon": "0.1"}
    told = await client.call_tool(
        "plan", {"graph": "star", "kind": "priv_top_k", "options": asked, "idempotency_key": key}
    )
    release = {"graph": "star", "plan_id": told.structured_content["plan_id"], "idempotency_key": key}
    drawn = (await client.call_tool("priv_top_k", release | asked)).structured_content
    again = await client.call_tool("release", {"release_id": drawn["release_id"]})
    assert again.structured_content["nodes"] == drawn["nodes"]


@pytest.mark.parametrize("prefix", ["", "/data/edgedp"])
def test_an_agent_asks_below_the_path_passed_on_or_taken_away(room: SimpleNamespace, prefix: str) -> None:
    async def talk() -> None:
        async with at_gateway(f"{room.address}{prefix}", room.tokens["ann"]) as client:
            await drawn_by(client, f"agent{prefix}")

    asyncio.run(talk())
    with httpx.Client(base_url=room.address) as client:
        nobody = client.post(f"{prefix}/mcp", json={})
        assert (nobody.status_code, nobody.headers["content-type"]) == (401, "application/problem+json")
        assert client.get(f"{prefix}/mcp", headers={"Accept": "text/event-stream"}).status_code == 405


@pytest.mark.wide
def test_an_agents_command_takes_an_address_with_a_path(room: SimpleNamespace) -> None:
    async def talk() -> None:
        address, token = f"{room.address}/data/edgedp", room.tokens["ann"]
        async with by_command("--store", address, "mcp", EDGEDP_TOKEN=token) as client:
            await drawn_by(client, "command")

    asyncio.run(talk())


@pytest.mark.parametrize(
    "path",
    [
        "edgedp",
        "/edgedp/",
        "/",
        "/v1",
        "/v1/x",
        "/graphs/lab",
        "/mcp",
        "/a//b",
        "/..",
        "/a/./b",
        "/a b",
        "/a?b",
        "/%61",
    ],
)
def test_a_path_that_could_be_taken_for_an_address_is_refused(path: str) -> None:
    with pytest.raises(EdgeDPError, match=r"root_path is .* must be a path as /edgedp"):
        Settings(root_path=path).checked()


@pytest.mark.parametrize("path", ["", "/edgedp", "/v1x/a", "/data/v1", "/a.b/c-d_e"])
def test_other_paths_are_taken(path: str) -> None:
    assert Settings(root_path=path).checked().root_path == path


def test_no_address_of_the_gateway_is_forgotten(tmp_path: Path) -> None:
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(Graph.from_edges([(0, 1)]), "pair")
    gateway = Gateway(store, Settings(), Log(io.StringIO()), Metrics())
    try:
        routes = [*api.routes(gateway), *pages.routes(pages.Pages(gateway))]
    finally:
        gateway.close()
    begin = {route.path.split("/")[1] for route in routes} - {""}
    assert begin | {"mcp"} == settings._OWN
