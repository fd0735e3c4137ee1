"""A row of the registry, as the store returns it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edgedp.ledger.backend import OF_GRAPH, GraphRow, Runner

__all__ = ["accounts_of", "row_named", "row_of"]


def row_of(row: Mapping[str, Any]) -> GraphRow:
    """Read a row of ``graph_find``."""
    return GraphRow(
        name=row["name"],
        version=row["version"],
        node_label=row["nodeLabel"],
        relationship_type=row["relationshipType"],
        id_property=row["idProperty"],
        node_count=row["nodeCount"],
        degree_bound=row["degreeBound"],
        nodes_supplied=bool(row["nodesSupplied"]),
        loaded=bool(row["loaded"]),
        digest=row["digest"],
        made_of=row.get("projection"),
        title_property=row.get("titleProperty"),
        accounts=accounts_of(row),
        columns=row.get("columns"),
    )


def accounts_of(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the accounts that a row of the registry names; of a row that was edited, something that is refused."""
    if row["nodeLabel"] == OF_GRAPH:
        return (row["relationshipType"],)
    kept = row.get("accounts")
    if kept is None:
        return None
    return tuple(kept) if isinstance(kept, list) else ()


def row_named(runner: Runner, name: str) -> GraphRow | None:
    """Return the row of a graph; None where there is none."""
    rows = runner.run("graph_find", name=name)
    if not rows:
        return None
    row = row_of(rows[0])
    if row.node_label != OF_GRAPH:
        return row
    found = runner.run("graph_find", name=row.relationship_type)
    of = row_of(found[0]) if found else None
    return replace(row, of=of if of is not None and of.loaded else None, nodes_supplied=row.nodes_supplied)
