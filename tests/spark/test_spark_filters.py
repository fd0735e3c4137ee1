"""Conditions on rows that Spark reads: the table of values that every reader answers, and releases of such rows."""

from __future__ import annotations

import csv
import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from edgedp import Graph, open_store
from edgedp.release.conditions import conditions
from edgedp.spark import sources
from edgedp.spark.filters import Holding
from edgedp.spark.sources import Place
from edgedp.words.errors import EdgeDPError, EngineError, ParameterError, StoreError
from edgedp.words.refusals import ENGINE_FAILED
from value_table import QUESTIONS, VALUES, kind_of, written

# Sockets that pyspark leaves to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def sort_of(value: Any) -> str:
    """Return what a column of Parquet holds: moments are days, local times, or zoned ones."""
    if not isinstance(value, datetime.date):
        return kind_of(value)
    if not isinstance(value, datetime.datetime):
        return "DAY"
    return "LOCAL" if value.tzinfo is None else "ZONED"


def check(spark: Any, path: Path, chosen: list[int], *, text: bool) -> None:
    """Compare what executors answer, for the batches that Spark gives them, with the table."""
    place = Place(edges=f"file://{path}", header=True, separator=",")
    frame = sources._read(spark, place.edges, place, True, "edges").select("u", "v", "x")
    batches = frame.toArrow().to_batches()
    rows = dict(enumerate(chosen))
    for word, bound, expected in QUESTIONS:
        held = Holding(conditions({"x": {word: bound}}), ("x",), text)(iter(batches))
        found = {int(each) for batch in held for each in batch.column(1).to_pylist()}
        assert found == {row for row, at in rows.items() if expected[at]}, (word, bound)


@pytest.mark.parametrize("sort", ["INTEGER", "FLOAT", "TEXT", "BOOLEAN", "DAY", "LOCAL", "ZONED"])
def test_columns_with_types_answer_as_the_table_says(spark: Any, tmp_path: Path, sort: str) -> None:
    chosen = [at for at, value in enumerate(VALUES) if sort_of(value) == sort]
    values = [VALUES[at].astimezone(datetime.UTC) if sort == "ZONED" else VALUES[at] for at in chosen]
    count = len(values)
    table = pl.DataFrame({"u": [0] * (count + 1), "v": range(count + 1), "x": [*values, None]})
    table.write_parquet(tmp_path / "x.parquet")
    check(spark, tmp_path / "x.parquet", chosen, text=False)


def test_values_of_a_text_are_taken_as_they_are_written(spark: Any, tmp_path: Path) -> None:
    chosen = [
        at for at, value in enumerate(VALUES) if not isinstance(value, str) or value in ("text", "é", "z")
    ]
    with (tmp_path / "x.csv").open("w", newline="", encoding="utf-8") as stream:
        rows = [[0, row, written(VALUES[at])] for row, at in enumerate(chosen)]
        csv.writer(stream).writerows([["u", "v", "x"], *rows, [0, len(rows), ""]])
    check(spark, tmp_path / "x.csv", chosen, text=True)


def test_releases_are_of_the_rows_that_hold(spark: Any, tmp_path: Path) -> None:
    few, many = (Graph.from_edges([(hub, each) for each in range(40) if each != hub]) for hub in (3, 7))
    for month, graph, amount in (("01", few, 500), ("02", many, 5000)):
        ends = graph.node_ids[graph.edges()]
        folder = tmp_path / "payments" / f"month={month}"
        folder.mkdir(parents=True)
        rows = {"payer": ends[:, 0], "payee": ends[:, 1], "amount": np.full(len(ends), amount)}
        pyarrow.parquet.write_table(pa.table(rows), folder / "a.parquet")
    pyarrow.parquet.write_table(pa.table({"id": few.node_ids}), tmp_path / "nodes.parquet")
    given: dict[str, Any] = {"source": "payer", "target": "payee", "epsilon_budget": 999, "degree_bound": 60}
    given |= {"nodes": str(tmp_path / "nodes.parquet"), "engine": "spark"}
    for mechanism, where, hub in (
        ("joint", {"amount": {"lt": 1000}}, 3),
        ("em", {"month": {"eq": 2}, "payer": {"gte": 0}}, 7),
    ):
        store = open_store(tmp_path / f"{mechanism}.edgedp")
        row = store.register_edges("large", str(tmp_path / "payments"), where=where, **given)
        assert row["exact"]["edge_count"] == few.edge_count
        assert store.priv_top_k("large", "degree", 1, 90, mechanism, engine="spark").nodes == [hub]
    # After other columns came, nothing is spent.
    for part in (tmp_path / "payments").rglob("*.parquet"):
        part.rename(part.parent / "b.parquet")
    (tmp_path / "payments").rename(tmp_path / "before")
    pyarrow.parquet.write_table(pa.table({"payer": [1], "payee": [2]}), tmp_path / "payments")
    with pytest.raises(EdgeDPError, match="must be a column that is kept of the rows"):
        store.priv_top_k("large", "degree", 1, 90, engine="spark")
    assert store.budget("large")["epsilon_spent"] == 90


