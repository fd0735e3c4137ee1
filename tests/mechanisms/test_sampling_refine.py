from __future__ import annotations

from fractions import Fraction
from math import floor, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgedp.mechanisms.sampling.noise import EXPONENTIAL, GUMBEL, LazyReal
from edgedp.mechanisms.sampling.refine import certain_floor, certain_order, certainly_reaches
from sampling_doubles import NOISES, ScriptedWords, true_noise

LAWS = NOISES

colliding = st.sampled_from([0, 1, 2**40, 2**63, 2**63 + 1, 2**64 - 1])
steps = st.one_of(st.integers(-2, 2).map(Fraction), st.integers(-3, 3).map(lambda i: Fraction(i, 2**64 * 5)))


class Known(LazyReal):
    """A noise value that remembers its words, so that its true value can be computed apart."""

    __slots__ = ("seen",)

    def __init__(self, noise, first):
        self.seen = [first]
        super().__init__(noise, first)

    def extend(self, word):
        self.seen.append(word)
        super().extend(word)

    def true_value(self, name, later):
        """Its value if the words to come are these."""
        words = [*self.seen, *later]
        return true_noise(name, sum(word << 64 * i for i, word in enumerate(reversed(words))), len(words))


@pytest.mark.parametrize("name", LAWS)
@given(
    given_=st.lists(st.tuples(steps, colliding), min_size=1, max_size=5),
    script=st.lists(colliding, max_size=8),
    data=st.data(),
)
@settings(max_examples=60)
def test_an_order_stands_whatever_words_come_later(name, given_, script, data):
    wanted = data.draw(st.integers(1, len(given_)))
    scores = [score for score, _ in given_]
    noises = [Known(LAWS[name], word) for _, word in given_]
    order = certain_order(scores, noises, wanted, ScriptedWords(script))
    assert sorted(order) == list(range(len(given_)))
    for later in ([0], [2**64 - 1], [2**63, 17]):
        values = [score + noise.true_value(name, later) for score, noise in zip(scores, noises, strict=True)]
        for place in range(wanted):
            for behind in order[place + 1 :]:
                for other in ([0], [2**64 - 1]):
                    assert values[order[place]] >= scores[behind] + noises[behind].true_value(name, other)


@pytest.mark.parametrize("name", LAWS)
def test_who_may_still_lead_gets_a_word(name):
    noises = [Known(LAWS[name], 2**63) for _ in range(2)]
    certain_order([Fraction(0), Fraction(-1, 2**64 * 5)], noises, 1, ScriptedWords([2**62, 2**63]))
    assert [noise.seen[1:] for noise in noises] == [[2**62], [2**63]]


def test_only_the_undecided_get_a_word_in_the_order_given():
    noises = [Known(EXPONENTIAL, word) for word in (5, 2**63, 9, 5, 2**63)]
    certain_order([Fraction(0)] * 5, noises, 2, ScriptedWords([100, 200]))
    assert [noise.seen[1:] for noise in noises] == [[100], [], [], [200], []]  # the two small words lead


def test_nobody_below_the_wanted_places_gets_a_word():
    noises = [Known(EXPONENTIAL, word) for word in (2**63, 5, 2**63, 2**63)]
    words = ScriptedWords()
    assert certain_order([Fraction(0)] * 4, noises, 1, words)[0] == 1
    assert words.taken == 0


def test_open_ends_do_not_convert_scores_to_floats():
    huge = Fraction(10) ** 1000
    noises = [LazyReal(GUMBEL, 0), LazyReal(GUMBEL, 2**64 - 1), LazyReal(GUMBEL, 0)]
    assert certain_order([huge, huge + 200, -huge], noises, 3, ScriptedWords())[-1] == 2


@given(
    word=colliding,
    script=st.lists(colliding, max_size=3),
    factor=st.fractions(min_value=Fraction(1, 1000), max_value=2**70),
)
@settings(max_examples=60)
def test_a_floor_stands_whatever_words_come_later(word, script, factor):
    noise = Known(EXPONENTIAL, word)
    value = certain_floor(noise, factor, ScriptedWords(script))
    for later in ([0], [2**64 - 1]):
        true = noise.true_value("exponential", later)
        assert true == inf or floor(factor * true) == value


def test_a_floor_at_an_integer_is_decided_by_the_next_word():
    # The factor puts the middle of the first word's interval exactly on the integer 3.
    middle = true_noise("exponential", 2**63 * 2**64 + 2**63, 2)
    factor = 3 / middle
    assert certain_floor(LazyReal(EXPONENTIAL, 2**63), factor, ScriptedWords([0])) == 3
    assert certain_floor(LazyReal(EXPONENTIAL, 2**63), factor, ScriptedWords([2**64 - 1])) == 2


def test_reaching_a_bound_is_decided_by_the_next_word():
    bound = true_noise("exponential", 2**63 * 2**64 + 2**63, 2)
    assert certainly_reaches(LazyReal(EXPONENTIAL, 2**63), bound, ScriptedWords([0]))
    assert not certainly_reaches(LazyReal(EXPONENTIAL, 2**63), bound, ScriptedWords([2**64 - 1]))
    assert certainly_reaches(LazyReal(EXPONENTIAL, 2**64 - 1), Fraction(0), ScriptedWords())


def test_a_constant_source_is_outlasted():
    words = ScriptedWords([7] * 12)
    noises = [LazyReal(GUMBEL, 7), LazyReal(GUMBEL, 7)]
    order = certain_order([Fraction(0)] * 2, noises, 1, words)
    assert noises[order[0]].low > noises[order[1]].high
    assert words.taken == 14  # six rounds of equal words, one that differs


def test_scores_a_hair_apart_need_words_in_proportion():
    words = ScriptedWords(np.full(100, 7).tolist())
    noises = [LazyReal(EXPONENTIAL, 2**63), LazyReal(EXPONENTIAL, 2**63)]
    assert certain_order([Fraction(1, 2**640), Fraction(0)], noises, 1, words)[0] == 0
    assert 18 <= words.taken <= 22  # 640 bits are ten words for each of the two
