"""What to expect of a release, from public facts: noise, measured recall, budgets, persons."""

from __future__ import annotations

import json
import math
import runpy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import edgedp
from edgedp.faces.cli import edgedp as command_line
from edgedp.mechanisms.metrics import metric_names
from edgedp.release.plan import PublicFacts, plan
from edgedp.release.planning.measured import SOURCE, measured
from edgedp.release.planning.noise import noise_of
from edgedp.release.planning.outlook import outlook
from edgedp.words.vocabulary import Unit
from looped import as_one

ROOT = Path(__file__).resolve().parents[2]
ENRON = {"--nodes": "36692", "--degree-bound": "2000", "--epsilon": "0.3", "-k": "10"}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def planned(*words: str, status: int = 0) -> str:
    usual = [word for flag, value in ENRON.items() if flag not in words for word in (flag, value)]
    done = CliRunner().invoke(command_line, ["plan", *usual, *words])
    assert not list(Path.cwd().iterdir()), "no store is made"
    assert done.exit_code == status, done.output
    return done.output


def test_what_was_measured_is_what_the_benchmark_wrote() -> None:
    """Otherwise: make docs."""
    tables = runpy.run_path(str(ROOT / "docs" / "tables.py"))
    assert tables["recall"]() == tables["RECALL"].read_text(encoding="utf-8")
    assert tables["recall_of_arcs"]() == tables["ARCS"].read_text(encoding="utf-8")
    assert (ROOT / SOURCE).is_file()
    assert {row.mechanism for row in measured()} == {"joint", "sld"}
    assert all(0 <= row.recall <= 1 for row in measured())


@as_one
@pytest.mark.parametrize(
    ("k", "epsilon", "measured_k", "measured_epsilon"),
    [(10, 0.3, 10, 0.3), (11, 0.9, 20, 0.3), (5, 50, 10, 3.0), (500, 0.001, 100, 0.03)],
)
def test_what_is_expected_was_measured_where_less_is_found(
    k: int, epsilon: float, measured_k: int, measured_epsilon: float
) -> None:
    rows = outlook(1000, None, epsilon, k).expected
    assert {(row.k, row.epsilon) for row in rows} == {(measured_k, measured_epsilon)}
    assert {"Enron", "co-authorship"} <= {row.graph for row in rows}


def test_a_budget_affords_what_the_ledger_would_grant(tmp_path: Path) -> None:
    """Amounts are exact: 0.3 fits into 0.9 three times."""
    (row,) = outlook(5, None, "0.3", 1, epsilon_budget="0.9").budgets
    assert row["releases"] == 3
    with edgedp.open_store(tmp_path / "store") as store:
        store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)], nodes=range(1, 6)), "g", epsilon_budget="0.9")
        assert store.estimate("g", metric="degree", k=1, epsilon="0.3")["releases_left"] == 3


def test_all_edges_of_a_person_are_protected_at_so_many_times_epsilon() -> None:
    (row,) = outlook(100, None, "0.1", 1, edges_of_a_person=10).person
    assert row == {"edges": 10, "epsilon": 1.0, "odds": round(math.e, 2)}
    (row,) = outlook(100, None, 1, 1, edges_of_a_person=5000).person
    assert row["odds"] is None


def test_the_command_says_it_all_from_public_facts() -> None:
    said = planned("--edges-of-a-person", "20", "--epsilon-budget", "3") + planned("--epsilon-budget", "0.5")
    for part in (
        "two-sided geometric",
        "follows the graph; private",
        "recall of the EBC top 10 at epsilon 0.3",
        SOURCE,
        "a budget of 3 affords 10 such releases",
        "a budget of 0.5 affords 1 such release\n",
        "all 20 edges of one person together: epsilon 6, odds change at most 403.43 times",
    ):
        assert part in said
    told: dict[str, Any] = json.loads(planned("--metric", "degree", "--format", "json"))
    assert {row["metric"] for row in told["noise"]} == {"degree"}
    assert set(told) == {
        "noise", "numbers", "expected", "budgets", "person", "protected", "source", "advice",
    }  # fmt: skip
    assert planned("--format", "csv").startswith("metric,mechanism,on,scale,law\n")
    assert "no promise" in planned("--edges-of-a-person", "100000")


