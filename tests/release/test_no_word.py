"""What is no word, no number and no list: each public keyword takes it or refuses it in one line, and pays nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import edgedp
from edgedp import Graph, Store, exact, open_store, quality
from edgedp.words.errors import EdgeDPError

GRAPH = Graph.from_edges([(1, 2), (2, 3), (1, 3), (3, 4)])
ODD: dict[str, Any] = {
    "texts": np.array(["degree", "density"]),
    "frame": pd.DataFrame({"a": [1, 2]}),
    "bytes": b"degree",
    "mapping": {1: [1]},
}
"""An array compares to an array, a frame writes itself in lines, JSON has no bytes, and a mapping has no hash."""

GIVEN: dict[str, Any] = {
    "account": "edges", "analyst": "ann", "degree_bound": 5, "edges": [(1, 2)], "epsilon": "0.001", "exact": [1, 2, 3],
    "epsilon_budget": 9, "frame": pd.DataFrame({"a": [1], "b": [2]}), "graph": GRAPH, "grid": [0, 5, 10], "high": 9,
    "k": 1, "kind": "topk", "like": GRAPH, "low": 0, "matrix": scipy.sparse.csr_array(np.ones((2, 2)) - np.eye(2)),
    "metric": "degree", "name": "kite", "nodes": [1], "of": "edges", "property": "age", "q": "0.5", "reason": "more",
    "returned": [0], "scores": [1, 2, 3], "secret": "00", "sensitivity": [1, 2, 3], "source": GRAPH, "t": 0,
    "utilities": [1, 2, 3], "value": [1, 2, 3], "values": [1, 2, 3], "token": "laptop",
}  # fmt: skip
"""What a parameter is given that must be given, by its name."""
MEMORY: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "priv_top_k": (edgedp.priv_top_k, {"degree_bound": 5}),
    "motkin": (edgedp.motkin, {"k": 1, "epsilon": 1}),
    "motkin of weights": (edgedp.motkin, {"k": 1, "epsilon": 1, "approach": "aggregate"}),
    "count": (edgedp.count, {}),
    "count of a pair": (edgedp.count, {"of": "common_neighbors", "pair": (1, 2), "degree_bound": 5}),
    "count of a node": (edgedp.count, {"of": "degree", "node": 1}),
    "distribution": (edgedp.distribution, {"degree_bound": 5}),
    "summary": (edgedp.summary, {"degree_bound": 5}),
    "percentile": (edgedp.percentile, {}),
    "select": (edgedp.select, {}),
    "select_top_k": (edgedp.select_top_k, {}),
    "advise": (edgedp.advise, {"k": 1, "runs": 1, "mechanism": "em", "target": 0.1}),
    "experiment": (
        edgedp.experiment,
        {"metric": "degree", "k": 1, "epsilon": 1, "mechanism": "em", "runs": 1},
    ),
    "from_edges": (Graph.from_edges, {}),
    "from_frame": (Graph.from_frame, {}),
    "from_scipy": (Graph.from_scipy, {}),
    "positions": (GRAPH.positions, {}),
    "with_properties": (GRAPH.with_properties, {"properties": {}}),
    "keyed_fingerprint": (GRAPH.keyed_fingerprint, {}),
    "open_store": (open_store, {"uri": "nowhere"}),
    "open_store of a server": (open_store, {"uri": "neo4j://localhost:1"}),
    "open_store of a gateway": (open_store, {"uri": "http://localhost:1", "token": "t"}),
    "recall": (quality.recall, {}),
    "c_metric": (quality.c_metric, {"utilities": [[1, 2], [2, 1], [0, 0]]}),
    "relative_error": (quality.relative_error, {}),
    "exact.count": (exact.count, {}),
    "exact.values": (exact.values, {}),
    "exact.sensitivity": (exact.sensitivity, {}),
    "first_pick_probabilities": (exact.first_pick_probabilities, {}),
}
"""Every public function of a graph in memory and of addresses, and what it is given beside `GIVEN`."""
STORED: dict[str, dict[str, Any]] = {
    "motkin": {"k": 1},
    "grant": {"graph": "kite"},
    "grants": {"graph": "kite"},
    "share": {"graph": "kite"},
    "revoke_share": {"graph": "kite"},
    "answer_more": {"id": "none", "grant": False, "answer": "no"},
    "load": {"name": "other"},
    "drop": {"name": "none"},
    "register": {"name": "part", "of": "kite"},
    "register_edges": {"name": "there", "edges": "none.parquet"},
    "add_identity": {"name": "ann", "issuer": "https://id.example.org", "subject": "1"},
    "remove_identity": {"issuer": "https://id.example.org", "subject": "1"},
    "signed_in": {"issuer": "https://id.example.org", "subject": "1"},
    "asking_as": {"analyst": "ann"},
    "curating_as": {"curator": "ann"},
    "plan_batch": {"releases": [{"graph": "kite", "kind": "topk", "metric": "degree", "k": 1, "epsilon": 1}]},
    "exact_simulate": {"rng": np.random.default_rng(1), "metric": "degree", "k": 1, "epsilon": 1},
    "exact_limit": {"epsilon": [1]},
    "backup": {"destination": "copy"},
}
"""What a method of a store is given beside `GIVEN`."""
IN_WORDS = ("kind", "engine", "request_id", "metric", "k", "epsilon", "mechanism", "windows", "where")
"""Options of a release that `estimate` takes by their names."""


class Word(StrEnum):
    DEGREE = "degree"


def keywords(function: Callable[..., Any]) -> dict[str, bool]:
    """Return the parameters that may be given by name, and whether each must be; what shows progress is no value."""
    listed = inspect.signature(function).parameters.values()
    named = [each for each in listed if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
    return {each.name: each.default is each.empty for each in named if each.name not in ("progress", "self")}


def refused(function: Callable[..., Any], given: Mapping[str, Any]) -> str | None:
    """Return the sentence that refuses, None where it is taken; every other error is one of the test's."""
    try:
        made = function(**given)
    except EdgeDPError as error:
        return str(error)
    if isinstance(made, Store):
        made.close()
    return None


