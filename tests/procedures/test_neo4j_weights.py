"""Weights of relationships in a real database: both readers, every aggregation, releases by every face, refusals."""

from __future__ import annotations

import datetime
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

import strength_definitions as definition
from edgedp import EdgeDPError, Store, open_store
from edgedp.faces.cli import edgedp as command_line
from plugin_fixtures import PluginServer

pytestmark = pytest.mark.neo4j

LABEL = "Node of weights"
Row = tuple[int, int, dict[str, Any]]


@pytest.fixture
def store(neo4j_with_plugin: PluginServer) -> Iterator[Store]:
    server = neo4j_with_plugin.server
    with open_store(server.uri, auth=server.auth) as store:
        yield store


class Payments:
    """Relationships of a type of their own between nodes of `LABEL`."""

    def __init__(self, on: PluginServer, rows: list[Row], nodes: int) -> None:
        self.on, self.rows, self.nodes = on, rows, nodes
        mark = on.next_name()
        self.name, self.kind = f"w-{mark}", f"PAID {mark}"
        on.ask(f"UNWIND range(0, $n - 1) AS id MERGE (:`{LABEL}` {{id: id}})", n=nodes)
        for source, target, properties in rows:
            on.ask(
                f"MATCH (a:`{LABEL}` {{id: $a}}), (b:`{LABEL}` {{id: $b}}) "
                f"CREATE (a)-[r:`{self.kind}`]->(b) SET r = $p",
                a=source, b=target, p=properties,
            )  # fmt: skip

    def register(self, store: Store, weight: dict[str, Any], **rules: Any) -> None:
        store.register(self.name, LABEL, self.kind, "id", epsilon_budget=100, weight=weight, **rules)

    def check(
        self, store: Store, name: str, declared: dict[str, Any], *, turned: bool = False, kept: Any = None
    ) -> None:
        """Compare both readers with the definition."""
        rows = [(a, b, each.get("amount")) for a, b, each in self.rows if kept is None or kept(a, b, each)]
        if "property" not in declared:
            rows = [(a, b, 1) for a, b, _ in rows]
        of = (
            {"in_strength": "out_strength", "out_strength": "in_strength"}.get(name, name) if turned else name
        )
        expected = dict(enumerate(definition.strengths(self.nodes, rows, declared, of)))
        assert store.exact(self.name, name).tolist() == list(expected.values())
        asked = self.on.ask("CALL edgedp.exact.stream($name, {metric: $metric})", name=self.name, metric=name)
        assert {each["id"]: each["value"] for each in asked} == expected


VALUES: list[Any] = [
    None, 0, 1, 2, 60, 0.1, 0.3, 0.7, 2.9, -0.0, -1, -2.5, 2**53 + 1, 2**63 - 1, -(2**63), float(2**63), 1e308,
    float("nan"), float("inf"), float("-inf"), 5e-324, "60", "", True, False, [60], datetime.date(2024, 6, 1),
    datetime.datetime(2024, 6, 1, tzinfo=datetime.UTC), b"60",
]  # fmt: skip


def test_one_table_of_values_weighs_alike(neo4j_with_plugin: PluginServer, store: Store) -> None:
    rows: list[Row] = [
        (0, node, {} if value is None else {"amount": value}) for node, value in enumerate(VALUES, start=1)
    ]
    payments = Payments(neo4j_with_plugin, rows, len(VALUES) + 1)
    for declared in (
        {"cap": 50, "step": 0.1},
        {"cap": 2, "signed": True},
        {"pair_cap": 4, "aggregation": "COUNT"},
    ):
        payments.register(store, declared | {"property": "amount"})
        payments.check(store, "strength", declared | {"property": "amount"})
        store.drop(payments.name)


