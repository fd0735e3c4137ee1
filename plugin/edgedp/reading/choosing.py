"""Which columns are the ends of an edge; where nobody can be sure, the caller is asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

from edgedp.errors import GraphFormatError, ParameterError
from edgedp.reading.options import Column, ReadingOptions
from edgedp.reading.words import end_pair, is_integer, names_a_column, of_one_kind
from edgedp.shown import shortened

__all__ = ["choose_columns", "choose_named_columns", "looks_like_a_matrix", "named_position"]

_MISSING = {"", "na", "nan", "null", "none", "nil", "-", "?", "."}
_WIDE = 20
_SECONDS = ((900_000_000, 2_200_000_000), (900_000_000_000, 2_200_000_000_000))


def choose_columns(
    first: Sequence[str],
    sample: Sequence[Sequence[str]] | None,
    width: int,
    header: bool | None,
    options: ReadingOptions,
    source: str,
) -> tuple[int, ...]:
    """Return the columns to read of a text: those named, or the first ones if they can be sure to be ends.

    Parameters
    ----------
    first, sample : fields of the first line of data and of some below it
        Without a sample, for a line of it is broken, nothing is judged: the reader refuses that line.
    width : int
        2 for edges, 1 for nodes.
    header : bool or None
        Whether the first line names the columns, where the caller has said so.
    """
    if width == 2 and options.source is not None and options.target is not None:
        names = tuple(first) if header is not False else None
        picked = tuple(
            _position(column, what, names, len(first), source)
            for column, what in ((options.source, "source"), (options.target, "target"))
        )
        if picked[0] == picked[1]:
            raise ParameterError("source and target are the same column; name both ends")
        return picked
    if sample is None:
        return tuple(range(width))
    words = header is not False and not any(map(is_integer, first))
    if words and len(first) > width and _sure_by_names(first, width, source):
        return tuple(range(width))
    data = header is False or any(map(is_integer, first)) or not sample
    rows = [*([first] if data else []), *sample]
    columns = [[row[i] for row in rows if row[i].lower() not in _MISSING] for i in range(len(first))]
    _refuse_odd_values(columns, width, options, source)
    if width == 2 and len(first) > 2:
        _refuse_unsure(first, columns, header, source)
    return tuple(range(width))


def choose_named_columns(
    names: Sequence[str], width: int, options: ReadingOptions, source: str
) -> tuple[int, ...]:
    """Return the columns to read of a table whose columns have names."""
    names = tuple(names)
    if width == 2 and options.source is not None and options.target is not None:
        return choose_columns(names, [], width, True, options, source)
    if len(names) < width:
        had, needed = "one column" if names else "no column", "two" if width == 2 else "one"
        raise GraphFormatError(f"{source!r} has {had}, must have at least {needed}; check the file")
    if len(names) > width and not _sure_by_names(names, width, source):
        _ask(source, f"has the columns {_listed(names)}", width)
    return tuple(range(width))


def named_position(name: str, names: Sequence[str], source: str) -> int:
    """Return the column of a name in the first line."""
    return _position(name, "a property", tuple(names), len(names), source)


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
            f"{what} is {shortened(column)!r}, {trouble} the names in the first line of {source!r}: {_listed(names)}; "
            "give a name or a number"
        )
    return same[0]


def _sure_by_names(names: Sequence[str], width: int, source: str) -> bool:
    """Whether names tell that the first columns are meant; refuse where they tell that others are."""
    named = [names_a_column(name) for name in names]
    if width == 1:
        if any(named) and not named[0]:
            _ask(source, f"has the columns {_listed(names)}", width)
        return named[0]
    pair = end_pair(tuple(names))
    if pair is not None and set(pair) != {0, 1}:
        ends = f"--source {shortened(names[pair[0]], 30)!r} --target {shortened(names[pair[1]], 30)!r}"
        _ask(source, f"has the columns {_listed(names)}", width, f"are the ends {ends}?")
    if pair is not None:
        return True
    if names[0] == "" and any(names):
        _ask(source, f"has a first column without a name and then {_listed(names[1:])}", width)
    if sum(named) >= 2 and not (named[0] and named[1]):
        _ask(source, f"has the columns {_listed(names)}", width)
    if sum(named) > 2 and names[0].strip().lower() in ("id", "no", "nr", "number", "key"):
        _ask(source, f"has the columns {_listed(names)}", width)
    return named[0] and named[1]


def _refuse_odd_values(columns: list[list[str]], width: int, options: ReadingOptions, source: str) -> None:
    """Refuse columns whose values are no ids, seen by themselves."""
    kinds = [of_one_kind(values) for values in columns]
    for i in range(width):
        kind = kinds[i]
        if kind == "hexadecimal numbers" and options.ids == "text":
            kind = None
        whole = kind == "decimals" and all(other == kind for other in kinds[:width]) and len(kinds) == width
        if kind is None or whole:  # 1.0,2.0 are texts, and the report says so
            continue
        if kind == "hexadecimal numbers":
            raise GraphFormatError(
                f"column {i + 1} of {source!r} holds {kind}; say that they are texts (--ids text), "
                "or convert them"
            )
        _ask(source, f"holds {kind} in column {i + 1}", width)


def _refuse_unsure(first: Sequence[str], columns: list[list[str]], header: bool | None, source: str) -> None:
    """Refuse where more than two columns could be the ends."""
    integers = [bool(values) and all(map(is_integer, values)) for values in columns]
    one, two, three = columns[:3]  # of 1,000 lines at most
    if not (one and two and three):
        return
    if header is None and not integers[0] and not integers[1] and not any(map(is_integer, first)):
        for i in range(2, len(first)):
            numeric = integers[i] or of_one_kind(columns[i]) == "decimals"
            if numeric and of_one_kind([first[i]]) != "decimals" and first[i].lower() not in _MISSING:
                raise GraphFormatError(
                    f"the first line of {source!r} holds {shortened(first[i], 30)!r} above numbers, so it "
                    "may name the columns or be an edge; say which (--header or --no-header)"
                )
    if integers[0] and not integers[1] and not integers[2] and of_one_kind(three) is None:
        _ask(source, "holds integers in its first column and texts in the next two", 2)
    if integers[0] and integers[1] and integers[2] and len(one) > 1:
        if any(
            _within(one, span) and not _within(two, span) and not _within(three, span) for span in _SECONDS
        ):
            _ask(source, "holds what look like times in its first column", 2)
        counted = [int(value) for value in one]
        steady = all(b - a == 1 for a, b in pairwise(counted))
        if steady and len(one) > 2 and counted[0] in (0, 1, 2) and len(set(three)) > 1:
            _ask(source, "seems to number its lines in the first column", 2)
    if not (integers[0] or integers[1] or integers[2]) and of_one_kind(three) is None:
        ends = [{*values, word} for values, word in zip(columns[:3], first, strict=False)]
        sure = bool(ends[0] & ends[1]) or len(ends[1]) > len(ends[2])
        if not sure:
            _ask(source, "holds texts in its first three columns", 2)


def _within(values: Sequence[str], span: tuple[int, int]) -> bool:
    return all(span[0] <= int(value) <= span[1] for value in values)


def looks_like_a_matrix(first: Sequence[str], sample: Sequence[Sequence[str]] | None) -> str:
    """Return ``binary``, ``weighted`` or ``labelled`` where the sample could be rows of an adjacency matrix.

    Whether it is square, the reader sees at the end. Numbers are taken for weights where the diagonal is 0, or all is
    symmetric, or there are more columns than a list of edges has.
    """
    if len(first) < 3 or sample is None:
        return ""
    rows = [*([first] if is_integer(first[0]) or not sample else []), *sample]
    if all(field in ("0", "1") for row in rows for field in row):
        return "binary"
    if len(first) > 3 and all(field in ("0", "1") for row in sample for field in row[1:]) and sample:
        return "labelled"
    if not all(is_integer(field) or of_one_kind([field]) == "decimals" for row in rows for field in row):
        return ""
    if len(first) >= _WIDE:
        return "weighted"
    if len(rows) != len(first):
        return ""
    values = [[float(field) for field in row] for row in rows]
    symmetric = all(values[i][j] == values[j][i] for i in range(len(rows)) for j in range(i))
    empty = all(values[i][i] == 0 for i in range(len(rows)))
    return "weighted" if symmetric or empty else ""


def _listed(names: Sequence[str]) -> str:
    return shortened(", ".join(name or "(no name)" for name in names), 80)


def _ask(source: str, what: str, width: int, more: str = "") -> NoReturn:
    if width == 1:
        raise GraphFormatError(f"{source!r} {what}, must hold the ids in its first column; put them there")
    raise GraphFormatError(
        f"{source!r} {what}, which leaves open which two are the ends of an edge; "
        f"{more or 'give them (--source and --target, names or numbers from 1)'}"
    )
