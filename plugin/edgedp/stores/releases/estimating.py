"""What a release would cost and whether it would be refused: asked before anything is spent.

An estimate is made of what is public: the options, the registry's facts, the account. It reads no edge, so that it
never tells whether a graph keeps its degree bound, and it writes nothing. Every kind of release has it by its plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.backend import Row
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.sources import tightest, told_accounts
from edgedp.mechanisms.checks import check_choice
from edgedp.release.plan import Charge, Kind, Plan, options_of
from edgedp.release.planning.noise import noise_of
from edgedp.release.release import debits
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.errors import EdgeDPError, ParameterError
from edgedp.words.vocabulary import KINDS, AccountName, is_word

if TYPE_CHECKING:
    from edgedp.ledger.rows import GraphRow


@dataclass(frozen=True)
class Estimate:
    """What a release would do, from public facts.

    Attributes
    ----------
    graph : str
    planned : Plan or None
        None where the question itself is refused.
    accounts : mapping of {"edges", "attributes"} to Account
        As they are.
    main : {"edges", "attributes"}
        The one that is shown.
    refused : str or None
        Why the release would be refused; None if nothing public speaks against it. A graph that breaks its
        degree bound is refused at the release alone.
    kept : bool
        Whether the request has its release already, which is shown again and costs nothing.
    shares : mapping of {"edges", "attributes"} to Account, optional
        An analyst's, of those accounts of which there is one; None for a direct caller.
    beside : mapping of str to Account, optional
        All accounts of the edges, where they are not the graph's own; the one of which the least is left is in
        `accounts`.
    row : GraphRow, optional
        The graph as it was planned for.
    """

    graph: str
    planned: Plan | None
    accounts: Mapping[AccountName, Account]
    main: AccountName
    refused: str | None
    kept: bool = False
    shares: Mapping[AccountName, Account] | None = None
    beside: Mapping[str, Account] | None = None
    row: GraphRow | None = field(default=None, repr=False, compare=False)

    def ledgers(self, charge: Charge) -> Mapping[str, Account]:
        """Return the accounts that a charge debits, by the names by which the ledger keeps them."""
        if charge.account == "edges" and self.beside is not None:
            return self.beside
        none = Account(None, None, 0)
        return {account_of(self.graph, charge.account): self.accounts.get(charge.account, none)}

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON.

        Returns
        -------
        dict
            graph, refused, epsilon (None where the question is refused), the account as `Store.budget` shows it,
            epsilon_remaining_after, releases_left (how many like it fit the account and the share), kept, parameters,
            public, noise; epsilon_first where it spends step by step, and epsilon is the most.
        """
        planned, account = self.planned, self.accounts.get(self.main, Account(None, None, 0))
        fits = planned is not None and self.refused is None
        after = (
            account.after(planned, self._reach(self.main))
            if planned is not None and fits and not self.kept
            else account
        )
        beside = {"account": self.main, "debits": [] if planned is None else debits(planned)}
        return {
            "graph": self.graph,
            "refused": self.refused,
            "epsilon": None if planned is None else 0.0 if self.kept else planned.cost / NANO,
            **account.shown(),
            "epsilon_remaining_after": after.shown()["epsilon_remaining"],
            "releases_left": self._how_many(planned) if planned is not None and fits else 0,
            **({} if planned is None else _stepwise(planned)),
            "kept": self.kept,
            "selector": None if planned is None else planned.kind,
            "parameters": {} if planned is None else deepcopy(planned.parameters),
            "public": {} if planned is None else planned.public,
            "noise": [] if planned is None else [each.to_dict() for each in noise_of(planned)],
            **({} if self.main == "edges" else beside),
            **({} if self.beside is None else {"accounts": self._told()}),
        }

    def _reach(self, account: AccountName) -> Reach:
        return Reach() if self.planned is None else Reach.of(self.planned.facts, account)

    def _told(self) -> list[dict[str, Any]]:
        """Return every account of the edges, and whether it is one that the release does not fit."""
        charges = (
            [] if self.planned is None else [each for each in self.planned.first if each.account == "edges"]
        )
        return [
            told | {"fits": all(account.over(self._reach("edges")).fits(each) for each in charges)}
            for told, account in zip(
                told_accounts(self.beside or {}), (self.beside or {}).values(), strict=True
            )
        ]

    def _how_many(self, planned: Plan) -> int:
        """Return how many releases like the planned one the accounts afford, each of them, and the shares of them."""
        none = Account(None, None, 0)
        return min(
            _times(each.over(self._reach(charge.account)), charge)
            for charge in planned.charges
            for each in (
                *self.ledgers(charge).values(),
                *(() if self.shares is None else (self.shares.get(charge.account, none),)),
            )
        )


