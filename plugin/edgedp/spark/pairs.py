"""Pairs on executors: from edges to cuts, from cuts to the tasks of two blocks, and the sums of each.

What all tasks read (rankings, caps, marks) is broadcast. Every step is exact and draws nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.cuts import order_keys, row_words
from edgedp.graph.engines.native.blocks import Closed, Members, Open, sums_of_blocks
from edgedp.spark.executors import Batches, guarded
from edgedp.spark.pieces import NONE, Shared, groups, piece, pieces, ranges

Labels = NDArray[np.int32]

ENTRIES = "x int, y int, key long, cap int"
"""Of an entry that may stand behind its connector's cap."""
EDGES, LOWER, UPPER, WITHIN = 0, 1, 2, 3
"""What a piece is to its task: adjacent members, or entries of cuts of the lower, the upper or the only block."""


@dataclass(frozen=True)
class Arcs:
    """From edges to the arcs of cuts: of both ends, or of the end in front in a ranking.

    Attributes
    ----------
    ranks : Shared or None
        (n,) int32.
    """

    ranks: Shared | None

    def of(self, first: Labels, second: Labels) -> tuple[Labels, Labels]:
        """Return connectors and members."""
        if self.ranks is None:
            return np.concatenate([first, second]), np.concatenate([second, first])
        ranks = self.ranks.value
        front = ranks[first] < ranks[second]
        return np.where(front, first, second), np.where(front, second, first)


@dataclass(frozen=True)
class Behind:
    """How many arcs each node has, as pieces of a range of positions and their counts."""

    arcs: Arcs
    span: int

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of edges."""
        return guarded(self._counted, batches)

    def _counted(self, batches: Batches) -> Batches:
        found = [self.arcs.of(first, second)[0] for _, _, first, second in pieces(batches)]
        positions, counts = np.unique(np.concatenate([NONE, *found]), return_counts=True)
        yield from ranges(positions, counts.astype(np.int64), self.span)


@dataclass(frozen=True)
class RowsOf:
    """The arcs of some nodes, as pieces of the node and its neighbour."""

    wanted: Shared

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of edges."""
        return guarded(self._rows, batches)

    def _rows(self, batches: Batches) -> Batches:
        for _, _, first, second in pieces(batches):
            x, y = Arcs(None).of(first, second)
            kept = self.wanted.value[x]
            if kept.any():
                yield piece(0, 0, x[kept], y[kept])


