from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from edgedp.mechanisms.laws import ordered_law
from edgedp.mechanisms.samplers import sampler as sampler_by_name
from edgedp.mechanisms.sampling import ranking, select
from edgedp.mechanisms.sampling.noise import GUMBEL
from edgedp.mechanisms.sampling.select import (
    one_pick,
    top_k_gumbel,
    top_k_permute_and_flip,
    top_k_with_random_ties,
)
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.words.errors import EngineError, ParameterError
from edgedp.words.vocabulary import SAMPLERS
from looped import as_one
from sampling_doubles import NOISES, ScriptedWords, assert_has_law

BY_NAME = {name: sampler_by_name(name) for name in SAMPLERS}
TOP_K = {name: drawn_by.top_k for name, drawn_by in BY_NAME.items()}
LAW = {name: drawn_by.law for name, drawn_by in BY_NAME.items()}
NOISE = {name: drawn_by.noise for name, drawn_by in BY_NAME.items()}
SLOPE = {"exponential": 2 / np.log(2), "permute_and_flip": 2.0}
"""By how much the noise of a sampler falls where a uniform number passes a half; written here by hand."""
SECURE = SecureWords()

each_sampler = pytest.mark.parametrize("sampler", SAMPLERS)


def array(values):
    return np.array(values, dtype=np.int64)


# -- laws of the real secure path --------------------------------------------------------------------


@each_sampler
@pytest.mark.parametrize(
    ("scores", "unit", "k"),
    [
        ([3, 1, 0, 0], Fraction(1), 1),
        ([3, 1, 0, 0], Fraction(2, 3), 2),
        ([5, 4, 4, 0, -3], Fraction(1, 3), 2),
        ([0, 0, 0], Fraction(7), 3),
        ([2**46, 2**46 - 2**45, 0], Fraction(1, 2**45), 3),
        ([-(2**62), -(2**62) + 1, 2**62], Fraction(1, 2), 3),
    ],
)
def test_ordered_answers_have_their_law(sampler, scores, unit, k):
    scores = array(scores)
    law = ordered_law(lambda left: LAW[sampler](scores[left], unit), len(scores), k)
    count = 1500 if scores.max() < 2**62 else 600  # far below the largest, every order needs more words
    draws = [tuple(TOP_K[sampler](scores, k, unit, SECURE).tolist()) for _ in range(count)]
    assert_has_law(draws, law)


@each_sampler
def test_a_pick_among_some_has_the_law_of_those_alone(sampler):
    scores, candidates, unit = array([50, 1, 3, 2, 9]), array([1, 2, 3]), Fraction(1, 2)
    law = dict(zip([1, 2, 3], LAW[sampler](scores[candidates], unit).tolist(), strict=True))
    assert_has_law([one_pick(scores, candidates, unit, SECURE, NOISE[sampler]) for _ in range(1500)], law)


@each_sampler
def test_lazy_answers_have_their_law(sampler):
    scores, upper, unit = array([4, 6, 5, 0, 5]), array([9, 6, 8, 0, 7]), Fraction(1, 2)
    law = ordered_law(lambda left: LAW[sampler](scores[left], unit), 5, 2)
    draws = [tuple(TOP_K[sampler](upper, 2, unit, SECURE, scores.__getitem__).tolist()) for _ in range(1500)]
    assert_has_law(draws, law)


# -- refinement -----------------------------------------------------------------------------------------


class CollidingWords:
    """The first call gives everybody the same word; all later ones are the system's."""

    private = False

    def __init__(self, word):
        self._word = word

    def take(self, count):
        word, self._word = self._word, None
        return SECURE.take(count) if word is None else np.full(count, word, dtype=np.uint64)


@each_sampler
@pytest.mark.parametrize("word", [0, 2**63, 2**64 - 1])
def test_equal_scores_and_first_words_are_in_uniformly_random_order(sampler, word):
    scores = array([7, 7, 7])
    k = 3 if BY_NAME[sampler].serves_all else 1  # the words collide in the first round alone
    draws = [tuple(TOP_K[sampler](scores, k, Fraction(1), CollidingWords(word)).tolist()) for _ in range(150)]
    assert_has_law(draws, dict.fromkeys(permutations(range(3), k), 1 / (6 if k == 3 else 3)))


