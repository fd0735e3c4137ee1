"""What a database must offer to be a store: sessions, transactions, ingest and projection.

Adding a store is one module with a `Backend`. The ledger, the registry and the releases are written
once, over these few methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from edgedp.ledger.rows import GraphRow
from edgedp.ledger.script import Row, Runner, Step, Transacting, Transaction
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError

if TYPE_CHECKING:
    from edgedp.graph.columns import KeptRows
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading.origins import Origin
    from edgedp.graph.titles import Titles
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.release.conditions import Condition
    from edgedp.words.dates.calendar import Calendar, Span
    from edgedp.words.progress import Progress

__all__ = ["Backend", "Row", "Runner", "ServerPlugin", "Session", "Transaction", "half_a_character"]


def half_a_character() -> ParameterError:
    """Return the refusal of a text that no store can hold."""
    return ParameterError(
        "a text holds half of a character (a lone surrogate), which no store can keep; give whole ones"
    )


@dataclass(frozen=True)
class ServerPlugin:
    """What a running server says of its plugin.

    Attributes
    ----------
    version : str or None
        Version of the plugin; None where the server has none.
    worker, python : str or None
        Versions of edgedp and Python that its worker runs; None where no worker answers.
    problem : str or None
        Why no worker answers.
    """

    version: str | None
    worker: str | None = None
    python: str | None = None
    problem: str | None = None


class Session(Transacting):
    """An open connection to a store: its ledger, its registry and its graphs."""

    @abstractmethod
    def graph(self, row: GraphRow, span: Span | None = None) -> Graph:
        """Read a stored graph, or some windows of it; directions and parallels merge, self-loops drop."""

    def filtered(self, row: GraphRow, where: Sequence[Condition], span: Span | None = None) -> Graph:
        """Read the graph of those rows of a loaded graph, or of one made of its rows, that hold further conditions."""
        raise AssertionError(f"no graph of {type(self).__name__} has columns")

    def kept_rows(self, row: GraphRow) -> KeptRows:
        """Return the rows of a loaded graph with the columns that are kept of them."""
        raise AssertionError(f"no graph of {type(self).__name__} has columns")

    def moved_dates(self, row: GraphRow, graph: Graph, calendar: Calendar) -> int:
        """Return how many pairs of a loaded graph left a window and came into another, with the rows of a new one."""
        return 0

    def date_hints(self, row: GraphRow, calendar: Calendar | None) -> list[str]:
        """Return what would make windows of a registered graph quicker to read, each in a sentence."""
        return []

    def rows_by_date(self, row: GraphRow, calendar: Calendar | None = None) -> dict[str, int]:
        """Return how many rows are in no window and in one, ``undated`` and ``dated``: exact, for the curator."""
        raise StoreError(f"the graph {row.name!r} has no calendar, so no row of it has a window")

    @abstractmethod
    def records(self, row: GraphRow, name: str) -> NDArray[np.float64]:
        """Read the values of a property, one a node in any order; NaN for what is missing or no number."""

    @abstractmethod
    def properties(self, row: GraphRow, declared: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Read the nodes' properties as they are, in the order of the ids; for the curator.

        A store that does not know what is a property of a record, and what is not, reads the declared ones.
        """

    def titles(self, row: GraphRow, ids: list[Any]) -> list[str | None]:
        """Return the titles of some nodes of a graph that has titles; reads no edge."""
        raise AssertionError(f"no graph of {type(self).__name__} has titles")

    def origin(self, row: GraphRow) -> Origin | None:
        """Return where a loaded graph was read from; None where the store remembers nothing."""
        return None

    @abstractmethod
    def node_count(self, row: GraphRow) -> int:
        """Return the number of nodes now; a registered graph may have grown."""

    def candidates(self, row: GraphRow) -> list[Any]:
        """Return the ids of the nodes that are ranked, of a graph with candidates; reads no edge."""
        raise AssertionError(f"no graph of {type(self).__name__} has candidates")

    @abstractmethod
    def ingest(
        self,
        row: GraphRow,
        graph: Graph,
        progress: Progress | None,
        titles: Titles | None = None,
        calendar: Calendar | None = None,
    ) -> AbstractContextManager[GraphRow]:
        """Write a new version of a graph and hand out its row as written; the caller then makes it current.

        Until a transaction (`edgedp.ledger.placing.load_script`) makes it the graph the version is not
        usable; one that was left half written is cleared by the next load. Leaving the context by an error
        clears it at once.
        """

    def guards(self, row: GraphRow) -> list[Step]:
        """Return what the transaction that loads or registers a graph checks besides; outcomes of the store's own."""
        return []

    def guard_refusal(self, outcome: str, row: GraphRow, rows: Mapping[str, list[Row]]) -> EdgeDPError:
        """Say what an outcome of `guards` means, from the rows of the script's statements."""
        raise AssertionError(f"no guard ends as {outcome}")

    @abstractmethod
    def nodes_named(self, row: GraphRow, ids: list[Any]) -> list[Any]:
        """Return those of some ids that are ids of a graph's nodes, which are public; reads no edge."""

    def prepare(self, row: GraphRow) -> None:
        """Make sure, before a debit, that the graph of a row is there to be read; reads no edge."""
        return

    @abstractmethod
    def retire(self, tx: Transaction, row: GraphRow) -> None:
        """Give up a loaded version's nodes and edges, as part of the transaction that forgets it."""

    def sweep(self, name: str) -> bool | None:
        """Clear what retired and unfinished versions of a graph left behind; return whether there was any."""
        return False

    @property
    def writable(self) -> bool:
        """Whether anything can be written; an exact read of a copy that nobody can write to is not noted."""
        return True

    @property
    @abstractmethod
    def by(self) -> str:
        """Who is asking, as the store knows it: ``uid 1000``, or the authenticated user of the database."""


