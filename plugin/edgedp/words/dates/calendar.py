"""A calendar: windows of one length, counted from a first day. It follows from its constants and the clock alone.

Window j is ``[from + j period, from + (j + 1) period)`` in UTC. Which windows there are never depends on rows. A
relationship without a date, or with one before the first day, is in no window.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, assert_never, get_args

from edgedp.words.dates.durations import PERIODS, Period, grace_of, shown_grace, windows_within
from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened
from edgedp.words.vocabulary import is_word

DateType = Literal["ZONED DATETIME", "LOCAL DATETIME", "DATE", "INTEGER"]
"""Of a property that holds a date: a local time is UTC, a day is its midnight in UTC, an integer has a unit."""

DateUnit = Literal["s", "ms"]
"""What an integer counts since 1970 began in UTC."""

DATE_TYPES: tuple[DateType, ...] = get_args(DateType)
DATE_UNITS: tuple[DateUnit, ...] = get_args(DateUnit)

_SHORT: dict[str, DateType] = {
    "zoned": "ZONED DATETIME", "local": "LOCAL DATETIME", "date": "DATE", "integer": "INTEGER",
}  # fmt: skip
_KEYS = ("property", "type", "unit", "from", "period", "within", "grace", "dates")
_LAST_YEAR = 9998
_LONGEST = 10_000


@dataclass(frozen=True)
class Span:
    """The windows from one to another, both of them in it.

    Attributes
    ----------
    first, last : int
        Numbers of windows, from 0.
    shown : str
        Their names: of one window its name, of several ``A..B``.
    calendar : Calendar
        Whose windows they are.
    """

    first: int
    last: int
    shown: str
    calendar: Calendar = field(repr=False, compare=False)

    @property
    def asked(self) -> dict[str, str]:
        """The option that asks for it, as a plan keeps it."""
        return {"window" if self.first == self.last else "windows": self.shown}


@dataclass(frozen=True)
class Calendar:
    """Windows, and within how many of them an account bounds what is lost.

    Attributes
    ----------
    start : datetime.date
        The first day of window 0.
    period : str
    within : int or None
        The number of consecutive windows that the budget is for; None: for all time.
    grace : datetime.timedelta
        How long after its end a window stays closed.
    property, type, unit : str, optional
        Of relationships of a database: the property that holds their date, and how. A loaded graph has the window of
        each row stored, so that its calendar names none.
    """

    start: date
    period: Period
    within: int | None
    grace: timedelta
    property: str | None = None
    type: DateType | None = None
    unit: DateUnit | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as answers and ledgers show it; `calendar_kept` reads it."""
        reading = {"property": self.property, "type": self.type, "unit": self.unit}
        return {
            **{key: value for key, value in reading.items() if value is not None},
            "from": self.start.isoformat(),
            "period": self.period,
            "within": self.within,
            "grace": shown_grace(self.grace),
            "dates": "final",
        }

    # -- windows --------------------------------------------------------------------------------------

    def begins(self, window: int) -> datetime:
        """Return when a window begins."""
        match self.period:
            case "P1D" | "P1W":
                days = window * (1 if self.period == "P1D" else 7)
                day = self.start + timedelta(days=days)
            case "P1M" | "P3M" | "P1Y":
                month = self.start.year * 12 + self.start.month - 1 + window * _months(self.period)
                day = date(month // 12, month % 12 + 1, self.start.day)
            case _:
                assert_never(self.period)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)

    def ends(self, window: int) -> datetime:
        """Return when a window ends: when the next one begins."""
        return self.begins(window + 1)

    def closes(self, window: int) -> datetime:
        """Return from when on a window may be released: its end and the grace."""
        return self.ends(window) + self.grace

    def last(self) -> int:
        """Return the number of the last window that has a name: there are none from the year 9998 on."""
        return self.holds(datetime(_LAST_YEAR, 1, 1, tzinfo=UTC)) - 1

    def holds(self, moment: datetime) -> int:
        """Return the number of the window of a moment; negative before the first day."""
        day = moment.astimezone(UTC).date()
        match self.period:
            case "P1D":
                return (day - self.start).days
            case "P1W":
                return (day - self.start).days // 7
            case "P1M" | "P3M" | "P1Y":
                months = (day.year - self.start.year) * 12 + day.month - self.start.month
                return (months - (day.day < self.start.day)) // _months(self.period)
            case _:
                assert_never(self.period)

    def name(self, window: int) -> str:
        """Return what a window is called: as short as its period is usually written, else by its first day."""
        day = self.begins(window).date()
        match self.period:
            case "P1W" if self.start.weekday() == 0:
                year, week, _ = day.isocalendar()
                return f"{year:04d}-W{week:02d}"
            case "P1M" if self.start.day == 1:
                return f"{day.year:04d}-{day.month:02d}"
            case "P3M" if self.start.day == 1 and self.start.month % 3 == 1:
                return f"{day.year:04d}-Q{(day.month + 2) // 3}"
            case "P1Y" if (self.start.month, self.start.day) == (1, 1):
                return f"{day.year:04d}"
            case "P1D" | "P1W" | "P1M" | "P3M" | "P1Y":
                return day.isoformat()
            case _:
                assert_never(self.period)

    def window(self, name: Any, option: str = "window") -> int:
        """Return the number of a window by its name, or by its first day.

        Raises
        ------
        ParameterError
            It is no window of this calendar, or one before its first.
        """
        day = _day_of(name)
        if day is None or day.year >= _LAST_YEAR:
            raise ParameterError(
                f"{option} is {shortened(repr(name))}, must name a window of {self.period}, such as {self.name(0)!r}"
            )
        found = self.holds(datetime(day.year, day.month, day.day, tzinfo=UTC))
        if found < 0:
            raise ParameterError(
                f"{option} is {name!r}, which is before the first window, {self.name(0)!r}; ask for that or a later one"
            )
        if name not in (self.name(found), self.begins(found).date().isoformat()):
            raise ParameterError(
                f"{option} is {name!r}, must name a whole window of {self.period}; write {self.name(found)!r}, "
                "in which it is"
            )
        return found

    # -- spans ----------------------------------------------------------------------------------------

    def span(self, window: Any = None, windows: Any = None) -> Span | None:
        """Return which windows are asked for; None where neither is given: everything, undated relationships too.

        Parameters
        ----------
        window : str, optional
            One window.
        windows : str or two of str, optional
            ``A..B``, or A and B.

        Raises
        ------
        ParameterError
            Both are given, one is no window, or the first is after the last.

        Examples
        --------
        >>> months = calendar_of("2024-01-01", "P1M", within="P1Y", dates="final")
        >>> months.span("2024-06").first, months.span(windows="2024-01..2024-12").last, months.span()
        (5, 11, None)
        """
        if window is None and windows is None:
            return None
        if window is not None and windows is not None:
            raise ParameterError("window and windows are both given; leave one out")
        if window is not None:
            found = self.window(window)
            return self.between(found, found)
        ends = windows.split("..") if isinstance(windows, str) else windows
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise ParameterError(
                f"windows is {shortened(repr(windows))}, must be the first and the last, such as "
                f"'{self.name(0)}..{self.name(1)}'"
            )
        first, last = (self.window(each, "windows") for each in ends)
        if first > last:
            raise ParameterError(
                f"windows is {shortened(repr(windows))}, whose first window is after the last; swap the two"
            )
        return self.between(first, last)

    def between(self, first: int, last: int) -> Span:
        """Return the windows from one to another."""
        if last - first >= _LONGEST:
            raise ParameterError(
                f"windows are {last - first + 1:,}, must be at most {_LONGEST:,}; ask for fewer"
            )
        names = [self.name(first)] + ([self.name(last)] if first != last else [])
        return Span(first, last, "..".join(names), self)

    def check_closed(self, span: Span | None, now: datetime) -> None:
        """Refuse windows that are not over, or over for less than the grace: late rows would not be in.

        The rest of a window would also be released twice. Everything may be asked for at any time.

        Raises
        ------
        ParameterError
        """
        if span is None or now >= self.closes(span.last):
            return
        raise ParameterError(
            f"the window {self.name(span.last)!r} is open until {self.closes(span.last).isoformat()} (its end, and "
            f"{shown_grace(self.grace)} of grace); ask then, or for windows before it"
        )


