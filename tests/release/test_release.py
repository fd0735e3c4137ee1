"""Answers and releases: what is kept, what is shown."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

import edgedp
from edgedp.release import release as module
from edgedp.release.numbers.answers import Interval
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.release import Answer, Distribution, Nodes, Number, Point, Release, Summary
from edgedp.words.errors import StoreError
from looped import as_one

KINDS = get_args(Answer) or (Answer,)
PAGE = {"nodes": 4, "edges": 3, "degree_quantiles": {"0.5": 1}, "degree_ccdf": [4, 1]}
ANSWERS: list[Answer] = [
    Nodes((7, 3, -1)),
    Nodes(("a", "ß", "☃")),
    Nodes((2**63 - 1,)),
    Number(7),
    Number(2**200),
    Number(0.25, Interval(0.0, 1.5)),
    Number(7, Interval(3, 11, 1.0)),
    Distribution((3, 1, 0), 1),
    Distribution((), 1),
    Point(38.0),
    Point(-0.5),
    Summary(PAGE, {"edges": 0.5, "wedges": 0.5}),
]


def release(answer: Answer) -> Release:
    facts = PublicFacts(50, 20, nodes_supplied=True)
    planned = plan("priv_top_k", {"metric": "degree", "k": 3, "epsilon": 1}, facts)
    return Release(answer, planned, private=True, receipt={"graph": "g"})


@as_one
@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_an_answer_survives_its_ledger(answer: Answer) -> None:
    assert module.answer_from_json(json.loads(json.dumps(answer.to_json()))) == answer


def test_every_kind_of_answer_has_json_of_its_own_and_is_tried_here() -> None:
    assert {type(answer) for answer in ANSWERS} == set(KINDS)
    shapes = {(frozenset(answer.to_json()), type(answer)) for answer in ANSWERS}
    assert len({shape for shape, _ in shapes}) == len(shapes)
    for answer in ANSWERS:
        assert answer.KEY in answer.to_json()


@as_one
@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"node": [1]},
        {"nodes": [1], "value": 2.0},
        {"nodes": 7},
        {"nodes": None},
        {"nodes": "abc"},
        {"value": 2},
        {"value": 2.0, "points": 3},
        {"value": "2", "noise": "x"},
        {"value": 2, "interval": [1], "confidence": 0.95},
        {"value": 2, "interval": [1, 3], "confidence": 0.95, "rung": 1},
        {"values": [1]},
        {"summary": {}},
    ],
    ids=repr,
)
def test_what_no_kind_wrote_is_refused(kept: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="use the version that wrote it") as refused:
        module.answer_from_json(kept)
    assert "\n" not in str(refused.value)


@as_one
@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_rows_have_the_columns_that_are_announced(answer: Answer) -> None:
    assert {tuple(row) for row in answer.rows()} <= {answer.COLUMNS}
    assert bool(answer.rows()) == bool(answer.items)


def test_a_release_is_its_nodes_in_order() -> None:
    shown = release(Nodes((7, 3)))
    assert shown.nodes == list(shown) == [7, 3]
    assert len(shown) == 2
    assert shown.to_dict()["nodes"] == [7, 3]
    assert shown.to_frame().rows() == [(1, 7), (2, 3)]
    assert shown.to_frame().columns == ["rank", "id"]


def test_a_release_of_numbers_has_value_or_values_and_says_which() -> None:
    number, spread, page = (release(each) for each in (Number(7), Distribution((3, 1), 1), Summary(PAGE, {})))
    assert (number.value, list(number), len(number)) == (7, [7], 1)
    assert (spread.values.tolist(), list(spread), spread.values.dtype.kind) == ([3, 1], [3, 1], "i")
    assert page.values == dict(page) == PAGE
    assert "edges                 3" in page.to_text()
    assert [shown.to_frame().columns for shown in (number, spread, page)] == [
        list(kind.COLUMNS) for kind in (Number, Distribution, Summary)
    ]
    for shown, wrong, right in (
        (number, "nodes", "value"), (number, "values", "value"), (spread, "value", "values"), (page, "value", "values"),
        (release(Nodes((7,))), "value", "nodes"),
    ):  # fmt: skip
        with pytest.raises(AttributeError, match=f"has no {wrong}; read its {right}"):
            getattr(shown, wrong)
    with pytest.raises(AttributeError, match="only a summary is a page of text"):
        number.to_text()
    assert number.estimates is None


def test_what_a_release_shows_stands_in_the_order_of_0_1_0() -> None:
    expected = ["selector", "parameters", "nodes", "public", "private", "graph", "account"]
    assert list(release(Nodes((7,))).to_dict()) == expected
    assert json.loads(json.dumps(release(Nodes((7,))).to_dict()))["selector"] == "priv_top_k"


def test_the_list_of_nodes_is_the_callers() -> None:
    shown = release(Nodes((7, 3)))
    shown.nodes.append(9)
    assert shown.nodes == [7, 3]


def test_the_parameters_are_the_callers_and_those_of_the_plan_stay() -> None:
    asked = plan("count", {"of": "common_neighbors", "pair": [1, 2], "epsilon": 1}, PublicFacts(9))
    shown = Release(Number(3), asked, private=True)
    shown.parameters["pair"].append(9)
    shown.to_dict()["parameters"] |= {"epsilon": "0"}
    assert shown.parameters["pair"] == [1, 2]
    assert asked.parameters["epsilon"] == "1"


def test_a_graph_of_texts_releases_texts() -> None:
    graph = edgedp.Graph.from_edges([("a", "b"), ("b", "c")])
    drawn = edgedp.priv_top_k(graph, metric="degree", k=3, epsilon=1)
    assert sorted(drawn) == ["a", "b", "c"]
    assert all(type(node) is str for node in drawn)
