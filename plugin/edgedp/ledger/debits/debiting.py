"""The scripts that debit: a release, and a further step of one. One transaction runs each, under the ledger's lock.

What an outcome means is judged in `edgedp.ledger.ledger`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger, shares
from edgedp.ledger.account import account_of, unit_asked
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.calendars.terms import calendar_asked
from edgedp.ledger.chain import FURTHER
from edgedp.ledger.script import Script, Step
from edgedp.ledger.shares import DIRECT
from edgedp.release.release import debits
from edgedp.words.amounts import rho
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.ledger.rows import GraphRow
    from edgedp.release.plan import Charge, Plan


def debit_script(
    row: GraphRow,
    plan: Plan,
    *,
    release_id: str,
    request_id: str | None,
    by: str,
    at: str,
    analyst: str = DIRECT,
) -> Script:
    """Return the script that checks and debits a planned release; `edgedp.ledger.ledger.judge` judges its outcomes.

    Parameters
    ----------
    row : GraphRow
        The graph that was planned for, as the registry had it.
    plan : Plan
    release_id : str
        From `edgedp.ledger.ledger.new_release_id`.
    request_id : str or None
    by : str
        Who asks, as the store knows it.
    at : str
        From `edgedp.ledger.ledger.now`.
    analyst : str
        Whose share is debited beside the account; empty for a direct caller, who has none.
    """
    name = row.name
    *others, main = plan.first
    named = {"name": account_of(name, main.account)}
    body = plan.recorded
    if main.account != "edges":
        body |= {"account": main.account, "debits": debits(plan)}
    ledgers = _ledgers(row, named["name"])
    steps = _locks(row, ledgers)
    if request_id is not None:
        # Whichever of the accounts it was of: the lock of the edges' account keeps both still.
        for account in ACCOUNTS:
            asked = {"name": account_of(name, account), "analyst": analyst, "requestId": request_id}
            steps.append(Step("request_find", asked, on_row="asked_before"))
    steps += _unchanged(row, plan)
    if plan.declaration is not None:
        head = json.dumps({"property": plan.declaration["property"]})[:-1]
        declared = named | {"head": f"{head},", "body": json.dumps(plan.declaration)}
        steps.append(Step("attribute_current", declared, on_none="replaced"))
    debited = {"analyst": analyst, "at": at, "by": by}
    for each in others:
        for owner in row.ledgers if each.account == "edges" else (name,):
            further = _further(body, each, release_id, None if owner == name else name)
            steps += _debit(account_of(owner, each.account), owner, plan, each, debited | further)
    # Increments of rho are not proved: where a delta was declared since the plan, the first step costs all of it.
    amounts = {"price": rho.cost(plan.charges[-1]), "whole": main.cost}
    if main.account == "edges":
        steps += _besides(row, plan, main, debited | amounts, body, release_id)
    asked_now = {"releaseId": release_id, "requestId": request_id, "body": json.dumps(body)}
    steps += _debit(
        named["name"], name, plan, main, debited | amounts | asked_now,
        budgeted=row.owns or main.account != "edges",
    )  # fmt: skip
    steps.append(Step("lease_put", named | {"releaseId": release_id, "seconds": ledger.LEASE_SECONDS}))
    return Script(steps, "debited", ledgers)


def step_script(
    row: GraphRow,
    plan: Plan,
    cost: int,
    before: int,
    *,
    release_id: str,
    by: str,
    at: str,
    analyst: str = DIRECT,
) -> Script:
    """Return the script that checks and debits a further step of a release that spends until its list is sure enough.

    Parameters
    ----------
    row, plan, by, at, analyst
        As of `debit_script`.
    cost, before : int
        Nano-epsilon of the step, and of those before it: a limit of one release is for all of them.
    release_id : str
        Of the release, whose lease says that it is still being drawn.
    """
    body = plan.recorded
    (charge,) = plan.charges
    ledgers = _ledgers(row, row.name)
    debited = {"analyst": analyst, "at": at, "by": by, "cost": cost, "whole": before + cost}
    return Script(
        [
            *_locks(row, ledgers),
            *_unchanged(row, plan),
            *_besides(row, plan, charge, debited, body, release_id),
            *_debit(
                account_of(row.name, charge.account), row.name, plan, charge,
                debited | _further(body, charge, release_id), budgeted=row.owns,
            ),
        ],
        "debited",
        ledgers,
    )  # fmt: skip


def _ledgers(row: GraphRow, main: str) -> list[str]:
    """Return every ledger of a debit, in ascending order."""
    return sorted({row.name, main, *row.ledgers})


def _locks(row: GraphRow, ledgers: Sequence[str]) -> list[Step]:
    """Return the steps that lock ledgers in ascending order, so nobody waits in a circle.

    The lock of the graph's own ledger, which replacements take too, keeps its registry's row still.
    """
    return [
        Step(
            "account_lock",
            {"name": each},
            on_none="lost" if each in row.ledgers and each != row.name else "unknown",
        )
        for each in ledgers
    ]


def _terms(row: GraphRow, plan: Plan) -> str:
    """Return what the account of a graph must still be for."""
    return row.terms(plan.facts.protect, plan.facts.calendar)


def _unchanged(row: GraphRow, plan: Plan) -> list[Step]:
    """Return the steps that find the graph as it was planned for: what its row names is read after the debit.

    And that its accounts are those of all its types, and protect what the plan does.
    """
    steps = [
        Step("graph_current", {"name": row.name, "version": row.version}, on_none="replaced"),
        Step("account_terms", {"name": row.name, "terms": _terms(row, plan)}, on_none="broken"),
    ]
    if row.accounts is None:
        return steps
    if row.of is not None:
        return [*steps, *_unchanged_rows(row.of, plan)]
    named = {"names": list(row.ledgers), "types": list(row.types)}
    said = (unit_asked(plan.facts.protect), calendar_asked(plan.facts.calendar))
    return [*steps, *(Step("account_sources", named | each, on_none="sources") for each in said)]


def _unchanged_rows(of: GraphRow, plan: Plan) -> list[Step]:
    """Return the steps that find the loaded graph whose rows are read as it was, and what its account protects."""
    named = {"name": of.name}
    said = (unit_asked(plan.facts.protect), calendar_asked(plan.facts.calendar))
    return [
        Step("graph_current", named | {"version": of.version}, on_none="replaced"),
        *(Step("account_unit", named | each, on_none="sources") for each in said),
        Step("account_terms", named | {"terms": _terms(of, plan)}, on_none="broken"),
    ]


def _besides(
    row: GraphRow,
    plan: Plan,
    charge: Charge,
    debited: Mapping[str, Any],
    body: Mapping[str, Any],
    release_id: str,
) -> list[Step]:
    """Return the steps that debit the accounts of the graph's types that are not its own ledger, each by the same."""
    return [
        step
        for each in row.ledgers
        if each != row.name
        for step in _debit(
            each, each, plan, charge, {**debited, **_further(body, charge, release_id, row.name)}
        )
    ]


