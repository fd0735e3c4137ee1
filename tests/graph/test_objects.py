"""Objects that are pleasant: what they show of themselves, what is logged, what a type checker finds."""

from __future__ import annotations

import ast
import json
import logging
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from conftest import OpenStore

import edgedp
import looped
from edgedp import Graph, Release, priv_top_k
from edgedp.stores.releases.simulating import OUTSIDE

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "plugin" / "edgedp"
DOCS = ROOT / "docs"

# Every count and degree of it is a number that stands nowhere else.
FAN = Graph.from_edges(
    [(5000, 7000 + leaf) for leaf in range(77)] + [(7000, 7001)], nodes=[*range(7000, 7090), 5000]
)


def asked(**further):
    return {"metric": "degree", "k": 2, "epsilon": "0.5", **further}


# -- releases ---------------------------------------------------------------------------------------


def every_kind_of_release() -> list[Release]:
    return [
        *(priv_top_k(FAN, **asked(mechanism=name)) for name in ("em", "pf", "ld", "sld", "joint")),
        priv_top_k(FAN, **asked(metric="ebc"), sensitivity_form=None, degree_bound=80),
        priv_top_k(FAN, **asked(mechanism="joint"), estimates=True),
        edgedp.motkin(FAN, k=2, rng=np.random.default_rng(1)),
        edgedp.motkin(FAN, k=1, approach="aggregate", weights=[1, -0.5]),
        edgedp.motkin(FAN, k=2, mechanism="joint"),
        edgedp.count(FAN, of="triangles", epsilon=1, mechanism="nls", delta="1e-6"),
    ]


def test_a_release_comes_back_from_its_dict() -> None:
    for release in every_kind_of_release():
        assert Release.from_dict(json.loads(json.dumps(release.to_dict()))) == release


def test_a_stored_release_comes_back_with_its_receipt(open_embedded: OpenStore) -> None:
    store = open_embedded()
    store.load(FAN, "fan", epsilon_budget=2)
    release = store.priv_top_k("fan", **asked())
    back = Release.from_dict(release.to_dict())
    assert back == release
    assert back.receipt["graph"] == "fan"
    loose = edgedp.count(FAN, of="edges", epsilon=1, mechanism="lls", delta="1e-6").to_dict()
    with pytest.raises(edgedp.EdgeDPError):  # no ledger has a place for a delta
        Release.from_dict(loose | back.receipt | {"account": "edges"})


