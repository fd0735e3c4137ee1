"""Spark: the same answers for the same noise, noise that is drawn once, and nothing private in an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from conftest import OpenStore
from scipy import stats

from edgedp import Graph, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.reading.options import checked_options
from edgedp.mechanisms import joint
from edgedp.mechanisms.adaptive import arcs
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.release.draw import draw
from edgedp.release.plan import PublicFacts, plan
from edgedp.spark import drawing, executors, priv_top_k, session, sources
from edgedp.spark.drawing import draw_on_spark
from edgedp.spark.edges import Edges, Figures, arrow_map, figures_of
from edgedp.spark.executors import DrawBest, DrawJoint, DrawWords, SecureSource, SeededSource
from edgedp.spark.frames import edges_of, held_edges
from edgedp.spark.partitions import rows_schema
from edgedp.spark.sources import Place, canonical
from edgedp.stores.addresses import addressed
from edgedp.stores.releases import on_spark
from edgedp.words.errors import EdgeDPError, EngineError, GraphFormatError, ParameterError, StoreError
from edgedp.words.refusals import BOUND_BROKEN, ENGINE_FAILED, IDS_BROKEN, NODES_CHANGED
from spark_doubles import Replayed, in_process, power_law, tried, words_by_id

__all__ = ["tried"]

# Sockets that pyspark leaves to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


GRAPH = power_law(200, 900, 1)
KITE = Graph.from_edges([("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])


def table_of(graph: Graph) -> pa.Table:
    ends = graph.node_ids[graph.edges()]
    return pa.table({"source": ends[:, 0], "target": ends[:, 1]})


def planned(graph: Graph, **asked: Any) -> Any:
    options = {"k": 5, "epsilon": 5} | asked
    return plan("priv_top_k", options, PublicFacts(graph.node_count, None, nodes_supplied=True))


def counted(graph: Graph, k: int) -> Any:
    """Return a plan of a vector whose noise the executors draw."""
    facts = PublicFacts(graph.node_count, None, nodes_supplied=True, directed=True)
    return plan("priv_top_k", {"metric": "in_degree", "mechanism": "joint", "k": k, "epsilon": 1}, facts)


# -- with Spark -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def held(spark: Any) -> tuple[Edges, Any]:
    edges = held_edges(spark, GRAPH)
    return edges, edges.degrees().sortWithinPartitions("id").localCheckpoint()


@pytest.mark.parametrize(
    "asked",
    [
        {"metric": "degree", "mechanism": "em"},
        {"metric": "degree", "mechanism": "pf", "k": 2, "epsilon": 1},
        {"metric": "ebc", "mechanism": "sld"},
        pytest.param(
            {"metric": "ebc", "mechanism": "ld", "sampler": "permute_and_flip", "k": 2},
            marks=pytest.mark.wide,
        ),
        pytest.param({"metric": "density", "mechanism": "em", "epsilon": 40, "k": 2}, marks=pytest.mark.wide),
    ],
    ids=str,
)
def test_the_same_noise_gives_the_same_answer(held: tuple[Edges, Any], asked: dict) -> None:
    edges, degrees = held
    asks, source = planned(GRAPH, **asked), SeededSource(5)
    answer = draw_on_spark(asks, edges, degrees, source)
    again = asked.get("mechanism") == "pf" or "sampler" in asked
    drawn = [words_by_id(edges, degrees, source, turn) for turn in range(asks.k if again else 1)]
    assert np.array_equal(drawn[0][0], GRAPH.node_ids)
    given, left = [], np.ones(GRAPH.node_count, dtype=np.bool_)
    for turn in range(asks.k if again else 1):
        given.append(drawn[turn][1][left])
        left[np.searchsorted(GRAPH.node_ids, answer.ids[turn])] = False
    assert draw(asks, GraphProjection(GRAPH), Replayed(given, source.own())) == answer


@pytest.mark.slow
def test_the_same_noise_gives_the_same_answer_on_the_bundled_graph(spark: Any, enron: Graph) -> None:
    edges, source = held_edges(spark, enron), SeededSource(7)
    degrees = edges.degrees().sortWithinPartitions("id").localCheckpoint()
    asks = planned(enron, metric="ebc", mechanism="sld", k=10, epsilon=2)
    answer = draw_on_spark(asks, edges, degrees, source)
    words = words_by_id(edges, degrees, source, 0)[1]
    assert draw(asks, GraphProjection(enron), Replayed([words], source.own())) == answer


def test_executors_draw_the_law_from_sources_of_their_own(held: tuple[Edges, Any]) -> None:
    """False alarms: 1 in a million for the law; none for the words, of which two are alike once in 10^14."""
    degrees = held[1]
    asks = counted(GRAPH, k=GRAPH.node_count)
    step = DrawJoint(asks, SecureSource())
    wide = degrees.repartition(3).localCheckpoint()
    tables = [arrow_map(wide, step, rows_schema("long")).toArrow() for _ in range(2)]
    noise, words = [], []
    for table in tables:
        rows = table.filter(table.column("id").is_valid())
        assert len(set(rows.column("part").to_pylist())) == 3
        noise += np.subtract(rows.column("noisy").to_numpy(), rows.column("degree").to_numpy()).tolist()
        words += rows.column("word").to_pylist()
    assert len(noise) == 2 * GRAPH.node_count
    assert len(set(words)) == len(words)
    ratio = np.exp(-1 / 2)  # a pair moves two counts: of scale 2 / epsilon
    law = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-5, 6)}
    counts = Counter(z if abs(z) <= 5 else 99 for z in noise)
    expected = [len(noise) * each for each in [*law.values(), 1 - sum(law.values())]]
    assert stats.chisquare([counts[z] for z in [*law, 99]], expected).pvalue > 1e-6


SEED = 10  # the noise of which leaves the first row that is read undecided, and few others


@dataclass(frozen=True)
class Noted:
    """A source that leaves a file for every time it is asked; its words are the same in every run."""

    folder: str
    private = True

    def words(self, turn: int, partition: int) -> Any:
        folder = self.folder

        class Words:
            private = True

            def take(self, count: int) -> np.ndarray:
                name = os.urandom(8).hex()
                (Path(folder) / f"{name}-{turn}-{partition}-{count}").touch()
                return np.random.default_rng((SEED, turn + 1, partition)).integers(0, 2**64, count, np.uint64)

        return Words()

    def own(self) -> SecureWords:
        return SecureWords()


@pytest.fixture
def noted(tmp_path: Path) -> Iterator[Noted]:
    from pyspark import cloudpickle

    here = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(here)
    yield Noted(str(tmp_path))
    cloudpickle.unregister_pickle_by_value(here)


def test_a_row_has_its_noise_drawn_once_however_often_it_is_read(
    held: tuple[Edges, Any], noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges, degrees = held
    monkeypatch.setattr(drawing, "_FIRST_ROWS", 1)
    asks = planned(GRAPH, metric="density", mechanism="em", k=1, epsilon=40)
    read: list[Any] = []
    ask = drawing._ask

    def noting(*given: Any) -> pa.Table:
        read.append(given[0])
        return ask(*given)

    monkeypatch.setattr(drawing, "_ask", noting)
    draw_on_spark(asks, edges, degrees, noted)  # type: ignore[arg-type]
    drawn = [name.split("-")[1:] for name in os.listdir(noted.folder)]
    assert sum(int(count) for _, _, count in drawn) == GRAPH.node_count
    assert len({part for _, part, _ in drawn}) == len(drawn) > 1
    assert len(read) >= 2


def lose(spark: Any) -> None:
    """Take the kept partitions from where they are, as when their executor dies."""
    kept = spark._jsc.getPersistentRDDs()
    kept[max(kept)].unpersist(True)


def test_a_partition_that_is_lost_after_its_noise_was_drawn_fails_the_release(
    spark: Any, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = held_edges(spark, GRAPH)
    degrees, ask = edges.degrees(), drawing._ask

    def after_a_loss(*given: Any) -> pa.Table:
        lose(spark)
        return ask(*given)

    monkeypatch.setattr(drawing, "_ask", after_a_loss)
    with pytest.raises(Exception, match=r"[Cc]heckpoint"):
        draw_on_spark(planned(GRAPH, metric="ebc", mechanism="sld"), edges, degrees, noted)  # type: ignore[arg-type]
    drawn = [int(name.split("-")[-1]) for name in os.listdir(noted.folder)]
    assert sum(drawn) == GRAPH.node_count, "what is lost is not drawn again"


def test_a_frame_is_taken_as_a_graph(spark: Any) -> None:
    rows = {"u": ["a", "b", "c", "c"], "w": [1, 1, 1, 1], "v": ["b", "a", "a", "c"]}
    frame = spark.createDataFrame(pa.table(rows))
    nodes = spark.createDataFrame(pa.table({"name": ["a", "b", "c", "d", "d"]}))
    edges = edges_of(frame, nodes, "u", 3)
    found = {row["id"]: row["degree"] for row in edges.degrees().collect()}
    assert found == {"a": 2, "b": 1, "c": 1, "d": 0}
    release = priv_top_k(frame, "degree", 1, 90, nodes=nodes, source="u", target="v")
    assert release.nodes == ["a"]
    assert release.private
    assert release.to_dict()["public"]["node_count"] == 4
    simulated = [
        priv_top_k(frame, "degree", 2, 1, "em", source=1, target=3, rng=np.random.default_rng(2))
        for _ in range(2)
    ]
    assert simulated[0] == simulated[1]
    assert not simulated[0].private
    for wrong, says in [
        ({"u": [1, 2, None], "v": [2, 3, 3]}, "lacks an end"),
        ({"u": [0.5], "v": [1.5]}, "all integers or all texts"),
        ({"u": [1], "v": ["x"]}, "all integers or all texts"),
        ({"u": [1], "v": [2], "w": [3]}, "give source and target"),
    ]:
        with pytest.raises(GraphFormatError, match=says) as refused:
            priv_top_k(spark.createDataFrame(pa.table(wrong)), "degree", 1, 1)
        assert "\n" not in str(refused.value)
    with pytest.raises(GraphFormatError, match="not among the nodes"):
        priv_top_k(frame, "degree", 1, 1, nodes=nodes.limit(0), source="u", target="v")
    with pytest.raises(EdgeDPError, match="degree_bound is 1, must be at least"):
        priv_top_k(frame, "degree", 1, 1, "em", degree_bound=1, source="u", target="v")
    with pytest.raises(EngineError, match="has no betweenness2"):
        priv_top_k(frame, "betweenness2", 1, 1, "sld", source="u", target="v")


# -- stores -----------------------------------------------------------------------------------------


ODD = [
    pa.array([1.0, 2.5, 2.9]),
    pa.array([True, False, True]),
    pa.array([Decimal("1.20"), Decimal("2.50"), Decimal("2.90")]),
    pa.array([b"\xff", b"\xfe", b"a"]),
    pa.array([1, 2, 3], pa.timestamp("us")),
]


def test_what_is_neither_integers_nor_texts_makes_no_nodes(
    spark: Any, open_embedded: OpenStore, tmp_path: Path
) -> None:
    """Spark would take 2.5 and 2.9 for one integer, and all that is true for one node, without a word."""
    kinds: tuple[Literal["integer", "text"], ...] = ("integer", "text")
    path, listed = tmp_path / "edges.parquet", tmp_path / "nodes.parquet"
    whole = pa.array([1, 2, 3])
    store = open_embedded()
    for odd in ({"u": ends, "v": whole} for ends in ODD):
        for ids, turned in zip(kinds, (odd, {"u": odd["v"], "v": odd["u"]}), strict=True):
            pyarrow.parquet.write_table(pa.table(turned), path)
            with pytest.raises(GraphFormatError, match="must be all integers or all texts"):
                store.register_edges("lake", path, ids=ids, epsilon_budget=3, engine="spark")
    pyarrow.parquet.write_table(pa.table({"u": whole, "v": pa.array([2, 3, 4], pa.uint64())}), path)
    for number, ends in enumerate(ODD):
        pyarrow.parquet.write_table(pa.table({"id": ends}), listed)
        with pytest.raises(GraphFormatError, match="must be all integers or all texts"):
            store.register_edges(
                "lake", path, listed, ids=kinds[number % 2], epsilon_budget=3, engine="spark"
            )
    row = store.register_edges("lake", path, ids="integer", epsilon_budget=3, engine="spark")
    assert row["exact"] == {"edge_count": 3, "max_degree": 2}
    for ends in ODD:
        pyarrow.parquet.write_table(pa.table({"u": ends, "v": whole}), path)  # as it is now, before the debit
        with pytest.raises(StoreError, match="nothing was spent"):
            store.priv_top_k("lake", "degree", 1, 1, engine="spark")
    assert store.budget("lake")["epsilon_spent"] == 0


def test_edges_at_an_address_are_registered_debited_and_drawn(
    spark: Any, open_any: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "edges.parquet"
    pyarrow.parquet.write_table(table_of(GRAPH), path)
    store = open_any()
    row = store.register_edges("lake", "edges.parquet", epsilon_budget=3, degree_bound=150, engine="spark")
    nodes = len(np.unique(table_of(GRAPH).to_pandas()))
    assert row["node_count"] == nodes
    assert row["exact"] == {"edge_count": GRAPH.edge_count, "max_degree": GRAPH.max_degree}
    assert [each["name"] for each in store.graphs()] == ["lake"]
    release = store.priv_top_k("lake", "ebc", 3, 1, "sld", engine="spark", request_id="once")
    assert release.receipt["epsilon_spent"] == 1
    assert release.to_dict()["public"]["degree_bound"] == 150
    again = store.priv_top_k("edges.parquet", "ebc", 3, 1, "sld", engine="spark", request_id="once")
    assert again.nodes == release.nodes
    assert again.kept
    assert store.estimate("lake", metric="degree", k=1, epsilon=1, engine="spark")["refused"] is None
    assert store.estimate("lake", metric="ebc", k=1, epsilon=1, engine="spark")["refused"] is None
    by_rounds = store.estimate("lake", metric="betweenness2", k=1, epsilon=1, mechanism="sld", engine="spark")
    assert "has no betweenness2" in by_rounds["refused"]
    for refused, says in [
        (lambda: store.priv_top_k("lake", "degree", 1, 1), "must be 'spark'"),
        (
            lambda: store.priv_top_k("lake", "betweenness2", 1, 1, "sld", engine="spark"),
            "has no betweenness2",
        ),
        (lambda: store.priv_top_k("lake", "degree", 1, 3, engine="spark"), "what is left of the budget"),
        (
            lambda: store.summary("lake", 1, engine="spark"),
            "it draws only priv_top_k, motkin, count, distribution",
        ),
        (lambda: store.summary("lake", 1), "must be 'spark'"),
        (lambda: store.exact("lake", "degree"), "only Spark reads"),
        (lambda: store.graph("lake"), "only Spark reads"),
        (lambda: store.register_edges("pond", path), "use that name"),
        (lambda: store.load(KITE, "lake", replace=True), "is registered, and only a loaded one"),
    ]:
        with pytest.raises(EdgeDPError, match=says):
            refused()
    assert store.check() == []
    path.rename(tmp_path / "gone.parquet")
    with pytest.raises(StoreError, match="cannot read as Parquet"):
        store.priv_top_k("lake", "degree", 1, 1, engine="spark")
    assert store.budget("lake")["epsilon_spent"] == 1
    assert [each["nodes"] for each in store.releases("lake")] == [release.nodes]
    store.drop("lake")
    with pytest.raises(StoreError, match="under the name 'lake'"):
        store.register_edges("pond", tmp_path / "edges.parquet")


def changed(graph: Graph, **columns: list) -> pa.Table:
    more = pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})
    return pa.concat_tables([table_of(graph), more])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (changed(GRAPH, source=[7], target=[0]), NODES_CHANGED),
        (changed(GRAPH, source=[None], target=[0]), IDS_BROKEN),
        (changed(GRAPH, source=[0] * 199, target=list(range(10, 2000, 10))), BOUND_BROKEN),
        (None, ENGINE_FAILED),
    ],
    ids=["nodes", "ids", "bound", "file"],
)
def test_after_the_debit_only_a_constant_sentence_is_said(
    spark: Any, open_embedded: OpenStore, tmp_path: Path, rows: pa.Table | None, says: str
) -> None:
    path, nodes = tmp_path / "edges.parquet", tmp_path / "nodes.parquet"
    pyarrow.parquet.write_table(table_of(GRAPH), path)
    pyarrow.parquet.write_table(pa.table({"id": GRAPH.node_ids}), nodes)
    store = open_embedded()
    given = nodes if says in (BOUND_BROKEN, ENGINE_FAILED) else None
    store.register_edges("lake", path, given, epsilon_budget=3, degree_bound=GRAPH.max_degree, engine="spark")
    if rows is None:
        whole = bytearray(path.read_bytes())
        whole[4:400] = bytes(396)  # the footer, which tells the columns, stays
        path.write_bytes(whole)
    else:
        pyarrow.parquet.write_table(rows, path)
    with pytest.raises(EdgeDPError) as refused:
        store.priv_top_k("lake", "degree", 2, 1, "em", engine="spark")
    assert str(refused.value).partition(" (release ")[0] == says
    assert refused.value.__cause__ is None
    assert store.budget("lake")["epsilon_spent"] == 1
    assert [each["nodes"] for each in store.releases("lake")] == [None]


@pytest.mark.parametrize(("heading", "said"), [("id", None), ("", None), ("id", True)])
def test_spark_reads_a_list_of_nodes_that_this_process_registered(
    spark: Any, open_embedded: OpenStore, tmp_path: Path, heading: str, said: bool | None
) -> None:
    """What this process has found out of its first line itself is nowhere said."""
    edges, nodes = tmp_path / "pay.csv", tmp_path / "nodes.csv"
    edges.write_text("payer,payee\n1,2\n2,3\n")
    nodes.write_text(f"{heading}\n1\n2\n3\n".lstrip())
    store = open_embedded()
    store.register_edges(
        "lake", edges, nodes, source="payer", target="payee", nodes_header=said, epsilon_budget=3
    )
    assert store.count("lake", "edges", 1, engine="spark").private
    nodes.rename(other := tmp_path / "nodes.dat")
    store.drop("lake")
    store.register_edges("lake", edges, other, source="payer", target="payee", nodes_header=said)
    with pytest.raises(EdgeDPError, match="leave the engine out" if said else "cannot read as Parquet"):
        store.count("lake", "edges", 1, engine="spark")
    assert store.budget("lake")["epsilon_spent"] == 1


def test_the_command_registers_texts_and_asks_by_their_address(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pay.csv").write_text("payer,payee,sum\n# no row\n1,2,9\n1,3,9\n1,4,9\n2, 3,9\n")
    runner = CliRunner()

    def run(*words: str) -> Any:
        return runner.invoke(command_line, ["--store", "s.edgedp", *words], catch_exceptions=False)

    words = ["register", "pay", "--edges", "pay.csv", "--epsilon-budget", "99", "--source", "payer"]
    done = run(*words, "--target", "payee")
    assert done.exit_code == 0, done.output
    assert "registered pay: 4 nodes" in done.output
    asked = ["--metric", "degree", "-k", "1", "--epsilon", "90", "--format", "json"]
    done = run("topk", "pay.csv", "--engine", "spark", *asked)
    assert done.exit_code == 0, done.output
    shown = json.loads(done.stdout)
    assert shown["nodes"] == [1]
    assert shown["graph"] == "pay"
    Path("names.tsv").write_text("ada\tbob\nbob\tcyd\n")
    for refused, says in [
        (["register", "x", "--edges", "names.tsv"], "--no-header"),
        (["register", "x", "--edges", "none.csv"], "does not exist"),
        (["register", "x", "--edges", "pay.csv", "--node-label", "L"], "--node-label is not an option"),
        (["register", "pay", "--edges", "names.tsv", "--no-header"], "is stored already"),
        (["topk", "names.tsv", "--engine", "spark", *asked], "must be a stored one"),
    ]:
        done = run(*refused)
        assert done.exit_code == 1, done.output
        assert says in done.output
        assert done.output.count("\n") == 1
    assert run("register", "x", "--nodes", "n.csv").exit_code == 2


def test_a_graph_of_the_store_is_drawn_by_spark_too(spark: Any, open_embedded: OpenStore) -> None:
    store = open_embedded()
    store.load(KITE, "kite", epsilon_budget=99)
    release = store.priv_top_k("kite", "degree", 1, 90, engine="spark")
    assert release.nodes == ["c"]
    assert release.to_dict()["public"]["nodes"].startswith("read from the edges")


@pytest.mark.slow
@pytest.mark.spark
def test_executors_that_are_killed_after_the_noise_was_drawn_fail_the_release(tmp_path: Path) -> None:
    child = Path(__file__).parents[1] / "support" / "spark_children.py"
    variables = os.environ | {"EDGEDP_SPARK_MASTER": "local-cluster[2,1,1024]", "EDGEDP_SPARK_MEMORY": "1g"}
    words = [sys.executable, "-W", "ignore", str(child), str(tmp_path)]
    done = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=550)
    assert done.returncode == 0, done.stderr
    alive, refused, spent = done.stdout.splitlines()
    assert alive == "2"
    assert refused.partition(" (release ")[0] == ENGINE_FAILED
    assert spent == "2.0 None"
    assert done.stderr == ""


# -- without Spark ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        {"mechanism": "em"}, {"mechanism": "sld"},
        {"mechanism": "pf", "k": 2}, {"mechanism": "em", "k": 2},
    ],
    ids=str,
)  # fmt: skip
def test_partitions_draw_the_exact_law(
    tried: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, asked: dict
) -> None:
    """By the secure source. False alarms: 1 in a million a case."""
    asks = planned(KITE, metric="degree", **({"k": 1, "epsilon": 2} | asked))
    monkeypatch.setattr(drawing, "_ask", in_process(tried, KITE, 2))
    edges: Any = SimpleNamespace(kind="string", degrees=lambda: None, arc_counts=lambda *_: None)
    runs = 600
    counts = Counter(draw_on_spark(asks, edges, None, SecureSource()).ids for _ in range(runs))  # type: ignore[arg-type]
    law = law_of(asks)
    assert set(counts) <= set(law)
    likely = [answer for answer in law if runs * law[answer] >= 5]
    rest = 1 - sum(law[answer] for answer in likely)
    observed = [counts[answer] for answer in likely]
    expected = [runs * law[answer] for answer in likely]
    if rest > 1e-9:
        observed, expected = [*observed, runs - sum(observed)], [*expected, runs * rest]
    assert stats.chisquare(observed, expected).pvalue > 1e-6


def law_of(asks: Any) -> dict[tuple[str, ...], float]:
    """Return the exact law of the answer, in order."""
    ids = KITE.node_ids.tolist()
    from edgedp.mechanisms.scores.sums import top_k_scores

    law = top_k_scores(asks, GraphProjection(KITE)).ordered_law(asks.k)
    return {tuple(ids[at] for at in order): p for order, p in law.items()}


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_task_that_is_tried_again_draws_nothing(tried: SimpleNamespace, attempt: int) -> None:
    tried.attempt = attempt
    batch = pa.RecordBatch.from_pydict({"id": [1], "degree": [3]})
    for step in (
        DrawWords(SecureSource(), 0),
        DrawJoint(counted(KITE, 1), SecureSource()),
        DrawBest(planned(KITE, metric="degree", mechanism="em"), 1, source=SecureSource()),
    ):
        with pytest.raises(RuntimeError, match=executors.AGAIN):
            list(step(iter([batch])))
    drawn = pa.RecordBatch.from_pydict({"id": [1], "degree": [3], "word": [5]})
    read = DrawBest(planned(KITE, metric="degree", mechanism="em"), 1)
    assert next(iter(read(iter([drawn])))).num_rows == 2, "what is read and not drawn may be read again"


@pytest.mark.parametrize(
    "asked", [{"metric": "degree", "mechanism": "em"}, {"metric": "ebc", "mechanism": "sld"}]
)
@pytest.mark.parametrize("most", [None, 1])
def test_what_a_partition_tells_is_of_all_of_its_batches(
    tried: SimpleNamespace, asked: dict, most: int | None
) -> None:
    """The largest degree, the digest of the words, and the best row that stays behind may be in the first."""
    rng = np.random.default_rng(3)
    rows = {"id": [*range(29), None], "degree": list(range(60, 30, -1))}
    batch = pa.RecordBatch.from_pydict(
        {name: pa.array(each, pa.int64()) for name, each in rows.items()}
        | {"word": pa.array(rng.integers(0, 2**62, 30))}
    )
    step = DrawBest(planned(GRAPH, k=2, **asked), 2, most=most)
    whole = list(step(iter([batch])))
    for at in (1, 15):
        assert list(step(iter([batch.slice(0, at), batch.slice(at)]))) == whole
        assert next(step(iter([batch.slice(at), batch.slice(0, at)])))[-1:] == whole[0][-1:]
    assert (whole[0]["degree"][-1].as_py(), whole[0]["rows"][-1].as_py()) == (60, 30)


def test_what_an_executor_raises_holds_no_value(tried: SimpleNamespace) -> None:
    batch = pa.RecordBatch.from_pydict({"id": ["ada"], "degree": ["seven"]})
    with pytest.raises(RuntimeError) as raised:
        list(DrawWords(SecureSource(), 0)(iter([batch.select([0])])))
    assert str(raised.value) == executors.FAILED
    assert raised.value.__cause__ is None


def test_other_words_in_a_second_reading_refuse_the_release(
    tried: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = planned(GRAPH, metric="ebc", mechanism="sld", k=1)
    read = []

    def drawn_anew(rows: Any, edges: Any, step: DrawBest) -> pa.Table:
        read.append(step)
        anew = DrawBest(step.plan, step.k, step.dropped, SecureSource(), 0, 1, step.threshold)
        return in_process(tried, GRAPH, 2)(rows, edges, anew)

    monkeypatch.setattr(drawing, "_ask", drawn_anew)
    monkeypatch.setattr(drawing._Rounds, "_evaluated", lambda *_: -np.inf)
    edges: Any = SimpleNamespace(kind="long", degrees=lambda: None)
    edges.kept = lambda: edges
    monkeypatch.setattr(drawing, "arrow_map", lambda *_: SimpleNamespace(localCheckpoint=lambda eager: None))
    with pytest.raises(EngineError, match=ENGINE_FAILED):
        draw_on_spark(asks, edges, None, SecureSource())  # type: ignore[arg-type]
    assert len(read) == 2


def test_what_spark_does_not_draw_is_refused_by_the_plan() -> None:
    facts = PublicFacts(9)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"metric": "betweenness2", "mechanism": "sld"}, "has no betweenness2"),
        ({"metric": "ebc", "mechanism": "ld", "sensitivity_form": "common_neighbors"}, "'common_neighbors'"),
    ]
    for asked, says in cases:
        options: dict[str, Any] = {"k": 1, "epsilon": 1, **asked}
        with pytest.raises(EngineError, match=says):
            drawing.check_can_draw(plan("priv_top_k", options, facts))
    with pytest.raises(EngineError, match="and not summary"):
        drawing.check_can_draw(plan("summary", {"epsilon": 1}, facts))


def test_a_missing_extra_and_other_frames_are_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EdgeDPError, match="dataframe is a dict, must be a pyspark"):
        priv_top_k({"u": [1]}, "degree", 1, 1)  # type: ignore[arg-type]
    monkeypatch.setattr(session.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"install edgedp\[spark\]"):
        priv_top_k({"u": [1]}, "degree", 1, 1)  # type: ignore[arg-type]


def session_with(**settings: str) -> Any:
    """Return what `check_session` looks at; a dot is written as two underscores."""
    told = {f"spark.{name.replace('__', '.')}": value for name, value in settings.items()}
    context = SimpleNamespace(_conf=told)
    return SimpleNamespace(_jsparkSession=1, sparkContext=context)


def test_a_session_in_which_tasks_run_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("true", " TRUE "):
        with pytest.raises(EngineError, match="speculation is true"):
            session.check_session(session_with(master="local[2]", speculation=word))
    with pytest.raises(EngineError, match="Spark Connect"):
        session.check_session(SimpleNamespace())  # type: ignore[arg-type]
    pyspark = pytest.importorskip("pyspark.sql")
    found = session_with(master="local[2]", speculation="true")
    monkeypatch.setattr(session, "check_installed", lambda: None)
    monkeypatch.setattr(pyspark.SparkSession, "getActiveSession", lambda: found)
    with pytest.raises(EngineError, match="speculation is true"):
        session.open_session()


@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        ({"master": "local[*]"}, False),
        ({"master": "local-cluster[2,1,1024]"}, False),
        ({"master": "spark://node:7077"}, True),
        ({"master": "yarn", "io__encryption__enabled": "true"}, True),
        ({"master": "k8s://https://node", "authenticate": "true"}, True),
        ({"master": "spark://node:7077", "network__crypto__enabled": "true"}, True),
        ({"master": "yarn", "authenticate": "true", "network__crypto__enabled": "true"}, False),
        ({"master": "yarn", "authenticate": "true", "ssl__rpc__enabled": "true"}, False),
        ({}, True),
    ],
    ids=str,
)
def test_a_cluster_whose_network_is_in_the_clear_is_refused(settings: dict[str, str], refused: bool) -> None:
    """Edges, noise and the key of what is spilled cross it."""
    asked = session_with(**settings)
    if not refused:
        assert session.check_session(asked) is asked
        return
    with pytest.raises(EngineError, match=r"in the clear; set spark\.authenticate"):
        session.check_session(asked)


@pytest.mark.parametrize("place", ["edges", pytest.param("edges/a.parquet", marks=pytest.mark.wide)])
def test_rows_that_change_while_a_list_is_drawn_are_not_read_again(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    before, after = (Graph.from_edges([(hub, each) for each in range(30) if each != hub]) for hub in (3, 7))
    (tmp_path / "edges").mkdir()
    pyarrow.parquet.write_table(table_of(before), tmp_path / "edges" / "a.parquet")
    store = open_store(tmp_path / "s.edgedp")
    store.register_edges("lake", str(tmp_path / place), epsilon_budget=999, degree_bound=40, engine="spark")
    counted = Edges.degrees

    def then_changed(edges: Edges) -> Any:
        degrees = counted(edges)
        for name in ("a.parquet", "b.parquet") if store.budget("lake")["epsilon_spent"] else ():
            pyarrow.parquet.write_table(table_of(after), tmp_path / "new.parquet")
            (tmp_path / "new.parquet").replace(tmp_path / "edges" / name)
        return degrees

    monkeypatch.setattr(Edges, "degrees", then_changed)
    assert store.priv_top_k("lake", "ebc", 1, 90, "sld", engine="spark").nodes == [3]
    assert store.budget("lake")["epsilon_spent"] == 90
    monkeypatch.undo()
    assert store.priv_top_k("lake", "degree", 1, 90, "em", engine="spark").nodes == [7]


def test_a_session_of_ours_writes_nothing_in_the_clear_and_listens_to_nobody(spark: Any) -> None:
    told = spark.sparkContext.getConf()
    for name in ("ui.enabled", "eventLog.enabled", "speculation"):
        assert told.get(f"spark.{name}") == "false"
    assert told.get("spark.io.encryption.enabled") == "true"
    assert told.get("spark.task.maxFailures") == told.get("spark.stage.maxConsecutiveAttempts") == "1"
    assert told.get("spark.driver.bindAddress") == told.get("spark.driver.host") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None


def test_what_is_counted_at_nodes_is_kept_and_not_read_again(spark: Any, tmp_path: Path) -> None:
    """Several picks of one release read it, and noise that is drawn behind a shuffle may be drawn again."""
    path = str(tmp_path / "edges.parquet")
    pyarrow.parquet.write_table(pa.table({"source": [1, 1, 2], "target": [2, 3, 3]}), path)
    edges = edges_of(spark.read.parquet(path))
    kept = [edges.degrees(), edges.arc_counts("in_degree"), edges.arc_counts("out_degree", cap=1)]
    before = [sorted(each.collect()) for each in kept]
    pyarrow.parquet.write_table(pa.table({"source": [1], "target": [2]}), path)
    assert [sorted(each.collect()) for each in kept] == before
    for each in kept:
        assert each._jdf.queryExecution().analyzed().getClass().getSimpleName() == "LogicalRDD"


def test_ego_networks_are_not_kept(held: tuple[Edges, Any]) -> None:
    edges, _ = held
    caches = edges.frame.sparkSession._jsparkSession.sharedState().cacheManager()
    assert caches.isEmpty()
    edges.values("ebc", [0, 10])
    assert caches.isEmpty()


def test_another_thread_finds_the_session(spark: Any) -> None:
    """Which session is active is known to the thread that began it; a second one would end the first."""
    with ThreadPoolExecutor(2) as threads:
        found = [each.result() for each in [threads.submit(session.open_session) for _ in range(2)]]
    assert [each.sparkContext for each in found] == [spark.sparkContext] * 2
    assert spark.range(3).count() == 3


@pytest.mark.parametrize("log", ["_delta_log", ".hoodie", "metadata"])
def test_a_table_whose_log_says_which_files_count_is_not_read_as_parquet(
    spark: Any, tmp_path: Path, log: str
) -> None:
    part = tmp_path / "payments" / "month=1"
    part.mkdir(parents=True)
    pa.parquet.write_table(table_of(KITE), part / "a.parquet")
    ends: dict[str, Any] = {"source": "source", "target": "target"}
    place = Place(edges=canonical(tmp_path / "payments", "edges"), **ends)
    assert sources.opened(place, spark).frame.count() == KITE.edge_count
    (tmp_path / "payments" / log).mkdir()
    (tmp_path / "payments" / log / "v1.metadata.json").write_text("{}")
    for inside in (part.parent, part, part / "a.parquet"):
        with pytest.raises(StoreError, match="files of removed rows stay"):
            sources.opened(Place(edges=canonical(inside, "edges"), **ends), spark)


def test_a_name_that_is_no_file_says_so_before_spark_is_asked(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"does not exist; .* a table of a catalogue"):
        sources.detected(Place(edges=canonical(tmp_path / "lake.payments", "edges")))


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("s3a://key:word@lake/e", "password"),
        ("s3a://key:wo/word@lake/e", "password"),
        ("S3://key:/word@lake/e", "password"),
        ("s3n://key:1/word@lake", "password"),
        ("s3a://word@lake/e", "a key"),
        ("gs://a:b/word@lake/e", "password"),
        ("hdfs://ada:word@nn/e", "password"),
        ("hdfs://ada:wo/word@nn/e", "password"),
        ("abfss://box:word@store/e", "password"),
        ("odd://word@lake/e", "a key"),
        ("file://word@host/e", "a key"),
        ("lake/*.csv", "pattern"),
        (" ", "not an address"),
        (7, "not an address"),
    ],
)
def test_an_address_that_the_registry_must_not_keep_is_refused(address: Any, says: str) -> None:
    with pytest.raises(EdgeDPError, match=says) as refused:
        canonical(address, "edges")
    assert "word@" not in str(refused.value)


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("FILE:///lake/e.csv", "file:///lake/e.csv"),
        ("File:/lake/e.csv", "file:///lake/e.csv"),
        ("file://localhost/lake//e.csv", "file:///lake/e.csv"),
        ("S3A://lake//a/./b/../c/", "s3a://lake/a/c"),
        ("hdfs:///a", "hdfs:///a"),
        ("s3a://lake/", "s3a://lake"),
        ("s3a://lake/a@b", "s3a://lake/a@b"),
        ("hdfs://ada@nn:8020/a@b", "hdfs://ada@nn:8020/a@b"),
        ("abfss://box@store/e", "abfss://box@store/e"),
    ],
)
def test_spellings_of_an_address_have_one_ledger(spelling: str, address: str) -> None:
    assert canonical(spelling, "edges") == address
    assert canonical(address, "edges") == address


@pytest.mark.parametrize(
    ("edges", "nodes", "dropped"),
    [
        ("s3a://l/e", None, {"header": True, "nodes_header": True, "separator": ";", "comments": "#"}),
        (
            "table:bank.pay",
            "s3a://l/n",
            {"header": False, "nodes_header": False, "separator": ";", "comments": "#"},
        ),
        ("s3a://l/e", "s3a://l/n.csv", {"header": True}),
        ("s3a://l/e.csv", None, {"nodes_header": True}),
        ("s3a://l/e.csv", "table:bank.nodes", {"nodes_header": True}),
    ],
)
def test_what_is_said_of_texts_is_kept_of_texts_and_refused_of_others(
    edges: str, nodes: str | None, dropped: dict[str, Any]
) -> None:
    said = {"header": True, "nodes_header": True, "separator": ";", "comments": "%"} | dropped
    for name, value in said.items():
        asked = checked_options(**{name: value})
        if name in dropped:
            with pytest.raises(ParameterError, match=f"{name} has no effect"):
                Place.asked(edges, nodes, asked)
        else:
            kept = json.loads(Place.asked(edges, nodes, asked).to_json())
            assert kept[{"comments": "comment"}.get(name, name)] == value


def test_two_processes_that_register_an_address_at_once_get_one_ledger(
    open_embedded: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "check_installed", lambda: None)
    monkeypatch.setattr(sources, "detected", lambda place: place)
    monkeypatch.setattr(sources, "surveyed", lambda *_: Figures(5, 5, 3, 0))
    store = open_embedded()
    free = addressed._check_free

    def overtaken(*asked: Any) -> None:
        free(*asked)
        monkeypatch.setattr(addressed, "_check_free", free)
        open_embedded().register_edges("first", tmp_path / "e.csv", epsilon_budget=1, engine="spark")

    monkeypatch.setattr(addressed, "_check_free", overtaken)
    with pytest.raises(StoreError, match="under the name 'first'"):
        store.register_edges("second", tmp_path / "e.csv", epsilon_budget=1, engine="spark")
    assert [row["name"] for row in store.graphs()] == ["first"]
    store.register_edges("third", "s3://Lake/e", epsilon_budget=1, engine="spark")
    with pytest.raises(StoreError, match="under the name 'third'"):
        store.register_edges("fourth", "s3a://lake/e", epsilon_budget=1, engine="spark")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3a://lake/e", "s3://LAKE/e/month=2024-06/"),
        ("s3a://lake/e/a.parquet", "S3N://lake/x/../e"),
        ("hdfs://nn/e", "hdfs://ada@NN:8020/e/part"),
        ("hdfs://nn/e/part", "hdfs://nn"),
        ("file:///lake/e", "/lake/e/../e/month=1"),
        ("abfss://c@account/e", "abfs://c@account/e/a"),
        ("abfss://c@account.dfs.core.windows.net/e", "wasbs://c@account.blob.core.windows.net/e"),
        ("abfss://c@account.dfs.core.windows.net/e", "abfs://c/e/a"),
        ("hdfs://nn/e", "hdfs:///e"),
        ("hdfs://127.0.0.1:9000/e", "hdfs://localhost.:09000/e/part"),
    ],
)
def test_an_address_inside_or_around_a_registered_one_has_its_ledger(
    open_embedded: OpenStore, monkeypatch: pytest.MonkeyPatch, one: str, other: str
) -> None:
    monkeypatch.setattr(session, "check_installed", lambda: None)
    monkeypatch.setattr(sources, "detected", lambda place: place)
    monkeypatch.setattr(sources, "surveyed", lambda *_: Figures(5, 5, 3, 0))
    store = open_embedded()
    store.register_edges("first", one, epsilon_budget=1, engine="spark")
    for _ in range(2):  # at once, and where somebody else was quicker than the first look
        with pytest.raises(StoreError, match="under the name 'first'"):
            store.register_edges("second", other, epsilon_budget=1, engine="spark")
        monkeypatch.setattr(addressed, "_ledgers", lambda *_: [])
    store.drop("first")
    with pytest.raises(StoreError, match="under the name 'first'"):
        store.register_edges("second", other, epsilon_budget=1, engine="spark")
    beside = sources.canonical(one, "edges") + "2"
    store.register_edges("third", beside, epsilon_budget=1, engine="spark")


def test_columns_that_changed_are_not_named_before_the_debit(
    open_embedded: OpenStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a text that lost its heading the names are an edge."""
    monkeypatch.setattr(session, "check_installed", lambda: None)
    monkeypatch.setattr(sources, "detected", lambda place: place)
    monkeypatch.setattr(sources, "surveyed", lambda *_: Figures(5, 5, 3, 0))
    store = open_embedded()
    store.register_edges(
        "lake", tmp_path / "e.csv", epsilon_budget=1, source="payer", target="payee", engine="spark"
    )
    monkeypatch.setattr(session, "open_session", lambda: None)
    frame = SimpleNamespace(columns=["4711", "4712"])
    monkeypatch.setattr(sources, "_read", lambda *asked: frame)
    with pytest.raises(StoreError) as refused:
        store.priv_top_k("lake", "degree", 1, 1, "em", engine="spark")
    assert str(refused.value) == on_spark.OTHER_COLUMNS
    assert store.budget("lake")["epsilon_spent"] == 0


def test_a_row_of_the_registry_that_was_edited_is_refused() -> None:
    with pytest.raises(StoreError, match="was edited"):
        Place.kept("file:///e", '{"pace": 1}')


def test_nothing_of_spark_is_imported_before_it_is_asked_for() -> None:
    seen = (
        "import sys, edgedp, edgedp.spark, edgedp.faces.cli; "
        "sys.exit('pyspark' in sys.modules or 'pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", seen], timeout=300).returncode == 0


def test_the_noise_of_a_batch_is_that_of_the_joint_release() -> None:
    """One place for counts, sensitivity and scale: what an executor calls is what a draw in memory calls."""
    assert executors.noisy is joint.noisy
    assert executors.arc_counts is arcs.arc_counts
    assert executors.arc_moves is arcs.arc_moves


def test_figures_are_those_of_the_graph(held: tuple[Edges, Any]) -> None:
    figures = figures_of(held[1])
    assert (figures.node_count, figures.edge_count) == (GRAPH.node_count, GRAPH.edge_count)
    assert (figures.max_degree, figures.nameless) == (GRAPH.max_degree, 0)
