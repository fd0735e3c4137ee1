"""Edges at an address, read by this process: after the debit, as they were registered, and kept for a while."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from urllib.parse import unquote

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import edgedp
import killing
from edgedp import (
    BudgetError,
    EdgeDPError,
    Graph,
    GraphFormatError,
    ParameterError,
    Store,
    StoreError,
    open_store,
    read_graph,
)  # fmt: skip
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.loading import addresses
from edgedp.graph.reading.options import ReadingOptions, checked_options
from edgedp.graph.reading.sources import buckets
from edgedp.graph.reading.sources.databases import Database
from edgedp.graph.reading.sources.places import canonical, canonical_table, overlap, same_place
from edgedp.ledger import registry
from edgedp.ledger.rows import AT_ADDRESS, row_to_json
from edgedp.stores.addresses import kept_rows
from edgedp.stores.embedded import clock, seals
from edgedp.words.refusals import ADDRESS_FAILED, ADDRESS_TOO_LARGE, BOUND_BROKEN, NODES_CHANGED
from gateway_server import serve

ENDS: dict[str, Any] = {"source": "payer", "target": "payee"}


def payments(rows: int = 600, nodes: int = 60) -> pl.DataFrame:
    noise = np.random.default_rng(5)
    frame = pl.DataFrame({name: noise.integers(1, nodes + 1, rows) for name in ENDS.values()})
    return frame.vstack(pl.DataFrame({"payer": range(1, nodes + 1), "payee": [*range(2, nodes + 1), 1]}))


def fill(folder: Path) -> Path:
    frame = payments()
    for i, part in enumerate(frame.iter_slices(300)):
        (folder / f"month={i}").mkdir(parents=True)
        part.write_parquet(folder / f"month={i}" / "rows.parquet")
    return folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The owner's cache, in which files count as settled at once."""
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(addresses, "_SETTLED_NANOSECONDS", -(10**12))
    return tmp_path / "cache" / "addresses"


@pytest.fixture
def lake(tmp_path: Path, cache: Path) -> Path:
    return fill(tmp_path / "payments")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "graphs.edgedp") as opened:
        yield opened


_watched: list[tuple[Path, list[str]]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watched and isinstance(arguments[0], str | os.PathLike):
        for folder, seen in _watched:
            if str(arguments[0]).startswith(str(folder)):
                seen.append(str(arguments[0]))


sys.addaudithook(_hook)


@pytest.fixture
def opened(lake: Path) -> Iterator[list[str]]:
    """The files at the address that this process has opened since; pyarrow opens them after us, never alone."""
    seen: list[str] = []
    _watched.append((lake, seen))
    yield seen
    _watched.clear()


def same(one: Graph, other: Graph) -> bool:
    return all(
        np.array_equal(getattr(one, part), getattr(other, part)) for part in ("node_ids", "indptr", "indices")
    )


# -- a graph like any other -------------------------------------------------------------------------


def test_every_kind_of_release_is_drawn_of_an_address(store: Store, lake: Path) -> None:
    row = store.register_edges("lake", lake, **ENDS, epsilon_budget=30, degree_bound=60)
    whole = read_graph(lake, **ENDS)
    assert row["exact"] == {"edge_count": whole.edge_count, "max_degree": whole.max_degree}
    assert same(store.graph("lake"), whole)
    assert store.exact("lake", "degree").tolist() == whole.degrees.tolist()
    assert store.exact_count("lake", "triangles") == edgedp.exact.count(whole, "triangles")
    for drawn in (
        store.priv_top_k("lake", "ebc", 3, 1),
        store.priv_top_k("lake", "betweenness2", 3, 1, engine="igraph"),
        store.motkin("lake", ["degree", "density"], 2, 1),
        store.motkin("lake", ["degree", "ebc"], 2, 1, approach="aggregate", mechanism="joint"),
        store.count("lake", "triangles", 1),
        store.count("lake", "common_neighbors", 1, pair=(1, 2)),
        store.distribution("lake", epsilon=1),
        store.summary("lake", 1),
    ):
        assert drawn.private
        assert drawn.receipt["graph"] == "lake"
        assert drawn.to_dict()["public"]["node_count"] == 60
    assert store.budget("lake")["epsilon_spent"] == 8
    assert store.priv_top_k(str(lake), "degree", 1, 20).receipt["graph"] == "lake"
    assert store.check() == []
    for refused, says in [
        (lambda: store.count("lake", "common_neighbors", 1, pair=(1, "2")), "must be a node"),
        (lambda: store.count("lake", "common_neighbors", 1, pair=(1, 999)), "must be a node"),
        (lambda: store.exact("lake", "degree", engine="cypher"), "edges at an address"),
        (lambda: store.register_edges("pond", lake / "month=1", **ENDS), "under the name 'lake'"),
        (lambda: store.load(whole, "lake", replace=True), "is registered"),
        (lambda: store.refresh("lake"), "each release reads them"),
    ]:
        with pytest.raises(EdgeDPError, match=says):
            refused()
    assert store.budget("lake")["epsilon_spent"] == 28


def test_a_list_that_was_loaded_under_another_name_is_told(store: Store, lake: Path) -> None:
    store.load(read_graph(lake, **ENDS), "copy")
    with pytest.warns(UserWarning, match="same list of edges was loaded before under the name 'copy'"):
        store.register_edges("lake", lake, **ENDS)


def test_a_directed_address_protects_persons(store: Store, tmp_path: Path, cache: Path) -> None:
    payments().write_csv(tmp_path / "pay.csv")
    row = store.register_edges(
        "pay", tmp_path / "pay.csv", **ENDS, directed=True, protect="source", epsilon_budget=3
    )
    assert row["directed"]
    assert row["protect"] == "source"
    release = store.priv_top_k("pay", "in_degree", 2, 1, "pf")
    assert release.to_dict()["public"]["protect"] == "source"
    with pytest.raises(EdgeDPError, match="protects all arcs that leave one node"):
        store.priv_top_k("pay", "degree", 2, 1)


def test_a_directed_address_is_never_read_undirected_though_that_is_asked_for(
    store: Store, tmp_path: Path, cache: Path
) -> None:
    """Both ways of a pair make an edge of two rows, and one way alone an arc: another graph, which nobody would see."""
    path = tmp_path / "pay.csv"
    path.write_text("payer,payee\n1,2\n2,1\n2,3\n2,3\n")
    asked = ENDS | {"epsilon_budget": 1, "at_least": 2, "one_kind": True}
    with pytest.raises(EdgeDPError, match="orientation is 'undirected', which reads no directions"):
        store.register_edges("pay", path, **asked, directed=True, orientation="undirected")
    for rules, count in (({}, 2), ({"directed": True}, 1), ({"directed": True, "orientation": "natural"}, 1)):
        with open_store(tmp_path / f"{len(rules)}.edgedp") as other:
            row = other.register_edges("pay", path, **asked, **rules)
            assert row["exact"]["edge_count"] == count


def test_what_was_registered_is_read_again_by_the_same_options(
    store: Store, tmp_path: Path, cache: Path
) -> None:
    """The heading, the ends and the answer to a question stay what they were."""
    path = tmp_path / "odd.txt"
    path.write_text("n;von;nach;eur\n" + "".join(f"{i};a{i % 7};a{i % 5};9\n" for i in range(40)))
    store.register_edges(
        "odd", path, source="von", target="nach", one_kind=True, separator=";", epsilon_budget=9
    )
    path.write_text("eur;nach;n;von\n" + "".join(f"9;a{i % 5};{i};a{i % 7}\n" for i in range(40)))
    assert store.graph("odd").node_count == 7
    path.write_text("".join(f"{i};a{i % 7};a{i % 5};9\n" for i in range(40)))
    with pytest.raises(EdgeDPError, match=ADDRESS_FAILED[:40]):
        store.priv_top_k("odd", "degree", 1, 1)


# -- before and after the debit ---------------------------------------------------------------------


def test_no_edge_is_read_before_the_debit(store: Store, lake: Path, opened: list[str]) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=2, cache=False)
    assert opened
    opened.clear()
    store.estimate("lake", metric="ebc", k=1, epsilon=1)
    store.estimate("lake", kind="count", of="common_neighbors", pair=[1, 2], epsilon=1)
    store.plan_batch([{"graph": "lake", "metric": "ebc", "k": 1, "epsilon": 1}])
    for asked in ({"epsilon": 3}, {"epsilon": 1, "proxy": "degree", "cap": 7}):
        with pytest.raises(EdgeDPError):
            store.priv_top_k("lake", "ebc", 1, **asked)
    store.graphs()
    store.budget("lake")
    assert opened == []
    spent: list[float] = []
    hook = lambda: spent.append(open_store(store._backend.path).budget("lake")["epsilon_spent"])  # type: ignore[attr-defined]  # noqa: E731
    _watched.append((lake, type("At", (list,), {"append": lambda _, __: hook()})()))
    store.priv_top_k("lake", "ebc", 1, 1)
    assert opened
    assert set(spent) == {1}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda frame: pl.concat([frame, pl.DataFrame({"payer": [1], "payee": [777]})]), NODES_CHANGED),
        (lambda frame: frame.with_columns(pl.col("payee").replace(60, 61)), NODES_CHANGED),
        (lambda frame: frame.cast(pl.String), NODES_CHANGED),
        (lambda frame: frame.with_columns(pl.lit(None, pl.Int64).alias("payee")), ADDRESS_FAILED),
        (lambda frame: frame.rename({"payee": "paid"}), ADDRESS_FAILED),
        (
            lambda frame: pl.concat([frame, pl.DataFrame({"payer": [1] * 58, "payee": range(3, 61)})]),
            BOUND_BROKEN,
        ),
        (lambda frame: pl.concat([frame] * 40), ADDRESS_TOO_LARGE),
        (b"PAR1 and no more", ADDRESS_FAILED),
        (b"", ADDRESS_FAILED),
    ],
    ids=["more nodes", "another node", "texts", "no end", "names", "bound", "memory", "broken", "empty"],
)
def test_after_the_debit_only_a_constant_sentence_is_said(
    store: Store, tmp_path: Path, cache: Path, change: Any, says: str
) -> None:
    path = tmp_path / "rows.parquet"
    payments().write_parquet(path)
    store.register_edges("lake", path, **ENDS, epsilon_budget=9, degree_bound=50, memory="1MB")
    if callable(change):
        change(payments()).write_parquet(path)
    else:
        path.write_bytes(change)
    for again in range(2):
        with pytest.raises(EdgeDPError) as refused:
            store.priv_top_k("lake", "degree", 2, 1, "em", request_id="once")
        if not again:
            assert str(refused.value).partition(" (release ")[0] == says
            assert refused.value.__cause__ is None
    assert "debited" in str(refused.value)
    assert store.budget("lake")["epsilon_spent"] == 1
    assert [each["nodes"] for each in store.releases("lake")] == [None]


