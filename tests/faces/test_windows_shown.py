"""Windows at a gateway: over HTTP, over MCP, and the page that shows an analyst their own lists over time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

from agents import at_gateway
from edgedp import Graph, open_store
from gateway_server import serve

MONTHS = {"from": "2020-01-01", "period": "P1M"}
TOP = {"metric": "degree", "k": 2, "epsilon": "0.25"}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """Ann and Bob may ask about calls of texts, each for lists that the other must not see."""
    folder = tmp_path_factory.mktemp("windows")
    place = folder / "g.edgedp"
    store = open_store(place)
    dates = np.array([f"2020-{each % 6 + 1:02d}-05" for each in range(36)], dtype="datetime64[s]")
    edges = [(f"n{each % 9}", f"n{(each * 5 + 1) % 11}") for each in range(36)]
    store.load(Graph.from_edges(edges, dates=dates), "calls", epsilon_budget=50, dates=MONTHS, within=3)
    store.load(Graph.from_edges([(1, 2)]), "plain", epsilon_budget=5)
    tokens = {name: store.add_analyst(name)["token"] for name in ("ann", "bob", "dan", "eve")}
    for name in ("ann", "bob", "dan"):
        store.grant("calls", name, 3)
    for who, name in (("eve", "calls"), ("ann", "plain")):
        store.grant(name, who, 1)
    with serve(place, folder) as served:
        yield SimpleNamespace(store=store, tokens=tokens, served=served)


def asked(town: SimpleNamespace, who: str, **options: Any) -> httpx.Response:
    with town.served.client(town.tokens[who]) as client:
        return client.post("/v1/graphs/calls/top-k", json=TOP | options)


def page(town: SimpleNamespace, who: str, place: str = "/graphs/calls/over-time") -> httpx.Response:
    with town.served.client() as client:
        assert client.post("/sign-in", data={"token": town.tokens[who]}).status_code == 303
        return client.get(place)


def test_lists_over_time_are_the_analysts_own(town: SimpleNamespace) -> None:
    assert "no list of nodes of a window" in page(town, "ann").text
    spans = {"ann": ({"window": "2020-03"}, {"window": "2020-02"}), "bob": ({"window": "2020-05"},)}
    found = {who: [asked(town, who, **span).json() for span in of] for who, of in spans.items()}
    town.store.priv_top_k("calls", "degree", 2, 0.25, window="2020-06")
    spent = town.store.budget("calls")
    for who, other in (("ann", "bob"), ("bob", "ann")):
        shown = page(town, who)
        assert shown.status_code == 200
        assert all(each["release_id"] in shown.text for each in found[who])
        assert not any(each["release_id"] in shown.text for each in found[other])
        named = [each for each in range(1, 7) if f"2020-{each:02d}" in shown.text]
        assert named == {"ann": [2, 3], "bob": [5]}[who], "the curator's own, of 2020-06, is not there either"
    rows = page(town, "ann").text.partition("<tbody>")[2]
    assert rows.index("2020-02") < rows.index("2020-03"), "in the order of windows, not of asking"
    assert town.store.budget("calls") == spent
    assert "over-time" in page(town, "ann", "/graphs/calls").text


def test_without_lists_of_their_own_an_analyst_sees_none(town: SimpleNamespace) -> None:
    """Names of graphs are public; of a graph that is not there it is said so."""
    for who, name in (("eve", "calls"), ("ann", "plain")):
        shown = page(town, who, f"/graphs/{name}/over-time")
        assert shown.status_code == 200
        assert "no list of nodes of a window" in shown.text
        assert "<tbody>" not in shown.text
    assert page(town, "ann", "/graphs/nothing/over-time").status_code == 404
    with town.served.client() as nobody:
        assert nobody.get("/graphs/calls/over-time").headers["location"] == "/sign-in"


def test_a_window_is_refused_as_a_problem_and_costs_nothing(town: SimpleNamespace) -> None:
    spent = town.store.budget("calls")
    for options, said in (
        ({"window": "2020-13"}, "must name a window"),
        ({"window": "2999-01"}, "is open until"),
        ({"windows": "2020-05..2020-02"}, "swap the two"),
        ({"windows": "2020-01..2020-03", "epsilon": "2.9"}, "share"),
    ):
        refused = asked(town, "eve", **options)
        assert refused.status_code in (400, 403, 422), refused.text
        assert said in refused.json()["detail"]
    assert town.store.budget("calls") == spent


def test_an_agent_plans_and_draws_a_window(town: SimpleNamespace) -> None:
    """The plan of one window is not a plan of another."""

    async def talk() -> None:
        async with at_gateway(town.served.address, town.tokens["dan"]) as client:
            options = TOP | {"window": "2020-01"}
            named = {"graph": "calls", "idempotency_key": "january"}
            told = await client.call_tool("plan", named | {"kind": "priv_top_k", "options": options})
            assert not told.is_error, told.content
            plan_id = {"plan_id": told.structured_content["plan_id"]}
            other = await client.call_tool("priv_top_k", named | plan_id | TOP | {"window": "2020-02"})
            assert other.is_error
            whole = await client.call_tool("priv_top_k", named | plan_id | TOP)
            assert whole.is_error
            drawn = await client.call_tool("priv_top_k", named | plan_id | options)
            assert not drawn.is_error, drawn.content
            assert drawn.structured_content["public"]["windows"] == "2020-01"

    for window in ("2020-03", "2020-05"):
        town.store.priv_top_k("calls", "degree", 2, 0.25, window=window)
    assert asked(town, "dan", window="2020-05").status_code == 201
    before = [each["epsilon_spent"] for each in town.store.runs("calls")["runs"]]
    asyncio.run(talk())
    runs = [each["epsilon_spent"] for each in town.store.runs("calls")["runs"]]
    assert town.store.share("calls", "dan")["epsilon_spent"] == 0.25, "another run's, as dear"
    assert (runs[0], runs[1:]) == (before[0] + 0.25, before[1:]), (
        "of January to March alone, as others' of March"
    )
