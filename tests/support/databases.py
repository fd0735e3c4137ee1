"""Servers of Debian's packages on free ports, started and ended by the tests that ask for them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread

import pytest

__all__ = ["MariaDB", "Server", "binaries", "cut_after", "free_port", "mariadb", "postgresql"]


def binaries() -> Path | None:
    """Return the folder of PostgreSQL's programs, where they are installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Server:
    """A server for one test: its address, statements for it, and an end in the middle."""

    def __init__(self, programs: Path, folder: Path, port: int) -> None:
        self.programs, self.folder, self.port = programs, folder, port
        self.address = f"postgresql://postgres@127.0.0.1:{port}/postgres"

    def control(self, *words: str) -> None:
        """Run pg_ctl, as the user that the server runs as."""
        options = f"-k {self.folder} -h 127.0.0.1 -p {self.port} -c fsync=off"
        words = (str(self.programs / "pg_ctl"), "-w", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"),
                 "-o", options, *words)  # fmt: skip
        subprocess.run(_as_postgres(words), check=True, capture_output=True, cwd=self.folder)

    def run(self, *statements: str, database: str = "postgres") -> str:
        """Run statements by psql, and return what it prints."""
        words = [
            str(self.programs / "psql"),
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "postgres",
            "-Atq",
            database,
        ]
        for statement in statements:
            words += ["-c", statement]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _as_postgres(words: tuple[str, ...]) -> list[str]:
    """Let the user postgres run a program: the server refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else list(words)


@contextmanager
def postgresql() -> Iterator[Server]:
    """Start a server; the test is skipped where Debian's package is missing."""
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    port = free_port()
    folder = Path(mkdtemp(prefix="edgedp-pg-", dir="/tmp"))  # a socket's path must be short
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    server = Server(programs, folder, port)
    try:
        initdb = (str(programs / "initdb"), "-A", "trust", "-U", "postgres", "-N", "-D", str(folder / "data"))
        subprocess.run(_as_postgres(initdb), check=True, capture_output=True, cwd=folder)
        server.control("start")
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.control("-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


class MariaDB:
    """A server that speaks as MySQL does: its address, statements for it, and an end in the middle."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        self.folder, self.port = folder, port
        self.address = f"mysql://root@127.0.0.1:{port}/bank"
        words = [_sbin("mariadbd"), "--no-defaults", f"--datadir={folder}/data", f"--socket={folder}/socket",
                 f"--port={port}", "--bind-address=127.0.0.1", "--skip-name-resolve", "--innodb-flush-method=nosync",
                 f"--pid-file={folder}/pid", *options, *(["--user=root"] if os.geteuid() == 0 else [])]  # fmt: skip
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log)
        while self.process.poll() is None:
            if subprocess.run(self._client("SELECT 1"), capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise AssertionError((folder / "log").read_text())

    def run(self, *statements: str) -> str:
        """Run statements by the client, and return what it prints."""
        own = {name: value for name, value in os.environ.items() if name != "MYSQL_PWD"}
        done = subprocess.run(self._client("; ".join(statements)), capture_output=True, text=True, env=own)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def _client(self, statements: str) -> list[str]:
        return ["mariadb", "--no-defaults", "-uroot", "-S", f"{self.folder}/socket", "-Ne", statements]


def _sbin(program: str) -> str:
    return shutil.which(program) or f"/usr/sbin/{program}"


@contextmanager
def mariadb(*options: str) -> Iterator[MariaDB]:
    """Start a server with an empty database ``bank``; the test is skipped where a part of it is missing."""
    pytest.importorskip("connectorx", reason="connectorx is not installed: pip install 'edgedp[databases]'")
    if not (
        Path(_sbin("mariadbd")).exists() and shutil.which("mariadb-install-db") and shutil.which("mariadb")
    ):
        pytest.skip("MariaDB is not installed (Debian: mariadb-server-core, mariadb-client)")
    folder = Path(mkdtemp(prefix="edgedp-my-", dir="/tmp"))  # a socket's path must be short
    server = None
    try:
        words = ["mariadb-install-db", "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db",
                 f"--datadir={folder}/data", *(["--user=root"] if os.geteuid() == 0 else [])]  # fmt: skip
        subprocess.run(words, check=True, capture_output=True)
        server = MariaDB(folder, free_port(), *options)
        server.run("CREATE DATABASE bank")
        yield server
    finally:
        if server is not None:
            server.process.kill()
            server.process.wait()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def cut_after(port: int, room: float) -> Iterator[tuple[int, Callable[[], int]]]:
    """Go between clients and the server on a port, and break everything off after so many bytes of the server.

    Yields the port to go to, and what tells how many bytes have passed.
    """
    passed = 0

    def forward(source: socket.socket, sink: socket.socket, *, counted: bool) -> None:
        nonlocal passed
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if counted:
                    data = data[: max(int(min(room - passed, len(data))), 0)]
                    passed += len(data)
                sink.sendall(data)
                if counted and passed >= room:
                    break
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client = listening.accept()[0]
                ends.append(client)
                if passed >= room:
                    client.shutdown(socket.SHUT_RDWR)
                    continue
                server = socket.create_connection(("127.0.0.1", port))
                ends.append(server)
                start(forward, client, server, counted=False)
                start(forward, server, client, counted=True)

    def start(work: Callable[..., None], *given: socket.socket, **more: bool) -> None:
        threads.append(Thread(target=work, args=given, kwargs=more))
        threads[-1].start()

    threads: list[Thread] = []
    ends: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        start(accept)
        try:
            yield listening.getsockname()[1], lambda: passed
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            threads[0].join()
            for end in ends:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()
            for end in ends:
                end.close()
