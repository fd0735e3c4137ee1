"""Shares: how much of a graph's account an analyst may spend, debited in one transaction with the account.

A share is in the account's currency and priced by the same integers. It protects nobody, for the account does; it
says who of several analysts may spend how much, and the shares together may be more than the account.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from edgedp.ledger.account import UNKNOWN_AMOUNTS, Account, account_of, limit_told, refusal, split_account
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.script import Step
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import NANO, format_nano
from edgedp.words.errors import AccessError, BudgetError, EdgeDPError, StoreError, StoreStateError
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.ledger.backend import Row, Runner
    from edgedp.ledger.events import Declaration
    from edgedp.ledger.rows import GraphRow
    from edgedp.release.plan import Charge, Plan
    from edgedp.words.vocabulary import AccountName

Role = Literal["analyst", "curator"]
"""What a token is for: to ask for releases, or to say who may."""

ANALYST: Role = "analyst"
CURATOR: Role = "curator"

DIRECT = ""
"""Who asks where no analyst is named: whoever has opened the store. They have no share, and are one for request ids."""

EDGES: AccountName = "edges"
"""The account of a graph's edges."""

_LOW = 10
"""A share runs low once this part of it is left."""

AGENT_LIMIT, AGENT_RELEASES = 10, 100
"""Where nothing else is declared, a release of an agent costs from a hundredth to a tenth of its share."""


@dataclass(frozen=True)
class Agent:
    """Whether a share is declared to be an agent's.

    Attributes
    ----------
    is_one : bool
    least : int or None
        Smallest epsilon of one release, nano-epsilon; None by the public rule, or as it is.
    """

    is_one: bool
    least: int | None = None


@dataclass(frozen=True)
class Share:
    """A share: whose, of which account of which graph, and its amounts as those of an account.

    Attributes
    ----------
    least : int or None
        Smallest epsilon of one release, nano-epsilon, of an agent's share; None for a person's.
    filters : bool
        Whether the analyst may write conditions, which every release out of the share pays for in full.
    """

    name: str
    analyst: str
    account: AccountName
    amounts: Account
    least: int | None = None
    filters: bool = False

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Share:
        """Read a row of ``share_find``."""
        graph, account = split_account(row["name"])
        if account != row["account"]:
            raise StoreError(f"the shares of {graph!r} do not add up; run 'edgedp ledger check {graph}'")
        least, filters = row.get("minPerRelease"), row.get("filters")
        if type(least) not in (int, type(None)) or filters not in (None, 1):
            raise StoreError(f"the shares of {graph!r} do not add up; run 'edgedp ledger check {graph}'")
        return cls(graph, row["analyst"], account, Account.of(row), least, filters == 1)

    @property
    def of_agent(self) -> bool:
        """Whether each release out of it must name its plan."""
        return self.least is not None

    def fits(self, charge: Charge, reach: Reach = Reach()) -> bool:  # noqa: B008 - it is a constant
        """Whether a charge fits, by the condition of ``share_debit``."""
        return self.amounts.over(reach).fits(charge) and (self.least is None or charge.cost >= self.least)

    def shown(self) -> dict[str, Any]:
        """Return the share as its analyst sees it: epsilon granted, spent, remaining, the limit of one release.

        An agent's says so by ``min_epsilon_per_release``, one whose analyst may write conditions by ``filters``.
        """
        limit = self.amounts.limit
        shown = self.amounts.shown()
        delta = {"delta": shown.pop("delta")} if "delta" in shown else {}
        limit_shown = {"max_epsilon_per_release": None if limit is None else limit / NANO}
        least = {} if self.least is None else {"min_epsilon_per_release": self.least / NANO}
        filters = {"filters": True} if self.filters else {}
        return {"account": self.account} | shown | limit_shown | least | filters | delta


