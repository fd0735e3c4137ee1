"""The ledger: what may be spent, what was spent, and what was drawn for it.

Amounts are integers: nano-epsilon, or pico-rho where a budget is declared as (epsilon, delta)
(`edgedp.accounting`). Every function runs inside the caller's transaction; the debit
commits before anything is drawn. The ledger outlives its graph.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from edgedp import accounting
from edgedp.epsilon import NANO, format_nano
from edgedp.errors import BudgetError, ParameterError, StoreError, UnknownNameError

if TYPE_CHECKING:
    from edgedp.plan import Plan
    from edgedp.stores.backend import GraphRow, Runner, Transaction

__all__ = [
    "Account",
    "Debit",
    "balance",
    "check_budget",
    "debit",
    "declare",
    "find",
    "kept_release",
    "now",
    "record",
    "refusal",
    "releases",
]


@dataclass(frozen=True)
class Account:
    """A ledger's state, in its currency: nano-epsilon, or pico-rho where a delta is declared.

    Attributes
    ----------
    declared : int or None
        The epsilon of the budget, nano-epsilon; None where none is declared.
    budget, spent : int
        In the currency.
    limit : int or None
        Largest epsilon of one release, nano-epsilon.
    delta : int or None
        Atto-delta; None for a pure ledger, which is the default.
    """

    declared: int | None
    budget: int | None
    spent: int
    limit: int | None = None
    delta: int | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Account:
        """Read a row of ``ledger_find`` or ``graph_list``."""
        limit = row.get("maxPerRelease")
        if row["delta"] is None:
            return cls(row["budget"], row["budget"], int(row["spent"]), limit)
        return cls(row["declared"], row["budgetRho"], int(row["spentRho"]), limit, int(row["delta"]))

    def charge(self, planned: Plan) -> int:
        """Return what a release adds, in the currency."""
        return planned.cost if self.delta is None else accounting.cost(planned)

    def affordable(self, planned: Plan) -> int:
        """Return the largest nano-epsilon that a release like the planned one may still have."""
        left = max((self.budget or 0) - self.spent, 0)
        if self.delta is None:
            return left
        return min(accounting.affordable_epsilon(left, planned), self.declared or 0)

    @property
    def spent_epsilon(self) -> int:
        """What was spent, in nano-epsilon (at the declared delta)."""
        return self.spent if self.delta is None else accounting.spent_epsilon(self.spent, self.delta)

    def shown(self) -> dict[str, Any]:
        """Return the account as it is shown: epsilon declared, spent and remaining, and delta where there is one."""
        remaining = None if self.declared is None else max(self.declared - self.spent_epsilon, 0) / NANO
        amounts = {
            "epsilon_budget": None if self.declared is None else self.declared / NANO,
            "epsilon_spent": self.spent_epsilon / NANO,
            "epsilon_remaining": remaining,
        }
        return amounts if self.delta is None else amounts | {"delta": self.delta / accounting.ATTO}


@dataclass(frozen=True)
class Debit:
    """A committed debit."""

    release_id: str
    account: Account

    def receipt(self, name: str) -> dict[str, Any]:
        """Return what a release shows of it."""
        return {"graph": name, "release_id": self.release_id} | self.account.shown()


def now() -> str:
    """Return the time as ISO 8601 text in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def declare(tx: Transaction, name: str, *, budget: int | None, delta: int | None, limit: int | None) -> None:
    """Make sure that a ledger exists, and declare a budget and a limit a release where given.

    Parameters
    ----------
    budget, limit : int, optional
        Nano-epsilon.
    delta : int, optional
        Atto-delta; an account that has one keeps it.

    Raises
    ------
    BudgetError
        More than the new budget was spent already, or in the other currency.
    """
    tx.run("ledger_open", name=name)
    tx.run("ledger_lock", name=name)
    if budget is not None:
        check_budget(tx, name, budget, delta)
        change: dict[str, Any] = {"name": name, "changeId": uuid.uuid4().hex, "at": now()}
        account = find(tx, name)
        at = account.delta if delta is None else delta
        if at is None:
            tx.run("ledger_set_budget", **change, budget=budget)
        else:
            rho = accounting.budget(budget, at)
            tx.run("ledger_set_budget_rho", **change, delta=at, declared=budget, budgetRho=rho)
    if limit is not None:
        tx.run("ledger_set_limit", name=name, maxPerRelease=limit)


def check_budget(runner: Runner, name: str, budget: int, delta: int | None) -> None:
    """Refuse a budget below what was spent under the name, and a delta for what was paid in pure epsilon."""
    rows = runner.run("ledger_find", name=name)
    account = Account.of(rows[0]) if rows else Account(None, None, 0)
    if delta is not None and account.delta is None and account.spent > 0:
        raise BudgetError(
            f"delta is declared for {name!r}, whose releases were paid in pure epsilon, must be declared before the "
            "first release; leave it out"
        )
    at = account.delta if delta is None else delta
    allowed = budget if at is None else accounting.budget(budget, at)
    if allowed == 0 and budget > 0:
        raise BudgetError(
            f"epsilon_budget is {format_nano(budget)}, must allow a release at this delta; declare a larger one"
        )
    if allowed < account.spent:
        raise BudgetError(
            f"epsilon_budget is {format_nano(budget)}, must be at least what was spent, "
            f"{format_nano(account.spent_epsilon)}; declare a larger one"
        )


