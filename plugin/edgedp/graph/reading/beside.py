"""Columns beside the ends of edges, that of the dates and those that are kept: which ones they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from edgedp.words.errors import ParameterError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    from edgedp.graph.reading.options import Column, ReadingOptions

__all__ = ["NONE", "Beside", "beside_of", "ends_beside", "named_ends"]


class Beside(NamedTuple):
    """Which columns are read beside the ends, from 0.

    Attributes
    ----------
    date : int or None
        That of the dates.
    kept : tuple of int
        Those that are kept.
    """

    date: int | None = None
    kept: tuple[int, ...] = ()

    @property
    def positions(self) -> tuple[int, ...]:
        """All of them, once each: that of the dates first."""
        return tuple(dict.fromkeys((*(() if self.date is None else (self.date,)), *self.kept)))


NONE = Beside()
"""No column is read beside the ids."""


def beside_of(
    options: ReadingOptions, names: Sequence[str] | None, picked: Sequence[int], count: int, source: str
) -> Beside:
    """Return which columns are read beside the ends that were picked; none beside the ids of nodes.

    Parameters
    ----------
    names : sequence of str or None
        Of all columns.
    count : int
        How many columns there are.

    Raises
    ------
    ParameterError
        There is none of that name or number, or it is an end.
    """
    if len(picked) != 2:
        return NONE
    date = None if options.date is None else _position(options.date, "date", names, count, source)
    kept = tuple(_position(each, "columns", names, count, source) for each in options.beside or ())
    for named, at in ((options.date, date), *zip(options.beside or (), kept, strict=True)):
        if at in picked:
            word = "date" if named is options.date and at == date else "columns"
            raise ParameterError(f"{word} is {named!r}, must be another column than the ends; name it")
    if len(set(kept)) < len(kept):
        raise ParameterError("columns names one column twice, by its name and its number; name it once")
    return Beside(date, kept)


def _position(asked: Column, option: str, names: Sequence[str] | None, count: int, source: str) -> int:
    if isinstance(asked, int):
        if asked <= count:
            return asked - 1
        raise ParameterError(
            f"{option} is {asked}, must be a column of {source!r}, which has {count}; count from 1"
        )
    there = list(names or ())
    if there.count(asked) == 1:
        return there.index(asked)
    told = ", ".join(shortened(name, 30) for name in there) or "no names"
    raise ParameterError(
        f"{option} is {asked!r}, must be the name of one column of {source!r} ({told}), or its number from 1; name it"
    )


def ends_beside(
    options: ReadingOptions, names: Sequence[str] | None, count: int, source: str
) -> tuple[int, int] | None:
    """Return the two columns, from 1, that are neither that of the dates nor kept, where two are left; else None."""
    asked = (*(() if options.date is None else (options.date,)), *(options.beside or ()))
    if not asked or any(isinstance(each, str) and (names is None or each not in names) for each in asked):
        return None
    there = {_position(each, "columns", names, count, source) for each in asked}
    left = [at + 1 for at in range(count) if at not in there]
    return (left[0], left[1]) if len(left) == 2 else None


def named_ends(options: ReadingOptions, names: Sequence[str], width: int, source: str) -> ReadingOptions:
    """Return options that name the two other columns as the ends, where there are no more."""
    if width != 2 or options.source is not None:
        return options
    beside = ends_beside(options, names, len(names), source)
    return options if beside is None else replace(options, source=beside[0], target=beside[1])
