"""The native engine against the definitions, its own invariances, and its refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import small_graphs
from edgedp import Graph, kernels
from edgedp.errors import EngineError
from metric_definitions import (
    CLOSED_FORMS,
    QUANTITIES,
    book,
    by_definition,
    random_graphs,
    relabelled,
    shares_by_definition,
    skewed,
    union_of_small_graphs,
    with_hubs,
)

SMALL = {
    "triangles": small_graphs.inner_edges,
    "ebc": small_graphs.ebc,
    "betweenness2": small_graphs.betweenness2,
    "max_common_neighbors": lambda n: small_graphs.common_neighbors(n).max(axis=2),
}


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_all_labelled_graphs(quantity: str, n: int) -> None:
    values = getattr(kernels, quantity)(union_of_small_graphs(n))
    np.testing.assert_allclose(values.reshape(-1, n), SMALL[quantity](n), rtol=1e-12, atol=0)


@given(random_graphs())
@settings(max_examples=150)
def test_random_graphs_by_definition(graph: Graph) -> None:
    for quantity in QUANTITIES:
        values = getattr(kernels, quantity)(graph)
        np.testing.assert_allclose(values, by_definition(graph, quantity), rtol=1e-12, atol=0)
    np.testing.assert_array_equal(kernels.betweenness2_shares(graph, 20), shares_by_definition(graph, 20))


# Ego networks of every kind that the kernel tells apart: rows of one, two, four words; dense and sparse
# rows; rows of bytes beyond the memory for them (the last two); few paths from each vertex.
@pytest.mark.parametrize(
    ("members", "density"),
    [
        *[(60, 0.3), (64, 0.5), (100, 0.2), (128, 0.6), (200, 0.1), (256, 0.9), (257, 0.9), (300, 0.05)],
        *[(600, 0.002), (600, 0.01), (600, 0.2), (1200, 0.3), (1100, 0.99)],
    ],
)
def test_ego_networks_of_every_size_and_density(members: int, density: float) -> None:
    graph = with_hubs(members, density, seed=members)
    hub = np.zeros(1, dtype=np.int64)
    ego = Graph.from_positions(
        np.arange(members), graph.edges()[graph.edges()[:, 0] > 0] - 1, nodes_supplied=True
    )
    inside = np.zeros((members, members))
    inside[tuple(ego.edges().T)] = 1
    inside += inside.T
    expected = (1 / (1 + (inside @ inside)[np.triu(inside == 0, 1)])).sum()
    assert kernels.ebc(graph, hub)[0] == pytest.approx(expected, rel=1e-12)
    if members <= 300:
        assert kernels.ebc(graph)[0] == kernels.ebc(graph, hub)[0]
    assert kernels.triangles(graph, hub)[0] == ego.edge_count


@pytest.mark.parametrize("seed", range(3))
def test_dense_and_sparse_rows_in_one_ego_network(seed: int) -> None:
    graph = skewed(500, seed)
    for quantity in QUANTITIES:
        values = getattr(kernels, quantity)(graph)
        np.testing.assert_allclose(values, by_definition(graph, quantity), rtol=1e-12, atol=0)


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("case", range(len(CLOSED_FORMS)))
def test_closed_forms(case: int, quantity: str) -> None:
    graph, expected = CLOSED_FORMS[case]
    assert getattr(kernels, quantity)(graph) == pytest.approx(expected[quantity], rel=1e-14)


def test_the_worked_example() -> None:
    assert kernels.ebc(book(6)[0])[:2].tolist() == [7.5, 7.5]
    assert kernels.ebc(book(6, spine=False)[0])[:2].tolist() == [15.0, 15.0]


def test_networkx_counts_the_same_triangles_and_ego_betweenness() -> None:
    graph = skewed(80, seed=9)
    other = graph.to_networkx()
    assert kernels.triangles(graph).tolist() == list(nx.triangles(other).values())
    for v in range(graph.node_count):
        inside = nx.betweenness_centrality(nx.ego_graph(other, v), normalized=False)[v]
        assert kernels.ebc(graph)[v] == pytest.approx(inside, rel=1e-9, abs=1e-12)


@given(random_graphs(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_labels_do_not_matter_to_the_last_bit(graph: Graph, shuffle: object) -> None:
    label = np.arange(graph.node_count)
    shuffle.shuffle(label)  # type: ignore[attr-defined]
    other = relabelled(graph, label)
    for quantity in QUANTITIES:
        function = getattr(kernels, quantity)
        np.testing.assert_array_equal(function(other)[label], function(graph))


@given(random_graphs(), st.data())
@settings(max_examples=60)
def test_chosen_positions_are_those_of_all_nodes_in_their_order(graph: Graph, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, graph.node_count - 1), max_size=8))
    positions = np.array(chosen, dtype=np.int64)
    for quantity in QUANTITIES:
        function = getattr(kernels, quantity)
        np.testing.assert_array_equal(function(graph, positions), function(graph)[positions])


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_threads_do_not_matter_to_the_last_bit(enron: Graph, quantity: str) -> None:
    function = getattr(kernels, quantity)
    one = function(enron, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(function(enron, threads=threads), one)
    some = np.random.default_rng(5).permutation(enron.node_count)[:500]
    np.testing.assert_array_equal(function(enron, some), one[some])


def test_enron(enron: Graph) -> None:
    assert kernels.triangles(enron).sum() == 3 * 727_044
    assert kernels.ebc(enron).sum() == pytest.approx(15_845_357.97, abs=0.005)


def test_shares_are_counted_exactly_and_approach_betweenness2(enron: Graph) -> None:
    values = kernels.betweenness2(enron)
    coarse = kernels.betweenness2_shares(enron, 20)
    fine = kernels.betweenness2_shares(enron, 40)
    assert coarse.dtype == fine.dtype == np.int64
    np.testing.assert_allclose(np.ldexp(fine.astype(float), -40), values, rtol=1e-9)
    # A pair is at most one unit below its value for each connector.
    pairs = enron.degrees * (enron.degrees - 1) // 2 - kernels.triangles(enron)
    short = np.ldexp(values, 20) - coarse
    assert (short >= -1e-3).all()
    assert (short <= pairs + 1e-3).all()


@pytest.mark.parametrize("name", ["enron", "github"])
def test_rows_of_hubs_change_the_time_alone(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = request.getfixturevalue(name)
    by_rows = kernels.betweenness2_shares(graph, 20)
    monkeypatch.setattr("edgedp.kernels.engine.HUB_ROWS_MEMORY", 0)
    np.testing.assert_array_equal(kernels.betweenness2_shares(graph, 20), by_rows)


@pytest.mark.slow  # compiles the kernel once more, for wider counters
def test_a_star_beyond_sixteen_bits() -> None:
    leaves = 70_000
    graph = Graph.from_edges(np.column_stack([np.zeros(leaves, dtype=np.int64), np.arange(1, leaves + 1)]))
    for quantity in ("ebc", "betweenness2"):
        assert getattr(kernels, quantity)(graph, np.zeros(1, dtype=np.int64))[0] == leaves * (leaves - 1) / 2


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_no_edges(quantity: str, n: int) -> None:
    graph = Graph.from_edges([], nodes=np.arange(n))
    assert getattr(kernels, quantity)(graph).tolist() == [0] * n
    assert len(getattr(kernels, quantity)(graph, np.zeros(0, dtype=np.int64))) == 0


# -- numba and its code ------------------------------------------------------------------------------


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


TRIANGLES = """
from edgedp import Graph, kernels
print(kernels.triangles(Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])).tolist())
"""


def test_the_package_imports_without_numba() -> None:
    code = "import sys, edgedp.kernels; assert not any(name.split('.')[0] == 'numba' for name in sys.modules)"
    assert run(code).returncode == 0


def test_a_missing_numba_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("edgedp.kernels.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(kernels, "engine", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(
        EngineError, match=r"engine is 'native', must be .*; install numba or use engine='igraph'"
    ):
        kernels.ebc(book(6)[0])


def test_a_broken_numba_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise SystemError('initialization of _internal failed')")
    ended = run(TRIANGLES, PYTHONPATH=str(tmp_path))
    assert ended.stderr.splitlines()[-1] == (
        "edgedp.errors.EngineError: engine is 'native', must be one that works here "
        "(numba: initialization of _internal failed); install numba or use engine='igraph'"
    )


def kept(folder: Path) -> list[Path]:
    return list(folder.rglob("*.nbi"))


def test_code_is_kept_for_the_user_alone(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for _ in range(2):
        ended = run(TRIANGLES, EDGEDP_CACHE=str(cache), NUMBA_CACHE_DIR="")
        assert ended.stdout == "[1, 1, 1, 0]\n", ended.stderr
    assert kept(cache / "kernels")
    assert (cache / "kernels").stat().st_mode & 0o777 == 0o700


def test_the_users_own_choice_of_a_folder_stands(tmp_path: Path) -> None:
    code = TRIANGLES + "import os, numba; print(os.environ['NUMBA_CACHE_DIR'] == numba.config.CACHE_DIR)"
    ended = run(code, EDGEDP_CACHE=str(tmp_path / "cache"), NUMBA_CACHE_DIR=str(tmp_path / "own"))
    assert ended.stdout == "[1, 1, 1, 0]\nTrue\n", ended.stderr
    assert kept(tmp_path / "own")
    assert not kept(tmp_path / "cache")


def test_a_folder_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    shared = tmp_path / "cache" / "kernels"
    shared.mkdir(parents=True)
    shared.chmod(0o777)
    ended = run(TRIANGLES, EDGEDP_CACHE=str(tmp_path / "cache"), NUMBA_CACHE_DIR="", TMPDIR=str(tmp_path))
    assert ended.stdout == "[1, 1, 1, 0]\n", ended.stderr
    assert not kept(shared)
    assert kept(tmp_path / f"edgedp-kernels-{os.getuid()}")


def test_without_a_folder_it_works_all_the_same(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    code = (
        f"import tempfile; tempfile.tempdir = {str(nowhere)!r}\n"
        + TRIANGLES
        + "from edgedp.kernels.compilation import kept_code_folder; print(kept_code_folder())"
    )
    ended = run(code, EDGEDP_CACHE=str(nowhere), NUMBA_CACHE_DIR="")
    assert ended.stdout == "[1, 1, 1, 0]\nNone\n", ended.stderr
