"""Which graphs an analyst sees, and what stands beside their public amounts: a share is the right to see a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edgedp.ledger import shares
from edgedp.ledger.account import split_account
from edgedp.ledger.backend import Row
from edgedp.ledger.rows import accounts_of

__all__ = ["beside", "granted", "least", "names"]


def least(row: Mapping[str, Any], own: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any] | None:
    """Return the share of a listed graph's edges: of several accounts the one of which the least is left."""
    found = [own.get((name, "edges")) for name in row.get("accounts", [row["name"]])]
    have = [share for share in found if share is not None]
    return min(have, key=lambda share: share["epsilon_remaining"] or 0) if len(have) == len(found) else None


def names(graphs: Sequence[Row], own: Sequence[Row]) -> set[str]:
    """Return the graphs that somebody may see: those of whose accounts there are shares, and those that had one."""
    held = {split_account(row["name"])[0] for row in own}
    edges = {row["name"] for row in own if row["account"] == "edges"}
    of_others = {row["name"]: accounts_of(row) for row in graphs}
    typed = {name for name, accounts in of_others.items() if accounts and edges.issuperset(accounts)}
    return held | typed


def granted(row: Mapping[str, Any]) -> bool:
    """Whether a listed graph has a share beside it."""
    return row["share"] is not None or row.get("attributes", {}).get("share") is not None


def beside(
    name: str, shown: dict[str, Any], edges: dict[str, Any] | None, records: dict[str, Any] | None
) -> dict[str, Any]:
    """Return public amounts with the analyst's share of each account, or None."""
    records_beside = {"attributes": shown["attributes"] | {"share": records}} if "attributes" in shown else {}
    told = [shares.running_low(share, name) for share in (edges, records) if share is not None]
    notice = {"notice": " ".join(filter(None, told))} if any(told) else {}
    return shown | records_beside | {"share": edges} | notice
