"""The limit of any private list: the lifts that its proof makes are there, and no private law exceeds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import edgedp
from edgedp import Graph, exact, priv_top_k, quality
from edgedp.exact.experiments.generators import power_law
from edgedp.mechanisms import limits
from looped import as_one

METRICS = ("degree", "ebc")


def test_a_dense_graph_has_no_room_and_so_no_limit() -> None:
    """All pairs but one are adjacent: no outsider can be lifted, so nothing follows from lifts."""
    pairs = [(a, b) for a in range(12) for b in range(a) if (a, b) != (1, 0)]
    for metric in METRICS:
        assert quality.limit(Graph.from_edges(pairs), metric, k=3, epsilon="0.001") == 1.0


def test_a_metric_whose_lifts_are_not_known_is_refused() -> None:
    with pytest.raises(edgedp.EdgeDPError, match="metric is 'betweenness2'"):
        quality.limit(power_law(60, seed=1), "betweenness2", k=3, epsilon=1)


@pytest.mark.parametrize("metric", METRICS)
def test_the_edges_that_the_proof_adds_are_there_and_lift_one_node_to_its_rank(metric: str) -> None:
    graph = power_law(3_000, seed=5)
    values, k = exact.values(graph, metric), 5
    order = np.argsort(-values, kind="stable")
    room = limits._room(graph, float(values[order[k - 1]]), by_degree=metric == "degree")
    lifted = 0
    for node in order[k:].tolist()[::170]:
        for rank in (1, k):
            goal = float(values[order[rank - 1]])
            gap, degree = np.array([goal - values[node]]), graph.degrees[node : node + 1].astype(np.float64)
            edges = int(limits._edges(gap, degree, goal, by_degree=metric == "degree")[0])
            if edges > room[node]:
                continue
            beside = _lifted(graph, node, edges, metric, float(values[order[k - 1]]))
            found = exact.values(beside, metric)
            assert (found > found[node]).sum() < rank
            assert found[node] > goal
            lifted += 1
    assert lifted > 10


@as_one
@pytest.mark.parametrize("mechanism", ["em", "pf"])
@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
def test_no_private_law_that_is_as_good_on_the_lifted_graphs_exceeds_it(
    mechanism: str, epsilon: float
) -> None:
    """One pick: the least chance of the first node, here and where another was lifted above it."""
    hubs = [(hub, 100 * hub + leaf) for hub, leaves in ((1, 9), (2, 7), (3, 3)) for leaf in range(leaves)]
    graph = Graph.from_edges(hubs)
    law = {"metric": "degree", "k": 1, "epsilon": epsilon, "mechanism": mechanism, "degree_bound": 30}
    values = exact.degree(graph)
    first = int(np.argmax(values))
    good = float(exact.first_pick_probabilities(graph, **law)[first])
    for node in set(range(graph.node_count)) - {first}:
        edges = int(values[first] - values[node]) + 1
        beside = _lifted(graph, node, edges, "degree", float(values[first]))
        good = min(good, float(exact.first_pick_probabilities(beside, **law)[node]))
    assert good <= quality.limit(graph, "degree", k=1, epsilon=epsilon) + 1e-9


def test_more_epsilon_allows_more_and_lists_at_hand_stay_below() -> None:
    graph = power_law(2_000, seed=2)
    found = limits.limits(graph, "ebc", 20, [0.01, 0.1, 1.0])
    assert found == sorted(found)
    assert found[0] < 0.9
    values = exact.ebc(graph)
    lists = [priv_top_k(graph, "ebc", 20, 0.01).nodes for _ in range(5)]
    assert np.mean([quality.recall(values, each, graph.node_ids) for each in lists]) < found[0]


def test_a_curator_reads_it_of_a_stored_graph_and_the_log_has_the_reading(tmp_path: Path) -> None:
    graph = power_law(400, seed=3)
    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        store.load(graph, "power", epsilon_budget=5, degree_bound=300)
        rows = store.exact_limit("power", "ebc", 5, ["0.1", "1"])
        assert [row["limit"] for row in rows] == [
            round(quality.limit(graph, "ebc", 5, epsilon), 4) for epsilon in ("0.1", "1")
        ]
        assert any("limit" in str(row) for row in store.log("power"))
        assert store.budget("power")["epsilon_spent"] == 0


def _lifted(graph: Graph, node: int, edges: int, metric: str, kth: float) -> Graph:
    """Return the graph with so many new edges at a node, chosen one by one as the proof chooses them."""
    adjacent = [
        set(graph.indices[a:b].tolist()) for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)
    ]
    near = {node} | adjacent[node]
    if metric == "ebc":
        near = near.union(*(adjacent[each] for each in adjacent[node]))
    chosen: list[int] = []
    for other in np.argsort(graph.degrees, kind="stable").tolist():
        if len(chosen) == edges:
            break
        if other in near or (metric == "degree" and graph.degrees[other] >= kth):
            continue
        if metric == "degree" or not adjacent[other].intersection(chosen):
            chosen.append(other)
    assert len(chosen) == edges, "there is less room than the limit counts on"
    ends = np.concatenate([graph.edges(), np.array([(node, other) for other in chosen], dtype=np.int32)])
    ids = graph.node_ids
    return Graph.from_edges([(ids[a], ids[b]) for a, b in ends.tolist()], nodes=ids)
