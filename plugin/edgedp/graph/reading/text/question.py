"""What a reader asks where nobody can be sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgedp.words.shown import shortened
from edgedp.words.spoken import option, options

__all__ = ["Question", "line_of"]

_MOST_SHOWN = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What a source leaves open.

    Parameters
    ----------
    source : str
    what : str
        What is open, as the end of a sentence that begins with the source.
    names : tuple of str or None
        Of the columns, where something names them.
    rows : tuple of tuples of str
        The first rows.
    candidates : tuple of int
        Columns, from 0, that could be ends.
    load : mapping
        Options of `read_graph` that load it.
    """

    source: str
    what: str
    names: tuple[str, ...] | None
    rows: tuple[tuple[str, ...], ...]
    candidates: tuple[int, ...]
    load: Mapping[str, bool | int | str]

    def heading(self) -> tuple[str, ...]:
        """Return the names of the columns, or their numbers from 1."""
        width = len(self.rows[0]) if self.rows else 0
        return self.names or tuple(str(i + 1) for i in range(width))

    def sentence(self) -> str:
        """Return the question in one line."""
        rows = "; ".join(line_of(row) for row in self.rows)
        ends = ", ".join(shortened(self.heading()[i], 30) for i in self.candidates)
        return (
            f"{shortened(self.source, 200)!r} {self.what}; its columns {line_of(self.heading())} begin with {rows}; "
            + (f"the ends could be {ends}; " if len(self.candidates) > 2 else "")
            + f"give {options(self.load)}{_others(self.load)}"
        )


def _others(load: Mapping[str, bool | int | str]) -> str:
    others = []
    if "source" in load:
        others.append("other columns")
    if "header" in load:
        others.append(option("header", not load["header"]))
    if "labels" in load:
        others.append(option("labels", not load["labels"]))
    if "bipartite" in load:
        others.append(f"{option('one_kind', True)} where an id is one node on both sides")
    return f" (or {', '.join(others)})" if others else ""


def line_of(fields: Sequence[str]) -> str:
    """Return fields as one line of a refusal."""
    more = " | ..." if len(fields) > _MOST_SHOWN else ""
    return " | ".join(shortened(field, 20) or "(nothing)" for field in fields[:_MOST_SHOWN]) + more
