"""A plot of a section: a line a row, a mark a column, time on a logarithmic axis. SVG, written by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from statistics import median

from bench.harness.page import number
from bench.harness.records import Record
from bench.harness.row import OURS, Row

COLORS = ("#0072b2", "#e69f00", "#009e73", "#56b4e9", "#cc79a7", "#7a5c00", "#8a8a8a", "#000000")
OUR_COLOR, WANTED_COLOR = "#b0003a", "#444444"
LABELS, WIDTH, LINE, TOP, MARGIN = 400, 420, 24, 16, 20
LEGEND_LINE = 18


def chart(title: str, rows: Sequence[Row], records: Mapping[str, Record]) -> str:
    """Return the plot of the rows that were measured; an empty one says so."""
    shown = [row for row in rows if row.name in records and _times(row, records[row.name])]
    named = list(dict.fromkeys(name for row in shown for name in _times(row, records[row.name])))
    styles = {name: _style(place, name) for place, name in enumerate(n for n in named if n != OURS)}
    styles[OURS] = ("circle", OUR_COLOR)
    low, high = _decades(shown, records)
    height = TOP + LINE * len(shown) + 34
    legend = [OURS, *(name for name in named if name != OURS)]
    total = height + LEGEND_LINE * math.ceil((len(legend) + 1) / 3) + 10

    def x(seconds: float) -> float:
        return LABELS + WIDTH * (math.log10(max(seconds, 10.0**low)) - low) / max(high - low, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LABELS + WIDTH + MARGIN} {total}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}: seconds</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    bottom = TOP + LINE * len(shown)
    for power in range(low, high + 1):
        parts.append(
            f'<line x1="{x(10.0**power):.1f}" x2="{x(10.0**power):.1f}" y1="{TOP - 6}" y2="{bottom}" stroke="#dddddd"/>'
        )
        parts.append(
            f'<text x="{x(10.0**power):.1f}" y="{bottom + 16}" text-anchor="middle" fill="#555555">'
            f"{10.0**power:g} s</text>"
        )
    for place, row in enumerate(shown):
        parts += _line(row, records[row.name], TOP + LINE * place + LINE // 2, x, styles)
    parts += _legend(legend, styles, height)
    return "\n".join([*parts, "</svg>", ""])


def _line(
    row: Row, record: Record, y: int, x: Callable[[float], float], styles: Mapping[str, tuple[str, str]]
) -> list[str]:
    """Return one row: its name, what is wanted, and each column from the least to the median."""
    parts = [f'<text x="{LABELS - 10}" y="{y + 4}" text-anchor="end">{escape(_short(row.title))}</text>']
    for target in row.wanted:
        if target.of == "seconds":
            at = x(target.limit)
            parts.append(
                f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y - 9}" y2="{y + 9}" stroke="{WANTED_COLOR}" '
                f'stroke-width="3"><title>wanted: {number(target.limit)} s</title></line>'
            )
    columns = _times(row, record)
    for name in sorted(columns, key=lambda name: name == OURS):
        kind, color = styles[name]
        least, middle = min(columns[name]), median(columns[name])
        parts.append(
            f'<line x1="{x(least):.1f}" x2="{x(middle):.1f}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="2"/>'
        )
        told = f"<title>{escape(name)}: {number(least)} s</title>"
        parts.append(_mark(kind, color, x(least), y, told))
    return parts


def _legend(names: Sequence[str], styles: Mapping[str, tuple[str, str]], y: int) -> list[str]:
    parts = []
    for place, name in enumerate([*names, ""]):
        left = 20 + (place % 3) * (LABELS + WIDTH) // 3
        at = y + LEGEND_LINE * (place // 3) + 8
        if name:
            parts.append(_mark(*styles[name], left, at, ""))
        else:
            parts.append(
                f'<line x1="{left}" x2="{left}" y1="{at - 7}" y2="{at + 7}" stroke="{WANTED_COLOR}" stroke-width="3"/>'
            )
        parts.append(f'<text x="{left + 12}" y="{at + 4}">{escape(name or "wanted of edgedp")}</text>')
    return parts


def _mark(kind: str, color: str, x: float, y: float, told: str) -> str:
    match kind:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{color}">{told}</circle>'
        case "square":
            return f'<rect x="{x - 4:.1f}" y="{y - 4}" width="8" height="8" fill="{color}">{told}</rect>'
        case "diamond":
            points = f"{x:.1f},{y - 6} {x + 6:.1f},{y} {x:.1f},{y + 6} {x - 6:.1f},{y}"
        case _:
            points = f"{x:.1f},{y - 6} {x + 6:.1f},{y + 5} {x - 6:.1f},{y + 5}"
    return f'<polygon points="{points}" fill="{color}">{told}</polygon>'


def _style(place: int, name: str) -> tuple[str, str]:
    return ("square", "diamond", "triangle")[place % 3], COLORS[place % len(COLORS)]


def _times(row: Row, record: Record) -> dict[str, list[float]]:
    """Return the seconds of the columns that have any."""
    found = {name: record.values(name, row.clock) for name in row.columns}
    return {name: values for name, values in found.items() if values and min(values) > 0}


def _decades(rows: Sequence[Row], records: Mapping[str, Record]) -> tuple[int, int]:
    """Return the powers of ten that hold all marks."""
    values = [least for row in rows for each in _times(row, records[row.name]).values() for least in each]
    values += [target.limit for row in rows for target in row.wanted if target.of == "seconds"]
    if not values:
        return -3, 0
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))), 0)


def _short(title: str) -> str:
    plain = title.replace("`", "")
    return plain if len(plain) <= 62 else f"{plain[:61]}…"
