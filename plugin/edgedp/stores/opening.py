"""From an address to a store."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edgedp.graph.ids import number_of
from edgedp.ledger.backend import Backend
from edgedp.mechanisms.checks import check_text, check_whole
from edgedp.stores.releases.memory import DEFAULT_BYTES
from edgedp.stores.store import Store
from edgedp.words.containers import is_list
from edgedp.words.errors import ParameterError
from edgedp.words.places import expanded
from edgedp.words.shown import address_shown, shortened
from edgedp.words.vocabulary import is_word

DEFAULT_STORE = "graphs.edgedp"

NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
GATEWAY_SCHEMES = ("https", "http")
_OF_A_SERVER = re.compile(r"[^/\\]+:[0-9]{2,5}(/.*)?", re.DOTALL)


def open_store(
    uri: str | os.PathLike[str] = DEFAULT_STORE,
    auth: Sequence[str] | None = None,
    *,
    database: str | None = None,
    lock_timeout: float = 60.0,
    graph_memory: int = DEFAULT_BYTES,
    head: str | None = None,
    token: str | None = None,
    ca_file: str | os.PathLike[str] | None = None,
) -> Store:
    """Open a store of graphs.

    Parameters
    ----------
    uri : str or path
        A folder, the embedded store, made by the first `Store.load`; or the address of a Neo4j server
        (``neo4j://``, ``bolt://``, also ``+s`` and ``+ssc``); or of a gateway (``https://``, on this machine also
        ``http://``), where an analyst's methods are and no other.
    auth : (user, password), optional
        For Neo4j; default ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``. Where no password is set none is sent, which a
        server with ``dbms.security.auth_enabled=false`` accepts.
    database : str, optional
        For Neo4j; default ``NEO4J_DATABASE``, else the server's default.
    lock_timeout : float
        Seconds to wait for another writer.
    graph_memory : int
        Bytes of graphs of an embedded store that are kept in memory while their version stands; 0 keeps none.
    head : str, optional
        ``SEQ:HASH NAME``, or a file of such lines: a store without this history is refused, for it is an older
        copy. Default ``EDGEDP_LEDGER_HEAD``.
    token : str, optional
        For a gateway; default ``EDGEDP_TOKEN``.
    ca_file : str or path, optional
        For a gateway whose certificate is signed by an authority of your own: its certificate, a PEM file. Default
        ``SSL_CERT_FILE``, else the public authorities.

    Returns
    -------
    Store
        The embedded store is opened for each operation and not held.

    Raises
    ------
    ParameterError
        The address is no store's, or an option does not go with it.
    AccessError
        The token of a gateway is missing.
    EngineError
        A gateway is asked, and httpx is not installed.

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
    address = _text_of(uri)
    scheme = address.split("://", 1)[0].lower() if "://" in address else ""
    for given, value in (("token", token), ("ca_file", ca_file)):
        if value is not None and scheme not in GATEWAY_SCHEMES:
            raise ParameterError(
                f"a {given} goes with the https:// address of a gateway; ask without it here"
            )
    wait, memory = _seconds(lock_timeout), _bytes(graph_memory)
    if scheme in NEO4J_SCHEMES:
        check_address(address)
        from edgedp.stores.neo4j.backend import Neo4jBackend

        backend: Backend = Neo4jBackend.connect(address, _user_and_password(auth), _database(database), wait)
        return Store(backend, graph_memory=memory, head=head)
    if scheme in GATEWAY_SCHEMES:
        from edgedp.stores.remote import RemoteStore

        if token is None or is_word(token, ""):
            token = os.environ.get("EDGEDP_TOKEN")
        return RemoteStore(address, token, ca_file=ca_file)
    if scheme:
        raise ParameterError(
            f"store is {address_shown(address)!r}, must be a path or begin with neo4j://, bolt:// or https://; "
            "check the address"
        )
    from edgedp.stores.embedded import EmbeddedBackend

    backend = EmbeddedBackend(_folder_at(address), wait)
    return Store(backend, graph_memory=memory, head=head)


def _text_of(uri: Any) -> str:
    address = os.fspath(uri) if isinstance(uri, (str, os.PathLike)) else None
    if not isinstance(address, str) or not address.strip() or "\0" in address:
        raise ParameterError(
            f"store is {uri!r}, must be a path, or the address of a Neo4j server or a gateway"
        )
    return address


def _seconds(lock_timeout: Any) -> float:
    given = number_of(lock_timeout)
    if not 0 <= given < math.inf:
        raise ParameterError(
            f"lock_timeout is {shortened(repr(lock_timeout))}, must be a number of seconds, 0 or more; "
            "give one such as 60"
        )
    return given


def _bytes(graph_memory: Any) -> int:
    if (given := check_whole(graph_memory, "graph_memory")) < 0:
        raise ParameterError(f"graph_memory is {given}, must be 0 or more; give a number of bytes")
    return given


def _user_and_password(auth: Any) -> tuple[str, str] | None:
    """Return who logs in; what was given may hold a password, and is not shown."""
    listed = list(auth) if is_list(auth) else []
    if auth is None:
        return None
    if len(listed) != 2 or not all(isinstance(each, str) for each in listed):
        raise ParameterError("auth must be a user and a password, two texts; give both, as (user, password)")
    return listed[0], listed[1]


def _database(database: Any) -> str | None:
    return None if database is None or is_word(database, "") else check_text(database, "database")


def _folder_at(address: str) -> Path:
    """Return the path of a store; the name of a server without a scheme is not taken for a folder to make."""
    if _OF_A_SERVER.fullmatch(address) and not os.path.lexists(address.partition("/")[0]):
        check_address(address)
        raise ParameterError(
            f"store is {address!r}, which looks like a server; write neo4j://{address} or https://{address}, or "
            f"./{address} for a folder"
        )
    folder = expanded(address, "store")
    if not Path(os.path.realpath(folder)).name:
        raise ParameterError(f"store is {address!r}, must be a folder of its own; choose another path")
    return folder


def check_address(address: str) -> None:
    """Refuse an address of a server that holds a user, a password or a query; it is never shown.

    Examples
    --------
    >>> check_address("neo4j://localhost:7687")
    """
    if "@" in address or "?" in address:
        raise ParameterError(
            "store holds a user or password or a query, must be only an address; "
            "set NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE"
        )
