"""A stream that is written by a thread of its own: who writes never waits for who reads."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable

_MOST = 10_000
"""Lines that wait to be written."""


class Outlet:
    """Lines on their way to a file descriptor; where too many wait, the new ones are dropped and counted.

    It writes to the descriptor itself: a thread that hangs in a buffered stream would hold that stream's lock, which
    the interpreter takes when it ends.

    Parameters
    ----------
    descriptor : int
    dropped : callable
        Called once for every line that is dropped.
    """

    def __init__(self, descriptor: int, dropped: Callable[[], None], most: int = _MOST) -> None:
        self._descriptor, self._dropped, self._most = descriptor, dropped, most
        self._lines: deque[str] = deque()
        self._turn = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="edgedp-log", daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        """Take a line."""
        with self._turn:
            if len(self._lines) < self._most and not self._over:
                self._lines.append(line)
                self._turn.notify()
                return
        self._dropped()

    def close(self, seconds: float = 2.0) -> None:
        """Write what waits, for at most so long."""
        with self._turn:
            self._over = True
            self._turn.notify()
        self._thread.join(seconds)

    def _run(self) -> None:
        while True:
            with self._turn:
                while not self._lines and not self._over:
                    self._turn.wait()
                if not self._lines:
                    return
                line = self._lines.popleft()
            left = line.encode()
            while left:
                try:
                    left = left[os.write(self._descriptor, left) :]
                except BlockingIOError:
                    time.sleep(0.05)  # a descriptor that somebody made non-blocking
                except OSError:
                    self._dropped()  # the reader of the log went away; requests are answered all the same
                    break
