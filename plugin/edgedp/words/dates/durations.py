"""Durations as ISO 8601 writes them: the periods of a calendar, how many windows a time takes, and a grace."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, Literal, get_args

from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened

Period = Literal["P1D", "P1W", "P1M", "P3M", "P1Y"]
"""How long a window is: a day, a week, a month, three months or a year of the calendar, in UTC."""

PERIODS: tuple[Period, ...] = get_args(Period)

_MONTHS: dict[Period, int] = {"P1M": 1, "P3M": 3, "P1Y": 12}
_DAYS: dict[Period, int] = {"P1D": 1, "P1W": 7, "P1M": 30, "P3M": 90, "P1Y": 365}
"""Days of a period that a tenth of it is taken of."""

_MOST_DAYS = {"D": 1, "W": 7, "M": 31, "Y": 366}
_WRITTEN = re.compile(r"P([1-9][0-9]{0,3})([DWMY])", re.ASCII)
_GRACE = re.compile(r"P(?:([0-9]{1,4})([DW])|T([0-9]{1,8})([HMS]))", re.ASCII)
_SECONDS = {"D": 86_400, "W": 604_800, "H": 3600, "M": 60, "S": 1}
_MOST_WINDOWS = 10_000


def windows_within(within: Any, period: Period) -> int | None:
    """Return how many consecutive windows hold what is protected; None: all there are, for ever.

    A duration that is no whole number of windows takes the next larger number, which protects more.

    Parameters
    ----------
    within : int, str or None
        A number of windows, as an integer or in digits, or a duration such as ``P1Y``.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> windows_within("P1Y", "P1M"), windows_within(4, "P1W"), windows_within("P1Y", "P1D")
    (12, 4, 366)
    """
    if within is None:
        return None
    if isinstance(within, str) and within.isascii() and within.isdecimal() and len(within) < 7:
        within = int(within)
    if isinstance(within, int) and not isinstance(within, bool) and 1 <= within <= _MOST_WINDOWS:
        return within
    found = _WRITTEN.fullmatch(within) if isinstance(within, str) else None
    if found is None:
        raise ParameterError(
            f"within is {shortened(repr(within))}, must be a number of windows from 1 to {_MOST_WINDOWS:,}, or a "
            "duration such as 'P1Y' or 'P3M'; ask without it for a budget of all time"
        )
    many = _fitting(int(found[1]), found[2], period)
    if not 1 <= many <= _MOST_WINDOWS:
        raise ParameterError(
            f"within is {within!r}, which is {many:,} windows of {period}, must be 1 to {_MOST_WINDOWS:,}; "
            "give another duration"
        )
    return many


def _fitting(many: int, unit: str, period: Period) -> int:
    """Return the smallest number of windows that is at least so long; 0 where one window is longer."""
    months = {"M": many, "Y": 12 * many}.get(unit)
    of_period = _MONTHS.get(period)
    if of_period is not None and months is not None:
        return 0 if months < of_period else -(-months // of_period)
    days = many * _MOST_DAYS[unit]
    shortest = {"P1D": 1, "P1W": 7, "P1M": 28, "P3M": 90, "P1Y": 365}[period]
    return 0 if days < shortest else -(-days // shortest)


def tenth(period: Period) -> timedelta:
    """Return a tenth of a period: three days of a month.

    Examples
    --------
    >>> tenth("P1M").days
    3
    """
    return timedelta(seconds=_DAYS[period] * 8640)


def grace_of(grace: Any, period: Period) -> timedelta:
    """Return how long after its end a window stays closed to releases; by default a tenth of a period.

    Examples
    --------
    >>> grace_of("P3D", "P1Y") == grace_of(None, "P1M")
    True
    """
    if grace is None:
        return tenth(period)
    found = _GRACE.fullmatch(grace) if isinstance(grace, str) else None
    if found is not None:
        many, unit = (found[1], found[2]) if found[1] else (found[3], found[4])
        asked = timedelta(seconds=int(many) * _SECONDS[unit])
        if asked <= timedelta(days=366):
            return asked
    raise ParameterError(
        f"grace is {shortened(repr(grace))}, must be days, weeks or hours, such as 'P3D', 'P1W' or 'PT12H', at most a "
        "year; ask without it for a tenth of the period"
    )


def shown_grace(grace: timedelta) -> str:
    """Return a grace as it is kept.

    Examples
    --------
    >>> shown_grace(timedelta(days=3)), shown_grace(timedelta(seconds=8640))
    ('P3D', 'PT8640S')
    """
    seconds = int(grace.total_seconds())
    return f"P{seconds // 86_400}D" if seconds % 86_400 == 0 else f"PT{seconds}S"
