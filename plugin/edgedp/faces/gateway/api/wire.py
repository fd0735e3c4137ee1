"""The boundary that every request passes: its host, its size, its pace; headers, log and metrics of the answer."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edgedp.faces.gateway.door.connections import CONNECTION
from edgedp.faces.gateway.door.observing import Note
from edgedp.faces.gateway.door.problems import TITLES, Problem
from edgedp.words.amounts.written import strict_json, whole_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from starlette.responses import Response

    from edgedp.faces.gateway.context import Gateway

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    b"content-security-policy": _POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}

_UNREAD = {"Connection": "close"}

_BODY_SECONDS = 10.0

PAGE, LONGEST_PAGE = 200, 1000
"""Rows of a list where none is asked for, and at most."""


class Boundary:
    """An ASGI application around the routes.

    Parameters
    ----------
    app : ASGI application
        The routes; `Problem` and `HTTPException` may come out of it.
    gateway : Gateway
    page_of : callable
        Makes a page of a problem, for those who do not ask for JSON.
    """

    def __init__(
        self, app: ASGIApp, gateway: Gateway, page_of: Callable[[Request, Problem], Response]
    ) -> None:
        self._app = app
        self._gateway = gateway
        self._hosts = gateway.settings.hosts()
        self._root = gateway.settings.root_path
        self._page_of = page_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        address = _address(scope)
        note = Note(method=_known_method(scope["method"]), address=address)
        # Names are parts of a path as it was sent: %2F is no border between two parts.
        raw = scope.get("raw_path") or scope["path"].encode("ascii", "replace")
        path = self._below_root(raw.split(b"?", 1)[0].decode("ascii", "replace"))
        scope = dict(scope) | {"path": path, "app": self, "edgedp.note": note, "client": (address, 0)}
        status = 500
        began = False

        async def sent(message: Message) -> None:
            nonlocal status, began
            if message["type"] == "http.response.start":
                began, status = True, message["status"]
                message["headers"] = self._with_headers(message.get("headers", []))
            await send(message)

        try:
            try:
                connection = scope.get(CONNECTION)
                if connection is not None and not connection.asked(address):
                    raise Problem(
                        503,
                        "too many connections are open; ask again",
                        "StoreUnavailableError",
                        {"Retry-After": "1"} | _UNREAD,
                    )
                self._check_host(scope)
                await self._app(scope, self._bounded(scope, receive), sent)
            except Exception as error:
                if began:
                    return  # half an answer cannot be mended; the connection ends
                await self._problem(scope, error)(scope, receive, sent)
        except OSError:
            return  # the caller went away
        finally:
            self._gateway.log.request(note, status, self._gateway.settings.response_step)
            self._gateway.metrics.request(note, status)

    def _problem(self, scope: Scope, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            sentence = {
                404: "there is nothing at this address; see /openapi.json",
                405: "the address does not take this method; see /openapi.json",
            }.get(error.status_code, "the request is refused")
            kind = "UnknownNameError" if error.status_code == 404 else "ParameterError"
            problem = Problem(
                error.status_code if error.status_code in TITLES else 400,
                sentence,
                kind,
                dict(error.headers or {}),
            )
        else:
            problem = self._gateway.problem(error)
        if _is_api(scope["path"]):
            return problem.response()
        return self._page_of(Request(scope), problem)

    def _below_root(self, path: str) -> str:
        """Return an address as the routes have it, whether the proxy passed its own part on or not."""
        below = path.removeprefix(self._root) if path.startswith(f"{self._root}/") else path
        return "/" if path == self._root else below

    def _with_headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        root = self._root.encode()
        headers = [
            (name, root + value if name.lower() == b"location" and value.startswith(b"/") else value)
            for name, value in headers
        ]
        present = {name.lower() for name, _ in headers}
        added = dict(_HEADERS)
        if b"cache-control" not in present:
            added[b"cache-control"] = b"no-store"
        if self._gateway.settings.secure:
            added[b"strict-transport-security"] = b"max-age=31536000"
        return [*headers, *added.items()]

    def _check_host(self, scope: Scope) -> None:
        given = [value for name, value in scope["headers"] if name == b"host"]
        host = given[0].decode("latin-1").lower() if len(given) == 1 else ""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() and ":" in host else host
        if not name or (self._hosts is not None and name not in self._hosts):
            raise Problem(
                421,
                "the host is not one of this gateway; call it by the name that it was given (--allowed-host)",
                "ParameterError",
                _UNREAD,
            )

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Return what gives a request's whole body when it is first asked for: who asks is known from the head before.

        Raises
        ------
        Problem
            400, 413; and, where the body is asked for, 408.
        """
        most = self._gateway.settings.body_bytes
        announced = [value for name, value in scope["headers"] if name == b"content-length"]
        chunked = any(name == b"transfer-encoding" for name, _ in scope["headers"])
        if chunked and (announced or scope.get("http_version") == "1.0"):
            # Two lengths: what stands before the gateway may read another one, and take the rest for a request.
            raise Problem(
                400,
                "the body has Transfer-Encoding beside Content-Length or in HTTP/1.0; send one of them",
                "ParameterError",
                _UNREAD,
            )
        if any(not value.isdigit() or len(value) > 18 or int(value) > most for value in announced):
            raise _too_large(most)
        body: Message | None = None

        async def bounded() -> Message:
            nonlocal body
            if body is not None:
                return await receive()
            whole = await self._whole(receive) if chunked or announced else b""
            body = {"type": "http.request", "body": whole, "more_body": False}
            return body

        return bounded

    async def _whole(self, receive: Receive) -> bytes:
        """Return the whole body, or refuse one that is too large or too slow before it is kept."""
        most = self._gateway.settings.body_bytes
        body = bytearray()
        try:
            async with asyncio.timeout(min(self._gateway.settings.request_seconds, _BODY_SECONDS)):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Problem(400, "the body ended early; send it again", "ParameterError", _UNREAD)
                    body += message.get("body", b"")
                    if len(body) > most:
                        raise _too_large(most)
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise Problem(
                408, "the body came too slowly; send it again", "StoreUnavailableError", _UNREAD
            ) from None

    def unread(self, address: str) -> Response:
        """Return the answer to what is not HTTP, with headers and a line of the log as any other."""
        problem = Problem(400, "the request is not HTTP/1.1; send it as HTTP/1.1", "ParameterError", _UNREAD)
        note = Note(method="other", address=address)
        self._gateway.log.request(note, problem.status, self._gateway.settings.response_step)
        self._gateway.metrics.request(note, problem.status)
        response = problem.response()
        response.raw_headers = self._with_headers(response.raw_headers)
        return response


