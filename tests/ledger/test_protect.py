"""What an account protects: declared with the budget, frozen by the first debit, and nothing else is released."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import edgedp
from edgedp import BudgetError, EdgeDPError, Graph, ParameterError, Store, StoreError, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.ledger import ledger, placing
from edgedp.ledger.account import Account
from edgedp.mechanisms.counts import count_names
from edgedp.mechanisms.metrics import metric_names
from edgedp.release.plan import PublicFacts, plan
from edgedp.words.vocabulary import ARC_METRICS, MECHANISMS, UNITS
from gateway_server import serve
from made_once import copied
from plugin_fixtures import PluginServer

ARCS = [(1, 2), (3, 2), (4, 2), (5, 2), (2, 3), (5, 3), (6, 1)]
FOLLOWED = Graph.from_edges(ARCS, directed=True)
ASKED = {"metric": "in_degree", "k": 1, "epsilon": "0.5"}


def made(store: Store) -> None:
    store.load(FOLLOWED, "followed", epsilon_budget=10, protect="source")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with copied(made, tmp_path / "store") as store:
        yield store


# -- what is allowed ----------------------------------------------------------------------------------------


def every_release() -> list[tuple[str, dict[str, Any]]]:
    """Return one release of every kind, metric, number and mechanism that there is."""
    found: list[tuple[str, dict[str, Any]]] = []
    for metric, mechanism in itertools.product((*metric_names(), *ARC_METRICS), (None, *MECHANISMS)):
        found.append(("priv_top_k", {"metric": metric, "k": 1, "mechanism": mechanism}))
    for of in count_names():
        of_some: dict[str, dict[str, Any]] = {"stars": {"star_size": 2}, "common_neighbors": {"pair": [1, 2]}}
        named = of_some.get(of, {})
        for given in (named, {**named, "node": 1}):
            found.append(("count", {"of": of, **given}))
    found += [
        ("motkin", {"metrics": ["degree", "ebc"], "k": 1, "approach": approach, "mechanism": mechanism})
        for approach, mechanism in itertools.product(("pareto", "aggregate"), (None, "joint"))
    ]
    return [*found, ("distribution", {"of": "degree"}), ("summary", {})]


@pytest.mark.parametrize(("unit", "metric"), [("source", "in_degree"), ("target", "out_degree")])
def test_only_what_is_proved_for_the_unit_is_planned(unit: Any, metric: str) -> None:
    """Exhaustive: whatever is planned for a pair and is not the one metric by em or pf is refused for a unit."""
    pairs = PublicFacts(9, directed=True)
    facts = PublicFacts(9, directed=True, protect=unit)
    planned, allowed = 0, set()
    for kind, options in every_release():
        asked = {"epsilon": 1, **options}
        try:
            plan(kind, asked, pairs)  # type: ignore[arg-type]
        except EdgeDPError:
            continue
        planned += 1
        if asked.get("metric") == metric and asked["mechanism"] in (None, "em", "pf"):
            found = plan(kind, asked, facts)  # type: ignore[arg-type]
            assert unit in found.units
            allowed.add(found.parameters["mechanism"])
            continue
        with pytest.raises(ParameterError, match=f"protect is '{unit}'"):
            plan(kind, asked, facts)  # type: ignore[arg-type]
    assert planned > 40
    assert allowed == {"em", "pf"}


def test_the_default_mechanism_is_one_that_protects_the_unit(store: Store) -> None:
    release = store.priv_top_k("followed", **ASKED)
    assert release.parameters["mechanism"] == "pf"
    assert release.public["protects"].startswith("all arcs that leave one node")
    assert store.estimate("followed", **ASKED)["parameters"]["mechanism"] == "pf"


def test_cuts_let_vectors_and_numbers_protect_the_unit(store: Store) -> None:
    ways: list[Any] = [
        lambda: store.priv_top_k("followed", "in_degree", 2, "0.5", mechanism="joint", cap=2),
        lambda: store.count("followed", "arcs", "0.5", cap=2),
        lambda: store.distribution("followed", "in_degree", epsilon="0.5", cap=2),
    ]
    for spent, ask in enumerate(ways, start=1):
        release = ask()
        assert edgedp.Release.from_dict(json.loads(json.dumps(release.to_dict()))) == release
        assert release.public["protects"].startswith("all arcs that leave one node")
        assert store.budget("followed")["epsilon_spent"] == spent / 2
    for refused in (
        lambda: store.count("followed", "arcs", "0.5"),
        lambda: store.distribution("followed", "in_degree", epsilon="0.5"),
        lambda: store.distribution("followed", "out_degree", epsilon="0.5", cap=2),
        lambda: store.priv_top_k("followed", "out_degree", 2, "0.5", mechanism="joint", cap=2),
    ):
        with pytest.raises(ParameterError, match="protect is 'source'"):
            refused()
    assert store.budget("followed")["releases"] == len(ways)
    assert store.exact_count("followed", "arcs") == 7


def test_the_gateway_and_the_command_line_draw_and_refuse_alike(store: Store, tmp_path: Path) -> None:
    """A real process: cuts in the bodies of three kinds of release, and what protects no source is 4xx and free."""
    token = store.add_analyst("ann")["token"]
    store.grant("followed", "ann", epsilon_budget=5)
    place = "/v1/graphs/followed"
    allowed: list[tuple[str, dict[str, Any]]] = [
        ("top-k", {"metric": "in_degree", "k": 2, "epsilon": "0.5", "mechanism": "joint", "cap": 2}),
        ("count", {"of": "arcs", "epsilon": "0.5", "cap": 2}),
        ("distribution", {"of": "in_degree", "epsilon": "0.5", "cap": 2}),
    ]
    with serve(tmp_path / "store", tmp_path) as gateway, gateway.client(token) as client:
        for kind, body in allowed:
            answer = client.post(f"{place}/{kind}", json=body)
            assert answer.status_code == 201, answer.text
            assert answer.json()["public"]["protects"].startswith("all arcs that leave one node")
        for kind, body in allowed:
            whole = {key: value for key, value in body.items() if key != "cap"}
            refused = client.post(f"{place}/{kind}", json=whole)
            assert 400 <= refused.status_code < 500
            assert "protect is 'source'" in refused.json()["detail"]
    assert store.budget("followed")["epsilon_spent"] == 1.5
    asked = [
        "--store",
        str(tmp_path / "store"),
        "count",
        "followed",
        "--of",
        "arcs",
        "--cap",
        "2",
        "--epsilon",
        "1",
    ]
    told = CliRunner().invoke(command_line, [*asked, "--dry-run"])
    assert "noise on arcs, through cuts of 2: two-sided geometric, scale 2" in told.output
    assert CliRunner().invoke(command_line, asked).exit_code == 0
    assert store.budget("followed")["epsilon_spent"] == 2.5


def test_a_request_is_answered_again_and_another_question_is_refused(store: Store) -> None:
    shown = store.priv_top_k("followed", **ASKED, request_id="once").to_dict()["release_id"]
    for again in (ASKED, ASKED | {"mechanism": "pf"}):
        assert store.priv_top_k("followed", **again, request_id="once").to_dict()["release_id"] == shown
    for other in (ASKED | {"mechanism": "em"}, ASKED | {"metric": "degree"}, ASKED | {"k": 2}):
        with pytest.raises(ParameterError, match="must be new for another request"):
            store.priv_top_k("followed", **other, request_id="once")
    assert store.budget("followed")["epsilon_spent"] == 0.5
    for kind, asked in (
        ("priv_top_k", {"metric": "in_degree", "k": 2, "mechanism": "joint", "cap": 2}),
        ("count", {"of": "arcs", "cap": 1}),
        ("distribution", {"of": "in_degree", "cap": 2}),
    ):
        once, again = (
            getattr(store, kind)("followed", epsilon="0.5", **asked, request_id=kind) for _ in range(2)
        )
        assert again.kept
        assert (again.to_dict()["release_id"], again.public) == (once.to_dict()["release_id"], once.public)
        with pytest.raises(ParameterError, match="must be new for another request"):
            getattr(store, kind)("followed", epsilon="0.5", **asked | {"cap": 3}, request_id=kind)
    assert store.budget("followed")["epsilon_spent"] == 2


def test_what_is_refused_costs_nothing_and_says_what_to_ask_for(store: Store) -> None:
    for ask in (
        lambda: store.priv_top_k("followed", metric="degree", k=1, epsilon=1),
        lambda: store.priv_top_k("followed", metric="in_degree", k=1, epsilon=1, mechanism="joint"),
        lambda: store.priv_top_k("followed", metric="out_degree", k=1, epsilon=1, mechanism="em"),
        lambda: store.count("followed", of="edges", epsilon=1),
        lambda: store.distribution("followed", epsilon=1),
        lambda: store.summary("followed", epsilon=1),
        lambda: store.motkin("followed", metrics=["degree", "ebc"], k=1, epsilon=1),
    ):
        with pytest.raises(
            ParameterError,
            match=r"the account protects all arcs that leave one node \(protect is 'source'\), and this release would "
            r"not, at its epsilon; ask for the top k by in_degree with 'em' or 'pf'",
        ):
            ask()
    assert store.budget("followed")["epsilon_spent"] == 0
    assert store.budget("followed")["releases"] == 0


def test_records_of_nodes_are_another_account_unless_they_follow_from_degrees(tmp_path: Path) -> None:
    graph = Graph.from_edges(
        ARCS, nodes=range(1, 7), properties={"age": [20, 30, 40, 50, 60, 70]}, directed=True
    )
    with open_store(tmp_path / "s") as store:
        store.load(graph, "g", epsilon_budget=5, attribute_epsilon_budget=5, protect="source")
        store.attribute("g", "age", 0, 100)
        assert store.percentile("g", "age", 0.5, epsilon=1).value is not None
    with open_store(tmp_path / "t") as store:
        store.load(graph, "g", epsilon_budget=5, attribute_epsilon_budget=5, protect="source")
        store.attribute("g", "age", 0, 100, depends_on="degree")
        with pytest.raises(ParameterError, match="protect is 'source'"):
            store.percentile("g", "age", 0.5, epsilon=1)
        assert store.budget("g")["attributes"]["epsilon_spent"] == 0


# -- where it is shown --------------------------------------------------------------------------------------


def test_every_list_says_what_an_account_protects(store: Store, tmp_path: Path) -> None:
    store.load(Graph.from_edges([(1, 2), (2, 3), (3, 4)]), "pairs", epsilon_budget=1)
    assert store.budget("followed")["protect"] == "source"
    assert "protect" not in store.budget("pairs")
    assert {row["name"]: row.get("protect") for row in store.graphs()} == {
        "followed": "source",
        "pairs": None,
    }
    (loaded,) = [row for row in store.log("followed") if row["event"] == "load"]
    assert loaded["details"]["protect"] == "source"
    assert "protects" not in loaded["details"]
    shown = CliRunner().invoke(command_line, ["--store", str(tmp_path / "store"), "graphs"]).stdout
    assert [line.split()[-1] for line in shown.splitlines() if line.startswith(("followed", "pairs"))] == [
        "source", "pair",
    ]  # fmt: skip


def test_the_commands_declare_it(tmp_path: Path) -> None:
    (tmp_path / "arcs.txt").write_text("".join(f"{a} {b}\n" for a, b in ARCS))
    place = ["--store", str(tmp_path / "s")]
    loaded = ["load", str(tmp_path / "arcs.txt"), "--directed", "--one-kind", "--epsilon-budget", "5"]
    done = CliRunner().invoke(command_line, [*place, *loaded, "--protect", "source", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["protect"] == "source"
    budget = CliRunner().invoke(command_line, [*place, "budget", "arcs", "--format", "json"])
    assert json.loads(budget.stdout)["protect"] == "source"
    refused = CliRunner().invoke(
        command_line, [*place, "topk", "arcs", "--metric", "ebc", "-k", "1", "--epsilon", "1"]
    )
    assert refused.exit_code == 1
    assert "the account protects all arcs that leave one node" in refused.stderr
    odd = CliRunner().invoke(command_line, [*place, *loaded, "--replace", "--protect", "person"])
    assert odd.exit_code == 1
    assert "protect is 'person', must be one of pair, source, target" in odd.stderr


def test_only_a_graph_with_directions_has_arcs_of_one_node(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        with pytest.raises(
            ParameterError, match="which needs a graph with directions; load it with directed"
        ):
            store.load(Graph.from_edges(ARCS), "g", epsilon_budget=1, protect="source")
        assert store.graphs() == []


# -- frozen by the first debit ------------------------------------------------------------------------------


def test_before_the_first_debit_it_may_be_declared_anew(store: Store) -> None:
    for unit in ("target", "pair", "source"):
        store.load(FOLLOWED, "followed", replace=True, protect=unit)
        assert store.budget("followed").get("protect", "pair") == unit
    store.load(FOLLOWED, "followed", replace=True)
    assert store.budget("followed")["protect"] == "source", "what is not said stays"


@pytest.mark.parametrize(("before", "after"), list(itertools.permutations(UNITS, 2)))
def test_the_first_debit_freezes_it_whatever_happens_to_the_graph(
    tmp_path: Path, before: Any, after: Any
) -> None:
    metric = "out_degree" if before == "target" else "in_degree"
    with open_store(tmp_path / "s") as store:
        store.load(FOLLOWED, "g", epsilon_budget=2, protect=before)
        store.priv_top_k("g", metric=metric, k=1, epsilon=1, mechanism="em")
        said = f"protect is '{after}', must be '{before}', for which releases of 'g' were paid"
        with pytest.raises(BudgetError, match=said):
            store.load(FOLLOWED, "g", replace=True, protect=after)
        store.drop("g")
        with pytest.raises(BudgetError, match=said):
            store.load(FOLLOWED, "g", protect=after)
        store.load(FOLLOWED, "g")
        assert store.budget("g").get("protect", "pair") == before
        assert store.budget("g")["epsilon_spent"] == 1
        assert store.check("g") == []
        store.load(FOLLOWED, "g", replace=True, protect=before)
        store.priv_top_k("g", metric=metric, k=1, epsilon=1, mechanism="pf")


def test_a_graph_without_directions_does_not_take_the_place_of_an_account_of_sources(store: Store) -> None:
    with pytest.raises(ParameterError, match="protect is 'source', which needs a graph with directions"):
        store.load(Graph.from_edges(ARCS), "followed", replace=True)
    assert store.graphs()[0]["directed"]


def test_what_was_released_between_reading_and_declaring_is_noticed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ledger.found_account

    def late(session: Any, name: str) -> Account | None:
        found = read(session, name)
        monkeypatch.undo()
        store.priv_top_k("followed", **ASKED)
        return found

    monkeypatch.setattr(ledger, "found_account", late)
    with pytest.raises(StoreError, match="the account of 'followed' changed meanwhile; declare again"):
        store.load(FOLLOWED, "followed", replace=True, protect="pair")
    assert store.budget("followed")["protect"] == "source"


def test_a_unit_that_was_declared_between_reading_and_loading_stays(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One loads without a word of it, while another declares it, releases and drops the graph."""
    arcs, planned = Graph.from_edges([(1, 2), (3, 2)], directed=True), placing.load_script

    def late(*given: Any, **chosen: Any) -> Any:
        script = planned(*given, **chosen)
        monkeypatch.undo()
        with open_store(tmp_path / "store") as another:
            another.load(arcs, "g", epsilon_budget=2, protect="source")
            another.priv_top_k("g", metric="in_degree", k=1, epsilon=1)
            another.drop("g")
        return script

    monkeypatch.setattr(placing, "load_script", late)
    with pytest.raises(StoreError, match="the account of 'g' changed meanwhile; declare again"):
        store.load(arcs, "g")
    assert store.budget("g")["protect"] == "source"
    store.load(arcs, "g")
    with pytest.raises(ParameterError, match="protect is 'source'"):
        store.count("g", of="edges", epsilon=1)


