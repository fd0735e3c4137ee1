"""Common neighbours of pairs of nodes in the whole graph, counted from one node of each pair.

A source ``u`` reaches ``w`` over as many paths ``u - x - w`` as the two share neighbours. All paths are walked
once from their higher label, ``w < u``, so every pair is counted whole, in one counter of ``w``. Counters are
not cleared between sources: what is at most `base` is a zero, and `base` rises by more than any count.

Sums are integers, so a value does not depend on the order of the work. Time is the number of paths of length
two, ``sum of C(d, 2)``; memory is a counter a node.

References
----------
Borgatti and Everett (2006), A graph-theoretic perspective on centrality; Brandes (2008), On variants of
shortest-path betweenness centrality: bounded-distance betweenness.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edgedp.kernels.compilation import compiled

__all__ = ["hand_out_shares", "most_common_neighbors"]

Ints = NDArray[np.int64]
Labels = NDArray[np.int32]

LAST_BASE = 1 << 30
LOW_WORD_BITS = 32
LOW_WORD = (1 << LOW_WORD_BITS) - 1


@compiled
def hand_out_shares(
    indptr: Ints,
    indices: Labels,
    sources: Ints,
    wanted: NDArray[np.uint8],
    shares: Ints,
    high: Ints,
    low: Ints,
) -> None:
    """Give each wanted common neighbour of a non-adjacent pair ``{u, w}``, ``w < u``, its share of the pair.

    Parameters
    ----------
    indptr, indices
        Rows of all neighbours, ascending.
    sources : (k,) int64
        Labels ``u``. Every neighbour of a wanted node must be among the sources of all calls.
    wanted : (n,) uint8
        Which nodes' sums are asked for.
    shares : (largest degree + 1,) int64
        Share of each of ``c`` common neighbours; ``shares[0] = 0``. The largest degree times the largest share
        must be below ``2**63``.
    high, low : (n,) int64
        Output, added to: the sums are ``high * 2**32 + low``.
    """
    counts = np.zeros(len(indptr) - 1, np.int32)
    stops = np.empty(_most_neighbors(indptr, sources), np.int64)
    base = np.int32(0)
    for u in sources:
        centres = indices[indptr[u] : indptr[u + 1]]
        if base > LAST_BASE - len(centres):
            counts[:] = 0
            base = np.int32(0)
        for i in range(len(centres)):
            start = indptr[centres[i]]
            row = indices[start : indptr[centres[i] + 1]]
            stops[i] = start + np.searchsorted(row, u)
            for p in range(start, stops[i]):
                w = np.uint32(indices[p])
                counts[w] = max(counts[w], base) + 1
        for x in centres:
            counts[x] = base  # adjacent pairs have no share
        for i in range(len(centres)):
            x = centres[i]
            if wanted[x]:
                received = 0
                for p in range(indptr[x], stops[i]):
                    received += shares[np.uint32(counts[np.uint32(indices[p])] - base)]
                high[x] += received >> LOW_WORD_BITS
                low[x] += received & LOW_WORD
        base += np.int32(len(centres))


@compiled
def most_common_neighbors(indptr: Ints, indices: Labels, sources: Ints, once: bool, result: Ints) -> None:
    """Raise ``result[u]`` to the most neighbours that the source ``u`` shares with another node.

    Parameters
    ----------
    sources : (k,) int64
    once : bool
        Look at pairs ``w < u`` only and credit both ends: for calls that cover all nodes as sources.
    result : (n,) int64
        Output, zeros before the first call.
    """
    counts = np.zeros(len(indptr) - 1, np.int32)
    base = np.int32(0)
    for u in sources:
        centres = indices[indptr[u] : indptr[u + 1]]
        if base > LAST_BASE - len(centres):
            counts[:] = 0
            base = np.int32(0)
        most = result[u]
        for x in centres:
            start = indptr[x]
            stop = indptr[x + 1]
            if once:
                stop = start + np.searchsorted(indices[start:stop], u)
            for p in range(start, stop):
                w = np.uint32(indices[p])
                reached = max(counts[w], base) + 1
                counts[w] = reached
                shared = reached - base
                if shared > most and w != u:
                    most = shared
                if once and shared > result[w]:
                    result[w] = shared
        result[u] = most
        base += np.int32(len(centres))


@compiled
def _most_neighbors(indptr: Ints, sources: Ints) -> int:
    most = 0
    for u in sources:
        most = max(most, indptr[u + 1] - indptr[u])
    return most
