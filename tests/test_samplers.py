"""One value a sampler: what is drawn, what is audited and what is debited come from the same one."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import edgedp
from edgedp.checks import check_sampler
from edgedp.mechanisms import samplers
from edgedp.mechanisms.laws import ordered_law
from edgedp.mechanisms.samplers import EXPONENTIAL, PERMUTE_AND_FLIP, sampler
from edgedp.sampling.words import SecureWords
from edgedp.vocabulary import PICKING, SAMPLERS
from sampling_doubles import assert_has_law

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
def test_the_ordered_law_is_that_of_rounds(name: str) -> None:
    this = sampler(name)
    rounds = ordered_law(lambda left: this.law(SCORES[left], UNIT), len(SCORES), 3)
    assert this.ordered_law(SCORES, UNIT, 3) == rounds


@each
@pytest.mark.parametrize("k", [1, 2, 10])
def test_the_price_is_that_of_k_picks_at_a_kth_of_epsilon(name: str, k: int) -> None:
    """Rho of one pick at epsilon is ``epsilon^2 / shares``, and rho adds."""
    epsilon, shares = Fraction(1, 3), sampler(name).shares
    assert epsilon**2 / sampler(name).rho_shares(k) == k * (epsilon / k) ** 2 / shares


def test_only_the_exponential_mechanism_is_priced_as_bounded_range() -> None:
    """Permute-and-flip is not: two of its ratios lie ``2 epsilon`` apart (tests/test_rho.py)."""
    assert {name: sampler(name).shares for name in SAMPLERS} == {"exponential": 8, "permute_and_flip": 2}


def test_a_sampler_is_found_by_its_name_and_by_no_other() -> None:
    assert [sampler(name).name for name in SAMPLERS] == list(SAMPLERS)
    assert (sampler("exponential"), sampler("permute_and_flip")) == (EXPONENTIAL, PERMUTE_AND_FLIP)
    with pytest.raises(AssertionError):
        sampler("gumbel")  # type: ignore[arg-type]


def test_undampened_each_sampler_is_a_mechanism_of_its_own() -> None:
    mechanisms = [sampler(name).mechanism for name in SAMPLERS]
    assert len(set(mechanisms)) == len(mechanisms)
    assert set(mechanisms) <= set(PICKING)
    for name in SAMPLERS:
        assert check_sampler(None, sampler(name).mechanism) == name


def test_no_other_place_asks_which_sampler_it_is() -> None:
    """A branch on a name elsewhere would be one that a further sampler falls through."""
    root = Path(edgedp.__file__).parent
    allowed = {"checks.py", "vocabulary.py", "mechanisms/samplers.py"}
    branch = re.compile(r"""(sampler\S* *(==|!=|in)|\bcase\b)[^\n]*["'](exponential|permute_and_flip)["']""")
    for path in root.rglob("*.py"):
        if str(path.relative_to(root)) not in allowed:
            assert not branch.search(path.read_text(encoding="utf-8")), path
    assert branch.search(Path(samplers.__file__).read_text(encoding="utf-8"))
