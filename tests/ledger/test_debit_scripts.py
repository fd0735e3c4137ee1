"""The scripts that debit, whole: every statement, in order, with all that it is told and what its rows mean.

The statements are held by `test_debiting.py`, and what they do together by the tests of the stores. Here stands what is
asked of them, by hand: which accounts are locked and debited, by how much, in whose name, and what the log keeps.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from edgedp.ledger import ledger
from edgedp.ledger.debits.debiting import _unchanged, debit_script, step_script
from edgedp.ledger.rows import GraphRow
from edgedp.mechanisms.selection.domains import declare
from edgedp.release.plan import Plan, plan
from edgedp.words.dates.calendar import calendar_of

TYPES = ("CALLED", "TEXTED")
MADE_OF = '{"node_labels": ["Kite"], "relationship_types": ["CALLED", "TEXTED"]}'
LOADED = GraphRow("kite", 7, "Kite", "KITE", "id", 50, 9, nodes_supplied=True, loaded=True, digest="d")
OF_TYPES = GraphRow(
    "kite", 7, "Kite", "CALLED|TEXTED", "id", 50, 9, nodes_supplied=True, loaded=False, made_of=MADE_OF,
    accounts=TYPES,
)  # fmt: skip
OWN_TOO = replace(OF_TYPES, accounts=("CALLED", "kite"))
MONTHS = calendar_of("2024-01-01", "P1M", within=3, dates="final")
SAID_MONTHS = '{"from": "2024-01-01", "period": "P1M", "within": 3, "grace": "P3D", "dates": "final"}'
ASKED = {"release_id": "r", "by": "cy", "at": "now"}
NOWHERE = {"firstWindow": None, "lastWindow": None}

Row = tuple[str, dict[str, Any], str | None, str | None]


@pytest.fixture(autouse=True)
def numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(99))
    monkeypatch.setattr(ledger, "new_release_id", lambda: f"n{next(numbers)}")


def top_k(row: GraphRow, *, dated: bool = False) -> Plan:
    facts = replace(row.facts, calendar=MONTHS) if dated else row.facts
    window = {"windows": "2024-03..2024-05"} if dated else {}
    return plan(
        "priv_top_k", {"metric": "degree", "k": 2, "epsilon": "0.5", "mechanism": "em"} | window, facts
    )


def until_sure(row: GraphRow) -> Plan:
    asked = {"metric": "degree", "k": 2, "epsilon": "0.64", "mechanism": "joint", "target_recall": "0.9"}
    return plan("priv_top_k", asked, row.facts)


def percentile(row: GraphRow, *, dated: bool = False) -> Plan:
    facts = replace(
        row.facts,
        calendar=MONTHS if dated else None,
        domains={"age": declare(0, 9, points=10, depends_on="degree")},
    )
    return plan("percentile", {"property": "age", "q": "0.5", "epsilon": "0.5"}, facts)


# -- what is expected ---------------------------------------------------------------------------------------


def locked(*names: str, lost: tuple[str, ...] = ()) -> Iterator[Row]:
    for name in names:
        yield "account_lock", {"name": name}, None, "lost" if name in lost else "unknown"


def found(*, analyst: str) -> Iterator[Row]:
    for name in ("kite", "kite\tattributes"):
        yield "request_find", {"name": name, "analyst": analyst, "requestId": "monday"}, "asked_before", None


def unchanged(row: GraphRow, calendar: Any = None) -> Iterator[Row]:
    yield "graph_current", {"name": "kite", "version": 7}, None, "replaced"
    yield "account_terms", {"name": "kite", "terms": row.terms("pair", calendar)}, None, "broken"
    if row.accounts is not None:
        there = {"names": list(row.accounts), "types": list(TYPES)}
        yield "account_sources", there | {"unit": '"protect": ', "there": False}, None, "sources"
        said = {"unit": '"calendar": ', "there": False}
        if calendar is not None:
            said = {"unit": f'"calendar": {SAID_MONTHS}', "there": True}
        yield "account_sources", there | said, None, "sources"


def debited(
    name: str, cost: int, price: int, body: Any, *, whole: int | None = None, analyst: str = "",
    release: str = "r", request: str | None = None, within: int | None = None, counted: bool = False, **windows: Any,
) -> Iterator[Row]:  # fmt: skip
    amounts = {"cost": cost, "price": price}
    reach = {"within": within} | (windows or NOWHERE)
    yield "account_adds_up", {"name": name}, None, "broken"
    most = amounts | {"whole": cost if whole is None else whole} | reach
    if counted:
        yield "account_count", {"name": name} | amounts | reach, None, "counted"
    else:
        if analyst:
            account = "attributes" if name.endswith("\tattributes") else "edges"
            key = {"name": name, "analyst": analyst, "account": account}
            yield "person_active", {"name": analyst, "role": "analyst"}, None, "revoked"
            yield "share_find", key, None, "unshared"
            yield "share_adds_up", key, None, "broken"
            yield "share_debit", key | most, None, "share_refused"
        yield "account_debit", {"name": name} | most, None, "refused"
    who = {
        "analyst": analyst,
        "at": "now",
        "by": "cy",
        "releaseId": release,
        "requestId": request,
        "body": body,
    }
    yield "log_debit", {"name": name} | amounts | (windows or NOWHERE) | who, None, "broken"


def lease(name: str = "kite") -> Row:
    return "lease_put", {"name": name, "releaseId": "r", "seconds": 30}, None, None


def body_of(planned: Plan, **more: Any) -> dict[str, Any]:
    return {"kind": planned.kind, "parameters": planned.parameters, "public": planned.public} | more


def part(planned: Plan, graph: str | None = "kite", **more: Any) -> dict[str, Any]:
    told = body_of(planned, **more) | {"account": "edges", "part_of": "r"}
    return told if graph is None else told | {"graph": graph}


def assert_is(script: Any, *expected: Any) -> None:
    rows = [
        (step.statement, dict(step.parameters), step.on_row, step.on_none)
        for step in script.steps
    ]  # fmt: skip
    for _, told, _, _ in rows:
        if "body" in told and "head" not in told:
            told["body"] = json.loads(told["body"])
    assert rows == [row for part in expected for row in ([part] if isinstance(part, tuple) else part)]
    assert script.done == "debited"


# -- releases -----------------------------------------------------------------------------------------------


def test_a_direct_release_debits_the_account_of_its_graph() -> None:
    planned = top_k(LOADED)
    assert_is(
        debit_script(LOADED, planned, request_id=None, **ASKED),
        locked("kite"), unchanged(LOADED),
        debited("kite", 5 * 10**8, 15_625 * 10**6, body_of(planned)), lease(),
    )  # fmt: skip


def test_an_analyst_s_debits_the_share_and_the_account_once_for_a_request() -> None:
    planned = top_k(LOADED)
    assert_is(
        debit_script(LOADED, planned, request_id="monday", analyst="ann", **ASKED),
        locked("kite"), found(analyst="ann"), unchanged(LOADED),
        debited("kite", 5 * 10**8, 15_625 * 10**6, body_of(planned), analyst="ann", request="monday"), lease(),
    )  # fmt: skip


def test_a_release_of_windows_debits_the_account_of_each_type_and_counts_under_the_name() -> None:
    planned = top_k(OF_TYPES, dated=True)
    how: dict[str, Any] = {"within": 3, "firstWindow": 2, "lastWindow": 4, "analyst": "ann"}
    assert_is(
        debit_script(OF_TYPES, planned, request_id=None, analyst="ann", **ASKED),
        locked("CALLED", "TEXTED", "kite", lost=TYPES), unchanged(OF_TYPES, MONTHS),
        debited("CALLED", 5 * 10**8, 15_625 * 10**6, part(planned), release="part-n0", **how),
        debited("TEXTED", 5 * 10**8, 15_625 * 10**6, part(planned), release="part-n1", **how),
        debited("kite", 5 * 10**8, 15_625 * 10**6, body_of(planned), counted=True, **how), lease(),
    )  # fmt: skip


def test_a_graph_whose_own_account_is_among_those_of_its_types_debits_it_with_them() -> None:
    planned = top_k(OWN_TOO)
    assert_is(
        debit_script(OWN_TOO, planned, request_id=None, **ASKED),
        locked("CALLED", "kite", lost=("CALLED",)), unchanged(OWN_TOO),
        debited("CALLED", 5 * 10**8, 15_625 * 10**6, part(planned), release="part-n0"),
        debited("kite", 5 * 10**8, 15_625 * 10**6, body_of(planned)), lease(),
    )  # fmt: skip


def test_a_graph_of_rows_is_found_with_the_loaded_graph_and_what_its_account_is_for() -> None:
    loaded = replace(LOADED, name="payments", version=3)
    row = replace(OF_TYPES, of=loaded, accounts=("payments",))
    planned, there = top_k(row, dated=True), {"name": "payments"}
    assert [(each.statement, each.parameters, each.on_none) for each in _unchanged(row, planned)] == [
        ("graph_current", {"name": "kite", "version": 7}, "replaced"),
        ("account_terms", {"name": "kite", "terms": row.terms("pair", MONTHS)}, "broken"),
        ("graph_current", there | {"version": 3}, "replaced"),
        ("account_unit", there | {"unit": '"protect": ', "there": False}, "sources"),
        ("account_unit", there | {"unit": f'"calendar": {SAID_MONTHS}', "there": True}, "sources"),
        ("account_terms", there | {"terms": loaded.terms("pair", MONTHS)}, "broken"),
    ]


@pytest.mark.parametrize("row", [LOADED, OF_TYPES], ids=["its own", "of types"])
def test_a_property_of_the_degree_debits_both_ends_of_an_edge_beside_the_record(row: GraphRow) -> None:
    planned = percentile(row)
    more = {
        "debits": [{"account": "attributes", "epsilon": 0.5}, {"account": "edges", "epsilon": 1.0}],
    }  # fmt: skip
    of_edges = [
        debited(
            name, 10**9, 5 * 10**11, part(planned, None if name == "kite" else "kite", **more),
            release=f"part-n{i}", analyst="ann",
        )
        for i, name in enumerate(row.ledgers)
    ]  # fmt: skip
    said = declare(0, 9, points=10, depends_on="degree").declared_for("age")
    declared = {"name": "kite\tattributes", "head": '{"property": "age",', "body": json.dumps(said)}
    assert_is(
        debit_script(row, planned, request_id="monday", analyst="ann", **ASKED),
        locked(*sorted({*row.ledgers, "kite", "kite\tattributes"}), lost=() if row.owns else TYPES),
        found(analyst="ann"), unchanged(row),
        ("attribute_current", declared, None, "replaced"), *of_edges,
        debited(
            "kite\tattributes", 5 * 10**8, 125 * 10**9, body_of(planned, account="attributes", **more),
            analyst="ann", request="monday",
        ),
        lease("kite\tattributes"),
    )  # fmt: skip


def test_the_records_of_nodes_have_no_windows() -> None:
    script = debit_script(LOADED, percentile(LOADED, dated=True), request_id=None, **ASKED)
    within = {
        step.parameters["name"]: step.parameters["within"]
        for step in script.steps
        if step.statement == "account_debit"
    }
    assert within == {"kite": 3, "kite\tattributes": None}


# -- steps --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", [LOADED, OF_TYPES, OWN_TOO], ids=["its own", "of types", "both"])
def test_the_first_step_costs_its_epsilon_and_under_a_delta_the_whole_release(row: GraphRow) -> None:
    planned = until_sure(row)
    others = [name for name in row.ledgers if name != "kite"]
    parts = [
        debited(name, 10**7, 2048 * 10**8, part(planned), whole=10**7, release=f"part-n{i}")
        for i, name in enumerate(others)
    ]
    assert_is(
        debit_script(row, planned, request_id=None, **ASKED),
        locked(*sorted({*row.ledgers, "kite"}), lost=tuple(others)), unchanged(row), *parts,
        debited("kite", 10**7, 2048 * 10**8, body_of(planned), counted=not row.owns), lease(),
    )  # fmt: skip


@pytest.mark.parametrize("analyst", ["", "ann"])
@pytest.mark.parametrize("row", [LOADED, OF_TYPES, OWN_TOO], ids=["its own", "of types", "both"])
def test_a_further_step_is_a_part_in_each_account_and_the_limit_is_for_all_of_them(
    row: GraphRow, analyst: str
) -> None:
    planned = until_sure(row)
    others = [name for name in row.ledgers if name != "kite"]
    how: dict[str, Any] = {"whole": 3 * 10**7, "analyst": analyst}
    parts = [
        debited(name, 2 * 10**7, 2048 * 10**8, part(planned), release=f"part-n{i}", **how)
        for i, name in enumerate(others)
    ]
    own = debited(
        "kite", 2 * 10**7, 2048 * 10**8, part(planned, None), release=f"part-n{len(others)}",
        counted=not row.owns, **how,
    )  # fmt: skip
    assert_is(
        step_script(row, planned, 2 * 10**7, 10**7, analyst=analyst, **ASKED),
        locked(*sorted({*row.ledgers, "kite"}), lost=tuple(others)), unchanged(row), *parts, own,
    )  # fmt: skip


# -- what an account is for -----------------------------------------------------------------------------------

CHANGED: dict[str, Any] = {
    "version": 8, "node_label": "Other", "relationship_type": "OTHER", "id_property": "key", "degree_bound": 8,
    "nodes_supplied": False, "loaded": False, "digest": "e", "made_of": "{}", "title_property": "name",
    "accounts": ("CALLED", "OTHER"), "columns": '{"amount": "float"}',
}  # fmt: skip
NOT_SAID = {"name", "node_count", "display_label", "of"}
"""The key of the row; what edgedp alone changes of a graph that is not loaded; what no row keeps."""


def test_whatever_a_release_reads_by_is_in_the_terms_of_its_account() -> None:
    """A row that was edited is found by them: so a field that they leave out may be edited."""
    assert {field.name for field in fields(GraphRow)} - NOT_SAID == CHANGED.keys()
    for name, value in CHANGED.items():
        for row in (LOADED, OF_TYPES):
            if getattr(row, name) != value and (name != "digest" or row.loaded):
                assert replace(row, **{name: value}).terms() != row.terms(), name
    assert replace(LOADED, node_count=51).terms() != LOADED.terms()
    assert LOADED.terms("source") != LOADED.terms("target") != LOADED.terms() != LOADED.terms("pair", MONTHS)
