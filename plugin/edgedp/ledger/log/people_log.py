"""The people's log: who was added, given a token or revoked, who signs in how, and who asked for more.

It is one more account of the ledger, with the same rows and the same chain; nothing is ever spent of it, and it belongs
to no graph. Its rows say who there must be, so that `problems` finds whoever was put into a database by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from edgedp.ledger import events
from edgedp.ledger.account import PEOPLE
from edgedp.ledger.backend import Row, Runner, Session
from edgedp.ledger.chain import Head, chained, genesis, link
from edgedp.ledger.events import open_steps
from edgedp.ledger.log.people_state import People, people_of
from edgedp.ledger.script import Script, Step, run
from edgedp.words.errors import EdgeDPError, StoreError

_TRIES = 20
_KEPT = {
    "role": ("role", "role"),
    "added": ("added", "time of the addition"),
    "token_sha256": ("tokenHash", "token"),
    "revoked": ("revoked", "revocation"),
}
"""What a row may note of a person: its column, and its name for people."""

_OF_PEOPLE = ("begin", "add", "rotate", "revoke")
"""The events that the rows of the people follow."""


def changed(
    session: Session,
    change: Sequence[Step],
    event: str,
    noted: Mapping[str, Any],
    *,
    by: str,
    at: str,
    entries: int | None = None,
) -> str:
    """Run steps that change a person, and note it, in one transaction; return the outcome, ``done`` or another.

    The first row of the log names those who were there before it.

    Parameters
    ----------
    event : {"add", "rotate", "revoke", "token", "end", "identity", "forget", "ask", "grant", "decline"}
    noted : mapping
        person, and what of the person is another from now on.
    entries : int, optional
        How many rows the log had when the change was decided; where it has others, the outcome is ``changed``.
    """
    for _ in range(_TRIES):
        begun = bool(session.run("account_find", name=PEOPLE))
        before = [] if begun else [_noted_person(row) for row in session.run("person_list")]
        first = [] if begun else [Step("account_find", {"name": PEOPLE}, on_row="begun")]
        begin = events.event_steps(PEOPLE, "begin", {"people": before}, by=by, at=at) if before else []
        note = events.event_steps(PEOPLE, event, noted, by=by, at=at)
        same = [] if entries is None else [Step("account_at", _at(entries), on_none="changed")]
        outcome = run(session, Script([*first, *open_steps(PEOPLE), *same, *begin, *change, *note])).name
        if outcome != "begun":  # somebody else began it meanwhile
            return outcome
    raise AssertionError("a log that was begun stays so")


def noting_steps(event: str, noted: Mapping[str, Any], entries: int, *, by: str, at: str) -> list[Step]:
    """Return the steps that note an event beside something else; ``changed`` where the log grew since it was read."""
    same = Step("account_at", _at(entries), on_none="changed")
    return [*open_steps(PEOPLE), same, *events.event_steps(PEOPLE, event, noted, by=by, at=at)]


def _at(entries: int) -> dict[str, Any]:
    return {"name": PEOPLE, "entries": entries}


def state(runner: Runner) -> People:
    """Return what the log adds up to.

    Raises
    ------
    StoreError
        A row is missing or changed, or says what no program of ours writes.
    """
    found = rows(runner)
    try:
        return people_of(found, () if found else runner.run("person_list"))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise broken() from None


def last(runner: Runner) -> tuple[int, str] | None:
    """Return the number and the text of the last row; None where there is no log."""
    found = runner.run("log_last", name=PEOPLE)
    return (found[0]["seq"], link(found[0].get("hash") or "", found[0])) if found else None


def rows(runner: Runner) -> list[dict[str, Any]]:
    """Return the log, every row checked against the one before and the last against the account.

    Raises
    ------
    StoreError
        A row is missing or changed.
    """
    found = chained(PEOPLE, runner.run("log_list", name=PEOPLE))
    accounts = runner.run("account_find", name=PEOPLE)
    if len(found) != (accounts[0]["entries"] if accounts else 0):
        raise broken()
    return found


def head(runner: Runner) -> Head:
    """Return the head of the log."""
    found = rows(runner)
    return Head(len(found), found[-1]["hash"] if found else genesis(PEOPLE))


def shown(runner: Runner) -> list[dict[str, Any]]:
    """Return the log as it is shown; what was there before it is a row a person."""
    return [
        {
            "seq": row["seq"],
            "at": row["at"],
            "by": row["by"],
            "event": row["kind"],
            "person": noted["person"],
            "role": noted.get("role"),
            "about": _about(row["kind"], noted),
        }
        for row in rows(runner)
        for noted in _noted(row)
    ]


def problems(runner: Runner) -> list[str]:
    """Return what does not add up between the log and the people that there are, each in a line."""
    try:
        found = rows(runner)
    except EdgeDPError:
        return ["a row of the people's log is missing or not what was written"]
    if not found:
        return []  # nobody was added since this log is kept
    said: dict[str, dict[str, Any]] = {}
    for row in found:
        for noted in _noted(row) if row["kind"] in _OF_PEOPLE else ():
            if row["kind"] == "begin":  # two that began at once both name them
                said.setdefault(noted["person"], noted)
            else:
                said[noted["person"]] = said.get(noted["person"], {}) | noted
    there = {row["name"]: _noted_person(row) for row in runner.run("person_list")}
    wrong = [f"{name!r} is in the people's log and not there" for name in sorted(said.keys() - there.keys())]
    wrong += [f"{name!r} is in no row of the people's log" for name in sorted(there.keys() - said.keys())]
    wrong += [
        f"the {told} of {name!r} is not what the people's log says"
        for name in sorted(there.keys() & said.keys())
        for key, (_, told) in _KEPT.items()
        if there[name].get(key) != said[name].get(key)
    ]
    return wrong


def broken() -> StoreError:
    """Return the refusal of a log that does not add up."""
    return StoreError("the people's log does not add up; run 'edgedp ledger check'")


def _about(event: str, noted: Mapping[str, Any]) -> str:
    """Return what an event was about, beside the person."""
    until = f" until {noted['expires']}" if noted.get("expires") else ""
    match event:
        case "token" | "end":
            return f"token {noted['token']}{until}"
        case "identity" | "forget":
            return f"{noted['subject']} at {noted['issuer']}"
        case "ask":
            return f"{noted['epsilon']} more of {noted['graph']}: {noted['reason']}"
        case "grant" | "decline":
            return f"{noted['graph']}: {noted['answer']}"
        case _:
            return until.strip()


def _noted(row: Row) -> list[dict[str, Any]]:
    body = json.loads(row["body"])
    return list(body["people"]) if row["kind"] == "begin" else [body]


def _noted_person(row: Row) -> dict[str, Any]:
    return {"person": row["name"]} | {
        key: row[column] for key, (column, _) in _KEPT.items() if row[column] is not None
    }
