"""The parts of the API that answers are made of: OpenAPI schemas, by name."""

from __future__ import annotations

from edgedp.faces.gateway.api.people import AMOUNT, NOTICE, OF_PEOPLE, SHARE
from edgedp.faces.gateway.api.shapes import (
    FLAG,
    NUMBER,
    WHOLE,
    Shape,
    called,
    or_null,
    record,
    row,
    several,
    text,
    word_of,
)
from edgedp.release.sure import Sought
from edgedp.words.dates.durations import PERIODS
from edgedp.words.vocabulary import ACCOUNTS, KINDS

_OBJECT: Shape = {"type": "object"}
_ACCOUNT = word_of(*ACCOUNTS)
_SHARE = called("Share")
_PROBLEM = text("Where the account does not add up: its amounts are null, and the curator must see to it.")
_ACCOUNTS = several(
    {"type": ["string", "object"]},
    description="The accounts that a graph without a budget of its own debits; the least is shown beside them.",
)
_ATTRIBUTES = record(
    {
        "epsilon_budget?": AMOUNT,
        "epsilon_spent?": AMOUNT,
        "epsilon_remaining?": AMOUNT,
        "releases?": or_null(WHOLE),
        "share?": _SHARE,
        "problem?": _PROBLEM,
    },
    description="The same for the account of the nodes' properties, once it is opened; never added to the edges'.",
)
_CALENDAR = record(
    {
        "from": text(),
        "period": word_of(*PERIODS),
        "within": or_null(WHOLE),
        "grace": text(),
        "dates": {"const": "final"},
        "property?": text(),
        "type?": text(),
        "unit?": text(),
    },
    description="Where relationships have dates: which windows may be released, and within how many the budget "
    "bounds what is lost (null: for all time).",
)
_CHANCE = {"type": "number", "minimum": 0, "maximum": 1}
_INTERVALS = several(row(WHOLE, WHOLE))
_ID: Shape = {"type": ["integer", "string"]}
_TITLES = several(or_null(text()))
_SURE = {
    "expected_recall?": _CHANCE,
    "membership?": several(_CHANCE),
    "titles?": _TITLES,
    "near_titles?": _TITLES,
    "near?": several(row(_ID, _CHANCE)),
    "degree_intervals?": or_null(_INTERVALS),
    "strength_intervals?": _INTERVALS,
}
"""What a list of a joint release says of itself, beside its nodes."""
_SOUGHT: dict[str, Shape] = {
    "target_recall?": {"type": ["number", "string"]},
    "target_reached?": FLAG,
    "steps?": WHOLE | {"minimum": 1},
    "spent?": text("What this release cost; epsilon_spent is the account's."),
    "ended?": word_of(*Sought.WHY, description="Why there was no further step."),
}
"""How a release ended that spent until its list was sure enough."""