def kept_release(tx: Transaction, name: str, request_id: str, planned: Plan) -> dict[str, Any] | None:
    """Return the release that was debited for a request before, or None.

    Raises
    ------
    ParameterError
        The identifier was used for another request.
    StoreError
        It was debited and never drawn.
    """
    tx.run("ledger_lock", name=name)
    rows = tx.run("release_find", name=name, requestId=request_id)
    if not rows:
        return None
    kept = rows[0]
    if kept["selector"] != planned.selector or json.loads(kept["parameters"]) != planned.parameters:
        raise ParameterError(
            f"request_id is {request_id!r}, must be new for another request; choose another identifier"
        )
    if kept["nodes"] is None:
        raise StoreError(
            f"request_id is {request_id!r}, whose release was debited and not drawn; "
            "ask again with another identifier (it costs again)"
        )
    return kept


def debit(tx: Transaction, row: GraphRow, planned: Plan, request_id: str | None) -> Debit:
    """Check and debit a planned release; the caller commits before it draws.

    Raises
    ------
    BudgetError
        No budget is declared, or the release does not fit; says what is left.
    StoreError
        The graph was replaced or dropped since the release was planned.
    """
    release_id = uuid.uuid4().hex
    tx.run("ledger_lock", name=row.name)
    account = find(tx, row.name)
    charge = account.charge(planned)
    entry: dict[str, Any] = {
        "name": row.name,
        "version": row.version,
        "cost": planned.cost,
        "releaseId": release_id,
        "requestId": request_id,
        "at": now(),
        "selector": planned.selector,
        "parameters": json.dumps(planned.parameters),
        "public": json.dumps(planned.facts.to_dict()),
    }
    if account.delta is None:
        done = tx.run("ledger_debit", **entry)
    else:
        done = tx.run("ledger_debit_rho", **entry, charge=charge)
    if done:
        return Debit(release_id, replace(account, spent=account.spent + charge))
    current = tx.run("graph_find", name=row.name)
    if not current or current[0]["version"] != row.version:
        raise StoreError(f"the graph {row.name!r} was replaced or dropped meanwhile, must stay; ask again")
    raise refusal(row.name, planned.cost, account, account.affordable(planned))


def refusal(name: str, cost: int, account: Account, affordable: int) -> BudgetError:
    """Return why a release of `cost` nano-epsilon does not fit; it rests on public amounts alone."""
    asked = format_nano(cost)
    if account.budget is None or account.declared is None:
        return BudgetError(
            f"the budget of {name!r} is not declared, must be before a release; the curator declares one with "
            f"'edgedp budget {name} --set E'"
        )
    if account.limit is not None and cost > account.limit:
        return BudgetError(
            f"epsilon is {asked}, must be at most {format_nano(account.limit)} for one release; ask for less"
        )
    return BudgetError(
        f"epsilon is {asked}, must be at most what is left of the budget of {name!r}, "
        f"{format_nano(affordable)} of {format_nano(account.declared)}; "
        + ("ask for less" if affordable else "the curator may declare more")
    )


def record(tx: Transaction, release_id: str, nodes: list[Any]) -> None:
    """Keep the drawn nodes in the ledger, so that a lost answer can be read again."""
    if not tx.run("release_record", releaseId=release_id, nodes=json.dumps(nodes)):
        raise StoreError("the release's row is gone, must be in the ledger; what was asked for stays spent")


def balance(runner: Runner, name: str) -> dict[str, Any]:
    """Return budget, spent, remaining and the number of releases."""
    count = runner.run("release_count", name=name)[0]["releases"]
    return find(runner, name).shown() | {"releases": int(count)}


def releases(session: Runner, name: str) -> list[dict[str, Any]]:
    """Return every release of a graph, oldest first."""
    find(session, name)
    return [
        {
            "release_id": row["releaseId"],
            "at": row["at"],
            "epsilon": row["cost"] / NANO,
            "selector": row["selector"],
            "parameters": json.loads(row["parameters"]),
            "public": json.loads(row["public"]),
            "nodes": None if row["nodes"] is None else json.loads(row["nodes"]),
        }
        for row in session.run("release_list", name=name)
    ]


def find(runner: Runner, name: str) -> Account:
    """Return the account of a graph; one that never was is refused by name."""
    rows = runner.run("ledger_find", name=name)
    if not rows:
        raise UnknownNameError(
            f"the graph is {name!r}, must have been loaded or registered; see 'edgedp graphs'"
        )
    return Account.of(rows[0])