@each_sampler
def test_a_lead_below_the_first_words_width_counts_exactly(sampler):
    # All have the first word 2**63, where noise falls by slope * 2**-64 over the word's interval, nearly
    # linearly. A lead of half of that beats the rest of a uniform word with probability 7/8.
    unit = Fraction(SLOPE[sampler] / 2) / 2**64
    draws = [int(TOP_K[sampler](array([0, 1]), 1, unit, CollidingWords(2**63))[0]) for _ in range(400)]
    assert_has_law(draws, {0: 1 / 8, 1: 7 / 8})


@as_one
@each_sampler
@pytest.mark.parametrize("word", [1, 64, 2**20, 2**31])
def test_of_a_small_word_the_next_one_decides(sampler, word):
    """The noise of a word w may fall by a w-th: a lead of a third of that is less than what the next words say."""
    unit = Fraction(1, 3 * word)
    for later, first in (((0, 2**64 - 1), 0), ((2**64 - 1, 0), 1)):
        for scores in ([0, 1], [1, 0]):
            words = ScriptedWords([word, word, *later])
            assert TOP_K[sampler](array(scores), 1, unit, words).tolist() == [first]


few_words = st.sampled_from([0, 1, 2**32 - 1, 2**40, 2**63, 2**63 + 1, 2**64 - 2**20, 2**64 - 1])


@st.composite
def lazy_cases(draw):
    count = draw(st.integers(1, 8))
    scores = array(draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count)))
    slack = array(draw(st.lists(st.integers(0, 4), min_size=count, max_size=count)))
    k = draw(st.integers(1, count))
    unit = draw(
        st.sampled_from(
            [Fraction(1), Fraction(1, 2**64), Fraction(1, 2**40), Fraction(10**30), Fraction(1, 10**400)]
        )
    )
    script = draw(st.lists(few_words, min_size=count, max_size=3 * count))
    return scores, slack, k, unit, script


@each_sampler
@given(case=lazy_cases())
@settings(max_examples=150)
def test_lazy_equals_full_word_for_word(sampler, case):
    scores, slack, k, unit, script = case
    full_words, lazy_words = ScriptedWords(script), ScriptedWords(script)
    full = TOP_K[sampler](scores, k, unit, full_words)
    lazy = TOP_K[sampler](scores + slack, k, unit, lazy_words, scores.__getitem__)
    assert full.tolist() == lazy.tolist()
    assert full_words.taken == lazy_words.taken


def test_lazy_equals_full_where_floats_see_less():
    # The first two are within one word's interval of each other, and noise near 0 lets the floats of the full
    # computation see which leads. The bound of the third lifts the reference, and the lazy one sees a tie.
    near_zero = int((1 - np.exp(-1)) * 2**64)
    script = [near_zero, near_zero, 2**64 - 2**50, 1, 2**64 - 1]
    scores, upper, unit = array([0, 1, 0]), array([0, 1, 2**62]), Fraction(1, 2**66)
    full = top_k_gumbel(scores, 1, unit, ScriptedWords(script))
    lazy = top_k_gumbel(upper, 1, unit, ScriptedWords(script), scores.__getitem__)
    assert full.tolist() == lazy.tolist() == [0]  # the smaller further word goes to the lower position


@each_sampler
@given(case=lazy_cases(), offset=st.integers(-(2**61), 2**61))
def test_a_common_offset_changes_nothing(sampler, case, offset):
    scores, _, k, unit, script = case
    here, there = ScriptedWords(script), ScriptedWords(script)
    expected = TOP_K[sampler](scores, k, unit, here)
    assert TOP_K[sampler](scores + offset, k, unit, there).tolist() == expected.tolist()
    assert here.taken == there.taken


class RecordingWords(ScriptedWords):
    """Remembers the first words."""

    first = None

    def take(self, count):
        drawn = super().take(count)
        self.first = drawn if self.first is None else self.first
        return drawn


# -- what is evaluated ------------------------------------------------------------------------------------


def heavy_tailed(count, seed):
    """Scores like dampened ones of a social network, and bounds a little above them."""
    random = np.random.default_rng(seed)
    degrees = np.minimum(1 + random.pareto(1.3, count), 1400)
    upper = (degrees * 2**36).astype(np.int64)
    return upper, upper - (degrees**2 * 2**22).astype(np.int64)


