"""The verb that asks before anything is spent: what a release would cost, and whether it would be refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from edgedp.faces.worker.releasing import accounts_of, told_by
from edgedp.faces.worker.requests import config_of, graph_of
from edgedp.faces.worker.wording import in_cypher
from edgedp.ledger import attributes
from edgedp.ledger.account import Account
from edgedp.ledger.backend import Row
from edgedp.ledger.debits import kept
from edgedp.ledger.ledger import unknown
from edgedp.mechanisms import checks
from edgedp.release.plan import Plan, plan_from_config
from edgedp.stores.neo4j import places
from edgedp.stores.neo4j.frames import Frame
from edgedp.stores.releases.estimating import estimate_of
from edgedp.stores.releases.trial import try_engine
from edgedp.words.vocabulary import AccountName

__all__ = ["estimate"]

_REQUEST_ID = "requestId"


def estimate(request: Frame) -> Frame:
    """Estimate a call's configuration from public facts; no edge is known here and nothing is written."""
    header = request.header
    row = graph_of(request)
    config = config_of(request)
    request_id = config.pop(_REQUEST_ID, None)
    if request_id is not None:
        checks.check_request_id(request_id, _REQUEST_ID)
    if not header["account"]:
        raise unknown(row.name)
    account = Account.of(header["account"][0])
    rows: dict[AccountName, Row] = {"edges": header["account"][0]}
    for found in header.get("attributes_account", []):
        rows["attributes"] = found
    domains = attributes.declared_in(header.get("attributes", []))
    beside = accounts_of(request)
    asked_before = header["asked_before"] if request_id is not None else []

    def planner() -> Plan:
        if not asked_before:
            facts = told_by(account, beside, replace(row.facts, domains=domains))
            asked = plan_from_config(header["kind"], config, facts)
            return asked.naming([each["id"] for each in header["named"]])
        return kept.same_question(
            asked_before[0]["body"],
            config,
            lambda asked, facts: plan_from_config(header["kind"], asked, account.told(facts)),
            str(request_id),
            domains,
        )

    def check(planned: Plan) -> None:
        places.check_place(row)
        try_engine(planned, "native")
        places.check_nodes(row, header["survey"])

    told = estimate_of(
        row.name,
        header["kind"],
        rows,
        planner,
        check,
        adds_up=bool(header["adds_up"]),
        kept=bool(asked_before),
        beside=beside,
    )
    shown: dict[str, Any] = told.to_dict()
    return Frame(shown | {"refused": None if told.refused is None else in_cypher(told.refused)})
