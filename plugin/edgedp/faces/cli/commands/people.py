"""Commands on people: analysts, curators, their tokens and sign-ins, who may spend how much, and who asked for more."""

from __future__ import annotations

import sys
from typing import Any

import click

from edgedp.faces.cli.once import Command, Group
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.output import format_option, notice, print_object, print_rows

_EXPIRES = click.option(
    "--expires",
    metavar="WHEN",
    help="Until when the token is good: a date, whose whole day in UTC counts, a duration such as 90d, 12h or P3M, or "
    "never.",
)
_ISSUER = click.option(
    "--issuer", metavar="URL", required=True, help="The provider of sign-ins, as its issuer is written."
)
_SHARE = [
    "analyst", "account", "epsilon_budget", "epsilon_spent", "epsilon_remaining", "max_epsilon_per_release",
]  # fmt: skip


@click.group(cls=Group)
def analyst() -> None:
    """Add, list and revoke analysts, their tokens and sign-ins, and show what happened to people."""


@analyst.command()
@click.argument("name")
@_EXPIRES
@format_option
def add(name: str, expires: str | None, output: str) -> None:
    """Add an analyst and print a token, only this once; the store keeps only its SHA-256."""
    with opened_store() as store:
        row = store.add_analyst(name, expires)
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
@_EXPIRES
@format_option
def rotate(name: str, expires: str | None, output: str) -> None:
    """Print another token for an analyst or curator; all earlier ones stop working.

    Without --expires it ends when the first one was to end.
    """
    with opened_store() as store:
        row = store.rotate_analyst(name) if expires is None else store.rotate_analyst(name, expires)
    _show_token(row, output)


@analyst.group()
def token() -> None:
    """Give an analyst or curator further tokens, by names, and list or end them."""


@token.command("add")
@click.argument("name")
@click.argument("token")
@_EXPIRES
@format_option
def add_token(name: str, token: str, expires: str | None, output: str) -> None:
    """Print a further token, called TOKEN; earlier ones stay good."""
    with opened_store() as store:
        row = store.add_token(name, token, expires)
    _show_token(row, output)


@token.command("list")
@click.argument("name", required=False)
@format_option
def list_tokens(name: str | None, output: str) -> None:
    """List the tokens of somebody, or of everybody: until when they are good, and which ended."""
    with opened_store() as store:
        rows = store.tokens(name)
    if output == "table":
        rows = [row | {key: (row[key] or "")[:19] for key in ("added", "expires", "revoked")} for row in rows]
    print_rows(rows, output, ["name", "token", "state", "expires", "added", "revoked"])


@token.command("revoke")
@click.argument("name")
@click.argument("token")
def revoke_token(name: str, token: str) -> None:
    """End one token of somebody; the others stay good."""
    with opened_store() as store:
        store.revoke_token(name, token)
    click.echo(f"ended the token {token} of {name}")


@analyst.group()
def identity() -> None:
    """Declare who somebody is at a provider of sign-ins (OpenID Connect), and list or take that away."""


@identity.command("add")
@click.argument("name")
@click.argument("subject")
@_ISSUER
def add_identity(name: str, subject: str, issuer: str) -> None:
    """Let the person whom the provider calls SUBJECT (its sub, not an e-mail address) sign in as NAME."""
    with opened_store() as store:
        store.add_identity(name, issuer, subject)
    click.echo(f"{subject} at {issuer} signs in as {name}")


@identity.command("list")
@format_option
def list_identities(output: str) -> None:
    """List who signs in as whom."""
    with opened_store() as store:
        rows = store.identities()
    print_rows(rows, output, ["name", "subject", "issuer", "added"])


@identity.command("remove")
@click.argument("subject")
@_ISSUER
def remove_identity(subject: str, issuer: str) -> None:
    """Take a sign-in away; browsers that are signed in by it are signed out."""
    with opened_store() as store:
        store.remove_identity(issuer, subject)
    click.echo(f"{subject} at {issuer} no longer signs in")


@analyst.command("log")
@format_option
def log(output: str) -> None:
    """Show what happened to people, their tokens and sign-ins, and who asked for more, when and by whom."""
    with opened_store() as store:
        rows = store.people_log()
        head = store.people_head()
    if output == "table":
        rows = [row | {"at": row["at"][:19]} for row in rows]
    print_rows(rows, output, ["seq", "at", "by", "event", "person", "role", "about"])
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


@click.group(cls=Group)
def curator() -> None:
    """Add curators; 'edgedp analyst' lists, rotates and revokes them too."""


@curator.command("add")
@click.argument("name")
@_EXPIRES
@format_option
def add_curator(name: str, expires: str | None, output: str) -> None:
    """Add a curator and print a token, only this once; the store keeps only its SHA-256."""
    with opened_store() as store:
        row = store.add_curator(name, expires)
    _show_token(row, output)


