"""What does not add up in a ledger: accounts, logs, the registry and shares compared, each with each; for curators.

A debit compares less, so that it takes as long with a long log: the account, the registry's row and the last row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, assert_never

from edgedp.ledger import ledger, registry
from edgedp.ledger.account import Account, split_account, unit_of
from edgedp.ledger.backend import Runner
from edgedp.ledger.calendars import runs
from edgedp.ledger.calendars.terms import calendar_of_terms, kept_without_edges
from edgedp.ledger.chain import body_of, chained, fault, is_release
from edgedp.ledger.shares import Share, grant_body
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    from edgedp.ledger.backend import Row

_SAID = {
    "declared": "declared epsilon", "budget": "budget", "maxPerRelease": "limit of one release", "delta": "delta",
    "relationshipType": "relationship type", "terms": "graph that it is for", "runs": "sum of every run of windows",
}  # fmt: skip
_PLACING = frozenset({"load", "replace", "register", "drop", "forget", "account"})
_DECLARING = {
    "declared": frozenset({"budget"}), "budget": frozenset({"budget"}), "delta": frozenset({"budget"}),
    "maxPerRelease": frozenset({"limit"}), "relationshipType": _PLACING, "terms": _PLACING,
    "runs": _PLACING | {"debit"},
}  # fmt: skip
"""Which rows of a log may change what."""


def names(runner: Runner) -> list[str]:
    """Return the names of all accounts: those that are there, and those that only a log or the registry names."""
    found = [row["name"] for row in runner.run("account_list")]
    found += [row["name"] for row in runner.run("log_names")]
    found += [row["name"] for row in runner.run("graph_places")]
    return sorted(set(found))


def problems(runner: Runner, name: str) -> list[str]:
    """Return what does not add up in the ledger of a graph, each in a line, and last what heals it."""
    graph, which = split_account(name)
    rows = runner.run("account_find", name=name)
    if not rows:
        try:
            ledger.find(runner, name)
        except EdgeDPError as error:
            return [str(error)]
    found = _amounts(rows[0])
    if found:
        return [*found, _healed(graph)]
    account = Account.of(rows[0])
    rows_of_log = runner.run("log_list", name=name)
    wrong = fault(name, rows_of_log)
    if wrong is not None:
        return [f"{wrong}; restore a backup"]
    entries = chained(name, rows_of_log)
    total = entries[-1]["total"] if entries else 0
    if len(entries) != account.entries:
        found.append(f"the account counts {account.entries} entries, the log has {len(entries)}")
    if total != account.spent:
        found.append(f"the account says that {account.spent} was spent, the releases cost {total}")
    found += _state(rows[0], entries)
    healing = [_healed(graph)] if found and account.spent <= total and account.entries <= len(entries) else []
    if account.budget is not None and account.held > account.budget:
        found.append(f"{account.held} was spent of {account.budget}")
    found += of_runs(entries)
    if account.delta is not None and account.declared is not None:
        allowed = rho.budget(account.declared, account.delta)
        if account.budget is None or account.budget > allowed:
            found.append(f"the budget is {account.budget}, the declared epsilon and delta allow {allowed}")
    elif account.budget != account.declared:
        found.append(f"the budget is {account.budget}, the declared epsilon {account.declared}")
    debits = [row["releaseId"] for row in entries if row["kind"] == "debit"]
    answers = [row["releaseId"] for row in entries if row["kind"] == "answer"]
    if len(set(debits)) < len(debits) or len(set(answers)) < len(answers) or set(answers) - set(debits):
        found.append("an answer is without its debit, or a release is there twice")
    found += _counted(runner, name, sum(map(is_release, entries)))
    match which:
        case "edges":
            found += _place(runner.run("graph_find", name=graph), rows[0]["terms"], entries)
        case "attributes":
            pass
        case _:
            assert_never(which)
    return found + of_shares(runner.run("share_list", name=name), entries) + healing


def _counted(runner: Runner, name: str, releases: int) -> list[str]:
    """Return whether another number of releases is counted than the log has."""
    try:
        counted = runner.run("release_count", name=name)[0]["releases"]
    except EdgeDPError as error:
        return [str(error)]
    return [] if counted == releases else [f"{counted} releases are counted, the log has {releases}"]


def _healed(graph: str) -> str:
    return f"to restore the account, {ledger.HEALED_BY_DROP.format(graph)}"


def _amounts(account: Mapping[str, Any]) -> list[str]:
    """Return which amounts of an account are no whole numbers."""
    amounts = {
        key: account[key] for key in ("declared", "budget", "spent", "maxPerRelease", "delta", "entries")
    }
    required = ("spent", "entries")
    return [
        f"the account's {key} is {shortened(repr(value))}, must be a whole number"
        for key, value in amounts.items()
        if type(value) is not int and (value is not None or key in required)
    ]


def _state(account: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return where the account is not what the last row says, and where a row changed what it does not declare."""
    found = []
    if entries and entries[-1]["terms"] is not None:
        found = [
            f"the account's {said} is {shortened(repr(account[key]))}, "
            f"the log's last row says {shortened(repr(entries[-1][key]))}"
            for key, said in _SAID.items()
            if account[key] != entries[-1][key]
        ]
    before: Mapping[str, Any] | None = None
    for row in entries:
        if row["terms"] is None:
            continue
        if before is not None:
            found += [
                f"entry {row['seq']} changes the {said} and declares no other"
                for key, said in _SAID.items()
                if row[key] != before[key] and row["kind"] not in _DECLARING[key]
            ]
        if not _as_declared(row):
            found.append(f"entry {row['seq']} declares something else than the account was after it")
        before = row
    return found


