"""Graphs of other libraries: one and the same graph whatever held its edges, and nothing imported for it."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import edgedp
import looped
from edgedp.graph.dated import UNDATED
from edgedp.graph.graph import Graph
from edgedp.words.errors import EdgeDPError, ParameterError

COLUMNS = {"day": [1, 2, 3], "payer": ["ada", "bob", "ada"], "payee": ["bob", "cyd", "bob"]}
EXPECTED = Graph.from_edges([("ada", "bob"), ("bob", "cyd")])


class Interchange:
    """A frame that has nothing but the dataframe interchange protocol."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._table = frame.to_arrow()

    def __dataframe__(self, *words: Any, **options: Any) -> Any:
        return self._table.__dataframe__(*words, **options)


class Stream:
    """A table that has nothing but the Arrow C stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


FRAMES = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas, categories": lambda: pd.DataFrame(COLUMNS).astype({"payer": "category", "payee": "category"}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars, categories": lambda: pl.DataFrame(COLUMNS, schema_overrides={"payer": pl.Categorical}),
    "pyarrow": lambda: pa.table(COLUMNS),
    "a batch": lambda: pa.record_batch(COLUMNS),
    "Arrow stream": lambda: Stream(pa.table(COLUMNS)),
    "interchange protocol": lambda: Interchange(pl.DataFrame(COLUMNS)),
    "a dict": lambda: COLUMNS,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())
def test_every_frame_gives_the_same_graph(make: Any) -> None:
    frame = make()
    assert Graph.from_frame(frame, source="payer", target="payee") == EXPECTED
    assert Graph.from_frame(frame, source=2, target=3) == EXPECTED
    assert not Graph.from_frame(frame, "payer", "payee").nodes_supplied
    with_eve = Graph.from_frame(frame, "payer", "payee", nodes=["ada", "bob", "cyd", "eve"])
    assert with_eve.node_ids.tolist() == ["ada", "bob", "cyd", "eve"]
    assert with_eve.nodes_supplied
    assert Graph.from_frame(frame) == EXPECTED


def test_a_frame_whose_names_tell_needs_no_columns() -> None:
    edges = pl.DataFrame({"source": [1, 2], "target": [2, 3], "weight": [0.5, 0.1]})
    assert Graph.from_frame(edges) == Graph.from_edges([(1, 2), (2, 3)])
    assert Graph.from_frame(pl.DataFrame({"x": [1, 2], "y": [2, 3]})) == Graph.from_edges([(1, 2), (2, 3)])


def test_a_frame_may_have_a_column_of_dates() -> None:
    """Typed, in text and in numbers, of any library; a row without one stays an edge of no window."""
    days = [datetime(2024, 1, 5), None, datetime(2024, 2, 5)]
    frame = pl.DataFrame({"u": [1, 2, 1], "v": [2, 3, 3], "at": days})
    texts = frame.with_columns(pl.col("at").dt.strftime("%Y-%m-%d"))
    numbers = frame.with_columns(pl.col("at").dt.epoch("ms"))
    made = {
        "polars": Graph.from_frame(frame, date="at"),
        "pandas": Graph.from_frame(frame.to_pandas(), "u", "v", date="at"),
        "with nodes": Graph.from_frame(frame, "u", "v", nodes=[1, 2, 3], date="at", directed=True),
        "pyarrow": Graph.from_arrow(frame.to_arrow(), date=3),
        "texts": Graph.from_frame(texts, date="at"),
        "numbers": Graph.from_frame(numbers.to_dict(as_series=False), date="at", date_unit="ms"),
    }
    for how, graph in made.items():
        dated = graph.kept["dated"]
        assert dated.ends.tolist() == [[0, 1], [1, 2], [0, 2]], how
        assert dated.seconds.tolist() == [1704412800, UNDATED, 1707091200], how
    assert "dated" not in Graph.from_frame(frame, "u", "v").kept
    for wrong, said in (
        ({"date": "u"}, "are numbers"),
        ({"date": "when"}, "must be one of the names of the columns"),
        ({"date": "v", "source": "u", "target": "v"}, "another column than the ends"),
        ({"date_unit": "s"}, "given without date"),
    ):
        with pytest.raises(EdgeDPError, match=said):
            Graph.from_frame(frame, **wrong)


@looped.as_one
@pytest.mark.parametrize(("frame", "says"), [
    (pd.DataFrame({"u": [1.0, None], "v": [2, 3]}), "missing values"),
    (pd.DataFrame({"u": [1.5, 2.0], "v": [2, 3]}), "of type double"),
    (pd.DataFrame({"u": ["a", 1], "v": [2, 3]}), "convert each to all integers or all texts"),
    (pl.DataFrame({"u": [True], "v": [False]}), "of type bool"),
    (pl.DataFrame({"u": ["a"], "v": [2]}), "one of texts"),
    (pl.DataFrame({"u": [""], "v": ["b"]}), "empty id"),
    (pl.DataFrame({"u": ["a\0"], "v": ["a"]}), "NUL"),
    (pl.DataFrame({"u": [2**64 - 1], "v": [1]}, schema={"u": pl.UInt64, "v": pl.UInt64}), "beyond 64 bits"),
    (pl.DataFrame({"u": [1]}), "has one column, must have at least two"),
    (pl.DataFrame({"u": [], "v": []}, schema={"u": pl.Int64, "v": pl.Int64}), "holds no row"),
    (pl.Series([1, 2]), "frame is a polars Series"),
    ([(1, 2)], "frame is a list"),
    (None, "frame is None"),
])  # fmt: skip
def test_a_frame_that_is_no_list_of_edges(frame: Any, says: str) -> None:
    with pytest.raises(EdgeDPError, match=re.escape(says)) as caught:
        Graph.from_frame(frame)
    assert "\n" not in str(caught.value)


def test_arrow() -> None:
    table = pa.table({"u": pa.array([1, 2], pa.int8()), "v": pa.array([2, 3], pa.uint16())})
    assert Graph.from_arrow(table) == Graph.from_edges([(1, 2), (2, 3)])
    assert Graph.from_arrow(table, "v", "u").node_ids.dtype == np.int64
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert Graph.from_arrow(reader) == Graph.from_edges([(1, 2), (2, 3)])


# -- matrices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.csr_array, sparse.csc_matrix, sparse.lil_matrix])
def test_sparse_matrices(kind: Any) -> None:
    dense = np.array([[1, 0, 2, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    graph = Graph.from_scipy(kind(dense))
    assert graph == Graph.from_edges([(0, 2), (0, 1)], nodes=range(4))
    assert graph.nodes_supplied
    named = Graph.from_scipy(kind(dense), nodes=["d", "c", "b", "a"])
    assert named == Graph.from_edges([("d", "b"), ("d", "c")], nodes=["a", "b", "c", "d"])


def test_an_entry_that_is_stored_as_zero_is_no_edge() -> None:
    stored = sparse.coo_array((np.array([0.0, 1.0]), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))
    assert Graph.from_scipy(stored) == Graph.from_edges([(1, 2)], nodes=range(3))


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int16, np.uint32, np.int64, np.float32, np.bool_])
def test_entries_that_are_stored_several_times_are_not_lost_in_a_narrow_type(kind: type) -> None:
    half = 1 << 31 if kind == np.uint32 else 64
    stored = sparse.coo_array((np.full(4, half, dtype=kind), ([0] * 4, [1] * 4)), shape=(2, 2))
    assert Graph.from_scipy(stored).edge_count == 1


@pytest.mark.parametrize(("matrix", "nodes", "says"), [
    (sparse.coo_array((2, 3)), None, "is not square"),
    (sparse.coo_array(np.array([[0, np.nan], [0, 0]])), None, "holds NaN"),
    (sparse.coo_array((2, 2)), ["a"], "2 different ids"),
    (sparse.coo_array((2, 2)), ["a", "a"], "2 different ids"),
    (np.zeros((2, 2)), None, "matrix is a numpy ndarray"),
])  # fmt: skip
def test_a_matrix_that_is_no_graph(matrix: Any, nodes: Any, says: str) -> None:
    with pytest.raises(EdgeDPError, match=says):
        Graph.from_scipy(matrix, nodes)


# -- what is no graph -------------------------------------------------------------------------------


@looped.as_one
@pytest.mark.parametrize("edges", [
    None, 7, object(), nx.path_graph(3), igraph.Graph(3), pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS),
    sparse.coo_array((3, 2)), [("a\0", "b")], [("a", "b\0c")], [("a", "\ud800")], np.array([["a\0b", "c"]]),
])  # fmt: skip
def test_from_edges_takes_pairs_of_sound_ids_only(edges: Any) -> None:
    with pytest.raises(EdgeDPError, match="edges ") as caught:
        Graph.from_edges(edges)
    assert "\n" not in str(caught.value)


def test_two_ids_that_numpy_takes_for_one_are_refused() -> None:
    with pytest.raises(EdgeDPError, match="NUL"):
        Graph.from_edges([("a", "b"), ("a\0", "c")])
    with pytest.raises(EdgeDPError, match="NUL"):
        Graph.from_edges([("a", "b")], nodes=["a", "b", "a\0"])
    with pytest.raises(EdgeDPError, match="NUL"):
        Graph.from_networkx(nx.Graph([("a", "a\0")]))


@pytest.mark.parametrize("value", [nx.path_graph(4), None, "email-Enron", [(1, 2)]])
def test_functions_of_a_graph_refuse_what_is_none(value: Any) -> None:
    for call in (
        lambda: edgedp.priv_top_k(value, metric="degree", k=1, epsilon=1),
        lambda: edgedp.motkin(value, k=1),
        lambda: edgedp.exact.degree(value),
        lambda: edgedp.exact.sensitivity(value, "degree", 0),
        lambda: edgedp.exact.first_pick_probabilities(value, metric="degree", k=1, epsilon=1),
    ):
        with pytest.raises(ParameterError, match=r"graph is .*, must be an edgedp\.Graph; convert it"):
            call()


@pytest.mark.filterwarnings("ignore:the same list of edges was loaded before")
def test_a_store_takes_whatever_holds_a_graph(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("0,1\n1,2\n")
    store = edgedp.open_store(tmp_path / "graphs.edgedp")
    given = {
        "graph": Graph.from_edges([(0, 1), (1, 2)]),
        "path": tmp_path / "edges.csv",
        "text": str(tmp_path / "edges.csv"),
        "networkx": nx.path_graph(3),
        "igraph": igraph.Graph(3, [(0, 1), (1, 2)]),
        "scipy": sparse.coo_array(np.diag([1, 1], 1)),
        "frame": pl.DataFrame({"source": [0, 1], "target": [1, 2]}),
    }
    for name, value in given.items():
        assert store.load(value, name)["node_count"] == 3
        assert store.graph(name) == given["graph"]
    for value in (None, [(0, 1)], np.array([[0, 1]])):
        with pytest.raises(ParameterError, match="graph is "):
            store.load(value, "none")
    assert len(store.graphs()) == len(given)


def test_no_library_is_imported_for_a_conversion() -> None:
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('networkx', 'pandas', 'scipy'): raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import edgedp\n"
        "class Graph:\n"
        "    def nodes(self): return [1, 2, 3]\n"
        "    def edges(self): return [(1, 2)]\n"
        "graph = edgedp.Graph.from_networkx(Graph())\n"
        "assert edgedp.Graph.from_frame({'u': [1], 'v': [2]}).node_count == 2\n"
        "try: graph.to_networkx()\n"
        "except edgedp.EngineError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "this conversion needs networkx, which is not installed; install edgedp[networkx]\n"


# -- how a graph shows itself -----------------------------------------------------------------------


def test_a_graph_shows_public_facts_only() -> None:
    one = Graph.from_edges([("ada", "bob")], nodes=["ada", "bob", "cyd"])
    two = Graph.from_edges([("ada", "bob"), ("bob", "cyd")], nodes=["ada", "bob", "cyd"])
    assert repr(one) == repr(two) == "<Graph: 3 nodes, supplied>"
    assert one._repr_html_() == two._repr_html_()
    assert "private" in one._repr_html_()


def test_the_datasets() -> None:
    names = [found.name for found in edgedp.datasets()]
    assert names == sorted(names, key=str.lower)
    assert "email-Enron" in names
