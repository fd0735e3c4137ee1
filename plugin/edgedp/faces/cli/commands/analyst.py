"""Commands of the analyst: releases and public facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never

import click

from edgedp.faces.cli.once import Command
from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.options import release_options
from edgedp.faces.cli.output import (
    format_option,
    limit_option,
    notice,
    print_object,
    print_rows,
    say,
    working,
)
from edgedp.faces.cli.tables import brief
from edgedp.release.option import Options
from edgedp.release.options import OPTIONS
from edgedp.words.amounts.epsilon import format_nano
from edgedp.words.errors import EdgeDPError
from edgedp.words.shown import amount
from edgedp.words.vocabulary import Kind

if TYPE_CHECKING:
    from edgedp.release.release import Answer, Release
    from edgedp.stores.store import Store

_LONG = ("nodes", "numbers", "parameters")


def _releasing(asked: type[Options]) -> click.Command:
    """Return the command of a kind of release: made of its options."""

    @click.command(
        asked.COMMAND, cls=Command, help=f"{asked.SAYS}\n\n{asked.PROTECTS}", short_help=asked.SAYS
    )
    @click.argument("name")
    @release_options(asked)
    def command(name: str, output: str, **given: Any) -> None:
        lists = {option.name: given[option.name] or None for option in asked.described() if option.many}
        _release(asked.KIND, name, output, given | lists)

    return command


def _release(kind: Kind, name: str, output: str, asked: Mapping[str, Any]) -> None:
    """Ask the store for a release, by its method that is called like the kind, and print it."""
    from edgedp.stores.releases.releasing import ReleasingStore

    try:
        with opened_store() as store, working("drawing") as tell:
            if (
                tell is not None
                and asked.get("target_recall") is not None
                and isinstance(store, ReleasingStore)
            ):
                store.looked = lambda spent, recall: tell(_so_far(spent, recall, asked["k"]))
            release: Release = getattr(store, kind)(name, **asked)
    except KeyboardInterrupt:
        raise click.ClickException(
            f"interrupted; what was debited stays spent: see 'edgedp budget {name}' and 'edgedp releases {name}'"
        ) from None
    show_release(release, output)


def _so_far(spent: int, recall: float, k: int) -> str:
    """Return what a terminal shows while a release spends step by step.

    Examples
    --------
    >>> _so_far(180_000_000, 0.857, 100)
    'drawing: spent 0.18, about 86 of 100'
    """
    from edgedp.release.sure import expected_right

    return f"drawing: spent {format_nano(spent)}, about {expected_right(round(recall, 2), k)} of {k}"


@click.command(cls=Command)
@format_option
def graphs(output: str) -> None:
    """List the stored graphs: public facts only.

    The budgets of the edges and of the nodes' properties (attributes) stand side by side and are never added.
    """
    with opened_store() as store:
        rows: list[Mapping[str, Any]] = [*store.graphs()]
        ages = {row["name"]: _age(store, row["name"]) for row in rows}
    columns = ["name", "node_count", "degree_bound", "epsilon_budget", "epsilon_spent"]
    for kept in ("directed", "titles"):
        if any(kept in row for row in rows):
            rows, columns = [{kept: False, **row} for row in rows], [*columns, kept]
    if output != "json":
        rows = [_with_period(row) for row in rows]
    for beside, usual in (("protect", "pair"), ("delta", None), ("calendar", None)):
        if any(beside in row for row in rows):
            rows, columns = [{beside: usual, **row} for row in rows], [*columns, beside]
    if any("attributes" in row for row in rows):
        rows = [{"attributes": None, **row} for row in rows]
        columns.append("attributes")
    if output != "json" and "attributes" in columns:
        columns = [*columns[:-1], "attributes_budget", "attributes_spent"]
        rows = [{**row, **_beside(row["attributes"])} for row in rows]
    if any(ages.values()):
        rows, columns = [{**row, "age": ages[row["name"]]} for row in rows], [*columns, "age"]
    if any("problem" in row for row in rows):
        rows, columns = [{"problem": None, **row} for row in rows], [*columns, "problem"]
    print_rows(rows, output, columns)


def _with_period(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row whose calendar is said in a word."""
    calendar = row.get("calendar")
    if calendar is None:
        return row
    within = "all time" if calendar["within"] is None else f"{calendar['within']} windows"
    return {**row, "calendar": f"{calendar['period']} from {calendar['from']}, within {within}"}


def _age(store: Store, name: str) -> str | None:
    """Return how long ago a graph was read from its source; None where nothing is remembered of it."""
    from datetime import UTC, datetime

    try:
        source = store.source(name)
        passed = datetime.now(tz=UTC) - datetime.fromisoformat(source["read_at"]) if source else None
    except (EdgeDPError, ValueError, TypeError):
        return None  # the list shows what is broken by itself
    if passed is None:
        return None
    hours = max(int(passed.total_seconds()), 0) // 3600  # a clock may have been set back since
    return f"{hours // 24} d" if hours >= 48 else f"{hours} h"