class Backend(ABC):
    """A database."""

    cypher: ClassVar[frozenset[str]]
    """What the engine ``cypher`` computes here in reasonable time."""

    head_files: tuple[Path, ...] = ()
    """The files that heads were left in, beside the store."""

    keeps_directions: ClassVar[bool] = False
    """Whether a loaded graph is stored with the directions of its edges."""

    has_types: ClassVar[bool] = False
    """Whether relationships have types, each with an account."""

    titles_are_properties: ClassVar[bool] = False
    """Whether the titles of a loaded graph are a property of its nodes, which its row names."""

    keeps_windows: ClassVar[bool] = False
    """Whether a loaded graph is stored with the window of each of its rows."""

    keeps_weights: ClassVar[bool] = False
    """Whether a loaded graph is stored with the weights of its edges."""

    keeps_columns: ClassVar[bool] = False
    """Whether a loaded graph is stored with columns of its rows."""

    keeps_versions: ClassVar[bool] = False
    """Whether a stored version never changes, so that its graph may be kept in memory while it stands."""

    @property
    @abstractmethod
    def place_shown(self) -> str:
        """Where the store is, for people: the folder, or the address without user and password."""

    @abstractmethod
    def session(self, *, create: bool = False) -> AbstractContextManager[Session]:
        """Open a connection; `create` makes the store where there is none."""

    def settle(self, session: Session) -> None:
        """Make sure that a store that is there, but holds nothing of edgedp's yet, has its constraints."""
        return

    @abstractmethod
    def place(self, name: str, version: int, label: str | None, kind: str | None) -> GraphRow:
        """Return a new version's row with its place filled in: node label, relationship type, id property."""

    @abstractmethod
    def survey(
        self, session: Session, row: GraphRow, *, allow_empty: bool = False
    ) -> tuple[GraphRow, dict[str, int]]:
        """Check a graph that is already there before it is registered, and count its nodes.

        Returns
        -------
        GraphRow
            With its number of nodes.
        dict
            edge_count and max_degree: exact, for the curator.
        """

    @abstractmethod
    def projection(self, row: GraphRow) -> NumberProjection:
        """Return the projection of the engine ``cypher``, which reads what a draw needs and no more."""

    def plugin(self) -> ServerPlugin:
        """Return what the server says of its plugin; only Neo4j has one."""
        raise StoreError("only a Neo4j server has the plugin; name the server with --store neo4j://...")

    def backup(self, destination: Path) -> dict[str, str]:
        """Copy the store while it is in use; returns the heads of its logs. Only the embedded store does it itself."""
        raise StoreError(
            "only an embedded store can be backed up by edgedp; use neo4j-admin for the database of a server"
        )

    def problems(self) -> list[str]:
        """Return what is wrong with the store's files, besides what its ledger says; nothing is changed."""
        return []

    def heads(self) -> str | None:
        """Return the heads that were left beside the store, as `edgedp.ledger.log.heads` reads them."""
        return None

    def close(self) -> None:
        """Let go of connections."""
        return
