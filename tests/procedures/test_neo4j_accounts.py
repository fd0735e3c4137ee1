"""Accounts of relationship types: what a release debits, whatever the graph is called that it reads."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import edgedp
import killing
from edgedp import (
    BudgetError,
    EdgeDPError,
    ParameterError,
    Store,
    StoreError,
    UnknownNameError,
    open_store,
)
from edgedp.faces.card.making import card_of
from edgedp.faces.cli import edgedp as command_line
from plugin_fixtures import PluginServer

pytestmark = pytest.mark.neo4j

LABEL = "Node of accounts"
ASKED: dict[str, Any] = {"metric": "degree", "k": 1}
TOP = "CALL edgedp.privTopk.stream($name, $config)"


@pytest.fixture(autouse=True)
def _nodes(neo4j_with_plugin: PluginServer) -> None:
    neo4j_with_plugin.ask(f"UNWIND range(0, 59) AS id CREATE (:`{LABEL}` {{id: id}})")


@pytest.fixture
def store(neo4j_with_plugin: PluginServer) -> Iterator[Store]:
    server = neo4j_with_plugin.server
    with open_store(server.uri, auth=server.auth) as store:
        yield store


class Types:
    """Relationship types, each with a few relationships."""

    def __init__(self, on: PluginServer, words: str) -> None:
        self.on, self.mark = on, "here"
        self.words = words.split()
        for word in self.words:
            on.ask(
                f"UNWIND [[0, 1, 5], [0, 2, 90], [3, 0, 60], [4, 5, 10]] AS each "
                f"MATCH (a:`{LABEL}` {{id: each[0]}}), (b:`{LABEL}` {{id: each[1]}}) "
                f"CREATE (a)-[:`{self.of(word)}` {{seconds: each[2]}}]->(b)"
            )

    def of(self, word: str) -> str:
        return f"{word} {self.mark}"

    def name(self, word: str) -> str:
        return f"{word}-{self.mark}"

    def register(self, store: Store, word: str, types: str, **rules: Any) -> str:
        store.register(self.name(word), LABEL, [self.of(each) for each in types.split()], "id", **rules)
        return self.name(word)

    def spent(self, word: str) -> float:
        """What the account of a type says, by Cypher: no code of the package has a part in it."""
        rows = self.on.ask(
            "MATCH (a:EdgeDPAccount) WHERE $type IN split(a.relationshipType, '|') RETURN a.spent AS nano",
            type=self.of(word),
        )
        (row,) = rows
        return float(row["nano"]) / 1e9

    def problems(self, store: Store) -> list[Any]:
        """Return what does not add up in the ledgers of this test."""
        return [each for each in store.check() if self.mark in str(each["graph"])]

    def accounts(self) -> list[dict[str, Any]]:
        return self.on.ask(
            "MATCH (a:EdgeDPAccount) WHERE a.relationshipType CONTAINS $mark "
            "RETURN a.name AS name, a.relationshipType AS type ORDER BY name",
            mark=self.mark,
        )


@pytest.fixture
def types(neo4j_with_plugin: PluginServer) -> Types:
    return Types(neo4j_with_plugin, "CALLED TEXTED PAID")


# -- which accounts a release debits ------------------------------------------------------------------------


def test_a_release_debits_every_type_that_it_reads(types: Types, store: Store) -> None:
    both = types.register(store, "both", "CALLED TEXTED", epsilon_budget=3)
    one = types.register(store, "one", "CALLED")
    long = types.register(store, "long", "CALLED", where={"seconds": {"gte": 60}})
    store.priv_top_k(both, epsilon="0.5", **ASKED)
    store.priv_top_k(one, epsilon="0.25", **ASKED)
    store.priv_top_k(long, epsilon="0.125", **ASKED)
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.875, 0.5)
    assert [
        (each["account"], each["graph"], each["releases"], each["epsilon"]) for each in store.spent_by(long)
    ] == [(types.of("CALLED"), name, 1, spent) for name, spent in ((both, 0.5), (one, 0.25), (long, 0.125))]
    assert types.problems(store) == []
    assert [len(store.releases(name)) for name in (both, one, long)] == [1, 1, 1]
    assert store.budget(both)["epsilon_remaining"] == 2.125
    assert {row["account"]: row["epsilon_spent"] for row in store.budget(both)["accounts"]} == {
        types.of("CALLED"): 0.875,
        types.of("TEXTED"): 0.5,
    }
    listed = {row["name"]: row for row in store.graphs()}
    assert listed[long]["accounts"] == [types.of("CALLED")]
    assert (listed[both]["epsilon_budget"], listed[both]["epsilon_spent"]) == (3, 0.875)


def test_the_procedures_debit_what_python_does(types: Types, store: Store) -> None:
    name = types.name("both")
    declared = {"nodeLabel": LABEL, "idProperty": "id", "epsilonBudget": 2.0}
    both = declared | {"relationshipType": [types.of("CALLED"), types.of("TEXTED")]}
    types.on.ask("CALL edgedp.graph.register($name, $declared)", name=name, declared=both)
    one = {"nodeLabel": LABEL, "idProperty": "id", "relationshipType": types.of("TEXTED")}
    types.on.ask("CALL edgedp.graph.register($name, $declared)", name=types.name("one"), declared=one)
    types.on.ask(TOP, name=name, config=ASKED | {"epsilon": 0.5})
    types.on.ask("CALL edgedp.count.stream($name, {of: 'edges', epsilon: 0.25})", name=types.name("one"))
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.5, 0.75)
    (told,) = types.on.ask("CALL edgedp.budget($name)", name=name)
    assert (told["epsilonRemaining"], told["releases"], len(told["accounts"])) == (1.25, 1, 2)
    (told,) = types.on.ask(
        "CALL edgedp.privTopk.estimate($name, $config)", name=name, config=ASKED | {"epsilon": 1.5}
    )
    assert types.of("TEXTED") in told["refused"]
    assert [row["fits"] for row in told["accounts"]] == [True, False]
    said = types.on.refusal(TOP, name=name, config=ASKED | {"epsilon": 1.5})
    assert said == told["refused"]
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.5, 0.75)
    (row,) = [each for each in types.on.ask("CALL edgedp.graph.list()") if each["name"] == name]
    assert (row["epsilonBudget"], row["epsilonSpent"]) == (2.0, 0.75)
    assert store.priv_top_k(name, epsilon="0.25", **ASKED).to_dict()["epsilon_remaining"] == 1.0
    assert types.on.ask("CALL edgedp.graph.check($name)", name=name)[0]["ok"]


def test_all_are_debited_or_none(types: Types, store: Store) -> None:
    both = types.register(store, "both", "CALLED TEXTED", epsilon_budget=1)
    store.account(types.of("TEXTED"), epsilon_budget="0.5")
    told = store.estimate(both, "topk", epsilon="0.75", **ASKED)
    assert [(row["account"], row["fits"]) for row in told["accounts"]] == [
        (types.of("CALLED"), True),
        (types.of("TEXTED"), False),
    ]
    with pytest.raises(BudgetError, match=f"the account '{types.of('TEXTED')}'"):
        store.priv_top_k(both, epsilon="0.75", **ASKED)
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0, 0)
    assert store.releases(both) == []
    assert told["releases_left"] == 0
    assert store.estimate(both, "topk", epsilon="0.2", **ASKED)["releases_left"] == 2
    with pytest.raises(BudgetError, match="has no budget of its own"):
        store.set_budget(both, 5)


def test_a_request_is_asked_again_by_its_name_alone(types: Types, store: Store) -> None:
    types.register(store, "one", "CALLED", epsilon_budget=1)
    names = [types.name("one"), types.register(store, "two", "CALLED")]
    first = [store.priv_top_k(name, epsilon="0.25", request_id="monday", **ASKED) for name in names]
    again = [store.priv_top_k(name, epsilon="0.25", request_id="monday", **ASKED) for name in names]
    assert [each.to_dict() for each in again] == [
        {**each.to_dict(), "epsilon_spent": 0.5, "epsilon_remaining": 0.5, **_accounts(now)}
        for each, now in zip(first, again, strict=True)
    ]
    assert types.spent("CALLED") == 0.5


def _accounts(release: edgedp.Release) -> dict[str, Any]:
    shown = release.to_dict()
    return {"accounts": shown["accounts"]} if "accounts" in shown else {}


def test_a_list_that_spends_step_by_step_debits_all_each_time(types: Types, store: Store) -> None:
    both = types.register(store, "both", "CALLED PAID", epsilon_budget=20)
    release = store.priv_top_k(both, epsilon=8, target_recall=0.9, **ASKED)
    assert types.spent("CALLED") == types.spent("PAID") == release.epsilon_spent
    assert types.problems(store) == []


# -- no second budget ---------------------------------------------------------------------------------------


def test_no_name_and_no_drop_makes_a_second_budget(types: Types, store: Store) -> None:
    first = types.register(store, "first", "CALLED", epsilon_budget=1)
    store.priv_top_k(first, epsilon="0.75", **ASKED)
    store.drop(first)
    for word, kinds in (("second", "CALLED"), ("first", "CALLED"), ("third", "TEXTED CALLED")):
        name = types.register(store, word, kinds)
        if word == "third":
            store.account(types.of("TEXTED"), epsilon_budget=9)
        with pytest.raises(BudgetError):
            store.priv_top_k(name, epsilon="0.5", **ASKED)
    assert types.spent("CALLED") == 0.75
    assert {row["type"]: row["name"] for row in types.accounts()} == {
        types.of("CALLED"): first,
        types.of("TEXTED"): types.of("TEXTED"),
    }
    with pytest.raises(BudgetError, match="has an account already"):
        types.register(store, "fourth", "CALLED", epsilon_budget=9)
    types.register(store, "fifth", "CALLED", epsilon_budget=1)  # as it is


def test_a_type_is_its_own_whatever_it_looks_like(types: Types, store: Store) -> None:
    plain = types.of("CALLED")
    for other in (plain.lower(), f"{plain} ", plain.replace("C", "С", 1)):
        types.on.ask(f"MATCH (a:`{LABEL}` {{id: 0}}), (b:`{LABEL}` {{id: 1}}) CREATE (a)-[:`{other}`]->(b)")
    types.register(store, "plain", "CALLED", epsilon_budget=1)
    with pytest.raises(ParameterError):
        store.register(types.name("bar"), LABEL, f"{plain}|{types.of('TEXTED')}", "id")
    with pytest.raises(ParameterError):
        store.register(types.name("escape"), LABEL, plain.replace("D", "\\u0044"), "id")
    store.register(types.name("lower"), LABEL, [plain, plain.lower()], "id")
    store.register(types.name("space"), LABEL, [plain, plain], "id")  # twice the same is once
    assert types.spent("CALLED") == 0
    store.account(plain.lower(), epsilon_budget=1)
    store.priv_top_k(types.name("lower"), epsilon="0.5", **ASKED)
    store.priv_top_k(types.name("space"), epsilon="0.25", **ASKED)
    assert types.spent("CALLED") == 0.75


def test_a_graph_over_several_types_goes_on_over_one_of_them(types: Types, store: Store) -> None:
    """An account of before was for all types of its graph; after a drop no name could be registered on one of them."""
    whole = types.name("whole")
    types.register(store, "whole", "CALLED", epsilon_budget=3)
    store.priv_top_k(whole, epsilon="0.5", **ASKED)
    both = "|".join(sorted([types.of("CALLED"), types.of("TEXTED")]))
    types.on.ask(  # as version 4 would have written it
        "MATCH (e:EdgeDPAccount|EdgeDPEntry {name: $name}) SET e.relationshipType = $both",
        name=whole,
        both=both,
    )
    with open_store(types.on.server.uri, auth=types.on.server.auth) as fresh:
        _goes_on_over_one(types, fresh, whole, both)


def _goes_on_over_one(types: Types, store: Store, whole: str, both: str) -> None:
    store.drop(whole)
    types.register(store, "part", "TEXTED")
    types.register(store, "whole", "CALLED")
    types.register(store, "other", "TEXTED PAID")
    store.account(types.of("PAID"), epsilon_budget=1)
    for word in ("part", "whole", "other"):
        store.priv_top_k(types.name(word), epsilon="0.5", **ASKED)
    assert types.spent("CALLED") == types.spent("TEXTED") == 2.0
    assert types.spent("PAID") == 0.5
    assert [row["type"] for row in types.accounts() if row["name"] == whole] == [both]
    assert types.problems(store) == []
    store.drop(whole)
    with pytest.raises(StoreError, match="choose another name"):
        types.register(store, "whole", "PAID")


def test_what_somebody_edits_or_deletes_releases_nothing(types: Types, store: Store) -> None:
    both = types.register(store, "both", "CALLED TEXTED", epsilon_budget=3)
    store.priv_top_k(both, epsilon="0.5", **ASKED)
    called = types.of("CALLED")
    edits = {
        "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.accounts = [$other]": "does not add up",
        "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.accounts = null": "does not add up",
        "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.accounts = []": "somebody edited it",
        "MATCH (g:EdgeDPStoredGraph {name: $name}) SET g.accounts = 'all'": "somebody edited it",
        "MATCH (a:EdgeDPAccount {name: $called}) SET a.relationshipType = 'NONE'": "does not add up|are not those",
        "MATCH (a:EdgeDPAccount {name: $called}) SET a.spent = 0": "does not add up",
        'MATCH (a:EdgeDPAccount {name: $called}) SET a.terms = \'{"protect": "source"}\'': "are not those",
        "MATCH (a:EdgeDPAccount {name: $called}) DELETE a": "is gone",
    }
    for edit, said in edits.items():
        kept = types.on.ask(
            "MATCH (x:EdgeDPAccount|EdgeDPStoredGraph) WHERE x.name IN [$name, $called] "
            "RETURN labels(x)[0] AS label, x.name AS name, properties(x) AS properties",
            name=both, called=called,
        )  # fmt: skip
        types.on.ask(edit, name=both, called=called, other=types.of("TEXTED"))
        with pytest.raises(EdgeDPError, match=said):
            store.priv_top_k(both, epsilon="0.25", **ASKED)
        types.on.refusal(TOP, name=both, config=ASKED | {"epsilon": 0.25})
        if "a.spent" in edit:
            estimate = "CALL edgedp.privTopk.estimate($name, $config)"
            (told,) = types.on.ask(estimate, name=both, config=ASKED | {"epsilon": 0.25})
            assert said in told["refused"]
        if "DELETE" not in edit:
            for row in kept:
                types.on.ask(
                    f"MERGE (x:{row['label']} {{name: $name}}) SET x = $properties",
                    name=row["name"], properties=row["properties"],
                )  # fmt: skip
    with pytest.raises(StoreError, match="whose account was deleted"):
        types.register(store, "again", "CALLED", epsilon_budget=9)
    store.drop(both)  # makes the account again from its log
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.5, 0.5)
    types.register(store, "both", "CALLED TEXTED")
    store.priv_top_k(both, epsilon="0.25", **ASKED)
    assert types.problems(store) == []


def test_accounts_of_one_graph_protect_one_unit(types: Types, store: Store) -> None:
    store.account(types.of("CALLED"), epsilon_budget=3, protect="source")
    store.account(types.of("TEXTED"), epsilon_budget=3)
    with pytest.raises(BudgetError, match="must all protect the same"):
        types.register(store, "both", "CALLED TEXTED", orientation="natural")
    with pytest.raises(ParameterError, match="needs a graph with directions"):
        types.register(store, "flat", "CALLED")
    name = types.register(store, "calls", "CALLED PAID", orientation="natural", epsilon_budget=3)
    release = store.priv_top_k(name, metric="in_degree", k=1, epsilon="0.5", mechanism="em")
    assert "leave one node" in release.public["protects"]
    with pytest.raises(EdgeDPError):
        store.priv_top_k(name, metric="out_degree", k=1, epsilon="0.5", mechanism="em")
    with pytest.raises(BudgetError):
        store.account(types.of("CALLED"), protect="pair")
    types.register(store, "texts", "TEXTED", orientation="natural")
    with pytest.raises(StoreError, match="while"):
        store.account(types.of("TEXTED"), protect="source")
    assert types.spent("CALLED") == types.spent("PAID") == 0.5
    assert store.account(types.of("PAID"))["protect"] == "source"


def test_an_account_is_declared_by_a_procedure_and_on_the_command_line(
    types: Types, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = types.on.ask(
        "CALL edgedp.account.declare($type, {epsilonBudget: 3.0, protect: 'source'})", type=types.of("CALLED")
    )
    assert (row["relationshipTypes"], row["protect"]) == ([types.of("CALLED")], "source")
    assert (row["epsilonBudget"], row["epsilonRemaining"], row["graphs"]) == (3.0, 3.0, [])
    assert "epsilonBuget" in types.on.refusal(
        "CALL edgedp.account.declare($type, {epsilonBuget: 3.0})", type=types.of("CALLED")
    )
    server = types.on.server
    monkeypatch.setenv("NEO4J_USERNAME", server.auth[0])
    monkeypatch.setenv("NEO4J_PASSWORD", server.auth[1])
    types.register(store, "calls", "CALLED", orientation="natural")

    def run(*words: str) -> Any:
        done = CliRunner().invoke(command_line, ["--store", server.uri, *words])
        assert done.exit_code == 0, done.output
        return done.stdout if "json" in words else done.output

    told = json.loads(run("account", types.of("CALLED"), "--epsilon-budget", "4", "--format", "json"))
    assert (told["epsilon_budget"], told["graphs"]) == (4.0, [types.name("calls")])
    run("account", types.of("TEXTED"), "--epsilon-budget", "1", "--protect", "pair")
    assert types.of("TEXTED") in run("account", types.of("TEXTED"))
    both = types.register(store, "both", "CALLED PAID", orientation="natural", epsilon_budget=4)
    shown = json.loads(run("budget", both, "--format", "json"))
    heads = [each["head"] for each in shown["accounts"]]
    assert heads == [store.head(each["account"]) for each in shown["accounts"]]
    assert types.of("PAID") in run("budget", both)
    (edges,) = card_of(store, both)["accounts"]
    assert edges["declared"] == {"epsilon": 8.0}, "each type may lose its budget by graphs that read it alone"
    assert edges["debits"] == [types.of("CALLED"), types.of("PAID")]
    types.on.ask("MATCH (a:EdgeDPAccount {name: $name}) SET a.spent = 7", name=types.of("PAID"))
    assert {each["graph"] for each in store.check(both)} == {types.of("PAID")}
    types.on.ask("MATCH (a:EdgeDPAccount {name: $name}) SET a.spent = 0", name=types.of("PAID"))
    asked = [
        "topk",
        types.name("calls"),
        "--metric",
        "in_degree",
        "-k",
        "1",
        "--epsilon",
        "9",
        "--mechanism",
        "em",
    ]
    done = CliRunner().invoke(command_line, ["--store", server.uri, *asked, "--dry-run"])
    assert types.of("CALLED") in done.output
    with pytest.raises(EdgeDPError):
        store.account(types.name("nobody"))


# -- shares -------------------------------------------------------------------------------------------------


def test_shares_go_by_account(types: Types, store: Store) -> None:
    both = types.register(store, "both", "CALLED TEXTED", epsilon_budget=3)
    one = types.register(store, "one", "TEXTED")
    ann = f"ann{types.mark}"
    store.add_analyst(ann)
    store.grant(types.of("TEXTED"), ann, epsilon_budget=1)
    asker = store.asking_as(ann)
    with pytest.raises(UnknownNameError, match="must be one that you have a share of"):
        asker.priv_top_k(both, epsilon="0.5", **ASKED)
    assert store.grant(both, ann, epsilon_budget="0.75")["epsilon_budget"] == 0.75
    asker.priv_top_k(both, epsilon="0.5", **ASKED)
    asker.priv_top_k(one, epsilon="0.25", **ASKED)
    assert asker.budget(both)["share"]["epsilon_remaining"] == 0
    with pytest.raises(BudgetError, match="share"):
        asker.priv_top_k(one, epsilon="0.25", **ASKED)
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.5, 0.75)
    assert [(row["of"], row["epsilon_spent"]) for row in store.grants(both)] == [
        (types.of("CALLED"), 0.5),
        (types.of("TEXTED"), 0.75),
    ]
    assert {row["name"]: row["share"] is not None for row in asker.graphs() if types.mark in row["name"]} == {
        both: True,
        one: True,
    }
    assert [row["graph"] for row in asker.releases()] == [both, one]

    # Who asks for more gets more of each: a share that was the larger one is never made smaller.
    store.grant(types.of("TEXTED"), ann, epsilon_budget=2)
    asked = asker.ask_more(both, "0.5", "to go on")
    store.answer_more(asked["id"], grant=True)
    assert [row["epsilon_budget"] for row in store.grants(both)] == [1.25, 2.5]

    # A share that is taken away is that of every graph which debits the account; what was spent counts later.
    store.revoke_share(one, ann)
    assert [row["of"] for row in store.grants(both)] == [types.of("CALLED")]
    assert not [row for row in asker.graphs() if types.mark in row["name"]]
    with pytest.raises(BudgetError, match="which counts"):
        store.grant(one, ann, epsilon_budget="0.5")
    assert store.grant(one, ann, epsilon_budget=1)["epsilon_spent"] == 0.75
    assert len(store.grants(both)) == 2
    store.revoke_share(both, ann)
    assert store.grants(both) == []
    assert types.problems(store) == []


# -- Theorem 5 ----------------------------------------------------------------------------------------------


def test_what_every_type_lost_is_in_its_account(types: Types, store: Store) -> None:
    """Theorem 5, by brute force after each step: a type's account says what the releases cost that read the type."""
    rng = random.Random(5)
    for word in types.words:
        store.account(types.of(word), epsilon_budget=2)
    reads: dict[str, set[str]] = {}
    lost = dict.fromkeys(types.words, 0)
    refused = 0
    for step in range(24):
        if step % 3 == 0 or not reads:
            word = f"p{step % 5}"
            kinds = set(rng.sample(types.words, rng.randint(1, 3)))
            if word in reads:
                store.drop(types.name(word))
                del reads[word]
            rules: dict[str, Any] = {"where": {"seconds": {"gte": 10}}} if rng.random() < 0.5 else {}
            types.register(store, word, " ".join(sorted(kinds)), **rules)
            reads[word] = kinds
        word = rng.choice(sorted(reads))
        milli = rng.choice((50, 100, 200))
        fits = all(lost[kind] + milli <= 2000 for kind in reads[word])
        try:
            store.priv_top_k(types.name(word), epsilon=f"0.{milli:03}", **ASKED)
        except BudgetError:
            assert not fits
            refused += 1
        else:
            assert fits
            for kind in reads[word]:
                lost[kind] += milli
        assert {kind: types.spent(kind) for kind in types.words} == {
            kind: milli / 1000 for kind, milli in lost.items()
        }
    assert refused > 2
    assert types.problems(store) == []


