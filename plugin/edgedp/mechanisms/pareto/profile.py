"""The local sensitivity of the Pareto score at every distance, for all candidates.

Within distance ``t`` a utility cannot leave the box ``u_i -+ B_i(t)``, where ``B_i(t)`` is the sum of
``delta_i(0), ..., delta_i(t - 1)``. The ``interval`` form counts the candidates whose status towards
``r`` can change before distance ``t + 1``:

    delta(t, r) = #{r' : hi(r') dominates lo(r)} - #{r' : lo(r') dominates hi(r)},   boxes at t + 1.

One edge {a, b} moves only a, b and their common neighbours (not so for ``betweenness2``, which the plan
refuses); with ``c`` the most common neighbours of any two nodes, the ``edge`` form lets ``r`` alone move
through its box and adds those who can follow:

    delta(t, r) = #{r' : u(r') dominates lo(r)} - #{r' : u(r') dominates hi(r)} + sum_{j <= t} (2 + c + j).

Both, their minimum, and the minimum with ``|R| - 1`` are admissible (tests/mechanisms/test_pareto_profile.py, all
labelled graphs of up to six nodes). All of them are nondecreasing in ``t``.

References
----------
Farias et al., Differentially private multi-objective selection: Pareto and aggregation approaches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgedp.graph.engines.native.dominance import Boxes
from edgedp.mechanisms.pareto.counting import FadingCount, GrowingCount
from edgedp.words.errors import ParameterError

Sensitivity = Callable[[int], NDArray[np.float64]]
"""``delta_i(t)``: the admissible sensitivity of one utility, (n,) float64, capped, nondecreasing in t."""

_ENLARGEMENT = 1 + 2.0**-24
_ROUNDS = 256
"""So many rounds cut off few entries, which are found once."""


class Dampened(NamedTuple):
    """Exact dampened scores ``whole + numerator / denominator``, three (n,) int64 arrays."""

    whole: NDArray[np.int64]
    numerator: NDArray[np.int64]
    denominator: NDArray[np.int64]

    def to_float(self) -> NDArray[np.float64]:
        """Return the scores in floating point: relative error at most ``2**-52``."""
        return (self.whole * self.denominator + self.numerator) / self.denominator


@dataclass(frozen=True, eq=False)
class ParetoProfile:
    """``delta(t, r)`` of every candidate until it reaches its ceiling, ragged.

    Parameters
    ----------
    ceiling : int
        ``|R| - 1``; what is not listed is this.
    offsets : (n + 1,) int64
        ``deltas[offsets[r]:offsets[r + 1]]`` are ``delta(0, r), delta(1, r), ...``, all below the ceiling
        and nondecreasing.
    deltas : (offsets[-1],) int32

    Notes
    -----
    Rounds: the chosen nodes are public, so a round is a selection among ``R' = R`` without them. Its own
    profile would count a subset of the same candidates, for the boxes of the others are the same:
    ``delta'(t, r) <= delta(t, r)``, and its ceiling is ``|R'| - 1``. Hence round 1's profile capped at
    ``|R'| - 1`` satisfies both conditions of admissibility: it is the minimum of an admissible function
    of the score over R', namely the count over R, and of the global sensitivity. It is kept for all
    rounds; `shifted_sum` and `dampen` take the cap.

    Privacy: exact values of the private edges; they stay with their owner.
    """

    ceiling: int
    offsets: NDArray[np.int64]
    deltas: NDArray[np.int32]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(n,) number of steps before each candidate reaches the ceiling."""
        return np.diff(self.offsets)

    def at(self, t: int) -> NDArray[np.int64]:
        """Return ``delta(t, r)`` of every candidate, (n,) int64."""
        found = np.full(len(self.offsets) - 1, self.ceiling, dtype=np.int64)
        listed = self.lengths > t
        found[listed] = self.deltas[self.offsets[:-1][listed] + t]
        return found

    def shifted_sum(self, cap: int) -> NDArray[np.int64]:
        """Return ``sum over t of (cap - min(delta(t, r), cap))`` of every candidate, (n,) int64, exact.

        Divided by `cap` it is the sum that shifted local dampening adds to or takes from ``PS / cap``.

        Parameters
        ----------
        cap : int
            ``|R'| - 1`` for the candidates left, from 1 to the ceiling.
        """
        self._check(cap)
        # In integers: the shifted score is a whole multiple of `1 / cap`, and needs no grid whose rounding is paid for.
        sums = self.lengths * cap - self._totals
        first, above = self._last_steps
        if cap < first:
            above = np.flatnonzero(self.deltas > cap)
        above = above[self.deltas[above] > cap]
        owners = np.searchsorted(self.offsets, above, side="right") - 1
        np.add.at(sums, owners, self.deltas[above].astype(np.int64) - cap)
        return sums

    @cached_property
    def _totals(self) -> NDArray[np.int64]:
        """(n,) sums of every candidate's deltas."""
        totals = np.zeros(len(self.offsets) - 1, dtype=np.int64)
        listed = np.flatnonzero(self.lengths)
        if listed.size:
            totals[listed] = np.add.reduceat(self.deltas, self.offsets[listed], dtype=np.int64)
        return totals

    @cached_property
    def _last_steps(self) -> tuple[int, NDArray[np.int64]]:
        """A cap some rounds below the ceiling, and the entries above it: all that later rounds' caps cut off."""
        first = self.ceiling - _ROUNDS
        return first, np.flatnonzero(self.deltas > first)

    def dampen(self, scores: NDArray[np.int64], cap: int) -> Dampened:
        """Return the local dampening ``D(r)`` of Pareto scores, exactly.

        ``D`` is the linear interpolation through the points ``(b(i), i)``, ``b(i)`` the sum of the first i
        sensitivities, mirrored for negative scores. With z leading zeros of delta it is z at a score of 0.

        Parameters
        ----------
        scores : (n,) int64
            Pareto scores, 0 or negative.
        cap : int
            ``|R'| - 1`` for the candidates left, from 1 to the ceiling.
        """
        self._check(cap)
        size = np.negative(scores)
        first, end = self.offsets[:-1], self.offsets[1:]
        sums = np.zeros(len(self.deltas) + 1, dtype=np.int64)
        np.cumsum(np.minimum(self.deltas, np.int32(cap)), dtype=np.int64, out=sums[1:])
        entry = np.minimum(np.searchsorted(sums, sums[first] + size, side="right") - 1, end)
        steps, rest = entry - first, size - (sums[entry] - sums[first])
        width = np.full(len(size), cap, dtype=np.int64)
        inside = entry < end
        width[inside] = np.minimum(self.deltas[entry[inside]], cap)
        steps, rest = steps + rest // width, rest % width
        sign = np.where(size > 0, -1, 1)
        return Dampened(sign * steps, sign * rest, width)

    def _check(self, cap: int) -> None:
        if not 1 <= cap <= self.ceiling:
            raise ParameterError(
                f"cap is {cap}, must be from 1 to the number of candidates less one; "
                "give the number of candidates left, less one"
            )