def listed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of ``share_list`` as a list shows it; one that was edited has a `problem`, and hides no other."""
    try:
        return Share.of(row).shown()
    except StoreError as error:
        return {
            "account": row["account"], **UNKNOWN_AMOUNTS, "max_epsilon_per_release": None, "problem": str(error)
        }  # fmt: skip


def running_low(shown: Mapping[str, Any], graph: str) -> str | None:
    """Return a sentence where at most a tenth of a share is left, of its public amounts alone; else None.

    Examples
    --------
    >>> running_low({"account": "edges", "epsilon_budget": 2.0, "epsilon_remaining": 0.2}, "kite")
    "0.2 is left of your share of 'kite', 2; ask for more with 'edgedp more ask kite'"
    >>> running_low({"account": "edges", "epsilon_budget": 2.0, "epsilon_remaining": 0.3}, "kite")
    """
    budget, left = shown["epsilon_budget"], shown["epsilon_remaining"]
    if not budget or left is None or left * _LOW > budget:
        return None
    of, option = ("", "") if shown["account"] == EDGES else (f"the {shown['account']} of ", " --attributes")
    return (
        f"{left:.6g} is left of your share of {of}{graph!r}, {budget:.6g}; "
        f"ask for more with 'edgedp more ask {graph}{option}'"
    )


def find(runner: Runner, name: str, analyst: str, account: AccountName = EDGES) -> Share | None:
    """Return an analyst's share of an account of a graph, or None."""
    if analyst == DIRECT:
        return None
    rows = runner.run("share_find", name=account_of(name, account), analyst=analyst, account=account)
    return Share.of(rows[0]) if rows else None


def of_analyst(
    runner: Runner, name: str, analyst: str, ledgers: Sequence[str] | None = None
) -> dict[AccountName, Share] | None:
    """Return an analyst's shares of the accounts of a graph; None for a direct caller, who needs none.

    Parameters
    ----------
    ledgers : sequence of str, optional
        Those of its edges, where they are not the graph's own: the least of the shares of them, or none, if the analyst
        lacks one.
    """
    if analyst == DIRECT:
        return None
    found: dict[AccountName, Share | None] = {
        account: find(runner, name, analyst, account) for account in ACCOUNTS
    }
    if ledgers is not None:
        found["edges"] = least(find(runner, each, analyst) for each in ledgers)
    return {account: share for account, share in found.items() if share is not None}


def least(shares: Iterable[Share | None]) -> Share | None:
    """Return the share of which the least is left; None where one is missing, for a release needs each."""
    found = list(shares)
    have = [each for each in found if each is not None]
    if len(have) < len(found) or not have:
        return None
    return min(have, key=lambda each: (each.amounts.declared or 0) - each.amounts.spent_epsilon)


def check_active(runner: Runner, analyst: str) -> None:
    """Refuse an analyst who is not known, or was revoked; direct callers pass."""
    if analyst != DIRECT and not runner.run("person_active", name=analyst, role=ANALYST):
        raise revoked(analyst)


def check_affords(runner: Runner, row: GraphRow, analyst: str, plan: Plan) -> None:
    """Refuse what a debit would refuse of an analyst's shares now; nothing is debited, and direct callers pass."""
    if analyst == DIRECT:
        return
    check_active(runner, analyst)
    for charge in plan.first:
        owners = row.ledgers if charge.account == EDGES else (row.name,)
        for name in owners:
            named = account_of(name, charge.account)
            rows = {
                "share_find": runner.run("share_find", name=named, analyst=analyst, account=charge.account),
                "account_adds_up": runner.run("account_find", name=named),
            }
            if not _affords(rows, charge, Reach.of(plan.facts, charge.account)):
                raise refused(name, analyst, plan, rows)


def _affords(rows: Mapping[str, list[Row]], charge: Charge, reach: Reach) -> bool:
    """Whether the share that was found, if any, allows a charge, by the condition of ``share_debit``."""
    if not rows["share_find"]:
        return False
    share, account = Share.of(rows["share_find"][0]), Account.of(rows["account_adds_up"][0])
    return share.amounts.delta == account.delta and share.fits(charge, reach)


def revoked(analyst: str) -> AccessError:
    """Return the refusal of an analyst who may not ask."""
    return AccessError(f"the analyst {analyst!r} was never added, or was revoked; ask the curator")


def debit_steps(
    name: str, analyst: str, amounts: dict[str, int | None], account: AccountName = EDGES
) -> list[Step]:
    """Return the steps that check and debit an analyst's share; the account is locked, and debited after them.

    Parameters
    ----------
    amounts : dict
        ``cost`` in nano-epsilon, ``price`` in pico-rho and ``whole``, those of the account's debit, and its windows
        (`edgedp.ledger.calendars.runs.Reach.parameters`).
    """
    if analyst == DIRECT:
        return []
    key = {"name": account_of(name, account), "analyst": analyst, "account": account}
    return [
        Step("person_active", {"name": analyst, "role": ANALYST}, on_none="revoked"),
        Step("share_find", key, on_none="unshared"),
        Step("share_adds_up", key, on_none="broken"),
        Step("share_debit", key | amounts, on_none="share_refused"),
    ]


