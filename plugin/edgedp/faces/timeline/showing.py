"""Sequences of lists as one page, and as a picture of ranks: no script, nothing fetched, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from edgedp.faces.timeline.made import Listed
from edgedp.faces.timeline.made import Sequence as Lists

_MOST = 60
"""Windows of a picture: the last ones."""
_LINES = 12
"""Nodes that have a colour of their own; all others are grey."""
_COLOURS = (
    "#1d4ed8", "#c2410c", "#0d7f75", "#a21caf", "#4d7c0f", "#be123c",
    "#7c3aed", "#854d0e", "#0e7490", "#9d174d", "#3f6212", "#1e3a8a",
)  # fmt: skip
_LEFT, _TOP, _STEP, _ROW, _RIGHT = 46, 28, 64, 26, 190

_STYLE = """
:root { color-scheme: light dark; --ink: #14181f; --muted: #56606e; --line: #dfe3e8; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebef; --muted: #a3adba; --line: #303741; --paper: #12161c; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 1.5rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; }
p, caption { color: var(--muted); text-align: left; } figure { margin: 0; }
"""


def to_html(graph: str, found: Iterable[Lists], whose: str = "") -> str:
    """Return the page of a graph's lists.

    Parameters
    ----------
    whose : str
        Whose releases they are, as an addition to the heading.
    """
    title = f"{_shown(graph)}: lists over time{_shown(whose)}"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main><h1>{title}</h1>",
        "<p>Only from kept releases: nothing was spent or read for it. A list is noisy, so a node may come or go "
        "though nothing changed.</p>",
    ]
    parts += [section(each) for each in found]
    return "\n".join([*parts, "</main></body></html>"]) + "\n"


def section(lists: Lists) -> str:
    """Return one sequence as a heading, a picture and a table."""
    before: list[Listed | None] = [None, *lists.lists[:-1]]
    rows = [
        [
            each.windows,
            f"{each.epsilon:g}",
            ", ".join(map(lists.named, each.nodes)),
            "the first list" if earlier is None else ", ".join(map(lists.named, each.came(earlier))),
            ", ".join(map(lists.named, each.went(earlier))),
        ]
        for earlier, each in zip(before, lists.lists, strict=True)
    ]
    head = "".join(f'<th scope="col">{name}</th>' for name in ("windows", "epsilon", "nodes", "came", "went"))
    body = "".join("<tr>" + "".join(f"<td>{_shown(text)}</td>" for text in row) + "</tr>" for row in rows)
    return (
        f"<section><h2>{_shown(lists.question)}</h2>\n"
        f'<figure class="scroll">{picture([lists])}</figure>\n'
        f'<div class="scroll"><table><caption>{len(lists.lists)} lists, oldest first</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def picture(found: Sequence[Lists]) -> str:
    """Return the ranks of the first sequence as SVG: a line for each node that stands in two lists that follow."""
    lists = found[0]
    shown = lists.lists[-_MOST:]
    width = _LEFT + _STEP * (len(shown) - 1) + _RIGHT
    height = _TOP + _ROW * lists.size + 34
    colours = dict(zip(lists.nodes[:_LINES], _COLOURS, strict=False))
    told = (
        f"Ranks of {len(lists.nodes)} nodes in {len(shown)} lists, {shown[0].windows} to {shown[-1].windows}"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="12"><title>{_shown(told)}</title>'
    ]
    for rank in range(1, lists.size + 1):
        parts.append(
            f'<text x="{_LEFT - 16}" y="{_y(rank) + 4}" text-anchor="end" fill="#7b8494">{rank}</text>'
        )
    for place, each in enumerate(shown):
        if place % max(1, len(shown) // 12) == 0:
            parts.append(
                f'<text x="{_x(place)}" y="{height - 10}" text-anchor="middle" fill="#7b8494">'
                f"{_shown(each.windows.partition('..')[0])}</text>"
            )
    for node in reversed(lists.nodes):
        colour = colours.get(node, "#9aa3b0")
        places = [(at, each.nodes.index(node) + 1) for at, each in enumerate(shown) if node in each.nodes]
        for (at, rank), (then, later) in pairwise(places):
            if then == at + 1:
                parts.append(
                    f'<line x1="{_x(at)}" y1="{_y(rank)}" x2="{_x(then)}" y2="{_y(later)}" stroke="{colour}" '
                    'stroke-width="2.5"/>'
                )
        parts += [f'<circle cx="{_x(at)}" cy="{_y(rank)}" r="4.5" fill="{colour}"/>' for at, rank in places]
    for rank, node in enumerate(shown[-1].nodes, 1):
        colour = colours.get(node, "#7b8494")
        parts.append(
            f'<text x="{_x(len(shown) - 1) + 12}" y="{_y(rank) + 4}" fill="{colour}">'
            f"{_shown(_short(lists.named(node)))}</text>"
        )
    return "\n".join([*parts, "</svg>"])


def _x(place: int) -> int:
    return _LEFT + _STEP * place


def _y(rank: int) -> int:
    return _TOP + _ROW * (rank - 1)


def _short(text: str) -> str:
    return text if len(text) <= 24 else text[:23] + "\u2026"


def _shown(text: Any) -> str:
    """Return a text escaped, in which what nobody sees is an escape, too."""
    seen = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(text)
    )
    return escape(seen)
