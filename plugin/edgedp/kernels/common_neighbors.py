"""Common neighbours of pairs of nodes in the whole graph, sixteen sources at a time.

A source ``u`` reaches ``w`` over as many paths ``u - x - w`` as the two share neighbours. Sources that
stand together share most of their centres ``x``, so `LANES` of them walk each centre's row once: the row of
``counts`` of a reached node holds one counter a source. Reached nodes get consecutive slots, so that
scratch memory follows what a batch reaches and not the number of nodes.

Sums are integers, so a value does not depend on the order of the work.

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
Lanes = NDArray[np.int32]

LANES = 16
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
    """Give each wanted common neighbour of a non-adjacent pair ``{u, w}``, ``u < w``, its share of the pair.

    Parameters
    ----------
    indptr, indices
        Rows of all neighbours, ascending.
    sources : (k,) int64
        Ascending labels ``u``. Every neighbour of a wanted node must be among the sources of all calls.
    wanted : (n,) uint8
        Which nodes' sums are asked for.
    shares : (largest degree + 1,) int64
        Share of each of ``c`` common neighbours; ``shares[0] = 0``; times the largest degree below ``2**63``.
    high, low : (n,) int64
        Output, added to: the sums are ``high * 2**32 + low``.
    """
    n = len(indptr) - 1
    centre_of = np.full(n, -1, np.int32)
    slot_of = np.full(n, -1, np.int32)
    centres, starts, lanes = _rooms(16)
    reached, counts = _slots(16)
    dealt = np.empty((16, LANES), np.int64)
    for first in range(0, len(sources), LANES):
        batch = sources[first : first + LANES]
        needed = 0
        for u in batch:
            needed += indptr[u + 1] - indptr[u]
        if needed > len(centres):
            centres, starts, lanes = _rooms(2 * needed)
        found = _collect_centres(indptr, indices, batch, batch[0], centre_of, centres, starts, lanes)
        needed = 0
        for x in range(found):
            needed += indptr[centres[x] + 1] - starts[x]
        needed = min(needed, n)
        if needed > len(reached):
            reached, counts = _slots(min(2 * needed, n))
            dealt = np.empty((len(reached), LANES), np.int64)
        met = _count_paths(indptr, indices, found, centres, starts, lanes, slot_of, reached, counts)

        # Only pairs that are not adjacent, and each of them once.
        for lane in range(len(batch)):
            for p in range(indptr[batch[lane]], indptr[batch[lane] + 1]):
                slot = slot_of[indices[p]]
                if slot >= 0:
                    counts[slot, lane] = 0
            for earlier in range(lane + 1):
                slot = slot_of[batch[earlier]]
                if slot >= 0:
                    counts[slot, lane] = 0
        for slot in range(met):
            for lane in range(LANES):
                dealt[slot, lane] = shares[np.uint64(counts[slot, lane])]
        for x in range(found):
            centre = centres[x]
            if wanted[centre]:
                received = np.zeros(LANES, np.int64)
                for p in range(starts[x], indptr[centre + 1]):
                    slot = slot_of[indices[p]]
                    for lane in range(LANES):
                        received[lane] += dealt[slot, lane]
                for lane in range(LANES):
                    if lanes[x, lane]:
                        high[centre] += received[lane] >> LOW_WORD_BITS
                        low[centre] += received[lane] & LOW_WORD
        _clear(found, centres, centre_of, met, reached, slot_of)


@compiled
def most_common_neighbors(indptr: Ints, indices: Labels, sources: Ints, once: bool, result: Ints) -> None:
    """Raise ``result[u]`` to the most neighbours that the source ``u`` shares with another node.

    Parameters
    ----------
    sources : (k,) int64
        Ascending labels.
    once : bool
        Look at pairs ``u <= w`` only and credit both ends: for calls that cover all nodes as sources.
    result : (n,) int64
        Output, zeros before the first call.
    """
    n = len(indptr) - 1
    centre_of = np.full(n, -1, np.int32)
    slot_of = np.full(n, -1, np.int32)
    centres, starts, lanes = _rooms(16)
    reached, counts = _slots(16)
    for first in range(0, len(sources), LANES):
        batch = sources[first : first + LANES]
        needed = 0
        for u in batch:
            needed += indptr[u + 1] - indptr[u]
        if needed > len(centres):
            centres, starts, lanes = _rooms(2 * needed)
        floor = batch[0] if once else 0
        found = _collect_centres(indptr, indices, batch, floor, centre_of, centres, starts, lanes)
        needed = 0
        for x in range(found):
            needed += indptr[centres[x] + 1] - starts[x]
        needed = min(needed, n)
        if needed > len(reached):
            reached, counts = _slots(min(2 * needed, n))
        met = _count_paths(indptr, indices, found, centres, starts, lanes, slot_of, reached, counts)

        for lane in range(len(batch)):
            slot = slot_of[batch[lane]]
            if slot >= 0:
                counts[slot, lane] = 0
        most = np.zeros(LANES, np.int32)
        for slot in range(met):
            for lane in range(LANES):
                most[lane] = max(most[lane], counts[slot, lane])
            if once:
                node = reached[slot]
                result[node] = max(result[node], counts[slot].max())
        for lane in range(len(batch)):
            result[batch[lane]] = max(result[batch[lane]], most[lane])
        _clear(found, centres, centre_of, met, reached, slot_of)


@compiled
def _rooms(size: int) -> tuple[Labels, Ints, Lanes]:
    """Return scratch for the centres of a batch: the nodes, where their rows start, which lanes they serve."""
    return np.empty(size, np.int32), np.empty(size, np.int64), np.empty((size, LANES), np.int32)


@compiled
def _slots(size: int) -> tuple[Labels, Lanes]:
    """Return scratch for the reached nodes of a batch: the nodes, and a counter a lane."""
    return np.empty(size, np.int32), np.empty((size, LANES), np.int32)


@compiled
def _collect_centres(
    indptr: Ints,
    indices: Labels,
    batch: Ints,
    floor: int,
    centre_of: Labels,
    centres: Labels,
    starts: Ints,
    lanes: Lanes,
) -> int:
    """List the neighbours of the batch, with the lanes they serve and where their rows reach `floor`."""
    found = 0
    for lane in range(len(batch)):
        for p in range(indptr[batch[lane]], indptr[batch[lane] + 1]):
            centre = indices[p]
            x = centre_of[centre]
            if x < 0:
                x = found
                found += 1
                centre_of[centre] = x
                centres[x] = centre
                lanes[x] = 0
                row = indices[indptr[centre] : indptr[centre + 1]]
                starts[x] = indptr[centre] + np.searchsorted(row, floor)
            lanes[x, lane] = 1
    return found


@compiled
def _count_paths(
    indptr: Ints,
    indices: Labels,
    found: int,
    centres: Labels,
    starts: Ints,
    lanes: Lanes,
    slot_of: Labels,
    reached: Labels,
    counts: Lanes,
) -> int:
    """Count the paths of length two to every reached node, a counter a lane; return how many are reached."""
    met = 0
    for x in range(found):
        for p in range(starts[x], indptr[centres[x] + 1]):
            node = indices[p]
            slot = slot_of[node]
            if slot < 0:
                slot = met
                met += 1
                slot_of[node] = slot
                reached[slot] = node
                counts[slot] = 0
            for lane in range(LANES):
                counts[slot, lane] += lanes[x, lane]
    return met


@compiled
def _clear(
    found: int, centres: Labels, centre_of: Labels, met: int, reached: Labels, slot_of: Labels
) -> None:
    for x in range(found):
        centre_of[centres[x]] = -1
    for slot in range(met):
        slot_of[reached[slot]] = -1
