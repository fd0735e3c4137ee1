"""Statements of Neo4j, one by one, as their twins of the embedded ledger are tested: leases, limits, shares, pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from edgedp import Graph, Store, StoreError, open_store
from neo4jserver import Server

pytestmark = pytest.mark.neo4j

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 0.25, "mechanism": "em"}


@pytest.fixture
def store(empty_neo4j: Server) -> Iterator[Store]:
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        yield store


def edit(server: Server, statement: str, **parameters: Any) -> None:
    with server.session() as session:
        session.run(statement, parameters).consume()


def test_the_end_of_a_lease_ends_no_other_and_an_answer_has_none(store: Store, empty_neo4j: Server) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    answered, lost = (store.priv_top_k("kite", **ASKED).to_dict()["release_id"] for _ in range(2))
    edit(empty_neo4j, "MATCH (e:EdgeDPEntry {kind: 'answer', releaseId: $lost}) DELETE e", lost=lost)
    with store._backend.session() as session:
        for each in ("r1", "r2", "ahead"):
            session.run("lease_put", name="kite", releaseId=each, seconds=20)
        edit(empty_neo4j, "MATCH (l:EdgeDPLease {releaseId: 'ahead'}) SET l.until = timestamp() + 40000")
        session.run("lease_renew", name="kite", releaseId=answered, seconds=20)
        session.run("lease_renew", name="other", releaseId=lost, seconds=20)
        assert sorted(row["releaseId"] for row in session.run("lease_list")) == ["r1", "r2"]
        session.run("lease_end", name="kite", releaseId="r1")
        session.run("lease_renew", name="kite", releaseId=lost, seconds=20)
    with empty_neo4j.session() as cypher:
        left = cypher.run(
            "MATCH (l:EdgeDPLease) RETURN l.releaseId AS id, l.until - timestamp() AS left"
        ).data()
    assert {each["id"] for each in left} == {"r2", lost}, "one of a clock that was ahead goes with the next"
    assert all(10_000 < each["left"] <= 20_000 for each in left)


def test_an_account_with_a_delta_is_made_again_in_its_currency(store: Store, empty_neo4j: Server) -> None:
    store.load(KITE, "kite", epsilon_budget=2, delta="1e-6", max_epsilon_per_release=1)
    store.priv_top_k("kite", **ASKED)
    before = store.budget("kite")
    for damage in ("SET a.spent = a.spent - 1, a.maxPerRelease = null", "DELETE a"):
        edit(empty_neo4j, "MATCH (a:EdgeDPAccount {name: 'kite'}) " + damage)
        store.drop("kite")
        assert store.check() == []
        edit(empty_neo4j, "MATCH (a:EdgeDPAccount {name: 'kite'}) DELETE a")
        store.load(KITE, "kite")
        assert store.budget("kite") == before


def test_a_share_that_names_the_row_of_another_analyst_is_refused(store: Store, empty_neo4j: Server) -> None:
    store.load(KITE, "kite", epsilon_budget=2)
    for name in ("ann", "bob"):
        store.add_analyst(name)
        store.grant("kite", name, 1)
    ann = store.asking_as("ann")
    for each in (ann, ann, store.asking_as("bob")):
        each.priv_top_k("kite", **ASKED)
    edit(
        empty_neo4j,
        "MATCH (b:EdgeDPShare {analyst: 'bob'}) MATCH (a:EdgeDPShare {analyst: 'ann'}) "
        "SET a.spent = b.spent, a.entry = b.entry",
    )
    with pytest.raises(StoreError, match="does not add up"):
        ann.priv_top_k("kite", **ASKED)


def test_an_account_is_compared_with_its_log_column_by_column(store: Store, empty_neo4j: Server) -> None:
    store.load(KITE, "kite", epsilon_budget=2, delta="1e-6", max_epsilon_per_release=1)
    store.priv_top_k("kite", **ASKED)
    with empty_neo4j.session() as cypher, store._backend.session() as session:
        account = "MATCH (a:EdgeDPAccount {name: 'kite'}) "
        (kept,) = cypher.run(account + "RETURN properties(a)").value()

        def adds_up(edited: dict[str, Any]) -> bool:
            cypher.run(account + "SET a += $edited", edited=edited).consume()
            return bool(session.run("account_adds_up", name="kite"))

        numbers: list[dict[str, Any]] = [
            {name: kept[name] + by}
            for name, by in (("declared", 1), ("budget", 1), ("delta", 1), ("spent", 1), ("entries", -1))
        ]
        for edited in (
            *numbers, {"maxPerRelease": None}, {"relationshipType": "X"}, {"terms": "{}"}, {"runs": "[0,0]"},
        ):  # fmt: skip
            assert not adds_up(edited), edited
            assert adds_up({name: kept.get(name) for name in edited})


def test_a_debit_that_a_limit_or_windows_refuse_debits_neither_account_nor_share(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=2, max_epsilon_per_release=1)
    store.add_analyst("ann")
    store.grant("kite", "ann", 1.5, max_epsilon_per_release="0.5", min_epsilon_per_release="0.25")
    nowhere = {"within": None, "firstWindow": None, "lastWindow": None}
    one = 10**9
    with store._backend.session() as session:
        asked: dict[str, Any] = {"name": "kite", "cost": one // 4, "price": one // 4, **nowhere}
        windows: dict[str, Any] = {"within": 12, "firstWindow": 0, "lastWindow": 0}
        wrong: dict[str, Any]
        for wrong in (
            {"whole": one + 1}, {"cost": 2 * one + 1}, {"cost": 0}, {"price": 0}, {"lastWindow": 3}, windows,
        ):  # fmt: skip
            assert session.run("account_debit", **{"whole": one // 4} | asked | wrong) == [], wrong
        asked |= {"analyst": "ann", "account": "edges"}
        for wrong in (
            {"whole": one // 2 + 1}, {"whole": one // 4 - 1}, {"cost": 3 * one // 2 + 1}, {"cost": 0},
            {"lastWindow": 3}, {"account": "attributes"},
        ):  # fmt: skip
            assert session.run("share_debit", **{"whole": one // 4} | asked | wrong) == [], wrong
    assert store.budget("kite")["epsilon_spent"] == store.share("kite", "ann")["epsilon_spent"] == 0


def test_sessions_that_are_over_or_too_many_are_swept(store: Store) -> None:
    made = {"old": ("b", 10), "ahead": ("a", 101), "a1": ("a", 20), "a2": ("a", 50), "a3": ("a", 60), "b1": ("b", 30),
            "b2": ("b", 70), "b3": ("b", 80)}  # fmt: skip
    with store._backend.session() as session:
        for each, (whose, used) in made.items():
            session.run("session_put", id=each, tokenHash=whose, used=used, ends=200)

        def left(most: int) -> set[str]:
            session.run("session_sweep", most=most, ofOne=3, tokenHash="a", since=10, until=100)
            return {each for each in made if session.run("session_find", id=each)}

        assert left(8) == {"a2", "a3", "b1", "b2", "b3"}, "of three of one, one is of a clock ahead"
        assert left(4) == {"a2", "a3", "b2", "b3"}


def test_what_is_read_of_releases_is_of_one_account_one_analyst_and_one_page(store: Store) -> None:
    store.load(KITE, "kite", epsilon_budget=2)
    store.load(Graph.from_edges([(1, 2)]), "other", epsilon_budget=2)
    for name in ("ann", "bob"):
        store.add_analyst(name)
        store.grant("kite", name, 1)
    for each in ("ann", "ann", "bob"):
        store.asking_as(each).priv_top_k("kite", **ASKED)
    store.asking_as("ann").priv_top_k("kite", **ASKED, request_id="monday")
    with store._backend.session() as session:

        def seqs(statement: str, **asked: Any) -> list[int]:
            return [row["seq"] for row in session.run(statement, name="kite", **{"limit": 9} | asked)]

        one, two, bobs, last = seqs("release_page", since=0)
        assert seqs("release_page", since=two) == [bobs, last]
        assert seqs("release_back", before=last) == [bobs, two, one]
        assert seqs("release_back", before=last, limit=1) == [bobs]
        assert seqs("release_own", analyst="ann", since=one) == [two, last]
        assert seqs("release_own_back", analyst="ann", before=last) == [two, one]
        assert seqs("release_own_back", analyst="ann", before=last, limit=1) == [two]
        monday: dict[str, Any] = {"name": "kite", "analyst": "ann", "requestId": "monday"}
        assert session.run("request_find", **monday)
        for wrong in ({"name": "other"}, {"analyst": "bob"}, {"requestId": "friday"}):
            assert session.run("request_find", **monday | wrong) == []
        counted = session.run("log_shares", name="kite")
        assert [(row["analyst"], row["releases"]) for row in counted] == [("ann", 3), ("bob", 1)]
        assert [row["analyst"] for row in session.run("share_own", analyst="ann")] == ["ann"]
        for statement in ("share_find", "share_end"):
            assert session.run(statement, name="kite", analyst="ann", account="attributes") == []
        assert session.run("share_find", name="kite", analyst="ann", account="edges")
        (found,) = session.run("release_page", name="kite", since=bobs, limit=9)
        answer: dict[str, Any] = {"name": "kite", "releaseId": found["releaseId"], "at": found["at"]}
        assert session.run("log_answer", **answer, body="{}", by="") == [], "it has one"
        granted: dict[str, Any] = {
            "name": "kite", "analyst": "ann", "account": "edges", "declared": 10**9, "delta": None,
            "maxPerRelease": None, "minPerRelease": None, "filters": None,
        }  # fmt: skip
        spent = 75 * 10**7
        assert session.run("share_put", **granted | {"delta": 1}, budget=spent) == []
        assert session.run("share_put", **granted, budget=spent - 1) == []
        session.run("share_end", name="kite", analyst="ann", account="edges")
        assert session.run("share_put", **granted, budget=spent - 1) == []
        assert session.run("share_put", **granted, budget=spent)
    assert store.share("kite", "ann")["epsilon_spent"] == 0.75