def test_conditions_that_cannot_be_asked_are_refused(spark: Any, tmp_path: Path) -> None:
    path, store = tmp_path / "e.parquet", open_store(tmp_path / "s.edgedp")
    pyarrow.parquet.write_table(pa.table({"u": [1, 2], "v": [2, 3], "amount": [1, 2]}), path)
    pyarrow.parquet.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "n.parquet")
    given: dict[str, Any] = {"source": "u", "target": "v", "epsilon_budget": 9, "degree_bound": 2}
    listed = given | {"nodes": str(tmp_path / "n.parquet")}
    for asked, says in (
        (given | {"where": {"amount": 1}}, "need the list of all nodes"),
        (listed | {"where": {"many": 1}}, "where compares 'many', must be a column"),
        (listed | {"where": {"amount": "x"}}, "holds values of the type INTEGER"),
        (listed | {"where": {"amount": 1}, "at_least": 2}, "at_least has no effect"),
        (listed | {"weight": {"property": "amount", "cap": 9}}, "weight has no effect"),
        (
            listed | {"where": {"amount": 1}, "directed": True, "orientation": "reverse"},
            "orientation has no effect",
        ),
    ):
        with pytest.raises(ParameterError, match=says):
            store.register_edges("e", str(path), engine="spark", **asked)
    # One that this program reads may be asked of Spark, too, where Spark follows its rules.
    store.register_edges("e", str(path), **listed, where={"amount": 1})
    assert store.estimate("e", metric="degree", k=1, epsilon=1, engine="spark")["refused"] is None
    store.register_edges(
        "w",
        str(path.rename(tmp_path / "w.parquet")),
        **listed,
        at_least=1,
        weight={"property": "amount", "cap": 9},
    )
    with pytest.raises(EngineError, match="whose weight Spark would not heed"):
        store.priv_top_k("w", "degree", 1, 1, engine="spark")


def counted(folder: Path, edges: Path, where: dict[str, Any], engine: Any, **given: Any) -> int:
    """Return the exact number of edges that a curator is told who registers them."""
    listed = folder / "listed.parquet"
    texts = isinstance(given.pop("ids", 0), str)
    nodes = pa.array(["a", 'b"c', "d,e", "f\\", "g"]) if texts else pa.array(range(20))
    pyarrow.parquet.write_table(pa.table({"id": nodes}), listed)
    store = open_store(folder / f"{len(list(folder.iterdir()))}.edgedp")
    row = store.register_edges(
        "e", str(edges), source="u", target="v", nodes=str(listed), where=where, engine=engine,
        epsilon_budget=1, degree_bound=9, **given,
    )  # fmt: skip
    return int(row["exact"]["edge_count"])


