"""The options that declare a calendar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from edgedp.words.dates.durations import PERIODS

__all__ = ["calendar_options", "date_column_options", "date_property_options", "dates_of_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--from", "calendar_from", metavar="DAY", help="First day of the first window, such as 2024-01-01."),
    click.option("--period", type=click.Choice(PERIODS), help="How long a window is."),
    click.option(
        "--within", metavar="W",
        help="Within how many windows, or how long (P1Y), the budget bounds what is lost.  [default: all time]",
    ),
    click.option(
        "--grace", metavar="G", help="How long after its end a window stays closed.  [default: a tenth of the period]"
    ),
    click.option("--dates", metavar="final", help="Promise: no date ever changes; final, the only word."),
)  # fmt: skip


_COLUMN = (
    click.option("--date", metavar="C", help="Column of the date of each row, by name or number from 1."),
    click.option(
        "--date-unit",
        type=click.Choice(["s", "ms"]),
        help="What its numbers count since 1970 in UTC.  [default: dates as 2024-06-30]",
    ),
    click.option(
        "--columns",
        metavar="C,D",
        help="Columns that are kept of every row, for conditions; names are public.",
    ),
)

_PROPERTY = (
    click.option(
        "--date",
        metavar="P",
        help="The property of the relationships that holds their date; with --edges the column.",
    ),
    click.option(
        "--date-type",
        metavar="T",
        help="Neo4j: its type: zoned, local, date or integer. A text is not a date.",
    ),
    click.option(
        "--date-unit", type=click.Choice(["s", "ms"]), help="What an integer counts since 1970 in UTC."
    ),
)


def date_column_options(command: _Command) -> _Command:
    """Add the options that say which columns are read beside the ends: that of the dates, and those that are kept."""
    for option in reversed(_COLUMN):
        command = option(command)
    return command


def date_property_options(command: _Command) -> _Command:
    """Add the options that say which property of relationships holds their date, and how."""
    for option in reversed(_PROPERTY):
        command = option(command)
    return command


def calendar_options(command: _Command) -> _Command:
    """Add the options that declare a calendar."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def dates_of_options(
    start: str | None, period: str | None, grace: str | None, are: str | None, **reading: str | None
) -> dict[str, Any] | None:
    """Return the calendar that was given as `edgedp.Store.load` takes it; None where none was."""
    given = {"from": start, "period": period, "grace": grace, "are": are, **reading}
    found = {key: value for key, value in given.items() if value is not None}
    return found or None
