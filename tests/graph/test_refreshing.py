"""A graph remembers where it came from, without secrets, and is read again under the same account, or stays."""

from __future__ import annotations

import json
import sqlite3
import stat
from decimal import localcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import edgedp
from edgedp import Graph, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph import loading
from edgedp.graph.loading import origins
from edgedp.graph.reading.options import ReadingOptions
from edgedp.words.errors import EdgeDPError, StoreError, UnknownNameError

EDGES = "payer;payee\n007;12\n12;9\n9;007\n"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.csv").write_text(EDGES)
    return edgedp.open_store(tmp_path / "graphs.edgedp")


def run(*words: str) -> Any:
    return CliRunner().invoke(command_line, list(words))


def test_a_refreshed_graph_is_read_by_the_same_options_and_keeps_its_account(
    store: Any, tmp_path: Path
) -> None:
    graph = read_graph("list.csv", source="payer", target="payee", separator=";", ids="text", directed=True)
    store.load(graph, "list", epsilon_budget=3, degree_bound=3, max_epsilon_per_release=0.75)
    store.priv_top_k("list", metric="degree", k=1, epsilon=0.5)
    said = store.source("list")
    assert said["source"] == str(tmp_path / "list.csv")
    assert said["options"] == {
        "source": "payer",
        "target": "payee",
        "separator": ";",
        "ids": "text",
        "directed": True,
    }
    assert said["row_count"] == 3
    (tmp_path / "list.csv").write_text(EDGES + "12;008\n")
    with localcontext() as context:
        context.prec = 1  # the caller's own decimals do not round the limit
        row = store.refresh("list")
    assert row["node_count"] == 4
    assert row["epsilon_spent"] == 0.5
    assert (row["epsilon_budget"], row["degree_bound"], row["directed"]) == (3, 3, True)
    assert store.source("list")["row_count"] == 4
    with pytest.raises(EdgeDPError, match=r"0\.75"):
        store.priv_top_k("list", metric="degree", k=1, epsilon=0.8)


