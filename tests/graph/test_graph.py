"""The graph: one and the same whatever way its edges come, and never changed afterwards."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import looped
from edgedp.graph.graph import Graph
from edgedp.graph.ids import distinct, positions_of
from edgedp.words.errors import EdgeDPError, GraphFormatError, ParameterError, UnknownNameError

INTEGERS = st.integers(-20, 20) | st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=4)


@st.composite
def edges_and_nodes(draw) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Draw edges with loops, parallels and both directions, and all nodes, isolated ones among them."""
    ids = draw(st.sampled_from([INTEGERS, TEXTS]))
    nodes = draw(st.lists(ids, min_size=1, max_size=12, unique=True))
    ends = st.sampled_from(nodes)
    return draw(st.lists(st.tuples(ends, ends), max_size=40)), nodes


def simple_edges(edges: list[tuple[Any, Any]]) -> set[frozenset[Any]]:
    return {frozenset(edge) for edge in edges if edge[0] != edge[1]}


def told_edges(graph: Graph) -> set[frozenset[Any]]:
    ids = graph.node_ids.tolist()
    return {frozenset((ids[a], ids[b])) for a, b in graph.edges().tolist()}


@settings(max_examples=40)
@given(edges_and_nodes())
def test_the_arrays_are_what_they_claim(drawn):
    edges, nodes = drawn
    graph = Graph.from_edges(edges, nodes=nodes)
    assert graph.node_ids.tolist() == sorted(nodes)
    assert told_edges(graph) == simple_edges(edges)
    assert graph.edge_count == len(simple_edges(edges)) == len(graph.edges())
    assert graph.indptr.dtype == np.int64
    assert graph.indices.dtype == np.int32
    assert graph.indptr[0] == 0
    assert graph.indptr[-1] == len(graph.indices) == 2 * graph.edge_count
    for v in range(graph.node_count):
        row = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
        assert row == sorted(set(row) - {v})
        assert all(v in graph.indices[graph.indptr[u] : graph.indptr[u + 1]] for u in row)
    assert graph.degrees.tolist() == np.diff(graph.indptr).tolist()
    assert graph.max_degree == max(graph.degrees.tolist())


@settings(max_examples=40)
@given(edges_and_nodes(), st.randoms(use_true_random=False))
def test_order_direction_and_parallels_do_not_matter(drawn, random):
    edges, nodes = drawn
    other = [edge if random.random() < 0.5 else edge[::-1] for edge in edges + edges]
    random.shuffle(other)
    assert Graph.from_edges(other, nodes=nodes[::-1]) == Graph.from_edges(edges, nodes=nodes)
    assert Graph.from_edges(other) == Graph.from_edges(iter(edges))


@settings(max_examples=40)
@given(edges_and_nodes())
def test_networkx_and_back(drawn):
    edges, nodes = drawn
    graph = Graph.from_edges(edges, nodes=nodes)
    assert Graph.from_networkx(graph.to_networkx()) == graph
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        other = kind()
        other.add_nodes_from(nodes)
        other.add_edges_from(edges)
        assert Graph.from_networkx(other) == graph
    told = graph.to_networkx()
    assert {frozenset(edge) for edge in told.edges()} == simple_edges(edges)
    assert set(told.nodes()) == set(nodes)


@settings(max_examples=40)
@given(edges_and_nodes())
def test_igraph_and_back(drawn):
    edges, nodes = drawn
    graph = Graph.from_edges(edges, nodes=nodes)
    told = graph.to_igraph()
    assert told.vs["name"] == sorted(nodes)
    assert told.degree() == graph.degrees.tolist()
    assert Graph.from_igraph(told) == graph


def test_an_igraph_graph_without_names_has_its_numbers():
    assert Graph.from_igraph(igraph.Graph(4, [(0, 1), (1, 2), (2, 1)])) == Graph.from_edges(
        [(0, 1), (1, 2)], nodes=range(4)
    )


