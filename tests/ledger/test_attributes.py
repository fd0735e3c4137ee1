"""Properties of a stored graph's nodes: their account, their declarations, and percentiles out of every store."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import OpenStore

import edgedp
from edgedp import Graph, Store, open_store
from edgedp.graph.ids import numbers_of
from edgedp.ledger import registry
from edgedp.ledger.account import account_of
from edgedp.ledger.log import history
from edgedp.mechanisms.selection.domains import declare
from edgedp.mechanisms.selection.percentiles import percentile_law
from edgedp.release.plan import PublicFacts, plan
from edgedp.stores.statements.values import column_of
from edgedp.words.errors import (
    BudgetError,
    EdgeDPError,
    GraphChangedError,
    ParameterError,
    StoreError,
    UnknownNameError,
)
from made_once import copied

ODD = [31, None, 2.5, "x", [1, 2], True, 10**400, -7, float("nan"), "40"]
NODES = list(range(len(ODD)))
EDGES = [(0, 1), (1, 2), (2, 3)]
DEGREES = [1, 2, 2, 1, 0, 0, 0, 0, 0, 0]
PEOPLE = Graph.from_edges(EDGES, nodes=NODES, properties={"age": ODD, "degree": DEGREES, "wage": [1.5] * 10})
NAMELESS = Graph.from_edges(EDGES, nodes=NODES)


def made(store: Store) -> Store:
    store.load(PEOPLE, "people", epsilon_budget=1, attribute_epsilon_budget=2)
    store.attribute("people", "age", 0, 100, points=101)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return copied(made, tmp_path / "graphs.edgedp")


def spent(store: Store) -> tuple[float, float]:
    """Return what was spent of the edges and of the attributes."""
    shown = store.budget("people")
    return shown["epsilon_spent"], shown["attributes"]["epsilon_spent"]


def law_of(store: Store, monkeypatch: pytest.MonkeyPatch, **asked: Any) -> np.ndarray:
    """Release a percentile and return the exact law that it was drawn from, of the values that it was drawn from."""
    seen: list[np.ndarray] = []
    from edgedp.release import draw as module

    real = module.draw_percentile

    def watched(values: Any, question: Any, words: Any) -> float:
        assert words.private, "a stored graph is drawn from by the secure source"
        seen.append(percentile_law(values, question))
        return real(values, question, words)

    with monkeypatch.context() as patched:
        patched.setattr(module, "draw_percentile", watched)
        release = store.percentile("people", **asked)
    law = seen[-1]  # the first draw is the trial's, of a graph that is part of the program
    grid = declare(0, 100, points=101).grid
    assert release.value in grid
    return law


# -- one suite for every store ---------------------------------------------------------------------------


def test_a_percentile_debits_the_attributes_and_shows_whose_it_is(open_any: OpenStore) -> None:
    store = made(open_any())
    release = store.percentile("people", property="age", q="1/3", epsilon=0.25, request_id="one")
    shown = json.loads(json.dumps(release.to_dict()))
    assert shown["selector"] == "percentile"
    assert shown["parameters"] == {
        "property": "age", "q": "1/3", "epsilon": "0.25", "mechanism": "pf", "sampler": "permute_and_flip",
    }  # fmt: skip
    assert shown["value"] == release.value
    assert shown["value"] in range(101)
    assert shown["public"] == {
        "node_count": 10,
        "nodes": "supplied",
        "records": 10,
        "domain": {"low": 0, "high": 100, "grid": "linear", "points": 101, "depends_on": "independent"},
        "neighbors": "one record replaced",
    }
    assert shown["account"] == "attributes"
    assert shown["debits"] == [{"account": "attributes", "epsilon": 0.25}]
    assert (shown["epsilon_budget"], shown["epsilon_spent"], shown["epsilon_remaining"]) == (2, 0.25, 1.75)
    other = open_any()
    assert other.budget("people") == {
        "epsilon_budget": 1, "epsilon_spent": 0, "epsilon_remaining": 1, "releases": 0,
        "attributes": {"epsilon_budget": 2, "epsilon_spent": 0.25, "epsilon_remaining": 1.75, "releases": 1},
    }  # fmt: skip
    (listed,) = other.graphs()
    assert (listed["epsilon_budget"], listed["epsilon_spent"]) == (1, 0)
    assert listed["attributes"] == {"epsilon_budget": 2, "epsilon_spent": 0.25}
    assert "edges" not in json.dumps([listed, other.budget("people")])
    (kept,) = other.releases("people")
    assert (kept["release_id"], kept["value"], kept["account"]) == (
        shown["release_id"], release.value, "attributes",
    )  # fmt: skip
    again = other.percentile("people", property="age", q="1/3", epsilon=0.25, request_id="one")
    assert again.to_dict() == release.to_dict()
    assert spent(other) == (0, 0.25)
    with pytest.raises(ParameterError, match="request_id is 'one', must be new"):
        other.percentile("people", property="age", q="1/4", epsilon=0.25, request_id="one")
    with pytest.raises(ParameterError, match="request_id is 'one', must be new"):
        other.priv_top_k("people", metric="degree", k=1, epsilon=0.1, request_id="one")
    assert other.check() == []


def test_a_property_of_the_degree_debits_both_or_neither(open_any: OpenStore) -> None:
    """An edge moves two degrees, so two records: twice epsilon of the edges, in the same transaction."""
    store = made(open_any())
    store.attribute("people", "degree", 0, 100, points=101, depends_on="degree")
    shown = store.percentile("people", property="degree", q=0.5, epsilon=0.25).to_dict()
    assert shown["public"]["domain"]["depends_on"] == "degree"
    assert shown["debits"] == [
        {"account": "attributes", "epsilon": 0.25},
        {"account": "edges", "epsilon": 0.5},
    ]
    assert spent(store) == (0.5, 0.25)
    with pytest.raises(BudgetError, match=r"which costs 0\.6 of the edges .* edges of 'people', 0\.5 of 1"):
        store.percentile("people", property="degree", q=0.5, epsilon=0.3)
    store.set_budget("people", 100)
    with pytest.raises(BudgetError, match=r"attributes of 'people', 1\.75 of 2; ask for less"):
        store.percentile("people", property="degree", q=0.5, epsilon=1.8)
    assert spent(store) == (0.5, 0.25)
    assert [row["event"] for row in store.log("people")].count("debit") == 1
    (part,) = (row for row in store.log("people") if row["event"] == "debit")
    assert part["details"]["part_of"] == shown["release_id"]
    assert len(store.releases("people")) == 1, "one release, in two logs"
    told = store.budget("people")
    assert (told["releases"], told["attributes"]["releases"]) == (0, 1)
    assert store.check() == []


def test_values_lie_with_the_graph_and_a_declaration_stays_over_a_replacement(
    open_any: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law of the stored path is that of the values in memory; one that is missing then is missing everywhere."""
    store = made(open_any())
    asked = {"property": "age", "q": 0.5, "epsilon": 0.5}
    question = edgedp.percentile(ODD, q=0.5, grid=range(101), epsilon=0.5).question
    assert law_of(store, monkeypatch, **asked) == pytest.approx(percentile_law(ODD, question), rel=1e-12)
    with pytest.warns(UserWarning, match="no 'age', which is declared: every value of it is missing"):
        store.load(NAMELESS, "people", replace=True)
    nothing = percentile_law([None] * 10, question)
    assert law_of(store, monkeypatch, **asked) == pytest.approx(nothing, rel=1e-12)
    older = Graph.from_edges(EDGES, nodes=NODES, properties={"age": [90] * 10})
    store.load(older, "people", replace=True)
    assert law_of(store, monkeypatch, **asked) == pytest.approx(
        percentile_law([90] * 10, question), rel=1e-12
    )
    assert spent(store) == (0, 1.5), "what was spent stays spent over every replacement"
    assert [row["property"] for row in store.attributes("people")] == ["age"]


