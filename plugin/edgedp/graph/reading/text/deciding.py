"""What loads without a word is a closed list; about everything else the caller is asked.

Two columns of integers; a known pair of names, in the first line or in the last comment, over any columns; KONECT's
own first line; and what the caller has said. A `Question` shows the rest: its first rows, the columns that could be
ends, and the options that load it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from edgedp.graph.reading.options import Column, ReadingOptions
from edgedp.graph.reading.text.question import Rows, Seen, line_of, repeats
from edgedp.graph.reading.text.words import (
    are_integers,
    are_numbers,
    could_name_a_column,
    hold_a_number,
    of_one_kind,
    only_pair,
    present,
)
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import shortened
from edgedp.words.spoken import option

_OF_KINDS = "has ends of different kinds"
_ENDS = "leaves open which two columns are the ends of an edge"
_FIRST = "leaves open whether its first line names the columns or is an edge"
_OPEN: tuple[tuple[Callable[[Seen, Sequence[str]], bool], str], ...] = (
    (
        lambda seen, first: seen.header is None and repeats(first, seen.rows[1:]),
        f"{_FIRST} (its words stand further down too)",
    ),
    (lambda seen, _: seen.header is None, _FIRST),
    (
        lambda seen, first: seen.picked is None and len(first) == 2,
        "is neither two columns of integers nor of names that are a known pair of ends",
    ),
)
"""What a text leaves open, by what is seen of it and its first line; the first that holds is asked, else `_ENDS`."""


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
    seen = Seen(source, given, names, rows, header, picked)
    what = next((what for holds, what in _OPEN if holds(seen, first)), None)
    if sample is None or (what and len(first) == 2 and not all(field for row in rows for field in row)):
        return Decision(picked or (0, 1), bool(header), names)  # the reader refuses that line by its number
    if what is not None or picked is None:
        seen.ask(what or _ENDS)
    if given.source is None:
        _refuse_odd(seen, picked)
    if seen.open_sides and (bipartite or seen.of_kinds(picked)):
        seen.ask(_OF_KINDS, sides=True)
    return Decision(picked, bool(header), names)


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
    seen = Seen(source, given, names, (), header=True, picked=picked, told=True)
    if picked is not None and not (seen.open_sides and seen.of_kinds(picked)):
        return picked
    return replace(seen, rows=rows()).ask(_ENDS if picked is None else _OF_KINDS)


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
    if hold_a_number(first):
        return False
    columns = [present([row[i] for row in sample or []]) for i in range(len(first))]
    for word, values in zip(first, columns, strict=True):
        if values and present([word]) and are_numbers(values):
            return True
    if width == 1:
        return could_name_a_column(first[0]) and not any(row[0] == first[0] for row in sample or [])
    if only_pair(first) and not repeats(first, sample or []):
        return True
    return None if comment is None else False


def _chosen(
    given: ReadingOptions, names: tuple[str, ...] | None, columns: int, source: str
) -> tuple[int, ...] | None:
    if given.source is None or given.target is None:
        return None
    picked = tuple(
        position_of(column, what, names, columns, source)
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
    integers = names is None and are_integers([field.removesuffix(".0") for row in rows for field in row])
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
    kind = of_one_kind([row[0] for row in rows])
    if kind is not None and given.ids != "text":
        raise GraphFormatError(
            f"{source!r} holds {kind} in column 1, must hold the ids in its first column; put them there"
        )
    return Decision((0,), header, names)


def _refuse_odd(seen: Seen, picked: tuple[int, ...]) -> None:
    """Ask about columns whose values are hardly ids."""
    for i in picked:
        kind = of_one_kind([row[i] for row in seen.rows])
        if kind == "hexadecimal numbers" and seen.given.ids != "text":
            raise GraphFormatError(
                f"column {i + 1} of {seen.source!r} holds {kind}; say that they are texts ({option('ids', 'text')}), "
                "or convert them"
            )
        if kind not in (None, "hexadecimal numbers"):
            replace(seen, picked=None).ask(f"holds {kind} in column {i + 1}")


def position_of(column: Column, what: str, names: Sequence[str] | None, columns: int, source: str) -> int:
    """Return where a column is, by its name or its number from 1.

    Raises
    ------
    ParameterError
        There is none, or several have that name; `what` is the option that names it.
    """
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
