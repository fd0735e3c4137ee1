"""Analysts and shares, on every store: what is debited together, what is refused first, what a token is worth."""

from __future__ import annotations

import hashlib
import io
import json
import signal
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from edgedp import (
    AccessError,
    BudgetError,
    EdgeDPError,
    Graph,
    ParameterError,
    Store,
    StoreError,
    UnknownNameError,
    open_store,
)
from edgedp.ledger import shares
from edgedp.ledger.account import account_of
from edgedp.ledger.log.consistency import of_shares
from edgedp.release.release import Release
from edgedp.stores.people import seeing
from edgedp.stores.people.asker import Asker
from edgedp.stores.people.people import Person
from edgedp.stores.releases.analyst import AnalystStore
from edgedp.stores.returned import release_of
from edgedp.words.amounts.epsilon import NANO
from embedded_children import child
from made_once import copied
from neo4jserver import Server

OpenStore = Callable[[], Store]

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


@pytest.fixture
def store(path: Path) -> Store:
    """An embedded store with a graph and two analysts."""
    return copied(with_analysts, path)


def with_analysts(store: Store, **declared: Any) -> Store:
    store.load(KITE, "kite", **({"epsilon_budget": 1} | declared))
    store.add_analyst("ann")
    store.add_analyst("bob")
    return store


def top(asker: Store | Asker, epsilon: str, request_id: str | None = None, **more: Any) -> Any:
    return asker.priv_top_k("kite", metric="degree", k=1, epsilon=epsilon, request_id=request_id, **more)


def spent(store: Store) -> dict[str, float]:
    """Return what the graph's account and each share say was spent."""
    said = {row["analyst"]: row["epsilon_spent"] for row in store.grants("kite")}
    return said | {"": store.budget("kite")["epsilon_spent"]}


# -- one debit of both ------------------------------------------------------------------------------------------


def test_a_release_debits_the_share_and_the_budget_together(open_any: OpenStore) -> None:
    store = with_analysts(open_any())
    granted = store.grant("kite", "ann", epsilon_budget=0.5, max_epsilon_per_release="0.4")
    assert granted == {
        "analyst": "ann", "account": "edges", "epsilon_budget": 0.5, "epsilon_spent": 0.0, "epsilon_remaining": 0.5,
        "max_epsilon_per_release": 0.4,
    }  # fmt: skip
    store.grant("kite", "bob", epsilon_budget=0.9)
    ann, bob = store.asking_as("ann"), store.asking_as("bob")
    shown = top(ann, "0.3", "r").to_dict()
    assert (shown["epsilon_spent"], shown["share"]["epsilon_spent"], shown["share"]["epsilon_remaining"]) == (
        0.3,
        0.3,
        0.2,
    )
    assert spent(store) == {"": 0.3, "ann": 0.3, "bob": 0.0}

    # Identifiers of requests are an analyst's own, and the direct callers are one analyst.
    others = {asker: top(asker, "0.1", "r").receipt["release_id"] for asker in (bob, store)}
    assert len({shown["release_id"], *others.values()}) == 3
    assert top(ann, "0.3", "r").to_dict() == shown | {
        "epsilon_spent": 0.5, "epsilon_remaining": 0.5, "share": shown["share"],
    }  # fmt: skip
    with pytest.raises(ParameterError, match="must be new for another request"):
        top(ann, "0.2", "r")
    assert "share" not in top(store, "0.1", "r").to_dict()
    assert spent(store) == {"": 0.5, "ann": 0.3, "bob": 0.1}

    # Each sees its own releases alone; who asked is in the log.
    own = ann.release(shown["release_id"])
    assert ann.releases() == ann.releases("kite") == [own]
    assert (own["graph"], own["request_id"], own["nodes"], own["epsilon"]) == (
        "kite",
        "r",
        shown["nodes"],
        0.3,
    )
    with pytest.raises(UnknownNameError, match="must be one of your own"):
        bob.release(shown["release_id"])
    assert [row["release_id"] for row in bob.releases()] == [others[bob]]
    debits = [row["analyst"] for row in store.log("kite") if row["event"] == "debit"]
    assert debits == ["ann", "bob", None]
    assert [row.get("analyst") for row in store.releases("kite")] == debits
    assert ann.budget("kite")["share"] == shown["share"]
    assert [row["share"]["epsilon_spent"] for row in bob.graphs()] == [0.1]
    assert store.check() == []
    with open_any() as again:
        assert spent(again) == spent(store)


