"""The description of the API: OpenAPI 3.1, made of the options of every kind of release."""

from __future__ import annotations

from functools import cache
from typing import Any

from edgedp.faces.gateway.api.components import SCHEMAS
from edgedp.faces.gateway.api.shapes import WHOLE, WORD, Shape, called, text, word_of
from edgedp.faces.gateway.api.wire import LONGEST_PAGE, PAGE
from edgedp.faces.gateway.kinds import ReleaseKind, release_kinds
from edgedp.words.version import __version__
from edgedp.words.vocabulary import ACCOUNTS

_EXAMPLES: dict[str, Any] = {
    "Batch": {
        "releases": [{"kind": "topk", "metric": "ebc", "k": 10, "epsilon": "0.3", "request_id": "monday"}]
    },
    "NewPerson": {"name": "ann", "role": "analyst"},
    "Rotation": {"expires": "90d"},
    "NewToken": {"token": "laptop", "expires": "90d"},
    "NewIdentity": {"name": "ann", "issuer": "https://id.example.org", "subject": "248289761001"},
    "NoShare": {"graph": "email-Enron", "analyst": "ann"},
    "NoIdentity": {"issuer": "https://id.example.org", "subject": "248289761001"},
    "AskMore": {"epsilon": "0.5", "reason": "the list of the third quarter"},
    "NewFilter": {"name": "ann.large", "where": {"amount": {"gte": 1000}}},
    "GrantMore": {"answer": "until March"},
    "DeclineMore": {"answer": "the rest is for the audit"},
    "NewGrant": {"graph": "email-Enron", "analyst": "ann", "epsilon_budget": "2"},
}
_MEANINGS = {
    "400": "The body is not JSON, or breaks off.",
    "401": "No token, or one that is not valid.",
    "403": "The budget or the share does not allow it, and nothing was spent; or the token is of another role.",
    "404": "No such graph or release; also one that belongs to somebody else.",
    "408": "The body came too slowly.",
    "409": "The key is another request's; or, with Retry-After, the release is being drawn, or the graph changed.",
    "410": "The release of this key was debited and lost; it is never drawn again.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "421": "The Host header names no host of this gateway.",
    "422": "A value is refused; nothing was spent.",
    "429": "Too many requests; ask again after Retry-After seconds.",
    "500": "A defect, or a damaged store.",
    "503": "The store is away, or too many are waiting; ask again after Retry-After seconds.",
}
_ALWAYS = ("401", "403", "408", "413", "421", "422", "429", "500", "503")


def _in(place: str, name: str, schema: Shape, description: str = "", **more: Any) -> Shape:
    """Describe a parameter of a path, a query or a header."""
    said = {"description": description} if description else {}
    return {"name": name, "in": place, "required": place == "path", **said, "schema": schema, **more}


