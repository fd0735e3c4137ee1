"""What stands between a question and a row: statements that may refuse, rights that may end, what is kept in memory.

Each test is of a kind, and finds the members of its kind by itself: statements by what their files say, an analyst's
calls by the class that has them, the fields of a log by its rows.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import edgedp
from edgedp import EdgeDPError, Graph, Store, UnknownNameError
from edgedp.graph.loading.addresses import Address, settled
from edgedp.ledger.backend import GraphRow
from edgedp.ledger.calendars import runs
from edgedp.ledger.calendars.terms import calendar_of_terms, kept_without_edges
from edgedp.ledger.log.consistency import of_runs
from edgedp.stores.embedded import sqlite
from edgedp.stores.people import asker
from edgedp.stores.people.asker import Asker
from edgedp.stores.releases.memory import GraphMemory
from edgedp.words.dates.calendar import calendar_of
from edgedp.words.vocabulary import UNITS
from made_once import copied
from places import TESTS

# -- statements that may refuse ---------------------------------------------------------------------------------------


def refusing() -> set[str]:
    """Return the statements whose files say of a column that there is no row of it where they refuse."""
    folder = TESTS.parent / "queries" / "sqlite"
    return {
        path.stem for path in folder.glob("*.sql") if re.search(r"^--   .*no row", path.read_text(), re.M)
    }


def steps() -> Iterator[tuple[str, str, set[str]]]:
    """Yield every step that the package writes down: where, its statement, and which outcomes it names."""
    for path in sorted(Path(edgedp.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if re.search(r"\bStep\b", text) else ():
            match node:
                case ast.Call(func=ast.Name("Step"), args=[ast.Constant(str(statement)), *_], keywords=named):
                    ends = {
                        each.arg
                        for each in named
                        if not isinstance(each.value, ast.Constant) or each.value.value
                    }
                    yield f"{path.name}:{node.lineno}", statement, {str(each) for each in ends}


def test_a_statement_that_may_refuse_is_never_run_without_saying_what_that_means() -> None:
    """Without an outcome the script goes on, and its log tells what did not happen."""
    may_refuse, seen = refusing(), list(steps())
    assert [where for where, statement, ends in seen if statement in may_refuse and not ends] == []
    assert {statement for _, statement, _ in seen} >= {
        "account_set_budget",
        "account_at",
        "share_put",
        "person_put",
    }


# -- rights that may end ----------------------------------------------------------------------------------------------


def made(store: Store) -> None:
    for name, last in (("kite", 3), ("other", 4)):
        graph = Graph.from_edges([(1, 2), (2, last)], columns={"amount": [1, 2]})
        store.load(graph, name, epsilon_budget=3)
    store.add_analyst("ann")
    store.grant("kite", "ann", 1, filters=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with copied(made, tmp_path / "graphs.edgedp") as opened:
        yield opened


@contextmanager
def before_the_transaction(meanwhile: Callable[[], object]) -> Iterator[None]:
    """Do something right before the next transaction begins, once."""
    real, waiting = sqlite.Ledger.transaction, [meanwhile]

    def transaction(self: sqlite.Ledger, *given: Any) -> Any:
        if waiting:
            waiting.pop()()
        return real(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite.Ledger, "transaction", transaction)
        yield
    assert not waiting, "no transaction was begun"


TOP: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": "0.1"}
WRITES: dict[str, Callable[[Asker], object]] = {
    "register": lambda ann: ann.register("ann.large", of="kite", where={"amount": {"gte": 2}}),
    "priv_top_k": lambda ann: ann.priv_top_k("kite", **TOP),
    "ask_more": lambda ann: ann.ask_more("kite", "1", "for a study"),
}
ENDS: dict[str, Callable[[Store], object]] = {
    "share": lambda store: store.revoke_share("kite", "ann"),
    "person": lambda store: store.revoke_analyst("ann"),
}


@pytest.mark.parametrize(
    ("write", "ends"), [each for each in product(WRITES, ENDS) if each != ("ask_more", "share")]
)
def test_who_loses_the_right_between_the_check_and_the_transaction_writes_nothing(
    write: str, ends: str, store: Store
) -> None:
    """A question for more is one about the share that there was, and the curator answers it."""
    with before_the_transaction(lambda: ENDS[ends](store)), pytest.raises(EdgeDPError):
        WRITES[write](store.asking_as("ann"))
    assert [row["name"] for row in store.graphs()] == ["kite", "other"]
    assert store.budget("kite")["epsilon_spent"] == 0
    assert store.asked_more() == []


def test_a_share_that_is_taken_away_after_a_registration_is_missed_in_a_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = asker.write_rows_graph

    def overtaken(*given: Any, **more: Any) -> None:
        written(*given, **more)
        store.revoke_share("kite", "ann")

    monkeypatch.setattr(asker, "write_rows_graph", overtaken)
    with pytest.raises(UnknownNameError, match=r"'ann\.large', whose share was taken away"):
        WRITES["register"](store.asking_as("ann"))


CALLS: dict[str, dict[str, Any]] = {
    "ask_more": {"epsilon": "1", "reason": "for a study"}, "attributes": {}, "budget": {}, "domains": {},
    "count": {"of": "edges", "epsilon": "0.1"}, "distribution": {"epsilon": "0.1"}, "summary": {"epsilon": "0.1"},
    "estimate": TOP, "motkin": {"k": 1, "epsilon": "0.1"}, "priv_top_k": TOP, "releases": {},
    "percentile": {"property": "age", "q": 0.5, "epsilon": "0.1"},
}  # fmt: skip
"""What an analyst may ask of a graph by its name, and with what."""


def test_every_call_that_names_a_graph_is_here() -> None:
    named = {
        name
        for name, call in inspect.getmembers(Asker, inspect.isfunction)
        if not name.startswith("_") and list(inspect.signature(call).parameters)[1:2] == ["name"]
    }
    # One names a graph that there is not yet; the other one ends a lease, for a gateway, and answers nothing.
    assert named == {*CALLS, "register", "land"}


@pytest.mark.parametrize("call", CALLS)
def test_a_graph_without_a_share_is_refused_as_one_that_there_is_not(call: str, store: Store) -> None:
    ann, said = store.asking_as("ann"), []
    for name in ("other", "otter"):
        with pytest.raises(EdgeDPError) as refused:
            getattr(ann, call)(name, **CALLS[call])
        said.append((type(refused.value), str(refused.value).replace(name, "it")))
    assert said[0] == said[1]
    assert store.budget("other")["epsilon_spent"] == 0


def test_a_sign_in_by_a_provider_is_one_persons(store: Store) -> None:
    issuer = "https://id.example.org"
    store.add_analyst("bob")
    store.add_identity("ann", issuer, "7")
    with pytest.raises(EdgeDPError, match="is 'ann' already"):
        store.add_identity("bob", issuer, "7")
    person = store.signed_in(issuer, "7")
    assert person is not None
    assert person.name == "ann"


def test_a_rotation_ends_every_token_of_a_person(store: Store) -> None:
    first, second = store.rotate_analyst("ann")["token"], store.add_token("ann", "laptop")["token"]
    assert store.identify(first) == store.identify(second) is not None
    third = store.rotate_analyst("ann")["token"]
    assert [store.identify(token) is not None for token in (first, second, third)] == [False, False, True]


# -- what a log says of windows ---------------------------------------------------------------------------------------

MONTHS = calendar_of("2024-01-01", "P1M", dates="final", within=2)


def honest() -> list[dict[str, Any]]:
    """Return a log of an account whose budget is for two months: debits of two analysts and of nobody's share."""
    terms = kept_without_edges("pair", MONTHS)
    rows: list[dict[str, Any]] = [
        {"seq": 1, "name": "calls", "kind": "load", "terms": terms, "runs": runs.NOTHING, "analyst": None}
    ]
    whole, own = runs.NOTHING, dict[str, str]()
    for seq, (analyst, first, last) in enumerate(
        [("ann", 1, 1), ("bob", 1, 2), ("ann", 2, 2), ("bob", 2, 2), (None, None, None)], 2
    ):
        whole = runs.charged(whole, 2, first, last, 10)
        if analyst:
            own[analyst] = runs.charged(own.get(analyst, runs.NOTHING), 2, first, last, 10)
        rows.append({
            "seq": seq, "name": "calls", "kind": "debit", "terms": terms, "runs": whole, "analyst": analyst,
            "firstWindow": first, "lastWindow": last, "charge": 10, "shareRuns": own.get(analyst or ""),
        })  # fmt: skip
    return rows


