"""Who is signed in at the pages: random cookies that stand for tokens, kept in the store for every gateway on it.

The store keeps the SHA-256 of a cookie, and of the token or the sign-in by a provider that it stands for. What a page
shows once, a new token, is masked by the cookie, which the browser has and the store has not.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from edgedp.ledger.backend import Row
from edgedp.ledger.script import Script, Step, run
from edgedp.stores.people.identities import sign_in_key
from edgedp.stores.people.tokens import Person, token_hash

if TYPE_CHECKING:
    from edgedp.stores.people.people import PeopleStore

_OF_ONE = 20
"""Sessions of one token, the newest."""

_MOST = 1000

_AHEAD = 60_000_000
"""Microseconds that clocks of two machines may be apart; what was used later than that is over."""

_SELDOM = 60_000_000
"""Microseconds after which the use of a session is noted again."""


@dataclass(frozen=True)
class Session:
    """A signed-in browser.

    Attributes
    ----------
    cookie : str
    held : str or None
        What the next page shows, masked.
    """

    cookie: str = field(repr=False)
    held: str | None = field(repr=False, default=None)

    @property
    def csrf(self) -> str:
        """What every form of this browser must hold."""
        return hmac.new(self.cookie.encode(), b"form", hashlib.sha256).hexdigest()


class Sessions:
    """At most so many sessions, each until it has not been used for a while; those of one token are limited, too.

    Parameters
    ----------
    store : PeopleStore
    seconds : float
        How long a session lasts without being used.
    clock : callable
        Microseconds since 1970: the one clock that gateways on several machines have in common.
    """

    def __init__(
        self,
        store: PeopleStore,
        seconds: float,
        clock: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> None:
        self._store, self._lasts, self._clock = store, int(seconds * 1_000_000), clock

    def open(self, token: str) -> str:
        """Return the cookie of a new session."""
        return self._open(token_hash(token), None)

    def open_signed_in(self, issuer: str, subject: str) -> str:
        """Return the cookie of a new session of somebody whom a provider identified, which ends even if it is used."""
        return self._open(sign_in_key(issuer, subject), self._clock() + self._lasts)

    def _open(self, held_by: str, ends: int | None) -> str:
        cookie, now = secrets.token_urlsafe(32), self._clock()
        kept = {"tokenHash": held_by, "ofOne": _OF_ONE - 1, "most": _MOST - 1}
        self._run(
            Step("session_sweep", kept | {"since": now - self._lasts, "until": now + _AHEAD}),
            Step("session_put", {"id": _id(cookie), "tokenHash": held_by, "used": now, "ends": ends}),
        )
        return cookie

    def find(self, cookie: str) -> tuple[Session, Person] | None:
        """Return a session that is not over and whose token or sign-in is still somebody's, with that person."""
        with self._store.together():
            row = self._row(cookie)
            person = None if row is None else self._store._holder(row["tokenHash"])
            if row is None or person is None:
                return None
            now = self._clock()
            if now - row["used"] > min(_SELDOM, self._lasts // 4):
                self._run(Step("session_use", {"id": _id(cookie), "used": now}))
            return Session(cookie, row["held"]), person

    def close(self, cookie: str) -> None:
        """End a session."""
        self._run(Step("session_end", {"id": _id(cookie)}))

    def hold(self, session: Session, shown: dict[str, Any]) -> None:
        """Keep something for the next page of a session, in place of what was kept there."""
        row = self._row(session.cookie)
        if row is not None:
            self._swap(session.cookie, row["held"], _masked(session.cookie, json.dumps(shown)))

    def take(self, session: Session) -> dict[str, Any] | None:
        """Return what was kept for this page, once; None where there is nothing, or it was read already."""
        if session.held is None or not self._swap(session.cookie, session.held, None):
            return None
        shown: dict[str, Any] = json.loads(_unmasked(session.cookie, session.held))
        return shown

    def _row(self, cookie: str) -> Row | None:
        now = self._clock()
        with self._store._session() as session:
            rows = session.run("session_find", id=_id(cookie))
        over = not rows or not now - self._lasts < rows[0]["used"] <= now + _AHEAD
        over = over or (rows[0]["ends"] is not None and rows[0]["ends"] <= now)
        return None if over else rows[0]

    def _swap(self, cookie: str, before: str | None, held: str | None) -> bool:
        step = Step("session_hold", {"id": _id(cookie), "before": before, "held": held}, on_none="other")
        return self._run(step)

    def _run(self, *steps: Step) -> bool:
        with self._store._session() as session:
            script = Script(steps)
            return run(session, script).name == script.done


def _id(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "surrogatepass")).hexdigest()


def _masked(cookie: str, text: str) -> str:
    """Return a text that whoever has the cookie can read: a fresh number, and the text under a stream of both."""
    nonce = secrets.token_bytes(16)
    return base64.b64encode(nonce + _under(cookie, nonce, text.encode())).decode()


def _unmasked(cookie: str, masked: str) -> str:
    whole = base64.b64decode(masked)
    return _under(cookie, whole[:16], whole[16:]).decode()


def _under(cookie: str, nonce: bytes, text: bytes) -> bytes:
    stream = hashlib.shake_256(b"held" + nonce + cookie.encode()).digest(len(text))
    return bytes(one ^ other for one, other in zip(text, stream, strict=True))
