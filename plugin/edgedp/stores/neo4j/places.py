"""Where a graph lies in a Neo4j database, and that no two graphs share edges or public nodes.

A loaded version has a label and a relationship type of its own, which begin with ``EdgeDP``; what is
registered begins with anything else. Everything here is judged from public facts, by the Python store and
by the plugin's worker alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from edgedp.ledger.account import lost_account
from edgedp.ledger.registry import address_taken
from edgedp.ledger.rows import GraphRow, edited
from edgedp.ledger.script import Step
from edgedp.mechanisms.checks import check_text
from edgedp.stores.statements.queries import quote_identifier
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError

if TYPE_CHECKING:
    from edgedp.ledger.backend import Row

PREFIX = "EdgeDP"
"""Labels and types that begin so are edgedp's own."""

_DISPLAY_LABEL = "Node"
_FEW_NODES = 500
_CONFLICTS = ("type_conflicts", "address_conflicts", "place_conflicts", "load_conflicts")
"""Statements of their own, not one: the server plans anew, after each change of its schema, only what is asked."""

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
"""How Cypher writes a character by its number; two spellings of one type would have two budgets."""


def loaded_place(name: str, version: int, label: str | None, kind: str | None) -> GraphRow:
    """Return the row of a new version with its place: a label and, unless one was asked for, a type of its own.

    Examples
    --------
    >>> row = loaded_place("kite", 0xBEE, None, None)
    >>> row.node_label, row.relationship_type, row.display_label
    ('EdgeDP_kite_bee', 'EdgeDP_kite_bee', 'Node')
    """
    own = _own(name, version)
    shown = _DISPLAY_LABEL if label is None else check_unreserved(label, "node_label")
    chosen = own if kind is None else check_unreserved(kind, "relationship_type")
    return GraphRow(
        name, version, own, chosen, "id", 0, None, nodes_supplied=False, loaded=True, display_label=shown
    )


def check_unreserved(value: Any, name: str) -> str:
    """Return a label or type that is not edgedp's own.

    Examples
    --------
    >>> check_unreserved("Person", "node_label")
    'Person'
    """
    text = check_text(value, name)
    escape = _ESCAPE.search(text)
    if escape is not None:
        raise ParameterError(
            f"{name} holds {escape[0]}, which a statement reads as the character {chr(int(escape[1], 16))!r}; "
            "write the character"
        )
    if text.lower().startswith(PREFIX.lower()):
        raise ParameterError(
            f"{name} is {text!r}, must not begin with {PREFIX}, which is edgedp's own; choose another"
        )
    return text


def check_names(row: GraphRow) -> None:
    """Refuse to register labels or types that are edgedp's own."""
    for label in row.labels:
        check_unreserved(label, "node_label")
    for kind in row.types:
        check_unreserved(kind, "relationship_type")


def check_place(row: GraphRow) -> None:
    """Refuse a row of the registry whose place was edited: one of edgedp's own that is not this version's.

    Raises
    ------
    StoreError
    """
    if row.at_address:
        raise StoreError(
            f"the edges of the graph {row.name!r} are at an address, which no procedure reads; ask by the "
            "command, Python or a gateway; nothing was spent"
        )
    own = _own(row.name, row.version)
    named = [*row.labels, *row.types]
    reserved = [text for text in named if text.startswith(PREFIX)]
    if (row.node_label != own) if row.loaded else bool(reserved):
        raise edited(row.name)
    if row.loaded and any(text != own for text in reserved):
        raise edited(row.name)


def check_survey(row: GraphRow, found: Mapping[str, Any]) -> None:
    """Refuse to register nodes that no release can be drawn from; a curator's check, so it may count.

    Parameters
    ----------
    found : mapping
        The row of ``survey``.
    """
    nodes, label, key = int(found["nodes"]), row.node_label, row.id_property
    if nodes == 0 or found["candidates"] == 0:
        raise StoreError(
            f"no node has the label {(row.facts.candidates if nodes else label)!r}; check its spelling"
        )
    if found["ours"]:
        raise StoreError(
            f"node_label is {label!r}, which nodes of a graph that edgedp wrote carry too; choose another label"
        )
    if found["identified"] < nodes:
        raise StoreError(
            f"id_property is {key!r}, which {nodes - found['identified']:,} of {nodes:,} nodes lack; "
            "set it on all of them"
        )
    if found["distinctIds"] < nodes:
        raise StoreError(
            f"id_property is {key!r}, must be unique, but two nodes share a value; give every node its own"
        )
    if found["empty"]:
        raise StoreError(
            f"id_property is {key!r}, an empty text for a node, which cannot be an id; give it another"
        )
    if not _one_type(found["types"]):
        raise StoreError(
            f"id_property is {key!r}, must hold integers or texts and not both; convert the values"
        )


