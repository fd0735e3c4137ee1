"""The account of a graph's name: what may be spent and what was, in one currency."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, assert_never

from edgedp.ledger.calendars import runs
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.calendars.terms import calendar_of_terms, runs_at_first
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import NANO, format_nano
from edgedp.words.errors import BudgetError, ParameterError, StoreError, UnknownNameError
from edgedp.words.vocabulary import UNITS, AccountName, Unit

if TYPE_CHECKING:
    from edgedp.release.plan import Charge, Plan, PublicFacts
    from edgedp.words.dates.calendar import Calendar

PEOPLE = "\tpeople"
"""The name by which the ledger keeps the log of the people; nothing is ever spent of its account."""

_ATTRIBUTES = "\tattributes"
"""What the name of a graph's second account ends with; no graph's name holds a tab."""


UNKNOWN_AMOUNTS: Mapping[str, None] = dict.fromkeys(("epsilon_budget", "epsilon_spent", "epsilon_remaining"))
"""What is shown of an account that does not add up, beside its `problem`."""


def account_of(name: str, account: AccountName) -> str:
    """Return the name by which the ledger keeps an account of a graph.

    Raises
    ------
    UnknownNameError
        It is an account's name already: taken for a graph's, it would have shares and declarations of its own.

    Examples
    --------
    >>> account_of("kite", "edges"), account_of("kite", "attributes").split()
    ('kite', ['kite', 'attributes'])
    """
    # Half of a character, which a lone surrogate is, is in no name: no text that is written holds one.
    named = isinstance(name, str) and name == _whole(name) and name != PEOPLE
    if not named or split_account(name) != (name, "edges"):
        raise UnknownNameError(
            f"the graph is {name!r}, must have been loaded or registered; see 'edgedp graphs'"
        )
    match account:
        case "edges":
            return name
        case "attributes":
            return name + _ATTRIBUTES
    assert_never(account)


def _whole(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")


def split_account(name: str) -> tuple[str, AccountName]:
    """Return the graph and the account of a name of `account_of`.

    Examples
    --------
    >>> split_account(account_of("kite", "attributes"))
    ('kite', 'attributes')
    """
    if isinstance(name, str) and name.endswith(_ATTRIBUTES):
        return name.removesuffix(_ATTRIBUTES), "attributes"
    return name, "edges"


@dataclass(frozen=True)
class Account:
    """An account's state, in its currency: nano-epsilon, or pico-rho where a delta is declared.

    Attributes
    ----------
    declared : int or None
        The epsilon of the budget, nano-epsilon; None where none is declared.
    budget, spent : int
        In the currency.
    limit : int or None
        Largest epsilon of one release, nano-epsilon.
    delta : int or None
        Atto-delta; None for a pure account, which is the default.
    entries : int
        Number of rows of its log.
    protect : {"pair", "source", "target"}
        What a release protects at its epsilon, all of it taken away; frozen by the first debit.
    calendar : Calendar or None
        Which windows may be released, and within how many the budget bounds what is lost; frozen alike.
    runs : str or None
        What was spent within every run of windows (`edgedp.ledger.calendars.runs`); None where the
        budget is for all time.
    """

    declared: int | None
    budget: int | None
    spent: int
    limit: int | None = None
    delta: int | None = None
    entries: int = 0
    protect: Unit = "pair"
    calendar: Calendar | None = None
    runs: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Account:
        """Read a row of ``account_find``, ``account_debit`` or ``graph_list``.

        Raises
        ------
        StoreError
            An amount is no whole number, or what it protects cannot be read: somebody edited it.
        """
        amounts = [row["declared"], row["budget"], row["spent"], row.get("maxPerRelease"), row["delta"]]
        name = split_account(row["name"])[0]
        protect = unit_of(row.get("terms"))
        if (
            protect is None
            or row["spent"] is None
            or any(type(amount) not in (int, type(None)) for amount in amounts)
        ):
            raise StoreError(f"the ledger of {name!r} does not add up; run 'edgedp ledger check {name}'")
        declared, budget, spent, limit, delta = amounts
        calendar, kept = _dated(row, name)
        return cls(
            declared, budget, spent, limit, delta, int(row.get("entries") or 0), protect, calendar, kept
        )

    @classmethod
    def of_log(cls, name: str, last: Sequence[Mapping[str, Any]]) -> Account | None:
        """Read an account that somebody deleted from the last row of its log; None where it never had one.

        Parameters
        ----------
        last : rows
            Of ``log_last``.
        """
        if not last:
            return None
        (row,) = last
        return cls.of({**row, "name": name, "spent": row["total"], "entries": row["seq"]})

    def affordable(self, planned: Plan | Charge) -> int:
        """Return the largest nano-epsilon that a release like the planned one may still have."""
        left = max((self.budget or 0) - self.spent, 0)
        if self.delta is None:
            return left
        return min(rho.affordable_epsilon(left, planned), self.declared or 0)

    def charge(self, planned: Plan | Charge) -> int:
        """Return what a release costs here, in the currency of the account."""
        return planned.cost if self.delta is None else rho.cost(planned)

    def fits(self, planned: Plan | Charge) -> bool:
        """Whether a release fits, by the condition of ``account_debit``."""
        if self.budget is None or (self.limit is not None and planned.cost > self.limit):
            return False
        return self.spent + self.charge(planned) <= self.budget

    def after(self, planned: Plan | Charge, reach: Reach = Reach()) -> Account:  # noqa: B008 - it is a constant
        """Return the account as a release would leave it."""
        charge = self.charge(planned)
        kept = self.runs
        if reach.within is not None and (kept is not None or self.spent == 0):
            kept = runs.charged(kept or runs.NOTHING, reach.within, reach.first, reach.last, charge)
        return replace(self, spent=self.spent + charge, runs=kept)

    def over(self, reach: Reach) -> Account:
        """Return the account as the runs that a release touches see it: their dearest is what was spent."""
        if reach.within is None or (self.runs is None and self.spent > 0):
            return self
        spent = runs.touched(self.runs or runs.NOTHING, reach.within, reach.first, reach.last)
        return replace(self, spent=spent, runs=None)

    @property
    def held(self) -> int:
        """What is compared with the budget: what was spent, of the dearest run where there are runs."""
        return self.spent if self.runs is None else runs.dearest(self.runs)

    @property
    def spent_epsilon(self) -> int:
        """What was spent, in nano-epsilon (at the declared delta); of the dearest run where there are runs."""
        return self.held if self.delta is None else rho.spent_epsilon(self.held, self.delta)

    def told(self, facts: PublicFacts) -> PublicFacts:
        """Return public facts with what the account says: whether a delta is declared, and what it protects."""
        return replace(
            facts, delta_declared=self.delta is not None, protect=self.protect, calendar=self.calendar
        )

    def shown(self) -> dict[str, Any]:
        """Return the account as it is shown: epsilon declared, spent and remaining, and delta where there is one."""
        remaining = None if self.declared is None else max(self.declared - self.spent_epsilon, 0) / NANO
        amounts: dict[str, Any] = {
            "epsilon_budget": None if self.declared is None else self.declared / NANO,
            "epsilon_spent": self.spent_epsilon / NANO,
            "epsilon_remaining": remaining,
        }
        if self.protect != "pair":
            amounts |= {"protect": self.protect}
        return amounts if self.delta is None else amounts | {"delta": self.delta / rho.ATTO}


def _dated(row: Mapping[str, Any], name: str) -> tuple[Calendar | None, str | None]:
    """Return the calendar of a row of an account, and its runs, which there are where the calendar bounds windows."""
    kept = row.get("runs")
    try:
        calendar = calendar_of_terms(row["terms"]) if row.get("terms") else None
        if kept is not None:
            runs.dearest(kept)
    except (ParameterError, ValueError, TypeError):
        raise _broken(name) from None
    # What a debit or a share returns names no terms.
    if row.get("terms") is not None and (kept is None) != (
        calendar is None or runs_at_first(calendar) is None
    ):
        raise _broken(name)
    return calendar, kept


def _broken(name: str) -> StoreError:
    return StoreError(f"the ledger of {name!r} does not add up; run 'edgedp ledger check {name}'")


def unit_of(terms: str | None) -> Unit | None:
    """Return what an account protects, from what it is for, as its log keeps it; None where that cannot be read.

    Examples
    --------
    >>> unit_of(None), unit_of(""), unit_of('{"version": 7, "protect": "source"}'), unit_of('{"protect": "person"}')
    ('pair', 'pair', 'source', None)
    """
    try:
        kept = json.loads(terms) if terms else {}
        found = kept.get("protect", "pair")
    except (ValueError, AttributeError, TypeError):
        return None
    return next((unit for unit in UNITS if unit == found), None)


def unit_asked(protect: Unit) -> dict[str, Any]:
    """Return the parameters of ``account_unit``; nothing is written of pairs.

    Examples
    --------
    >>> unit_asked("source"), unit_asked("pair")["there"]
    ({'unit': '"protect": "source"', 'there': True}, False)
    """
    there = protect != "pair"
    return {"unit": f'"protect": "{protect}"' if there else '"protect": ', "there": there}


def refusal(
    name: str, cost: int, account: Account, affordable: int, *, share_of: str | None = None, of: str = ""
) -> BudgetError:
    """Return why a release of `cost` nano-epsilon does not fit; it rests on public amounts alone.

    Parameters
    ----------
    share_of : str, optional
        The analyst, where `account` is a share of the graph's.
    of : str
        Which part of the graph's budget the share is of, in words; empty for the edges'.
    """
    asked = format_nano(cost)
    whole = "the budget" if share_of is None else f"the share that {share_of!r} has"
    more = "may declare more" if share_of is None else "may grant more"
    if account.budget is None or account.declared is None:
        return BudgetError(
            f"the budget of {name!r} is not declared; the curator declares one with "
            f"'edgedp budget {name} --set E'"
        )
    if account.limit is not None and cost > account.limit:
        return BudgetError(
            f"epsilon is {asked}, must be at most {format_nano(account.limit)} for one release"
            + ("; ask for less" if share_of is None else f" of {share_of!r}; ask for less")
        )
    return BudgetError(
        f"epsilon is {asked}, must be at most what is left of {whole} of {of}{name!r}, "
        f"{format_nano(affordable)} of {format_nano(account.declared)}; "
        + ("ask for less" if affordable else f"the curator {more}")
    )


def attributes_refusal(name: str, cost: int, asked: int, account: Account, affordable: int) -> BudgetError:
    """Return why a release from the nodes' records does not fit one of the accounts that it debits.

    Parameters
    ----------
    name : str
        As the ledger keeps the account.
    cost : int
        Nano-epsilon of that account.
    asked : int
        Nano-epsilon of the release.
    affordable : int
        Nano-epsilon of that account.
    """
    graph, which = split_account(name)
    match which:
        case "attributes":
            whose, option = f"attributes of {graph!r}", " --attributes"
        case "edges":
            whose, option = f"edges of {graph!r}", ""
        case _:
            assert_never(which)
    told = f"epsilon is {format_nano(asked)}"
    if cost != asked:
        told += f", which costs {format_nano(cost)} of the edges because the property follows from the degree"
    if account.budget is None or account.declared is None:
        return BudgetError(
            f"the budget of the {whose} is not declared; the curator declares one with "
            f"'edgedp budget {graph}{option} --set E'"
        )
    if account.limit is not None and cost > account.limit:
        return BudgetError(
            f"{told}, must cost at most {format_nano(account.limit)} in one release; ask for less"
        )
    return BudgetError(
        f"{told}, must cost at most what is left of the budget of the {whose}, "
        f"{format_nano(affordable)} of {format_nano(account.declared)}; "
        + ("ask for less" if affordable else "the curator may declare more")
    )


def lost_account(kind: str, name: str) -> str:
    """Return what heals an account that somebody deleted, or took its type from, while its log is there."""
    return (
        f"the budget of the relationship type {kind!r} is kept under the name {name!r}, whose account was deleted or "
        f"edited; run 'edgedp drop {name}' if {name!r} is still listed, then register it under that name, which "
        "makes the account again from its log"
    )


def limit_told(limit: int | None) -> str | None:
    """Return a limit of one release as the log says it."""
    return format_nano(limit) if limit else None
