"""The scripts that make, register and forget a graph, and bind its account to it."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from edgedp.ledger.account import Account, account_of, unit_asked
from edgedp.ledger.calendars.columns import check_column
from edgedp.ledger.calendars.terms import calendar_asked, kept_without_edges, runs_at_first, terms_said
from edgedp.ledger.events import Declaration, account_steps, declaration_steps, event_steps, open_steps
from edgedp.ledger.pairs import PairProjection
from edgedp.ledger.rows import OF_GRAPH, GraphRow, row_to_json
from edgedp.ledger.script import Script, Step
from edgedp.ledger.sources import Sources
from edgedp.mechanisms.checks import check_new_graph_name
from edgedp.release.plan.facts import DIRECTED
from edgedp.words.errors import BudgetError, ParameterError

if TYPE_CHECKING:
    from edgedp.words.dates.calendar import Calendar
    from edgedp.words.vocabulary import Unit


def place_steps(
    row: GraphRow, protect: Unit = "pair", kind: str | None = None, calendar: Calendar | None = None
) -> list[Step]:
    """Return the steps that write a graph's row, new or in place of the one before, and bind its ledger to it.

    Parameters
    ----------
    kind : str, optional
        The type, or the address, that the ledger is the account of from now on; None leaves what is there.
    """
    return [
        Step(
            "account_place",
            {
                "name": row.name,
                "relationshipType": kind,
                "terms": row.terms(protect, calendar),
                "runs": runs_at_first(calendar),
            },
        ),
        Step("graph_put", row_to_json(row)),
    ]


def load_script(
    row: GraphRow,
    before: GraphRow | None,
    account: Account | None,
    declared: Declaration,
    *,
    fingerprint: str | None,
    by: str,
    at: str,
    last: Sequence[Mapping[str, Any]],
    guards: Sequence[Step] = (),
    attributes: Sequence[Step] = (),
) -> Script:
    """Return the script that makes a written version the graph of its name.

    Parameters
    ----------
    row : GraphRow
        The version, wholly written.
    before : GraphRow or None
        The row that it takes the place of; any other that is there by now is the outcome ``changed``.
    account : Account or None
        As it was read before.
    fingerprint : str or None
        HMAC of the adjacency under the store's secret.
    last : rows
        The last row of the account's log (``log_last``).
    guards : steps
        What the backend checks in the transaction besides; their outcomes are the backend's.
    attributes : steps
        What is declared of the attributes' account besides (`attributes_steps`).
    """
    named = {"name": row.name}
    held = account or Account.of_log(row.name, last)
    protect, calendar = _unit(row, declared, held), declared.dated(row.name, held)
    facts = _facts(row) | terms_said(protect, calendar)
    current = (
        Step("graph_find", named, on_row="changed")
        if before is None
        else Step("graph_current", named | {"version": before.version}, on_none="changed")
    )
    remember = [] if fingerprint is None else [Step("fingerprint_put", named | {"fingerprint": fingerprint})]
    return Script(
        [
            *open_steps(row.name),
            current,
            *guards,
            *_unit_steps(row.name, held, declared),
            *_still_unspent(row.name, held, calendar),
            *declaration_steps(row.name, account, declared, by=by, at=at),
            *place_steps(row, protect, None, calendar),
            *remember,
            *event_steps(row.name, "load" if before is None else "replace", facts, by=by, at=at),
            *attributes,
        ]
    )


def attributes_steps(
    name: str, account: Account | None, declared: Declaration, *, by: str, at: str
) -> list[Step]:
    """Return the steps that open the attributes' account of a graph and declare its budget."""
    ledger = account_of(name, "attributes")
    return [*open_steps(ledger), *declaration_steps(ledger, account, declared, by=by, at=at)]


def registered_row(
    name: str, made: PairProjection, key: str, bound: int | None, title: str | None = None
) -> GraphRow:
    """Return the row of a graph that is about to be registered, without a number of nodes."""
    return GraphRow(
        name=name,
        version=secrets.randbits(62),
        node_label="|".join(made.labels),
        relationship_type="|".join(made.types),
        id_property=key,
        node_count=0,
        degree_bound=bound,
        nodes_supplied=True,
        loaded=False,
        made_of=made.to_json(),
        title_property=title,
    )


