"""Open connections, counted from accept to close; where there are too many, one that waits is cut for a new one.

A connection costs its descriptor from the moment it is accepted, before a handshake, a head or a token. It is counted
from there until its socket is closed. Those that wait shut nobody out: where there is no room, the address with the
most connections loses the one that has waited longest.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

CONNECTION = "edgedp.connection"
"""In a scope: the `Connection` that the request came by."""

_PAUSE = 0.001
"""Seconds."""


def place_of(address: str) -> str:
    """Return what counts as one address: an IPv6 caller has a whole network of 64 bits.

    Examples
    --------
    >>> place_of("192.0.2.7"), place_of("2001:db8::7"), place_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


@dataclass(eq=False)
class Connection:
    """An open connection.

    Attributes
    ----------
    place : str, optional
        Of the caller; None of a trusted proxy, until a head says for whom it asks.
    since : float
        When it was accepted, or last answered, by `time.monotonic`.
    proxied : bool
        Whether a trusted proxy opened it, which uses it for one caller after another.
    person : str, optional
        Who asks by it, from the check of a token to the answer: such a connection is not cut for others.
    crowded : bool
        Whether it is one too many, and none could be cut for it.
    cut : bool
        Whether it was cut, and its socket is about to be closed.
    """

    peer: socket.socket = field(repr=False)
    all: Connections = field(repr=False)
    place: str | None
    since: float
    proxied: bool = False
    person: str | None = None
    crowded: bool = False
    cut: bool = False

    def asked(self, address: str) -> bool:
        """Note whose request came by it; return whether it may be answered."""
        place = place_of(address)
        if self.crowded or place != self.place:
            self.place = place
            self.all.make_room(self)
        return not self.crowded

    def belongs(self, person: str) -> None:
        """Keep it for somebody's request; a quarter of all connections is kept for one person at most."""
        if self.all.kept_for(person) < self.all.of_one_person:
            self.person = person

    def answered(self) -> None:
        """Note that it waits for the next request."""
        self.person, self.since = None, time.monotonic()
        if self.proxied:
            self.place = None

    def end(self) -> None:
        """Cut it: the event loop sees an end of the stream, and closes the socket."""
        self.cut = True
        with contextlib.suppress(OSError):
            self.peer.shutdown(socket.SHUT_RDWR)


class Connections:
    """All open connections of a gateway.

    Parameters
    ----------
    most : int
        Above it one is cut, or answered 503 where all are in use; above twice as many, which is where many
        were cut and are not closed yet, the next ones wait in the kernel's queue.
    of_one : int
        Of one address.
    trusts : callable
        Whether an address is that of a proxy, which asks for many.
    """

    def __init__(self, most: int, of_one: int, trusts: Callable[[str], bool] = lambda address: False) -> None:
        self._most, self._of_one, self._trusts = most, of_one, trusts
        self.of_one_person = max(most // 4, 1)
        self._open: dict[int, Connection] = {}

    def __len__(self) -> int:
        return len(self._open)

    @property
    def full(self) -> bool:
        """Whether those that were cut have to be closed before another is accepted."""
        return len(self._open) >= 2 * self._most

    def accepted(self, peer: socket.socket, address: str) -> None:
        """Count a connection, and make room for it."""
        proxied = self._trusts(address)
        place = None if proxied else place_of(address)
        connection = Connection(peer, self, place, time.monotonic(), proxied)
        self._open[peer.fileno()] = connection
        self.make_room(connection)

    def closed(self, descriptor: int) -> None:
        """Count a connection no more."""
        self._open.pop(descriptor, None)

    def of(self, descriptor: int) -> Connection | None:
        """Return the connection of a descriptor."""
        return self._open.get(descriptor)

    def kept_for(self, person: str) -> int:
        """Return how many connections are kept for requests of a person."""
        return sum(each.person == person for each in list(self._open.values()))

    def make_room(self, newcomer: Connection) -> None:
        """Cut a connection where there are too many; where all are in use, the newcomer is one too many."""
        there = [each for each in self._open.values() if not each.cut]
        crowd = [each for each in there if newcomer.place is not None and each.place == newcomer.place]
        if len(crowd) <= self._of_one:
            crowd = there if len(there) > self._most else []
        idle = [each for each in crowd if each.person is None and each is not newcomer]
        newcomer.crowded = bool(crowd) and not idle
        if idle:
            counts = Counter(each.place for each in there)
            # A proxy takes a connection that is cut as it asks for a failure: its own are cut last.
            max(idle, key=lambda each: (each.place is not None, counts[each.place], -each.since)).end()


class _Counted(socket.socket):
    """A connection's socket, which is counted until it is closed."""

    connections: Connections

    def close(self) -> None:
        """Close it, and count it no more."""
        descriptor = self.fileno()
        super().close()
        if descriptor >= 0:
            self.connections.closed(descriptor)


class Listening(socket.socket):
    """A listening socket whose connections are counted as they are accepted, and send without delay.

    asyncio sets TCP_NODELAY where a socket's protocol number is TCP's; that of `socket.create_server` is 0.
    """

    connections: Connections

    def accept(self) -> tuple[socket.socket, object]:
        """Return the next connection.

        Where it is full, none is there: asyncio closes those that were cut, and asks again in its next turn. The
        pause keeps these turns from taking a whole processor.
        """
        if self.connections.full:
            time.sleep(_PAUSE)
            raise BlockingIOError
        made, address = super().accept()
        peer = _Counted(made.family, made.type, made.proto, fileno=made.detach())
        peer.connections = self.connections
        self.connections.accepted(peer, str(address[0]))
        with contextlib.suppress(OSError):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer, address
