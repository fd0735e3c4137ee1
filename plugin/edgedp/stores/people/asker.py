"""The store as one analyst sees it: releases out of a share, public facts, and what the analyst released."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from edgedp.ledger import ledger, registry, shares
from edgedp.ledger.account import account_of
from edgedp.ledger.backend import Session
from edgedp.ledger.debits.question import asked_before
from edgedp.ledger.pairs import rows_projection
from edgedp.ledger.rows import GraphRow
from edgedp.ledger.script import Step, run
from edgedp.release.plan import Plan
from edgedp.stores.people import more, plan_ids
from edgedp.stores.people.curating import CuratingStore
from edgedp.stores.people.seeing import SeeingStore
from edgedp.stores.registering import rows_asked, write_rows_graph
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import (
    AccessError,
    LostReleaseError,
    ParameterError,
    StoreStateError,
    UnknownNameError,
)
from edgedp.words.rows import GraphFacts
from edgedp.words.vocabulary import AccountName, ReleaseEngine

_MOST_FILTERS = 100


class Asker(SeeingStore):
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
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Tell what `Store.estimate` does; with a request id also ``plan_id`` and for how many seconds it holds.

        There is none where the release would be refused, or is there already.
        """
        with self._session(reading=True) as session:
            told, share = self._estimated(session, session, name, kind, engine, request_id, options)
            shown = told.to_dict() | ({} if share is None else {"share": share.shown()})
            if request_id is None or told.refused is not None or told.kept:
                return shown
            if told.row is None or told.planned is None:
                raise AssertionError("what is not refused was planned for a graph")
            secret = registry.secret(session)
        plan_id = plan_ids.made(secret, self._analyst, told.row, told.planned, request_id)
        return shown | {"plan_id": plan_id, "plan_seconds": plan_ids.SECONDS}

    @contextmanager
    def _session(self, *, create: bool = False, reading: bool = False) -> Iterator[Session]:
        with self._store._session(create=create, reading=reading) as session:
            yield session

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
            self._check_filters(session, of)
            analysts = {row["name"] for row in session.run("person_list") if row["role"] == shares.ANALYST}
            names = {row["name"] for row in session.run("graph_places")}
            there = [each for each in names if _owner(each, analysts) == self._analyst]
            if len(there) >= _MOST_FILTERS:
                raise ParameterError(
                    f"{len(there)} graphs are registered under {prefix!r}, must be {_MOST_FILTERS} at most; ask the "
                    "curator to drop some"
                )
            self._row_of_graph(session, of)
            if name in names or _owner(name, analysts) != self._analyst:
                raise StoreStateError(f"the name {name!r} is taken; choose another")
            row, own = rows_asked(self._backend, session, name, made)
            key = {"name": of, "analyst": self._analyst, "account": shares.EDGES}
            guards = [
                Step("person_active", {"name": self._analyst, "role": shares.ANALYST}, on_none="changed"),
                Step("share_find", key, on_none="changed"),
            ]
            by = f"{session.by} for analyst {self._analyst}"
            write_rows_graph(session, row, own, by=by, guards=guards)
        for each in self.graphs():
            if each["name"] == name:
                return each
        raise UnknownNameError(f"the graph is {name!r}, whose share was taken away; ask the curator for one")

    def _check_filters(self, session: Session, of: str) -> None:
        """Refuse conditions of the analyst's own where the share of a loaded graph does not allow them."""
        share = shares.find(session, of, self._analyst)
        if share is None or not share.filters:
            raise AccessError(
                f"your share of {of!r} does not allow conditions of your own; ask the curator, who allows them "
                f"with 'edgedp grant {of} {self._analyst} --epsilon-budget E --filters'"
            )

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

    def _prepare(self, session: Session, row: GraphRow, planned: Plan, engine: ReleaseEngine) -> None:
        if planned.facts.where:
            self._check_filters(session, (row.of or row).name)
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
        found = None if request_id is None else asked_before(session, row.name, self._analyst, request_id)
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


def _owner(name: str, analysts: Collection[str]) -> str | None:
    """Return the analyst whose graph of rows a name is: the longest name before one of its full stops.

    Examples
    --------
    >>> _owner("ann.b.mine", {"ann", "ann.b"}), _owner("ann.large.2024", {"ann"}), _owner("payments", {"ann"})
    ('ann.b', 'ann', None)
    """
    parts = name.split(".")
    before = (".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
    return next((each for each in before if each in analysts), None)
