"""A file of 0.1.0, which was the whole store: how it is told, opened and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from edgedp.graph.graph import Graph
from edgedp.stores.embedded import database
from edgedp.words.errors import EdgeDPError, StoreError, StoreUnavailableError

_MAGIC = (b"LBUG", b"KUZU")
PENDING = (".wal", ".wal.checkpoint", ".shadow")
"""What a killed 0.1.0 leaves beside its file: committed debits that the database has yet to take in."""


def is_old_store(path: Path) -> bool:
    """Return whether a file begins as the database library's do; an empty file is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(4) in _MAGIC
    except OSError:
        return False


class Old:
    """An open file of 0.1.0."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return all rows of a table; a column that an early version did not have is None."""
        with closing(self._connection.execute(f"MATCH (row:{table}) RETURN row")) as result:
            found = [row[0] for row in result.get_all()]
        columns = ("delta", "declared", "budgetRho", "spentRho", "maxPerRelease", "requestId")
        return [dict.fromkeys(columns) | row for row in found]

    def tables(self) -> set[str]:
        """Return the names of the tables."""
        with closing(self._connection.execute("CALL show_tables() RETURN name")) as result:
            return {row[0] for row in result.get_all()}

    def graph(self, row: Mapping[str, Any]) -> Graph:
        """Return the graph of a row of the registry."""
        place = {
            "node_label": row["nodeLabel"],
            "relationship_type": row["relationshipType"],
            "id_property": row["idProperty"],
        }
        ids, ends = database.columns(self._connection, place)
        graph = Graph.from_positions(ids, ends, nodes_supplied=bool(row["nodesSupplied"]))
        if graph.node_count != row["nodeCount"]:
            raise StoreError(
                f"the graph {row['name']!r} of the store of 0.1.0 is not whole; restore a backup of the old file"
            )
        return graph


@contextmanager
def opened_old(source: Path, shown: Path) -> Iterator[Old]:
    """Open a file of 0.1.0 after its log was taken in; one that is damaged or another program's is refused."""
    try:
        if not _pending(source):
            with _opened(source, read_only=True) as connection:
                _check_ours(Old(connection), shown)
        # Opened for writing once: what a kill left is taken in, and a log that cannot be is refused.
        with _opened(source, read_only=False):
            pass
        if _pending(source):
            raise StoreError(
                f"store is {shown}, a store of 0.1.0 whose log was not taken in; restore a backup of the old file"
            )
        with _opened(source, read_only=True) as connection:
            old = Old(connection)
            _check_ours(old, shown)
            yield old
    except (RuntimeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, EdgeDPError):
            raise
        if "Could not set lock" in str(error):
            raise StoreUnavailableError(
                f"store is {shown}, a store of 0.1.0 that another process has open; wait for it and ask again"
            ) from None
        raise StoreError(
            f"store is {shown}, a store of 0.1.0 that is damaged or whose log is torn "
            f"({str(error).partition(chr(10))[0]}); restore a backup of the old file"
        ) from None


def _pending(source: Path) -> bool:
    return any(source.with_name(source.name + end).exists() for end in PENDING)


@contextmanager
def _opened(source: Path, *, read_only: bool) -> Iterator[Any]:
    from edgedp.stores.embedded.parts.loaded import ladybug

    with (
        closing(ladybug.Database(str(source), read_only=read_only, buffer_pool_size=1 << 30)) as database,
        closing(ladybug.Connection(database)) as connection,
    ):
        yield connection


def _check_ours(old: Old, shown: Path) -> None:
    if "EdgeDPLedger" not in old.tables():
        raise StoreError(
            f"store is {shown}, which is a database of another program and not a store; choose another path"
        )
