"""Each rule of reading has a case that needs it: without the rule the case loads, or another sentence refuses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import looped
from edgedp.graph.loading import read_graph
from edgedp.graph.reading import checked_options, options
from edgedp.graph.reading.text import deciding, judging
from edgedp.words.errors import EdgeDPError

TABLES: dict[str, tuple[Any, str, list[tuple[Any, str]]]] = {
    "what a text leaves open": (
        deciding, "_OPEN",
        [
            ("ada,bob\nbob,cyd\ncyd,ada\n", "its words stand further down too"),
            ("von,nach\nada,bob\nbob,cyd\n", r"names the columns or is an edge; its columns"),
            ("von,nach\n1,2\n2,3\n", "is neither two columns of integers nor of names"),
        ],
    ),
    "texts that are no ids": (
        judging, "_REFUSED",
        [
            ("source,target\nada,bob\nbob,null\n", "must hold no missing values"),
            ("source,target\n4.91512E+11,4.91513E+11\n491512000001,491513000002\n", "has lost digits"),
            ("source,target\n1,2\n3,4 # why\n", "must have comments on lines of their own"),
        ],
    ),
    "what is hardly an id": (
        judging, "_ASKED",
        [
            ("1,2\n2,-1\n3,1\n", "holds -1 as an id in column 2, which may stand for nobody"),
            ("n,from,to\n7,1,5\n8,2,6\n9,5,6\n", "never above those under 'to'"),
            ("source,target\nada,bob\nbob,5\ncyd,ada\n", "holds '5' as an id beside texts"),
            ("source,target\nid,id\nada,bob\nbob,ada\n", "at both ends of only its first row"),
            ("sender,recipient\nada,bob;cyd\nbob,cyd\ncyd,bob\n", "which lists several ids"),
        ],
    ),
    "options against each other": (
        options, "_AGAINST",
        [
            ({"source": 1}, "source is given without target"),
            ({"target": 1}, "target is given without source"),
            ({"source": 2, "target": 2}, "must be another column than source"),
            ({"source": "a", "target": "b", "header": False}, "must be numbers where no line names the columns"),
            ({"date_unit": "s"}, "date_unit is given without date"),
            ({"bipartite": True, "one_kind": True}, "contradict each other"),
        ],
    ),
}  # fmt: skip
CASES = [(table, at) for table, (_, _, cases) in TABLES.items() for at in range(len(cases))]


def asked(case: Any, folder: Path) -> Callable[[], object]:
    """Return what reads the text of a case, or takes its options."""
    if isinstance(case, dict):
        return lambda: checked_options(**case)
    path = folder / "edges.csv"
    path.write_text(case)
    return lambda: read_graph(path)


def test_every_rule_of_every_table_has_a_case() -> None:
    for module, name, cases in TABLES.values():
        assert len(getattr(module, name)) == len(cases), name


@looped.as_one
@pytest.mark.parametrize(("table", "at"), CASES)
def test_a_rule_is_needed_by_its_case(
    table: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, name, cases = TABLES[table]
    case, says = cases[at]
    read = asked(case, tmp_path)
    with pytest.raises(EdgeDPError, match=says):
        read()
    rules = getattr(module, name)
    with monkeypatch.context() as patch:
        patch.setattr(module, name, (*rules[:at], *rules[at + 1 :]))
        try:
            read()
            left = ""
        except EdgeDPError as error:
            left = str(error)
    assert says not in left


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"date": 1}, "date is 1, must be another column than the ends"),
        ({"columns": [3, "b"]}, "columns is 'b', must be another column than the ends"),
        ({"weight": {"property": 1, "cap": 9}}, "weight is 1, must be another column than the ends"),
    ],
)
def test_a_column_beside_the_ends_is_another_one(given: dict[str, Any], says: str) -> None:
    with pytest.raises(EdgeDPError, match=says):
        checked_options(source=1, target="b", **given)


def test_an_option_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="no option 'seperator'"):
        checked_options(seperator=";")
