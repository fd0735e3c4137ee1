from __future__ import annotations

from fractions import Fraction
from math import exp, floor, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgedp.mechanisms.sampling import geometric
from edgedp.mechanisms.sampling.geometric import Refinable, two_sided_geometric
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.words.errors import ParameterError
from looped import as_one
from sampling_doubles import ScriptedWords, assert_has_law, true_noise

SECURE = SecureWords()


def law(scale, reach):
    ratio = exp(-1 / scale)
    return {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach, reach + 1)}


@as_one
@pytest.mark.parametrize(
    "scale", [Fraction(1, 7), Fraction(1), Fraction(2, 3), Fraction(5), Fraction(1999, 100)]
)
def test_noise_has_its_law(scale):
    draws = two_sided_geometric(60_000, scale, SECURE)
    assert draws.dtype == np.int64
    assert_has_law(draws.tolist(), law(float(scale), floor(50 * scale) + 2))


@pytest.mark.parametrize("power", [10, 12, 20, 40, 53, 70, 200])
def test_noise_of_large_scale_has_its_law_at_every_size(power):
    # Coarsely: the sign and size in units of the scale. Finely: the last bits are uniform.
    scale = Fraction(2**power) + Fraction(1, 3)
    draws = two_sided_geometric(20_000, scale, SECURE)
    assert stats.kstest((draws / float(scale)).astype(float), stats.laplace.cdf).pvalue > 1e-6
    assert_has_law([int(draw) % 8 for draw in draws], dict.fromkeys(range(8), 1 / 8))
    if power >= 20:  # also where the lower part meets the upper one
        bits = [int(draw) >> (power - 13) & 7 for draw in draws]
        assert_has_law(bits, dict.fromkeys(range(8), 1 / 8))


def test_the_joined_parts_have_the_law_of_the_whole():
    # The least scale that is split, in two parts: the sum must show no seam at multiples of the lower part's size.
    scale = Fraction(3, 2)
    high_bits = geometric._HIGH_BITS
    geometric._HIGH_BITS = -3  # lower parts of 3 bits and more, refused four times out of five
    try:
        draws = two_sided_geometric(40_000, scale, SECURE)
    finally:
        geometric._HIGH_BITS = high_bits
    assert_has_law(draws.tolist(), law(float(scale), 80))


def test_values_are_64_bit_where_they_fit_and_python_integers_beyond():
    assert two_sided_geometric(500, Fraction(2**53), SECURE).dtype == np.int64
    beyond = two_sided_geometric(500, Fraction(2**80), SECURE)
    assert beyond.dtype == object
    assert all(type(value) is int for value in beyond)
    assert max(map(abs, beyond)) > 2**80


def test_a_tiny_scale_is_no_noise():
    assert not two_sided_geometric(1000, Fraction(1, 10**400), SECURE).any()


@given(word=st.integers(0, 2**64 - 1), factor=st.fractions(min_value=Fraction(1, 10**6), max_value=2**11))
@settings(max_examples=150)
def test_floors_are_exact(word, factor):
    value = int(geometric._floors(1, factor, ScriptedWords([word, 2**63]))[0])
    # Whatever words come later: the true noise is within the word's interval, and its floor is the value.
    least, most = true_noise("exponential", word + 1, 1), true_noise("exponential", word, 1)
    assert floor(factor * least) <= value
    assert most == inf or value <= floor(factor * most)
    later = true_noise("exponential", word << 64 | 2**63, 2)
    certain = most != inf and floor(factor * least) == floor(factor * most)
    assert not certain or value == floor(factor * later)


def test_a_floor_on_the_edge_is_settled_by_more_words():
    # The factor puts the middle of the word's interval on the integer 5; the float bounds leave that open.
    factor = 5 / true_noise("exponential", 2**63 * 2**64 + 2**63, 2)
    for second, expected in ((0, 5), (2**64 - 1, 4)):
        words = ScriptedWords([2**63, second])
        assert geometric._floors(1, factor, words).tolist() == [expected]
        assert words.taken == 2


def test_acceptance_on_the_edge_is_settled_by_more_words():
    # Exponential noise against value / scale, equal at the middle of the word's interval.
    scale = 1 / true_noise("exponential", 2**63 * 2**64 + 2**63, 2)
    for second, expected in ((0, True), (2**64 - 1, False)):
        words = ScriptedWords([2**63, second])
        assert geometric._survive(np.array([1]), scale, words).tolist() == [expected]
        assert words.taken == 2


def test_value_zero_is_always_accepted():
    assert geometric._survive(np.zeros(3, dtype=np.int64), Fraction(5), ScriptedWords([2**64 - 1] * 3)).all()


def test_the_same_words_give_the_same_noise():
    first, second = (two_sided_geometric(100, Fraction(10**9, 7), ScriptedWords(seed=4)) for _ in range(2))
    assert first.tolist() == second.tolist()


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-2), Fraction(2) ** 1000])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(ParameterError, match=r"^scale is .*, must be above 0 and below 2\*\*1000; "):
        two_sided_geometric(3, scale, SECURE)


@pytest.mark.parametrize("power", [12, 40, 100])
def test_the_parts_are_joined_as_they_are_proved(power):
    """``M high + low``: the sum of a lower part that is wrong by its sign has nearly the law, and is not it."""
    scale = Fraction(2**power)
    low_bits = power - 10
    script = np.random.default_rng(power).integers(0, 2**64 - 1, 200, dtype=np.uint64).tolist()
    (magnitude,) = geometric._geometric(1, scale, ScriptedWords(script))
    high = floor(2**10 * true_noise("exponential", script[0], 1))
    at, low = 1, 0
    while True:
        pieces = -(-low_bits // 62)
        low = 0
        for piece, word in enumerate(script[at : at + pieces]):
            bits = low_bits - 62 * (pieces - 1) if piece == 0 else 62
            low = low << bits | word >> 64 - bits
        if true_noise("exponential", script[at + pieces], 1) >= low / scale:
            break
        at += pieces + 1
    assert magnitude == (high << low_bits) + low


def test_noise_that_can_be_refined_knows_its_scale() -> None:
    for scale in (Fraction(1, 3), Fraction(10**6, 7)):
        noise = Refinable.drawn(3, scale, SecureWords())
        assert (noise.scale, len(noise.plus), len(noise.minus)) == (scale, 3, 3)
