"""Pages of a log and of releases: by sequence number, never by a time, and no row is read that is not of the page.

A clock may be set back; the number of a row is the order in which it was written. No page is believed that may lack
a row: the rows of a log are numbered without a gap, and between two debits of an account its running total stands
still. Releases of several accounts are listed account after account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from edgedp.ledger import ledger
from edgedp.ledger.account import Account, account_of, split_account
from edgedp.ledger.backend import Row, Runner
from edgedp.ledger.chain import body_of, genesis
from edgedp.mechanisms.checks import check_limit, check_row_number
from edgedp.words.errors import UnknownNameError
from edgedp.words.shown import shortened
from edgedp.words.vocabulary import ACCOUNTS

_END = 2**62
"""A row's number that no log reaches."""

_READ = 500
"""Rows that one statement reads at most."""

Place = tuple[str, int]
"""A row of a log: the account and the row's number."""


def accounts_of(name: str) -> list[str]:
    """Return the names of a graph's accounts, in the order of lists.

    Examples
    --------
    >>> [each.split() for each in accounts_of("kite")]
    [['kite'], ['kite', 'attributes']]
    """
    return [account_of(name, account) for account in ACCOUNTS]


def all_accounts(runner: Runner) -> list[str]:
    """Return the names of all accounts of a store, in the order of lists: graph by graph."""
    names = [row["name"] for row in runner.run("account_list")]

    def place(name: str) -> tuple[str, int]:
        graph, account = split_account(name)
        return graph, ACCOUNTS.index(account)

    return sorted(names, key=place)


def log_rows(runner: Runner, name: str, since: Any, limit: Any) -> list[Row]:
    """Return a page of an account's log, oldest first: at most `limit` rows after row number `since`.

    Raises
    ------
    StoreError
        A row is missing or changed, as far as the page, and the row before it, show it.
    """
    first, most = check_row_number(since), check_limit(limit)
    account = _sound(runner, name)
    found = runner.run("log_page", **asked_of_log(name, first, most))
    # The row before the page stands at its head, so that the page is held against it.
    seq = max(first - 1, 0)
    total, kept = (0, genesis(name)) if first <= 1 else (None, None)
    for row in found:
        total = row["total"] if total is None else total + (row["charge"] or 0)
        seq += 1
        linked = row["prev"] is None or kept in (None, row["prev"])  # Neo4j keeps no hash
        if (row["seq"], row["total"]) != (seq, total) or not linked:
            raise ledger.broken(name)
        kept = row["hash"]
    at_end = most is None or seq < first + most
    if (at_end and seq < account.entries) or (seq == account.entries and total not in (None, account.spent)):
        raise ledger.broken(name)
    return found[1:] if first and found else found


def asked_of_log(name: str, since: int, limit: int | None) -> dict[str, Any]:
    """Return the parameters of ``log_page``, which reads the row before the page, too."""
    return {
        "name": name,
        "since": max(since - 1, 0),
        "limit": _END if limit is None else limit + (since > 0),
    }


def releases(
    runner: Runner, names: Sequence[str], since: Place | None, limit: int | None, *, back: bool = False
) -> list[Row]:
    """Return the debits of the releases of accounts with their answers, account after account.

    Parameters
    ----------
    names : sequence of str
        The accounts.
    since : (account, number) or None
        Those after it; with `back` those before it.
    limit : int or None
        How many at most.
    back : bool
        Newest first, of each account.
    """

    def read(name: str, at: int, most: int) -> list[Row]:
        account = _sound(runner, name)
        if back:
            rows = runner.run("release_back", name=name, before=at, limit=most)
            above = runner.run("release_page", name=name, since=at - 1, limit=1) if at < _END else []
            top = above[0]["total"] - above[0]["charge"] if above else account.spent
            _check_totals(name, rows[::-1], 0 if len(rows) < most else None, top)
        else:
            rows = runner.run("release_page", name=name, since=at, limit=most)
            below = runner.run("release_back", name=name, before=at + 1, limit=1) if at else []
            bottom = below[0]["total"] if below else 0
            _check_totals(name, rows, bottom, account.spent if len(rows) < most else None)
        return rows

    return _walk(read, names, since, limit, back=back)


def own(
    runner: Runner,
    analyst: str,
    names: Sequence[str],
    since: Place | None,
    limit: int | None,
    *,
    back: bool = False,
) -> list[Row]:
    """Return the debits of an analyst's releases with their answers; parameters as for `releases`."""

    def read(name: str, at: int, most: int) -> list[Row]:
        if back:
            return runner.run("release_own_back", analyst=analyst, name=name, before=at, limit=most)
        return runner.run("release_own", analyst=analyst, name=name, since=at, limit=most)

    return _walk(read, names, since, limit, back=back)


def start(runner: Runner, since: Any, names: Sequence[str], analyst: str | None = None) -> Place | None:
    """Return where a list of releases goes on.

    Parameters
    ----------
    since : str, int or None
        The ``release_id`` of the last release of the page before, or a row's number in the log of the first of the
        accounts. An analyst gives none of these numbers: beside one's own debits they would show which other rows, such
        as the answers of draws, were written between them.
    names : sequence of str
        The accounts that are listed.
    analyst : str, optional
        Whose release it must be.

    Raises
    ------
    UnknownNameError
        It is no release of the list.
    """
    if since is None:
        return None
    if analyst is None and (isinstance(since, int) or (isinstance(since, str) and since.isdecimal())):
        number = check_row_number(int(since) if len(str(since)) < 20 else _END)
        return names[0], number
    rows = runner.run("release_find", releaseId=str(since))
    if not rows or rows[0]["name"] not in names or analyst not in (None, rows[0]["analyst"]):
        raise UnknownNameError(
            f"since is {shortened(repr(since))}, must be the release_id of a release of this list; "
            "take it from the page before"
        )
    return rows[0]["name"], rows[0]["seq"]


def _walk(
    read: Callable[[str, int, int], list[Row]],
    names: Sequence[str],
    since: Place | None,
    limit: int | None,
    *,
    back: bool,
) -> list[Row]:
    """Return the first rows of accounts that are releases: what one debits besides names it, and is none."""

    def every() -> Iterator[Row]:
        begin = 0 if since is None else names.index(since[0])
        for name in names[begin:]:
            at = _END if back else 0
            if since is not None and name == since[0]:
                at = since[1]
            while True:
                most = _READ if limit is None else min(limit, _READ)
                rows = read(name, at, most)
                yield from (row for row in rows if "part_of" not in body_of(row))
                if len(rows) < most:
                    break
                at = rows[-1]["seq"]

    return list(islice(every(), limit))


def _sound(runner: Runner, name: str) -> Account:
    """Return an account that is what the last row of its log says."""
    account = ledger.find(runner, name)
    if not runner.run("account_adds_up", name=name):
        raise ledger.broken(name)
    return account


def _check_totals(name: str, rows: Sequence[Row], below: int | None, above: int | None) -> None:
    """Refuse debits, oldest first, between which one is missing.

    Parameters
    ----------
    below, above : int or None
        What had been spent before the first of them, and after the last, at least; None where others stand there.
    """
    for row in rows:
        charge, total = row["charge"], row["total"]
        whole = isinstance(charge, int) and isinstance(total, int) and charge > 0
        if not whole or below not in (None, total - charge):
            raise ledger.broken(name)
        below = total
    if above is not None and below is not None and below < above:
        raise ledger.broken(name)
