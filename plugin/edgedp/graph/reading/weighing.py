"""The column of weights beside the ends of edges, as numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import shortened

if TYPE_CHECKING:
    from edgedp.graph.reading.options import ReadingOptions
    from edgedp.graph.reading.text.result import Read

__all__ = ["weights_apart"]


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
