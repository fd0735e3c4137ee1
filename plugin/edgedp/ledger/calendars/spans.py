"""What an account with a calendar says of its runs of windows: the dearest, every one, and what the budget means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from edgedp.ledger.calendars import runs
from edgedp.words.amounts.epsilon import NANO

if TYPE_CHECKING:
    from edgedp.ledger.account import Account
    from edgedp.words.dates.calendar import Calendar

_EACH = {"P1D": "day", "P1W": "week", "P1M": "month", "P3M": "quarter", "P1Y": "year"}
_IN_TEN_YEARS = {"P1D": 3653, "P1W": 522, "P1M": 120, "P3M": 40, "P1Y": 10}


def dated(account: Account) -> dict[str, Any]:
    """Return what is shown of an account beside its amounts where it has a calendar: public facts."""
    calendar = account.calendar
    if calendar is None:
        return {}
    shown: dict[str, Any] = {"calendar": calendar.to_dict()}
    if account.runs is not None and calendar.within is not None:
        first = next(start for start, _, spent in runs.steps(account.runs) if spent == account.held)
        shown["dearest_run"] = _named(calendar, first, calendar.within) if account.held else None
    return shown


def every_run(account: Account) -> list[dict[str, Any]]:
    """Return what was spent and what is left of every run of windows, by its first window.

    Returns
    -------
    list of dict
        windows, epsilon_spent, epsilon_remaining; the last one stands for all later runs, ``A..``.
    """
    calendar, kept = account.calendar, account.runs
    if calendar is None or calendar.within is None or kept is None:
        return []
    found = []
    for start, end, spent in runs.steps(kept):
        of_run = replace(account, spent=spent, runs=None).shown()
        amounts = {key: of_run[key] for key in ("epsilon_spent", "epsilon_remaining")}
        if end is None:
            found.append({"windows": f"{calendar.name(start)}..", **amounts})
            break
        found += [
            {"windows": _named(calendar, at, calendar.within), **amounts} for at in range(start, end + 1)
        ]
    return found


def meaning(account: Account) -> str | None:
    """Return in a sentence what a budget by windows does not say; None where it is for all time."""
    calendar = account.calendar
    if calendar is None or calendar.within is None or account.declared is None:
        return None
    budget, each = account.declared / NANO, _EACH[calendar.period]
    runs_of_ten_years = -(-_IN_TEN_YEARS[calendar.period] // calendar.within)
    match account.protect:
        case "pair":
            who = f"a pair that talks every {each} for ten years"
        case "source":
            who = f"a node that acts every {each} for ten years"
        case "target":
            who = f"a node that is acted on every {each} for ten years"
    many = "one window" if calendar.within == 1 else f"any {calendar.within} consecutive windows"
    return (
        f"{who} is protected at {budget:g} within {many}, and at up to {runs_of_ten_years * budget:g} "
        f"for whether it ever did"
    )


def _named(calendar: Calendar, first: int, within: int) -> str:
    return calendar.between(first, min(first + within - 1, calendar.last())).shown
