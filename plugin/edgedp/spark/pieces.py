"""Pieces on executors: two columns of numbers in one row of Spark, and their sums by ranges of positions.

A node is its position in the order of ids. A piece holds its two columns as bytes, so that a hundred thousand arcs cost
Spark what one row costs. Every step here is exact and draws nothing: a partition that is computed again is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgedp.spark.executors import Batches, guarded

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.core.broadcast import Broadcast

Labels = NDArray[np.int32]
Ints = NDArray[np.int64]

PIECE = "key int, what int, first binary, second binary"
"""Of a piece: for which task it is, what it is there, and its two columns."""
NONE: Labels = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class Shared:
    """An array that every task reads.

    Attributes
    ----------
    sent : Broadcast
        Its bytes: pyspark cannot encrypt an array that it sends.
    dtype : str
    """

    sent: Broadcast[bytes]
    dtype: str

    @classmethod
    def of(cls, array: NDArray[Any], context: SparkContext) -> Shared:
        """Broadcast an array."""
        return cls(context.broadcast(array.tobytes()), array.dtype.str)

    @property
    def value(self) -> NDArray[Any]:
        """The array, on whatever executor."""
        return np.frombuffer(self.sent.value, self.dtype)


@dataclass(frozen=True)
class Numbered:
    """Pairs of integers as ids become pieces of positions; a pair that is no edge between nodes is left out.

    Parameters
    ----------
    ids : Shared
        (n,) int64, ascending.
    """

    ids: Shared

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of ``low`` and ``high`` with pieces."""
        return guarded(self._numbered, batches)

    def _numbered(self, batches: Batches) -> Batches:
        for low, high in _columns(batches, np.int64):
            apart = low != high
            ends = [np.searchsorted(self.ids.value, each[apart]).astype(np.int32) for each in (low, high)]
            yield piece(0, 0, *ends)


def packed(batches: Batches) -> Batches:
    """Answer a partition of rows of two positions with pieces."""
    return guarded(_packed, batches)


def _packed(batches: Batches) -> Batches:
    for first, second in _columns(batches, np.int32):
        yield piece(0, 0, first, second)


@dataclass(frozen=True)
class AddedUp:
    """Add up the pieces of a range of positions; what is zero is not sent."""

    span: int

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition with a piece for each range."""
        return guarded(self._added, batches)

    def _added(self, batches: Batches) -> Batches:
        sums: dict[int, Ints] = {}
        for _, what, first, second in pieces(batches, np.int64):
            total = sums.setdefault(what, np.zeros(self.span, dtype=np.int64))
            np.add.at(total, first - np.int32(what * self.span), second)
        for what, total in sums.items():
            found = np.flatnonzero(total)
            yield piece(0, what, (found + what * self.span).astype(np.int32), total[found])


def ranges(positions: Labels, values: Ints, span: int) -> Batches:
    """Yield sums as pieces, one for each range of so many positions."""
    for number, chosen in groups(positions // np.int32(span)):
        yield piece(number, number, positions[chosen], values[chosen])


def groups(codes: NDArray[Any]) -> Iterator[tuple[int, Ints]]:
    """Yield each code with the places where it stands."""
    if not len(codes):
        return
    order = np.argsort(codes, kind="stable")
    found, starts = np.unique(codes[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, starts[1:]), strict=True)


def piece(key: int, what: int, first: NDArray[Any], second: NDArray[Any]) -> pa.RecordBatch:
    """Return a row of `PIECE`."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [
            pa.array([key], pa.int32()),
            pa.array([what], pa.int32()),
            pa.array([first.tobytes()]),
            pa.array([second.tobytes()]),
        ],
        names=["key", "what", "first", "second"],
    )


def pieces(
    batches: Batches, second: type[np.generic] = np.int32
) -> Iterator[tuple[int, int, Labels, NDArray[Any]]]:
    """Yield key, meaning and columns of each row."""
    for batch in batches:
        for row in zip(*(batch.column(at) for at in range(4)), strict=True):
            yield (
                row[0].as_py(),
                row[1].as_py(),
                np.frombuffer(row[2].as_buffer(), np.int32),
                np.frombuffer(row[3].as_buffer(), second),
            )


def _columns(batches: Batches, kind: type[np.generic]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for batch in batches:
        yield (
            batch.column(0).to_numpy(zero_copy_only=False).astype(kind, copy=False),
            batch.column(1).to_numpy(zero_copy_only=False).astype(kind, copy=False),
        )
