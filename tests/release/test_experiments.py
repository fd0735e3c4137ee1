"""Experiments: the product's own draws, repeatable run by run; interrupted, refused, and of stored graphs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import edgedp
from edgedp.exact.experiments import running
from edgedp.exact.experiments.advice import look_alike
from edgedp.exact.experiments.asking import AXES, planned_cells
from edgedp.exact.experiments.curves import curves, needed
from edgedp.exact.experiments.facts import Facts
from edgedp.exact.experiments.generators import power_law
from edgedp.exact.experiments.grid import Cell, run_seeds
from edgedp.exact.experiments.keeping import Kept, read_results, replacing
from edgedp.exact.experiments.rows import COLUMNS
from edgedp.exact.quality import recall
from edgedp.mechanisms import Joint, Sld
from edgedp.mechanisms.projection import GraphProjection
from edgedp.words.vocabulary import MECHANISMS, PICKING, SAMPLERS
from looped import as_one

GRAPH = power_law(400, seed=3)
BOTH = list(SAMPLERS)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    store = edgedp.open_store(tmp_path / "graphs.edgedp")
    store.load(GRAPH, "power", epsilon_budget=5, degree_bound=300)
    return store


# -- runs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["ebc", "density"])
def test_a_run_is_the_release_with_its_seed(metric: str) -> None:
    """No law is written a second time: the public function with a row's seed returns what the run returned."""
    rows = edgedp.experiment(
        GRAPH, metric=metric, k=[1, 4], sampler=BOTH, epsilon=[1, 300], runs=1, degree_bound=350
    )
    values = edgedp.exact.values(GRAPH, metric)
    assert set(rows["mechanism"]) == set(PICKING) | ({"joint"} if metric == "ebc" else set())
    for row in rows.iter_rows(named=True):
        asked = {name: row[name] for name in ("metric", "k", "epsilon", "mechanism", "shift", "proxy")}
        asked |= {"sampler": row["sampler"], "sensitivity_form": row["sensitivity_form"], "degree_bound": 350}
        release = edgedp.priv_top_k(GRAPH, rng=np.random.default_rng(row["seed"]), **asked)
        assert recall(values, release.nodes, GRAPH.node_ids) == row["recall"]


@pytest.mark.parametrize("approach", ["pareto", "aggregate"])
def test_a_run_of_several_metrics_is_the_release_with_its_seed(approach: str) -> None:
    small = power_law(150, seed=4)
    rows = edgedp.experiment(
        small, "motkin", k=3, approach=approach, epsilon=[10], runs=2, shift=["down", "up"]
    )
    bound = rows["degree_bound"][0]
    for row in rows.iter_rows(named=True):
        asked = {
            name: row[name] for name in ("k", "epsilon", "approach", "sensitivity", "mechanism", "sampler")
        }
        asked |= {"sensitivity_form": row["sensitivity_form"], "shift": row["shift"], "degree_bound": bound}
        release = edgedp.motkin(small, rng=np.random.default_rng(row["seed"]), **asked)
        table = np.column_stack([edgedp.exact.degree(small), edgedp.exact.density(small)])
        picked = small.positions(release.nodes)
        if approach == "aggregate":
            assert recall(table.sum(axis=1), picked) == row["recall"]
        else:
            from edgedp.mechanisms.pareto.score import pareto_score

            scores = pareto_score(table)
            assert recall(scores, picked) == row["recall"]
            assert edgedp.quality.c_metric(table, scores, picked) == row["c_random"]
            assert edgedp.quality.c_metric(table, scores, picked, ties="front") == row["c_front"]


def test_a_run_of_a_number_is_the_release_with_its_seed() -> None:
    rows = edgedp.experiment(GRAPH, "numbers", of=["edges", "triangles"], epsilon=1, runs=3)
    for row in rows.iter_rows(named=True):
        rng = np.random.default_rng(row["seed"])
        released = edgedp.count(
            GRAPH, of=row["of"], epsilon=1, degree_bound=row["degree_bound"], rng=rng
        ).value
        exact = edgedp.exact.count(GRAPH, of=row["of"])
        assert row["relative_error"] == abs(released - exact) / exact


