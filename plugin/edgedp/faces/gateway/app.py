"""The ASGI application of a gateway: the endpoints, the pages and the boundary around them."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from edgedp.faces.gateway import agent_address, pages
from edgedp.faces.gateway.api import routes as api
from edgedp.faces.gateway.api.wire import Boundary
from edgedp.faces.gateway.context import Gateway

__all__ = ["application"]


def application(gateway: Gateway) -> Boundary:
    """Return the application of a gateway."""
    site = pages.Pages(gateway)
    routes = [*api.routes(gateway), *pages.routes(site), *agent_address.routes(gateway)]
    router = Router(routes, redirect_slashes=False, default=_nothing)
    return Boundary(router, gateway, site.of_problem)


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise HTTPException(404)
