"""Weights of graphs in memory: whole steps, aggregation and caps, by their definition; what is refused."""

from __future__ import annotations

import copy
import math
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import looped
import strength_definitions as definition
from edgedp import EdgeDPError, Graph, exact
from edgedp.graph.weights import Weighting, weighting_of
from edgedp.words.vocabulary import STRENGTHS

DECLARED: list[dict[str, Any]] = [
    {"cap": 2},
    {"cap": 1000, "step": 1},
    {"cap": 5, "pair_cap": 7},
    {"cap": 5, "pair_cap": 2, "step": "0.1"},
    {"cap": 0.7, "step": 0.1, "pair_cap": 3},
    {"cap": 10, "step": 3, "signed": True},
    {"cap": 4, "aggregation": "MAX"},
    {"cap": 4, "aggregation": "MIN", "pair_cap": 9},
    {"cap": 3, "aggregation": "COUNT"},
    {"cap": 6, "step": 2.5, "aggregation": "MIN", "signed": True},
]
VALUES = [
    0,
    0.0,
    -0.0,
    1,
    2,
    0.1,
    0.3,
    0.7,
    0.6,
    2.9,
    5.0,
    7,
    1e300,
    2.0**63,
    math.inf,
    -math.inf,
    math.nan,
    -1,
    -2.5,
]


