"""The file of a version's rows: mapped as it was written, or refused in one line."""

from __future__ import annotations

import os
import resource
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edgedp import Graph, GraphFormatError, StoreError, exact, open_store
from edgedp.ledger import registry
from edgedp.ledger.rows import GraphRow, row_to_json
from edgedp.stores.embedded import database, folder, mapped, seals
from edgedp.stores.embedded.seals import Seals
from edgedp.stores.releases.memory import GraphMemory
from test_embedded_older import older

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])
PAIR = Graph.from_edges([(10, 20)])
TEXTS = Graph.from_edges(
    [("b", "ä long name"), ("ä long name", "𝔠")], nodes=["b", "ä long name", "𝔠", "alone"]
)
NONE = Graph.from_edges([], nodes=[7])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "graphs.edgedp"
    open_store(path).load(KITE, "kite", epsilon_budget=1)
    return path


def rows(path: Path) -> Path:
    (found,) = path.glob("*.rows")
    return found


def refused(path: Path, why: str) -> None:
    """Nothing of the graph is told, nothing is debited, and the reason is one line."""
    for ask in (
        lambda: open_store(path).priv_top_k("kite", metric="degree", k=1, epsilon="0.1"),
        lambda: open_store(path).graph("kite"),
        lambda: open_store(path).backup(path.with_name("copy")),
    ):
        with pytest.raises(StoreError, match=why) as error:
            ask()
        assert "\n" not in str(error.value)
    assert open_store(path).budget("kite")["releases"] == 0


# -- as it was written --------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", [KITE, TEXTS, NONE], ids=["integers", "texts", "no edge"])
def test_a_graph_is_mapped_as_it_was_written(tmp_path: Path, graph: Graph) -> None:
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(graph, "it", epsilon_budget=1)
    found = store.graph("it")
    for name in ("node_ids", "indptr", "indices"):
        array, written = getattr(found, name), getattr(graph, name)
        assert np.array_equal(array, written)
        assert array.dtype == written.dtype
        assert not array.flags.writeable
        assert not array.flags.owndata
    assert np.array_equal(exact.ebc(found), exact.ebc(graph))
    assert found.fingerprint == graph.fingerprint
    assert found.nodes_supplied == graph.nodes_supplied
    assert rows(tmp_path / "graphs.edgedp").stat().st_size == mapped.file_size(graph)


