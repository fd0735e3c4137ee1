"""What a process has seen of ledgers: a ledger that goes back under it is noticed at the next debit.

A file that is put in the place of the ledger, a stale journal, a dump that is loaded while a gateway runs: what was
debited since is forgotten in them. So an open store keeps the furthest row that it saw of each account, and a debit
is committed only where that row is still what it was.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from edgedp.ledger.account import split_account
from edgedp.ledger.chain import link
from edgedp.words.errors import StoreError

if TYPE_CHECKING:
    from edgedp.ledger.backend import Row, Runner


class Seen(NamedTuple):
    """A row of a log that was seen: its number, and a hash of what it says."""

    seq: int
    mark: str


class Remembered:
    """The furthest row of each account that was seen; for all threads of a store.

    Examples
    --------
    >>> Remembered().names()
    []
    """

    def __init__(self) -> None:
        self._seen: dict[str, Seen] = {}
        self._guard = threading.Lock()

    def names(self) -> list[str]:
        """Return the names of the accounts of which something was seen."""
        return sorted(self._seen)

    def saw(self, name: str) -> bool:
        """Whether something was seen of an account."""
        return name in self._seen

    def look(self, runner: Runner, names: Iterable[str]) -> None:
        """Compare accounts with what was seen of them, and remember their last rows."""
        self.keep(self.compare(runner, names))

    def compare(self, runner: Runner, names: Iterable[str]) -> dict[str, Seen]:
        """Return the last rows of accounts, to be kept once they are committed.

        Raises
        ------
        StoreError
            A row that was seen before is gone, or is another one.
        """
        found = {}
        for name in names:
            before = self._seen.get(name)
            rows = runner.run("log_seen", name=name, seq=None if before is None else before.seq)
            marks = [_seen(row) for row in rows]
            if before is not None and before not in marks:
                raise went_back(name, before.seq)
            if marks:
                found[name] = marks[-1]
        return found

    def keep(self, found: Mapping[str, Seen]) -> None:
        """Remember rows that are committed; what was seen further stays."""
        with self._guard:
            for name, seen in found.items():
                before = self._seen.get(name)
                if before is None or before.seq < seen.seq:
                    self._seen[name] = seen


def went_back(name: str, seq: int) -> StoreError:
    """Return the refusal of a ledger that lacks a row that this process has seen."""
    graph = split_account(name)[0]
    return StoreError(
        f"the ledger of {graph!r} went back: entry {seq}, which this process has seen, is not in it; nothing was "
        "spent; restore the newest copy and its heads, then start the process again"
    )


def _seen(row: Row) -> Seen:
    """Return what is kept of a row: its number, and its own hash, which was compared with the row as it was read.

    Where rows have none, a hash of what it says.
    """
    return Seen(row["seq"], row.get("hash") or link("", row))
