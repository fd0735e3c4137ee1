"""Spark with directions: in- and out-degrees of rows are those of a graph in memory, and are drawn by the same law."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from conftest import OpenStore
from scipy import stats

from edgedp import Graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.weights import weighting_of
from edgedp.mechanisms.adaptive.arcs import arc_scores
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.release.draw import draw
from edgedp.release.plan import ArcsPlan, PublicFacts, plan
from edgedp.release.release import Nodes
from edgedp.spark import drawing, priv_top_k
from edgedp.spark.drawing import draw_on_spark, rows_of
from edgedp.spark.edges import Edges
from edgedp.spark.executors import SecureSource, SeededSource, arc_keys
from edgedp.spark.frames import edges_of, held_edges
from edgedp.spark.sources import Place
from edgedp.words.errors import EdgeDPError, EngineError, ParameterError
from edgedp.words.refusals import IDS_BROKEN, NODES_CHANGED
from spark_doubles import Replayed, in_process, tried, words_by_id

__all__ = ["tried"]

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def power_law(nodes: int, arcs: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    ends = (nodes * rng.random((arcs, 2)) ** [2, 4]).astype(np.int64)
    return Graph.from_edges(10 * ends, nodes=10 * np.arange(nodes), directed=True)


GRAPH = power_law(150, 900, 1)
KITE = Graph.from_edges(
    [("a", "c"), ("b", "c"), ("d", "c"), ("c", "a"), ("d", "b"), ("e", "b"), ("e", "e")], directed=True
)
"""``c`` has three arcs to it, ``b`` two, ``a`` one."""


def planned(graph: Graph, protect: Any = "pair", **asked: Any) -> ArcsPlan:
    facts = PublicFacts(graph.node_count, None, nodes_supplied=True, directed=True, protect=protect)
    found = plan("priv_top_k", {"k": 5, "epsilon": 5} | asked, facts)
    assert isinstance(found, ArcsPlan)
    return found


def table_of(graph: Graph) -> pa.Table:
    ends = graph.node_ids[graph.arcs()]
    return pa.table({"payer": ends[:, 0], "payee": ends[:, 1]})


def counts(edges: Edges, name: Any, cap: int | None = None) -> dict[Any, int]:
    return {row["id"]: row["degree"] for row in edges.arc_counts(name, cap).collect()}


LARGE = Graph.from_edges([(-(2**62), 5), (5, 2**62), (5, -(2**62))], directed=True)


@pytest.mark.parametrize(
    ("graph", "name", "cap"),
    [(GRAPH, "in_degree", None), (GRAPH, "out_degree", 3), (KITE, "in_degree", 1), (LARGE, "in_degree", 1)],
    ids=["in", "out through cuts", "texts", "large"],
)
def test_rows_are_counted_as_a_directed_graph_in_memory_counts_them(
    spark: Any, graph: Graph, name: Any, cap: int | None
) -> None:
    """Arcs there and back; integers, large and below 0, and texts; with nodes without an arc."""
    projection = GraphProjection(graph)
    values = projection.values(name).astype(int) if cap is None else projection.arc_votes(name, cap)
    assert counts(held_edges(spark, graph), name, cap) == dict(
        zip(graph.node_ids.tolist(), values.tolist(), strict=True)
    )


def test_rows_that_say_an_arc_twice_or_lack_an_end_count_as_they_are(spark: Any) -> None:
    table = pa.table({"source": [1, 1, 2, 2, None, 4], "target": [2, 2, 1, 2, 3, 2]})
    edges = edges_of(spark.createDataFrame(table))
    assert counts(edges, "in_degree") == {1: 1, 2: 2, 4: 0, None: 0}
    assert counts(edges, "out_degree", cap=1) == {1: 0, 2: 1, 4: 1, None: 0}, "of 2, one of two"
    some = Edges(edges.frame, spark.createDataFrame(pa.table({"id": [1, 2, 9]})), "long")
    assert counts(some, "in_degree") == {1: 1, 2: 2, 4: -1, 9: 0, None: -1}


@pytest.mark.parametrize(
    "asked",
    [
        {"metric": "in_degree", "mechanism": "em"},
        {"metric": "out_degree", "mechanism": "pf", "k": 2, "epsilon": 1},
    ],
    ids=str,
)
def test_the_same_noise_gives_the_same_picks(spark: Any, asked: dict[str, Any]) -> None:
    asks, source, edges = planned(GRAPH, **asked), SeededSource(5), held_edges(spark, GRAPH)
    rows = rows_of(asks, edges).sortWithinPartitions("id").localCheckpoint()
    answer = draw_on_spark(asks, edges, rows, source)
    turns = range(asks.k if asked["mechanism"] == "pf" else 1)
    drawn = [words_by_id(edges, rows, source, turn) for turn in turns]
    given, left = [], np.ones(GRAPH.node_count, dtype=np.bool_)
    for turn in turns:
        given.append(drawn[turn][1][left])
        left[np.searchsorted(GRAPH.node_ids, answer.ids[turn])] = False
    assert draw(asks, GraphProjection(GRAPH), Replayed(given, source.own())) == answer


@pytest.mark.parametrize(
    ("protect", "cap"), [("pair", None), ("source", 2)], ids=["a pair", "a source through cuts"]
)
def test_a_vector_of_one_partition_takes_the_words_that_a_graph_in_memory_takes(
    spark: Any, protect: str, cap: int | None
) -> None:
    edges, source = held_edges(spark, GRAPH), SeededSource(3)
    asks = planned(GRAPH, protect, metric="in_degree", mechanism="joint", epsilon="0.001", cap=cap)
    answer = draw_on_spark(asks, edges, rows_of(asks, edges).coalesce(1).sortWithinPartitions("id"), source)
    in_memory = draw(asks, GraphProjection(GRAPH), source.words(0, 0))
    assert isinstance(in_memory, Nodes)
    assert in_memory.ids == answer.ids


def rows_in_process(context: SimpleNamespace, graph: Graph, name: str, parts: int) -> Any:
    values = GraphProjection(graph).values(name).astype(np.int64)
    stand_in: Any = SimpleNamespace(node_ids=graph.node_ids, degrees=values)
    return in_process(context, stand_in, parts)


@pytest.mark.parametrize("asked", [{"mechanism": "em"}, {"mechanism": "pf"}, {"mechanism": "joint"}], ids=str)
@pytest.mark.parametrize("name", ["in_degree", "out_degree"])
def test_partitions_draw_the_exact_law(
    tried: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], name: str
) -> None:
    """By the secure source; one pick of a vector has noise of scale 1 / epsilon. False alarms: 1 in a million each."""
    asks = planned(KITE, metric=name, **({"k": 2, "epsilon": 3} | asked))
    if asks.mechanism is None:
        asks = planned(KITE, metric=name, mechanism="joint", k=1, epsilon=1)
    monkeypatch.setattr(drawing, "_ask", rows_in_process(tried, KITE, name, 2))
    edges: Any = SimpleNamespace(kind="string", degrees=lambda: None, arc_counts=lambda *_: None)
    runs = 600
    found = Counter(draw_on_spark(asks, edges, None, SecureSource()).ids for _ in range(runs))  # type: ignore[arg-type]
    law = law_of(asks)
    assert set(found) <= set(law)
    likely = [answer for answer in law if runs * law[answer] >= 5]
    rest = 1 - sum(law[answer] for answer in likely)
    observed = [*(found[answer] for answer in likely), runs - sum(found[answer] for answer in likely)]
    expected = [*(runs * law[answer] for answer in likely), runs * rest]
    many = len(likely) + (rest > 1e-9)
    assert stats.chisquare(observed[:many], expected[:many]).pvalue > 1e-6


def law_of(asks: ArcsPlan) -> dict[tuple[str, ...], float]:
    """Return the exact law of the answer, in order; of a vector by its definition, in far more words than needed."""
    ids: list[str] = KITE.node_ids.tolist()
    if asks.mechanism is not None:
        picked = arc_scores(asks, asks.mechanism, GraphProjection(KITE)).ordered_law(asks.k)
        return {tuple(ids[at] for at in order): chance for order, chance in picked.items()}
    values = GraphProjection(KITE).values(asks.metric).astype(int)
    ratio, span = np.exp(-float(asks.epsilon)), np.arange(-60, 61)
    noise = (1 - ratio) / (1 + ratio) * ratio ** np.abs(span)
    marginal = {v: {int(v + z): p for z, p in zip(span, noise, strict=True)} for v in set(values.tolist())}
    law: dict[tuple[str, ...], float] = dict.fromkeys([(each,) for each in ids], 0.0)
    for at, first in enumerate(values.tolist()):
        for top, chance in marginal[first].items():
            ways = {0: 1.0}  # how many of the others are as large
            for other in (*values[:at].tolist(), *values[at + 1 :].tolist()):
                below = sum(p for value, p in marginal[other].items() if value < top)
                equal = marginal[other].get(top, 0.0)
                ways = {
                    n: ways.get(n, 0.0) * below + ways.get(n - 1, 0.0) * equal for n in range(len(ways) + 1)
                }
            law[(ids[at],)] += chance * sum(way / (n + 1) for n, way in ways.items())
    return law


def test_keys_of_arcs_are_those_of_cuts_and_nothing_is_drawn_for_them(tried: SimpleNamespace) -> None:
    """A lost partition of arcs may be computed again: its keys are the same."""
    tried.attempt = 3
    batch = pa.RecordBatch.from_pydict({"voter": [1, 1, 2], "counted": [2, 3, 1]})
    [keyed] = arc_keys(iter([batch]))
    found = [(each + 2**63) % 2**64 for each in keyed.column(2).to_pylist()]
    assert [hex(each) for each in found] == ["0x81a5c1377856b73", "0x22190e6f079ef17", "0xf2826f98653e9e57"]


def test_what_spark_does_not_draw_of_arcs_is_refused_by_the_plan() -> None:
    many = PublicFacts(3000, directed=True)
    with pytest.raises(EngineError, match="keeps no target_recall"):
        drawing.check_can_draw(
            plan("priv_top_k", {"metric": "in_degree", "k": 1, "epsilon": 1, "target_recall": 0.9}, many)
        )
    of_some = PublicFacts(3000, directed=True, projection={"candidates": "Product"})
    for metric in ("in_degree", "degree"):
        with pytest.raises(EngineError, match="does not rank candidates"):
            drawing.check_can_draw(plan("priv_top_k", {"metric": metric, "k": 1, "epsilon": 1}, of_some))
    weighed = replace(many, weighting=weighting_of({"pair_cap": 5, "cap": 5}))
    for metric in ("in_strength", "out_strength"):
        for mechanism in ("joint", "pf"):
            asked = {"metric": metric, "k": 1, "epsilon": 1, "mechanism": mechanism}
            with pytest.raises(EngineError, match="adds up no weights"):
                drawing.check_can_draw(plan("priv_top_k", asked, weighed))
    for mechanism in ("ld", "sld"):
        with pytest.raises(ParameterError, match="must be one of em, pf, joint"):
            planned(GRAPH, metric="in_degree", mechanism=mechanism)


def test_a_frame_of_arcs_is_ranked_by_its_holder(spark: Any) -> None:
    frame = spark.createDataFrame(
        pa.table(
            {
                "from": KITE.node_ids[KITE.arcs()][:, 0].tolist(),
                "to": KITE.node_ids[KITE.arcs()][:, 1].tolist(),
            }
        )
    )
    release = priv_top_k(frame, "in_degree", 2, 200, "em", source="from", target="to", directed=True)
    assert release.nodes == ["c", "b"]
    assert release.public["orientation"] == "directed"
    assert release.public["protects"].startswith("all arcs that leave one node, and all between two nodes")
    degrees = priv_top_k(frame, "degree", 2, 90, source=1, target=2, directed=True)
    assert sorted(degrees.nodes) == ["b", "c"], "both have three neighbours"
    assert priv_top_k(frame, "out_degree", 2, 90, "joint", source=1, target=2, directed=True, cap=1).nodes
    for asked, says in [
        ({"metric": "in_degree"}, "needs a graph whose directions were kept"),
        ({"metric": "in_degree", "directed": True, "cap": 0}, "cap is 0"),
        ({"metric": "in_degree", "directed": "yes"}, "directed is"),
        ({"metric": "in_degree", "directed": True, "proxy": "both"}, "proxy"),
    ]:
        with pytest.raises(EdgeDPError, match=says):
            priv_top_k(frame, k=1, epsilon=1, source=1, target=2, **asked)  # type: ignore[arg-type]


def test_arcs_at_an_address_are_registered_for_spark_and_protect_a_source(
    spark: Any, open_any: OpenStore, tmp_path: Path
) -> None:
    path, nodes = tmp_path / "arcs.parquet", tmp_path / "nodes.parquet"
    pyarrow.parquet.write_table(table_of(GRAPH), path)
    pyarrow.parquet.write_table(pa.table({"id": GRAPH.node_ids}), nodes)
    store = open_any()
    ends: dict[str, Any] = {"source": "payer", "target": "payee"}
    row = store.register_edges(
        "lake", path, nodes, epsilon_budget=900, engine="spark", directed=True, protect="source", **ends
    )
    assert row["directed"]
    assert row["exact"]["edge_count"] == GRAPH.edge_count
    best = GRAPH.node_ids[int(np.argmax(GRAPH.in_degrees))]
    release = store.priv_top_k("lake", "in_degree", 1, 200, engine="spark", request_id="once")
    assert release.nodes == [best]
    assert release.parameters["mechanism"] == "pf"
    assert store.priv_top_k("lake", "in_degree", 1, 200, engine="spark", request_id="once").kept
    assert (
        store.priv_top_k("lake", "in_degree", 3, 20, "joint", cap=4, engine="spark").public["protect"]
        == "source"
    )
    spent = store.budget("lake")["epsilon_spent"]
    refused_cases: list[tuple[dict[str, Any], str]] = [
        ({"metric": "out_degree"}, "all arcs that leave one node"),
        ({"metric": "degree"}, "all arcs that leave one node"),
        ({"metric": "in_degree", "mechanism": "joint"}, "all arcs that leave one node"),
        ({"metric": "in_degree", "mechanism": "sld"}, "must be one of em, pf, joint"),
        ({"metric": "in_degree", "k": 151}, "k is 151"),
    ]
    for asked, says in refused_cases:
        with pytest.raises(EdgeDPError, match=says):
            store.priv_top_k("lake", **({"k": 1, "epsilon": 1} | asked), engine="spark")
    assert store.budget("lake")["epsilon_spent"] == spent
    # After the debit only the constant sentences are said, and what was asked for stays spent.
    for rows, says in [
        (pa.table({"payer": [0, None], "payee": [10, 20]}), IDS_BROKEN),
        (pa.table({"payer": [0, 7], "payee": [10, 20]}), NODES_CHANGED),
    ]:
        pyarrow.parquet.write_table(rows, path)
        with pytest.raises(EdgeDPError) as refused:
            store.priv_top_k("lake", "in_degree", 1, 1, engine="spark")
        assert str(refused.value).partition(" (release ")[0] in (says, IDS_BROKEN)
    assert store.budget("lake")["epsilon_spent"] == spent + 2
    store.load(KITE, "kite", epsilon_budget=300)
    assert store.priv_top_k("kite", "in_degree", 2, 200, "em", engine="spark").nodes == ["c", "b"]
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "path", epsilon_budget=3)
    with pytest.raises(ParameterError, match="needs a graph whose directions were kept"):
        store.priv_top_k("path", "in_degree", 1, 1, engine="spark")
    assert store.budget("path")["epsilon_spent"] == 0


def test_an_address_that_this_process_reads_is_asked_of_spark_with_its_directions(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pay.csv").write_text("payer,payee,sum\n1,3,9\n2,3,9\n2,3,9\n4,3,1\n3,1,9\n")
    runner = CliRunner()

    def run(*words: str) -> Any:
        return runner.invoke(command_line, ["--store", "s.edgedp", *words], catch_exceptions=False)

    for name, more in (("native", []), ("far", ["--engine", "spark"])):
        Path(f"{name}.csv").write_text(Path("pay.csv").read_text())
        words = ["register", name, "--edges", f"{name}.csv", "--epsilon-budget", "999", "--directed", *more]
        done = run(*words, "--source", "payer", "--target", "payee")
        assert done.exit_code == 0, done.output
        asked = ["--metric", "in_degree", "-k", "1", "--epsilon", "90", "--format", "json"]
        done = run("topk", name, "--engine", "spark", *asked)
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["nodes"] == [3]


def test_the_registry_keeps_directions_and_undirected_rows_as_before() -> None:
    arcs = Place(edges="s3a://lake/e", directed=True)
    assert Place.kept(arcs.edges, arcs.to_json()) == arcs
    assert "directed" not in Place(edges="s3a://lake/e").to_json()


def test_the_noise_of_a_batch_is_that_of_the_release_in_memory() -> None:
    """Scores, what moves them and the unit come of the functions that a draw in memory calls."""
    from edgedp.mechanisms import joint
    from edgedp.mechanisms.adaptive import arcs
    from edgedp.spark import executors, partitions

    assert executors.arc_moves is arcs.arc_moves
    assert executors.noisy is joint.noisy
    assert partitions.arc_scores is arcs.arc_scores
    asks = planned(KITE, metric="in_degree", mechanism="joint", k=2)
    words = GeneratorWords(np.random.default_rng(4))
    assert arcs.arc_moves(asks) == 2
    values = executors.arc_counts(asks, partitions.counts_projection(KITE.in_degrees))
    assert np.array_equal(values, KITE.in_degrees)
    assert len(joint.noisy(values, 2, asks.epsilon, words)) == KITE.node_count
