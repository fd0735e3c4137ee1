"""The verb that asks before anything is spent: what a release would cost, and whether it would be refused."""

from __future__ import annotations

from typing import Any

from edgedp.faces.worker.requests import accounts_of, config_of, first_of, graph_of, question_of
from edgedp.faces.worker.wording import in_cypher
from edgedp.ledger import ledger
from edgedp.ledger.account import Account
from edgedp.ledger.backend import Row
from edgedp.mechanisms import checks
from edgedp.release.plan import Plan
from edgedp.stores.neo4j import places
from edgedp.stores.neo4j.frames import Frame
from edgedp.stores.releases.clock import check_closed
from edgedp.stores.releases.estimating import estimate_of
from edgedp.stores.releases.trial import try_engine
from edgedp.words.vocabulary import AccountName

__all__ = ["estimate"]

_REQUEST_ID = "requestId"

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
