"""What was spent is remembered, by a process that runs and by heads, whatever is put in the ledger's place."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edgedp import EdgeDPError, Graph, ParameterError, Store, StoreError, open_store
from edgedp.ledger import chain
from edgedp.ledger.chain import Head, genesis
from edgedp.ledger.log import heads
from edgedp.stores.embedded import sqlite
from edgedp.stores.embedded.sqlite import opened
from neo4jserver import Server
from neo4jserver.fixtures import KEYED

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.edgedp"


@pytest.fixture
def store(path: Path) -> Store:
    store = open_store(path)
    store.load(KITE, "kite", epsilon_budget=10)
    return store


def asked(store: Any, request: str | None = None) -> list[Any]:
    return list(store.priv_top_k("kite", "degree", 1, 0.25, request_id=request).nodes)


def copied(path: Path) -> Path:
    return Path(shutil.copyfile(path / "ledger.sqlite", path.with_suffix(".old")))


def in_place(old: Path, path: Path) -> None:
    shutil.copyfile(old, path / "ledger.sqlite")


def moved(old: Path, path: Path) -> None:
    shutil.move(old, path / "ledger.sqlite")


@pytest.mark.parametrize("put", [in_place, moved])
def test_a_ledger_that_is_swapped_for_an_older_copy_under_a_store_releases_nothing(
    store: Store, path: Path, put: Callable[[Path, Path], object]
) -> None:
    old = copied(path)
    asked(store, "paid")
    put(old, path)
    with pytest.raises(StoreError, match=r"the ledger of 'kite' went back: entry 3, .* nothing was spent"):
        asked(store, "paid")
    with pytest.raises(StoreError, match="went back"):
        store.budget("kite")
    assert store.log("kite")[-1]["event"] == "load", "and nothing was written to the copy"


def test_an_older_copy_that_was_written_to_is_noticed_by_its_row(store: Store, path: Path) -> None:
    old = copied(path)
    asked(store)
    in_place(old, path)
    other = open_store(path)  # a new process, which knows nothing of it
    for _ in range(3):
        asked(other)
    with pytest.raises(StoreError, match="went back"):
        asked(store)


@pytest.mark.parametrize("advanced", ["edges", "attributes"])
def test_each_account_that_a_release_debits_is_compared(path: Path, advanced: str) -> None:
    """A percentile of what follows from the degree debits two; one of them has gone back, and the other has not."""
    nodes = [1, 2, 3]
    graph = Graph.from_edges([(1, 2), (2, 3)], nodes=nodes, properties={"age": nodes, "degree": nodes})
    store = open_store(path)
    store.load(graph, "kite", epsilon_budget=10, attribute_epsilon_budget=10)
    store.attribute("kite", "age", 0, 10, points=11)
    store.attribute("kite", "degree", 0, 10, points=11, depends_on="degree")
    store.percentile("kite", "degree", 0.5, 0.1)
    old = copied(path)
    asked(store) if advanced == "edges" else store.percentile("kite", "age", 0.5, 0.1)
    in_place(old, path)
    with pytest.raises(StoreError, match="went back"):
        store.percentile("kite", "degree", 0.5, 0.1)


def test_an_account_that_was_seen_and_is_not_there_any_more_went_back(store: Store, path: Path) -> None:
    old = copied(path)
    store.set_budget("kite", 5, attributes=True)
    assert store.budget("kite")["attributes"]["epsilon_budget"] == 5
    in_place(old, path)
    with pytest.raises(StoreError, match=r"the ledger of 'kite' went back"):
        store.budget("kite")


def test_what_others_did_is_remembered_by_who_looked_and_by_who_serves(store: Store, path: Path) -> None:
    old = copied(path)
    looking, serving = open_store(path), open_store(path)
    asked(store)
    looking.budget("kite")
    serving.warm()
    in_place(old, path)
    for each in (looking, serving):
        with pytest.raises(StoreError, match="went back"):
            asked(each)


def test_analysts_share_what_their_store_remembers(store: Store, path: Path) -> None:
    store.add_analyst("ann")
    store.grant("kite", "ann", epsilon_budget=5)
    old = copied(path)
    asked(store.asking_as("ann"))
    in_place(old, path)
    with pytest.raises(StoreError, match="went back"):
        asked(store.asking_as("ann"))
    with pytest.raises(StoreError, match="went back"):
        asked(store)


def test_an_answer_that_was_shown_again_is_remembered(store: Store, path: Path, tmp_path: Path) -> None:
    old = copied(path)
    other = open_store(path)
    shown = asked(store, "paid")
    assert asked(other, "paid") == shown, "drawn by one process, shown by another"
    in_place(old, path)
    with pytest.raises(StoreError, match="went back"):
        asked(other, "paid")
    with pytest.raises(StoreError, match="went back"):
        other.head("kite")
    with pytest.raises(StoreError, match="went back"):
        other.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_store_with_one_broken_account_serves_the_others(store: Store, path: Path) -> None:
    store.load(Graph.from_edges([(1, 2), (2, 3)]), "other", epsilon_budget=1)
    with opened(path / "ledger.sqlite", path, 10.0) as ledger:
        ledger.connection.execute("DROP TRIGGER log_change")
        ledger.connection.execute("UPDATE log SET body = '{}' WHERE name = 'other'")
    serving = open_store(path)
    serving.warm()
    old = copied(path)
    asked(serving)
    in_place(old, path)
    with pytest.raises(StoreError, match="went back"):
        asked(serving)


def test_a_debit_that_is_undone_is_not_remembered(store: Store, path: Path) -> None:
    asked(store)
    with pytest.raises(EdgeDPError):
        store.priv_top_k("kite", "degree", 1, 100)
    asked(store)
    assert store.check() == []


def test_what_a_slow_thread_saw_takes_nothing_back(store: Store, path: Path) -> None:
    """Of two threads of a store the one that looked first may come last to keep what it saw."""
    old = copied(path)
    with store._session() as session:
        early = store._remembered.compare(session, ["kite"])
    asked(store)
    store._remembered.keep(early)
    in_place(old, path)
    with pytest.raises(StoreError, match="went back"):
        asked(store)


def test_heads_beside_a_store_are_read_again_when_they_change(store: Store, path: Path) -> None:
    asked(store)
    later = open_store(path)
    later.graphs()
    path.with_name("graphs.edgedp.head").write_text(f"9:{'a' * 64} kite\n")
    for ask in (later.graphs, lambda: asked(later), lambda: asked(store)):
        with pytest.raises(StoreError, match="ends at entry 4 and the head that was kept is entry 9"):
            ask()


def test_a_file_of_heads_that_was_given_is_read_again_when_it_changes(
    store: Store, path: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.write_text(f"{store.head('kite')} kite\n")
    watched = open_store(path, head=str(kept))
    watched.graphs()
    asked(store)
    kept.write_text(f"{store.head('kite')} kite\n")
    asked(watched)
    kept.write_text(f"7:{'b' * 64} kite\n")
    with pytest.raises(StoreError, match=r"older copy|is not the one"):
        asked(watched)


def test_the_furthest_head_rules_and_two_of_one_entry_refuse(
    store: Store, path: Path, tmp_path: Path
) -> None:
    early = store.head("kite")
    old = tmp_path / "old"
    shutil.copytree(path, old)
    asked(store)
    late = store.head("kite")
    for text in (f"{late} kite\n{early} kite\n", f"{early} kite\n{late} kite\n"):
        with pytest.raises(StoreError, match="older copy"):
            open_store(old, head=text).graphs()
    path.with_name("graphs.edgedp.head").write_text(f"{late} kite\n")
    shutil.rmtree(path)
    shutil.copytree(old, path)
    with pytest.raises(StoreError, match="older copy"):
        open_store(path, head=f"{early} kite").graphs()
    with pytest.raises(ParameterError, match="two heads of entry 2 of 'kite' differ"):
        open_store(old, head=f"{early} kite\n{early[:2]}{'0' * 64} kite").graphs()


@pytest.mark.parametrize(
    ("head", "error", "says"),
    [
        ("99:{hash} kite", StoreError, "'kite' ends at entry 2 and the head that was kept is entry 99"),
        ("{real} kite\n99:{hash} kite", StoreError, "ends at entry 2 .* is entry 99"),
        ("99:{hash} nobody", StoreError, "'nobody' ends at entry 0"),
        ("1:{hash} kite\tattributes", StoreError, "attributes of 'kite' ends at entry 0"),
        ("99:{hash} \tpeople", StoreError, "the people's log ends at entry 1"),
        ("999999999999999999:{hash} kite", StoreError, "ends at entry 2"),
        ("{many}:{hash} kite", ParameterError, "head is '9+\\.\\.\\., must be a number of at most 18 digits"),
        ("0:{hash} kite", StoreError, "entry 0 differs"),
        ("2:{hash} kite", StoreError, "entry 2 differs"),
    ],
)
def test_a_head_that_a_log_does_not_have_is_a_sentence(
    store: Store, path: Path, head: str, error: type[EdgeDPError], says: str
) -> None:
    store.add_analyst("ann")
    real = store.head("kite")
    said = head.format(hash="a" * 64, real=real, many="9" * 5000)
    with pytest.raises(error, match=says) as refused:
        open_store(path, head=said).graphs()
    assert len(str(refused.value)) < 600
    beginning = f"{Head(0, genesis('kite'))} kite"
    assert len(open_store(path, head=f"{beginning}\n{real} kite").graphs()) == 1


@pytest.mark.parametrize("name", ["a\u2028b", "a\x85b", "two words", '"quoted"', "a\u2029b", "Zoë"])
def test_any_name_is_kept_in_a_head(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path / "s")
    monkeypatch.setattr(
        "edgedp.mechanisms.checks.check_new_graph_name", lambda name: None
    )  # earlier versions took each
    store.load(KITE, name, epsilon_budget=1)
    store.backup(tmp_path / "copy")
    assert list(heads.furthest(heads.parse((tmp_path / "copy.head").read_text()))) == [name]
    assert open_store(tmp_path / "copy").graphs()[0]["name"] == name
    assert open_store(tmp_path / "s").budget(name)["epsilon_budget"] == 1
    older = f"{Head(2, '0' * 64)} {name}"
    if not name.startswith('"'):
        assert heads.parse(older) == [(name, Head(2, "0" * 64))], "as earlier versions wrote it"


def test_a_file_without_heads_is_refused_and_half_a_character_too(
    store: Store, path: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.write_text("\n")
    with pytest.raises(ParameterError, match="a file without a line 'SEQ:HASH NAME'"):
        open_store(path, head=str(empty)).graphs()
    with pytest.raises(ParameterError, match="head is"):
        open_store(path, head="").graphs()
    for ask in (
        lambda: store.load(KITE, "\ud800", epsilon_budget=1), lambda: store.budget("\ud800"),
        lambda: store.log("\udfff"), lambda: asked(store, "\ud800"), lambda: store.graph("\ud800"),
        lambda: store.drop("\ud800"), lambda: store.add_analyst("\ud800"), lambda: store.check("\ud800"),
        lambda: store.grants("\ud800"), lambda: store.export("\ud800"), lambda: store.attributes("\ud800"),
        lambda: store.releases("\ud800"), lambda: store.set_budget("\ud800", 1),
        lambda: store.priv_top_k("\ud800", "degree", 1, 0.25),
    ):  # fmt: skip
        with pytest.raises(EdgeDPError) as refused:
            ask()  # type: ignore[no-untyped-call]
        assert "\n" not in str(refused.value)


def test_backups_at_once_never_take_a_head_back(store: Store, path: Path, tmp_path: Path) -> None:
    asked(store)
    failed = []

    def back_up(number: int) -> None:
        try:
            open_store(path).backup(tmp_path / f"copy{number}")
        except EdgeDPError as error:
            failed.append(error)

    threads = [threading.Thread(target=back_up, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    late = store.head("kite")
    beside = path.with_name("graphs.edgedp.head")
    beside.write_text(f"{late} kite\n")
    with opened(tmp_path / "copy0" / "ledger.sqlite", path, 10.0):
        pass
    asked(store)
    later = f"{store.head('kite')} kite\n"
    store.backup(tmp_path / "late")
    assert beside.read_text() == later
    from edgedp.stores.embedded import backup
    from edgedp.stores.embedded.folder import Folder

    backup._keep_heads(Folder(path), {"kite": Head.parse(late)}, 10.0)  # a slow one, which began earlier
    assert beside.read_text() == later
    assert not list(tmp_path.glob("*.new*"))


def test_a_damaged_ledger_is_no_backup(store: Store, path: Path, tmp_path: Path) -> None:
    for _ in range(3):
        asked(store)
    with opened(path / "ledger.sqlite", path, 10.0) as ledger:
        ledger.connection.execute("DROP TRIGGER log_change")
        ledger.connection.execute("UPDATE log SET body = replace(body, 'nodes', 'nodez') WHERE seq = 4")
    with pytest.raises(StoreError, match="damaged"):
        store.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert not (tmp_path / "copy.head").exists()
    assert not path.with_name("graphs.edgedp.head").exists()


@pytest.mark.parametrize("index", ["log_debits", "log_release"])
def test_a_ledger_whose_index_lost_its_rows_is_no_backup(
    store: Store, path: Path, tmp_path: Path, index: str
) -> None:
    asked(store)
    place = tmp_path / "damaged"
    shutil.copytree(path, place)
    ledger = place / "ledger.sqlite"
    content = bytearray(ledger.read_bytes())
    with closing(sqlite3.connect(ledger)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (index,)).fetchone()
    page = (root - 1) * 4096
    content[page : page + 12] = bytes([10, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0])  # an empty leaf
    ledger.write_bytes(content)
    said = r"the ledger is damaged \(SQLite says: .*; nothing was copied"
    with open_store(place) as damaged, pytest.raises(StoreError, match=said):
        damaged.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_of_two_heads_the_further_one_is_kept_whichever_comes_first(store: Store) -> None:
    early = Head.parse(store.head("kite"))
    asked(store)
    late = Head.parse(store.head("kite"))
    for order in ((early, late), (late, early)):
        assert heads.furthest([("kite", each) for each in order]) == {"kite": late}


READS: list[Callable[[Store], object]] = [
    lambda store: store.graphs(),
    lambda store: store.budget("kite"),
    lambda store: store.releases("kite", limit=1),
    lambda store: store.log("kite", limit=2),
    lambda store: store.head("kite"),
    lambda store: store.asked("kite", limit=1),
    lambda store: store.source("kite"),
    lambda store: store.grants("kite"),
    lambda store: store.share("kite", "ann"),
    lambda store: store.estimate("kite", metric="degree", k=1, epsilon=0.25),
    lambda store: store.asking_as("ann").graphs(),
    lambda store: store.asking_as("ann").budget("kite"),
    lambda store: store.asking_as("ann").releases("kite", limit=1),
]
"""What a single command asks of a store that it has just opened."""


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], int]:
    """Count the rows of a ledger that are read: each is held against its hash, also within a statement."""
    read = 0

    def counting(kind: str, seal: str, *values: Any) -> int:
        nonlocal read
        read += 1
        return genuine(kind, seal, *values)

    genuine = sqlite._genuine
    monkeypatch.setattr(sqlite, "_genuine", counting)

    def counted(ask: Callable[[], object]) -> int:
        nonlocal read
        read = 0
        ask()
        return read

    return counted


def test_what_is_only_read_after_a_backup_reads_no_more_rows_of_a_longer_log(
    store: Store, path: Path, tmp_path: Path, rows_read: Callable[[Callable[[], object]], int]
) -> None:
    store.add_analyst("ann")
    store.grant("kite", "ann", epsilon_budget=1)
    asked(store.asking_as("ann"))
    asked(store)
    found = []
    for number, more in enumerate((1, 25)):
        for each in range(more):
            store.set_budget("kite", 20 + each)
        asked(store)
        store.backup(tmp_path / f"copy{number}")
        found.append([rows_read(lambda read=read: read(open_store(path))) for read in READS])  # type: ignore[misc]
    assert found[0] == found[1]
    later = open_store(path)
    whole = Head.parse(store.head("kite")).seq
    later.graphs()
    first, second = rows_read(lambda: asked(later)), rows_read(lambda: asked(later))
    assert first >= second + whole, "before its first debit a process reads them all, once"


def damaged_at(path: Path, seq: int, *, sealed: bool) -> None:
    """Edit a row of the log, and perhaps seal it anew; the rows after it stay as they are."""
    with opened(path / "ledger.sqlite", path, 10.0) as ledger:
        ledger.connection.execute("DROP TRIGGER log_change")
        ledger.connection.execute(
            """UPDATE log SET "by" = "by" || '!' WHERE name = 'kite' AND seq = ?""", (seq,)
        )
        if sealed:
            (row,) = ledger._rows("SELECT * FROM log WHERE name = 'kite' AND seq = $seq", {"seq": seq})
            ledger.connection.execute(
                "UPDATE log SET hash = ? WHERE name = 'kite' AND seq = ?", (chain.link(row["prev"], row), seq)
            )


@pytest.mark.parametrize("sealed", [False, True])
def test_an_edited_row_is_refused_by_reads_at_a_head_and_at_the_end_and_elsewhere_by_what_debits(
    store: Store, path: Path, tmp_path: Path, *, sealed: bool
) -> None:
    store.add_analyst("ann")
    store.grant("kite", "ann", epsilon_budget=1)
    asked(store)
    store.backup(tmp_path / "copy")
    head = Head.parse(store.head("kite")).seq
    for _ in range(2):
        asked(store)
    whole = tmp_path / "whole"
    shutil.copytree(path, whole)
    beside = (tmp_path / "graphs.edgedp.head").read_text()

    damaged_at(path, head, sealed=sealed)
    for read in READS:
        with pytest.raises(StoreError, match=r"is not the one of the head|does not add up|is damaged"):
            read(open_store(path))

    shutil.rmtree(path)
    shutil.copytree(whole, path)
    assert (tmp_path / "graphs.edgedp.head").read_text() == beside
    damaged_at(path, Head.parse(store.head("kite")).seq, sealed=False)
    for read in READS:
        with pytest.raises(StoreError, match="is damaged"):
            read(open_store(path))

    shutil.rmtree(path)
    shutil.copytree(whole, path)
    damaged_at(path, 2, sealed=sealed)
    reading = open_store(path)
    assert len(reading.graphs()) == 1, "no read needs a row before the head"
    fresh = open_store(path)
    with fresh.together():
        fresh.budget("kite")
        with pytest.raises(StoreError, match=r"does not add up at entry|is damaged"):
            asked(fresh)
    for change in (
        lambda: asked(reading), lambda: asked(reading.asking_as("ann")), lambda: reading.warm(),
        lambda: reading.set_budget("kite", 30), lambda: reading.grant("kite", "ann", epsilon_budget=2),
        lambda: reading.backup(tmp_path / "again"),
    ):  # fmt: skip
        with pytest.raises(StoreError, match=r"does not add up at entry|is damaged"):
            change()  # type: ignore[no-untyped-call]
    assert open_store(path).budget("kite")["epsilon_spent"] == 0.75, "nothing was spent"


def test_every_read_refuses_what_went_back_or_is_of_another_history(
    store: Store, path: Path, tmp_path: Path
) -> None:
    store.add_analyst("ann")
    store.grant("kite", "ann", epsilon_budget=1)
    old = tmp_path / "old"
    shutil.copytree(path, old)
    asked(store)
    late = f"{store.head('kite')} kite"
    other = open_store(old)
    for _ in range(3):
        asked(other)  # as long a log, of another history
    for read in READS:
        with pytest.raises(StoreError, match="is not the one of the head that was kept"):
            read(open_store(old, head=late))
        with pytest.raises(StoreError, match="older copy"):
            read(open_store(path, head=f"99:{'a' * 64} kite"))
        with pytest.raises(StoreError, match="entry 0 differs"):
            read(open_store(path, head=f"0:{'a' * 64} kite"))
        read(open_store(path, head=f"{Head(0, genesis('kite'))} kite\n{late}"))


def test_a_neo4j_that_went_back_under_a_store_releases_nothing(empty_neo4j: Server) -> None:
    with empty_neo4j.driver(notifications_min_severity="OFF") as driver, driver.session() as session:
        session.run(KEYED).consume()
        session.run("UNWIND range(1, 4) AS i CREATE (:Person {ssn: i})").consume()
        session.run("MATCH (a:Person {ssn: 1}), (b:Person {ssn: 2}) CREATE (a)-[:KNOWS]->(b)").consume()
        with open_store(empty_neo4j.uri, auth=empty_neo4j.auth) as store:
            store.register("kite", "Person", "KNOWS", "ssn", epsilon_budget=10)
            asked(store, "paid")
            with open_store(
                empty_neo4j.uri, auth=empty_neo4j.auth, head=f"{store.head('kite')} kite"
            ) as kept:
                assert len(kept.graphs()) == 1, "its rows have no hashes, so that all of them are read"
            # As an older dump has it: the rows since are gone, and the account is as it was.
            session.run("MATCH (e:EdgeDPEntry) WHERE e.seq > 2 DELETE e").consume()
            session.run("MATCH (l:EdgeDPLease) DELETE l").consume()
            session.run("MATCH (a:EdgeDPAccount) SET a.spent = 0, a.entries = 2").consume()
            with pytest.raises(StoreError, match="the ledger of 'kite' went back"):
                asked(store, "paid")
            assert (
                session.run("MATCH (a:EdgeDPAccount) RETURN a.spent AS spent").single(strict=True)["spent"]
                == 0
            )
