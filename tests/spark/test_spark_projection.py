"""Vectors on Spark: the integers of the native engine, so that the same words give the same answer."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import OpenStore

import edgedp
from edgedp import Graph
from edgedp.graph.engines.cuts import node_words
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.release.draw import draw
from edgedp.release.plan import PublicFacts, plan
from edgedp.spark import drawing, priv_top_k, projection
from edgedp.spark.edges import Edges
from edgedp.spark.frames import edges_of, held_edges
from edgedp.spark.pairs import EDGES, LOWER, Arcs, Blocks, Cut, Keyed, MembersOf, Open, Through, ToTasks
from edgedp.spark.pieces import AddedUp, piece, pieces
from edgedp.spark.projection import SparkProjection, block_count
from edgedp.words.errors import EdgeDPError, EngineError, StoreError
from edgedp.words.refusals import IDS_BROKEN, NODES_CHANGED
from spark_doubles import power_law

# Sockets that pyspark leaves to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def named(graph: Graph) -> Graph:
    names = np.array([f"{v}é" for v in graph.node_ids.tolist()])
    return Graph.from_edges(names[graph.edges()], nodes=names)


GRAPH = power_law(200, 1500, 1)
NAMED = named(power_law(60, 300, 2))
SMALL = [
    Graph.from_edges([(1, 2)]),
    Graph.from_edges([("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")]),
    Graph.from_edges([(0, leaf) for leaf in range(1, 8)]),
    Graph.from_edges(np.argwhere(np.triu(np.ones((7, 7)), 1)), nodes=np.arange(-2, 9)),
]
LARGER = [pytest.param(graph, marks=pytest.mark.slow) for graph in (power_law(30, 200, 4), NAMED)]


def frame_of(spark: Any, graph: Graph) -> tuple[Any, Any]:
    ends = graph.node_ids[graph.edges()]
    nodes = pa.table({"id": pa.array(graph.node_ids)})
    edges = pa.table({"source": pa.array(ends[:, 0]), "target": pa.array(ends[:, 1])})
    return spark.createDataFrame(edges), spark.createDataFrame(nodes)


def check_vectors(spark: Any, graph: Graph, caps: list[int], *, whole: bool) -> None:
    ours, exact, n = SparkProjection(held_edges(spark, graph)), GraphProjection(graph), graph.node_count
    ranks = np.random.default_rng(3).permutation(n)
    few = np.argsort(-graph.degrees, kind="stable")[: max(n // 10, 1)]
    assert ours.node_ids.tolist() == graph.node_ids.tolist()
    assert np.array_equal(ours.degrees(), graph.degrees)
    assert np.array_equal(ours.ordered_degrees(ranks), exact.ordered_degrees(ranks))
    for cap in caps:
        for order in (None, ranks):
            asked = np.full(n, cap), order, 20
            assert np.array_equal(ours.cut_shares(*asked, few), exact.cut_shares(*asked, few))
            if whole:
                assert np.array_equal(ours.cut_shares(*asked), exact.cut_shares(*asked))
    if whole:
        assert np.array_equal(ours.betweenness2_shares(20), exact.betweenness2_shares(20))
        weighed = np.arange(n) % 9 + 1, ranks, np.arange(n) % 7 + 1, 50, 20
        assert np.array_equal(ours.cut_closed_shares(*weighed), exact.cut_closed_shares(*weighed))


def test_vectors_are_the_integers_of_the_native_engine(spark: Any) -> None:
    check_vectors(spark, NAMED, [5], whole=False)


@pytest.mark.wide
@pytest.mark.parametrize("graph", [GRAPH, *SMALL, *LARGER], ids=lambda graph: f"{graph.node_count} nodes")
def test_all_vectors_of_small_graphs_are_those_of_the_native_engine(spark: Any, graph: Graph) -> None:
    check_vectors(spark, graph, [2, 5, graph.node_count], whole=True)


@pytest.mark.slow
def test_all_vectors_of_the_bundled_graph_are_those_of_the_native_engine(spark: Any, enron: Graph) -> None:
    check_vectors(spark, enron, [300, 1383], whole=True)


@pytest.mark.parametrize(
    "asked",
    [
        {"metric": "ebc", "epsilon": 40, "estimates": True},
        pytest.param({"metric": "ebc", "epsilon": "0.1"}, marks=pytest.mark.wide),
        pytest.param({"metric": "ebc", "epsilon": 3, "proxy": "ordered"}, marks=pytest.mark.wide),
        pytest.param({"metric": "ebc", "epsilon": 3, "proxy": "lists", "cap": 9}, marks=pytest.mark.wide),
        pytest.param({"metric": "ebc", "epsilon": 3, "proxy": "betweenness2"}, marks=pytest.mark.wide),
        pytest.param({"metric": "betweenness2", "epsilon": 40}, marks=pytest.mark.wide),
        pytest.param({"metric": "degree", "epsilon": 1, "estimates": True}, marks=pytest.mark.wide),
        pytest.param({"metric": "ebc", "epsilon": 60, "target_recall": "0.9"}, marks=pytest.mark.wide),
    ],
    ids=str,
)
def test_the_same_words_give_the_same_answer(spark: Any, asked: dict[str, Any]) -> None:
    """With all that the list says of itself; where noise is small, the second vector decides."""
    edges, nodes = frame_of(spark, GRAPH)
    ours = priv_top_k(edges, k=8, nodes=nodes, degree_bound=150, rng=np.random.default_rng(5), **asked)
    theirs = edgedp.priv_top_k(GRAPH, k=8, degree_bound=150, rng=np.random.default_rng(5), **asked)
    assert ours == theirs
    assert ours.to_dict() == theirs.to_dict()


def test_all_vectors_are_of_one_state_of_the_rows_and_what_is_lost_is_not_read_again(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors of two states would be of two graphs, and no proof is about these."""
    path = str(tmp_path / "edges.parquet")
    pyarrow.parquet.write_table(pa.table({"source": [1, 1, 2], "target": [2, 3, 3]}), path)
    counted = Edges.degrees

    def then_changed(self: Edges) -> Any:
        found = counted(self)
        pyarrow.parquet.write_table(pa.table({"source": [1], "target": [2]}), path)
        return found

    monkeypatch.setattr(Edges, "degrees", then_changed)
    ours = SparkProjection(edges_of(spark.read.parquet(path)))
    assert ours.ordered_degrees(np.array([0, 1, 2])).tolist() == [2, 1, 0]
    kept = spark._jsc.getPersistentRDDs()
    kept[max(kept)].unpersist(True)
    with pytest.raises(Exception, match=r"[Cc]heckpoint"):
        ours.ordered_degrees(np.array([0, 1, 2]))


