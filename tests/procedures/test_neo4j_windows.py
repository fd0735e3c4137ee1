"""Windows of relationships in a real database: one table of dates through Bolt and Java, and the guard in Cypher."""

from __future__ import annotations

import datetime as dt
import random
import signal
import subprocess
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import killing
from edgedp import BudgetError, EdgeDPError, Graph, ParameterError, Store, StoreError, open_store
from edgedp.ledger.calendars import runs
from edgedp.stores.people.asker import Asker
from edgedp.stores.statements.queries import query
from plugin_fixtures import PluginServer, eventually

pytestmark = pytest.mark.neo4j

UTC = dt.UTC
ZONE = dt.timezone(dt.timedelta(hours=2))
FROM = "2024-01-01"


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


DATES: dict[str, list[tuple[Any, str | None]]] = {
    "ZONED DATETIME": [
        (moment("2024-01-01T00:00:00+00:00"), "2024-01"),
        (moment("2024-02-01T01:59:59+02:00"), "2024-01"),
        (moment("2024-02-01T02:00:00+02:00"), "2024-02"),
        (moment("2023-12-31T23:59:59+00:00"), None),
        (moment("2024-03-31T23:59:59.999999+00:00"), "2024-03"),
        (moment("2024-02-10T00:00:00"), None),
        (dt.date(2024, 2, 10), None),
        ("2024-02-10T00:00:00Z", None),
        (1_707_523_200, None),
        (None, None),
    ],
    "LOCAL DATETIME": [
        (moment("2024-01-31T23:59:59.999999"), "2024-01"),
        (moment("2024-02-01T00:00:00"), "2024-02"),
        (moment("2024-02-10T00:00:00+00:00"), None),
        (dt.date(2024, 2, 10), None),
        ("2024-02-10", None),
    ],
    "DATE": [
        (dt.date(2024, 1, 31), "2024-01"),
        (dt.date(2024, 2, 1), "2024-02"),
        (dt.date(1, 1, 1), None),
        (moment("2024-02-10T00:00:00"), None),
    ],
    "INTEGER": [
        (1_704_067_200, "2024-01"),
        (1_706_745_599, "2024-01"),
        (1_706_745_600, "2024-02"),
        (1_706_745_600.0, None),
        (float("nan"), None),
        (float("inf"), None),
        (2**63 - 1, None),
        (-1, None),
        ("1706745600", None),
        (True, None),
    ],
}


LABEL = "N of windows"


class Calls:
    """Nodes 0 to n, and a relationship from each to the next, dated as a table says."""

    def __init__(self, on: PluginServer, kind: str, dates: list[Any], mark: str = "windows") -> None:
        self.on, self.mark = on, mark
        self.label, self.type, self.name = LABEL, f"CALLED_{self.mark}", f"calls-{self.mark}"
        self.dates: dict[str, Any] = {
            "property": "at", "type": kind, "from": FROM, "period": "P1M", "are": "final",
            **({"unit": "s"} if kind == "INTEGER" else {}),
        }  # fmt: skip
        on.ask(f"UNWIND range(0, $last) AS id MERGE (:`{self.label}` {{id: id}})", last=len(dates))
        for place, date in enumerate(dates):
            on.ask(
                f"MATCH (a:`{self.label}` {{id: $a}}), (b:`{self.label}` {{id: $b}}) "
                f"CREATE (a)-[r:`{self.type}`]->(b) SET r.at = $at",
                a=place, b=place + 1, at=date,
            )  # fmt: skip
        self.count = len(dates)

    def register(self, store: Store, **more: Any) -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            declared = {"epsilon_budget": 1000, "dates": self.dates, "within": "P1Y"} | more
            return store.register(self.name, self.label, self.type, "id", **declared)


@pytest.fixture
def store(neo4j_with_plugin: PluginServer) -> Iterator[Store]:
    server = neo4j_with_plugin.server
    with open_store(server.uri, auth=server.auth) as store:
        yield store


