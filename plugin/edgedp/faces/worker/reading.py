"""The verbs that only read: accounts and logs, which are public, and exact values, which are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp import exact
from edgedp.faces.worker.requests import BY, for_cypher, graph_of, known_config
from edgedp.faces.worker.wording import in_cypher
from edgedp.ledger import events, ledger, listing, sources
from edgedp.ledger.backend import Row, Runner
from edgedp.ledger.log import consistency, history, pages
from edgedp.ledger.rows import GraphRow
from edgedp.mechanisms import checks
from edgedp.stores.neo4j.frames import Frame
from edgedp.stores.neo4j.packed import graph_of_arrays
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import MetricName, TopKMetricName


def accounts(request: Frame) -> Frame:
    """Say in epsilon what accounts hold in integers of their currency."""
    accounts = [listing.listed_account(row) for row in request.header["rows"]]
    for account in accounts:
        if "problem" in account:
            account["problem"] = in_cypher(account["problem"])
    return Frame({"accounts": accounts})


def account(request: Frame) -> Frame:
    """Say what an account is, and which graphs debit it."""
    return Frame(sources.told_account(request.header["row"], request.header["graphs"]))


def log(request: Frame) -> Frame:
    """Say what the rows of a page of a log show."""
    limit, since = _page(request)
    rows = history.log(_AlreadyRead(request), request.header["name"], limit, since)
    return Frame({"entries": for_cypher(rows)})


def page(request: Frame) -> Frame:
    """Say which rows a page needs: of a log those that are read, of releases what was asked, once it is checked."""
    match request.header["of"]:
        case "log":
            limit, since = _page(request)
            return Frame(pages.asked_of_log(request.header["name"], since, limit))
        case "releases":
            config = known_config(request, ["limit", "since"])
            after = config.get("since")
            asked = None if after is None else checks.check_text(after, "since")
            return Frame({"limit": checks.check_limit(config.get("limit")), "since": asked})
        case other:
            raise ParameterError(f"the list is {other!r}, must be one that is known; report this")


def _page(request: Frame) -> tuple[int | None, int]:
    config = known_config(request, ["limit", "since"])
    return checks.check_limit(config.get("limit")), checks.check_row_number(config.get("since") or 0)


def check(request: Frame) -> Frame:
    """Say what is wrong with a ledger."""
    found = consistency.problems(_AlreadyRead(request), request.header["name"])
    return Frame({"problems": [in_cypher(problem) for problem in found]})


def exact_script(request: Frame) -> Frame:
    """Hand out the script that notes an exact read, before anything is read."""
    header = request.header
    script = events.event_script(header["name"], "exact", _read(request), by=BY, at=ledger.now())
    return Frame({"script": script.to_dict()})


def exact_values(request: Frame) -> Frame:
    """Compute a metric of every node, without noise."""
    metric = _ranked(request)
    graph, order = graph_of_arrays(request.arrays, graph_of(request).projection)
    return _values(exact.values(graph, metric), order)


def exact_sensitivity(request: Frame) -> Frame:
    """Compute the admissible sensitivity of every node at a distance, without noise."""
    metric, config = _sensitivity(request)
    t = checks.check_distance(config.get("t"))
    graph, order = graph_of_arrays(request.arrays, graph_of(request).projection)
    return _values(exact.sensitivity(graph, metric, t, config.get("form")), order)


def _read(request: Frame) -> dict[str, Any]:
    """Return what an exact read is noted as, as the Python store notes it."""
    match request.header["read"]:
        case "exact":
            return {"read": "exact", "metric": _ranked(request)}
        case "sensitivity":
            metric, config = _sensitivity(request)
            asked = {"t": checks.check_distance(config.get("t")), "form": config.get("form")}
            return {"read": "sensitivity", "metric": metric} | {
                k: v for k, v in asked.items() if v is not None
            }
        case "adjacency":
            return {"read": "graph"}
        case other:
            raise ParameterError(f"the reading is {other!r}, must be one that the log knows; report this")


def _ranked(request: Frame) -> TopKMetricName:
    """Return a metric, or what counts arcs where the graph has directions."""
    config, row = known_config(request, ["metric"]), _of_all_nodes(request)
    return checks.check_ranked(
        config.get("metric"), directed=row.directed, weighted=row.weighting is not None
    )


def _of_all_nodes(request: Frame) -> GraphRow:
    """Return the row of a graph whose nodes are all ranked."""
    row = graph_of(request)
    if row.facts.candidates is not None:
        raise ParameterError(
            "the graph has candidates, whose exact values no procedure returns; ask from Python or the command line"
        )
    return row


def _sensitivity(request: Frame) -> tuple[MetricName, dict[str, Any]]:
    config = known_config(request, ["metric", "t", "form"])
    _of_all_nodes(request)
    metric = checks.check_metric(config.get("metric"))
    if config.get("form") is not None:
        checks.check_form(config["form"], metric)
    return metric, config


class _AlreadyRead(Runner):
    """Answers with the rows that the plugin read; one that it did not is a mistake."""

    def __init__(self, request: Frame) -> None:
        self._rows = request.header["rows"]

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        found: list[Row] = self._rows[statement]
        return found


def _values(values: NDArray[np.float64], order: NDArray[np.int64]) -> Frame:
    """Answer with values by position, put into the plugin's order."""
    by_row = np.empty(len(order), dtype=np.float64)
    by_row[order] = values
    return Frame({}, {"values": by_row})