# -- together and cut off -----------------------------------------------------------------------------------


RELEASING = textwrap.dedent(
    """
    import sys
    import edgedp
    uri, user, password, name, count, epsilon = sys.argv[1:7]
    done = 0
    with edgedp.open_store(uri, auth=(user, password)) as store:
        for _ in range(int(count)):
            try:
                store.priv_top_k(name, metric="degree", k=1, epsilon=epsilon)
            except edgedp.BudgetError:
                break
            done += 1
    print(done)
    """
)


def releasing(
    types: Types, name: str, count: int, epsilon: str, kill_at: str | None = None
) -> subprocess.Popen[str]:
    server = types.on.server
    words = [server.uri, *server.auth, name, str(count), epsilon]
    command = (
        killing.command(kill_at, RELEASING, *words) if kill_at else [sys.executable, "-c", RELEASING, *words]
    )
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_that_name_the_types_in_opposite_order_end_and_spend_none_twice(
    types: Types, store: Store
) -> None:
    kinds = [types.of("CALLED"), types.of("TEXTED"), types.of("PAID")]
    store.register(types.name("forth"), LABEL, kinds, "id", epsilon_budget=0.6)
    store.register(types.name("back"), LABEL, kinds[::-1], "id")
    running = [releasing(types, types.name(word), 8, "0.05") for word in ("forth", "back")]
    told = [process.communicate(timeout=300) for process in running]
    assert sum(int(out) for out, _ in told) == 12, told
    assert [types.spent(word) for word in types.words] == [0.6, 0.6, 0.6]
    assert types.problems(store) == []


