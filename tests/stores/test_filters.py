"""Graphs of a loaded graph's rows, and addresses with conditions: which rows make an edge, and who pays."""

from __future__ import annotations

import io
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import (
    AccessError,
    BudgetError,
    EdgeDPError,
    Graph,
    ParameterError,
    Release,
    Store,
    StoreError,
    StoreStateError,
    open_store,
    read_graph,
)
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.gateway.api import routes
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.door.observing import Log, Metrics
from edgedp.faces.gateway.door.settings import Settings
from edgedp.graph.weights import weighting_of
from edgedp.ledger import registry
from edgedp.release.conditions import check_answerable, conditions
from edgedp.stores.people import asker
from edgedp.stores.registering import rows_asked
from edgedp.stores.releases import analyst
from gateway_server import Inside
from made_once import copied
from value_table import QUESTIONS, VALUES, kind_of

PAYMENTS = [
    ("a", "d", 5000, date(2024, 1, 5)), ("b", "d", 1000, date(2024, 2, 1)), ("c", "d", 999, date(2024, 3, 1)),
    ("d", "a", 10, date(2024, 1, 1)), ("b", "a", 4000, date(2024, 4, 1)), ("a", "b", None, None),
    ("a", "d", 2000, date(2024, 5, 1)), ("e", "e", 9000, date(2024, 5, 1)),
]  # fmt: skip


def payments(*, directed: bool = True) -> Graph:
    columns = {"amount": [row[2] for row in PAYMENTS], "at": [row[3] for row in PAYMENTS]}
    return Graph.from_edges([row[:2] for row in PAYMENTS], columns=columns, directed=directed)


def made(store: Store) -> None:
    store.load(payments(), "payments", epsilon_budget=3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with copied(made, tmp_path / "graphs.edgedp") as opened:
        yield opened


def edges(store: Store, name: str) -> set[tuple[str, str]]:
    graph = store.graph(name)
    found = graph.arcs() if graph.directed else graph.edges()
    return {(str(a), str(b)) for a, b in graph.node_ids[found].tolist()}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"where": {"amount": {"gte": 1000}}}, {("a", "d"), ("b", "d"), ("a", "b")}),
        ({"where": {"at": {"gte": date(2024, 2, 1), "lt": date(2024, 4, 1)}}}, {("b", "d"), ("c", "d")}),
        ({"where": {"amount": {"in": [10, 999]}}}, {("a", "d"), ("c", "d")}),
        ({"at_least": 2}, {("a", "d"), ("a", "b")}),
        ({"at_least": 2, "where": {"amount": {"gt": 10}}}, {("a", "d")}),
        ({"orientation": "mutual"}, {("a", "d"), ("a", "b")}),
        ({"orientation": "natural", "where": {"amount": {"gte": 2000}}}, {("a", "d"), ("b", "a")}),
        ({"orientation": "reverse", "at_least": 2}, {("d", "a")}),
    ],
    ids=lambda given: str(sorted(given)),
)
def test_the_rows_that_hold_make_the_edges(
    store: Store, rules: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    row = store.register("some", of="payments", **rules)
    assert edges(store, "some") == expected
    assert row["exact"]["edge_count"] == len(expected)
    assert row["node_count"] == 5
    assert row["projection"]["of"] == "payments"
    assert row["accounts"] == ["payments"]


def test_an_estimate_says_of_a_share_of_the_loaded_graph_how_many_releases_it_affords(store: Store) -> None:
    """The share has the delta of the account that it is of, and not of the ledger of the graph of its rows."""
    store.set_budget("payments", 3, delta="1e-6")
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    store.add_analyst("ann")
    store.grant("payments", "ann", 1)
    store.grant("large", "ann", 1)
    ann, asked = store.asking_as("ann"), {"of": "edges", "epsilon": "0.1"}
    told = [ann.estimate(name, "count", **asked)["releases_left"] for name in ("payments", "large")]
    assert told[0] == told[1] > 0
    store.set_budget("payments", 3, delta="1e-7")
    told = [ann.estimate(name, "count", **asked) for name in ("payments", "large")]
    assert all("declared before its delta changed" in each["refused"] for each in told)
    assert [each["releases_left"] for each in told] == [0, 0]


def test_every_release_debits_the_account_of_the_loaded_graph(store: Store) -> None:
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    store.register("small", of="payments", where={"amount": {"lt": 1000}})
    release = store.priv_top_k("large", metric="degree", k=1, epsilon=1)
    assert release.public["projection"] == {"of": "payments", "where": {"amount": {"gte": 1000}}}
    store.priv_top_k("small", metric="degree", k=1, epsilon=1)
    store.count("payments", of="edges", epsilon="0.75")
    assert [store.budget(name)["epsilon_spent"] for name in ("payments", "large", "small")] == [2.75] * 3
    for name in ("payments", "large"):
        with pytest.raises(BudgetError, match=r"0\.25"):
            store.count(name, of="edges", epsilon="0.3")
    again = store.priv_top_k("large", metric="degree", k=1, epsilon="0.1", request_id="r")
    assert store.priv_top_k("large", metric="degree", k=1, epsilon="0.1", request_id="r").nodes == again.nodes
    assert store.budget("payments")["epsilon_spent"] == pytest.approx(2.85)


def test_a_budget_says_which_name_and_who_spent_it(store: Store) -> None:
    """Of every name over the account, also of one that was dropped; a list in steps is one release."""
    store.priv_top_k("payments", metric="degree", k=1, epsilon="0.5")
    assert [each["analyst"] for each in store.spent_by("payments")] == [None]
    odd = {"amount": {"gte": 0}, "graph": {"eq": '"graph": "x"'}, "part_of": 1}
    columns: Any = {"amount": [1, 2], "graph": ["a", "b"], "part_of": [1, 2]}
    store.load(Graph.from_edges([(1, 2), (2, 3)], columns=columns), "odd", epsilon_budget=3)
    for name, of, where in (("large", "payments", None), ('o"dd, "graph": 1', "odd", odd)):
        store.register(name, of=of, where=where, allow_empty=True)
        store.add_analyst(of)
        store.grant(of, of, epsilon_budget=1)
        store.priv_top_k(name, metric="degree", k=1, epsilon="0.25")
        store.asking_as(of).count(name, of="edges", epsilon="0.125")
        store.asking_as(of).count(of, of="edges", epsilon="0.0625")
        found = store.spent_by(of)
        assert [each for each in found if each["analyst"] == of] == [
            {"account": of, "graph": name, "analyst": of, "releases": 1, "epsilon": 0.125},
            {"account": of, "graph": of, "analyst": of, "releases": 1, "epsilon": 0.0625},
        ]
        assert not hasattr(store.asking_as(of), "spent_by")
        assert store.spent_by(name) == found
        assert sum(each["epsilon"] for each in found) == store.budget(of)["epsilon_spent"]
        assert {each["graph"] for each in found} == {name, of}
        store.drop(name)
        assert store.spent_by(of) == found
    shown = CliRunner().invoke(command_line, ["--store", store._place, "budget", "payments", "--spent-by"])
    assert ["payments", "large", "payments", "1", "0.125"] in [
        line.split() for line in shown.output.splitlines()
    ]


def test_a_release_reads_the_rows_that_hold_its_own_conditions(store: Store, tmp_path: Path) -> None:
    """The same account and price as without, canonical parameters, and a graph's own conditions hold as well."""
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    store.set_budget("payments", 1000)
    expected = {
        ("payments", ()): 4, ("payments", ("amount>=1000",)): 3, ("payments", ("amount>=1000", "at<2024-02-01")): 1,
        ("large", ()): 3, ("large", ("at<2024-02-01",)): 1, ("payments", ("amount>100000",)): 0,
        ("payments", ("at>=2024-03-01",)): 3, ("large", ("at>=2024-03-01",)): 2,
    }  # fmt: skip
    for (name, where), count in expected.items():
        before = store.budget("payments")["epsilon_spent"]
        told = store.estimate(name, "count", of="edges", epsilon=60, where=list(where))
        release = store.count(name, of="edges", epsilon=60, where=list(where))
        assert release.value == count, (name, where)
        assert (told["refused"], told["epsilon"], told["parameters"]) == (None, 60, release.parameters)
        assert store.budget("payments")["epsilon_spent"] == before + 60
        assert ("where" in release.public) == ("where" in release.parameters) == bool(where)
        assert Release.from_dict(release.to_dict()) == release
    asked: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 1, "request_id": "monday"}
    first = store.priv_top_k("payments", **asked, where=["at>=2024-02-01", "amount>=1000"])
    written = {"amount": {"gte": 1000}, "at": {"gte": {"date": "2024-02-01"}}}
    assert first.parameters["where"] == written
    assert [each["parameters"] for each in store.releases("payments")][-1] == first.parameters
    for same in ({"amount": {"gte": 1000}, "at": {"gte": date(2024, 2, 1)}}, written):
        assert store.priv_top_k("payments", **asked, where=same).kept
    for other in (None, ["amount>=1000"], {"amount": {"gt": 1000}, "at": {"gte": date(2024, 2, 1)}}):
        with pytest.raises(EdgeDPError, match="must be new"):
            store.priv_top_k("payments", **asked, where=other)
    with store._session() as session:  # arcs, as they were loaded
        row = registry.known(session, "payments")
        read = store._read(session, row, None, conditions({"amount": {"gte": 2000}}))
        found = {tuple(each) for each in read.node_ids[read.arcs()].tolist()}
        assert found == {("a", "d"), ("b", "a")}
    assert store.summary("payments", epsilon=1, where=["amount>=1000"]).public["where"]
    assert store.distribution("payments", epsilon=1, where=["amount>=1000"]).public["where"]
    assert store.motkin("payments", k=1, where=["amount>=1000"]).public["where"]


