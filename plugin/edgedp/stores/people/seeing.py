"""Which graphs an analyst sees, and what stands beside their public amounts: a share is the right to see a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from edgedp.ledger import attributes, listing, registry, shares
from edgedp.ledger.account import account_of, split_account
from edgedp.ledger.backend import Row, Session
from edgedp.ledger.chain import body_of
from edgedp.ledger.log import history, pages
from edgedp.ledger.rows import GraphRow, accounts_of, row_named
from edgedp.mechanisms.checks import check_limit, nearest
from edgedp.mechanisms.selection.domains import Domain
from edgedp.stores.releases.analyst import AnalystStore
from edgedp.words.errors import UnknownNameError
from edgedp.words.rows import Balance, GraphFacts, ReleaseRow
from edgedp.words.vocabulary import ACCOUNTS, Kind, ReleaseEngine

if TYPE_CHECKING:
    from edgedp.stores.people.curating import CuratingStore


def least(row: Mapping[str, Any], own: Mapping[tuple[str, str], dict[str, Any]]) -> dict[str, Any] | None:
    """Return the share of a listed graph's edges: of several accounts the one of which the least is left."""
    found = [own.get((name, "edges")) for name in row.get("accounts", [row["name"]])]
    have = [share for share in found if share is not None]
    return min(have, key=lambda share: share["epsilon_remaining"] or 0) if len(have) == len(found) else None


def names(graphs: Sequence[Row], own: Sequence[Row]) -> set[str]:
    """Return the graphs that somebody may see: those of whose accounts there are shares, and those that had one."""
    held = {split_account(row["name"])[0] for row in own}
    edges = {row["name"] for row in own if row["account"] == "edges"}
    of_others = {row["name"]: accounts_of(row) for row in graphs}
    typed = {name for name, accounts in of_others.items() if accounts and edges.issuperset(accounts)}
    return held | typed


def granted(row: Mapping[str, Any]) -> bool:
    """Whether a listed graph has a share beside it."""
    return row["share"] is not None or row.get("attributes", {}).get("share") is not None


def beside(
    name: str, shown: dict[str, Any], edges: dict[str, Any] | None, records: dict[str, Any] | None
) -> dict[str, Any]:
    """Return public amounts with the analyst's share of each account, or None."""
    records_beside = {"attributes": shown["attributes"] | {"share": records}} if "attributes" in shown else {}
    told = [shares.running_low(share, name) for share in (edges, records) if share is not None]
    notice = {"notice": " ".join(filter(None, told))} if any(told) else {}
    return shown | records_beside | {"share": edges} | notice


