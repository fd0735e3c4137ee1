"""Graphs of several labels and types, with a direction, a filter or parallels, in a real database by both readers."""

from __future__ import annotations

import datetime
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from click.testing import CliRunner

import edgedp
import value_table
from edgedp import BudgetError, EdgeDPError, EngineError, Graph, ParameterError, Store, StoreError, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.stores.neo4j.session import Neo4jSession
from plugin_fixtures import KEYED, PluginServer

pytestmark = pytest.mark.neo4j


KEYED_WORDS = {label.removesuffix(" of pairs") for label in KEYED.values() if label.endswith(" of pairs")}


Relationship = tuple[int, str, int, dict[str, Any]]


@pytest.fixture
def store(neo4j_with_plugin: PluginServer) -> Iterator[Store]:
    server = neo4j_with_plugin.server
    with open_store(server.uri, auth=server.auth) as store:
        yield store


class Database:
    """Nodes of labels of `KEYED`, relationships, and a name for a graph of them."""

    def __init__(self, on: PluginServer) -> None:
        self.on, self.mark = on, "pairs"
        self.name = f"g-{self.mark}"
        self.labels: dict[int, list[str]] = {}
        self.relationships: list[Relationship] = []

    def of(self, word: str) -> str:
        return f"{word} of pairs" if word in KEYED_WORDS else f"{word} {self.mark}"

    def nodes(self, labels: dict[int, list[str]]) -> None:
        for words in sorted({tuple(words) for words in labels.values()}):
            named = "".join(f":`{self.of(word)}`" for word in words)
            ids = [node for node, of_node in labels.items() if tuple(of_node) == words]
            self.on.ask(f"UNWIND $ids AS id CREATE (n{named} {{id: id}})", ids=ids)
        self.labels |= labels
        assert {word for words in labels.values() for word in words} <= KEYED_WORDS

    def connect(self, relationships: list[Relationship]) -> None:
        # All labels are the database's own, so an id is one node.
        found = " OR ".join(f"n:`{self.of(each)}`" for each in sorted({*chain(*self.labels.values())}))
        for word in dict.fromkeys(word for _, word, _, _ in relationships):
            self.on.ask(
                f"UNWIND $rows AS row MATCH (n) WHERE ({found}) AND n.id = row[0] WITH row, n AS a "
                f"MATCH (n) WHERE ({found}) AND n.id = row[1] "
                f"CREATE (a)-[r:`{self.of(word)}`]->(n) SET r = row[2]",
                rows=[[a, b, properties] for a, of, b, properties in relationships if of == word],
            )
        self.relationships += relationships

    def register(self, store: Store, labels: list[str], types: list[str], **rules: Any) -> dict[str, Any]:
        declared = {"epsilon_budget": 100, "allow_empty": True} | rules
        return store.register(
            self.name, [self.of(each) for each in labels], [self.of(each) for each in types], "id", **declared
        )

    def expected(
        self,
        labels: list[str],
        types: list[str],
        orientation: str = "undirected",
        at_least: int = 1,
        holds: Any = None,
    ) -> Graph:
        """Return the graph by the definition, one pair after the other."""
        nodes = [node for node, words in self.labels.items() if set(words) & set(labels)]
        arcs = Counter(
            (a, b)
            for a, word, b, properties in self.relationships
            if word in types and {a, b} <= set(nodes) and a != b and (holds is None or holds(properties))
        )
        pairs = {(min(arc), max(arc)) for arc in arcs}
        both = {(a, b) for a, b in pairs if arcs[a, b] + arcs[b, a] >= at_least}
        match orientation:
            case "natural":
                found = {arc for arc, times in arcs.items() if times >= at_least}
            case "reverse":
                found = {(b, a) for (a, b), times in arcs.items() if times >= at_least}
            case "mutual":
                found = {(a, b) for a, b in both if arcs[a, b] and arcs[b, a]}
            case _:
                found = both
        return Graph.from_edges(sorted(found), nodes=nodes, directed=orientation in ("natural", "reverse"))


