"""Windows of rows at an address: by the column that the account's calendar names, of everything that is there."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from conftest import OpenStore

from edgedp import BudgetError, EdgeDPError, Graph, ParameterError, Store, open_store, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.loading import addresses
from edgedp.ledger import registry
from edgedp.ledger.rows import GraphRow
from edgedp.stores.addresses import kept_rows
from edgedp.stores.releases import at_address
from edgedp.words.dates.calendar import calendar_of
from edgedp.words.refusals import NODES_CHANGED

ENDS: dict[str, Any] = {"source": "payer", "target": "payee"}
MONTHS: dict[str, Any] = {"from": "2024-01-01", "period": "P1M", "are": "final"}
DATED: dict[str, Any] = {"date": "at", "dates": MONTHS, "within": 12}


def payments() -> pl.DataFrame:
    """Three months in which another node is the hub each, rows before the first window, and rows without a date."""
    rows: list[tuple[int, int, datetime.date | None]] = []
    for month, hub in ((1, 10), (2, 20), (3, 30)):
        rows += [
            (hub, other, datetime.date(2024, month, 1 + 9 * (other % 4)))
            for other in range(1, 41)
            if other != hub
        ]
    rows += [(40, other, datetime.date(2023, 12, 31)) for other in range(1, 40)]
    rows += [(39, other, None) for other in range(1, 39)]
    return pl.DataFrame(rows, schema={"payer": pl.Int64, "payee": pl.Int64, "at": pl.Date}, orient="row")


HUBS = {"2024-01": 10, "2024-02": 20, "2024-03": 30}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The owner's cache, in which files count as settled at once."""
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(addresses, "_SETTLED_NANOSECONDS", -(10**12))
    return tmp_path / "cache" / "addresses"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "graphs.edgedp") as opened:
        yield opened


@pytest.fixture
def lake(tmp_path: Path, cache: Path) -> Path:
    """A folder by date, which is no column inside of the files."""
    place = tmp_path / "payments"
    for (day,), part in payments().group_by("at", maintain_order=True):
        value = "__HIVE_DEFAULT_PARTITION__" if day is None else day
        (place / f"at={value}").mkdir(parents=True)
        part.drop("at").write_parquet(place / f"at={value}" / "rows.parquet")
    return place


def test_kept_windows_are_those_of_their_first_day(cache: Path) -> None:
    dates = np.array(["2024-01-10", "2024-01-20"], dtype="datetime64[D]")
    graph = Graph.from_edges([(1, 2), (2, 3)], dates=dates)
    months, later = (
        calendar_of(first, "P1M", within=1, dates="final") for first in ("2024-01-01", "2024-01-15")
    )
    kept_rows.keep("place", "0" * 16, graph, months)
    found = kept_rows.kept_window("place", "0" * 16, months.between(0, 0), nodes_supplied=False)
    assert found is not None
    assert found.edge_count == 2
    assert kept_rows.kept_window("place", "0" * 16, later.between(0, 0), nodes_supplied=False) is None


def hub(store: Store, window: str, **asked: Any) -> int:
    [node] = store.priv_top_k("lake", "degree", 1, 90, window=window, **asked).nodes
    return int(node)


# -- releases ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cached", [True, False], ids=["kept", "read each time"])
def test_each_window_is_the_rows_of_its_dates_and_costs_its_runs_alone(
    store: Store, lake: Path, cache: Path, cached: bool
) -> None:
    row = store.register_edges(
        "lake", lake, **ENDS, **DATED | {"within": 1}, epsilon_budget=100, cache=cached
    )
    assert row["exact"]["dated_rows"] == 39 * 3
    assert row["exact"]["undated_rows"] == 39 + 38
    for window, node in HUBS.items():
        assert hub(store, window) == node
    with pytest.raises(BudgetError):
        hub(store, "2024-02")
    with pytest.raises(BudgetError):  # everything overlaps all
        store.priv_top_k("lake", "degree", 1, 90)
    assert store.graphs()[0]["name"] == "lake"
    assert list(cache.glob("*.windows")) == [] if not cached else len(list(cache.glob("*.windows"))) == 1


