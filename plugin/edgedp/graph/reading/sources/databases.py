"""Tables and queries of databases: one read-only transaction, rows in Arrow batches, and no password in any message."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from socket import create_connection
from typing import Any, NoReturn
from urllib.parse import quote, unquote, urlsplit

from edgedp.graph.arrows import shown_values
from edgedp.graph.reading.sources.apart import Driver, DriverError, account_of, address_of, is_here
from edgedp.graph.reading.sources.dialects import own_rows_of, whole_name
from edgedp.graph.reading.sources.sayings import sentence_of
from edgedp.graph.reading.sources.servers import server_of
from edgedp.words.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.words.shown import address_shown
from edgedp.words.spoken import FACE

BATCH = 1 << 16
_NAMES = {
    "postgresql": "PostgreSQL", "postgres": "PostgreSQL", "sqlite": "SQLite", "duckdb": "DuckDB", "mysql": "MySQL",
    "mariadb": "MariaDB", "mssql": "SQL Server",
}  # fmt: skip
_APART = {"mysql": "MYSQL_PWD or ~/.my.cnf", "mariadb": "MYSQL_PWD or ~/.my.cnf", "mssql": "SQLCMDPASSWORD"}
"""Databases that ConnectorX reads, and where their passwords come from."""
_EXTRAS = {"mysql": "mysql", "mariadb": "mysql", "mssql": "mssql"}
_SECRET = re.compile(r"(?i)(pass|pwd|secret|token|sslkey)[^=&]*=")

Few = tuple[list[str], list[str], list[tuple[Any, ...]]]
"""Names and types of columns, and rows."""


class Session(ABC):
    """A transaction that only reads; what a driver says when it fails becomes one sentence of ours."""

    def __init__(self, connection: Any, database: Database) -> None:
        self.connection = connection
        self.database = database

    def schema(self, statement: str) -> Few:
        """Return names and types of the columns of a statement, and its rows, which are few."""
        with _one_sentence(self.database):
            return self._few(statement)

    def batches(self, statement: str) -> Iterator[Any]:
        """Yield the rows of a statement as Arrow tables."""
        import pyarrow as pa

        with _one_sentence(self.database):
            for batch in self._batches(statement):
                yield pa.Table.from_batches([batch])

    @abstractmethod
    def _few(self, statement: str) -> Few: ...
    @abstractmethod
    def _batches(self, statement: str) -> Iterable[Any]: ...


@dataclass(frozen=True, slots=True)
class Database:
    """Where a database is: an address without secrets, of a server, or of a file."""

    kind: str
    address: str

    @property
    def name(self) -> str:
        """What messages call it."""
        return address_shown(self.address)

    @property
    def product(self) -> str:
        """The name of the program that made it."""
        return _NAMES[self.kind]

    def whole_address(self) -> str:
        """Return the address with the whole path of a file, which is the same from every folder."""
        of_file = self.kind in ("sqlite", "duckdb")
        return f"{self.kind}:///{os.path.realpath(_file_of(self))}" if of_file else self.address

    def has_own_rows(self, table: str) -> bool:
        """Return whether a name is that of a table with rows of its own: of no view, partition or foreign table.

        A server may find it by other letters, too (a Greek s, a blank behind it): it is one by those of the server.
        """
        with self.session() as session:
            found = session.schema(own_rows_of(self.kind, table))[2]
        base = server_of(self.address)[2] if self.kind in _APART else ""
        asked = [base.lower(), *whole_name(self.kind, table).lower().split(".")]
        return any([str(step).lower() for step in row] == asked[-len(row) :] for row in found)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a transaction that only reads; every failure of the driver becomes one sentence of ours.

        Raises
        ------
        GraphFormatError, UnknownNameError, ParameterError
            The driver is not installed, the server or the file cannot be reached or read, or what is asked for is not
            there. No message repeats what the driver says, which may hold rows.
        """
        opened = {"sqlite": _sqlite, "duckdb": _duckdb} | dict.fromkeys(_APART, _apart)
        with opened.get(self.kind, _postgresql)(self) as session:
            yield session


