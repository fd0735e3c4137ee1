"""Ask for more: an analyst asks for a larger share and says why, and the curator grants or declines it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from edgedp.ledger import ledger, shares
from edgedp.ledger.log import people_log
from edgedp.ledger.log.people_state import MoreAsked, People
from edgedp.ledger.script import Step
from edgedp.ledger.shares import ANALYST
from edgedp.mechanisms import checks
from edgedp.mechanisms.checks import check_choice
from edgedp.words.amounts.epsilon import epsilon_nano, format_nano
from edgedp.words.errors import ParameterError, StoreStateError, UnknownNameError
from edgedp.words.vocabulary import ACCOUNTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from edgedp.ledger.backend import Session

_LONGEST = 1000
_TRIES = 20


def asked(
    session: Session,
    state: Callable[[Session], People],
    analyst: str,
    graph: str,
    epsilon: Any,
    reason: Any,
    account: Any,
) -> MoreAsked:
    """Note that an analyst asks for a larger share of a graph, which the analyst sees.

    Raises
    ------
    StoreStateError
        The analyst's last question about this share is not answered yet.
    """
    check_choice(account, "account", ACCOUNTS)
    more, why = format_nano(epsilon_nano(epsilon)), _text(reason, "reason")
    at, id_ = ledger.now(), secrets.token_hex(8)
    noted = {
        "person": analyst, "id": id_, "graph": graph, "account": account, "epsilon": more, "reason": why,
    }  # fmt: skip
    active = Step("person_active", {"name": analyst, "role": ANALYST}, on_none="revoked")
    by = f"{session.by} for analyst {analyst}" if session.by else f"analyst {analyst}"
    for _ in range(_TRIES):
        people = state(session)
        for each in others(people, analyst, graph, account):
            raise StoreStateError(
                f"you asked for more of {graph!r} already ({each.id}), and it is not answered yet; wait for the answer"
            )
        outcome = people_log.changed(session, [active], "ask", noted, by=by, at=at, entries=people.entries)
        if outcome == "revoked":
            raise shares.revoked(analyst)
        if outcome in ("unknown", "broken"):
            raise people_log.broken()
        if outcome == "done":
            return MoreAsked(id_, at, graph, account, analyst, more, why)
    raise StoreStateError("somebody else keeps writing to the people's log; ask again")


def others(people: People, analyst: str, graph: str, account: str) -> list[MoreAsked]:
    """Return the questions of an analyst about a share that are open."""
    place = (analyst, graph, account, "open")
    return [each for each in people.asked if (each.analyst, each.graph, each.account, each.state) == place]


def open_one(people: People, id_: str) -> MoreAsked:
    """Return a question that is not answered yet.

    Raises
    ------
    UnknownNameError, StoreStateError
    """
    found = people.more(id_)
    if found is None:
        raise unknown(id_)
    if found.state != "open":
        raise StoreStateError(f"{id_} was {found.state} already; see 'edgedp more list'")
    return found


def check_answer(answer: Any, *, needed: bool) -> str:
    """Return what the curator writes: something, where more is declined."""
    return "" if not needed and answer in (None, "") else _text(answer, "answer")


def unknown(id_: str) -> UnknownNameError:
    """Return the refusal of a question that nobody asked."""
    return UnknownNameError(f"nobody asked {str(id_)[:40]!r}; see 'edgedp more list'")


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ParameterError(f"{name} is missing; write it as one sentence")
    text = checks.check_text(" ".join(value.split()), name)
    if len(text) > _LONGEST:
        raise ParameterError(
            f"{name} has {len(text):,} characters, must have at most {_LONGEST:,}; shorten it"
        )
    return text