def by_both_readers(store: Store, name: str, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """Return the graph as the plugin reads it, which is as a statement over Bolt does."""
    packed = store.graph(name)
    with monkeypatch.context() as patched:
        patched.setattr(Neo4jSession, "_packed", False)
        assert store.graph(name) == packed
    return packed


SHOP = {1: ["Person"], 2: ["Person"], 3: ["Person", "Firm"], 4: ["Firm"], 5: ["Product"], 6: ["Product"]}
LINKS: list[Relationship] = [
    (1, "CALLED", 2, {"seconds": 30}), (2, "CALLED", 1, {"seconds": 90}), (1, "CALLED", 2, {"seconds": 90}),
    (1, "TEXTED", 2, {}), (2, "TEXTED", 3, {"seconds": 61}), (3, "CALLED", 2, {"seconds": 60}),
    (3, "CALLED", 4, {"seconds": 600.5}), (4, "CALLED", 3, {"seconds": "600"}), (4, "TEXTED", 4, {"seconds": 99}),
    (1, "BOUGHT", 5, {"at": 3}), (2, "BOUGHT", 5, {"at": 4}), (1, "BOUGHT", 5, {"at": 5}), (1, "CALLED", 5, {}),
]  # fmt: skip


def a_minute(properties: dict[str, Any]) -> bool:
    seconds = properties.get("seconds")
    return isinstance(seconds, int | float) and seconds >= 60


@pytest.mark.parametrize(
    ("labels", "times"),
    [
        (["Person", "Firm"], (1, 2)),
        pytest.param(["Person", "Firm"], (3,), marks=pytest.mark.wide),
        pytest.param(["Person"], (1, 2, 3), marks=pytest.mark.wide),
        pytest.param(["Person", "Product"], (1, 2, 3), marks=pytest.mark.wide),
    ],
    ids=str,
)
def test_every_projection_is_read_alike_and_as_it_is_defined(
    neo4j_with_plugin: PluginServer,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    labels: list[str],
    times: tuple[int, ...],
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    for orientation, at_least, filtered in itertools.product(
        ("undirected", "mutual", "natural", "reverse"),
        times,
        (False, True),
    ):
        rules: dict[str, Any] = {"orientation": orientation, "at_least": at_least}
        types = ["CALLED", "TEXTED"]
        expected = database.expected(
            labels, types, orientation, at_least, holds=a_minute if filtered else None
        )
        where = {"seconds": {"gte": 60}} if filtered else None
        row = database.register(store, labels, types, **rules, where=where)
        assert row["exact"] == {"edge_count": expected.edge_count, "max_degree": expected.max_degree}
        assert row["node_count"] == expected.node_count, "one with two labels is one node"
        assert by_both_readers(store, database.name, monkeypatch) == expected
        store.drop(database.name)


def test_types_are_a_union_and_products_are_bought(
    neo4j_with_plugin: PluginServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    database.register(store, ["Person", "Product"], ["BOUGHT"])
    expected = Graph.from_edges([(1, 5), (2, 5)], nodes=[1, 2, 3, 5, 6])
    assert by_both_readers(store, database.name, monkeypatch) == expected
    assert store.exact(database.name, "degree", engine="cypher").tolist() == [1, 1, 0, 2, 0]
    release = store.priv_top_k(database.name, metric="degree", k=1, epsilon=50)
    assert release.nodes == [5]
    assert release.public["projection"] == {
        "node_labels": sorted(map(database.of, ["Person", "Product"])),
        "relationship_types": [database.of("BOUGHT")],
    }


VALUES: list[Any] = [
    None, 0, 1, -1, 60, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, -0.0, 60.0, 59.999999999, float("nan"),
    float("inf"), float("-inf"), 5e-324, "60", "", "é", "text", True, False, [60], [], ["text"],
    datetime.date(2024, 6, 1), datetime.datetime(2024, 6, 1, tzinfo=datetime.UTC), b"60",
]  # fmt: skip
CONDITIONS: list[dict[str, Any]] = [
    {"eq": 60}, {"eq": 60.0}, {"eq": "60"}, {"eq": True}, {"eq": 2**53}, {"eq": 2**53 + 1}, {"eq": "é"},
    {"gte": 60}, {"gt": 59.5}, {"lt": 0}, {"lte": 0}, {"gte": "a"}, {"lt": "z"}, {"in": [1, "text", True]},
    {"gte": 0, "lt": 61}, {"gte": -(2**63)}, {"lte": 2**63 - 1}, {"in": [60.0, 2**53 + 1]}, {"gt": 5e-324},
]  # fmt: skip


def holds(value: Any, asked: dict[str, Any]) -> bool:
    """Say by Python's exact comparisons whether a value holds: of another type it does not."""

    def kind(one: Any) -> str:
        if isinstance(one, bool):
            return "truth"
        return "number" if isinstance(one, int | float) else "text" if isinstance(one, str) else "other"

    def compared(word: str, constant: Any) -> bool:
        if word == "in":
            return any(compared("eq", each) for each in constant)
        if kind(value) != kind(constant):
            return False
        if word == "eq":
            return bool(value == constant)
        return bool({
            "gte": value >= constant, "gt": value > constant, "lte": value <= constant, "lt": value < constant,
        }[word])  # fmt: skip

    return kind(value) != "other" and all(compared(word, constant) for word, constant in asked.items())


def test_one_table_of_values_is_compared_alike(
    neo4j_with_plugin: PluginServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes({node: ["N"] for node in range(len(VALUES) + 1)})
    database.connect([
        (0, "R", node, {} if value is None else {"x": value}) for node, value in enumerate(VALUES, start=1)
    ])  # fmt: skip
    for asked in CONDITIONS:
        database.register(store, ["N"], ["R"], where={"x": asked})
        expected = database.expected(
            ["N"], ["R"], holds=lambda each, asked=asked: holds(each.get("x"), asked)
        )
        found = by_both_readers(store, database.name, monkeypatch)
        assert found == expected, (asked, found.edges().tolist(), expected.edges().tolist())
        store.drop(database.name)


def _asked_of_a_server(which: str) -> list[tuple[str, Any, list[bool]]]:
    """Return questions of the table: two words of each bound, in turn, so that each kind meets each word, or all."""
    if which == "all":
        return value_table.QUESTIONS
    words = ["eq", "gte", "gt", "lte", "lt"]
    bounds = [bound for word, bound, _ in value_table.QUESTIONS if word == "eq"]
    return [
        (word, bound, expected)
        for word, bound, expected in value_table.QUESTIONS
        if (words.index(word) - [bound is each for each in bounds].index(True)) % 5 in (0, 2)
    ]


def _together(
    questions: list[tuple[str, Any, list[bool]]],
) -> Iterator[list[tuple[int, tuple[str, Any, list[bool]]]]]:
    """Give five questions at a time, numbered, each of a property of its own, and alone one that no value meets.

    A relationship that asks one of them has values that meet the others, so that it alone decides.
    """
    met = [each for each in questions if any(each[2])]
    for begin in range(0, len(met), 5):
        yield list(enumerate(met[begin : begin + 5]))
    for each in questions:
        if not any(each[2]):
            yield [(0, each)]


@pytest.mark.parametrize("which", ["two words of each bound", "all"])
def test_both_readers_answer_as_the_value_table_says(
    neo4j_with_plugin: PluginServer, store: Store, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    database = Database(neo4j_with_plugin)
    first = 5  # a node for each question before one for each value
    database.nodes({node: ["N"] for node in range(first + len(value_table.VALUES))})
    for asked in _together(_asked_of_a_server(which)):
        neo4j_with_plugin.ask(f"MATCH (:`{database.of('N')}`)-[r]->() DELETE r")
        holding = {
            f"x{at}": value_table.VALUES[holds.index(True)] for at, (_, _, holds) in asked if any(holds)
        }
        database.connect([
            (at, "R", node, holding | {f"x{at}": value})
            for at, _ in asked for node, value in enumerate(value_table.VALUES, start=first)
        ])  # fmt: skip
        where = {f"x{at}": {word: bound} for at, (word, bound, _) in asked}
        database.register(store, ["N"], ["R"], where=where)
        found = {(a, b) for a, b in by_both_readers(store, database.name, monkeypatch).edges().tolist()}
        assert found == {
            (at, node) for at, (_, _, expected) in asked for node, holds in enumerate(expected, start=first) if holds
        }, where  # fmt: skip
        store.drop(database.name)


def test_a_pair_moves_one_edge_of_every_projection(
    neo4j_with_plugin: PluginServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lemma 1 by the real readers: all that lies between two nodes is taken away, on random small databases."""
    lot = random.Random(26)
    database = Database(neo4j_with_plugin)
    database.nodes({node: [lot.choice(["A", "B"])] for node in range(6)})
    everything = " OR ".join(f"n:`{database.of(word)}`" for word in "AB")
    for history in range(8):
        neo4j_with_plugin.ask(f"MATCH (n)-[r]->() WHERE {everything} DELETE r")
        database.relationships = []
        database.connect([
            (lot.randrange(6), lot.choice("RS"), lot.randrange(6), {"x": lot.randrange(4)}) for _ in range(18)
        ])  # fmt: skip
        rules: dict[str, Any] = {
            "orientation": lot.choice(["undirected", "mutual", "natural", "reverse"]),
            "at_least": lot.randint(1, 2),
            "where": lot.choice([None, {"x": {"gte": 1}}, {"x": {"in": [0, 2, 3]}}]),
        }
        database.register(store, ["A", "B"], ["R", "S"], **rules)
        before = by_both_readers(store, database.name, monkeypatch)
        a, b = lot.sample(range(6), 2)
        neo4j_with_plugin.ask(
            f"MATCH (n {{id: $a}})-[r]-(m {{id: $b}}) WHERE {everything} DELETE r", a=a, b=b
        )
        after = by_both_readers(store, database.name, monkeypatch)
        arcs = [{tuple(arc) for arc in each._pairs().tolist()} for each in (before, after)]
        assert arcs[0] - arcs[1] <= {(a, b), (b, a)}, (history, rules)
        assert not arcs[1] - arcs[0]
        store.drop(database.name)


def test_arcs_of_a_database_are_ranked_by_every_face(neo4j_with_plugin: PluginServer, store: Store) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes({node: ["N"] for node in range(5)})
    database.connect([(each, "FOLLOWS", 4, {}) for each in (0, 1, 2, 3)] + [(4, "FOLLOWS", 0, {})])
    database.register(store, ["N"], ["FOLLOWS"], orientation="natural")
    release = store.priv_top_k(database.name, metric="in_degree", k=1, epsilon=20, mechanism="em")
    assert release.nodes == [4]
    assert release.public["orientation"] == "directed"
    config = {"metric": "in_degree", "k": 1, "epsilon": 20.0, "mechanism": "em"}
    (row,) = neo4j_with_plugin.ask(
        "CALL edgedp.privTopk.stream($name, $config)", name=database.name, config=config
    )
    assert row["id"] == 4
    exact = neo4j_with_plugin.ask(
        "CALL edgedp.exact.stream($name, {metric: 'in_degree'})", name=database.name
    )
    assert {each["id"]: each["value"] for each in exact} == {0: 1.0, 1: 0.0, 2: 0.0, 3: 0.0, 4: 4.0}
    count = store.count(database.name, of="edges", epsilon=50, mechanism="calibrated")
    assert round(count.value) == 4, "what is undirected reads the pair once"
    for metric, expected in (("degree", [1, 1, 1, 1, 4]), ("in_degree", [1, 0, 0, 0, 4])):
        assert store.exact(database.name, metric, engine="cypher").tolist() == expected


def test_the_procedure_registers_what_python_does(
    neo4j_with_plugin: PluginServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    declared = {
        "nodeLabel": [database.of("Person"), database.of("Firm")],
        "relationshipType": [database.of("CALLED"), database.of("TEXTED")],
        "idProperty": "id", "orientation": "MUTUAL", "where": {"seconds": {"gte": 60}}, "atLeast": 2,
        "epsilonBudget": 5.0,
    }  # fmt: skip
    (row,) = neo4j_with_plugin.ask(
        "CALL edgedp.graph.register($name, $declared)", name=database.name, declared=declared
    )
    expected = database.expected(["Person", "Firm"], ["CALLED", "TEXTED"], "mutual", 2, a_minute)
    assert row["exact"] == {"edgeCount": expected.edge_count, "maxDegree": expected.max_degree}
    assert (row["nodeCount"], row["warnings"]) == (4, [])
    assert by_both_readers(store, database.name, monkeypatch) == expected
    (listed,) = [each for each in store.graphs() if each["name"] == database.name]
    assert listed["projection"]["orientation"] == "MUTUAL"
    (noted,) = [each for each in store.log(database.name) if each["event"] == "register"]
    assert noted["details"]["projection"] == listed["projection"]
    (shown,) = [
        each for each in neo4j_with_plugin.ask("CALL edgedp.graph.list()") if each["name"] == database.name
    ]
    assert shown["nodeCount"] == 4
    written = neo4j_with_plugin.ask(
        "CALL edgedp.privTopk.write($name, {metric: 'degree', k: 2, epsilon: 1.0, writeProperty: 'rank'})",
        name=database.name,
    )
    assert written[0]["nodePropertiesWritten"] == 2
    release = neo4j_with_plugin.ask(
        "CALL edgedp.count.stream($name, {of: 'edges', epsilon: 1.0})", name=database.name
    )
    assert len(release) == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nodeLabel": "A|B"}, "nodeLabel is 'A|B', must not hold '|'; give a list, ['A', 'B']"),
        ({"relationshipType": ["EdgeDP_x"]}, "relationshipType"),
        (
            {"orientation": "BOTH"},
            "orientation is 'BOTH', must be one of undirected, mutual, natural, reverse",
        ),
        ({"atLeast": 0}, "atLeast is 0, must be an integer of 1 or more"),
        ({"where": {"x": {"like": 1}}}, "where.x compares by 'like'"),
        ({"where": [1]}, "where is not a map"),
    ],
)
def test_the_procedure_refuses_what_python_does(
    neo4j_with_plugin: PluginServer, changes: dict[str, Any], said: str
) -> None:
    declared = {"nodeLabel": "N", "relationshipType": "R", "idProperty": "id"} | changes
    assert said in neo4j_with_plugin.refusal(
        "CALL edgedp.graph.register('refused', $declared)", declared=declared
    )


def test_a_type_has_one_budget_whatever_it_is_read_with(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    called, texted = database.of("CALLED"), database.of("TEXTED")
    database.register(store, ["Person"], ["CALLED", "TEXTED"], epsilon_budget=1)
    second = f"second-{database.mark}"
    store.register(second, database.of("Person"), called, "id")
    fourth = {"nodeLabel": database.of("Person"), "relationshipType": [texted, called], "idProperty": "id"}
    said = neo4j_with_plugin.refusal(
        "CALL edgedp.graph.register($name, $declared)", name=f"fourth-{database.mark}",
        declared=fourth | {"epsilonBudget": 9.0},
    )  # fmt: skip
    assert "has an account already" in said
    store.priv_top_k(database.name, metric="degree", k=1, epsilon=1)
    with pytest.raises(BudgetError):
        store.priv_top_k(second, metric="degree", k=1, epsilon="0.01")
    store.drop(database.name)
    with pytest.raises(StoreError, match="must not be that of a registered graph"):
        store.load(Graph.from_edges([(1, 2)]), f"third-{database.mark}", relationship_type=called)
    database.register(
        store, ["Person"], ["CALLED", "TEXTED"], epsilon_budget=1, where={"seconds": {"gt": 60}}
    )
    assert store.budget(database.name)["epsilon_spent"] == 1, "a filter never makes a release cheaper"
    with pytest.raises(EdgeDPError, match="budget"):
        store.priv_top_k(database.name, metric="degree", k=1, epsilon=0.01)


def test_a_lost_account_of_several_types_is_not_begun_anew(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    database.register(store, ["Person"], ["CALLED", "TEXTED"], epsilon_budget=1)
    neo4j_with_plugin.ask("MATCH (a:EdgeDPAccount {name: $name}) DELETE a", name=database.of("CALLED"))
    with pytest.raises(StoreError, match="the account"):
        store.register(f"b-{database.mark}", database.of("Person"), database.of("CALLED"), "id", 1)
    store.drop(database.name)


@pytest.mark.parametrize(
    "edit",
    [
        "SET g.projection = replace(g.projection, 'TEXTED', 'BOUGHT')",
        "SET g.projection = null",
        "SET g.projection = '{'",
        "SET g.projection = replace(g.projection, 'MUTUAL', 'NATURAL')",
        "SET g.projection = replace(g.projection, '60', '0')",
        "SET g.relationshipType = replace(g.relationshipType, 'TEXTED', 'BOUGHT')",
    ],
)
def test_an_edited_projection_releases_nothing(
    neo4j_with_plugin: PluginServer, store: Store, edit: str
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    database.register(
        store, ["Person"], ["CALLED", "TEXTED"], orientation="mutual", where={"seconds": {"gte": 60}}
    )
    neo4j_with_plugin.ask(f"MATCH (g:EdgeDPStoredGraph {{name: $name}}) {edit}", name=database.name)
    with pytest.raises(EdgeDPError, match=r"nothing was spent|ledger check"):
        store.priv_top_k(database.name, metric="degree", k=1, epsilon=1)
    said = neo4j_with_plugin.refusal(
        "CALL edgedp.privTopk.stream($name, {metric: 'degree', k: 1, epsilon: 1.0})", name=database.name
    )
    assert "spent" in said or "check" in said
    assert database.name in {each["name"] for each in store.graphs()}, "a broken row hides no list"
    assert database.name in {each["name"] for each in neo4j_with_plugin.ask("CALL edgedp.graph.list()")}
    (spent,) = neo4j_with_plugin.ask(
        "MATCH (a:EdgeDPAccount {name: $name}) RETURN a.spent AS nano", name=database.name
    )
    assert spent["nano"] == 0


def test_the_command_line_registers_a_projection(
    neo4j_with_plugin: PluginServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    server = neo4j_with_plugin.server
    environment = {
        "EDGEDP_STORE": server.uri,
        "NEO4J_USERNAME": server.user,
        "NEO4J_PASSWORD": server.password,
    }
    command = [
        "register", database.name, "--node-label", database.of("Person"), "--node-label", database.of("Firm"),
        "--relationship-type", database.of("CALLED"), "--relationship-type", database.of("TEXTED"),
        "--id-property", "id", "--where", "seconds>=60", "--at-least", "2", "--epsilon-budget", "1",
        "--format", "json",
    ]  # fmt: skip
    done = CliRunner().invoke(command_line, command, env=environment)
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    expected = database.expected(["Person", "Firm"], ["CALLED", "TEXTED"], "undirected", 2, a_minute)
    assert row["exact"]["edge_count"] == expected.edge_count
    assert row["projection"]["where"] == {"seconds": {"gte": 60}}
    odd = CliRunner().invoke(
        command_line, ["register", "odd", "--edges", "s3://a/b", "--candidates", "x"], env=environment
    )
    assert (odd.exit_code, odd.stderr.strip()) == (
        1, "Error: --candidates is not an option of edges at an address; ask without it",
    )  # fmt: skip


def test_an_index_is_asked_of_every_label(neo4j_with_plugin: PluginServer, store: Store) -> None:
    kept, bare, kind = "A of pairs", "Bare of pairs", "R apart"
    neo4j_with_plugin.ask(f"CREATE (:`{kept}` {{id: 1}})-[:`{kind}`]->(:`{bare}` {{id: 2}})")
    with pytest.raises(StoreError, match=bare):
        store.register("g-apart", [kept, bare], kind, "id")
    declared = {"nodeLabel": [kept, bare], "relationshipType": kind, "idProperty": "id"}
    (row,) = neo4j_with_plugin.ask(
        "CALL edgedp.graph.register($name, $declared)", name="g-apart", declared=declared
    )
    assert len(row["warnings"]) == 1
    assert bare in row["warnings"][0]


def test_ids_are_unique_over_all_labels(neo4j_with_plugin: PluginServer, store: Store) -> None:
    labels, kind = ["A of pairs", "B of pairs"], "R apart"
    neo4j_with_plugin.ask(f"CREATE (:`{labels[0]}` {{id: 1}})-[:`{kind}`]->(:`{labels[1]}` {{id: 1}})")
    with pytest.raises(EdgeDPError, match="must be unique, but two nodes share a value"):
        store.register("g-apart", labels, kind, "id")


def test_estimates_and_kept_releases_name_the_projection(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    database.connect(LINKS)
    database.register(store, ["Person"], ["CALLED"], orientation="mutual", at_least=2)
    asked = {"metric": "degree", "k": 1, "epsilon": 1}
    said = store.estimate(database.name, **asked)
    assert said["public"]["projection"]["at_least"] == 2
    first = store.priv_top_k(database.name, **asked, request_id="once")
    again = store.priv_top_k(database.name, **asked, request_id="once")
    assert (again.nodes, again.public) == (first.nodes, first.public)
    assert first.public["projection"]["orientation"] == "MUTUAL"
    assert store.budget(database.name)["epsilon_spent"] == 1


def test_a_directed_graph_in_memory_refuses_nothing_new() -> None:
    with pytest.raises(ParameterError, match="in_degree"):
        edgedp.priv_top_k(Graph.from_edges([(1, 2)]), metric="in_degree", k=1, epsilon=1)


def outside(graph: Graph, candidates: set[int], way: str) -> dict[int, int]:
    """Count the neighbours of candidates that are none, by the definition."""
    arcs = [(int(graph.node_ids[a]), int(graph.node_ids[b])) for a, b in graph._pairs()]
    neighbors: dict[int, set[int]] = {node: set() for node in candidates}
    for a, b in arcs:
        if b in candidates and a not in candidates and way != "out_degree":
            neighbors[b].add(a)
        if a in candidates and b not in candidates and way != "in_degree":
            neighbors[a].add(b)
    return {node: len(found) for node, found in neighbors.items()}


@pytest.mark.parametrize(
    ("orientation", "metrics"),
    [("undirected", ["degree"]), ("mutual", ["degree"]), ("natural", ["in_degree", "out_degree", "degree"])],
)
def test_only_candidates_are_ranked_and_counted(
    neo4j_with_plugin: PluginServer,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    orientation: str,
    metrics: list[str],
) -> None:
    database = Database(neo4j_with_plugin)
    shop = {
        1: ["Buyer"],
        2: ["Buyer"],
        3: ["Buyer"],
        7: ["Item"],
        8: ["Item"],
        9: ["Item"],
        10: ["Item", "Buyer"],
    }
    database.nodes(shop)
    database.connect([
        (1, "BOUGHT", 8, {}), (2, "BOUGHT", 8, {}), (3, "BOUGHT", 8, {}), (8, "BOUGHT", 1, {}), (1, "BOUGHT", 7, {}),
        (7, "BOUGHT", 9, {}), (9, "BOUGHT", 7, {}), (10, "BOUGHT", 9, {}), (1, "BOUGHT", 2, {}), (10, "BOUGHT", 3, {}),
    ])  # fmt: skip
    row = database.register(
        store, ["Buyer", "Item"], ["BOUGHT"], orientation=orientation, candidates=database.of("Item"),
        epsilon_budget=1000,
    )  # fmt: skip
    assert row["node_count"] == 4
    assert row["projection"]["candidates"] == database.of("Item")
    assert row["degree_bound"] is None, "a candidate has more neighbours than there are candidates"
    (shown,) = [
        each for each in neo4j_with_plugin.ask("CALL edgedp.graph.list()") if each["name"] == database.name
    ]
    assert (shown["nodeCount"], shown["degreeBound"]) == (4, None)
    whole = database.expected(["Buyer", "Item"], ["BOUGHT"], orientation)
    for metric in metrics:
        expected = outside(whole, {7, 8, 9, 10}, metric)
        ids, values = store.exact_rows(database.name, metric)
        assert dict(zip(ids.tolist(), values.tolist(), strict=True)) == expected
        largest = max(expected.values())
        for mechanism in ("em", "pf", "joint"):
            asked = {"metric": metric, "k": 1, "epsilon": 15, "mechanism": mechanism}
            (picked,) = store.priv_top_k(database.name, **asked).nodes
            assert expected[picked] == largest
            (streamed,) = neo4j_with_plugin.ask(
                "CALL edgedp.privTopk.stream($name, $asked)",
                name=database.name,
                asked=asked | {"epsilon": 15.0},
            )
            assert expected[streamed["id"]] == largest
            assert streamed["nodeId"]
        assert set(store.priv_top_k(database.name, metric=metric, k=4, epsilon=1).nodes) == {7, 8, 9, 10}
        written = neo4j_with_plugin.ask(
            "CALL edgedp.privTopk.stream($name, $asked)", name=database.name,
            asked={"metric": metric, "k": 4, "epsilon": 1.0},
        )  # fmt: skip
        assert {each["id"] for each in written} == {7, 8, 9, 10}
        with monkeypatch.context() as patched:
            patched.setattr(Neo4jSession, "_packed", False)
            asked = {"metric": metric, "k": 1, "epsilon": 15, "request_id": f"once-{metric}"}
            first = store.priv_top_k(database.name, **asked)
        assert expected[first.nodes[0]] == largest, "read by statements only"
        assert store.priv_top_k(database.name, **asked).to_dict()["nodes"] == first.nodes
        assert "degree_bound" not in first.public
        (priced,) = neo4j_with_plugin.ask(
            "CALL edgedp.privTopk.estimate($name, {metric: $metric, k: 2, epsilon: 1.0})",
            name=database.name, metric=metric,
        )  # fmt: skip
        assert priced
        (vector,) = store.estimate(database.name, metric=metric, k=2, epsilon=0.5)["noise"]
        assert vector["scale"] == 2, "half of what a vector of all nodes has"
    for refused in (
        lambda: store.priv_top_k(database.name, metric="ebc", k=1, epsilon=1),
        lambda: store.count(database.name, of="edges", epsilon=1),
        lambda: store.summary(database.name, epsilon=1),
        lambda: store.distribution(database.name, epsilon=1),
    ):
        with pytest.raises(
            ParameterError, match=r"the graph ranks the nodes labelled 'Item .*' only \(candidates\)"
        ):
            refused()
    with pytest.raises(ParameterError, match="ask for degree, in_degree, out_degree"):
        store.exact(database.name, "ebc")
    with pytest.raises(ParameterError, match="ask for degree, in_degree, out_degree"):
        store.exact_count(database.name, of="triangles")
    assert "whose exact values no procedure returns" in neo4j_with_plugin.refusal(
        "CALL edgedp.exact.stream($name, {metric: 'degree'})", name=database.name
    )
    with pytest.raises(ParameterError, match=r"4"):
        store.priv_top_k(database.name, metric=metrics[0], k=5, epsilon=1)


def test_candidates_are_one_of_several_labels(neo4j_with_plugin: PluginServer, store: Store) -> None:
    database = Database(neo4j_with_plugin)
    database.nodes(SHOP)
    for labels, candidates in ((["Person"], "Person"), (["Person", "Firm"], "Product")):
        with pytest.raises(ParameterError, match="must be one of two or more labels of the nodes"):
            database.register(store, labels, ["CALLED"], candidates=database.of(candidates))
    with pytest.raises(ParameterError, match="degree_bound"):
        database.register(
            store, ["Person", "Firm"], ["CALLED"], candidates=database.of("Firm"), degree_bound=5
        )


def test_cuts_protect_all_arcs_of_one_node_by_every_face(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    """A directed graph of a database whose account protects sources: lists, spreads and numbers through cuts."""
    database, ask = Database(neo4j_with_plugin), neo4j_with_plugin.ask
    person, paid = database.of("Person"), database.of("PAID")
    database.nodes({node: ["Person"] for node in range(1, 7)})
    pairs = [(1, 2), (3, 2), (4, 2), (5, 2), (1, 3), (1, 4), (2, 3), (2, 2), (1, 2)]
    database.connect([(a, "PAID", b, {}) for a, b in pairs])
    store.register(
        database.name, person, paid, "id", epsilon_budget=400, orientation="natural", protect="source"
    )
    cut = {"metric": "in_degree", "k": 1, "epsilon": 50.0, "mechanism": "joint", "cap": 3}
    for rows in (
        ask(f"CALL edgedp.privTopk.stream('{database.name}', $asked) YIELD id RETURN id", asked=cut),
        [{"id": node} for node in store.priv_top_k(database.name, **cut).nodes],  # type: ignore[arg-type]
    ):
        assert rows == [{"id": 2}]
    counted = {"of": "arcs", "epsilon": 50.0, "cap": 3}
    [row] = ask(
        f"CALL edgedp.count.stream('{database.name}', $asked) YIELD value RETURN value", asked=counted
    )
    assert row["value"] == store.count(database.name, "arcs", 50, cap=3).value == 7
    spread = ask(
        f"CALL edgedp.distribution.stream('{database.name}', $asked) YIELD degree, nodes RETURN degree, nodes",
        asked={"of": "in_degree", "epsilon": 50.0, "cap": 3},
    )
    again = store.distribution(database.name, "in_degree", epsilon=50, cap=3)
    assert [each["nodes"] for each in spread] == again.values.tolist() == [3, 2, 1, 1, 0]
    for kept in store.releases(database.name):
        assert kept["public"]["protects"].startswith("all arcs that leave one node")
    assert store.budget(database.name)["epsilon_spent"] == 300
    whole = {"of": "arcs", "epsilon": 1.0}
    said = neo4j_with_plugin.refusal(f"CALL edgedp.count.stream('{database.name}', $asked)", asked=whole)
    assert "protect is 'source'" in said
    with pytest.raises(ParameterError, match="protect is 'source'"):
        store.distribution(database.name, "in_degree", epsilon=1)
    with pytest.raises(EngineError, match="cypher"):
        store.count(database.name, "arcs", 1, cap=3, engine="cypher")
    assert store.budget(database.name)["epsilon_spent"] == 300


def test_a_loaded_directed_graph_is_asked_by_procedures(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    """Written by Python with its arcs, read by the plugin with them, from one account that protects sources."""
    ask, name = neo4j_with_plugin.ask, "arcs of pairs"
    graph = Graph.from_edges([(1, 2), (2, 1), (3, 1), (3, 2), (4, 1), (5, 1), (1, 6)], directed=True)
    store.load(graph, name, epsilon_budget=200, protect="source")
    assert store.graph(name) == graph
    top = "CALL edgedp.privTopk.stream($name, $asked) YIELD id RETURN id"
    assert ask(top, name=name, asked={"metric": "in_degree", "k": 1, "epsilon": 90.0}) == [{"id": 1}]
    exact = ask(
        "CALL edgedp.exact.stream($name, {metric: 'out_degree'}) YIELD id, value RETURN id, value", name=name
    )
    assert {each["id"]: each["value"] for each in exact} == {1: 2, 2: 1, 3: 2, 4: 1, 5: 1, 6: 0}
    assert "protect is 'source'" in neo4j_with_plugin.refusal(
        top, name=name, asked={"metric": "degree", "k": 1, "epsilon": 1.0}
    )
    [listed] = [each for each in ask("CALL edgedp.graph.list()") if each["name"] == name]
    assert listed["epsilonSpent"] == store.budget(name)["epsilon_spent"] == 90
    assert store.exact(name, "out_degree", engine="cypher").tolist() == [2, 1, 2, 1, 1, 0]
    assert store.exact_count(name, "arcs", engine="cypher") == 7
    # An edited row, read undirected or turned round, releases nothing.
    ask("MATCH (g:EdgeDPStoredGraph {name: $name}) REMOVE g.projection", name=name)
    assert neo4j_with_plugin.refusal(top, name=name, asked={"metric": "in_degree", "k": 1, "epsilon": 1.0})
    assert neo4j_with_plugin.refusal(
        "CALL edgedp.count.stream($name, {of: 'edges', epsilon: 1.0})", name=name
    )
    assert store.budget(name)["epsilon_spent"] == 90
