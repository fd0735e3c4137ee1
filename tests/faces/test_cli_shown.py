"""What the command line shows: tables that keep ids whole, help with examples, completion, the README on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete, get_completion_class
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from edgedp import Graph, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.cli.examples import EXAMPLES
from edgedp.faces.cli.tables import number, table_lines
from edgedp.mechanisms.sampling.words import SecureWords
from test_docs import README, ROOT, blocks_of, commands, steps_of

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and nothing in the environment."""
    for name in ("EDGEDP_STORE", "NEO4J_URI", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object, status: int = 0) -> Result:
    done = CliRunner().invoke(command_line, [*map(str, words)], prog_name="edgedp")
    assert done.exit_code == status, done.output
    return done


# -- tables -----------------------------------------------------------------------------------------

CELLS = st.one_of(
    st.integers(-(2**63), 2**63),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), max_size=30),
    st.none(),
)


@given(
    st.lists(st.fixed_dictionaries({"id": CELLS, "value": CELLS, "more": CELLS}), max_size=4),
    st.integers(1, 90),
)
def test_no_cell_is_folded_and_no_line_ends_with_blanks(rows: list[dict[str, Any]], width: int) -> None:
    columns = ["id", "value", "more"]
    whole = table_lines(rows, columns)
    assert len(whole) == len(rows) + 1
    for lines in (whole, table_lines(rows, columns, width)):
        assert all(line == line.rstrip() for line in lines)
        left = list(lines)
        for row in table_lines(rows, columns, 1) if rows else []:  # records: a cell a line
            cell = row.partition("  ")[2].strip()
            assert any(cell in line for line in left), (cell, lines)


def test_a_title_goes_on_below_and_no_word_is_parted() -> None:
    rows = [
        {"name": "ca-AstroPh", "nodes": 18772, "title": "Collaboration in astrophysics, by co-authorship"}
    ]
    lines = table_lines(rows, ["name", "nodes", "title"], 44)
    assert lines == [
        "name        nodes  title",
        "ca-AstroPh  18772  Collaboration in",
        "                   astrophysics, by",
        "                   co-authorship",
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_has_no_exponent_and_its_value(value: float) -> None:
    assert re.fullmatch(r"-?\d+(\.\d*[1-9])?", number(value))
    assert float(number(value)) == pytest.approx(value, rel=1e-11, abs=0)


# -- help, quiet, json ------------------------------------------------------------------------------


def test_every_command_has_an_example_that_parses(folder: Path) -> None:
    """A new command needs a line in `edgedp.faces.cli.examples`."""
    (folder / "log.jsonl").write_text("")
    names = {"edgedp", "ledger", "plugin"} | {name.removeprefix("edgedp ") for name, _ in commands()}
    assert {name for name in names if name not in EXAMPLES} == set()
    for name, example in EXAMPLES.items():
        first, *words = shlex.split(example)
        assert first == "edgedp"
        command: click.Command = command_line
        called = []
        while isinstance(command, click.Group):
            with command.make_context("edgedp", words) as context:
                rest = [*context._protected_args, *context.args]
                _, below, words = command.resolve_command(context, rest)
            assert below is not None
            command = below
            called.append(command.name)
        command.make_context("edgedp", words).close()
        assert " ".join(map(str, called)).startswith(name) or name == "edgedp"
        shown = run(*([] if name == "edgedp" else name.split()), "--help").output
        assert " ".join(f"$ {example}".split()) in " ".join(shown.split())


def test_python_m_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "edgedp", "-V"], capture_output=True, text=True, check=True)
    assert done.stdout == run("--version").output
    assert run("-V").output.startswith("edgedp, version ")