def test_a_limit_that_is_lowered_while_a_source_is_read_stays(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.load(read_graph("list.csv", header=True), "list", epsilon_budget=3, max_epsilon_per_release=0.75)
    real = loading.read_source

    def lowered(*given: Any, **named: Any) -> Any:
        store.set_budget("list", max_epsilon_per_release=0.5)
        return real(*given, **named)

    monkeypatch.setattr(loading, "read_source", lowered)
    store.refresh("list")
    with pytest.raises(EdgeDPError, match=r"at most 0\.5 for one release"):
        store.priv_top_k("list", metric="degree", k=1, epsilon=0.75)


def test_what_was_remembered_of_nodes_where_none_are_read_refuses_no_refresh(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(ReadingOptions, "check_no_nodes", lambda _: None)
        graph = read_graph("list.csv", source="payer", target="payee", nodes_header=True)
    store.load(graph, "list")
    assert store.refresh("list")["node_count"] == 3
    assert "nodes_header" not in store.source("list")["options"]
    Path("nodes.csv").write_text("id\n007\n12\n9\n8\n")
    Path("other.csv").write_text(EDGES + "8;9\n")
    listed = read_graph("other.csv", "nodes.csv", source="payer", target="payee", nodes_header=True)
    store.load(listed, "listed")
    assert store.refresh("listed")["node_count"] == 4


@pytest.mark.parametrize("spoil", ["gone", "broken", "above the bound", "asked"])
def test_what_cannot_be_read_again_leaves_everything(store: Any, tmp_path: Path, spoil: str) -> None:
    store.load("list.csv", "list", epsilon_budget=1, degree_bound=2)
    files = {path.name for path in store_files(tmp_path)}
    before = (store.graphs(), store.source("list"), store.log("list"))
    content = {
        "broken": "payer;payee\n1;2;3\n",
        "above the bound": EDGES + "12;1\n12;2\n",
        "asked": "a;b\n1;2\n",
    }
    (tmp_path / "list.csv").unlink()
    if spoil != "gone":
        (tmp_path / "list.csv").write_text(content[spoil])
    with pytest.raises(EdgeDPError):
        store.refresh("list")
    assert (store.graphs(), store.source("list"), store.log("list")) == before
    assert {path.name for path in store_files(tmp_path)} == files


def store_files(folder: Path) -> list[Path]:
    return sorted((folder / "graphs.edgedp").iterdir())


def test_nodes_properties_and_titles_are_read_again(store: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,name,age\n007,Ada,30\n12,Bob,40\n9,Cyd,50\n5,Dan,60\n")
    words = (
        "list.csv",
        "--nodes",
        "people.csv",
        "--properties",
        "age",
        "--title",
        "name",
        "--epsilon-budget",
        "1",
    )
    assert run("load", *words).exit_code == 0
    (tmp_path / "people.csv").write_text("id,name,age\n007,Ada,30\n12,Bob,40\n9,Cyd,50\n5,Dan,60\n6,Eve,70\n")
    again = run("refresh", "list")
    assert again.exit_code == 0, again.output
    assert "list.csv: 5 nodes" in again.output
    [row] = store.graphs()
    assert row["titles"] == "name" or row["titles"] is True
    assert store.source("list")["properties"] == ["age"]


def test_one_file_is_kept_for_each_version_and_it_is_the_owners(store: Any, tmp_path: Path) -> None:
    store.load("list.csv", "list", epsilon_budget=1)
    store.refresh("list")
    store.refresh("list")
    [kept] = [path for path in store_files(tmp_path) if path.suffix == ".source"]
    assert stat.S_IMODE(kept.stat().st_mode) == 0o400
    assert run("ledger", "check").exit_code == 0
    assert run("backup", str(tmp_path / "copy.edgedp")).exit_code == 0
    assert edgedp.open_store(tmp_path / "copy.edgedp").source("list") == store.source("list")
    store.drop("list")
    store.load(Graph.from_edges([(1, 2)]), "other", epsilon_budget=1)
    assert not [path for path in store_files(tmp_path) if path.suffix == ".source"]


def test_what_has_no_source_says_so(store: Any, tmp_path: Path) -> None:
    store.load(Graph.from_edges([(1, 2)]), "memory", epsilon_budget=1)
    assert store.source("memory") is None
    with pytest.raises(StoreError, match="nothing is remembered"):
        store.refresh("memory")
    with pytest.raises(UnknownNameError):
        store.refresh("none")
    store.load(read_graph("list.csv", nodes=["007", "12", "9"]), "values", epsilon_budget=1)
    with pytest.raises(StoreError, match="its nodes were values in memory"):
        store.refresh("values")
    piped = CliRunner().invoke(
        command_line, ["load", "-", "--name", "piped", "--epsilon-budget", "1"], input=EDGES
    )
    assert piped.exit_code == 0
    assert "came by standard input" in run("refresh", "piped").output
    for kept in (tmp_path / "graphs.edgedp").glob("*.source"):
        kept.chmod(0o600)
        kept.write_text("{}")
    with pytest.raises(StoreError, match="is damaged"):
        store.refresh("values")
    assert run("graphs").exit_code == 0


def test_no_secret_is_remembered() -> None:
    for address in ("https://ada:hunter2@example.org/a.csv", "https://example.org/a.csv?token=hunter2"):
        told, why = origins._repeatable(None, address)
        assert "hunter2" not in told
        assert why
    assert origins._repeatable(None, "https://example.org/a.csv") == ("https://example.org/a.csv", "")


def test_a_table_is_read_again_and_the_list_shows_the_age(store: Any, tmp_path: Path) -> None:
    bank = sqlite3.connect("bank.db")
    with bank:
        bank.execute("CREATE TABLE payments (payer INTEGER, payee INTEGER)")
        bank.executemany("INSERT INTO payments VALUES (?, ?)", [(1, 2), (2, 3)])
    assert run("load", "sqlite:///bank.db", "--table", "payments", "--epsilon-budget", "1").exit_code == 0
    with bank:
        bank.execute("INSERT INTO payments VALUES (3, 4)")
    bank.close()
    assert run("refresh", "payments").exit_code == 0
    [row] = json.loads(run("graphs", "--format", "json").output)
    assert store.source("payments")["source"] == f"sqlite:///{tmp_path}/bank.db"
    assert store.source("payments")["options"] == {"table": "payments"}
    assert row["age"] == "0 h"
    assert row["node_count"] == 4


def test_what_is_remembered_is_refused_with_any_byte_changed(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(EDGES)
    kept = origins.origin_kept(read_graph(tmp_path / "list.csv", source=1, target=2, ids="text"))
    assert kept is not None
    written = kept.written()
    for place, character in enumerate(written):
        changed = written[:place] + chr(ord(character) ^ 1) + written[place + 1 :]
        try:
            assert origins.Origin.of(changed) == kept
        except StoreError:
            continue
    earlier = {name: value for name, value in json.loads(written).items() if name != "sha256"}
    assert origins.Origin.of(json.dumps(earlier)) == kept
