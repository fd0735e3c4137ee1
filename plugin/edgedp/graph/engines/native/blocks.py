"""Sums over pairs of members of cuts, for blocks of members: what one machine of several computes.

A pair ``{u, w}`` belongs to the blocks of its two members, so that the sums of all pairs of blocks are those of the
graph, as integers. A block has labels of its own, and connectors have theirs: the kernels of `cuts.c` read the two
apart. Members of the lower block have the lower labels; a source of the upper one then walks the whole cut of its
connectors, for that holds members of the lower block only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.engine import _hub_rows
from edgedp.graph.engines.native.library import Argument, Given, Rows, Scratch, Taken, call

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]

MOST_ENTRIES = 1 << 24
"""Of two blocks that are summed at once, about 100 bytes each; more are halved."""


@dataclass(frozen=True)
class Members:
    """Entries of cuts whose members are in one block: connector and member, each pair once.

    Attributes
    ----------
    connectors : (entries,) int32
        Positions of the nodes whose cuts they are.
    labels : (entries,) int32
        Of the members, from 0 to `width` - 1.
    width : int
    """

    connectors: Labels
    labels: Labels
    width: int

    def halves(self) -> tuple[Members, Members]:
        """Return the members of the lower labels and those of the upper ones, with labels from 0."""
        middle = self.width // 2
        low = self.labels < middle
        return (
            Members(self.connectors[low], self.labels[low], middle),
            Members(self.connectors[~low], self.labels[~low] - np.int32(middle), self.width - middle),
        )


class Counted(Protocol):
    """What each pair hands to its connectors."""

    @property
    def kernel(self) -> str:
        """Name of the kernel."""

    def arguments(self, connectors: Labels, cuts: Rows, most: int) -> tuple[Argument, ...]:
        """Return what the kernel takes before the sums; `most` connectors has any source."""


@dataclass(frozen=True)
class Open:
    """``floor(2**bits / c)`` of each non-adjacent pair with ``c`` connectors.

    Attributes
    ----------
    bits : int
    wanted : (n,) bool, or None
        By position: whose sums are asked for; None: all.
    """

    bits: int
    wanted: NDArray[np.bool_] | None = None
    kernel = "cut_shares"

    def arguments(self, connectors: Labels, cuts: Rows, most: int) -> tuple[Argument, ...]:
        """Return which sums are asked for, the share of each count, and the rows of hubs."""
        wanted = np.zeros(cuts.n, dtype=np.uint8)
        wanted[: len(connectors)] = 1 if self.wanted is None else self.wanted[connectors]
        shares = (1 << self.bits) // np.maximum(np.arange(most + 1, dtype=np.int64), 1)
        shares[0] = 0
        hub_row, hub_rows = _hub_rows(cuts)
        return (
            Given(wanted, np.uint8, cuts.n, "wanted"),
            most,
            Given(shares, np.int64, most + 1, "shares"),
            Given(hub_row, np.int32, cuts.n, "hub_row"),
            Given(hub_rows, np.uint8, hub_rows.size, "hub_rows"),
        )


@dataclass(frozen=True)
class Closed:
    """``floor(2**bits W level / (level + S))`` of each adjacent pair, ``S`` the sum of ``W`` over its connectors.

    Attributes
    ----------
    weights : (n,) int64
        By position, at least 1.
    level, bits : int
    """

    weights: Ints
    level: int
    bits: int
    kernel = "cut_closed_shares"

    def arguments(self, connectors: Labels, cuts: Rows, most: int) -> tuple[Argument, ...]:
        """Return the weights by label, and the level."""
        weights = np.ones(cuts.n, dtype=np.int64)
        weights[: len(connectors)] = self.weights[connectors]
        return most, self.bits, Given(weights, np.int64, cuts.n, "weights"), self.level


@dataclass(frozen=True)
class Sums:
    """Sums of some connectors; one may stand several times.

    Attributes
    ----------
    positions : (count,) int32
    sums : (count,) int64
    """

    positions: Labels
    sums: Ints


def sums_of_blocks(
    counted: Counted,
    node_count: int,
    lower: Members,
    upper: Members | None,
    edges: NDArray[np.int32],
    most_entries: int = MOST_ENTRIES,
) -> Sums:
    """Return what pairs of members of two blocks, or of one, hand to their connectors.

    Parameters
    ----------
    counted : Open or Closed
    node_count : int
        Of the graph: positions are smaller.
    lower, upper : Members
        ``upper`` None: the pairs within `lower`.
    edges : (m, 2) int32
        Labels of adjacent members: of the lower and of the upper block; within one block the smaller label first.
    most_entries : int
        Blocks of more entries are halved, so that memory is bounded; a single pair of members is not.

    Returns
    -------
    Sums
        Not zero, of connectors with a pair in these blocks.

    Notes
    -----
    Privacy: computed from private edges; not a release.

    Examples
    --------
    In a star with five leaves, the first three in one block and the others in another, six pairs lie across:

    >>> members = [Members(np.zeros(count, np.int32), np.arange(count, dtype=np.int32), count) for count in (3, 2)]
    >>> across = sums_of_blocks(Open(0), 6, *members, np.zeros((0, 2), np.int32))
    >>> across.positions.tolist(), across.sums.tolist()
    ([0], [6])
    """
    pieces = list(_pieces(counted, node_count, lower, upper, edges, most_entries, Scratch()))
    return Sums(
        np.concatenate([np.zeros(0, np.int32), *(piece.positions for piece in pieces)]),
        np.concatenate([np.zeros(0, np.int64), *(piece.sums for piece in pieces)]),
    )


def _pieces(
    counted: Counted,
    node_count: int,
    lower: Members,
    upper: Members | None,
    edges: NDArray[np.int32],
    most: int,
    memory: Scratch,
) -> list[Sums]:
    """Halve what is too large, and sum the pieces."""
    entries = len(lower.labels) + (0 if upper is None else len(upper.labels))
    if entries <= most or (lower.width < 2 and (upper is None or upper.width < 2)):
        return [_summed(counted, node_count, lower, upper, edges, memory)]
    rest = (most, memory)
    if upper is None:
        first, second = lower.halves()
        low = edges < first.width
        across = _moved(edges[low[:, 0] & ~low[:, 1]], 1, first.width)
        return [
            *_pieces(counted, node_count, first, None, edges[low.all(axis=1)], *rest),
            *_pieces(
                counted, node_count, second, None, edges[~low.any(axis=1)] - np.int32(first.width), *rest
            ),
            *_pieces(counted, node_count, first, second, across, *rest),
        ]
    if lower.width >= 2 and (upper.width < 2 or len(lower.labels) >= len(upper.labels)):
        first, second = lower.halves()
        low = edges[:, 0] < first.width
        return [
            *_pieces(counted, node_count, first, upper, edges[low], *rest),
            *_pieces(counted, node_count, second, upper, _moved(edges[~low], 0, first.width), *rest),
        ]
    first, second = upper.halves()
    low = edges[:, 1] < first.width
    return [
        *_pieces(counted, node_count, lower, first, edges[low], *rest),
        *_pieces(counted, node_count, lower, second, _moved(edges[~low], 1, first.width), *rest),
    ]


def _moved(edges: NDArray[np.int32], end: int, by: int) -> NDArray[np.int32]:
    """Return edges one end of which has labels from 0 again."""
    moved = edges.copy()
    moved[:, end] -= np.int32(by)
    return moved


def _summed(
    counted: Counted,
    node_count: int,
    lower: Members,
    upper: Members | None,
    edges: NDArray[np.int32],
    memory: Scratch,
) -> Sums:
    connectors, below, above = _connecting(node_count, lower, upper)
    if not len(connectors):
        return Sums(connectors, np.zeros(0, dtype=np.int64))
    first = 0 if upper is None else lower.width
    last = first + (lower if upper is None else upper).width
    n = max(last, len(connectors))
    cuts = _rows(n, below.connectors, below.labels)
    heads = above.labels + np.int32(first)
    into = _rows(n, heads, above.connectors)
    before = _places(cuts) if upper is None else np.diff(cuts.indptr).astype(np.int32)[into.indices]
    neighbors = _rows(n, edges[:, 1] + np.int32(first), edges[:, 0])
    most = int(np.diff(into.indptr).max(initial=0))
    sums = np.zeros(n, dtype=np.int64)
    call(
        counted.kernel,
        memory,
        neighbors,
        *into.addresses[1:],
        *cuts.addresses[1:],
        Given(before, np.int32, len(before), "before"),
        first,
        last,
        *counted.arguments(connectors, cuts, most),
        Taken(sums, np.int64, n, "sums"),
    )
    found = np.flatnonzero(sums[: len(connectors)])
    return Sums(connectors[found], sums[found])


def _connecting(node_count: int, lower: Members, upper: Members | None) -> tuple[Labels, Members, Members]:
    """Return the connectors of any pair, and the entries with their labels in place of positions."""
    able = np.zeros(node_count, dtype=np.bool_)
    able[lower.connectors] = True
    if upper is not None:
        seen = np.zeros(node_count, dtype=np.bool_)
        seen[upper.connectors] = True
        able &= seen
    connectors = np.flatnonzero(able).astype(np.int32)
    label = np.zeros(node_count, dtype=np.int32)
    label[connectors] = np.arange(len(connectors), dtype=np.int32)

    def labelled(members: Members) -> Members:
        kept = able[members.connectors]
        return Members(label[members.connectors[kept]], members.labels[kept], members.width)

    below = labelled(lower)
    return connectors, below, below if upper is None else labelled(upper)


def _rows(n: int, tails: Labels, heads: Labels) -> Rows:
    """Return compressed rows of some arcs, ascending."""
    keys = np.sort(tails.astype(np.int64) << 32 | heads)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(tails, minlength=n), out=indptr[1:])
    return Rows(n, indptr, (keys & 0xFFFFFFFF).astype(np.int32))


def _places(cuts: Rows) -> Labels:
    """Return, for each member and each of its connectors in order, how many lower members that connector has."""
    tails = np.repeat(np.arange(cuts.n), np.diff(cuts.indptr))
    places = (np.arange(len(tails)) - cuts.indptr[tails]).astype(np.int32)
    # The rows ascend by connector, so a stable order by member keeps connectors ascending.
    return places[np.argsort(cuts.indices, kind="stable")]
