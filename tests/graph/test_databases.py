"""Edges of databases, by real ones: PostgreSQL and MariaDB on ports of their own, files of SQLite and DuckDB."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

import edgedp
from databases import MariaDB, Server, cut_after, mariadb, postgresql
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
    StoreError,
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


@pytest.fixture(scope="module")
def maria() -> Iterator[MariaDB]:
    with mariadb() as started:
        started.run("USE bank", TABLE, FILL, "CREATE TABLE empty (payer int, payee int)")
        yield started


@pytest.fixture(params=["postgresql", "mysql", "sqlite", "duckdb"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param in ("postgresql", "mysql"):
        return str(request.getfixturevalue({"mysql": "maria"}.get(request.param, "server")).address)
    path = tmp_path / "bank.db"
    if request.param == "sqlite":
        with closing(sqlite3.connect(path)) as made, made:
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
    kinds = {"sqlite": (), "mysql": ("date", "datetime")}  # SQLite has no types of dates
    for kind in kinds.get(address.partition(":")[0], ("date", "timestamp", "timestamptz")):
        moment = f"(paid || '{'' if kind == 'date' else ' 00:00+00'}')::{kind}"
        if address.startswith("mysql"):
            moment = f"CAST(paid AS {kind})"
        typed = f"SELECT payer, payee, {moment} AS paid"
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
        ({"date": "paid"}, "must be one of the names"),
    ):
        with pytest.raises(EdgeDPError, match=said) as refused:
            read_graph(address, table="payments", source="payer", target="payee", **wrong)
        assert "\n" not in str(refused.value)


READ = "import sys, edgedp; print(*edgedp.read_graph(sys.argv[1], query=sys.argv[2], date=3).kept['dated'].seconds)"


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Put this process, its sessions and the driver that it starts into a zone."""

    def moved(zone: str) -> None:
        for name in ("TZ", "PGTZ"):
            monkeypatch.setenv(name, zone)
        time.tzset()

    yield moved
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("kind", ["postgresql", "mysql", "duckdb"])
def test_a_row_is_of_the_same_day_in_every_time_zone(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, in_zone: Callable[[str], None]
) -> None:
    """Of this machine, of its session, or of the server: a row in two windows is paid for in neither as one."""
    made = "CREATE TABLE moments (payer INTEGER, payee INTEGER, paid {0})"
    filled = "INSERT INTO moments VALUES (1, 2, '2024-01-01 00:30:00+00'), (2, 3, '2023-12-31 23:59:59+00')"
    query = "SELECT payer, payee, CAST(paid AS DATE) AS paid FROM moments"
    if kind == "duckdb":
        address = f"duckdb:///{tmp_path}/bank.db"
        with pytest.importorskip("duckdb").connect(f"{tmp_path}/bank.db") as connection:
            connection.execute(made.format("TIMESTAMPTZ"))
            connection.execute(filled)
    elif kind == "postgresql":
        server = request.getfixturevalue("server")
        server.run(made.format("TIMESTAMPTZ"), filled)
        address = server.address
    else:
        maria = request.getfixturevalue("maria")
        maria.run(
            "USE bank", "SET time_zone = '+00:00'", made.format("TIMESTAMP"), filled.replace("+00", ""),
            "SET GLOBAL time_zone = '-05:00'",
        )  # fmt: skip
        address = maria.address
    try:
        for zone in ("America/New_York", "Asia/Kolkata"):
            in_zone(zone)
            if kind == "duckdb":  # which asks once in a process where it is
                done = subprocess.run(
                    [sys.executable, "-c", READ, address, query], capture_output=True, text=True
                )
                assert done.returncode == 0, done.stderr
                seconds = [int(each) for each in done.stdout.split()]
            else:
                seconds = read_graph(address, query=query, date=3).kept["dated"].seconds.tolist()
            assert sorted(seconds) == [1703980800, 1704067200], zone
    finally:
        if kind == "mysql":
            maria.run("SET GLOBAL time_zone = SYSTEM")


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
    "options of texts": ({"table": "payments", "header": True}, "header is not an option of a table"),
}


