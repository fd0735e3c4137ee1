"""The version of edgedp's own nodes in a Neo4j database, and how an older one becomes the present one.

The node ``EdgeDPSchema`` carries the version, and every statement that takes a ledger's lock or debits
matches it: an older client debits nothing in a newer database. Version 1 is what edgedp 0.1.0 wrote, which has
no such node; its labels are used no more, and two sentinels with a constraint let none of its statements
lock or make a ledger there. A migration is a script as any other: what it needs is read first, its statements
check under the locks that this is still what there is.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from edgedp.ledger.backend import Row, Session
from edgedp.ledger.script import Script, Step, run
from edgedp.release.plan import PublicFacts, plan
from edgedp.stores.statements.queries import statement_text
from edgedp.words.amounts import rho
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import StoreError

SCHEMA_VERSION = 6

BEFORE = (
    (
        "schema_one", "schema_graph", "schema_account", "schema_account_type", "schema_entry",
        "schema_entry_release", "schema_entry_asker", "schema_lease", "schema_fingerprint", "schema_version_label",
        "schema_person", "schema_person_token", "schema_share", "schema_entry_kind", "schema_entry_analyst",
        "schema_session",
    ),
    ("schema_request_drop",),
    ("old_graph_drop",),
    ("old_graph_index",),
    ("old_held",),
    ("old_ledger_constraint",),
)  # fmt: skip
"""What runs before a migration's script, each tuple in one transaction; all of it may be run again."""

OLD_READS = ("schema_version", "old_graphs", "old_ledgers", "old_releases", "old_changes")
"""What a migration reads: the version that there is, and what 0.1.0 left."""

_TRIES = 20
_LATER = ("migration_0003", "migration_0004", "migration_0005", "migration_0006")
_OLD_BY = "unknown (edgedp 0.1.0)"


@cache
def constraints() -> tuple[str, ...]:
    """Return the names of the constraints that `BEFORE` makes, and without which nothing is debited."""
    statements = [statement_text("neo4j", each) for statements in BEFORE for each in statements]
    return tuple(name for text in statements for name in re.findall(r"CREATE CONSTRAINT (\w+)", text))


def complete(session: Session) -> bool:
    """Whether every constraint is there: somebody may have dropped one since."""
    return len(session.run("constraints", names=list(constraints()))) == len(constraints())


def restore(session: Session) -> None:
    """Make what is missing of the constraints; nothing is made where rows break one, and so nothing is released."""
    for statements in BEFORE:
        with session.transaction() as tx:  # which waits for open transactions no longer than for a ledger
            for statement in statements:
                tx.run(statement)


def check_version(version: int | None, *, old: bool) -> bool:
    """Return whether the database is of this version; False where it is to be made or migrated.

    Parameters
    ----------
    version : int or None
        Of ``schema_version``; None where there is no row.
    old : bool
        Of ``schema_old``.

    Raises
    ------
    StoreError
        A newer edgedp wrote it, or an older one wrote beside this one.
    """
    if version is not None and type(version) is not int:
        raise StoreError(
            "the version of the ledgers in the database (EdgeDPSchema.version) is not a whole number, so somebody "
            f"edited it; this edgedp writes {SCHEMA_VERSION}, set it back"
        )
    if version is not None and version > SCHEMA_VERSION:
        raise StoreError(
            f"the database holds ledgers of version {version}, which a newer edgedp wrote, must be at most "
            f"{SCHEMA_VERSION}; use the newer edgedp"
        )
    if version == SCHEMA_VERSION and old:
        raise StoreError(
            "the database holds rows of edgedp 0.1.0 beside those of this version; restore the constraint "
            "edgedp_old_ledger and delete the rows that 0.1.0 wrote (EdgeDPLedger, EdgeDPGraph, EdgeDPRelease)"
        )
    return version == SCHEMA_VERSION


def ensure(session: Session, *, create: bool) -> bool:
    """Bring a database to the present version; return whether it holds anything of edgedp's.

    Parameters
    ----------
    create : bool
        Make what is missing where edgedp never wrote.
    """
    for attempt in range(_TRIES):
        rows = session.run("schema_version")
        version = rows[0]["version"] if rows else None
        old = bool(session.run("schema_old")[0]["old"])
        if check_version(version, old=old):
            if not complete(session):
                restore(session)
            return True
        if not old and not create and version is None:
            return False
        new = attempt == 0 and not old and version is None
        found = {} if new else {statement: session.run(statement) for statement in OLD_READS}
        restore(session)
        if run(session, migration_script(found)).name != "changed":
            continue
    raise StoreError("the database is written by edgedp 0.1.0 all the time; stop it, then ask again")


