"""What was paid stays paid, and edges stay in their own ledger: every way around it that was found, really tried."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import edgedp.release.draw
from edgedp import EdgeDPError, Graph, Store, StoreError, open_store
from edgedp.ledger import ledger
from edgedp.stores.neo4j.session import Neo4jSession
from edgedp.words.refusals import IDS_BROKEN, NODES_CHANGED
from neo4jserver import Server
from neo4jserver.fixtures import KEYED

pytestmark = pytest.mark.neo4j

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
OTHER = Graph.from_edges([(1, 5), (2, 5)])
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": 0.25}
PEOPLE = """
UNWIND range(1, 5) AS ssn CREATE (:Person {ssn: ssn})
WITH count(*) AS made
UNWIND [[1, 2], [2, 3], [3, 1], [3, 4], [4, 5]] AS pair
MATCH (a:Person {ssn: pair[0]}), (b:Person {ssn: pair[1]}) CREATE (a)-[:LINKED_TO]->(b)
"""


@pytest.fixture
def store(empty_neo4j: Server) -> Iterator[Store]:
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        yield store


@pytest.fixture
def ask(empty_neo4j: Server) -> Iterator[Callable[..., list[dict[str, Any]]]]:
    with empty_neo4j.driver(notifications_min_severity="OFF") as driver:

        def asking(statement: str, **parameters: Any) -> list[dict[str, Any]]:
            with driver.session() as session:
                return session.run(statement, parameters).data()

        asking(KEYED)
        asking(PEOPLE)
        yield asking


Ask = Callable[..., list[dict[str, Any]]]


def register(
    store: Store, name: str = "people", label: str = "Person", kind: str = "LINKED_TO", **more: Any
) -> None:
    empty = kind != "LINKED_TO"
    store.register(name, label, kind, "ssn", **({"epsilon_budget": 10, "allow_empty": empty} | more))


def spent(ask: Ask, name: str = "people") -> Any:
    return ask("MATCH (a:EdgeDPAccount {name: $name}) RETURN a.spent AS spent", name=name)[0]["spent"]


def test_records_that_have_two_accounts_are_a_warning(store: Store, ask: Ask) -> None:
    """The types are two, so the edges have a ledger each; the nodes, and what they hold, are the same."""
    ask("MATCH (a:Person), (b:Person) WHERE a.ssn < b.ssn CREATE (a)-[:LIKES]->(b)")
    register(store)
    register(store, name="pals", kind="LIKES")
    store.attribute("people", "age", 0, 100)
    with pytest.warns(UserWarning, match="these nodes are those of 'people', too, .* the sum of both"):
        store.attribute("pals", "age", 0, 100)


# -- whose edges they are --------------------------------------------------------------------------


def test_a_load_writes_into_nobodys_type(store: Store, ask: Ask) -> None:
    register(store)
    before = store.graph("people")
    store.load(KITE, "kite", epsilon_budget=50, node_label="Kite")
    store.load(OTHER, "second", epsilon_budget=50, node_label="Kite")
    assert ask("MATCH ()-[r:LINKED_TO]->() RETURN count(r) AS n") == [{"n": 5}]
    assert ask("MATCH ()-[r]->() RETURN count(DISTINCT type(r)) AS n") == [{"n": 3}]
    assert store.graph("people") == before
    with pytest.raises(StoreError, match="must not be that of a registered graph"):
        store.load(KITE, "third", node_label="Kite", relationship_type="LINKED_TO")
    store.drop("people")
    with pytest.raises(StoreError, match="must not be that of a registered graph"):
        store.load(KITE, "third", node_label="Kite", relationship_type="LINKED_TO")


def test_a_load_and_a_registration_cannot_share_nodes(store: Store, ask: Ask) -> None:
    ask("MATCH (p:Person) SET p:Node")
    register(store, label="Node")
    with pytest.raises(StoreError, match="must not be that of the registered graph 'people'"):
        store.load(KITE, "kite")
    assert ask("MATCH (n:Node) RETURN count(n) AS n") == [{"n": 5}]
    store.load(KITE, "kite", node_label="Person")
    with pytest.raises(StoreError, match="nodes of a graph that edgedp wrote carry too"):
        register(store, name="pals", kind="OTHER")
    store.drop("kite")
    ask("MATCH (a:Person), (b:Person) WHERE a.ssn < b.ssn CREATE (a)-[:OTHER]->(b)")
    register(store, name="pals", kind="OTHER")


def test_a_registration_while_a_load_runs_is_seen_by_one_of_the_two(
    store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, said = Neo4jSession._write, []

    def beside(self: Neo4jSession, *arguments: Any) -> None:
        write(self, *arguments)
        for kind, label in (("OWN", "Person"), ("LINKED_TO", "Kite")):
            with pytest.raises(StoreError) as refused:
                register(store, kind=kind, label=label)
            said.append(str(refused.value))

    monkeypatch.setattr(Neo4jSession, "_write", beside)
    store.load(KITE, "kite", node_label="Kite", relationship_type="OWN")
    assert "a load or drop of 'kite' that did not end" in said[0]
    assert "carry too" in said[1]


def test_a_registration_that_won_stops_the_load_that_began_before(
    store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both checks of the registration are taken out: the load's last transaction still looks for itself."""
    write = Neo4jSession._write

    def beside(self: Neo4jSession, *arguments: Any) -> None:
        write(self, *arguments)
        monkeypatch.setattr(Neo4jSession, "_write", write)
        with monkeypatch.context() as patch:
            patch.setattr(Neo4jSession, "guards", lambda *_: [])
            register(store, kind="OWN")

    monkeypatch.setattr(Neo4jSession, "_write", beside)
    with pytest.raises(StoreError, match="must not be that of a registered graph"):
        store.load(KITE, "kite", node_label="Kite", relationship_type="OWN")
    assert [row["name"] for row in store.graphs()] == ["people"]
    assert ask("MATCH (n:Kite) RETURN count(n) AS n") == [{"n": 0}]