class SeeingStore(AnalystStore):
    """What an analyst sees of a store: the graphs of which there is a share, and the analyst's own releases."""

    _store: CuratingStore
    _hides: Callable[[str], bool] | None

    @contextmanager
    def _looking(self, name: str | None = None) -> Iterator[Session]:
        """Open the store to read, for an analyst who may ask now and, where a graph is named, sees it."""
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            if name is not None:
                self._check_sees(session, name)
            yield session

    def graphs(self) -> list[GraphFacts]:
        """Return the public facts of every graph that the analyst has a share of, as `Store.graphs`, with that share.

        Nothing of another graph is told, and neither is that it exists: a share is the right to see a graph.
        """
        with self._looking() as session:
            own = {
                (split_account(row["name"])[0], row["account"]): shares.listed(row)
                for row in session.run("share_own", analyst=self._analyst)
            }
            shown = [
                beside(row["name"], row, least(row, own), own.get((row["name"], "attributes")))
                for row in listing.listing(session)
            ]
            return cast(list[GraphFacts], [row for row in shown if granted(row)])

    def budget(self, name: str) -> Balance:
        """Return what `Store.budget` does, with the analyst's ``share`` (or None); ``notice`` where little is left."""
        with self._looking(name) as session:
            row = row_named(session, account_of(name, "edges"))
            ledgers = None if row is None or row.accounts is None else row.ledgers
            own = shares.of_analyst(session, name, self._analyst, ledgers) or {}
            edges, records = (own[each].shown() if each in own else None for each in ACCOUNTS)
            return cast(Balance, beside(name, history.balance(session, name), edges, records))

    def domains(self, name: str) -> dict[str, Domain]:
        """Return the declared properties of a graph's nodes: public facts."""
        with self._looking(name) as session:
            return attributes.declared(session, account_of(name, "edges"))

    def attributes(self, name: str) -> list[dict[str, Any]]:
        """Return the declared properties of a graph's nodes, as `Store.attributes`: public facts."""
        with self._looking(name) as session:
            self._row_of_graph(session, name)
            return attributes.listed(attributes.declared(session, name))

    def releases(
        self, name: str | None = None, limit: int | None = None, since: str | int | None = None
    ) -> list[ReleaseRow]:
        """Return the analyst's own releases, of one graph or of all, in the order in which they were debited.

        Graph by graph in the order of their names, from the edges before those from the attributes; whatever clocks
        said.

        Parameters
        ----------
        name : str, optional
        limit : int, optional
            How many at most; default all. Only the rows of such a page are read.
        since : str, optional
            The ``release_id`` of the last release of the page before.

        Returns
        -------
        list of dict
            graph and request_id, and what `Store.releases` shows. Reading a release again costs nothing.
        """
        return self._listed_own(name, limit, since, back=False)

    def newest(self, limit: int, before: str | None = None) -> list[ReleaseRow]:
        """Return the analyst's own releases, graph by graph, of each the newest first; rows as of `releases`.

        Parameters
        ----------
        limit : int
        before : str, optional
            The ``release_id`` of the last release of the page before.
        """
        return self._listed_own(None, limit, before, back=True)

    def _listed_own(
        self, name: str | None, limit: Any, since: str | int | None, *, back: bool
    ) -> list[ReleaseRow]:
        most = check_limit(limit)
        with self._looking() as session:
            if name is None:
                names = pages.all_accounts(session)
            else:
                self._check_sees(session, name)
                names = pages.accounts_of(name)
            place = pages.start(session, since, names, self._analyst)
            rows = pages.own(session, self._analyst, names, place, most, back=back)
            return cast(list[ReleaseRow], [_shown(row) for row in self._all_seen(session, rows)])

    def release(self, release_id: str) -> dict[str, Any]:
        """Return one of the analyst's own releases.

        Raises
        ------
        UnknownNameError
            There is none, or it is somebody else's: which of the two is not said.
        """
        with self._looking() as session:
            found = session.run("release_find", releaseId=release_id) if isinstance(release_id, str) else []
            rows = self._all_seen(session, found)
        if not rows or rows[0]["analyst"] != self._analyst or "part_of" in body_of(rows[0]):
            raise UnknownNameError(
                f"the release is {release_id!r}, must be one of your own; see the list of your releases"
            )
        return _shown(rows[0])

    def asked_more(self, graph: str | None = None) -> list[dict[str, Any]]:
        """Return what the analyst asked for more of, oldest first, and what the curator answered."""
        with self._looking() as session:
            found = self._store._people(session).asked
        return [
            each.shown() for each in found if each.analyst == self._analyst and graph in (None, each.graph)
        ]

    def _asked_of(
        self, session: Session, name: str, engine: ReleaseEngine, kind: Kind, options: Mapping[str, Any]
    ) -> tuple[str, GraphRow | None]:
        shares.check_active(session, self._analyst)
        self._check_sees(session, name)
        return name, None

    def _check_sees(self, session: Session, name: str) -> None:
        """Refuse a graph that the analyst has no share of exactly as one that there is not.

        Everything that is read and compared for it is the same for both, so that neither the sentence nor the time of
        the answer tells which of the two it is.
        """
        own = session.run("share_own", analyst=self._analyst)
        seen = names(session.run("graph_list"), own)
        if not isinstance(name, str) or name not in seen:
            remedy = nearest(str(name), seen) if seen else "ask the curator for one"
            raise UnknownNameError(f"the graph is {name!r}, must be one that you have a share of; {remedy}")

    def _row_of_graph(self, session: Session, name: str, found: GraphRow | None = None) -> GraphRow:
        """Return the row of a graph that the analyst sees; it may be gone, as no share goes with a graph."""

        def seen() -> set[str]:
            graphs = session.run("graph_list")
            own = session.run("share_own", analyst=self._analyst)
            return names(graphs, own) & {row["name"] for row in graphs}

        return registry.known(session, name, found, anywhere=True, among=seen)

    def _all_seen(self, session: Session, rows: Sequence[Row]) -> list[Row]:
        """Return debits as they may be seen; leases are read after them, so an answer without one by now has left."""
        leased = {row["releaseId"] for row in session.run("lease_list")} if self._hides else set()
        return [self._seen(row | {"leaseAlive": row["releaseId"] in leased}) for row in rows]

    def _seen(self, row: Row) -> Row:
        """Return a debit's row as it may be seen: without what became of it, where that is hidden.

        A gateway hides what it draws itself, and what another one draws by its lease, which stands until the answer
        leaves.
        """
        if self._hides is None or not (self._hides(row["releaseId"]) or row.get("leaseAlive")):
            return row
        return row | {"answer": None, "leaseAlive": True}


def _shown(row: Row) -> dict[str, Any]:
    return {"graph": split_account(row["name"])[0], "request_id": row["requestId"]} | history.shown(row)
