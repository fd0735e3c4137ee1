"""Global sensitivities, closed forms and bounds; admissibility is in test_admissibility."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import small_graphs
from definitions import definition, definition_names, values
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.mechanisms.metrics.base import shifted_sums
from edgedp.mechanisms.projection import GraphProjection
from edgedp.words.vocabulary import PROXIES, VECTORS


def test_the_folder_is_the_list() -> None:
    assert set(metric_names()) >= {"betweenness2", "degree", "density", "ebc"}
    assert metric_names() == tuple(sorted(metric_names()))
    assert all(metric(name).name == name for name in metric_names())
    assert all(metric(name).summary for name in metric_names())


def test_every_metric_has_its_definition_and_every_definition_its_metric() -> None:
    assert definition_names() == set(metric_names())


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


@pytest.mark.parametrize("name", metric_names())
@pytest.mark.parametrize("bound", [1, 2, 3, 4, 5, 6, 9, 23])
def test_shifted_sums_are_the_sums_that_they_stand_for(name: str, bound: int) -> None:
    found = metric(name)
    ceiling = float(found.global_sensitivity(bound))
    if ceiling == 0:
        return
    pairs = [(d, m) for d in range(bound + 1) for m in range(d + 1)]
    degrees, common = (np.array(column) for column in zip(*pairs, strict=True))
    for form in found.forms:
        by_terms = sum(
            1 - found.sensitivity(form, t, degrees, common, bound) / ceiling for t in range(4 * bound + 20)
        )
        assert np.allclose(
            shifted_sums(found, form, bound, degrees, common), by_terms, rtol=1e-12, atol=1e-12
        )


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
