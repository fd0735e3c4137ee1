"""What a reader asks where nobody can be sure: what it has seen, and the options that would load it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

from edgedp.graph.reading.options import ReadingOptions
from edgedp.graph.reading.text.words import (
    are_integers,
    could_name_a_column,
    different_kinds,
    end_pairs,
    is_integer,
    of_one_kind,
    present,
)
from edgedp.words.errors import UndecidedError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option, options

Rows = Sequence[Sequence[str]]

HARDLY = 0.05
"""Where fewer than these of the smaller side are on the other one too, two sides hardly overlap."""
FEW = 3
"""Sides of fewer ids say nothing about that."""
ROWS = 3
_MOST_SHOWN = 12
_NUMBERED = re.compile(r"(.*?[^0-9])[0-9]+")


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


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a source that has columns, and what the caller has said of it.

    Parameters
    ----------
    source : str
    given : ReadingOptions
    names : tuple of str or None
        Of the columns, where something names them.
    rows : sequence of rows
        The first ones.
    header : bool or None
        Whether the first line names the columns; None where it may.
    picked : tuple of int or None
        The ends, where they are known.
    told : bool
        Whether the source itself says what names its columns: no option says it.
    """

    source: str
    given: ReadingOptions
    names: tuple[str, ...] | None
    rows: Rows
    header: bool | None = None
    picked: tuple[int, ...] | None = None
    told: bool = False

    @property
    def open_sides(self) -> bool:
        """Whether the caller has not said if both ends are of one kind."""
        return not (self.given.bipartite or self.given.one_kind)

    def of_kinds(self, ends: tuple[int, ...]) -> bool:
        """Whether the names of two columns are of different kinds."""
        return self.names is not None and different_kinds(*(self.names[i] for i in ends))

    def ask(self, what: str, *, sides: bool = False) -> NoReturn:
        """Ask for the ends, and with `sides` whether they are of one kind.

        Raises
        ------
        UndecidedError
            Always: with the candidates and the options that load the source.
        """
        given, candidates = self.given, self._candidates()
        ends = self.picked or self._likely(candidates)
        load: dict[str, bool | int | str] = dict(
            zip(("source", "target"), map(self._called, ends), strict=True)
        )
        if self.header is None and not self.told:
            first = self.rows[0]
            load["header"] = any(map(could_name_a_column, first)) and not repeats(first, self.rows[1:])
        for word in ("header", "separator"):
            if (value := getattr(given, word)) is not None:
                load[word] = value
        kinds = {is_integer(row[i]) for row in self.rows for i in ends}
        if given.ids is not None or (len(kinds) > 1 and not self.told):
            load["ids"] = given.ids or "text"
        if self.open_sides and (sides or self.of_kinds(ends) or self._shared(*ends) < HARDLY):
            load["bipartite"] = True
        self._raise(what, tuple(candidates), load)

    def ask_of_ids(self, what: str, ids: str) -> NoReturn:
        """Ask about ids that are hardly any; saying how ids are taken answers it."""
        picked = self.picked or (0, 1)
        load: dict[str, bool | int | str] = {"source": picked[0] + 1, "target": picked[-1] + 1}
        if self.header is not None:
            load["header"] = self.header
        self._raise(what, picked, load | {"ids": ids})

    def _raise(
        self, what: str, candidates: tuple[int, ...], load: Mapping[str, bool | int | str]
    ) -> NoReturn:
        rows = tuple(tuple(row) for row in self.rows[:ROWS])
        raise UndecidedError(
            Question(
                source=self.source, what=what, names=self.names, rows=rows, candidates=candidates, load=load
            )
        )

    def _called(self, at: int) -> int | str:
        """Return a column as an option names it: by its name, where it is the only one of that name."""
        name = self.names[at] if self.names is not None else ""
        unique = self.names is not None and self.names.count(name) == 1
        return name if unique and name and not name.isdigit() else at + 1

    def _shared(self, one: int, two: int) -> float:
        ids, others = ({row[i] for row in self.rows} for i in (one, two))
        return overlap(len(ids), len(others), len(ids & others))

    def _candidates(self) -> list[int]:
        """Return the columns whose values could be ids."""
        width = len(self.rows[0]) if self.rows else len(self.names or ())
        columns = [[row[i] for row in self.rows] for i in range(width)]
        found = [
            i for i, each in enumerate(columns) if len(present(each)) == len(each) and not of_one_kind(each)
        ]
        return found if len(found) > 1 else list(range(width))

    def _likely(self, candidates: Sequence[int]) -> tuple[int, int]:
        """Return the two candidates that share most ids; of several such pairs a known one, or the first."""
        known = set(end_pairs(self.names)) if self.names is not None else set()
        values = {i: {row[i] for row in self.rows} for i in candidates}

        def rank(pair: tuple[int, int]) -> tuple[bool, float]:
            one, two = (values[i] for i in pair)
            alike = are_integers(one) == are_integers(two)
            return pair in known, len(one & two) / max(1, min(len(one), len(two))) + alike / 2

        return max(combinations(candidates, 2), key=rank)


def overlap(one: int, two: int, both: int) -> float:
    """Return the part of the smaller of two sets that is in the other; 1 where one is too small to say."""
    return both / min(one, two) if min(one, two) >= FEW else 1.0


def repeats(first: Sequence[str], rows: Rows) -> bool:
    """Whether words of the first line stand further down, or one such as ``user1`` over others such as ``user7``."""
    words = {word for word in first if word}
    stems = {match[1] for word in words if (match := _NUMBERED.fullmatch(word))}
    return any(
        field in words or ((match := _NUMBERED.fullmatch(field)) is not None and match[1] in stems)
        for row in rows
        for field in row
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
