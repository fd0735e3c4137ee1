"""A real directed network through every face: exact counts are networkx's, and lists name its largest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
from edgedp import Graph, Store, open_store, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.words.vocabulary import ArcMetricName, Engine
from gateway_server import serve
from plugin_fixtures import PluginServer
from real_arcs import directed_network

K = 10
ASKED: dict[str, Any] = {"k": K, "epsilon": 4000}
"""So much that noise of ``k / epsilon`` moves no whole number: what is tested is what is counted."""


def network() -> nx.DiGraph:
    return directed_network()[1]


def of_networkx(metric: str) -> dict[str, int]:
    """Return each node's in- or out-degree as networkx counts it."""
    counted: Any = network().in_degree() if metric == "in_degree" else network().out_degree()
    return dict(counted)


def check_list(nodes: list[str], metric: str) -> None:
    """Refuse a list that is not of the largest, largest first; of equal ones each will do."""
    counted = of_networkx(metric)
    assert len(set(nodes)) == K
    assert [counted[node] for node in nodes] == sorted(counted.values(), reverse=True)[:K]


@pytest.fixture(scope="module")
def arcs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network as lines of text, each arc once, some twice, with loops: what a curator has."""
    path = tmp_path_factory.mktemp("arcs") / f"{directed_network()[0]}.tsv"
    lines = [f"{a}\t{b}" for a, b in network().edges()]
    loops = [f"{node}\t{node}" for node in list(network())[:5]]
    path.write_text("\n".join(["from\tto", *lines, *lines[::7], *loops]) + "\n")
    return path


def test_the_network_is_one_of_directions_with_hubs() -> None:
    """What follows would say little of a small graph, or of one where both directions count the same."""
    assert network().number_of_nodes() > 500
    assert network().number_of_edges() > 2000
    back = sum(network().has_edge(b, a) for a, b in network().edges())
    assert back < network().number_of_edges() / 2
    coming, leaving = (sorted(of_networkx(way).values()) for way in ("in_degree", "out_degree"))
    assert coming[-1] > 5 * coming[-50] > 0
    assert coming != leaving


def check_exact(store: Store, name: str) -> None:
    """Compare every node's counts by every engine that counts in this store, and the number of arcs."""
    for metric in get_args(ArcMetricName):
        expected = of_networkx(metric)
        for engine in get_args(Engine):
            ids, values = store.exact_rows(name, metric, engine=engine)
            assert dict(zip(ids.tolist(), values.tolist(), strict=True)) == expected, (metric, engine)
    assert store.exact_count(name, "arcs") == network().number_of_edges()


def test_in_memory_however_it_is_made(arcs_file: Path) -> None:
    read = read_graph(arcs_file, directed=True, header=True)
    given = Graph.from_networkx(network(), directed=True)
    assert np.array_equal(read.node_ids, given.node_ids)
    assert np.array_equal(read.arcs(), given.arcs())
    for metric in get_args(ArcMetricName):
        expected = of_networkx(metric)
        values = edgedp.exact.values(read, metric).tolist()
        assert dict(zip(read.node_ids.tolist(), values, strict=True)) == expected
        for mechanism in ("em", "pf", "joint"):
            found = edgedp.priv_top_k(read, metric, mechanism=mechanism, **ASKED)  # type: ignore[arg-type]
            check_list(found.nodes, metric)


def test_by_commands_and_a_gateway(arcs_file: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "store")

    def run(*words: str) -> Any:
        done = CliRunner().invoke(command_line, ["--store", place, *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done

    declared = ["--epsilon-budget", "99999", "--protect", "source"]
    run("load", str(arcs_file), "--name", "arcs", "--directed", "--header", *declared)
    asked = ["--metric", "in_degree", "-k", str(K), "--epsilon", "4000", "--format", "json"]
    check_list(json.loads(run("topk", "arcs", *asked).stdout)["nodes"], "in_degree")
    shown = json.loads(
        run("exact", "arcs", "--metric", "in_degree", "--top", str(K), "--format", "json").stdout
    )
    expected = of_networkx("in_degree")
    assert [(row["id"], row["value"]) for row in shown] == [(row["id"], expected[row["id"]]) for row in shown]
    with open_store(place) as store:
        check_exact(store, "arcs")
        token = store.add_analyst("ann")["token"]
        store.grant("arcs", "ann", epsilon_budget=50_000)
        body = {"metric": "in_degree", "k": K, "epsilon": "4000"}
        with serve(place, tmp_path) as gateway, gateway.client(token) as client:
            answer = client.post("/v1/graphs/arcs/top-k", json=body)
            assert answer.status_code == 201, answer.text
            check_list(answer.json()["nodes"], "in_degree")
            assert answer.json()["public"]["protects"].startswith("all arcs that leave one node")
            refused = client.post("/v1/graphs/arcs/top-k", json=body | {"metric": "out_degree"})
            assert 400 <= refused.status_code < 500
        assert store.budget("arcs")["epsilon_spent"] == 8000


@pytest.fixture
def written(neo4j_with_plugin: PluginServer) -> tuple[PluginServer, str]:
    """The network in a real database, with parallels and loops, and a constraint on its key."""
    mark, ask = "arcs", neo4j_with_plugin.ask
    ask(f"UNWIND $ids AS id CREATE (:`N {mark}` {{id: id}})", ids=list(network()))
    arcs = [list(arc) for arc in network().edges()]
    ask(
        f"UNWIND $arcs AS arc MATCH (a:`N {mark}` {{id: arc[0]}}), (b:`N {mark}` {{id: arc[1]}}) "
        f"CREATE (a)-[:`R {mark}`]->(b)",
        arcs=[*arcs, *arcs[::7], *([node, node] for node in list(network())[:5])],
    )
    return neo4j_with_plugin, mark


@pytest.mark.neo4j
def test_in_neo4j_over_bolt_and_by_procedures(written: tuple[PluginServer, str]) -> None:
    plugin, mark = written
    declared = {
        "nodeLabel": f"N {mark}", "relationshipType": f"R {mark}", "idProperty": "id", "orientation": "NATURAL",
        "protect": "source", "epsilonBudget": 99_999.0,
    }  # fmt: skip
    plugin.ask("CALL edgedp.graph.register($name, $declared)", name=mark, declared=declared)
    rows = plugin.ask(
        "CALL edgedp.privTopk.stream($name, {metric: 'in_degree', k: $k, epsilon: 4000.0}) YIELD rank, id "
        "RETURN id ORDER BY rank",
        name=mark, k=K,
    )  # fmt: skip
    check_list([row["id"] for row in rows], "in_degree")
    with open_store(plugin.server.uri, auth=plugin.server.auth) as store:
        check_exact(store, mark)
        check_list(store.priv_top_k(mark, "in_degree", **ASKED).nodes, "in_degree")
        store.load(Graph.from_networkx(network(), directed=True), f"loaded {mark}", epsilon_budget=9000)
        check_exact(store, f"loaded {mark}")
        check_list(store.priv_top_k(f"loaded {mark}", "out_degree", **ASKED).nodes, "out_degree")
        store.drop(f"loaded {mark}")
        assert store.budget(mark)["epsilon_spent"] == 8000
