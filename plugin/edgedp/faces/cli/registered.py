"""What the command that registers asks for: where the edges are, and which of their rows make an edge."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from edgedp.faces.cli.numerals import WHOLE
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.output import progress_bar, together
from edgedp.faces.cli.reading import answered, weight_of, weight_options
from edgedp.words.errors import ParameterError

rule_options = together(
    click.option(
        "--of", metavar="GRAPH", help="The loaded graph whose rows are read, and whose account releases debit."
    ),
    click.option(
        "--orientation", metavar="O",
        help="An edge is a relationship, or a row, either way (undirected), one each way (mutual), or the graph is "
        "directed (natural, reverse).  [default: undirected; natural for an address with --directed]",
    ),
    click.option(
        "--where", multiple=True, metavar="COND",
        help="A condition on relationships' properties or on columns, such as 'amount>=1000', 'at<2024-07-01' or "
        "'kind in call,text'; all must hold.",
    ),
    click.option(
        "--at-least", type=WHOLE, default=1, show_default=True, metavar="M",
        help="How many relationships, or rows, make an edge.",
    ),
    weight_options,
    click.option(
        "--candidates", metavar="L",
        help="Rank only the nodes of this label, one of several, or of this side of a bipartite file.",
    ),
)  # fmt: skip
"""The options that say which relationships, or rows, make an edge."""


def rules_of(options: dict[str, Any]) -> dict[str, Any]:
    """Take the rules and weights out of some options; return those that were given, as `Store.register` takes them."""
    from edgedp.release.conditions import written_conditions

    usual: dict[str, Any] = {"orientation": None, "where": {}, "at_least": 1, "candidates": None}
    given = {name: options.pop(name) for name in usual}
    given["where"] = written_conditions(given["where"])
    return {name: value for name, value in given.items() if value != usual[name]} | weight_of(options)


def registered_or_asked(
    name: str, edges: str, given: Mapping[str, Any], reading: dict[str, Any]
) -> dict[str, Any]:
    """Register edges at an address; in a terminal, ask what their rows leave open."""
    from edgedp.words.errors import UndecidedError

    while True:
        try:
            with progress_bar() as progress, opened_store() as store:
                options: dict[str, Any] = {
                    key: value or None for key, value in reading.items() if key != "directed"
                }
                options |= {key: reading[key] for key in ("header", "nodes_header", "labels", "directed")}
                return store.register_edges(name, edges, **given, **options, progress=progress)
        except UndecidedError as error:
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                raise
            reading = answered(error.question, reading)


def check_registered(
    place: Mapping[str, Any],
    edges: str | None,
    reading: Mapping[str, Any],
    of: str | None,
    candidates: str | None,
    *,
    allow_empty: bool,
) -> None:
    """Refuse what names two of a place in Neo4j, a loaded graph and an address, or none, and options of another."""
    given = [each for each, value in place.items() if value is not None]
    if of is not None:
        odd = [*(["edges"] if edges is not None else []), *given]
        odd += [each for each, value in reading.items() if value not in (None, False)]
    elif edges is None:
        odd = [each for each, value in reading.items() if value not in (None, False)]
        missing = [each for each in place if each not in given]
        if missing:
            raise click.UsageError(
                f"Missing option '{_flag(missing[0])}' (or --of, for the rows of a loaded graph, or --edges, for an "
                "address)."
            )
    else:
        odd = [
            *(["candidates"] if candidates is not None else []),
            *given,
            *(["allow_empty"] if allow_empty else []),
            *(["refresh"] if reading["refresh"] else []),
        ]
    if odd:
        other = "a graph in Neo4j" if edges is None else "edges at an address"
        other = other if of is None else "a graph of the rows of a loaded one"
        raise ParameterError(f"{_flag(odd[0])} is not an option of {other}; ask without it")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
