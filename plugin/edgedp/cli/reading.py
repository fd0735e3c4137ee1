"""Options that say how a source is to be read, for the commands that read one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["name_of", "reading_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--source", metavar="C", help="Column of one end, by name or number from 1; with --target."),
    click.option("--target", metavar="C", help="Column of the other end."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line names the columns.  [default: detected]",
    ),
    click.option(
        "--nodes-header/--no-nodes-header",
        default=None,
        help="The same of the file of nodes.  [default: detected]",
    ),
    click.option(
        "--separator",
        metavar="S",
        help="One character, or tab, comma, semicolon, space.  [default: detected]",
    ),
    click.option(
        "--ids",
        type=click.Choice(["integer", "text"]),
        help="Ids as numbers (007 is 7) or as written.  [default: integers where none changes]",
    ),
    click.option(
        "--comments",
        metavar="SIGNS",
        help="Signs that begin a comment, or none.  [default: # and %, if sure]",
    ),
    click.option("--refresh", is_flag=True, help="Fetch a URL anew, whatever the cache holds."),
)


def reading_options(command: _Command) -> _Command:
    """Add the options of `edgedp.read_graph` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def name_of(source: str) -> str:
    """Return the name that a graph takes from its source."""
    from edgedp.reading.locating import name_of as named

    return named(source)
