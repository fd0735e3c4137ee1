"""The calendar of an account, as its terms say it: the text of what an account is for, in every row of its log."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from edgedp.ledger.calendars.runs import NOTHING
from edgedp.words.dates.calendar import Calendar, calendar_kept
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.words.vocabulary import Unit


def calendar_of_terms(terms: str | None) -> Calendar | None:
    """Return the calendar of an account from what it is for; None where it has none.

    Raises
    ------
    ParameterError
        It cannot be read, so somebody edited it.
    """
    if not terms:
        return None
    if not isinstance(terms, str):  # a database that anybody may edit holds lists, which no cache takes
        raise _unreadable()
    return _read(terms)


@lru_cache(maxsize=1024)  # every row of an account names its terms, which are nearly always the same
def _read(terms: str) -> Calendar | None:
    try:
        found = json.loads(terms).get("calendar")
    except (ValueError, AttributeError):
        raise _unreadable() from None
    return None if found is None else calendar_kept(found)


def _unreadable() -> ParameterError:
    return ParameterError("the terms of the account cannot be read; restore a backup")


def kept_without_edges(protect: Unit, calendar: Calendar | None) -> str:
    """Return what an account is for whose edges are gone: nothing, but its unit and its calendar stay.

    Examples
    --------
    >>> kept_without_edges("pair", None), kept_without_edges("target", None)
    ('', '{"protect": "target"}')
    """
    said = terms_said(protect, calendar)
    return json.dumps(said) if said else ""


def calendar_asked(calendar: Calendar | None) -> dict[str, Any]:
    """Return the parameters of ``account_unit`` that find a calendar, or none."""
    if calendar is None:
        return {"unit": '"calendar": ', "there": False}
    return {"unit": f'"calendar": {json.dumps(calendar.to_dict())}', "there": True}


def terms_said(protect: Unit, calendar: Calendar | None) -> dict[str, Any]:
    """Return what the log says of a unit and a calendar; nothing of the defaults, which are the older promise."""
    said: dict[str, Any] = {} if protect == "pair" else {"protect": protect}
    return said if calendar is None else said | {"calendar": calendar.to_dict()}


def runs_at_first(calendar: Calendar | None) -> str | None:
    """Return what was spent within every run before anything was; None where the budget is for all time."""
    return None if calendar is None or calendar.within is None else NOTHING
