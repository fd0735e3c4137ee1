"""Releases of windows of a loaded graph: the guard of the debit, what is read, and what is refused."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from edgedp import BudgetError, EdgeDPError, Graph, ParameterError, Store, StoreError, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.ledger.calendars.runs import dearest
from edgedp.ledger.chain import FIELDS, STATE, digest, link
from edgedp.ledger.log.consistency import of_shares
from edgedp.stores.embedded.backend import EmbeddedSession
from edgedp.stores.embedded.sqlite import opened
from edgedp.stores.releases import releasing, trial
from edgedp.stores.statements.queries import query
from made_once import copied

MONTHS = {"from": "2020-01-01", "period": "P1M", "are": "final"}
START = datetime(2020, 1, 1, tzinfo=UTC)


def month(number: int) -> str:
    return f"{2020 + number // 12}-{number % 12 + 1:02d}"


def dated(months: int = 24, *, directed: bool = False) -> Graph:
    """Return a graph of 12 nodes: in month j an edge of node j % 12 to three others; one edge without a date."""
    edges, dates = [(1, 12)], [np.datetime64("NaT", "s")]
    for j in range(months):
        at = np.datetime64(f"{month(j)}-15T12:00:00", "s")
        for other in (1, 2, 5):
            edges.append((1 + j % 12, 1 + (j + other) % 12))
            dates.append(at)
    return Graph.from_edges(edges, nodes=range(1, 15), dates=np.array(dates), directed=directed)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


def made(store: Store) -> None:
    store.load(dated(), "calls", epsilon_budget=3, dates=MONTHS, within="P1Y")


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with copied(made, path) as opened:
        yield opened


def ask(store: Store, epsilon: Any, window: str | None = None, windows: Any = None, **more: Any) -> Any:
    asked: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": epsilon, "mechanism": "em"}
    return store.priv_top_k("calls", **asked | more, window=window, windows=windows)


# -- what is read ---------------------------------------------------------------------------------------------


def pairs(graph: Graph) -> set[tuple[int, int]]:
    ids = graph.node_ids
    return {(int(ids[a]), int(ids[b])) for a, b in graph.edges().tolist()}


@pytest.mark.parametrize("directed", [False, True])
def test_a_window_is_the_simple_graph_of_its_rows(path: Path, directed: bool) -> None:
    """Of one window, of several and of none: among all nodes, whichever are active; loops and parallels are gone."""
    edges = [(1, 2), (2, 1), (3, 3), (2, 3), (4, 1), (2, 4), (1, 2)]
    days = ["01-05", "01-06", "01-07", "02-01", "02-29", "04-30", "04-30"]
    dates = np.array([f"2020-{day}T00:00:00" for day in days], dtype="datetime64[s]")
    graph = Graph.from_edges(edges, nodes=range(1, 7), dates=dates, directed=directed)
    with open_store(path) as store:
        listed = store.load(graph, "calls", epsilon_budget=3, dates=MONTHS, within=2)
        assert listed["exact"] == {"undated_rows": 0, "dated_rows": 7}
        with store._session() as session:
            from edgedp.ledger import ledger, registry

            row, account = registry.known(session, "calls"), ledger.find(session, "calls")
            calendar = account.calendar
            assert calendar is not None
            for span, rows in [
                (calendar.span("2020-01"), [0, 1]),
                (calendar.span("2020-02"), [3, 4]),
                (calendar.span("2020-03"), []),
                (calendar.span(windows="2020-02..2020-04"), [3, 4, 5, 6]),
                (None, [0, 1, 3, 4, 5, 6]),
            ]:
                expected = Graph.from_edges([edges[i] for i in rows] or np.zeros((0, 2), int), nodes=range(1, 7),
                                            directed=directed)  # fmt: skip
                assert session.graph(row, span) == expected, span
                assert store._read(session, row, span) == store._read(session, row, span) == expected


def test_rows_without_a_date_are_in_no_window(store: Store) -> None:
    """They are read with everything alone; how many there are is exact."""
    assert store.exact("calls", "degree").sum() == 2 * len(pairs(dated()))
    assert edgedp_windows(store) == {"undated_rows": 1, "dated_rows": 72}
    assert not any({1, 12} == set(pair) for pair in window_pairs(store, "2020-01"))


def edgedp_windows(store: Store) -> Any:
    from edgedp.stores.calendars import rows_by_date

    with store._session() as session:
        return rows_by_date(session, "calls")


def window_pairs(store: Store, window: str) -> set[tuple[int, int]]:
    from edgedp.ledger import ledger, registry

    with store._session() as session:
        calendar = ledger.find(session, "calls").calendar
        assert calendar is not None
        return pairs(session.graph(registry.known(session, "calls"), calendar.span(window)))


def test_every_kind_of_release_reads_its_window(store: Store) -> None:
    """At a budget that leaves no noise the answer is that of the window alone."""
    store.set_budget("calls", 10**6)
    loud = {"epsilon": 10000, "window": "2020-03"}
    assert store.priv_top_k("calls", metric="degree", k=1, mechanism="em", **loud).nodes == [3]
    assert store.motkin("calls", k=1, **loud).parameters["window"] == "2020-03"
    assert store.count("calls", of="edges", **loud).value == 3
    assert store.distribution("calls", **loud).parameters["window"] == "2020-03"
    assert store.summary("calls", **loud).public["windows"] == "2020-03"
    many = store.count("calls", of="edges", epsilon=10000, windows=("2020-03", "2020-05"))
    assert (many.value, many.parameters["windows"]) == (9, "2020-03..2020-05")
    assert store.count("calls", of="edges", epsilon=10000).public["windows"] == "all"
    everything = pairs(dated())
    assert store.count("calls", of="edges", epsilon=10000).value == len(everything)


# -- the guard ------------------------------------------------------------------------------------------------


def test_a_list_each_month_runs_for_ever_at_a_twelfth(path: Path) -> None:
    with open_store(path) as store:
        store.load(dated(3), "calls", epsilon_budget=3, dates=MONTHS | {"from": "2010-01-01"}, within="P1Y")
        for number in range(-48, 0):
            ask(store, "0.25", f"{2020 + number // 12}-{number % 12 + 1:02d}")
        told = store.budget("calls")
        assert (told["epsilon_spent"], told["epsilon_remaining"], told["releases"]) == (3.0, 0.0, 48)
        assert store.check("calls") == []


def test_at_an_eleventh_the_twelfth_month_is_refused(store: Store) -> None:
    for number in range(11):
        ask(store, "0.272727272", month(number))
    with pytest.raises(BudgetError, match=r"at most what is left .* 0\.000000008 of 3"):
        ask(store, "0.272727272", month(11))
    ask(store, "0.272727272", month(12)), "a year later than the first"
    with pytest.raises(BudgetError):
        ask(store, "0.272727272", month(11))


def test_a_rolling_year_each_month_costs_23_and_not_144(path: Path) -> None:
    with open_store(path) as store:
        store.load(dated(3), "calls", epsilon_budget=23, dates=MONTHS | {"from": "2012-01-01"}, within="P1Y")
        for number in range(28):
            first, last = (f"{2012 + n // 12}-{n % 12 + 1:02d}" for n in (number, number + 11))
            ask(store, 1, windows=f"{first}..{last}")
        assert store.budget("calls")["epsilon_spent"] == 23


def test_a_batch_adds_up_what_its_releases_spend_of_each_run(store: Store) -> None:
    asked = {"graph": "calls", "metric": "degree", "k": 1, "epsilon": 2, "mechanism": "em"}
    windows = ("2020-06", "2020-07", "2021-07", None)
    told = store.plan_batch([asked | {"window": window} for window in windows])
    assert [row["refused"] is None for row in told["releases"]] == [True, False, True, False]


def test_everything_overlaps_every_window(store: Store) -> None:
    ask(store, 1)
    ask(store, 2, "2020-06")
    ask(store, 2, "2021-06")
    for window in ("2020-06", "2021-01", "2021-12"):
        with pytest.raises(BudgetError):
            ask(store, "0.000000001", window)
    with pytest.raises(BudgetError):
        ask(store, "0.000000001")


def lost(debits: list[tuple[int, int, int]], within: int, start: int) -> int:
    return sum(cost for first, last, cost in debits if first < start + within and last >= start)


@pytest.mark.parametrize("seed", range(3))
def test_no_run_of_windows_loses_more_than_the_account_says(path: Path, seed: int) -> None:
    """Random windows, spans, everything, analysts: refused exactly where brute force over the debits refuses."""
    chance = random.Random(seed)
    within, budget = chance.choice((1, 3, 12)), 10
    granted = {"ann": 6, "bob": 12}
    forever = (-(10**6), 10**6)
    debits: list[tuple[str, tuple[int, int, int]]] = []
    with open_store(path) as store:
        store.load(dated(), "calls", epsilon_budget=budget, dates=MONTHS, within=within)
        askers: dict[str, Any] = {"": store}
        for name, share in granted.items():
            store.add_analyst(name)
            store.grant("calls", name, share)
            askers[name] = asker(store, name)
        for _ in range(30):
            who, cost = chance.choice(["", *granted]), chance.randint(1, 4)
            first = chance.randint(0, 20)
            last = first + chance.choice((0, 0, 1, 3))
            window: dict[str, Any] = {"windows": f"{month(first)}..{month(last)}"}
            if chance.random() < 0.1:
                window, (first, last) = {}, forever
            debit = (first, last, cost)
            own = [each for name, each in debits if name == who]
            starts = range(max(first - within + 1, 0), min(last, 40) + 1)
            whole = max(lost([each for _, each in debits], within, s) for s in starts) + cost
            fits = whole <= budget
            if who:
                fits = fits and max(lost(own, within, s) for s in starts) + cost <= granted[who]
            try:
                askers[who].priv_top_k("calls", metric="degree", k=1, epsilon=cost, mechanism="em", **window)
                done = True
            except BudgetError:
                done = False
            assert done == fits, (who, debit, debits)
            debits += [(who, debit)] if done else []
        spent = max(lost([each for _, each in debits], within, s) for s in range(60))
        assert store.budget("calls")["epsilon_spent"] == spent <= budget
        assert store.check("calls") == []


def asker(store: Store, name: str) -> Any:
    from edgedp.stores.people.asker import Asker

    return Asker(store, name)


# -- what is refused ------------------------------------------------------------------------------------------


def test_an_open_window_is_refused_before_the_debit_and_everything_is_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock alone: set back it refuses more, and set forward it asks earlier, which costs nobody privacy."""

    class Clock(datetime):
        moment = START

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.moment

    monkeypatch.setattr(trial, "datetime", Clock)
    for day, allowed in [
        ("2020-06-15", False),
        ("2020-07-03", False),
        ("2020-07-04", True),
        ("2019-01-01", False),
    ]:
        Clock.moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
        if allowed:
            ask(store, "0.5", "2020-06")
            continue
        with pytest.raises(ParameterError, match="is open until 2020-07-04"):
            ask(store, "0.5", "2020-06")
        told = store.estimate("calls", "topk", metric="degree", k=1, epsilon=1, window="2020-06")
        assert "is open until" in told["refused"]
    assert store.budget("calls")["releases"] == 1
    ask(store, "0.5")
    Clock.moment = START - timedelta(days=900)
    first = ask(store, "0.5", request_id="again")
    assert ask(store, "0.5", request_id="again").nodes == first.nodes


