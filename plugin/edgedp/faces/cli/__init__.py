"""The command line: a command opens the API object, calls one method and prints."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import click

from edgedp.faces.cli.completing import complete_arguments
from edgedp.faces.cli.examples import add_examples
from edgedp.faces.cli.once import Group
from edgedp.faces.cli.output import QUIET
from edgedp.faces.cli.roles import write_commands
from edgedp.words.errors import EdgeDPError
from edgedp.words.shown import shown
from edgedp.words.spoken import FACE
from edgedp.words.version import __version__

__all__ = ["edgedp", "main"]


def _note(message: Warning | str, category: type[Warning], *place: Any, **further: Any) -> None:
    """Print a warning as one line."""
    click.echo(f"note: {message}", err=True)


def _show_version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from edgedp.graph.engines import kernels

    click.echo(f"edgedp, version {__version__} ({kernels()})")
    ctx.exit()


class _OneLine(Group):
    """Turns every refusal into one line and exit status 1, never a traceback; lists commands by who uses them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_commands(self, formatter)

    def invoke(self, ctx: click.Context) -> object:
        face = FACE.set("command")
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _note
                return super().invoke(ctx)
        except EdgeDPError as error:
            raise click.ClickException(shown(error)) from None
        except MemoryError:
            raise click.ClickException("the graph does not fit into memory; use a larger machine") from None
        except BrokenPipeError:
            # The reader of our output went away; that is its right.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        except OSError as error:
            what = f"{shown(error.filename)}: " if error.filename else ""
            raise click.ClickException(f"{what}{error.strerror or error}; {_remedy(error)}") from None
        finally:
            FACE.reset(face)


def _remedy(error: OSError) -> str:
    """Say what to do about a file that the system refuses."""
    match error:
        case FileNotFoundError() | IsADirectoryError() | NotADirectoryError():
            return "check the path"
        case PermissionError():
            return "check who may read and write it"
        case _:
            return "check the file, and that the disk has room"


@click.group(cls=_OneLine, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--store",
    metavar="URI",
    envvar=["EDGEDP_STORE", "NEO4J_URI"],
    default=None,
    help="A store folder, or the address of a Neo4j server (neo4j://host:7687) or of a gateway (https://host).  "
    "[default: EDGEDP_STORE, else NEO4J_URI, else graphs.edgedp]",
)
@click.option(
    "--head",
    metavar="HEAD",
    envvar="EDGEDP_LEDGER_HEAD",
    default=None,
    help="'SEQ:HASH NAME' or a file of such lines: refuse a store without this history.  [default: EDGEDP_LEDGER_HEAD]",
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print what was asked for and no sentence beside it; refusals, warnings and reminders stay.",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version, and which kernels compute, and exit.",
)
@click.pass_context
def edgedp(ctx: click.Context, store: str | None, head: str | None, quiet: bool) -> None:
    """Release who matters in a graph, without saying who is connected to whom.

    Neo4j: NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE are read from the environment, and the
    password is asked for where it is missing.
    """
    ctx.obj = store
    ctx.meta["edgedp.head"] = head
    ctx.meta[QUIET] = quiet


def main() -> None:
    """Run the command line."""
    _open_standard_streams()
    edgedp(prog_name="edgedp")


def _open_standard_streams() -> None:
    """Open what the caller closed, or files of the store would have its numbers; refuse where nobody reads answers."""
    unread = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 -- for as long as we run
    if unread:
        sys.exit("Error: standard output is closed; leave it open, or redirect it to a file or /dev/null")


def _add_commands() -> None:
    from edgedp.faces.cli.commands import (
        agents,
        analyst,
        audit,
        batches,
        card,
        curator,
        experiments,
        ledger,
        people,
        planning,
        plugin,
        researcher,
        serving,
    )

    modules = (
        curator,
        people,
        ledger,
        analyst,
        batches,
        planning,
        researcher,
        experiments,
        audit,
        plugin,
        serving,
        agents,
        card,
    )
    for module in modules:
        for command in module.COMMANDS:
            edgedp.add_command(command)
    add_examples(edgedp)
    complete_arguments(edgedp)


_add_commands()