def test_fields_in_quotes_are_those_of_every_reader(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text(
        'u,v,x\na,"b""c","1\\"\n"b""c","d,e","""2"""\n"d,e","f\\"," 7 "\n" f\\ ",g,"3"", x"\ng,a, pad \n',
        encoding="utf-8",
    )
    values = ("1\\", '"2"', 7, '3", x', "pad")
    place = Place(edges=f"file://{path}", header=True, separator=",")
    batches = (
        sources._read(spark, place.edges, place, True, "edges").select("u", "v", "x").toArrow().to_batches()
    )
    for value in values:
        held = Holding(conditions({"x": {"eq": value}}), ("x",), True)(iter(batches))
        assert sum(batch.num_rows for batch in held) == 1, value
        assert counted(tmp_path, path, {"x": {"eq": value}}, "native", ids="text") == 1, value
    assert counted(tmp_path, path, {"x": {"eq": values[0]}}, "spark", ids="text") == 1


@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Berlin",
        *(pytest.param(each, marks=pytest.mark.wide) for each in ("Etc/UTC", "GMT+02:00")),
    ],
)
def test_moments_are_compared_whatever_the_zone_of_the_session_is(
    spark: Any, tmp_path: Path, zone: str
) -> None:
    path, midnight = tmp_path / "e.parquet", datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC)
    times = pa.array([midnight, midnight - datetime.timedelta(seconds=1), None], pa.timestamp("us", "UTC"))
    pyarrow.parquet.write_table(pa.table({"u": [0, 1, 2], "v": [1, 2, 3], "x": times}), path)
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        assert counted(tmp_path, path, {"x": {"gte": datetime.date(2024, 1, 2)}}, "spark") == 1
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_what_folders_of_texts_are_named_by_is_compared(spark: Any, tmp_path: Path) -> None:
    """One row holds by all four names, and each of four others fails by one of them alone."""
    named: dict[str, tuple[str, str]] = {
        "day": ("2024-01-01", "2024-02-01"),
        "rate": ("1.5", "2.5"),
        "count": ("1", "99999999999999999999"),
        "at": ("2024-01-01 10%3A00%3A00", "2024-01-02 10%3A00%3A00"),
    }
    where = {
        "day": {"gte": datetime.date(2024, 1, 15)},
        "rate": {"gt": 2},
        "count": {"gt": 1},
        "at": {"gt": datetime.date(2024, 1, 2)},
    }
    for row, fails in enumerate((None, *named)):
        steps = [f"{name}={values[0 if name == fails else 1]}" for name, values in named.items()]
        part = tmp_path.joinpath("rows.csv", *steps)
        part.mkdir(parents=True)
        (part / "a.csv").write_text(f"u,v\n{row},{row + 1}\n")
    assert counted(tmp_path, tmp_path / "rows.csv", where, "spark") == 1


def test_a_column_that_nothing_is_compared_with_is_named(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    for values in (pa.array([b"a"]), pa.array([[1]]), pa.array([{"a": 1}])):
        pyarrow.parquet.write_table(pa.table({"u": [0], "v": [1], "x": values}), path)
        with pytest.raises(EdgeDPError, match="column 'x' of 'the rows' is of") as refused:
            counted(tmp_path, path, {"x": {"eq": 1}}, "spark")
        assert "\n" not in str(refused.value)


def test_texts_of_one_folder_have_the_same_columns_in_the_same_order(spark: Any, tmp_path: Path) -> None:
    """Spark takes columns by their places: in another order they would be other edges without a word."""
    folder = tmp_path / "lake.csv"
    folder.mkdir()
    first, second = folder / "a.csv", folder / "b.csv"
    store = open_store(tmp_path / "s.edgedp")
    asked: dict[str, Any] = {
        "source": "u",
        "target": "v",
        "engine": "spark",
        "epsilon_budget": 9,
        "degree_bound": 4,
    }

    first.write_text("w,u,v\n9,1,2\n9,2,3\n")
    second.write_text("u,v,w\n3,4,9\n4,5,9\n")
    with pytest.raises(EngineError, match="Spark could not compute"):
        store.register_edges("e", str(folder), **asked)
    second.write_text(",u,v\n9,3,4\n9,4,5\n")
    first.write_text(",u,v\n9,1,2\n9,2,3\n")
    with pytest.raises(StoreError, match="with a column that has no name"):
        store.register_edges("e", str(folder), **asked)
    alone = store.register_edges("alone", str(first.rename(tmp_path / "alone.csv")), **asked)
    assert alone["exact"]["edge_count"] == 2
    first.write_text(' w , u,"v"\n9,1,2\n9,2,3\n')
    second.write_text("w,u,v\n9,3,4\n9,4,5\n")
    row = store.register_edges("e", str(folder), **asked)
    assert (row["node_count"], row["exact"]) == (5, {"edge_count": 4, "max_degree": 2})
    second.write_text("u,v,w\n3,4,9\n4,5,9\n")
    with pytest.raises(EdgeDPError) as refused:
        store.priv_top_k("e", "degree", 1, 3, engine="spark")
    assert str(refused.value).partition(" (release ")[0] == ENGINE_FAILED
    assert store.budget("e")["epsilon_spent"] == 3
