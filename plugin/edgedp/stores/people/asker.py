"""The store as one analyst sees it: releases out of a share, public facts, and what the analyst released."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, cast

from edgedp.ledger import attributes, ledger, registry, shares
from edgedp.ledger.account import account_of, split_account
from edgedp.ledger.backend import GraphRow, Row, Session
from edgedp.ledger.chain import body_of
from edgedp.ledger.debits.question import asked_before
from edgedp.ledger.log import history, pages
from edgedp.ledger.pairs import rows_projection
from edgedp.ledger.script import Step, run
from edgedp.mechanisms.checks import check_limit, nearest
from edgedp.mechanisms.selection.domains import Domain
from edgedp.release.plan import Plan
from edgedp.stores.people import more, plan_ids, seeing
from edgedp.stores.people.curating import CuratingStore
from edgedp.stores.registering import rows_asked, write_rows_graph
from edgedp.stores.releases.analyst import AnalystStore
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import AccessError, LostReleaseError, ParameterError, UnknownNameError
from edgedp.words.rows import Balance, GraphFacts, ReleaseRow
from edgedp.words.vocabulary import ACCOUNTS, AccountName, TopKEngine

__all__ = ["Asker"]

_MOST_FILTERS = 100


class Asker(AnalystStore):
    """An analyst's view of a store; made by `Store.asking_as`.

    Every release debits the analyst's share and the graph's account in one transaction. It holds nothing of its own:
    the store's connections and graphs in memory are shared, and closing the view closes nothing.

    Parameters
    ----------
    store : PeopleStore
    analyst : str
        Checked at every call, so that a revocation holds at once.
    hides : callable, optional
        Whether a release, by its id, is still shown as being drawn, whatever became of it.
    debited : callable, optional
        Told the id of a release that was debited, before it is drawn.
    admits : callable, optional
        Called right before a debit; raises where it may not be made any more.
    least : callable, optional
        Nano-epsilon that a release of a graph, by its name, costs at least. Drawing takes as long whatever it costs,
        so that one who asked for next to nothing could keep a gateway busy for ever.
    plan_id : str, optional
        Of the plan that told what the release costs, which `estimate` gives; see `planned`.
    needs_plan : bool
        Whether every release must name its plan; one out of an agent's share must anyway.
    """

    def __init__(
        self,
        store: CuratingStore,
        analyst: str,
        hides: Callable[[str], bool] | None = None,
        debited: Callable[[str], None] | None = None,
        admits: Callable[[], None] | None = None,
        least: Callable[[str], int] = lambda name: 1,
        plan_id: str | None = None,
        needs_plan: bool = False,
    ) -> None:
        self._store = store
        self._backend = store._backend
        self._memory = store._memory
        self._remembered = store._remembered
        self._open = store._open
        self._analyst = analyst
        self._hides = hides
        self._ends_leases = hides is None
        self._debited = debited
        self._admits = admits
        self._least = least
        self._plan_id = plan_id
        self._needs_plan = needs_plan

    @property
    def analyst(self) -> str:
        """Who asks."""
        return self._analyst

    def close(self) -> None:
        """Do nothing: the store stays open."""

    def planned(self, plan_id: str) -> Self:
        """Return this view for the release of which `estimate`, under the same request id, gave the plan id.

        Nothing is spent if the release is another one, costs something else, or the plan has lapsed.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from edgedp import Graph, open_store
        >>> asked = {"metric": "degree", "k": 1, "epsilon": "0.1"}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
        ...     _ = store.add_analyst("bot"), store.grant("path", "bot", epsilon_budget=1, agent=True)
        ...     bot = store.asking_as("bot")
        ...     told = bot.estimate("path", "topk", request_id="monday", **asked)
        ...     release = bot.planned(told["plan_id"]).priv_top_k("path", request_id="monday", **asked)
        >>> told["epsilon"], release.epsilon_spent
        (0.1, 0.1)
        """
        view = copy.copy(self)
        view._plan_id = plan_id
        return view

    def estimate(
        self,
        name: str,
        kind: str | None = None,
        *,
        engine: TopKEngine = "native",
        request_id: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Tell what `Store.estimate` does; with a request id also ``plan_id`` and for how many seconds it holds.

        There is none where the release would be refused, or is there already.
        """
        with self._session(reading=True) as session:
            told, share = self._estimated(session, session, name, kind, engine, request_id, options)
            shown = told.to_dict() | ({} if share is None else {"share": share.shown()})
            if request_id is None or told.planned is None or told.refused is not None or told.kept:
                return shown
            row = self._row_of_graph(session, told.graph)
            secret = registry.secret(session)
        plan_id = plan_ids.made(secret, self._analyst, row, told.planned, request_id)
        return shown | {"plan_id": plan_id, "plan_seconds": plan_ids.SECONDS}

    @contextmanager
    def _session(self, *, create: bool = False, reading: bool = False) -> Iterator[Session]:
        with self._store._session(create=create, reading=reading) as session:
            yield session

    def graphs(self) -> list[GraphFacts]:
        """Return the public facts of every graph that the analyst has a share of, as `Store.graphs`, with that share.

        Nothing of another graph is told, and neither is that it exists: a share is the right to see a graph.
        """
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            own = {
                (split_account(row["name"])[0], row["account"]): shares.listed(row)
                for row in session.run("share_own", analyst=self._analyst)
            }
            shown = [
                seeing.beside(row["name"], row, seeing.least(row, own), own.get((row["name"], "attributes")))
                for row in registry.listing(session)
            ]
            return cast(list[GraphFacts], [row for row in shown if seeing.granted(row)])

    def budget(self, name: str) -> Balance:
        """Return what `Store.budget` does, with the analyst's ``share`` (or None); ``notice`` where little is left."""
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            self._check_sees(session, name)
            row = registry.find(session, account_of(name, "edges"))
            ledgers = None if row is None or row.accounts is None else row.ledgers
            own = shares.of_analyst(session, name, self._analyst, ledgers) or {}
            edges, records = (own[each].shown() if each in own else None for each in ACCOUNTS)
            return cast(Balance, seeing.beside(name, history.balance(session, name), edges, records))

    def domains(self, name: str) -> dict[str, Domain]:
        """Return the declared properties of a graph's nodes: public facts."""
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            self._check_sees(session, name)
            return attributes.declared(session, account_of(name, "edges"))

    def attributes(self, name: str) -> list[dict[str, Any]]:
        """Return the declared properties of a graph's nodes, as `Store.attributes`: public facts."""
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            self._check_sees(session, name)
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
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
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
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            rows = self._all_seen(session, session.run("release_find", releaseId=release_id))
        if not rows or rows[0]["analyst"] != self._analyst or "part_of" in body_of(rows[0]):
            raise UnknownNameError(
                f"the release is {release_id!r}, must be one of your own; see the list of your releases"
            )
        return _shown(rows[0])

    def register(
        self,
        name: str,
        *,
        of: str,
        orientation: str = "undirected",
        where: Mapping[str, Any] | None = None,
        at_least: int = 1,
        candidates: str | None = None,
    ) -> GraphFacts:
        """Register a graph of a loaded one's rows, by conditions of the analyst's own, where a share allows filters.

        No row is read. Its releases debit the account of the loaded graph, and the share of it, as every other.

        Parameters
        ----------
        name : str
            The analyst's name and a full stop before it: ``ann.large`` of ann.
        of, orientation, where, at_least, candidates
            As for `Store.register`. The constants are public.

        Raises
        ------
        AccessError
            The share does not allow filters.
        """
        prefix = f"{self._analyst}."
        if not isinstance(name, str) or not name.startswith(prefix) or name == prefix:
            raise ParameterError(
                f"name is {name!r}, must begin with {prefix!r} and go on; choose such a name"
            )
        made = rows_projection(of, orientation, where, at_least, candidates)
        with self._session() as session:
            shares.check_active(session, self._analyst)
            self._check_sees(session, of)
            share = shares.find(session, of, self._analyst)
            if share is None or not share.filters:
                raise AccessError(
                    f"your share of {of!r} does not allow conditions of your own; ask the curator, who allows them "
                    f"with 'edgedp grant {of} {self._analyst} --epsilon-budget E --filters'"
                )
            there = [row for row in session.run("graph_places") if row["name"].startswith(prefix)]
            if len(there) >= _MOST_FILTERS:
                raise ParameterError(
                    f"{len(there)} graphs are registered under {prefix!r}, must be {_MOST_FILTERS} at most; ask the "
                    "curator to drop some"
                )
            self._row_of_graph(session, of)
            row, own = rows_asked(self._backend, session, name, made)
            key = {"name": of, "analyst": self._analyst, "account": shares.EDGES}
            guards = [
                Step("person_active", {"name": self._analyst, "role": shares.ANALYST}, on_none="changed"),
                Step("share_find", key, on_none="changed"),
            ]
            by = f"{session.by} for analyst {self._analyst}"
            write_rows_graph(session, row, own, by=by, guards=guards)
        return next(each for each in self.graphs() if each["name"] == name)

    def ask_more(
        self, name: str, epsilon: Any, reason: str, account: AccountName = shares.EDGES
    ) -> dict[str, Any]:
        """Ask the curator for a larger share of a graph; what comes of it is in `asked_more`.

        Parameters
        ----------
        epsilon : number or decimal text
            How much more.
        reason : str
            A sentence for the curator, of at most 1,000 characters.
        account : {"edges", "attributes"}

        Returns
        -------
        dict
            As of `asked_more`.

        Raises
        ------
        StoreStateError
            The last question about this share is not answered yet.
        """
        with self._session() as session:
            shares.check_active(session, self._analyst)
            self._check_sees(session, name)
            state = self._store._people
            return more.asked(session, state, self._analyst, name, epsilon, reason, account).shown()

    def asked_more(self, graph: str | None = None) -> list[dict[str, Any]]:
        """Return what the analyst asked for more of, oldest first, and what the curator answered."""
        with self._session(reading=True) as session:
            shares.check_active(session, self._analyst)
            found = self._store._people(session).asked
        return [
            each.shown() for each in found if each.analyst == self._analyst and graph in (None, each.graph)
        ]

    def _check_sees(self, session: Session, name: str) -> None:
        """Refuse a graph that the analyst has no share of exactly as one that there is not.

        Everything that is read and compared for it is the same for both, so that neither the sentence nor the time of
        the answer tells which of the two it is.
        """
        own = session.run("share_own", analyst=self._analyst)
        seen = seeing.names(session.run("graph_list"), own)
        if not isinstance(name, str) or name not in seen:
            remedy = nearest(str(name), seen) if seen else "ask the curator for one"
            raise UnknownNameError(f"the graph is {name!r}, must be one that you have a share of; {remedy}")

    def _row_of_graph(self, session: Session, name: str) -> GraphRow:
        """Return the row of a graph that the analyst sees; it may be gone, as no share goes with a graph."""

        def seen() -> set[str]:
            graphs = session.run("graph_list")
            own = session.run("share_own", analyst=self._analyst)
            return seeing.names(graphs, own) & {row["name"] for row in graphs}

        return registry.known(session, name, anywhere=True, among=seen)

    def _prepare(self, session: Session, row: GraphRow, planned: Plan, engine: TopKEngine) -> None:
        # What is drawn first costs the least, so that is what keeps the gateway from drawing for next to nothing.
        least = self._least(row.name) * (1 if planned.first == planned.charges else 64)
        if planned.cost < least:
            raise ParameterError(
                f"epsilon is {format_nano(planned.cost)}, must be at least {format_nano(least)} at this gateway; "
                "give a larger one"
            )
        super()._prepare(session, row, planned, engine)

    def _debit(
        self, session: Session, row: GraphRow, planned: Plan, request_id: str | None
    ) -> ledger.Debit | ledger.Kept:
        if self._admits is not None:
            self._admits()
        self._check_planned(session, row, planned, request_id)
        try:
            debited = super()._debit(session, row, planned, request_id)
        except LostReleaseError:
            debited = None
        if isinstance(debited, ledger.Debit):
            if self._debited is not None:
                self._debited(debited.release_id)
            return debited
        # Somebody else debited the same request meanwhile.
        found = asked_before(session, row.name, self._analyst, request_id)
        return ledger.kept_of(self._seen(found or {}), str(request_id))

    def _check_planned(self, session: Session, row: GraphRow, planned: Plan, request_id: str | None) -> None:
        """Refuse a release whose cost was not told, where it must have been, or was told otherwise."""
        if self._plan_id is not None:
            plan_ids.check(self._plan_id, registry.secret(session), self._analyst, row, planned, request_id)
        elif self._needs_plan or self._is_agent(session, row, planned):
            raise plan_ids.missing()

    def _is_agent(self, session: Session, row: GraphRow, planned: Plan) -> bool:
        """Return whether a share that a release debits is an agent's, of whatever account of the graph."""
        owned = {
            charge.account: row.ledgers if charge.account == "edges" else (row.name,)
            for charge in planned.charges
        }
        found = [
            shares.find(session, name, self._analyst, account)
            for account, names in owned.items()
            for name in names
        ]
        return any(share is not None and share.of_agent for share in found)

    def _debit_step(
        self, session: Session, row: GraphRow, planned: Plan, cost: int, before: int, release_id: str
    ) -> ledger.Debit | None:
        if self._admits is not None:
            try:
                self._admits()
            except Exception:  # whatever ends the caller's right to ask: what is paid for stands
                return None
        return super()._debit_step(session, row, planned, cost, before, release_id)

    def land(self, name: str, release_id: str) -> None:
        """Let a release be seen through every gateway: its answer leaves, or its refusal."""
        with self._session() as session:
            run(session, ledger.lease_end_script(account_of(name, "edges"), release_id))

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
