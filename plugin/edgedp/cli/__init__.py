"""The command line: a command opens the API object, calls one method and prints."""

from __future__ import annotations

import os
import sys

import click

from edgedp import __version__
from edgedp.errors import EdgeDPError

__all__ = ["edgedp", "main"]


class _OneLine(click.Group):
    """Turns every refusal into one line and exit status 1, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except EdgeDPError as error:
            raise click.ClickException(str(error)) from None
        except MemoryError:
            raise click.ClickException("memory is short, must hold the graph; use a larger machine") from None
        except BrokenPipeError:
            # The reader of our output went away; that is its right.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(1) from None
        except OSError as error:
            what = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(
                f"{what}{error.strerror or error}; check that it exists, is writable and has room"
            ) from None


@click.group(cls=_OneLine, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--store",
    metavar="URI",
    envvar=["EDGEDP_STORE", "NEO4J_URI"],
    default=None,
    help="A store file, or the address of a Neo4j server (neo4j://host:7687).  "
    "[default: EDGEDP_STORE, else NEO4J_URI, else graphs.edgedp]",
)
@click.version_option(__version__, prog_name="edgedp")
@click.pass_context
def edgedp(ctx: click.Context, store: str | None) -> None:
    """Release who matters in a graph, without saying who is connected to whom.

    Neo4j: NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE are read from the environment, and the
    password is asked for where it is missing.
    """
    ctx.obj = store


def main() -> None:
    """Run the command line."""
    edgedp()


def _add_commands() -> None:
    from edgedp.cli import analyst, audit, curator, plugin, researcher

    for module in (curator, analyst, researcher, audit, plugin):
        for command in module.COMMANDS:
            edgedp.add_command(command)


_add_commands()