@looped.as_one
@pytest.mark.parametrize(
    "change",
    [
        {"nodes": 7}, {"private": "yes"}, {"private": 1}, {"selector": "pagerank"}, {"parameters": {}}, {"more": 1},
        {"public": {}}, {"parameters": None}, {"ranks_by": "its looks"}, {"nodes": None}, {"value": 3},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_release_is_refused(change: dict) -> None:
    shown = priv_top_k(FAN, **asked()).to_dict()
    with pytest.raises(edgedp.EdgeDPError) as refused:
        Release.from_dict(shown | change)
    assert "\n" not in str(refused.value)
    less = {name: shown[name] for name in shown if name not in change}
    broken: Any
    for broken in (None, [], {}, "x", less):
        if broken != shown:
            with pytest.raises(edgedp.EdgeDPError):
                Release.from_dict(broken)


def test_a_release_shows_itself_in_a_line() -> None:
    release = priv_top_k(FAN, metric="degree", k=5, epsilon=50, rng=np.random.default_rng(1))
    assert repr(release).startswith("<Release: priv_top_k, epsilon 50, nodes [5000, ")
    assert repr(release).endswith(", ...], a simulation>")
    assert release.epsilon == 50.0
    assert len(release) == 5
    assert list(release) == release.nodes


def test_a_notebook_shows_a_release_and_escapes_what_is_in_it() -> None:
    graph = Graph.from_edges([("<b>", "x\x1b"), ("<b>", "y")])
    release = priv_top_k(graph, metric="degree", k=3, epsilon=1)
    page = release._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "\x1b" not in page
    for word in ("rank", "id", "metric=degree", "node_count=3", "asked", "public"):
        assert word in page


# -- stores -----------------------------------------------------------------------------------------


def test_a_store_shows_public_facts_alone(open_embedded: OpenStore) -> None:
    store = open_embedded()
    assert "graphs.edgedp" in store._repr_html_()  # there is none yet: it says so and does not fail
    store.load(FAN, "fan<i>", epsilon_budget=2, degree_bound=80)
    assert re.fullmatch(r"<Store: .*graphs\.edgedp>", repr(store))
    page = store._repr_html_()
    assert "fan&lt;i&gt;" in page
    assert "<i>" not in page
    assert not {"77", "78"} & set(re.findall(r"\d+", page.replace(str(store._backend.place_shown), "")))


# -- simulations ------------------------------------------------------------------------------------


def test_a_simulation_debits_nothing_is_logged_once_and_says_what_it_is(open_embedded: OpenStore) -> None:
    store = open_embedded()
    store.load(FAN, "fan", epsilon_budget=1, degree_bound=80)
    with pytest.warns(UserWarning, match=OUTSIDE):
        drawn = store.exact_simulate("fan", **asked(), rng=np.random.default_rng(3), runs=4)
    with pytest.warns(UserWarning, match="is outside the guarantee"):
        again = store.exact_simulate("fan", **asked(), rng=np.random.default_rng(3), runs=4)
    assert drawn == again
    assert len(drawn) == 4
    assert {release.private for release in drawn} == {False}
    assert all(not release.receipt for release in drawn)
    assert store.budget("fan")["epsilon_spent"] == 0
    assert store.releases("fan") == []
    noted = [row["details"] for row in store.log("fan") if row["event"] == "exact"]
    expected = {"read": "simulation", "selector": "priv_top_k", "parameters": drawn[0].parameters, "runs": 4}
    assert noted == [expected, expected]


@pytest.mark.filterwarnings("ignore:what exact_simulate draws")
def test_a_simulation_draws_from_the_declared_facts(open_embedded: OpenStore) -> None:
    store = open_embedded()
    store.load(FAN, "fan", degree_bound=80)  # without a budget: nothing can be released, but simulated
    (drawn,) = store.exact_simulate(
        "fan", "motkin", metrics=["degree", "density"], k=2, epsilon=9, rng=np.random.default_rng(5)
    )
    expected = edgedp.motkin(FAN, k=2, epsilon=9, degree_bound=80, rng=np.random.default_rng(5))
    assert drawn == expected


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"rng": None}, "rng must be a numpy.random.Generator"),
        ({"rng": 3}, "rng must be a numpy.random.Generator"),
        ({"runs": 0}, "runs is 0, must be an integer of at least 1"),
        ({"engine": "cypher"}, "engine is 'cypher'"),
        ({"metric": "pagerank"}, "metric is 'pagerank'"),
        ({"mechansim": "em"}, "mechansim"),
    ],
)
def test_what_cannot_be_simulated_is_refused_and_not_logged(open_embedded: OpenStore, wrong, says) -> None:
    store = open_embedded()
    store.load(FAN, "fan")
    with pytest.raises(edgedp.EdgeDPError, match=says):
        store.exact_simulate("fan", **{**asked(), "rng": np.random.default_rng(1)} | wrong)
    assert [row["event"] for row in store.log("fan")].count("exact") == 0