def test_a_request_is_another_where_another_type_is_compared(store: Store, tmp_path: Path) -> None:
    """To Python True is 1, and the rows that hold one do not hold the other."""
    (tmp_path / "mixed.csv").write_text("u,v,flag\n1,2,true\n2,3,1\n3,4,x\n")
    mixed = read_graph(str(tmp_path / "mixed.csv"), source="u", target="v", columns=["flag"], one_kind=True)
    store.load(mixed, "mixed", epsilon_budget=300)
    asked: dict[str, Any] = {"of": "edges", "epsilon": 60, "request_id": "monday"}
    for comparison in ("eq", "in"):
        of = asked | {"request_id": comparison}
        first, other, same = ([value] if comparison == "in" else value for value in (True, 1, True))
        assert store.count("mixed", **of, where={"flag": {comparison: first}}).private
        with pytest.raises(EdgeDPError, match="must be new"):
            store.count("mixed", **of, where={"flag": {comparison: other}})
        assert (
            "must be new"
            in store.estimate("mixed", "count", **of, where={"flag": {comparison: other}})["refused"]
        )
        assert store.count("mixed", **of, where={"flag": {comparison: same}}).kept
    assert store.count("mixed", **asked, where={"flag": 1}).parameters["where"] == {"flag": {"eq": 1}}
    assert store.count("mixed", **asked, where={"flag": 1.0}).kept  # numbers are compared with each other


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"at": {"gte": {"date": "9999-12-31T23:00-02:00"}}}, "or a date"),
        ({"at": {"lt": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))}}, "or a date"),
        (["at<0001-01-01T00:00+01:00"], "constant of its type"),
        ({"at": {"lt": pd.NaT}}, "or a date"),
        ({"amont": 1}, "did you mean 'amount'"),
        ({"amount": "1000"}, "constant of its type"),
        (["amount"], "a sign and a value"),
        ([1], "other than texts"),
        (5, "is not a map"),
        (["amount>=1", "amount>=2"], "twice in one way"),
    ],
    ids=str,
)
def test_conditions_of_a_release_are_refused_before_its_debit(store: Store, where: Any, said: str) -> None:
    with pytest.raises(EdgeDPError, match=said):
        store.priv_top_k("payments", metric="degree", k=1, epsilon=1, where=where)
    told = store.estimate("payments", "topk", metric="degree", k=1, epsilon=1, where=where)["refused"]
    assert said in told
    assert store.budget("payments")["epsilon_spent"] == 0