def migration_script(found: Mapping[str, Sequence[Row]]) -> Script:
    """Return the script that makes this version of what there is; outcomes ``done`` and ``changed``.

    Parameters
    ----------
    found : mapping
        The rows of `OLD_READS`; empty where edgedp seems never to have written, which the script looks at again.
    """
    begin = Step("schema_begin", on_none="changed")
    if not found:
        return Script([begin, Step("schema_new", on_none="changed")])
    if any(row["version"] == SCHEMA_VERSION for row in found["schema_version"]):
        return Script([])  # only constraints were missing
    later = [Step(each, on_none="changed") for each in _LATER]
    for row in found["schema_version"]:
        if row["version"] in (2, 3, 4, 5):
            return Script(later[row["version"] - 2 :])
    graphs, ledgers = found["old_graphs"], found["old_ledgers"]
    releases, changes = found["old_releases"], found["old_changes"]
    seen = {
        "graphs": len(graphs),
        "ledgers": len(ledgers),
        "releases": len(releases),
        "drawn": sum(row["nodes"] is not None for row in releases),
        "changes": len(changes),
        "spent": sum(_whole(row[key]) for row in ledgers for key in ("spent", "spentRho")),
    }
    accounts, entries = _accounts(ledgers, releases, changes)
    return Script(
        [
            begin,
            Step("old_lock", seen, on_none="changed"),
            Step(
                "migration_0002",
                {
                    "graphs": [dict(row) for row in graphs],
                    "versions": [_version(row) for row in graphs if row["loaded"]],
                    "accounts": accounts,
                    "entries": entries,
                },
                on_none="changed",
            ),
            *later,
        ]
    )


def _accounts(
    ledgers: Sequence[Row], releases: Sequence[Row], changes: Sequence[Row]
) -> tuple[list[Row], list[Row]]:
    """Return accounts and logs; a ledger that somebody deleted has an account of what its releases cost."""
    events: dict[str, list[tuple[str, Row]]] = defaultdict(list)
    for row in changes:
        events[row["graph"]].append(("budget", row))
    for row in releases:
        events[row["graph"]].append(("debit", row))
    kept = {row["name"]: row for row in ledgers}
    accounts, entries = [], []
    for name in sorted(kept.keys() | events.keys()):
        account = _account(name, kept.get(name))
        log = _log(account, sorted(events[name], key=lambda event: str(event[1]["at"])))
        if name not in kept:
            account["spent"] = log[-1]["total"] if log else 0
        account["entries"] = len(log)
        accounts.append(account)
        entries += log
    return accounts, entries


def _account(name: str, row: Row | None) -> Row:
    """Return an account; what was spent stays, also where it is not what the releases cost."""
    if row is None:
        row = defaultdict(lambda: None)
    pure = row["delta"] is None
    return {
        "name": name,
        "delta": row["delta"],
        "declared": row["budget"] if pure else row["declared"],
        "budget": row["budget"] if pure else row["budgetRho"],
        "spent": row["spent"] if pure else row["spentRho"],
        "maxPerRelease": row["maxPerRelease"],
        "relationshipType": row["relationshipType"],
    }


def _log(account: Row, events: Sequence[tuple[str, Row]]) -> list[Row]:
    log: list[Row] = []
    total = 0

    def append(kind: str, at: str, body: Mapping[str, Any], **rest: Any) -> None:
        log.append(
            {
                "name": account["name"],
                "seq": len(log) + 1,
                "kind": kind,
                "at": at,
                "by": _OLD_BY,
                "body": json.dumps(body),
                "total": total,
                "delta": account["delta"],
                "relationshipType": account["relationshipType"],
            }
            | rest
        )

    for kind, row in events:
        if kind == "budget":
            body = {"epsilon_budget": format_nano(row["budget"])}
            append("budget", row["at"], body | ({"delta": row["delta"] / rho.ATTO} if row["delta"] else {}))
            continue
        asked = {
            "kind": row["selector"],
            "parameters": json.loads(row["parameters"]),
            "public": json.loads(row["public"]),
        }
        charge = row["cost"] if account["delta"] is None else _price(asked)
        total += charge
        identity = {"releaseId": row["releaseId"]}
        amounts = identity | {"requestId": row["requestId"], "cost": row["cost"], "charge": charge}
        append("debit", row["at"], asked, **amounts)
        if row["nodes"] is not None:
            append("answer", row["at"], {"nodes": json.loads(row["nodes"])}, **identity)
    return log


def _price(asked: Mapping[str, Any]) -> int:
    """Return the pico-rho of a release of 0.1.0, from what it kept."""
    public = asked["public"]
    facts = PublicFacts(public["node_count"], public["degree_bound"])
    return rho.cost(plan(asked["kind"], asked["parameters"], facts))


def _version(row: Row) -> Row:
    return {
        "name": row["name"],
        "nodeLabel": row["nodeLabel"],
        "relationshipType": row["relationshipType"],
        "constraintName": f"edgedp_{row['version']:x}",
        "current": True,
    }


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
