"""One table of containers by kinds of ids: an id is what its type says, or a refusal in one sentence."""

from __future__ import annotations

import enum
import re
import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
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

import looped
from edgedp import EdgeDPError, Graph, GraphFormatError, open_store, read_graph


class Dept(str, enum.Enum):  # noqa: UP042  (its __str__ is the point)
    """Prints ``Dept.A``, and is ``a``."""

    A, B, C = "a", "b", "c"


class Loud(str):
    """Prints what it is not."""

    def __str__(self) -> str:
        return "LOUD"


class Rank(enum.IntEnum):
    A, B, C = 1, 2, 3


KINDS: dict[str, tuple[list[Any], list[Any] | None]] = {
    "int": ([1, 2, 3], [1, 2, 3]),
    "numpy int": ([np.int32(1), np.int32(2), np.int32(3)], [1, 2, 3]),
    "int enum": (list(Rank), [1, 2, 3]),
    "str": (["a", "b", "c"], ["a", "b", "c"]),
    "str enum": (list(Dept), ["a", "b", "c"]),
    "str with its own print": ([Loud("a"), Loud("b"), Loud("c")], ["a", "b", "c"]),
    "numpy str": ([np.str_("a"), np.str_("b"), np.str_("c")], ["a", "b", "c"]),
    "empty text": (["a", "", "c"], None),
    "int and bool": ([True, 2, 3], None),
    "int and str": ([1, "2", 3], None),
    "None": ([1, None, 3], None),
    "masked": ([1, np.ma.masked, 3], None),
    "beyond 64 bits": ([1, 2**70, 3], None),
    "bytes": ([b"a", b"b", b"c"], None),
    "half": ([1.5, 2.0, 3.0], None),
}


def _pairs(ids: list[Any]) -> list[tuple[Any, Any]]:
    return [(ids[0], ids[1]), (ids[1], ids[2])]


def _object_array(ids: list[Any]) -> Any:
    made = np.empty((2, 2), dtype=object)
    for i, pair in enumerate(_pairs(ids)):
        made[i, 0], made[i, 1] = pair
    return made


def _columns(ids: list[Any]) -> dict[str, list[Any]]:
    return {"source": ids[:2], "target": ids[1:]}


def _networkx(ids: list[Any]) -> Graph:
    graph = nx.Graph()
    graph.add_edges_from(_pairs(ids))
    return Graph.from_networkx(graph)


def _igraph(ids: list[Any]) -> Graph:
    graph = igraph.Graph(3, [(0, 1), (1, 2)])
    graph.vs["name"] = ids
    return Graph.from_igraph(graph)


CONTAINERS: dict[str, Callable[[list[Any]], Graph]] = {
    "list": lambda ids: Graph.from_edges(_pairs(ids)),
    "tuple": lambda ids: Graph.from_edges(tuple(_pairs(ids))),
    "lists": lambda ids: Graph.from_edges([list(pair) for pair in _pairs(ids)]),
    "generator": lambda ids: Graph.from_edges(pair for pair in _pairs(ids)),
    "object array": lambda ids: Graph.from_edges(_object_array(ids)),
    "nodes": lambda ids: Graph.from_edges(_pairs(ids), nodes=ids),
    "nodes in a set": lambda ids: Graph.from_edges(_pairs(ids), nodes=set(ids)),
    "nodes in a series": lambda ids: Graph.from_edges(_pairs(ids), nodes=pd.Series(ids, dtype=object)),
    "nodes in a generator": lambda ids: Graph.from_edges(_pairs(ids), nodes=(node for node in ids)),
    "dict": lambda ids: Graph.from_frame(_columns(ids)),
    "networkx": _networkx,
    "igraph": _igraph,
    "scipy": lambda ids: Graph.from_scipy(sparse.coo_array(([1, 1], ([0, 1], [1, 2])), shape=(3, 3)), nodes=ids),
    "pandas": lambda ids: Graph.from_frame(
        pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in _columns(ids).items()})
    ),
}  # fmt: skip


