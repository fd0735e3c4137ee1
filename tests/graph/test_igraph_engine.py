"""The igraph engine against the definitions and the native engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import looped
from edgedp import Graph
from edgedp.graph.engines import igraph as igraph_engine
from edgedp.graph.engines import native, paths
from metric_definitions import (
    CLOSED_FORMS,
    QUANTITIES,
    by_definition,
    random_graphs,
    shares_by_definition,
    skewed,
    union_of_small_graphs,
)


@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_all_labelled_graphs_as_the_native_engine(quantity: str, n: int) -> None:
    graph = union_of_small_graphs(n)
    np.testing.assert_allclose(
        getattr(igraph_engine, quantity)(graph), getattr(native, quantity)(graph), rtol=1e-12, atol=0
    )


@given(random_graphs())
@settings(max_examples=30)
def test_random_graphs_by_definition(graph: Graph) -> None:
    for quantity in QUANTITIES:
        values = getattr(igraph_engine, quantity)(graph)
        np.testing.assert_allclose(values, by_definition(graph, quantity), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(
        igraph_engine.betweenness2_shares(graph, 20), shares_by_definition(graph, 20)
    )


@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("case", range(len(CLOSED_FORMS)))
def test_closed_forms(case: int, quantity: str) -> None:
    graph, expected = CLOSED_FORMS[case]
    assert getattr(igraph_engine, quantity)(graph) == pytest.approx(expected[quantity], rel=1e-12, abs=1e-12)


@given(random_graphs(), st.data())
@settings(max_examples=15)
def test_chosen_positions_are_those_of_all_nodes_in_their_order(graph: Graph, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, graph.node_count - 1), max_size=8))
    positions = np.array(chosen, dtype=np.int64)
    for quantity in QUANTITIES:
        function = getattr(igraph_engine, quantity)
        np.testing.assert_allclose(function(graph, positions), function(graph)[positions], rtol=1e-12)


@pytest.mark.parametrize("block", [1, 50, 1000])
def test_the_size_of_the_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    graph = skewed(120, seed=4)
    monkeypatch.setattr(paths, "BLOCK", block)
    for quantity in QUANTITIES:
        values = getattr(igraph_engine, quantity)(graph)
        np.testing.assert_allclose(values, by_definition(graph, quantity), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_both_engines_agree_on_hubs_and_others(enron: Graph, quantity: str) -> None:
    rng = np.random.default_rng(2)
    some = np.concatenate([np.argsort(-enron.degrees)[:5], rng.choice(enron.node_count, 200)])
    expected = getattr(native, quantity)(enron, some)
    np.testing.assert_allclose(getattr(igraph_engine, quantity)(enron, some), expected, rtol=1e-9, atol=0)


@pytest.mark.slow
@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_both_engines_agree_on_all_of_enron(enron: Graph, quantity: str) -> None:
    expected = getattr(native, quantity)(enron)
    np.testing.assert_allclose(getattr(igraph_engine, quantity)(enron), expected, rtol=1e-9, atol=0)


@looped.as_one
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_no_edges(quantity: str, n: int) -> None:
    graph = Graph.from_edges([], nodes=np.arange(n))
    assert getattr(igraph_engine, quantity)(graph).tolist() == [0] * n
    assert len(getattr(igraph_engine, quantity)(graph, np.zeros(0, dtype=np.int64))) == 0


def test_it_needs_no_compiled_kernels(tmp_path: Path) -> None:
    code = (
        "import pathlib\nfrom edgedp.graph.engines.native import library\n"
        f"library.FOLDER = pathlib.Path({str(tmp_path)!r})\n"
        "from edgedp import Graph\nfrom edgedp.graph.engines import igraph as igraph_engine\n"
        "print(igraph_engine.ebc(Graph.from_edges([(0, 1), (1, 2)])).tolist())"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[0.0, 1.0, 0.0]\n"
