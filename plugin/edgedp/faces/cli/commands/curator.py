"""Commands of the curator: load, refresh, register, drop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.commands.attributes import attribute
from edgedp.faces.cli.commands.ledger import note_large
from edgedp.faces.cli.dating import (
    calendar_options,
    date_column_options,
    date_property_options,
    dates_of_options,
)
from edgedp.faces.cli.loaded import check_offline, say_loaded, say_offline
from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import (
    print_object,
    progress_bar,
    say,
    working,
)
from edgedp.faces.cli.reading import (
    answered,
    kind_options,
    name_of,
    reading_options,
    weight_of,
    weight_options,
)
from edgedp.faces.cli.registered import check_registered, registered_or_asked, rule_options, rules_given
from edgedp.words.errors import ParameterError
from edgedp.words.shown import amount, shown
from edgedp.words.vocabulary import ADDRESS_ENGINES, UNITS, AddressEngine, Unit

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.graph.reading import LoadReport

__all__ = ["COMMANDS"]

_BUDGET = click.option(
    "--epsilon-budget", metavar="E", help="Budget of all releases of this name. Without one there are none."
)
_DELTA = click.option(
    "--delta", metavar="D", help="Declare the budget as (epsilon, delta), before the first release."
)
_BOUND = click.option(
    "--degree-bound", metavar="D", type=WHOLE, help="Public bound on the degree.  [default: nodes - 1]"
)
_FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print; json holds what is computed from private edges under the key exact.",
)
_STORED = (
    "name", "properties", "title", "epsilon_budget", "delta", "degree_bound", "max_epsilon_per_release", "protect",
    "calendar_from", "period", "within", "grace", "dates", "attribute_epsilon_budget", "replace",
)  # fmt: skip
_LIMIT = click.option("--max-epsilon-per-release", metavar="E", help="Largest epsilon of one release.")
_PROTECT = click.option(
    "--protect", type=Word("protect", UNITS),
    help="What one release protects: all between two nodes (pair), or all that one node does (source), or all that is "
    "done to one (target).  [default: pair]",
)  # fmt: skip


@click.command()
@click.argument("file", metavar="SOURCE")
@click.option("--name", metavar="N", help="Name in the store.  [default: the catalogue name or the file's]")
@click.option("--nodes", metavar="FILE", help="File of all node ids, isolated ones included.")
@click.option(
    "--properties", metavar="P,Q", help="Columns of the file of nodes that are properties of the nodes."
)
@click.option(
    "--title", metavar="P", help="Column of the file of nodes that lists show beside their ids; public."
)
@reading_options
@kind_options
@date_column_options
@weight_options
@click.option("--dry-run", is_flag=True, help="Show rows, columns, ends and counts, and store nothing.")
@_BUDGET
@_DELTA
@_BOUND
@_LIMIT
@_PROTECT
@calendar_options
@click.option(
    "--attribute-epsilon-budget", metavar="E", help="Budget of all releases from properties of the nodes."
)
@click.option(
    "--replace", is_flag=True, help="Take the place of a graph of this name; what was spent stays spent."
)
@click.option("--node-label", metavar="L", help="Neo4j: an additional label of the nodes.")
@click.option("--relationship-type", metavar="T", help="Neo4j: type of the relationships.")
@click.option(
    "--offline", metavar="DIR",
    help="Store nothing; write to a new folder what 'neo4j-admin database import' takes, with the command.",
)  # fmt: skip
@_FORMAT
def load(
    file: str,
    name: str | None,
    nodes: str | None,
    properties: str | None,
    title: str | None,
    dry_run: bool,
    epsilon_budget: str | None,
    delta: str | None,
    degree_bound: int | None,
    max_epsilon_per_release: str | None,
    protect: Unit | None,
    calendar_from: str | None,
    period: str | None,
    within: str | None,
    grace: str | None,
    dates: str | None,
    attribute_epsilon_budget: str | None,
    replace: bool,
    node_label: str | None,
    relationship_type: str | None,
    offline: str | None,
    output: str,
    **reading: Any,
) -> None:
    """Load a graph: a catalogue name, a file, a URL, or - for standard input.

    Text with one edge a line, Parquet, Arrow, GraphML, GEXF, GML, Pajek, METIS or Matrix Market; plain, .gz,
    .zst, .bz2, .xz or .zip. Two columns of integers, and columns whose names are a known pair of ends, load without
    a word; about everything else a terminal asks, and elsewhere the refusal names the options that load it.
    """
    from edgedp.graph.loading.previewing import previewed
    from edgedp.graph.reading import checked_options

    reading |= weight_of(reading)
    if dry_run:
        with progress_bar() as progress:
            seen = previewed(file, nodes, checked_options(**reading), progress)
        if output == "json":
            print_object({"exact": seen.exact()})
            return
        for line in seen.lines():
            click.echo(shown(line))
        return
    if name is None:
        name = reading["table"].rpartition(".")[2] if reading["table"] else name_of(file)
    if offline is not None:
        asked = click.get_current_context().params
        check_offline({key: asked[key] for key in _STORED if key in asked})
        graph, report = _read_or_ask(file, nodes, None, None, reading)
        say_offline(graph, report, offline, node_label, relationship_type, output)
        return
    named = None if properties is None else [each.strip() for each in properties.split(",")]
    graph, report = _read_or_ask(file, nodes, named, title, reading)
    with progress_bar() as progress, opened_store() as store:
        row = store.load(
            graph,
            name,
            epsilon_budget=epsilon_budget,
            degree_bound=degree_bound,
            max_epsilon_per_release=max_epsilon_per_release,
            delta=delta,
            protect=protect,
            dates=dates_of_options(calendar_from, period, grace, dates),
            within=within,
            attribute_epsilon_budget=attribute_epsilon_budget,
            replace=replace,
            title=title,
            node_label=node_label,
            relationship_type=relationship_type,
            progress=progress,
        )
    note_large(epsilon_budget, row)
    if output == "json":
        by_date = row.get("exact", {})
        print_object(row | {"nodes_supplied": report.nodes_supplied, "exact": report.exact() | by_date})
        return
    of_properties = attribute_epsilon_budget is not None
    say_loaded(row, report, bound=degree_bound is not None, properties=named, declared=of_properties)


@click.command()
@click.argument("name")
@_FORMAT
def refresh(name: str, output: str) -> None:
    """Read a loaded graph again from its source, by the same options; what was spent stays spent.

    A source that cannot be read, or breaks the degree bound, leaves the graph as it was.
    """
    with progress_bar() as progress, opened_store() as store:
        row, report = store.refreshed(name, progress)
    if output == "json":
        print_object(row | {"nodes_supplied": report.nodes_supplied, "exact": report.exact()})
        return
    for line in report.lines():
        say(shown(line))
    say(f"refreshed {row['name']}: spent {amount(row['epsilon_spent'])} of {amount(row['epsilon_budget'])}")


def _read_or_ask(
    file: str, nodes: str | None, named: list[str] | None, title: str | None, reading: dict[str, Any]
) -> tuple[Graph, LoadReport]:
    """Read a source; in a terminal, ask what it leaves open."""
    from edgedp.graph.loading import read_source
    from edgedp.graph.reading import checked_options
    from edgedp.words.errors import UndecidedError

    while True:
        try:
            with progress_bar() as progress:
                return read_source(
                    file, nodes, checked_options(**reading), properties=named, title=title, progress=progress
                )
        except UndecidedError as error:
            terminal = sys.stdin.isatty() and sys.stdout.isatty()
            if not terminal or "-" in (file, nodes):
                raise
            reading = answered(error.question, reading)


@click.command()
@click.argument("name")
@click.option(
    "--node-label", multiple=True, metavar="L", help="Neo4j: label of the nodes; once for each of several."
)
@click.option(
    "--relationship-type", multiple=True, metavar="T",
    help="Neo4j: type of the relationships; once for each of several.",
)  # fmt: skip
@click.option("--id-property", metavar="P", help="Neo4j: property that identifies a node.")
@click.option(
    "--edges", metavar="ADDRESS",
    help="Edges at an address in place of Neo4j's: a file, a folder, a bucket, a database; each release reads them.",
)  # fmt: skip
@click.option("--nodes", metavar="ADDRESS", help="With --edges: all node ids, isolated ones included.")
@rule_options
@click.option(
    "--title-property", metavar="P",
    help="Neo4j: a public property of the nodes that lists show beside their ids.",
)  # fmt: skip
@click.option(
    "--engine", type=Word("engine", ADDRESS_ENGINES),
    help="With --edges: what reads them, this program (native), or spark, for what fits into no machine.  "
    "[default: native where it reads such an address]",
)  # fmt: skip
@click.option(
    "--memory", metavar="M",
    help="With --edges: how much memory a release may take, such as 16GB.  [default: three quarters of the machine's]",
)  # fmt: skip
@click.option(
    "--cache/--no-cache", default=True, show_default=True,
    help="With --edges: keep what was read in your cache until a file changes.",
)  # fmt: skip
@reading_options
@kind_options
@_BUDGET
@_DELTA
@_BOUND
@_LIMIT
@_PROTECT
@date_property_options
@calendar_options
@click.option("--allow-empty", is_flag=True, help="Register even if no relationship joins two of the nodes.")
@click.option(
    "--facts", default="recorded", show_default=True, metavar="WORD",
    help="A promise that every answer shows: neither relationships nor labels are computed from relationships.",
)  # fmt: skip
@_FORMAT
def register(
    name: str,
    node_label: tuple[str, ...],
    relationship_type: tuple[str, ...],
    id_property: str | None,
    edges: str | None,
    nodes: str | None,
    orientation: str,
    where: tuple[str, ...],
    at_least: int,
    candidates: str | None,
    of: str | None,
    title_property: str | None,
    engine: AddressEngine | None,
    memory: str | None,
    cache: bool,
    epsilon_budget: str | None,
    delta: str | None,
    degree_bound: int | None,
    max_epsilon_per_release: str | None,
    protect: Unit | None,
    date: str | None,
    date_type: str | None,
    date_unit: str | None,
    calendar_from: str | None,
    period: str | None,
    within: str | None,
    grace: str | None,
    dates: str | None,
    allow_empty: bool,
    facts: str,
    output: str,
    **reading: Any,
) -> None:
    """Register a graph that is already in Neo4j, is at an address, or is of a loaded one's rows; nothing is copied."""
    from edgedp.release.conditions import written_conditions

    place: dict[str, Any] = {
        "node_label": list(node_label) or None,
        "relationship_type": list(relationship_type) or None,
        "id_property": id_property,
    }
    rules = rules_given(orientation, written_conditions(where), at_least, candidates) | weight_of(reading)
    named: dict[str, Any] = {} if title_property is None else {"title_property": title_property}
    declared: dict[str, Any] = {
        "epsilon_budget": epsilon_budget,
        "degree_bound": degree_bound,
        "max_epsilon_per_release": max_epsilon_per_release,
        "delta": delta,
        "facts": facts,
    }
    if edges is None:
        of_property = {"property": date, "type": date_type, "unit": date_unit}
        calendar = dates_of_options(calendar_from, period, grace, dates, **of_property)
    else:
        calendar = dates_of_options(calendar_from, period, grace, dates)
        named |= {} if date_type is None else {"date_type": date_type}
        reading |= {"date": date, "date_unit": date_unit}
    dated = {key: value for key, value in {"dates": calendar, "within": within}.items() if value is not None}
    declared |= dated
    if protect is not None:
        declared["protect"] = protect
    reader = {"engine": engine, "memory": memory, "nodes": nodes}
    check_registered(
        place | named, edges, reader | {"no_cache": not cache} | reading, of, candidates,
        allow_empty=allow_empty,
    )  # fmt: skip
    if edges is not None and "weight" in rules:
        raise ParameterError("--weight is not an option of edges at an address; load them, with --weight")
    if edges is None:
        with opened_store() as store, working("counting"):
            row = store.register(name, **place, **rules, **named, **declared, of=of, allow_empty=allow_empty)
    else:
        del reading["refresh"]
        given = reader | declared | rules | {"cache": cache}
        row = registered_or_asked(name, edges, given, reading)
    note_large(declared["epsilon_budget"], row)
    if output == "json":
        print_object(row)
        return
    click.echo(
        f"registered {row['name']}: {row['node_count']:,} nodes, epsilon budget {amount(row['epsilon_budget'])}, "
        f"spent {amount(row['epsilon_spent'])}"
        + ("" if row["degree_bound"] is None else f", degree bound {row['degree_bound']:,}")
    )


@click.command()
@click.argument("name")
def drop(name: str) -> None:
    """Drop a loaded graph, or forget a registered one; what was spent stays spent."""
    with opened_store() as store:
        store.drop(name)
    click.echo(f"dropped {name}; its ledger stays")


COMMANDS = (load, refresh, register, drop, attribute)