@pytest.mark.parametrize(
    ("mechanism", "metric"), [("em", "ebc"), ("pf", "ebc"), ("sld", "ebc"), ("ld", "degree")]
)
def test_runs_have_the_law_of_one_pick(mechanism: str, metric: str) -> None:
    """400 runs are held to the exact expectation within five standard errors: a false alarm in 1.7 million."""
    asked: dict[str, Any] = {"metric": metric, "k": 1, "mechanism": mechanism}
    asked["degree_bound"] = GRAPH.max_degree
    values = edgedp.exact.values(GRAPH, metric)

    def expectation(epsilon: float) -> float:
        law = edgedp.exact.first_pick_probabilities(GRAPH, epsilon=epsilon, **asked)
        return float(law[values == values.max()].sum())

    epsilon = next(each for each in 10.0 ** np.arange(-1, 7, 0.25) if expectation(each) > 0.2)
    expected = expectation(epsilon)
    exactly = edgedp.experiment(GRAPH, exact=True, epsilon=epsilon, **asked)
    assert exactly["recall"].to_list() == [expected]
    seen = edgedp.experiment(GRAPH, runs=400, epsilon=epsilon, **asked)["recall"].mean()
    assert expected < 0.9
    assert abs(float(seen) - expected) < 5 * (expected * (1 - expected) / 400) ** 0.5  # type: ignore[arg-type]


def test_a_seed_is_of_one_run_alone() -> None:
    options = {"metric": "ebc", "k": 1, "epsilon": "1"}
    seeds = run_seeds(1, "g", Cell("topk", options, 50))
    others = [run_seeds(2, "g", Cell("topk", options, 50)), run_seeds(1, "h", Cell("topk", options, 50))]
    others += [run_seeds(1, "g", Cell("topk", options | {"k": 2}, 50))]
    assert len({*seeds, *(seed for part in others for seed in part)}) == 200
    assert run_seeds(1, "g", Cell("topk", dict(reversed(options.items())), 9)) == seeds[:9]


def test_every_mechanism_is_tried_where_none_is_named() -> None:
    def tried(kind: Any, metric: Any) -> set[str]:
        asked = dict.fromkeys(AXES) | {"metric": metric, "k": 1, "epsilon": 1}
        return {cell.options["mechanism"] for cell in planned_cells(Facts("power", GRAPH), kind, asked, 1)}

    assert tried("topk", "ebc") == set(MECHANISMS)
    assert tried("topk", "density") == set(PICKING)
    assert tried("motkin", ["degree", "ebc"]) == set(MECHANISMS)


def test_a_mechanism_may_be_given_with_the_options_that_belong_to_it() -> None:
    asked: dict[str, Any] = {"metric": "ebc", "k": 2, "epsilon": 1, "runs": 2}
    value = edgedp.experiment(GRAPH, mechanism=Sld(shift="down"), **asked)
    assert value.equals(edgedp.experiment(GRAPH, mechanism="sld", shift="down", **asked))
    with pytest.raises(edgedp.ParameterError, match="give the value by itself"):
        edgedp.experiment(GRAPH, mechanism=["em", Sld()], **asked)
    with pytest.raises(edgedp.ParameterError, match="cap of Joint"):
        edgedp.experiment(GRAPH, mechanism=Joint(cap=3), **asked)


def test_samples_are_walks_of_their_own() -> None:
    rows = edgedp.experiment(
        GRAPH, "samples", samples=3, sample_nodes=20, k=2, mechanism="sld", epsilon=100, runs=4
    )
    assert rows["sample"].to_list() == [0] * 4 + [1] * 4 + [2] * 4
    assert set(rows["nodes"]) == {20}
    assert float(rows["recall"].mean()) > 0.5  # type: ignore[arg-type]


def test_growth_measures_every_step_of_every_size() -> None:
    rows = edgedp.experiment("power-law", "growth", nodes=[200, 400], metric="degree", runs=2)
    assert rows.height == 2 * 3 * 2
    assert rows["seconds"].min() >= 0  # type: ignore[operator]


def test_cuts_of_all_neighbours_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = GraphProjection.cut_shares

    def counting(self: Any, caps: Any, ranks: Any, bits: int, positions: Any = None) -> Any:
        asked.append(int(caps[0]))
        return real(self, caps, ranks, bits, positions)

    monkeypatch.setattr(GraphProjection, "cut_shares", counting)
    projection = Facts("power", GRAPH).projection
    above = [projection.cut_shares(np.full(400, GRAPH.max_degree + more), None, 20) for more in (0, 5, 9, 0)]
    lists = projection.cut_shares(np.full(400, 3), None, 20)
    ranked = [projection.cut_shares(np.full(400, 3), np.arange(400), 20) for _ in range(2)]
    uneven = np.arange(400) % 3 + 3
    assert np.array_equal(projection.cut_shares(uneven, None, 20), real(projection, uneven, None, 20))
    assert asked == [GRAPH.max_degree, 3, 3, 3, 3]
    assert all(np.array_equal(each, above[0]) for each in above)
    some = np.array([7, 0, 7])
    assert np.array_equal(projection.cut_shares(np.full(400, 3), None, 20, some), lists[some])
    assert np.array_equal(projection.cut_shares(np.full(400, 3), np.arange(400), 20, some), ranked[0][some])
    assert asked[5:] == [3]
    assert not np.array_equal(ranked[0], above[0])


