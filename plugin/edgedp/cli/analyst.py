"""Commands of the analyst: releases and public facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from edgedp.cli.opening import opened_store
from edgedp.cli.output import amount, format_option, notice, print_object, print_rows

if TYPE_CHECKING:
    from edgedp.release import Release

__all__ = ["COMMANDS", "show_release"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _release_options(command: _Command) -> _Command:
    for option in reversed(
        [
            click.option("-k", type=int, required=True, help="How many nodes."),
            click.option("--epsilon", metavar="E", required=True, help="Privacy loss of the release."),
            click.option(
                "--mechanism", metavar="M", help="em, pf, ld, sld or joint (topk only).  [default: sld]"
            ),
            click.option("--sampler", metavar="S", help="Of em, ld, sld: exponential or permute_and_flip."),
            click.option(
                "--sensitivity-form", metavar="F", help="See the reference; ebc: degree, common_neighbors."
            ),
            click.option("--shift", type=click.Choice(["up", "down"]), help="Of sld; the default is public."),
            click.option(
                "--engine", metavar="E", default="native", help="native, igraph or cypher.", show_default=True
            ),
            click.option(
                "--request-id", metavar="R", help="Asking again with it returns the kept release, free."
            ),
            format_option,
        ]
    ):
        command = option(command)
    return command


@click.command()
@click.argument("name")
@click.option("--metric", metavar="M", required=True, help="degree, density, ebc or betweenness2.")
@click.option("--proxy", metavar="P", help="What joint ranks ebc by: both, degree or betweenness2.")
@_release_options
def topk(
    name: str,
    metric: str,
    proxy: str | None,
    k: int,
    epsilon: str,
    mechanism: str | None,
    sampler: str | None,
    sensitivity_form: str | None,
    shift: str | None,
    engine: str,
    request_id: str | None,
    output: str,
) -> None:
    """Release the K nodes of highest metric, edge-differentially private."""
    with opened_store() as store:
        release = store.priv_top_k(
            name,
            metric=metric,
            k=k,
            epsilon=epsilon,
            mechanism=mechanism or "sld",
            sampler=sampler,
            sensitivity_form=sensitivity_form,
            shift=shift,
            proxy=proxy,
            engine=engine,
            request_id=request_id,
        )
    show_release(release, output)


@click.command()
@click.argument("name")
@click.option("--metric", "metrics", metavar="M", required=True, multiple=True, help="Twice or more.")
@click.option("--approach", metavar="A", default="pareto", help="pareto or aggregate.", show_default=True)
@click.option("--sensitivity", metavar="S", default="local", help="local or global.", show_default=True)
@click.option("--weight", "weights", metavar="W", type=float, multiple=True, help="Once for each --metric.")
@_release_options
def motkin(
    name: str,
    metrics: tuple[str, ...],
    approach: str,
    sensitivity: str,
    weights: tuple[float, ...],
    k: int,
    epsilon: str,
    mechanism: str | None,
    sampler: str | None,
    sensitivity_form: str | None,
    shift: str | None,
    engine: str,
    request_id: str | None,
    output: str,
) -> None:
    """Release K nodes that are good in several metrics at once (DP-MOTkIN)."""
    with opened_store() as store:
        release = store.motkin(
            name,
            metrics=metrics,
            k=k,
            epsilon=epsilon,
            approach=approach,
            sensitivity=sensitivity,
            mechanism=mechanism,
            sampler=sampler,
            sensitivity_form=sensitivity_form,
            shift=shift,
            weights=weights or None,
            engine=engine,
            request_id=request_id,
        )
    show_release(release, output)


@click.command()
@format_option
def graphs(output: str) -> None:
    """List the stored graphs: public facts only."""
    with opened_store() as store:
        rows = store.graphs()
    columns = ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent"]
    if any("delta" in row for row in rows):
        rows, columns = [{"delta": None} | row for row in rows], [*columns, "delta"]
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
    """Print a release: the nodes, what was asked, what was public, the budget."""
    shown = release.to_dict()
    if output == "json":
        print_object(shown)
        return
    rows = [{"rank": rank, "id": node} for rank, node in enumerate(shown["nodes"], start=1)]
    print_rows(rows, output, ["rank", "id"])
    asked = ", ".join(
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in shown["parameters"].items()
    )
    public = shown["public"]
    say = click.echo if output == "table" else notice
    say(f"asked: {asked}")
    if "ranks_by" in shown:
        say(f"ranked by a proxy: {shown['ranks_by']}")
    say(
        f"public: {public['node_count']:,} nodes ({public['nodes']}), "
        f"degree bound {public['degree_bound']:,} ({public['degree_bound_source']})"
    )
    if release.receipt:
        say(
            f"budget of {shown['graph']}: {amount(shown['epsilon_spent'])} of {amount(shown['epsilon_budget'])} spent, "
            f"{amount(shown['epsilon_remaining'])} left; release {shown['release_id']}"
        )


COMMANDS = (topk, motkin, graphs, releases)
