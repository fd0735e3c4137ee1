"""Tables and queries of databases: one read-only transaction, rows in Arrow batches, and no password in any message."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol
from urllib.parse import quote, urlsplit

from edgedp.words.errors import GraphFormatError, ParameterError, UnknownNameError
from edgedp.words.shown import address_shown, shortened
from edgedp.words.spoken import FACE

__all__ = ["Database", "Session", "database_of", "quoted"]

BATCH = 1 << 16
_NAMES = {"postgresql": "PostgreSQL", "postgres": "PostgreSQL", "sqlite": "SQLite", "duckdb": "DuckDB"}
_UNREAD = {"mysql": "MySQL", "mariadb": "MariaDB", "mssql": "SQL Server", "oracle": "Oracle"}
_SECRET = re.compile(r"(?i)(pass|pwd|secret|token|sslkey)[^=&]*=")


class Session(Protocol):
    """A transaction that only reads."""

    def schema(self, statement: str) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
        """Return names and types of the columns of a statement, and its rows, which are few."""

    def batches(self, statement: str) -> Iterator[Any]:
        """Yield the rows of a statement as Arrow tables."""


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
        if self.kind not in ("sqlite", "duckdb"):
            return self.address
        return f"{self.kind}:///{_file_of(self).resolve()}"

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Open a transaction that only reads; every failure of the driver becomes one sentence of ours.

        Raises
        ------
        GraphFormatError, UnknownNameError, ParameterError
            The driver is not installed, the server or the file cannot be reached or read, or what is asked for is not
            there. No message repeats what the driver says, which may hold rows.
        """
        opened = {"sqlite": _sqlite, "duckdb": _duckdb}.get(self.kind, _postgresql)
        with opened(self) as session:
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
    if kind in _UNREAD:
        raise ParameterError(
            f"{address_shown(source)!r} is {_UNREAD[kind]}, must be PostgreSQL, SQLite or DuckDB; "
            "export the edges to Parquet and load those"
        )
    if kind not in _NAMES:
        return None
    try:
        parts = urlsplit(source)
        secret = parts.password is not None or bool(_SECRET.search(parts.query))
    except ValueError:
        raise ParameterError(
            f"{address_shown(source)!r} is not the address of a database; correct it"
        ) from None
    if secret:
        raise ParameterError(
            f"{address_shown(source)!r} holds a password, which others can see there; give it in PGPASSWORD or "
            "~/.pgpass, or give none and type it when asked"
        )
    return Database(kind, source)