def test_a_backup_keeps_it(store: Store, tmp_path: Path) -> None:
    store.priv_top_k("followed", **ASKED)
    store.backup(tmp_path / "copy")
    with open_store(tmp_path / "copy") as copy:
        assert copy.budget("followed")["protect"] == "source"
        with pytest.raises(ParameterError, match="protect is 'source'"):
            copy.count("followed", of="edges", epsilon=1)


@pytest.mark.parametrize("edit", ["", '{"protect": "person"}', "{", '{"protect": "pair"}', "without"])
def test_an_edited_unit_releases_nothing(store: Store, tmp_path: Path, edit: str) -> None:
    (ledger,) = (tmp_path / "store").rglob("ledger.sqlite")
    with closing(sqlite3.connect(ledger)) as base, base:
        for (trigger,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{trigger}"')
        (terms,) = base.execute("SELECT terms FROM accounts WHERE name = 'followed'").fetchone()
        wrong = terms.replace(', "protect": "source"', "") if edit == "without" else edit
        assert wrong != terms
        base.execute("UPDATE accounts SET terms = ? WHERE name = 'followed'", (wrong,))
    with open_store(tmp_path / "store") as opened, pytest.raises(EdgeDPError):
        opened.priv_top_k("followed", metric="degree", k=1, epsilon=1)
    with open_store(tmp_path / "store") as opened, pytest.raises(EdgeDPError):
        opened.priv_top_k("followed", **ASKED)


@pytest.mark.parametrize(
    "terms", ['{"protect": "person"}', '{"protect": null}', "{", "7", '{"protect": ["pair"]}']
)
def test_an_edited_unit_is_no_pair(terms: str) -> None:
    row = {"name": "g", "declared": 1, "budget": 1, "spent": 0, "delta": None, "terms": terms}
    with pytest.raises(StoreError, match="the ledger of 'g' does not add up"):
        Account.of(row)
    assert Account.of(row | {"terms": '{"protect": "target"}'}).protect == "target"
    assert Account.of(row | {"terms": None}).protect == "pair", "terms of an older version"


def test_an_analyst_with_a_share_is_refused_alike(store: Store) -> None:
    store.add_analyst("ann")
    store.grant("followed", "ann", epsilon_budget=1)
    asking = store.asking_as("ann")
    with pytest.raises(ParameterError, match="protect is 'source'"):
        asking.count("followed", of="edges", epsilon=1)
    assert asking.priv_top_k("followed", **ASKED).nodes


# -- Neo4j --------------------------------------------------------------------------------------------------


LABEL = "Node of protect"


@pytest.fixture
def registered(neo4j_with_plugin: PluginServer) -> Iterator[tuple[PluginServer, Store, str]]:
    mark = "protected"
    ask, server = neo4j_with_plugin.ask, neo4j_with_plugin.server
    ask(
        f"UNWIND $arcs AS arc MERGE (a:`{LABEL}` {{id: arc[0]}}) MERGE (b:`{LABEL}` {{id: arc[1]}}) "
        f"CREATE (a)-[:`R {mark}`]->(b)",
        arcs=[list(arc) for arc in ARCS],
    )
    with open_store(server.uri, auth=server.auth) as store:
        ask(
            "CALL edgedp.graph.register($name, $declared)",
            name=mark,
            declared={
                "nodeLabel": LABEL, "relationshipType": f"R {mark}", "idProperty": "id",
                "orientation": "NATURAL", "protect": "source", "epsilonBudget": 5.0,
            },
        )  # fmt: skip
        yield neo4j_with_plugin, store, mark


@pytest.mark.neo4j
def test_the_procedures_keep_to_it(registered: tuple[PluginServer, Store, str]) -> None:
    plugin, store, name = registered
    assert store.budget(name)["protect"] == "source"
    said = plugin.refusal(
        "CALL edgedp.privTopk.stream($name, {metric: 'degree', k: 1, epsilon: 1.0})", name=name
    )
    assert said.startswith("the account protects all arcs that leave one node (protect is 'source')")
    plugin.refusal("CALL edgedp.count.stream($name, {of: 'edges', epsilon: 1.0})", name=name)
    (estimate,) = plugin.ask(
        "CALL edgedp.privTopk.estimate($name, {metric: 'in_degree', k: 1, epsilon: 1.0})", name=name
    )
    assert estimate
    (row,) = plugin.ask(
        "CALL edgedp.privTopk.stream($name, {metric: 'in_degree', k: 1, epsilon: 4.0})", name=name
    )
    assert row["rank"] == 1
    (release,) = store.releases(name)
    assert release["parameters"]["mechanism"] == "pf"
    assert store.budget(name)["epsilon_spent"] == 4
    asked = {"metric": "in_degree", "k": 1, "epsilon": 0.5, "requestId": "once"}
    for _ in range(2):
        (again,) = plugin.ask("CALL edgedp.privTopk.stream($name, $asked)", name=name, asked=asked)
        assert again["rank"] == 1
    assert store.budget(name)["epsilon_spent"] == 4.5
    assert store.estimate(name, metric="in_degree", k=1, epsilon=0.5, request_id="once")


@pytest.mark.neo4j
def test_a_deleted_account_is_made_again_with_what_it_protects(
    registered: tuple[PluginServer, Store, str],
) -> None:
    plugin, store, name = registered
    store.priv_top_k(name, **ASKED)
    place: Any = {
        "node_label": LABEL, "relationship_type": f"R {name}", "id_property": "id", "orientation": "natural",
    }  # fmt: skip
    for dropped_first in (True, False):
        if dropped_first:
            plugin.ask("CALL edgedp.graph.drop($name)", name=name)
        plugin.ask("MATCH (a:EdgeDPAccount {name: $name}) DELETE a", name=name)
        if not dropped_first:
            plugin.ask("CALL edgedp.graph.drop($name)", name=name)
        with pytest.raises(BudgetError, match="must be 'source', for which releases"):
            store.register(name, **place, protect="pair")
        said = plugin.refusal(
            "CALL edgedp.graph.register($name, $declared)", name=name,
            declared={
                "nodeLabel": LABEL, "relationshipType": f"R {name}", "idProperty": "id",
                "orientation": "NATURAL", "protect": "pair",
            },
        )  # fmt: skip
        assert "must be 'source'" in said
        store.register(name, **place)
        assert store.budget(name)["protect"] == "source"
        with pytest.raises(ParameterError, match="protect is 'source'"):
            store.count(name, of="edges", epsilon=1)


@pytest.mark.neo4j
@pytest.mark.parametrize(
    "edit",
    [
        "SET a.terms = replace(a.terms, ', \"protect\": \"source\"', '')",
        "SET a.terms = replace(a.terms, 'source', 'pair')",
        "SET a.terms = replace(a.terms, 'source', 'person')",
        "SET a.terms = '{'",
        "SET a.terms = ''",
        "REMOVE a.terms",
        "SET a.terms = 7",
    ],
)
def test_an_edited_unit_of_a_database_releases_nothing(
    registered: tuple[PluginServer, Store, str], edit: str
) -> None:
    plugin, store, name = registered
    plugin.ask(f"MATCH (a:EdgeDPAccount {{name: $name}}) {edit}", name=name)
    for asked in (
        {"metric": "degree", "k": 1, "epsilon": 1.0},
        {"metric": "in_degree", "k": 1, "epsilon": 1.0},
    ):
        with pytest.raises(EdgeDPError):
            store.priv_top_k(name, **asked)
        plugin.refusal("CALL edgedp.privTopk.stream($name, $asked)", name=name, asked=asked)
    (spent,) = plugin.ask("MATCH (a:EdgeDPAccount {name: $name}) RETURN a.spent AS nano", name=name)
    assert spent["nano"] == 0
    assert name in {each["name"] for each in store.graphs()}
    plugin.ask("CALL edgedp.graph.drop($name)", name=name)


def test_in_memory_nothing_is_an_account() -> None:
    assert edgedp.priv_top_k(FOLLOWED, metric="in_degree", k=1, epsilon=1).public["protects"]
