"""Paths of length two, listed in blocks of bounded size: what the igraph engine counts.

A path ``u - x - w`` with ``u < w`` starts with the arc ``u -> x`` and goes on in the row of ``x`` behind ``u``. Arcs
are indices into the rows of a graph; the arc back is found once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

BLOCK = 1 << 20
"""Paths listed at once: some ten arrays of this length make up the memory."""


class Paths(NamedTuple):
    """A block of paths of length two, an entry each."""

    sources: Ints
    centres: Ints
    targets: Ints
    shared: Ints
    """How many such paths there are from the source to the target."""


class Rows(NamedTuple):
    """Sorted rows of a symmetric adjacency, with what it takes to walk two steps."""

    indptr: Ints
    heads: Ints
    tails: Ints
    back: Ints
    """(arcs,) the arc in the other direction."""
    behind: Ints
    """(n,) the first arc of a row whose head is larger than its tail."""

    @classmethod
    def of(cls, indptr: Ints, indices: NDArray[np.integer]) -> Rows:
        """Return the rows with the arcs back."""
        heads = indices.astype(np.int64)
        tails = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        # By head, then tail: that is the order of the arcs back.
        back = np.argsort(heads, kind="stable")
        behind = indptr[:-1] + np.bincount(tails[heads < tails], minlength=len(indptr) - 1)
        return cls(indptr, heads, tails, back, behind)

    def arcs(self, nodes: Ints) -> Ints:
        """Return the arcs of the nodes, node after node."""
        return ranges(self.indptr[nodes], self.indptr[nodes + 1])

    def sums_over_neighbors(self, values: Ints) -> Ints:
        """Return, for each node, the sum of its neighbours' values."""
        reached = np.concatenate([[0], np.cumsum(values[self.heads])])
        return np.diff(reached[self.indptr])

    def paths(
        self, sources: Ints, ends: Ints | None = None, *, behind: bool = True, apart: bool = False
    ) -> Iterator[Paths]:
        """Yield the paths of length two from each source, in blocks of about `BLOCK`, the pairs of a source whole.

        Parameters
        ----------
        sources : (k,) int64
            Ascending.
        ends : (n,) int64, optional
            One above the largest target that a source can reach; ``n`` if None.
        behind : bool
            Only targets larger than the source; otherwise all but the source itself.
        apart : bool
            Only targets that are not adjacent to the source.
        """
        n = len(self.indptr) - 1
        starts = self.back + 1 if behind else self.indptr[self.heads]
        lengths = self.indptr[self.heads + 1] - starts
        reached = np.concatenate([[0], np.cumsum(lengths)])
        cost = reached[self.indptr[sources + 1]] - reached[self.indptr[sources]]
        for chosen in blocks(cost):
            block = sources[chosen]
            first = block if behind else np.zeros_like(block)
            width = (np.full(len(block), n) if ends is None else ends[block]) - first
            # The cell of a pair: the source's window of targets, after the windows of the sources before.
            window = np.zeros(n, dtype=np.int64)
            window[block] = np.cumsum(width) - width - first
            arcs = self.arcs(block)
            taken = np.repeat(arcs, lengths[arcs])
            from_source = self.tails[taken]
            target = self.heads[ranges(starts[arcs], starts[arcs] + lengths[arcs])]
            cell = window[from_source] + target
            unwanted = [np.zeros(0, dtype=np.int64)]
            if apart:
                adjacent = arcs[self.heads[arcs] > self.tails[arcs]] if behind else arcs
                unwanted.append(window[self.tails[adjacent]] + self.heads[adjacent])
            if not behind:
                unwanted.append(window[block] + block)
            shared = _occurrences(cell, np.concatenate(unwanted), int(width.sum()))
            kept = shared > 0
            yield Paths(from_source[kept], self.heads[taken[kept]], target[kept], shared[kept])


def _occurrences(cells: Ints, unwanted: Ints, size: int) -> Ints:
    """Return how often each entry's cell occurs in `cells`, 0 for unwanted cells; by a table if it pays."""
    if size <= 8 * len(cells):
        table = np.bincount(cells, minlength=size)
        table[unwanted] = 0
        return table[cells]
    found, inverse, counts = np.unique(cells, return_inverse=True, return_counts=True)
    counts[np.isin(found, unwanted)] = 0
    occurrences: Ints = counts[inverse]
    return occurrences


def blocks(cost: Ints) -> Iterator[slice]:
    """Yield consecutive slices of about `BLOCK` cost, or of one entry that costs more."""
    reached = np.cumsum(cost)
    start = 0
    while start < len(cost):
        before = int(reached[start - 1]) if start else 0
        stop = max(int(np.searchsorted(reached, before + BLOCK, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def ranges(starts: Ints, stops: Ints) -> Ints:
    """Return ``arange(start, stop)`` of every pair, one after the other."""
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())
