"""What a curator does to a ledger, as scripts: budgets declared and events noted, each with its row of the log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edgedp.ledger.account import Account, limit_told
from edgedp.ledger.calendars.terms import kept_without_edges, runs_at_first, terms_said
from edgedp.ledger.script import Script, Step
from edgedp.mechanisms.checks import check_choice
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import budget_nano, format_nano
from edgedp.words.errors import BudgetError, ParameterError, StoreError
from edgedp.words.vocabulary import UNITS, Unit, is_word

if TYPE_CHECKING:
    from edgedp.ledger.account import Account
    from edgedp.words.dates.calendar import Calendar
    from edgedp.words.vocabulary import Unit


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


NO_LIMIT = 0
"""A declared limit that removes the one before."""


def limit_nano(limit: Any) -> int | None:
    """Return a limit of one release in nano-epsilon; ``"none"`` is `NO_LIMIT`, and None leaves what is there.

    Examples
    --------
    >>> limit_nano("0.5"), limit_nano("none"), limit_nano(None)
    (500000000, 0, None)
    """
    if limit is None:
        return None
    return NO_LIMIT if is_word(limit, "none") else budget_nano(limit, "max_epsilon_per_release")


@dataclass(frozen=True)
class Declaration:
    """What a curator declares for a name; None leaves what is there.

    Attributes
    ----------
    budget, limit : int or None
        Nano-epsilon; `NO_LIMIT` removes a limit.
    delta : int or None
        Atto-delta.
    protect : {"pair", "source", "target"} or None
        What a release protects at its epsilon.
    calendar : Calendar or None
        Which windows there are, and within how many the budget bounds what is lost.
    """

    budget: int | None = None
    delta: int | None = None
    limit: int | None = None
    protect: Unit | None = None
    calendar: Calendar | None = None

    def unit(self, name: str, before: Account | None) -> Unit:
        """Return what the account will protect.

        Parameters
        ----------
        before : Account or None
            As it is, or as its log has it (`of_log`).

        Raises
        ------
        BudgetError
            Releases were paid that protect another unit: their sum says nothing of this one.
        """
        held: Unit = "pair" if before is None else before.protect
        if self.protect is None or self.protect == held:
            return held
        if before is not None and before.spent > 0:
            raise BudgetError(
                f"protect is {self.protect!r}, must be {held!r}, for which releases of {name!r} were paid; "
                "choose another name for the graph"
            )
        return self.protect

    def dated(self, name: str, before: Account | None) -> Calendar | None:
        """Return the calendar that the account will have; None where it has none.

        Parameters
        ----------
        before : Account or None
            As it is, or as its log has it (`of_log`).

        Raises
        ------
        BudgetError
            Releases were paid by another calendar, or by none: their runs would not add up with these.
        """
        held = None if before is None else before.calendar
        if self.calendar is None or self.calendar == held:
            return held
        if before is not None and before.spent > 0:
            raise BudgetError(
                f"the calendar is another than that for which releases of {name!r} were paid; leave it as it is, or "
                "choose another name for the graph"
            )
        return self.calendar

    def settled(self, name: str, account: Account | None) -> tuple[int | None, int | None]:
        """Return the atto-delta that the account will have, and its budget in that currency (None: as it is).

        Raises
        ------
        BudgetError
            More than the new budget was spent, or in the other currency, or the limit is above the budget.
        """
        account = account or Account(None, None, 0)
        if self.delta is not None and account.delta is None and account.spent > 0:
            raise BudgetError(
                f"delta must be declared before the first release, and releases of {name!r} were paid in pure "
                "epsilon; ask without it"
            )
        delta = account.delta if self.delta is None else self.delta
        declared = account.declared if self.budget is None else self.budget
        if self.limit is not None and declared is not None and self.limit > declared:
            raise BudgetError(
                f"max_epsilon_per_release is {format_nano(self.limit)}, must be at most the budget, "
                f"{format_nano(declared)}; declare a smaller one"
            )
        if self.budget is None:
            return delta, None
        allowed = self.budget if delta is None else rho.budget(self.budget, delta)
        if allowed == 0 and self.budget > 0:
            raise BudgetError(
                f"epsilon_budget is {format_nano(self.budget)}, must allow a release at this delta; "
                "declare a larger one"
            )
        if allowed < account.held:
            raise BudgetError(
                f"epsilon_budget is {format_nano(self.budget)}, must be at least what was spent, "
                f"{format_nano(account.spent_epsilon)}; declare a larger one"
            )
        return delta, allowed


def declaration(
    budget: Any,
    delta: Any,
    limit: Any,
    *,
    zero: bool = False,
    protect: Any = None,
    calendar: Calendar | None = None,
) -> Declaration:
    """Return a declaration in integers, each between its limits."""
    if delta is not None and budget is None:
        raise ParameterError("delta is given without an epsilon_budget; declare both")
    return Declaration(
        None if budget is None else budget_nano(budget, zero=zero),
        None if delta is None else rho.delta_atto(delta),
        limit_nano(limit),
        None if protect is None else check_choice(protect, "protect", UNITS),
        calendar,
    )


def check_delta(delta: int | None, node_count: int) -> None:
    """Refuse a delta that promises nothing: from 1 / n on a mechanism may publish all about one node of n.

    Parameters
    ----------
    delta : int or None
        Atto-delta.
    node_count : int
        Number of nodes; public.
    """
    if delta is not None and delta * max(node_count, 2) >= rho.ATTO:
        raise ParameterError(
            f"delta is {delta / rho.ATTO:g}, must be below 1 / n for a graph of {node_count} nodes; "
            f"declare {'1e-6' if node_count < 10**5 else f'{0.1 / node_count:.0e}'} or less"
        )


def check_pure(delta: object) -> None:
    """Refuse a delta for the attributes' account, which adds epsilons."""
    if delta is not None:
        raise ParameterError(
            "delta is not for the attributes, whose budget is pure; declare it without a delta"
        )
