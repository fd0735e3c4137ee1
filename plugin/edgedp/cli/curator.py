"""Commands of the curator: load, register, drop, budget."""

from __future__ import annotations

from typing import Any

import click

from edgedp.cli.opening import opened_store
from edgedp.cli.output import amount, format_option, notice, print_object, print_rows, progress_bar, say
from edgedp.cli.reading import name_of, reading_options
from edgedp.shown import shown

__all__ = ["COMMANDS"]

_BUDGET = click.option(
    "--epsilon-budget", metavar="E", help="Budget of all releases of this name. Without one there are none."
)
_DELTA = click.option(
    "--delta", metavar="D", help="Declare the budget as (epsilon, delta), before the first release."
)
_BOUND = click.option(
    "--degree-bound", metavar="D", type=int, help="Public bound on the degree.  [default: nodes - 1]"
)
_FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print; json holds what is computed from private edges under the key exact.",
)
_LIMIT = click.option("--max-epsilon-per-release", metavar="E", help="Largest epsilon of one release.")


@click.command()
@click.argument("file", metavar="SOURCE")
@click.option("--name", metavar="N", help="Name in the store.  [default: the catalogue name or the file's]")
@click.option("--nodes", metavar="FILE", help="File of all node ids, isolated ones included.")
@reading_options
@_BUDGET
@_DELTA
@_BOUND
@_LIMIT
@click.option(
    "--replace", is_flag=True, help="Take the place of a graph of this name; what was spent stays spent."
)
@click.option("--node-label", metavar="L", help="Neo4j: an additional label of the nodes.")
@click.option("--relationship-type", metavar="T", help="Neo4j: type of the relationships.")
@_FORMAT
def load(
    file: str,
    name: str | None,
    nodes: str | None,
    epsilon_budget: str | None,
    delta: str | None,
    degree_bound: int | None,
    max_epsilon_per_release: str | None,
    replace: bool,
    node_label: str | None,
    relationship_type: str | None,
    output: str,
    **reading: Any,
) -> None:
    """Load a graph: a catalogue name, a file, a URL, or - for standard input.

    Text with one edge a line, Parquet, Arrow, GraphML, GEXF, GML, Pajek, METIS or Matrix Market; plain, .gz,
    .zst, .bz2, .xz or .zip. Format, columns, header and ids are detected and shown; where they cannot be told
    for sure, the load is refused and names the option to give.
    """
    from edgedp.reading import checked_options, read_source

    options = checked_options(**reading)
    name = name_of(file) if name is None else name
    with progress_bar() as progress:
        graph, report = read_source(file, nodes, options, progress=progress)
        with opened_store() as store:
            row = store.load(
                graph,
                name,
                epsilon_budget=epsilon_budget,
                degree_bound=degree_bound,
                max_epsilon_per_release=max_epsilon_per_release,
                delta=delta,
                replace=replace,
                node_label=node_label,
                relationship_type=relationship_type,
                progress=progress,
            )
    if output == "json":
        print_object(row | {"nodes_supplied": report.nodes_supplied, "exact": report.exact()})
        return
    for line in report.lines():
        say(shown(line))
    say(
        f"loaded as {row['name']}: epsilon budget {amount(row['epsilon_budget'])}, "
        f"spent {amount(row['epsilon_spent'])}, degree bound {row['degree_bound']:,}"
        + ("" if degree_bound is not None else " (the default, nodes - 1)")
    )
    if not report.nodes_supplied:
        say("the nodes were read from the edges and are declared public; every release says so")


@click.command()
@click.argument("name")
@click.option("--node-label", metavar="L", required=True, help="Label of the nodes.")
@click.option("--relationship-type", metavar="T", required=True, help="Type of the relationships.")
@click.option("--id-property", metavar="P", required=True, help="Property that identifies a node.")
@_BUDGET
@_DELTA
@_BOUND
@_LIMIT
@click.option(
    "--allow-empty", is_flag=True, help="Also where no relationship of the type joins two of the nodes."
)
@_FORMAT
def register(
    name: str,
    node_label: str,
    relationship_type: str,
    id_property: str,
    epsilon_budget: str | None,
    delta: str | None,
    degree_bound: int | None,
    max_epsilon_per_release: str | None,
    allow_empty: bool,
    output: str,
) -> None:
    """Register a graph that is already in Neo4j; nothing is copied."""
    with opened_store() as store:
        row = store.register(
            name,
            node_label=node_label,
            relationship_type=relationship_type,
            id_property=id_property,
            epsilon_budget=epsilon_budget,
            degree_bound=degree_bound,
            max_epsilon_per_release=max_epsilon_per_release,
            delta=delta,
            allow_empty=allow_empty,
        )
    if output == "json":
        print_object(row)
        return
    click.echo(
        f"registered {row['name']}: {row['node_count']:,} nodes, epsilon budget {amount(row['epsilon_budget'])}, "
        f"spent {amount(row['epsilon_spent'])}, degree bound {row['degree_bound']:,}"
    )


@click.command()
@click.argument("name")
def drop(name: str) -> None:
    """Drop a loaded graph, or forget a registered one; what was spent stays spent."""
    with opened_store() as store:
        store.drop(name)
    click.echo(f"dropped {name}; its ledger stays")


@click.command()
@click.argument("name")
@click.option("--set", "epsilon_budget", metavar="E", help="Declare another budget; it is recorded.")
@_DELTA
@format_option
def budget(name: str, epsilon_budget: str | None, delta: str | None, output: str) -> None:
    """Show what may be spent and what was, or declare another budget."""
    with opened_store() as store:
        row = (
            store.budget(name)
            if epsilon_budget is None and delta is None
            else store.set_budget(name, epsilon_budget, delta)
        )
        head = None if store.address is not None else store.head(name)  # the log is the curator's
    if output == "json":
        print_object(row if head is None else row | {"head": head})
    else:
        print_rows([row], output, list(row))
        if head is not None:
            notice(f"head of the log: {head}")
    if epsilon_budget is not None:
        notice("the new budget is recorded")


COMMANDS = (load, register, drop, budget)