def test_only_graphs_whose_rows_are_kept_take_conditions(store: Store, tmp_path: Path) -> None:
    (tmp_path / "lake.csv").write_text("u,v,amount\n1,2,5\n2,3,6\n")
    store.load(Graph.from_edges([(1, 2), (3, 4)]), "plain", epsilon_budget=3)
    store.register_edges(
        "lake",
        str(tmp_path / "lake.csv"),
        source="u",
        target="v",
        where={"amount": 5},
        one_kind=True,
        epsilon_budget=3,
    )
    for name in ("plain", "lake"):
        with pytest.raises(ParameterError, match="loaded with columns"):
            store.count(name, of="edges", epsilon=1, where={"amount": 5})
        assert store.budget(name)["epsilon_spent"] == 0
    asked: Any = {"where": ["amount>=1"]}
    for released in (
        lambda: edgedp.priv_top_k(payments(), "degree", 1, 1, **asked),
        lambda: edgedp.exact.first_pick_probabilities(payments(), "degree", 1, 1, **asked),
    ):
        with pytest.raises(ParameterError, match="loaded with columns"):
            released()


def test_analysts_give_conditions_to_a_release_only_where_a_share_allows_it(store: Store) -> None:
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    store.add_analyst("ann")
    store.grant("payments", "ann", epsilon_budget=2)
    ann = store.asking_as("ann")
    for name in ("payments", "large"):
        asked: dict[str, Any] = {"of": "edges", "epsilon": "0.5"}
        with pytest.raises(AccessError, match="does not allow"):
            ann.count(name, **asked, where=["amount>=2000"])
        assert "does not allow" in ann.estimate(name, "count", **asked, where=["amount>=2000"])["refused"]
        assert ann.count(name, **asked).public.get("where") is None
    assert store.budget("payments")["epsilon_spent"] == 1
    store.grant("payments", "ann", epsilon_budget=2, filters=True)
    for name in ("payments", "large"):
        assert ann.count(name, **asked, where=["amount>=2000"]).public["where"]
    assert store.budget("payments")["epsilon_spent"] == store.grants("payments")[0]["epsilon_spent"] == 2


def test_conditions_weights_and_windows_of_one_release(tmp_path: Path) -> None:
    graph = Graph.from_edges(
        [row[:2] for row in PAYMENTS], columns={"amount": [row[2] for row in PAYMENTS]}, directed=True,
        weights=[row[2] for row in PAYMENTS], weight={"cap": 4500, "pair_cap": 9000},
        dates=np.array([row[3] or "NaT" for row in PAYMENTS], dtype="datetime64[s]"),
    )  # fmt: skip
    with open_store(tmp_path / "g.edgedp") as store:
        store.load(
            graph, "payments", epsilon_budget=30, within=1,
            dates={"from": "2024-01-01", "period": "P1M", "are": "final"},
        )  # fmt: skip
        with store._session() as session:
            row = registry.known(session, "payments")
            for where, windows, incoming in (
                ({"amount": {"gte": 1000}}, None, {"a": 4000, "d": 4500 + 2000 + 1000}),
                ({"amount": {"lt": 4000}}, None, {"a": 10, "d": 2000 + 1000 + 999}),
                ({"amount": {"gte": 1000}}, "2024-01..2024-02", {"d": 4500 + 1000}),
                ({"amount": {"gte": 1000}}, "2024-04..2024-04", {"a": 4000}),
            ):
                span = None if windows is None else row_calendar(session, "payments").span(windows=windows)
                read = store._read(session, row, span, conditions(where))
                found = dict(
                    zip(read.node_ids.tolist(), edgedp.exact.in_strength(read).tolist(), strict=True)
                )
                assert {node: value for node, value in found.items() if value} == incoming
        release = store.priv_top_k(
            "payments", metric="in_strength", k=1, epsilon=20, where=["amount>=1000"], window="2024-04"
        )
        assert release.nodes == ["a"]
        assert set(release.parameters) >= {"where", "window"}


def test_conditions_are_given_on_the_command_line_and_over_http(store: Store) -> None:
    run = CliRunner().invoke(command_line, [
        "--store", store._place, "topk", "payments", "--metric", "degree", "-k", "1", "--epsilon", "0.5",
        "--where", "amount>=1000", "--where", "at>=2024-02-01", "--format", "json",
    ])  # fmt: skip
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["parameters"]["where"]["amount"] == {"gte": 1000}
    said = io.StringIO()
    token = store.add_analyst("ann")["token"]
    store.grant("payments", "ann", epsilon_budget=2)
    settings = Settings(response_step=0.001, requests_per_minute=10**6)
    client = Inside(Gateway(open_store(store._place), settings, Log(said), Metrics()), said)
    try:
        client.headers["Authorization"] = f"Bearer {token}"
        body = {
            "metric": "degree",
            "k": 1,
            "epsilon": "0.5",
            "where": {"at": {"gte": {"date": "2024-02-01"}}},
        }
        path, key = "/v1/graphs/payments/top-k", {"Idempotency-Key": "1"}
        assert client.post(path, json=body, headers=key).status_code == 403
        store.grant("payments", "ann", epsilon_budget=2, filters=True)
        answer = client.post(path, json=body, headers=key)
        assert answer.status_code == 201, answer.text
        assert answer.json()["parameters"]["where"] == body["where"]
        again = client.post(path, json=body | {"where": ["at>=2024-02-01"]}, headers=key)
        assert again.status_code == 200, again.text
        assert client.post(path, json=body | {"where": None}, headers=key).status_code == 409
    finally:
        client.close()
    assert store.budget("payments")["epsilon_spent"] == 1


def test_a_sequence_debits_every_step(store: Store) -> None:
    pairs = [(0, node) for node in range(1, 80)]
    store.load(
        Graph.from_edges(pairs, columns={"amount": [row[0] for row in pairs]}), "star", epsilon_budget=3
    )
    store.register("large", of="star", where={"amount": 0})
    release = store.priv_top_k("large", metric="degree", k=1, epsilon=1, target_recall=0.9)
    assert store.budget("star")["epsilon_spent"] == pytest.approx(release.epsilon_spent)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"where": {"amont": 5}}, "did you mean 'amount'"),
        ({"where": {"amount": "5"}}, "no row would hold it"),
        ({"where": {"at": {"gte": "2024-01-01"}}}, "no row would hold it"),
        ({"where": {"amount": {"gte": 10**6}}}, "no row of 'payments' makes an edge"),
        ({"candidates": "film"}, "must be a side of 'payments'"),
        ({"epsilon_budget": 3}, "owns nothing"),
        ({"protect": "source"}, "owns nothing"),
        ({"node_label": "N"}, "owns nothing"),
        ({"degree_bound": 1}, "at least the graph's largest degree"),
        ({"where": {"at": {"in": [date(2024, 1, 1), 5]}}}, "must hold one kind"),
        ({"facts": "computed"}, "facts"),
    ],
    ids=str,
)
def test_what_cannot_be_answered_is_refused(store: Store, rules: dict[str, Any], said: str) -> None:
    with pytest.raises(EdgeDPError, match=said):
        store.register("some", of="payments", **rules)
    assert [row["name"] for row in store.graphs()] == ["payments"]