@click.command(cls=Command)
@click.argument("graph")
@click.argument("analyst", metavar="ANALYST")
@click.option(
    "--epsilon-budget",
    metavar="E",
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
    "--filters/--no-filters",
    default=None,
    help="The analyst may write conditions (register --of --where); every release still pays in full.  "
    "[default: as it is]",
)
@click.option(
    "--attributes", is_flag=True, help="Use the budget of the graph's attributes, not of its edges."
)
@click.option(
    "--revoke",
    is_flag=True,
    help="Take all shares of the graph away: the analyst no longer sees it. What was spent stays spent.",
)
@format_option
def grant(
    graph: str,
    analyst: str,
    epsilon_budget: str | None,
    max_epsilon_per_release: str | None,
    agent: bool | None,
    min_epsilon_per_release: str | None,
    filters: bool | None,
    attributes: bool,
    revoke: bool,
    output: str,
) -> None:
    """Declare, or change, how much of a graph's budget an analyst may spend; it is recorded in the log.

    All shares together may be more than the budget: it is the budget that protects.
    """
    from edgedp.ledger.shares import EDGES

    if revoke:
        declared = (epsilon_budget, max_epsilon_per_release, agent, min_epsilon_per_release, filters)
        if attributes or any(each is not None for each in declared):
            raise click.UsageError(
                "--revoke takes all shares of the graph away; give it without other options"
            )
        with opened_store() as store:
            store.revoke_share(graph, analyst)
        click.echo(
            f"{analyst} no longer has a share of {graph} and no longer sees it; what was spent stays spent"
        )
        return
    if epsilon_budget is None:
        raise click.UsageError("Missing option '--epsilon-budget'.")
    with opened_store() as store:
        row = store.grant(
            graph,
            analyst,
            epsilon_budget=epsilon_budget,
            max_epsilon_per_release=max_epsilon_per_release,
            account="attributes" if attributes else EDGES,
            agent=agent,
            min_epsilon_per_release=min_epsilon_per_release,
            filters=filters,
        )
    print_rows([row], output, list(row))


@click.command(cls=Command)
@click.argument("graph")
@format_option
def grants(graph: str, output: str) -> None:
    """List who may spend how much of a graph's budget, and what was spent."""
    with opened_store() as store:
        rows = store.grants(graph)
    more = [key for key in ("min_epsilon_per_release", "filters", "delta") if any(key in row for row in rows)]
    print_rows([dict.fromkeys(more) | row for row in rows], output, [*_SHARE, *more])


@click.group(cls=Group)
def more() -> None:
    """Ask for a larger share of a graph; for the curator: grant or decline what was asked for."""


@more.command()
@click.argument("graph")
@click.option("--epsilon", metavar="E", required=True, help="How much more.")
@click.option("--reason", metavar="TEXT", required=True, help="What it is for, in a sentence to the curator.")
@click.option(
    "--attributes", is_flag=True, help="More of the budget of the graph's attributes, not of its edges."
)
@format_option
def ask(graph: str, epsilon: str, reason: str, attributes: bool, output: str) -> None:
    """Ask the curator for a larger share, through a gateway; one question about a share at a time."""
    with opened_store() as store:
        row = store.ask_more(graph, epsilon, reason, "attributes" if attributes else "edges")
    _show_asked([row], output)
    notice("the curator sees it; what comes of it is in 'edgedp more list'")


@more.command("list")
@format_option
def list_asked(output: str) -> None:
    """List who asked for more, why, and what was answered; through a gateway, what you asked for."""
    with opened_store() as store:
        rows = store.asked_more()
    _show_asked(rows, output)


@more.command("grant")
@click.argument("id")
@click.option(
    "--epsilon-budget", metavar="E", help="The whole share from now on.  [default: what was asked for, more]"
)
@click.option("--answer", metavar="TEXT", help="A sentence for the analyst.")
@format_option
def grant_more(id: str, epsilon_budget: str | None, answer: str | None, output: str) -> None:
    """Make a share larger by what was asked for; the analyst sees the answer."""
    with opened_store() as store:
        row = store.answer_more(id, grant=True, answer=answer, epsilon_budget=epsilon_budget)
    _show_asked([row], output)


@more.command("decline")
@click.argument("id")
@click.option("--answer", metavar="TEXT", required=True, help="Why, in a sentence to the analyst.")
@format_option
def decline_more(id: str, answer: str, output: str) -> None:
    """Decline what was asked for; the analyst sees why."""
    with opened_store() as store:
        row = store.answer_more(id, grant=False, answer=answer)
    _show_asked([row], output)


def _show_asked(rows: list[dict[str, Any]], output: str) -> None:
    columns = ["id", "analyst", "graph", "account", "epsilon", "state", "reason", "answer"]
    if output == "table":
        print_rows([row | {"answer": row["answer"] or ""} for row in rows], output, columns)
    else:
        print_rows(rows, output, [*columns, "at", "answered"])


def _show_token(row: dict[str, Any], output: str) -> None:
    if output == "json":
        print_object(row)
    elif output == "csv":
        print_rows([row], output, list(row))
    else:
        click.echo(row["token"])
        notice("this token is shown once and kept nowhere; anybody who has it may ask in this name")
        if "expires" in row:
            notice(f"it is good until {row['expires']}")


COMMANDS = (analyst, curator, grant, grants, more)
