"""How commands print: tables for people, JSON and CSV for programs, progress on stderr."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.tables import plain, sentence_lines, table_lines
from edgedp.words.shown import csv_line, shown

if TYPE_CHECKING:
    from edgedp.words.progress import Progress

QUIET = "edgedp.quiet"

_Command = TypeVar("_Command", bound=Callable[..., Any])


def together(*options: Callable[[Any], Any]) -> Callable[[_Command], _Command]:
    """Return several options as one, in the order in which help shows them."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def format_option(command: _Command) -> _Command:
    """Add ``--format table|json|csv`` to a command that prints rows."""
    return click.option(
        "--format",
        "output",
        type=click.Choice(["table", "json", "csv"]),
        default="table",
        show_default=True,
        help="How to print.",
    )(command)


def limit_option(command: _Command) -> _Command:
    """Add ``--limit`` to a command whose list may be long."""
    return click.option(
        "--limit", metavar="N", type=WHOLE, help="Print at most N rows; no other row is read.  [default: all]"
    )(command)


def print_rows(rows: Sequence[Mapping[str, Any]], output: str, columns: Sequence[str]) -> None:
    """Print rows; JSON keeps numbers and null, a table and CSV show null as nothing."""
    if output == "json":
        click.echo(json.dumps([{name: row[name] for name in columns} for row in rows], indent=2))
    elif output == "csv":
        sys.stdout.write(csv_line(columns))
        sys.stdout.writelines(csv_line([plain(row[name]) for name in columns]) for row in rows)
    else:
        _print_table(rows, columns)


def print_object(value: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(value, indent=2))


def notice(text: str, *, always: bool = False) -> None:
    """Print a line on stderr, beside the rows; with ``--quiet`` only what must `always` be said."""
    if always or not quiet():
        width = shutil.get_terminal_size().columns if sys.stderr.isatty() else None
        for line in [shown(text)] if width is None else sentence_lines(shown(text), width):
            click.echo(line, err=True)


def say(text: str) -> None:
    """Print a sentence on stdout, below the rows, at most as wide as the terminal; with ``--quiet`` nothing."""
    if quiet():
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in [text] if width is None else sentence_lines(text, width):
        click.echo(line)


def quiet() -> bool:
    """Say whether ``--quiet`` was given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None] | None]:
    """Show on a terminal that a command is at work, for as long as it is, and hand out what changes the words.

    None where nobody watches.
    """
    if not sys.stderr.isatty() or quiet():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        yield lambda words: status.update(words, spinner="dots")  # which shows the words at once


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Hand out a progress callback that draws on stderr, or None where nobody watches."""
    if not sys.stderr.isatty() or quiet():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def advance(stage: str, done: int, total: int | None, /) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield advance


def _print_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Print a table as wide as the terminal; nothing is wrapped where the output goes elsewhere."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in table_lines(rows, columns, width):
        click.echo(line)