def test_an_igraph_graph_of_two_vertices_of_one_name_is_refused():
    told = igraph.Graph(3, [(0, 1)])
    told.vs["name"] = ["a", "b", "a"]
    with pytest.raises(GraphFormatError, match="two vertices have the same name"):
        Graph.from_igraph(told)


def test_whether_the_nodes_were_supplied():
    assert not Graph.from_edges([(1, 2)]).nodes_supplied
    assert Graph.from_edges([(1, 2)], nodes=[1, 2]).nodes_supplied
    assert Graph.from_networkx(nx.path_graph(3)).nodes_supplied
    assert Graph.from_igraph(igraph.Graph(3)).nodes_supplied


@pytest.mark.parametrize("nodes", [[], [7], ["a"], range(5)])
def test_graphs_without_edges(nodes):
    graph = Graph.from_edges([], nodes=nodes)
    assert (graph.node_count, graph.edge_count, graph.max_degree) == (len(nodes), 0, 0)
    assert graph.node_ids.tolist() == list(nodes)
    assert graph.edges().shape == (0, 2)
    assert Graph.from_networkx(graph.to_networkx()).node_count == len(nodes)
    assert graph.to_igraph().vcount() == len(nodes)


def test_a_self_loop_keeps_its_node():
    graph = Graph.from_edges([(3, 3)])
    assert (graph.node_ids.tolist(), graph.edge_count) == ([3], 0)


# -- immutability -----------------------------------------------------------------------------------


def test_nothing_can_be_written():
    graph = Graph.from_edges([(1, 2), (2, 3)], nodes=np.array([1, 2, 3, 4]))
    for array in (graph.node_ids, graph.indptr, graph.indices, graph.degrees):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            array.flags.writeable = True
    for name in ("node_ids", "indptr", "indices", "node_count", "edge_count", "nodes_supplied"):
        with pytest.raises(AttributeError):
            setattr(graph, name, None)


def test_a_pickled_graph_keeps_its_properties() -> None:
    graph = Graph.from_edges([(1, 2)], nodes=[1, 2], properties={"age": [30, 60]})
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 -- our own
    assert again == graph
    assert again.nodes_supplied
    assert again.properties["age"].tolist() == [30, 60]


def test_what_the_caller_does_to_its_arrays_afterwards_does_not_matter():
    edges, nodes = np.array([[1, 2], [2, 3]]), np.array([1, 2, 3])
    graph = Graph.from_edges(edges, nodes=nodes)
    before = pickle.loads(pickle.dumps(graph))  # noqa: S301 -- our own
    edges[:] = 3
    nodes[:] = 9
    assert graph == before
    assert edges.flags.writeable
    assert nodes.flags.writeable

    ids, indptr, indices = np.arange(2), np.array([0, 1, 2, 2]), np.array([1, 0, 7], dtype=np.int32)
    views = Graph(ids, indptr[:3], indices[:2])
    indptr[:] = 0
    indices[:] = 0
    assert views.edges().tolist() == [[0, 1]]


def test_a_copy_has_the_properties_too():
    graph = Graph.from_edges([(1, 2)], nodes=[1, 2], properties={"age": [30, None], "zip": [8, 9]})
    for other in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):  # noqa: S301 -- our own
        assert {name: values.tolist() for name, values in other.properties.items()} == {
            "age": [30, None],
            "zip": [8, 9],
        }
        assert not other.properties["zip"].flags.writeable


# -- fingerprint and equality -----------------------------------------------------------------------


@settings(max_examples=40)
@given(edges_and_nodes())
def test_the_fingerprint_is_that_of_the_edges(drawn):
    edges, nodes = drawn
    graph = Graph.from_edges(edges, nodes=nodes)
    assert Graph.from_edges(edges[::-1], nodes=nodes).fingerprint == graph.fingerprint
    present = simple_edges(edges)
    for a in nodes:
        for b in nodes:
            if a < b:
                changed = present ^ {frozenset((a, b))}
                other = Graph.from_edges([tuple(edge) for edge in changed], nodes=nodes)
                assert other.fingerprint != graph.fingerprint
                assert other != graph


