"""The analyst's verbs: plan a release, say what became of its debit, and draw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.faces.worker.requests import (
    BY,
    accounts_of,
    config_of,
    first_of,
    for_cypher,
    graph_of,
    plan_of,
    plan_to_json,
    question_of,
)
from edgedp.faces.worker.wording import in_cypher
from edgedp.graph.ids import positions_of
from edgedp.ledger import ledger
from edgedp.ledger.account import Account, account_of
from edgedp.ledger.backend import Row
from edgedp.ledger.debits import debiting
from edgedp.ledger.ledger import Kept
from edgedp.mechanisms import checks
from edgedp.mechanisms.projection import CandidateProjection, GraphProjection, records_projection
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.release.answers import Nodes
from edgedp.release.draw import draw as drawn
from edgedp.release.plan import PercentilePlan, Plan, options_of
from edgedp.stores.neo4j import dated, places
from edgedp.stores.neo4j.frames import Frame
from edgedp.stores.neo4j.packed import graph_of_arrays
from edgedp.stores.releases.estimating import estimate_of
from edgedp.stores.releases.trial import check_closed, try_engine
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.errors import ParameterError, UnknownNameError
from edgedp.words.refusals import CALL_FAILED, RECORD_LOST, constant_refusals
from edgedp.words.vocabulary import AccountName

Converse = Callable[[Frame], Frame]
"""Sends a frame in the middle of a job, and waits for the one that answers it."""

_REQUEST_ID = "requestId"
_WRITE_PROPERTY = "writeProperty"
_OVERWRITE = "overwrite"


def plan(request: Frame) -> Frame:
    """Validate a call's configuration, price it, and hand out the script of its debit; no edge is known here."""
    header = request.header
    row = graph_of(request)
    places.check_place(row)
    config = config_of(request)
    own = [_REQUEST_ID, *((_WRITE_PROPERTY, _OVERWRITE) if header["writes"] else ())]
    checks.check_option_names(config, [*options_of(header["kind"]).config_keys(), *own])
    asked = {key: config.pop(key, None) for key in own}
    request_id = asked[_REQUEST_ID]
    if request_id is not None:
        checks.check_request_id(request_id, _REQUEST_ID)
    written = _written(asked, row.name, row.id_property) if header["writes"] else None
    before = first_of(header["asked_before"]) if request_id is not None else None
    if not header["account"]:
        raise ledger.lost(row.name)
    asked_now = question_of(request, config, Account.of(header["account"][0]), request_id, before)
    if before is not None:
        asked_now.again()
        answered = ledger.kept_of(before, str(request_id))
        return Frame(_told_of(answered) | {"kept": for_cypher(answered.answer), "write": written})
    planned = asked_now.plan(row.facts)
    check_closed(planned)
    _try(planned)
    places.check_nodes(row, header["survey"])
    planned = planned.naming([each["id"] for each in header.get("named", ())])
    release_id = ledger.new_release_id()
    account = account_of(row.name, planned.charges[-1].account)
    script = debiting.debit_script(
        row, planned, release_id=release_id, request_id=request_id, by=BY, at=ledger.now()
    )
    return Frame(
        {
            "kept": None,
            "plan": plan_to_json(planned),
            "window": dated.asked(planned.facts.span),
            "property": planned.of_property if isinstance(planned, PercentilePlan) else None,
            "release_id": release_id,
            "epsilon": planned.cost / NANO,
            "request_id": request_id,
            "script": script.to_dict(),
            "lease": {
                "seconds": ledger.LEASE_RENEWAL,
                "renew": ledger.lease_renewal_script(account, release_id).to_dict(),
                "end": ledger.lease_end_script(account, release_id).to_dict(),
            },
            "write": written,
            "failed": CALL_FAILED,
        }
    )


def judge(request: Frame) -> Frame:
    """Say what an outcome of a debit other than its own means: a kept answer, or a refusal."""
    header = request.header
    found = ledger.judge(
        header["outcome"],
        header["rows"],
        name=header["name"],
        plan=plan_of(header["plan"]),
        request_id=header["request_id"],
    )
    return Frame(_told_of(found) | {"public": found.public, "answer": for_cypher(found.answer)})


def draw(request: Frame, converse: Converse | None = None) -> Frame:
    """Draw a release that has been debited, and hand out the script that keeps its answer.

    Parameters
    ----------
    request : Frame
    converse : callable, optional
        Sends a frame and returns the one that answers it: how a release that spends step by step has a further step
        debited, and how the titles of drawn nodes are looked up. Where there is none, further steps are refused.
    """
    header = request.header
    planned = plan_of(header["plan"])
    spent = planned.first[-1].cost

    def pay(cost: int) -> bool:
        nonlocal spent
        if converse is None:
            return False
        script = debiting.step_script(
            graph_of(request), planned, cost, spent, release_id=header["release_id"], by=BY, at=ledger.now()
        )
        paid = converse(Frame({"pay": script.to_dict()})).header["paid"] is True
        spent += cost if paid else 0
        return paid

    with constant_refusals():
        projection, order = _projected(planned, request)
        answer = drawn(planned, projection, SecureWords(), pay)
        if isinstance(answer, Nodes) and graph_of(request).titled and converse is not None:
            asked = converse(Frame({"titles": answer.shown_ids})).header["titles"]
            found = {each["id"]: each["title"] for each in asked}
            answer = answer.titled([found.get(node) for node in answer.shown_ids])
    account = account_of(header["name"], planned.charges[-1].account)
    script = ledger.answer_script(account, header["release_id"], answer.to_json(), by=BY, at=ledger.now())
    shown: dict[str, Any] = {
        "answer": for_cypher(answer.to_json()),
        "script": script.to_dict(),
        "lost": RECORD_LOST,
        "epsilon": spent / NANO,
    }
    if not isinstance(answer, Nodes):
        return Frame(shown)
    positions = positions_of(projection.node_ids, np.asarray(answer.ids), what="nodes")
    return Frame(shown, {"rows": order[positions]})


