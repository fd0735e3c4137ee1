"""The Neo4j store, over Bolt."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from edgedp.checks import check_text
from edgedp.errors import EdgeDPError, ParameterError, StoreError
from edgedp.graph import Graph
from edgedp.queries import query, quote_identifier
from edgedp.stores.backend import Backend, GraphRow, Row, Session, Transaction
from edgedp.stores.cypher import CypherProjection
from edgedp.stores.neo4j_errors import one_line_errors

if TYPE_CHECKING:
    from edgedp.plugin_install import ServerPlugin
    from edgedp.projection import Projection
    from edgedp.reading.progress import Progress

__all__ = ["Neo4jBackend"]

_DIALECT = "neo4j"
_SCHEMA = ("schema_graph", "schema_ledger", "schema_ledger_type", "schema_release", "schema_release_graph")
_NODE_BATCH = 20_000
_EDGE_BATCH = 50_000
_CLEAR_BATCH = 10_000


class Neo4jBackend(Backend):
    """A database of a Neo4j server."""

    cypher = frozenset({"density", "ebc", "betweenness2", "max_common_neighbors", "sensitivity"})

    def __init__(self, driver: Any, address: str, database: str | None) -> None:
        self._driver = driver
        self._address = address
        self._database = database

    @classmethod
    def connect(
        cls, address: str, auth: Sequence[str] | None, database: str | None, lock_timeout: float
    ) -> Neo4jBackend:
        """Make a driver; user, password and database default to ``NEO4J_USERNAME`` and its like."""
        import neo4j

        if "@" in address:
            raise ParameterError(
                "store holds a user or password, must be an address alone; set NEO4J_USERNAME and NEO4J_PASSWORD"
            )
        if auth is None:
            user, password = os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ.get("NEO4J_PASSWORD")
            if password is None:
                raise ParameterError(
                    "the password is missing, must be given; pass auth or set NEO4J_PASSWORD"
                )
            auth = (user, password)
        # What the driver logs is said by our own errors, once.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        database = database or os.environ.get("NEO4J_DATABASE") or None
        try:
            driver = neo4j.GraphDatabase.driver(
                address,
                auth=(auth[0], auth[1]),
                user_agent="edgedp",
                connection_timeout=min(lock_timeout, 15.0),
                connection_acquisition_timeout=lock_timeout,
                notifications_min_severity="OFF",
            )
        except (ValueError, neo4j.exceptions.DriverError):
            raise ParameterError(
                f"store is {address}, must be an address such as neo4j://localhost:7687; check it"
            ) from None
        return cls(driver, address, database)

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        with (
            one_line_errors(self._address, self._database),
            self._driver.session(database=self._database) as session,
        ):
            opened = Neo4jSession(session)
            if create:
                for statement in _SCHEMA:
                    opened.run(statement)
            yield opened

    def place(self, name: str, version: int, label: str | None, kind: str | None) -> GraphRow:
        return GraphRow(
            name,
            version,
            f"EdgeDP_{name}_{version:x}",
            check_text(kind or "LINKED_TO", "relationship_type"),
            "id",
            0,
            None,
            nodes_supplied=False,
            loaded=True,
            display_label=check_text(label or "Node", "node_label"),
        )

    def survey(self, session: Session, row: GraphRow) -> GraphRow:
        for statement in _SCHEMA:
            session.run(statement)
        found = session.run("survey", row.identifiers)[0]
        nodes, label, key = int(found["nodes"]), row.node_label, row.id_property
        if nodes == 0:
            raise StoreError(
                f"node_label is {label!r}, must be a label of at least one node; check its spelling"
            )
        if found["identified"] < nodes:
            raise StoreError(
                f"id_property is {key!r}, which {nodes - found['identified']:,} of {nodes:,} nodes lack, must be on "
                "every node; set it on all of them"
            )
        if found["distinctIds"] < nodes:
            raise StoreError(f"id_property is {key!r}, which two nodes share, must be unique; make it so")
        if {kind.split(" ")[0] for kind in found["types"]} not in ({"INTEGER"}, {"STRING"}):
            raise StoreError(
                f"id_property is {key!r}, must hold integers or texts and not both; convert the values"
            )
        if not session.run("survey_index", nodeLabel=label, idProperty=key):
            raise StoreError(
                f"id_property is {key!r}, which has no index, must have one; run: CREATE CONSTRAINT FOR "
                f"(n:{quote_identifier(label)}) REQUIRE n.{quote_identifier(key)} IS UNIQUE"
            )
        if row.degree_bound is not None:
            largest = max(
                (int(each["value"]) for each in session.run("degree", row.identifiers, nodes=None)), default=0
            )
            if largest > row.degree_bound:
                raise ParameterError(
                    f"degree_bound is {row.degree_bound}, must be at least the graph's largest degree, {largest}; "
                    "declare a larger bound"
                )
        return replace(row, node_count=nodes)

    def projection(self, row: GraphRow) -> Projection:
        return CypherProjection(self, row)

    def plugin(self) -> ServerPlugin:
        from edgedp.plugin_install import server_plugin

        with one_line_errors(self._address, self._database):
            return server_plugin(self._driver, self._database)

    def close(self) -> None:
        self._driver.close()


class Neo4jSession(Session):
    """An open session; nothing is retried by the driver, so no debit is written twice."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        return cast("list[Row]", self.send(statement, identifiers, **parameters).data())

    def send(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> Any:
        """Start a statement of ``queries/``; its result waits for it."""
        return self._session.run(_text(statement, identifiers), parameters)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with self._session.begin_transaction() as tx:
            yield Neo4jTransaction(tx)
            tx.commit()

    def graph(self, row: GraphRow) -> Graph:
        if self._packed:
            from edgedp.worker.projected import graph_of_pieces

            # Records as they come: .data() would walk through the packed arrays byte by byte.
            rows = list(self._session.run("CALL edgedp.exact.adjacency($name)", {"name": row.name}))
            return graph_of_pieces(rows, nodes_supplied=row.nodes_supplied)
        result = self.send("adjacency", row.identifiers)
        ids, neighbors = [], []
        for node, adjacent in result:
            ids.append(node)
            neighbors.append(adjacent)
        unsorted = np.asarray(ids) if ids else np.zeros(0, dtype=np.int64)
        order = np.argsort(unsorted, kind="stable")
        node_ids = unsorted[order]
        sources = np.repeat(np.argsort(order), [len(adjacent) for adjacent in neighbors])
        flat = [target for adjacent in neighbors for target in adjacent]
        targets = np.searchsorted(node_ids, np.asarray(flat, dtype=node_ids.dtype)) if flat else sources
        return Graph.from_positions(
            node_ids, np.column_stack([sources, targets]), nodes_supplied=row.nodes_supplied
        )

    @cached_property
    def _packed(self) -> bool:
        """Whether the plugin is on the server and this user may read through it."""
        return bool(self.run("procedures"))

    def node_count(self, row: GraphRow) -> int:
        return int(self.run("node_count", row.identifiers)[0]["nodes"])

    @contextmanager
    def ingest(self, row: GraphRow, graph: Graph, progress: Progress | None) -> Iterator[Transaction]:
        self.sweep(row.name)
        constraint = f"edgedp_{row.version:x}"
        self.run("load_begin", name=row.name, nodeLabel=row.node_label, constraintName=constraint)
        try:
            self.run("load_constraint", row.identifiers | {"constraint_name": constraint})
            self._write(row, graph, progress)
            with self.transaction() as tx:
                if not tx.run("load_end", nodeLabel=row.node_label):
                    raise _cleared(row.name)
                yield tx
        except BaseException:
            # A server that went away keeps what was written; the next load of this name clears it.
            with contextlib.suppress(Exception):
                self.sweep(row.name)
            raise

    def _write(self, row: GraphRow, graph: Graph, progress: Progress | None) -> None:
        """Write nodes and edges in batches; a batch that finds its nodes gone stops the load."""
        ids = graph.node_ids
        identifiers = row.identifiers | {"display_label": row.display_label or "Node"}
        total, done = graph.node_count + graph.edge_count, 0
        for start in range(0, graph.node_count, _NODE_BATCH):
            self.run("load_nodes", identifiers, rows=ids[start : start + _NODE_BATCH].tolist())
            done = min(start + _NODE_BATCH, graph.node_count)
            if progress is not None:
                progress("writing", done, total)
        edges = graph.edges()
        sent: tuple[Any, int] | None = None
        for start in range(0, len(edges), _EDGE_BATCH):
            batch = edges[start : start + _EDGE_BATCH]
            nodes, adjacent = _adjacent(batch)  # while the server writes the batch before
            if sent is not None:
                _check_written(*sent, row.name)
            result = self.send("load_edges", identifiers, ids=ids[nodes].tolist(), adjacent=adjacent)
            sent = result, len(batch)
            if progress is not None:
                progress("writing", done + start, total)
        if sent is not None:
            _check_written(*sent, row.name)
            if progress is not None:
                progress("writing", total, total)

    def retire(self, tx: Transaction, row: GraphRow) -> None:
        tx.run(
            "load_begin", name=row.name, nodeLabel=row.node_label, constraintName=f"edgedp_{row.version:x}"
        )

    def sweep(self, name: str) -> None:
        for left in self.run("leftovers", name=name):
            label = {"node_label": left["nodeLabel"]}
            while self.run("clear", label, most=_CLEAR_BATCH)[0]["cleared"]:
                pass
            self.run("load_drop_constraint", {"constraint_name": left["constraintName"]})
            self.run("load_end", nodeLabel=left["nodeLabel"])


class Neo4jTransaction(Transaction):
    """An explicit transaction."""

    def __init__(self, tx: Any) -> None:
        self._tx = tx

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        return cast("list[Row]", self._tx.run(_text(statement, identifiers), parameters).data())


def _adjacent(edges: NDArray[Any]) -> tuple[NDArray[np.int64], list[list[Any]]]:
    """Return the nodes of edges sorted by their first end, and ``[i, [j, ...]]`` in positions among these nodes."""
    nodes, positions = np.unique(edges, return_inverse=True)
    sources, targets = positions.reshape(-1, 2).T
    firsts, starts = np.unique(sources, return_index=True)
    after = np.split(targets, starts[1:])
    return nodes, [[i, each.tolist()] for i, each in zip(firsts.tolist(), after, strict=True)]


def _check_written(result: Any, edges: int, name: str) -> None:
    """Wait for a batch and refuse the load if its nodes are gone."""
    if result.single()["written"] != edges:
        raise _cleared(name)


def _text(statement: str, identifiers: dict[str, str] | None) -> str:
    """Return a statement of ``queries/``; its identifiers are quoted, its values are parameters."""
    return query(_DIALECT, statement, **(identifiers or {}))


def _cleared(name: str) -> EdgeDPError:
    return StoreError(
        f"name is {name!r}, which somebody else loads at the same time, must be loaded once; load again"
    )
