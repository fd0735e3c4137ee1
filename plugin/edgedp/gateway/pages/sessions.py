"""Who is signed in: random cookies that stand for tokens, kept in memory alone."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Session", "Sessions"]

_OF_ONE = 20
"""Sessions of one token, the newest."""


@dataclass
class Session:
    """A signed-in browser.

    Attributes
    ----------
    token : str
        The store is asked at every request whose it is, so a revocation holds at once.
    csrf : str
        What every form of this browser must hold.
    """

    token: str = field(repr=False)
    csrf: str = field(repr=False)
    used: float


class Sessions:
    """At most so many sessions, each until it has not been used for a while; those of one token are limited, too.

    Examples
    --------
    >>> sessions = Sessions(60, clock=lambda: 0.0)
    >>> key = sessions.open("the token")
    >>> sessions.find(key).token, sessions.find("another")
    ('the token', None)
    """

    def __init__(self, seconds: float, most: int = 1000, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._open: OrderedDict[str, Session] = OrderedDict()

    def open(self, token: str) -> str:
        """Return the cookie of a new session."""
        own = [each for each, session in self._open.items() if session.token == token]
        for each in own[: max(len(own) + 1 - _OF_ONE, 0)]:
            self.close(each)
        key = secrets.token_urlsafe(32)
        self._open[key] = Session(token, secrets.token_urlsafe(32), self._clock())
        while len(self._open) > self._most:
            self._open.popitem(last=False)
        return key

    def find(self, key: str | None) -> Session | None:
        """Return the session of a cookie, if it is not over."""
        session = self._open.get(key or "")
        if session is None or key is None:
            return None
        if self._clock() - session.used > self._seconds:
            self.close(key)
            return None
        session.used = self._clock()
        self._open.move_to_end(key)
        return session

    def close(self, key: str | None) -> None:
        """End a session."""
        self._open.pop(key or "", None)
