"""The commands as a shell runs them: the main job in processes of its own, the rest in this one."""

from __future__ import annotations

import contextlib
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from edgedp import open_store, read_graph
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.roles import ROLES
from edgedp.mechanisms.limits import LIMITED

EDGES = "# a kite\n1 2\n2 3\n3 1\n3 4\n4 5\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kite.txt").write_text(EDGES)
    return tmp_path


def process(folder: Path, *words: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, in a process of its own, as it is typed: .4 s of processor."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("EDGEDP_STORE", "NEO4J_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", "from edgedp.faces.cli import main; main()", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    checked(done.returncode, done.stdout, done.stderr, status)
    return done


def run(folder: Path, *words: object, status: int = 0) -> Result:
    """Run a command in a folder, in this process, which is faster."""
    without = {name: None for name in os.environ if name.startswith(("EDGEDP_STORE", "NEO4J_"))}
    with contextlib.chdir(folder):
        done = CliRunner(env=without).invoke(command_line, [*map(str, words)], prog_name="edgedp")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    checked(done.exit_code, done.stdout, done.stderr, status)
    return done


def checked(code: int, stdout: str, stderr: str, status: int) -> None:
    """Check an exit status; a refusal is one line, never a traceback."""
    assert code == status, stderr
    assert "Traceback" not in stderr
    if status == 1:
        assert stdout == ""
        assert stderr.startswith("Error: ")
        assert stderr.count("\n") == 1


def asked(folder: Path, *words: object, by: Callable[..., Any] = run) -> dict:
    shown: dict = json.loads(by(folder, *words, "--format", "json").stdout)
    return shown


def test_the_main_job(folder: Path) -> None:
    """Each kind of answer in a process of its own; what repeats one, in this process."""
    loaded = process(folder, "load", "kite.txt", "--epsilon-budget", "2", "--degree-bound", "4").stdout
    assert "5 nodes, 5 edges, largest degree 3" in loaded
    assert "the nodes were read from the edges and are declared public" in loaded
    for spent, by in ((1, process), (2, run)):
        shown = asked(folder, "topk", "kite", "--metric", "ebc", "-k", 2, "--epsilon", "1", by=by)
        assert shown["epsilon_spent"] == spent
        assert len(shown["nodes"]) == 2
        assert shown["graph"] == "kite"
    refused = process(folder, "topk", "kite", "--metric", "ebc", "-k", 2, "--epsilon", "1", status=1)
    assert "0 of 2" in refused.stderr
    budget = asked(folder, "budget", "kite")
    assert re.fullmatch(r"\d+:[0-9a-f]{64}", budget.pop("head"))
    assert budget == {
        "epsilon_budget": 2.0, "epsilon_spent": 2.0, "epsilon_remaining": 0.0, "releases": 2
    }  # fmt: skip
    kept = json.loads(run(folder, "releases", "kite", "--format", "json").stdout)
    assert kept[1]["nodes"] == shown["nodes"]
    assert list(Path(folder).glob("graphs.edgedp")), "the default store is in the working directory"


def test_tables_json_and_csv(folder: Path) -> None:
    run(folder, "load", "kite.txt", "--name", "k", "--epsilon-budget", "5")
    table = run(folder, "topk", "k", "--metric", "degree", "-k", 3, "--epsilon", 1).stdout
    assert table.splitlines()[0].split() == ["rank", "id"]
    assert "budget of k: 1 of 5 spent, 4 left" in table
    assert "read from the edges, declared public by the curator" in table
    rows = list(
        csv.DictReader(
            run(
                folder, "topk", "k", "--metric", "degree", "-k", 3, "--epsilon", 1, "--format", "csv"
            ).stdout.splitlines()
        )
    )
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    for command in (
        ["graphs"],
        ["budget", "k"],
        ["releases", "k"],
        ["datasets"],
        ["exact", "k", "--metric", "ebc"],
    ):
        assert run(folder, *command, "--format", "csv").stdout.count(",") >= 1
        assert json.loads(run(folder, *command, "--format", "json").stdout)
        assert run(folder, *command).stdout.strip()


def test_motkin_with_weights(folder: Path) -> None:
    run(folder, "load", "kite.txt", "--epsilon-budget", "9")
    shown = asked(
        folder, "motkin", "kite", "--metric", "degree", "--metric", "density", "-k", 2, "--epsilon", 1
    )
    assert shown["parameters"]["approach"] == "pareto"
    shown = asked(
        folder, "motkin", "kite", "--metric", "degree", "--metric", "ebc", "-k", 2, "--epsilon", 1,
        "--approach", "aggregate", "--weight", "1", "--weight", "-0.5", "--sensitivity", "global",
    )  # fmt: skip
    assert shown["parameters"]["weights"] == [1.0, -0.5]
    assert shown["parameters"]["mechanism"] == "em"


def test_joint_says_what_it_ranks_by(folder: Path) -> None:
    run(folder, "load", "kite.txt", "--epsilon-budget", "9")
    shown = asked(folder, "topk", "kite", "--metric", "ebc", "-k", 2, "--epsilon", 1, "--mechanism", "joint")
    assert "noisy degree" in shown["ranks_by"]
    assert shown["parameters"]["proxy"] == "both"


def test_exact_reminds_on_stderr(folder: Path) -> None:
    run(folder, "load", "kite.txt")
    done = run(folder, "exact", "kite", "--metric", "ebc", "--top", 2, "--format", "csv")
    assert done.stdout == "id,value\n3,2\n4,1\n"
    assert "do not publish" in done.stderr
    done = run(
        folder,
        "exact",
        "kite",
        "--metric",
        "degree",
        "--engine",
        "igraph",
        "--sensitivity-at",
        3,
        "--format",
        "csv",
    )
    assert done.stdout.splitlines()[1].endswith(",1")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["load", "nowhere.txt"], "nowhere.txt"),
        (["load", "email-Enrn"], "email-Enron"),
        (["load", "empty.txt"], "empty"),
        (["load", "broken.txt"], "line 4"),
        (["load", "single.txt"], "single.txt"),
        (["load", "binary.txt"], "binary.txt"),
        (["load", "cut.txt.gz"], "cut.txt.gz"),
        (["load", "kite.txt"], "stored already"),
        (["load", "kite.txt", "--name", "b", "--degree-bound", "2"], "at least the graph's largest degree, 3"),
        (["load", "kite.txt", "--name", "b", "--epsilon-budget", "0"], "greater than 0"),
        (["load", "kite.txt", "--name", "b", "--nodes", "nodes.txt"], "2"),
        (["load", "kite.txt", "--name", "b", "--node-label", "X"], "Neo4j"),
        (["register", "r", "--node-label", "A", "--relationship-type", "B", "--id-property", "id"], "Neo4j"),
        (["topk", "kitte", "--metric", "ebc", "-k", "1", "--epsilon", "1"], "did you mean 'kite'?"),
        (["topk", "kite", "--metric", "ebcc", "-k", "1", "--epsilon", "1"], "did you mean 'ebc'?"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "1", "--mechanism", "sdl"], "did you mean 'sld'?"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "0"], "greater than 0"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "-1"], "greater than 0"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "nan"], "must be a number such as 0.5"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "inf"], "must be a number such as 0.5"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "1e-10"], "one nano"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "one"], "must be a number"),
        (["topk", "kite", "--metric", "ebc", "-k", "0", "--epsilon", "1"], "from 1"),
        (["topk", "kite", "--metric", "ebc", "-k", "-2", "--epsilon", "1"], "from 1"),
        (["topk", "kite", "--metric", "ebc", "-k", "6", "--epsilon", "1"], "number of nodes, 5"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "1", "--engine", "x"], "native, igraph, cypher"),
        (["topk", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "1"], "not declared"),
        (["motkin", "kite", "--metric", "ebc", "-k", "1", "--epsilon", "1"], "two or more"),
        (["exact", "kite", "--metric", "x"], "must be one of"),
        (["exact", "kite", "--metric", "ebc", "--engine", "cypher"], "native"),
        (["exact", "kite", "--metric", "ebc", "--sensitivity-form", "degree"], "--sensitivity-at"),
        (["exact", "kite", "--metric", "ebc", "--sensitivity-at", "-1"], "0 or more"),
        (["exact", "count", "kite", "--of", "edges", "--degree-bound", "4"], "add the distance"),
        (["exact", "count", "kite", "--of", "clustering", "--sensitivity-at", "0"], "ask for triangles and for wedges"),
        (["exact", "count", "kite", "--of", "wedges", "--sensitivity-at", "0", "--degree-bound", "2"], "degree_bound"),
        (["exact", "count", "kite", "--of", "wedges", "--sensitivity-at", "0", "--engine", "cypher"], "native"),
        (["budget", "kite", "--set", "-3"], "greater than 0"),
        (["budget", "x"], "must have been loaded"),
        (["releases", "x"], "must have been loaded"),
        (["drop", "x"], "must be a stored one"),
        (["--store", "missing.edgedp", "graphs"], "must be an existing store"),
        (["--store", "missing.edgedp", "ledger", "check"], "must be an existing store"),
        (["--store", "missing.edgedp", "ledger", "check", "kite"], "must be an existing store"),
        (["--store", "missing.edgedp", "backup", "copy.edgedp"], "must be an existing store"),
        (["--store", "kite.txt", "graphs"], "a file and not a store"),
        (["--store", "no/such/folder.edgedp", "load", "kite.txt"], "folder does not exist"),
        (["--store", "http://x", "graphs"], "use https://"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_line_and_nothing_is_lost(
    stocked: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    """In this process, which is faster; what a process adds is tested above."""
    monkeypatch.chdir(stocked)
    for name in ("EDGEDP_STORE", "NEO4J_URI", "NEO4J_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(command_line, words)
    assert done.exit_code == 1, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr.lower() + done.stderr
    store = open_store("graphs.edgedp")
    assert [row["name"] for row in store.graphs()] == ["kite"]
    assert store.budget("kite")["releases"] == 0


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stocked")
    (folder / "kite.txt").write_text(EDGES)
    (folder / "empty.txt").write_text("")
    (folder / "broken.txt").write_text("# x\n1 2\n2 3\n3 1 9\n4 5\n")
    (folder / "single.txt").write_text("1\n2\n")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 20)
    (folder / "cut.txt.gz").write_bytes(gzip.compress(EDGES.encode() * 1000)[:60])
    (folder / "nodes.txt").write_text("1\n3\n4\n5\n")
    run(folder, "load", "kite.txt")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["topk"],
        ["topk", "kite"],
        ["nothing"],
        ["topk", "kite", "-k", "x"],
        ["load"],
        ["graphs", "--format", "xml"],
        ["--stor", "x"],
    ],
)
def test_what_does_not_parse_is_status_2(folder: Path, words: list[str]) -> None:
    run(folder, *words, status=2)