@each_sampler
@pytest.mark.parametrize("epsilon", [Fraction(1, 30), Fraction(1), Fraction(10)])
def test_few_scores_are_evaluated_and_none_twice(sampler, epsilon):
    upper, scores = heavy_tailed(37_000, 1)
    asked = []

    def evaluate(positions):
        asked.append(positions)
        return scores[positions]

    unit = epsilon / 20 / (2**36 + 2)
    for seed in range(3):
        asked.clear()
        lazy = TOP_K[sampler](upper, 10, unit, ScriptedWords(seed=seed), evaluate)
        assert lazy.tolist() == TOP_K[sampler](scores, 10, unit, ScriptedWords(seed=seed)).tolist()
        evaluated = np.concatenate(asked)
        assert len(evaluated) == len(set(evaluated.tolist()))
        assert len(evaluated) <= (30 if BY_NAME[sampler].serves_all else 60)
        assert set(lazy.tolist()) <= set(evaluated.tolist())


def test_at_most_an_eighth_is_evaluated_in_vain():
    # Bounds so loose that many candidates must be looked at: count how many really had to be.
    random = np.random.default_rng(5)
    scores = random.integers(0, 1000, 5000)
    upper = scores + random.integers(0, 300, 5000)
    unit = Fraction(1, 10)
    asked = []

    def evaluate(positions):
        asked.extend(positions.tolist())
        return scores[positions]

    words = RecordingWords()
    picked = top_k_gumbel(upper, 5, unit, words, evaluate)
    low, high = GUMBEL.enclose(words.first)
    last = low[picked[-1]] + float(unit) * scores[picked[-1]]
    needed = np.count_nonzero(high + float(unit) * upper > last + 1e-6)
    assert needed > 50
    assert needed <= len(asked) <= 1.125 * needed + 1


def test_a_score_above_its_bound_is_refused_without_naming_it():
    with pytest.raises(EngineError, match=r"^a score is above the bound given for it; report this defect$"):
        top_k_gumbel(array([3, 1]), 1, Fraction(1), SECURE, lambda positions: np.full(len(positions), 1234))


# -- extremes --------------------------------------------------------------------------------------------


@each_sampler
def test_one_candidate_is_a_sure_pick(sampler):
    assert TOP_K[sampler](array([-5]), 1, Fraction(1), SECURE).tolist() == [0]
    assert one_pick(array([4, -5, 4]), array([1]), Fraction(1), SECURE, NOISE[sampler]) == 1


@as_one
@each_sampler
@pytest.mark.parametrize("unit", [Fraction(10**6), Fraction(10) ** 300, Fraction(10) ** 1000])
def test_a_huge_unit_leaves_no_chance(sampler, unit):
    scores = array([-(2**62), 5, 2**62, 4])
    assert TOP_K[sampler](scores, 4, unit, SECURE).tolist() == [2, 1, 3, 0]
    for _ in range(20):
        assert TOP_K[sampler](array([7, 9, 8]), 3, unit, SECURE).tolist() == [1, 2, 0]
    assert TOP_K[sampler](array([9, 9, 9, 9]), 1, unit, ScriptedWords([5, 4, 6, 7])).tolist() == [1]


@each_sampler
def test_a_huge_unit_still_breaks_ties_by_the_noise(sampler):
    draws = [TOP_K[sampler](array([9, 9, 2]), 2, Fraction(10) ** 1000, SECURE).tolist() for _ in range(200)]
    assert {tuple(draw) for draw in draws} == {(0, 1), (1, 0)}


@each_sampler
def test_ties_far_below_the_largest_are_drawn_exactly(sampler):
    # The three ties are 2**200 standard noises below: in float64 their noise is lost.
    unit, scores = Fraction(2) ** 150, array([2**50, 0, 0, 0])
    draws = [tuple(TOP_K[sampler](scores, 4, unit, SECURE).tolist()) for _ in range(400)]
    assert_has_law(draws, {(0, *rest): 1 / 6 for rest in permutations([1, 2, 3])})


