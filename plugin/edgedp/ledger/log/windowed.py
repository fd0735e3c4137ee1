"""What a log of an account with a calendar says of its runs, summed anew from its debits; for curators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from edgedp.ledger.calendars import runs
from edgedp.ledger.calendars.terms import calendar_of_terms
from edgedp.ledger.shares import owns
from edgedp.words.errors import ParameterError

__all__ = ["problems"]


def problems(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return where a row says of the runs what the debits up to it do not, each in a line.

    Parameters
    ----------
    entries : iterable of mapping
        A log, oldest first.
    """
    found: list[str] = []
    whole, of_analysts = runs.NOTHING, dict[str, str]()
    for row in entries:
        try:
            calendar = calendar_of_terms(row["terms"])
        except ParameterError:
            calendar = None
        if row.get("runs") is None:
            if calendar is not None and calendar.within is not None:
                found.append(
                    f"entry {row['seq']} is of an account with a calendar, and has no runs of windows"
                )
                return found
            continue
        if row["kind"] == "debit":
            if calendar is None or calendar.within is None:
                found.append(
                    f"entry {row['seq']} is of an account without a calendar, and has runs of windows"
                )
                return found
            span = row["firstWindow"], row["lastWindow"]
            if [type(each) for each in span] not in ([int, int], [type(None), type(None)]):
                found.append(f"entry {row['seq']} names no windows that a release may read")
                return found
            charge = calendar.within, *span, row["charge"]
            whole = runs.charged(whole, *charge)
            analyst = row.get("analyst") or ""
            if analyst and owns(row):
                of_analysts[analyst] = runs.charged(of_analysts.get(analyst, runs.NOTHING), *charge)
                if row["shareRuns"] != of_analysts[analyst]:
                    found.append(
                        f"entry {row['seq']} says of the share of {analyst!r} what its debits do not add up to"
                    )
        if row["runs"] != whole:
            found.append(
                f"entry {row['seq']} says of the runs of windows what the debits up to it do not add up to"
            )
            return found
    return found
