"""The embedded store: one file of the ladybug database, opened for each operation and not held."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.errors import ParameterError, StoreError, StoreUnavailableError
from edgedp.graph import Graph
from edgedp.queries import query
from edgedp.stores.backend import Backend, GraphRow, Row, Session, Transaction
from edgedp.stores.cypher import CypherProjection

if TYPE_CHECKING:
    from edgedp.projection import Projection
    from edgedp.reading.progress import Progress

__all__ = ["EmbeddedBackend"]

_DIALECT = "embedded"
_SCHEMA = ("schema_graph", "schema_ledger", "schema_release", "schema_budget_change")
_BUFFER_POOL = 1 << 30
_ROOM = 64 << 20
"""Bytes that must be free before anything is begun: the database ends its process where its log cannot grow."""


class EmbeddedBackend(Backend):
    """A file; every session opens it, waiting for another process that has it open."""

    cypher = frozenset[str]()

    def __init__(self, path: Path, lock_timeout: float) -> None:
        self._path = path
        self._lock_timeout = lock_timeout

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        if not create and not self._path.is_file():
            raise StoreError(
                f"store is {self._path}, must be an existing store file; load a graph into it first, or check --store"
            )
        with (
            _private_files(),
            self._alone(),
            closing(self._open()) as database,
            closing(EmbeddedSession(database)) as session,
        ):
            session.prepare(self._path)
            yield session

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock file beside the store: the database itself reads its files before it locks them."""
        import filelock

        self._check_place()
        self._check_room()
        lock = filelock.FileLock(f"{self._path}.lock", timeout=self._lock_timeout, poll_interval=0.01)
        try:
            lock.acquire()
        except filelock.Timeout:
            raise StoreUnavailableError(
                f"store is {self._path}, which another process has kept open for {self._lock_timeout:g} s, "
                "must be free; wait for it and ask again"
            ) from None
        try:
            yield
        finally:
            lock.release()

    def _open(self) -> Any:
        import ladybug

        try:
            # A log that was torn while a transaction was written is replayed up to the tear: what was
            # committed before it holds, what was torn was never acknowledged and nothing was drawn for it.
            return ladybug.Database(
                str(self._path), buffer_pool_size=_BUFFER_POOL, throw_on_wal_replay_failure=False
            )
        except RuntimeError as error:
            text = str(error)
            if "not a valid" in text:
                raise StoreError(
                    f"store is {self._path}, which is not a store file, must be one; choose another file"
                ) from None
            raise StoreError(
                f"store is {self._path}, which cannot be opened; the database says: {_first_line(text)}"
            ) from None

    def _check_place(self) -> None:
        if self._path.is_dir():
            raise StoreError(f"store is {self._path}, which is a folder, must be a file; choose another path")
        if not self._path.parent.is_dir():
            raise StoreError(f"store is {self._path}, whose folder does not exist, must exist; make it first")
        if not all(os.access(place, os.W_OK) for place in (self._path.parent, self._path) if place.exists()):
            raise StoreError(
                f"store is {self._path}, which may not be written, must be; check its permissions"
            )

    def _check_room(self) -> None:
        if shutil.disk_usage(self._path.parent).free < _ROOM:
            raise StoreError(
                f"store is {self._path}, whose disk has less than {_ROOM >> 20} MB left, must have more; make room"
            )

    def place(self, name: str, version: int, label: str | None, kind: str | None) -> GraphRow:
        if label is not None or kind is not None:
            raise ParameterError(
                "node_label and relationship_type are options of a Neo4j store, must be left out here; drop them"
            )
        return GraphRow(
            name,
            version,
            f"Node_{version:x}",
            f"Edge_{version:x}",
            "id",
            0,
            None,
            nodes_supplied=False,
            loaded=True,
        )

    def survey(self, session: Session, row: GraphRow) -> GraphRow:
        raise StoreError(
            "register is for a graph that is already in Neo4j, must have a store neo4j://...; use load for a file"
        )

    def projection(self, row: GraphRow) -> Projection:
        return CypherProjection(self, row)


