"""Commands of the curator on people: analysts, curators, and who may spend how much."""

from __future__ import annotations

import sys

import click

from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.output import format_option, notice, print_object, print_rows

__all__ = ["COMMANDS"]

_SHARE = [
    "analyst", "account", "epsilon_budget", "epsilon_spent", "epsilon_remaining", "max_epsilon_per_release",
]  # fmt: skip


@click.group()
def analyst() -> None:
    """Add, list and revoke analysts, rotate their tokens, and show what happened to people."""


@analyst.command()
@click.argument("name")
@format_option
def add(name: str, output: str) -> None:
    """Add an analyst and print a token, this once; the store keeps its SHA-256 alone."""
    with opened_store() as store:
        row = store.add_analyst(name)
    _show_token(row, output)


@analyst.command("list")
@format_option
def list_(output: str) -> None:
    """List everybody who has or had a token: analysts and curators."""
    with opened_store() as store:
        rows = store.analysts()
    print_rows(rows, output, ["name", "role", "added", "revoked"])


@analyst.command()
@click.argument("name")
@format_option
def rotate(name: str, output: str) -> None:
    """Print another token for an analyst or curator; the one before is worth nothing from now on."""
    with opened_store() as store:
        row = store.rotate_analyst(name)
    _show_token(row, output)


@analyst.command("log")
@format_option
def log(output: str) -> None:
    """Show who was added, given another token or revoked, when and by whom: analysts and curators."""
    with opened_store() as store:
        rows = store.people_log()
        head = store.people_head()
    if output == "table":
        rows = [row | {"at": row["at"][:19]} for row in rows]
    print_rows(rows, output, ["seq", "at", "by", "event", "person", "role"])
    notice(f"head of this log: {head}")


@analyst.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask first; nothing is asked where there is no terminal.")
def revoke(name: str, yes: bool) -> None:
    """Revoke an analyst or curator for good; what was spent stays spent."""
    if not yes and sys.stdin.isatty():
        click.confirm(f"revoke {name} for good?", abort=True, err=True)
    with opened_store() as store:
        store.revoke_analyst(name)
    click.echo(f"revoked {name}; the name stays taken")


@click.group()
def curator() -> None:
    """Add curators; 'edgedp analyst' lists, rotates and revokes them too."""


@curator.command("add")
@click.argument("name")
@format_option
def add_curator(name: str, output: str) -> None:
    """Add a curator and print a token, this once; the store keeps its SHA-256 alone."""
    with opened_store() as store:
        row = store.add_curator(name)
    _show_token(row, output)


@click.command()
@click.argument("graph")
@click.argument("analyst", metavar="ANALYST")
@click.option(
    "--epsilon-budget",
    metavar="E",
    required=True,
    help="What the analyst may spend in all; not below what was spent.",
)
@click.option(
    "--max-epsilon-per-release",
    metavar="E",
    help="Largest epsilon of one release; none removes it.  [default: as it is]",
)
@click.option(
    "--agent/--no-agent",
    default=None,
    help="The analyst is a program that decides by itself: each release must name its plan, which stated its cost.  "
    "[default: as it is]",
)
@click.option(
    "--min-epsilon-per-release",
    metavar="E",
    help="For an agent: smallest epsilon of one release.  [default: as it is, else a hundredth of the share; the "
    "largest is else a tenth]",
)
@click.option(
    "--attributes", is_flag=True, help="Use the budget of the graph's attributes, not of its edges."
)
@format_option
def grant(
    graph: str,
    analyst: str,
    epsilon_budget: str,
    max_epsilon_per_release: str | None,
    agent: bool | None,
    min_epsilon_per_release: str | None,
    attributes: bool,
    output: str,
) -> None:
    """Declare, or change, how much of a graph's budget an analyst may spend; it is recorded in the log.

    All shares together may be more than the budget: it is the budget that protects.
    """
    from edgedp.ledger.shares import EDGES

    with opened_store() as store:
        row = store.grant(
            graph,
            analyst,
            epsilon_budget=epsilon_budget,
            max_epsilon_per_release=max_epsilon_per_release,
            account="attributes" if attributes else EDGES,
            agent=agent,
            min_epsilon_per_release=min_epsilon_per_release,
        )
    print_rows([row], output, list(row))


@click.command()
@click.argument("graph")
@format_option
def grants(graph: str, output: str) -> None:
    """List who may spend how much of a graph's budget, and what was spent."""
    with opened_store() as store:
        rows = store.grants(graph)
    more = [key for key in ("min_epsilon_per_release", "delta") if any(key in row for row in rows)]
    print_rows([dict.fromkeys(more) | row for row in rows], output, [*_SHARE, *more])


def _show_token(row: dict[str, str], output: str) -> None:
    if output == "json":
        print_object(row)
    elif output == "csv":
        print_rows([row], output, list(row))
    else:
        click.echo(row["token"])
        notice("this token is shown once and kept nowhere; anybody who has it may ask in this name")


COMMANDS = (analyst, curator, grant, grants)
