"""Until when something holds: a date, a moment or a duration, as the last second at which it is still good."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened
from edgedp.words.vocabulary import is_word

_SHORT = re.compile(r"([0-9]{1,6})([hdw])", re.ASCII)
_ISO = re.compile(
    r"P(?=[0-9T])(?:([0-9]{1,4})Y)?(?:([0-9]{1,5})M)?(?:([0-9]{1,5})W)?(?:([0-9]{1,6})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,7})H)?(?:([0-9]{1,7})M)?)?",
    re.ASCII,
)
_LETTERS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def expiry_of(given: Any, now: datetime | None = None, name: str = "expires") -> str | None:
    """Return the last second at which something holds, ISO 8601 in UTC; None where it holds for good.

    Parameters
    ----------
    given : str, date or None
        A date, whose whole day in UTC counts; a moment (without an offset: UTC); a duration from now on, such as
        ``90d``, ``12h`` or ``P3M``; None or ``never``.
    now : datetime, optional
        In UTC.

    Raises
    ------
    ParameterError
        It is none of these, or over.

    Examples
    --------
    >>> then = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> expiry_of("2026-12-31", then), expiry_of("90d", then)
    ('2026-12-31T23:59:59+00:00', '2026-05-01T12:00:00+00:00')
    >>> expiry_of("P1M", then), expiry_of("never", then)
    ('2026-02-28T12:00:00+00:00', None)
    """
    if given is None or is_word(given, "never"):
        return None
    now = datetime.now(UTC) if now is None else now
    text = given.isoformat() if isinstance(given, date) else given
    try:
        until = _moment(text, now) if isinstance(text, str) else None
    except (ValueError, OverflowError):
        until = None
    if until is None:
        raise ParameterError(
            f"{name} is {shortened(repr(given))}, must be a date such as 2026-12-31, a duration such as 90d, 12h or "
            "P3M, or never; choose one"
        )
    if until <= now:
        raise ParameterError(f"{name} is {shortened(repr(given))}, must be after now; choose a later one")
    return until.isoformat(timespec="seconds")


def is_over(expires: str | None, now: datetime | None = None) -> bool:
    """Whether what holds until a moment, as `expiry_of` returns it, holds no more.

    Raises
    ------
    ValueError
        Somebody edited it.

    Examples
    --------
    >>> is_over(None), is_over("2026-12-31T23:59:59+00:00", datetime(2027, 1, 1, tzinfo=UTC))
    (False, True)
    """
    return expires is not None and datetime.fromisoformat(expires) < (now or datetime.now(UTC))


def _moment(text: str, now: datetime) -> datetime | None:
    if found := _SHORT.fullmatch(text):
        return now.replace(microsecond=0) + int(found[1]) * _LETTERS[found[2]]
    if found := _ISO.fullmatch(text):
        years, months, weeks, days, hours, minutes = (int(part or 0) for part in found.groups())
        rest = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
        return _months_later(now.replace(microsecond=0), 12 * years + months) + rest
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
        day = date.fromisoformat(text)
        return datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
    if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}", text, re.ASCII):
        return None
    moment = datetime.fromisoformat(text)
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.replace(microsecond=0)


def _months_later(moment: datetime, months: int) -> datetime:
    """Return the same day so many months later; where that month is shorter, its last day."""
    years, month = divmod(moment.month - 1 + months, 12)
    first = moment.replace(year=moment.year + years, month=month + 1, day=1)
    following = (first.replace(day=28) + timedelta(days=4)).replace(day=1)
    return first.replace(day=min(moment.day, (following - timedelta(days=1)).day))
