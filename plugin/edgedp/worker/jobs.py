"""What the worker can be asked: one pure function a verb, from a frame to the answering frame.

============= ============================================ =================================================
verb          request                                      answer
============= ============================================ =================================================
about                                                      version, python
unknown_graph name, names                                  sentence
plan          selector, config, facts, writes, id_property cost, parameters and public (JSON), own options
refusal       name, cost, budget, spent, limit             sentence
draw          selector, parameters, facts; a projection    nodes (JSON); array ``rows``, in the order picked
exact         config; a projection                         array ``values``
sensitivity   config; a projection                         array ``values``
register      name, config                                 the declaration, amounts in nano-epsilon
check_graph   facts; a projection                          node_count
may_register  declared, rows of statements
============= ============================================ =================================================

``facts`` is what is public of the graph: node_count, degree_bound, nodes_supplied. A projection is
three arrays: ``ids`` (int64 or text, one a node, in the plugin's order), ``sources`` and ``targets``
(int32 rows of ``ids``, one a relationship, any direction, parallels and loops allowed).
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp import checks, exact
from edgedp.checks import nearest
from edgedp.draw import draw as draw_positions
from edgedp.epsilon import budget_nano
from edgedp.errors import ParameterError, StoreError
from edgedp.graph import Graph
from edgedp.plan import MOTKIN_OPTIONS, PRIV_TOP_K_OPTIONS, Plan, PublicFacts, plan_from_config
from edgedp.projection import GraphProjection
from edgedp.sampling.words import SecureWords
from edgedp.stores import ledger, registry
from edgedp.stores.backend import Runner
from edgedp.worker.projected import graph_of_rows
from edgedp.worker.protocol import Frame

__all__ = ["VERBS"]

_REQUEST_ID = "requestId"
_WRITE_PROPERTY = "writeProperty"


def plan(request: Frame) -> Frame:
    """Validate a call's configuration and price it; no edge is known here."""
    header = request.header
    writes: bool = header["writes"]
    config = dict(header["config"])
    own = [_REQUEST_ID, _WRITE_PROPERTY] if writes else [_REQUEST_ID]
    checks.check_option_names(config, [*_camel_options(header["selector"]), *own])
    request_id = config.pop(_REQUEST_ID, None)
    write_property = config.pop(_WRITE_PROPERTY, None)
    planned = plan_from_config(header["selector"], config, _facts(header))
    if request_id is not None:
        checks.check_text(request_id, _REQUEST_ID)
    if writes:
        _check_write_property(write_property, header["id_property"])
    return Frame(
        {
            "cost": planned.cost,
            "parameters": json.dumps(planned.parameters),
            "public": json.dumps(planned.facts.to_dict()),
            "request_id": request_id,
            "write_property": write_property,
        }
    )


def draw(request: Frame) -> Frame:
    """Draw a release that has been debited; the rows come in the order picked."""
    header = request.header
    planned = Plan.from_parameters(header["selector"], json.loads(header["parameters"]), _facts(header))
    graph, order = _graph(request)
    _check_node_count(graph, planned.facts)
    positions = draw_positions(planned, GraphProjection(graph, engine="native"), SecureWords())
    return Frame(
        {"nodes": json.dumps(graph.node_ids[positions].tolist())},
        {"rows": order[positions]},
    )


def about(request: Frame) -> Frame:
    """Say what runs here."""
    return Frame({"version": version("edgedp"), "python": platform.python_version()})


def unknown_graph(request: Frame) -> Frame:
    """Say that a name is not one of the stored graphs, with the nearest that is."""
    name, names = request.header["name"], request.header["names"]
    return Frame({"sentence": f"the graph is {name!r}, must be a stored one; {nearest(str(name), names)}"})


def refusal(request: Frame) -> Frame:
    """Say why a release does not fit its budget, from amounts in nano-epsilon."""
    name, cost, budget, spent, limit = (
        request.header[key] for key in ("name", "cost", "budget", "spent", "limit")
    )
    account = ledger.Account(budget, budget, spent, limit)
    return Frame({"sentence": str(ledger.refusal(name, cost, account, max((budget or 0) - spent, 0)))})


def exact_values(request: Frame) -> Frame:
    """Compute a metric of every node, without noise."""
    config = _config(request, ["metric"])
    metric = checks.check_metric(config.get("metric"))
    graph, order = _graph(request)
    return _values(exact.values(graph, metric), order)


def exact_sensitivity(request: Frame) -> Frame:
    """Compute the admissible sensitivity of every node at a distance, without noise."""
    config = _config(request, ["metric", "t", "form"])
    metric, t = checks.check_metric(config.get("metric")), checks.check_distance(config.get("t"))
    graph, order = _graph(request)
    return _values(exact.sensitivity(graph, metric, t, config.get("form")), order)


