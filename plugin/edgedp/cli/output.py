"""How commands print: tables for people, JSON and CSV for programs, progress on stderr."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgedp.shown import shown

if TYPE_CHECKING:
    from edgedp.progress import Progress

__all__ = ["amount", "format_option", "notice", "print_object", "print_rows", "progress_bar"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


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


def print_rows(rows: Sequence[Mapping[str, Any]], output: str, columns: Sequence[str]) -> None:
    """Print rows; JSON keeps numbers and null, a table and CSV show null as nothing."""
    if output == "json":
        click.echo(json.dumps([{name: row[name] for name in columns} for row in rows], indent=2))
    elif output == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_plain(row[name]) for name in columns] for row in rows)
    else:
        _print_table(rows, columns)


def print_object(value: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps(value, indent=2))


def notice(text: str) -> None:
    """Print a line on stderr, beside the rows."""
    click.echo(shown(text), err=True)


def amount(value: float | None) -> str:
    """Return an epsilon for people.

    Examples
    --------
    >>> amount(2.0), amount(0.1), amount(None)
    ('2', '0.1', 'none declared')
    """
    return "none declared" if value is None else f"{value:.9f}".rstrip("0").rstrip(".")


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Hand out a progress callback that draws on stderr, or None where nobody watches."""
    if not sys.stderr.isatty():
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
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        numeric = all(isinstance(row[name], (int, float)) or row[name] is None for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_escaped(shown(_plain(row[name]))) for name in columns))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return str(value)
