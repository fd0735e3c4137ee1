"""Dates at an address: which column holds them, as the account's calendar has it.

The calendar of the account names the column, and the first debit freezes it: by another column a row would be in
another window, and could be released at the price of both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from edgedp.ledger.rows import NATIVE
from edgedp.words.dates.calendar import Calendar, calendar_of
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.ledger.rows import GraphRow

Column = tuple[str, str | None]
"""A column, by its name or number, and what its numbers count."""


def calendar_of_column(given: Mapping[str, Any], within: Any, date: Any, unit: Any) -> Calendar:
    """Return the calendar that is declared for rows at an address.

    Parameters
    ----------
    given : mapping
        ``from``, ``period``, ``are``, ``grace``.
    date : str or int or None
        The column; its values say of themselves when they are, or are numbers of a unit.

    Raises
    ------
    ParameterError
    """
    if date is None:
        raise ParameterError(
            "a calendar is given, and the rows have no dates; name their column (date, and date_unit)"
        )
    return calendar_of(
        given.get("from"), given.get("period"), within=within, dates=given.get("are"), grace=given.get("grace"),
        property=str(date), type="ZONED DATETIME" if unit is None else "INTEGER", unit=unit,
    )  # fmt: skip


def column_of(row: GraphRow) -> Column | None:
    """Return the column that holds the date of each row at an address, as it was registered; None: rows have none.

    Raises
    ------
    ParameterError
        The row cannot be read: somebody edited it.
    """
    if not row.at_address:
        return None
    with suppress(AttributeError, KeyError, TypeError, ValueError):
        read = json.loads(row.id_property)
        read = read["options"] if row.engine == NATIVE else read
        date, unit = read.get("date"), read.get("date_unit")
        return None if date is None else (str(date), unit)
    return None


def has_dates_of(row: GraphRow, calendar: Calendar | None) -> bool:
    """Return whether rows at an address have the dates that a calendar is of; both may have none."""
    found = None if calendar is None else (calendar.property, calendar.unit)
    return column_of(row) == found


def check_column(row: GraphRow, calendar: Calendar | None) -> None:
    """Refuse rows at an address whose dates are not those of the account's calendar.

    Raises
    ------
    ParameterError
    """
    if not row.at_address or has_dates_of(row, calendar):
        return
    if calendar is None:
        raise ParameterError(
            "the rows have dates, and there is no calendar; declare its first day and its period (from, period), "
            "or leave out the dates"
        )
    of = (
        "a graph that was loaded"
        if calendar.property is None
        else f"the column {calendar.property!r}" + ("" if calendar.unit is None else f" in {calendar.unit}")
    )
    raise ParameterError(
        f"the account of {row.name!r} has a calendar by the dates of {of}, and this address has others or none; name "
        "that column (date, and date_unit), or choose another name"
    )
