"""Common neighbours of pairs of nodes in the whole graph, sixteen sources at a time.

A source ``u`` reaches ``w`` over as many paths ``u - x - w`` as the two share neighbours. Sources that
stand together share many of their centres ``x``, so a batch of them walks each centre's row once: a node
that is reached has four words of counters, a counter for each source of the batch, and the centre adds its
mask, which has a one for each source that it serves. Reached nodes get consecutive slots, so that scratch
memory follows what a batch reaches and stays in the cache.

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
Words = NDArray[np.uint64]

WORDS = 4
"""Words of counters a node: 16 counters of 16 bits, or 8 of 32 bits where degrees are beyond 16 bits."""
FOUR_LANES = np.uint64(0x0001_0001_0001_0001)
"""The mask of a centre that serves all four sources of a word."""
LOW_WORD_BITS = 32
LOW_WORD = (1 << LOW_WORD_BITS) - 1


@compiled
def hand_out_shares(
    indptr: Ints,
    indices: Labels,
    sources: Ints,
    width: int,
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
    width : {16, 32}
        Bits of a counter; must hold the largest degree.
    wanted : (n,) uint8
        Which nodes' sums are asked for.
    shares : (largest degree + 1,) int64
        Share of each of ``c`` common neighbours; ``shares[0] = 0``. Four times the largest degree times the
        largest share must be below ``2**63``.
    high, low : (n,) int64
        Output, added to: the sums are ``high * 2**32 + low``.
    """
    n = len(indptr) - 1
    lanes_a_word = 64 // width
    counter = np.uint64((1 << width) - 1)
    centre_of = np.full(n, -1, np.int32)
    slot_of = np.full(n, -1, np.int32)
    centres, starts, masks, trail_starts = _room_for_centres(16)
    reached, counts = _room_for_reached(16)
    trail = np.empty(16, np.int32)
    for first in range(0, len(sources), WORDS * lanes_a_word):
        batch = sources[first : first + WORDS * lanes_a_word]
        arcs = _arcs(indptr, batch)
        if arcs > len(centres):
            centres, starts, masks, trail_starts = _room_for_centres(2 * arcs)
        found, paths = _collect_centres(
            indptr, indices, batch, batch[0], width, centre_of, centres, starts, masks
        )
        if paths > len(trail):
            trail = np.empty(2 * paths, np.int32)
        if min(paths, n) >= len(reached):
            reached, counts = _room_for_reached(min(2 * paths, n) + 1)
        met = _count_paths(
            indptr, indices, found, centres, starts, masks, slot_of, reached, counts, trail, trail_starts
        )

        # Only pairs that are not adjacent, and each of them once.
        for lane in range(len(batch)):
            u = batch[lane]
            word = lane // lanes_a_word
            others = ~(counter << np.uint64(width * (lane % lanes_a_word)))
            for p in range(indptr[u], indptr[u + 1]):
                slot = slot_of[indices[p]]
                if slot >= 0:
                    counts[slot, word] &= others
            for earlier in range(lane + 1):
                slot = slot_of[batch[earlier]]
                if slot >= 0:
                    counts[slot, word] &= others

        for x in range(found):
            centre = centres[x]
            if not wanted[centre]:
                continue
            for word in range(WORDS):
                mask = masks[x, word]
                if mask == FOUR_LANES:
                    received = _received_by_four(
                        trail_starts[x], trail_starts[x + 1], trail, counts, word, shares
                    )
                    high[centre] += received >> LOW_WORD_BITS
                    low[centre] += received & LOW_WORD
                elif mask:
                    for lane in range(lanes_a_word):
                        shift = np.uint64(width * lane)
                        if (mask >> shift) & np.uint64(1):
                            received = 0
                            for p in range(trail_starts[x], trail_starts[x + 1]):
                                received += shares[(counts[np.uint64(trail[p]), word] >> shift) & counter]
                            high[centre] += received >> LOW_WORD_BITS
                            low[centre] += received & LOW_WORD
        _clear(found, centres, centre_of, met, reached, slot_of, counts)