def _further(
    body: Mapping[str, Any], charge: Charge, release_id: str, graph: str | None = None
) -> dict[str, Any]:
    """Return the row of a debit that is a part of a release: it has a number of its own, and no answer.

    A release's number is in one log only, once.
    """
    part = dict(body) | {"account": charge.account, "part_of": release_id}
    part |= {} if graph is None else {"graph": graph}  # whose ledger is another one
    return {"releaseId": FURTHER + ledger.new_release_id(), "requestId": None, "body": json.dumps(part)}


def _debit(
    account: str, name: str, plan: Plan, charge: Charge, row: Mapping[str, Any], *, budgeted: bool = True
) -> list[Step]:
    """Return the steps that debit one account, and the caller's share of it; the lock is held.

    Parameters
    ----------
    account, name : str
        The account's (`edgedp.ledger.account.account_of`), and the graph's.
    plan : Plan
        Says which windows are read, of an account with a calendar.
    row : mapping
        Of the log; its ``cost`` and ``price`` are the charge's where it has none. ``whole`` is what the limit of
        one release is compared with; by default the cost.
    budgeted : bool
        Whether it is an account. Else it is the ledger of a graph whose releases debit the accounts of its types:
        it counts what was asked under the name, has no budget and nobody has a share of it.
    """
    named = {"name": account}
    amounts = {
        "cost": row.get("cost", charge.cost),
        "price": row["price"] if "price" in row else rho.cost(charge),
    }
    reach = Reach.of(plan.facts, charge.account).parameters
    whole = amounts | {"whole": row.get("whole", amounts["cost"])} | reach
    windows = {key: value for key, value in reach.items() if key != "within"}
    logged = named | amounts | windows | {key: value for key, value in row.items() if key not in whole}
    if not budgeted:
        return [
            Step("account_adds_up", named, on_none="broken"),
            Step("account_count", named | amounts | reach, on_none="counted"),
            Step("log_debit", logged, on_none="broken"),
        ]
    return [
        Step("account_adds_up", named, on_none="broken"),
        *shares.debit_steps(name, row["analyst"], whole, charge.account),
        Step("account_debit", named | whole, on_none="refused"),
        Step("log_debit", logged, on_none="broken"),
    ]