def test_a_kept_release_is_shown_again_whatever_the_clock_says(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(store, "0.5", "2020-06", request_id="june")
    monkeypatch.setattr(releasing, "check_closed", lambda planned: pytest.fail("it was asked"))
    assert (
        ask(store, "0.5", "2020-06", request_id="june").to_dict()["release_id"]
        == first.to_dict()["release_id"]
    )
    assert ask(store, "0.5", "2020-06-01", request_id="june").nodes == first.nodes, (
        "the same window by another name"
    )
    assert ask(store, "0.5", windows="2020-06..2020-06", request_id="june").nodes == first.nodes
    for other in ({"window": "2020-07"}, {"windows": "2020-06..2020-07"}, {}):
        with pytest.raises(EdgeDPError, match="must be new for another request"):
            ask(store, "0.5", request_id="june", **other)
    assert store.budget("calls")["releases"] == 1


def test_a_graph_without_a_calendar_has_no_windows(path: Path) -> None:
    with open_store(path) as store:
        store.load(Graph.from_edges([(1, 2)]), "calls", epsilon_budget=1)
        with pytest.raises(ParameterError, match="window is '2020-06', and the graph has no calendar"):
            ask(store, "0.5", "2020-06")
        assert store.budget("calls")["epsilon_spent"] == 0


def test_a_percentile_reads_records_which_have_no_dates(path: Path) -> None:
    graph = dated()
    with open_store(path) as store:
        graph.kept["dated"], with_ages = graph.kept["dated"], graph.with_properties({"age": np.arange(14)})
        with_ages.kept["dated"] = graph.kept["dated"]
        store.load(with_ages, "calls", epsilon_budget=3, dates=MONTHS, within=12, attribute_epsilon_budget=2)
        store.attribute("calls", property="age", low=0, high=20)
        store.percentile("calls", property="age", q="0.5", epsilon=1)
        told = store.budget("calls")
        assert (told["epsilon_spent"], told["attributes"]["epsilon_spent"]) == (0, 1)
        estimate = store.estimate("calls", "percentile", property="age", q="0.5", epsilon=1, window="2020-06")
        assert "window" in estimate["refused"]
        assert store.check("calls") == []


# -- what is declared -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dates", "within"),
    [
        (MONTHS | {"period": "P1W"}, "P1Y"),
        (MONTHS | {"grace": "P4D"}, "P1Y"),
        (MONTHS, 11),
    ],
)
def test_the_first_debit_freezes_the_calendar(store: Store, dates: Any, within: Any) -> None:
    """Before it, another one may be declared; after it never, also when the graph was dropped."""
    store.load(dated(), "calls", dates=dates, within=within, replace=True)
    store.load(dated(), "calls", dates=MONTHS, within="P1Y", replace=True)
    ask(store, "0.5", "2020-06")
    for _ in range(2):
        with pytest.raises(BudgetError, match="the calendar is another than that for which releases"):
            store.load(dated(), "calls", dates=dates, within=within, replace=True)
        store.drop("calls") if "calls" in [row["name"] for row in store.graphs()] else None
    with pytest.raises(ParameterError, match="nothing is there to compare the dates"):
        store.load(dated(), "calls")
    with pytest.raises(ParameterError, match="with the promise that no date changed"):
        store.load(dated(), "calls", dates={"from": "2020-01-01", "period": "P1M"}, within="P1Y")
    store.load(dated(), "calls", dates=MONTHS, within="P1Y")
    assert store.budget("calls")["epsilon_spent"] == 0.5
    for number in range(7, 12):
        ask(store, "0.5", month(number))
    with pytest.raises(BudgetError):
        ask(store, "0.1", month(5))
    assert store.check("calls") == []


