"""The history of a graph: its log as it is shown, exported and verified."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from edgedp.ledger import ledger, sources
from edgedp.ledger.account import UNKNOWN_AMOUNTS, Account, account_of, split_account
from edgedp.ledger.backend import Runner
from edgedp.ledger.calendars import spans
from edgedp.ledger.chain import Head, body_of, chained, exported, genesis, is_release
from edgedp.ledger.log import pages
from edgedp.ledger.rows import GraphRow, row_of
from edgedp.mechanisms.checks import check_choice, check_limit
from edgedp.words.amounts.epsilon import NANO, epsilon_nano
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError
from edgedp.words.vocabulary import ACCOUNTS


def rows(runner: Runner, name: str) -> list[dict[str, Any]]:
    """Return a graph's whole log, every row checked against the one before and the last against the account.

    Raises
    ------
    StoreError
        A row is missing or changed, or the account says something else.
    """
    account = ledger.find(runner, name)
    found = chained(name, runner.run("log_list", name=name))
    if len(found) != account.entries or (found[-1]["total"] if found else 0) != account.spent:
        raise ledger.broken(name)
    return found


def head(runner: Runner, name: str) -> Head:
    """Return the head of a graph's log: of a store that keeps the hash of every row, that of the last."""
    ledger.find(runner, name)
    if not runner.run("account_adds_up", name=name):
        raise ledger.broken(name)
    last = runner.run("log_last", name=name)
    if last and last[0]["hash"] is not None:
        return Head(last[0]["seq"], last[0]["hash"])
    found = rows(runner, name)
    return Head(len(found), found[-1]["hash"] if found else genesis(name))


def balance(runner: Runner, name: str, *, after: bool = False) -> dict[str, Any]:
    """Return budget, spent, remaining and the number of releases of a graph's edges.

    Those of its attributes, once that account is opened, stand under ``attributes``.
    The two accounts bound different neighbours and are never added.

    Parameters
    ----------
    after : bool
        After something was committed: an account that does not add up has a ``problem`` then, and nothing is raised.

    Raises
    ------
    StoreError
        The edges' account does not add up. The attributes' has a ``problem`` then, and hides no other.
    """
    row = _row(runner, name)
    try:
        shown = _of_graph(runner, name, row)
    except StoreError as error:
        if not after:
            raise
        shown = _problem(error)
    second = account_of(name, "attributes")
    if not runner.run("account_find", name=second):
        return shown
    try:
        return shown | {"attributes": _of_account(runner, second)}
    except StoreError as error:
        return shown | {"attributes": _problem(error)}


def _row(runner: Runner, name: str) -> GraphRow | None:
    rows = runner.run("graph_find", name=name)
    return row_of(rows[0]) if rows else None


def spent_by(runner: Runner, name: str) -> list[dict[str, Any]]:
    """Return what releases of a graph's accounts cost, of each account by the graph that was asked and who asked.

    Examples
    --------
    >>> from edgedp import Graph, open_store
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/g.edgedp") as store:
    ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
    ...     _ = store.register("again", of="path")
    ...     _ = store.priv_top_k("again", metric="degree", k=1, epsilon="0.5")
    ...     store.spent_by("path")
    [{'account': 'path', 'graph': 'again', 'analyst': None, 'releases': 1, 'epsilon': 0.5}]
    """
    ledger.find(runner, name)
    row = _row(runner, name)
    return [
        {
            "account": each,
            "graph": each if spent["graph"] is None else json.loads(spent["graph"]),
            "analyst": spent["analyst"] or None,
            "releases": int(spent["releases"]),
            "epsilon": spent["cost"] / NANO,
        }
        for each in ((name,) if row is None or not row.readable else row.ledgers)
        for spent in runner.run("log_shares", name=each)
    ]