def row_of_rows(name: str, made: PairProjection, of: GraphRow, bound: int | None) -> GraphRow:
    """Return the row of a graph of a loaded one's rows that is about to be registered."""
    return GraphRow(
        name=name,
        version=secrets.randbits(62),
        node_label=OF_GRAPH,
        relationship_type=of.name,
        id_property=of.id_property,
        node_count=of.node_count,
        degree_bound=bound,
        nodes_supplied=of.nodes_supplied,
        loaded=False,
        made_of=made.to_json(),
        accounts=(of.name,),
        of=of,
    )


def register_script(
    row: GraphRow,
    account: Account | None,
    declared: Declaration,
    *,
    by: str,
    at: str,
    last: Sequence[Mapping[str, Any]],
    guards: Sequence[Step] = (),
    sources: Sources | None = None,
) -> Script:
    """Return the script that registers a graph that is already there; also ends as ``taken``.

    Parameters
    ----------
    sources : Sources, optional
        The accounts of its relationship types; None of edges at an address, whose account has the graph's name.
    """
    if account is None:
        check_new_graph_name(row.name)
    before = account or Account.of_log(row.name, last)
    owned = Sources(row.name, {}, {row.relationship_type: row.name}) if sources is None else sources
    row = dataclasses.replace(row, accounts=owned.accounts)
    protect = _directed_unit(row, owned.unit(declared, before))
    calendar = owned.calendar(declared, before)
    check_column(row, calendar)
    owned.check_amounts(declared)
    named = {"name": row.name}
    place: dict[str, Any] = {
        "nodeLabel": row.node_label,
        "relationshipType": row.relationship_type,
        "idProperty": row.id_property,
    } | ({} if row.projection is None else {"projection": row.projection.to_dict()})
    place |= {} if row.title_property is None else {"titleProperty": row.title_property}
    place |= {} if row.accounts is None else {"accounts": list(row.accounts)}
    opened = [
        step
        for kind, ledger in sorted(owned.fresh.items(), key=lambda each: each[1])
        if ledger != row.name
        for step in account_steps(ledger, kind, declared, protect, calendar, by=by, at=at)
    ]
    there = [
        Step("account_unit", {"name": each} | said, on_none="budget")
        for each in owned.there
        if each != row.name
        for said in (unit_asked(protect), calendar_asked(calendar))
    ]
    kind = next((kind for kind, ledger in owned.fresh.items() if ledger == row.name), None)
    return Script(
        [
            *(step for each in sorted({row.name, *owned.ledgers}) for step in open_steps(each)),
            Step("graph_find", named, on_row="taken"),
            *guards,
            *_unit_steps(row.name, before, declared),
            *there,
            *opened,
            *(declaration_steps(row.name, account, declared, by=by, at=at) if row.owns else ()),
            *place_steps(row, protect, kind, calendar),
            *event_steps(
                row.name, "register", place | _facts(row) | terms_said(protect, calendar), by=by, at=at
            ),
        ]
    )


def rows_script(
    row: GraphRow,
    own: Account,
    account: Account | None,
    *,
    by: str,
    at: str,
    last: Sequence[Mapping[str, Any]],
    guards: Sequence[Step] = (),
) -> Script:
    """Return the script that registers a graph of a loaded one's rows; also ends as ``taken``.

    Parameters
    ----------
    own : Account
        That of the loaded graph, as it was read.
    account : Account or None
        The ledger of the new name, which becomes no account.
    guards : steps
        What is found in the transaction besides, after the locks.
    """
    if account is None:
        check_new_graph_name(row.name)
    held = account or Account.of_log(row.name, last)
    if row.of is None or row.projection is None:
        raise AssertionError("it reads the rows of no graph")
    if held is not None and held.budget is not None:
        raise BudgetError(
            f"the name {row.name!r} has an account, which an earlier graph of it opened, and a graph of another one's "
            "rows owns none; choose another name"
        )
    named, said = {"name": row.of.name}, terms_said(own.protect, own.calendar)
    place = {"of": row.of.name, "projection": row.projection.to_dict(), "accounts": [row.of.name]}
    return Script(
        [
            *(step for each in sorted((row.name, row.of.name)) for step in open_steps(each)),
            Step("graph_find", {"name": row.name}, on_row="taken"),
            Step("graph_current", named | {"version": row.of.version}, on_none="changed"),
            *guards,
            *(
                Step("account_unit", named | each, on_none="budget")
                for each in (unit_asked(own.protect), calendar_asked(own.calendar))
            ),
            *place_steps(row, own.protect, None, own.calendar),
            *event_steps(row.name, "register", place | _facts(row) | said, by=by, at=at),
        ]
    )


