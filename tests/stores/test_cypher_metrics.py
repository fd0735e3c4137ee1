"""Every metric statement against plain definitions, on stored multigraphs that are not simple."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

import edgedp
import neo4j
from definitions import definition
from edgedp import EngineError, Graph, Store, open_store
from edgedp.ledger.pairs import ALTERNATIVES
from edgedp.mechanisms import metrics
from edgedp.mechanisms.metrics import metric_names
from edgedp.stores.statements.queries import query, statement_names, statement_of_sensitivity
from edgedp.words.vocabulary import ARC_METRICS, ENGINES
from neo4jserver import Server

pytestmark = pytest.mark.neo4j

IDENTIFIERS = {"node_label": "Odd `label", "relationship_type": "KNOWS OF", "id_property": "the key"}


@dataclass
class StoredGraph:
    """A multigraph in the database, and the simple graph, or the one of arcs, that it must be read as."""

    server: Server
    driver: neo4j.Driver
    simple: nx.Graph = field(repr=False)
    arcs: nx.DiGraph = field(repr=False)

    def rows(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return [
            record.data()
            for record in self.driver.execute_query(query("neo4j", name, **IDENTIFIERS), parameters).records
        ]

    def column(self, name: str, nodes: list[Any] | None = None, **parameters: Any) -> dict[Any, float]:
        rows = self.rows(name, nodes=nodes, **parameters)
        assert all(set(row) == {"id", "value"} for row in rows)
        values = {row["id"]: row["value"] for row in rows}
        assert len(values) == len(rows)
        return values


def written(driver: neo4j.Driver, seed: int, *, text: bool, density: float) -> tuple[nx.Graph, nx.DiGraph]:
    """Write a random multigraph, and things beside it that do not belong to it; return its edges and its arcs."""
    source = random.Random(seed)
    ids: list[Any] = source.sample(range(-50, 1000), 24)
    if text:
        ids = [f"käse {i}" for i in ids]
    simple = nx.Graph()
    simple.add_nodes_from(ids)
    relationships = []
    for a, b in combinations(ids[:-3], 2):  # the last three stay isolated
        if source.random() < density:
            simple.add_edge(a, b)
            for _ in range(source.choice((1, 1, 1, 2, 3))):
                relationships.append([a, b] if source.random() < 0.5 else [b, a])
    relationships += [
        [a, a] for a in source.sample(ids, 6) for _ in range(2)
    ]  # loops, also on isolated nodes
    node, kind, key = (f"`{name.replace('`', '``')}`" for name in IDENTIFIERS.values())
    driver.execute_query("MATCH (n) DETACH DELETE n")
    driver.execute_query(f"UNWIND $ids AS id CREATE (:{node} {{{key}: id}}), (:Other {{{key}: id}})", ids=ids)
    driver.execute_query(
        f"UNWIND $pairs AS pair MATCH (a:{node} {{{key}: pair[0]}}), (b:{node} {{{key}: pair[1]}}) "
        f"CREATE (a)-[:{kind}]->(b)",
        pairs=relationships,
    )
    # Beside it: another type between its nodes, and nodes of another label that join them.
    driver.execute_query(
        f"MATCH (a:{node}), (b:{node}), (x:Other {{{key}: $first}}) "
        f"CREATE (a)-[:OTHER]->(b) MERGE (a)-[:{kind}]->(x) MERGE (x)-[:{kind}]->(b)",
        first=ids[0],
    )
    arcs = nx.DiGraph()
    arcs.add_nodes_from(ids)
    arcs.add_edges_from((a, b) for a, b in relationships if a != b)
    return simple, arcs


SEEDS = [(1, False, 0.06), (2, True, 0.45), (3, False, 0.9)]


@pytest.fixture(
    scope="module",
    params=SEEDS,
    ids=lambda case: f"seed{case[0]}-{'text' if case[1] else 'integers'}-{case[2]}",
)
def stored(request: pytest.FixtureRequest, any_neo4j_server: Server) -> Iterator[StoredGraph]:
    seed, text, density = request.param
    with any_neo4j_server.driver(notifications_min_severity="OFF") as driver:
        yield StoredGraph(any_neo4j_server, driver, *written(driver, seed, text=text, density=density))


def common_neighbors(graph: nx.Graph, v: Any) -> float:
    return max((len(set(graph[u]) & set(graph[v])) for u in graph if u != v), default=0)


QUANTITIES = {
    name: definition(name).of_node for name in metric_names() if name in statement_names("neo4j")
} | {"common_neighbors": common_neighbors}
SENSITIVITIES = [
    (statement_of_sensitivity(name, form), name, form)
    for name in metric_names()
    for form in metrics.metric(name).forms
]


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_quantity_of_all_nodes_follows_its_definition(stored: StoredGraph, name: str) -> None:
    expected = {v: QUANTITIES[name](stored.simple, v) for v in stored.simple}
    assert stored.column(name) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_quantity_of_listed_nodes_comes_in_their_order_and_alone(stored: StoredGraph, name: str) -> None:
    nodes = random.Random(0).sample(sorted(stored.simple), 5)
    rows = stored.rows(name, nodes=nodes)
    assert [row["id"] for row in rows] == nodes
    assert [row["value"] for row in rows] == pytest.approx(
        [QUANTITIES[name](stored.simple, v) for v in nodes], rel=1e-12
    )
    assert stored.rows(name, nodes=[]) == []


@pytest.mark.parametrize("name", ["in_degree", "out_degree"])
def test_arcs_are_counted_one_way_once_and_without_loops(stored: StoredGraph, name: str) -> None:
    expected = dict(getattr(stored.arcs, name))
    assert stored.column(name) == expected
    nodes = random.Random(2).sample(sorted(stored.simple), 5)
    assert [(row["id"], row["value"]) for row in stored.rows(name, nodes=nodes)] == [
        (node, expected[node]) for node in nodes
    ]
    assert stored.rows(name, nodes=[]) == []


@contextmanager
def registered(stored: StoredGraph, rule: dict[str, Any]) -> Iterator[Store]:
    """Register the multigraph as ``arcs``, by an index of the schema that all tests share."""
    label, kind, key = IDENTIFIERS.values()
    with open_store(stored.server.uri, auth=stored.server.auth) as store:
        store.register("arcs", label, kind, key, epsilon_budget=1, allow_empty=True, **rule)
        yield store
        store.drop("arcs")


one_graph = pytest.mark.parametrize("stored", [SEEDS[1]], indirect=True, ids=["one"])
"""Registering takes a second; its arcs go one way, the other, both, several times and in loops."""


@one_graph
@pytest.mark.parametrize("orientation", ["natural", "reverse"])
def test_the_engine_counts_arcs_as_the_kernels_do(stored: StoredGraph, orientation: str) -> None:
    """Also where arcs go back; what is undirected is read either way, as the same graph is in memory."""
    arcs = stored.arcs if orientation == "natural" else stored.arcs.reverse()
    graph = Graph.from_edges(list(arcs.edges), nodes=list(arcs), directed=True)
    assert not np.array_equal(graph.in_degrees, graph.out_degrees)
    some = [5, 0, 20]
    with registered(stored, {"orientation": orientation}) as store:
        assert store.graph("arcs") == graph
        for metric in (*ARC_METRICS, "ebc"):
            expected = edgedp.exact.values(graph, metric)
            for engine in ENGINES:
                assert np.allclose(store.exact("arcs", metric, engine=engine), expected)
            found = store.exact("arcs", metric, nodes=graph.node_ids[some], engine="cypher")
            assert np.allclose(found, expected[some])
        assert store.exact_count("arcs", "arcs", engine="cypher") == graph.arc_count
        assert store.exact_count("arcs", "edges", engine="cypher") == graph.edge_count
        assert store.log("arcs")[-1]["details"] == {"read": "count", "of": "edges"}
        assert store.budget("arcs")["epsilon_spent"] == 0


@one_graph
def test_the_engine_counts_nothing_that_follows_from_a_rule(stored: StoredGraph) -> None:
    """Which rules these are: `edgedp.ledger.pairs.PairProjection.each_joins`."""
    with registered(stored, {"orientation": "natural", "at_least": 2}) as store:
        rows = len(store.log("arcs"))
        for asked in (
            lambda: store.exact("arcs", "degree", engine="cypher"),
            lambda: store.exact("arcs", "in_degree", engine="cypher"),
            lambda: store.exact_count("arcs", "arcs", engine="cypher"),
        ):
            with pytest.raises(EngineError, match="where both directions, a filter or a number"):
                asked()
        assert len(store.log("arcs")) == rows


def test_ordered_degrees_count_the_neighbours_behind(stored: StoredGraph) -> None:
    places = random.Random(1).sample(range(len(stored.simple)), len(stored.simple))
    ranks = {str(node): place for node, place in zip(stored.simple, places, strict=True)}
    expected = {
        node: sum(ranks[str(other)] > ranks[str(node)] for other in stored.simple[node])
        for node in stored.simple
    }
    assert stored.column("ordered_degrees", ranks=ranks) == expected
    assert sum(expected.values()) == stored.simple.number_of_edges()


@pytest.mark.parametrize("name", ["density", "ebc", "betweenness2"])
def test_triangles_are_found_by_a_hash_join_whatever_else_the_database_holds(
    stored: StoredGraph, name: str
) -> None:
    """Looking up every path's end takes twice as long for a hub of Enron; comparing all neighbours is quadratic."""
    statement = "EXPLAIN " + query("neo4j", name, **IDENTIFIERS)
    plan = str(stored.driver.execute_query(statement, nodes=None).summary.plan)
    assert "NodeHashJoin" in plan
    assert "Expand(Into)" not in plan