def test_two_processes_do_not_spend_a_type_twice(types: Types, store: Store) -> None:
    types.register(store, "one", "CALLED", epsilon_budget=1)
    types.register(store, "two", "CALLED TEXTED")
    store.account(types.of("TEXTED"), epsilon_budget=9)
    running = [releasing(types, types.name(word), 20, "0.1") for word in ("one", "two")]
    told = [process.communicate(timeout=300) for process in running]
    assert sum(int(out) for out, _ in told) == 10, told
    assert types.spent("CALLED") == 1.0
    assert types.problems(store) == []


@pytest.mark.parametrize("point", ["debited", "read", "drawn"])
def test_a_kill_leaves_all_debited_or_none(types: Types, store: Store, point: str) -> None:
    both = types.register(store, "both", "CALLED TEXTED", epsilon_budget=3)
    process = releasing(types, both, 1, "0.5", kill_at=point)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.5, 0.5)
    assert types.problems(store) == []


def test_a_debit_that_is_cut_off_between_two_accounts_debits_none(
    types: Types, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.stores.neo4j.session import Neo4jTransaction

    both = types.register(store, "both", "CALLED TEXTED", epsilon_budget=3)
    run = Neo4jTransaction.run
    steps = []

    def counted(self: Any, statement: str, *given: Any, **parameters: Any) -> Any:
        steps.append(statement)
        return run(self, statement, *given, **parameters)

    with monkeypatch.context() as patch:
        patch.setattr(Neo4jTransaction, "run", counted)
        store.priv_top_k(both, epsilon="0.25", **ASKED)
    length = steps.index("lease_put") + 1
    assert steps[:length].count("log_debit") == 3
    for cut in range(length):
        left = [cut]

        def cut_off(self: Any, statement: str, *given: Any, left: Any = left, **parameters: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise RuntimeError("cut off")
            return run(self, statement, *given, **parameters)

        with monkeypatch.context() as patch:
            patch.setattr(Neo4jTransaction, "run", cut_off)
            with pytest.raises(RuntimeError, match="cut off"):
                store.priv_top_k(both, epsilon="0.25", **ASKED)
        assert (types.spent("CALLED"), types.spent("TEXTED")) == (0.25, 0.25)
    assert types.problems(store) == []


def test_a_name_that_means_other_relationships_since_the_debit_reads_those_that_were_paid_for(
    types: Types, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edgedp.stores.neo4j.session import Neo4jSession

    types.on.ask(
        f"MATCH (a:`{LABEL}` {{id: 9}}), (b:`{LABEL}`) WHERE b.id > 9 CREATE (a)-[:`{types.of('PAID')}`]->(b)"
    )
    types.register(store, "paid", "PAID", epsilon_budget=100)
    types.register(store, "called", "CALLED", epsilon_budget=100)
    name = types.register(store, "mine", "CALLED")
    graph = Neo4jSession.graph

    def replaced(self: Any, *asked: Any) -> Any:
        monkeypatch.setattr(Neo4jSession, "graph", graph)
        with open_store(types.on.server.uri, auth=types.on.server.auth) as other:
            other.drop(name)
            types.register(other, "mine", "PAID")
        return graph(self, *asked)

    monkeypatch.setattr(Neo4jSession, "graph", replaced)
    assert store.priv_top_k(name, epsilon=50, **ASKED).nodes == [0]
    assert (types.spent("CALLED"), types.spent("PAID")) == (50, 0)


def test_two_that_register_one_new_type_share_its_account(
    types: Types, neo4j_with_plugin: PluginServer
) -> None:
    server = neo4j_with_plugin.server
    said: list[str] = []

    def register(word: str) -> None:
        with open_store(server.uri, auth=server.auth) as store:
            for _ in range(20):
                try:
                    types.register(store, word, "CALLED TEXTED")
                except EdgeDPError as error:
                    said.append(str(error))
                else:
                    return

    running = [threading.Thread(target=register, args=(f"w{n}",)) for n in range(4)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    assert [row["type"] for row in types.accounts()] == sorted([types.of("CALLED"), types.of("TEXTED")])
    assert all("meanwhile" in each for each in said), said


# -- what ran before ----------------------------------------------------------------------------------------


def test_a_database_of_version_4_is_migrated_with_what_was_spent(types: Types, tmp_path: Path) -> None:
    server = types.on.server
    with open_store(server.uri, auth=server.auth) as store:
        name = types.register(store, "old", "CALLED", epsilon_budget=1)
        store.priv_top_k(name, epsilon="0.75", **ASKED)
    types.on.ask("MATCH (s:EdgeDPSchema) SET s.version = 4")
    with open_store(server.uri, auth=server.auth) as store:
        assert store.budget(name)["epsilon_spent"] == 0.75
        other = types.register(store, "new", "CALLED")
        with pytest.raises(BudgetError):
            store.priv_top_k(other, epsilon="0.5", **ASKED)
        store.priv_top_k(name, epsilon="0.25", **ASKED)
        assert types.problems(store) == []
    assert types.on.ask("MATCH (s:EdgeDPSchema) RETURN s.version AS version")[0]["version"] == 6
