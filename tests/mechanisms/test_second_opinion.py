"""A second opinion on the privacy of releases, by an auditing tool that is not ours.

StatDP (Ding, Wang, Wang, Zhang, Kifer, CCS 2018; the package pystatdp, MIT) draws from two neighbouring inputs, picks
the event that tells them apart best, draws again, and returns a p-value of "this is epsilon-private". It knows nothing
of our code. Small p-values are a counterexample; a release at 2.5 times the epsilon must give one, or it sees nothing.
It is in the extra ``second-opinion``, which ``make test-all`` installs.

False alarms: four p-values are compared with 1e-4, so one run in 2,500 fails by chance.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import edgedp
from edgedp import Graph

pytestmark = pytest.mark.wide

CLAIMED = 1.0
ALARM = 1e-4
EVENTS, DRAWS = 1_000, 4_000

TRIANGLE = Graph.from_edges([(0, 1), (1, 2), (2, 0)], nodes=[0, 1, 2])
GRAPHS = (TRIANGLE, Graph.from_edges([(0, 1), (1, 2)], nodes=[0, 1, 2]))
"""Neighbours: the second lacks one edge."""


def number_of_edges(queries: Any, epsilon: float) -> int:
    """Release the number of edges."""
    return int(edgedp.count(GRAPHS[int(queries[0])], "edges", str(epsilon)).value)


def picked_by_em(queries: Any, epsilon: float) -> int:
    """Release the node of highest degree by the exponential mechanism."""
    return _first(queries, epsilon, mechanism="em")


def picked_jointly(queries: Any, epsilon: float) -> int:
    """Release the node of highest degree by a list of noisy degrees."""
    return _first(queries, epsilon, mechanism="joint")


def _first(queries: Any, epsilon: float, **options: Any) -> int:
    graph = GRAPHS[int(queries[0])]
    release = edgedp.priv_top_k(graph, "degree", 1, str(epsilon), degree_bound=2, **options)
    (found,) = release.nodes
    return int(found)


def opinion(algorithm: Callable[..., int], drawn_with: float) -> float:
    """Return the p-value of "it is private at the claimed epsilon"; the tool judges both orders of the inputs."""
    statdp = pytest.importorskip("pystatdp", reason="the extra second-opinion is not installed")
    np.random.seed(1)  # the tool draws its own p-value from the global generator
    rows = statdp.pystatdp().detect_counterexample(
        algorithm, CLAIMED, {"epsilon": drawn_with}, databases=(np.array([0]), np.array([1])),
        event_iterations=EVENTS, detect_iterations=DRAWS, cores=1, quiet=True, loglevel=logging.ERROR,
    )  # fmt: skip
    return float(rows[0][1])


@pytest.mark.parametrize("algorithm", [number_of_edges, picked_by_em, picked_jointly])
def test_another_tool_finds_no_counterexample(algorithm: Callable[..., int]) -> None:
    assert opinion(algorithm, CLAIMED) > ALARM


def test_another_tool_sees_a_release_that_spends_more_than_it_claims() -> None:
    assert opinion(number_of_edges, 2.5 * CLAIMED) < ALARM
