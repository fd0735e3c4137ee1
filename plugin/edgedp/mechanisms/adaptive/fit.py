"""Scores from noisy degrees and noisy length-2 betweenness: a fit of the two. Pure functions of released values.

A node of noisy degree ``x`` connects about ``C = x' (x' - 1) / 2`` pairs of neighbours, ``x'`` being ``x`` up to the
cap of the cuts, and has ``B = rho C`` with ``0 <= rho <= 1``. The prior of ``ln rho`` is normal, cut at 0, with
parameters fitted by EM to the nodes of the largest noisy degrees; a twentieth of it is flat, for nodes of another
kind than the bulk. The score is the posterior mean of ``rho`` times ``x (x - 1) / 2``: the ratio fills in what was
cut away. It slides from a ranking by degree, where the noise is large, to one by the noisy ``B``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.choice import falling_order
from edgedp.mechanisms.adaptive.vectors import NoisyVector


class ValuesAt(Protocol):
    """Values of nodes, by their positions."""

    def __getitem__(self, positions: NDArray[np.int64], /) -> NDArray[np.float64]:
        """Return the values of some nodes."""


_LOWEST = -10.0
"""The smallest ``ln rho`` considered; one pair of neighbours in 22,000."""
_FLAT = 0.05
"""Share of the prior that is flat in ``ln rho``."""
_LEAST_SPREAD = 0.05
"""The fitted spread of ``ln rho`` stays above this, so that no node is ruled out by the others' likeness."""


def rank(
    noisy_degrees: NDArray[np.int64], noisy_betweenness: ValuesAt, scale: float, k: int, cap: int
) -> NDArray[np.float64]:
    """Return a score for each node: the posterior mean of its length-2 betweenness given both noisy values.

    Parameters
    ----------
    noisy_degrees : (n,) int64 array
    noisy_betweenness : (n,) float64 array, or what is indexed like one
        Through cuts, in pairs of neighbours. Looked at are the nodes that could be among the best by their degrees;
        all others at once where these do not settle it.
    scale : float
        Scale of the noise in it, positive.
    k : int
        How many of the best are wanted, from 1 to n.
    cap : int
        The most members of a cut, 2 or more.

    Returns
    -------
    (n,) float64 array
        Positive; ``-inf`` for nodes that are certainly not among the k best, because their score cannot
        exceed ``x (x - 1) / 2`` and was not computed.

    Notes
    -----
    Privacy: post-processing of noisy values.

    Where ``scale`` is far above ``C`` the score is ``x (x - 1) / 2`` times a constant, so it falls with the noisy
    degree, also below 2, where that goes on as ``1 / (3 - x)``.

    Examples
    --------
    >>> degrees, betweenness = np.array([40, 39, 38, 2]), np.array([90.0, 600.0, 110.0, 0.0])
    >>> np.argsort(-rank(degrees, betweenness, 10.0, 4, cap=40)).tolist()
    [1, 2, 0, 3]
    >>> np.argsort(-rank(degrees, betweenness, 1e6, 4, cap=40)).tolist()
    [0, 1, 2, 3]
    """
    degrees = noisy_degrees.astype(np.float64)
    whole, connected = pairs_of(degrees), pairs_of(np.minimum(degrees, cap))
    order = falling_order(noisy_degrees)
    # The prior is that of hubs: most nodes have few pairs and would decide what is believed of the few that matter.
    fitted = order[: min(max(200, 5 * k), 2_000)]
    done, block = 0, min(max(200, 2 * k), 8_192)
    seen = noisy_betweenness[order[: _first_look(whole[order], k, max(block, len(fitted)))]]
    centre, spread = fit_ratio(connected[fitted], seen[: len(fitted)], scale)
    scores, reached = np.full(len(whole), -np.inf), -np.inf
    while done < len(order):
        chosen = order[done : done + block]
        if done + len(chosen) > len(seen):
            end = _last_look(whole[order], reached, block)
            seen = np.concatenate([seen, noisy_betweenness[order[len(seen) : end]]])
        ratio = posterior_ratio(connected[chosen], seen[done : done + len(chosen)], scale, centre, spread)
        scores[chosen] = ratio * whole[chosen]
        done += len(chosen)
        if done >= k and done < len(order):
            reached = float(np.partition(scores, len(scores) - k)[len(scores) - k])
            # A score is at most the pairs of its node, which fall from here on: nobody behind can come in.
            if reached > whole[order[done]]:
                break
    return scores


