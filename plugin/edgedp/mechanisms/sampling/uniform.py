"""Uniform integers of any size."""

from __future__ import annotations

from edgedp.mechanisms.sampling.words import Words

__all__ = ["uniform_below"]


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