def test_an_address_where_nothing_is_costs_nothing(store: Store, lake: Path) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=9)
    shutil.rmtree(lake)
    with pytest.raises(EdgeDPError, match=r"does not exist; .* nothing was spent"):
        store.priv_top_k("lake", "degree", 1, 1)
    assert store.estimate("lake", metric="degree", k=1, epsilon=1)["refused"] is not None
    assert store.budget("lake")["epsilon_spent"] == 0


def test_rows_that_need_more_memory_are_refused_with_both_figures(
    store: Store, tmp_path: Path, cache: Path
) -> None:
    frame = payments(20_000)
    frame.write_parquet(tmp_path / "rows.parquet")
    frame.write_csv(tmp_path / "rows.csv")
    for name in ("rows.parquet", "rows.csv"):
        with pytest.raises(
            EdgeDPError, match=r"about 20,\d\d\d rows need about 0\.0025. GB .* 0\.001 GB are all"
        ):
            store.register_edges("lake", tmp_path / name, **ENDS, memory="1MB")
    assert store.register_edges("lake", tmp_path / "rows.csv", **ENDS, memory="4MB")["node_count"] == 60
    for wrong in ("0", True, -1, 1.5, "1PB", "GB"):
        with pytest.raises(EdgeDPError, match="memory is"):
            store.register_edges("pond", tmp_path / "rows.parquet", **ENDS, memory=wrong)


KILLED = """
import sys
from edgedp import open_store
store = open_store(sys.argv[1])
store.priv_top_k("lake", "degree", 2, 1, request_id="once")
"""


def test_a_kill_in_the_middle_of_the_reading_costs_budget_and_draws_nothing(
    store: Store, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=9, cache=False)
    words = killing.command("reading*2", KILLED, str(tmp_path / "graphs.edgedp"))
    assert subprocess.run(words, check=False).returncode == -9
    assert store.budget("lake")["epsilon_spent"] == 1
    assert [each["nodes"] for each in store.releases("lake")] == [None]
    monkeypatch.setattr(clock, "leased", lambda *_: False)  # a while later
    with pytest.raises(EdgeDPError, match="debited"):
        store.priv_top_k("lake", "degree", 2, 1, request_id="once")
    assert store.budget("lake")["epsilon_spent"] == 1


# -- what is kept -----------------------------------------------------------------------------------


def test_what_was_read_is_kept_for_its_owner_until_a_file_changes(
    store: Store, lake: Path, cache: Path, opened: list[str]
) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
    before = store.graph("lake")
    opened.clear()
    for asker in (store, open_store(store._backend.path)):  # type: ignore[attr-defined]
        asker.priv_top_k("lake", "ebc", 2, 1)
        assert same(asker.graph("lake"), before)
    assert opened == []
    (rows,) = cache.glob("*.rows")
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in cache.iterdir()} == {0o600}
    part = lake / "month=0" / "rows.parquet"
    pl.read_parquet(part).reverse()[:-1].write_parquet(part)
    assert not same(store.graph("lake"), before)
    assert opened
    (again,) = cache.glob("*.rows")
    assert again.name != rows.name
    store.drop("lake")
    assert list(cache.glob("*.rows")) == []


