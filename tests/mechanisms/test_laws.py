from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import exp, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgedp.mechanisms.grid import GridScores
from edgedp.mechanisms.laws import (
    exponential_law,
    joint_first_law,
    joint_ordered_law,
    ordered_law,
    permute_and_flip_law,
)
from edgedp.mechanisms.quadrature import leave_one_out_integrals, sum_rule
from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import SAMPLERS
from looped import as_one


def array(values):
    return np.array(values, dtype=np.int64)


small_scores = st.lists(st.integers(-6, 6), min_size=1, max_size=5)
units = st.sampled_from([Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(20)])


def close(law, expected):
    """To 1e-12, relatively: an audit divides probabilities."""
    return np.allclose(law, expected, rtol=1e-12, atol=0)


# -- exponential mechanism and permute-and-flip -------------------------------------------------------


@given(scores=small_scores, unit=units)
def test_exponential_law_by_definition(scores, unit):
    with localcontext() as context:
        context.prec = 50
        weights = [(Decimal(unit.numerator) / unit.denominator * score).exp() for score in scores]
        assert close(exponential_law(array(scores), unit), [float(w / sum(weights)) for w in weights])


@given(scores=small_scores, unit=units)
def test_permute_and_flip_law_by_all_orders(scores, unit):
    # The mechanism itself: in random order, accept each with its probability; the largest is always accepted.
    accepted = [Fraction(exp(unit * (score - max(scores)))) for score in scores]
    law = [Fraction(0)] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        for place, candidate in enumerate(order):
            refused = prod((1 - accepted[earlier] for earlier in order[:place]), start=Fraction(1))
            law[candidate] += refused * accepted[candidate] / len(orders)
    assert sum(law) == 1
    assert close(permute_and_flip_law(array(scores), unit), [float(p) for p in law])


@given(
    groups=st.lists(st.tuples(st.integers(0, 64), st.integers(1, 25)), min_size=1, max_size=5),
)
@settings(max_examples=25)
def test_leave_one_out_integrals_are_those_of_the_polynomials(groups):
    # Exact integration, term by term, of the polynomial with rational coefficients.
    probabilities = [Fraction(numerator, 64) for numerator, _ in groups]
    counts = [count for _, count in groups]
    found = leave_one_out_integrals(np.array(probabilities, dtype=np.float64), array(counts))
    for group in range(len(groups)):
        polynomial = [Fraction(1)]
        for other, (p, count) in enumerate(zip(probabilities, counts, strict=True)):
            for _ in range(count - (other == group)):
                shifted = [Fraction(0), *polynomial]
                polynomial = [a - p * b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)]
        integral = sum(coefficient / (power + 1) for power, coefficient in enumerate(polynomial))
        assert abs(found[group] / float(integral) - 1) < 1e-12


@pytest.mark.parametrize("law", [sampler(name).law for name in SAMPLERS])
def test_extremes(law):
    assert law(array([4]), Fraction(3)).tolist() == [1.0]
    assert law(array([2**62, -(2**62)]), Fraction(10) ** 400).tolist() == [1.0, 0.0]
    assert close(law(array([2**62, -(2**62), 0]), Fraction(1, 10**400)), [1 / 3] * 3)
    assert close(law(array([-(2**63), 2**63 - 1, 2**63 - 1]), Fraction(5)), [0, 0.5, 0.5])
    assert close(law(np.full(1000, 7), Fraction(1)), [1e-3] * 1000)


@pytest.mark.parametrize("unit", [Fraction(1, 2**60), Fraction(1, 2**46), Fraction(30, 2**46), Fraction(1)])
def test_permute_and_flip_law_of_a_social_network(unit):
    scores = np.random.default_rng(1).integers(0, 2**46, 37_700)
    law = permute_and_flip_law(scores, unit)
    assert abs(law.sum() - 1) < 1e-12
    assert np.all(np.diff(law[np.argsort(scores)]) >= 0)


def test_permute_and_flip_never_prefers_a_worse_candidate_more_than_the_exponential_mechanism():
    scores = array([5, 4, 2, 0, 0])
    for unit in (Fraction(1, 5), Fraction(1), Fraction(3)):
        assert permute_and_flip_law(scores, unit) @ scores >= exponential_law(scores, unit) @ scores


# -- joint release --------------------------------------------------------------------------------------