def check_some_edge(row: GraphRow, edges: int) -> None:
    """Refuse to register a graph without an edge, which a misspelt type is; a curator's check, so it may count."""
    if edges == 0:
        raise StoreError(
            f"no relationship of the type {row.relationship_type!r} joins two nodes labelled {row.node_label!r}"
            f"{'' if row.projection is None else ' as the projection asks'}; check the spelling, or add allow_empty"
        )


def check_nodes(row: GraphRow, found: Mapping[str, Any]) -> None:
    """Refuse a release before its debit if the public nodes are not those of a graph; nothing is spent.

    Parameters
    ----------
    row : GraphRow
        With its number of nodes: of a loaded graph as it was written.
    found : mapping
        The row of ``survey``.
    """
    nodes = int(found["nodes"])
    if int(found["candidates"]) != row.node_count:
        raise StoreError(
            f"the nodes of the graph {row.name!r} are not those that were loaded; "
            "nothing was spent; ask the curator to load it again"
        )
    if found["ours"]:
        raise StoreError(
            f"a node of the graph {row.name!r} carries a label of edgedp's own; "
            "nothing was spent; ask the curator to remove it"
        )
    if not found["identified"] == found["distinctIds"] == nodes or not (
        nodes == 0 or _one_type(found["types"])
    ):
        raise StoreError(
            f"a node of the graph {row.name!r} has no id, shares its id with another, or has one of another type "
            "than the rest; nothing was spent; ask the curator to mend the ids"
        )


def index_hint(row: GraphRow, label: str) -> StoreError:
    """Return the refusal of an id property without an index on nodes of a label."""
    return StoreError(
        f"id_property is {row.id_property!r}, which has no index; run: CREATE CONSTRAINT FOR "
        f"(n:{quote_identifier(label)}) REQUIRE n.{quote_identifier(row.id_property)} IS UNIQUE"
    )


def constraint_name(row: GraphRow) -> str:
    """Return the name of a version's constraint, where it has one."""
    return f"edgedp_{row.version:x}"


def has_constraint(row: GraphRow) -> bool:
    """Whether a version that is about to be written gets a constraint.

    Every change of the schema throws away all plans of the server, those of other programs too. The ids of
    a graph are unique, and among few nodes they are found without an index.
    """
    return row.node_count > _FEW_NODES


def load_begin(row: GraphRow) -> list[Step]:
    """Return the steps that note a version before its first node is written; the registry is locked."""
    return [
        Step("place_lock", on_none="schema"),
        *_load_conflicts(row),
        Step(
            "load_begin",
            _version(row)
            | {"displayLabel": row.display_label}
            | ({} if has_constraint(row) else {"constraintName": None}),
        ),
    ]


def load_guards(row: GraphRow) -> list[Step]:
    """Return what is checked in the script that makes a version current: its place, and that it is still there."""
    return [
        *_load_conflicts(row),
        Step("load_end", {"nodeLabel": row.node_label}, on_none="cleared"),
    ]


def register_guards(row: GraphRow, apart: Sequence[str] = ()) -> list[Step]:
    """Return what is checked in the script of a registration: that nobody else's edges or nodes are there.

    Parameters
    ----------
    row : GraphRow
    apart : sequence of str
        Addresses with accounts that were compared with the row's, and are other places.
    """
    kind = row.relationship_type
    asked = {"name": row.name, "relationshipType": kind}
    compared = asked | {"apart": list(apart)}
    return [
        _type_conflicts([*row.ledgers, row.name], kind),
        *([Step("address_conflicts", compared, on_row="place")] if row.at_address else []),
        Step("place_conflicts", asked | {"nodeLabel": row.node_label}, on_row="place"),
    ]