def test_streams_that_the_caller_closed_cost_nothing_and_are_no_traceback(folder: Path) -> None:
    (folder / "edges.txt").write_text("1 2\n2 3\n3 1\n3 4\n")
    command = f"{sys.executable} -m edgedp --store s.edgedp"
    load, asked = "--name g --epsilon-budget 1", "topk g --metric degree -k 1 --epsilon .5"

    def said(line: str, status: int) -> str:
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=folder, check=False)
        assert done.returncode == status, (line, done)
        assert "Traceback" not in done.stderr, line
        return done.stderr + done.stdout

    assert "is empty" in said(f"{command} load - {load} <&-", 1)
    said(f"{command} load edges.txt {load} <&- 2>&-", 0)
    assert "standard output is closed" in said(f"{command} {asked} >&-", 1)
    said(f"{command} {asked} >&- 2>&- <&-", 1)
    assert "standard" not in said(f"{command} {asked} <&-", 0)
    assert open_store(folder / "s.edgedp").budget("g")["epsilon_spent"] == 0.5
    assert "'edgedp releases g' shows it again" in said(f"{command} {asked} >/dev/full", 1)
    assert open_store(folder / "s.edgedp").budget("g")["epsilon_spent"] == 1.0


@pytest.mark.parametrize(
    "words", [["topk", "--metric", "ebc", "-k", "1"], ["count", "--of", "edges"], ["summary"]]
)
def test_an_interrupted_release_says_that_it_may_be_paid(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    store = open_store(folder / "graphs.edgedp")
    store.load(Graph.from_edges([(1, 2), (2, 3), (3, 1)]), "g", epsilon_budget=1)

    real = SecureWords.take

    def interrupted(self: SecureWords, count: int) -> Any:
        if store.budget("g")["epsilon_spent"]:  # and not in the trial before the debit
            raise KeyboardInterrupt
        return real(self, count)

    monkeypatch.setattr(SecureWords, "take", interrupted)
    ended = run(words[0], "g", *words[1:], "--epsilon", "0.5", status=1)
    assert "what was debited stays spent: see 'edgedp budget g' and 'edgedp releases g'" in ended.output
    assert store.budget("g")["epsilon_spent"] == 0.5


def test_quiet_prints_what_was_asked_for_alone(folder: Path) -> None:
    (folder / "kite.txt").write_text("1 2\n2 3\n3 1\n3 4\n4 5\n")
    assert run("-q", "load", "kite.txt", "--epsilon-budget", 9).output == ""
    asked = ("topk", "kite", "--metric", "degree", "-k", 2, "--epsilon", 1)
    assert "asked: " in run(*asked).stdout
    shown = run("--quiet", *asked)
    assert len(shown.stdout.splitlines()) == 3
    assert shown.stderr == ""
    assert run("-q", "budget", "kite").stderr == ""
    for exact in (["kite", "--metric", "ebc"], ["count", "kite", "--of", "edges"]):
        assert "do not publish them" in run("-q", "exact", *exact).stderr
    assert "must be at most" in run("-q", *asked[:-1], 99, status=1).stderr


def test_a_load_as_json_has_what_is_private_under_exact(folder: Path) -> None:
    (folder / "kite.txt").write_text("1 2\n2 3\n3 1\n3 4\n4 5\n")
    shown = json.loads(
        run("load", "kite.txt", "--epsilon-budget", 2, "--degree-bound", 4, "--format", "json").stdout
    )
    exact = shown.pop("exact")
    assert shown == {
        "name": "kite", "node_count": 5, "degree_bound": 4, "epsilon_budget": 2.0, "epsilon_spent": 0.0,
        "nodes_supplied": False,
    }  # fmt: skip
    assert (exact["edge_count"], exact["max_degree"], exact["first_edge"]) == (5, 3, [1, 2])


# -- completion -------------------------------------------------------------------------------------


def completed(*words: str) -> list[str]:
    *before, incomplete = words
    found = ShellComplete(command_line, {}, "edgedp", "_EDGEDP_COMPLETE").get_completions(before, incomplete)
    return [item.value for item in found if item.type == "plain"]


def test_words_datasets_and_names_of_graphs_complete(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed("topk", "") == []  # no store, no question and no error
    store = open_store(folder / "graphs.edgedp")
    store.load(KITE, "kite", epsilon_budget=1)
    store.load(KITE.from_edges([(1, 2)]), "other")
    before = store.log("kite")
    assert completed("topk", "") == ["kite", "other"]
    assert completed("--store", str(folder / "graphs.edgedp"), "exact", "k") == ["kite"]
    assert completed("ledger", "check", "o") == ["other"]
    assert completed("register", "k") == []
    assert completed("load", "email-En") == ["email-Enron"]
    assert completed("topk", "kite", "--metric", "e") == ["ebc"]
    assert completed("topk", "kite", "--mechanism", "s") == ["sld"]
    assert completed("exact", "kite", "--engine", "") == ["native", "igraph", "cypher"]
    assert completed("led") == ["ledger"]
    assert store.log("kite") == before
    monkeypatch.setenv("EDGEDP_STORE", "neo4j://localhost:1")
    assert completed("topk", "") == []  # without a password nobody is asked
    (folder / "old.edgedp").write_bytes(b"a store of 0.1.0 is a file")
    assert completed("--store", "old.edgedp", "topk", "") == []
    assert (folder / "old.edgedp").is_file()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_of_the_shells_are_there_and_in_the_pages(
    shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = get_completion_class(shell)
    assert kind is not None
    monkeypatch.setattr(f"{kind.__module__}.{kind.__name__}._check_version", lambda *_: None, raising=False)
    assert "_EDGEDP_COMPLETE" in kind(command_line, {}, "edgedp", "_EDGEDP_COMPLETE").source()
    assert f"_EDGEDP_COMPLETE={shell}_source edgedp" in (ROOT / "docs" / "analyst.md").read_text(
        encoding="utf-8"
    )


# -- the README on a terminal -----------------------------------------------------------------------


def typed(lines: list[str], folder: Path) -> str:
    """Type lines into a fresh shell on a terminal of 80 columns; return what it shows."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "EDGEDP_CACHE") if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.Popen(
        ["sh", "-e", "-c", "\n".join(lines)],
        stdin=theirs, stdout=theirs, stderr=subprocess.STDOUT, cwd=folder,
        env=kept | {"PATH": path, "TERM": "xterm", "COVERAGE_PROCESS_START": ""},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the shell has ended
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    assert shell.wait() == 0, text
    stays = [
        line.rpartition("\r")[2] for line in text.split("\n")
    ]  # a bar is drawn over and over in its line
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", "\n".join(stays))


def test_the_readme_works_as_typed_at_80_columns(folder: Path) -> None:
    lines = [
        command
        for block in blocks_of(ROOT / "README.md")
        if block.language == "console"
        for command, _ in steps_of(block)
        if not command.startswith("make ")
    ]
    assert len(lines) >= 5
    assert all(f"$ {line}" in README for line in lines)
    shown = typed(lines, folder)
    store = open_store(folder / "graphs.edgedp")
    (release,) = store.releases("email-Enron")
    for rank, node in enumerate(release["nodes"] or [], start=1):
        assert re.search(rf"^ *{rank}  +{node}\b", shown, re.MULTILINE)
    tables = [line for line in shown.splitlines() if not line.startswith(("note: ", "kept at", "head of"))]
    assert max(map(len, tables)) <= 80, max(tables, key=len)
    assert str(release["release_id"]) in shown
    ids = {str(node) for node in store.graph("email-Enron").node_ids.tolist()}
    exact = re.findall(r"^ *(\d+) +(\d+\.\d+)$", shown, re.MULTILINE)
    assert len(exact) == 3
    assert {node for node, _ in exact} <= ids


def test_what_a_clock_ahead_has_read_is_not_of_an_age_below_zero() -> None:
    from edgedp.faces.cli.commands.analyst import _age

    store: Any = SimpleNamespace(source=lambda name: {"read_at": "2999-01-01T00:00:00+00:00"})
    assert _age(store, "g") == "0 h"