def quoted(name: str) -> str:
    """Return a name as SQL writes it.

    Examples
    --------
    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _file_of(database: Database) -> Path:
    """Return the file of an address with three slashes, beside which a path from the root is taken where it is one."""
    written = database.address.partition("://")[2].partition("?")[0].removeprefix("/")
    path = Path(written)
    path = path if path.exists() or not Path("/" + written).exists() else Path("/" + written)
    if not written or not path.is_file():
        raise UnknownNameError(f"{database.name!r} does not exist; check the path")
    return path


# -- SQLite -----------------------------------------------------------------------------------------


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection, database: Database) -> None:
        self.connection = connection
        self.database = database

    def schema(self, statement: str) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
        with _one_sentence(self.database):
            cursor = self.connection.execute(statement)
            names = [column[0] for column in cursor.description]
            return names, [""] * len(names), cursor.fetchall()

    def batches(self, statement: str) -> Iterator[Any]:
        import pyarrow as pa

        with _one_sentence(self.database):
            cursor = self.connection.execute(statement)
        while True:
            with _one_sentence(self.database):
                rows = cursor.fetchmany(BATCH)
            if not rows:
                return
            try:
                yield pa.table(
                    [pa.array(column) for column in zip(*rows, strict=True)],
                    names=[str(i) for i in range(len(rows[0]))],
                )
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


# -- DuckDB -----------------------------------------------------------------------------------------


class _Duckdb:
    def __init__(self, connection: Any, database: Database) -> None:
        self.connection = connection
        self.database = database

    def schema(self, statement: str) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
        with _one_sentence(self.database):
            cursor = self.connection.execute(statement)
            description = cursor.description
            return (
                [each[0] for each in description],
                [str(each[1]) for each in description],
                cursor.fetchall(),
            )

    def batches(self, statement: str) -> Iterator[Any]:
        import pyarrow as pa

        with _one_sentence(self.database):
            for batch in self.connection.sql(statement).to_arrow_reader(BATCH):
                yield pa.Table.from_batches([batch])


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
            connection.execute("BEGIN TRANSACTION READ ONLY")
        yield _Duckdb(connection, database)
    finally:
        connection.close()


# -- PostgreSQL -------------------------------------------------------------------------------------


class _Postgresql:
    def __init__(self, cursor: Any, database: Database) -> None:
        self.cursor = cursor
        self.database = database

    def schema(self, statement: str) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
        with _one_sentence(self.database):
            self.cursor.execute(statement)
            reader = self.cursor.fetch_record_batch()
            kinds = [(each.metadata or {}).get(b"POSTGRESQL:type", b"").decode() for each in reader.schema]
            table = reader.read_all()
            columns = [table.column(i).to_pylist() for i in range(table.num_columns)]
            return table.schema.names, kinds, list(zip(*columns, strict=True))

    def batches(self, statement: str) -> Iterator[Any]:
        import pyarrow as pa

        with _one_sentence(self.database):
            self.cursor.execute(statement)
            for batch in self.cursor.fetch_record_batch():
                yield pa.Table.from_batches([batch])


@contextmanager
def _postgresql(database: Database) -> Iterator[Session]:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        _not_installed(database)
    mark = "&" if "?" in database.address else "?"
    address = (
        database.address
        if "connect_timeout=" in database.address
        else f"{database.address}{mark}connect_timeout=15"
    )
    connection = _connected(dbapi.connect, address, database)
    try:
        with connection.cursor() as cursor:
            with _one_sentence(database):
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
        asks = "no password supplied" in str(error) and FACE.get() == "command" and sys.stdin.isatty()
        if not asks:
            _refuse(error, database)
    from getpass import getpass

    scheme, _, rest = address.partition("://")
    user, _, host = rest.rpartition("@") if "@" in rest.partition("/")[0] else ("", "", rest)
    who = user or os.environ.get("PGUSER") or os.environ.get("USER", "")
    password = quote(getpass(f"password of {who} at {database.name}: "), safe="")
    with _one_sentence(database):
        return connect(f"{scheme}://{who}:{password}@{host}", autocommit=True)


# -- what went wrong --------------------------------------------------------------------------------


def _not_installed(database: Database) -> NoReturn:
    raise GraphFormatError(
        f"{database.name!r} needs a driver of {database.product}, which is not installed; install edgedp[databases]"
    ) from None


@contextmanager
def _one_sentence(database: Database) -> Iterator[None]:
    try:
        yield
    except (GraphFormatError, ParameterError, UnknownNameError, GeneratorExit):
        raise
    except Exception as error:
        _refuse(error, database)


_BY_STATE = {
    "42P01": "has no such table; check its name, and its schema before a dot",
    "42703": "has no such column; check its name, which is taken as it is written",
    "42501": "does not let this user read that; ask its owner for the right to select",
    "3F000": "has no such schema; check the name of the table",
    "28P01": "refused the password; check PGPASSWORD or ~/.pgpass",
}
_BY_WORDS = (
    (r"no password supplied|fe_sendauth", "asks for a password; give it in PGPASSWORD or ~/.pgpass"),
    (r"password authentication failed", "refused the password; check PGPASSWORD or ~/.pgpass"),
    (r"role .* does not exist|no pg_hba", "does not let this user in; check the user in the address"),
    (r"database .* does not exist", "has no database of that name; check the address"),
    (r"could not translate|Connection refused|timeout expired|No such file|Network is unreach",
     "cannot be reached; check host, port and network"),
    (r"server closed|terminating connection|connection .*(lost|reset|closed)|SSL SYSCALL|no connection to the server",
     "broke off in the middle; load it again"),
    (r"no such table|Table with name", "has no such table; check its name"),
    (r"no such column|Referenced column|Binder Error", "has no such column; check its name"),
    (r"not a database|not a valid DuckDB|Serialization Error|malformed|newer version",
     "is not a file of that database, or is damaged; give the path of a whole one"),
    (r"is locked|Conflicting lock|different configuration|busy",
     "is in use by another program that writes to it; load it when that has ended"),
    (r"syntax error|Parser Error|incomplete input", "does not understand the query; correct it"),
    (r"readonly|read-only|READ ONLY", "was asked to write, and is only read; give a query that selects"),
)  # fmt: skip


def _refuse(error: Exception, database: Database) -> NoReturn:
    """Refuse in a sentence of ours: what a driver says may repeat rows, and the statement."""
    told = str(error)
    says = _BY_STATE.get(str(getattr(error, "sqlstate", None)))
    says = says or next((says for words, says in _BY_WORDS if re.search(words, told)), None)
    if says is None:
        says = f"cannot be read ({shortened(type(error).__name__)}); check the query, or run it in a program of its own"
    kind = UnknownNameError if says.startswith("has no") else GraphFormatError
    raise kind(f"{database.name!r} {says}") from None
