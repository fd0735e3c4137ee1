"""What a log of an account with a calendar says of its runs, summed anew from its debits; for curators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from edgedp.ledger.calendars import runs
from edgedp.ledger.calendars.terms import calendar_of_terms
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
        if row.get("runs") is None:
            continue
        if row["kind"] == "debit":
            try:
                calendar = calendar_of_terms(row["terms"])
            except ParameterError:
                calendar = None
            if calendar is None or calendar.within is None:
                found.append(
                    f"entry {row['seq']} is of an account without a calendar, and has runs of windows"
                )
                return found
            charge = calendar.within, row["firstWindow"], row["lastWindow"], row["charge"]
            whole = runs.charged(whole, *charge)
            analyst = row.get("analyst") or ""
            if analyst:
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