def test_a_server_that_is_down_is_one_line_without_the_password(folder: Path) -> None:
    """By the driver of a cluster in a process, whose end may say something, too; by that of one server in this one."""
    secret = {"NEO4J_PASSWORD": "s3cret-one"}
    command = [sys.executable, "-c", "from edgedp.faces.cli import main; main()"]
    words = ["--store", "neo4j://127.0.0.1:1", "graphs"]
    done = subprocess.run(
        [*command, *words], capture_output=True, text=True, env=os.environ | secret, timeout=120
    )
    single = CliRunner(env=secret).invoke(command_line, ["--store", "bolt://127.0.0.1:1", "graphs"])
    for code, said in ((done.returncode, done.stderr), (single.exit_code, single.stderr)):
        assert code == 1
        assert said.count("\n") == 1, said
        assert "does not answer" in said
        assert "s3cret" not in said


def test_replace_keeps_what_was_spent(folder: Path) -> None:
    run(folder, "load", "kite.txt", "--epsilon-budget", "1")
    run(folder, "topk", "kite", "--metric", "degree", "-k", 1, "--epsilon", "0.75")
    (folder / "kite.txt").write_text("1,2\n2,3\n")
    run(folder, "load", "kite.txt", "--replace")
    assert read_graph(folder / "kite.txt").node_count == 3
    assert asked(folder, "budget", "kite")["epsilon_spent"] == 0.75
    run(folder, "drop", "kite")
    assert "0.75" in run(folder, "load", "kite.txt", "--epsilon-budget", "0.5", status=1).stderr


