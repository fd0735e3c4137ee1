"""One value a sampler: what is drawn, what is audited and what is debited come from the same one."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray

import edgedp
from edgedp.mechanisms import samplers
from edgedp.mechanisms.checks import check_sampler
from edgedp.mechanisms.grid import GridScores, grid_bits
from edgedp.mechanisms.laws import ordered_law
from edgedp.mechanisms.samplers import EXPONENTIAL, PERMUTE_AND_FLIP, sampler
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.words.vocabulary import PICKING, SAMPLERS, UndampenedName
from looped import as_one
from sampling_doubles import ScriptedWords, assert_has_law

SCORES, UNIT = np.array([3, 1, 0, 0]), Fraction(2, 3)
each = pytest.mark.parametrize("name", SAMPLERS)


@each
def test_a_sampler_draws_by_the_law_that_it_has(name: str) -> None:
    this = sampler(name)
    draws = [tuple(this.top_k(SCORES, 2, UNIT, SecureWords()).tolist()) for _ in range(3000)]
    assert_has_law(draws, this.ordered_law(SCORES, UNIT, 2))


@each
def test_a_pick_among_some_has_the_law_of_those_alone(name: str) -> None:
    """The rounds whose scores change in between draw by the same noise as those whose scores stay."""
    this, left = sampler(name), np.array([1, 2, 3])
    law = dict(zip([1, 2, 3], this.law(SCORES[left], UNIT).tolist(), strict=True))
    assert_has_law([this.pick(SCORES, left, UNIT, SecureWords()) for _ in range(3000)], law)


@each
def test_scores_behind_bounds_are_drawn_by_their_exact_law_and_not_by_the_bounds(name: str) -> None:
    """The best bound belongs to the worst score."""
    scores = np.array([0, 3, 1, 2])
    lazy = GridScores(
        np.array([9, 3, 4, 5]), UNIT, sampler(name), lambda some: scores if some is None else scores[some]
    )
    known = GridScores(scores, UNIT, sampler(name))
    assert lazy.ordered_law(2) == known.ordered_law(2)
    assert lazy.law().tolist() == known.law().tolist()
    for drawn in (lazy, known):
        assert_has_law(
            [tuple(drawn.draw(2, SecureWords()).tolist()) for _ in range(1500)], known.ordered_law(2)
        )


@each
def test_without_noise_the_best_score_is_drawn_and_not_the_best_bound(name: str) -> None:
    scores = np.array([0, 3, 1, 2])
    lazy = GridScores(np.array([9, 3, 4, 5]), Fraction(10**6), sampler(name), scores.__getitem__)
    assert lazy.draw(4, SecureWords()).tolist() == [1, 3, 2, 0]


@each
def test_one_noise_serves_all_picks_or_each_pick_has_its_own(name: str) -> None:
    this, words = sampler(name), ScriptedWords()
    this.top_k(np.array([30, 20, 10, 0]), 3, Fraction(10), words)
    assert words.taken == (4 if this.serves_all else 4 + 3 + 2)


def test_seven_places_of_a_float_stay_below_the_grid() -> None:
    """Sixteen roundings of a score are an eighth of a step (docs/privacy.md, "Grid"), and no place is given away."""
    for size in (0, 1, 2, 3, 4, 1000, 1023, 1024, 2**37 - 1):
        bits = grid_bits(size)
        assert 16 * size * 2.0**-53 * 2**bits <= 1 / 8
        assert 16 * max(size, 1) * 2.0**-53 * 2 ** (bits + 1) >= 1 / 8
    assert grid_bits(2**37) == grid_bits(2**60) == 8


@each
def test_the_ordered_law_is_that_of_rounds(name: str) -> None:
    this = sampler(name)
    rounds = ordered_law(lambda left: this.law(SCORES[left], UNIT), len(SCORES), 3)
    assert this.ordered_law(SCORES, UNIT, 3) == rounds


@as_one
@each
@pytest.mark.parametrize("k", [1, 2, 10])
def test_the_price_is_that_of_k_picks_at_a_kth_of_epsilon(name: str, k: int) -> None:
    """Rho of one pick at epsilon is ``epsilon^2 / shares``, and rho adds."""
    epsilon, shares = Fraction(1, 3), sampler(name).shares
    assert epsilon**2 / sampler(name).rho_shares(k) == k * (epsilon / k) ** 2 / shares


def divergence_by_order(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return the least rho at which two laws are rho-zCDP: Renyi divergence over its order, the largest of many."""
    losses = np.log(p) - np.log(q)
    found = [float(p @ losses)]
    for order in (1.01, 1.5, 2.0, 4.0, 16.0, 100.0):
        terms = np.log(q) + order * losses
        found.append(float(np.logaddexp.reduce(terms)) / (order - 1) / order)
    return max(found)


