"""Commands of the researcher and the newcomer: exact values, datasets, the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from edgedp.cli.analyst import show_release
from edgedp.cli.experiments import STORED
from edgedp.cli.opening import opened_store
from edgedp.cli.options import Word, engine_option
from edgedp.cli.output import amount, format_option, notice, print_rows
from edgedp.metrics import metric_names
from edgedp.vocabulary import METRIC_FORMS

if TYPE_CHECKING:
    from edgedp.vocabulary import Engine

__all__ = ["COMMANDS"]

_REMINDER = "note: these rows are exact, computed from private edges without a mechanism; do not publish them"


class _NameOrCommand(click.Group):
    """A group whose first word may be the name of a graph: then its exact values are shown."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["values", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_NameOrCommand)
def exact() -> None:
    """Show what is computed from private edges without a mechanism: exact NAME, or one of the commands below.

    Not private: for the curator and for research. A graph that is called like a command: exact values NAME.
    """


@exact.command()
@click.argument("name")
@click.option("--metric", type=Word("metric", metric_names()), required=True, help="What to compute.")
@click.option(
    "--top", metavar="N", type=click.IntRange(min=1), default=10, show_default=True, help="Rows to show."
)
@engine_option
@click.option(
    "--sensitivity-at", metavar="T", type=int, help="Show the admissible sensitivity at distance T instead."
)
@click.option(
    "--sensitivity-form", type=Word("form", METRIC_FORMS), help="With --sensitivity-at.  [default: degree]"
)
@format_option
def values(
    name: str,
    metric: str,
    top: int,
    engine: Engine,
    sensitivity_at: int | None,
    sensitivity_form: str | None,
    output: str,
) -> None:
    """Show the largest exact values. Not private: for the curator and for research."""
    from edgedp.errors import ParameterError

    if sensitivity_form is not None and sensitivity_at is None:
        raise ParameterError("--sensitivity-form is given without --sensitivity-at; add the distance")
    with opened_store() as store:
        ids, found = store.exact_rows(
            name, metric, t=sensitivity_at, form=sensitivity_form, top=top, engine=engine
        )
    notice(_REMINDER)
    rows = [{"id": node, "value": value} for node, value in zip(ids.tolist(), found.tolist(), strict=True)]
    print_rows(rows, output, ["id", "value"])


@click.command()
@format_option
def datasets(output: str) -> None:
    """List the catalogue: graphs that load by name."""
    from edgedp.reading.catalogue import catalogue

    rows = [
        {
            "name": entry.name,
            "nodes": entry.nodes,
            "edges": entry.edges,
            "max_degree": entry.max_degree,
            "bundled": entry.bundled,
            "title": entry.title,
        }
        for entry in catalogue()
    ]
    print_rows(rows, output, ["name", "nodes", "edges", "max_degree", "bundled", "title"])


@click.command()
def demo() -> None:
    """Run the main job on the bundled e-mail graph, in a store of its own."""
    import tempfile
    from pathlib import Path

    from edgedp.reading import read_source
    from edgedp.stores.opening import open_store

    with tempfile.TemporaryDirectory(prefix="edgedp-demo-") as folder:
        click.echo(
            "1. The curator loads email-Enron into a new store, and declares a budget and a degree bound."
        )
        graph, report = read_source("email-Enron")
        store = open_store(Path(folder) / "demo.edgedp")
        row = store.load(graph, "email-Enron", epsilon_budget=10, degree_bound=2000)
        for line in report.lines():
            click.echo(f"   {line}")
        click.echo(
            f"   epsilon budget {amount(row['epsilon_budget'])}, degree bound {row['degree_bound']:,}\n"
            "2. The analyst asks for the ten nodes of highest ego-betweenness, at epsilon 1."
        )
        release = store.priv_top_k("email-Enron", metric="ebc", k=10, epsilon="1", mechanism="sld")
        show_release(release, "table")


for _command in STORED:
    exact.add_command(_command)

COMMANDS = (exact, datasets, demo)
