"""What only a file can do: compete for it, kill its writer, break it."""

from __future__ import annotations

import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import embedded_children
from edgedp import EngineError, Graph, ParameterError, StoreError, StoreUnavailableError, open_store

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


def child(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, embedded_children.__file__, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def status(process: subprocess.Popen[str]) -> int:
    """Return the exit status of a child that ends by itself."""
    process.communicate(timeout=120)
    return process.returncode


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "graphs.edgedp"
    open_store(path).load(KITE, "kite", epsilon_budget=0.5)
    return path


def test_eight_processes_get_exactly_fifty_releases(path: Path) -> None:
    children = [child("compete", path, 25, "0.01") for _ in range(8)]
    granted = [int(process.communicate(timeout=200)[0]) for process in children]
    assert sum(granted) == 50
    assert open_store(path).budget("kite") == {
        "epsilon_budget": 0.5, "epsilon_spent": 0.5, "epsilon_remaining": 0.0, "releases": 50
    }  # fmt: skip
    assert all(row["nodes"] is not None for row in open_store(path).releases("kite"))


def test_a_kill_between_debit_and_answer_costs_budget_and_nothing_else(path: Path) -> None:
    assert status(child("die_in_draw", path)) == -signal.SIGKILL
    store = open_store(path)
    assert store.budget("kite")["epsilon_spent"] == 0.25
    assert store.releases("kite")[0]["nodes"] is None
    assert store.graph("kite") == KITE


@pytest.mark.parametrize(
    "statement", ["create_nodes", "copy_nodes", "copy_edges", "ledger_set_budget", "drop_table", "graph_put"]
)
def test_a_kill_in_a_load_leaves_the_old_graph_whole(path: Path, statement: str) -> None:
    assert status(child("die_in_load", path, statement)) == -signal.SIGKILL
    store = open_store(path)
    assert store.graph("kite") == KITE
    assert store.budget("kite")["epsilon_budget"] == 0.5
    store.load(Graph.from_edges([(10, 20)]), "kite", replace=True)
    assert store.graph("kite").edge_count == 1


def test_a_kill_in_the_first_load_leaves_a_store_that_opens(tmp_path: Path) -> None:
    path = tmp_path / "new.edgedp"
    assert status(child("die_in_load", path, "copy_edges")) == -signal.SIGKILL
    assert open_store(path).graphs() == []
    open_store(path).load(KITE, "kite")
    assert open_store(path).graph("kite") == KITE


@pytest.mark.parametrize("most", [0, 100, 500, 5_000, 300_000])
def test_a_full_disk_costs_budget_at_most_and_the_store_opens(path: Path, most: int) -> None:
    """The database may end its process in the middle of writing its log; what was committed holds."""
    store = open_store(path)
    store.priv_top_k("kite", metric="degree", k=1, epsilon="0.01")
    process = child("fill_up", path, most)
    shown = process.communicate(timeout=120)[0]
    drawn = [row["nodes"] for row in store.releases("kite")]
    assert len(drawn) in (1, 2)
    assert store.budget("kite")["epsilon_spent"] == len(drawn) / 100
    if shown:
        assert shown.strip() == str(drawn[1]), "nothing is shown that was not debited and kept"
    assert store.graph("kite") == KITE
    store.priv_top_k("kite", metric="degree", k=1, epsilon="0.01")


def test_a_disk_with_little_room_is_refused_before_anything_is_begun(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(path.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(StoreError, match="disk has less than 64 MB left"):
        open_store(path).priv_top_k("kite", metric="degree", k=1, epsilon="0.01")
    monkeypatch.undo()
    assert open_store(path).budget("kite")["releases"] == 0


def test_a_writer_that_does_not_let_go_is_waited_for_with_a_limit(path: Path) -> None:
    holder = child("hold", path, 30)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreUnavailableError, match=r"kept open for 0\.3 s"):
            open_store(path, lock_timeout=0.3).budget("kite")
    finally:
        holder.kill()
        holder.communicate()
    assert open_store(path, lock_timeout=5).budget("kite")["epsilon_spent"] == 0.0


def test_an_open_store_neither_blocks_another_process_nor_sees_a_stale_budget(path: Path) -> None:
    store = open_store(path)
    assert store.budget("kite")["epsilon_spent"] == 0.0
    process = child("compete", path, 3, "0.1")
    assert process.communicate(timeout=60)[0] == "3\n"
    assert store.budget("kite")["epsilon_spent"] == 0.3


def test_a_missing_store_is_made_by_load_alone(tmp_path: Path) -> None:
    path = tmp_path / "missing.edgedp"
    store = open_store(path)
    for ask in (store.graphs, lambda: store.budget("kite"), lambda: store.drop("kite")):
        with pytest.raises(StoreError, match="must be an existing store file"):
            ask()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database\n" * 100)
    for ask in (lambda s: s.graphs(), lambda s: s.load(KITE, "kite")):
        with pytest.raises(StoreError, match="not a store file"):
            ask(open_store(text))
    assert text.read_text().startswith("not a database")
    with pytest.raises(StoreError, match="is a folder"):
        open_store(tmp_path).load(KITE, "kite")
    with pytest.raises(StoreError, match="folder does not exist"):
        open_store(tmp_path / "no" / "such.edgedp").load(KITE, "kite")
    with pytest.raises(ParameterError, match="neo4j://"):
        open_store("ftp://example")


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    import ladybug

    path = tmp_path / "other.db"
    database = ladybug.Database(str(path))
    ladybug.Connection(database).execute("CREATE NODE TABLE Other(id INT64 PRIMARY KEY)")
    database.close()
    with pytest.raises(StoreError, match="another program"):
        open_store(path).load(KITE, "kite")


def test_the_file_and_its_log_are_for_their_owner_alone(path: Path) -> None:
    with open_store(path)._backend.session() as session:
        session.run("ledger_lock", name="kite")
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file.name
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_cypher_says_what_it_does_not_do_in_reasonable_time_before_the_debit(path: Path) -> None:
    store = open_store(path)
    with pytest.raises(EngineError, match="engine is 'cypher', must be 'native' or 'igraph' for ebc"):
        store.priv_top_k("kite", metric="ebc", k=1, epsilon=0.1, engine="cypher")
    assert store.budget("kite")["releases"] == 0
    assert len(store.priv_top_k("kite", metric="degree", k=1, epsilon=0.1, engine="cypher").nodes) == 1


def test_register_is_for_neo4j(path: Path) -> None:
    with pytest.raises(StoreError, match="already in Neo4j"):
        open_store(path).register("x", "A", "B", "id")
    with pytest.raises(ParameterError, match="options of a Neo4j store"):
        open_store(path).load(KITE, "y", node_label="Person")