def test_a_name_keeps_the_address_of_its_ledger_and_an_address_its_name(
    store: Store, lake: Path, tmp_path: Path
) -> None:
    """Else a name could move to another address, and the first one would begin anew under a second name."""
    store.register_edges("lake", lake, **ENDS, epsilon_budget=1)
    store.count("lake", "edges", 1)
    store.drop("lake")
    with pytest.raises(StoreError, match="'lake' accounts for the edges of another address"):
        store.register_edges("lake", fill(tmp_path / "elsewhere"), **ENDS, epsilon_budget=1)
    with pytest.raises(StoreError, match="under the name 'lake'"):
        store.register_edges("pond", lake, **ENDS, epsilon_budget=1)
    store.register_edges("lake", lake, **ENDS, epsilon_budget=1)
    assert store.budget("lake")["epsilon_remaining"] == 0


@pytest.mark.parametrize("pattern", ["", "*.parquet", "*/*.parquet", "**/*.parquet"])
def test_no_link_leads_to_rows_of_another_ledger(
    store: Store, lake: Path, tmp_path: Path, pattern: str
) -> None:
    pond = tmp_path / "pond"
    pond.mkdir()
    if pattern in ("", "*.parquet"):
        (pond / "x.parquet").symlink_to(lake / "month=0" / "rows.parquet")
    else:
        (pond / "x").symlink_to(lake / "month=0", target_is_directory=True)
    with pytest.raises(ParameterError, match="leads by a link out of"):
        store.register_edges("pond", str(pond / pattern), **ENDS, epsilon_budget=1)
    (tmp_path / "through").symlink_to(lake)
    store.register_edges("lake", str(tmp_path / "through" / "*" / "*.parquet"), **ENDS, epsilon_budget=1)
    assert store.count("lake", "edges", 1).private


