"""What an adaptive joint release buys: exact integer vectors, what one edge moves them by, and their noise.

For any two graphs that differ by one edge, whatever their degrees, the vectors differ in L1 by at most ``moves``:
2 for degrees, 1 for ordered degrees, `cut_moves` for length-2 betweenness through cuts, `ClosedPairs.moves` for the
closed pairs in cuts. Cuts and rankings follow from public facts and from noisy values that were released before.
Proofs: docs/privacy.md, "Lists".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.joint import noise_of, noisy

if TYPE_CHECKING:
    from edgedp.mechanisms.projection import Projection
    from edgedp.mechanisms.sampling.words import Words

Ints = NDArray[np.int64]

MOST_BITS = 32
"""Of a share; more would not be felt."""


@dataclass(frozen=True)
class Vector:
    """An exact vector and what one edge moves it by.

    Attributes
    ----------
    values : (n,) int64
        In units of ``1 / unit``.
    moves : int
        L1 sensitivity in the same units; 0 where nothing can differ.
    unit : int
    """

    values: Ints
    moves: int
    unit: int = 1

    @property
    def whole(self) -> Vector:
        """All of it."""
        return self

    def with_noise(self, epsilon: Fraction, words: Words) -> NoisyVector:
        """Return the vector with two-sided geometric noise of scale ``moves / epsilon`` on every entry.

        Notes
        -----
        Privacy: ``epsilon``-edge-DP (docs/privacy.md, "Joint release").
        """
        return NoisyVector(noisy(self.values, self.moves, epsilon, words), self.moves / epsilon, self.unit)


@dataclass(frozen=True)
class NoisyVector:
    """A released vector: whatever is computed from it is post-processing.

    Attributes
    ----------
    integers : (n,) int64 or object array of Python integers
        In units of ``1 / unit``.
    noise : Fraction
        Scale of the two-sided geometric noise, in the same units.
    unit : int
    """

    integers: NDArray[np.int64]
    noise: Fraction
    unit: int = 1

    @property
    def whole(self) -> NoisyVector:
        """All of it."""
        return self

    def __getitem__(self, positions: Ints) -> NDArray[np.float64]:
        """Return the values of some nodes."""
        return self.values[positions]

    @property
    def values(self) -> NDArray[np.float64]:
        """(n,) float64 values."""
        # Above 2**53 the lowest bits go: after the noise, so that this costs accuracy and no privacy.
        return self.integers.astype(np.float64) / self.unit

    @property
    def scale(self) -> float:
        """Scale of the noise on `values`."""
        return float(self.noise / self.unit)

    @property
    def variance(self) -> float:
        """Variance of the noise on `values`: ``2 q / (1 - q)**2`` with ``q = exp(-1 / noise)``, in integer steps."""
        if self.noise == 0:
            return 0.0
        half = float(1 / (2 * self.noise))
        return 0.0 if half > 300 else float(0.5 / np.sinh(half) ** 2) / self.unit**2


@dataclass(frozen=True)
class CutVector:
    """An exact vector through cuts and what one edge moves it by; entries are computed where they are looked at.

    Attributes
    ----------
    count : int
    shares : callable
        From positions, or None for all, to their entries in units of ``1 / unit``.
    moves : int
        L1 sensitivity in the same units, positive.
    unit : int
    """

    count: int
    shares: Callable[[Ints | None], Ints]
    moves: int
    unit: int

    @property
    def whole(self) -> Vector:
        """All of it."""
        return Vector(self.shares(None), self.moves, self.unit)

    def with_noise(self, epsilon: Fraction, words: Words) -> NoisyCutVector:
        """Return the vector with two-sided geometric noise of scale ``moves / epsilon`` on every entry.

        Notes
        -----
        Privacy: ``epsilon``-edge-DP (docs/privacy.md, "Joint release"), however many entries are looked at: the noise
        of all is drawn here, before any entry is computed.
        """
        # All of it now, also where nobody will look: which entries are looked at follows from released values.
        added = noise_of(self.count, self.moves, epsilon, words)
        return NoisyCutVector(self.shares, added, self.moves / epsilon, self.unit)

    def remembering(self) -> CutVector:
        """Return the same vector, which computes no entry twice."""
        looked = Looked()
        everyone = np.arange(self.count)

        def shares(positions: Ints | None) -> Ints:
            wanted = everyone if positions is None else positions
            new = looked.missing(wanted, everyone)
            if len(new):
                looked.keep(new, self.shares(None)[new] if len(new) == self.count else self.shares(new))
            return looked.at(wanted)

        return replace(self, shares=shares)


class Looked:
    """Entries that were looked at, kept beside the positions that have them."""

    def __init__(self) -> None:
        self._known = np.zeros(0, dtype=np.bool_)
        self._noisy: Ints = np.zeros(0, dtype=np.int64)

    def missing(self, positions: Ints, added: Ints) -> Ints:
        """Return those of the positions that nobody has looked at, in their order."""
        if len(self._known) == 0:
            self._known = np.zeros(len(added), dtype=np.bool_)
            self._noisy = np.zeros(len(added), dtype=added.dtype)
        return positions[~self._known[positions]]

    def keep(self, positions: Ints, noisy: Ints) -> None:
        """Keep entries."""
        self._known[positions], self._noisy[positions] = True, noisy

    def at(self, positions: Ints) -> Ints:
        """Return entries that are kept."""
        return self._noisy[positions]


@dataclass(frozen=True)
class NoisyCutVector:
    """A released vector that is computed only where it is looked at; what is seen there is as in a `NoisyVector`.

    Attributes
    ----------
    shares : callable
        Of the exact vector.
    added : (n,) int64 or object array of Python integers
        The noise, in units of ``1 / unit``.
    noise : Fraction
        Its scale, in the same units.
    unit : int
    looked : Looked
        What was computed before, so that another look at the same nodes costs nothing.
    """

    shares: Callable[[Ints | None], Ints]
    added: Ints
    noise: Fraction
    unit: int
    looked: Looked = field(default_factory=lambda: Looked(), compare=False, repr=False)

    @property
    def whole(self) -> NoisyVector:
        """All of it."""
        return self._seen(None)

    @property
    def scale(self) -> float:
        """Scale of the noise on the values."""
        return float(self.noise / self.unit)

    def __getitem__(self, positions: Ints) -> NDArray[np.float64]:
        """Return the values of some nodes."""
        # Looked at twice, an entry is the same number: fresh noise would be a second release of it.
        new = self.looked.missing(positions, self.added)
        if len(new):
            self.looked.keep(new, self._seen(new).integers)
        return NoisyVector(self.looked.at(positions), self.noise, self.unit).values

    def _seen(self, positions: Ints | None) -> NoisyVector:
        added = self.added if positions is None else self.added[positions]
        return NoisyVector(self.shares(positions) + added, self.noise, self.unit)


def degree_vector(projection: Projection, node_count: int) -> Vector:
    """Return the degrees: one edge moves two of them by one each, whatever they are."""
    return Vector(projection.degrees(), 2 if node_count >= 2 else 0)


def ordered_degree_vector(projection: Projection, node_count: int, ranks: Ints) -> Vector:
    """Return how many neighbours of each node stand behind it: one edge counts at its higher end, once.

    Parameters
    ----------
    projection : Projection
        The private data.
    node_count : int
    ranks : (n,) int64
        Each node's place in a ranking that is public or was released.
    """
    return Vector(projection.ordered_degrees(ranks), 1 if node_count >= 2 else 0)


def cut_bits(cap: int) -> int:
    """Return ``q``: `MOST_BITS`, or fewer where twice the shares of a node might not fit 62 bits.

    Examples
    --------
    >>> cut_bits(1_000), cut_bits(2**16), cut_bits(2**31)
    (32, 30, 0)
    """
    return min(MOST_BITS, 61 - (cap * (cap - 1) // 2).bit_length())


def cut_moves(cap: int, node_count: int, bits: int, *, ordered: bool) -> int:
    """Return what one edge moves the cut vector by, in units of ``2**-bits``, for any two neighbouring graphs.

    ``(cap - 1) (2**bits + R) + 2**bits`` where an edge serves one end (*ordered*), and
    ``2 (cap - 1) (2**bits + R) + 2**bits`` where it serves both (*lists*).

    Parameters
    ----------
    cap : int
        Of every cut, 1 or more.
    node_count : int
        Public.
    bits : int
    ordered : bool

    Notes
    -----
    ``R = min(n - 3, 2**bits)`` is what rounding down costs: of a pair that loses a connector, the ``c`` others may
    gain ``(2**bits mod (c + 1)) - (2**bits mod c)`` more than it loses, where ``c <= n - 3``.

    Examples
    --------
    >>> cut_moves(10, 3, 0, ordered=True), cut_moves(10, 3, 0, ordered=False)
    (10, 19)
    """
    one = 1 << bits
    remainder = min(max(node_count - 3, 0), one)
    return (1 if ordered else 2) * (cap - 1) * (one + remainder) + one


def cut_vector(projection: Projection, node_count: int, cap: int, ranks: Ints | None) -> CutVector:
    """Return length-2 betweenness through cuts: the sums of ``1 / c(u, w)`` over non-adjacent pairs in each cut.

    Parameters
    ----------
    projection : Projection
        The private data.
    node_count, cap : int
        Public, or computed from what was released.
    ranks : (n,) int64 or None
        Each node's place in a ranking that is public or was released: *ordered*. None: *lists*.
    """
    bits = cut_bits(cap)
    caps = np.full(node_count, cap, dtype=np.int64)
    moves = cut_moves(cap, node_count, bits, ordered=ranks is not None)

    def shares(positions: Ints | None) -> Ints:
        return projection.cut_shares(caps, ranks, bits, positions)

    return CutVector(node_count, shares, moves, 1 << bits)
