"""Windows of relationships whose property holds their date: what a statement compares it with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, assert_never

from edgedp.release.conditions import Condition
from edgedp.stores.statements.queries import quote_identifier
from edgedp.words.dates.moments import Moment
from edgedp.words.errors import StoreError

if TYPE_CHECKING:
    from edgedp.words.dates.calendar import Calendar, Span

_END = datetime(9998, 1, 1)
_BEYOND = 2.0**63


def bounds(span: Span) -> dict[str, Any]:
    """Return the parameters of ``adjacency_between``: moments of the type that the property has.

    Raises
    ------
    StoreError
        The calendar names no property: it is of a loaded graph.
    """
    return _compared(span.calendar, span.calendar.begins(span.first), span.calendar.ends(span.last))


def condition_parameters(where: Iterable[Condition]) -> dict[str, list[dict[str, Any]]]:
    """Return the conditions of a statement: those that compare with moments apart from all others.

    Examples
    --------
    >>> from edgedp.release.conditions import conditions
    >>> found = condition_parameters(conditions({"seconds": {"gte": 60}, "at": {"lt": date(2024, 1, 1)}}))
    >>> [each["property"] for each in found["where"]], found["moments"][0]["value"].isoformat()
    (['seconds'], '2024-01-01T00:00:00+00:00')
    """
    found: dict[str, list[dict[str, Any]]] = {"where": [], "moments": []}
    for each in (part for whole in where for part in _ordered(whole)):
        listed = each.value if each.comparison == "in" else [each.value]
        values = [value.utc if isinstance(value, Moment) else value for value in listed]
        row: dict[str, Any] = {"property": each.property, "comparison": each.comparison}
        row["value"] = values if each.comparison == "in" else _bound(each.comparison, values[0])
        found["moments" if isinstance(listed[0], Moment) else "where"].append(row)
    return found


def _ordered(asked: Condition) -> list[Condition]:
    """Return an equality with a float beyond 64 bits in halves: the database takes the largest integer for it."""
    if asked.comparison != "eq" or not isinstance(asked.value, float) or abs(asked.value) < _BEYOND:
        return [asked]
    return [replace(asked, comparison=word) for word in ("gte", "lte")]


def _bound(comparison: str, value: Any) -> Any:
    """Return a constant so that zero has one sign: the database orders -0.0 before 0, which equal each other."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != 0:
        return value
    return -0.0 if comparison in ("gte", "lt") else 0.0


def all_windows(calendar: Calendar) -> dict[str, Any]:
    """Return the same of all windows that there ever are."""
    first = calendar.begins(0)
    return _compared(calendar, first, _END.replace(tzinfo=first.tzinfo))


def _compared(calendar: Calendar, low: datetime, high: datetime) -> dict[str, Any]:
    ends = [_moment(calendar, moment) for moment in (low, high)]
    return {"low": ends[0], "high": ends[1], "integers": calendar.type == "INTEGER"}


def _moment(calendar: Calendar, moment: datetime) -> datetime | date | int:
    match calendar.type:
        case "ZONED DATETIME":
            return moment
        case "LOCAL DATETIME":
            return moment.replace(tzinfo=None)
        case "DATE":
            return moment.date()
        case "INTEGER":
            return int(moment.timestamp()) * (1000 if calendar.unit == "ms" else 1)
        case None:
            raise StoreError(
                "the calendar names no property of the relationships; the curator declares one for another name"
            )
        case unknown:
            assert_never(unknown)


def asked(span: Span | None) -> dict[str, Any] | None:
    """Return which windows the plugin reads, as JSON carries it; None for everything."""
    if span is None:
        return None
    found = bounds(span)
    return {
        "property": span.calendar.property,
        "type": span.calendar.type,
        **{key: value if isinstance(value, int) else value.isoformat() for key, value in found.items()},
    }


def hints(calendar: Calendar | None, types: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what makes windows quick to read: an index of each type on the date that has none.

    Parameters
    ----------
    rows : iterable of dict
        Of ``relationship_indexes``.
    """
    if calendar is None or calendar.property is None:
        return []
    there = {(row["type"], row["property"]) for row in rows}
    return [
        f"relationships of the type {kind!r} have no index on {calendar.property!r}, so that every window reads all of "
        f"them; run: CREATE INDEX FOR ()-[r:{quote_identifier(kind)}]-() ON (r.{quote_identifier(calendar.property)})"
        for kind in types
        if (kind, calendar.property) not in there
    ]


def told(row: Mapping[str, Any]) -> dict[str, int]:
    """Return a row of ``dated_count`` as a registration shows it."""
    return {"dated_relationships": int(row["dated"]), "undated_relationships": int(row["undated"])}