# -- files -----------------------------------------------------------------------------------------------------


def test_an_interrupted_experiment_goes_on_where_it_stood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs.parquet"
    asked: dict[str, Any] = {"metric": "degree", "k": [1, 2], "mechanism": "em", "epsilon": [1, 2], "runs": 3}
    whole = edgedp.experiment(GRAPH, **asked)
    real = running._here
    ran: list[str] = []

    def stopping(facts: Any, cells: Any, seed: int) -> Any:
        for key, rows in real(facts, cells, seed):
            if len(ran) == 2:
                raise KeyboardInterrupt
            ran.append(key)
            yield key, rows

    monkeypatch.setattr(running, "_here", stopping)
    with pytest.raises(KeyboardInterrupt):
        edgedp.experiment(GRAPH, file=file, **asked)
    assert not file.exists()

    def noting(facts: Any, cells: Any, seed: int) -> Any:
        for key, rows in real(facts, cells, seed):
            ran.append(key)
            yield key, rows

    monkeypatch.setattr(running, "_here", noting)
    with pytest.raises(edgedp.EdgeDPError, match="beginning of another experiment"):
        edgedp.experiment(GRAPH, file=file, **asked | {"runs": 4})
    again = edgedp.experiment(GRAPH, file=file, **asked)
    assert len(ran) == len(set(ran)) == 4
    assert again.equals(whole)
    assert read_results([file]).equals(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.parquet"]
    with pytest.raises(edgedp.EdgeDPError, match="exists already"):
        edgedp.experiment(GRAPH, file=file, **asked)


def test_several_processes_give_the_rows_of_one(tmp_path: Path) -> None:
    asked: dict[str, Any] = {
        "metric": "degree",
        "k": 2,
        "mechanism": ["em", "joint"],
        "epsilon": [1, 9],
        "runs": 2,
    }
    together = edgedp.experiment(GRAPH, processes=2, file=tmp_path / "a.parquet", **asked)
    assert together.equals(edgedp.experiment(GRAPH, **asked))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads children from /proc")
def test_a_killed_experiment_leaves_no_process_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "runs.parquet"
    asked = {"metric": "degree", "k": 2, "mechanism": "em", "epsilon": [1, 2, 3, 4, 5, 6], "runs": 400}
    script = tmp_path / "killed.py"
    script.write_text(
        "import edgedp\nfrom edgedp.exact.experiments.generators import power_law\nif __name__ == '__main__':\n"
        f"    edgedp.experiment(power_law(400, seed=3), file={str(file)!r}, processes=2, **{asked!r})\n"
    )
    started = subprocess.Popen([sys.executable, str(script)])

    def parts() -> list[Path]:
        return list(tmp_path.glob("runs.parquet.partial/*.parquet"))

    waited(lambda: bool(parts()) or file.exists())
    children = Path(f"/proc/{started.pid}/task/{started.pid}/children").read_text().split()
    started.kill()
    started.wait()
    waited(lambda: not any(Path(f"/proc/{child}/exe").exists() for child in children))
    if not file.exists():
        edgedp.experiment(GRAPH, file=file, **asked)
    assert read_results([file]).equals(edgedp.experiment(GRAPH, **asked))


def waited(done: Callable[[], bool]) -> None:
    """Wait for what must come; the limit is for a test that would never end."""
    limit = time.monotonic() + 240
    while not done():
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.05)


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    for name in ("text", "other"):
        with pytest.raises(edgedp.EdgeDPError, match="give what edgedp experiment wrote"):
            read_results([tmp_path / f"{name}.parquet"])


