"""What is written down: a JSON line a request, and counters. Public facts only, and times in whole steps.

How long a draw took depends on private edges: neither the log nor a metric has a finer time than the
caller saw, and there is no metric of processor time.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol
from wsgiref.simple_server import WSGIRequestHandler

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer
from starlette.requests import Request


@dataclass
class Note:
    """What is to be written down of a request; filled while it is answered.

    Attributes
    ----------
    route : str
        The endpoint, with places for names.
    steps : int, optional
        After how many response steps a release was answered; what is no release is not timed.
    address : str, optional
        Of the caller: behind a proxy that is trusted, the one that it asks for.
    """

    method: str = ""
    address: str | None = None
    route: str = "unknown"
    who: str | None = None
    role: str | None = None
    graph: str | None = None
    kind: str | None = None
    asked: dict[str, Any] | None = None
    epsilon: float | None = None
    release_id: str | None = None
    kept: bool | None = None
    steps: int | None = None
    more: dict[str, Any] = field(default_factory=dict)


class Written(Protocol):
    """What lines are written to."""

    def write(self, text: str, /) -> Any:
        """Take a line."""


class Log:
    """Writes one JSON object a line."""

    def __init__(self, stream: Written | None = None) -> None:
        self._stream = stream or sys.stderr
        self._guard = threading.Lock()

    def write(self, event: str, **fields: Any) -> None:
        """Write a line; what is None is left out."""
        shown = {key: value for key, value in fields.items() if value is not None}
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="seconds"), "event": event} | shown)
        with self._guard:
            try:
                self._stream.write(line + "\n")
            except (OSError, ValueError):
                return  # the reader of the log went away; requests are answered all the same

    def request(self, note: Note, status: int, step: float) -> None:
        """Write the line of a request."""
        self.write(
            "request",
            method=note.method,
            address=note.address,
            route=note.route,
            who=note.who,
            role=note.role,
            graph=note.graph,
            kind=note.kind,
            asked=note.asked,
            epsilon=note.epsilon,
            release_id=note.release_id,
            kept=note.kept,
            status=status,
            seconds_at_most=None if note.steps is None else round(note.steps * step, 6),
            **note.more,
        )


class Metrics:
    """Counters in a registry of their own, without those of the process."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "edgedp_requests", "Requests answered.", ["route", "method", "status"], registry=self.registry
        )
        self._releases = Counter(
            "edgedp_releases", "Releases drawn and recorded.", ["kind"], registry=self.registry
        )
        self._epsilon = Counter(
            "edgedp_epsilon", "Epsilon debited through this gateway.", ["graph"], registry=self.registry
        )
        self._steps = Histogram(
            "edgedp_release_steps",
            "Response times of releases, in whole response steps.",
            buckets=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128),
            registry=self.registry,
        )

        self._dropped = Counter(
            "edgedp_log_lines_dropped", "Log lines that nobody read in time.", registry=self.registry
        )

    def dropped(self) -> None:
        """Count a line of the log that is dropped."""
        self._dropped.inc()

    def request(self, note: Note, status: int) -> None:
        """Count an answered request."""
        self._requests.labels(note.route, note.method, str(status)).inc()
        if note.steps is not None:
            self._steps.observe(note.steps)
        if note.release_id is not None and note.kept is False:
            self._releases.labels(note.kind).inc()
            self._epsilon.labels(note.graph).inc(note.epsilon or 0)

    def serve(self, port: int) -> tuple[int, Any]:
        """Serve the metrics on a loopback port; return the port and what ends it."""
        server = _MetricsServer(("127.0.0.1", port), _MetricsHandler)
        server.set_app(make_wsgi_app(self.registry))
        thread = threading.Thread(target=server.serve_forever, name="edgedp-metrics", daemon=True)
        thread.start()

        def end() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return server.server_address[1], end


class _MetricsHandler(WSGIRequestHandler):
    """Waits no longer than this for a request, and says nothing."""

    timeout = 5.0

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _MetricsServer(ThreadingWSGIServer):
    """A few connections at once, so that they take no descriptors from releases; others are closed."""

    AT_ONCE = 8

    def __init__(self, *given: Any) -> None:
        self._room = threading.BoundedSemaphore(self.AT_ONCE)
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, where there is room."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and give the place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a caller that went away."""


def quiet_libraries(log: Log) -> None:
    """Let the words of libraries be logged without their values, and no traceback ever be printed."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                log.write(
                    "library", logger=record.name, level=record.levelname.lower(), where=record.funcName
                )

    root = logging.getLogger()
    root.handlers[:] = [Handler()]
    root.setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers[:], logger.propagate = [], True
    logging.getLogger("uvicorn.access").disabled = True

    def thread_failed(failed: threading.ExceptHookArgs) -> None:
        log.write("defect", where="thread", error=failed.exc_type.__name__)

    threading.excepthook = thread_failed


def note_of(request: Request) -> Note:
    """Return what is to be written down of a request."""
    note: Note = request.scope["edgedp.note"]
    return note


def brief(options: dict[str, Any]) -> dict[str, Any]:
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
