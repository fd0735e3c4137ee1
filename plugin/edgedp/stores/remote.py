"""A store behind a gateway: what an analyst may ask of a store, over HTTP, with the same methods and errors."""

from __future__ import annotations

import copy
import os
import re
import ssl
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast
from urllib.parse import urlencode, urlsplit

from edgedp.mechanisms import checks
from edgedp.mechanisms.values import spelled
from edgedp.release.conditions import conditions, where_of
from edgedp.release.plan import options_of
from edgedp.release.plan.named import readings
from edgedp.release.release import Release
from edgedp.stores.releases import batch
from edgedp.stores.releases.estimating import kind_of_options
from edgedp.stores.returned import asked_to_wait, object_of, refusal_of, release_of, unreachable
from edgedp.stores.sending import body_of, content_of, key_of, part_of, plain, plain_options
from edgedp.stores.store import Store
from edgedp.words.errors import AccessError, EdgeDPError, EngineError, ParameterError
from edgedp.words.rows import Balance, GraphFacts, ReleaseRow
from edgedp.words.vocabulary import AccountName, Kind, ReleaseEngine

if TYPE_CHECKING:
    import httpx

_PATIENCE = 60.0
_PAGE = 1000
_LONGEST_PLAN_ID = 200


class RemoteStore(Store):
    """An analyst's store at a gateway; made by `edgedp.open_store` of an ``https://`` address.

    Releases, budgets and the analyst's own releases are asked of the gateway. Everything else is the curator's and
    is refused here: this class has no database.

    Parameters
    ----------
    address : str
        ``https://host:port``, or ``http://`` of this machine.
    token : str
    patience : float
        Seconds for which an answer is asked for again while the gateway says that it comes.
    ca_file : path, optional
        As of `edgedp.open_store`.
    """

    def __init__(
        self,
        address: str,
        token: str | None,
        *,
        patience: float = _PATIENCE,
        ca_file: str | os.PathLike[str] | None = None,
    ) -> None:
        self._address = check_gateway(address)
        if not isinstance(token, str) or re.fullmatch(r"[!-~]+", token) is None:
            raise AccessError("the token is missing or malformed; give one as token, or set EDGEDP_TOKEN")
        self._patience = patience
        self._plan_id: str | None = None
        self._client = _client(self._address, token, ca_file)

    @property
    def address(self) -> str:
        """The gateway's address."""
        return self._address

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Do nothing: there is no opening to hold, each question is sent by itself."""
        yield

    @property
    def _place(self) -> str:
        return self._address

    def _listed(self) -> list[GraphFacts]:
        return self.graphs()

    def graphs(self) -> list[GraphFacts]:
        """Return the public facts of every graph, each with the caller's ``share`` (or None)."""
        return list(self._get("/v1/graphs")["graphs"])

    def budget(self, name: str) -> Balance:
        """Return what `Store.budget` does, with the caller's ``share`` (or None)."""
        return cast(Balance, self._get(f"/v1/graphs/{part_of(name)}/budget"))

    def attributes(self, name: str) -> list[dict[str, Any]]:
        """Return the declared properties of a graph's nodes, as `Store.attributes`: public facts."""
        return list(self._get(f"/v1/graphs/{part_of(name)}/attributes")["attributes"])

    def releases(
        self, name: str | None = None, limit: int | None = None, since: str | int | None = None
    ) -> list[ReleaseRow]:
        """Return the caller's own releases, of one graph or of all, graph by graph and oldest first.

        Parameters
        ----------
        name : str, optional
        limit : int, optional
            How many at most; default all, which are asked for page by page.
        since : str, optional
            The ``release_id`` of the last release of the page before.
        """
        place = "/v1/releases" if name is None else f"/v1/graphs/{part_of(name)}/releases"
        left, found = checks.check_limit(limit), list[ReleaseRow]()
        after = None if since is None else str(since)
        while left is None or left > len(found):
            most = _PAGE if left is None else min(left - len(found), _PAGE)
            given = {"limit": most} | ({} if after is None else {"since": after})
            page = self._get(f"{place}?{urlencode(given)}")
            found += page["releases"]
            after = page.get("next")
            if after is None:
                break
        return found

    def release(self, release_id: str) -> dict[str, Any]:
        """Return one of the caller's own releases."""
        return self._get(f"/v1/releases/{part_of(release_id)}")

    def register(  # type: ignore[override]
        self,
        name: str,
        *,
        of: str | None = None,
        orientation: str = "undirected",
        where: Mapping[str, Any] | None = None,
        at_least: int = 1,
        candidates: str | None = None,
        **curators: Any,
    ) -> dict[str, Any]:
        """Register a graph of a loaded one's rows by conditions, where the share of it allows filters.

        Parameters
        ----------
        name : str
            The caller's name and a full stop before it.
        of, orientation, where, at_least, candidates
            As for `Store.register`.
        """
        odd = [key for key, value in curators.items() if value not in (None, False, "recorded")]
        if of is None or odd:
            raise ParameterError(
                f"{odd[0] if odd else 'a graph without of'} is the curator's, who opens the store; register a graph of "
                "a loaded one's rows (of, where)"
            )
        found = where_of(conditions(where))
        given = {"name": name, "where": found, "at_least": at_least, "orientation": orientation.lower()}
        given |= {} if candidates is None else {"candidates": candidates}
        return self._send("POST", f"/v1/graphs/{part_of(of)}/filters", given)[0]

    def ask_more(
        self, name: str, epsilon: Any, reason: str, account: AccountName = "edges"
    ) -> dict[str, Any]:
        """Ask the curator for a larger share of a graph, `epsilon` more, and say why in a sentence."""
        given = {"epsilon": plain(epsilon, "epsilon"), "reason": reason, "account": account}
        return self._send("POST", f"/v1/graphs/{part_of(name)}/more", given)[0]

    def asked_more(self, graph: str | None = None) -> list[dict[str, Any]]:
        """Return what the caller asked for more of, oldest first, and what the curator answered."""
        return [row for row in self._get("/v1/more")["asked"] if graph in (None, row["graph"])]

    def _release(
        self, kind: Kind, name: str, options: dict[str, Any], engine: ReleaseEngine, request_id: str | None
    ) -> Release:
        """Ask for a release under a key, so that a lost answer is asked for again and never paid twice."""
        key = str(uuid.uuid4()) if request_id is None else key_of(request_id)
        headers = {"Idempotency-Key": key.encode()}
        if self._plan_id is not None:
            headers["Plan-Id"] = self._plan_id.encode()
        given = body_of(self._meant(name, kind, options, request_id), engine)
        place = f"/v1/graphs/{part_of(name)}/{options_of(kind).path()}"
        shown, status = self._send("POST", place, given, headers)
        return release_of(shown, kept=status == 200)

    def planned(self, plan_id: str) -> Self:
        """Return this store for the release of which `estimate`, under the same request id, gave the plan id."""
        if not isinstance(plan_id, str) or not plan_id.isascii() or not plan_id.isprintable():
            raise ParameterError("plan_id is not a text that estimate gave; plan the release again")
        view = copy.copy(self)
        view._plan_id = plan_id.strip()[:_LONGEST_PLAN_ID]
        return view

    def estimate(
        self,
        name: str,
        kind: str | None = None,
        *,
        engine: ReleaseEngine = "native",
        request_id: str | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Tell what a release would cost, as `Store.estimate`; refused too where the share does not allow it.

        With a request id also ``plan_id``, for `planned`.
        """
        options = spelled(options)
        asked = kind_of_options(kind, options)
        options_of(asked).given(options)
        options = self._meant(name, asked, options, request_id)
        key = {} if request_id is None else {"Idempotency-Key": key_of(request_id).encode()}
        place = f"/v1/graphs/{part_of(name)}/{options_of(asked).path()}/estimate"
        return self._send("POST", place, body_of(options, engine), key)[0]

    def plan_batch(self, releases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Tell what several releases would cost, as `Store.plan_batch`; shares are counted, too."""
        asked = batch.checked(releases)
        found: dict[str, Any] = {"releases": [None] * len(asked), "accounts": [], "refused": 0}
        for name in dict.fromkeys(each["graph"] for each in asked):
            places = [place for place, each in enumerate(asked) if each["graph"] == name]
            sent = [
                {
                    key: value
                    for key, value in plain_options(self._typed(asked[place])).items()
                    if key != "graph"
                }
                for place in places
            ]
            told = self._send("POST", f"/v1/graphs/{part_of(name)}/plan", {"releases": sent})[0]
            for place, each in zip(places, told["releases"], strict=True):
                found["releases"][place] = each
            found["accounts"] += told["accounts"]
            found["refused"] += told["refused"]
        return found

    def _meant(
        self, name: str, kind: Kind, options: dict[str, Any], request_id: str | None
    ) -> dict[str, Any]:
        """Return options whose typed ids are as the graph has them, which an estimate knows and JSON cannot say.

        A request that was asked before has them as it had them then, whatever became of the graph.
        """
        ways, refused = readings(options), list[str]()
        if len(ways) == 1:
            return options
        for each in ways:
            told = self.estimate(name, kind, request_id=request_id, **each)
            if told["parameters"]:
                return each
            refused.append(str(told["refused"]))
        others = [way for way, said in zip(ways, refused, strict=True) if not said.startswith("request_id ")]
        return (others or ways)[0]

    def _typed(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return a release of a batch whose typed ids are as its graph has them."""
        given = spelled(asked)
        if len(readings(given)) == 1:
            return given
        own = {key: given[key] for key in batch.OWN if key in given}
        options = {key: value for key, value in given.items() if key not in own}
        try:
            kind = kind_of_options(own.get("kind"), options)
            return self._meant(own["graph"], kind, options, own.get("request_id")) | own
        except EdgeDPError:
            return given  # the plan of the batch says what is wrong with it

    def _get(self, place: str) -> dict[str, Any]:
        return self._send("GET", place)[0]

    def _send(
        self,
        method: str,
        place: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, bytes] | None = None,
    ) -> tuple[dict[str, Any], int]:
        """Send a request; again, for a while, where the gateway was not reached or says when to ask again."""
        import httpx

        until = time.monotonic() + self._patience
        sent = {name.encode(): value for name, value in (headers or {}).items()}
        content = None if body is None else content_of(body)
        if content is not None:
            sent[b"Content-Type"] = b"application/json"
        wait: float | None
        refused: EdgeDPError
        while True:
            try:
                answer = self._client.request(method, place, content=content, headers=sent)
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                wait, refused = 1.0, unreachable(self._address, error)
                if isinstance(error, httpx.ConnectError):
                    raise refused from None  # nothing was sent
            else:
                if answer.status_code < 300:
                    return object_of(answer), answer.status_code
                refused = refusal_of(answer)
                wait = asked_to_wait(answer)
            if wait is None or time.monotonic() + wait > until:
                raise refused
            time.sleep(wait)

    # -- everything else is not here --------------------------------------------------------------

    @property
    def _backend(self) -> NoReturn:  # type: ignore[override]
        raise _curators()

    def _session(self, *, create: bool = False, reading: bool = False) -> NoReturn:
        raise _curators()

    def asking_as(self, analyst: str) -> NoReturn:
        """Refuse: the token says who asks."""
        raise _curators()

    def load(self, *given: Any, **named: Any) -> NoReturn:
        """Refuse, before a source is read."""
        raise _curators()


def check_gateway(address: str) -> str:
    """Return the address of a gateway without a slash at its end; the token never crosses a network in the clear.

    Examples
    --------
    >>> check_gateway("https://gateway.example.org:8750/")
    'https://gateway.example.org:8750'
    >>> check_gateway("https://example.org/edgedp/")
    'https://example.org/edgedp'
    >>> check_gateway("http://gateway.example.org")
    Traceback (most recent call last):
    edgedp.ParameterError: store is an http:// address of another machine, must be https:// for the token to \
stay secret; use https://
    """
    from ipaddress import ip_address

    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ParameterError(
            "store is not the address of a gateway, must be https://host:port; correct it"
        ) from None
    if (
        not host
        or parts.username
        or parts.password
        or parts.query
        or parts.fragment
        or not re.fullmatch(r"(/[A-Za-z0-9._-]+)*/?", parts.path)
    ):
        raise ParameterError(
            "store holds more than a host, a port and a path, must be https://host:port/path; the token is given "
            "apart, in EDGEDP_TOKEN"
        )
    if parts.scheme.lower() == "http" and host != "localhost":
        try:
            local = ip_address(host).is_loopback
        except ValueError:
            local = False
        if not local:
            raise ParameterError(
                "store is an http:// address of another machine, must be https:// for the token to stay secret; "
                "use https://"
            )
    return f"{parts.scheme.lower()}://{parts.netloc}{parts.path.rstrip('/')}"


def _client(address: str, token: str, ca_file: str | os.PathLike[str] | None) -> httpx.Client:
    try:
        import httpx
    except ModuleNotFoundError:
        raise EngineError(
            "a store behind https:// needs httpx, which is not installed; install edgedp[client]"
        ) from None
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    if ca_file is not None and not address.startswith("https://"):
        raise ParameterError("a ca_file goes with an https:// address; ask without it")
    try:
        trusted = True if ca_file is None else ssl.create_default_context(cafile=ca_file)
        return httpx.Client(
            base_url=address, headers=headers, timeout=90.0, follow_redirects=False, verify=trusted
        )
    except (OSError, ssl.SSLError):
        named = "SSL_CERT_FILE" if ca_file is None else "ca_file"
        raise ParameterError(
            f"{named} must be a PEM file with the certificate of the gateway's authority; check the path"
        ) from None


def _curators() -> AccessError:
    return AccessError(
        "this is for the curator, and the store is behind a gateway; open the database itself, on the curator's machine"
    )