@compiled
def most_common_neighbors(
    indptr: Ints, indices: Labels, sources: Ints, width: int, once: bool, result: Ints
) -> None:
    """Raise ``result[u]`` to the most neighbours that the source ``u`` shares with another node.

    Parameters
    ----------
    sources : (k,) int64
        Ascending labels.
    width : {16, 32}
        Bits of a counter; must hold the largest degree.
    once : bool
        Look at pairs ``u <= w`` only and credit both ends: for calls that cover all nodes as sources.
    result : (n,) int64
        Output, zeros before the first call.
    """
    n = len(indptr) - 1
    lanes_a_word = 64 // width
    counter = np.uint64((1 << width) - 1)
    centre_of = np.full(n, -1, np.int32)
    slot_of = np.full(n, -1, np.int32)
    centres, starts, masks, trail_starts = _room_for_centres(16)
    reached, counts = _room_for_reached(16)
    trail = np.empty(16, np.int32)
    most = np.empty(WORDS * lanes_a_word, np.int64)
    for first in range(0, len(sources), WORDS * lanes_a_word):
        batch = sources[first : first + WORDS * lanes_a_word]
        arcs = _arcs(indptr, batch)
        if arcs > len(centres):
            centres, starts, masks, trail_starts = _room_for_centres(2 * arcs)
        floor = batch[0] if once else 0
        found, paths = _collect_centres(
            indptr, indices, batch, floor, width, centre_of, centres, starts, masks
        )
        if paths > len(trail):
            trail = np.empty(2 * paths, np.int32)
        if min(paths, n) >= len(reached):
            reached, counts = _room_for_reached(min(2 * paths, n) + 1)
        met = _count_paths(
            indptr, indices, found, centres, starts, masks, slot_of, reached, counts, trail, trail_starts
        )

        for lane in range(len(batch)):
            slot = slot_of[batch[lane]]
            if slot >= 0:
                others = ~(counter << np.uint64(width * (lane % lanes_a_word)))
                counts[slot, lane // lanes_a_word] &= others
        most[:] = 0
        for slot in range(met):
            here = np.int64(0)
            for word in range(WORDS):
                rest = counts[slot, word]
                lane = word * lanes_a_word
                while rest:
                    shared = np.int64(rest & counter)
                    if shared > most[lane]:
                        most[lane] = shared
                    if shared > here:
                        here = shared
                    rest >>= np.uint64(width)
                    lane += 1
            if once:
                result[reached[slot]] = max(result[reached[slot]], here)
        for lane in range(len(batch)):
            result[batch[lane]] = max(result[batch[lane]], most[lane])
        _clear(found, centres, centre_of, met, reached, slot_of, counts)


@compiled
def _room_for_centres(size: int) -> tuple[Labels, Ints, Words, Ints]:
    """Return scratch for the centres of a batch: nodes, starts of their rows, masks, starts of their trails."""
    return (
        np.empty(size, np.int32),
        np.empty(size, np.int64),
        np.empty((size, WORDS), np.uint64),
        np.empty(size + 1, np.int64),
    )


@compiled
def _room_for_reached(size: int) -> tuple[Labels, Words]:
    """Return scratch for the nodes that a batch reaches and their counters, which are zero between batches."""
    return np.empty(size, np.int32), np.zeros((size, WORDS), np.uint64)


@compiled
def _arcs(indptr: Ints, batch: Ints) -> int:
    arcs = 0
    for u in batch:
        arcs += indptr[u + 1] - indptr[u]
    return arcs


@compiled
def _collect_centres(
    indptr: Ints,
    indices: Labels,
    batch: Ints,
    floor: int,
    width: int,
    centre_of: Labels,
    centres: Labels,
    starts: Ints,
    masks: Words,
) -> tuple[int, int]:
    """List the neighbours of the batch, whom they serve, where their rows reach `floor`, and the total from there."""
    lanes_a_word = 64 // width
    found = 0
    paths = 0
    for lane in range(len(batch)):
        word = lane // lanes_a_word
        bit = np.uint64(1) << np.uint64(width * (lane % lanes_a_word))
        for p in range(indptr[batch[lane]], indptr[batch[lane] + 1]):
            centre = indices[p]
            x = centre_of[centre]
            if x < 0:
                x = found
                found += 1
                centre_of[centre] = x
                centres[x] = centre
                masks[x] = 0
                row = indices[indptr[centre] : indptr[centre + 1]]
                starts[x] = indptr[centre] + np.searchsorted(row, floor)
                paths += indptr[centre + 1] - starts[x]
            masks[x, word] |= bit
    return found, paths


@compiled
def _count_paths(
    indptr: Ints,
    indices: Labels,
    found: int,
    centres: Labels,
    starts: Ints,
    masks: Words,
    slot_of: Labels,
    reached: Labels,
    counts: Words,
    trail: Labels,
    trail_starts: Ints,
) -> int:
    """Add every centre's mask along its row; note the slots it passes as its trail; return how many there are."""
    met = 0
    step = 0
    for x in range(found):
        trail_starts[x] = step
        first, second, third, fourth = masks[x, 0], masks[x, 1], masks[x, 2], masks[x, 3]
        alone = -1
        for word in range(WORDS):
            if masks[x, word] == first + second + third + fourth:
                alone = word
        for p in range(starts[x], indptr[centres[x] + 1]):
            node = indices[p]
            slot = slot_of[node]
            new = slot < 0
            slot = met if new else slot
            slot_of[node] = slot
            reached[met] = node  # kept only if it is new: no branch to mispredict
            met += new
            trail[step] = slot
            step += 1
            row = np.uint64(slot)
            if alone >= 0:
                counts[row, np.uint64(alone)] += masks[x, np.uint64(alone)]
            else:
                counts[row, 0] += first
                counts[row, 1] += second
                counts[row, 2] += third
                counts[row, 3] += fourth
    trail_starts[found] = step
    return met


@compiled
def _received_by_four(start: int, stop: int, trail: Labels, counts: Words, word: int, shares: Ints) -> int:
    """Return what a centre receives from the four sources of a word, 16-bit counters."""
    counter = np.uint64(0xFFFF)
    received = 0
    for p in range(start, stop):
        four = counts[np.uint64(trail[p]), word]
        received += (shares[four & counter] + shares[(four >> np.uint64(16)) & counter]) + (
            shares[(four >> np.uint64(32)) & counter] + shares[four >> np.uint64(48)]
        )
    return received


@compiled
def _clear(
    found: int,
    centres: Labels,
    centre_of: Labels,
    met: int,
    reached: Labels,
    slot_of: Labels,
    counts: Words,
) -> None:
    for x in range(found):
        centre_of[centres[x]] = -1
    for slot in range(met):
        slot_of[reached[slot]] = -1
    counts[:met] = 0