def _as_declared(row: Mapping[str, Any]) -> bool:
    """Return whether a row leaves the account as its body declares it."""
    body = body_of(row)
    match row["kind"]:
        case "budget":
            return _told(row["declared"]) == body.get("epsilon_budget")
        case "limit":
            return _told(row["maxPerRelease"]) == body.get("max_epsilon_per_release")
        case "load" | "replace" | "register" | "account":
            calendar = calendar_of_terms(row["terms"])
            told = None if calendar is None else calendar.to_dict()
            return str(body.get("protect", "pair")) == unit_of(row["terms"]) and body.get("calendar") == told
        case _:
            return True


def _told(amount: Any) -> str | None:
    return format_nano(amount) if type(amount) is int else None


def _place(
    graphs: Sequence[Mapping[str, Any]], terms: str | None, entries: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return whether the registry names other edges than those that the account is for."""
    protect = unit_of(terms)
    if protect is None:
        return ["what the account protects cannot be read, so somebody edited it"]
    calendar = calendar_of_terms(terms)
    gone = not terms or terms == kept_without_edges(protect, calendar)
    if gone and not (graphs and entries and entries[-1]["terms"] is not None):
        return []
    if graphs and registry.row_of(graphs[0]).terms(protect, calendar) == terms:
        return []
    if not graphs:
        return [
            "the graph is gone from the registry, and the log has no row that drops it; load or register it again"
        ]
    return [
        "the registry names other edges, another degree bound or other facts than those that the account is for; "
        "drop the graph, then load or register it again"
    ]


def of_runs(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return where a row says of the runs what the debits up to it do not, each in a line.

    Parameters
    ----------
    entries : iterable of mapping
        A log, oldest first.
    """
    found: list[str] = []
    whole, of_analysts = runs.NOTHING, dict[str, str]()
    for row in entries:
        try:
            calendar = calendar_of_terms(row["terms"])
        except ParameterError:
            calendar = None
        if row.get("runs") is None:
            if calendar is not None and calendar.within is not None:
                found.append(
                    f"entry {row['seq']} is of an account with a calendar, and has no runs of windows"
                )
                return found
            continue
        if row["kind"] == "debit":
            if calendar is None or calendar.within is None:
                found.append(
                    f"entry {row['seq']} is of an account without a calendar, and has runs of windows"
                )
                return found
            span = row["firstWindow"], row["lastWindow"]
            if [type(each) for each in span] not in ([int, int], [type(None), type(None)]):
                found.append(f"entry {row['seq']} names no windows that a release may read")
                return found
            charge = calendar.within, *span, row["charge"]
            whole = runs.charged(whole, *charge)
            analyst = row.get("analyst") or ""
            if analyst and owns(row):
                of_analysts[analyst] = runs.charged(of_analysts.get(analyst, runs.NOTHING), *charge)
                if row["shareRuns"] != of_analysts[analyst]:
                    found.append(
                        f"entry {row['seq']} says of the share of {analyst!r} what its debits do not add up to"
                    )
        if row["runs"] != whole:
            found.append(
                f"entry {row['seq']} says of the runs of windows what the debits up to it do not add up to"
            )
            return found
    return found


def owns(row: Mapping[str, Any]) -> bool:
    """Whether a ledger was an account, of which there are shares, by what a row of its log says that it was for.

    Examples
    --------
    >>> owns({"terms": '{"accounts": ["CALLED"]}', "name": "calls"}), owns({"terms": None})
    (False, True)
    """
    try:
        named = json.loads(row.get("terms") or "{}").get("accounts")
    except (ValueError, AttributeError):
        return True
    return named is None or row.get("name") in named


def of_shares(rows: Iterable[Row], entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what does not add up in the shares of a graph, each in a line.

    Parameters
    ----------
    rows : iterable of dict
        Of ``share_list``.
    entries : iterable of mapping
        The graph's log.
    """
    charged: dict[str, int] = {}
    of_runs: dict[str, Any] = {}
    granted: dict[tuple[str, str], dict[str, Any]] = {}
    ended: set[str] = set()
    for entry in entries:
        match entry["kind"]:
            case "grant":
                grant = json.loads(entry["body"])
                ended.discard(grant["analyst"])
                granted[grant["analyst"], grant["account"]] = grant
            case "revoke":
                gone = json.loads(entry["body"])
                granted.pop((gone["analyst"], gone["account"]), None)
                ended.add(gone["analyst"])
            case "debit" if entry.get("analyst") and owns(entry):
                charged[entry["analyst"]] = charged.get(entry["analyst"], 0) + entry["charge"]
                of_runs[entry["analyst"]] = entry.get("shareRuns")
    found = []
    for row in rows:
        analyst, cost = row["analyst"], charged.pop(row["analyst"], 0)
        account = split_account(row["name"])[1]
        if row["account"] != account:
            found.append(
                f"the share of {analyst!r} names the account {row['account']!r}, and is one of the {account}"
            )
            continue
        try:
            amounts = Share.of(row).amounts
        except StoreError:
            found.append(f"the share of {analyst!r} holds an amount that is not a whole number")
            continue
        if amounts.spent != cost:
            found.append(
                f"the share of {analyst!r} says that {amounts.spent} was spent, its releases cost {cost}"
            )
        if amounts.runs != of_runs.get(analyst):
            found.append(
                f"the share of {analyst!r} says of the runs of windows what its releases do not add up to"
            )
        if amounts.budget is None or amounts.held > amounts.budget:
            found.append(f"{amounts.held} was spent of the share of {analyst!r}, {amounts.budget}")
        last, stands = granted.get((analyst, account), {}), grant_body(row)
        found += [
            f"the {key} of the share of {analyst!r} is {stands.get(key)}, {last.get(key)} was granted"
            for key in sorted(stands.keys() | last.keys())
            if stands.get(key) != last.get(key)
        ]
    unshared = {analyst: cost for analyst, cost in charged.items() if analyst not in ended}
    return found + [f"{analyst!r} spent {cost} and has no share" for analyst, cost in unshared.items()]