@pytest.mark.parametrize(("options", "says"), REFUSED.values(), ids=list(REFUSED))
def test_what_cannot_be_read_is_one_sentence(address: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(EdgeDPError) as refused:
        read_graph(address, **options)
    told = str(refused.value)
    assert says in told
    assert "\n" not in told
    assert "SELECT" not in told.replace("SELECT ...", "")
    if "query" in options:  # nothing was deleted
        assert read_graph(address, table="payments", source="payer", target="payee").edge_count == 6


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


def test_a_driver_that_an_address_names_for_other_programs_is_left_out(server: Server) -> None:
    plain = server.address.partition("://")[2]
    for scheme in ("postgres", "POSTGRESQL", "postgresql+psycopg2", "Postgresql+asyncpg"):
        assert (
            read_graph(f"{scheme}://{plain}", table="payments", source="payer", target="payee").edge_count
            == 6
        )


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
        "oracle://ada:hunter2@localhost/bank",
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


def test_a_password_of_mysql_comes_from_the_environment_its_file_or_a_terminal(
    maria: MariaDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    maria.run(
        "CREATE OR REPLACE USER teller IDENTIFIED BY 'hunter2:@/'", "GRANT SELECT ON bank.payments TO teller"
    )
    address = f"mysql://teller@127.0.0.1:{maria.port}/bank"
    ends = {"table": "payments", "source": "payer", "target": "payee"}
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RUST_LOG", "trace")
    monkeypatch.delenv("MYSQL_PWD", raising=False)
    aborted = int(maria.run("SHOW GLOBAL STATUS LIKE 'Aborted_connects'").split()[1])
    with pytest.raises(GraphFormatError, match="asks for a password; give it in MYSQL_PWD"):
        read_graph(address, **ends)
    monkeypatch.setenv("MYSQL_PWD", "wrong")
    with pytest.raises(GraphFormatError, match="refused the password"):
        read_graph(address, **ends)
    refused = maria.run("SHOW GLOBAL STATUS LIKE 'Aborted_connects'").split()[1]
    assert int(refused) - aborted == 2  # a wrong password is tried once
    monkeypatch.setenv("MYSQL_PWD", "hunter2:@/")
    assert read_graph(address, **ends).edge_count == 6
    for table, says in (
        ("empty", "does not let this user read that"),
        ("mysql.user", "let this user read that"),
    ):
        with pytest.raises(EdgeDPError, match=says):
            read_graph(address, **ends | {"table": table})
    monkeypatch.delenv("MYSQL_PWD")
    (tmp_path / ".my.cnf").write_text(
        "!includedir /none\n[client]\nuser = teller\npassword = 'hunter2:@/'\nquick\n"
    )
    assert read_graph(address.replace("teller@", ""), **ends).edge_count == 6
    with pytest.raises(GraphFormatError, match="asks for a password"):  # the file's is somebody else's
        read_graph(address.replace("teller@", "ada@"), **ends)
    (tmp_path / ".my.cnf").write_text("no section\n")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda prompt: "hunter2:@/")
    token = databases.FACE.set("command")
    try:
        assert read_graph(address, **ends).edge_count == 6
    finally:
        databases.FACE.reset(token)
    assert capfd.readouterr() == ("", "")


def test_what_mysql_cannot_give_is_one_sentence_and_prints_nothing(
    maria: MariaDB, capfd: pytest.CaptureFixture[str]
) -> None:
    maria.run("USE bank", "CREATE OR REPLACE TABLE odd (payer INT, payee INT, paid DATE, g GEOMETRY)",
              "SET sql_mode = ''", "INSERT INTO odd VALUES (4242, 8, '0000-00-00', POINT(1, 1))")  # fmt: skip
    here = f"127.0.0.1:{maria.port}"
    ends = {"source": "payer", "target": "payee"}
    for address, asked, says in (
        (maria.address, {"table": "odd"}, "holds a value or a type that its driver does not take"),
        (maria.address, {"query": "SELECT payer, payee, paid FROM odd"}, "holds a value or a type"),
        (maria.address, {"query": "SELECT payer, payee, payee FROM odd"}, "two columns of one name"),
        (f"mysql://root@{here}/none", {"table": "odd"}, "no database of that name"),
        (f"mysql://root@{here}", {"table": "odd"}, "add the name of a database"),
        (f"mysql://nobody@{here}/bank", {"table": "odd"}, "asks for a password"),
        (f"mysql://root@{here}/bank?ssl-mode=REQUIRED", {"table": "odd"}, "how a connection is encrypted"),
        (
            f"mysql://root@{here}/bank?colour=red",
            {"table": "odd"},
            "such a setting; correct what stands after",
        ),
        ("mysql://root@127.0.0.1:1/bank", {"table": "odd"}, "cannot be reached"),
        ("mysql://root@nowhere.invalid/bank", {"table": "odd"}, "cannot be reached"),
    ):
        with pytest.raises(EdgeDPError, match=says) as refused:
            read_graph(address, **ends, **asked)
        assert "4242" not in str(refused.value)
    assert read_graph(maria.address, query="SELECT payer, payee FROM odd").edge_count == 1
    assert read_graph(f"mariadb://root@{here}", table="bank.payments", **ends).edge_count == 6
    assert capfd.readouterr() == ("", "")


def test_ids_of_mysql_are_what_their_types_say(maria: MariaDB) -> None:
    maria.run("USE bank", "CREATE OR REPLACE TABLE kinds (n1 DECIMAL(20), n2 DECIMAL(20, 2), h DECIMAL(9, 1), u BIGINT "
              "UNSIGNED, v BIGINT UNSIGNED, c CHAR(6), t TEXT, e ENUM('bob'), k UUID, b VARBINARY(3), `odd``name` INT)",
              "INSERT INTO kinds VALUES (12345678901, 7, 0.5, 1, 18446744073709551615, 'ada', 'Zoë', 'bob', uuid(), "
              "'ab', 3)")  # fmt: skip

    def ids(source: str, target: str) -> list[Any]:
        return list(read_graph(maria.address, table="kinds", source=source, target=target).node_ids.tolist())

    assert ids("n1", "n2") == [7, 12345678901]
    assert ids("u", "odd`name") == [1, 3]
    assert ids("c", "t") == ["Zoë", "ada"] or ids("c", "t") == ["ada", "Zoë"]
    assert len(ids("e", "k")) == 2
    for source, says in (
        ("h", "not an integer of 64 bits"),
        ("v", "beyond 64 bits"),
        ("b", "of type .*binary"),
    ):
        with pytest.raises(GraphFormatError, match=says):
            read_graph(maria.address, table="kinds", source=source, target="u")


def test_a_table_of_a_server_is_an_address_and_is_read_again(
    maria: MariaDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`register --edges` and `refresh`: what stands in the ledger has no password, and other rows are other answers."""
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    maria.run("USE bank", "CREATE OR REPLACE TABLE moving AS SELECT payer AS source, payee AS target FROM payments",
              "CREATE OR REPLACE USER clerk IDENTIFIED BY 'hunter2'",
              "GRANT SELECT ON bank.moving TO clerk")  # fmt: skip
    monkeypatch.setenv("MYSQL_PWD", "hunter2")
    address = f"mysql://clerk@127.0.0.1:{maria.port}/bank"
    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        store.register_edges("pay", address, table="moving", epsilon_budget=3)
        store.load(read_graph(address, table="moving"), "copy", epsilon_budget=3)
        assert store.graph("pay").edge_count == store.graph("copy").edge_count == 6
        maria.run("DELETE FROM bank.moving WHERE source = 5", "INSERT INTO bank.moving VALUES (5, 1), (1, 9)")
        assert store.graph("pay").edge_count == 7
        store.refresh("copy")
        assert store.graph("copy").edge_count == 7
        assert store.priv_top_k("pay", "degree", 1, 1).private
        with pytest.raises(StoreError, match="is kept under the name"):
            store.register_edges(
                "again", address, query="SELECT source, target FROM moving", epsilon_budget=3
            )
        monkeypatch.setenv("MYSQL_PWD", "wrong")
        before = store.budget("pay")["epsilon_spent"]
        with pytest.raises(EdgeDPError, match="refused the password"):
            store.priv_top_k("pay", "degree", 1, 1)
        assert store.budget("pay")["epsilon_spent"] == before
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"hunter2" not in file.read_bytes()


def test_a_view_is_no_address_for_its_rows_have_the_ledger_of_their_table(
    address: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither when it is registered, nor where it took the place of a table since, or between a debit and its read."""
    change = _changes(address, request)
    seen, its = (f"CREATE VIEW {name} AS SELECT payer, payee FROM payments" for name in ("seen", "its"))  # noqa: S608
    change("CREATE TABLE its AS SELECT payer, payee FROM payments", seen)
    ends = {"source": "payer", "target": "payee"}
    draw = edgedp.Store._draw

    def changed(self: edgedp.Store, *given: Any) -> Any:
        change("DROP TABLE its", its)
        return draw(self, *given)

    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        for table in ("payments", "its"):
            store.register_edges(table, address, table=table, **ends, epsilon_budget=3)
        with pytest.raises(ParameterError, match="a table with rows of its own"):
            store.register_edges("seen", address, table="seen", **ends, epsilon_budget=3)
        assert store.priv_top_k("its", "degree", 1, 1).private
        monkeypatch.setattr(edgedp.Store, "_draw", changed)
        with pytest.raises(StoreError, match="could not be read as they were registered"):
            store.priv_top_k("its", "degree", 1, 1)
        with pytest.raises(StoreError, match=r"with rows of its own .* nothing was spent"):
            store.priv_top_k("its", "degree", 1, 1)
        assert [store.budget(name)["epsilon_spent"] for name in ("its", "payments")] == [2, 0]
    change("DROP VIEW its", "DROP VIEW seen")


def test_a_partition_is_no_address_for_its_rows_have_the_ledger_of_the_whole(
    server: Server, tmp_path: Path
) -> None:
    server.run(
        "CREATE TABLE whole (payer int, payee int) PARTITION BY RANGE (payer)",
        "CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (9)",
        "INSERT INTO whole VALUES (1, 2), (2, 3)",
    )
    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        store.register_edges("whole", server.address, table="whole", epsilon_budget=3, source=1, target=2)
        with pytest.raises(ParameterError, match="a table with rows of its own"):
            store.register_edges("part", server.address, table="part", epsilon_budget=3, source=1, target=2)


_FULL_TEXT = "CREATE VIRTUAL TABLE found USING fts5(payer, payee, content='payments')"
OF_OTHERS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "postgresql": (
        [
            "CREATE FOREIGN DATA WRAPPER far", "CREATE SERVER there FOREIGN DATA WRAPPER far",
            "CREATE FOREIGN TABLE far (payer int, payee int) SERVER there",
            "CREATE TABLE wide (payer int, payee int) PARTITION BY RANGE (payer)",
            "CREATE FOREIGN TABLE wide_far PARTITION OF wide FOR VALUES FROM (0) TO (9) SERVER there",
            f"CREATE TABLE {'t' * 63} (payer int, payee int)", f"INSERT INTO {'t' * 63} VALUES (1, 2)",  # noqa: S608
            "CREATE TABLE above (payer int, payee int)", "CREATE TABLE below () INHERITS (above)",
            "INSERT INTO below SELECT payer, payee FROM payments",
        ],
        ["postgres.public.payments", "far", "wide", "below", "t" * 64, "calls", "pg_class"],
        ["bank.calls", "above", "t" * 63],
    ),
    "mysql": (
        [
            "CREATE OR REPLACE TABLE one (payer int, payee int) ENGINE = MyISAM", "INSERT INTO one VALUES (1, 2)",
            "CREATE OR REPLACE TABLE merged (payer int, payee int) ENGINE = MRG_MyISAM UNION = (one)",
            "CREATE OR REPLACE TABLE dated (payer int, payee int) WITH SYSTEM VERSIONING",
            "INSERT INTO dated VALUES (1, 2)",
            "CREATE OR REPLACE TABLE parts (payer int, payee int) PARTITION BY HASH (payer) PARTITIONS 2",
            "INSERT INTO parts VALUES (1, 2)",
        ],
        ["merged", "seq_1_to_5"],
        ["one", "dated", "parts"],
    ),
    "sqlite": ([_FULL_TEXT], ["found", "main.main.payments", "json_each"], ["Main.Payments"]),
    "duckdb": (
        ["CREATE SCHEMA other", "CREATE TABLE other.calls AS SELECT payer, payee FROM payments",
         "CREATE MACRO made() AS TABLE SELECT payer, payee FROM payments"],
        ["bank.payments", "bank.main.payments", "made", "made()", "duckdb_tables"],
        ["other.calls", "Main.Payments"],
    ),
}  # fmt: skip
"""Of each database: what is made, names of rows of other tables or of one under another name, names of own rows."""


def test_only_a_table_with_rows_of_its_own_is_an_address_and_by_one_name(
    address: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    made, others, own = OF_OTHERS[address.partition(":")[0]]
    _changes(address, request)(*made)
    there = databases.database_of(address)
    assert there is not None
    assert [table for table in [*others, *own] if there.has_own_rows(table)] == own
    ends = {"source": "payer", "target": "payee", "epsilon_budget": 3}
    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        with pytest.raises(ParameterError, match=r"a table with rows of its own .* with its schema"):
            store.register_edges("g", address, table=others[0], **ends)
        store.register_edges("g", address, table=own[0], **ends)
        assert store.count("g", "edges", 1).private


def test_a_table_is_known_by_the_letters_that_its_server_has(tmp_path: Path) -> None:
    """Where a server lowers names by rules of its own, other letters would be another account for the same rows."""
    with mariadb("--lower-case-table-names=1") as server:
        server.run("USE bank", "SET NAMES utf8mb4", TABLE.replace("payments", "ΟΔΟΣ"),
                   FILL.replace("payments", "ΟΔΟΣ"))  # fmt: skip
        ends = {"source": "payer", "target": "payee", "epsilon_budget": 3}
        with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
            store.register_edges("g", server.address, table="οδοσ", **ends)
            assert store.count("g", "edges", 1).private
            with pytest.raises(ParameterError, match="a table with rows of its own"):
                store.register_edges("h", server.address, table="ΟΔΟΣ", **ends)


def test_a_table_of_sql_server_is_known_by_its_letters_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It compares names without width, a blank behind them and more; its driver is a double that always finds one."""
    pytest.importorskip("connectorx")
    found = "pa.table({{'base': ['Bank'], 'aside': ['dbo'], 'one': ['Payments']}})"
    double = RECORDED.replace('pa.table({{"payer": [1, 2], "payee": [2, 3]}})', found)
    assert found in double
    (tmp_path / "connectorx.py").write_text(double.format(file=str(tmp_path / "asked")))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as there:
        database = databases.database_of(f"mssql://sa@127.0.0.1:{there.getsockname()[1]}/BANK")
        assert database is not None
        names = ["payments", "DBO.Payments", "bank.dbo.payments", "payments ", "ｐayments", "ｄbo.payments"]
        assert [name for name in names if database.has_own_rows(name)] == names[:3]


def test_a_bare_name_means_the_schema_of_its_place_wherever_the_server_would_look(
    server: Server, tmp_path: Path
) -> None:
    """Else a role's search path would move the rows to another table, under the ledger of this one."""
    server.run(
        "CREATE SCHEMA aside", "CREATE TABLE aside.twice AS SELECT payer, payee FROM payments",
        "CREATE TABLE twice AS SELECT 1 AS payer, 2 AS payee", "CREATE TABLE aside.once AS TABLE twice",
        "CREATE ROLE moved LOGIN IN ROLE pg_read_all_data",
    )  # fmt: skip
    address = server.address.replace("postgres@", "moved@")
    ends = {"source": "payer", "target": "payee", "epsilon_budget": 3}
    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        row = store.register_edges("g", f"{address}?options=-csearch_path%3Daside", table="twice", **ends)
        assert row["exact"]["edge_count"] == 1
        server.run("ALTER ROLE moved SET search_path = aside")
        store.register_edges("aside", address, table="aside.twice", **ends)
        assert store.graph("g").edge_count == 1
        with pytest.raises(ParameterError, match=r"table is 'public.once', which the"):
            store.register_edges("once", address, table="once", **ends)
    assert read_graph(address, table="once", source="payer", target="payee").edge_count == 1


def test_an_address_leads_to_its_place_whatever_the_variables_say_by_now(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"table": "payments", "source": "payer", "target": "payee", "epsilon_budget": 3}
    monkeypatch.setenv("PGHOST", "127.0.0.1")
    monkeypatch.setenv("PGPORT", str(server.port))
    with edgedp.open_store(tmp_path / "graphs.edgedp") as store:
        store.register_edges("g", "postgresql://postgres@/postgres", **asked)
        with pytest.raises(StoreError, match="under the name 'g'"):
            store.register_edges("h", server.address, **asked)
        assert store.count("g", "edges", 1).private
        monkeypatch.setenv("PGPORT", "1")
        with pytest.raises(StoreError, match=r"by a link or a variable .* nothing was spent"):
            store.count("g", "edges", 1)
        assert store.budget("g")["epsilon_spent"] == 1


def _changes(address: str, request: pytest.FixtureRequest) -> Any:
    kind = address.partition(":")[0]
    if kind == "postgresql":
        return request.getfixturevalue("server").run
    if kind == "mysql":
        return lambda *statements: request.getfixturevalue("maria").run("USE bank", *statements)
    path = address.partition(":///")[2]

    def run(*statements: str) -> None:
        connect = sqlite3.connect if kind == "sqlite" else pytest.importorskip("duckdb").connect
        with closing(connect(path)) as made:
            for each in statements:
                made.execute(each)
            made.commit()

    return run


def test_batches_of_mysql_are_of_one_moment_and_its_transaction_only_reads(maria: MariaDB) -> None:
    count = 400_000
    maria.run(
        "USE bank",
        f"CREATE OR REPLACE TABLE many AS SELECT seq AS source, seq + 1 AS target FROM seq_1_to_{count}",  # noqa: S608
    )
    database = databases.database_of(maria.address)
    assert database is not None
    with database.session() as session:
        rows = 0
        for batch in session.batches("SELECT source, target FROM many"):
            if not rows:
                maria.run("INSERT INTO bank.many SELECT seq, seq FROM bank.seq_1000000_to_1100000")
            rows += batch.num_rows
        assert rows == count
        assert session.schema("SELECT @@in_transaction, @@tx_isolation")[2] == [(1, "REPEATABLE-READ")]
        with pytest.raises(GraphFormatError):
            session.schema("UPDATE many SET source = 1")
    assert maria.run("SELECT count(*) FROM bank.many WHERE source = 1") == "1"


RECORDED = """
import json, sys
import pyarrow as pa

def read_sql(address, statement, **rest):
    with open({file!r}, "a") as file:
        file.write(json.dumps([address, statement, rest["pre_execution_query"]]) + "\\n")
    table = pa.table({{"payer": [1, 2], "payee": [2, 3]}})
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
"""


def test_what_is_sent_to_the_driver_of_sql_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No server of it was at hand: its driver is a double, which keeps what it is given."""
    pytest.importorskip("connectorx")
    (tmp_path / "connectorx.py").write_text(RECORDED.format(file=str(tmp_path / "asked")))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SQLCMDPASSWORD", "hunter2@")
    with socket.create_server(("127.0.0.1", 0)) as there:
        address = f"mssql://sa@127.0.0.1:{there.getsockname()[1]}/bank"
        graph = read_graph(address, table="dbo.payments", source="payer", target="payee")
        assert graph == Graph.from_edges([(1, 2), (2, 3)])
        read_graph(address, query="SELECT payer, payee FROM payments;", source="payer", target="payee")
    asked = [json.loads(line) for line in (tmp_path / "asked").read_text().splitlines()]
    host = address.partition("@")[2]
    assert {each[0] for each in asked} == {f"mssql://sa:hunter2%40@{host}?encrypt=true"}
    assert {each[2] for each in asked} == {None}
    assert [each[1] for each in asked] == [
        "SELECT 1 AS one",
        "SELECT TOP (3) * FROM [dbo].[payments] WITH (HOLDLOCK)",
        "SELECT [payer], [payee] FROM [dbo].[payments] WITH (HOLDLOCK)",
        "SELECT 1 AS one",
        "SELECT TOP (3) * FROM (\nSELECT payer, payee FROM payments\n) AS edges",
        "SELECT [payer], [payee] FROM (\nSELECT payer, payee FROM payments\n) AS edges",
    ]
    with pytest.raises(GraphFormatError, match="cannot be reached"):
        read_graph("mssql://sa@127.0.0.1:1/bank", table="payments")
    monkeypatch.setattr(databases, "find_spec", lambda name: None)
    with pytest.raises(GraphFormatError, match=r"install edgedp\[mssql\]"):
        read_graph(address, table="payments")


def test_a_stream_that_only_ends_is_not_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends between two batches says nothing: its rows so far are no graph."""
    pytest.importorskip("connectorx")
    ends = """
def ended():
    import os
    yield pa.record_batch({'payer': [1], 'payee': [2]})
    sys.stdout.flush()
    os._exit(0)
"""
    double = RECORDED.format(file=str(tmp_path / "asked")) + ends
    double = double.replace(
        "table.to_batches())",
        "ended() if 'TOP' not in statement and '1 AS' not in statement else table.to_batches())",
    )
    (tmp_path / "connectorx.py").write_text(double)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        socket.create_server(("127.0.0.1", 0)) as there,
        pytest.raises(GraphFormatError, match="broke off"),
    ):
        read_graph(
            f"mssql://sa@127.0.0.1:{there.getsockname()[1]}/bank", table="payments", source=1, target=2
        )


@pytest.mark.skipif(sys.platform != "linux", reason="Linux sends a signal with the end of a process")
def test_a_driver_ends_with_the_process_that_asks_even_while_its_statement_runs(tmp_path: Path) -> None:
    """It holds a password, a connection and a transaction, and a read that is waited for stops all of its Python."""
    waits = "import ctypes, os, pathlib\ndef read_sql(*given, **more):\n"
    waits += f"    pathlib.Path({str(tmp_path / 'new')!r}).write_text(str(os.getpid()))\n"
    waits += f"    os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'pid')!r})\n"
    waits += "    ctypes.PyDLL(None).sleep(600)  # and keeps the lock of Python\n"
    (tmp_path / "connectorx.py").write_text(waits)
    asks = "from edgedp.graph.reading.sources.apart import Driver; Driver('mysql://h/b').rows('SELECT 1')"
    asking = subprocess.Popen([sys.executable, "-c", asks], env=os.environ | {"PYTHONPATH": str(tmp_path)})
    while not (tmp_path / "pid").exists():
        assert asking.poll() is None
        time.sleep(0.02)
    driver = Path("/proc", (tmp_path / "pid").read_text(), "cmdline")
    assert b"apart.py" in driver.read_bytes()
    asking.kill()
    asking.wait()
    with suppress(OSError):
        while driver.read_bytes():  # of a corpse it is empty
            time.sleep(0.02)


@pytest.mark.wide
def test_a_server_of_mysql_that_ends_in_the_middle_leaves_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with mariadb() as server:
        server.run(
            "USE bank", "CREATE TABLE many AS SELECT seq AS source, seq + 1 AS target FROM seq_1_to_2000000"
        )

        def end(stage: str, done: int, total: int | None, /) -> None:
            if stage == "reading rows" and done:
                server.process.kill()

        with pytest.raises(GraphFormatError, match="broke off in the middle"):
            read_source(server.address, options=checked_options(table="many"), progress=end)
        with pytest.raises(GraphFormatError, match="cannot be reached"):
            read_graph(server.address, table="many")
    assert capfd.readouterr() == ("", "")


def test_a_connection_that_is_cut_anywhere_says_so_and_leaves_nothing(maria: MariaDB, server: Server) -> None:
    """Each place has failures of its own in a driver: greeting, account, columns, rows, between packets, the end."""
    maria.run("USE bank", "CREATE TABLE cut AS SELECT seq AS source, seq + 1 AS target FROM seq_1_to_20000")
    server.run("CREATE TABLE cut AS SELECT i AS source, i + 1 AS target FROM generate_series(1, 20000) AS i")
    for address in (maria.address, server.address):
        port = urlsplit(address).port
        assert port is not None

        def through(way: int, address: str = address, port: int = port) -> Graph:
            return read_graph(address.replace(f":{port}/", f":{way}/"), table="cut")

        with cut_after(port, math.inf) as (way, passed):
            assert through(way).edge_count == 20000
            whole = passed()
        assert whole > 20000 * 8, "a driver that finds a way of its own may find another server at its end"
        said = set()
        for room in [
            *range(1, 4000, 999),
            *range(4001, whole - 40, whole // 3),
            *range(whole - 40, whole, 13),
        ]:
            with cut_after(port, room) as (way, _):
                try:
                    assert through(way).edge_count == 20000
                    assert room > whole - 40, "only words of parting were cut off"
                except GraphFormatError as refused:
                    said.add(str(refused).replace(str(way), "PORT").partition("' ")[2])
        assert said - {"cannot be reached; check host, port and network"} == {
            "broke off in the middle; load it again"
        }


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


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:12/cret@db.example.org/bank", "mysql://ada:cr?et@db.example.org/bank",
        "mssql://ada:cr#et@db.example.org/bank", "mariadb://ada:[cret@db.example.org/bank",
        "postgresql://db.example.org/bank?p%61ssword=cret", "mysql+pymysql://ada:cret@db.example.org/bank",
        "oracle://ada:12/cret@db.example.org/bank",
    ],
)  # fmt: skip
def test_a_password_is_refused_and_not_shown_however_it_is_written(address: str) -> None:
    with pytest.raises(ParameterError) as refused:
        databases.database_of(address)
    assert not any(part in str(refused.value) for part in ("cret", "cr?", "cr#", ":12", "ada"))
    assert databases.database_of("sqlite:///a@b/bank.db") is not None


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
    with closing(sqlite3.connect(tmp_path / "mixed.db")) as made, made:
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


