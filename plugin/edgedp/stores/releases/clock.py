"""The clock, by which a window is over: a public fact."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgedp.release.plan import Plan

__all__ = ["check_closed"]


def check_closed(planned: Plan) -> None:
    """Refuse windows that are still open, by the clock of this process.

    Raises
    ------
    ParameterError
    """
    calendar = planned.facts.calendar
    if calendar is not None:
        calendar.check_closed(planned.facts.span, datetime.now(UTC))
