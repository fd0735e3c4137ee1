"""The desks at which an agent's questions are answered: this process's gateway, or one at an address."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

import anyio
from starlette.requests import Request
from starlette.types import Send

from edgedp.faces.gateway.agents import Desk, load_sdk, server_for
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.door.observing import Log, Metrics, Note
from edgedp.faces.gateway.door.problems import TITLES, UNFORESEEN, Problem, of_error
from edgedp.faces.gateway.door.settings import Settings
from edgedp.stores.people.people import Person
from edgedp.words.errors import AccessError, EdgeDPError, StoreError

if TYPE_CHECKING:
    from edgedp.faces.gateway.kinds import ReleaseKind
    from edgedp.release.release import Release
    from edgedp.stores import Store
    from edgedp.stores.remote import RemoteStore

_going: set[asyncio.Task[Any]] = set()
"""Releases whose caller may have gone: what is debited is drawn and kept, whoever still waits."""


class AtGateway(Desk):
    """A gateway in this process, with all its limits.

    Parameters
    ----------
    gateway : Gateway
    request : Request
        By which the analyst was identified, and is again before every debit and every answer.
    person : Person
    """

    def __init__(self, gateway: Gateway, request: Request, person: Person) -> None:
        self._gateway, self._request, self._person = gateway, request, person

    async def read(self, question: Callable[[Any], Mapping[str, Any]]) -> dict[str, Any]:
        """Answer from public facts, or the analyst's own."""
        asking = self._gateway.asking(self._person)
        return dict(await self._gateway.again(self._request, self._person, lambda: question(asking)))

    async def plan(self, kind: ReleaseKind, graph: str, options: dict[str, Any], key: str) -> dict[str, Any]:
        """Estimate."""
        return await self._gateway.estimate(self._request, self._person, kind, graph, options, key)

    async def release(
        self, kind: ReleaseKind, graph: str, options: dict[str, Any], key: str, plan_id: str
    ) -> dict[str, Any]:
        """Take the release; it goes on where the caller goes away."""
        taken = self._gateway.release(
            self._request, self._person, kind, graph, options, key, plan_id, needs_plan=True
        )
        release: Release = await _to_the_end(taken)
        return release.to_dict()

    def problem(self, error: Exception) -> Problem:
        """Return the gateway's answer; what it does not say is in its log."""
        return self._gateway.problem(error)

    async def end(self) -> None:
        """Debit nothing more; what is debited is drawn, kept and shown from its step on."""
        self._gateway.end()
        if _going:
            await asyncio.wait(_going)


class AtAddress(Desk):
    """A gateway at an address, which has its limits itself.

    Parameters
    ----------
    store : RemoteStore
    """

    def __init__(self, store: RemoteStore) -> None:
        self._store = store

    async def read(self, question: Callable[[Any], Mapping[str, Any]]) -> dict[str, Any]:
        """Ask the gateway."""
        return dict(await anyio.to_thread.run_sync(lambda: question(self._store)))

    async def plan(self, kind: ReleaseKind, graph: str, options: dict[str, Any], key: str) -> dict[str, Any]:
        """Ask what it would cost."""
        asked = kind.asked(options)
        told = await self.read(lambda store: store.estimate(graph, kind.kind, request_id=key, **asked))
        if told["refused"] is None and not told["kept"] and "plan_id" not in told:
            raise StoreError("the gateway gives no plan ids; its operator must update edgedp")
        return told

    async def release(
        self, kind: ReleaseKind, graph: str, options: dict[str, Any], key: str, plan_id: str
    ) -> dict[str, Any]:
        """Ask for the release."""
        asked = kind.asked(options)
        store = self._store.planned(plan_id)
        return await self.read(lambda _: getattr(store, kind.kind)(graph, request_id=key, **asked).to_dict())

    def problem(self, error: Exception) -> Problem:
        """Return the gateway's sentence; it says nothing of its store already."""
        told = of_error(error)
        if isinstance(error, EdgeDPError):
            return Problem(error.status if error.status in TITLES else told.status, str(error), told.kind)
        return Problem(500, UNFORESEEN, "EngineError")

    async def end(self) -> None:
        """Do nothing: what the gateway draws goes on there."""


async def answer(gateway: Gateway, request: Request, person: Person, send: Send) -> None:
    """Answer one message of streamable HTTP, of somebody who was identified by the request."""
    await asyncio.to_thread(load_sdk)
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    manager = StreamableHTTPSessionManager(
        server_for(AtGateway(gateway, request, person)),
        json_response=True,
        stateless=True,
        max_request_body_size=gateway.settings.body_bytes,
    )
    async with manager.run():
        await manager.handle_request(request.scope, request.receive, send)


async def by_stdio(desk: Desk) -> None:
    """Serve one client over this process's input and output, until it goes away or a signal comes."""
    from mcp.server.stdio import stdio_server

    server, loop = server_for(desk), asyncio.get_running_loop()
    leaving: list[asyncio.Task[None]] = []

    def leave(number: int) -> None:
        leaving.append(loop.create_task(_leave(desk, number)))

    for each in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # on Windows a signal ends the process by itself
            loop.add_signal_handler(each, leave, each)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _leave(desk: Desk, number: int) -> None:
    """End this process by a signal; nothing else ends the thread that waits for a line of its input."""
    await desk.end()
    os._exit(128 + number)


async def serve_local(store: Store, analyst: str, response_step: float) -> None:
    """Serve one client over this process's input and output from a store that is opened here.

    Raises
    ------
    AccessError
        The analyst was never added, or was revoked.
    """
    settings = Settings(response_step=response_step).checked()
    gateway = Gateway(store, settings, Log(), Metrics())
    try:
        desk = await local(gateway, analyst)
        try:
            await by_stdio(desk)
        finally:
            await desk.end()
    except Problem as problem:
        raise AccessError(problem.detail) from None
    finally:
        gateway.close()


async def local(gateway: Gateway, analyst: str) -> AtGateway:
    """Return the desk of a store that is opened here, for one analyst: a gateway without a network.

    Raises
    ------
    Problem
        The analyst was never added, or was revoked.
    """
    person = Person(analyst, "analyst")
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "client": ("127.0.0.1", 0)}
    request = Request(scope | {"edgedp.note": Note()})
    await gateway.person(request, lambda: person, "analyst")
    await gateway.ask(gateway.asking(person).graphs)
    return AtGateway(gateway, request, person)


async def _to_the_end(doing: Coroutine[Any, Any, Any]) -> Any:
    task = asyncio.ensure_future(doing)
    _going.add(task)
    task.add_done_callback(_going.discard)
    return await asyncio.shield(task)
