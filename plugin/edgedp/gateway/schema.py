"""The description of the API: OpenAPI 3.1, made of the options of every kind of release."""

from __future__ import annotations

from functools import cache
from typing import Any

from edgedp.answers import Sought
from edgedp.gateway.kinds import ReleaseKind, release_kinds
from edgedp.gateway.wire import LONGEST_PAGE, PAGE
from edgedp.version import __version__
from edgedp.vocabulary import ACCOUNTS

__all__ = ["document"]

_AMOUNT = {"type": ["number", "null"], "minimum": 0}
_SHARE = {
    "description": "What the caller may spend of the graph's budget; null where nothing was granted.",
    "type": ["object", "null"],
    "required": [
        "account",
        "epsilon_budget",
        "epsilon_spent",
        "epsilon_remaining",
        "max_epsilon_per_release",
    ],
    "properties": {
        "account": {"type": "string"},
        "epsilon_budget": _AMOUNT,
        "epsilon_spent": _AMOUNT,
        "epsilon_remaining": _AMOUNT,
        "max_epsilon_per_release": _AMOUNT,
        "delta": {"type": "number"},
        "problem": {"type": "string"},
    },
}
_PROBLEM = {
    "description": "Where the account does not add up: its amounts are null, and the curator must see to it.",
    "type": "string",
}
_ATTRIBUTES = {
    "description": "The same of the account of the nodes' properties, once it is opened; never added to the edges'.",
    "type": "object",
    "properties": {
        "epsilon_budget": _AMOUNT,
        "epsilon_spent": _AMOUNT,
        "epsilon_remaining": _AMOUNT,
        "releases": {"type": ["integer", "null"]},
        "share": {"$ref": "#/components/schemas/Share"},
        "problem": _PROBLEM,
    },
}
_CHANCE = {"type": "number", "minimum": 0, "maximum": 1}
_SURE = {
    "expected_recall": _CHANCE,
    "membership": {"type": "array", "items": _CHANCE},
    "near": {
        "type": "array",
        "items": {"type": "array", "prefixItems": [{"type": ["integer", "string"]}, _CHANCE]},
    },
    "degree_intervals": {
        "type": ["array", "null"],
        "items": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]},
    },
}
"""What a list of a joint release says of itself, beside its nodes."""
_SOUGHT = {
    "target_recall": {"type": ["number", "string"]},
    "target_reached": {"type": "boolean"},
    "steps": {"type": "integer", "minimum": 1},
    "spent": {"type": "string", "description": "What this release cost; epsilon_spent is the account's."},
    "ended": {"enum": [*Sought.WHY], "description": "Why there was no further step."},
}
"""How a release ended that spent until its list was sure enough."""
_SCHEMAS: dict[str, Any] = {
    "Problem": {
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": {"type": "string", "description": "urn:edgedp:problem: and the error's name in Python."},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "The sentence, as the command line says it."},
        },
    },
    "Share": _SHARE,
    "Graph": {
        "type": "object",
        "required": ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent", "share"],
        "properties": {
            "name": {"type": "string"},
            "node_count": {"type": "integer"},
            "degree_bound": {"type": "integer"},
            "directed": {
                "const": True,
                "description": "Where directions were kept: in_degree and out_degree.",
            },
            "epsilon_budget": _AMOUNT,
            "epsilon_spent": _AMOUNT,
            "share": {"$ref": "#/components/schemas/Share"},
            "attributes": _ATTRIBUTES,
            "problem": _PROBLEM,
        },
    },
    "Budget": {
        "type": "object",
        "required": ["epsilon_budget", "epsilon_spent", "epsilon_remaining", "releases", "share"],
        "properties": {
            "epsilon_budget": _AMOUNT,
            "epsilon_spent": _AMOUNT,
            "epsilon_remaining": _AMOUNT,
            "releases": {"type": ["integer", "null"]},
            "share": {"$ref": "#/components/schemas/Share"},
            "attributes": _ATTRIBUTES,
            "problem": _PROBLEM,
        },
    },
    "Release": {
        "description": "What was asked, the answer (nodes in the order picked, or a value), what was public, "
        "and the receipt.",
        "type": "object",
        "required": ["selector", "parameters", "public", "private", "graph", "release_id"],
        "properties": {
            "selector": {"type": "string"},
            "parameters": {"type": "object"},
            "nodes": {"type": "array", "items": {"type": ["integer", "string"]}},
            **_SURE,
            **_SOUGHT,
            "public": {"type": "object"},
            "private": {"type": "boolean"},
            "graph": {"type": "string"},
            "release_id": {"type": "string"},
            "account": {"enum": [*ACCOUNTS]},
            "epsilon_budget": _AMOUNT,
            "epsilon_spent": _AMOUNT,
            "epsilon_remaining": _AMOUNT,
            "share": {"$ref": "#/components/schemas/Share"},
        },
    },
    "Estimate": {
        "description": "What a release would cost, from public facts alone; refused says why it would be refused.",
        "type": "object",
        "required": ["graph", "refused", "epsilon", "releases_left", "noise", "parameters"],
        "properties": {
            "graph": {"type": "string"},
            "refused": {"type": ["string", "null"]},
            "epsilon": _AMOUNT,
            "epsilon_remaining": _AMOUNT,
            "epsilon_remaining_after": _AMOUNT,
            "releases_left": {"type": "integer"},
            "epsilon_first": {
                "type": "number",
                "description": "Of the first step, where epsilon is the most.",
            },
            "kept": {"type": "boolean"},
            "noise": {"type": "array"},
            "parameters": {"type": "object"},
            "share": {"$ref": "#/components/schemas/Share"},
        },
    },
    "KeptRelease": {
        "type": "object",
        "required": [
            "graph",
            "request_id",
            "release_id",
            "at",
            "epsilon",
            "selector",
            "parameters",
            "public",
        ],
        "properties": {
            "graph": {"type": "string"},
            "request_id": {"type": ["string", "null"]},
            "release_id": {"type": "string"},
            "at": {"type": "string", "format": "date-time"},
            "epsilon": {"type": "number"},
            "selector": {"type": "string"},
            "parameters": {"type": "object"},
            "public": {"type": "object"},
            "nodes": {"type": ["array", "null"]},
            **_SURE,
        },
    },
}
_SCHEMAS |= {
    "Graphs": {
        "type": "object",
        "required": ["graphs"],
        "properties": {"graphs": {"type": "array", "items": {"$ref": "#/components/schemas/Graph"}}},
    },
    "Releases": {
        "type": "object",
        "required": ["releases", "next"],
        "properties": {
            "releases": {"type": "array", "items": {"$ref": "#/components/schemas/KeptRelease"}},
            "next": {
                "type": ["string", "null"],
                "description": "The since of the next page; null at the end.",
            },
        },
    },
    "Attributes": {
        "type": "object",
        "required": ["attributes"],
        "properties": {
            "attributes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["property", "low", "high", "grid", "points", "depends_on"],
                    "properties": {
                        "property": {"type": "string"},
                        "low": {"type": "number"},
                        "high": {"type": "number"},
                        "grid": {"type": "string"},
                        "points": {"type": "integer"},
                        "depends_on": {"type": "string"},
                    },
                },
            }
        },
    },
    "Me": {
        "type": "object",
        "required": ["name", "role"],
        "properties": {"name": {"type": "string"}, "role": {"enum": ["analyst", "curator"]}},
    },
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
_ALWAYS = ("401", "403", "408", "413", "421", "429", "500", "503")
_NAME = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "Name of the graph; / is %2F.",
    "schema": {"type": "string", "minLength": 1},
    "example": "email-Enron",
}
_PAGE = [
    {
        "name": "limit",
        "in": "query",
        "required": False,
        "description": "How many at most.",
        "schema": {"type": "integer", "minimum": 1, "maximum": LONGEST_PAGE, "default": PAGE},
    },
    {
        "name": "since",
        "in": "query",
        "required": False,
        "description": "Only those after this release: the release_id of the last one of the page before.",
        "schema": {"type": "string"},
    },
]
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The request id, the caller's own for this graph: asking again with it shows the kept release.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]([ -~]*[!-~])?$"},
}


