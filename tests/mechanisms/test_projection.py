"""What a draw asks for: what a plan says that it reads is what it reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from edgedp import Graph
from edgedp.exact.audit import Case, all_cases
from edgedp.mechanisms.metrics import metric, metric_names
from edgedp.mechanisms.projection import GraphProjection, Projection, exact_quantities
from edgedp.mechanisms.sampling.words import words_from
from edgedp.release.draw import draw_positions
from edgedp.words.errors import UnknownNameError

GRAPH = Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (3, 4), (4, 5)])


class Recorder(GraphProjection):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__(GRAPH)
        self.asked: set[str] = set()

    def values(self, name: str, positions: Any = None) -> Any:
        self.asked.add(name)
        return super().values(name, positions)

    def max_common_neighbors(self, positions: Any = None) -> Any:
        self.asked.add("max_common_neighbors")
        return super().max_common_neighbors(positions)

    def common_neighbors_between(self) -> Any:
        self.asked.add("max_common_neighbors")
        return super().common_neighbors_between()

    def betweenness2_shares(self, bits: int) -> Any:
        self.asked.add("betweenness2_shares")
        return super().betweenness2_shares(bits)

    def ordered_degrees(self, *given: Any) -> Any:
        self.asked.add("ordered_degrees")
        return super().ordered_degrees(*given)

    def cut_shares(self, *given: Any) -> Any:
        self.asked.add("cut_shares")
        return super().cut_shares(*given)

    def cut_closed_shares(self, *given: Any) -> Any:
        self.asked.add("cut_closed_shares")
        return super().cut_closed_shares(*given)

    def fingerprint(self) -> None:
        return None


@pytest.mark.parametrize("release", ["priv_top_k", "pareto", "aggregate"])
def test_a_draw_reads_what_its_plan_says_and_no_more(release: str) -> None:
    """Both ways: an engine is refused before the debit by what the plan says."""
    cases = [case for case in all_cases() if case.release == release]
    asked_of: dict[frozenset[str], set[str]] = {}
    for case in cases:
        recorder = Recorder()
        # An adaptive release reads what pays: ordered degrees in noise, cuts where there is none.
        for epsilon in (1, 10**6) if "joint" in case.mechanism else (8,):
            planned = case.plan(6, 5, 2, epsilon)
            draw_positions(planned, recorder, words_from(np.random.default_rng(1)))
        follows_from_degree = {name for name in metric_names() if metric(name).is_degree}
        assert recorder.asked - follows_from_degree <= planned.quantities, case
        asked_of.setdefault(planned.quantities, set()).update(recorder.asked - follows_from_degree)
    for said, asked in asked_of.items():
        assert asked == said, "a lazy draw need not, but some case of these reads it all"


def test_a_joint_release_of_degrees_reads_degrees_alone() -> None:
    assert Case("priv_top_k", {"metric": "degree", "mechanism": "joint"}).plan(6, 5, 1, 1).quantities == set()


@pytest.mark.parametrize("engine", ["native", "igraph"])
def test_a_graph_answers_by_either_engine(engine: str) -> None:
    projection: Projection = GraphProjection(GRAPH, engine)
    for name in metric_names():
        every = projection.values(name)
        assert projection.values(name, np.array([3, 0])).tolist() == every[[3, 0]].tolist()
        np.testing.assert_allclose(every, GraphProjection(GRAPH).values(name), rtol=1e-12)
    assert projection.degrees().tolist() == GRAPH.degrees.tolist()
    assert (
        projection.max_common_neighbors().tolist() == GraphProjection(GRAPH).max_common_neighbors().tolist()
    )
    assert (projection.betweenness2_shares(20) == GraphProjection(GRAPH).betweenness2_shares(20)).all()


def test_an_unknown_engine_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match=r"engine is 'nativ'.*did you mean 'native'"):
        GraphProjection(GRAPH, "nativ")


def test_exact_values_say_what_they_ask_for() -> None:
    assert exact_quantities("degree", None, None) == set()
    assert exact_quantities("ebc", None, None) == {"ebc"}
    assert exact_quantities("ebc", 1, "degree") == exact_quantities("degree", 1, None) == {"sensitivity"}
    assert exact_quantities("ebc", 1, "common_neighbors") == {"sensitivity", "max_common_neighbors"}