def test_what_a_drop_left_is_not_to_be_registered(
    store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.load(KITE, "kite", epsilon_budget=1, node_label="Loaded", relationship_type="OWN")
    with monkeypatch.context() as patch:
        patch.setattr(Neo4jSession, "sweep", lambda *_: None)  # the process ends here
        store.drop("kite")
    for label, key in (("Loaded", "id"), ("Person", "ssn")):
        with pytest.raises(StoreError, match=r"carry too|a load or drop of 'kite' that did not end"):
            store.register("fresh", label, "OWN", key, epsilon_budget=50, allow_empty=True)
    store.drop("kite")
    assert ask("MATCH ()-[r:OWN]->() RETURN count(r) AS n") == [{"n": 0}]
    register(store, name="fresh", kind="OWN")


@pytest.mark.parametrize("label", ["EdgeDPAccount", "EdgeDPEntry"])
def test_a_row_of_the_registry_that_was_edited_reads_nothing_of_edgedps_own(
    store: Store, ask: Ask, label: str
) -> None:
    register(store)
    ask("MATCH (g:EdgeDPStoredGraph) SET g.nodeLabel = $label, g.idProperty = 'name'", label=label)
    with pytest.raises(StoreError, match="somebody edited it"):
        store.priv_top_k("people", **ASKED)
    ask("MATCH (g:EdgeDPStoredGraph) SET g.nodeLabel = 'Person', g.idProperty = 'ssn'")
    ask("MATCH (a:EdgeDPAccount) SET a:Person, a.ssn = 77")
    with pytest.raises(StoreError, match="carries a label of edgedp's own"):
        store.priv_top_k("people", **ASKED)
    assert spent(ask) == 0


# -- what is found before it is paid, and after ----------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ("CREATE (:Person)", IDS_BROKEN),
        ("CREATE (:Person {ssn: 'six'})", IDS_BROKEN),
        ("CREATE (:Person {ssn: 6})", NODES_CHANGED),
        ("MATCH (p:Person {ssn: 5}) DETACH DELETE p", NODES_CHANGED),
        ("MATCH (p:Person {ssn: 5}) REMOVE p.ssn", IDS_BROKEN),
    ],
)
def test_broken_nodes_cost_nothing_before_the_debit_and_have_constant_words_after_it(
    store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch, change: str, after: str
) -> None:
    register(store)
    read = Neo4jSession.graph

    def changed(self: Neo4jSession, row: Any, *span: Any) -> Graph:
        ask(change)
        return read(self, row, *span)

    with monkeypatch.context() as patch:
        patch.setattr(Neo4jSession, "graph", changed)
        with pytest.raises(StoreError) as refused:
            store.priv_top_k("people", **ASKED)
    assert str(refused.value).partition(" (release ")[0] == after
    assert spent(ask) == 250_000_000
    if after == IDS_BROKEN:
        with pytest.raises(StoreError, match="nothing was spent"):
            store.priv_top_k("people", **ASKED)
        assert spent(ask) == 250_000_000


