"""The documentation runs: commands, Python, links, tables of options and signatures.

A fenced block of ``console`` or ``python`` in a page of PAGES_THAT_RUN is run as it stands, page by page, in
a folder of its own, in the order of the page. The word after the language says otherwise:

- ``neo4j``: run as well, against a real server whose address takes the place of the page's;
- ``not-run``: shown only, because it changes the machine or takes minutes; other tests run it.

What a ``console`` block shows is compared with what was printed, except for what chance decides: released ids,
release ids, times. A line ``...`` stands for any lines, a command without lines below it may print anything.
``$ cat FILE`` of a file that is not there makes it, with the lines below as its content.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import dropwhile, groupby
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
import looped
from edgedp.faces.cli import edgedp as command_line
from neo4jserver import Server
from plugin_fixtures import built_jar

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "loaders").glob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (DOCS / "reference.md").read_text(encoding="utf-8")

READERS = ("curator.md", "sources.md", "analyst.md", "researcher.md", "operator.md", "developer.md")
PAGES_THAT_RUN = ("tutorial.md", *READERS, "numbers.md", "projections.md")

_ADDRESS = "neo4j://localhost:7687"
_SKIPPED = ("cat", "make")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    mark: str
    text: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, as a reader does, with nothing in the environment."""
    for name in ("EDGEDP_STORE", "NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks_of(path: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*) ?([\w-]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [
        Block(
            str(path.relative_to(ROOT)), text[: match.start()].count("\n") + 1, match[1], match[2], match[3]
        )
        for match in found
    ]


