"""The Neo4j store, over Bolt."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from edgedp.ledger.backend import Backend, Session
from edgedp.ledger.rows import GraphRow
from edgedp.stores.neo4j import places
from edgedp.stores.neo4j import schema as neo4j_schema
from edgedp.stores.neo4j.errors import one_line_errors
from edgedp.stores.neo4j.login import user_and_password
from edgedp.stores.neo4j.session import DIALECT, Neo4jSession
from edgedp.stores.statements.cypher import CypherProjection
from edgedp.stores.statements.queries import query, statement_names
from edgedp.words.errors import ParameterError
from edgedp.words.shown import address_shown

if TYPE_CHECKING:
    from edgedp.ledger.backend import ServerPlugin
    from edgedp.mechanisms.projection import NumberProjection

_NO_SUCH_PROCEDURE = "Neo.ClientError.Procedure.ProcedureNotFound"


class Neo4jBackend(Backend):
    """A database of a Neo4j server."""

    keeps_directions = True
    # A metric without a statement is not among them, and refused.
    cypher = statement_names("neo4j") | {"max_common_neighbors", "sensitivity"}
    titles_are_properties = True
    has_types = True

    def __init__(self, driver: Any, address: str, database: str | None, lock_timeout: float) -> None:
        self._driver = driver
        self._address = address
        self._database = database
        self._lock_timeout = lock_timeout
        self._of_this_version = False
        self._authenticates: bool | None = None

    @classmethod
    def connect(
        cls, address: str, auth: Sequence[str] | None, database: str | None, lock_timeout: float
    ) -> Neo4jBackend:
        """Make a driver; user, password and database default to ``NEO4J_USERNAME`` and its like.

        Where there is no password none is sent: a server that authenticates nobody needs none.
        """
        import neo4j

        if "@" in address:
            raise ParameterError(
                "store holds a user or password, must be only an address; set NEO4J_USERNAME and NEO4J_PASSWORD"
            )
        if auth is None:
            user, password = user_and_password()
            auth = None if password is None else (user, password)
        # What the driver logs is said by our own errors, once.
        logging.getLogger("neo4j").addHandler(logging.NullHandler())
        database = database or os.environ.get("NEO4J_DATABASE") or None
        try:
            driver = neo4j.GraphDatabase.driver(
                address,
                auth=None if auth is None else (auth[0], auth[1]),
                user_agent="edgedp",
                connection_timeout=min(lock_timeout, 15.0),
                connection_acquisition_timeout=lock_timeout,
                notifications_min_severity="OFF",
            )
        except (ValueError, neo4j.exceptions.DriverError):
            raise ParameterError(
                f"store is {address}, must be an address such as neo4j://localhost:7687; correct it"
            ) from None
        return cls(driver, address, database, lock_timeout)

    @property
    def place_shown(self) -> str:
        return address_shown(self._address)

    @contextmanager
    def session(self, *, create: bool = False) -> Iterator[Session]:
        with (
            one_line_errors(self._address, self._database),
            self._driver.session(database=self._database) as session,
        ):
            if self._authenticates is None:
                self._authenticates = _authenticates(session)
            opened = Neo4jSession(
                session, self._address, self._database, self._lock_timeout, authenticates=self._authenticates
            )
            if not self._of_this_version:
                self._of_this_version = neo4j_schema.ensure(opened, create=create)
            yield opened

    def settle(self, session: Session) -> None:
        self._of_this_version = neo4j_schema.ensure(session, create=True)

    def place(self, name: str, version: int, label: str | None, kind: str | None) -> GraphRow:
        return places.loaded_place(name, version, label, kind)

    def survey(
        self, session: Session, row: GraphRow, *, allow_empty: bool = False
    ) -> tuple[GraphRow, dict[str, int]]:
        places.check_names(row)
        neo4j_schema.ensure(session, create=True)
        found = session.run("survey", row.identifiers, nodeLabel=row.node_label)[0]
        places.check_survey(row, found)
        for label in row.labels:
            if not session.run("survey_index", nodeLabel=label, idProperty=row.id_property):
                raise places.index_hint(row, label)
        edges, largest = _counted(session, row)
        if row.degree_bound is not None and largest > row.degree_bound:
            raise ParameterError(
                f"degree_bound is {row.degree_bound}, must be at least the graph's largest degree, {largest}; "
                "declare a larger bound"
            )
        if not allow_empty:
            places.check_some_edge(row, edges)
        exact = {"edge_count": edges, "max_degree": largest}
        return replace(row, node_count=int(found["candidates"])), exact

    def projection(self, row: GraphRow) -> NumberProjection:
        return CypherProjection(self, row)

    def plugin(self) -> ServerPlugin:
        from edgedp.stores.neo4j.plugin import server_plugin

        with one_line_errors(self._address, self._database):
            return server_plugin(self._driver, self._database)

    def close(self) -> None:
        self._driver.close()


def _counted(session: Session, row: GraphRow) -> tuple[int, int]:
    """Return the number of edges and the largest degree: counted in the database where each relationship is an edge."""
    if row.projection is None or row.projection.every:
        counts = session.run("counts", row.identifiers)[0]
        return int(counts["edges"]), int(counts["maxDegree"])
    graph = cast("Neo4jSession", session).unregistered(row)
    return graph.edge_count, graph.max_degree


def _authenticates(session: Any) -> bool:
    """Find out whether the server authenticates its users: where it does not, it has no procedure that names one."""
    from neo4j.exceptions import ClientError

    try:
        session.run(query(DIALECT, "current_user")).consume()
    except ClientError as error:
        if error.code != _NO_SUCH_PROCEDURE:
            raise
        return False
    return True