@pytest.mark.parametrize("kind", DATES)
def test_one_table_of_dates_gives_the_same_windows_by_both_readers(
    neo4j_with_plugin: PluginServer, store: Store, kind: str
) -> None:
    table = DATES[kind]
    calls = Calls(neo4j_with_plugin, kind, [date for date, _ in table])
    listed = calls.register(store)
    inside = sum(window is not None for _, window in table)
    assert listed["exact"]["dated_relationships"] == inside
    assert listed["exact"]["undated_relationships"] == len(table) - inside
    for window in (*sorted({where for _, where in table if where}), None):
        pairs = [(i, i + 1) for i, (_, where) in enumerate(table) if window in (None, where)]
        asked = {} if window is None else {"window": window}
        expected = len(pairs)
        assert store.count(calls.name, of="edges", epsilon=10, **asked).value == pytest.approx(
            expected, abs=1
        )
        rows = neo4j_with_plugin.ask(
            "CALL edgedp.count.stream($name, $config)", name=calls.name,
            config={"of": "edges", "epsilon": 10, **asked},
        )  # fmt: skip
        assert rows[0]["value"] == pytest.approx(expected, abs=1)
        if window is not None:
            with store._session() as session:
                from edgedp.ledger import ledger, registry

                calendar = ledger.find(session, calls.name).calendar
                assert calendar is not None
                graph = session.graph(registry.known(session, calls.name), calendar.span(window))
            assert graph == Graph.from_edges(pairs, nodes=range(calls.count + 1)), window


def test_the_guard_in_cypher_is_that_of_python(neo4j_with_plugin: PluginServer, store: Store) -> None:
    """Random windows, spans and everything: the same refusals, and the same text of sums after each."""
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5)])
    calls.register(store, epsilon_budget=10, within=3)
    store.add_analyst(f"ann {calls.mark}")
    store.grant(calls.name, f"ann {calls.mark}", 6)
    whole = share = runs.NOTHING
    chance = random.Random(32)  # refused by the budget, and by the share only; everything is asked for, too
    from edgedp.stores.people.asker import Asker

    ann = Asker(store, f"ann {calls.mark}")
    refused = {"budget": 0, "share": 0}
    for _ in range(24):
        first = chance.randint(0, 9)
        last = first + chance.choice((0, 0, 0, 1, 4))
        ends: tuple[int | None, int | None] = (first, last)
        window: dict[str, Any] = {"windows": f"2024-{first + 1:02d}..{2024 + last // 12}-{last % 12 + 1:02d}"}
        if chance.random() < 0.08:
            window, ends = {}, (None, None)
        cost, asker = chance.randint(1, 3), chance.choice((store, ann))
        budget = runs.touched(whole, 3, *ends) + cost * 10**9 <= 10 * 10**9
        fits = budget and (asker is store or runs.touched(share, 3, *ends) + cost * 10**9 <= 6 * 10**9)
        why = ""
        try:
            asker.count(calls.name, of="edges", epsilon=cost, **window)
            done = True
        except BudgetError as error:
            done, why = False, str(error)
        assert done == fits, (window, cost, asker is store, whole, share, why)
        refused["share" if budget else "budget"] += not done
        if done:
            whole = runs.charged(whole, 3, *ends, cost * 10**9)
            share = share if asker is store else runs.charged(share, 3, *ends, cost * 10**9)
        with store._session() as session:
            assert session.run("account_find", name=calls.name)[0]["runs"] == whole
    assert min(refused.values()) > 2
    assert store.check(calls.name) == []
    told = neo4j_with_plugin.ask("CALL edgedp.budget($name)", name=calls.name)[0]
    assert told["epsilonSpent"] == runs.dearest(whole) / 10**9


def test_a_relationship_whose_date_moves_is_read_again(neo4j_with_plugin: PluginServer, store: Store) -> None:
    """What a pair lost is what the releases cost that read it: (m + 1) B after m moves, whatever the account says."""
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5), dt.date(2024, 1, 9)])
    calls.register(store, epsilon_budget=3, within=3)
    lost = {(0, 1): 0, (1, 2): 0}
    from edgedp.ledger import ledger, registry

    for moves, month in enumerate((1, 6, 9)):
        neo4j_with_plugin.ask(
            f"MATCH (:`{calls.label}` {{id: 0}})-[r:`{calls.type}`]->() SET r.at = $at",
            at=dt.date(2024, month, 5),
        )
        with store._session() as session:
            calendar = ledger.find(session, calls.name).calendar
            assert calendar is not None
            span = calendar.span(f"2024-{month:02d}")
            graph = session.graph(registry.known(session, calls.name), span)
        read = {(int(graph.node_ids[a]), int(graph.node_ids[b])) for a, b in graph.edges().tolist()}
        store.count(calls.name, of="edges", epsilon=3, window=f"2024-{month:02d}")
        lost = {pair: before + 3 * (pair in read) for pair, before in lost.items()}
        assert lost == {(0, 1): 3 * (moves + 1), (1, 2): 3}
    with pytest.raises(BudgetError):
        store.count(calls.name, of="edges", epsilon=1, window="2024-07")
    assert store.budget(calls.name)["epsilon_spent"] == 3


