"""The command that declares accounts by themselves."""

from __future__ import annotations

import click

from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import format_option, notice, print_object, print_rows
from edgedp.words.vocabulary import UNITS, Unit

__all__ = ["COMMANDS"]


@click.command()
@click.argument("name")
@click.option("--epsilon-budget", metavar="E", help="Declare the budget; it is recorded.")
@click.option(
    "--protect", type=Word("protect", UNITS), help="Declare what a release protects, before the first one."
)
@click.option(
    "--delta", metavar="D", help="Declare the budget as (epsilon, delta), before the first release."
)
@click.option(
    "--max-epsilon-per-release",
    metavar="E",
    help="Declare the largest epsilon of one release; none removes it.",
)
@format_option
def account(
    name: str,
    epsilon_budget: str | None,
    protect: Unit | None,
    delta: str | None,
    max_epsilon_per_release: str | None,
    output: str,
) -> None:
    """Declare the account of a relationship type or of a graph's name, or show it.

    A release debits the account of every relationship type that it reads, all or none. Several graphs over one type
    share its account, so neither another name nor a filter makes a release cheaper.
    """
    with opened_store() as store:
        row = store.account(
            name,
            epsilon_budget,
            protect,
            delta=delta,
            max_epsilon_per_release=max_epsilon_per_release,
        )
    if output == "json":
        print_object(row)
    else:
        print_rows([row], output, list(row))
    if (epsilon_budget, protect, delta, max_epsilon_per_release) != (None,) * 4:
        notice("the account is recorded")


COMMANDS = (account,)
