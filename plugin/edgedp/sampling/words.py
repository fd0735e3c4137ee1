"""Where randomness comes from: 64-bit words, and what is drawn from them without bias."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edgedp.errors import ParameterError

__all__ = [
    "FirstWords",
    "GeneratorWords",
    "LateWords",
    "SecureWords",
    "WholeWords",
    "Words",
    "integers_below",
    "random_order",
    "words_from",
]

_LOWER_BITS = np.uint64(56)
_LOWER = np.uint64(2**56 - 1)


class FirstWords(Protocol):
    """One word for each of many values, the leading bytes known and the words had by asking.

    A word is the same however often it is asked for.
    """

    @property
    def leading(self) -> NDArray[np.uint8]:
        """(n,) the highest byte of every word."""
        ...

    def of(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of some members, different ones."""
        ...


class Words(Protocol):
    """A source of independent, uniform 64-bit words.

    Every draw of this package takes words one after another from such a source and nothing else, so
    the same words give the same answer. `private` says whether a release drawn from them is private.
    """

    @property
    def private(self) -> bool:
        """True when nobody can foresee or repeat the words."""
        ...

    def take(self, count: int) -> NDArray[np.uint64]:
        """Return the next `count` words."""
        ...

    def take_lazily(self, count: int) -> FirstWords:
        """Return the next `count` words, of which the lower bytes may be drawn later or never."""
        ...


class WholeWords:
    """Words that were drawn whole.

    Parameters
    ----------
    words : (n,) uint64 array

    Examples
    --------
    >>> first = WholeWords(np.array([5, 2**63], dtype=np.uint64))
    >>> first.leading.tolist(), first.of(np.array([0])).tolist()
    ([0, 128], [5])
    """

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words
        self.leading: NDArray[np.uint8] = (words >> _LOWER_BITS).astype(np.uint8)

    def of(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of some members."""
        return self._words[members]


class LateWords:
    """Words of which the lower 56 bits are drawn when they are first asked for.

    The bits of a uniform word are independent, so a word has the same law whenever its lower ones are drawn and
    whatever the leading ones decided about that.

    Parameters
    ----------
    leading : (n,) uint8 array
        The highest bytes, drawn.
    draw : callable
        Draws that many words; the lower 56 bits of each are used, once.

    Examples
    --------
    >>> late = LateWords(np.array([1, 0], dtype=np.uint8), SecureWords().take)
    >>> bool(late.of(np.array([1]))[0] < 2**56), bool(late.of(np.array([1])) == late.of(np.array([1])))
    (True, True)
    """

    def __init__(self, leading: NDArray[np.uint8], draw: Callable[[int], NDArray[np.uint64]]) -> None:
        self.leading = leading
        self._draw = draw
        self._known = np.zeros(0, dtype=np.int64)
        self._words = np.zeros(0, dtype=np.uint64)

    def of(self, members: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of some members, drawing what is missing of them."""
        new = np.setdiff1d(members, self._known, assume_unique=True)
        if len(new):
            lower = self._draw(len(new)) & _LOWER
            words = self.leading[new].astype(np.uint64) << _LOWER_BITS | lower
            known = np.concatenate([self._known, new])
            order = np.argsort(known, kind="stable")
            self._known, self._words = known[order], np.concatenate([self._words, words])[order]
        return self._words[np.searchsorted(self._known, members)]


class SecureWords:
    """Words of the operating system's cryptographic generator.

    Each call asks the system anew. Nothing is buffered in the process, so two processes never share
    words after a fork, and no unused word lies in memory.

    Examples
    --------
    >>> SecureWords().take(3).shape
    (3,)
    """

    private = True

    def take(self, count: int) -> NDArray[np.uint64]:
        """Return `count` fresh words."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def take_lazily(self, count: int) -> FirstWords:
        """Return `count` words of which one fresh byte each is drawn, the rest when it is asked for."""
        return LateWords(np.frombuffer(os.urandom(count), dtype=np.uint8), self.take)


class GeneratorWords:
    """Words of a numpy generator: repeatable, for experiments; a release drawn from them is not private.

    Examples
    --------
    >>> draw = lambda: GeneratorWords(np.random.default_rng(7)).take(2).tolist()
    >>> draw() == draw()
    True
    """

    private = False

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def take(self, count: int) -> NDArray[np.uint64]:
        """Return the generator's next `count` words."""
        return self._generator.integers(0, 2**64 - 1, size=count, dtype=np.uint64, endpoint=True)

    def take_lazily(self, count: int) -> FirstWords:
        """Return the generator's next `count` words, drawn whole."""
        return WholeWords(self.take(count))


def words_from(rng: np.random.Generator | None) -> Words:
    """Return the source of words that the public parameter ``rng`` names.

    Parameters
    ----------
    rng : numpy.random.Generator or None
        None means the operating system's secure source; a generator makes the release repeatable
        and therefore not private.

    Raises
    ------
    ParameterError
        For anything else, integer seeds included.

    Examples
    --------
    >>> words_from(None).private, words_from(np.random.default_rng(1)).private
    (True, False)
    """
    if rng is None:
        return SecureWords()
    if isinstance(rng, np.random.Generator):
        return GeneratorWords(rng)
    raise ParameterError(
        f"rng is {rng!r:.80}, must be None or a numpy.random.Generator; "
        "leave it out for a private release, or pass numpy.random.default_rng(seed)"
    )


def integers_below(bound: int, count: int, words: Words) -> NDArray[np.int64]:
    """Draw `count` independent integers, exactly uniform on ``0 .. bound - 1``.

    A word in the incomplete last run of `bound` values is thrown away and drawn again, so that every
    remainder stands for equally many words.

    Parameters
    ----------
    bound : int
        From 1 to 2**63.
    count : int
        How many integers.
    words : Words
        Source of randomness.

    Returns
    -------
    (count,) int64 array

    Raises
    ------
    ParameterError
        If `bound` is out of its range.

    Examples
    --------
    >>> integers_below(1, 3, SecureWords()).tolist()
    [0, 0, 0]
    """
    if not 1 <= bound <= 2**63:
        raise ParameterError(f"bound is {bound}, must be from 1 to 2**63; ask for a smaller range")
    last = np.uint64(2**64 - 1 - 2**64 % bound)
    drawn = words.take(count).copy()
    rejected = np.flatnonzero(drawn > last)
    while rejected.size:
        drawn[rejected] = words.take(rejected.size)
        rejected = rejected[drawn[rejected] > last]
    return (drawn % np.uint64(bound)).astype(np.int64)


def random_order(count: int, words: Words) -> NDArray[np.int64]:
    """Return a permutation of ``0 .. count - 1``, exactly uniform over all of them.

    Everyone gets a word and the words are sorted. If two are equal, all are drawn again: given that
    all differ, every order is equally likely by symmetry.

    Parameters
    ----------
    count : int
        Length of the permutation.
    words : Words
        Source of randomness.

    Returns
    -------
    (count,) int64 array

    Examples
    --------
    >>> sorted(random_order(4, SecureWords()).tolist())
    [0, 1, 2, 3]
    """
    while True:
        keys = words.take(count)
        order = np.argsort(keys, kind="stable")
        if not np.any(keys[order][1:] == keys[order][:-1]):
            return order.astype(np.int64, copy=False)