def test_an_index_on_the_date_is_what_a_window_is_read_by(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    """Of one type there is an index, of the other none: to make one would throw away every plan of the server."""
    dates = [dt.date(2024, 1 + i % 12, 5) for i in range(24)]
    plain, indexed = (Calls(neo4j_with_plugin, "DATE", dates, mark) for mark in ("windows", "indexed"))
    bounds = {"low": dt.date(2024, 2, 1), "high": dt.date(2024, 3, 1), "integers": False, "where": []}

    def plan(calls: Calls) -> str:
        names = {
            "node_label": calls.label,
            "relationship_type": calls.type,
            "id_property": "id",
            "property": "at",
        }
        statement = query("neo4j", "adjacency_between", **names)
        found = neo4j_with_plugin.driver.execute_query("EXPLAIN " + statement, bounds)
        return str(found.summary.plan)

    neo4j_with_plugin.ask("CALL db.resampleIndex('dates_of_tests')")  # it was made of nothing
    assert "RelationshipIndexSeek" not in plan(plain)
    assert eventually(lambda: "RelationshipIndexSeek" in plan(indexed), 240)
    with pytest.warns(UserWarning, match="no index on 'at'"):
        store.register(plain.name, plain.label, plain.type, "id", 3, dates=plain.dates, within="P1Y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.register(indexed.name, indexed.label, indexed.type, "id", 3, dates=indexed.dates, within="P1Y")


def test_procedures_take_windows_and_refuse_what_is_none(neo4j_with_plugin: PluginServer) -> None:
    ask = neo4j_with_plugin.ask
    calls = Calls(neo4j_with_plugin, "ZONED DATETIME", [moment("2024-06-03T00:00:00+00:00"), None])
    declared = ask(
        "CALL edgedp.account.declare($type, $config)", type=calls.type,
        config={"epsilonBudget": 3.0, "within": "P1Y", "dates": calls.dates},
    )  # fmt: skip
    assert declared[0]["epsilonBudget"] == 3.0
    registered = ask(
        "CALL edgedp.graph.register($name, $config)", name=calls.name,
        config={"nodeLabel": calls.label, "relationshipType": calls.type, "idProperty": "id"},
    )  # fmt: skip
    assert any("have no index on 'at'" in each for each in registered[0]["warnings"])
    top = "CALL edgedp.privTopk.stream($name, $config) YIELD id RETURN id"
    config: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 0.25, "mechanism": "em"}
    assert len(ask(top, name=calls.name, config=config | {"window": "2024-06", "requestId": "june"})) == 1
    assert len(ask(top, name=calls.name, config=config | {"window": "2024-06-01", "requestId": "june"})) == 1
    cases: list[tuple[dict[str, Any], str]] = [
        ({"window": "2024-13"}, "must name a window"),
        ({"windows": ["2024-06", "2024-05"]}, "swap the two"),
        ({"window": "2999-01"}, "is open until"),
        ({"window": "2024-07", "requestId": "june"}, "must be new for another request"),
        ({"epsilon": 3.0, "windows": "2024-01..2024-12"}, "what is left"),
    ]
    for wrong, said in cases:
        with pytest.raises(Exception, match=said):
            ask(top, name=calls.name, config=config | wrong)
    assert ask("CALL edgedp.budget($name)", name=calls.name)[0]["epsilonSpent"] == 0.25


def test_an_account_edited_by_hand_releases_nothing(neo4j_with_plugin: PluginServer, store: Store) -> None:
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5)])
    calls.register(store, epsilon_budget=3)
    store.count(calls.name, of="edges", epsilon=2, window="2024-01")
    before = neo4j_with_plugin.ask(
        "MATCH (a:EdgeDPAccount {name: $name}) RETURN a.runs AS runs, a.terms AS terms", name=calls.name
    )[0]
    for edit in (
        {"runs": "[0,0]"},
        {"runs": None},
        {"terms": before["terms"].replace('"within": 12', '"within": 1')},
    ):
        neo4j_with_plugin.ask(
            "MATCH (a:EdgeDPAccount {name: $name}) SET a += $edit", name=calls.name, edit=edit
        )
        with pytest.raises(StoreError):
            store.count(calls.name, of="edges", epsilon=2, window="2024-02")
        neo4j_with_plugin.ask(
            "MATCH (a:EdgeDPAccount {name: $name}) SET a += $was", name=calls.name, was=dict(before)
        )
    store.count(calls.name, of="edges", epsilon=1, window="2024-02")


