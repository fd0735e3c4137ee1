"""Calendars and runs as values: names, spans, what is closed, and the guard's sums against brute force."""

from __future__ import annotations

import random
import time
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import looped
from edgedp.graph.dated import UNDATED
from edgedp.ledger.account import Account
from edgedp.ledger.calendars.runs import NOTHING, Reach, charged, dearest, steps, touched
from edgedp.ledger.calendars.spans import dated, every_run
from edgedp.ledger.calendars.terms import calendar_of_terms
from edgedp.ledger.log.consistency import of_runs
from edgedp.release.plan.facts import PublicFacts
from edgedp.stores.embedded.windowed import windows_of
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.dates.calendar import Calendar, calendar_kept, calendar_of
from edgedp.words.dates.durations import PERIODS
from edgedp.words.dates.expiry import expiry_of
from edgedp.words.dates.moments import Moment, moment_of
from edgedp.words.errors import ParameterError


def calendar(start: str = "2024-01-01", period: str = "P1M", **said: Any) -> Calendar:
    return calendar_of(start, period, dates="final", **said)


STARTS = {
    "P1D": "2023-12-30",
    "P1W": "2024-01-01",
    "P1M": "2023-11-15",
    "P3M": "2024-02-01",
    "P1Y": "2020-03-01",
}


@looped.as_one
@pytest.mark.parametrize("period", PERIODS)
def test_windows_follow_each_other_and_hold_their_moments(period: str) -> None:
    made = calendar(STARTS[period], period)
    begins = [made.begins(j) for j in range(60)]
    assert begins[0] == datetime.fromisoformat(STARTS[period]).replace(tzinfo=UTC)
    for j, (here, there) in enumerate(pairwise(begins)):
        assert made.ends(j) == there > here
        assert made.holds(here) == made.holds(there - timedelta(microseconds=1)) == j
        assert made.window(made.name(j)) == made.window(here.date().isoformat()) == j
    assert len({made.name(j) for j in range(60)}) == 60


@looped.as_one
@pytest.mark.parametrize("period", PERIODS)
def test_rows_are_put_where_the_calendar_has_them(period: str) -> None:
    """Arrays and single moments are mapped by two codes, which agree at every border."""
    made = calendar(STARTS[period], period)
    borders = [int(made.begins(j).timestamp()) for j in range(40)]
    chosen = random.Random(7).sample(range(borders[0], borders[-1]), 400)
    moments = [second + shift for second in borders for shift in (-1, 0, 1)] + chosen
    found = windows_of(np.array([*moments, UNDATED, -(2**62), 2**62]), made)
    assert found[-3:].tolist() == [-1, -1, -1]
    for second, window in zip(moments, found.tolist(), strict=False):
        assert window == max(made.holds(datetime.fromtimestamp(second, UTC)), -1)


@looped.as_one
@pytest.mark.parametrize(
    ("start", "period", "name", "day"),
    [
        ("2024-01-01", "P1D", "2024-06-01", "2024-06-01"),
        ("2024-01-01", "P1W", "2024-W07", "2024-02-12"),
        ("2020-01-06", "P1W", "2020-W53", "2020-12-28"),
        ("2024-01-01", "P1M", "2024-06", "2024-06-01"),
        ("2024-01-15", "P1M", "2024-06-15", "2024-06-15"),
        ("2024-01-01", "P3M", "2024-Q2", "2024-04-01"),
        ("2024-02-01", "P3M", "2024-05-01", "2024-05-01"),
        ("2020-01-01", "P1Y", "2024", "2024-01-01"),
    ],
)
def test_a_window_has_one_name_and_its_first_day_means_it_too(
    start: str, period: str, name: str, day: str
) -> None:
    made = calendar(start, period)
    span = made.span(name)
    assert span is not None
    assert span == made.span(day) == made.span(windows=f"{name}..{day}")
    assert span.shown == name
    assert span.asked == {"window": name}


