from __future__ import annotations

import os
import subprocess
import sys
from math import factorial

import numpy as np
import pytest

from edgedp.mechanisms.sampling.words import (
    GeneratorWords,
    SecureWords,
    random_order,
    words_from,
)
from edgedp.words.errors import ParameterError
from looped import as_one
from sampling_doubles import ScriptedWords, assert_has_law


def test_secure_words_are_the_systems_bytes_and_nothing_else(monkeypatch):
    asked = []

    def urandom(size):
        asked.append(size)
        return bytes(range(size))

    monkeypatch.setattr(os, "urandom", urandom)
    words = SecureWords()
    assert words.take(2).tolist() == np.frombuffer(bytes(range(16)), dtype=np.uint64).tolist()
    assert words.take(1).tolist() == np.frombuffer(bytes(range(8)), dtype=np.uint64).tolist()
    assert asked == [16, 8]  # as much as needed, each time anew: no buffer


def test_secure_words_use_all_64_bits():
    drawn = SecureWords().take(4000)
    ones = [int(np.count_nonzero(drawn >> np.uint64(bit) & np.uint64(1))) for bit in range(64)]
    assert min(ones) > 1700  # 2000 expected; 9 standard deviations
    assert max(ones) < 2300


FORK = """
import os, sys
from edgedp.mechanisms.sampling.words import SecureWords
words = SecureWords()
words.take(3)
for _ in range(2):
    if os.fork() == 0:
        sys.stdout.write(words.take(4).tobytes().hex() + "\\n")
        sys.stdout.flush()
        os._exit(0)
    os.wait()
sys.stdout.write(words.take(4).tobytes().hex() + "\\n")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_processes_share_no_words():
    lines = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, check=True
    ).stdout.split()
    assert len(lines) == len(set(lines)) == 3


def test_generator_words_repeat_and_fill_the_range():
    first, second = (GeneratorWords(np.random.default_rng(3)).take(5000) for _ in range(2))
    assert np.array_equal(first, second)
    assert first.max() > 2**64 - 2**54
    assert first.min() < 2**54


def test_a_generators_words_are_the_same_whoever_asks_for_which():
    """Drawn late or at once: an experiment repeats."""
    at_once = GeneratorWords(np.random.default_rng(3)).take(2000)
    late = GeneratorWords(np.random.default_rng(3)).take_lazily(2000)
    assert np.array_equal(late.small_words, at_once[late.small])
    assert np.array_equal(late.others(np.arange(2000)), at_once)


def test_a_32_bit_generator_gives_64_bit_words():
    words = GeneratorWords(np.random.Generator(np.random.MT19937(1)))
    assert words.take(100).max() > 2**60


def test_words_from_marks_what_is_private():
    assert words_from(None).private
    assert not words_from(np.random.default_rng(0)).private


@as_one
@pytest.mark.parametrize("rng", [0, 7, "secure", np.random.RandomState(0), object])
def test_words_from_refuses_anything_else(rng):
    with pytest.raises(ParameterError, match=r"^rng is .*, must be None or a numpy\.random\.Generator; "):
        words_from(rng)


def test_random_order_is_uniform():
    words = SecureWords()
    draws = [tuple(random_order(4, words).tolist()) for _ in range(12_000)]
    assert len(set(draws)) == factorial(4)
    assert_has_law(draws, dict.fromkeys(set(draws), 1 / factorial(4)))


@pytest.mark.parametrize("equal", [[5, 9, 5], [5, 9, 9], [9, 5, 5]])
def test_random_order_draws_again_when_two_words_are_equal(equal):
    words = ScriptedWords([*equal, 30, 10, 20])
    assert random_order(3, words).tolist() == [1, 2, 0]
    assert words.taken == 6


def test_random_order_of_nobody_and_of_one():
    assert random_order(0, SecureWords()).tolist() == []
    assert random_order(1, SecureWords()).tolist() == [0]
