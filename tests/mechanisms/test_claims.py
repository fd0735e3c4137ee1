"""What a class claims by a flag: strict where nothing is said, and true over all small graphs where it is claimed.

Privacy rests on such a claim where the code asks it and then adds less noise, asks fewer nodes or shows a scale.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import edgedp
import number_cases
import small_graphs as small
from definitions import values
from edgedp.ledger.backend import Backend
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.mechanisms.metrics.base import Metric
from edgedp.mechanisms.numbers import MECHANISMS, Amounts, number_mechanism
from edgedp.mechanisms.numbers.base import NumberMechanism
from edgedp.mechanisms.picking import Dampened, Scoring, ShiftDampened, Undampened
from edgedp.release.options import DistributionOptions
from edgedp.release.plan import ArcsPlan, PublicFacts, plan
from edgedp.release.plan.base import PlanBase
from edgedp.words.errors import ParameterError
from edgedp.words.vocabulary import COUNTED
from looped import as_one

STRICT: dict[tuple[type, str], bool] = {
    (Metric, "uniform"): False,
    (Metric, "monotone"): False,
    (Metric, "moves_near_the_edge"): False,
    (Metric, "counts_pairs_apart"): False,
    (Metric, "is_degree"): False,
    (NumberMechanism, "needs_delta"): True,
    (NumberMechanism, "takes_delta"): False,
    (NumberMechanism, "public_scale"): False,
    (Scoring, "keeps_monotone"): False,
    (Backend, "keeps_versions"): False,
    (Backend, "keeps_directions"): False,
    (Backend, "keeps_windows"): False,
    (Backend, "keeps_columns"): False,
    (Backend, "keeps_weights"): False,
    (Backend, "has_types"): False,
    (Backend, "titles_are_properties"): False,
    (PlanBase, "counts_neighbors"): False,
}
"""Every flag of a class with the side that claims nothing; a further flag joins with the test of its claim."""
NO_CLAIM = {"COMPUTES", "bar_may_say_nothing"}
"""Whether an engine may be chosen, and whether an interval is worth its epsilon."""

sizes = pytest.mark.parametrize("n", [2, 3, 4, 5])


def flags_in_the_code() -> set[str]:
    found = set()
    for path in Path(edgedp.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "ClassVar[bool]":
                found.add(ast.unparse(node.target))
    return found


def test_every_flag_is_known_and_claims_nothing_where_it_is_left_out() -> None:
    assert flags_in_the_code() == {name for _, name in STRICT} | NO_CLAIM
    for (owner, name), strict in STRICT.items():
        assert vars(owner)[name] is strict, f"{owner.__name__}.{name} claims something by default"
    assert DistributionOptions.COMPUTES


def plans() -> set[type[PlanBase]]:
    """Return every class of plans."""
    found, left = set(), [PlanBase]
    while left:
        found.add(each := left.pop())
        left += each.__subclasses__()
    return found


def test_a_plan_that_counts_neighbors_asks_for_nothing_else() -> None:
    """What is drawn of candidates sees no other node: a draw that asks for more would see a wrong graph."""
    assert {each for each in plans() if each.counts_neighbors} == {ArcsPlan}
    facts = PublicFacts(4, directed=True, projection={"candidates": "C"})
    for name in COUNTED:
        planned = plan("priv_top_k", {"metric": name, "k": 2, "epsilon": 1}, facts)
        assert planned.quantities == {name}
        assert not planned.rests_on_bound


def steps(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return every graph without an edge, the graph with it, and the edge's ends: ``(cases,)`` each."""
    every = np.arange(len(small.masks(n)))
    found = []
    for bit, (a, b) in enumerate(small.pairs(n)):
        without = every[(every >> bit) & 1 == 0]
        found.append((without, without | 1 << bit, np.full_like(without, a), np.full_like(without, b)))
    first, second, one, other = (np.concatenate(column) for column in zip(*found, strict=True))
    return first, second, one, other