def drop_script(
    row: GraphRow, last: Sequence[Mapping[str, Any]], *, by: str, at: str, retire: Sequence[Step] = ()
) -> Script:
    """Return the script that forgets a graph's row; its account and log stay, and the one is again what the other says.

    Parameters
    ----------
    last : rows
        The last row of the account's log (``log_last``), which says what the account protects.
    retire : steps
        What gives up a loaded version.
    """
    before = Account.of_log(row.name, last)
    protect: Unit = "pair" if before is None else before.protect
    calendar = None if before is None else before.calendar
    named = {"name": row.name}
    ledgers = row.ledgers if row.readable else ()
    restored = sorted({row.name, account_of(row.name, "attributes"), *ledgers})
    gone = {"terms": kept_without_edges(protect, calendar), "runs": runs_at_first(calendar)}
    return Script(
        [
            *(Step("account_restore", {"name": each}) for each in restored),
            Step("account_lock", named, on_none="unknown"),
            Step("graph_current", named | {"version": row.version}, on_none="changed"),
            *retire,
            Step("graph_forget", named),
            Step("account_place", named | {"relationshipType": None} | gone),
            *event_steps(row.name, "drop" if row.loaded else "forget", {}, by=by, at=at),
        ]
    )


def _unit(row: GraphRow, declared: Declaration, before: Account | None) -> Unit:
    """Return what the account will protect."""
    return _directed_unit(row, declared.unit(row.name, before))


def _directed_unit(row: GraphRow, protect: Unit) -> Unit:
    """Return what an account protects; only a graph with directions has arcs of one node."""
    if protect != "pair" and not row.directed:
        raise ParameterError(
            f"protect is {protect!r}, which needs a graph with directions; load it with directed (--directed), "
            "register it with orientation 'natural', or choose another name"
        )
    if protect != "pair" and row.projection is not None and row.projection.orientation == "REVERSE":
        raise ParameterError(
            f"orientation is 'reverse', must be 'natural' where protect is {protect!r}: an account says by its "
            "relationships as they are what one node does; turn 'source' and 'target', in_degree and out_degree"
        )
    return protect


def _unit_steps(name: str, account: Account | None, declared: Declaration) -> list[Step]:
    """Return the steps that find the account as it was read: where what it protects is declared, without a later row.

    Where it is not declared, what was read stays, and another one may have declared it meanwhile.
    """
    named = {"name": name}
    if declared.protect is not None or declared.calendar is not None:
        entries = 0 if account is None else account.entries
        return [Step("account_at", named | {"entries": entries}, on_none="budget")]
    held: Unit = "pair" if account is None else account.protect
    calendar = None if account is None else account.calendar
    return [
        Step("account_unit", named | unit_asked(held), on_none="budget"),
        Step("account_unit", named | calendar_asked(calendar), on_none="budget"),
    ]


def _still_unspent(name: str, account: Account | None, calendar: Calendar | None) -> list[Step]:
    """Return the step that finds that nothing was paid since: dates may move only before the first release."""
    if calendar is None or (account is not None and account.spent > 0):
        return []
    entries = 0 if account is None else account.entries
    return [Step("account_at", {"name": name, "entries": entries}, on_none="budget")]


def _facts(row: GraphRow) -> dict[str, Any]:
    """Return what the log says of a version; public facts, so neither digest nor fingerprint."""
    directions = {"orientation": DIRECTED} if row.directed else {}
    facts = {key: value for key, value in row.facts.to_dict().items() if key != "protects"}  # an account's
    return facts | directions | {"version": row.version} | ({"titles": True} if row.titled else {})
