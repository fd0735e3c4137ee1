"""The ledger: what may be spent, what was spent, and what was drawn for it.

Amounts are integer nano-epsilon. Every function runs inside the caller's transaction; the debit
commits before anything is drawn. The ledger outlives its graph.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from edgedp.epsilon import NANO, format_nano
from edgedp.errors import BudgetError, ParameterError, StoreError, UnknownNameError

if TYPE_CHECKING:
    from edgedp.plan import Plan
    from edgedp.stores.backend import GraphRow, Runner, Transaction

__all__ = [
    "Debit",
    "balance",
    "check_budget",
    "debit",
    "declare",
    "kept_release",
    "ledger_row",
    "now",
    "record",
    "refusal",
    "releases",
]  # fmt: skip


@dataclass(frozen=True)
class Debit:
    """A committed debit."""

    release_id: str
    budget: int
    spent: int

    def receipt(self, name: str) -> dict[str, Any]:
        """Return what a release shows of it."""
        return {"graph": name, "release_id": self.release_id} | amounts(self.budget, self.spent)


def now() -> str:
    """Return the time as ISO 8601 text in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def amounts(budget: int | None, spent: int) -> dict[str, Any]:
    """Return a budget in epsilon, as it is shown."""
    return {
        "epsilon_budget": None if budget is None else budget / NANO,
        "epsilon_spent": spent / NANO,
        "epsilon_remaining": None if budget is None else (budget - spent) / NANO,
    }


def declare(tx: Transaction, name: str, *, budget: int | None, limit: int | None) -> None:
    """Make sure that a ledger exists, and declare a budget and a limit a release where given.

    Raises
    ------
    BudgetError
        More than the new budget was spent already.
    """
    tx.run("ledger_open", name=name)
    tx.run("ledger_lock", name=name)
    if budget is not None:
        check_budget(tx, name, budget)
        tx.run("ledger_set_budget", name=name, budget=budget, changeId=uuid.uuid4().hex, at=now())
    if limit is not None:
        tx.run("ledger_set_limit", name=name, maxPerRelease=limit)


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
    done = tx.run(
        "ledger_debit",
        name=row.name,
        version=row.version,
        cost=planned.cost,
        releaseId=release_id,
        requestId=request_id,
        at=now(),
        selector=planned.selector,
        parameters=json.dumps(planned.parameters),
        public=json.dumps(planned.facts.to_dict()),
    )
    if done:
        return Debit(release_id, int(done[0]["budget"]), int(done[0]["spent"]))
    current = tx.run("graph_find", name=row.name)
    if not current or current[0]["version"] != row.version:
        raise StoreError(f"the graph {row.name!r} was replaced or dropped meanwhile, must stay; ask again")
    ledger = tx.run("ledger_find", name=row.name)[0]
    raise refusal(row.name, planned.cost, ledger["budget"], ledger["spent"], ledger["maxPerRelease"])


def refusal(name: str, cost: int, budget: int | None, spent: int, limit: int | None) -> BudgetError:
    """Return why a release does not fit; it rests on public amounts alone."""
    if budget is None:
        return BudgetError(
            f"the budget of {name!r} is not declared, must be before a release; the curator declares one with "
            f"'edgedp budget {name} --set E'"
        )
    if limit is not None and cost > limit:
        return BudgetError(
            f"epsilon is {format_nano(cost)}, must be at most {format_nano(limit)} for one release; ask for less"
        )
    left = max(budget - spent, 0)
    return BudgetError(
        f"epsilon is {format_nano(cost)}, must be at most what is left of the budget of {name!r}, "
        f"{format_nano(left)} of {format_nano(budget)}; "
        + ("ask for less" if left else "the curator may declare more")
    )


def record(tx: Transaction, release_id: str, nodes: list[Any]) -> None:
    """Keep the drawn nodes in the ledger, so that a lost answer can be read again."""
    if not tx.run("release_record", releaseId=release_id, nodes=json.dumps(nodes)):
        raise StoreError("the release's row is gone, must be in the ledger; what was asked for stays spent")


def balance(session: Runner, name: str) -> dict[str, Any]:
    """Return budget, spent, remaining and the number of releases."""
    ledger = ledger_row(session, name)
    count = session.run("release_count", name=name)[0]["releases"]
    return amounts(ledger["budget"], ledger["spent"]) | {"releases": int(count)}


def releases(session: Runner, name: str) -> list[dict[str, Any]]:
    """Return every release of a graph, oldest first."""
    ledger_row(session, name)
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


def ledger_row(runner: Runner, name: str) -> dict[str, Any]:
    """Return a ledger's row; a graph that never was is refused by name."""
    rows = runner.run("ledger_find", name=name)
    if not rows:
        raise UnknownNameError(
            f"the graph is {name!r}, must have been loaded or registered; see 'edgedp graphs'"
        )
    return rows[0]


def check_budget(runner: Runner, name: str, budget: int) -> None:
    """Refuse a budget below what was spent under the name."""
    rows = runner.run("ledger_find", name=name)
    if rows and rows[0]["spent"] > budget:
        raise BudgetError(
            f"epsilon_budget is {format_nano(budget)}, must be at least what was spent, "
            f"{format_nano(rows[0]['spent'])}; declare a larger one"
        )
