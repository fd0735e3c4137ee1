"""What a request's header holds, as the package's own values; refused in one sentence where a caller's is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from edgedp.graph.weights import weighting_of
from edgedp.ledger import ledger
from edgedp.ledger.account import Account
from edgedp.ledger.attributes import declared_in, domain_of
from edgedp.ledger.backend import Row
from edgedp.ledger.debits.question import Question
from edgedp.ledger.rows import GraphRow, row_of
from edgedp.mechanisms import checks
from edgedp.release.plan import Plan, PublicFacts, options_from_config
from edgedp.release.plan import plan as plan_again
from edgedp.stores.neo4j.frames import Frame
from edgedp.words.dates.calendar import calendar_kept
from edgedp.words.errors import ParameterError, UnknownNameError

BY = ""
"""Who asks, beside the user whom the database has authenticated: its statements write that one themselves."""


_OF_GDS = {
    "nodeProjection": "register the graph with nodeLabel",
    "nodeLabels": "write nodeLabel, a label or a list, when the graph is registered",
    "nodeProperties": "declare a property by edgedp.graph.attribute, then ask for its percentile",
    "relationshipProjection": "register the graph with relationshipType, orientation, where and atLeast",
    "relationshipTypes": "write relationshipType, a type or a list, when the graph is registered",
    "relationshipProperties": "register the graph with weight, which names a property and a cap, or with where",
    "relationshipWeightProperty": "register the graph with weight, which names a property and a cap; ask for strength",
    "aggregation": "write weight.aggregation when the graph is registered; atLeast asks for several relationships",
    "properties": "a filter on the relationships' properties is where, when the graph is registered",
    "topK": "write k",
    "topN": "write k",
    "mutateProperty": "no graph is kept in memory; write the ranks with .write and writeProperty",
    "resultProperty": "write the ranks with .write and writeProperty",
    "concurrency": "a release is computed by one worker; ask without it",
    "readConcurrency": "a graph is read by one thread; ask without it",
    "writeConcurrency": "ranks are written in your transaction; ask without it",
    "jobId": "requestId names a release, which is then answered once",
    "samplingSize": "nothing is sampled; ask without it",
    "samplingSeed": "noise has no seed; ask without it",
    "randomSeed": "noise has no seed; ask without it",
    "sudo": "nothing is guarded by memory; ask without it",
    "logProgress": "ask without it",
    "username": "the database has authenticated the user; ask without it",
}
"""Words of Neo4j's graph data science library that are none here, and what to write instead."""


def graph_of(request: Frame) -> GraphRow:
    """Return the graph's row of the registry, with its present number of nodes where it is registered."""
    header = request.header
    row = row_of(header["graph"])
    if row.loaded or "survey" not in header:
        return row
    return replace(row, node_count=int(header["survey"]["candidates"]))


def config_of(request: Frame) -> dict[str, Any]:
    """Return a caller's configuration.

    Raises
    ------
    EdgeDPError
        It is null, or holds a word of another library.
    """
    config = request.header["config"]
    if not isinstance(config, Mapping):
        raise ParameterError("the configuration is null, must be a map; give one, which may be empty ({})")
    for key in config:
        if key in _OF_GDS:
            raise UnknownNameError(f"there is no option {key!r} here: {_OF_GDS[key]}")
    return dict(config)


def known_config(request: Frame, known: Iterable[str]) -> dict[str, Any]:
    """Return a caller's configuration, whose keys are all known."""
    config = config_of(request)
    checks.check_option_names(config, known)
    return config


def first_of(rows: Sequence[Row]) -> Row | None:
    """Return the first of some rows; None where there is none."""
    return rows[0] if rows else None


def question_of(
    request: Frame, config: Mapping[str, Any], account: Account, request_id: str | None, before: Row | None
) -> Question:
    """Return what a caller's configuration asks, whose keys are the option names in camelCase."""
    kind = request.header["kind"]
    domains = declared_in(request.header.get("attributes", []))
    rows = accounts_of(request)
    beside = None if rows is None else [Account.of(row) for row in rows]
    return Question(kind, options_from_config(kind, config), account, domains, request_id, before, beside)


def accounts_of(request: Frame) -> list[Row] | None:
    """Return the rows of all accounts of a graph's edges, where they are not its own ledger."""
    row, rows = graph_of(request), request.header.get("accounts") or []
    if row.accounts is None:
        return None
    if len(rows) < len(row.ledgers):
        raise ledger.account_gone(row.name)
    return list(rows)


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Return a plan as the plugin carries it between two requests, without looking inside."""
    facts = plan.facts
    return {
        "kind": plan.kind,
        "parameters": plan.parameters,
        "facts": {
            "node_count": facts.node_count,
            "degree_bound": facts.degree_bound,
            "nodes_supplied": facts.nodes_supplied,
            "facts": facts.facts,
            "directed": facts.directed,
            "projection": facts.projection,
            "protect": facts.protect,
            "calendar": None if facts.calendar is None else facts.calendar.to_dict(),
            "weighting": None if facts.weighting is None else facts.weighting.to_dict(),
        },
        "domain": plan.declaration,
    }


def plan_of(carried: Mapping[str, Any]) -> Plan:
    """Return the plan of `plan_to_json`."""
    kept = dict(carried["facts"])
    kept["calendar"] = None if kept["calendar"] is None else calendar_kept(kept["calendar"])
    kept["weighting"] = None if kept["weighting"] is None else weighting_of(kept["weighting"])
    facts = PublicFacts(**kept)
    declared = carried.get("domain")
    if declared is not None:
        facts = replace(facts, domains={declared["property"]: domain_of(declared)})
    return plan_again(carried["kind"], carried["parameters"], facts)


def for_cypher(value: Any) -> Any:
    """Return a value as Cypher can have it: an integer beyond 64 bits, which a ledger keeps exactly, as a float.

    Examples
    --------
    >>> for_cypher({"value": 2**70, "interval": [0, 7]})
    {'value': 1.1805916207174113e+21, 'interval': [0, 7]}
    """
    match value:
        case dict():
            return {name: for_cypher(each) for name, each in value.items()}
        case list():
            return [for_cypher(each) for each in value]
        case int() if not -(2**63) <= value < 2**63:
            return float(value)
        case _:
            return value