def test_a_lifelong_account_gets_no_calendar_once_something_was_spent(path: Path) -> None:
    with open_store(path) as store:
        store.load(dated(), "calls", epsilon_budget=3, dates=MONTHS)  # by window, and a budget of all time
        ask(store, 1, "2020-06")
        ask(store, 1, "2023-06")
        ask(store, 1, "2021-06")
        with pytest.raises(BudgetError, match="what is left"):
            ask(store, "0.1", "2024-06")
        with pytest.raises(BudgetError, match="the calendar is another"):
            store.load(dated(), "calls", dates=MONTHS, within=3, replace=True)


def test_a_longer_file_keeps_account_and_calendar(store: Store) -> None:
    for number in range(12):
        ask(store, "0.25", month(number))
    store.load(dated(36), "calls", replace=True)
    ask(store, "0.25", month(30))
    assert window_pairs(store, month(30)) != set()
    with pytest.raises(BudgetError):
        ask(store, "0.25", month(3))
    with pytest.raises(ParameterError, match="the rows have no dates; name their column"):
        store.load(Graph.from_edges([(1, 2)]), "calls", replace=True)


def test_dates_without_a_calendar_are_not_left_out_in_silence(path: Path) -> None:
    with open_store(path) as store:
        with pytest.raises(ParameterError, match="there is no calendar"):
            store.load(dated(), "calls", epsilon_budget=3)
        with pytest.raises(ParameterError, match="within is 3, and there is no calendar"):
            store.load(Graph.from_edges([(1, 2)]), "calls", epsilon_budget=3, within=3)
        with pytest.raises(ParameterError, match="must be 'final'"):
            store.load(dated(), "calls", epsilon_budget=3, dates=MONTHS | {"are": "edited"})
        with pytest.raises(EdgeDPError, match="did you mean 'period'"):
            store.load(dated(), "calls", epsilon_budget=3, dates={"from": "2020-01-01", "periode": "P1M"})