def _bank(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE payments (payer INTEGER, payee INTEGER)")
        made.executemany("INSERT INTO payments VALUES (?, ?)", payments().rows())
    return path


def _put_a_link(kind: str, pond: Path, lake: Path) -> None:
    """Put a link to rows of another ledger where an address, or a part of it, was."""
    if kind == "part":
        pond, lake = pond / "month=0" / "rows.parquet", lake / "month=0" / "rows.parquet"
    pond.rename(pond.with_name("aside"))
    pond.symlink_to(lake)


def test_a_query_reads_no_file_beside_its_database(store: Store, lake: Path, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with closing(duckdb.connect(str(tmp_path / "x.duckdb"))) as made:
        made.execute("CREATE TABLE payments AS SELECT 1 AS payer, 2 AS payee")
    address, file = f"duckdb:///{tmp_path}/x.duckdb", next(lake.rglob("*.parquet"))
    with pytest.raises(GraphFormatError, match="is asked for a file beside it"):
        store.register_edges("q", address, query=f"SELECT * FROM '{file}'", **ENDS, epsilon_budget=9)  # noqa: S608
    options = checked_options(query=f"SELECT * FROM '{file}'")  # noqa: S608
    with pytest.raises(GraphFormatError, match="is asked for a file beside it"):  # nor are its rows counted
        addresses.Address.asked(address, None, options, memory=None, cache=False).rows_expected()
    store.register_edges("q", address, query="SELECT * FROM payments", **ENDS, epsilon_budget=9)
    assert len(store.priv_top_k("q", metric="degree", k=2, epsilon=1).nodes) == 2
    assert read_graph(address, query=f"SELECT * FROM '{file}'", **ENDS).edge_count  # noqa: S608 -- of the curator


@pytest.mark.parametrize("kind", ["part", "folder", "database"])
def test_a_link_that_came_since_leads_to_rows_of_no_other_ledger(
    store: Store, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    pond, table = fill(tmp_path / "pond"), {}
    if kind == "database":
        lake, pond, table = tmp_path / "lake.db", tmp_path / "pond.db", {"table": "payments"}
        for path in (lake, pond):
            _bank(path)
    for name, path in (("lake", lake), ("pond", pond)):
        address = f"sqlite:///{path}" if table else str(path)
        store.register_edges(name, address, **ENDS, **table, epsilon_budget=90)
    kept = Store._draw

    def linked(self: Store, *given: Any) -> Any:
        _put_a_link(kind, pond, lake)
        return kept(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_draw", linked)
        with pytest.raises(StoreError) as error:
            store.priv_top_k("pond", metric="degree", k=1, epsilon=1)
    assert str(error.value).startswith(ADDRESS_FAILED)
    spent = store.budget("pond")["epsilon_spent"]
    if kind != "part":  # a part may be named by what is in its rows
        with pytest.raises(StoreError, match=r"leads by a link or a variable to .* nothing was spent"):
            store.priv_top_k("pond", metric="degree", k=1, epsilon=1)
    assert (spent, store.budget("pond")["epsilon_spent"]) == (1, 1)
    assert store.budget("lake")["epsilon_spent"] == 0


def test_rows_are_kept_for_the_rules_by_which_they_were_read(tmp_path: Path, lake: Path, cache: Path) -> None:
    """Another store may ask the same address for other edges, and both keep what they read in one cache."""
    counts = {}
    for times in (1, 2, 3):
        with open_store(tmp_path / f"{times}.edgedp") as store:
            row = store.register_edges("lake", lake, **ENDS, epsilon_budget=1, at_least=times)
            counts[times] = row["exact"]["edge_count"]
    assert len({*counts.values()}) == 3
    for times in (3, 2, 1, 2):
        with open_store(tmp_path / f"{times}.edgedp") as store:
            assert store.graph("lake").edge_count == counts[times]
        assert len(list(cache.glob("*.rows"))) == 1, "of the one that was read last"


def test_rows_are_kept_for_the_columns_by_which_they_were_read(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("payer,payee,agent\n1,2,3\n2,3,1\n3,1,1\n")
    for again in range(2):
        for target, count in (("payee", 3), ("agent", 2)):
            with open_store(tmp_path / f"{target}.edgedp") as store:
                if not again:
                    store.register_edges("pay", path, source="payer", target=target, epsilon_budget=1)
                assert store.graph("pay").edge_count == count


def test_a_list_of_nodes_that_changed_is_read_again(store: Store, tmp_path: Path, cache: Path) -> None:
    edges, nodes = tmp_path / "rows.csv", tmp_path / "nodes.csv"
    edges.write_text("payer,payee\n1,2\n2,3\n")
    nodes.write_text("id\n1\n2\n3\n")
    store.register_edges("pay", edges, nodes, **ENDS, epsilon_budget=9)
    assert store.count("pay", "edges", 1).private
    nodes.write_text("id\n1\n2\n3\n4\n")
    with pytest.raises(StoreError) as refused:
        store.count("pay", "edges", 1)
    assert str(refused.value).startswith(NODES_CHANGED)


def test_a_file_that_was_put_back_in_time_is_another(store: Store, lake: Path, cache: Path) -> None:
    """Size and time of the last change can be forged, the time of the last change of the entry cannot."""
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
    part = lake / "month=0" / "rows.parquet"
    before, was = store.graph("lake"), part.stat()
    frame = pl.read_parquet(part)
    frame.with_columns(payee=pl.concat([frame["payee"][1:], frame["payee"][:1]])).write_parquet(part)
    os.utime(part, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert not same(store.graph("lake"), before)


@pytest.mark.parametrize("spoil", ["content", "mode", "link", "folder"])
def test_kept_rows_that_are_not_what_was_written_are_not_used(
    lake: Path, cache: Path, tmp_path: Path, spoil: str, opened: list[str]
) -> None:
    with open_store(tmp_path / "graphs.edgedp") as store:
        store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
        before = read_graph(lake, **ENDS)  # not mapped: what is mapped changes with its file
    (rows,) = cache.glob("*.rows")
    opened.clear()
    match spoil:
        case "content":
            whole = bytearray(rows.read_bytes())
            whole[-4] ^= 1
            rows.write_bytes(bytes(whole))
            seals._verified.clear()  # within one tick of the clock of the file system
        case "mode":
            rows.chmod(0o640)
        case "link":
            rows.rename(tmp_path / "elsewhere")
            rows.symlink_to(tmp_path / "elsewhere")
        case "folder":
            cache.chmod(0o755)
    with open_store(tmp_path / "graphs.edgedp") as store:
        assert same(store.graph("lake"), before)
    assert opened


def test_nothing_is_kept_where_the_curator_says_so_or_of_files_that_may_still_change(
    store: Store, lake: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90, cache=False)
    store.priv_top_k("lake", "degree", 1, 1)
    store.count("lake", "common_neighbors", 1, pair=(1, 2))
    assert not cache.exists()
    store.drop("lake")
    monkeypatch.setattr(addresses, "_SETTLED_NANOSECONDS", 10**13)
    store.register_edges("lake", lake, **ENDS)
    store.priv_top_k("lake", "degree", 1, 1)
    assert [each.suffix for each in cache.iterdir()] == [".nodes"]


def test_a_node_of_kept_ids_is_known_and_else_its_type_is(store: Store, lake: Path, cache: Path) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
    with pytest.raises(EdgeDPError, match="must be a node"):
        store.count("lake", "common_neighbors", 1, pair=(1, 999))
    for each in cache.glob("*.nodes"):
        each.write_bytes(b"no ids")
    with pytest.raises(EdgeDPError, match="must be a node"):
        store.count("lake", "common_neighbors", 1, pair=(1, "a"))
    with pytest.raises(EdgeDPError) as refused:
        store.count("lake", "common_neighbors", 1, pair=(1, 999))
    assert str(refused.value).startswith(NODES_CHANGED)
    assert store.budget("lake")["epsilon_spent"] == 1


@pytest.mark.parametrize("spoil", ["other ids", "two axes", "mode"])
def test_kept_ids_are_those_of_their_digest_or_none(cache: Path, spoil: str) -> None:
    """Other ids would refuse before the debit what the registered nodes allow, or let it be paid for nothing."""
    ids = np.arange(9)
    kept_rows.keep_nodes(ids)
    kept = kept_rows.kept_nodes(addresses.ids_digest(ids))
    assert kept is not None
    assert np.array_equal(kept, ids)
    (path,) = cache.glob("*.nodes")
    match spoil:
        case "other ids" | "two axes":
            with path.open("wb") as stream:
                np.save(stream, ids + 1 if spoil == "other ids" else ids.reshape(3, 3))
        case "mode":
            path.chmod(0o640)
    assert kept_rows.kept_nodes(addresses.ids_digest(ids)) is None


def test_rows_that_are_kept_are_compared_with_the_nodes_that_were_registered(
    store: Store, lake: Path, cache: Path, tmp_path: Path
) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
    (rows,) = cache.glob("*.rows")
    place, key, *_ = rows.name.split(".")
    moved = read_graph(lake, **ENDS).node_ids + 1  # as many
    for nodes, directed in ((moved, False), (moved - 1, True)):
        graph = Graph.from_edges([nodes[:2], nodes[1:3]], nodes=nodes, directed=directed)
        kept_rows.keep(place, key, graph)
        with open_store(tmp_path / "graphs.edgedp") as again, pytest.raises(StoreError) as refused:
            again.count("lake", "edges", 1)
        assert str(refused.value).startswith(NODES_CHANGED)


def test_rows_of_files_that_changed_while_they_were_read_are_not_kept(
    store: Store, lake: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
    for each in cache.glob("*.rows"):
        each.unlink()
    real = addresses.Address.read

    def changed(self: Any, *how: Any) -> Any:
        found = real(self, *how)
        part = next(lake.rglob("*.parquet"))
        os.utime(part, ns=(time.time_ns(), part.stat().st_mtime_ns - 10**9))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(addresses.Address, "read", changed)
        with open_store(tmp_path / "graphs.edgedp") as again:
            again.count("lake", "edges", 1)
        assert not list(cache.glob("*.rows"))
    with open_store(tmp_path / "graphs.edgedp") as again:
        again.count("lake", "edges", 1)
    assert list(cache.glob("*.rows"))


def test_a_full_disk_keeps_nothing_and_fails_nothing(
    store: Store, lake: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept_rows, "write_rows", full)
    store.register_edges("lake", lake, **ENDS, epsilon_budget=90)
    assert store.priv_top_k("lake", "degree", 1, 1).private
    assert [each.suffix for each in cache.iterdir()] == [".nodes"]


# -- tables and buckets -----------------------------------------------------------------------------


def test_a_table_is_an_address_and_its_ledger_is_one(store: Store, tmp_path: Path, cache: Path) -> None:
    path = _bank(tmp_path / "bank.db")
    store.register_edges("bank", f"sqlite:///{path}", table="payments", **ENDS, epsilon_budget=9)
    assert same(store.graph("bank"), read_graph(f"sqlite:///{path}", table="payments", **ENDS))
    assert store.priv_top_k("bank", "degree", 1, 1).private
    assert list(cache.glob("*.rows")) == []
    for again in ({"table": "PAYMENTS"}, {"table": "main.payments"}, {"query": "SELECT * FROM payments"}):
        with pytest.raises(EdgeDPError, match="under the name 'bank'"):
            store.register_edges("pond", f"sqlite:///{path}", **again, **ENDS)
    made = sqlite3.connect(path)
    made.executemany("INSERT INTO payments VALUES (?, ?)", payments().rows() * 20)
    made.commit()
    made.close()
    store.drop("bank")
    with pytest.raises(EdgeDPError, match=r"need about .* are allowed"):
        store.register_edges("bank", f"sqlite:///{path}", table="payments", **ENDS, memory="1MB")
    path.unlink()
    with pytest.raises(EdgeDPError, match="does not exist"):
        store.register_edges("pond", f"sqlite:///{path}", table="payments", **ENDS)


@pytest.mark.parametrize(
    ("address", "table", "place"),
    [
        ("postgresql://ada@DB:5432/bank?sslmode=require", "payments", "postgresql://db/bank/public.payments"),
        ("postgres://db:5433/bank", "main.a/b", "postgresql://db:5433/bank/main.a%2Fb"),
        ("postgresql:///bank?host=/var/run/postgresql", None, "postgresql://localhost/bank"),
        ("postgresql://127.0.0.1/bank", "payments", "postgresql://localhost/bank/public.payments"),
        ("postgresql://0x7f.1/b%61nk", "payments", "postgresql://localhost/bank/public.payments"),
        ("postgresql://db.?dbname=bank&port=5432", "payments", "postgresql://db/bank/public.payments"),
        ("postgresql://db/a%2Fb", None, "postgresql://db/a%2Fb"),
        ("mysql://127.0.0.%31:3306/B%61nk/", "Payments", "mysql://localhost/bank/payments"),
        ("mariadb://[::ffff:7f00:1]:3307", "bank.payments", "mysql://localhost:3307/bank/payments"),
        ("mssql://db/bank", "payments", "mssql://db/bank/dbo/payments"),
        ("postgresql://db/?port=%2005432&dbname=a+b", None, "postgresql://db/a%2Bb"),
        ("mysql://db/bank?prefer_socket=false", "payments", "mysql://db/bank/payments"),
        ("postgresql://%40aside/bank", None, "postgresql://localhost/bank"),
    ],
)
def test_spellings_of_a_table_have_one_ledger(address: str, table: str | None, place: str) -> None:
    kind = address.partition("://")[0]
    assert canonical_table(Database(kind, address), table) == place
    assert overlap(place, "postgresql://localhost/bank") == ("postgresql://localhost" in place)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://db/bank?dbname=other", "postgresql://db:1/bank?port=2", "postgresql://db/bank?host=other",
        "postgresql://db/bank?hostaddr=10.0.0.1", "postgresql://db/bank?service=other", "postgresql://a,b/bank",
        "postgresql://a:1,b:2/bank", "postgresql:///bank?host=a,b", "postgresql://db/bank?dbname=a&dbname=b",
        "postgresql://db/bank#other", "postgresql://db/bank/", "postgresql://db//bank", "postgresql://db:port/bank",
        "postgresql://db/bank?port=port", "postgresql://a%2Cb/bank", "mysql://db/bank?prefer_socket=true",
        "postgresql://db", "mysql://db", "mssql://db", "mysql://db/bank?db_name=other",
        "mysql://db/bank?socket=/other", "mysql://db/bank/other", "mysql://db/bank?host=other",
        "postgresql://db/bank#", "postgresql://db/ba\tnk",
    ],
)  # fmt: skip
def test_an_address_names_one_place_and_names_it_once(address: str) -> None:
    """A driver heeds the last of two, or one of a file: the rows would be another server's than the ledger's."""
    with pytest.raises(ParameterError, match=r"give one host, port and database|add it to the address"):
        canonical_table(Database(address.partition("://")[0], address), "payments")


@pytest.mark.parametrize(
    ("address", "before"),
    [
        ("postgresql://db./my%20bank", "postgresql://db./my%2520bank/public.pay"),
        ("postgresql://0x7f.1/%c3%a9", "postgresql://0x7f.1/%25c3%25a9/public.pay"),
        ("postgresql://db/?port=05432&dbname=a%25b", "postgresql://db:05432/a%25b/public.pay"),
        ("mysql://127.1/b%61nk", "mysql://127.1/b%2561nk/pay"),
        ("mssql://db./bank", "mssql://db./bank/dbo/pay"),
        ("postgresql://db/a%25b", "postgresql://db/a%2525b/public.pay"),
        ("postgresql://db/a%2541", "postgresql://db/a%252541/public.pay"),
        ("mysql://db/%42ank", "mysql://db/%2542ank/pay"),
        ("mssql://db/%C3%89", "mssql://db/%25c3%2589/dbo/pay"),
    ],
)
def test_a_server_is_known_by_the_spelling_that_its_ledger_had_before(address: str, before: str) -> None:
    """An older program kept hosts, ports and percent signs as they were given."""
    place = canonical_table(Database(address.partition("://")[0], address), "pay")
    assert place != before
    assert same_place(place, before)
    assert not same_place(place, before.replace("/pay", "/paid").replace(".pay", ".paid"))


@pytest.mark.parametrize("variable", ["PGSERVICE", "PGHOSTADDR", "PGHOST"])
def test_no_variable_leads_past_the_host_of_an_address(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = variable == "PGHOST"
    monkeypatch.setenv(variable, "db,other" if several else "10.0.0.1")
    with pytest.raises(ParameterError, match="by a setting, a variable or a file"):
        canonical_table(Database("postgresql", f"postgresql://{'' if several else 'db'}/bank"), "payments")
    assert canonical_table(Database("mysql", "mysql://db/bank"), None) == "mysql://db"


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/a%7Eb/%C3%A9.csv", "http://Example.org:80/a~b/x/../é.csv#top",
        "http://example.org./%61~b//%c3%a9.csv", "https://example.org:443/a~b", "http://example.org:080/a~b",
    ],
)  # fmt: skip
def test_spellings_of_a_download_have_one_ledger(other: str) -> None:
    place = canonical("http://example.org/a~b/é.csv", "edges")
    assert place == "http://example.org/a~b/%C3%A9.csv"
    assert overlap(place, canonical(other, "edges"))
    assert not overlap(place, canonical("http://example.org:8080/a~b/é.csv", "edges"))
    assert overlap(place, canonical("http://example.org/a~b%2Fx%2F..%2F%C3%A9.csv", "edges")), (
        "of a server of files"
    )
    assert not overlap(place, canonical("http://example.org/a~b%252F%C3%A9.csv", "edges"))
    assert overlap(place, "http://example.org/%61~b/é.csv"), "as the registry had it before"
    assert overlap("http://example.org#/a.csv", canonical("http://example.org", "edges")), "nor a fragment"
    hosts = (
        "ex%61mple.org",
        "ｅxample.org",
        "example.org#top",
        "example.org#",
        "example.org\\a",
        "example.org ",
    )
    for host in hosts:
        with pytest.raises(ParameterError, match="write the host plainly"):
            canonical(f"http://{host}/a~b/é.csv", "edges")


class _Web(BaseHTTPRequestHandler):
    """Has one file, and leads to it from some paths."""

    leads: ClassVar = {"/latest.csv": "/2024.csv", "/spelled.csv": "/spelled.csv/"}

    def do_GET(self) -> None:
        to = self.leads.get(self.path)
        self.send_response(200 if to is None else 302)
        if to is not None:
            self.send_header("Location", to)
        self.end_headers()
        if to is None:
            self.wfile.write(b"payer,payee\n1,2\n2,3\n")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_redirect_leads_to_rows_of_no_other_ledger(
    store: Store, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Web) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        with pytest.raises(GraphFormatError, match=r"leads to .*/2024\.csv, whose rows have another ledger"):
            store.register_edges("latest", f"{here}/latest.csv", **ENDS, epsilon_budget=9)
        assert read_graph(f"{here}/latest.csv", **ENDS).edge_count == 2
        for name in ("2024", "spelled"):
            store.register_edges(name, f"{here}/{name}.csv", **ENDS, epsilon_budget=9)
            assert store.count(name, "edges", 1).private
        edges = tmp_path / "edges.csv"
        edges.write_text("payer,payee\n1,2\n")
        nodes = {"nodes": f"{here}/latest.csv", "nodes_header": True}  # which are public
        store.register_edges("listed", edges, **nodes, **ENDS, epsilon_budget=9)
        assert store.count("listed", "edges", 1).private
        monkeypatch.setitem(_Web.leads, "/2024.csv", "/spelled.csv#top")
        with pytest.raises(StoreError) as refused:
            store.count("2024", "edges", 1)
        assert str(refused.value).startswith(ADDRESS_FAILED)
        server.shutdown()


@pytest.mark.parametrize(
    ("bucket", "other"),
    [
        ("s3://lake/a/rows.csv", "http://lake.s3.eu-west-1.amazonaws.com/a/rows.csv"),
        ("s3://lake/a/rows.csv", "http://s3.amazonaws.com:80/lake/%61/rows.csv"),
        ("gs://lake/a/rows.csv", "http://storage.googleapis.com/lake/a/rows.csv"),
        ("gs://lake/a/rows.csv", "http://lake.storage.googleapis.com/a/rows.csv"),
        ("az://lake/a/rows.csv", "http://one.blob.core.windows.net/lake/a/rows.csv"),
    ],
)
def test_an_object_that_the_web_has_too_is_one_place(
    bucket: str, other: str, store: Store, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By pyarrow's file system of folders in place of a service, and a proxy in place of its hosts."""
    from pyarrow import fs

    (tmp_path / "lake" / "a").mkdir(parents=True)
    (tmp_path / "lake" / "a" / "rows.csv").write_text("payer,payee\n1,2\n2,3\n")
    root = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(buckets, "_files", lambda *_: root)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Web) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
        store.register_edges("web", other, **ENDS, epsilon_budget=9)
        assert store.count("web", "edges", 1).private
        server.shutdown()
    for place in (bucket, bucket.rpartition("/")[0]):
        with pytest.raises(StoreError, match="under the name 'web'"):
            store.register_edges("bucket", place, **ENDS, epsilon_budget=9)
    (tmp_path / "lake" / "a").rename(tmp_path / "lake" / "b")
    store.register_edges("aside", bucket.replace("/a/", "/b/"), **ENDS, epsilon_budget=9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3://lake/a b.csv", "https://lake.s3.amazonaws.com/a+b.csv"),
        ("s3://lake/a/e.csv", "https://lake.s3.eusc-de-east-1.amazonaws.eu/a/e.csv"),
        ("s3://lake/a/e.csv", "https://lake.s3.us-iso-east-1.c2s.ic.gov/a/e.csv"),
        ("gs://lake/a/e.csv", "https://storage-download.googleapis.com/lake/a/e.csv"),
        ("gs://lake/a/e.csv", "https://lake.storage-mine.p.googleapis.com/a/e.csv"),
        ("gs://lake/a/e.csv", "https://c.storage.googleapis.com/lake/a/e.csv"),
        ("az://lake/a/e.csv", "https://one.blob.core.cloudapi.de/lake/a/e.csv"),
        ("az://lake/a/e.csv", "https://one.dfs.core.sovcloud-api.fr/lake/a/e.csv"),
        ("az://lake/a/e.csv", "https://one.blob.core.eaglex.ic.gov/lake/a/e.csv"),
        ("az://lake/a/e.csv", "https://one.blob.core.microsoft.scloud/lake/a/e.csv"),
        ("s3://lake/a/e.csv", "https://lake.bucket.vpce-1a2b.s3.us-east-1.vpce.amazonaws.com/a/e.csv"),
        ("s3://lake/a/e.csv", "https://bucket.vpce-1a2b.s3.us-east-1.vpce.amazonaws.com/lake/a/e.csv"),
        ("gs://lake/a/e.csv", "https://commondatastorage.googleapis.com/lake/a/e.csv"),
        ("gs://lake/a/e.csv", "https://lake.storage.us-central1.rep.googleapis.com/a/e.csv"),
        ("gs://lake/a/e.csv", "https://storage.cloud.google.com/lake/a/e.csv"),
        ("az://lake/a/e.csv", "https://one.z1.blob.storage.azure.net/lake/a/e.csv"),
        ("az://lake/a/e.csv", "https://one.blob.core.chinacloudapi.cn/lake/a/e.csv"),
        ("az://$web/e.csv", "https://one.z6.web.core.windows.net/e.csv"),
        ("https://one.blob.core.windows.net/lake/e.csv", "https://one-secondary.blob.core.windows.net/lake/e.csv"),
        ("https://one.blob.core.windows.net/lake/e.csv", "https://one.privatelink.blob.core.windows.net/lake/e.csv"),
        ("https://one.blob.core.windows.net/$root/e.csv", "https://one.blob.core.windows.net/e.csv"),
        ("abfss://lake@one-secondary.dfs.core.windows.net/e.csv", "https://one.blob.core.windows.net/lake/e.csv"),
    ],
)  # fmt: skip
def test_an_object_has_one_place_by_each_host_of_its_service(one: str, other: str) -> None:
    assert overlap(canonical(one, "edges"), canonical(other, "edges"))
    assert not overlap(
        canonical(one, "edges"), canonical(other.replace("e.csv", "f.csv"), "edges").replace("+", "-")
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("www.web.core.example.org/a/e.csv", "www.web.core.example.com/a/e.csv"),
        ("data.blob.core.example.org/A/e.csv", "data.blob.core.example.org/a/e.csv"),
        ("data.blob.core.example.org/a/e.csv", "data.blob.core.windows.net/a/e.csv"),
    ],
)
def test_a_host_of_somebody_else_has_no_objects_of_a_cloud(one: str, other: str) -> None:
    places = [canonical(f"https://{each}", "edges") for each in (one, other)]
    assert not overlap(*places)
    assert all(overlap(each, each) for each in places)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("month=2024/e.csv", "month%3D2024/e.csv"), ("e+1 (2)!;.csv", "e%2B1%20%282%29%21%3B.csv"),
        ("a%20b%.csv", "a%2520b%25.csv"), ("é 9%.csv", "%C3%A9%209%25.csv"), ("a/e.csv", "a%2Fe.csv"),
    ],
)  # fmt: skip
def test_a_file_of_a_server_is_one_by_any_sign_in_percent(
    one: str, other: str, store: Store, tmp_path: Path, cache: Path
) -> None:
    file = tmp_path / unquote(other)
    file.parent.mkdir(exist_ok=True)
    file.write_text("payer,payee\n1,2\n2,3\n")
    served = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), served) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        store.register_edges("one", f"{here}/{one}", **ENDS, epsilon_budget=9)
        assert store.count("one", "edges", 1).private
        with pytest.raises(StoreError, match="under the name 'one'"):
            store.register_edges("other", f"{here}/{other}", **ENDS, epsilon_budget=9)
        server.shutdown()


