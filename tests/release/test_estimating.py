"""Before spending: an estimate agrees with the release, costs nothing, reads no edge and tells nothing private."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import EdgeDPError, Graph, Store
from edgedp.faces.cli import edgedp as command_line
from edgedp.ledger.account import Account
from edgedp.ledger.backend import Session
from edgedp.mechanisms import joint
from edgedp.mechanisms.numbers import geometric
from edgedp.mechanisms.samplers import sampler
from edgedp.mechanisms.selection.domains import declare
from edgedp.mechanisms.selection.percentiles import percentile_scores, share_bits
from edgedp.release.plan import PercentilePlan, PublicFacts, plan
from edgedp.release.planning.noise import FOLLOWS_THE_GRAPH, noise_of
from edgedp.stores.releases.estimating import Estimate, kind_of_options
from edgedp.words.vocabulary import KINDS, PERCENTILE_MECHANISMS
from looped import as_one
from made_once import copied

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
TOP = {"metric": "degree", "k": 1, "epsilon": 0.3}
# One question of each kind of release; a kind that has none here fails the test that asks them all.
QUESTIONS: dict[str, dict[str, Any]] = {
    "priv_top_k": TOP,
    "motkin": {"metrics": ["degree", "density"], "k": 1, "epsilon": 0.3},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


def made(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=1, degree_bound=4, max_epsilon_per_release=0.5)


@pytest.fixture
def store(folder: Path) -> Store:
    return copied(made, folder)


def contents(folder: Path) -> dict[str, str]:
    """Return the digest of every file of a store, but locks, which hold nothing."""
    files = [path for path in folder.rglob("*") if path.is_file() and "lock" not in path.name]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_every_kind_of_release_has_an_estimate_that_says_what_it_costs(store: Store) -> None:
    for kind in KINDS:
        if kind not in QUESTIONS:
            told = store.estimate("kite", kind, epsilon=0.3)  # whatever else it needs is said, not raised
        else:
            told = store.estimate("kite", kind, **QUESTIONS[kind])
            assert told["refused"] is None
            assert (told["epsilon"], told["epsilon_remaining_after"], told["releases_left"]) == (0.3, 0.7, 3)
            assert told["parameters"]["epsilon"] == "0.3"
            assert told["noise"]
        assert told["epsilon_spent"] == 0


def test_an_estimate_spends_writes_and_reads_nothing(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("an edge was read")

    sessions: list[Any] = [Session, *Session.__subclasses__()]
    for session in sessions:
        monkeypatch.setattr(session, "graph", never)
    before, log = contents(folder), store.log("kite")
    for kind, asked in QUESTIONS.items():
        assert store.estimate("kite", kind, **asked)["refused"] is None
        store.estimate("kite", kind, **asked | {"epsilon": 5, "request_id": "r"})
    assert store.log("kite") == log
    assert contents(folder) == before
    assert store.budget("kite")["releases"] == 0


@pytest.mark.parametrize(
    "changed",
    [
        {"k": 6},
        {"k": 0},
        {"epsilon": 0},
        {"epsilon": "x"},
        {"epsilon": 0.6},
        {"epsilon": 2},
        {"metric": "pagerank"},
        {"metrik": "ebc"},
        {"shift": "up"},
        {"mechanism": "joint", "metric": "density"},
        {"epsilon": 0.5},
        {"epsilon": 0.4},
        {},
    ],
)
def test_it_is_refused_as_the_release_is_and_fits_where_the_release_fits(
    store: Store, changed: dict[str, Any]
) -> None:
    store.priv_top_k("kite", **TOP, request_id="earlier")
    store.priv_top_k("kite", **TOP)
    asked = TOP | changed
    told = store.estimate("kite", "topk", **asked)
    said = None
    try:
        store._release("priv_top_k", "kite", asked, "native", None)
    except EdgeDPError as error:
        said = str(error)
    left = store.budget("kite")["epsilon_remaining"]
    assert told["refused"] == said
    assert told["epsilon_remaining_after"] == left
    assert (told["releases_left"] == 0) == (said is not None)
    assert told["epsilon_remaining"] == 0.4


def test_of_what_is_refused_for_another_reason_than_what_is_left_none_is_left(store: Store) -> None:
    account = Account(10**9, 10**9, 0)
    planned = plan("priv_top_k", TOP, PublicFacts(5))
    told = Estimate("kite", planned, {"edges": account}, "edges", None)
    assert told.to_dict()["releases_left"] == 3
    assert replace(told, refused="the share has another delta").to_dict()["releases_left"] == 0


def test_no_budget_is_a_refusal_and_no_graph_an_error(store: Store) -> None:
    store.load(Graph.from_edges([(1, 2)]), "bare")
    assert "not declared" in store.estimate("bare", **TOP)["refused"]
    with pytest.raises(edgedp.EdgeDPError, match="did you mean 'kite'"):
        store.estimate("kites", **TOP)
    with pytest.raises(edgedp.EdgeDPError, match="engine is 'cypher'"):
        store.estimate("kite", engine="cypher", **TOP)


def test_a_budget_with_a_delta_is_estimated_in_its_own_currency(store: Store) -> None:
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "loose", epsilon_budget=1, delta="1e-6")
    small = TOP | {"epsilon": 0.05}
    told = store.estimate("loose", **small)
    assert told["parameters"]["mechanism"] == "sld"
    assert told["releases_left"] > 20
    store.priv_top_k("loose", **small)
    assert store.budget("loose")["epsilon_remaining"] == told["epsilon_remaining_after"]
    assert store.estimate("loose", **small)["releases_left"] == told["releases_left"] - 1


def test_a_request_that_has_its_release_costs_nothing(store: Store) -> None:
    store.priv_top_k("kite", **TOP, request_id="monday")
    told = store.estimate("kite", **TOP, request_id="monday")
    assert (told["kept"], told["epsilon"], told["refused"]) == (True, 0, None)
    assert told["epsilon_remaining_after"] == told["epsilon_remaining"] == 0.7
    other = store.estimate("kite", **TOP | {"k": 2}, request_id="monday")
    assert "must be new for another request" in other["refused"]


def test_the_kind_is_told_by_its_name_its_command_or_the_options() -> None:
    assert kind_of_options(None, TOP) == kind_of_options("topk", {}) == "priv_top_k"
    assert kind_of_options(None, QUESTIONS["motkin"] | {"metric": None}) == "motkin"
    with pytest.raises(edgedp.EdgeDPError, match="give one of priv_top_k, motkin"):
        kind_of_options(None, {"shift": "up"})
    with pytest.raises(edgedp.EdgeDPError, match="did you mean 'motkin'"):
        kind_of_options("motkins", {})


# -- noise ------------------------------------------------------------------------------------------------

FACTS = PublicFacts(1000, 50)
EPSILON = Fraction(3, 10)


def scales(kind: Any, **asked: Any) -> list[Any]:
    planned = plan(kind, asked | {"epsilon": "0.3", "k": 10}, FACTS)
    return [each.to_dict()["scale"] for each in noise_of(planned)]


@as_one
@pytest.mark.parametrize(
    ("kind", "asked", "scale"),
    [
        # P(v) ~ exp(epsilon u / (2 k GS)): Gumbel of scale 2 k GS / epsilon; GS of EBC is D (D - 1) / 4.
        ("priv_top_k", {"metric": "ebc", "mechanism": "em"}, 2 * 10 * (50 * 49 / 4) / 0.3),
        ("priv_top_k", {"metric": "ebc", "mechanism": "pf"}, 2 * 10 * (50 * 49 / 4) / 0.3),
        ("priv_top_k", {"metric": "degree", "mechanism": "em"}, 10 / 0.3),  # monotone: no factor 2
        ("priv_top_k", {"metric": "degree", "mechanism": "joint"}, 2 / 0.3),  # one edge, two degrees
        ("priv_top_k", {"metric": "ebc", "proxy": "betweenness2"}, 2 * 49 / 0.3),
        ("motkin", {"metrics": ["degree", "ebc"], "sensitivity": "global"}, 2 * 999 * 10 / 0.3),
    ],
)
def test_public_noise_is_that_of_the_textbook(kind: Any, asked: dict[str, Any], scale: float) -> None:
    assert scales(kind, **asked) == [pytest.approx(scale, rel=1e-6)]


@as_one
@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("priv_top_k", {"metric": "ebc", "mechanism": "sld"}),
        ("priv_top_k", {"metric": "density", "mechanism": "ld"}),
        ("motkin", {"metrics": ["degree", "ebc"]}),
        ("motkin", {"metrics": ["degree", "ebc"], "approach": "aggregate"}),
        ("motkin", {"metrics": ["degree", "ebc"], "mechanism": "joint"}),
    ],
)
def test_noise_that_follows_the_graph_is_not_told(kind: Any, asked: dict[str, Any]) -> None:
    assert scales(kind, **asked) == [FOLLOWS_THE_GRAPH]


def test_what_noisy_degrees_choose_is_not_told_before_they_are_drawn() -> None:
    first, second = scales("priv_top_k", metric="ebc")
    assert first == pytest.approx(8 / 0.3)  # a quarter of epsilon
    assert second == FOLLOWS_THE_GRAPH


NODES: dict[str, dict[str, Any]] = {
    "degree": {"node": 1},
    "density": {"node": 1},
    "common_neighbors": {"pair": (1, 2)},
}


@pytest.mark.parametrize("mechanism", ["geometric", "staircase", "calibrated", "ladder", "smooth"])
@pytest.mark.parametrize("of", ["edges", "degree", "density", "common_neighbors", "triangles", "stars"])
def test_the_noise_of_a_number_is_told_where_its_release_shows_it(
    store: Store, of: str, mechanism: str
) -> None:
    asked: dict[str, Any] = {"of": of, "epsilon": 0.3, "mechanism": mechanism} | NODES.get(of, {})
    (told,) = store.estimate("kite", "count", **asked)["noise"]
    shown = edgedp.count(KITE, **asked, degree_bound=4).answer.to_json()
    assert told["on"] == of
    assert told["scale"] == shown.get("scale", FOLLOWS_THE_GRAPH)
    assert ("law" in told) == ("scale" in shown) == (mechanism in {"geometric", "staircase"})


def test_the_noise_of_a_computed_number_is_that_of_its_parts(store: Store) -> None:
    told = store.estimate("kite", "count", of="clustering", epsilon=0.5, mechanism="geometric")["noise"]
    laws = [(each["on"], each["law"], each["scale"]) for each in told]
    # One edge moves at most 3 triangles and 6 wedges under the bound of 4.
    assert laws == [
        ("triangles", "two-sided geometric", pytest.approx(3 / 0.4)),
        ("wedges", "two-sided geometric", pytest.approx(6 / 0.1)),
    ]
    private = store.estimate("kite", "count", of="clustering", epsilon=0.5)["noise"]
    assert [each["scale"] for each in private] == [FOLLOWS_THE_GRAPH] * 2


def test_the_noise_of_distributions_and_summaries_is_what_is_drawn(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[float] = []
    real = joint.two_sided_geometric

    def seen(count: int, scale: Fraction, words: Any) -> Any:
        drawn.append(float(scale))
        return real(count, scale, words)

    for module in (joint, geometric):
        monkeypatch.setattr(module, "two_sided_geometric", seen)
    for kind, ask in (("distribution", edgedp.distribution), ("summary", edgedp.summary)):
        drawn.clear()
        ask(KITE, epsilon=0.3, degree_bound=4)
        scales_drawn = list(drawn)
        told = store.estimate("kite", kind, epsilon=0.3)["noise"]
        public = [each for each in told if each["scale"] != FOLLOWS_THE_GRAPH]
        assert [each["scale"] for each in public] == scales_drawn
        assert {each["law"] for each in public} == {"two-sided geometric"}
        assert [each["on"] for each in told if each not in public] == (
            ["triangles", "wedges"] if kind == "summary" else []
        )


@as_one
@pytest.mark.parametrize("mechanism", PERCENTILE_MECHANISMS)
def test_the_noise_of_a_percentile_is_told_unless_it_follows_the_values(mechanism: Any) -> None:
    facts = PublicFacts(1000, 50, domains={"age": declare(0, 100)})
    planned = plan(
        "percentile", {"property": "age", "q": "0.5", "epsilon": "0.3", "mechanism": mechanism}, facts
    )
    assert isinstance(planned, PercentilePlan)
    (told,) = [each.to_dict() for each in noise_of(planned)]
    if mechanism == "ld":
        assert told["scale"] == FOLLOWS_THE_GRAPH
        return
    assert told["scale"] == pytest.approx(2 / 0.3)
    assert told["law"] == sampler(planned.sampler).noise_name
    # In units of the score, as it is drawn from.
    scores = percentile_scores(np.arange(1000.0) % 100, planned.question)
    step = {"sld": 1 << share_bits(1000), "distance": 1}.get(mechanism, planned.q.denominator)
    assert 1 / scores.unit == Fraction(2, 1) / EPSILON * step


# -- the command line -------------------------------------------------------------------------------------


def dry(folder: Path, *words: str) -> str:
    done = CliRunner().invoke(command_line, ["--store", str(folder), *words, "--dry-run"])
    assert done.exit_code == 0, done.output
    return done.output


def test_dry_run_says_what_store_estimate_says(store: Store, folder: Path) -> None:
    words = ["topk", "kite", "--metric", "degree", "-k", "1", "--epsilon", "0.3"]
    told = json.loads(dry(folder, *words, "--format", "json"))
    assert told == json.loads(json.dumps(store.estimate("kite", **TOP)))
    said = dry(folder, *words)
    assert "would cost 0.3 and leave 0.7 of 1; 3 such releases fit" in said
    assert "noise on degree: two-sided geometric, scale 3.33333" in said
    assert dry(folder, *words, "--format", "csv").splitlines()[1] == "0.3,1,0.7,3,"
    assert "would be refused: epsilon is 0.6, must be at most 0.5" in dry(folder, *words[:-1], "0.6")
    motkin = ["motkin", "kite", "--metric", "degree", "--metric", "density", "-k", "1", "--epsilon", "0.3"]
    assert "asked: metrics=degree,density" in dry(folder, *motkin)
    assert "asked: of=degree" in dry(
        folder, "count", "kite", "--of", "degree", "--node", "3", "--epsilon", "0.3"
    )
    assert store.budget("kite")["releases"] == 0


def test_every_command_of_a_release_takes_dry_run() -> None:
    """A command is one of a release if a request can be asked again."""
    flags = {
        name: {flag for each in command.params for flag in each.opts}
        for name, command in command_line.commands.items()
    }
    releasing = {name for name, known in flags.items() if "--request-id" in known}
    assert {"topk", "motkin"} <= releasing
    assert releasing == {name for name, known in flags.items() if "--dry-run" in known} - {"load"}