def _of_graph(runner: Runner, name: str, row: GraphRow | None) -> dict[str, Any]:
    """Return the amounts of a graph: of several accounts those of which the least is left, and all of them."""
    if row is None or row.accounts is None:
        return _of_account(runner, name)
    own = _of_account(runner, name)
    accounts = sources.standing(runner, row)
    for each in accounts:
        if not runner.run("account_adds_up", name=each):
            raise ledger.broken(each)
    tightest = accounts[sources.tightest(accounts)]
    told = {"releases": own["releases"], "accounts": sources.told_accounts(accounts)}
    return tightest.shown() | told | spans.dated(tightest)


def _of_account(runner: Runner, name: str) -> dict[str, Any]:
    account = ledger.find(runner, name)
    if not runner.run("account_adds_up", name=name):
        raise ledger.broken(name)
    count = runner.run("release_count", name=name)[0]["releases"]
    return account.shown() | {"releases": int(count)} | spans.dated(account)


def by_run(runner: Runner, name: str) -> dict[str, Any]:
    """Return what was spent of every run of windows of a graph's edges, and what that means; empty without runs.

    Of several accounts it is that of which the least is left.
    """
    account = ledger.find(runner, account_of(name, "edges"))
    row = _row(runner, name)
    if row is not None and row.accounts is not None:
        accounts = sources.standing(runner, row)
        account = accounts[sources.tightest(accounts)]
    found = spans.every_run(account)
    return {"runs": found, "meaning": spans.meaning(account)} if found else {}


def _problem(error: StoreError) -> dict[str, Any]:
    return {**UNKNOWN_AMOUNTS, "releases": None, "problem": str(error)}


def releases(runner: Runner, name: str, limit: Any = None, since: Any = None) -> list[dict[str, Any]]:
    """Return releases of a graph: those from its edges, then those from its attributes, each oldest first.

    An answer that was never kept is None. A release that debits both accounts stands there once.
    """
    ledger.find(runner, name)
    names = [each for each in pages.accounts_of(name) if runner.run("account_find", name=each)]
    place = pages.start(runner, since, names)
    return [shown(row) for row in pages.releases(runner, names, place, check_limit(limit))]


def asked(runner: Runner, name: str, limit: Any = None, before: Any = None) -> list[dict[str, Any]]:
    """Return who asked what of an account, newest first, without answers."""
    account = ledger.find(runner, name)
    place = None if before is None else pages.start(runner, str(before), [name])
    found = []
    for row in pages.releases(runner, [name], place, check_limit(limit), back=True):
        body, answer = body_of(row), None if row["answer"] is None else body_of(row, "answer")
        found.append(
            {
                "release_id": row["releaseId"],
                "at": row["at"],
                "analyst": row["analyst"] or None,
                "selector": body["kind"],
                "parameters": body["parameters"],
                "epsilon": _cost(row, answer) / NANO,
                "epsilon_spent": _epsilon(account, row["total"]),
            }
        )
    return found


def _epsilon(account: Account, total: int) -> float:
    """Return in epsilon what had been spent of an account, in its currency."""
    return Account(None, None, total, None, account.delta).spent_epsilon / NANO


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a release as it is listed, from its row of ``release_page``."""
    answer = None if row["answer"] is None else body_of(row, "answer")
    return _shown(row, body_of(row), answer)


def _shown(
    row: Mapping[str, Any], asked: Mapping[str, Any], answer: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return a release as it is listed, from the row of its debit and what the bodies say."""
    return {
        "release_id": row["releaseId"],
        "at": row["at"],
        "epsilon": _cost(row, answer) / NANO,
        "account": asked.get("account", "edges"),
        "selector": asked["kind"],
        "parameters": asked["parameters"],
        "public": asked["public"],
        **({("value" if asked["kind"] == "percentile" else "nodes"): None} if answer is None else answer),
        **({"analyst": row["analyst"]} if row.get("analyst") else {}),
    }


def _cost(row: Mapping[str, Any], answer: Mapping[str, Any] | None) -> int:
    """Return the nano-epsilon of a release: what its debit says, or its answer where it spent step by step."""
    return int(row["cost"]) if answer is None or "steps" not in answer else epsilon_nano(answer["spent"])


