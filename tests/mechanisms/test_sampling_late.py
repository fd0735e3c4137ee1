"""Words that are drawn late have the law of words drawn at once; so has what is selected by them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.sampling import late, ranking
from edgedp.mechanisms.sampling.late import FIRST_CLOSED, LateWords, WholeWords
from edgedp.mechanisms.sampling.select import one_pick
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.words.errors import EngineError
from edgedp.words.vocabulary import SAMPLERS
from looped import as_one
from sampling_doubles import LateScriptedWords, ScriptedWords, assert_has_law

SECURE = SecureWords()
BY_NOISE = {sampler(name).noise: sampler(name) for name in SAMPLERS}
LAW = {noise: drawn_by.law for noise, drawn_by in BY_NOISE.items()}
TOP_K = {noise: drawn_by.top_k for noise, drawn_by in BY_NOISE.items()}
each_noise = pytest.mark.parametrize(
    "noise", BY_NOISE, ids=[drawn_by.noise_name.lower() for drawn_by in BY_NOISE.values()]
)


def array(values):
    return np.array(values, dtype=np.int64)


# -- which words are small ---------------------------------------------------------------------------------


def threshold(s):
    return 255**s * 2**64 // 256**s


@pytest.mark.parametrize("s", [1, 2, 24, 700, late._LONGEST])
def test_a_gap_is_decided_by_its_exact_threshold(s):
    """``G >= s`` means ``U <= (255/256)**s``; an equal word is decided by the words and digits after it."""
    at = threshold(s)
    after = (255**s * 2**192 // 256**s) & (2**128 - 1)
    second, third = divmod(after, 2**64)
    cases = {
        (at - 1,): s,
        (at + 1,): s - 1,
        (at, second + 1): s - 1,
        (at, second, third + 1): s - 1,
    }
    if second:
        cases[(at, second - 1)] = s
    if third:
        cases[(at, second, third - 1)] = s
    for script, gap in cases.items():
        words = ScriptedWords(script)
        assert late._gaps(1, words.take).tolist() == [gap], script
        assert words.taken == len(script)


def test_the_ends_of_the_range_of_a_gap():
    assert late._gaps(2, ScriptedWords([2**64 - 1, 0]).take).tolist() == [0, late._LONGEST]
    assert [threshold(s) for s in (1, 2, 40)] == late._thresholds()[[-1, -2, -40]].tolist()


def test_small_words_lie_as_if_all_had_been_drawn():
    """39,000 gaps, the longest of which are drawn in parts, against the geometric law."""
    small = late._small_ones(10_000_000, SECURE.take)
    gaps = np.diff(small) - 1
    edges = [
        0,
        1,
        2,
        3,
        10,
        50,
        100,
        200,
        300,
        500,
        700,
        1000,
        1023,
        1024,
        1025,
        1030,
        1200,
        1500,
        2048,
        2500,
    ]
    law = {
        i: (255 / 256) ** first - (255 / 256) ** last
        for i, (first, last) in enumerate(zip(edges, [*edges[1:], np.inf], strict=True))
    }
    assert_has_law((np.searchsorted(edges, gaps, side="right") - 1).tolist(), law)
    assert small.min() >= 0
    assert small.max() < 10_000_000


def test_of_few_words_the_first_is_as_often_small_as_the_last():
    found = np.concatenate([late._small_ones(3, SECURE.take) for _ in range(6000)])
    assert_has_law(
        [*found.tolist(), *[3] * (18_000 - len(found))], {0: 1 / 768, 1: 1 / 768, 2: 1 / 768, 3: 255 / 256}
    )


def test_words_are_uniform_where_they_may_be():
    words = LateWords(2_000_000, SECURE.take)
    assert_has_law((words.small_words >> np.uint64(53)).tolist(), dict.fromkeys(range(8), 1 / 8))
    others = words.others(np.setdiff1d(np.arange(12_000), words.small))
    assert_has_law((others >> np.uint64(56)).tolist(), dict.fromkeys(range(1, 256), 1 / 255))


def test_a_small_word_keeps_its_lower_bits_and_a_small_one_of_the_others_is_drawn_again():
    """One value, and a gap of 0 says that it is small. Then two that are not."""
    for lower in (2**56 - 2, 2**56 - 1, 1, 0):
        words = LateWords(1, ScriptedWords([2**64 - 1, 2**60 + lower]).take)
        assert words.small.tolist() == [0]
        assert words.small_words.tolist() == [lower]
    for least, other in ((2**60, 2**56), (2**56, 2**60)):
        script = [0, 5, other, 2**56 - 1, least]
        words = LateWords(2, ScriptedWords(script).take)
        assert words.small.size == 0
        assert words.others(array([0, 1])).tolist() == [least, other]


def test_words_that_were_asked_for_are_not_drawn_again():
    words = LateWords(5000, SECURE.take)
    words.others(array([3]))
    with pytest.raises(EngineError, match="asked for twice"):
        words.others(array([3]))


# -- what is selected by them -------------------------------------------------------------------------------


def grouped():
    """2,400 candidates of three scores: few lead, and many follow that only a small word brings to the front."""
    scores = np.full(2400, -10, dtype=np.int64)
    scores[::400], scores[1::12] = 0, -5
    return scores


@each_noise
@pytest.mark.parametrize("among", ["all", "every other"])
def test_a_pick_of_many_has_its_exact_law(noise, among):
    """The secure path, ties within each group: by group and by half of the positions."""
    scores, unit = grouped(), Fraction(3, 5)
    candidates = np.arange(2400) if among == "all" else np.arange(0, 2400, 2)
    assert len(candidates) > ranking._MANY
    law = LAW[noise](scores[candidates], unit)
    outcome = scores * 2 + (np.arange(2400) >= 1200)
    expected: dict[int, float] = {}
    for position, share in zip(candidates.tolist(), law.tolist(), strict=True):
        expected[int(outcome[position])] = expected.get(int(outcome[position]), 0.0) + share
    assert min(expected.values()) > 0.01
    picked = [one_pick(scores, candidates, unit, SECURE, noise) for _ in range(1000)]
    assert set(picked) <= set(candidates.tolist())
    assert_has_law(outcome[picked].tolist(), expected)


@each_noise
def test_two_of_many_ties_are_any_two(noise):
    scores = np.zeros(2500, dtype=np.int64)
    pairs = [TOP_K[noise](scores, 2, Fraction(1), SECURE) for _ in range(1500)]
    assert all(one != two for one, two in pairs)
    assert_has_law(
        [(int(one) // 500, int(two) // 500) for one, two in pairs],
        {(i, j): (500 * (500 - (i == j))) / (2500 * 2499) for i in range(5) for j in range(5)},
    )


@each_noise
@pytest.mark.parametrize("ahead", [0.007, 2.0**-22])
def test_the_largest_noise_of_a_word_that_is_not_small_may_win(noise, ahead):
    """By little over a small word: a bound of the other noise that is lower by a hundredth would lose it."""
    small, other = 2**55, int(FIRST_CLOSED)
    words = np.full(3000, 2**63, dtype=np.uint64)
    words[2000], words[7] = small, other
    of_small, of_other = noise.value(np.array([2.0**-9, 2.0**-8]))
    behind = of_small - of_other + ahead
    scores = np.full(3000, -(2**50), dtype=np.int64)
    scores[7], scores[2000] = 0, -round(behind * 2**40)
    assert TOP_K[noise](scores, 1, Fraction(1, 2**40), ScriptedWords(words.tolist())).tolist() == [7]


@as_one
@each_noise
@pytest.mark.parametrize("word", [0, 5, 2**32 - 1])
def test_a_word_whose_noise_has_no_float_above_keeps_nobody_out(noise, word):
    """The least words are far from infinite: a score that is a hundred noises behind does not lead by one."""
    words = np.full(3000, 2**63, dtype=np.uint64)
    words[2000] = word
    scores = np.full(3000, -(10**6), dtype=np.int64)
    scores[7], scores[2000] = 0, -100
    assert TOP_K[noise](scores, 1, Fraction(1), ScriptedWords([*words.tolist(), 2**63])).tolist() == [7]


@as_one
@each_noise
@pytest.mark.parametrize("unit", [Fraction(1, 2000), Fraction(1), Fraction(1, 10**30), Fraction(2) ** 901])
def test_few_words_are_asked_for_and_the_answer_is_that_of_all(monkeypatch, noise, unit):
    scores = np.random.default_rng(5).zipf(1.4, 40_000).clip(max=10**4).astype(np.int64)
    words = LateScriptedWords(seed=1)
    fast = TOP_K[noise](scores, 3, unit, words)
    assert len(words.asked) == (1 if BY_NOISE[noise].serves_all else 3)
    assert max(map(len, words.asked)) < 8_000
    assert isinstance(words.take_lazily(3), WholeWords)
    monkeypatch.setattr(ranking, "_MANY", 10**6)
    assert np.array_equal(TOP_K[noise](scores, 3, unit, ScriptedWords(seed=1)), fast)


@each_noise
@pytest.mark.parametrize("far", [2**53, 2**55, 2**57], ids=["2**53", "2**55", "2**57"])
def test_scores_that_floats_hardly_tell_apart_are_told_apart(monkeypatch, noise, far):
    """The best score takes no part. The others are so far below it that a float of the gap is coarser than noise."""
    others = np.random.default_rng(far).integers(0, 40, 3_000)
    scores, candidates = array([far, *others]), np.arange(1, 3_001)

    def picked(seed):
        known = ranking.LazyScores(scores)
        return ranking.first_places(
            candidates, known, 1, Fraction(1), noise, ScriptedWords(seed=seed)
        ).tolist()

    fast = [picked(seed) for seed in range(60)]
    monkeypatch.setattr(ranking, "_MANY", 10**6)
    assert [picked(seed) for seed in range(60)] == fast


def test_scores_below_the_best_are_never_too_low_and_lowered_never_too_high():
    """By rationals, of units and gaps of every size; what is kept of one unit serves no other."""
    rng = np.random.default_rng(1)
    gaps = [0, *(int(rng.integers(2**size, 2 ** (size + 1))) for size in range(61) for _ in range(5))]
    known = ranking.LazyScores(array([2**61 - gap for gap in gaps]))
    units = rng.integers(1, 2**62, (20, 2)).tolist()
    for unit in [Fraction(n, d) * Fraction(2) ** size for n, d in units for size in (-100, 0, 100)]:
        found = known.below(unit)
        assert found is known.below(unit)
        for gap, value in zip(gaps, found.tolist(), strict=True):
            assert Fraction(value) * (1 + Fraction(1, 2**46)) <= -unit * gap <= Fraction(value)
    assert known.below(Fraction(2) ** 2000)[1:].max() <= -(2.0**899)


def test_a_word_is_small_below_the_least_that_begins_with_no_byte_of_zeros() -> None:
    words = WholeWords(np.array([2**56, 2**56 - 1, 0, 2**64 - 1], dtype=np.uint64))
    assert words.small.tolist() == [1, 2]
    assert words.small_words.tolist() == [2**56 - 1, 0]
