"""Cuts, and what pairs hand to their connectors, written from the definitions; shares no code with the package.

Graphs are ``(..., n, n)`` boolean adjacency matrices. An order is ``(n, n)``: row ``x`` holds the place of every
node in the
order of ``x``. A ranking is ``(n,)``: a node is eligible in the cut of those of lower rank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

WORD = (1 << 64) - 1


def mixed(word: int) -> int:
    """Return a 64-bit word stirred by the finalizer of SplitMix64, in Python's integers."""
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & WORD
    return word ^ word >> 31


def key(of: int | str, member: int | str) -> int:
    """Return the place of `member` in the order of `of`, as 64 bits."""
    first, second = (
        int.from_bytes(hashlib.blake2b(node.encode(), digest_size=8).digest(), "little")
        if isinstance(node, str)
        else node & WORD
        for node in (of, member)
    )
    return mixed((mixed((first + 0x9E3779B97F4A7C15) & WORD) + second) & WORD)


def public_order(node_ids: Sequence[int] | Sequence[str]) -> NDArray[np.int64]:
    """Return the order that the package uses: by key, equal keys by id."""
    n = len(node_ids)
    order = np.zeros((n, n), dtype=np.int64)
    for x, of in enumerate(node_ids):
        ascending = sorted(range(n), key=lambda y: (key(of, node_ids[y]), y))
        order[x, ascending] = np.arange(n)
    return order


def cuts(
    edges: NDArray[np.bool_],
    caps: int | NDArray[np.int64],
    order: NDArray[np.int64],
    ranks: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Return ``(..., n, n)``: whether the second node stands in the cut of the first."""
    eligible = edges if ranks is None else edges & (ranks[None, :] > ranks[:, None])
    limits = np.broadcast_to(caps, edges.shape[-1:])
    ahead = order[:, None, :] < order[:, :, None]  # of x: is z ahead of y?
    before = np.einsum("...xz,xyz->...xy", eligible.astype(np.int64), ahead.astype(np.int64))
    return eligible & (before < limits[:, None])


def betweenness(edges: NDArray[np.bool_], cut: NDArray[np.bool_], one: int) -> NDArray[np.int64]:
    """Return ``(..., n)``: the sums of ``floor(one / c)`` over non-adjacent pairs in each cut."""
    member = cut.astype(np.int64)
    shared = np.swapaxes(member, -1, -2) @ member
    apart = ~edges & ~np.eye(edges.shape[-1], dtype=bool)
    handed = np.where(apart & (shared > 0), one // np.maximum(shared, 1), 0)
    return ((member @ handed) * member).sum(axis=-1) // 2


def closed(
    edges: NDArray[np.bool_], cut: NDArray[np.bool_], weights: NDArray[np.int64], level: int, one: int
) -> NDArray[np.int64]:
    """Return ``(..., n)``: the sums of ``floor(one W level / (level + S))`` over adjacent pairs in each cut."""
    member = cut.astype(np.int64)
    totals = np.swapaxes(member * weights[:, None], -1, -2) @ member
    result = np.zeros(edges.shape[:-1], dtype=np.int64)
    for x in range(edges.shape[-1]):
        handed = np.where(edges, one * int(weights[x]) * level // (level + totals), 0)
        result[..., x] = np.einsum("...u,...uw,...w->...", member[..., x, :], handed, member[..., x, :]) // 2
    return result


def exact_betweenness(edges: NDArray[np.bool_], cut: NDArray[np.bool_]) -> list[Fraction]:
    """Return ``B_h`` of one graph as rationals, pair by pair."""
    n = len(edges)
    total = [Fraction(0)] * n
    for u in range(n):
        for w in range(u):
            connectors = [x for x in range(n) if cut[x, u] and cut[x, w]]
            if connectors and not edges[u, w]:
                for x in connectors:
                    total[x] += Fraction(1, len(connectors))
    return total
