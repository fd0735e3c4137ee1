"""Open files: as many as the settings need, and those of a release held before its debit."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from edgedp.faces.gateway.door.problems import Problem
from edgedp.words.errors import ParameterError

OF_A_RELEASE = 24
"""What one thread opens at once: a ledger with its journal, locks, a graph's files, a lease, or a server's sockets."""

_OF_THE_PROCESS = 128
"""The interpreter, mapped graphs, the metrics, the pool of Neo4j's driver."""


def needed(connections: int, threads: int) -> int:
    """Return how many files may be open at once; connections may be twice as many until the cut ones are closed.

    Examples
    --------
    >>> needed(256, 6)
    784
    """
    return 2 * connections + OF_A_RELEASE * threads + _OF_THE_PROCESS


def raise_limit(connections: int, threads: int) -> None:
    """Raise the limit of open files to what is needed.

    Raises
    ------
    ParameterError
        The system does not allow it.
    """
    wanted = needed(connections, threads)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and hard < wanted:
        fits = (hard - needed(0, threads)) // 2
        raise ParameterError(
            f"connections is {connections}, must be at most {max(fits, 0)} where {hard} files may be open; give "
            "--connections a smaller number, or raise the limit of open files (LimitNOFILE=, ulimit -Hn)"
        )
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextmanager
def held(count: int = OF_A_RELEASE) -> Iterator[Callable[[], None]]:
    """Hold descriptors until they are given back, so that what is debited can be drawn and recorded.

    Yields
    ------
    callable
        Gives them back.

    Raises
    ------
    Problem
        503: there are not as many.
    """
    with ExitStack() as kept:
        try:
            for _ in range(count):
                kept.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError:
            raise Problem(
                503, "too many files are open; ask again", "StoreUnavailableError", {"Retry-After": "5"}
            ) from None
        yield kept.close