def by_enumeration(values, scale, k):
    """The law of the ordered k largest by summing over all noisy vectors on a window that holds all but 1e-12."""
    ratio = exp(-1 / scale)
    reach = int(30 * scale) + 1
    noise = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach, reach + 1)}
    law = dict.fromkeys(permutations(range(len(values)), k), 0.0)
    for drawn in product(noise, repeat=len(values)):
        probability = prod(noise[z] for z in drawn)
        noisy = [value + z for value, z in zip(values, drawn, strict=True)]
        tops = [
            answer
            for answer in law
            if all(noisy[a] >= noisy[b] for a, b in pairwise(answer))
            and all(noisy[answer[-1]] >= noisy[i] for i in range(len(values)) if i not in answer)
        ]
        for answer in tops:  # equally likely: a uniform order of all ties, cut after k
            law[answer] += probability / len(tops)
    return law


@pytest.mark.parametrize("values", [[0, 0], [1, 0], [3, 1, 1], [0, 2, 1], [2, 2, 2]])
@pytest.mark.parametrize("scale", [Fraction(1, 4), Fraction(1, 2)])
def test_joint_laws_by_enumeration(values, scale):
    first = by_enumeration(values, float(scale), 1)
    assert np.allclose(
        joint_first_law(array(values), scale), [first[i,] for i in range(len(values))], atol=1e-13
    )
    ordered = joint_ordered_law(array(values), scale, 2)
    expected = by_enumeration(values, float(scale), 2)
    assert ordered.keys() == expected.keys()
    assert np.allclose([ordered[answer] for answer in expected], list(expected.values()), atol=2e-12)


def by_steps(values, scale):
    """The law of the argmax, in 60 digits: every step between integers, its polynomial integrated exactly."""
    with localcontext() as context:
        context.prec = 60
        ratio = (-Decimal(scale.denominator) / scale.numerator).exp()
        reach = int(80 * scale) + max(values) - min(values) + 2
        law = [Decimal(0)] * len(values)
        for z in range(min(values) - reach, max(values) + reach):
            rises = [(1 - ratio) / (1 + ratio) * ratio ** abs(z - v) for v in values]
            starts = [
                1 - ratio ** (z - v) / (1 + ratio) if z > v else ratio ** (v - z + 1) / (1 + ratio)
                for v in values
            ]
            for winner in range(len(values)):
                polynomial = [rises[winner]]
                for other in range(len(values)):
                    if other != winner:
                        below = [starts[other] * c for c in polynomial] + [Decimal(0)]
                        within = [Decimal(0)] + [rises[other] * c for c in polynomial]
                        polynomial = [a + b for a, b in zip(below, within, strict=True)]
                law[winner] += sum(c / (power + 1) for power, c in enumerate(polynomial))
        return [float(p) for p in law]


@pytest.mark.parametrize("values", [[7], [0, 0], [0, 9], [5, 3, 3, 0], [12, 0, 0, 0, 1], [30, 29, 0]])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 3), Fraction(45, 2)])
def test_joint_first_law_by_steps(values, scale):
    assert close(joint_first_law(array(values), scale), by_steps(values, scale))


@pytest.mark.parametrize("values", [[0, 1], [500, 300, 300, 0], [10_000, 100, 50], [100, 60, 30, 0, 0]])
@pytest.mark.parametrize("scale", [Fraction(30), Fraction(500, 3)])
def test_long_sums_by_quadrature_equal_those_term_by_term(values, scale, monkeypatch):
    quick, quick_pairs = joint_first_law(array(values), scale), joint_ordered_law(array(values), scale, 2)
    monkeypatch.setattr(
        "edgedp.mechanisms.laws.sum_rule", lambda terms: (np.arange(terms, dtype=float), np.ones(terms))
    )
    assert close(quick, joint_first_law(array(values), scale))
    slow_pairs = joint_ordered_law(array(values), scale, 2)
    assert close([quick_pairs[pair] for pair in slow_pairs], list(slow_pairs.values()))


@pytest.mark.parametrize(
    "scale", [Fraction(1, 1000), Fraction(1, 2), Fraction(3), Fraction(50), Fraction(2**22, 3)]
)
@pytest.mark.parametrize("values", [[3, 1, 0, 0], [800, 500, 0], [8, 8, 8, 8, 8]])
def test_the_first_of_an_ordered_pair_has_the_law_of_the_first(values, scale):
    pairs = joint_ordered_law(array(values), scale, 2)
    first = [sum(p for answer, p in pairs.items() if answer[0] == i) for i in range(len(values))]
    assert np.allclose(first, joint_first_law(array(values), scale), atol=1e-12)
    assert joint_ordered_law(array(values), scale, 1) == {
        (i,): p for i, p in enumerate(joint_first_law(array(values), scale).tolist())
    }


