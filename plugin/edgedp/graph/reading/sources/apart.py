"""MySQL and SQL Server by ConnectorX, in a process of its own that is asked by its standard input.

ConnectorX ends a broken read by a panic, which prints rows to the error stream of its process, and tries a wrong
password for half a minute. So its process keeps what it prints to itself, and is ended at the first refusal. It runs
this file by its path, and imports nothing else of edgedp.
"""

from __future__ import annotations

import configparser
import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

BATCH = 1 << 16
_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux: which signal comes when the thread that began this process ends."""

_WHOLE = b"whole\n"
_BEFORE = {
    "mysql": [
        "SET SESSION time_zone = '+00:00'",
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    ]
}
"""What is said on the connection of a statement before it: SQL Server's takes nothing."""


class DriverError(Exception):
    """What the driver said, which nobody is shown."""


class Driver:
    """The process of a driver.

    Parameters
    ----------
    address : str
        With user and password: it goes through a pipe, and neither into arguments nor into the environment.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._told: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(os.getpid())], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "RUST_LOG": "r2d2=error", "RUST_BACKTRACE": "0"},
        )  # fmt: skip
        self._listening = Thread(target=self._listen, daemon=True)
        self._listening.start()

    def rows(self, statement: str) -> Any:
        """Return the rows of a statement, which are few, as an Arrow table.

        Raises
        ------
        DriverError
        """
        import pyarrow as pa

        schema, batches = self._asked(statement)
        return pa.Table.from_batches(list(batches), schema)

    def batches(self, statement: str) -> Iterator[Any]:
        """Yield the rows of a statement as Arrow batches: all of them, or an error.

        Raises
        ------
        DriverError
        """
        return self._asked(statement)[1]

    def close(self) -> None:
        """End the process, and with it its connection."""
        self._process.kill()
        self._process.wait()
        self._listening.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _asked(self, statement: str) -> tuple[Any, Iterator[Any]]:
        import pyarrow as pa

        asked = {
            "address": self.address,
            "statement": statement,
            "before": _BEFORE.get(urlsplit(self.address).scheme),
        }
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101 -- it was opened so
        try:
            pipe.write(json.dumps(asked).encode() + b"\n")
            pipe.flush()
            reader = pa.ipc.open_stream(self._process.stdout)
        except (pa.ArrowException, OSError):
            self._refuse()
        return reader.schema, self._read(reader)

    def _read(self, reader: Any) -> Iterator[Any]:
        """Yield batches; a stream that ends anyhow is whole only where its process says so."""
        import pyarrow as pa

        try:
            yield from reader
            whole = self._process.stdout is not None and self._process.stdout.readline() == _WHOLE
        except (pa.ArrowException, OSError):
            whole = False
        if not whole:
            self._refuse(begun=True)

    def _refuse(self, *, begun: bool = False) -> Any:
        """Raise what was printed; of a read that had begun without the pool's next try, which is another failure."""
        self.close()
        raise DriverError(
            "".join(line for line in self._told if not (begun and "ERROR r2d2" in line))
        ) from None

    def _listen(self) -> None:
        """Keep what the process prints; the pool of connections would go on after a refusal."""
        for line in self._process.stderr or ():
            self._told.append(line.decode(errors="replace"))
            if b"ERROR r2d2" in line:
                self._process.kill()


def account_of(address: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str | None]:
    """Return the user and the password, if there is one, that the environment or the usual file gives.

    Examples
    --------
    >>> account_of("mysql://ada@localhost/bank", {"MYSQL_PWD": "x"}), account_of("mssql://h/b", {"SQLCMDUSER": "bob"})
    (('ada', 'x'), ('bob', None))
    >>> account_of("mssql+pyodbc://ada@h/b", {"MYSQL_PWD": "x"})
    ('ada', None)
    """
    parts = urlsplit(address)
    named = unquote(parts.username or "")
    if _is_mssql(parts.scheme):
        return named or environment.get("SQLCMDUSER", ""), environment.get("SQLCMDPASSWORD")
    file = _client_file(Path(environment.get("HOME", "")) / ".my.cnf")
    user = named or file.get("user") or environment.get("USER", "")
    return user, environment.get(
        "MYSQL_PWD", file.get("password") if named in ("", file.get("user", named)) else None
    )


def _client_file(path: Path) -> dict[str, str]:
    """Return what the file of MySQL's clients says to all of them."""
    found = configparser.ConfigParser(allow_no_value=True, strict=False, interpolation=None)
    try:
        lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("!")]
        found.read_string("\n".join(lines))
    except (OSError, ValueError, configparser.Error):
        return {}
    if not found.has_section("client"):
        return {}
    return {name: value.strip("'\"") for name, value in found.items("client") if value is not None}


def address_of(address: str, user: str, password: str | None, *, hidden: bool) -> str:
    """Return the address as ConnectorX takes it, for its process alone.

    Parameters
    ----------
    address : str
        Of the database, without a password.
    user, password : str
        As of `account_of`, or typed.
    hidden : bool
        Whether nobody on the way may read along, where the address does not say how.

    Examples
    --------
    >>> address_of("mariadb://db/bank", "ada", "p:w", hidden=True)
    'mysql://ada:p%3Aw@db/bank?ssl-mode=PREFERRED&prefer_socket=false'
    >>> address_of("mssql+pyodbc://db/bank", "ada", None, hidden=True)
    'mssql://ada@db/bank?encrypt=true'
    """
    parts = urlsplit(address)
    scheme = "mssql" if _is_mssql(parts.scheme) else "mysql"
    name, value = ("encrypt", "true") if scheme == "mssql" else ("ssl-mode", "PREFERRED")
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    if hidden and not {name, "sslmode"} & asked.keys():
        asked[name] = value
    if scheme == "mysql":
        # By itself the driver asks a server on the loopback for the path of its socket and goes there instead. Behind a
        # tunnel that path is one of another machine: here it is of no server, or of another one.
        asked.setdefault("prefer_socket", "false")
    account = quote(user, safe="") + ("" if password is None else ":" + quote(password, safe=""))
    host = parts.netloc.rpartition("@")[2]
    return f"{scheme}://{account}@{host}{parts.path}{'?' + urlencode(asked) if asked else ''}"


def _is_mssql(scheme: str) -> bool:
    """Whether it is SQL Server's, with or without a driver behind a plus, as SQLAlchemy writes it."""
    return scheme.partition("+")[0] == "mssql"


def is_here(address: str) -> bool:
    """Whether an address is of a server on this machine."""
    return (urlsplit(address).hostname or "localhost") in ("localhost", "127.0.0.1", "::1")


def _end_with(asker: int) -> None:
    """End this process with the one that asks, however that ends: a read that is waited for stops all of Python here.

    Linux sends the signal; elsewhere the process ends at its next batch.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != asker:
        sys.exit()


def _serve() -> None:
    """Answer each line of the standard input by its rows, and say when they are whole."""
    from importlib.metadata import version

    if int(version("pyarrow").partition(".")[0]) >= 18:  # needs no numpy, half of a start
        sys.modules["numpy"] = None  # type: ignore[assignment]
    import connectorx
    import pyarrow as pa

    out = sys.stdout.buffer
    for line in sys.stdin:
        asked = json.loads(line)
        reader = connectorx.read_sql(
            asked["address"], asked["statement"], return_type="arrow_stream", batch_size=BATCH,
            pre_execution_query=asked["before"],
        )  # fmt: skip
        with pa.ipc.new_stream(out, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        out.write(_WHOLE)
        out.flush()


if __name__ == "__main__":
    _end_with(int(sys.argv[1]))
    _serve()
