"""Scores on a public grid and the unit of noise that fits them: one place for the law and the draw.

A real score that moves by at most 1 between neighbours is computed in floating point with an error
below an eighth of a grid step and rounded to the grid, so the integer score moves by at most
``2**bits + 2`` steps (docs/privacy.md, "Grid"). The noise is scaled to that. From there on everything
is exact: integers, rationals and exactly sampled noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.samplers import Sampler
from edgedp.mechanisms.sampling.ranking import LazyScores
from edgedp.mechanisms.sampling.words import Words

Scorer = Callable[[NDArray[np.int64] | None], NDArray[np.int64]]
"""Computes the exact scores of some positions, in their order; of all for None."""


def grid_bits(magnitude: int) -> int:
    """Return how many binary places the grid has for scores of at most `magnitude` in size.

    Examples
    --------
    >>> grid_bits(2000)
    35
    """
    # Of the 53 binary places of a float, seven stay below the grid, for what rounding takes before a score gets there.
    return max(46 - max(1, int(magnitude)).bit_length(), 8)


def to_grid(scores: NDArray[np.float64], bits: int) -> NDArray[np.int64]:
    """Round real scores to whole grid steps of ``2**-bits``."""
    return np.rint(np.ldexp(scores, bits)).astype(np.int64)


def noise_unit(epsilon: Fraction, bits: int, *, monotone: bool) -> Fraction:
    """Return the worth of one grid step in standard noise, for one pick at `epsilon`.

    A candidate is picked by ``unit * score + noise`` with standard Gumbel or exponential noise. A
    monotone score (an edge never lowers any) needs no factor 2.
    """
    # The 2 steps beside `2**bits` are what rounding adds on two neighbouring graphs.
    return unit_of(epsilon, (1 << bits) + 2, monotone=monotone)


def unit_of(epsilon: Fraction, moved: int, *, monotone: bool) -> Fraction:
    """Return the worth of one step in standard noise, for one pick at `epsilon` of scores that move by `moved` steps.

    Examples
    --------
    >>> unit_of(Fraction(1), 3, monotone=False), unit_of(Fraction(1), 3, monotone=True)
    (Fraction(1, 6), Fraction(1, 3))
    """
    # Without monotony one score may rise while all others fall, so differences move twice as much.
    return epsilon / ((1 if monotone else 2) * moved)


@dataclass(frozen=True)
class GridScores:
    """Candidates' integer scores with the unit of their noise; what the law and the draw both read.

    Parameters
    ----------
    upper : (n,) int64
        An upper bound of every score; the score itself where `evaluate` is None.
    unit : Fraction
        Worth of one step in standard noise, for one pick.
    sampler : Sampler
    evaluate : callable, optional
    """

    upper: NDArray[np.int64]
    unit: Fraction
    sampler: Sampler
    evaluate: Scorer | None = None

    def exact(self) -> NDArray[np.int64]:
        """Return every score exactly."""
        # Where nothing evaluates, the bounds are the scores themselves: law and draw cannot read different numbers.
        if self.evaluate is None:
            return self.upper
        return self.evaluate(None)

    def law(self) -> NDArray[np.float64]:
        """Return the (n,) probabilities of the first pick."""
        return self.sampler.law(self.exact(), self.unit)

    def ordered_law(self, k: int) -> dict[tuple[int, ...], float]:
        """Return the law of the whole ordered answer of k rounds (small n)."""
        return self.sampler.ordered_law(self.exact(), self.unit, k)

    def draw(self, k: int, words: Words) -> NDArray[np.int64]:
        """Draw k positions without replacement, in the order picked."""
        return self.sampler.top_k(self._lazy, k, self.unit, words, self.evaluate)

    @property
    def _lazy(self) -> NDArray[np.int64] | LazyScores:
        """What draws start from: where every score is known, they share what follows from the scores."""
        return self.upper if self.evaluate is not None else self._known

    @cached_property
    def _known(self) -> LazyScores:
        return LazyScores(self.upper)