def name_in(request: Request, part: str = "name") -> str:
    """Return a part of the path, decoded.

    Raises
    ------
    Problem
        404: it is no UTF-8.
    """
    try:
        return unquote(request.path_params[part], errors="strict")
    except UnicodeDecodeError:
        raise Problem(
            404, "the address holds a name that is not UTF-8; encode it as UTF-8", "UnknownNameError"
        ) from None


def check_query(request: Request, known: Collection[str]) -> None:
    """Refuse a query that holds what its address does not read.

    Raises
    ------
    Problem
        422.
    """
    if not request.query_params.keys() <= set(known):
        takes = f"takes only {', '.join(known)} in its query" if known else "takes no query"
        raise Problem(
            422, f"the address {takes}; leave out the rest, and give options in the body", "ParameterError"
        )


def page_asked(request: Request) -> tuple[int, str | None]:
    """Return how many rows of a list are asked for, and after which one.

    Raises
    ------
    Problem
        422.
    """
    limits, sinces = (request.query_params.getlist(name) for name in ("limit", "since"))
    limit = 0
    if len(limits) <= 1 and len(sinces) <= 1:
        limit = whole_of((limits or [str(PAGE)])[0]) or 0
    if not 1 <= limit <= LONGEST_PAGE:
        raise Problem(
            422,
            f"limit and since stand once at most, and limit must be a whole number from 1 to {LONGEST_PAGE}; "
            "ask without it or give another",
            "ParameterError",
        )
    return limit, sinces[0] if sinces else None


def bearer(request: Request) -> str | None:
    """Return the token of a request's one Authorization header, or None."""
    given = request.headers.getlist("authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


async def json_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request's body.

    Raises
    ------
    Problem
        415, 400 or 422.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, "the body must be application/json; say so in Content-Type", "ParameterError")
    try:
        given = strict_json((await request.body()).decode("utf-8"))
    except (ValueError, RecursionError):
        raise Problem(
            400,
            "the body is not a JSON object with distinct keys and finite numbers; send one",
            "ParameterError",
        ) from None
    if not isinstance(given, dict):
        raise Problem(422, "the body must be a JSON object; give the options by name", "ParameterError")
    return given


def _too_large(most: int) -> Problem:
    return Problem(413, f"the body must have at most {most} bytes; send less", "ParameterError", _UNREAD)


def _address(scope: Scope) -> str:
    """Return the address of a caller; where a proxy forwards what is none, it is not shown."""
    address = str((scope.get("client") or ("", 0))[0])
    try:
        return str(ipaddress.ip_address(address.partition("%")[0]))
    except ValueError:
        return "unknown"


def _known_method(method: str) -> str:
    return method if method in ("GET", "HEAD", "POST") else "other"


def _is_api(path: str) -> bool:
    return path.startswith("/v1/") or path in ("/v1", "/mcp", "/openapi.json", "/healthz", "/readyz")
