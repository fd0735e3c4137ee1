"""What a release would cost and whether it would be refused: asked before anything is spent.

An estimate is made of what is public: the options, the registry's facts, the account. It reads no edge, so that it
never tells whether a graph keeps its degree bound, and it writes nothing. Every kind of release has it by its plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edgedp.amounts.epsilon import NANO
from edgedp.checks import check_choice
from edgedp.errors import EdgeDPError, ParameterError
from edgedp.plan import Kind, Plan, options_of
from edgedp.stores import ledger
from edgedp.stores.account import Account
from edgedp.vocabulary import KINDS

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
    account : Account
        As it is.
    refused : str or None
        Why the release would be refused; None if nothing public speaks against it. A graph that breaks its
        degree bound is refused at the release alone.
    kept : bool
        Whether the request has its release already, which is shown again and costs nothing.
    """

    graph: str
    planned: Plan | None
    account: Account
    refused: str | None
    kept: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON.

        Returns
        -------
        dict
            graph, refused, epsilon (None where the question is refused), the account as `Store.budget` shows it,
            epsilon_remaining_after, releases_left (how many like it fit), kept, parameters, public, noise.
        """
        planned, account = self.planned, self.account
        fits = planned is not None and self.refused is None
        after = account.after(planned) if planned is not None and fits and not self.kept else account
        return {
            "graph": self.graph,
            "refused": self.refused,
            "epsilon": None if planned is None else 0.0 if self.kept else planned.cost / NANO,
            **account.shown(),
            "epsilon_remaining_after": after.shown()["epsilon_remaining"],
            "releases_left": 0 if planned is None else _how_many(account, planned),
            "kept": self.kept,
            "selector": None if planned is None else planned.kind,
            "parameters": {} if planned is None else planned.parameters,
            "public": {} if planned is None else planned.public,
            "noise": [] if planned is None else [each.to_dict() for each in planned.noise],
        }


def estimate_of(
    name: str,
    account: Account,
    planner: Callable[[], Plan],
    check: Callable[[Plan], None],
    *,
    adds_up: bool,
    kept: bool = False,
) -> Estimate:
    """Estimate a release, in the order in which the release would be refused.

    Parameters
    ----------
    name : str
    account : Account
    planner : callable
        Plans the question, or refuses it.
    check : callable
        Refuses a plan as the release does before its debit, from public facts.
    adds_up : bool
        Whether the ledger does.
    kept : bool
        Whether the request has its release already.
    """
    try:
        planned = planner()
    except EdgeDPError as error:
        return Estimate(name, None, account, str(error))
    try:
        if not kept:
            check(planned)
            if not adds_up:
                raise ledger.broken(name)
            if not account.fits(planned):
                raise ledger.does_not_fit(name, planned, account)
    except EdgeDPError as error:
        return Estimate(name, planned, account, str(error))
    return Estimate(name, planned, account, None, kept)


def kind_of_options(kind: str | None, options: Mapping[str, Any]) -> Kind:
    """Return the kind of release that is meant: by its name, its command, or the only one that takes the options.

    Examples
    --------
    >>> kind_of_options(None, {"metric": "ebc", "k": 1, "epsilon": 1}), kind_of_options("topk", {})
    ('priv_top_k', 'priv_top_k')
    """
    if kind is not None:
        return _COMMANDS[kind] if kind in _COMMANDS else check_choice(kind, "the kind of release", KINDS)
    given = {name for name, value in options.items() if value is not None}
    fitting = [
        each
        for each in KINDS
        if given <= set(options_of(each).names())
        and {option.name for option in options_of(each).described() if option.required} <= given
    ]
    if len(fitting) != 1:
        raise ParameterError(
            f"the kind of release is not given, must be where the options do not tell; give one of {', '.join(KINDS)}"
        )
    return fitting[0]


def _how_many(account: Account, planned: Plan) -> int:
    """Return how many releases like the planned one the account affords."""
    if not account.fits(planned) or account.budget is None:
        return 0
    return (account.budget - account.spent) // account.charge(planned)