def test_windows_are_kept_for_the_calendar_by_which_they_were_read(
    tmp_path: Path, lake: Path, cache: Path
) -> None:
    """Another store may part the same address into years, and both keep what they read in one cache."""
    asked = {"P1M": ("2024-01", 39), "P1Y": ("2024", 3 * 39 - 3)}
    for period in asked:
        with open_store(tmp_path / f"{period}.edgedp") as store:
            given = DATED | {"dates": MONTHS | {"period": period}}
            store.register_edges("lake", lake, **ENDS, **given, epsilon_budget=2000)
    for period in ("P1M", "P1Y", "P1M"):
        window, edges = asked[period]
        with open_store(tmp_path / f"{period}.edgedp") as store:
            assert store.count("lake", "edges", 900, window=window).value == edges
        assert len(list(cache.glob("*.windows"))) == 1


def test_a_span_and_every_kind_of_release_read_windows(store: Store, lake: Path) -> None:
    store.register_edges("lake", lake, **ENDS, **DATED, epsilon_budget=9000)
    frame = payments().filter(pl.col("at").dt.month() < 3, pl.col("at") >= datetime.date(2024, 1, 1))
    both = Graph.from_frame(frame.to_pandas(), "payer", "payee")
    asked = {"windows": "2024-01..2024-02"}
    assert store.count("lake", "edges", 900, **asked).value == both.edge_count  # type: ignore[arg-type]
    assert set(store.priv_top_k("lake", "degree", 2, 900, **asked).nodes) == {10, 20}  # type: ignore[arg-type]
    assert store.summary("lake", 900, **asked)  # type: ignore[arg-type]
    assert store.distribution("lake", epsilon=900, **asked)  # type: ignore[arg-type]
    whole = store.count("lake", "edges", 900).value
    assert whole == read_graph(lake, **ENDS).edge_count > both.edge_count


@pytest.mark.filterwarnings("ignore:the same list of edges was loaded before")
def test_windows_are_those_of_a_loaded_graph_row_by_row(store: Store, tmp_path: Path, cache: Path) -> None:
    """Moments around each border, before 1970, missing and far away; the same windows by both ways."""
    months = calendar_of("2024-01-01", "P1M", dates="final")
    borders = [int(months.begins(window).timestamp()) for window in range(4)]
    moments = [each + step for each in borders for step in (-1, 0, 1)] + [-5, 0, 2**40]
    noise = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "payer": noise.integers(1, 9, 400), "payee": noise.integers(1, 9, 400),
            "at": noise.choice(moments, 400),
        }
    ).with_columns(pl.when(pl.int_range(400) % 9 == 0).then(None).otherwise(pl.col("at")).alias("at"))  # fmt: skip
    path = tmp_path / "rows.parquet"
    frame.write_parquet(path)
    kept: dict[str, Any] = {"dates": MONTHS, "within": 12, "epsilon_budget": 1}
    store.load(read_graph(path, **ENDS, date="at", date_unit="s"), "loaded", **kept)
    store.register_edges("lake", path, **ENDS, **kept, date="at", date_unit="s")
    with store._session() as session:
        rows = {name: registry.known(session, name) for name in ("loaded", "lake")}
        calendar = calendar_of(
            "2024-01-01", "P1M", within=12, dates="final", property="at", type="INTEGER", unit="s"
        )
        plain = calendar_of("2024-01-01", "P1M", within=12, dates="final")
        for window in ("2024-01", "2024-02", "2024-03"):
            for _ in range(2):  # read, and from what is kept
                found = at_address.read(rows["lake"], None, calendar.span(window))
                expected = session.graph(rows["loaded"], plain.span(window))
                assert np.array_equal(found.node_ids, expected.node_ids)
                assert np.array_equal(found.edges(), expected.edges())