def _beside(of_records: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the amounts of the attributes' account as columns of a table."""
    shown = of_records or {}
    return {
        "attributes_budget": shown.get("epsilon_budget"),
        "attributes_spent": shown.get("epsilon_spent"),
    }


@click.command(cls=Command)
@click.argument("name")
@limit_option
@click.option("--since", metavar="ID", help="Only what was released after this release, by its release_id.")
@format_option
def releases(name: str, limit: int | None, since: str | None, output: str) -> None:
    """List what was released, oldest first; reading it again is free.

    Releases from the edges, then those from the properties of the nodes, each in the order of their debits.
    """
    with opened_store() as store:
        rows: list[Mapping[str, Any]] = [*store.releases(name, limit, since)]
    columns = ["release_id", "at", "epsilon", "selector", "parameters", "nodes"]
    if any(not _lists_nodes(row) for row in rows):
        # Numbers are no nodes: they have a column of their own, where there are any.
        rows = [{"nodes": None, "numbers": _numbers_of(row), **row} for row in rows]
        columns.append("numbers")
    if any(row["account"] != "edges" for row in rows):
        columns.append("account")
    if output == "table":
        rows = [{name: _cell(name, row[name]) for name in columns} for row in rows]
    print_rows(rows, output, columns)


def _cell(name: str, value: Any) -> Any:
    """Return a cell for people: of a long list its beginning, of a time its seconds."""
    return value[:19] if name == "at" else brief(value) if name in _LONG else value


def _lists_nodes(row: Mapping[str, Any]) -> bool:
    return "nodes" in row


def _numbers_of(row: Mapping[str, Any]) -> Any:
    from edgedp.release.release import Distribution, Number, Summary

    return next((row[kind.KEY] for kind in (Number, Distribution, Summary) if kind.KEY in row), None)


def show_release(release: Release, output: str) -> None:
    """Print a release: the answer, what was asked, what was public, the budget."""
    try:
        _show_release(release, output)
    except BrokenPipeError:
        raise
    except OSError as error:
        if not release.receipt:
            raise
        raise click.ClickException(
            f"the release was paid and drawn, and could not be printed ({error.strerror}); "
            f"'edgedp releases {release.receipt['graph']}' shows it again"
        ) from None


def _show_release(release: Release, output: str) -> None:
    from edgedp.release.plan.facts import protects_more

    shown = release.to_dict()
    if output == "json":
        print_object(shown)
        return
    _print_answer(release, output)
    asked = ", ".join(
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in shown["parameters"].items()
    )
    public = shown["public"]
    tell = say if output == "table" else notice
    for line in _told(release.answer):
        tell(line)
    tell(f"asked: {asked}")
    if "ranks_by" in shown:
        tell(f"ranked by a proxy: {shown['ranks_by']}")
    if "domain" in public:
        domain = public["domain"]
        tell(
            f"public: {public['records']:,} records ({public['nodes']}), {domain['grid']} grid of "
            f"{domain['points']:,} points from {domain['low']:g} to {domain['high']:g}, {domain['depends_on']}; "
            f"neighbors: {public['neighbors']}"
        )
        tell(
            "debited: "
            + ", ".join(f"{amount(each['epsilon'])} of {each['account']}" for each in shown["debits"])
        )
    else:
        tell(
            f"public: {public['node_count']:,} nodes ({public['nodes']})"
            + (
                f", degree bound {public['degree_bound']:,} ({public['degree_bound_source']})"
                if "degree_bound" in public
                else ""
            )
            + (f", facts {public['facts']}" if "facts" in public else "")
            + (f", {public['orientation']}" if "orientation" in public else "")
            + (f", edges of {json.dumps(public['projection'])}" if "projection" in public else "")
            + (f"; protects {more}" if (more := protects_more(public)) else "")
        )
    if release.receipt:
        whose = "" if shown["account"] == "edges" else f" {shown['account']}"
        tell(
            f"budget of {shown['graph']}{whose}: "
            f"{amount(shown['epsilon_spent'])} of {amount(shown['epsilon_budget'])} spent, "
            f"{amount(shown['epsilon_remaining'])} left; release {shown['release_id']}"
        )


def _print_answer(release: Release, output: str) -> None:
    """Print an answer: rows, but a summary as a page where people read it."""
    from edgedp.release.release import Summary

    if output == "table" and isinstance(release.answer, Summary):
        click.echo(release.to_text())
    else:
        print_rows(release.answer.rows(), output, release.columns)


def _told(answer: Answer) -> list[str]:
    """Return what is said of an answer beside its rows."""
    from edgedp.release.numbers.answers import CONFIDENCE, NOISE_IS_PRIVATE, Interval
    from edgedp.release.release import Distribution, Nodes, Number, Point, Summary

    match answer:
        case Number(_, Interval() as interval):
            scale = "" if interval.scale is None else f"; noise of scale {interval.scale:.6g}"
            return [f"{CONFIDENCE:.0%} interval: {interval.low:,} to {interval.high:,}{scale}"]
        case Number():
            return [NOISE_IS_PRIVATE]
        case Summary(_, shares):
            return ["shares of epsilon: " + ", ".join(f"{name} {share:g}" for name, share in shares.items())]
        case Nodes():
            return answer.sentences()
        case Distribution() | Point():
            return []
        case _:
            assert_never(answer)


COMMANDS = (*map(_releasing, OPTIONS.values()), graphs, releases)
