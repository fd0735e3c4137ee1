"""The pace of the calibrated ladder: more epsilon is never worse, and the default never much worse than its rivals."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import sqrt
from typing import Any

import networkx as nx
import numpy as np
import pytest

import edgedp
from edgedp import Graph
from edgedp.mechanisms.counts import Bounds, Profile, count_class
from edgedp.mechanisms.counts.base import BENT, FLAT, STEEP, STEEPER, STEEPEST, profile_of
from edgedp.mechanisms.counts.stars import CLIMBS
from edgedp.mechanisms.numbers import Amounts, number_mechanism
from edgedp.mechanisms.numbers.base import NumberLaw
from edgedp.mechanisms.numbers.rungs import pace_on
from edgedp.mechanisms.numbers.stairs import Stairs
from edgedp.mechanisms.numbers.student import RoundedStudent
from edgedp.mechanisms.projection import GraphProjection
from looped import as_one

CURVES = {"flat": FLAT, "bent": BENT, "steep": STEEP, "steeper": STEEPER, "steepest": STEEPEST}
CURVES |= {f"stars of {size}": curve for size, curve in CLIMBS.items()}
SIZES = (12, 20, 30, 40, 50, 60, 80)
FINE = [Fraction(round(10 ** (k / 24 + 6)), 10**6) for k in range(-48, 25)]
"""0.01 to 10, 24 to the decade; with both sides of where a pace once changed."""
FINE = sorted({*FINE, Fraction(999, 10_000), Fraction(1, 10)})
RIVALS = ("ladder", "staircase", "smooth")
AT_MOST = 1.15
AT_MOST_OF_TWO_TRIANGLES = 1.16
"""One of the 60 small graphs, at epsilon 3.83: 1.155, and no pace of all of them does better than 1.154 there. The
other cells of those graphs keep `AT_MOST`."""
AT_MOST_OF_LARGE_STARS = 1.3
"""They climb to the fourth power within a small bound, and no pace of all of them does better than 1.288 at epsilon
3.83: a slower one costs those that climb, a faster one those that start at their ceiling."""


def families(n: int, seed: int) -> dict[str, nx.Graph]:
    """Return a graph of each of nine families."""
    blocks = [[0.5, 0.05], [0.05, 0.3]]
    return {
        "random": nx.gnp_random_graph(n, 0.2, seed=seed),
        "dense": nx.gnp_random_graph(n, 0.7, seed=seed),
        "preferential": nx.barabasi_albert_graph(n, 3, seed=seed),
        "clustered": nx.powerlaw_cluster_graph(n, 4, 0.6, seed=seed),
        "blocks": nx.stochastic_block_model([n // 2, n - n // 2], blocks, seed=seed),
        "star": nx.star_graph(n - 1),
        "small world": nx.watts_strogatz_graph(n, 4, 0.1, seed=seed),
        "regular": nx.random_regular_graph(4, n, seed=seed),
        "core": nx.lollipop_graph(n // 2, n - n // 2),
    }


@cache
def small_graphs() -> list[Graph]:
    """Return 60 graphs."""
    made = [drawn for seed, n in enumerate(SIZES) for drawn in families(n, seed).values()][:60]
    return [Graph.from_edges(list(drawn.edges()), nodes=range(drawn.number_of_nodes())) for drawn in made]


def profiles_of(graph: Graph, bound: int, nodes: list[int]) -> list[tuple[str, Profile]]:
    asked: list[tuple[str, dict[str, Any]]] = [
        (of, {}) for of in ("edges", "triangles", "two_triangles", "wedges")
    ]
    asked += [(f"stars {size}", {"star_size": size}) for size in (3, 5)]
    asked += [(of, {"node": node}) for of in ("density", "ebc", "betweenness2") for node in nodes]
    projection, bounds = GraphProjection(graph), Bounds(graph.node_count, bound)
    return [
        (of, profile_of(count_class(of.split()[0])(**options), projection, bounds)) for of, options in asked
    ]


def small_profiles(graph: Graph) -> list[tuple[str, Profile]]:
    order = np.argsort(graph.degrees, kind="stable")
    nodes = [int(order[-1]), int(order[len(order) // 2])]
    bounds = {graph.node_count - 1, max(graph.max_degree, 5)}
    return [each for bound in sorted(bounds) for each in profiles_of(graph, bound, nodes)]


def enron_profiles(enron: Graph) -> list[tuple[str, Profile]]:
    nodes = [int(np.argmin(np.abs(enron.degrees - degree))) for degree in (5, 50, 514, 1383)]
    return profiles_of(enron, 2000, nodes) + profiles_of(enron, enron.node_count - 1, nodes[-1:])


def error(law: NumberLaw, profile: Profile) -> float:
    """Return the expected distance, in units, of the answer that is cut to what is possible."""
    sides = (profile.value, profile.maximum - profile.value)
    if isinstance(law, Stairs):
        return sum(law._mean_of_side(float(limit)) for limit in sides)
    assert isinstance(law, RoundedStudent)
    scale, total = float(law.scale), 0.0
    for limit in sides:
        x = np.concatenate([[0.0], np.geomspace(1e-6, max(limit / scale, 1e-5), 4000)])
        v = 1 - x / np.sqrt(4 + x * x)
        total += scale * float(np.trapezoid(v * v * (3 - v) / 4, x))
    return total if sqrt(scale) > 0 else 0.0


def calibrated(profile: Profile, epsilon: Fraction) -> float:
    return error(number_mechanism("calibrated").law(profile, Amounts(epsilon)), profile)


def check_never_rises(found: list[tuple[str, Profile]], epsilons: list[Fraction]) -> None:
    for of, profile in found:
        if profile.ceiling:
            errors = [calibrated(profile, epsilon) for epsilon in epsilons]
            for (before, after), epsilon in zip(pairwise(errors), epsilons[1:], strict=True):
                assert after <= before * (1 + 1e-9), (of, float(epsilon))


def above_rivals(
    found: list[tuple[str, Profile]], epsilons: list[Fraction]
) -> list[tuple[str, float, float]]:
    """Return the cells in which the default is more than `AT_MOST` of the best rival: what, epsilon, how much."""
    cells = []
    for of, profile in found:
        for epsilon in epsilons if profile.ceiling else []:
            best = min(
                error(number_mechanism(name).law(profile, Amounts(epsilon)), profile) for name in RIVALS
            )
            unit = 1 if of == "density" else 1 << profile.bits  # all of a density is one unit
            limit = {"stars 5": AT_MOST_OF_LARGE_STARS, "two_triangles": AT_MOST_OF_TWO_TRIANGLES}.get(
                of, AT_MOST
            )
            if best > unit and calibrated(profile, epsilon) > limit * best:
                cells.append((of, float(epsilon), calibrated(profile, epsilon) / best))
    return cells


@as_one
@pytest.mark.parametrize("curve", CURVES)
def test_a_pace_is_paid_for_and_never_turns_back(curve: str) -> None:
    """``1/B`` is below epsilon, does not fall, and does not rise faster: the rung's share of epsilon never falls."""
    epsilons = sorted({*FINE, Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1000), Fraction(10**9)})
    epsilons += [Fraction(at) for at, _ in CURVES[curve]]
    for before, after in pairwise(sorted(epsilons)):
        slow, fast = (pace_on(CURVES[curve], epsilon) for epsilon in (before, after))
        paid, more = 1 / Fraction(slow.growth), 1 / Fraction(fast.growth)
        assert 0 < paid < before
        assert paid <= more
        assert before - paid <= after - more + Fraction(1, 10**5) * after
        assert 1 << slow.unit_bits > 16 * (slow.growth + 1)


