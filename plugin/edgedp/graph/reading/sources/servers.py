"""Which server and which database an address names, as its driver takes it: one place, however it is spelled."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import parse_qs, unquote, urlsplit

from edgedp.words.errors import ParameterError

_LEADS_ELSEWHERE = frozenset({"hostaddr", "service", "servicefile", "socket", "db_name"})
"""Settings by which a driver goes to another place than the address shows."""
_SOCKETS = ("/", "@")
"""How PostgreSQL's name of a socket of this machine begins: in a folder, or of Linux alone."""
_NOT_PRINTED = frozenset(map(chr, range(32)))
"""Of which some are left out where an address is taken apart here, and belong to a name for a driver, as a # does."""
_OF_POSTGRESQL = {"host": "PGHOST", "port": "PGPORT", "dbname": "PGDATABASE"}
"""Settings that say a part of the place, and the variables that do where the address does not."""


def server_of(address: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str, str]:
    """Return the host, the port and the database that an address names; an empty text where it names none.

    Raises
    ------
    ParameterError
        It names several, or another one by a setting or by a file.

    Examples
    --------
    >>> server_of("postgresql://ada@DB.example.org./b%61nk", {"PGPORT": "5433"})
    ('db.example.org', '5433', 'bank')
    >>> server_of("postgresql:///bank?host=/run/postgresql", {}), server_of("mysql://127.1:3307/bank", {})
    (('localhost', '', 'bank'), ('localhost', '3307', 'bank'))
    """
    parts = urlsplit(address)
    of_postgresql = parts.scheme.startswith("postgres")
    query = parts.query.replace("+", "%2B")  # a plus is no blank to drivers
    settings = parse_qs(query, keep_blank_values=True)
    beside = {name: settings.get(name, []) for name in _OF_POSTGRESQL}
    path = parts.path.removeprefix("/")
    steps = (path if of_postgresql else path.strip("/")).split("/")
    if (
        "#" in address or not _NOT_PRINTED.isdisjoint(address) or len(steps) > 1
        or _LEADS_ELSEWHERE & settings.keys() or (any(beside.values()) and not of_postgresql)
        or settings.get("prefer_socket", ["false"]) != ["false"]
        or (of_postgresql and {"PGHOSTADDR", "PGSERVICE"} & environment.keys())
    ):  # fmt: skip
        raise _unclear()
    with suppress(ValueError):
        said = {"host": parts.hostname, "port": parts.port, "dbname": steps[0]}
        found = {
            name: _one([*([unquote(str(value))] if value else []), *beside[name]])
            for name, value in said.items()
        }
        if of_postgresql:
            found = {name: found[name] or environment.get(_OF_POSTGRESQL[name], "") for name in found}
        if "," in found["host"]:  # several, also by a variable or in percent
            raise ValueError
        return host_of(found["host"]), str(int(found["port"] or 0) or ""), found["dbname"]
    raise _unclear()


def _one(said: list[str]) -> str:
    if len(said) > 1:
        raise ValueError
    return said[0] if said else ""


def _unclear() -> ParameterError:
    return ParameterError(
        "edges are in a database whose address names its place twice, by a # or a sign that is not printed, or by a "
        "setting, a variable or a file (service, hostaddr, socket, several hosts, PGSERVICE, PGHOSTADDR); give one "
        "host, port and database, such as postgresql://HOST:PORT/DATABASE, with a # as %23, and unset these variables"
    )


def host_of(host: str) -> str:
    """Return a host in one spelling: this machine is one, however it is reached.

    Examples
    --------
    >>> host_of("127.0.0.1"), host_of("0x7f.1"), host_of("[::1]"), host_of("/tmp"), host_of("DB.example.org.")
    ('localhost', 'localhost', 'localhost', 'localhost', 'db.example.org')
    >>> host_of("10.1"), host_of("[0:0::a]")
    ('10.0.0.1', '::a')
    """
    name = host.lower().strip("[]").removesuffix(".")
    number = None
    with suppress(ValueError):
        number = ipaddress.ip_address(name)
    with suppress(OSError):
        number = ipaddress.ip_address(socket.inet_ntoa(socket.inet_aton(name)))
    if number is not None:
        number = getattr(number, "ipv4_mapped", None) or number
        name = "localhost" if number.is_loopback or number.is_unspecified else str(number)
    return "localhost" if not name or name.startswith(_SOCKETS) else name