def estimate_of(
    name: str,
    kind: Kind,
    rows: Mapping[AccountName, Row],
    planner: Callable[[], Plan],
    check: Callable[[Plan], None],
    *,
    adds_up: bool,
    kept: bool = False,
    shares: Mapping[AccountName, Account] | None = None,
    beside: Sequence[Row] | None = None,
) -> Estimate:
    """Estimate a release, in the order in which the release would be refused.

    Parameters
    ----------
    name : str
    kind : str
        Of the release.
    rows : mapping of {"edges", "attributes"} to dict
        Of ``account_find``, of those accounts that there are.
    planner : callable
        Plans the question, or refuses it.
    check : callable
        Refuses a plan as the release does before its debit, from public facts.
    adds_up : bool
        Whether the ledgers do.
    kept : bool
        Whether the request has its release already.
    shares : mapping of {"edges", "attributes"} to Account, optional
        As of `Estimate`.
    beside : sequence of dict, optional
        The rows of all accounts of the edges, where they are not the graph's own.
    """
    accounts = {which: Account.of(row) for which, row in rows.items()}
    debited = None if beside is None else {row["name"]: Account.of(row) for row in beside}
    if debited is not None:
        accounts["edges"] = debited[tightest(debited)]
    main: AccountName = "attributes" if kind == "percentile" else "edges"
    try:
        planned = planner()
    except EdgeDPError as error:
        return Estimate(name, None, accounts, main, str(error), shares=shares, beside=debited)
    try:
        if not kept:
            check(planned)
            if not adds_up:
                raise ledger.broken(name)
            said = planned.facts.protect, planned.facts.calendar
            if any((each.protect, each.calendar) != said for each in (debited or {}).values()):
                raise ledger.other_accounts(name)
            for charge in planned.first:
                several = beside if charge.account == "edges" else None
                ledger.check_fits(
                    name, planned, charge, [rows[charge.account]] if several is None else several
                )
    except EdgeDPError as error:
        return Estimate(name, planned, accounts, main, str(error), shares=shares, beside=debited)
    return Estimate(name, planned, accounts, main, None, kept, shares, debited)


def kind_of_options(kind: str | None, options: Mapping[str, Any]) -> Kind:
    """Return the kind of release that is meant: by its name, its command, or the only one that takes the options.

    Examples
    --------
    >>> kind_of_options(None, {"metric": "ebc", "k": 1, "epsilon": 1}), kind_of_options("topk", {})
    ('priv_top_k', 'priv_top_k')
    """
    if kind is not None:
        meant = next((each for each in KINDS if is_word(kind, options_of(each).COMMAND)), kind)
        return check_choice(meant, "the kind of release", KINDS)
    given = {name for name, value in options.items() if value is not None}
    fitting = [
        each
        for each in KINDS
        if given <= set(options_of(each).names())
        and {option.name for option in options_of(each).described() if option.required} <= given
    ]
    if len(fitting) != 1:
        raise ParameterError(f"the options do not name the kind of release; give one of {', '.join(KINDS)}")
    return fitting[0]


def _stepwise(planned: Plan) -> dict[str, Any]:
    """Return what the first step costs, where `epsilon` is the most that a release may spend and steps lead there."""
    return {} if planned.first == planned.charges else {"epsilon_first": planned.first[-1].cost / NANO}


def _times(account: Account, charge: Charge) -> int:
    if not account.fits(charge) or account.budget is None:
        return 0
    return (account.budget - account.spent) // account.charge(charge)
