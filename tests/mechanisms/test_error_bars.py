"""The figures that error bars buy, and how wide the bars are beside the noise."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import edgedp
import number_cases as cases
import small_graphs as small
from edgedp import Graph
from edgedp.mechanisms.counts import Bounds, Count, count_class
from edgedp.mechanisms.counts.base import below, profile_of
from edgedp.mechanisms.counts.ebc import figure_of
from edgedp.mechanisms.numbers import Amounts, number_mechanism
from edgedp.mechanisms.numbers.heights import BAR_SHARE, BOUND_FAILS, radius_of
from edgedp.mechanisms.numbers.nls import shift_for
from edgedp.mechanisms.numbers.stairs import Stairs
from edgedp.mechanisms.projection import GraphProjection
from edgedp.release.options import CountOptions
from edgedp.release.plan import PublicFacts
from edgedp.release.plan.numbers import plan_count
from edgedp.release.planning.noise import noise_of
from edgedp.words.errors import ParameterError

WITH_BAR = ("triangles", "two_triangles", "wedges", "stars 3", "ebc", "betweenness2")


def check_figures(case: str, n: int, bound: int) -> None:
    """Hold that an edge moves the figure by at most 1, and that what is made of it is above the profile."""
    count, bounds = cases.count_of(case), Bounds(n, bound)
    keeps = cases.lawful(n, bound)
    projections = cases.projections(n)
    figures = np.array([count.bar_figure(projection, bounds) for projection in projections])
    for other in small.neighbor_table(n).T:
        pair = keeps & keeps[other]
        assert np.abs(figures - figures[other])[pair].max(initial=0) <= 1
    ceiling = count.global_sensitivity(bounds)
    made: dict[int, tuple[int, ...]] = {}
    for figure, profile in zip(figures.tolist(), cases.profiles(case, n, bound), strict=True):
        for above in (figure, figure + 1):
            if above not in made:
                made[above] = below(ceiling, count.bar_steps(above, bounds))
            steps = made[above]
            assert all(a <= b for a, b in itertools.pairwise(steps))
            assert all(step >= profile.at(t) for t, step in enumerate(steps))
            assert len(steps) <= len(profile.steps)


@pytest.mark.parametrize("case", WITH_BAR)
def test_one_edge_moves_the_figure_by_one_at_most_and_the_profile_is_below_it(case: str) -> None:
    for n, bound in ((3, 2), (4, 3), (4, 2), (5, 4), (5, 3)):
        if cases.fits(case, n, bound):
            check_figures(case, n, bound)


@pytest.mark.slow
@pytest.mark.parametrize("case", WITH_BAR)
def test_one_edge_moves_the_figure_by_one_at_most_on_all_graphs_of_six_nodes(case: str) -> None:
    check_figures(case, 6, 5)


def test_the_figure_of_a_degree_is_the_least_and_moves_by_one() -> None:
    figures = [figure_of(degree) for degree in range(30_000)]
    assert np.diff(figures).max() == 1
    assert np.diff(figures).min() == 0
    for degree, k in enumerate(figures):
        assert k * (k - 1) >= 4 * degree
        assert k == 3 or (k - 1) * (k - 2) < 4 * degree
    # Without the 3 one neighbour would move it from 0 to 3.
    assert min(k for k in range(9) if k * (k - 1) >= 4) == 3


def test_the_figures_of_random_graphs_move_by_one_at_most() -> None:
    rng = np.random.default_rng(4)
    for n, density in ((9, 0.5), (14, 0.8), (22, 0.4), (30, 0.9)):
        edges = np.triu(rng.random((n, n)) < density, 1)
        before: dict[str, int | None] = {}
        for _ in range(25):
            graph = Graph.from_positions(np.arange(n), np.argwhere(edges), nodes_supplied=True)
            projection, bounds = GraphProjection(graph, "igraph"), Bounds(n, n - 1)
            for case in WITH_BAR:
                figure = cases.count_of(case).bar_figure(projection, bounds)
                assert figure is not None
                assert abs(figure - (before.get(case) or figure)) <= 1, case
                before[case] = figure
            a, b = sorted(rng.choice(n, 2, replace=False).tolist())
            edges[a, b] ^= True


def true_radius(law: Stairs) -> int:
    """Return the least distance that the noise keeps in 95 of 100 draws."""
    low, high = -1, 1
    while 2 * law.noise_tail(high + 1) > 0.05:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if 2 * law.noise_tail(middle + 1) <= 0.05 else (middle, high)
    return high


def widths(enron: Graph, count: Count, bounds: Bounds, epsilon: Fraction) -> float:
    """Return how many times wider than the noise the bar is where the bound has no noise but its shift."""
    projection = GraphProjection(enron)
    figure = count.bar_figure(projection, bounds)
    assert figure is not None
    profile = profile_of(count, projection, bounds)
    law = number_mechanism("calibrated").law(profile, Amounts(epsilon * (1 - BAR_SHARE)))
    assert isinstance(law, Stairs)
    bought = figure + shift_for(1 / (BAR_SHARE * epsilon), BOUND_FAILS)
    return radius_of(count, bounds, bought, epsilon * (1 - BAR_SHARE)) / true_radius(law)


@pytest.mark.parametrize(
    ("of", "options", "epsilon"),
    [
        ("ebc", {"node": 5038}, "1"),
        ("ebc", {"node": 5038}, "3"),
        ("two_triangles", {}, "1"),
        ("two_triangles", {}, "3"),
    ],
)
def test_bars_are_within_three_times_the_noise(
    enron: Graph, of: str, options: dict[str, Any], epsilon: str
) -> None:
    """Enron, bound 2,000; they were 100 to 200, and 5 to 8 times as wide."""
    placed = {name: int(np.flatnonzero(enron.node_ids == node)[0]) for name, node in options.items()}
    wide = widths(enron, count_class(of)(**placed), Bounds(enron.node_count, 2000), Fraction(epsilon))
    assert 1 <= wide <= 3


def test_a_bar_that_would_say_nothing_is_refused_before_it_costs() -> None:
    """From public facts: the narrowest bar there is, of a figure of 0, already reaches over half of the range."""
    graph = Graph.from_edges([(0, leaf) for leaf in range(1, 40)])
    asked: list[tuple[str, dict[str, Any]]] = [("ebc", {"node": 0}), ("two_triangles", {})]
    for of, options in asked:
        with pytest.raises(ParameterError, match="would reach over at least half of what is possible"):
            edgedp.count(graph, of, epsilon="0.01", error_bar=True, **options)
        assert edgedp.count(graph, of, epsilon=20, error_bar=True, **options).answer is not None


@pytest.mark.parametrize(
    ("epsilon", "says"), [("1", "degree 50 or so, and more"), ("0.001", "says little of any node")]
)
def test_a_plan_says_of_which_nodes_a_metric_says_something(epsilon: str, says: str) -> None:
    """From epsilon and the declared bound alone: no graph is read."""
    plan = plan_count(
        CountOptions.given({"of": "density", "node": 1, "epsilon": epsilon}), PublicFacts(9_000, 2_000)
    )
    (told,) = noise_of(plan)
    assert says in told.reach
    assert told.reach in str(told)
    assert told.to_dict()["on"] == "density"