def _months(period: Literal["P1M", "P3M", "P1Y"]) -> int:
    match period:
        case "P1M":
            return 1
        case "P3M":
            return 3
        case "P1Y":
            return 12
        case _:
            assert_never(period)


_NAMES = re.compile(r"([0-9]{4})(?:-(?:W([0-9]{2})|Q([1-4])|([0-9]{2})(?:-([0-9]{2}))?))?", re.ASCII)


def _day_of(name: Any) -> date | None:
    """Return the first day of what a text names, whatever its length is."""
    found = _NAMES.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        return None
    year, week, quarter, month, day = found.groups()
    try:
        if week is not None:
            return date.fromisocalendar(int(year), int(week), 1)
        return date(int(year), int(month or 3 * int(quarter or 1) - 2), int(day or 1))
    except ValueError:
        return None


# -- what a curator declares --------------------------------------------------------------------------


def calendar_of(
    start: Any,
    period: Any,
    *,
    within: Any = None,
    dates: Any = None,
    grace: Any = None,
    property: Any = None,
    type: Any = None,
    unit: Any = None,
) -> Calendar:
    """Return a calendar from what a curator declares.

    Parameters
    ----------
    start : str
        The first day, ``2024-01-01``.
    period : {"P1D", "P1W", "P1M", "P3M", "P1Y"}
    within : int or str, optional
        As of `windows_within`.
    dates : {"final"}
        **Promise:** the date of a relationship never changes once it was there. A moved date is in two runs of
        windows, and costs up to twice the budget.
    grace : str, optional
    property, type, unit : str, optional
        Of relationships of a database.

    Raises
    ------
    ParameterError
        The promise is not written, or something else is no value.
    """
    if not is_word(dates, "final"):
        raise ParameterError(
            f"dates is {shortened(repr(dates))}, must be 'final': write that promise if no date of a relationship ever "
            "changes; dates that are edited have no budget by windows, so leave the calendar out"
        )
    if start is None or period is None:
        raise ParameterError("a calendar needs its first day and its period; give both (from, period)")
    if not is_word(period, *PERIODS):
        raise ParameterError(
            f"period is {shortened(repr(period))}, must be one of {', '.join(PERIODS)}; choose one"
        )
    kept: Period = next(each for each in PERIODS if each == period)
    reading = _reading(property, type, unit)
    return Calendar(_start(start, kept), kept, windows_within(within, kept), grace_of(grace, kept), *reading)