def test_ebc_is_betweenness_of_the_ego_network(stored: StoredGraph) -> None:
    """networkx computes it by another way: shortest paths through the ego."""
    expected = {
        v: nx.betweenness_centrality(nx.ego_graph(stored.simple, v), normalized=False)[v]
        for v in stored.simple
    }
    assert stored.column("ebc") == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("statement", "name", "form"),
    [each for each in SENSITIVITIES if each[0] in statement_names("neo4j")],
)
def test_sensitivities_are_those_of_the_python_metric(
    stored: StoredGraph, statement: str, name: str, form: str
) -> None:
    metric = metrics.metric(name)
    nodes = sorted(stored.simple)
    degrees = np.array([len(stored.simple[v]) for v in nodes], dtype=np.int64)
    common = np.array([common_neighbors(stored.simple, v) for v in nodes], dtype=np.int64)
    for t, bound in ((0, 1000), (0, 1), (1, 9), (4, 23), (30, 40)):
        expected = metric.sensitivity(form, t, degrees, common, bound).tolist()
        limits = {"t": t, "global_sensitivity": float(metric.global_sensitivity(bound))}
        found = stored.column(statement, **limits)
        assert [found[v] for v in nodes] == pytest.approx(expected, rel=1e-15)
    assert stored.column(statement, nodes[3:7], **limits) == {v: found[v] for v in nodes[3:7]}


