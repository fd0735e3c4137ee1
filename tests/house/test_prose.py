"""How documents and messages are written: lines that fit, and English that a native reader does not stop at."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import looped
from edgedp.faces.cli import edgedp as command_line

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "plugin" / "edgedp"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "loaders").glob("*.md"),
        *(ROOT / "docker").glob("*.md"),
    ]
)
READ = [page for page in PAGES if page.parent.name != "decisions" and page.name != "CHANGELOG.md"]
"""Decisions and the log of changes are kept as they were written."""
WIDTH = 120

HABITS = {
    "'Of X: ...' as an opener": re.compile(r"(?:^|(?<=[.;:] )|(?<=\*\* ))Of [a-z`]"),
    "whoever": re.compile(r"\b[Ww]hoever\b"),
    "'two ids a line'": re.compile(
        r"\b(?:one|two|three|bytes|ids?|files?|lines?|rows?|edges?|values?|objects?|ledgers?) an? "
        r"(?:line|file|version|cell|row|graph|node|edge|core|record|candidate)\b"
    ),
    "'alone' for 'only'": re.compile(r"(?<!public facts )\balone\b"),
    "told, tells": re.compile(r"\b(?:told|tells?)\b"),
    "'is no Y'": re.compile(r"(?<!there )\b(?:is|are|was|were) no (?!longer|more than|less than)\w+"),
    "'Protected is ...'": re.compile(
        r"(?:^|(?<=[.;:] ))(?:Protected|Shown|Printed|Counted|Kept|Refused|Debited|Drawn|Named|Noticed) (?:is|are) "
    ),
    "'Who asks sees ...'": re.compile(r"(?:^|(?<=[.;] ))Who [a-z]+ (?:[^?.]*[^?.])?\.(?: |$)"),
}
HINTS = re.compile(r"leave it out|; check it\b|; correct$")
EXCEPTIONS = {
    "both standard input; name a file for one of them",  # not "one in each file"
    "entries that are 0 are no edges",  # a count of what was left out, in a report
}
"""Parts of messages that keep a habit, each for a reason."""


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a page that are neither in a fenced block nor a row of a table."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("|"):
            yield number, line


def paragraphs(path: Path) -> Iterator[str]:
    """Yield the paragraphs and items of a page as one line each, without code, addresses of links, and pictures."""
    held: list[str] = []
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for line in [*text.splitlines(), ""]:
        begins = re.match(r"\s*(?:[-*#|]|\d+\.)", line)
        if held and (begins or not line.strip()):
            yield re.sub(r"`[^`]*`|\]\([^)]*\)", "`", " ".join(held))
            held = []
        if line.strip():
            held.append(re.sub(r"^\s*(?:[-*#]+|\d+\.)\s+", "", line).strip())


def messages() -> Iterator[tuple[str, str]]:
    """Yield every text of the package that is not a docstring: errors, help, sentences below a release."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        described = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        texts = [
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in described
        ]
        for node in texts:
            if isinstance(node.value, str) and " " in node.value:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def helps(group: click.Group, *path: str) -> Iterator[tuple[str, str]]:
    """Yield the help of every command, which is its docstring."""
    for name, command in group.commands.items():
        yield " ".join([*path, name]), inspect.cleandoc(command.help or "").replace("\n", " ")
        if isinstance(command, click.Group):
            yield from helps(command, *path, name)


@looped.as_one
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_fit(page: Path) -> None:
    """Rows of tables cannot be broken, and blocks show what a program prints."""
    long = [(number, len(line)) for number, line in prose(page) if len(line) > WIDTH]
    assert not long, long


@looped.as_one
@pytest.mark.parametrize("page", READ, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_plain_english(page: Path) -> None:
    found = [(why, text) for text in paragraphs(page) for why, habit in HABITS.items() if habit.search(text)]
    assert not found, found


def test_messages_are_plain_english_and_say_what_to_do() -> None:
    found = [
        (where, text)
        for where, text in [*messages(), *helps(command_line)]
        if not any(each in text for each in EXCEPTIONS)
        if HINTS.search(text) or any(habit.search(text) for habit in HABITS.values())
    ]
    assert not found, found


@looped.as_one
@pytest.mark.parametrize(
    ("text", "habit"),
    [
        ("Of each cell the mean is shown.", "'Of X: ...' as an opener"),
        ("Ask whoever runs it.", "whoever"),
        ("A list has two ids a line.", "'two ids a line'"),
        ("for the curator alone", "'alone' for 'only'"),
        ("it tells the degree", "told, tells"),
        ("the file is no text", "'is no Y'"),
        ("Protected is the record.", "'Protected is ...'"),
        ("Who opens the store reads every edge.", "'Who asks sees ...'"),
    ],
)
def test_each_habit_is_found(text: str, habit: str) -> None:
    assert [why for why, pattern in HABITS.items() if pattern.search(text)] == [habit]
