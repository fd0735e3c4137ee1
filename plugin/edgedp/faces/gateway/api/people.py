"""The parts of the API about people: tokens, sign-ins, shares, who asked for more, and what happened."""

from __future__ import annotations

from edgedp.faces.gateway.api.shapes import (
    FLAG,
    NUMBER,
    WHOLE,
    WORD,
    Shape,
    called,
    or_null,
    record,
    several,
    text,
    word_of,
)
from edgedp.words.vocabulary import ACCOUNTS

AMOUNT = or_null({"type": "number", "minimum": 0})
NOTICE = text("Only where a tenth of the share or less is left.")

_ROLE = word_of("analyst", "curator")
_ACCOUNT = word_of(*ACCOUNTS)
_TRUE: Shape = {"const": True}
_DECIMAL: Shape = {"type": ["string", "number"]}
_TEXT = WORD | {"maxLength": 255}
_ANSWER = text(maxLength=1000)
_EXPIRES = text(
    "Until when the token is good: a date (its whole day, UTC), a moment, a duration such as 90d, or never."
)
_IDENTITY = {"name": WORD, "issuer": _TEXT, "subject": _TEXT}
_SIGN_IN = {"issuer": _TEXT, "subject": _TEXT}
_SHARED = {"graph": _TEXT, "analyst": _TEXT}
_OF_SHARE = {
    "account": text(),
    "epsilon_budget": AMOUNT,
    "epsilon_spent": AMOUNT,
    "epsilon_remaining": AMOUNT,
    "max_epsilon_per_release": AMOUNT,
    "min_epsilon_per_release?": NUMBER
    | {"description": "Only for an agent's share: what a release costs at least. Each names its Plan-Id."},
    "filters?": FLAG | {"description": "Whether the caller may write conditions."},
    "delta?": NUMBER,
}

SHARE = or_null(
    record(
        _OF_SHARE | {"problem?": text()},
        description="What the caller may spend of the graph's budget; null where nothing was granted.",
    )
)

OF_PEOPLE: dict[str, Shape] = {
    "Me": record({"name": text(), "role": _ROLE}),
    "People": record({"people": several(called("Person"))}),
    "Person": record({"name": text(), "role": _ROLE, "added": text(), "revoked": or_null(text())}),
    "NewPerson": record({"name": WORD, "role?": _ROLE, "expires?": _EXPIRES}, closed=True),
    "Rotation": record({"expires?": _EXPIRES}, closed=True),
    "NewToken": record({"token": WORD, "expires?": _EXPIRES}, closed=True),
    "Tokens": record(
        {
            "tokens": several(
                record(
                    {
                        "name": text(),
                        "token": text("Its name, and nothing of itself."),
                        "added": text(),
                        "expires": or_null(text()),
                        "revoked": or_null(text()),
                        "state": word_of("valid", "expired", "revoked"),
                    }
                )
            )
        }
    ),
    "NewIdentity": record(_IDENTITY, closed=True),
    "Identity": record(_IDENTITY),
    "Identities": record({"identities": several(record(_IDENTITY))}),
    "NoIdentity": record(_SIGN_IN, closed=True),
    "IdentityRemoved": record(_SIGN_IN | {"removed": _TRUE}),
    "NoShare": record(_SHARED, closed=True),
    "ShareRevoked": record(_SHARED | {"revoked": _TRUE}),
    "AskMore": record(
        {
            "epsilon": _DECIMAL | {"description": "How much more."},
            "reason": WORD | {"maxLength": 1000},
            "account?": _ACCOUNT,
        },
        closed=True,
    ),
    "AskedMore": record(
        {
            "id": text(),
            "at": text(),
            "graph": text(),
            "account": _ACCOUNT,
            "analyst": text(),
            "epsilon": NUMBER,
            "reason": text(),
            "state": word_of("open", "granted", "declined"),
            "answer": or_null(text()),
            "answered": or_null(text()),
        }
    ),
    "AllAskedMore": record({"asked": several(called("AskedMore"))}),
    "GrantMore": record(
        {
            "answer?": _ANSWER,
            "epsilon_budget?": _DECIMAL
            | {"description": "The whole share from now on, in place of what was asked for."},
        },
        closed=True,
    ),
    "DeclineMore": record({"answer": _ANSWER | {"minLength": 1}}, closed=True),
    "Export": record(
        {
            "lines": several(
                text(), description="Written each on a line of a file, 'edgedp ledger verify' checks them."
            )
        }
    ),
    "Token": record(
        {
            "name": text(),
            "role?": _ROLE,
            "token": text("Shown this once: the store keeps its SHA-256."),
            "expires?": text("The last second at which it is good."),
        }
    ),
    "Revoked": record({"name": text(), "revoked": _TRUE}),
    "Grants": record({"grants": several(called("Grant"))}),
    "Grant": record(
        {
            "graph": text(),
            "analyst": text(),
            "of?": text("The account of a relationship type, where it is not the graph's."),
            **_OF_SHARE,
        }
    )
    | {"required": ["graph", "analyst", "account", "epsilon_budget", "epsilon_spent", "epsilon_remaining"]},
    "NewGrant": record(
        {
            "graph": WORD,
            "analyst": WORD,
            "epsilon_budget": _DECIMAL | {"description": "In all, what was spent included."},
            "max_epsilon_per_release?": _DECIMAL | {"description": "none removes the limit."},
            "account?": _ACCOUNT,
            "agent?": FLAG
            | {"description": "Whether a program asks that decides by itself; left out: as it is."},
            "min_epsilon_per_release?": _DECIMAL | {"description": "For an agent."},
            "filters?": FLAG
            | {"description": "Whether the analyst may write conditions; left out: as it is."},
        },
        closed=True,
    ),
    "NewFilter": record(
        {
            "name": WORD | {"description": "ann.large, of the analyst ann."},
            "where?": {
                "type": "object",
                "description": "A value of a column, or a mapping of eq, in, gte, gt, lte, lt to values; a date is "
                '{"date": "2024-01-01"}.',
            },
            "at_least?": WHOLE | {"minimum": 1},
            "orientation?": word_of("undirected", "mutual", "natural", "reverse"),
            "candidates?": text(),
        },
        closed=True,
    ),
    "Events": record(
        {
            "events": several(record({"seq": WHOLE, "at": text(), "by": text(), "event": text()})),
            "next": or_null(WHOLE) | {"description": "The since of the next page; null at the end."},
        }
    ),
}
"""By their names."""
