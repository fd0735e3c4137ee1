"""Commands of the analyst: releases and public facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edgedp.cli.opening import opened_store
from edgedp.cli.options import release_options
from edgedp.cli.output import amount, format_option, notice, print_object, print_rows
from edgedp.options import MotkinOptions, PercentileOptions, TopKOptions

if TYPE_CHECKING:
    from edgedp.release import Release
    from edgedp.vocabulary import Engine

__all__ = ["COMMANDS", "show_release"]


@click.command()
@click.argument("name")
@release_options(TopKOptions)
def topk(name: str, engine: Engine, request_id: str | None, output: str, **asked: Any) -> None:
    """Release the K nodes of highest metric, edge-differentially private."""
    with opened_store() as store:
        release = store.priv_top_k(name, **asked, engine=engine, request_id=request_id)
    show_release(release, output)


@click.command()
@click.argument("name")
@release_options(MotkinOptions)
def motkin(name: str, engine: Engine, request_id: str | None, output: str, **asked: Any) -> None:
    """Release K nodes that are good in several metrics at once (DP-MOTkIN)."""
    asked["weights"] = asked["weights"] or None
    with opened_store() as store:
        release = store.motkin(name, **asked, engine=engine, request_id=request_id)
    show_release(release, output)


@click.command()
@click.argument("name")
@release_options(PercentileOptions, engines=False)
def percentile(name: str, request_id: str | None, output: str, **asked: Any) -> None:
    """Release a percentile of a declared property of the nodes; it debits the attributes' account.

    Protected is the whole record of one node. A property that follows from its node's own degree debits the edges too.
    """
    with opened_store() as store:
        release = store.percentile(name, **asked, request_id=request_id)
    show_release(release, output)


@click.command()
@format_option
def graphs(output: str) -> None:
    """List the stored graphs: public facts only.

    The budgets of the edges and of the nodes' properties (attributes) stand side by side and are never added.
    """
    with opened_store() as store:
        rows = store.graphs()
    columns = ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent"]
    if any("delta" in row for row in rows):
        rows, columns = [{"delta": None} | row for row in rows], [*columns, "delta"]
    if any("attributes" in row for row in rows):
        rows = [{"attributes": None} | row for row in rows]
        columns.append("attributes")
    if output != "json" and "attributes" in columns:
        columns = [*columns[:-1], "attributes_budget", "attributes_spent"]
        rows = [row | _beside(row["attributes"]) for row in rows]
    print_rows(rows, output, columns)


def _beside(of_records: dict[str, Any] | None) -> dict[str, Any]:
    """Return the amounts of the attributes' account as columns of a table."""
    shown = of_records or {}
    return {
        "attributes_budget": shown.get("epsilon_budget"),
        "attributes_spent": shown.get("epsilon_spent"),
    }


@click.command()
@click.argument("name")
@format_option
def releases(name: str, output: str) -> None:
    """List what was released; reading it again is free."""
    with opened_store() as store:
        rows = store.releases(name)
    columns = ["release_id", "at", "epsilon", "selector", "parameters", "nodes"]
    if any("value" in row for row in rows):
        rows = [{"nodes": None, "value": None} | row for row in rows]
        columns += ["value", "account"]
    print_rows(rows, output, columns)


def show_release(release: Release, output: str) -> None:
    """Print a release: the answer, what was asked, what was public, the budget."""
    shown = release.to_dict()
    if output == "json":
        print_object(shown)
        return
    print_rows(release.answer.rows(), output, release.answer.COLUMNS)
    asked = ", ".join(
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in shown["parameters"].items()
    )
    public = shown["public"]
    say = click.echo if output == "table" else notice
    say(f"asked: {asked}")
    if "ranks_by" in shown:
        say(f"ranked by a proxy: {shown['ranks_by']}")
    if "domain" in public:
        domain = public["domain"]
        say(
            f"public: {public['records']:,} records ({public['nodes']}), {domain['grid']} grid of "
            f"{domain['points']:,} points from {domain['low']:g} to {domain['high']:g}, {domain['depends_on']}; "
            f"neighbors: {public['neighbors']}"
        )
        say(
            "debited: "
            + ", ".join(f"{amount(each['epsilon'])} of {each['account']}" for each in shown["debits"])
        )
    else:
        say(
            f"public: {public['node_count']:,} nodes ({public['nodes']}), "
            f"degree bound {public['degree_bound']:,} ({public['degree_bound_source']})"
        )
    if release.receipt:
        whose = "" if shown["account"] == "edges" else f" {shown['account']}"
        say(
            f"budget of {shown['graph']}{whose}: "
            f"{amount(shown['epsilon_spent'])} of {amount(shown['epsilon_budget'])} spent, "
            f"{amount(shown['epsilon_remaining'])} left; release {shown['release_id']}"
        )


COMMANDS = (topk, motkin, percentile, graphs, releases)