@pytest.mark.filterwarnings("ignore:the same list of edges")
def test_a_graph_without_rows_is_asked_for_directions_alone(store: Store) -> None:
    store.load(
        Graph.from_edges([("a", "b"), ("b", "a"), ("b", "c")], directed=True), "bare", epsilon_budget=1
    )
    store.register("both", of="bare", orientation="mutual")
    assert edges(store, "both") == {("a", "b")}
    for rules in ({"where": {"amount": 1}}, {"at_least": 2}):
        with pytest.raises(ParameterError, match="no columns are kept"):
            store.register("some", of="bare", **rules)
    store.load(payments(directed=False), "undirected", epsilon_budget=1)
    with pytest.raises(ParameterError, match="without its directions"):
        store.register("some", of="undirected", orientation="mutual")


@pytest.mark.filterwarnings("ignore:the same list of edges")
def test_a_graph_of_rows_is_of_a_loaded_one_and_of_no_other(store: Store) -> None:
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    with pytest.raises(ParameterError, match="must be a loaded graph"):
        store.register("larger", of="large", where={"amount": {"gte": 2000}})
    with pytest.raises(EdgeDPError, match="must be a stored one"):
        store.register("larger", of="payment")
    with pytest.raises(EdgeDPError):
        store.register("large", of="payments")
    store.load(payments(), "other", epsilon_budget=1)
    store.drop("other")
    with pytest.raises(BudgetError, match="has an account"):
        store.register("other", of="payments")


def test_a_longer_file_is_read_and_one_that_lacks_the_column_is_refused_before_the_debit(
    store: Store,
) -> None:
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    more = [*PAYMENTS, ("c", "b", 8000, None)]
    columns = {"amount": [row[2] for row in more], "at": [row[3] for row in more]}
    store.load(
        Graph.from_edges([row[:2] for row in more], columns=columns, directed=True), "payments", replace=True
    )
    assert ("b", "c") in edges(store, "large")
    store.load(Graph.from_edges([("a", "b")], directed=True), "payments", replace=True)
    with pytest.raises(ParameterError, match="no columns are kept"):
        store.count("large", of="edges", epsilon=1)
    store.drop("payments")
    with pytest.raises(EdgeDPError, match="not stored now"):
        store.count("large", of="edges", epsilon=1)
    store.load(payments(), "payments")
    assert store.budget("payments")["epsilon_spent"] == 0
    store.count("large", of="edges", epsilon=1)
    assert store.budget("payments")["epsilon_spent"] == 1
    store.drop("large")
    assert [row["name"] for row in store.graphs()] == ["payments"]


def test_a_graph_that_is_replaced_between_plan_and_debit_releases_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    kept = Store._prepare

    def replaced(self: Store, *given: Any) -> None:
        kept(self, *given)
        monkeypatch.setattr(Store, "_prepare", kept)
        with open_store(store._place) as other:
            other.load(payments(), "payments", replace=True)

    monkeypatch.setattr(Store, "_prepare", replaced)
    with pytest.raises(StoreError, match="changed since"):
        store.count("large", of="edges", epsilon=1)
    assert store.budget("payments")["epsilon_spent"] == 0


@pytest.mark.filterwarnings("ignore:the same list of edges")
def test_one_unit_and_its_direction(store: Store) -> None:
    store.load(payments(), "of payers", epsilon_budget=3, protect="source")
    for orientation in ("undirected", "mutual", "reverse"):
        with pytest.raises(ParameterError, match="must be 'natural'"):
            store.register("some", of="of payers", orientation=orientation)
    store.register("some", of="of payers", orientation="natural", where={"amount": {"gte": 1000}})
    release = store.priv_top_k("some", metric="in_degree", k=1, epsilon=1, mechanism="em")
    assert release.public["protects"].startswith("all arcs that leave one node")
    with pytest.raises(ParameterError, match="protect"):
        store.count("some", of="edges", epsilon=1)


@pytest.mark.filterwarnings("ignore:the same list of edges")
def test_an_account_that_protects_another_unit_by_now_is_debited_for_none_of_its_graphs_of_rows(
    store: Store,
) -> None:
    """A graph that turns arcs round would tell at the price of a source what was done to one; its estimate says so."""
    asked = {"metric": "in_degree", "k": 1, "epsilon": 1}
    store.register("turned", of="payments", orientation="reverse")
    assert store.estimate("turned", "priv_top_k", **asked)["refused"] is None
    store.load(payments(), "payments", protect="source", replace=True)
    refused = store.estimate("turned", "priv_top_k", **asked)["refused"]
    assert "protect something else now; nothing was spent" in refused
    with pytest.raises(EdgeDPError) as caught:
        store.priv_top_k("turned", **asked)
    assert str(caught.value) == refused
    assert store.budget("payments")["epsilon_spent"] == 0