@as_one
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"runs": 0}, "runs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"k": 401}, "k is 401"),
        ({"mechanism": "emm"}, "must be one of"),
        ({"epsilon": 0}, "epsilon is 0"),
        ({"epsilon": []}, "epsilon is empty"),
        ({"metric": "pagerank"}, "must be one of"),
        ({"metric": "density", "mechanism": "joint"}, "for mechanism 'joint'"),
        ({"degree_bound": 3}, "largest degree"),
        ({"exact": True, "k": 2}, "k is 2, must be 1"),
        ({"exact": True, "k": 1, "mechanism": "joint"}, "proxy is 'both'"),
        ({"kind": "topp"}, "must be one of"),
        ({"kind": "growth"}, "name of a generator"),
        ({"processes": 0}, "processes is 0"),
        ({"kind": "samples", "samples": 0}, "samples is 0, must be from 1 to 1,000,000"),
        ({"kind": "samples", "samples": -2}, "samples is -2, must be from 1"),
        ({"kind": "samples", "samples": "x"}, "samples is 'x', must be a whole number"),
        ({"kind": "samples", "sample_nodes": "x"}, "sample_nodes is 'x', must be a whole number"),
    ],
)
def test_what_a_release_would_refuse_is_refused_before_anything_runs(
    asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(edgedp.EdgeDPError, match=told):
        edgedp.experiment(GRAPH, **asked)


# -- stored graphs ---------------------------------------------------------------------------------------------


def test_an_experiment_on_a_stored_graph_is_logged_and_costs_nothing(store: Any, tmp_path: Path) -> None:
    asked = {"metric": "ebc", "k": 2, "mechanism": ["em", "joint"], "epsilon": 1, "runs": 2}
    rows = store.exact_experiment("power", file=tmp_path / "rows.parquet", **asked)
    assert store.log("power")[-1]["event"] == "exact"
    assert store.budget("power")["epsilon_spent"] == 0
    assert store.releases("power") == []
    assert (tmp_path / "rows.parquet").stat().st_mode & 0o077 == 0
    assert set(rows.columns) == set(COLUMNS)


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_what_is_kept_of_a_stored_graph_is_its_owners_from_the_first_byte(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a folder and files of these names are there and open to all."""
    modes: dict[str, int] = {}
    real = pl.DataFrame.write_parquet

    def seen(self: pl.DataFrame, file: Any, *args: Any, **options: Any) -> Any:
        found = [*tmp_path.glob("*.parquet*"), *tmp_path.glob("*.partial/*")]
        modes.update({path.name: path.stat().st_mode & 0o777 for path in found})
        return real(self, file, *args, **options)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", seen)
    before = os.umask(0)
    try:
        (tmp_path / "rows.parquet.partial").mkdir()
        (tmp_path / "rows.parquet.new").touch()
        (tmp_path / "rows.parquet.partial" / "experiment.new").touch()
        asked: dict[str, Any] = {"metric": "degree", "k": 1, "mechanism": "em", "epsilon": [1, 2], "runs": 1}
        store.exact_experiment("power", file=tmp_path / "rows.parquet", **asked)
        store.exact_experiment("power", file=tmp_path / "again.parquet", **asked)
        report = edgedp.write_report([tmp_path / "rows.parquet"], tmp_path / "rows.svg")
    finally:
        os.umask(before)
    assert {mode for name, mode in modes.items() if name.endswith(".partial")} == {0o700}
    left = {"experiment.new", "rows.parquet.new"}  # nobody's of edgedp's
    assert {mode for name, mode in modes.items() if name not in left and "partial" not in name} == {0o600}
    begun = {
        name[: name.rfind(".", 0, -4)] for name in modes if name.startswith(".") and name.endswith(".new")
    }
    assert {".rows.parquet", ".again.parquet"} <= begun
    assert "experiment.json" in modes
    assert (tmp_path / "rows.parquet.new").exists(), "it may be the user's own"
    assert report.stat().st_mode & 0o777 == 0o600


def test_of_two_that_write_a_file_the_later_one_stays_whole(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    with replacing(file, private=True) as first:
        first.write(b"one")
        with replacing(file, private=False) as second:
            second.write(b"another")
        assert file.read_bytes() == b"another"
    assert file.read_bytes() == b"one"
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_in_place_of_the_folder_of_what_is_finished_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    (tmp_path / "rows.parquet.partial").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(edgedp.ParameterError, match="is a link; remove it"):
        Kept(tmp_path / "rows.parquet", {}, private=True)
    assert (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o755
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_could_not_be_written_leaves_the_file_that_was_there_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    file.write_bytes(b"before")
    with pytest.raises(TypeError), replacing(file, private=True) as out:
        out.writelines([b"half", "no bytes"])  # type: ignore[list-item]
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("rows.parquet", b"before")]


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_results_of_public_graphs_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        edgedp.experiment(GRAPH, metric="degree", k=1, mechanism="em", epsilon=1, runs=1, file=tmp_path / "a")
        report = edgedp.write_report([tmp_path / "a"], tmp_path / "a.svg")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "a", report)} == {0o644}


def test_rows_of_a_stored_graph_name_it_and_its_version_and_no_fingerprint(store: Any) -> None:
    rows = store.exact_experiment("power", metric="degree", k=1, mechanism="em", epsilon=1, runs=1)
    row = rows.row(0, named=True)
    assert row["graph"] == "power"
    assert row["graph_version"] is not None
    told = " ".join(str(value) for value in row.values())
    assert GRAPH.fingerprint[:12] not in told
    assert row["edges"] is None


def test_a_stored_release_takes_no_seeded_words(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded words may be foreseen: whoever draws for a store must be handed the system's."""
    from edgedp.release import draw

    seen: list[bool] = []
    real = draw.draw

    def watched(plan: Any, projection: Any, words: Any, *rest: Any) -> Any:
        seen.append(words.private)
        return real(plan, projection, words, *rest)

    monkeypatch.setattr(draw, "draw", watched)
    store.exact_experiment("power", metric="degree", k=1, mechanism="em", epsilon=1, runs=1)
    assert seen == []
    store.priv_top_k("power", metric="degree", k=1, epsilon=1)
    assert seen
    assert all(seen)
    with pytest.raises(edgedp.UnknownNameError, match="rng"):
        store.priv_top_k("power", metric="degree", k=1, epsilon=1, rng=np.random.default_rng(1))


# -- advice and curves -----------------------------------------------------------------------------------------


def test_advice_names_the_smallest_epsilon_that_suffices(store: Any) -> None:
    public = edgedp.advise(GRAPH, k=3, metric="degree", mechanism=["em", "joint"], runs=5, target=0.6)
    assert {row["mechanism"] for row in public} == {"joint", "joint until sure", "em"}
    assert [row["mechanism"] for row in public if row["mechanism"] != "joint until sure"] == ["joint", "em"]
    for row in public:
        if row["mechanism"] != "joint until sure":
            assert row["recall"] >= 0.6
    stored = store.exact_advice("power", k=3, metric="degree", mechanism="joint", runs=5, target=0.6)
    assert stored[0]["epsilon"] == public[0]["epsilon"]
    assert store.log("power")[-1]["event"] == "exact"


def test_advice_compares_what_lists_said_of_themselves_with_what_they_were() -> None:
    rows = {
        each["mechanism"]: each for each in edgedp.advise(GRAPH, k=3, metric="degree", runs=4, target=0.6)
    }
    assert rows["em"]["said"] is None
    joint, sure = rows["joint"], rows["joint until sure"]
    cell = Cell(
        "topk", {"metric": "degree", "k": 3, "epsilon": f"{joint['epsilon']:g}", "mechanism": "joint"}, 4
    )
    lists = [
        edgedp.priv_top_k(GRAPH, **cell.options, rng=np.random.default_rng(seed))
        for seed in run_seeds(1, "graph", cell)
    ]
    assert joint["said"] == pytest.approx(np.mean([each.expected_recall for each in lists]))
    assert joint["recall"] == pytest.approx(
        np.mean([recall(GRAPH.degrees, each.nodes, GRAPH.node_ids) for each in lists])
    )
    assert 0 < sure["epsilon"] < 1
    assert sure["said"] >= 0.6
    assert not {"joint until sure"} & {
        each["mechanism"]
        for each in edgedp.advise(GRAPH, k=3, metric="degree", runs=2, target=1, mechanism="joint")
    }


def test_a_look_alike_is_filled_up_with_nodes_without_edges() -> None:
    filled = look_alike(GRAPH, 450, 1)
    assert (filled.node_count, filled.edge_count) == (450, GRAPH.edge_count)
    assert filled.degrees[:400].tolist() == GRAPH.degrees.tolist()
    for like, nodes, told in ((GRAPH, 10, "nodes is 10"), ("clusterz", None, "must be one of")):
        with pytest.raises(edgedp.EdgeDPError, match=told):
            look_alike(like, nodes, 1)
    with pytest.raises(edgedp.EdgeDPError, match="target is 2"):
        edgedp.advise(GRAPH, target=2)


def test_curves_are_the_moments_of_their_runs() -> None:
    rows = edgedp.experiment(GRAPH, metric="ebc", k=4, mechanism="sld", epsilon=[3, 30], runs=9)
    for point in curves(rows).iter_rows(named=True):
        runs = rows.filter(pl.col("epsilon") == point["epsilon"])["recall"].to_numpy()
        assert point["runs"] == 9
        assert point["mean"] == pytest.approx(runs.mean())
        assert point["error"] == pytest.approx(runs.std(ddof=1) / 3)
        quartiles = [point["low"], point["median"], point["high"]]
        assert quartiles == pytest.approx(np.quantile(runs, [0.25, 0.5, 0.75]).tolist())
    assert needed(curves(rows))[0]["series"] == "SLD"
