"""What no parameter takes is refused in one sentence, whatever it is: it does not compare, has no hash or no end."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgedp
from edgedp import EdgeDPError, Graph, Store

ODD: tuple[Any, ...] = (
    np.array([1, 2]), Decimal("sNaN"), object(), float("nan"), 10**400, b"1", {"a": 1}, "\ud800", "x" * 300, [[1]],
)  # fmt: skip
"""None of which any parameter takes, but for a text where any is taken."""
GIVEN: dict[str, dict[str, Any]] = {
    "load": {"graph": Graph.from_edges([(1, 2), (2, 3)])},
    "register": {"node_label": ["a", "b"], "relationship_type": "T", "id_property": "i"},
    "register_edges": {"edges": "edges.csv"},
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    Path("edges.csv").write_text("source,target,at\n1,2,2024-01-01\n2,3,2024-02-01\n")
    opened = edgedp.open_store(str(tmp_path / "store"))
    graph = edgedp.read_graph("edges.csv", date="at")
    opened.load(graph, "g", epsilon_budget=5, dates={"from": "2024-01-01", "period": "P1M"})
    return opened


def refusal(call: Callable[..., Any], **given: Any) -> str:
    """Return how a call refuses what it is given; nothing of one that may do it."""
    try:
        call(**given)
    except EdgeDPError as error:
        return str(error)
    return ""


def test_every_parameter_of_a_store_refuses_what_it_does_not_take(store: Store) -> None:
    tried = 0
    for method in dir(store):
        call = getattr(store, method)
        if method.startswith("_") or not callable(call) or method == "close":
            continue
        parameters = inspect.signature(call).parameters.values()
        named = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
        needed = {each.name: "g" for each in named if each.default is inspect.Parameter.empty}
        for parameter in (each for each in named if each.name != "progress"):  # a function, no value
            for place, value in enumerate(ODD):
                given = {**needed, **GIVEN.get(method, {}), parameter.name: value}
                first = [given.pop(each.name) for each in named if each.kind == each.POSITIONAL_ONLY]
                said = refusal(partial(call, *first), **given)
                assert "\n" not in said, (method, parameter.name, place)
                assert len(said) < 700, (method, parameter.name, place)
                tried += 1
    assert tried > 1000


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_what_stands_in_a_map_or_a_list_is_refused_alike(store: Store, odd: Any) -> None:
    graph = Graph.from_edges([(1, 2)])
    calendar = {"from": "2024-01-01", "period": "P1M"}
    dated = calendar | {"are": "final", "property": "at"}
    weight = {"property": "amount", "cap": 3}
    pairs: dict[str, Any] = {"node_label": ["a", "b"], "relationship_type": "T", "id_property": "i"}
    top = {"name": "g", "metric": "degree", "k": 1, "epsilon": 1}
    register, load = partial(store.register, "z"), partial(store.load, graph, "z")
    read = partial(edgedp.read_graph, "edges.csv")
    for said in (
        *(refusal(load, dates=calendar | {key: odd}) for key in (*calendar, "grace", "are")),
        *(refusal(register, **pairs, dates=dated | {key: odd}) for key in (*dated, "type", "unit")),
        *(refusal(call, **more, weight=weight | {key: odd})
          for call, more in ((register, pairs), (read, {}))
          for key in ("property", "cap", "step", "pair_cap", "aggregation", "signed", "more")),
        refusal(register, **pairs | {"node_label": [odd, "b"]}),
        refusal(register, **pairs | {"relationship_type": [odd, "T"]}),
        refusal(register, **pairs, candidates=odd),
        refusal(register, of="g", where={"at": {"in": [odd]}}),
        refusal(store.priv_top_k, **top, windows=[odd, odd]),
        refusal(store.priv_top_k, **top, where={"at": odd}),
        refusal(store.motkin, name="g", metrics=[odd, "degree"], k=1, epsilon=1),
        refusal(store.exact_advice, name="g", metric=[odd]),
        refusal(store.exact_advice, name="g", k=[odd]),
        refusal(read, columns=[odd]),
        refusal(Graph.from_edges, edges=[(1, odd)]),
    ):  # fmt: skip
        assert "\n" not in said
        assert len(said) < 700
