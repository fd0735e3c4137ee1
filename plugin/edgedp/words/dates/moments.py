"""Moments that a condition compares with: a day is its midnight in UTC, a time without a zone is UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

_WRITTEN = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000


@dataclass(frozen=True)
class Moment:
    """A moment in whole microseconds since 1970 began in UTC; what is finer was cut off."""

    microseconds: int

    @property
    def utc(self) -> datetime:
        """As a time in UTC."""
        return _EPOCH + self.microseconds * _MICROSECOND

    @property
    def written(self) -> str:
        """As ISO 8601 writes it, of a midnight the day alone.

        Examples
        --------
        >>> moment_of("2024-01-01T01:00+01:00").written, moment_of("2024-01-01T00:00:00.5").written
        ('2024-01-01', '2024-01-01T00:00:00.500000Z')
        """
        moment = self.utc
        if self.microseconds % _DAY == 0:
            return moment.date().isoformat()
        return moment.replace(tzinfo=None).isoformat() + "Z"


def moment_of(value: Any) -> Moment | None:
    """Return the moment that a date, a datetime or a text of ISO 8601 says; None where it says none of years 1 to 9999.

    Examples
    --------
    >>> moment_of(date(1970, 1, 2)), moment_of("1970-01-01 00:00:01"), moment_of("1970-1-1"), moment_of("2024-02-30")
    (Moment(microseconds=86400000000), Moment(microseconds=1000000), None, None)
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value) if _WRITTEN.fullmatch(value) else None
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime) or value != value:  # pandas has a datetime that is no time
        return None
    try:
        moment = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:  # in UTC it is in no year of four digits
        return None
    return Moment((moment - _EPOCH) // _MICROSECOND)
