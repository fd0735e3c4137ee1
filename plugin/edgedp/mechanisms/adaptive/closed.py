"""Closed pairs in cuts: their weights, and what one edge moves them by. Proofs: docs/privacy.md, "Lists"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.vectors import Vector

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection

Ints = NDArray[np.int64]

CLOSED_BITS = 22


WEIGHT_BITS = 14


LEVEL = 50
"""``lam``: from about this many connectors on a closed pair hands out no more."""


@dataclass(frozen=True)
class ClosedPairs:
    """How closed pairs are counted: node ``x`` connects up to ``caps[x]`` neighbours, with weight ``W_x``.

    Adding ``b`` to a cut of ``x`` changes at most ``caps[x] - 1`` pairs by about ``W_x`` each: weights that fall with
    the cap make this the same for all nodes, about `cap` in units of 1, while no neighbour of a hub is cut away.

    Attributes
    ----------
    caps : (n,) int64
        ``min(max(nd, cap), most, cap 2**p)``.
    weights : (n,) int64
        ``W = floor(cap 2**p / caps)``, from 1 to ``2**p``.
    level : int
        ``Lam = lam 2**p``.
    bits, weight_bits : int
        ``q`` and ``p``; a share is ``floor(2**q W Lam / (Lam + S))`` units of ``2**-(p + q)``.
    cap : int
    """

    caps: Ints
    weights: Ints
    level: int
    bits: int
    weight_bits: int
    cap: int

    @classmethod
    def of(
        cls, noisy_degrees: Ints, cap: int, most: int, bits: int = CLOSED_BITS, weight_bits: int = WEIGHT_BITS
    ) -> ClosedPairs:
        """Return the weights that follow from noisy degrees.

        Parameters
        ----------
        noisy_degrees : (n,) int64
            Released.
        cap : int
            From 1 to `most`.
        most : int
            ``n - 1``, or a smaller declared bound: no cut is larger.

        Notes
        -----
        ``q`` falls where it must, so that ``2**q W Lam`` and all sums stay below ``2**62``:
        ``2 p + q + bitlength(lam) <= 62`` and ``p + q + bitlength(cap (max caps - 1)) <= 62``.
        """
        largest = min(most, cap << weight_bits)
        # From released degrees, so that both graphs of a neighbouring pair have the same caps.
        caps = np.clip(noisy_degrees, cap, largest).astype(np.int64)
        # Rounded down: no cap times its weight is above that of the smallest cap, which the noise is scaled to.
        weights = (cap << weight_bits) // caps
        room = 62 - weight_bits - (cap * (int(caps.max(initial=1)) - 1)).bit_length()
        # Bits are given up before a sum could leave int64: a sum that wrapped would move by more than is paid for.
        shares = min(bits, 62 - 2 * weight_bits - LEVEL.bit_length(), room)
        if shares < 0:
            return cls.of(noisy_degrees, cap, most, bits, weight_bits - 1)
        return cls(caps, weights, LEVEL << weight_bits, shares, weight_bits, cap)

    def moves(self, node_count: int, *, ordered: bool) -> int:
        """Return what one edge moves the vector by, in units of ``2**-(p + q)``, for any two neighbouring graphs.

        With ``t(x) = (caps[x] - 1) (2**q W_x + 2 R)`` and ``R = n - 3``: the largest ``t`` (*ordered*), or the two
        largest (*lists*), and ``lam 2**(p + q)`` for the pair that starts to count.
        """
        ends = 1 if ordered else 2
        remainder = max(node_count - 3, 0)
        served: list[int] = []
        weights = np.zeros(int(self.caps.max(initial=0)) + 1, dtype=np.int64)
        weights[self.caps] = self.weights  # those that are handed out, not what they should be
        for cap, count in zip(*np.unique(self.caps, return_counts=True), strict=True):
            weight = int(weights[cap])
            served += [(int(cap) - 1) * ((weight << self.bits) + 2 * remainder)] * min(int(count), ends)
        return sum(sorted(served)[-ends:]) + (self.level << self.bits)


def closed_pairs(projection: Projection, node_count: int, counted: ClosedPairs, ranks: Ints | None) -> Vector:
    """Return ``E_h(x)``, the sum of ``w_x lam / (lam + S)`` over the adjacent pairs in ``cut(x)``.

    Parameters
    ----------
    projection : Projection
        The private data.
    node_count : int
    counted : ClosedPairs
        From public facts and noisy degrees.
    ranks : (n,) int64 or None
        As in `cut_vector`.
    """
    shares = projection.cut_closed_shares(counted.caps, ranks, counted.weights, counted.level, counted.bits)
    moves = counted.moves(node_count, ordered=ranks is not None)
    return Vector(shares, moves, 1 << (counted.bits + counted.weight_bits))