def written(graph: Graph, folder: Path) -> Path:
    """Write a graph's edges, and return where."""
    path, ends = folder / "edges.parquet", graph.node_ids[graph.edges()]
    pyarrow.parquet.write_table(pa.table({"a": ends[:, 0], "b": ends[:, 1]}), path)
    return path


def test_the_default_list_of_an_address_is_drawn_and_says_how_sure_it_is(
    spark: Any, open_embedded: OpenStore, tmp_path: Path
) -> None:
    path = written(GRAPH, tmp_path)
    store = open_embedded()
    store.register_edges("lake", path, epsilon_budget=90, engine="spark")
    release = store.priv_top_k("lake", "ebc", 3, 60, engine="spark")
    assert len(set(release.nodes)) == 3
    assert release.expected_recall is not None
    assert store.budget("lake")["epsilon_spent"] == 60
    for rows, says in (({"a": [7], "b": [0]}, NODES_CHANGED), ({"a": [None, 7], "b": [0, 1]}, IDS_BROKEN)):
        pyarrow.parquet.write_table(
            pa.table({name: pa.array(ids, pa.int64()) for name, ids in rows.items()}), path
        )
        with pytest.raises(EdgeDPError) as refused:
            store.priv_top_k("lake", "ebc", 3, 1, engine="spark")
        assert str(refused.value).partition(" (release ")[0] == says
        assert refused.value.__cause__ is None
    assert store.budget("lake")["epsilon_spent"] == 62


def test_conditions_of_a_release_hold_on_spark(spark: Any, open_embedded: OpenStore) -> None:
    store = open_embedded()
    pairs = [("a", "c"), ("a", "d"), ("a", "e"), ("b", "c"), ("b", "d")]
    columns = {"amount": [1, 1, 1, 2, 2]}
    store.load(Graph.from_edges(pairs, columns=columns), "calls", epsilon_budget=900)
    asked: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 200, "engine": "spark"}
    found = [
        store.priv_top_k("calls", **asked, mechanism=mechanism, where=where).nodes
        for mechanism, where in (("em", None), ("joint", ["amount>=2"]))
    ]
    assert found == [["a"], ["b"]]