def test_two_nodes_with_one_id_cost_nothing(store: Store, ask: Ask) -> None:
    ask("MATCH (p:Person) SET p.badge = p.ssn")
    store.register("people", "Person", "LINKED_TO", "badge", epsilon_budget=10)
    ask("CREATE (:Person {badge: 3, ssn: 99})")
    with pytest.raises(StoreError, match="shares its id with another"):
        store.priv_top_k("people", **ASKED)
    assert spent(ask) == 0


def test_nodes_that_somebody_added_to_a_loaded_graph_cost_nothing(store: Store, ask: Ask) -> None:
    store.load(KITE, "kite", epsilon_budget=1)
    (label,) = (row["l"] for row in ask("MATCH (g:EdgeDPStoredGraph) RETURN g.nodeLabel AS l"))
    ask(f"UNWIND range(100, 400) AS id CREATE (:`{label}` {{id: id}})")
    with pytest.raises(StoreError, match="are not those that were loaded"):
        store.motkin("kite", metrics=["degree", "density"], k=1, epsilon=0.5)
    assert spent(ask, "kite") == 0


# -- what the ledger says ------------------------------------------------------------------------------------


def test_a_declaration_of_a_property_that_somebody_deleted_makes_none_before_it_hold(
    store: Store, ask: Ask
) -> None:
    register(store, epsilon_budget=10)
    ask("MATCH (p:Person) SET p.age = p.ssn")
    log = "people\tattributes"
    for depends_on in ("independent", "degree"):
        store.attribute("people", "age", 0, 9, points=10, depends_on=depends_on)
    store.set_budget("people", 10, attributes=True)
    last = "MATCH (e:EdgeDPEntry {name: $name, kind: 'attribute'}) WITH e ORDER BY e.seq DESC LIMIT 1 "
    with store._backend.session() as session:
        old, new = (each["body"] for each in session.run("attribute_list", name=log))
        asked = {"name": log, "head": old[: old.index(",")]}
        assert not session.run("attribute_current", body=old, **asked)
        assert session.run("attribute_current", body=new, **asked)
        ask(last + "DETACH DELETE e", name=log)
        assert not session.run("attribute_current", body=old, **asked)
    with pytest.raises(StoreError, match="does not add up"):
        store.percentile("people", property="age", q=0.5, epsilon=1)
    with pytest.raises(StoreError, match="does not add up"):
        store.attribute("people", "age", 0, 8, points=9)
    assert (spent(ask), spent(ask, log)) == (0, 0)