def database_of(source: str) -> Database | None:
    """Return the database that an address names; None where it is none of a database.

    Raises
    ------
    ParameterError
        It holds a password, or is of a database that is not read.

    Examples
    --------
    >>> database_of("postgresql://ada@db.example.org/bank").name, database_of("https://example.org/a.csv")
    ('postgresql://db.example.org/bank', None)
    """
    kind = source.partition("://")[0].lower().partition("+")[0]
    if kind == "oracle":
        raise ParameterError(
            "the address is of Oracle, which is not read; export the edges to Parquet and load those"
        )
    if kind not in _NAMES:
        return None
    try:
        parts = urlsplit(source)
        secret = parts.password is not None or bool(_SECRET.search(unquote(parts.query)))
    except ValueError:
        raise ParameterError(
            f"the address of a {_NAMES[kind]} database cannot be read; correct what stands after ://"
        ) from None
    if kind not in ("sqlite", "duckdb") and "@" in source.partition("://")[2][len(parts.netloc) :]:
        # of a password that holds one of / ? #: what stands before it would be taken for a host, and shown
        raise ParameterError(
            f"the address of a {_NAMES[kind]} database holds an @ behind the host; write it as %40, and give a "
            f"password in {_passwords(kind)}"
        )
    if secret:
        raise ParameterError(
            f"{address_shown(source)!r} holds a password, which others can see there; give it in "
            f"{_passwords(kind)}, or give none and type it when asked"
        )
    return Database(kind, source)


def _file_of(database: Database) -> Path:
    """Return the file of an address with three slashes, beside which a path from the root is taken where it is one."""
    written = database.address.partition("://")[2].partition("?")[0].removeprefix("/")
    path = Path(written)
    path = path if os.path.exists(path) or not os.path.exists("/" + written) else Path("/" + written)
    if not written or not os.path.isfile(path):
        raise UnknownNameError(f"{database.name!r} does not exist; check the path")
    return path


# -- SQLite -----------------------------------------------------------------------------------------


class _Sqlite(Session):
    def _few(self, statement: str) -> Few:
        cursor = self.connection.execute(statement)
        names = [column[0] for column in cursor.description]
        return names, [""] * len(names), cursor.fetchall()

    def _batches(self, statement: str) -> Iterator[Any]:
        import pyarrow as pa

        cursor = self.connection.execute(statement)
        while rows := cursor.fetchmany(BATCH):
            try:
                columns = [pa.array(column) for column in zip(*rows, strict=True)]
                yield pa.record_batch(columns, names=[str(i) for i in range(len(columns))])
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                raise GraphFormatError(
                    f"{self.database.name!r} holds integers and texts in one column, must hold ends of one type; "
                    "cast them in a query"
                ) from None


@contextmanager
def _sqlite(database: Database) -> Iterator[Session]:
    path = _file_of(database)
    with _one_sentence(database):
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=30
        )
    try:
        with _one_sentence(database):
            connection.execute("PRAGMA query_only = 1")
            connection.execute("BEGIN")
        yield _Sqlite(connection, database)
    finally:
        connection.close()


_IN_UTC = "SET TIME ZONE 'UTC'"
"""Before a statement that takes the day of a moment: by a zone of the machine, a row would be in another window."""


# -- DuckDB -----------------------------------------------------------------------------------------


class _Duckdb(Session):
    def _few(self, statement: str) -> Few:
        cursor = self.connection.execute(statement)
        names, kinds, *_ = zip(*cursor.description, strict=True)
        return list(names), list(map(str, kinds)), cursor.fetchall()

    def _batches(self, statement: str) -> Iterable[Any]:
        return self.connection.sql(statement).to_arrow_reader(BATCH)  # type: ignore[no-any-return]


INSIDE: ContextVar[bool] = ContextVar("inside", default=False)
"""Whether what is read must be at the address itself: what that leads to has another ledger."""


@contextmanager
def inside(*, only: bool = True) -> Iterator[None]:
    """Let a query read its database only meanwhile, and a download come from no other place; or let them again."""
    before = INSIDE.set(only)
    try:
        yield
    finally:
        INSIDE.reset(before)


@contextmanager
def _duckdb(database: Database) -> Iterator[Session]:
    try:
        import duckdb
    except ImportError:
        _not_installed(database)
    path = _file_of(database)
    with _one_sentence(database):
        connection = duckdb.connect(str(path), read_only=True)
    try:
        with _one_sentence(database):
            if INSIDE.get():
                connection.execute("SET enable_external_access = false")
            connection.execute(_IN_UTC)
            connection.execute("BEGIN TRANSACTION READ ONLY")
        yield _Duckdb(connection, database)
    finally:
        connection.close()


# -- PostgreSQL -------------------------------------------------------------------------------------


