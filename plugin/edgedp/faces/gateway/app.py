"""The ASGI application of a gateway: the endpoints, the pages and the boundary around them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from edgedp.faces.gateway import desks, pages
from edgedp.faces.gateway.api import routes as api
from edgedp.faces.gateway.api.wire import Boundary, bearer, json_body
from edgedp.faces.gateway.context import Gateway
from edgedp.faces.gateway.door.observing import note_of

if TYPE_CHECKING:
    from edgedp.faces.gateway.context import Gateway


def application(gateway: Gateway) -> Boundary:
    """Return the application of a gateway."""
    site = pages.Pages(gateway)
    routes = [*api.routes(gateway), *pages.routes(site), *_of_agents(gateway)]
    router = Router(routes, redirect_slashes=False, default=_nothing)
    return Boundary(router, gateway, site.of_problem)


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise HTTPException(404)


def _of_agents(gateway: Gateway) -> list[Route]:
    """Return the address of agents' clients; there is none where the extra ``mcp`` is not installed."""
    return [] if find_spec("mcp") is None else [Route("/mcp", _Agents(gateway), methods=["POST"])]


class _Agents:
    """Streamable HTTP: each message is a request of its own, with its token, and no session is kept."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message."""
        first: Message | None = None

        async def replayed() -> Message:
            nonlocal first
            if first is None:
                first = await receive()
                return first
            return await receive()

        request = Request(scope, replayed)
        note_of(request).route = "/mcp"
        whose = self._gateway.bearer_of(bearer(request))
        person = await self._gateway.person(request, whose, "analyst")
        await json_body(request)  # one message with distinct keys, by the rules of every other body

        async def again() -> Message:
            nonlocal first
            if first is None:
                return await receive()
            message, first = first, None
            return message

        await desks.answer(self._gateway, Request(scope, again), person, send)
