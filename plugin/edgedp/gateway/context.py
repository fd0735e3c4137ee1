"""What the endpoints of a gateway share: the store, the pools, who calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import Request

from edgedp.gateway.flights import Flight, Flights
from edgedp.gateway.observing import Log, Metrics, note_of
from edgedp.gateway.problems import Problem, of_error
from edgedp.gateway.settings import Settings
from edgedp.gateway.work import Limiter, Pool, hold
from edgedp.stores.asker import Asker

if TYPE_CHECKING:
    from edgedp.gateway.kinds import ReleaseKind
    from edgedp.release import Release
    from edgedp.stores import Store
    from edgedp.stores.people import Person

__all__ = ["Gateway"]

_Result = TypeVar("_Result")

_LATE = "the answer takes longer than a request may; ask again"
_LATE_RELEASE = f"{_LATE} with the same Idempotency-Key, if it had one"


@dataclass
class Gateway:
    """A store with what is needed to answer for it."""

    store: Store
    settings: Settings
    log: Log
    metrics: Metrics

    def __post_init__(self) -> None:
        seconds = self.settings.request_seconds
        self.draws = Pool("releases", self.settings.workers, self.settings.queue, seconds, _LATE_RELEASE)
        self.asks = Pool("requests", 4, self.settings.connections, seconds, _LATE)
        self._flights = Flights()
        self._limiter = Limiter(self.settings.requests_per_minute)
        self._wrong = Limiter(self.settings.requests_per_minute)

    def close(self) -> None:
        """Wait for what runs."""
        self.draws.close()
        self.asks.close()

    async def ask(self, call: Callable[[], _Result], *, missing: bool = True) -> _Result:
        """Run a call on public facts in a thread; a refusal becomes a `Problem`."""
        try:
            return await self.asks.run(call)
        except Exception as error:
            raise of_error(error, missing=missing) from None

    async def person(self, request: Request, token: str | None, role: str | None) -> Person:
        """Return whose token it is.

        Raises
        ------
        Problem
            401, 403 where it is of another role, 429.
        """
        if not token:
            raise _nobody()
        return await self.ask(lambda: self._identified(request, token, role))

    async def tell(
        self, request: Request, token: str | None, question: Callable[[Asker], _Result]
    ) -> _Result:
        """Identify an analyst and answer from public facts, in one thread and from one opening of the store."""
        if not token:
            raise _nobody()

        def told() -> _Result:
            with self.store.together():
                person = self._identified(request, token, "analyst")
                return question(self.asking(person))

        return await self.ask(told)

    def asking(self, person: Person, flight: Flight | None = None) -> Asker:
        """Return the store as an analyst sees it through this gateway: releases on their way are not drawn yet."""
        debited = None if flight is None else flight.debited
        return Asker(self.store, person.name, hides=self._flights.hides, debited=debited)

    def _identified(self, request: Request, token: str, role: str | None) -> Person:
        person = self.store.identify(token)
        if person is None:
            # Nobody guesses 256 bits; whoever tries is slowed, and nobody with a token behind the same address is.
            address = request.client.host if request.client else ""
            if wait := self._wrong.wait(address, time.monotonic()):
                raise _too_many(wait)
            raise _nobody()
        note = note_of(request)
        note.who, note.role = person.name, person.role
        if wait := self._limiter.wait(f"{person.role} {person.name}", time.monotonic()):
            raise _too_many(wait)
        if role is not None and person.role != role:
            raise Problem(
                403,
                f"the token is of role {person.role!r}, must be of role {role!r} here; use another",
                "AccessError",
            )
        return person

    async def release(
        self,
        request: Request,
        person: Person,
        kind: ReleaseKind,
        name: str,
        options: dict[str, Any],
        request_id: str | None,
    ) -> Release:
        """Take a release of any kind on the one way, in a worker; its answer or refusal leaves at a step."""
        note = note_of(request)
        note.graph, note.kind, note.asked = name, kind.kind, _brief(options)
        # From here on, and not from the first byte: whoever could send a body slowly would choose where in a step a
        # draw begins, and so read its time off the step that it ends in.
        started, step = time.monotonic(), self.settings.response_step
        flight = Flight(self._flights, started, step)

        def drawn() -> Release:
            method: Callable[..., Release] = getattr(self.asking(person, flight), kind.kind)
            try:
                return method(name, **asked, request_id=request_id)
            finally:
                flight.end()

        try:
            asked = kind.asked(options)
            release = await self.draws.run(drawn)
        except Exception as error:
            raise await self._problem(error, name) from None
        finally:
            note.steps = await hold(started, step)  # also on the way of a refusal
        note.release_id, note.kept = release.receipt["release_id"], release.kept
        note.epsilon = float(release.plan.epsilon)
        return release

    async def estimate(
        self,
        request: Request,
        person: Person,
        kind: ReleaseKind,
        name: str,
        options: dict[str, Any],
        request_id: str | None,
    ) -> dict[str, Any]:
        """Tell what a release would cost this analyst; it rests on public facts alone, and so does its time."""
        note = note_of(request)
        note.graph, note.kind, note.asked = name, kind.kind, _brief(options)
        asking = self.asking(person)

        def estimate() -> dict[str, Any]:
            return asking.estimate(name, kind.kind, request_id=request_id, **kind.asked(options))

        try:
            return await self.asks.run(estimate)
        except Exception as error:
            raise await self._problem(error, name) from None

    async def _problem(self, error: Exception, name: str) -> Problem:
        """Return what went wrong with a question; an unknown word is 422, an unknown graph 404."""
        problem = of_error(error)
        if problem.status == 422 and problem.kind == "UnknownNameError":
            stored = await self.ask(self.store.graphs)
            if name not in {row["name"] for row in stored}:
                problem.status = 404
        return problem


def _nobody() -> Problem:
    return Problem(
        401,
        "the token is missing or not valid; ask the curator for one ('edgedp analyst add')",
        "AccessError",
        {"WWW-Authenticate": 'Bearer realm="edgedp"'},
    )


def _too_many(wait: int) -> Problem:
    return Problem(
        429, f"too many requests; ask again in {wait} s", "StoreUnavailableError", {"Retry-After": str(wait)}
    )


def _brief(options: dict[str, Any]) -> dict[str, Any]:
    """Return what was asked, each value short: it is the caller's and may be anything."""
    return {str(key)[:40]: _short(value) for key, value in list(options.items())[:24]}


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value if abs(value) < 2**63 else str(value)[:80]  # infinity is no JSON
    if (
        isinstance(value, list)
        and len(value) <= 8
        and all(isinstance(item, (str, int, float)) for item in value)
    ):
        return [_short(item) for item in value]
    return str(value)[:80]