class _Postgresql(Session):
    def _few(self, statement: str) -> Few:
        reader = self._batches(statement)
        kinds = [(each.metadata or {}).get(b"POSTGRESQL:type", b"").decode() for each in reader.schema]
        return reader.schema.names, kinds, _rows_of(reader.read_all())

    def _batches(self, statement: str) -> Any:
        self.connection.execute(statement)
        return self.connection.fetch_record_batch()


@contextmanager
def _postgresql(database: Database) -> Iterator[Session]:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        _not_installed(database)
    # Its driver takes no capitals, and no +psycopg.
    address = f"postgresql://{database.address.partition('://')[2]}"
    if "connect_timeout=" not in address:
        address += f"{'&' if '?' in address else '?'}connect_timeout=15"
    connection = _connected(dbapi.connect, address, database)
    try:
        with connection.cursor() as cursor:
            with _one_sentence(database):
                cursor.execute(_IN_UTC)
                cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield _Postgresql(cursor, database)
    finally:
        with suppress(Exception):  # the server may be gone; what was read of it is refused already
            connection.close()


def _connected(connect: Callable[..., Any], address: str, database: Database) -> Any:
    """Connect; where a password is missing and somebody sits before the command line, ask for it."""
    try:
        return connect(address, autocommit=True)
    except Exception as error:
        if "no password supplied" not in str(error) or not _may_ask():
            _refuse(error, database)
    scheme, _, rest = address.partition("://")
    user, _, host = rest.rpartition("@") if "@" in rest.partition("/")[0] else ("", "", rest)
    who = user or os.environ.get("PGUSER") or os.environ.get("USER", "")
    password = quote(_typed(who, database), safe="")
    with _one_sentence(database):
        return connect(f"{scheme}://{who}:{password}@{host}", autocommit=True)


def _may_ask() -> bool:
    return FACE.get() == "command" and sys.stdin.isatty()


def _typed(user: str, database: Database) -> str:
    from getpass import getpass

    return getpass(f"password of {user} at {database.name}: ")


# -- MySQL and SQL Server ---------------------------------------------------------------------------


class _Apart(Session):
    def _few(self, statement: str) -> Few:
        table = self.connection.rows(statement)
        return table.schema.names, list(map(str, table.schema.types)), _rows_of(table)

    def _batches(self, statement: str) -> Iterator[Any]:
        return self.connection.batches(statement)  # type: ignore[no-any-return]


@contextmanager
def _apart(database: Database) -> Iterator[Session]:
    if find_spec("connectorx") is None:
        _not_installed(database)
    with _one_sentence(database):
        driver = _driven(database)
    try:
        yield _Apart(driver, database)
    finally:
        driver.close()


def _driven(database: Database) -> Driver:
    """Return a driver that has come in: encrypted where the server can, with a password if it asks."""
    parts = urlsplit(database.address)
    if database.kind == "mssql":  # whose driver tries for half a minute
        create_connection((parts.hostname or "localhost", parts.port or 1433), timeout=15).close()
    user, password = account_of(database.address)
    hidden = database.kind == "mssql" or not is_here(database.address)
    while True:
        driver = Driver(address_of(database.address, user, password, hidden=hidden))
        try:
            driver.rows("SELECT 1 AS one")
        except DriverError as error:
            if hidden and "does not have this capability" in str(error):
                hidden = False
            elif password is None and re.search(r"Access denied|Login failed", str(error)) and _may_ask():
                password = _typed(user, database)
            else:
                raise
        else:
            return driver


def _rows_of(table: Any) -> list[tuple[Any, ...]]:
    """Return the rows of an Arrow table, of which two columns may have one name."""
    return list(zip(*map(shown_values, table.columns), strict=True))


# -- what went wrong --------------------------------------------------------------------------------


def _passwords(kind: str) -> str:
    return _APART.get(kind, "PGPASSWORD or ~/.pgpass")


def _not_installed(database: Database) -> NoReturn:
    raise GraphFormatError(
        f"{database.name!r} needs a driver of {database.product}, which is not installed; "
        f"install edgedp[{_EXTRAS.get(database.kind, 'databases')}]"
    ) from None


@contextmanager
def _one_sentence(database: Database) -> Iterator[None]:
    try:
        yield
    except (GraphFormatError, ParameterError, UnknownNameError, GeneratorExit):
        raise
    except Exception as error:
        _refuse(error, database)


def _refuse(error: Exception, database: Database) -> NoReturn:
    """Refuse in a sentence of ours: what a driver says may repeat rows, and the statement."""
    says = sentence_of(error, _passwords(database.kind))
    kind = UnknownNameError if says.startswith("has no") else GraphFormatError
    raise kind(f"{database.name!r} {says}") from None
