"""Lists by pages, on every store: by the numbers of rows, whatever a clock says; no row is read beside the page."""

from __future__ import annotations

import html
import io
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from edgedp import EdgeDPError, Graph, ParameterError, Store, StoreError, UnknownNameError, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.ledger import ledger
from edgedp.stores.embedded.backend import EmbeddedSession
from edgedp.stores.remote import RemoteStore
from edgedp.stores.statements.queries import query
from neo4jserver import Server
from test_clocks import FAKETIME
from test_embedded_older import older
from test_flips import flipped, pages_of

OpenStore = Callable[[], Store]

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
OTHER = Graph.from_edges([(1, 2), (2, 3), (3, 4), (4, 5)])
ASKED: dict[str, Any] = {"metric": "degree", "k": 1, "epsilon": "0.01"}


def with_two_graphs(store: Store, *, attributes: bool = True) -> Store:
    """Load two graphs, of which one has a second account, and let two analysts have shares of all."""
    for name, edges in (("kite", KITE), ("kites", OTHER)):
        graph = edges.with_properties({"age": np.arange(5)}) if attributes else edges
        store.load(graph, name, epsilon_budget=10, **({"attribute_epsilon_budget": 10} if attributes else {}))
        for analyst in ("ann", "bob"):
            if name == "kite":
                store.add_analyst(analyst)
            store.grant(name, analyst, 5)
            if attributes:
                store.grant(name, analyst, 5, account="attributes")
    if attributes:
        store.attribute("kite", "age", 0, 9, points=10, depends_on="degree")
    return store


def ids(rows: Any) -> list[str]:
    return [row["release_id"] for row in rows]


def by_pages(list_page: Callable[[int, str | None], Any], limit: int) -> list[str]:
    """Return the releases of a list, read page by page."""
    found: list[str] = []
    while True:
        page = ids(list_page(limit, found[-1] if found else None))
        found += page
        if len(page) < limit:
            return found


