"""The registry: which graphs are stored, what is public about them, and where they lie."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from edgedp.graph.columns import BY_VALUE
from edgedp.ledger.account import (
    UNKNOWN_AMOUNTS,
    Account,
    Declaration,
    account_of,
    unit_asked,
)
from edgedp.ledger.backend import (
    AT_ADDRESS,
    OF_GRAPH,
    SPARK,
    GraphRow,
    edited,
    holds_directions,
    holds_titles,
    sealed_weighting,
)
from edgedp.ledger.calendars.columns import check_column
from edgedp.ledger.calendars.terms import calendar_asked, kept_without_edges, runs_at_first, terms_said
from edgedp.ledger.events import account_steps, declaration_steps, event_steps, open_steps
from edgedp.ledger.pairs import ARCS, PairProjection
from edgedp.ledger.rows import accounts_of, row_named, row_of
from edgedp.ledger.script import Script, Step
from edgedp.ledger.sources import Sources
from edgedp.mechanisms.checks import check_new_graph_name, nearest
from edgedp.release.conditions import check_answerable
from edgedp.release.plan import PublicFacts
from edgedp.release.plan.base import DIRECTED
from edgedp.words.errors import BudgetError, EngineError, ParameterError, StoreError, UnknownNameError
from edgedp.words.vocabulary import TALLIED

if TYPE_CHECKING:
    from edgedp.ledger.backend import Runner, Session
    from edgedp.words.dates.calendar import Calendar
    from edgedp.words.vocabulary import Unit

__all__ = [
    "address_taken",
    "attributes_steps",
    "check_counted",
    "check_loadable",
    "check_rows",
    "drop_script",
    "find",
    "known",
    "listed",
    "listed_account",
    "listing",
    "load_script",
    "place_steps",
    "register_script",
    "registered_row",
    "row_of",
    "row_of_rows",
    "row_to_json",
    "rows_script",
    "secret",
]


def find(runner: Runner, name: str) -> GraphRow | None:
    """Return the row of a graph, or None."""
    return row_named(runner, name)


def row_to_json(row: GraphRow) -> dict[str, Any]:
    """Return the columns of ``graph_find``."""
    return {
        "name": row.name,
        "version": row.version,
        "nodeLabel": row.node_label,
        "relationshipType": row.relationship_type,
        "idProperty": row.id_property,
        "nodeCount": row.node_count,
        "degreeBound": row.degree_bound,
        "nodesSupplied": row.nodes_supplied,
        "loaded": row.loaded,
        "digest": row.digest,
        "projection": row.made_of,
        "columns": row.columns,
        "titleProperty": row.title_property,
        "accounts": None if row.accounts is None or row.node_label == OF_GRAPH else list(row.accounts),
    }


def known(
    session: Session,
    name: str,
    *,
    anywhere: bool = False,
    gone: bool = False,
    among: Callable[[], Collection[str]] | None = None,
) -> GraphRow:
    """Return the row of a graph with its present node count; an unknown name is refused with the nearest one.

    A graph at an address that only Spark reads is refused as well, unless `anywhere`, and one whose rows are those of
    a graph that is not stored any more, unless `gone`. The nearest name is one of `among`, by default of all.
    """
    row = find(session, name)
    if row is None:
        names = [stored["name"] for stored in session.run("graph_places")] if among is None else among()
        raise UnknownNameError(f"the graph is {name!r}, must be a stored one; {nearest(str(name), names)}")
    if row.at_address:
        if row.engine == SPARK and not anywhere:
            raise EngineError(
                f"the edges of the graph {name!r} are at an address that was registered only for Spark, which only "
                "Spark reads; ask for its top k with engine 'spark', or drop it and register it again without that "
                "engine: its ledger stays"
            )
        return row
    if row.node_label == OF_GRAPH:
        return row if gone else _of_loaded(session, row)
    if row.loaded or (anywhere and not row.readable):  # which is dropped, and never released from
        return row
    return dataclasses.replace(row, node_count=session.node_count(row))


def _of_loaded(session: Session, row: GraphRow) -> GraphRow:
    """Return the row of a graph that is made of a loaded one's rows, with the number of its nodes."""
    made = row.projection
    if row.of is None or made is None:
        raise UnknownNameError(
            f"the graph {row.name!r} is made of the rows of {row.relationship_type!r}, which is not stored now; load "
            "that graph again, or drop this one"
        )
    check_rows(made, row.of)
    return dataclasses.replace(row, node_count=session.node_count(row), nodes_supplied=row.of.nodes_supplied)


def check_rows(made: PairProjection, of: GraphRow) -> None:
    """Refuse a projection that the rows of a loaded graph cannot answer, by what is public of them.

    Raises
    ------
    ParameterError
    """
    if made.orientation != "UNDIRECTED" and not of.directed:
        raise ParameterError(
            f"orientation is {made.orientation.lower()!r}, and {of.name!r} was loaded without its directions; load it "
            "again with directed (--directed, --replace)"
        )
    if of.column_types is None:
        if made.where or made.at_least > 1 or made.weight is not None:
            asked = "where" if made.where else "weight" if made.weight is not None else "at_least"
            raise ParameterError(
                f"{asked} needs the rows of {of.name!r}, of which no columns are kept; load it again with columns "
                "(--columns, --replace)"
            )
        return
    check_answerable(made.where, of.column_types)
    held = None if made.weight is None else made.weight.of_property
    if held is not None and of.column_types.get(str(held)) not in (BY_VALUE, "INTEGER", "FLOAT"):
        told = ", ".join(of.column_types) or "none is"
        raise ParameterError(
            f"weight names {held!r}, must be a column of numbers that is kept of the rows ({told}); name one of those"
        )


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


