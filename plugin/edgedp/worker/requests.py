"""What a request's header holds, as the package's own values; refused in one sentence where a caller's is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from edgedp import checks
from edgedp.errors import ParameterError
from edgedp.plan import Plan, PublicFacts
from edgedp.plan import plan as plan_again
from edgedp.stores.attributes import domain_of
from edgedp.stores.backend import GraphRow
from edgedp.stores.frames import Frame
from edgedp.stores.registry import row_of

__all__ = ["BY", "config_of", "for_cypher", "graph_of", "known_config", "plan_of", "plan_to_json"]

BY = ""
"""Who asks, beside the user whom the database has authenticated: its statements write that one themselves."""


def graph_of(request: Frame) -> GraphRow:
    """Return the graph's row of the registry, with its present number of nodes where it is registered."""
    header = request.header
    row = row_of(header["graph"])
    if row.loaded or "survey" not in header:
        return row
    return replace(row, node_count=int(header["survey"]["nodes"]))


def config_of(request: Frame) -> dict[str, Any]:
    """Return a caller's configuration.

    Raises
    ------
    ParameterError
        It is null.
    """
    config = request.header["config"]
    if not isinstance(config, Mapping):
        raise ParameterError("the configuration is null, must be a map; give one, such as {metric: 'degree'}")
    return dict(config)


def known_config(request: Frame, known: Iterable[str]) -> dict[str, Any]:
    """Return a caller's configuration, whose keys are all known."""
    config = config_of(request)
    checks.check_option_names(config, known)
    return config


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
        },
        "domain": plan.declaration,
    }


def plan_of(carried: Mapping[str, Any]) -> Plan:
    """Return the plan of `plan_to_json`."""
    facts = PublicFacts(**carried["facts"])
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
