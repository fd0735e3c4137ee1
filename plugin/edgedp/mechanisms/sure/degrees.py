"""What noisy degrees leave open of the true ones: empirical Bayes.

The prior is fitted to the histogram of the noisy degrees by EM on a grid. The posterior of one node lies on points of
its own, dense around its noisy degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import Degrees, OrderedDegrees
from edgedp.mechanisms.adaptive.vectors import NoisyVector

if TYPE_CHECKING:
    from edgedp.mechanisms.adaptive.purchases import Bought

__all__ = [
    "DegreePosterior",
    "DegreePrior",
    "degree_posterior",
    "drawn_from",
    "value_posterior",
    "weights_of",
]

Floats = NDArray[np.float64]

_WHOLE, _STEPS = 40, 160
"""The grid: every degree up to the first, then so many geometric steps."""
_ROUNDS, _KEPT = 200, 0.995
_OFFSETS = np.sinh(np.linspace(-4.2, 3.5, 49)) / 2
"""Where the points of a posterior lie, in scales of the noise: 17 below and 8 above, dense around 0."""
_FRONT, _FRONT_LIKELY = np.array([0.0, 0.1, 0.25, 0.45, 0.7, 1.0, 1.5]), 0.3
"""How many times as many of a node's neighbours may stand in front of it as random edges would put there: hubs have
fewer, since there are few nodes that they could have."""
_SMOOTHED = 0.15
"""Of ``ln degree``: so far the fitted law is smoothed where hubs are few, each of which it would take for a law."""
_LEAST_SCALE = 0.05
"""Degrees are whole numbers, so that less noise than this is none."""


@dataclass(frozen=True)
class DegreePrior:
    """The law of a node's degree.

    Attributes
    ----------
    degrees, density : (points,) float64
        Ascending; probability a unit of degree.
    """

    degrees: Floats
    density: Floats

    @classmethod
    def fitted(cls, noisy: Floats, scale: float, most: float) -> DegreePrior:
        """Return the law that explains noisy degrees.

        Parameters
        ----------
        noisy : (n,) float64
        scale : float
            Of their noise, two-sided geometric.
        most : float
            No degree is above it.
        """
        largest = max(min(float(noisy.max(initial=0.0)) + 4 * scale, float(most)), 1.0)
        grid = _grid(largest)
        values, counts = _histogram(noisy, scale)
        likelihood = weights_of(-np.abs(values[:, None] - grid) / scale)
        start = 1 / (1 + grid) ** 2
        start /= start.sum()
        law = start
        for _ in range(_ROUNDS):
            law = law * (likelihood.T @ (counts / (likelihood @ law))) / len(noisy)
        law = _KEPT * _smoothed(law / law.sum(), grid) + (1 - _KEPT) * start
        middles = (grid[1:] + grid[:-1]) / 2
        widths = np.diff(np.concatenate([[-0.5], middles, [largest + 0.5]]))
        return cls(grid, law / widths)

    def at(self, degrees: Floats) -> Floats:
        """Return the density at any degrees, 0 outside of what is possible."""
        found = np.exp(np.interp(degrees, self.degrees, np.log(self.density)))
        outside = (degrees < -0.5) | (degrees > self.degrees[-1] + 0.5)
        return np.where(outside, 0.0, found)


def _grid(largest: float) -> Floats:
    whole = np.arange(min(_WHOLE, int(largest)) + 1, dtype=np.float64)
    if largest <= _WHOLE:
        return whole
    return np.concatenate([whole, np.geomspace(_WHOLE, largest, _STEPS + 1)[1:]])


def _smoothed(law: Floats, grid: Floats) -> Floats:
    """Return a law whose geometric steps are spread over those beside them."""
    tail = law[_WHOLE + 1 :]
    if len(tail) == 0:
        return law
    logarithms = np.log(grid[_WHOLE + 1 :])
    kernel = np.exp(-(((logarithms[:, None] - logarithms) / _SMOOTHED) ** 2) / 2)
    return np.concatenate([law[: _WHOLE + 1], (kernel / kernel.sum(axis=0)) @ tail])


def _histogram(noisy: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return values and how often each is there, close ones as one: a tenth of the scale, far out a fiftieth of it."""
    keys = np.round(np.arcsinh(noisy / (5 * scale)) * 50)
    found, counts = np.unique(keys, return_counts=True)
    return np.sinh(found / 50) * 5 * scale, counts.astype(np.float64)


@dataclass(frozen=True)
class DegreePosterior:
    """What is left open of some nodes' degrees.

    Attributes
    ----------
    points : (nodes, points) float64
        Degrees, ascending in each row.
    chances : (nodes, points) float64
        Their probabilities; each row sums to 1.
    """

    points: Floats
    chances: Floats

    def __getitem__(self, rows: NDArray[np.int64]) -> DegreePosterior:
        """Return what is left open of some of the nodes."""
        return DegreePosterior(self.points[rows], self.chances[rows])

    def above(self, unlikely: float) -> Floats:
        """Return for each node the degree that it is above with this probability at most: (nodes,) float64."""
        likely = np.cumsum(self.chances[:, ::-1], axis=1)[:, ::-1] > unlikely
        last = self.points.shape[1] - 1 - np.argmax(likely[:, ::-1], axis=1)
        # A degree is drawn up to the middle between its point and the next.
        following = np.minimum(last + 1, self.points.shape[1] - 1)
        highest: Floats = self.points[np.arange(len(self.points)), following]
        return highest

    def intervals(self, outside: float, count: int) -> list[tuple[int, int]]:
        """Return for the first nodes the whole numbers between which it lies, but for so much of the probability."""
        points, reached = self.points[:count], np.cumsum(self.chances[:count], axis=1)
        last, rows = points.shape[1] - 1, np.arange(len(points))
        low = points[rows, np.minimum((reached < outside / 2).sum(axis=1), last)]
        high = points[rows, np.minimum((reached < 1 - outside / 2).sum(axis=1), last)]
        return [
            (int(np.floor(a + 0.5)), int(np.floor(b + 0.5)))
            for a, b in zip(np.maximum(low, 0.0), np.maximum(high, 0.0), strict=True)
        ]


