"""What a curator does to a ledger, as scripts: budgets declared and events noted, each with its row of the log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger
from edgedp.ledger.account import limit_told
from edgedp.ledger.calendars.terms import kept_without_edges, runs_at_first, terms_said
from edgedp.ledger.script import Script, Step
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import EdgeDPError, StoreError, StoreStateError

if TYPE_CHECKING:
    from edgedp.ledger.account import Account, Declaration
    from edgedp.words.dates.calendar import Calendar
    from edgedp.words.vocabulary import Unit

__all__ = [
    "account_script",
    "account_steps",
    "budget_script",
    "curator_refusal",
    "declaration_steps",
    "event_script",
    "event_steps",
    "open_steps",
]


def event_steps(name: str, kind: str, body: Mapping[str, Any], *, by: str, at: str) -> list[Step]:
    """Return the steps that note an event in the log; the ledger is locked.

    Parameters
    ----------
    kind : {"load", "replace", "drop", "register", "forget", "budget", "limit", "grant", "revoke", "attribute", "exact"}
    body : mapping
        Public facts only; of an exact read what was read, never a result.
    """
    row = {"name": name, "kind": kind, "at": at, "by": by, "body": json.dumps(body)}
    return [
        Step("account_next", {"name": name}, on_none="unknown"),
        Step("log_append", row, on_none="unknown"),
    ]


def event_script(name: str, kind: str, body: Mapping[str, Any], *, by: str, at: str) -> Script:
    """Return the script that notes one event; its outcome is ``done``, ``unknown`` or ``broken``."""
    lock = [
        Step("account_lock", {"name": name}, on_none="unknown"),
        Step("account_adds_up", {"name": name}, on_none="broken"),
    ]
    return Script([*lock, *event_steps(name, kind, body, by=by, at=at)])


def declaration_steps(
    name: str, account: Account | None, declared: Declaration, *, by: str, at: str
) -> list[Step]:
    """Return the steps that declare a budget and a limit, each with its row of the log; the ledger is locked.

    Parameters
    ----------
    account : Account or None
        The account as it was read before; the statements guard against what changed since.

    Raises
    ------
    BudgetError
        As `Declaration.settled`.
    """
    delta, budget = declared.settled(name, account)
    steps = []
    if budget is not None and declared.budget is not None:
        amounts = {"delta": delta, "declared": declared.budget, "budget": budget}
        body: dict[str, Any] = {"epsilon_budget": format_nano(declared.budget)}
        if delta is not None:
            body["delta"] = delta / rho.ATTO
        steps.append(Step("account_set_budget", {"name": name} | amounts, on_none="budget"))
        steps += event_steps(name, "budget", body, by=by, at=at)
    if declared.limit is not None:
        limit = {"name": name, "maxPerRelease": declared.limit}
        body = {"max_epsilon_per_release": limit_told(declared.limit)}
        steps.append(Step("account_set_limit", limit, on_none="budget"))
        steps += event_steps(name, "limit", body, by=by, at=at)
    return steps


def budget_script(name: str, account: Account | None, declared: Declaration, *, by: str, at: str) -> Script:
    """Return the script that declares another budget; outcomes ``done``, ``unknown``, ``broken`` and ``budget``."""
    lock = [
        Step("account_lock", {"name": name}, on_none="unknown"),
        Step("account_adds_up", {"name": name}, on_none="broken"),
    ]
    return Script([*lock, *declaration_steps(name, account, declared, by=by, at=at)])


def open_steps(name: str) -> list[Step]:
    """Return the steps that make an account where there is none and lock it; also end as ``unknown`` or ``broken``."""
    return [
        Step("account_open", {"name": name}),
        Step("account_lock", {"name": name}, on_none="unknown"),
        Step("account_adds_up", {"name": name}, on_none="broken"),
    ]


def account_steps(
    name: str,
    kind: str | None,
    declared: Declaration,
    protect: Unit,
    calendar: Calendar | None,
    *,
    by: str,
    at: str,
) -> list[Step]:
    """Return the steps that make a ledger, which is open and locked, an account, of a relationship type or of none."""
    placed = {
        "name": name, "relationshipType": kind, "terms": kept_without_edges(protect, calendar),
        "runs": runs_at_first(calendar),
    }  # fmt: skip
    return [
        Step("account_at", {"name": name, "entries": 0}, on_none="budget"),
        Step("account_place", placed),
        *event_steps(
            name,
            "account",
            ({"relationshipType": kind} if kind else {}) | terms_said(protect, calendar),
            by=by,
            at=at,
        ),
        *declaration_steps(name, None, declared, by=by, at=at),
    ]


def account_script(
    name: str,
    kind: str | None,
    account: Account | None,
    declared: Declaration,
    readers: Sequence[str],
    *,
    by: str,
    at: str,
) -> Script:
    """Return the script that declares an account by itself; outcomes of a curator's scripts.

    Parameters
    ----------
    kind : str or None
        The relationship type of an account that is opened.
    account : Account or None
        As it was read before; None of one that is opened.
    readers : sequence of str
        The graphs that debit it.

    Raises
    ------
    BudgetError
        As `Declaration.settled` and `Declaration.unit`.
    StoreError
        Another unit is declared while a graph reads the account: what it shows would be false.
    """
    protect, calendar = declared.unit(name, account), declared.dated(name, account)
    if account is None:
        steps = account_steps(name, kind, declared, protect, calendar, by=by, at=at)
        return Script([*open_steps(name), *steps])
    steps = [Step("account_at", {"name": name, "entries": account.entries}, on_none="budget")]
    if (protect, calendar) != (account.protect, account.calendar):
        if readers:
            said = f"protect is {protect!r}, must be {account.protect!r}"
            said = said if protect != account.protect else "the calendar is another, must stay"
            raise StoreError(
                f"{said} while {', '.join(map(repr, readers))} read the account; drop them first, or load or register "
                "them again with what is declared"
            )
        steps.append(
            Step(
                "account_place",
                {
                    "name": name, "relationshipType": None, "terms": kept_without_edges(protect, calendar),
                    "runs": runs_at_first(calendar),
                },
            )
        )  # fmt: skip
        steps += event_steps(name, "account", terms_said(protect, calendar), by=by, at=at)
    return Script([*open_steps(name), *steps, *declaration_steps(name, account, declared, by=by, at=at)])


def curator_refusal(outcome: str, name: str) -> EdgeDPError:
    """Return what an outcome of a curator's script other than ``done`` means."""
    match outcome:
        case "unknown":
            return ledger.unknown(name)
        case "broken":
            return ledger.broken(name)
        case "budget":
            return StoreStateError(f"the account of {name!r} changed meanwhile; declare again")
        case "share":
            return StoreStateError(f"the share or the account of {name!r} changed meanwhile; grant again")
        case "changed":
            return StoreStateError(
                f"the graph {name!r} was loaded or dropped by somebody else meanwhile; ask again"
            )
        case "taken":
            return StoreStateError(
                f"a graph {name!r} is stored already; choose another name or drop it first"
            )
        case _:
            raise AssertionError(f"no script of a curator ends as {outcome}")
