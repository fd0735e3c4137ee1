"""Advisory locks on folders and files (``flock``): they end with their process, whatever killed it.

SQLite's own lock keeps two debits apart; the lock here makes them wait in the order they came, for
SQLite's waiting starves some of many writers. On versions they say who still reads or writes them.
Where a file system has no such locks, waiting is SQLite's and sweeping leaves more behind.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from edgedp.words.errors import StoreUnavailableError


class Held:
    """A lock that is held until `release`.

    Attributes
    ----------
    path : Path
    handle : int
        The descriptor that the lock is on; -1 once it is released.
    """

    def __init__(self, path: Path, handle: int) -> None:
        self.path, self.handle = path, handle
        self._process = os.getpid()

    def release(self) -> None:
        """Let go; twice does nothing."""
        handle, self.handle = self.handle, -1
        if handle >= 0:
            _let_go(handle, self._process)

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


def _let_go(handle: int, process: int) -> None:
    """Unlock and close; a process that was forked off meanwhile has the lock's file open and would keep the lock.

    What is closed in such a process stays locked: the lock is of whoever took it.
    """
    if process == os.getpid():
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


def try_hold(path: Path, *, shared: bool) -> Held | None:
    """Hold a file or folder if nobody holds it otherwise; None if somebody does.

    Raises
    ------
    FileNotFoundError
        It is not there, or was removed before it was held.
    """
    # Without O_NONBLOCK, a pipe in the file's place would be waited for.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    held = Held(path, handle)
    try:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            if shared and error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return held  # a file system without such locks
            held.release()
            return None
        now = os.stat(path)
        if (now.st_dev, now.st_ino) != ((at := os.fstat(handle)).st_dev, at.st_ino):
            raise FileNotFoundError(errno.ENOENT, "removed before it was held", str(path))
    except BaseException:
        held.release()
        raise
    return held


def scarce(shown: Path) -> StoreUnavailableError | None:
    """Say that a process, or its machine, may open no more files, which is no fault of the store; None if it may."""
    handles: list[int] = []
    try:
        for _ in range(3):  # a commit takes a journal and its folder
            handles.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            return StoreUnavailableError(
                f"store is {shown}, for which no more files may be opened; close some or raise the limit (ulimit -n), "
                "and ask again"
            )
    finally:
        for handle in handles:
            os.close(handle)
    return None


@contextmanager
def queue(path: Path, seconds: float) -> Iterator[bool]:
    """Wait in line for a folder; yields whether it was free in time."""
    handle = os.open(path, os.O_RDONLY)
    waiting = _Waiting(handle)
    try:
        yield waiting.arrived(seconds)
    finally:
        waiting.leave()


class _Waiting:
    """A place in the kernel's queue; a thread stands in it, for that call has no timeout of its own."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._here = threading.Event()
        self._standing = False
        self._left = False

    def arrived(self, seconds: float) -> bool:
        with suppress(BlockingIOError):
            return self._flock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._standing = True
        threading.Thread(target=self._stand, daemon=True).start()
        return self._here.wait(seconds)

    def leave(self) -> None:
        """Let go, or step out of the queue as soon as the turn comes."""
        with self._guard:
            self._left = True
            if self._standing and not self._here.is_set():
                return
        _let_go(self._handle, self._process)

    def _stand(self) -> None:
        self._flock(fcntl.LOCK_EX)
        with self._guard:
            if self._left:
                _let_go(self._handle, self._process)
            else:
                self._here.set()

    def _flock(self, how: int) -> bool:
        try:
            fcntl.flock(self._handle, how)
        except BlockingIOError:
            raise
        except OSError:  # a file system without such locks: SQLite's own remains
            return True
        return True
