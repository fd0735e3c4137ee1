"""Directed graphs: how arcs are counted, stored and read, and whom a release of in- or out-degrees protects."""

from __future__ import annotations

import json
import pickle
import re
from itertools import permutations
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
import looped
from edgedp import (
    EdgeDPError,
    EngineError,
    Graph,
    ParameterError,
    StoreError,
    open_store,
    priv_top_k,
    read_graph,
)
from edgedp.exact.audit.arcs import ArcCase, ArcFinding, arc_cases, audit_arcs, digraph_of_mask
from edgedp.exact.laws import first_pick_law
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.engines.native.pairs import rows_by_kernel, ways_by_kernel
from edgedp.graph.ids import ways_of
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import GeneratorWords, SecureWords
from edgedp.release.draw import draw_positions
from edgedp.release.plan import PublicFacts, of_nodes, plan
from edgedp.release.planning.noise import noise_of
from edgedp.stores.embedded import database, mapped
from edgedp.stores.embedded.backend import EmbeddedBackend
from edgedp.stores.embedded.seals import Seals
from edgedp.words.vocabulary import ARC_METRICS, ArcMetricName, MechanismName

ARCS = [(1, 2), (3, 2), (2, 3), (4, 2), (4, 2), (5, 5), (5, 3), (1, 2)]
"""A parallel arc twice, one back, a loop."""
IN, OUT = [0, 3, 2, 0, 0], [1, 1, 1, 1, 1]


@pytest.fixture
def graph() -> Graph:
    return Graph.from_edges(ARCS, directed=True)


# -- arcs are distinct, and loops drop ----------------------------------------------------------------------


def test_arcs_are_counted_once_and_loops_not_at_all(graph: Graph) -> None:
    assert graph.directed
    assert graph.in_degrees.tolist() == IN
    assert graph.out_degrees.tolist() == OUT
    assert graph.arc_count == 5
    assert graph.arcs().tolist() == [[0, 1], [1, 2], [2, 1], [3, 1], [4, 2]]


def test_counts_follow_their_definition_on_all_digraphs_of_three_nodes() -> None:
    rng = np.random.default_rng(3)
    for mask in range(64):
        there = [arc for bit, arc in enumerate(permutations(range(3), 2)) if mask >> bit & 1]
        given = np.array([*there, *there[:2], (1, 1)], dtype=np.int64).reshape(-1, 2)
        graph = Graph.from_edges(rng.permutation(given), nodes=range(3), directed=True)
        for node in range(3):
            assert graph.in_degrees[node] == len({a for a, b in there if b == node})
            assert graph.out_degrees[node] == len({b for a, b in there if a == node})
        assert {tuple(arc) for arc in graph.arcs().tolist()} == set(there)


@pytest.mark.parametrize("nodes", [1, 2, 7, 60])
def test_directions_by_the_kernels_are_those_that_are_looked_up(nodes: int) -> None:
    """Parallels, loops, nodes without an arc, arcs both ways, and no arc at all."""
    rng = np.random.default_rng(nodes)
    for arcs in (0, 1, 5, 300):
        pairs = rng.integers(0, nodes, (arcs, 2))
        made = rows_by_kernel(nodes, pairs)
        if made is None:
            pytest.skip("the kernels are missing")
        assert np.array_equal(ways_by_kernel(made, pairs), ways_of(made.indptr, made.indices, pairs))


