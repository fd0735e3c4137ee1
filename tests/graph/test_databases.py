"""Edges of databases, by real ones: PostgreSQL on a port of its own, files of SQLite and DuckDB."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import edgedp
from databases import Server, postgresql
from edgedp import Graph, preview, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.dated import UNDATED
from edgedp.graph.loading import read_source
from edgedp.graph.reading import checked_options
from edgedp.graph.reading.sources import databases
from edgedp.words.errors import (
    EdgeDPError,
    GraphFormatError,
    ParameterError,
    UndecidedError,
    UnknownNameError,
)

EDGES = [(7, 8), (8, 9), (9, 7), (1, 2), (2, 7), (5, 9)]
TABLE = "CREATE TABLE payments (payer INTEGER, payee INTEGER, amount REAL, who TEXT, whom TEXT, gap INTEGER)"
FILL = "INSERT INTO payments VALUES " + ", ".join(  # noqa: S608
    f"({a}, {b}, 1.5, 'n{a:03}', 'n{b:03}', {'NULL' if a == 5 else a})" for a, b in EDGES
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgresql() as started:
        started.run(
            TABLE, FILL, "CREATE SCHEMA bank", "CREATE TABLE bank.calls AS SELECT payer, payee FROM payments"
        )
        started.run(
            "CREATE TABLE kinds (u1 uuid, u2 uuid, n1 numeric, n2 numeric, h1 numeric, c1 char(6), c2 varchar, "
            "b1 bigint, d1 date, d2 date, t1 boolean)",
            "INSERT INTO kinds VALUES ('1b4e28ba-2fa1-11d2-883f-0016d3cca427', '2b4e28ba-2fa1-11d2-883f-0016d3cca427', "
            "12345678901, 7.00, 0.5, 'ada', 'bob', 9, now(), now(), true), ('2b4e28ba-2fa1-11d2-883f-0016d3cca427', "
            "'1b4e28ba-2fa1-11d2-883f-0016d3cca427', 7, 12345678901, 1, 'bob', 'ada', 8, now(), now(), false)",
            "CREATE ROLE guest LOGIN", "CREATE TABLE empty (payer int, payee int)",
        )  # fmt: skip
        yield started


@pytest.fixture(params=["postgresql", "sqlite", "duckdb"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("server").address)
    path = tmp_path / "bank.db"
    if request.param == "sqlite":
        with sqlite3.connect(path) as made:
            made.execute(TABLE)
            made.execute(FILL)
            made.execute("CREATE TABLE empty (payer int, payee int)")
        made.close()
        return f"sqlite:///{path}"
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as made:
        made.execute(TABLE)
        made.execute(FILL)
        made.execute("CREATE TABLE empty (payer int, payee int)")
    return f"duckdb:///{path}"


def test_a_table_and_a_query_are_the_graph_of_their_rows(address: str) -> None:
    one = Graph.from_edges(EDGES)
    assert read_graph(address, table="payments", source="payer", target="payee") == one
    query = "SELECT payer AS source, payee AS target FROM payments WHERE amount > 1 -- all;\n;"
    assert read_graph(address, query=query) == one
    assert read_graph(address, query="SELECT payer, payee FROM payments") == one
    texts = read_graph(address, table="payments", source="who", target="whom")
    assert texts == Graph.from_edges([(f"n{a:03}", f"n{b:03}") for a, b in EDGES])
    by_number = read_graph(address, table="payments", source=1, target=2, directed=True)
    assert by_number.directed
    assert by_number.arc_count == 6


def test_a_column_of_dates_is_read_beside_the_ends(address: str) -> None:
    """Of any type that holds dates; a row without one is kept."""
    days = {7: "'2024-01-05'", 8: "'2024-02-05'", 9: "NULL"}
    moments = " ".join(f"WHEN {payer} THEN {day}" for payer, day in days.items())
    query = f"SELECT payer, payee, CASE payer {moments} ELSE '2024-03-05' END AS paid FROM payments"  # noqa: S608
    seconds = [1704412800, 1707091200, UNDATED, *[1709596800] * 3]
    read = {"texts": read_graph(address, query=query, date="paid")}
    if not address.startswith("sqlite"):  # which has no types of dates
        for kind in ("date", "timestamp", "timestamptz"):
            typed = (
                f"SELECT payer, payee, (paid || '{'' if kind == 'date' else ' 00:00+00'}')::{kind} AS paid "
            )
            read[kind] = read_graph(address, query=f"{typed} FROM ({query}) AS texts", date=3)
    for kind, graph in read.items():
        assert graph == Graph.from_edges(EDGES), kind
        assert graph.kept["dated"].seconds.tolist() == seconds, kind
        assert graph.node_ids[graph.kept["dated"].ends].tolist() == [list(pair) for pair in EDGES]
    counted = read_graph(address, table="payments", source="payer", target="payee", date="gap", date_unit="s")
    assert counted.kept["dated"].seconds.tolist() == [UNDATED if a == 5 else a for a, _ in EDGES]
    for wrong, said in (
        ({"date": "gap"}, "are numbers; say what they count"),
        ({"date": "who"}, "must hold dates such as"),
        ({"date": "payer"}, "another column than the ends"),
        ({"date": "paid"}, "must be the name of one column"),
    ):
        with pytest.raises(EdgeDPError, match=said) as refused:
            read_graph(address, table="payments", source="payer", target="payee", **wrong)
        assert "\n" not in str(refused.value)


def test_what_is_not_sure_is_asked(address: str) -> None:
    with pytest.raises(UndecidedError, match=r"who \| whom") as asked:
        read_graph(address, query="SELECT who, whom, amount FROM payments")
    assert len(asked.value.question.rows) == 3
    shown = preview(
        address, query="SELECT who, whom, amount FROM payments", **dict(asked.value.question.load)
    )
    assert shown.columns == ("who", "whom", "amount")
    assert shown.edge_count == 6


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no table": ({"table": "payment", "source": "payer", "target": "payee"}, "no such table"),
    "no column": ({"table": "payments", "source": "payed", "target": "payee"}, "must be one of the names"),
    "neither": ({}, "with a table or a query"),
    "both": ({"table": "payments", "query": "SELECT 1"}, "not with both"),
    "no SQL": ({"query": "SELECT payer FROM payments WHERE ("}, "does not understand the query"),
    "a query that writes": (
        {"query": "DELETE FROM payments RETURNING payer, payee"},
        "does not understand the query",
    ),
    "two statements": ({"query": "SELECT 1) AS x; DELETE FROM payments; SELECT * FROM (SELECT 1"}, ""),
    "a gap": ({"table": "payments", "source": "gap", "target": "payee"}, "holds 1 missing values"),
    "no row": ({"table": "empty"}, "holds no row"),
    "decimals": (
        {"table": "payments", "source": "amount", "target": "payee"},
        "must be all integers or all texts",
    ),
    "integers and texts": ({"table": "payments", "source": "payer", "target": "whom"}, "one of texts"),
    "options of texts": ({"table": "payments", "header": True}, "header has no effect"),
}


@pytest.mark.parametrize(("options", "says"), REFUSED.values(), ids=list(REFUSED))
def test_what_cannot_be_read_is_one_sentence(address: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(EdgeDPError) as refused:
        read_graph(address, **options)
    told = str(refused.value)
    assert says in told
    assert "\n" not in told
    assert "SELECT" not in told.replace("SELECT ...", "")
    assert (
        read_graph(address, table="payments", source="payer", target="payee").edge_count == 6
    )  # nothing was deleted


def test_types_of_postgresql_are_what_their_texts_or_numbers_are(server: Server) -> None:
    uuids = read_graph(server.address, table="kinds", source="u1", target="u2")
    assert uuids.node_ids[0] == "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
    assert read_graph(server.address, table="kinds", source="n1", target="n2").node_ids.tolist() == [
        7,
        12345678901,
    ]
    assert read_graph(server.address, table="kinds", source="c1", target="c2").node_ids.tolist() == [
        "ada",
        "bob",
    ]
    assert read_graph(server.address, table="bank.calls", source="payer", target="payee").edge_count == 6
    twice = {"query": "SELECT payer, payer, payee FROM payments", "source": 1, "target": 3}
    with pytest.raises(GraphFormatError, match="two columns 'payer'"):
        read_graph(server.address, **twice)
    for source, says in (("h1", "not an integer of 64 bits"), ("d1", "of type date"), ("t1", "of type bool")):
        with pytest.raises(GraphFormatError, match=says):
            read_graph(server.address, table="kinds", source=source, target="b1")


def test_servers_and_rights(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = f"127.0.0.1:{server.port}"
    for address, says in (
        (f"postgresql://guest@{port}/postgres", "does not let this user read that"),
        (f"postgresql://nobody@{port}/postgres", "does not let this user in"),
        (f"postgresql://postgres@{port}/none", "no database of that name"),
        ("postgresql://postgres@127.0.0.1:1/postgres", "cannot be reached"),
        ("postgresql://postgres@nowhere.invalid/postgres", "cannot be reached"),
    ):
        with pytest.raises(EdgeDPError, match=says):
            read_graph(address, table="payments", source="payer", target="payee")
    for address in (
        f"postgresql://postgres:hunter2@{port}/postgres", f"postgres://{port}/postgres?user=x&password=hunter2",
        "mysql://root:hunter2@localhost/bank", "mssql://sa:hunter2@localhost/bank", "mysql+pymysql://u:hunter2@h/d",
    ):  # fmt: skip
        with pytest.raises(ParameterError) as refused:
            read_graph(address, table="payments")
        assert "hunter2" not in str(refused.value)
    with pytest.raises(ParameterError, match="nodes is a database"):
        read_graph(server.address, nodes=server.address, table="payments")
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n")
    with pytest.raises(ParameterError, match="table has no effect for a file"):
        read_graph(tmp_path / "edges.csv", table="payments")


def test_a_password_comes_from_the_environment_or_its_file(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.run("CREATE ROLE teller LOGIN PASSWORD 'hunter2'", "GRANT SELECT ON payments TO teller")
    rules = server.folder / "data" / "pg_hba.conf"
    rules.write_text("host all teller 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
    server.run("SELECT pg_reload_conf()")
    address = f"postgresql://teller@127.0.0.1:{server.port}/postgres"
    ends = {"table": "payments", "source": "payer", "target": "payee"}
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with pytest.raises(GraphFormatError, match="asks for a password"):
        read_graph(address, **ends)
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(GraphFormatError, match="refused the password"):
        read_graph(address, **ends)
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    assert read_graph(address, **ends).edge_count == 6
    monkeypatch.delenv("PGPASSWORD")
    (tmp_path / ".pgpass").write_text(f"127.0.0.1:{server.port}:*:teller:hunter2\n")
    (tmp_path / ".pgpass").chmod(stat.S_IRUSR | stat.S_IWUSR)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / ".pgpass"))
    assert read_graph(address, **ends).edge_count == 6
    monkeypatch.delenv("PGPASSFILE")
    (tmp_path / ".pgpass").unlink()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda prompt: "hunter2")
    token = databases.FACE.set("command")
    try:
        assert read_graph(address, **ends).edge_count == 6
    finally:
        databases.FACE.reset(token)


def test_all_batches_are_of_one_moment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others write between the look at the columns and the last batch is not read."""
    server.run(
        "CREATE TABLE moving AS SELECT i AS source, i + 1 AS target FROM generate_series(1, 3000) AS i"
    )
    schema = databases._Postgresql.schema

    def and_then(session: Any, statement: str) -> Any:
        found = schema(session, statement)
        server.run("INSERT INTO moving SELECT i, i + 1 FROM generate_series(5000, 6000) AS i")
        return found

    monkeypatch.setattr(databases._Postgresql, "schema", and_then)
    assert read_graph(server.address, table="moving").edge_count == 3000


