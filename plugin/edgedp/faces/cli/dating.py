"""The options that declare a calendar."""

from __future__ import annotations

from typing import Any

import click

from edgedp.faces.cli.output import together
from edgedp.words.dates.durations import PERIODS

calendar_options = together(
    click.option("--from", "calendar_from", metavar="DAY", help="First day of the first window, such as 2024-01-01."),
    click.option("--period", type=click.Choice(PERIODS), help="How long a window is."),
    click.option(
        "--within", metavar="W",
        help="Within how many windows, or how long (P1Y), the budget bounds what is lost.  [default: all time]",
    ),
    click.option(
        "--grace", metavar="G", help="How long after its end a window stays closed.  [default: a tenth of the period]"
    ),
    click.option("--dates", metavar="final", help="The promise that no date ever changes; final is the only value."),
)  # fmt: skip
"""The options that declare a calendar."""


date_column_options = together(
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
"""The options that say which columns are read beside the ends: that of the dates, and those that are kept."""

date_property_options = together(
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
"""The options that say which property of relationships holds their date, and how."""


def calendar_of(options: dict[str, Any], *, of_property: bool = False) -> dict[str, Any]:
    """Take what declares a calendar out of some options; return ``dates`` and ``within`` as `Store.load` takes them.

    Parameters
    ----------
    of_property : bool
        Whether `date_property_options` are among them.
    """
    names = {"from": "calendar_from", "period": "period", "grace": "grace", "are": "dates"}
    if of_property:
        names |= {"property": "date", "type": "date_type", "unit": "date_unit"}
    given = {key: options.pop(name) for key, name in names.items()}
    dates = {key: value for key, value in given.items() if value is not None}
    return {"dates": dates or None, "within": options.pop("within")}