@as_one
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--edges-of-a-person", "0"], "edges_of_a_person is 0"),
        (["--epsilon-budget", "-1"], "epsilon_budget is -1"),
        (["--degree-bound", "-1"], "degree_bound is -1"),
        (["-k", "40000"], "k is 40000"),
        (["--epsilon", "0"], "epsilon is 0"),
        (["--metric", "pagerank"], "metric is 'pagerank'"),
        (["--protect", "person"], "protect is 'person', must be one of pair, source, target"),
        (
            ["--protect", "source", "--metric", "ebc"],
            "metric is 'ebc', which protects no source at its epsilon",
        ),
        (
            ["--protect", "source", "--metric", "out_degree"],
            "metric is 'out_degree', which protects no source",
        ),
        (
            ["--protect", "target", "--edges-of-a-person", "3"],
            "edges_of_a_person is not an option of protect 'target'",
        ),
    ],
)
def test_what_no_release_could_be_is_refused(words: list[str], says: str) -> None:
    assert planned(*words, status=1).startswith(f"Error: {says}")


def test_counts_of_arcs_are_planned_where_they_are_named() -> None:
    told = outlook(36_692, None, "0.3", 10, metrics=["in_degree"])
    assert {row["mechanism"]: round(row["scale"], 3) for row in told.noise} == {
        "em": 33.333,
        "pf": 33.333,
        "joint": 6.667,
    }
    assert {row["metric"] for row in outlook(36_692, None, "0.3", 10).noise} == set(metric_names())
    assert "out_degree  pf" in planned("--metric", "out_degree")


@pytest.mark.parametrize(("unit", "metric"), [("source", "in_degree"), ("target", "out_degree")])
def test_only_releases_that_protect_a_person_are_planned_for_one(unit: Unit, metric: str) -> None:
    told = outlook(36_692, None, "0.3", 10, protect=unit)
    assert [
        (row["metric"], row["mechanism"], row.get("cap"), round(row["scale"], 3)) for row in told.noise
    ] == [
        (metric, "em", None, 33.333),
        (metric, "pf", None, 33.333),
        (metric, "joint", 10, 33.333),
        (metric, "joint", 20, 66.667),
    ]
    assert told.advice is not None
    assert told.advice.startswith("for k up to 20: 'pf' or 'em'")
    longer = outlook(36_692, None, "0.3", 50, protect=unit).advice
    assert longer is not None
    assert longer.startswith("for k above 20: 'joint' with cuts of 10 to 20")
    assert told.protected == {"protect": unit, "epsilon": 0.3, "odds": round(math.exp(0.3), 2)}
    assert told.person == told.numbers == [], "these are of one edge, and of EBC"
    assert {(row.graph, row.mechanism, row.k, row.epsilon) for row in told.expected} == {
        (graph, way, 10, 0.3)
        for graph in ("Enron", "GitHub")
        for way in ("em", "pf", "cuts of 10", "cuts of 20")
    }
    assert told.source == "bench/results/persons.md"
    said = planned("--protect", unit)
    assert "one node, taken away: epsilon 0.3, odds change at most 1.35 times; replaced costs twice" in said
    assert "edge:" not in said
    assert "EBC" not in said
    assert planned("--protect", "pair") == planned()


def test_of_which_nodes_a_number_says_something_stands_there_as_in_a_dry_run() -> None:
    """From epsilon and the declared bound alone (docs/numbers.md): 50 / epsilon, of EBC 150 / epsilon."""
    told = {row["metric"]: row["reach"] for row in outlook(36_692, 2_000, "0.3", 10).numbers}
    says = "at this epsilon it says something of nodes of degree {} or so, and more"
    assert told == {"betweenness2": says.format(167), "density": says.format(167), "ebc": says.format(500)}
    for metric, reach in told.items():
        asked = {"of": metric, "node": 5038, "epsilon": "0.3"}
        (noise,) = noise_of(plan("count", asked, PublicFacts(36_692, 2_000)))
        assert noise.reach == reach
    assert f"ebc of one node, as a number: {told['ebc']}\n" in planned("--metric", "ebc")
    assert json.loads(planned("--metric", "degree", "--format", "json"))["numbers"] == []
    assert "it says little of any node" in planned("--epsilon", "0.01", "--metric", "density")
