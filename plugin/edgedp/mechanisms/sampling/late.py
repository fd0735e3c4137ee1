"""Words that are drawn late: of many, those that begin with a byte of zeros first, others when somebody asks.

Large noise has a small word, so the words below ``2**56`` are the ones that decide most selections, one in 256. Each
of n uniform words is one with probability 1/256, independently: from one to the next there are ``G`` others, with
``Pr[G >= s] = (255/256)**s``. `LateWords` draws these gaps, exactly, and thereby the set. Given it, the 56 lower bits
of a word in the set are uniform, and a word outside is uniform on ``2**56 .. 2**64 - 1``, all independent: they may be
drawn later, or never. So whatever is decided by some of the words has the law it has when all were drawn at once.

*Gaps.* ``s`` is counted while ``U <= (255/256)**s`` for a uniform real ``U = 0.u1 u2 ...`` in base ``2**64``. One word
decides, against ``floor(2**64 (255/256)**s)``, unless the two are equal (probability ``2**-54``); further words and
further digits do then. After `_LONGEST` misses in a row the count begins anew: a geometric law has no memory. All of it
is integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edgedp.words.errors import EngineError

FIRST_CLOSED = np.uint64(2**56)
"""The least word that does not begin with a byte of zeros."""

_LONGEST = 1024

Draw = Callable[[int], NDArray[np.uint64]]


class FirstWords(Protocol):
    """One word for each of many values: the small ones, and of the others those that are asked for."""

    @property
    def small(self) -> NDArray[np.int64]:
        """Members whose words are below ``2**56``, ascending."""
        ...

    @property
    def small_words(self) -> NDArray[np.uint64]:
        """Their words."""
        ...

    def others(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of some other members, all different; to be asked once."""
        ...


class WholeWords:
    """Words that were all drawn at once.

    Parameters
    ----------
    words : (n,) uint64 array

    Examples
    --------
    >>> first = WholeWords(np.array([2**63, 5], dtype=np.uint64))
    >>> first.small.tolist(), first.small_words.tolist(), first.others(np.array([0])).tolist()
    ([1], [5], [9223372036854775808])
    """

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words
        self.small: NDArray[np.int64] = np.flatnonzero(words < FIRST_CLOSED)
        self.small_words: NDArray[np.uint64] = words[self.small]

    def others(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of some other members."""
        return self._words[members]


class LateWords:
    """Words of which the small ones are drawn at once, and others when they are asked for.

    Parameters
    ----------
    count : int
        How many.
    draw : callable
        Draws that many independent, uniform words.

    Raises
    ------
    EngineError
        Others were asked for before: drawn again they would be different ones.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> late = LateWords(10_000, SecureWords().take)
    >>> bool(np.all(late.small_words < FIRST_CLOSED)), bool(late.others(np.array([0, 1, 2])).min() >= FIRST_CLOSED)
    (True, True)
    """

    def __init__(self, count: int, draw: Draw) -> None:
        self._draw: Draw | None = draw
        self.small = _small_ones(count, draw)
        self.small_words: NDArray[np.uint64] = draw(len(self.small)) & (FIRST_CLOSED - np.uint64(1))

    def others(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of some other members, drawn now."""
        if self._draw is None:
            raise EngineError("words are asked for twice; report this defect")
        draw, self._draw = self._draw, None
        words = draw(len(members)).copy()
        small = np.flatnonzero(words < FIRST_CLOSED)
        while small.size:
            words[small] = draw(small.size)
            small = small[words[small] < FIRST_CLOSED]
        return words


def _small_ones(count: int, draw: Draw) -> NDArray[np.int64]:
    """Return which of `count` words are small, ascending."""
    found = [np.zeros(0, dtype=np.int64)]
    at = -1
    while (left := count - 1 - at) > 0:
        expected = left / 256
        gaps = _gaps(int(expected + 4 * expected**0.5) + 1, draw)
        missed = gaps == _LONGEST
        places = at + np.cumsum(gaps + ~missed)
        found.append(places[~missed])
        at = int(places[-1])
    small = np.concatenate(found)
    return small[small < count]


def _gaps(count: int, draw: Draw) -> NDArray[np.int64]:
    """Return the numbers of words before the next small one, or `_LONGEST` where so many are not."""
    thresholds = _thresholds()
    words = draw(count)
    # Thresholds fall with s: those above a word are those of s up to the gap.
    below: NDArray[np.int64] = np.searchsorted(thresholds, words)
    gaps = _LONGEST - below
    for case in np.flatnonzero(thresholds[np.minimum(below, _LONGEST - 1)] == words).tolist():
        gaps[case] -= not _reaches(int(gaps[case]), draw)
    return gaps


@cache
def _thresholds() -> NDArray[np.uint64]:
    """Return ``floor(2**64 (255/256)**s)`` for s from `_LONGEST` down to 1: ascending, all different."""
    return np.array([_digits(s, 1) for s in range(_LONGEST, 0, -1)], dtype=np.uint64)


def _digits(s: int, count: int) -> int:
    """Return the first `count` digits of ``(255/256)**s`` in base ``2**64``."""
    power: int = 255**s
    return (power << 64 * count) >> 8 * s


def _reaches(s: int, draw: Draw) -> bool:
    """Return whether ``U <= (255/256)**s``, given that their first digits are equal."""
    count = 2
    while True:
        digit, word = _digits(s, count) & 2**64 - 1, int(draw(1)[0])
        if word != digit:
            return word < digit
        count += 1
