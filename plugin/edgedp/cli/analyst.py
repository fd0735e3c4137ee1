"""Commands of the analyst: releases and public facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from edgedp.cli.opening import opened_store
from edgedp.cli.options import release_options
from edgedp.cli.output import amount, format_option, notice, print_object, print_rows, say, working
from edgedp.options import MotkinOptions, TopKOptions

if TYPE_CHECKING:
    from edgedp.release import Release
    from edgedp.vocabulary import Engine

__all__ = ["COMMANDS", "show_release"]


@click.command()
@click.argument("name")
@release_options(TopKOptions)
def topk(name: str, engine: Engine, request_id: str | None, output: str, **asked: Any) -> None:
    """Release the K nodes of highest metric, edge-differentially private."""
    with opened_store() as store, working("drawing"):
        release = store.priv_top_k(name, **asked, engine=engine, request_id=request_id)
    show_release(release, output)


@click.command()
@click.argument("name")
@release_options(MotkinOptions)
def motkin(name: str, engine: Engine, request_id: str | None, output: str, **asked: Any) -> None:
    """Release K nodes that are good in several metrics at once (DP-MOTkIN)."""
    asked["weights"] = asked["weights"] or None
    with opened_store() as store, working("drawing"):
        release = store.motkin(name, **asked, engine=engine, request_id=request_id)
    show_release(release, output)


@click.command()
@format_option
def graphs(output: str) -> None:
    """List the stored graphs: public facts only."""
    with opened_store() as store:
        rows: list[Mapping[str, Any]] = [*store.graphs()]
    columns = ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent"]
    if any("delta" in row for row in rows):
        rows, columns = [{"delta": None, **row} for row in rows], [*columns, "delta"]
    print_rows(rows, output, columns)


@click.command()
@click.argument("name")
@format_option
def releases(name: str, output: str) -> None:
    """List what was released; reading it again is free."""
    with opened_store() as store:
        rows = store.releases(name)
    print_rows(rows, output, ["release_id", "at", "epsilon", "selector", "parameters", "nodes"])


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
    tell = say if output == "table" else notice
    tell(f"asked: {asked}")
    if "ranks_by" in shown:
        tell(f"ranked by a proxy: {shown['ranks_by']}")
    tell(
        f"public: {public['node_count']:,} nodes ({public['nodes']}), "
        f"degree bound {public['degree_bound']:,} ({public['degree_bound_source']})"
    )
    if release.receipt:
        tell(
            f"budget of {shown['graph']}: {amount(shown['epsilon_spent'])} of {amount(shown['epsilon_budget'])} spent, "
            f"{amount(shown['epsilon_remaining'])} left; release {shown['release_id']}"
        )


COMMANDS = (topk, motkin, graphs, releases)