@pytest.mark.wide
def test_a_list_until_it_is_sure_is_paid_step_by_step(spark: Any, open_embedded: OpenStore) -> None:
    store = open_embedded()
    store.load(GRAPH, "g", epsilon_budget=99)
    release = store.priv_top_k("g", "ebc", 3, 60, target_recall=0.5, engine="spark")
    assert len(set(release.nodes)) == 3
    assert 0 < store.budget("g")["epsilon_spent"] == release.receipt["epsilon_spent"] < 60


# -- without Spark ----------------------------------------------------------------------------------


def test_what_was_refused_for_want_of_cuts_is_drawn() -> None:
    facts = PublicFacts(9)
    for proxy in ("both", "lists", "ordered", "betweenness2", "degree"):
        asked: dict[str, Any] = {"metric": "ebc", "k": 1, "epsilon": 1, "proxy": proxy}
        asked |= {"cap": 3} if proxy == "lists" else {}
        asked |= {"estimates": True} if proxy in ("both", "degree") else {}
        drawing.check_can_draw(plan("priv_top_k", asked, facts))
        with pytest.raises(EngineError, match=r"fewer than 2\^31"):
            drawing.check_can_draw(plan("priv_top_k", asked, PublicFacts(2**31)))


def test_a_row_without_an_end_refuses_the_vectors() -> None:
    for rows in (
        {"id": [1, None], "degree": [1, 1]},
        {"id": [1, 2], "degree": [1, -1]},
        {"id": ["a", "b", "a\0"], "degree": [1, 1, 1]},
    ):
        with pytest.raises(StoreError, match=IDS_BROKEN):
            projection._nodes(pa.table(rows))


@pytest.mark.parametrize("few", [False, True], ids=["all", "a look"])
@pytest.mark.parametrize("ordered", [False, True], ids=["lists", "ordered"])
def test_steps_of_executors_sum_all_pairs_of_cuts(ordered: bool, few: bool) -> None:
    """From edges to tasks and back to sums, in this process; what is cut, and what is not, come from two frames."""
    graph, n, cap = GRAPH, GRAPH.node_count, 6
    ranks = np.random.default_rng(4).permutation(n) if ordered else None
    caps = np.full(n, cap)
    arcs = Arcs(None if ranks is None else shared(ranks.astype(np.int32)))
    edges = [
        piece(0, EDGES, *np.ascontiguousarray(part.T))
        for part in np.array_split(graph.edges().astype(np.int32), 3)
    ]
    large = graph.degrees > cap
    keys = shared(node_words(graph.node_ids)), shared(caps.astype(np.int32)), shared(large)
    keyed = pa.Table.from_batches(list(Keyed(arcs, *keys)(iter(edges)))).sort_by(
        [("x", "ascending"), ("key", "ascending"), ("y", "ascending")]
    )
    x, y = (keyed.column(name).to_numpy() for name in ("x", "y"))
    first = np.arange(len(x)) - np.searchsorted(x, x) < keyed.column("cap").to_numpy()
    cuts = [(edges, Cut(arcs, shared(large))), ([piece(0, EDGES, x[first], y[first])], Cut(None))]
    wanted, met = None, None
    if few:
        wanted = np.zeros(n, dtype=np.bool_)
        wanted[np.argsort(-graph.degrees, kind="stable")[:9]] = True
        met = np.zeros(n, dtype=np.bool_)
        for rows, cut in cuts:
            for _, _, found, _ in pieces(MembersOf(cut, shared(wanted))(iter(rows))):
                met[found] = True
    blocks = Blocks(3, tuple(range(50, 56)))
    sent: dict[int, list[Any]] = {key: [] for key in blocks.keys}
    for rows, cut in cuts:
        for each in ToTasks(cut, None if met is None else shared(met), blocks)(iter(rows)):
            sent[each.column(0)[0].as_py()].append(each)
    step = Through(Open(20), None if wanted is None else shared(wanted), n, blocks.width(n), 70)
    parts = [each for task in sent.values() for each in step(iter(task))]
    sums = np.zeros(n, dtype=np.int64)
    for _, _, positions, values in pieces(AddedUp(70)(iter(parts)), np.int64):
        sums[positions] = values
    expected = GraphProjection(graph).cut_shares(caps, ranks, 20)
    assert expected.any()
    chosen = np.ones(n, dtype=np.bool_) if wanted is None else wanted
    assert np.array_equal(sums[chosen], expected[chosen])