def test_a_budget_may_fall_to_what_the_dearest_run_has_spent(store: Store) -> None:
    for number in range(24):
        ask(store, "0.25", month(number))
    with pytest.raises(BudgetError, match="must be at least what was spent, 3"):
        store.set_budget("calls", "2.9")
    store.set_budget("calls", 4)
    ask(store, 1, month(40))
    assert store.set_budget("calls", 3)["epsilon_remaining"] == 0


# -- the ledger -----------------------------------------------------------------------------------------------


def rows_of(path: Path, name: str = "calls") -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        connection.row_factory = sqlite3.Row
        return [
            dict(row) for row in connection.execute("SELECT * FROM log WHERE name = ? ORDER BY seq", [name])
        ]


def test_every_row_says_what_the_runs_were_and_its_hash_covers_it(store: Store, path: Path) -> None:
    ask(store, "0.5", "2020-06")
    ask(store, "0.25", windows="2020-06..2020-07")
    ask(store, "0.125")
    debits = [row for row in rows_of(path) if row["kind"] == "debit"]
    assert [(row["firstWindow"], row["lastWindow"]) for row in debits] == [(5, 5), (5, 6), (None, None)]
    assert [dearest(row["runs"]) for row in debits] == [500_000_000, 750_000_000, 875_000_000]
    for row in rows_of(path):
        assert link(row["prev"], row) == row["hash"]
        for column in ("firstWindow", "lastWindow", "runs", "shareRuns") if row["runs"] else ():
            assert link(row["prev"], row | {column: "[9,9]"}) != row["hash"]