def test_no_word_of_a_connection_gets_into_the_store_or_its_log(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "load",
        address,
        "--table",
        "payments",
        "--source",
        "payer",
        "--target",
        "payee",
        "--epsilon-budget",
        "1",
    ]
    loaded = CliRunner().invoke(command_line, words)
    assert loaded.exit_code == 0, loaded.output
    assert "payments" in [row["name"] for row in edgedp.open_store().graphs()]
    again = CliRunner().invoke(command_line, [*words, "--dry-run", "--format", "json"])
    assert again.exit_code == 0
    assert '"edge_count": 6' in again.output
    undone = CliRunner().invoke(
        command_line, ["load", address, "--table", "none", "--source", "payer", "--target", "payee"]
    )
    assert undone.exit_code == 1
    assert len(edgedp.open_store().graphs()) == 1


def test_progress_counts_rows(address: str) -> None:
    seen: list[tuple[str, int, int | None]] = []
    options = checked_options(table="payments", source="payer", target="payee")
    read_source(address, options=options, progress=lambda *each: seen.append(each))
    assert ("reading rows", 6, None) in seen


def test_files_that_are_no_database(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("source,target\n1,2\n" * 200)
    for kind in ("sqlite", "duckdb"):
        if kind == "duckdb":
            pytest.importorskip("duckdb")
        with pytest.raises(GraphFormatError, match="not a file of that database"):
            read_graph(f"{kind}:///{tmp_path}/text.db", table="payments")
        with pytest.raises(UnknownNameError, match="does not exist"):
            read_graph(f"{kind}:///{tmp_path}/none.db", table="payments")
    assert not (tmp_path / "none.db").exists()


def test_sqlite_mixes_no_types(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "mixed.db") as made:
        made.execute("CREATE TABLE edges (source, target)")
        made.executemany(
            "INSERT INTO edges VALUES (?, ?)", [(i, i + 1) for i in range(databases.BATCH)] + [("1", "2")]
        )
    made.close()
    with pytest.raises(GraphFormatError, match="integers and texts in one column"):
        read_graph(f"sqlite:///{tmp_path}/mixed.db", table="edges")


@pytest.mark.wide
def test_a_server_that_stops_in_the_middle_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgresql() as server:
        server.run(
            "CREATE TABLE many AS SELECT i AS source, i + 1 AS target FROM generate_series(1, 2000000) AS i"
        )
        monkeypatch.chdir(tmp_path)
        stopped = False

        def stop(stage: str, done: int, total: int | None, /) -> None:
            nonlocal stopped
            if stage == "reading rows" and done and not stopped:
                stopped = True
                server.control("-m", "immediate", "stop")

        with pytest.raises(GraphFormatError, match="broke off in the middle"):
            read_source(server.address, options=checked_options(table="many"), progress=stop)
        assert stopped
        with pytest.raises(GraphFormatError, match="cannot be reached"):
            read_graph(server.address, table="many")


@pytest.mark.wide
def test_a_load_that_is_killed_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    with postgresql() as server:
        server.run(
            "CREATE TABLE many AS SELECT i AS source, i + 1 AS target FROM generate_series(1, 3000000) AS i"
        )
        words = [
            sys.executable,
            "-m",
            "edgedp",
            "load",
            server.address,
            "--table",
            "many",
            "--epsilon-budget",
            "1",
        ]
        loading = subprocess.Popen(
            words, cwd=tmp_path, env=os.environ | {"EDGEDP_STORE": str(tmp_path / "store")}
        )
        active = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND state = 'active'"
        while server.run(active) != "1" and loading.poll() is None:
            time.sleep(0.01)
        loading.send_signal(signal.SIGKILL)
        loading.wait()
        assert not (tmp_path / "store").exists() or edgedp.open_store(tmp_path / "store").graphs() == []
        while server.run(active) != "0":  # the server notices, and keeps no transaction
            time.sleep(0.05)