class EmbeddedSession(Session):
    """An open file."""

    def __init__(self, database: Any) -> None:
        import ladybug

        self._connection: Any = ladybug.Connection(database)

    def close(self) -> None:
        """Let go of the connection; the file stays locked as long as one is open."""
        self._connection.close()

    def prepare(self, path: Path) -> None:
        """Make the tables of the registry and the ledger in an empty file; refuse another program's file."""
        tables = {row["name"] for row in self.run("tables")}
        if "EdgeDPLedger" in tables:
            return
        if tables:
            raise StoreError(
                f"store is {path}, which is a database of another program, must be a store of edgedp; "
                "choose another file"
            )
        with self.transaction() as tx:
            for name in _SCHEMA:
                tx.run(name)

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        with closing(self._execute(statement, identifiers, parameters)) as result:
            names = result.get_column_names()
            return [dict(zip(names, row, strict=True)) for row in result.get_all()]

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        self._connection.execute("BEGIN TRANSACTION").close()
        try:
            yield EmbeddedTransaction(self)
            self._commit()
        except BaseException:
            # Where the commit itself failed there is nothing left to roll back.
            with contextlib.suppress(RuntimeError):
                self._connection.execute("ROLLBACK").close()
            raise

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT").close()
        except RuntimeError as error:
            raise StoreError(
                "the store could not write the transaction, must have room and be writable; "
                f"it says: {_first_line(error)}"
            ) from None

    def graph(self, row: GraphRow) -> Graph:
        with closing(self._execute("nodes", row.identifiers, {})) as nodes:
            node_ids = _ids(nodes.get_as_arrow().column("id"))
        with closing(self._execute("edges", row.identifiers, {})) as pairs:
            edges = pairs.get_as_arrow()
        ends = np.column_stack(
            [np.searchsorted(node_ids, _ids(edges.column(name))) for name in ("source", "target")]
        ).reshape(-1, 2)
        return Graph.from_positions(node_ids, ends, nodes_supplied=row.nodes_supplied)

    def node_count(self, row: GraphRow) -> int:
        return row.node_count

    @contextmanager
    def ingest(self, row: GraphRow, graph: Graph, progress: Progress | None) -> Iterator[Transaction]:
        import pyarrow

        ids = graph.node_ids
        ends = graph.edges()
        texts = ids.dtype.kind == "U"
        with self.transaction() as tx:
            tx.run("create_text_nodes" if texts else "create_nodes", row.identifiers)
            tx.run("create_edges", row.identifiers)
            tx.run("copy_nodes", row.identifiers, rows=pyarrow.table({"id": ids.tolist() if texts else ids}))
            if len(ends):
                values = pyarrow.array(ids.tolist() if texts else ids)
                columns = {
                    end: values.take(pyarrow.array(ends[:, i])) for i, end in enumerate(("from", "to"))
                }
                tx.run("copy_edges", row.identifiers, rows=pyarrow.table(columns))
            if progress is not None:
                progress("writing", graph.edge_count, graph.edge_count)
            yield tx

    def retire(self, tx: Transaction, row: GraphRow) -> None:
        for table in (row.relationship_type, row.node_label):
            tx.run("drop_table", {"table": table})

    def _execute(self, statement: str, identifiers: dict[str, str] | None, parameters: dict[str, Any]) -> Any:
        text = query(_DIALECT, statement, **(identifiers or {}))
        # The database refuses a parameter that the statement does not name.
        named = {name: value for name, value in parameters.items() if f"${name}" in text}
        try:
            return self._connection.execute(text, named)
        except RuntimeError as error:
            raise StoreError(
                f"the embedded database refused the statement {statement!r}; it says: {_first_line(error)}"
            ) from None


class EmbeddedTransaction(Transaction):
    """The open transaction of a session."""

    def __init__(self, session: EmbeddedSession) -> None:
        self._session = session

    def run(self, statement: str, identifiers: dict[str, str] | None = None, **parameters: Any) -> list[Row]:
        return self._session.run(statement, identifiers, **parameters)


@contextmanager
def _private_files() -> Iterator[None]:
    """Let the store and its log be readable by their owner only: they hold the private edges."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]


def _ids(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.to_numpy()
    return values.astype(np.str_) if values.dtype.kind == "O" else values.astype(np.int64, copy=False)
