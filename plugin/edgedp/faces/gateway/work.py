"""Where work runs and when its answer leaves: bounded pools of threads, and steps of time.

What a draw computes depends on private edges, and so does how long it takes. Its answer therefore leaves
at the next multiple of a public step after it was asked for; the event loop waits, and no worker does.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

from edgedp.faces.gateway.door.problems import Problem

_Result = TypeVar("_Result")


@dataclass(eq=False)
class _Waiting:
    """A call that waits for a thread; its future is the answer's."""

    call: Callable[[], Any]
    answer: asyncio.Future[Any]


class Pool:
    """Threads for calls that block; callers wait in queues of their own, which are served in turn.

    Where too many wait, the last one of the longest queue is refused: whoever asks much makes room for whoever asks
    little. All of it is used from one event loop.

    Parameters
    ----------
    name : str
        What the calls are, for the sentence of the refusal.
    workers, queue : int
        Calls that run at once, and that wait.
    seconds : float
        How long an answer is waited for. A call that runs goes on and is recorded; one that waits is dropped.
    late : str
        What is answered then.
    running_each, waiting_each : int, optional
        As `workers` and `queue`, of one caller.
    """

    def __init__(
        self,
        name: str,
        workers: int,
        queue: int,
        seconds: float,
        late: str,
        *,
        running_each: int | None = None,
        waiting_each: int | None = None,
    ) -> None:
        self._name = name
        self._workers, self._queue = workers, queue
        self._running_each = workers if running_each is None else running_each
        self._waiting_each = queue if waiting_each is None else waiting_each
        self._seconds = seconds
        self._late = late
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=f"edgedp-{name}")
        self.ending = False

    async def run(self, call: Callable[[], _Result], of: str = "") -> _Result:
        """Run a call of somebody in a thread and return what it returns.

        Raises
        ------
        Problem
            503: too many are waiting, it takes too long, or the gateway ends.
        """
        if self.ending:
            raise ended()
        waiting = _Waiting(call, asyncio.get_running_loop().create_future())
        waiting.answer.add_done_callback(_read)
        self._waiting.setdefault(of, deque()).append(waiting)
        self._start()
        self._refuse_one_too_many(of)
        try:
            return cast(_Result, await asyncio.wait_for(asyncio.shield(waiting.answer), self._seconds))
        except TimeoutError:
            if waiting.answer.done():
                raise
            raise Problem(503, self._late, "StoreUnavailableError", {"Retry-After": "5"}) from None
        finally:
            self._forget(of, waiting)

    def _start(self) -> None:
        """Start calls while there are threads: the first one of the first caller who may have one more."""
        while self._running.total() < self._workers:
            of = next((each for each in self._waiting if self._running[each] < self._running_each), None)
            if of is None:
                return
            waiting = self._waiting[of].popleft()
            if self._waiting[of]:
                self._waiting.move_to_end(of)
            else:
                del self._waiting[of]
            self._running[of] += 1
            done = asyncio.get_running_loop().run_in_executor(self._threads, waiting.call)
            done.add_done_callback(partial(self._done, of, waiting.answer))

    def _done(self, of: str, answer: asyncio.Future[Any], done: asyncio.Future[Any]) -> None:
        self._running[of] -= 1
        if not self._running[of]:
            del self._running[of]
        error = None if done.cancelled() else done.exception()
        if not answer.done():
            if done.cancelled():
                answer.cancel()
            elif error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(done.result())
        self._start()

    def _refuse_one_too_many(self, of: str) -> None:
        if len(self._waiting.get(of, ())) > self._waiting_each:
            longest = of
        elif sum(map(len, self._waiting.values())) > self._queue:
            longest = max(self._waiting, key=lambda each: (len(self._waiting[each]), each == of))
        else:
            return
        last = self._waiting[longest].pop()
        if not self._waiting[longest]:
            del self._waiting[longest]
        last.answer.set_exception(
            Problem(
                503,
                f"too many {self._name} are waiting; ask again",
                "StoreUnavailableError",
                {"Retry-After": "1"},
            )
        )

    def _forget(self, of: str, waiting: _Waiting) -> None:
        """Drop a call that nobody waits for any more, if it has not begun."""
        if waiting in (queue := self._waiting.get(of, deque())):
            queue.remove(waiting)
            if not queue:
                del self._waiting[of]

    def end(self) -> None:
        """Refuse what waits, and whatever comes; what runs goes on."""
        self.ending = True
        while self._waiting:
            for waiting in self._waiting.popitem()[1]:
                waiting.answer.set_exception(ended())

    def close(self) -> None:
        """Let what runs end: a debited release is recorded."""
        self._threads.shutdown(wait=True)


def ended() -> Problem:
    """Return the refusal of what has not begun when the gateway ends."""
    return Problem(
        503, "the gateway ends; ask again when it runs", "StoreUnavailableError", {"Retry-After": "5"}
    )


def _read(answer: asyncio.Future[Any]) -> None:
    """Read an exception, so that nobody prints it."""
    if not answer.cancelled():
        answer.exception()


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


def wait_for_step(started: float, step: float) -> None:
    """Wait in a thread as `hold` does: for a debit that follows a draw, since a budget is read meanwhile."""
    until = started + steps_after(started, time.monotonic(), step) * step
    while (left := until - time.monotonic()) > 0:
        time.sleep(left)


class Limiter:
    """At most so many requests a minute of one caller, let through one after the other (a token bucket).

    Examples
    --------
    >>> limiter = Limiter(2)
    >>> [limiter.wait("ann", now) for now in (0.0, 0.0, 0.0, 30.0)]
    [0, 0, 30, 0]
    """

    def __init__(self, a_minute: float, callers: int = 10_000) -> None:
        self._rate = a_minute / 60
        self._most = max(float(a_minute), 1.0)
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