def test_a_statement_that_guards_an_account_refuses_what_was_planned_before(store: Store, ask: Ask) -> None:
    register(store)
    store.priv_top_k("people", **ASKED)
    store.add_analyst("ann")
    store.revoke_analyst("ann")
    declared = {"name": "people", "delta": None}
    with store._backend.session() as session:
        for budget, rows in ((249_999_999, 0), (250_000_000, 1)):
            assert len(session.run("account_set_budget", declared=budget, budget=budget, **declared)) == rows
        for limit, rows in ((250_000_001, 0), (250_000_000, 1)):
            assert len(session.run("account_set_limit", name="people", maxPerRelease=limit)) == rows
        assert not session.run("account_set_budget", name="people", delta=1, declared=10**9, budget=10**9)
        assert not session.run("person_token", name="ann", tokenHash="0" * 64)
        ask("MATCH (a:EdgeDPAccount {name: 'people'}) SET a.spent = a.spent + 1")
        session.run("account_restore", name="people")
        assert spent(ask) == 250_000_001
        ask("MATCH (a:EdgeDPAccount {name: 'people'}) SET a.spent = a.spent - 1, a.entries = a.entries + 1")
        (before,) = ask("MATCH (a:EdgeDPAccount {name: 'people'}) RETURN a.entries AS entries")
        session.run("account_restore", name="people")
    assert ask("MATCH (a:EdgeDPAccount {name: 'people'}) RETURN a.entries AS entries") == [before]


def test_a_debit_notes_one_read_of_its_own_user_while_it_is_drawn(store: Store, ask: Ask) -> None:
    register(store)
    store.priv_top_k("people", **ASKED)
    debit = "MATCH (e:EdgeDPEntry {name: 'people', kind: 'debit'}) "
    (entry,) = (row["seq"] for row in ask(debit + "RETURN e.seq AS seq"))

    def noted() -> int:
        with store._backend.session() as session:
            return len(session.run("exact_noted", name="people", entry=entry))

    assert noted() == 0  # its lease has ended
    ask(debit + "CREATE (:EdgeDPLease {releaseId: e.releaseId, until: timestamp() + 20000})")
    for by in ("eve for neo4j", "neo4j2"):
        ask(debit + "SET e.by = $by", by=by)
        assert noted() == 0
    ask(debit + "SET e.by = 'neo4j'")
    for beyond in (-1, 40_000):
        ask("MATCH (l:EdgeDPLease) SET l.until = timestamp() + $beyond", beyond=beyond)
        assert noted() == 0
    ask("MATCH (l:EdgeDPLease) SET l.until = timestamp() + 20000")
    assert (noted(), noted()) == (1, 0)
    store.graph("people")
    (entry,) = (row["seq"] for row in ask("MATCH (e:EdgeDPEntry {kind: 'exact'}) RETURN e.seq AS seq"))
    assert (noted(), noted()) == (1, 0)
    ask("MATCH (a:EdgeDPAccount {name: 'people'}) SET a.readAt = 0")
    store.set_budget("people", 9)
    assert noted() == 0, "it is the last row no longer"


@pytest.mark.parametrize(
    "value", ["0", "-5000000000", "1.5", "'0'", "null", "250000001", "true", "250000000.0"]
)
def test_spent_that_is_not_what_the_releases_cost_is_refused(store: Store, ask: Ask, value: str) -> None:
    register(store)
    store.priv_top_k("people", **ASKED)
    ask(f"MATCH (a:EdgeDPAccount) SET a.spent = {value}")
    for call in (
        lambda: store.priv_top_k("people", **ASKED),
        lambda: store.set_budget("people", 50),
        lambda: store.budget("people"),
    ):
        with pytest.raises(EdgeDPError, match="does not add up"):
            call()
    assert store.check("people") != []
    ask("MATCH (a:EdgeDPAccount) SET a.spent = 250000000")
    assert store.check("people") == []


@pytest.mark.parametrize(
    "edit",
    [
        "MATCH (e:EdgeDPEntry {kind: 'debit'}) DELETE e",
        "MATCH (e:EdgeDPEntry {kind: 'debit'}) SET e.charge = 1",
        "MATCH (e:EdgeDPEntry {kind: 'debit'}) SET e.charge = 0.0",
        "MATCH (e:EdgeDPEntry {kind: 'debit'}) SET e.kind = 'budget'",
        "MATCH (e:EdgeDPEntry {kind: 'answer'}) DELETE e",
        "MATCH (a:EdgeDPAccount) SET a.budget = '10'",
        "MATCH (a:EdgeDPAccount) SET a.maxPerRelease = 'much'",
        "MATCH (a:EdgeDPAccount) SET a.delta = 1.5",
    ],
)
def test_a_ledger_that_was_edited_debits_nothing_and_dies_of_nothing(
    store: Store, ask: Ask, edit: str
) -> None:
    register(store)
    store.priv_top_k("people", **ASKED)
    ask(edit)
    with pytest.raises(EdgeDPError, match=r"does not add up|went back") as refused:
        store.priv_top_k("people", **ASKED)
    assert "\n" not in str(refused.value)
    assert spent(ask) == 250_000_000
    assert store.check() != []


