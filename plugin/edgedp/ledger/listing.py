"""What is shown of every graph: its public facts, and its accounts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from edgedp.ledger.account import UNKNOWN_AMOUNTS, Account, account_of
from edgedp.ledger.pairs import ARCS, PairProjection
from edgedp.ledger.rows import (
    AT_ADDRESS,
    OF_GRAPH,
    accounts_of,
    edited,
    holds_directions,
    holds_titles,
    row_named,
    sealed_weighting,
)
from edgedp.release.plan import PublicFacts
from edgedp.words.errors import ParameterError, StoreError

if TYPE_CHECKING:
    from edgedp.ledger.backend import Session


def listing(session: Session) -> list[dict[str, Any]]:
    """Return the public facts of every graph, with its present number of nodes.

    Its two accounts stand side by side and are never added.
    """
    accounts = {row["name"]: row for row in session.run("account_list")}
    return [_listed(session, row, accounts) for row in session.run("graph_list")]


def listed(session: Session, name: str) -> dict[str, Any]:
    """Return the public facts of one stored graph."""
    accounts = {row["name"]: row for row in session.run("account_list")}
    return next(_listed(session, row, accounts) for row in session.run("graph_list") if row["name"] == name)


def _listed(
    session: Session, row: Mapping[str, Any], accounts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    nodes, made = _nodes_of_now(session, row), _shown_projection(row.get("projection"))
    shown: dict[str, Any] = {
        "name": row["name"],
        "node_count": nodes,
        "degree_bound": _bound(row, nodes, made),
    }
    if holds_directions(row.get("digest")) or (made or {}).get("orientation") in ARCS:
        shown["directed"] = True
    if holds_titles(row.get("digest")) or row.get("titleProperty") is not None:
        shown["titles"] = True
    if not row["loaded"] and row.get("projection") is not None:
        shown["projection"] = made
    shown |= _weight(row)
    if row.get("columns") is not None:
        shown["columns"] = json.loads(row["columns"])
    if (named := accounts_of(row)) is not None:
        shown["accounts"] = list(named)
    shown |= _without_rest(listed_account(row))
    if not _whole_row(row, made):
        shown["problem"] = str(edited(row["name"]))
    if (second := account_of(row["name"], "attributes")) in accounts:
        shown["attributes"] = _without_rest(listed_account(accounts[second]))
    return shown


def _weight(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is declared of the weights of a loaded graph; the projection of any other shows its own."""
    with suppress(ParameterError, ValueError):  # of an edited row nothing is shown
        found = sealed_weighting(row.get("digest")) if row["loaded"] else None
        return {} if found is None else {"weight": found.to_dict()}
    return {}


def _bound(row: Mapping[str, Any], nodes: int, made: Mapping[str, Any] | None) -> int | None:
    """Return the degree bound of a listed graph; None where only candidates are nodes, and others are neighbours."""
    bound = row["degreeBound"] if type(row["degreeBound"]) is int else None
    facts = PublicFacts(nodes, bound, projection=made)
    return None if facts.candidates is not None else facts.effective_degree_bound


def _whole_row(row: Mapping[str, Any], made: Mapping[str, Any] | None) -> bool:
    """Return whether a listed row is as it was written, and not edited to be of other types."""
    return (
        type(row["nodeLabel"]) is str
        and type(row["nodeCount"]) is int
        and type(row["degreeBound"]) in (int, type(None))
        and (row.get("projection") is None or made is not None)
    )


def _shown_projection(kept: str | None) -> dict[str, Any] | None:
    """Return which relationships make an edge; None where each does, or where somebody edited it."""
    if kept is None:
        return None
    try:
        return PairProjection.of_json(kept).to_dict()
    except ParameterError:
        return None


def listed_account(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an account as a list shows it; one that is gone or edited has a `problem`, and hides no other.

    Parameters
    ----------
    row : mapping
        Of ``graph_list`` or ``account_list``.
    """
    try:
        account = Account.of(row)
        calendar = {} if account.calendar is None else {"calendar": account.calendar.to_dict()}
        return account.shown() | calendar
    except StoreError as error:
        return {**UNKNOWN_AMOUNTS, "problem": str(error)}


def _without_rest(shown: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shown.items() if key != "epsilon_remaining"}


def _nodes_of_now(session: Session, row: Mapping[str, Any]) -> int:
    """Return the number of nodes: of a registered graph it may have changed."""
    stored = None if row["loaded"] or row["nodeLabel"] == AT_ADDRESS else row_named(session, row["name"])
    if stored is not None and stored.readable and (stored.of is not None or row["nodeLabel"] != OF_GRAPH):
        return session.node_count(stored)
    return row["nodeCount"] if type(row["nodeCount"]) is int else 0