def test_windows_and_conditions_together(tmp_path: Path) -> None:
    with open_store(tmp_path / "g.edgedp") as store:
        graph = payments()
        dated = Graph.from_edges(
            [row[:2] for row in PAYMENTS], directed=True, columns={"amount": [row[2] for row in PAYMENTS]},
            dates=np.array([row[3] or "NaT" for row in PAYMENTS], dtype="datetime64[s]"),
        )  # fmt: skip
        calendar = {"from": "2024-01-01", "period": "P1M", "are": "final"}
        store.load(dated, "payments", epsilon_budget=3, dates=calendar, within=1)
        store.register("large", of="payments", where={"amount": {"gte": 1000}})
        assert graph.node_count == 5
        with store._session() as session:
            row = registry.known(session, "large")
            calendar_of = store.priv_top_k("large", metric="degree", k=1, epsilon=1, window="2024-01")
            span = session.run("account_find", name="payments")
            assert span
            assert calendar_of.public["windows"] == "2024-01"
            from edgedp.ledger import ledger

            found = ledger.find(session, "payments").calendar
            assert found is not None
            january = session.graph(row, found.span("2024-01"))
            assert january.node_ids[january.edges()].tolist() == [["a", "d"]]
            assert session.graph(row, found.span("2024-03")).edge_count == 0
        store.priv_top_k("payments", metric="degree", k=1, epsilon=2, window="2024-01")
        with pytest.raises(BudgetError):
            store.priv_top_k("large", metric="degree", k=1, epsilon="0.1", window="2024-01")
        store.priv_top_k("large", metric="degree", k=1, epsilon=3, window="2024-02")
        assert store.runs("large") == store.runs("payments") != {}
        of_both: list[dict[str, Any]] = [{**store.budget(name)} for name in ("large", "payments")]
        assert of_both[0]["calendar"] == of_both[1]["calendar"]
        assert of_both[0]["dearest_run"] == of_both[1]["dearest_run"] == "2024-01"


@pytest.mark.parametrize("orientation", ["undirected", "natural", "reverse"])
def test_a_window_of_a_graph_of_rows_needs_no_column(tmp_path: Path, orientation: str) -> None:
    dates = np.array(["2024-01-05", "2024-02-01", "2024-02-09", "2024-02-11"], dtype="datetime64[s]")
    graph = Graph.from_edges([("a", "b"), ("b", "a"), ("a", "c"), ("c", "c")], dates=dates, directed=True)
    calendar = {"from": "2024-01-01", "period": "P1M"}
    with open_store(tmp_path / "graphs.edgedp") as store:
        store.load(graph, "calls", epsilon_budget=900, dates=calendar, within=2)
        store.register("turned", of="calls", orientation=orientation)
        for window, value in {"2024-01": 1, "2024-02": 2, "2024-03": 0}.items():
            assert (
                store.estimate("turned", "count", of="edges", epsilon=100, window=window)["refused"] is None
            )
            assert store.count("turned", of="edges", epsilon=100, window=window).value == value
        if orientation != "undirected":
            ends = "out_degree" if orientation == "natural" else "in_degree"
            top = store.priv_top_k("turned", metric=ends, k=1, epsilon=100, mechanism="em", window="2024-01")
            assert top.nodes == ["a"], "the arc goes as it was loaded, or back"
        assert store.check() == []


def test_a_graph_of_rows_has_the_public_facts_that_the_loaded_graph_has_now(tmp_path: Path) -> None:
    """A replacement may list its nodes and declare another bound; the ledger of the graph of rows stays whole."""
    pairs = [("a", "b"), ("a", "c")]
    with open_store(tmp_path / "graphs.edgedp") as store:
        store.load(Graph.from_edges(pairs), "calls", epsilon_budget=900, degree_bound=2)
        store.register("rows", of="calls")
        assert store.count("rows", of="edges", epsilon=100).to_dict()["public"]["degree_bound"] == 2
        more = Graph.from_edges([*pairs, ("a", "d"), ("a", "e")], nodes=[*"abcdef"])
        store.load(more, "calls", replace=True, degree_bound=4)
        assert store.estimate("rows", "count", of="edges", epsilon=100)["refused"] is None
        released = store.count("rows", of="edges", epsilon=100)
        assert released.value == 4
        assert released.to_dict()["public"]["degree_bound"] == 4
        assert "read from the edges" not in str(released.to_dict()["public"])
        assert store.check() == []
    with open_store(tmp_path / "graphs.edgedp") as store:
        assert store.count("rows", of="edges", epsilon=100).value == 4


