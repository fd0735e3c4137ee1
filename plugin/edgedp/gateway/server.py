"""A gateway on its socket: what is checked before it listens, and what ends before it goes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from edgedp.errors import ParameterError
from edgedp.gateway.app import application
from edgedp.gateway.context import Gateway
from edgedp.gateway.observing import Log, Metrics, quiet_libraries
from edgedp.gateway.settings import Settings
from edgedp.gateway.wire import CROWDED
from edgedp.stores.resident import load_everything

if TYPE_CHECKING:
    from edgedp.stores import Store

__all__ = ["serve"]


def serve(store: Store, settings: Settings, say: Callable[[str], None]) -> None:
    """Answer requests until SIGTERM or SIGINT; running releases are then drawn to their end and recorded.

    Parameters
    ----------
    store : Store
        Opened by the caller, who closes it afterwards.
    settings : Settings
    say : callable
        Called with a line for people, once it listens.

    Raises
    ------
    ParameterError
        A setting is refused, or the address is taken.
    """
    settings.checked()
    log, metrics = Log(sys.stdout), Metrics()
    load_everything()
    listening = _bound(settings)
    end_metrics: Callable[[], None] | None = None
    gateway = Gateway(store, settings, log, metrics)
    try:
        store.warm()
        port = listening.getsockname()[1]
        metrics_port, end_metrics = _metrics(metrics, settings, port, say)
        quiet_libraries(log)
        scheme = "https" if settings.tls else "http"
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        told = "" if metrics_port is None else f"; metrics at http://127.0.0.1:{metrics_port}/metrics"
        say(f"listening at {scheme}://{host}:{port}{told}")
        log.write("listening", host=settings.host, port=port, metrics_port=metrics_port)
        _run(uvicorn.Server(_config(gateway)), listening, log)
    finally:
        gateway.close()
        if end_metrics is not None:
            end_metrics()
        listening.close()
        log.write("ended")


class PacedProtocol(H11Protocol):
    """HTTP/1.1 whose request heads must come in time: a slow client does not keep its connection.

    A connection above the limit is told so, with the headers and in the form of every problem; above twice the limit
    it is cut.
    """

    SECONDS = 10.0
    CONNECTIONS = 256

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > 2 * self.CONNECTIONS:
            transport.abort()
        elif len(self.connections) > self.CONNECTIONS:
            self.app = self._crowded
        self._head_timer: asyncio.TimerHandle | None = None
        self._expect_head()

    async def _crowded(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer through the application, which knows how."""
        await self.config.loaded_app(scope | {CROWDED: True}, receive, send)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head, or no more."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._forget_head()
        elif self._head_timer is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._forget_head()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        self._head_timer = self.loop.call_later(self.SECONDS, self._too_slow)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()


def _config(gateway: Gateway) -> uvicorn.Config:
    settings = gateway.settings
    tls: dict[str, Any] = {}
    if settings.tls:
        tls = {"ssl_certfile": settings.tls_certificate, "ssl_keyfile": settings.tls_key}
    limits = {
        "SECONDS": min(PacedProtocol.SECONDS, settings.request_seconds),
        "CONNECTIONS": settings.connections,
    }
    protocol = type("Paced", (PacedProtocol,), limits)
    config = uvicorn.Config(
        application(gateway),
        http=protocol,
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=30,
        **tls,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError):
        raise ParameterError(
            "the certificate and the key must be PEM files that fit each other; check both"
        ) from None
    return config


def _run(server: uvicorn.Server, listening: socket.socket, log: Log) -> None:
    """Serve; a signal ends it in order, and ends nothing else."""

    def defect(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.write("defect", where="loop", error=None if error is None else type(error).__name__)

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(defect)
        await server.serve(sockets=[listening])

    # uvicorn raises a signal again when it has ended; by then there is nothing left for it to do.
    before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(main())
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _bound(settings: Settings) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(address[:2], family=family, backlog=512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise ParameterError(
            f"the gateway cannot listen at {settings.host}:{settings.port} ({why}); choose another host or port"
        ) from None


def _metrics(
    metrics: Metrics, settings: Settings, port: int, say: Callable[[str], None]
) -> tuple[int | None, Callable[[], None] | None]:
    """Serve the metrics; the port that nobody chose is done without where it is taken."""
    chosen = settings.metrics_port
    try:
        return metrics.serve(port + 1 if chosen is None else chosen)
    except (OSError, OverflowError):
        if chosen is not None:
            raise ParameterError(
                f"the gateway cannot listen at metrics_port {chosen}; choose another"
            ) from None
        say(f"no metrics: port {port + 1} is taken; choose one with --metrics-port")
        return None, None
