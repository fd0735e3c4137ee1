"""A plan id holds for one release: whatever it was told for, changed alone, is another release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from edgedp.ledger.rows import GraphRow
from edgedp.release.plan import Plan, PublicFacts, plan
from edgedp.stores.people import plan_ids
from edgedp.words.errors import ParameterError

ROW = GraphRow("kite", 7, "Kite", "KITE", "id", 50, 9, nodes_supplied=True, loaded=True)
NOW = 1_800_000_000.5


def planned(facts: PublicFacts | None = None, **options: Any) -> Plan:
    asked = {"metric": "degree", "k": 3, "epsilon": "0.5", "mechanism": "em"} | options
    return plan("priv_top_k", asked, facts or PublicFacts(50, 9))


TOLD: dict[str, Any] = {
    "secret": "s", "analyst": "ann", "row": ROW, "planned": planned(), "request_id": "monday",
}  # fmt: skip
ANOTHER: dict[str, Callable[[], dict[str, Any]]] = {
    "the secret of another store": lambda: {"secret": "t"},
    "another analyst": lambda: {"analyst": "bob"},
    "another graph": lambda: {"row": replace(ROW, name="kites")},
    "the graph since it was replaced": lambda: {"row": replace(ROW, version=8)},
    "another key": lambda: {"request_id": "tuesday"},
    "no key": lambda: {"request_id": None},
    "another option": lambda: {"planned": planned(k=4)},
    "another price": lambda: {"planned": planned(epsilon="0.500000001")},
    "another sampler, of another rho": lambda: {"planned": planned(mechanism="pf")},
    "other public facts": lambda: {"planned": planned(PublicFacts(50, 8))},
    "steps in place of one": lambda: {"planned": planned(mechanism="joint", target_recall="0.9")},
    "another kind": lambda: {"planned": plan("count", {"of": "edges", "epsilon": "0.5"}, PublicFacts(50, 9))},
}


@pytest.mark.parametrize("other", ANOTHER)
def test_an_id_is_of_one_release_of_one_analyst_under_one_key(other: str) -> None:
    told = plan_ids.made(**TOLD, now=NOW)
    plan_ids.check(told, **TOLD, now=NOW)
    with pytest.raises(ParameterError, match="plan_id is not of this release"):
        plan_ids.check(told, **(TOLD | ANOTHER[other]()), now=NOW)


def test_what_costs_the_same_by_another_price_is_another_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a delta is declared the price is what is debited; a version with other prices held nobody to an old one."""
    told = plan_ids.made(**TOLD, now=NOW)
    monkeypatch.setattr("edgedp.words.amounts.rho.cost", lambda charge: 1)
    with pytest.raises(ParameterError, match="plan_id is not of this release"):
        plan_ids.check(told, **TOLD, now=NOW)


def test_an_id_holds_for_a_quarter_of_an_hour_and_no_id_moves_that() -> None:
    told = plan_ids.made(**TOLD, now=NOW)
    plan_ids.check(told, **TOLD, now=NOW + 899.4)
    with pytest.raises(ParameterError, match="plan_id has lapsed, for a plan holds for 15 minutes"):
        plan_ids.check(told, **TOLD, now=NOW + 899.5)
    head, until, mac = told.split("_")
    with pytest.raises(ParameterError, match="plan_id is not of this release"):
        plan_ids.check(f"{head}_{int(until, 16) + 1:x}_{mac}", **TOLD, now=NOW)


@pytest.mark.parametrize(
    "none", [None, 7, "", "plan_", "plan_6b49d584_" + 64 * "0", "plan_6b49d584_" + 63 * "0"]
)
def test_what_nobody_was_told_is_no_id(none: Any) -> None:
    with pytest.raises(ParameterError, match="plan_id is not of this release"):
        plan_ids.check(none, **TOLD, now=NOW)
