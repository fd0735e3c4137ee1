"""The parts of the API about people: tokens, sign-ins, shares, who asked for more, and what happened."""

from __future__ import annotations

from typing import Any

from edgedp.words.vocabulary import ACCOUNTS

__all__ = ["AMOUNT", "NOTICE", "OF_PEOPLE", "SHARE"]

AMOUNT = {"type": ["number", "null"], "minimum": 0}
NOTICE = {"type": "string", "description": "Only where a tenth of the share or less is left."}

_TEXT = {"type": "string", "minLength": 1, "maxLength": 255}
_EXPIRES = {
    "type": "string",
    "description": "Until when the token is good: a date (its whole day, UTC), a moment, a duration such as 90d, or "
    "never.",
}
_IDENTITY: dict[str, Any] = {
    "type": "object",
    "required": ["name", "issuer", "subject"],
    "properties": {"name": {"type": "string", "minLength": 1}, "issuer": _TEXT, "subject": _TEXT},
}

SHARE: dict[str, Any] = {
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
        "epsilon_budget": AMOUNT,
        "epsilon_spent": AMOUNT,
        "epsilon_remaining": AMOUNT,
        "max_epsilon_per_release": AMOUNT,
        "min_epsilon_per_release": {
            "type": "number",
            "description": "Only for an agent's share: what a release costs at least. Each names its Plan-Id.",
        },
        "filters": {"type": "boolean", "description": "Whether the caller may write conditions."},
        "delta": {"type": "number"},
        "problem": {"type": "string"},
    },
}