def retire_steps(row: GraphRow) -> list[Step]:
    """Return the steps that give up a loaded version; `Session.sweep` clears it afterwards."""
    return [Step("load_retire", _version(row))] if row.loaded else []


def guard_refusal(outcome: str, row: GraphRow, rows: Mapping[str, Sequence[Row]]) -> EdgeDPError | None:
    """Return what an outcome of these steps means, or None for any other."""
    match outcome:
        case "place":
            if (came := rows.get("address_conflicts")) and not rows.get("type_conflicts"):
                return _came_meanwhile(row, came)
            found = next(rows[each][0] for each in _CONFLICTS if rows.get(each))
            return _conflict(row, found.get("conflict", "account"), found.get("other") or found["name"])
        case "cleared":
            return cleared(row.name)
        case "schema":
            return StoreError("the database was migrated by a newer edgedp meanwhile; use that version")
        case _:
            return None


def _came_meanwhile(row: GraphRow, came: Sequence[Row]) -> StoreError:
    """Return the refusal of an address beside which another got its account since they were compared."""
    from edgedp.graph.reading.sources.places import overlap

    taken = [each["name"] for each in came if overlap(each["relationshipType"], row.relationship_type)]
    if taken:
        return address_taken(taken[0])
    return StoreError("another address was registered at the same time; register again")


def cleared(name: str) -> StoreError:
    """Return the refusal of a load whose beginnings another load of the name has cleared."""
    return StoreError(f"somebody else loads {name!r} at the same time; load again")


def _conflict(row: GraphRow, conflict: str, other: str) -> StoreError:
    kind, label = row.relationship_type, row.display_label if row.loaded else row.node_label
    match conflict:
        case "account" if row.loaded:
            said = (
                f"relationship_type is {kind!r}, must not be that of a registered graph; choose another type"
            )
        case "account" if row.at_address:
            return address_taken(other)
        case "account":
            said = f"a relationship type of {kind!r} got the account {other!r} meanwhile; register again"
        case "escaped_account":
            said = (
                f"the account {other!r} is for a relationship type that an earlier version took with an escape, and "
                f"that may be {kind!r}; ask of the graph {other!r}"
            )
        case "lost_account":
            said = lost_account(kind, other)
        case "own_account":
            said = f"the ledger of {row.name!r} accounts for the relationship type {other!r}; choose another name"
        case "type":
            said = (
                f"relationship_type is {kind!r}, must not be that of a loaded graph, which has its own budget; "
                "use the loaded graph"
            )
        case "unfinished_type":
            said = (
                f"relationship_type is {kind!r}, which a load or drop of {other!r} that did not end may have left "
                f"edges of; run 'edgedp drop {other}' to clear them, then register again"
            )
        case "label":
            said = (
                f"node_label is {label!r}, which the nodes of the loaded graph {other!r} carry too; "
                "choose another label"
            )
        case "registered_label":
            said = (
                f"node_label is {label!r}, must not be that of the registered graph {other!r}; "
                "choose another label (--node-label)"
            )
        case _:
            raise AssertionError(f"no conflict is called {conflict}")
    return StoreError(said)


def _load_conflicts(row: GraphRow) -> list[Step]:
    """Return what a load checks; a type of its own holds a number by chance, and nobody else's relationships."""
    asked = row.relationship_type != row.node_label
    return [
        *([_type_conflicts([], row.relationship_type)] if asked else []),
        Step("load_conflicts", {"nodeLabel": row.display_label}, on_row="place"),
    ]


def _type_conflicts(own: list[str], kind: str) -> Step:
    return Step("type_conflicts", {"names": own, "relationshipType": kind}, on_row="place")


def _version(row: GraphRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "nodeLabel": row.node_label,
        "relationshipType": row.relationship_type,
        "constraintName": constraint_name(row),
    }


def _one_type(types: Sequence[str]) -> bool:
    return {kind.split(" ")[0] for kind in types} in ({"INTEGER"}, {"STRING"})


def _own(name: str, version: int) -> str:
    return f"{PREFIX}_{name}_{version:x}"
