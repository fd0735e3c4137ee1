"""The curator's endpoints: who may ask, how much of which graph, and what happened. No release, and nothing exact."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from edgedp.faces.gateway.api.wire import bearer, json_body, name_in, page_asked
from edgedp.faces.gateway.context import check_role
from edgedp.faces.gateway.door.observing import note_of
from edgedp.faces.gateway.door.problems import Problem
from edgedp.mechanisms.checks import check_choice, check_option_names
from edgedp.words.amounts.written import whole_of
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.faces.gateway.context import Gateway
    from edgedp.stores import Store
    from edgedp.stores.people.people import Person
    from edgedp.words.vocabulary import AccountName

PERSON = ("name", "role", "expires")
ROTATION = ("expires",)
TOKEN = ("token", "expires")
IDENTITY = ("name", "issuer", "subject")
NO_IDENTITY = ("issuer", "subject")
GRANTED_MORE = ("answer", "epsilon_budget")
DECLINED_MORE = ("answer",)
NO_SHARE = ("graph", "analyst")
GRANT = (
    "graph", "analyst", "epsilon_budget", "max_epsilon_per_release", "account", "agent", "min_epsilon_per_release",
    "filters",
)  # fmt: skip
"""The keys of a body."""


def shown(
    gateway: Gateway, answer: Callable[[Request, Person], object]
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that tells somebody with a token what costs nothing."""

    async def endpoint(request: Request) -> Response:
        told = await gateway.tell(request, bearer(request), lambda person: answer(request, person))
        return JSONResponse(told)

    return endpoint