@dataclass(frozen=True)
class Keyed:
    """The arcs of those who may have more than their cap, with their places' key: ``x``, ``y``, ``key``, ``cap``."""

    arcs: Arcs
    words: Shared
    caps: Shared
    large: Shared

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of edges."""
        return guarded(self._keyed, batches)

    def _keyed(self, batches: Batches) -> Batches:
        import pyarrow as pa

        for _, _, first, second in pieces(batches):
            x, y = self.arcs.of(first, second)
            kept = self.large.value[x]
            x, y = x[kept], y[kept]
            words = self.words.value
            # The order of unsigned numbers is that of signed ones with the first bit turned.
            keys = (order_keys(row_words(words[x]), words[y]) ^ np.uint64(1 << 63)).view(np.int64)
            yield pa.RecordBatch.from_arrays(
                [pa.array(x), pa.array(y), pa.array(keys), pa.array(self.caps.value[x])],
                names=["x", "y", "key", "cap"],
            )


@dataclass(frozen=True)
class Cut:
    """The entries of cuts of a piece: of edges those of nodes within their cap, of kept entries all.

    Attributes
    ----------
    arcs : Arcs or None
        None: the pieces are entries already.
    large : Shared or None
        (n,) bool: whose entries are kept elsewhere.
    """

    arcs: Arcs | None
    large: Shared | None = None

    def of(self, first: Labels, second: Labels) -> tuple[Labels, Labels]:
        """Return connectors and members."""
        if self.arcs is None:
            return first, second
        x, y = self.arcs.of(first, second)
        if self.large is None:
            return x, y
        kept = ~self.large.value[x]
        return x[kept], y[kept]


@dataclass(frozen=True)
class MembersOf:
    """The members of some nodes' cuts, each once a partition."""

    cut: Cut
    wanted: Shared

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of edges or entries."""
        return guarded(self._members, batches)

    def _members(self, batches: Batches) -> Batches:
        found = [NONE]
        for _, _, first, second in pieces(batches):
            x, y = self.cut.of(first, second)
            found.append(np.unique(y[self.wanted.value[x]]))
        yield piece(0, EDGES, np.unique(np.concatenate(found)), NONE)


@dataclass(frozen=True)
class Blocks:
    """How members are divided: member ``y`` is the ``y // count``-th of block ``y mod count``.

    Attributes
    ----------
    count : int
    keys : tuple of int
        What brings a row into the partition of each task, by number.
    """

    count: int
    keys: tuple[int, ...]

    def key(self, lower: int, upper: int) -> int:
        """Return the key of the task of two blocks, ``lower <= upper``."""
        return self.keys[upper * (upper + 1) // 2 + lower]

    def width(self, node_count: int) -> int:
        """Return how many labels a block has."""
        return -(-node_count // self.count)


@dataclass(frozen=True)
class ToTasks:
    """Send the entries of cuts to all tasks of their member's block, and edges to the task of their two.

    Attributes
    ----------
    cut : Cut
    met : Shared or None
        (n,) bool: members that matter; None: all.
    blocks : Blocks
    """

    cut: Cut
    met: Shared | None
    blocks: Blocks

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition of edges or entries."""
        return guarded(self._sent, batches)

    def _sent(self, batches: Batches) -> Batches:
        for _, _, first, second in pieces(batches):
            x, y = self.cut.of(first, second)
            if self.met is not None:
                kept = self.met.value[y]
                x, y = x[kept], y[kept]
            yield from self._entries(x, y)
            if self.cut.arcs is not None:
                yield from self._edges(first, second)

    def _entries(self, x: Labels, y: Labels) -> Batches:
        count = self.blocks.count
        for block, chosen in groups(y % np.int32(count)):
            entries = x[chosen], y[chosen] // np.int32(count)
            for other in range(count):
                what = WITHIN if block == other else LOWER if block < other else UPPER
                yield piece(self.blocks.key(min(block, other), max(block, other)), what, *entries)

    def _edges(self, first: Labels, second: Labels) -> Batches:
        if self.met is not None:
            kept = self.met.value[first] & self.met.value[second]
            first, second = first[kept], second[kept]
        count = np.int32(self.blocks.count)
        # The end in the lower block first; within one block the lower end.
        turned = (first % count > second % count) | ((first % count == second % count) & (first > second))
        low, high = np.where(turned, second, first), np.where(turned, first, second)
        for code, chosen in groups(low % count * count + high % count):
            key = self.blocks.key(*divmod(code, int(count)))
            yield piece(key, EDGES, low[chosen] // count, high[chosen] // count)


@dataclass(frozen=True)
class Through:
    """Sum the pairs of a task: what its partition holds is of two blocks, or of one.

    Attributes
    ----------
    counted : Open or Closed
    shared : Shared or None
        (n,) whose sums are wanted, or the weights of closed pairs.
    node_count, width, span : int
        Of the graph, of a block's labels, and of a range of positions.
    """

    counted: Open | Closed
    shared: Shared | None
    node_count: int
    width: int
    span: int

    def __call__(self, batches: Batches) -> Batches:
        """Answer a partition with pieces of ranges of positions and their sums."""
        return guarded(self._summed, batches)

    def _summed(self, batches: Batches) -> Batches:
        held: dict[int, list[tuple[Labels, Labels]]] = {what: [] for what in (EDGES, LOWER, UPPER, WITHIN)}
        keys = set()
        for key, what, first, second in pieces(batches):
            keys.add(key)
            held[what].append((first, second))
        if len(keys) > 1:
            raise ValueError("a partition holds two tasks")
        members = {what: Members(*_joined(held.pop(what)), self.width) for what in (LOWER, UPPER, WITHIN)}
        within = members[WITHIN]
        lower, upper = (within, None) if len(within.labels) else (members[LOWER], members[UPPER])
        edges = np.column_stack(_joined(held.pop(EDGES)))
        found = sums_of_blocks(self._counted(), self.node_count, lower, upper, edges)
        yield from ranges(found.positions, found.sums, self.span)

    def _counted(self) -> Open | Closed:
        if self.shared is None:
            return self.counted
        match self.counted:
            case Open():
                return replace(self.counted, wanted=self.shared.value)
            case Closed():
                return replace(self.counted, weights=self.shared.value)
            case _:
                assert_never(self.counted)


def _joined(parts: list[tuple[Labels, Labels]]) -> tuple[Labels, Labels]:
    return (
        np.concatenate([NONE, *(first for first, _ in parts)]),
        np.concatenate([NONE, *(second for _, second in parts)]),
    )