ROWS: list[Row] = [
    (0, 1, {"amount": 3, "at": 5}), (1, 0, {"amount": 4.5, "at": 6}), (0, 1, {"amount": 0.6}), (0, 1, {"amount": 0.6}),
    (1, 2, {"amount": -3, "at": 5}), (2, 1, {"amount": 900}), (2, 3, {"amount": 2}), (3, 2, {"amount": "9"}),
    (3, 3, {"amount": 7}), (3, 0, {}), (0, 2, {"amount": 5, "at": 6}), (0, 2, {"amount": 6, "at": 7}),
]  # fmt: skip
WEIGHTS: list[dict[str, Any]] = [
    {"property": "amount", "cap": 5, "pair_cap": 8},
    {"property": "amount", "cap": 5, "pair_cap": 6, "step": 0.5, "signed": True},
    {"property": "amount", "cap": 5, "aggregation": "MAX"},
    {"property": "amount", "cap": 5, "aggregation": "MIN"},
    {"property": "amount", "cap": 3, "aggregation": "COUNT"},
    {"pair_cap": 3, "aggregation": "COUNT"},
]


@pytest.mark.parametrize("declared", WEIGHTS, ids=str)
def test_every_aggregation_is_read_by_both_as_it_is_defined(
    neo4j_with_plugin: PluginServer, store: Store, declared: dict[str, Any]
) -> None:
    payments = Payments(neo4j_with_plugin, ROWS, 4)
    payments.register(store, declared)
    payments.check(store, "strength", declared)
    store.drop(payments.name)
    for orientation in ("natural", "reverse"):
        payments.register(store, declared, orientation=orientation)
        for name in ("in_strength", "out_strength"):
            payments.check(store, name, declared, turned=orientation == "reverse")
        store.drop(payments.name)


def test_only_what_makes_an_edge_weighs_something(neo4j_with_plugin: PluginServer, store: Store) -> None:
    payments = Payments(neo4j_with_plugin, ROWS, 4)
    declared = {"property": "amount", "cap": 5, "pair_cap": 8}
    payments.register(store, declared, orientation="mutual")
    mutual = [{0, 1}, {1, 2}, {2, 3}]
    payments.check(store, "strength", declared, kept=lambda a, b, _: {a, b} in mutual)
    store.drop(payments.name)
    payments.register(store, declared, at_least=3)
    payments.check(store, "strength", declared, kept=lambda a, b, _: {a, b} == {0, 1})
    store.drop(payments.name)
    payments.register(store, declared, where={"at": {"gte": 6}})
    payments.check(store, "strength", declared, kept=lambda a, b, each: each.get("at", 0) >= 6)


