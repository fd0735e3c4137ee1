"""``edgedp plan``: what to expect of a release, from public facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.commands.batches import plan_batch
from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.once import Command
from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import format_option, print_object, print_rows
from edgedp.release.options import top_k_metrics
from edgedp.words.shown import amount
from edgedp.words.vocabulary import UNITS, Unit

if TYPE_CHECKING:
    from edgedp.release.planning.measured import Measured


@click.command(cls=Command)
@click.option("--nodes", metavar="N", type=WHOLE, help="Number of nodes; public.")
@click.option(
    "--degree-bound", metavar="D", type=WHOLE, help="Public bound on the degree.  [default: nodes - 1]"
)
@click.option("--epsilon", metavar="E", help="Privacy loss of one release.")
@click.option("-k", type=WHOLE, help="How many nodes.")
@click.option(
    "--metric",
    "metrics",
    type=Word("metric", top_k_metrics()),
    multiple=True,
    help="Show the noise of this one, as often as wanted.  [default: all of undirected graphs]",
)
@click.option(
    "--protect",
    type=Word("protect", UNITS),
    help="Only releases that protect this: all between two nodes, all arcs that leave one node, or that come to one.",
)
@click.option(
    "--edges-of-a-person", metavar="M", type=WHOLE, help="Say what is promised to somebody with M edges."
)
@click.option("--epsilon-budget", metavar="B", help="Say how many such releases it affords.")
@click.option(
    "--batch",
    metavar="FILE",
    help="Instead: what the releases of this file would cost, of the graphs of the store.",
)
@format_option
def plan(
    nodes: int | None,
    degree_bound: int | None,
    epsilon: str | None,
    k: int | None,
    metrics: tuple[str, ...],
    protect: Unit | None,
    edges_of_a_person: int | None,
    epsilon_budget: str | None,
    batch: str | None,
    output: str,
) -> None:
    """Say what to expect of a release: noise, measured quality, budgets. Reads no graph and no store.

    With --batch: what the releases of a file would cost, asked in their order, and which would be refused.
    """
    given = {"--nodes": nodes, "--epsilon": epsilon, "-k": k}
    if batch is not None:
        others = given | {"--degree-bound": degree_bound, "--metric": metrics or None, "--protect": protect,
                          "--edges-of-a-person": edges_of_a_person, "--epsilon-budget": epsilon_budget}  # fmt: skip
        beside = [option for option, value in others.items() if value is not None]
        if beside:
            raise click.UsageError(f"--batch is not combined with other options: remove {', '.join(beside)}.")
        plan_batch(batch, output)
        return
    for option, value in given.items():
        if value is None:
            raise click.UsageError(f"Missing option '{option}'.")
    if nodes is None or epsilon is None or k is None:
        raise AssertionError("each was asked for")
    from edgedp.release.planning.outlook import outlook

    told = outlook(
        nodes,
        degree_bound,
        epsilon,
        k,
        metrics=metrics or None,
        protect=protect,
        edges_of_a_person=edges_of_a_person,
        epsilon_budget=epsilon_budget,
    )
    if output == "json":
        print_object(told.to_dict())
        return
    noise = [row | {"law": row.get("law", ""), "scale": _brief(row["scale"])} for row in told.noise]
    if output == "csv":
        print_rows(noise, "csv", ["metric", "mechanism", "on", "scale", "law"])
        return
    click.echo("noise, in units of what it is added to (not shown where it depends on private edges):")
    print_rows(noise, "table", ["metric", "mechanism", "on", "scale", "law"])
    for row in told.numbers:
        click.echo(f"{row['metric']} of one node, as a number: {row['reach']}")
    _print_recall(told.expected, told.source, "EBC" if told.protected is None else told.noise[0]["metric"])
    click.echo()
    for row in told.budgets:
        fits = f"{row['releases']:,} such release{'' if row['releases'] == 1 else 's'}"
        click.echo(f"a budget of {amount(row['epsilon_budget'])} affords {fits}")
    for row in told.person:
        who = f"all {row['edges']:,} edges of one person together" if row["edges"] > 1 else "any one edge"
        click.echo(f"{who}: {_promised(row)}")
    if told.protected is not None:
        click.echo(
            f"{_WHO[told.protected['protect']]}, taken away: {_promised(told.protected)}; replaced costs twice"
        )
    if told.advice is not None:
        click.echo(told.advice)


_WHO: dict[Unit, str] = {
    "pair": "all between two nodes",
    "source": "all arcs that leave one node",
    "target": "all arcs that come to one node",
}


def _print_recall(expected: Sequence[Measured], source: str, ranked: str) -> None:
    """Print what was measured; nothing where nothing was."""
    if not expected:
        return
    first = expected[0]
    click.echo(
        f"\nrecall of the {ranked} top {first.k} at epsilon {amount(first.epsilon)}, measured on graphs that could be "
        f"looked at ({source}):"
    )
    print_rows(
        [asdict(row) for row in expected],
        "table",
        ["graph", "nodes", "max_degree", "mechanism", "recall"],
    )


def _promised(row: Mapping[str, Any]) -> str:
    odds = row["odds"]
    said = "no promise worth the name" if odds is None else f"odds change at most {odds:,} times"
    return f"epsilon {amount(row['epsilon'])}, {said}"


def _brief(scale: float | str) -> str:
    return scale if isinstance(scale, str) else f"{scale:.6g}"


COMMANDS = (plan,)
