"""Options that say how a source is to be read, for the commands that read one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.options import Word
from edgedp.faces.cli.output import say, together
from edgedp.words.shown import shown
from edgedp.words.vocabulary import AGGREGATIONS

if TYPE_CHECKING:
    from edgedp.graph.reading.text.question import Question

reading_options = together(
    click.option("--source", metavar="C", help="Column of one end, by name or number from 1; with --target."),
    click.option("--target", metavar="C", help="Column of the other end."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line names the columns.  [default: detected]",
    ),
    click.option(
        "--nodes-header/--no-nodes-header",
        default=None,
        help="The same for the file of nodes.  [default: detected]",
    ),
    click.option(
        "--separator",
        metavar="S",
        help="One character, or tab, comma, semicolon, space.  [default: detected]",
    ),
    click.option(
        "--ids",
        type=click.Choice(["integer", "text"]),
        help="Ids as numbers (007 is 7) or as written.  [default: integers where none changes]",
    ),
    click.option(
        "--comments",
        metavar="SIGNS",
        help="Signs that begin a comment, or none.  [default: # and %, if sure]",
    ),
    click.option("--refresh", is_flag=True, help="Fetch a URL anew, whatever the cache holds."),
)
"""The options of `edgedp.read_graph`."""


kind_options = together(
    click.option(
        "--bipartite", is_flag=True, help="The ends are of different kinds; their ids are kept apart."
    ),
    click.option(
        "--directed", is_flag=True, help="Keep directions, source to target: for in_degree and out_degree."
    ),
    click.option(
        "--one-kind", is_flag=True, help="An id is one node on both sides.  [default: asked if not sure]"
    ),
    click.option(
        "--table", metavar="T", help="Table of a database, perhaps with its schema and a dot before it."
    ),
    click.option("--query", metavar="SQL", help="What a database selects, instead of a table."),
    click.option(
        "--labels/--no-labels",
        default=None,
        help="GML, GEXF, GraphML, Pajek: nodes by their labels or their ids.  [default: asked if both could be]",
    ),
)
"""The options that say whether both ends are of one kind, and whether directions are kept."""


weight_options = together(
    click.option(
        "--weight",
        metavar="C",
        help="What a relationship weighs: a column, or a property in Neo4j; for strength.",
    ),
    click.option(
        "--weight-cap", metavar="W", help="The most that one relationship weighs; a public promise."
    ),
    click.option("--weight-step", metavar="W", help="Weights are whole steps of so much.  [default: 1]"),
    click.option(
        "--weight-pair-cap",
        metavar="W",
        help="The most that all between two nodes weighs.  [default: the cap]",
    ),
    click.option(
        "--weight-aggregation",
        type=Word("aggregation", AGGREGATIONS),
        help="How the weights of several relationships become one.  [default: SUM]",
    ),
    click.option(
        "--weight-signed", is_flag=True, help="Weights below 0 count; otherwise only those above 0."
    ),
)
"""The options that declare weights."""


def weight_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take what declares weights out of some options, and return it as ``weight``; nothing where nothing was said."""
    property_of = options.pop("weight")
    taken = {
        name: options.pop(f"weight_{name}") for name in ("cap", "step", "pair_cap", "aggregation", "signed")
    }
    said = {name: value for name, value in taken.items() if value not in (None, False)}
    if property_of is None and not said:
        return {}
    return {"weight": said if property_of is None else said | {"property": property_of}}


def answered(question: Question, reading: dict[str, Any]) -> dict[str, Any]:
    """Put a question in a terminal, and return the options of reading with the answers."""
    from edgedp.words.spoken import options

    heading, load = question.heading(), dict(question.load)
    say(shown(f"{question.source} {question.what}:"))
    for row in (heading, *question.rows):
        click.echo("  " + shown(" | ".join(row)))
    for end in ("source", "target") if "source" in load else ():
        load[end] = click.prompt(f"column of the {end}, by name or number from 1", default=str(load[end]))
    if "labels" in load:
        load["labels"] = click.confirm("do nodes go by their labels?", default=bool(load["labels"]))
    if "header" in load:
        load["header"] = click.confirm("does the first line name the columns?", default=bool(load["header"]))
    if "bipartite" in load and not click.confirm("are the two ends of different kinds?", default=True):
        load = {name: value for name, value in load.items() if name != "bipartite"} | {"one_kind": True}
    say(shown(f"the options that repeat this: {options(load)}"))
    return reading | load


def name_of(source: str) -> str:
    """Return the name that a graph takes from its source."""
    from edgedp.graph.reading.sources.locating import name_of as named

    return named(source)