def test_an_agents_share_has_two_limits_and_is_spent_through_plans(open_any: OpenStore) -> None:
    store = with_analysts(open_any(), epsilon_budget=2)
    granted = store.grant("kite", "ann", epsilon_budget=1, agent=True)
    assert (granted["max_epsilon_per_release"], granted["min_epsilon_per_release"]) == (0.1, 0.01)
    store.grant("kite", "ann", 1, "0.5", min_epsilon_per_release="0.05")
    assert "min_epsilon_per_release" not in store.grant("kite", "bob", epsilon_budget=1)
    ann, asked = store.asking_as("ann"), {"metric": "degree", "k": 1}
    for epsilon, sentence in (("0.04", "must be at least 0.05"), ("0.6", "must be at most 0.5")):
        assert sentence in ann.estimate("kite", "topk", request_id="r", epsilon=epsilon, **asked)["refused"]
        unheld = store.asking_as("ann")
        unheld._check_planned = lambda *given: None  # type: ignore[method-assign]  # the debit itself refuses
        with pytest.raises(BudgetError, match=sentence):
            top(unheld, epsilon)
    with pytest.raises(ParameterError, match="plan_id is missing"):
        top(ann, "0.2", "r")
    plan_id = ann.estimate("kite", "topk", request_id="r", epsilon="0.2", **asked)["plan_id"]
    with pytest.raises(ParameterError, match="is not of this release"):
        top(store.asking_as("bob").planned(plan_id), "0.2", "r")
    drawn = top(ann.planned(plan_id), "0.2", "r")
    assert top(ann, "0.2", "r").receipt["release_id"] == drawn.receipt["release_id"], "a repeat needs no plan"
    assert spent(store) == {"": 0.2, "ann": 0.2, "bob": 0.0}
    with pytest.raises(BudgetError, match="must be at least the smallest epsilon"):
        store.grant("kite", "ann", 1, "none")
    with pytest.raises(ParameterError, match="is only for an agent's share"):
        store.grant("kite", "bob", 1, agent=False, min_epsilon_per_release="0.1")
    assert store.check() == []
    assert "min_epsilon_per_release" not in store.grant("kite", "ann", 1, agent=False)
    top(ann, "0.01")
    assert store.check() == []
    grants = [row["details"] for row in store.log("kite") if row["event"] == "grant"]
    assert [row.get("min_epsilon_per_release") for row in grants] == ["0.01", "0.05", None, None]


def test_the_share_is_refused_before_the_budget_and_neither_is_exceeded(open_any: OpenStore) -> None:
    store = with_analysts(open_any(), max_epsilon_per_release="0.8")
    ann, bob = store.asking_as("ann"), store.asking_as("bob")
    for ask in (lambda: top(ann, "0.1"), lambda: ann.budget("kite")):
        with pytest.raises(UnknownNameError, match="'kite', must be one that you have a share of"):
            ask()
    store.grant("kite", "ann", 0.75)
    store.grant("kite", "bob", 0.75)  # together more than the budget
    top(ann, "0.7")
    with pytest.raises(
        BudgetError, match=r"left of the share that 'ann' has of 'kite', 0\.05 of 0\.75; ask for less"
    ):
        top(ann, "0.4")  # the budget does not have it either
    with pytest.raises(BudgetError, match=r"left of the budget of 'kite', 0\.3 of 1"):
        top(bob, "0.4")
    assert spent(store) == {"": 0.7, "ann": 0.7, "bob": 0.0}, (
        "a share is not debited where the budget refuses"
    )
    top(ann, "0.05")
    with pytest.raises(BudgetError, match=r"0 of 0\.75; the curator may grant more"):
        top(ann, "0.000000001")
    store.grant("kite", "bob", 0.75, max_epsilon_per_release="0.2")
    with pytest.raises(BudgetError, match=r"at most 0\.2 for one release of 'bob'"):
        top(bob, "0.21")
    top(bob, "0.2")
    with pytest.raises(BudgetError, match=r"must be at most what is left of the budget"):
        top(bob, "0.06")
    assert spent(store) == {"": 0.95, "ann": 0.75, "bob": 0.2}
    assert store.check() == []


