"""Columns beside the ends of edges, those of dates, of weights, and those that are kept: which ones they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from edgedp.graph.reading.text.deciding import position_of
from edgedp.words.errors import GraphFormatError, ParameterError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    from edgedp.graph.reading.options import ReadingOptions
    from edgedp.graph.reading.text.result import Read


@dataclass(frozen=True)
class Beside:
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

    @cached_property
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
    date = None if options.date is None else position_of(options.date, "date", names, count, source)
    wanted = options.beside or ()
    kept = tuple(position_of(each, "columns", names, count, source) for each in wanted)
    for named, at in ((options.date, date), *zip(wanted, kept, strict=True)):
        if at in picked:
            word = "date" if named is options.date and at == date else "columns"
            raise ParameterError(f"{word} is {named!r}, must be another column than the ends; name it")
    if len(set(kept)) < len(kept):
        raise ParameterError("columns names one column twice, by its name and its number; name it once")
    return Beside(date, kept)


def named_ends(
    options: ReadingOptions, names: Sequence[str] | None, count: int, width: int, source: str
) -> ReadingOptions:
    """Return options that name the two columns as the ends that are neither dates nor kept, where two are left."""
    asked = (*(() if options.date is None else (options.date,)), *(options.beside or ()))
    if width != 2 or options.source is not None or not asked:
        return options
    if any(isinstance(each, str) and (names is None or each not in names) for each in asked):
        return options
    there = {position_of(each, "columns", names, count, source) for each in asked}
    left = [at + 1 for at in range(count) if at not in there]
    return replace(options, source=left[0], target=left[1]) if len(left) == 2 else options


def weights_apart(read: Read, options: ReadingOptions) -> Read:
    """Return what was read with the numbers of the column of weights by themselves; NaN for what is no number.

    The column is kept, too, only where it was asked for among the columns.
    """
    if options.weight is None or options.weight.of_property is None or read.kept is None:
        return read
    at = (options.beside or ()).index(options.weight.of_property)
    name = list(read.kept)[at]
    weights = read.kept[name].numbers(len(read.columns[0]))
    some = int(options.weight.counts(weights).sum())
    if not some:
        raise GraphFormatError(
            f"column {shortened(name, 30)!r} holds no number that weighs something; name another column for weight"
        )
    notes = (*read.notes, f"{some:,} of {len(weights):,} rows weigh something")
    kept = {
        each: column for each, column in read.kept.items() if at < len(options.columns or ()) or each != name
    }
    return replace(read, weights=weights, notes=notes, kept=None if options.columns is None else kept)