def test_a_host_by_its_number_is_an_address(store: Store, cache: Path) -> None:
    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6

    try:
        server = Server(("::1", 0), _Web)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        store.register_edges("g", f"http://[::1]:{server.server_port}/e.csv", **ENDS, epsilon_budget=9)
        assert store.count("g", "edges", 1).private
        with pytest.raises(StoreError, match="under the name 'g'"):
            store.register_edges("h", f"http://localhost:{server.server_port}/e.csv", **ENDS)
        server.shutdown()
    with pytest.raises(ParameterError, match="holds a pattern"):
        canonical("http://[::1]/[e].csv", "edges")


def test_a_file_is_one_place_by_whatever_path(store: Store, tmp_path: Path, cache: Path) -> None:
    """A hard link, as a mount or letters of another case, is the same file; a copy is another."""
    bank, file = _bank(tmp_path / "bank.db"), tmp_path / "rows.csv"
    payments().write_csv(file)
    for here in (bank, file):
        os.link(here, tmp_path / f"hard-{here.name}")
        shutil.copy(here, tmp_path / f"copy-{here.name}")
    store.register_edges("file", file, **ENDS, epsilon_budget=1)
    store.register_edges("bank", f"sqlite:///{bank}", table="payments", **ENDS, epsilon_budget=1)
    with pytest.raises(StoreError, match="under the name 'file'"):
        store.register_edges("again", tmp_path / "hard-rows.csv", **ENDS, epsilon_budget=1)
    for asked in ({"table": "payments"}, {"query": "SELECT * FROM payments"}):
        with pytest.raises(StoreError, match="under the name 'bank'"):
            store.register_edges("again", f"sqlite:///{tmp_path}/hard-bank.db", **asked, **ENDS)
    for place in (
        f"sqlite:///{bank}/main.payments",
        f"duckdb:///{bank}",
        f"duckdb:///{tmp_path}/hard-bank.db",
    ):
        assert overlap(place, f"sqlite:///{bank}/main.payments")
        assert overlap(place, f"sqlite:///{bank}/main.others") == ("payments" not in place)
    store.register_edges("copy", tmp_path / "copy-rows.csv", **ENDS, epsilon_budget=1)
    folder = tmp_path / "folder"
    folder.mkdir()
    payments().write_csv(_bank(folder / "bank.db").with_name("rows.csv"))
    store.register_edges("texts", folder / "*.csv", **ENDS, epsilon_budget=1)
    store.register_edges("beside", f"sqlite:///{folder}/bank.db", table="payments", **ENDS, epsilon_budget=1)