def test_all_else_is_that_of_the_undirected_reading(graph: Graph) -> None:
    """No answer of today changes by a bit: rows, fingerprint and draws are those of the same edges undirected."""
    undirected = Graph.from_edges(ARCS)
    assert not undirected.directed
    assert graph != undirected
    assert graph.fingerprint == undirected.fingerprint
    for name in ("node_ids", "indptr", "indices", "degrees"):
        assert np.array_equal(getattr(graph, name), getattr(undirected, name))
    for metric in ("degree", "ebc", "density"):
        for engine in ("native", "igraph"):
            one, other = (edgedp.exact.values(each, metric, engine=engine) for each in (graph, undirected))  # type: ignore[arg-type]
            assert np.array_equal(one, other)
        drawn = [
            priv_top_k(each, metric, 2, 1, rng=np.random.default_rng(7)).nodes for each in (graph, undirected)
        ]
        assert drawn[0] == drawn[1]
    public = priv_top_k(graph, "ebc", 1, 1).public
    assert public["orientation"] == "directed, read undirected"
    assert "orientation" not in priv_top_k(undirected, "ebc", 1, 1).public


def test_a_directed_graph_stays_one_when_it_is_copied(graph: Graph) -> None:
    assert pickle.loads(pickle.dumps(graph)) == graph  # noqa: S301 -- written right here
    assert graph.with_properties({"age": np.arange(5)}).in_degrees.tolist() == IN
    assert Graph.from_edges([(1, 2)], directed=True) != Graph.from_edges([(2, 1)], directed=True)
    assert "directed" in repr(graph)
    assert "private, directed" in graph._repr_html_()


def test_other_libraries_give_and_take_directions(graph: Graph) -> None:
    digraph = graph.to_networkx()
    assert isinstance(digraph, nx.DiGraph)
    assert Graph.from_networkx(digraph, directed=True) == graph
    assert Graph.from_networkx(digraph) == Graph.from_edges(ARCS, nodes=[1, 2, 3, 4, 5])
    other = graph.to_igraph()
    assert other.is_directed()
    assert other.indegree() == IN
    assert Graph.from_igraph(other, directed=True) == graph
    frame = {"payer": [a for a, _ in ARCS], "payee": [b for _, b in ARCS]}
    assert Graph.from_frame(frame, directed=True) == graph
    assert Graph.from_frame(frame, nodes=[1, 2, 3, 4, 5], directed=True) == graph
    assert not Graph.from_edges(ARCS).to_igraph().is_directed()


@pytest.mark.parametrize("made", [nx.path_graph(3), igraph.Graph.Ring(3)])
def test_an_undirected_graph_of_another_library_has_no_directions(made: object) -> None:
    way = Graph.from_networkx if isinstance(made, nx.Graph) else Graph.from_igraph
    with pytest.raises(EdgeDPError, match=r"graph is undirected, must be directed .*; leave directed out"):
        way(made, directed=True)


# -- files ----------------------------------------------------------------------------------------------------

GRAPHML = (
    '<graphml><graph edgedefault="{}"><node id="a"/><node id="b"/>'
    '<edge source="a" target="b"{}/></graph></graphml>'
)
GEXF = (
    '<gexf><graph defaultedgetype="{}"><nodes><node id="a"/><node id="b"/></nodes>'
    '<edges><edge source="a" target="b"/></edges></graph></gexf>'
)
GML = "graph [\n directed {}\n node [\n id 1\n ]\n node [\n id 2\n ]\n edge [\n source 1\n target 2\n ]\n]\n"
MATRIX = "%%MatrixMarket matrix coordinate pattern {}\n2 2 1\n2 1\n"
PAJEK = '*Vertices 2\n1 "a"\n2 "b"\n*{}\n1 2\n'
WITH = {
    "a.txt": "# Directed graph (each unordered pair of nodes is saved once): a\n# FromNodeId\tToNodeId\n1\t2\n",
    "b.txt": "% asym unweighted\n1 2\n",
    "a.graphml": GRAPHML.format("directed", ""),
    "a.gexf": GEXF.format("directed"),
    "a.gml": GML.format(1),
    "a.mtx": MATRIX.format("general"),
    "a.net": PAJEK.format("Arcs"),
}
WITHOUT = {
    "a.txt": "# Undirected graph: a.txt\n1\t2\n",
    "b.txt": "% sym unweighted\n1 2\n",
    "a.graphml": GRAPHML.format("undirected", ""),
    "b.graphml": GRAPHML.format("directed", ' directed="false"'),
    "a.gexf": GEXF.format("undirected"),
    "b.gexf": GEXF.replace(' defaultedgetype="{}"', ""),
    "a.gml": GML.format(0),
    "a.mtx": MATRIX.format("symmetric"),
    "a.net": PAJEK.format("Edges"),
    "b.net": PAJEK.format("Arcs") + "*Edges\n2 1\n",
    "a.metis": "2 1\n2\n1\n",
}