def steps_of(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console block with the lines that are shown below it."""
    for step in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = step.replace("\\\n", " ").partition("\n")
        yield command.partition("  #")[0].strip(), shown.rstrip("\n").split("\n") if shown.strip() else []


def chance_removed(line: str) -> str:
    """Return a line without what chance decides, and without the widths of columns."""
    line = re.sub(r"\b\d+:[0-9a-f]{64}\b", "HEAD", line)
    line = re.sub(r"\b[0-9a-f]{32}\b", "RELEASE", line)
    line = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "TIME", line)
    line = re.sub(r"^(\s*\d{1,2})\s+\S+$", r"\1 ID", line)
    line = re.sub(r"\[[^\]{}]*\]", "[IDS]", line)
    return " ".join(line.split())


def matches(shown: list[str], printed: list[str]) -> bool:
    """Say whether printed lines are as shown, where a line ``...`` stands for any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


def run_console(block: Block, folder: Path, address: str | None = None, *, excerpt: bool = False) -> None:
    """Run a console block and compare what it prints with what it shows, or how that begins."""
    make_files(block, folder)
    for command, shown in steps_of(block):
        words = shlex.split(command.replace(_ADDRESS, address or _ADDRESS))
        where = f"{block.page}, block at line {block.line}: {command}"
        if words[0] in _SKIPPED:
            continue
        assert words[0] == "edgedp", where
        result = CliRunner().invoke(command_line, words[1:], prog_name="edgedp")
        refused = any(line.startswith("Error: ") for line in shown)
        assert result.exit_code == (1 if refused else 0), f"{where}\n{result.output}"
        if shown:
            printed = result.output.rstrip("\n").replace(address or _ADDRESS, _ADDRESS).split("\n")
            expected = [chance_removed(line) for line in shown] + ["..."] * excerpt
            assert matches(expected, [chance_removed(line) for line in printed]), f"{where}\n{result.output}"


def run_python(block: Block, names: dict[str, Any], address: str | None = None) -> None:
    """Run a Python block after those of its page that went before."""
    text = block.text.replace(_ADDRESS, address or _ADDRESS)
    exec(compile(text, f"{block.page}, block at line {block.line}", "exec"), names)  # noqa: S102


def make_files(block: Block, folder: Path) -> None:
    """Make the files that a console block shows."""
    for command, shown in steps_of(block):
        if command.startswith("cat ") and not (folder / command.split()[1]).exists():
            (folder / command.split()[1]).write_text("\n".join(shown) + "\n", encoding="utf-8")


@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_a_page_runs_as_it_stands(page: str, folder: Path) -> None:
    names: dict[str, Any] = {}
    for block in blocks_of(DOCS / page):
        if block.language == "console" and not block.mark:
            run_console(block, folder)
        elif block.language == "python" and not block.mark:
            run_python(block, names)


@pytest.mark.wide
def test_the_neo4j_parts_of_the_pages_run(
    folder: Path, empty_neo4j: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", empty_neo4j.user)
    monkeypatch.setenv("NEO4J_PASSWORD", empty_neo4j.password)
    ran = 0
    for page in ("operator.md", "tutorial.md"):
        for block in blocks_of(DOCS / page):
            if block.language == "console" and block.mark == "neo4j":
                run_console(block, folder, empty_neo4j.uri)
                ran += 1
            elif block.language == "python" and block.mark == "neo4j":
                run_python(block, {}, empty_neo4j.uri)
                ran += 1
            elif block.language == "console":
                make_files(block, folder)
    assert ran >= 5


@pytest.mark.wide
@pytest.mark.neo4j
def test_make_neo4j_has_the_plugin_keeps_its_home_and_the_first_steps_of_its_page_work_on_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``make neo4j NEO4J_HOME=...`` runs; the steps are run as they are typed, but for a port that is taken."""
    built_jar()
    home, makefile = folder / "home", (ROOT / "Makefile").read_text(encoding="utf-8")
    assert (
        'tests/support/neo4jserver run --with-edgedp $(if $(NEO4J_HOME),--home "$(NEO4J_HOME)")' in makefile
    )
    command = [
        sys.executable,
        str(ROOT / "tests" / "support" / "neo4jserver"),
        "run",
        "--with-edgedp",
        "--home",
        str(home),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as running:
        try:
            assert running.stdout is not None
            said = [running.stdout.readline() for _ in range(4)]
            assert f"is kept: --home {home}" in said[3]
            for line in said[:3]:
                name, _, value = line.removeprefix("export ").strip().partition("=")
                monkeypatch.setenv(name, value)
            uri = os.environ["NEO4J_URI"]
            told = CliRunner().invoke(command_line, ["plugin", "status"])
            assert "its worker answers" in told.output, told.output
            blocks = blocks_of(DOCS / "operator.md")
            for block in blocks:
                if block.language == "console":
                    make_files(block, folder)
            run_console(next(block for block in blocks if block.mark == "neo4j"), folder, uri)
        finally:
            running.terminate()
            assert running.wait(timeout=120) == 0
    assert (home / "data").is_dir()
    assert list((home / "plugins").glob("edgedp-neo4j-*.jar"))
    assert (home / "conf" / "password").read_text() == os.environ["NEO4J_PASSWORD"]


def test_the_blocks_of_the_pages_say_what_they_are() -> None:
    for page in ("tutorial.md", *READERS):
        blocks = blocks_of(DOCS / page)
        assert blocks
        for block in blocks:
            assert block.language in ("console", "python", "cypher", "toml"), block
            assert block.mark in ("", "neo4j", "not-run"), block
            if block.language == "console":
                assert block.text.startswith("$ "), block


def test_every_command_is_shown_running() -> None:
    shown = [
        command
        for page in ("tutorial.md", *READERS)
        for block in blocks_of(DOCS / page)
        if block.language == "console"
        for command, _ in steps_of(block)
    ]
    for name in command_line.commands:
        assert any(re.match(rf"edgedp (--store \S+ )?{name}\b", command) for command in shown), name


def commands_in(block: Block) -> Iterator[list[str]]:
    """Yield the words of each command of ours in a console block, also behind another one and in a table of cron."""
    for line in block.text.replace("\\\n", " ").split("\n"):
        read = shlex.shlex(re.sub(r"sudo (-u \S+ )?", "", line), posix=True, punctuation_chars=True)
        read.whitespace_split = True
        try:
            words = [*read] if "edgedp " in line else []
        except ValueError:  # a sentence with an apostrophe is no command
            continue
        for operator, part in groupby(words, lambda word: word in ("&&", ">", "|")):
            found = [*dropwhile(lambda word: "=" in word or word == "$", part)]
            if not operator and found and Path(found[0]).name == "edgedp":
                yield found[1:]


def check_parses(words: list[str], where: str) -> None:
    """Say whether a command has every option that it needs and no other."""
    command: click.Command = command_line
    while isinstance(command, click.Group):
        with command.make_context("edgedp", words) as context:
            _, below, words = command.resolve_command(context, [*context._protected_args, *context.args])
        assert below is not None, where
        command = below
    try:
        command.make_context("edgedp", words).close()
    except click.BadParameter as error:
        if isinstance(error, click.MissingParameter) or "does not exist" not in error.message:
            raise AssertionError(f"{where}: {error.format_message()}") from None


def test_a_command_that_is_shown_only_parses() -> None:
    """Blocks that no test runs: they change the machine, need a cluster, or are of a page for reading."""
    checked = 0
    for page in PAGES:
        for block in blocks_of(page):
            for words in commands_in(block) if block.language == "console" else ():
                if words and "..." not in words and words != ["--version"]:
                    check_parses(words, f"{block.page}, block at line {block.line}: {words}")
                    checked += 1
    assert checked > 150


# -- the README -------------------------------------------------------------------------------------


def test_the_two_commands_stand_in_the_readme_and_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command, target in (("make demo", "demo:"), ("make test", "test:")):
        assert f"$ {command} " in README
        assert re.search(rf"^{target}", makefile, re.MULTILINE)


def test_the_commands_of_the_readme_run(folder: Path) -> None:
    for block in blocks_of(ROOT / "README.md"):
        if block.language == "console":
            run_console(block, folder, excerpt=True)


def test_the_python_of_the_readme_runs_on_an_embedded_store(folder: Path) -> None:
    (block,) = [block for block in blocks_of(ROOT / "README.md") if block.language == "python"]
    embedded = re.sub(r'open_store\("neo4j://.*\)', 'open_store("graphs.edgedp")', block.text)
    assert embedded != block.text
    names: dict[str, Any] = {}
    run_python(replace(block, text=embedded), names)
    assert len(names["release"].nodes) == 10
    assert names["store"].budget("email-Enron")["epsilon_spent"] == 0.3


# -- the reference ----------------------------------------------------------------------------------


def commands(
    group: click.Group = command_line, prefix: str = "edgedp"
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its whole name."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            if hasattr(command, "default"):  # what it does without a subcommand
                yield f"{prefix} {name}", command.default
            yield from commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def documented_commands() -> dict[str, str]:
    """Return the sections of commands: heading without backticks, and text."""
    return dict(re.findall(r"^### `(edgedp [^`]+)`\n(.*?)(?=^##)", REFERENCE, re.MULTILINE | re.DOTALL))


def test_every_command_has_a_section_with_its_arguments() -> None:
    def heading(name: str, command: click.Command) -> str:
        arguments = [
            str(each.metavar or each.name).upper()
            for each in command.params
            if each.param_type_name == "argument"
        ]
        optional = [
            each for each in command.params if each.param_type_name == "argument" and not each.required
        ]
        words = [f"[{word}]" if optional else word for word in arguments]
        return " ".join([name, *words])

    assert set(documented_commands()) == {heading(name, command) for name, command in commands()}


def test_every_option_is_documented_and_no_other() -> None:
    sections = {
        " ".join(word for word in title.split() if word.islower()): text
        for title, text in documented_commands().items()
    }
    for name, command in commands():
        options = {tuple(each.opts) for each in command.params if each.param_type_name == "option"}
        rows = re.findall(r"^\| (`-[^|]*) \|", sections[name], re.MULTILINE)
        assert {tuple(re.findall(r"`(-[\w-]+)`", row)) for row in rows} == options, name


def documented_signatures() -> list[str]:
    return [
        line
        for text in re.findall(r"```python signature\n(.*?)```", REFERENCE, re.DOTALL)
        for line in text.splitlines()
    ]


@looped.as_one
@pytest.mark.parametrize("line", documented_signatures())
def test_a_signature_is_that_of_the_code(line: str) -> None:
    path = line.partition("(")[0].split(".")[1:]
    found: Any = edgedp
    for name in path:
        found = getattr(found, name)
    parameters = [
        parameter.replace(annotation=parameter.empty)
        for name, parameter in inspect.signature(found).parameters.items()
        if name != "self"
    ]
    assert f"edgedp.{'.'.join(path)}{inspect.Signature(parameters)}" == line


def test_every_public_function_has_its_signature() -> None:
    documented = {line.partition("(")[0] for line in documented_signatures()}
    expected = {f"edgedp.exact.{name}" for name in edgedp.exact.__all__}
    expected |= {f"edgedp.mechanisms.{name}" for name in edgedp.mechanisms.__all__}
    expected |= {f"edgedp.{name}" for name in edgedp.__all__ if inspect.isfunction(getattr(edgedp, name))}
    expected |= {
        f"edgedp.Store.{name}"
        for name, member in vars(edgedp.Store).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }
    assert expected <= documented


def test_tables_that_are_made_of_the_code_are_as_it_makes_them() -> None:
    """Otherwise: make docs."""
    tables = runpy.run_path(str(DOCS / "tables.py"))
    assert tables["written"](REFERENCE) == REFERENCE
    privacy = (DOCS / "privacy.md").read_text(encoding="utf-8")
    assert tables["written"](privacy, tables["OF_PRIVACY"]) == privacy


def test_a_reproduction_says_how_far_its_figures_moved_in_standard_errors() -> None:
    script = runpy.run_path(str(DOCS / "reproduction.py"))
    moved, page = script["moved"], (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert len(script["figures"](page)) == len(re.findall(r"\d ± \d", page))
    assert "0 changed; the farthest by 0.0" in moved(page, page)
    table = "## Recall\n\n| k | runs | 0.1 | 1 |\n| --- | --- | --- | --- |\n| 5 | 100 | 0.30 ± 0.03 | {} |\n"
    before = table.format("0.50 ± 0.04")
    assert "1 changed; the farthest by 1.6" in moved(before, table.format("0.60 ± 0.04"))
    assert "standard errors (Recall, 5, 1); 1 by more than 4" in moved(before, table.format("0.90 ± 0.04"))
    agreed = moved(table.format("1.00 ± 0.00"), table.format("0.97 ± 0.01"))
    assert "1 changed; the farthest by 1.4" in agreed
    assert moved(page, "") == "no figure stands in both pages"


def test_the_json_of_the_reference_is_that_of_a_release(folder: Path) -> None:
    def keys(value: Any) -> Any:
        return {name: keys(each) for name, each in value.items()} if isinstance(value, dict) else type(value)

    (block,) = [block for block in blocks_of(DOCS / "reference.md") if block.language == "json"]
    store = edgedp.open_store(folder / "graphs.edgedp")
    store.load(edgedp.Graph.from_edges([(1, 2), (2, 3)]), "email-Enron", epsilon_budget=10, degree_bound=2)
    release = store.priv_top_k("email-Enron", metric="ebc", k=2, epsilon="0.3", mechanism="joint")
    assert keys(release.to_dict()) == keys(json.loads(block.text))
    assert list(release.to_dict()) == list(json.loads(block.text))


def test_every_variable_of_the_environment_is_documented() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "plugin" / "edgedp").rglob("*.py"))
    named = set(re.findall(r'"((?:EDGEDP|NEO4J)_[A-Z_]+)"', sources))
    assert named <= set(re.findall(r"^\| `([A-Z0-9_]+)` \|", REFERENCE, re.MULTILINE))


# -- every page -------------------------------------------------------------------------------------


def anchors_of(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@looped.as_one
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        led = (page.parent / path).resolve() if path else page
        assert led.exists(), target
        if anchor:
            assert anchor in anchors_of(led), target


def test_decisions_are_numbered_and_say_context_decision_consequences() -> None:
    pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for part in ("**Context.**", "**Decision.**", "**Consequences.**"):
            assert part in text, page.name


def test_no_page_and_no_source_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    # Put together from pieces, or this file would be the first to be found.
    folders = "|".join(f"/{name}/" for name in ("work", "root", "home"))
    hosts = "|".join(
        ("py" + "pi.", "python" + "hosted", "repo1?" + r"\.maven", "maven" + r"\.org", "docker" + r"\.io")
    )
    forbidden = re.compile(rf"(?<![\w.$}}])(?:{folders})\w|{hosts}")
    for name in filter(None, listed):
        path = ROOT / name
        if path.is_file() and b"\0" not in (content := path.read_bytes()):
            found = forbidden.search(content.decode("utf-8", errors="replace"))
            assert found is None, f"{name}: {found and found[0]}"


def test_figures_of_the_bundled_graphs_are_those_of_the_catalogue() -> None:
    """Hold the README's and the tutorial's sentence about Enron to what the file holds."""
    graph = edgedp.read_graph("email-Enron")
    sentence = f"{graph.node_count:,} nodes, {graph.edge_count:,} edges, largest degree {graph.max_degree:,}"
    assert sentence in README
    assert sentence in (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert np.array_equal(np.sort(graph.node_ids), graph.node_ids)
