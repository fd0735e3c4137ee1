"""The order in which the kernels like their nodes, and the compact rows that follow from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.library import Forward, Given, Rows, Scratch, Taken, call

RANK_BITS = 19
"""Of a rank in a sorting key, so that a class and three ranks fit 63 bits; beyond, neighbouring ranks count as one."""


class Layout(NamedTuple):
    """A graph under new labels, so that label order means something to a kernel."""

    positions: NDArray[np.int32]
    """(n,) position of each label."""
    rows: Rows
    """Rows of all neighbours, as labels, ascending."""
    forward: Forward
    """Rows of the neighbours with a higher label."""


def by_degree_class(rows: Rows, memory: Scratch) -> Layout:
    """Relabel by ascending degree class (half a log2), in order of position within a class.

    A forward row then holds the neighbours of about the same or a higher degree: it is short even for a
    hub, and the sum of ``d(u) |forward(u)|`` is the sum over edges of the smaller degree, nearly.
    """
    positions = np.empty(rows.n, dtype=np.int32)
    call("order_by_degree", memory, *rows.addresses[:2], Taken(positions, np.int32, rows.n, "positions"))
    return _relabelled(rows, positions, memory)


def by_strongest_neighbors(rows: Rows, memory: Scratch) -> Layout:
    """Relabel by descending degree class; within a class, nodes with the same three largest neighbours together.

    A walk of two steps then meets the popular nodes in few cache lines, and nodes that are reached together
    stand together.
    """
    n, degrees = rows.n, np.diff(rows.indptr)
    by_degree = np.argsort(-degrees, kind="stable")
    rank = np.empty(n, dtype=np.int32)
    rank[by_degree] = np.arange(n, dtype=np.int32)
    strongest = np.empty((n, 3), dtype=np.int32)
    call(
        "three_smallest",
        memory,
        rows,
        Given(rank, np.int32, n, "rank"),
        Taken(strongest, np.int32, 3 * n, "strongest"),
    )
    key = 31 - np.round(np.log2(np.maximum(degrees, 1))).astype(np.int64)
    dropped = max(n.bit_length() - RANK_BITS, 0)
    for ranks in strongest.T:
        key = (key << RANK_BITS) | (ranks >> dropped)
    return _relabelled(rows, np.argsort(key).astype(np.int32), memory)


def oriented(rows: Rows, memory: Scratch) -> Forward:
    """Return each node's neighbours of a higher degree class or, within its class, of a higher position."""
    forward = Forward.room(rows)
    call("orient", memory, rows, forward)
    return forward


def _relabelled(rows: Rows, positions: NDArray[np.int32], memory: Scratch) -> Layout:
    new = Rows(rows.n, np.empty_like(rows.indptr), np.empty_like(rows.indices))
    forward = Forward.room(rows)
    order = Given(positions, np.int32, rows.n, "positions")
    call("relabel", memory, rows, order, *new.addresses[1:], forward)
    return Layout(positions, new, forward)
