"""What a store says of itself: public facts, budgets, releases and the log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from edgedp.ledger import attributes, ledger, listing, registry
from edgedp.ledger.account import PEOPLE, account_of, split_account
from edgedp.ledger.log import consistency, history, people_log
from edgedp.ledger.rows import row_named
from edgedp.mechanisms.checks import check_choice
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.places import expanded
from edgedp.words.rows import Balance, GraphFacts, LogRow, ProblemRow, ReleaseRow
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.words.vocabulary import AccountName


class StoreRecords(OpenedStore):
    """Public facts and the history; no edge is read."""

    def graphs(self) -> list[GraphFacts]:
        """Return the public facts of every graph: name, node_count, degree_bound, epsilon_budget, epsilon_spent.

        The amounts are of the edges' account; those of the other one, once it is opened, stand under ``attributes``.
        """
        with self._session(reading=True) as session:
            return cast(list[GraphFacts], listing.listing(session))

    def budget(self, name: str) -> Balance:
        """Return epsilon_budget, epsilon_spent, epsilon_remaining and the number of releases of the edges' account.

        Under ``attributes`` the same of the attributes' account, once it is opened. They bound different neighbours
        and are never added: who changes one edge *and* one record is bounded by the sum.
        """
        with self._session(reading=True) as session:
            edges, records = (account_of(name, account) for account in ACCOUNTS)
            balance = cast(Balance, history.balance(session, edges))
            there = [edges, *(each["account"] for each in balance.get("accounts", ()))]
            if "attributes" in balance or self._remembered.saw(records):
                there.insert(1, records)
            self._remembered.look(session, there)
            return balance

    def spent_by(self, name: str) -> list[dict[str, Any]]:
        """Return what each name and each analyst spent of the accounts that a graph's releases debit.

        Names over one relationship type, one loaded graph or one address share its account, so its budget may be spent
        by other names than the one that is asked for, and by names that were dropped.

        Returns
        -------
        list of dict
            ``account``, ``graph`` (the name that was asked), ``analyst`` (None for somebody who opened the store),
            ``releases`` and ``epsilon``, as it was asked for, of all windows together. Every row of the logs is read.
        """
        with self._session(reading=True) as session:
            return history.spent_by(session, name)

    def runs(self, name: str) -> dict[str, Any]:
        """Return what was spent of every run of windows of a graph with a calendar: public facts.

        Returns
        -------
        dict
            ``runs``, each with ``windows`` (its first and last), ``epsilon_spent`` and ``epsilon_remaining``; and
            ``meaning``, a sentence on what the budget does not say. Empty where the budget is for all time.
        """
        with self._session(reading=True) as session:
            return history.by_run(session, name)

    def releases(
        self, name: str, limit: int | None = None, since: str | int | None = None
    ) -> list[ReleaseRow]:
        """Return the releases: release_id, at, what was asked and the nodes (None if never drawn).

        Those from the edges, then those from the attributes, each in the order in which they were debited, whatever
        clocks said. Reading a release again is post-processing and costs nothing.

        Parameters
        ----------
        name : str
        limit : int, optional
            How many at most; default all. Only the rows of such a page are read.
        since : str or int, optional
            The ``release_id`` of the last release of the page before; or the ``seq`` of a row of `log`, for the
            releases after it.

        Examples
        --------
        >>> import tempfile, edgedp
        >>> with tempfile.TemporaryDirectory() as folder, edgedp.open_store(f"{folder}/store") as store:
        ...     _ = store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
        ...     for _ in range(3):
        ...         _ = store.priv_top_k("path", metric="degree", k=1, epsilon="0.1")
        ...     page = store.releases("path", limit=2)
        ...     rest = store.releases("path", limit=2, since=page[-1]["release_id"])
        ...     whole = store.releases("path")
        >>> len(page), len(rest), page + rest == whole
        (2, 1, True)
        """
        with self._session(reading=True) as session:
            return cast(list[ReleaseRow], history.releases(session, account_of(name, "edges"), limit, since))

    def asked(
        self, name: str, account: AccountName = "edges", limit: int | None = None, before: str | None = None
    ) -> list[dict[str, Any]]:
        """Return who asked what of an account, newest first, and what was spent after it: public facts, no answer.

        Parameters
        ----------
        name : str
        account : {"edges", "attributes"}
        limit : int, optional
            How many releases at most; default all.
        before : str, optional
            The ``release_id`` of the last release of the page before.

        Returns
        -------
        list of dict
            release_id, at, analyst (None: a direct caller), selector, parameters, epsilon, epsilon_spent.
        """
        with self._session(reading=True) as session:
            return history.asked(session, _named(name, account), limit, before)

    def attributes(self, name: str) -> list[dict[str, Any]]:
        """Return the declared properties of a graph: property, low, high, grid, points and depends_on."""
        with self._session(reading=True) as session:
            registry.known(session, name, anywhere=True)
            return attributes.listed(attributes.declared(session, name))

    # -- the history -----------------------------------------------------------------------------

    def log(
        self, name: str, account: AccountName = "edges", limit: int | None = None, since: int = 0
    ) -> list[LogRow]:
        """Return what happened under a name, oldest first: loads, declarations, debits, answers, exact reads.

        By the numbers of the rows, never by their times. A page is held against its neighbours in the chain; `check`
        holds everything against everything.

        Parameters
        ----------
        name : str
        account : {"edges", "attributes"}
            Each account has a log of its own.
        limit : int, optional
            How many rows at most; default all. Only the rows of such a page are read.
        since : int
            The ``seq`` of the last row of the page before.

        Returns
        -------
        list of dict
            seq, at (UTC), by, analyst (None: a direct caller), event, release_id, request_id, epsilon, details,
            epsilon_spent after it. Public facts, but for one: from a debit to its answer is as long as the draw took,
            which may follow private edges. An exact read is there without its result.
        """
        with self._session(reading=True) as session:
            return cast(list[LogRow], history.log(session, _named(name, account), limit, since))

    def head(self, name: str, account: AccountName = "edges") -> str:
        """Return the head of a graph's log, ``SEQ:HASH``: kept elsewhere, it shows an older or changed log."""
        with self._session(reading=True) as session:
            found = str(history.head(session, _named(name, account)))
            self._remembered.look(session, [_named(name, account)])
            return found

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
            {"graph": None, "problem": text} for text in (self._backend.problems() if name is None else [])
        ]
        with self._session() as session:
            if name is not None:
                row = row_named(session, account_of(name, "edges"))
                debited = row.ledgers if row is not None and row.readable else ()
                own = (account_of(name, "edges"), account_of(name, "attributes"), *debited)
                names = [each for each in consistency.names(session) if each in own]
                if not names:
                    raise ledger.unknown(name)
            else:
                names = [each for each in consistency.names(session) if each != PEOPLE]
                found += [{"graph": None, "problem": text} for text in people_log.problems(session)]
            for each in names:
                graph, account = split_account(each)
                told = "" if account == "edges" else f"{account}: "
                problems = consistency.problems(session, each)
                found += [{"graph": graph, "problem": f"{told}{text}"} for text in problems]
        return found

    def backup(self, destination: str | Path) -> dict[str, str]:
        """Copy an embedded store while it is in use.

        Returns
        -------
        dict
            The head of each graph's log, which the copy has.
        """
        with self._session() as session:
            self._remembered.look(session, self._remembered.names())
            return self._backend.backup(expanded(destination, "the destination"))


def _named(name: str, account: AccountName) -> str:
    """Return an account's name in the ledger."""
    return account_of(name, check_choice(account, "account", ACCOUNTS))
