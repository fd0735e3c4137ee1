"""Accounts by themselves: of a relationship type, of the name of a loaded graph, or of an address."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from edgedp.ledger import events, ledger, sources
from edgedp.ledger.account import Account
from edgedp.ledger.events import Declaration, check_delta, declaration
from edgedp.mechanisms import checks
from edgedp.stores.calendars import declared_calendar
from edgedp.stores.releases.opened import OpenedStore
from edgedp.words.shown import shown

if TYPE_CHECKING:
    from edgedp.ledger.backend import Session
    from edgedp.words.vocabulary import Unit

_log = logging.getLogger("edgedp.stores")


class AccountStore(OpenedStore):
    """What a curator declares of accounts, whatever graphs read them."""

    def account(
        self,
        name: str,
        epsilon_budget: Any = None,
        protect: Unit | None = None,
        *,
        within: int | str | None = None,
        dates: Mapping[str, Any] | None = None,
        delta: Any = None,
        max_epsilon_per_release: Any = None,
    ) -> dict[str, Any]:
        """Declare the account of a relationship type or of a name, or show it where nothing is declared.

        An account outlives graphs. A release of a graph of several relationship types debits the account of each of
        them, all or none; several graphs over one type share its account.

        Parameters
        ----------
        name : str
            A relationship type (Neo4j), the name of a loaded graph, or that of an account. One that has no account yet
            gets one.
        epsilon_budget, delta, max_epsilon_per_release
            As of `load`; a budget is not below what was spent.
        protect : {"pair", "source", "target"}, optional
            What a release protects at its epsilon. It stays once a release was paid, and while a graph reads it.

        within : int or str, optional
            Of a calendar: within how many consecutive windows, or how long a time, the budget bounds what is lost.
        dates : mapping, optional
            The calendar of relationships whose property holds their date (docs/windows.md): ``property``; its ``type``,
            one of ZONED DATETIME, LOCAL DATETIME, DATE and INTEGER, the last with a ``unit`` of s or ms; ``from`` and
            ``period``; ``grace``; and ``are``, which is ``"final"``: **Promise:** no date ever changes. Frozen by the
            first release.

        Returns
        -------
        dict
            account (its name in the ledger), relationship_types, epsilon_budget, epsilon_spent, epsilon_remaining,
            protect and delta where they are not the default, and graphs: the names that read it.

        Raises
        ------
        BudgetError
            More was spent, or releases were paid that protect another unit.
        UnknownNameError
            Nothing is declared, and there is no such account.

        Examples
        --------
        >>> import tempfile, edgedp
        >>> with tempfile.TemporaryDirectory() as folder, edgedp.open_store(f"{folder}/store") as store:
        ...     _ = store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=1)
        ...     told = store.account("path", epsilon_budget=2)
        >>> told["epsilon_budget"], told["graphs"]
        (2.0, ['path'])
        """
        declared = declaration(
            epsilon_budget, delta, max_epsilon_per_release, zero=True, protect=protect,
            calendar=declared_calendar(dates, within),
        )  # fmt: skip
        nothing = declared == Declaration()
        with self._session(create=not nothing) as session:
            if not nothing:
                self._backend.settle(session)
            named, kind, row = self._named(session, checks.check_text(name, "name"))
            if row is None and nothing:
                raise ledger.unknown(name)
            readers = sources.readers(session, named)
            if not nothing:
                for nodes in [each.node_count for each in readers] or [0]:
                    check_delta(declared.delta, nodes)
                held = None if row is None else Account.of(row)
                script = events.account_script(
                    named, kind, held, declared, [each.name for each in readers],
                    by=self._by(session), at=ledger.now(),
                )  # fmt: skip
                ledger.carry_out(session, script, named)
                _log.info("declared the account %s", shown(named))
            told = session.run("account_find", name=named)[0]
            return sources.told_account(told, [each.name for each in readers])

    def accounts(self) -> list[dict[str, Any]]:
        """Return every account as `account` shows it; public facts."""
        with self._session(reading=True) as session:
            graphs = sources.stored(session)
            rows = [row for row in session.run("account_list") if sources.is_account(row, graphs)]
            return [
                sources.told_account(row, [each.name for each in graphs if row["name"] in each.ledgers])
                for row in rows
            ]

    def _named(self, session: Session, name: str) -> tuple[str, str | None, Mapping[str, Any] | None]:
        """Return the ledger of an account, the type that it is opened for, and its row where it is there."""
        rows = {each: session.run(each) for each in sources.READS}
        return sources.account_named(name, rows, sources.stored(session), of_types=self._backend.has_types)