def trouble(label: str, function: Callable[..., Any], beside: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the errors of a function, for every keyword and every odd value."""
    found = []
    named = keywords(function)
    usual = {name: GIVEN[name] for name, needed in named.items() if needed and name in GIVEN} | dict(beside)
    for name in dict.fromkeys([*named, *(IN_WORDS if label.endswith("estimate") else ())]):
        for kind, value in ODD.items():
            try:
                said = refused(function, usual | {name: value})
            except Exception as error:
                found.append(f"{label}({name}={kind}): {type(error).__name__}: {error}")
                continue
            if said is not None and "\n" in said:
                found.append(f"{label}({name}={kind}) is refused in several lines: {said}")
    return found


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    made = open_store(tmp_path / "store")
    made.load(
        GRAPH.with_properties({"age": np.arange(4)}), "kite", epsilon_budget=99, attribute_epsilon_budget=99
    )
    made.attribute("kite", "age", 0, 9, points=10)
    made.add_analyst("ann")
    return made


def test_every_keyword_in_memory_takes_a_value_or_refuses_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = [each for label, (function, beside) in MEMORY.items() for each in trouble(label, function, beside)]
    Path("edges.csv").write_text("a,b\n1,2\n2,3\n", encoding="utf-8")
    for reading in (edgedp.read_graph, edgedp.preview):
        for name in keywords(edgedp.read_graph):
            told += trouble_of_reading(reading, name)
    assert not told, "\n".join(told)


def trouble_of_reading(reading: Callable[..., Any], name: str) -> list[str]:
    """Return what is wrong with the errors of reading a file with an odd option; `preview` refuses some by name."""
    found = []
    for kind, value in ODD.items():
        try:
            refused(lambda **given: reading(given.pop("file", "edges.csv"), **given), {name: value})
        except Exception as error:
            if "there is no option" not in str(error):
                found.append(f"{reading.__name__}({name}={kind}): {type(error).__name__}: {error}")
    return found


@pytest.mark.filterwarnings("ignore")
def test_every_keyword_of_a_store_takes_a_value_or_refuses_it_in_one_line(store: Store) -> None:
    methods = [name for name, _ in inspect.getmembers(store, callable) if not name.startswith("_")]
    told = []
    for name in methods:
        usual = (
            {"metric": "degree", "k": 1, "epsilon": "0.001"} if name == "estimate" else STORED.get(name, {})
        )
        told += trouble(f"store.{name}", getattr(store, name), usual)
    assert not told, "\n".join(told)


def test_what_is_refused_was_not_paid(store: Store) -> None:
    for name in ("priv_top_k", "motkin", "count", "distribution", "summary", "percentile"):
        function = getattr(store, name)
        named = keywords(function)
        usual = {each: GIVEN[each] for each, needed in named.items() if needed} | STORED.get(name, {})
        for each in named:
            before = [
                store.budget("kite"),
                store.budget("kite", "attributes") if False else store.log("kite"),
            ]
            if refused(function, {**usual, each: ODD["texts"]}) is not None:
                assert [store.budget("kite"), store.log("kite")] == before, f"{name} paid for {each}"


def test_a_word_of_an_enum_is_that_word(store: Store) -> None:
    """A text of a type of its own is kept as a plain one: in names, in the log and in what is asked."""
    assert store.priv_top_k("kite", Word.DEGREE, 1, "0.1", request_id=Word.DEGREE).epsilon_spent == 0.1
    assert store.priv_top_k("kite", "degree", 1, "0.1", request_id="degree").kept
    store.load(Graph.from_edges([(1, 2)]), Word.DEGREE, epsilon_budget=1)
    assert store.budget("degree")["epsilon_budget"] == 1
    assert exact.sensitivity(GRAPH, Word.DEGREE, t=0).shape == (4,)


def test_an_option_of_an_exact_reading_that_it_does_not_have_is_refused_and_not_logged(store: Store) -> None:
    before = store.log("kite")
    for given in ({"form": "degree"}, {"t": np.array([1, 2])}, {"t": 1, "form": np.array(["a"])}):
        with pytest.raises(EdgeDPError):
            store.exact_rows("kite", "ebc", **given)  # type: ignore[arg-type]
    assert store.log("kite") == before


def test_what_merely_counts_as_true_replaces_no_graph(store: Store) -> None:
    for value in ("no", 1, np.array([1]), [0]):
        with pytest.raises(EdgeDPError, match=r"replace is .*, must be true or false"):
            store.load(GRAPH, "kite", replace=value)  # type: ignore[arg-type]
    assert [row["event"] for row in store.log("kite")].count("replace") == 0
