"""From an address to a store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from edgedp.errors import ParameterError
from edgedp.stores.store import Store

__all__ = ["DEFAULT_STORE", "open_store"]

DEFAULT_STORE = "graphs.edgedp"

NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


def open_store(
    uri: str | os.PathLike[str] = DEFAULT_STORE,
    auth: Sequence[str] | None = None,
    *,
    database: str | None = None,
    lock_timeout: float = 60.0,
) -> Store:
    """Open a store of graphs.

    Parameters
    ----------
    uri : str or path
        A file of the embedded database, made by the first `Store.load`; or the address of a Neo4j server
        (``neo4j://``, ``bolt://``, also ``+s`` and ``+ssc``).
    auth : (user, password), optional
        For Neo4j; default ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``.
    database : str, optional
        For Neo4j; default ``NEO4J_DATABASE``, else the server's default.
    lock_timeout : float
        Seconds to wait for another writer.

    Returns
    -------
    Store
        The embedded file is opened for each operation and not held.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from edgedp import Graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(pathlib.Path(folder) / "graphs.edgedp")
    ...     _ = store.load(Graph.from_edges([(1, 2), (2, 3)]), name="path", epsilon_budget=1)
    ...     store.budget("path")["epsilon_remaining"]
    1.0
    """
    address = os.fspath(uri)
    scheme = address.split("://", 1)[0].lower() if "://" in address else ""
    if scheme in NEO4J_SCHEMES:
        from edgedp.stores.neo4j import Neo4jBackend

        return Store(Neo4jBackend.connect(address, auth, database, lock_timeout))
    if scheme:
        raise ParameterError(
            f"store is {address!r}, must be a file or begin with neo4j:// or bolt://; check the address"
        )
    from edgedp.stores.embedded import EmbeddedBackend

    return Store(EmbeddedBackend(Path(address).expanduser(), lock_timeout))
