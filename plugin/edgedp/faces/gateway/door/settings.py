"""How a gateway may be run: every limit with its default, and the combinations that are refused."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from edgedp.stores.people.identities import check_issuer
from edgedp.words.amounts.epsilon import epsilon_nano
from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened

_OWN = frozenset(
    [
        *("api", "assets", "curator", "graphs", "healthz", "mcp", "more"),
        *("openapi.json", "readyz", "releases", "sign-in", "sign-out", "v1"),
    ]
)
"""How the gateway's own addresses begin: below such a path nobody could tell which of both is meant."""

_DEFAULT_WORKERS = max(os.cpu_count() or 1, 1) + 1
"""One analyst runs on all but one of them."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What `edgedp serve` was started with.

    Attributes
    ----------
    host : str
    port : int
        0 takes any free one.
    tls_certificate, tls_key : path, optional
        PEM files.
    behind_proxy : bool
        A reverse proxy ends TLS in front: another host than loopback is allowed, and cookies are Secure.
    trusted_proxies : tuple of str
        Addresses and networks of proxies that are believed for whom they ask (X-Forwarded-For); empty: loopback.
    root_path : str
        Path that a proxy puts before every address, as ``/edgedp``; the proxy may pass it on or take it away.
    allowed_hosts : tuple of str
        Host names that requests may carry; empty: loopback names where there is neither TLS nor a proxy, else any.
    metrics_port : int, optional
        Loopback port of the metrics; 0 takes any free one, None is the port after `port`.
    workers : int
        Releases that are drawn at the same time.
    queue : int
        Releases that may wait for a worker, a quarter of them of one analyst; further ones are told to ask again.
    min_epsilon : str or number
        What a release costs at least.
    min_epsilon_of : mapping of str to (str or number)
        The same of one graph, by its name.
    response_step : float
        Seconds that response times of releases are rounded up to.
    body_bytes : int
        Largest body of a request.
    request_seconds : float
        How long an answer is waited for; a head and a body have 10 s of it at most.
    connections : int
        Open connections.
    connections_per_address : int, optional
        Of one address; None is half of them.
    requests_per_minute : int
        Of one analyst or curator; and as many with wrong tokens from one address.
    gateways : int
        How many gateways answer for the store in turn: each lets its part of the requests a minute through.
    session_seconds : float
        How long a page's sign-in lasts without a request; one by a provider, however it is used.
    oidc_issuer, oidc_client_id : str, optional
        The provider of sign-ins (OpenID Connect) and what the gateway is called there.
    oidc_client_secret : str, optional
        What the gateway proves there that it is that; None of a public client, which has PKCE alone.
    """

    host: str = "127.0.0.1"
    port: int = 8750
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    behind_proxy: bool = False
    trusted_proxies: tuple[str, ...] = ()
    root_path: str = ""
    allowed_hosts: tuple[str, ...] = ()
    metrics_port: int | None = None
    workers: int = _DEFAULT_WORKERS
    queue: int = 64
    min_epsilon: str | float = "0.0001"
    min_epsilon_of: Mapping[str, str | float] = field(default_factory=dict)
    response_step: float = 0.25
    body_bytes: int = 64 * 1024
    request_seconds: float = 60.0
    connections: int = 256
    connections_per_address: int | None = None
    requests_per_minute: int = 600
    gateways: int = 1
    session_seconds: float = 8 * 3600.0
    oidc_issuer: str | None = None
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = field(default=None, repr=False)

    def checked(self) -> Settings:
        """Return the settings, or refuse them in one line.

        Examples
        --------
        >>> Settings(response_step=0).checked()
        Traceback (most recent call last):
        edgedp.ParameterError: response_step is 0, must be above 0 and at most 60 seconds; choose another
        """
        if (self.tls_certificate is None) != (self.tls_key is None):
            missing = "tls_key" if self.tls_key is None else "tls_certificate"
            raise ParameterError(f"{missing} is missing; give both tls_certificate and tls_key")
        for path in (self.tls_certificate, self.tls_key):
            if path is not None and not path.is_file():
                raise ParameterError(
                    f"{shortened(path)} is not a file, must be a PEM file; give the path of one"
                )
        if not (is_loopback(self.host) or self.tls or self.behind_proxy):
            raise ParameterError(
                f"host is {self.host!r}, must be a loopback address without TLS, because tokens would cross the "
                "network in the clear; give --tls-certificate and --tls-key, or --behind-proxy"
            )
        if self.root_path and not _is_root(self.root_path):
            raise ParameterError(
                f"root_path is {shortened(repr(self.root_path))}, must be a path as /edgedp, of letters, digits, '-', "
                "'_' and '.', and must not begin as an address of the gateway; choose another"
            )
        if not 0 < self.response_step <= 60:
            raise ParameterError(
                f"response_step is {self.response_step:g}, must be above 0 and at most 60 seconds; choose another"
            )
        # Another gateway hides an answer by its lease, which is renewed every 10 s while it is drawn and stands for 30.
        if self.gateways > 1 and self.response_step > 20:
            raise ParameterError(
                f"response_step is {self.response_step:g}, must be at most 20 seconds with several gateways; "
                "choose another"
            )
        for name in (
            "workers",
            "body_bytes",
            "connections",
            "requests_per_minute",
            "gateways",
            "request_seconds",
        ):
            if getattr(self, name) <= 0:
                raise ParameterError(f"{name} is {getattr(self, name):g}, must be above 0; choose another")
        if self.queue < 0:
            raise ParameterError(f"queue is {self.queue}, must be 0 or more; choose another")
        if self.of_one_address <= 0:
            raise ParameterError(
                f"connections_per_address is {self.connections_per_address}, must be above 0; choose another"
            )
        self.least("")
        for name in self.min_epsilon_of:
            self.least(name)
        self._check_provider()
        if self.trusted_proxies and not self.behind_proxy:
            raise ParameterError("a trusted_proxy goes with behind_proxy; give both")
        for network in self.trusted_proxies:
            _network(network)
        return self

    def _check_provider(self) -> None:
        """Refuse a provider of sign-ins that is named in part, or is not safe to send a browser to."""
        if self.oidc_issuer is None:
            if self.oidc_client_id is not None or self.oidc_client_secret is not None:
                raise ParameterError(
                    "oidc_issuer is missing; give the address of the provider beside the client id"
                )
            return
        check_issuer(self.oidc_issuer)
        if not self.oidc_client_id:
            raise ParameterError(
                "oidc_client_id is missing; give the client id that the provider has for the gateway"
            )
        if self.secure and not self.allowed_hosts:
            raise ParameterError(
                "allowed_host is missing, without which a sign-in could be sent back to any name; give the host that "
                "browsers call the gateway by"
            )

    def least(self, name: str) -> int:
        """Return what a release of a graph costs at least, in nano-epsilon.

        Examples
        --------
        >>> chosen = Settings(min_epsilon="0.001", min_epsilon_of={"kite": "0.01"})
        >>> chosen.least("kite"), chosen.least("path")
        (10000000, 1000000)
        """
        return epsilon_nano(self.min_epsilon_of.get(name, self.min_epsilon), "min_epsilon")

    @property
    def tls(self) -> bool:
        """Whether this process ends TLS itself."""
        return self.tls_certificate is not None

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by HTTPS."""
        return self.tls or self.behind_proxy

    @property
    def of_one_address(self) -> int:
        """How many connections one address may have."""
        most = self.connections_per_address
        return max(self.connections // 2, 1) if most is None else most

    @property
    def proxies(self) -> tuple[str, ...]:
        """Addresses and networks of the proxies that are believed."""
        return (self.trusted_proxies or ("127.0.0.1", "::1")) if self.behind_proxy else ()

    def trusts(self, address: str) -> bool:
        """Return whether an address is that of a proxy that is believed.

        Examples
        --------
        >>> Settings(behind_proxy=True).trusts("127.0.0.1"), Settings().trusts("127.0.0.1")
        (True, False)
        """
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(found in _network(each) for each in self.proxies)

    def hosts(self) -> frozenset[str] | None:
        """Return the host names that requests may carry, in lower case; None where any may."""
        local = {"localhost", "127.0.0.1", "[::1]"}
        if self.allowed_hosts:
            return frozenset(local | {name.lower() for name in self.allowed_hosts})
        if self.secure:
            return None
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset(local | {own.lower()})


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise ParameterError(
            f"trusted_proxy is {shortened(text)}, must be an address or a network as 10.0.0.0/8; choose another"
        ) from None


def _is_root(path: str) -> bool:
    parts = path.split("/")[1:]
    plain = path.startswith("/") and all(re.fullmatch(r"(?!\.+$)[A-Za-z0-9._-]+", part) for part in parts)
    return plain and parts[0] not in _OWN


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine alone, by its name.

    Examples
    --------
    >>> is_loopback("127.0.0.2"), is_loopback("::1"), is_loopback("localhost"), is_loopback("10.0.0.1"), is_loopback("")
    (True, True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
