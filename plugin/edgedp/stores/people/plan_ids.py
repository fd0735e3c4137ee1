"""Plan ids: what an analyst was told that a release costs, signed, so that the release can be held to it.

An id says until when it holds; the rest is a MAC over the whole plan, by the store's secret. Nothing is kept: an id
holds through every gateway on the store and after a restart, and nobody without the secret makes one. The MAC is over
the request id of the release too, of which the ledger keeps one release alone, and so an id is spent once.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any

from edgedp.words.amounts import rho
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.ledger.rows import GraphRow
    from edgedp.release.plan import Plan

SECONDS = 900
"""For how long a plan holds."""

_AHEAD = 60
"""Seconds that the clock of another gateway may be ahead; an id of a clock that was set back since holds no longer."""

_FORM = re.compile(r"plan_([0-9a-f]{8,12})_([0-9a-f]{64})")

_ANOTHER = (
    "plan_id is not of this release: it is not a plan of yours with these options, this graph as it is now and this "
    "idempotency key; plan the release again and name the plan_id and the key of that plan"
)
_LAPSED = f"plan_id has lapsed, for a plan holds for {SECONDS // 60} minutes; plan the release again"
_MISSING = (
    "plan_id is missing, without which an agent spends nothing; plan the release first, and name the plan_id and the "
    "idempotency key of that plan"
)
TO_PLAN_AGAIN = (_ANOTHER, _LAPSED, _MISSING)
"""How a release is refused that was told otherwise, too long ago, or not at all."""


def made(
    secret: str, analyst: str, row: GraphRow, planned: Plan, request_id: str, now: float | None = None
) -> str:
    """Return the id of a plan.

    Parameters
    ----------
    secret : str
        The store's (`edgedp.ledger.registry.secret`).
    analyst : str
        To whom the cost is told.
    row : GraphRow
        The graph that was planned for.
    planned : Plan
    request_id : str
        Of the release.
    now : float, optional
        Seconds of `time.time`.

    Returns
    -------
    str
    """
    until = int(time.time() if now is None else now) + SECONDS
    return f"plan_{until:x}_{_mac(secret, analyst, row, planned, request_id, until)}"


def check(
    plan_id: Any,
    secret: str,
    analyst: str,
    row: GraphRow,
    planned: Plan,
    request_id: str | None,
    now: float | None = None,
) -> None:
    """Refuse a release whose cost was not told by this id; parameters as of `made`.

    Raises
    ------
    ParameterError
        It is of something else, or of somebody else, or has lapsed. Which of the first two is not said.
    """
    found = _FORM.fullmatch(plan_id) if isinstance(plan_id, str) else None
    if found is None or request_id is None:
        raise ParameterError(_ANOTHER)
    until = int(found[1], 16)
    if not hmac.compare_digest(found[2], _mac(secret, analyst, row, planned, request_id, until)):
        raise ParameterError(_ANOTHER)
    left = until - (time.time() if now is None else now)
    if not 0 < left <= SECONDS + _AHEAD:
        raise ParameterError(_LAPSED)


def missing() -> ParameterError:
    """Return the refusal of a release that names no plan."""
    return ParameterError(_MISSING)


def _mac(secret: str, analyst: str, row: GraphRow, planned: Plan, request_id: str, until: int) -> str:
    # Of a graph of another one's rows its own version stays when that one is replaced.
    versions = row.version if row.of is None else [row.version, row.of.version]
    charges = [[each.account, each.cost, rho.cost(each)] for each in (*planned.first, *planned.charges)]
    said = [
        analyst, row.name, versions, planned.kind, planned.parameters, planned.public, charges, request_id, until,
    ]  # fmt: skip
    text = "edgedp plan " + json.dumps(said, sort_keys=True)
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