def test_objects_of_a_bucket_are_an_address(
    store: Store, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By pyarrow's file system of folders in place of a service: one interface."""
    from pyarrow import fs

    fill(tmp_path / "bank" / "payments")
    root = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(buckets, "_files", lambda *_: root)
    store.register_edges("bank", "s3a://bank/payments/", **ENDS, epsilon_budget=9)
    assert same(store.graph("bank"), read_graph(tmp_path / "bank" / "payments", **ENDS))
    (rows,) = cache.glob("*.rows")
    assert store.priv_top_k("bank", "ebc", 1, 1).private
    with pytest.raises(EdgeDPError, match="under the name 'bank'"):
        store.register_edges("pond", "s3://bank/payments/month=0", **ENDS)
    one = tmp_path / "bank" / "payments" / "month=0" / "rows.parquet"
    pl.read_parquet(one)[:-1].write_parquet(one)
    store.graph("bank")
    assert [each.name for each in cache.glob("*.rows")] != [rows.name]
    (tmp_path / "bank").rename(tmp_path / "gone")
    with pytest.raises(EdgeDPError, match=r"does not exist.*nothing was spent"):
        store.priv_top_k("bank", "ebc", 1, 1)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("hdfs://nn/e", "only Spark reads"),
        ("abfss://box@account/e", "only Spark reads"),
        ("payments/*.parquet", "does not exist"),
        ("postgresql://ada:word@host/bank", "holds a password"),
        ("s3://key:word@lake/e", "password"),
        ("nowhere", "does not exist"),
    ],
)
def test_what_this_process_does_not_read_is_refused(
    store: Store, tmp_path: Path, address: str, says: str
) -> None:
    with pytest.raises(EdgeDPError, match=says) as refused:
        store.register_edges("lake", address, **ENDS, engine="native")
    assert "word@" not in str(refused.value)
    assert not (tmp_path / "graphs.edgedp").exists()


