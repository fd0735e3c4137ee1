"""Spark reads windows of an address: whole parts are left out, and dates compare as this process compares them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from edgedp import EdgeDPError, Store, open_store
from edgedp.graph.reading.dates import dates_of
from edgedp.spark.dates import within
from edgedp.spark.sources import Place, opened
from edgedp.words.dates.calendar import calendar_of

# Sockets that pyspark leaves to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

ENDS: dict[str, Any] = {"source": "payer", "target": "payee"}
DATED: dict[str, Any] = {
    "date": "at", "dates": {"from": "2024-01-01", "period": "P1M", "are": "final"}, "within": 12
}  # fmt: skip


def payments() -> pl.DataFrame:
    """Three months in which another node is the hub each."""
    rows = [
        (hub, other, datetime.date(2024, month, 1 + other % 3 * 13))
        for month, hub in ((1, 10), (2, 20), (3, 30))
        for other in range(1, 41)
        if other != hub
    ]
    return pl.DataFrame(rows, schema={"payer": pl.Int64, "payee": pl.Int64, "at": pl.Date}, orient="row")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    with open_store(tmp_path / "graphs.edgedp") as store:
        yield store


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A folder by date, which is no column inside of the files."""
    place = tmp_path / "payments"
    for (day,), part in payments().group_by("at", maintain_order=True):
        (place / f"at={day}").mkdir(parents=True)
        part.drop("at").write_parquet(place / f"at={day}" / "rows.parquet")
    return place


def hub(store: Store, window: str) -> int:
    [node] = store.priv_top_k("lake", "degree", 1, 90, window=window, engine="spark").nodes
    return int(node)


@pytest.mark.parametrize("engine", ["native", "spark"])
def test_spark_reads_the_parts_of_a_window_and_no_other(
    spark: Any, store: Store, lake: Path, tmp_path: Path, engine: Any
) -> None:
    """The plan filters partitions; and where every other part is broken, a window is drawn and everything is not."""
    nodes = tmp_path / "nodes.parquet"
    pl.DataFrame({"id": range(1, 41)}).write_parquet(nodes)
    store.register_edges("lake", lake, str(nodes), **ENDS, **DATED, epsilon_budget=900, engine=engine)
    months = calendar_of("2024-01-01", "P1M", dates="final")
    span = months.span("2024-02")
    place = Place(edges=str(lake), nodes=str(nodes), **ENDS, ids="integer", date="at")
    shown = opened(place, spark, span).frame._jdf.queryExecution().executedPlan().toString()
    filters = shown.partition("PartitionFilters: [")[2].partition("]")[0]
    assert "(at#" in filters
    assert ">= 2024-02-01" in filters.replace("19754", "2024-02-01")
    for part in lake.glob("at=*"):
        if "2024-02" not in part.name:
            file = part / "rows.parquet"
            whole = bytearray(file.read_bytes())
            end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
            whole[4:end] = bytes(end - 4)  # the footer, which tells the columns, stays
            file.write_bytes(whole)
    assert hub(store, "2024-02") == 20
    with pytest.raises(EdgeDPError):
        hub(store, "2024-03")


@pytest.mark.parametrize(
    ("cast", "unit"),
    [(pl.Datetime("us", "UTC"), None), (pl.Datetime("us"), None), ("s", "s"), ("ms", "ms")],
    ids=["zoned", "local", "seconds", "milliseconds"],
)
def test_spark_compares_dates_as_this_process_does(
    spark: Any, tmp_path: Path, cast: Any, unit: str | None
) -> None:
    months = calendar_of("2024-01-01", "P1M", dates="final")
    borders = [int(months.begins(window).timestamp()) for window in (0, 1, 2)]
    seconds = [each + step for each in borders for step in (-1, 0, 1)] + [-1, 0, 4 * 10**9]
    column = pl.Series("at", [*seconds, None], dtype=pl.Int64)
    if unit is None:
        column = (
            (column * 1_000_000).cast(pl.Datetime("us")).cast(cast)
            if cast == pl.Datetime("us")
            else ((column * 1_000_000).cast(pl.Datetime("us")).dt.replace_time_zone("UTC"))
        )
    elif unit == "ms":
        column = column * 1000 + 999
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"id": range(len(column)), "at": column}).write_parquet(path)
    read = dates_of(column, unit, "at", "rows").to_list()
    span = months.between(0, 0)
    expected = [i for i, each in enumerate(read) if each is not None and borders[0] <= each < borders[1]]
    found = within(spark.read.parquet(str(path)), "at", unit, span).select("id").collect()
    assert sorted(row["id"] for row in found) == expected


def test_spark_says_in_a_sentence_what_dates_it_does_not_take(
    spark: Any, store: Store, tmp_path: Path
) -> None:
    path, nodes = tmp_path / "rows.parquet", tmp_path / "nodes.parquet"
    pl.DataFrame({"id": range(1, 41)}).write_parquet(nodes)
    payments().with_columns(pl.col("at").cast(pl.String)).write_parquet(path)
    asked: dict[str, Any] = {**ENDS, **DATED, "engine": "spark"}
    with pytest.raises(
        EdgeDPError, match="a column of type string, must be DATE, TIMESTAMP or numbers of a unit"
    ):
        store.register_edges("lake", path, str(nodes), **asked)
    payments().write_parquet(path)
    with pytest.raises(EdgeDPError, match="need the list of all nodes"):
        store.register_edges("lake", path, **asked)
    store.register_edges("lake", path, **ENDS, **DATED, epsilon_budget=900)
    with pytest.raises(EdgeDPError, match="need the list of all nodes"):
        hub(store, "2024-01")
    assert store.budget("lake")["epsilon_spent"] == 0


def test_a_moment_in_the_name_of_a_folder_is_of_utc_wherever_it_is_read(spark: Any, tmp_path: Path) -> None:
    """The Java of the tests is elsewhere (`spark_sessions.py`)."""
    assert str(spark._jvm.java.util.TimeZone.getDefault().getID()) != "UTC"
    months = calendar_of("2024-01-01", "P1M", dates="final")
    for number, moment in enumerate(
        ("2023-12-31 23%3A59%3A59", "2024-01-01 00%3A00%3A00", "2024-01-31 23%3A59%3A59")
    ):
        (tmp_path / f"at={moment}").mkdir()
        pl.DataFrame({"id": [number]}).write_parquet(tmp_path / f"at={moment}" / "rows.parquet")
    found = within(spark.read.parquet(str(tmp_path)), "at", None, months.between(0, 0))
    assert sorted(row["id"] for row in found.select("id").collect()) == [1, 2]
