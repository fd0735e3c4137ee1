"""Processes of tests that begin as forks of one which has imported the package: a start costs a tenth.

That one is a new Python, which does nothing but import and fork, so a fork has no patch, thread or file of a test. What
a test shows of a start itself (what is imported, what is installed, what is typed) starts a new Python all the same.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn, Self, cast

__all__ = ["Forked", "Process"]


class Forked:
    """A process that runs what ``python -c CODE ARGUMENTS`` would; of `subprocess.Popen` it has what tests use."""

    def __init__(
        self,
        code: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stderr: IO[str] | None = None,
    ) -> None:
        told = [
            code,
            arguments,
            dict(os.environ if environment is None else environment),
            os.path.abspath(cwd or "."),
        ]
        reading, stdout = os.pipe()
        self._status, status = os.pipe()
        socket.send_fds(
            _first(), [json.dumps(told).encode()], [stdout, 2 if stderr is None else stderr.fileno(), status]
        )
        os.close(stdout)
        os.close(status)
        self.stdout = os.fdopen(reading, encoding="utf-8")
        self.pid = int(os.read(self._status, _WORD))
        self.returncode: int | Any = None

    def poll(self) -> int | None:
        """Return the exit status, or nothing while it runs."""
        return self._over(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit status."""
        status = self._over(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("a fork", timeout or 0)
        return status

    def _over(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = int(os.read(self._status, _WORD))
            os.close(self._status)
        return cast("int | None", self.returncode)

    def communicate(self, timeout: float | None = None) -> tuple[str, None]:
        """Read what it says until it ends."""
        with self.stdout as stdout:
            said = stdout.read()
        self.wait(timeout)
        return said, None

    def send_signal(self, which: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, which)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stdout.close()
        self.wait()


Process = Forked | subprocess.Popen[str]

_WORD = 20
"""Bytes in which a number is sent."""


@cache
def _first() -> socket.socket:
    """Start what is forked, once for this process, which it does not outlive."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        first = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        first.wait()

    atexit.register(end)
    return ours


def _next_program(asked: socket.socket) -> str:
    """Import, and fork a keeper for each program that is asked for; return in its process with what it is to run."""
    from edgedp.stores.releases.resident import load_everything

    load_everything()
    gc.freeze()
    kept = 0
    while True:
        told, files, *_ = socket.recv_fds(asked, 2**20, 3)
        while kept and os.waitpid(-1, os.WNOHANG)[0]:  # so that what they cost counts
            kept -= 1
        if not told:
            os._exit(0)
        if os.fork() == 0:
            asked.close()
            return _kept(json.loads(told), *files)
        kept += 1
        for each in files:
            os.close(each)


def _kept(told: list[Any], stdout: int, stderr: int, status: int) -> str:
    """Fork the program, tell its id and how it ended; return in its process."""
    program = os.fork()
    if program:
        os.close(stdout)
        os.write(status, str(program).rjust(_WORD).encode())
        ended = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        os.write(status, str(ended).rjust(_WORD).encode())
        os._exit(0)
    for given, usual in ((stdout, 1), (stderr, 2)):
        os.dup2(given, usual)
        os.close(given)
    os.close(status)
    code, arguments, environment, cwd = told
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["-c", *arguments]
    return str(code)


def _run(code: str) -> NoReturn:
    """Run a program and end as Python does, but for taking down what was imported: that costs more than a start."""
    try:
        exec(code, {"__name__": "__main__"})  # noqa: S102
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _run(_next_program(socket.socket(fileno=int(sys.argv[1]))))