@cache
def document() -> dict[str, object]:
    """Return the OpenAPI document.

    Examples
    --------
    >>> document()["openapi"], "/v1/graphs/{name}/top-k" in document()["paths"]
    ('3.1.0', True)
    """
    name = {"parameters": [_NAME]}
    paths: dict[str, Any] = {
        "/healthz": {"get": _open("health", "Whether the process answers", {"type": "object"})},
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
            "parameters": [
                {
                    "name": "release_id",
                    "in": "path",
                    "required": True,
                    "schema": {"type": "string", "minLength": 1},
                }
            ],
            "get": _get("release", "One of the caller's releases", "KeptRelease", "404"),
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "edgedp gateway",
            "version": __version__,
            "description": "Edge-differentially-private releases of stored graphs. A release spends budget before it "
            "is drawn. Nothing exact is here.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _SCHEMAS,
        },
    }


def _answers(good: dict[str, Any], *statuses: str) -> dict[str, Any]:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return good | {
        status: {"description": _MEANINGS[status], "content": problem}
        for status in sorted({*statuses, *_ALWAYS})
    }


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _open(name: str, summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Describe what needs no token."""
    good = {"200": {"description": summary, "content": _content(schema)}}
    return {"operationId": name, "summary": summary, "security": [], "responses": _answers(good)}


def _get(name: str, summary: str, schema: str, *statuses: str) -> dict[str, Any]:
    good = {"200": {"description": summary, "content": _content({"$ref": f"#/components/schemas/{schema}"})}}
    return {"operationId": name, "summary": summary, "responses": _answers(good, *statuses)}


def _list(name: str, summary: str, schema: str) -> dict[str, Any]:
    return _get(name, summary, schema, "404", "422") | {"parameters": _PAGE}


def _ask(kind: ReleaseKind) -> dict[str, Any]:
    content = _content({"$ref": "#/components/schemas/Release"})
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
        "parameters": [_KEY],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": kind.schema(), "example": kind.example()}},
        },
        "responses": _answers(good, "400", "404", "409", "410", "415", "422"),
    }


def _estimate(kind: ReleaseKind) -> dict[str, Any]:
    content = _content({"$ref": "#/components/schemas/Estimate"})
    good = {"200": {"description": "What it would cost; nothing was spent or read.", "content": content}}
    return {
        "operationId": f"{kind.kind}_estimate",
        "summary": f"Before spending: {kind.title}",
        "parameters": [_KEY],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": kind.schema(), "example": kind.example()}},
        },
        "responses": _answers(good, "400", "404", "409", "415", "422"),
    }
