from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.sampling import noise
from edgedp.mechanisms.sampling.noise import EXPONENTIAL, GUMBEL, MARGIN, LazyReal
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.words.vocabulary import SAMPLERS
from sampling_doubles import NOISES, true_noise

LAWS = NOISES
CONTINUOUS = {"gumbel": stats.gumbel_r, "exponential": stats.expon}
EDGES = [
    0,
    1,
    2**32 - 1,
    2**32,
    2**32 + 1,
    2**53 + 1,
    2**63,
    2**64 - 2**48 - 1,
    2**64 - 2**48,
    2**64 - 2**48 + 1,
]
ENDS = [2**64 - 1025, 2**64 - 1024, 2**64 - 2, 2**64 - 1]

words = st.one_of(
    st.integers(0, 2**64 - 1),
    st.integers(0, 63).flatmap(lambda bits: st.integers(2**bits - 1, 2 ** (bits + 1) - 1)),
    st.integers(0, 63).map(lambda bits: 2**64 - 2**bits),
    st.sampled_from(EDGES + ENDS),
)


@pytest.mark.parametrize("name", LAWS)
@given(word=words)
@settings(max_examples=200)
def test_float_bounds_enclose_every_value_of_the_word(name, word):
    low, high = (float(bound[0]) for bound in LAWS[name].enclose(np.array([word], dtype=np.uint64)))
    # At both ends of the word, and with room to spare: the first bounds contain the later ones.
    assert low == -inf or Fraction(low) < true_noise(name, word + 1, 1) - Fraction(1, 10**15)
    assert high == inf or Fraction(high) > true_noise(name, word, 1) + Fraction(1, 10**15)


def test_the_margin_covers_the_errors_that_its_argument_adds_up() -> None:
    """Of the word, twice for Gumbel noise, and of a logarithm of at most 23: the least power of two above them."""
    errors = 2 * (2.0**-32 + 2.0**-53) + 2.0**-35 + 2.0**-40
    assert noise.MARGIN / 2 < errors < noise.MARGIN


@pytest.mark.parametrize("name", LAWS)
def test_float_bounds_are_as_narrow_as_they_say(name):
    low, high = LAWS[name].enclose(SecureWords().take(20_000))
    finite = np.isfinite(low) & np.isfinite(high)
    assert np.count_nonzero(~finite) < 20  # 0.3 expected
    assert (high - low)[finite].max() < 2.01 * MARGIN


@pytest.mark.parametrize("name", LAWS)
def test_the_margin_is_what_its_argument_asks_for(name):
    """Also where a library's logarithm is as wrong as is allowed for: 2**-40, and logarithms are below 23."""
    low, high = LAWS[name].enclose(np.array([2**32, 2**40, 2**63], dtype=np.uint64))
    moved = 2 * (2.0**-32 + 2.0**-53)
    assert (high - low).min() / 2 > moved + 2.0**-35 + 2.0**-40


@pytest.mark.parametrize("name", LAWS)
@given(drawn=st.lists(words, min_size=1, max_size=4))
@example(drawn=[0, 0])
@example(drawn=[2**64 - 1, 2**64 - 1])
@example(drawn=[0, 2**64 - 1, 5])
def test_exact_bounds_enclose_and_narrow(name, drawn):
    value = LazyReal(LAWS[name], drawn[0])
    digits, previous = drawn[0], None
    for count, word in enumerate(drawn, start=1):
        if count > 1:
            digits = digits << 64 | word
            value.extend(word)
        least, most = true_noise(name, digits + 1, count), true_noise(name, digits, count)
        assert value.low <= least <= most <= value.high
        if isinstance(value.low, Fraction) and isinstance(value.high, Fraction):
            # At most twice the width of the interval itself: rounding never stands in the way of progress.
            assert value.high - value.low <= 2 * (most - least)
        if previous is not None:
            assert value.high - value.low <= previous
        previous = value.high - value.low


@pytest.mark.parametrize("name", LAWS)
@given(word=words)
def test_float_bounds_contain_the_exact_ones(name, word):
    low, high = (float(bound[0]) for bound in LAWS[name].enclose(np.array([word], dtype=np.uint64)))
    exact = LazyReal(LAWS[name], word)
    assert low <= exact.low <= exact.high <= high


def test_open_ends():
    assert LazyReal(GUMBEL, 0).high == inf
    assert LazyReal(GUMBEL, 2**64 - 1).low == -inf
    assert LazyReal(EXPONENTIAL, 0).high == inf
    assert LazyReal(EXPONENTIAL, 2**64 - 1).low == 0


def test_every_noise_is_in_the_tables_of_its_tests():
    assert all(value is getattr(noise, name.upper()) for name, value in NOISES.items())
    assert set(NOISES) == set(CONTINUOUS)
    assert {id(value) for value in NOISES.values()} == {id(sampler(name).noise) for name in SAMPLERS}


@pytest.mark.parametrize("name", LAWS)
def test_noise_has_its_law(name):
    law = CONTINUOUS[name]
    low, high = LAWS[name].enclose(SecureWords().take(50_000))
    inner = np.clip((low + high) / 2, -5, 50)  # open ends are rare
    assert stats.kstest(inner, law.cdf).pvalue > 1e-6
