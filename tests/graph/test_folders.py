"""A folder and a pattern as one list of edges: all files of it, or one sentence that names one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from edgedp import Graph, preview, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.loading import located
from edgedp.graph.reading.sources.locating import name_of
from edgedp.words.errors import (
    EdgeDPError,
    GraphFormatError,
    ParameterError,
    UndecidedError,
    UnknownNameError,
)

ENDS: dict[str, Any] = {"source": "payer", "target": "payee"}
ROWS = [(7, 8), (8, 9), (9, 7), (1, 2), (2, 7), (5, 9)]


def write(path: Path, rows: list[tuple[Any, Any]], names: tuple[str, str] = ("payer", "payee")) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame(rows, schema=list(names), orient="row")
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path)


def test_ids_of_32_and_of_64_bits_may_lie_in_two_files(tmp_path: Path) -> None:
    for number, small in enumerate(["1", "1.0", "2"]):
        (tmp_path / f"{number}.csv").write_text(f"payer,payee\n{small},3\n{small},4\n")
    (tmp_path / "9.csv").write_text("payer,payee\n41790000001,3\n3,4\n")
    assert read_graph(tmp_path, **ENDS).node_ids.tolist() == [1, 2, 3, 4, 41790000001]


@pytest.fixture(params=["parquet", "csv", "jsonl"])
def months(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Six edges in three partitions, with what writers of such folders leave beside them."""
    folder = tmp_path / "payments"
    for i in range(3):
        write(folder / f"month=2024-0{i + 1}" / f"part-0.{request.param}", ROWS[2 * i : 2 * i + 2])
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.crc").write_bytes(b"x")
    write(tmp_path / "one.parquet", ROWS)
    return folder


def same(one: Graph, two: Graph) -> bool:
    return sorted(map(tuple, edges_of(one))) == sorted(map(tuple, edges_of(two)))


def edges_of(graph: Graph) -> list[list[Any]]:
    ids = graph.node_ids
    return [sorted([ids[a].item(), ids[b].item()]) for a, b in graph.edges()]


def test_a_folder_is_the_graph_of_one_file(months: Path) -> None:
    one = read_graph(months.parent / "one.parquet", **ENDS)
    patterns = [str(months / "*" / "*.*"), str(months / "month=*"), str(months / "**" / "part*")]
    for source in [months, f"{months}/", months.as_uri(), *patterns, months / "*" / "part-0.*"]:
        read = read_graph(source, **ENDS)
        assert (read.node_count, read.edge_count) == (6, 6)
        assert same(read, one)
        assert read.node_ids.tolist() == one.node_ids.tolist()


def test_a_pattern_reads_what_it_matches_only(months: Path) -> None:
    assert read_graph(months / "month=2024-0[12]", **ENDS).edge_count == 4


def test_partitions_are_columns_and_hidden_files_are_told(months: Path) -> None:
    shown = preview(months, **ENDS)
    assert shown.columns == ("payer", "payee", "month")
    assert all(row[2] == "2024-01" for row in shown.rows)
    assert any("2 hidden files or folders" in line for line in shown.says)
    assert "3 files" in str(shown)
    with pytest.raises(ParameterError, match="'month' is a partition of the folder"):
        read_graph(months, source="payer", target="month")


def test_the_store_knows_the_list_of_a_folder_and_of_a_file(months: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(months.parent)
    for name in ("EDGEDP_STORE", "NEO4J_URI"):
        monkeypatch.delenv(name, raising=False)
    ends = ["--source", "payer", "--target", "payee"]
    first = CliRunner().invoke(command_line, ["load", "payments", *ends])
    assert first.exit_code == 0, first.output
    again = CliRunner().invoke(command_line, ["load", "one.parquet", *ends])
    assert "The same list of edges" in again.output or "the same list of edges" in again.output
    unnamed = CliRunner().invoke(command_line, ["load", "payments/*", *ends])
    assert "give --name" in unnamed.output
    with pytest.raises(ParameterError, match="give --name"):
        name_of("payments/*.parquet")
    assert name_of("data/payments/") == "payments"


def test_a_folder_of_nodes(months: Path) -> None:
    nodes = months.parent / "nodes"
    nodes.mkdir()
    (nodes / "a").write_text("1\n2\n5\n")
    (nodes / "b").write_text("7\n8\n9\n10\n")
    assert read_graph(months, nodes=nodes, **ENDS).node_count == 7


def columns(folder: Path) -> None:
    write(folder / "b.parquet", [(1, 2)], ("payer", "to"))


def types(folder: Path) -> None:
    write(folder / "b.parquet", [("1", "2")])


def another_format(folder: Path) -> None:
    write(folder / "b.csv", [(1, 2)])


def broken(folder: Path) -> None:
    (folder / "b.parquet").write_bytes(b"PAR1 no more")


def no_row(folder: Path) -> None:
    pl.DataFrame({"payer": [1], "payee": [2]}).clear().write_parquet(folder / "b.parquet")


def nothing(folder: Path) -> None:
    (folder / "b.parquet").touch()


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "b.parquet")


