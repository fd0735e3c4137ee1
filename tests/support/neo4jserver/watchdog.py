"""The parent of a server: starts it, and ends it when its own standard input is closed.

Whoever started the watchdog holds the other end of that pipe, so the server ends with it however it
ends, also by SIGKILL. Run as ``python watchdog.py GRACE_SECONDS LOG COMMAND...``; it writes the process id.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading


def main(grace_seconds: float, log: str, command: list[str]) -> None:
    """Run the command until it ends or standard input does."""
    with open(log, "ab") as output:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=_die_with_the_watchdog if sys.platform == "linux" else None,
        )
    print(server.pid, flush=True)
    threading.Thread(target=lambda: os._exit(abs(server.wait())), daemon=True).start()
    sys.stdin.buffer.read()
    server.terminate()
    threading.Event().wait(grace_seconds)
    server.kill()
    threading.Event().wait()


def _die_with_the_watchdog() -> None:
    """Ask Linux to kill the server should the watchdog itself be killed."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], sys.argv[3:])
