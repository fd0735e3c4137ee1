"""An opened store: its backend, its sessions and how a stored graph is read."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from edgedp.ledger import events, ledger, listing, registry
from edgedp.ledger.backend import Backend, Session
from edgedp.ledger.calendars.columns import has_dates_of
from edgedp.ledger.log import heads
from edgedp.ledger.log.remembered import Remembered
from edgedp.ledger.rows import GraphRow
from edgedp.mechanisms.projection import CandidateProjection, GraphProjection, records_projection
from edgedp.release.plan import ParetoPlan, PercentilePlan
from edgedp.stores.releases.memory import DEFAULT_BYTES, GraphMemory
from edgedp.stores.statements.projecting import candidate_positions
from edgedp.words.errors import EdgeDPError, EngineError, ParameterError, StoreError
from edgedp.words.refusals import STORE_FAILED
from edgedp.words.shown import shown

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.release.conditions import Condition
    from edgedp.release.plan import Plan
    from edgedp.words.dates.calendar import Span


_log = logging.getLogger("edgedp.stores")


class _Checked(NamedTuple):
    """What was compared with heads: with which files of them, and whether every row of their logs was read."""

    stamp: object
    whole: bool


class OpenedStore:
    """A backend, the graphs kept in memory between questions, and the heads that were kept elsewhere."""

    _curator: str | None = None
    """For whom a gateway acts: see `edgedp.stores.people.people.PeopleStore.curating_as`."""

    def __init__(
        self, backend: Backend, *, graph_memory: int = DEFAULT_BYTES, head: str | None = None
    ) -> None:
        if isinstance(backend, (str, PathLike)):
            raise ParameterError(
                "backend is a path, must be a backend; open a store with edgedp.open_store(path)"
            )
        self._backend = backend
        self._memory = GraphMemory(graph_memory)
        self._remembered = Remembered()
        self._checked: _Checked | None = None
        self._head_option = head
        self._open = threading.local()

    @property
    def address(self) -> str | None:
        """The address of the gateway that answers for this store; None where it is opened itself."""
        return None

    def close(self) -> None:
        """Let go of connections."""
        self._backend.close()

    def __repr__(self) -> str:
        return f"<Store: {shown(self._place)}>"

    def _repr_html_(self) -> str:
        """Return a table of the stored graphs: public facts."""
        from edgedp.words.notebook import facts_html, rows_html

        try:
            rows = self._listed()
        except EdgeDPError as error:
            return facts_html({"edgedp.Store": self._place, "": str(error)})
        columns = ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent"]
        return rows_html(f"edgedp.Store {self._place}", columns, rows)

    @property
    def _place(self) -> str:
        """Where it is, without a password."""
        return self._backend.place_shown

    def _listed(self) -> Sequence[Mapping[str, Any]]:
        """Return the public facts of every graph."""
        with self._session(reading=True) as session:
            return listing.listing(session)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _session(self, *, create: bool = False, reading: bool = False) -> Iterator[Session]:
        """Open a session, or take what `together` holds; the first one checks the heads that were kept elsewhere.

        Parameters
        ----------
        reading : bool
            Nothing is written or drawn in it, so that the rows that the heads name are enough. Before anything else
            every row of their logs is read, once.
        """
        held: Session | None = getattr(self._open, "session", None)
        if held is not None:
            if not reading:
                self._check_heads(held, whole=True)
            yield held
            return
        with self._backend.session(create=create) as session:
            self._check_heads(session, whole=not reading)
            yield session

    def _check_heads(self, session: Session, *, whole: bool) -> None:
        """Compare the store with the heads that were kept, at first and whenever a file of them changes."""
        stamp = heads.stamp(self._head_option, self._backend.head_files)
        checked = self._checked
        if checked is not None and checked.stamp == stamp and (checked.whole or not whole):
            return
        found = [*heads.parse(self._backend.heads() or ""), *heads.given(self._head_option)]
        heads.furthest(found)  # two of one entry are refused
        self._checked = _Checked(stamp, heads.check(session, found, whole=whole))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Answer the questions that this thread asks meanwhile from one opening of the store.

        For what is only read: the opening is held as long as the block takes. It may stand within another.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from edgedp import Graph, open_store
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
        ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
        ...     with store.together():
        ...         len(store.graphs()), store.budget("path")["epsilon_remaining"]
        (1, 1.0)
        """
        held: Session | None = getattr(self._open, "session", None)
        with self._session(reading=True) as session:
            self._open.session = session
            try:
                yield
            finally:
                self._open.session = held

    def _read(
        self, session: Session, row: GraphRow, span: Span | None = None, where: Sequence[Condition] = ()
    ) -> Graph:
        """Return a version's graph, or that of some windows, or rows; that at an address as it is now."""
        if where:
            return session.filtered(row, where, span)
        if row.at_address:
            from edgedp.stores.releases.at_address import read

            if span is not None and not has_dates_of(row, span.calendar):
                raise StoreError(STORE_FAILED)  # it would be everything at the price of a window
            return read(row, self._memory, span)
        if not (row.loaded and self._backend.keeps_versions):
            return session.graph(row, span)
        graph = self._memory.get(row, span)
        if graph is None:
            graph = session.graph(row, span)
            self._memory.put(row, graph, span)
        return graph

    def warm(self) -> None:
        """Read every graph that memory may keep, so that no release waits for it, and remember every ledger's end.

        Privacy: nothing is shown.
        """
        with self._session() as session:
            for account in session.run("account_list"):
                with suppress(StoreError):  # a broken account releases nothing itself, and hinders no other
                    self._remembered.look(session, [account["name"]])
            for stored in session.run("graph_places"):
                rows = session.run("graph_find", name=stored["name"])
                if rows:
                    row = registry.row_of(rows[0])
                    if row.loaded and self._backend.keeps_versions:
                        self._read(session, row)

    def _project(self, session: Session, row: GraphRow, engine: str) -> NumberProjection:
        return self._backend.projection(row) if engine == "cypher" else self._whole(session, row, engine)

    def _whole(
        self,
        session: Session,
        row: GraphRow,
        engine: str,
        secret: str | None = None,
        span: Span | None = None,
        where: Sequence[Condition] = (),
    ) -> GraphProjection:
        """Read a graph, or some windows or rows of it; where only candidates are counted, what is theirs."""
        graph = self._read(session, row, span, where)
        if row.facts.candidates is None:
            return GraphProjection(graph, engine, secret=secret)
        return CandidateProjection(
            graph, candidate_positions(graph.node_ids, session.candidates(row)), engine
        )

    def _projected(self, session: Session, row: GraphRow, planned: Plan, engine: str) -> GraphProjection:
        """Read what a plan rests on: the edges, or the nodes' records and no edge."""
        if not isinstance(planned, PercentilePlan):
            # The one plan whose draw keeps something between releases, under the graph's fingerprint.
            keyed = registry.secret(session) if isinstance(planned, ParetoPlan) else None
            return self._whole(session, row, engine, keyed, planned.facts.span, planned.facts.where)
        values = session.records(row, planned.of_property)
        return records_projection({planned.of_property: values}, len(values))

    def _by(self, session: Session) -> str:
        """Return who acts, for the log: the store's user, for the curator whom a gateway has identified."""
        if self._curator is None:
            return session.by
        return " for ".join(filter(None, (session.by, f"curator {self._curator}")))

    def _note_exact(self, session: Session, name: str, what: Mapping[str, Any]) -> None:
        """Log an exact read before it is made; its result is never there."""
        if not session.writable:
            return
        script = events.event_script(name, "exact", what, by=self._by(session), at=ledger.now())
        ledger.carry_out(session, script, name)
        _log.info("noted an exact read of %s", shown(name))

    def _check_said(self, engine: str, row: GraphRow) -> None:
        """Refuse the engine ``cypher`` where its statements do not say which relationships make an edge."""
        if engine == "cypher" and row.at_address:
            raise EngineError(
                "engine is 'cypher', must be 'native' or 'igraph' for edges at an address; choose another"
            )
        made = row.projection
        if row.of is not None and engine == "cypher":
            raise EngineError(
                "engine is 'cypher', must be 'native' or 'igraph' for a graph of another one's rows; choose another"
            )
        if engine == "cypher" and made is not None and (not made.each_joins or made.candidates is not None):
            raise EngineError(
                "engine is 'cypher', must be 'native' or 'igraph' where both directions, a filter or a number of "
                "relationships make an edge, or candidates are ranked; choose another"
            )

    def _check_engine(self, engine: str, needs: set[str]) -> None:
        """Refuse what the store's Cypher cannot do in reasonable time."""
        missing = sorted(needs - self._backend.cypher) if engine == "cypher" else []
        if missing:
            raise EngineError(
                f"engine is 'cypher', must be 'native' or 'igraph' for {', '.join(missing)} in this store; "
                "its Cypher does not do it in reasonable time"
            )


def nodes_named(session: Session, row: GraphRow, ids: list[Any]) -> list[Any]:
    """Return those of some ids that are nodes of a graph, which are public; no edge is read."""
    if row.at_address:
        from edgedp.stores.releases import at_address

        return at_address.nodes_named(row, ids)
    return session.nodes_named(row, ids)