def dead_link(folder: Path) -> None:
    (folder / "b.parquet").symlink_to(folder / "absent")


def loop(folder: Path) -> None:
    (folder / "b.parquet").symlink_to(folder / "b.parquet")


def linked_folder(folder: Path) -> None:
    (folder / "b.parquet").symlink_to(folder.parent, target_is_directory=True)


def partition(folder: Path) -> None:
    write(folder / "day=1" / "b.parquet", [(1, 2)])


def network(folder: Path) -> None:
    (folder / "b.parquet").write_text("graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]")


@pytest.mark.parametrize(
    "spoil",
    [
        columns,
        types,
        another_format,
        broken,
        no_row,
        nothing,
        pipe,
        dead_link,
        loop,
        linked_folder,
        partition,
        network,
    ],
)
def test_one_file_that_does_not_fit_is_named(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    folder = tmp_path / "payments"
    write(folder / "a.parquet", [(1, 2), (2, 3)])
    spoil(folder)
    with pytest.raises(EdgeDPError) as refused:
        read_graph(folder, **ENDS)
    assert "\n" not in str(refused.value)
    assert "/b." in str(refused.value) or "b.parquet" in str(refused.value)


def test_texts_in_one_file_and_integers_in_another_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("payer,payee\n007,8\n")
    (tmp_path / "b.csv").write_text("payer,payee\n7,8\n")
    with pytest.raises(GraphFormatError, match=r"b\.csv' has ids of another type .*ids='text'"):
        read_graph(tmp_path, **ENDS)
    assert read_graph(tmp_path, ids="text", **ENDS).node_ids.tolist() == ["007", "7", "8"]


@pytest.mark.parametrize("log", ["_delta_log", ".hoodie", "metadata"])
@pytest.mark.parametrize("named", ["", "data", "*/*.parquet", "data/a.*"])
def test_a_table_with_a_log_of_its_own_is_refused(tmp_path: Path, log: str, named: str) -> None:
    write(tmp_path / "table" / "data" / "a.parquet", [(1, 2)])
    (tmp_path / "table" / log).mkdir()
    (tmp_path / "table" / log / "v1.metadata.json").write_text("{}")
    with pytest.raises(GraphFormatError, match="in which files of removed rows stay"):
        read_graph(tmp_path / "table" / named, **ENDS)


def test_what_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(GraphFormatError, match="holds no file to read"):
        read_graph(tmp_path)
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(GraphFormatError, match="holds no file to read"):
        read_graph(tmp_path)
    for pattern in (str(tmp_path / "*.parquet"), "absent-*.parquet"):
        with pytest.raises(UnknownNameError, match="matches no file"):
            read_graph(pattern)


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    write(tmp_path / "a[1].csv", [(1, 2)])
    write(tmp_path / "a1.csv", [(1, 2), (2, 3)])
    assert read_graph(tmp_path / "a[1].csv", **ENDS).edge_count == 1


def grown(folder: Path) -> None:
    write(folder / "c.csv", [(8, 9)])


def rewritten(folder: Path) -> None:
    write(folder / "a.csv", [(1, 2), (2, 3), (3, 4)])


@pytest.mark.parametrize("change", [grown, rewritten])
def test_a_folder_that_changes_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    write(tmp_path / "a.csv", [(1, 2)])
    write(tmp_path / "b.csv", [(2, 3)])
    compared = located._refuse_other

    def changed(*args: Any) -> None:
        change(tmp_path)
        compared(*args)

    monkeypatch.setattr(located, "_refuse_other", changed)
    with pytest.raises(GraphFormatError, match="changed while it was read"):
        read_graph(tmp_path, **ENDS)


def test_an_undecided_file_asks_as_a_file_does(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("von,nach\n007,8\n8,9\n")
    (tmp_path / "b.csv").write_text("von,nach\n1,8\n")
    with pytest.raises(UndecidedError, match="source='von'"):
        read_graph(tmp_path)
    shown = preview(tmp_path)
    assert shown.ends is None