def moved_beyond(name: str, n: int) -> bool:
    """Say whether some edge moves a node that is neither an end of it nor a common neighbour of its ends."""
    first, second, one, other = steps(n)
    adjacent = small.adjacency(n)
    rows = np.arange(len(first))
    near = adjacent[first, one] & adjacent[first, other]
    near[rows, one] = near[rows, other] = True
    changed = ~np.isclose(values(name, n)[first], values(name, n)[second], rtol=1e-9, atol=1e-12)
    return bool((changed & ~near).any())


@as_one
@pytest.mark.parametrize("name", metric_names())
def test_an_edge_moves_its_ends_and_their_common_neighbours_where_that_is_claimed(name: str) -> None:
    beyond = [moved_beyond(name, n) for n in (2, 3, 4, 5)]
    assert metric(name).moves_near_the_edge == (not any(beyond)), "claimed without being so, or so unclaimed"


def test_the_edge_form_is_refused_where_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a new metric, whose author may not have heard of the form."""
    asked: dict[str, Any] = {"metrics": ("degree", "ebc"), "k": 1, "epsilon": 1}
    asked |= {"sensitivity_form": "interval+edge"}
    plan("motkin", asked, PublicFacts(9))
    monkeypatch.delattr(type(metric("ebc")), "moves_near_the_edge")
    with pytest.raises(ParameterError, match="must be 'interval' with ebc"):
        plan("motkin", asked, PublicFacts(9))


@as_one
@sizes
@pytest.mark.parametrize("name", metric_names())
def test_a_value_is_at_most_the_pairs_apart_where_that_is_claimed(name: str, n: int) -> None:
    degrees = small.degrees(n)
    apart = degrees * (degrees - 1) // 2 - small.inner_edges(n)
    if metric(name).counts_pairs_apart:
        assert (values(name, n) <= apart + 1e-9).all()


@as_one
@sizes
@pytest.mark.parametrize("name", metric_names())
def test_a_metric_that_claims_to_be_the_degree_is_the_degree(name: str, n: int) -> None:
    if metric(name).is_degree:
        assert (values(name, n) == small.degrees(n)).all()


class _SmallShares:
    """Sensitivities that grow with the square of the utility, so that a quotient by them may fall."""

    last = 64

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values = values

    def delta(self, t: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.minimum((self._values[rows] ** 2 + t + 1) / 64, 1)

    def shifted_sums(self) -> NDArray[np.float64]:
        return np.sum([1 - self.delta(t, np.arange(len(self._values))) for t in range(64)], axis=0)


def test_a_score_rises_with_its_utility_where_that_is_claimed() -> None:
    """So that a monotone utility has a monotone score, and half the noise is enough."""
    values = np.linspace(0, 8, 60)
    ways: list[Scoring] = [
        Undampened("em", "exponential"),
        Dampened("exponential", "degree"),
        ShiftDampened("exponential", "degree", "up"),
        ShiftDampened("exponential", "degree", "down"),
    ]
    assert {type(way) for way in ways} == set(Scoring.__subclasses__())
    rises = [bool((np.diff(way.of_shares(values, _SmallShares(values))) > 0).all()) for way in ways]
    assert [way.keeps_monotone for way in ways] == [True, False, False, False]
    assert rises[0], "claimed without being so"
    assert not all(rises[1:]), "the sensitivities of this test distinguish nothing"


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("case", ["triangles", "two_triangles", "wedges", "edges"])
def test_noise_whose_scale_is_public_is_the_same_on_every_graph(name: str, case: str) -> None:
    """Over all graphs of four and five nodes: whatever profile they have, whatever number."""
    rule = number_mechanism(name)
    if not rule.public_scale:
        return
    distances = np.arange(200)
    for n in (4, 5):
        laws = {
            tuple(rule.law(profile, Amounts(Fraction(1, 2))).noise_mass(distances).tolist())  # type: ignore[attr-defined]
            for profile in set(number_cases.profiles(case, n, n - 1))
        }
        assert len(laws) == 1


def test_some_mechanism_of_every_sort_was_asked() -> None:
    rules = [number_mechanism(name) for name in MECHANISMS]
    assert {(rule.needs_delta, rule.takes_delta) for rule in rules} == {
        (False, False),
        (False, True),
        (True, True),
    }
    assert any(rule.public_scale for rule in rules)
    assert not any(rule.public_scale and rule.needs_delta for rule in rules)