def register(request: Frame) -> Frame:
    """Validate the declaration of a graph; amounts come back in nano-epsilon."""
    names = ["nodeLabel", "relationshipType", "idProperty"]
    config = _config(request, [*names, "degreeBound", "epsilonBudget", "maxEpsilonPerRelease"])
    declared: dict[str, Any] = {"name": checks.check_graph_name(request.header["name"])}
    declared |= {key: checks.check_text(config.get(key), key) for key in names}
    declared["degreeBound"] = checks.check_degree_bound(config.get("degreeBound"))
    for key in ("epsilonBudget", "maxEpsilonPerRelease"):
        value = config.get(key)
        declared[key] = None if value is None else budget_nano(value, key)
    return Frame(declared)


def may_register(request: Frame) -> Frame:
    """Refuse a name or a type that is taken, or a budget below what was spent; the ledger is locked."""
    declared, runner = request.header["declared"], _AlreadyRead(request.header["rows"])
    name: str = declared["name"]
    if registry.find(runner, name) is not None:
        raise StoreError(
            f"name is {name!r}, must not be stored already; choose another name or drop it first"
        )
    registry.check_own_type(runner, name, declared["relationshipType"])
    if declared["epsilonBudget"] is not None:
        if ledger.find(runner, name).delta is not None:
            raise StoreError(
                f"the ledger of {name!r} accounts by (epsilon, delta), must be declared by Python or the command line; "
                "leave epsilonBudget out"
            )
        ledger.check_budget(runner, name, declared["epsilonBudget"], None)
    return Frame({})


def check_graph(request: Frame) -> Frame:
    """Check that a stored graph can be read and keeps its bound; a curator's job, so it may count."""
    facts = _facts(request.header)
    graph, _ = _graph(request)
    if facts.degree_bound is not None and graph.max_degree > facts.degree_bound:
        raise ParameterError(
            f"degreeBound is {facts.degree_bound}, must be at least the largest degree, {graph.max_degree}; "
            "declare a larger bound"
        )
    return Frame({"node_count": graph.node_count})


VERBS: Mapping[str, Callable[[Frame], Frame]] = {
    "about": about,
    "unknown_graph": unknown_graph,
    "plan": plan,
    "draw": draw,
    "refusal": refusal,
    "exact": exact_values,
    "sensitivity": exact_sensitivity,
    "register": register,
    "may_register": may_register,
    "check_graph": check_graph,
}


class _AlreadyRead(Runner):
    """Rows that the plugin read in its transaction, for what the stores judge by a runner."""

    def __init__(self, rows: Mapping[str, list[dict[str, Any]]]) -> None:
        self._rows = rows

    def run(
        self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any
    ) -> list[dict[str, Any]]:
        return self._rows[statement]


def _camel_options(selector: str) -> list[str]:
    options = MOTKIN_OPTIONS if selector == "motkin" else PRIV_TOP_K_OPTIONS
    return [re.sub("_(.)", lambda match: match[1].upper(), name) for name in options]


def _facts(header: Mapping[str, Any]) -> PublicFacts:
    return PublicFacts(**header["facts"])


def _config(request: Frame, known: list[str]) -> dict[str, Any]:
    config: dict[str, Any] = request.header["config"]
    checks.check_option_names(config, known)
    return config


def _graph(request: Frame) -> tuple[Graph, NDArray[np.int64]]:
    return graph_of_rows(request.arrays["ids"], request.arrays["sources"], request.arrays["targets"])


def _values(values: NDArray[np.float64], order: NDArray[np.int64]) -> Frame:
    """Answer with values by position, put into the plugin's order."""
    by_row = np.empty(len(order), dtype=np.float64)
    by_row[order] = values
    return Frame({}, {"values": by_row})


def _check_node_count(graph: Graph, facts: PublicFacts) -> None:
    """Refuse a graph whose public node set changed since the plan: its default bound would be wrong."""
    if graph.node_count != facts.node_count:
        raise StoreError(
            f"the number of nodes is {graph.node_count}, must be {facts.node_count} as it was when the "
            "release was planned; ask again, what was asked for stays spent"
        )


def _check_write_property(value: Any, id_property: str) -> None:
    """Refuse a property that another meaning hangs on."""
    name = checks.check_text(value, _WRITE_PROPERTY)
    if name == id_property or name.startswith("_"):
        raise ParameterError(
            f"{_WRITE_PROPERTY} is {name!r}, must be another property than the id and not start with '_'; "
            "choose another"
        )