def test_adjacency_holds_every_node_once_and_every_edge(stored: StoredGraph) -> None:
    rows = stored.rows("adjacency")
    assert sorted(row["id"] for row in rows) == sorted(stored.simple)
    read = nx.Graph()
    read.add_nodes_from(row["id"] for row in rows)
    read.add_edges_from((row["id"], neighbor) for row in rows for neighbor in row["neighbors"])
    read.remove_edges_from(list(nx.selfloop_edges(read)))
    assert nx.utils.graphs_equal(read, stored.simple)


NAMES = sorted(statement_names("neo4j"))
SELDOM = [
    "adjacency_between", "adjacency_weighted", "adjacency_where", "callable", "candidates", "dated_count", "help",
    "lease_list", "log_at", "log_shares", "no_user", "picked", "progress", "properties", "release_own_back",
    "type_share", "written_find", "written_put",
]  # fmt: skip
"""What no other test of a store has this server plan: every other statement is run by one, of the first tier, too."""


@pytest.mark.parametrize(
    "names", [SELDOM, pytest.param(NAMES, marks=pytest.mark.wide)], ids=["seldom", "all"]
)
def test_every_statement_is_one_that_the_server_accepts(any_neo4j_server: Server, names: list[str]) -> None:
    """Of an old server and a new one; a statement that only some path runs is not found out there."""
    several = dict.fromkeys(("node_label", "candidate_label", "relationship_type"), "x" + ALTERNATIVES + "y")
    one = dict.fromkeys(("display_label", "constraint_name", "id_property", "property"), "x")
    with any_neo4j_server.driver(notifications_min_severity="OFF") as driver, driver.session() as session:
        for name in names:
            named = dict.fromkeys(several, "x") if name.startswith("load") else several
            statement = query("neo4j", name, **named | one)
            if not statement.startswith(
                "SHOW"
            ):  # which cannot be explained, and is run by every test of a store
                parameters = dict.fromkeys(re.findall(r"\$(\w+)", statement))
                session.run(f"EXPLAIN {statement}", parameters).consume()