def test_directions_and_a_source_go_with_windows(store: Store, lake: Path) -> None:
    store.register_edges("lake", lake, **ENDS, **DATED, epsilon_budget=900, directed=True, protect="target")
    release = store.priv_top_k("lake", "out_degree", 1, 90, window="2024-03")
    assert release.nodes == [30]
    assert "dated within any 12 consecutive windows" in release.public["protects"]


@pytest.mark.parametrize("rows", ["a new node in another window", "no row of that window"])
def test_nodes_are_those_of_all_windows(store: Store, tmp_path: Path, cache: Path, rows: str) -> None:
    path = tmp_path / "rows.parquet"
    payments().write_parquet(path)
    store.register_edges("lake", path, **ENDS, **DATED, epsilon_budget=900)
    if rows == "no row of that window":
        assert len(store.priv_top_k("lake", "degree", 40, 1, window="2024-05").nodes) == 40
        return
    more = pl.DataFrame({"payer": [99], "payee": [1], "at": [datetime.date(2024, 3, 3)]})
    pl.concat([payments(), more]).write_parquet(path)
    with pytest.raises(EdgeDPError, match=NODES_CHANGED.partition(";")[0]):
        store.priv_top_k("lake", "degree", 1, 1, window="2024-01")
    assert store.budget("lake")["epsilon_spent"] == 1


# -- what is declared -------------------------------------------------------------------------------


def test_a_calendar_and_a_column_of_dates_go_together(store: Store, lake: Path) -> None:
    for asked, says in [
        ({"date": "at"}, "the rows have dates, and there is no calendar"),
        ({"dates": MONTHS}, "the rows have no dates; name their column"),
        ({"within": 3}, "there is no calendar beside it"),
        ({"date": "at", "dates": {"from": "2024-01-01", "period": "P1M"}}, "must be 'final'"),
        ({"date": "at", "dates": MONTHS | {"property": "at"}}, "property"),
        ({"date": "payer", "dates": MONTHS}, "another column than the ends"),
        ({"date": "when", "dates": MONTHS}, "date is 'when'"),
    ]:
        with pytest.raises(EdgeDPError, match=says):
            store.register_edges("lake", lake, **ENDS, **asked)  # type: ignore[arg-type]
    assert store.graphs() == []


def test_the_first_debit_freezes_the_column(store: Store, tmp_path: Path, cache: Path) -> None:
    """By another column every row would be in another window, and everything could be had twice."""
    path = tmp_path / "rows.parquet"
    frame = payments().with_columns(pl.col("at").dt.offset_by("1mo").alias("paid"))
    frame.write_parquet(path)
    store.register_edges("lake", path, **ENDS, **DATED | {"within": 1}, epsilon_budget=90)
    hub(store, "2024-01")
    store.drop("lake")
    again: dict[str, Any] = {"dates": MONTHS, "within": 1}
    for asked, says in [
        ({"date": "paid", **again}, "another than that for which releases"),
        ({"date": "paid"}, "promise that no date changed since"),
        ({"date": "paid", "dates": {"are": "final"}}, "needs its first day|another than"),
        ({}, "promise that no date changed since"),
    ]:
        with pytest.raises(EdgeDPError, match=says):
            store.register_edges("lake", path, **ENDS, **asked)
    store.register_edges("lake", path, **ENDS, **again, date="at")
    with pytest.raises(BudgetError):
        hub(store, "2024-01")
    assert hub(store, "2024-02") == 20


@pytest.mark.parametrize("of", ["loaded", "another column", "an account"])
def test_a_calendar_of_something_else_is_not_taken_for_this_one(store: Store, lake: Path, of: str) -> None:
    match of:
        case "an account":
            dates = {"property": "sent", "type": "DATE", **MONTHS}
            store.account("lake", 1, dates=dates, within=1)
        case "another column":
            store.account("lake", 1, dates={"property": "sent", "type": "ZONED DATETIME", **MONTHS}, within=1)
        case _:
            graph = read_graph(lake, **ENDS, date="at")
            store.load(graph, "lake", 90, dates=MONTHS, within=1)
            hub(store, "2024-01")
            store.drop("lake")
    asked: list[dict[str, Any]] = [{"date": "at"}, {}]
    for each in asked:
        with pytest.raises(EdgeDPError, match=r"has a calendar by the dates of|promise that no date"):
            store.register_edges("lake", lake, **ENDS, **each)
    assert store.graphs() == []


