"""A PostgreSQL of Debian's package on a free port, started and ended by the tests that ask for it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

__all__ = ["Server", "binaries", "postgresql"]


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


def _as_postgres(words: tuple[str, ...]) -> list[str]:
    """Let the user postgres run a program: the server refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else list(words)


@contextmanager
def postgresql() -> Iterator[Server]:
    """Start a server; the test is skipped where Debian's package is missing."""
    programs = binaries()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
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