def test_a_revoked_analyst_asks_nothing_and_what_was_spent_stays(open_any: OpenStore) -> None:
    store = with_analysts(open_any())
    store.grant("kite", "ann", 0.5)
    ann = store.asking_as("ann")
    kept = top(ann, "0.1", "r").receipt["release_id"]
    store.revoke_analyst("ann")
    asks: list[Callable[[], Any]] = [
        lambda: top(ann, "0.1"), lambda: top(ann, "0.1", "r"), ann.graphs, ann.releases,
        lambda: ann.release(kept), lambda: ann.budget("kite"), lambda: top(store.asking_as("nobody"), "0.1"),
        lambda: ann.estimate("kite", "topk", metric="degree", k=1, epsilon="0.1"),
        lambda: ann.estimate("none", "topk", metric="degree", k=1, epsilon="0.1"),
        lambda: ann.plan_batch([{"graph": "kite", "kind": "count", "of": "edges", "epsilon": "0.1"}]),
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(AccessError, match="was never added, or was revoked"):
            ask()
    for curate in (
        lambda: store.grant("kite", "ann", 0.6),
        lambda: store.rotate_analyst("ann"),
        lambda: store.revoke_analyst("ann"),
    ):
        with pytest.raises(UnknownNameError, match="edgedp analyst list"):
            curate()
    with pytest.raises(StoreError, match="stays so after a revocation"):
        store.add_analyst("ann")
    assert spent(store) == {"": 0.1, "ann": 0.1}
    assert store.check() == []
    store.drop("kite")
    assert [row["epsilon_spent"] for row in store.grants("kite")] == [0.1], "a share outlives the graph"


def test_a_share_that_is_taken_away_hides_the_graph_and_resets_nothing(open_any: OpenStore) -> None:
    store = with_analysts(open_any())
    store.set_budget("kite", 1, attributes=True)
    for account in ("edges", "attributes"):
        store.grant("kite", "ann", 0.5, account=account, max_epsilon_per_release="0.3")  # type: ignore[arg-type]
    store.grant("kite", "bob", 0.5)
    ann, bob = store.asking_as("ann"), store.asking_as("bob")
    kept = top(ann, "0.2", "r").receipt["release_id"]
    store.revoke_share("kite", "ann")
    assert [row["analyst"] for row in store.grants("kite")] == ["bob"]
    assert ann.graphs() == []
    asks: list[Callable[[], Any]] = [
        lambda: top(ann, "0.1"), lambda: top(ann, "0.2", "r"), lambda: ann.budget("kite"),
        lambda: ann.releases("kite"), lambda: ann.ask_more("kite", 1, "why not"),
        lambda: ann.domains("kite"), lambda: ann.attributes("kite"),
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(UnknownNameError, match="must be one that you have a share of"):
            ask()
    assert [row["release_id"] for row in ann.releases()] == [kept] == [ann.release(kept)["release_id"]]
    assert top(bob, "0.1").epsilon_spent == 0.1
    assert spent(store)[""] == 0.3, "the budget remembers"
    with pytest.raises(UnknownNameError, match="has no share"):
        store.revoke_share("kite", "ann")
    with pytest.raises(UnknownNameError, match="has no share"):
        store.revoke_share("kite", "nobody")
    assert store.check() == []

    # What was spent counts where a share is granted again: nothing was reset, and nothing of the old limits is left.
    with pytest.raises(BudgetError):
        store.grant("kite", "ann", 0.1)
    again = store.grant("kite", "ann", 0.5)
    assert (again["epsilon_spent"], again["max_epsilon_per_release"]) == (0.2, None)
    assert top(ann, "0.2", "r").receipt["release_id"] == kept
    with pytest.raises(BudgetError):
        top(ann, "0.4")
    assert [row["event"] for row in store.log("kite") if row["event"] in ("grant", "revoke")] == [
        "grant", "grant", "revoke", "grant",
    ]  # fmt: skip
    assert store.check() == []
    with open_any() as reopened:
        assert spent(reopened) == spent(store)


def test_a_share_that_somebody_deleted_is_still_noticed(store: Store) -> None:
    store.grant("kite", "ann", 0.5)
    top(store.asking_as("ann"), "0.1")
    store.revoke_share("kite", "ann")
    store.grant("kite", "ann", 0.5)
    entries: list[dict[str, Any]] = [
        {"kind": "grant", "body": '{"analyst": "ann", "account": "edges"}'},
        {"kind": "debit", "analyst": "ann", "charge": 5, "name": "kite"},
        {"kind": "revoke", "body": '{"analyst": "ann", "account": "edges"}'},
    ]
    assert of_shares([], entries) == []
    assert of_shares([], [*entries, entries[0]]) == ["'ann' spent 5 and has no share"]


def test_the_command_takes_a_share_away_and_nothing_else_beside(store: Store, path: Path) -> None:
    from click.testing import CliRunner

    from edgedp.faces.cli import edgedp as command_line

    def run(*words: str) -> Any:
        return CliRunner().invoke(command_line, ["--store", str(path), "grant", "kite", "ann", *words])

    store.grant("kite", "ann", 0.5)
    for beside in (["--epsilon-budget", "1"], ["--attributes"], ["--no-filters"]):
        refused = run("--revoke", *beside)
        assert refused.exit_code == 2
        assert "without other options" in refused.output
    assert "Missing option '--epsilon-budget'" in run().output
    assert store.share("kite", "ann")["epsilon_budget"] == 0.5
    assert run("--revoke").exit_code == 0
    assert store.grants("kite") == []


def test_a_revocation_after_the_plan_still_refuses_before_the_debit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.grant("kite", "ann", 0.5)
    monkeypatch.setattr(shares, "check_active", lambda *_: store.revoke_analyst("ann"))
    with pytest.raises(AccessError):
        top(store.asking_as("ann"), "0.1")
    assert spent(store) == {"": 0.0, "ann": 0.0}


def test_a_curator_asks_for_no_release(store: Store) -> None:
    store.add_curator("carol")
    with pytest.raises(AccessError):
        top(store.asking_as("carol"), "0.1")
    with pytest.raises(UnknownNameError):
        store.grant("kite", "carol", 0.1)


# -- with a delta -----------------------------------------------------------------------------------------------


def test_an_estimate_and_a_release_agree_after_a_replacement_that_declares_a_delta(tmp_path: Path) -> None:
    """A share keeps the currency in which it was declared: where its account has another one, it pays for nothing."""
    dated = Graph.from_edges(KITE.node_ids[KITE.edges()], dates=[1_718_000_000] * KITE.edge_count)
    store, dates = open_store(tmp_path / "store"), {"from": "2024-01-01", "period": "P1M", "are": "final"}
    store.load(dated, "kite", epsilon_budget=1, dates=dates, within=2)
    store.add_analyst("ann")
    store.grant("kite", "ann", 0.5)
    ann, asked = store.asking_as("ann"), {"metric": "degree", "k": 1, "epsilon": "0.1", "mechanism": "sld"}
    assert ann.estimate("kite", "topk", window="2024-06", **asked)["refused"] is None
    store.load(dated, "kite", replace=True, epsilon_budget=1, delta="1e-6", dates=dates, within=2)
    for given in (asked, asked | {"window": "2024-06"}):
        told = ann.estimate("kite", "topk", **given)
        with pytest.raises(StoreError, match="declared before its delta changed") as refused:
            ann.priv_top_k("kite", **given)
        assert (told["refused"], told["releases_left"]) == (str(refused.value), 0)
    store.grant("kite", "ann", 0.5)
    assert ann.estimate("kite", "topk", window="2024-06", **asked)["refused"] is None
    assert ann.priv_top_k("kite", window="2024-06", **asked).nodes


def test_a_share_of_epsilon_and_delta_is_priced_as_the_account(open_any: OpenStore) -> None:
    store = with_analysts(open_any(), delta="1e-6")
    share = store.grant("kite", "ann", 0.5)
    assert share["delta"] == 1e-6
    ann = store.asking_as("ann")
    for _ in range(3):
        shown = top(ann, "0.05", mechanism="sld").to_dict()
    assert shown["share"]["epsilon_spent"] == shown["epsilon_spent"], "one integer for both, one conversion"
    assert shown["share"]["epsilon_spent"] > 0.05
    with pytest.raises(BudgetError, match="left of the share that 'ann' has"):
        top(ann, "0.4", mechanism="sld")
    top(store, "0.2", mechanism="sld")
    with pytest.raises(BudgetError, match="must be at least what was spent"):
        store.grant("kite", "ann", 0.01)
    store.set_budget("kite", 1, delta="1e-7")
    told = ann.estimate("kite", "topk", metric="degree", k=1, epsilon="0.001", mechanism="sld")
    assert "declared before its delta changed" in told["refused"], "an estimate says what the debit would"
    assert told["releases_left"] == 0
    with pytest.raises(
        StoreError, match="declared before its delta changed; the curator must grant it again"
    ):
        top(ann, "0.001", mechanism="sld")
    before = ann.budget("kite")["share"]["epsilon_spent"]
    store.grant("kite", "ann", 0.5)
    assert ann.budget("kite")["share"]["epsilon_spent"] > before, "the same rho at a smaller delta"
    top(ann, "0.001", mechanism="sld")
    assert store.check() == []


# -- grants -----------------------------------------------------------------------------------------------------


def test_a_grant_is_checked_recorded_and_never_below_what_was_spent(store: Store) -> None:
    store.grant("kite", "ann", 0.5, max_epsilon_per_release=0.3)
    top(store.asking_as("ann"), "0.25")
    with pytest.raises(BudgetError, match=r"must be at least what was spent, 0\.25"):
        store.grant("kite", "ann", "0.249999999")
    assert store.grant("kite", "ann", 0.25)["max_epsilon_per_release"] == 0.3, "a limit stays as it is"
    assert store.share("kite", "ann")["epsilon_remaining"] == 0.0
    store.grant("kite", "bob", 0)
    with pytest.raises(BudgetError):
        top(store.asking_as("bob"), "0.000000001")
    for bad in (
        {"epsilon_budget": -1},
        {"epsilon_budget": 1, "max_epsilon_per_release": 2},
        {"epsilon_budget": "x"},
    ):
        with pytest.raises(EdgeDPError):
            store.grant("kite", "ann", **bad)
    with pytest.raises(UnknownNameError, match="did you mean 'attributes'"):
        store.grant("kite", "ann", 1, account="attribute")
    for unknown in (
        lambda: store.grants("kit"),
        lambda: store.grant("kit", "ann", 1),
        lambda: store.share("kite", "x"),
    ):
        with pytest.raises(UnknownNameError):
            unknown()
    granted = [row["details"] for row in store.log("kite") if row["event"] == "grant"]
    assert granted == [
        {"analyst": "ann", "account": "edges", "epsilon_budget": "0.5", "max_epsilon_per_release": "0.3"},
        {"analyst": "ann", "account": "edges", "epsilon_budget": "0.25", "max_epsilon_per_release": "0.3"},
        {"analyst": "bob", "account": "edges", "epsilon_budget": "0", "max_epsilon_per_release": None},
    ]
    assert store.check() == []


def test_a_share_that_was_tampered_with_is_refused(store: Store, path: Path) -> None:
    store.grant("kite", "ann", 0.5)
    top(store.asking_as("ann"), "0.25")
    with store._backend.session() as session:
        ledger: Any = session
        ledger.connection.execute("DROP TRIGGER shares_changed")
        ledger.connection.execute("UPDATE shares SET spent = 0")
    for ask in (lambda: top(store.asking_as("ann"), "0.1"), lambda: store.grants("kite"), store.check):
        with pytest.raises(StoreError, match="damaged"):
            ask()


def test_a_damaged_share_is_told_by_what_is_wrong_with_it() -> None:
    amounts = {"declared": NANO, "budget": NANO, "spent": 3, "maxPerRelease": None, "delta": None}
    row = {"name": "kite", "analyst": "ann", "account": "edges"} | amounts
    granted = {"kind": "grant", "analyst": "", "body": json.dumps(shares.grant_body(row))}
    log = [granted, {"kind": "debit", "analyst": "ann", "charge": 3}]
    assert of_shares([row], log) == []
    assert of_shares([row | {"account": "attributes"}], log) == [
        "the share of 'ann' names the account 'attributes', and is one of the edges"
    ]
    for wrong in ({"spent": None}, {"spent": 3.0}, {"budget": "1"}):
        assert of_shares([row | wrong], log) == [
            "the share of 'ann' holds an amount that is not a whole number"
        ]


def test_of_several_accounts_the_least_share_counts_and_one_that_is_missing_is_none() -> None:
    row = {"analyst": "ann", "account": "edges", "maxPerRelease": None, "delta": None, "declared": NANO}
    much, little = (
        shares.Share.of(row | {"name": name, "budget": NANO, "spent": spent})
        for name, spent in (("a", 1), ("b", 2))
    )
    assert shares.least([much, little]) is shares.least([little, much]) is little
    for missing in ([], [None], [much, None], [None, little]):
        assert shares.least(missing) is None


def test_a_graph_of_several_accounts_is_seen_by_who_has_a_share_of_each() -> None:
    both = {"name": "both", "nodeLabel": "N", "accounts": ["a", "b"]}
    a, b = ({"name": name, "account": "edges"} for name in "ab")
    records = {"name": account_of("b", "attributes"), "account": "attributes"}
    assert seeing.names([both], [a]) == {"a"}
    assert seeing.names([both], [a, records]) == {"a", "b"}
    assert seeing.names([both], [a, b]) == {"a", "b", "both"}
    assert seeing.names([both | {"accounts": "edited"}], [a, b]) == {"a", "b"}


@pytest.mark.parametrize("spent", [0, NANO // 4, NANO // 2])
def test_check_compares_a_share_with_its_releases_both_ways(spent: int) -> None:
    row = {
        "name": "kite", "analyst": "ann", "account": "edges", "delta": None,
        "declared": NANO, "budget": NANO, "spent": spent, "maxPerRelease": None,
    }  # fmt: skip
    entries: list[dict[str, Any]] = [
        {"kind": "grant", "body": json.dumps(shares.grant_body(row))},
        {"kind": "debit", "analyst": "ann", "charge": NANO // 4},
    ]
    found = of_shares([row], entries)
    wrong = f"the share of 'ann' says that {spent} was spent, its releases cost {NANO // 4}"
    assert found == ([] if spent == NANO // 4 else [wrong])


def test_a_share_in_neo4j_that_is_not_what_its_releases_cost_is_refused(empty_neo4j: Server) -> None:
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        with_analysts(store)
        store.grant("kite", "ann", 0.5)
        ann = store.asking_as("ann")
        top(ann, "0.25")
        with empty_neo4j.driver() as driver, driver.session() as session:
            for wrong in ("0", "0.5", "null"):
                session.run(f"MATCH (s:EdgeDPShare) SET s.spent = {wrong}").consume()
                with pytest.raises(StoreError, match="does not add up"):
                    top(ann, "0.1")
                assert store.check("kite") != []
            session.run("MATCH (s:EdgeDPShare) DELETE s").consume()
            assert store.check("kite") == [
                {"graph": "kite", "problem": "'ann' spent 250000000 and has no share"}
            ]
        store.grant("kite", "ann", 0.5)
        assert ann.budget("kite")["share"]["epsilon_spent"] == 0.25, "what was spent is what the log says"
        assert store.check() == []


# -- tokens -----------------------------------------------------------------------------------------------------


def test_a_token_is_kept_nowhere_and_says_who(open_any: OpenStore, tmp_path: Path) -> None:
    store = open_any()
    store.load(KITE, "kite")
    added, curator = store.add_analyst("ann"), store.add_curator("carol")
    assert (added["analyst"], curator["curator"]) == ("ann", "carol")
    token = added["token"]
    assert token.startswith("edgedp_a_")
    assert curator["token"].startswith("edgedp_c_")
    assert len(token.removeprefix("edgedp_a_")) == 43, "256 bits, url-safe"
    assert store.identify(token) == Person("ann", "analyst")
    assert store.identify(curator["token"]) == Person("carol", "curator")
    digest = hashlib.sha256(token.encode()).hexdigest()
    for wrong in ("", token[:-1], token.upper(), digest, token + "x" * 300, "\ud800", None, 5):
        assert store.identify(wrong) is None  # type: ignore[arg-type]
    with store._backend.session() as session:
        rows = session.run("person_list")
        assert [row["tokenHash"] for row in rows if row["name"] == "ann"] == [digest]
        assert token not in json.dumps(rows)
    for file in (tmp_path / "graphs.edgedp").glob("*"):
        assert token.encode() not in file.read_bytes(), "not in any file of the embedded store"
    second = store.rotate_analyst("ann")["token"]
    assert (store.identify(token), store.identify(second)) == (None, Person("ann", "analyst"))
    assert store.rotate_analyst("carol").keys() == {"curator", "token"}
    store.revoke_analyst("ann")
    assert store.identify(second) is None
    listed = store.analysts()
    assert [(row["name"], row["role"], row["revoked"] is None) for row in listed] == [
        ("ann", "analyst", False), ("carol", "curator", True),
    ]  # fmt: skip
    assert set(listed[0]) == {"name", "role", "added", "revoked"}


def test_a_token_is_compared_with_everybodys_in_constant_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = []

    def compare_digest(given: bytes, kept: bytes) -> bool:
        compared.append(kept)
        return given == kept

    monkeypatch.setattr("edgedp.stores.people.tokens.hmac.compare_digest", compare_digest)
    token = store.add_analyst("aaa")["token"]
    assert store.identify(token) == Person("aaa", "analyst")
    assert len(compared) == 3, "also after the one that fits"


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "x" * 201, None])
def test_names_of_people_are_checked(store: Store, name: Any) -> None:
    for ask in (store.add_analyst, store.add_curator, store.asking_as):
        with pytest.raises(ParameterError):
            ask(name)
    assert len(store.analysts()) == 2


def test_odd_names_are_names(store: Store) -> None:
    for name in ("../x", "a'b\"c", "`) RETURN 1 //", "é/ü?#"):
        store.add_analyst(name)
        store.grant("kite", name, "0.1")
        assert top(store.asking_as(name), "0.1").to_dict()["share"]["epsilon_remaining"] == 0.0
    assert store.check() == []


# -- faults -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["debited", "drawn", "recorded"])
def test_a_kill_costs_the_share_what_it_costs_the_budget(store: Store, path: Path, point: str) -> None:
    store.grant("kite", "ann", 0.5)
    process = child("release", path, "kite", "0.25", "r", "ann", kill_at=point)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    assert spent(store) == {"": 0.25, "ann": 0.25}
    assert store.check() == []
    (own,) = store.asking_as("ann").releases()
    assert (own["nodes"] is None) == (point != "recorded")


@pytest.mark.parametrize("statement", ["share_debit", "account_debit", "log_debit", "lease_put"])
def test_a_debit_that_breaks_in_the_middle_leaves_neither(
    store: Store, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    from edgedp.stores.embedded.sqlite import Ledger

    store.grant("kite", "ann", 0.5)
    real = Ledger.run

    def breaks(self: Ledger, stem: str, **parameters: Any) -> Any:
        found = real(self, stem, **parameters)
        if stem == statement:
            raise RuntimeError("the machine stopped here")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "run", breaks)
        with pytest.raises(RuntimeError):
            top(store.asking_as("ann"), "0.25")
    assert spent(store) == {"": 0.0, "ann": 0.0}
    assert store.check() == []


def broken(*_: Any) -> Any:
    raise StoreError("the machine stopped here")


def test_what_was_debited_and_lost_is_lost_for_its_analyst_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.grant("kite", "ann", 0.5)
    with monkeypatch.context() as patched:
        patched.setattr(AnalystStore, "_draw", broken)
        with pytest.raises(StoreError, match="is debited"):
            top(store.asking_as("ann"), "0.25", "r")
    with pytest.raises(StoreError, match="was debited and lost"):
        top(store.asking_as("ann"), "0.25", "r")
    top(store, "0.25", "r")
    assert spent(store) == {"": 0.5, "ann": 0.25}


# -- from before there were analysts ----------------------------------------------------------------------------


def test_an_embedded_store_from_before_keeps_its_heads_and_its_requests(path: Path) -> None:
    packed = (FIXTURES / "store-ledger-1.tar.zst").read_bytes()
    unpacked = zstandard.ZstdDecompressor().stream_reader(packed).read()
    with tarfile.open(fileobj=io.BytesIO(unpacked)) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # 3.11.2 takes no keyword
        archive.extractall(path.parent)  # noqa: S202 - our own
    path.chmod(0o700)
    told = json.loads((FIXTURES / "store-ledger-1.json").read_text(encoding="utf-8"))
    store = open_store(path)
    for name in ("kite", "rho"):
        assert store.budget(name) == told["budgets"][name]
        assert store.head(name) == told["heads"][name], "a head that was kept elsewhere still fits"
        assert store.releases(name) == [row | {"account": "edges"} for row in told["releases"][name]]
    assert store.check() == []
    assert (
        store.priv_top_k("kite", "degree", 2, "0.5", request_id="monday").nodes
        == told["releases"]["kite"][0]["nodes"]
    )
    with pytest.raises(StoreError, match="debited and lost"):
        top(store, "0.25", "tuesday")
    store.add_analyst("ann")
    store.grant("kite", "ann", 1)
    assert top(store.asking_as("ann"), "0.25", "monday").to_dict()["epsilon_spent"] == 1.0
    assert store.check() == []


def test_a_database_of_version_2_is_migrated_with_its_requests(empty_neo4j: Server) -> None:
    with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
        store.load(KITE, "kite", epsilon_budget=1)
        first = top(store, "0.25", "monday").nodes
        head = store.head("kite")
    with empty_neo4j.driver() as driver, driver.session() as session:
        for statement in (
            "DROP CONSTRAINT edgedp_entry_asker",
            "DROP CONSTRAINT edgedp_person",
            "DROP CONSTRAINT edgedp_person_token",
            "DROP CONSTRAINT edgedp_share",
            "MATCH (entry:EdgeDPEntry) REMOVE entry.analyst",
            "MATCH (schema:EdgeDPSchema) SET schema.version = 2",
            "CREATE CONSTRAINT edgedp_entry_request FOR (e:EdgeDPEntry) REQUIRE (e.name, e.requestId) IS UNIQUE",
        ):
            session.run(statement).consume()
        with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
            assert store.head("kite") == head
            assert top(store, "0.25", "monday").nodes == first
            store.add_analyst("ann")
            store.grant("kite", "ann", 0.5)
            top(store.asking_as("ann"), "0.25", "monday")
            assert spent(store) == {"": 0.5, "ann": 0.25}
            assert store.check() == []
        names = {row["name"] for row in session.run("SHOW CONSTRAINTS").data()}
        assert {"edgedp_entry_asker", "edgedp_person", "edgedp_person_token", "edgedp_share"} <= names
        assert "edgedp_entry_request" not in names


def test_an_export_names_the_analyst_and_shows_a_change_of_the_name(store: Store) -> None:
    from edgedp.ledger.log.history import verify

    store.grant("kite", "ann", 0.5)
    top(store.asking_as("ann"), "0.25")
    top(store, "0.25")
    lines = store.export("kite")
    assert verify(lines)["releases"] == 2
    assert sum('"analyst": "ann"' in line for line in lines) == 1, "rows of direct callers are as they were"
    for wrong in ('"analyst": "bob"', '"analyst": ""'):
        with pytest.raises(StoreError, match="damaged"):
            verify([line.replace('"analyst": "ann"', wrong) for line in lines])


# -- commands ---------------------------------------------------------------------------------------------------


def test_the_commands_print_what_the_methods_return(store: Store, path: Path) -> None:
    from click.testing import CliRunner

    from edgedp.faces.cli import edgedp as command_line

    def run(*words: str, status: int = 0) -> str:
        result = CliRunner().invoke(command_line, ["--store", str(path), *words])
        assert result.exit_code == status, result.output
        return result.stdout if status == 0 else result.stderr

    added = json.loads(run("analyst", "add", "eve", "--format", "json"))
    assert set(added) == {"analyst", "token"}
    assert store.identify(added["token"]) == Person("eve", "analyst")
    (token,) = run("analyst", "rotate", "eve").splitlines()
    assert store.identify(token) == Person("eve", "analyst")
    assert set(json.loads(run("curator", "add", "carol", "--format", "json"))) == {"curator", "token"}
    listed = json.loads(run("analyst", "list", "--format", "json"))
    assert listed == store.analysts()
    (granted,) = json.loads(run("grant", "kite", "eve", "--epsilon-budget", "0.5", "--format", "json"))
    top(store.asking_as("eve"), "0.25")
    assert json.loads(run("grants", "kite", "--format", "json")) == [
        granted | {"epsilon_spent": 0.25, "epsilon_remaining": 0.25}
    ]
    assert "eve" in run("log", "kite")
    run("analyst", "revoke", "eve")
    assert store.identify(token) is None
    for words, says in (
        (("grant", "kite", "eve", "--epsilon-budget", "1"), "edgedp analyst list"),
        (("grant", "kite", "ann", "--epsilon-budget", "1", "--attributes"), "no budget of its attributes"),
        (("grants", "kit"), "edgedp graphs"),
        (("analyst", "add", "ann"), "is taken, and stays so"),
    ):
        assert says in run(*words, status=1)


def test_people_need_a_store_that_is_there(path: Path) -> None:
    empty = open_store(path)
    for ask in (lambda: empty.add_analyst("ann"), empty.analysts, lambda: empty.identify("edgedp_a_x")):
        with pytest.raises(StoreError):
            ask()
    assert not path.exists()


# -- both accounts ----------------------------------------------------------------------------------------------


def with_ages(store: Store) -> Store:
    """A store whose graph has two properties, one of which follows from the degree."""
    ages = {"age": [1.0, 2.0, 3.0, 4.0, 5.0], "calls": [2.0, 2.0, 3.0, 2.0, 1.0]}
    graph = KITE.with_properties({name: np.array(values) for name, values in ages.items()})
    store.load(graph, "kite", epsilon_budget=10, attribute_epsilon_budget=8)
    store.attribute("kite", "age", 0, 9, points=10)
    store.attribute("kite", "calls", 0, 9, points=10, depends_on="degree")
    store.add_analyst("ann")
    return store


def both(store: Store) -> tuple[dict[str, float], float, float]:
    """Return what was spent of each share, and of the graph's two accounts."""
    budget = store.budget("kite")
    shown = {row["account"]: row["epsilon_spent"] for row in store.grants("kite")}
    return shown, budget["epsilon_spent"], budget["attributes"]["epsilon_spent"]


def test_a_share_of_the_edges_is_none_of_the_attributes(open_any: OpenStore) -> None:
    store = with_ages(open_any())
    ann = store.asking_as("ann")
    store.grant("kite", "ann", epsilon_budget=3)
    with pytest.raises(BudgetError, match=r"no share of the attributes of 'kite'.*--attributes"):
        ann.percentile("kite", "age", q="1/2", epsilon=1)
    assert "no share of the attributes" in ann.estimate("kite", property="age", q="1/2", epsilon=1)["refused"]


@pytest.mark.parametrize("of", ["edges", "attributes"])
def test_a_percentile_out_of_an_agents_share_of_either_account_names_its_plan(path: Path, of: Any) -> None:
    store = with_ages(open_store(path))
    for account in ("edges", "attributes"):
        store.grant("kite", "ann", epsilon_budget=3, account=account, agent=account == of)
    ann = store.asking_as("ann")
    with pytest.raises(ParameterError, match="plan_id is missing"):
        ann.percentile("kite", "calls", q="1/2", epsilon="0.1")
    assert both(store)[1:] == (0.0, 0.0)


def test_a_percentile_debits_a_share_of_each_account_that_it_debits(open_any: OpenStore) -> None:
    store = with_ages(open_any())
    ann = store.asking_as("ann")
    store.grant("kite", "ann", epsilon_budget=3, account="attributes")
    first = ann.percentile("kite", "age", q="1/2", epsilon=1, request_id="one")
    assert both(store) == ({"attributes": 1.0}, 0.0, 1.0)
    assert (first.receipt["share"]["account"], first.receipt["share"]["epsilon_spent"]) == ("attributes", 1.0)
    assert ann.percentile("kite", "age", q="1/2", epsilon=1, request_id="one").value == first.value
    with pytest.raises(BudgetError, match="no share of 'kite'"):
        ann.percentile("kite", "calls", q="1/2", epsilon=1)
    assert both(store) == ({"attributes": 1.0}, 0.0, 1.0), "all or nothing"
    store.grant("kite", "ann", epsilon_budget=3)
    second = ann.percentile("kite", "calls", q="1/2", epsilon=1)
    assert both(store) == ({"edges": 2.0, "attributes": 2.0}, 2.0, 2.0)
    with pytest.raises(BudgetError, match="share that 'ann' has of 'kite', 1 of 3"):
        ann.percentile("kite", "calls", q="1/2", epsilon=1)
    with pytest.raises(BudgetError, match="share that 'ann' has of the attributes of 'kite', 1 of 3"):
        ann.percentile("kite", "age", q="1/2", epsilon="1.5")
    assert both(store) == ({"edges": 2.0, "attributes": 2.0}, 2.0, 2.0)
    own = ann.releases()
    assert [row["release_id"] for row in own] == [each.receipt["release_id"] for each in (first, second)], (
        "what a release debits besides is no release"
    )
    assert [row["graph"] for row in own] == ["kite", "kite"]
    assert ann.releases("kite") == own
    assert ann.release(own[1]["release_id"]) == own[1]
    (part,) = (row["release_id"] for row in store.log("kite") if row["event"] == "debit")
    with pytest.raises(UnknownNameError, match="one of your own"):
        ann.release(part)
    shown = ann.budget("kite")
    assert (shown["share"]["epsilon_spent"], shown["attributes"]["share"]["epsilon_spent"]) == (2.0, 2.0)
    (listed,) = ann.graphs()
    assert listed["attributes"]["share"] == shown["attributes"]["share"]
    assert store.check() == []


def test_a_share_of_attributes_needs_their_account_and_is_in_their_log(store: Store) -> None:
    with pytest.raises(UnknownNameError, match=r"no budget of its attributes.*--attributes --set"):
        store.grant("kite", "ann", 1, account="attributes")
    store.set_budget("kite", 2, attributes=True)
    store.grant("kite", "ann", 1, account="attributes")
    assert store.share("kite", "ann", "attributes")["epsilon_budget"] == 1.0
    assert [row["event"] for row in store.log("kite", "attributes")][-1] == "grant"
    with pytest.raises(UnknownNameError, match="has no share of"):
        store.share("kite", "ann")
    assert store.check() == []


def test_the_name_of_an_account_is_no_graphs(store: Store) -> None:
    """Taken for one, it would have shares, a budget and attributes of its own, and no share would be read again."""
    store.set_budget("kite", 1, attributes=True)
    name, ann = account_of("kite", "attributes"), store.asking_as("ann")
    asked: list[Callable[[], object]] = [
        lambda: store.grant(name, "ann", 1),
        lambda: store.grant(name, "ann", 1, account="attributes"),
        lambda: store.set_budget(name, 5),
        lambda: store.set_budget(name, 5, attributes=True),
        *(
            partial(told, name)
            for told in (store.budget, store.releases, store.log, store.head, store.export)
        ),
        *(partial(told, name) for told in (store.check, store.grants, ann.budget, ann.releases)),
    ]
    for ask in asked:
        with pytest.raises(UnknownNameError):
            ask()
    store.grant("kite", "ann", 1)
    assert store.budget("kite")["attributes"]["epsilon_budget"] == 1
    assert [share["account"] for share in store.grants("kite")] == ["edges"]


def test_an_estimate_of_a_percentile_is_of_all_it_debits(store: Store, path: Path) -> None:
    with_ages(other := open_store(path.with_name("other.edgedp")))
    told = other.estimate("kite", property="age", q=0.5, epsilon=2)
    assert (told["selector"], told["account"], told["refused"]) == ("percentile", "attributes", None)
    assert (told["epsilon_remaining"], told["epsilon_remaining_after"], told["releases_left"]) == (
        8.0,
        6.0,
        4,
    )
    told = other.estimate("kite", "percentile", property="calls", q=0.5, epsilon=2)
    assert (told["refused"], told["releases_left"]) == (None, 2), "the edges afford fewer"
    assert told["debits"] == [
        {"account": "attributes", "epsilon": 2.0}, {"account": "edges", "epsilon": 4.0},
    ]  # fmt: skip
    asked: dict[str, Any] = {"property": "calls", "q": 0.5, "epsilon": 6}
    refused = other.estimate("kite", "percentile", **asked)["refused"]
    with pytest.raises(BudgetError) as caught:
        other.percentile("kite", **asked)
    assert refused == str(caught.value)
    assert "edges of 'kite'" in refused
    ann = other.asking_as("ann")
    other.grant("kite", "ann", 5, account="attributes")
    assert ann.estimate("kite", property="calls", q=0.5, epsilon=1)["releases_left"] == 0, "no share of each"
    other.grant("kite", "ann", 4.5)
    assert ann.estimate("kite", property="age", q=0.5, epsilon=1)["releases_left"] == 5, (
        "the share affords fewer"
    )
    assert ann.estimate("kite", property="calls", q=0.5, epsilon=1)["releases_left"] == 2, (
        "that of the edges fewest"
    )
    assert "declared" in other.estimate("kite", "percentile", property="agee", q=0.5, epsilon=1)["refused"]
    assert both(other) == ({"edges": 0.0, "attributes": 0.0}, 0.0, 0.0)


def test_a_percentile_comes_back_from_its_json(store: Store, path: Path) -> None:
    with_ages(other := open_store(path.with_name("other.edgedp")))
    other.attribute("kite", "age", 0, 9, grid=[0, 3, 9])
    for name in ("age", "calls"):
        release = other.percentile("kite", name, q="1/3", epsilon=0.5)
        again = Release.from_dict(json.loads(json.dumps(release.to_dict())))
        assert (again, again.value) == (release, release.value)
        assert release_of(release.to_dict()).value == release.value
        assert "percentile" in repr(release)
        assert str(release.value) in release._repr_html_()
