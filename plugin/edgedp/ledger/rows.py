"""A row of the registry, as the store returns it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgedp.ledger.backend import OF_GRAPH, GraphRow

__all__ = ["accounts_of", "row_of"]


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
