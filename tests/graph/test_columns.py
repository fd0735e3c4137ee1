"""Columns that are kept of every row: read alike from every format that has columns, and compared by one table."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from edgedp import Graph, ParameterError, read_graph
from edgedp.graph.columns import BY_VALUE, Column, ColumnRows
from edgedp.graph.typed import by_value, typed

ROWS = [
    ("a", "b", 5, 1.5, "call", True, date(2024, 1, 1)),
    ("b", "a", 1000, None, "text", False, date(2024, 2, 1)),
    ("a", "b", None, 2.0, None, None, None),
    ("c", "c", -3, -1.0, "ä", True, date(1999, 12, 31)),
]
NAMES = ["payer", "payee", "amount", "rate", "kind", "paid", "day"]
KEPT = NAMES[2:]


def _frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=NAMES, orient="row")


def _written(folder: Path, form: str) -> Path:
    path, frame = folder / f"payments.{form}", _frame()
    match form:
        case "csv":
            frame.write_csv(path)
        case "tsv":
            frame.write_csv(path, separator="\t")
        case "parquet":
            frame.write_parquet(path)
        case "arrow":
            frame.write_ipc(path)
        case _:
            lines = [
                {name: str(v) if isinstance(v, date) else v for name, v in row.items()}
                for row in frame.to_dicts()
            ]
            path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def _rows(graph: Graph) -> ColumnRows:
    rows: ColumnRows = graph.kept["columns"]
    return rows


QUESTIONS = [
    ("amount", "gte", 5, [True, True, False, False]),
    ("amount", "lt", 5.5, [True, False, False, True]),
    ("rate", "gt", 1, [True, False, True, False]),
    ("kind", "in", ["call", "ä"], [True, False, False, True]),
    ("kind", "gte", 5, [False] * 4),
    ("paid", "eq", True, [True, False, False, True]),
]


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "arrow", "jsonl"])
def test_every_format_keeps_the_same_rows(tmp_path: Path, form: str) -> None:
    from edgedp.words.dates.moments import moment_of

    graph = read_graph(_written(tmp_path, form), columns=KEPT)
    rows = _rows(graph)
    assert graph.node_ids[rows.ends].tolist() == [[row[0], row[1]] for row in ROWS]
    for name, word, value, expected in QUESTIONS:
        assert rows.columns[name].holds(word, value).tolist() == expected, (name, word)
    since = moment_of("2024-01-01")
    assert rows.columns["day"].holds("gte", since).tolist() == [True, True, False, False]
    by_itself = form in ("csv", "tsv", "jsonl")
    assert set(rows.types.values()) == {BY_VALUE} if by_itself else BY_VALUE not in rows.types.values()


def test_frames_and_pairs_keep_them_too() -> None:
    of_frame = _rows(Graph.from_frame(_frame(), "payer", "payee", columns=["amount"]))
    pairs = [(row[0], row[1]) for row in ROWS]
    of_pairs = _rows(Graph.from_edges(pairs, columns={"amount": [row[2] for row in ROWS]}))
    for rows in (of_frame, of_pairs):
        assert rows.columns["amount"].holds("gte", 5).tolist() == [True, True, False, False]
        assert rows.types == {"amount": "INTEGER"}


def test_a_folder_keeps_the_columns_of_all_its_files_and_refuses_other_types(tmp_path: Path) -> None:
    folder = tmp_path / "payments"
    folder.mkdir()
    frame = _frame()
    frame.head(2).write_parquet(folder / "1.parquet")
    frame.tail(2).write_parquet(folder / "2.parquet")
    rows = _rows(read_graph(folder, columns=["amount"]))
    assert rows.columns["amount"].holds("gte", 5).tolist() == [True, True, False, False]
    frame.tail(2).with_columns(pl.col("amount").cast(pl.Float64)).write_parquet(folder / "2.parquet")
    with pytest.raises(Exception, match="columns of other types"):
        read_graph(folder, columns=["amount"])


def test_columns_by_number_of_a_text_without_names(tmp_path: Path) -> None:
    path = tmp_path / "calls.txt"
    path.write_text("1 2 60 5\n2 1 30 5\n1 3  90 6\n")
    rows = _rows(read_graph(path, source=1, target=2, columns=[3]))
    assert rows.columns["3"].holds("gte", 60).tolist() == [True, False, True]


def test_the_two_columns_that_are_left_are_the_ends(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text("at,x,seconds,y\n2024-01-01,1,5,2\n2024-01-02,2,6,3\n")
    graph = read_graph(path, columns=["seconds", "at"])
    assert graph.node_ids.tolist() == [1, 2, 3]
    assert _rows(graph).columns["seconds"].holds("gt", 5).tolist() == [False, True]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["amont"], "must be one of the names of the columns"),
        (["payer"], "another column than the ends"),
        (["amount", "amount"], "every column once"),
        (["amount", 3], "names one column twice"),
        ([9], "must be at most 7"),
        (5, "must name 50 columns at most"),
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, asked: object, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        read_graph(_written(tmp_path, "csv"), source="payer", target="payee", columns=asked)  # type: ignore[arg-type]


def test_a_format_without_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.net"
    path.write_text('*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2\n')
    with pytest.raises(ParameterError, match="columns has no effect for Pajek"):
        read_graph(path, columns=["weight"])


def test_a_quoted_field_and_a_long_text_are_kept_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text('u,v,note\n1,2,"a, b"\n2,3,\n3,1,"say ""hi"""\n')
    column = _rows(read_graph(path, source="u", target="v", columns=["note"])).columns["note"]
    assert column.parts["TEXT"].to_list() == ["a, b", None, 'say "hi"']


def test_typed_columns_of_every_type() -> None:
    def column(values: list[object], dtype: object = None) -> Column:
        return typed(pl.Series(values=values, dtype=dtype), "x", "a frame")  # type: ignore[arg-type]

    assert column([2**63, 5], pl.UInt64).holds("gte", 2**62).tolist() == [True, False]
    assert column([2**63, 5], pl.UInt64).holds("eq", 5).tolist() == [False, True]
    assert column([Decimal("0.10"), Decimal("9.99")]).holds("lte", 0.1).tolist() == [True, False]
    assert column(["a"], pl.Categorical).type == "TEXT"
    zoned = column([datetime(2024, 1, 1, tzinfo=UTC)], pl.Datetime("ns", "Asia/Tokyo"))
    assert zoned.parts["MOMENT"].to_list() == [1_704_067_200_000_000]
    assert by_value(pl.Series(["1e3", "x"])).holds("eq", 1000).tolist() == [True, False]
    with pytest.raises(Exception, match="must hold numbers"):
        column([[1]])