@looped.as_one
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"window": "2024-13"}, "must name a window of P1M, such as '2024-01'"),
        ({"window": "2024-06-02"}, "must name a whole window of P1M; write '2024-06'"),
        ({"window": "2024"}, "write '2024-01'"),
        ({"window": "2023-12"}, "before the first window"),
        ({"window": "9999-01"}, "must name a window"),
        ({"window": 5}, "must name a window"),
        ({"window": "2024-06 "}, "must name a window"),
        ({"windows": "2024-06"}, "must be the first and the last"),
        ({"windows": "2024-06..2024-05"}, "swap the two"),
        ({"windows": "2024-01..9000-01"}, "must be at most 10,000"),
        ({"windows": ["2024-01"]}, "must be the first and the last"),
        ({"window": "2024-01", "windows": "2024-01..2024-02"}, "leave one out"),
    ],
)
def test_what_is_no_window_is_refused_in_a_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said.replace(".", r"\.")) as refused:
        calendar().span(**given)
    assert "\n" not in str(refused.value)


def test_a_window_is_closed_after_its_end_and_its_grace() -> None:
    made = calendar(grace="P2D")
    june = made.span("2024-06")
    closed = datetime(2024, 7, 3, tzinfo=UTC)
    made.check_closed(june, closed)
    made.check_closed(None, made.begins(0))  # everything, at any time
    with pytest.raises(ParameterError, match=r"open until 2024-07-03T00:00:00\+00:00 .*P2D of grace"):
        made.check_closed(june, closed - timedelta(microseconds=1))
    with pytest.raises(ParameterError, match="'2024-06' is open"):
        made.check_closed(made.span(windows="2024-01..2024-06"), closed - timedelta(days=1))


@looped.as_one
@pytest.mark.parametrize(
    ("period", "days"), [("P1D", 0.1), ("P1W", 0.7), ("P1M", 3), ("P3M", 9), ("P1Y", 36.5)]
)
def test_grace_is_a_tenth_of_a_period_where_none_is_said(period: str, days: float) -> None:
    assert calendar(STARTS[period], period).grace == timedelta(days=days)


@looped.as_one
@pytest.mark.parametrize(
    ("period", "within", "windows"),
    [
        ("P1M", "P1Y", 12), ("P1M", 3, 3), ("P1M", "3", 3), ("P3M", "P1Y", 4), ("P1D", "P1W", 7), ("P1D", "P1M", 31),
        ("P1W", "P1Y", 53), ("P1Y", "P2Y", 2), ("P1M", "P90D", 4), ("P3M", "P4M", 2), ("P1M", None, None),
    ],
)  # fmt: skip
def test_within_is_a_number_of_windows_that_is_long_enough(
    period: str, within: Any, windows: int | None
) -> None:
    assert calendar("2024-01-01", period, within=within).within == windows


@looped.as_one
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"dates": "edited"}, "must be 'final'"),
        ({"dates": None}, "must be 'final'"),
        ({"period": "P2M"}, "must be one of P1D"),
        ({"start": "2024-1-1"}, "the first day of the first window"),
        ({"start": "2024-01-31"}, "days 1 to 28"),
        ({"within": 0}, "number of windows"),
        ({"within": True}, "number of windows"),
        ({"within": "P1D"}, "must be 1 to"),
        ({"within": "1Y"}, "number of windows"),
        ({"grace": "3"}, "grace is"),
        ({"grace": "P400D"}, "at most a year"),
        ({"type": "DATE"}, "are of a property"),
        ({"property": "at", "type": "STRING"}, "a text is not a date"),
        ({"property": "at", "type": "INTEGER"}, "must be 's' or 'ms'"),
        ({"property": "at", "type": "DATE", "unit": "s"}, "left out for every other type"),
    ],
)
def test_what_is_no_calendar_is_refused(said: dict[str, Any], why: str) -> None:
    given = {"start": "2024-01-01", "period": "P1M", "dates": "final"} | said
    with pytest.raises(ParameterError, match=why):
        calendar_of(**given)


def test_a_calendar_is_read_again_as_it_was_kept_and_one_that_was_edited_is_not() -> None:
    made = calendar(within="P1Y", property="at", type="integer", unit="ms", grace="P1W")
    kept = made.to_dict()
    assert calendar_kept(kept) == made
    assert made.start == date(2024, 1, 1)
    for edit in (
        {"within": "12"},
        {"from": "2024-02-30"},
        {"dates": "edited"},
        {"more": 1},
        {"grace": "P3W"},
    ):
        with pytest.raises(ParameterError):
            calendar_kept(kept | edit)
    with pytest.raises(ParameterError):
        calendar_kept([])


