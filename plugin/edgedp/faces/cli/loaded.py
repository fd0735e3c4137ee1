"""What `edgedp load` says when it is done, and what it writes for an import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from edgedp.faces.cli.output import print_object, progress_bar, say
from edgedp.words.errors import ParameterError
from edgedp.words.shown import amount, shown

if TYPE_CHECKING:
    from edgedp.graph.graph import Graph
    from edgedp.graph.loading import LoadReport


def check_offline(declared: Mapping[str, Any]) -> None:
    """Refuse beside ``--offline`` what no file of an import holds; `declared` maps options to what was given."""
    for name, value in declared.items():
        if value:
            raise ParameterError(
                f"--{name.replace('_', '-')} is of no use with --offline, which writes only ids and edges; "
                "give it to 'edgedp register' after the import"
            )


def say_offline(
    graph: Graph, report: LoadReport, folder: str, label: str | None, kind: str | None, output: str
) -> None:
    """Write a graph for an import, and say what to run."""
    from edgedp.stores.neo4j.offline import write_offline

    with progress_bar() as progress:
        commands = write_offline(graph, folder, node_label=label, relationship_type=kind, progress=progress)
    if output == "json":
        print_object({"folder": folder, "commands": commands, "exact": report.exact()})
        return
    for line in report.lines():
        say(shown(line))
    say(
        f"written to {folder}, which holds the private edges and only you may read; stop the server, then run"
    )
    click.echo(f"  {commands[0]}")
    say("and when it runs again, with a budget in place of E")
    click.echo(f"  {commands[1]}")


def say_loaded(
    row: Mapping[str, Any], report: LoadReport, *, bound: bool, properties: list[str] | None, declared: bool
) -> None:
    """Say what was loaded; `properties` are those that were asked for, `declared` whether their account was."""
    for line in report.lines():
        say(shown(line))
    if "exact" in row:
        dated, undated = row["exact"]["dated_rows"], row["exact"]["undated_rows"]
        say(f"{dated:,} rows are in a window, {undated:,} in none")
    say(
        f"loaded as {row['name']}: epsilon budget {amount(row['epsilon_budget'])}, "
        f"spent {amount(row['epsilon_spent'])}, degree bound {row['degree_bound'] or 0:,}"
        + ("" if bound else " (the default, nodes - 1)")
    )
    if properties is not None or declared:
        of_records = row.get("attributes", {"epsilon_budget": None, "epsilon_spent": 0.0})
        click.echo(
            f"properties: {', '.join(properties or []) or 'none'}; attribute epsilon budget "
            f"{amount(of_records['epsilon_budget'])}, spent {amount(of_records['epsilon_spent'])}"
        )
    if not report.nodes_supplied:
        say("the nodes were read from the edges and are declared public; every release says so")