OTHERS: dict[str, list[Any]] = {
    "runs": ["[0,0]", None], "shareRuns": ["[0,0]", None], "firstWindow": [2, None, "1"], "lastWindow": [3, None],
    "charge": [9, 0], "analyst": ["eve"], "terms": [kept_without_edges("pair", None)],
}  # fmt: skip


def test_an_honest_log_of_windows_has_no_problem() -> None:
    assert of_runs(honest()) == []


@pytest.mark.parametrize("field", OTHERS)
def test_a_log_of_windows_of_which_one_field_is_another_has_a_problem(field: str) -> None:
    debits = [place for place, row in enumerate(honest()) if row["kind"] == "debit" and row["analyst"]]
    assert set(OTHERS) | {"seq", "name", "kind"} == set(honest()[-1])
    for place, value in product(debits, OTHERS[field]):
        rows = honest()
        if rows[place][field] != value:
            rows[place][field] = value
            assert of_runs(rows), (place, field, value)


@pytest.mark.parametrize("protect", UNITS)
def test_an_account_whose_edges_are_gone_keeps_its_calendar_and_its_unit(protect: Any) -> None:
    kept = kept_without_edges(protect, MONTHS)
    assert calendar_of_terms(kept) == MONTHS
    assert json.loads(kept).get("protect", "pair") == protect


