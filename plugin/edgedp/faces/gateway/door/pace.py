"""HTTP/1.1 over a connection, where everything that a caller does has a time limit: a head, and reading an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from edgedp.faces.gateway.door.connections import CONNECTION, Connection, Connections

if TYPE_CHECKING:
    from starlette.responses import Response

_PIPELINED = 8
"""Requests that may be there before the answer to an earlier one; no browser and no proxy sends any."""

_BYTES_A_SECOND = 16 * 1024
"""What a caller reads at least, after the seconds that every answer has."""


class PacedProtocol(H11Protocol):
    """What uvicorn answers by h11, with limits that it has not.

    A head must come in time, and an answer must be read in time: uvicorn waits for either for ever. What is not HTTP is
    answered as every other problem.
    """

    HEAD_SECONDS = 10.0
    ANSWER_SECONDS = 10.0
    CONNECTIONS: Connections
    UNREAD: Callable[[str], Response]

    _head_timer: asyncio.TimerHandle | None = None
    _answer_timer: asyncio.TimerHandle | None = None
    _open: Connection | None = None
    _ahead = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._open = self.CONNECTIONS.of(transport.get_extra_info("socket").fileno())
        # Writing pauses as soon as the system takes no more, and goes on when it has taken all.
        transport.set_write_buffer_limits(high=1, low=0)
        self.app = self._asked
        self._expect_head()

    async def _asked(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer through the application, which is given the connection."""
        await self.config.loaded_app(scope | {CONNECTION: self._open}, receive, send)

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
        self._forget_answer()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Answer the next request; who sends many before reading is answered a few, and cut."""
        if self._open is not None:
            self._open.answered()
        self._ahead = self._ahead + 1 if self.conn.trailing_data[0] else 0
        if self._ahead > _PIPELINED:
            self.transport.close()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the caller to read, for so long as that may take."""
        super().pause_writing()
        if self._open is not None:
            self._open.person = None  # one that does not read makes room, whoever it is
        if self._answer_timer is None:
            seconds = self.ANSWER_SECONDS + self.transport.get_write_buffer_size() / _BYTES_A_SECOND
            self._answer_timer = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Wait no more: the answer is read."""
        self._forget_answer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP in the form of every problem, and close."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            # A body that breaks off: whoever answers that request is told, and answers or has begun to.
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        answer = self.UNREAD(self.client[0] if self.client else "")
        for event in (
            h11.Response(status_code=answer.status_code, headers=answer.raw_headers, reason=b"Bad Request"),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _expect_head(self) -> None:
        self._head_timer = self.loop.call_later(self.HEAD_SECONDS, self._too_slow)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _forget_answer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None

    def _too_slow(self) -> None:
        self._head_timer = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()
