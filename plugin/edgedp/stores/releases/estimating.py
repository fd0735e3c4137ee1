"""What a release would cost and whether it would be refused: asked before anything is spent.

An estimate is made of what is public: the options, the registry's facts, the account. It reads no edge, so that it
never tells whether a graph keeps its degree bound, and it writes nothing. Every kind of release has it by its plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edgedp.ledger import ledger
from edgedp.ledger.account import Account
from edgedp.ledger.backend import Row
from edgedp.mechanisms.checks import check_choice
from edgedp.release.plan import Charge, Kind, Plan, options_of
from edgedp.release.planning.noise import noise_of
from edgedp.release.release import debits
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.errors import EdgeDPError, ParameterError
from edgedp.words.vocabulary import KINDS, AccountName

__all__ = ["Estimate", "estimate_of", "kind_of_options"]

_COMMANDS: Mapping[str, Kind] = {"topk": "priv_top_k"}
"""Commands that are not called like the kind of their release."""


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
    """

    graph: str
    planned: Plan | None
    accounts: Mapping[AccountName, Account]
    main: AccountName
    refused: str | None
    kept: bool = False
    shares: Mapping[AccountName, Account] | None = None

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
        after = account.after(planned) if planned is not None and fits and not self.kept else account
        beside = {"account": self.main, "debits": [] if planned is None else debits(planned)}
        return {
            "graph": self.graph,
            "refused": self.refused,
            "epsilon": None if planned is None else 0.0 if self.kept else planned.cost / NANO,
            **account.shown(),
            "epsilon_remaining_after": after.shown()["epsilon_remaining"],
            "releases_left": 0 if planned is None else self._how_many(planned),
            **({} if planned is None else _stepwise(planned)),
            "kept": self.kept,
            "selector": None if planned is None else planned.kind,
            "parameters": {} if planned is None else planned.parameters,
            "public": {} if planned is None else planned.public,
            "noise": [] if planned is None else [each.to_dict() for each in noise_of(planned)],
            **({} if self.main == "edges" else beside),
        }

    def _how_many(self, planned: Plan) -> int:
        """Return how many releases like the planned one the accounts afford, each of them, and the shares of them."""
        none = Account(None, None, 0)
        return min(
            _times(each.get(charge.account, none), charge)
            for charge in planned.charges
            for each in (self.accounts, *(() if self.shares is None else (self.shares,)))
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
    """
    accounts = {which: Account.of(row) for which, row in rows.items()}
    main: AccountName = "attributes" if kind == "percentile" else "edges"
    try:
        planned = planner()
    except EdgeDPError as error:
        return Estimate(name, None, accounts, main, str(error), shares=shares)
    try:
        if not kept:
            check(planned)
            if not adds_up:
                raise ledger.broken(name)
            for charge in planned.first:
                if not accounts[charge.account].fits(charge):
                    raise ledger.does_not_fit(name, planned, rows[charge.account])
    except EdgeDPError as error:
        return Estimate(name, planned, accounts, main, str(error), shares=shares)
    return Estimate(name, planned, accounts, main, None, kept, shares)


def kind_of_options(kind: str | None, options: Mapping[str, Any]) -> Kind:
    """Return the kind of release that is meant: by its name, its command, or the only one that takes the options.

    Examples
    --------
    >>> kind_of_options(None, {"metric": "ebc", "k": 1, "epsilon": 1}), kind_of_options("topk", {})
    ('priv_top_k', 'priv_top_k')
    """
    if kind is not None:
        known = isinstance(kind, str) and kind in _COMMANDS
        return _COMMANDS[kind] if known else check_choice(kind, "the kind of release", KINDS)
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
