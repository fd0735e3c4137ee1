"""Commands of the researcher and the newcomer: exact values, datasets, the demo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.commands.analyst import show_release
from edgedp.faces.cli.commands.experiments import STORED
from edgedp.faces.cli.numerals import WHOLE, WholeRange
from edgedp.faces.cli.once import Command, Group
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import Word, engine_option, typed_ids
from edgedp.faces.cli.output import format_option, notice, print_rows, progress_bar, say, working
from edgedp.mechanisms.counts import count_names
from edgedp.release.options import top_k_metrics
from edgedp.words.shown import amount
from edgedp.words.vocabulary import METRIC_FORMS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from edgedp.words.vocabulary import Engine

_REMINDER = "note: these rows are exact, computed from private edges without a mechanism; do not publish them"


class _ExactGroup(Group):
    """``exact NAME`` shows a metric, ``exact count NAME`` a number; a graph may have the name of a subcommand."""

    default: click.Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # A subcommand takes a graph's name next; without one, the word is a graph's itself.
        asks_help = args[1:] in (["-h"], ["--help"])
        if args[0] in self.commands and (asks_help or (args[1:] and not args[1].startswith("-"))):
            return super().resolve_command(ctx, args)
        return "", self.default, args

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        name = next(each for each in self.default.params if isinstance(each, click.Argument))
        return [*name.shell_complete(ctx, incomplete), *super().shell_complete(ctx, incomplete)]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.default.format_usage(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.default.format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=_ExactGroup)
def exact() -> None:
    """Show the largest exact values. Not private: for the curator and for research."""


@click.command(cls=Command)
@click.argument("name")
@click.option("--metric", type=Word("metric", top_k_metrics()), required=True, help="What to compute.")
@click.option(
    "--top", metavar="N", type=WholeRange(min=1), default=10, show_default=True, help="Rows to show."
)
@engine_option
@click.option(
    "--sensitivity-at", metavar="T", type=WHOLE, help="Show the admissible sensitivity at distance T instead."
)
@click.option(
    "--sensitivity-form", type=Word("form", METRIC_FORMS), help="With --sensitivity-at.  [default: degree]"
)
@format_option
def metric_values(
    name: str,
    metric: str,
    top: int,
    engine: Engine,
    sensitivity_at: int | None,
    sensitivity_form: str | None,
    output: str,
) -> None:
    """Show the largest exact values. Not private: for the curator and for research."""
    from edgedp.words.errors import ParameterError

    if sensitivity_form is not None and sensitivity_at is None:
        raise ParameterError("--sensitivity-form is given without --sensitivity-at; add the distance")
    with opened_store() as store, working("computing"):
        ids, values = store.exact_rows(
            name, metric, t=sensitivity_at, form=sensitivity_form, top=top, engine=engine
        )
    notice(_REMINDER, always=True)
    rows = [{"id": node, "value": value} for node, value in zip(ids.tolist(), values.tolist(), strict=True)]
    print_rows(rows, output, ["id", "value"])


@click.command("count", cls=Command)
@click.argument("name")
@click.option("--of", type=Word("of", count_names()), required=True, help="What is counted.")
@click.option("--star-size", metavar="S", type=WHOLE, help="For stars: how many neighbours.  [default: 3]")
@click.option("--pair", metavar="U V", nargs=2, help="For common_neighbors: two node ids.")
@click.option("--node", metavar="V", help="For a metric: the node's id.")
@click.option(
    "--sensitivity-at", metavar="T", type=WHOLE, help="Show the admissible sensitivity at distance T instead."
)
@click.option(
    "--degree-bound",
    metavar="D",
    type=WHOLE,
    help="With --sensitivity-at: under this bound.  [default: none]",
)
@engine_option
@format_option
def exact_count(
    name: str,
    sensitivity_at: int | None,
    degree_bound: int | None,
    engine: Engine,
    output: str,
    **asked: Any,
) -> None:
    """Show a number exactly. Not private: for the curator and for research."""
    from edgedp.words.errors import ParameterError

    if degree_bound is not None and sensitivity_at is None:
        raise ParameterError("--degree-bound is given without --sensitivity-at; add the distance")
    with opened_store() as store:
        number = typed_ids(asked)
        if sensitivity_at is None:
            value = store.exact_count(name, **number, engine=engine)
        else:
            value = store.exact_count_sensitivity(
                name, t=sensitivity_at, **number, degree_bound=degree_bound, engine=engine
            )
    notice(_REMINDER, always=True)
    print_rows([{"of": asked["of"], "value": value}], output, ["of", "value"])


exact.default = metric_values
for _below in (exact_count, *STORED):
    exact.add_command(_below)


@click.command(cls=Command)
@format_option
def datasets(output: str) -> None:
    """List the catalogue: graphs that load by name."""
    from edgedp.graph.reading.sources.catalogue import catalogue

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


@click.command(cls=Command)
def demo() -> None:
    """Run the main job on the bundled e-mail graph, in a store of its own."""
    import tempfile
    from pathlib import Path

    from edgedp.graph.loading import read_source
    from edgedp.stores.opening import open_store

    with tempfile.TemporaryDirectory(prefix="edgedp-demo-") as folder:
        say("1. The curator loads email-Enron into a new store, and declares a budget and a degree bound.")
        with progress_bar() as progress:
            graph, report = read_source("email-Enron", progress=progress)
            store = open_store(Path(folder) / "demo.edgedp")
            row = store.load(graph, "email-Enron", epsilon_budget=3, degree_bound=2000, progress=progress)
        for line in report.lines():
            say(f"   {line}")
        say(f"   epsilon budget {amount(row['epsilon_budget'])}, degree bound {row['degree_bound']:,}")
        say("2. The analyst asks for the ten nodes of highest ego-betweenness, at epsilon 0.3.")
        with working("drawing"):
            release = store.priv_top_k("email-Enron", metric="ebc", k=10, epsilon="0.3")
        show_release(release, "table")


COMMANDS = (exact, datasets, demo)
