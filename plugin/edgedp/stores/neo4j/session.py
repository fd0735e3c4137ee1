"""An open session with a Neo4j server: what is read and written in it, and its transactions."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.titles import LONGEST
from edgedp.ledger.backend import Row, Session, Transaction
from edgedp.ledger.pairs import PairProjection
from edgedp.ledger.rows import GraphRow
from edgedp.ledger.script import Script, Step, run
from edgedp.stores.neo4j import dated, places
from edgedp.stores.neo4j import schema as neo4j_schema
from edgedp.stores.neo4j.batches import Written, adjacent
from edgedp.stores.neo4j.errors import one_line_errors
from edgedp.stores.neo4j.packed import graph_of_adjacency, graph_of_pieces
from edgedp.stores.statements.queries import for_nobody, query
from edgedp.stores.statements.values import columns_of
from edgedp.words.errors import EdgeDPError, StoreError

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.graph.titles import Titles
    from edgedp.words.dates.calendar import Calendar, Span
    from edgedp.words.progress import Progress

DIALECT = "neo4j"
_NODE_BATCH = 20_000
_EDGE_BATCH = 10_000
"""At 20,000 the maps of a transaction are arrays that the JVM's collector keeps apart, which doubles what it costs."""
_CLEAR_BATCH = 10_000


