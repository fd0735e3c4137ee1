"""Taking a share away: who had it sees the graph no more, and what was spent stays spent."""

from __future__ import annotations

from collections.abc import Iterable

from edgedp.ledger import events, ledger, shares
from edgedp.ledger.account import account_of
from edgedp.ledger.backend import Session
from edgedp.ledger.rows import row_named
from edgedp.ledger.script import Script, Step, run
from edgedp.mechanisms import checks
from edgedp.stores.people.curating import NOT_CURATOR
from edgedp.stores.people.identities import IdentityStore
from edgedp.words.errors import UnknownNameError
from edgedp.words.vocabulary import ACCOUNTS, AccountName


class RevokingStore(IdentityStore):
    """People, and the shares that end."""

    def revoke_share(self, graph: str, analyst: str) -> None:
        """Take an analyst's shares of all accounts of a graph away: the analyst sees the graph no more.

        What was spent stays spent: where a share is granted again, it counts. The analyst's own releases can still be
        read one by one and in the list of all. A share of a relationship type's account goes for every graph that
        debits it.

        Raises
        ------
        UnknownNameError
            The analyst has no share of the graph.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from edgedp import Graph, open_store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
        ...     _ = store.add_analyst("ann"), store.grant("path", "ann", epsilon_budget=0.5)
        ...     store.revoke_share("path", "ann")
        ...     store.asking_as("ann").graphs()
        []
        """
        checks.check_text(analyst, "analyst")
        with self._session() as session:
            ledger.find(session, account_of(graph, "edges"))
            by, at = self._by(session), ledger.now()
            locks, ends = [], []
            for account in ACCOUNTS:
                for owner in owners_of(session, graph, account):
                    if shares.find(session, owner, analyst, account) is None:
                        continue
                    key = {"name": account_of(owner, account), "analyst": analyst, "account": account}
                    locks += [
                        Step("account_lock", {"name": key["name"]}, on_none="unknown"),
                        Step("account_adds_up", {"name": key["name"]}, on_none="broken"),
                        Step("share_find", key, on_none="share"),
                    ]
                    body = {"analyst": analyst, "account": account}
                    ends.append(Step("share_end", key))
                    ends += events.event_steps(key["name"], "revoke", body, by=by, at=at)
            if not ends:
                raise no_share(graph, analyst)
            outcome = run(session, script := Script([*self._allowed(), *locks, *ends]))
        if outcome.name == NOT_CURATOR:
            raise self._no_curator()
        if outcome.name != script.done:
            raise ledger.curator_refusal(outcome.name, graph)


def spent_before(session: Session, accounts: Iterable[str], analyst: str) -> bool:
    """Whether an analyst spent anything of some accounts, by their logs."""
    rows = (row for account in accounts for row in session.run("log_list", name=account))
    return any(row.get("analyst") == analyst and row.get("charge") for row in rows)


def no_share(graph: str, analyst: str) -> UnknownNameError:
    """Return the refusal where an analyst has no share."""
    return UnknownNameError(f"the analyst {analyst!r} has no share of {graph!r}; see 'edgedp grants {graph}'")


def owners_of(session: Session, graph: str, account: AccountName) -> tuple[str, ...]:
    """Return whose accounts of a kind a release of a graph debits: of its edges those of its types."""
    account_of(graph, account)  # refuses what is no graph's name
    row = row_named(session, graph) if account == shares.EDGES else None
    return (graph,) if row is None else row.ledgers