# -- what is kept in memory, and marks of files -----------------------------------------------------------------------


def test_a_graph_in_memory_is_that_of_its_name_its_version_and_its_windows() -> None:
    """Whatever was put last under any of them, another one is not answered with it."""
    row = GraphRow("a", 1, "", "", "", 2, None, nodes_supplied=False, loaded=True)
    spans = [None, MONTHS.between(0, 0), MONTHS.between(0, 1), MONTHS.between(1, 1)]
    keys = [
        (replace(row, name=name, version=version), span)
        for name, version, span in product("ab", (1, 2), spans)
    ]
    for put in keys:
        memory, graph = GraphMemory(1 << 20), Graph.from_edges([(1, 2)])
        memory.put(put[0], graph, put[1])
        found = [each for each in keys if memory.get(*each) is not None]
        assert found == [put]


def test_every_file_of_an_address_is_marked_and_each_is_waited_for(tmp_path: Path) -> None:
    texts = {"edges": "1 2\n", "nodes": "1\n2\n"}
    paths = {name: tmp_path / f"{name}.txt" for name in texts}
    for name, path in paths.items():
        path.write_text(texts[name])
    address = Address(place=f"file://{paths['edges']}", **{name: str(path) for name, path in paths.items()})
    for name, path in paths.items():
        before = address.marks()
        path.write_text(texts[name] * 2)
        assert address.marks() != before, f"the {name} changed, and the marks are the same"
    marks = address.marks()
    assert marks is not None
    latest = max(max(mark[4:]) for mark in marks)
    later = latest + 3_000_000_000
    assert settled(marks, later)
    for place, mark in enumerate(marks):
        for time in range(4, len(mark)):
            moved = [[*each] for each in marks]
            moved[place][time] += 2_000_000_000
            assert not settled(moved, later), "one that changed lately is taken for settled"