def _start(start: Any, period: Period) -> date:
    text = start.isoformat() if type(start) is date else start
    day = _day_of(text) if isinstance(text, str) and len(text) == 10 else None
    if day is None or not 1 <= day.year <= _LAST_YEAR - 100:
        raise ParameterError(
            f"from is {shortened(repr(start))}, must be the first day of the first window, such as '2024-01-01'"
        )
    if period in ("P1M", "P3M", "P1Y") and day.day > 28:
        raise ParameterError(
            f"from is {text!r}, whose day is not in every month, must be one of the days 1 to 28 for {period}; "
            "choose another"
        )
    return day


def _reading(named: Any, kind: Any, unit: Any) -> tuple[str | None, DateType | None, DateUnit | None]:
    if named is None:
        if kind is not None or unit is not None:
            raise ParameterError(
                "type and unit are of a property that holds a date, which is missing; give it"
            )
        return None, None, None
    if not isinstance(named, str) or not named or len(named) > 500:
        raise ParameterError(f"the property is {shortened(repr(named))}, must be a name; give one")
    asked = _SHORT.get(kind.lower(), kind.upper()) if isinstance(kind, str) else kind
    if not is_word(asked, *DATE_TYPES):
        raise ParameterError(
            f"the type of {named!r} is {shortened(repr(kind))}, must be one of {', '.join(DATE_TYPES)}; a text is "
            "not a date: write its dates into another property"
        )
    found: DateType = next(each for each in DATE_TYPES if each == asked)
    if (found == "INTEGER") != (unit is not None) or not (unit is None or is_word(unit, *DATE_UNITS)):
        raise ParameterError(
            f"unit is {shortened(repr(unit))}, must be 's' or 'ms' for INTEGER, and left out for every other type"
        )
    return named, found, unit


def calendar_kept(kept: Any) -> Calendar:
    """Read what `Calendar.to_dict` has written.

    Raises
    ------
    ParameterError
        Somebody has edited it.

    Examples
    --------
    >>> weeks = calendar_of("2024-01-01", "P1W", within=4, dates="final")
    >>> calendar_kept(weeks.to_dict()) == weeks
    True
    """
    if (
        not isinstance(kept, Mapping)
        or not set(kept) <= set(_KEYS)
        or not {"from", "period", "within"} <= set(kept)
    ):
        raise ParameterError("the calendar cannot be read; restore a backup")
    found = calendar_of(
        kept["from"], kept["period"], within=kept["within"], dates=kept.get("dates"), grace=kept.get("grace"),
        property=kept.get("property"), type=kept.get("type"), unit=kept.get("unit"),
    )  # fmt: skip
    if found.to_dict() != dict(kept):
        raise ParameterError("the calendar cannot be read; restore a backup")
    return found