def test_the_fingerprint_tells_the_number_of_nodes():
    assert Graph.from_edges([(0, 1)]).fingerprint != Graph.from_edges([(0, 1)], nodes=range(3)).fingerprint


def test_a_graph_is_equal_to_graphs_only_and_has_no_hash():
    graph = Graph.from_edges([(0, 1)])
    assert graph != "graph"
    assert graph != Graph.from_edges([("0", "1")])
    with pytest.raises(TypeError):
        hash(graph)
    assert repr(graph) == "<Graph: 2 nodes, read from the edges>"


# -- ids --------------------------------------------------------------------------------------------


def test_positions_keep_the_order_asked_for():
    graph = Graph.from_edges([(10, 20), (20, 30)])
    assert graph.positions(None) is None
    for ids, expected in (([30, 10, 30], [2, 0, 2]), ([], [])):
        positions = graph.positions(ids)
        assert positions is not None
        assert positions.tolist() == expected


@looped.as_one
@pytest.mark.parametrize(("nodes", "stranger"), [([5], "5"), ([10, 31], "31"), (["10"], "'10'")])
def test_an_unknown_id_is_named(nodes, stranger):
    with pytest.raises(UnknownNameError, match=f"nodes is {stranger}, must be a node of the graph"):
        Graph.from_edges([(10, 20), (20, 30)]).positions(nodes)


@looped.as_one
@pytest.mark.parametrize("edges", [
    [(1, 2, 3)], [1, 2], [(1.5, 2.0)], [(1, 2), (3,)], [(None, 1)], [(True, False)], "ab", [((1, 2), (3, 4))],
    [(1, "a")], [("a", 1), (2, "b")], [(2**64, 1)], [(2**63, 1)], np.array([[2**63, 1]], dtype=np.uint64),
    np.zeros((2, 3), dtype=np.int64), np.zeros((2, 2)), [(b"a", b"b")],
])  # fmt: skip
def test_edges_that_are_no_pairs_of_ids_of_one_kind(edges):
    with pytest.raises(EdgeDPError):
        Graph.from_edges(edges)


@pytest.mark.parametrize("nodes", [[1, "1"], [1.0, 2.0], [[1, 2]], [None], ["a", 2], [2**70], 7])
def test_nodes_that_are_no_ids_of_one_kind(nodes):
    with pytest.raises(EdgeDPError):
        Graph.from_edges([], nodes=nodes)


def test_two_nodes_are_never_taken_for_one():
    told = nx.Graph([(1, 2), ("1", "2"), (1, "2")])
    with pytest.raises((GraphFormatError, ParameterError), match="all integers or all texts"):
        Graph.from_networkx(told)


@pytest.mark.parametrize(("edges", "nodes"), [([(1, 2)], [1]), ([(1, 2)], ["1", "2"]), ([("a", "b")], ["a"])])
def test_an_edge_outside_the_nodes_is_refused(edges, nodes):
    with pytest.raises(EdgeDPError, match=r"an end of an edge|of different types"):
        Graph.from_edges(edges, nodes=nodes)


@given(st.lists(INTEGERS, max_size=60))
def test_distinct_is_unique(values: list[int]):
    array: NDArray[np.int64] = np.array(values, dtype=np.int64)
    assert distinct(array).tolist() == sorted(set(values))


@settings(max_examples=40)
@given(st.lists(INTEGERS, min_size=1, unique=True), st.data())
def test_positions_of_is_the_index(ids, data):
    ids = sorted(ids)
    wanted = data.draw(st.lists(st.sampled_from(ids)))
    found = positions_of(np.array(ids, dtype=np.int64), np.array(wanted, dtype=np.int64), what="x")
    assert found.tolist() == [ids.index(value) for value in wanted]
