"""What noisy vectors leave open of the values that a list ranks by: draws from the posterior of each node.

*Degree*: the posterior of `degrees`. *Length-2 betweenness* through cuts of ``cap``: ``B = r * pairs(min(d, cap))``
with a log-normal ``r``, cut at 1, whose parameters are fitted as for the ranking. The posterior is joint in degree and
``B``, since the noisy ``B`` says something of the degree too. The value is ``B * pairs(d) / pairs(min(d, cap))``, and
*EBC* is that times a log-normal factor: what length-2 betweenness does not say of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.adaptive.fit import fit_ratio, pairs_of
from edgedp.mechanisms.sure.degrees import DegreePosterior, drawn_from, weights_of

__all__ = ["Cuts", "Drawn", "draw_betweenness", "draw_degrees", "draw_values"]

Floats = NDArray[np.float64]

_FLAT, _LOWEST = 0.01, -10.0
"""Share of the prior of ``ln ratio`` that is flat, and where it ends."""
_BY_PRIOR, _BY_NOISE = 15, 31
_BLOCK = 128
"""Nodes whose joint posterior is held at once: 128 by 49 by 46 numbers."""


@dataclass(frozen=True)
class Drawn:
    """Draws of degrees and of values.

    Attributes
    ----------
    values : (nodes, draws) float64
    degrees : DegreePosterior or None
        What is left open of the degrees after all; None where none were bought.
    """

    values: Floats
    degrees: DegreePosterior | None

    def followed_by(self, others: Drawn) -> Drawn:
        """Return these draws and then those of other nodes."""
        values = np.concatenate([self.values, others.values])
        if self.degrees is None or others.degrees is None:
            return Drawn(values, None)
        points = np.concatenate([self.degrees.points, others.degrees.points])
        return Drawn(
            values, DegreePosterior(points, np.concatenate([self.degrees.chances, others.degrees.chances]))
        )


@dataclass(frozen=True)
class Cuts:
    """Noisy length-2 betweenness through cuts of some nodes.

    Attributes
    ----------
    noisy : (nodes,) float64
    scale : float
        Positive.
    cap : int
    centre, spread : float
        Of the prior of ``ln ratio``.
    """

    noisy: Floats
    scale: float
    cap: int
    centre: float
    spread: float

    @classmethod
    def fitted(
        cls, noisy: Floats, scale: float, cap: int, noisy_degrees: Floats, by: NDArray[np.int64]
    ) -> Cuts:
        """Return them with the prior that explains some of the nodes, those `by` of the largest noisy degrees."""
        connected = pairs_of(np.minimum(noisy_degrees[by], cap))
        return cls(noisy, scale, cap, *fit_ratio(connected, noisy[by], scale))


def draw_values(posterior: DegreePosterior, draws: int, rng: np.random.Generator) -> Floats:
    """Draw values, evenly between the points: (nodes, draws)."""
    columns = drawn_from(posterior.chances, draws, rng)
    drawn: Floats = np.maximum(_between(posterior.points, columns, rng), 0.0)
    return drawn


def draw_degrees(degrees: DegreePosterior, draws: int, rng: np.random.Generator) -> Floats:
    """Draw whole degrees: (nodes, draws)."""
    return np.floor(draw_values(degrees, draws, rng) + 0.5)


def draw_betweenness(degrees: DegreePosterior, cuts: Cuts, draws: int, rng: np.random.Generator) -> Drawn:
    """Draw length-2 betweenness from what noisy degrees and noisy cuts leave open together."""
    values, marginals = [], []
    for start in range(0, len(cuts.noisy), _BLOCK):
        part = slice(start, start + _BLOCK)
        points, chances = degrees.points[part], degrees.chances[part]
        through, joint = _joint(points, chances, cuts, cuts.noisy[part])
        columns = drawn_from(joint.reshape(len(joint), -1), draws, rng)
        at_degree, at_value = np.divmod(columns, through.shape[1])
        between = _between(through, at_value, rng)
        drawn = np.maximum(_between(points, at_degree, rng), 0.0)
        values.append(between * pairs_of(drawn) / pairs_of(np.minimum(drawn, cuts.cap)))
        marginals.append(joint.sum(axis=2))
    return Drawn(np.concatenate(values), DegreePosterior(degrees.points, np.concatenate(marginals)))


def _joint(points: Floats, chances: Floats, cuts: Cuts, noisy: Floats) -> tuple[Floats, Floats]:
    """Return (nodes, values) points of ``B``, and the (nodes, degrees, values) probabilities of both."""
    likely = (points * chances).sum(axis=1)
    by_prior = np.exp(np.minimum(cuts.centre + cuts.spread * np.linspace(-4, 4, _BY_PRIOR), 0.0))
    by_noise = np.sinh(np.linspace(-4, 4, _BY_NOISE)) / 2
    through = np.sort(
        np.concatenate(
            [
                pairs_of(np.minimum(likely, cuts.cap))[:, None] * by_prior,
                noisy[:, None] + cuts.scale * by_noise,
            ],
            axis=1,
        ),
        axis=1,
    )
    connected = pairs_of(np.minimum(points, cuts.cap))
    through = np.clip(
        through, connected.max(axis=1, keepdims=True) * np.exp(_LOWEST), connected.max(axis=1, keepdims=True)
    )
    low, high = _edges(through)
    logarithm = np.log(through)[:, None, :] - np.log(connected)[:, :, None]
    normal = np.exp(-(((logarithm - cuts.centre) / cuts.spread) ** 2) / 2) / (
        cuts.spread * np.sqrt(2 * np.pi)
    )
    prior = np.where(logarithm <= 0, (1 - _FLAT) * normal + _FLAT / -_LOWEST, 0.0)
    seen = weights_of(-np.abs(noisy[:, None] - through) / cuts.scale) * (high - low) / through
    joint = chances[:, :, None] * prior * seen[:, None, :]
    total = joint.sum(axis=(1, 2), keepdims=True)
    # Where nothing on the grid explains both, the degrees stay as they are.
    alone = chances[:, :, None] * np.full_like(seen, 1 / seen.shape[1])[:, None, :]
    return through, np.where(total > 0, joint / np.where(total > 0, total, 1.0), alone)


def _between(points: Floats, columns: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Draw evenly from what the chosen points of each row stand for."""
    low, high = (np.take_along_axis(each, columns, axis=1) for each in _edges(points))
    drawn: Floats = low + (high - low) * rng.random(columns.shape)
    return drawn


def _edges(points: Floats) -> tuple[Floats, Floats]:
    """Return where what each point of a row stands for begins and ends."""
    middles = (points[:, 1:] + points[:, :-1]) / 2
    return np.concatenate([points[:, :1], middles], axis=1), np.concatenate([middles, points[:, -1:]], axis=1)