def test_one_side_is_ranked(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("user,film,stars\n1,7,5\n2,7,4\n3,8,5\n1,8,1\n", encoding="utf-8")
    graph = read_graph(path, source="user", target="film", bipartite=True, columns=["stars"])
    with open_store(tmp_path / "g.edgedp") as store:
        store.load(graph, "ratings", epsilon_budget=100)
        row = store.register("liked", of="ratings", where={"stars": {"gte": 4}}, candidates="film")
        assert row["node_count"] == 2
        assert row["exact"] == {"edge_count": 3, "max_degree": 2}
        assert store.priv_top_k("liked", metric="degree", k=1, epsilon=90).nodes == ["film:7"]
        with pytest.raises(ParameterError, match="candidates"):
            store.count("liked", of="triangles", epsilon=1)
        for rank_all in (store.exact_experiment, store.exact_advice):
            with pytest.raises(ParameterError, match="'film' only"):
                rank_all("liked")
        with pytest.raises(ParameterError, match="'film' only"):
            store.exact_limit("liked", "degree", 1, [1])


def test_records_are_paid_by_the_graph_that_holds_them(store: Store) -> None:
    """Also where the new name had an account of attributes, and declared properties, of an earlier graph."""
    ages = {"age": [1, 2]}
    for name, budget, end in (("old", 9, 3), ("people", 1, 4)):
        graph = Graph.from_edges([(1, end)], nodes=[1, end], properties=ages, columns={"amount": [1]})
        store.load(graph, name, attribute_epsilon_budget=budget)
        store.attribute(name, "age", 0, 10)
    store.drop("old")
    store.register("old", of="people")
    assert "'people'" in store.estimate("old", "percentile", property="age", q=0.5, epsilon=1)["refused"]
    with pytest.raises(BudgetError, match="'people'"):
        store.percentile("old", "age", 0.5, epsilon=9)
    with pytest.raises(BudgetError, match="'people'"):
        store.set_budget("old", 20, attributes=True)
    assert store.budget("old")["attributes"]["epsilon_spent"] == 0
    store.percentile("people", "age", 0.5, epsilon=1)


# -- an analyst's own conditions ----------------------------------------------------------------------


def test_analysts_write_conditions_only_where_a_share_allows_it(store: Store) -> None:
    store.add_analyst("ann")
    store.add_analyst("bob")
    store.grant("payments", "ann", epsilon_budget=1)
    asking = store.asking_as("ann")
    with pytest.raises(AccessError, match="does not allow"):
        asking.register("ann.large", of="payments", where={"amount": {"gte": 1000}})
    assert store.grant("payments", "ann", epsilon_budget=1, filters=True)["filters"] is True
    for name in ("large", "bob.large", "ann."):
        with pytest.raises(ParameterError, match=r"must begin with 'ann\.'"):
            asking.register(name, of="payments")
    with pytest.raises(ParameterError, match="did you mean"):
        asking.register("ann.large", of="payments", where={"amont": 1})
    with pytest.raises(EdgeDPError, match="share of"):
        store.asking_as("bob").register("bob.large", of="payments")
    row = asking.register("ann.large", of="payments", where={"amount": {"gte": 10**9}})
    assert "exact" not in row  # that no row holds is private
    assert asking.priv_top_k("ann.large", metric="degree", k=1, epsilon="0.75").nodes
    assert store.budget("payments")["epsilon_spent"] == 0.75
    assert store.grants("payments")[0]["epsilon_spent"] == 0.75
    with pytest.raises(BudgetError):
        asking.priv_top_k("payments", metric="degree", k=1, epsilon="0.5")
    assert store.grant("payments", "ann", epsilon_budget=1)["filters"] is True  # as it is
    assert "filters" not in store.grant("payments", "ann", epsilon_budget=1, filters=False)
    with pytest.raises(AccessError):
        asking.register("ann.more", of="payments")
    assert store.log("payments")[-1]["details"].get("filters") is None


def test_an_analyst_names_no_graph_of_another_and_is_told_of_no_other_remedy(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a name ends in a full stop and more, it may be that of a longer name."""
    monkeypatch.setattr("edgedp.stores.people.asker._MOST_FILTERS", 2)
    for name in ("ann", "ann.b"):
        store.add_analyst(name)
        store.grant("payments", name, epsilon_budget=1, filters=True)
    store.register("ann.theirs", of="payments")
    ann, other = store.asking_as("ann"), store.asking_as("ann.b")
    for name in ("ann.theirs", "ann.b.mine"):
        with pytest.raises(StoreStateError, match=f"^the name '{name}' is taken; choose another$"):
            ann.register(name, of="payments")
    for name in ("ann.b.mine", "ann.b.v2.1"):
        assert other.register(name, of="payments")["name"] == name
    assert ann.register("ann.large.2024", of="payments"), "those of ann.b are not counted"


@pytest.mark.filterwarnings("ignore:the same list of edges")
@pytest.mark.parametrize("name", ["large", "payments"])
@pytest.mark.parametrize("when", ["since", "meanwhile"])
def test_a_plan_of_a_graph_that_was_replaced_holds_for_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, name: str, when: str
) -> None:
    """The public facts stay, so that nothing but the version says that it is another graph."""
    store.register("large", of="payments", where={"amount": {"gte": 1000}})
    store.add_analyst("bot")
    store.grant("payments", "bot", epsilon_budget=1, agent=True)
    asking, asked = store.asking_as("bot"), {"of": "edges", "epsilon": "0.01", "request_id": "monday"}
    estimate_of = analyst.estimate_of

    def replaced(*given: Any, **named: Any) -> Any:
        told = estimate_of(*given, **named)
        with open_store(store._place) as other:
            other.load(payments(), "payments", replace=True)
        return told

    with monkeypatch.context() as patch:
        if when == "meanwhile":
            patch.setattr(analyst, "estimate_of", replaced)
        told = asking.estimate(name, "count", **asked)
    if when == "since":
        store.load(payments(), "payments", replace=True)
    with pytest.raises(ParameterError, match="plan_id is not of this release"):
        asking.planned(told["plan_id"]).count(name, **asked)
    assert store.budget("payments")["epsilon_spent"] == 0
    anew = asking.estimate(name, "count", **asked)
    assert anew["plan_id"] != told["plan_id"]
    assert asking.planned(anew["plan_id"]).count(name, **asked).epsilon_spent == 0.01


def share_taken(store: Store, *given: Any) -> Any:
    store.revoke_share("payments", "ann")
    return rows_asked(*given)


def graph_replaced(store: Store, *given: Any) -> Any:
    found = rows_asked(*given)
    with open_store(store._place) as other:
        other.load(payments(), "payments", replace=True)
    return found


@pytest.mark.filterwarnings("ignore:the same list of edges")
@pytest.mark.parametrize(
    ("meanwhile", "refused"),
    [
        (share_taken, pytest.raises(EdgeDPError)),
        (graph_replaced, pytest.raises(StoreError, match="by somebody else meanwhile; ask again")),
    ],
)
def test_conditions_register_nothing_where_what_allows_them_changes_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[..., Any], refused: Any
) -> None:
    store.add_analyst("ann")
    store.grant("payments", "ann", epsilon_budget=1, filters=True)
    monkeypatch.setattr(asker, "rows_asked", partial(meanwhile, store))
    with refused:
        store.asking_as("ann").register("ann.large", of="payments", where={"amount": {"gte": 1000}})
    assert [row["name"] for row in store.graphs()] == ["payments"]


def test_a_token_that_is_rotated_while_conditions_or_a_question_arrive_writes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, said, body = routes.json_body, io.StringIO(), {"epsilon": "1", "reason": "to see more"}

    async def rotated(request: Any) -> Any:
        arrived = await real(request)
        store.rotate_analyst("ann")
        return arrived

    token = store.add_analyst("ann")["token"]
    store.grant("payments", "ann", epsilon_budget=1, filters=True)
    client = Inside(Gateway(open_store(store._place), Settings(), Log(said), Metrics()), said)
    monkeypatch.setattr(routes, "json_body", rotated)
    try:
        for place, asked in (("filters", {"name": "ann.late", "at_least": 1}), ("more", body)):
            client.headers["Authorization"] = f"Bearer {token}"
            assert client.post(f"/v1/graphs/payments/{place}", json=asked).status_code == 401
            token = store.rotate_analyst("ann")["token"]
    finally:
        client.close()
    assert [row["name"] for row in store.graphs()] == ["payments"]
    assert store.asked_more() == []


def test_an_analyst_writes_conditions_over_http(store: Store) -> None:
    said = io.StringIO()
    token = store.add_analyst("ann")["token"]
    store.grant("payments", "ann", epsilon_budget=1)
    settings = Settings(response_step=0.001, requests_per_minute=10**6)
    client = Inside(Gateway(open_store(store._place), settings, Log(said), Metrics()), said)
    try:
        client.headers["Authorization"] = f"Bearer {token}"
        asked = {"name": "ann.late", "where": {"at": {"gte": {"date": "2024-02-01"}}}, "at_least": 1}
        assert client.post("/v1/graphs/payments/filters", json=asked).status_code == 403
        store.grant("payments", "ann", epsilon_budget=1, filters=True)
        made = client.post("/v1/graphs/payments/filters", json=asked)
        assert made.status_code == 201, made.text
        assert made.json()["projection"] == {"of": "payments", "where": asked["where"]}
        assert "exact" not in made.json()
        assert client.post("/v1/graphs/payments/filters", json=asked | {"of": "x"}).status_code == 422
        body = {"metric": "degree", "k": 1, "epsilon": "0.5"}
        answer = client.post("/v1/graphs/ann.late/top-k", json=body, headers={"Idempotency-Key": "1"})
        assert answer.status_code == 201, answer.text
    finally:
        client.close()
    assert store.budget("payments")["epsilon_spent"] == 0.5


# -- addresses ----------------------------------------------------------------------------------------


def test_an_address_is_filtered_after_the_debit(tmp_path: Path) -> None:
    place = tmp_path / "lake"
    place.mkdir()
    frame = pl.DataFrame(PAYMENTS, schema=["payer", "payee", "amount", "at"], orient="row")
    frame.write_parquet(place / "1.parquet")
    with open_store(tmp_path / "g.edgedp") as store:
        row = store.register_edges(
            "lake",
            str(place),
            source="payer",
            target="payee",
            where={"amount": {"gte": 1000}},
            epsilon_budget=3,
        )
        assert row["exact"]["edge_count"] == 3
        assert row["columns"] == {"amount": "INTEGER"}
        for _ in range(2):  # read, then from what is kept
            assert edges(store, "lake") == {("a", "d"), ("b", "d"), ("a", "b")}
        frame.with_columns(pl.col("amount") * 10).write_parquet(place / "1.parquet")
        assert ("c", "d") in edges(store, "lake")
        assert store.count("lake", of="edges", epsilon=1).public["projection"] == {
            "where": {"amount": {"gte": 1000}}
        }
        frame.rename({"amount": "sum"}).write_parquet(place / "1.parquet")
        with pytest.raises(EdgeDPError, match="debited"):
            store.count("lake", of="edges", epsilon=1)
        assert store.budget("lake")["epsilon_spent"] == 2
        with pytest.raises(EdgeDPError, match="need the list of all nodes"):
            store.priv_top_k("lake", metric="degree", k=1, epsilon="0.1", engine="spark")
        assert store.budget("lake")["epsilon_spent"] == 2
        with pytest.raises(EdgeDPError, match="kept under the name 'lake'"):
            store.register_edges(
                "again", str(place), source="payer", target="payee", where={"sum": {"gte": 1}}
            )


def test_a_window_of_a_filtered_address_reads_the_rows_of_both(tmp_path: Path) -> None:
    path = tmp_path / "lake.parquet"
    pl.DataFrame(PAYMENTS, schema=["payer", "payee", "amount", "at"], orient="row").write_parquet(path)
    with open_store(tmp_path / "g.edgedp") as store:
        store.register_edges(
            "lake", str(path), source="payer", target="payee", where={"amount": {"gte": 1000}}, epsilon_budget=3,
            date="at", dates={"from": "2024-01-01", "period": "P1M", "are": "final"}, within=1,
        )  # fmt: skip
        with store._session() as session:
            row = registry.known(session, "lake")
            calendar = row_calendar(session)
            for window, expected in (("2024-01", [["a", "d"]]), ("2024-03", []), ("2024-04", [["a", "b"]])):
                for _ in range(2):
                    graph = store._read(session, row, calendar.span(window))
                    assert graph.node_ids[graph.edges()].tolist() == expected
        release = store.count("lake", of="edges", epsilon=3, window="2024-01")
        assert release.public["projection"] == {"where": {"amount": {"gte": 1000}}}
        store.count("lake", of="edges", epsilon=3, window="2024-03")
        with pytest.raises(BudgetError):
            store.count("lake", of="edges", epsilon="0.1", window="2024-01")


def row_calendar(session: Any, name: str = "lake") -> Any:
    from edgedp.ledger import ledger

    return ledger.find(session, name).calendar


@pytest.mark.parametrize("how", ["loaded", "address"])
def test_files_and_addresses_answer_as_the_value_table_says(tmp_path: Path, how: str) -> None:
    chosen = [at for at, value in enumerate(VALUES) if kind_of(value) in ("INTEGER", "FLOAT")]
    lines = [f"0,{node},{VALUES[at]!r}" for node, at in enumerate(chosen, start=1)]
    text = "\n".join(["u,v,x", *lines, "0,0,"]) + "\n"
    asked = [each for each in QUESTIONS if kind_of(each[1]) in ("INTEGER", "FLOAT")][::3]
    with open_store(tmp_path / "g.edgedp") as store:
        if how == "loaded":
            (tmp_path / "x.csv").write_text(text)
            store.load(
                read_graph(tmp_path / "x.csv", source="u", target="v", columns=["x"], one_kind=True), "all"
            )
        for number, (word, bound, expected) in enumerate(asked):
            name, where = f"g{number}", {"x": {word: bound}}
            held = {node for node, at in enumerate(chosen, start=1) if expected[at]}
            if not held:
                continue
            if how == "loaded":
                store.register(name, of="all", where=where)
            else:
                (tmp_path / f"{number}.csv").write_text(text)
                store.register_edges(
                    name,
                    str(tmp_path / f"{number}.csv"),
                    source="u",
                    target="v",
                    where=where,
                    one_kind=True,
                    cache=False,
                )
            graph = store.graph(name)
            assert set(graph.node_ids[graph.edges()][:, 1].tolist()) == held, (word, bound)


# -- Lemma 1 and Theorem 5 ----------------------------------------------------------------------------

_RULES: list[dict[str, Any]] = [
    {"orientation": orientation, "at_least": m} | ({} if where is None else {"where": where})
    for orientation in ("undirected", "mutual", "natural", "reverse")
    for m in (1, 2)
    for where in (None, {"x": {"gte": 1}}, {"x": {"in": [0, 2, "t"]}})
]


def _defined(rows: list[tuple[int, int, Any]], rules: dict[str, Any]) -> set[tuple[int, int]]:
    """Return edges, ascending, or arcs by the definition, one pair after the other."""

    def holds(value: Any) -> bool:
        where = rules.get("where", {}).get("x")
        if where is None:
            return True
        if "in" in where:
            return value in where["in"]
        return isinstance(value, int) and value >= where["gte"]

    arcs = Counter((a, b) for a, b, value in rows if a != b and holds(value))
    match rules["orientation"]:
        case "natural":
            return {arc for arc, times in arcs.items() if times >= rules["at_least"]}
        case "reverse":
            return {(b, a) for (a, b), times in arcs.items() if times >= rules["at_least"]}
        case word:
            pairs = {(min(arc), max(arc)) for arc in arcs}
            return {
                (a, b) for a, b in pairs
                if arcs[a, b] + arcs[b, a] >= rules["at_least"] and (word != "mutual" or (arcs[a, b] and arcs[b, a]))
            }  # fmt: skip


def _read(folder: Path, rows: list[tuple[int, int, Any]]) -> tuple[Graph, Any]:
    path = folder / "rows.csv"
    path.write_text("u,v,x\n" + "".join(f"{a},{b},{'' if x is None else x}\n" for a, b, x in rows))
    graph = read_graph(
        path, nodes=list(range(5)), source="u", target="v", columns=["x"], directed=True, one_kind=True
    )
    return graph, graph.kept["columns"]


@pytest.mark.parametrize(
    "histories", [12, pytest.param(300, marks=pytest.mark.wide), pytest.param(1000, marks=pytest.mark.slow)]
)
def test_a_pair_of_a_file_moves_its_own_edge_and_no_other(tmp_path: Path, histories: int) -> None:
    """Lemma 1 by the reader of files: 24 projections of each random history, and of it without one pair's rows.

    And the weights of a pair move the strengths of its two ends, by what is declared at most.
    """
    from edgedp.graph.columns import KeptRows
    from edgedp.ledger.pairs import rows_projection
    from edgedp.stores.statements.projecting import graph_of_kept

    lot = random.Random(31)
    for _ in range(histories):
        rows = [(lot.randrange(5), lot.randrange(5), lot.choice([0, 1, 2, 3, "t", None])) for _ in range(14)]
        a, b = lot.sample(range(5), 2)
        weight = {"property": "x", "cap": 2, "pair_cap": lot.choice([1, 2, 5])} | lot.choice(
            [
                {},
                {"signed": True},
                {"aggregation": "MAX"},
                {"aggregation": "MIN"},
                {"aggregation": "COUNT", "cap": 2},
            ]
        )
        without = [row for row in rows if {row[0], row[1]} != {a, b}] or [(a, a, 1)]
        read = [_read(tmp_path, each) for each in (rows, without)]
        for rules in _RULES:
            made = rows_projection(
                "all", rules["orientation"], rules.get("where"), rules["at_least"], weight=weight
            )
            found, strengths = [], []
            for (whole, kept), each in zip(read, (rows, without), strict=True):
                graph = graph_of_kept(whole, KeptRows(kept, None), made, None)
                pairs = graph.arcs() if graph.directed else graph.edges()
                found.append({(int(one), int(two)) for one, two in pairs})
                of = edgedp.exact.in_strength if graph.directed else edgedp.exact.strength
                strengths.append(of(graph))
                assert found[-1] == _defined(each, rules), (each, rules)
            assert found[0] - found[1] <= {(a, b), (b, a)}
            assert not found[1] - found[0]
            moved = np.abs(strengths[0] - strengths[1])
            assert moved.max() <= weighting_of(weight).most
            assert set(np.flatnonzero(moved).tolist()) <= {a, b}


def test_the_account_bounds_what_every_pair_loses_through_all_filters(tmp_path: Path) -> None:
    """Theorem 5 by brute force: after every step, what a pair lost of all releases is at most what the log adds up to.

    What a release loses of a pair is its epsilon where taking the pair's rows away changes the graph that it reads,
    and nothing where it does not.
    """
    lot = random.Random(5)
    rows = [(lot.randrange(5), lot.randrange(5), lot.choice([0, 1, 2, 3])) for _ in range(14)]
    graph, _ = _read(tmp_path, rows)
    lost: Counter[tuple[int, int]] = Counter()
    tight = 0
    with open_store(tmp_path / "g.edgedp") as store:
        store.load(graph, "all", epsilon_budget=3)
        chosen = [{"orientation": "undirected", "at_least": 1}, *lot.sample(_RULES, 5)]
        for number, rules in enumerate(chosen):
            store.register(f"g{number}", of="all", allow_empty=True, **rules)
        for step in range(24):
            number = lot.randrange(len(chosen) + 1) - 1
            name = "all" if number < 0 else f"g{number}"
            rules = chosen[max(number, 0)]
            if step % 7 == 3 and number > 0:  # another name for the same rows owns nothing either
                store.drop(name)
                store.register(name, of="all", allow_empty=True, **rules)
            epsilon = lot.choice([100, 200, 300])
            try:
                store.priv_top_k(name, metric="degree", k=1, epsilon=epsilon / 1000, mechanism="em")
            except BudgetError:
                pass
            else:
                for a, b in itertools.combinations(range(5), 2):
                    without = [row for row in rows if {row[0], row[1]} != {a, b}]
                    lost[a, b] += epsilon if _defined(rows, rules) != _defined(without, rules) else 0
            spent = round(store.budget("all")["epsilon_spent"] * 1000)
            assert max(lost.values()) <= spent <= 3000
            tight += max(lost.values()) == spent
    assert tight  # a pair that every release reads loses all of it


def test_a_list_of_which_a_column_may_hold_one_value_is_asked() -> None:
    check_answerable(conditions({"kind": {"in": [7, "call"]}}), {"kind": "TEXT"})
    with pytest.raises(ParameterError, match="holds values of the type TEXT"):
        check_answerable(conditions({"kind": {"in": [7, 8]}}), {"kind": "TEXT"})