@pytest.mark.parametrize("engine", ["native", "spark"])
def test_no_row_of_a_registry_makes_everything_as_cheap_as_a_window(
    store: Store, lake: Path, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account with a calendar, and an address without its dates: refused before the debit, and when it is read."""
    store.account("lake", 1, dates={"property": "at", "type": "DATE", **MONTHS}, within=1)
    with monkeypatch.context() as unguarded:
        unguarded.setattr(GraphRow, "at_address", property(lambda _: False))
        store.register_edges("lake", lake, **ENDS)
    with pytest.raises(ParameterError, match="the rows at the address have no dates of this calendar"):
        store.priv_top_k("lake", "degree", 1, 1, window="2024-02", engine=engine)
    assert store.budget("lake")["epsilon_spent"] == 0
    february = calendar_of("2024-01-01", "P1M", dates="final").span("2024-02")
    with store._session() as session:
        row = registry.known(session, "lake")
        with pytest.raises(EdgeDPError, match="could not read the graph"):
            store._read(session, row, february)


def test_an_open_window_is_refused_and_costs_nothing(store: Store, lake: Path) -> None:
    store.register_edges("lake", lake, **ENDS, **DATED, epsilon_budget=9)
    with pytest.raises(ParameterError, match="is open until"):
        store.priv_top_k("lake", "degree", 1, 1, window="2997-01")
    assert store.budget("lake")["epsilon_spent"] == 0


def test_the_command_declares_dates_of_an_address(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Any:
        return CliRunner().invoke(command_line, ["--store", "s.edgedp", *words])

    calendar = ["--from", "2024-01-01", "--period", "P1M", "--within", "P1Y", "--dates", "final"]
    place = ["register", "lake", "--edges", "payments", "--source", "payer", "--target", "payee"]
    done = run(*place, "--date", "at", *calendar, "--epsilon-budget", "99")
    assert done.exit_code == 0, done.output
    done = run(
        "topk",
        "lake",
        "-k",
        "1",
        "--metric",
        "degree",
        "--epsilon",
        "90",
        "--window",
        "2024-02",
        "--format",
        "json",
    )
    assert json.loads(done.stdout)["nodes"] == [20]
    done = run(*place, "--date", "at", *calendar, "--date-type", "zoned")
    assert "--date-type is not an option of edges at an address" in done.output


def test_a_database_keeps_what_an_address_is_as_a_store_does(open_any: OpenStore, lake: Path) -> None:
    """Nodes by their digest, directions and windows: each release of it failed in Neo4j before."""
    store = open_any()
    asked: dict[str, Any] = {**ENDS, **DATED, "within": 1, "directed": True, "epsilon_budget": 100}
    row = store.register_edges("lake", lake, **asked)
    assert row["directed"]
    assert store.graphs()[0]["directed"]
    assert hub(store, "2024-01") == 10
    with pytest.raises(BudgetError):
        hub(store, "2024-01")
    assert store.priv_top_k("lake", "out_degree", 1, 90, window="2024-02").nodes == [20]
    assert store.check() == []
    assert store.graph("lake").arc_count == read_graph(lake, **ENDS, directed=True).arc_count
    more = pl.DataFrame({"payer": [99], "payee": [1]})
    more.write_parquet(lake / "at=2024-03-10" / "more.parquet")
    with pytest.raises(EdgeDPError, match=NODES_CHANGED.partition(";")[0]):
        store.priv_top_k("lake", "degree", 1, 1, window="2024-03")