SCHEMAS: dict[str, Shape] = {
    "Problem": record(
        {
            "type": text("urn:edgedp:problem: and the error's name in Python."),
            "title": text(),
            "status": WHOLE,
            "detail": text("The sentence, as the command line says it."),
        }
    ),
    "Share": SHARE,
    "Graph": record(
        {
            "name": text(),
            "node_count": WHOLE,
            "degree_bound": or_null(WHOLE)
            | {"description": "Null where candidates are ranked: on no bound of theirs does a release rest."},
            "directed?": {
                "const": True,
                "description": "Where directions were kept: in_degree and out_degree.",
            },
            "titles?": {"const": True, "description": "Where lists show a title beside each id."},
            "protect?": word_of(
                "source",
                "target",
                description="Where a release protects all that one node does, or all that is done to one.",
            ),
            "calendar?": _CALENDAR,
            "projection?": or_null(_OBJECT)
            | {
                "description": "Which relationships of a database make an edge, where it is not each of one type; "
                "or which rows of a loaded graph (of) do.",
            },
            "weight?": _OBJECT
            | {"description": "What is declared of the weights of a loaded graph; noise follows it."},
            "columns?": _OBJECT
            | {"description": "The columns of a loaded graph that conditions may compare, and their types."},
            "epsilon_budget": AMOUNT,
            "epsilon_spent": AMOUNT,
            "accounts?": _ACCOUNTS,
            "share": _SHARE,
            "notice?": NOTICE,
            "attributes?": _ATTRIBUTES,
            "problem?": _PROBLEM,
        }
    ),
    "Budget": record(
        {
            "epsilon_budget": AMOUNT,
            "epsilon_spent": AMOUNT,
            "epsilon_remaining": AMOUNT,
            "releases": or_null(WHOLE),
            "accounts?": _ACCOUNTS,
            "calendar?": _CALENDAR,
            "dearest_run?": or_null(text("The windows of which the most was spent: the amounts are theirs.")),
            "share": _SHARE,
            "notice?": NOTICE,
            "attributes?": _ATTRIBUTES,
            "problem?": _PROBLEM,
        }
    ),
    "Release": record(
        {
            "selector": text(),
            "parameters": _OBJECT,
            "nodes?": several(_ID),
            **_SURE,
            **_SOUGHT,
            "public": _OBJECT,
            "private": FLAG,
            "graph": text(),
            "release_id": text(),
            "account?": _ACCOUNT,
            "epsilon_budget?": AMOUNT,
            "epsilon_spent?": AMOUNT,
            "epsilon_remaining?": AMOUNT,
            "accounts?": _ACCOUNTS,
            "share?": _SHARE,
        },
        description="What was asked, the answer (nodes in the order picked, or a value), what was public, "
        "and the receipt.",
    ),
    "Estimate": record(
        {
            "graph": text(),
            "refused": or_null(text()),
            "epsilon": AMOUNT,
            "epsilon_remaining?": AMOUNT,
            "epsilon_remaining_after?": AMOUNT,
            "accounts?": _ACCOUNTS,
            "releases_left": WHOLE,
            "epsilon_first?": NUMBER | {"description": "For the first step, where epsilon is the most."},
            "kept?": FLAG,
            "noise": {"type": "array"},
            "parameters": _OBJECT,
            "share?": _SHARE,
            "plan_id?": text(
                "With an Idempotency-Key, where nothing speaks against the release: for its Plan-Id."
            ),
            "plan_seconds?": WHOLE | {"description": "For how long the plan holds."},
        },
        description="What a release would cost, from public facts alone; refused says why it would be refused.",
    ),
    "KeptRelease": record(
        {
            "graph": text(),
            "request_id": or_null(text()),
            "release_id": text(),
            "at": text(format="date-time"),
            "epsilon": NUMBER,
            "selector": text(),
            "parameters": _OBJECT,
            "public": _OBJECT,
            "nodes?": {"type": ["array", "null"]},
            **_SURE,
        }
    ),
    "Graphs": record({"graphs": several(called("Graph"))}),
    "Releases": record(
        {
            "releases": several(called("KeptRelease")),
            "next": or_null(text("The since of the next page; null at the end.")),
        }
    ),
    "Attributes": record(
        {
            "attributes": several(
                record(
                    {
                        "property": text(),
                        "low": NUMBER,
                        "high": NUMBER,
                        "grid": text(),
                        "points": WHOLE,
                        "depends_on": text(),
                    }
                )
            )
        }
    ),
    **OF_PEOPLE,
    "Batch": record(
        {
            "releases": several(
                record(
                    {
                        "kind": word_of(*KINDS, "topk"),
                        "request_id?": text(minLength=1, maxLength=200),
                    },
                    description="The options of a release by name, its kind and, where wanted, its request_id.",
                ),
                minItems=1,
                maxItems=100,
            )
        },
        closed=True,
    ),
    "Planned": record(
        {
            "releases": several(
                record(
                    {
                        "graph": text(),
                        "request_id?": text(),
                        "epsilon": AMOUNT,
                        "kept": FLAG,
                        "refused": or_null(text()),
                        "epsilon_remaining_after": AMOUNT,
                    }
                )
            ),
            "accounts": several(
                record(
                    {
                        "graph": text(),
                        "account": _ACCOUNT,
                        "epsilon": NUMBER,
                        "epsilon_remaining_after?": AMOUNT,
                    }
                )
            ),
            "refused": WHOLE | {"minimum": 0},
        }
    ),
}
