"""``edgedp plan``: what to expect of a release, from public facts alone."""

from __future__ import annotations

from dataclasses import asdict

import click

from edgedp.cli.batches import plan_batch
from edgedp.cli.numerals import WHOLE
from edgedp.cli.options import Word
from edgedp.cli.output import format_option, print_object, print_rows
from edgedp.metrics import metric_names
from edgedp.shown import amount

__all__ = ["COMMANDS"]


@click.command()
@click.option("--nodes", metavar="N", type=WHOLE, help="Number of nodes; public.")
@click.option(
    "--degree-bound", metavar="D", type=WHOLE, help="Public bound on the degree.  [default: nodes - 1]"
)
@click.option("--epsilon", metavar="E", help="Privacy loss of one release.")
@click.option("-k", type=WHOLE, help="How many nodes.")
@click.option(
    "--metric",
    "metrics",
    type=Word("metric", metric_names()),
    multiple=True,
    help="Show the noise of this one, as often as wanted.  [default: all]",
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
    edges_of_a_person: int | None,
    epsilon_budget: str | None,
    batch: str | None,
    output: str,
) -> None:
    r"""Say what to expect of a release: noise, measured quality, budgets. Reads no graph and no store.

    With --batch: what the releases of a file would cost, asked in their order, and which would be refused.

    \b
    Example: edgedp plan --nodes 36692 --degree-bound 2000 --epsilon 0.3 -k 10 --edges-of-a-person 20
    """
    given = {"--nodes": nodes, "--epsilon": epsilon, "-k": k}
    if batch is not None:
        others = given | {"--degree-bound": degree_bound, "--metric": metrics or None,
                          "--edges-of-a-person": edges_of_a_person, "--epsilon-budget": epsilon_budget}  # fmt: skip
        if any(value is not None for value in others.values()):
            raise click.UsageError(f"--batch stands alone: leave out {', '.join(others)}.")
        plan_batch(batch, output)
        return
    for option, value in given.items():
        if value is None:
            raise click.UsageError(f"Missing option '{option}'.")
    if nodes is None or epsilon is None or k is None:
        raise AssertionError("each was asked for")
    from edgedp.planning.outlook import outlook

    told = outlook(
        nodes,
        degree_bound,
        epsilon,
        k,
        metrics=metrics or None,
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
    click.echo("noise, in units of what it is added to (not told where it depends on private edges):")
    print_rows(noise, "table", ["metric", "mechanism", "on", "scale", "law"])
    for row in told.numbers:
        click.echo(f"{row['metric']} of one node, as a number: {row['reach']}")
    first = told.expected[0]
    click.echo(
        f"\nrecall of the EBC top {first.k} at epsilon {amount(first.epsilon)}, measured on graphs that could be "
        f"looked at ({told.source}):"
    )
    print_rows(
        [asdict(row) for row in told.expected],
        "table",
        ["graph", "nodes", "max_degree", "mechanism", "recall"],
    )
    click.echo()
    for row in told.budgets:
        click.echo(f"a budget of {amount(row['epsilon_budget'])} affords {row['releases']:,} such releases")
    for row in told.person:
        said = (
            "no promise worth the name"
            if row["odds"] is None
            else f"odds change at most {row['odds']:,} times"
        )
        click.echo(
            f"all {row['edges']:,} edges of one person together: epsilon {amount(row['epsilon'])}, {said}"
            if row["edges"] > 1
            else f"any one edge: epsilon {amount(row['epsilon'])}, {said}"
        )


def _brief(scale: float | str) -> str:
    return scale if isinstance(scale, str) else f"{scale:.6g}"


COMMANDS = (plan,)
