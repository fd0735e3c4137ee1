"""A graph's row of the registry: what is public of it, and where it lies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from edgedp.graph.weights import Weighting
from edgedp.ledger.pairs import ALTERNATIVES, PairProjection
from edgedp.ledger.script import Runner
from edgedp.release.plan import PublicFacts
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError

if TYPE_CHECKING:
    from edgedp.words.dates.calendar import Calendar
    from edgedp.words.vocabulary import Unit

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
        """The public facts; of a graph of rows the loaded graph's present ones, which its account is still for."""
        of = self.of
        one_side = self.projection is not None and self.projection.candidates is not None
        return PublicFacts(
            self.node_count,
            self.degree_bound if of is None or one_side else of.degree_bound,
            self.nodes_supplied if of is None else of.nodes_supplied,
            facts=FACTS_AS_LOADED if self.loaded or self.node_label == OF_GRAPH else FACTS_RECORDED,
            directed=self.directed,
            projection=None if self.loaded or self.projection is None else self.projection.to_dict(),
            weighting=self.weighting,
            columns=self.column_types if self.of is None and self.loaded else self._of_rows,
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
    def _of_rows(self) -> dict[str, str] | None:
        """The types of the columns of the loaded graph whose rows are read; None of any other."""
        return None if self.of is None else self.of.column_types

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


_COLUMNS = {
    "name": "name", "version": "version", "node_label": "nodeLabel", "relationship_type": "relationshipType",
    "id_property": "idProperty", "node_count": "nodeCount", "degree_bound": "degreeBound",
    "nodes_supplied": "nodesSupplied", "loaded": "loaded", "digest": "digest", "made_of": "projection",
    "title_property": "titleProperty", "columns": "columns",
}  # fmt: skip
"""How the columns of ``graph_find`` are called here."""


def row_of(row: Mapping[str, Any]) -> GraphRow:
    """Read a row of ``graph_find``."""
    found: dict[str, Any] = {field: row.get(column) for field, column in _COLUMNS.items()}
    found |= {flag: bool(found[flag]) for flag in ("nodes_supplied", "loaded")}
    return GraphRow(**found, accounts=accounts_of(row))


def row_to_json(row: GraphRow) -> dict[str, Any]:
    """Return the columns of ``graph_find``."""
    kept = {column: getattr(row, field) for field, column in _COLUMNS.items()}
    of_another = row.accounts is None or row.node_label == OF_GRAPH
    return kept | {"accounts": None if of_another else list(row.accounts or ())}


def accounts_of(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the accounts that a row of the registry names; of a row that was edited, something that is refused."""
    if row["nodeLabel"] == OF_GRAPH:
        return (row["relationshipType"],)
    kept = row.get("accounts")
    if kept is None:
        return None
    return tuple(kept) if isinstance(kept, list) else ()


def row_named(runner: Runner, name: str) -> GraphRow | None:
    """Return the row of a graph; None where there is none, and of what is no text."""
    rows = runner.run("graph_find", name=name) if isinstance(name, str) else []
    if not rows:
        return None
    row = row_of(rows[0])
    if row.node_label != OF_GRAPH:
        return row
    found = runner.run("graph_find", name=row.relationship_type)
    of = row_of(found[0]) if found else None
    return replace(row, of=of if of is not None and of.loaded else None, nodes_supplied=row.nodes_supplied)