OF_PEOPLE: dict[str, Any] = {
    "Me": {
        "type": "object",
        "required": ["name", "role"],
        "properties": {"name": {"type": "string"}, "role": {"enum": ["analyst", "curator"]}},
    },
    "People": {
        "type": "object",
        "required": ["people"],
        "properties": {"people": {"type": "array", "items": {"$ref": "#/components/schemas/Person"}}},
    },
    "Person": {
        "type": "object",
        "required": ["name", "role", "added", "revoked"],
        "properties": {
            "name": {"type": "string"},
            "role": {"enum": ["analyst", "curator"]},
            "added": {"type": "string"},
            "revoked": {"type": ["string", "null"]},
        },
    },
    "NewPerson": {
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "role": {"enum": ["analyst", "curator"]},
            "expires": _EXPIRES,
        },
    },
    "Rotation": {"type": "object", "additionalProperties": False, "properties": {"expires": _EXPIRES}},
    "NewToken": {
        "type": "object",
        "required": ["token"],
        "additionalProperties": False,
        "properties": {"token": {"type": "string", "minLength": 1}, "expires": _EXPIRES},
    },
    "Tokens": {
        "type": "object",
        "required": ["tokens"],
        "properties": {
            "tokens": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["name", "token", "added", "expires", "revoked", "state"],
                    "properties": {
                        "name": {"type": "string"},
                        "token": {"type": "string", "description": "Its name, and nothing of itself."},
                        "added": {"type": "string"},
                        "expires": {"type": ["string", "null"]},
                        "revoked": {"type": ["string", "null"]},
                        "state": {"enum": ["valid", "expired", "revoked"]},
                    },
                },
            }
        },
    },
    "NewIdentity": _IDENTITY | {"required": ["name", "issuer", "subject"], "additionalProperties": False},
    "Identity": _IDENTITY,
    "Identities": {
        "type": "object",
        "required": ["identities"],
        "properties": {"identities": {"type": "array", "items": _IDENTITY}},
    },
    "NoIdentity": {
        "type": "object",
        "required": ["issuer", "subject"],
        "additionalProperties": False,
        "properties": {"issuer": _TEXT, "subject": _TEXT},
    },
    "IdentityRemoved": {
        "type": "object",
        "required": ["issuer", "subject", "removed"],
        "properties": {"issuer": _TEXT, "subject": _TEXT, "removed": {"const": True}},
    },
    "NoShare": {
        "type": "object",
        "required": ["graph", "analyst"],
        "additionalProperties": False,
        "properties": {"graph": _TEXT, "analyst": _TEXT},
    },
    "ShareRevoked": {
        "type": "object",
        "required": ["graph", "analyst", "revoked"],
        "properties": {"graph": _TEXT, "analyst": _TEXT, "revoked": {"const": True}},
    },
    "AskMore": {
        "type": "object",
        "required": ["epsilon", "reason"],
        "additionalProperties": False,
        "properties": {
            "epsilon": {"type": ["string", "number"], "description": "How much more."},
            "reason": {"type": "string", "minLength": 1, "maxLength": 1000},
            "account": {"enum": [*ACCOUNTS]},
        },
    },
    "AskedMore": {
        "type": "object",
        "required": [
            "id",
            "at",
            "graph",
            "account",
            "analyst",
            "epsilon",
            "reason",
            "state",
            "answer",
            "answered",
        ],
        "properties": {
            "id": {"type": "string"},
            "at": {"type": "string"},
            "graph": {"type": "string"},
            "account": {"enum": [*ACCOUNTS]},
            "analyst": {"type": "string"},
            "epsilon": {"type": "number"},
            "reason": {"type": "string"},
            "state": {"enum": ["open", "granted", "declined"]},
            "answer": {"type": ["string", "null"]},
            "answered": {"type": ["string", "null"]},
        },
    },
    "AllAskedMore": {
        "type": "object",
        "required": ["asked"],
        "properties": {"asked": {"type": "array", "items": {"$ref": "#/components/schemas/AskedMore"}}},
    },
    "GrantMore": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "answer": {"type": "string", "maxLength": 1000},
            "epsilon_budget": {
                "type": ["string", "number"],
                "description": "The whole share from now on, in place of what was asked for.",
            },
        },
    },
    "DeclineMore": {
        "type": "object",
        "required": ["answer"],
        "additionalProperties": False,
        "properties": {"answer": {"type": "string", "minLength": 1, "maxLength": 1000}},
    },
    "Export": {
        "type": "object",
        "required": ["lines"],
        "properties": {
            "lines": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Written each on a line of a file, 'edgedp ledger verify' checks them.",
            }
        },
    },
    "Token": {
        "type": "object",
        "required": ["name", "token"],
        "properties": {
            "name": {"type": "string"},
            "role": {"enum": ["analyst", "curator"]},
            "token": {"type": "string", "description": "Shown this once: the store keeps its SHA-256."},
            "expires": {"type": "string", "description": "The last second at which it is good."},
        },
    },
    "Revoked": {
        "type": "object",
        "required": ["name", "revoked"],
        "properties": {"name": {"type": "string"}, "revoked": {"const": True}},
    },
    "Grants": {
        "type": "object",
        "required": ["grants"],
        "properties": {"grants": {"type": "array", "items": {"$ref": "#/components/schemas/Grant"}}},
    },
    "Grant": {
        "type": "object",
        "required": ["graph", "analyst", "account", "epsilon_budget", "epsilon_spent", "epsilon_remaining"],
        "properties": {
            "graph": {"type": "string"},
            "analyst": {"type": "string"},
            "of": {
                "type": "string",
                "description": "The account of a relationship type, where it is not the graph's.",
            },
            **{key: value for key, value in SHARE["properties"].items() if key != "problem"},
        },
    },
    "NewGrant": {
        "type": "object",
        "required": ["graph", "analyst", "epsilon_budget"],
        "additionalProperties": False,
        "properties": {
            "graph": {"type": "string", "minLength": 1},
            "analyst": {"type": "string", "minLength": 1},
            "epsilon_budget": {
                "type": ["string", "number"],
                "description": "In all, what was spent included.",
            },
            "max_epsilon_per_release": {
                "type": ["string", "number"],
                "description": "none removes the limit.",
            },
            "account": {"enum": [*ACCOUNTS]},
            "agent": {
                "type": "boolean",
                "description": "Whether a program asks that decides by itself; left out: as it is.",
            },
            "min_epsilon_per_release": {
                "type": ["string", "number"],
                "description": "For an agent.",
            },
            "filters": {
                "type": "boolean",
                "description": "Whether the analyst may write conditions; left out: as it is.",
            },
        },
    },
    "NewFilter": {
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "ann.large, of the analyst ann."},
            "where": {
                "type": "object",
                "description": "A value of a column, or a mapping of eq, in, gte, gt, lte, lt to values; a date is "
                '{"date": "2024-01-01"}.',
            },
            "at_least": {"type": "integer", "minimum": 1},
            "orientation": {"enum": ["undirected", "mutual", "natural", "reverse"]},
            "candidates": {"type": "string"},
        },
    },
    "Events": {
        "type": "object",
        "required": ["events", "next"],
        "properties": {
            "events": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["seq", "at", "by", "event"],
                    "properties": {
                        "seq": {"type": "integer"},
                        "at": {"type": "string"},
                        "by": {"type": "string"},
                        "event": {"type": "string"},
                    },
                },
            },
            "next": {
                "type": ["integer", "null"],
                "description": "The since of the next page; null at the end.",
            },
        },
    },
}
"""By their names."""
