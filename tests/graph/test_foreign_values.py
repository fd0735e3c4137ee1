"""Values that libraries take for others: bytes that are no text, masked ones, zones, floats of few bits, old dates."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather

from edgedp import EdgeDPError, Graph, read_graph
from edgedp.graph.dated import UNDATED
from edgedp.graph.reading.dates import dates_of

ENDS = {"source": pa.array([1, 2]), "target": pa.array([2, 3])}
NO_TEXT = pa.Array.from_buffers(
    pa.string(),
    2,
    [None, pa.py_buffer(np.array([0, 1, 2], dtype=np.int32).tobytes()), pa.py_buffer(b"a\xff")],
)


def read(table: dict[str, Any], folder: Path, **options: Any) -> Graph:
    held, whole = io.BytesIO(), pa.table(table)
    with pa.ipc.new_file(held, whole.schema) as file:
        file.write_table(whole)
    (folder / "edges.arrow").write_bytes(held.getvalue())
    return read_graph(folder / "edges.arrow", **options)


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (NO_TEXT, "holds a text that is not UTF-8"),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1]), NO_TEXT), "holds a text that is not UTF-8"),
        (pa.array([2**62, 0], pa.timestamp("s")), "a time too far away"),
        (pa.array([Decimal(10) ** 50, Decimal(1)], pa.decimal256(60, 0)), "of more than 38 digits"),
        (pa.RunEndEncodedArray.from_arrays([1, 2], [1, 2]), "which is not read"),
    ],
)
def test_a_column_that_polars_would_take_for_another_is_refused(
    column: Any, said: str, tmp_path: Path
) -> None:
    with pytest.raises(EdgeDPError, match=said):
        read(ENDS | {"kept": column}, tmp_path, columns=["kept"])


@pytest.mark.parametrize(
    "ids",
    [
        NO_TEXT,
        pa.array(np.array([2**24 + 2, 2**24], dtype=np.float32)),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([5, None])),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([5.0, None])),
    ],
)
def test_ids_that_are_not_what_they_were_are_refused(ids: Any, tmp_path: Path) -> None:
    with pytest.raises(EdgeDPError, match=r"UTF-8|must be all integers|missing values"):
        read({"source": ids, "target": pa.array([2, 3])}, tmp_path)


@pytest.mark.parametrize(
    "values",
    [NO_TEXT, pa.array([2**62, 0], pa.timestamp("s")), pa.array([0, 0], pa.timestamp("s", "GMT+02:00"))],
)
def test_a_property_that_python_cannot_say_is_refused(values: Any, tmp_path: Path) -> None:
    feather.write_feather(pa.table({"id": [1, 2], "age": values}), str(tmp_path / "nodes.arrow"))
    (tmp_path / "edges.csv").write_text("1,2\n")
    with pytest.raises(EdgeDPError, match="text without UTF-8, a time too far away"):
        read_graph(tmp_path / "edges.csv", nodes=tmp_path / "nodes.arrow", properties=["age"])


@pytest.mark.parametrize(
    "dates",
    [
        pa.array([1_709_164_800] * 2, pa.timestamp("s", "+05:45")),
        pa.array(["2024-02-29"] * 2).dictionary_encode(),
        pa.array([datetime(2024, 2, 29)] * 2).dictionary_encode(),
    ],
)
def test_moments_of_any_zone_and_in_dictionaries_are_read(dates: Any, tmp_path: Path) -> None:
    dated = read(ENDS | {"at": dates}, tmp_path, date="at").kept["dated"]
    assert dated.seconds.tolist() == [1_709_164_800] * 2


def test_a_date_that_begins_with_its_day_is_no_time_of_a_zone() -> None:
    with pytest.raises(EdgeDPError, match="'01-02-2024', must hold dates such as"):
        dates_of(pl.Series(["01-02-2024", "03-04-2024"]), None, "at", "calls.csv")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b'{"source":"\\ud800","target":"c"}', "must hold only whole characters"),
        (b'{"source":"\xff","target":"c"}', "line 1102 of"),
        (b'{"source":"a","target":"c","w":1e400}', "numbers below 10"),
    ],
)
def test_a_line_of_json_that_only_arrow_refuses_is_named(row: bytes, said: str, tmp_path: Path) -> None:
    rows = [json.dumps({"source": "a", "target": "b"}).encode()] * 1101
    (tmp_path / "edges.jsonl").write_bytes(b"\n".join([*rows, row, b""]))
    with pytest.raises(EdgeDPError, match=said):
        read_graph(tmp_path / "edges.jsonl")


def test_an_integer_of_json_beyond_the_floats_is_infinite(tmp_path: Path) -> None:
    rows = "".join(f'{{"source":1,"target":2,"w":{w}}}\n' for w in ("1" + "0" * 400, "1" + "0" * 308))
    (tmp_path / "edges.jsonl").write_text(rows)
    [column] = read_graph(tmp_path / "edges.jsonl", columns=["w"]).kept["columns"].columns.values()
    assert column.parts["FLOAT"].to_list() == [float("inf"), 1e308]


def test_masked_dates_and_weights_are_missing() -> None:
    masked = np.ma.array([5, 7], mask=[False, True])
    graph = Graph.from_edges([(1, 2), (2, 3)], dates=masked, weights=masked, weight={"cap": 9})
    assert graph.kept["dated"].seconds.tolist() == [5, UNDATED]
    assert graph.weights is not None
    assert graph.weights.tolist() == [5, 5, 0, 0]


@pytest.mark.parametrize("below", [np.inf, 9.96e36])
def test_what_lies_below_a_mask_is_no_date(below: float) -> None:
    masked = np.ma.array([5.0, below], mask=[False, True])
    assert Graph.from_edges([(1, 2), (2, 3)], dates=masked).kept["dated"].seconds.tolist() == [5, UNDATED]


@pytest.mark.parametrize("unit", ["Y", "W", "D", "h", "s"])
def test_a_time_too_far_away_is_refused_and_not_wrapped_round(unit: str) -> None:
    far, near = (np.array([number, 1], dtype=f"M8[{unit}]") for number in (2**62 + 2**61, 5))
    for asked in ("dates", "columns"):
        with pytest.raises(EdgeDPError, match=r"datetime64|too far away"):
            Graph.from_edges([(1, 2), (2, 3)], **{asked: far if asked == "dates" else {"at": far}})
    graph = Graph.from_edges([(1, 2), (2, 3)], dates=near, columns={"at": near})
    moments = graph.kept["columns"].columns["at"].parts["MOMENT"]
    assert (moments // 1_000_000).to_list() == graph.kept["dated"].seconds.tolist()


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (NO_TEXT, "not UTF-8"),
        (pa.array([2**62, 0], pa.timestamp("s")), "a time too far away"),
        (pa.DictionaryArray.from_arrays([0, 1], pa.array([{"a": 1}, {"a": 2}])), "which is not read"),
        ([1, True], "values of one type"),
        ("ab", "values of one type"),
        ([1.5, np.True_], "values of one type"),
        ([Decimal("1.5"), Decimal(10) ** 39], "values of one type"),
    ],
)
def test_a_column_beside_pairs_is_kept_as_it_is_or_refused(column: Any, said: str) -> None:
    with pytest.raises(EdgeDPError, match=said):
        Graph.from_edges([(1, 2), (2, 3)], columns={"at": column})


def test_a_zone_that_polars_does_not_know_is_kept_beside_pairs() -> None:
    column = pa.array([0, 1], pa.timestamp("s", "+05:45"))
    kept = Graph.from_edges([(1, 2), (2, 3)], columns={"at": column}).kept["columns"]
    assert kept.columns["at"].parts["MOMENT"].to_list() == [0, 1_000_000]


def test_a_zone_that_python_does_not_know_in_a_column_that_is_not_read_is_nothing(tmp_path: Path) -> None:
    zoned = pa.array([0, 0], pa.timestamp("s", "GMT+02:00"))
    assert read(ENDS | {"at": zoned}, tmp_path, source="source", target="target").node_count == 3


@pytest.mark.parametrize("truth", [bool, np.bool_])
def test_a_truth_value_among_weights_or_dates_is_no_number(truth: Callable[[int], Any]) -> None:
    with pytest.raises(EdgeDPError, match="must hold numbers"):
        Graph.from_edges([(1, 2), (2, 3)], weights=[truth(1), 2], weight={"cap": 9})
    with pytest.raises(EdgeDPError, match="must hold numbers"):
        Graph.from_edges([(1, 2), (2, 3)], dates=[truth(1), 2])


@pytest.mark.parametrize("kind", ["M8[ns]", "m8[ns]", "?"])
def test_a_masked_array_of_times_or_truth_values_weighs_nothing(kind: str) -> None:
    masked = np.ma.array(np.array([1, 1]).astype(kind), mask=[True, False])
    with pytest.raises(EdgeDPError, match=r"weights is a numpy MaskedArray of .*, must hold numbers"):
        Graph.from_edges([(1, 2), (2, 3)], weights=masked, weight={"cap": 9})


def test_weights_of_several_lengths_are_refused() -> None:
    with pytest.raises(EdgeDPError, match="one number for each of 2 edges"):
        Graph.from_edges([(1, 2), (2, 3)], weights=[[1], 2], weight={"cap": 9})


def test_a_frame_of_two_columns_has_two_whatever_rows_were_left_out() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [2, 3, 1]})
    assert Graph.from_frame(frame[frame["a"] > 1]).node_ids.tolist() == [1, 2, 3]


PAJEK = "*Vertices 4\n*Edges\n"


@pytest.mark.parametrize("gap", ["\n", "% so\n", "  \n\t% so\n\n"])
def test_rows_of_pajek_behind_a_gap_are_read(gap: str, tmp_path: Path) -> None:
    (tmp_path / "rows.net").write_text(f"{PAJEK}1 2\n{gap}3 4\n*Arcslist\n{gap}1 3 4\n")
    graph = read_graph(tmp_path / "rows.net")
    assert graph.edges().tolist() == [[0, 1], [0, 2], [0, 3], [2, 3]]


@pytest.mark.parametrize("row", ["1,2", "1: 2", "1 -2", "-1 2", "*Edgeslist\n-1 2 3"])
def test_rows_of_pajek_that_igraph_passes_over_or_takes_for_others_are_refused(
    row: str, tmp_path: Path
) -> None:
    (tmp_path / "rows.net").write_text(f"{PAJEK}3 4\n{row}\n")
    with pytest.raises(EdgeDPError, match="must begin with the numbers of its ends"):
        read_graph(tmp_path / "rows.net")


def test_a_node_of_pajek_without_neighbours_may_stand_in_a_list(tmp_path: Path) -> None:
    (tmp_path / "rows.net").write_text("*Vertices 4\n*Arcslist\n1 2 3\n4\n2 3\n")
    assert read_graph(tmp_path / "rows.net").edges().tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize("word", ["EDGE", "Edge", "EDGE" + " " * 12, "EDGE\n# so [\n"])
def test_edges_of_gml_that_igraph_passes_over_are_refused(word: str, tmp_path: Path) -> None:
    ends = "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ]"
    (tmp_path / "g.gml").write_text(f"{ends} {word} [ source 2 target 1 ] ]\n")
    with pytest.raises(EdgeDPError, match="with large letters"):
        read_graph(tmp_path / "g.gml")


def test_an_entry_of_a_matrix_that_is_no_number_is_no_edge(tmp_path: Path) -> None:
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 nan\n")
    with pytest.raises(EdgeDPError, match="an entry that is not a number"):
        read_graph(tmp_path / "m.mtx")
