"""Where randomness comes from: 64-bit words, and what is drawn from them without bias."""

from __future__ import annotations

import os
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from edgedp.mechanisms.sampling.late import FirstWords, LateWords, WholeWords
from edgedp.words.errors import ParameterError


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
        """Return the next `count` words, of which some may be drawn later or never."""
        ...


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
        # No seed of our own in between: what could be repeated could be taken off the answer again.
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)

    def take_lazily(self, count: int) -> FirstWords:
        """Return `count` fresh words, each drawn when it is asked for."""
        return LateWords(count, self.take)


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
        """Return the generator's next `count` words, all drawn at once: they repeat, whoever asks for which."""
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
        "ask without it for a private release, or pass numpy.random.default_rng(seed)"
    )


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


def uniform_below(bound: int, words: Words) -> int:
    """Draw an integer, exactly uniform on ``0 .. bound - 1``, by rejection; `bound` may have any size.

    Examples
    --------
    >>> from edgedp.mechanisms.sampling.words import SecureWords
    >>> uniform_below(1, SecureWords())
    0
    """
    bits = (bound - 1).bit_length()
    count = -(-bits // 64)
    while True:
        drawn = 0
        for word in words.take(count).tolist() if count else ():
            drawn = drawn << 64 | word
        # Refused above the bound: a remainder would favour small numbers.
        drawn >>= 64 * count - bits
        if drawn < bound:
            return drawn
