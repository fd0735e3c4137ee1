"""Decisions that the first bounds leave open: more words are drawn until they are certain.

All arithmetic here is on exact rationals. A decision is taken when the bounds of the values involved
exclude every other outcome, so it is the decision about the real numbers themselves. Each further word
divides the width of a value's bounds by about ``2**64``; equal values have probability 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import floor

from edgedp.mechanisms.sampling.noise import Bound, LazyReal
from edgedp.mechanisms.sampling.words import Words


class _Contender:
    """A candidate whose noisy score is narrowed down."""

    __slots__ = ("high", "index", "low", "noise", "score")

    def __init__(self, index: int, score: Fraction, noise: LazyReal) -> None:
        self.index, self.score, self.noise = index, score, noise
        self.update()

    def update(self) -> None:
        self.low, self.high = self._shifted(self.noise.low), self._shifted(self.noise.high)

    def _shifted(self, bound: Bound) -> Bound:
        # A float here is an infinity; adding it would convert the score, which need not fit a float.
        return bound if isinstance(bound, float) else self.score + bound


def certain_order(
    scores: Sequence[Fraction], noises: Sequence[LazyReal], wanted: int, words: Words
) -> list[int]:
    """Order candidates by noisy score, falling, until the first `wanted` places are certain.

    In each round, every candidate that can be among the first `wanted` and whose bounds meet those of
    another one gets one more word, in the order in which the candidates are given.

    Parameters
    ----------
    scores : sequence of Fraction
        Exact scores in units of the noise.
    noises : sequence of LazyReal
        Their noise; narrowed in place.
    wanted : int
        How many places must be certain, from 1 to the number of scores.
    words : Words
        Source of further words.

    Returns
    -------
    list of int
        Indices into `scores`; the first `wanted` are in the order of the noisy scores.

    Notes
    -----
    Who gets a word depends on the scores and the words drawn before, not on who else takes part: one
    that is certainly below the first `wanted` never gets a word, and neither does one that certainly
    keeps its place. So the words are spent alike whether such candidates were left out before or not.

    Examples
    --------
    >>> import numpy as np
    >>> from edgedp.mechanisms.sampling.noise import EXPONENTIAL
    >>> from edgedp.mechanisms.sampling.words import GeneratorWords
    >>> equal = [LazyReal(EXPONENTIAL, 5), LazyReal(EXPONENTIAL, 5)]
    >>> order = certain_order([Fraction(0), Fraction(0)], equal, 1, GeneratorWords(np.random.default_rng(1)))
    >>> equal[order[0]].low > equal[order[1]].high
    True
    """
    contenders = [_Contender(*given) for given in zip(range(len(scores)), scores, noises, strict=True)]
    while True:
        contenders.sort(key=lambda contender: contender.low, reverse=True)
        undecided = _undecided(contenders, wanted)
        if not undecided:
            return [contender.index for contender in contenders]
        for contender, word in zip(undecided, words.take(len(undecided)).tolist(), strict=True):
            contender.noise.extend(word)
            contender.update()


def _undecided(ranked: list[_Contender], wanted: int) -> list[_Contender]:
    """Return who can be among the first `wanted` and meets another, in the order given."""
    threshold = ranked[wanted - 1].low
    able = [contender for contender in ranked if contender.high >= threshold]
    highest_from = list(accumulate((contender.high for contender in reversed(able)), max))[::-1]
    meeting = [
        contender
        for place, contender in enumerate(able)
        if (place > 0 and contender.high >= able[place - 1].low)
        or (place + 1 < len(able) and highest_from[place + 1] >= contender.low)
    ]
    return sorted(meeting, key=lambda contender: contender.index)


def certain_floor(noise: LazyReal, factor: Fraction, words: Words) -> int:
    """Return ``floor(factor * value)`` of a positive noise value, drawing words until it is certain."""
    while True:
        least, most = noise.low, noise.high
        if (
            isinstance(least, Fraction)
            and isinstance(most, Fraction)
            and floor(least * factor) == floor(most * factor)
        ):
            return floor(least * factor)
        noise.extend_from(words)


def certainly_reaches(noise: LazyReal, bound: Fraction, words: Words) -> bool:
    """Return whether a noise value is at least `bound`, drawing words until it is certain."""
    while True:
        if noise.low >= bound:
            return True
        if noise.high < bound:
            return False
        noise.extend_from(words)