@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.wide), pytest.param(3, marks=pytest.mark.wide)]
)
def test_random_databases_weigh_as_they_are_defined_with_candidates(
    neo4j_with_plugin: PluginServer, store: Store, seed: int
) -> None:
    """Both readers, of every aggregation and orientation: parallels, reverses, loops, filters, values of every kind.

    What lies between two candidates is left out, and so is what lies between two others of no candidate's end.
    """
    lot, nodes = random.Random(seed), 7
    shown = f"{LABEL} shown"
    chosen = set(lot.sample(range(nodes), 4))
    values = [None, 0, 1, 2.5, 7, -3, float("inf"), float("nan"), "9", True]
    rows: list[Row] = []
    for _ in range(40):
        amount, at = lot.choice(values), lot.choice([None, 5, 6, 7])
        properties = {key: value for key, value in (("amount", amount), ("at", at)) if value is not None}
        rows.append((lot.randrange(nodes), lot.randrange(nodes), properties))
    payments = Payments(neo4j_with_plugin, rows, nodes)
    neo4j_with_plugin.ask(
        f"MATCH (n:`{LABEL}`) WHERE n.id IN $ids SET n:`{shown}` REMOVE n:`{LABEL}`", ids=[*chosen]
    )
    for number, orientation in enumerate(("undirected", "natural", "reverse", "mutual") * 2):
        declared = lot.choice(WEIGHTS)
        where = {"at": {"gte": 6}} if number % 2 else None
        at_least = lot.choice([1, 2]) if number > 3 else 1
        store.register(
            payments.name, [LABEL, shown], payments.kind, "id", weight=declared,
            epsilon_budget=None if number else 100_000,
            candidates=shown, orientation=orientation, where=where, at_least=at_least, allow_empty=True,
        )  # fmt: skip
        held = [
            (a, b, each) for a, b, each in rows
            if not {a, b} <= chosen and a != b and (where is None or (each.get("at") or 0) >= 6)
        ]  # fmt: skip
        arcs = Counter((a, b) for a, b, _ in held)

        def joins(a: int, b: int, way: str = orientation, least: int = at_least, of: Any = arcs) -> bool:
            if way in ("natural", "reverse"):
                return bool(of[a, b] >= least)
            both = way != "mutual" or (of[a, b] and of[b, a])
            return bool(both and of[a, b] + of[b, a] >= least)

        weighed = [
            (a, b, 1 if "property" not in declared else each.get("amount")) for a, b, each in held if joins(a, b)
        ]  # fmt: skip
        directed = orientation in ("natural", "reverse")
        for name in ("in_strength", "out_strength") if directed else ("strength",):
            turned = {"in_strength": "out_strength", "out_strength": "in_strength"}
            of = turned[name] if orientation == "reverse" else name
            whole = definition.strengths(nodes, weighed, declared, of)
            expected = {node: whole[node] for node in chosen}
            ids, read = store.exact_rows(payments.name, name)
            found = dict(zip(ids.tolist(), read.tolist(), strict=True))
            assert found == expected, (orientation, declared, where, at_least)
            ranked = neo4j_with_plugin.ask(  # the Java reader: noise of hardly any scale keeps the order
                "CALL edgedp.privTopk.stream($name, {metric: $metric, k: 4, epsilon: 4000.0})",
                name=payments.name, metric=name,
            )  # fmt: skip
            order = [expected[each["id"]] for each in ranked]
            assert order == sorted(expected.values(), reverse=True), (orientation, declared, where)
        store.drop(payments.name)


@pytest.mark.filterwarnings("ignore:relationships of the type")
def test_windows_keep_weights(neo4j_with_plugin: PluginServer, store: Store) -> None:
    def day(month: int) -> datetime.datetime:
        return datetime.datetime(2024, month, 3, tzinfo=datetime.UTC)

    rows: list[Row] = [
        (0, node, {"amount": 5, "at": day(1 if node < 12 else 2)}) for node in range(1, 20)
    ] + [(20, 0, {"amount": 5, "at": "2024-01-03"})]
    payments = Payments(neo4j_with_plugin, rows, 21)
    payments.register(
        store,
        {"property": "amount", "cap": 5},
        dates={
            "property": "at",
            "type": "ZONED DATETIME",
            "from": "2024-01-01",
            "period": "P1M",
            "are": "final",
        },
        within="P1Y",
    )
    asked = {"metric": "strength", "k": 1, "epsilon": 40}
    assert store.priv_top_k(payments.name, window="2024-01", **asked).nodes == [0]
    [row] = neo4j_with_plugin.ask(
        "CALL edgedp.privTopk.stream($name, {metric: 'strength', k: 1, epsilon: 40.0, window: '2024-02'})",
        name=payments.name,
    )
    assert row["id"] == 0


