"""What a store says of itself: public facts, budgets, releases and the log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from edgedp.checks import check_choice
from edgedp.rows import Balance, GraphFacts, LogRow, ProblemRow, ReleaseRow
from edgedp.stores import attributes, history, ledger, people_log, registry
from edgedp.stores.account import PEOPLE, account_of, split_account
from edgedp.stores.opened import OpenedStore
from edgedp.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.vocabulary import AccountName


__all__ = ["StoreRecords"]


class StoreRecords(OpenedStore):
    """Public facts and the history; no edge is read."""

    def graphs(self) -> list[GraphFacts]:
        """Return the public facts of every graph: name, node_count, degree_bound, epsilon_budget, epsilon_spent.

        The amounts are of the edges' account; those of the other one, once it is opened, stand under ``attributes``.
        """
        with self._session() as session:
            return cast(list[GraphFacts], registry.listing(session))

    def budget(self, name: str) -> Balance:
        """Return epsilon_budget, epsilon_spent, epsilon_remaining and the number of releases of the edges' account.

        Under ``attributes`` the same of the attributes' account, once it is opened. They bound different neighbours
        and are never added: who changes one edge *and* one record is bounded by the sum.
        """
        with self._session() as session:
            return cast(Balance, history.balance(session, account_of(name, "edges")))

    def releases(self, name: str) -> list[ReleaseRow]:
        """Return every release: release_id, at, what was asked and the nodes (None if never drawn).

        Reading a release again is post-processing and costs nothing.
        """
        with self._session() as session:
            return cast(list[ReleaseRow], history.releases(session, account_of(name, "edges")))

    def attributes(self, name: str) -> list[dict[str, Any]]:
        """Return the declared properties of a graph: property, low, high, grid, points and depends_on."""
        with self._session() as session:
            registry.known(session, name, anywhere=True)
            return attributes.listed(attributes.declared(session, name))

    # -- the history -----------------------------------------------------------------------------

    def log(self, name: str, account: AccountName = "edges") -> list[LogRow]:
        """Return what happened under a name, oldest first: loads, declarations, debits, answers, exact reads.

        Parameters
        ----------
        name : str
        account : {"edges", "attributes"}
            Each account has a log of its own.

        Returns
        -------
        list of dict
            seq, at (UTC), by, analyst (None: a direct caller), event, release_id, request_id, epsilon, details,
            epsilon_spent after it. Public facts, but for one: from a debit to its answer is as long as the draw took,
            which may follow private edges. An exact read is there without its result.
        """
        with self._session() as session:
            return cast(list[LogRow], history.log(session, _named(name, account)))

    def head(self, name: str, account: AccountName = "edges") -> str:
        """Return the head of a graph's log, ``SEQ:HASH``: kept elsewhere, it shows an older or changed log."""
        with self._session() as session:
            return str(history.head(session, _named(name, account)))

    def export(self, name: str, account: AccountName = "edges") -> list[str]:
        """Return the log as JSON lines that end with the number of rows and the head.

        Privacy: as of `log`, it tells how long each draw took; round ``at`` before you show it to others, and keep the
        whole one to verify.
        """
        with self._session() as session:
            return list(history.export(session, _named(name, account)))

    def check(self, name: str | None = None) -> list[ProblemRow]:
        """Check the ledger of one graph, or the whole store; nothing is changed.

        Returns
        -------
        list of dict
            graph (None: the store's files) and problem, one row each; empty where all adds up.
        """
        found: list[ProblemRow] = [
            {"graph": None, "problem": text} for text in ([] if name else self._backend.problems())
        ]
        with self._session() as session:
            if name is not None:
                if not session.run("account_find", name=account_of(name, "edges")):
                    raise ledger.unknown(name)
                second = account_of(name, "attributes")
                names = [name, *([second] if session.run("account_find", name=second) else [])]
            else:
                names = [row["name"] for row in session.run("account_list") if row["name"] != PEOPLE]
                found += [{"graph": None, "problem": text} for text in people_log.problems(session)]
            for each in names:
                graph, account = split_account(each)
                told = "" if account == "edges" else f"{account}: "
                problems = history.problems(session, each)
                found += [{"graph": graph, "problem": f"{told}{text}"} for text in problems]
        return found

    def backup(self, destination: str | Path) -> dict[str, str]:
        """Copy an embedded store while it is in use.

        Returns
        -------
        dict
            The head of each graph's log, which the copy has.
        """
        with self._session():
            return self._backend.backup(Path(destination).expanduser())


def _named(name: str, account: AccountName) -> str:
    """Return an account's name in the ledger."""
    return account_of(name, check_choice(account, "account", ACCOUNTS))