@each
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)], ids=str)
@pytest.mark.parametrize("moves", [(-1, 0, 1), (0, 1)], ids=["either way", "monotone"])
def test_the_price_is_not_below_what_the_exact_law_costs(
    name: str, epsilon: Fraction, moves: tuple[int, ...]
) -> None:
    """From the law alone, over three candidates whose scores one edge moves: epsilon and rho by their definitions."""
    this, unit = sampler(name), epsilon / (max(moves) - min(moves))
    scores = [np.array(some) for some in product(range(4), repeat=3) if min(some) == 0]
    law = cache(lambda some: this.law(np.array(some), unit))
    loss = rho = 0.0
    for here in scores:
        for step in product(moves, repeat=3):
            p, q = law(tuple(here.tolist())), law(tuple((here + step).tolist()))
            loss = max(loss, float(np.abs(np.log(p) - np.log(q)).max()))
            rho = max(rho, divergence_by_order(p, q), divergence_by_order(q, p))
    assert loss <= float(epsilon) * (1 + 1e-9)
    assert rho <= float(epsilon) ** 2 / this.shares * (1 + 1e-9)


def test_a_price_that_is_too_low_is_seen_in_the_law() -> None:
    """The exponential mechanism nearly costs its price, and permute-and-flip costs more than that one's."""
    found = {}
    for name in SAMPLERS:
        p, q = (sampler(name).law(np.array(scores), Fraction(1, 4)) for scores in ((1, 0), (0, 1)))
        found[name] = max(divergence_by_order(p, q), divergence_by_order(q, p)) / 0.5**2
    assert 1 / 8.2 < found["exponential"] < 1 / 8
    assert found["permute_and_flip"] > 1 / 8


def test_only_the_exponential_mechanism_is_priced_as_bounded_range() -> None:
    """Permute-and-flip is not: two of its ratios lie ``2 epsilon`` apart (tests/mechanisms/test_rho.py)."""
    assert {name: sampler(name).shares for name in SAMPLERS} == {"exponential": 8, "permute_and_flip": 2}


def test_a_sampler_is_found_by_its_name_and_by_no_other() -> None:
    assert [sampler(name).name for name in SAMPLERS] == list(SAMPLERS)
    assert (sampler("exponential"), sampler("permute_and_flip")) == (EXPONENTIAL, PERMUTE_AND_FLIP)
    with pytest.raises(AssertionError):
        sampler("gumbel")  # type: ignore[arg-type]


def test_undampened_each_sampler_is_a_mechanism_of_its_own() -> None:
    mechanisms = [sampler(name).mechanism for name in SAMPLERS]
    assert len(set(mechanisms)) == len(mechanisms)
    assert set(mechanisms) == set(get_args(UndampenedName)) <= set(PICKING)
    for name in SAMPLERS:
        assert check_sampler(None, sampler(name).mechanism) == name


def test_no_other_place_asks_which_sampler_it_is() -> None:
    """A branch on a name elsewhere would be one that a further sampler falls through."""
    root = Path(edgedp.__file__).parent
    allowed = {"checks.py", "vocabulary.py", "mechanisms/samplers.py"}
    names = "|".join(map(re.escape, SAMPLERS))
    branch = re.compile(rf"""(sampler\S* *(==|!=|in)|\bcase\b)[^\n]*["']({names})["']""")
    for path in root.rglob("*.py"):
        if str(path.relative_to(root)) not in allowed:
            assert not branch.search(path.read_text(encoding="utf-8")), path
    found = branch.findall(Path(samplers.__file__).read_text(encoding="utf-8"))
    assert {name for *_, name in found} == set(SAMPLERS), "a branch on any of them would be seen"