def address_taken(name: str) -> StoreError:
    """Return the refusal of a second name for edges at an address, or at one inside or around it."""
    return StoreError(
        f"the budget of these edges, or of a part of them, is kept under the name {name!r}; use that name"
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


def secret(runner: Runner) -> str:
    """Return the store's secret, hex; it is made when it is first needed and never leaves the store."""
    kept = runner.run("secret_find")
    if not kept:
        runner.run("secret_open", secret=secrets.token_hex(32))
        kept = runner.run("secret_find")
    return str(kept[0]["secret"])


def _facts(row: GraphRow) -> dict[str, Any]:
    """Return what the log says of a version; public facts, so neither digest nor fingerprint."""
    directions = {"orientation": DIRECTED} if row.directed else {}
    facts = {key: value for key, value in row.facts.to_dict().items() if key != "protects"}  # an account's
    return facts | directions | {"version": row.version} | ({"titles": True} if row.titled else {})


def listing(session: Session) -> list[dict[str, Any]]:
    """Return the public facts of every graph, with its present number of nodes.

    Its two accounts stand side by side and are never added.
    """
    accounts = {row["name"]: row for row in session.run("account_list")}
    return [
        {
            "name": row["name"],
            "node_count": (nodes := _nodes_of_now(session, row)),
            "degree_bound": _bound(row, nodes),
            **({"directed": True} if _directed(row) else {}),
            **(
                {"titles": True}
                if holds_titles(row.get("digest")) or row.get("titleProperty") is not None
                else {}
            ),
            **(
                {}
                if row["loaded"] or row.get("projection") is None
                else {"projection": _shown_projection(row["projection"])}
            ),
            **_weight(row),
            **({} if row.get("columns") is None else {"columns": json.loads(row["columns"])}),
            **({} if (named := accounts_of(row)) is None else {"accounts": list(named)}),
            **_without_rest(listed_account(row)),
            **({} if _whole_row(row) else {"problem": str(edited(row["name"]))}),
            **(
                {"attributes": _without_rest(listed_account(accounts[second]))}
                if (second := account_of(row["name"], "attributes")) in accounts
                else {}
            ),
        }
        for row in session.run("graph_list")
    ]


def _weight(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is declared of the weights of a loaded graph; the projection of any other shows its own."""
    with suppress(ParameterError, ValueError):  # of an edited row nothing is shown
        found = sealed_weighting(row.get("digest")) if row["loaded"] else None
        return {} if found is None else {"weight": found.to_dict()}
    return {}


def _directed(row: Mapping[str, Any]) -> bool:
    """Return whether a listed graph has directions, which were stored or are read."""
    read = _shown_projection(row.get("projection")) or {}
    return holds_directions(row.get("digest")) or read.get("orientation") in ARCS


def _bound(row: Mapping[str, Any], nodes: int) -> int | None:
    """Return the degree bound of a listed graph; None where only candidates are nodes, and others are neighbours."""
    bound = row["degreeBound"] if type(row["degreeBound"]) is int else None
    facts = PublicFacts(nodes, bound, projection=_shown_projection(row.get("projection")))
    return None if facts.candidates is not None else facts.effective_degree_bound


def _whole_row(row: Mapping[str, Any]) -> bool:
    """Return whether a listed row is as it was written, and not edited to be of other types."""
    kept = row.get("projection")
    return (
        type(row["nodeLabel"]) is str
        and type(row["nodeCount"]) is int
        and type(row["degreeBound"]) in (int, type(None))
        and (kept is None or _shown_projection(kept) is not None)
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


def listed(session: Session, name: str) -> dict[str, Any]:
    """Return the public facts of one stored graph."""
    return next(row for row in listing(session) if row["name"] == name)


def _nodes_of_now(session: Session, row: Mapping[str, Any]) -> int:
    """Return the number of nodes: of a registered graph it may have changed."""
    stored = None if row["loaded"] or row["nodeLabel"] == AT_ADDRESS else find(session, row["name"])
    if stored is not None and stored.readable and (stored.of is not None or row["nodeLabel"] != OF_GRAPH):
        return session.node_count(stored)
    return row["nodeCount"] if type(row["nodeCount"]) is int else 0


def check_loadable(
    runner: Runner, name: str, before: GraphRow | None, *, replace: bool, kind: str | None
) -> None:
    """Refuse to load over a stored graph without `replace`, and a type whose edges have another ledger."""
    if before is not None and not replace:
        raise StoreError(f"a graph {name!r} is stored already; choose another name or replace it (--replace)")
    if before is not None and not before.loaded:
        raise StoreError(
            f"the graph {name!r} is registered, and only a loaded one can be replaced; drop it first"
        )
    if kind in {row["relationshipType"] for row in runner.run("account_places")}:
        raise StoreError(
            f"relationship_type is {kind!r}, must not be that of a registered graph; choose another type"
        )


def check_counted(candidates: str | None, asked: str) -> None:
    """Refuse an exact value, of a graph with candidates, that is not a number of their neighbours."""
    if candidates is not None and asked not in TALLIED:
        raise ParameterError(
            f"the graph ranks the nodes labelled {candidates!r} only, and {asked} asks for more; ask for "
            f"{', '.join(TALLIED)}"
        )