def test_a_store_is_named_before_the_command_or_in_the_environment(folder: Path) -> None:
    run(folder, "--store", "other.edgedp", "load", "kite.txt")
    assert (folder / "other.edgedp").is_dir()
    assert not (folder / "graphs.edgedp").exists()


def test_nothing_heavy_is_imported_for_help() -> None:
    heavy = {"numpy", "polars", "pyarrow", "igraph", "networkx", "ladybug", "neo4j", "pooch", "rich"}
    code = (
        "import sys, edgedp.faces.cli\n"
        "try: edgedp.faces.cli.edgedp(['--help'], standalone_mode=False)\n"
        "finally: print(sorted(set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name for name in heavy if f"'{name}'" in done.stderr}
    assert not imported


def test_a_release_imports_only_what_it_uses(folder: Path) -> None:
    run(folder, "load", "kite.txt", "--epsilon-budget", "9")
    code = (
        "import sys, edgedp.faces.cli\n"
        "words = 'topk kite --metric degree -k 2 --epsilon 1 --format json'.split()\n"
        "edgedp.faces.cli.edgedp(words, standalone_mode=False)\n"
        "print(sorted(set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert not {
        name
        for name in ("polars", "igraph", "networkx", "neo4j", "pooch", "scipy")
        if f"'{name}'" in done.stderr
    }


def test_every_command_stands_once_in_the_help_and_its_line_is_whole() -> None:
    listed = [name for commands in ROLES.values() for name in commands]
    assert sorted(listed) == sorted(command_line.commands)
    text = CliRunner().invoke(command_line, ["--help"], terminal_width=80).output
    for commands in ROLES.values():
        for name, line in commands.items():
            assert re.search(rf"^  {name} +{re.escape(line)}$", text, re.MULTILINE), name


def test_a_large_budget_is_answered_with_a_sentence(folder: Path) -> None:
    def said(*words: str) -> str:
        return CliRunner().invoke(command_line, ["--store", str(folder / "s"), *words]).stderr

    source = str(folder / "kite.txt")
    assert "hardly anything" not in said("load", source, "--name", "few", "--epsilon-budget", "5")
    assert "hardly anything" not in said("budget", "few")
    assert "hardly anything" in said(
        "load", source, "--name", "many", "--epsilon-budget", "5.1", "--format", "json"
    )
    assert "hardly anything" not in said("budget", "many")
    assert "hardly anything" in said("budget", "few", "--set", "6")
    assert "hardly anything" in said("budget", "few", "--attributes", "--set", "7")
    assert "hardly anything" not in said("budget", "few", "--attributes", "--set", "3")


def test_a_table_of_releases_fits_a_page(folder: Path) -> None:
    store = ["--store", str(folder / "s")]
    runner = CliRunner()
    nodes = "\n".join(f"{node} {node + 1}" for node in range(1, 60))
    (folder / "path.txt").write_text(f"# a path\n{nodes}\n")
    for words in (
        ["load", str(folder / "path.txt"), "--epsilon-budget", "3", "--degree-bound", "40"],
        ["summary", "path", "--epsilon", "1"],
        ["topk", "path", "--metric", "degree", "-k", "30", "--epsilon", "1"],
    ):
        assert runner.invoke(command_line, [*store, *words]).exit_code == 0
    table = runner.invoke(command_line, [*store, "releases", "path"]).output
    assert "... 20 more]" in table
    assert max(map(len, table.splitlines())) < 500
    rows = json.loads(runner.invoke(command_line, [*store, "releases", "path", "--format", "json"]).output)
    assert len(rows[1]["nodes"]) == 30


def test_every_command_is_documented() -> None:
    reference = (Path(__file__).parents[2] / "docs" / "reference.md").read_text(encoding="utf-8")

    def names(group: object, prefix: str = "edgedp") -> list[tuple[str, object]]:
        found = []
        for name, command in group.commands.items():  # type: ignore[attr-defined]
            found.append((f"{prefix} {name}", command))
            if hasattr(command, "commands"):
                found += names(command, f"{prefix} {name}")
        return found

    for name, command in names(command_line):
        assert f"`{name}" in reference or f"{name} " in reference, name
        for option in command.params:  # type: ignore[attr-defined]
            flags = [flag for flag in option.opts if flag.startswith("-")]
            assert not flags or any(flag in reference for flag in flags), (name, flags)


def test_load_in_json_has_public_facts_and_what_is_exact_under_that_name(folder: Path) -> None:
    shown = asked(folder, "load", "kite.txt", "--epsilon-budget", "2")
    exact = {"edge_count": 5, "max_degree": 3, "self_loops": 0, "duplicates": 0}
    assert {name: shown["exact"][name] for name in exact} == exact
    assert set(shown) == {
        "name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent", "nodes_supplied", "exact",
    }  # fmt: skip


@pytest.mark.parametrize("fails", [False, True])
def test_a_warning_is_printed_whether_or_not_the_command_fails(tmp_path: Path, fails: bool) -> None:
    @click.command()
    @click.pass_context
    def warned(context: click.Context) -> None:
        context.obj = str(tmp_path / "graphs.edgedp")
        with opened_store() as store:
            warnings.warn("the kernels are igraph's", stacklevel=1)
            if fails:
                store.budget("kite")

    done = CliRunner().invoke(warned)
    assert done.stderr == "Warning: the kernels are igraph's\n"
    assert (done.exit_code != 0) == fails


def every_command(group: click.Group, *path: str) -> list[tuple[tuple[str, ...], click.Command]]:
    found: list[tuple[tuple[str, ...], click.Command]] = [(path, group)]
    for name, each in group.commands.items():
        below = (*path, name)
        found += every_command(each, *below) if isinstance(each, click.Group) else [(below, each)]
    return found


def test_an_option_of_one_value_that_is_given_twice_is_refused_before_anything_is_opened() -> None:
    commands = every_command(command_line)
    assert len(commands) > 50
    for path, command in commands:
        for option in command.params:
            if isinstance(option, click.Option) and not (option.multiple or option.is_flag):
                for flag in option.opts:
                    given = [flag, *["1"] * option.nargs] * 2
                    words = [*path, "x", *given] if path else given
                    done = CliRunner().invoke(command_line, words, env={"EDGEDP_STORE": None})
                    assert done.exit_code == 2, (path, flag)
                    said = f"Error: {option.opts[0]} is given 2 times; give it once"
                    assert said in done.output, (path, flag)


def test_an_option_of_edgedp_behind_its_command_is_refused_with_where_it_belongs() -> None:
    for option, given in (
        ("--store", ["topk", "kite", "--store", "s"]),
        ("-q", ["ledger", "check", "-q"]),
        ("--head", ["plan", "--head=x"]),
    ):
        done = CliRunner().invoke(command_line, given)
        assert done.exit_code == 2
        assert f"Error: {option} belongs before the command; write it right after 'edgedp'" in done.output
    assert "No such option '--stoer'" in CliRunner().invoke(command_line, ["topk", "--stoer", "s"]).output


def test_a_file_that_the_system_refuses_is_named_with_what_to_do(folder: Path) -> None:
    for words, where, remedy in (
        (["plan", "--batch", "nosuch.jsonl"], "nosuch.jsonl", "check the path"),
        (["plan", "--batch", "."], ".", "check the path"),
        (["run", "nosuch.jsonl"], "nosuch.jsonl", "check the path"),
    ):
        done = CliRunner().invoke(command_line, words)
        assert done.exit_code == 1
        assert done.output.startswith(f"Error: {where}: ")
        assert done.output.endswith(f"; {remedy}\n")


def test_a_file_of_releases_names_only_the_options_that_were_given_beside_it() -> None:
    done = CliRunner().invoke(command_line, ["plan", "--batch", "x.jsonl", "--nodes", "5"])
    assert done.exit_code == 2
    assert done.output.endswith("not combined with other options: remove --nodes.\n")


def test_a_limit_is_offered_of_the_metrics_that_have_one() -> None:
    command = dict(every_command(command_line))["exact", "limit"]
    [metric] = [each for each in command.params if each.name == "metric"]
    assert metric.type.choices == LIMITED  # type: ignore[attr-defined]


def test_the_help_of_every_command_has_no_marks_in_it() -> None:
    for path, _ in every_command(command_line):
        said = CliRunner().invoke(command_line, [*path, "--help"]).output
        assert "\\b" not in said, path
        assert "(undirected, " not in said, path
        assert said.count("Example:") <= 1, path


def test_a_flag_beside_its_contrary_is_refused_before_anything_is_opened() -> None:
    for path, command in every_command(command_line):
        for option in command.params:
            for flag in option.secondary_opts:
                done = CliRunner().invoke(command_line, [*path, "x", option.opts[0], flag])
                assert done.exit_code == 2, (path, flag)
                assert f"Error: {option.opts[0]}/{flag} is given 2 times; give it once" in done.output


def test_an_option_of_several_values_and_a_flag_may_be_given_again(folder: Path) -> None:
    run(folder, "load", "kite.txt", "--epsilon-budget", "1")
    run(
        folder, "-q", "-q", "motkin", "kite", "--metric", "degree", "--metric", "ebc", "-k", 1, "--epsilon", 1
    )