def test_rows_of_accounts_without_runs_are_byte_for_byte_what_they_were(path: Path) -> None:
    """Their hashes are over the fields of the version before, so that heads and exports of it hold."""
    with open_store(path) as store:
        store.load(Graph.from_edges([(1, 2)]), "calls", epsilon_budget=3)
        store.add_analyst("ann")
        store.grant("calls", "ann", 1)
        ask(store, "0.5")
        asker(store, "ann").priv_top_k("calls", metric="degree", k=1, epsilon="0.5", mechanism="em")
    for row in rows_of(path):
        before = digest(
            "log", row["prev"], *(row[key] for key in FIELDS), row["analyst"], *(row[key] for key in STATE)
        )
        assert row["hash"] == before
        assert "calendar" not in (row["terms"] or "") + row["body"]
        assert [row[key] for key in ("firstWindow", "lastWindow", "runs", "shareRuns")] == [None] * 4


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE log SET runs = '[0,0]' WHERE seq = (SELECT max(seq) FROM log WHERE name = 'calls')",
        "UPDATE accounts SET runs = '[0,0]'",
        "UPDATE accounts SET runs = NULL",
        "UPDATE log SET firstWindow = 20, lastWindow = 20 WHERE kind = 'debit'",
        "UPDATE accounts SET terms = replace(terms, '\"within\": 12', '\"within\": 1')",
        "UPDATE shares SET runs = '[0,0]'",
    ],
)
def test_an_edited_row_is_noticed(store: Store, path: Path, edit: str) -> None:
    store.add_analyst("ann")
    store.grant("calls", "ann", 2)
    ann = asker(store, "ann")
    ann.priv_top_k("calls", metric="degree", k=1, epsilon=2, mechanism="em", window="2020-06")
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        assert connection.execute(edit).rowcount > 0
    with pytest.raises(StoreError):
        ann.priv_top_k("calls", metric="degree", k=1, epsilon=2, mechanism="em", window="2020-07")
    if "shares" not in edit:
        with pytest.raises(StoreError):
            ask(store, 1, "2020-07")


def test_an_account_that_was_set_back_with_its_seal_is_found_by_the_check(store: Store, path: Path) -> None:
    """Whoever can compute seals: the sums no longer are those of the debits."""
    ask(store, 2, "2020-06")
    from edgedp.ledger.log.consistency import of_runs

    rows = rows_of(path)
    assert of_runs(rows) == []
    cut = [
        row | ({"runs": "[1000000000,0,0,1000000000,6,-1000000000]"} if row["runs"] != "[0,0]" else {})
        for row in rows
    ]
    assert "runs of windows" in of_runs(cut)[0]
    moved = [row | ({"firstWindow": 20, "lastWindow": 20} if row["kind"] == "debit" else {}) for row in rows]
    assert "runs of windows" in of_runs(moved)[0]
    hidden = [
        row | ({"firstWindow": None, "lastWindow": None, "runs": None} if row["kind"] == "debit" else {})
        for row in rows
    ]
    assert "has no runs of windows" in of_runs(hidden)[0], "a debit that no run counts"
    for edit in ({"firstWindow": "5"}, {"lastWindow": None}, {"firstWindow": 5.0}):
        odd = [row | (edit if row["kind"] == "debit" else {}) for row in rows]
        assert "names no windows" in of_runs(odd)[0]