_NAME = _in("path", "name", WORD, "Name of the graph; / is %2F.", example="email-Enron")
_LIMIT = _in(
    "query", "limit", WHOLE | {"minimum": 1, "maximum": LONGEST_PAGE, "default": PAGE}, "How many at most."
)
_PAGE = [
    _LIMIT,
    _in(
        "query", "since", text(),
        "Only those after this release: the release_id of the last one of the page before.",
    ),
]  # fmt: skip
_EVENTS = [
    _LIMIT,
    _in(
        "query", "since", WHOLE | {"minimum": 0},
        "Only those after this event: the seq of the last one of the page before.",
    ),
]  # fmt: skip
_KEY = _in(
    "header", "Idempotency-Key", WORD | {"maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "The request id, the caller's own for this graph: asking again with it shows the kept release.",
)  # fmt: skip
_PLAN = _in(
    "header", "Plan-Id", text(),
    "The plan_id of the estimate under the same Idempotency-Key: the release is refused where it is another one or "
    "costs something else. Out of an agent's share every release names it.",
)  # fmt: skip


@cache
def document(root_path: str = "") -> dict[str, object]:
    """Return the OpenAPI document.

    Parameters
    ----------
    root_path : str
        Of `edgedp.faces.gateway.door.settings.Settings`.

    Examples
    --------
    >>> document()["openapi"], "/v1/graphs/{name}/top-k" in document()["paths"]
    ('3.1.0', True)
    """
    name = {"parameters": [_NAME]}
    paths: dict[str, Any] = {
        "/healthz": {"get": _open("health", "Whether the process answers", {"type": "object"})},
        "/readyz": {"get": _open("ready", "Whether the store answers, too", {"type": "object"})},
        "/openapi.json": {"get": _open("openapi", "This document", {"type": "object"})},
        "/v1/me": {"get": _get("me", "Whose token it is", "Me")},
        "/v1/graphs": {
            "get": _get("graphs", "Graphs: public facts, and the caller's share of each", "Graphs")
        },
        "/v1/graphs/{name}": name | {"get": _get("graph", "One graph", "Graph", "404")},
        "/v1/graphs/{name}/budget": name | {"get": _get("budget", "Budget and share", "Budget", "404")},
        "/v1/graphs/{name}/attributes": name
        | {"get": _get("attributes", "Declared properties of the nodes", "Attributes", "404")},
        "/v1/graphs/{name}/releases": name
        | {"get": _list("graph_releases", "The caller's releases of a graph, oldest first", "Releases")},
    }
    paths |= {f"/v1/graphs/{{name}}/{kind.path}": name | {"post": _ask(kind)} for kind in release_kinds()}
    paths |= {
        f"/v1/graphs/{{name}}/{kind.path}/estimate": name | {"post": _estimate(kind)}
        for kind in release_kinds()
    }
    paths |= {
        "/v1/releases": {
            "get": _list("releases", "The caller's releases, graph by graph, oldest first", "Releases")
        },
        "/v1/releases/{release_id}": {
            "parameters": [_in("path", "release_id", WORD)],
            "get": _get("release", "One of the caller's releases", "KeptRelease", "404"),
        },
    }
    paths |= {
        "/v1/graphs/{name}/plan": name
        | {
            "post": _act(
                "plan", "Before spending: several releases, one after the other", "Batch", "Planned", "200"
            )
        },
        "/v1/graphs/{name}/more": name
        | {"post": _act("ask_more", "Ask the curator for a larger share", "AskMore", "AskedMore")},
        "/v1/graphs/{name}/filters": name
        | {
            "post": _act(
                "register",
                "Register a graph of a loaded one's rows by the caller's conditions",
                "NewFilter",
                "Graph",
            )
        },
        "/v1/more": {
            "get": _get(
                "asked_more", "What was asked for more of; for a curator, by everybody", "AllAskedMore"
            )
        },
    }
    paths |= _of_curators()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "edgedp gateway",
            "version": __version__,
            "description": "Edge-differentially-private releases of stored graphs. A release spends budget before it "
            "is drawn. Nothing exact is here.",
        },
        "servers": [{"url": root_path or "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": SCHEMAS,
        },
    }


def query_of(path: str, method: str) -> tuple[str, ...]:
    """Return what the query of an endpoint may hold.

    Examples
    --------
    >>> query_of("/v1/releases", "GET")
    ('limit', 'since')
    """
    paths: Any = document()["paths"]
    described = paths[path][method.lower()].get("parameters", [])
    return tuple(each["name"] for each in described if each["in"] == "query")