def test_types_of_one_graph_have_one_calendar(neo4j_with_plugin: PluginServer, store: Store) -> None:
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5)])
    texted = f"TEXTED_{calls.mark}"
    store.account(calls.type, 3, dates=calls.dates, within="P1Y")
    store.account(texted, 3, dates=calls.dates, within="P3M")
    with pytest.raises(BudgetError, match="different calendars"):
        store.register(calls.name, calls.label, [calls.type, texted], "id")
    store.account(texted, dates=calls.dates, within="P1Y")
    with pytest.warns(UserWarning, match="no index on 'at'"):
        store.register(calls.name, calls.label, [calls.type, texted], "id")
    store.count(calls.name, of="edges", epsilon=2, window="2024-01")
    with pytest.raises(BudgetError):
        store.count(calls.name, of="edges", epsilon=2, window="2024-05")
    store.count(calls.name, of="edges", epsilon=2, window="2025-05")
    for kind in (calls.type, texted):
        assert store.account(kind)["epsilon_spent"] == 2
    with pytest.raises(EdgeDPError, match="calendar"):
        store.account(texted, dates=calls.dates, within=3)
    assert store.check(calls.name) == []


ASKING = """
import sys, edgedp
uri, user, password, name, epsilon, windows = sys.argv[1:]
with edgedp.open_store(uri, auth=(user, password)) as store:
    store.count(name, of="edges", epsilon=epsilon, windows=windows)
"""


def test_no_pair_of_any_type_loses_more_than_its_account_says_whatever_is_killed(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    """Random windows, spans and everything of one type and of two, some killed behind the debit: by brute force."""
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5)])
    texted = f"TEXTED_{calls.mark}"
    budgets, within, last_window = {calls.type: 9, texted: 6}, 3, 9
    for kind, budget in budgets.items():
        store.account(kind, budget, dates=calls.dates, within=within)
    graphs = {
        f"{calls.mark}-{i}": kinds for i, kinds in enumerate(([calls.type], [texted], [calls.type, texted]))
    }
    for name, kinds in graphs.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            store.register(name, calls.label, kinds, "id", allow_empty=True)
    debits: dict[str, list[tuple[int, int, int]]] = {kind: [] for kind in budgets}
    chance, refused, killed = random.Random(11), 0, 0

    def lost(kind: str, start: int) -> int:
        return sum(cost for a, b, cost in debits[kind] if a < start + within and b >= start)

    for step in range(20):
        name, cost = chance.choice(list(graphs)), chance.randint(1, 3)
        first = chance.randint(0, last_window)
        last = first + chance.choice((0, 0, 0, 1, 3))
        windows: str | None = f"2024-{first + 1:02d}..{2024 + last // 12}-{last % 12 + 1:02d}"
        if chance.random() < 0.1:
            windows, first, last = None, -(10**6), 10**6
        runs_read = [start for start in range(30) if first < start + within and last >= start]
        fits = all(
            max(lost(kind, start) for start in runs_read) + cost <= budgets[kind] for kind in graphs[name]
        )
        if fits and windows and step % 4 == 1:
            server = neo4j_with_plugin.server
            words = killing.command("debited", ASKING, server.uri, *server.auth, name, str(cost), windows)
            process = subprocess.run(words, check=False, timeout=300)
            assert process.returncode == -signal.SIGKILL
            done, killed = True, killed + 1
        else:
            try:
                store.count(name, of="edges", epsilon=cost, windows=windows)
                done = True
            except BudgetError:
                done, refused = False, refused + 1
        assert done == fits, (name, cost, windows, debits)
        for kind in graphs[name] if done else ():
            debits[kind].append((first, last, cost))
        for kind, budget in budgets.items():
            dearest = max(lost(kind, start) for start in range(30))
            assert store.account(kind)["epsilon_spent"] == dearest <= budget
    assert refused > 5
    assert killed > 1
    assert [each for each in store.check() if calls.mark in str(each["graph"])] == []


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        ({"type": "STRING"}, "a text is not a date"),
        ({"are": "edited"}, "must be 'final'"),
        ({"are": None}, "must be 'final'"),
        ({"property": None}, "names no property"),
        ({"unit": "s"}, "left out for every other type"),
    ],
)
def test_what_is_no_calendar_of_relationships_is_refused(
    neo4j_with_plugin: PluginServer, store: Store, dates: dict[str, Any], said: str
) -> None:
    given = {"property": "at", "type": "DATE", "from": FROM, "period": "P1M", "are": "final"} | dates
    with pytest.raises(ParameterError, match=said):
        store.account("CALLED_NEVER", 3, dates=given, within=3)
    with pytest.raises(Exception, match=said):
        neo4j_with_plugin.ask("CALL edgedp.account.declare('CALLED_NEVER', $config)", config={"dates": given})