class Neo4jSession(Session):
    """An open session; nothing is retried by the driver, so no debit is written twice."""

    def __init__(
        self, session: Any, address: str, database: str | None, lock_timeout: float, *, authenticates: bool
    ) -> None:
        self._session = session
        self._authenticates = authenticates
        self._address = address
        self._database = database
        self._lock_timeout = lock_timeout
        self._noted: dict[str, int] = {}
        self._written: Written | None = None

    def _errors(self) -> AbstractContextManager[None]:
        """Say what the driver says in one line, here and not only where the session ends."""
        return one_line_errors(self._address, self._database)

    @property
    def by(self) -> str:
        """Nothing beside the user whom the database has authenticated, which its statements write themselves."""
        return ""

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        with self._errors():
            return cast("list[Row]", self.send(statement, identifiers, **parameters).data())

    def send(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> Any:
        """Start a statement of ``queries/``; its result waits for it."""
        text = _text(statement, identifiers, self._authenticates)
        if self._written is None:
            return self._session.run(text, parameters)
        import neo4j

        return self._session.run(neo4j.Query(text, metadata=self._written.metadata()), parameters)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._errors(), self._session.begin_transaction(timeout=self._lock_timeout) as tx:
            yield Neo4jTransaction(tx, self._noted, authenticates=self._authenticates)
            tx.commit()

    def graph(self, row: GraphRow, span: Span | None = None) -> Graph:
        with self._errors():
            return self._read(row) if span is None else self._between(row, span)

    def rows_by_date(self, row: GraphRow, calendar: Calendar | None = None) -> dict[str, int]:
        if calendar is None or calendar.property is None:
            return super().rows_by_date(row)
        place = row.identifiers | {"property": calendar.property}
        return dated.told(self.run("dated_count", place, **dated.all_windows(calendar))[0])

    def date_hints(self, row: GraphRow, calendar: Calendar | None) -> list[str]:
        return dated.hints(calendar, row.types, self.run("relationship_indexes"))

    def unregistered(self, row: GraphRow) -> Graph:
        """Read a graph that is about to be registered, of which the plugin does not know yet."""
        with self._errors():
            return self._by_statement(row)

    def _read(self, row: GraphRow) -> Graph:
        if self._packed and row.weighting is None:
            # Records as they come: .data() would walk through the packed arrays byte by byte.
            # The row of the log that notes this read is there already: the exact read's, or the debit's.
            asked = {"name": row.name, "entry": self._noted.pop(row.name, 0)}
            rows = list(self._session.run("CALL edgedp.exact.adjacency($name, $entry)", asked))
            # The plugin reads what the name means by now; another graph of the name may be of other accounts.
            if self.run("graph_current", name=row.name, version=row.version):
                return graph_of_pieces(rows, nodes_supplied=row.nodes_supplied, projection=row.projection)
        return self._by_statement(row)

    def _between(self, row: GraphRow, span: Span) -> Graph:
        """Read what is dated within some windows, by its date: where an index finds it, that is all that is read."""
        bounds, place = dated.bounds(span), row.identifiers
        ids = [
            each["id"] for each in self.run("candidates", place | {"candidate_label": place["node_label"]})
        ]
        where = () if row.projection is None else row.projection.where
        if row.weighting is not None:
            return self._weighted(row, bounds | {"date": str(span.calendar.property)})
        found = self.send(
            "adjacency_between",
            place | {"property": str(span.calendar.property)},
            **dated.condition_parameters(where),
            **bounds,
        )
        adjacent = {each["id"]: each["neighbors"] for each in found}
        return graph_of_adjacency(
            ids,
            [adjacent.get(node, []) for node in ids],
            nodes_supplied=row.nodes_supplied,
            projection=row.projection,
        )

    def _weighted(self, row: GraphRow, dates: Mapping[str, Any]) -> Graph:
        """Read relationships with their weights, which become whole steps where every reader's do."""
        made = row.projection
        if made is None or made.weight is None:
            raise AssertionError("a registered graph has its weights from its projection")
        asked = {**dated.condition_parameters(made.where), **dates, "weight": made.weight.of_property}
        found = [*self.send("adjacency_weighted", row.identifiers, **asked)]
        ids, neighbors, weights = ([each[key] for each in found] for key in ("id", "neighbors", "weights"))
        supplied = row.nodes_supplied
        return graph_of_adjacency(ids, neighbors, nodes_supplied=supplied, projection=made, weights=weights)

    def _by_statement(self, row: GraphRow) -> Graph:
        if row.weighting is not None:
            return self._weighted(row, {"date": None, "low": None, "high": None, "integers": False})
        ids, neighbors = [], []
        where = () if row.projection is None else row.projection.where
        found = (
            self.send("adjacency_where", row.identifiers, **dated.condition_parameters(where))
            if where
            else self.send("adjacency", row.identifiers)
        )
        for node, near in found:
            ids.append(node)
            neighbors.append(near)
        return graph_of_adjacency(
            ids, neighbors, nodes_supplied=row.nodes_supplied, projection=row.projection
        )

    @cached_property
    def _packed(self) -> bool:
        """Whether the plugin is on the server and this user may read through it."""
        return bool(self.run("procedures"))

    def records(self, row: GraphRow, name: str) -> NDArray[np.float64]:
        rows = self.run("property", row.identifiers | {"property": name})
        return np.array([np.nan if each["value"] is None else each["value"] for each in rows], np.float64)

    def properties(self, row: GraphRow, declared: Iterable[str]) -> dict[str, NDArray[Any]]:
        found = {}
        for name in declared:
            rows = self.run("properties", row.identifiers | {"property": name})
            values = np.empty(len(rows), dtype=object)
            values[:] = [each["value"] for each in rows]
            found[name] = values[np.argsort([each["id"] for each in rows], kind="stable")]
        return found

    def node_count(self, row: GraphRow) -> int:
        return int(self.run("node_count", row.identifiers)[0]["nodes"])

    def candidates(self, row: GraphRow) -> list[Any]:
        return [each["id"] for each in self.run("candidates", row.identifiers)]

    def nodes_named(self, row: GraphRow, ids: list[Any]) -> list[Any]:
        return [each["id"] for each in self.run("named", row.identifiers, ids=ids)]

    def titles(self, row: GraphRow, ids: list[Any]) -> list[str | None]:
        rows = self.run(
            "titles", row.identifiers | {"property": str(row.title_property)}, ids=ids, longest=LONGEST
        )
        found = {each["id"]: each["title"] for each in rows}
        return [found.get(node) for node in ids]

    @property
    def writable(self) -> bool:
        return not any(
            row["access"] == "read-only" for row in self.run("database_access", database=self._database)
        )

    def prepare(self, row: GraphRow) -> None:
        if not neo4j_schema.complete(self):
            neo4j_schema.restore(self)
        places.check_place(row)
        places.check_nodes(row, self.run("survey", row.identifiers, nodeLabel=row.node_label)[0])

    def guards(self, row: GraphRow) -> list[Step]:
        if row.loaded:
            return places.load_guards(row)
        return places.register_guards(row, self._apart(row) if row.at_address else ())

    def _apart(self, row: GraphRow) -> list[str]:
        """Return the addresses with accounts that are no part of a row's and have no part of it."""
        from edgedp.graph.reading.sources.places import overlap

        there = {str(each["relationshipType"]) for each in self.run("account_places")}
        return sorted(each for each in there if not overlap(each, row.relationship_type))

    def guard_refusal(self, outcome: str, row: GraphRow, rows: Mapping[str, list[Row]]) -> EdgeDPError:
        return places.guard_refusal(outcome, row, rows) or super().guard_refusal(outcome, row, rows)

    def retire(self, tx: Transaction, row: GraphRow) -> None:
        for step in places.retire_steps(row):
            tx.run(step.statement, **step.parameters)

    @contextmanager
    def ingest(
        self,
        row: GraphRow,
        graph: Graph,
        progress: Progress | None,
        titles: Titles | None = None,
        calendar: Calendar | None = None,
    ) -> Iterator[GraphRow]:
        if calendar is not None:
            raise no_windows()
        if graph.directed:
            natural = PairProjection((row.node_label,), (row.relationship_type,), "NATURAL")
            row = dataclasses.replace(row, made_of=natural.to_json())
        self.sweep(row.name)
        script = Script(places.load_begin(row))
        begun = run(self, script)
        if begun.name != script.done:
            raise self.guard_refusal(begun.name, row, begun.rows)
        sys.audit("edgedp.reached", "begun")
        try:
            nodes = self._write(row, graph, progress)
            if titles is not None:
                self._write_titles(row, nodes, titles)
            if places.has_constraint(row):
                self.run(
                    "load_constraint", row.identifiers | {"constraint_name": places.constraint_name(row)}
                )
            sys.audit("edgedp.reached", "written")
            yield row
        except BaseException:
            # A server that went away keeps what was written; the next load of this name clears it.
            with contextlib.suppress(Exception):
                self.sweep(row.name)
            raise
        finally:
            self._written = None

    def _write_titles(self, row: GraphRow, nodes: NDArray[np.int64], titles: Titles) -> None:
        """Write the titles beside the properties; `row` names the property."""
        for start in range(0, len(nodes), _NODE_BATCH):
            batch = nodes[start : start + _NODE_BATCH].tolist()
            self._write_property(
                row, str(row.title_property), batch, titles.at(range(start, start + len(batch)))
            )

    def _write_property(self, row: GraphRow, name: str, nodes: list[int], values: list[Any]) -> None:
        """Write the values of a property to a batch of nodes; one that finds its nodes gone stops the load."""
        named = row.identifiers | {"property": name}
        if self.run("load_property", named, nodes=nodes, values=values)[0]["written"] != len(nodes):
            raise places.cleared(row.name)

    def _write(self, row: GraphRow, graph: Graph, progress: Progress | None) -> NDArray[np.int64]:
        """Write nodes and edges in batches, and return the database's own numbers of the nodes.

        A batch of edges that finds its nodes gone stops the load.
        """
        identifiers = row.identifiers | {"display_label": row.display_label or "Node"}
        edges = graph.arcs() if graph.directed else graph.edges()
        written = self._written = Written(row.name, graph.node_count + len(edges), progress)
        kept = columns_of(graph.properties)
        nodes = np.empty(graph.node_count, np.int64)
        for start in range(0, graph.node_count, _NODE_BATCH):
            rows = graph.node_ids[start : start + _NODE_BATCH].tolist()
            found = self.run("load_nodes", identifiers, rows=rows)[0]
            numbers = dict(zip(found["ids"], found["nodes"], strict=True))
            batch = [numbers[each] for each in rows]
            for name, column in kept.items():
                self._write_property(row, name, batch, column.values[start : start + _NODE_BATCH].tolist())
            nodes[start : start + _NODE_BATCH] = batch
            written.upto(min(start + _NODE_BATCH, graph.node_count))
        sent: tuple[Any, int] | None = None
        for start in range(0, len(edges), _EDGE_BATCH):
            batch_edges = edges[start : start + _EDGE_BATCH]
            ends, after = adjacent(batch_edges)  # while the server writes the batch before
            if sent is not None:
                _check_written(*sent, row)
            written.upto(graph.node_count + start)
            result = self.send("load_edges", identifiers, nodes=nodes[ends].tolist(), adjacent=after)
            sent = result, len(batch_edges)
        if sent is not None:
            _check_written(*sent, row)
            written.upto(graph.node_count + len(edges))
        return nodes

    def sweep(self, name: str) -> bool:
        found = self.run("leftovers", name=name)
        for left in found:
            label = {"node_label": left["nodeLabel"]}
            while self.run("clear", label, most=_CLEAR_BATCH)[0]["cleared"]:
                pass
            if left["constraintName"] is not None:
                self.run("load_drop_constraint", {"constraint_name": left["constraintName"]})
            self.run("load_cleared", nodeLabel=left["nodeLabel"])
        return bool(found)


class Neo4jTransaction(Transaction):
    """An explicit transaction."""

    def __init__(self, tx: Any, noted: dict[str, int], *, authenticates: bool) -> None:
        self._tx = tx
        self._authenticates = authenticates
        self._noted = noted

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        rows = cast(
            "list[Row]", self._tx.run(_text(statement, identifiers, self._authenticates), parameters).data()
        )
        if statement in ("log_debit", "log_append") and rows:
            self._noted[parameters["name"]] = rows[0]["seq"]
        return rows


def no_windows() -> StoreError:
    """Return the refusal of a loaded graph with a calendar, whose windows are kept in embedded stores alone."""
    return StoreError(
        "this store keeps no windows of a loaded graph; register relationships with a date instead"
    )


def _check_written(result: Any, edges: int, row: GraphRow) -> None:
    """Wait for a batch and refuse the load if its nodes are gone."""
    if result.single()["written"] != edges:
        raise places.cleared(row.name)


def _text(statement: str, identifiers: dict[str, str] | None, authenticates: bool) -> str:
    """Return a statement of ``queries/``; its identifiers are quoted, its values are parameters."""
    text = query(DIALECT, statement, **(identifiers or {}))
    return text if authenticates else for_nobody(text)