def test_releases_follow_the_declaration_in_every_face(neo4j_with_plugin: PluginServer, store: Store) -> None:
    rows: list[Row] = [(node % 7, 7, {"amount": 9 + node}) for node in range(21)] + [(7, 0, {"amount": 1})]
    payments = Payments(neo4j_with_plugin, rows, 8)
    said = neo4j_with_plugin.ask(
        "CALL edgedp.graph.register($name, {nodeLabel: $label, relationshipType: $kind, idProperty: 'id', "
        "orientation: 'NATURAL', weight: {property: 'amount', cap: 10, step: 0.5, pairCap: 20}, epsilonBudget: 50.0}) "
        "YIELD name RETURN name",
        name=payments.name, label=LABEL, kind=payments.kind,
    )  # fmt: skip
    assert said
    declared = {
        "property": "amount", "cap": 10, "step": 0.5, "pair_cap": 20, "aggregation": "SUM", "signed": False,
    }  # fmt: skip
    released = store.priv_top_k(payments.name, metric="in_strength", k=1, epsilon=10, mechanism="em")
    public = released.to_dict()["public"]
    assert released.nodes == [7]
    assert public["projection"]["weight"] == declared
    assert public["protects"].startswith("all arcs that leave one node")
    [row] = neo4j_with_plugin.ask(
        "CALL edgedp.privTopk.stream($name, {metric: 'in_strength', k: 1, epsilon: 10.0})", name=payments.name
    )
    assert row["id"] == 7
    spent = store.budget(payments.name)["epsilon_spent"]
    for metric, said_of in (("strength", "directions"), ("degree_strength", "metric")):
        with pytest.raises(EdgeDPError, match=said_of):
            store.priv_top_k(payments.name, metric=metric, k=1, epsilon=1)  # type: ignore[arg-type]
        assert said_of in neo4j_with_plugin.refusal(
            "CALL edgedp.privTopk.stream($name, {metric: $metric, k: 1, epsilon: 1.0})",
            name=payments.name, metric=metric,
        )  # fmt: skip
    with pytest.raises(EdgeDPError, match="engine"):
        store.priv_top_k(payments.name, metric="in_strength", k=1, epsilon=1, engine="cypher")
    assert store.budget(payments.name)["epsilon_spent"] == spent == 20


def test_an_edited_cap_releases_nothing(neo4j_with_plugin: PluginServer, store: Store) -> None:
    payments = Payments(neo4j_with_plugin, ROWS, 4)
    payments.register(store, {"property": "amount", "cap": 500})
    for edit in (('"cap": 500', '"cap": 5'), ('"pair_cap": 500', '"pair_cap": 5'), ("500", '"many"')):
        neo4j_with_plugin.ask(
            "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.kept = g.projection "
            "SET g.projection = replace(g.projection, $old, $new)",
            name=payments.name, old=edit[0], new=edit[1],
        )  # fmt: skip
        with pytest.raises(EdgeDPError, match=r"nothing was spent|ledger check"):
            store.priv_top_k(payments.name, metric="strength", k=1, epsilon=1)
        neo4j_with_plugin.ask(
            "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.projection = g.kept REMOVE g.kept",
            name=payments.name,
        )
    assert store.budget(payments.name)["epsilon_spent"] == 0


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ("{cap: 5}", "property"),
        ("{property: 'amount'}", "cap"),
        ("{property: 'amount', cap: 5, aggregation: 'SINGLE'}", "SINGLE"),
        ("{property: 'amount', cap: 5, steps: 1}", "steps"),
        ("{property: '', cap: 5}", "property"),
        ("{property: 'amount', cap: '5 euros'}", "cap"),
        ("'amount'", "map"),
        ("{property: 'amount', cap: 1.0 / 0.0}", "cap"),
    ],
)
def test_what_is_no_declaration_is_refused_by_the_procedure(
    neo4j_with_plugin: PluginServer, store: Store, weight: str, said: str
) -> None:
    payments = Payments(neo4j_with_plugin, ROWS, 4)
    refused = neo4j_with_plugin.refusal(
        "CALL edgedp.graph.register($name, {nodeLabel: $label, relationshipType: $kind, idProperty: 'id', "
        f"weight: {weight}, epsilonBudget: 50.0}})",
        name=payments.name, label=LABEL, kind=payments.kind,
    )  # fmt: skip
    assert said in refused
    assert payments.name not in {each["name"] for each in store.graphs()}