def shared(value: np.ndarray) -> Any:
    return SimpleNamespace(value=value)


@pytest.mark.parametrize("odd", ["", "a\0", "\0a"], ids=["empty", "at the end", "at the beginning"])
def test_an_id_that_numpy_would_shorten_is_a_missing_one(spark: Any, odd: str) -> None:
    """The rows of a and of what looks like a would both be rows of two nodes, and an edge move twice as much."""
    frame = spark.createDataFrame(pa.table({"source": ["a", "a", odd], "target": ["b", "c", "d"]}))
    with pytest.raises(StoreError, match=IDS_BROKEN):
        SparkProjection(edges_of(frame))
    with pytest.raises(EdgeDPError, match="lacks an end"):
        priv_top_k(frame, "degree", k=1, epsilon=1, mechanism="em")
    nodes = spark.createDataFrame(pa.table({"id": ["a", "b", odd]}))
    whole = spark.createDataFrame(pa.table({"source": ["a"], "target": ["b"]}))
    with pytest.raises(StoreError, match=IDS_BROKEN):
        SparkProjection(edges_of(whole, nodes))


def test_a_partition_that_holds_two_tasks_fails() -> None:
    """Their members would be taken for those of one pair of blocks, and the sums be others."""
    none = np.zeros(0, dtype=np.int32)
    step = Through(Open(3), None, 5, 5, 5)
    one, other = piece(1, LOWER, none, none), piece(2, LOWER, none, none)
    assert list(step(iter([one, one]))) == []
    with pytest.raises(RuntimeError, match="could not be computed"):
        list(step(iter([one, other])))


