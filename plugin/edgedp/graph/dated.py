"""When the rows of a graph were, before they were merged into one simple graph: for a store with a calendar."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgedp.words.errors import GraphFormatError
from edgedp.words.shown import kind_of

UNDATED = int(np.iinfo(np.int64).min)
"""Stands for a date that is missing; numpy's NaT is the same number."""


_MOST = 2**62
"""Seconds: a larger number is no moment of any calendar."""
_LONG = {"Y": 31_556_952, "M": 2_629_746, "W": 604_800, "D": 86_400, "h": 3600, "m": 60, "s": 1}
"""Seconds of each unit of ``datetime64`` that has any."""


class DatedRows(NamedTuple):
    """The rows of a source, each with its date.

    Attributes
    ----------
    ends : (m, 2) int32
        Positions of both ends, loops and parallels among them.
    seconds : (m,) int64
        Since 1970 began in UTC; `UNDATED` for a row without a date.
    asked : bool
        Whether the caller named the dates, and not the catalogue.
    """

    ends: NDArray[np.int32]
    seconds: NDArray[np.int64]
    asked: bool = True


def seconds_given(dates: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return dates that were given as values, in whole seconds, rounded down.

    Raises
    ------
    GraphFormatError
        They are neither numbers of seconds nor ``datetime64``, or not one for each row.

    Examples
    --------
    >>> seconds_given(np.array(["2024-01-01T00:00:01.9", "NaT"], dtype="datetime64[ms]"), 2).tolist()[0]
    1704067201
    """
    if isinstance(dates, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(dates)  # what lies below the mask is often infinite, or 10^20
        there = np.where(masked, np.zeros(1, dates.dtype), np.ma.getdata(dates))
        return np.where(masked, UNDATED, seconds_given(there, count))
    try:
        values: NDArray[Any] = np.asarray(dates)
    except ValueError:  # lists of several lengths
        values = np.zeros((0, 0))
    if isinstance(dates, (list, tuple)) and {bool, np.bool_} & set(map(type, dates)):
        values = np.zeros(count, dtype=np.bool_)  # numpy makes 1 of a truth value among numbers
    if values.shape != (count,):
        raise GraphFormatError(
            f"dates has the shape {values.shape}, must hold one date for each of {count} edges"
        )
    match values.dtype.kind:
        case "M" if not wraps(values):
            return values.astype("datetime64[s]").astype(np.int64)
        case "i" | "u" if not (values > _MOST).any():
            return values.astype(np.int64)
        case "f" if not (np.abs(values) > _MOST).any():
            missing = np.isnan(values)
            return np.where(missing, UNDATED, np.floor(np.where(missing, 0, values)).astype(np.int64))
        case _:
            raise GraphFormatError(
                f"dates is {kind_of(dates)} of {values.dtype}, must hold numbers of seconds since 1970, or datetime64; "
                "convert it"
            )


def wraps(values: NDArray[np.datetime64]) -> bool:
    """Whether a moment is too far away to be told in seconds: numpy makes another one of it."""
    unit, step = np.datetime_data(values.dtype)
    there = values[~np.isnat(values)].astype(np.int64) if unit in _LONG else np.zeros(0, dtype=np.int64)
    return len(there) > 0 and max(-int(there.min()), int(there.max())) * _LONG[unit] * step > _MOST