def test_an_account_that_somebody_deleted_comes_back_with_what_was_spent(store: Store, ask: Ask) -> None:
    register(store)
    store.priv_top_k("people", **ASKED)
    ask("MATCH (a:EdgeDPAccount) DELETE a")
    with pytest.raises(EdgeDPError):
        store.priv_top_k("people", **ASKED)
    store.drop("people")
    assert spent(ask) == 250_000_000
    with pytest.raises(EdgeDPError, match="has an account already"):
        register(store, name="pals", epsilon_budget=7)
    with pytest.raises(EdgeDPError, match="at least what was spent"):
        register(store, epsilon_budget=0.2)
    register(store, epsilon_budget=0.5)
    assert store.budget("people")["epsilon_remaining"] == 0.25
    assert store.check() == []


def test_the_price_of_a_release_is_the_last_that_fits_to_one_unit(
    empty_neo4j: Server, store: Store, ask: Ask
) -> None:
    register(store, epsilon_budget=1, delta="1e-6")
    budget = ask("MATCH (a:EdgeDPAccount) RETURN a.budget AS b")[0]["b"]
    store.priv_top_k("people", **ASKED)
    price = spent(ask)
    for short in (1, 0):
        ask(
            "MATCH (a:EdgeDPAccount) MATCH (e:EdgeDPEntry {seq: a.entries}) SET a.budget = $b, e.budget = $b",
            b=2 * price - short,
        )
        refused = pytest.raises(EdgeDPError, match="what is left") if short else contextlib.nullcontext()
        with (
            open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as another,
            refused,
        ):  # has not seen the row before
            another.priv_top_k("people", **ASKED)
    assert spent(ask) == 2 * price < budget


# -- the same request twice ------------------------------------------------------------------------------------