def degree_posterior(bought: Sequence[Bought], nodes: NDArray[np.int64], most: int) -> DegreePosterior | None:
    """Return what the vectors of a release leave open of some nodes' degrees; None where it bought no degrees.

    Parameters
    ----------
    bought : sequence of Bought
        As released.
    nodes : (nodes,) int64
        Positions.
    most : int
        No degree is above it.

    Notes
    -----
    Ordered degrees count the neighbours behind a node. Which part of its neighbours stands in front is not known: it
    is taken as that of all ends of edges which the nodes in front of it seem to have, times a factor of 0 to 1.5.
    """
    whole = [(each.purchase, each.vector) for each in bought if isinstance(each.vector, NoisyVector)]
    direct = [vector for purchase, vector in whole if isinstance(purchase.choice, Degrees)]
    if not direct:
        return None
    precisions = [1 / max(vector.scale, _LEAST_SCALE) ** 2 for vector in direct]
    noisy = np.sum([p * v.values for p, v in zip(precisions, direct, strict=True)], axis=0) / sum(precisions)
    scale = float(sum(precisions)) ** -0.5
    prior = DegreePrior.fitted(noisy, scale, most)
    centre, precision = noisy[nodes] / scale**2, np.full(len(nodes), scale**-2.0)
    behind: list[tuple[Floats, Floats, float]] = []
    for purchase, vector in whole:
        if isinstance(purchase.choice, OrderedDegrees):
            front = _mass_in_front(purchase.seen, purchase.ranks)[nodes]
            left, wide = 1 - _FRONT_LIKELY * front, max(vector.scale, _LEAST_SCALE)
            seen = vector.values[nodes]
            own = 1 / ((wide / left) ** 2 + (_FRONT_LIKELY * front * np.maximum(seen, 0) / left) ** 2)
            centre, precision = centre + own * seen / left, precision + own
            behind.append((seen, front, wide))
    centre, width = centre / precision, precision**-0.5
    points = np.clip(centre[:, None] + width[:, None] * _OFFSETS, -0.5, most + 0.5)
    chances = prior.at(points) * _widths(points)
    with np.errstate(divide="ignore"):
        logarithm = np.log(chances) - np.abs(noisy[nodes, None] - points) / scale
        for seen, front, wide in behind:
            part = np.maximum(1 - _FRONT * front[:, None], 0.02)
            far = np.abs(seen[:, None, None] - points[:, :, None] * part[:, None, :]) / wide
            logarithm += np.log(np.exp(-np.minimum(far, 700)).mean(axis=2))
    chances = weights_of(np.maximum(logarithm, -1e300))
    return DegreePosterior(points, chances / chances.sum(axis=1, keepdims=True))


def value_posterior(vector: NoisyVector, nodes: NDArray[np.int64]) -> DegreePosterior:
    """Return what one noisy vector of values from 0 leaves open of those of some nodes, where no degrees are known."""
    noisy, scale = vector.values, max(vector.scale, _LEAST_SCALE)
    prior = DegreePrior.fitted(noisy, scale, np.inf)
    points = np.clip(noisy[nodes, None] + scale * _OFFSETS, -0.5, prior.degrees[-1])
    with np.errstate(divide="ignore"):
        logarithm = np.log(prior.at(points) * _widths(points)) - np.abs(noisy[nodes, None] - points) / scale
    chances = weights_of(np.maximum(logarithm, -1e300))
    return DegreePosterior(points, chances / chances.sum(axis=1, keepdims=True))


def _mass_in_front(seen: NDArray[np.int64], ranks: NDArray[np.int64]) -> Floats:
    """Return which part of all ends of edges the nodes in front of each node have, as released degrees say."""
    falling = np.empty(len(seen))
    falling[ranks] = np.maximum(seen.astype(np.float64), 0)
    before = np.cumsum(falling) - falling
    mass: Floats = before[ranks] / max(float(falling.sum()), 1.0)
    return mass


def _widths(points: Floats) -> Floats:
    """Return how much each point of a row stands for: half of the way to either neighbour, 0 where points coincide."""
    gaps = np.diff(points, axis=-1)
    ends = np.zeros((*points.shape[:-1], 1))
    widths: Floats = (np.concatenate([ends, gaps], axis=-1) + np.concatenate([gaps, ends], axis=-1)) / 2
    return widths


def weights_of(logarithms: Floats) -> Floats:
    """Return exponentials up to a factor for each row, so that the largest is 1."""
    weights: Floats = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return weights


def drawn_from(chances: Floats, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw so many columns from each row of probabilities: (rows, count) int64."""
    reached = np.cumsum(chances, axis=1)
    rows = np.arange(len(chances))[:, None]
    flat = (reached / reached[:, -1:] + rows).ravel()
    found = np.searchsorted(flat, rows + rng.random((len(chances), count))) - rows * chances.shape[1]
    columns: NDArray[np.int64] = np.minimum(found, chances.shape[1] - 1)
    return columns
