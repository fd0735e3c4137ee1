"""A file of 0.1.0, which was the whole store: how it is told, opened and read."""

from __future__ import annotations

import errno
import os
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

_OF_THE_MACHINE = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EMFILE,
    errno.ENFILE,
)
"""What keeps a whole file from being opened: an older backup in its place would not know what was spent since."""


def not_migrated(shown: Path, why: str | None) -> StoreError:
    """Return the refusal of a file that is whole, as far as is known, and waits where it is."""
    return StoreError(
        f"store is {shown}, a store of 0.1.0 that could not be migrated ({why}); "
        "check its folder's permissions and room"
    )


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
        bound = row["degreeBound"]
        if graph.node_count != row["nodeCount"] or (bound is not None and graph.max_degree > bound):
            raise StoreError(
                f"the graph {row['name']!r} of the store of 0.1.0 is not as it was loaded; restore a backup of the old "
                "file"
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
        if _pending(source):  # a library that has no room for a checkpoint says nothing
            raise not_migrated(shown, "its log was not taken in")
        with _opened(source, read_only=True) as connection:
            old = Old(connection)
            _check_ours(old, shown)
            yield old
    except (EdgeDPError, OSError, MemoryError):
        raise
    except Exception as error:  # whatever a row may hold that 0.1.0 did not write
        if "Could not set lock" in str(error):
            raise StoreUnavailableError(
                f"store is {shown}, a store of 0.1.0 that another process has open; wait for it and ask again"
            ) from None
        if why := next((each for each in map(os.strerror, _OF_THE_MACHINE) if each in str(error)), None):
            raise not_migrated(shown, why) from None
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
