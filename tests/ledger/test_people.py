"""People's events are a chained log of their own, and what a curator does through a gateway names the curator."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import OpenStore

from edgedp import AccessError, EdgeDPError, Graph, Store, StoreError, UnknownNameError, open_store
from edgedp.faces.cli import edgedp as main
from edgedp.ledger.account import PEOPLE
from edgedp.stores.people.sessions import Sessions
from neo4jserver.server import Server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


def made(store: Store) -> Store:
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "kite", epsilon_budget=2)
    store.add_curator("cora")
    return store


def events(store: Store) -> list[tuple[str, str, Any]]:
    return [(row["event"], row["person"], row["role"]) for row in store.people_log()]


def test_people_are_in_a_log_that_names_the_curator(open_any: OpenStore) -> None:
    store = made(open_any())
    cora = store.curating_as("cora")
    token = cora.add_analyst("ann")["token"]
    cora.rotate_analyst("ann")
    cora.revoke_analyst("ann")
    log = store.people_log()
    assert events(store) == [
        ("add", "cora", "curator"), ("add", "ann", "analyst"), ("rotate", "ann", "analyst"), ("revoke", "ann", None),
    ]  # fmt: skip
    assert "curator" not in log[0]["by"]
    assert [row["by"].partition(" for ")[2] for row in log[1:]] == ["curator cora"] * 3
    assert [row["seq"] for row in log] == [1, 2, 3, 4]
    assert token not in json.dumps(log)
    assert not store.check()
    assert store.people_head().startswith("4:")
    assert [row["name"] for row in store.graphs()] == ["kite"]  # its account is no graph's
    for asked in (store.budget, store.log, store.export, store.grants, store.check, store.releases):
        with pytest.raises(UnknownNameError):
            asked(PEOPLE)
    with pytest.raises(UnknownNameError):
        store.set_budget(PEOPLE, 1)


def test_a_rotation_gives_no_token_for_good_in_place_of_one_that_expires(path: Path) -> None:
    store = open_store(path)
    store.load(Graph.from_edges([(1, 2)]), "pair", epsilon_budget=1)
    until = store.add_analyst("ann", "90d")["expires"]
    store.add_token("ann", "laptop", "1d")
    store.revoke_token("ann", "first")
    assert store.rotate_analyst("ann")["expires"] == until
    assert "expires" not in store.rotate_analyst("ann", "never")


def test_somebody_who_was_revoked_leaves_sign_ins_to_others(path: Path) -> None:
    store = open_store(path)
    store.load(Graph.from_edges([(1, 2)]), "pair", epsilon_budget=1)
    for name in ("ann", "bob"):
        store.add_analyst(name)
    store.add_identity("ann", "https://id.example.org", "7")
    store.revoke_analyst("ann")
    assert store.identities() == []
    store.add_identity("bob", "https://id.example.org", "7")


def test_a_change_that_is_refused_is_in_no_log(open_any: OpenStore) -> None:
    store = made(open_any())
    before = store.people_log()
    for refused in (
        lambda: store.add_analyst("cora"), lambda: store.rotate_analyst("x"), lambda: store.revoke_analyst("x")
    ):  # fmt: skip
        with pytest.raises((StoreError, UnknownNameError)):
            refused()
    assert store.people_log() == before


def test_what_a_curator_grants_names_the_curator_and_the_limit(open_any: OpenStore) -> None:
    store = made(open_any())
    store.add_analyst("ann")
    cora = store.curating_as("cora")
    cora.grant("kite", "ann", 1, max_epsilon_per_release="0.5")
    cora.grant("kite", "ann", 1, max_epsilon_per_release="none")
    cora.set_budget("kite", 3)
    rows = [row for row in store.log("kite") if row["event"] in ("grant", "budget")][-3:]
    assert [row["by"].partition(" for ")[2] for row in rows] == ["curator cora"] * 3
    assert [row["details"]["max_epsilon_per_release"] for row in rows[:2]] == ["0.5", None]
    assert not store.check()


def test_a_curator_who_was_revoked_changes_nothing_any_more(open_any: OpenStore) -> None:
    store = made(open_any())
    store.add_analyst("ann")
    cora, nobody = store.curating_as("cora"), store.curating_as("ann")
    store.revoke_analyst("cora")
    before, log = store.analysts(), store.people_log()
    for view in (cora, nobody):
        for change in (
            lambda view=view: view.add_analyst("bob"), lambda view=view: view.add_curator("bob"),
            lambda view=view: view.rotate_analyst("ann"), lambda view=view: view.revoke_analyst("ann"),
            lambda view=view: view.grant("kite", "ann", 1),
        ):  # fmt: skip
            with pytest.raises(AccessError):
                change()
    assert store.analysts() == before
    assert store.people_log() == log
    assert store.grants("kite") == []


def test_a_limit_of_one_release_is_removed_again(open_any: OpenStore) -> None:
    store = made(open_any())
    store.add_analyst("ann")
    store.set_budget("kite", max_epsilon_per_release="0.1")
    store.grant("kite", "ann", 2, max_epsilon_per_release="0.1")
    ann = store.asking_as("ann")

    def asked(asker: Any) -> None:
        asker.priv_top_k("kite", metric="degree", k=1, epsilon="0.2")

    for asker in (store, ann):
        with pytest.raises(EdgeDPError, match=r"at most 0\.1"):
            asked(asker)
    assert store.grant("kite", "ann", 2, max_epsilon_per_release="none")["max_epsilon_per_release"] is None
    with pytest.raises(EdgeDPError, match=r"at most 0\.1"):
        asked(ann)  # the graph's own limit stands
    store.set_budget("kite", max_epsilon_per_release="none")
    asked(ann)
    asked(store)
    limits = [row["details"] for row in store.log("kite") if row["event"] == "limit"]
    assert limits == [{"max_epsilon_per_release": "0.1"}, {"max_epsilon_per_release": None}]
    assert store.budget("kite")["epsilon_budget"] == 2
    assert not store.check()


def tampered(path: Path, *statements: str) -> None:
    """Change a ledger by hand, without its triggers; rows are sealed anew as somebody would who knows how."""
    from edgedp.ledger import chain

    with closing(sqlite3.connect(path / "ledger.sqlite")) as connection, connection:
        connection.create_function("sealed", -1, chain.digest, deterministic=True)
        connection.create_function("genuine", -1, lambda *_: 1, deterministic=True)
        connection.create_function("link", 1, chain.genesis, deterministic=True)
        for name in ("log_change", "log_delete"):  # the log is append-only, but for somebody with the file
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log SET \"by\" = 'uid 0 for curator eve' WHERE kind = 'rotate'",
        "UPDATE log SET body = replace(body, 'ann', 'bob') WHERE kind = 'rotate'",
        "DELETE FROM log WHERE kind = 'rotate'",
    ],
)
def test_a_row_that_was_edited_is_noticed(path: Path, statement: str) -> None:
    store = made(open_store(path))
    store.add_analyst("ann")
    store.rotate_analyst("ann")
    store.add_analyst("bob")
    tampered(path, statement)
    assert any("people" in row["problem"] for row in store.check())
    with pytest.raises(StoreError):
        store.people_log()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE people SET tokenHash = 'x' WHERE name = 'ann'", "the token of 'ann'"),
        ("UPDATE people SET role = 'curator' WHERE name = 'ann'", "the role of 'ann'"),
        ("UPDATE people SET revoked = NULL WHERE name = 'gone'", "the revocation of 'gone'"),
        (
            "INSERT INTO people (name, role, tokenHash, added) VALUES ('eve', 'curator', 'x', 'y')",
            "'eve' is in no row",
        ),
        ("DELETE FROM people WHERE name = 'ann'", "'ann' is in the people's log and not there"),
    ],
)
def test_somebody_who_was_put_into_the_store_by_hand_is_noticed(
    path: Path, statement: str, said: str
) -> None:
    store = made(open_store(path))
    for name in ("ann", "gone"):
        store.add_analyst(name)
    store.revoke_analyst("gone")
    tampered(path, statement)
    assert any(said in row["problem"] for row in store.check())


def test_in_neo4j_too(empty_neo4j: Server) -> None:
    store = made(open_store(empty_neo4j.uri, auth=empty_neo4j.auth))
    store.add_analyst("ann")
    store.rotate_analyst("ann")
    person, row = (
        "MATCH (n:EdgeDPPerson {name: 'ann'})",
        f"MATCH (n:EdgeDPEntry {{name: '{PEOPLE}', seq: 2}})",
    )
    for change, back in (
        (f"{person} SET n.kept = n.tokenHash, n.tokenHash = 'x'", f"{person} SET n.tokenHash = n.kept REMOVE n.kept"),
        (f"{person} SET n.role = 'curator'", f"{person} SET n.role = 'analyst'"),
        ("CREATE (:EdgeDPPerson {name: 'eve', role: 'curator', tokenHash: 'y', added: 'z'})",
         "MATCH (n:EdgeDPPerson {name: 'eve'}) DELETE n"),
        (f"{row} SET n.kept = n.body, n.body = replace(n.body, 'ann', 'bob')",
         f"{row} SET n.body = n.kept REMOVE n.kept"),
        (f"{row} SET n.seq = -2", f"MATCH (n:EdgeDPEntry {{name: '{PEOPLE}', seq: -2}}) SET n.seq = 2"),
        (f"MATCH (n:EdgeDPAccount {{name: '{PEOPLE}'}}) SET n.name = 'lost'",
         f"MATCH (n:EdgeDPAccount {{name: 'lost'}}) SET n.name = '{PEOPLE}'"),
    ):  # fmt: skip
        with empty_neo4j.driver() as driver, driver.session() as session:
            session.run(change).consume()
            assert store.check(), change
            session.run(back).consume()
            assert not store.check(), back
    store.close()


def test_who_was_there_before_the_log_is_named_by_its_first_row(path: Path) -> None:
    store = made(open_store(path))
    token = store.add_analyst("ann")["token"]
    tampered(
        path, "DELETE FROM log WHERE name = char(9) || 'people'",
        "DELETE FROM accounts WHERE name = char(9) || 'people'",
    )  # fmt: skip
    assert store.people_log() == []
    assert not store.check()
    assert [(row["name"], row["state"]) for row in store.tokens()] == [("ann", "valid"), ("cora", "valid")]
    assert store.identify(token) is not None
    store.add_analyst("bob")
    assert store.identify(token) is not None
    assert [row["name"] for row in store.tokens()] == ["ann", "cora", "bob"]
    assert events(store) == [
        ("begin", "ann", "analyst"),
        ("begin", "cora", "curator"),
        ("add", "bob", "analyst"),
    ]
    assert not store.check()
    assert [row["event"] for row in store.people_log()].count("begin") == 2


def test_a_head_that_was_kept_names_the_people_too(path: Path, tmp_path: Path) -> None:
    store = made(open_store(path))
    store.add_analyst("ann")
    heads = store.backup(tmp_path / "copy.edgedp")
    assert heads[PEOPLE] == store.people_head()
    assert not open_store(tmp_path / "copy.edgedp").check()


def test_the_command_shows_what_the_method_returns(path: Path) -> None:
    store = made(open_store(path))
    store.add_analyst("ann")
    shown = CliRunner().invoke(main, ["--store", str(path), "analyst", "log", "--format", "json"])
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout) == store.people_log()
    assert store.people_head() in shown.stderr
    for limit in ("0.5", "none"):
        set_ = CliRunner().invoke(
            main, ["--store", str(path), "budget", "kite", "--max-epsilon-per-release", limit]
        )
        assert set_.exit_code == 0, set_.output
        granted = CliRunner().invoke(
            main, ["--store", str(path), "grant", "kite", "ann", "--epsilon-budget", "1", "--max-epsilon-per-release",
                   limit, "--format", "json"],
        )  # fmt: skip
        assert granted.exit_code == 0, granted.output
        assert json.loads(granted.stdout)[0]["max_epsilon_per_release"] == (None if limit == "none" else 0.5)


def test_sessions_are_in_the_store_without_a_token(open_any: OpenStore) -> None:
    store = made(open_any())
    token = store.add_analyst("ann")["token"]
    now = [10**15]
    one, other = (Sessions(each, 60, clock=lambda: now[0]) for each in (store, open_any()))
    cookie = one.open(token)
    found = other.find(cookie)
    assert found is not None
    session, person = found
    assert person.name == "ann"
    assert other.find("x") is None
    one.hold(session, {"token": "a new one"})
    held, _ = other.find(cookie) or pytest.fail("the session ended")
    assert "a new one" not in str(held.held)
    assert [each.take(held) for each in (other, one)] == [{"token": "a new one"}, None]
    now[0] += 59 * 10**6
    assert one.find(cookie) is not None
    now[0] += 59 * 10**6
    assert other.find(cookie) is not None, "it was used"
    now[0] += 61 * 10**6
    assert one.find(cookie) is None
    now[0] = 10**15
    assert one.find(cookie) is None, "what was used long after now is over: somebody has set a clock"
    cookies = []
    for _ in range(22):
        now[0] += 1
        cookies.append(one.open(token))
    assert [other.find(each) is not None for each in cookies] == [False] * 2 + [True] * 20
    store.rotate_analyst("ann")
    assert one.find(cookies[-1]) is None
    one.close(cookies[-1])
    assert one._row(cookies[-1]) is None
    now[0] += 118 * 10**6
    assert one.find(cookie) is None, "what was of a clock ahead went with the next sign-in"