OWN_NO = {("None", "networkx"), ("masked", "networkx"), ("masked", "nodes in a set")}
"""What the container itself does not take."""
TABLE = [(kind, way) for kind in KINDS for way in CONTAINERS if (kind, way) not in OWN_NO]


@pytest.mark.filterwarnings("ignore:Warning. converting a masked element")  # numpy's, before the refusal
@looped.as_one
@pytest.mark.parametrize(("kind", "way"), TABLE)
def test_an_id_is_what_its_type_says_or_a_refusal(kind: str, way: str) -> None:
    ids, expected = KINDS[kind]
    if expected is None:
        with pytest.raises(EdgeDPError) as refused:
            CONTAINERS[way](ids)
        assert "\n" not in str(refused.value)
        return
    graph = CONTAINERS[way](ids)
    assert graph.node_ids.tolist() == expected
    assert graph.edges().tolist() == [[0, 1], [1, 2]]


def _sqlite(folder: Path) -> Any:
    path = folder / "rows.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE rows (source TEXT, target TEXT)")
        database.executemany("INSERT INTO rows VALUES (?, ?)", [("a", ""), ("", "c")])
        database.commit()
    return read_graph(f"sqlite:///{path}", table="rows", source="source", target="target")


def _written(name: str, content: str, **options: Any) -> Callable[[Path], Graph]:
    def read(folder: Path) -> Graph:
        (folder / name).write_text(content)
        return read_graph(folder / name, **options)

    return read


def _parquet(folder: Path) -> Graph:
    pl.DataFrame({"source": ["a", ""], "target": ["", "c"]}).write_parquet(folder / "rows.parquet")
    return read_graph(folder / "rows.parquet")


_GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    '<node id="a"/><node id=""/><edge source="a" target=""/></graph></graphml>'
)
_GEXF = (
    '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph><nodes><node id="a" label="a"/>'
    '<node id="" label=""/></nodes><edges><edge id="0" source="a" target=""/></edges></graph></gexf>'
)

EMPTY: dict[str, Callable[[Path], Any]] = {
    "csv": _written("rows.csv", "source,target\na,\n,c\n"),
    "csv, quoted": _written("rows.csv", 'source,target\na,""\nb,c\n'),
    "tabs": _written("rows.tsv", "source\ttarget\na\t\nb\tc\n"),
    "json lines": _written("rows.jsonl", '{"source": "a", "target": ""}\n{"source": "b", "target": "c"}\n'),
    "a list of nodes": lambda folder: read_graph(
        _written_at(folder, "rows.csv", "source,target\na,b\n"), nodes=["a", "b", ""]
    ),
    "a file of nodes": lambda folder: read_graph(
        _written_at(folder, "rows.csv", "source,target\na,b\n"),
        nodes=_written_at(folder, "nodes.csv", 'id\na\n""\nb\n'),
    ),
    "parquet": _parquet,
    "sqlite": _sqlite,
    "gml": _written(
        "g.gml",
        'graph [ node [ id 1 label "a" ] node [ id 2 label "" ] edge [ source 1 target 2 ] ]',
        labels=True,
    ),
    "graphml": _written("g.graphml", _GRAPHML),
    "gexf": _written("g.gexf", _GEXF),
    "pajek": _written("g.net", '*Vertices 2\n1 "a"\n2 ""\n*Edges\n1 2\n', labels=True),
    "polars": lambda folder: Graph.from_frame(pl.DataFrame({"source": ["a", ""], "target": ["", "c"]})),
    "arrow": lambda folder: Graph.from_frame(pa.table({"source": ["a", ""], "target": ["", "c"]})),
    "frame of nodes": lambda folder: Graph.from_edges([("a", "b")], nodes=pd.Series(["a", "b", ""])),
}