def test_a_loaded_graph_has_no_windows_here(store: Store) -> None:
    graph = Graph.from_edges([(1, 2)], dates=[1_704_067_200])
    with pytest.raises(ParameterError, match="keeps no windows"):
        store.load(graph, "g-further", epsilon_budget=1, dates={"from": FROM, "period": "P1M"})


def test_an_account_that_was_deleted_is_made_again_with_its_runs(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5)])
    calls.register(store, epsilon_budget=3)
    store.count(calls.name, of="edges", epsilon=2, window="2024-01")
    before = store.budget(calls.name)
    store.drop(calls.name)
    neo4j_with_plugin.ask("MATCH (a:EdgeDPAccount {name: $name}) DELETE a", name=calls.name)
    calls.register(store, epsilon_budget=3)
    again = store.budget(calls.name)
    assert dict(again)["dearest_run"] == dict(before)["dearest_run"]
    with pytest.raises(BudgetError):
        store.count(calls.name, of="edges", epsilon=2, window="2024-05")
    store.count(calls.name, of="edges", epsilon=2, window="2025-05")
    assert store.check(calls.name) == []
    declared = {"name": calls.name, "delta": None}
    with store._backend.session() as session:
        for budget, rows in ((2 * 10**9 - 1, 0), (2 * 10**9, 1)):  # the dearest run, of four in all
            assert len(session.run("account_set_budget", declared=budget, budget=budget, **declared)) == rows


def test_an_analyst_of_two_types_has_a_share_of_each_and_the_ledgers_add_up(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    """The graph's own ledger names the analyst and has no share; the accounts have one each, with its runs."""
    calls = Calls(neo4j_with_plugin, "DATE", [dt.date(2024, 1, 5)])
    texted, ann = f"TEXTED_{calls.mark}", f"ann-{calls.mark}"
    for kind in (calls.type, texted):
        store.account(kind, 3, dates=calls.dates, within="P1Y")
    with pytest.warns(UserWarning, match="no index on 'at'"):
        store.register(calls.name, calls.label, [calls.type, texted], "id")
    store.add_analyst(ann)
    store.grant(calls.name, ann, 2)
    asking = Asker(store, ann)
    asking.count(calls.name, of="edges", epsilon=2, window="2024-01")
    with pytest.raises(BudgetError):
        asking.count(calls.name, of="edges", epsilon=1, window="2024-05")
    asking.count(calls.name, of="edges", epsilon=2, window="2025-05")
    assert [row for row in store.check() if calls.mark in str(row)] == []
    neo4j_with_plugin.ask("MATCH (s:EdgeDPShare {name: $name}) SET s.runs = '[0,0]'", name=texted)
    assert "runs of windows" in str(store.check(texted))
    with pytest.raises(StoreError, match="does not add up"):
        asking.count(calls.name, of="edges", epsilon="0.1", window="2026-06")
    store.revoke_share(calls.name, ann)
    store.grant(calls.name, ann, 2)
    with pytest.raises(BudgetError):
        asking.count(calls.name, of="edges", epsilon=1, window="2024-05")