def test_more_epsilon_is_never_worse_on_small_graphs() -> None:
    for graph in small_graphs()[::13]:
        check_never_rises(small_profiles(graph), FINE[::6])


def test_more_epsilon_is_never_worse_where_a_pace_once_changed(enron: Graph) -> None:
    """Enron, bound 2,000: density of node 213 once had an error of .061 at .0999, and of .311 at .1."""
    node = int(np.flatnonzero(enron.node_ids == 213)[0])
    found = profiles_of(enron, 2000, [node])
    check_never_rises(found, [Fraction(1, 20), Fraction(999, 10_000), Fraction(1, 10), Fraction(3, 10)])
    (density,) = (profile for of, profile in found if of == "density")
    assert calibrated(density, Fraction(1, 10)) / (1 << density.bits) < 0.05


def test_ebc_has_the_error_of_a_pace_that_fits(enron: Graph) -> None:
    """Bound 2,000, epsilon .1: node 5038 had an error of 79,300, and 49,800 by the plain ladder."""
    node = int(np.flatnonzero(enron.node_ids == 5038)[0])
    count = count_class("ebc")(node=node)  # type: ignore[call-arg]
    profile = profile_of(count, GraphProjection(enron), Bounds(enron.node_count, 2000))
    assert calibrated(profile, Fraction(1, 10)) / (1 << profile.bits) < 21_000


