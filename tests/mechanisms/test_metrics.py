"""Global sensitivities, closed forms and bounds; admissibility is in test_admissibility."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest

import small_graphs
from definitions import definition, definition_names, values
from edgedp import Graph
from edgedp.mechanisms.metrics import ebc, metric, metric_names
from edgedp.mechanisms.metrics.base import shifted_sums
from edgedp.mechanisms.metrics.betweenness2 import share_bits
from edgedp.mechanisms.projection import GraphProjection
from edgedp.words.vocabulary import PROXIES, VECTORS
from looped import as_one


def test_the_folder_is_the_list() -> None:
    assert set(metric_names()) >= {"betweenness2", "degree", "density", "ebc"}
    assert metric_names() == tuple(sorted(metric_names()))
    assert all(metric(name).name == name for name in metric_names())
    assert all(metric(name).summary for name in metric_names())


def test_every_metric_has_its_definition_and_every_definition_its_metric() -> None:
    assert definition_names() == set(metric_names())


@as_one
@pytest.mark.parametrize("name", metric_names())
@pytest.mark.parametrize("engine", ["native", "igraph"])
def test_engines_compute_what_is_defined(name: str, engine: str) -> None:
    for graph, wanted in zip(small_graphs.all_graphs(4), values(name, 4), strict=True):
        np.testing.assert_allclose(GraphProjection(graph, engine).values(name), wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "form"), [(name, form) for name in metric_names() for form in metric(name).forms]
)
def test_sensitivities_are_those_that_are_defined(name: str, form: Any) -> None:
    degrees, common = (column.ravel() for column in np.mgrid[0:13, 0:13])
    for t in (0, 1, 2, 5, 30):
        found = metric(name).uncapped_sensitivity(form, t, degrees, common)
        wanted = [definition(name).sensitivity(form, d, m, t) for d, m in zip(degrees, common, strict=True)]
        np.testing.assert_allclose(found, np.asarray(wanted, dtype=np.float64), rtol=2**-50)


@as_one
@pytest.mark.parametrize("name", metric_names())
def test_a_metric_has_a_vector_of_its_own_or_proxies_that_do(name: str) -> None:
    proxies = metric(name).proxies
    assert set(proxies) <= set(PROXIES)
    assert (name in proxies) == (name in VECTORS)
    assert name in proxies or not proxies or "both" in proxies


@pytest.mark.parametrize(
    ("bound", "published"),
    [(1383, Fraction(955653, 2)), (9458, Fraction(44722153, 2)), (343, Fraction(58653, 2))],
)
def test_published_global_sensitivities_of_ebc(bound: int, published: Fraction) -> None:
    assert metric("ebc").global_sensitivity(bound) == published


@as_one
@pytest.mark.parametrize("name", metric_names())
def test_shifted_sums_are_the_sums_that_they_stand_for(name: str) -> None:
    found = metric(name)
    for bound in (1, 2, 3, 4, 5, 6, 9, 23):
        ceiling = float(found.global_sensitivity(bound))
        if ceiling == 0:
            continue
        pairs = [(d, m) for d in range(bound + 1) for m in range(d + 1)]
        degrees, common = (np.array(column) for column in zip(*pairs, strict=True))
        for form in found.forms:
            by_terms = sum(
                1 - found.sensitivity(form, t, degrees, common, bound) / ceiling
                for t in range(4 * bound + 20)
            )
            assert np.allclose(
                shifted_sums(found, form, bound, degrees, common), by_terms, rtol=1e-12, atol=1e-12
            )


CLAIMED = {
    # name: monotone, is_degree, uniform, moves_near_the_edge, counts_pairs_apart, dominance, utility and delta trends
    "betweenness2": (False, False, False, False, True, 3, +1, +1),
    "degree": (True, True, True, True, False, 2, +1, 0),
    "density": (False, False, False, True, False, 1, -1, -1),
    "ebc": (False, False, False, True, True, 3, +1, +1),
}
"""Written by hand: half of the noise, a bound, or a direction of shift rests on each of them."""


def test_what_a_metric_claims_is_what_was_proved_of_it() -> None:
    found = {
        name: (
            each.monotone, each.is_degree, each.uniform, each.moves_near_the_edge, each.counts_pairs_apart,
            each.dominance, each.utility_trend, each.sensitivity_trend,
        )
        for name, each in ((name, metric(name)) for name in CLAIMED)
    }  # fmt: skip
    assert found == CLAIMED


def test_shares_of_a_node_fit_62_bits_and_no_bit_is_given_away() -> None:
    """A sum of shares that wrapped would move by more than its noise covers."""
    for bound in (0, 1, 2, 3, 1000, 2**20, 2**21, 3 * 2**20, 2**22, 2**22 + 1, 2**30, 2**31):
        most = bound * (bound - 1) // 2
        assert share_bits(bound) == max(q for q in range(21) if (most << q) < 2**62)


def test_where_the_sensitivity_of_ebc_turns_is_found_by_trying() -> None:
    for ceiling in (*range(60), 999, 1000, 10**6, 999_000):
        assert ebc._first_reaching(ceiling) == next(y for y in count(1) if y * (y - 1) >= ceiling)
    for degree in range(40):
        for width in range(degree + 1):
            holds = [(width + t) * (width + t - 1) >= 4 * (degree + t) for t in range(60)]
            last = max((t for t in range(60) if not holds[t]), default=-1)
            assert ebc._crossing(degree, width) == last + 1


def test_values_of_some_are_those_of_all_in_either_engine() -> None:
    graph = Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (3, 4), (4, 5), (5, 0), (2, 6)])
    some = np.array([5, 0, 2])
    for found in map(metric, metric_names()):
        for compute in (found.native, found.igraph):
            everyone = compute(graph, None)
            assert everyone.dtype == compute(graph, some).dtype == np.float64
            assert np.allclose(compute(graph, some), everyone[some])
        assert np.allclose(found.native(graph, None), found.igraph(graph, None))
        assert len(set(found.native(graph, None).tolist())) > 2


def test_nothing_moves_a_density_where_nobody_has_two_neighbours() -> None:
    assert [metric("density").global_sensitivity(bound) for bound in (0, 1, 2, 3, 9)] == [0, 0, 1, 1, 1]


def test_the_harmonic_series_meets_its_sum() -> None:
    density = metric("density")
    for degree in (64, 65, 66, 1000, 37_699):
        exact = float(sum(1 - Fraction(2, x) for x in range(3, degree + 1)))
        assert abs(density.shifted_sum("degree", degree, degree, 0) - exact) <= 2**-50 * exact


def test_large_bounds_stay_exact() -> None:
    bound, d = 3_000_000, 1234
    by_integers = sum(bound * (bound - 1) - x * (x - 1) for x in range(d, d + 1000))
    ebc = metric("ebc")
    difference = ebc.shifted_sum("degree", bound, d, 0) - ebc.shifted_sum("degree", bound, d + 1000, 0)
    assert abs(difference - by_integers / (bound * (bound - 1))) < 2**-50 * bound


@as_one
@pytest.mark.parametrize("name", metric_names())
def test_no_value_exceeds_its_upper_bound_nor_falls_below_zero(name: str) -> None:
    found = metric(name)
    for graph in small_graphs.all_graphs(4):
        values = GraphProjection(graph).values(name)
        assert (values >= 0).all()
        assert (values <= found.upper_bound(graph.degrees)).all()


def test_a_uniform_sensitivity_is_one_number() -> None:
    """The Pareto profile asks for it once, of nobody."""
    degrees = np.arange(40)
    uniform = [name for name in metric_names() if metric(name).uniform]
    assert uniform == ["degree"]
    for name in uniform:
        for bound in (0, 1, 2, 39):
            found = [
                metric(name).sensitivity(form, t, degrees, degrees, bound)
                for form in metric(name).forms
                for t in range(45)
            ]
            assert len(np.unique(found)) == 1
