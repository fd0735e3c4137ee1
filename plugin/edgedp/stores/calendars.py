"""What a calendar asks of a load: dates that are there, a store that keeps windows, and dates that did not move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from edgedp.ledger import registry
from edgedp.ledger.account import Account
from edgedp.ledger.calendars.columns import calendar_of_column
from edgedp.ledger.events import Declaration
from edgedp.mechanisms.checks import check_option_names
from edgedp.stores.embedded.windowed import windows_of
from edgedp.words.dates.calendar import Calendar, calendar_of
from edgedp.words.errors import ParameterError

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.ledger.backend import Session
    from edgedp.ledger.rows import GraphRow

_KEYS = ("from", "period", "are", "grace")
_OF_PROPERTY = ("property", "type", "unit")


def loaded_calendar(dates: Mapping[str, Any] | None, within: Any) -> Calendar | None:
    """Return the calendar that is declared for a graph that is loaded, whose rows have their dates beside them.

    Raises
    ------
    ParameterError
    """
    if dates is None:
        if within is not None:
            raise ParameterError(
                f"within is {within!r}, and there is no calendar beside it; give dates with from and period"
            )
        return None
    given = _checked(dates, _KEYS)
    return calendar_of(
        given.get("from"),
        given.get("period"),
        within=within,
        dates=given.get("are", "final"),
        grace=given.get("grace"),
    )


def declared_calendar(dates: Mapping[str, Any] | None, within: Any) -> Calendar | None:
    """Return the calendar that is declared for relationships of a database, whose property holds their dates.

    Raises
    ------
    ParameterError
    """
    if dates is None:
        return loaded_calendar(None, within)
    given = _checked(dates, (*_KEYS, *_OF_PROPERTY))
    if given.get("property") is None:
        raise ParameterError(
            "dates names no property; give the one of the relationships that holds their date"
        )
    return calendar_of(
        given.get("from"), given.get("period"), within=within, dates=given.get("are"), grace=given.get("grace"),
        property=given.get("property"), type=given.get("type"), unit=given.get("unit"),
    )  # fmt: skip


def column_calendar(
    dates: Mapping[str, Any] | None, within: Any, date: Any, date_unit: Any
) -> Calendar | None:
    """Return the calendar that is declared for rows at an address, one column of which holds their dates.

    Raises
    ------
    ParameterError
    """
    if dates is None:
        return loaded_calendar(None, within)
    return calendar_of_column(_checked(dates, _KEYS), within, date, date_unit)


def rows_in_windows(graph: Graph | None, calendar: Calendar | None) -> dict[str, int]:
    """Return how many rows that were read are in a window and how many in none: exact, for the curator."""
    dated = None if graph is None else graph.kept.get("dated")
    if dated is None or calendar is None:
        return {}
    inside = int((windows_of(dated.seconds, calendar) >= 0).sum())
    return {"dated_rows": inside, "undated_rows": len(dated.seconds) - inside}


def _checked(dates: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(dates, Mapping):
        raise ParameterError("dates is not a map; write one, such as {'from': '2024-01-01', 'period': 'P1M'}")
    check_option_names(dates, keys)
    return dict(dates)


def of_load(
    name: str, graph: Graph, declared: Declaration, held: Account | None, *, keeps: bool
) -> Calendar | None:
    """Return the calendar that a loaded graph will have, and refuse a graph that does not fit it.

    Parameters
    ----------
    held : Account or None
        Of the name, as it is or as its log says that it was.
    keeps : bool
        Whether the store keeps windows.

    Raises
    ------
    EdgeDPError
    """
    calendar, dated = declared.dated(name, held), graph.kept.get("dated")
    if calendar is None:
        if dated is not None and dated.asked:
            raise ParameterError(
                "the rows have dates, and there is no calendar; declare its first day and its period (from, period), "
                "or leave out the dates"
            )
        return None
    if not keeps:
        raise ParameterError(
            "this store keeps no windows of a loaded graph; load it into an embedded store, or write its relationships "
            "with a property that holds their date and register them"
        )
    if dated is None:
        raise ParameterError(
            f"the graph {name!r} has a calendar, and the rows have no dates; name their column (date, and date_unit)"
        )
    return calendar


def check_final(name: str, moved: int) -> None:
    """Refuse rows whose dates moved after something was spent: a pair would lose up to twice the budget.

    Raises
    ------
    ParameterError
    """
    if moved:
        raise ParameterError(
            f"the dates of {moved:,} pairs moved out of the windows that they had when releases of {name!r} were paid, "
            "and the calendar promises that dates are final; give those rows the dates that they had, or choose "
            "another name for the graph"
        )


def check_promised(name: str, before: GraphRow | None, held: Account | None, dates: Any) -> None:
    """Refuse rows that nothing is there to compare with, unless it is promised that their dates did not move.

    What was dropped is gone, and what was spent within its windows is not.

    Raises
    ------
    ParameterError
    """
    if before is not None or held is None or held.runs is None or held.spent == 0:
        return
    if not (isinstance(dates, Mapping) and dates.get("are") == "final"):
        raise ParameterError(
            f"releases of {name!r} were paid and its graph was dropped, so that nothing is there to compare the dates "
            "with; give its calendar again with the promise that no date changed since (--dates final), or choose "
            "another name"
        )


def rows_by_date(session: Session, name: str) -> dict[str, int]:
    """Return how many rows of a graph are in a window and how many in none: exact, for the curator."""
    return {f"{key}_rows": many for key, many in session.rows_by_date(registry.known(session, name)).items()}
