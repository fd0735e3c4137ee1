"""What loads without a word is a closed list; about everything else the caller is asked.

Two columns of integers; a known pair of names, in the first line or in the last comment, over any columns; KONECT's
own first line; and what the caller has said. A `Question` shows the rest: its first rows, the columns that could be
ends, and the options that load it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from edgedp.graph.reading.options import Column, ReadingOptions
from edgedp.graph.reading.text.question import Question, line_of
from edgedp.graph.reading.text.words import (
    could_name_a_column,
    different_kinds,
    end_pairs,
    is_integer,
    is_missing,
    is_number,
    of_one_kind,
    only_pair,
)
from edgedp.words.errors import GraphFormatError, ParameterError, UndecidedError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

__all__ = [
    "ROWS",
    "Decision",
    "ask_of_sides",
    "choose_named",
    "decide",
    "named_position",
    "overlap",
]

HARDLY = 0.05
"""Where fewer than these of the smaller side are on the other one too, two sides hardly overlap."""
FEW = 3
"""Sides of fewer ids say nothing about that."""
ROWS = 3

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Decision:
    """Which columns are read, whether the first line of data is a header, and what the columns are called."""

    picked: tuple[int, ...]
    header: bool
    names: tuple[str, ...] | None = None


def decide(
    first: Sequence[str],
    sample: Rows | None,
    width: int,
    given: ReadingOptions,
    source: str,
    comment: Sequence[str] | None = None,
    *,
    konect: bool = False,
    bipartite: bool = False,
) -> Decision:
    """Decide how a text is read, or ask.

    Parameters
    ----------
    first, sample : fields of the first line of data and of some below it
        Without a sample, for a line of it is broken, nothing is judged: the reader refuses that line.
    width : int
        2 for edges, 1 for nodes.
    comment : fields of the last comment before them, where there are as many
    konect : bool
        Whether the first comment is that of KONECT, whose first two columns are the ends.
    bipartite : bool
        Whether a comment says that the ends are of two kinds.
    """
    names = tuple(comment) if comment is not None else None
    header = _header(first, sample, width, given, names)
    if header:
        names = tuple(first)
    rows = [*([] if header else [first]), *(sample or [])]
    if width == 1:
        return _nodes(first, rows, given, names, source, header=bool(header))
    picked = _chosen(given, names, len(first), source) or _sure(
        first, rows, given, names, header, konect=konect
    )
    broken = len(first) == 2 and not all(field for row in rows for field in row)
    if sample is None or (
        broken and (picked is None or header is None)
    ):  # the reader refuses that line by its number
        return Decision(picked or (0, 1), bool(header), names)
    if picked is None or header is None:
        what = "leaves open which two columns are the ends of an edge"
        if picked is not None or len(first) == 2:
            what = "is neither two columns of integers nor of names that are a known pair of ends"
        if header is None:
            what = "leaves open whether its first line names the columns or is an edge"
        if header is None and _repeats(first, rows[1:]):
            what += " (its words stand further down too)"
        _ask(source, what, names, rows, given, header, picked)
    if given.source is None:
        _refuse_odd(rows, picked, names, given, header, source)
    of_kinds = names is not None and different_kinds(*(names[i] for i in picked))
    if _open_sides(given) and (of_kinds or bipartite):
        _ask(source, "has ends of different kinds", names, rows, given, header, picked, sides=True)
    return Decision(picked, header, names)


def choose_named(
    names: Sequence[str],
    width: int,
    given: ReadingOptions,
    source: str,
    rows: Callable[[], Rows],
    *,
    two: bool = False,
) -> tuple[int, ...]:
    """Return the columns to read of a table whose columns have names, or ask; `rows` loads the first ones.

    With `two` a table of two columns is taken as it is, whatever they are called.
    """
    names = tuple(names)
    if len(names) < width:
        had, needed = "one column" if names else "no column", "two" if width == 2 else "one"
        raise GraphFormatError(f"{source!r} has {had}, must have at least {needed}; check the file")
    if width == 1:
        return _nodes(names, [], given, names, source, header=True).picked
    picked = _chosen(given, names, len(names), source) or (
        (0, 1) if two and len(names) == 2 else only_pair(names)
    )
    what = "leaves open which two columns are the ends of an edge"
    if picked is not None and _open_sides(given) and different_kinds(*(names[i] for i in picked)):
        what = "has ends of different kinds"
    elif picked is not None:
        return picked
    return _ask(source, what, names, rows(), given, True, picked, told=True)


def named_position(name: str, names: Sequence[str], source: str) -> int:
    """Return the column of a name in the first line."""
    return _position(name, "a property", tuple(names), len(names), source)


def overlap(one: int, two: int, both: int) -> float:
    """Return the part of the smaller of two sets that is in the other; 1 where one is too small to say."""
    return both / min(one, two) if min(one, two) >= FEW else 1.0


def ask_of_sides(
    source: str, names: tuple[str, ...] | None, rows: Rows, picked: tuple[int, ...], given: ReadingOptions,
    header: bool | None, *, told: bool,
) -> NoReturn:  # fmt: skip
    """Ask whether two ends that share hardly an id are of one kind."""
    what = "has ends that share hardly an id, so they may be of different kinds"
    _ask(source, what, names, rows, given, header, picked, sides=True, told=told)


# -- the closed list --------------------------------------------------------------------------------


def _header(
    first: Sequence[str],
    sample: Rows | None,
    width: int,
    given: ReadingOptions,
    comment: tuple[str, ...] | None,
) -> bool | None:
    """Say whether the first line names the columns; None where it may."""
    if given.header is not None:
        return given.header
    named = [name for name in (given.source, given.target) if isinstance(name, str)]
    if named:
        return not (comment is not None and all(name in comment for name in named))
    if any(map(is_number, first)):
        return False
    columns = [[row[i] for row in sample or [] if not is_missing(row[i])] for i in range(len(first))]
    for word, values in zip(first, columns, strict=True):
        if values and not is_missing(word) and all(map(is_number, values)):
            return True
    if width == 1:
        return could_name_a_column(first[0]) and not any(row[0] == first[0] for row in sample or [])
    if only_pair(first) and not _repeats(first, sample or []):
        return True
    return None if comment is None else False


def _repeats(first: Sequence[str], rows: Rows) -> bool:
    """Whether words of the first line stand further down, or one such as ``user1`` over others such as ``user7``."""
    words = {word for word in first if word}
    stems = {match[1] for word in words if (match := re.fullmatch(r"(.*?)[0-9]+", word)) and match[1]}
    for row in rows:
        for field in row:
            match = re.fullmatch(r"(.*?)[0-9]+", field)
            if field in words or (match and match[1] in stems):
                return True
    return False


def _chosen(
    given: ReadingOptions, names: tuple[str, ...] | None, columns: int, source: str
) -> tuple[int, ...] | None:
    if given.source is None or given.target is None:
        return None
    picked = tuple(
        _position(column, what, names, columns, source)
        for column, what in ((given.source, "source"), (given.target, "target"))
    )
    if picked[0] == picked[1]:
        raise ParameterError("source and target are the same column; name both ends")
    return picked


def _sure(
    first: Sequence[str],
    rows: Rows,
    given: ReadingOptions,
    names: tuple[str, ...] | None,
    header: bool | None,
    *,
    konect: bool,
) -> tuple[int, int] | None:
    """Return the two ends where the list of what is sure has them."""
    if names is not None and (pair := only_pair(names)):
        return pair
    if konect:
        return 0, 1
    if len(first) != 2:
        return None
    told = given.header is not None
    integers = names is None and all(is_integer(field.removesuffix(".0")) for row in rows for field in row)
    return (0, 1) if told or integers or header is None else None


def _nodes(
    first: Sequence[str],
    rows: Rows,
    given: ReadingOptions,
    names: tuple[str, ...] | None,
    source: str,
    *,
    header: bool,
) -> Decision:
    """Take the first column of a list of nodes, unless its names say that the ids are in another one."""
    others = header and given.header is None and any(map(could_name_a_column, first[1:]))
    if others and not could_name_a_column(first[0]):
        raise GraphFormatError(
            f"{source!r} has the columns {line_of(first)}, must hold the ids in its first column; put them there"
        )
    kind = of_one_kind([row[0] for row in rows if not is_missing(row[0])])
    if kind is not None and given.ids != "text":
        raise GraphFormatError(
            f"{source!r} holds {kind} in column 1, must hold the ids in its first column; put them there"
        )
    return Decision((0,), header, names)


# -- what is asked ----------------------------------------------------------------------------------


def _open_sides(given: ReadingOptions) -> bool:
    return not (given.bipartite or given.one_kind)


def _refuse_odd(
    rows: Rows, picked: tuple[int, ...], names: tuple[str, ...] | None, given: ReadingOptions,
    header: bool | None, source: str,
) -> None:  # fmt: skip
    """Ask about columns whose values are hardly ids."""
    for i in picked:
        kind = of_one_kind([row[i] for row in rows if not is_missing(row[i])])
        if kind == "hexadecimal numbers" and given.ids == "text":
            continue
        if kind == "hexadecimal numbers":
            raise GraphFormatError(
                f"column {i + 1} of {source!r} holds {kind}; say that they are texts ({option('ids', 'text')}), "
                "or convert them"
            )
        if kind is not None:
            _ask(source, f"holds {kind} in column {i + 1}", names, rows, given, header, None)


def _ask(
    source: str,
    what: str,
    names: tuple[str, ...] | None,
    rows: Rows,
    given: ReadingOptions,
    header: bool | None,
    picked: tuple[int, ...] | None,
    *,
    told: bool = False,
    sides: bool = False,
) -> NoReturn:
    """Ask, with the candidates and the options that load the source."""
    candidates = _candidates(rows, names)
    ends = picked or _likely(rows, candidates, names)
    load: dict[str, bool | int | str] = {}
    for word, i in zip(("source", "target"), ends, strict=True):
        unique = names is not None and names.count(names[i]) == 1 and names[i] and not names[i].isdigit()
        load[word] = names[i] if names is not None and unique else i + 1
    if header is None and not told:
        load["header"] = any(map(could_name_a_column, rows[0])) and not _repeats(rows[0], rows[1:])
    if given.header is not None:
        load["header"] = given.header
    if given.separator is not None:
        load["separator"] = given.separator
    kinds = {is_integer(row[i]) for row in rows for i in ends}
    if given.ids is not None or (len(kinds) > 1 and not told):
        load["ids"] = given.ids or "text"
    if _open_sides(given) and (sides or _sides(names, rows, ends)):
        load["bipartite"] = True
    raise UndecidedError(
        Question(
            source=source, what=what, names=names, rows=tuple(tuple(row) for row in rows[:ROWS]),
            candidates=tuple(candidates), load=load,
        )
    )  # fmt: skip


def _sides(names: tuple[str, ...] | None, rows: Rows, ends: tuple[int, ...]) -> bool:
    """Whether two columns look like the sides of a bipartite list."""
    one, two = ({row[i] for row in rows} for i in ends)
    named = names is not None and different_kinds(*(names[i] for i in ends))
    return named or overlap(len(one), len(two), len(one & two)) < HARDLY


def _candidates(rows: Rows, names: tuple[str, ...] | None) -> list[int]:
    """Return the columns whose values could be ids."""
    width = len(rows[0]) if rows else len(names or ())
    found = []
    for i in range(width):
        values = [row[i] for row in rows]
        if not any(map(is_missing, values)) and of_one_kind(values) is None:
            found.append(i)
    return found if len(found) > 1 else list(range(width))


def _likely(rows: Rows, candidates: Sequence[int], names: tuple[str, ...] | None) -> tuple[int, int]:
    """Return the two candidates that share most ids; of several such pairs a known one, or the first."""
    pairs = set(end_pairs(names)) if names is not None else set()
    values = {i: {row[i] for row in rows} for i in candidates}
    best, most = (candidates[0], candidates[1]), (False, -1.0)
    for at, i in enumerate(candidates):
        for j in candidates[at + 1 :]:
            alike = all(map(is_integer, values[i])) == all(map(is_integer, values[j]))
            shared = len(values[i] & values[j]) / max(1, min(len(values[i]), len(values[j])))
            rank = ((i, j) in pairs, shared + alike / 2)
            if rank > most:
                best, most = (i, j), rank
    return best


def _position(column: Column, what: str, names: tuple[str, ...] | None, columns: int, source: str) -> int:
    if isinstance(column, int):
        if column > columns:
            raise ParameterError(
                f"{what} is column {column}, must be at most {columns}, the last column of {source!r}; count from 1"
            )
        return column - 1
    names = names or ()
    same = [i for i, name in enumerate(names) if name == column]
    same = same or [i for i, name in enumerate(names) if name.lower() == column.lower()]
    if len(same) != 1:
        trouble = "must be one of" if not same else "must stand once among"
        raise ParameterError(
            f"{what} is {shortened(column)!r}, {trouble} the names of the columns of {source!r}: {line_of(names)}; "
            "give a name or a number"
        )
    return same[0]