def refused(name: str, analyst: str, plan: Plan, rows: Mapping[str, list[Row]]) -> EdgeDPError:
    """Return why a share does not allow a release; it rests on public amounts alone.

    Parameters
    ----------
    rows : mapping
        Rows of the debit's statements by stem.
    """
    which = split_account(rows["account_adds_up"][0]["name"])[1]
    of, option = ("", "") if which == EDGES else (f"the {which} of ", f" --{which}")
    if not rows["share_find"]:
        return BudgetError(
            f"the analyst {analyst!r} has no share of {of}{name!r}; the curator grants "
            f"one with 'edgedp grant {name} {analyst} --epsilon-budget E{option}'"
        )
    whole, account = Share.of(rows["share_find"][0]), Account.of(rows["account_adds_up"][0])
    share = whole.amounts
    if share.delta != account.delta:
        return StoreStateError(
            f"the share that {analyst!r} has of {of}{name!r} was declared before its delta changed; "
            "the curator must grant it again"
        )
    charge = next(each for each in plan.first if each.account == which)
    if whole.least is not None and charge.cost < whole.least:
        return BudgetError(
            f"epsilon is {format_nano(charge.cost)}, must be at least {format_nano(whole.least)} for one release of "
            f"{analyst!r}, whose share is an agent's; ask for more"
        )
    share = share.over(Reach.of(plan.facts, which))
    refusal_ = refusal(name, charge.cost, share, share.affordable(charge), share_of=analyst, of=of)
    return refusal_ if share.delta is None else BudgetError(f"{refusal_}{rho.price_named(plan.parameters)}")


def grant_steps(
    name: str,
    analyst: str,
    account: AccountName,
    declared: Declaration,
    known: Account,
    before: Share | None,
    agent: Agent | None = None,
    filters: bool | None = None,
) -> tuple[list[Step], dict[str, Any]]:
    """Return the steps that declare a share, and what the log says of it; the account is locked.

    Parameters
    ----------
    declared : Declaration
        Budget and limit; a limit of None leaves what is there.
    known : Account
        The account, whose delta the share takes.
    before : Share or None
        The share as it was read before; the statement guards against what changed since.
    agent : Agent, optional
        Default: as it is.
    filters : bool, optional
        Whether the analyst may write conditions. Default: as it is.

    Raises
    ------
    BudgetError
        More than the new share was spent, or the limit that is given is above it, or below the smallest epsilon.
    """
    had = Account(None, None, 0) if before is None else before.amounts
    delta = known.delta
    as_account = Account(had.declared, had.budget, had.spent, had.limit, delta, runs=had.runs)
    _, budget = declared.settled(name, as_account)
    limit = had.limit if declared.limit is None else declared.limit or None
    limit, least = _limits(agent, limit, None if before is None else before.least, declared.budget or 0)
    row = {
        "name": account_of(name, account), "analyst": analyst, "account": account, "delta": delta,
        "declared": declared.budget, "budget": budget, "maxPerRelease": limit, "minPerRelease": least,
        "filters": 1 if filters or (filters is None and before is not None and before.filters) else None,
    }  # fmt: skip
    return [Step("share_put", row, on_none="share")], grant_body(row)


def _limits(
    agent: Agent | None, limit: int | None, least: int | None, budget: int
) -> tuple[int | None, int | None]:
    """Return the largest and the smallest nano-epsilon of one release; the smallest is an agent's alone."""
    if agent is None and least is None:
        return limit, None
    if agent is not None and not agent.is_one:
        return limit, None
    if agent is not None:
        least = agent.least or least or max(budget // AGENT_RELEASES, 1)
        limit = max(budget // AGENT_LIMIT, least) if limit is None else limit
    if limit is None or (least is not None and limit < least):
        told = "none" if limit is None else format_nano(limit)
        raise BudgetError(
            f"max_epsilon_per_release is {told}, must be at least the smallest epsilon of the agent's releases, "
            f"{format_nano(least or 0)}; declare a larger one, or no agent"
        )
    return limit, least


def grant_body(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the log says of a grant."""
    body = {
        "analyst": row["analyst"],
        "account": row["account"],
        "epsilon_budget": format_nano(row["declared"]),
        "max_epsilon_per_release": limit_told(row["maxPerRelease"]),
    }
    if row.get("minPerRelease") is not None:  # a person's grant says what it always said
        body["min_epsilon_per_release"] = limit_told(row["minPerRelease"])
    if row.get("filters") is not None:
        body["filters"] = row["filters"] == 1
    return body if row["delta"] is None else body | {"delta": row["delta"] / rho.ATTO}