@each_sampler
def test_a_tiny_unit_makes_all_alike(sampler):
    draws = [
        int(TOP_K[sampler](array([2**62, 0, -(2**62)]), 1, Fraction(1, 10**400), SECURE)[0])
        for _ in range(3000)
    ]
    assert_has_law(draws, dict.fromkeys(range(3), 1 / 3))


@each_sampler
def test_all_of_many_are_ranked_once(sampler):
    scores = np.random.default_rng(2).integers(0, 50, 300)
    assert sorted(TOP_K[sampler](scores, 300, Fraction(1, 3), SECURE).tolist()) == list(range(300))


def test_the_gumbel_order_follows_the_float_values_where_these_are_apart():
    words = RecordingWords()
    scores = np.random.default_rng(3).integers(0, 2**46, 20_000)
    picked = top_k_gumbel(scores, 50, Fraction(1, 2**43), words)
    assert words.first is not None
    noisy = scores * 2.0**-43 - np.log(-np.log1p(-(words.first * 2.0**-64)))
    assert picked.tolist() == np.argsort(-noisy)[:50].tolist()


def test_every_round_of_permute_and_flip_draws_anew():
    words = ScriptedWords()
    top_k_permute_and_flip(array([1, 2, 3, 4]), 3, Fraction(1), words)
    assert words.taken == 4 + 3 + 2


def test_the_secure_path_and_a_generator_share_their_code(monkeypatch):
    calls = []
    real = select.first_places

    def recording(*given):
        calls.append(given[-1])
        return real(*given)

    monkeypatch.setattr(select, "first_places", recording)
    for words in (SECURE, ScriptedWords()):
        top_k_gumbel(array([1, 2]), 1, Fraction(1), words)
    assert calls[0] is SECURE
    assert len(calls) == 2


def test_scores_are_left_alone():
    upper = array([3, 2, 1])
    top_k_gumbel(upper, 3, Fraction(1), SECURE, lambda positions: np.zeros(len(positions), dtype=np.int64))
    assert upper.tolist() == [3, 2, 1]


@as_one
@each_sampler
@pytest.mark.parametrize("k", [0, -1, 4])
def test_k_out_of_range_is_refused(sampler, k):
    with pytest.raises(ParameterError, match=rf"^k is {k}, must be from 1 to 3, "):
        TOP_K[sampler](array([1, 2, 3]), k, Fraction(1), SECURE)


@as_one
@each_sampler
@pytest.mark.parametrize("unit", [Fraction(0), Fraction(-1, 3)])
def test_a_unit_that_is_not_positive_is_refused(sampler, unit):
    with pytest.raises(ParameterError, match=r"^unit is .*, must be positive; "):
        TOP_K[sampler](array([1, 2, 3]), 1, unit, SECURE)


# -- bounds of noisy scores -----------------------------------------------------------------------------


@given(
    scores=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
    unit=st.one_of(
        st.fractions(min_value=Fraction(1, 10**12), max_value=10**12),
        st.integers(-1200, 1200).map(lambda power: Fraction(2) ** power),
        st.integers(-330, 330).map(lambda power: Fraction(10) ** power * 7 / 3),
    ),
    word=st.integers(0, 2**64 - 1),
)
@example(scores=[0, 3], unit=Fraction(2) ** 1000, word=2**63)
@settings(max_examples=150)
def test_bounds_of_noisy_scores_enclose_them(scores, unit, word):
    reference = max(scores)
    least, most = ranking.below_reference(array(scores), np.int64(reference), unit)
    for noise in NOISES.values():
        noise_low, noise_high = noise.enclose(np.array([word], dtype=np.uint64))
        exact_low, exact_high = noise.enclose_exactly(word, 1)
        for i, score in enumerate(scores):
            below = unit * (reference - score)
            low, high = noise_low[0] - most[i], noise_high[0] - least[i]
            assert not np.isnan(low)
            assert low == -np.inf or Fraction(low) <= exact_low - below
            assert high == np.inf or Fraction(high) >= exact_high - below


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), max_size=8).map(
        lambda drawn: sorted(((low, low + width) for low, width in drawn), key=lambda each: -each[0])
    )
)
def test_what_has_a_point_in_common_with_another_is_not_told_apart_by_floats(intervals):
    low, high = np.array(intervals, dtype=np.float64).reshape(-1, 2).T
    assert ranking._meets_another(low, high).tolist() == [
        any(i != j and a <= d and c <= b for j, (c, d) in enumerate(intervals))
        for i, (a, b) in enumerate(intervals)
    ]


