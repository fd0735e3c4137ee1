"""Declared properties of the nodes: public domains and grids, kept as rows of the attributes' log.

A declaration is an event of the log: it has a time and an author, is chained and cannot be changed. The last one of
a property holds, and from the first debit on there is no other. Declaring reads no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from edgedp.ledger.account import account_of
from edgedp.ledger.chain import body_of
from edgedp.ledger.events import event_steps
from edgedp.ledger.script import Script, Step
from edgedp.mechanisms import checks
from edgedp.mechanisms.selection.domains import Domain, declare
from edgedp.words.errors import BudgetError, ParameterError

if TYPE_CHECKING:
    from edgedp.ledger.account import Account
    from edgedp.ledger.backend import Row, Runner
    from edgedp.ledger.rows import GraphRow

_MOST_GIVEN = 100_000
"""Of given points: they stand in a row of the log."""


def declared(runner: Runner, name: str) -> dict[str, Domain]:
    """Return the declared properties of a graph."""
    return declared_in(runner.run("attribute_list", name=account_of(name, "attributes")))


def declared_in(rows: Iterable[Row]) -> dict[str, Domain]:
    """Return the declared properties of the rows of ``attribute_list``; of two declarations the later one holds."""
    bodies = [body_of(row) for row in rows]
    return {body["property"]: domain_of(body) for body in bodies}


def domain_of(body: Mapping[str, Any]) -> Domain:
    """Return the domain that a row of the log declares (`Domain.declared_for`).

    Examples
    --------
    >>> domain_of({"low": 0, "high": 9, "grid": "linear", "points": 10, "depends_on": "independent"}).grid.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    """
    grid, points = (body["values"], None) if body["grid"] == "explicit" else (body["grid"], body["points"])
    return declare(body["low"], body["high"], grid, points, body["depends_on"])


def check_private(named: Any, row: GraphRow) -> None:
    """Refuse to declare the property that is the nodes' title: that one is public, and every list shows it."""
    if isinstance(named, str) and named == row.title_property:
        raise ParameterError(
            f"the property is {named!r}, the public title of the nodes; declare a property that is private"
        )


def attribute_script(
    name: str, account: Account, named: str, domain: Domain, before: Mapping[str, Domain], *, by: str, at: str
) -> Script:
    """Return the script that declares a property; outcomes as of the other scripts of a curator.

    Parameters
    ----------
    name : str
        The graph.
    account : Account
        The attributes' account as it was read before; the statements guard against what changed since.
    named : str
        The property.
    domain : Domain
    before : mapping
        What is declared.

    Raises
    ------
    BudgetError
        The property is declared otherwise, and something was debited: its domain is frozen.
    ParameterError
        There are too many given points to be kept.
    """
    checks.check_text(named, "property")
    if account.spent > 0 and named in before:
        raise BudgetError(
            f"property is {named!r}, which is declared, and releases were paid since: its domain and grid stay; "
            "load its values as another property and declare that one"
        )
    if domain.kind == "explicit" and len(domain.grid) > _MOST_GIVEN:
        raise ParameterError(
            f"grid has {len(domain.grid)} points, must have at most {_MOST_GIVEN}; give fewer, or take a linear one"
        )
    ledger = {"name": account_of(name, "attributes")}
    body = domain.declared_for(named)
    return Script(
        [
            Step("account_lock", ledger, on_none="unknown"),
            Step("account_adds_up", ledger, on_none="broken"),
            Step("account_at", ledger | {"entries": account.entries}, on_none="budget"),
            *event_steps(ledger["name"], "attribute", body, by=by, at=at),
        ]
    )


def listed(domains: Mapping[str, Domain]) -> list[dict[str, Any]]:
    """Return the declared properties as they are shown: public facts."""
    return [{"property": name} | domain.to_dict() for name, domain in sorted(domains.items())]
