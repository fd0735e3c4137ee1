"""Loading from the command line: options, names, and what may be shown on a terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edgedp import open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.graph.reading.sources.locating import name_of
from edgedp.words.errors import ParameterError
from edgedp.words.shown import address_shown, shown

PAYMENTS = "date,payer,payee,amount\n2024-01-31,007,8,10\n2024-02-01,8,9,10\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("EDGEDP_STORE", "NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "payments.csv").write_text(PAYMENTS)
    return tmp_path


def run(*words: str, status: int = 0, **options: Any) -> Result:
    done = CliRunner().invoke(command_line, list(words), **options)
    assert done.exit_code == status, done.output
    if status == 1:
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""
    return done


def test_what_is_refused_names_the_option_that_helps() -> None:
    Path("unknown.csv").write_text("von,nach\n007,8\n8,9\n")
    refused = run("load", "unknown.csv", status=1)
    assert "begin with 007 | 8; 8 | 9" in refused.stderr
    assert "--source von --target nach" in refused.stderr
    assert run("load", "unknown.csv", "--source", "von", "--target", "nach").exit_code == 0
    done = run("load", "payments.csv", "--source", "payer", "--target", "payee")
    assert "first edge as read: 007 - 8 (line 2, columns payer and payee)" in done.stdout
    assert "'007' would change as a number" in done.stdout
    assert open_store("graphs.edgedp").graph("payments").node_ids.tolist() == ["007", "8", "9"]


def test_every_option(folder: Path) -> None:
    words = ["load", "payments.csv", "--source", "2", "--target", "3"]
    done = run(
        *words, "--header", "--separator", "comma", "--ids", "integer", "--comments", "none", "--refresh"
    )
    assert "ids: integers, as asked" in done.stdout
    assert open_store("graphs.edgedp").graph("payments").node_ids.tolist() == [7, 8, 9]
    (folder / "nodes").write_text("kunde\n7\n8\n9\n10\n")
    done = run(*words, "--ids", "integer", "--nodes", "nodes", "--replace", "--nodes-header")
    assert "the file of nodes begins with '7'; its first line is names of columns" in done.stdout.replace(
        "\n", " "
    )
    assert open_store("graphs.edgedp").graph("payments").node_count == 4


def test_standard_input_needs_a_name() -> None:
    assert "--name" in run("load", "-", status=1, input="1,2\n").stderr
    done = run("load", "-", "--name", "piped", input="1,2\n2,3\n")
    assert "standard input: 3 nodes, 2 edges" in done.stdout
    assert [row["name"] for row in open_store("graphs.edgedp").graphs()] == ["piped"]


def test_two_ends_are_needed() -> None:
    assert (
        "source is given without target" in run("load", "payments.csv", "--source", "payer", status=1).stderr
    )
    run("load", "payments.csv", "--ids", "number", status=2)


@pytest.mark.parametrize(("source", "name"), [
    ("https://ada:secret@example.org/a/graph.csv.gz?token=secret#secret", "graph"),
    ("https://example.org/a%20b.txt", "a b"),
    ("https://example.org/a/?token=secret", "a"),
    ("file:///data/pay.parquet", "pay"),
    ("data/pay.2024.csv", "pay.2024"),
    ("email-Enron", "email-Enron"),
    ("graph.tsv.zst", "graph"),
    ("what?.csv", "what?"),
])  # fmt: skip
def test_a_name_is_that_of_the_path_alone(source: str, name: str) -> None:
    assert name_of(source) == name


@pytest.mark.parametrize(
    "source", ["-", "https://example.org?token=secret", "https://ada:secret@example.org/"]
)
def test_a_source_without_a_path_gives_no_name(source: str) -> None:
    with pytest.raises(ParameterError, match="the source has no name") as caught:
        name_of(source)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("source", [
    "http://ada:secret@127.0.0.1:1/graph.csv?token=secret#secret",
    "ftp://ada:secret@example.org/graph.csv",
    "s3://secret@bucket/graph.csv?secret",
    "file://ada:secret@host/graph.csv",
    "https://ada:secret@[broken/graph.csv?secret",
])  # fmt: skip
def test_no_error_shows_what_may_be_secret_in_an_address(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("EDGEDP_CACHE", "cache")
    assert "secret" not in run("load", source, status=1).stderr
    assert "secret" not in run("load", "email-Enron", "--nodes", source, status=1).stderr


@pytest.mark.parametrize("address", [
    "http://neo4j:s3cret@localhost:7687", "neo4j://neo4j:s3cret@localhost:7687", "bolt://x?password=s3cret",
    "noe4j://neo4j:s3cret@localhost",
])  # fmt: skip
def test_a_store_address_with_a_password_is_never_shown(address: str) -> None:
    refused = run("--store", address, "graphs", status=1)
    assert "s3cret" not in refused.stderr
    assert "Password" not in refused.stderr


def test_a_missing_password_without_a_terminal_is_not_asked_for() -> None:
    refused = run("--store", "bolt://localhost:1", "graphs", status=1)
    assert refused.stderr == (
        "Error: the Neo4j server at bolt://localhost:1 does not answer; start it or check the address\n"
    )


def test_ids_are_escaped_on_terminals_and_kept_in_json_and_csv(folder: Path) -> None:
    evil = "a\x1b[2J\x9b31m\u202eb"
    (folder / "evil.csv").write_text(f"{evil},b\nb,c\n", encoding="utf-8")
    loaded = run("load", "evil.csv", "--no-header", "--epsilon-budget", "100")
    table = run("topk", "evil", "--metric", "degree", "-k", "3", "--epsilon", "1")
    for text in (loaded.output, table.output):
        assert not set(text) & set("\x1b\x9b\u202e")
        assert "a\\x1b[2J\\x9b31m\\u202eb" in text
    kept = run("topk", "evil", "--metric", "degree", "-k", "3", "--epsilon", "1", "--format", "json")
    assert evil in json.loads(kept.stdout)["nodes"]
    assert (
        evil
        in run("topk", "evil", "--metric", "degree", "-k", "3", "--epsilon", "1", "--format", "csv").stdout
    )


def test_errors_are_escaped_on_terminals() -> None:
    refused = run("load", "no\x1b[2Jfile", status=1)
    assert "\x1b" not in refused.stderr


@pytest.mark.parametrize(("text", "told"), [
    ("plain é 日本", "plain é 日本"), ("\x00\x07\x1b\x7f\x85", "\\x00\\x07\\x1b\\x7f\\x85"),
    ("a\u200bb\u2066c\ufeff", "a\\u200bb\\u2066c\\ufeff"), ("\ud800", "\\ud800"), ("a\r\nb", "a\\r\\nb"),
])  # fmt: skip
def test_shown(text: str, told: str) -> None:
    assert shown(text) == told


def test_addresses_are_shown_without_secrets() -> None:
    assert address_shown("neo4j://u:p@host:7687/x?y#z") == "neo4j://host:7687/x"
    assert address_shown("u:p@host?y") == "host"
    assert address_shown("https://u:p@ss@host/a@b") == "https://host/a@b"