def test_the_command_line_registers_weights(
    neo4j_with_plugin: PluginServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    payments, server = Payments(neo4j_with_plugin, ROWS, 4), neo4j_with_plugin.server
    monkeypatch.setenv("NEO4J_USERNAME", server.auth[0])
    monkeypatch.setenv("NEO4J_PASSWORD", server.auth[1])
    run = CliRunner().invoke(command_line, [
        "--store", server.uri, "register", payments.name, "--node-label", LABEL, "--relationship-type", payments.kind,
        "--id-property", "id", "--weight", "amount", "--weight-cap", "5", "--weight-pair-cap", "8",
        "--epsilon-budget", "3",
    ])  # fmt: skip
    assert run.exit_code == 0, run.output
    payments.check(store, "strength", {"property": "amount", "cap": 5, "pair_cap": 8})
    shown = CliRunner().invoke(
        command_line,
        [
            "--store",
            server.uri,
            "topk",
            payments.name,
            "--metric",
            "strength",
            "-k",
            "1",
            "--epsilon",
            "1",
            "--format",
            "json",
        ],
    )
    assert json.loads(shown.stdout)["public"]["projection"]["weight"]["cap"] == 5


@pytest.mark.parametrize(
    ("where", "degrees"),
    [
        ("{at: {gte: date('2024-01-04')}}", [0, 1, 2, 1]),
        ("{at: date('2024-01-04')}", [0, 1, 1, 0]),
        ("{at: {in: [date('2024-01-03'), date('2024-01-05')]}}", [1, 1, 1, 1]),
        ("{at: {lt: datetime('2024-01-04T01:00:00+02:00')}}", [1, 1, 0, 0]),
        ("{at: {lte: localdatetime('2024-01-04T00:00:00')}}", [1, 2, 1, 0]),
    ],
)
def test_conditions_on_dates_are_written_as_in_cypher(
    neo4j_with_plugin: PluginServer, store: Store, where: str, degrees: list[int]
) -> None:
    rows: list[Row] = [(day, day + 1, {"at": datetime.date(2024, 1, day + 3)}) for day in range(3)]
    payments = Payments(neo4j_with_plugin, rows, 4)
    neo4j_with_plugin.ask(
        "CALL edgedp.graph.register($name, {nodeLabel: $label, relationshipType: $kind, idProperty: 'id', "
        f"where: {where}, epsilonBudget: 1.0}}) YIELD name RETURN name",
        name=payments.name, label=LABEL, kind=payments.kind,
    )  # fmt: skip
    assert store.exact(payments.name, "degree").tolist() == degrees
    shown = neo4j_with_plugin.ask("CALL edgedp.exact.stream($name, {metric: 'degree'})", name=payments.name)
    assert [row["value"] for row in sorted(shown, key=lambda row: row["id"])] == degrees


@pytest.mark.parametrize("where", ["{at: {lt: time('10:00')}}", "{at: {lt: duration('P1D')}}"])
def test_what_is_no_moment_is_no_constant(neo4j_with_plugin: PluginServer, store: Store, where: str) -> None:
    payments = Payments(neo4j_with_plugin, [(0, 1, {})], 2)
    refused = neo4j_with_plugin.refusal(
        "CALL edgedp.graph.register($name, {nodeLabel: $label, relationshipType: $kind, idProperty: 'id', "
        f"where: {where}, epsilonBudget: 1.0}})",
        name=payments.name, label=LABEL, kind=payments.kind,
    )  # fmt: skip
    assert "convert it" in refused


def test_a_share_allows_no_conditions_that_nobody_can_write(
    neo4j_with_plugin: PluginServer, store: Store
) -> None:
    payments, analyst = Payments(neo4j_with_plugin, ROWS, 4), "ann"
    payments.register(store, {"property": "amount", "cap": 5})
    store.add_analyst(analyst)
    with pytest.raises(EdgeDPError, match="filters is for graphs that are loaded"):
        store.grant(payments.name, analyst, epsilon_budget=1, filters=True)
    assert store.grants(payments.name) == []
    assert "filters" not in store.grant(payments.name, analyst, epsilon_budget=1, filters=False)