@pytest.fixture
def shuffled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every row be written under a clock that somebody has just set anew."""
    chance = random.Random(7)
    monkeypatch.setattr(ledger, "now", lambda: f"20{chance.randrange(10, 60)}-01-01T00:00:00.000000+00:00")


@pytest.mark.usefixtures("shuffled")
def test_lists_are_in_the_order_of_the_debits_whatever_the_clock_said(open_any: OpenStore) -> None:
    store = with_two_graphs(open_any())
    asked: dict[str, list[str]] = {"kite": [], "kites": [], "kite attributes": [], "ann": []}
    ann = store.asking_as("ann")
    for number in range(12):
        name = ("kite", "kites")[number % 2]
        who = (ann, store, store.asking_as("bob"))[number % 3]
        made = who.priv_top_k(name, **ASKED).receipt["release_id"]
        asked[name].append(made)
        if number % 4 == 0:
            made = who.percentile("kite", "age", "0.5", "0.01").receipt["release_id"]
            asked["kite attributes"].append(made)
    whole = [*asked["kite"], *asked["kite attributes"]]
    assert ids(store.releases("kite")) == whole
    assert ids(store.releases("kites")) == asked["kites"]
    for limit in (1, 2, 3, 100):
        assert by_pages(lambda most, since: store.releases("kite", most, since), limit) == whole
    own = [each for each in [*whole, *asked["kites"]] if ann_had(store, each)]
    assert ids(ann.releases()) == own
    assert ids(ann.releases("kite")) == [each for each in own if each not in asked["kites"]]
    for limit in (1, 2, 100):
        assert by_pages(lambda most, since: ann.releases(None, most, since), limit) == own
    groups = (asked["kite"], asked["kite attributes"], asked["kites"])
    newest = [each for group in groups for each in reversed(group) if each in own]
    for limit in (1, 2, 100):
        assert by_pages(ann.newest, limit) == newest
    assert ids(store.asked("kite")) == asked["kite"][::-1]
    for limit in (1, 2, 100):
        assert by_pages(lambda most, since: store.asked("kite", "edges", most, since), limit) == ids(
            store.asked("kite")
        )
    assert [row["epsilon_spent"] for row in store.asked("kite")] == sorted(
        (row["epsilon_spent"] for row in store.asked("kite")), reverse=True
    )
    for each in own:
        assert ann.release(each)["release_id"] == each


def ann_had(store: Store, release_id: str) -> bool:
    return any(
        row["analyst"] == "ann"
        for name, account in (("kite", "edges"), ("kite", "attributes"), ("kites", "edges"))
        for row in store.asked(name, account)  # type: ignore[arg-type]
        if row["release_id"] == release_id
    )


@pytest.mark.usefixtures("shuffled")
def test_a_log_is_read_by_pages_of_its_numbers(open_any: OpenStore) -> None:
    store = with_two_graphs(open_any(), attributes=False)
    for _ in range(4):
        store.priv_top_k("kite", **ASKED)
    whole = store.log("kite")
    assert [row["seq"] for row in whole] == list(range(1, len(whole) + 1))
    for limit in (1, 3, len(whole), 99):
        found: list[Any] = []
        while page := store.log("kite", limit=limit, since=found[-1]["seq"] if found else 0):
            assert len(page) <= limit
            found += page
        assert found == whole
    assert store.log("kite", since=len(whole) + 5) == []
    assert store.log("kite", since=len(whole)) == []
    assert ids(store.releases("kite", since=whole[-3]["seq"])) == [whole[-2]["release_id"]]
    assert store.releases("kite", since=len(whole)) == []
    odd: list[tuple[Any, Any]] = [
        (0, 0),
        (-1, 0),
        (1.5, 0),
        ("2", 0),
        (True, 0),
        (1, -1),
        (1, 2**63),
        (1, "x"),
    ]
    for limit, since in odd:
        with pytest.raises(ParameterError):
            store.log("kite", limit=limit, since=since)
    for since in ("nobody", "", "-1", "9" * 4400, 2**70):
        with pytest.raises(EdgeDPError):
            store.releases("kite", since=since)


def test_an_analyst_goes_on_after_own_releases_alone(open_any: OpenStore) -> None:
    """The number of a row, beside one's own debits, would show which rows others, and draws, wrote between them."""
    store = with_two_graphs(open_any(), attributes=False)
    ann, bob = store.asking_as("ann"), store.asking_as("bob")
    mine = ann.priv_top_k("kite", **ASKED).receipt["release_id"]
    theirs = bob.priv_top_k("kite", **ASKED).receipt["release_id"]
    direct = store.priv_top_k("kite", **ASKED).receipt["release_id"]
    for since in (theirs, direct, 1, "1", "3", "nothing"):
        with pytest.raises(UnknownNameError, match="must be the release_id of a release of this list"):
            ann.releases("kite", since=since)
        with pytest.raises(UnknownNameError):
            ann.newest(5, str(since))
    with pytest.raises(UnknownNameError):
        ann.releases("kites", since=mine)
    for other in (theirs, direct):
        with pytest.raises(UnknownNameError, match="one of your own"):
            ann.release(other)
    assert ann.releases("kite", since=mine) == []
    assert "seq" not in ann.releases()[0]


