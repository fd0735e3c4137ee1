"""Spending over time as a plot: coordinates here, marks in the template."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate

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
    # In the order of the log: where a clock was set back, the line stands still.
    times = list(accumulate((datetime.fromisoformat(at).timestamp() for at, _ in points), max))
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
        up=tuple(Tick(up(amount), f"{amount:.6g}") for amount in _round_amounts(most)),
        points=tuple(marks),
    )


def _when(at: float, span: float) -> str:
    when = datetime.fromtimestamp(at, UTC)
    form = "%H:%M:%S" if span < 600 else "%d %b %H:%M" if span < 3 * 86400 else "%d %b %Y"
    return when.strftime(form).removeprefix("0") if form.startswith("%d") else when.strftime(form)


def _round_amounts(most: float) -> list[float]:
    """Return amounts from 0 to at most `most` that a reader finds round.

    Examples
    --------
    >>> _round_amounts(2.3), _round_amounts(4.0)
    ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 3.0, 4.0])
    """
    power = 10.0 ** math.floor(math.log10(most / 4))
    step = next(power * each for each in (1, 2, 2.5, 5, 10) if power * each >= most / 4 - 1e-12 or each == 10)
    if step * 2 > most:
        step /= 2
    return [round(step * part, 9) for part in range(int(most / step + 1e-9) + 1)]