@as_one
@pytest.mark.parametrize("count", [1, 64, 256, 257, 400, 1000, 8192, 20_000])
def test_the_best_bound_is_looked_at_first_however_many_there_are(count):
    """What comes later is never better: where the threshold stops the look, nobody is left who could reach it."""
    shuffled = [np.random.default_rng(seed).permutation(count) for seed in range(30 if count <= 1000 else 1)]
    for values in (*shuffled, np.arange(count) // 7):
        members = np.arange(count) + 5
        found = np.array(list(ranking._falling(members, values.astype(np.float64))))
        assert sorted(found.tolist()) == members.tolist()
        assert (np.diff(values[found - 5]) <= 0).all()


# -- ties -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int64, object])
def test_ties_are_broken_uniformly_in_the_order_and_at_its_end(dtype):
    values = np.array([7, 3, 9, 3, 7, 3], dtype=dtype)
    draws = [tuple(top_k_with_random_ties(values, 4, SECURE).tolist()) for _ in range(6000)]
    law = {(2, *sevens, last): 1 / 6 for sevens in permutations([0, 4]) for last in (1, 3, 5)}
    assert_has_law(draws, law)


def test_equal_values_are_drawn_in_uniformly_random_order():
    draws = [tuple(top_k_with_random_ties(array([5, 5, 5, 5]), 2, SECURE).tolist()) for _ in range(6000)]
    assert_has_law(draws, dict.fromkeys(permutations(range(4), 2), 1 / 12))


@given(values=st.lists(st.integers(-5, 5), min_size=1, max_size=12), data=st.data())
def test_the_largest_come_first(values, data):
    k = data.draw(st.integers(1, len(values)))
    picked = top_k_with_random_ties(array(values), k, SECURE)
    assert len(set(picked.tolist())) == k
    assert [values[i] for i in picked] == sorted(values, reverse=True)[:k]


def test_values_beyond_64_bits_are_ranked():
    values = np.array([2**70, 2**70 + 1, -(2**90), 0], dtype=object)
    assert top_k_with_random_ties(values, 4, SECURE).tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize("k", [0, 3])
def test_ties_refuse_k_out_of_range(k):
    with pytest.raises(ParameterError, match="must be from 1 to 2"):
        top_k_with_random_ties(array([1, 2]), k, SECURE)


@as_one
@each_sampler
@pytest.mark.parametrize(
    ("unit", "far"),
    [
        (Fraction(1, 10**9), 0),
        (Fraction(3), 0),
        (Fraction(2) ** 901, 0),
        *((Fraction(1, 50), far) for far in (45_300, 45_800, 46_300)),
    ],
)
@pytest.mark.parametrize("k", [1, 7])
def test_looking_at_few_of_many_changes_no_answer(monkeypatch, sampler, unit, far, k):
    scores = np.random.default_rng(5).zipf(1.4, 3_000).clip(max=10**4).astype(np.int64) - 500
    scores[1_500:1_503] += far  # far above the others: where floats of exp(-x) end
    small = [2**32, 5, 0, 2**33 - 1]  # words whose noise has no bound in floats

    def drawn(seed):
        return TOP_K[sampler](scores, k, unit, ScriptedWords(small * (seed == 0), seed)).tolist()

    monkeypatch.setattr("edgedp.mechanisms.sampling.ranking._MANY", 1)
    fast = [drawn(seed) for seed in range(5)]
    monkeypatch.setattr("edgedp.mechanisms.sampling.ranking._MANY", len(scores))
    assert [drawn(seed) for seed in range(5)] == fast


def test_no_score_is_evaluated_twice_in_rounds() -> None:
    """What was evaluated in one round of permute-and-flip is known in the next ones."""
    scores = np.random.default_rng(2).integers(0, 50, 300)
    asked: list[int] = []

    def evaluate(positions: NDArray[np.int64]) -> NDArray[np.int64]:
        asked.extend(positions.tolist())
        return scores[positions]

    top_k_permute_and_flip(scores + 3, 20, Fraction(1, 2), SecureWords(), evaluate)
    assert len(asked) == len(set(asked)) > 20
