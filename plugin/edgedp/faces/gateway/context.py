"""What the endpoints of a gateway share: the store, the pools, who calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import Request

from edgedp.faces.gateway.door.connections import CONNECTION, place_of
from edgedp.faces.gateway.door.descriptors import held
from edgedp.faces.gateway.door.observing import Log, Metrics, brief, note_of
from edgedp.faces.gateway.door.problems import Problem, of_error
from edgedp.faces.gateway.door.settings import Settings
from edgedp.faces.gateway.flights import Flight, Flights
from edgedp.faces.gateway.work import Limiter, Pool, ended, hold, wait_for_step
from edgedp.mechanisms.checks import check_choice, check_option_names
from edgedp.stores.people.asker import Asker
from edgedp.stores.releases.batch import MOST_PLANNED
from edgedp.words.errors import ExpiredTokenError, ParameterError
from edgedp.words.vocabulary import GRAPH_ENGINES

if TYPE_CHECKING:
    from edgedp.faces.gateway.kinds import ReleaseKind
    from edgedp.release.release import Release
    from edgedp.stores import Store
    from edgedp.stores.people.people import Person

_Result = TypeVar("_Result")

Whose = Callable[[], "Person | None"]
"""Asks the store who it is that asks: by a token, or by the session of a browser."""

_ASKED_AS = "edgedp.asked_as"
"""In a scope: what said who asks, which is asked again as long as the request is answered."""

_LATE = "the answer takes longer than a request may; ask again"
ASKS = 4
"""Threads that answer from public facts."""

_LATE_RELEASE = f"{_LATE} with the same Idempotency-Key, if it had one"


@dataclass
class Gateway:
    """A store with what is needed to answer for it."""

    store: Store
    settings: Settings
    log: Log
    metrics: Metrics
    loop: asyncio.AbstractEventLoop | None = None

    def __post_init__(self) -> None:
        chosen, seconds = self.settings, self.settings.request_seconds
        self.draws = Pool(
            "releases",
            chosen.workers,
            chosen.queue,
            seconds,
            _LATE_RELEASE,
            running_each=max(chosen.workers - 1, 1),
            waiting_each=max(chosen.queue // 4, 1) if chosen.queue else 0,
        )
        self.asks = Pool("requests", ASKS, chosen.connections, seconds, _LATE, running_each=ASKS - 1)
        # They wait for another server, which must keep nobody else waiting.
        self._sign_ins = Pool("sign-ins", ASKS, 16, seconds, _LATE, running_each=ASKS - 1)
        self._flights = Flights()
        a_minute = chosen.requests_per_minute / chosen.gateways
        self._limiter, self._wrong = Limiter(a_minute), Limiter(a_minute)

    def end(self) -> None:
        """Debit nothing from now on, and refuse the releases that wait; called by a signal, too."""
        self.draws.ending = True
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.draws.end)

    def close(self) -> None:
        """Wait for what runs."""
        self.draws.close()
        self.asks.close()
        self._sign_ins.close()

    async def ask(self, call: Callable[[], _Result], *, missing: bool = True, address: str = "") -> _Result:
        """Run a call on public facts in a thread, addresses in turn; a refusal becomes a `Problem`."""
        try:
            return await self.asks.run(call, address)
        except Exception as error:
            raise self.problem(error, missing=missing) from None

    def problem(self, error: Exception, *, missing: bool = False) -> Problem:
        """Return the answer to a refusal; what it does not say of the store is written into the log."""
        problem = of_error(error, missing=missing)
        if problem.cause is not None:
            self.log.write("store", error=problem.cause)
            problem.cause = None
        return problem

    async def person(
        self, request: Request, whose: Whose | None, role: str | None, nobody: str | None = None
    ) -> Person:
        """Return who asks, and ask again by `whose` as long as the request is answered; `nobody` says that it is none.

        Raises
        ------
        Problem
            401, 403 where it is of another role, 429.
        """
        if whose is None:
            raise _nobody(nobody)
        person = await self.ask(
            lambda: self._identified(request, whose, role, nobody), address=_address(request)
        )
        request.scope[_ASKED_AS] = whose
        return person

    async def ready(self, request: Request) -> None:
        """Read the store once, for somebody without a token, who is slowed like one with a wrong one.

        Raises
        ------
        Problem
            429; 500 or 503 where the store does not answer.
        """
        address = _address(request)
        if wait := self._wrong.wait(place_of(address), time.monotonic()):
            raise _too_many(wait)
        await self.ask(lambda: self.store.identify(""), address=address)

    async def sign_in(self, request: Request, step: Callable[[], _Result]) -> _Result:
        """Do a step of a sign-in by a provider, for somebody whom nobody knows yet; many of them are slowed.

        Raises
        ------
        Problem
            403, 429, 503.
        """
        address = _address(request)
        if wait := self._wrong.wait(place_of(address), time.monotonic()):
            raise _too_many(wait)
        try:
            return await self._sign_ins.run(step, address)
        except Exception as error:
            raise self.problem(error) from None

    def bearer_of(self, token: str | None) -> Whose | None:
        """Return what says whose token it is; None where there is no token."""
        return (lambda: self.store.identify(token)) if token else None

    async def tell(
        self, request: Request, token: str | None, question: Callable[[Person], _Result]
    ) -> _Result:
        """Identify somebody and answer from public facts, in one thread and from one opening of the store."""
        whose = self.bearer_of(token)
        if whose is None:
            raise _nobody()

        def told() -> _Result:
            with self.store.together():
                person = self._identified(request, whose, None)
                return question(person)

        return await self.ask(told, address=_address(request))

    async def again(
        self, request: Request, person: Person, question: Callable[[], _Result], name: str | None = None
    ) -> _Result:
        """Answer somebody who was identified before; a token that was rotated meanwhile reads nothing.

        A question about the graph `name` has words of its own, of which an unknown one is no missing thing.
        """

        def told() -> _Result:
            with self.store.together():
                _check_same(request, person)
                return question()

        try:
            return await self.ask(told, missing=name is None, address=_address(request))
        except Problem as problem:
            raise problem if name is None else await self._problem(problem, person, name) from None

    async def act(self, request: Request, person: Person, change: Callable[[Store], _Result]) -> _Result:
        """Let a curator change something, in that name; the token is asked for again right before."""

        def acted() -> _Result:
            _check_same(request, person)
            return change(self.store.curating_as(person.name))

        return await self.ask(acted, missing=False)

    def asking(self, person: Person, **told: Any) -> Asker:
        """Return the store as an analyst sees it through this gateway: releases on their way are not drawn yet."""
        return Asker(self.store, person.name, hides=self._flights.hides, least=self.settings.least, **told)

    def _identified(
        self, request: Request, whose: Whose, role: str | None, nobody: str | None = None
    ) -> Person:
        try:
            person = whose()
        except ExpiredTokenError as over:
            raise _over(over) from None
        if person is None:
            # Nobody guesses 256 bits; whoever tries is slowed, and nobody with a token behind the same address is.
            if wait := self._wrong.wait(place_of(_address(request)), time.monotonic()):
                raise _too_many(wait)
            raise _nobody(nobody)
        note = note_of(request)
        note.who, note.role = person.name, person.role
        if (connection := request.scope.get(CONNECTION)) is not None:
            connection.belongs(f"{person.role} {person.name}")
        if wait := self._limiter.wait(f"{person.role} {person.name}", time.monotonic()):
            raise _too_many(wait)
        if role is not None:
            check_role(person, role)
        return person

    async def release(
        self,
        request: Request,
        person: Person,
        kind: ReleaseKind,
        name: str,
        options: dict[str, Any],
        request_id: str | None,
        plan_id: str | None = None,
        *,
        needs_plan: bool = False,
    ) -> Release:
        """Take a release of any kind on the one way, in a worker; its answer or refusal leaves at a step."""
        note = note_of(request)
        note.graph, note.kind, note.asked = name, kind.kind, brief(options)
        # From here on, and not from the first byte: whoever could send a body slowly would choose where in a step a
        # draw begins, and so read its time off the step that it ends in.
        started, step = time.monotonic(), self.settings.response_step
        flight = Flight(self._flights, started, step)

        def same() -> None:
            _check_same(request, person)

        def drawn() -> Release:
            with held() as free:

                def admitted() -> None:
                    """Refuse, right before a debit, what may not be debited any more; one that follows a draw waits."""
                    if flight.begun:
                        wait_for_step(started, step)
                    same()
                    if self.draws.ending:
                        raise ended()

                def debited(release_id: str) -> None:
                    flight.debited(release_id)
                    free()

                asking = self.asking(
                    person, admits=admitted, debited=debited, plan_id=plan_id, needs_plan=needs_plan
                )
                method: Callable[..., Release] = getattr(asking, kind.kind)
                try:
                    return method(name, **asked, request_id=request_id)
                finally:
                    flight.end()

        try:
            asked = kind.asked(options)
            release = await self.draws.run(drawn, person.name)
        except Exception as error:
            raise await self._problem(error, person, name) from None
        finally:
            note.steps = await hold(started, step)  # also on the way of a refusal
            if (landed := flight.landed) is not None:
                await self._land(person, name, landed)
        note.release_id, note.kept = release.receipt["release_id"], release.kept
        note.epsilon = release.epsilon_spent
        await self.ask(same, address=_address(request))  # a token that was rotated meanwhile reads nothing
        return release

    async def _land(self, person: Person, name: str, release_id: str) -> None:
        """Show a release through every gateway on this store; where that fails, its lease lapses by itself."""
        try:
            await self.asks.run(lambda: self.asking(person).land(name, release_id))
        except Exception as error:
            self.problem(error)

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
        note.graph, note.kind, note.asked = name, kind.kind, brief(options)
        asking = self.asking(person)

        def estimate() -> dict[str, Any]:
            return asking.estimate(name, kind.kind, request_id=request_id, **kind.asked(options))

        try:
            return await self.asks.run(estimate, _address(request))
        except Exception as error:
            raise await self._problem(error, person, name) from None

    async def plan(
        self, request: Request, person: Person, name: str, given: dict[str, Any]
    ) -> dict[str, Any]:
        """Tell what several releases of a graph would cost this analyst, from public facts alone."""
        note_of(request).graph = name
        asking = self.asking(person)

        def planned() -> dict[str, Any]:
            check_option_names(given, ["releases"])
            return asking.plan_batch(_of_graph(name, given.get("releases")))

        try:
            return await self.asks.run(planned, _address(request))
        except Exception as error:
            raise await self._problem(error, person, name) from None

    async def _problem(self, error: Exception, person: Person, name: str) -> Problem:
        """Return what went wrong with a question; an unknown word is 422, a graph that the analyst does not see 404."""
        problem = self.problem(error)
        if problem.status == 422 and problem.kind == "UnknownNameError":
            seen = await self.ask(self.asking(person).graphs)
            if name not in {row["name"] for row in seen}:
                problem.status = 404
        return problem


def _of_graph(name: str, releases: Any) -> list[dict[str, Any]]:
    """Return the releases of a batch as those of the graph in the address."""
    if not isinstance(releases, list):
        raise ParameterError("releases must be a list; give each release as its options by name")
    if len(releases) > MOST_PLANNED:
        raise ParameterError(
            f"there are {len(releases):,} releases, must be at most {MOST_PLANNED} in one plan of a gateway; "
            "split them"
        )
    for each in releases:
        if isinstance(each, dict):
            check_choice(each.get("engine") or "native", "engine", GRAPH_ENGINES)
            check_choice(each.get("graph", name), "graph", (name,))
    return [each | {"graph": name} if isinstance(each, dict) else each for each in releases]


def check_role(person: Person, role: str) -> None:
    """Refuse somebody whose token is of another role."""
    if person.role != role:
        raise Problem(
            403,
            f"the token is of role {person.role!r}, must be of role {role!r} here; use another",
            "AccessError",
        )


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _check_same(request: Request, person: Person) -> None:
    """Refuse somebody who was identified before, and is not any more: a token that was rotated or is over."""
    try:
        now = request.scope[_ASKED_AS]()
    except ExpiredTokenError as over:
        raise _over(over) from None
    if now != person:
        raise _nobody()


def _over(error: ExpiredTokenError) -> Problem:
    challenge = 'Bearer realm="edgedp", error="invalid_token", error_description="the token expired"'
    return Problem(401, str(error), "AccessError", {"WWW-Authenticate": challenge})


def _nobody(told: str | None = None) -> Problem:
    if told is not None:
        return Problem(403, told, "AccessError")
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
