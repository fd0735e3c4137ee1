"""Whether the first line names the columns: decided from all lines, and refused where they do not tell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from edgedp.errors import GraphFormatError
from edgedp.reading.table import integers_of, joined, narrowed
from edgedp.reading.words import could_name_a_column, is_integer, names_a_column
from edgedp.shown import shortened

if TYPE_CHECKING:
    import polars as pl

    from edgedp.reading.layout import Layout

__all__ = ["is_header", "with_first_line"]

_NUMBERED = re.compile(r"(.*?)[0-9]+")


def is_header(layout: Layout, rest: list[pl.Series], source: str, option: str = "header") -> bool:
    """Say whether the first line of data is a header, from its words and all rows below it.

    Raises
    ------
    GraphFormatError
        The first line may be names or ids, or stands again further down.
    """
    words = layout.words
    again = _again(words, rest)
    if layout.header is not None:
        if layout.header and again:
            _refuse_again(layout, source, option, by_caller=True)
        return layout.header
    if any(map(is_integer, words)):
        return False
    named = [names_a_column(word) for word in words]
    if not len(rest[0]):
        return all(named)
    if _numbers(rest):
        if any(map(could_name_a_column, words)):
            return True
        _refuse_unsure(layout, source, option, "is no integer as all ids below it are")
    if again and (any(named) or _numbers_without(words, rest)):
        _refuse_again(layout, source, option, by_caller=False)
    if not any(named):
        return False
    if any(_like_an_id(word, rest) for word in words):
        return False
    recurs = any(column.is_in(list(words)).any() for column in rest)
    if recurs and all(len(word) == 1 for word in words):
        return False
    if recurs or not all(named):
        _refuse_unsure(layout, source, option, "holds words that name columns and could be ids")
    return True


def with_first_line(words: tuple[str, ...], rest: list[pl.Series], ids: str | None) -> list[pl.Series]:
    """Put the first line, which is a row, before the others."""
    import polars as pl

    first = [pl.Series(values=[word], dtype=pl.String) for word in words]
    if rest[0].dtype != pl.String or not len(rest[0]):
        integers = None if ids == "text" else integers_of(first, anyhow=ids == "integer")
        if integers is None:
            rest = [column.cast(pl.String) for column in rest]
        else:
            first = [narrowed(column) for column in integers]
    return [joined([one, column]) for one, column in zip(first, rest, strict=True)]


def _numbers(rest: list[pl.Series]) -> bool:
    """Whether all ids below are integers, in whatever writing; the first one mostly tells."""
    import polars as pl

    if rest[0].dtype != pl.String:
        return True
    return all(is_integer(column[0]) and column.str.contains(r"^[+-]?[0-9]+$").all() for column in rest)


def _rows_like(words: tuple[str, ...], rest: list[pl.Series]) -> pl.Series | None:
    """Mark the rows that hold the very words of the first line."""
    import polars as pl

    if rest[0].dtype != pl.String:
        return None
    marked = rest[0] == words[0]
    for word, column in zip(words[1:], rest[1:], strict=True):
        marked = marked & (column == word)
    return marked


def _again(words: tuple[str, ...], rest: list[pl.Series]) -> bool:
    marked = _rows_like(words, rest)
    return marked is not None and bool(marked.any())


def _numbers_without(words: tuple[str, ...], rest: list[pl.Series]) -> bool:
    """Whether the ids would be integers but for the rows that repeat the first line."""
    marked = _rows_like(words, rest)
    if marked is None:
        return False
    others = [column.filter(~marked) for column in rest]
    return len(others[0]) > 0 and _numbers(others)


def _like_an_id(word: str, rest: list[pl.Series]) -> bool:
    """Whether a word such as ``user1`` stands over others such as ``user7``."""
    numbered = _NUMBERED.fullmatch(word)
    if numbered is None:
        return False
    pattern = f"^{re.escape(numbered[1])}[0-9]+$"
    return any(bool(column.str.contains(pattern).any()) for column in rest)


def _refuse_unsure(layout: Layout, source: str, option: str, why: str) -> NoReturn:
    what = "names of columns" if len(layout.words) > 1 else "the name of the column"
    told = shortened(", ".join(layout.words))
    raise GraphFormatError(
        f"line {layout.number} of {source!r}, {told!r}, {why}; it may hold {what} or ids: "
        f"say which (--{option} or --no-{option})"
    )


def _refuse_again(layout: Layout, source: str, option: str, *, by_caller: bool) -> NoReturn:
    words = shortened(", ".join(layout.words))
    advice = f"remove the other one{'' if by_caller else f', or say that it is a row (--no-{option})'}"
    raise GraphFormatError(
        f"line {layout.number} of {source!r}, {words!r}, stands again further down, must stand once "
        f"if it names the columns; {advice}"
    )
