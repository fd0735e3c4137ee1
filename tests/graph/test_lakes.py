"""Real Delta and Iceberg tables: their present rows, or a refusal that says what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from edgedp import Graph, open_store, preview, read_graph
from edgedp.words.errors import EdgeDPError, GraphFormatError

ROWS = pl.DataFrame({"payer": [1, 2, 3, 7], "payee": [2, 3, 1, 1], "month": ["a", "b", "b", "a b"]})
ENDS: dict[str, Any] = {"source": "payer", "target": "payee"}


def edges(graph: Graph) -> set[tuple[int, ...]]:
    return {tuple(sorted(graph.node_ids[pair].tolist())) for pair in graph.edges()}


@pytest.fixture
def delta(tmp_path: Path) -> Any:
    deltalake = pytest.importorskip(
        "deltalake", reason="deltalake is not installed: pip install 'edgedp[lakes]'"
    )
    deltalake.write_deltalake(tmp_path / "payments", ROWS.to_arrow(), partition_by=["month"])
    return deltalake.DeltaTable(tmp_path / "payments")


def test_a_delta_table_is_its_present_rows(delta: Any, tmp_path: Path) -> None:
    folder = tmp_path / "payments"
    assert edges(read_graph(folder, **ENDS)) == {(1, 2), (2, 3), (1, 3), (1, 7)}
    delta.delete("payer = 2")
    delta.optimize.compact()
    assert edges(read_graph(folder, **ENDS)) == {(1, 2), (1, 3), (1, 7)}
    assert preview(folder, **ENDS).edge_count == 3
    for part in (folder / "month=b", folder / "*" / "*.parquet"):
        with pytest.raises(GraphFormatError, match=r"is a Delta table, .* by its own folder"):
            read_graph(str(part), **ENDS)
    delta.delete()
    with pytest.raises(GraphFormatError, match="holds no row"):
        read_graph(folder, **ENDS)


def test_a_delta_table_is_an_address(delta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    with open_store(tmp_path / "graphs.edgedp") as store:
        nodes = tmp_path / "nodes.csv"
        nodes.write_text("1\n2\n3\n7\n")
        store.register_edges("pay", tmp_path / "payments", nodes, **ENDS, epsilon_budget=3)
        assert store.graph("pay").edge_count == 4
        delta.delete("payer = 2")
        assert store.graph("pay").edge_count == 3
        assert store.priv_top_k("pay", "degree", 1, 1).private


def test_a_table_whose_files_do_not_say_its_rows_is_refused(
    delta: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "payments" / "_delta_log" / "00000000000000000000.json"
    log.write_text(
        log.read_text().replace('"configuration":{}', '"configuration":{"delta.columnMapping.mode":"name"}')
    )
    with pytest.raises(GraphFormatError, match="columns of other names in its files"):
        read_graph(tmp_path / "payments", **ENDS)
    log.write_text("no log")
    with pytest.raises(GraphFormatError, match="log cannot be read") as refused:
        read_graph(tmp_path / "payments", **ENDS)
    assert "no log" not in str(refused.value)
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(GraphFormatError, match=r"install deltalake \(edgedp\[lakes\]\), or export"):
        read_graph(tmp_path / "payments", **ENDS)


def test_a_version_of_an_iceberg_table_is_read_by_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyiceberg", reason="pyiceberg is not installed: pip install 'edgedp[lakes]'")
    pytest.importorskip("sqlalchemy")
    from pyiceberg.catalog.sql import SqlCatalog

    (tmp_path / "warehouse").mkdir()
    catalog = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/warehouse")
    catalog.create_namespace("bank")
    table = catalog.create_table("bank.payments", schema=ROWS.to_arrow().schema)
    table.append(ROWS.to_arrow())
    first = Path(table.metadata_location.removeprefix("file://"))
    table.delete("payer = 2")
    second = Path(table.metadata_location.removeprefix("file://"))
    assert edges(read_graph(first, **ENDS)) == {(1, 2), (2, 3), (1, 3), (1, 7)}
    assert edges(read_graph(str(second), **ENDS)) == {(1, 2), (1, 3), (1, 7)}
    folder = first.parents[1]
    for named in (folder, folder / "data"):
        with pytest.raises(GraphFormatError, match=r"is an Iceberg table, .* name the metadata file"):
            read_graph(named, **ENDS)
    with (
        open_store(tmp_path / "graphs.edgedp") as store,
        pytest.raises(EdgeDPError, match="an address that stays"),
    ):
        store.register_edges("pay", second, **ENDS)
    with table.update_schema() as change:
        change.rename_column("payee", "paid")
    renamed = Path(table.metadata_location.removeprefix("file://"))
    with pytest.raises(GraphFormatError, match="columns that were renamed"):
        read_graph(renamed, source="payer", target="paid")
    second.write_text("{}")
    with pytest.raises(GraphFormatError, match="describes no Iceberg table"):
        read_graph(second, **ENDS)
    monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    with pytest.raises(GraphFormatError, match="install pyiceberg"):
        read_graph(second, **ENDS)


def test_rows_that_are_taken_out_of_files_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deltalake = pytest.importorskip("deltalake")
    marked = {"delta.enableDeletionVectors": "true"}
    deltalake.write_deltalake(tmp_path / "t", ROWS.drop("month").to_arrow(), configuration=marked)
    assert read_graph(tmp_path / "t", **ENDS).edge_count == 4
    vectors = SimpleNamespace(read_all=lambda: SimpleNamespace(num_rows=1))
    monkeypatch.setattr(
        deltalake.DeltaTable, "deletion_vectors", lambda _: vectors
    )  # the library writes none
    with pytest.raises(GraphFormatError, match="rows taken out of files"):
        read_graph(tmp_path / "t", **ENDS)