@looped.as_one
@pytest.mark.parametrize("terms", [["{}"], {"calendar": None}, 7, "[]", "{"])
def test_terms_that_somebody_edited_are_refused_whatever_they_are(terms: Any) -> None:
    for _ in range(2):
        with pytest.raises(ParameterError, match="cannot be read; restore a backup"):
            calendar_of_terms(terms)
    assert of_runs([{"seq": 1, "kind": "load", "terms": terms, "runs": None}]) == []
    assert calendar_of_terms(None) is calendar_of_terms("") is calendar_of_terms("{}") is None


@looped.as_one
@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("grace", [None, "P366D", "PT31622399S"])
def test_a_calendar_is_read_again_whatever_its_grace(period: str, grace: str | None) -> None:
    """A tenth of a year is 3,153,600 seconds: an account of years was declared, and no release of it was possible."""
    made = calendar(STARTS[period], period, grace=grace)
    assert calendar_kept(made.to_dict()) == made
    assert made.closes(made.last()) > made.begins(made.last())


def test_a_run_that_outlasts_the_calendar_is_named_to_its_last_window() -> None:
    made = calendar("2020-01-01", "P1Y", within=10_000)
    spent = Account(NANO, NANO, 5, calendar=made, runs=charged(NOTHING, 10_000, 3, 3, 5))
    assert dated(spent)["dearest_run"] == "2020..9997"
    assert [each["windows"] for each in every_run(spent)][-2:] == ["2023..9997", "2024.."]
    with pytest.raises(ParameterError, match="must name a window"):
        made.span("9998")


# -- the guard ---------------------------------------------------------------------------------------------


def lost(debits: list[tuple[int | None, int | None, int]], within: int, start: int) -> int:
    """Return by brute force what the run that begins at a window lost: every debit that reads one of its windows."""
    run = set(range(start, start + within))
    return sum(
        cost
        for first, last, cost in debits
        if first is None or last is None or run & set(range(first, last + 1))
    )


@looped.as_one
@pytest.mark.parametrize("seed", range(40))
def test_sums_of_runs_are_those_of_the_debits(seed: int) -> None:
    """Random debits of windows, spans and everything; every run, by its windows one by one."""
    chance = random.Random(seed)
    within, text = chance.randint(1, 6), NOTHING
    debits: list[tuple[int | None, int | None, int]] = []
    for _ in range(chance.randint(1, 25)):
        first: int | None = chance.randint(0, 14)
        last: int | None = None if first is None else first + chance.choice((0, 0, 0, 1, 5))
        if chance.random() < 0.15:
            first = last = None
        starts = range(-within, 30) if first is None or last is None else range(first - within + 1, last + 1)
        assert touched(text, within, first, last) == max(lost(debits, within, s) for s in starts)
        cost = chance.randint(1, 9)
        text = charged(text, within, first, last, cost)
        debits.append((first, last, cost))
        found = {s: spent for a, b, spent in steps(text) for s in range(a, (b or 40) + 1)}
        assert found == {s: lost(debits, within, s) for s in range(max(found) + 1)}
        assert dearest(text) == max(found.values())


def test_equal_prices_of_every_month_take_no_room() -> None:
    text = NOTHING
    for month in range(600):
        text = charged(text, 12, month, month, 7)
    assert dearest(text) == 84
    assert len(text) < 300


@pytest.mark.parametrize("text", ["", "{}", "[1]", "[0,0,1]", "[0,0.5]", '[0,"0"]', "[0,true]"])
def test_sums_that_somebody_edited_are_none(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong with it
        dearest(text)


def test_records_of_nodes_have_no_dates() -> None:
    facts = PublicFacts(9, calendar=calendar(within=12), span=calendar().span("2024-06"))
    assert Reach.of(facts) == Reach(12, 5, 5)
    assert Reach.of(facts, "attributes") == Reach()
    assert Reach.of(PublicFacts(9, calendar=calendar(), span=facts.span)) == Reach(), (
        "a budget of all time has no runs"
    )


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set here")
def test_a_time_without_a_zone_is_of_utc_wherever_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        for zone in ("America/New_York", "Asia/Kolkata"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            assert expiry_of("2099-06-01T12:00") == "2099-06-01T12:00:00+00:00"
            assert expiry_of("2099-06-01T12:00+02:00") == "2099-06-01T10:00:00+00:00"
            assert moment_of("1970-01-01T00:00:01") == Moment(10**6)
    finally:
        monkeypatch.undo()
        time.tzset()
