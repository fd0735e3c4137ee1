"""Tables for people: columns that line up and cells that never fold, or records where the rows are too wide."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from edgedp.words.shown import number, shown

_GAP = "  "
_PROSE = frozenset({"about", "answer", "details", "numbers", "parameters", "problem", "reason", "title"})
"""Columns whose words may go on in the next line, where they are the last; no word is parted."""
_LEAST_PROSE = 24


def plain(value: Any) -> str:
    """Return a cell as text; null is nothing.

    Examples
    --------
    >>> plain(None), plain(7), plain([1, "a"]), plain(0.25), plain(True)
    ('', '7', '[1, "a"]', '0.25', 'True')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return str(value)


def brief(value: Any, most: int = 10) -> str:
    """Return a cell of a table for people: of a long list its beginning, of a fraction six figures.

    Examples
    --------
    >>> brief([1, 2, 3], most=2), brief({"mean": 10.0203314, "at": [7, 8, 9]}, most=2), brief(None)
    ('[1, 2, ... 1 more]', 'mean 10.0203, at [7, 8, ... 1 more]', '')
    """
    match value:
        case dict():
            cells = ((name, brief(each, most), isinstance(each, dict)) for name, each in value.items())
            return ", ".join(
                f"{name} {{{cell}}}" if nested else f"{name} {cell}" for name, cell, nested in cells
            )
        case list():
            shown = [brief(each, most) for each in value[:most]]
            rest = [f"... {len(value) - most:,} more"] if len(value) > most else []
            return f"[{', '.join(shown + rest)}]"
        case float():
            return f"{value:.6g}"
        case _:
            return plain(value)


def table_lines(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], width: int | None = None
) -> list[str]:
    """Return the lines of a table, without blanks at their ends.

    Parameters
    ----------
    rows : sequence of mapping
    columns : sequence of str
    width : int, optional
        Columns of the terminal. Wider rows are shown as records, one line a cell, unless the last column is prose,
        which then goes on below. Without it nothing is ever wrapped.

    Examples
    --------
    >>> rows = [{"rank": 1, "id": "ada"}, {"rank": 10, "id": "bob"}]
    >>> table_lines(rows, ["rank", "id"])
    ['rank  id', '   1  ada', '  10  bob']
    >>> table_lines(rows, ["rank", "id"], width=6)
    ['rank  1', 'id    ada', '', 'rank  10', 'id    bob']
    """
    cells = [[shown(plain(row[name])) for name in columns] for row in rows]
    widths = [max(map(_cells, column)) for column in zip(columns, *cells, strict=True)]
    right = [
        bool(rows) and all(isinstance(row[name], (int, float)) or row[name] is None for row in rows)
        for name in columns
    ]
    last = None
    if width is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        last = width - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1)
        if columns[-1] not in _PROSE or last < _LEAST_PROSE:
            return _records(cells, columns, width)
    lines = []
    for line in ([*columns], *cells):
        pieces = [line[-1]] if last is None else _words(line[-1], last)
        for at, piece in enumerate(pieces):
            here = [*(line[:-1] if at == 0 else [""] * (len(line) - 1)), piece]
            padded = (_padded(*each) for each in zip(here, widths, right, strict=True))
            lines.append(_GAP.join(padded).rstrip())
    return lines


def sentence_lines(text: str, width: int) -> list[str]:
    """Return a sentence in lines of at most a width, what follows the first one set in; no word is parted.

    Examples
    --------
    >>> sentence_lines("asked: metric=ebc, k=10", 18)
    ['asked: metric=ebc,', '  k=10']
    """
    return _words(text, width, "  ")


def _records(cells: Sequence[Sequence[str]], columns: Sequence[str], width: int) -> list[str]:
    names = max(map(len, columns))
    lines: list[str] = []
    for row in cells:
        lines += [""] if lines else []
        for name, cell in zip(columns, row, strict=True):
            room = max(width - names - len(_GAP), _LEAST_PROSE)
            first, *more = _words(cell, room) if name in _PROSE else [cell]
            lines.append(f"{name:{names}}{_GAP}{first}".rstrip())
            lines += [f"{'':{names}}{_GAP}{piece}" for piece in more]
    return lines


def _words(text: str, width: int, indent: str = "") -> list[str]:
    wrapped = textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return wrapped or [""]


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * max(width - _cells(text), 0)
    return blanks + text if right else text + blanks


def _cells(text: str) -> int:
    """Return how many columns a text takes: letters of East Asia take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
