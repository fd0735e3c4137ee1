"""The release that a request has already: it is asked again, or another question is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from edgedp.ledger.account import account_of
from edgedp.ledger.chain import body_of
from edgedp.ledger.ledger import other_request
from edgedp.release.plan import Plan, PublicFacts
from edgedp.release.plan.kept import as_then, plan_of
from edgedp.words.errors import EdgeDPError
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.ledger.script import Row, Runner
    from edgedp.mechanisms.selection.domains import Domain

__all__ = ["asked_before", "same_question"]


def asked_before(runner: Runner, name: str, analyst: str, request_id: str | None) -> list[Row]:
    """Return the debit of an asker's request, whichever of the graph's accounts it was of; none without an id."""
    if request_id is None:
        return []
    return [
        row
        for account in ACCOUNTS
        for row in runner.run(
            "request_find", name=account_of(name, account), analyst=analyst, requestId=request_id
        )
    ]


def same_question(
    body: str,
    options: Mapping[str, Any],
    planner: Callable[[dict[str, Any], PublicFacts], Plan],
    request_id: str,
    domains: Mapping[str, Domain] | None = None,
) -> Plan:
    """Return the plan of the release that a request has already, if it is asked the same question again.

    Parameters
    ----------
    body : str
        The debit's, as the log keeps it.
    options : mapping
        What is asked now.
    planner : callable
        Plans options under public facts, as this caller does.
    request_id : str
    domains : mapping, optional
        As of `facts_of`.

    Raises
    ------
    ParameterError
        If it is another question, or none that can be planned.
    """
    asked = body_of({"body": body})
    drawn = plan_of(asked["kind"], asked["parameters"], asked["public"], domains)
    try:
        same = planner(as_then(options, drawn), drawn.facts).naming(drawn.named) == drawn
    except EdgeDPError:
        same = False
    if not same:
        raise other_request(request_id)
    return drawn
