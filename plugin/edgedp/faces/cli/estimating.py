"""``--dry-run``: what every command of a release says instead of releasing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from edgedp.faces.cli.opening import opened_store
from edgedp.faces.cli.output import print_object, print_rows
from edgedp.release.options import Options

_COLUMNS = ("epsilon", "epsilon_remaining", "epsilon_remaining_after", "releases_left", "refused")


def estimate_shown(asked: type[Options], name: str, given: Mapping[str, Any]) -> None:
    """Print what a release would cost and whether it would be refused.

    Parameters
    ----------
    asked : type of Options
        Of the kind of release.
    name : str
        Of the graph.
    given : mapping
        What the command was given.
    """
    options = {key: None if value == () else value for key, value in given.items() if key in asked.names()}
    with opened_store() as store:
        told = store.estimate(
            name, asked.KIND, engine=given.get("engine", "native"), request_id=given["request_id"], **options
        )
    match given["output"]:
        case "json":
            print_object(told)
        case "csv":
            print_rows([told], "csv", _COLUMNS)
        case _:
            _print_lines(told)


def _print_lines(told: Mapping[str, Any]) -> None:
    from edgedp.words.shown import amount, shown

    if told["refused"] is not None:
        click.echo(shown(f"would be refused: {told['refused']}"))
    elif told["kept"]:
        click.echo("the request has its release already, which would be shown again and cost nothing")
    else:
        if "epsilon_first" in told:
            click.echo(
                f"would spend step by step until the list is expected to be good enough, from "
                f"{amount(told['epsilon_first'])} to {amount(told['epsilon'])} at most"
            )
        most = "at most " if "epsilon_first" in told else ""
        click.echo(
            f"would cost {most}{amount(told['epsilon'])} and leave {amount(told['epsilon_remaining_after'])} of "
            f"{amount(told['epsilon_budget'])}; {_fit(told['releases_left'])}"
        )
    for each in told.get("accounts", []):
        left = amount(each["epsilon_remaining"])
        fits = "" if each["fits"] else ", which it does not fit"
        click.echo(shown(f"debits the account {each['account']}, of which {left} is left{fits}"))
    if told["parameters"]:
        asked = ", ".join(
            f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
            for key, value in told["parameters"].items()
        )
        click.echo(shown(f"asked: {asked}"))
    from edgedp.release.plan.facts import protects_more

    more = protects_more(told["public"] or {})
    if more is not None:
        click.echo(shown(f"protects {more}"))
    for noise in told["noise"]:
        scale = noise["scale"]
        said = scale if isinstance(scale, str) else f"{noise['law']}, scale {scale:.6g}"
        reach = f"; {noise['reach']}" if "reach" in noise else ""
        click.echo(f"noise on {noise['on']}: {said}{reach}")
    click.echo("nothing was spent or read: this rests on public facts alone")


def _fit(count: int) -> str:
    return "1 such release fits" if count == 1 else f"{count:,} such releases fit"