@pytest.mark.parametrize("table", ["accounts", "shares"])
def test_runs_that_were_set_back_with_their_seal_are_refused_at_the_debit(
    store: Store, path: Path, table: str
) -> None:
    """The sum of all is what the log says: the runs are compared, too."""
    store.add_analyst("ann")
    store.grant("calls", "ann", 2)
    asked = {"metric": "degree", "k": 1, "epsilon": 2, "mechanism": "em"}
    asker(store, "ann").priv_top_k("calls", **asked, window="2020-06")
    with opened(path / "ledger.sqlite", path, 10.0) as ledger, ledger.transaction():
        ledger.connection.execute(f"UPDATE {table} SET runs = '[0,0]'")  # noqa: S608
    with pytest.raises(StoreError, match="does not add up"):
        asker(store, "ann").priv_top_k("calls", **asked, window="2020-07")


def test_a_share_that_is_granted_again_knows_what_was_spent_of_each_run(store: Store) -> None:
    store.add_analyst("ann")
    asked = {"metric": "degree", "k": 1, "epsilon": 2, "mechanism": "em"}
    for window, fits in (("2020-06", True), ("2020-07", False), ("2021-07", True)):
        store.grant("calls", "ann", 2)
        with nullcontext() if fits else pytest.raises(BudgetError, match="what is left of the share"):
            asker(store, "ann").priv_top_k("calls", **asked, window=window)
        store.revoke_share("calls", "ann")


def test_runs_of_a_share_that_were_set_back_are_found_by_the_check(store: Store, path: Path) -> None:
    """As in Neo4j, where nothing seals a share; a debit compares it, and so does whoever only checks."""

    store.add_analyst("ann")
    store.grant("calls", "ann", 2)
    ask_as = {"metric": "degree", "k": 1, "epsilon": 2, "mechanism": "em", "window": "2020-06"}
    asker(store, "ann").priv_top_k("calls", **ask_as)
    with store._session() as session:
        rows, log = session.run("share_list", name="calls"), session.run("log_list", name="calls")
    assert of_shares(rows, log) == []
    (found,) = of_shares([row | {"runs": "[0,0]"} for row in rows], log)
    assert found.startswith("the share of 'ann' says of the runs of windows")


def test_a_ledger_that_only_counts_has_no_shares_to_add_up(store: Store, path: Path) -> None:
    """Of a graph of two types its own ledger names the analyst, and the accounts have the shares."""
    from edgedp.ledger.log.consistency import of_runs

    ask(store, 2, "2020-06")
    named = json.dumps(["CALLED", "TEXTED"])
    counted = [
        row
        | {"analyst": "ann"}
        | {"terms": row["terms"].replace('"version"', f'"accounts": {named}, "version"')}
        for row in rows_of(path)
    ]
    assert of_runs(counted) == []
    assert of_runs([row | {"terms": row["terms"].replace("TEXTED", "calls")} for row in counted]) != []


def test_an_account_that_was_deleted_is_made_again_with_all_that_its_log_says() -> None:
    """Both statements that make one from its log set what the last row says; without its runs it is refused."""
    set_by = [
        set(re.findall(r"account\.(\w+) = (?:said|latest)\.", query("neo4j", stem)))
        for stem in ("account_restore", "account_open")
    ]
    assert set_by[1] >= {"declared", "budget", "maxPerRelease", "delta", "relationshipType", "terms", "runs"}
    assert set_by[0] - {"entries"} == set_by[1]


def test_a_date_that_moves_by_two_files_costs_once_more_for_each_move(path: Path) -> None:
    """One file without the pair, and one with it elsewhere: m moves out of the run cost (m + 1) B, and within it none.

    What a pair lost is the sum of what the releases cost that read it, whatever the account says.
    """
    budget, lost = 3, {(1, 2): 0, (2, 3): 0}

    def place(store: Store, window: str) -> None:
        """Load without the pair (1, 2), and then with it in a window; (2, 3) stays where it is."""
        rows = [(2, 3, "2020-01-05"), (1, 2, f"{window}-20")]
        for kept in (rows[:1], rows):
            dates = np.array([date for *_, date in kept], dtype="datetime64[s]")
            graph = Graph.from_edges([pair for *pair, _ in kept], nodes=(1, 2, 3), dates=dates)
            store.load(graph, "calls", epsilon_budget=budget, dates=MONTHS, within=3, replace=True)

    with open_store(path) as store:
        for moves, window in enumerate(("2020-01", "2020-06", "2021-02")):
            place(store, window)
            for cost in (2, 1):
                read = window_pairs(store, window)
                ask(store, cost, window)
                lost = {pair: before + cost * (pair in read) for pair, before in lost.items()}
            assert lost == {(1, 2): (moves + 1) * budget, (2, 3): budget}
        place(store, "2021-04")
        assert (1, 2) in window_pairs(store, "2021-04")
        for within_the_run in ("2021-03", "2021-04"):
            with pytest.raises(BudgetError):
                ask(store, "0.000000001", within_the_run)
        assert store.budget("calls")["epsilon_spent"] == budget
        assert store.check("calls") == []