def seen(
    gateway: Gateway, answer: Callable[[Request, Store], object]
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that shows a curator what the store tells of people, shares and history."""

    def told(request: Request, person: Person) -> object:
        check_role(person, "curator")
        return answer(request, gateway.store)

    return shown(gateway, told)


class Act:
    """An endpoint by which a curator changes something, in that curator's name.

    Parameters
    ----------
    keys : tuple of str
        What the body may hold.
    optional : bool
        Whether the body may be left out, as it may without keys.
    """

    def __init__(
        self,
        gateway: Gateway,
        act: Callable[[Store, Request, Mapping[str, Any]], object],
        keys: tuple[str, ...] = (),
        status: int = 200,
        *,
        optional: bool = False,
    ) -> None:
        self._gateway, self._act, self._keys, self._status = gateway, act, keys, status
        self._optional = optional or not keys

    async def __call__(self, request: Request) -> Response:
        """Answer when the change is made, or say why it is not."""
        person = await self._gateway.person(request, self._gateway.bearer_of(bearer(request)), "curator")
        left_out = self._optional and not await request.body()
        given = {} if left_out else await json_body(request)
        note_of(request).more["changed"] = {key: str(given[key])[:80] for key in self._keys if key in given}

        def acted(store: Store) -> object:
            check_option_names(given, self._keys)
            return self._act(store, request, given)

        return JSONResponse(await self._gateway.act(request, person, acted), self._status)


# -- what is seen ---------------------------------------------------------------------------------


def people(request: Request, store: Store) -> object:
    """Return everybody who has or had a token."""
    return {"people": store.analysts()}


def people_log(request: Request, store: Store) -> object:
    """Return who was added, given another token or revoked, oldest first."""
    limit, since = _page(request)
    rows = [row for row in store.people_log() if row["seq"] > since]
    return _paged(rows[: limit + 1], limit)


def grants(request: Request, store: Store) -> object:
    """Return the shares of all graphs, or of the one that the query names."""
    asked = request.query_params.getlist("graph")
    names = asked or [row["name"] for row in store.graphs()]
    return {"grants": [{"graph": name} | row for name in names for row in store.grants(name)]}


def log(request: Request, store: Store) -> object:
    """Return what happened under a graph's name, oldest first."""
    limit, since = _page(request)
    asked, name = _account(request), name_in(request)
    rows = store.log(name, asked, limit + 1, since)
    note_of(request).graph = name
    return _paged(rows, limit)


def export(request: Request, store: Store) -> object:
    """Return the whole log of an account as lines, which 'edgedp ledger verify' checks."""
    asked, name = _account(request), name_in(request)
    lines = store.export(name, asked)
    note_of(request).graph = name
    return {"lines": lines}


def tokens(request: Request, store: Store) -> object:
    """Return somebody's tokens: until when they are good and which ended."""
    return {"tokens": store.tokens(name_in(request))}


def identities(request: Request, store: Store) -> object:
    """Return who signs in as whom."""
    return {"identities": store.identities()}


def _account(request: Request) -> AccountName:
    asked = request.query_params.getlist("account") or ["edges"]
    if len(asked) > 1 or asked[0] not in ACCOUNTS:
        raise Problem(
            422,
            f"account stands once at most, and must be one of {', '.join(ACCOUNTS)}; choose one of these",
            "ParameterError",
        )
    return asked[0]


def _page(request: Request) -> tuple[int, int]:
    limit, since = page_asked(request)
    seq = 0 if since is None else whole_of(since)
    if seq is None:
        raise Problem(
            422,
            "since must be the seq of an event; give that of the page before, or ask without it",
            "ParameterError",
        )
    return limit, seq


def _paged(rows: Any, limit: int) -> object:
    more = len(rows) > limit
    return {"events": rows[:limit], "next": rows[limit - 1]["seq"] if more else None}


# -- what is changed ------------------------------------------------------------------------------


def add(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Add an analyst or a curator; the token is shown this once."""
    name, role = (
        _given(given, "name"),
        check_choice(given.get("role", "analyst"), "role", ("analyst", "curator")),
    )
    until = given.get("expires")
    made = store.add_curator(name, until) if role == "curator" else store.add_analyst(name, until)
    return {"name": name, "role": role} | _shown_once(made)


def rotate(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Give somebody another token, which is shown this once."""
    name, until = name_in(request), given.get("expires")
    made = store.rotate_analyst(name) if until is None else store.rotate_analyst(name, until)
    return {"name": name} | _shown_once(made)


def add_token(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Give somebody a further token, which is shown this once."""
    name = name_in(request)
    return {"name": name} | _shown_once(store.add_token(name, _given(given, "token"), given.get("expires")))


def revoke_token(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """End one token of somebody."""
    name, token = name_in(request), name_in(request, "token")
    store.revoke_token(name, token)
    return {"name": name, "revoked": True}


def add_identity(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Declare who somebody is at a provider of sign-ins."""
    return store.add_identity(_given(given, "name"), _given(given, "issuer"), _given(given, "subject"))


def remove_identity(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Take a sign-in away."""
    issuer, subject = _given(given, "issuer"), _given(given, "subject")
    store.remove_identity(issuer, subject)
    return {"issuer": issuer, "subject": subject, "removed": True}


def grant_more(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Grant what an analyst asked for more of."""
    asked = name_in(request, "id")
    return store.answer_more(
        asked, grant=True, answer=given.get("answer"), epsilon_budget=given.get("epsilon_budget")
    )


def decline_more(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Decline what an analyst asked for more of."""
    return store.answer_more(name_in(request, "id"), grant=False, answer=_given(given, "answer"))


def revoke(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Revoke somebody for good."""
    name = name_in(request)
    store.revoke_analyst(name)
    return {"name": name, "revoked": True}


def grant(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Declare, or change, an analyst's share of a graph."""
    graph, analyst = _given(given, "graph"), _given(given, "analyst")
    account = check_choice(given.get("account", "edges"), "account", ACCOUNTS)
    note_of(request).graph = graph
    row = store.grant(
        graph, analyst, _given(given, "epsilon_budget"), given.get("max_epsilon_per_release"), account,
        agent=given.get("agent"), min_epsilon_per_release=given.get("min_epsilon_per_release"),
        filters=given.get("filters"),
    )  # fmt: skip
    return {"graph": graph} | row


def revoke_share(store: Store, request: Request, given: Mapping[str, Any]) -> object:
    """Take an analyst's shares of a graph away."""
    graph, analyst = _given(given, "graph"), _given(given, "analyst")
    note_of(request).graph = graph
    store.revoke_share(graph, analyst)
    return {"graph": graph, "analyst": analyst, "revoked": True}


def _shown_once(made: Mapping[str, Any]) -> dict[str, Any]:
    return {key: made[key] for key in ("token", "expires") if key in made}


def _given(given: Mapping[str, Any], key: str) -> Any:
    if given.get(key) is None:
        raise Problem(422, f"{key} is missing; give it", "ParameterError")
    return given[key]
