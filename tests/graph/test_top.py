"""The largest exact values by bound and prune: the same as by sorting, from few evaluations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgedp import Graph, exact
from edgedp.graph.engines import native
from edgedp.graph.engines.top import top_positions
from edgedp.mechanisms.metrics import metric_names
from edgedp.words.errors import ParameterError
from metric_definitions import random_graphs


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=300), st.integers(1, 310)
)
def test_the_same_as_by_sorting_with_many_ties(drawn: list[tuple[int, int]], k: int) -> None:
    values = np.array([float(value) for value, _ in drawn])
    bounds = np.array([float(value + slack) for value, slack in drawn])
    positions, largest = top_positions(bounds, lambda some: values[some], k)
    expected = np.argsort(-values, kind="stable")[:k]
    assert positions.tolist() == expected.tolist()
    assert largest.tolist() == values[expected].tolist()


@given(random_graphs(), st.integers(1, 12), st.booleans())
@settings(max_examples=50)
def test_every_metric_of_random_graphs(graph: Graph, k: int, triangles_are_known: bool) -> None:
    if triangles_are_known:
        native.triangles(graph)
    for name in metric_names():
        values = exact.values(graph, name)
        expected = np.argsort(-values, kind="stable")[:k]
        ids, largest = exact.top(graph, name, k)
        assert ids.tolist() == graph.node_ids[expected].tolist()
        assert largest.tolist() == values[expected].tolist()


@pytest.mark.parametrize(("name", "most"), [("enron", 25), ("github", 25)])
def test_few_nodes_are_computed(
    name: str, most: int, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = request.getfixturevalue(name)
    values = native.ebc(graph)
    asked: list[int] = []

    def counted(graph: Graph, positions: np.ndarray) -> np.ndarray:
        asked.extend(positions.tolist())
        return values[positions]

    monkeypatch.setattr("edgedp.graph.engines.native.ebc", counted)
    ids, largest = exact.top(graph, "ebc", 10)
    order = np.argsort(-values, kind="stable")[:10]
    assert ids.tolist() == graph.node_ids[order].tolist()
    assert largest.tolist() == values[order].tolist()
    assert len(asked) == len(set(asked)) <= most


@pytest.mark.parametrize("k", [0, -1, 1.5, True, None, "3"])
def test_a_number_of_nodes_that_is_none_is_refused(k: object) -> None:
    with pytest.raises(ParameterError, match=r"k is .*, must be (a whole number|1 or more)"):
        exact.top(Graph.from_edges([(0, 1)]), "ebc", k)  # type: ignore[arg-type]


def test_a_number_of_nodes_may_be_of_numpy() -> None:
    ids, _ = exact.top(Graph.from_edges([(0, 1), (1, 2)]), "degree", np.int64(2))  # type: ignore[arg-type]
    assert ids.tolist() == [1, 0]
