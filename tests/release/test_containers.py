"""Values in the containers of every library: each is read as it was given, or the container is refused by its type."""

from __future__ import annotations

import datetime
import sys
from array import array
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgedp
from edgedp import Graph
from edgedp.graph.ids import numbers_of
from edgedp.mechanisms.checks import check_weights
from edgedp.mechanisms.scores.picks import finite
from edgedp.mechanisms.selection.domains import codes, declare, declared_grid
from edgedp.words.errors import EdgeDPError, ParameterError
from looped import as_one

AGES = [20, 61, 45]
DAY = datetime.date(2024, 6, 1)

TAKEN: dict[str, Any] = {
    "list": AGES,
    "tuple": tuple(AGES),
    "range": range(20, 62, 41),
    "deque": deque(AGES),
    "array": array("d", AGES),
    "memoryview": memoryview(array("q", AGES)),
    "numpy int": np.array(AGES),
    "numpy uint8": np.array(AGES, dtype=np.uint8),
    "numpy float32": np.array(AGES, dtype=np.float32),
    "numpy object": np.array(AGES, dtype=object),
    "numpy big-endian": np.array(AGES, dtype=">i4"),
    "pandas": pd.Series(AGES),
    "pandas index": pd.Index(AGES),
    "pandas object": pd.Series(AGES, dtype=object),
    "pandas nullable": pd.Series(AGES, dtype="Int64"),
    "pandas arrow": pd.Series(AGES, dtype="int64[pyarrow]"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray(AGES)),
    "polars": pl.Series(AGES),
    "polars object": pl.Series(AGES, dtype=pl.Object),
    "polars decimal": pl.Series(AGES).cast(pl.Decimal(9, 2)),
    "arrow": pa.array(AGES),
    "arrow chunks": pa.chunked_array([AGES[:1], AGES[1:]]),
    "arrow decimal": pa.array([Decimal(each) for each in AGES]),
}
GAPS: dict[str, Any] = {
    "list": [20, None, 45],
    "numpy object": np.array([20, None, 45]),
    "numpy masked": np.ma.array(AGES, mask=[False, True, False]),
    "numpy masked objects": np.ma.array(AGES, mask=[False, True, False], dtype=object),
    "pandas": pd.Series([20, None, 45]),
    "pandas nullable": pd.Series([20, None, 45], dtype="Int64"),
    "pandas nullable float": pd.Series([20, None, 45], dtype="Float64"),
    "pandas arrow": pd.Series([20, None, 45], dtype="int64[pyarrow]"),
    "pandas mixed": pd.Series([20, "n/a", 45]),
    "polars": pl.Series([20, None, 45]),
    "polars object": pl.Series([20, "n/a", 45], dtype=pl.Object),
    "arrow": pa.array([20, None, 45]),
    "arrow chunks": pa.chunked_array([[20], [None, 45]]),
}
"""The second value is none; the others are read all the same."""
REFUSED: dict[str, Any] = {
    "numpy texts": np.array([20] * 199 + ["n/a"]),
    "numpy bytes": np.array([b"20", b"61"]),
    "numpy strings": np.array(["20", "61"], dtype=np.dtypes.StringDType()),
    "numpy truth values": np.array([True, False]),
    "numpy dates": np.array(["2024-06-01", "NaT"], dtype="M8[D]"),
    "numpy durations": np.array([20, 61], dtype="m8[s]"),
    "numpy complex": np.array([20, 3 + 4j]),
    "numpy records": np.array([(20, 1.5), (61, 2.5)], dtype=[("age", "i4"), ("wage", "f4")]),
    "numpy raw": np.array([b"ab", b"cd"], dtype="V2"),
    "numpy masked texts": np.ma.array(["20", "61"], mask=[False, True]),
    "array of characters": array("w" if sys.version_info >= (3, 13) else "u", "ab"),
    "memoryview of truth values": memoryview(np.array([True, False])),
    "pandas string": pd.Series(["20", "n/a"], dtype="string"),
    "pandas arrow string": pd.Series(["20", "n/a"], dtype=pd.ArrowDtype(pa.string())),
    "pandas category": pd.Series([20, "n/a"], dtype="category"),
    "pandas category of numbers": pd.Categorical(AGES),
    "pandas truth values": pd.Series([True, False]),
    "pandas nullable truth values": pd.Series([True, None], dtype="boolean"),
    "pandas dates": pd.to_datetime(pd.Series(["2024-06-01"] * 2)),
    "pandas dates of a zone": pd.to_datetime(pd.Series(["2024-06-01"] * 2)).dt.tz_localize("UTC"),
    "pandas periods": pd.period_range("2024", "2025", freq="Y"),
    "pandas intervals": pd.interval_range(0, 3),
    "polars texts": pl.Series([20, "n/a"], strict=False),
    "polars category": pl.Series(["a", "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])),
    "polars truth values": pl.Series([True, None]),
    "polars dates": pl.Series([DAY, None]),
    "polars lists": pl.Series([[20], [61]]),
    "polars nothing": pl.Series([None, None]),
    "polars binary": pl.Series([b"20", b"61"]),
    "arrow texts": pa.array(["20", "n/a"]),
    "arrow dictionary": pa.array(["20", "n/a"]).dictionary_encode(),
    "arrow dictionary of numbers": pa.array(AGES).dictionary_encode(),
    "arrow truth values": pa.array([True, None]),
    "arrow dates": pa.array([DAY, None]),
    "arrow binary": pa.array([b"20", b"61"]),
    "arrow lists": pa.array([[20], [61]]),
    "arrow chunks of texts": pa.chunked_array([["20"], ["n/a"]]),
}
TEXTS = [
    "numpy texts",
    "numpy strings",
    "array of characters",
    "pandas string",
    "pandas arrow string",
]
TEXTS += ["polars texts", "arrow texts", "arrow chunks of texts"]
NO_LISTS: dict[str, Any] = {
    "text": "20",
    "bytes": b"20",
    "bytearray": bytearray(b"20"),
    "mapping": {20: 1, 61: 2},
    "view": MappingProxyType({20: 1, 61: 2}),
    "set": {20, 61},
    "keys": {20: 1, 61: 2}.keys(),
    "number": 20,
    "nothing": None,
}
"""Of a set or a mapping equal values are one: the number of records would follow from the values."""


def two(values: Any) -> int:
    return len(values)


def properties(values: Any) -> Any:
    nodes = list(range(two(values)))
    return Graph.from_edges([(0, 1)], nodes=nodes, properties={"age": values}).properties["age"]


def other_properties(values: Any) -> Any:
    graph = Graph.from_edges([], nodes=list(range(two(values))))
    return graph.with_properties({"age": values}).properties["age"]


WAYS: dict[str, Callable[[Any], Any]] = {
    "percentile": lambda values: edgedp.percentile(values, q=0.5, grid=[1, 2], epsilon=1),
    "numbers": numbers_of,
    "property": properties,
    "another property": other_properties,
    "grid": declared_grid,
    "grid of a domain": lambda values: declare(0, 100, values),
    "utilities": lambda values: edgedp.select(values, epsilon=1, global_sensitivity=1),
    "sensitivity": lambda values: edgedp.select(
        [1.0] * 2, epsilon=1, mechanism="ld", sensitivity=values, global_sensitivity=9
    ),
    "weights": lambda values: check_weights(values, two(values)),
    "categories": lambda values: codes(values, [1, 2]),
}


@as_one
@pytest.mark.parametrize("container", REFUSED)
def test_a_container_of_another_type_is_refused_wherever_values_enter(container: str) -> None:
    for way, enter in WAYS.items():
        with pytest.raises(EdgeDPError, match="give a list") as refused:
            enter(REFUSED[container])
        assert "\n" not in str(refused.value), way


@as_one
@pytest.mark.parametrize("container", REFUSED)
def test_ids_and_labels_are_integers_or_texts_and_nothing_else(container: str) -> None:
    given = REFUSED[container]
    graph = Graph.from_edges([(20, 61)])
    ways: list[Callable[[], Any]] = [
        lambda: Graph.from_edges([], nodes=given),
        lambda: graph.positions(given),
        lambda: edgedp.exact.degree(graph, nodes=given),
        lambda: edgedp.select([1.0] * two(given), epsilon=1, global_sensitivity=1, candidates=given),
    ]
    if container in TEXTS:
        assert Graph.from_edges([], nodes=given).node_ids.dtype.kind == "U"
        assert isinstance(ways[3]().value, str)
        return
    says = "all integers or all texts" if container == "numpy masked texts" else "give a list"
    for enter in ways if container != "numpy masked texts" else ways[:3]:
        with pytest.raises(EdgeDPError, match=says):
            enter()


def test_what_is_masked_is_no_id() -> None:
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(EdgeDPError, match="all integers or all texts"):
        Graph.from_edges([], nodes=masked)
    with pytest.raises(EdgeDPError, match="all integers or all texts"):
        Graph.from_edges(np.ma.array([[1, 2]], mask=[[False, True]]))


@as_one
@pytest.mark.parametrize("container", TAKEN)
def test_numbers_in_any_container_are_the_same_numbers(container: str) -> None:
    given = TAKEN[container]
    expected = [20.0, 61.0] if container == "range" else [20.0, 61.0, 45.0]
    assert numbers_of(given).tolist() == expected
    assert numbers_of(properties(given)).tolist() == expected
    assert numbers_of(other_properties(given)).tolist() == expected
    assert finite(given, "utilities", 1).tolist() == expected
    assert list(check_weights(given, len(expected))) == expected
    assert codes(given, [61, 20]).tolist()[:2] == [1, 0]
    assert declared_grid(TAKEN[container][:2] if container != "deque" else [20, 61]).grid.tolist() == [20, 61]


@as_one
@pytest.mark.parametrize("container", GAPS)
def test_one_value_that_is_none_leaves_the_others_what_they_are(container: str) -> None:
    given = GAPS[container]
    for read in (numbers_of(given), numbers_of(properties(given)), numbers_of(other_properties(given))):
        assert read[[0, 2]].tolist() == [20, 45]
        assert np.isnan(read[1])
    with pytest.raises(ParameterError, match="utilities is not an array"):
        finite(given, "utilities", 1)
    with pytest.raises(ParameterError, match="weights is"):
        check_weights(given, 3)
    with pytest.raises(ParameterError, match="grid is not a list"):
        declared_grid(given)


@as_one
@pytest.mark.parametrize("kind", NO_LISTS)
def test_what_is_no_list_is_refused(kind: str) -> None:
    for way, enter in WAYS.items():
        if way != "grid of a domain" or kind != "text":
            with pytest.raises((EdgeDPError, TypeError), match=r"list|object of type|is not|length 2"):
                enter(NO_LISTS[kind])


@given(
    records=st.lists(st.one_of(st.none(), st.integers(-5, 90), st.floats(0, 90)), min_size=1, max_size=8),
    place=st.integers(0, 7),
    odd=st.sampled_from(["n/a", True, None, b"5", DAY, 3 + 4j, [1], Decimal("7"), Fraction(1, 3), 2**70]),
)
def test_one_odd_record_never_changes_how_another_is_read(records: list[Any], place: int, odd: Any) -> None:
    """Whatever library made the container of either: it is refused, or all other records are read the same."""
    place %= len(records)
    neighbor = [*records[:place], odd, *records[place + 1 :]]
    expected = np.delete(numbers_of(records), place)
    makers: list[Callable[[list[Any]], Any]] = [
        list,
        lambda values: np.array(values, dtype=object),
        np.array,
        pd.Series,
        lambda values: pl.Series(values, strict=False),
        lambda values: pa.array(values),
    ]
    for make in makers:
        try:
            read = numbers_of(make(neighbor))
        except (EdgeDPError, pa.ArrowException, TypeError, ValueError, OverflowError):
            continue  # refused, by us or by the library itself
        if make is np.array and {type(value) for value in neighbor} & {bool}:
            continue  # numpy has made numbers of truth values before we see them
        assert np.array_equal(np.delete(read, place), expected, equal_nan=True), make


def test_a_property_that_would_be_missing_everywhere_never_reaches_a_store(tmp_path: Path) -> None:
    store = edgedp.open_store(tmp_path / "graphs.edgedp")
    graph = Graph.from_edges([(0, 1)], nodes=list(range(200)))
    with pytest.raises(ParameterError, match=r"the property 'age' is an array of <U21.*give a list"):
        store.load(graph.with_properties({"age": np.array([20] * 199 + ["n/a"])}), "people")
    store.load(
        graph.with_properties({"age": np.array([20] * 199 + ["n/a"], dtype=object)}),
        "people",
        epsilon_budget=9,
        attribute_epsilon_budget=99,
    )
    store.attribute("people", property="age", low=0, high=100, points=101)
    assert store.percentile("people", property="age", q=0.5, epsilon=50).value == 20