@pytest.mark.parametrize("declared", DECLARED, ids=str)
def test_strengths_follow_their_definition(declared: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    for n in (2, 3, 6):
        ends = rng.integers(0, n, size=(5 * n, 2))
        values = rng.choice(VALUES, size=5 * n)
        rows = [(int(a), int(b), float(value)) for (a, b), value in zip(ends, values, strict=True)]
        for name in STRENGTHS:
            graph = Graph.from_edges(
                ends, nodes=range(n), weights=values, weight=declared, directed=name != "strength"
            )
            expected = definition.strengths(n, rows, declared, name)
            for engine in ("native", "igraph"):
                assert exact.values(graph, name, engine=engine).tolist() == expected  # type: ignore[arg-type]


@given(
    st.integers(1, 10**6),
    st.integers(0, 6),
    st.lists(st.one_of(st.floats(), st.integers(-(2**62), 2**62).map(float)), max_size=5),
    st.data(),
)
def test_steps_are_those_of_decimals(units: int, places: int, values: list[float], data: Any) -> None:
    """Also of amounts beside a border, where quotients of floats are one too few or one too many."""
    step = f"{units}e-{places}"
    near = data.draw(st.lists(st.integers(0, 10**8), max_size=5))
    values += [float(f"{units * many}e-{places}") for many in near]
    with np.errstate(over="ignore"):
        values += [float(np.nextafter(each, side)) for each in values for side in (-np.inf, np.inf)]
    declared = {"cap": f"{units * 10**8}e-{places}", "step": step, "signed": True}
    found = weighting_of(declared).steps(np.array(values, dtype=np.float64))
    expected = [definition.steps(each, declared["cap"], step, signed=True) or 0 for each in values]
    assert found.tolist() == expected


def test_no_number_of_parallels_goes_round_the_integers() -> None:
    cap = 10**15 - 1
    made = weighting_of({"cap": cap, "signed": True})
    keys = np.zeros(15_000, dtype=np.int64)  # of which the sum, gone round, would have the other sign
    assert made.slots(keys, np.full(15_000, float(cap)))[1].tolist() == [cap]
    assert made.slots(keys, np.full(15_000, -float(cap)))[1].tolist() == [-cap]
    mixed = np.where(np.arange(15_000) % 2, float(cap), -float(cap))
    assert made.slots(keys, mixed)[1].tolist() == [0]


def test_parallels_are_added_up_before_the_cap_of_the_pair_and_after_steps() -> None:
    edges = [(1, 2), (2, 1), (1, 2)]
    added = Graph.from_edges(edges, weights=[0.6, 0.6, 3.0], weight={"cap": 2, "pair_cap": 3})
    assert exact.strength(added).tolist() == [2, 2]  # .6 and .6 are no step, and are not one together
    capped = Graph.from_edges(edges, weights=[9, 9, 9], weight={"cap": 2, "pair_cap": 3})
    assert exact.strength(capped).tolist() == [3, 3]


@pytest.mark.parametrize("directed", [False, True])
def test_other_libraries_hand_over_weights(directed: bool) -> None:
    made = nx.MultiDiGraph() if directed else nx.MultiGraph()
    made.add_edge(1, 2, amount=3)
    made.add_edge(1, 2, amount=2.5)
    made.add_edge(2, 3, amount=7)
    made.add_edge(3, 1)
    rows = [(1, 2), (1, 2), (2, 3), (3, 1)]
    declared = {"property": "amount", "cap": 5, "pair_cap": 9}
    expected = Graph.from_edges(
        rows, nodes=[1, 2, 3], weights=[3, 2.5, 7, None], weight=declared, directed=directed
    )
    assert Graph.from_networkx(made, directed=directed, weight=declared) == expected
    back = expected.to_networkx()
    assert Graph.from_networkx(back, directed=directed, weight={"cap": 5, "pair_cap": 9}) == Graph.from_edges(
        list(back.edges),
        nodes=[1, 2, 3],
        weights=[w for _, _, w in back.edges(data="weight")],
        weight={"cap": 5, "pair_cap": 9},
        directed=directed,
    )
    of_igraph = expected.to_igraph()
    assert of_igraph.es["weight"] == [w for _, _, w in back.edges(data="weight")]
    assert copy.deepcopy(expected) == expected
    assert expected != Graph.from_edges(rows, nodes=[1, 2, 3], directed=directed)


def test_a_matrix_holds_weights() -> None:
    from scipy.sparse import coo_array

    matrix = coo_array(([2.0, 9.0, 4.0], ([0, 1, 2], [1, 0, 1])), shape=(3, 3))
    read = Graph.from_scipy(matrix, directed=True, weight={"cap": 5})
    assert exact.in_strength(read).tolist() == [5, 6, 0]


REFUSED = [
    ({}, "has no cap"),
    ({"cap": 0}, "above 0"),
    ({"cap": -3}, "above 0"),
    ({"cap": math.inf}, "above 0"),
    ({"cap": math.nan}, "above 0"),
    ({"cap": True}, "above 0"),
    ({"cap": "many"}, "above 0"),
    ({"cap": 2**61}, "larger step"),
    ({"cap": 1, "step": "1/3"}, "decimal"),
    ({"cap": 1, "step": 2}, "smaller one"),
    ({"cap": 1, "step": 0}, "above 0"),
    ({"cap": 5, "pair_cap": 0.5}, "smaller one"),
    ({"cap": 1, "signed": "yes"}, "true or false"),
    ({"cap": 1, "aggregation": "SINGLE"}, "would follow their order"),
    ({"cap": 1, "aggregation": "NONE"}, "must be one of SUM, COUNT, MAX, MIN"),
    ({"cap": 1, "aggregation": None}, "must be one of"),
    ({"aggregation": "COUNT"}, "has no pair_cap"),
    ({"cap": 4, "aggregation": "COUNT", "step": 2}, "counts relationships"),
    ({"cap": 4, "aggregation": "COUNT", "signed": True}, "counts relationships"),
    ({"cap": 4, "colour": 2}, "colour"),
    ({"cap": 4, "pair_cap": 2, "pairCap": 3}, "key"),
    ("amount", "must be a map"),
]


@looped.as_one
@pytest.mark.parametrize(("declared", "said"), REFUSED, ids=str)
def test_what_is_no_declaration_is_refused(declared: Any, said: str) -> None:
    with pytest.raises(EdgeDPError, match=said):
        Graph.from_edges([(1, 2)], weights=[1], weight=declared)


def test_values_without_a_declaration_and_the_other_way_are_refused() -> None:
    with pytest.raises(EdgeDPError, match="without weight, which declares"):
        Graph.from_edges([(1, 2)], weights=[1])
    with pytest.raises(EdgeDPError, match="without weights"):
        Graph.from_edges([(1, 2)], weight={"cap": 1})
    for wrong in (
        ["2"],
        [True],
        [[1]],
        [1, 2],
        ["2024-01-01"],
        np.array(["2024-01-01"], dtype="datetime64[D]"),
        [1j],
    ):
        with pytest.raises(EdgeDPError, match="weights"):
            Graph.from_edges([(1, 2)], weights=wrong, weight={"cap": 1})


@looped.as_one
@pytest.mark.parametrize("declared", DECLARED, ids=str)
def test_a_declaration_is_read_as_it_was_written(declared: dict[str, Any]) -> None:
    made = weighting_of(declared)
    assert Weighting.read(made.written) == made == weighting_of(made.to_dict())


def test_a_cap_between_two_steps_holds_the_lower_one_alone() -> None:
    made = weighting_of({"cap": 5, "step": 2, "pair_cap": 20})
    assert made.steps(np.array([3.9, 5, 7, 1e9])).tolist() == [1, 2, 2, 2]
