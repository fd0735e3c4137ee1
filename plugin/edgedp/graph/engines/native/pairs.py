"""From pairs of positions to the rows of a graph: no graph is needed to make one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.library import Given, Rows, Scratch, Taken, call, missing
from edgedp.graph.ids import BACK, THERE, ways_of
from edgedp.words.errors import GraphFormatError

_ARCS_AT_ONCE = 1 << 18


def rows_by_kernel(n: int, positions: NDArray[np.integer[Any]]) -> Rows | None:
    """Return the rows of (m, 2) positions by the compiled kernels, or None where they are missing."""
    if missing():
        return None
    if positions.size and not (int(positions.min()) >= 0 and int(positions.max()) < n):
        raise GraphFormatError(f"a position is out of range, must be from 0 to {n - 1}; check the pairs")
    return rows_of_pairs(n, np.ascontiguousarray(positions, dtype=np.int32))


def rows_of_pairs(n: int, pairs: NDArray[np.int32]) -> Rows:
    """Return the rows of the simple graph of (m, 2) positions; parallels merge, loops drop."""
    memory = Scratch()
    count = len(pairs)
    indptr = np.empty(n + 1, dtype=np.int64)
    bucket, upper = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    edges = np.zeros(1, dtype=np.int64)
    starts = Taken(indptr, np.int64, n + 1, "indptr")
    call(
        "upper_rows",
        memory,
        n,
        count,
        Given(pairs, np.int32, 2 * count, "pairs"),
        starts,
        Taken(bucket, np.int32, count, "bucket"),
        Taken(upper, np.int32, count, "upper"),
        Taken(edges, np.int64, 1, "edges"),
    )
    del bucket
    indices = np.empty(2 * int(edges[0]), dtype=np.int32)
    call(
        "fill_rows",
        memory,
        n,
        starts,
        Given(upper, np.int32, count, "upper"),
        Taken(indices, np.int32, indices.size, "indices"),
    )
    return Rows.checked(indptr, indices, memory, trusted=True)


def ways_by_kernel(made: Rows, positions: NDArray[np.integer[Any]]) -> NDArray[np.uint8]:
    """Return what `edgedp.graph.ids.ways_of` does, of rows that `rows_by_kernel` made of the same pairs.

    Each node stands twice, where arcs start and where they end: the rows of that graph are the arcs in the order of the
    entries, so each is found near the one before it.
    """
    n = len(made.indptr) - 1
    if 2 * n > np.iinfo(np.int32).max:
        return ways_of(made.indptr, made.indices, positions)
    pairs = positions[positions[:, 0] != positions[:, 1]].astype(np.int32, copy=False)
    pairs[:, 1] += n  # of a copy
    both = rows_of_pairs(2 * n, pairs)
    del pairs
    starts = np.arange(n, dtype=np.int64) * n
    entries = np.repeat(starts, np.diff(made.indptr))
    entries += made.indices
    ways = np.zeros(len(made.indices), dtype=np.uint8)
    for way, first, shift in ((THERE, 0, n), (BACK, n, 0)):
        bounds = both.indptr[first : first + n + 1]
        keys = np.repeat(starts, np.diff(bounds))
        keys += both.indices[bounds[0] : bounds[-1]]
        keys -= shift
        for some in range(0, len(keys), _ARCS_AT_ONCE):
            ways[np.searchsorted(entries, keys[some : some + _ARCS_AT_ONCE])] |= way
    return ways