def pareto_profile(
    utilities: NDArray[np.float64],
    sensitivities: Sequence[Sensitivity | float],
    *,
    integral: Sequence[bool],
    limit: int,
    common_neighbors: int | None = None,
) -> ParetoProfile:
    """Return the admissible sensitivity of the Pareto score at every distance.

    Parameters
    ----------
    utilities : (n, p) float64
        One row a candidate; the floats that the Pareto score compares.
    sensitivities : p callables
        For each utility its admissible ``delta_i(t)``, (n,) float64: capped at its global sensitivity,
        nondecreasing in t. Or a number, where it is the same for all candidates at every distance (degree).
    integral : p bool
        Whether utility and sensitivity of a metric are integers on every graph (degree). A fact of the
        metric, never of the data.
    limit : int
        A public number of steps from which every sensitivity is taken to be ``|R| - 1``; see Notes.
    common_neighbors : int, optional
        ``c``, the most common neighbours of any two nodes of the graph. Given, the form is
        ``interval+edge``, the minimum of both; else ``interval``.

    Returns
    -------
    ParetoProfile

    Notes
    -----
    *Limit.* Replacing ``delta(t, r)`` by ``|R| - 1`` for all ``t >= T`` keeps it admissible for any public T,
    since nothing exceeds ``|R| - 1``; where a box never grows, this ends the loop. ``T = D + 3`` cuts nothing
    off for the metrics of this package. Under a degree bound D, and while its global sensitivity is not 0,
    any two boxes of a utility overlap from ``t = D + 1`` on, ``2 B_i(t + 1) > range``: degree grows by 1
    over a range of D; density by ``2 / max(D - t, 2)`` at least over a range of 1; EBC and ``betweenness2``
    by ``min(t, GS)`` at least, ``GS >= max(D - 1, 1)``, over a range of ``D (D - 1) / 2``. From then on every
    candidate counts every other.

    *Rounding.* A count decides privacy, so no box may be an ulp too small. The ends of the boxes are
    accumulated in floating point, ``lo(s + 1) = lo(s) - delta(s)``, ``hi(s + 1) = hi(s) + delta(s)``, where
    delta is ``delta_i`` itself for an integral metric (sums below 2^53 are exact) and
    ``(1 + 2^-24) delta_i`` otherwise. Let G and H be neighbours and u their float utilities.
    (a) ``lo_G(1) <= u_H <= hi_G(1)``. The float utilities differ by at most ``(1 + 2^-25) delta_i(G, 0)``:
    two densities, each correctly rounded and at most 1, err by ``2^-53`` together, against ``2^-25 * 2 / d``;
    two EBCs, added up in N rounded steps that stay below ``d (d + 1) / 2 <= 6 delta_i(G, 0)``, err by less
    than ``N 2^-49 delta_i(G, 0)``, and N is about d; ``betweenness2``, whose sensitivity d is small
    against its value, must come in as a multiple of a power of two, which is exact below ``2^53``. So the
    real number ``u_G + delta`` is not below the float ``u_H``, and rounding to nearest is monotone.
    (b) ``lo_G(s + 1) <= lo_H(s)`` and ``hi_G(s + 1) >= hi_H(s)`` follow by induction from (a), from
    ``delta(G, s) >= delta(H, s - 1)``, and from rounded sums being monotone in both arguments.
    By (a) the count at 0 covers every change of status; by (b) every status open at ``t`` in H is open at
    ``t + 1`` in G. Both conditions hold for the numbers as computed, whatever was rounded on the way.

    *What is counted.* The formulas count ``r`` itself where its own box is open in every coordinate; that
    is one more than could be, and admissible.

    *Cost.* A candidate leaves when it reaches ``|R| - 1``. A point counted for all remaining candidates is a
    constant from then on; a coordinate in which it is above all their boxes no longer decides about it,
    so that once the density boxes cover ``[0, 1]`` degrees alone do, and density is not even looked at.
    Where all boxes of an integral utility are of one width, no point moves: its thresholds do, by twice the
    width, which compares the same integers, and a step costs what is active and no pass over all.
    Two metrics: ``O(n log n)`` a step at worst; three or more: ``O(p n^2 / 64)``, but only while three
    coordinates decide about some point (GitHub, with EBC: two steps), and some 100 MB.
    The result takes 4 bytes for each candidate and step before its ceiling, twice that while it is built:
    at worst ``4 n T`` bytes, in practice little, for few candidates last (bench/results/pareto.md).

    Examples
    --------
    Degrees 3, 1, 1, 1 of a star; one step opens every comparison.

    >>> import numpy as np
    >>> degrees = np.array([[3.0], [1.0], [1.0], [1.0]])
    >>> profile = pareto_profile(degrees, [lambda t: np.ones(4)], integral=[True], limit=6)
    >>> profile.at(0).tolist(), profile.at(1).tolist()
    ([1, 3, 3, 3], [3, 3, 3, 3])
    """
    n, p = utilities.shape
    ceiling = max(n - 1, 0)
    values = np.ascontiguousarray(utilities.T)
    boxes = Boxes(values)
    numbers = [
        each if whole and isinstance(each, float) else None
        for whole, each in zip(integral, sensitivities, strict=True)
    ]
    fixed = [number is not None for number in numbers]
    same = np.array([[number or 0.0] for number in numbers]).reshape(p, 1)
    widths = [_by_candidate(each, n) for each in sensitivities]
    may, must = GrowingCount(n, fixed), FadingCount(n)
    may_alone, must_alone = GrowingCount(n, [True] * p), FadingCount(n)
    counters = (may, must) if common_neighbors is None else (may, must, may_alone, must_alone)
    followers = 0
    lengths = np.zeros(n, dtype=np.int64)
    steps: list[NDArray[np.int32]] = []
    active = np.arange(n if p and ceiling else 0, dtype=np.int64)
    for t in range(limit):
        if not active.size:
            break
        for i in range(p):
            if not fixed[i] and any(counter.reads(i) for counter in counters):
                boxes.widen(i, widths[i](t), 1.0 if integral[i] else _ENLARGEMENT)
        low, high = boxes.of(active)
        reach = (t + 1) * same
        delta = may.count(boxes.upper, low - 2 * reach) - must.count(boxes.lower, high + 2 * reach)
        if common_neighbors is not None:
            # The two ends of an edge, and who can be a common neighbour of them t edges from here.
            followers += 2 + common_neighbors + t
            alone = may_alone.count(values, low - reach) - must_alone.count(values, high + reach)
            delta = np.minimum(delta, alone + followers)
        open_ = delta < ceiling
        active = active[open_]
        lengths[active] += 1
        steps.append(delta[open_].astype(np.int32))
    return _ragged(ceiling, lengths, steps)


def _by_candidate(sensitivity: Sensitivity | float, n: int) -> Sensitivity:
    """Return a sensitivity of one value a candidate."""
    return (lambda t: np.full(n, sensitivity)) if isinstance(sensitivity, float) else sensitivity


def _ragged(ceiling: int, lengths: NDArray[np.int64], steps: list[NDArray[np.int32]]) -> ParetoProfile:
    """Turn one array a step into one row a candidate, freeing the steps on the way."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    deltas = np.empty(offsets[-1], dtype=np.int32)
    active = np.arange(len(lengths))
    steps.reverse()
    for t in range(len(steps)):
        active = active[lengths[active] > t]
        deltas[offsets[active] + t] = steps.pop()
    return ParetoProfile(ceiling, offsets, deltas)
