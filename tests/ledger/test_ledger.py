"""The ledger as scripts: what is debited to one unit, what an outcome means, what a chain notices."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import looped
from edgedp import (
    BudgetError,
    EdgeDPError,
    Graph,
    ParameterError,
    Store,
    StoreError,
    UnknownNameError,
    open_store,
)
from edgedp.ledger import events, ledger, placing, registry
from edgedp.ledger.backend import Session
from edgedp.ledger.chain import Head, chained, digest, genesis, link
from edgedp.ledger.debits import debiting
from edgedp.ledger.events import Declaration, check_delta
from edgedp.ledger.log import consistency, history
from edgedp.ledger.script import Script, Step, run
from edgedp.release.plan import Plan, PublicFacts, plan
from edgedp.stores import twins
from edgedp.stores.statements.queries import statement_text
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.places import asset
from made_once import copied

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
FACTS = PublicFacts(5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


def made(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1)


@pytest.fixture
def store(path: Path) -> Store:
    return copied(made, path)


@pytest.fixture
def session(store: Store) -> Iterator[Session]:
    with store._backend.session() as session:
        yield session


def planned(epsilon: str = "0.25", **more: Any) -> Plan:
    return plan("priv_top_k", {"metric": "degree", "k": 1, "epsilon": epsilon} | more, FACTS)


def debit(
    session: Session,
    plan: Plan,
    request_id: str | None = None,
    version: int | None = None,
    cost: int | None = None,
) -> str:
    """Debit a plan and return how it ended."""
    row = registry.known(session, "kite")
    script = debiting.debit_script(
        row if version is None else replace(row, version=version), plan, release_id=ledger.new_release_id(),
        request_id=request_id, by="uid 1", at=ledger.now(),
    )  # fmt: skip
    if cost is not None:
        script = Script(
            [
                replace(step, parameters={**step.parameters, "cost": cost, "price": cost})
                if "cost" in step.parameters
                else step
                for step in script.steps
            ],
            script.done,
        )
    return run(session, script).name


# -- to one unit --------------------------------------------------------------------------------------------


def test_a_pure_budget_is_spent_to_the_last_nano_and_not_beyond(session: Session) -> None:
    assert debit(session, planned("0.999999999")) == "debited"
    assert debit(session, planned("0.000000002")) == "refused"
    assert debit(session, planned("0.000000001")) == "debited"
    assert debit(session, planned("0.000000001")) == "refused"
    assert ledger.find(session, "kite").spent == NANO


def test_a_budget_in_rho_is_spent_to_the_last_pico_and_not_beyond(store: Store, session: Session) -> None:
    store.set_budget("kite", 1, delta="1e-6")
    budget = 24_355_970_359  # of (1, 1e-6), as docs of amounts.rho.budget say
    assert ledger.find(session, "kite").budget == budget
    fill = budget - rho.cost(planned("0.0001"))
    assert debit(session, planned(), cost=fill + 1) == "debited"
    assert debit(session, planned("0.0001")) == "refused", "one pico short"
    assert ledger.find(session, "kite").spent == fill + 1


def test_a_budget_in_rho_that_fits_to_the_pico_is_granted(store: Store, session: Session) -> None:
    store.set_budget("kite", 1, delta="1e-6")
    budget = ledger.find(session, "kite").budget or 0
    fill = budget - rho.cost(planned("0.0001"))
    assert debit(session, planned(), cost=fill) == "debited"
    assert debit(session, planned("0.0001")) == "debited"
    assert ledger.find(session, "kite").spent == budget
    assert debit(session, planned("0.000000001")) == "refused"


@pytest.mark.parametrize("cost", [0, -1, -(10**9)])
def test_a_release_that_costs_nothing_or_less_is_never_debited(session: Session, cost: int) -> None:
    assert debit(session, planned(), cost=cost) == "refused"
    assert ledger.find(session, "kite").spent == 0
    assert consistency.problems(session, "kite") == []


def test_the_limit_of_one_release_holds_to_the_nano(store: Store, session: Session) -> None:
    store.load(KITE, "kite", replace=True, max_epsilon_per_release="0.3")
    assert debit(session, planned("0.300000001")) == "refused"
    assert debit(session, planned("0.3")) == "debited"
    store.set_budget("kite", 1)
    with pytest.raises(BudgetError, match=r"at most 0\.3 for one release"):
        store.priv_top_k("kite", "degree", 1, "0.31")


def test_another_version_is_never_debited(session: Session) -> None:
    row = registry.known(session, "kite")
    for version in (row.version + 1, row.version - 1, 0):
        assert debit(session, planned(), version=version) == "replaced"
    assert ledger.find(session, "kite").spent == 0


def test_a_script_that_is_not_done_leaves_nothing(session: Session) -> None:
    before = session.run("log_list", name="kite")
    for outcome, ended in (("refused", planned("2")), ("replaced", planned())):
        assert debit(session, ended, version=1 if outcome == "replaced" else None) == outcome
    assert session.run("log_list", name="kite") == before
    assert session.run("account_adds_up", name="kite")


def test_steps_run_in_order_and_stop_at_the_first_outcome(session: Session) -> None:
    script = Script(
        [
            Step("account_lock", {"name": "kite"}, on_none="never"),
            Step("account_place", {"name": "kite", "relationshipType": "X", "terms": "", "runs": None}),
            Step("account_find", {"name": "kite"}, on_row="found"),
            Step("graph_forget", {"name": "kite"}),
        ]
    )
    outcome = run(session, script)
    assert outcome.name == "found"
    assert list(outcome.rows) == ["account_lock", "account_place", "account_find"]
    assert outcome.rows["account_find"][0]["relationshipType"] == "X"
    assert session.run("account_find", name="kite")[0]["relationshipType"] is None, "rolled back"


# -- what outcomes mean ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "rows", "error", "sentence"),
    [
        ("unknown", {}, UnknownNameError, "must have been loaded or registered"),
        ("replaced", {}, StoreError, "the graph 'g' changed since the release was planned; ask again"),
        ("broken", {}, StoreError, "does not add up; run 'edgedp ledger check g'"),
    ],
)
def test_refusals_are_one_sentence(
    outcome: str, rows: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        ledger.judge(outcome, rows, name="g", plan=planned(), request_id=None)


def test_no_other_outcome_is_silently_taken_for_one() -> None:
    with pytest.raises(AssertionError):
        ledger.judge("debited", {}, name="g", plan=planned(), request_id=None)
    with pytest.raises(AssertionError):
        ledger.curator_refusal("done", "g")


def test_every_outcome_of_a_script_is_judged() -> None:
    row = registry.GraphRow("g", 1, "N", "T", "id", 5, None, nodes_supplied=False, loaded=True)
    declared = Declaration(NANO, None, 5)
    scripts = [
        placing.load_script(row, None, None, declared, fingerprint="x", by="b", at="a", last=[]),
        placing.load_script(row, row, None, declared, fingerprint="x", by="b", at="a", last=[]),
        placing.register_script(row, None, declared, by="b", at="a", last=[]),
        placing.drop_script(row, [], by="b", at="a"),
        events.budget_script("g", None, declared, by="b", at="a"),
        events.event_script("g", "exact", {}, by="b", at="a"),
    ]
    fired = {
        outcome
        for script in scripts
        for step in script.steps
        for outcome in (step.on_row, step.on_none)
        if outcome
    }
    for outcome in fired:
        assert isinstance(ledger.curator_refusal(outcome, "g"), EdgeDPError)


def test_a_request_is_answered_once_and_never_drawn_again(session: Session) -> None:
    ask = planned()
    row = registry.known(session, "kite")
    script = debiting.debit_script(row, ask, release_id="r1", request_id="q", by="uid 1", at=ledger.now())
    assert run(session, script).name == "debited"
    again = run(session, replace_release(script, "r2"))
    assert again.name == "asked_before"
    with pytest.raises(StoreError, match="is being drawn; ask again with the same identifier"):
        ledger.judge(again.name, again.rows, name="kite", plan=ask, request_id="q")
    run(session, ledger.lease_end_script("kite", "r1"))
    again = run(session, replace_release(script, "r3"))
    with pytest.raises(StoreError, match="was debited and lost"):
        ledger.judge(again.name, again.rows, name="kite", plan=ask, request_id="q")
    answer = ledger.answer_script("kite", "r1", {"nodes": [3]}, by="uid 1", at=ledger.now())
    assert run(session, answer).name == "kept"
    assert run(session, answer).name == "gone", "an answer is kept once"
    again = run(session, replace_release(script, "r4"))
    kept = ledger.judge(again.name, again.rows, name="kite", plan=ask, request_id="q")
    assert (kept.release_id, kept.answer, kept.public) == ("r1", {"nodes": [3]}, ask.public)
    with pytest.raises(ParameterError, match="must be new for another request"):
        ledger.judge(again.name, again.rows, name="kite", plan=planned("0.1"), request_id="q")
    assert ledger.find(session, "kite").spent == ask.cost


def replace_release(script: Script, release_id: str) -> Script:
    steps = [
        replace(step, parameters={**step.parameters, "releaseId": release_id})
        if "releaseId" in step.parameters
        else step
        for step in script.steps
    ]
    return Script(steps, script.done)


def test_an_answer_without_its_debit_is_refused(session: Session) -> None:
    answer = ledger.answer_script("kite", "never", {"nodes": [3]}, by="uid 1", at=ledger.now())
    assert run(session, answer).name == "gone"
    assert session.run("account_adds_up", name="kite")


def test_a_lease_is_renewed_by_its_drawer(session: Session) -> None:
    assert debit(session, planned(), request_id="q") == "debited"
    (row,) = session.run("request_find", name="kite", analyst="", requestId="q")
    steps = ledger.lease_renewal_script("kite", row["releaseId"]).steps
    session.run("lease_renew", name="kite", releaseId=row["releaseId"], seconds=-5)
    assert not session.run("request_find", name="kite", analyst="", requestId="q")[0]["leaseAlive"]
    for step in steps:
        session.run(step.statement, **step.parameters)
    assert session.run("request_find", name="kite", analyst="", requestId="q")[0]["leaseAlive"]


def test_the_end_of_a_lease_ends_no_other_and_an_answer_has_none(session: Session) -> None:
    """A gateway hides what another one draws by its lease alone."""
    row = registry.known(session, "kite")
    for each in ("r1", "r2"):
        script = debiting.debit_script(
            row, planned("0.1"), release_id=each, request_id=None, by="uid 1", at=ledger.now()
        )
        assert run(session, script).name == "debited"
    run(session, ledger.lease_end_script("kite", "r1"))
    assert session.run("lease_list") == [{"releaseId": "r2"}]
    run(session, ledger.answer_script("kite", "r2", {"nodes": [3]}, by="uid 1", at=ledger.now()))
    run(session, ledger.lease_renewal_script("kite", "r2"))
    assert session.run("lease_list") == []


def test_a_long_draw_keeps_its_lease(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    import edgedp.release.draw

    draw, seen = edgedp.release.draw.draw, []
    store.priv_top_k("kite", "degree", 1, "0.01")
    monkeypatch.setattr(ledger, "LEASE_RENEWAL", 0.05)
    monkeypatch.setattr(ledger, "LEASE_SECONDS", 2)

    def slow(*arguments: Any) -> Any:
        time.sleep(3.5)
        with store._backend.session() as session:
            seen.append(session.run("request_find", name="kite", analyst="", requestId="q")[0]["leaseAlive"])
        return draw(*arguments)

    monkeypatch.setattr(edgedp.release.draw, "draw", slow)
    store.priv_top_k("kite", "degree", 1, "0.01", request_id="q")
    assert seen == [1]


def test_a_kept_release_shows_the_facts_that_it_was_drawn_under(store: Store) -> None:
    question: dict[str, Any] = {"metric": "degree", "k": 3, "epsilon": 0.5, "request_id": "r-1"}
    first = store.priv_top_k("kite", **question)
    store.load(Graph.from_edges([(1, 2)]), "kite", replace=True, degree_bound=1)
    again = store.priv_top_k("kite", **question)
    assert again.to_dict() == first.to_dict()
    assert again.public["node_count"] == 5
    store.drop("kite")
    assert store.priv_top_k("kite", **question).nodes == first.nodes
    with pytest.raises(ParameterError, match="must be new for another request"):
        store.priv_top_k("kite", **(question | {"k": 2}))


def test_a_request_id_has_an_end(store: Store) -> None:
    with pytest.raises(ParameterError, match="has 201 characters, must have at most 200"):
        store.priv_top_k("kite", "degree", 1, 0.1, request_id="x" * 201)


# -- declarations -------------------------------------------------------------------------------------------


def test_a_delta_that_promises_nothing_is_refused(store: Store) -> None:
    check_delta(rho.ATTO // 5 - 1, 5)
    larger = Graph.from_edges([(i, i + 1) for i in range(9)])
    with pytest.raises(ParameterError, match=r"delta is 0\.9, must be below 1 / n"):
        store.load(larger, "other", epsilon_budget=1, delta=0.9)
    with pytest.raises(ParameterError, match="below 1 / n"):
        store.set_budget("kite", 1, delta=0.2)
    store.set_budget("kite", 1, delta=0.19)
    with pytest.raises(ParameterError, match="below 1 / n"):
        store.load(larger, "kite", replace=True)
    assert store.graph("kite") == KITE


def test_a_limit_above_the_budget_is_refused(store: Store) -> None:
    with pytest.raises(BudgetError, match=r"max_epsilon_per_release is 2, must be at most the budget, 1"):
        store.load(KITE, "kite", replace=True, max_epsilon_per_release=2)
    with pytest.raises(BudgetError, match="at most the budget"):
        store.load(
            Graph.from_edges([(1, 2)]), "other", epsilon_budget=1, max_epsilon_per_release="1.000000001"
        )
    assert [row["name"] for row in store.graphs()] == ["kite"]


def test_a_declaration_guards_against_what_changed_since_it_was_read(session: Session) -> None:
    account = ledger.find(session, "kite")
    assert debit(session, planned("0.9")) == "debited"
    script = events.budget_script("kite", account, Declaration(NANO // 2), by="b", at="a")
    assert run(session, script).name == "budget"
    pure = events.budget_script("kite", account, Declaration(NANO, rho.delta_atto("1e-6")), by="b", at="a")
    assert run(session, pure).name == "budget", "paid in pure epsilon"
    assert ledger.find(session, "kite").budget == NANO


# -- the chain ------------------------------------------------------------------------------------------------


def entries(costs: list[int]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    total = 0
    for seq, cost in enumerate(costs, start=1):
        total += cost
        rows.append(
            {
                "name": "g",
                "seq": seq,
                "kind": "debit",
                "at": "t",
                "by": "b",
                "releaseId": str(seq),
                "requestId": None,
                "cost": cost,
                "charge": cost,
                "body": "{}",
                "total": total,
            }
        )
    return rows


@given(st.lists(st.integers(1, 10), min_size=1, max_size=6), st.data())
def test_a_chain_notices_any_change_of_any_field(costs: list[int], data: st.DataObject) -> None:
    rows = chained("g", entries(costs))
    assert rows[0]["prev"] == genesis("g")
    assert rows[-1]["hash"] == link(rows[-1]["prev"], rows[-1])
    changed = [dict(row) for row in rows]
    row = changed[data.draw(st.integers(0, len(rows) - 1))]
    field = data.draw(st.sampled_from(sorted(row)))
    row[field] = data.draw(
        st.one_of(st.none(), st.integers(-3, 99), st.text(max_size=3)).filter(lambda v: v != row[field])
    )
    with pytest.raises((StoreError, TypeError)):
        chained("g", changed)


def test_a_chain_notices_another_body() -> None:
    """One that is a JSON object as well, so that nothing but the hash can notice it."""
    changed = [dict(row) for row in chained("g", entries([1, 2]))]
    changed[0]["body"] = '{"other": 1}'
    with pytest.raises(StoreError):
        chained("g", changed)


@given(st.lists(st.integers(1, 10), min_size=2, max_size=6), st.data())
def test_a_chain_notices_what_is_missing_or_moved(costs: list[int], data: st.DataObject) -> None:
    rows = chained("g", entries(costs))
    at = data.draw(st.integers(0, len(rows) - 2))
    for wrong in (rows[:at] + rows[at + 1 :], [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]):
        with pytest.raises(StoreError):
            chained("g", wrong)


def test_values_of_different_types_have_different_digests() -> None:
    values: list[Any] = [1, "1", None, "null", "", "a", '"', "é", "\u0000"]
    assert len({digest(value) for value in values}) == len(values)
    assert digest("a", "bc") != digest("ab", "c")


def test_an_account_that_its_log_does_not_say_is_refused_everywhere(store: Store, path: Path) -> None:
    store.priv_top_k("kite", "degree", 1, 0.25)
    for change in ("UPDATE accounts SET spent = 0", "UPDATE accounts SET entries = entries - 1"):
        broken = Edited(path)
        broken.execute(change)
        for ask in (
            lambda: store.priv_top_k("kite", "degree", 1, 0.1), lambda: store.budget("kite"),
            lambda: store.releases("kite"), lambda: store.set_budget("kite", 2), lambda: store.log("kite"),
            lambda: store.graph("kite"),
            lambda: store.load(KITE, "kite", replace=True), lambda: store.export("kite"), lambda: store.head("kite"),
        ):  # fmt: skip
            with pytest.raises(StoreError, match="does not add up; run 'edgedp ledger check kite'"):
                ask()
        assert store.check("kite")
        broken.restore()
        assert store.check() == []


class Edited:
    """A ledger that somebody edits who knows the seals."""

    def __init__(self, path: Path) -> None:
        self.file = path / "ledger.sqlite"
        self.before = self.file.read_bytes()

    def execute(self, statement: str) -> None:
        from edgedp.ledger import chain

        connection = sqlite3.connect(self.file)
        connection.create_function("sealed", -1, chain.digest, deterministic=True)
        connection.create_function(
            "genuine",
            -1,
            lambda kind, seal, *values: int(chain.digest(kind, *values) == seal),
            deterministic=True,
        )
        connection.create_function("link", 1, chain.genesis, deterministic=True)
        with connection:
            connection.execute(statement)
        connection.close()

    def restore(self) -> None:
        self.file.write_bytes(self.before)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts SET seal = 'x'", "UPDATE graphs SET seal = 'x'", "UPDATE settings SET seal = 'x'",
    ],
)  # fmt: skip
def test_a_row_that_is_not_sound_is_never_believed(store: Store, path: Path, change: str) -> None:
    Edited(path).execute(change)
    with pytest.raises(StoreError, match="ledger is damaged"):
        store.graphs()
    with pytest.raises(StoreError, match="ledger is damaged"):
        store.load(Graph.from_edges([(1, 2)]), "new")


@pytest.mark.parametrize("table", ["graphs", "accounts"])
def test_a_row_that_is_missing_is_noticed_by_listings_and_by_a_new_name(
    store: Store, path: Path, table: str
) -> None:
    """A name whose row is gone must not get a fresh ledger."""
    edited = Edited(path)
    edited.execute(f"DROP TRIGGER {table}_gone")
    edited.execute(f"DELETE FROM {table}")  # noqa: S608
    for ask in (
        store.graphs, lambda: store.budget("kite" if table == "accounts" else "x"),
        lambda: store.load(KITE, "kite", replace=True),
        lambda: store.priv_top_k("kite", "degree", 1, 0.1),
    ):  # fmt: skip
        with pytest.raises(StoreError, match="ledger is damaged"):
            ask()


# -- log, export, verify ----------------------------------------------------------------------------------------


@pytest.fixture
def busy(store: Store) -> Store:
    store.priv_top_k("kite", "degree", 2, 0.25, request_id="r-1")
    store.set_budget("kite", 2)
    store.exact("kite", "ebc", nodes=[1])
    store.graph("kite")
    store.load(Graph.from_edges([(7, 8)]), "kite", replace=True, max_epsilon_per_release=1)
    store.drop("kite")
    return store


def test_the_log_says_what_happened_when_and_by_whom(busy: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("USER", "somebody")
    monkeypatch.setenv("LOGNAME", "somebody")
    rows = busy.log("kite")
    assert [row["event"] for row in rows] == [
        "budget", "load", "debit", "answer", "budget", "exact", "exact", "limit", "replace", "drop",
    ]  # fmt: skip
    assert [row["seq"] for row in rows] == list(range(1, 11))
    assert {row["by"] for row in rows} == {f"uid {os.getuid()}"}
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    assert [row["epsilon_spent"] for row in rows] == [0.0] * 2 + [0.25] * 8
    assert rows[4]["details"] == {"epsilon_budget": "2"}
    assert rows[5]["details"] == {"read": "exact", "metric": "ebc"}, "what was read, never a result"
    assert rows[6]["details"] == {"read": "graph"}


def test_the_log_holds_neither_fingerprint_nor_digest(busy: Store, path: Path) -> None:
    with busy._backend.session() as session:
        secret = session.run("secret_find")[0]["secret"]
    text = "".join(busy.export("kite")) + json.dumps(busy.log("kite"))
    assert secret not in text
    assert KITE.fingerprint not in text
    stored = (path / "ledger.sqlite").read_bytes()
    assert KITE.fingerprint.encode() not in stored, "it is kept as an HMAC"
    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection:
        rows = connection.execute("SELECT fingerprint FROM fingerprints").fetchall()
    for row in rows:
        assert row[0] not in text
        assert row[0].encode() in stored


def test_the_same_edges_have_different_fingerprints_in_different_stores(tmp_path: Path) -> None:
    found = set()
    for name in ("a", "b"):
        open_store(tmp_path / name).load(KITE, "kite")
        connection = sqlite3.connect(tmp_path / name / "ledger.sqlite")
        found |= {row[0] for row in connection.execute("SELECT fingerprint FROM fingerprints").fetchall()}
        connection.close()
    assert len(found) == 2


def test_edges_that_have_another_ledger_are_a_warning_also_after_a_drop(store: Store) -> None:
    store.drop("kite")
    with pytest.warns(UserWarning, match="list of edges was loaded before under the name 'kite'"):
        store.load(KITE, "again")
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "again", replace=True)
    store.load(Graph.from_edges([(1, 2)]), "new")


def test_a_warning_compares_ids_and_no_isolated_node_hides_edges(store: Store) -> None:
    listed = [(f"p{a}", f"p{b}") for a, b in [(1, 2), (2, 3), (4, 5)]]
    others = [(f"q{a}", f"q{b}") for a, b in [(1, 2), (2, 3), (4, 5)]]
    store.load(Graph.from_edges(listed), "people")
    store.load(
        Graph.from_edges(others), "others"
    )  # of one shape: nothing is said, or the warning is an error here
    store.load(Graph.from_edges([(1, 2), (2, 3), (4, 5)]), "integers")
    for name, edge in (("short and long", ("a", "bc")), ("long and short", ("ab", "c"))):
        store.load(Graph.from_edges([edge]), name)
    nodes = ["a", "p9", *{end for edge in listed for end in edge}, "long-enough-to-widen-every-text"]
    with pytest.warns(UserWarning, match="the same list of edges was loaded before under the name 'people'"):
        store.load(Graph.from_edges(listed[::-1], nodes=nodes), "again")
    with pytest.warns(UserWarning, match="loaded before under the names 'again', 'people': what"):
        store.load(Graph.from_edges(listed), "third")


def test_what_an_earlier_version_kept_of_a_load_still_warns(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Graph.from_edges([(1, 2), (2, 3), (4, 5)])
    with monkeypatch.context() as patched:
        patched.setattr(twins, "keyed", Graph.keyed_fingerprint)
        store.load(path, "early")
    with pytest.warns(UserWarning, match="an earlier version of edgedp loaded 'early'"):
        store.load(path, "late")


def test_an_export_verifies_and_its_head_is_the_budgets(busy: Store) -> None:
    lines = busy.export("kite")
    found = history.verify(lines)
    assert found == {"graph": "kite", "rows": 10, "releases": 1, "head": busy.head("kite")}
    early = Head(3, json.loads(lines[2])["hash"])
    for head in (busy.head("kite"), str(early), early.hash, f" {early} \n"):
        history.verify(lines, head)
    for wrong in ("0" * 64, f"4:{early.hash}", f"11:{Head.parse(busy.head('kite')).hash}"):
        with pytest.raises(StoreError, match="does not hold the head that was kept"):
            history.verify(lines, wrong)
    with pytest.raises(ParameterError, match="head is 'x'"):
        history.verify(lines, "x")


def test_an_export_that_was_changed_is_noticed(busy: Store) -> None:
    lines = busy.export("kite")
    for wrong in (
        lines[:-2] + lines[-1:],
        lines[1:],
        lines[:3] + lines[2:],
        [lines[1], lines[0], *lines[2:]],
    ):
        with pytest.raises(StoreError, match="the export is damaged"):
            history.verify(wrong)
    changed = [line.replace('"total": 250000000', '"total": 0') for line in lines]
    with pytest.raises(StoreError, match="the export is damaged"):
        history.verify(changed)
    for no_export in (
        lines[:-1],
        ["x"],
        [],
        ["{}"],
        ["[]"],
        ["1"],
        [lines[0][:20], lines[-1]],
        ['{"graph": 1}'],
    ):
        with pytest.raises(ParameterError, match=r"not an? (whole )?export"):
            history.verify(no_export)


def test_an_export_is_held_against_a_head_of_any_number(busy: Store) -> None:
    lines = busy.export("kite")
    for number in (0, 1, len(lines) - 1, len(lines), 10**17):
        with pytest.raises(StoreError, match="does not hold the head that was kept"):
            history.verify(lines, f"{number}:{'a' * 64}")
    with pytest.raises(ParameterError, match="must be a number of at most 18 digits"):
        history.verify(lines, f"{'9' * 5000}:{'a' * 64}")
    assert history.verify(lines, f"0:{genesis('kite')}")["rows"] == len(lines) - 1


def test_a_changed_export_with_a_new_chain_is_noticed_only_against_a_head_from_elsewhere(busy: Store) -> None:
    lines, head = busy.export("kite"), busy.head("kite")
    rows = [json.loads(line) for line in lines[:-1]]
    forged: list[dict[str, Any]] = []
    before = genesis("kite")
    for seq, row in enumerate((row for row in rows if row["kind"] not in ("debit", "answer")), start=1):
        row |= {"seq": seq, "total": 0, "prev": before}
        before = row["hash"] = link(before, row)
        forged.append(row)
    text = [*map(json.dumps, forged), json.dumps({"graph": "kite", "rows": 8, "head": f"8:{before}"})]
    assert history.verify(text)["releases"] == 0
    with pytest.raises(StoreError, match="does not hold the head"):
        history.verify(text, head)


# -- backup and heads -----------------------------------------------------------------------------------------


def test_a_backup_is_a_store_and_an_older_one_is_refused_by_its_heads(
    store: Store, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    store.priv_top_k("kite", "degree", 1, 0.25)
    heads = store.backup(tmp_path / "old")
    assert heads == {"kite": store.head("kite")}
    assert (tmp_path / "old.head").read_text() == f"{store.head('kite')} kite\n"
    copy = open_store(tmp_path / "old")
    assert copy.graph("kite") == KITE
    assert copy.check() == []
    store.priv_top_k("kite", "degree", 1, 0.25)
    store.backup(tmp_path / "new")
    shutil.rmtree(path)
    shutil.copytree(tmp_path / "old", path)
    with pytest.raises(StoreError, match="it is an older copy"):
        open_store(path).budget("kite")
    shutil.rmtree(path)
    shutil.copytree(tmp_path / "new", path)
    assert open_store(path).budget("kite")["epsilon_spent"] == 0.5
    (tmp_path / "graphs.edgedp.head").unlink()
    later = f"{store.head('kite')} kite"
    monkeypatch.setenv("EDGEDP_LEDGER_HEAD", later)
    open_store(path).graphs()
    with pytest.raises(StoreError, match="an older copy"):
        open_store(tmp_path / "old").graphs()
    file = tmp_path / "heads"
    file.write_text(later + "\n")
    monkeypatch.setenv("EDGEDP_LEDGER_HEAD", str(file))
    with pytest.raises(StoreError, match="an older copy"):
        open_store(tmp_path / "old").load(KITE, "x")
    other = open_store(tmp_path / "old", head=f"2:{'0' * 64} kite")
    with pytest.raises(StoreError, match="is not the one of the head that was kept"):
        other.graphs()
    for wrong in ("nonsense", "1:zz kite"):
        with pytest.raises(ParameterError, match="head is"):
            open_store(path, head=wrong).graphs()


def test_a_backup_is_refused_where_it_would_harm(store: Store, path: Path, tmp_path: Path) -> None:
    before = sorted(path.iterdir())
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for destination, sentence in (
        (tmp_path / "there", "which exists"), (path, "which exists"), (path / "inside", "inside the store"),
        (tmp_path / "no" / "where", "folder does not exist"), (tmp_path / "link", "which exists"),
    ):  # fmt: skip
        with pytest.raises(StoreError, match=sentence):
            store.backup(destination)
    assert sorted(path.iterdir()) == before


def test_a_backup_during_releases_and_replacements_is_consistent(
    path: Path, tmp_path: Path, store: Store
) -> None:
    from embedded_children import child

    store.set_budget("kite", 1000)
    store.load(Graph.from_edges([(1, 2)]), "other")
    busy = [child("stream", path, "kite", "0.01"), child("reload", path, "other", "5,9")]
    try:
        for process in busy:
            assert process.stdout is not None
            process.stdout.readline()
        for number in range(3):
            heads = store.backup(tmp_path / f"copy{number}")
            copy = open_store(tmp_path / f"copy{number}")
            assert copy.check() == []
            assert copy.head("kite") == heads["kite"]
            assert copy.graph("other").edge_count in (1, 5, 9)
    finally:
        for process in busy:
            process.kill()
            process.communicate()
    assert store.check() == []


# -- statements -----------------------------------------------------------------------------------------------


STATEMENTS = sorted(path for path in asset("queries", "sqlite").glob("*.sql") if "migration" not in path.stem)


@pytest.fixture(scope="module")
def statements_run_on(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = open_store(tmp_path_factory.mktemp("statements") / "s")
    store.load(Graph.from_edges([(1, 2)]), "x")
    return store


@looped.as_one
@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: path.stem)
def test_a_statement_of_sqlite_is_what_its_header_says(path: Path, statements_run_on: Store) -> None:
    header = [
        line.removeprefix("--").strip() for line in path.read_text().splitlines() if line.startswith("--")
    ]
    text = statement_text("sqlite", path.stem)
    assert ";" not in text
    parameters = set(re.findall(r"\$(\w+)", text))
    described = " ".join(header[header.index("") :])
    for name in parameters:
        assert re.search(rf"\b{name}\b", described), f"{name} is not in the header"
    with statements_run_on._backend.session() as session:
        connection = session.connection  # type: ignore[attr-defined]
        connection.execute("EXPLAIN " + text, dict.fromkeys(parameters))
