"""The parts of the API that answers are made of: OpenAPI schemas, by name."""

from __future__ import annotations

from typing import Any

from edgedp.faces.gateway.api.people import AMOUNT, NOTICE, OF_PEOPLE, SHARE
from edgedp.release.answers import Sought
from edgedp.words.dates.durations import PERIODS
from edgedp.words.vocabulary import ACCOUNTS, KINDS

__all__ = ["SCHEMAS"]

_PROBLEM = {
    "description": "Where the account does not add up: its amounts are null, and the curator must see to it.",
    "type": "string",
}


_ACCOUNTS = {
    "description": "The accounts that a graph without a budget of its own debits; the least is shown beside them.",
    "type": "array",
    "items": {"type": ["string", "object"]},
}


_ATTRIBUTES = {
    "description": "The same of the account of the nodes' properties, once it is opened; never added to the edges'.",
    "type": "object",
    "properties": {
        "epsilon_budget": AMOUNT,
        "epsilon_spent": AMOUNT,
        "epsilon_remaining": AMOUNT,
        "releases": {"type": ["integer", "null"]},
        "share": {"$ref": "#/components/schemas/Share"},
        "problem": _PROBLEM,
    },
}


_CALENDAR = {
    "description": "Where relationships have dates: which windows may be released, and within how many the budget "
    "bounds what is lost (null: for all time).",
    "type": "object",
    "required": ["from", "period", "within", "grace", "dates"],
    "properties": {
        "from": {"type": "string"},
        "period": {"enum": [*PERIODS]},
        "within": {"type": ["integer", "null"]},
        "grace": {"type": "string"},
        "dates": {"const": "final"},
        "property": {"type": "string"},
        "type": {"type": "string"},
        "unit": {"type": "string"},
    },
}


_CHANCE = {"type": "number", "minimum": 0, "maximum": 1}


_SURE = {
    "expected_recall": _CHANCE,
    "membership": {"type": "array", "items": _CHANCE},
    "titles": {"type": "array", "items": {"type": ["string", "null"]}},
    "near_titles": {"type": "array", "items": {"type": ["string", "null"]}},
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


SCHEMAS: dict[str, Any] = {
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
    "Share": SHARE,
    "Graph": {
        "type": "object",
        "required": ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent", "share"],
        "properties": {
            "name": {"type": "string"},
            "node_count": {"type": "integer"},
            "degree_bound": {
                "type": ["integer", "null"],
                "description": "Null where candidates are ranked: on no bound of theirs does a release rest.",
            },
            "directed": {
                "const": True,
                "description": "Where directions were kept: in_degree and out_degree.",
            },
            "titles": {"const": True, "description": "Where lists show a title beside each id."},
            "protect": {
                "enum": ["source", "target"],
                "description": "Where a release protects all that one node does, or all that is done to one.",
            },
            "calendar": _CALENDAR,
            "projection": {
                "type": ["object", "null"],
                "description": "Which relationships of a database make an edge, where it is not each of one type; "
                "or which rows of a loaded graph (of) do.",
            },
            "weight": {
                "type": "object",
                "description": "What is declared of the weights of a loaded graph; noise follows it.",
            },
            "columns": {
                "type": "object",
                "description": "The columns of a loaded graph that conditions may compare, and their types.",
            },
            "epsilon_budget": AMOUNT,
            "epsilon_spent": AMOUNT,
            "accounts": _ACCOUNTS,
            "share": {"$ref": "#/components/schemas/Share"},
            "notice": NOTICE,
            "attributes": _ATTRIBUTES,
            "problem": _PROBLEM,
        },
    },
    "Budget": {
        "type": "object",
        "required": ["epsilon_budget", "epsilon_spent", "epsilon_remaining", "releases", "share"],
        "properties": {
            "epsilon_budget": AMOUNT,
            "epsilon_spent": AMOUNT,
            "epsilon_remaining": AMOUNT,
            "releases": {"type": ["integer", "null"]},
            "accounts": _ACCOUNTS,
            "calendar": _CALENDAR,
            "dearest_run": {
                "type": ["string", "null"],
                "description": "The windows of which the most was spent: the amounts are theirs.",
            },
            "share": {"$ref": "#/components/schemas/Share"},
            "notice": NOTICE,
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
            "epsilon_budget": AMOUNT,
            "epsilon_spent": AMOUNT,
            "epsilon_remaining": AMOUNT,
            "accounts": _ACCOUNTS,
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
            "epsilon": AMOUNT,
            "epsilon_remaining": AMOUNT,
            "epsilon_remaining_after": AMOUNT,
            "accounts": _ACCOUNTS,
            "releases_left": {"type": "integer"},
            "epsilon_first": {
                "type": "number",
                "description": "For the first step, where epsilon is the most.",
            },
            "kept": {"type": "boolean"},
            "noise": {"type": "array"},
            "parameters": {"type": "object"},
            "share": {"$ref": "#/components/schemas/Share"},
            "plan_id": {
                "type": "string",
                "description": "With an Idempotency-Key, where nothing speaks against the release: for its Plan-Id.",
            },
            "plan_seconds": {"type": "integer", "description": "For how long the plan holds."},
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


SCHEMAS |= {
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
    **OF_PEOPLE,
    "Batch": {
        "type": "object",
        "required": ["releases"],
        "additionalProperties": False,
        "properties": {
            "releases": {
                "type": "array",
                "minItems": 1,
                "maxItems": 100,
                "items": {
                    "type": "object",
                    "description": "The options of a release by name, its kind and, where wanted, its request_id.",
                    "required": ["kind"],
                    "properties": {
                        "kind": {"enum": [*KINDS, "topk"]},
                        "request_id": {"type": "string", "minLength": 1, "maxLength": 200},
                    },
                },
            }
        },
    },
    "Planned": {
        "type": "object",
        "required": ["releases", "accounts", "refused"],
        "properties": {
            "releases": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["graph", "epsilon", "kept", "refused", "epsilon_remaining_after"],
                    "properties": {
                        "graph": {"type": "string"},
                        "request_id": {"type": "string"},
                        "epsilon": AMOUNT,
                        "kept": {"type": "boolean"},
                        "refused": {"type": ["string", "null"]},
                        "epsilon_remaining_after": AMOUNT,
                    },
                },
            },
            "accounts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["graph", "account", "epsilon"],
                    "properties": {
                        "graph": {"type": "string"},
                        "account": {"enum": [*ACCOUNTS]},
                        "epsilon": {"type": "number"},
                        "epsilon_remaining_after": AMOUNT,
                    },
                },
            },
            "refused": {"type": "integer", "minimum": 0},
        },
    },
}