def test_a_clock_that_is_set_back_in_another_process_changes_no_order(tmp_path: Path) -> None:
    if FAKETIME is None:
        pytest.skip("needs a clock that can be set: apt-get install libfaketime")
    store = with_two_graphs(open_store(tmp_path / "store"), attributes=False)
    made = [store.asking_as("ann").priv_top_k("kite", **ASKED).receipt["release_id"]]
    text = (
        "import sys; from edgedp import open_store\n"
        "ann = open_store(sys.argv[1]).asking_as('ann')\n"
        "print(ann.priv_top_k('kite', 'degree', 1, '0.01').receipt['release_id'])"
    )
    for shift in ("+3000d", "-3000d"):
        environment = os.environ | {
            "LD_PRELOAD": str(FAKETIME), "FAKETIME": shift, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip
        run = subprocess.run(
            [sys.executable, "-c", text, str(tmp_path / "store")],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        made.append(run.stdout.strip())
    rows = store.asking_as("ann").releases()
    assert ids(rows) == ids(store.releases("kite")) == made
    assert sorted(row["at"] for row in rows) != [row["at"] for row in rows]
    assert ids(store.asking_as("ann").newest(9)) == made[::-1]


# -- what a page costs ----------------------------------------------------------------------------


def steps(session: EmbeddedSession, ask: Callable[[], object]) -> int:
    """Return how many instructions SQLite's machine runs for a question."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    session.connection.set_progress_handler(count, 1)
    try:
        ask()
    finally:
        session.connection.set_progress_handler(None, 1)
    return taken


def lists(store: Store) -> Mapping[str, Callable[[], object]]:
    """Return what is asked of a log again and again, by pages of ten."""
    ann = store.asking_as("ann")
    first, third = ids(ann.releases("kite", limit=3))[::2]
    return {
        "budget": lambda: store.budget("kite"),
        "an analyst's budget": lambda: ann.budget("kite"),
        "graphs": store.graphs,
        "an analyst's graphs": ann.graphs,
        "log": lambda: store.log("kite", limit=10, since=5),
        "releases": lambda: store.releases("kite", limit=10, since=third),
        "the first releases": lambda: store.releases("kite", limit=10),
        "who asked": lambda: store.asked("kite", limit=10),
        "own": lambda: ann.releases(limit=10),
        "own of a graph": lambda: ann.releases("kite", limit=10, since=third),
        "own, newest first": lambda: ann.newest(10),
        "one release": lambda: ann.release(first),
        "whose token": lambda: store.identify("edgedp_a_" + "x" * 43),
    }


def test_a_page_of_a_long_log_costs_what_it_costs_of_a_short_one(tmp_path: Path) -> None:
    store = with_two_graphs(open_store(tmp_path / "store"), attributes=False)
    ann, bob = store.asking_as("ann"), store.asking_as("bob")
    taken: list[dict[str, int]] = []
    for more in (15, 60):
        for _ in range(more):
            ann.priv_top_k("kite", **ASKED)
            bob.priv_top_k("kite", **ASKED)
        with store.together(), store._session() as session:
            assert isinstance(session, EmbeddedSession)
            taken.append({name: steps(session, ask) for name, ask in lists(store).items()})
            taken[-1]["head"] = steps(session, lambda: store.head("kite"))
    short, long = taken
    assert all(long[name] <= 1.25 * short[name] + 50 for name in short), (short, long)


@pytest.mark.neo4j
def test_a_page_of_a_long_log_costs_what_it_costs_of_a_short_one_in_neo4j(empty_neo4j: Server) -> None:
    asked = {"name": "kite", "analyst": "ann", "since": 5, "before": 40, "limit": 5, "releaseId": "r7"}
    statements = (
        "log_page",
        "release_page",
        "release_back",
        "release_own",
        "release_own_back",
        "release_find",
    )
    with (
        open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store,
        empty_neo4j.driver(notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        with_two_graphs(store, attributes=False)
        session.run("MATCH (e:EdgeDPEntry {name: 'kite'}) DELETE e").consume()
        taken: list[dict[str, int]] = []
        for first, last in ((1, 60), (61, 1500)):
            session.run(
                "UNWIND range($first, $last) AS seq WITH seq, seq % 2 = 1 AS debit "
                "CREATE (e:EdgeDPEntry {name: 'kite', seq: seq, at: '', by: '', body: '{}', total: seq, "
                "releaseId: 'r' + ((seq + 1) / 2), kind: CASE WHEN debit THEN 'debit' ELSE 'answer' END}) "
                "SET e += CASE WHEN debit THEN {analyst: CASE WHEN seq % 4 = 1 THEN 'ann' ELSE 'bob' END, cost: 2, "
                "charge: 2} ELSE {} END",
                first=first, last=last,
            ).consume()  # fmt: skip
            taken.append({name: least_hits(session, name, asked) for name in statements})
        assert len(session.run(query("neo4j", "release_own"), asked).data()) == 5
        profiles = {
            name: session.run("PROFILE " + query("neo4j", name), asked).consume().profile
            for name in statements
        }
    short, long = taken
    assert not {
        name: (short[name], long[name], profiles[name])
        for name in statements
        if not 0 < long[name] <= 2 * short[name] + 20
    }


def least_hits(session: Any, name: str, asked: dict[str, Any]) -> int:
    """Return what a statement costs by the best of six plans: of plans that it takes for equals Neo4j chooses any."""
    found = []
    for _ in range(6):
        session.run(
            "CALL db.prepareForReplanning(60)"
        ).consume()  # by the present size, not by the one before
        found.append(hits(session.run("PROFILE " + query("neo4j", name), asked).consume().profile))
    return min(found)


def hits(profile: Any) -> int:
    return int(profile["args"].get("DbHits", 0)) + sum(hits(each) for each in profile.get("children", []))


# -- what a page notices --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with sixty releases, half of them of an analyst."""
    path = tmp_path_factory.mktemp("pages") / "store"
    with open_store(path) as store:
        with_two_graphs(store, attributes=False)
        for _ in range(30):
            store.asking_as("ann").priv_top_k("kite", **ASKED)
            store.priv_top_k("kite", **ASKED)
    return path


def told(path: Path) -> dict[str, Any]:
    """Return what lists say; a refusal says nothing."""
    found: dict[str, Any] = {}
    with open_store(path) as store:
        ann = store.asking_as("ann")
        asked: dict[str, Callable[[], Any]] = {
            "count": lambda: store.budget("kite")["releases"],
            "all": lambda: ids(store.releases("kite")),
            "page": lambda: store.releases("kite", limit=7),
            "back": lambda: ids(store.asked("kite", limit=7)),
            "own": lambda: ann.releases("kite"),
            "own page": lambda: ids(ann.releases(limit=7)),
            "newest": lambda: ids(ann.newest(7)),
            "log": lambda: store.log("kite", limit=9, since=30),
            "one": lambda: [ann.release(each) for each in _SOME],
        }
        for name, ask in asked.items():
            try:
                found[name] = ask()
            except UnknownNameError as error:
                found[name] = str(error)
            except EdgeDPError:
                continue
    return found


_SOME: list[str] = []


@pytest.mark.parametrize(
    "where", ["log_debits", "log_own", "log_own_again", "log_release", "log_release_again", "tallies", "log"]
)
def test_no_flipped_bit_hides_a_row_of_a_list(whole: Path, tmp_path: Path, where: str) -> None:
    with open_store(whole) as store:
        _SOME[:] = ids(store.asking_as("ann").releases())[::6]
    expected = told(whole)
    assert len(expected) == 9
    path = tmp_path / "store"
    shutil.copytree(whole, path)
    content, pages = (whole / "ledger.sqlite").read_bytes(), pages_of(whole / "ledger.sqlite", where)
    chance = random.Random(f"lists of {where}")
    for _ in range(10):
        bit = 8 * (chance.choice(pages) + chance.randrange(4096)) + chance.randrange(8)
        (path / "ledger.sqlite").write_bytes(flipped(content, bit))
        try:
            found = told(path)
        except EdgeDPError:
            continue
        wrong = {name for name, value in found.items() if value != expected[name]}
        assert not wrong, f"bit {bit} of {where}: {wrong}"


@pytest.mark.neo4j
@pytest.mark.parametrize(
    "change",
    [
        "MATCH (e:EdgeDPEntry {name: 'kite', kind: 'debit'}) WITH e ORDER BY e.seq SKIP 4 LIMIT 1 DELETE e",
        "MATCH (e:EdgeDPEntry {name: 'kite', kind: 'debit'}) WITH e ORDER BY e.seq LIMIT 1 DELETE e",
        "MATCH (e:EdgeDPEntry {name: 'kite', kind: 'debit'}) WITH e ORDER BY e.seq SKIP 4 LIMIT 1 SET e.charge = 1",
        "MATCH (e:EdgeDPEntry {name: 'kite', kind: 'debit'}) WITH e ORDER BY e.seq SKIP 4 LIMIT 1 SET e.total = 'x'",
        "MATCH (e:EdgeDPEntry {name: 'kite', kind: 'debit'}) WITH e ORDER BY e.seq SKIP 4 LIMIT 1 SET e.kind = 'exact'",
        "MATCH (e:EdgeDPEntry {name: 'kite', kind: 'debit'}) WITH e ORDER BY e.seq SKIP 4 LIMIT 1 SET e.body = '{'",
    ],
)
def test_a_debit_that_somebody_took_away_or_edited_is_missed_by_a_page(
    empty_neo4j: Server, change: str
) -> None:
    with (
        open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store,
        empty_neo4j.driver(notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        with_two_graphs(store, attributes=False)
        for _ in range(10):
            store.priv_top_k("kite", **ASKED)
        assert len(store.releases("kite", limit=6)) == 6
        session.run(change).consume()
        for ask in (lambda: store.releases("kite", limit=6), lambda: store.asked("kite")):
            with pytest.raises(StoreError, match="does not add up"):
                ask()


def test_a_store_of_before_is_counted_once_and_lists_as_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The migration counts what is there; a page then proves by itself that it lacks no row."""
    path = tmp_path / "store"
    with open_store(path) as store:
        with_two_graphs(store, attributes=False)
        for _ in range(3):
            store.asking_as("ann").priv_top_k("kite", **ASKED)
        before = store.releases("kite"), store.log("kite"), store.budget("kite")
    numbered = enumerate(migrations_of())
    older(
        path, monkeypatch, next(at for at, each in numbered if "tallies" in each.read_text(encoding="utf-8"))
    )
    with open_store(path) as store:
        assert (store.releases("kite"), store.log("kite"), store.budget("kite")) == before
        store.priv_top_k("kite", **ASKED)
        assert store.budget("kite")["releases"] == 4
        assert store.check() == []


def migrations_of() -> tuple[Path, ...]:
    from edgedp.stores.embedded.sqlite import migrations

    return migrations()


def test_a_count_that_somebody_edited_is_refused_and_named(tmp_path: Path) -> None:
    from test_ledger import Edited

    path = tmp_path / "store"
    store = with_two_graphs(open_store(path), attributes=False)
    store.priv_top_k("kite", **ASKED)
    file = sqlite3.connect(path / "ledger.sqlite")
    with file:
        file.execute("UPDATE tallies SET releases = 0 WHERE name = 'kite'")
    file.close()
    for ask in (lambda: store.budget("kite"), lambda: store.priv_top_k("kite", **ASKED)):
        with pytest.raises(StoreError, match="damaged"):
            ask()
    assert store.check("kite")
    Edited(path).execute(
        "UPDATE tallies SET releases = 7, seal = sealed('tallies', name, entries, 7) WHERE name = 'kite'"
    )
    assert [row["problem"] for row in store.check("kite")] == ["7 releases are counted, the log has 1"]


# -- the other faces ------------------------------------------------------------------------------


def test_the_commands_print_pages(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = with_two_graphs(open_store(path), attributes=False)
    made = [store.priv_top_k("kite", **ASKED).receipt["release_id"] for _ in range(3)]

    def run(*words: str) -> Any:
        done = CliRunner().invoke(command_line, ["--store", str(path), *words, "--format", "json"])
        return json.loads(done.stdout) if done.exit_code == 0 else done.output

    assert ids(run("releases", "kite", "--limit", "2")) == made[:2]
    assert ids(run("releases", "kite", "--limit", "2", "--since", made[1])) == made[2:]
    whole = run("log", "kite")
    assert run("log", "kite", "--limit", "2", "--since", "3") == whole[3:5]
    assert "limit is 0, must be 1 or more" in run("log", "kite", "--limit", "0")
    assert "since is -1" in run("log", "kite", "--since", "-1")
    assert "must be the release_id" in run("releases", "kite", "--since", "x")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Any]:
    from gateway_server import serve

    path = tmp_path / "store"
    store = with_two_graphs(open_store(path))
    token = store.rotate_analyst("ann")["token"]
    cora = store.add_curator("cora")["token"]
    with serve(path, tmp_path) as served:
        yield store, served, token, cora


def test_the_gateway_answers_by_pages(room: Any) -> None:
    store, served, token, _ = room
    ann = store.asking_as("ann")
    for number in range(7):
        ann.priv_top_k(("kite", "kites")[number % 2], **ASKED)
        store.asking_as("bob").priv_top_k("kite", **ASKED)
    ann.percentile("kite", "age", "0.5", "0.01")
    theirs = store.asking_as("bob").releases()[0]["release_id"]
    whole = ann.releases()
    with served.client(token) as client:
        for place, rows in (("/v1/releases", whole), ("/v1/graphs/kite/releases", ann.releases("kite"))):
            answer = client.get(place).json()
            assert answer == {"releases": rows, "next": None}
            found: list[Any] = []
            since: dict[str, str] = {}
            while True:
                answer = client.get(place, params={"limit": "2"} | since).json()
                assert len(answer["releases"]) <= 2
                found += answer["releases"]
                if answer["next"] is None:
                    break
                since = {"since": answer["next"]}
            assert found == rows
        for bad in ("limit=0", "limit=-1", "limit=1001", "limit=x", "limit=1_0", "limit=", "limit=1&limit=2",
                    "limit=" + "9" * 5000, "since=a&since=b"):  # fmt: skip
            refused = client.get(f"/v1/releases?{bad}")
            assert refused.status_code == 422, bad
            assert "limit" in refused.json()["detail"]
        for bad in ("x", "1", theirs):
            assert client.get("/v1/releases", params={"since": bad}).status_code in (404, 422), bad
    with RemoteStore(served.address, token) as remote:
        assert remote.releases() == whole
        assert ids(remote.releases(limit=3)) == ids(whole)[:3]
        assert remote.releases("kite", 2, ann.releases("kite")[1]["release_id"]) == ann.releases("kite")[2:4]


def test_the_pages_lead_to_earlier_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every release stands on one page, whoever looks; links lead from the newest to the oldest."""
    from edgedp.faces.gateway.context import Gateway
    from edgedp.faces.gateway.door.observing import Log, Metrics
    from edgedp.faces.gateway.door.settings import Settings
    from edgedp.faces.gateway.pages import analyst, curator
    from gateway_server import Inside

    for module in (analyst, curator):
        monkeypatch.setattr(module, "SHOWN", 2)
    store = with_two_graphs(open_store(tmp_path / "store"))
    tokens = {"ann": store.rotate_analyst("ann")["token"], "cora": store.add_curator("cora")["token"]}
    ann = store.asking_as("ann")
    amounts = [f"0.0{number}" for number in range(1, 8)]
    for number, epsilon in enumerate(amounts):
        ann.priv_top_k(("kite", "kites")[number % 2], "degree", 1, epsilon)
    ann.percentile("kite", "age", "0.5", "0.01")
    said = io.StringIO()
    for who, begin in (("ann", "/releases"), ("cora", "/curator/graphs/kite")):
        client = Inside(Gateway(store, Settings(requests_per_minute=10**6), Log(said), Metrics()), said)
        assert client.post("/sign-in", data={"token": tokens[who]}).status_code == 303
        waiting, seen, found = [begin], set[str](), []
        while waiting:
            place = waiting.pop()
            page = client.get(place)
            assert page.status_code == 200, page.text
            if place not in seen:
                seen.add(place)
                found += re.findall(r'data-label="Epsilon" class="num">([0-9.]+)<', page.text)
                links = re.findall(r'href="([^"]*before=[^"]*)"', page.text)
                waiting += [html.unescape(link).partition("#")[0] for link in links]
        mine = amounts if who == "ann" else amounts[::2]
        assert set(found) == {*mine, "0.01"}, who
        assert len(seen) > 1
        assert client.get(f"{begin}?before=nothing").status_code in (404, 422)
        client.close()