# -- rows of before, and edited ones ----------------------------------------------------------------


def before(store: Store, path: Path) -> None:
    """Register an address as versions before this one did: for Spark alone."""
    kept = {"nodes": None, "source": "payer", "target": "payee", "header": True, "nodes_header": None,
            "separator": None, "comment": "#", "ids": "integer"}  # fmt: skip
    store.load(Graph.from_edges([(1, 2)]), "other")
    with pytest.MonkeyPatch.context() as patch:
        from edgedp.spark import session, sources, top_k
        from edgedp.spark.edges import Figures

        patch.setattr(session, "check_installed", lambda: None)
        patch.setattr(sources, "detected", lambda place: sources.Place.kept(place.edges, json.dumps(kept)))
        patch.setattr(sources, "surveyed", lambda *_: Figures(60, 600, 40, 0))
        patch.setattr(top_k, "check_whole", lambda figures: None)
        store.register_edges("lake", path, **ENDS, engine="spark", epsilon_budget=9)
    with store._session() as opened:
        row = opened.run("graph_find", name="lake")[0]
    assert (row["nodeLabel"], json.loads(row["idProperty"]), row["digest"]) == (AT_ADDRESS, kept, None)


def test_an_address_that_was_registered_before_stays_with_spark_until_it_is_registered_again(
    store: Store, tmp_path: Path, cache: Path
) -> None:
    path = tmp_path / "pay.csv"
    payments().write_csv(path)
    before(store, path)
    for asked in (
        lambda: store.priv_top_k("lake", "degree", 1, 1),
        lambda: store.summary("lake", 1),
        lambda: store.graph("lake"),
        lambda: store.count("lake", "triangles", 1),
    ):
        with pytest.raises(
            EdgeDPError, match=r"registered only for Spark.*register it again.*its ledger stays"
        ):
            asked()
    assert store.check() == []
    store.drop("lake")
    store.register_edges("lake", path, **ENDS)
    assert store.priv_top_k("lake", "degree", 1, 1).receipt["epsilon_budget"] == 9


