"""Where work runs and when its answer leaves: bounded pools of threads, and steps of time.

What a draw computes depends on private edges, and so does how long it takes. Its answer therefore leaves
at the next multiple of a public step after it was asked for; the event loop waits, and no worker does.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from edgedp.gateway.problems import Problem

__all__ = ["Limiter", "Pool", "hold", "steps_after"]

_Result = TypeVar("_Result")


class Pool:
    """Threads for calls that block, with a bounded number of waiting ones.

    Parameters
    ----------
    name : str
        What the calls are, for the sentence of the refusal.
    workers, queue : int
    seconds : float
        How long an answer is waited for; the call goes on and is recorded.
    late : str
        What is answered then.
    """

    def __init__(self, name: str, workers: int, queue: int, seconds: float, late: str) -> None:
        self._name = name
        self._most = workers + queue
        self._seconds = seconds
        self._late = late
        self._running = 0
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=f"edgedp-{name}")

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Run a call in a thread and return what it returns.

        Raises
        ------
        Problem
            503: too many are waiting, or it takes too long.
        """
        if self._running >= self._most:
            raise Problem(
                503,
                f"too many {self._name} are waiting; ask again",
                "StoreUnavailableError",
                {"Retry-After": "1"},
            )
        self._running += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, call)
        future.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._seconds)
        except TimeoutError:
            if future.done():
                raise
            raise Problem(503, self._late, "StoreUnavailableError", {"Retry-After": "5"}) from None

    def _done(self, future: asyncio.Future[_Result]) -> None:
        self._running -= 1
        if not future.cancelled():
            future.exception()  # read, so that nobody prints it

    def close(self) -> None:
        """Let what runs end, and what waits too: a debited release is recorded."""
        self._threads.shutdown(wait=True)


def steps_after(started: float, now: float, step: float) -> int:
    """Return the number of whole steps, at least one, after which an answer may leave.

    Examples
    --------
    >>> steps_after(10.0, 10.01, 0.25), steps_after(10.0, 10.25, 0.25), steps_after(10.0, 10.26, 0.25)
    (1, 1, 2)
    """
    return max(math.ceil((now - started) / step), 1)


async def hold(started: float, step: float) -> int:
    """Wait until the step after which an answer may leave; return how many there were.

    Parameters
    ----------
    started : float
        When a release was asked for, by `time.monotonic`. Steps are counted up to now and not up to the end of its
        draw: where the event loop comes late, the step after that end is over, and an answer never leaves between two.
    step : float
        Seconds.
    """
    steps = steps_after(started, time.monotonic(), step)
    while (left := started + steps * step - time.monotonic()) > 0:
        await asyncio.sleep(left)
    return steps


class Limiter:
    """At most so many requests a minute of one caller, let through one after the other (a token bucket).

    Examples
    --------
    >>> limiter = Limiter(2)
    >>> [limiter.wait("ann", now) for now in (0.0, 0.0, 0.0, 30.0)]
    [0, 0, 30, 0]
    """

    def __init__(self, a_minute: int, callers: int = 10_000) -> None:
        self._rate = a_minute / 60
        self._most = float(a_minute)
        self._callers = callers
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._guard = threading.Lock()

    def wait(self, caller: str, now: float) -> int:
        """Count a request and return 0, or return after how many whole seconds to ask again."""
        with self._guard:
            left, since = self._left.pop(caller, (self._most, now))
            left = min(self._most, left + max(now - since, 0) * self._rate)
            allowed = left >= 1
            self._left[caller] = (left - 1 if allowed else left, max(now, since))
            while len(self._left) > self._callers:
                self._left.popitem(last=False)
        return 0 if allowed else math.ceil((1 - left) / self._rate)