def log(runner: Runner, name: str, limit: Any = None, since: Any = 0) -> list[dict[str, Any]]:
    """Return what happened under a name, oldest first: when, by whom, what, and what was spent after it.

    At most `limit` rows after the row with the number `since`.

    For the curator: from a debit to its answer is as long as the draw took, which may follow private edges.
    """
    account = ledger.find(runner, name)
    epsilon = cache(lambda total: _epsilon(account, total))

    return [
        {
            "seq": row["seq"],
            "at": row["at"],
            "by": row["by"],
            "analyst": row.get("analyst") or None,
            "event": row["kind"],
            "release_id": row["releaseId"],
            "request_id": row["requestId"],
            "epsilon": None if row["cost"] is None else row["cost"] / NANO,
            "details": body_of(row),
            "epsilon_spent": epsilon(row["total"]),
        }
        for row in pages.log_rows(runner, name, since, limit)
    ]


def export(runner: Runner, name: str) -> Iterator[str]:
    """Return the log as JSON lines; the last one holds the number of rows and the chain's head.

    For the curator, as `log`: the hashes are over the times as they are, so none is rounded.
    """
    found = rows(runner, name)
    for row in found:
        yield json.dumps({key: row[key] for key in exported(row)})
    last = Head(len(found), found[-1]["hash"] if found else genesis(name))
    graph, account = split_account(name)
    end = {"graph": graph} | ({} if account == "edges" else {"account": account})
    yield json.dumps(end | {"rows": len(found), "head": str(last)})


def verify(lines: Iterable[str], kept: str | None = None) -> dict[str, Any]:
    """Check an exported log by itself, and against a head that was kept elsewhere.

    Parameters
    ----------
    lines : iterable of str
        As `export` returns them.
    kept : str, optional
        ``SEQ:HASH``, or the hash alone: the log must hold it. Whoever can change an export can also compute its
        chain anew, so only a head from elsewhere shows a deliberate change.

    Returns
    -------
    dict
        graph, account (where it is not the edges'), rows, head, and releases.

    Raises
    ------
    ParameterError
        The lines are no export.
    StoreError
        A row is missing or changed, or the log is not the one of the head.
    """
    try:
        *entries, end = [json.loads(line) for line in lines if line.strip()]
        graph, account = end["graph"], end.get("account", "edges")
        name = account_of(graph, check_choice(account, "account", ACCOUNTS))
        count, last = end["rows"], Head.parse(end["head"])
        found = chained(name, [{key: row[key] for key in exported(row)} for row in entries])
    except EdgeDPError as error:
        if isinstance(error, StoreError):
            raise StoreError("the export is damaged: a row is missing or changed; export it again") from None
        raise ParameterError(
            "the file is not an export of a ledger; write one with 'edgedp ledger export'"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ParameterError(
            "the file is not a whole export of a ledger; write one with 'edgedp ledger export NAME'"
        ) from None
    hashes = [genesis(name), *(row["hash"] for row in found)]
    if len(found) != count or last != Head(len(found), hashes[-1]):
        raise StoreError("the export is damaged: its end does not fit its rows; export it again")
    if kept is not None:
        _check_head(kept, hashes)
    count_of_releases = sum(map(is_release, found))
    whose = {"graph": graph} | ({} if account == "edges" else {"account": account})
    return whose | {"rows": count, "releases": count_of_releases, "head": str(last)}


def _check_head(kept: str, hashes: list[str]) -> None:
    text = kept.strip()
    wanted = Head.parse(text if ":" in text or len(text) != 64 else f"0:{text}")
    held = wanted.hash in hashes if ":" not in text else hashes[wanted.seq : wanted.seq + 1] == [wanted.hash]
    if not held:
        raise StoreError(
            "the log does not hold the head that was kept: it was changed since, or it is an older copy"
        )