def _projected(planned: Plan, request: Frame) -> tuple[GraphProjection, NDArray[np.int64]]:
    """Return what a plan rests on, and the plugin's row of each of its positions."""
    if isinstance(planned, PercentilePlan):
        values = request.arrays["values"].astype(np.float64)
        projection = records_projection({planned.of_property: values}, len(values))
        return projection, np.arange(len(values), dtype=np.int64)
    graph, order = graph_of_arrays(request.arrays, graph_of(request).projection)
    if planned.facts.candidates is None:
        return GraphProjection(graph, engine="native"), order
    ranked = np.zeros(graph.node_count, dtype=bool)
    ranked[request.arrays["candidates"]] = True
    positions = np.flatnonzero(ranked[order])
    return CandidateProjection(graph, positions), order[positions]


def unknown_graph(request: Frame) -> Frame:
    """Refuse a name that is not one of the stored graphs, with the nearest that is, or one whose account is gone."""
    name, names = request.header["name"], request.header["names"]
    if name in names:
        raise ledger.lost(name)
    raise UnknownNameError(f"the graph is {name!r}, must be a stored one; {checks.nearest(str(name), names)}")


def _told_of(answered: Kept) -> dict[str, Any]:
    """Return what a kept release shows of itself beside its answer."""
    spent = answered.answer.get("spent", answered.parameters["epsilon"])
    return {"release_id": answered.release_id, "epsilon": float(spent)}


def _try(planned: Plan) -> None:
    """Find out at no cost whether this machine's engine works."""
    from edgedp.stores.releases.trial import try_engine

    try_engine(planned, "native")


def _written(asked: dict[str, Any], name: str, id_property: str) -> dict[str, Any]:
    """Return the property to write, and the refusal that holds if it is somebody else's (None: overwrite it)."""
    key = checks.check_text(asked[_WRITE_PROPERTY], _WRITE_PROPERTY)
    if key == id_property or key.startswith("_"):
        raise ParameterError(
            f"{_WRITE_PROPERTY} is {key!r}, must not be the property of the ids and must not start with '_'; "
            "choose another"
        )
    overwrite = asked[_OVERWRITE]
    if overwrite is not None and not isinstance(overwrite, bool):
        raise ParameterError(
            f"{_OVERWRITE} is {overwrite!r}, must be true or false; ask without it for false"
        )
    refused = (
        f"{_WRITE_PROPERTY} is {key!r}, which some node has and no release of {name!r} wrote; "
        "choose another property, or add overwrite: true to lose its values"
    )
    return {"property": key, "if_there": None if overwrite else refused}


WORKER_BYTES, NODE_BYTES, RELATIONSHIP_BYTES = 64 << 20, 320, 64
"""What a worker takes at most while it draws: of itself, for a node and for a relationship (bench/results/neo4j.md)."""


def estimate(request: Frame) -> Frame:
    """Estimate a call's configuration from public facts; no edge is known here and nothing is written."""
    header = request.header
    row = graph_of(request)
    config = config_of(request)
    request_id = config.pop(_REQUEST_ID, None)
    if request_id is not None:
        checks.check_request_id(request_id, _REQUEST_ID)
    if not header["account"]:
        raise ledger.unknown(row.name)
    account = Account.of(header["account"][0])
    rows: dict[AccountName, Row] = {"edges": header["account"][0]}
    for found in header.get("attributes_account", []):
        rows["attributes"] = found
    beside = accounts_of(request)
    before = first_of(header["asked_before"]) if request_id is not None else None

    def planner() -> Plan:
        asked = question_of(request, config, account, request_id, before)
        if before is not None:
            same = asked.again()
            ledger.kept_of(before, str(request_id))  # refuses one that was debited and has no answer
            return same
        return asked.plan(row.facts).naming([each["id"] for each in header["named"]])

    def check(planned: Plan) -> None:
        places.check_place(row)
        check_closed(planned)
        try_engine(planned, "native")
        places.check_nodes(row, header["survey"])

    told = estimate_of(
        row.name,
        header["kind"],
        rows,
        planner,
        check,
        adds_up=bool(header["adds_up"]),
        kept=before is not None,
        beside=beside,
    )
    shown: dict[str, Any] = told.to_dict()
    shown["memory"] = {
        "worker": WORKER_BYTES + NODE_BYTES * int(header["survey"]["nodes"]),
        "workerPerRelationship": RELATIONSHIP_BYTES,
    }
    return Frame(shown | {"refused": None if told.refused is None else in_cypher(told.refused)})