@pytest.mark.parametrize(("late", "kind"), [("z", "TEXT"), (1.5, "FLOAT"), (7, "INTEGER")])
def test_values_of_sqlite_may_begin_late(
    late: Any, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "BATCH", 2)
    with closing(sqlite3.connect(tmp_path / "bank.db")) as made, made:
        made.execute("CREATE TABLE edges (payer, payee, kept, number)")
        rows = [(1, 2, None, 5), (2, 3, None, 6), (3, 4, late, 0.5), (4, 5, None, None)]
        made.executemany("INSERT INTO edges VALUES (?, ?, ?, ?)", rows)
    options = {"source": "payer", "target": "payee", "columns": ["kept", "number"]}
    kept = read_graph(f"sqlite:///{tmp_path}/bank.db", table="edges", **options).kept["columns"].columns
    assert kept["kept"].parts[kind].to_list() == [None, None, late, None]
    assert kept["number"].parts["FLOAT"].to_list() == [5, 6, 0.5, None]


def test_values_of_sqlite_of_several_types_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "BATCH", 1)
    with closing(sqlite3.connect(tmp_path / "bank.db")) as made, made:
        made.execute("CREATE TABLE edges (payer, payee, kept)")
        made.execute("INSERT INTO edges VALUES (1, 2, 'z'), (2, 3, 5)")
    with pytest.raises(GraphFormatError, match="holds values of several types"):
        read_graph(
            f"sqlite:///{tmp_path}/bank.db", table="edges", source="payer", target="payee", columns=["kept"]
        )


