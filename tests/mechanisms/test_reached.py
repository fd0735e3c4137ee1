"""Every claimed sensitivity is reached to two thirds by an edge of some graph, and exceeded by none.

Too small a claim breaks the promise; too large a one only costs accuracy, but then no test of the promise would notice
that half of it was lost: what is far from its bound has room for a mistake. A new metric, count or vector is in these
tables by itself, and fails until a graph reaches what it claims.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from inspect import signature
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

import number_cases
import small_graphs
from coupling import Bought, coupled
from definitions import definition, values
from edgedp.mechanisms.counts import Bounds, count_class, count_names
from edgedp.mechanisms.metrics import metric, metric_names
from looped import as_one
from vector_definitions import DERIVED, VECTORS, Defined

REACHED = Fraction(2, 3)
N = 5


# -- vectors -------------------------------------------------------------------------------------------------------


def two_stars(leaves: int) -> Defined:
    """The centres become adjacent: every leaf of one is a new pair with the other."""
    return Defined(
        2 + 2 * leaves, [(hub, 2 + leaf + hub * leaves) for hub in (0, 1) for leaf in range(leaves)]
    )


def two_hubs(leaves: int) -> Defined:
    return Defined(leaves + 2, [(hub, leaf) for hub in (0, 1) for leaf in range(2, leaves + 2)])


def hubs_below_others(leaves: int, above: int, top: int) -> Defined:
    """Two hubs over the same leaves, nodes that rank above both and connect them, and a clique that ranks above these.

    A declared bound caps the cuts, and no graph has to keep it. So the cuts of the hubs hold leaves only.
    """
    higher = range(2 + leaves, 2 + leaves + above)
    highest = range(higher.stop, higher.stop + top)
    return Defined(highest.stop, {
        *((hub, leaf) for hub in (0, 1) for leaf in range(2, 2 + leaves)),
        *((hub, node) for hub in (0, 1) for node in higher),
        *((node, one) for node in higher for one in highest),
        *combinations(highest, 2),
    })  # fmt: skip


VECTOR_CASES: list[tuple[Any, dict[str, Any], Defined, int]] = [
    ("priv_top_k", {"metric": "ebc", "proxy": "lists", "cap": 20, "epsilon": "20"}, two_stars(19), 20),
    ("priv_top_k", {"metric": "ebc", "proxy": "ordered", "cap": 20, "epsilon": "100"}, two_stars(19), 20),
    ("priv_top_k", {"metric": "ebc", "proxy": "betweenness2", "epsilon": "1"}, two_stars(19), 20),
    ("motkin", {"metrics": ("degree", "density"), "mechanism": "joint", "epsilon": "100"}, two_hubs(99), 100),
    (
        "motkin",
        {"metrics": ("degree", "density"), "mechanism": "joint", "epsilon": "27"},
        hubs_below_others(29, 100, 140),
        30,
    ),
    ("priv_top_k", {"metric": "ebc", "proxy": "both", "epsilon": "0.1"}, two_stars(19), 20),
    ("distribution", {"epsilon": "1"}, two_hubs(5), 6),
    ("summary", {"epsilon": "1"}, two_stars(4), 5),
]
"""Releases, each with a graph, whose nodes 0 and 1 become adjacent, and a declared bound."""


@cache
def reached_by_vectors() -> dict[Bought, list[Fraction]]:
    found: dict[Bought, list[Fraction]] = {}
    for kind, options, graph, bound in VECTOR_CASES:
        k = {} if kind in ("distribution", "summary") else {"k": 2}
        for each, part in coupled(kind, {**options, **k}, graph, (0, 1), bound=bound).reached.items():
            found.setdefault(each, []).append(part)
    return found


def test_every_vector_is_in_the_table() -> None:
    names = {name for name, _ in reached_by_vectors()}
    assert names == set(VECTORS) | {name for derived in DERIVED.values() for name in derived}
    followed = {
        name
        for name, defined in VECTORS.items()
        if "| None" in str(signature(defined).parameters.get("ranks"))
    }
    assert set(reached_by_vectors()) >= {(name, ranked) for name in followed for ranked in (True, False)}


def test_every_vector_moves_by_two_thirds_of_what_is_claimed_and_by_no_more() -> None:
    for bought, parts in reached_by_vectors().items():
        assert REACHED <= max(parts) <= 1, (bought, [float(part) for part in parts])


# -- metrics of a node -----------------------------------------------------------------------------------------------


def moves_of(table: np.ndarray, degree_bound: int) -> float:
    """Return the most that one edge moves an entry, over all labelled graphs that keep a bound on both sides."""
    keeps = small_graphs.degrees(N).max(axis=1) <= degree_bound
    most = 0.0
    for other in small_graphs.neighbor_table(N).T:
        both = keeps & keeps[other]
        most = max(most, float(np.abs(table - table[other])[both].max(initial=0)))
    return most


@as_one
@pytest.mark.parametrize("name", metric_names())
def test_every_metric_reaches_its_global_sensitivity(name: str) -> None:
    for bound in range(1, N):
        claim = float(metric(name).global_sensitivity(bound))
        moves = moves_of(values(name, N), bound)
        assert moves <= claim * (1 + 1e-9)
        assert bound < N - 1 or moves >= float(REACHED) * claim


@as_one
@pytest.mark.parametrize("name", metric_names())
def test_a_metric_reaches_it_at_hubs_too(name: str) -> None:
    """On few nodes what grows with the square of the degree is hidden by what grows with the degree."""
    for bound in (12, 24):
        most = 0.0
        for graph in (two_stars(bound - 1), two_hubs(bound - 1), Defined(3, [(0, 2)])):
            sides = [side_of(graph), side_of(graph.flipped(0, 1))]
            for v in (0, 1, 2):
                one, other = (float(definition(name).of_node(side, v)) for side in sides)
                most = max(most, abs(one - other))
        claim = float(metric(name).global_sensitivity(bound))
        assert float(REACHED) * claim <= most <= claim * (1 + 1e-9)


def side_of(graph: Defined) -> nx.Graph:
    made = nx.empty_graph(graph.n)
    made.add_edges_from(graph.edges)
    return made


# -- counts ------------------------------------------------------------------------------------------------------------


def test_every_count_that_is_drawn_is_in_the_table() -> None:
    assert {case.split()[0] for case in number_cases.CASES} == {
        name for name in count_names() if not count_class(name).parts
    }


@as_one
@pytest.mark.parametrize("case", number_cases.CASES)
def test_every_count_reaches_its_global_sensitivity(case: str) -> None:
    count = number_cases.count_of(case)
    table = number_cases.values(case, N).astype(np.float64)[:, None]
    for bound in range(1, N):
        if number_cases.fits(case, N, bound):
            bounds = Bounds(N, bound)
            claim = count.global_sensitivity(bounds) / 2 ** count.bits(bounds)
            moves = moves_of(table, bound)
            assert moves <= claim * (1 + 1e-9)
            assert bound < N - 1 or moves >= float(REACHED) * claim
