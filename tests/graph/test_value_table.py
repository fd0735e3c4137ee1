"""The one table of values, by the readers of files; those of Neo4j and of stores are asked the same questions."""

from __future__ import annotations

import csv
import datetime
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from edgedp import read_graph
from edgedp.graph.columns import Column, ColumnRows
from edgedp.release.conditions import conditions
from value_table import BOUNDS, QUESTIONS, VALUES, kind_of, written


def _answers(column: Column, word: str, bound: Any) -> list[bool]:
    (asked,) = conditions({"x": {word: bound}})
    held: list[bool] = column.holds(asked.comparison, asked.value).tolist()
    return held


def _of(path: Path) -> Column:
    rows: ColumnRows = read_graph(path, source="u", target="v", columns=["x"]).kept["columns"]
    return rows.columns["x"]


def _by_itself(value: Any) -> bool:
    """Whether a text file says the type of a value: there a number in quotes is a number."""
    return not isinstance(value, str) or value in ("text", "é", "z")


@pytest.mark.parametrize("kind", ["INTEGER", "FLOAT", "TEXT", "BOOLEAN", "MOMENT"])
def test_columns_with_types(tmp_path: Path, kind: str) -> None:
    chosen = [at for at, value in enumerate(VALUES) if kind_of(value) == kind]
    if kind == "MOMENT":  # a column of Parquet is of one type: days, local times, or zoned ones
        for of in ("day", "local", "zoned"):
            _typed(tmp_path / f"{of}.parquet", [at for at in chosen if _sort(VALUES[at]) == of])
        return
    _typed(tmp_path / "x.parquet", chosen)


def _sort(value: Any) -> str:
    if not isinstance(value, datetime.datetime):
        return "day"
    return "local" if value.tzinfo is None else "zoned"


def _typed(path: Path, chosen: list[int]) -> None:
    values = [VALUES[at] for at in chosen]
    if _sort(values[0]) == "zoned" and kind_of(values[0]) == "MOMENT":
        values = [value.astimezone(datetime.UTC) for value in values]
    pl.DataFrame({"u": [0] * len(values), "v": range(1, len(values) + 1), "x": values}).write_parquet(path)
    column = _of(path)
    assert column.type == kind_of(VALUES[chosen[0]])
    for word, bound, expected in QUESTIONS:
        assert _answers(column, word, bound) == [expected[at] for at in chosen], (word, bound)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_values_by_themselves(tmp_path: Path, form: str) -> None:
    json_too = [
        at for at, value in enumerate(VALUES) if value != "2024-06-01"
    ]  # a text of JSON that is a date is one
    chosen = json_too if form == "jsonl" else [at for at, value in enumerate(VALUES) if _by_itself(value)]
    path = tmp_path / f"x.{form}"
    if form == "csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(
                [
                    ["u", "v", "x"],
                    *([0, row, written(VALUES[at])] for row, at in enumerate(chosen, 1)),
                    [0, 99, ""],
                ]
            )
    else:
        rows = [
            {"u": 0, "v": row, "x": written(VALUES[at]) if kind_of(VALUES[at]) == "MOMENT" else VALUES[at]}
            for row, at in enumerate(chosen, 1)
        ]
        path.write_text(
            "\n".join(map(json.dumps, [*rows, {"u": 0, "v": 99, "x": None}])) + "\n", encoding="utf-8"
        )
    column = _of(path)
    for word, bound, expected in QUESTIONS:
        assert _answers(column, word, bound) == [*(expected[at] for at in chosen), False], (word, bound)


def test_the_table_is_the_definition() -> None:
    """Numbers by fractions, texts by code points, moments by their instants."""

    def key(value: Any) -> Any:
        match kind_of(value):
            case "INTEGER" | "FLOAT":
                return Fraction(value) if math.isfinite(value) else value
            case "MOMENT":
                whole = (
                    value
                    if isinstance(value, datetime.datetime)
                    else datetime.datetime.combine(value, datetime.time())
                )
                return whole if whole.tzinfo else whole.replace(tzinfo=datetime.UTC)
            case _:
                return value

    def family(value: Any) -> str:
        kind = kind_of(value)
        return "NUMBER" if kind in ("INTEGER", "FLOAT") else kind

    for word, bound, expected in QUESTIONS:
        for value, held in zip(VALUES, expected, strict=True):
            comparable = family(value) == family(bound) and value == value
            one, two = key(value), key(bound)
            found = comparable and bool(
                one == two if word == "eq" else one >= two if word == "gte" else one > two if word == "gt"
                else one <= two if word == "lte" else one < two
            )  # fmt: skip
            assert found == held, (value, word, bound)
    assert len(QUESTIONS) == 5 * len(BOUNDS) - 4
