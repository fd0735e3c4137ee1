"""Dates beside edges: which moment each value is, what is refused, and that each stays with its own row."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from edgedp import EdgeDPError, open_store, read_graph
from edgedp.graph.dated import UNDATED, seconds_given
from edgedp.graph.reading.dates import dates_of
from edgedp.ledger import registry
from edgedp.words.dates.calendar import calendar_of

NEW_YEAR = 1_704_067_200  # 2024 begins, UTC


def read(values: Any, unit: str | None = None) -> list[int | None]:
    column = values if isinstance(values, pl.Series) else pl.Series(values)
    return dates_of(column, unit, "at", "calls.csv").to_list()


@pytest.mark.parametrize(
    ("texts", "unit", "seconds"),
    [
        (["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.9Z", "2024-01-01"], None, [NEW_YEAR] * 3),
        (["2024-01-01 02:00:00+02:00", "2023-12-31T23:00-0100", "2024-01-01 00:00"], None, [NEW_YEAR] * 3),
        (["2024-02-29", "1969-12-31T23:59:59.5Z", "0001-01-01"], None, [1_709_164_800, -1, -62_135_596_800]),
        (["2024-01-01", " ", None], None, [NEW_YEAR, None, None]),
        (["-1", "-1000", "-1001", "1999"], "ms", [-1, -1, -2, 1]),
        (["-1.5", "+5", "1704067200.9"], "s", [-2, 5, NEW_YEAR]),
    ],
)
def test_a_text_is_a_moment_in_utc_rounded_down(texts: Any, unit: Any, seconds: list[int | None]) -> None:
    assert read(texts, unit) == seconds


def test_what_is_no_date_is_refused_with_the_value() -> None:
    texts = ("2024-02-30", "2023-02-29", "2024-1-5", "01/02/2024", "2024-01", "2024-01-01T24:00:00")
    for text in texts:
        with pytest.raises(EdgeDPError, match="must hold dates such as") as refused:
            read(["2024-01-01", text])
        assert text in str(refused.value)
    with pytest.raises(EdgeDPError, match="say what they count"):
        read(["20240101"])


def test_values_with_a_type_are_read_by_it_whatever_they_count() -> None:
    east = datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert read(pl.Series([east, None])) == [NEW_YEAR, None]
    assert read(pl.Series([east]).dt.convert_time_zone("America/New_York")) == [NEW_YEAR]
    assert read(pl.Series([date(2024, 1, 1), date(1969, 12, 31)])) == [NEW_YEAR, -86_400]
    for unit, many in (("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        counted = pl.Series([NEW_YEAR * many + many - 1, -1]).cast(pl.Datetime(unit))
        assert read(counted) == [NEW_YEAR, -1]
    assert read(pl.Series([NEW_YEAR, -1]), "s") == [NEW_YEAR, -1]
    assert read(pl.Series([NEW_YEAR * 1e3 + 999, -1.0, float("nan")]), "ms") == [NEW_YEAR, -1, None]


def test_numbers_that_are_given_are_rounded_down_before_1970_too() -> None:
    assert seconds_given([-1.5, -0.5, 0.5, np.nan], 4).tolist() == [-2, -1, 0, UNDATED]


def test_moments_that_are_far_away_end_no_process_and_are_not_taken_for_missing_ones() -> None:
    assert read(pl.Series([2**62]).cast(pl.Datetime("ms"))) == [2**62 // 1000]
    assert read(pl.Series([2**30], dtype=pl.Int32).cast(pl.Date)) == [2**30 * 86_400]
    for odd in (
        pl.Series([1e300]),
        pl.Series([float("inf"), 1]),
        pl.Series([float("-inf")]),
        pl.Series([2**63 + 5], dtype=pl.UInt64),
    ):
        with pytest.raises(EdgeDPError, match="a number too large for a date"):
            read(odd, "s")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_each_date_stays_with_its_row(form: str, tmp_path: Path) -> None:
    """Windows against brute force: loops, parallels, pairs turned round, dates before the first day, and none."""
    drawn = random.Random(3)
    low, high = (int(datetime(*day, tzinfo=UTC).timestamp()) for day in ((2023, 12, 20), (2024, 6, 20)))
    rows = [
        (drawn.randrange(9), drawn.randrange(9), None if drawn.random() < 0.1 else drawn.randrange(low, high))
        for _ in range(200)
    ]
    when = [None if at is None else datetime.fromtimestamp(at, UTC) for *_, at in rows]
    frame = pl.DataFrame({"a": [row[0] for row in rows], "at": when, "b": [row[1] for row in rows]})
    path = tmp_path / f"calls.{form}"
    frame.write_parquet(path) if form == "parquet" else frame.write_csv(path)
    months = calendar_of("2024-01-15", "P1M", dates="final")
    with open_store(tmp_path / "store") as store:
        graph = read_graph(path, source="a", target="b", date="at")
        store.load(graph, "calls", epsilon_budget=1, dates={"from": "2024-01-15", "period": "P1M"}, within=2)
        with store._session() as session:
            row = registry.known(session, "calls")
            for first, last in ((0, 0), (1, 1), (4, 4), (0, 2), (0, 9)):
                begin, end = months.begins(first).timestamp(), months.ends(last).timestamp()
                found = store._read(session, row, months.between(first, last))
                assert {tuple(sorted(found.node_ids[each].tolist())) for each in found.edges()} == {
                    (min(a, b), max(a, b))
                    for a, b, at in rows
                    if a != b and at is not None and begin <= at < end
                }