def _written_at(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_text(content)
    return folder / name


@looped.as_one
@pytest.mark.parametrize("way", EMPTY)
def test_an_empty_text_is_no_id_in_any_way_in(way: str, tmp_path: Path) -> None:
    """In texts, tables and frames it stands for what is missing, so that it is a node nowhere."""
    with pytest.raises(EdgeDPError) as refused:
        EMPTY[way](tmp_path)
    assert "\n" not in str(refused.value)


def test_a_stored_graph_that_has_such_a_node_goes_on(tmp_path: Path) -> None:
    """Earlier versions took it from arrays."""
    ids = np.array(["", "a", "b"])
    graph = Graph.from_positions(ids, np.array([[0, 1], [0, 2]], np.int32), nodes_supplied=True)
    with open_store(tmp_path / "store") as store:
        store.load(graph, "old", epsilon_budget=500)
        assert store.priv_top_k("old", "degree", 1, 90).nodes == [""]
        assert store.count("old", "degree", 90, node="").value == 2
        assert store.exact("old", "degree", nodes=[""]).tolist() == [2]
        assert store.graph("old").node_ids.tolist() == ids.tolist()


@pytest.mark.parametrize(
    "columns",
    [
        pd.DataFrame({"source": [5, 6], "target": [6, 7]}).to_dict(),
        {"source": {5, 6}, "target": {6, 7}},
        {"source": "ab", "target": "bc"},
    ],
    ids=["rows by number", "sets", "texts"],
)
def test_a_column_without_an_order_of_rows_is_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(EdgeDPError, match=r"a column of frame is .* must be a list"):
        Graph.from_frame(columns)


def test_masked_rows_in_a_list_are_refused() -> None:
    row = np.ma.array([1, 2], mask=[False, True])
    with pytest.raises(EdgeDPError, match="mixed types"):
        Graph.from_edges([row, row])


def test_stored_entries_that_cancel_are_no_edge() -> None:
    entries = ([1, -1, 1], ([0, 0, 1], [1, 1, 2]))
    matrix = sparse.coo_array(entries, shape=(3, 3))
    for given in (matrix, sparse.coo_matrix(entries, shape=(3, 3))):
        assert Graph.from_scipy(given).edges().tolist() == [[1, 2]]
    assert matrix.nnz == 3  # the caller's matrix stays as it was


def test_nodes_may_be_a_set_where_no_order_counts() -> None:
    assert Graph.from_edges([(1, 2)], nodes={3, 1, 2}).node_count == 3
    with pytest.raises(EdgeDPError, match="a set has no order"):
        Graph.from_edges([(1, 2)], nodes={1, 2}, properties={"age": [1, 2]})


@pytest.mark.parametrize("name", ["max_degree", "degrees", "fingerprint", "kept", "more", "indices", "ways"])
def test_a_graph_takes_no_new_value(name: str) -> None:
    graph: Any = Graph.from_edges([(1, 2), (2, 3)])
    with pytest.raises(AttributeError, match=re.escape(f"{name} cannot be set")):
        setattr(graph, name, 1)
    with pytest.raises(AttributeError, match=re.escape(f"{name} cannot be deleted")):
        delattr(graph, name)
    assert graph.max_degree == 2


def test_no_numpy_is_let_in_that_pyarrow_does_not_open_beside() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert "numpy>=2,<3" in project["dependencies"]
    assert pa.table({"a": np.arange(3)}).num_rows == 3


class Renumbered(int):
    """An integer that says that it is another one."""

    def __int__(self) -> int:
        return 7


class Held:
    """What holds an array, and is no list."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


@pytest.mark.parametrize("pairs", [[(Renumbered(1), Renumbered(2))], [[Renumbered(1), 2]]])
def test_an_integer_that_says_that_it_is_another_is_refused(pairs: Any) -> None:
    with pytest.raises(GraphFormatError, match="Renumbered"):
        Graph.from_edges(pairs)
    with pytest.raises(GraphFormatError, match="Renumbered"):
        Graph.from_edges([(1, 2)], nodes=[1, 2, Renumbered(3)])


def test_what_holds_an_array_is_that_array() -> None:
    assert Graph.from_edges(Held(np.array([[1, 2], [2, 3]]))) == Graph.from_edges([(1, 2), (2, 3)])
    assert Graph.from_edges(Held(np.array([["1", "2"]]))).node_ids.tolist() == ["1", "2"]
    with pytest.raises(GraphFormatError, match="not a list of pairs"):
        Graph.from_edges(Held(np.array([1, 2])))
