"""Paths that a user gives: each is taken as it is written, or refused in a sentence that names it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from edgedp import EdgeDPError, Graph, ParameterError, Store, StoreError, open_store, preview, read_graph
from edgedp.faces.cli import edgedp as command

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])

NO_PATHS = [
    "/",
    "",
    "  ",
    "a\0b",
    "a" * 300,
    "x/" * 2100,
    "file.txt/x",
    "circle",
    "~nobody-of-that-name/x",
    "\udce9",
]
NO_TEXTS = [b"bytes", 5, None]

TAKERS: dict[str, Callable[[Store, Any], object]] = {
    "open": lambda store, path: open_store(path).graphs(),
    "load into": lambda store, path: open_store(path).load(KITE, "kite", epsilon_budget=1),
    "backup": lambda store, path: store.backup(path),
    "read": lambda store, path: read_graph(path),
    "preview": lambda store, path: preview(path),
    "register": lambda store, path: store.register_edges("there", path, source="a", target="b"),
    "sqlite": lambda store, path: read_graph(f"sqlite:///{path}", table="t", source="a", target="b"),
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("file.txt").write_text("1 2\n")
    Path("circle").symlink_to("circle")
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(KITE, "kite", epsilon_budget=1)
    return store


@pytest.mark.parametrize("taker", TAKERS)
def test_what_can_be_no_path_is_refused_in_a_line(store: Store, taker: str) -> None:
    for path in NO_PATHS + NO_TEXTS:
        with pytest.raises(EdgeDPError) as refused:
            TAKERS[taker](store, path)
        assert "\n" not in str(refused.value), path
        assert len(str(refused.value)) < 5000, path
    assert sorted(os.listdir()) == ["circle", "file.txt"]
    assert [row["name"] for row in store.graphs()] == ["kite"]


def test_a_command_says_it_in_a_line_too(store: Store) -> None:
    for path in NO_PATHS:
        for words in (["--store", path, "graphs"], ["load", path, "--epsilon-budget", "1"]):
            ended = CliRunner().invoke(command, words)
            assert (ended.exit_code, type(ended.exception)) in ((1, SystemExit), (2, SystemExit)), words


def test_a_path_is_taken_as_it_is_or_refused(tmp_path: Path) -> None:
    good = tmp_path / "café ?mode=ro#%41" / "graphs.edgedp"
    good.parent.mkdir()
    open_store(good).load(KITE, "kite", epsilon_budget=0.5)
    open_store(good).priv_top_k("kite", metric="degree", k=1, epsilon=0.1)
    bad = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    bad.mkdir()
    for refused in (
        lambda: open_store(bad / "graphs.edgedp").load(KITE, "kite", epsilon_budget=0.5),
        lambda: open_store(bad / "graphs.edgedp").graphs(),
        lambda: open_store(good).backup(bad / "copy.edgedp"),
    ):
        with pytest.raises(StoreError, match="whose path is not UTF-8"):
            refused()
    assert not list(bad.iterdir())
    edges = bad / "edges.csv"
    edges.write_text("source,target\n1,2\n2,3\n")
    with pytest.raises(ParameterError, match="edges is at a path that is not UTF-8"):
        open_store(good).register_edges("there", edges, source="source", target="target")
    assert [row["name"] for row in open_store(good).graphs()] == ["kite"]


def test_the_name_of_a_server_is_no_folder_to_make(store: Store) -> None:
    for server in ("localhost:7687", "db.example.org:443", "10.0.0.7:8750", "my_host:7687", "[::1]:7687", "café:7687",
                   "localhost:7687/", "localhost:7687/bank"):  # fmt: skip
        with pytest.raises(ParameterError, match=re.escape(f"write neo4j://{server}")):
            open_store(server)
    for secret in ("ada:pass-word@localhost:7687", "ada@localhost:7687/bank"):
        with pytest.raises(ParameterError, match="must be only an address") as refused:
            open_store(secret)
        assert "pass-word" not in str(refused.value)
    assert not [each for each in os.listdir() if ":" in each]
    open_store("./localhost:7687").load(KITE, "kite", epsilon_budget=1)
    assert open_store("localhost:7687").graphs()


def test_a_store_is_opened_by_its_path_and_not_made_of_it(tmp_path: Path) -> None:
    for path in (tmp_path / "s", str(tmp_path / "s")):
        with pytest.raises(ParameterError, match="open a store with edgedp"):
            Store(path)  # type: ignore[arg-type]