@pytest.mark.parametrize("name", WITH)
def test_a_file_with_directions_is_read_with_them(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(WITH[name])
    graph = read_graph(tmp_path / name, directed=True)
    assert graph.directed
    assert sorted(graph.in_degrees.tolist()) == [0, 1]
    from_low = name != "a.mtx"
    assert graph.in_degrees.tolist() == ([0, 1] if from_low else [1, 0])
    assert not read_graph(tmp_path / name).directed


@pytest.mark.parametrize("name", WITHOUT)
def test_a_file_that_says_it_is_undirected_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(WITHOUT[name])
    with pytest.raises(
        EdgeDPError, match=r"asked for with its directions; leave out directed=True$"
    ) as refused:
        read_graph(tmp_path / name, directed=True)
    assert "\n" not in str(refused.value)
    assert read_graph(tmp_path / name).edge_count == 1


def test_a_dataset_that_its_manifest_calls_undirected_is_refused() -> None:
    with pytest.raises(EdgeDPError, match=r"'email-Enron' is undirected by its manifest"):
        read_graph("email-Enron", directed=True)


@pytest.mark.parametrize("given", ["yes", 1, None])
def test_directed_is_true_or_false(given: object, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2\n")
    for asked in (
        lambda: read_graph(tmp_path / "a.txt", directed=given),  # type: ignore[arg-type]
        lambda: Graph.from_edges(ARCS, directed=given),  # type: ignore[arg-type]
        lambda: Graph.from_networkx(nx.DiGraph([(1, 2)]), directed=given),  # type: ignore[arg-type]
    ):
        with pytest.raises(ParameterError, match=r"directed is .*, must be True or False; give one of them"):
            asked()


# -- what may be asked ------------------------------------------------------------------------------------------


def test_counts_of_arcs_need_directions(graph: Graph) -> None:
    for metric in ARC_METRICS:
        with pytest.raises(
            ParameterError, match=f"metric is '{metric}', which needs a graph whose directions"
        ):
            priv_top_k(Graph.from_edges(ARCS), metric, 1, 1)
        with pytest.raises(ParameterError, match="whose directions were kept"):
            edgedp.exact.values(Graph.from_edges(ARCS), metric)
    assert edgedp.exact.in_degree(graph, nodes=[3]).tolist() == [2]
    assert edgedp.exact.out_degree(graph, engine="igraph").tolist() == OUT
    assert edgedp.exact.top(graph, "in_degree", k=2)[0].tolist() == [2, 3]


@pytest.mark.parametrize("mechanism", ["ld", "sld"])
def test_a_mechanism_without_a_proof_is_refused(mechanism: str, graph: Graph) -> None:
    with pytest.raises(ParameterError, match=f"mechanism is '{mechanism}', must be one of em, pf, joint"):
        priv_top_k(graph, "in_degree", 1, 1, mechanism=mechanism)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "option", [{"proxy": "degree"}, {"cap": 2, "mechanism": "pf"}, {"estimates": True}, {"shift": "up"},
               {"sensitivity_form": "degree"}, {"sampler": "exponential"}]
)  # fmt: skip
def test_an_option_without_effect_is_refused(option: dict[str, object], graph: Graph) -> None:
    with pytest.raises(ParameterError, match=next(iter(option))):
        priv_top_k(graph, "out_degree", 1, 1, **option)  # type: ignore[arg-type]


def test_several_metrics_know_no_arcs(graph: Graph) -> None:
    with pytest.raises(EdgeDPError, match="must be one of betweenness2"):
        edgedp.motkin(graph, ("in_degree", "degree"), k=1)  # type: ignore[arg-type]


def test_an_answer_says_that_directions_were_read_and_that_no_bound_was(graph: Graph) -> None:
    release = priv_top_k(graph, "in_degree", 2, 100, degree_bound=1)
    assert release.nodes == [2, 3]
    assert release.public["orientation"] == "directed"
    assert release.public["rests_on"] == "no degree bound"
    assert edgedp.Release.from_dict(release.to_dict()) == release
    assert priv_top_k(graph, "in_degree", 2, 100, mechanism="pf").nodes == [2, 3]


@pytest.mark.parametrize(
    ("metric", "mechanism", "k", "protects"),
    [
        ("in_degree", "em", 1, "all arcs that leave one node, and all between two nodes, taken away; replaced costs twice"),  # noqa: E501
        ("out_degree", "pf", 2, "all arcs that come to one node, and all between two nodes, taken away; replaced costs twice"),  # noqa: E501
        ("in_degree", "joint", 1, "all arcs between two nodes, taken away; replaced costs twice"),
        ("in_degree", "joint", 2, "all arcs between two nodes, taken away or replaced"),
    ],
)  # fmt: skip
def test_an_answer_says_whom_it_protects(
    metric: ArcMetricName, mechanism: MechanismName, k: int, protects: str, graph: Graph
) -> None:
    assert priv_top_k(graph, metric, k, 1, mechanism=mechanism).public["protects"] == protects


def test_a_black_box_sees_no_more_of_a_source_than_is_claimed() -> None:
    """Draws of the secure path on a digraph with and without a source give a lower bound on epsilon."""
    others = [(1, 0), (2, 0), (1, 3), (2, 3)]
    with_source, without = (
        Graph.from_edges(arcs, nodes=range(5), directed=True) for arcs in ([*others, (4, 0), (4, 1)], others)
    )
    trials, claimed = 4_000, 1.0
    seen = []
    for graph in (with_source, without):
        asked = {"metric": "in_degree", "k": 1, "epsilon": claimed, "mechanism": "pf"}
        planned = of_nodes(plan("priv_top_k", asked, PublicFacts(5, directed=True)))
        projection, words = GraphProjection(graph), SecureWords()
        seen.append(sum(int(draw_positions(planned, projection, words)[0]) == 3 for _ in range(trials)))
    # Five standard deviations on each side: a false alarm in less than one of a million runs.
    most, least = (
        (count + side * 5 * (count + 1) ** 0.5) / trials for count, side in zip(seen, (1, -1), strict=True)
    )
    assert np.log(least / most) <= claimed
    assert seen[1] > seen[0], "the node that the source does not name is named more often without it"


# -- what is promised ---------------------------------------------------------------------------------------------


# Out-degrees are the counts of the reversed digraphs; pf reaches the claim.
AUDITED = [case for case in arc_cases() if case.metric == "in_degree" or case.mechanism == "pf"]


@pytest.fixture(scope="module")
def findings() -> dict[ArcCase, ArcFinding]:
    """Audit all cases at once: what differs in its unit only has the same laws."""
    return {finding.case: finding for finding in audit_arcs(AUDITED, epsilons=["1"])}


@looped.as_one
@pytest.mark.parametrize("case", AUDITED)
def test_every_unit_of_every_digraph_of_four_nodes_costs_what_is_claimed(
    case: ArcCase, findings: dict[ArcCase, ArcFinding]
) -> None:
    finding = findings[case]
    assert finding.met, finding.to_row()
    # Two of three targets cannot all be others, so what is replaced moves three of four.
    least = 0.8 if case.cap is None else 0.7
    assert finding.ratio > least, "a claim that is never nearly reached is not the right one"


@pytest.mark.parametrize("metric", ARC_METRICS)
@pytest.mark.parametrize("mechanism", ["em", "pf", "joint"])
def test_a_plan_names_the_units_that_are_audited_and_no_other(metric: ArcMetricName, mechanism: str) -> None:
    planned = ArcCase(metric, "pair", mechanism).plan(4, 1, 1)
    audited = {
        case.unit
        for case in arc_cases()
        if (case.metric, case.mechanism, case.cap) == (metric, mechanism, None)
    }
    assert planned.units == audited
    beyond = {"source": "that leave one node", "target": "that come to one node"}
    for unit, words in beyond.items():
        assert (words in planned.public["protects"]) == (unit in audited), "the sentence says the same"


@pytest.mark.parametrize(
    "case",
    [
        ArcCase("in_degree", "source", "joint"),
        ArcCase("out_degree", "source", "pf"),
        ArcCase("in_degree", "target", "em"),
        ArcCase("in_degree", "target", "joint", cap=2),
    ],
)  # fmt: skip
def test_what_is_not_promised_would_break_its_claim(case: ArcCase) -> None:
    """The noise of a joint list is for a pair, and a source's own count is its own."""
    [finding] = audit_arcs([case], epsilons=["1"])
    assert not finding.met
    assert finding.ratio >= 1.5


@pytest.mark.parametrize("mechanism", ["em", "pf", "joint"])
def test_draws_have_the_law_that_is_audited(mechanism: str) -> None:
    graph = Graph.from_edges([(1, 2), (3, 2), (4, 2), (1, 3)], directed=True)
    asked = {"metric": "in_degree", "k": 1, "epsilon": "0.7", "mechanism": mechanism}
    planned = of_nodes(plan("priv_top_k", asked, PublicFacts(4, directed=True)))
    projection, words = GraphProjection(graph), GeneratorWords(np.random.default_rng(11))
    law = first_pick_law(planned, projection)
    assert law.argmax() == 1
    trials = 4_000
    drawn = np.bincount([draw_positions(planned, projection, words)[0] for _ in range(trials)], minlength=4)
    spread = np.sqrt(trials * law * (1 - law))
    assert (np.abs(drawn - trials * law) < 5 * spread).all()


@pytest.mark.parametrize(("k", "scale"), [(1, 1), (2, 2), (5, 2)])
def test_joint_noise_is_that_of_one_pair(k: int, scale: int) -> None:
    asked = {"metric": "in_degree", "k": k, "epsilon": 1, "mechanism": "joint"}
    [noise] = noise_of(plan("priv_top_k", asked, PublicFacts(9, directed=True)))
    assert noise.scale == scale


# -- the embedded store ---------------------------------------------------------------------------------------------


def test_a_stored_graph_keeps_its_directions(graph: Graph, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        row = store.load(graph, "arcs", epsilon_budget=1000)
        assert row["directed"] is True
        release = store.priv_top_k("arcs", "in_degree", 2, 100, request_id="one")
        assert release.nodes == [2, 3]
        assert release.public["orientation"] == "directed"
    with open_store(tmp_path / "store") as store:
        assert store.graph("arcs") == graph
        assert store.exact("arcs", "out_degree", nodes=[4]).tolist() == [1]
        again = store.priv_top_k("arcs", "in_degree", 2, 100, request_id="one")
        assert again.kept
        assert again.to_dict()["public"] == release.public
        for engine in ("native", "igraph", "cypher"):
            assert store.exact("arcs", "in_degree", engine=engine).tolist() == IN
            assert store.exact("arcs", "out_degree", nodes=[3, 1], engine=engine).tolist() == [OUT[2], OUT[0]]
            assert store.exact_count("arcs", "arcs", engine=engine) == graph.arc_count
        assert store.exact("arcs", "degree", engine="cypher").tolist() == graph.degrees.tolist()
        assert store.budget("arcs")["epsilon_spent"] == 100


@pytest.mark.parametrize("texts", [False, True], ids=["integers", "texts"])
def test_the_database_file_of_a_version_counts_arcs_as_rows_do(texts: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    pairs = rng.integers(0, 60, size=(500, 2))
    graph = Graph.from_edges(pairs.astype(str) if texts else pairs, directed=True)
    with open_store(tmp_path / "store") as store:
        store.load(graph, "arcs")
        for name in ("in_degree", "out_degree", "degree"):
            by_file, by_rows = (store.exact("arcs", name, engine=engine) for engine in ("cypher", "native"))  # type: ignore[arg-type]
            assert by_file.tolist() == by_rows.tolist()


def test_a_version_of_before_whose_database_file_has_no_directions_says_so(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything else of it goes on."""
    as_before = Graph(graph.node_ids, graph.indptr, graph.indices, nodes_supplied=False)
    fill = database.fill
    with open_store(tmp_path / "store") as store:
        with monkeypatch.context() as patch:
            patch.setattr(database, "fill", lambda path, _, kept: fill(path, as_before, kept))
            patch.setattr(database, "verify_content", lambda *_: None)
            store.load(graph, "arcs", epsilon_budget=200)
        with pytest.raises(EngineError, match="before the database file had directions; choose another"):
            store.exact("arcs", "in_degree", engine="cypher")
        assert store.exact("arcs", "degree", engine="cypher").tolist() == graph.degrees.tolist()
        assert store.exact("arcs", "in_degree").tolist() == IN
        assert store.priv_top_k("arcs", "in_degree", 2, 100).nodes == [2, 3]


@pytest.mark.parametrize("turned", [False, True], ids=["a way lost", "all turned"])
def test_a_database_file_with_other_directions_is_refused_before_it_counts(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turned: bool
) -> None:
    assert graph.ways is not None
    ways = (
        np.array([0, 2, 1, 3], np.uint8)[graph.ways] if turned else np.where(graph.ways == 3, 1, graph.ways)
    )
    other = Graph(
        graph.node_ids, graph.indptr, graph.indices, nodes_supplied=False, ways=ways.astype(np.uint8)
    )
    fill = database.fill
    monkeypatch.setattr(database, "fill", lambda path, _, kept: fill(path, other, kept))
    with (
        open_store(tmp_path / "store") as store,
        pytest.raises(StoreError, match="not the one that was written"),
    ):
        store.load(graph, "arcs")


def test_an_undirected_graph_of_a_store_has_no_arcs_and_nothing_is_spent(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        assert "directed" not in store.load(Graph.from_edges(ARCS), "plain", epsilon_budget=1)
        with pytest.raises(ParameterError, match="whose directions were kept"):
            store.priv_top_k("plain", "in_degree", 1, 1)
        with pytest.raises(ParameterError, match="whose directions were kept"):
            store.exact("plain", "in_degree")
        assert store.budget("plain")["epsilon_spent"] == 0
        with pytest.raises(ParameterError, match="made without its directions"):
            store.load(Graph.from_edges(ARCS), "other", directed=True)


def test_the_same_edges_are_known_again_however_they_were_read(graph: Graph, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        store.load(graph, "arcs")
        with pytest.warns(UserWarning, match="arcs"):
            store.load(Graph.from_edges(ARCS), "edges")


def test_a_version_with_directions_is_no_seal_to_an_older_program(graph: Graph, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        store.load(graph, "arcs")
        with store._session() as session:
            digest = session.run("graph_find", name="arcs")[0]["digest"]
    assert Seals.of(digest).directed
    assert Seals.of(digest).text == digest
    assert not re.fullmatch(r"([0-9a-f]{64})(?: ([0-9a-f]{64}):([0-9]{1,15}))?", digest)


def test_a_file_of_rows_says_by_itself_whether_it_has_directions(graph: Graph, tmp_path: Path) -> None:
    for name, written in (("with", graph), ("without", Graph.from_edges(ARCS))):
        mapped.write_rows(tmp_path / name, 7, written)
        assert mapped.file_size(written) == (tmp_path / name).stat().st_size
        with (tmp_path / name).open("rb") as stream:
            assert mapped.mapped_graph(stream.fileno(), 7, nodes_supplied=False) == written
    content = bytearray((tmp_path / "with").read_bytes())
    content[-1] = 4
    (tmp_path / "with").write_bytes(content)
    with (tmp_path / "with").open("rb") as stream, pytest.raises(StoreError, match="not of this version"):
        mapped.mapped_graph(stream.fileno(), 7, nodes_supplied=False)


def test_rows_with_directions_take_no_more_than_the_half_as_much_again() -> None:
    pairs = np.random.default_rng(1).integers(0, 2_000, size=(20_000, 2))
    plain, directed = (Graph.from_edges(pairs, directed=each) for each in (False, True))
    assert mapped.file_size(directed) < 1.6 * mapped.file_size(plain)


def test_a_store_that_keeps_no_directions_says_so(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddedBackend, "keeps_directions", False)
    with (
        open_store(tmp_path / "store") as store,
        pytest.raises(ParameterError, match="this store keeps no directions"),
    ):
        store.load(graph, "arcs")


# -- the command line -----------------------------------------------------------------------------------------------


def test_the_commands_load_and_rank_arcs(tmp_path: Path) -> None:
    (tmp_path / "arcs.txt").write_text("".join(f"{a} {b}\n" for a, b in ARCS))
    store = ["--store", str(tmp_path / "store")]

    def run(*words: str) -> str:
        ran = CliRunner().invoke(command_line, [*store, *words])
        assert ran.exit_code == 0, ran.output
        return ran.stdout

    loaded = run("load", str(tmp_path / "arcs.txt"), "--directed", "--one-kind", "--epsilon-budget", "1000")
    assert "5 arcs, from the source to the target" in loaded
    assert "1 self-loop dropped, 2 duplicates merged" in loaded
    shown = json.loads(
        run("topk", "arcs", "--metric", "in_degree", "-k", "2", "--epsilon", "100", "--format", "json")
    )
    assert shown["nodes"] == [2, 3]
    assert shown["public"]["orientation"] == "directed"
    assert "in_degree" in run(
        "topk", "arcs", "--metric", "in_degree", "-k", "2", "--epsilon", "100", "--dry-run"
    )
    assert run("exact", "arcs", "--metric", "in_degree", "--top", "1").split()[-2:] == ["2", "3"]


def test_one_digraph_a_mask() -> None:
    assert digraph_of_mask(0b000001, 3).arcs().tolist() == [[0, 1]]
    assert digraph_of_mask(0b000100, 3).arcs().tolist() == [[1, 0]]


def test_every_face_says_that_directions_were_kept_and_whom_a_release_protects(tmp_path: Path) -> None:
    place = tmp_path / "s"
    with open_store(place) as store:
        store.load(Graph.from_edges(ARCS, directed=True), "payments", epsilon_budget=3)
        store.load(Graph.from_edges(ARCS[:3]), "plain", epsilon_budget=3)
        (loaded,) = (row for row in store.log("payments") if row["event"] == "load")
        assert loaded["details"]["orientation"] == "directed"
        with pytest.raises(ParameterError, match="which one arc changes by 1 in every graph"):
            store.exact_rows("payments", "in_degree", t=1)
        assert store.exact_rows("payments", "in_degree")[1].tolist() == IN

    def said(*words: str) -> str:
        return CliRunner().invoke(command_line, ["--store", str(place), *words]).output

    assert "directed" in said("graphs").splitlines()[0]
    assert json.loads(said("graphs", "--format", "json"))[0]["directed"] is True
    asked = ("topk", "payments", "-k", "1", "--epsilon", "1", "--dry-run", "--metric")
    assert "protects " in said(*asked, "in_degree", "--mechanism", "pf")
    assert "protects" not in said(*asked, "degree")
