"""What notebooks show of releases and stores: tables in HTML of public facts and of answers, every text escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from edgedp.shown import shown

__all__ = ["facts_html", "rows_html"]


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


def _cell(value: Any) -> str:
    return "" if value is None else escape(shown(value))