def test_the_default_is_not_much_worse_than_any_rival_of_the_same_price() -> None:
    cells = [
        cell for graph in small_graphs()[::7] for cell in above_rivals(small_profiles(graph), FINE[::12])
    ]
    assert cells == []


@pytest.mark.slow
def test_more_epsilon_is_never_worse_anywhere(enron: Graph) -> None:
    for graph in small_graphs():
        check_never_rises(small_profiles(graph), FINE)
    check_never_rises(enron_profiles(enron), FINE)


@pytest.mark.slow
def test_the_default_is_not_much_worse_than_any_rival_anywhere(enron: Graph) -> None:
    """But for a density whose answer is noise by any of them (docs/numbers.md, "From where on")."""
    small = [cell for graph in small_graphs() for cell in above_rivals(small_profiles(graph), FINE[::3])]
    assert small == []
    large = above_rivals(enron_profiles(enron), FINE[::3])
    assert {of for of, _, _ in large} <= {"density"}
    assert max((ratio for _, _, ratio in large), default=0) < 1.5


@pytest.mark.parametrize("of", ["triangles", "wedges"])
def test_what_was_good_stays_within_two_hundredths(enron: Graph, of: str) -> None:
    """By the pace before: ``20 / epsilon``, half of it below .1."""
    from edgedp.mechanisms.numbers.calibrated import MECHANISM
    from edgedp.mechanisms.numbers.rungs import pace

    for bound in (2000, enron.node_count - 1):
        bounds = Bounds(enron.node_count, bound)
        profile = profile_of(count_class(of)(), GraphProjection(enron), bounds)
        for epsilon in map(Fraction, ("0.01", "0.03", "0.0999", "0.1", "0.3", "1", "3", "10")):
            before = error(MECHANISM.law_at(profile, epsilon, pace(epsilon)), profile)
            assert calibrated(profile, epsilon) <= 1.02 * before


def test_a_request_of_the_pace_before_is_answered_as_it_was(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept is the answer and the question, and no pace stands in either."""
    from edgedp.mechanisms.numbers import calibrated as module
    from edgedp.mechanisms.numbers import rungs

    store = edgedp.open_store(tmp_path / "graphs.edgedp")
    store.load(small_graphs()[0], "g", epsilon_budget=3, degree_bound=8)
    asked: dict[str, Any] = {"of": "ebc", "node": 0, "epsilon": 1, "request_id": "once"}
    with monkeypatch.context() as before:
        before.setattr(module, "pace_on", lambda curve, epsilon: rungs.pace(epsilon))
        kept = store.count("g", **asked).to_dict()
    again = store.count("g", **asked).to_dict()
    assert again == kept
    assert store.budget("g")["epsilon_spent"] == 1
    assert "version" not in kept["parameters"]
