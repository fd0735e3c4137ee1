"""Weights of rows that are read from files, frames and tables, kept in a store, and of a loaded graph's rows."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import strength_definitions as definition
from edgedp import EdgeDPError, Graph, Release, Store, exact, open_store, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.ledger import ledger, registry
from edgedp.stores.returned import release_of

ROWS: list[tuple[int, int, Any]] = [
    (0, 1, "3"), (1, 0, "4.5"), (0, 1, "0.6"), (1, 2, "-3"), (2, 1, "900"), (2, 3, ""), (3, 2, "9 euros"), (3, 3, "7"),
    (3, 0, "1e1"), (0, 2, "nan"), (2, 0, "inf"), (0, 3, "2024-01-02"), (3, 1, "true"), (1, 3, str(2**63)),
]  # fmt: skip
DECLARED = {"property": "amount", "cap": 5, "pair_cap": 8, "step": 0.5}


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def expected(name: str, declared: dict[str, Any] = DECLARED) -> list[int]:
    return definition.strengths(4, [(a, b, number(text)) for a, b, text in ROWS], declared, name)


def texts(rows: list[tuple[int, int, Any]] = ROWS) -> str:
    return "\n".join(["payer,payee,amount", *(f"{a},{b},{text}" for a, b, text in rows)]) + "\n"


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "payments.csv"
    path.write_text(texts())
    return path


READING: dict[str, Any] = {"source": "payer", "target": "payee", "weight": DECLARED}


@pytest.mark.parametrize("kind", ["csv", "json lines", "parquet", "arrow", "frame", "table", "folder"])
def test_every_source_weighs_alike(kind: str, csv: Path, tmp_path: Path) -> None:
    values = [number(text) for _, _, text in ROWS]
    frame = pl.DataFrame({
        "payer": [row[0] for row in ROWS], "payee": [row[1] for row in ROWS], "amount": values,
    })  # fmt: skip
    path, more = csv, READING
    match kind:
        case "json lines":
            path = tmp_path / "payments.jsonl"
            lines = [
                {
                    "payer": a,
                    "payee": b,
                    "amount": v if v is None or np.isfinite(v) else (2.0**70 if v == np.inf else None),
                }
                for (a, b, _), v in zip(ROWS, values, strict=True)
            ]
            path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
        case "parquet":
            frame.write_parquet(path := tmp_path / "payments.parquet")
        case "arrow":
            frame.write_ipc(path := tmp_path / "payments.arrow")
        case "frame":
            graph = Graph.from_frame(frame, **READING)
            assert exact.strength(graph).tolist() == expected("strength")
            listed = Graph.from_frame(frame, nodes=[0, 1, 2, 3], directed=True, **READING)
            assert exact.in_strength(listed).tolist() == expected("in_strength")
            return
        case "table":
            path = tmp_path / "payments.sqlite"
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("CREATE TABLE paid (payer INTEGER, payee INTEGER, amount REAL)")
                connection.executemany("INSERT INTO paid VALUES (?, ?, ?)", frame.rows())
            path, more = f"sqlite:///{path}", READING | {"table": "paid"}  # type: ignore[assignment]
        case "folder":
            (tmp_path / "parts").mkdir()
            for part in range(2):
                (tmp_path / "parts" / f"{part}.csv").write_text(texts(ROWS[part * 7 : part * 7 + 7]))
            path = tmp_path / "parts"
        case _:
            pass
    assert exact.strength(read_graph(path, **more)).tolist() == expected("strength")
    directed = read_graph(path, directed=True, **more)
    assert exact.out_strength(directed).tolist() == expected("out_strength")
    assert "columns" not in directed.kept


def test_columns_and_weights_of_one_column_go_together(csv: Path) -> None:
    graph = read_graph(csv, columns=["amount"], **READING)
    assert exact.strength(graph).tolist() == expected("strength")
    assert list(graph.kept["columns"].columns) == ["amount"]
    by_number = read_graph(csv, source=1, target=2, weight=DECLARED | {"property": 3})
    assert exact.strength(by_number).tolist() == expected("strength")
    counted = read_graph(csv, source=1, target=2, weight={"aggregation": "COUNT", "pair_cap": 3})
    ones = definition.strengths(
        4, [(a, b, 1) for a, b, _ in ROWS], {"pair_cap": 3, "aggregation": "COUNT"}, "strength"
    )
    assert exact.strength(counted).tolist() == ones


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ({"property": "sum", "cap": 5}, "sum"),
        ({"property": 9, "cap": 5}, "9"),
        ({"property": "payer", "cap": 5}, "ends"),
        ({"cap": 5}, "names no column"),
        ({"property": "amount"}, "cap"),
        ({"property": "word", "cap": 5}, "no number"),
    ],
)
def test_what_names_no_column_of_numbers_is_refused(
    weight: dict[str, Any], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "payments.csv"
    path.write_text("payer,payee,amount,word\n1,2,5,a\n2,3,6,b\n")
    with pytest.raises(EdgeDPError, match=said):
        read_graph(path, source="payer", target="payee", weight=weight)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.edgedp") as store:
        yield store


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("titled", [False, True])
def test_a_store_keeps_weights_and_what_is_declared(
    directed: bool, titled: bool, store: Store, csv: Path, tmp_path: Path
) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("id,name\n0,ann\n1,bob\n2,cid\n3,dan\n")
    title: dict[str, Any] = {"title": "name"} if titled else {}
    from edgedp.graph.loading import read_source
    from edgedp.graph.reading import checked_options

    graph, _ = read_source(csv, nodes, checked_options(directed=directed, **READING), **title)
    store.load(graph, "payments", epsilon_budget=30, **title)
    assert store.graph("payments").weighting == graph.weighting
    name = "in_strength" if directed else "strength"
    for engine in ("native", "igraph"):
        assert store.exact("payments", name, engine=engine).tolist() == expected(name)  # type: ignore[arg-type]
    released = store.priv_top_k("payments", metric=name, k=1, epsilon=10).to_dict()  # type: ignore[arg-type]
    assert released["public"]["weight"] | {"property": "amount"} == {
        "property": "amount", "cap": 5, "step": 0.5, "pair_cap": 8, "aggregation": "SUM", "signed": False,
    }  # fmt: skip
    spent = store.budget("payments")["epsilon_spent"]
    other = "strength" if directed else "in_strength"
    for asked in (
        {"metric": other},
        {"metric": name, "mechanism": "sld"},
        {"metric": name, "engine": "cypher"},
    ):
        with pytest.raises(EdgeDPError):
            store.priv_top_k("payments", k=1, epsilon=1, **asked)
    assert store.budget("payments")["epsilon_spent"] == spent == 10
    store.refresh("payments")
    assert store.exact("payments", name).tolist() == expected(name)  # type: ignore[arg-type]


def test_another_declaration_takes_the_place_of_one_and_the_budget_stays(store: Store) -> None:
    edges = [(1, 2), (2, 3)]
    store.load(Graph.from_edges(edges, weights=[5, 9], weight={"cap": 9}), "g", epsilon_budget=3)
    store.priv_top_k("g", metric="strength", k=1, epsilon=1)
    store.load(Graph.from_edges(edges, weights=[5, 9], weight={"cap": 4}), "g", replace=True)
    assert store.exact("g", "strength").tolist() == [4, 8, 4]
    assert store.budget("g")["epsilon_spent"] == 1
    store.load(Graph.from_edges(edges), "g", replace=True)
    with pytest.raises(EdgeDPError, match="needs a graph with weights"):
        store.priv_top_k("g", metric="strength", k=1, epsilon=1)


def test_an_edited_declaration_or_file_releases_nothing(store: Store, tmp_path: Path) -> None:
    store.load(Graph.from_edges([(1, 2)], weights=[900], weight={"cap": 1000}), "g", epsilon_budget=3)
    ledger = next(each for each in (tmp_path / "store.edgedp").iterdir() if "ledger" in each.name)
    with closing(sqlite3.connect(ledger)) as connection, connection:
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        edited = connection.execute(
            "UPDATE graphs SET digest = replace(digest, 'SUM:1000:1:1000', 'SUM:1000:1:10') WHERE digest LIKE '%SUM%'"
        )
        assert edited.rowcount == 1
    with pytest.raises(EdgeDPError):
        store.priv_top_k("g", metric="strength", k=1, epsilon=1)


def test_a_condition_of_a_release_chooses_among_weights_that_have_no_dates(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text("caller,callee,minutes,kind\na,b,100,call\nb,c,5,text\nc,d,900,call\nc,b,900,call\n")
    graph = read_graph(
        path, source="caller", target="callee", one_kind=True, columns=["kind"],
        weight={"property": "minutes", "cap": 900},
    )  # fmt: skip
    asked: dict[str, Any] = {"metric": "strength", "k": 1, "epsilon": 4000}
    with open_store(tmp_path / "store.edgedp") as store:
        store.load(graph, "calls", epsilon_budget=9000)
        assert list(store.priv_top_k("calls", **asked).nodes) == ["c"]
        assert list(store.priv_top_k("calls", where={"kind": "text"}, **asked).nodes) in (["b"], ["c"])


def test_rows_of_a_loaded_graph_are_weighed_within_a_filter(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "payments.csv"
    path.write_text("payer,payee,amount,kind\n1,2,5,a\n2,1,30,b\n2,3,7,a\n3,2,0.5,a\n1,3,x,a\n")
    graph = read_graph(path, source="payer", target="payee", columns=["amount", "kind"])
    store.load(graph, "payments", epsilon_budget=9)
    store.register(
        "of a", of="payments", where={"kind": "a"}, weight={"property": "amount", "cap": 6, "pair_cap": 6}
    )
    assert store.exact("of a", "strength").tolist() == [5, 11, 6]
    released = store.priv_top_k("of a", metric="strength", k=1, epsilon=2)
    assert released.to_dict()["public"]["projection"]["weight"]["cap"] == 6
    assert store.budget("payments")["epsilon_spent"] == 2
    for weight, said in (({"property": "kind2", "cap": 1}, "kind2"), ({"property": "amount"}, "cap")):
        with pytest.raises(EdgeDPError, match=said):
            store.register("wrong", of="payments", weight=weight)


@pytest.mark.parametrize("mechanism", ["joint", "em", "pf"])
def test_a_kept_list_by_strength_is_shown_again(store: Store, csv: Path, mechanism: str) -> None:
    graph = read_graph(csv, directed=True, columns=["amount"], **READING)
    store.load(graph, "payments", epsilon_budget=9)
    store.register("of rows", of="payments", weight=DECLARED)
    assert store.graphs()[1]["weight"]["pair_cap"] == 8
    for name, metric in (("payments", "in_strength"), ("of rows", "strength")):
        asked: dict[str, Any] = {"metric": metric, "k": 2, "epsilon": 1, "mechanism": mechanism}
        first = store.priv_top_k(name, **asked, request_id="monday")
        assert Release.from_dict(first.to_dict()) == release_of(first.to_dict()) == first
        again = store.priv_top_k(name, **asked, request_id="monday")
        assert (again.kept, again.nodes, again.public) == (True, first.nodes, first.public)
        assert store.estimate(name, **asked, request_id="monday")["kept"]
        with pytest.raises(EdgeDPError, match="must be new"):
            store.priv_top_k(name, **asked | {"k": 1}, request_id="monday")
    assert store.budget("payments")["epsilon_spent"] == 2


MONTHS: dict[str, Any] = {
    "dates": {"from": "2024-01-01", "period": "P1M", "are": "final"}, "within": 1,
}  # fmt: skip
DECLARATIONS: list[dict[str, Any]] = [
    {"cap": 5, "pair_cap": 8},
    {"cap": 4, "pair_cap": 6, "signed": True},
    {"cap": 5, "aggregation": "MAX"},
    {"cap": 5, "aggregation": "MIN"},
    {"pair_cap": 2, "aggregation": "COUNT"},
]


def dated_rows(lot: random.Random) -> list[tuple[int, int, float | None, int]]:
    """Return rows of six nodes, each with a weight or none and a month; 0 is none."""
    return [
        (lot.randrange(6), lot.randrange(6), lot.choice([None, -2.5, 0.0, 1.0, 2.25, 7.0]), lot.randrange(4))
        for _ in range(40)
    ]


def in_months(
    rows: list[tuple[int, int, float | None, int]], months: range, declared: dict[str, Any], name: str
) -> list[int]:
    counted = declared.get("aggregation") == "COUNT"
    held = [(a, b, 1 if counted else w) for a, b, w, month in rows if month in months]
    return definition.strengths(6, held, declared, name)


FIRST = [("edges", 1), ("file", 0), ("frame", 4)]


@pytest.mark.parametrize(
    ("way", "declared"),
    [
        pytest.param(way, declared, marks=() if (way, at) in FIRST else pytest.mark.wide)
        for way in ("edges", "file", "frame")
        for at, declared in enumerate(DECLARATIONS)
    ],
    ids=str,
)
def test_a_window_of_a_loaded_graph_adds_up_the_weights_of_its_rows(
    store: Store, tmp_path: Path, declared: dict[str, Any], way: str
) -> None:
    rows = dated_rows(random.Random(f"{declared} {way}"))
    counted = declared.get("aggregation") == "COUNT"
    weight = declared if counted or way == "edges" else declared | {"property": "amount"}
    dates = [None if month == 0 else f"2024-0{month}-15" for *_, month in rows]
    frame = pl.DataFrame({
        "a": [a for a, *_ in rows], "b": [b for _, b, *_ in rows], "amount": [w for _, _, w, _ in rows],
        "at": pl.Series(values=dates).str.to_date(),
    })  # fmt: skip
    frame.write_parquet(tmp_path / "rows.parquet")
    for directed in (False, True):
        match way:
            case "edges":
                graph = Graph.from_edges(
                    [row[:2] for row in rows], nodes=range(6), directed=directed, weight=weight,
                    weights=None if counted else [row[2] for row in rows],
                    dates=np.array([each or "NaT" for each in dates], dtype="datetime64[s]"),
                )  # fmt: skip
            case "frame":
                graph = Graph.from_frame(
                    frame,
                    nodes=list(range(6)),
                    source="a",
                    target="b",
                    directed=directed,
                    weight=weight,
                    date="at",
                )
            case _:
                graph = read_graph(
                    tmp_path / "rows.parquet", nodes=list(range(6)), source="a", target="b", directed=directed,
                    weight=weight, date="at", columns=["amount"] if directed else None,
                )  # fmt: skip
        store.load(graph, "g", epsilon_budget=20, replace=directed, **MONTHS)
        with store._session() as session:
            row = registry.known(session, "g")
            calendar = ledger.find(session, "g").calendar
            assert calendar is not None
            for name in ("in_strength", "out_strength") if directed else ("strength",):
                for asked, months in (
                    ("2024-02..2024-02", range(2, 3)),
                    ("2024-01..2024-02", range(1, 3)),
                    (None, range(4)),
                ):
                    span = None if asked is None else calendar.span(windows=asked)
                    read = store._read(session, row, span)
                    assert getattr(exact, name)(read).tolist() == in_months(rows, months, declared, name)
        metric: Any = "in_strength" if directed else "strength"
        released = store.priv_top_k("g", metric=metric, k=1, epsilon=2, window="2024-02")
        assert released.public["weight"]["pair_cap"] == declared.get("pair_cap", 5)
        assert released.public["windows"] == "2024-02"
    store.priv_top_k("g", metric="in_strength", k=1, epsilon=16, window="2024-02")
    with pytest.raises(EdgeDPError, match="budget"):
        store.priv_top_k("g", metric="in_strength", k=1, epsilon=1, window="2024-02")
    store.priv_top_k("g", metric="in_strength", k=1, epsilon=16, window="2024-03")


@pytest.mark.parametrize("cache", [True, False])
def test_an_address_adds_up_weights_after_the_debit(store: Store, tmp_path: Path, cache: bool) -> None:
    lot = random.Random(5)
    for number, declared in enumerate(DECLARATIONS):
        rows = dated_rows(lot)
        path = tmp_path / f"{number}.csv"
        lines = [
            f"{a},{b},{'' if w is None else w},{'' if month == 0 else f'2024-0{month}-15'},x"
            for a, b, w, month in rows
        ]
        path.write_text("\n".join(["a,b,amount,at,kind", *lines, "0,1,5,2024-02-15,y"]) + "\n")
        nodes = tmp_path / "nodes.txt"
        nodes.write_text("".join(f"{node}\n" for node in range(6)))
        os.utime(path, (0, 0))
        counted = declared.get("aggregation") == "COUNT"
        for directed in (False, True):
            name = f"g{number}{directed}"
            place = tmp_path / f"{name}.csv"
            shutil.copy2(path, place)
            store.register_edges(
                name, str(place), str(nodes), source="a", target="b", directed=directed, cache=cache, date="at",
                weight=declared if counted else declared | {"property": "amount"}, where={"kind": "x"},
                epsilon_budget=9, **MONTHS,
            )  # fmt: skip
            metric: Any = "out_strength" if directed else "strength"
            for _ in range(2):  # read, then from what is kept
                with store._session() as session:
                    row = registry.known(session, name)
                    calendar = ledger.find(session, name).calendar
                    assert calendar is not None
                    for asked, months in (("2024-02", range(2, 3)), (None, range(4))):
                        span = None if asked is None else calendar.span(window=asked)
                        read = store._read(session, row, span)
                        assert read.weights is not None
                        found = getattr(exact, metric)(read).tolist()
                        assert found == in_months(rows, months, declared, metric)
            released = store.priv_top_k(name, metric=metric, k=1, epsilon=1)
            assert released.public["projection"]["weight"]["aggregation"] == declared.get(
                "aggregation", "SUM"
            )
    with pytest.raises(EdgeDPError, match="engine is 'spark'"):
        store.priv_top_k("g0False", metric="strength", k=1, epsilon=1, engine="spark")
    for weight, said in (({"property": "sum", "cap": 1}, "sum"), ({"property": "amount"}, "no cap")):
        with pytest.raises(EdgeDPError, match=said):
            store.register_edges("wrong", str(path), source="a", target="b", weight=weight)
    with pytest.raises(EdgeDPError, match="weight has no effect for an address that only Spark reads"):
        store.register_edges(
            "wrong",
            str(path),
            engine="spark",
            source="a",
            target="b",
            weight={"property": "amount", "cap": 1},
        )
    (tmp_path / "g0False.csv").write_text("a,b,sum,at,kind\n0,1,2,2024-01-05,x\n")
    spent = store.budget("g0False")["epsilon_spent"]
    with pytest.raises(EdgeDPError, match="debited"):
        store.priv_top_k("g0False", metric="strength", k=1, epsilon=1)
    assert store.budget("g0False")["epsilon_spent"] == spent + 1


def test_a_file_of_windows_without_weights_releases_nothing(store: Store, tmp_path: Path) -> None:
    graph = Graph.from_edges(
        [(1, 2)], weights=[3], weight={"cap": 3}, dates=np.array(["2024-01-05"], dtype="datetime64[s]")
    )
    del graph.kept["weighed"]  # as an earlier version would have written it
    store.load(graph, "g", epsilon_budget=3, **MONTHS)
    with pytest.raises(EdgeDPError, match="debited"):
        store.priv_top_k("g", metric="strength", k=1, epsilon=1, window="2024-01")


def test_the_command_line_loads_weights(csv: Path, tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        return CliRunner().invoke(command_line, ["--store", str(tmp_path / "s.edgedp"), *words])

    loaded = run(
        "load", str(csv), "--source", "payer", "--target", "payee", "--weight", "amount", "--weight-cap", "5",
        "--weight-step", "0.5", "--weight-pair-cap", "8", "--epsilon-budget", "3", "--name", "payments",
    )  # fmt: skip
    assert loaded.exit_code == 0, loaded.output
    assert "8 of 14 rows weigh something" in loaded.output
    values = run("exact", "payments", "--metric", "strength", "--format", "json")
    assert {each["id"]: each["value"] for each in json.loads(values.stdout)} == dict(
        enumerate(expected("strength"))
    )
    released = run(
        "topk", "payments", "--metric", "strength", "-k", "1", "--epsilon", "1", "--format", "json"
    )
    assert json.loads(released.stdout)["public"]["weight"]["pair_cap"] == 8
    refused = run(
        "load", str(csv), "--source", "payer", "--target", "payee", "--weight", "amount", "--name", "other"
    )
    assert refused.exit_code == 1
    assert "has no cap" in refused.output
    alone = run(
        "load", str(csv), "--source", "payer", "--target", "payee", "--weight-cap", "5", "--name", "other"
    )
    assert alone.exit_code == 1
    assert "names no column" in alone.output
