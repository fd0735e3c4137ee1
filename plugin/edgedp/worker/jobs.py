"""What the worker can be asked: one pure function a verb, from a frame to the answering frame.

============= ============================================ =============================================
verb          request                                      answer
============= ============================================ =============================================
about                                                      version, python
unknown_graph name, names                                  sentence
plan          selector, config, facts, writes, id_property cost, charge, parameters, public; own options
refusal       name, ledger, selector, parameters, facts    sentence
draw          selector, parameters, facts; a projection    nodes; array ``rows``, in the order picked
accounts      rows of ledgers                              accounts, in epsilon
exact         config; a projection                         array ``values``
sensitivity   config; a projection                         array ``values``
register      name, config                                 the declaration, in integers
check_graph   facts; a projection                          node_count
declare       declaration, node_count, rows                statements to run
============= ============================================ =============================================

``facts`` is what is public of the graph: node_count, degree_bound, nodes_supplied. ``cost`` is in
nano-epsilon, ``charge`` in pico-rho for a ledger that has a delta; ``parameters``, ``public`` and
``nodes`` are JSON, as the ledger keeps them. A projection is three arrays: ``ids`` (int64 or text, one a
node, in the plugin's order), ``sources`` and ``targets`` (int32 rows of ``ids``, one a relationship, any
direction, parallels and loops allowed).
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

from edgedp import accounting, checks, exact
from edgedp.checks import nearest
from edgedp.draw import draw as draw_positions
from edgedp.errors import ParameterError, StoreError
from edgedp.graph import Graph
from edgedp.plan import MOTKIN_OPTIONS, PRIV_TOP_K_OPTIONS, Plan, PublicFacts, plan_from_config
from edgedp.projection import GraphProjection
from edgedp.sampling.words import SecureWords
from edgedp.stores import ledger
from edgedp.worker import registering
from edgedp.worker.projected import graph_of_arrays
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
            "charge": accounting.cost(planned),
            "parameters": json.dumps(planned.parameters),
            "public": json.dumps(planned.facts.to_dict()),
            "request_id": request_id,
            "write_property": write_property,
        }
    )


def draw(request: Frame) -> Frame:
    """Draw a release that has been debited; the rows come in the order picked."""
    header = request.header
    planned = _planned(header)
    graph, order = graph_of_arrays(request.arrays)
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
    """Say why a planned release does not fit its ledger."""
    header = request.header
    planned, account = _planned(header), ledger.Account.of(header["ledger"])
    return Frame(
        {"sentence": str(ledger.refusal(header["name"], planned.cost, account, account.affordable(planned)))}
    )


def accounts(request: Frame) -> Frame:
    """Say in epsilon what ledgers hold in integers of their currency."""
    return Frame({"accounts": [ledger.Account.of(row).shown() for row in request.header["rows"]]})


def exact_values(request: Frame) -> Frame:
    """Compute a metric of every node, without noise."""
    config = _config(request, ["metric"])
    metric = checks.check_metric(config.get("metric"))
    graph, order = graph_of_arrays(request.arrays)
    return _values(exact.values(graph, metric), order)


def exact_sensitivity(request: Frame) -> Frame:
    """Compute the admissible sensitivity of every node at a distance, without noise."""
    config = _config(request, ["metric", "t", "form"])
    metric, t = checks.check_metric(config.get("metric")), checks.check_distance(config.get("t"))
    graph, order = graph_of_arrays(request.arrays)
    return _values(exact.sensitivity(graph, metric, t, config.get("form")), order)


VERBS: Mapping[str, Callable[[Frame], Frame]] = {
    "about": about,
    "unknown_graph": unknown_graph,
    "plan": plan,
    "draw": draw,
    "refusal": refusal,
    "exact": exact_values,
    "sensitivity": exact_sensitivity,
    "accounts": accounts,
    "register": registering.register,
    "check_graph": registering.check_graph,
    "declare": registering.declare,
}


def _camel_options(selector: str) -> list[str]:
    options = MOTKIN_OPTIONS if selector == "motkin" else PRIV_TOP_K_OPTIONS
    return [re.sub("_(.)", lambda match: match[1].upper(), name) for name in options]


def _planned(header: Mapping[str, Any]) -> Plan:
    return Plan.from_parameters(header["selector"], json.loads(header["parameters"]), _facts(header))


def _facts(header: Mapping[str, Any]) -> PublicFacts:
    return PublicFacts(**header["facts"])


def _config(request: Frame, known: list[str]) -> dict[str, Any]:
    config: dict[str, Any] = request.header["config"]
    checks.check_option_names(config, known)
    return config


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