def test_a_file_whose_dates_moved_is_refused_once_something_was_spent(path: Path) -> None:
    """A pair that left a window and came into another; late rows, rows taken away and new nodes are none."""
    rows = [(1, 2, "2020-01-05"), (1, 2, "2020-02-05"), (2, 3, "2020-01-05"), (4, 4, "2020-01-01")]

    def graph(*changed: tuple[int, int, str]) -> Graph:
        found = [*rows, *changed] if changed else rows
        dates = np.array([date for *_, date in found], dtype="datetime64[s]")
        return Graph.from_edges([pair for *pair, _ in found], dates=dates)

    with open_store(path) as store:
        store.load(graph(), "calls", epsilon_budget=3, dates=MONTHS, within=2)
        rows[0] = (1, 2, "2020-06-05")
        store.load(graph(), "calls", replace=True)
        ask(store, 1, "2020-06")
        late = graph((2, 3, "2020-07-01"), (0, 9, "2020-01-01"), (3, 2, "2020-01-20"))
        store.load(late, "calls", replace=True)
        rows[2] = (2, 3, "2021-01-05")
        with pytest.raises(ParameterError, match="the dates of 1 pairs moved"):
            store.load(graph(), "calls", replace=True)
        assert window_pairs(store, "2020-07") == {(2, 3)}, "nothing was replaced"
        del rows[2]
        store.load(graph(), "calls", replace=True)


def test_dates_that_moved_are_noticed_where_the_ids_became_texts(path: Path) -> None:
    def graph(kind: type, second: str) -> Graph:
        dates = np.array(["2020-01-05", second, "2020-02-05"], dtype="datetime64[s]")
        return Graph.from_edges([(kind(2), kind(10)), (kind(10), kind(3)), (kind(2), kind(3))], dates=dates)

    with open_store(path) as store:
        store.load(graph(int, "2020-01-05"), "calls", epsilon_budget=3, dates=MONTHS, within=2)
        ask(store, 1, "2020-01")
        with pytest.raises(ParameterError, match="the dates of 1 pairs moved"):
            store.load(graph(str, "2020-06-05"), "calls", replace=True)
        store.load(graph(str, "2020-01-05"), "calls", replace=True)
        with pytest.raises(ParameterError, match="the dates of 1 pairs moved"):
            store.load(graph(int, "2020-06-05"), "calls", replace=True)


