"""Several releases, planned before the first is asked for: each is estimated as if those before it had been paid.

Nothing is written: amounts that were read are raised by what the releases before would cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from edgedp.ledger.account import split_account
from edgedp.ledger.backend import Row
from edgedp.ledger.calendars import runs
from edgedp.ledger.calendars.runs import Reach
from edgedp.ledger.script import Runner
from edgedp.mechanisms.checks import check_request_id
from edgedp.stores.releases.estimating import Estimate
from edgedp.words.amounts.epsilon import NANO
from edgedp.words.errors import ParameterError

LONGEST = 1000
"""Releases of one batch."""

MOST_PLANNED = 100
"""Releases of one request to a gateway that are planned together."""

OWN = ("graph", "kind", "request_id", "engine")
"""The keys of a release in a batch beside its options."""


class AsIf(Runner):
    """A store as it would be after releases that nobody has asked for yet.

    Parameters
    ----------
    runner : Runner
    analyst : str
        Whose shares are raised, too; empty for a direct caller.
    """

    def __init__(self, runner: Runner, analyst: str) -> None:
        self._runner, self._analyst = runner, analyst
        self._more: dict[tuple[str, bool], list[tuple[Reach, int]]] = {}

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        """Run a statement; what it reads of accounts and shares is as it would be."""
        rows = self._runner.run(statement, identifiers, **parameters)
        if statement not in ("account_find", "share_find"):
            return rows
        return [self._raised(row, of_share=statement == "share_find") for row in rows]

    def _raised(self, row: Row, *, of_share: bool) -> Row:
        for reach, charge in self._more.get((row["name"], of_share), ()):
            if type(row["spent"]) is not int:
                return row
            kept = row.get("runs")
            if reach.within is not None and (kept is not None or row["spent"] == 0):
                kept = runs.charged(kept or runs.NOTHING, reach.within, reach.first, reach.last, charge)
            row = row | {"spent": row["spent"] + charge, "runs": kept}
        return row

    def pay(self, estimate: Estimate) -> None:
        """Count what a release would cost at most, of every account and share that it debits."""
        if estimate.planned is None or estimate.refused is not None or estimate.kept:
            return
        for charge in estimate.planned.charges:
            reach = Reach.of(estimate.planned.facts, charge.account)
            for name, account in estimate.ledgers(charge).items():
                debit = (reach, account.charge(charge))
                self._more.setdefault((name, False), []).append(debit)
                if estimate.shares is not None and charge.account in estimate.shares:
                    # A share is in its account's currency.
                    self._more.setdefault((name, True), []).append(debit)


def checked(releases: Any) -> list[dict[str, Any]]:
    """Return the releases of a batch, each a mapping of its own, or refuse the whole.

    Raises
    ------
    ParameterError
        It is no list of mappings, or too long, or names a request id twice.

    Examples
    --------
    >>> checked([{"graph": "path", "kind": "topk", "metric": "degree", "k": 1, "epsilon": "0.1"}])[0]["k"]
    1
    """
    if not isinstance(releases, Sequence) or isinstance(releases, str) or not releases:
        raise ParameterError(
            "releases is not a list of at least one release; give each release as a mapping of its options"
        )
    if len(releases) > LONGEST:
        raise ParameterError(f"there are {len(releases):,} releases, must be at most {LONGEST:,}; split them")
    seen: set[tuple[Any, str]] = set()
    for number, each in enumerate(releases, 1):
        if not isinstance(each, Mapping) or not all(isinstance(key, str) for key in each):
            raise ParameterError(f"release {number} is not a mapping of options by name; give one")
        if not isinstance(each.get("graph"), str):
            raise ParameterError(f"release {number} does not name its graph; give graph")
        if each.get("request_id") is not None:
            check_request_id(each["request_id"])
            if (each["graph"], each["request_id"]) in seen:
                raise ParameterError(
                    f"release {number} has the request_id {each['request_id']!r} of one before it; give each its own"
                )
            seen.add((each["graph"], each["request_id"]))
    return [dict(each) for each in releases]


def which(releases: Sequence[Mapping[str, Any]], one: Mapping[str, Any]) -> str:
    """Name a release of a batch: by its request id, or by its place among those of its graph.

    Examples
    --------
    >>> asked = [{"graph": "path"}, {"graph": "star"}, {"graph": "path"}]
    >>> which(asked, asked[2]), which(asked, {"graph": "path", "request_id": "monday"})
    ("release 2 of 'path'", "request_id 'monday'")
    """
    if one.get("request_id") is not None:
        return f"request_id {one['request_id']!r}"
    own = [each for each in releases if each["graph"] == one["graph"]]
    place = next(number for number, each in enumerate(own, 1) if each is one)
    return f"release {place} of {one['graph']!r}"


def planned(releases: Iterable[tuple[Mapping[str, Any], Estimate]]) -> dict[str, Any]:
    """Return what a batch would do: each release, and one sum for each account.

    Returns
    -------
    dict
        releases: a list as they were given, with epsilon (at most), kept, refused (why, or None) and
        epsilon_remaining_after; accounts: graph, account, epsilon (by how much the account
        would rise: the sum, or less where a delta is declared) and epsilon_remaining_after; refused: how
        many are.
    """
    shown, sums = [], dict[str, dict[str, Any]]()
    for asked, estimate in releases:
        told = estimate.to_dict()
        names = {key: asked[key] for key in ("request_id",) if asked.get(key) is not None}
        keys = ("graph", "selector", "parameters", "epsilon", "kept", "refused", "epsilon_remaining_after")
        shown.append(names | {key: told[key] for key in keys})
        if estimate.planned is None or estimate.refused is not None or estimate.kept:
            continue
        for charge in estimate.planned.charges:
            for name, before in estimate.ledgers(charge).items():
                row = sums.setdefault(
                    name, {"graph": split_account(name)[0], "account": charge.account, "nano": 0}
                )
                after = before.after(charge, Reach.of(estimate.planned.facts, charge.account))
                row["nano"] += after.spent_epsilon - before.spent_epsilon  # by rho: less than the cost
                row["epsilon_remaining_after"] = after.shown()["epsilon_remaining"]
    accounts = [{"epsilon": row.pop("nano") / NANO, **row} for row in sums.values()]
    return {
        "releases": shown,
        "accounts": accounts,
        "refused": sum(each["refused"] is not None for each in shown),
    }