# -- the log of the process -------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:what exact_simulate draws")
def test_nothing_private_is_logged(
    open_embedded: OpenStore, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Grep what is logged, at every level, for the figures of a graph and for its edges."""
    source = tmp_path / "fan.csv"
    source.write_text("".join(f"{a},{b}\n" for a, b in FAN.node_ids[FAN.edges()].tolist()))
    store = open_embedded()
    with caplog.at_level(logging.DEBUG, logger="edgedp"):
        store.load(str(source), "fan", epsilon_budget=9)
        store.load(FAN, "fan", epsilon_budget=9, replace=True)
        store.priv_top_k("fan", **asked())
        store.motkin("fan", k=2)
        store.exact("fan", "degree")
        store.exact_simulate("fan", **asked(), rng=np.random.default_rng(1))
        store.set_budget("fan", 10)
        store.drop("fan")
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("edgedp")]
    assert {"loaded fan", "noted an exact read of fan", "dropped fan"} <= set(lines)
    assert sum(line.startswith("debited release ") for line in lines) == 2
    private = {str(value) for value in (FAN.edge_count, FAN.max_degree, *FAN.node_ids.tolist())}
    for line in lines:
        told = re.sub(r"release [0-9a-f]{32}", "", line.replace(str(source), ""))
        assert not private & set(re.findall(r"\d+", told)), line


# What the calls of loggers may be given: names, addresses and release ids. Add to it what is as public as these.
PUBLIC = {
    "shown(name)", "shown(named)", "debited.release_id", "address_shown(address)", "shown(where.name)",
    "shown(row.name)",
    "', '.join(read.format)",
}  # fmt: skip


def test_loggers_are_given_constant_sentences_and_public_words_alone() -> None:
    found = 0
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if re.search(r"\b_log\b|\bgetLogger\b", text) else ():
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="_log"), attr=level)):
                    found += 1
                    where = f"{path.name}:{node.lineno}"
                    assert level in ("debug", "info"), where
                    assert isinstance(node.args[0], ast.Constant), where
                    assert {ast.unparse(each) for each in node.args[1:]} <= PUBLIC, where
                    assert not node.keywords, where
                case ast.Call(func=ast.Attribute(attr="getLogger"), args=[ast.Constant(value=str(name))]):
                    assert name.partition(".")[0] in ("edgedp", "neo4j", "uvicorn"), path.name
    assert found >= 8


# -- wrong types ------------------------------------------------------------------------------------


@looped.as_one
@pytest.mark.parametrize(
    "call",
    [
        lambda: priv_top_k(nx.path_graph(3), **asked()),
        lambda: priv_top_k(None, **asked()),
        lambda: priv_top_k([(1, 2)], **asked()),
        lambda: edgedp.motkin(nx.path_graph(3)),
        lambda: edgedp.count(nx.path_graph(3), "edges", 1),
        lambda: edgedp.distribution(nx.path_graph(3), epsilon=1),
        lambda: edgedp.summary(nx.path_graph(3), epsilon=1),
        lambda: edgedp.exact.top(nx.path_graph(3), "ebc"),
        lambda: edgedp.exact.cut_betweenness(nx.path_graph(3), 2),
        lambda: edgedp.exact.count(nx.path_graph(3), "edges"),
        lambda: edgedp.exact.values(nx.path_graph(3), "ebc"),
        lambda: Graph.from_edges(None),
        lambda: Graph.from_edges(7),
        lambda: Graph.from_edges(object()),
        lambda: Graph.from_edges([("a", "\ud800")]),
        lambda: Graph.from_edges([("a", "b")], nodes=["a", "b", "\udfff"]),
        lambda: Graph.from_edges(np.array([["a", "\ud800"]])),
        lambda: priv_top_k(FAN, metric=None, k=1, epsilon=1),
        lambda: priv_top_k(FAN, metric=["degree"], k=1, epsilon=1),
        lambda: priv_top_k(FAN, metric="degree", k="two", epsilon=1),
        lambda: priv_top_k(FAN, metric="degree", k=1, epsilon=object()),
        lambda: priv_top_k(FAN, metric="degree", k=1, epsilon=1, rng=7),
        lambda: edgedp.read_graph(None),
        lambda: edgedp.read_graph("a\ud800b"),
        lambda: Release.from_dict(None),
    ],
)  # fmt: skip
def test_a_wrong_type_is_an_error_of_ours_in_one_line(call) -> None:
    with pytest.raises(edgedp.EdgeDPError) as refused:
        call()
    assert "\n" not in str(refused.value)


# -- what a type checker and a reader find ----------------------------------------------------------


def test_a_type_checker_finds_wrong_words_and_keys() -> None:
    """Run it with the options of `make check`, whose cache then makes this cheap: another one would begin anew."""
    snippet = ROOT / "tests" / "support" / "typed_snippet.py"
    words = [sys.executable, "-m", "mypy", "--no-error-summary", str(snippet)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=600)
    found = {int(line) for line in re.findall(r"typed_snippet\.py:(\d+): error", done.stdout)}
    lines = snippet.read_text(encoding="utf-8").splitlines()
    wrong = {at for at, line in enumerate(lines, start=1) if line.endswith("# wrong")}
    assert found == wrong, done.stdout + done.stderr
    assert len(wrong) >= 10


def test_what_docstrings_and_pages_name_can_be_imported_as_it_is_named() -> None:
    procedures = set(
        re.findall(r"^### (edgedp[\w.]+)$", (DOCS / "procedures.md").read_text("utf-8"), re.MULTILINE)
    )
    named: set[str] = set()
    for path in [
        *PACKAGE.rglob("*.py"),
        DOCS / "reference.md",
        *DOCS.glob("privacy*.md"),
        ROOT / "CONTRIBUTING.md",
    ]:
        named |= set(re.findall(r"`(edgedp(?:\.[A-Za-z_]\w*)+)\b", path.read_text(encoding="utf-8")))
    assert len(named) > 40
    for name in sorted(named - procedures):
        assert resolved(name) is not None, name


def resolved(name: str) -> object:
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            found = getattr(found, part, None)
        return found
    return None
