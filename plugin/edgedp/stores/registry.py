"""The registry: which graphs are stored, what is public about them, and where they lie."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from edgedp.checks import nearest
from edgedp.errors import StoreError, UnknownNameError
from edgedp.plan import PublicFacts
from edgedp.stores.backend import GraphRow
from edgedp.stores.ledger import Account

if TYPE_CHECKING:
    from edgedp.stores.backend import Runner, Session, Transaction

__all__ = ["check_loadable", "check_own_type", "find", "known", "listed", "listing", "put"]


def find(runner: Runner, name: str) -> GraphRow | None:
    """Return the row of a graph, or None."""
    rows = runner.run("graph_find", name=name)
    if not rows:
        return None
    row = rows[0]
    return GraphRow(
        name=row["name"],
        version=row["version"],
        node_label=row["nodeLabel"],
        relationship_type=row["relationshipType"],
        id_property=row["idProperty"],
        node_count=row["nodeCount"],
        degree_bound=row["degreeBound"],
        nodes_supplied=row["nodesSupplied"],
        loaded=row["loaded"],
    )


def known(session: Session, name: str) -> GraphRow:
    """Return the row of a graph with its node count of now; an unknown name is refused with the nearest one."""
    row = find(session, name)
    if row is None:
        names = [stored["name"] for stored in listing(session)]
        raise UnknownNameError(f"the graph is {name!r}, must be a stored one; {nearest(str(name), names)}")
    return row if row.loaded else dataclasses.replace(row, node_count=session.node_count(row))


def put(tx: Transaction, row: GraphRow) -> None:
    """Write a graph's row, new or in place of the one before."""
    tx.run(
        "graph_put",
        name=row.name,
        version=row.version,
        nodeLabel=row.node_label,
        relationshipType=row.relationship_type,
        idProperty=row.id_property,
        nodeCount=row.node_count,
        degreeBound=row.degree_bound,
        nodesSupplied=row.nodes_supplied,
        loaded=row.loaded,
    )


def listing(runner: Runner) -> list[dict[str, Any]]:
    """Return the public facts of every graph."""
    return [
        {
            "name": row["name"],
            "node_count": row["nodeCount"],
            "degree_bound": PublicFacts(row["nodeCount"], row["degreeBound"]).effective_degree_bound,
            **{key: value for key, value in Account.of(row).shown().items() if key != "epsilon_remaining"},
        }
        for row in runner.run("graph_list")
    ]


def listed(runner: Runner, name: str) -> dict[str, Any]:
    """Return the public facts of one stored graph."""
    return next(row for row in listing(runner) if row["name"] == name)


def check_loadable(
    runner: Runner, name: str, before: GraphRow | None, *, replace: bool, kind: str | None
) -> None:
    """Refuse to load over a stored graph without `replace`, and a type whose edges have another ledger."""
    if before is not None and not replace:
        raise StoreError(
            f"name is {name!r}, must not be stored already; choose another name or replace it (--replace)"
        )
    if before is not None and not before.loaded:
        raise StoreError(
            f"name is {name!r}, which is a registered graph, must be a loaded one; drop it first"
        )
    if kind in {row["relationshipType"] for row in runner.run("ledger_places")}:
        raise StoreError(
            f"relationship_type is {kind!r}, must not be that of a registered graph; choose another type"
        )


def check_own_type(runner: Runner, name: str, kind: str) -> None:
    """Refuse a second ledger for relationships that have one, whatever the label and the name."""
    for row in runner.run("ledger_places"):
        if row["relationshipType"] == kind and row["name"] != name:
            raise StoreError(
                f"relationship_type is {kind!r}, whose budget is kept under the name {row['name']!r}, "
                "must have one name; register it under that one"
            )
        if row["name"] == name and row["relationshipType"] != kind:
            raise StoreError(
                f"name is {name!r}, whose ledger accounts for the type {row['relationshipType']!r}, "
                "must keep it; choose another name"
            )
    if any(row["loaded"] and row["relationshipType"] == kind for row in runner.run("graph_places")):
        raise StoreError(
            f"relationship_type is {kind!r}, must not be that of a loaded graph, which has its own budget; "
            "use the loaded graph"
        )
