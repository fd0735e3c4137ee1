"""The samplers: each one value, with its noise, how it draws, its exact law and its price.

A sampler turns integer scores and a rational unit into picks. What is drawn, what is audited and what
is debited in rho come from one value here; a further sampler is a further value, its name in
`edgedp.words.vocabulary.SamplerName` and a case in `sampler`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms import laws
from edgedp.mechanisms.sampling import select
from edgedp.mechanisms.sampling.noise import EXPONENTIAL as EXPONENTIAL_NOISE
from edgedp.mechanisms.sampling.noise import GUMBEL, Noise
from edgedp.mechanisms.sampling.ranking import Evaluate, LazyScores
from edgedp.mechanisms.sampling.words import Words
from edgedp.words.amounts import rho
from edgedp.words.vocabulary import SamplerName, UndampenedName


class TopK(Protocol):
    """Draws k positions without replacement, in the order picked; see `edgedp.mechanisms.sampling.select`."""

    def __call__(
        self,
        upper: NDArray[np.int64] | LazyScores,
        k: int,
        unit: Fraction,
        words: Words,
        evaluate: Evaluate | None = None,
    ) -> NDArray[np.int64]:
        """Draw."""


@dataclass(frozen=True)
class Sampler:
    """How a node is picked by noisy score.

    Attributes
    ----------
    name : str
    mechanism : str
        One of `edgedp.words.vocabulary.UndampenedName`: the mechanism that this sampler is on plain scores.
    noise : Noise
        What is added to a score for one pick.
    noise_name : str
        What the field calls its law.
    top_k : callable
        Draws k picks whose scores stay: all from one noise where its law allows, else in k rounds.
    serves_all : bool
        Whether its law allows that: one noise a candidate for all picks.
    law : callable
        Exact law of one pick, from scores and unit.
    shares : int
        ``epsilon^2 / rho`` of one pick that is epsilon-DP: `rho.BOUNDED_RANGE` or `rho.PURE`.
    """

    name: SamplerName
    mechanism: UndampenedName
    noise: Noise
    noise_name: str
    top_k: TopK
    serves_all: bool
    law: Callable[[NDArray[np.int64], Fraction], NDArray[np.float64]]
    shares: int

    def pick(
        self, scores: NDArray[np.int64], candidates: NDArray[np.int64], unit: Fraction, words: Words
    ) -> int:
        """Draw one of some candidates, for rounds whose scores change in between."""
        return select.one_pick(scores, candidates, unit, words, self.noise)

    def ordered_law(self, scores: NDArray[np.int64], unit: Fraction, k: int) -> dict[tuple[int, ...], float]:
        """Return the law of the whole ordered answer of k picks without replacement (small n)."""
        return laws.ordered_law(lambda left: self.law(scores[left], unit), len(scores), k)

    def rho_shares(self, k: int) -> int:
        """Return ``epsilon^2 / rho`` of k picks at ``epsilon / k`` each: costs add, so ``k (epsilon / k)^2``."""
        return self.shares * k


EXPONENTIAL = Sampler(
    name="exponential",
    mechanism="em",
    noise=GUMBEL,
    noise_name="Gumbel",
    top_k=select.top_k_gumbel,
    # Without its winner, Gumbel noise picks by the law of a fresh draw, so that the ranks of one draw are k rounds.
    serves_all=True,
    law=laws.exponential_law,
    shares=rho.BOUNDED_RANGE,
)
"""The exponential mechanism: Gumbel noise, one draw of which serves all picks."""

PERMUTE_AND_FLIP = Sampler(
    name="permute_and_flip",
    mechanism="pf",
    noise=EXPONENTIAL_NOISE,
    noise_name="exponential",
    top_k=select.top_k_permute_and_flip,
    # Exponential noise has no such property: k picks of one draw would not be k rounds, which are what is priced.
    serves_all=False,
    law=laws.permute_and_flip_law,
    shares=rho.PURE,
)
"""Permute-and-flip: exponential noise, drawn anew for every pick."""


def sampler(name: SamplerName) -> Sampler:
    """Return a sampler by its name.

    Examples
    --------
    >>> sampler("permute_and_flip").mechanism
    'pf'
    """
    match name:
        case "exponential":
            return EXPONENTIAL
        case "permute_and_flip":
            return PERMUTE_AND_FLIP
        case _:
            assert_never(name)