def test_the_database_file_is_not_opened_for_a_release(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_reading", lambda path: pytest.fail("the database file was opened"))
    assert open_store(path).priv_top_k("kite", metric="ebc", k=1, epsilon="0.1").nodes
    with pytest.raises(pytest.fail.Exception):
        open_store(path).exact("kite", "degree", engine="cypher")


def test_mapped_graphs_take_little_of_the_memory_for_graphs(path: Path) -> None:
    store = open_store(path)
    store.exact("kite", "degree")
    ((_, graph),) = store._memory._graphs.values()  # what is handed out is another one
    row = GraphRow("kite", 1, "Node", "Edge", "id", 5, None, nodes_supplied=False, loaded=True)
    memory = GraphMemory(5 << 20)
    memory.put(row, graph)
    assert memory.get(row) is graph
    for name in ("a", "b"):
        memory.put(replace(row, name=name), graph)
    assert memory.get(row) is None, "as many descriptors as graphs are open"


def test_what_the_registry_keeps_is_read_strictly() -> None:
    graph, its_rows = "ab" * 32, "cd" * 32
    for kept in (Seals(graph), Seals(graph, its_rows, 64)):
        assert Seals.of(kept.text) == kept
    for text in (
        None,
        "",
        graph[1:],
        f"{graph} ",
        f"{graph} {its_rows}",
        f"{graph} {its_rows}:-1",
        f"{graph}\n",
    ):
        assert Seals.of(text) == Seals(None), "it fits no file"


# -- damage -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 63, 64, 100, -1])
def test_a_truncated_file_is_refused(path: Path, length: int) -> None:
    rows(path).chmod(0o600)
    os.truncate(rows(path), length if length >= 0 else rows(path).stat().st_size - 1)
    refused(path, "is not what was written, so nothing is released")


def test_a_byte_that_changed_is_refused(path: Path) -> None:
    content = rows(path).read_bytes()
    rows(path).chmod(0o600)
    for place in (0, 9, 70, len(content) - 1):
        rows(path).write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(StoreError, match="is not what was written"):
            open_store(path).graph("kite")
    rows(path).write_bytes(content + b"\0")
    refused(path, "is not what was written")


def test_the_rows_of_another_version_are_refused(path: Path) -> None:
    mine = rows(path)
    open_store(path).load(PAIR, "pair")
    (other,) = set(path.glob("*.rows")) - {mine}
    content = other.read_bytes()
    mine.unlink()
    mine.write_bytes(content)
    refused(path, "is not what was written")
    mine.unlink()
    refused(path, "its file is missing")
    assert [row["problem"] for row in open_store(path).check()] == [
        f"the file {mine.name} of the graph 'kite' is missing"
    ]


def test_a_file_that_says_another_version_is_refused_whatever_its_digest(tmp_path: Path) -> None:
    place = tmp_path / "x"
    mapped.write_rows(place, 7, KITE)
    with place.open("rb") as stream:
        assert mapped.mapped_graph(stream.fileno(), 7, nodes_supplied=False) == KITE
        with pytest.raises(StoreError, match="not of this version"):
            mapped.mapped_graph(stream.fileno(), 8, nodes_supplied=False)
    content = place.read_bytes()
    for bad in (b"", content[:30], content[:-4], content + bytes(4), b"x" + content[1:]):
        place.write_bytes(bad)
        with place.open("rb") as stream, pytest.raises(StoreError, match="not of this version"):
            mapped.mapped_ids(stream.fileno(), 7)


def test_a_device_or_folder_in_its_place_is_refused(path: Path) -> None:
    place = rows(path)
    place.unlink()
    place.mkdir()
    refused(path, "is not what was written")
    place.rmdir()
    os.mkfifo(place)
    refused(path, "is not what was written")


# -- between check and map ------------------------------------------------------------------------------------


def test_what_was_checked_is_what_is_mapped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another file is put in the place of the checked one, or a link, before it is mapped."""
    real, place = mapped.mapped_graph, rows(path)
    seen = []

    def swapped(handle: int, version: int, **asked: object) -> Graph:
        mapped.write_rows(path / "other", version, PAIR)
        os.replace(path / "other", place)
        seen.append(real(handle, version, **asked))
        return seen[-1]

    monkeypatch.setattr(mapped, "mapped_graph", swapped)
    assert open_store(path).graph("kite") == KITE
    assert len(seen) == 1
    monkeypatch.undo()
    refused(path, "is not what was written")


def test_a_file_that_is_written_to_while_it_is_checked_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, place = seals.hashlib.file_digest, rows(path)
    place.chmod(0o600)
    seals._verified.clear()

    def late(stream: object, name: str) -> object:
        digest = real(stream, name)  # type: ignore[arg-type]
        with place.open("r+b") as writing:
            writing.seek(0, os.SEEK_END)
            writing.seek(writing.tell() - 1)
            writing.write(b"\1")
            os.fsync(writing.fileno())
        os.utime(place, ns=(1, 1))
        return digest

    monkeypatch.setattr(seals.hashlib, "file_digest", late)
    with pytest.raises(StoreError, match="is not what was written"):
        open_store(path).graph("kite")


def test_a_link_that_comes_between_look_and_open_is_not_followed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, elsewhere = rows(path), tmp_path / "elsewhere"
    real = folder.try_hold

    def late(asked: Path, *, shared: bool) -> object:
        if asked == place and not place.is_symlink():
            place.rename(elsewhere)
            place.symlink_to(elsewhere)
        return real(asked, shared=shared)

    monkeypatch.setattr(folder, "try_hold", late)
    with pytest.raises(StoreError, match=r"rows cannot be opened; check its owner and permissions"):
        open_store(path).graph("kite")


# -- room and origin ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [0, 100, 199])
def test_a_disk_that_fills_while_it_is_written_refuses_the_load(
    path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    real = mapped.write_rows

    def full(*given: object) -> object:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
        try:
            return real(*given)  # type: ignore[arg-type]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, ignored)

    monkeypatch.setattr(mapped, "write_rows", full)
    with pytest.raises(StoreError, match="could not be written; check its folder's room") as error:
        open_store(path).load(PAIR, "kite", replace=True)
    assert "\n" not in str(error.value)
    monkeypatch.undo()
    assert len(list(path.iterdir())) == 3
    assert open_store(path).graph("kite") == KITE
    assert open_store(path).check() == []


def test_rows_of_no_simple_graph_are_not_written(path: Path) -> None:
    indptr, indices = np.array([0, 1, 1]), np.array([1], dtype=np.int32)
    with pytest.raises(GraphFormatError, match="not those of a simple undirected graph"):
        open_store(path).load(Graph(np.array([1, 2]), indptr, indices), "one way")
    assert len(list(path.iterdir())) == 3


def test_a_version_without_rows_is_read_as_before_and_gets_none_by_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier program wrote: its ledger is of version 2, and names the database file alone."""
    path = tmp_path / "graphs.edgedp"
    store = open_store(path)
    store.load(TEXTS, "kite", epsilon_budget=1)
    with store._backend.session() as session, session.transaction() as tx:
        row = registry.known(session, "kite")
        earlier = replace(row, digest=Seals.of(row.digest).graph)
        tx.run("graph_put", **row_to_json(earlier))
    rows(path).unlink()
    older(path, monkeypatch, 2)
    assert open_store(path).graph("kite") == TEXTS
    assert open_store(path).priv_top_k("kite", metric="degree", k=1, epsilon="0.1").nodes
    assert open_store(path).check() == []
    open_store(path).backup(tmp_path / "copy.edgedp")
    assert open_store(tmp_path / "copy.edgedp").graph("kite") == TEXTS
    assert not list(tmp_path.rglob("*.rows"))
    open_store(path).load(open_store(path).graph("kite"), "kite", replace=True)
    assert rows(path).stat().st_size == mapped.file_size(TEXTS)
    assert open_store(path).graph("kite") == TEXTS


def test_a_backup_holds_the_rows(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.edgedp"
    open_store(path).backup(copy)
    assert rows(copy).read_bytes() == rows(path).read_bytes()
    assert open_store(copy).graph("kite") == KITE
    assert rows(copy).stat().st_mode & 0o777 == 0o400


def test_a_version_that_was_replaced_is_swept_while_somebody_has_it_mapped(path: Path) -> None:
    """A graph in memory holds no lock, and goes on to be what it was."""
    mapped_still, before = open_store(path).graph("kite"), set(path.iterdir())
    for graph in (PAIR, TEXTS):
        open_store(path).load(graph, "kite", replace=True)
    assert not any(file.suffix in (".rows", ".graph") for file in before & set(path.iterdir()))
    assert mapped_still == KITE