@pytest.mark.parametrize(
    "scale", [Fraction(1, 10), Fraction(2), Fraction(200), Fraction(10**5), Fraction(2**33), Fraction(2**60)]
)
def test_joint_first_law_of_a_social_network(scale):
    random = np.random.default_rng(2)
    degrees = np.minimum(9458, 1 + random.pareto(1.3, 37_700)).astype(np.int64)
    for values in (degrees, degrees * 2**20 + random.integers(0, 2**20, 37_700)):
        law = joint_first_law(values, scale)
        assert abs(law.sum() - 1) < 1e-11
        assert np.all(np.diff(law[np.argsort(values)]) >= -1e-12 * law.max())


def test_joint_law_tends_to_that_of_laplace_noise():
    # Two values a and b, Laplace noise of scale 1: Pr[a leads] = 1 - exp(-d) (2 + d) / 4 for a - b = d >= 0.
    scale = Fraction(2**40)
    law = joint_first_law(array([3 * 2**40, 2**40]), scale)
    assert abs(law[0] - (1 - exp(-2) * (2 + 2) / 4)) < 1e-12


def test_noise_below_every_float_is_none():
    assert joint_first_law(array([3, 2, 2]), Fraction(1, 10**400)).tolist() == [1.0, 0.0, 0.0]
    assert close(joint_first_law(array([2, 2]), Fraction(1, 10**400)), [0.5, 0.5])


def test_candidates_too_far_below_are_given_zero():
    law = joint_first_law(array([10**6, 0]), Fraction(1))
    assert close(law, [1, 0])
    law = joint_first_law(array([105, 0]), Fraction(1))
    assert 0 < law[1] < exp(-100)


@pytest.mark.parametrize("k", [0, 3, 4])
def test_joint_ordered_law_is_for_one_or_two(k):
    with pytest.raises(ParameterError, match="must be 1 or 2 and at most 3"):
        joint_ordered_law(array([1, 2, 3]), Fraction(1), k)


# -- ordered answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLERS)
def test_what_is_drawn_are_the_scores_and_not_the_bounds_that_are_known_beforehand(name):
    """At a unit that leaves no doubt: by the law, and by every draw."""
    scores = array([3, 9, 5, 1])
    lazy = GridScores(
        array([9, 9, 9, 9]), Fraction(1000), sampler(name), lambda at: scores if at is None else scores[at]
    )
    known = GridScores(scores, Fraction(1000), sampler(name))
    for found in (lazy, known):
        assert found.law().tolist() == [0, 1, 0, 0]
        for seed in range(3):
            assert found.draw(3, GeneratorWords(np.random.default_rng(seed))).tolist() == [1, 2, 0]


def test_ordered_law_multiplies_the_rounds():
    scores, unit = array([3, 1, 0]), Fraction(1, 2)
    law = ordered_law(lambda left: exponential_law(scores[left], unit), 3, 3)
    assert set(law) == set(permutations(range(3)))
    weights = np.exp(scores / 2)
    assert abs(law[2, 0, 1] - weights[2] / weights.sum() * weights[0] / (weights[0] + weights[1])) < 1e-15
    assert abs(sum(law.values()) - 1) < 1e-14


# -- quadrature for sums ---------------------------------------------------------------------------------


@as_one
@pytest.mark.parametrize("terms", [1, 2, 20, 21, 22, 100, 12345, 10**15])
def test_sum_rule_is_exact_for_polynomials(terms):
    nodes, weights = sum_rule(terms)
    assert np.all(weights > 0)
    assert len(nodes) == min(terms, 20)
    assert nodes.min() > -1e-9
    assert nodes.max() < terms - 1 + 1e-9 * terms
    assert abs(weights.sum() / terms - 1) < 1e-13
    if terms <= 12345:
        for power in (1, 7, 20, 39):
            exact = Fraction(sum(i**power for i in range(terms)), max(terms - 1, 1) ** power)
            assert (
                abs(float(weights @ (nodes / max(terms - 1, 1)) ** power) / terms - float(exact / terms))
                < 1e-12
            )
