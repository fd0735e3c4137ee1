"""What a database must offer to be a store: sessions, transactions, ingest and projection.

Adding a store is one module with a `Backend`. The ledger, the registry and the releases are written
once, over these few methods.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.weights import Weighting
from edgedp.ledger.pairs import ALTERNATIVES, PairProjection
from edgedp.ledger.script import Row, Runner, Step, Transacting, Transaction
from edgedp.release.plan import PublicFacts
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError

if TYPE_CHECKING:
    from edgedp.graph.columns import KeptRows
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading.origins import Origin
    from edgedp.graph.titles import Titles
    from edgedp.mechanisms.projection import NumberProjection
    from edgedp.words.dates.calendar import Calendar, Span
    from edgedp.words.progress import Progress
    from edgedp.words.vocabulary import Unit

__all__ = [
    "AT_ADDRESS",
    "NATIVE",
    "OF_GRAPH",
    "SPARK",
    "Backend",
    "GraphRow",
    "Row",
    "Runner",
    "ServerPlugin",
    "Session",
    "Transaction",
    "edited",
    "half_a_character",
    "holds_directions",
    "holds_titles",
    "sealed_weighting",
]


AT_ADDRESS = "EdgeDP at an address"
"""The node label of the row of a graph whose edges are at an address; the type is the address. No label begins so."""

OF_GRAPH = "EdgeDP of a loaded graph"
"""The node label of the row of a graph that is made of a loaded one's rows; the type is that one's name."""

NATIVE, SPARK = "native", "spark"
"""What reads an address, as its row says: this process, or Spark alone, which every row of before means."""


FACTS_RECORDED = "recorded, promised by the curator"
"""Shown of a registered graph: no relationship and no label of a node is computed from relationships."""

FACTS_AS_LOADED = "as they were loaded"
"""Shown of a loaded graph: its nodes and edges are a copy, which nothing that happens beside it changes."""


def holds_directions(digest: str | None) -> bool:
    """Return whether the seal of a version says that its edges have directions; public.

    Examples
    --------
    >>> holds_directions(None), holds_directions("ab cd:120 directed")
    (False, True)
    """
    return " directed" in (digest or "")


_WEIGHTED = re.compile(r" weighted (\S+)")


def sealed_weighting(digest: str | None) -> Weighting | None:
    """Return what the seal of a version says of its weights; public. None of a version without.

    Examples
    --------
    >>> sealed_weighting("ab cd:120 weighted SUM:20:1:20").most, sealed_weighting(None)
    (20, None)
    """
    found = _WEIGHTED.search(digest or "")
    return None if found is None else Weighting.read(found[1])


def holds_titles(digest: str | None) -> bool:
    """Return whether the seal of a version says that its nodes have titles; public."""
    return " titled" in (digest or "")


@dataclass(frozen=True)
class GraphRow:
    """A graph's row of the registry: its public facts and where it lies."""

    name: str
    version: int
    node_label: str
    relationship_type: str
    id_property: str
    node_count: int
    degree_bound: int | None
    nodes_supplied: bool
    loaded: bool
    digest: str | None = None
    """Embedded: SHA-256 of the version's files, hex, and whether they hold directions (`embedded.seals.Seals`). At an
    address that this process reads: a digest of the ids of all nodes, and whether directions are kept."""
    made_of: str | None = None
    """Neo4j: which relationships make an edge, JSON (`edgedp.ledger.pairs.PairProjection`); None: each of one type
    between two nodes of one label. Of a loaded graph that its arcs are read as they were written, where it has any."""
    title_property: str | None = None
    """Neo4j: the property of the nodes that is their title, public of itself; None: they have none."""
    accounts: tuple[str, ...] | None = None
    """Which ledgers a release of its edges debits, ascending: those of its relationship types, or of the loaded graph
    that it is read from. None: that of its own name, which then is the account."""
    columns: str | None = None
    """Of a loaded graph: the types of the columns that are kept of its rows, by their names, JSON; None: none are."""
    of: GraphRow | None = field(default=None, compare=False)
    """The row of the loaded graph whose rows are read, as it is now; None of any other, and where it is gone."""
    display_label: str | None = field(default=None, compare=False)
    """Neo4j: the label that people see beside the version's own; written once, not kept."""

    @cached_property
    def facts(self) -> PublicFacts:
        """The public facts."""
        return PublicFacts(
            self.node_count,
            self.degree_bound,
            self.nodes_supplied,
            facts=FACTS_AS_LOADED if self.loaded or self.node_label == OF_GRAPH else FACTS_RECORDED,
            directed=self.directed,
            projection=None if self.loaded or self.projection is None else self.projection.to_dict(),
            weighting=self.weighting,
        )

    @cached_property
    def directed(self) -> bool:
        """Whether the edges have directions, which were stored or are read."""
        return holds_directions(self.digest) or (self.projection is not None and self.projection.directed)

    @cached_property
    def weighting(self) -> Weighting | None:
        """What is declared of the weights, of a loaded version by its seal; None of a graph without.

        Raises
        ------
        StoreError
            Somebody edited it; nothing was spent.
        """
        if self.projection is not None:
            return self.projection.weight
        try:
            return sealed_weighting(self.digest) if self.loaded else None
        except (EdgeDPError, ValueError):
            raise edited(self.name) from None

    @cached_property
    def ledgers(self) -> tuple[str, ...]:
        """The ledgers that a release of its edges debits, ascending.

        Raises
        ------
        StoreError
            Somebody edited them; nothing was spent.
        """
        if self.accounts is None:
            return (self.name,)
        named = all(isinstance(each, str) for each in self.accounts)
        if not self.accounts or not named or list(self.accounts) != sorted(set(self.accounts)):
            raise edited(self.name)
        return self.accounts

    @cached_property
    def owns(self) -> bool:
        """Whether its own ledger is an account that its releases debit; else it keeps what was asked, no budget."""
        return self.name in self.ledgers

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its nodes, of which each has one."""
        return (self.node_label,) if self.projection is None else self.projection.labels

    @property
    def readable(self) -> bool:
        """Whether the row says which relationships make an edge; one that was edited may not."""
        with suppress(StoreError):
            return bool(self.ledgers) and (self.projection is None or True)
        return False

    def labels_apart(self, other: str) -> bool:
        """Whether no label is one of another graph's, as its row keeps them."""
        return {self.node_label, *self.labels}.isdisjoint({str(other), *str(other).split("|")})

    @property
    def types(self) -> tuple[str, ...]:
        """The types of its relationships."""
        return (self.relationship_type,) if self.projection is None else self.projection.types

    @cached_property
    def projection(self) -> PairProjection | None:
        """Which relationships make an edge, where it is not each of one type between two nodes of one label.

        Raises
        ------
        StoreError
            Somebody edited it; nothing was spent.
        """
        named = (self.node_label, self.relationship_type, self.id_property)
        counted = type(self.node_count) is int and type(self.degree_bound) in (int, type(None))
        if not counted or not all(isinstance(each, str) for each in named):
            raise edited(self.name)
        if self.made_of is None:
            return None
        try:
            made = PairProjection.of_json(self.made_of)
        except ParameterError:
            raise edited(self.name) from None
        if made.labels or made.types:
            said = ("|".join(made.labels), "|".join(made.types)) == (self.node_label, self.relationship_type)
        elif self.node_label == OF_GRAPH:
            said = made.of == self.relationship_type
        else:
            said = self.at_address and made.of is None
        if not said:
            raise edited(self.name)
        return made

    @property
    def column_types(self) -> dict[str, str] | None:
        """The types of the columns that are kept of the rows of a loaded graph; None where no rows are kept."""
        return None if self.columns is None else dict(json.loads(self.columns))

    @property
    def titled(self) -> bool:
        """Whether the nodes have titles, which are stored with them or are a property of theirs."""
        of_rows = self.of is not None and self.of.titled
        return of_rows or holds_titles(self.digest) or self.title_property is not None

    @cached_property
    def at_address(self) -> bool:
        """Whether the edges are at an address, and not in the store."""
        return self.node_label == AT_ADDRESS

    @property
    def engine(self) -> str | None:
        """What reads the address of the edges; None of edges in a store."""
        if not self.at_address:
            return None
        with suppress(AttributeError, TypeError, ValueError):
            return NATIVE if json.loads(self.id_property).get("engine") == NATIVE else SPARK
        return SPARK

    def terms(self, protect: Unit = "pair", calendar: Calendar | None = None) -> str:
        """Return what an account is for, as its log keeps it: the whole row, but for the present number of nodes.

        Another number of nodes is another graph only where edgedp wrote it.

        Parameters
        ----------
        protect : {"pair", "source", "target"}
            What the account protects.
        calendar : Calendar, optional
            Which windows of it may be released.
        """
        place: dict[str, Any] = {
            "version": self.version,
            "nodeLabel": self.node_label,
            "relationshipType": self.relationship_type,
            "idProperty": self.id_property,
            "degreeBound": self.degree_bound,
            "nodesSupplied": bool(self.nodes_supplied),
            "loaded": bool(self.loaded),
        }
        if self.made_of is not None:
            place |= {"projection": self.made_of}
        if self.title_property is not None:
            place |= {"titleProperty": self.title_property}
        if self.accounts is not None:
            place |= {"accounts": list(self.accounts)}
        if self.columns is not None:
            place |= {"columns": self.columns}
        if self.loaded:
            place |= {"nodeCount": self.node_count, "digest": self.digest}
        elif self.at_address and self.digest is not None:
            place |= {"digest": self.digest}
        if protect != "pair":
            place |= {"protect": protect}
        if calendar is not None:
            place |= {"calendar": calendar.to_dict()}
        return json.dumps(place)

    @property
    def identifiers(self) -> dict[str, str]:
        """The names that fill the placeholders of a statement; of several, each is an alternative."""
        made = self.projection
        return {
            "node_label": self.node_label if made is None else ALTERNATIVES.join(made.labels),
            "relationship_type": self.relationship_type if made is None else ALTERNATIVES.join(made.types),
            "candidate_label": self.node_label
            if made is None
            else made.candidates or ALTERNATIVES.join(made.labels),
            "id_property": self.id_property,
        }


def edited(name: str) -> StoreError:
    """Return the refusal of a row of the registry that somebody edited."""
    return StoreError(
        f"the registry's row of {name!r} names nodes or edges that are not its own, so somebody edited it; "
        "nothing was spent; ask the curator to drop the graph and to load or register it again"
    )


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

        Until a transaction (`edgedp.ledger.registry.load_script`) makes it the graph the version is not
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
        raise StoreError("backup is of an embedded store; use neo4j-admin for the database of a server")

    def problems(self) -> list[str]:
        """Return what is wrong with the store's files, besides what its ledger says; nothing is changed."""
        return []

    def heads(self) -> str | None:
        """Return the heads that were left beside the store, as `edgedp.ledger.log.heads` reads them."""
        return None

    def close(self) -> None:
        """Let go of connections."""
        return
