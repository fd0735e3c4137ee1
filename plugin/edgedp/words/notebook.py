"""What notebooks show of releases and stores: tables in HTML of public facts and of answers, every text escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from edgedp.words.shown import shortened, shown


def rows_html(caption: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of rows.

    Examples
    --------
    >>> rows_html("nodes", ["id"], [{"id": "<b>"}])
    '<table><caption>nodes</caption><tr><th>id</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    head = "".join(f"<th>{_cell(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in columns)}</tr>" for row in rows
    )
    return f"<table><caption>{_cell(caption)}</caption><tr>{head}</tr>{body}</table>"


def facts_html(facts: Mapping[str, Any]) -> str:
    """Return a table of names and values.

    Examples
    --------
    >>> facts_html({"asked": "k=1"})
    '<table><tr><th>asked</th><td>k=1</td></tr></table>'
    """
    lines = (f"<tr><th>{_cell(name)}</th><td>{_cell(value)}</td></tr>" for name, value in facts.items())
    return f"<table>{''.join(lines)}</table>"


@dataclass(frozen=True)
class Picture:
    """A picture that notebooks show.

    Attributes
    ----------
    svg : str
    """

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


_ROW, _NAMES, _BARS = 20, 170, 300
_COLOURS = {"listed": "#2563a8", "near": "#9aa5b1", "part of all nodes": "#2563a8"}


def bars_picture(title: str, groups: Sequence[tuple[str, Sequence[tuple[Any, float]]]]) -> Picture:
    """Return bars from 0 to 1, each with its name: groups under one another.

    Examples
    --------
    >>> picture = bars_picture("about 1 of 1", [("listed", [("<ada>", 0.9)]), ("near", [])])
    >>> picture.svg.count("<rect"), "&lt;ada&gt;" in picture.svg, "near" in picture.svg
    (1, True, False)
    """
    parts, y = [f'<text x="0" y="14" font-weight="bold">{_cell(title)}</text>'], 2 * _ROW
    for name, bars in groups:
        if bars:
            parts.append(f'<text x="0" y="{y}" fill="#666">{_cell(name)}</text>')
            y += _ROW
        for of, chance in bars:
            parts.append(
                f'<text x="{_NAMES - 8}" y="{y}" text-anchor="end">{_cell(shortened(str(of), 22))}</text>'
                f'<rect x="{_NAMES}" y="{y - 12}" width="{_BARS * chance:.1f}" height="14" fill="{_COLOURS[name]}"/>'
                f'<text x="{_NAMES + _BARS * chance + 6:.1f}" y="{y}">{chance:g}</text>'
            )
            y += _ROW
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_NAMES + _BARS + 60}" height="{y}" role="img" '
        f'font-family="sans-serif" font-size="13"><title>{_cell(title)}</title>{"".join(parts)}</svg>'
    )


def _cell(value: Any) -> str:
    return "" if value is None else escape(shown(value))