class Held:
    """A release that stops in its draw until it is let go."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drawing, self.go = threading.Event(), threading.Event()
        self.outcome: Any = None
        drawn = edgedp.release.draw.draw

        def waiting(plan: Any, *rest: Any) -> Any:
            if (
                threading.current_thread() is self._thread
                and plan.facts.node_count == 5
                and plan.cost == 250_000_000
            ):
                self.drawing.set()
                assert self.go.wait(120)
            return drawn(plan, *rest)

        monkeypatch.setattr("edgedp.stores.releases.trial.try_engine", lambda *_: None)
        monkeypatch.setattr("edgedp.stores.releases.releasing.try_engine", lambda *_: None)
        monkeypatch.setattr(edgedp.release.draw, "draw", waiting)
        self._thread = threading.Thread(target=self._ask, args=(store,))
        self._thread.start()
        assert self.drawing.wait(120)

    def _ask(self, store: Store) -> None:
        try:
            self.outcome = store.priv_top_k("people", **ASKED, request_id="monday").nodes
        except EdgeDPError as error:
            self.outcome = error

    def end(self) -> Any:
        self.go.set()
        self._thread.join(120)
        return self.outcome


def test_a_request_that_is_being_drawn_waits_and_is_never_redrawn(
    store: Store, ask: Ask, empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(store)
    held = Held(store, monkeypatch)
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as other:
        with pytest.raises(StoreError, match="is being drawn; ask again"):
            other.priv_top_k("people", **ASKED, request_id="monday")
        nodes = held.end()
        assert other.priv_top_k("people", **ASKED, request_id="monday").nodes == nodes
    assert spent(ask) == 250_000_000


def test_a_lease_that_ran_out_means_lost_and_the_late_answer_is_still_one(
    store: Store, ask: Ask, empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "LEASE_SECONDS", 0)
    register(store)
    held = Held(store, monkeypatch)
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as other:
        with pytest.raises(StoreError, match="debited and lost"):
            other.priv_top_k("people", **ASKED, request_id="monday")
        assert held.end() == other.priv_top_k("people", **ASKED, request_id="monday").nodes
    assert ask("MATCH (e:EdgeDPEntry {kind: 'answer'}) RETURN count(e) AS n") == [{"n": 1}]
    assert spent(ask) == 250_000_000


def test_a_lease_is_renewed_for_as_long_as_the_drawer_lives(
    store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "LEASE_RENEWAL", 0.05)
    register(store)
    held = Held(store, monkeypatch)
    until = ask("MATCH (l:EdgeDPLease) RETURN l.until AS until")[0]["until"]
    while ask("MATCH (l:EdgeDPLease) RETURN l.until AS until")[0]["until"] == until:
        pass
    held.end()
    assert ask("MATCH (l:EdgeDPLease) RETURN count(l) AS n") == [{"n": 0}]


def test_a_kept_release_is_shown_with_the_facts_that_it_was_drawn_under(store: Store, ask: Ask) -> None:
    register(store)
    first = store.priv_top_k("people", **ASKED, request_id="monday")
    ask("UNWIND range(6, 20) AS ssn CREATE (:Person {ssn: ssn})")
    again = store.priv_top_k("people", **ASKED, request_id="monday")
    assert (again.nodes, again.public) == (first.nodes, first.public)
    assert again.public["node_count"] == 5


# -- who did it --------------------------------------------------------------------------------------------------


def test_the_log_names_the_user_whom_the_database_authenticated(
    store: Store, ask: Ask, empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("CREATE USER bob IF NOT EXISTS SET PASSWORD 'bobs own password' CHANGE NOT REQUIRED")
    monkeypatch.setenv("USER", "somebody else")
    register(store)
    with open_store(empty_neo4j.uri, auth=("bob", "bobs own password")) as bobs:
        bobs.priv_top_k("people", **ASKED)
        bobs.exact("people", "degree")
        bobs.graph("people")
    rows = [(row["event"], row["by"]) for row in store.log("people")]
    assert rows == [
        ("budget", "neo4j"), ("register", "neo4j"), ("debit", "bob"), ("answer", "bob"), ("exact", "bob"),
        ("exact", "bob"),
    ]  # fmt: skip
    assert store.log("people")[-2]["details"] == {"read": "exact", "metric": "degree"}
    head = store.head("people")
    monkeypatch.setattr(Neo4jSession, "by", "the king")
    store.set_budget("people", 20)
    assert store.log("people")[-1]["by"] == "neo4j for the king", (
        "a claim stands behind the user, not in its place"
    )
    assert store.head("people") != head
    ask("DROP USER bob")


def test_a_load_says_in_its_transactions_how_far_it_is(store: Store, ask: Ask, empty_neo4j: Server) -> None:
    """Somebody holds a node, so that the batch of edges waits and can be looked at."""
    seen: list[str] = []
    told = "SHOW TRANSACTIONS YIELD metaData AS told WHERE told.edgedp IS NOT NULL RETURN told.edgedp AS said"

    with empty_neo4j.driver() as driver, driver.session() as session:

        def look(holding: Any) -> None:
            until = time.monotonic() + 240
            while not seen and time.monotonic() < until:
                seen.extend(row["said"] for row in ask(told))
            holding.rollback()

        looking: list[threading.Thread] = []

        def progress(stage: str, done: int, total: int | None) -> None:
            if stage == "writing" and done == KITE.node_count and not looking:
                holding = session.begin_transaction()
                holding.run("MATCH (n:Kite) SET n.held = true").consume()
                looking.append(threading.Thread(target=look, args=(holding,)))
                looking[0].start()

        store.load(KITE, "kite", node_label="Kite", progress=progress)
        looking[0].join()
    assert seen
    assert seen[0].startswith("loading kite: 5 of 10 rows, ")
    assert ask(told) == []
