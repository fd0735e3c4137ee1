"""Commands of the curator: load, refresh, register, drop."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.commands.attributes import attribute
from edgedp.faces.cli.commands.ledger import note_large
from edgedp.faces.cli.dating import (
    calendar_of,
    calendar_options,
    date_column_options,
    date_property_options,
)
from edgedp.faces.cli.loaded import check_offline, say_loaded, say_offline
from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.once import Command
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
from edgedp.faces.cli.registered import check_registered, registered_or_asked, rule_options, rules_of
from edgedp.words.shown import amount, shown
from edgedp.words.vocabulary import ADDRESS_ENGINES, UNITS

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading import LoadReport

_BUDGET = click.option(
    "--epsilon-budget",
    metavar="E",
    help="Budget of all releases of this name. Without a budget nothing is released.",
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
_DECLARED = (
    "epsilon_budget", "delta", "degree_bound", "max_epsilon_per_release", "protect", "attribute_epsilon_budget",
    "replace", "node_label", "relationship_type",
)  # fmt: skip
"""What `load` takes as `edgedp.Store.load` does."""
_LIMIT = click.option("--max-epsilon-per-release", metavar="E", help="Largest epsilon of one release.")
_PROTECT = click.option(
    "--protect", type=Word("protect", UNITS),
    help="What one release protects: all between two nodes (pair), or all that one node does (source), or all that is "
    "done to one (target).  [default: pair]",
)  # fmt: skip


@click.command(cls=Command)
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
    dry_run: bool,
    offline: str | None,
    output: str,
    **asked: Any,
) -> None:
    """Load a graph: a catalogue name, a file, a URL, or - for standard input.

    Text with one edge in each line, Parquet, Arrow, GraphML, GEXF, GML, Pajek, METIS or Matrix Market; plain, .gz,
    .zst, .bz2, .xz or .zip. Two columns of integers, and columns whose names are a known pair of ends, load as they
    are. About everything else a terminal asks, and elsewhere the refusal names the options that load it.
    """
    from edgedp.graph.loading.previewing import previewed
    from edgedp.graph.reading import checked_options

    properties, title = asked.pop("properties"), asked.pop("title")
    declared = {key: asked.pop(key) for key in _DECLARED} | calendar_of(asked)
    weighed = weight_of(asked)
    reading = asked | weighed
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
        given = click.get_current_context().params
        check_offline({key: given[key] for key in _STORED if key in given})
        graph, report = _read_or_ask(file, nodes, None, None, reading)
        say_offline(graph, report, offline, declared["node_label"], declared["relationship_type"], output)
        return
    named = None if properties is None else [each.strip() for each in properties.split(",")]
    graph, report = _read_or_ask(file, nodes, named, title, reading)
    with progress_bar() as progress, opened_store() as store:
        row = store.load(graph, name, **declared, title=title, progress=progress)
    note_large(declared["epsilon_budget"], row)
    if output == "json":
        by_date = row.get("exact", {})
        print_object(row | {"nodes_supplied": report.nodes_supplied, "exact": report.exact() | by_date})
        return
    bound, of_properties = (declared[key] is not None for key in ("degree_bound", "attribute_epsilon_budget"))
    say_loaded(row, report, bound=bound, properties=named, declared=of_properties)


@click.command(cls=Command)
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


@click.command(cls=Command)
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
def register(name: str, edges: str | None, of: str | None, output: str, **asked: Any) -> None:
    """Register a graph that is already in Neo4j, is at an address, or is of a loaded one's rows; nothing is copied."""
    candidates, cache, allow_empty = asked["candidates"], asked.pop("cache"), asked.pop("allow_empty")
    place: dict[str, Any] = {
        "node_label": list(asked.pop("node_label")) or None,
        "relationship_type": list(asked.pop("relationship_type")) or None,
        "id_property": asked.pop("id_property"),
    }
    rules, calendar = rules_of(asked), calendar_of(asked, of_property=edges is None)
    amounts = ("epsilon_budget", "degree_bound", "max_epsilon_per_release", "delta", "facts")
    declared = {key: asked.pop(key) for key in amounts}
    further = calendar | {"protect": asked.pop("protect")}
    declared |= {key: value for key, value in further.items() if value is not None}
    of_neo4j = {"title_property": asked.pop("title_property"), "date_type": asked.pop("date_type", None)}
    named = {key: value for key, value in of_neo4j.items() if value is not None}
    reader = {key: asked.pop(key) for key in ("engine", "memory", "nodes")}
    check_registered(
        place | named, edges, reader | {"no_cache": not cache} | asked, of, candidates,
        allow_empty=allow_empty,
    )  # fmt: skip
    if edges is None:
        with opened_store() as store, working("counting"):
            row = store.register(name, **place, **rules, **named, **declared, of=of, allow_empty=allow_empty)
    else:
        del asked["refresh"]
        given = reader | declared | rules | {"cache": cache}
        row = registered_or_asked(name, edges, given, asked)
    note_large(declared["epsilon_budget"], row)
    if output == "json":
        print_object(row)
        return
    click.echo(
        f"registered {row['name']}: {row['node_count']:,} nodes, epsilon budget {amount(row['epsilon_budget'])}, "
        f"spent {amount(row['epsilon_spent'])}"
        + ("" if row["degree_bound"] is None else f", degree bound {row['degree_bound']:,}")
    )


@click.command(cls=Command)
@click.argument("name")
def drop(name: str) -> None:
    """Drop a loaded graph, or forget a registered one; what was spent stays spent."""
    with opened_store() as store:
        store.drop(name)
    click.echo(f"dropped {name}; its ledger stays")


COMMANDS = (load, refresh, register, drop, attribute)