def _first_look(falling: NDArray[np.float64], k: int, least: int) -> int:
    """Return how many nodes are looked at first: those with an eighth of the k-th node's pairs, or all if not few."""
    able = int((falling >= falling[k - 1] / 8).sum())
    wanted = max(least, -(-able // least) * least)
    return wanted if wanted < len(falling) / 8 else len(falling)


def _last_look(falling: NDArray[np.float64], reached: float, block: int) -> int:
    """Return where the blocks end whose nodes have as many pairs as the k-th score so far, which only rises.

    Examples
    --------
    >>> _last_look(np.array([9.0, 8.0, 5.0, 5.0, 2.0, 1.0]), 5.0, block=2)
    4
    >>> _last_look(np.array([9.0, 8.0, 5.0, 5.0, 5.0, 1.0]), 5.0, block=2)
    6
    """
    able = int((falling >= reached).sum())
    return min(-(-able // block) * block, len(falling))


@dataclass(frozen=True)
class Ratios:
    """What a noisy vector tells about the ratio of each node's value to the most that it could be.

    Attributes
    ----------
    most : (n,) float64
        Positive.
    noisy : (n,) float64
    scale, centre, spread : float
        Of the noise, and of the fitted prior of the logarithm of the ratio.
    """

    most: NDArray[np.float64]
    noisy: NDArray[np.float64]
    scale: float
    centre: float
    spread: float

    @classmethod
    def fitted(cls, most: NDArray[np.float64], vector: NoisyVector, k: int) -> Ratios:
        """Return the ratios with a prior fitted to the nodes that could have the most."""
        noisy, scale = vector.values, vector.scale or 1e-12
        largest = np.argsort(-most, kind="stable")[: min(max(200, 5 * k), 2_000)]
        return cls(most, noisy, scale, *fit_ratio(most[largest], noisy[largest], scale))

    def means(self) -> NDArray[np.float64]:
        """Return the (n,) posterior means."""
        return np.concatenate([
            posterior_ratio(self.most[part], self.noisy[part], self.scale, self.centre, self.spread)
            for part in np.array_split(np.arange(len(self.most)), len(self.most) // 8_192 + 1)
        ])  # fmt: skip

    def posterior(self, nodes: NDArray[np.int64]) -> Posterior:
        """Return the posterior laws of some nodes' ratios, to draw from."""
        grid = np.linspace(_LOWEST, 0, 201)
        prior = _weights(-(((grid - self.centre) / self.spread) ** 2) / 2)
        prior = (1 - _FLAT) * prior / prior.sum() + _FLAT / len(grid)
        far = np.abs(self.noisy[nodes, None] - self.most[nodes, None] * np.exp(grid)) / self.scale
        reached = np.cumsum(prior * _weights(-far), axis=1)
        rows = np.arange(len(nodes))
        return Posterior((rows[:, None] + reached / reached[:, -1:]).ravel(), rows, grid)


@dataclass(frozen=True)
class Posterior:
    """Laws of ratios on a grid of their logarithm.

    Attributes
    ----------
    reached : (nodes x grid,) float64
        Distribution functions, one after the other, each raised by its row.
    rows : (nodes,) int64
    grid : (points,) float64
    """

    reached: NDArray[np.float64]
    rows: NDArray[np.int64]
    grid: NDArray[np.float64]

    def draw(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw a ratio for every node, evenly between the points of the grid."""
        count = len(self.rows)
        found = np.searchsorted(self.reached, self.rows + rng.random(count)) - self.rows * len(self.grid)
        step = float(self.grid[1] - self.grid[0])
        logarithm = self.grid[np.clip(found, 0, len(self.grid) - 1)] + step * rng.uniform(-0.5, 0.5, count)
        drawn: NDArray[np.float64] = np.exp(np.minimum(logarithm, 0.0))
        return drawn


def pairs_of(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``x (x - 1) / 2``, continued below 2 so that it rises with ``x`` and stays positive."""
    # Positive everywhere: it is divided by, and the order below 2 must stay that of the degrees.
    return np.where(degrees >= 2, degrees * (degrees - 1) / 2, 1 / (3 - np.minimum(degrees, 2)))


def fit_ratio(
    pairs: NDArray[np.float64], betweenness: NDArray[np.float64], scale: float
) -> tuple[float, float]:
    """Return centre and spread of ``ln rho``, by EM on a grid; what the flat part of the prior explains stays out."""
    grid = np.linspace(_LOWEST, 0, 201)
    likelihood = _weights(-np.abs(betweenness[:, None] - pairs[:, None] * np.exp(grid)) / scale)
    centre, spread = -1.0, 1.0
    for _ in range(60):
        normal = _weights(-(((grid - centre) / spread) ** 2) / 2)
        normal *= (1 - _FLAT) / normal.sum()
        mass = normal * (likelihood.T @ (1 / (likelihood @ (normal + _FLAT / len(grid)))))
        mass /= mass.sum()
        centre = float(mass @ grid)
        spread = max(float(mass @ (grid - centre) ** 2) ** 0.5, _LEAST_SPREAD)
    return centre, spread


def posterior_ratio(
    pairs: NDArray[np.float64], betweenness: NDArray[np.float64], scale: float, centre: float, spread: float
) -> NDArray[np.float64]:
    """Return the posterior means of ``rho``, by trapezoids between points dense where prior or likelihood is."""
    by_prior = np.concatenate(
        [np.linspace(_LOWEST, 0, 31), np.minimum(centre + spread * np.linspace(-4, 4, 17), 0)]
    )
    by_likelihood = (betweenness[:, None] + scale * np.linspace(-12, 12, 33)) / pairs[:, None]
    ratio = np.concatenate(
        [np.broadcast_to(np.exp(by_prior), (len(pairs), len(by_prior))), by_likelihood], axis=1
    )
    ratio = np.sort(np.clip(ratio, np.exp(_LOWEST), 1.0), axis=1)
    logarithm = np.log(ratio)
    normal = np.exp(-(((logarithm - centre) / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi))
    prior = ((1 - _FLAT) * normal + _FLAT / -_LOWEST) / ratio
    density = prior * _weights(-np.abs(betweenness[:, None] - pairs[:, None] * ratio) / scale)
    width = np.diff(ratio, axis=1)
    mass = ((density[:, 1:] + density[:, :-1]) * width).sum(axis=1)
    moment = ((density[:, 1:] * ratio[:, 1:] + density[:, :-1] * ratio[:, :-1]) * width).sum(axis=1)
    means: NDArray[np.float64] = moment / mass
    return means


def _weights(logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exponentials up to a factor for each row, so that the largest is 1."""
    weights: NDArray[np.float64] = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return weights