def test_decimals_of_postgresql_are_kept_and_weigh_and_a_time_may_be_infinite(server: Server) -> None:
    server.run(
        "CREATE TABLE owed (payer int, payee int, amount numeric(10, 2), until timestamptz, day date)",
        "INSERT INTO owed VALUES (1, 2, 2.50, 'infinity', '-infinity'), (2, 3, NULL, '-infinity', 'infinity')",
        "INSERT INTO owed VALUES (3, 1, NULL, NULL, NULL), (3, 1, NULL, '2024-02-29', '2024-02-29')",
    )
    try:
        options = {"table": "owed", "source": "payer", "target": "payee"}
        graph = read_graph(server.address, columns=["amount", "until", "day"], **options)
        kept = graph.kept["columns"].columns
        assert kept["amount"].parts["FLOAT"].to_list() == [2.5, None, None, None]
        for name, way in (("until", 1), ("day", -1)):
            later, sooner, *rest = kept[name].parts["MOMENT"].to_list()
            assert way * later > 10**17
            assert way * sooner < -(10**17)
            assert rest == [None, 1_709_164_800_000_000]
        weighed = read_graph(server.address, weight={"property": "amount", "cap": 9}, **options)
        assert weighed.weights is not None
        assert weighed.weights.tolist() == [2, 0, 2, 0, 0, 0]
    finally:
        server.run("DROP TABLE owed")
