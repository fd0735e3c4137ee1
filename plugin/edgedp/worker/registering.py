"""The curator's verbs: what may be registered, and the statements that register it.

The stores judge and write by a runner of statements. Here the runner is a rehearsal: reads are answered
with rows that the plugin read in its transaction, writes are noted for the plugin to run in it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from edgedp import checks
from edgedp.accounting import delta_atto
from edgedp.epsilon import budget_nano
from edgedp.errors import ParameterError, StoreError
from edgedp.plan import PublicFacts
from edgedp.stores import ledger, registry
from edgedp.stores.backend import GraphRow, Row, Transaction
from edgedp.worker.projected import graph_of_arrays
from edgedp.worker.protocol import Frame

__all__ = ["check_graph", "declare", "register"]

_PLACE = ("nodeLabel", "relationshipType", "idProperty")
_AMOUNTS = ("epsilonBudget", "maxEpsilonPerRelease")
_WRITES = {
    "ledger_open", "ledger_lock", "ledger_set_budget", "ledger_set_budget_rho", "ledger_set_limit", "ledger_place",
    "graph_put",
}  # fmt: skip


def register(request: Frame) -> Frame:
    """Validate the declaration of a graph; amounts come back as integers."""
    config: dict[str, Any] = request.header["config"]
    checks.check_option_names(config, [*_PLACE, "degreeBound", *_AMOUNTS, "delta"])
    declared: dict[str, Any] = {"name": checks.check_graph_name(request.header["name"])}
    declared |= {key: checks.check_text(config.get(key), key) for key in _PLACE}
    declared["degreeBound"] = checks.check_degree_bound(config.get("degreeBound"))
    for key in _AMOUNTS:
        declared[key] = None if config.get(key) is None else budget_nano(config[key], key)
    declared["delta"] = None if config.get("delta") is None else delta_atto(config["delta"])
    if declared["delta"] is not None and declared["epsilonBudget"] is None:
        raise ParameterError("delta is given without an epsilonBudget, must go with it; declare both")
    return Frame(declared | {"version": secrets.randbits(62)})


def check_graph(request: Frame) -> Frame:
    """Check that a stored graph can be read and keeps its bound; a curator's job, so it may count."""
    facts = PublicFacts(**request.header["facts"])
    graph, _ = graph_of_arrays(request.arrays)
    if graph.node_count == 0:
        raise StoreError("nodeLabel is not on any node, must be a label of at least one; check its spelling")
    if facts.degree_bound is not None and graph.max_degree > facts.degree_bound:
        raise ParameterError(
            f"degreeBound is {facts.degree_bound}, must be at least the largest degree, {graph.max_degree}; "
            "declare a larger bound"
        )
    return Frame({"node_count": graph.node_count})


def declare(request: Frame) -> Frame:
    """Refuse what is taken or spent, or return the statements of the registration; the ledger is locked."""
    declared = request.header["declaration"]
    row = GraphRow(
        name=declared["name"],
        version=declared["version"],
        node_label=declared["nodeLabel"],
        relationship_type=declared["relationshipType"],
        id_property=declared["idProperty"],
        node_count=request.header["node_count"],
        degree_bound=declared["degreeBound"],
        nodes_supplied=True,
        loaded=False,
    )
    rehearsal = _Rehearsal(request.header["rows"])
    if registry.find(rehearsal, row.name) is not None:
        raise StoreError(
            f"name is {row.name!r}, must not be stored already; choose another name or drop it first"
        )
    registry.check_own_type(rehearsal, row.name, row.relationship_type)
    budget, limit = (declared[key] for key in _AMOUNTS)
    ledger.declare(rehearsal, row.name, budget=budget, delta=declared["delta"], limit=limit)
    rehearsal.run("ledger_place", name=row.name, relationshipType=row.relationship_type)
    registry.put(rehearsal, row)
    return Frame({"statements": rehearsal.noted})


class _Rehearsal(Transaction):
    """Answers with what was read and notes what is to be written; a read that was not made is a mistake."""

    def __init__(self, rows: Mapping[str, list[Row]]) -> None:
        self._rows = rows
        self.noted: list[dict[str, Any]] = []

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        if statement not in _WRITES:
            return self._rows[statement]
        self.noted.append({"statement": statement, "parameters": parameters})
        return []
