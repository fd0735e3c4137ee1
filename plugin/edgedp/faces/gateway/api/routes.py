"""The endpoints for programs, under ``/v1``: public facts, releases, budgets, one's own releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from edgedp.faces.gateway.api import curating
from edgedp.faces.gateway.api.schema import document, query_of
from edgedp.faces.gateway.api.wire import bearer, check_query, json_body, name_in, page_asked
from edgedp.faces.gateway.context import check_role
from edgedp.faces.gateway.door.observing import note_of
from edgedp.faces.gateway.door.problems import Problem
from edgedp.faces.gateway.kinds import release_kinds
from edgedp.mechanisms.checks import check_choice, check_option_names
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from edgedp.faces.gateway.context import Gateway
    from edgedp.faces.gateway.kinds import ReleaseKind
    from edgedp.stores import Store
    from edgedp.stores.people.asker import Asker
    from edgedp.stores.people.people import Person

_Endpoint = Callable[[Request], Awaitable[Response]]
_MORE = ("epsilon", "reason", "account")
_FILTER = ("name", "where", "at_least", "orientation", "candidates")


def routes(gateway: Gateway) -> list[Route]:
    """Return the endpoints; one for each kind of release."""
    described = document(gateway.settings.root_path)

    async def ready(request: Request) -> Response:
        """Say that the store answers, too; nothing about graphs."""
        await gateway.ready(request)
        return JSONResponse({"status": "ready"})

    async def openapi(request: Request) -> Response:
        return JSONResponse(described)

    def me(request: Request, person: Person) -> object:
        """Say whose token it is, of either role."""
        return {"name": person.name, "role": person.role}

    def asked_more(request: Request, person: Person) -> object:
        """Return what was asked for more of: an analyst's own, and for a curator everybody's."""
        store = gateway.store if person.role == "curator" else gateway.asking(person)
        return {"asked": store.asked_more()}

    asked: list[tuple[str, str, _Endpoint]] = [
        ("/healthz", "GET", health),
        ("/readyz", "GET", ready),
        ("/openapi.json", "GET", openapi),
        ("/v1/me", "GET", curating.shown(gateway, me)),
        ("/v1/graphs", "GET", _told(gateway, _graphs)),
        ("/v1/graphs/{name}", "GET", _told(gateway, _of_graph(_facts))),
        ("/v1/graphs/{name}/budget", "GET", _told(gateway, _of_graph(_budget))),
        ("/v1/graphs/{name}/attributes", "GET", _told(gateway, _of_graph(_attributes))),
        ("/v1/graphs/{name}/releases", "GET", _told(gateway, _releases)),
        *((f"/v1/graphs/{{name}}/{kind.path}", "POST", _Ask(gateway, kind)) for kind in release_kinds()),
        *(
            (f"/v1/graphs/{{name}}/{kind.path}/estimate", "POST", _Estimate(gateway, kind))
            for kind in release_kinds()
        ),
        ("/v1/graphs/{name}/plan", "POST", _Plan(gateway)),
        ("/v1/releases", "GET", _told(gateway, _releases)),
        ("/v1/releases/{release_id}", "GET", _told(gateway, _one_release)),
        ("/v1/graphs/{name}/more", "POST", _More(gateway)),
        ("/v1/graphs/{name}/filters", "POST", _Filter(gateway)),
        ("/v1/more", "GET", curating.shown(gateway, asked_more)),
        *_of_curators(gateway),
    ]
    return [Route(path, _noted(path, method, endpoint), methods=[method]) for path, method, endpoint in asked]


def _of_curators(gateway: Gateway) -> list[tuple[str, str, _Endpoint]]:
    """Return what a curator's token opens."""

    def seen(path: str, told: Callable[[Request, Store], object]) -> tuple[str, str, _Endpoint]:
        return path, "GET", curating.seen(gateway, told)

    def act(path: str, *given: Any, **chosen: Any) -> tuple[str, str, _Endpoint]:
        return path, "POST", curating.Act(gateway, *given, **chosen)

    return [
        seen("/v1/people", curating.people),
        act("/v1/people", curating.add, curating.PERSON, 201),
        seen("/v1/people/log", curating.people_log),
        act("/v1/people/{name}/rotate", curating.rotate, curating.ROTATION, optional=True),
        act("/v1/people/{name}/revoke", curating.revoke),
        seen("/v1/people/{name}/tokens", curating.tokens),
        act("/v1/people/{name}/tokens", curating.add_token, curating.TOKEN, 201),
        act("/v1/people/{name}/tokens/{token}/revoke", curating.revoke_token),
        seen("/v1/identities", curating.identities),
        act("/v1/identities", curating.add_identity, curating.IDENTITY, 201),
        act("/v1/identities/remove", curating.remove_identity, curating.NO_IDENTITY),
        seen("/v1/grants", curating.grants),
        act("/v1/grants", curating.grant, curating.GRANT, 201),
        act("/v1/grants/revoke", curating.revoke_share, curating.NO_SHARE),
        seen("/v1/graphs/{name}/log", curating.log),
        seen("/v1/graphs/{name}/export", curating.export),
        act("/v1/more/{id}/grant", curating.grant_more, curating.GRANTED_MORE, optional=True),
        act("/v1/more/{id}/decline", curating.decline_more, curating.DECLINED_MORE),
    ]


async def health(request: Request) -> Response:
    """Say that the process answers; nothing about graphs."""
    return JSONResponse({"status": "ok"})