def test_a_declaration_is_frozen_once_anything_was_debited(open_any: OpenStore) -> None:
    store = made(open_any())
    store.attribute("people", "age", 0, 120, points=7)
    assert store.attributes("people") == [
        {"property": "age", "low": 0, "high": 120, "grid": "linear", "points": 7, "depends_on": "independent"}
    ]
    store.attribute("people", "wage", 1, 1000, grid=[1, 2.5, 10])
    store.percentile("people", property="wage", q=0.5, epsilon=0.1)
    for change in ({"low": 1}, {"points": 8}, {"depends_on": "degree"}, {}):
        with pytest.raises(
            BudgetError, match="declared, and releases were paid since: its domain and grid stay"
        ):
            store.attribute("people", "age", **({"low": 0, "high": 120, "points": 7} | change))
    store.attribute("people", "degree", 0, 9, points=10, depends_on="degree")
    assert [row["property"] for row in store.attributes("people")] == ["age", "degree", "wage"]
    events = [row["event"] for row in store.log("people", "attributes")]
    assert events == ["budget", "attribute", "attribute", "attribute", "debit", "answer", "attribute"]


def test_a_property_that_is_declared_anew_after_the_plan_is_noticed_before_the_debit(
    open_any: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then it follows from the degree: what was planned would not debit the edges."""
    from edgedp.stores.releases import releasing

    store, other = made(open_any()), open_any()
    with monkeypatch.context() as patch:
        patch.setattr(
            releasing, "try_engine", lambda *_: other.attribute("people", "age", 0, 100, depends_on="degree")
        )
        with pytest.raises(GraphChangedError, match="since the release was planned; ask again"):
            store.percentile("people", property="age", q=0.5, epsilon=0.25)
    assert spent(store) == (0, 0)
    store.attribute("people", "ag", 0, 1)
    store.attribute("people", "wage", 0, 4, grid=[1, 2.5, 4])
    store.percentile("people", property="wage", q=0.5, epsilon=0.25)
    store.percentile("people", property="age", q=0.5, epsilon=0.25)
    assert spent(store) == (0.5, 0.5)


def test_the_name_of_an_account_is_not_the_name_of_a_graph(open_any: OpenStore) -> None:
    """By it a budget could be declared past what the attributes' account allows, and a share broken for good."""
    store = made(open_any())
    store.add_analyst("ann")
    store.grant("people", "ann", "0.5")
    before = store.budget("people"), store.grants("people")
    for name in (account_of("people", "attributes"), account_of("people", "attributes") + "\tattributes"):
        for asked in (
            lambda name=name: store.set_budget(name, 50),
            lambda name=name: store.set_budget(name, 50, "1e-6"),
            lambda name=name: store.set_budget(name, 50, attributes=True),
            lambda name=name: store.grant(name, "ann", 50),
            lambda name=name: store.grants(name),
            lambda name=name: store.budget(name),
            lambda name=name: store.releases(name),
            lambda name=name: store.log(name),
            lambda name=name: store.export(name, "attributes"),
            lambda name=name: store.check(name),
            lambda name=name: store.asking_as("ann").budget(name),
            lambda name=name: store.asking_as("ann").releases(name),
            lambda name=name: store.load(PEOPLE, name),
        ):
            with pytest.raises(
                EdgeDPError,
                match=r"must have been loaded or registered|must be one that you have a share of|printable characters",
            ):
                asked()
    assert (store.budget("people"), store.grants("people")) == before
    assert store.check() == []


def test_what_cannot_be_asked_costs_nothing(open_any: OpenStore) -> None:
    store = made(open_any())
    good = {"property": "age", "q": 0.5, "epsilon": 0.5}
    for bad, says in (
        ({"property": "agee"}, "must be one that the curator has declared .* did you mean 'age'"),
        ({"property": "wage"}, "must be one that the curator has declared"),
        ({"q": 0}, "q is 0, must be above 0 and below 1"),
        ({"epsilon": 0}, "epsilon is 0"),
        (
            {"epsilon": 3},
            r"must cost at most what is left of the budget of the attributes of 'people', 2 of 2",
        ),
        ({"mechanism": "snm"}, "mechanism is 'snm'"),
        ({"sampler": "exponential"}, "sampler"),
    ):
        with pytest.raises(EdgeDPError, match=says) as refused:
            store.percentile("people", **(good | bad))
        assert "\n" not in str(refused.value)
    with pytest.raises(ParameterError, match="depends_on is 'edges', must be 'independent' or 'degree'"):
        store.attribute("people", "rank", 0, 1, depends_on="edges")
    with pytest.raises(UnknownNameError, match="'peopl', must be a stored one"):
        store.attribute("peopl", "age", 0, 1)
    assert spent(store) == (0, 0)


# -- the embedded store, in detail -----------------------------------------------------------------------


def test_every_small_record_comes_out_of_the_file_as_it_is_read_in_memory(tmp_path: Path) -> None:
    """All of {0..3, missing}^3 as properties of three nodes: with the law's own audit, the stored path is private."""
    listed = list(product((0, 1, 2, 3, None), repeat=3))
    properties = {f"p{i}": list(values) for i, values in enumerate(listed)}
    graph = Graph.from_edges([(1, 2)], nodes=[1, 2, 3], properties=properties)
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(graph, "small")
    with store._backend.session() as session:
        row = registry.known(session, "small")
        kept = session.properties(row, ())
        assert list(kept) == list(properties)
        for name in list(properties)[::5]:
            read = session.records(row, name)
            assert np.array_equal(read, numbers_of(properties[name]), equal_nan=True)
        assert np.isnan(session.records(row, "p999")).all()
    for name, values in kept.items():
        assert np.array_equal(numbers_of(values), numbers_of(properties[name]), equal_nan=True)


def test_values_of_any_type_come_back_to_the_curator(store: Store) -> None:
    back = store.graph("people").properties
    assert back["age"].tolist() == [31, None, 2.5, "x", "[1, 2]", True, float("inf"), -7, None, "40"]
    assert back["degree"].tolist() == DEGREES
    assert back["degree"].dtype == np.int64
    assert back["wage"].dtype == np.float64
    assert (numbers_of(back["age"]) == numbers_of(ODD))[[0, 2, 6, 7]].all()
    assert np.isnan(numbers_of(back["age"])[[1, 3, 4, 5, 8, 9]]).all()
    assert store.log("people")[-1]["event"] == "exact"
    assert column_of(np.array([2**63], dtype=np.uint64)).encoding == "real"
    assert column_of(np.array(["a"])).values.tolist() == ["a"]


@pytest.mark.parametrize("mechanism", ["pf", "em", "distance", "ld", "sld"])
def test_every_mechanism_is_drawn_from_a_store(
    store: Store, monkeypatch: pytest.MonkeyPatch, mechanism: str
) -> None:
    asked: dict[str, Any] = {"q": 0.9, "epsilon": 0.5, "mechanism": mechanism}
    expected = edgedp.percentile(ODD, grid=range(101), **asked).question
    law = law_of(store, monkeypatch, property="age", **asked)
    assert law == pytest.approx(percentile_law(ODD, expected), rel=1e-12)


def test_no_edge_is_read_for_a_percentile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from edgedp.stores.embedded import files

    def read(*_: Any, **__: Any) -> Graph:
        raise AssertionError("a percentile reads no edge")

    monkeypatch.setattr(files, "read", read)
    assert store.percentile("people", property="age", q=0.5, epsilon=0.1).value in range(101)


def test_a_value_in_no_error_and_no_log(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong after the debit is said in a constant sentence, and the debit stays."""
    from edgedp.release import draw as module

    def broken(values: Any, question: Any, words: Any) -> float:
        if len(values) == 10:  # the trial before the debit is of another graph
            raise ValueError(f"the values are {values}")
        return 0.0

    monkeypatch.setattr(module, "draw_percentile", broken)
    with pytest.raises(
        EdgeDPError, match="the release could not be computed; what was asked for stays spent"
    ):
        store.percentile("people", property="age", q=0.5, epsilon=0.1)
    assert spent(store) == (0, 0.1)
    (lost,) = store.releases("people")
    assert lost["value"] is None
    logged = json.dumps([store.log("people"), store.log("people", "attributes"), store.export("people")])
    assert "31" not in json.dumps(store.attributes("people"))
    assert "the values are" not in logged


def test_a_replacement_after_the_plan_is_noticed_before_the_debit(store: Store) -> None:
    from edgedp.ledger import attributes, ledger
    from edgedp.ledger.debits import debiting
    from edgedp.ledger.script import run

    with store._backend.session() as session:
        row = registry.known(session, "people")
        facts = PublicFacts(row.node_count, domains=attributes.declared(session, "people"))
        planned = plan("percentile", {"property": "age", "q": 0.5, "epsilon": 0.1}, facts)
        with pytest.warns(UserWarning, match="no 'age'"):
            store.load(NAMELESS, "people", replace=True)
        script = debiting.debit_script(
            row, planned, release_id="r", request_id=None, by="uid 1", at=ledger.now()
        )
        outcome = run(session, script)
        with pytest.raises(StoreError, match="changed since the release was planned"):
            ledger.judge(outcome.name, outcome.rows, name="people", plan=planned, request_id=None)
    assert spent(store) == (0, 0)


def test_a_declaration_that_another_one_overtook_is_refused(store: Store) -> None:
    from edgedp.ledger import attributes, ledger
    from edgedp.ledger.script import run

    name = account_of("people", "attributes")
    with store._backend.session() as session:
        account = ledger.find(session, name)
        script = attributes.attribute_script(
            "people", account, "age", declare(0, 5), {}, by="uid 1", at=ledger.now()
        )
        store.percentile("people", property="age", q=0.5, epsilon=0.1)
        outcome = run(session, script)
    assert str(ledger.curator_refusal(outcome.name, name)).startswith("the account of 'people")
    assert store.attributes("people")[0]["high"] == 100


def test_budgets_of_the_attributes_are_declared_changed_and_kept_apart(store: Store) -> None:
    assert store.set_budget("people", 3, attributes=True)["attributes"]["epsilon_budget"] == 3
    assert store.budget("people")["epsilon_budget"] == 1
    store.percentile("people", property="age", q=0.5, epsilon=1)
    with pytest.raises(BudgetError, match="must be at least what was spent, 1"):
        store.set_budget("people", 0.5, attributes=True)
    with pytest.raises(ParameterError, match="delta is not for the attributes"):
        store.set_budget("people", 5, "1e-6", attributes=True)
    store.priv_top_k("people", metric="degree", k=1, epsilon=1)
    assert spent(store) == (1, 1)
    with pytest.raises(BudgetError, match="0 of 1"):
        store.priv_top_k("people", metric="degree", k=1, epsilon=0.1)
    assert store.percentile("people", property="age", q=0.5, epsilon=1).value in range(101)
    store.drop("people")
    store.load(PEOPLE, "people")
    assert spent(store) == (1, 2), "a graph that is loaded again finds both accounts as they were"


def test_no_budget_no_percentile(tmp_path: Path) -> None:
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(PEOPLE, "people", epsilon_budget=1)
    assert "attributes" not in store.budget("people")
    store.attribute("people", "age", 0, 100)
    with pytest.raises(
        BudgetError, match=r"budget of the attributes .* is not declared; .*--attributes --set E"
    ):
        store.percentile("people", property="age", q=0.5, epsilon=0.1)


def test_a_budget_in_rho_pays_for_a_property_of_the_degree(tmp_path: Path) -> None:
    """The edges' part is of any pure release: (2 epsilon)^2 / 2 of rho."""
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(PEOPLE, "people", epsilon_budget=1, delta="1e-6", attribute_epsilon_budget=1)
    store.attribute("people", "degree", 0, 100, points=101, depends_on="degree")
    store.percentile("people", property="degree", q=0.5, epsilon="0.01")
    (debit,) = (row for row in map(json.loads, store.export("people")[:-1]) if row["kind"] == "debit")
    assert debit["cost"] == 20_000_000
    assert debit["charge"] == 10**12 * Fraction(2, 100) ** 2 / 2


def test_both_logs_are_chained_checked_exported_and_backed_up(store: Store, tmp_path: Path) -> None:
    store.percentile("people", property="age", q=0.5, epsilon=0.5)
    lines = store.export("people", "attributes")
    assert history.verify(lines, store.head("people", "attributes")) == {
        "graph": "people", "account": "attributes", "rows": 4, "releases": 1,
        "head": store.head("people", "attributes"),
    }  # fmt: skip
    with pytest.raises(StoreError, match="row is missing or changed"):
        history.verify([lines[0].replace('"kind": "budget"', '"kind": "limit"'), *lines[1:]])
    heads = store.backup(tmp_path / "copy")
    assert heads == {
        "people": store.head("people"), account_of("people", "attributes"): store.head("people", "attributes")
    }  # fmt: skip
    copied = open_store(tmp_path / "copy")
    assert copied.percentile("people", property="age", q=0.5, epsilon=0.5).value in range(101)
    kept = f"{copied.head('people', 'attributes')} {account_of('people', 'attributes')}\n"
    with pytest.raises(StoreError, match="older copy"):
        open_store(tmp_path / "graphs.edgedp", head=kept).graphs()


def test_an_attributes_account_that_its_log_does_not_say_is_refused_and_found(store: Store) -> None:
    store.percentile("people", property="age", q=0.5, epsilon=0.5)
    with store._backend.session() as session:
        ledger: Any = session
        name = account_of("people", "attributes")
        ledger.connection.execute("UPDATE accounts SET spent = 0 WHERE name = ?", [name])
    with pytest.raises(
        StoreError, match="the ledger of 'people' does not add up; run 'edgedp ledger check people'"
    ):
        store.percentile("people", property="age", q=0.5, epsilon=0.5)
    found, healing = store.check()
    assert found["graph"] == healing["graph"] == "people"
    assert found["problem"].startswith("attributes: the account says that 0 was spent")
    assert "run 'edgedp drop people'" in healing["problem"]


def test_a_property_may_not_take_the_place_of_the_ids(tmp_path: Path) -> None:
    store = open_store(tmp_path / "graphs.edgedp")
    with pytest.raises(ParameterError, match="a property is called 'id'"):
        store.load(Graph.from_edges(EDGES, nodes=NODES, properties={"id": DEGREES}), "people")
    with pytest.raises(UnknownNameError):
        store.budget("people")


# -- properties out of files -----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "edges.txt").write_text("1 2\n2 3\n")
    (tmp_path / "nodes.csv").write_text(
        'name,age,"home town"\n# a comment\n3,"61.5",b\n1,31,"a, really"\n4,,\n2,many,c\n5,007,d\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(*names: str, nodes: str = "nodes.csv", **options: Any) -> Graph:
    return edgedp.read_graph("edges.txt", nodes=nodes, properties=names, **options)


def test_columns_of_the_file_of_nodes_are_properties(folder: Path) -> None:
    graph = read("home town", "age")
    assert graph.node_ids.tolist() == [1, 2, 3, 4, 5]
    assert graph.properties["age"].tolist() == [31, "many", 61.5, None, 7]
    assert graph.properties["home town"].tolist() == ["a, really", "c", "b", None, "d"]
    assert list(graph.properties) == ["home town", "age"]
    (folder / "text.csv").write_text("id;x\nb;1\na;2\n1;3\n2;4\n3;5\n")
    assert read("x", nodes="text.csv").properties["x"].tolist() == [3, 4, 5, 2, 1]


def test_one_odd_field_does_not_change_how_the_others_are_read(folder: Path) -> None:
    """Neighbours differ in one record: a text among numbers makes no texts of the rest."""
    graph = read("age")
    assert np.isnan(numbers_of(graph.properties["age"])).tolist() == [False, True, False, True, False]


def test_tables_hold_properties_too(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"node": [3, 1, 2], "age": [61.5, None, 18.0], "zip": ["0123", "1", None]})
    pq.write_table(table, folder / "nodes.parquet")
    graph = read("age", "zip", nodes="nodes.parquet")
    assert graph.properties["age"].tolist() == [None, 18.0, 61.5]
    assert graph.properties["zip"].tolist() == ["1", None, "0123"]


@pytest.mark.parametrize(
    ("text", "names", "says"),
    [
        (None, ["aeg"], "a property is 'aeg', must be one of the names of the columns"),
        (None, ["age", "age"], "properties holds a name twice"),
        ("1\n2\n3\n", ["age"], "no line of .* names its columns"),
        ("id,age\n1,2\n1,3\n2,1\n3,1\n", ["age"], "holds an id twice"),
    ],
)
def test_properties_that_cannot_be_read_are_refused(
    folder: Path, text: str | None, names: list[str], says: str
) -> None:
    if text is not None:
        (folder / "nodes.csv").write_text(text)
    with pytest.raises(EdgeDPError, match=says) as refused:
        read(*names)
    assert "\n" not in str(refused.value)


def test_properties_without_a_file_of_nodes_are_refused(folder: Path) -> None:
    for nodes in (None, [1, 2, 3]):
        with pytest.raises(ParameterError, match="columns of a file of nodes, which is missing"):
            edgedp.read_graph("edges.txt", nodes=nodes, properties=["age"])


def test_the_commands(folder: Path) -> None:
    from click.testing import CliRunner

    from edgedp.faces.cli import edgedp as command_line

    def run(*words: str, status: int = 0) -> str:
        result = CliRunner().invoke(command_line, words)
        assert result.exit_code == status, result.output
        return result.stdout if status == 0 else result.stderr

    def asked(*words: str) -> Any:
        return json.loads(run(*words, "--format", "json"))

    loaded = run(
        "load", "edges.txt", "--name", "p", "--nodes", "nodes.csv", "--properties", "age,home town",
        "--epsilon-budget", "1", "--attribute-epsilon-budget", "0.5",
    )  # fmt: skip
    assert "properties: age, home town; attribute epsilon budget 0.5, spent 0" in loaded
    (folder / "grid.txt").write_text("1\n18\n65\n100\n")
    declared = asked(
        "attribute", "p", "--property", "age", "--low", "1", "--high", "100", "--grid", "grid.txt"
    )
    assert declared == [
        {
            "property": "age",
            "low": 1,
            "high": 100,
            "grid": "explicit",
            "points": 4,
            "depends_on": "independent",
        }
    ]
    assert asked("attribute", "p") == declared
    shown = asked("percentile", "p", "--property", "age", "--q", "0.5", "--epsilon", "0.1")
    assert shown["value"] in (1, 18, 65, 100)
    assert (shown["account"], shown["epsilon_remaining"]) == ("attributes", 0.4)
    assert "of 0.5 spent" in run("percentile", "p", "--property", "age", "--q", "1/3", "--epsilon", "0.1")
    assert asked("budget", "p", "--attributes", "--set", "3")["attributes"]["epsilon_budget"] == 3
    budget = asked("budget", "p")
    assert budget["epsilon_budget"] == 1
    assert budget["attributes"]["epsilon_spent"] == 0.2
    assert "edges" not in budget
    assert "attributes_budget" in run("graphs")
    assert asked("graphs")[0]["attributes"] == {"epsilon_budget": 3, "epsilon_spent": 0.2}
    assert [row["account"] for row in asked("releases", "p")] == ["attributes"] * 2
    assert [row["event"] for row in asked("log", "p", "--attributes")][:2] == ["budget", "attribute"]
    run("ledger", "export", "p", "--attributes", "-o", "log.jsonl")
    assert asked("ledger", "verify", "log.jsonl")["account"] == "attributes"
    assert run("ledger", "check") == ""
    refused = run("percentile", "p", "--property", "agee", "--q", "0.5", "--epsilon", "0.1", status=1)
    assert refused.startswith("Error: property is 'agee', must be one that the curator has declared")
    for words, says in (
        (("--low", "a", "--high", "2"), "low is 'a', must be a number"),
        (("--high", "2"), "low, a public end of the range, is missing"),
        (("--low", "0", "--high", "2", "--grid", "nowhere.txt"), "grid is 'nowhere.txt', must be"),
        (("--low", "0", "--high", "2", "--depends-on", "edges"), "depends_on is 'edges'"),
    ):
        assert says in run("attribute", "p", "--property", "x", *words, status=1)
