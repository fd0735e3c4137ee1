"""Weights of rows that are read from files, frames and tables, kept in a store, and of a loaded graph's rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import strength_definitions as definition
from edgedp import EdgeDPError, Graph, Release, Store, exact, open_store, read_graph
from edgedp.faces.cli import edgedp as command_line
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
            with sqlite3.connect(path) as connection:
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
    with sqlite3.connect(ledger) as connection:
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


def test_weights_and_windows_of_one_loaded_graph_are_refused(store: Store) -> None:
    graph = Graph.from_edges(
        [(1, 2)], weights=[3], weight={"cap": 3}, dates=np.array(["2024-01-05"], dtype="datetime64[s]")
    )
    with pytest.raises(EdgeDPError, match="weights and dates"):
        store.load(
            graph, "g", epsilon_budget=3,
            dates={"from": "2024-01-01", "period": "P1M", "are": "final"}, within="P1Y",
        )  # fmt: skip


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
