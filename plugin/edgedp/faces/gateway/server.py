"""A gateway on its socket: what is checked before it listens, and what ends before it goes."""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from edgedp.faces.gateway.app import application
from edgedp.faces.gateway.context import ASKS, Gateway
from edgedp.faces.gateway.door.connections import Connections, Listening
from edgedp.faces.gateway.door.descriptors import raise_limit
from edgedp.faces.gateway.door.observing import Log, Metrics, quiet_libraries
from edgedp.faces.gateway.door.outlet import Outlet
from edgedp.faces.gateway.door.pace import PacedProtocol
from edgedp.faces.gateway.door.settings import Settings
from edgedp.stores.releases.resident import load_everything
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.stores import Store

_BACKLOG = 512


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
    raise_limit(settings.connections, settings.workers + ASKS)
    metrics = Metrics()
    load_everything()
    connections = Connections(settings.connections, settings.of_one_address, settings.trusts)
    listening = _bound(settings, connections)
    outlet = Outlet(sys.stdout.fileno(), metrics.dropped)
    log = Log(outlet)
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
        server = _Server(_config(gateway, connections), gateway)
        with _ending_in_order(server):
            say(f"listening at {scheme}://{host}:{port}{told}")
            log.write("listening", host=settings.host, port=port, metrics_port=metrics_port)
            _run(server, listening, log)
    finally:
        gateway.close()
        if end_metrics is not None:
            end_metrics()
        listening.close()
        log.write("ended")
        outlet.close()


def _config(gateway: Gateway, connections: Connections) -> uvicorn.Config:
    settings = gateway.settings
    tls: dict[str, Any] = {}
    if settings.tls:
        tls = {"ssl_certfile": settings.tls_certificate, "ssl_keyfile": settings.tls_key}
    app = application(gateway)
    made = {
        "HEAD_SECONDS": min(PacedProtocol.HEAD_SECONDS, settings.request_seconds),
        "CONNECTIONS": connections,
        "UNREAD": staticmethod(app.unread),
    }
    config = uvicorn.Config(
        app,
        http=type("Paced", (PacedProtocol,), made),
        ws="none",
        lifespan="off",
        proxy_headers=settings.behind_proxy,
        forwarded_allow_ips=list(settings.proxies),
        server_header=False,
        access_log=False,
        log_config=None,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=math.ceil(settings.request_seconds + settings.response_step),
        **tls,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError):
        raise ParameterError(
            "the certificate and the key must be PEM files that fit each other; check both"
        ) from None
    return config


class _Server(uvicorn.Server):
    """One listening socket whose handshakes have as long as a head; a signal refuses what waits at once."""

    def __init__(self, config: uvicorn.Config, gateway: Gateway) -> None:
        super().__init__(config)
        self._gateway = gateway

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        self._gateway.loop = loop

        def protocol() -> asyncio.Protocol:
            made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
                config=self.config, server_state=self.server_state, app_state={}, _loop=loop
            )
            return made

        seconds = PacedProtocol.HEAD_SECONDS if self.config.ssl else None
        self.servers = [
            await loop.create_server(
                protocol, sock=each, ssl=self.config.ssl, backlog=_BACKLOG,
                ssl_handshake_timeout=seconds, ssl_shutdown_timeout=seconds,
            )
            for each in sockets or []
        ]  # fmt: skip
        self.started = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Debit nothing from now on, and end."""
        self._gateway.end()
        super().handle_exit(sig, frame)


@contextlib.contextmanager
def _ending_in_order(server: uvicorn.Server) -> Iterator[None]:
    """Let a signal end the server in order from the first word that it listens, and end nothing else.

    While it serves, the handlers are uvicorn's own, which raises a signal again when it has ended.
    """

    def end(*_: object) -> None:
        server.should_exit = True

    before = {each: signal.signal(each, end) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _run(server: uvicorn.Server, listening: socket.socket, log: Log) -> None:
    def defect(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.write("defect", where="loop", error=None if error is None else type(error).__name__)

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(defect)
        await server.serve(sockets=[listening])

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())


def _bound(settings: Settings, connections: Connections) -> Listening:
    try:
        family, *_, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise ParameterError(
            f"the gateway cannot listen at {settings.host}:{settings.port} ({why}); choose another host or port"
        ) from None
    listening = Listening(made.family, made.type, made.proto, fileno=made.detach())
    listening.connections = connections
    return listening


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
