"""Facts are recorded, not computed: what is promised at a registration, what shows it, and what happens without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from edgedp import EdgeDPError, Graph, ParameterError, Store, open_store
from edgedp.ledger.rows import FACTS_AS_LOADED, FACTS_RECORDED
from neo4jserver import Server
from neo4jserver.fixtures import KEYED

pytestmark = pytest.mark.neo4j

Ask = Callable[..., list[dict[str, Any]]]
PRIVACY = Path(__file__).parents[2] / "docs" / "privacy.md"
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 0.25}


@pytest.fixture
def store(empty_neo4j: Server) -> Iterator[Store]:
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        yield store


@pytest.fixture
def ask(empty_neo4j: Server) -> Iterator[Ask]:
    with empty_neo4j.driver(notifications_min_severity="OFF") as driver, driver.session() as session:
        yield lambda statement, **parameters: session.run(statement, parameters).data()


def follow(ask: Ask) -> None:
    """Write a ring of 18 people who follow the next two, and one who follows one."""
    ask(KEYED)
    ask("UNWIND range(0, 18) AS id CREATE (:Person {ssn: id})")
    ask(
        "UNWIND range(0, 17) AS id UNWIND [1, 2] AS step "
        "MATCH (a:Person {ssn: id}), (b:Person {ssn: (id + step) % 18}) CREATE (a)-[:FOLLOWS]->(b)"
    )
    ask("MATCH (a:Person {ssn: 18}), (b:Person {ssn: 0}) CREATE (a)-[:FOLLOWS]->(b)")


@pytest.mark.parametrize("facts", ["computed", "other", "", None, 1])
def test_what_is_not_promised_is_not_registered(store: Store, ask: Ask, facts: Any) -> None:
    follow(ask)
    with pytest.raises(EdgeDPError, match=r"^facts is ") as refused:
        store.register("people", "Person", "FOLLOWS", "ssn", epsilon_budget=1, facts=facts)
    assert ("register the relationships that they are computed from" in str(refused.value)) == (
        facts == "computed"
    )
    assert store.graphs() == []


def test_the_promise_stands_in_every_answer_and_in_the_log(store: Store, ask: Ask) -> None:
    follow(ask)
    store.register("people", "Person", "FOLLOWS", "ssn", epsilon_budget=9)
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "copy", epsilon_budget=9)
    for name, facts, event in (("people", FACTS_RECORDED, "register"), ("copy", FACTS_AS_LOADED, "load")):
        for release in (
            store.priv_top_k(name, **ASKED, request_id="r"),
            store.priv_top_k(name, **ASKED, request_id="r"),
            store.count(name, of="edges", epsilon=0.1),
        ):
            assert release.to_dict()["public"]["facts"] == facts
        (row,) = [row for row in store.log(name) if row["event"] == event]
        assert row["details"]["facts"] == facts


def test_an_answer_of_before_the_promise_is_kept_as_it_was(
    empty_neo4j: Server, store: Store, ask: Ask
) -> None:
    follow(ask)
    store.register("people", "Person", "FOLLOWS", "ssn", epsilon_budget=9)
    first = store.priv_top_k("people", **ASKED, request_id="r")
    ask(
        "MATCH (entry:EdgeDPEntry) WHERE entry.body CONTAINS $facts "
        "SET entry.body = replace(entry.body, $facts, '')",
        facts=f', "facts": "{FACTS_RECORDED}"',
    )
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as another:  # which has not seen the row before
        again = another.priv_top_k("people", **ASKED, request_id="r")
        assert again.nodes == first.nodes
        assert another.budget("people")["epsilon_spent"] == 0.25


def test_a_label_that_a_job_computes_tells_one_relationship(store: Store, ask: Ask) -> None:
    """The figures of docs/privacy.md, "What is not promised": the node count is public, and it moves."""

    def job() -> None:
        ask("MATCH (p:Person) WHERE COUNT { (p)-[:FOLLOWS]->() } >= 2 SET p:Active")

    follow(ask)
    job()
    store.register("active", "Active", "FOLLOWS", "ssn", epsilon_budget=9)
    counts = [store.graphs()[0]["node_count"]]
    ask("MATCH (a:Person {ssn: 18}), (b:Person {ssn: 1}) CREATE (a)-[:FOLLOWS]->(b)")
    job()
    counts.append(store.graphs()[0]["node_count"])
    assert counts == [18, 19]
    assert "from 18 to 19" in PRIVACY.read_text(encoding="utf-8")


def test_a_type_that_a_job_computes_moves_by_many_for_one_relationship(ask: Ask) -> None:
    """A shop of 13 customers; one of them buys what the twelve others have bought."""

    def similar() -> int:
        ask("MATCH ()-[old:SIMILAR]->() DELETE old")
        ask(
            "MATCH (a:Customer)-[:BOUGHT]->()<-[:BOUGHT]-(b:Customer) WHERE a.id < b.id "
            "MERGE (a)-[:SIMILAR]->(b)"
        )
        return int(ask("MATCH ()-[each:SIMILAR]->() RETURN count(each) AS number")[0]["number"])

    ask("UNWIND range(1, 13) AS id CREATE (:Customer {id: id})")
    ask("CREATE (:Product {id: 1})")
    ask("MATCH (c:Customer), (p:Product) WHERE c.id < 13 CREATE (c)-[:BOUGHT]->(p)")
    before = similar()
    ask("MATCH (c:Customer {id: 13}), (p:Product) CREATE (c)-[:BOUGHT]->(p)")
    assert similar() - before == 12
    assert "12 `SIMILAR` more" in PRIVACY.read_text(encoding="utf-8")


def test_edges_at_an_address_make_the_same_promise(tmp_path: Path) -> None:
    with open_store(tmp_path / "graphs.edgedp") as store, pytest.raises(ParameterError, match=r"^facts is "):
        store.register_edges("far", "nowhere.parquet", epsilon_budget=1, facts="computed")