def test_a_release_that_is_paid_while_a_file_is_written_is_not_forgotten(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dates may move before the first release; one that comes between that look and the end of the load is one."""

    def graph(date: str) -> Graph:
        return Graph.from_edges([(1, 2), (2, 3)], dates=np.array([date, "2020-02-05"], dtype="datetime64[s]"))

    ingest = EmbeddedSession.ingest

    def meanwhile(session: EmbeddedSession, *given: Any) -> Any:
        with open_store(path) as other:
            ask(other, 3, "2020-01")
        return ingest(session, *given)

    with open_store(path) as store:
        store.load(graph("2020-01-05"), "calls", epsilon_budget=3, dates=MONTHS, within=1)
        with monkeypatch.context() as during:
            during.setattr(EmbeddedSession, "ingest", meanwhile)
            with pytest.raises(EdgeDPError, match="changed meanwhile"):
                store.load(graph("2020-06-05"), "calls", replace=True)
        with pytest.raises(ParameterError, match="the dates of 1 pairs moved"):
            store.load(graph("2020-06-05"), "calls", replace=True)
        assert window_pairs(store, "2020-01") == {(1, 2)}


@pytest.mark.parametrize(
    "dates", [[1e300, 1.0], [-1e19, 1.0], np.array([2**63 + 5, 1], dtype=np.uint64), [float("-inf"), 1.0]]
)
def test_numbers_that_are_no_moments_are_not_taken_for_missing_dates(dates: Any) -> None:
    with pytest.raises(EdgeDPError, match="must hold numbers of seconds since 1970"):
        Graph.from_edges([(1, 2), (2, 3)], dates=dates)


# -- the command line -----------------------------------------------------------------------------------------


def run(path: Path, *words: str) -> Any:
    return CliRunner().invoke(command_line, ["--store", str(path), *words])


def test_lists_over_time_show_who_came_and_went(store: Store, path: Path, tmp_path: Path) -> None:
    """From kept releases alone: nothing is spent; whatever an id holds, the page holds no markup of it."""
    from edgedp.faces.timeline.made import sequences

    with pytest.raises(ParameterError, match="no list of nodes of a window"):
        sequences(store.releases("calls"))
    for number in (4, 3, 5):
        ask(store, "0.5", month(number), k=3)
    ask(store, "0.25", windows="2020-01..2020-02")
    (first, other) = sequences(store.releases("calls"))
    assert [each.windows for each in first.lists] == ["2020-04", "2020-05", "2020-06"]
    assert [each.windows for each in other.lists] == ["2020-01..2020-02"]
    before, after = first.lists[:2]
    assert set(after.came(before)) == set(after.nodes) - set(before.nodes)
    assert set(after.went(before)) == set(before.nodes) - set(after.nodes)
    spent = store.budget("calls")
    for ending, begins in (("html", "<!doctype html>"), ("svg", "<svg ")):
        out = tmp_path / f"calls.{ending}"
        told = run(path, "report", "calls", "-o", str(out))
        assert told.exit_code == 0, told.output
        assert out.read_text(encoding="utf-8").startswith(begins)
    assert store.budget("calls") == spent
    from edgedp.faces.timeline.showing import to_html

    odd = [{**row, "nodes": ["<script>", "b"]} for row in store.releases("calls")]
    assert "<script>" not in to_html("<script>", sequences(odd))


def test_json_lines_are_loaded_and_asked_by_window(path: Path, tmp_path: Path) -> None:
    rows = [{"at": f"2020-0{1 + i % 3}-05", "payer": i, "payee": i + 1} for i in range(9)]
    del rows[4]["at"]
    rows[5]["at"] = None
    dump = tmp_path / "calls.jsonl"
    dump.write_text("".join(json.dumps(row) + "\n" for row in rows))
    declared = ["--period", "P1M", "--from", "2020-01-01", "--within", "2", "--epsilon-budget", "3"]
    loaded = run(path, "load", str(dump), "--name", "calls", "--date", "at", *declared, "--format", "json")
    assert loaded.exit_code == 0, loaded.output
    assert json.loads(loaded.output)["exact"].items() >= {"dated_rows": 7, "undated_rows": 2}.items()
    with open_store(path) as store:
        assert window_pairs(store, "2020-02") == {(1, 2), (7, 8)}
        assert window_pairs(store, "2020-03") == {(2, 3), (8, 9)}
    dump.write_text('{"payer": 1, "payee": 2, "at": 5}\n{"payer": 1, "payee": 2, "at": "2020-01-05"}\n')
    refused = run(path, "load", str(dump), "--name", "calls", "--date", "at", "--date-unit", "s", "--replace")
    assert (refused.exit_code, refused.output.count("\n")) == (1, 1), refused.output
    assert "line 2" in refused.output


def test_a_dump_is_loaded_and_asked_by_window(path: Path, tmp_path: Path) -> None:
    rows = [f"{1 + i % 9} {1 + (i * 7 + 1) % 9} {1_080_777_600 + i * 86_400}" for i in range(120)]
    dump = tmp_path / "CollegeMsg.txt"
    dump.write_text("\n".join(rows) + "\n")
    load = ["load", str(dump), "--name", "messages", "--date", "3", "--date-unit", "s"]
    declared = ["--period", "P1M", "--from", "2004-04-01", "--within", "P3M", "--epsilon-budget", "3"]
    loaded = run(path, *load, *declared, "--format", "json")
    assert loaded.exit_code == 0, loaded.output
    assert json.loads(loaded.output)["exact"]["undated_rows"] == 0
    asked = ["topk", "messages", "--metric", "degree", "-k", "2", "--epsilon", "0.5"]
    told = run(path, *asked, "--window", "2004-06", "--format", "json")
    assert json.loads(told.output)["public"]["windows"] == "2004-06"
    assert run(path, *asked, "--windows", "2004-04..2004-06").exit_code == 0
    refused = run(path, *asked, "--windows", "2004-06..2004-04")
    assert (refused.exit_code, refused.output.count("\n")) == (1, 1)
    dump.write_text("\n".join([*rows, "1 2 1093996800"]) + "\n")
    again = run(path, *load, "--replace")
    assert again.exit_code == 0, again.output
    budget = json.loads(run(path, "budget", "messages", "--format", "json").output)
    assert (budget["epsilon_spent"], budget["calendar"]["within"]) == (1.0, 3)
