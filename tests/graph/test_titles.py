"""Titles: public names of nodes that are shown beside their ids, and that no mechanism reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import Graph, ParameterError, Store, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.titles import LONGEST, Titles
from edgedp.stores.embedded import mapped
from edgedp.words.shown import shown

IDS = list(range(10, 70))
EDGES = [(10, each) for each in IDS[1:]] + [(11, each) for each in IDS[2:40]]
NAMES: list[Any] = ["Ada", None, "", "<b>Bob</b>", "Zoë\u202e\n", "=1+1", 7, 2.5] + [
    f"Person {i}" for i in IDS[8:]
]


def graph(names: list[Any] = NAMES, **more: Any) -> Graph:
    return Graph.from_edges(EDGES, nodes=IDS, properties={"name": names, "age": list(range(60))}, **more)


def shown_title(node: int) -> str | None:
    value = NAMES[IDS.index(node)]
    return None if value in (None, "") else str(value)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = open_store(tmp_path / "store")
    store.load(graph(), "people", epsilon_budget=3, title="name")
    return store


def test_every_list_shows_the_titles_of_its_nodes_and_reading_it_again_does(store: Store) -> None:
    for release in (
        store.priv_top_k("people", "degree", 60, 1, request_id="q"),
        store.motkin("people", ("degree", "density"), 5, "0.5"),
        store.priv_top_k("people", "degree", 3, "0.5", mechanism="em"),
    ):
        assert release.titles == tuple(map(shown_title, release.nodes))
        assert release.to_dict()["titles"] == list(release.titles)
        assert release.to_frame()["title"].to_list() == list(release.titles)
        assert edgedp.Release.from_dict(release.to_dict()) == release
    again = store.priv_top_k("people", "degree", 60, 1, request_id="q")
    assert again.titles == tuple(map(shown_title, again.nodes))
    assert store.releases("people")[0]["titles"] == list(again.titles)
    assert store.check("people") == []


def test_a_kept_release_shows_the_titles_that_its_graph_had(store: Store) -> None:
    before = store.priv_top_k("people", "degree", 4, 1, request_id="q")
    store.load(graph([f"other {i}" for i in IDS]), "people", replace=True, epsilon_budget=3, title="name")
    assert store.priv_top_k("people", "degree", 4, 1, request_id="q").titles == before.titles
    assert all(
        str(each).startswith("other") for each in store.priv_top_k("people", "degree", 4, 1).titles or ["no"]
    )
    store.load(graph(), "people", replace=True, epsilon_budget=3)
    assert store.priv_top_k("people", "degree", 4, "0.5").titles is None
    assert store.priv_top_k("people", "degree", 4, 1, request_id="q").titles == before.titles


def test_titles_change_no_draw_no_cost_and_no_other_fact(tmp_path: Path) -> None:
    """What is drawn from is the same graph, without the titles, and the same facts are public."""
    shown = []
    for title in ("name", None):
        with open_store(tmp_path / str(title)) as store:
            store.load(graph(), "people", epsilon_budget=3, title=title)
            stored = store.graph("people")
            assert stored == graph()
            assert set(store.graph("people").properties) <= {"age"} | ({"name"} if title is None else set())
            answer = store.priv_top_k("people", "degree", 5, 1).to_dict()
            shown.append({key: answer[key] for key in ("parameters", "public", "epsilon_spent")})
    assert shown[0] == shown[1]


def test_a_title_is_no_private_property_any_more(store: Store) -> None:
    store.load(graph(), "people", replace=True, epsilon_budget=3, title="name", attribute_epsilon_budget=1)
    store.attribute("people", "age", 0, 100)
    with pytest.raises(ParameterError, match="title is 'age', which is declared as a private property"):
        store.load(graph(), "people", replace=True, epsilon_budget=3, title="age")
    assert store.priv_top_k("people", "degree", 1, 1).titles is not None, "the refused load changed nothing"


@pytest.mark.parametrize(
    ("names", "title", "match"),
    [
        (
            NAMES,
            "nobody",
            "title is 'nobody', must be a property of the graph's nodes; give one of: name, age",
        ),
        (NAMES, 3, "title is 3, must be a property"),
        ([["a"]] * 60, "name", "a title is of type list, must be a text"),
        ([True] * 60, "name", "a title is of type bool, must be a text"),
        (["x" * (LONGEST + 1)] * 60, "name", f"a title has {LONGEST + 1} characters"),
        (["\ud800"] * 60, "name", "half of a character"),
    ],
)
def test_what_is_no_title_is_refused_and_nothing_is_stored(
    tmp_path: Path, names: list[Any], title: Any, match: str
) -> None:
    with open_store(tmp_path / "s") as store:
        with pytest.raises(ParameterError, match=match):
            store.load(graph(names), "people", epsilon_budget=1, title=title)
        with pytest.raises(edgedp.EdgeDPError):
            store.budget("people")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("texts", [False, True])
def test_a_file_of_rows_holds_titles_beside_ids_and_directions(
    tmp_path: Path, directed: bool, texts: bool
) -> None:
    ids = [f"n{each}" for each in IDS] if texts else IDS
    ends = [(f"n{one}", f"n{two}") for one, two in EDGES] if texts else EDGES
    written = Graph.from_edges(ends, nodes=ids, directed=directed)
    for titles in (Titles.of(NAMES), Titles.of([None] * 60), None):
        path = tmp_path / f"{titles is None}{directed}{len(titles.text) if titles else 0}"
        _, length = mapped.write_rows(path, 9, written, titles)
        assert length == path.stat().st_size == mapped.file_size(written, titles)
        with path.open("rb") as stream:
            assert mapped.mapped_graph(stream.fileno(), 9, nodes_supplied=True) == written
            if titles is not None:
                found = mapped.mapped_titles(stream.fileno(), 9)
                assert found.at(range(60)) == titles.at(range(60))
            else:
                with pytest.raises(edgedp.StoreError):
                    mapped.mapped_titles(stream.fileno(), 9)
    assert Titles.of(NAMES).at(range(60)) == [shown_title(node) for node in IDS]
    assert Titles.of([]).at([]) == []
    assert np.array_equal(Titles.of(["é"]).ends, [0, 2])


def test_the_command_line_takes_a_column_of_the_file_of_nodes_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n2,3\n2,4\n")
    (tmp_path / "people.csv").write_text("id,name,age\n1,007,31\n2,\x1b[31mAda,40\n3,,22\n4,1e5,\n5,Eve,9\n")
    runner, store = CliRunner(), ["--store", str(tmp_path / "s")]
    load = ["load", str(tmp_path / "edges.csv"), "--name", "g", "--epsilon-budget", "3"]
    nodes = ["--nodes", str(tmp_path / "people.csv")]
    both = runner.invoke(command_line, [*store, *load, *nodes, "--title", "name", "--properties", "age,name"])
    assert both.exit_code == 1
    assert "'name' is a private property and a public title; choose one of them" in both.output
    without = runner.invoke(command_line, [*store, *load, "--title", "name"])
    assert "titles are columns of a file of nodes" in without.output
    done = runner.invoke(command_line, [*store, *load, *nodes, "--title", "name", "--properties", "age"])
    assert done.exit_code == 0, done.output
    asked = ["topk", "g", "--metric", "degree", "-k", "5", "--epsilon", "1", "--request-id", "a"]
    table = runner.invoke(command_line, [*store, *asked]).output
    assert "\x1b" not in table
    assert table.splitlines()[0].split() == ["rank", "id", "title"]
    shown = json.loads(runner.invoke(command_line, [*store, *asked, "--format", "json"]).output)
    titles = dict(zip(shown["nodes"], shown["titles"], strict=True))
    assert titles == {1: "007", 2: "\x1b[31mAda", 3: None, 4: "1e5", 5: "Eve"}


def test_pictures_and_notebooks_show_titles_escaped(store: Store) -> None:
    release = store.priv_top_k("people", "degree", 60, 1)
    picture = release.plot().svg
    assert "10 Ada" in picture
    assert "<b>Bob" not in picture + release._repr_html_()
    assert "&lt;b&gt;Bob" in release._repr_html_()


def test_titles_that_do_not_fit_their_nodes_are_no_answer(store: Store) -> None:
    shown = store.priv_top_k("people", "degree", 3, 1).to_dict()
    for key in ("titles", "near_titles"):
        kept = shown[key]
        for titles in (kept[:-1] if kept else ["a"], [*kept, None], [1] * max(len(kept), 1), "abc", None):
            with pytest.raises(edgedp.EdgeDPError):
                edgedp.Release.from_dict(shown | {key: titles})
    older = {key: value for key, value in shown.items() if key != "near_titles"}
    assert edgedp.Release.from_dict(older).near_titles is None


def test_nodes_that_may_have_been_left_out_have_their_titles_too(store: Store) -> None:
    release = store.priv_top_k("people", "degree", 30, "0.05", request_id="near")
    assert release.near
    assert release.near_titles == tuple(shown_title(node) for node, _ in release.near)
    assert release.to_dict()["near_titles"] == list(release.near_titles)
    assert edgedp.Release.from_dict(release.to_dict()) == release
    assert store.priv_top_k("people", "degree", 30, "0.05", request_id="near").answer == release.answer
    first, chance = release.near[0]
    title = shown_title(first)
    named = shown(f"{first} {title}" if title else first)
    assert f"may have been left out: {named} ({chance:g})" in release.sentences[1]
    assert not set(release.sentences[1]) & {"\u202e", "\n"}, "nothing that a terminal obeys"
    bars = release.plot().svg
    assert all(f"{node} " in bars for node, _ in release.near if shown_title(node))
    assert store.motkin("people", ("degree", "density"), 5, "0.5").near_titles is None