def test_what_was_kept_of_nodes_where_none_are_read_spends_no_release(
    store: Store, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(ReadingOptions, "check_no_nodes", lambda _: None)
        store.register_edges("lake", lake, **ENDS, nodes_header=True, cache=False, epsilon_budget=9)
    assert store.priv_top_k("lake", "degree", 1, 1).nodes
    store.drop("lake")
    with pytest.raises(ParameterError, match="nodes_header is given without"):
        store.register_edges("lake", lake, **ENDS, nodes_header=True)


@pytest.mark.parametrize("column", ["digest", "id_property"])
def test_a_row_that_was_edited_costs_no_privacy(
    store: Store, lake: Path, tmp_path: Path, column: str
) -> None:
    other = tmp_path / "other.parquet"
    pl.concat([payments(), pl.DataFrame({"payer": [1], "payee": [99]})]).write_parquet(other)
    store.register_edges("lake", lake, **ENDS, epsilon_budget=9)
    digest = addresses.ids_digest(read_graph(other, **ENDS).node_ids)
    with store._session() as session:
        row = registry.known(session, "lake")
        edited = {"digest": digest, "id_property": row.id_property.replace(str(lake), str(other))}
        session.run("graph_put", **row_to_json(replace(row, **{column: edited[column]})))
    with pytest.raises(EdgeDPError, match="does not add up"):
        store.priv_top_k("lake", "degree", 1, 1)
    assert store.budget("lake")["epsilon_spent"] == 0
    assert store.check() != []


# -- patterns ---------------------------------------------------------------------------------------


def test_a_pattern_is_an_address_and_its_ledger_is_that_of_its_folder(
    store: Store, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgedp.spark.session.open_session", lambda: pytest.fail("a session for a refusal"))
    (lake / "month=0" / "rows.txt").write_text("no table")
    (lake / "notes.csv").write_text("these,are,other,rows\n")
    row = store.register_edges("lake", f"{lake}/month=*/*.parquet", **ENDS, epsilon_budget=900)
    assert row["exact"]["edge_count"] == Graph.from_frame(payments(), "payer", "payee").edge_count
    assert store.count("lake", "edges", 90).value == row["exact"]["edge_count"]
    for other in (lake, f"{lake}/month=0/*.parquet", f"{lake}/*/rows.parquet", lake / "month=0", lake.parent):
        with pytest.raises(EdgeDPError, match="under the name 'lake'"):
            store.register_edges("pond", other, **ENDS)
    more = pl.DataFrame({"payer": [1, 2, 3], "payee": [4, 5, 6]})
    more.write_parquet(lake / "month=1" / "more.parquet")
    both = pl.concat([payments(), more])
    assert store.count("lake", "edges", 90).value == Graph.from_frame(both, "payer", "payee").edge_count
    with pytest.raises(EdgeDPError, match="does not read an address with a pattern"):
        store.priv_top_k("lake", "degree", 1, 1, engine="spark")
    spent = store.budget("lake")["epsilon_spent"]
    for part in lake.glob("*/*.parquet"):
        part.unlink()
    with pytest.raises(EdgeDPError, match=r"does not exist; .* nothing was spent"):
        store.priv_top_k("lake", "degree", 1, 1)
    assert store.budget("lake")["epsilon_spent"] == spent


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("payments/../*/a.parquet/../b", "a step back"),
        ("payments/{a,b}*.parquet", "braces"),
        ("s3://*/edges", "no folder before it"),
        ("s3://key:word@lake/*", "password"),
        ("hdfs://nn/e/*.parquet", "pattern"),
        ("http://host/e?x=1", "a pattern or a query"),
    ],
)
def test_a_pattern_that_names_no_place_or_a_secret_is_refused(store: Store, address: str, says: str) -> None:
    with pytest.raises(EdgeDPError, match=says) as refused:
        store.register_edges("lake", address, **ENDS)
    assert "word@" not in str(refused.value)


# -- faces ------------------------------------------------------------------------------------------


def test_the_command_registers_a_folder_and_asks_it_everything(
    lake: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()

    def run(*words: str) -> str:
        done = runner.invoke(command_line, ["--store", "s.edgedp", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    said = run("register", "lake", "--edges", "payments", "--source", "payer", "--target", "payee",
               "--epsilon-budget", "9", "--memory", "100MB", "--no-cache")  # fmt: skip
    assert "registered lake: 60 nodes" in said
    assert json.loads(
        run("topk", "lake", "-k", "2", "--epsilon", "1", "--metric", "ebc", "--format", "json")
    )["nodes"]
    run("count", "lake", "--of", "triangles", "--epsilon", "1")
    run("summary", "lake", "--epsilon", "1")
    run("exact", "lake", "--metric", "degree", "--top", "3")
    assert "lake" in run("graphs")
    assert not cache.exists()
    for words, says in [
        (["register", "x", "--edges", "payments", "--memory", "much"], "memory is 'much'"),
        (["register", "x", "--node-label", "P", "--relationship-type", "K", "--id-property", "i", "--memory", "1GB"],
         "--memory is not an option of a graph in Neo4j"),
        (["register", "x", "--edges", "payments", "--engine", "sparc"], "did you mean"),
        (["register", "x", "--edges", "payments", "--refresh"], "--refresh is not an option"),
    ]:  # fmt: skip
        done = runner.invoke(command_line, ["--store", "s.edgedp", *words])
        assert done.exit_code in (1, 2), done.output
        assert says in done.output


def test_an_analyst_of_a_gateway_is_answered_from_an_address(lake: Path, tmp_path: Path, cache: Path) -> None:
    place = tmp_path / "graphs.edgedp"
    with open_store(place) as store:
        store.register_edges("lake", lake, **ENDS, epsilon_budget=9, degree_bound=60)
        token = store.add_analyst("ann")["token"]
        store.grant("lake", "ann", epsilon_budget=3)
        with serve(str(place), tmp_path) as served, served.client(token) as ann:
            drawn = ann.post("/v1/graphs/lake/top-k", json={"metric": "ebc", "k": 2, "epsilon": 1})
            assert drawn.status_code == 201, drawn.text
            assert ann.post("/v1/graphs/lake/summary", json={"epsilon": 1}).status_code == 201
            pl.DataFrame({"payer": [1], "payee": [999]}).write_parquet(lake / "month=0" / "rows.parquet")
            gone = ann.post("/v1/graphs/lake/count", json={"of": "triangles", "epsilon": 1})
            assert gone.status_code == 409
            assert gone.json()["detail"].startswith(NODES_CHANGED)
            spent = ann.post("/v1/graphs/lake/summary", json={"epsilon": 1})
            assert spent.status_code in (402, 403, 409)
        assert store.budget("lake")["epsilon_spent"] == 3
    with pytest.raises(BudgetError), open_store(place) as store:
        store.priv_top_k("lake", "degree", 1, 7)