def test_the_number_of_blocks_follows_from_nodes_and_cores() -> None:
    for cores in (1, 2, 3, 8, 64, 500):
        count = block_count(10, cores)
        assert count * (count + 1) // 2 >= 2 * cores > count * (count - 1) // 2
    assert -(-(10**9) // block_count(10**9, 2)) <= projection.MOST_LABELS


COUNTS: list[dict[str, Any]] = [
    {"of": "edges"},
    {"of": "wedges"},
    {"of": "stars", "star_size": 3},
    {"of": "wedges", "mechanism": "ladder"},
    {"of": "stars", "star_size": 2, "error_bar": True},
]


def check_numbers(spark: Any, graph: Graph) -> None:
    """Values, sensitivities and, for the same words, answers are those of a graph in memory."""
    ours, exact = SparkProjection(held_edges(spark, graph)), GraphProjection(graph)
    assert np.array_equal(ours.figures().maximal_pairs(), exact.figures().maximal_pairs())
    facts = PublicFacts(graph.node_count, max(graph.max_degree, 4), nodes_supplied=True)
    asked = [*COUNTS, {"of": "degree", "node": graph.node_ids[-1].item()}]
    plans = [plan("count", each | {"epsilon": 1}, facts) for each in asked]
    plans += [plan("distribution", {"epsilon": 1, "form": form}, facts) for form in ("ccdf", "histogram")]
    for planned in plans:
        drawing.check_can_draw(planned)
        seeded = [GeneratorWords(np.random.default_rng(3)) for _ in range(2)]
        answers = [draw(planned, each, words) for each, words in zip((ours, exact), seeded, strict=True)]
        assert answers[0].to_json() == answers[1].to_json()


def test_numbers_of_degrees_are_those_of_the_native_engine(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a clique whose nodes are all of one degree each row is fetched, by jobs of more and more."""
    monkeypatch.setattr(projection, "_FIRST_ROWS", 2)
    monkeypatch.setattr(projection, "_MOST_ROWS", 3)
    check_numbers(spark, SMALL[3])


@pytest.mark.wide
@pytest.mark.parametrize("graph", [GRAPH, NAMED, *SMALL[1:]], ids=lambda graph: f"{graph.node_count} nodes")
def test_numbers_of_small_graphs_are_those_of_the_native_engine(spark: Any, graph: Graph) -> None:
    check_numbers(spark, graph)


def test_numbers_of_an_address_are_debited_and_drawn_and_others_are_refused_before(
    spark: Any, open_embedded: OpenStore, tmp_path: Path
) -> None:
    path, ends = written(GRAPH, tmp_path), GRAPH.node_ids[GRAPH.edges()]
    store = open_embedded()
    store.register_edges("lake", path, epsilon_budget=900, degree_bound=190, engine="spark")
    wedges = sum(int(d) * (int(d) - 1) // 2 for d in GRAPH.degrees)
    counted = store.count("lake", "wedges", 400, engine="spark", request_id="once")
    assert counted.value == pytest.approx(wedges, rel=0.1)
    assert store.count("lake", "wedges", 400, engine="spark", request_id="once").value == counted.value
    assert store.distribution("lake", epsilon=100, engine="spark").values[0] == pytest.approx(
        int((GRAPH.degrees > 0).sum()), abs=3
    )
    assert store.budget("lake")["epsilon_spent"] == 500
    for refused in (
        lambda: store.count("lake", "triangles", 1, engine="spark"),
        lambda: store.count("lake", "clustering", 1, engine="spark"),
        lambda: store.count("lake", "ebc", 1, node=int(ends[0, 0]), engine="spark"),
    ):
        with pytest.raises(
            EngineError, match="needs more than degrees; choose one of edges, degree, wedges, stars"
        ):
            refused()
    with pytest.raises(EngineError, match="no ids of its nodes are kept"):
        store.count("lake", "degree", 1, node=int(ends[0, 0]), engine="spark")
    for refused in (
        lambda: store.summary("lake", 1, engine="spark"),
        lambda: store.count("lake", "edges", 1),
        lambda: store.distribution("lake", epsilon=1, engine="igraph"),
    ):
        with pytest.raises(EngineError, match="must be"):
            refused()
    assert store.budget("lake")["epsilon_spent"] == 500
    pyarrow.parquet.write_table(pa.table({"a": [7], "b": [0]}), path)
    with pytest.raises(EdgeDPError) as failed:
        store.distribution("lake", epsilon=1, engine="spark")
    assert str(failed.value).partition(" (release ")[0] == NODES_CHANGED
    assert store.budget("lake")["epsilon_spent"] == 501


def test_numbers_of_one_node_of_a_loaded_graph_are_drawn_and_those_of_arcs_are_not(
    spark: Any, open_embedded: OpenStore
) -> None:
    store = open_embedded()
    store.load(Graph.from_edges([("a", "b"), ("a", "c")], directed=True), "calls", epsilon_budget=900)
    assert store.count("calls", "degree", 100, node="a", engine="spark").value == 2
    assert store.count("calls", "edges", 100, engine="spark").value == 2
    with pytest.raises(EngineError, match="releases no count of arcs"):
        store.count("calls", "arcs", 1, engine="spark")
    with pytest.raises(EngineError, match="releases no distribution of arcs"):
        store.distribution("calls", "in_degree", epsilon=1, engine="spark")
    assert store.budget("calls")["epsilon_spent"] == 200


MOTKIN: list[dict[str, Any]] = [
    {"metrics": ["degree", "density"], "epsilon": 40, "estimates": True},
    {"metrics": ["density", "ebc", "degree"], "epsilon": 20, "approach": "aggregate"},
    {"metrics": ["ebc", "density"], "epsilon": 2},
]


@pytest.mark.parametrize(
    "asked", [MOTKIN[0], *(pytest.param(each, marks=pytest.mark.wide) for each in MOTKIN[1:])], ids=str
)
def test_several_metrics_are_those_of_the_native_engine(spark: Any, asked: dict[str, Any]) -> None:
    planned = plan(
        "motkin", asked | {"k": 6, "mechanism": "joint"}, PublicFacts(200, 150, nodes_supplied=True)
    )
    drawing.check_can_draw(planned)
    ours, exact = SparkProjection(held_edges(spark, GRAPH)), GraphProjection(GRAPH)
    answers = [draw(planned, each, GeneratorWords(np.random.default_rng(3))) for each in (ours, exact)]
    assert answers[0].to_json() == answers[1].to_json()


def test_several_metrics_of_an_address_are_debited_and_rounds_are_refused_before(
    spark: Any, open_embedded: OpenStore, tmp_path: Path
) -> None:
    path = written(NAMED, tmp_path)
    store = open_embedded()
    store.register_edges("lake", path, epsilon_budget=9, engine="spark")
    assert (
        len(store.motkin("lake", ["degree", "density"], 3, 2, mechanism="joint", engine="spark").nodes) == 3
    )
    for words in ({}, {"approach": "aggregate"}):
        with pytest.raises(EdgeDPError, match="only by mechanism 'joint'"):
            store.motkin("lake", ["degree", "density"], 3, 2, engine="spark", **words)
    assert store.budget("lake")["epsilon_spent"] == 2