def _of_curators() -> dict[str, Any]:
    """Describe what a curator's token opens."""
    person = {"parameters": [_NAME | {"description": "Name of the person.", "example": "ann"}]}
    asked = {
        "parameters": [
            _NAME | {"name": "id", "description": "The id of a question.", "example": "5f0c2a1b9d3e4f67"}
        ]
    }
    events = _get("log", "What happened to a graph, oldest first", "Events", "404")
    account = _in("query", "account", word_of(*ACCOUNTS))
    of_graph = _in("query", "graph", WORD)
    return {
        "/v1/people": {
            "get": _get("people", "Everybody who has or had a token", "People"),
            "post": _act(
                "add_person",
                "Add an analyst or a curator; the token is shown this once",
                "NewPerson",
                "Token",
            ),
        },
        "/v1/people/log": {
            "get": _get("people_log", "Who was added, given a token or revoked", "Events")
            | {"parameters": _EVENTS}
        },
        "/v1/people/{name}/rotate": person
        | {
            "post": _act(
                "rotate_token",
                "Another token, shown only this once; all earlier ones stop working",
                "Rotation",
                "Token",
                "200",
                needed=False,
            )
        },
        "/v1/people/{name}/tokens": person
        | {
            "get": _get("tokens", "The tokens of somebody, and until when they are good", "Tokens", "404"),
            "post": _act("add_token", "A further token, by a name; shown this once", "NewToken", "Token"),
        },
        "/v1/people/{name}/tokens/{token}/revoke": {
            "parameters": [
                *person["parameters"],
                _NAME | {"name": "token", "description": "Name of the token.", "example": "laptop"},
            ],
            "post": _act("revoke_token", "End one token of somebody", None, "Revoked"),
        },
        "/v1/identities": {
            "get": _get("identities", "Who signs in as whom at a provider", "Identities"),
            "post": _act("add_identity", "Declare who somebody is at a provider", "NewIdentity", "Identity"),
        },
        "/v1/identities/remove": {
            "post": _act("remove_identity", "Take a sign-in away", "NoIdentity", "IdentityRemoved", "200")
        },
        "/v1/more/{id}/grant": asked
        | {
            "post": _act(
                "grant_more", "Grant what was asked for", "GrantMore", "AskedMore", "200", needed=False
            )
        },
        "/v1/more/{id}/decline": asked
        | {"post": _act("decline_more", "Decline what was asked for", "DeclineMore", "AskedMore", "200")},
        "/v1/people/{name}/revoke": person
        | {"post": _act("revoke_person", "Revoke for good", None, "Revoked")},
        "/v1/grants": {
            "get": _get("grants", "Shares, of all graphs or of one", "Grants", "404")
            | {"parameters": [of_graph]},
            "post": _act("grant", "Declare, or change, an analyst's share of a graph", "NewGrant", "Grant"),
        },
        "/v1/grants/revoke": {
            "post": _act("revoke_share", "Take a share away", "NoShare", "ShareRevoked", "200"),
        },
        "/v1/graphs/{name}/export": {
            "parameters": [_NAME],
            "get": _get("export", "The whole log of a graph, to be verified elsewhere", "Export", "404")
            | {"parameters": [account]},
        },
        "/v1/graphs/{name}/log": {"parameters": [_NAME], "get": events | {"parameters": [*_EVENTS, account]}},
    }


def _act(
    name: str, summary: str, body: str | None, schema: str, status: str = "", *, needed: bool = True
) -> dict[str, Any]:
    status = status or ("200" if body is None else "201")
    good = {status: {"description": summary, "content": _content(called(schema))}}
    made: dict[str, Any] = {"operationId": name, "summary": summary}
    made["responses"] = _answers(good, "400", "404", "409", "415")
    return (
        made if body is None else made | {"requestBody": _body(SCHEMAS[body], _EXAMPLES[body], needed=needed)}
    )


def _answers(good: dict[str, Any], *statuses: str) -> dict[str, Any]:
    problem = {"application/problem+json": {"schema": called("Problem")}}
    return good | {
        status: {"description": _MEANINGS[status], "content": problem}
        for status in sorted({*statuses, *_ALWAYS})
    }


def _content(schema: Shape) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _body(schema: Shape, example: Any, *, needed: bool = True) -> dict[str, Any]:
    return {"required": needed, "content": {"application/json": {"schema": schema, "example": example}}}


def _open(name: str, summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Describe what needs no token."""
    good = {"200": {"description": summary, "content": _content(schema)}}
    return {"operationId": name, "summary": summary, "security": [], "responses": _answers(good)}


def _get(name: str, summary: str, schema: str, *statuses: str) -> dict[str, Any]:
    good = {"200": {"description": summary, "content": _content(called(schema))}}
    return {"operationId": name, "summary": summary, "responses": _answers(good, *statuses)}


def _list(name: str, summary: str, schema: str) -> dict[str, Any]:
    return _get(name, summary, schema, "404") | {"parameters": _PAGE}


def _ask(kind: ReleaseKind) -> dict[str, Any]:
    content = _content(called("Release"))
    good = {
        "200": {
            "description": "The kept release of this Idempotency-Key; nothing was spent.",
            "content": content,
        },
        "201": {"description": "A release: debited, drawn and kept.", "content": content},
    }
    return {
        "operationId": kind.kind,
        "summary": f"Release: {kind.title}",
        "parameters": [_KEY, _PLAN],
        "requestBody": _body(kind.schema(), kind.example()),
        "responses": _answers(good, "400", "404", "409", "410", "415"),
    }


def _estimate(kind: ReleaseKind) -> dict[str, Any]:
    content = _content(called("Estimate"))
    good = {"200": {"description": "What it would cost; nothing was spent or read.", "content": content}}
    return {
        "operationId": f"{kind.kind}_estimate",
        "summary": f"Before spending: {kind.title}",
        "parameters": [_KEY],
        "requestBody": _body(kind.schema(), kind.example()),
        "responses": _answers(good, "400", "404", "409", "415"),
    }