def _noted(path: str, method: str, endpoint: _Endpoint) -> _Endpoint:
    known = query_of(path, method)

    async def noted(request: Request) -> Response:
        note_of(request).route = path
        check_query(request, known)
        return await endpoint(request)

    return noted


class _OfAnalyst(ABC):
    """An endpoint for an analyst with a token in the header."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def __call__(self, request: Request) -> Response:
        whose = self._gateway.bearer_of(bearer(request))
        person = await self._gateway.person(request, whose, "analyst")
        return await self.answer(request, person)

    @abstractmethod
    async def answer(self, request: Request, person: Person) -> Response:
        """Return what is shown to the analyst."""


def _told(gateway: Gateway, answer: Callable[[Request, Asker], object]) -> _Endpoint:
    """Return an endpoint that tells an analyst what is public, or the analyst's own."""

    def told(request: Request, person: Person) -> object:
        check_role(person, "analyst")
        return answer(request, gateway.asking(person))

    return curating.shown(gateway, told)


def _graphs(request: Request, asking: Asker) -> object:
    return {"graphs": asking.graphs()}


def _of_graph(told: Callable[[Asker, str], object]) -> Callable[[Request, Asker], object]:
    """Return the answer about the graph that the path names; a graph that exists is noted."""

    def answer(request: Request, asking: Asker) -> object:
        name = name_in(request)
        found = told(asking, name)
        note_of(request).graph = name
        return found

    return answer


def _facts(asking: Asker, name: str) -> object:
    row = next((row for row in asking.graphs() if row["name"] == name), None)
    if row is None:
        raise Problem(404, "the graph must be a stored one; see the list of graphs", "UnknownNameError")
    return row


def _budget(asking: Asker, name: str) -> object:
    return asking.budget(name)


def _attributes(asking: Asker, name: str) -> object:
    return {"attributes": asking.attributes(name)}


def _releases(request: Request, asking: Asker) -> object:
    limit, since = page_asked(request)
    name = name_in(request) if "name" in request.path_params else None
    rows = asking.releases(name, limit + 1, since)
    more = len(rows) > limit
    return {"releases": rows[:limit], "next": rows[limit - 1]["release_id"] if more else None}


def _one_release(request: Request, asking: Asker) -> object:
    return asking.release(name_in(request, "release_id"))


class _OfKind(_OfAnalyst):
    """An endpoint of one kind of release."""

    def __init__(self, gateway: Gateway, kind: ReleaseKind) -> None:
        super().__init__(gateway)
        self._kind = kind


class _Ask(_OfKind):
    """A release of one kind."""

    async def answer(self, request: Request, person: Person) -> Response:
        options = await json_body(request)
        release = await self._gateway.release(
            request, person, self._kind, name_in(request), options, _request_id(request), _plan_id(request)
        )
        place = f"/v1/releases/{quote(release.receipt['release_id'])}"
        return JSONResponse(release.to_dict(), 200 if release.kept else 201, headers={"Location": place})


class _Estimate(_OfKind):
    """What a release of one kind would cost: public facts, nothing debited and no edge read."""

    async def answer(self, request: Request, person: Person) -> Response:
        options = await json_body(request)
        told = await self._gateway.estimate(
            request, person, self._kind, name_in(request), options, _request_id(request)
        )
        return JSONResponse(told)


class _Plan(_OfAnalyst):
    """What several releases of a graph would cost, one after the other: nothing debited and no edge read."""

    async def answer(self, request: Request, person: Person) -> Response:
        given = await json_body(request)
        return JSONResponse(await self._gateway.plan(request, person, name_in(request), given))


class _More(_OfAnalyst):
    """A question for a larger share, which the curator answers."""

    async def answer(self, request: Request, person: Person) -> Response:
        given, name = await json_body(request), name_in(request)
        asking = self._gateway.asking(person)

        def asked() -> object:
            check_option_names(given, _MORE)
            account = check_choice(given.get("account", "edges"), "account", ACCOUNTS)
            return asking.ask_more(name, given.get("epsilon"), given.get("reason", ""), account)

        found = await self._gateway.again(request, person, asked, name)
        note_of(request).graph = name
        return JSONResponse(found, 201)


class _Filter(_OfAnalyst):
    """A graph of a loaded one's rows, by an analyst's own conditions; no row is read."""

    async def answer(self, request: Request, person: Person) -> Response:
        given, name = await json_body(request), name_in(request)
        asking = self._gateway.asking(person)

        def asked() -> object:
            check_option_names(given, _FILTER)
            rules = {key: value for key, value in given.items() if value is not None and key != "name"}
            return asking.register(given.get("name", ""), of=name, **rules)

        found = await self._gateway.again(request, person, asked, name)
        note_of(request).graph = name
        return JSONResponse(found, 201)


def _plan_id(request: Request) -> str | None:
    """Return the plan that told what the release costs; one that is there twice is of no release."""
    given = request.headers.getlist("plan-id")
    return None if not given else given[0] if len(given) == 1 else ""


def _request_id(request: Request) -> str | None:
    """Return the identifier of a request, which is UTF-8 in the header."""
    given = [value for name, value in request.scope["headers"] if name == b"idempotency-key"]
    if not given:
        return None
    try:
        (value,) = given
        return bytes(value).decode("utf-8")
    except ValueError:
        raise Problem(
            422, "Idempotency-Key must be one text in UTF-8; choose another", "ParameterError"
        ) from None
