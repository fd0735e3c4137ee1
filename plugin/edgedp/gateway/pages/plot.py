"""Spending over time as a plot: coordinates here, marks in the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

__all__ = ["Plot", "Tick", "spending"]

WIDTH, HEIGHT = 720.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 14.0, 30.0


@dataclass(frozen=True)
class Tick:
    """A place on an axis and its words."""

    at: float
    text: str


@dataclass(frozen=True)
class Plot:
    """A step line, the area under it, the line of the budget, and both axes."""

    line: str
    area: str
    budget: float | None
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    points: tuple[tuple[float, float, str], ...]


def spending(points: Sequence[tuple[str, float]], budget: float | None) -> Plot | None:
    """Return the plot of what was spent after each release, or None where there was none.

    Parameters
    ----------
    points : sequence of (ISO time, epsilon spent after it)
    budget : float or None
        Drawn as a line unless it is far above what was spent.

    Examples
    --------
    >>> plot = spending([("2026-01-01T00:00:00+00:00", 1.0), ("2026-01-02T00:00:00+00:00", 2.0)], 4.0)
    >>> plot.up[-1].text, len(plot.points)
    ('4', 2)
    """
    if not points:
        return None
    times = [datetime.fromisoformat(at).timestamp() for at, _ in points]
    first, last = times[0], max(times[-1], times[0] + 60)
    spent = points[-1][1] or 1.0
    if budget is not None and budget > 8 * spent:
        budget = None  # far above what was spent, which would be a flat line under it
    most = max(budget or 1.25 * spent, spent)
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(at: float) -> float:
        return round(LEFT + wide * (0.04 + 0.94 * (at - first) / (last - first)), 1)

    def up(amount: float) -> float:
        return round(TOP + high * (1 - amount / most), 1)

    path = [f"M{LEFT},{up(0)}"]
    marks = []
    for at, (told, amount) in zip(times, points, strict=True):
        x, y = across(at), up(amount)
        path.append(f"H{x}V{y}")
        marks.append((x, y, f"{told[:16].replace('T', ' ')} UTC: {amount:g} spent"))
    right = WIDTH - RIGHT
    path.append(f"H{right}")
    line = "".join(path)
    ends = (
        [(first, "start"), ((first + last) / 2, "middle"), (last, "end")]
        if len(points) > 1
        else [(first, "start")]
    )
    return Plot(
        line=line,
        area=f"{line}V{up(0)}H{LEFT}Z",
        budget=None if budget is None else up(budget),
        across=tuple(Tick(across(at), _when(at, last - first)) for at, _ in ends),
        up=tuple(Tick(up(most * part / 4), f"{most * part / 4:.4g}") for part in range(5)),
        points=tuple(marks),
    )


def _when(at: float, span: float) -> str:
    when = datetime.fromtimestamp(at, UTC)
    return when.strftime("%d %b %H:%M" if span < 3 * 86400 else "%d %b %Y").lstrip("0")
